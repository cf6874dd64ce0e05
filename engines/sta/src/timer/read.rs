//! O(1) reads of what was computed.

use cellwright_db::PinId;
use cellwright_db::timing::Edge;

use super::Timer;
use super::lane::TOTAL_UNIT;
use crate::constraints::MinMax;
use crate::graph::{BrokenLoop, Vertex};
use crate::search::{Paths, key};

/// Which side of the analysis: [`MinMax::Min`] is hold, [`MinMax::Max`] is setup.
pub type Side = MinMax;

impl Timer {
    fn paths(&self, lane: usize, vertex: Vertex) -> Option<&Paths> {
        self.state.lanes.get(lane)?.values.paths.get(vertex as usize)
    }
    fn vertices(&self, pin: PinId) -> [Vertex; 2] {
        [self.state.graph.driver_vertex(pin), self.state.graph.vertex(pin)]
    }
    fn fold(
        &self,
        pin: PinId,
        side: Side,
        edge: Option<Edge>,
        of: impl Fn(&crate::search::Path) -> f32,
        largest: bool,
    ) -> Option<f32> {
        let [a, b] = self.vertices(pin);
        let vertices = std::iter::once(a).chain((a != b).then_some(b));
        let mut found: Option<f32> = None;
        for vertex in vertices {
            for lane in 0..self.state.lanes.len() {
                for path in self.paths(lane, vertex)? {
                    let fits = key::side(path.key) == side.index()
                        && edge.is_none_or(|edge| edge.index() == key::edge(path.key));
                    if fits {
                        let value = of(path);
                        found = Some(match found {
                            None => value,
                            Some(old) if largest => old.max(value),
                            Some(old) => old.min(value),
                        });
                    }
                }
            }
        }
        found
    }
    /// Worst slack of a pin over edges, paths and corners, ns; `None` where no path arrives,
    /// infinite where nothing requires one.
    pub fn slack(&self, pin: PinId, side: Side) -> Option<f32> {
        self.fold(pin, side, None, |path| path.slack(), false)
    }
    /// Worst slack of one edge of a pin, ns.
    pub fn slack_of(&self, pin: PinId, side: Side, edge: Edge) -> Option<f32> {
        self.fold(pin, side, Some(edge), |path| path.slack(), false)
    }
    /// Latest (max) or earliest (min) arrival of an edge at a pin, ns from the clock's time zero.
    pub fn arrival(&self, pin: PinId, side: Side, edge: Edge) -> Option<f32> {
        self.fold(pin, side, Some(edge), |path| path.arrival, side == MinMax::Max)
    }
    /// Slew of an edge at a pin, ns; the worst over corners.
    pub fn slew(&self, pin: PinId, side: Side, edge: Edge) -> f32 {
        let [vertex, _] = self.vertices(pin);
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
        let mut worst = f32::INFINITY;
        for lane in &self.state.lanes {
            for end in &lane.values.end {
                worst = worst.min(end[side.index()]);
            }
        }
        worst.is_finite().then_some(worst)
    }
    /// Worst negative slack, ns: 0 when no endpoint is violated.
    pub fn wns(&self, side: Side) -> f32 {
        self.worst_slack(side).map_or(0.0, |worst| worst.min(0.0))
    }
    /// Total negative slack, ns: each violated endpoint counts once, with its worst slack.
    ///
    /// With several corners an endpoint counts in the corner where it is worst.
    pub fn tns(&self, side: Side) -> f64 {
        match self.state.lanes.as_slice() {
            [only] => only.totals[side.index()] as f64 * TOTAL_UNIT,
            _ => {
                let negative = self.endpoints(side).into_iter().filter(|(_, slack)| *slack < 0.0);
                negative.map(|(_, slack)| f64::from(slack)).sum()
            }
        }
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
        let count = self.not_finite().len();
        if count > 0 {
            list.push(format!("{count} pins have values beyond the range of numbers"));
        }
        list
    }
}
