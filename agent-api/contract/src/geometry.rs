//! Places and orientations, as DEF has them.

use crate::number::Int53;
use crate::validate::{At, Report, Validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Orientation by its DEF name (LEF/DEF 5.8 language reference, "COMPONENTS").
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub enum Orient {
    /// North: not turned.
    N,
    /// South: turned by 180°.
    S,
    /// West: turned by 90° counter-clockwise.
    W,
    /// East: turned by 270° counter-clockwise.
    E,
    /// Flipped north: mirrored about the y axis.
    FN,
    /// Flipped south: mirrored about the x axis.
    FS,
    /// Flipped west: FN, then turned as W.
    FW,
    /// Flipped east: FN, then turned as E.
    FE,
}

impl Orient {
    /// All eight, in the order of DEF.
    pub const ALL: [Orient; 8] = [
        Orient::N,
        Orient::S,
        Orient::W,
        Orient::E,
        Orient::FN,
        Orient::FS,
        Orient::FW,
        Orient::FE,
    ];
}

/// Where a cell stands: DBU of the lower-left corner of the placed cell, and its orientation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Left edge in DBU, inside ±(2^53−1).
    #[serde(with = "Int53")]
    pub x: i64,
    /// Bottom edge in DBU, inside ±(2^53−1).
    #[serde(with = "Int53")]
    pub y: i64,
    /// Orientation.
    pub orient: Orient,
}

impl Validate for Position {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        r.safe_int(&at.field("x"), self.x);
        r.safe_int(&at.field("y"), self.y);
    }
}

/// A rectangle in DBU, `x0 ≤ x1` and `y0 ≤ y1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rect {
    /// Left edge in DBU.
    #[serde(with = "Int53")]
    pub x0: i64,
    /// Bottom edge in DBU.
    #[serde(with = "Int53")]
    pub y0: i64,
    /// Right edge in DBU.
    #[serde(with = "Int53")]
    pub x1: i64,
    /// Top edge in DBU.
    #[serde(with = "Int53")]
    pub y1: i64,
}

impl Validate for Rect {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        for (name, v) in [("x0", self.x0), ("y0", self.y0), ("x1", self.x1), ("y1", self.y1)] {
            r.safe_int(&at.field(name), v);
        }
        if self.x0 > self.x1 || self.y0 > self.y1 {
            r.push(at, "a rectangle needs x0 ≤ x1 and y0 ≤ y1");
        }
    }
}

/// Microns were given that are not a whole number of DBU.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "{um} µm is not on the grid of {dbu_per_um} DBU per µm; give DBU, or a multiple of the grid"
)]
pub struct OffGrid {
    /// The refused value.
    pub um: f64,
    /// Grid of the design.
    pub dbu_per_um: u32,
}

/// Microns as DBU. Refuses what is not on the grid rather than round it.
///
/// The test allows for the error of writing a decimal number as binary64 (one part in 10^9 of a
/// DBU at least), not for a point between two grid lines.
///
/// # Errors
/// [`OffGrid`] when `um` is not finite, not a whole number of DBU, or outside ±(2^53−1) DBU.
pub fn microns_to_dbu(um: f64, dbu_per_um: u32) -> Result<i64, OffGrid> {
    let exact = um * f64::from(dbu_per_um);
    let whole = exact.round();
    let slack = 1e-9_f64.max(exact.abs() * 4.0 * f64::EPSILON);
    let in_range = whole.abs() <= crate::limits::MAX_SAFE_INTEGER as f64;
    // A NaN fails both comparisons and is refused.
    if in_range && (exact - whole).abs() <= slack {
        return Ok(whole as i64);
    }
    Err(OffGrid { um, dbu_per_um })
}
