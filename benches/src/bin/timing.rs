//! The timer beside Debian's `sta`, in one run: `cargo run --release -p cellwright-benches --bin
//! timing -- [CASE_DIR…]`. Without folders: every case of the corpus that has a `swaps.txt`.
//!
//! Each case is a process of its own for either tool, on one thread. Both read the same files, make
//! one full update (setup and hold), then the resizes of `swaps.txt` one after the other, with WNS and
//! TNS of setup and hold asked after each: with effective capacitance, then with lumped loads (the
//! peer takes its swaps back there, and its full update keeps graph and parasitics). Times are CPU
//! times of the thread, so a loaded machine stretches them less than it would wall times.
//!
//! A what-if is a resize of a combinational cell to its next size, the update, the four figures, and
//! the undo of timer and design. `arcs` are the arcs that one looks at, on average and in the median.
//!
//! Bound: a full update with effective capacitance is bound by arithmetic (the waveform solver), as is
//! its what-if. With lumped loads a what-if is bound by the size of the cone and by memory: each
//! vertex that a change reaches costs a few cache misses, and its arithmetic is less. Where a clock
//! is propagated, a change of its tree looks at the credit of every end again (reconvergence
//! pessimism), and that bounds it: such cases are slower than the peer.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use cellwright_benches::case::{Case, cases, reading};
use cellwright_benches::process::{load, memory, thread_seconds};
use cellwright_db::{CellId, Design, DirtySet, MasterId};
use cellwright_formats::text::open;
use cellwright_sta::{Calculator, Config, Side, Timer};

/// The peer has no calculator like `elmore`.
const CALCULATORS: [(&str, Calculator); 3] = [
    ("dmp", Calculator::DmpCeffElmore),
    ("lumped", Calculator::Lumped),
    ("elmore", Calculator::LumpedElmore),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if arguments.first().is_some_and(|first| first.as_os_str() == "--ours") {
        return ours(&arguments[1]);
    }
    if arguments.is_empty() {
        arguments = cases();
    }
    if arguments.is_empty() {
        println!("no case: name folders, or set CELLWRIGHT_CORPUS");
        return Ok(());
    }
    let version = Command::new("sta").arg("-version").output();
    let version = version.ok().map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned());
    match &version {
        Some(version) => println!("peer: sta {version}"),
        None => println!("peer: `sta` is not installed (Debian: apt-get install opensta)"),
    }
    println!("load {}", load());
    println!(
        "{:18} {:>6} {:>7} {:>8} | {:8} | {:>6} {:>6} {:>6} | {:>8} {:>8} {:>6} | {:>10} {:>7} {:>7} {:>7}",
        "case",
        "cells",
        "read, s",
        "peak, MB",
        "delays",
        "full s",
        "peer s",
        "ratio",
        "swap ms",
        "peer ms",
        "ratio",
        "what-ifs/s",
        "arcs",
        "median",
        "ns/arc"
    );
    let itself = std::env::current_exe()?;
    for folder in &arguments {
        let out = Command::new(&itself).arg("--ours").arg(folder).output()?;
        if !out.status.success() {
            println!("{}: {}", folder.display(), String::from_utf8_lossy(&out.stderr));
            continue;
        }
        let ours = Figures::of(&out.stdout);
        let peer = match version {
            Some(_) => peer(folder)?,
            None => Figures::default(),
        };
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let cells = ours.get("cells");
        for (tool, figures) in [("ours", &ours), ("peer", &peer)] {
            let (read, peak) = (figures.get("read"), figures.get("peak"));
            let label = format!("{name} ({tool})");
            println!("{label:25} {cells:>6} {read:>7.2} {peak:>8.0}");
        }
        for (name, _) in CALCULATORS {
            let own = |what: &str| ours.get(&format!("{what}_{name}"));
            let other = |what: &str| peer.get(&format!("{what}_{name}"));
            let ratio = |what: &str| other(what) / own(what);
            println!(
                "{:42} | {name:8} | {:>6.3} {:>6.3} {:>5.1}x | {:>8.4} {:>8.3} {:>5.0}x | {:>10.0} {:>7.0} {:>7.0} {:>7.0}",
                "",
                own("full"),
                other("full"),
                ratio("full"),
                own("resize") * 1e3,
                other("resize") * 1e3,
                ratio("resize"),
                own("rate"),
                own("arcs"),
                own("median"),
                1e9 / own("rate") / own("arcs"),
            );
        }
        // The tools must have timed the same work.
        let (unit, end) = (peer.get("unit"), "worst setup slack before and after the swaps, ns");
        println!(
            "{end}: ours {:.4} {:.4}, peer {:.4} {:.4}",
            ours.get("ws_dmp"),
            ours.get("after_dmp"),
            peer.get("ws_dmp") * unit,
            peer.get("after_dmp") * unit
        );
    }
    println!("load {}", load());
    Ok(())
}

/// Named numbers that a process printed.
#[derive(Debug, Default)]
struct Figures(Vec<(String, f64)>);

impl Figures {
    fn of(out: &[u8]) -> Figures {
        let text = String::from_utf8_lossy(out);
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        Figures(pairs.filter_map(|(k, v)| Some((k.to_owned(), v.trim().parse().ok()?))).collect())
    }
    fn get(&self, key: &str) -> f64 {
        self.0.iter().find(|(name, _)| name == key).map_or(f64::NAN, |(_, value)| *value)
    }
}

/// The four figures of a timer.
fn figures(timer: &Timer) -> f64 {
    let sides = [Side::Max, Side::Min];
    sides.iter().map(|side| f64::from(timer.wns(*side)) + timer.tns(*side)).sum()
}

fn ours(folder: &Path) -> Result<(), Box<dyn Error>> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let start = thread_seconds();
    let Case { mut design, constraints, parasitics, swaps, .. } = Case::read(folder)?;
    println!("read={}", thread_seconds() - start);
    println!("cells={}", design.cells().count());
    // Libraries without functions have no alternatives: their swaps serve.
    let all = walk(&design);
    let tries = if all.is_empty() { &swaps } else { &all };
    for (name, calculator) in CALCULATORS {
        let config = Config { corners: vec![(0, parasitics.clone())], calculator };
        let start = thread_seconds();
        let mut timer = Timer::new(&design, constraints.clone(), config)?;
        let mut sum = figures(&timer);
        println!("full_{name}={}", thread_seconds() - start);
        println!("ws_{name}={}", timer.worst_slack(Side::Max).unwrap_or(f32::NAN));
        let first = design.mark();
        let start = thread_seconds();
        for &(cell, to) in &swaps {
            let mark = design.mark();
            design.resize_cell(cell, to)?;
            timer.update(&design, &design.dirty_since(mark))?;
            sum += figures(&timer);
            timer.keep();
        }
        println!("resize_{name}={}", (thread_seconds() - start) / swaps.len() as f64);
        println!("after_{name}={}", timer.worst_slack(Side::Max).unwrap_or(f32::NAN));
        if calculator == Calculator::default() {
            println!("peak={}", memory("VmHWM"));
        }
        design.undo_to(first);
        timer.full(&design);
        what_ifs(&mut design, &mut timer, tries, name, &mut sum)?;
        // Whatever was asked must have been worked out.
        println!("sum_{name}={sum}");
    }
    Ok(())
}

/// Combinational cells with their next size, in an order that jumps about.
fn walk(design: &Design) -> Vec<(CellId, MasterId)> {
    let library = design.library();
    let cells: Vec<(CellId, MasterId)> = design
        .cells()
        .filter_map(|cell| {
            let master = design.master_id(cell);
            let logic = library.logic(master)?;
            let sizes = library.alternatives(master);
            let at = sizes.iter().position(|size| *size == master)?;
            let next = sizes[(at + 1) % sizes.len()];
            (logic.sequentials.is_empty() && next != master).then_some((cell, next))
        })
        .collect();
    let count = cells.len();
    (0..count).map(|at| cells[at * 7919 % count]).collect()
}

fn what_ifs(
    design: &mut Design,
    timer: &mut Timer,
    tries: &[(CellId, MasterId)],
    name: &str,
    sum: &mut f64,
) -> Result<(), Box<dyn Error>> {
    let mut dirty = DirtySet::empty(design.stamp());
    let (mut count, work) = (0_u32, timer.work());
    let mut sizes = Vec::new();
    let start = thread_seconds();
    let mut seconds = 0.0;
    for &(cell, to) in tries.iter().cycle().take(500_000) {
        let mark = design.mark();
        design.resize_cell(cell, to)?;
        design.dirty_into(mark, &mut dirty);
        sizes.push(timer.update(design, &dirty)?.arcs);
        *sum += figures(timer);
        timer.undo();
        design.undo_to(mark);
        count += 1;
        if count.is_multiple_of(16) {
            seconds = thread_seconds() - start;
            if seconds > 2.0 {
                break;
            }
        }
    }
    println!("rate_{name}={}", f64::from(count) / seconds);
    println!("arcs_{name}={}", (timer.work() - work) as f64 / f64::from(count));
    sizes.sort_unstable();
    println!("median_{name}={}", sizes.get(sizes.len() / 2).copied().unwrap_or(0));
    Ok(())
}

/// The commands of `text` with packed files unpacked into `to`: Debian's version reads no packed
/// Liberty.
fn unpacked(text: &str, folder: &Path, to: &Path) -> Result<String, Box<dyn Error>> {
    let mut out = text.to_owned();
    let names = text.split(|c: char| c.is_whitespace() || "{}[]".contains(c));
    for (number, name) in names.filter(|name| name.ends_with(".gz")).enumerate() {
        let from = folder.join(name);
        if from.is_file() && out.contains(name) {
            let bare = Path::new(name.trim_end_matches(".gz"));
            let bare = bare.file_name().unwrap_or_default().to_string_lossy();
            let plain = to.join(format!("{number}_{bare}"));
            std::fs::write(&plain, open(&from)?.text())?;
            out = out.replace(name, &plain.display().to_string());
        }
    }
    Ok(out)
}

/// Debian's `sta` on the same case.
fn peer(folder: &Path) -> Result<Figures, Box<dyn Error>> {
    let folder = folder.canonicalize()?;
    let scratch = std::env::temp_dir().join(format!("cellwright-peer-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    let commands = unpacked(&reading(&folder)?, &folder, &scratch)?;
    let script = format!(
        r#"
proc cpu {{}} {{
  set f [open /proc/self/schedstat]; set line [gets $f]; close $f
  return [expr {{[lindex $line 0] * 1e-9}}]
}}
proc peak {{}} {{
  set f [open /proc/self/status]; set text [read $f]; close $f
  regexp {{VmHWM:\s+(\d+)}} $text _ kb
  return [expr {{$kb / 1024.0}}]
}}
proc figures {{}} {{
  foreach side {{-max -min}} {{ worst_slack $side; total_negative_slack $side }}
}}
set start [cpu]
{commands}
puts "read=[expr {{[cpu] - $start}}]"
set start [cpu]
figures
puts "full_dmp=[expr {{[cpu] - $start}}]"
puts "ws_dmp=[worst_slack -max]"
set f [open swaps.txt]
set swaps [split [string trim [read $f]] "\n"]
close $f
set start [cpu]
foreach swap $swaps {{
  lassign $swap cell from to
  replace_cell $cell [lindex [get_lib_cells */$to] 0]
  figures
}}
puts "resize_dmp=[expr {{([cpu] - $start) / [llength $swaps]}}]"
puts "after_dmp=[worst_slack -max]"
puts "peak=[peak]"
set_delay_calculator lumped_cap
set start [cpu]
figures
puts "full_lumped=[expr {{[cpu] - $start}}]"
set start [cpu]
foreach swap $swaps {{
  lassign $swap cell from to
  replace_cell $cell [lindex [get_lib_cells */$from] 0]
  figures
}}
puts "resize_lumped=[expr {{([cpu] - $start) / [llength $swaps]}}]"
puts "unit=[expr {{[sta::unit_scale time] * 1e9}}]"
exit
"#
    );
    let path = scratch.join("peer.tcl");
    std::fs::write(&path, script)?;
    let out = Command::new("sta")
        .args(["-no_splash", "-no_init", "-exit"])
        .arg(&path)
        .current_dir(&folder)
        .output()?;
    std::fs::remove_dir_all(&scratch)?;
    let figures = Figures::of(&out.stdout);
    if figures.get("resize_dmp").is_nan() {
        println!("peer: {}", String::from_utf8_lossy(&out.stdout).trim());
    }
    Ok(figures)
}
