//! Clocks: their edges, where they reach, latencies, uncertainties, and how edges pair.

use cellwright_db::PinId;
use cellwright_db::timing::Edge;
use cellwright_formats::constraints::{
    ClockId, ClockSenseKind, Constraints, MinMax, PinLatency, PortDelay,
};

use super::Quad;
use super::delays::{Delays, worse};
use super::graph::{Graph, Role};

/// A clock edge: clock × 2 + edge (1 is the fall).
pub(super) type ClockEdge = usize;

/// One clock.
#[derive(Clone, Debug)]
pub(super) struct Clk {
    /// ns.
    pub(super) period: f64,
    /// Time of the first rise and fall, ns.
    pub(super) edge: [f64; 2],
    pub(super) propagated: bool,
    pub(super) sources: Vec<PinId>,
}

/// All clocks.
#[derive(Debug)]
pub(super) struct Clocks {
    constraints: Constraints,
    pub(super) list: Vec<Clk>,
    /// Clocks whose network each pin belongs to.
    reach: Vec<Vec<usize>>,
    /// Where clocks stop.
    pub(super) stops: Vec<PinId>,
}

/// Most launches over which edges are paired.
const MOST_CYCLES: i64 = 1000;

impl Clocks {
    pub(super) fn new(graph: &Graph<'_>, constraints: &Constraints) -> Clocks {
        let list: Vec<Clk> = constraints
            .clocks
            .iter()
            .map(|(_, clock)| {
                let at = |edge: usize| clock.waveform.get(edge).copied().unwrap_or(0.0);
                let by_pin = |pin: &PinId| constraints.propagated_pins.contains(pin);
                Clk {
                    period: clock.period,
                    edge: [at(0), at(1)],
                    propagated: clock.propagated || clock.sources.iter().any(by_pin),
                    sources: clock.sources.clone(),
                }
            })
            .collect();
        let stops = constraints.clock_senses.iter().filter(|s| s.kind == ClockSenseKind::Stop);
        let stops: Vec<PinId> = stops.flat_map(|sense| sense.pins.iter().copied()).collect();
        let pins = graph.state.design.pin_slots();
        let mut clocks =
            Clocks { constraints: constraints.clone(), list, reach: vec![Vec::new(); pins], stops };
        clocks.find_reach(graph);
        clocks
    }

    /// Along wires and logic, up to the sources of other clocks.
    fn find_reach(&mut self, graph: &Graph<'_>) {
        let design = &graph.state.design;
        let is_source = |pin: PinId| self.list.iter().any(|clock| clock.sources.contains(&pin));
        for (number, clock) in self.list.iter().enumerate() {
            let sources = clock.sources.iter().filter(|pin| design.has_pin(**pin));
            let mut open: Vec<(PinId, bool)> = sources.map(|pin| (*pin, true)).collect();
            while let Some((pin, source)) = open.pop() {
                if self.reach[pin.index()].contains(&number) {
                    continue;
                }
                self.reach[pin.index()].push(number);
                let ends = graph.cut[pin.index()]
                    || graph.constant[pin.index()].is_some()
                    || self.stops.contains(&pin)
                    || (!source && is_source(pin));
                if ends {
                    continue;
                }
                if graph.drives(pin)
                    && let Some(net) = design.pin_net(pin)
                {
                    open.extend(graph.loads(net).map(|load| (load, false)));
                }
                let arcs = graph.arcs_from[pin.index()].iter().map(|arc| &graph.arcs[*arc]);
                let logic = arcs.filter(|arc| arc.role == Role::Logic);
                open.extend(logic.map(|arc| (arc.to, false)));
            }
        }
    }

    /// Slew at a pin as register arcs and checks see it: that of the ideal clocks there, if any.
    pub(super) fn slew(&self, delays: &Delays, pin: PinId) -> Quad {
        let ideal: Vec<usize> = self.reach[pin.index()]
            .iter()
            .copied()
            .filter(|clock| !self.list[*clock].propagated)
            .collect();
        let mut slew = delays.slew[pin.index()];
        if ideal.is_empty() {
            return slew;
        }
        for (side, row) in slew.iter_mut().enumerate() {
            for (edge, slot) in row.iter_mut().enumerate() {
                let given = ideal.iter().map(|clock| {
                    let clock = &self.constraints.clocks[ClockId(*clock as u32)];
                    clock.transition.get(MinMax::BOTH[side], Edge::BOTH[edge]).unwrap_or(0.0)
                });
                *slot = given.reduce(|a, b| worse(side, a, b)).unwrap_or(0.0);
            }
        }
        slew
    }

    fn of_pin(&self, clock: usize, pin: Option<PinId>) -> impl Iterator<Item = &PinLatency> {
        let id = ClockId(clock as u32);
        self.constraints.pin_latencies.iter().filter(move |entry| {
            Some(entry.pin) == pin && entry.clock.is_none_or(|other| other == id)
        })
    }
    /// Latency of an ideal clock's network to a pin, ns. A value of the pin goes before the clock's.
    pub(super) fn network_latency(
        &self,
        clock: usize,
        edge: usize,
        side: usize,
        pin: Option<PinId>,
    ) -> f64 {
        let (side, edge) = (MinMax::BOTH[side], Edge::BOTH[edge]);
        let own = self.of_pin(clock, pin).find_map(|entry| entry.latency.network.get(side, edge));
        let clock = &self.constraints.clocks[ClockId(clock as u32)];
        own.or_else(|| clock.latency.network.get(side, edge)).unwrap_or(0.0)
    }
    /// Latency of a clock before its source, ns.
    pub(super) fn source_latency(
        &self,
        clock: usize,
        edge: usize,
        side: usize,
        pin: Option<PinId>,
    ) -> f64 {
        let (side, edge) = (MinMax::BOTH[side], Edge::BOTH[edge]);
        let own = self.of_pin(clock, pin).find_map(|entry| entry.latency.source(side, side, edge));
        let clock = &self.constraints.clocks[ClockId(clock as u32)];
        own.or_else(|| clock.latency.source(side, side, edge)).unwrap_or(0.0)
    }
    /// When an edge of an ideal clock counts at registers, before its network's latency, ns: at its
    /// sources, the worst of them.
    pub(super) fn ideal_edge(&self, at: ClockEdge, side: usize) -> f64 {
        let (clock, edge) = (at / 2, at % 2);
        let latency = |pin| self.source_latency(clock, edge, side, pin);
        let sources = self.list[clock].sources.iter().map(|source| latency(Some(*source)));
        let worst = sources.reduce(|a, b| worse(side, a, b));
        self.list[clock].edge[edge] + worst.unwrap_or_else(|| latency(None))
    }
    /// When a clock edge counts for the delay of a port, ns.
    pub(super) fn port_edge(&self, at: ClockEdge, side: usize, delay: &PortDelay) -> f64 {
        let (clock, edge) = (at / 2, at % 2);
        let mut time = self.list[clock].edge[edge];
        if !delay.source_latency_included {
            time += self.source_latency(clock, edge, side, None);
        }
        if !self.list[clock].propagated && !delay.network_latency_included {
            time += self.network_latency(clock, edge, side, None);
        }
        time
    }
    /// Uncertainty between two clock edges at a pin, ns: between the clocks, else at the pin, else
    /// of the capturing clock.
    pub(super) fn uncertainty(
        &self,
        from: ClockEdge,
        to: ClockEdge,
        side: usize,
        pin: Option<PinId>,
    ) -> f64 {
        let id = |at: ClockEdge| ClockId((at / 2) as u32);
        let between = self.constraints.inter_clock_uncertainty.get(&(id(from), id(to)));
        let (f, t) = (Edge::BOTH[from % 2], Edge::BOTH[to % 2]);
        between
            .and_then(|values| values.get(MinMax::BOTH[side], f, t))
            .or_else(|| self.constraints.pin_uncertainty.get(&pin?)?[side])
            .or_else(|| self.constraints.clocks[id(to)].uncertainty[side])
            .unwrap_or(0.0)
    }
    /// Whether clock groups cut paths between two clocks.
    pub(super) fn apart(&self, from: ClockEdge, to: ClockEdge) -> bool {
        let (a, b) = (ClockId((from / 2) as u32), ClockId((to / 2) as u32));
        self.constraints.clock_groups.iter().any(|groups| groups.cuts(a, b))
    }

    /// From a launching edge to the edge that captures, ns: for setup the nearest one after it,
    /// for hold the nearest one not after it, each the worst over the common period.
    pub(super) fn distance(&self, from: ClockEdge, to: ClockEdge, side: usize) -> Option<f64> {
        let (a, b) = (&self.list[from / 2], &self.list[to / 2]);
        if a.period <= 0.0 || b.period <= 0.0 {
            return None;
        }
        let fuzz = 1e-6 * a.period.min(b.period);
        let (mut setup, mut hold) = (f64::INFINITY, f64::NEG_INFINITY);
        for cycle in 0..MOST_CYCLES {
            let launch = a.edge[from % 2] + cycle as f64 * a.period;
            // Captures lie at `first` plus whole periods; the last one not after the launch:
            let first = b.edge[to % 2];
            let back = first + ((launch - first + fuzz) / b.period).floor() * b.period - launch;
            setup = setup.min(back + b.period);
            hold = hold.max(back.min(0.0));
            let turns = (cycle + 1) as f64 * a.period / b.period;
            if (turns - turns.round()).abs() * b.period <= fuzz {
                break;
            }
        }
        Some(if side == 1 { setup } else { hold })
    }
}
