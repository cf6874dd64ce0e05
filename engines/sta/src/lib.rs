//! How fast a design runs: static timing analysis, full and incremental.
//!
//! # Units
//! ns, pF and kΩ throughout; only reports speak the library's units. Values per pin are stored as
//! `f32` and computed in `f64`.

pub mod constraints;
mod delay;
mod graph;
pub mod parasitics;
pub mod report;
mod search;
pub mod table;
#[cfg(test)]
mod testing;
mod timer;

pub use delay::Calculator;
pub use graph::BrokenLoop;
pub use graph::model::CheckKind;
pub use report::{Endpoint, LimitKind, PulseCheck, PulseKind, Scale, Step, TimingPath, Violation};
pub use timer::{Config, Side, Slacks, Timer, TimerError, Updated};
