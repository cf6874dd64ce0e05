//! Arrival times: the paths of a vertex from those of its sources.

use cellwright_db::Owner;

use super::key::{self, Key};
use super::{Context, Path, Paths, Quad, Values, crpr, latch, worse};
use crate::constraints::{DerateKind, DeratePath, MinMax};
use crate::graph::model::{Model, NO_SLOT, Role};
use crate::graph::{Vertex, flag};
use cellwright_db::timing::Edge;

/// An arc of an instance.
#[derive(Clone, Copy)]
pub(crate) struct InstanceArc<'a> {
    pub(crate) cell: cellwright_db::CellId,
    pub(crate) model: &'a Model,
    pub(crate) arc: u16,
    pub(crate) pairs: u8,
    pub(crate) from: Vertex,
    pub(crate) to: Vertex,
}

impl<'a> Context<'a> {
    /// Derate factor of a cell delay.
    pub(crate) fn cell_factor(
        &self,
        cell: cellwright_db::CellId,
        is_clock: bool,
        side: usize,
        edge: usize,
    ) -> f32 {
        if self.setup.single_derates {
            let path = if is_clock { DeratePath::Clock } else { DeratePath::Data };
            let master = self.view.design.master_id(cell);
            let (side, edge) = (MinMax::BOTH[side], Edge::BOTH[edge]);
            let derates = &self.setup.constraints.derates;
            let kind = DerateKind::CellDelay;
            return derates.of_cell(cell, master, kind, path, side, edge) as f32;
        }
        self.setup.factors.cell[usize::from(!is_clock)][side][edge]
    }
    /// Derate factor of a net delay.
    pub(crate) fn net_factor(&self, load: Vertex, is_clock: bool, side: usize, edge: usize) -> f32 {
        if self.setup.single_derates
            && let Some(net) = self.view.design.pin_net(self.view.pin(load))
        {
            let path = if is_clock { DeratePath::Clock } else { DeratePath::Data };
            let (side, edge) = (MinMax::BOTH[side], Edge::BOTH[edge]);
            return self.setup.constraints.derates.of_net(net, path, side, edge) as f32;
        }
        self.setup.factors.net[usize::from(!is_clock)][side][edge]
    }
    /// Whether the clock of a path is propagated.
    #[inline]
    pub(crate) fn is_propagated(&self, key: Key) -> bool {
        self.setup.clock(key::launch(key)).is_some_and(|clock| clock.propagated)
    }

    /// When an edge of an ideal clock counts at registers, before the latency of its network, ns: when
    /// it is at its sources, the worst of them.
    pub(crate) fn ideal_time(&self, values: &Values, launch: u16, side: usize) -> f64 {
        let Some(clock) = self.setup.clock(launch) else { return 0.0 };
        let at = |source: &Vertex| {
            values.paths.of(*source).find(|path| {
                key::is_clock(path.key)
                    && key::launch(path.key) == launch
                    && key::side(path.key) == side
            })
        };
        let times = clock.sources.iter().filter_map(at).map(|path| f64::from(path.arrival));
        let worst = times.reduce(if side == 1 { f64::max } else { f64::min });
        worst.unwrap_or(clock.edge[usize::from(launch % 2)])
    }

    /// Delay of an ideal clock's path from one vertex of its network to the next, where the network
    /// has `delay` there. It only takes time on the way to where the clock is data, and there is none
    /// elsewhere, whichever way the path came.
    fn ideal_delay(
        &self,
        values: &Values,
        path: &Path,
        (from, to): (Vertex, Vertex),
        delay: f32,
    ) -> f32 {
        let as_data = |vertex: Vertex| self.view.flags(vertex) & flag::AS_DATA != 0;
        if as_data(to) {
            delay
        } else if as_data(from) {
            self.ideal_time(values, key::launch(path.key), key::side(path.key)) as f32
                - path.arrival
        } else {
            0.0
        }
    }

    /// Key and delay of a path after an arc, leaving with edge `to_edge`. Latch data arcs are not
    /// asked here.
    pub(crate) fn through_arc(
        &self,
        values: &Values,
        arc: &InstanceArc<'_>,
        path: &Path,
        to_edge: usize,
    ) -> Option<(Key, f32)> {
        let from_key = path.key;
        let (side, from_edge) = (key::side(from_key), key::edge(from_key));
        let pair = from_edge * 2 + to_edge;
        let entry = &arc.model.arcs[arc.arc as usize];
        if arc.pairs >> pair & 1 == 0 || entry.slot[pair] == NO_SLOT {
            return None;
        }
        let slot = values.base[arc.cell.index()] + u32::from(entry.slot[pair]);
        let delay = values.arc[slot as usize][side];
        if delay.is_nan() {
            return None;
        }
        let is_clock = key::is_clock(from_key);
        let (mut to_key, add) = match entry.role {
            Role::Combinational if is_clock => {
                if self.view.flags(arc.from) & flag::STOP != 0 {
                    return None;
                }
                let delay = delay * self.cell_factor(arc.cell, true, side, to_edge);
                if self.is_propagated(from_key) {
                    (key::with_class(from_key, arc.to, to_edge), delay)
                } else {
                    (from_key, self.ideal_delay(values, path, (arc.from, arc.to), delay))
                }
            }
            Role::Combinational => {
                (from_key, delay * self.cell_factor(arc.cell, false, side, to_edge))
            }
            Role::ClockToOutput if is_clock => {
                let launch = key::launch(from_key);
                let latency = if self.is_propagated(from_key) {
                    0.0
                } else {
                    let pin = Some(self.view.pin(arc.from));
                    let latency = self.setup.network_latency(launch / 2, from_edge, side, pin);
                    latency as f32 + self.ideal_delay(values, path, (arc.from, arc.to), 0.0)
                };
                let state = self.setup.exceptions.start(arc.from, from_edge, Some(launch));
                let to_key = key::with_state(key::as_data(from_key), state);
                (to_key, latency + delay * self.cell_factor(arc.cell, false, side, to_edge))
            }
            _ => return None,
        };
        to_key = key::with_edge(to_key, to_edge);
        Some((self.passed(to_key, arc.to), add))
    }

    /// Key and delay of a path after the wire from `driver` into `load`.
    #[inline]
    pub(crate) fn through_wire(
        &self,
        values: &Values,
        path: &Path,
        driver: Vertex,
        load: Vertex,
    ) -> (Key, f32) {
        let from_key = path.key;
        let is_clock = key::is_clock(from_key);
        let corner = key::corner(from_key);
        let wire = values.wire_delay(driver, load)[corner];
        let delay = if self.setup.plain {
            wire
        } else {
            wire * self.net_factor(load, is_clock, corner / 2, corner % 2)
        };
        let add = if is_clock && !self.is_propagated(from_key) {
            self.ideal_delay(values, path, (driver, load), delay)
        } else {
            delay
        };
        (self.passed(from_key, load), add)
    }

    /// Key and arrival of a path that a clock path with `from_key` launches afresh at its clock edge,
    /// without latency: where a path delay with `-ignore_clock_latency` begins.
    pub(crate) fn launched_afresh(
        &self,
        values: &Values,
        arc: &InstanceArc<'_>,
        from_key: Key,
        to_edge: usize,
    ) -> Option<(Key, f32)> {
        let exceptions = &self.setup.exceptions;
        let entry = &arc.model.arcs[arc.arc as usize];
        if exceptions.is_empty() || entry.role != Role::ClockToOutput || !key::is_clock(from_key) {
            return None;
        }
        let (side, from_edge) = (key::side(from_key), key::edge(from_key));
        let pair = from_edge * 2 + to_edge;
        if arc.pairs >> pair & 1 == 0 || entry.slot[pair] == NO_SLOT {
            return None;
        }
        let launch = key::launch(from_key);
        let state = exceptions.fresh(exceptions.start(arc.from, from_edge, Some(launch)), side)?;
        let slot = values.base[arc.cell.index()] + u32::from(entry.slot[pair]);
        let delay =
            values.arc[slot as usize][side] * self.cell_factor(arc.cell, false, side, to_edge);
        let start = self.setup.clock(launch)?.edge[usize::from(launch % 2)];
        let to_key = key::with_edge(key::with_state(key::as_data(from_key), state), to_edge);
        (!delay.is_nan()).then(|| (self.passed(to_key, arc.to), start as f32 + delay))
    }

    #[inline]
    fn passed(&self, to_key: Key, vertex: Vertex) -> Key {
        if self.view.flags(vertex) & flag::THROUGH == 0 {
            return to_key;
        }
        let state = self.setup.exceptions.pass(key::state(to_key), vertex, key::edge(to_key));
        key::with_state(to_key, state)
    }

    /// The paths of a vertex. Returns how many arcs were looked at.
    pub(crate) fn arrivals(&self, values: &Values, vertex: Vertex, found: &mut Paths) -> u64 {
        found.clear();
        let flags = self.view.flags(vertex);
        if flags & (flag::CONSTANT | flag::CUT) != 0 {
            return 0;
        }
        let work = self.incoming(values, vertex, found);
        if flags & flag::SEED != 0 {
            self.seeds(vertex, found);
        }
        if self.setup.crpr && found.len() > 4 {
            crpr::prune(self, values, vertex, found);
        }
        work
    }

    /// Adds the paths that come to a vertex by wires and arcs. Returns how many were looked at.
    pub(crate) fn incoming(&self, values: &Values, vertex: Vertex, found: &mut Paths) -> u64 {
        let flags = self.view.flags(vertex);
        let mut work = 0;
        let pin = self.view.pin(vertex);
        if flags & flag::DRIVER == 0 {
            if flags & flag::LOAD != 0
                && let Some(net) = self.view.design.pin_net(pin)
            {
                for driver in self.view.drivers(net) {
                    if self.view.flags(driver) & flag::CUT != 0 || self.view.pin(driver) == pin {
                        continue;
                    }
                    work += 1;
                    for path in values.paths.of(driver) {
                        let (to_key, add) = self.through_wire(values, &path, driver, vertex);
                        merge(found, to_key, path.arrival + add);
                    }
                }
            }
        } else if let Owner::Cell(cell, number) = self.view.design.owner(pin)
            && let Some(model) = self.view.model(cell)
        {
            let first = self.view.design.cell(cell).first_pin;
            for &arc in &model.pins[number.index()].fanin {
                let pairs = self.view.pairs(cell, model, arc);
                if pairs == 0 {
                    continue;
                }
                work += 1;
                let entry = &model.arcs[arc as usize];
                let from = self.view.arc_from(first, entry.from);
                let arc = InstanceArc { cell, model, arc, pairs, from, to: vertex };
                if entry.role == Role::LatchData {
                    latch::through(self, values, &arc, found);
                    continue;
                }
                for path in values.paths.of(from) {
                    for to_edge in 0..2 {
                        if let Some((to_key, add)) = self.through_arc(values, &arc, &path, to_edge)
                        {
                            merge(found, to_key, path.arrival + add);
                        }
                        if let Some((to_key, arrival)) =
                            self.launched_afresh(values, &arc, path.key, to_edge)
                        {
                            merge(found, to_key, arrival);
                        }
                    }
                }
            }
        }
        work
    }

    /// Paths that start at a vertex: clocks and input delays.
    fn seeds(&self, vertex: Vertex, found: &mut Paths) {
        let pin = self.view.pin(vertex);
        let clocks = self.setup.sources.get(&vertex).map_or(&[][..], |clocks| clocks);
        if !clocks.is_empty() {
            let incoming = found.clone();
            // Whatever arrives ends where a clock is defined, data as well.
            found.clear();
            for &number in clocks {
                let clock = &self.setup.clocks[usize::from(number)];
                for corner in 0..4 {
                    let (side, edge) = (corner / 2, corner % 2);
                    let master = self.setup.insertion(number, edge, side, pin);
                    let inserted = master.and_then(|master| {
                        let path = insertion(&incoming, master, side, edge)?;
                        let launch = key::launch(path.key);
                        let clock = self.setup.clock(launch)?;
                        Some(f64::from(path.arrival) - clock.edge[usize::from(launch % 2)])
                    });
                    let latency = match master {
                        Some(_) => inserted,
                        None => self.setup.source_latency(number, edge, side, Some(pin)),
                    };
                    let launch = number * 2 + edge as u16;
                    let mut new = key::key(side, edge, true, launch, 0);
                    let is_late_or_early = inserted.is_some() || self.setup.is_spread(number, pin);
                    if clock.propagated || is_late_or_early {
                        new = key::with_class(new, vertex, edge);
                    }
                    let arrival = clock.edge[edge] + latency.unwrap_or(0.0);
                    merge(found, new, arrival as f32);
                }
            }
        }
        let inputs = self.setup.inputs.get(&vertex).map_or(&[][..], |inputs| inputs);
        for delay in inputs {
            for corner in 0..4 {
                let (side, edge) = (corner / 2, corner % 2);
                let value = delay.delay.get(MinMax::BOTH[side], Edge::BOTH[edge]);
                let Some(value) = value else { continue };
                let (launch, start) = match delay.clock {
                    Some(clock) if (clock.0 as usize) < self.setup.clocks.len() => {
                        let number = clock.0 as u16;
                        let launch = number * 2 + delay.clock_edge.index() as u16;
                        (launch, self.port_clock(number, launch, side, delay))
                    }
                    _ => (key::NO_CLOCK, 0.0),
                };
                let state = self.setup.exceptions.start(
                    vertex,
                    edge,
                    (launch != key::NO_CLOCK).then_some(launch),
                );
                let new = key::key(side, edge, false, launch, state);
                merge(found, self.passed(new, vertex), (start + value) as f32);
                if let Some(state) = self.setup.exceptions.fresh(state, side) {
                    let edge_time = self
                        .setup
                        .clock(launch)
                        .map_or(0.0, |clock| clock.edge[usize::from(launch % 2)]);
                    let new = key::with_state(new, state);
                    merge(found, self.passed(new, vertex), (edge_time + value) as f32);
                }
            }
        }
        if inputs.is_empty()
            && clocks.is_empty()
            && self.view.flags(vertex) & flag::PORT != 0
            && !self.setup.exceptions.is_empty()
        {
            // Without input delay a port only starts paths that a path delay may bound.
            for corner in 0..4 {
                let state = self.setup.exceptions.start(vertex, corner % 2, None);
                if state != 0 {
                    for state in [Some(state), self.setup.exceptions.fresh(state, corner / 2)] {
                        let Some(state) = state else { continue };
                        let new = key::key(corner / 2, corner % 2, false, key::NO_CLOCK, state);
                        merge(found, self.passed(new, vertex), 0.0);
                    }
                }
            }
        }
    }

    /// When a clock edge counts for a port delay, ns.
    pub(crate) fn port_clock(
        &self,
        number: u16,
        launch: u16,
        side: usize,
        delay: &crate::constraints::PortDelay,
    ) -> f64 {
        let edge = usize::from(launch % 2);
        let Some(clock) = self.setup.clock(launch) else { return 0.0 };
        let mut at = clock.edge[edge];
        if !delay.source_latency_included {
            at += self.setup.source_latency(number, edge, side, None).unwrap_or(0.0);
        }
        if !clock.propagated && !delay.network_latency_included {
            at += self.setup.network_latency(number, edge, side, None);
        }
        at
    }
}

/// The worst path by which the master clock comes to the source of a generated clock.
pub(crate) fn insertion(incoming: &Paths, master: u16, side: usize, edge: usize) -> Option<Path> {
    let comes = |path: &&Path| {
        key::side(path.key) == side
            && key::edge(path.key) == edge
            && key::launch(path.key) / 2 == master
    };
    incoming
        .iter()
        .copied()
        .filter(|path| comes(&path))
        .reduce(|worst, path| if worse(side, path.arrival, worst.arrival) { path } else { worst })
}

/// Adds a path, keeping keys ascending and of equal keys the worse arrival.
#[inline]
pub(crate) fn merge(found: &mut Paths, new: Key, arrival: f32) {
    let mut at = found.len();
    while at > 0 && found[at - 1].key >= new {
        at -= 1;
        if found[at].key == new {
            if worse(key::side(new), arrival, found[at].arrival) {
                found[at].arrival = arrival;
            }
            return;
        }
    }
    found.insert(at, Path { key: new, arrival });
}

/// Slew of a clock pin as register arcs and checks see it.
#[inline]
pub(crate) fn clock_slew(context: &Context<'_>, values: &Values, vertex: Vertex) -> Quad {
    let mut slew = values.slew[vertex as usize];
    let graph = context.view.graph;
    let set = graph.clocks[vertex as usize];
    if set != 0 {
        for (corner, slew) in slew.iter_mut().enumerate() {
            let set = &graph.clock_sets[usize::from(set)];
            if let Some(ideal) = context.setup.ideal_slew(set, corner / 2, corner % 2) {
                *slew = ideal as f32;
            }
        }
    }
    slew
}
