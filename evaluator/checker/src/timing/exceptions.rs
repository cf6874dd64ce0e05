//! False paths and multicycle paths by start and end. Those with `-through` and path delays are not
//! served; [`super::support`] says so.

use cellwright_db::library::PinDirection;
use cellwright_db::{Owner, PinId};
use cellwright_formats::constraints::{ClockId, Constraints, Exception, ExceptionKind, PathPoint};

use super::clocks::ClockEdge;
use super::graph::Graph;

/// Which exceptions a path has started under, one bit each.
pub(super) type Started = u128;
/// Exceptions that have a bit.
pub(super) const MOST: usize = 128;

/// The exceptions, with their starts as pins.
#[derive(Debug, Default)]
pub(super) struct Exceptions {
    list: Vec<Exception>,
    starts: Vec<Vec<PinId>>,
}

/// The end of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) pin: PinId,
    pub(super) edge: usize,
    pub(super) side: usize,
    pub(super) capture: ClockEdge,
}

/// What an exception does to a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ruling {
    /// The path is not timed.
    False,
    /// Cycles, counted in periods of the capturing clock or of the launching one.
    Cycles { cycles: f64, end_clock: bool },
}

impl Exceptions {
    pub(super) fn new(graph: &Graph<'_>, constraints: &Constraints) -> Exceptions {
        let served = |exception: &&Exception| {
            exception.through.is_empty()
                && matches!(
                    exception.kind,
                    ExceptionKind::FalsePath | ExceptionKind::Multicycle { .. }
                )
        };
        let list: Vec<Exception> =
            constraints.exceptions.iter().filter(served).take(MOST).cloned().collect();
        let of = |exception: &Exception| {
            exception.from.as_ref().map_or(Vec::new(), |from| start_pins(graph, from))
        };
        Exceptions { starts: list.iter().map(of).collect(), list }
    }

    /// The exceptions under which a path starts at a pin with an edge, launched by a clock edge.
    pub(super) fn started(&self, pin: PinId, edge: usize, launch: ClockEdge) -> Started {
        let mut bits = 0;
        for (number, exception) in self.list.iter().enumerate() {
            let fits = match &exception.from {
                None => true,
                Some(from) => {
                    let by_pin = self.starts[number].contains(&pin) && from.edges[edge];
                    let clock = ClockId((launch / 2) as u32);
                    by_pin || (from.clocks.contains(&clock) && from.edges[launch % 2])
                }
            };
            if fits {
                bits |= 1 << number;
            }
        }
        bits
    }

    /// What rules a path at its end: the highest priority, of equals the last.
    pub(super) fn ruling(&self, graph: &Graph<'_>, started: Started, end: End) -> Option<Ruling> {
        let mut best: Option<(&Exception, u32)> = None;
        for (number, exception) in self.list.iter().enumerate() {
            let matches = started >> number & 1 == 1
                && exception.checks[end.side]
                && exception.end_edges[end.edge]
                && exception.to.as_ref().is_none_or(|to| ends_at(graph, to, end));
            let rank = rank(exception);
            if matches && best.is_none_or(|(_, known)| rank >= known) {
                best = Some((exception, rank));
            }
        }
        match best?.0.kind {
            ExceptionKind::FalsePath => Some(Ruling::False),
            ExceptionKind::Multicycle { cycles, end_clock } => {
                Some(Ruling::Cycles { cycles: f64::from(cycles), end_clock })
            }
            _ => None,
        }
    }
}

/// SDC precedence: false paths before multicycles; then the more is named the better, pins before
/// clocks and the start before the end.
fn rank(exception: &Exception) -> u32 {
    let named = |point: &Option<PathPoint>, what: fn(&PathPoint) -> bool| {
        u32::from(point.as_ref().is_some_and(what))
    };
    let points: fn(&PathPoint) -> bool = |p| !p.pins.is_empty() || !p.cells.is_empty();
    let clocks: fn(&PathPoint) -> bool = |p| !p.clocks.is_empty();
    u32::from(exception.kind == ExceptionKind::FalsePath) << 4
        | named(&exception.from, points) << 3
        | named(&exception.to, points) << 2
        | named(&exception.from, clocks) << 1
        | named(&exception.to, clocks)
}

/// Pins of a start point and of its cells; an output of a cell stands for the clock pins of the
/// cell's arcs to it.
fn start_pins(graph: &Graph<'_>, from: &PathPoint) -> Vec<PinId> {
    let design = &graph.state.design;
    let mut pins: Vec<PinId> =
        from.pins.iter().copied().filter(|pin| design.has_pin(*pin)).collect();
    for cell in from.cells.iter().filter(|cell| design.has_cell(**cell)) {
        pins.extend(design.cell_pins(*cell));
    }
    for pin in pins.clone() {
        let of_cell = matches!(design.owner(pin), Owner::Cell(..));
        if of_cell && graph.state.direction(pin) == PinDirection::Output {
            let arcs = graph.arcs_to[pin.index()].iter().map(|arc| &graph.arcs[*arc]);
            let launches = arcs.filter(|arc| arc.role == super::graph::Role::Launch);
            pins.extend(launches.map(|arc| arc.from));
        }
    }
    pins.sort_unstable();
    pins.dedup();
    pins
}

fn ends_at(graph: &Graph<'_>, to: &PathPoint, end: End) -> bool {
    let clock = ClockId((end.capture / 2) as u32);
    if to.clocks.contains(&clock) && to.edges[end.capture % 2] {
        return true;
    }
    let of_cell = match graph.state.design.owner(end.pin) {
        Owner::Cell(cell, _) => to.cells.contains(&cell),
        Owner::Port(_) => false,
    };
    (to.pins.contains(&end.pin) || of_cell) && to.edges[end.edge]
}
