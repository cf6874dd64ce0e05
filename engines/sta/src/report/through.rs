//! The worst paths through a pin, one by one.
//!
//! A path through a pin is a way to it and a way on from it. Each way to the pin comes later (or, on
//! the hold side, earlier) than the worst by some loss, and each way on leaves more slack than the
//! least by some other; the losses of a path add up. Ways are found best first: what the search
//! knows (arrivals behind, required times ahead) bounds what a way still costs exactly, so that only
//! steps of ways that count are looked at.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use cellwright_db::{Design, Owner, PinId};

use super::path::{TimingPath, assembled, differences, step};
use crate::constraints::MinMax;
use crate::graph::Vertex;
use crate::graph::model::Role;
use crate::search::arrival::InstanceArc;
use crate::search::ends::PathEnd;
use crate::search::required::lookup;
use crate::search::{Context, Path, Values, key};
use crate::timer::Timer;

/// Most steps that are looked at for one pin, edge and side.
const MOST_STEPS: usize = 1 << 20;

/// A step of a way, with the one that it was reached from.
#[derive(Clone, Copy)]
struct Node {
    vertex: Vertex,
    path: Path,
    from: Option<usize>,
}

/// A waiting node; the least comes first, of equals the one found first.
#[derive(Clone, Copy, PartialEq)]
struct Waiting {
    cost: f32,
    node: usize,
    /// The way is whole.
    done: bool,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.node.cmp(&other.node))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The nodes of a search and the whole ways among them, best first: (cost, last node).
struct Ways {
    nodes: Vec<Node>,
    found: Vec<(f32, usize)>,
}

impl Ways {
    /// The nodes of a way from its last to the first of the search.
    fn back(&self, last: usize) -> Vec<Node> {
        let mut at = Some(last);
        let mut list = Vec::new();
        while let Some(node) = at {
            list.push(self.nodes[node]);
            at = self.nodes[node].from;
        }
        list
    }
}

/// How much worse `best` is than `arrival` on a side, ns.
fn behind(side: usize, best: f32, arrival: f32) -> f32 {
    let loss = if side == 1 { best - arrival } else { arrival - best };
    loss.max(0.0)
}

/// Runs a best-first search from one node: `expand` is given a node and its cost so far and tells of
/// further nodes with their costs, and of the end of a way. Of arcs that lead the same way, and of
/// ends at one place, the worst counts.
fn search(
    start: (Vertex, Path, f32),
    count: usize,
    mut expand: impl FnMut(Node, f32, &mut dyn FnMut(Option<(Vertex, Path)>, f32)),
) -> Ways {
    let (vertex, path, cost) = start;
    let mut ways = Ways { nodes: vec![Node { vertex, path, from: None }], found: Vec::new() };
    let mut waiting = BinaryHeap::from([Reverse(Waiting { cost, node: 0, done: false })]);
    let mut next: Vec<(Option<(Vertex, Path)>, f32)> = Vec::new();
    while let Some(Reverse(Waiting { cost, node, done })) = waiting.pop() {
        if done {
            ways.found.push((cost, node));
            if ways.found.len() == count {
                break;
            }
            continue;
        }
        if ways.nodes.len() >= MOST_STEPS {
            break;
        }
        expand(ways.nodes[node], cost, &mut |to, cost| {
            let place = |to: &Option<(Vertex, Path)>| to.as_ref().map(|(v, path)| (*v, path.key));
            match next.iter_mut().find(|(other, _)| place(other) == place(&to)) {
                Some(kept) if cost < kept.1 => *kept = (to, cost),
                Some(_) => {}
                None => next.push((to, cost)),
            }
        });
        for (to, cost) in next.drain(..) {
            let Some((vertex, path)) = to else {
                waiting.push(Reverse(Waiting { cost, node, done: true }));
                continue;
            };
            ways.nodes.push(Node { vertex, path, from: Some(node) });
            let node = ways.nodes.len() - 1;
            waiting.push(Reverse(Waiting { cost, node, done: false }));
        }
    }
    ways
}

impl Context<'_> {
    /// Calls `f` with what a path leads on to: the vertex, and the path there.
    fn each_next(
        &self,
        values: &Values,
        vertex: Vertex,
        path: &Path,
        mut f: impl FnMut(Vertex, Path),
    ) {
        let view = &self.view;
        let pin = view.pin(vertex);
        if view.is_driver(vertex)
            && let Some(net) = view.design.pin_net(pin)
        {
            for load in view.loads(net).filter(|load| view.pin(*load) != pin) {
                let (key, add) = self.through_wire(values, path, vertex, load);
                f(load, Path { key, arrival: path.arrival + add });
            }
        }
        let Owner::Cell(cell, number) = view.design.owner(pin) else { return };
        let Some(model) = view.model(cell).filter(|_| view.vertex(pin) == vertex) else { return };
        let first = view.design.cell(cell).first_pin;
        for &arc in &model.pins[number.index()].fanout {
            let entry = &model.arcs[arc as usize];
            let to = view.arc_to(first, entry.to);
            let pairs = view.pairs(cell, model, arc);
            if pairs == 0 || entry.role == Role::LatchData || !view.is_driver(to) {
                continue;
            }
            let arc = InstanceArc { cell, model, arc, pairs, from: vertex, to };
            for edge in 0..2 {
                if let Some((key, add)) = self.through_arc(values, &arc, path, edge) {
                    f(to, Path { key, arrival: path.arrival + add });
                }
                if let Some((key, arrival)) = self.launched_afresh(values, &arc, path.key, edge) {
                    f(to, Path { key, arrival });
                }
            }
        }
    }

    /// Calls `f` with what leads to a path: the vertex, its path there, and the arrival that comes
    /// of it here.
    fn each_before(
        &self,
        values: &Values,
        vertex: Vertex,
        wanted: key::Key,
        mut f: impl FnMut(Vertex, Path, f32),
    ) {
        let view = &self.view;
        let pin = view.pin(vertex);
        if !view.is_driver(vertex) {
            let Some(net) = view.design.pin_net(pin) else { return };
            for driver in view.drivers(net).into_iter().filter(|driver| view.pin(*driver) != pin) {
                for from in values.paths.of(driver) {
                    let (key, add) = self.through_wire(values, &from, driver, vertex);
                    if key == wanted {
                        f(driver, from, from.arrival + add);
                    }
                }
            }
            return;
        }
        let Owner::Cell(cell, number) = view.design.owner(pin) else { return };
        let Some(model) = view.model(cell) else { return };
        let first = view.design.cell(cell).first_pin;
        for &arc in &model.pins[number.index()].fanin {
            let entry = &model.arcs[arc as usize];
            let (from, pairs) = (view.arc_from(first, entry.from), view.pairs(cell, model, arc));
            if entry.role == Role::LatchData || pairs == 0 {
                continue;
            }
            let arc = InstanceArc { cell, model, arc, pairs, from, to: vertex };
            for source in values.paths.of(from) {
                let found = self.through_arc(values, &arc, &source, key::edge(wanted));
                if let Some((_, add)) = found.filter(|(key, _)| *key == wanted) {
                    f(from, source, source.arrival + add);
                }
            }
        }
    }
}

impl Timer {
    /// The `count` worst paths of a side through a pin, worst first; paths that merge at the pin and
    /// part again count as many. Paths through latches end and begin there. `None` when required times
    /// are not up to date: ask [`Timer::settle`] first.
    pub fn paths_through(
        &self,
        design: &Design,
        side: MinMax,
        pin: PinId,
        count: usize,
    ) -> Option<Vec<TimingPath>> {
        self.settled()?;
        let mut all: Vec<TimingPath> = Vec::new();
        let graph = &self.state.graph;
        let (own, driving) = (graph.vertex(pin), graph.driver_vertex(pin));
        let vertices = std::iter::once(own).chain((driving != own).then_some(driving));
        for vertex in vertices.filter(|_| count > 0) {
            for (corner, lane) in self.state.lanes.iter().enumerate() {
                let Some(context) = self.context(design, corner) else { continue };
                let values = &lane.values;
                for path in values.paths.of(vertex) {
                    if key::side(path.key) == side.index() {
                        all.extend(through(&context, values, corner, vertex, path, count));
                    }
                }
            }
        }
        let name =
            |path: &TimingPath| path.steps.iter().map(|s| (s.pin, s.edge)).collect::<Vec<_>>();
        all.sort_by(|a, b| a.slack.total_cmp(&b.slack).then_with(|| name(a).cmp(&name(b))));
        all.truncate(count);
        Some(all)
    }
}

/// The worst paths that come to `vertex` as `path`.
fn through(
    context: &Context<'_>,
    values: &Values,
    corner: usize,
    vertex: Vertex,
    path: Path,
    count: usize,
) -> Vec<TimingPath> {
    let side = key::side(path.key);
    let bound = |vertex: Vertex, path: &Path| path.slack(lookup(values, vertex, path.key));
    let slack = bound(vertex, &path);
    if !slack.is_finite() {
        return Vec::new();
    }
    let on = search((vertex, path, slack), count, |at, _, tell| {
        context.each_end(values, at.vertex, &at.path, |end| {
            tell(None, end.slack(at.path.arrival));
        });
        context.each_next(values, at.vertex, &at.path, |to, path| {
            let slack = bound(to, &path);
            if slack.is_finite() {
                tell(Some((to, path)), slack);
            }
        });
    });
    let to = search((vertex, path, 0.0), count, |at, cost, tell| {
        let mut any = false;
        context.each_before(values, at.vertex, at.path.key, |from, path, arrival| {
            any = true;
            tell(Some((from, path)), cost + behind(side, at.path.arrival, arrival));
        });
        if !any {
            tell(None, cost);
        }
    });
    // Of each way to the pin and each way on, the sums in ascending order.
    let mut sums: Vec<(f32, usize, usize)> = Vec::new();
    for (i, (loss, _)) in to.found.iter().enumerate() {
        // The pairs that come before (i, j) number (i + 1) × (j + 1) at least.
        for (j, (slack, _)) in on.found.iter().enumerate().take(count / (i + 1)) {
            sums.push((slack + loss, i, j));
        }
    }
    sums.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    sums.truncate(count);
    let joined = sums.into_iter().map(|(_, i, j)| {
        let mut nodes = to.back(to.found[i].1);
        let mut rest = on.back(on.found[j].1);
        rest.pop();
        nodes.extend(rest.into_iter().rev());
        joined(context, values, corner, &nodes)
    });
    joined.flatten().collect()
}

/// The path along nodes, its arrivals worked out anew from its first.
fn joined(
    context: &Context<'_>,
    values: &Values,
    corner: usize,
    nodes: &[Node],
) -> Option<TimingPath> {
    let first = nodes.first()?;
    let mut steps = vec![step(context, values, first.vertex, &first.path)];
    let mut path = first.path;
    for pair in nodes.windows(2) {
        let mut next: Option<Path> = None;
        context.each_next(values, pair[0].vertex, &path, |to, found| {
            let fits = to == pair[1].vertex && found.key == pair[1].path.key;
            // Of several arcs between two pins the worst, as the search takes it.
            let worse = |old: &Path| {
                let side = key::side(found.key);
                crate::search::worse(side, found.arrival, old.arrival)
            };
            if fits && next.as_ref().is_none_or(worse) {
                next = Some(found);
            }
        });
        path = next?;
        steps.push(step(context, values, pair[1].vertex, &path));
    }
    differences(&mut steps);
    let last = nodes.last()?.vertex;
    let mut worst: Option<PathEnd> = None;
    context.each_end(values, last, &path, |end| {
        let slack = end.slack(path.arrival);
        if worst.as_ref().is_none_or(|worst| slack < worst.slack(path.arrival)) {
            worst = Some(*end);
        }
    });
    Some(assembled(context, corner, context.view.pin(last), steps, &path, &worst?))
}
