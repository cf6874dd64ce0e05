//! When clock edges reach the pins of clock networks, with the delays that the networks have.
//!
//! Launches and captures of an ideal clock take no delay from its network, so the search keeps none
//! there. What is asked of the pins themselves (arrival, pulse width) is asked of the network as it
//! is; it is worked out on demand, from delays that are kept anyway.

use std::collections::BTreeMap;

use cellwright_db::Owner;
use smallvec::SmallVec;

use super::key;
use super::{Context, Quad, Values, worse};
use crate::graph::model::{NO_SLOT, Role};
use crate::graph::{Vertex, flag};

/// A clock edge at a pin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pulse {
    /// Clock × 2 + edge of the clock.
    pub(crate) launch: u16,
    /// By `side * 2 + edge` of the pin, ns from the clock's time zero; NaN without.
    pub(crate) at: Quad,
}

/// The clock edges at the pins that clocks reach.
pub(crate) type Pulses = BTreeMap<Vertex, SmallVec<[Pulse; 2]>>;

fn note(found: &mut SmallVec<[Pulse; 2]>, launch: u16, corner: usize, arrival: f32) {
    let at = found.iter().position(|pulse| pulse.launch == launch).unwrap_or_else(|| {
        found.push(Pulse { launch, at: [f32::NAN; 4] });
        found.len() - 1
    });
    let slot = &mut found[at].at[corner];
    if slot.is_nan() || worse(corner / 2, arrival, *slot) {
        *slot = arrival;
    }
}

impl Context<'_> {
    /// The edges of all clocks at all pins that they reach: of propagated clocks as the search has
    /// them, of ideal ones with the delays of their networks.
    pub(crate) fn pulses(&self, values: &Values) -> Pulses {
        let graph = self.view.graph;
        let mut order: Vec<Vertex> = (0..graph.len() as Vertex)
            .filter(|vertex| graph.clocks[*vertex as usize] != 0)
            .filter(|vertex| self.view.flags(*vertex) & (flag::CONSTANT | flag::CUT) == 0)
            .collect();
        order.sort_by_key(|vertex| (graph.level[*vertex as usize], *vertex));
        let mut all = Pulses::new();
        for vertex in order {
            let mut found = SmallVec::new();
            for path in values.paths.of(vertex) {
                if key::is_clock(path.key) && self.is_propagated(path.key) {
                    let (launch, corner) = (key::launch(path.key), key::corner(path.key));
                    note(&mut found, launch, corner, path.arrival);
                }
            }
            self.ideal_pulses(values, &all, vertex, &mut found);
            if !found.is_empty() {
                found.sort_by_key(|pulse| pulse.launch);
                all.insert(vertex, found);
            }
        }
        all
    }

    /// Whether the clock of a launching edge is ideal.
    fn is_ideal(&self, launch: u16) -> bool {
        self.setup.clock(launch).is_some_and(|clock| !clock.propagated)
    }

    /// The edges of ideal clocks at a vertex from those of its sources.
    fn ideal_pulses(
        &self,
        values: &Values,
        all: &Pulses,
        vertex: Vertex,
        found: &mut SmallVec<[Pulse; 2]>,
    ) {
        let pin = self.view.pin(vertex);
        if let Some(clocks) = self.setup.sources.get(&vertex) {
            // What else arrives ends where a clock is defined.
            for &number in clocks {
                for corner in 0..4 {
                    let (side, edge) = (corner / 2, corner % 2);
                    let launch = number * 2 + edge as u16;
                    let Some(clock) = self.setup.clock(launch).filter(|clock| !clock.propagated)
                    else {
                        continue;
                    };
                    let latency = self.setup.source_latency(number, edge, side, Some(pin));
                    let arrival = clock.edge[edge] + latency.unwrap_or(0.0);
                    note(found, launch, corner, arrival as f32);
                }
            }
            return;
        }
        let ideal = |from: Vertex| {
            let edges = all.get(&from).map_or(&[][..], |edges| edges);
            edges.iter().filter(|pulse| self.is_ideal(pulse.launch))
        };
        if !self.view.is_driver(vertex) {
            let Some(net) = self.view.design.pin_net(pin) else { return };
            for driver in self.view.drivers(net) {
                if self.view.pin(driver) == pin {
                    continue;
                }
                let wire = values.wire_delay(driver, vertex);
                for pulse in ideal(driver) {
                    for corner in (0..4).filter(|corner| !pulse.at[*corner].is_nan()) {
                        let factor = self.net_factor(vertex, true, corner / 2, corner % 2);
                        let arrival = pulse.at[corner] + wire[corner] * factor;
                        note(found, pulse.launch, corner, arrival);
                    }
                }
            }
            return;
        }
        let Owner::Cell(cell, number) = self.view.design.owner(pin) else { return };
        let Some(model) = self.view.model(cell) else { return };
        let first = self.view.design.cell(cell).first_pin;
        for &arc in &model.pins[number.index()].fanin {
            let (entry, pairs) = (&model.arcs[arc as usize], self.view.pairs(cell, model, arc));
            let from = self.view.arc_from(first, entry.from);
            if entry.role != Role::Combinational || self.view.flags(from) & flag::STOP != 0 {
                continue;
            }
            for pulse in ideal(from) {
                for pair in (0..4).filter(|pair| pairs >> pair & 1 == 1) {
                    let (from_edge, to_edge, slot) = (pair / 2, pair % 2, entry.slot[pair]);
                    if slot == NO_SLOT {
                        continue;
                    }
                    let slot = values.base[cell.index()] + u32::from(slot);
                    for side in 0..2 {
                        let delay = values.arc[slot as usize][side];
                        let start = pulse.at[side * 2 + from_edge];
                        if start.is_nan() || delay.is_nan() {
                            continue;
                        }
                        let factor = self.cell_factor(cell, true, side, to_edge);
                        note(found, pulse.launch, side * 2 + to_edge, start + delay * factor);
                    }
                }
            }
        }
    }
}
