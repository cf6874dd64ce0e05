//! A schema does not change without the version bump that its change asks for.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use cellwright_contract::compat::{Change, Schemas, bump, change};
use cellwright_contract::schema::{CONTRACT_VERSION, published};
use semver::Version;
use serde_json::{Value, json};
use std::path::Path;

fn here() -> Schemas {
    published().into_iter().map(|p| (p.name.to_owned(), p.schema.to_value())).collect()
}

/// Every stored version with its schemas, oldest first.
fn stored() -> Vec<(Version, Schemas)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/versions"));
    let mut list: Vec<(Version, Schemas)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let version = path.file_stem().unwrap().to_str().unwrap().parse().unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            (version, serde_json::from_str(&text).unwrap())
        })
        .collect();
    list.sort_by(|a, b| a.0.cmp(&b.0));
    list
}

/// With `CELLWRIGHT_BLESS=1` a version that is not stored yet is written; one that is stored is
/// never written again.
#[test]
fn no_schema_changes_without_its_version_bump() {
    let now: Version = CONTRACT_VERSION.parse().unwrap();
    let path = format!("{}/schemas/versions/{now}.json", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("CELLWRIGHT_BLESS").is_some() && !Path::new(&path).exists() {
        std::fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        std::fs::write(&path, serde_json::to_string(&here()).unwrap() + "\n").unwrap();
    }
    let list = stored();
    let (last, schemas) = list.last().unwrap();
    assert_eq!(
        *last, now,
        "the newest stored version is not this one; CELLWRIGHT_BLESS=1 stores it"
    );
    let (changed, at) = change(schemas, &here());
    assert_eq!(changed, Change::None, "{at}: raise CONTRACT_VERSION, then CELLWRIGHT_BLESS=1");
    for pair in list.windows(2) {
        let [(old, before), (new, after)] = pair else { continue };
        let (needed, at) = change(before, after);
        assert!(
            bump(old, new) >= needed,
            "{old} to {new} is too small a step for {at}: {needed:?}"
        );
    }
    println!("{} versions stored, {} schemas in {now}", list.len(), schemas.len());
}

#[test]
fn each_kind_of_change_asks_for_its_bump() {
    let base = json!({
        "type": "object",
        "description": "words",
        "properties": {
            "a": {"type": "integer", "maximum": 9},
            "b": {"type": "string"},
            "c": {"$ref": "#/$defs/C"},
        },
        "required": ["a"],
        "$defs": {"C": {"oneOf": [{"const": "x", "description": "ex"}, {"const": "y"}]}},
    });
    type Edit<'a> = &'a dyn Fn(&mut Value);
    let edits: [(&str, Change, Edit<'_>); 14] = [
        ("nothing", Change::None, &|_| ()),
        ("words", Change::Patch, &|v| v["description"] = json!("other words")),
        ("words of a value", Change::Patch, &|v| {
            v["$defs"]["C"]["oneOf"][0]["description"] = json!("an ex");
        }),
        ("an optional field", Change::Minor, &|v| v["properties"]["d"] = json!({})),
        ("a value", Change::Minor, &|v| {
            v["$defs"]["C"]["oneOf"].as_array_mut().unwrap().push(json!({"const": "z"}));
        }),
        ("a field gone", Change::Major, &|v| {
            v["properties"].as_object_mut().unwrap().remove("b");
        }),
        ("a field renamed", Change::Major, &|v| {
            let field = v["properties"].as_object_mut().unwrap().remove("b").unwrap();
            v["properties"]["bb"] = field;
        }),
        ("another type", Change::Major, &|v| v["properties"]["b"]["type"] = json!("number")),
        ("a type gone", Change::Major, &|v| {
            v["properties"]["b"].as_object_mut().unwrap().remove("type");
        }),
        ("a limit", Change::Major, &|v| v["properties"]["a"]["maximum"] = json!(8)),
        ("a field required", Change::Major, &|v| v["required"] = json!(["a", "b"])),
        ("a field no longer required", Change::Major, &|v| v["required"] = json!([])),
        ("a value gone", Change::Major, &|v| {
            v["$defs"]["C"]["oneOf"].as_array_mut().unwrap().remove(1);
        }),
        ("closed", Change::Major, &|v| v["additionalProperties"] = json!(false)),
    ];
    let set = |v: &Value| Schemas::from([("s".to_owned(), v.clone())]);
    for (what, wanted, edit) in edits {
        let mut after = base.clone();
        edit(&mut after);
        assert_eq!(change(&set(&base), &set(&after)).0, wanted, "{what}");
    }
    assert_eq!(change(&set(&base), &Schemas::new()).0, Change::Major, "a schema gone");
    assert_eq!(change(&Schemas::new(), &set(&base)).0, Change::Minor, "a schema more");
    let v = |text: &str| text.parse::<Version>().unwrap();
    for (old, new, wanted) in [
        ("0.1.0", "0.2.0", Change::Minor),
        ("0.2.3", "1.0.0", Change::Major),
        ("0.2.0", "0.2.1", Change::Patch),
        ("0.2.0", "0.2.0", Change::None),
        ("0.2.0", "0.1.9", Change::None),
    ] {
        assert_eq!(bump(&v(old), &v(new)), wanted, "{old} to {new}");
    }
}

/// Removes each field of each published schema in turn: every one is noticed as MAJOR.
#[test]
fn every_field_of_every_schema_is_guarded() {
    fn paths(at: String, value: &Value, list: &mut Vec<String>) {
        if let Value::Object(map) = value {
            for (key, inner) in map {
                let place = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                if at.ends_with("/properties") {
                    list.push(place.clone());
                }
                paths(place, inner, list);
            }
        }
    }
    let all = here();
    let mut count = 0;
    for (name, schema) in &all {
        let mut list = Vec::new();
        paths(String::new(), schema, &mut list);
        for path in list {
            let (parent, field) = path.rsplit_once('/').unwrap();
            let mut changed = schema.clone();
            let field = field.replace("~1", "/").replace("~0", "~");
            changed.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(&field);
            let set = |schema: &Value| Schemas::from([(name.clone(), schema.clone())]);
            let found = change(&set(schema), &set(&changed)).0;
            assert_eq!(found, Change::Major, "{name}{path}");
            count += 1;
        }
    }
    println!("{count} fields removed one by one, each noticed");
}
