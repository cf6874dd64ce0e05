//! Inferred clock gating checks, as a table of their own.

use cellwright_db::Design;
use cellwright_db::timing::Edge;

use super::endpoints::Endpoint;
use crate::constraints::MinMax;
use crate::graph::{Vertex, flag};
use crate::search::key;
use crate::timer::Timer;

impl Timer {
    /// The worst inferred clock gating check of each enable pin and side, least slack first, then in
    /// pin order. They bind the slacks of pins and are no endpoints: WNS and TNS leave them out.
    pub fn gating_checks(&self, design: &Design, side: MinMax) -> Vec<Endpoint> {
        let mut table: Vec<Endpoint> = Vec::new();
        let graph = &self.state.graph;
        let enables = (0..graph.len() as Vertex)
            .filter(|vertex| graph.flags[*vertex as usize] & flag::GATED != 0);
        for vertex in enables {
            let first = table.len();
            for (corner, lane) in self.state.lanes.iter().enumerate() {
                let Some(context) = self.context(design, corner) else { continue };
                let paths = lane.values.paths.of(vertex);
                for path in paths.filter(|path| key::side(path.key) == side.index()) {
                    context.each_gating_end(&lane.values, vertex, &path, |end| {
                        let slack = end.slack(path.arrival);
                        if table.get(first).is_some_and(|kept| kept.slack <= slack) {
                            return;
                        }
                        table.truncate(first);
                        table.push(Endpoint {
                            pin: context.view.pin(vertex),
                            group: "clock gating".to_owned(),
                            kind: end.kind,
                            edge: Edge::BOTH[key::edge(path.key)],
                            corner,
                            required: end.required,
                            arrival: path.arrival,
                            slack,
                        });
                    });
                }
            }
        }
        table.sort_by(|a, b| a.slack.total_cmp(&b.slack).then_with(|| a.pin.cmp(&b.pin)));
        table
    }
}
