//! The timer: full analysis, exact incremental updates, exact undo, O(1) reads.

mod delays;
mod lane;
mod log;
mod queue;
mod read;
mod slacks;
mod stale;
#[cfg(test)]
mod tests;
mod update;
mod worst;

use std::sync::Arc;

use cellwright_db::{Design, Stamp};
use smallvec::SmallVec;

use crate::constraints::Constraints;
use crate::delay::Calculator;
use crate::graph::build;
use crate::graph::fans::Fans;
use crate::graph::model::Models;
use crate::graph::{Graph, Vertex, View, flag};
use crate::parasitics::Parasitics;
use crate::search::Context;
use crate::search::setup::Setup;
pub(crate) use delays::pin_cap as delays_pin_cap;
pub(crate) use lane::Lane;
use lane::{Target, Work};
use log::Log;

use stale::Stale;
use worst::{Leaf, Worst, order};

pub use read::Side;
pub use slacks::Slacks;

/// What a timer computes with.
#[derive(Clone, Debug)]
pub struct Config {
    /// Corners: numbers into [`cellwright_db::Library::corners`], each with its wires.
    pub corners: Vec<(usize, Parasitics)>,
    /// How delays are computed.
    pub calculator: Calculator,
}

impl Default for Config {
    /// The first corner without wires.
    fn default() -> Self {
        Config { corners: vec![(0, Parasitics::None)], calculator: Calculator::default() }
    }
}

/// Why a timer refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimerError {
    /// The dirty set does not start where the timer stands.
    #[error(
        "the change starts from state {from:?}, but the timer stands at {at:?}; undo or run the \
         updates in between, or run full()"
    )]
    Stale {
        /// Where the dirty set starts.
        from: Stamp,
        /// Where the timer stands.
        at: Stamp,
    },
    /// The design is not the one that the dirty set leads to.
    #[error(
        "the change leads to state {to:?}, but the design is in state {at:?}; update before the \
         design changes again"
    )]
    Elsewhere {
        /// Where the dirty set leads.
        to: Stamp,
        /// Where the design is.
        at: Stamp,
    },
    /// A corner that the library does not have.
    #[error("the library has no corner {0}; it has {1}")]
    NoCorner(usize, usize),
    /// No corner at all.
    #[error("no corner to analyse; name at least one")]
    NoCorners,
}

/// What an update did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Updated {
    /// Arcs evaluated: deterministic work units.
    pub arcs: u64,
    /// Whether everything was computed anew.
    pub full: bool,
}

/// Everything that an undo must bring back.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) graph: Graph,
    pub(crate) setup: Option<Arc<Setup>>,
    pub(crate) lanes: Vec<Lane>,
    worst: Worst,
}

impl State {
    /// Slacks of a vertex over all corners, with `own` for corner `lane` where that is given.
    fn leaf(&self, vertex: usize, own: Option<(usize, [f32; 2])>) -> Leaf {
        let mut least = [order(worst::NO_END); 2];
        for (number, lane) in self.lanes.iter().enumerate() {
            let end = match own {
                Some((own, end)) if own == number => end,
                _ => lane.values.end[vertex],
            };
            least = [least[0].min(order(end[0])), least[1].min(order(end[1]))];
        }
        least
    }

    /// Takes a changed end slack of a corner, which was `old`, into the worst and total slacks.
    fn end_moved(&mut self, lane: usize, vertex: Vertex, old: [f32; 2]) {
        let at = vertex as usize;
        let (old, new) = (self.leaf(at, Some((lane, old))), self.leaf(at, None));
        let mut worst = std::mem::take(&mut self.worst);
        worst.change(at, old, new, self.graph.len(), |vertex| self.leaf(vertex, None));
        self.worst = worst;
    }
}

/// What an undo goes back to.
#[derive(Clone, Debug)]
struct Mark {
    /// Length of the log.
    length: usize,
    stamp: Stamp,
    /// Flushes of required times so far.
    flushes: u64,
    /// How much was noted as stale, by lane.
    stale: SmallVec<[usize; 2]>,
}

/// The timing of one design under one set of constraints.
///
/// It holds no design: every call that needs one is given it, and stamps say whether it is the
/// right one.
#[derive(Debug)]
pub struct Timer {
    config: Config,
    constraints: Arc<Constraints>,
    pub(crate) models: Vec<Arc<Models>>,
    pub(crate) state: State,
    stamp: Stamp,
    log: Log,
    /// Where each update that is not kept started.
    marks: Vec<Mark>,
    /// Flushes of required times so far.
    flushes: u64,
    work: Work,
}

impl Timer {
    /// A timer of a design, fully analysed.
    ///
    /// # Errors
    /// [`TimerError::NoCorner`], [`TimerError::NoCorners`].
    pub fn new(
        design: &Design,
        constraints: impl Into<Arc<Constraints>>,
        config: Config,
    ) -> Result<Timer, TimerError> {
        if config.corners.is_empty() {
            return Err(TimerError::NoCorners);
        }
        let known = design.library().corners.len();
        if let Some((corner, _)) = config.corners.iter().find(|(corner, _)| *corner >= known) {
            return Err(TimerError::NoCorner(*corner, known));
        }
        let models = config
            .corners
            .iter()
            .map(|(corner, _)| Arc::new(Models::new(design.library(), *corner)))
            .collect();
        let mut timer = Timer {
            config,
            constraints: constraints.into(),
            models,
            state: State::default(),
            stamp: design.stamp(),
            log: Log::new(),
            marks: Vec::new(),
            flushes: 0,
            work: Work::default(),
        };
        timer.full(design);
        Ok(timer)
    }

    /// Computes everything anew for the design as it is, and forgets what could be undone.
    pub fn full(&mut self, design: &Design) -> Updated {
        self.log.clear();
        self.marks.clear();
        self.state = State::default();
        self.stamp = design.stamp();
        let before = self.work.arcs;
        self.rebuild(design);
        Updated { arcs: self.work.arcs - before, full: true }
    }

    /// Builds graph and values from nothing into `self.state`.
    fn rebuild(&mut self, design: &Design) {
        let mut graph = build::build(design, &self.models[0], &self.constraints);
        graph.fans = Fans::new(&View { design, models: &self.models[0], graph: &graph });
        let setup = Arc::new(Setup::new(design, &graph, &self.constraints));
        self.work.grow(graph.len());
        let mut lanes = Vec::with_capacity(self.models.len());
        for (number, models) in self.models.iter().enumerate() {
            let mut lane = Lane { stale: Stale::all(), ..Lane::default() };
            let view = View { design, models, graph: &graph };
            let context = Context { view, setup: &setup, calculator: self.config.calculator };
            lane.grow(&graph, &view);
            let mut target = Target { lane: &mut lane, number: number as u8, log: None };
            let work = &mut self.work;
            for net in design.nets() {
                lane::load(&context, &self.config.corners[number].1, &mut target, work, net);
            }
            for vertex in 0..graph.len() as Vertex {
                let level = graph.level[vertex as usize];
                if graph.flags[vertex as usize] & flag::DRIVER != 0 && view.leader(vertex) == vertex
                {
                    work.delay.push(vertex, level);
                }
                work.arrival.push(vertex, level);
                if graph.flags[vertex as usize] & flag::END != 0 {
                    work.ends.push(vertex);
                }
            }
            lane::delay_pass(&context, &mut target, work);
            lane::arrival_pass(&context, &mut target, work);
            lane::end_pass(&context, &mut target, work);
            lanes.push(lane);
        }
        let mut state = State { graph, setup: Some(setup), lanes, worst: Worst::default() };
        state.worst = Worst::new(state.graph.len(), |vertex| state.leaf(vertex, None));
        self.state = state;
    }

    /// Takes the last update that is not kept back, exactly. `false` when there is none.
    ///
    /// The caller undoes the design to the same state.
    pub fn undo(&mut self) -> bool {
        let Some(mark) = self.marks.pop() else { return false };
        while self.log.len() > mark.length {
            let Some(entry) = self.log.pop() else { break };
            log::restore(&mut self.state, entry);
        }
        // Required times that were not worked out since are those of the mark. Others belong to the
        // later state; the log has noted again where they differ.
        if self.flushes == mark.flushes {
            for (lane, length) in self.state.lanes.iter_mut().zip(&mark.stale) {
                lane.stale.truncate(*length);
            }
        }
        self.stamp = mark.stamp;
        true
    }

    /// Keeps all updates so far: they can no longer be undone.
    pub fn keep(&mut self) {
        self.log.clear();
        self.marks.clear();
    }

    /// How many updates can be undone.
    pub fn undoable(&self) -> usize {
        self.marks.len()
    }

    /// The state of the design that the values belong to.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Arcs evaluated since the timer was made: deterministic work units.
    pub fn work(&self) -> u64 {
        self.work.arcs
    }

    /// The constraints.
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }
}
