//! The tools as clients see them: what each is for, what it takes, what comes back.
//!
//! The schemas are written by hand and short, because a model reads all of them before its first
//! call. What they leave open the arguments' types decide, with an error that says what would do.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// What a tool may do, for the annotations.
#[derive(Clone, Copy)]
enum Effect {
    /// Only reads.
    Reads,
    /// Makes something new and changes nothing that is there.
    Adds,
    /// Changes the head of a run.
    Changes,
}

struct Entry {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    effect: Effect,
    input: Value,
    /// Properties of the value.
    value: Value,
}

const RUN: &str = "Run handle such as run-1; may be left out while one run is open.";
const SNAPSHOT: &str =
    "Snapshot handle: s0 (start), s1, …, head, or a root snap:<hex> (8 digits do). Default head.";
const DELTA: &str = "A change: {moved_cells:[{cell_id, to:{x,y,orient}}], resized_cells:[{cell_id, to_master}], new_nets:[{insert_buffer:{net,sinks,master,at}} | {remove_buffer:{cell_id}} | {swap_pins:{a,b}} | {reconnect:{pin,net}} | {new_net:{name}} | {remove_net:{net}}]}, or a handle such as d-1. x, y in DBU: lower-left corner; orient N,S,FN,FS (kept when left out). `from` is filled in when left out. Objects by id (i:42, n:7) or by name.";
const FORMAT: &str = "concise (default) or detailed.";

fn format() -> Value {
    json!({"type": "string", "enum": ["concise", "detailed"], "description": FORMAT})
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn whole(description: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": description})
}

fn number(description: &str) -> Value {
    json!({"type": "number", "description": description})
}

fn change() -> Value {
    json!({"type": ["object", "string"], "description": DELTA})
}

fn wait() -> Value {
    number(
        "How long to wait for the end before a task handle comes back, seconds, 0 to 50. Default 10.",
    )
}

fn metrics() -> Value {
    json!({"type": "object", "additionalProperties": {"type": "number"}})
}

fn entries() -> Vec<Entry> {
    vec![
        Entry {
            name: "cw.open",
            title: "Open a run",
            about: "Start here. Opens a run on a design: reads it, places it when cells have no place, and gives a run handle. Every run leaves a directory that can be replayed and verified. Without arguments it opens the only design, or lists the designs.",
            effect: Effect::Adds,
            input: object(
                json!({
                    "design": text("Name of a design of this server."),
                    "objectives": {"type": "array", "items": {"type": "object"}, "description": "What counts: [{metric, weight?, direction?}], e.g. hpwl, tns_setup, area. Default: wire length, setup slack, area."},
                    "budget": {"type": "object", "description": "What the run may cost: {work_units?, evaluations?, moves?, wall_ms?}."},
                    "seed": whole("Seed of everything random. Default 1."),
                    "place": {"type": "boolean", "description": "Place first. Default: when a cell has no place."},
                    "density": number("Target density of that placement, 0 to 1."),
                    "wait_seconds": wait(),
                    "format": format(),
                }),
                &[],
            ),
            value: json!({"run": {"type": "string"}, "design": {"type": "string"}, "head": {"type": "string"}, "metrics": metrics(), "objectives": {"type": "array"}, "task": {"type": "string"}, "designs": {"type": "array"}}),
        },
        Entry {
            name: "cw.db",
            title: "Look at the design",
            about: "Reads the design at the head of a run: a summary, cells in pages, one cell or net, cells whose name holds a text, rows, the sizes a master may become, or the worst slack of cells. Ask for what you need; `first` and `count` page through lists.",
            effect: Effect::Reads,
            input: object(
                json!({
                    "run": text(RUN),
                    "what": {"type": "string", "enum": ["summary", "cells", "cell", "net", "find", "rows", "variants", "slacks"], "description": "Default summary."},
                    "name": text("Cell or net (id or name), master for variants, text for find."),
                    "cells": {"type": "array", "items": {"type": "string"}, "description": "Cells for slacks, by id or name."},
                    "mode": {"type": "string", "enum": ["setup", "hold"], "description": "For slacks. Default setup."},
                    "movable": {"type": "boolean", "description": "Only cells that may (not) move, for cells and find."},
                    "first": whole("How many to skip. Default 0."),
                    "count": whole("How many at most. Default 20, at most 500."),
                    "format": format(),
                }),
                &[],
            ),
            value: json!({"what": {"type": "string"}, "head": {"type": "string"}, "total": {"type": "integer"}, "next": {"type": ["integer", "null"]}, "items": {"type": "array"}}),
        },
        Entry {
            name: "cw.measure",
            title: "Measure a snapshot",
            about: "Metrics of a snapshot: wire length, area, leakage, density, congestion, legality, slack; and the change since the start of the run. The claim is `legal`.",
            effect: Effect::Reads,
            input: object(
                json!({"run": text(RUN), "snapshot": text(SNAPSHOT), "format": format()}),
                &[],
            ),
            value: json!({"snapshot": {"type": "string"}, "metrics": metrics(), "change": metrics(), "violations": {"type": ["number", "null"]}}),
        },
        Entry {
            name: "cw.sta",
            title: "Timing",
            about: "Static timing of a snapshot: worst and total slack (ns), and the worst paths from launch to endpoint. The claim is `timing-met` of the mode asked.",
            effect: Effect::Reads,
            input: object(
                json!({
                    "run": text(RUN),
                    "snapshot": text(SNAPSHOT),
                    "mode": {"type": "string", "enum": ["setup", "hold"], "description": "Default setup."},
                    "count": whole("Paths. Default 3, at most 200."),
                    "format": format(),
                }),
                &[],
            ),
            value: json!({"snapshot": {"type": "string"}, "mode": {"type": "string"}, "wns": {"type": ["number", "null"]}, "tns": {"type": ["number", "null"]}, "met": {"type": ["boolean", "null"]}, "paths": {"type": "array"}}),
        },
        Entry {
            name: "cw.evaluate",
            title: "Try a change",
            about: "Tries one change, or up to 1000 in one call, each on the head by itself, and takes it back: which gates hold, what the metrics become. Nothing is kept. `quick` looks at legality, wire length and density, `standard` also at timing and congestion, `exhaustive` recomputes everything.",
            effect: Effect::Reads,
            input: object(
                json!({
                    "run": text(RUN),
                    "delta": change(),
                    "deltas": {"type": "array", "items": change(), "description": "Several changes instead of one."},
                    "effort": {"type": "string", "enum": ["quick", "standard", "exhaustive"], "description": "Default standard."},
                    "format": format(),
                }),
                &[],
            ),
            value: json!({"head": {"type": "string"}, "passed": {"type": ["boolean", "null"]}, "results": {"type": "array"}}),
        },
        Entry {
            name: "cw.preview",
            title: "What a change touches",
            about: "Which cells, nets, pins and regions a change would touch, before it is tried.",
            effect: Effect::Reads,
            input: object(
                json!({"run": text(RUN), "delta": change(), "format": format()}),
                &["delta"],
            ),
            value: json!({"dirty": {"type": "string"}, "cells": {"type": "integer"}, "nets": {"type": "integer"}, "pins": {"type": "integer"}, "regions": {"type": "array"}}),
        },
        Entry {
            name: "cw.commit",
            title: "Propose a change for good",
            about: "Puts a change before the judge. When every gate holds it becomes the head of the run, is signed with a certificate and journaled; else nothing changes and the answer says which gate did not hold. A change that passes need not be better: look at it with cw.evaluate first, or promise with expected_metrics.",
            effect: Effect::Changes,
            input: object(
                json!({
                    "run": text(RUN),
                    "delta": change(),
                    "expected_metrics": {"type": "object", "description": "Promises, e.g. {\"hpwl\": \"-5%\"} or {\"tns_setup\": {\"op\": \"no_worse\", \"hard\": true}}; a hard one that is not met rejects the change."},
                    "rationale": text("Why, in your words."),
                    "confidence": number("How sure you are, 0 to 1."),
                    "id": text("Id of the proposal, new in the run; made when left out."),
                    "parent": text("Snapshot that you think is the head; the change is refused when it is not."),
                    "format": format(),
                }),
                &["delta"],
            ),
            value: json!({"accepted": {"type": "boolean"}, "proposal": {"type": "string"}, "head": {"type": "string"}, "certificate": {"type": ["string", "null"]}, "not_passed": {"type": "array"}, "metrics": metrics(), "change": metrics(), "rank": {"type": ["integer", "null"]}, "regret": {"type": ["number", "null"]}}),
        },
        Entry {
            name: "cw.place",
            title: "Place from scratch",
            about: "Places all movable cells anew: global placement, legalisation, detailed placement. Gives a change handle and the metrics it would lead to; commit it with cw.commit. Long work: gives a task handle when it is not done in time.",
            effect: Effect::Adds,
            input: object(
                json!({
                    "run": text(RUN),
                    "snapshot": text(SNAPSHOT),
                    "density_target": number("0 to 1; the placer chooses when left out."),
                    "max_iterations": whole("Most iterations of global placement."),
                    "seed": whole("Seed. Default 1."),
                    "wait_seconds": wait(),
                    "format": format(),
                }),
                &[],
            ),
            value: json!({"delta": {"type": "string"}, "moved": {"type": "integer"}, "passed": {"type": ["boolean", "null"]}, "metrics": metrics(), "change": metrics(), "task": {"type": "string"}}),
        },
        Entry {
            name: "cw.legalize",
            title: "Make a change legal",
            about: "Takes a snapshot, or a change on it that overlaps or stands off the rows, and finds a legal placement near by. Give cells rough places with `delta`, then legalise. Gives a change handle as cw.place does.",
            effect: Effect::Adds,
            input: object(
                json!({"run": text(RUN), "snapshot": text(SNAPSHOT), "delta": change(), "wait_seconds": wait(), "format": format()}),
                &[],
            ),
            value: json!({"delta": {"type": "string"}, "moved": {"type": "integer"}, "passed": {"type": ["boolean", "null"]}, "metrics": metrics(), "change": metrics(), "task": {"type": "string"}}),
        },
        Entry {
            name: "cw.optimize",
            title: "Let a baseline agent work",
            about: "Lets one of the baseline agents (anneal, random) propose and commit in this run for some time; what it commits is judged and signed like yours. Long work: gives a task handle. Looking (cw.db, cw.evaluate, …) goes on meanwhile, committing does not.",
            effect: Effect::Changes,
            input: object(
                json!({
                    "run": text(RUN),
                    "agent": {"type": "string", "description": "anneal (default) or random."},
                    "seconds": number("Most time, 0.1 to 3600. Default 20."),
                    "proposals": whole("Most proposals. Default 1000."),
                    "seed": whole("Seed. Default 1."),
                    "wait_seconds": wait(),
                    "format": format(),
                }),
                &[],
            ),
            value: json!({"proposals": {"type": "integer"}, "accepted": {"type": "integer"}, "cancelled": {"type": "boolean"}, "head": {"type": "string"}, "metrics": metrics(), "change": metrics(), "task": {"type": "string"}}),
        },
        Entry {
            name: "cw.task",
            title: "Long work",
            about: "Where a task stands; waits for its end, cancels it, or lists all. A finished task answers with the result of the tool that began it, in `result`.",
            effect: Effect::Adds,
            input: object(
                json!({
                    "task": text("Task handle such as task-1; all are listed when left out."),
                    "action": {"type": "string", "enum": ["get", "cancel"], "description": "Default get."},
                    "wait_seconds": wait(),
                    "format": format(),
                }),
                &[],
            ),
            value: json!({"task": {"type": "string"}, "tool": {"type": "string"}, "status": {"type": "string", "enum": ["working", "completed", "failed", "cancelled"]}, "progress": {"type": "number"}, "message": {"type": "string"}, "result": {}, "tasks": {"type": "array"}}),
        },
        Entry {
            name: "cw.picture",
            title: "Look at the layout",
            about: "A PNG of a snapshot. Colours: green logic, blue registers, purple macros, red cells with negative setup slack (colour `slack`: from red, late, to green, early), orange ports, yellow what `highlight` names. A region zooms in.",
            effect: Effect::Reads,
            input: object(
                json!({
                    "run": text(RUN),
                    "snapshot": text(SNAPSHOT),
                    "region": {"type": "array", "items": {"type": "integer"}, "minItems": 4, "maxItems": 4, "description": "x0, y0, x1, y1 in DBU. Default the die."},
                    "colour": {"type": "string", "enum": ["kind", "slack"], "description": "Default kind."},
                    "highlight": {"type": "array", "items": {"type": "string"}, "description": "Cells by id or name."},
                    "width": whole("Pixels, 64 to 2000. Default 800."),
                    "format": format(),
                }),
                &[],
            ),
            value: json!({"snapshot": {"type": "string"}, "region": {"type": "array"}, "width": {"type": "integer"}, "height": {"type": "integer"}, "cells": {"type": "integer"}, "late": {"type": "integer"}}),
        },
        Entry {
            name: "cw.results",
            title: "What a run has reached",
            about: "The run so far: its snapshots (history), the candidates of the archive with Pareto front and regret, one certificate, the budget left, or the runs that are open.",
            effect: Effect::Reads,
            input: object(
                json!({
                    "run": text(RUN),
                    "what": {"type": "string", "enum": ["summary", "history", "candidates", "certificate", "runs"], "description": "Default summary."},
                    "id": text("Certificate or proposal, for certificate."),
                    "first": whole("How many to skip. Default 0."),
                    "count": whole("How many at most. Default 20, at most 200."),
                    "format": format(),
                }),
                &[],
            ),
            value: json!({"what": {"type": "string"}, "run": {"type": "string"}, "total": {"type": "integer"}, "next": {"type": ["integer", "null"]}, "items": {"type": "array"}}),
        },
        Entry {
            name: "cw.close",
            title: "Close a run",
            about: "Ends a run: the verdict is written and the run directory is whole. Replay it with `cellwright replay DIR`, check a certificate with `cellwright verify`.",
            effect: Effect::Changes,
            input: object(json!({"run": text(RUN), "format": format()}), &[]),
            value: json!({"run": {"type": "string"}, "folder": {"type": "string"}, "proposals": {"type": "integer"}, "accepted": {"type": "integer"}, "status": {"type": "string"}}),
        },
    ]
}

fn map(value: Value) -> JsonObject {
    match value {
        Value::Object(map) => map,
        _ => JsonObject::new(),
    }
}

/// The envelope with a tool's own value inside, in short.
fn output(value: Value) -> Value {
    json!({
        "type": "object",
        "description": "loom-result/1.1",
        "required": ["schema", "tool", "tool_version", "status", "engineering", "input_hash", "result", "artifacts", "error", "logs", "provenance"],
        "properties": {
            "schema": {"const": "loom-result/1.1"},
            "status": {"enum": ["ok", "error"]},
            "engineering": {"type": "object", "properties": {"status": {"enum": ["pass", "fail", "unknown", "not_applicable"]}}},
            "result": {"type": ["object", "null"], "properties": {"value": {"type": "object", "properties": value}, "warnings": {"type": "array"}, "elapsed_ms": {"type": "integer"}}},
            "error": {"type": ["object", "null"], "properties": {"code": {"type": "string"}, "message": {"type": "string"}}},
        },
    })
}

/// Every tool, always in the same order.
pub(crate) fn tools() -> Vec<Tool> {
    let tool = |entry: Entry| {
        let notes = ToolAnnotations::with_title(entry.title)
            .read_only(matches!(entry.effect, Effect::Reads))
            .destructive(false)
            .idempotent(matches!(entry.effect, Effect::Reads))
            .open_world(false);
        Tool::new(entry.name, entry.about, Arc::new(map(entry.input)))
            .with_title(entry.title)
            .with_raw_output_schema(Arc::new(map(output(entry.value))))
            .with_annotations(notes)
    };
    entries().into_iter().map(tool).collect()
}

/// The tool that a name means: underscores for the dot, no prefix, other cases, and the aliases of
/// the contract are taken.
pub(crate) fn named(tools: &[Tool], name: &str) -> Option<String> {
    let canonical = cellwright_contract::negotiate::canonical_tool(name.trim());
    let plain = canonical.to_ascii_lowercase().replace(['_', '-', '/'], ".");
    let plain = plain.strip_prefix("cw.").unwrap_or(&plain).to_owned();
    let plain = match plain.as_str() {
        "legalise" => "legalize",
        "optimise" => "optimize",
        "tasks" => "task",
        "result" => "results",
        other => other,
    };
    let full = format!("cw.{plain}");
    tools.iter().find(|tool| tool.name == full).map(|tool| tool.name.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_list_is_short_enough_to_read() {
        let tools = tools();
        assert!(tools.len() <= 14, "{}", tools.len());
        let text = serde_json::to_string(&tools).unwrap();
        // About 9,000 tokens.
        assert!(text.len() < 36_000, "{} bytes", text.len());
        for tool in &tools {
            assert!(tool.description.as_ref().unwrap().len() > 60, "{}", tool.name);
            assert!(tool.output_schema.is_some() && tool.annotations.is_some(), "{}", tool.name);
            for (name, property) in tool.input_schema["properties"].as_object().unwrap() {
                assert!(property.get("description").is_some(), "{} {name}", tool.name);
            }
        }
    }

    #[test]
    fn names_are_forgiving() {
        let tools = tools();
        for (given, meant) in [
            ("cw.db", "cw.db"),
            ("cw_db", "cw.db"),
            ("iDB", "cw.db"),
            ("iPL.place", "cw.place"),
            ("iSTA", "cw.sta"),
            ("Legalise", "cw.legalize"),
            ("evaluate", "cw.evaluate"),
        ] {
            assert_eq!(named(&tools, given).as_deref(), Some(meant), "{given}");
        }
        assert_eq!(named(&tools, "rm -rf"), None);
    }
}
