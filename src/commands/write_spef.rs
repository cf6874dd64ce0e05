//! `cellwright write-spef DESIGN --out F.spef`: the parasitics exactly as the timer uses them, so
//! that another timer can check a claim.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use cellwright_db::Design;
use cellwright_formats::spef::write_spef;
use cellwright_judge::timing::Timing;
use cellwright_sta::Calculator;
use clap::Args;
use serde_json::{Value, json};

use crate::answer::{Answer, answered};
use crate::failure::Failure;
use crate::setup::ready;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A design.toml, or the folder that holds one.
    design: PathBuf,
    /// Where the SPEF goes.
    #[arg(long)]
    out: PathBuf,
    /// Corner, by name; the first when not given.
    #[arg(long)]
    corner: Option<String>,
    /// Write what was done as JSON to this file, `-` for standard output.
    #[arg(long, value_name = "OUT", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let answer = Answer::new("cw.write-spef");
    answered(answer, arguments.json.as_deref(), |answer| export(arguments, answer))
}

/// Writes the file; the value names it, the corner and the number of nets.
fn export(arguments: &Arguments, answer: &mut Answer) -> Result<(ExitCode, Value), Failure> {
    let ready = ready(&arguments.design, Calculator::default())?;
    let Some(setup) = &ready.config.timing else {
        return Err(Failure::input("the bundle has no timing: name a corner and an SDC file"));
    };
    let design = Design::new(&ready.loaded.snapshot);
    let names: Vec<&str> =
        ready.loaded.bundle.corner.iter().map(|corner| corner.name.as_str()).collect();
    let corner = match &arguments.corner {
        None => 0,
        Some(name) => names.iter().position(|known| known == name).ok_or_else(|| {
            Failure::input(format!("no corner `{name}`; the bundle has {}", names.join(", ")))
        })?,
    };
    answer.read(&ready.loaded.files);
    for note in &ready.notes {
        answer.warn(note);
    }
    let timing = Timing::full(&design, setup)?;
    let nets = timing.timer().networks(&design, corner);
    if nets.is_empty() {
        return Err(Failure::input(
            "no net has parasitics: the design has neither SPEF nor a wire model and places",
        ));
    }
    fs::write(&arguments.out, write_spef(&design, &nets))?;
    answer.wrote("spef", &arguments.out);
    if arguments.json.as_deref().is_none_or(|out| out.as_os_str() != "-") {
        for note in &ready.notes {
            say!("{note}");
        }
        say!("wrote {} nets to {}", nets.len(), arguments.out.display());
    }
    let value = json!({
        "spef": arguments.out.display().to_string(),
        "corner": names.get(corner),
        "nets": nets.len(),
    });
    Ok((ExitCode::SUCCESS, value))
}
