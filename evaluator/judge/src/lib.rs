//! Judges proposals: gates, Pareto rank, regret, certificates, journal.
//!
//! The records come first: [`digest`], [`journal`] and [`verdict`] say what happened, [`pareto`]
//! ranks it, [`seal`] and [`keys`] sign it. They hold no engine.

pub mod digest;
pub mod journal;
pub mod keys;
pub mod pareto;
pub mod seal;
pub mod verdict;
