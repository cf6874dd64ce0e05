//! Which version bump a change of a schema asks for.
//!
//! The rules are those of the contract text, on JSON Schema: a field that is removed, renamed (which
//! is a removal and an addition), of another type or newly required is MAJOR, as is any limit that
//! changed, because either side may rely on it; a field or an enumerated value that is added is
//! MINOR; words are PATCH.

use semver::Version;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// How far a change goes, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// None.
    None,
    /// Behaviour or words alone.
    Patch,
    /// Compatible additions.
    Minor,
    /// Anything that an agent may break on.
    Major,
}

/// Schemas by name, as one contract version publishes them.
pub type Schemas = BTreeMap<String, Value>;

/// Keys that say nothing about what is accepted.
const WORDS: [&str; 6] = ["$id", "title", "description", "examples", "$comment", "default"];

/// What changed between two sets of schemas, and where: the first place of the greatest change.
#[must_use]
pub fn change(old: &Schemas, new: &Schemas) -> (Change, String) {
    let mut found = Found { change: Change::None, at: String::new() };
    for (name, before) in old {
        match new.get(name) {
            None => found.note(Change::Major, &format!("{name} is gone")),
            Some(after) => schema(name, before, after, &mut found),
        }
    }
    for name in new.keys().filter(|name| !old.contains_key(*name)) {
        found.note(Change::Minor, &format!("{name} is new"));
    }
    (found.change, found.at)
}

/// The bump from one version to a later one. A version that is not later is no bump at all.
#[must_use]
pub fn bump(old: &Version, new: &Version) -> Change {
    if new <= old {
        Change::None
    } else if new.major > old.major {
        Change::Major
    } else if new.minor > old.minor {
        Change::Minor
    } else {
        Change::Patch
    }
}

struct Found {
    change: Change,
    at: String,
}

impl Found {
    fn note(&mut self, change: Change, at: &str) {
        if change > self.change {
            self.change = change;
            at.clone_into(&mut self.at);
        }
    }
}

fn schema(at: &str, old: &Value, new: &Value, found: &mut Found) {
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        if old != new {
            found.note(Change::Major, at);
        }
        return;
    };
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
    keys.sort();
    keys.dedup();
    for key in keys {
        let place = format!("{at}/{key}");
        let pair = (before.get(key), after.get(key));
        match key.as_str() {
            word if WORDS.contains(&word) => {
                if pair.0 != pair.1 && word != "$id" {
                    found.note(Change::Patch, &place);
                }
            }
            "properties" => fields(&place, before, after, found),
            // A definition counts where it is referred to; one that is no longer is no loss.
            "$defs" => {
                let (old, new) = (object(pair.0), object(pair.1));
                for (name, was) in &old {
                    if let Some(is) = new.get(name) {
                        schema(&format!("{place}/{name}"), was, is, found);
                    }
                }
            }
            "required" => {
                let list = |value: Option<&Value>| -> Vec<String> {
                    let names = value.and_then(Value::as_array).into_iter().flatten();
                    names.filter_map(|name| Some(name.as_str()?.to_owned())).collect()
                };
                let (old, new) = (list(pair.0), list(pair.1));
                let differ = old.iter().any(|name| !new.contains(name))
                    || new.iter().any(|name| !old.contains(name));
                if differ {
                    found.note(Change::Major, &place);
                }
            }
            "enum" | "oneOf" | "anyOf" => choices(&place, pair, found),
            "items" | "additionalProperties" => match pair {
                (Some(old), Some(new)) => schema(&place, old, new, found),
                _ => found.note(Change::Major, &place),
            },
            _ => {
                if pair.0 != pair.1 {
                    found.note(Change::Major, &place);
                }
            }
        }
    }
}

fn object(value: Option<&Value>) -> Map<String, Value> {
    value.and_then(Value::as_object).cloned().unwrap_or_default()
}

fn fields(at: &str, before: &Map<String, Value>, after: &Map<String, Value>, found: &mut Found) {
    let (old, new) = (object(before.get("properties")), object(after.get("properties")));
    for (name, was) in &old {
        match new.get(name) {
            None => found.note(Change::Major, &format!("{at}/{name} is gone")),
            Some(is) => schema(&format!("{at}/{name}"), was, is, found),
        }
    }
    for name in new.keys().filter(|name| !old.contains_key(*name)) {
        found.note(Change::Minor, &format!("{at}/{name} is new"));
    }
}

/// Lists of alternatives: an enumeration of plain values may grow.
fn choices(at: &str, pair: (Option<&Value>, Option<&Value>), found: &mut Found) {
    let (Some(Value::Array(old)), Some(Value::Array(new))) = pair else {
        return found.note(Change::Major, at);
    };
    let plain = |value: &Value| bare(value);
    let (was, is): (Vec<_>, Vec<_>) =
        (old.iter().map(plain).collect(), new.iter().map(plain).collect());
    if was.iter().any(|value| !is.contains(value)) {
        return found.note(Change::Major, at);
    }
    let added: Vec<&Value> = is.iter().filter(|value| !was.contains(value)).collect();
    if !added.is_empty() {
        let value = |v: &&Value| !v.is_object() || v.get("const").is_some();
        let change = if added.iter().all(value) { Change::Minor } else { Change::Major };
        return found.note(change, at);
    }
    if old != new {
        found.note(Change::Patch, at);
    }
}

/// A schema without its words, at any depth.
fn bare(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, value)| {
                // A field may have the name of a word; its schema is an object.
                !WORDS.contains(&key.as_str()) || value.is_object()
            });
            Value::Object(kept.map(|(key, value)| (key.clone(), bare(value))).collect())
        }
        Value::Array(list) => Value::Array(list.iter().map(bare).collect()),
        other => other.clone(),
    }
}
