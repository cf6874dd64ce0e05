//! The one way in which a checked text becomes a type: `FromStr`, `Display`, serde and schema.

/// Gives a type with `FromStr` and `Display` its serde and JSON Schema forms as a string.
macro_rules! text_type {
    ($type:ty, $name:literal, $pattern:expr, $doc:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(d)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "pattern": $pattern,
                    "description": $doc,
                })
            }
        }
    };
}
pub(crate) use text_type;

/// At most this much of a refused text is shown back.
const SHOWN: usize = 80;

/// A refused text, shortened for a message.
pub(crate) fn shown(text: &str) -> String {
    if text.len() <= SHOWN {
        return format!("{text:?}");
    }
    let head: String = text.chars().take(SHOWN).collect();
    format!("{head:?}…")
}

/// Reads exactly 64 lower-case hexadecimal digits.
pub(crate) fn hex32(text: &str) -> Option<[u8; 32]> {
    let bytes = text.as_bytes();
    if bytes.len() != 64 {
        return None;
    }
    let mut out = [0; 32];
    for (o, pair) in out.iter_mut().zip(bytes.chunks_exact(2)) {
        *o = (nibble(pair[0])? << 4) | nibble(pair[1])?;
    }
    Some(out)
}

fn nibble(c: u8) -> Option<u8> {
    match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        _ => None,
    }
}

/// Writes bytes as lower-case hexadecimal digits.
pub(crate) fn write_hex(f: &mut std::fmt::Formatter<'_>, bytes: &[u8]) -> std::fmt::Result {
    bytes.iter().try_for_each(|b| write!(f, "{b:02x}"))
}

/// True for a design, branch, intent, scenario or technology name: letters, digits, `_ . - / +`,
/// starting with a letter, digit or `_`.
pub(crate) fn is_plain_name(text: &str) -> bool {
    let ok = |c: char| c.is_ascii_alphanumeric() || "_.-/+".contains(c);
    text.len() <= 256
        && text.chars().next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.chars().all(ok)
}
