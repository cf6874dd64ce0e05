//! `cellwright proxy --netlist F.pb.txt --plc F.plc`: the exact proxy cost of a macro placement.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::answer::{Answer, answered};
use crate::failure::Failure;
use crate::macro_case::{Variant, broken, read, value};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Circuit Training netlist, plain, gzip or xz.
    #[arg(long)]
    netlist: PathBuf,
    /// Placement; without it, the positions in the netlist.
    #[arg(long)]
    plc: Option<PathBuf>,
    #[command(flatten)]
    variant: Variant,
    /// Least distance between hard macros that counts as no overlap, µm.
    #[arg(long, default_value_t = 0.0)]
    gap: f64,
    /// Writes the answer as JSON to a file, or to standard output for `-` or nothing.
    #[arg(long, num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// A picture of the placement.
    #[arg(long)]
    svg: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let quiet = arguments.json.as_deref().is_some_and(|out| out.as_os_str() == "-");
    answered(Answer::new("cw.proxy"), arguments.json.as_deref(), |answer| {
        let mut case = read(&arguments.netlist, arguments.plc.as_ref(), answer)?;
        arguments.variant.overrule(&mut case.placement.settings);
        let mut engine = arguments.variant.engine(&case, false)?;
        let cost = engine.cost();
        let (overlaps, broken) = broken(&case, &case.placement, None, arguments.gap);
        if !cost.is_defined() {
            answer.warn("the published evaluator fails: a route leaves the grid");
        }
        for line in &broken {
            answer.limit(line);
        }
        if !quiet {
            for problem in case.problems.iter() {
                say!("{problem}");
            }
            say!("wirelength    {:.10}   ({:.3} µm)", cost.wirelength, cost.wirelength_um);
            say!("density       {:.10}", cost.density);
            say!("congestion    {:.10}", cost.congestion);
            say!("proxy         {:.10}", cost.proxy);
            say!("overlaps      {overlaps}");
            for line in &broken {
                say!("note: {line}");
            }
        }
        if let Some(path) = &arguments.svg {
            let title = format!("proxy {:.6}, {overlaps} overlaps", cost.proxy);
            std::fs::write(path, cellwright_macros::picture::svg(&engine, 900, &title))?;
            answer.wrote("picture", path);
        }
        Ok((ExitCode::SUCCESS, value(&cost, overlaps)))
    })
}
