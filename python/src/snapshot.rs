//! Snapshots: immutable, content-addressed, with their columns as read-only arrays.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use cellwright_db::library::{MasterClass, PinDirection};
use cellwright_db::{CellId, Delta, NetId, Op, Owner, PinId, Place, PlaceStatus};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;

use crate::arrays::{as_many, frozen, frozen2, integers};
use crate::design::{Design, Ready};
use crate::fault::{Fault, Outcome};
use crate::json;

/// Path, delay calculator, change since the design as read, root.
type Pickled<'py> = (std::path::PathBuf, &'static str, Bound<'py, PyBytes>, String);

/// An immutable state of a design. `==` and `hash` go by the root.
#[pyclass(frozen, module = "cellwright")]
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) ready: Arc<Ready>,
    pub(crate) state: cellwright_db::Snapshot,
    columns: Mutex<BTreeMap<&'static str, Py<PyAny>>>,
}

impl Snapshot {
    pub(crate) fn new(ready: Arc<Ready>, state: cellwright_db::Snapshot) -> Snapshot {
        Snapshot { ready, state, columns: Mutex::new(BTreeMap::new()) }
    }

    fn context(&self) -> &cellwright_db::snapshot::Context {
        self.state.context()
    }

    /// The column of a name, made at its first use.
    fn column(
        &self,
        py: Python<'_>,
        name: &'static str,
        make: impl FnOnce() -> Outcome<Py<PyAny>>,
    ) -> Outcome<Py<PyAny>> {
        let lock = || {
            self.columns
                .lock_py_attached(py)
                .map_err(|_| Fault::internal("a column was left half made"))
        };
        if let Some(column) = lock()?.get(name) {
            return Ok(column.clone_ref(py));
        }
        let made = make()?;
        Ok(lock()?.entry(name).or_insert(made).clone_ref(py))
    }

    fn cells<T: numpy::Element>(
        &self,
        py: Python<'_>,
        name: &'static str,
        of: impl Fn(CellId) -> T,
    ) -> Outcome<Py<PyAny>> {
        self.column(py, name, || {
            let list = (0..self.state.cell_slots()).map(|cell| of(CellId::new(cell))).collect();
            Ok(frozen(py, list).into_any())
        })
    }

    fn place(&self, cell: CellId) -> Place {
        self.state.place(cell).unwrap_or_default()
    }

    fn size(&self, cell: CellId) -> (i32, i32) {
        let Some(record) = self.state.cell(cell) else { return (0, 0) };
        let master = &self.context().library.masters[record.master];
        self.place(cell).orient.size(master.width, master.height)
    }

    fn found(&self, cell: i32) -> Outcome<CellId> {
        let found = u32::try_from(cell).ok().map(CellId);
        found.filter(|cell| self.state.cell(*cell).is_some()).ok_or_else(|| {
            Fault::delta("missing", format!("i:{cell} does not exist; cells are numbered from 0"))
        })
    }
}

#[pymethods]
impl Snapshot {
    /// The Merkle root, `snap:` and 64 hex digits: the identity of the state.
    #[getter]
    fn root(&self) -> String {
        self.state.root().to_string()
    }
    /// The design that it is a state of.
    #[getter]
    fn design(&self) -> Design {
        Design { ready: self.ready.clone() }
    }
    /// How many cell slots there are: the length of the columns.
    fn __len__(&self) -> usize {
        self.state.cell_slots()
    }
    fn __eq__(&self, other: &Snapshot) -> bool {
        self.state.root() == other.state.root()
    }
    fn __hash__(&self) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.state.root().0[..8]);
        u64::from_le_bytes(bytes)
    }
    /// Pickles as the design's path and the difference from the design as read; the other side must
    /// have the same files at the same path.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Outcome<(Bound<'py, PyAny>, Pickled<'py>)> {
        let restore = py.import("cellwright._restore")?.getattr("snapshot")?;
        let ready = &self.ready;
        let change = ready.loaded.snapshot.diff(&self.state)?.canonical_bytes();
        let calculator = crate::design::name_of(ready.calculator);
        Ok((restore, (ready.path(), calculator, PyBytes::new(py, &change), self.root())))
    }
    fn __repr__(&self) -> String {
        format!("Snapshot({}, {} cells)", self.root(), self.state.cell_slots())
    }

    // ---- columns ----

    /// Left edge of each cell, DBU (int32).
    #[getter]
    fn x(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.cells(py, "x", |cell| self.place(cell).x)
    }
    /// Bottom edge of each cell, DBU (int32).
    #[getter]
    fn y(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.cells(py, "y", |cell| self.place(cell).y)
    }
    /// Orientation of each cell: its index in `ORIENTS` (uint8).
    #[getter]
    fn orient(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.cells(py, "orient", |cell| self.place(cell).orient as u8)
    }
    /// Width of each cell as it stands, DBU (int32).
    #[getter]
    fn width(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.cells(py, "width", |cell| self.size(cell).0)
    }
    /// Height of each cell as it stands, DBU (int32).
    #[getter]
    fn height(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.cells(py, "height", |cell| self.size(cell).1)
    }
    /// Master of each cell: its index in `masters`, -1 for an emptied slot (int32).
    #[getter]
    fn master(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.cells(py, "master", |cell| self.state.cell(cell).map_or(-1, |c| c.master.0 as i32))
    }
    /// Whether each cell has a place (bool).
    #[getter]
    fn placed(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.cells(py, "placed", |cell| self.place(cell).status != PlaceStatus::Unplaced)
    }
    /// Whether each cell exists and may be moved by an agent: no macro, not fixed (bool).
    #[getter]
    fn movable(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.cells(py, "movable", |cell| {
            self.state.cell(cell).is_some_and(|record| {
                let class = self.context().library.masters[record.master].class;
                !record.dont_touch && !self.place(cell).is_fixed() && class != MasterClass::Block
            })
        })
    }
    /// Whether each cell is a macro (bool).
    #[getter]
    fn block(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.cells(py, "block", |cell| {
            self.state.cell(cell).is_some_and(|record| {
                self.context().library.masters[record.master].class == MasterClass::Block
            })
        })
    }
    /// Pins by net in compressed rows: the pins of net `n` are entries `net_start[n]` to
    /// `net_start[n + 1]` of `pin_cell`, `pin_x`, `pin_y` (int32).
    #[getter]
    fn net_start(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.column(py, "net_start", || {
            let mut start = vec![0_i32];
            let mut sum = 0;
            for net in 0..self.state.net_slots() {
                sum += self.state.net_pins(NetId::new(net)).len() as i32;
                start.push(sum);
            }
            Ok(frozen(py, start).into_any())
        })
    }
    /// Cell of each pin of `net_start`'s rows, -1 for a port (int32).
    #[getter]
    fn pin_cell(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.pins(py, "pin_cell", |pin| match self.state.pin(pin).map(|pin| pin.owner) {
            Some(Owner::Cell(cell, _)) => cell.0 as i32,
            _ => -1,
        })
    }
    /// Where each pin of `net_start`'s rows is, DBU (int32); 0 for a port without place.
    #[getter]
    fn pin_x(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.pins(py, "pin_x", |pin| self.at(pin).0)
    }
    /// See `pin_x`.
    #[getter]
    fn pin_y(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.pins(py, "pin_y", |pin| self.at(pin).1)
    }
    /// Whether each pin of `net_start`'s rows drives its net (bool).
    #[getter]
    fn pin_drives(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.pins(py, "pin_drives", |pin| match self.state.pin(pin).map(|pin| pin.owner) {
            Some(Owner::Cell(cell, number)) => self.state.cell(cell).is_some_and(|record| {
                let pins = &self.context().library.masters[record.master].pins;
                pins[number.index()].direction == PinDirection::Output
            }),
            Some(Owner::Port(port)) => self.context().ports[port].direction == PinDirection::Input,
            None => false,
        })
    }
    /// The rows: left, bottom, right, top of each, DBU (int32, n × 4).
    #[getter]
    fn rows(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.column(py, "rows", || {
            let context = self.context();
            let mut list = Vec::new();
            for row in &context.floorplan.rows {
                let rect = row.rect(context.tech.sites[row.site].height);
                list.extend([rect.lo.x, rect.lo.y, rect.hi.x, rect.hi.y]);
            }
            let count = list.len() / 4;
            Ok(frozen2(py, list, [count, 4])?.into_any())
        })
    }
    /// Distance between the sites of each row, DBU (int32).
    #[getter]
    fn row_step(&self, py: Python<'_>) -> Outcome<Py<PyAny>> {
        self.column(py, "row_step", || {
            let steps = self.context().floorplan.rows.iter().map(|row| row.step).collect();
            Ok(frozen::<i32>(py, steps).into_any())
        })
    }
    /// Die: left, bottom, right, top, DBU.
    #[getter]
    fn die(&self) -> (i32, i32, i32, i32) {
        let die = self.context().floorplan.die;
        (die.lo.x, die.lo.y, die.hi.x, die.hi.y)
    }
    /// Box around the rows: left, bottom, right, top, DBU.
    #[getter]
    fn core(&self) -> (i32, i32, i32, i32) {
        let context = self.context();
        let core =
            context.floorplan.core(|site| context.tech.sites.get(site).map_or(0, |s| s.height));
        (core.lo.x, core.lo.y, core.hi.x, core.hi.y)
    }
    /// Names of the library's masters; `master` holds indices of it.
    #[getter]
    fn masters(&self) -> Vec<String> {
        self.context().library.masters.iter().map(|(_, master)| master.name.clone()).collect()
    }

    // ---- names ----

    /// The name of a cell.
    fn cell_name(&self, cell: i32) -> Outcome<String> {
        Ok(self.state.cell_name(self.found(cell)?).to_owned())
    }
    /// The number of a cell by its name. Raises `DeltaError` (`missing`).
    fn cell(&self, name: &str) -> Outcome<u32> {
        let found = self.context().cell_names.find(name).map(CellId);
        let found = found.filter(|cell| self.state.cell(*cell).is_some()).or_else(|| {
            let first = self.context().cell_names.len();
            let new = (first..self.state.cell_slots()).map(CellId::new);
            new.into_iter().find(|cell| self.state.cell_name(*cell) == name)
        });
        found
            .map(|cell| cell.0)
            .ok_or_else(|| Fault::delta("missing", format!("there is no cell `{name}`")))
    }
    /// The name of a net.
    fn net_name(&self, net: u32) -> Outcome<String> {
        if self.state.net(NetId(net)).is_none() {
            return Err(Fault::delta("missing", format!("n:{net} does not exist")));
        }
        Ok(self.state.net_name(NetId(net)).to_owned())
    }

    // ---- children ----

    /// A child in which these cells stand elsewhere; this snapshot stays. Costs what moves.
    ///
    /// `orient` holds indices into `ORIENTS`; without it each cell keeps its own. To get a row's
    /// orientation and costs, use a `Session`.
    #[pyo3(signature = (cells, x, y, *, orient = None))]
    fn moved(
        &self,
        cells: &Bound<'_, PyAny>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        orient: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<Snapshot> {
        let cells = integers("cells", cells)?;
        let x = as_many("x", x, cells.len())?;
        let y = as_many("y", y, cells.len())?;
        let orient = crate::session::orients(orient, cells.len())?;
        let mut now: BTreeMap<CellId, Place> = BTreeMap::new();
        let mut ops = Vec::with_capacity(cells.len());
        for (index, &number) in cells.iter().enumerate() {
            let cell = self.found(number)?;
            let from = now.get(&cell).copied().unwrap_or_else(|| self.place(cell));
            if from.is_fixed() {
                return Err(Fault::delta("untouchable", format!("i:{number} is fixed")));
            }
            let mut to = Place::placed(x[index], y[index], orient[index].unwrap_or(from.orient));
            if from.is_placed() {
                to.status = from.status;
            }
            now.insert(cell, to);
            ops.push(Op::Move { cell, from, to });
        }
        let child = self.state.apply(&Delta { ops })?;
        Ok(Snapshot::new(self.ready.clone(), child))
    }
    /// A child after a delta of the contract (a dict or JSON text). Costs what it touches.
    fn apply(&self, delta: &Bound<'_, PyAny>) -> Outcome<Snapshot> {
        let delta: cellwright_contract::delta::DesignDelta = json::from_python(delta)?;
        let mut flat = cellwright_db::Design::new(&self.state);
        cellwright_judge::translate::apply(&mut flat, &delta)?;
        Ok(Snapshot::new(self.ready.clone(), flat.commit()))
    }
    /// The change that makes `other` from this snapshot, in canonical bytes; `patched` applies it.
    fn diff<'py>(&self, py: Python<'py>, other: &Snapshot) -> Outcome<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.state.diff(&other.state)?.canonical_bytes()))
    }
    /// A child after the bytes of `diff`.
    fn patched(&self, delta: &[u8]) -> Outcome<Snapshot> {
        let delta = Delta::from_canonical_bytes(delta)
            .map_err(|error| Fault::argument(error.to_string()))?;
        Ok(Snapshot::new(self.ready.clone(), self.state.apply(&delta)?))
    }
}

impl Snapshot {
    fn at(&self, pin: PinId) -> (i32, i32) {
        match self.state.pin(pin).map(|pin| pin.owner) {
            Some(Owner::Cell(cell, number)) => {
                let Some(record) = self.state.cell(cell) else { return (0, 0) };
                let place = self.place(cell);
                let master = &self.context().library.masters[record.master];
                let offset = master.pin_offset(number, place.orient);
                (place.x.wrapping_add(offset.x), place.y.wrapping_add(offset.y))
            }
            Some(Owner::Port(port)) => {
                self.context().ports[port].location.map_or((0, 0), |at| (at.x, at.y))
            }
            None => (0, 0),
        }
    }

    fn pins<T: numpy::Element>(
        &self,
        py: Python<'_>,
        name: &'static str,
        of: impl Fn(PinId) -> T,
    ) -> Outcome<Py<PyAny>> {
        self.column(py, name, || {
            let nets = (0..self.state.net_slots()).map(NetId::new);
            let list: Vec<T> =
                nets.flat_map(|net| self.state.net_pins(net).iter().map(|pin| of(*pin))).collect();
            let array: Py<PyArray1<T>> = frozen(py, list);
            Ok(array.into_any())
        })
    }
}
