//! Pulse widths and periods of clocks at the pins that ask for them.
//!
//! A pulse opens with the late arrival of one edge and closes with the early arrival of the other:
//! width = close − open (+ reconvergence pessimism of a propagated clock). It must be no less than
//! what Liberty's `min_pulse_width` groups and attributes ask for, nor than `set_min_pulse_width`.
//! A period check sets the clock's period against `min_period` and `minimum_period`.

use std::collections::BTreeMap;

use cellwright_db::timing::{ArcKind, TimingCell};
use cellwright_db::{CellId, Design, MasterPinId, Owner, PinId};

use crate::constraints::{ClockId, PulseWidths};
use crate::graph::Vertex;
use crate::search::arrival::clock_slew;
use crate::search::network::Pulse;
use crate::search::{Context, Values, crpr, key};
use crate::table::{Query, value};
use crate::timer::Timer;

/// What is asked of a clock at a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PulseKind {
    /// Width of the pulse from a rise to a fall.
    High,
    /// Width of the pulse from a fall to a rise.
    Low,
    /// Period.
    Period,
}

/// A pulse width or period check.
#[derive(Clone, Debug, PartialEq)]
pub struct PulseCheck {
    /// Where.
    pub pin: PinId,
    /// What is checked.
    pub kind: PulseKind,
    /// The clock.
    pub clock: String,
    /// Corner, by its position in [`crate::Config::corners`].
    pub corner: usize,
    /// Least width or period, ns.
    pub required: f64,
    /// Width or period, ns.
    pub actual: f64,
    /// ns; negative where the check does not hold.
    pub slack: f64,
}

/// What constraints ask for a pulse (0 high, 1 low) of a clock at a pin, ns: the narrowest object
/// that says something.
fn given(
    widths: &PulseWidths,
    pin: PinId,
    cell: CellId,
    clock: ClockId,
    level: usize,
) -> Option<f64> {
    let at = |found: Option<&[Option<f64>; 2]>| found.and_then(|both| both[level]);
    at(widths.pins.get(&pin))
        .or_else(|| at(widths.cells.get(&cell)))
        .or_else(|| at(widths.clocks.get(&clock)))
        .or(widths.design[level])
}

fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::max)
}

/// The largest that the checks of a kind at a pin ask for after the edges in `edges`. Several checks
/// stand for states of other pins, which are not known.
fn largest(
    cell: &TimingCell,
    pin: MasterPinId,
    kind: ArcKind,
    edges: std::ops::Range<usize>,
    query: impl Fn(usize) -> Query,
) -> Option<f64> {
    let arcs = cell.arcs.iter().filter(|arc| arc.to == pin && arc.kind == kind);
    arcs.flat_map(|arc| {
        edges.clone().filter_map(|edge| Some(value(arc.value[edge].as_ref()?, &query(edge))))
    })
    .reduce(f64::max)
}

impl Timer {
    /// Arrivals at the pins that clocks reach, `[min rise, min fall, max rise, max fall]`, ns from the
    /// clocks' time zero; NaN where an edge does not come. Unlike [`Timer::arrival`] with the delays of
    /// ideal clock networks. Over all clocks, data that comes there too, and corners the earliest and
    /// the latest.
    pub fn clock_arrivals(&self, design: &Design) -> BTreeMap<PinId, [f32; 4]> {
        let mut found: BTreeMap<PinId, [f32; 4]> = BTreeMap::new();
        for lane in 0..self.state.lanes.len() {
            let Some(context) = self.context(design, lane) else { continue };
            let values = &self.state.lanes[lane].values;
            for (vertex, edges) in context.pulses(values) {
                let slot = found.entry(context.view.pin(vertex)).or_insert([f32::NAN; 4]);
                // The least and the greatest of numbers pass over NaN.
                let mut take = |corner: usize, arrival: f32| {
                    let worse = if corner < 2 { f32::min } else { f32::max };
                    slot[corner] = worse(slot[corner], arrival);
                };
                for pulse in edges {
                    pulse.at.into_iter().enumerate().for_each(|(corner, at)| take(corner, at));
                }
                let data = values.paths.of(vertex).filter(|path| !key::is_clock(path.key));
                data.for_each(|path| take(key::corner(path.key), path.arrival));
            }
        }
        found
    }

    /// Pulse width and period checks at the pins of cells that clocks reach, least slack first, then
    /// in pin order. Of several corners and edges the worst of each pin, kind and clock.
    pub fn pulse_checks(&self, design: &Design) -> Vec<PulseCheck> {
        let mut worst: BTreeMap<(PinId, PulseKind, u16), PulseCheck> = BTreeMap::new();
        for lane in 0..self.state.lanes.len() {
            let Some(context) = self.context(design, lane) else { continue };
            let values = &self.state.lanes[lane].values;
            for (vertex, edges) in context.pulses(values) {
                let mut take = |clock: u16, check: PulseCheck| {
                    let entry = worst.entry((check.pin, check.kind, clock));
                    let kept = entry.or_insert_with(|| check.clone());
                    if check.slack < kept.slack {
                        *kept = check;
                    }
                };
                self.checks_at(&context, values, lane, vertex, &edges, &mut take);
            }
        }
        let mut found: Vec<PulseCheck> = worst.into_values().collect();
        found.sort_by(|a, b| {
            let by_place = || (a.pin, a.kind, &a.clock).cmp(&(b.pin, b.kind, &b.clock));
            a.slack.total_cmp(&b.slack).then_with(by_place)
        });
        found
    }

    fn checks_at(
        &self,
        context: &Context<'_>,
        values: &Values,
        lane: usize,
        vertex: Vertex,
        edges: &[Pulse],
        take: &mut impl FnMut(u16, PulseCheck),
    ) {
        let design = context.view.design;
        let pin = context.view.pin(vertex);
        let Owner::Cell(cell, number) = design.owner(pin) else { return };
        let Some(model) = context.view.model(cell) else { return };
        let corner = self.config().corners[lane].0;
        let library = design.library().timing(corner, true, design.master_id(cell));
        let Some((_, timing)) = library else { return };
        let Some(side) = timing.pins.get(number.index()) else { return };
        let is_clock = model.pins.get(number.index()).is_some_and(|pin| pin.is_register_clock);
        let (real, seen) = (values.slew[vertex as usize], clock_slew(context, values, vertex));
        let query = |edge: usize| Query {
            slew: f64::from(seen[2 + edge]),
            constrained: f64::from(real[2 + edge]),
            ..Query::default()
        };
        for pulse in edges {
            let clock = pulse.launch / 2;
            let Some(wave) = context.setup.clock(pulse.launch) else { continue };
            let check = |kind, required: f64, actual: f64| PulseCheck {
                pin,
                kind,
                clock: wave.name.clone(),
                corner: lane,
                required,
                actual,
                slack: actual - required,
            };
            let own = side.min_period.map(f64::from);
            let tabled = largest(timing, number, ArcKind::MinPeriod, 0..2, query);
            if let Some(required) = larger(own, tabled)
                && wave.period > 0.0
            {
                take(clock, check(PulseKind::Period, required, wave.period));
            }
            for level in 0..2 {
                let opens = pulse.at[2 + level];
                if opens.is_nan() {
                    continue;
                }
                // The pulse that opens with this clock edge closes with the other one.
                let other = pulse.launch ^ 1;
                let closing = edges.iter().find(|pulse| pulse.launch == other);
                let Some(closes) = closing.map(|pulse| pulse.at[1 - level]) else { continue };
                if closes.is_nan() {
                    continue;
                }
                let width = &context.setup.constraints.min_pulse_width;
                let given = given(width, pin, cell, ClockId(u32::from(clock)), level);
                let own = side.min_pulse_width[level].map(f64::from);
                let kind = ArcKind::MinPulseWidth;
                let tabled = largest(timing, number, kind, level..level + 1, query);
                let library = larger(own, tabled);
                let Some(required) =
                    larger(library, given.filter(|_| is_clock || library.is_some()))
                else {
                    continue;
                };
                let (open_edge, close_edge) =
                    (usize::from(pulse.launch % 2), usize::from(other % 2));
                let next = if wave.edge[close_edge] <= wave.edge[open_edge] {
                    wave.period as f32
                } else {
                    0.0
                };
                let mut actual = f64::from(closes + next - opens);
                if wave.propagated {
                    let at = |launch: u16, side: usize, edge: usize| {
                        values.paths.of(vertex).map(|path| path.key).find(|found| {
                            key::is_clock(*found)
                                && key::launch(*found) == launch
                                && (key::side(*found), key::edge(*found)) == (side, edge)
                        })
                    };
                    let ends = at(pulse.launch, 1, level).zip(at(other, 0, 1 - level));
                    if let Some((open, close)) = ends {
                        actual += f64::from(crpr::credit(context, values, open, close));
                    }
                }
                let kind = [PulseKind::High, PulseKind::Low][level];
                take(clock, check(kind, required, actual));
            }
        }
    }
}
