//! What a placement costs: wirelength, density, congestion, legality, full and incremental.
//!
//! One folder per metric, each a [`Metric`]: a full evaluation, an exact update from a dirty set,
//! an exact undo. All sums are integers (DBU, DBU², fixed point), so neither the order of updates
//! nor the number of threads shows in a figure: an updated state equals a full evaluation bit for
//! bit. [`Measures`] runs them together.
//!
//! # Units
//! Lengths are DBU, areas DBU²; [`MeasureReport`] gives µm and µm² beside them.

mod area;
mod boxes;
pub mod congestion;
pub mod density;
pub mod grid;
pub mod hpwl;
pub mod legality;
pub mod measures;
mod metric;

pub use boxes::NetBox;
pub use congestion::{Congestion, CongestionConfig};
pub use density::{Density, DensityConfig};
pub use grid::{Bins, Grid};
pub use hpwl::{Hpwl, HpwlConfig, Wire};
pub use legality::{Legality, LegalityConfig, Party, Rule, Violation};
pub use measures::{MeasureReport, Measures, MeasuresConfig, Reading};
pub use metric::{Metric, Stale};
