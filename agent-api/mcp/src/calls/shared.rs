//! The fields that the contract's `ToolRequest` shares between all tools, in a call of this door.
//!
//! A client that speaks the contract names the design and the snapshot and sends a whole proposal;
//! here a run stands for the design, and a change for the proposal. Both are taken.

use rmcp::model::Tool;
use serde_json::{Map, Value};

use crate::reply::{Fail, shorten};
use crate::rooms::Rooms;

/// Turns shared fields into the tool's own arguments.
pub(super) fn translate(
    rooms: &Rooms,
    tool: &Tool,
    arguments: &mut Map<String, Value>,
) -> Result<(), Fail> {
    let takes = |name: &str| tool.input_schema["properties"].get(name).is_some();
    // What the agent is after and where it stands in a flow is for the record; a hint is a hint.
    for name in ["intent_ref", "scenario_ref", "dirty_hint"] {
        arguments.remove(name);
    }
    if !takes("effort") {
        arguments.remove("effort");
    }
    if let Some(Value::Object(mut proposal)) = arguments.remove("proposal") {
        let parts = [
            ("expected_delta", "delta"),
            ("expected_metrics", "expected_metrics"),
            ("rationale", "rationale"),
            ("confidence", "confidence"),
            ("id", "id"),
            ("parent_snap", "parent"),
        ];
        for (from, to) in parts {
            if let Some(value) = proposal.remove(from)
                && (takes(to) || to == "parent")
            {
                arguments.entry(to).or_insert(value);
            }
        }
    }
    if let Some(design) = arguments.remove("design_ref") {
        let text = design.as_str().unwrap_or_default().trim().to_owned();
        if takes("design") {
            arguments.entry("design").or_insert(design);
        } else if !arguments.contains_key("run") && takes("run") {
            let runs = rooms.runs();
            let fitting: Vec<&str> = runs
                .iter()
                .filter(|run| run.design.design_ref.to_string() == text)
                .map(|run| run.name.as_str())
                .collect();
            match fitting.as_slice() {
                [only] => {
                    arguments.insert("run".to_owned(), (*only).into());
                }
                [] => {
                    return Err(Fail::not_found(format!(
                        "no run of `{}` is open; open one with cw.open",
                        shorten(&text, 80)
                    )));
                }
                several => {
                    return Err(Fail::invalid(format!(
                        "several runs of {text} are open, name one as `run`: {}",
                        several.join(", ")
                    )));
                }
            }
        }
    }
    let asked = arguments.remove("snap_ref");
    let parent = if takes("parent") { None } else { arguments.remove("parent") };
    let snapshot = asked.or(parent);
    if let Some(snapshot) = snapshot {
        if takes("snapshot") {
            arguments.entry("snapshot").or_insert(snapshot);
        } else if takes("parent") {
            arguments.entry("parent").or_insert(snapshot);
        } else if takes("run") {
            // These tools look at the head; another snapshot is not what they would answer about.
            let run = rooms.run(arguments.get("run").and_then(Value::as_str))?;
            let (number, _) = run.state(snapshot.as_str())?;
            let head = run.state(None)?.0;
            if number != head {
                return Err(Fail {
                    code: "stale",
                    message: format!(
                        "{} works on the head, s{head}; the snapshot asked for is s{number}",
                        tool.name
                    ),
                });
            }
        }
    }
    Ok(())
}
