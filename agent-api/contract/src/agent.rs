//! What proposes.

use crate::budget::CostBudget;
use crate::gate::GateJudgment;
use crate::metric::MetricValue;
use crate::platform::{PlatformError, View};
use crate::proposal::Proposal;
use crate::rank::ParetoRank;
use crate::scenario::Scenario;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of an agent's last proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Feedback {
    /// The proposal.
    pub proposal_id: String,
    /// What the gates said.
    pub judgment: GateJudgment,
    /// Metrics of the child; empty when it was not measured.
    pub metrics: Vec<MetricValue>,
    /// True when the child is now the head.
    pub accepted: bool,
    /// Where the candidate stands; absent when a gate did not pass.
    pub rank: Option<ParetoRank>,
    /// Its regret; absent when a gate did not pass.
    pub regret: Option<f64>,
    /// What the judgment cost.
    pub consumed: CostBudget,
    /// What is left.
    pub remaining: CostBudget,
}

/// Why an agent cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// The platform did not answer.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// The agent's settings are not usable.
    #[error("agent settings: {0}")]
    Settings(String),
    /// The agent failed.
    #[error("agent: {0}")]
    Failed(String),
}

/// Something that proposes. Given the same view, scenario and seed it proposes the same, at any
/// thread count.
pub trait Agent {
    /// Name, as a scenario writes it.
    fn name(&self) -> &str;

    /// Begins a run. Everything random follows from `seed`.
    ///
    /// # Errors
    /// [`AgentError`] when the settings or the design are not usable.
    fn begin(
        &mut self,
        view: &mut dyn View,
        scenario: &Scenario,
        seed: u64,
    ) -> Result<(), AgentError>;

    /// The next proposal, or none when the agent has nothing more to propose. `feedback` is about
    /// the last proposal, absent at the first call.
    ///
    /// # Errors
    /// [`AgentError`] when it cannot go on.
    fn propose(
        &mut self,
        view: &mut dyn View,
        feedback: Option<&Feedback>,
    ) -> Result<Option<Proposal>, AgentError>;
}
