//! Numbers from text. No function panics; what does not fit or is not a number is `None`.

/// A signed 64-bit integer in decimal with an optional sign; `None` on overflow or anything else.
#[must_use]
pub fn parse_i64(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() {
        return None;
    }
    // Eighteen digits cannot overflow; longer text takes the checked way.
    if digits.len() <= 18 {
        let mut value = 0i64;
        for &b in digits {
            let d = b.wrapping_sub(b'0');
            if d > 9 {
                return None;
            }
            value = value * 10 + i64::from(d);
        }
        return Some(if negative { -value } else { value });
    }
    text.parse().ok()
}

/// As [`parse_i64`], for 32 bits.
#[must_use]
pub fn parse_i32(text: &str) -> Option<i32> {
    parse_i64(text).and_then(|v| i32::try_from(v).ok())
}

/// As [`parse_i64`], for 32 bits without sign.
#[must_use]
pub fn parse_u32(text: &str) -> Option<u32> {
    parse_i64(text).and_then(|v| u32::try_from(v).ok())
}

/// A finite decimal number, correctly rounded to `f64`. `inf`, `nan` and what overflows are `None`.
#[must_use]
pub fn parse_f64(text: &str) -> Option<f64> {
    // The standard parser also takes words such as "inf" and "nan".
    match text.as_bytes() {
        [b'0'..=b'9' | b'.', ..] | [b'+' | b'-', b'0'..=b'9' | b'.', ..] => {
            text.parse::<f64>().ok().filter(|v| v.is_finite())
        }
        _ => None,
    }
}
