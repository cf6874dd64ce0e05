//! The table of endpoints: each in each of its path groups, without tracing paths.

use cellwright_db::timing::Edge;
use cellwright_db::{Design, PinId};

use super::path::group;
use crate::constraints::MinMax;
use crate::graph::model::CheckKind;
use crate::search::key;
use crate::timer::Timer;

/// The worst end of one path group at one endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// The endpoint.
    pub pin: PinId,
    /// Path group: the capturing clock, or what `group_path` says.
    pub group: String,
    /// What ends the path.
    pub kind: CheckKind,
    /// Edge that arrives.
    pub edge: Edge,
    /// Corner, by its position in [`crate::Config::corners`].
    pub corner: usize,
    /// ns.
    pub required: f64,
    /// ns.
    pub arrival: f32,
    /// ns.
    pub slack: f32,
}

impl Timer {
    /// Every endpoint of a side, once for each path group that it ends, worst slack first, then in
    /// pin order.
    pub fn endpoint_table(&self, design: &Design, side: MinMax) -> Vec<Endpoint> {
        let mut table: Vec<Endpoint> = Vec::new();
        for (pin, _) in self.endpoints(side) {
            let first = table.len();
            let vertex = self.state.graph.vertex(pin);
            for (corner, lane) in self.state.lanes.iter().enumerate() {
                let Some(context) = self.context(design, corner) else { continue };
                let paths = lane.values.paths.of(vertex);
                for path in paths.filter(|path| key::side(path.key) == side.index()) {
                    context.each_end(&lane.values, vertex, &path, |end| {
                        let found = Endpoint {
                            pin,
                            group: group(&context, pin, &path, end),
                            kind: end.kind,
                            edge: Edge::BOTH[key::edge(path.key)],
                            corner,
                            required: end.required,
                            arrival: path.arrival,
                            slack: end.slack(path.arrival),
                        };
                        match table[first..].iter_mut().find(|old| old.group == found.group) {
                            Some(old) if found.slack < old.slack => *old = found,
                            Some(_) => {}
                            None => table.push(found),
                        }
                    });
                }
            }
        }
        table.sort_by(|a, b| {
            let by_name = || (a.pin, &a.group).cmp(&(b.pin, &b.group));
            a.slack.total_cmp(&b.slack).then_with(by_name)
        });
        table
    }
}
