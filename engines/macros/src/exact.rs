//! Exact signs of sums of doubles.

use std::cmp::Ordering;

/// The sign of a sum of doubles, exactly: the sum is held as an expansion of parts that do not
/// overlap (Shewchuk, "Adaptive precision floating-point arithmetic", 1997, grow-expansion), whose
/// largest part has its sign. Terms must be finite and far from overflow.
pub(crate) fn sign(terms: &[f64]) -> Ordering {
    let mut parts: Vec<f64> = Vec::with_capacity(terms.len());
    for &term in terms {
        let mut carry = term;
        for part in &mut parts {
            let sum = carry + *part;
            let virtual_part = sum - carry;
            let rest = (carry - (sum - virtual_part)) + (*part - virtual_part);
            *part = rest;
            carry = sum;
        }
        parts.push(carry);
    }
    let largest = parts.iter().rev().find(|p| **p != 0.0).copied().unwrap_or(0.0);
    largest.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

/// Whether two outlines with centres and sizes along one axis come nearer than `gap`.
pub(crate) fn nearer(a: (f64, f64), b: (f64, f64), gap: f64) -> bool {
    // Everything doubled, so that halves of sizes stay exact.
    let ((a, wa), (b, wb)) = (a, b);
    let room = wa + wb + 2.0 * gap;
    let apart = 2.0 * (a - b).abs();
    let doubt = 1e-12 * (wa.abs() + wb.abs() + gap.abs() + a.abs() + b.abs());
    if (room - apart).abs() > 8.0 * doubt {
        return apart < room;
    }
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    sign(&[wa, wb, 2.0 * gap, 2.0 * low, -2.0 * high]) == Ordering::Greater
}

/// Whether an outline with centre `c` and size `w` leaves `[0, extent]`.
pub(crate) fn leaves(c: f64, w: f64, extent: f64) -> bool {
    sign(&[2.0 * c, -w]) == Ordering::Less || sign(&[2.0 * extent, -2.0 * c, -w]) == Ordering::Less
}

#[cfg(test)]
mod tests {
    use super::{nearer, sign};
    use proptest::prelude::*;
    use std::cmp::Ordering;

    #[test]
    fn what_rounding_hides_is_seen() {
        assert_eq!(sign(&[1e16, 1.0, -1e16]), Ordering::Greater);
        assert_eq!(sign(&[0.1, 0.2, -0.3]), Ordering::Greater);
        assert_eq!(sign(&[0.5, 0.25, -0.75]), Ordering::Equal);
        assert!(!nearer((10.0, 20.0), (30.0, 20.0), 0.0), "abutting is no overlap");
        assert!(nearer((10.0, 20.0), (30.0 - 4e-15, 20.0), 0.0));
        assert!(nearer((10.0, 20.0), (30.0, 20.0), f64::MIN_POSITIVE));
    }

    proptest! {
        #[test]
        fn agrees_with_integers(a in -1_000_000_000i64..1_000_000_000, b in any::<i32>(), c in any::<i32>(), shift in 0i32..30) {
            let terms = [a as f64, f64::from(b) * 2f64.powi(-shift), f64::from(c)];
            let whole = (i128::from(a) << shift) + i128::from(b) + (i128::from(c) << shift);
            prop_assert_eq!(sign(&terms), whole.cmp(&0));
        }
    }
}
