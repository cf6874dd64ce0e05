//! Where cells go: global placement, legalisation, detailed placement.

pub mod config;
pub mod error;
pub mod free;
pub mod global;
pub mod legal;
mod par;
pub mod problem;
pub mod report;
mod rng;
pub mod spans;
