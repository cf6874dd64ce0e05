//! Levels: every arc and wire leads to a higher level. Only the order that they give matters;
//! no value depends on them.

use cellwright_db::{Design, Owner};
use petgraph::graph::{DiGraph, NodeIndex};

use super::{BrokenLoop, Special, Vertex, View, flag};
use crate::graph::Graph;
use crate::graph::model::{Model, Models, Role};

/// The smallest level that is above all sources of `vertex`. Drivers of one net share a level.
pub(crate) fn wanted(view: &View<'_>, level: &[u32], vertex: Vertex) -> u32 {
    let mut own = 0;
    let mut raise = |from: Vertex| own = own.max(level[from as usize] + 1);
    if view.is_driver(vertex)
        && let Some(net) = view.design.pin_net(view.pin(vertex))
        && view.graph.several.get(net.index()).copied().unwrap_or(false)
    {
        for driver in view.drivers(net) {
            view.each_fanin(driver, &mut raise);
        }
    } else {
        view.each_fanin(vertex, &mut raise);
    }
    own
}

/// All levels, or the vertices that could not be ordered because they lie on or behind loops.
fn order(view: &View<'_>) -> Result<Vec<u32>, Vec<Vertex>> {
    let count = view.graph.len();
    let mut waiting = vec![0_u32; count];
    for vertex in 0..count as Vertex {
        view.each_fanin(vertex, |_| waiting[vertex as usize] += 1);
    }
    let mut level = vec![0_u32; count];
    let mut ready: Vec<Vertex> =
        (0..count as Vertex).filter(|vertex| waiting[*vertex as usize] == 0).collect();
    let mut done = ready.len();
    while let Some(vertex) = ready.pop() {
        let own = level[vertex as usize] + 1;
        view.each_fanout(vertex, |to| {
            level[to as usize] = level[to as usize].max(own);
            waiting[to as usize] -= 1;
            if waiting[to as usize] == 0 {
                done += 1;
                ready.push(to);
            }
        });
    }
    if done == count {
        return Ok(level);
    }
    Err((0..count as Vertex).filter(|vertex| waiting[*vertex as usize] > 0).collect())
}

/// Cuts arcs until no loop is left. In each strongly connected component the arc with the lowest
/// sink pin, then the lowest source pin, is cut; latch data arcs go before others.
pub(crate) fn levelise(design: &Design, models: &Models, mut graph: Graph) -> Graph {
    // Each round cuts at least one arc, so this ends; the bound is for safety only.
    for _ in 0..100_000 {
        let view = View { design, models, graph: &graph };
        let cuts = match order(&view) {
            Ok(level) => {
                graph.level = level;
                equalise(design, models, &mut graph);
                return graph;
            }
            Err(stuck) => find_cuts(&view, &stuck),
        };
        if cuts.is_empty() {
            break;
        }
        for (found, arc) in cuts {
            if let Some(model) = models.get(design.master_id(found.cell)) {
                special(&mut graph, found.cell, model).pairs[arc as usize] = 0;
                graph.loops.push(found);
            }
        }
    }
    graph.level = vec![0; graph.flags.len()];
    graph
}

/// The special entry of a cell, made when there is none.
pub(crate) fn special<'g>(
    graph: &'g mut Graph,
    cell: cellwright_db::CellId,
    model: &Model,
) -> &'g mut Special {
    graph.is_special[cell.index()] = true;
    graph.special.entry(cell).or_insert_with(|| Special {
        pairs: model.arcs.iter().map(|arc| arc.pairs).collect(),
        checks: vec![true; model.checks.len()].into(),
    })
}

fn find_cuts(view: &View<'_>, stuck: &[Vertex]) -> Vec<(BrokenLoop, u16)> {
    let mut small: DiGraph<Vertex, ()> = DiGraph::with_capacity(stuck.len(), stuck.len());
    for &vertex in stuck {
        small.add_node(vertex);
    }
    let index = |vertex: Vertex| stuck.binary_search(&vertex).ok();
    for (from, &vertex) in stuck.iter().enumerate() {
        view.each_fanout(vertex, |to| {
            if let Some(to) = index(to) {
                small.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
            }
        });
    }
    let mut cuts = Vec::new();
    for component in petgraph::algo::tarjan_scc(&small) {
        if component.len() < 2 {
            continue;
        }
        let mut members: Vec<Vertex> = component.iter().map(|node| small[*node]).collect();
        members.sort_unstable();
        let mut best: Option<(bool, Vertex, Vertex, u16)> = None;
        for &to in members.iter().filter(|vertex| view.is_driver(**vertex)) {
            let Owner::Cell(cell, number) = view.design.owner(view.pin(to)) else { continue };
            let Some(model) = view.model(cell) else { continue };
            let first = view.design.cell(cell).first_pin;
            for &arc in &model.pins[number.index()].fanin {
                let entry = &model.arcs[arc as usize];
                let from = view.arc_from(first, entry.from);
                if view.pairs(cell, model, arc) == 0 || members.binary_search(&from).is_err() {
                    continue;
                }
                let key = (entry.role != Role::LatchData, to, from, arc);
                if best.is_none_or(|best| key < best) {
                    best = Some(key);
                }
            }
        }
        let Some((_, to, from, _)) = best else { continue };
        let Owner::Cell(cell, number) = view.design.owner(view.pin(to)) else { continue };
        let Some(model) = view.model(cell) else { continue };
        let first = view.design.cell(cell).first_pin;
        for &arc in &model.pins[number.index()].fanin {
            if view.arc_from(first, model.arcs[arc as usize].from) == from {
                let (from, to) = (view.pin(from), view.pin(to));
                cuts.push((BrokenLoop { cell, from, to, size: members.len() }, arc));
            }
        }
    }
    cuts.sort_by_key(|(found, arc)| (found.to, found.from, *arc));
    cuts
}

/// Lifts drivers of one net to one level, and everything behind them.
fn equalise(design: &Design, models: &Models, graph: &mut Graph) {
    if !graph.several.iter().any(|several| *several) {
        return;
    }
    let vertices: Vec<Vertex> = (0..graph.len() as Vertex)
        .filter(|vertex| graph.flags[*vertex as usize] & flag::DRIVER != 0)
        .collect();
    let mut level = std::mem::take(&mut graph.level);
    raise(&View { design, models, graph }, &mut level, vertices, &mut |_, _| {});
    graph.level = level;
}

/// Raises levels from `seeds` on until all are consistent. `false` when a loop keeps them rising.
pub(crate) fn raise(
    view: &View<'_>,
    level: &mut [u32],
    seeds: Vec<Vertex>,
    changed: &mut impl FnMut(Vertex, u32),
) -> bool {
    let mut work = seeds;
    let limit = view.graph.len() as u32 + 1;
    let mut budget = 64 * view.graph.len() as u64 + 1_000;
    while let Some(vertex) = work.pop() {
        let wanted = wanted(view, level, vertex);
        if wanted > level[vertex as usize] {
            if wanted > limit || budget == 0 {
                return false;
            }
            budget -= 1;
            changed(vertex, level[vertex as usize]);
            level[vertex as usize] = wanted;
            view.each_fanout(vertex, |to| work.push(to));
            if view.is_driver(vertex)
                && let Some(net) = view.design.pin_net(view.pin(vertex))
                && view.graph.several.get(net.index()).copied().unwrap_or(false)
            {
                work.extend(view.drivers(net));
            }
        }
    }
    true
}
