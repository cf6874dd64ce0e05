//! What an agent proposes.

use crate::delta::DesignDelta;
use crate::goal::Goals;
use crate::limits::{MAX_ID_BYTES, MAX_TEXT_BYTES};
use crate::number::FiniteOpt;
use crate::refs::{IntentRef, SnapshotRef};
use crate::validate::{At, Report, Validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A change that an agent asks for, with what it expects of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// Unique within the run.
    #[schemars(length(min = 1, max = 256))]
    pub id: String,
    /// The goal that the agent is after.
    pub intent_ref: IntentRef,
    /// The change.
    pub expected_delta: DesignDelta,
    /// What the agent expects of the metrics, such as `{"hpwl": "-5%"}`.
    #[serde(default)]
    pub expected_metrics: Goals,
    /// Why, in the agent's words. Recorded, never interpreted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 65536))]
    pub rationale: Option<String>,
    /// The snapshot that the change starts from.
    pub parent_snap: SnapshotRef,
    /// How sure the agent is, 0 to 1. Recorded, never interpreted.
    #[serde(default, with = "FiniteOpt", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: Option<f64>,
}

impl Validate for Proposal {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        r.name(&at.field("id"), &self.id, MAX_ID_BYTES);
        self.expected_delta.check(&at.field("expected_delta"), r);
        self.expected_metrics.check(&at.field("expected_metrics"), r);
        if let Some(text) = &self.rationale {
            r.at_most(&at.field("rationale"), "bytes", text.len(), MAX_TEXT_BYTES);
        }
        if let Some(c) = self.confidence {
            r.within(&at.field("confidence"), c, 0.0, 1.0);
        }
    }
}
