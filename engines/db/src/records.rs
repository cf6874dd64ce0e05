//! What a snapshot stores for each object, and how it hashes.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::cow::Canonical;
use crate::geom::{Orient, Point, Rect};
use crate::ids::{CellId, LayerId, MasterId, MasterPinId, NetId, PinId, PortId, RegionId};
use crate::library::PinDirection;

/// Whether and how firmly a cell stands somewhere (DEF placement status).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[repr(u8)]
#[serde(rename_all = "snake_case")]
pub enum PlaceStatus {
    /// No location yet.
    #[default]
    Unplaced,
    /// Placed; may be moved.
    Placed,
    /// Must not move.
    Fixed,
    /// Must not move and is a cover macro.
    Cover,
}

/// Where a cell stands: the lower-left corner of the placed outline, as in DEF.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Place {
    /// DBU.
    pub x: i32,
    /// DBU.
    pub y: i32,
    /// Orientation.
    pub orient: Orient,
    /// Status.
    pub status: PlaceStatus,
}

impl Place {
    /// A movable place.
    pub const fn placed(x: i32, y: i32, orient: Orient) -> Self {
        Place { x, y, orient, status: PlaceStatus::Placed }
    }
    /// Whether the cell has a location.
    pub const fn is_placed(&self) -> bool {
        !matches!(self.status, PlaceStatus::Unplaced)
    }
    /// Whether the cell must not move.
    pub const fn is_fixed(&self) -> bool {
        matches!(self.status, PlaceStatus::Fixed | PlaceStatus::Cover)
    }
}

/// Per-cell facts besides the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRecord {
    /// The master.
    pub master: MasterId,
    /// The cell's pins are `first_pin ..` in master pin order.
    pub first_pin: PinId,
    /// Region that binds it, or [`RegionId::NONE`].
    pub region: RegionId,
    /// False for an emptied slot.
    pub alive: bool,
    /// Must be neither moved, resized nor rewired (`dont_touch`).
    pub dont_touch: bool,
}

/// Per-net facts besides its pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetRecord {
    /// False for an emptied slot.
    pub alive: bool,
    /// What it carries.
    pub kind: NetKind,
    /// Must not be rewired.
    pub dont_touch: bool,
}

/// What a net carries (DEF `USE`, or a Verilog constant).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum NetKind {
    /// A signal.
    #[default]
    Signal,
    /// Declared a clock.
    Clock,
    /// Power, or tied to constant 1.
    Power,
    /// Ground, or tied to constant 0.
    Ground,
}

impl NetKind {
    /// Whether the net counts as wire: supplies and constants do not.
    pub const fn is_routed(self) -> bool {
        matches!(self, NetKind::Signal | NetKind::Clock)
    }
}

/// What a pin belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A pin of a cell.
    Cell(CellId, MasterPinId),
    /// The inside of a top-level port.
    Port(PortId),
}

/// A pin: its owner, which never changes, and its net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinRecord {
    /// The owner.
    pub owner: Owner,
    /// The net, or [`NetId::NONE`].
    pub net: NetId,
}

/// The pins of a net in ascending order.
pub type NetPins = SmallVec<[PinId; 4]>;

/// A top-level port. Ports are part of the floorplan: no delta changes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortRecord {
    /// Direction seen from outside (an input port drives its net).
    pub direction: PinDirection,
    /// Its pin.
    pub pin: PinId,
    /// Location of the connection point, DBU, where it has one.
    pub location: Option<Point>,
    /// Shapes by layer, DBU, in place.
    pub shapes: Vec<(LayerId, Rect)>,
    /// Bus and bit when it is a bit of a bus port.
    pub bus: Option<(String, i32)>,
}

impl Canonical for CellRecord {
    fn is_empty(&self) -> bool {
        !self.alive
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.master.0.to_le_bytes());
        out.extend(self.first_pin.0.to_le_bytes());
        out.extend(self.region.0.to_le_bytes());
        out.push(u8::from(self.dont_touch));
    }
}

impl Canonical for Place {
    /// An unplaced cell has nothing to say; so has an emptied slot, whose place is reset.
    fn is_empty(&self) -> bool {
        *self == Place::default()
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.x.to_le_bytes());
        out.extend(self.y.to_le_bytes());
        out.push(self.orient as u8);
        out.push(self.status as u8);
    }
}

impl Canonical for NetRecord {
    fn is_empty(&self) -> bool {
        !self.alive
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.push(self.kind as u8);
        out.push(u8::from(self.dont_touch));
    }
}

impl Canonical for PinRecord {
    /// Pins of emptied slots are unconnected, and unconnected pins say nothing.
    fn is_empty(&self) -> bool {
        self.net.is_none()
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.net.0.to_le_bytes());
    }
}

impl Canonical for std::sync::Arc<str> {
    fn is_empty(&self) -> bool {
        str::is_empty(self)
    }
    fn write(&self, out: &mut Vec<u8>) {
        out.extend((self.len() as u32).to_le_bytes());
        out.extend(self.as_bytes());
    }
}

impl Canonical for NetPins {
    /// Derived from the pins' nets: never hashed.
    fn is_empty(&self) -> bool {
        true
    }
    fn write(&self, _: &mut Vec<u8>) {}
}
