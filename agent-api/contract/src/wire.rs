//! How bytes from outside become a checked value.
//!
//! Four steps, the first that fails answers: size · JSON with bounded depth and no key twice ·
//! the type (unknown fields refused where an agent speaks) · [`Validate`]. A key that stands twice
//! is refused because two readers may take different ones, and a signature then covers two meanings.

use crate::limits::{MAX_JSON_BYTES, MAX_JSON_DEPTH};
use crate::validate::{Invalid, Validate};
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor,
};
use std::collections::BTreeSet;
use std::fmt;

/// Bounds for one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes.
    pub bytes: usize,
    /// Deepest nesting.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: MAX_JSON_BYTES, depth: MAX_JSON_DEPTH }
    }
}

/// Why bytes were refused.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The document is longer than the limit.
    #[error("{len} bytes, at most {max} are taken; split the request")]
    TooLarge {
        /// Bytes given.
        len: usize,
        /// Bytes allowed.
        max: usize,
    },
    /// Not JSON, nested too deep, or a key twice in one object. The text names line and column.
    #[error("not acceptable JSON: {0}")]
    Json(serde_json::Error),
    /// JSON, but not this type. The text names line and column.
    #[error("does not match the schema: {0}")]
    Type(serde_json::Error),
    /// The type fits, a rule does not.
    #[error("invalid: {0}")]
    Invalid(#[from] Invalid),
}

/// Reads a value within the default [`Limits`].
///
/// # Errors
/// [`WireError`], the first step that fails.
pub fn parse<T: DeserializeOwned + Validate>(bytes: &[u8]) -> Result<T, WireError> {
    parse_within(bytes, Limits::default())
}

/// Reads a value within given limits.
///
/// # Errors
/// [`WireError`], the first step that fails.
pub fn parse_within<T: DeserializeOwned + Validate>(
    bytes: &[u8],
    limits: Limits,
) -> Result<T, WireError> {
    check_json(bytes, limits)?;
    let value: T = serde_json::from_slice(bytes).map_err(WireError::Type)?;
    value.validate()?;
    Ok(value)
}

/// Checks that bytes are one JSON document within the limits with no key twice in an object.
///
/// # Errors
/// [`WireError::TooLarge`] or [`WireError::Json`].
pub fn check_json(bytes: &[u8], limits: Limits) -> Result<(), WireError> {
    if bytes.len() > limits.bytes {
        return Err(WireError::TooLarge { len: bytes.len(), max: limits.bytes });
    }
    let mut de = serde_json::Deserializer::from_slice(bytes);
    Strict { depth: limits.depth }.deserialize(&mut de).map_err(WireError::Json)?;
    de.end().map_err(WireError::Json)
}

/// Walks a document and keeps nothing of it but the keys of the open objects.
#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
}

impl Strict {
    fn below<E: de::Error>(self) -> Result<Strict, E> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Strict { depth }),
            None => Err(E::custom("nested too deep")),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let below = self.below()?;
        while seq.next_element_seed(below)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let below = self.below()?;
        let mut keys = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if keys.contains(&key) {
                return Err(de::Error::custom(format_args!("key {key:?} stands twice")));
            }
            map.next_value_seed(below)?;
            keys.insert(key);
        }
        Ok(())
    }
}
