//! Working state: a flat design with its engines, tried and taken back exactly.

use std::collections::BTreeMap;

use cellwright_db::{
    CellId, Design, DirtySet, Mark, MasterId, Op, Orient, Place, PlaceStatus, SiteId, Snapshot,
};
use cellwright_judge::engines::{EngineConfig, Engines};
use cellwright_judge::timing::Timing;
use cellwright_sta::Side;
use pyo3::prelude::*;

use crate::costs::{Cost, Slacks};
use crate::fault::{Fault, Outcome};
use crate::session::untimed;

/// A move as Python names it: the orientation of the row that begins at `y` unless one is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) cell: i32,
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) orient: Option<Orient>,
}

/// A resize as Python names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resize {
    pub(crate) cell: i32,
    pub(crate) master: i32,
}

/// How much of a change is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Wire length alone.
    Wire,
    /// Wire length, density and legality.
    Measures,
    /// Also timing.
    Timing,
}

#[derive(Clone, Copy, Debug)]
struct Before {
    hpwl: i64,
    overflow: (i128, i128),
    violations: i64,
}

/// A design with the engines that follow it.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) design: Design,
    pub(crate) engines: Engines,
    pub(crate) config: EngineConfig,
    rows: BTreeMap<(SiteId, i32), Orient>,
    dirty: DirtySet,
    /// Where each change that is not committed began.
    marks: Vec<Mark>,
}

/// How many changes are tried between two looks at Python's signals.
const BREATH: usize = 4096;

impl Work {
    pub(crate) fn new(snapshot: &Snapshot, config: EngineConfig) -> Outcome<Work> {
        Work::of(Design::new(snapshot), config)
    }

    fn of(design: Design, config: EngineConfig) -> Outcome<Work> {
        let engines = Engines::full(&design, &config)?;
        let rows = design.floorplan().rows.iter();
        let rows = rows.map(|row| ((row.site, row.origin.y), row.orient)).collect();
        let dirty = DirtySet::empty(design.stamp());
        Ok(Work { design, engines, config, rows, dirty, marks: Vec::new() })
    }

    /// The same state once more, changes that are not committed included.
    pub(crate) fn fork(&self) -> Outcome<Work> {
        // Engines of the fork begin here; what lies before cannot be undone step by step in them.
        Work::of(self.design.clone(), self.config.clone())
    }

    pub(crate) fn timed(&self) -> bool {
        self.engines.timing().is_some()
    }

    pub(crate) fn depth(&self) -> usize {
        self.marks.len()
    }

    /// A living cell by its number.
    pub(crate) fn cell(&self, number: i32) -> Outcome<CellId> {
        let cell = u32::try_from(number).ok().map(CellId);
        cell.filter(|cell| self.design.has_cell(*cell)).ok_or_else(|| {
            let text = format!("i:{number} does not exist; cells are numbered from 0");
            Fault::delta("missing", text)
        })
    }

    /// A cell that may be changed.
    fn free(&self, number: i32) -> Outcome<CellId> {
        let cell = self.cell(number)?;
        if self.design.place(cell).is_fixed() || self.design.cell(cell).dont_touch {
            let name = self.design.cell_name(cell);
            let text = format!("i:{number} (`{name}`) is fixed or must not be touched");
            return Err(Fault::delta("untouchable", text));
        }
        Ok(cell)
    }

    fn target(&self, change: &Move) -> Outcome<(CellId, Place, Place)> {
        let cell = self.free(change.cell)?;
        let from = self.design.place(cell);
        let site = self.design.master(cell).site;
        let row = || site.and_then(|site| self.rows.get(&(site, change.y)).copied());
        let orient = change.orient.or_else(row).unwrap_or(from.orient);
        let status = if from.is_placed() { from.status } else { PlaceStatus::Placed };
        Ok((cell, from, Place { x: change.x, y: change.y, orient, status }))
    }

    fn run_moves(&mut self, moves: &[Move]) -> Outcome<()> {
        for change in moves {
            let (cell, from, to) = self.target(change)?;
            self.design.run(Op::Move { cell, from, to })?;
        }
        Ok(())
    }

    fn run_resizes(&mut self, resizes: &[Resize]) -> Outcome<()> {
        for change in resizes {
            let cell = self.free(change.cell)?;
            let masters = self.design.library().masters.len();
            let master = usize::try_from(change.master).ok().filter(|master| *master < masters);
            let master = master.ok_or_else(|| {
                let text = format!("master {} is not one of 0 to {}", change.master, masters - 1);
                Fault::delta("no-master", text)
            })?;
            self.design.resize_cell(cell, MasterId::new(master))?;
        }
        Ok(())
    }

    /// The masters that a cell may be exchanged for, its own included, least area first.
    pub(crate) fn variants(&self, cell: CellId) -> Vec<MasterId> {
        let library = self.design.library();
        let own = self.design.master_id(cell);
        let usable = |id: &MasterId| {
            *id == own
                || (library.masters[*id].has_geometry
                    && library.logic(*id).is_some_and(|cell| !cell.dont_use && !cell.dont_touch))
        };
        let mut list: Vec<MasterId> =
            library.alternatives(own).iter().copied().filter(usable).collect();
        list.sort_by_key(|id| (library.masters[*id].area(), *id));
        list
    }

    fn before(&self) -> Before {
        let measures = self.engines.measures();
        Before {
            hpwl: measures.hpwl().total().length,
            overflow: measures.density().overflow_exact(),
            violations: measures.legality().counts().movable(),
        }
    }

    /// What the state costs against `before`, with the resizes since `mark` counted.
    fn cost(&self, before: &Before, mark: Mark, look: Look) -> Cost {
        let now = self.before();
        let ratio = |(part, whole): (i128, i128)| {
            if whole == 0 { 0.0 } else { part as f64 / whole as f64 / 1e6 }
        };
        let overflow = if now.overflow.1 == before.overflow.1 {
            ratio((now.overflow.0 - before.overflow.0, now.overflow.1))
        } else {
            ratio(now.overflow) - ratio(before.overflow)
        };
        let (mut area, mut leakage) = (0, 0);
        let library = self.design.library();
        let femto = |id: MasterId| {
            let mw = library.logic(id).and_then(|cell| cell.leakage).unwrap_or(0.0);
            (mw * 1e12).round() as i64
        };
        for op in self.design.ops_since(mark) {
            let (gone, come) = match op {
                Op::Resize { from, to, .. } => (Some(*from), Some(*to)),
                Op::AddCell(new) => (None, Some(new.master)),
                Op::RemoveCell(old) => (Some(old.master), None),
                _ => continue,
            };
            let size = |id: MasterId| library.masters[id].area();
            area += come.map_or(0, size) - gone.map_or(0, size);
            leakage += come.map_or(0, femto) - gone.map_or(0, femto);
        }
        Cost {
            hpwl: now.hpwl - before.hpwl,
            overflow,
            violations: now.violations - before.violations,
            area,
            leakage: leakage as f64 / 1e6,
            slacks: if look == Look::Timing { self.slacks() } else { None },
        }
    }

    pub(crate) fn slacks(&self) -> Option<Slacks> {
        let timer = self.engines.timing()?.timer();
        Some(Slacks {
            wns_setup: f64::from(timer.wns(Side::Max)),
            tns_setup: timer.tns(Side::Max),
            wns_hold: f64::from(timer.wns(Side::Min)),
            tns_hold: timer.tns(Side::Min),
        })
    }

    fn follow(&mut self, mark: Mark, timing: bool) -> Outcome<()> {
        self.design.dirty_into(mark, &mut self.dirty);
        Ok(self.engines.update(&self.design, mark, &self.dirty, timing)?)
    }

    /// Makes a change, looks, and takes it back.
    fn attempt(
        &mut self,
        before: &Before,
        look: Look,
        change: impl FnOnce(&mut Work) -> Outcome<()>,
    ) -> Outcome<Cost> {
        let mark = self.design.mark();
        let done = change(self).and_then(|()| self.follow(mark, look == Look::Timing));
        if let Err(fault) = done {
            self.design.undo_to(mark);
            return Err(fault);
        }
        let cost = self.cost(before, mark, look);
        self.engines.undo();
        self.design.undo_to(mark);
        Ok(cost)
    }

    /// Tries groups of moves, each alone. `ends` says where each group ends.
    pub(crate) fn try_moves(
        &mut self,
        moves: &[Move],
        ends: &[usize],
        look: Look,
    ) -> Outcome<Vec<Cost>> {
        let before = self.before();
        let mut start = 0;
        let mut costs = Vec::with_capacity(ends.len());
        for (number, &end) in ends.iter().enumerate() {
            breathe(number)?;
            let group = &moves[start..end];
            start = end;
            let cost = if look == Look::Wire {
                self.wire(group)
            } else {
                self.attempt(&before, look, |work| work.run_moves(group))
            };
            costs.push(cost.map_err(|fault| fault.within(format_args!("change {number}")))?);
        }
        Ok(costs)
    }

    fn wire(&self, group: &[Move]) -> Outcome<Cost> {
        let to = |change: &Move| self.target(change).map(|(cell, _, to)| (cell, to));
        let hpwl = self.engines.measures().hpwl();
        let delta = match group {
            [one] => {
                let (cell, to) = to(one)?;
                hpwl.delta_of_move(&self.design, cell, to)
            }
            many => {
                let many: Vec<_> = many.iter().map(to).collect::<Outcome<_>>()?;
                hpwl.delta_of_moves(&self.design, &many)
            }
        };
        let delta = delta.map_err(cellwright_judge::engines::EngineError::from)?;
        Ok(Cost { hpwl: delta.length, ..Cost::default() })
    }

    /// Tries resizes, each alone.
    pub(crate) fn try_resizes(&mut self, resizes: &[Resize], look: Look) -> Outcome<Vec<Cost>> {
        let before = self.before();
        let mut costs = Vec::with_capacity(resizes.len());
        for (number, resize) in resizes.iter().enumerate() {
            breathe(number)?;
            let one = std::slice::from_ref(resize);
            let cost = self.attempt(&before, look, |work| work.run_resizes(one));
            costs.push(cost.map_err(|fault| fault.within(format_args!("change {number}")))?);
        }
        Ok(costs)
    }

    /// Makes a change that can be undone.
    pub(crate) fn make(
        &mut self,
        change: impl FnOnce(&mut Work) -> Outcome<()>,
    ) -> Outcome<(Cost, Vec<CellId>)> {
        let before = self.before();
        let mark = self.design.mark();
        let timed = self.timed();
        let done = change(self).and_then(|()| self.follow(mark, timed));
        if let Err(fault) = done {
            self.design.undo_to(mark);
            return Err(fault);
        }
        self.marks.push(mark);
        let look = if timed { Look::Timing } else { Look::Measures };
        Ok((self.cost(&before, mark, look), self.dirty.cells.clone()))
    }

    /// Moves cells together.
    pub(crate) fn moves(&mut self, moves: &[Move]) -> Outcome<(Cost, Vec<CellId>)> {
        self.make(|work| work.run_moves(moves))
    }

    /// Resizes cells together.
    pub(crate) fn resizes(&mut self, resizes: &[Resize]) -> Outcome<(Cost, Vec<CellId>)> {
        self.make(|work| work.run_resizes(resizes))
    }

    /// Takes the last changes back; gives the cells that changed.
    pub(crate) fn undo(&mut self, count: usize) -> (usize, Vec<CellId>) {
        let mut cells = Vec::new();
        let mut done = 0;
        while done < count
            && let Some(mark) = self.marks.pop()
        {
            self.design.dirty_into(mark, &mut self.dirty);
            cells.extend_from_slice(&self.dirty.cells);
            self.engines.undo();
            self.design.undo_to(mark);
            done += 1;
        }
        (done, cells)
    }

    /// Makes the state a snapshot.
    pub(crate) fn commit(&mut self) -> Snapshot {
        self.marks.clear();
        self.engines.keep();
        self.design.commit()
    }

    /// Whether the engines hold what a full evaluation gives, bit for bit.
    pub(crate) fn exact(&mut self) -> Outcome<bool> {
        let mut full = Engines::full(&self.design, &self.config)?;
        full.settle(&self.design)?;
        self.engines.settle(&self.design)?;
        Ok(full == self.engines)
    }

    /// The timer with the slacks of all pins up to date.
    pub(crate) fn settled(&mut self) -> Outcome<&Timing> {
        self.engines.settle(&self.design)?;
        self.engines.timing().ok_or_else(untimed)
    }
}

/// Lets Python see its signals now and then: Ctrl-C ends a batch.
fn breathe(number: usize) -> Outcome<()> {
    if number > 0 && number.is_multiple_of(BREATH) {
        Python::attach(|py| py.check_signals())?;
    }
    Ok(())
}
