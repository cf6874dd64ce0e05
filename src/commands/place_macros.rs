//! `cellwright place-macros --netlist F --plc F --out F.plc`: macros to legal places of low cost.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cellwright_formats::ct::write_placement;
use cellwright_macros::{AnnealConfig, Budget, Kind, Progress, analytical_start, anneal, gates};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::answer::{Answer, answered};
use crate::events;
use crate::failure::Failure;
use crate::flat_macros::{complete, group, is_flat};
use crate::macro_case::{Variant, broken, read, value};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Circuit Training netlist, plain, gzip or xz.
    #[arg(long)]
    netlist: PathBuf,
    /// Placement to start from; without it, the positions in the netlist.
    #[arg(long)]
    plc: Option<PathBuf>,
    /// Where the placement goes.
    #[arg(long)]
    out: PathBuf,
    /// Wall time, such as `90s`, `10m` or `1h`. Without a budget: one minute.
    #[arg(long, value_parser = duration)]
    budget: Option<Duration>,
    /// Work units, all replicas together; the outcome then depends on the seed alone.
    #[arg(long)]
    work_units: Option<u64>,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Placements worked on at once, at different temperatures; by default one for each core.
    #[arg(long)]
    replicas: Option<usize>,
    /// Threads; by default one for each core.
    #[arg(long)]
    threads: Option<usize>,
    /// Least distance between hard macros, µm.
    #[arg(long, default_value_t = 0.0)]
    gap: f64,
    /// Starts from an analytical placement of macros and clusters instead of the given positions.
    #[arg(long)]
    global: bool,
    /// Lets hard macros be mirrored. The open evaluator does not read orientations from .plc files,
    /// so there the value differs; `proxy --orientations plc` gives ours.
    #[arg(long)]
    flips: bool,
    /// A plain annealer: proposals that look at nothing. For comparison.
    #[arg(long)]
    blind: bool,
    /// Of a netlist with standard cells: how many soft macros they are grouped to. The outcome is then
    /// a placement of the flat netlist, its cells placed and legalised among the fixed macros; LEF and
    /// DEF of it are written beside it.
    #[arg(long, default_value_t = 800)]
    groups: usize,
    /// Of a netlist with standard cells: writes the grouped case as PREFIX.pb.txt and PREFIX.plc.
    #[arg(long, value_name = "PREFIX")]
    grouped: Option<PathBuf>,
    /// Temperature at the start; by default from the first proposals.
    #[arg(long)]
    temperature: Option<f64>,
    #[command(flatten)]
    variant: Variant,
    /// A picture of the outcome.
    #[arg(long)]
    svg: Option<PathBuf>,
    /// The same as PNG.
    #[arg(long)]
    png: Option<PathBuf>,
    /// Writes the answer as JSON to a file, or to standard output for `-` or nothing.
    #[arg(long, num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
}

/// `90s`, `10m`, `1h` or seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b's') => (&text[..text.len() - 1], 1.0),
        Some(b'm') => (&text[..text.len() - 1], 60.0),
        Some(b'h') => (&text[..text.len() - 1], 3600.0),
        _ => (text, 1.0),
    };
    let seconds = digits.parse::<f64>().ok().map(|n| n * unit);
    seconds
        .filter(|s| (0.0..=1e7).contains(s))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("`{text}` is no time; give 90s, 10m or 1h"))
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let answer = Answer::new("cw.place-macros").claims("legal", "legal", json!(true));
    answered(answer, arguments.json.as_deref(), |answer| place(arguments, answer))
}

fn place(
    arguments: &Arguments,
    answer: &mut Answer,
) -> Result<(ExitCode, serde_json::Value), Failure> {
    let quiet = arguments.json.as_deref().is_some_and(|out| out.as_os_str() == "-");
    let mut case = read(&arguments.netlist, arguments.plc.as_ref(), answer)?;
    if is_flat(&case) {
        complete(&mut case.placement.settings, arguments.plc.is_some());
    }
    arguments.variant.overrule(&mut case.placement.settings);
    let mut flat = None;
    if is_flat(&case) {
        let (whole, grouped) = group(case, arguments.groups, arguments.seed);
        if !quiet {
            say!(
                "grouped {} cells to {} soft macros; {} nets are too large to keep",
                whole.case().netlist.count(Kind::Cell),
                grouped.netlist.count(Kind::Soft),
                whole.dropped()
            );
        }
        flat = Some(whole);
        case = grouped;
    }
    let mut engine = arguments.variant.engine(&case, arguments.flips)?;
    let given = engine.cost();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let wall = match (arguments.budget, arguments.work_units) {
        (None, None) => Some(Duration::from_secs(60)),
        (wall, _) => wall,
    };
    let config = AnnealConfig {
        seed: arguments.seed,
        budget: Budget { wall, work: arguments.work_units },
        replicas: arguments.replicas.unwrap_or(cores),
        gap: arguments.gap,
        flips: arguments.flips,
        blind: arguments.blind,
        temperature: arguments.temperature,
    };
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.unwrap_or(cores)).build()?;
    if arguments.global {
        let report =
            pool.install(|| analytical_start(&mut engine, arguments.seed, arguments.gap))?;
        if !quiet {
            say!(
                "analytical start: overflow {:.3} after {} iterations, proxy {:.6}",
                report.overflow,
                report.iterations,
                engine.cost().proxy
            );
        }
    }
    let mut line = Line::new();
    let outcome = pool.install(|| anneal(&mut engine, &config, &mut |p| line.show(p)))?;
    line.bar.finish_and_clear();
    let mut placement = engine.placement(&case.placement);
    if !arguments.flips {
        // The file keeps the orientations that it had.
        for (new, old) in placement.spots.iter_mut().zip(&case.placement.spots) {
            if let (Some(new), Some(old)) = (new.as_mut(), old.as_ref()) {
                new.orient = old.orient;
            }
        }
    }
    let cost = engine.cost();
    let (overlaps, broken) = broken(&case, &placement, Some(&case.placement), arguments.gap);
    let legal = gates(&case.netlist, &placement, Some(&case.placement), arguments.gap).is_legal();
    for line in &broken {
        answer.warn(line);
    }
    let notes = vec![
        format!("Wirelength : {:?}", cost.wirelength_um),
        format!("Wirelength cost : {:?}", cost.wirelength),
        format!("Congestion cost : {:?}", cost.congestion),
        format!("Density cost : {:?}", cost.density),
    ];
    let mut carried = None;
    match &flat {
        None => {
            std::fs::write(&arguments.out, write_placement(&case.netlist, &placement, &notes))?;
        }
        Some(flat) => {
            if let Some(prefix) = &arguments.grouped {
                for file in flat.write_grouped(prefix, &placement)? {
                    answer.wrote("grouped", &file);
                }
            }
            let back = pool.install(|| flat.carry(&placement, arguments.seed, &arguments.out))?;
            let notes = [format!("Wirelength : {:?}", back.placed)];
            let netlist = &flat.case().netlist;
            std::fs::write(&arguments.out, write_placement(netlist, &back.placement, &notes))?;
            answer.wrote("lef", &back.files[0]);
            answer.wrote("def", &back.files[1]);
            carried = Some(back);
        }
    }
    answer.wrote("placement", &arguments.out);
    if let Some(path) = &arguments.svg {
        let title = format!("proxy {:.6}, {overlaps} overlaps", cost.proxy);
        std::fs::write(path, cellwright_macros::picture::svg(&engine, 900, &title))?;
        answer.wrote("picture", path);
    }
    if let Some(path) = &arguments.png {
        std::fs::write(path, cellwright_macros::picture::png(&engine, 1200)?)?;
        answer.wrote("picture", path);
    }
    let seconds = outcome.elapsed.as_secs_f64();
    if !quiet {
        say!("given         {:.8}", given.proxy);
        say!("legal start   {:.8}", outcome.start);
        say!(
            "best          {:.8}   (wirelength {:.8}, density {:.8}, congestion {:.8})",
            cost.proxy,
            cost.wirelength,
            cost.density,
            cost.congestion
        );
        say!(
            "{} evaluations in {seconds:.1} s ({:.0} per second), {} work units",
            outcome.evaluations,
            outcome.evaluations as f64 / seconds,
            outcome.work
        );
        for tally in &outcome.tallies {
            say!(
                "  {:<12} {:>10} tried {:>9} accepted   gained {:.6}",
                format!("{:?}", tally.kind),
                tally.tried,
                tally.accepted,
                tally.gain
            );
        }
        for line in &broken {
            say!("note: {line}");
        }
        if let Some(back) = &carried {
            let given = back.given.map_or("none".to_owned(), |um| format!("{um:.0} µm"));
            say!("flat HPWL: given {given}, cells at their groups {:.0} µm", back.at_groups);
            say!(
                "           cells placed and legal among the macros {:.0} µm; {} violations of cells, \
                 {} among fixed ones",
                back.placed,
                back.violations,
                back.violations_of_fixed
            );
        }
        say!("wrote {}", arguments.out.display());
    }
    let mut out = value(&cost, overlaps);
    if let Some(map) = out.as_object_mut() {
        map.insert("legal".to_owned(), json!(legal));
        map.insert("given".to_owned(), json!(given.is_defined().then_some(given.proxy)));
        map.insert("start".to_owned(), json!(outcome.start));
        map.insert("seed".to_owned(), json!(arguments.seed));
        map.insert("replicas".to_owned(), json!(config.replicas));
        map.insert("evaluations".to_owned(), json!(outcome.evaluations));
        map.insert("work_units".to_owned(), json!(outcome.work));
        map.insert("seconds".to_owned(), json!(seconds));
        if let Some(back) = &carried {
            map.insert("flat_given_um".to_owned(), json!(back.given));
            map.insert("flat_at_groups_um".to_owned(), json!(back.at_groups));
            map.insert("flat_um".to_owned(), json!(back.placed));
            map.insert("flat_hpwl_um".to_owned(), json!(back.hpwl));
            map.insert("flat_violations".to_owned(), json!(back.violations));
            map.insert("flat_violations_of_fixed".to_owned(), json!(back.violations_of_fixed));
        }
    }
    Ok((ExitCode::from(u8::from(!legal)), out))
}

/// The progress line: moves on a terminal, a line every ten seconds elsewhere.
struct Line {
    bar: ProgressBar,
    last: Instant,
    plain: bool,
}

impl Line {
    fn new() -> Self {
        let bar = ProgressBar::new(1000);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {msg}") {
            bar.set_style(style);
        }
        Line { bar, last: Instant::now(), plain: !std::io::stderr().is_terminal() }
    }

    fn show(&mut self, p: &Progress) -> bool {
        let rate = p.evaluations as f64 / p.elapsed.as_secs_f64().max(1e-9);
        let text = format!(
            "{:3.0} %  best {:.6}  now {:.6}  temperature {:.2e}  {:.0} evaluations/s",
            100.0 * p.share,
            p.best,
            p.current,
            p.temperature,
            rate
        );
        if !self.plain {
            self.bar.set_position((p.share * 1000.0) as u64);
            self.bar.set_message(text.clone());
        } else if self.last.elapsed() > Duration::from_secs(10) {
            self.last = Instant::now();
            eprintln!("{text}");
        }
        events::progress("cw.place-macros", "anneal", p.evaluations, text);
        true
    }
}
