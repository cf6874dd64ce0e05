//! What a tool can do: its capability, and the descriptor that says how to call it.

use crate::budget::Effort;
use crate::gate::Maturity;
use crate::limits::MAX_NAME_BYTES;
use crate::number::Uint53;
use crate::validate::{At, Report, Validate};
use schemars::JsonSchema;
use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How cost grows with the design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// n.
    Linear,
    /// n log n.
    Nlogn,
    /// n².
    Quadratic,
}

/// What a tool needs of its input.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct InputConstraints {
    /// True when a snapshot must be named.
    pub requires_snapshot: bool,
    /// True when a dirty set must be named.
    pub requires_dirty_set: bool,
    /// Most cells of a design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_design_cells: Option<u64>,
    /// Technologies that work; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supported_techs: Option<Vec<String>>,
}

/// What a call costs, measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PerformanceProfile {
    /// Typical time of a call, ms.
    #[serde(with = "Uint53")]
    pub typical_latency_ms: u64,
    /// Peak memory, MB.
    #[serde(with = "Uint53")]
    pub peak_memory_mb: u64,
    /// Growth with the design.
    pub scaling: Scaling,
}

/// What a tool declares of itself, so that an agent can judge fit before it picks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCapability {
    /// Tool name, such as `cw.place`.
    #[schemars(length(min = 1, max = 4096))]
    pub tool_name: String,
    /// Version of its contract.
    #[schemars(with = "String")]
    pub version: Version,
    /// Scenarios that it supports, such as `placement`.
    pub supported_scenarios: Vec<String>,
    /// Effort levels that it supports.
    pub fidelity_levels: Vec<Effort>,
    /// What it needs.
    pub input_constraints: InputConstraints,
    /// JSON Schema of its value.
    pub output_schema: Value,
    /// What it cannot do, in words.
    pub known_limitations: Vec<String>,
    /// What a call costs.
    pub performance_profile: PerformanceProfile,
}

impl Validate for ToolCapability {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        r.name(&at.field("tool_name"), &self.tool_name, MAX_NAME_BYTES);
        if !(self.output_schema.is_object() || self.output_schema.is_boolean()) {
            r.push(&at.field("output_schema"), "a JSON Schema is an object or a boolean");
        }
    }
}

/// `schema` of a [`Descriptor`].
pub const DESCRIPTOR_SCHEMA: &str = "vyges-tool-descriptor/1.1";

/// How to call a tool, what comes out of it, and which field is its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Descriptor {
    /// Always [`DESCRIPTOR_SCHEMA`].
    pub schema: String,
    /// Tool name.
    pub name: String,
    /// What it does, in a sentence.
    pub summary: String,
    /// How far it has been proven.
    pub maturity: Maturity,
    /// What its provenance does not cover.
    pub provenance_limitations: Vec<String>,
    /// How to call it.
    pub invocation: Invocation,
    /// JSON Schema of its parameters.
    pub inputs: Value,
    /// Files that it leaves.
    pub artifacts: Vec<ArtifactSource>,
    /// Which field is its verdict; null when it establishes no claim.
    pub assertion: Option<Assertion>,
    /// Roles of artifacts that it reads.
    pub consumes: Vec<String>,
    /// What it declares of itself.
    pub capability: ToolCapability,
}

/// How to call a tool on a command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Invocation {
    /// Arguments in order; `{name}` stands for a parameter.
    pub args_template: Vec<String>,
    /// Parameters that become flags when they are given.
    pub optional: Vec<OptionalArg>,
    /// True when it prints JSON.
    pub emits_json: bool,
}

/// A parameter that becomes a flag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OptionalArg {
    /// Parameter name.
    pub arg: String,
    /// Flag, such as `--corner`.
    pub flag: String,
}

/// Where a tool's artifact is named: in a field of its result, or by an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactSource {
    /// What the file is.
    pub role: String,
    /// Field of the result that holds the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Argument that holds the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_arg: Option<String>,
}

/// Which field of the result is the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Assertion {
    /// The claim, such as `timing-met`.
    pub id: String,
    /// Field of the result, with dots between levels.
    pub field: String,
    /// The value that means pass: a boolean, a number or a text.
    pub pass_when: Value,
}

impl Validate for Descriptor {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        if self.schema != DESCRIPTOR_SCHEMA {
            r.push(&at.field("schema"), format!("must be {DESCRIPTOR_SCHEMA}"));
        }
        r.name(&at.field("name"), &self.name, MAX_NAME_BYTES);
        self.capability.check(&at.field("capability"), r);
        let list = at.field("artifacts");
        for (i, a) in self.artifacts.iter().enumerate() {
            if a.field.is_some() == a.from_arg.is_some() {
                r.push(&list.index(i), "an artifact is named by exactly one of field and from_arg");
            }
        }
    }
}
