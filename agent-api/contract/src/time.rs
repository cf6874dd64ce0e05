//! A moment in UTC, written as RFC 3339 with milliseconds.

use crate::text::{shown, text_type};
use std::fmt;
use std::str::FromStr;

/// A moment: milliseconds since 1970-01-01T00:00:00Z, written `2026-05-17T09:30:00.000Z`.
///
/// Years 0001 to 9999. Leap seconds are not represented (RFC 3339 lets a clock smear them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// 0001-01-01T00:00:00.000Z.
const MIN_MS: i64 = -62_135_596_800_000;
/// 9999-12-31T23:59:59.999Z.
const MAX_MS: i64 = 253_402_300_799_999;

/// A text that is not a moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a UTC time such as 2026-05-17T09:30:00Z or 2026-05-17T09:30:00.125Z")]
pub struct TimeError(String);

impl Timestamp {
    /// A moment from milliseconds since 1970, clamped to the years 0001 to 9999.
    #[must_use]
    pub fn from_unix_ms(ms: i64) -> Self {
        Timestamp(ms.clamp(MIN_MS, MAX_MS))
    }

    /// The moment of a system clock reading.
    #[must_use]
    pub fn from_system(time: std::time::SystemTime) -> Self {
        let ms = match time.duration_since(std::time::UNIX_EPOCH) {
            Ok(d) => i64::try_from(d.as_millis()).unwrap_or(MAX_MS),
            Err(e) => i64::try_from(e.duration().as_millis()).map_or(MIN_MS, |ms| -ms),
        };
        Timestamp::from_unix_ms(ms)
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn unix_ms(self) -> i64 {
        self.0
    }
}

/// Days since 1970 of a date of the proleptic Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Counting years from March puts the leap day last, so that month lengths follow one formula.
    let y = if month <= 2 { year - 1 } else { year };
    let m = (month + 9) % 12;
    let leap = y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400);
    365 * y + leap + (153 * m + 2) / 5 + day - 1 - 719_468
}

/// Date of days since 1970, by search in the inverse; exact for years 0001 to 9999.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let mut year = 1969 + (days * 400).div_euclid(146_097);
    while days_from_civil(year + 1, 1, 1) <= days {
        year += 1;
    }
    let mut month = 1;
    while month < 12 && days_from_civil(year, month + 1, 1) <= days {
        month += 1;
    }
    (year, month, days - days_from_civil(year, month, 1) + 1)
}

fn month_len(year: i64, month: i64) -> i64 {
    if month == 12 {
        return 31;
    }
    days_from_civil(year, month + 1, 1) - days_from_civil(year, month, 1)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, ms) = (self.0.div_euclid(86_400_000), self.0.rem_euclid(86_400_000));
        let (y, mo, d) = civil_from_days(days);
        let (s, ms) = (ms / 1000, ms % 1000);
        let (h, mi, s) = (s / 3600, s / 60 % 60, s % 60);
        write!(f, "{y:04}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}.{ms:03}Z")
    }
}

impl FromStr for Timestamp {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        parse(text).ok_or_else(|| TimeError(shown(text)))
    }
}

fn parse(text: &str) -> Option<Timestamp> {
    let b = text.as_bytes();
    let num = |from: usize, len: usize| -> Option<i64> {
        let part = b.get(from..from + len)?;
        part.iter().all(u8::is_ascii_digit).then_some(())?;
        std::str::from_utf8(part).ok()?.parse().ok()
    };
    let shape = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if shape.iter().any(|&(i, c)| b.get(i) != Some(&c)) || b.last() != Some(&b'Z') {
        return None;
    }
    let (y, mo, d) = (num(0, 4)?, num(5, 2)?, num(8, 2)?);
    let (h, mi, s) = (num(11, 2)?, num(14, 2)?, num(17, 2)?);
    let ms = match b.len() {
        20 => 0,
        24 if b.get(19) == Some(&b'.') => num(20, 3)?,
        _ => return None,
    };
    let ok = (1..=9999).contains(&y)
        && (1..=12).contains(&mo)
        && (1..=month_len(y, mo)).contains(&d)
        && h < 24
        && mi < 60
        && s < 60;
    ok.then(|| Timestamp((days_from_civil(y, mo, d) * 86_400 + h * 3600 + mi * 60 + s) * 1000 + ms))
}

text_type!(
    Timestamp,
    "Timestamp",
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?Z$",
    "A moment in UTC, RFC 3339, such as 2026-05-17T09:30:00.000Z."
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (MIN_MS, "0001-01-01T00:00:00.000Z"),
            (MAX_MS, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp(ms).to_string(), text);
            assert_eq!(text.parse(), Ok(Timestamp(ms)));
        }
        for bad in [
            "2023-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00+00:00",
            "2026-01-01T00:00:00.1Z",
        ] {
            assert!(bad.parse::<Timestamp>().is_err(), "{bad}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_round_trips() {
        for day in days_from_civil(1900, 1, 1)..days_from_civil(2300, 1, 1) {
            let (y, m, d) = civil_from_days(day);
            assert_eq!(days_from_civil(y, m, d), day);
        }
    }
}
