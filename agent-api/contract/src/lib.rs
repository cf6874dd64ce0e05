//! The words between agents and the platform: requests, results, proposals, certificates.
//!
//! Plain data with a JSON Schema each, and two traits: [`platform::Platform`] serves tools,
//! [`agent::Agent`] proposes. No engine is known here.
//!
//! What comes from outside goes through [`wire::parse`]: bounded size and depth, no key twice, no
//! unknown field where an agent speaks, then every rule of [`validate::Validate`].
//!
//! Units: geometry in DBU (database units, integer), lengths in µm, areas in µm², times in ns,
//! capacitance in pF, resistance in kΩ.

pub mod agent;
pub mod budget;
pub mod capability;
pub mod certificate;
pub mod compat;
pub mod delta;
pub mod envelope;
pub mod event;
pub mod gate;
pub mod geometry;
pub mod goal;
pub mod invocation;
pub mod invoke;
pub mod limits;
pub mod metric;
pub mod negotiate;
pub mod number;
pub mod platform;
pub mod proposal;
pub mod rank;
pub mod refs;
pub mod request;
pub mod result;
pub mod scenario;
pub mod schema;
pub mod sensitivity;
mod text;
pub mod time;
pub mod validate;
pub mod wire;
