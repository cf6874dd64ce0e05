//! Status ladder, rings, rates, exit codes, divergence, replay order.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use cellwright_contract::refs::{Digest, Hex32};
use cellwright_judge::journal::manifest::{Manifest, ReplayOutcome};
use cellwright_judge::verdict::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn assertion(id: &str, pass: bool, severity: Severity) -> AssertionResult {
    AssertionResult {
        id: id.into(),
        kind: "gate".into(),
        pass,
        ring: None,
        intermediate: Value::Null,
        journal_refs: vec![],
        weight: 1.0,
        severity,
        error: None,
    }
}

fn run(id: &str, status: RunStatus, held: bool) -> RunRecord {
    RunRecord {
        run_id: id.into(),
        seed: 1,
        status,
        steps: 3,
        final_response: None,
        journal_digest: Hex32([1; 32]),
        world_digest: Hex32([2; 32]),
        world_diff: BTreeMap::new(),
        assertions: vec![assertion("met", held, Severity::Critical)],
    }
}

#[test]
fn the_status_ladder_fails_closed() {
    use RunStatus::*;
    let minor = [assertion("a", false, Severity::Minor)];
    let critical = [assertion("a", false, Severity::Critical)];
    for (exceeded, finished, list, want) in [
        (true, true, &minor, BudgetExceeded),
        (true, false, &critical, BudgetExceeded),
        (false, false, &minor, Invalid),
        (false, false, &critical, Invalid),
        (false, true, &critical, Fail),
        (false, true, &minor, Pass),
    ] {
        assert_eq!(RunStatus::of(exceeded, finished, list), want);
    }
    assert_eq!([Pass, Fail, Invalid, BudgetExceeded].map(RunStatus::exit_code), [0, 1, 2, 3]);
}

#[test]
fn rates_and_exit_codes_of_a_set() {
    use RunStatus::*;
    let set = |s: &[RunStatus]| {
        let runs = s.iter().enumerate().map(|(i, s)| run(&format!("r-{i}"), *s, *s == Pass));
        Verdict::of(Digest::Sha256([0; 32]), runs.collect(), None)
    };
    let v = set(&[Pass, Fail, Pass, Pass]);
    assert_eq!((v.aggregate.n, v.aggregate.pass_rate), (4, 0.75));
    assert_eq!(v.aggregate.per_assertion["met"], 0.75);
    assert_eq!((v.exit_code(1.0), v.exit_code(0.75)), (1, 0));
    assert_eq!(set(&[Pass, Invalid]).exit_code(0.0), 2);
    assert_eq!(set(&[BudgetExceeded; 2]).exit_code(0.0), 3);
    assert_eq!(set(&[BudgetExceeded, Pass]).exit_code(1.0), 1);
    assert_eq!(set(&[]).exit_code(0.0), 2);
    let text = serde_json::to_value(&v).unwrap();
    assert_eq!(text["runs"][0]["status"], "pass");
    assert!(text["aggregate"].get("first_divergence").is_none());
    // A later minor release may add fields.
    let mut more = text.clone();
    more["runs"][0]["later"] = json!(1);
    assert_eq!(serde_json::from_value::<Verdict>(more).unwrap(), v);
}

#[test]
fn the_earliest_ring_wins() {
    let mut e = RingEvidence::default();
    assert_eq!(e.earliest(Ring::FinalState, &[4]), (Ring::NoOp, vec![]));
    e.acted = true;
    assert_eq!(e.earliest(Ring::FinalState, &[4]), (Ring::FinalState, vec![4]));
    e.args_invalid = (1..=20).collect();
    assert_eq!(e.earliest(Ring::Collateral, &[4]), (Ring::ArgsValid, (1..=10).collect()));
    e.not_enabled = vec![7];
    assert_eq!(e.earliest(Ring::OrderValid, &[4]), (Ring::ToolEnabled, vec![7]));
    assert_eq!(serde_json::to_value(Ring::NoOp).unwrap(), "no-op/abandoned");
}

#[test]
fn first_divergence_is_the_first_difference_or_the_shorter_end() {
    let j = |id: &str, e: &[&str]| {
        (id.to_owned(), e.iter().map(|s| s.as_bytes().to_vec()).collect::<Vec<_>>())
    };
    let at = |run: &str, seq| Some(Divergence { run: run.into(), seq });
    let a = j("a", &["1", "2", "3"]);
    assert_eq!(first_divergence(&[]), None);
    assert_eq!(first_divergence(&[a.clone(), a.clone()]), None);
    assert_eq!(first_divergence(&[a.clone(), j("b", &["1", "x", "y"])]), at("b", 2));
    assert_eq!(first_divergence(&[a.clone(), a.clone(), j("c", &["1", "2"])]), at("c", 3));
    assert_eq!(first_divergence(&[a, j("d", &["1", "2", "3", "4"])]), at("d", 4));
}

#[test]
fn replay_is_refused_in_order() {
    let digest = |n| Digest::Sha256([n; 32]);
    let m = Manifest {
        schema_version: "1.0".into(),
        repro_id: digest(1),
        engine_version: "0.1.0".into(),
        scenario_sha: digest(2),
        seed: 1,
        packs: BTreeMap::from([("lib".into(), "a".into())]),
        base_snapshot: Some("snap".into()),
        determinism: "strict".into(),
    };
    assert_eq!(m.mismatch(&m), None);
    let mut here = m.clone();
    here.base_snapshot = None;
    let packs = vec!["base_snapshot".to_owned()];
    assert_eq!(m.mismatch(&here), Some(ReplayOutcome::PackChanged { packs }));
    here.packs.insert("lef".into(), "b".into());
    here.packs.remove("lib");
    let packs = ["lef", "lib", "base_snapshot"].map(str::to_owned).to_vec();
    assert_eq!(m.mismatch(&here), Some(ReplayOutcome::PackChanged { packs }));
    here.engine_version = "0.2.0".into();
    assert_eq!(m.mismatch(&here), Some(ReplayOutcome::EngineMismatch));
    here.scenario_sha = digest(3);
    assert_eq!(m.mismatch(&here), Some(ReplayOutcome::ScenarioChanged));
    let d = ReplayOutcome::TrajectoryDiverged { run: "r-001".into(), seq: 4 };
    assert_eq!(d.to_string(), "TRAJECTORY_DIVERGED run r-001 seq 4");
    assert_eq!(serde_json::to_value(&d).unwrap()["outcome"], "TRAJECTORY_DIVERGED");
}
