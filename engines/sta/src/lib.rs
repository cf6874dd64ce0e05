//! How fast a design runs: static timing analysis, full and incremental.

pub mod constraints;
pub mod parasitics;
