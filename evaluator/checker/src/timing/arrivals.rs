//! Arrivals: at each pin, for each kind of path that must be told apart, the latest or earliest.

use std::collections::BTreeMap;

use cellwright_db::timing::Edge;
use cellwright_db::{CellId, NetId, PinId};
use cellwright_formats::constraints::{
    ClockId, Constraints, DerateKind, DeratePath, MinMax, PortDelay,
};

use super::clocks::{ClockEdge, Clocks};
use super::delays::{Delays, worse};
use super::exceptions::{Exceptions, Started};
use super::graph::{Graph, Role};

/// A driver of a propagated clock's tree, and its edge.
pub(super) type TreeDriver = (PinId, usize);

/// What tells paths at one pin apart; of paths with one tag only the worst goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tag {
    /// 1 for late, 0 for early.
    pub(super) side: usize,
    /// 1 for a falling edge.
    pub(super) edge: usize,
    /// Still a clock.
    pub(super) is_clock: bool,
    /// The clock edge that launched it.
    pub(super) launch: ClockEdge,
    /// Exceptions under which it started.
    pub(super) started: Started,
    /// The last driver of the launching clock's tree, where reconvergence matters.
    pub(super) tree: Option<TreeDriver>,
}

/// An arrival.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// ns.
    pub(super) at: f64,
    /// For a clock at a tree driver: the tree driver before it.
    pub(super) up: Option<TreeDriver>,
}

/// Arrivals by pin.
pub(super) type Arrivals = Vec<BTreeMap<Tag, Arrival>>;

/// Everything that arrivals and ends are computed from.
pub(super) struct Search<'a, 'b> {
    pub(super) graph: &'b Graph<'a>,
    pub(super) constraints: &'b Constraints,
    pub(super) clocks: &'b Clocks,
    pub(super) delays: &'b Delays,
    pub(super) exceptions: &'b Exceptions,
    pub(super) inputs: BTreeMap<PinId, Vec<&'b PortDelay>>,
}

fn add(found: &mut BTreeMap<Tag, Arrival>, tag: Tag, new: Arrival) {
    let slot = found.entry(tag).or_insert(new);
    if worse(tag.side, slot.at, new.at) != slot.at {
        *slot = new;
    }
}

impl Search<'_, '_> {
    /// All arrivals.
    pub(super) fn run(&self) -> Arrivals {
        let mut arrivals: Arrivals = vec![BTreeMap::new(); self.graph.state.design.pin_slots()];
        for &pin in &self.graph.order {
            if self.graph.constant[pin.index()].is_some() || self.graph.cut[pin.index()] {
                continue;
            }
            let mut found = BTreeMap::new();
            if self.graph.drives(pin) {
                self.through_arcs(&arrivals, pin, &mut found);
            } else if self.graph.state.direction(pin).loads() {
                self.through_wire(&arrivals, pin, &mut found);
            }
            self.start(pin, &mut found);
            arrivals[pin.index()] = found;
        }
        arrivals
    }

    pub(super) fn is_propagated(&self, launch: ClockEdge) -> bool {
        self.clocks.list[launch / 2].propagated
    }

    fn cell_derate(&self, cell: CellId, is_clock: bool, side: usize, edge: usize) -> f64 {
        let path = if is_clock { DeratePath::Clock } else { DeratePath::Data };
        let master = self.graph.state.design.master_id(cell);
        let (side, edge) = (MinMax::BOTH[side], Edge::BOTH[edge]);
        let kind = DerateKind::CellDelay;
        self.constraints.derates.of_cell(cell, master, kind, path, side, edge)
    }

    fn net_derate(&self, net: NetId, is_clock: bool, side: usize, edge: usize) -> f64 {
        let path = if is_clock { DeratePath::Clock } else { DeratePath::Data };
        self.constraints.derates.of_net(net, path, MinMax::BOTH[side], Edge::BOTH[edge])
    }

    /// Into a load from its driver. An ideal clock takes time here, too: registers do not ask for its
    /// arrival, checks that have the clock for data do.
    fn through_wire(&self, arrivals: &Arrivals, pin: PinId, found: &mut BTreeMap<Tag, Arrival>) {
        let Some(net) = self.graph.state.design.pin_net(pin) else { return };
        let Some(driver) = self.graph.driver[net.index()] else { return };
        for (tag, from) in &arrivals[driver.index()] {
            let Tag { side, edge, is_clock, .. } = *tag;
            let wire = self.delays.wire[pin.index()][side][edge];
            let derate = self.net_derate(net, is_clock, side, edge);
            add(found, *tag, Arrival { at: from.at + wire * derate, up: None });
        }
    }

    /// Into an output from the inputs of its cell.
    fn through_arcs(&self, arrivals: &Arrivals, pin: PinId, found: &mut BTreeMap<Tag, Arrival>) {
        for &number in &self.graph.arcs_to[pin.index()] {
            let arc = &self.graph.arcs[number];
            for (tag, from) in &arrivals[arc.from.index()] {
                for edge in 0..2 {
                    let delay = self.delays.arc[number][tag.side][tag.edge][edge];
                    let Some(delay) = delay.filter(|_| arc.pairs[tag.edge][edge]) else { continue };
                    let mut to = Tag { edge, ..*tag };
                    let derate = |is_clock| self.cell_derate(arc.cell, is_clock, tag.side, edge);
                    let mut new = Arrival { at: from.at, up: None };
                    match arc.role {
                        Role::Logic if tag.is_clock => {
                            if self.clocks.stops.contains(&arc.from) {
                                continue;
                            }
                            new.at += delay * derate(true);
                            if self.is_propagated(tag.launch) {
                                new.up = tag.tree;
                                to.tree = Some((pin, edge));
                            }
                        }
                        Role::Logic => new.at += delay * derate(false),
                        Role::Launch if tag.is_clock => {
                            if !self.is_propagated(tag.launch) {
                                let (clock, side) = (tag.launch / 2, tag.side);
                                let at = Some(arc.from);
                                new.at = self.clocks.ideal_edge(tag.launch, side);
                                new.at += self.clocks.network_latency(clock, tag.edge, side, at);
                            }
                            new.at += delay * derate(false);
                            to.is_clock = false;
                            to.started = self.exceptions.started(arc.from, tag.edge, tag.launch);
                        }
                        Role::Launch | Role::LatchData => continue,
                    }
                    add(found, to, new);
                }
            }
        }
    }

    /// Clocks and input delays start here.
    fn start(&self, pin: PinId, found: &mut BTreeMap<Tag, Arrival>) {
        let here = |(_, clock): &(usize, &super::clocks::Clk)| clock.sources.contains(&pin);
        let clocks: Vec<_> = self.clocks.list.iter().enumerate().filter(here).collect();
        if !clocks.is_empty() {
            found.retain(|tag, _| !tag.is_clock);
        }
        for (number, clock) in clocks {
            for side in 0..2 {
                for edge in 0..2 {
                    let latency = self.clocks.source_latency(number, edge, side, Some(pin));
                    // Of an ideal clock, what launch and capture share of an uncertain source latency
                    // is given back as well.
                    let at = |side| self.clocks.source_latency(number, edge, side, Some(pin));
                    let tree = (clock.propagated || at(0) != at(1)).then_some((pin, edge));
                    let launch = number * 2 + edge;
                    let tag = Tag { side, edge, is_clock: true, launch, started: 0, tree };
                    add(found, tag, Arrival { at: clock.edge[edge] + latency, up: None });
                }
            }
        }
        for delay in self.inputs.get(&pin).into_iter().flatten() {
            // Without a clock nothing launches the path, and nothing can be required of it.
            let known = |clock: &ClockId| (clock.0 as usize) < self.clocks.list.len();
            let Some(clock) = delay.clock.filter(known) else { continue };
            let launch = clock.0 as usize * 2 + delay.clock_edge.index();
            for side in 0..2 {
                for edge in 0..2 {
                    let value = delay.delay.get(MinMax::BOTH[side], Edge::BOTH[edge]);
                    let Some(value) = value else { continue };
                    let at = self.clocks.port_edge(launch, side, delay) + value;
                    let started = self.exceptions.started(pin, edge, launch);
                    let tag = Tag { side, edge, is_clock: false, launch, started, tree: None };
                    add(found, tag, Arrival { at, up: None });
                }
            }
        }
    }
}
