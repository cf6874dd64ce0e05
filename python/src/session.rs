//! Sessions: working state with engines, for the inner loop of an agent.

use std::sync::{Arc, Mutex, MutexGuard};

use cellwright_contract::delta::{DesignDelta, TimingMode};
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::{IntentRef, SnapshotRef};
use cellwright_db::{CellId, MasterId, Orient};
use cellwright_judge::run::proposal_of_delta;
use cellwright_judge::translate;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyDict;

use crate::arrays::{as_many, frozen, integers, view};
use crate::costs::{Costs, Scale};
use crate::design::{Design, Ready};
use crate::fault::{Fault, Outcome};
use crate::json;
use crate::process;
use crate::snapshot::Snapshot;
use crate::work::{Look, Move, Resize, Work};

/// Arrays that follow the session: ours are written to, Python gets read-only views.
#[derive(Debug)]
struct Mirror {
    x: Py<PyArray1<i32>>,
    y: Py<PyArray1<i32>>,
    orient: Py<PyArray1<u8>>,
    master: Py<PyArray1<i32>>,
    slots: usize,
}

/// Working state of a design: try, make, undo, commit.
///
/// Methods that compute release the interpreter. Threads that share a session wait for each other;
/// `fork` gives each its own.
#[pyclass(frozen, module = "cellwright")]
#[derive(Debug)]
pub(crate) struct Session {
    ready: Arc<Ready>,
    work: Mutex<Work>,
    mirror: Mutex<Option<Mirror>>,
}

/// Orientations from an array of indices, one for each of `count` moves.
pub(crate) fn orients(
    value: Option<&Bound<'_, PyAny>>,
    count: usize,
) -> Outcome<Vec<Option<Orient>>> {
    let Some(value) = value else { return Ok(vec![None; count]) };
    let one = |code: i32| {
        let found = usize::try_from(code).ok().and_then(|code| Orient::ALL.get(code));
        found.copied().map(Some).ok_or_else(|| {
            Fault::argument(format!("`orient`: {code} is no index of ORIENTS (0 to 7)"))
        })
    };
    as_many("orient", value, count)?.into_iter().map(one).collect()
}

pub(crate) fn mode(name: &str) -> Outcome<TimingMode> {
    match name {
        "setup" => Ok(TimingMode::Setup),
        "hold" => Ok(TimingMode::Hold),
        other => Err(Fault::argument(format!("`{other}` is no side of timing; say setup or hold"))),
    }
}

impl Session {
    fn attached<'a>(&'a self, py: Python<'_>) -> Outcome<MutexGuard<'a, Work>> {
        self.work.lock_py_attached(py).map_err(|_| broken())
    }

    /// Runs with the interpreter released and the state locked.
    fn detached<T: Send>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut Work) -> Outcome<T> + Send,
    ) -> Outcome<T> {
        process::check()?;
        py.detach(|| run(&mut *self.work.lock().map_err(|_| broken())?))
    }

    fn moves(
        cells: &Bound<'_, PyAny>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        orient: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<Vec<Move>> {
        let cells = integers("cells", cells)?;
        let x = as_many("x", x, cells.len())?;
        let y = as_many("y", y, cells.len())?;
        let orient = orients(orient, cells.len())?;
        let one = |(index, &cell): (usize, &i32)| Move {
            cell,
            x: x[index],
            y: y[index],
            orient: orient[index],
        };
        Ok(cells.iter().enumerate().map(one).collect())
    }

    fn resizes(
        &self,
        py: Python<'_>,
        cells: &Bound<'_, PyAny>,
        masters: &Bound<'_, PyAny>,
    ) -> Outcome<Vec<Resize>> {
        let cells = integers("cells", cells)?;
        let names: Option<Vec<String>> = match masters.extract::<String>() {
            Ok(one) => Some(vec![one]),
            Err(_) => masters.extract().ok(),
        };
        let masters: Vec<i32> = match names {
            Some(names) => {
                let work = self.attached(py)?;
                let number =
                    |name: &String| translate::master(&work.design, name).map(|id| id.0 as i32);
                let list: Result<Vec<i32>, _> = names.iter().map(number).collect();
                let list = list?;
                if list.len() != cells.len() {
                    return Err(Fault::argument(format!(
                        "`masters` has {} entries where {} are needed",
                        list.len(),
                        cells.len()
                    )));
                }
                list
            }
            None => as_many("masters", masters, cells.len())?,
        };
        let pairs = cells.into_iter().zip(masters);
        Ok(pairs.map(|(cell, master)| Resize { cell, master }).collect())
    }

    /// Brings the arrays up to date for cells that changed.
    fn sync(&self, py: Python<'_>, cells: &[CellId]) -> Outcome<()> {
        let work = self.attached(py)?;
        let mut mirror = self.mirror.lock_py_attached(py).map_err(|_| broken())?;
        let Some(arrays) = mirror.as_ref() else { return Ok(()) };
        if arrays.slots != work.design.cell_slots() {
            // Slots came or went: views handed out keep the old length, new ones are made.
            *mirror = None;
            return Ok(());
        }
        let borrowed = |error: numpy::BorrowError| Fault::internal(error.to_string());
        let mut x = arrays.x.bind(py).try_readwrite().map_err(borrowed)?;
        let mut y = arrays.y.bind(py).try_readwrite().map_err(borrowed)?;
        let mut orient = arrays.orient.bind(py).try_readwrite().map_err(borrowed)?;
        let mut master = arrays.master.bind(py).try_readwrite().map_err(borrowed)?;
        let (x, y) = (x.as_slice_mut()?, y.as_slice_mut()?);
        let (orient, master) = (orient.as_slice_mut()?, master.as_slice_mut()?);
        for cell in cells.iter().filter(|cell| cell.index() < arrays.slots) {
            let (at, place) = (cell.index(), work.design.place(*cell));
            x[at] = place.x;
            y[at] = place.y;
            orient[at] = place.orient as u8;
            master[at] = master_of(&work, *cell);
        }
        Ok(())
    }

    fn mirrored<'py>(
        &self,
        py: Python<'py>,
        which: impl FnOnce(&Mirror) -> Outcome<Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, PyAny>> {
        let work = self.attached(py)?;
        let mut mirror = self.mirror.lock_py_attached(py).map_err(|_| broken())?;
        if let Some(mirror) = mirror.as_ref() {
            return which(mirror);
        }
        let cells = || (0..work.design.cell_slots()).map(CellId::new);
        let place = |cell| work.design.place(cell);
        which(mirror.insert(Mirror {
            x: PyArray1::from_vec(py, cells().map(|cell| place(cell).x).collect()).unbind(),
            y: PyArray1::from_vec(py, cells().map(|cell| place(cell).y).collect()).unbind(),
            orient:
                PyArray1::from_vec(py, cells().map(|c| place(c).orient as u8).collect()).unbind(),
            master: PyArray1::from_vec(py, cells().map(|c| master_of(&work, c)).collect()).unbind(),
            slots: work.design.cell_slots(),
        }))
    }

    fn costs(&self, py: Python<'_>, rows: &[crate::costs::Cost]) -> Outcome<Costs> {
        let work = self.attached(py)?;
        Ok(Costs::new(py, &Scale::of(&work.design, work.timed()), rows))
    }

    fn made(&self, py: Python<'_>, made: (crate::costs::Cost, Vec<CellId>)) -> Outcome<Costs> {
        self.sync(py, &made.1)?;
        self.costs(py, &[made.0])
    }
}

fn master_of(work: &Work, cell: CellId) -> i32 {
    if work.design.has_cell(cell) { work.design.master_id(cell).0 as i32 } else { -1 }
}

fn broken() -> Fault {
    Fault::internal("the session was left half changed by a fault of ours; start a new one")
}

fn look(work: &Work, timing: Option<bool>, wirelength_only: bool) -> Outcome<Look> {
    match (timing, wirelength_only) {
        (Some(true), true) => {
            Err(Fault::argument("`timing` and `wirelength_only` exclude each other"))
        }
        (_, true) => Ok(Look::Wire),
        (Some(true), _) if !work.timed() => Err(untimed()),
        (Some(true), _) => Ok(Look::Timing),
        _ => Ok(Look::Measures),
    }
}

pub(crate) fn untimed() -> Fault {
    Fault::timing(
        "untimed",
        "the session has no timing; make it with Session(snapshot, timing=True) from a design with a corner and an SDC file",
    )
}

#[pymethods]
impl Session {
    /// Working state of a snapshot, evaluated in full.
    ///
    /// `timing` runs the timer along (needs a corner and an SDC file), `congestion` the congestion
    /// estimate. Both cost time at every change.
    #[new]
    #[pyo3(signature = (snapshot, *, timing = false, congestion = false))]
    fn new(
        py: Python<'_>,
        snapshot: &Snapshot,
        timing: bool,
        congestion: bool,
    ) -> Outcome<Session> {
        process::check()?;
        let ready = snapshot.ready.clone();
        if timing && ready.timing.is_none() {
            let text = "the design has no timing: its bundle names no corner or no SDC file";
            return Err(Fault::timing("untimed", text));
        }
        let config = ready.config(timing, congestion);
        let work = py.detach(|| Work::new(&snapshot.state, config))?;
        Ok(Session { ready, work: Mutex::new(work), mirror: Mutex::new(None) })
    }
    /// The design.
    #[getter]
    fn design(&self) -> Design {
        Design { ready: self.ready.clone() }
    }
    /// The present state as a snapshot. Nothing is committed.
    #[getter]
    fn snapshot(&self, py: Python<'_>) -> Outcome<Snapshot> {
        let state = self.attached(py)?.design.snapshot();
        Ok(Snapshot::new(self.ready.clone(), state))
    }
    /// The last committed snapshot.
    #[getter]
    fn base(&self, py: Python<'_>) -> Outcome<Snapshot> {
        let state = self.attached(py)?.design.base().clone();
        Ok(Snapshot::new(self.ready.clone(), state))
    }
    /// Root of the present state.
    #[getter]
    fn root(&self, py: Python<'_>) -> Outcome<String> {
        Ok(self.attached(py)?.design.snapshot().root().to_string())
    }
    /// How many changes can be undone.
    #[getter]
    fn depth(&self, py: Python<'_>) -> Outcome<usize> {
        Ok(self.attached(py)?.depth())
    }
    /// Left edge of each cell, DBU (int32). A read-only view that follows the session.
    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        self.mirrored(py, |mirror| view(mirror.x.bind(py)))
    }
    /// Bottom edge of each cell, DBU (int32). A read-only view that follows the session.
    #[getter]
    fn y<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        self.mirrored(py, |mirror| view(mirror.y.bind(py)))
    }
    /// Orientation of each cell, an index of `ORIENTS` (uint8). A read-only view that follows the
    /// session.
    #[getter]
    fn orient<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        self.mirrored(py, |mirror| view(mirror.orient.bind(py)))
    }
    /// Master of each cell, -1 for an emptied slot (int32). A read-only view that follows the
    /// session.
    #[getter]
    fn master<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        self.mirrored(py, |mirror| view(mirror.master.bind(py)))
    }
    /// Wire length (HPWL), DBU.
    #[getter]
    fn hpwl(&self, py: Python<'_>) -> Outcome<i64> {
        Ok(self.attached(py)?.engines.measures().hpwl().total().length)
    }
    /// Density overflow, a part of the movable area.
    #[getter]
    fn overflow(&self, py: Python<'_>) -> Outcome<f64> {
        Ok(self.attached(py)?.engines.measures().density().overflow())
    }
    /// How often movable cells break a placement rule.
    #[getter]
    fn violations(&self, py: Python<'_>) -> Outcome<i64> {
        Ok(self.attached(py)?.engines.measures().legality().counts().movable())
    }
    /// Deterministic work units so far: pins, bins, arcs and cells touched.
    #[getter]
    fn work_units(&self, py: Python<'_>) -> Outcome<u64> {
        Ok(self.attached(py)?.engines.work())
    }
    /// All figures by their contract names (see `METRICS` for units).
    fn metrics<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let list = {
            let work = self.attached(py)?;
            work.engines.metrics(&work.design, work.timed())
        };
        let dict = PyDict::new(py);
        for metric in list {
            dict.set_item(metric.metric, metric.value)?;
        }
        Ok(dict)
    }

    // ---- trying ----

    /// What moves cost, each tried alone on the present state and taken back.
    ///
    /// `cells`, `x`, `y` (and `orient`, indices of `ORIENTS`) are whole numbers, one a move, DBU.
    /// Without `orient` a cell takes the orientation of the row that begins at its `y`. `groups`
    /// joins moves: entry `k` says how many of the next moves make change `k` (2 for a swap).
    /// `timing` adds slacks; `wirelength_only` leaves everything else at 0 and is faster.
    #[pyo3(signature = (cells, x, y, *, orient = None, groups = None, timing = false, wirelength_only = false))]
    #[allow(clippy::too_many_arguments)]
    fn whatif_moves(
        &self,
        py: Python<'_>,
        cells: &Bound<'_, PyAny>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        orient: Option<&Bound<'_, PyAny>>,
        groups: Option<&Bound<'_, PyAny>>,
        timing: bool,
        wirelength_only: bool,
    ) -> Outcome<Costs> {
        let moves = Session::moves(cells, x, y, orient)?;
        let ends = match groups {
            None => (1..=moves.len()).collect(),
            Some(groups) => ends(&integers("groups", groups)?, moves.len())?,
        };
        let costs = self.detached(py, |work| {
            let look = look(work, Some(timing), wirelength_only)?;
            work.try_moves(&moves, &ends, look)
        })?;
        self.costs(py, &costs)
    }
    /// What resizes cost, each tried alone on the present state and taken back.
    ///
    /// `masters` holds names or indices of the snapshot's `masters`.
    #[pyo3(signature = (cells, masters, *, timing = false))]
    fn whatif_resizes(
        &self,
        py: Python<'_>,
        cells: &Bound<'_, PyAny>,
        masters: &Bound<'_, PyAny>,
        timing: bool,
    ) -> Outcome<Costs> {
        let resizes = self.resizes(py, cells, masters)?;
        let costs = self.detached(py, |work| {
            let look = look(work, Some(timing), false)?;
            work.try_resizes(&resizes, look)
        })?;
        self.costs(py, &costs)
    }

    // ---- changing ----

    /// Moves cells together, as one change that can be undone; gives what it costs.
    #[pyo3(name = "move", signature = (cells, x, y, *, orient = None))]
    fn move_cells(
        &self,
        py: Python<'_>,
        cells: &Bound<'_, PyAny>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        orient: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<Costs> {
        let moves = Session::moves(cells, x, y, orient)?;
        let made = self.detached(py, |work| work.moves(&moves))?;
        self.made(py, made)
    }
    /// Gives cells other masters of the same function, as one change that can be undone.
    fn resize(
        &self,
        py: Python<'_>,
        cells: &Bound<'_, PyAny>,
        masters: &Bound<'_, PyAny>,
    ) -> Outcome<Costs> {
        let resizes = self.resizes(py, cells, masters)?;
        let made = self.detached(py, |work| work.resizes(&resizes))?;
        self.made(py, made)
    }
    /// Carries out a delta of the contract (a dict or JSON text), as one change that can be undone.
    fn apply(&self, py: Python<'_>, delta: &Bound<'_, PyAny>) -> Outcome<Costs> {
        let delta: DesignDelta = json::from_python(delta)?;
        let made = self.detached(py, |work| {
            work.make(|work| Ok(translate::apply(&mut work.design, &delta)?))
        })?;
        self.made(py, made)
    }
    /// Takes the last `count` changes back, exactly; gives how many there were.
    #[pyo3(signature = (count = 1))]
    fn undo(&self, py: Python<'_>, count: usize) -> Outcome<usize> {
        let (done, cells) = self.detached(py, |work| Ok(work.undo(count)))?;
        self.sync(py, &cells)?;
        Ok(done)
    }
    /// Makes the present state a snapshot; it can no longer be undone.
    fn commit(&self, py: Python<'_>) -> Outcome<Snapshot> {
        let state = self.detached(py, |work| Ok(work.commit()))?;
        Ok(Snapshot::new(self.ready.clone(), state))
    }
    /// A session of its own at the present state; what is not committed stays so, but cannot be
    /// undone there.
    fn fork(&self, py: Python<'_>) -> Outcome<Session> {
        let work = self.detached(py, |work| work.fork())?;
        Ok(Session { ready: self.ready.clone(), work: Mutex::new(work), mirror: Mutex::new(None) })
    }
    /// Evaluates everything from scratch and says whether every bit is as followed. A check, not a
    /// step of a loop.
    fn exact(&self, py: Python<'_>) -> Outcome<bool> {
        self.detached(py, |work| work.exact())
    }

    // ---- reading ----

    /// The masters that a cell may be exchanged for, its own included, least area first: indices
    /// of the snapshot's `masters`.
    fn variants(&self, py: Python<'_>, cell: i32) -> Outcome<Vec<u32>> {
        let work = self.attached(py)?;
        let cell = work.cell(cell)?;
        Ok(work.variants(cell).into_iter().map(|MasterId(id)| id).collect())
    }
    /// Worst slack over the pins of each cell, ns (float32); NaN where nothing is required.
    #[pyo3(signature = (side = "setup"))]
    fn slack(&self, py: Python<'_>, side: &str) -> Outcome<Py<PyArray1<f32>>> {
        let mode = mode(side)?;
        let list = self.detached(py, |work| {
            work.settled()?;
            let timing = work.engines.timing().ok_or_else(untimed)?;
            let slack = |cell: usize| {
                let cell = CellId::new(cell);
                if !work.design.has_cell(cell) {
                    return f32::NAN;
                }
                let pins = work.design.cell_pins(cell);
                pins.filter_map(|pin| timing.slack(pin, mode))
                    .fold(f32::NAN, |worst, slack| worst.min(slack as f32))
            };
            Ok((0..work.design.cell_slots()).map(slack).collect::<Vec<f32>>())
        })?;
        Ok(frozen(py, list))
    }
    /// The worst path of each of the `count` worst endpoints, worst first, in ns.
    #[pyo3(signature = (side = "setup", count = 1))]
    fn paths<'py>(&self, py: Python<'py>, side: &str, count: usize) -> Outcome<Bound<'py, PyAny>> {
        let mode = mode(side)?;
        let paths = self.detached(py, |work| {
            work.settled()?;
            let timing = work.engines.timing().ok_or_else(untimed)?;
            Ok(timing.worst_paths(&work.design, mode, count))
        })?;
        json::to_python(py, &paths)
    }
    /// What is not committed, as a proposal of the contract: a dict for `Judge.commit` or a run.
    /// Moves and resizes only.
    #[pyo3(signature = (id, *, intent = "ppa", rationale = None))]
    fn proposal<'py>(
        &self,
        py: Python<'py>,
        id: String,
        intent: &str,
        rationale: Option<String>,
    ) -> Outcome<Bound<'py, PyAny>> {
        let intent_ref =
            IntentRef::new(intent).map_err(|error| Fault::argument(error.to_string()))?;
        let proposal = self.detached(py, |work| {
            let base = work.design.base();
            let delta = base.diff(&work.design.snapshot())?;
            let words = proposal_of_delta(&work.design, &delta).ok_or_else(|| {
                Fault::delta("netlist", "the netlist changed; write its delta as a dict instead")
            })?;
            Ok(Proposal {
                id,
                intent_ref,
                expected_delta: words,
                expected_metrics: Default::default(),
                rationale,
                parent_snap: SnapshotRef::Root(base.root().0),
                confidence: None,
            })
        })?;
        json::to_python(py, &proposal)
    }
    fn __repr__(&self, py: Python<'_>) -> Outcome<String> {
        let work = self.attached(py)?;
        Ok(format!("Session({}, {} changes open)", self.ready.reference, work.depth()))
    }
}

fn ends(groups: &[i32], moves: usize) -> Outcome<Vec<usize>> {
    let mut ends = Vec::with_capacity(groups.len());
    let mut sum = 0_usize;
    for &group in groups {
        let size = usize::try_from(group)
            .ok()
            .filter(|size| *size > 0)
            .ok_or_else(|| Fault::argument(format!("`groups`: {group} is no number of moves")))?;
        sum += size;
        ends.push(sum);
    }
    if sum != moves {
        return Err(Fault::argument(format!(
            "`groups` adds up to {sum}, but there are {moves} moves"
        )));
    }
    Ok(ends)
}
