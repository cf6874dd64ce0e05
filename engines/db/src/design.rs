//! The flat working state that engines read, with an undo log.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::delta::{Delta, DeltaError, Op};
use crate::floorplan::Floorplan;
use crate::geom::{Point, Rect};
use crate::ids::{CellId, IdVec, MasterId, NetId, PinId, PortId};
use crate::library::{Library, Master, PinDirection};
use crate::records::{CellRecord, NetPins, NetRecord, Owner, PinRecord, Place, PortRecord};
use crate::snapshot::{Context, Snapshot};
use crate::store::{self, Store};
use crate::tech::Technology;

/// Identifies a state of a [`Design`] cheaply: it starts from the snapshot root and each change
/// stirs itself in; an undo brings the old stamp back. Engines remember the stamp that they
/// computed for and refuse a dirty set that starts from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp(pub u64);

/// A position in the undo log. Marks die with the next [`Design::commit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(usize);

#[derive(Clone, Debug)]
struct Entry {
    op: Op,
    before: Stamp,
    /// The op took a new slot at the end (and not an emptied one).
    grew: bool,
}

/// The flat working state of a design: plain vectors by id, derived from a [`Snapshot`], changed
/// by [`Op`]s that are logged and can be undone exactly.
#[derive(Clone, Debug)]
pub struct Design {
    base: Snapshot,
    cells: IdVec<CellId, CellRecord>,
    places: IdVec<CellId, Place>,
    nets: IdVec<NetId, NetRecord>,
    net_pins: IdVec<NetId, NetPins>,
    drivers: IdVec<NetId, PinId>,
    pins: IdVec<PinId, PinRecord>,
    new_cell_names: NewNames,
    new_net_names: NewNames,
    log: Vec<Entry>,
    stamp: Stamp,
}

#[derive(Clone, Debug, Default)]
struct NewNames {
    names: Vec<Arc<str>>,
    index: HashMap<Arc<str>, u32>,
}

impl NewNames {
    fn push(&mut self, name: Arc<str>) {
        if !name.is_empty() {
            self.index.insert(name.clone(), self.names.len() as u32);
        }
        self.names.push(name);
    }
    fn pop(&mut self) {
        if let Some(name) = self.names.pop() {
            self.index.remove(&name);
        }
    }
    fn set(&mut self, index: usize, name: Option<&Arc<str>>) {
        if let Some(slot) = self.names.get_mut(index) {
            self.index.remove(slot);
            *slot = name.cloned().unwrap_or_default();
            if let Some(name) = name {
                self.index.insert(name.clone(), index as u32);
            }
        }
    }
}

impl Design {
    /// The working state of a snapshot. Costs what the design holds.
    pub fn new(snapshot: &Snapshot) -> Design {
        let mut design = Design {
            cells: snapshot.cells.iter().copied().collect(),
            places: snapshot.places.iter().copied().collect(),
            nets: snapshot.nets.iter().copied().collect(),
            net_pins: snapshot.net_pins.iter().cloned().collect(),
            drivers: IdVec::new(),
            pins: snapshot.pins.iter().copied().collect(),
            new_cell_names: NewNames::default(),
            new_net_names: NewNames::default(),
            log: Vec::new(),
            stamp: Stamp(u64::from_le_bytes(prefix(&snapshot.root().0))),
            base: snapshot.clone(),
        };
        snapshot.new_cell_names.iter().for_each(|name| design.new_cell_names.push(name.clone()));
        snapshot.new_net_names.iter().for_each(|name| design.new_net_names.push(name.clone()));
        design.drivers = design.nets.ids().map(|net| design.find_driver(net)).collect();
        design
    }

    // ---- what no delta changes ----

    /// Design (top module) name.
    pub fn name(&self) -> &str {
        &self.base.context.name
    }
    /// Everything that no delta changes.
    pub fn context(&self) -> &Arc<Context> {
        &self.base.context
    }
    /// Technology.
    pub fn tech(&self) -> &Technology {
        &self.base.context.tech
    }
    /// Library.
    pub fn library(&self) -> &Library {
        &self.base.context.library
    }
    /// Floorplan.
    pub fn floorplan(&self) -> &Floorplan {
        &self.base.context.floorplan
    }
    /// Top-level ports.
    pub fn ports(&self) -> &IdVec<PortId, PortRecord> {
        &self.base.context.ports
    }
    /// Bounding box of the rows, or of the die where there is no row, DBU.
    pub fn core(&self) -> Rect {
        let sites = &self.tech().sites;
        self.floorplan().core(|site| sites.get(site).map_or(0, |site| site.height))
    }

    // ---- reading ----

    /// How many cell slots there are, emptied ones included: the length of per-cell arrays.
    #[inline]
    pub fn cell_slots(&self) -> usize {
        self.cells.len()
    }
    /// How many net slots there are, emptied ones included.
    #[inline]
    pub fn net_slots(&self) -> usize {
        self.nets.len()
    }
    /// How many pins there are, those of emptied slots included.
    #[inline]
    pub fn pin_slots(&self) -> usize {
        self.pins.len()
    }
    /// Living cells in ascending order.
    pub fn cells(&self) -> impl Iterator<Item = CellId> + '_ {
        self.cells.iter().filter(|(_, record)| record.alive).map(|(id, _)| id)
    }
    /// Living nets in ascending order.
    pub fn nets(&self) -> impl Iterator<Item = NetId> + '_ {
        self.nets.iter().filter(|(_, record)| record.alive).map(|(id, _)| id)
    }
    /// Whether the slot exists and is in use.
    #[inline]
    pub fn has_cell(&self, cell: CellId) -> bool {
        self.cells.get(cell).is_some_and(|record| record.alive)
    }
    /// Whether the slot exists and is in use.
    #[inline]
    pub fn has_net(&self, net: NetId) -> bool {
        self.nets.get(net).is_some_and(|record| record.alive)
    }
    /// Whether the pin exists and its cell is in use.
    pub fn has_pin(&self, pin: PinId) -> bool {
        self.pins.get(pin).is_some_and(|record| match record.owner {
            Owner::Cell(cell, _) => self.has_cell(cell),
            Owner::Port(_) => true,
        })
    }
    /// The record of a cell slot.
    #[inline]
    pub fn cell(&self, cell: CellId) -> &CellRecord {
        &self.cells[cell]
    }
    /// The master of a cell.
    #[inline]
    pub fn master(&self, cell: CellId) -> &Master {
        &self.base.context.library.masters[self.cells[cell].master]
    }
    /// The master id of a cell.
    #[inline]
    pub fn master_id(&self, cell: CellId) -> MasterId {
        self.cells[cell].master
    }
    /// Where a cell stands.
    #[inline]
    pub fn place(&self, cell: CellId) -> Place {
        self.places[cell]
    }
    /// Outline of a cell where it stands, DBU.
    #[inline]
    pub fn outline(&self, cell: CellId) -> Rect {
        self.outline_at(cell, self.places[cell])
    }
    /// Outline of a cell if it stood at `place`, DBU.
    pub fn outline_at(&self, cell: CellId, place: Place) -> Rect {
        let master = self.master(cell);
        let (width, height) = place.orient.size(master.width, master.height);
        let (x, y) = (place.x, place.y);
        Rect {
            lo: Point::new(x, y),
            hi: Point::new(x.saturating_add(width), y.saturating_add(height)),
        }
    }
    /// The pins of a cell in master pin order.
    #[inline]
    pub fn cell_pins(&self, cell: CellId) -> impl ExactSizeIterator<Item = PinId> + use<> {
        let first = self.cells[cell].first_pin.0;
        let count = self.master(cell).pins.len() as u32;
        (first..first + count).map(PinId)
    }
    /// The record of a net slot.
    #[inline]
    pub fn net(&self, net: NetId) -> &NetRecord {
        &self.nets[net]
    }
    /// The pins of a net in ascending order.
    #[inline]
    pub fn net_pins(&self, net: NetId) -> &[PinId] {
        &self.net_pins[net]
    }
    /// The pin that drives a net: the lowest output pin or input port, else the lowest inout;
    /// `None` when there is none.
    #[inline]
    pub fn driver(&self, net: NetId) -> Option<PinId> {
        self.drivers[net].some()
    }
    /// The owner of a pin.
    #[inline]
    pub fn owner(&self, pin: PinId) -> Owner {
        self.pins[pin].owner
    }
    /// The net of a pin.
    #[inline]
    pub fn pin_net(&self, pin: PinId) -> Option<NetId> {
        self.pins[pin].net.some()
    }
    /// The direction of a pin seen from its net's side of a cell: an input *port* drives its net,
    /// so its pin counts as an output here.
    pub fn pin_direction(&self, pin: PinId) -> PinDirection {
        match self.pins[pin].owner {
            Owner::Cell(cell, master_pin) => self.master(cell).pins[master_pin.index()].direction,
            Owner::Port(port) => match self.ports()[port].direction {
                PinDirection::Input => PinDirection::Output,
                PinDirection::Output => PinDirection::Input,
                other => other,
            },
        }
    }
    /// Where a pin lies, DBU: the middle of its shapes on its placed cell, or the port's location.
    /// `None` for a port without location. A cell without place counts as standing at the origin.
    #[inline]
    pub fn pin_location(&self, pin: PinId) -> Option<Point> {
        match self.pins[pin].owner {
            Owner::Cell(cell, master_pin) => {
                let place = self.places[cell];
                let offset = self.master(cell).pin_offset(master_pin, place.orient);
                Some(Point::new(place.x.wrapping_add(offset.x), place.y.wrapping_add(offset.y)))
            }
            Owner::Port(port) => self.ports()[port].location,
        }
    }

    // ---- names ----

    /// The name of a cell; empty for an emptied slot.
    pub fn cell_name(&self, cell: CellId) -> &str {
        new_name(&self.base.context.cell_names, &self.new_cell_names, cell.0)
    }
    /// The name of a net; empty for an emptied slot.
    pub fn net_name(&self, net: NetId) -> &str {
        new_name(&self.base.context.net_names, &self.new_net_names, net.0)
    }
    /// The name of a port.
    pub fn port_name(&self, port: PortId) -> &str {
        self.base.context.port_names.get(port.0)
    }
    /// `cell/pin`, or the port's name.
    pub fn pin_name(&self, pin: PinId) -> String {
        match self.pins[pin].owner {
            Owner::Cell(cell, master_pin) => {
                let pin = &self.master(cell).pins[master_pin.index()].name;
                format!("{}/{pin}", self.cell_name(cell))
            }
            Owner::Port(port) => self.port_name(port).to_owned(),
        }
    }
    /// The living cell of a name.
    pub fn find_cell(&self, name: &str) -> Option<CellId> {
        Store::find_cell(self, name)
    }
    /// The living net of a name.
    pub fn find_net(&self, name: &str) -> Option<NetId> {
        Store::find_net(self, name)
    }
    /// The port of a name.
    pub fn find_port(&self, name: &str) -> Option<PortId> {
        self.base.context.port_names.find(name).map(PortId)
    }
    /// The pin of a name as [`Design::pin_name`] writes it; a port's name gives the port's pin.
    pub fn find_pin(&self, name: &str) -> Option<PinId> {
        if let Some(port) = self.find_port(name) {
            return Some(self.ports()[port].pin);
        }
        let (cell, pin) = name.rsplit_once('/')?;
        let cell = self.find_cell(cell)?;
        let pin = self.master(cell).pin(pin)?;
        Some(PinId(self.cells[cell].first_pin.0 + pin.0))
    }

    // ---- changing ----

    /// The stamp of the present state.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }
    /// The present position in the undo log.
    pub fn mark(&self) -> Mark {
        Mark(self.log.len())
    }
    /// Carries out one change and logs it.
    ///
    /// # Errors
    /// See [`DeltaError`]; nothing has changed then.
    pub fn run(&mut self, op: Op) -> Result<(), DeltaError> {
        let slots = self.cells.len() + self.nets.len();
        store::run(self, &op)?;
        let grew = self.cells.len() + self.nets.len() > slots;
        let before = self.stamp;
        self.stamp = stir(before, &op);
        self.log.push(Entry { op, before, grew });
        Ok(())
    }
    /// Moves a cell.
    ///
    /// # Errors
    /// [`DeltaError::Missing`].
    pub fn move_cell(&mut self, cell: CellId, to: Place) -> Result<(), DeltaError> {
        let from = self.places.get(cell).copied().unwrap_or_default();
        self.run(Op::Move { cell, from, to })
    }
    /// Gives a cell another master with the same signal pins.
    ///
    /// # Errors
    /// [`DeltaError::Missing`], [`DeltaError::OtherPins`], [`DeltaError::NoMaster`].
    pub fn resize_cell(&mut self, cell: CellId, to: MasterId) -> Result<(), DeltaError> {
        let from = self.cells.get(cell).map_or(MasterId::NONE, |record| record.master);
        self.run(Op::Resize { cell, from, to })
    }
    /// Applies all of `delta` or none of it.
    ///
    /// # Errors
    /// The first op that does not apply; the state is as before then.
    pub fn apply(&mut self, delta: &Delta) -> Result<(), DeltaError> {
        let mark = self.mark();
        for op in &delta.ops {
            if let Err(error) = self.run(op.clone()) {
                self.undo_to(mark);
                return Err(error);
            }
        }
        Ok(())
    }
    /// Takes back everything since `mark`, exactly.
    pub fn undo_to(&mut self, mark: Mark) {
        while self.log.len() > mark.0 {
            let Some(entry) = self.log.pop() else { break };
            self.take_back(&entry);
            self.stamp = entry.before;
        }
    }
    /// What was done since `mark`, as a delta.
    pub fn delta_since(&self, mark: Mark) -> Delta {
        Delta { ops: self.ops_since(mark).cloned().collect() }
    }
    /// What was done since `mark`, in order.
    pub fn ops_since(&self, mark: Mark) -> impl DoubleEndedIterator<Item = &Op> {
        self.log[mark.0.min(self.log.len())..].iter().map(|entry| &entry.op)
    }
    /// The stamp that held at `mark`.
    pub fn stamp_at(&self, mark: Mark) -> Stamp {
        self.log.get(mark.0).map_or(self.stamp, |entry| entry.before)
    }
    /// Makes the present state a snapshot and empties the undo log. Costs what was done since the
    /// last commit.
    pub fn commit(&mut self) -> Snapshot {
        let mut child = self.base.clone();
        for entry in self.log.drain(..) {
            // The flat state accepted the op from the same state, so the snapshot does too.
            let ran = store::run(&mut child, &entry.op);
            debug_assert!(ran.is_ok(), "{ran:?}");
        }
        self.base = child.clone();
        child
    }
    /// The snapshot of the last commit.
    pub fn base(&self) -> &Snapshot {
        &self.base
    }
    /// The present state as a snapshot, without touching the undo log.
    pub fn snapshot(&self) -> Snapshot {
        let mut child = self.base.clone();
        for entry in &self.log {
            let ran = store::run(&mut child, &entry.op);
            debug_assert!(ran.is_ok(), "{ran:?}");
        }
        child
    }
    /// The slot that the next new cell takes.
    pub fn next_cell(&self) -> CellId {
        CellId::new(self.cells.len())
    }
    /// The slot that the next new net takes.
    pub fn next_net(&self) -> NetId {
        NetId::new(self.nets.len())
    }

    fn take_back(&mut self, entry: &Entry) {
        match &entry.op {
            Op::AddCell(new) if entry.grew => {
                let pins = self.library().masters[new.master].pins.len();
                self.cells.pop();
                self.places.pop();
                self.new_cell_names.pop();
                (0..pins).for_each(|_| {
                    self.pins.pop();
                });
            }
            Op::AddNet(_) if entry.grew => {
                self.nets.pop();
                self.net_pins.pop();
                self.drivers.pop();
                self.new_net_names.pop();
            }
            op => {
                let ran = store::run(self, &op.inverse());
                debug_assert!(ran.is_ok(), "{ran:?}");
            }
        }
    }

    fn find_driver(&self, net: NetId) -> PinId {
        let mut inout = PinId::NONE;
        for &pin in &self.net_pins[net] {
            match self.pin_direction(pin) {
                PinDirection::Output => return pin,
                PinDirection::Inout if inout.is_none() => inout = pin,
                _ => {}
            }
        }
        inout
    }
}

fn prefix(hash: &[u8; 32]) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash[..8]);
    bytes
}

/// A stamp after an op: a 64-bit mix (the finaliser of SplitMix64) of the old stamp and the op.
fn stir(stamp: Stamp, op: &Op) -> Stamp {
    let mix = |seed: u64, value: u64| {
        let mut z = (seed ^ value).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let pair = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
    let place = |seed: u64, place: &Place| {
        let seed = mix(seed, pair(place.x as u32, place.y as u32));
        mix(seed, pair(place.orient as u32, place.status as u32))
    };
    Stamp(match op {
        Op::Move { cell, to, .. } => place(mix(stamp.0, pair(0, cell.0)), to),
        Op::Resize { cell, to, .. } => mix(mix(stamp.0, pair(1, cell.0)), u64::from(to.0)),
        Op::AddCell(new) => place(
            mix(mix(stamp.0, pair(2, new.cell.0)), pair(new.master.0, new.region.0)),
            &new.place,
        ),
        Op::RemoveCell(old) => mix(stamp.0, pair(3, old.cell.0)),
        Op::AddNet(new) => mix(mix(stamp.0, pair(4, new.net.0)), new.kind as u64),
        Op::RemoveNet(old) => mix(stamp.0, pair(5, old.net.0)),
        Op::Connect { pin, to, .. } => mix(mix(stamp.0, pair(6, pin.0)), u64::from(to.0)),
    })
}

fn new_name<'a>(base: &'a crate::names::Names, new: &'a NewNames, number: u32) -> &'a str {
    match (number as usize).checked_sub(base.len()) {
        None => base.get(number),
        Some(index) => new.names.get(index).map_or("", |name| name),
    }
}

impl Store for Design {
    fn library(&self) -> &Arc<Library> {
        &self.base.context.library
    }
    fn cell(&self, cell: CellId) -> Option<CellRecord> {
        self.cells.get(cell).copied()
    }
    fn place(&self, cell: CellId) -> Place {
        self.places.get(cell).copied().unwrap_or_default()
    }
    fn net(&self, net: NetId) -> Option<NetRecord> {
        self.nets.get(net).copied()
    }
    fn net_is_bare(&self, net: NetId) -> bool {
        self.net_pins.get(net).is_none_or(|pins| pins.is_empty())
    }
    fn pin(&self, pin: PinId) -> Option<PinRecord> {
        self.pins.get(pin).copied()
    }
    fn cells_len(&self) -> usize {
        self.cells.len()
    }
    fn nets_len(&self) -> usize {
        self.nets.len()
    }
    fn pins_len(&self) -> usize {
        self.pins.len()
    }
    fn find_cell(&self, name: &str) -> Option<CellId> {
        let names = &self.base.context.cell_names;
        let base = names.find(name).map(CellId).filter(|cell| self.has_cell(*cell));
        base.or_else(|| {
            let new = self.new_cell_names.index.get(name)?;
            Some(CellId::new(names.len() + *new as usize))
        })
    }
    fn find_net(&self, name: &str) -> Option<NetId> {
        let names = &self.base.context.net_names;
        let base = names.find(name).map(NetId).filter(|net| self.has_net(*net));
        base.or_else(|| {
            let new = self.new_net_names.index.get(name)?;
            Some(NetId::new(names.len() + *new as usize))
        })
    }
    fn cell_name_is(&self, cell: CellId, name: &str) -> bool {
        self.cell_name(cell) == name
    }
    fn net_name_is(&self, net: NetId, name: &str) -> bool {
        self.net_name(net) == name
    }
    #[inline]
    fn set_cell(&mut self, cell: CellId, record: CellRecord) {
        self.cells[cell] = record;
    }
    #[inline]
    fn set_place(&mut self, cell: CellId, place: Place) {
        self.places[cell] = place;
    }
    fn set_net(&mut self, net: NetId, record: NetRecord) {
        self.nets[net] = record;
    }
    fn set_pin_net(&mut self, pin: PinId, from: NetId, to: NetId) {
        self.pins[pin].net = to;
        let may_drive = self.pin_direction(pin).drives();
        if let Some(from) = from.some() {
            let pins = &mut self.net_pins[from];
            if let Ok(at) = pins.binary_search(&pin) {
                pins.remove(at);
            }
            if self.drivers[from] == pin {
                self.drivers[from] = self.find_driver(from);
            }
        }
        if let Some(to) = to.some() {
            let pins = &mut self.net_pins[to];
            if let Err(at) = pins.binary_search(&pin) {
                pins.insert(at, pin);
            }
            if may_drive {
                self.drivers[to] = self.find_driver(to);
            }
        }
    }
    fn push_cell(&mut self, record: CellRecord, place: Place, name: &Arc<str>) {
        self.cells.push(record);
        self.places.push(place);
        self.new_cell_names.push(name.clone());
    }
    fn push_net(&mut self, record: NetRecord, name: &Arc<str>) {
        self.nets.push(record);
        self.net_pins.push(NetPins::new());
        self.drivers.push(PinId::NONE);
        self.new_net_names.push(name.clone());
    }
    fn push_pin(&mut self, record: PinRecord) {
        self.pins.push(record);
    }
    fn set_cell_name(&mut self, cell: CellId, name: Option<&Arc<str>>) {
        if let Some(index) = cell.index().checked_sub(self.base.context.cell_names.len()) {
            self.new_cell_names.set(index, name);
        }
    }
    fn set_net_name(&mut self, net: NetId, name: Option<&Arc<str>>) {
        if let Some(index) = net.index().checked_sub(self.base.context.net_names.len()) {
            self.new_net_names.set(index, name);
        }
    }
}
