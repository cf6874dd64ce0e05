//! Endpoint slacks, and required times: from the ends of paths back to their starts.

use cellwright_db::Owner;

use super::arrival::InstanceArc;
use super::key::{self, Key};
use super::{Context, Paths, Requireds, Values};
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

/// Requirement on the path of `to_key` at a vertex. Where pruning dropped the path itself, the paths
/// that differ in the clock tree driver alone stand for it.
pub(crate) fn lookup(values: &Values, vertex: Vertex, to_key: Key) -> f32 {
    let side = key::side(to_key);
    let paths = values.paths.of(vertex);
    let requireds = &values.required[vertex as usize];
    if let Some(at) = paths.clone().position(|path| path.key == to_key) {
        return requireds.get(at).copied().unwrap_or_else(|| unbound(side));
    }
    let head = to_key | key::CLASS_MASK;
    paths
        .zip(requireds)
        .filter(|(path, _)| path.key | key::CLASS_MASK == head)
        .fold(unbound(side), |worst, (_, required)| tighter(side, worst, *required))
}

impl Context<'_> {
    /// Slack of the ends of a vertex `[hold, setup]`, ns; infinite without. Also how many ends were
    /// looked at.
    pub(crate) fn end_slacks(&self, values: &Values, vertex: Vertex) -> ([f32; 2], u64) {
        let mut slacks = [f32::INFINITY; 2];
        let mut work = 0;
        for path in values.paths.of(vertex) {
            let slack = &mut slacks[key::side(path.key)];
            self.each_end(values, vertex, &path, |found| {
                work += 1;
                *slack = slack.min(found.slack(path.arrival));
            });
        }
        (slacks, work)
    }

    /// The required times of the paths of a vertex, given those of its sinks. Returns how many arcs
    /// were looked at.
    pub(crate) fn requireds(
        &self,
        values: &Values,
        vertex: Vertex,
        requireds: &mut Requireds,
    ) -> u64 {
        requireds.clear();
        let flags = self.view.flags(vertex);
        let paths: Paths = values.paths.of(vertex).collect();
        let mut work = 0;
        for path in &paths {
            let side = key::side(path.key);
            let mut required = unbound(side);
            if flags & flag::END != 0 {
                self.each_end(values, vertex, path, |found| {
                    work += 1;
                    required = tighter(side, required, found.required as f32);
                });
            }
            if flags & flag::GATED != 0 {
                self.each_gating_end(values, vertex, path, |found| {
                    work += 1;
                    required = tighter(side, required, found.required as f32);
                });
            }
            requireds.push(required);
        }
        let pin = self.view.pin(vertex);
        if flags & flag::DRIVER != 0
            && flags & flag::CUT == 0
            && let Some(net) = self.view.design.pin_net(pin)
        {
            for load in self.view.loads(net).filter(|load| self.view.pin(*load) != pin) {
                work += 1;
                for (path, required) in paths.iter().zip(requireds.iter_mut()) {
                    let side = key::side(path.key);
                    let (to_key, add) = self.through_wire(values, path, vertex, load);
                    let bound = lookup(values, load, to_key);
                    *required = tighter(side, *required, bound - add);
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
                for (path, required) in paths.iter().zip(requireds.iter_mut()) {
                    let side = key::side(path.key);
                    for to_edge in 0..2 {
                        if let Some((to_key, add)) = self.through_arc(values, &arc, path, to_edge) {
                            let bound = lookup(values, to, to_key);
                            *required = tighter(side, *required, bound - add);
                        }
                    }
                }
            }
        }
        work
    }
}
