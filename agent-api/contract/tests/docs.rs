//! The pages say what the schemas say, and their examples are what the types take.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use cellwright_contract::certificate::Statement;
use cellwright_contract::delta::DesignDelta;
use cellwright_contract::envelope::Envelope;
use cellwright_contract::proposal::Proposal;
use cellwright_contract::scenario::Scenario;
use cellwright_contract::schema::published;
use cellwright_contract::validate::Validate;
use cellwright_contract::wire::parse;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// A field's type in a few words.
fn kind(field: &Value) -> String {
    if let Some(name) = field["$ref"].as_str() {
        return name.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(value) = field.get("const") {
        return format!("`{}`", value.to_string().trim_matches('"'));
    }
    if let Some(list) = field["anyOf"].as_array().or(field["oneOf"].as_array()) {
        let list: Vec<String> = list.iter().map(kind).collect();
        return list.join(" or ");
    }
    if field["items"].is_object() {
        return format!("list of {}", kind(&field["items"]));
    }
    match &field["type"] {
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let list: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            list.join(" or ")
        }
        _ => "any".to_owned(),
    }
}

fn table(name: &str) -> String {
    let all = published();
    let found = all.iter().find(|p| p.name == name);
    let schema = found.unwrap_or_else(|| panic!("no schema {name}")).schema.as_value();
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut text = String::from("| field | required | type | meaning |\n|---|---|---|---|\n");
    for (field, is) in schema["properties"].as_object().unwrap() {
        let must = if required.contains(&field.as_str()) { "yes" } else { "" };
        let words = is["description"].as_str().unwrap_or_default().replace('\n', " ");
        let row = format!("| `{field}` | {must} | {} | {words} |\n", kind(is));
        text.push_str(&row);
    }
    text
}

/// With `CELLWRIGHT_BLESS=1` the tables are written.
#[test]
fn field_tables_are_those_of_the_schemas() {
    let mut tables = 0;
    for page in ["envelope.md", "invocation.md", "tools.md", "run-directory.md"] {
        let path = docs().join(page);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut fresh = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("<!-- fields: ") {
            let (name, after) = after.split_once(" -->\n").unwrap();
            let (_, after) = after.split_once("<!-- end -->").unwrap();
            fresh += &format!("{before}<!-- fields: {name} -->\n{}<!-- end -->", table(name));
            tables += 1;
            rest = after;
        }
        fresh += rest;
        if std::env::var_os("CELLWRIGHT_BLESS").is_some() {
            std::fs::write(&path, &fresh).unwrap();
        } else {
            assert_eq!(text, fresh, "{page} is stale; run with CELLWRIGHT_BLESS=1");
        }
    }
    assert!(tables >= 10, "only {tables} tables");
}

#[test]
fn examples_are_valid() {
    fn one<T: DeserializeOwned + Serialize + Validate>(name: &str) {
        let path = docs().join("examples").join(name);
        let bytes = std::fs::read(&path).unwrap();
        let value: T = parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        // Nothing of it is left out by the type.
        let whole: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(serde_json::to_value(&value).unwrap(), whole, "{name}");
    }
    one::<Envelope>("envelope.json");
    one::<Proposal>("proposal.json");
    one::<DesignDelta>("design-delta.json");
    one::<Statement>("statement.json");
    one::<Scenario>("scenario.json");
}
