//! `cw.place`, `cw.legalize`, `cw.optimize`, `cw.task`: long work and its handles.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cellwright_contract::budget::Effort;
use cellwright_contract::delta::DesignDelta;
use cellwright_contract::request::PlaceParams;
use cellwright_contract::validate::Validate as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::change::trial;
use super::{Format, Outcome, change, delta_of, metrics, patience};
use crate::reply::{Answer, Fail, Link};
use crate::rooms::{Rooms, Run};
use crate::tasks::{Status, Task};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Place {
    run: Option<String>,
    snapshot: Option<String>,
    density_target: Option<f64>,
    max_iterations: Option<u32>,
    seed: Option<u64>,
    wait_seconds: Option<f64>,
    #[serde(default)]
    format: Format,
}

pub(super) fn place(rooms: &Arc<Rooms>, asked: Place) -> Result<Outcome, Fail> {
    let run = rooms.run(asked.run.as_deref())?;
    let (number, _) = run.state(asked.snapshot.as_deref())?;
    let wait = patience(asked.wait_seconds)?;
    let params = PlaceParams {
        density_target: asked.density_target,
        max_iterations: asked.max_iterations,
        seed: asked.seed,
        ..PlaceParams::default()
    };
    params.validate().map_err(|error| Fail::invalid(error.to_string()))?;
    let arguments = json!({"run": run.name, "snapshot": format!("s{number}"), "params": params});
    let task = rooms.tasks.begin("cw.place", arguments, move |ticket| {
        let delta = run.bench.place(number, &params, ticket)?;
        if ticket.cancelled() {
            return Err(Fail::cancelled());
        }
        kept(&run, number, delta, asked.format)
    })?;
    Ok(Outcome::Later(task, wait))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Legalize {
    run: Option<String>,
    snapshot: Option<String>,
    delta: Option<Value>,
    wait_seconds: Option<f64>,
    #[serde(default)]
    format: Format,
}

pub(super) async fn legalize(rooms: &Arc<Rooms>, asked: Legalize) -> Result<Outcome, Fail> {
    let run = rooms.run(asked.run.as_deref())?;
    let (number, _) = run.state(asked.snapshot.as_deref())?;
    let wait = patience(asked.wait_seconds)?;
    let change = match asked.delta {
        Some(written) => delta_of(&run, written).await?,
        None => DesignDelta::default(),
    };
    let arguments = json!({"run": run.name, "snapshot": format!("s{number}")});
    let task = rooms.tasks.begin("cw.legalize", arguments, move |ticket| {
        let delta = run.bench.legalize(number, &change, ticket)?;
        if ticket.cancelled() {
            return Err(Fail::cancelled());
        }
        kept(&run, number, delta, asked.format)
    })?;
    Ok(Outcome::Later(task, wait))
}

/// Keeps a change that an engine found, and tries it when it starts from the head.
fn kept(run: &Arc<Run>, number: usize, delta: DesignDelta, format: Format) -> Result<Answer, Fail> {
    let moved = delta.moved_cells.len();
    let size = serde_json::to_vec(&delta).map_or(0, |text| text.len() as u64);
    let at_head = number + 1 == run.bench.states().len();
    let handle = run.keep(delta.clone());
    let mut value = json!({"delta": handle, "moved": moved, "snapshot": format!("s{number}")});
    let mut answer = if at_head {
        let (head, evaluation) = run.chair.look_here(move |view| {
            Ok((view.metrics()?, view.evaluate(&delta, Effort::Standard)?))
        })?;
        let told = trial(&evaluation, &head, run, format);
        if let (Some(value), Some(told)) = (value.as_object_mut(), told.as_object()) {
            value.extend(told.clone());
        }
        value["metrics"] = metrics(&evaluation.metrics, run, format.detailed());
        Answer::of(value).claims("gates-hold", "passed", true.into())
    } else {
        value["passed"] = Value::Null;
        Answer::of(value)
            .warn("the snapshot is not the head, so the change was not tried; it fits there only")
    };
    answer = answer.link(Link {
        uri: format!("cellwright://{}/delta/{handle}", run.name),
        name: format!("change {handle}"),
        mime: "application/json",
        size: Some(size),
    });
    Ok(answer)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Optimize {
    run: Option<String>,
    agent: Option<String>,
    seconds: Option<f64>,
    proposals: Option<u64>,
    seed: Option<u64>,
    wait_seconds: Option<f64>,
    #[serde(default)]
    format: Format,
}

pub(super) fn optimize(rooms: &Arc<Rooms>, asked: Optimize) -> Result<Outcome, Fail> {
    let run = rooms.run(asked.run.as_deref())?;
    let wait = patience(asked.wait_seconds)?;
    let seconds = asked.seconds.unwrap_or(20.0);
    if !(0.1..=3600.0).contains(&seconds) {
        return Err(Fail::invalid(format!("`seconds` is {seconds}; give 0.1 to 3600")));
    }
    let name = asked.agent.unwrap_or_else(|| "anneal".to_owned());
    let agent = rooms.desk.agent(name.trim())?;
    let (proposals, seed) = (asked.proposals.unwrap_or(1000), asked.seed.unwrap_or(1));
    let arguments =
        json!({"run": run.name, "agent": name, "seconds": seconds, "proposals": proposals});
    let task = rooms.tasks.begin("cw.optimize", arguments, move |ticket| {
        let before = run.chair.look_here(|view| view.metrics())?;
        let until = Instant::now() + Duration::from_secs_f64(seconds);
        let worked = run.chair.work(agent, seed, proposals, until, ticket.clone())?;
        let after = run.chair.look_here(|view| view.metrics())?;
        Ok(Answer::of(json!({
            "proposals": worked.proposals,
            "accepted": worked.accepted,
            "cancelled": worked.cancelled,
            "head": format!("s{}", run.state(None)?.0),
            "metrics": metrics(&after, &run, asked.format.detailed()),
            "change": change(&before, &after),
        })))
    })?;
    Ok(Outcome::Later(task, wait))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ask {
    task: Option<String>,
    #[serde(default)]
    action: Action,
    wait_seconds: Option<f64>,
    #[allow(dead_code)]
    #[serde(default)]
    format: Format,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    #[default]
    Get,
    Cancel,
}

/// How a task stands, in words; its answer's value when it is done.
pub(crate) fn told(task: &Task) -> Answer {
    let (part, word) = task.ticket.stands();
    let status = task.status();
    let mut value = json!({
        "task": task.id,
        "tool": task.tool,
        "status": status.word(),
        "progress": if status == Status::Completed { 1.0 } else { part },
        "message": word,
        "seconds": task.began.elapsed().as_secs_f64(),
    });
    match task.outcome() {
        Some(Ok(mut answer)) => {
            value["result"] = answer.value.take();
            if let Some(claim) = &mut answer.claim {
                claim.field = claim.field.replacen("value.", "value.result.", 1);
            }
            answer.value = value;
            answer
        }
        Some(Err(fail)) => {
            value["error"] = json!({"code": fail.code, "message": fail.message});
            Answer::of(value)
        }
        None => {
            value["next"] = format!(
                "ask again with cw.task {{\"task\": \"{}\"}}, or cancel with action cancel",
                task.id
            )
            .into();
            Answer::of(value)
        }
    }
}

pub(super) async fn task(rooms: &Arc<Rooms>, asked: Ask) -> Result<Answer, Fail> {
    let Some(handle) = asked.task.as_deref().filter(|handle| !handle.trim().is_empty()) else {
        let tasks = rooms.tasks.list();
        let items: Vec<Value> = tasks
            .iter()
            .map(|task| {
                let (part, word) = task.ticket.stands();
                json!({"task": task.id, "tool": task.tool, "status": task.status().word(), "progress": part, "message": word})
            })
            .collect();
        return Ok(Answer::of(json!({ "tasks": items })));
    };
    let Some(task) = rooms.tasks.get(handle) else {
        let known: Vec<String> =
            rooms.tasks.list().iter().rev().take(5).map(|task| task.id.clone()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(Fail::not_found(format!(
            "there is no task `{}`; the newest: {known}",
            crate::reply::shorten(handle, 60)
        )));
    };
    if asked.action == Action::Cancel {
        task.ticket.cancel();
    }
    task.wait(patience(asked.wait_seconds)?).await;
    Ok(told(&task))
}
