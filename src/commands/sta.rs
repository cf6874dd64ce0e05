//! `cellwright sta DESIGN`: WNS, TNS, endpoints and paths.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use cellwright_contract::delta::TimingMode;
use cellwright_db::Design;
use cellwright_judge::timing::Timing;
use cellwright_sta::{Calculator, Side};
use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::setup::ready;
use crate::table::{number, table};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Delays {
    /// All capacitance at the driver, no wire delay.
    Lumped,
    /// All capacitance at the driver, Elmore wire delay.
    Elmore,
    /// Effective capacitance on π models.
    Dmp,
}

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A design.toml, or the folder that holds one.
    design: PathBuf,
    /// How delays are computed.
    #[arg(long, value_enum, default_value = "dmp")]
    delay_calculator: Delays,
    /// How many endpoints to show.
    #[arg(long, default_value_t = 5)]
    endpoints: usize,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let calculator = match arguments.delay_calculator {
        Delays::Lumped => Calculator::Lumped,
        Delays::Elmore => Calculator::LumpedElmore,
        Delays::Dmp => Calculator::DmpCeffElmore,
    };
    let ready = ready(&arguments.design, calculator)?;
    let Some(setup) = &ready.config.timing else {
        return Err(Failure::input("the bundle has no timing: name a corner and an SDC file"));
    };
    let design = Design::new(&ready.loaded.snapshot);
    let start = Instant::now();
    let timing = Timing::full(&design, setup)?;
    say!("full analysis in {:.3} s, units ns", start.elapsed().as_secs_f64());
    let timer = timing.timer();
    for (name, mode, side) in
        [("setup", TimingMode::Setup, Side::Max), ("hold", TimingMode::Hold, Side::Min)]
    {
        let mut ends = timer.endpoints(side);
        ends.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        say!(
            "\n{name}: WNS {}, TNS {}, worst slack {}, {} endpoints",
            number(f64::from(timer.wns(side))),
            number(timer.tns(side)),
            timer.worst_slack(side).map_or("-".to_owned(), |slack| number(f64::from(slack))),
            ends.len()
        );
        let rows: Vec<Vec<String>> = ends
            .iter()
            .take(arguments.endpoints)
            .map(|(pin, slack)| vec![design.pin_name(*pin), number(f64::from(*slack))])
            .collect();
        put!("{}", table(&["endpoint", "slack"], &[false, true], &rows));
        for path in timing.worst_paths(&design, mode, 1) {
            say!("\nworst {name} path: {} → {}", path.startpoint, path.endpoint);
            let rows: Vec<Vec<String>> = path
                .pins
                .iter()
                .map(|pin| {
                    let edge = if pin.rising { "rise" } else { "fall" };
                    vec![pin.pin.clone(), edge.to_owned(), number(pin.slew), number(pin.arrival)]
                })
                .collect();
            let header = ["pin", "edge", "slew", "arrival"];
            put!("{}", table(&header, &[false, false, true, true], &rows));
        }
    }
    for problem in ready.loaded.problems.iter() {
        say!("{problem}");
    }
    let constrained = [Side::Max, Side::Min].iter().any(|side| !timer.endpoints(*side).is_empty());
    if !constrained {
        return Err(Failure::with(3, "no endpoint is constrained; does the SDC define a clock?"));
    }
    let open = timing.not_supported();
    for text in &open {
        say!("not supported: {text}");
    }
    Ok(ExitCode::from(if open.is_empty() { 0 } else { 3 }))
}
