//! The published schemas are fresh, and say what the types do.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use cellwright_contract::schema::{published, text, write_schemas};
use std::path::Path;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/schemas"))
}

/// Set `CELLWRIGHT_BLESS=1` to write the files.
#[test]
fn schema_files_are_fresh() {
    if std::env::var_os("CELLWRIGHT_BLESS").is_some() {
        write_schemas(folder()).unwrap();
    }
    let mut files: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.ends_with(".json"))
        .collect();
    files.sort();
    let all = published();
    let mut names: Vec<_> = all.iter().map(|p| format!("{}.json", p.name)).collect();
    names.sort();
    assert_eq!(files, names, "a schema file is missing or left over");
    for p in all {
        let file = std::fs::read_to_string(folder().join(format!("{}.json", p.name))).unwrap();
        assert_eq!(file, text(&p.schema), "{} is stale; run with CELLWRIGHT_BLESS=1", p.name);
    }
}

#[test]
fn what_an_agent_sends_refuses_unknown_fields_at_every_level() {
    fn walk(at: &str, v: &serde_json::Value) {
        match v {
            serde_json::Value::Object(map) => {
                // An object with named fields must close itself; a map type says what it holds.
                if map.contains_key("properties") && map.get("type") == Some(&"object".into()) {
                    assert_eq!(
                        map.get("additionalProperties"),
                        Some(&false.into()),
                        "{at} takes unknown fields"
                    );
                }
                map.iter().for_each(|(k, v)| walk(&format!("{at}/{k}"), v));
            }
            serde_json::Value::Array(list) => list.iter().for_each(|v| walk(at, v)),
            _ => {}
        }
    }
    let sent = [
        "proposal",
        "tool-request",
        "place-request",
        "proposal-request",
        "design-delta",
        "metric-goal",
        "cost-budget",
        "scenario",
        "statement",
        "event",
    ];
    for p in published().iter().filter(|p| sent.contains(&p.name)) {
        walk(p.name, p.schema.as_value());
    }
}

#[test]
fn every_field_is_described() {
    fn walk(at: &str, v: &serde_json::Value) {
        let serde_json::Value::Object(map) = v else {
            return;
        };
        if let Some(serde_json::Value::Object(fields)) = map.get("properties") {
            for (name, field) in fields {
                assert!(
                    field.get("description").is_some() || field.get("$ref").is_some(),
                    "{at}.{name} has no description"
                );
            }
        }
        for key in ["$defs", "oneOf", "anyOf"] {
            match map.get(key) {
                Some(serde_json::Value::Object(m)) => {
                    m.iter().for_each(|(k, v)| walk(&format!("{at}/{k}"), v));
                }
                Some(serde_json::Value::Array(l)) => l.iter().for_each(|v| walk(at, v)),
                _ => {}
            }
        }
    }
    published().iter().for_each(|p| walk(p.name, p.schema.as_value()));
}
