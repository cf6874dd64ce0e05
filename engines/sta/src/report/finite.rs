//! Values that left the range of numbers: inputs that no physics bounds can do that, and no verdict
//! may rest on them.

use cellwright_db::PinId;

use crate::graph::Vertex;
use crate::timer::Timer;

impl Timer {
    /// Pins with an arrival or a check that is not a finite number, in pin order, once each.
    pub fn not_finite(&self) -> Vec<PinId> {
        let bad = |vertex: usize| {
            self.state.lanes.iter().any(|lane| {
                let paths = lane.values.paths.of(vertex as Vertex);
                let ends = lane.values.end.get(vertex).into_iter().flatten();
                // Positive infinity stands for a pin without a check.
                let mut paths = paths;
                paths.any(|path| !path.arrival.is_finite())
                    || ends.into_iter().any(|end| end.is_nan() || *end == f32::NEG_INFINITY)
            })
        };
        let graph = &self.state.graph;
        let vertices = (0..graph.len()).filter(|vertex| bad(*vertex));
        let mut pins: Vec<PinId> = vertices.map(|vertex| graph.pin(vertex as Vertex)).collect();
        pins.sort_unstable();
        pins.dedup();
        pins
    }
}

#[cfg(test)]
mod tests {
    use crate::parasitics::{Parasitics, Topology, WireRc};
    use crate::{Config, Timer, testing};

    #[test]
    fn what_leaves_the_range_of_numbers_is_told() {
        let design = testing::design(3, 30, 2);
        let timer = |rc: f64| {
            let wire = WireRc { signal: (rc, rc), clock: (rc, rc) };
            let parasitics = Parasitics::Placement { wire, topology: Topology::Steiner };
            let config = Config { corners: vec![(0, parasitics)], ..Config::default() };
            Timer::new(&design, testing::constraints(&design, false), config).unwrap()
        };
        let said = |timer: &Timer| {
            timer.not_supported().iter().any(|text| text.contains("range of numbers"))
        };
        assert!(!said(&timer(1e-3)) && timer(1e-3).not_finite().is_empty());
        assert!(said(&timer(1e30)) && !timer(1e30).not_finite().is_empty());
    }
}
