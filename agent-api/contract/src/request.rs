//! What every tool call carries, and how a tool adds its own parameters.

use crate::budget::{CostBudget, Effort};
use crate::refs::{DesignRef, DirtySetRef, IntentRef, ScenarioRef, SnapshotRef};
use crate::validate::{At, Report, Validate};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{self, DeserializeOwned, Deserializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The part that all tool requests share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolRequest {
    /// The design.
    pub design_ref: DesignRef,
    /// The goal that the agent is after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_ref: Option<IntentRef>,
    /// The scenario that the call belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario_ref: Option<ScenarioRef>,
    /// How hard to try; `standard` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// What the call may cost at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<CostBudget>,
    /// The snapshot to work on; the head of `main` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snap_ref: Option<SnapshotRef>,
    /// The dirty set for incremental work. A hint: a wrong one costs time, never a wrong result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty_hint: Option<DirtySetRef>,
}

/// Names of the fields of [`ToolRequest`], in their order.
pub const REQUEST_FIELDS: [&str; 7] =
    ["design_ref", "intent_ref", "scenario_ref", "effort", "budget", "snap_ref", "dirty_hint"];

impl Validate for ToolRequest {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        if let Some(b) = &self.budget {
            b.check(&at.field("budget"), r);
        }
    }
}

/// A request with a tool's own parameters beside the shared fields, in one flat object.
///
/// Unknown fields are refused on both sides: what is not a shared field must be one of `P`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolCall<P> {
    /// The shared fields.
    #[serde(flatten)]
    pub request: ToolRequest,
    /// The tool's own parameters.
    #[serde(flatten)]
    pub params: P,
}

impl<'de, P: DeserializeOwned> Deserialize<'de> for ToolCall<P> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let (shared, own): (Map<_, _>, Map<_, _>) = Map::<String, Value>::deserialize(d)?
            .into_iter()
            .partition(|(key, _)| REQUEST_FIELDS.contains(&key.as_str()));
        let request = serde_json::from_value(Value::Object(shared)).map_err(de::Error::custom)?;
        let params = serde_json::from_value(Value::Object(own)).map_err(de::Error::custom)?;
        Ok(ToolCall { request, params })
    }
}

impl<P: JsonSchema> JsonSchema for ToolCall<P> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}Request", P::schema_name().trim_end_matches("Params")).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = ToolRequest::json_schema(generator);
        let own = P::json_schema(generator);
        for key in ["properties", "required"] {
            match (schema.get_mut(key), own.get(key)) {
                (Some(Value::Object(a)), Some(Value::Object(b))) => {
                    a.extend(b.iter().map(|(k, v)| (k.clone(), v.clone())));
                }
                (Some(Value::Array(a)), Some(Value::Array(b))) => a.extend(b.iter().cloned()),
                (None, Some(b)) => {
                    schema.insert(key.into(), b.clone());
                }
                _ => {}
            }
        }
        if let Some(text) = own.get("description") {
            schema.insert("description".into(), text.clone());
        }
        schema
    }
}

impl<P: Validate> Validate for ToolCall<P> {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        self.request.check(at, r);
        self.params.check(at, r);
    }
}

/// Own parameters of `cw.place`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlaceParams {
    /// Weight of congestion, 0 to 1.
    #[serde(with = "crate::number::FiniteOpt", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub congestion_weight: Option<f64>,
    /// Weight of timing, 0 to 1.
    #[serde(with = "crate::number::FiniteOpt", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub timing_weight: Option<f64>,
    /// Target density, 0 to 1.
    #[serde(with = "crate::number::FiniteOpt", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub density_target: Option<f64>,
    /// Most iterations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// Seed of everything random, up to 2^53−1.
    #[serde(with = "crate::number::Uint53Opt", skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl Validate for PlaceParams {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        let shares = [
            ("congestion_weight", self.congestion_weight),
            ("timing_weight", self.timing_weight),
            ("density_target", self.density_target),
        ];
        for (name, v) in shares {
            if let Some(v) = v {
                r.within(&at.field(name), v, 0.0, 1.0);
            }
        }
    }
}

/// Own parameters of `cw.evaluate` and `cw.commit`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposalParams {
    /// What is proposed.
    pub proposal: crate::proposal::Proposal,
}

impl Validate for ProposalParams {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        self.proposal.check(&at.field("proposal"), r);
    }
}
