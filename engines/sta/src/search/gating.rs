//! Inferred clock gating checks.
//!
//! The enable must be there before the clock pulse that it lets through begins (setup), and must not
//! change before the pulse before it has ended (hold). As in the reference timer (OpenSTA 3.1) the
//! checks bind the slack of pins; they are no endpoints, and neither WNS nor TNS counts them.

use cellwright_db::timing::Edge;
use cellwright_db::{CellId, Owner, PinId};

use super::ends::PathEnd;
use super::exceptions::End;
use super::key;
use super::{Context, Path, Values, crpr};
use crate::constraints::{ClockGatingCheck, ClockId, MinMax};
use crate::graph::gating::Gating;
use crate::graph::model::CheckKind;
use crate::graph::{Vertex, flag};

impl Context<'_> {
    /// Calls `f` for each inferred gating check of `path` at an enable pin.
    pub(crate) fn each_gating_end(
        &self,
        values: &Values,
        vertex: Vertex,
        path: &Path,
        mut f: impl FnMut(&PathEnd),
    ) {
        if self.view.flags(vertex) & flag::GATED == 0 || key::launch(path.key) == key::NO_CLOCK {
            return;
        }
        let pin = self.view.pin(vertex);
        let Owner::Cell(cell, number) = self.view.design.owner(pin) else { return };
        let Some(gates) = self.view.graph.gates.get(&cell) else { return };
        for gate in gates.iter().filter(|gate| usize::from(gate.enable) == number.index()) {
            self.gating_end(values, cell, *gate, pin, path, &mut f);
        }
    }

    fn gating_end(
        &self,
        values: &Values,
        cell: CellId,
        gate: Gating,
        pin: PinId,
        path: &Path,
        f: &mut impl FnMut(&PathEnd),
    ) {
        let (side, edge) = (key::side(path.key), key::edge(path.key));
        let launch = key::launch(path.key);
        let first = self.view.design.cell(cell).first_pin;
        let clock_vertex = self.view.arc_from(first, gate.clock);
        let clock_pin = self.view.pin(clock_vertex);
        for clock_path in values.paths.of(clock_vertex) {
            if !key::is_clock(clock_path.key) || key::side(clock_path.key) == side {
                continue;
            }
            let capture = key::launch(clock_path.key);
            let Some(clock) = self.setup.clock(capture) else { continue };
            let given = self.gating_check(pin, clock_pin, cell, ClockId(u32::from(capture / 2)));
            let high = given.and_then(|given| given.high).unwrap_or(gate.high);
            // The pulse begins with a rise where the gate listens at the high level.
            let begins = if high { Edge::Rise } else { Edge::Fall };
            let wanted = if side == 1 { begins } else { begins.opposite() };
            if key::edge(clock_path.key) != wanted.index() || self.setup.cut(launch, capture) {
                continue;
            }
            // The clock edge that makes the pulse begin, seen at the clock's source.
            let start = if side == 1 { capture } else { capture ^ 1 };
            let end = End { pin, edge, side, capture: Some(capture) };
            if !matches!(self.exception(path, end), Ok(None)) {
                continue;
            }
            let setup = End { side: 1, ..end };
            let Some(next) = self.capture_time(path, setup, launch, start) else { continue };
            let time = if side == 1 {
                next
            } else {
                // The pulse before the next one, of the launch after which the next one is latest.
                let distance = self.setup.distance(launch, start);
                let next = next + (distance.latest - distance.setup);
                let width =
                    clock.edge[usize::from(capture % 2)] - clock.edge[usize::from(start % 2)];
                next - clock.period + width.rem_euclid(clock.period.max(f64::MIN_POSITIVE))
            };
            let margin = given
                .and_then(|given| given.margin.get(MinMax::BOTH[side], Edge::BOTH[edge]))
                .unwrap_or(0.0);
            let latency = self.latency(values, &clock_path, clock_pin, capture);
            let uncertainty = self.setup.uncertainty(Some(launch), capture, side, Some(clock_pin));
            let crpr = f64::from(crpr::credit(self, values, path.key, clock_path.key));
            let sign = if side == 1 { 1.0 } else { -1.0 };
            f(&PathEnd {
                kind: if side == 1 { CheckKind::GatingSetup } else { CheckKind::GatingHold },
                required: time + latency - sign * uncertainty + sign * crpr - sign * margin,
                capture: Some(capture),
                clock: Some((clock_vertex, clock_path.key)),
                capture_time: time,
                latency,
                uncertainty,
                crpr,
                margin,
                borrow: 0.0,
            });
        }
    }

    /// `set_clock_gating_check` of an enable: the narrowest object that was given one.
    fn gating_check(
        &self,
        enable: PinId,
        clock_pin: PinId,
        cell: CellId,
        clock: ClockId,
    ) -> Option<ClockGatingCheck> {
        let given = &self.setup.constraints.clock_gating;
        let narrow = given.pins.get(&enable).or_else(|| given.pins.get(&clock_pin));
        narrow
            .or_else(|| given.cells.get(&cell))
            .or_else(|| given.clocks.get(&clock))
            .copied()
            .or(given.design)
    }
}
