//! One corner: its values, and the passes that bring them up to date.

use cellwright_db::{CellId, NetId, Owner};
use rayon::prelude::*;
use smallvec::SmallVec;

use super::delays::{self, NetResult, Scope};
use super::log::{Entry, Log};
use super::queue::Queue;
use super::stale::{self, Stale};
use crate::graph::fans::NO_SINK;
use crate::graph::{Graph, Vertex, View, flag};
use crate::parasitics::{Parasitics, Pi, Walk};
use crate::search::{Context, Found, Paths, Quad, Requireds, Values, key};

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
    /// Waiting nets of which all is to be evaluated, by leader.
    whole: Set,
    fresh: Fresh,
    /// Vertices whose end slacks are to be worked out.
    pub(crate) ends: Set,
    /// Ends whose slacks changed, with the old ones.
    pub(crate) moved: Vec<(Vertex, [f32; 2])>,
    batch: Vec<Vertex>,
    ahead: Ahead,
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
        self.whole.grow(count);
        self.fresh.grow(count);
    }
    /// Puts a net down for evaluation of all of it.
    pub(crate) fn push_net(&mut self, leader: Vertex, level: u32) {
        self.whole.push(leader);
        self.delay.push(leader, level);
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
    fn has(&self, vertex: Vertex) -> bool {
        self.held[vertex as usize]
    }
    fn clear(&mut self) {
        self.list.drain(..).for_each(|vertex| self.held[vertex as usize] = false);
    }
}

/// Corners in which the slew of a vertex changed in this update, one bit each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fresh {
    corners: Vec<u8>,
    list: Vec<Vertex>,
}

impl Fresh {
    fn grow(&mut self, count: usize) {
        if self.corners.len() < count {
            self.corners.resize(count, 0);
        }
    }
    #[inline]
    fn note(&mut self, vertex: Vertex, old: &Quad, new: &Quad) {
        let slot = &mut self.corners[vertex as usize];
        if *slot == 0 {
            self.list.push(vertex);
        }
        for corner in 0..4 {
            *slot |= u8::from(old[corner].to_bits() != new[corner].to_bits()) << corner;
        }
    }
    fn clear(&mut self) {
        self.list.drain(..).for_each(|vertex| self.corners[vertex as usize] = 0);
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
        values.paths.grow(count);
        values.required.resize(count, Requireds::new());
        self.stale.grow(count);
        values.end.resize(count, [f32::INFINITY; 2]);
        values.load.resize(view.design.net_slots(), [Pi::default(); 4]);
        while values.base.len() < view.design.cell_slots() {
            let cell = CellId::new(values.base.len());
            let slots = view.models.get(view.design.master_id(cell)).map_or(0, |m| m.slots);
            values.base.push(values.arc.len() as u32);
            values.add_slots(slots);
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
        for &(slot, delay, slew) in &result.arcs[from..to] {
            let old = &mut values.arc[slot as usize];
            let old_slew = &mut values.arc_slew[slot as usize];
            let new_delay = old.map(f32::to_bits) != delay.map(f32::to_bits);
            if new_delay || old_slew.map(f32::to_bits) != slew.map(f32::to_bits) {
                changed |= new_delay;
                if let Some(log) = &mut target.log {
                    log.push(Entry::Arc(target.number, slot, *old, *old_slew));
                }
                (*old, *old_slew) = (delay, slew);
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
                work.fresh.note(driver, old, &slew);
                // An output may be the source of arcs, too.
                view.each_arc_sink(driver, |to| {
                    let leader = view.leader(to);
                    work.delay.push(leader, level(leader));
                });
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
                work.fresh.note(vertex, old, &slew);
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
    if view.flags(vertex) & flag::GATES != 0
        && let Some(gates) = view.graph.gates.get(&cell)
    {
        for gate in gates {
            stale.push(view.arc_from(first, gate.enable), stale::OWN);
        }
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
    let all = target.log.is_none();
    while work.delay.take_low(&mut batch) {
        if batch.len() >= PARALLEL && rayon::current_num_threads() > 1 {
            let values = &target.lane.values;
            let (whole, fresh) = (&work.whole, &work.fresh);
            let results: Vec<Vec<NetResult>> = batch
                .par_chunks(CHUNK)
                .map(|chunk| {
                    let evaluate = |vertex: &Vertex| {
                        let mut result = NetResult::default();
                        let scope = scope(whole, fresh, all, *vertex);
                        delays::evaluate(context, values, *vertex, scope, &mut result);
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
                let scope = scope(&work.whole, &work.fresh, all, vertex);
                delays::evaluate(context, &target.lane.values, vertex, scope, &mut result);
                apply_delays(context, target, work, &result);
            }
            work.result = result;
        }
    }
    work.batch = batch;
    work.whole.clear();
    work.fresh.clear();
}

/// What of a waiting net is to be evaluated.
fn scope<'a>(whole: &Set, fresh: &'a Fresh, all: bool, leader: Vertex) -> Scope<'a> {
    if all || whole.has(leader) { Scope::Whole } else { Scope::Fresh(&fresh.corners) }
}

/// How the paths of a vertex differ from those before.
struct Difference {
    same: bool,
    same_keys: bool,
    /// Some are, or were, clocks.
    clock: bool,
}

#[inline]
fn compare(old: &Values, vertex: Vertex, new: &Found) -> Difference {
    if let (Some(old), Found::Plain(new)) = (old.paths.plain(vertex), new) {
        let clock = key::is_clock(old.head) || key::is_clock(new.head);
        return Difference { same: old.same(new), same_keys: old.same_keys(new), clock };
    }
    let mut is = Difference { same: true, same_keys: true, clock: false };
    let (mut old, mut new) = (old.paths.of(vertex), new.iter());
    loop {
        let (a, b) = (old.next(), new.next());
        is.clock |= [&a, &b].into_iter().flatten().any(|path| key::is_clock(path.key));
        match (a, b) {
            (None, None) => return is,
            (Some(a), Some(b)) if a.key == b.key => {
                is.same &= a.arrival.to_bits() == b.arrival.to_bits();
            }
            _ => (is.same, is.same_keys) = (false, false),
        }
    }
}

/// The paths of a vertex, and how many arcs were looked at.
fn arrive(context: &Context<'_>, values: &Values, vertex: Vertex) -> (Found, u64) {
    if let Some((plain, work)) = context.plain_driver(values, vertex) {
        return (Found::Plain(plain), work);
    }
    let mut found = Paths::new();
    let work = context.arrivals(values, vertex, &mut found);
    (Found::new(&found), work)
}

/// Writes the paths of a vertex and marks what depends on them. `true` when its sinks are to be
/// looked at.
fn apply_arrivals(
    context: &Context<'_>,
    target: &mut Target<'_>,
    work: &mut Work,
    vertex: Vertex,
    found: Found,
) -> bool {
    let values = &mut target.lane.values;
    let Some(log) = &mut target.log else {
        values.paths.set(vertex, found);
        return false;
    };
    let Difference { same, same_keys, clock } = compare(values, vertex, &found);
    if same {
        return false;
    }
    let view = &context.view;
    let flags = view.flags(vertex);
    if clock {
        let (driver, named) = (flags & flag::DRIVER != 0, flags & flag::NAMED != 0);
        work.clock_changed |= (context.setup.crpr && driver) || named;
        checks_changed(context, &mut target.lane.stale, work, vertex, false);
    }
    log.push(match values.paths.set(vertex, found) {
        Found::Plain(old) => Entry::Plain(target.number, vertex, old),
        Found::Many(old) => Entry::Many(target.number, vertex, Box::new(old)),
    });
    let is_end = flags & flag::END != 0;
    if is_end {
        work.ends.push(vertex);
    }
    if !same_keys || is_end {
        target.lane.stale.push(vertex, stale::OWN);
    }
    if !same_keys {
        target.lane.stale.push(vertex, stale::SOURCES);
    }
    true
}

/// Writes the paths of a vertex and marks what follows; the loads of a net that it drives alone
/// are evaluated at once. The same at any number of threads, so that work units are, too.
fn land(
    context: &Context<'_>,
    target: &mut Target<'_>,
    work: &mut Work,
    vertex: Vertex,
    (found, arcs): (Found, u64),
) {
    work.arcs += arcs;
    if !apply_arrivals(context, target, work, vertex, found) {
        return;
    }
    let view = &context.view;
    let Some(fan) = view.graph.fans.of(vertex) else {
        view.each_fanout(vertex, |to| work.arrival.push(to, view.graph.level[to as usize]));
        return;
    };
    let (mut last, mut moved) = (vertex, true);
    for &(load, sink) in fan {
        if load != last {
            (last, moved) = (load, false);
            match context.plain_load(&target.lane.values, vertex, load) {
                Some(plain) => {
                    work.arcs += 1;
                    moved = apply_arrivals(context, target, work, load, Found::Plain(plain));
                }
                None => work.arrival.push(load, view.graph.level[load as usize]),
            }
        }
        if moved && sink != NO_SINK {
            work.arrival.push(sink, view.graph.level[sink as usize]);
        }
    }
}

/// Reads what the evaluation of a batch is going to read, in short loops whose misses overlap: what
/// bounds an update is the wait for memory, one line after the other.
fn warm(context: &Context<'_>, values: &Values, batch: &[Vertex], ahead: &mut Ahead) {
    let view = &context.view;
    let fans = &view.graph.fans;
    ahead.cells.clear();
    ahead.slots.clear();
    let mut sum = 0_u64;
    for &vertex in batch {
        if let Owner::Cell(cell, _) = view.design.owner(view.pin(vertex)) {
            ahead.cells.push(cell);
        }
        sum ^= values.paths.touch(vertex) ^ u64::from(fans.touch(vertex));
    }
    for &cell in &ahead.cells {
        let base = values.base[cell.index()];
        sum ^= u64::from(view.design.cell(cell).first_pin.0);
        ahead.slots.push(base);
    }
    for &slot in &ahead.slots {
        sum ^= u64::from(values.arc.get(slot as usize).map_or(0, |delay| delay[0].to_bits()));
    }
    for &vertex in batch {
        for &(load, sink) in fans.of(vertex).unwrap_or_default() {
            sum ^= values.paths.touch(load) ^ u64::from(values.wire[load as usize][0].to_bits());
            sum ^= u64::from(view.flags(load));
            sum ^= u64::from(view.graph.level.get(sink as usize).copied().unwrap_or(0));
        }
    }
    std::hint::black_box(sum);
}

/// Scratch space of [`warm`].
#[derive(Clone, Debug, Default)]
struct Ahead {
    cells: Vec<CellId>,
    slots: Vec<u32>,
}

/// Whether the paths of a vertex may depend on clock arrivals elsewhere.
fn may_prune(context: &Context<'_>, values: &Values, vertex: Vertex) -> bool {
    let view = &context.view;
    if view.is_driver(vertex) || view.flags(vertex) & flag::SEED != 0 {
        return context.plain_driver(values, vertex).is_none();
    }
    let (mut plain, mut drivers) = (true, 0);
    view.each_fanin(vertex, |driver| {
        plain &= values.paths.plain(driver).is_some();
        drivers += 1;
    });
    !plain || drivers > 1
}

/// Brings arrivals up to date.
pub(crate) fn arrival_pass(context: &Context<'_>, target: &mut Target<'_>, work: &mut Work) {
    let mut batch = std::mem::take(&mut work.batch);
    work.clock_changed = false;
    loop {
        while work.arrival.take_low(&mut batch) {
            if batch.len() >= PARALLEL && rayon::current_num_threads() > 1 {
                let values = &target.lane.values;
                let results: Vec<Vec<(Found, u64)>> = batch
                    .par_chunks(CHUNK)
                    .map(|chunk| chunk.iter().map(|v| arrive(context, values, *v)).collect())
                    .collect();
                let results = results.into_iter().flatten();
                for (&vertex, found) in batch.iter().zip(results) {
                    land(context, target, work, vertex, found);
                }
            } else {
                if batch.len() > 1 && target.log.is_some() {
                    warm(context, &target.lane.values, &batch, &mut work.ahead);
                }
                for &vertex in &batch {
                    let found = arrive(context, &target.lane.values, vertex);
                    land(context, target, work, vertex, found);
                }
            }
        }
        // Credits and port delays read clock arrivals from afar: look at all ends once more, and at
        // all vertices where paths may have been pruned for the credit that they could get.
        if !std::mem::take(&mut work.clock_changed) {
            break;
        }
        for vertex in 0..context.view.graph.len() as Vertex {
            if may_prune(context, &target.lane.values, vertex) {
                work.arrival.push(vertex, context.view.graph.level[vertex as usize]);
            }
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
