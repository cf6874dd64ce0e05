//! Numbers that survive JSON: integers inside ±(2^53−1), floats that are finite.
//!
//! JSON has no NaN and no infinity, and RFC 8785 readers hold numbers as binary64. A larger
//! integer would lose digits silently, so it is refused; larger ids travel as text.
//!
//! The types here carry no value. They stand in `#[serde(with = "…")]`, where serde takes their
//! functions and schemars their schema.

use crate::limits::MAX_SAFE_INTEGER;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use std::borrow::Cow;

/// True when `v` is inside ±(2^53−1).
#[must_use]
pub fn is_safe(v: i64) -> bool {
    (-MAX_SAFE_INTEGER..=MAX_SAFE_INTEGER).contains(&v)
}

/// Why a number is refused, if it is.
trait Bounded: Copy {
    fn fault(self) -> Option<String>;
}

impl Bounded for i64 {
    fn fault(self) -> Option<String> {
        (!is_safe(self)).then(|| format!("integer {self} is outside ±(2^53−1)"))
    }
}

impl Bounded for u64 {
    fn fault(self) -> Option<String> {
        (self > MAX_SAFE_INTEGER as u64).then(|| format!("integer {self} is above 2^53−1"))
    }
}

impl Bounded for f64 {
    fn fault(self) -> Option<String> {
        // TOML can say nan and inf, and serde_json would write them as null.
        (!self.is_finite()).then(|| format!("{self} is not a finite number"))
    }
}

macro_rules! bounded {
    ($name:ident, $type:ty, $numbers:expr, $doc:literal, $schema:tt) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy)]
        pub struct $name;

        impl $name {
            /// Reads the number.
            ///
            /// # Errors
            /// When it is of another type or outside the range.
            pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<$type, D::Error> {
                let v = <$type>::deserialize(d)?;
                match $numbers(v).and_then(Bounded::fault) {
                    None => Ok(v),
                    Some(why) => Err(de::Error::custom(why)),
                }
            }

            /// Writes the number.
            ///
            /// # Errors
            /// When it is outside the range.
            pub fn serialize<S: Serializer>(v: &$type, s: S) -> Result<S::Ok, S::Error> {
                match $numbers(*v).and_then(Bounded::fault) {
                    None => v.serialize(s),
                    Some(why) => Err(ser::Error::custom(why)),
                }
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

bounded!(Int53, i64, Some, "An integer inside ±(2^53−1).", {
    "type": "integer",
    "minimum": -MAX_SAFE_INTEGER,
    "maximum": MAX_SAFE_INTEGER,
});
bounded!(Uint53, u64, Some, "An integer from 0 to 2^53−1.", {
    "type": "integer",
    "minimum": 0,
    "maximum": MAX_SAFE_INTEGER,
});
bounded!(Uint53Opt, Option<u64>, std::convert::identity, "Null or an integer from 0 to 2^53−1.", {
    "type": ["integer", "null"],
    "minimum": 0,
    "maximum": MAX_SAFE_INTEGER,
});
bounded!(Finite, f64, Some, "A finite number.", {"type": "number"});
bounded!(FiniteOpt, Option<f64>, std::convert::identity, "Null or a finite number.", {
    "type": ["number", "null"],
});
