//! `cw.results`: what a run has reached.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Format, aside, change, metrics, page};
use crate::reply::{Answer, Fail, Link};
use crate::rooms::Rooms;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum What {
    #[default]
    Summary,
    History,
    Candidates,
    Certificate,
    Runs,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Results {
    run: Option<String>,
    #[serde(default)]
    what: What,
    id: Option<String>,
    first: Option<u64>,
    count: Option<u64>,
    #[serde(default)]
    format: Format,
}

pub(super) async fn results(rooms: &Arc<Rooms>, asked: Results) -> Result<Answer, Fail> {
    let (first, count) = page(asked.first, asked.count, 200)?;
    let (skip, take) = (first as usize, count as usize);
    if asked.what == What::Runs {
        let runs = rooms.runs();
        let items: Vec<Value> = runs
            .iter()
            .map(|run| {
                let head = run.bench.states().len().saturating_sub(1);
                json!({"run": run.name, "design": run.design.design_ref, "head": format!("s{head}")})
            })
            .collect();
        return Ok(Answer::of(json!({
            "what": "runs", "total": items.len(), "items": items, "designs": rooms.desk.designs(),
        })));
    }
    let run = rooms.run(asked.run.as_deref())?;
    let states = run.bench.states();
    let list = |what: &str, items: Vec<Value>, total: usize| {
        let end = skip.saturating_add(items.len());
        let next = (end < total).then_some(end);
        Answer::of(
            json!({"what": what, "run": run.name, "total": total, "next": next, "items": items}),
        )
    };
    match asked.what {
        What::Summary | What::Runs => {
            let (now, remaining) =
                run.chair.look(|view| Ok((view.metrics()?, view.remaining()))).await?;
            let bench = run.bench.clone();
            let candidates = aside(move || bench.candidates()).await?;
            let front: Vec<&str> = candidates
                .iter()
                .filter(|candidate| candidate.rank.front == 0)
                .map(|candidate| candidate.id.as_str())
                .take(20)
                .collect();
            let mut value = json!({
                "what": "summary",
                "run": run.name,
                "design": run.design.design_ref,
                "head": format!("s{}", states.len().saturating_sub(1)),
                "accepted": states.len().saturating_sub(1),
                "metrics": metrics(&now, &run, asked.format.detailed()),
                "change": change(&run.start, &now),
                "front": front,
                "best": candidates.first().map(|candidate| candidate.id.clone()),
                "remaining": remaining,
            });
            if asked.format.detailed() {
                value["folder"] = run.bench.folder().into();
                value["scenario"] = serde_json::to_value(&run.scenario).unwrap_or_default();
            }
            let link = |kind: &str, mime| Link {
                uri: format!("cellwright://{}/{kind}", run.name),
                name: format!("{kind} of {}", run.name),
                mime,
                size: None,
            };
            Ok(Answer::of(value)
                .link(link("scenario", "application/json"))
                .link(link("journal", "application/jsonl")))
        }
        What::History => {
            let items = states.iter().enumerate().skip(skip).take(take).map(|(number, state)| {
                let mut item = json!({
                    "snapshot": format!("s{number}"), "proposal": state.proposal,
                    "certificate": state.certificate,
                });
                if asked.format.detailed() {
                    item["root"] = json!(state.root);
                }
                item
            });
            Ok(list("history", items.collect(), states.len()))
        }
        What::Candidates => {
            let bench = run.bench.clone();
            let candidates = aside(move || bench.candidates()).await?;
            let names: Vec<&str> =
                run.scenario.objectives.iter().map(|o| o.metric.as_str()).collect();
            let items = candidates.iter().skip(skip).take(take).map(|candidate| {
                let values: serde_json::Map<String, Value> = names
                    .iter()
                    .zip(&candidate.values)
                    .map(|(name, value)| ((*name).to_owned(), json!(value)))
                    .collect();
                let mut item = json!({
                    "proposal": candidate.id, "front": candidate.rank.front,
                    "regret": candidate.regret, "values": values,
                });
                if asked.format.detailed() {
                    item["rank"] = json!(candidate.rank);
                }
                item
            });
            Ok(list("candidates", items.collect(), candidates.len()))
        }
        What::Certificate => {
            let wanted = asked.id.as_deref().map(str::trim);
            let found = match wanted {
                None | Some("") => states.iter().rev().find(|state| state.certificate.is_some()),
                Some(id) => states.iter().find(|state| {
                    state.certificate.as_deref() == Some(id)
                        || state.proposal.as_deref() == Some(id)
                }),
            };
            let id = found.and_then(|state| state.certificate.clone()).ok_or_else(|| {
                Fail::not_found(match wanted {
                    Some(id) => format!(
                        "no certificate or accepted proposal `{}`; see what: history",
                        crate::reply::shorten(id, 80)
                    ),
                    None => "nothing was certified yet".to_owned(),
                })
            })?;
            let (bench, name) = (run.bench.clone(), id.clone());
            let text = aside(move || bench.certificate(&name)).await?;
            let link = Link {
                uri: format!("cellwright://{}/certificate/{id}", run.name),
                name: format!("certificate {id}"),
                mime: "application/json",
                size: Some(text.len() as u64),
            };
            let envelope: Value = serde_json::from_str(&text).unwrap_or_default();
            let value = json!({
                "what": "certificate", "run": run.name, "certificate": id,
                "items": if asked.format.detailed() { vec![envelope] } else { Vec::new() },
                "path": format!("{}/certificates/{id}.json", run.bench.folder()),
            });
            Ok(Answer::of(value).link(link))
        }
    }
}
