//! `cw.open`, `cw.close`.

use std::sync::Arc;

use cellwright_contract::budget::CostBudget;
use cellwright_contract::scenario::Objective;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Format, Outcome, aside, metrics, patience};
use crate::desk::Opening;
use crate::reply::{Answer, Fail};
use crate::rooms::Rooms;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Open {
    design: Option<String>,
    #[serde(default)]
    objectives: Vec<Objective>,
    #[serde(default)]
    budget: CostBudget,
    seed: Option<u64>,
    place: Option<bool>,
    density: Option<f64>,
    wait_seconds: Option<f64>,
    #[serde(default)]
    format: Format,
}

pub(super) fn open(rooms: &Arc<Rooms>, asked: Open) -> Result<Outcome, Fail> {
    let known = rooms.desk.designs();
    let design = match asked.design.as_deref().map(str::trim) {
        Some(name) => {
            let lower = name.to_ascii_lowercase();
            let plain = lower.split('@').next().unwrap_or(&lower);
            known.iter().find(|known| known.to_ascii_lowercase() == plain).cloned().ok_or_else(
                || {
                    Fail::not_found(format!(
                        "this server has no design `{}`; it has {}",
                        crate::reply::shorten(name, 60),
                        known.join(", ")
                    ))
                },
            )?
        }
        None => match known.as_slice() {
            [only] => only.clone(),
            _ => {
                return Ok(Answer::of(json!({ "designs": known }))
                    .warn("nothing was opened: name one of the designs")
                    .into());
            }
        },
    };
    rooms.room()?;
    let wait = patience(asked.wait_seconds)?;
    let opening = Opening {
        design,
        objectives: asked.objectives,
        budget: asked.budget,
        seed: asked.seed.unwrap_or(1),
        place: asked.place,
        density: asked.density,
    };
    let arguments = json!({ "design": opening.design, "seed": opening.seed });
    let (house, format) = (rooms.clone(), asked.format);
    let task = rooms.tasks.begin("cw.open", arguments, move |ticket| {
        let opened = house.desk.open(&opening, ticket)?;
        let (design, start) =
            opened.chair.look_here(|view| Ok((view.design(), view.metrics()?)))?;
        let run =
            house.admit(design, opened.chair, opened.bench, opened.scenario, start, opened.notes);
        let objectives: Vec<Value> = run
            .scenario
            .objectives
            .iter()
            .map(|o| json!({"metric": o.metric, "direction": o.direction(), "weight": o.weight}))
            .collect();
        let mut value = json!({
            "run": run.name,
            "design": run.design.design_ref.to_string(),
            "head": "s0",
            "root": run.design.snapshot.to_string(),
            "cells": run.design.cells,
            "nets": run.design.nets,
            "dbu_per_um": run.design.dbu_per_um,
            "core": run.design.core,
            "metrics": metrics(&run.start, &run, format.detailed()),
            "objectives": objectives,
        });
        if format.detailed() {
            value["scenario"] = serde_json::to_value(&run.scenario).unwrap_or_default();
            value["folder"] = run.bench.folder().into();
            value["pins"] = run.design.pins.into();
            value["die"] = json!(run.design.die);
        }
        let mut answer = Answer::of(value);
        answer.warnings.clone_from(&run.notes);
        answer.files = run.bench.files();
        Ok(answer)
    })?;
    Ok(Outcome::Later(task, wait))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Close {
    run: Option<String>,
    #[allow(dead_code)]
    #[serde(default)]
    format: Format,
}

pub(super) async fn close(rooms: &Arc<Rooms>, asked: Close) -> Result<Answer, Fail> {
    let run = rooms.run(asked.run.as_deref())?;
    let busy = rooms.tasks.list().into_iter().filter(|task| {
        task.status() == crate::tasks::Status::Working
            && task.arguments["run"].as_str() == Some(&run.name)
    });
    busy.for_each(|task| task.ticket.cancel());
    run.chair.leave();
    rooms.dismiss(&run.name);
    let (bench, name) = (run.bench.clone(), run.name.clone());
    let closing = aside(move || bench.close()).await?;
    let folder = closing.folder.clone();
    Ok(Answer::of(json!({
        "run": name,
        "folder": closing.folder,
        "proposals": closing.proposals,
        "accepted": closing.accepted,
        "status": closing.status,
        "mutants": closing.mutants.0,
        "mutants_rejected": closing.mutants.1,
        "next": format!("cellwright replay {folder}"),
    }))
    .claims("no-worse-than-start", "status", "pass".into()))
}
