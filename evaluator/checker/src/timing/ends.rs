//! Slacks: what checks and output delays require of the paths that arrive.

use std::collections::BTreeMap;

use cellwright_db::PinId;
use cellwright_db::timing::Edge;
use cellwright_formats::constraints::{ClockId, DerateKind, DeratePath, MinMax};

use super::arrivals::{Arrival, Arrivals, Search, Tag, TreeDriver};
use super::clocks::ClockEdge;
use super::exceptions::{End, Ruling};
use super::graph::Check;
use super::table::{Query, value};

/// Worst slack of each endpoint, ns, `[hold, setup]`.
pub(super) type Slacks = [BTreeMap<PinId, f64>; 2];

/// Slacks of all endpoints.
pub(super) fn slacks(search: &Search<'_, '_>, arrivals: &Arrivals) -> Slacks {
    let mut slacks = Slacks::default();
    let mut note = |pin: PinId, side: usize, slack: f64| {
        let worst = slacks[side].entry(pin).or_insert(slack);
        *worst = worst.min(slack);
    };
    for check in &search.graph.checks {
        for (tag, arrival) in &arrivals[check.data.index()] {
            if tag.side != check.side {
                continue;
            }
            let Some(table) = check.table[tag.edge] else { continue };
            for (clock, captured) in &arrivals[check.clock.index()] {
                let fits =
                    clock.is_clock && clock.side != tag.side && clock.edge == check.clock_edge;
                if fits
                    && let Some(slack) =
                        at_check(search, arrivals, check, table, (tag, arrival), (clock, captured))
                {
                    note(check.data, tag.side, slack);
                }
            }
        }
    }
    for delay in &search.constraints.output_delays {
        let known = |clock: &ClockId| (clock.0 as usize) < search.clocks.list.len();
        let Some(clock) = delay.clock.filter(known) else { continue };
        let Some(found) = arrivals.get(delay.pin.index()) else { continue };
        let capture = clock.0 as usize * 2 + delay.clock_edge.index();
        for (tag, arrival) in found {
            let side = tag.side;
            let margin = delay.delay.get(MinMax::BOTH[side], Edge::BOTH[tag.edge]);
            let (Some(margin), Some(time)) = (margin, captured_at(search, tag, delay.pin, capture))
            else {
                continue;
            };
            let latency = search.clocks.port_edge(capture, 1 - side, delay)
                - search.clocks.list[capture / 2].edge[capture % 2];
            let uncertainty = search.clocks.uncertainty(tag.launch, capture, side, None);
            let slack = if side == 1 {
                time + latency - uncertainty - margin - arrival.at
            } else {
                arrival.at - (time + latency + uncertainty - margin)
            };
            note(delay.pin, side, slack);
        }
    }
    slacks
}

/// When the capturing edge comes, in the time frame of the path, ns; `None` when the path is not
/// timed.
fn captured_at(search: &Search<'_, '_>, tag: &Tag, pin: PinId, capture: ClockEdge) -> Option<f64> {
    let (launch, side) = (tag.launch, tag.side);
    let ruling = |side: usize| {
        let end = End { pin, edge: tag.edge, side, capture };
        search.exceptions.ruling(search.graph, tag.started, end)
    };
    if ruling(side) == Some(Ruling::False) || search.clocks.apart(launch, capture) {
        return None;
    }
    let launched = search.clocks.list[launch / 2].edge[launch % 2];
    let distance = search.clocks.distance(launch, capture, side)?;
    // A setup of n cycles moves the capture by n − 1, for hold too; a hold of m moves it back by m.
    let offset = |side: usize, free: f64| match ruling(side) {
        Some(Ruling::Cycles { cycles, end_clock }) => {
            let clock = if end_clock { capture } else { launch };
            (cycles - free) * search.clocks.list[clock / 2].period
        }
        _ => 0.0,
    };
    let moved = offset(1, 1.0) - if side == 0 { offset(0, 0.0) } else { 0.0 };
    Some(launched + distance + moved)
}

fn at_check(
    search: &Search<'_, '_>,
    arrivals: &Arrivals,
    check: &Check<'_>,
    table: &cellwright_db::timing::Table,
    (tag, arrival): (&Tag, &Arrival),
    (clock, captured): (&Tag, &Arrival),
) -> Option<f64> {
    let (side, capture) = (tag.side, clock.launch);
    let time = captured_at(search, tag, check.data, capture)?;
    let mut latency = captured.at - search.clocks.list[capture / 2].edge[capture % 2];
    if !search.is_propagated(capture) {
        let at = Some(check.clock);
        latency = search.clocks.ideal_edge(capture, clock.side)
            - search.clocks.list[capture / 2].edge[capture % 2];
        latency += search.clocks.network_latency(capture / 2, clock.edge, clock.side, at);
    }
    let uncertainty = search.clocks.uncertainty(tag.launch, capture, side, Some(check.clock));
    let query = Query {
        slew: search.clocks.slew(search.delays, check.clock)[1 - side][check.clock_edge],
        constrained: search.delays.slew[check.data.index()][side][tag.edge],
        ..Query::default()
    };
    let derates = &search.constraints.derates;
    let master = search.graph.state.design.master_id(check.cell);
    let (kind, path) = (DerateKind::CellCheck, DeratePath::Data);
    let (minmax, edge) = (MinMax::BOTH[side], Edge::BOTH[tag.edge]);
    let margin =
        value(table, &query) * derates.of_cell(check.cell, master, kind, path, minmax, edge);
    let credit = credit(search, arrivals, tag, clock);
    Some(if side == 1 {
        time + latency - uncertainty + credit - margin - arrival.at
    } else {
        arrival.at - (time + latency + uncertainty - credit + margin)
    })
}

/// What reconvergence gives back, ns: launch and capture share their clock tree up to a last common
/// driver, which cannot be late and early at once.
fn credit(search: &Search<'_, '_>, arrivals: &Arrivals, data: &Tag, clock: &Tag) -> f64 {
    let (Some(mut a), Some(mut b)) = (data.tree, clock.tree) else { return 0.0 };
    let position = |at: TreeDriver| search.graph.position[at.0.index()];
    while a.0 != b.0 {
        // The later one in the order cannot be in front of the other.
        let (later, tag) = if position(a) > position(b) { (&mut a, data) } else { (&mut b, clock) };
        let Some(up) = clock_at(arrivals, *later, tag.launch, tag.side).and_then(|at| at.up) else {
            return 0.0;
        };
        *later = up;
    }
    let spread = |at: TreeDriver, launch: ClockEdge| {
        let of = |side| clock_at(arrivals, at, launch, side).map(|arrival| arrival.at);
        match (of(0), of(1)) {
            (Some(early), Some(late)) => (late - early).abs(),
            _ => 0.0,
        }
    };
    spread(a, data.launch).min(spread(b, clock.launch))
}

/// A clock's arrival at a tree driver.
fn clock_at(
    arrivals: &Arrivals,
    (pin, edge): TreeDriver,
    launch: ClockEdge,
    side: usize,
) -> Option<&Arrival> {
    let found = arrivals[pin.index()].iter().find(|(tag, _)| {
        tag.is_clock && tag.edge == edge && tag.launch == launch && tag.side == side
    });
    found.map(|(_, arrival)| arrival)
}
