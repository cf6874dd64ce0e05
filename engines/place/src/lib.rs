//! Where cells go: global placement, legalisation, detailed placement.
//!
//! [`place`] runs the stages of a [`PlaceConfig`] on a [`Design`] and gives back the moves as a
//! [`cellwright_db::Delta`]; the stages can also be called alone on a [`Problem`]: [`global::global`],
//! [`legal::legalize`], [`detailed::detailed`].
//!
//! - Global placement spreads cells by electrostatics under weighted-average wire length
//!   ([`global`]).
//! - Legalisation puts each cell on a row and site of its own, or says with numbers why it cannot
//!   ([`legal`]).
//! - Detailed placement keeps the placement legal and only ever shortens wire ([`detailed`]).
//!
//! On top of them: [`place_timed`], which never gives back later paths than [`place`] does, and
//! [`place_incremental`] for a few cells among many that stand still.
//!
//! Everything is deterministic: the same design, configuration and seed give the same moves at any
//! number of threads (a limit on wall time aside).
//!
//! # Units
//! DBU for lengths, DBU² for areas inside; µm² in errors. Global placement works in bins.

pub mod config;
pub mod detailed;
pub mod error;
pub mod free;
pub mod global;
pub mod incremental;
pub mod legal;
mod par;
mod place;
pub mod problem;
pub mod report;
mod rng;
pub mod routed;
pub mod spans;
pub mod timed;

#[cfg(doc)]
use cellwright_db::Design;

pub use config::{Effort, Limits, PlaceConfig, Stages};
pub use error::PlaceError;
pub use incremental::{IncrementalResult, Way, place_incremental};
pub use legal::Placement;
pub use place::place;
pub use problem::Problem;
pub use report::{Event, Note, PlaceResult, Progress, Report, Stage, StageReport, StopReason};
pub use routed::{Crowding, Routed, RoutedResult, place_routed};
pub use timed::{SetupSlack, Timed, TimedResult, place_timed};
