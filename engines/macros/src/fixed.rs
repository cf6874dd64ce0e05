//! Fixed-point numbers. Sums of them are exact, so neither order nor undo changes a bit.

/// Bits behind the point of lengths and areas: 2⁻³⁰ µm or µm², about 1e-9.
pub(crate) const LENGTH_BITS: i32 = 30;
/// Bits behind the point of net weights in routing sums; whole weights are exact.
pub(crate) const WEIGHT_BITS: i32 = 32;
/// Bits behind the point of a grid cell's density or congestion, about 1e-12.
pub(crate) const VALUE_BITS: i32 = 40;

/// 2^bits as a number.
pub(crate) const fn scale(bits: i32) -> f64 {
    (1u64 << bits) as f64
}

/// To fixed point, rounded to nearest; what does not fit saturates.
#[inline]
pub(crate) fn fix(value: f64, bits: i32) -> i64 {
    // Adding half and flooring would round twice near large values; `round` is exact.
    (value * scale(bits)).round() as i64
}

/// From fixed point.
#[inline]
pub(crate) fn unfix(value: i64, bits: i32) -> f64 {
    value as f64 / scale(bits)
}
