//! The command `cellwright`: wiring only, one file per subcommand. The only place that prints.

#![allow(clippy::print_stdout, clippy::print_stderr)]

/// `println!` that does not panic when nobody reads any more (a closed pipe, a full disk): the exit
/// code still says what came out.
macro_rules! say {
    () => { $crate::write_out(format_args!("\n")) };
    ($($arg:tt)*) => { $crate::write_out(format_args!("{}\n", format_args!($($arg)*))) };
}
/// [`say`] without the line end.
macro_rules! put {
    ($($arg:tt)*) => { $crate::write_out(format_args!($($arg)*)) };
}

mod answer;
mod commands;
mod events;
mod flat_macros;
mod foreign;
mod macro_case;
mod picture;
mod progress;
mod table;

use cellwright::{failure, keys, setup};

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// An agent optimisation loop with native placement and timing engines.
#[derive(Debug, Parser)]
#[command(name = "cellwright", version, propagate_version = true)]
struct Arguments {
    /// Write events as they happen to this file, a JSON object a line; `-` for standard error.
    #[arg(long, global = true, value_name = "FILE")]
    events: Option<std::path::PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build a design of our own, place it, let agents work on it, and leave a checkable run.
    Demo(commands::demo::Arguments),
    /// Run agents on a design and leave a checkable run directory.
    Run(commands::run::Arguments),
    /// Serve runs to agents that speak the Model Context Protocol.
    Mcp(commands::mcp::Arguments),
    /// Check a certificate offline: signature, schema, inputs, physics, chain.
    Verify(commands::verify::Arguments),
    /// Replay a run directory and say whether the same comes out.
    Replay(commands::replay::Arguments),
    /// Read a design and say what it holds and what is wrong with it.
    Check(commands::check::Arguments),
    /// Place a design and write the DEF.
    Place(commands::place::Arguments),
    /// Time a design and report endpoints and paths.
    Sta(Box<commands::sta::Arguments>),
    /// The exact proxy cost of a macro placement.
    Proxy(commands::proxy::Arguments),
    /// Convert macro placement cases between Circuit Training, Bookshelf and LEF/DEF.
    Convert(commands::convert::Arguments),
    /// Place macros: legal, of low proxy cost.
    PlaceMacros(Box<commands::place_macros::Arguments>),
    /// Say what a run changed, or how the worlds of two runs differ.
    Diff(commands::diff::Arguments),
    /// Make, show and trust keys.
    Key(commands::key::Arguments),
    /// List every rule of the contracts with the test that shows it.
    Conformance(commands::conformance::Arguments),
    /// Write the parasitics that the timer uses as SPEF.
    WriteSpef(commands::write_spef::Arguments),
}

/// Writes to standard output; an error there is nobody's to hear.
fn write_out(text: std::fmt::Arguments<'_>) {
    use std::io::Write;
    let _ = std::io::stdout().lock().write_fmt(text);
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(path) = &arguments.events
        && let Err(failure) = events::stream_to(path)
    {
        eprintln!("cellwright: {failure}");
        return ExitCode::from(failure.code);
    }
    let result = match arguments.command {
        Command::Demo(arguments) => commands::demo::run(&arguments),
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Mcp(arguments) => commands::mcp::run(&arguments),
        Command::Verify(arguments) => commands::verify::run(&arguments),
        Command::Replay(arguments) => commands::replay::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Place(arguments) => commands::place::run(&arguments),
        Command::Sta(arguments) => commands::sta::run(&arguments),
        Command::Proxy(arguments) => commands::proxy::run(&arguments),
        Command::Convert(arguments) => commands::convert::run(&arguments),
        Command::PlaceMacros(arguments) => commands::place_macros::run(&arguments),
        Command::Diff(arguments) => commands::diff::run(&arguments),
        Command::Key(arguments) => commands::key::run(&arguments),
        Command::Conformance(arguments) => commands::conformance::run(&arguments),
        Command::WriteSpef(arguments) => commands::write_spef::run(&arguments),
    };
    match result {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("cellwright: {failure}");
            ExitCode::from(failure.code)
        }
    }
}
