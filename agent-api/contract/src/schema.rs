//! The published JSON Schemas (draft 2020-12), generated from the types.
//!
//! `agent-api/contract/schemas` holds them as files; a test checks that they are fresh.

use crate::refs::Digest;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;
use std::io;
use std::path::Path;

/// Version of the whole contract.
pub const CONTRACT_VERSION: &str = "0.2.0";

/// A published schema: file stem and content.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// File stem, such as `proposal`.
    pub name: &'static str,
    /// The schema.
    pub schema: Schema,
}

fn one<T: JsonSchema>(name: &'static str) -> Published {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    schema.insert("$id".into(), format!("urn:cellwright:schema:{name}:{CONTRACT_VERSION}").into());
    Published { name, schema }
}

/// Every published schema, sorted by name.
#[must_use]
pub fn published() -> Vec<Published> {
    use crate::{
        agent, budget, capability, certificate, delta, envelope, event, gate, goal, invocation,
        invoke, negotiate, platform, proposal, rank, request, result, scenario,
    };
    let mut all = vec![
        one::<agent::Feedback>("feedback"),
        one::<budget::CostBudget>("cost-budget"),
        one::<capability::Descriptor>("descriptor"),
        one::<capability::ToolCapability>("tool-capability"),
        one::<certificate::Certificate>("certificate"),
        one::<certificate::Statement>("statement"),
        one::<delta::DesignDelta>("design-delta"),
        one::<envelope::Envelope>("envelope"),
        one::<event::Event>("event"),
        one::<gate::GateJudgment>("gate-judgment"),
        one::<goal::MetricGoal>("metric-goal"),
        one::<invocation::InvokeResult>("package-capability-invoke-result.v1"),
        one::<invoke::Evidence>("caller-evidence"),
        one::<invoke::Grant>("grant"),
        one::<invoke::InvokeRequest>("package-capability-invoke.v1"),
        one::<invoke::Withdrawal>("grant-withdrawal"),
        one::<negotiate::Agreement>("agreement"),
        one::<negotiate::Refusals>("refusals"),
        one::<platform::Committed>("committed"),
        one::<platform::DirtySet>("dirty-set"),
        one::<platform::Evaluation>("evaluation"),
        one::<proposal::Proposal>("proposal"),
        one::<rank::ParetoRank>("pareto-rank"),
        one::<rank::RegretDetail>("regret-detail"),
        one::<request::ToolCall<request::PlaceParams>>("place-request"),
        one::<request::ToolCall<request::ProposalParams>>("proposal-request"),
        one::<request::ToolRequest>("tool-request"),
        one::<result::ToolResult>("tool-result"),
        one::<result::ToolResult<result::TimingReport>>("sta-result"),
        one::<scenario::Scenario>("scenario"),
    ];
    all.sort_by_key(|p| p.name);
    all
}

/// The text of a published schema as its file holds it.
#[must_use]
pub fn text(schema: &Schema) -> String {
    let mut text = serde_json::to_string_pretty(&sorted(schema.as_value())).unwrap_or_default();
    text.push('\n');
    text
}

/// The same value with sorted keys, whichever map the build of `serde_json` uses.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.iter().collect();
            pairs.sort_by_key(|(key, _)| *key);
            Value::Object(pairs.into_iter().map(|(k, v)| (k.clone(), sorted(v))).collect())
        }
        Value::Array(list) => Value::Array(list.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// Writes every schema into a folder as `<name>.json`.
///
/// # Errors
/// When a file cannot be written.
pub fn write_schemas(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for p in published() {
        std::fs::write(folder.join(format!("{}.json", p.name)), text(&p.schema))?;
    }
    Ok(())
}

/// Digest of one or more schemas: what a caller commits to as the contract digest.
#[must_use]
pub fn contract_digest(schemas: &[&Schema]) -> Digest {
    let list = schemas.iter().map(|s| s.as_value().clone()).collect();
    Digest::blake3_of(&canonical(&Value::Array(list)))
}

/// Canonical JSON (RFC 8785) of a value. A [`Value`] holds no NaN and only text keys, so this
/// cannot fail.
#[must_use]
pub(crate) fn canonical(value: &Value) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(value).unwrap_or_default()
}
