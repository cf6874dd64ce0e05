//! The contract's types as plain Python objects, by way of JSON.

use cellwright_contract::validate::Validate;
use cellwright_contract::wire;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fault::{Fault, Outcome};

/// A value as dicts, lists, strings and numbers.
pub(crate) fn to_python<'py, T: Serialize>(
    py: Python<'py>,
    value: &T,
) -> Outcome<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).map_err(|error| Fault::internal(error.to_string()))?;
    text_to_python(py, &text)
}

/// JSON text as dicts, lists, strings and numbers.
pub(crate) fn text_to_python<'py>(py: Python<'py>, text: &str) -> Outcome<Bound<'py, PyAny>> {
    Ok(py.import("json")?.call_method1("loads", (text,))?)
}

/// JSON text of a dict; a string is taken for JSON already.
pub(crate) fn text(value: &Bound<'_, PyAny>) -> Outcome<String> {
    if let Ok(text) = value.extract::<String>() {
        return Ok(text);
    }
    Ok(value.py().import("json")?.call_method1("dumps", (value,))?.extract()?)
}

/// A checked value of the contract from a dict or JSON text.
pub(crate) fn from_python<T: DeserializeOwned + Validate>(value: &Bound<'_, PyAny>) -> Outcome<T> {
    Ok(wire::parse(text(value)?.as_bytes())?)
}
