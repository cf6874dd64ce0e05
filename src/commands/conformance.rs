//! `cellwright conformance`: each rule of the contracts and the test that shows it, and what none
//! shows yet. Exit code 1 while there is any of the latter.

use std::process::ExitCode;

use cellwright::conformance::{OPEN, RULES, TEXTS};
use clap::Args;
use serde_json::json;

use crate::failure::Failure;
use crate::table::table;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only rules whose id begins so, such as `loom`.
    prefix: Option<String>,
    /// The list as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let prefix = arguments.prefix.as_deref().unwrap_or_default();
    let rules: Vec<_> = RULES.iter().filter(|rule| rule.id.starts_with(prefix)).collect();
    let open: Vec<_> = OPEN.iter().filter(|rule| rule.id.starts_with(prefix)).collect();
    if rules.is_empty() {
        let texts: Vec<_> = TEXTS.iter().map(|(prefix, _)| *prefix).collect();
        return Err(Failure::input(format!(
            "no rule begins with `{prefix}`; choose one of {}",
            texts.join(", ")
        )));
    }
    let code = ExitCode::from(u8::from(!open.is_empty()));
    if arguments.json {
        let shown =
            rules.iter().map(|rule| json!({"id": rule.id, "rule": rule.says, "test": rule.test}));
        let missing = open
            .iter()
            .map(|rule| json!({"id": rule.id, "rule": rule.says, "missing": rule.missing}));
        let list: Vec<_> = shown.chain(missing).collect();
        say!("{}", serde_json::to_string_pretty(&list)?);
        return Ok(code);
    }
    let rows: Vec<Vec<String>> = rules
        .iter()
        .map(|rule| vec![rule.id.to_owned(), rule.says.to_owned(), rule.test.to_owned()])
        .collect();
    put!("{}", table(&["id", "rule", "shown by"], &[false, false, false], &rows));
    for (prefix, text) in TEXTS {
        let count = rules.iter().filter(|rule| rule.id.starts_with(prefix)).count();
        if count > 0 {
            say!("{count} rules of {text}");
        }
    }
    for rule in &open {
        say!("not shown: {}: {} ({})", rule.id, rule.says, rule.missing);
    }
    Ok(code)
}
