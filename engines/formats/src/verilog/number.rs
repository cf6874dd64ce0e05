//! Constants: `4'b01xz`, `8'hFF`, `1'd1`, `'o7`, `12`.

/// One bit of a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bit {
    Zero,
    One,
    X,
    Z,
}

/// The widest constant.
pub(super) const MAX_WIDTH: u32 = 1 << 16;

/// The bits of a constant with a size, the most significant first; `None` if it is malformed.
pub(super) fn bits(text: &str) -> Option<Vec<Bit>> {
    let (size, rest) = text.split_once('\'')?;
    let size: String = size.chars().filter(|c| c.is_ascii_digit()).collect();
    let width = if size.is_empty() { 32 } else { size.parse::<u32>().ok()? };
    if width == 0 || width > MAX_WIDTH {
        return None;
    }
    let mut digits = rest.trim_start().trim_start_matches(['s', 'S']).chars();
    let base = digits.next()?.to_ascii_lowercase();
    let digits: Vec<char> = digits
        .filter(|c| !c.is_whitespace() && *c != '_')
        .map(|c| c.to_ascii_lowercase())
        .collect();
    if digits.is_empty() {
        return None;
    }
    let width = width as usize;
    // Least significant first until the end.
    let mut out: Vec<Bit> = Vec::with_capacity(width);
    let bits_per_digit = match base {
        'b' => 1,
        'o' => 3,
        'h' => 4,
        'd' => return decimal(&digits, width),
        _ => return None,
    };
    for &digit in digits.iter().rev() {
        let value = match digit {
            'x' => Err(Bit::X),
            'z' | '?' => Err(Bit::Z),
            _ => Ok(digit.to_digit(1 << bits_per_digit)?),
        };
        for i in 0..bits_per_digit {
            if out.len() < width {
                out.push(match value {
                    Ok(v) if v >> i & 1 == 1 => Bit::One,
                    Ok(_) => Bit::Zero,
                    Err(bit) => bit,
                });
            }
        }
    }
    // A leading x or z fills the rest, anything else is filled with zeros (IEEE 1364 3.5.1).
    let fill = match out.last() {
        Some(bit @ (Bit::X | Bit::Z)) => *bit,
        _ => Bit::Zero,
    };
    out.resize(width, fill);
    out.reverse();
    Some(out)
}

fn decimal(digits: &[char], width: usize) -> Option<Vec<Bit>> {
    let fill = match digits {
        ['x'] => Some(Bit::X),
        ['z' | '?'] => Some(Bit::Z),
        _ => None,
    };
    if let Some(bit) = fill {
        return Some(vec![bit; width]);
    }
    let text: String = digits.iter().collect();
    let value = text.parse::<u128>().ok()?;
    let bit = |i: usize| if i < 128 && value >> i & 1 == 1 { Bit::One } else { Bit::Zero };
    Some((0..width).rev().map(bit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        let show = |b: &Bit| match b {
            Bit::Zero => '0',
            Bit::One => '1',
            Bit::X => 'x',
            Bit::Z => 'z',
        };
        bits(text).map(|b| b.iter().map(show).collect())
    }

    #[test]
    fn all_bases_fill_and_truncate() {
        for (text, want) in [
            ("1'b0", Some("0")),
            ("4'b01xz", Some("01xz")),
            ("8'hFF", Some("11111111")),
            ("8'h5", Some("00000101")),
            ("4'hFF", Some("1111")),
            ("6'o17", Some("001111")),
            ("1'd1", Some("1")),
            ("4'd10", Some("1010")),
            ("4'bx", Some("xxxx")),
            ("4'bz1", Some("zzz1")),
            ("4'dz", Some("zzzz")),
            ("1'sh0", Some("0")),
            ("4 'b 1_0", Some("0010")),
            ("3'b2", None),
            ("0'b1", None),
            ("4'", None),
            ("4'q1", None),
            ("99999999999'b1", None),
        ] {
            assert_eq!(shown(text).as_deref(), want, "{text}");
        }
        assert_eq!(bits("'b1").map(|b| b.len()), Some(32));
    }
}
