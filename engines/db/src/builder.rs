//! Puts a first snapshot together from what readers found.

use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use crate::floorplan::Floorplan;
use crate::geom::{Point, Rect};
use crate::ids::{CellId, IdVec, LayerId, MasterId, MasterPinId, NetId, PinId, PortId, RegionId};
use crate::library::{Library, PinDirection};
use crate::names::Names;
use crate::records::{
    CellRecord, NetKind, NetPins, NetRecord, Owner, PinRecord, Place, PortRecord,
};
use crate::snapshot::{Context, Snapshot};
use crate::tech::Technology;

/// Collects cells, nets and ports; [`DesignBuilder::finish`] makes the snapshot.
///
/// The builder trusts its caller with names: they should be unique per kind (the readers check).
#[derive(Debug)]
pub struct DesignBuilder {
    name: String,
    tech: Arc<Technology>,
    library: Arc<Library>,
    cells: IdVec<CellId, CellRecord>,
    places: IdVec<CellId, Place>,
    nets: IdVec<NetId, NetRecord>,
    pins: IdVec<PinId, PinRecord>,
    ports: IdVec<PortId, PortRecord>,
    cell_names: Names,
    net_names: Names,
    port_names: Names,
}

impl DesignBuilder {
    /// An empty design called `name`.
    pub fn new(name: &str, tech: Arc<Technology>, library: Arc<Library>) -> Self {
        DesignBuilder {
            name: name.to_owned(),
            tech,
            library,
            cells: IdVec::new(),
            places: IdVec::new(),
            nets: IdVec::new(),
            pins: IdVec::new(),
            ports: IdVec::new(),
            cell_names: Names::new(),
            net_names: Names::new(),
            port_names: Names::new(),
        }
    }
    /// The library.
    pub fn library(&self) -> &Library {
        &self.library
    }
    /// The technology.
    pub fn tech(&self) -> &Technology {
        &self.tech
    }

    /// Adds a net.
    pub fn add_net(&mut self, name: &str, kind: NetKind) -> NetId {
        self.net_names.push(name);
        self.nets.push(NetRecord { alive: true, kind, dont_touch: false })
    }
    /// Adds a top-level port, with its pin; `location` and `shapes` in DBU.
    pub fn add_port(
        &mut self,
        name: &str,
        direction: PinDirection,
        net: NetId,
        location: Option<Point>,
        shapes: Vec<(LayerId, Rect)>,
        bus: Option<(String, i32)>,
    ) -> PortId {
        let port = PortId::new(self.ports.len());
        let pin = self.pins.push(PinRecord { owner: Owner::Port(port), net });
        self.port_names.push(name);
        self.ports.push(PortRecord { direction, pin, location, shapes, bus })
    }
    /// Adds an unconnected cell.
    pub fn add_cell(&mut self, name: &str, master: MasterId, place: Place) -> CellId {
        let cell = CellId::new(self.cells.len());
        let first_pin = PinId::new(self.pins.len());
        for pin in 0..self.library.masters[master].pins.len() {
            let owner = Owner::Cell(cell, MasterPinId::new(pin));
            self.pins.push(PinRecord { owner, net: NetId::NONE });
        }
        self.cell_names.push(name);
        self.places.push(place);
        let region = RegionId::NONE;
        self.cells.push(CellRecord { master, first_pin, region, alive: true, dont_touch: false })
    }
    /// Connects a pin of a cell.
    pub fn connect(&mut self, cell: CellId, pin: MasterPinId, net: NetId) {
        let pin = PinId(self.cells[cell].first_pin.0 + pin.0);
        self.pins[pin].net = net;
    }
    /// The net that a pin of a cell is on.
    pub fn net_of(&self, cell: CellId, pin: MasterPinId) -> Option<NetId> {
        self.pins[PinId(self.cells[cell].first_pin.0 + pin.0)].net.some()
    }
    /// Places a cell.
    pub fn place(&mut self, cell: CellId, place: Place) {
        self.places[cell] = place;
    }
    /// Binds a cell to a region.
    pub fn set_region(&mut self, cell: CellId, region: RegionId) {
        self.cells[cell].region = region;
    }
    /// Marks a cell `dont_touch`.
    pub fn set_dont_touch(&mut self, cell: CellId) {
        self.cells[cell].dont_touch = true;
    }
    /// Sets what a net carries.
    pub fn set_net_kind(&mut self, net: NetId, kind: NetKind) {
        self.nets[net].kind = kind;
    }
    /// Gives a port its location.
    pub fn place_port(&mut self, port: PortId, location: Point, shapes: Vec<(LayerId, Rect)>) {
        self.ports[port].location = Some(location);
        self.ports[port].shapes = shapes;
    }
    /// The master of a cell.
    pub fn master(&self, cell: CellId) -> MasterId {
        self.cells[cell].master
    }
    /// The cell of a name.
    pub fn find_cell(&self, name: &str) -> Option<CellId> {
        self.cell_names.find(name).map(CellId)
    }
    /// The net of a name.
    pub fn find_net(&self, name: &str) -> Option<NetId> {
        self.net_names.find(name).map(NetId)
    }
    /// The port of a name.
    pub fn find_port(&self, name: &str) -> Option<PortId> {
        self.port_names.find(name).map(PortId)
    }
    /// The name of a cell.
    pub fn cell_name(&self, cell: CellId) -> &str {
        self.cell_names.get(cell.0)
    }
    /// How many cells there are.
    pub fn cells_len(&self) -> usize {
        self.cells.len()
    }
    /// How many nets there are.
    pub fn nets_len(&self) -> usize {
        self.nets.len()
    }

    /// The snapshot. Seals the floorplan.
    pub fn finish(self, mut floorplan: Floorplan) -> Snapshot {
        floorplan.rows.sort_by_key(|row| (row.origin.y, row.origin.x));
        floorplan.halos.sort_by_key(|halo| halo.cell);
        floorplan.seal();
        let mut net_pins = vec![NetPins::new(); self.nets.len()];
        for (pin, record) in self.pins.iter() {
            if let Some(net) = record.net.some() {
                net_pins[net.index()].push(pin);
            }
        }
        for pins in &mut net_pins {
            SmallVec::shrink_to_fit(pins);
        }
        Snapshot {
            cells: self.cells.as_slice().iter().copied().collect(),
            places: self.places.as_slice().iter().copied().collect(),
            nets: self.nets.as_slice().iter().copied().collect(),
            pins: self.pins.as_slice().iter().copied().collect(),
            net_pins: net_pins.into_iter().collect(),
            new_cell_names: Default::default(),
            new_net_names: Default::default(),
            context: Arc::new(Context {
                name: self.name,
                tech: self.tech,
                library: self.library,
                floorplan: Arc::new(floorplan),
                ports: self.ports,
                port_names: self.port_names,
                cell_names: self.cell_names,
                net_names: self.net_names,
                digest: OnceLock::new(),
            }),
        }
    }
}
