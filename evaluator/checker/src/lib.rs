//! The offline second opinion: recomputes what a certificate claims.
//!
//! From the base design, a chain of deltas and a list of claimed metrics, [`check::check`] applies
//! the chain and recomputes every claim from nothing: legality, wirelength, area, density, timing.
//! It shares the readers of files and the data model with the rest of the project and no
//! arithmetic: nothing here is incremental, nothing is cached, and every algorithm is the plainest
//! that will do, so that it can be read in an hour.
//!
//! # What an answer means
//! [`check::Outcome::Agrees`]: each claim was recomputed and met. [`check::Outcome::Disagrees`]:
//! one was not, or the chain broke something that it must keep. [`check::Outcome::Incomplete`]:
//! nothing disagrees, but something could not be recomputed; `not_checked` says what. That is no
//! pass.
//!
//! # Where to look
//! | module | recomputes |
//! | --- | --- |
//! | [`chain`] | snapshots and roots along the chain |
//! | [`netlist`] | drivers, connections, logic, what must not be touched |
//! | [`legality`] | every broken placement rule |
//! | [`wirelength`], [`area`], [`density`], [`congestion`] | what their names say |
//! | [`timing`] | WNS and TNS of setup and hold by corner |
//! | [`mod@check`] | claims against all of these |
//!
//! # Units
//! DBU for geometry, ns, pF, kΩ for timing; claims are in the units of their metric.

pub mod area;
pub mod area2d;
pub mod chain;
pub mod check;
pub mod congestion;
pub mod defaults;
pub mod density;
pub mod grid;
pub mod legality;
pub mod logic;
pub mod netlist;
pub mod state;
pub mod sweep;
pub mod timing;
pub mod wirelength;

pub use chain::{ChainError, apply_chain};
pub use check::{CheckReport, Item, Outcome, Status, Subject, check};
