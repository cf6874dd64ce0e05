//! Slews and delays, pin by pin in the graph's order.
//!
//! A driver sees all capacitance of its net lumped: the wire's and the pins'. Its arcs' tables give
//! delay and slew; of several arcs the worst slew goes on, the largest for late and the smallest
//! for early. Slews are at least 0; delays are what the tables say.

use cellwright_db::timing::{Edge, Table, TimingLib};
use cellwright_db::{NetId, Owner, PinId, PortId};
use cellwright_formats::constraints::{Constraints, DrivingCell, MinMax};

use super::clocks::Clocks;
use super::graph::{Graph, Role};
use super::table::{Query, value};
use super::wires::{Tree, Wires};
use super::{Calculator, Quad};

/// Slews, wire delays and arc delays, ns.
#[derive(Debug)]
pub(super) struct Delays {
    /// By pin: `[early, late][rise, fall]`.
    pub(super) slew: Vec<Quad>,
    /// By load pin.
    pub(super) wire: Vec<Quad>,
    /// By arc: `[early, late][edge at from][edge at to]`; `None` where it does not exist.
    pub(super) arc: Vec<[[[Option<f64>; 2]; 2]; 2]>,
}

/// The worse of two values of a side: the later or the earlier one.
pub(super) fn worse(side: usize, a: f64, b: f64) -> f64 {
    if side == 1 { a.max(b) } else { a.min(b) }
}

fn take(slot: &mut Option<f64>, side: usize, new: f64) {
    *slot = Some(slot.map_or(new, |old| worse(side, old, new)));
}

/// A net's load and Elmore delays.
struct Load {
    /// `[early, late][rise, fall]`, pF.
    total: Quad,
    /// (load pin, Elmore delay, ns).
    elmore: Vec<(PinId, Quad)>,
}

/// What a driver puts on its net.
#[derive(Clone, Copy)]
struct Driven {
    /// Slew at the driver by side and edge.
    slew: [[Option<f64>; 2]; 2],
    /// Delay that a driving cell outside adds to the wire.
    extra: Quad,
}

struct Work<'a, 'b> {
    graph: &'b Graph<'a>,
    constraints: &'b Constraints,
    clocks: &'b Clocks,
    wires: &'b Wires,
    calculator: Calculator,
}

/// Computes everything.
pub(super) fn compute(
    graph: &Graph<'_>,
    constraints: &Constraints,
    clocks: &Clocks,
    wires: &Wires,
    calculator: Calculator,
) -> Delays {
    let pins = graph.state.design.pin_slots();
    let mut delays = Delays {
        slew: vec![[[0.0; 2]; 2]; pins],
        wire: vec![[[0.0; 2]; 2]; pins],
        arc: vec![[[[None; 2]; 2]; 2]; graph.arcs.len()],
    };
    let work = Work { graph, constraints, clocks, wires, calculator };
    for &pin in &graph.order {
        if graph.drives(pin) {
            work.driver(pin, &mut delays);
        }
    }
    delays
}

impl Work<'_, '_> {
    /// Evaluates a driver with its net.
    fn driver(&self, pin: PinId, delays: &mut Delays) {
        let design = &self.graph.state.design;
        let net = design.pin_net(pin);
        let load = match net {
            Some(net) => self.load(net, pin),
            None => Load { total: [[0.0; 2]; 2], elmore: Vec::new() },
        };
        let driven = match design.owner(pin) {
            Owner::Port(port) => self.port(port, &load),
            Owner::Cell(..) => self.arcs(pin, &load, delays),
        };
        delays.slew[pin.index()] = driven.slew.map(|side| side.map(|slew| slew.unwrap_or(0.0)));
        if net.is_none_or(|net| self.graph.driver[net.index()] != Some(pin)) {
            return;
        }
        let from = self.library_of(pin);
        for (to, elmore) in load.elmore {
            for side in 0..2 {
                for edge in 0..2 {
                    let Some(slew) = driven.slew[side][edge] else { continue };
                    let wire = match self.calculator {
                        Calculator::Lumped => 0.0,
                        Calculator::LumpedElmore => elmore[side][edge],
                    };
                    let (wire, slew) = self.thresholds(from, to, side, edge, (wire, slew));
                    delays.wire[to.index()][side][edge] = wire + driven.extra[side][edge];
                    delays.slew[to.index()][side][edge] = slew;
                }
            }
        }
    }

    /// Slew that an arc is entered with: registers see their clock's own.
    fn arcs(&self, pin: PinId, load: &Load, delays: &mut Delays) -> Driven {
        let mut driven = Driven { slew: [[None; 2]; 2], extra: [[0.0; 2]; 2] };
        for &number in &self.graph.arcs_to[pin.index()] {
            let arc = &self.graph.arcs[number];
            let source = match arc.role {
                Role::Launch => self.clocks.slew(delays, arc.from),
                Role::Logic | Role::LatchData => delays.slew[arc.from.index()],
            };
            for side in 0..2 {
                for from in 0..2 {
                    for to in 0..2 {
                        if !arc.pairs[from][to] {
                            continue;
                        }
                        let Some((delay, slew)) = arc.tables(side, to) else { continue };
                        let (input, total) = (source[side][from], load.total[side][to]);
                        let (delay, slew) = gate(delay, slew, input, total);
                        delays.arc[number][side][from][to] = Some(delay);
                        if arc.role != Role::LatchData {
                            take(&mut driven.slew[side][to], side, slew);
                        }
                    }
                }
            }
        }
        driven
    }

    /// An input port: its driving cell, or the slew that is given for it.
    fn port(&self, port: PortId, load: &Load) -> Driven {
        let mut driven = Driven { slew: [[None; 2]; 2], extra: [[0.0; 2]; 2] };
        let environment = self.constraints.ports.get(&port);
        for side in 0..2 {
            for edge in 0..2 {
                let cell = environment.and_then(|port| port.driving_cell[side][edge].as_ref());
                let by_cell = cell.and_then(|cell| self.outside(cell, side, edge, load));
                let given = environment.and_then(|port| {
                    port.input_transition.get(MinMax::BOTH[side], Edge::BOTH[edge])
                });
                let (slew, extra) = by_cell.unwrap_or((given.unwrap_or(0.0), 0.0));
                driven.slew[side][edge] = Some(slew);
                driven.extra[side][edge] = extra;
            }
        }
        driven
    }

    /// Slew of a driving cell into the port's net, and how much longer its arc takes than without
    /// load, times its multiplier.
    fn outside(
        &self,
        cell: &DrivingCell,
        side: usize,
        edge: usize,
        load: &Load,
    ) -> Option<(f64, f64)> {
        let library = self.graph.state.design.library();
        let view = |late| library.timing(self.graph.corner, late, cell.master);
        let (early, late) = (view(false).or(view(true))?.1, view(true).or(view(false))?.1);
        let is_delay =
            |arc: &&cellwright_db::timing::TimingArc| super::graph::pairs_of(arc).is_some();
        let arcs = || late.arcs.iter().filter(is_delay);
        let to = cell.to_pin.or_else(|| arcs().next().map(|arc| arc.to))?;
        let from = cell.from_pin.or_else(|| arcs().find(|arc| arc.to == to).map(|arc| arc.from))?;
        for arc in arcs().filter(|arc| arc.to == to && arc.from == from) {
            let tables = if side == 1 {
                Some(arc)
            } else {
                let same = |other: &&cellwright_db::timing::TimingArc| {
                    (other.from, other.to, other.kind, other.sense)
                        == (arc.from, arc.to, arc.kind, arc.sense)
                        && other.when == arc.when
                };
                early.arcs.iter().find(same)
            };
            let Some(delay) = tables.and_then(|arc| arc.value[edge].as_ref()) else { continue };
            let slew = tables.and_then(|arc| arc.slew[edge].as_ref());
            let pairs = super::graph::pairs_of(arc)?;
            let mut worst: [Option<f64>; 2] = [None; 2];
            for from_edge in (0..2).filter(|from_edge| pairs[*from_edge][edge]) {
                let input = cell.from_slews[from_edge];
                let loaded = gate(delay, slew, input, load.total[side][edge]);
                let bare = gate(delay, slew, input, 0.0);
                take(&mut worst[0], side, loaded.1);
                take(&mut worst[1], side, (loaded.0 - bare.0) * cell.multiply_by);
            }
            if let [Some(slew), Some(extra)] = worst {
                return Some((slew, extra));
            }
        }
        None
    }

    /// All capacitance on a net, and the Elmore delays behind its driver.
    fn load(&self, net: NetId, driver: PinId) -> Load {
        let pins: Vec<(PinId, Quad)> =
            self.graph.state.pins(net).iter().map(|pin| (*pin, self.pin_cap(*pin))).collect();
        let tree = Tree::new(self.graph.state, self.wires, net, driver);
        let wire = tree.as_ref().map_or(0.0, Tree::capacitance);
        let mut load = Load { total: [[wire; 2]; 2], elmore: Vec::new() };
        let mut elmore: Vec<(PinId, Quad)> =
            self.graph.loads(net).map(|pin| (pin, [[0.0; 2]; 2])).collect();
        for side in 0..2 {
            for edge in 0..2 {
                load.total[side][edge] += pins.iter().map(|(_, cap)| cap[side][edge]).sum::<f64>();
                let Some(tree) = tree.as_ref().filter(|_| self.calculator != Calculator::Lumped)
                else {
                    continue;
                };
                let cap = |pin: PinId| {
                    let found = pins.binary_search_by_key(&pin, |(pin, _)| *pin);
                    found.map_or(0.0, |at| pins[at].1[side][edge])
                };
                let delays = tree.elmore(cap);
                for (pin, delay) in &mut elmore {
                    delay[side][edge] = delays.get(pin).copied().unwrap_or(0.0);
                }
            }
        }
        load.elmore = elmore;
        load
    }

    /// Capacitance that a pin adds to its net, pF; outputs add what the library states for them.
    fn pin_cap(&self, pin: PinId) -> Quad {
        match self.graph.state.design.owner(pin) {
            Owner::Cell(cell, number) => [0, 1].map(|side| {
                let view = self.graph.view(cell, side);
                let pin = view.and_then(|(_, cell)| cell.pins.get(number.index()));
                pin.map_or([0.0; 2], |pin| {
                    let cap = if side == 1 { pin.cap_max } else { pin.cap_min };
                    cap.map(f64::from)
                })
            }),
            Owner::Port(port) => {
                let environment = self.constraints.ports.get(&port);
                [0, 1].map(|side| {
                    [0, 1].map(|edge| {
                        let (side, edge) = (MinMax::BOTH[side], Edge::BOTH[edge]);
                        environment.map_or(0.0, |port| {
                            port.pin_load.get(side, edge).unwrap_or(0.0)
                                + port.wire_load.get(side, edge).unwrap_or(0.0)
                        })
                    })
                })
            }
        }
    }

    /// Library of a pin's cell, early and late; ports have the first of the corner.
    fn library_of(&self, pin: PinId) -> [Option<&TimingLib>; 2] {
        let library = self.graph.state.design.library();
        [0, 1].map(|side| match self.graph.state.design.owner(pin) {
            Owner::Cell(cell, _) => self.graph.view(cell, side).map(|(lib, _)| lib),
            Owner::Port(_) => {
                let corner = library.corners.get(self.graph.corner)?;
                let libs = if side == 1 { &corner.late_libs } else { &corner.early_libs };
                library.timing_libs.get(*libs.first()? as usize)
            }
        })
    }

    /// A wire delay and slew as the load's library measures them: the delay to its own input
    /// threshold, the slew between its own thresholds.
    fn thresholds(
        &self,
        from: [Option<&TimingLib>; 2],
        to: PinId,
        side: usize,
        edge: usize,
        (delay, slew): (f64, f64),
    ) -> (f64, f64) {
        let (Some(from), Some(to)) = (from[side], self.library_of(to)[side]) else {
            return (delay, slew);
        };
        if std::ptr::eq(from, to) {
            return (delay, slew);
        }
        let span = |lib: &TimingLib| {
            let t = &lib.thresholds;
            f64::from(t.slew_upper[edge]) - f64::from(t.slew_lower[edge])
        };
        let derate = |lib: &TimingLib| {
            let derate = f64::from(lib.slew_derate);
            if derate > 0.0 { derate } else { 1.0 }
        };
        let step = f64::from(to.thresholds.input[edge]) - f64::from(from.thresholds.output[edge]);
        // A fall reaches a higher threshold earlier.
        let step = if edge == 0 { step } else { -step };
        let delay = delay + slew * step / span(from);
        (delay, slew * (span(to) / derate(to)) / (span(from) / derate(from)))
    }
}

/// Delay and slew of a gate, ns.
fn gate(delay: &Table, slew: Option<&Table>, input: f64, load: f64) -> (f64, f64) {
    let query = Query { slew: input, load, ..Query::default() };
    (value(delay, &query), slew.map_or(0.0, |table| value(table, &query).max(0.0)))
}
