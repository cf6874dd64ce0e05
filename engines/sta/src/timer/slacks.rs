//! Slacks of pins, which need required times.

use cellwright_db::timing::Edge;
use cellwright_db::{Design, PinId};

use super::lane;
use super::log::Entry;
use super::read::Side;
use super::{Timer, TimerError, stale};
use crate::graph::{Vertex, View};
use crate::search::Context;

/// Slacks of all pins, with required times that hold.
#[derive(Clone, Copy, Debug)]
pub struct Slacks<'a> {
    timer: &'a Timer,
}

impl Timer {
    /// Brings required times up to date, and with them the slacks of all pins.
    ///
    /// Updates do not: endpoint slacks, WNS and TNS need arrivals alone. The first call after a full
    /// analysis works out all required times, a later one those that changes have reached since,
    /// undone or not. It does not count as [`Timer::work`].
    ///
    /// # Errors
    /// [`TimerError::Elsewhere`] when the design is not in the state that was analysed.
    pub fn settle(&mut self, design: &Design) -> Result<(), TimerError> {
        if self.stamp != design.stamp() {
            return Err(TimerError::Elsewhere { to: self.stamp, at: design.stamp() });
        }
        let Some(setup) = self.state.setup.clone() else { return Ok(()) };
        for number in 0..self.state.lanes.len() {
            let lane = &mut self.state.lanes[number];
            if lane.stale.is_empty() {
                continue;
            }
            let graph = &self.state.graph;
            let view = View { design, models: &self.models[number], graph };
            let context = Context { view, setup: &setup, calculator: self.config.calculator };
            let (taken, all) = lane.stale.take();
            let work = &mut self.work;
            let level = |vertex: Vertex| graph.level[vertex as usize];
            if all {
                (0..graph.len() as Vertex)
                    .for_each(|vertex| work.required.push(vertex, level(vertex)));
            } else {
                for &(vertex, what) in &taken {
                    if what == stale::OWN {
                        work.required.push(vertex, level(vertex));
                    } else {
                        view.each_fanin(vertex, |from| work.required.push(from, level(from)));
                    }
                }
            }
            let arcs = work.arcs;
            lane::required_pass(&context, lane, work);
            // What a query costs depends on what was asked before; work units must not.
            work.arcs = arcs;
            self.flushes += 1;
            if !self.marks.is_empty() {
                self.log.push(Entry::Flushed(number as u8, Box::new(taken)));
            }
        }
        Ok(())
    }

    /// The slacks of all pins, brought up to date first.
    ///
    /// # Errors
    /// [`TimerError::Elsewhere`] when the design is not in the state that was analysed.
    pub fn slacks(&mut self, design: &Design) -> Result<Slacks<'_>, TimerError> {
        self.settle(design)?;
        Ok(Slacks { timer: self })
    }

    /// The slacks of all pins where they are up to date: after [`Timer::settle`], until the next
    /// update or undo.
    pub fn settled(&self) -> Option<Slacks<'_>> {
        let stale = |lane: &lane::Lane| !lane.stale.is_empty();
        (!self.state.lanes.iter().any(stale)).then_some(Slacks { timer: self })
    }
}

impl Slacks<'_> {
    /// Worst slack of a pin over edges, paths and corners, ns; `None` where no path arrives,
    /// infinite where nothing requires one.
    pub fn slack(&self, pin: PinId, side: Side) -> Option<f32> {
        self.timer.least_slack(pin, side, None)
    }
    /// Worst slack of one edge of a pin, ns.
    pub fn slack_of(&self, pin: PinId, side: Side, edge: Edge) -> Option<f32> {
        self.timer.least_slack(pin, side, Some(edge))
    }
}
