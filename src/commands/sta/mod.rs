//! `cellwright sta`: WNS, TNS, endpoints and paths, of a bundle or of files named one by one.

mod files;
mod text;
mod value;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use cellwright_db::Design;
use cellwright_formats::bundle::Bundle;
use cellwright_judge::timing::Timing;
use cellwright_sta::{Calculator, Side};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::answer::{Answer, answered};
use crate::failure::Failure;
use crate::setup::{Ready, ready_of};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Delays {
    /// All capacitance at the driver, no wire delay.
    Lumped,
    /// All capacitance at the driver, Elmore wire delay.
    Elmore,
    /// Effective capacitance on π models.
    Dmp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Report {
    /// Late paths.
    Setup,
    /// Early paths.
    Hold,
    /// Both.
    Both,
}

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A design.toml, or the folder that holds one; or name the files below.
    design: Option<PathBuf>,
    #[command(flatten)]
    files: files::Files,
    /// How delays are computed.
    #[arg(long, value_enum, default_value = "dmp")]
    delay_calculator: Delays,
    /// Which side to report.
    #[arg(long, value_enum, default_value = "both")]
    report: Report,
    /// How many paths to show, each the worst of its endpoint.
    #[arg(long, default_value_t = 1)]
    paths: usize,
    /// Show the worst paths through this pin, as many as `--paths` says, instead of the worst of all.
    #[arg(long, value_name = "PIN")]
    through: Option<String>,
    /// How many endpoints to show.
    #[arg(long, default_value_t = 5)]
    endpoints: usize,
    /// Show how slacks are spread over this many intervals.
    #[arg(long, default_value_t = 0)]
    histogram: usize,
    /// Show what does not hold of slew, capacitance and fan-out limits, pulse widths and periods,
    /// and inferred clock gating checks.
    #[arg(long)]
    violators: bool,
    /// Digits after the point.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(0..=12))]
    digits: u8,
    /// Write the result as JSON to this file, `-` for standard output.
    #[arg(long, value_name = "OUT", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// List every pin in the JSON.
    #[arg(long, requires = "json")]
    pins: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let answer = Answer::new("cw.sta").claims("timing-met", "met", json!(true));
    answered(answer, arguments.json.as_deref(), |answer| report(arguments, answer))
}

fn read(arguments: &Arguments, calculator: Calculator) -> Result<Ready, Failure> {
    match &arguments.design {
        Some(_) if arguments.files.any() => {
            Err(Failure::input("name either a bundle or files one by one, not both"))
        }
        Some(path) => ready_of(Bundle::read(path)?, calculator),
        None => ready_of(arguments.files.bundle()?, calculator),
    }
}

/// The report on standard output and the value for `--json`.
fn report(
    arguments: &Arguments,
    answer: &mut Answer,
) -> Result<(ExitCode, serde_json::Value), Failure> {
    let calculator = match arguments.delay_calculator {
        Delays::Lumped => Calculator::Lumped,
        Delays::Elmore => Calculator::LumpedElmore,
        Delays::Dmp => Calculator::DmpCeffElmore,
    };
    let ready = read(arguments, calculator)?;
    answer.read(&ready.loaded.files);
    let Some(setup) = &ready.config.timing else {
        return Err(Failure::input("the bundle has no timing: name a corner and an SDC file"));
    };
    let design = Design::new(&ready.loaded.snapshot);
    let start = Instant::now();
    let mut timing = Timing::full(&design, setup)?;
    let through = match &arguments.through {
        Some(name) => Some(design.find_pin(name).ok_or_else(|| {
            Failure::input(format!(
                "there is no pin `{name}`; pins are called CELL/PIN, ports PORT"
            ))
        })?),
        None => None,
    };
    if arguments.pins || through.is_some() {
        timing.settle(&design)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let timer = timing.timer();
    let sides = match arguments.report {
        Report::Setup => vec![Side::Max],
        Report::Hold => vec![Side::Min],
        Report::Both => vec![Side::Max, Side::Min],
    };
    let open = timing.not_supported();
    let problems = ready.loaded.problems.iter().map(ToString::to_string);
    let notes: Vec<String> = problems.chain(ready.notes.iter().cloned()).collect();
    if arguments.json.as_deref().is_none_or(|out| out.as_os_str() != "-") {
        say!("full analysis in {seconds:.3} s");
        let show = text::Show {
            paths: arguments.paths,
            endpoints: arguments.endpoints,
            histogram: arguments.histogram,
            violators: arguments.violators,
            digits: usize::from(arguments.digits),
            through,
        };
        text::print(&design, &timing, &sides, &show);
        for line in notes.iter() {
            say!("{line}");
        }
        for line in &open {
            say!("not supported: {line}");
        }
    }
    for text in notes {
        answer.warn(text);
    }
    for text in &open {
        answer.limit(text);
    }
    if sides.iter().all(|side| timer.worst_slack(*side).is_none()) {
        let why = match timer.not_finite().len() {
            0 => "no endpoint is constrained; does the SDC define a clock?".to_owned(),
            count => format!(
                "{count} pins have values beyond the range of numbers; look at wire and library units"
            ),
        };
        return Err(Failure::with(3, why));
    }
    let value = match &arguments.json {
        Some(_) => {
            let ask = value::Ask {
                sides,
                pins: arguments.pins,
                violators: arguments.violators,
                through: through.map(|pin| (pin, arguments.paths)),
            };
            value::value(&design, timer, &ask, &open)
        }
        None => serde_json::Value::Null,
    };
    Ok((ExitCode::from(if open.is_empty() { 0 } else { 3 }), value))
}
