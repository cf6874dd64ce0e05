//! Design rules: slew, capacitance and fan-out limits of libraries and constraints.

use cellwright_db::{Design, Owner, PinId};

use crate::constraints::LimitSet;
use crate::graph::{Vertex, flag};
use crate::search::key;
use crate::timer::Timer;
use crate::timer::delays_pin_cap;

/// Which limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LimitKind {
    /// Slew, ns.
    MaxSlew,
    /// Load of a driver, pF.
    MaxCap,
    /// Fan-out of a driver, fan-out loads.
    MaxFanout,
}

/// A limit that does not hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Violation {
    /// Which limit.
    pub kind: LimitKind,
    /// Where.
    pub pin: PinId,
    /// The limit.
    pub limit: f64,
    /// The value.
    pub value: f64,
}

/// The tightest of the limits that constraints give a pin.
fn given(set: &LimitSet, design: &Design, pin: PinId) -> Option<f64> {
    let mut limits = vec![set.design, set.pins.get(&pin).copied()];
    if let Owner::Cell(cell, number) = design.owner(pin) {
        limits.push(set.cells.get(&cell).copied());
        limits.push(set.master_pins.get(&(design.master_id(cell), number)).copied());
    }
    limits.into_iter().flatten().reduce(f64::min)
}

impl Timer {
    /// Limits of slew, capacitance and fan-out that do not hold, in pin order. Late side, worst
    /// edge and corner.
    pub fn violations(&self, design: &Design) -> Vec<Violation> {
        let mut found = Vec::new();
        let limits = &self.constraints().limits;
        for lane in 0..self.state.lanes.len() {
            let Some(context) = self.context(design, lane) else { continue };
            let view = &context.view;
            let values = &self.state.lanes[lane].values;
            let corner = self.config().corners[lane].0;
            for vertex in 0..self.state.graph.len() as Vertex {
                let pin = view.pin(vertex);
                if view.flags(vertex) & flag::CONSTANT != 0 || design.pin_net(pin).is_none() {
                    continue;
                }
                let library = match design.owner(pin) {
                    Owner::Cell(cell, number) => design
                        .library()
                        .timing(corner, true, design.master_id(cell))
                        .map(|(lib, cell)| (lib, &cell.pins[number.index()])),
                    Owner::Port(_) => None,
                };
                let mut check = |kind, limit: Option<f64>, value: f64| {
                    if let Some(limit) = limit.filter(|limit| value > *limit) {
                        found.push(Violation { kind, pin, limit, value });
                    }
                };
                let tighter =
                    |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::min);
                let own = library.and_then(|(lib, side)| side.max_slew.or(lib.default_max_slew));
                let limit = tighter(given(&limits.max_transition, design, pin), own.map(f64::from));
                let slew = values.slew[vertex as usize];
                let reached = !values.paths.is_empty(vertex);
                if reached {
                    check(LimitKind::MaxSlew, limit, f64::from(slew[2].max(slew[3])));
                }
                if !view.is_driver(vertex) {
                    continue;
                }
                let Some(net) = design.pin_net(pin) else { continue };
                let load = &values.load[net.index()];
                let own = library.and_then(|(lib, side)| side.max_cap.or(lib.default_max_cap));
                let limit =
                    tighter(given(&limits.max_capacitance, design, pin), own.map(f64::from));
                check(LimitKind::MaxCap, limit, load[2].total().max(load[3].total()));
                let own =
                    library.and_then(|(lib, side)| side.max_fanout.or(lib.default_max_fanout));
                let limit = tighter(given(&limits.max_fanout, design, pin), own.map(f64::from));
                if limit.is_some() {
                    let fanout = view.loads(net).map(|load| {
                        let Owner::Cell(cell, number) = design.owner(view.pin(load)) else {
                            return 1.0;
                        };
                        let master = design.master_id(cell);
                        let found = design.library().timing(corner, true, master);
                        let given = found.and_then(|(lib, cell)| {
                            cell.pins[number.index()].fanout_load.or(lib.default_fanout_load)
                        });
                        f64::from(given.unwrap_or(1.0))
                    });
                    check(LimitKind::MaxFanout, limit, fanout.sum());
                }
            }
        }
        found.sort_by_key(|found| (found.pin, found.kind));
        found.dedup_by(|b, a| {
            // Several corners: the worst value stays.
            let same = (a.pin, a.kind) == (b.pin, b.kind);
            if same && b.value - b.limit > a.value - a.limit {
                *a = *b;
            }
            same
        });
        found
    }

    /// Pins that paths reach, that should be checked (register data, output ports), and that no
    /// constraint binds.
    pub fn unconstrained(&self, design: &Design) -> Vec<PinId> {
        let graph = &self.state.graph;
        let extras = graph.extras.len();
        (extras..graph.len())
            .filter(|vertex| graph.flags[*vertex] & flag::END != 0)
            .filter(|vertex| graph.flags[*vertex] & (flag::CONSTANT | flag::CUT) == 0)
            .filter(|vertex| {
                self.state
                    .lanes
                    .iter()
                    .all(|lane| lane.values.end[*vertex].iter().all(|s| s.is_infinite()))
            })
            .map(|vertex| graph.pin(vertex as Vertex))
            .filter(|pin| design.has_pin(*pin) && design.pin_net(*pin).is_some())
            .filter(|pin| {
                let vertex = graph.vertex(*pin);
                let clock = |lane: &crate::timer::Lane| {
                    lane.values.paths.of(vertex).any(|path| key::is_clock(path.key))
                };
                !self.state.lanes.iter().any(clock)
            })
            .collect()
    }

    /// How many endpoints fall into each of `bins` equal intervals between the worst and the best
    /// finite slack of a side: (lower bound of the interval in ns, count).
    pub fn histogram(&self, side: crate::constraints::MinMax, bins: usize) -> Vec<(f32, usize)> {
        let slacks: Vec<f32> = self.endpoints(side).into_iter().map(|(_, slack)| slack).collect();
        let low = slacks.iter().copied().fold(f32::INFINITY, f32::min);
        let high = slacks.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        if slacks.is_empty() || bins == 0 {
            return Vec::new();
        }
        let width = ((high - low) / bins as f32).max(f32::MIN_POSITIVE);
        let mut out: Vec<(f32, usize)> =
            (0..bins).map(|bin| (low + width * bin as f32, 0)).collect();
        for slack in slacks {
            let bin = (((slack - low) / width) as usize).min(bins - 1);
            out[bin].1 += 1;
        }
        out
    }

    /// The RC network of each net with a driver, as the timer used it in a corner (by its position
    /// in [`crate::Config::corners`]), in net order; nets without resistance and capacitance are
    /// left out.
    pub fn networks(&self, design: &Design, corner: usize) -> Vec<crate::parasitics::RcNet> {
        let Some((_, parasitics)) = self.config().corners.get(corner) else { return Vec::new() };
        design
            .nets()
            .filter_map(|net| parasitics.network(design, net, design.driver(net)?))
            .map(std::borrow::Cow::into_owned)
            .collect()
    }

    /// Capacitance of a pin by `[min rise, min fall, max rise, max fall]`, pF.
    pub fn pin_capacitance(&self, design: &Design, pin: PinId) -> [f32; 4] {
        self.context(design, 0).map_or([0.0; 4], |context| delays_pin_cap(&context, pin))
    }
}
