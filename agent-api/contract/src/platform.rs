//! What serves tools: [`View`] is what an agent sees, [`Platform`] is all of it.
//!
//! An agent gets a `&mut dyn View`. It can read and try, never commit: what becomes `main` is
//! decided by the judge. Both traits are object-safe and speak only this crate's types, so that the
//! same agent runs in process, behind stdio or behind MCP.

use crate::budget::{CostBudget, Effort};
use crate::capability::ToolCapability;
use crate::certificate::Certificate;
use crate::delta::{DesignDelta, TimingMode};
use crate::gate::GateJudgment;
use crate::geometry::{Position, Rect};
use crate::metric::MetricValue;
use crate::negotiate::Provided;
use crate::number::{FiniteOpt, Int53};
use crate::proposal::Proposal;
use crate::refs::{DesignRef, DirtySetRef, ObjectRef, SnapshotRef};
use crate::result::TimingPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why the platform did not answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum PlatformError {
    /// No such object, snapshot, master or tool.
    #[error("not found: {0}")]
    NotFound(String),
    /// The snapshot is not the one that the platform works on.
    #[error("stale: {0}")]
    Stale(String),
    /// The input does not fit.
    #[error("invalid input: {0}")]
    Invalid(String),
    /// The budget is used up.
    #[error("budget exceeded: {0}")]
    Budget(String),
    /// The platform has no such tool, or not for this design.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// The platform's own fault.
    #[error("internal: {0}")]
    Internal(String),
}

/// What a design is, at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DesignInfo {
    /// The design.
    pub design_ref: DesignRef,
    /// Root of the snapshot that is shown.
    pub snapshot: SnapshotRef,
    /// DBU per µm.
    pub dbu_per_um: u32,
    /// Die, DBU.
    pub die: Rect,
    /// Core: the box around the rows, DBU.
    pub core: Rect,
    /// Instances; their ids are what [`View::cells`] lists.
    pub cells: u64,
    /// Nets.
    pub nets: u64,
    /// Pins of instances and ports.
    pub pins: u64,
}

/// One placement row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RowInfo {
    /// Site name.
    pub site: String,
    /// Left edge, bottom edge and orientation of the row.
    pub origin: Position,
    /// Sites in the row.
    pub sites: u32,
    /// Distance between sites, DBU.
    #[serde(with = "Int53")]
    pub step: i64,
    /// Height, DBU.
    #[serde(with = "Int53")]
    pub height: i64,
}

/// One instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CellInfo {
    /// Stable id.
    pub id: ObjectRef,
    /// Hierarchical name.
    pub name: String,
    /// Master.
    pub master: String,
    /// Where it stands; absent when it is not placed.
    pub position: Option<Position>,
    /// Width as placed, DBU.
    #[serde(with = "Int53")]
    pub width: i64,
    /// Height as placed, DBU.
    #[serde(with = "Int53")]
    pub height: i64,
    /// True when an agent may move it.
    pub movable: bool,
    /// True when an agent may resize it.
    pub resizable: bool,
    /// The nets on its pins, in pin order, each once.
    pub nets: Vec<ObjectRef>,
}

/// One net.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NetInfo {
    /// Stable id.
    pub id: ObjectRef,
    /// Name.
    pub name: String,
    /// Its pins and ports, driver first when there is one.
    pub pins: Vec<NetPin>,
    /// True for a clock net.
    pub clock: bool,
}

/// One end of a net.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NetPin {
    /// The pin or port.
    pub pin: ObjectRef,
    /// Its instance; absent for a port.
    pub cell: Option<ObjectRef>,
    /// True for the driver.
    pub driver: bool,
    /// Where the pin is, DBU; absent when its instance is not placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<(i64, i64)>,
}

/// One master of a library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MasterInfo {
    /// Name.
    pub name: String,
    /// Width in orientation N, DBU.
    #[serde(with = "Int53")]
    pub width: i64,
    /// Height in orientation N, DBU.
    #[serde(with = "Int53")]
    pub height: i64,
    /// Area, µm²; absent when the library does not say.
    #[serde(with = "FiniteOpt")]
    pub area: Option<f64>,
    /// Leakage, nW; absent when the library does not say.
    #[serde(with = "FiniteOpt")]
    pub leakage: Option<f64>,
}

/// What a delta would touch, derived only from the parent snapshot and the delta.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirtySet {
    /// Its reference.
    pub dirty_ref: DirtySetRef,
    /// Instances.
    pub cells: Vec<ObjectRef>,
    /// Nets.
    pub nets: Vec<ObjectRef>,
    /// Pins.
    pub pins: Vec<ObjectRef>,
    /// Pins at which timing has to be looked at again.
    pub timing_seeds: Vec<ObjectRef>,
    /// Touched regions, DBU.
    pub regions: Vec<Rect>,
}

/// What trying a delta showed. Nothing of it was kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// Metrics on the child.
    pub metrics: Vec<MetricValue>,
    /// What the gates say, as far as the effort looked.
    pub judgment: GateJudgment,
    /// What it cost.
    pub consumed: CostBudget,
}

impl Evaluation {
    /// The value of a metric, without a corner or in the first corner listed.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|m| m.metric == name).map(|m| m.value)
    }
}

/// What committing a proposal did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Committed {
    /// The child snapshot's root.
    pub child: SnapshotRef,
    /// True when the child is now the head of the branch.
    pub advanced: bool,
    /// What the judge signed.
    pub certificate: Certificate,
    /// What was done, with the objects that the platform named.
    pub delta: DesignDelta,
    /// What it cost.
    pub consumed: CostBudget,
}

/// What an agent sees of a design and may try on it.
///
/// Everything is about one snapshot, [`View::head`], until the platform commits a child.
pub trait View {
    /// Root of the snapshot that is shown; the parent that a proposal must name.
    fn head(&self) -> SnapshotRef;

    /// The design at a glance.
    fn design(&self) -> DesignInfo;

    /// The rows, from bottom to top.
    ///
    /// # Errors
    /// [`PlatformError`].
    fn rows(&self) -> Result<Vec<RowInfo>, PlatformError>;

    /// Up to `count` instances in the order of their ids, from the `first`-th on.
    ///
    /// # Errors
    /// [`PlatformError`].
    fn cells(&self, first: u64, count: u64) -> Result<Vec<CellInfo>, PlatformError>;

    /// One instance.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`] when there is none of that id or name.
    fn cell(&self, cell: &ObjectRef) -> Result<CellInfo, PlatformError>;

    /// One net.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`] when there is none of that id or name.
    fn net(&self, net: &ObjectRef) -> Result<NetInfo, PlatformError>;

    /// The masters that `master` may be exchanged for, itself included, weakest drive first.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`] when there is no such master.
    fn variants(&self, master: &str) -> Result<Vec<MasterInfo>, PlatformError>;

    /// The metrics of the head.
    ///
    /// # Errors
    /// [`PlatformError`].
    fn metrics(&mut self) -> Result<Vec<MetricValue>, PlatformError>;

    /// The `count` worst paths.
    ///
    /// # Errors
    /// [`PlatformError::Unsupported`] when the design has no timing.
    fn worst_paths(
        &mut self,
        mode: TimingMode,
        count: u32,
    ) -> Result<Vec<TimingPath>, PlatformError>;

    /// Worst slack over the pins of each instance, ns, in the order asked; absent for an
    /// unconstrained one.
    ///
    /// # Errors
    /// [`PlatformError::Unsupported`] when the design has no timing.
    fn slacks(
        &mut self,
        mode: TimingMode,
        cells: &[ObjectRef],
    ) -> Result<Vec<Option<f64>>, PlatformError>;

    /// Worst slack of each pin or port, ns, in the order asked; absent for an unconstrained one.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`], [`PlatformError::Unsupported`] when the design has no timing.
    fn pin_slacks(
        &mut self,
        mode: TimingMode,
        pins: &[ObjectRef],
    ) -> Result<Vec<Option<f64>>, PlatformError>;

    /// The `count` worst paths through a pin or port, one by one: those that merge there and part
    /// again count as many. Over all corners.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`], [`PlatformError::Unsupported`] when the design has no timing.
    fn paths_through(
        &mut self,
        mode: TimingMode,
        pin: &ObjectRef,
        count: u32,
    ) -> Result<Vec<TimingPath>, PlatformError>;

    /// What a delta would touch.
    ///
    /// # Errors
    /// [`PlatformError::Invalid`] when the delta does not apply to the head.
    fn preview(&self, delta: &DesignDelta) -> Result<DirtySet, PlatformError>;

    /// Tries a delta on the head and takes it back.
    ///
    /// # Errors
    /// [`PlatformError::Invalid`] when the delta does not apply to the head,
    /// [`PlatformError::Budget`] when the budget is used up.
    fn evaluate(
        &mut self,
        delta: &DesignDelta,
        effort: Effort,
    ) -> Result<Evaluation, PlatformError>;

    /// What is left of the run's budget.
    fn remaining(&self) -> CostBudget;
}

/// Everything that serves tools.
pub trait Platform: View {
    /// What each tool declares of itself.
    fn capabilities(&self) -> Vec<ToolCapability>;

    /// Version and contract digest of each tool, for [`crate::negotiate::negotiate`].
    fn provided(&self) -> Vec<Provided>;

    /// The root that a reference names.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`] when there is no such snapshot or branch.
    fn resolve(&self, snapshot: &SnapshotRef) -> Result<SnapshotRef, PlatformError>;

    /// Judges a whole proposal on its parent and keeps nothing.
    ///
    /// # Errors
    /// [`PlatformError`]; a proposal that a gate rejects is an answer, not an error.
    fn judge(&mut self, proposal: &Proposal, effort: Effort) -> Result<Evaluation, PlatformError>;

    /// Judges a whole proposal and, when it passes, makes, signs and records the child.
    ///
    /// # Errors
    /// [`PlatformError::Invalid`] with the first gate that did not pass, else as above.
    fn commit(&mut self, proposal: &Proposal) -> Result<Committed, PlatformError>;

    /// Shows another snapshot from now on.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`] when there is no such snapshot or branch.
    fn checkout(&mut self, snapshot: &SnapshotRef) -> Result<(), PlatformError>;
}
