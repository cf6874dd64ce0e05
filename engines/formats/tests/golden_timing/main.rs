//! Timing against golden reports: every endpoint's slack, the worst paths, pins, totals.
//!
//! All 35 cases of the corpus, each with both calculators. The quick ones run always, all with
//! `CELLWRIGHT_ALL=1`; `CELLWRIGHT_CASES=a,b` chooses, `CELLWRIGHT_DETAIL=1` prints the largest
//! differences. The table of agreement comes from
//! `CELLWRIGHT_ALL=1 cargo test -p cellwright-formats --test golden_timing -- --nocapture`.
//!
//! A number agrees within 0.5 ps or 0.1 % of the path's arrival, whichever is more. What does not
//! agree stands in [`cases::OPEN`] with its reason; an entry there that has become good fails too.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod cases;
mod compare;
mod golden;
mod script;

use std::path::{Path, PathBuf};

use cellwright_sta::Calculator;

fn corpus() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("CELLWRIGHT_CORPUS").map_or(here, PathBuf::from);
    if folder.join("timing").is_dir() {
        return Some(folder.join("timing"));
    }
    println!("skipped: corpus not found at {}", folder.display());
    None
}

fn run(calculator: Calculator) {
    let Some(folder) = corpus() else { return };
    let set = |name: &str| std::env::var(name).is_ok_and(|value| !value.is_empty());
    let (all, detail) = (set("CELLWRIGHT_ALL"), set("CELLWRIGHT_DETAIL"));
    let chosen = std::env::var("CELLWRIGHT_CASES").ok();
    let mut wrong = Vec::new();
    let mut left = Vec::new();
    println!("{}", compare::HEAD);
    for case in cases::CASES {
        let runs = match &chosen {
            Some(list) => list.split(',').any(|name| name == case.name),
            None => all || case.quick,
        };
        if !runs {
            left.push(case.name);
            continue;
        }
        if cases::NO_REPORT.contains(&(case.name, calculator)) {
            assert!(!folder.join(case.name).join(compare::reports(calculator)).exists());
            println!("{}: no golden report with {calculator:?}", case.name);
            continue;
        }
        let row = compare::run(&folder.join(case.name), case.name, calculator, detail);
        let open = cases::open(case.name, calculator);
        let differs = row.differs();
        println!("{row}{}", open.map_or(String::new(), |open| format!(" [open: {}]", open.why)));
        let listed = open.map_or(&[][..], |open| open.differs);
        if differs != listed {
            wrong.push(format!("{}: differs in {differs:?}, open are {listed:?}", case.name));
        }
    }
    if !left.is_empty() {
        println!("not run (CELLWRIGHT_ALL=1 runs all): {}", left.join(", "));
    }
    assert!(wrong.is_empty(), "{calculator:?}\n{}", wrong.join("\n"));
}

#[test]
fn lumped() {
    run(Calculator::Lumped);
}

#[test]
fn effective_capacitance() {
    run(Calculator::DmpCeffElmore);
}

/// Every folder of the corpus is a case here, so that none is left out in silence.
#[test]
fn all_cases_are_listed() {
    let Some(folder) = corpus() else { return };
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("golden").is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    found.sort();
    let mut listed: Vec<&str> = cases::CASES.iter().map(|case| case.name).collect();
    listed.sort_unstable();
    assert_eq!(found, listed);
}
