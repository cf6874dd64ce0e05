//! One corner: its values, and the passes that bring them up to date.

use cellwright_db::{CellId, NetId, Owner};
use rayon::prelude::*;
use smallvec::SmallVec;

use super::delays::{self, NetResult};
use super::log::{Entry, Log};
use super::queue::Queue;
use super::stale::{self, Stale};
use crate::graph::{Graph, Vertex, View, flag};
use crate::parasitics::{Parasitics, Pi, Walk};
use crate::search::{Context, Paths, Quad, Requireds, Values, key};

/// Vertices of one level from which threads share the work.
const PARALLEL: usize = 256;
/// Vertices per task.
const CHUNK: usize = 64;

/// The state of one corner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lane {
    pub(crate) values: Values,
    /// Which required times wait.
    pub(crate) stale: Stale,
}

/// Work lists and scratch space, empty between updates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    pub(crate) delay: Queue,
    pub(crate) arrival: Queue,
    pub(crate) required: Queue,
    /// Vertices whose end slacks are to be worked out.
    pub(crate) ends: Set,
    /// Ends whose slacks changed, with the old ones.
    pub(crate) moved: Vec<(Vertex, [f32; 2])>,
    batch: Vec<Vertex>,
    result: NetResult,
    pub(crate) walk: Walk,
    elmores: Vec<(Vertex, Quad)>,
    /// Arcs evaluated.
    pub(crate) arcs: u64,
    /// A clock arrival changed that other vertices than its sinks depend on.
    clock_changed: bool,
}

impl Work {
    pub(crate) fn grow(&mut self, count: usize) {
        self.delay.grow(count);
        self.arrival.grow(count);
        self.required.grow(count);
        self.ends.grow(count);
    }
}

/// A set of vertices without order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Set {
    list: Vec<Vertex>,
    held: Vec<bool>,
}

impl Set {
    fn grow(&mut self, count: usize) {
        if self.held.len() < count {
            self.held.resize(count, false);
        }
    }
    /// Adds a vertex once.
    #[inline]
    pub(crate) fn push(&mut self, vertex: Vertex) {
        if !std::mem::replace(&mut self.held[vertex as usize], true) {
            self.list.push(vertex);
        }
    }
    fn take(&mut self) -> Vec<Vertex> {
        let list = std::mem::take(&mut self.list);
        list.iter().for_each(|vertex| self.held[*vertex as usize] = false);
        list
    }
}

fn same(a: &Quad, b: &Quad) -> bool {
    a.map(f32::to_bits) == b.map(f32::to_bits)
}

fn same_pi(a: &[Pi; 4], b: &[Pi; 4]) -> bool {
    a.iter().zip(b).all(|(a, b)| {
        a.near.to_bits() == b.near.to_bits()
            && a.r.to_bits() == b.r.to_bits()
            && a.far.to_bits() == b.far.to_bits()
    })
}

/// Where changes are written to.
pub(crate) struct Target<'a> {
    pub(crate) lane: &'a mut Lane,
    /// Number of the lane, for the log.
    pub(crate) number: u8,
    /// `None` for a full pass: nothing is logged and no further work is marked.
    pub(crate) log: Option<&'a mut Log>,
}

impl Lane {
    /// Makes room for a design; new values are zero.
    pub(crate) fn grow(&mut self, graph: &Graph, view: &View<'_>) {
        let count = graph.len();
        let values = &mut self.values;
        values.slew.resize(count, [0.0; 4]);
        values.wire.resize(count, [0.0; 4]);
        values.elmore.resize(count, [0.0; 4]);
        values.paths.resize(count, Paths::new());
        values.required.resize(count, Requireds::new());
        self.stale.grow(count);
        values.end.resize(count, [f32::INFINITY; 2]);
        values.load.resize(view.design.net_slots(), [Pi::default(); 4]);
        while values.base.len() < view.design.cell_slots() {
            let cell = CellId::new(values.base.len());
            let slots = view.models.get(view.design.master_id(cell)).map_or(0, |m| m.slots);
            values.base.push(values.arc.len() as u32);
            values.arc.resize(values.arc.len() + slots as usize, [f32::NAN; 2]);
        }
    }
}

/// Recomputes the load of a net; `true` when something changed.
pub(crate) fn load(
    context: &Context<'_>,
    parasitics: &Parasitics,
    target: &mut Target<'_>,
    work: &mut Work,
    net: NetId,
) -> bool {
    let mut elmores = std::mem::take(&mut work.elmores);
    let pi = delays::net_load(context, parasitics, net, &mut work.walk, &mut elmores);
    let values = &mut target.lane.values;
    let mut changed = false;
    let slot = &mut values.load[net.index()];
    if !same_pi(slot, &pi) {
        changed = true;
        if let Some(log) = &mut target.log {
            log.push(Entry::Load(target.number, net, Box::new(*slot)));
        }
        *slot = pi;
    }
    for &(vertex, elmore) in &elmores {
        let slot = &mut values.elmore[vertex as usize];
        if !same(slot, &elmore) {
            changed = true;
            if let Some(log) = &mut target.log {
                log.push(Entry::Elmore(target.number, vertex, *slot));
            }
            *slot = elmore;
        }
    }
    work.elmores = elmores;
    changed
}

/// Sets a load that no driver evaluates back to zero.
pub(crate) fn silence(
    context: &Context<'_>,
    target: &mut Target<'_>,
    work: &mut Work,
    vertex: Vertex,
    with_elmore: bool,
) {
    let zero = [0.0; 4];
    if with_elmore && !same(&target.lane.values.elmore[vertex as usize], &zero) {
        let slot = &mut target.lane.values.elmore[vertex as usize];
        if let Some(log) = &mut target.log {
            log.push(Entry::Elmore(target.number, vertex, *slot));
        }
        *slot = zero;
    }
    let result = NetResult { loads: vec![(vertex, zero, zero)], ..NetResult::default() };
    apply_delays(context, target, work, &result);
}

/// Writes what a net's evaluation gave and marks what depends on it.
fn apply_delays(
    context: &Context<'_>,
    target: &mut Target<'_>,
    work: &mut Work,
    result: &NetResult,
) {
    let view = &context.view;
    let level = |vertex: Vertex| view.graph.level[vertex as usize];
    let values = &mut target.lane.values;
    work.arcs += result.work;
    let mut from = 0;
    for &(driver, slew, to) in &result.drivers {
        let mut changed = false;
        for &(slot, delay) in &result.arcs[from..to] {
            let old = &mut values.arc[slot as usize];
            if old.map(f32::to_bits) != delay.map(f32::to_bits) {
                changed = true;
                if let Some(log) = &mut target.log {
                    log.push(Entry::Arc(target.number, slot, *old));
                }
                *old = delay;
            }
        }
        from = to;
        if changed && target.log.is_some() {
            work.arrival.push(driver, level(driver));
            target.lane.stale.push(driver, stale::SOURCES);
        }
        let old = &mut values.slew[driver as usize];
        if !same(old, &slew) {
            if let Some(log) = &mut target.log {
                log.push(Entry::Slew(target.number, driver, *old));
            }
            *old = slew;
        }
    }
    let leader = result.drivers.first().map(|(driver, ..)| *driver);
    for &(vertex, wire, slew) in &result.loads {
        if let Some(leader) = leader
            && !values.other_wire.is_empty()
            && let Some(old) = values.other_wire.remove(&(vertex, leader))
            && let Some(log) = &mut target.log
        {
            // It was a further driver and has become the first.
            log.push(Entry::OtherWire(target.number, (vertex, leader), Some(old)));
            work.arrival.push(vertex, level(vertex));
            target.lane.stale.push(vertex, stale::SOURCES);
        }
        let old = &mut values.wire[vertex as usize];
        if !same(old, &wire) {
            if let Some(log) = &mut target.log {
                log.push(Entry::Wire(target.number, vertex, *old));
                work.arrival.push(vertex, level(vertex));
                target.lane.stale.push(vertex, stale::SOURCES);
            }
            *old = wire;
        }
        let old = &mut values.slew[vertex as usize];
        if !same(old, &slew) {
            if let Some(log) = &mut target.log {
                log.push(Entry::Slew(target.number, vertex, *old));
                view.each_fanout(vertex, |to| {
                    let leader = view.leader(to);
                    work.delay.push(leader, level(leader));
                });
                checks_changed(context, &mut target.lane.stale, work, vertex, true);
            }
            *old = slew;
        }
    }
    for &(ends, wire) in &result.other_wires {
        let old = values.other_wire.insert(ends, wire);
        if old.is_none_or(|old| !same(&old, &wire))
            && let Some(log) = &mut target.log
        {
            log.push(Entry::OtherWire(target.number, ends, old));
            work.arrival.push(ends.0, level(ends.0));
            target.lane.stale.push(ends.0, stale::SOURCES);
        }
    }
}

/// Marks the ends that depend on a pin's slew or clock arrival.
fn checks_changed(
    context: &Context<'_>,
    stale: &mut Stale,
    work: &mut Work,
    vertex: Vertex,
    slew: bool,
) {
    let view = &context.view;
    let level = |vertex: Vertex| view.graph.level[vertex as usize];
    if slew && view.flags(vertex) & flag::END != 0 {
        work.ends.push(vertex);
        stale.push(vertex, stale::OWN);
    }
    let Owner::Cell(cell, number) = view.design.owner(view.pin(vertex)) else { return };
    let Some(model) = view.model(cell) else { return };
    let first = view.design.cell(cell).first_pin;
    let Some(pin) = model.pins.get(number.index()) else { return };
    for &check in &pin.clocks {
        let data = view.arc_from(first, model.checks[check as usize].data);
        work.ends.push(data);
        stale.push(data, stale::OWN);
    }
    if !model.latch_data.is_empty() {
        for arc in &model.arcs {
            let to = view.arc_to(first, arc.to);
            work.arrival.push(to, level(to));
        }
    }
}

/// Brings delays and slews up to date.
pub(crate) fn delay_pass(context: &Context<'_>, target: &mut Target<'_>, work: &mut Work) {
    let mut batch = std::mem::take(&mut work.batch);
    while work.delay.take_low(&mut batch) {
        if batch.len() >= PARALLEL && rayon::current_num_threads() > 1 {
            let values = &target.lane.values;
            let results: Vec<Vec<NetResult>> = batch
                .par_chunks(CHUNK)
                .map(|chunk| {
                    let evaluate = |vertex: &Vertex| {
                        let mut result = NetResult::default();
                        delays::evaluate(context, values, *vertex, &mut result);
                        result
                    };
                    chunk.iter().map(evaluate).collect()
                })
                .collect();
            for result in results.iter().flatten() {
                apply_delays(context, target, work, result);
            }
        } else {
            let mut result = std::mem::take(&mut work.result);
            for &vertex in &batch {
                result.clear();
                delays::evaluate(context, &target.lane.values, vertex, &mut result);
                apply_delays(context, target, work, &result);
            }
            work.result = result;
        }
    }
    work.batch = batch;
}

fn same_arrivals(a: &Paths, b: &Paths) -> bool {
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| a.key == b.key && a.arrival.to_bits() == b.arrival.to_bits())
}

fn apply_arrivals(
    context: &Context<'_>,
    target: &mut Target<'_>,
    work: &mut Work,
    vertex: Vertex,
    found: Paths,
) {
    let values = &mut target.lane.values;
    let old = &mut values.paths[vertex as usize];
    if same_arrivals(old, &found) {
        return;
    }
    let Some(log) = &mut target.log else {
        *old = found;
        return;
    };
    let view = &context.view;
    let level = |vertex: Vertex| view.graph.level[vertex as usize];
    let same_keys = old.len() == found.len() && old.iter().zip(&found).all(|(a, b)| a.key == b.key);
    let is_clock = |paths: &Paths| paths.iter().any(|path| key::is_clock(path.key));
    if is_clock(old) || is_clock(&found) {
        let driver = view.is_driver(vertex);
        let named = view.flags(vertex) & flag::NAMED != 0;
        work.clock_changed |= (context.setup.crpr && driver) || named;
        checks_changed(context, &mut target.lane.stale, work, vertex, false);
    }
    log.push(Entry::Paths(target.number, vertex, std::mem::replace(old, found)));
    let is_end = view.flags(vertex) & flag::END != 0;
    if is_end {
        work.ends.push(vertex);
    }
    if !same_keys || is_end {
        target.lane.stale.push(vertex, stale::OWN);
    }
    if !same_keys {
        target.lane.stale.push(vertex, stale::SOURCES);
    }
    view.each_fanout(vertex, |to| work.arrival.push(to, level(to)));
}

/// Brings arrivals up to date.
pub(crate) fn arrival_pass(context: &Context<'_>, target: &mut Target<'_>, work: &mut Work) {
    let mut batch = std::mem::take(&mut work.batch);
    work.clock_changed = false;
    loop {
        while work.arrival.take_low(&mut batch) {
            if batch.len() >= PARALLEL && rayon::current_num_threads() > 1 {
                let values = &target.lane.values;
                let results: Vec<Vec<(Paths, u64)>> = batch
                    .par_chunks(CHUNK)
                    .map(|chunk| {
                        let evaluate = |vertex: &Vertex| {
                            let mut found = Paths::new();
                            let arcs = context.arrivals(values, *vertex, &mut found);
                            (found, arcs)
                        };
                        chunk.iter().map(evaluate).collect()
                    })
                    .collect();
                let results = results.into_iter().flatten();
                for (&vertex, (found, arcs)) in batch.iter().zip(results) {
                    work.arcs += arcs;
                    apply_arrivals(context, target, work, vertex, found);
                }
            } else {
                for &vertex in &batch {
                    let mut found = Paths::new();
                    work.arcs += context.arrivals(&target.lane.values, vertex, &mut found);
                    apply_arrivals(context, target, work, vertex, found);
                }
            }
        }
        // Credits and port delays read clock arrivals from afar: look at everything once more.
        if !std::mem::take(&mut work.clock_changed) {
            break;
        }
        for vertex in 0..context.view.graph.len() as Vertex {
            work.arrival.push(vertex, context.view.graph.level[vertex as usize]);
            if context.view.flags(vertex) & flag::END != 0 {
                work.ends.push(vertex);
            }
            target.lane.stale.push(vertex, stale::OWN);
        }
        // A second change of a clock can only come from clocks themselves; they are stable now.
    }
    work.batch = batch;
}

/// Brings endpoint slacks up to date; what changed is in `work.moved`.
pub(crate) fn end_pass(context: &Context<'_>, target: &mut Target<'_>, work: &mut Work) {
    let list = work.ends.take();
    let values = &target.lane.values;
    let evaluate = |vertex: &Vertex| context.end_slacks(values, *vertex);
    let found: Vec<([f32; 2], u64)> = if list.len() >= PARALLEL && rayon::current_num_threads() > 1
    {
        let chunks: Vec<Vec<([f32; 2], u64)>> =
            list.par_chunks(CHUNK).map(|chunk| chunk.iter().map(evaluate).collect()).collect();
        chunks.into_iter().flatten().collect()
    } else {
        list.iter().map(evaluate).collect()
    };
    for (&vertex, (end, arcs)) in list.iter().zip(found) {
        work.arcs += arcs;
        let old = &mut target.lane.values.end[vertex as usize];
        if old.map(f32::to_bits) == end.map(f32::to_bits) {
            continue;
        }
        if let Some(log) = &mut target.log {
            log.push(Entry::End(target.number, vertex, *old));
            work.moved.push((vertex, *old));
        }
        *old = end;
    }
}

/// Brings required times up to date. They are no state of their own, so nothing is logged.
pub(crate) fn required_pass(context: &Context<'_>, lane: &mut Lane, work: &mut Work) {
    let view = &context.view;
    let level = |vertex: Vertex| view.graph.level[vertex as usize];
    let values = &mut lane.values;
    let mut batch = std::mem::take(&mut work.batch);
    while work.required.take_high(&mut batch) {
        let evaluate = |values: &Values, vertex: Vertex| {
            let mut found = Requireds::new();
            let arcs = context.requireds(values, vertex, &mut found);
            (found, arcs)
        };
        let mut apply = |values: &mut Values, vertex: Vertex, (found, arcs): (Requireds, u64)| {
            work.arcs += arcs;
            let old = &mut values.required[vertex as usize];
            let bits =
                |list: &Requireds| list.iter().map(|r| r.to_bits()).collect::<SmallVec<[u32; 8]>>();
            if bits(old) != bits(&found) {
                *old = found;
                view.each_fanin(vertex, |from| work.required.push(from, level(from)));
            }
        };
        if batch.len() >= PARALLEL && rayon::current_num_threads() > 1 {
            let shared = &*values;
            let results: Vec<Vec<(Requireds, u64)>> = batch
                .par_chunks(CHUNK)
                .map(|chunk| chunk.iter().map(|vertex| evaluate(shared, *vertex)).collect())
                .collect();
            for (&vertex, found) in batch.iter().zip(results.into_iter().flatten()) {
                apply(values, vertex, found);
            }
        } else {
            for &vertex in &batch {
                let found = evaluate(values, vertex);
                apply(values, vertex, found);
            }
        }
    }
    work.batch = batch;
}
