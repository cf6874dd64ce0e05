//! The messages, one JSON object a line, UTF-8.
//!
//! The loop opens with `begin` and then says `propose` once a turn. Before the agent answers with a
//! `proposal` or `done` it may make any number of `call`s, each answered with `result` or `error`
//! in the order asked, and `log` what it likes.

use cellwright_contract::agent::Feedback;
use cellwright_contract::budget::CostBudget;
use cellwright_contract::delta::DesignDelta;
use cellwright_contract::goal::Goals;
use cellwright_contract::number::Uint53;
use cellwright_contract::platform::{DesignInfo, PlatformError};
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::{IntentRef, SnapshotRef};
use cellwright_contract::scenario::Scenario;
use cellwright_contract::validate::{At, Report, Validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::Call;

/// Name and version of the protocol.
pub const PROTOCOL: &str = "cellwright-agent/1";
/// Most calls of one [`FromAgent::Calls`].
pub const MAX_BATCH: usize = 10_000;

/// What an agent says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum FromAgent {
    /// Asks something of the view.
    Call {
        /// Comes back with the answer; anything.
        #[serde(default)]
        id: Value,
        /// What is asked.
        call: Call,
    },
    /// Asks several things at once; each is answered, whatever becomes of the others.
    Calls {
        /// Comes back with the answer; anything.
        #[serde(default)]
        id: Value,
        /// What is asked.
        #[schemars(length(max = 10_000))]
        calls: Vec<Call>,
    },
    /// Ends the turn with a change.
    Proposal {
        /// The change.
        proposal: Draft,
    },
    /// Ends the run: the agent has nothing more to propose.
    Done {
        /// Why, in its words.
        #[serde(default)]
        reason: Option<String>,
    },
    /// Something for a person to read; never answered.
    Log {
        /// The text.
        text: String,
    },
}

impl Validate for FromAgent {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        match self {
            FromAgent::Call { call, .. } => call.check(&at.field("call"), r),
            FromAgent::Calls { calls, .. } => {
                r.at_most(&at.field("calls"), "calls", calls.len(), MAX_BATCH);
            }
            // The judge validates a proposal, and says so gate by gate.
            FromAgent::Proposal { .. } | FromAgent::Done { .. } | FromAgent::Log { .. } => {}
        }
    }
}

/// A proposal with what the loop can fill in left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// Unique within the run; made when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The scenario's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_ref: Option<IntentRef>,
    /// The change.
    pub expected_delta: DesignDelta,
    /// What the agent expects of the metrics, such as `{"hpwl": "-5%"}`.
    #[serde(default)]
    pub expected_metrics: Goals,
    /// Why, in the agent's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// The snapshot that the change starts from; the head when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_snap: Option<SnapshotRef>,
    /// How sure the agent is, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

impl Draft {
    /// The proposal, with what was left out.
    #[must_use]
    pub fn complete(
        self,
        id: impl FnOnce() -> String,
        intent: &IntentRef,
        head: SnapshotRef,
    ) -> Proposal {
        Proposal {
            id: self.id.unwrap_or_else(id),
            intent_ref: self.intent_ref.unwrap_or_else(|| intent.clone()),
            expected_delta: self.expected_delta,
            expected_metrics: self.expected_metrics,
            rationale: self.rationale,
            parent_snap: self.parent_snap.unwrap_or(head),
            confidence: self.confidence,
        }
    }
}

/// What the loop says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToAgent {
    /// The first message.
    Begin {
        /// [`PROTOCOL`].
        protocol: String,
        /// Everything random should follow from it.
        #[serde(with = "Uint53")]
        seed: u64,
        /// What is optimised, inside which bounds.
        scenario: Box<Scenario>,
        /// The design at a glance.
        design: DesignInfo,
    },
    /// A turn begins: answer with `proposal` or `done`, after any number of calls.
    Propose {
        /// Turns so far, this one included.
        turn: u64,
        /// The snapshot that is shown now.
        head: SnapshotRef,
        /// What is left of the run's budget.
        remaining: CostBudget,
        /// What became of the last proposal; absent at the first turn.
        feedback: Option<Box<Feedback>>,
    },
    /// The answer to a call.
    Result {
        /// The call's id.
        id: Value,
        /// The answer; see [`Call`] for its shape.
        value: Value,
    },
    /// The answers to several calls, in their order.
    Results {
        /// The message's id.
        id: Value,
        /// One for each call.
        results: Vec<Outcome>,
    },
    /// A call or a message that could not be used. The turn goes on.
    Error {
        /// The call's id; null when it could not be read.
        id: Value,
        /// Why, and what would do.
        error: PlatformError,
    },
    /// The last message: the run is over.
    End {},
}

/// The answer to one of several calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The answer.
    Value(Value),
    /// Why there is none.
    Error(PlatformError),
}

impl From<Result<Value, PlatformError>> for Outcome {
    fn from(result: Result<Value, PlatformError>) -> Self {
        match result {
            Ok(value) => Outcome::Value(value),
            Err(error) => Outcome::Error(error),
        }
    }
}
