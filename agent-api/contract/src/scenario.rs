//! A scenario file: what is optimised, inside which bounds, from which seeds, by whom.
//!
//! TOML or JSON, the same fields. Its identity is its content: [`Scenario::digest`] is the BLAKE3
//! of its canonical JSON, so spelling, order and comments of the file do not matter.

use crate::budget::{CostBudget, Effort};
use crate::gate::GateId;
use crate::goal::{GoalRef, GoalUnit};
use crate::limits::{MAX_GOALS, MAX_NAME_BYTES, MAX_SAFE_INTEGER, MAX_TEXT_BYTES};
use crate::metric::{Direction, known};
use crate::number::{Finite, FiniteOpt};
use crate::refs::{DesignRef, IntentRef, RefError, ScenarioRef};
use crate::text::is_plain_name;
use crate::validate::{At, Invalid, Report, Validate};
use crate::wire::{self, WireError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// `schema` of a [`Scenario`].
pub const SCENARIO_SCHEMA: &str = "cellwright-scenario/1";
/// Longest scenario file, bytes.
pub const MAX_SCENARIO_BYTES: usize = 1 << 20;

/// What a run optimises and how it is judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Always [`SCENARIO_SCHEMA`].
    #[schemars(extend("const" = SCENARIO_SCHEMA))]
    pub schema: String,
    /// Name, part of the scenario's reference.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// What it is about, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The design.
    pub design: DesignRef,
    /// What agents are asked for.
    pub intent: IntentRef,
    /// What counts, in order.
    #[schemars(length(min = 1, max = 256))]
    pub objectives: Vec<Objective>,
    /// Bounds beyond the gates' own.
    #[serde(default)]
    #[schemars(length(max = 256))]
    pub gates: Vec<GateRule>,
    /// What a whole run may cost.
    #[serde(default)]
    pub budget: CostBudget,
    /// How hard each evaluation tries.
    #[serde(default)]
    pub effort: Effort,
    /// One run per seed, each up to 2^53−1.
    #[schemars(length(min = 1, max = 4096))]
    pub seeds: Vec<u64>,
    /// Who proposes.
    pub agent: AgentSpec,
}

/// One objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Objective {
    /// Metric name.
    #[schemars(length(min = 1, max = 4096))]
    pub metric: String,
    /// Which way is better; the metric's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Values are rounded to a multiple of this before they are compared; the metric's own when
    /// absent, 0 for no rounding.
    #[serde(default, with = "FiniteOpt", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub resolution: Option<f64>,
    /// Weight in the regret; only the ratio between objectives counts.
    #[serde(default = "one", with = "Finite")]
    #[schemars(range(min = 0.0))]
    pub weight: f64,
    /// Worst value of interest, for the hypervolume; taken from the archive when absent.
    #[serde(default, with = "FiniteOpt", skip_serializing_if = "Option::is_none")]
    pub reference: Option<f64>,
}

fn one() -> f64 {
    1.0
}

impl Objective {
    /// Which way is better: as written, else the metric's own.
    #[must_use]
    pub fn direction(&self) -> Option<Direction> {
        self.direction.or_else(|| known(&self.metric).map(|m| m.direction))
    }

    /// The resolution: as written, else the metric's own, else 0.
    #[must_use]
    pub fn resolution(&self) -> f64 {
        self.resolution.or_else(|| known(&self.metric).map(|m| m.resolution)).unwrap_or(0.0)
    }
}

/// A bound that the scenario sets on a gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateRule {
    /// The gate.
    pub gate: GateId,
    /// The metric, for `guards.metric`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// How much worse than the reference is tolerated.
    #[serde(default, with = "FiniteOpt", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub tolerance: Option<f64>,
    /// How `tolerance` is meant.
    #[serde(default)]
    pub unit: GoalUnit,
    /// What is compared with.
    #[serde(default, rename = "ref")]
    pub reference: GoalRef,
    /// Worst value allowed, whatever the reference.
    #[serde(default, with = "FiniteOpt", skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// Share of proposals that the gate looks at, for `exactness`; 1 when absent.
    #[serde(default, with = "FiniteOpt", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub sample: Option<f64>,
}

/// Who proposes, and with which settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentSpec {
    /// Agent name.
    #[schemars(length(min = 1, max = 4096))]
    pub name: String,
    /// Its own settings; what they mean is the agent's matter.
    #[serde(default)]
    pub params: Map<String, Value>,
}

/// Why a scenario file was refused.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// Longer than [`MAX_SCENARIO_BYTES`].
    #[error("scenario of {0} bytes, at most {MAX_SCENARIO_BYTES} are taken")]
    TooLarge(usize),
    /// Not TOML, or not this type. The text shows line and column.
    #[error("scenario: {0}")]
    Toml(#[from] toml::de::Error),
    /// Not JSON, or not this type. The text names line and column.
    #[error("scenario: {0}")]
    Json(#[from] WireError),
    /// The type fits, a rule does not.
    #[error("scenario: {0}")]
    Invalid(#[from] Invalid),
}

impl Scenario {
    /// Reads a TOML scenario.
    ///
    /// # Errors
    /// [`ScenarioError`] when it is too long, not TOML, of another type or against a rule.
    pub fn from_toml(text: &str) -> Result<Self, ScenarioError> {
        if text.len() > MAX_SCENARIO_BYTES {
            return Err(ScenarioError::TooLarge(text.len()));
        }
        let scenario: Scenario = toml::from_str(text)?;
        scenario.validate()?;
        Ok(scenario)
    }

    /// Reads a JSON scenario.
    ///
    /// # Errors
    /// [`ScenarioError`] when it is too long, not JSON, of another type or against a rule.
    pub fn from_json(bytes: &[u8]) -> Result<Self, ScenarioError> {
        let limits = wire::Limits { bytes: MAX_SCENARIO_BYTES, ..Default::default() };
        Ok(wire::parse_within(bytes, limits)?)
    }

    /// BLAKE3 of the scenario's canonical JSON.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        // A validated scenario holds only finite numbers and text keys, so `to_value` cannot fail;
        // an unvalidated one that does gets the digest of null and no run.
        let value = serde_json::to_value(self).unwrap_or(Value::Null);
        *blake3::hash(&crate::schema::canonical(&value)).as_bytes()
    }

    /// The scenario's reference, `scenario:<name>@<digest>`.
    ///
    /// # Errors
    /// When the name is not a plain name; never for a validated scenario.
    pub fn reference(&self) -> Result<ScenarioRef, RefError> {
        ScenarioRef::new(&self.name, self.digest())
    }

    /// The rule on a gate, if the scenario has one.
    #[must_use]
    pub fn rule(&self, gate: GateId) -> Option<&GateRule> {
        self.gates.iter().find(|r| r.gate == gate)
    }
}

impl Validate for Scenario {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        if self.schema != SCENARIO_SCHEMA {
            r.push(&at.field("schema"), format!("must be {SCENARIO_SCHEMA}"));
        }
        if !is_plain_name(&self.name) {
            r.push(&at.field("name"), "letters, digits and _ . - / + only, at most 256 bytes");
        }
        r.at_most(&at.field("description"), "bytes", self.description.len(), MAX_TEXT_BYTES);
        let list = at.field("objectives");
        if self.objectives.is_empty() {
            r.push(&list, "at least one is needed");
        }
        r.at_most(&list, "objectives", self.objectives.len(), MAX_GOALS);
        for (i, o) in self.objectives.iter().take(MAX_GOALS).enumerate() {
            let at = list.index(i);
            r.name(&at.field("metric"), &o.metric, MAX_NAME_BYTES);
            if self.objectives.iter().take(i).any(|p| p.metric == o.metric) {
                r.push(&at.field("metric"), "stands twice");
            }
            if o.direction().is_none() {
                r.push(&at.field("direction"), "must be given for a metric that is not well known");
            }
            r.within(&at.field("weight"), o.weight, 0.0, f64::MAX);
            if let Some(v) = o.resolution {
                r.within(&at.field("resolution"), v, 0.0, f64::MAX);
            }
            if let Some(v) = o.reference {
                r.finite(&at.field("reference"), v);
            }
        }
        let total: f64 = self.objectives.iter().map(|o| o.weight).sum();
        if !(total > 0.0 && total.is_finite()) {
            r.push(&list, "the weights must add up to a positive number");
        }
        let list = at.field("gates");
        r.at_most(&list, "rules", self.gates.len(), MAX_GOALS);
        for (i, g) in self.gates.iter().take(MAX_GOALS).enumerate() {
            let at = list.index(i);
            let twice = |p: &GateRule| p.gate == g.gate && p.metric == g.metric;
            if self.gates.iter().take(i).any(twice) {
                r.push(&at, "a rule on this gate stands twice");
            }
            if (g.gate == GateId::GuardsMetric) != g.metric.is_some() {
                r.push(&at.field("metric"), "goes with the gate guards.metric, and only with it");
            }
            if let Some(v) = g.tolerance {
                r.within(&at.field("tolerance"), v, 0.0, f64::MAX);
            }
            if let Some(v) = g.sample {
                r.within(&at.field("sample"), v, 0.0, 1.0);
            }
        }
        self.budget.check(&at.field("budget"), r);
        let list = at.field("seeds");
        if self.seeds.is_empty() {
            r.push(&list, "at least one is needed");
        }
        r.at_most(&list, "seeds", self.seeds.len(), 4096);
        if self.seeds.iter().any(|s| *s > MAX_SAFE_INTEGER as u64) {
            r.push(&list, "a seed is above 2^53−1");
        }
        r.name(&at.field("agent").field("name"), &self.agent.name, MAX_NAME_BYTES);
    }
}
