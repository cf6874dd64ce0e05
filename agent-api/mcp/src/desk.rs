//! What this door needs of the house: designs to open, and engines beside a run.
//!
//! The judge's own engines answer through the contract's
//! [`View`](cellwright_contract::platform::View). A [`Bench`] is for what the view does not give:
//! placement, earlier snapshots, pictures, certificates. It works on copies, so that it never gets
//! in the way of the loop.

use std::collections::BTreeMap;
use std::sync::Arc;

use cellwright_contract::budget::CostBudget;
use cellwright_contract::delta::{DesignDelta, TimingMode};
use cellwright_contract::geometry::Rect;
use cellwright_contract::metric::MetricValue;
use cellwright_contract::platform::PlatformError;
use cellwright_contract::proposal::Proposal;
use cellwright_contract::rank::ParetoRank;
use cellwright_contract::refs::SnapshotRef;
use cellwright_contract::request::PlaceParams;
use cellwright_contract::result::TimingPath;
use cellwright_contract::scenario::{Objective, Scenario};

use crate::seat::{Chair, Judged};
use crate::ticket::Ticket;

/// What a run is opened with.
#[derive(Debug, Clone, Default)]
pub struct Opening {
    /// Name of a design that the desk knows.
    pub design: String,
    /// What counts; the standard objectives when empty.
    pub objectives: Vec<Objective>,
    /// What the run may cost.
    pub budget: CostBudget,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether to place first; when absent, exactly when a cell has no place.
    pub place: Option<bool>,
    /// Target density of that placement.
    pub density: Option<f64>,
}

/// An opened run.
pub struct Opened {
    /// Gives orders at the loop.
    pub chair: Chair,
    /// Engines beside it.
    pub bench: Arc<dyn Bench>,
    /// Its scenario.
    pub scenario: Scenario,
    /// What is only estimated or missing, in words.
    pub notes: Vec<String>,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened").field("scenario", &self.scenario.name).finish_non_exhaustive()
    }
}

/// Opens runs.
pub trait Desk: Send + Sync {
    /// Names of the designs that can be opened, in order.
    fn designs(&self) -> Vec<String>;

    /// Opens a run: reads the design, places it if asked, and takes a seat at the loop.
    ///
    /// # Errors
    /// [`PlatformError`] with what to do.
    fn open(&self, opening: &Opening, ticket: &Ticket) -> Result<Opened, PlatformError>;

    /// A baseline agent by name.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`] with the names that there are.
    fn agent(
        &self,
        name: &str,
    ) -> Result<Box<dyn cellwright_contract::agent::Agent + Send>, PlatformError>;
}

/// A snapshot of a run's history.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Its root.
    pub root: SnapshotRef,
    /// The proposal that made it; absent for the first.
    pub proposal: Option<String>,
    /// The certificate that was signed for it.
    pub certificate: Option<String>,
}

/// A candidate of the run's archive.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The proposal.
    pub id: String,
    /// Where it stands among all candidates so far.
    pub rank: ParetoRank,
    /// Distance to the best so far.
    pub regret: f64,
    /// Objective values, in the scenario's order.
    pub values: Vec<f64>,
}

/// What a picture shows of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Outline, DBU.
    pub at: Rect,
    /// What it is.
    pub kind: ShapeKind,
    /// Worst setup slack over its pins, ns; absent when it has none.
    pub slack: Option<f64>,
}

/// What a shape is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeKind {
    /// A row.
    Row,
    /// An area kept free.
    Blockage,
    /// A combinational cell.
    Logic,
    /// A cell that holds state.
    Register,
    /// A macro or pad.
    Macro,
    /// A cell without logic.
    Filler,
    /// A port.
    Port,
}

/// What there is to draw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// The die, DBU.
    pub die: Option<Rect>,
    /// Shapes, in drawing order.
    pub shapes: Vec<Shape>,
}

/// How a closed run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Closing {
    /// Its run directory.
    pub folder: String,
    /// Proposals judged.
    pub proposals: u64,
    /// Of which accepted.
    pub accepted: u64,
    /// Status of its verdict.
    pub status: String,
    /// Negative controls: mutants and how many were rejected.
    pub mutants: (u64, u64),
}

/// Engines beside a run. Snapshots are counted from 0, the one that the run began with.
pub trait Bench: Send + Sync {
    /// The snapshots so far.
    fn states(&self) -> Vec<State>;

    /// Follows a judgment of the loop.
    fn follow(&self, proposal: &Proposal, judged: &Judged);

    /// Metrics of a snapshot.
    ///
    /// # Errors
    /// [`PlatformError`].
    fn measure(&self, state: usize) -> Result<Vec<MetricValue>, PlatformError>;

    /// Worst paths of a snapshot.
    ///
    /// # Errors
    /// [`PlatformError::Unsupported`] when the design has no timing.
    fn paths(
        &self,
        state: usize,
        mode: TimingMode,
        count: u32,
    ) -> Result<Vec<TimingPath>, PlatformError>;

    /// Places a snapshot from scratch; gives the moves.
    ///
    /// # Errors
    /// [`PlatformError`]; [`PlatformError::Budget`] when the ticket was cancelled.
    fn place(
        &self,
        state: usize,
        params: &PlaceParams,
        ticket: &Ticket,
    ) -> Result<DesignDelta, PlatformError>;

    /// Makes a snapshot with a change on it legal; gives the change that does it all.
    ///
    /// # Errors
    /// As [`Bench::place`].
    fn legalize(
        &self,
        state: usize,
        change: &DesignDelta,
        ticket: &Ticket,
    ) -> Result<DesignDelta, PlatformError>;

    /// What a picture of a snapshot shows.
    ///
    /// # Errors
    /// [`PlatformError`].
    fn scene(&self, state: usize, slack: bool) -> Result<Scene, PlatformError>;

    /// The archive so far, best first.
    ///
    /// # Errors
    /// [`PlatformError`].
    fn candidates(&self) -> Result<Vec<Candidate>, PlatformError>;

    /// The signed text of a certificate.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`].
    fn certificate(&self, id: &str) -> Result<String, PlatformError>;

    /// The journal so far.
    ///
    /// # Errors
    /// [`PlatformError`].
    fn journal(&self) -> Result<String, PlatformError>;

    /// Where the run directory is.
    fn folder(&self) -> String;

    /// BLAKE3 of each file that was read.
    fn files(&self) -> BTreeMap<String, [u8; 32]>;

    /// Waits for the end of the run, after the chair left.
    ///
    /// # Errors
    /// [`PlatformError`] when the run could not go on.
    fn close(&self) -> Result<Closing, PlatformError>;
}
