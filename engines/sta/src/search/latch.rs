//! Transparent latches: data that comes while the latch is open borrows time from what follows.
//!
//! Data before the opening edge waits for it: the path behind the latch starts at the enable.
//! Later data passes at once, up to the most that may be borrowed (`set_max_time_borrow`, or the
//! pulse width less the setup time to the closing edge); what comes later still is late here by
//! the difference, and passes as if it had come at that limit.

use cellwright_db::CellId;

use super::arrival::{InstanceArc, merge};
use super::ends::PathEnd;
use super::key;
use super::{Context, Path, Paths, Values, crpr};
use crate::constraints::ClockId;
use crate::graph::model::{Check, CheckKind, Model, NO_SLOT, Role};

/// An opening of the latch for one path.
struct Opening {
    /// Opening edge at the enable pin in the frame of the path, ns, uncertainty taken off.
    open: f64,
    /// Most that may be borrowed, ns.
    limit: f64,
    /// Edge time of the enabling clock in its own frame minus in the path's, ns.
    shift: f64,
    /// Enabling clock × 2 + edge.
    capture: u16,
    clock: (u32, key::Key),
    time: f64,
    latency: f64,
    uncertainty: f64,
    crpr: f64,
}

/// Openings of the latch whose data pin holds `check` for a data path.
fn openings(
    context: &Context<'_>,
    values: &Values,
    cell: CellId,
    model: &Model,
    check: &Check,
    path: &Path,
) -> Vec<Opening> {
    let setup = context.setup;
    let launch = key::launch(path.key);
    let first = context.view.design.cell(cell).first_pin;
    let enable = context.view.arc_from(first, check.clock);
    let pin = context.view.pin(enable);
    let opens = usize::from(check.edge.index() == 0);
    let margin = context.margin(values, cell, check, enable, path);
    let Some(launcher) = setup.clock(launch) else { return Vec::new() };
    let _ = model;
    let mut found = Vec::new();
    for clock_path in values.paths.of(enable) {
        let capture = key::launch(clock_path.key);
        let fits = key::is_clock(clock_path.key)
            && key::side(clock_path.key) == 0
            && key::edge(clock_path.key) == opens;
        if !fits || setup.cut(launch, capture) {
            continue;
        }
        let Some(clock) = setup.clock(capture) else { continue };
        let distance = setup.distance(launch, capture);
        // An opening at the launching edge itself counts.
        let distance = if distance.hold == 0.0 { 0.0 } else { distance.setup };
        if !distance.is_finite() {
            continue;
        }
        let edge = usize::from(capture % 2);
        let time = launcher.edge[usize::from(launch % 2)] + distance;
        let latency = context.latency(values, &clock_path, pin, capture);
        let uncertainty = setup.uncertainty(Some(launch), capture, 1, Some(pin));
        let crpr = f64::from(crpr::credit(context, values, path.key, clock_path.key));
        let width = (clock.edge[1 - edge] - clock.edge[edge]).rem_euclid(clock.period.max(1e-12));
        let borrow = &setup.constraints.max_time_borrow;
        let data = context.view.pin(context.view.arc_from(first, check.data));
        let given = borrow
            .pins
            .get(&data)
            .or_else(|| borrow.pins.get(&pin))
            .or_else(|| borrow.cells.get(&cell))
            .or_else(|| borrow.clocks.get(&ClockId(u32::from(capture / 2))));
        let limit = given.copied().unwrap_or(width - margin).max(0.0);
        found.push(Opening {
            open: time + latency - uncertainty + crpr,
            limit,
            shift: clock.edge[edge] - time,
            capture,
            clock: (enable, clock_path.key),
            time,
            latency,
            uncertainty,
            crpr,
        });
    }
    found
}

/// Ends of a late data path at a latch.
pub(crate) fn end(
    context: &Context<'_>,
    values: &Values,
    cell: CellId,
    model: &Model,
    check: &Check,
    path: &Path,
    margin: f64,
) -> Vec<PathEnd> {
    let arrival = f64::from(path.arrival);
    openings(context, values, cell, model, check, path)
        .into_iter()
        .map(|opening| {
            let borrow = (arrival - opening.open).clamp(0.0, opening.limit);
            PathEnd {
                kind: CheckKind::LatchSetup,
                required: opening.open + borrow,
                capture: Some(opening.capture),
                clock: Some(opening.clock),
                capture_time: opening.time,
                latency: opening.latency,
                uncertainty: opening.uncertainty,
                crpr: opening.crpr,
                margin,
                borrow,
            }
        })
        .collect()
}

/// Paths through a latch from data to output.
pub(crate) fn through(
    context: &Context<'_>,
    values: &Values,
    arc: &InstanceArc<'_>,
    found: &mut Paths,
) {
    let entry = &arc.model.arcs[arc.arc as usize];
    debug_assert_eq!(entry.role, Role::LatchData);
    let checks = &arc.model.pins[entry.from as usize].checks;
    let setup = checks.iter().map(|check| &arc.model.checks[*check as usize]);
    let Some(check) = setup.clone().find(|check| check.kind == CheckKind::Setup) else { return };
    for path in values.paths.of(arc.from) {
        if key::is_clock(path.key) || key::launch(path.key) == key::NO_CLOCK {
            continue;
        }
        let (side, from_edge) = (key::side(path.key), key::edge(path.key));
        for opening in openings(context, values, arc.cell, arc.model, check, &path) {
            let arrival = f64::from(path.arrival);
            if arrival <= opening.open {
                continue;
            }
            let leaves = arrival.min(opening.open + opening.limit) + opening.shift;
            for to_edge in 0..2 {
                let pair = from_edge * 2 + to_edge;
                if arc.pairs >> pair & 1 == 0 || entry.slot[pair] == NO_SLOT {
                    continue;
                }
                let slot = values.base[arc.cell.index()] + u32::from(entry.slot[pair]);
                let delay = values.arc[slot as usize][side];
                if delay.is_nan() {
                    continue;
                }
                // Behind a latch nothing is given back any more: the launching edge is the enable's, the
                // time that of the data.
                let new = key::with_launch(key::with_edge(path.key, to_edge), opening.capture);
                let delay = delay * context.cell_factor(arc.cell, false, side, to_edge);
                merge(found, key::without_class(new), leaves as f32 + delay);
            }
        }
    }
}
