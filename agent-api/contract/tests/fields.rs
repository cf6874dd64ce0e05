//! The types that the contract's text lists have the fields that it lists, optional where it says.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use cellwright_contract::invocation::RefusalCode;
use cellwright_contract::schema::published;
use serde_json::{Value, json};

fn schema(name: &str) -> Value {
    let all = published();
    let found = all.iter().find(|p| p.name == name);
    found.unwrap_or_else(|| panic!("no schema {name}")).schema.clone().to_value()
}

/// Follows references and lists of alternatives with null to the object that holds fields.
fn object<'a>(root: &'a Value, value: &'a Value) -> &'a Value {
    if let Some(name) = value["$ref"].as_str() {
        let place = name.strip_prefix('#').unwrap();
        return object(root, root.pointer(place).unwrap());
    }
    for list in ["anyOf", "allOf"] {
        if value.get("properties").is_none()
            && let Some(inner) = value[list].as_array().and_then(|list| list.first())
        {
            return object(root, inner);
        }
    }
    if value["properties"].is_null() && value["items"].is_object() {
        return object(root, &value["items"]);
    }
    value
}

/// `fields` in the text's way: a trailing `?` is optional.
fn has(name: &str, path: &[&str], fields: &[&str]) {
    let root = schema(name);
    let mut at = object(&root, &root);
    for step in path {
        at = object(&root, &at["properties"][step]);
    }
    let required: Vec<&str> =
        at["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for field in fields {
        let (field, optional) = match field.strip_suffix('?') {
            Some(field) => (field, true),
            None => (*field, false),
        };
        assert!(at["properties"].get(field).is_some(), "{name} {path:?} has no `{field}`");
        if optional {
            assert!(!required.contains(&field), "{name} {path:?}: `{field}` must be optional");
        }
    }
}

#[test]
fn tool_requests() {
    let shared = [
        "design_ref",
        "intent_ref?",
        "scenario_ref?",
        "effort?",
        "budget?",
        "snap_ref?",
        "dirty_hint?",
    ];
    has("tool-request", &[], &shared);
    has("place-request", &[], &shared);
    let own = ["congestion_weight?", "timing_weight?", "density_target?", "max_iterations?"];
    has("place-request", &[], &own);
    assert_eq!(schema("tool-request")["required"], json!(["design_ref"]));
}

#[test]
fn tool_results() {
    let shared = ["value", "uncertainty?", "coverage?", "provenance?", "warnings?", "elapsed_ms"];
    has("tool-result", &[], &shared);
    has("sta-result", &[], &shared);
    let provenance =
        ["tool_name", "tool_version", "input_snap", "input_params_hash", "computed_at"];
    has("tool-result", &["provenance"], &provenance);
    has("sta-result", &["value"], &["wns", "tns", "critical_paths", "clock_domains"]);
}

#[test]
fn proposals_and_deltas() {
    has(
        "proposal",
        &[],
        &[
            "id",
            "intent_ref",
            "expected_delta",
            "expected_metrics",
            "rationale?",
            "parent_snap",
            "confidence?",
        ],
    );
    let delta =
        ["moved_cells", "resized_cells", "new_nets", "timing_changes", "drc_changes", "summary"];
    has("design-delta", &[], &delta);
    has("design-delta", &["moved_cells"], &["cell_id", "from", "to"]);
    has("design-delta", &["resized_cells"], &["cell_id", "from_master", "to_master"]);
    has("design-delta", &["summary"], &["cells_affected", "nets_affected", "area_delta"]);
}

#[test]
fn certificates() {
    let fields =
        ["id", "proposal_id", "gate_result", "pareto_position", "regret", "signed_by", "signed_at"];
    has("certificate", &[], &fields);
    has("gate-judgment", &[], &["status", "gates"]);
    let rank = [
        "objectives",
        "front",
        "dominated_by",
        "crowding",
        "hypervolume_contribution",
        "archive_root",
    ];
    has("pareto-rank", &[], &rank);
    has("regret-detail", &[], &["scalar", "hypervolume", "best_id", "archive_root"]);
}

#[test]
fn tool_capabilities() {
    let fields = [
        "tool_name",
        "version",
        "supported_scenarios",
        "fidelity_levels",
        "input_constraints",
        "output_schema",
        "known_limitations",
        "performance_profile",
    ];
    has("tool-capability", &[], &fields);
    has(
        "tool-capability",
        &["input_constraints"],
        &["requires_snapshot", "requires_dirty_set", "max_design_cells?", "supported_techs?"],
    );
    let profile = ["typical_latency_ms", "peak_memory_mb", "scaling"];
    has("tool-capability", &["performance_profile"], &profile);
    let fields = [
        "schema",
        "name",
        "summary",
        "maturity",
        "provenance_limitations",
        "invocation",
        "inputs",
        "artifacts",
        "assertion",
        "consumes",
        "capability",
    ];
    has("descriptor", &[], &fields);
}

#[test]
fn invocation_results() {
    let name = "package-capability-invoke-result.v1";
    let fields = [
        "diagnostic?",
        "schema",
        "schema/v",
        "invocation/id",
        "outcome",
        "refusal/code?",
        "retryable?",
        "request/digest?",
        "result/status?",
        "output?",
        "output/digest?",
        "cause?",
    ];
    has(name, &[], &fields);
    let root = schema(name);
    let known = root["properties"].as_object().unwrap().len();
    assert_eq!(known, fields.len(), "a field that the schema does not list");
    let mut required: Vec<_> =
        root["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    required.sort_unstable();
    assert_eq!(required, ["invocation/id", "outcome", "schema", "schema/v"]);
    assert_eq!(root["properties"]["schema"]["const"], json!(name));
    assert_eq!(root["properties"]["schema/v"]["const"], json!(1));
    assert_eq!(root["allOf"].as_array().unwrap().len(), 5, "the conditional rules");

    let values = |definition: &str| -> Vec<String> {
        let list = &root["$defs"][definition];
        let list = list["oneOf"].as_array().or(list["enum"].as_array()).unwrap();
        let text = |v: &Value| v.as_str().or(v["const"].as_str()).map(str::to_owned);
        list.iter().filter_map(text).collect()
    };
    let outcomes = ["refused", "started", "completed", "aborted", "compensated", "unknown"];
    assert_eq!(values("Outcome"), outcomes);
    assert_eq!(values("ResultStatus"), ["retained", "unavailable"]);
    let causes = ["no-outcome", "output-contract-violation", "pending-disposal"];
    assert_eq!(values("Cause"), causes);
    let codes = [
        "stale-request",
        "out-of-scope",
        "unknown-capability",
        "scope-commitment-mismatch",
        "contract-mismatch",
        "caller-evidence-invalid",
        "grant-missing",
        "grant-invalid",
        "grant-revoked-or-expired",
        "grant-holder-mismatch",
        "grant-binding-stale",
        "grant-voided-by-tombstone",
        "invocation-id-conflict",
        "invalid-input",
        "activation-stale",
        "provider-unavailable",
        "capacity-exhausted",
        "deadline-exceeded",
    ];
    let codes = codes.map(|code| format!("package-capability/{code}"));
    assert_eq!(values("RefusalCode"), codes);
    let retryable: Vec<_> =
        RefusalCode::ALL.iter().filter(|c| c.retryable()).map(|c| c.code()).collect();
    assert_eq!(
        retryable,
        [
            "package-capability/provider-unavailable",
            "package-capability/capacity-exhausted",
            "package-capability/deadline-exceeded"
        ]
    );
}
