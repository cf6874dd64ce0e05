//! `cw.evaluate`, `cw.commit`: trying a change, and proposing it for good.

use std::sync::Arc;

use cellwright_contract::budget::Effort;
use cellwright_contract::delta::DesignDelta;
use cellwright_contract::gate::GateJudgment;
use cellwright_contract::goal::Goals;
use cellwright_contract::metric::MetricValue;
use cellwright_contract::platform::{Evaluation, PlatformError};
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::SnapshotRef;
use cellwright_contract::validate::Validate as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Format, change, delta_of, metrics};
use crate::args;
use crate::reply::{Answer, Fail, Link, shorten};
use crate::rooms::{Rooms, Run};

/// Most changes tried in one call.
const MAX_BATCH: usize = 1000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Evaluate {
    run: Option<String>,
    delta: Option<Value>,
    deltas: Option<Vec<Value>>,
    effort: Option<Effort>,
    #[serde(default)]
    format: Format,
}

/// Gates that did not hold, each with what shows it.
pub(super) fn not_passed(judgment: &GateJudgment) -> Vec<Value> {
    let gates = judgment.not_passed().take(8);
    gates
        .map(|gate| {
            json!({
                "gate": gate.id, "status": gate.status, "value": gate.value, "limit": gate.limit,
                "evidence": shorten(&gate.evidence, 400),
            })
        })
        .collect()
}

/// One trial as a model reads it.
pub(super) fn trial(
    evaluation: &Evaluation,
    head: &[MetricValue],
    run: &Run,
    format: Format,
) -> Value {
    let judgment = &evaluation.judgment;
    let mut value = json!({
        "passed": judgment.passed(),
        "change": change(head, &evaluation.metrics),
    });
    if !judgment.passed() {
        value["not_passed"] = not_passed(judgment).into();
    }
    if format.detailed() {
        value["metrics"] = metrics(&evaluation.metrics, run, true);
        value["gates"] = json!(judgment.gates);
        value["consumed"] = json!(evaluation.consumed);
    }
    value
}

pub(super) async fn evaluate(rooms: &Arc<Rooms>, asked: Evaluate) -> Result<Answer, Fail> {
    let run = rooms.run(asked.run.as_deref())?;
    let written = match (asked.delta, asked.deltas) {
        (Some(one), None) => vec![one],
        (None, Some(several)) => several,
        (Some(_), Some(_)) => return Err(Fail::invalid("give `delta` or `deltas`, not both")),
        (None, None) => {
            return Err(Fail::invalid("give a change as `delta`, or several as `deltas`"));
        }
    };
    if written.is_empty() || written.len() > MAX_BATCH {
        return Err(Fail::invalid(format!(
            "{} changes; give 1 to {MAX_BATCH} in one call",
            written.len()
        )));
    }
    let single = written.len() == 1;
    // Handles are looked up here, changes are read where the view is.
    let mut changes: Vec<Result<DesignDelta, Value>> = Vec::with_capacity(written.len());
    for one in written {
        changes.push(match one {
            Value::String(text) => match serde_json::from_str::<Value>(&text) {
                Ok(object) if object.is_object() => Err(object),
                _ => Ok(run.delta(&text)?),
            },
            object => Err(object),
        });
    }
    let effort = asked.effort.unwrap_or_default();
    let (head, tried) = run
        .chair
        .look(move |view| {
            let head = view.metrics()?;
            let mut tried: Vec<Result<Evaluation, PlatformError>> = Vec::new();
            for change in changes {
                let change = match change {
                    Ok(change) => Ok(change),
                    Err(written) => args::delta(view, &written),
                };
                let result = change.and_then(|change| view.evaluate(&change, effort));
                // Without budget the rest would fail alike.
                let over = matches!(result, Err(PlatformError::Budget(_)));
                tried.push(result);
                if over {
                    break;
                }
            }
            Ok((head, tried))
        })
        .await?;
    if single && let Some(Err(error)) = tried.first() {
        return Err(error.clone().into());
    }
    let results: Vec<Value> = tried
        .iter()
        .map(|one| match one {
            Ok(evaluation) => trial(evaluation, &head, &run, asked.format),
            Err(error) => {
                let fail = Fail::from(error.clone());
                json!({"passed": false, "error": {"code": fail.code, "message": shorten(&fail.message, 400)}})
            }
        })
        .collect();
    let passed = tried.iter().all(|one| one.as_ref().is_ok_and(|e| e.judgment.passed()));
    let value = json!({
        "head": format!("s{}", run.state(None)?.0),
        "effort": effort,
        "passed": passed,
        "results": results,
    });
    Ok(Answer::of(value).claims("gates-hold", "passed", true.into()))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Commit {
    run: Option<String>,
    delta: Value,
    #[serde(default)]
    expected_metrics: Goals,
    rationale: Option<String>,
    confidence: Option<f64>,
    id: Option<String>,
    parent: Option<String>,
    #[serde(default)]
    format: Format,
}

pub(super) async fn commit(rooms: &Arc<Rooms>, asked: Commit) -> Result<Answer, Fail> {
    let run = rooms.run(asked.run.as_deref())?;
    let delta = delta_of(&run, asked.delta).await?;
    let parent = match asked.parent.as_deref() {
        None => run.chair.look(|view| Ok(view.head())).await?,
        Some(text) => {
            let root = text.parse::<SnapshotRef>().ok().filter(|parent| parent.root().is_some());
            match root {
                Some(root) => root,
                None => run.state(Some(text))?.1.root,
            }
        }
    };
    let proposal = Proposal {
        id: asked.id.unwrap_or_else(|| run.proposal_id()),
        intent_ref: run.scenario.intent.clone(),
        expected_delta: delta,
        expected_metrics: asked.expected_metrics,
        rationale: asked.rationale,
        parent_snap: parent,
        confidence: asked.confidence,
    };
    proposal.validate().map_err(|error| Fail::invalid(error.to_string()))?;
    let before = run.chair.look(|view| view.metrics()).await?;
    let id = proposal.id.clone();
    let judged = run.chair.propose(proposal).await?;
    let feedback = &judged.feedback;
    let (number, state) = run.state(None)?;
    let certificate = if feedback.accepted { state.certificate.clone() } else { None };
    let mut value = json!({
        "accepted": feedback.accepted,
        "proposal": id,
        "head": format!("s{number}"),
        "certificate": certificate,
        "not_passed": not_passed(&feedback.judgment),
        "change": change(&before, &feedback.metrics),
        "metrics": metrics(&feedback.metrics, &run, asked.format.detailed()),
        "rank": feedback.rank.as_ref().map(|rank| rank.front),
        "regret": feedback.regret,
    });
    if asked.format.detailed() {
        value["root"] = json!(state.root);
        value["gates"] = json!(feedback.judgment.gates);
        value["pareto"] = json!(feedback.rank);
        value["consumed"] = json!(feedback.consumed);
        value["remaining"] = json!(feedback.remaining);
    }
    let mut answer = Answer::of(value).claims("gates-hold", "accepted", true.into());
    answer.files = run.bench.files();
    if let Some(certificate) = certificate {
        answer = answer.link(Link {
            uri: format!("cellwright://{}/certificate/{certificate}", run.name),
            name: format!("certificate {certificate}"),
            mime: "application/json",
            size: None,
        });
    }
    Ok(answer)
}
