//! Numbers as Tcl writes them.

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Double(f64),
}

impl Number {
    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::Double(value) => value,
        }
    }
}

/// A decimal, hexadecimal (`0x`), octal (`0o`) or binary (`0b`) integer, or a finite floating-point
/// number, blanks around it allowed.
pub(crate) fn parse_number(text: &str) -> Option<Number> {
    let text = text.trim();
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let radix = match digits.get(..2) {
        Some("0x" | "0X") => Some(16),
        Some("0o" | "0O") => Some(8),
        Some("0b" | "0B") => Some(2),
        _ => None,
    };
    if let Some(radix) = radix {
        let digits = &digits[2..];
        let plain = digits.bytes().all(|b| b.is_ascii_alphanumeric());
        return i64::from_str_radix(digits, radix)
            .ok()
            .filter(|_| plain)
            .map(|value| Number::Int(sign * value));
    }
    if !digits.bytes().next().is_some_and(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    if digits.bytes().all(|b| b.is_ascii_digit())
        && let Ok(value) = text.parse::<i64>()
    {
        return Some(Number::Int(value));
    }
    crate::text::parse_f64(text).map(Number::Double)
}

/// The shortest text that reads back as the same number and as a floating-point one.
pub(crate) fn format_double(value: f64) -> String {
    format!("{value:?}")
}
