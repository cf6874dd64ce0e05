//! Judges proposals: gates, Pareto rank, regret, certificates, journal.
//!
//! The records come first: [`digest`], [`journal`] and [`verdict`] say what happened, [`pareto`]
//! ranks it, [`seal`] and [`keys`] sign it. They hold no engine.
//!
//! On top of them [`judge::Judge`] puts a proposal before the [`gates`] with the [`engines`] behind
//! it, and [`platform::Host`] shows it all to agents.

pub mod certify;
pub mod digest;
pub mod engines;
pub mod gates;
pub mod invoke;
pub mod journal;
pub mod judge;
pub mod keys;
pub mod mutants;
pub mod pareto;
pub mod platform;
pub mod run;
pub mod seal;
pub mod timing;
pub mod translate;
pub mod verdict;
