//! Ends of paths: what checks, output delays and path delays require of a path.

use cellwright_db::timing::Edge;
use cellwright_db::{CellId, Owner, PinId};

use super::arrival::clock_slew;
use super::exceptions::{End, ignores_latency};
use super::key::{self, Key};
use super::{Context, Path, Values, crpr, latch};
use crate::constraints::{DerateKind, DeratePath, Exception, ExceptionKind, MinMax};
use crate::graph::model::{Check, CheckKind, Model};
use crate::graph::{Vertex, flag};
use crate::table::{Query, value};

/// One end of one path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathEnd {
    pub(crate) kind: CheckKind,
    /// ns, in the time frame of the path's arrival.
    pub(crate) required: f64,
    /// Capturing clock × 2 + edge.
    pub(crate) capture: Option<u16>,
    /// Clock pin and path that capture, for checks of cells.
    pub(crate) clock: Option<(Vertex, Key)>,
    /// Time of the capturing edge in the frame of the path, ns.
    pub(crate) capture_time: f64,
    /// Latency of the capturing clock, ns.
    pub(crate) latency: f64,
    /// ns, as taken off a setup or added to a hold.
    pub(crate) uncertainty: f64,
    /// ns, as given back.
    pub(crate) crpr: f64,
    /// Setup or hold time, or external delay, ns.
    pub(crate) margin: f64,
    /// Time borrowed by a latch, ns.
    pub(crate) borrow: f64,
}

impl PathEnd {
    /// Slack of the path here, ns.
    pub(crate) fn slack(&self, arrival: f32) -> f32 {
        let slack = if self.kind.side() == 1 {
            self.required - f64::from(arrival)
        } else {
            f64::from(arrival) - self.required
        };
        slack as f32
    }
}

/// Cycle offset that multicycle exceptions add to the capturing edge, ns.
struct Offset(f64);

impl<'a> Context<'a> {
    /// Calls `f` for each end of `path` at `vertex`.
    pub(crate) fn each_end(
        &self,
        values: &Values,
        vertex: Vertex,
        path: &Path,
        mut f: impl FnMut(&PathEnd),
    ) {
        let flags = self.view.flags(vertex);
        if flags & flag::END == 0 || flags & flag::CUT != 0 {
            return;
        }
        let mut any = false;
        let pin = self.view.pin(vertex);
        if let Some(delays) = self.setup.outputs.get(&vertex) {
            for delay in delays {
                any |= self.output_end(values, pin, path, delay, &mut f);
            }
        }
        if let Owner::Cell(cell, number) = self.view.design.owner(pin)
            && let Some(model) = self.view.model(cell)
            && let Some(side) = model.pins.get(number.index())
        {
            for &check in &side.checks {
                if self.view.checks(cell, check) {
                    let entry = &model.checks[check as usize];
                    any |= self.check_end(values, cell, model, entry, pin, path, &mut f);
                }
            }
        }
        if !any && !self.setup.exceptions.is_empty() {
            self.bare_end(pin, path, &mut f);
        }
    }

    /// The ruling exception at an end; `Err` when the path is false.
    pub(crate) fn exception(&self, path: &Path, end: End) -> Result<Option<&'a Exception>, ()> {
        let setup: &'a super::Setup = self.setup;
        let state = key::state(path.key);
        let found = setup.exceptions.at_end(self.view.design, state, end);
        // A path counts either from its clock edge or from its clock pin, as its end demands.
        if found.is_some_and(ignores_latency) != setup.exceptions.is_fresh(state) {
            return Err(());
        }
        match found.map(|exception| &exception.kind) {
            Some(ExceptionKind::FalsePath) => Err(()),
            _ => Ok(found),
        }
    }

    /// What multicycle exceptions do to the capturing edge.
    fn offset(&self, path: &Path, end: End, launch: u16, capture: u16) -> Offset {
        if self.setup.exceptions.is_empty() {
            return Offset(0.0);
        }
        let period = |clock: u16| self.setup.clock(clock).map_or(0.0, |clock| clock.period);
        let cycles = |side: usize| {
            let end = End { side, ..end };
            let state = key::state(path.key);
            let found = self.setup.exceptions.at_end(self.view.design, state, end)?;
            match found.kind {
                ExceptionKind::Multicycle { cycles, end_clock } => {
                    let by = period(if end_clock { capture } else { launch });
                    Some((f64::from(cycles), by))
                }
                _ => None,
            }
        };
        let setup = cycles(1).map_or(0.0, |(cycles, period)| (cycles - 1.0) * period);
        if end.side == 1 {
            return Offset(setup);
        }
        Offset(setup - cycles(0).map_or(0.0, |(cycles, period)| cycles * period))
    }

    fn output_end(
        &self,
        values: &Values,
        pin: PinId,
        path: &Path,
        delay: &crate::constraints::PortDelay,
        f: &mut impl FnMut(&PathEnd),
    ) -> bool {
        let (side, edge) = (key::side(path.key), key::edge(path.key));
        let Some(margin) = delay.delay.get(MinMax::BOTH[side], Edge::BOTH[edge]) else {
            return false;
        };
        let Some(clock) = delay.clock.filter(|c| (c.0 as usize) < self.setup.clocks.len()) else {
            return false;
        };
        let number = clock.0 as u16;
        let capture = number * 2 + delay.clock_edge.index() as u16;
        let launch = key::launch(path.key);
        let end = End { pin, edge, side, capture: Some(capture) };
        let Ok(exception) = self.exception(path, end) else { return true };
        let kind = if side == 1 { CheckKind::OutputSetup } else { CheckKind::OutputHold };
        let other = 1 - side;
        let edge_time = self.setup.clocks[usize::from(number)].edge[usize::from(capture % 2)];
        let (at, clock_key) = self.output_latency(values, number, capture, other, delay);
        let latency = at - edge_time;
        let uncertainty = self.setup.uncertainty(
            (launch != key::NO_CLOCK).then_some(launch),
            capture,
            side,
            None,
        );
        let sign = if side == 1 { 1.0 } else { -1.0 };
        if let Some(delay) = path_delay(exception, side) {
            let start = self.start_time(path);
            let mut end = bare(kind, start + delay.0, Some(capture));
            end.margin = margin;
            end.required -= margin;
            f(&end);
            return true;
        }
        if launch == key::NO_CLOCK || self.setup.cut(launch, capture) {
            return launch != key::NO_CLOCK;
        }
        let Some(time) = self.capture_time(path, end, launch, capture) else { return true };
        // A generated clock comes to its source by the clock tree, which the path may share.
        let crpr = clock_key.map_or(0.0, |clock| crpr::credit(self, values, path.key, clock));
        let crpr = f64::from(crpr);
        let required = time + latency - sign * uncertainty + sign * crpr - margin;
        f(&PathEnd {
            kind,
            required,
            capture: Some(capture),
            clock: None,
            capture_time: time,
            latency,
            uncertainty,
            crpr,
            margin,
            borrow: 0.0,
        });
        true
    }

    /// Clock edge plus latency at a port for an output delay, ns, and the clock path that it is taken
    /// from, if any.
    fn output_latency(
        &self,
        values: &Values,
        number: u16,
        capture: u16,
        side: usize,
        delay: &crate::constraints::PortDelay,
    ) -> (f64, Option<Key>) {
        let clock = &self.setup.clocks[usize::from(number)];
        let edge = usize::from(capture % 2);
        let at = delay.reference_pin.map(|pin| self.view.vertex(pin)).or_else(|| {
            let source = clock.sources.first().copied()?;
            let inserted = self.setup.insertion(number, edge, side, self.view.pin(source));
            (inserted.is_some() && !delay.source_latency_included).then_some(source)
        });
        let found = at.and_then(|at| {
            ((at as usize) < values.paths.len()).then(|| values.paths.of(at))?.find(|path| {
                key::is_clock(path.key)
                    && key::launch(path.key) == capture
                    && key::side(path.key) == side
            })
        });
        match found {
            Some(path) => {
                let ideal = !clock.propagated && !delay.network_latency_included;
                let network = if ideal && delay.reference_pin.is_none() {
                    self.setup.network_latency(number, edge, side, None)
                } else {
                    0.0
                };
                (f64::from(path.arrival) + network, Some(path.key))
            }
            None => (self.port_clock(number, capture, side, delay), None),
        }
    }

    /// Time of the capturing edge in the frame of the path, ns.
    pub(crate) fn capture_time(
        &self,
        path: &Path,
        end: End,
        launch: u16,
        capture: u16,
    ) -> Option<f64> {
        let distance = self.setup.distance(launch, capture);
        let distance = if end.side == 1 { distance.setup } else { distance.hold };
        let launched = self.setup.clock(launch)?.edge[usize::from(launch % 2)];
        let Offset(offset) = self.offset(path, end, launch, capture);
        distance.is_finite().then_some(launched + distance + offset)
    }

    #[expect(clippy::too_many_arguments, reason = "one place calls it")]
    fn check_end(
        &self,
        values: &Values,
        cell: CellId,
        model: &Model,
        check: &Check,
        pin: PinId,
        path: &Path,
        f: &mut impl FnMut(&PathEnd),
    ) -> bool {
        let (side, edge) = (key::side(path.key), key::edge(path.key));
        if check.kind.side() != side || check.table[edge].is_none() {
            return false;
        }
        let launch = key::launch(path.key);
        let first = self.view.design.cell(cell).first_pin;
        let clock_vertex = self.view.arc_from(first, check.clock);
        let clock_pin = self.view.pin(clock_vertex);
        let is_latch = side == 1
            && check.kind == CheckKind::Setup
            && model.latch_data.contains(&u32::from(check.data));
        let mut any = false;
        for clock_path in values.paths.of(clock_vertex) {
            let capture = key::launch(clock_path.key);
            let fits = key::is_clock(clock_path.key)
                && key::side(clock_path.key) != side
                && key::edge(clock_path.key) == check.edge.index();
            if !fits {
                continue;
            }
            let end = End { pin, edge, side, capture: Some(capture) };
            let Ok(exception) = self.exception(path, end) else {
                any = true;
                continue;
            };
            let margin = self.margin(values, cell, check, clock_vertex, path);
            let latency = self.latency(values, &clock_path, clock_pin, capture);
            let uncertainty = self.setup.uncertainty(
                (launch != key::NO_CLOCK).then_some(launch),
                capture,
                side,
                Some(clock_pin),
            );
            let sign = if side == 1 { 1.0 } else { -1.0 };
            if let Some((delay, ignore)) = path_delay(exception, side) {
                any = true;
                let latency = if ignore { 0.0 } else { latency };
                let uncertainty = if ignore { 0.0 } else { uncertainty };
                let crpr = if ignore {
                    0.0
                } else {
                    f64::from(crpr::credit(self, values, path.key, clock_path.key))
                };
                let start = self.start_time(path);
                let kind = if side == 1 { CheckKind::MaxDelay } else { CheckKind::MinDelay };
                let required =
                    start + delay + latency - sign * uncertainty + sign * crpr - sign * margin;
                let mut end = bare(kind, required, Some(capture));
                (end.latency, end.margin, end.uncertainty) = (latency, margin, uncertainty);
                end.crpr = crpr;
                end.clock = Some((clock_vertex, clock_path.key));
                f(&end);
                continue;
            }
            if launch == key::NO_CLOCK || self.setup.cut(launch, capture) {
                any |= launch != key::NO_CLOCK;
                continue;
            }
            any = true;
            let crpr = f64::from(crpr::credit(self, values, path.key, clock_path.key));
            if is_latch {
                let found = latch::end(self, values, cell, model, check, path, margin);
                found.iter().for_each(&mut *f);
                continue;
            }
            let Some(time) = self.capture_time(path, end, launch, capture) else { continue };
            let required = time + latency - sign * uncertainty + sign * crpr - sign * margin;
            f(&PathEnd {
                kind: check.kind,
                required,
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
        any
    }

    /// Setup or hold time of a check for a path, ns.
    pub(crate) fn margin(
        &self,
        values: &Values,
        cell: CellId,
        check: &Check,
        clock: Vertex,
        path: &Path,
    ) -> f64 {
        let (side, edge) = (key::side(path.key), key::edge(path.key));
        let Some(table) = &check.table[edge] else { return 0.0 };
        let clock_corner = (1 - side) * 2 + check.edge.index();
        let first = self.view.design.cell(cell).first_pin;
        let data = self.view.arc_from(first, check.data);
        let query = Query {
            slew: f64::from(clock_slew(self, values, clock)[clock_corner]),
            constrained: f64::from(values.slew[data as usize][side * 2 + edge]),
            ..Query::default()
        };
        let time = value(table, &query) as f32;
        let factor = if self.setup.single_derates {
            let master = self.view.design.master_id(cell);
            let (side, edge) = (MinMax::BOTH[side], Edge::BOTH[edge]);
            let derates = &self.setup.constraints.derates;
            let (kind, path) = (DerateKind::CellCheck, DeratePath::Data);
            derates.of_cell(cell, master, kind, path, side, edge) as f32
        } else {
            self.setup.factors.check[side][edge]
        };
        f64::from(time * factor)
    }

    /// Latency of a capturing clock path at its register pin, ns.
    pub(crate) fn latency(
        &self,
        values: &Values,
        clock_path: &Path,
        pin: PinId,
        capture: u16,
    ) -> f64 {
        let edge = usize::from(capture % 2);
        let Some(clock) = self.setup.clock(capture) else { return 0.0 };
        let mut latency = f64::from(clock_path.arrival) - clock.edge[edge];
        if !clock.propagated {
            let (side, edge) = (key::side(clock_path.key), key::edge(clock_path.key));
            if self.view.flags(self.view.vertex(pin)) & flag::AS_DATA != 0 {
                // The clock goes on from here as data, and its arrival is that of the data.
                latency =
                    self.ideal_time(values, capture, side) - clock.edge[usize::from(capture % 2)];
            }
            latency += self.setup.network_latency(capture / 2, edge, side, Some(pin));
        }
        latency
    }

    /// When a path starts for path delays: its launching clock edge, ns.
    fn start_time(&self, path: &Path) -> f64 {
        let launch = key::launch(path.key);
        self.setup.clock(launch).map_or(0.0, |clock| clock.edge[usize::from(launch % 2)])
    }

    /// A path delay at a pin without check.
    fn bare_end(&self, pin: PinId, path: &Path, f: &mut impl FnMut(&PathEnd)) {
        let (side, edge) = (key::side(path.key), key::edge(path.key));
        let end = End { pin, edge, side, capture: None };
        if let Ok(exception) = self.exception(path, end)
            && let Some((delay, _)) = path_delay(exception, side)
        {
            let kind = if side == 1 { CheckKind::MaxDelay } else { CheckKind::MinDelay };
            f(&bare(kind, self.start_time(path) + delay, None));
        }
    }
}

/// Delay and `-ignore_clock_latency` of a path delay of `side`.
fn path_delay(exception: Option<&Exception>, side: usize) -> Option<(f64, bool)> {
    match exception?.kind {
        ExceptionKind::PathDelay { side: bound, delay, ignore_clock_latency, .. }
            if bound.index() == side =>
        {
            Some((delay, ignore_clock_latency))
        }
        _ => None,
    }
}

fn bare(kind: CheckKind, required: f64, capture: Option<u16>) -> PathEnd {
    PathEnd {
        kind,
        required,
        capture,
        clock: None,
        capture_time: required,
        latency: 0.0,
        uncertainty: 0.0,
        crpr: 0.0,
        margin: 0.0,
        borrow: 0.0,
    }
}
