//! Snapshots: immutable, shared, content-addressed states of a design.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::cow::{CowVec, Hash};
use crate::delta::{Delta, DeltaError, NewCell, NewNet, Op};
use crate::floorplan::Floorplan;
use crate::ids::{CellId, IdVec, NetId, PinId, PortId, RegionId};
use crate::library::Library;
use crate::names::Names;
use crate::records::{CellRecord, NetKind, NetPins, NetRecord, PinRecord, Place, PortRecord};
use crate::store::{self, Store};
use crate::tech::Technology;

/// The Merkle root of a snapshot, written `snap:<64 hex>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Root(pub Hash);

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "snap:{}", blake3::Hash::from(self.0).to_hex())
    }
}

impl fmt::Debug for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What no delta changes: technology, library, floorplan, ports and the names read from files.
#[derive(Debug)]
pub struct Context {
    /// Design (top module) name.
    pub name: String,
    /// Technology.
    pub tech: Arc<Technology>,
    /// Library.
    pub library: Arc<Library>,
    /// Floorplan.
    pub floorplan: Arc<Floorplan>,
    /// Top-level ports.
    pub ports: IdVec<PortId, PortRecord>,
    /// Names of ports by [`PortId`].
    pub port_names: Names,
    /// Names of the cells that were read, by [`CellId`].
    pub cell_names: Names,
    /// Names of the nets that were read, by [`NetId`].
    pub net_names: Names,
    pub(crate) digest: OnceLock<Hash>,
}

impl Context {
    fn digest(&self) -> Hash {
        *self.digest.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            let mut text = |text: &str| {
                hasher.update(&(text.len() as u64).to_le_bytes());
                hasher.update(text.as_bytes());
            };
            text(&self.name);
            for names in [&self.port_names, &self.cell_names, &self.net_names] {
                text(&names.len().to_string());
                (0..names.len() as u32).for_each(|number| text(names.get(number)));
            }
            for (_, port) in self.ports.iter() {
                text(&format!("{port:?}"));
            }
            hasher.update(&self.tech.digest);
            hasher.update(&self.library.digest);
            hasher.update(&self.floorplan.digest);
            *hasher.finalize().as_bytes()
        })
    }
}

/// An immutable state. Cloning costs about a microsecond whatever the size of the design.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) context: Arc<Context>,
    pub(crate) cells: CowVec<CellRecord>,
    pub(crate) places: CowVec<Place>,
    pub(crate) nets: CowVec<NetRecord>,
    pub(crate) pins: CowVec<PinRecord>,
    /// Derived from `pins`; not hashed.
    pub(crate) net_pins: CowVec<NetPins>,
    /// Names of cells beyond those in the context.
    pub(crate) new_cell_names: CowVec<Arc<str>>,
    /// Names of nets beyond those in the context.
    pub(crate) new_net_names: CowVec<Arc<str>>,
}

impl Snapshot {
    /// The Merkle root. The first call after a change hashes what changed.
    ///
    /// BLAKE3 over a version tag, the context's digest and the root of each collection: cells,
    /// places, nets, pins, names of new cells, names of new nets.
    pub fn root(&self) -> Root {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"cellwright snapshot v1");
        hasher.update(&self.context.digest());
        hasher.update(&self.cells.root());
        hasher.update(&self.places.root());
        hasher.update(&self.nets.root());
        hasher.update(&self.pins.root());
        hasher.update(&self.new_cell_names.root());
        hasher.update(&self.new_net_names.root());
        Root(*hasher.finalize().as_bytes())
    }

    /// What no delta changes.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
    /// The record of a living cell.
    pub fn cell(&self, cell: CellId) -> Option<CellRecord> {
        self.cells.get(cell.index()).copied().filter(|record| record.alive)
    }
    /// Where a living cell stands.
    pub fn place(&self, cell: CellId) -> Option<Place> {
        self.cell(cell).and_then(|_| self.places.get(cell.index()).copied())
    }
    /// The record of a living net.
    pub fn net(&self, net: NetId) -> Option<NetRecord> {
        self.nets.get(net.index()).copied().filter(|record| record.alive)
    }
    /// The record of a pin.
    pub fn pin(&self, pin: PinId) -> Option<PinRecord> {
        self.pins.get(pin.index()).copied()
    }
    /// The pins of a net in ascending order.
    pub fn net_pins(&self, net: NetId) -> &[PinId] {
        self.net_pins.get(net.index()).map_or(&[], |pins| pins)
    }
    /// The name of a cell.
    pub fn cell_name(&self, cell: CellId) -> &str {
        name(&self.context.cell_names, &self.new_cell_names, cell.index())
    }
    /// The name of a net.
    pub fn net_name(&self, net: NetId) -> &str {
        name(&self.context.net_names, &self.new_net_names, net.index())
    }
    /// How many cell slots there are, emptied ones included.
    pub fn cell_slots(&self) -> usize {
        self.cells.len()
    }
    /// How many net slots there are, emptied ones included.
    pub fn net_slots(&self) -> usize {
        self.nets.len()
    }

    /// The child snapshot after `delta`. Costs what the delta touches; the parent stays.
    ///
    /// # Errors
    /// The first op that does not apply.
    pub fn apply(&self, delta: &Delta) -> Result<Snapshot, DeltaError> {
        let mut child = self.clone();
        for op in &delta.ops {
            store::run(&mut child, op)?;
        }
        Ok(child)
    }

    /// The delta that makes `other` from this snapshot of the same lineage. Costs what differs.
    ///
    /// # Errors
    /// [`DeltaError::Refused`] when the two have different contexts.
    pub fn diff(&self, other: &Snapshot) -> Result<Delta, DeltaError> {
        if !Arc::ptr_eq(&self.context, &other.context)
            && self.context.digest() != other.context.digest()
        {
            return Err(DeltaError::Refused {
                id: other.root().to_string(),
                why: "it belongs to another design".to_owned(),
            });
        }
        let mut delta = Delta::default();
        let mut added = Vec::new();
        let mut removed = Vec::new();
        for index in self.nets.unshared(&other.nets).flatten() {
            let net = NetId::new(index);
            let new = |snapshot: &Snapshot, record: NetRecord| NewNet {
                net,
                name: snapshot.net_name(net).into(),
                kind: record.kind,
            };
            match (self.net(net), other.net(net)) {
                (Some(record), None) => removed.push(Op::RemoveNet(new(self, record))),
                (None, Some(record)) => delta.ops.push(Op::AddNet(new(other, record))),
                // A slot that was taken and emptied since: it must exist for later slots to follow.
                (None, None) if (self.nets.len()..other.nets.len()).contains(&index) => {
                    let name = format!("cw_gap_{index}").into();
                    let gap = NewNet { net, name, kind: NetKind::Signal };
                    delta.ops.extend([Op::AddNet(gap.clone()), Op::RemoveNet(gap)]);
                }
                _ => {}
            }
        }
        for index in self.cells.unshared(&other.cells).flatten() {
            let cell = CellId::new(index);
            let new = |snapshot: &Snapshot, record: CellRecord| NewCell {
                cell,
                name: snapshot.cell_name(cell).into(),
                master: record.master,
                place: snapshot.place(cell).unwrap_or_default(),
                region: record.region,
            };
            match (self.cell(cell), other.cell(cell)) {
                (Some(record), None) => removed.push(Op::RemoveCell(new(self, record))),
                (None, Some(record)) => added.push(Op::AddCell(new(other, record))),
                (Some(a), Some(b)) if a.master != b.master => {
                    delta.ops.push(Op::Resize { cell, from: a.master, to: b.master });
                }
                (None, None) if (self.cells.len()..other.cells.len()).contains(&index) => {
                    // Its pins took numbers too, so the gap has the master that they belong to.
                    let Some(record) = other.cells.get(index) else { continue };
                    let gap = NewCell {
                        cell,
                        name: format!("cw_gap_{index}").into(),
                        master: record.master,
                        place: Place::default(),
                        region: RegionId::NONE,
                    };
                    added.extend([Op::AddCell(gap.clone()), Op::RemoveCell(gap)]);
                }
                _ => {}
            }
        }
        delta.ops.append(&mut added);
        for index in self.places.unshared(&other.places).flatten() {
            let cell = CellId::new(index);
            if let (Some(from), Some(to)) = (self.place(cell), other.place(cell))
                && from != to
            {
                delta.ops.push(Op::Move { cell, from, to });
            }
        }
        for index in self.pins.unshared(&other.pins).flatten() {
            let pin = PinId::new(index);
            let net = |snapshot: &Snapshot| snapshot.pin(pin).map_or(NetId::NONE, |pin| pin.net);
            let (from, to) = (net(self), net(other));
            if from != to {
                delta.ops.push(Op::Connect { pin, from, to });
            }
        }
        delta.ops.append(&mut removed);
        Ok(delta)
    }
}

fn name<'a>(base: &'a Names, new: &'a CowVec<Arc<str>>, index: usize) -> &'a str {
    match index.checked_sub(base.len()) {
        None => base.get(index as u32),
        Some(index) => new.get(index).map_or("", |name| name),
    }
}

impl Store for Snapshot {
    fn library(&self) -> &Arc<Library> {
        &self.context.library
    }
    fn cell(&self, cell: CellId) -> Option<CellRecord> {
        self.cells.get(cell.index()).copied()
    }
    fn place(&self, cell: CellId) -> Place {
        self.places.get(cell.index()).copied().unwrap_or_default()
    }
    fn net(&self, net: NetId) -> Option<NetRecord> {
        self.nets.get(net.index()).copied()
    }
    fn net_is_bare(&self, net: NetId) -> bool {
        self.net_pins.get(net.index()).is_none_or(|pins| pins.is_empty())
    }
    fn pin(&self, pin: PinId) -> Option<PinRecord> {
        self.pins.get(pin.index()).copied()
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
        let base = self.context.cell_names.find(name).map(CellId);
        // New names are scanned: a snapshot edit is rare, and the flat state keeps an index.
        base.filter(|cell| Snapshot::cell(self, *cell).is_some()).or_else(|| {
            let found = self.new_cell_names.iter().position(|new| &**new == name)?;
            Some(CellId::new(self.context.cell_names.len() + found))
        })
    }
    fn find_net(&self, name: &str) -> Option<NetId> {
        let base = self.context.net_names.find(name).map(NetId);
        base.filter(|net| Snapshot::net(self, *net).is_some()).or_else(|| {
            let found = self.new_net_names.iter().position(|new| &**new == name)?;
            Some(NetId::new(self.context.net_names.len() + found))
        })
    }
    fn cell_name_is(&self, cell: CellId, name: &str) -> bool {
        self.cell_name(cell) == name
    }
    fn net_name_is(&self, net: NetId, name: &str) -> bool {
        self.net_name(net) == name
    }
    fn set_cell(&mut self, cell: CellId, record: CellRecord) {
        self.cells.set(cell.index(), record);
    }
    fn set_place(&mut self, cell: CellId, place: Place) {
        self.places.set(cell.index(), place);
    }
    fn set_net(&mut self, net: NetId, record: NetRecord) {
        self.nets.set(net.index(), record);
    }
    fn set_pin_net(&mut self, pin: PinId, from: NetId, to: NetId) {
        if let Some(record) = self.pins.get_mut(pin.index()) {
            record.net = to;
        }
        if let Some(pins) = self.net_pins.get_mut(from.index()) {
            pins.retain(|other| *other != pin);
        }
        if let Some(pins) = self.net_pins.get_mut(to.index())
            && let Err(at) = pins.binary_search(&pin)
        {
            pins.insert(at, pin);
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
        self.new_net_names.push(name.clone());
    }
    fn push_pin(&mut self, record: PinRecord) {
        self.pins.push(record);
    }
    fn set_cell_name(&mut self, cell: CellId, name: Option<&Arc<str>>) {
        if let Some(index) = cell.index().checked_sub(self.context.cell_names.len()) {
            self.new_cell_names.set(index, name.cloned().unwrap_or_default());
        }
    }
    fn set_net_name(&mut self, net: NetId, name: Option<&Arc<str>>) {
        if let Some(index) = net.index().checked_sub(self.context.net_names.len()) {
            self.new_net_names.set(index, name.cloned().unwrap_or_default());
        }
    }
}
