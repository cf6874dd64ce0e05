//! Constraints turned into what the search looks up: clock edges, capture offsets, port delays,
//! derates.

use std::collections::BTreeMap;

use cellwright_db::Design;
use cellwright_db::timing::Edge;

use super::exceptions::Exceptions;
use super::key::MOST_CLOCKS;
use crate::constraints::{
    Clock, ClockId, Constraints, DerateKind, DeratePath, MinMax, PortDelay, Waveform,
};
use crate::graph::{Graph, Vertex};

/// Cycles that are looked at when clock edges are paired.
const MOST_CYCLES: i64 = 1000;

/// A clock, ready for the search.
#[derive(Clone, Debug)]
pub(crate) struct Clk {
    pub(crate) name: String,
    pub(crate) period: f64,
    /// Time of the first rise and fall, ns.
    pub(crate) edge: [f64; 2],
    pub(crate) propagated: bool,
    pub(crate) sources: Vec<Vertex>,
    /// The master's number, for a generated clock.
    pub(crate) master: Option<u16>,
    pub(crate) data: Clock,
}

/// Setup and hold distance from a launching to a capturing edge, ns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distance {
    /// Capture minus launch for setup, positive.
    pub(crate) setup: f64,
    /// Capture minus launch for hold, not positive.
    pub(crate) hold: f64,
    /// To the next capturing edge, where that is farthest.
    pub(crate) latest: f64,
}

/// Early and late factors `[clock, data][min, max][rise, fall]` of cell delays and net delays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factors {
    pub(crate) cell: [[[f32; 2]; 2]; 2],
    pub(crate) net: [[[f32; 2]; 2]; 2],
    pub(crate) check: [[f32; 2]; 2],
}

/// The constraints, ready.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) constraints: Constraints,
    pub(crate) clocks: Vec<Clk>,
    pub(crate) exceptions: Exceptions,
    pub(crate) inputs: BTreeMap<Vertex, Vec<PortDelay>>,
    pub(crate) outputs: BTreeMap<Vertex, Vec<PortDelay>>,
    /// Clocks by source vertex.
    pub(crate) sources: BTreeMap<Vertex, Vec<u16>>,
    pub(crate) factors: Factors,
    /// Some derate is given for single objects.
    pub(crate) single_derates: bool,
    /// No derate differs from 1.
    pub(crate) plain: bool,
    /// Some clock is propagated: reconvergence pessimism is taken out.
    pub(crate) crpr: bool,
    distance: Vec<Distance>,
    /// What could not be served, in words.
    pub(crate) not_supported: Vec<String>,
}

impl Setup {
    pub(crate) fn new(design: &Design, graph: &Graph, constraints: &Constraints) -> Setup {
        let mut not_supported = Vec::new();
        let clocks = clocks(design, graph, constraints, &mut not_supported);
        let mut sources: BTreeMap<Vertex, Vec<u16>> = BTreeMap::new();
        for (number, clock) in clocks.iter().enumerate() {
            for &source in &clock.sources {
                sources.entry(source).or_default().push(number as u16);
            }
        }
        let mut inputs: BTreeMap<Vertex, Vec<PortDelay>> = BTreeMap::new();
        for delay in constraints.input_delays.iter().filter(|delay| design.has_pin(delay.pin)) {
            inputs.entry(graph.driver_vertex(delay.pin)).or_default().push(delay.clone());
        }
        let mut outputs: BTreeMap<Vertex, Vec<PortDelay>> = BTreeMap::new();
        for delay in constraints.output_delays.iter().filter(|delay| design.has_pin(delay.pin)) {
            outputs.entry(graph.vertex(delay.pin)).or_default().push(delay.clone());
        }
        let derates = &constraints.derates;
        let factor = |kind, path, side, edge| {
            derates.design.get(kind, path, side, edge).unwrap_or(1.0) as f32
        };
        let paths = [DeratePath::Clock, DeratePath::Data];
        let table = |kind| {
            paths.map(|path| {
                MinMax::BOTH.map(|side| Edge::BOTH.map(|edge| factor(kind, path, side, edge)))
            })
        };
        let factors = Factors {
            cell: table(DerateKind::CellDelay),
            net: table(DerateKind::NetDelay),
            check: table(DerateKind::CellCheck)[1],
        };
        let single_derates =
            !derates.masters.is_empty() || !derates.cells.is_empty() || !derates.nets.is_empty();
        let distance = clocks
            .iter()
            .flat_map(|from| {
                clocks.iter().flat_map(move |to| {
                    [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(f, t)| distance(from, f, to, t))
                })
            })
            .collect();
        let exceptions = Exceptions::new(design, graph, constraints);
        if exceptions.overflow {
            not_supported.push(
                "the path exceptions combine to more states than are kept apart; some \
                 `-through` combinations are not told apart"
                    .to_owned(),
            );
        }
        not_supported.extend(left_out(constraints).map(str::to_owned));
        not_supported.extend(super::untimed::untimed(design, graph, &constraints.disables));
        let mut setup = Setup {
            crpr: false,
            plain: *derates == Default::default(),
            constraints: constraints.clone(),
            clocks,
            exceptions,
            inputs,
            outputs,
            sources,
            factors,
            single_derates,
            distance,
            not_supported,
        };
        setup.crpr = setup.clocks.iter().zip(0..).any(|(clock, number)| {
            clock.propagated
                || clock.sources.iter().any(|source| setup.is_spread(number, graph.pin(*source)))
        });
        setup
    }

    /// The master clock whose delay to `source` is the source latency of a generated clock there: that
    /// of a propagated master, unless a latency was given.
    pub(crate) fn insertion(
        &self,
        clock: u16,
        edge: usize,
        side: usize,
        source: cellwright_db::PinId,
    ) -> Option<u16> {
        let master = self.clocks.get(usize::from(clock))?.master?;
        let propagated = self.clocks.get(usize::from(master))?.propagated;
        let given = || self.source_latency(clock, edge, side, Some(source)).is_some();
        (propagated && !given()).then_some(master)
    }

    /// Whether the source latency of a clock is another early than late at a source: what launch
    /// and capture share of it is given back.
    pub(crate) fn is_spread(&self, clock: u16, source: cellwright_db::PinId) -> bool {
        (0..2).any(|edge| {
            let at = |side| self.source_latency(clock, edge, side, Some(source)).unwrap_or(0.0);
            at(0) != at(1)
        })
    }

    /// Distances between two clock edges, each clock × 2 + edge.
    #[inline]
    pub(crate) fn distance(&self, from: u16, to: u16) -> Distance {
        let (f, t) = (usize::from(from), usize::from(to));
        let row = (f / 2) * self.clocks.len() + t / 2;
        let none =
            Distance { setup: f64::INFINITY, hold: f64::NEG_INFINITY, latest: f64::NEG_INFINITY };
        self.distance.get(row * 4 + (f % 2) * 2 + t % 2).copied().unwrap_or(none)
    }
    /// The clock of a launching or capturing edge.
    #[inline]
    pub(crate) fn clock(&self, launch: u16) -> Option<&Clk> {
        self.clocks.get(usize::from(launch / 2))
    }
    /// Whether paths between two clocks are cut by clock groups.
    pub(crate) fn cut(&self, from: u16, to: u16) -> bool {
        let (a, b) = (ClockId(u32::from(from / 2)), ClockId(u32::from(to / 2)));
        self.constraints.clock_groups.iter().any(|groups| groups.cuts(a, b))
    }
    /// Latency of an ideal clock's network to a pin, ns.
    pub(crate) fn network_latency(
        &self,
        clock: u16,
        edge: usize,
        side: usize,
        pin: Option<cellwright_db::PinId>,
    ) -> f64 {
        let (edge_kind, minmax) = (Edge::BOTH[edge], MinMax::BOTH[side]);
        let own = pin.and_then(|pin| {
            let list = self.constraints.pin_latencies.iter();
            list.filter(|entry| {
                entry.pin == pin
                    && entry.clock.is_none_or(|other| other == ClockId(u32::from(clock)))
            })
            .find_map(|entry| entry.latency.network.get(minmax, edge_kind))
        });
        own.or_else(|| {
            let clock = self.clocks.get(usize::from(clock))?;
            clock.data.latency.network.get(minmax, edge_kind)
        })
        .unwrap_or(0.0)
    }
    /// Source latency of a clock at a source pin, ns; `side` is 1 for late.
    pub(crate) fn source_latency(
        &self,
        clock: u16,
        edge: usize,
        side: usize,
        pin: Option<cellwright_db::PinId>,
    ) -> Option<f64> {
        let (edge_kind, minmax) = (Edge::BOTH[edge], MinMax::BOTH[side]);
        let own = pin.and_then(|pin| {
            let list = self.constraints.pin_latencies.iter();
            list.filter(|entry| {
                entry.pin == pin
                    && entry.clock.is_none_or(|other| other == ClockId(u32::from(clock)))
            })
            .find_map(|entry| entry.latency.source(minmax, minmax, edge_kind))
        });
        own.or_else(|| {
            let clock = self.clocks.get(usize::from(clock))?;
            clock.data.latency.source(minmax, minmax, edge_kind)
        })
    }
    /// Uncertainty of a check at a pin, ns, taken off setup and added to hold.
    pub(crate) fn uncertainty(
        &self,
        from: Option<u16>,
        to: u16,
        side: usize,
        pin: Option<cellwright_db::PinId>,
    ) -> f64 {
        if let Some(from) = from {
            let clocks = (ClockId(u32::from(from / 2)), ClockId(u32::from(to / 2)));
            let between = self.constraints.inter_clock_uncertainty.get(&clocks);
            let (f, t) = (Edge::BOTH[usize::from(from % 2)], Edge::BOTH[usize::from(to % 2)]);
            if let Some(value) = between.and_then(|values| values.get(MinMax::BOTH[side], f, t)) {
                return value;
            }
        }
        let own = pin.and_then(|pin| self.constraints.pin_uncertainty.get(&pin));
        own.and_then(|values| values[side])
            .or_else(|| self.clock(to).and_then(|clock| clock.data.uncertainty[side]))
            .unwrap_or(0.0)
    }
    /// Slew of ideal clocks at a register clock pin that the clocks of `set` reach; `None` when
    /// none of them is ideal.
    pub(crate) fn ideal_slew(&self, set: &[u16], side: usize, edge: usize) -> Option<f64> {
        let mut worst: Option<f64> = None;
        let (edge_kind, minmax) = (Edge::BOTH[edge], MinMax::BOTH[side]);
        for &clock in set {
            let Some(clock) = self.clocks.get(usize::from(clock)) else { continue };
            if clock.propagated {
                continue;
            }
            let slew = clock.data.transition.get(minmax, edge_kind).unwrap_or(0.0);
            worst = Some(match worst {
                None => slew,
                Some(worst) if side == 1 => worst.max(slew),
                Some(worst) => worst.min(slew),
            });
        }
        worst
    }
}

/// Constraints that are read but not served, in words.
fn left_out(constraints: &Constraints) -> impl Iterator<Item = &'static str> {
    use crate::constraints::{CaseValue, ClockSenseKind, ExceptionKind};
    use crate::search::exceptions::ignores_latency;
    let edge_case = |value: &CaseValue| matches!(value, CaseValue::Rising | CaseValue::Falling);
    let stops = |kind| kind == ClockSenseKind::Stop;
    let list = [
        (!constraints.disables.wires.is_empty(), "set_disable_timing of single wires"),
        (constraints.case.values().any(edge_case), "set_case_analysis rising and falling"),
        (!constraints.data_checks.is_empty(), "set_data_check"),
        (
            constraints.exceptions.iter().any(|exception| {
                matches!(
                    exception.kind,
                    ExceptionKind::PathDelay { ignore_clock_latency: true, .. }
                ) && !ignores_latency(exception)
            }),
            "-ignore_clock_latency without -from: the latency of the launching clock stays in",
        ),
        (
            !constraints.ideal_networks.is_empty() || !constraints.ideal_nets.is_empty(),
            "ideal nets and networks of data",
        ),
        (
            constraints.clocks.iter().any(|(_, clock)| clock.propagated)
                && constraints.pin_latencies.iter().any(|entry| !entry.latency.network.is_empty()),
            "set_clock_latency of pins beside propagated clocks: where a propagated clock comes, its \
             network's delay counts",
        ),
        (
            constraints.clock_senses.iter().any(|sense| !stops(sense.kind)),
            "set_clock_sense other than -stop_propagation",
        ),
        (
            constraints.ports.values().any(|port| !port.drive_resistance.is_empty()),
            "set_drive: input ports drive without resistance",
        ),
        (
            constraints.nets.values().any(|net| net.resistance.iter().any(Option::is_some)),
            "set_resistance",
        ),
    ];
    list.into_iter().filter(|(found, _)| *found).map(|(_, what)| what)
}

/// Waveforms of all clocks, generated ones after their masters.
fn clocks(
    design: &Design,
    graph: &Graph,
    constraints: &Constraints,
    not_supported: &mut Vec<String>,
) -> Vec<Clk> {
    let count = constraints.clocks.len().min(MOST_CLOCKS);
    if count < constraints.clocks.len() {
        not_supported.push(format!("only the first {MOST_CLOCKS} clocks are analysed"));
    }
    let mut waves: Vec<Option<Waveform>> = vec![None; count];
    let mut masters: Vec<Option<u16>> = vec![None; count];
    for (id, clock) in constraints.clocks.iter().take(count) {
        if clock.generated.is_none() {
            let wave = Waveform { period: clock.period, edges: clock.waveform.clone() };
            waves[id.0 as usize] = Some(wave);
        }
    }
    // Each pass resolves at least one level of generated clocks.
    for _ in 0..count {
        for (id, clock) in constraints.clocks.iter().take(count) {
            let Some(generated) = &clock.generated else { continue };
            if waves[id.0 as usize].is_some() {
                continue;
            }
            let master = generated.master.map(|master| master.0 as u16).or_else(|| {
                let source = generated.source.filter(|pin| design.has_pin(*pin))?;
                let of = |vertex: Vertex| {
                    let set = *graph.clocks.get(vertex as usize)?;
                    let set = graph.clock_sets.get(usize::from(set))?;
                    set.iter().copied().find(|other| u32::from(*other) != id.0)
                };
                of(graph.vertex(source)).or_else(|| of(graph.driver_vertex(source)))
            });
            let wave = master.and_then(|master| waves.get(usize::from(master))?.as_ref());
            if let Some(wave) = wave {
                masters[id.0 as usize] = master;
                waves[id.0 as usize] = Some(generated.waveform(wave));
            }
        }
    }
    constraints
        .clocks
        .iter()
        .take(count)
        .map(|(id, clock)| {
            let wave = waves[id.0 as usize].clone();
            if wave.is_none() {
                not_supported.push(format!(
                    "generated clock `{}`: no master clock reaches its source",
                    clock.name
                ));
            }
            let wave = wave.unwrap_or(Waveform { period: 0.0, edges: vec![0.0, 0.0] });
            if wave.edges.len() > 2 {
                not_supported.push(format!(
                    "clock `{}`: only the first two edges of its waveform are used",
                    clock.name
                ));
            }
            let at = |edge: usize| wave.edges.get(edge).copied().unwrap_or(0.0);
            let alive = clock.sources.iter().filter(|pin| design.has_pin(**pin));
            let sources: Vec<Vertex> = alive.map(|pin| graph.driver_vertex(*pin)).collect();
            Clk {
                name: clock.name.clone(),
                period: wave.period,
                edge: [at(0), at(1)],
                propagated: clock.propagated
                    || clock.sources.iter().any(|pin| constraints.propagated_pins.contains(pin)),
                sources,
                master: masters[id.0 as usize],
                data: clock.clone(),
            }
        })
        .collect()
}

/// The nearest capturing edge after a launching one (setup), and not after it (hold), over the
/// common period of both clocks.
fn distance(from: &Clk, from_edge: usize, to: &Clk, to_edge: usize) -> Distance {
    let none =
        Distance { setup: f64::INFINITY, hold: f64::NEG_INFINITY, latest: f64::NEG_INFINITY };
    if from.period <= 0.0 || to.period <= 0.0 {
        return none;
    }
    let (launch, capture) = (from.edge[from_edge], to.edge[to_edge]);
    // Relative tolerance: edges of clocks whose periods are multiples meet in floating point.
    let fuzz = 1e-6 * from.period.min(to.period);
    let mut best = none;
    let mut cycle = 0;
    loop {
        let at = launch + cycle as f64 * from.period;
        let turns = ((at - capture + fuzz) / to.period).floor();
        let before = capture + turns * to.period;
        best.setup = best.setup.min(before + to.period - at);
        best.latest = best.latest.max(before + to.period - at);
        best.hold = best.hold.max((before - at).min(0.0));
        cycle += 1;
        let phase = (cycle as f64 * from.period) / to.period;
        if (phase - phase.round()).abs() * to.period <= fuzz || cycle >= MOST_CYCLES {
            return best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clk(period: f64, edge: [f64; 2]) -> Clk {
        Clk {
            name: String::new(),
            period,
            edge,
            propagated: false,
            sources: vec![],
            master: None,
            data: Clock::default(),
        }
    }

    #[test]
    fn edges_pair_over_the_common_period() {
        let a = clk(10.0, [0.0, 5.0]);
        let same = distance(&a, 0, &a, 0);
        assert_eq!((same.setup, same.hold), (10.0, 0.0));
        let half = distance(&a, 0, &a, 1);
        assert_eq!((half.setup, half.hold), (5.0, -5.0));
        // 4 and 6 ns meet every 12 ns: launches at 0, 4, 8; captures at 0, 6, 12.
        let (b, c) = (clk(4.0, [0.0, 2.0]), clk(6.0, [0.0, 3.0]));
        let between = distance(&b, 0, &c, 0);
        assert_eq!((between.setup, between.hold), (2.0, 0.0));
        let back = distance(&c, 0, &b, 0);
        assert_eq!((back.setup, back.hold), (2.0, 0.0));
        let virtual_offset = clk(4.0, [1.0, 3.0]);
        let shifted = distance(&b, 0, &virtual_offset, 0);
        assert_eq!((shifted.setup, shifted.hold), (1.0, -3.0));
    }
}
