//! Units as Liberty writes them: `1ns`, `"100 ps"`, `(1,ff)`, `(1.0, "pF")`, `1kohm`.

/// A quantity that Liberty has a unit for, with the power of ten of our unit in SI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    /// Seconds; ours is ns.
    Time,
    /// Farads; ours is pF.
    Capacitance,
    /// Ohms; ours is kΩ.
    Resistance,
    /// Volts; ours is V.
    Voltage,
    /// Amperes; ours is mA.
    Current,
    /// Watts; ours is mW.
    Power,
}

/// What one unit of the file is in ours, or nothing if the text is no unit of the quantity.
pub(super) fn parse_unit(text: &str, quantity: Quantity) -> Option<f64> {
    let (base, ours) = match quantity {
        Quantity::Time => ("s", -9),
        Quantity::Capacitance => ("f", -12),
        Quantity::Resistance => ("ohm", 3),
        Quantity::Voltage => ("v", 0),
        Quantity::Current => ("a", -3),
        Quantity::Power => ("w", -3),
    };
    let compact: String = text.chars().filter(|c| !c.is_whitespace() && *c != '"').collect();
    let split = number_len(compact.as_bytes());
    let (number, unit) = (compact.get(..split)?, compact.get(split..)?);
    let number = if number.is_empty() { 1.0 } else { number.parse::<f64>().ok()? };
    let lower = unit.to_ascii_lowercase();
    // "1ohms" and "1fF" carry their base; "capacitive_load_unit (1, f)" is femtofarad's prefix only
    // in files that nobody writes, so a bare "f" is farad.
    let prefix = lower.strip_suffix(base).or_else(|| lower.strip_suffix("ohms"))?;
    let mega = unit.starts_with('M') && quantity == Quantity::Resistance;
    let exponent = match prefix {
        "" => 0,
        "f" => -15,
        "p" => -12,
        "n" => -9,
        "u" => -6,
        "m" if mega => 6,
        "m" => -3,
        "k" => 3,
        "meg" => 6,
        "g" => 9,
        _ => return None,
    } - ours;
    // Powers of ten up to 22 are exact, so one rounding is left.
    let power = 10f64.powi(i32::abs(exponent));
    let scale = if exponent < 0 { number / power } else { number * power };
    (scale.is_finite() && scale > 0.0).then_some(scale)
}

/// Length of the decimal number at the start.
fn number_len(bytes: &[u8]) -> usize {
    let digits = |from: usize| {
        bytes.get(from..).map_or(0, |b| b.iter().take_while(|c| c.is_ascii_digit()).count())
    };
    let mut len = digits(0);
    if bytes.get(len) == Some(&b'.') {
        len += 1 + digits(len + 1);
    }
    if len > 0 && matches!(bytes.get(len), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(len + 1), Some(b'+' | b'-')));
        let exponent = digits(len + 1 + sign);
        if exponent > 0 {
            len += 1 + sign + exponent;
        }
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings() {
        for (text, quantity, want) in [
            ("1ns", Quantity::Time, 1.0),
            ("1ps", Quantity::Time, 0.001),
            ("10ps", Quantity::Time, 0.01),
            ("\"100 ps\"", Quantity::Time, 0.1),
            ("1us", Quantity::Time, 1000.0),
            ("1s", Quantity::Time, 1e9),
            ("1pf", Quantity::Capacitance, 1.0),
            ("1ff", Quantity::Capacitance, 0.001),
            ("1fF", Quantity::Capacitance, 0.001),
            ("1.0000000000pf", Quantity::Capacitance, 1.0),
            ("1e3ff", Quantity::Capacitance, 1.0),
            ("1kohm", Quantity::Resistance, 1.0),
            ("1ohm", Quantity::Resistance, 0.001),
            ("1Mohm", Quantity::Resistance, 1000.0),
            ("100ohm", Quantity::Resistance, 0.1),
            ("1V", Quantity::Voltage, 1.0),
            ("1mV", Quantity::Voltage, 0.001),
            ("1v", Quantity::Voltage, 1.0),
            ("1uA", Quantity::Current, 0.001),
            ("1mA", Quantity::Current, 1.0),
            ("1nW", Quantity::Power, 1e-6),
            ("1pW", Quantity::Power, 1e-9),
            ("1mW", Quantity::Power, 1.0),
        ] {
            assert_eq!(parse_unit(text, quantity), Some(want), "{text}");
        }
        for text in ["", "1", "1xs", "ns1", "0ns", "1kg", "-1ns", "1é"] {
            assert_eq!(parse_unit(text, Quantity::Time), None, "{text}");
        }
    }
}
