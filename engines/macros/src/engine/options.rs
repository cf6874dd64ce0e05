//! Variants of the evaluator, and moves.

use crate::cell::Boundary;
use crate::cost::Weights;
use crate::orient::Orient;

/// How positions are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Precision {
    /// As the file writes them, in double precision: the open evaluator.
    #[default]
    Double,
    /// Rounded to single precision when set, as harnesses do that hold positions in `float32`
    /// tensors; all arithmetic after that is in double precision.
    Single,
}

impl Precision {
    pub(super) fn hold(self, v: f64) -> f64 {
        match self {
            Precision::Double => v,
            Precision::Single => f64::from(v as f32),
        }
    }
}

/// Variants of the evaluator.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Options {
    /// What happens outside the grid.
    pub boundary: Boundary,
    /// How positions are held.
    pub precision: Precision,
    /// Weights of the parts.
    pub weights: Weights,
}

/// One body's new place. Bodies are numbered as in [`crate::Model`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Move {
    /// The body.
    pub body: u32,
    /// New centre.
    pub x: f64,
    /// New centre.
    pub y: f64,
    /// New orientation.
    pub orient: Orient,
}
