//! `cellwright verify CERT`: offline, in the order of the contract.

use std::path::PathBuf;
use std::process::ExitCode;

use cellwright_checker::{CheckReport, Outcome, Status};
use cellwright_service::verify::{Request, Step, code, verify};
use clap::Args;

use crate::failure::Failure;
use crate::keys;
use crate::table::{number, table};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The certificate: a DSSE envelope in a run directory.
    certificate: PathBuf,
    /// Public keys to trust besides the user's own.
    #[arg(long)]
    trust: Vec<PathBuf>,
    /// Run directory, when the certificate does not lie in one.
    #[arg(long)]
    run: Option<PathBuf>,
    /// The design, when it is not the copy in the run directory.
    #[arg(long)]
    design: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let request = Request {
        certificate: &arguments.certificate,
        trust: keys::trusted(&arguments.trust)?,
        run: arguments.run.clone(),
        design: arguments.design.clone(),
    };
    let report = verify(&request, &mut |step| match step {
        Step::Told(text) => say!("{text}"),
        Step::Figures(report) => figures(report),
    })?;
    Ok(match report.outcome {
        Outcome::Incomplete => {
            say!("INCOMPLETE nothing disagrees, but not everything was recomputed");
            ExitCode::from(code::INCOMPLETE)
        }
        _ => {
            say!("VERIFIED");
            ExitCode::SUCCESS
        }
    })
}

fn figures(report: &CheckReport) {
    let rows: Vec<Vec<String>> = report
        .items
        .iter()
        .map(|item| {
            let recomputed = item.recomputed.map_or("-".to_owned(), number);
            let status = match item.status {
                Status::Agrees => "agrees",
                Status::Differs => "DIFFERS",
                Status::NotChecked => "not checked",
            };
            vec![item.metric.clone(), number(item.claimed), recomputed, status.to_owned()]
        })
        .collect();
    put!(
        "{}",
        table(&["metric", "certified", "recomputed", ""], &[false, true, true, false], &rows)
    );
}
