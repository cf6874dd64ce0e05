//! Digests against values computed by the PyPI package eval-mock 0.1.0 on the same inputs.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use cellwright_judge::digest::world::{CollectionDiff, Entity, world_diff, world_digest};
use cellwright_judge::digest::{
    InvocationRequest, Reproduction, canonical, canonical_whole, journal_digest, run_digest,
};
use cellwright_judge::journal::JournalEntry;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn entries() -> Vec<Value> {
    vec![
        json!({
            "seq": 1, "arrival_seq": 1, "commit_seq": 1, "turn_id": 1,
            "vt": "2026-01-01T00:00:00Z", "tool": "cw.db",
            "args": {"design_ref": "gcd@nangate45", "wall_hint": 5},
            "result": {"cells": 408, "hpwl": 2692.6, "ids": ["i:18446744073709551615"],
                       "tiny": 5e-324, "neg": -0.0, "big": 1e21},
            "error": null, "fault_injected": false,
            "world_version_before": 0, "world_version_after": 0,
            "wall_start_ns": 1_764_547_200_000_000_001_u64,
            "wall_end_ns": 1_764_547_200_000_000_999_u64,
        }),
        json!({
            "seq": 2, "arrival_seq": 3, "commit_seq": 2, "turn_id": 1,
            "vt": "2026-01-01T00:00:01Z", "tool": "cw.commit",
            "args": {"moves": [{"cell": "i:7", "x": -1520, "y": 9_007_199_254_740_991_u64,
                                "orient": "FS"}],
                     "note": "µ \u{20ac} \u{1d11e} \u{1} \"\\/"},
            "result": null,
            "error": {"code": "ARGS_INVALID",
                      "nested": {"wall_ms": 3, "deep": [{"wall_x": 1, "keep": true}]}},
            "fault_injected": true, "world_version_before": 0, "world_version_after": 1,
            "wall_start_ns": 1_764_547_200_000_001_001_u64,
            "wall_end_ns": 1_764_547_200_000_001_999_u64,
        }),
    ]
}

fn world() -> Vec<Entity> {
    let e = |t: &str, id, data| Entity { entity_type: t.into(), id, data };
    vec![
        e("place.cells", json!("i:10"), json!({"x": 10, "wall_t": 1})),
        e("place.cells", json!("i:9"), json!({"x": 0.1})),
        e("db.nets", json!({"b": 1, "a": 2}), json!([1, null])),
        e("place.cells", json!(3), json!({"name": "\u{e9}"})),
    ]
}

#[test]
fn equal_to_eval_mock() {
    let journal = journal_digest(&entries()).unwrap();
    assert_eq!(
        journal_digest(&[]).unwrap().to_string(),
        "97a89f5f67c6cdeee04e9dfa422e529a3de50fbbd5e5583a38a64d6e7040c5cc"
    );
    assert_eq!(
        journal.to_string(),
        "34a0334bf0b000a9bbf06b808bc4ae5b1ffbb23a4a57c7d6030eb0a8bcb02c6c"
    );
    let w = world_digest(&world()).unwrap();
    assert_eq!(w.to_string(), "64cc0d22a128a99051050b6c33ad4b73e7235a7cf3a9590425e887a4baad6e9a");
    assert_eq!(
        world_digest(&[]).unwrap().to_string(),
        "977c0617e683c447ef8c1adb869f140221e8d44da1308f645917bed86487b88a"
    );
    assert_eq!(
        run_digest(journal, w).to_string(),
        "8c05caf2661e05458e1884f8818bc7a23c9fee616b261eff4c5b5d412ab92635"
    );
    let packs = BTreeMap::from([("lib".to_owned(), "sha256:aa".to_owned())]);
    let scenario = json!({"name": "s", "objectives": ["hpwl"]});
    let repro = Reproduction {
        scenario: &scenario,
        seed: 7,
        engine_version: "0.1.0",
        packs: &packs,
        base_snapshot: None,
    };
    assert_eq!(
        repro.id().unwrap().to_string(),
        "sha256:13515632c42999be4a067fb722d892d0a81216241fa8d0ac205523206b679b1a"
    );
    let request = InvocationRequest {
        capability_id: "cw.evaluate",
        contract_digest: "blake3:00",
        issued_at: "2026-01-01T00:00:00Z",
        deadline: "2026-01-01T00:01:00Z",
        input: &json!({"b": 1.5, "a": []}),
    };
    assert_eq!(
        request.digest().unwrap().to_string(),
        "sha256:6e894b4de454dde73ce7137adc69807f77dff7cc77cf1486bb80e4030c279150"
    );
}

#[test]
fn a_typed_entry_is_hashed_like_its_object() {
    for value in entries() {
        let typed = JournalEntry::from_value(&value).unwrap();
        assert_eq!(typed.canonical().unwrap(), canonical(&value).unwrap());
    }
}

#[test]
fn wall_time_is_not_behaviour_and_everything_else_is() {
    let base = journal_digest(&entries()).unwrap();
    let mut other = entries();
    other[0]["wall_start_ns"] = json!(1);
    other[1]["error"]["nested"]["deep"][0]["wall_x"] = json!("later");
    assert_eq!(journal_digest(&other).unwrap(), base);
    other[1]["error"]["nested"]["deep"][0]["keep"] = json!(false);
    assert_ne!(journal_digest(&other).unwrap(), base);
}

#[test]
fn what_has_no_canonical_form_is_refused() {
    for bad in
        [json!(1_u64 << 53), json!(u64::MAX), json!(-(1_i64 << 53)), json!([{"a": u64::MAX}])]
    {
        assert!(canonical(&bad).is_err(), "{bad}");
        assert!(canonical_whole(&bad).is_err(), "{bad}");
    }
    assert!(canonical(&json!({"wall_ns": u64::MAX})).is_ok());
    assert!(canonical_whole(&json!({"wall_ns": u64::MAX})).is_err());
}

#[test]
fn the_difference_of_two_worlds() {
    let (before, mut after) = (world(), world());
    after.reverse();
    assert_eq!(world_diff(&before, &after).unwrap(), BTreeMap::new());
    assert_eq!(world_digest(&before).unwrap(), world_digest(&after).unwrap());
    after.retain(|e| e.id != json!("i:9"));
    after.push(Entity { entity_type: "db.pins".into(), id: json!(1), data: json!(2) });
    after.iter_mut().filter(|e| e.id == json!(3)).for_each(|e| e.data = json!({"name": "x"}));
    let diff = world_diff(&before, &after).unwrap();
    assert_eq!(diff["db"]["pins"].added, [json!({"id": 1, "data": 2})]);
    assert_eq!(
        diff["place"]["cells"],
        CollectionDiff {
            added: vec![],
            removed: vec![json!({"id": "i:9", "data": {"x": 0.1}})],
            changed: vec![json!({"id": 3, "before": {"name": "\u{e9}"}, "after": {"name": "x"}})],
        }
    );
}

proptest! {
    /// Text and back does not change a digest: what is read is what was hashed.
    #[test]
    fn text_round_trip_keeps_the_canonical_form(x in any::<f64>(), s in any::<String>(), n in -(1_i64 << 53) + 1..1 << 53) {
        prop_assume!(x.is_finite());
        let value = json!({"x": x, "s": s, "n": n, "list": [x, {"k": s}]});
        let text = serde_json::to_string(&value).unwrap();
        let back: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(canonical(&value).unwrap(), canonical(&back).unwrap());
        // Canonical is a fixed point, but for floats that it writes as integers above 2^53.
        if x.abs() < 9e15 {
            let again: Value = serde_json::from_slice(&canonical(&value).unwrap()).unwrap();
            prop_assert_eq!(canonical(&value).unwrap(), canonical(&again).unwrap());
        }
    }
}
