//! Where macros go: the exact proxy cost of macro placement, computed incrementally, and the placers
//! that work on it.
//!
//! The cost is that of the open evaluator of TILOS MacroPlacement (`plc_client_os.py`): wirelength,
//! density and congestion on a grid. Its arithmetic is the specification.
//!
//! Unlike the rest of the house, lengths here are micrometres in double precision: the evaluator's
//! rules (which grid cell, how much overlap) are defined on such numbers, and costs must agree with
//! it. Sums are of integers all the same, so they do not depend on order.

mod anneal;
mod batch;
mod cell;
mod cluster;
mod cost;
mod engine;
mod error;
mod exact;
mod fixed;
mod gates;
mod global;
mod legal;
mod model;
pub mod netlist;
mod occupy;
mod orient;
pub mod picture;
mod propose;
mod room;
mod route;
pub mod sample;
mod spectral;
mod start;
mod top;

pub use anneal::{AnnealConfig, Annealed, Budget, Progress, Tally, anneal};
pub use cell::Boundary;
pub use cluster::{ClusterConfig, Clustered, carry_back, cluster};
pub use cost::{Cost, Weights};
pub use engine::{Engine, Move, Options, Precision, State};
pub use error::MacroError;
pub use gates::{Broken, gates};
pub use global::{Global, global};
pub use model::Model;
pub use netlist::{Kind, Netlist, Placement, Settings};
pub use orient::{NoOrient, Orient};
pub use propose::Proposal;
pub use start::analytical_start;
