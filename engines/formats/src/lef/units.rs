//! From micrometres to database units without silent rounding.

use thiserror::Error;

/// A length that is no whole number of database units, or does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("{microns} µm is {exact} database units, the nearest whole number is {nearest}")]
pub struct OffGrid {
    /// The length in µm.
    pub microns: f64,
    /// The length in database units.
    pub exact: f64,
    /// The nearest whole number of database units that fits 32 bits.
    pub nearest: i32,
}

/// A length in µm as a whole number of database units.
///
/// The test is exact for decimal text: the length is on the grid if and only if it is the `f64`
/// nearest to `n / dbu_per_micron` for a whole `n`. So 0.19 µm at 2000 units per µm is 380, although
/// `0.19 * 2000.0` in floating point may not be.
///
/// # Errors
/// [`OffGrid`] with the nearest whole number, for the caller to tell and use.
pub fn to_dbu(microns: f64, dbu_per_micron: f64) -> Result<i32, OffGrid> {
    let exact = microns * dbu_per_micron;
    let rounded = exact.round();
    // The cast saturates, and gives 0 for what is not a number.
    let nearest = rounded as i32;
    if f64::from(nearest) == rounded && rounded / dbu_per_micron == microns {
        Ok(nearest)
    } else {
        Err(OffGrid { microns, exact, nearest })
    }
}
