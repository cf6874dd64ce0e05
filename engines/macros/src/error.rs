//! What can be wrong with a case or with what is asked of it.

use thiserror::Error;

/// A case that cannot be computed, or a question that has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MacroError {
    /// A setting is missing or out of range.
    #[error("{what}: {hint}")]
    Setting {
        /// What is wrong.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// An item has no place.
    #[error("`{name}` (item {item}) has no position; give one in the .plc file or in the netlist")]
    Unplaced {
        /// Name of the item.
        name: String,
        /// Its index.
        item: u32,
    },
    /// A coordinate is not finite or too far away.
    #[error("`{name}` (item {item}) is at ({x}, {y}); coordinates must lie within ±1e6 µm")]
    FarAway {
        /// Name of the item.
        name: String,
        /// Its index.
        item: u32,
        /// Where it is.
        x: f64,
        /// Where it is.
        y: f64,
    },
    /// The case is too large for exact integer sums.
    #[error("{0} is too large for exact sums")]
    TooLarge(&'static str),
    /// An item cannot be moved.
    #[error("item {item} {why}")]
    NotMovable {
        /// Its index.
        item: u32,
        /// Why not.
        why: &'static str,
    },
    /// A macro fits nowhere.
    #[error("`{name}` ({width} × {height} µm) fits nowhere; {hint}")]
    NoRoom {
        /// Name of the macro.
        name: String,
        /// Its width.
        width: f64,
        /// Its height.
        height: f64,
        /// What to do.
        hint: &'static str,
    },
}
