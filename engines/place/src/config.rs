//! What to do and how far to go.

use std::time::Duration;

use cellwright_db::CellId;

/// How much work to spend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Fewer detailed passes, a looser global placement.
    Quick,
    /// The default.
    #[default]
    Standard,
    /// More detailed passes, a tighter global placement.
    High,
}

/// Which stages run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages {
    /// Spread the cells for little wire, without regard to rows.
    pub global: bool,
    /// Put every cell on a legal place.
    pub legalize: bool,
    /// Improve a legal placement.
    pub detailed: bool,
}

impl Default for Stages {
    fn default() -> Self {
        Stages { global: true, legalize: true, detailed: true }
    }
}

/// Where a run ends early. A stage that meets a limit hands on the best that it has; the result of
/// [`crate::place`] is legal all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Most iterations of global placement.
    pub iterations: Option<u32>,
    /// Most work units of the run (pins, bins and candidate places touched; the same number on
    /// every machine).
    pub work_units: Option<u64>,
    /// Most wall time of the run. Makes the result depend on the machine.
    pub wall: Option<Duration>,
}

/// How to place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceConfig {
    /// Target density: part of the free area of a bin that cells may fill, 0..=1. Raised to what
    /// the design needs when it is too low. `None` lets the placer choose.
    pub density: Option<f64>,
    /// Seed of the few random choices (start places of fillers, ties).
    pub seed: u64,
    /// How much work to spend.
    pub effort: Effort,
    /// Which stages run.
    pub stages: Stages,
    /// Threads; 0 takes what the surrounding pool has. The result does not depend on it.
    pub threads: usize,
    /// Where to end early.
    pub limits: Limits,
    /// Place these cells only; all other placed cells stand still. `None` places all movable cells.
    pub only: Option<Vec<CellId>>,
    /// Weights of nets in global and detailed placement by net slot; 1 where the list is shorter.
    /// Reported wire length stays unweighted.
    pub net_weights: Vec<f32>,
    /// Factors on the area of cells in global placement by cell slot; 1 where the list is shorter.
    pub inflation: Vec<f32>,
}
