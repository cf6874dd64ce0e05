//! What a run tells while it runs and when it ends.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use cellwright_db::{CellId, Delta};

use crate::error::PlaceError;

/// A stage of placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Global placement.
    Global,
    /// Legalisation.
    Legalize,
    /// Detailed placement.
    Detailed,
}

impl Stage {
    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Global => "global",
            Stage::Legalize => "legalize",
            Stage::Detailed => "detailed",
        }
    }
}

/// A sign of life.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Stage.
    pub stage: Stage,
    /// Iteration or pass within the stage.
    pub iteration: u32,
    /// Wire length, DBU.
    pub hpwl: f64,
    /// Density overflow (global placement), else 0.
    pub overflow: f64,
    /// Estimated part of the stage that is done, 0..=1.
    pub fraction: f64,
}

/// Hears events and may stop the run.
pub trait Progress {
    /// Called now and then; `Break` cancels the run with [`PlaceError::Cancelled`].
    fn event(&mut self, event: &Event) -> ControlFlow<()>;
}

/// Hears nothing and never stops.
impl Progress for () {
    fn event(&mut self, _: &Event) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&Event) -> ControlFlow<()>> Progress for F {
    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        self(event)
    }
}

pub(crate) fn tell(progress: &mut dyn Progress, event: Event) -> Result<(), PlaceError> {
    match progress.event(&event) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(PlaceError::Cancelled),
    }
}

/// Why a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// It reached its goal.
    Done,
    /// Nothing to do.
    Nothing,
    /// Neither wire length nor overflow got better any more.
    Plateau,
    /// It began to diverge and went back to its best state.
    Diverged,
    /// The iteration limit.
    Iterations,
    /// The work-unit limit.
    WorkUnits,
    /// The wall-time limit.
    WallTime,
}

/// What a stage did.
#[derive(Clone, Debug, PartialEq)]
pub struct StageReport {
    /// Which stage.
    pub stage: Stage,
    /// Half-perimeter wire length of all routed nets after it, DBU (exact after legalisation).
    pub hpwl: i64,
    /// Density overflow at its end (global placement), else 0.
    pub overflow: f64,
    /// Iterations or passes.
    pub iterations: u32,
    /// Sum of the moves |dx| + |dy| of all cells, DBU.
    pub displacement: i64,
    /// Longest move, DBU.
    pub max_displacement: i64,
    /// Wall time.
    pub wall: Duration,
    /// Work units.
    pub work_units: u64,
    /// Why it ended.
    pub stop: StopReason,
}

/// Something worth knowing that was no error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Ports without location were left out of wire length.
    UnplacedPorts(usize),
    /// Cells without outline (no LEF) were left alone.
    NoOutline(usize),
    /// Unplaced cells that no stage may place (pads, or outside `only`) were left out.
    LeftUnplaced(usize),
    /// Fixed cells or blockages overlap; their union counts.
    FixedOverlap(usize),
    /// The target density was raised, in per mille.
    DensityRaised {
        /// What was asked for.
        from: u32,
        /// What was used.
        to: u32,
    },
    /// Gaps of one site stay where no filler of the library is that narrow: their stretches of row
    /// have one free site.
    NarrowGaps(usize),
    /// A cell names a region that does not exist.
    UnknownRegion(CellId),
}

/// The report of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Cells that were placed.
    pub cells: usize,
    /// Area of those cells over free area.
    pub utilisation: f64,
    /// Target density used by global placement, 0 when it did not run.
    pub density: f64,
    /// The stages in order.
    pub stages: Vec<StageReport>,
    /// Notes.
    pub notes: Vec<Note>,
}

/// What a run gives back.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceResult {
    /// Moves from the design's present state, ascending by cell; cells that stay are left out.
    pub delta: Delta,
    /// What was done.
    pub report: Report,
}

/// Counts work and watches the limits of a run.
#[derive(Debug)]
pub(crate) struct Meter {
    start: Instant,
    pub(crate) work: u64,
    limits: crate::config::Limits,
}

impl Meter {
    pub(crate) fn new(limits: crate::config::Limits) -> Self {
        Meter { start: Instant::now(), work: 0, limits }
    }
    pub(crate) fn add(&mut self, units: u64) {
        self.work = self.work.saturating_add(units);
    }
    pub(crate) fn iterations(&self) -> u32 {
        self.limits.iterations.unwrap_or(u32::MAX)
    }
    /// The limit that is reached, if any.
    pub(crate) fn over(&self) -> Option<StopReason> {
        if self.limits.work_units.is_some_and(|most| self.work >= most) {
            return Some(StopReason::WorkUnits);
        }
        if self.limits.wall.is_some_and(|most| self.start.elapsed() >= most) {
            return Some(StopReason::WallTime);
        }
        None
    }
}
