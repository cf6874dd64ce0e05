//! What every tool call answers.

use crate::limits::{MAX_NAME_BYTES, MAX_TEXT_BYTES};
use crate::number::{Finite, FiniteOpt, Uint53};
use crate::refs::{Digest, SnapshotRef};
use crate::time::Timestamp;
use crate::validate::{At, Report, Validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A tool's answer. `V` is the tool's own value. New optional fields may appear.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolResult<V = Value> {
    /// The tool's own value.
    pub value: V,
    /// How uncertain the value is, 0 (deterministic) to 1.
    #[serde(default, with = "FiniteOpt", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub uncertainty: Option<f64>,
    /// Which share of the question the value covers, 0 to 1.
    #[serde(default, with = "FiniteOpt", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub coverage: Option<f64>,
    /// Where the value comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// What went not quite well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// How long it took, ms.
    #[serde(with = "Uint53")]
    pub elapsed_ms: u64,
}

impl<V: Validate> Validate for ToolResult<V> {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        self.value.check(&at.field("value"), r);
        for (name, v) in [("uncertainty", self.uncertainty), ("coverage", self.coverage)] {
            if let Some(v) = v {
                r.within(&at.field(name), v, 0.0, 1.0);
            }
        }
        if let Some(p) = &self.provenance {
            p.check(&at.field("provenance"), r);
        }
        let warnings = at.field("warnings");
        for (i, w) in self.warnings.iter().enumerate() {
            r.at_most(&warnings.index(i), "bytes", w.len(), MAX_TEXT_BYTES);
        }
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// The tool, such as `cw.sta`.
    pub tool_name: String,
    /// Its version.
    pub tool_version: String,
    /// The snapshot that it looked at.
    pub input_snap: SnapshotRef,
    /// Digest of the canonical JSON of its parameters, to compare with cached results.
    pub input_params_hash: Digest,
    /// When it was computed.
    pub computed_at: Timestamp,
}

impl Validate for Provenance {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        r.name(&at.field("tool_name"), &self.tool_name, MAX_NAME_BYTES);
        r.name(&at.field("tool_version"), &self.tool_version, MAX_NAME_BYTES);
    }
}

/// The value of `cw.sta`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimingReport {
    /// Worst negative slack, ns; 0 when nothing violates.
    #[serde(with = "Finite")]
    pub wns: f64,
    /// Total negative slack, ns; 0 when nothing violates.
    #[serde(with = "Finite")]
    pub tns: f64,
    /// The worst paths, worst first.
    pub critical_paths: Vec<TimingPath>,
    /// Summary by clock.
    pub clock_domains: BTreeMap<String, ClockSummary>,
}

/// One timing path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimingPath {
    /// Pin or port where it starts.
    pub startpoint: String,
    /// Pin or port where it ends.
    pub endpoint: String,
    /// Capturing clock or path group.
    pub group: String,
    /// Slack, ns.
    #[serde(with = "Finite")]
    pub slack: f64,
    /// Arrival at the end, ns.
    #[serde(with = "Finite")]
    pub arrival: f64,
    /// Required time at the end, ns.
    #[serde(with = "Finite")]
    pub required: f64,
    /// The pins on the way, from start to end.
    pub pins: Vec<PathPin>,
}

/// One pin of a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathPin {
    /// Full name, `instance/pin` or the port.
    pub pin: String,
    /// Arrival, ns.
    #[serde(with = "Finite")]
    pub arrival: f64,
    /// Slew, ns.
    #[serde(with = "Finite")]
    pub slew: f64,
    /// True for a rising edge.
    pub rising: bool,
}

/// Timing of one clock domain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockSummary {
    /// Period, ns.
    #[serde(with = "Finite")]
    pub period: f64,
    /// Worst negative slack, ns.
    #[serde(with = "Finite")]
    pub wns: f64,
    /// Total negative slack, ns.
    #[serde(with = "Finite")]
    pub tns: f64,
    /// Endpoints of the domain.
    #[serde(with = "Uint53")]
    pub endpoints: u64,
    /// Endpoints that violate.
    #[serde(with = "Uint53")]
    pub violating: u64,
}
