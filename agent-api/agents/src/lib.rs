//! Baseline agents. Each sees a design only through the contract's
//! [`View`](cellwright_contract::platform::View) and proposes what it computed from it; the same
//! view, scenario and seed give the same proposals.
//!
//! - [`anneal::Annealer`]: moves, swaps, flips and resizes, chosen where wires pull and where slack
//!   is short, tried on the platform's engines, accepted by Metropolis' rule.
//! - [`random::RandomAgent`]: the same kinds of change at random, with no look at any metric.

pub mod anneal;
pub mod cost;
pub mod floor;
pub mod moves;
pub mod random;

use cellwright_contract::agent::{Agent, AgentError};
use cellwright_contract::scenario::AgentSpec;

/// Names that [`by_name`] knows.
pub const NAMES: [&str; 2] = ["anneal", "random"];

/// The agent that a scenario asks for.
///
/// # Errors
/// [`AgentError::Settings`] for a name that is not in [`NAMES`] or a parameter that does not fit.
pub fn by_name(spec: &AgentSpec) -> Result<Box<dyn Agent + Send>, AgentError> {
    match spec.name.as_str() {
        "anneal" => Ok(Box::new(anneal::Annealer::new(&spec.params)?)),
        "random" => Ok(Box::new(random::RandomAgent::new(&spec.params)?)),
        other => Err(AgentError::Settings(format!(
            "there is no agent `{other}`; choose one of {}",
            NAMES.join(", ")
        ))),
    }
}
