//! Arguments as a model writes them, made what was meant where that is beyond doubt.
//!
//! Numbers and lists written as text are read, names without `name:` are names, what the design
//! itself says (`from`, an orientation that stays) may be left out. Everything else is refused with
//! a message that says what would do.

use cellwright_contract::delta::DesignDelta;
use cellwright_contract::platform::{PlatformError, View};
use cellwright_contract::refs::ObjectRef;
use cellwright_contract::validate::Validate as _;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::reply::{Fail, shorten};

/// Reads arguments into a tool's own type, after mending what the input schema shows was meant.
pub(crate) fn read<T: DeserializeOwned>(
    schema: &JsonObject,
    mut arguments: Map<String, Value>,
) -> Result<T, Fail> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let names: Vec<&str> =
        properties.iter().flat_map(|map| map.keys()).map(String::as_str).collect();
    if let Some(unknown) = arguments.keys().find(|key| !names.contains(&key.as_str())) {
        return Err(Fail::invalid(format!(
            "there is no argument `{}`; this tool takes {}",
            shorten(unknown, 60),
            names.join(", ")
        )));
    }
    // A null is an argument left out.
    arguments.retain(|_, value| !value.is_null());
    for (name, value) in &mut arguments {
        let wanted = properties.and_then(|map| map.get(name)).and_then(|p| p.get("type"));
        if let Some(wanted) = wanted {
            mend(value, wanted);
        }
        let choices = properties.and_then(|map| map.get(name)).and_then(|p| p.get("enum"));
        if let (Some(Value::Array(choices)), Value::String(text)) = (choices, &mut *value) {
            let lower = text.trim().to_ascii_lowercase();
            if choices.iter().any(|choice| choice.as_str() == Some(&lower)) {
                *text = lower;
            } else {
                let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
                return Err(Fail::invalid(format!(
                    "`{name}` is `{}`; choose one of {}",
                    shorten(text, 60),
                    choices.join(", ")
                )));
            }
        }
    }
    for required in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        let name = required.as_str().unwrap_or_default();
        if !arguments.contains_key(name) {
            return Err(Fail::invalid(format!("the argument `{name}` is missing")));
        }
    }
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Fail::invalid(format!("the arguments do not fit: {error}")))
}

/// Reads a number, truth value, list or object that was written as text.
fn mend(value: &mut Value, wanted: &Value) {
    let wants = |kind: &str| match wanted {
        Value::String(one) => one == kind,
        Value::Array(several) => several.iter().any(|one| one == kind),
        _ => false,
    };
    let Value::String(text) = &*value else {
        // One where a list is wanted.
        if wants("array") && !value.is_array() {
            *value = Value::Array(vec![value.take()]);
        }
        return;
    };
    let parsed: Option<Value> = serde_json::from_str(text.trim()).ok();
    let fits = |parsed: &Value| {
        (parsed.is_object() && wants("object"))
            || (parsed.is_array() && wants("array"))
            || (parsed.is_boolean() && wants("boolean"))
            || (parsed.is_number() && (wants("number") || wants("integer")))
    };
    match parsed {
        Some(parsed) if fits(&parsed) => *value = parsed,
        _ if wants("array") && !wants("string") => *value = Value::Array(vec![value.take()]),
        _ => {}
    }
}

/// An object as a model names it: by id, or by name with or without `name:`.
pub(crate) fn object(text: &str) -> Result<ObjectRef, Fail> {
    let text = text.trim();
    if let Ok(reference) = text.parse() {
        return Ok(reference);
    }
    ObjectRef::named(text).map_err(|error| Fail::invalid(error.to_string()))
}

/// A change, with what the design itself says filled in.
///
/// # Errors
/// [`PlatformError`] with the place of each problem.
pub(crate) fn delta(view: &dyn View, written: &Value) -> Result<DesignDelta, PlatformError> {
    let mut written = written.clone();
    let invalid = |text: String| PlatformError::Invalid(text);
    let Some(parts) = written.as_object_mut() else {
        return Err(invalid(
            "a change is an object such as {\"moved_cells\": [...]}, or a handle such as d-1"
                .to_owned(),
        ));
    };
    // A whole proposal is taken for its change.
    if let Some(inner) = parts.remove("expected_delta") {
        return delta(view, &inner);
    }
    for (list, keys) in [("moved_cells", &["cell_id"][..]), ("resized_cells", &["cell_id"])] {
        for (index, part) in items(parts, list)?.iter_mut().enumerate() {
            let at = format!("{list}[{index}]");
            let Some(part) = part.as_object_mut() else {
                return Err(invalid(format!("{at} is not an object")));
            };
            for other in ["cell", "id", "name", "instance"] {
                if !part.contains_key("cell_id")
                    && let Some(value) = part.remove(other)
                {
                    part.insert("cell_id".to_owned(), value);
                }
            }
            refer(part, keys)?;
            let reference = part.get("cell_id").and_then(Value::as_str).unwrap_or_default();
            let Ok(reference) = reference.parse::<ObjectRef>() else {
                return Err(invalid(format!("{at}.cell_id is missing or no name")));
            };
            let there = view.cell(&reference).map_err(|error| match error {
                PlatformError::NotFound(text) => PlatformError::NotFound(format!("{at}: {text}")),
                other => other,
            })?;
            if list == "resized_cells" {
                if let Some(master) = part.remove("master") {
                    part.entry("to_master").or_insert(master);
                }
                part.entry("from_master").or_insert_with(|| there.master.clone().into());
                continue;
            }
            let Some(position) = there.position else {
                return Err(invalid(format!(
                    "{at}: {reference} has no place yet; place the design with cw.place first"
                )));
            };
            let place = serde_json::to_value(position)
                .map_err(|error| PlatformError::Internal(error.to_string()))?;
            if !part.contains_key("to") {
                // x, y and orient beside cell_id.
                let mut to = Map::new();
                for key in ["x", "y", "orient"] {
                    if let Some(value) = part.remove(key) {
                        to.insert(key.to_owned(), value);
                    }
                }
                part.insert("to".to_owned(), Value::Object(to));
            }
            if let (Some(to), Some(place)) =
                (part.get_mut("to").and_then(Value::as_object_mut), place.as_object())
            {
                for (key, value) in place {
                    to.entry(key.clone()).or_insert_with(|| value.clone());
                }
            }
            part.entry("from").or_insert(place);
        }
    }
    for (index, part) in items(parts, "new_nets")?.iter_mut().enumerate() {
        let Some((_, inner)) = part.as_object_mut().and_then(|part| part.iter_mut().next()) else {
            return Err(invalid(format!(
                "new_nets[{index}] is not an object such as {{\"insert_buffer\": {{...}}}}"
            )));
        };
        let Some(inner) = inner.as_object_mut() else { continue };
        refer(inner, &["net", "cell_id", "a", "b", "pin"])?;
        if let Some(sinks) = inner.get_mut("sinks").and_then(Value::as_array_mut) {
            for sink in sinks {
                named(sink)?;
            }
        }
        if let Some(at) = inner.get_mut("at").and_then(Value::as_object_mut) {
            at.entry("orient").or_insert("N".into());
        }
    }
    let change: DesignDelta = serde_json::from_value(written)
        .map_err(|error| invalid(format!("the change does not fit: {error}")))?;
    change.validate().map_err(|error| invalid(error.to_string()))?;
    Ok(change)
}

fn items<'a>(
    parts: &'a mut Map<String, Value>,
    list: &str,
) -> Result<&'a mut Vec<Value>, PlatformError> {
    let value = parts.entry(list).or_insert_with(|| Value::Array(Vec::new()));
    if value.is_null() {
        *value = Value::Array(Vec::new());
    }
    if value.is_object() {
        *value = Value::Array(vec![value.take()]);
    }
    value.as_array_mut().ok_or_else(|| PlatformError::Invalid(format!("`{list}` is not a list")))
}

fn refer(part: &mut Map<String, Value>, keys: &[&str]) -> Result<(), PlatformError> {
    for key in keys {
        if let Some(value) = part.get_mut(*key) {
            named(value)?;
        }
    }
    Ok(())
}

fn named(value: &mut Value) -> Result<(), PlatformError> {
    let text = match &*value {
        Value::String(text) => text.clone(),
        other => {
            return Err(PlatformError::Invalid(format!(
                "{other} is no object; write an id such as \"i:42\" or a name"
            )));
        }
    };
    let reference = object(&text).map_err(|fail| PlatformError::Invalid(fail.message))?;
    *value = reference.to_string().into();
    Ok(())
}
