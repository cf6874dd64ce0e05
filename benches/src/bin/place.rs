//! Placement in one run: wire length per stage, processor time on one and two threads, peak memory,
//! each beside a peer's where one is given, and how time and memory grow with size.
//!
//! `place CASE…` places design bundles and Bookshelf `.aux` files; `place --grow CELLS…` designs of
//! the own generator of so many cells, for time over n·log n. `--peer COMMAND` (before the cases) runs a
//! Bookshelf placer on each `.aux` as `COMMAND AUX OUT.pl` and measures its outcome with our own
//! measure. `--threads N…` chooses the threads.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use cellwright_benches::process::{load as machine_load, memory};
use cellwright_db::Design;
use cellwright_designs::{Spec, write_bundle};
use cellwright_formats::bookshelf::read_design;
use cellwright_formats::bundle::Bundle;
use cellwright_formats::load::load;
use cellwright_formats::text::Problems;
use cellwright_measure::{Hpwl, HpwlConfig, Legality, LegalityConfig, Metric};
use cellwright_place::{PlaceConfig, place};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// One placement's figures.
struct Figures {
    cells: usize,
    stages: Vec<(&'static str, f64)>,
    length: f64,
    violations: u64,
    /// Processor seconds.
    cpu: f64,
    wall: f64,
    /// Peak beyond what the loaded design took, MB.
    peak: f64,
}

fn main() -> Fallible<()> {
    let mut words = std::env::args().skip(1).peekable();
    let (mut peer, mut threads, mut grow) = (None, vec![1, 2], false);
    let mut cases = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--peer" => peer = words.next(),
            "--grow" => grow = true,
            "--threads" => {
                threads.clear();
                while let Some(count) = words.next_if(|word| word.parse::<usize>().is_ok()) {
                    threads.push(count.parse()?);
                }
            }
            _ => cases.push(word),
        }
    }
    if cases.is_empty() || threads.is_empty() {
        return Err("usage: place [--threads N…] [--peer COMMAND] CASE… | --grow CELLS…".into());
    }
    println!("load of the machine {}", machine_load());
    let mut points = Vec::new();
    for case in &cases {
        let design = if grow { generated(case)? } else { read(Path::new(case))? };
        let mut first = None;
        for &count in &threads {
            let figures = run(&design, count)?;
            show(case, count, &figures);
            first.get_or_insert(figures);
        }
        let Some(first) = first else { continue };
        points.push((first.cells as f64, first.cpu));
        if let Some(peer) = peer.as_deref().filter(|_| case.ends_with(".aux")) {
            match beside(peer, Path::new(case)) {
                Ok((length, cpu)) => println!(
                    "  peer: {length:.1} in {cpu:.1} s; ours {:.4} of its length, {:.3} of its time",
                    first.length / length,
                    first.cpu / cpu
                ),
                Err(error) => println!("  peer: {error}"),
            }
        }
    }
    if grow && points.len() > 1 {
        // Seconds per n·log₂n: level or falling means that growth is no faster than n·log n.
        for (cells, cpu) in points {
            println!(
                "{cells:.0} cells: {:.3} µs per cell and doubling",
                1e6 * cpu / (cells * cells.log2())
            );
        }
    }
    Ok(())
}

fn read(path: &Path) -> Fallible<Design> {
    if path.extension().is_some_and(|end| end == "aux") {
        return Ok(Design::new(&read_design(path, &mut Problems::new())?.snapshot));
    }
    Ok(Design::new(&load(Bundle::read(path)?)?.snapshot))
}

fn generated(cells: &str) -> Fallible<Design> {
    let spec = Spec::new("grow", cells.parse()?, 4);
    let folder = std::env::temp_dir().join(format!("cellwright-place-{}", std::process::id()));
    let loaded = load(Bundle::read(&write_bundle(&folder, &spec)?)?);
    std::fs::remove_dir_all(&folder)?;
    Ok(Design::new(&loaded?.snapshot))
}

fn run(design: &Design, threads: usize) -> Fallible<Figures> {
    // Where the kernel allows it, the peak starts anew (proc(5), clear_refs).
    let anew = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let resident = memory("VmRSS");
    let (start, cpu) = (std::time::Instant::now(), processor_seconds());
    let result = place(design, &PlaceConfig { threads, ..PlaceConfig::default() }, &mut ())?;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), processor_seconds() - cpu);
    let peak = if anew { memory("VmHWM") - resident } else { f64::NAN };
    let mut placed = design.clone();
    placed.apply(&result.delta)?;
    let um = |dbu: i64| design.tech().microns(dbu);
    Ok(Figures {
        cells: result.report.cells,
        stages: result.report.stages.iter().map(|s| (s.stage.name(), um(s.hpwl))).collect(),
        length: um(Hpwl::full(&placed, HpwlConfig::default()).total().length),
        violations: Legality::full(&placed, LegalityConfig::default()).counts().movable() as u64,
        cpu,
        wall,
        peak,
    })
}

fn show(case: &str, threads: usize, figures: &Figures) {
    let stages: Vec<String> =
        figures.stages.iter().map(|(name, length)| format!("{name} {length:.1}")).collect();
    println!(
        "{case}: {} cells, {threads} threads: {}; {} violations; {:.2} s of processor, {:.2} s; {:.0} B per cell",
        figures.cells,
        stages.join(", "),
        figures.violations,
        figures.cpu,
        figures.wall,
        figures.peak * 1e6 / figures.cells.max(1) as f64
    );
}

/// Runs a peer on a case; its wire length by our measure, and its processor seconds.
fn beside(command: &str, aux: &Path) -> Fallible<(f64, f64)> {
    let out: PathBuf =
        std::env::temp_dir().join(format!("cellwright-peer-{}.pl", std::process::id()));
    let before = children_seconds();
    let status = Command::new(command).arg(aux).arg(&out).status()?;
    let cpu = children_seconds() - before;
    if !status.success() {
        return Err(format!("`{command}` ended with {status}").into());
    }
    // The same case with the peer's places.
    let folder = std::env::temp_dir().join(format!("cellwright-peer-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let names = std::fs::read_to_string(aux)?;
    for name in names.split_whitespace().filter(|name| name.contains('.')) {
        let from = if name.ends_with(".pl") { out.clone() } else { aux.with_file_name(name) };
        if from.is_file() {
            std::fs::copy(from, folder.join(name))?;
        }
    }
    let copy = folder.join("peer.aux");
    std::fs::write(&copy, names)?;
    let design = read(&copy)?;
    std::fs::remove_dir_all(&folder)?;
    std::fs::remove_file(&out)?;
    let length = Hpwl::full(&design, HpwlConfig::default()).total().length;
    Ok((design.tech().microns(length), cpu))
}

/// Clock ticks of `/proc/self/stat` from a field on, two summed: user and system (proc(5), `USER_HZ`).
fn ticks(field: usize) -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        stat.rsplit_once(')').map_or(Vec::new(), |(_, rest)| rest.split_whitespace().collect());
    let tick = |i: usize| fields.get(i).and_then(|word| word.parse::<f64>().ok());
    tick(field).zip(tick(field + 1)).map_or(f64::NAN, |(user, system)| (user + system) / 100.0)
}

fn processor_seconds() -> f64 {
    ticks(11)
}

fn children_seconds() -> f64 {
    ticks(13)
}
