//! Required times: from the ends of paths back to their starts.

use cellwright_db::Owner;

use super::arrival::InstanceArc;
use super::key::{self, Key};
use super::{Context, Paths, Values};
use crate::graph::model::Role;
use crate::graph::{Vertex, flag};

/// No requirement of a side.
pub(crate) fn unbound(side: usize) -> f32 {
    if side == 1 { f32::INFINITY } else { f32::NEG_INFINITY }
}

/// The tighter of two requirements of a side.
#[inline]
fn tighter(side: usize, a: f32, b: f32) -> f32 {
    if side == 1 { a.min(b) } else { a.max(b) }
}

/// Requirement on the path of `to_key` in a list. Where pruning dropped the path itself, the paths
/// that differ in the clock tree driver alone stand for it.
fn lookup(paths: &Paths, to_key: Key) -> f32 {
    let side = key::side(to_key);
    if let Some(path) = paths.iter().find(|path| path.key == to_key) {
        return path.required;
    }
    let head = to_key | key::CLASS_MASK;
    paths
        .iter()
        .filter(|path| path.key | key::CLASS_MASK == head)
        .fold(unbound(side), |worst, path| tighter(side, worst, path.required))
}

impl Context<'_> {
    /// Fills in `required` of the paths of a vertex, given those of its sinks, and gives the slack
    /// of its own ends `[hold, setup]`. Returns how many arcs were looked at.
    pub(crate) fn requireds(
        &self,
        values: &Values,
        vertex: Vertex,
        paths: &mut Paths,
        end: &mut [f32; 2],
    ) -> u64 {
        *end = [f32::INFINITY; 2];
        let flags = self.view.flags(vertex);
        let mut work = 0;
        for path in paths.iter_mut() {
            let side = key::side(path.key);
            let mut required = unbound(side);
            if flags & flag::END != 0 {
                let (mut bound, mut slack) = (required, end[side]);
                self.each_end(values, vertex, path, |found| {
                    work += 1;
                    bound = tighter(side, bound, found.required as f32);
                    slack = slack.min(found.slack(path.arrival));
                });
                (required, end[side]) = (bound, slack);
            }
            path.required = required;
        }
        let pin = self.view.pin(vertex);
        if flags & flag::DRIVER != 0
            && flags & flag::CUT == 0
            && let Some(net) = self.view.design.pin_net(pin)
        {
            for load in self.view.loads(net) {
                work += 1;
                let sinks = &values.paths[load as usize];
                for path in paths.iter_mut() {
                    let side = key::side(path.key);
                    let (to_key, add) = self.through_wire(values, path.key, load);
                    let bound = lookup(sinks, to_key);
                    path.required = tighter(side, path.required, bound - add);
                }
            }
        }
        if self.view.vertex(pin) == vertex
            && let Owner::Cell(cell, number) = self.view.design.owner(pin)
            && let Some(model) = self.view.model(cell)
        {
            let first = self.view.design.cell(cell).first_pin;
            for &arc in &model.pins[number.index()].fanout {
                let pairs = self.view.pairs(cell, model, arc);
                let to = self.view.arc_to(first, model.arcs[arc as usize].to);
                if pairs == 0
                    || model.arcs[arc as usize].role == Role::LatchData
                    || !self.view.is_driver(to)
                {
                    continue;
                }
                work += 1;
                let arc = InstanceArc { cell, model, arc, pairs, from: vertex, to };
                let sinks = &values.paths[to as usize];
                for path in paths.iter_mut() {
                    let side = key::side(path.key);
                    for to_edge in 0..2 {
                        if let Some((to_key, add)) =
                            self.through_arc(values, &arc, path.key, to_edge)
                        {
                            let bound = lookup(sinks, to_key);
                            path.required = tighter(side, path.required, bound - add);
                        }
                    }
                }
            }
        }
        work
    }
}
