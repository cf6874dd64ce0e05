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
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    work_units: Option<u64>,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=(1 << 53) - 1))]
    seed: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let spec = Spec::preset(&arguments.preset)?;
    // The bundle is made beside the run and copied into it like any other.
    let folder = tempfolder()?;
    let bundle = write_bundle(&folder, &spec)?;
    eprintln!("generated `{}` in {}", arguments.preset, folder.display());
    // A demo may be repeated: an older run of the same name makes room, and nothing else does.
    if is_run(&arguments.out) {
        std::fs::remove_dir_all(&arguments.out)?;
    }
    let result = run::run(&run::Arguments {
        design: bundle,
        out: arguments.out.clone(),
        agent: "anneal".to_owned(),
        foreign: Default::default(),
        scenario: None,
        seconds: Some(arguments.seconds),
        proposals: None,
        work_units: arguments.work_units,
        seed: arguments.seed,
        no_place: false,
        density: None,
        key: None,
        repeats: 1,
    });
    std::fs::remove_dir_all(&folder)?;
    let code = result?;
    say!("\nCheck it yourself:");
    say!("  cellwright replay {}", arguments.out.display());
    say!("  cellwright verify {}/certificates/<ID>.json", arguments.out.display());
    Ok(code)
}

/// Whether a folder is a run directory and holds nothing else.
fn is_run(folder: &std::path::Path) -> bool {
    const KNOWN: [&str; 12] = [
        "manifest.json",
        "scenario.json",
        "subject.json",
        "verdict.json",
        "journal.jsonl",
        "deltas.bin",
        "issuer.pub",
        "setup.json",
        "design",
        "certificates",
        "layout.svg",
        "layout_start.svg",
    ];
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let ours = entries
        .flatten()
        .all(|entry| entry.file_name().to_str().is_some_and(|name| KNOWN.contains(&name)));
    let manifest = std::fs::read(folder.join("manifest.json")).unwrap_or_default();
    let text = String::from_utf8_lossy(&manifest);
    ours && text.contains("\"repro_id\"") && text.contains("\"base_snapshot\"")
}

fn tempfolder() -> Result<PathBuf, Failure> {
    let folder = std::env::temp_dir().join(format!("cellwright-demo-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}
