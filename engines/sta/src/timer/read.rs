//! O(1) reads of what was computed.

use cellwright_db::timing::Edge;
use cellwright_db::{MasterId, PinId};

use super::Timer;
use crate::constraints::MinMax;
use crate::graph::{BrokenLoop, Vertex};
use crate::search::{Path, key};

/// Which side of the analysis: [`MinMax::Min`] is hold, [`MinMax::Max`] is setup.
pub type Side = MinMax;

impl Timer {
    fn vertices(&self, pin: PinId) -> impl Iterator<Item = Vertex> + use<> {
        let (a, b) = (self.state.graph.driver_vertex(pin), self.state.graph.vertex(pin));
        std::iter::once(a).chain((a != b).then_some(b))
    }
    /// The paths of an edge (or both) at a pin with their required times, over corners.
    fn paths(
        &self,
        pin: PinId,
        side: Side,
        edge: Option<Edge>,
    ) -> impl Iterator<Item = (Path, f32)> {
        self.vertices(pin).flat_map(move |vertex| {
            self.state.lanes.iter().flat_map(move |lane| {
                let at = vertex as usize;
                let known = at < lane.values.paths.len();
                let paths = known.then(|| lane.values.paths.of(vertex)).into_iter().flatten();
                let required = lane.values.required.get(at).map_or(&[][..], |list| list);
                let required = required.iter().copied().chain(std::iter::repeat(f32::NAN));
                paths.zip(required).filter(move |(path, _)| {
                    key::side(path.key) == side.index()
                        && edge.is_none_or(|edge| edge.index() == key::edge(path.key))
                })
            })
        })
    }
    pub(super) fn least_slack(&self, pin: PinId, side: Side, edge: Option<Edge>) -> Option<f32> {
        let paths = self.paths(pin, side, edge);
        paths.map(|(path, required)| path.slack(required)).reduce(f32::min)
    }
    /// Latest (max) or earliest (min) arrival of an edge at a pin, ns from the clock's time zero.
    pub fn arrival(&self, pin: PinId, side: Side, edge: Edge) -> Option<f32> {
        let arrivals = self.paths(pin, side, Some(edge)).map(|(path, _)| path.arrival);
        arrivals.reduce(if side == MinMax::Max { f32::max } else { f32::min })
    }
    /// Whether a clock reaches a pin through an ideal network, which has no delay.
    pub fn is_ideal_clock(&self, pin: PinId) -> bool {
        let Some(setup) = self.state.setup.as_ref() else { return false };
        self.vertices(pin).any(|vertex| {
            let set = self.state.graph.clocks.get(vertex as usize).copied().unwrap_or(0);
            let set = self.state.graph.clock_sets.get(usize::from(set));
            let ideal = |clock: &u16| {
                setup.clocks.get(usize::from(*clock)).is_some_and(|clock| !clock.propagated)
            };
            set.is_some_and(|set| set.iter().any(ideal))
        })
    }
    /// Slew of an edge at a pin, ns; the worst over corners.
    pub fn slew(&self, pin: PinId, side: Side, edge: Edge) -> f32 {
        let vertex = self.state.graph.driver_vertex(pin);
        let corner = side.index() * 2 + edge.index();
        let slews = self
            .state
            .lanes
            .iter()
            .filter_map(|lane| lane.values.slew.get(vertex as usize))
            .map(|slew| slew[corner]);
        if side == MinMax::Max {
            slews.fold(0.0, f32::max)
        } else {
            slews.fold(f32::INFINITY, f32::min)
        }
    }
    /// Worst slack of a pin's own checks over corners, ns; `None` where the pin is no endpoint of
    /// that side.
    pub fn end_slack(&self, pin: PinId, side: Side) -> Option<f32> {
        let vertex = self.state.graph.vertex(pin) as usize;
        let slacks = self.state.lanes.iter().filter_map(|lane| lane.values.end.get(vertex));
        let worst = slacks.map(|end| end[side.index()]).fold(f32::INFINITY, f32::min);
        worst.is_finite().then_some(worst)
    }
    /// All endpoints of a side with their slack, ns, in pin order.
    pub fn endpoints(&self, side: Side) -> Vec<(PinId, f32)> {
        let extras = self.state.graph.extras.len();
        let pins = (extras..self.state.graph.len()).map(|vertex| PinId::new(vertex - extras));
        pins.filter_map(|pin| self.end_slack(pin, side).map(|slack| (pin, slack))).collect()
    }
    /// Worst endpoint slack, ns; `None` without endpoints.
    pub fn worst_slack(&self, side: Side) -> Option<f32> {
        self.state.worst.slack(side.index())
    }
    /// Worst negative slack, ns: 0 when no endpoint is violated.
    pub fn wns(&self, side: Side) -> f32 {
        self.worst_slack(side).map_or(0.0, |worst| worst.min(0.0))
    }
    /// Total negative slack, ns: each violated endpoint counts once, with its worst slack.
    ///
    /// With several corners an endpoint counts in the corner where it is worst.
    pub fn tns(&self, side: Side) -> f64 {
        self.state.worst.total(side.index())
    }
    /// Combinational loops and where they were broken.
    pub fn loops(&self) -> &[BrokenLoop] {
        &self.state.graph.loops
    }
    /// What constraints and libraries ask for and this timer does not do, in words.
    pub fn not_supported(&self) -> Vec<String> {
        let setup = self.state.setup.as_ref();
        let mut list: Vec<String> = setup.map_or(Vec::new(), |setup| setup.not_supported.clone());
        list.extend(self.constraints.not_supported.iter().map(|entry| {
            format!("{}:{}: {}: {}", entry.file, entry.line, entry.command, entry.why)
        }));
        // The first corner's arcs make the graph that all corners are timed on.
        if let Some((first, others)) = self.models.split_first() {
            let differs =
                |master: &MasterId| others.iter().any(|other| !first.same_arcs(other, *master));
            let differing = first.of.ids().filter(differs).count();
            if differing > 0 {
                list.push(format!(
                    "{differing} library cells have other arcs in one corner than in the first: \
                     they are timed as the first has them"
                ));
            }
        }
        let count = self.not_finite().len();
        if count > 0 {
            list.push(format!("{count} pins have values beyond the range of numbers"));
        }
        list
    }
}
