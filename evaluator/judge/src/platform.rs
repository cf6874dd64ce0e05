//! What an agent sees of a judge: the contract's [`View`] over the head of a run, with the budget
//! counted.

use std::time::{Duration, Instant};

use cellwright_contract::budget::{CostBudget, Effort};
use cellwright_contract::delta::{DesignDelta, TimingMode};
use cellwright_contract::metric::MetricValue;
use cellwright_contract::platform::{
    CellInfo, DesignInfo, DirtySet, Evaluation, MasterInfo, NetInfo, NetPin, PlatformError,
    RowInfo, View,
};
use cellwright_contract::refs::{DesignRef, ObjectRef, SnapshotRef};
use cellwright_contract::result::TimingPath;
use cellwright_db::library::MasterClass;
use cellwright_db::{CellId, Design, MasterId, Owner};

use crate::judge::Judge;
use crate::translate::{
    self, TranslateError, cell_ref, net_ref, orient_out, pin_ref, position, rect_out,
};

/// A judge with a budget, as an agent sees it.
#[derive(Debug)]
pub struct Host {
    judge: Judge,
    design_ref: DesignRef,
    budget: CostBudget,
    spent: CostBudget,
    started: Instant,
    /// Living cells in id order, for paging.
    cells: Vec<CellId>,
}

impl Host {
    /// Shows a judge, with what the run may cost from now on.
    pub fn new(judge: Judge, design_ref: DesignRef, budget: CostBudget) -> Host {
        let cells = judge.design().cells().collect();
        Host {
            judge,
            design_ref,
            budget,
            spent: CostBudget::default(),
            started: Instant::now(),
            cells,
        }
    }
    /// The judge.
    pub fn judge(&self) -> &Judge {
        &self.judge
    }
    /// The judge, to be used.
    pub fn judge_mut(&mut self) -> &mut Judge {
        &mut self.judge
    }
    /// The judge, given back.
    pub fn into_judge(self) -> Judge {
        self.judge
    }
    /// After a commit: looks at the head anew.
    pub fn refresh(&mut self) {
        self.cells = self.judge.design().cells().collect();
    }
    /// What the run has cost so far, wall time left out: the same on every machine.
    pub fn spent(&self) -> CostBudget {
        self.spent
    }
    /// Adds to what the run has cost.
    pub fn charge(&mut self, cost: &CostBudget) {
        self.spent = self.spent.plus(cost);
    }
    /// Wall time since the run began.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
    /// Which part of the budget is used up, if any is.
    pub fn exhausted(&self) -> Option<cellwright_contract::budget::CostKind> {
        let wall = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.budget.used_up_by(&CostBudget { wall_ms: Some(wall), ..self.spent })
    }

    fn cell_info(&self, cell: CellId) -> CellInfo {
        let design = self.judge.design();
        let master = design.master(cell);
        let place = design.place(cell);
        let (width, height) = place.orient.size(master.width, master.height);
        let mut nets: Vec<ObjectRef> = Vec::new();
        for net in design.cell_pins(cell).filter_map(|pin| design.pin_net(pin)) {
            let reference = net_ref(net);
            if design.net(net).kind.is_routed() && !nets.contains(&reference) {
                nets.push(reference);
            }
        }
        let record = design.cell(cell);
        let resizable = !record.dont_touch
            && !place.is_fixed()
            && self.usable(design.master_id(cell)).len() > 1;
        CellInfo {
            id: cell_ref(cell),
            name: design.cell_name(cell).to_owned(),
            master: master.name.clone(),
            position: place.is_placed().then(|| position(place)),
            width: i64::from(width),
            height: i64::from(height),
            movable: !record.dont_touch && !place.is_fixed() && master.class != MasterClass::Block,
            resizable,
            nets,
        }
    }

    /// Variants of a master that optimisation may use, weakest drive (least area) first.
    fn usable(&self, master: MasterId) -> Vec<MasterId> {
        let library = self.judge.design().library();
        let usable = |id: &MasterId| {
            *id == master
                || (library.masters[*id].has_geometry
                    && library.logic(*id).is_some_and(|cell| !cell.dont_use && !cell.dont_touch))
        };
        let mut list: Vec<MasterId> =
            library.alternatives(master).iter().copied().filter(usable).collect();
        list.sort_by_key(|id| (library.masters[*id].area(), *id));
        list
    }

    fn timer(&self) -> Result<&crate::timing::Timing, PlatformError> {
        let timing = self.judge.engines().timing();
        timing.ok_or_else(|| PlatformError::Unsupported("the design has no timing".to_owned()))
    }
}

fn not_found(error: TranslateError) -> PlatformError {
    PlatformError::NotFound(error.to_string())
}

impl View for Host {
    fn head(&self) -> SnapshotRef {
        SnapshotRef::Root(self.judge.head().0)
    }

    fn design(&self) -> DesignInfo {
        let design = self.judge.design();
        DesignInfo {
            design_ref: self.design_ref.clone(),
            snapshot: self.head(),
            dbu_per_um: u32::try_from(design.tech().dbu_per_micron).unwrap_or(0),
            die: rect_out(design.floorplan().die),
            core: rect_out(design.core()),
            cells: self.cells.len() as u64,
            nets: design.nets().count() as u64,
            pins: self.cells.iter().map(|cell| design.cell_pins(*cell).len() as u64).sum::<u64>()
                + design.ports().len() as u64,
        }
    }

    fn rows(&self) -> Result<Vec<RowInfo>, PlatformError> {
        let design = self.judge.design();
        let rows = design.floorplan().rows.iter().map(|row| {
            let site = &design.tech().sites[row.site];
            RowInfo {
                site: site.name.clone(),
                origin: cellwright_contract::geometry::Position {
                    x: i64::from(row.origin.x),
                    y: i64::from(row.origin.y),
                    orient: orient_out(row.orient),
                },
                sites: u32::try_from(row.count).unwrap_or(0),
                step: i64::from(row.step),
                height: i64::from(site.height),
            }
        });
        Ok(rows.collect())
    }

    fn cells(&self, first: u64, count: u64) -> Result<Vec<CellInfo>, PlatformError> {
        let first = usize::try_from(first).unwrap_or(usize::MAX).min(self.cells.len());
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let end = first.saturating_add(count).min(self.cells.len());
        Ok(self.cells[first..end].iter().map(|cell| self.cell_info(*cell)).collect())
    }

    fn cell(&self, cell: &ObjectRef) -> Result<CellInfo, PlatformError> {
        let cell = translate::cell(self.judge.design(), cell).map_err(not_found)?;
        Ok(self.cell_info(cell))
    }

    fn net(&self, net: &ObjectRef) -> Result<NetInfo, PlatformError> {
        let design = self.judge.design();
        let net = translate::net(design, net).map_err(not_found)?;
        let driver = design.driver(net);
        let end = |pin: cellwright_db::PinId| {
            let (cell, placed) = match design.owner(pin) {
                Owner::Cell(cell, _) => (Some(cell_ref(cell)), design.place(cell).is_placed()),
                Owner::Port(_) => (None, true),
            };
            let at = design.pin_location(pin).filter(|_| placed);
            NetPin {
                pin: pin_ref(design, pin),
                cell,
                driver: driver == Some(pin),
                at: at.map(|point| (i64::from(point.x), i64::from(point.y))),
            }
        };
        let others = design.net_pins(net).iter().copied().filter(|pin| driver != Some(*pin));
        Ok(NetInfo {
            id: net_ref(net),
            name: design.net_name(net).to_owned(),
            pins: driver.into_iter().chain(others).map(end).collect(),
            clock: design.net(net).kind == cellwright_db::records::NetKind::Clock,
        })
    }

    fn variants(&self, master: &str) -> Result<Vec<MasterInfo>, PlatformError> {
        let design = self.judge.design();
        let id = translate::master(design, master).map_err(not_found)?;
        let library = design.library();
        let info = |id: &MasterId| {
            let master = &library.masters[*id];
            let logic = library.logic(*id);
            MasterInfo {
                name: master.name.clone(),
                width: i64::from(master.width),
                height: i64::from(master.height),
                area: Some(design.tech().square_microns(master.area())),
                // mW to nW.
                leakage: logic.and_then(|cell| cell.leakage).map(|mw| mw * 1e6),
            }
        };
        Ok(self.usable(id).iter().map(info).collect())
    }

    fn metrics(&mut self) -> Result<Vec<MetricValue>, PlatformError> {
        Ok(self.judge.head_metrics().to_vec())
    }

    fn worst_paths(
        &mut self,
        mode: TimingMode,
        count: u32,
    ) -> Result<Vec<TimingPath>, PlatformError> {
        let design = self.judge.design();
        Ok(self.timer()?.worst_paths(design, mode, count as usize))
    }

    fn slacks(
        &mut self,
        mode: TimingMode,
        cells: &[ObjectRef],
    ) -> Result<Vec<Option<f64>>, PlatformError> {
        let settled = self.judge.settle();
        settled.map_err(|error| PlatformError::Internal(error.to_string()))?;
        let design = self.judge.design();
        let timing = self.timer()?;
        let slack = |reference: &ObjectRef| {
            let cell = translate::cell(design, reference).map_err(not_found)?;
            let slacks = design.cell_pins(cell).filter_map(|pin| timing.slack(pin, mode));
            Ok(slacks.reduce(f64::min))
        };
        cells.iter().map(slack).collect()
    }

    fn pin_slacks(
        &mut self,
        mode: TimingMode,
        pins: &[ObjectRef],
    ) -> Result<Vec<Option<f64>>, PlatformError> {
        let settled = self.judge.settle();
        settled.map_err(|error| PlatformError::Internal(error.to_string()))?;
        let design = self.judge.design();
        let timing = self.timer()?;
        let slack = |reference: &ObjectRef| {
            let pin = translate::pin(design, reference).map_err(not_found)?;
            Ok(timing.slack(pin, mode).filter(|slack| slack.is_finite()))
        };
        pins.iter().map(slack).collect()
    }

    fn paths_through(
        &mut self,
        mode: TimingMode,
        pin: &ObjectRef,
        count: u32,
    ) -> Result<Vec<TimingPath>, PlatformError> {
        let settled = self.judge.settle();
        settled.map_err(|error| PlatformError::Internal(error.to_string()))?;
        let design = self.judge.design();
        let pin = translate::pin(design, pin).map_err(not_found)?;
        Ok(self.timer()?.paths_through(design, mode, pin, count as usize))
    }

    fn preview(&self, delta: &DesignDelta) -> Result<DirtySet, PlatformError> {
        let (dirty, child) =
            self.judge.preview(delta).map_err(|error| PlatformError::Invalid(error.to_string()))?;
        let child: &Design = &child;
        Ok(translate::dirty_out(child, &dirty))
    }

    fn evaluate(
        &mut self,
        delta: &DesignDelta,
        effort: Effort,
    ) -> Result<Evaluation, PlatformError> {
        if let Some(kind) = self.exhausted() {
            return Err(PlatformError::Budget(format!("{kind:?} is used up")));
        }
        let tried = self.judge.try_delta(delta, effort);
        let tried = tried.map_err(|error| PlatformError::Internal(error.to_string()))?;
        let judged = tried.map_err(|error| PlatformError::Invalid(error.to_string()))?;
        self.charge(&judged.consumed);
        Ok(Evaluation {
            metrics: judged.metrics,
            judgment: judged.judgment,
            consumed: judged.consumed,
        })
    }

    fn remaining(&self) -> CostBudget {
        let wall = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.budget.minus(&CostBudget { wall_ms: Some(wall), ..self.spent })
    }
}
