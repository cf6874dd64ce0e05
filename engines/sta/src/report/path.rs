//! Worst paths, traced back through the arrivals that made them.
//!
//! No predecessor is stored: the step before is the first source, in arc order, whose arrival plus
//! delay is the arrival at hand bit for bit. Report and analysis thus use the same numbers.

use cellwright_db::timing::Edge;
use cellwright_db::{Design, Owner, PinId};

use crate::constraints::MinMax;
use crate::graph::model::{CheckKind, Role};
use crate::graph::{Vertex, View};
use crate::search::arrival::InstanceArc;
use crate::search::ends::PathEnd;
use crate::search::exceptions::End;
use crate::search::{Context, Path, Values, key};
use crate::timer::Timer;

/// One pin on a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The pin.
    pub pin: PinId,
    /// The edge there.
    pub edge: Edge,
    /// ns from the clock's time zero.
    pub arrival: f32,
    /// Arrival less that of the step before, ns; the arrival itself at the first step.
    pub delay: f32,
    /// ns.
    pub slew: f32,
    /// Load of a driver on this side and edge, pF; 0 at loads.
    pub load: f32,
    /// Whether the path is still a clock here.
    pub is_clock: bool,
}

/// A path with its end.
#[derive(Clone, Debug, PartialEq)]
pub struct TimingPath {
    /// Corner, by its position in [`crate::Config::corners`].
    pub corner: usize,
    /// Setup or hold side.
    pub side: MinMax,
    /// From the first pin (a clock source or an input port) to the endpoint.
    pub steps: Vec<Step>,
    /// What ends it.
    pub kind: CheckKind,
    /// Path group: the capturing clock, or what `group_path` says.
    pub group: String,
    /// Launching clock and edge.
    pub launch: Option<(String, Edge)>,
    /// Capturing clock and edge.
    pub capture: Option<(String, Edge)>,
    /// Time of the capturing edge in the frame of the arrivals, ns.
    pub capture_time: f64,
    /// Latency of the capturing clock, ns.
    pub latency: f64,
    /// Clock uncertainty, ns.
    pub uncertainty: f64,
    /// Reconvergence pessimism given back, ns.
    pub crpr: f64,
    /// Setup or hold time, or external delay, ns.
    pub margin: f64,
    /// Time borrowed by a latch, ns.
    pub borrow: f64,
    /// ns.
    pub required: f64,
    /// ns.
    pub slack: f32,
}

impl TimingPath {
    /// The endpoint.
    pub fn endpoint(&self) -> Option<PinId> {
        self.steps.last().map(|step| step.pin)
    }
    /// The arrival at the endpoint, ns.
    pub fn arrival(&self) -> f32 {
        self.steps.last().map_or(0.0, |step| step.arrival)
    }
}

impl Timer {
    /// The worst path of each of the `count` worst endpoints of a side, worst first.
    pub fn worst_paths(&self, design: &Design, side: MinMax, count: usize) -> Vec<TimingPath> {
        let mut ends = self.endpoints(side);
        ends.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        ends.truncate(count);
        ends.into_iter().filter_map(|(pin, _)| self.worst_path(design, side, pin)).collect()
    }

    /// The worst path that ends at a pin; `None` when no check of the side binds there.
    pub fn worst_path(&self, design: &Design, side: MinMax, pin: PinId) -> Option<TimingPath> {
        let mut worst: Option<(f32, usize, Path, PathEnd)> = None;
        let vertex = self.state.graph.vertex(pin);
        for lane in 0..self.state.lanes.len() {
            let context = self.context(design, lane)?;
            let values = &self.state.lanes[lane].values;
            for path in ((vertex as usize) < values.paths.len()).then(|| values.paths.of(vertex))? {
                if key::side(path.key) != side.index() {
                    continue;
                }
                context.each_end(values, vertex, &path, |end| {
                    let slack = end.slack(path.arrival);
                    if worst.as_ref().is_none_or(|worst| slack < worst.0) {
                        worst = Some((slack, lane, path, *end));
                    }
                });
            }
        }
        let (_, lane, path, end) = worst?;
        let context = self.context(design, lane)?;
        let values = &self.state.lanes[lane].values;
        let steps = trace(&context, values, vertex, path);
        Some(assembled(&context, lane, pin, steps, &path, &end))
    }

    /// What evaluation of a corner reads.
    pub(crate) fn context<'a>(&'a self, design: &'a Design, lane: usize) -> Option<Context<'a>> {
        let view = View { design, models: self.models.get(lane)?, graph: &self.state.graph };
        let setup = self.state.setup.as_deref()?;
        Some(Context { view, setup, calculator: self.config().calculator })
    }
}

/// A path from its steps to its end at `pin`.
pub(super) fn assembled(
    context: &Context<'_>,
    corner: usize,
    pin: PinId,
    steps: Vec<Step>,
    path: &Path,
    end: &PathEnd,
) -> TimingPath {
    let named = |edge: u16| {
        let clock = context.setup.clock(edge)?;
        Some((clock.name.clone(), Edge::BOTH[usize::from(edge % 2)]))
    };
    TimingPath {
        corner,
        side: MinMax::BOTH[key::side(path.key)],
        steps,
        kind: end.kind,
        group: group(context, pin, path, end),
        launch: named(key::launch(path.key)),
        capture: end.capture.and_then(named),
        capture_time: end.capture_time,
        latency: end.latency,
        uncertainty: end.uncertainty,
        crpr: end.crpr,
        margin: end.margin,
        borrow: end.borrow,
        required: end.required,
        slack: end.slack(path.arrival),
    }
}

/// Name of the group that a path with this end belongs to: what `group_path` says, else the kind
/// of asynchronous and gating checks, else the capturing clock.
pub(crate) fn group(context: &Context<'_>, pin: PinId, path: &Path, end: &PathEnd) -> String {
    let setup = context.setup;
    let side = key::side(path.key);
    let at = End { pin, edge: key::edge(path.key), side, capture: end.capture };
    let given = setup.exceptions.group(context.view.design, key::state(path.key), at);
    if let Some(name) = given {
        return name.to_owned();
    }
    match end.kind {
        CheckKind::Recovery | CheckKind::Removal => "asynchronous".to_owned(),
        CheckKind::GatingSetup | CheckKind::GatingHold => "clock gating".to_owned(),
        _ => {
            let capture = end.capture.and_then(|edge| setup.clock(edge));
            capture.map_or_else(|| "path delay".to_owned(), |clock| clock.name.clone())
        }
    }
}

/// The steps to `path` at `vertex`, first pin first.
fn trace(context: &Context<'_>, values: &Values, vertex: Vertex, path: Path) -> Vec<Step> {
    let view = &context.view;
    let mut steps = Vec::new();
    let mut at = Some((vertex, path));
    // Each step goes to a lower level; the bound is for safety only.
    while let Some((vertex, path)) = at {
        steps.push(step(context, values, vertex, &path));
        if steps.len() > view.graph.len() {
            break;
        }
        at = before(context, values, vertex, &path);
    }
    steps.reverse();
    differences(&mut steps);
    steps
}

/// A step of a path, with its arrival for delay.
pub(super) fn step(context: &Context<'_>, values: &Values, vertex: Vertex, path: &Path) -> Step {
    let view = &context.view;
    let (pin, corner) = (view.pin(vertex), key::corner(path.key));
    let load = match view.design.pin_net(pin) {
        Some(net) if view.is_driver(vertex) => values.load[net.index()][corner].total() as f32,
        _ => 0.0,
    };
    Step {
        pin,
        edge: Edge::BOTH[key::edge(path.key)],
        arrival: path.arrival,
        delay: path.arrival,
        slew: values.slew[vertex as usize][corner],
        load,
        is_clock: key::is_clock(path.key),
    }
}

/// Makes delays of arrivals.
pub(super) fn differences(steps: &mut [Step]) {
    for at in (1..steps.len()).rev() {
        steps[at].delay = steps[at].arrival - steps[at - 1].arrival;
    }
}

/// The path that led to `path` at `vertex`; `None` where it starts.
fn before(
    context: &Context<'_>,
    values: &Values,
    vertex: Vertex,
    path: &Path,
) -> Option<(Vertex, Path)> {
    let view = &context.view;
    let pin = view.pin(vertex);
    let same = |to_key: key::Key, arrival: f32| {
        to_key == path.key && arrival.to_bits() == path.arrival.to_bits()
    };
    if !view.is_driver(vertex) {
        let net = view.design.pin_net(pin)?;
        for driver in view.drivers(net).into_iter().filter(|driver| view.pin(*driver) != pin) {
            for from in values.paths.of(driver) {
                let (to_key, add) = context.through_wire(values, &from, driver, vertex);
                if same(to_key, from.arrival + add) {
                    return Some((driver, from));
                }
            }
        }
        return None;
    }
    let Owner::Cell(cell, number) = view.design.owner(pin) else { return None };
    let model = view.model(cell)?;
    let first = view.design.cell(cell).first_pin;
    for &arc in &model.pins[number.index()].fanin {
        let entry = &model.arcs[arc as usize];
        let from = view.arc_from(first, entry.from);
        let pairs = view.pairs(cell, model, arc);
        if entry.role == Role::LatchData {
            continue;
        }
        let arc = InstanceArc { cell, model, arc, pairs, from, to: vertex };
        for source in values.paths.of(from) {
            let found = context.through_arc(values, &arc, &source, key::edge(path.key));
            if found.is_some_and(|(to_key, add)| same(to_key, source.arrival + add)) {
                return Some((from, source));
            }
            let afresh = context.launched_afresh(values, &arc, source.key, key::edge(path.key));
            if afresh.is_some_and(|(to_key, arrival)| same(to_key, arrival)) {
                // The path begins at the clock pin, at the time of the clock edge.
                let launch = key::launch(source.key);
                let start = context.setup.clock(launch)?.edge[usize::from(launch % 2)];
                return Some((from, Path { arrival: start as f32, ..source }));
            }
        }
    }
    None
}
