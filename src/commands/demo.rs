//! `cellwright demo`: everything once, on a design of our own.

use std::path::PathBuf;
use std::process::ExitCode;

use cellwright_designs::{Spec, write_bundle};
use clap::Args;

use super::run;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Where the run directory goes.
    #[arg(long, default_value = "runs/demo")]
    out: PathBuf,
    /// Generated design: tiny, demo, mesh20k, mix100k or mix1m.
    #[arg(long, default_value = "demo")]
    preset: String,
    /// How long the agents may work, seconds.
    #[arg(long, default_value_t = 45)]
    seconds: u64,
    /// Most work units for the agents: the same on every machine.
    #[arg(long)]
    work_units: Option<u64>,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let spec = Spec::preset(&arguments.preset)?;
    // The bundle is made beside the run and copied into it like any other.
    let folder = tempfolder()?;
    let bundle = write_bundle(&folder, &spec)?;
    eprintln!("generated `{}` in {}", arguments.preset, folder.display());
    // A demo may be repeated: an older run of the same name makes room.
    if arguments.out.join("manifest.json").exists() {
        std::fs::remove_dir_all(&arguments.out)?;
    }
    let result = run::run(&run::Arguments {
        design: bundle,
        out: arguments.out.clone(),
        agent: "anneal".to_owned(),
        scenario: None,
        seconds: Some(arguments.seconds),
        proposals: None,
        work_units: arguments.work_units,
        seed: arguments.seed,
        no_place: false,
        density: None,
        key: None,
    });
    std::fs::remove_dir_all(&folder)?;
    let code = result?;
    println!("\nCheck it yourself:");
    println!("  cellwright replay {}", arguments.out.display());
    println!("  cellwright verify {}/certificates/<ID>.json", arguments.out.display());
    Ok(code)
}

fn tempfolder() -> Result<PathBuf, Failure> {
    let folder = std::env::temp_dir().join(format!("cellwright-demo-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}
