//! `cw.db`, `cw.measure`, `cw.sta`, `cw.preview`, `cw.picture`: what only reads.

use std::sync::Arc;

use cellwright_contract::delta::TimingMode;
use cellwright_contract::geometry::Rect;
use cellwright_contract::metric::MetricValue;
use cellwright_contract::platform::{CellInfo, PlatformError, View};
use cellwright_contract::result::TimingPath;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Format, aside, change, delta_of, metrics, page};
use crate::args;
use crate::picture::{self, Colour, Frame};
use crate::reply::{Answer, Fail};
use crate::rooms::{Rooms, Run};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum What {
    #[default]
    Summary,
    Cells,
    Cell,
    Net,
    Find,
    Rows,
    Variants,
    Slacks,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Db {
    run: Option<String>,
    #[serde(default)]
    what: What,
    name: Option<String>,
    #[serde(default)]
    cells: Vec<String>,
    mode: Option<TimingMode>,
    movable: Option<bool>,
    first: Option<u64>,
    count: Option<u64>,
    #[serde(default)]
    format: Format,
}

/// A cell in few words.
fn brief(cell: &CellInfo, detailed: bool) -> Value {
    if detailed {
        return serde_json::to_value(cell).unwrap_or_default();
    }
    let at = cell.position.map(|p| json!([p.x, p.y, p.orient]));
    let mut value = json!({
        "id": cell.id, "name": cell.name, "master": cell.master, "at": at, "w": cell.width,
    });
    if !cell.movable {
        value["movable"] = false.into();
    }
    value
}

pub(super) async fn db(rooms: &Arc<Rooms>, asked: Db) -> Result<Answer, Fail> {
    let run = rooms.run(asked.run.as_deref())?;
    let (first, count) = page(asked.first, asked.count, 500)?;
    let detailed = asked.format.detailed();
    let head = format!("s{}", run.state(None)?.0);
    let name = asked.name.clone().map(|name| name.trim().to_owned());
    let needs_name = |what: &str| {
        name.clone().filter(|name| !name.is_empty()).ok_or_else(|| {
            Fail::invalid(format!("`what` is `{what}`; give its id or name as `name`"))
        })
    };
    let list = |what: &str, items: Vec<Value>, total: Option<u64>, next: Option<u64>| {
        let mut value = json!({"what": what, "head": head, "items": items});
        if let Some(total) = total {
            value["total"] = total.into();
            value["next"] = next.map_or(Value::Null, Value::from);
        }
        Answer::of(value)
    };
    match asked.what {
        What::Summary => {
            let (design, values, remaining, rows) = run
                .chair
                .look(|view| {
                    Ok((view.design(), view.metrics()?, view.remaining(), view.rows()?.len()))
                })
                .await?;
            let mut value = json!({
                "what": "summary", "head": head, "root": design.snapshot,
                "design": design.design_ref, "cells": design.cells, "nets": design.nets,
                "pins": design.pins, "rows": rows, "dbu_per_um": design.dbu_per_um,
                "core": design.core, "metrics": metrics(&values, &run, detailed),
                "remaining": remaining,
            });
            if detailed {
                value["die"] = json!(design.die);
            }
            Ok(Answer::of(value))
        }
        What::Cells | What::Find => {
            let text = match asked.what {
                What::Find => Some(needs_name("find")?),
                _ => None,
            };
            let movable = asked.movable;
            let found = run
                .chair
                .look(move |view| scan(view, text.as_deref(), movable, first, count))
                .await?;
            let items: Vec<Value> = found.cells.iter().map(|cell| brief(cell, detailed)).collect();
            let what = if asked.what == What::Find { "find" } else { "cells" };
            Ok(list(what, items, Some(found.total), found.next))
        }
        What::Cell => {
            let reference = args::object(&needs_name("cell")?)?;
            let cell = run.chair.look(move |view| view.cell(&reference)).await?;
            Ok(list("cell", vec![serde_json::to_value(&cell).unwrap_or_default()], None, None))
        }
        What::Net => {
            let reference = args::object(&needs_name("net")?)?;
            let net = run.chair.look(move |view| view.net(&reference)).await?;
            let (total, mut value) =
                (net.pins.len() as u64, serde_json::to_value(&net).unwrap_or_default());
            // A clock net may have every register on it.
            let next = (first + count < total).then_some(first + count);
            if let Some(pins) = value["pins"].as_array_mut() {
                let shown = pins.drain(..).skip(first as usize).take(count as usize).collect();
                value["pins"] = Value::Array(shown);
            }
            Ok(list("net", vec![value], Some(total), next))
        }
        What::Rows => {
            let rows = run.chair.look(|view| view.rows()).await?;
            let total = rows.len() as u64;
            let shown = rows.iter().skip(first as usize).take(count as usize);
            let items = shown.map(|row| {
                if detailed {
                    return serde_json::to_value(row).unwrap_or_default();
                }
                json!([
                    row.origin.x,
                    row.origin.y,
                    row.origin.orient,
                    row.sites,
                    row.step,
                    row.height
                ])
            });
            let next = (first + count < total).then_some(first + count);
            let mut answer = list("rows", items.collect(), Some(total), next);
            if !detailed {
                answer.value["columns"] = json!(["x", "y", "orient", "sites", "step", "height"]);
            }
            Ok(answer)
        }
        What::Variants => {
            let master = needs_name("variants")?;
            let (given, known) = run
                .chair
                .look(move |view| {
                    // A cell is taken for its master.
                    let master = match args::object(&master).ok().map(|cell| view.cell(&cell)) {
                        Some(Ok(cell)) => cell.master,
                        _ => master,
                    };
                    Ok((master.clone(), view.variants(&master)?))
                })
                .await?;
            let items = known.iter().map(|master| serde_json::to_value(master).unwrap_or_default());
            let mut answer = list("variants", items.collect(), None, None);
            answer.value["master"] = given.into();
            Ok(answer)
        }
        What::Slacks => {
            if asked.cells.is_empty() || asked.cells.len() > 500 {
                return Err(Fail::invalid("give 1 to 500 `cells`, by id or name"));
            }
            let cells: Vec<_> =
                asked.cells.iter().map(|cell| args::object(cell)).collect::<Result<_, _>>()?;
            let mode = asked.mode.unwrap_or(TimingMode::Setup);
            let slacks = run.chair.look(move |view| view.slacks(mode, &cells)).await?;
            let items = asked.cells.iter().zip(slacks);
            let items = items.map(|(cell, slack)| json!({"cell": cell, "slack": slack}));
            Ok(list("slacks", items.collect(), None, None))
        }
    }
}

struct Found {
    cells: Vec<CellInfo>,
    total: u64,
    next: Option<u64>,
}

/// A page of the cells that fit. Without a condition the page is read as it is.
fn scan(
    view: &mut dyn View,
    text: Option<&str>,
    movable: Option<bool>,
    first: u64,
    count: u64,
) -> Result<Found, PlatformError> {
    let all = view.design().cells;
    if text.is_none() && movable.is_none() {
        let cells = view.cells(first, count)?;
        let end = first.saturating_add(cells.len() as u64);
        return Ok(Found { cells, total: all, next: (end < all).then_some(end) });
    }
    let lower = text.map(str::to_ascii_lowercase);
    let (mut cells, mut total, mut at) = (Vec::new(), 0, 0);
    while at < all {
        let chunk = view.cells(at, 4096)?;
        if chunk.is_empty() {
            break;
        }
        at += chunk.len() as u64;
        for cell in chunk {
            let fits = lower.as_ref().is_none_or(|lower| {
                cell.name.to_ascii_lowercase().contains(lower)
                    || cell.master.to_ascii_lowercase() == *lower
            }) && movable.is_none_or(|movable| cell.movable == movable);
            if fits {
                if total >= first && (cells.len() as u64) < count {
                    cells.push(cell);
                }
                total += 1;
            }
        }
    }
    let end = first.saturating_add(cells.len() as u64);
    Ok(Found { cells, total, next: (end < total).then_some(end) })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Measure {
    run: Option<String>,
    snapshot: Option<String>,
    #[serde(default)]
    format: Format,
}

/// Metrics of a snapshot: the judge's own for the head, the bench's for an earlier one.
pub(super) async fn values_of(run: &Arc<Run>, state: usize) -> Result<Vec<MetricValue>, Fail> {
    if state + 1 == run.bench.states().len() {
        return Ok(run.chair.look(|view| view.metrics()).await?);
    }
    let bench = run.bench.clone();
    aside(move || bench.measure(state)).await
}

fn find(values: &[MetricValue], name: &str) -> Option<f64> {
    values.iter().find(|m| m.metric == name).map(|m| m.value)
}

pub(super) async fn measure(rooms: &Arc<Rooms>, asked: Measure) -> Result<Answer, Fail> {
    let run = rooms.run(asked.run.as_deref())?;
    let (number, state) = run.state(asked.snapshot.as_deref())?;
    let values = values_of(&run, number).await?;
    let mut value = json!({
        "snapshot": format!("s{number}"),
        "root": state.root,
        "metrics": metrics(&values, &run, true),
        "change": change(&run.start, &values),
        "violations": find(&values, "legality_violations"),
    });
    if asked.format.detailed() {
        value["units"] = Value::Object(
            values.iter().map(|m| (m.metric.clone(), m.unit.clone().into())).collect(),
        );
    }
    Ok(Answer::of(value).claims("legal", "violations", json!(0)))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sta {
    run: Option<String>,
    snapshot: Option<String>,
    mode: Option<TimingMode>,
    count: Option<u64>,
    #[serde(default)]
    format: Format,
}

fn path(path: &TimingPath, detailed: bool) -> Value {
    if detailed {
        return serde_json::to_value(path).unwrap_or_default();
    }
    let pins: Vec<&str> = path.pins.iter().map(|pin| pin.pin.as_str()).collect();
    json!({
        "slack": path.slack, "from": path.startpoint, "to": path.endpoint, "group": path.group,
        "pins": pins,
    })
}

pub(super) async fn sta(rooms: &Arc<Rooms>, asked: Sta) -> Result<Answer, Fail> {
    let run = rooms.run(asked.run.as_deref())?;
    let (number, _) = run.state(asked.snapshot.as_deref())?;
    let mode = asked.mode.unwrap_or(TimingMode::Setup);
    let count = asked.count.unwrap_or(3);
    if count > 200 {
        return Err(Fail::invalid(format!("`count` is {count}; at most 200 paths a call")));
    }
    let count = u32::try_from(count).unwrap_or(200);
    let values = values_of(&run, number).await?;
    let paths = if number + 1 == run.bench.states().len() {
        run.chair.look(move |view| view.worst_paths(mode, count)).await?
    } else {
        let bench = run.bench.clone();
        aside(move || bench.paths(number, mode, count)).await?
    };
    let word = match mode {
        TimingMode::Setup => "setup",
        TimingMode::Hold => "hold",
    };
    let wns = find(&values, &format!("wns_{word}"));
    let value = json!({
        "snapshot": format!("s{number}"),
        "mode": word,
        "wns": wns,
        "tns": find(&values, &format!("tns_{word}")),
        "met": wns.map(|wns| wns >= 0.0),
        "paths": paths.iter().map(|p| path(p, asked.format.detailed())).collect::<Vec<_>>(),
    });
    let mut answer = Answer::of(value).claims("timing-met", "met", true.into());
    answer
        .limitations
        .push("delays come from estimated or annotated parasitics, without crosstalk".to_owned());
    Ok(answer)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Preview {
    run: Option<String>,
    delta: Value,
    #[serde(default)]
    format: Format,
}

pub(super) async fn preview(rooms: &Arc<Rooms>, asked: Preview) -> Result<Answer, Fail> {
    let run = rooms.run(asked.run.as_deref())?;
    let delta = delta_of(&run, asked.delta).await?;
    let dirty = run.chair.look(move |view| view.preview(&delta)).await?;
    let mut value = json!({
        "dirty": dirty.dirty_ref,
        "cells": dirty.cells.len(),
        "nets": dirty.nets.len(),
        "pins": dirty.pins.len(),
        "timing_seeds": dirty.timing_seeds.len(),
        "regions": dirty.regions,
    });
    if asked.format.detailed() {
        value["cell_ids"] = json!(dirty.cells);
        value["net_ids"] = json!(dirty.nets);
        value["pin_ids"] = json!(dirty.pins);
    }
    Ok(Answer::of(value))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Picture {
    run: Option<String>,
    snapshot: Option<String>,
    region: Option<[i64; 4]>,
    #[serde(default)]
    colour: Colour,
    #[serde(default)]
    highlight: Vec<String>,
    width: Option<u64>,
    #[allow(dead_code)]
    #[serde(default)]
    format: Format,
}

pub(super) async fn picture(rooms: &Arc<Rooms>, asked: Picture) -> Result<Answer, Fail> {
    let run = rooms.run(asked.run.as_deref())?;
    let (number, _) = run.state(asked.snapshot.as_deref())?;
    let width = asked.width.unwrap_or(800);
    if !(64..=2000).contains(&width) {
        return Err(Fail::invalid(format!("`width` is {width}; give 64 to 2000 pixels")));
    }
    if let Some([x0, y0, x1, y1]) = asked.region
        && (x0 >= x1 || y0 >= y1)
    {
        return Err(Fail::invalid("`region` is x0, y0, x1, y1 with x0 < x1 and y0 < y1, in DBU"));
    }
    if asked.highlight.len() > 1000 {
        return Err(Fail::invalid("at most 1000 cells are highlighted"));
    }
    let mut marked = Vec::new();
    if !asked.highlight.is_empty() {
        let cells: Vec<_> =
            asked.highlight.iter().map(|cell| args::object(cell)).collect::<Result<_, _>>()?;
        let found = run.chair.look(move |view| {
            cells.iter().map(|cell| view.cell(cell)).collect::<Result<Vec<_>, _>>()
        });
        for cell in found.await? {
            if let Some(at) = cell.position {
                marked.push(Rect {
                    x0: at.x,
                    y0: at.y,
                    x1: at.x + cell.width,
                    y1: at.y + cell.height,
                });
            }
        }
    }
    let bench = run.bench.clone();
    let (region, colour) = (asked.region, asked.colour);
    let drawn = aside(move || {
        let scene = bench.scene(number, true)?;
        let region = region.map(|[x0, y0, x1, y1]| Rect { x0, y0, x1, y1 });
        let frame = Frame { region: region.or(scene.die), width: width as u32, colour };
        picture::draw(&scene, &frame, &marked)
            .map_err(|error| PlatformError::Internal(error.to_string()))
    })
    .await?;
    let region = drawn.region;
    let mut answer = Answer::of(json!({
        "snapshot": format!("s{number}"),
        "region": [region.x0, region.y0, region.x1, region.y1],
        "width": drawn.width,
        "height": drawn.height,
        "cells": drawn.cells,
        "late": drawn.late,
    }));
    answer.png = Some(drawn.png);
    Ok(answer)
}
