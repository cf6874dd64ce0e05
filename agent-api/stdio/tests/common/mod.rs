//! A view of four cells in a row, for tests of the door alone.

#![allow(clippy::unwrap_used, dead_code, missing_docs, unreachable_pub)]

use cellwright_contract::budget::{CostBudget, Effort};
use cellwright_contract::delta::{DesignDelta, TimingMode};
use cellwright_contract::gate::GateJudgment;
use cellwright_contract::geometry::{Orient, Position, Rect};
use cellwright_contract::metric::MetricValue;
use cellwright_contract::platform::{
    CellInfo, DesignInfo, DirtySet, Evaluation, MasterInfo, NetInfo, PlatformError, RowInfo, View,
};
use cellwright_contract::refs::{DirtySetRef, ObjectKind, ObjectRef, SnapshotRef};
use cellwright_contract::result::TimingPath;
use cellwright_contract::scenario::Scenario;

#[derive(Default)]
pub struct Tiny {
    pub evaluations: u64,
}

pub fn scenario() -> Scenario {
    serde_json::from_value(serde_json::json!({
        "schema": "cellwright-scenario/1", "name": "tiny", "design": "tiny@none",
        "intent": "intent:ppa", "objectives": [{"metric": "hpwl"}], "seeds": [1],
        "agent": {"name": "command"},
    }))
    .unwrap()
}

fn cell(id: u64) -> CellInfo {
    CellInfo {
        id: ObjectRef::instance(id),
        name: format!("u{id}"),
        master: "INV".to_owned(),
        position: Some(Position { x: id as i64 * 100, y: 0, orient: Orient::N }),
        width: 100,
        height: 200,
        movable: true,
        resizable: false,
        nets: vec![ObjectRef::net(0)],
    }
}

impl View for Tiny {
    fn head(&self) -> SnapshotRef {
        SnapshotRef::Root([7; 32])
    }
    fn design(&self) -> DesignInfo {
        let box_ = Rect { x0: 0, y0: 0, x1: 1000, y1: 200 };
        DesignInfo {
            design_ref: "tiny@none".parse().unwrap(),
            snapshot: self.head(),
            dbu_per_um: 1000,
            die: box_,
            core: box_,
            cells: 4,
            nets: 1,
            pins: 8,
        }
    }
    fn rows(&self) -> Result<Vec<RowInfo>, PlatformError> {
        Ok(Vec::new())
    }
    fn cells(&self, first: u64, count: u64) -> Result<Vec<CellInfo>, PlatformError> {
        Ok((first.min(4)..first.saturating_add(count).min(4)).map(cell).collect())
    }
    fn cell(&self, reference: &ObjectRef) -> Result<CellInfo, PlatformError> {
        match reference.id_of(ObjectKind::Instance) {
            Some(id) if id < 4 => Ok(cell(id)),
            _ => Err(PlatformError::NotFound(format!("no instance {reference}"))),
        }
    }
    fn net(&self, net: &ObjectRef) -> Result<NetInfo, PlatformError> {
        Err(PlatformError::NotFound(format!("no net {net}")))
    }
    fn variants(&self, _: &str) -> Result<Vec<MasterInfo>, PlatformError> {
        Ok(Vec::new())
    }
    fn metrics(&mut self) -> Result<Vec<MetricValue>, PlatformError> {
        Ok(Vec::new())
    }
    fn worst_paths(&mut self, _: TimingMode, _: u32) -> Result<Vec<TimingPath>, PlatformError> {
        Err(PlatformError::Unsupported("no timing".to_owned()))
    }
    fn slacks(
        &mut self,
        _: TimingMode,
        _: &[ObjectRef],
    ) -> Result<Vec<Option<f64>>, PlatformError> {
        Err(PlatformError::Unsupported("no timing".to_owned()))
    }
    fn pin_slacks(
        &mut self,
        _: TimingMode,
        _: &[ObjectRef],
    ) -> Result<Vec<Option<f64>>, PlatformError> {
        Err(PlatformError::Unsupported("no timing".to_owned()))
    }
    fn paths_through(
        &mut self,
        _: TimingMode,
        _: &ObjectRef,
        _: u32,
    ) -> Result<Vec<TimingPath>, PlatformError> {
        Err(PlatformError::Unsupported("no timing".to_owned()))
    }
    fn preview(&self, _: &DesignDelta) -> Result<DirtySet, PlatformError> {
        Ok(DirtySet {
            dirty_ref: DirtySetRef([0; 32]),
            cells: Vec::new(),
            nets: Vec::new(),
            pins: Vec::new(),
            timing_seeds: Vec::new(),
            regions: Vec::new(),
        })
    }
    fn evaluate(&mut self, _: &DesignDelta, _: Effort) -> Result<Evaluation, PlatformError> {
        self.evaluations += 1;
        Ok(Evaluation {
            metrics: Vec::new(),
            judgment: GateJudgment::of(Vec::new()),
            consumed: CostBudget { evaluations: Some(1), ..Default::default() },
        })
    }
    fn remaining(&self) -> CostBudget {
        CostBudget::default()
    }
}
