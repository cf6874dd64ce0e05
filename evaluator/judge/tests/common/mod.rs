//! Values that several tests share.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]
#![allow(dead_code, unreachable_pub, missing_docs)]

use cellwright_contract::certificate::{
    Certificate, PREDICATE_TYPE, STATEMENT_TYPE, Statement, Subject,
};
use cellwright_judge::digest::digest_set;
use cellwright_judge::journal::JournalEntry;
use cellwright_judge::keys::SecretKey;
use serde_json::json;
use std::path::PathBuf;

/// A folder of one test, gone when it ends.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cellwright-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn key(n: u8) -> SecretKey {
    SecretKey::from_seed(&[n; 32])
}

pub fn entry(seq: u64) -> JournalEntry {
    JournalEntry {
        seq,
        arrival_seq: seq + 1,
        commit_seq: seq,
        turn_id: 1 + seq / 10,
        vt: "2026-01-01T00:00:00Z".into(),
        tool: "cw.evaluate".into(),
        args: json!({"proposal": format!("p-{seq}"), "x": seq as f64 / 3.0, "name": "\u{e9}\"\\\n"}),
        result: json!({"hpwl": 1.0 / seq as f64, "wall_ms": seq}),
        error: json!(null),
        fault_injected: seq.is_multiple_of(7),
        world_version_before: seq - 1,
        world_version_after: seq,
        wall_start_ns: 1_764_547_200_000_000_000 + seq,
        wall_end_ns: 1_764_547_200_000_000_001 + seq,
    }
}

pub fn statement() -> Statement {
    let root = "ab".repeat(32);
    let predicate: Certificate = serde_json::from_value(json!({
        "id": "cert-1",
        "proposal_id": "p-1",
        "design_ref": "gcd@nangate45",
        "scenario_ref": format!("scenario:gcd-timing@{root}"),
        "gate_result": {"status": "pass", "gates": [{
            "id": "legality.overlap", "status": "pass", "value": 0.0, "limit": 0.0,
            "maturity": "structured", "evidence": "408 cells, none overlap",
        }]},
        "pareto_position": {
            "objectives": [{"metric": "hpwl", "direction": "minimize"}],
            "front": 0, "dominated_by": [], "crowding": null,
            "hypervolume_contribution": 1.0, "archive_root": root,
        },
        "regret": 0.0,
        "regret_detail": {"scalar": 0.0, "hypervolume": 1.0, "best_id": "p-1", "archive_root": root},
        "signed_by": "Evaluation/v0.1.0",
        "signed_at": "2026-01-01T00:00:00.000Z",
        "metrics": [{"metric": "hpwl", "unit": "um", "before": 2700.5, "after": 2692.6}],
        "engines": [{"name": "cw.measure", "version": "0.1.0", "maturity": "structured"}],
        "inputs": [],
        "journal": {"digest": format!("sha256:{root}"), "seq": 3},
        "archive_root": root,
        "kill_rates": [{"gate": "legality", "mutants": 12, "killed": 12}],
        "not_proven": ["routability"],
        "parent_certificate": null,
    }))
    .unwrap();
    let subject = |name: &str| Subject { name: name.into(), digest: digest_set(name.as_bytes()) };
    Statement {
        kind: STATEMENT_TYPE.into(),
        subject: vec![subject("parent"), subject("child"), subject("delta")],
        predicate_type: PREDICATE_TYPE.into(),
        predicate,
    }
}
