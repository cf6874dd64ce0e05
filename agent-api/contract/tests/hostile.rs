//! Whatever comes in, the answer is a value or a refusal, never a panic.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use cellwright_contract::certificate::Statement;
use cellwright_contract::envelope::Envelope;
use cellwright_contract::event::Event;
use cellwright_contract::invocation::InvokeResult;
use cellwright_contract::proposal::Proposal;
use cellwright_contract::request::{PlaceParams, ToolCall};
use cellwright_contract::scenario::Scenario;
use cellwright_contract::time::Timestamp;
use cellwright_contract::validate::Validate;
use cellwright_contract::wire::{Limits, WireError, check_json, parse, parse_within};
use proptest::prelude::*;
use serde_json::{Value, json};

fn all(bytes: &[u8]) {
    fn one<T: serde::de::DeserializeOwned + serde::Serialize + Validate + PartialEq>(bytes: &[u8]) {
        if let Ok(value) = parse::<T>(bytes) {
            // What was taken can be written, read again, and is the same.
            let text = serde_json::to_vec(&value).unwrap();
            assert!(parse::<T>(&text).unwrap() == value);
        }
    }
    one::<Proposal>(bytes);
    one::<ToolCall<PlaceParams>>(bytes);
    one::<Statement>(bytes);
    one::<Envelope>(bytes);
    one::<Event>(bytes);
    one::<InvokeResult>(bytes);
    one::<Scenario>(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Scenario::from_toml(text);
        let _ = text.parse::<Timestamp>();
    }
}

/// JSON with the words of the contract, so that it gets past the first door.
fn json_value() -> impl Strategy<Value = Value> {
    let words = vec![
        "id",
        "intent_ref",
        "intent:x",
        "parent_snap",
        "main",
        "expected_delta",
        "moved_cells",
        "cell_id",
        "i:1",
        "from",
        "to",
        "x",
        "y",
        "orient",
        "N",
        "new_nets",
        "swap_pins",
        "a",
        "b",
        "t:1",
        "expected_metrics",
        "hpwl",
        "-5%",
        "schema",
        "design_ref",
        "gcd@n45",
        "budget",
        "effort",
        "quick",
    ];
    let word = proptest::sample::select(words);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map(word.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let base = json!({
        "id": "p", "intent_ref": "intent:x", "parent_snap": "main", "confidence": 0.5,
        "expected_metrics": {"hpwl": "-5%", "area": {"op": "le", "value": 3.0}},
        "expected_delta": {"moved_cells": [{"cell_id": "i:1",
            "from": {"x": 0, "y": 0, "orient": "N"}, "to": {"x": 9, "y": 0, "orient": "FS"}}],
            "new_nets": [{"new_net": {"name": "n"}}]},
    })
    .to_string()
    .into_bytes();
    let n = base.len();
    proptest::collection::vec((0..n, any::<u8>(), 0..3u8), 1..4).prop_map(move |edits| {
        let mut bytes = base.clone();
        for (at, byte, kind) in edits {
            let at = at % bytes.len();
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        bytes
    })
}

proptest! {
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        all(&bytes);
    }

    #[test]
    fn any_json(value in json_value()) {
        all(value.to_string().as_bytes());
    }

    #[test]
    fn a_proposal_with_a_few_bytes_changed(bytes in mutated()) {
        all(&bytes);
    }

    #[test]
    fn moments_round_trip(ms in any::<i64>()) {
        let t = Timestamp::from_unix_ms(ms);
        prop_assert_eq!(t.to_string().parse(), Ok(t));
    }
}

#[test]
fn size_depth_and_doubled_keys() {
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(check_json(deep(64).as_bytes(), Limits::default()).is_ok());
    for n in [65, 127, 128, 1000, 1_000_000] {
        let result = check_json(deep(n).as_bytes(), Limits::default());
        assert!(matches!(result, Err(WireError::Json(_))), "{n}");
    }
    let small = Limits { bytes: 10, ..Default::default() };
    assert!(matches!(
        parse_within::<Value>(b"\"0123456789\"", small),
        Err(WireError::TooLarge { len: 12, max: 10 })
    ));
    for bad in
        [r#"{"a":1,"a":2}"#, r#"[{"b":{"a":1,"\u0061":2}}]"#, "1 2", "", "nul", "1e999", "NaN"]
    {
        assert!(check_json(bad.as_bytes(), Limits::default()).is_err(), "{bad}");
    }
}

#[test]
fn a_flood_of_problems_is_counted_not_listed() {
    let bad = json!({"cell_id": "n:1", "from": {"x": 0, "y": 0, "orient": "N"}, "to": {"x": 0, "y": 0, "orient": "N"}});
    let text = json!({
        "id": "p", "intent_ref": "intent:x", "parent_snap": "main",
        "expected_delta": {"moved_cells": vec![bad; 5000]},
    })
    .to_string();
    match parse::<Proposal>(text.as_bytes()) {
        Err(WireError::Invalid(e)) => {
            assert_eq!((e.problems.len(), e.more), (32, 4968));
            assert_eq!(e.problems[31].path, "expected_delta.moved_cells[31].cell_id");
        }
        other => panic!("{other:?}"),
    }
}
