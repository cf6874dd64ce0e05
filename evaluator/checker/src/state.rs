//! A snapshot laid out flat: living cells with their outlines, nets with their pins.

use cellwright_db::library::PinDirection;
use cellwright_db::{CellId, Design, Master, MasterId, NetId, Owner, PinId, Place, Snapshot};

use crate::area2d::{Area, turned_point, turned_size};

/// A living cell.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Its id.
    pub id: CellId,
    /// Its master.
    pub master: MasterId,
    /// Where it stands.
    pub place: Place,
    /// Its outline where it stands, DBU; meaningless when it has no place.
    pub outline: Area,
}

/// A design state to be checked.
#[derive(Debug)]
pub struct State {
    /// The data model's own flat form: records and names are read from it.
    pub design: Design,
    /// Living cells in ascending order.
    pub cells: Vec<Cell>,
    /// Pins by net slot, ascending; collected from the pins' own records.
    pub net_pins: Vec<Vec<PinId>>,
}

impl State {
    /// Lays a snapshot out.
    pub fn new(snapshot: &Snapshot) -> State {
        let design = Design::new(snapshot);
        let cells = design
            .cells()
            .map(|id| {
                let (place, master) = (design.place(id), design.master(id));
                let (width, height) =
                    turned_size(place.orient, master.width.into(), master.height.into());
                let outline = Area::at(place.x.into(), place.y.into(), width, height);
                Cell { id, master: design.master_id(id), place, outline }
            })
            .collect();
        let mut net_pins = vec![Vec::new(); design.net_slots()];
        for pin in (0..design.pin_slots()).map(PinId::new) {
            if let Some(net) = design.pin_net(pin)
                && let Some(pins) = net_pins.get_mut(net.index())
            {
                pins.push(pin);
            }
        }
        State { design, cells, net_pins }
    }

    /// A master of the library.
    pub fn master(&self, id: MasterId) -> &Master {
        &self.design.library().masters[id]
    }
    /// The pins of a net.
    pub fn pins(&self, net: NetId) -> &[PinId] {
        self.net_pins.get(net.index()).map_or(&[], Vec::as_slice)
    }
    /// Where a pin lies, DBU: the centre of its shapes on its cell, or the port's location. A cell
    /// without place counts as standing where its record says, which is the origin.
    pub fn pin_point(&self, pin: PinId) -> Option<(i64, i64)> {
        match self.design.owner(pin) {
            Owner::Cell(cell, number) => {
                let (place, master) = (self.design.place(cell), self.design.master(cell));
                let offset = master.pins.get(number.index())?.offset;
                let (width, height) = (master.width.into(), master.height.into());
                let (x, y) = turned_point(place.orient, offset, width, height);
                Some((i64::from(place.x) + x, i64::from(place.y) + y))
            }
            Owner::Port(port) => {
                let at = self.design.ports()[port].location?;
                Some((at.x.into(), at.y.into()))
            }
        }
    }
    /// Whether the pin's cell has a place; true for ports.
    pub fn is_placed(&self, pin: PinId) -> bool {
        match self.design.owner(pin) {
            Owner::Cell(cell, _) => self.design.place(cell).is_placed(),
            Owner::Port(_) => true,
        }
    }
    /// Direction of a pin as its net sees it: an input port drives.
    pub fn direction(&self, pin: PinId) -> PinDirection {
        match self.design.owner(pin) {
            Owner::Cell(cell, number) => self
                .design
                .master(cell)
                .pins
                .get(number.index())
                .map_or(PinDirection::Unknown, |pin| pin.direction),
            Owner::Port(port) => match self.design.ports()[port].direction {
                PinDirection::Input => PinDirection::Output,
                PinDirection::Output => PinDirection::Input,
                other => other,
            },
        }
    }
}
