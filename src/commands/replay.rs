//! `cellwright replay RUN_DIR`.

use std::path::PathBuf;
use std::process::ExitCode;

use cellwright_judge::run::{ReplayError, RunFolder, replay};
use cellwright_sta::Calculator;
use clap::Args;

use crate::failure::Failure;
use crate::setup::ready;

/// Exit code for a journal that cannot be read.
const BROKEN: u8 = 14;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The run directory.
    run: PathBuf,
    /// The design, when it is not the copy in the run directory.
    #[arg(long)]
    design: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let folder = RunFolder::open(&arguments.run);
    let design = arguments.design.clone().unwrap_or_else(|| folder.design());
    let ready = ready(&design, Calculator::LumpedElmore)?;
    let outcome = replay(&arguments.run, &ready.loaded.snapshot, &ready.loaded.files, ready.config)
        .map_err(|error| match error {
            ReplayError::Journal(_)
            | ReplayError::Issuer(_)
            | ReplayError::Entry { .. }
            | ReplayError::Interrupted => Failure::with(BROKEN, format!("JOURNAL_BROKEN {error}")),
            other => Failure::input(other),
        })?;
    say!("{outcome}");
    Ok(ExitCode::from(outcome.exit_code()))
}
