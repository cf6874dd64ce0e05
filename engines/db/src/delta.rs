//! Deltas: ordered primitive changes that carry what was and what will be, so that every one has
//! an exact inverse and can refuse a state that it was not made for.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::geom::Orient;
use crate::ids::{CellId, MasterId, NetId, PinId, RegionId, StableId};
use crate::records::{NetKind, Place, PlaceStatus};

/// One primitive change. `from` values are preconditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// A cell moves, turns or changes its placement status.
    Move {
        /// The cell.
        cell: CellId,
        /// Where it must stand before.
        from: Place,
        /// Where it stands after.
        to: Place,
    },
    /// A cell gets another master with the same signal pins.
    Resize {
        /// The cell.
        cell: CellId,
        /// Its master before.
        from: MasterId,
        /// Its master after.
        to: MasterId,
    },
    /// A cell appears, unconnected.
    AddCell(NewCell),
    /// An unconnected cell goes.
    RemoveCell(NewCell),
    /// A net appears, without pins.
    AddNet(NewNet),
    /// A net without pins goes.
    RemoveNet(NewNet),
    /// A pin changes its net; [`NetId::NONE`] is "unconnected".
    Connect {
        /// The pin.
        pin: PinId,
        /// Its net before.
        from: NetId,
        /// Its net after.
        to: NetId,
    },
}

/// A cell to be added or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCell {
    /// Its slot: the next free one, or an emptied one that comes back.
    pub cell: CellId,
    /// Its name, unique among living cells.
    pub name: Arc<str>,
    /// Its master.
    pub master: MasterId,
    /// Where it stands.
    pub place: Place,
    /// Its region, or [`RegionId::NONE`].
    pub region: RegionId,
}

/// A net to be added or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNet {
    /// Its slot: the next free one, or an emptied one that comes back.
    pub net: NetId,
    /// Its name, unique among living nets.
    pub name: Arc<str>,
    /// What it carries.
    pub kind: NetKind,
}

impl Op {
    /// The change that takes this one back.
    pub fn inverse(&self) -> Op {
        match self {
            Op::Move { cell, from, to } => Op::Move { cell: *cell, from: *to, to: *from },
            Op::Resize { cell, from, to } => Op::Resize { cell: *cell, from: *to, to: *from },
            Op::AddCell(new) => Op::RemoveCell(new.clone()),
            Op::RemoveCell(old) => Op::AddCell(old.clone()),
            Op::AddNet(new) => Op::RemoveNet(new.clone()),
            Op::RemoveNet(old) => Op::AddNet(old.clone()),
            Op::Connect { pin, from, to } => Op::Connect { pin: *pin, from: *to, to: *from },
        }
    }

    /// Appends canonical bytes: a tag, then the fields in order, little-endian.
    pub fn write(&self, out: &mut Vec<u8>) {
        let place = |place: &Place, out: &mut Vec<u8>| {
            out.extend(place.x.to_le_bytes());
            out.extend(place.y.to_le_bytes());
            out.extend([place.orient as u8, place.status as u8]);
        };
        let text = |text: &str, out: &mut Vec<u8>| {
            out.extend((text.len() as u32).to_le_bytes());
            out.extend(text.as_bytes());
        };
        match self {
            Op::Move { cell, from, to } => {
                out.push(0);
                out.extend(cell.0.to_le_bytes());
                place(from, out);
                place(to, out);
            }
            Op::Resize { cell, from, to } => {
                out.push(1);
                out.extend(cell.0.to_le_bytes());
                out.extend(from.0.to_le_bytes());
                out.extend(to.0.to_le_bytes());
            }
            Op::AddCell(cell) | Op::RemoveCell(cell) => {
                out.push(if matches!(self, Op::AddCell(_)) { 2 } else { 3 });
                out.extend(cell.cell.0.to_le_bytes());
                text(&cell.name, out);
                out.extend(cell.master.0.to_le_bytes());
                place(&cell.place, out);
                out.extend(cell.region.0.to_le_bytes());
            }
            Op::AddNet(net) | Op::RemoveNet(net) => {
                out.push(if matches!(self, Op::AddNet(_)) { 4 } else { 5 });
                out.extend(net.net.0.to_le_bytes());
                text(&net.name, out);
                out.push(net.kind as u8);
            }
            Op::Connect { pin, from, to } => {
                out.push(6);
                out.extend(pin.0.to_le_bytes());
                out.extend(from.0.to_le_bytes());
                out.extend(to.0.to_le_bytes());
            }
        }
    }
}

/// An ordered list of changes, applied as one: all of it or none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// The changes in the order of application.
    pub ops: Vec<Op>,
}

impl Delta {
    /// The delta that takes this one back: inverses in reverse order.
    pub fn inverse(&self) -> Delta {
        Delta { ops: self.ops.iter().rev().map(Op::inverse).collect() }
    }
    /// BLAKE3 over the canonical bytes.
    pub fn digest(&self) -> [u8; 32] {
        *blake3::hash(&self.canonical_bytes()).as_bytes()
    }
    /// The canonical bytes: a version tag and every [`Op::write`].
    pub fn canonical_bytes(&self) -> Vec<u8> {
        let mut bytes = TAG.to_vec();
        for op in &self.ops {
            op.write(&mut bytes);
        }
        bytes
    }
}

/// Bytes that are no delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a delta in canonical bytes: wrong at byte {at}")]
pub struct DecodeError {
    /// Offset of the first byte that does not fit.
    pub at: usize,
}

const TAG: &[u8] = b"cellwright delta v1";

impl Delta {
    /// Reads [`Delta::canonical_bytes`] back.
    ///
    /// # Errors
    /// [`DecodeError`] for anything else; equal deltas have equal bytes, so nothing else is taken.
    pub fn from_canonical_bytes(bytes: &[u8]) -> Result<Delta, DecodeError> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.take(TAG.len())? != TAG {
            return Err(DecodeError { at: 0 });
        }
        let mut ops = Vec::new();
        while reader.at < bytes.len() {
            ops.push(reader.op()?);
        }
        Ok(Delta { ops })
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn wrong(&self) -> DecodeError {
        DecodeError { at: self.at }
    }
    fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let end = self.at.checked_add(count).ok_or(self.wrong())?;
        let taken = self.bytes.get(self.at..end).ok_or(self.wrong())?;
        self.at = end;
        Ok(taken)
    }
    fn byte(&mut self) -> Result<u8, DecodeError> {
        Ok(self.take(1)?[0])
    }
    fn u32(&mut self) -> Result<u32, DecodeError> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
    fn place(&mut self) -> Result<Place, DecodeError> {
        let (x, y) = (self.u32()? as i32, self.u32()? as i32);
        let orient = Orient::ALL.get(self.byte()? as usize).copied().ok_or(self.wrong())?;
        let status = match self.byte()? {
            0 => PlaceStatus::Unplaced,
            1 => PlaceStatus::Placed,
            2 => PlaceStatus::Fixed,
            3 => PlaceStatus::Cover,
            _ => return Err(self.wrong()),
        };
        Ok(Place { x, y, orient, status })
    }
    fn text(&mut self) -> Result<Arc<str>, DecodeError> {
        let length = self.u32()? as usize;
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).map(Arc::from).map_err(|_| self.wrong())
    }
    fn op(&mut self) -> Result<Op, DecodeError> {
        Ok(match self.byte()? {
            0 => Op::Move { cell: CellId(self.u32()?), from: self.place()?, to: self.place()? },
            1 => Op::Resize {
                cell: CellId(self.u32()?),
                from: MasterId(self.u32()?),
                to: MasterId(self.u32()?),
            },
            tag @ (2 | 3) => {
                let cell = NewCell {
                    cell: CellId(self.u32()?),
                    name: self.text()?,
                    master: MasterId(self.u32()?),
                    place: self.place()?,
                    region: RegionId(self.u32()?),
                };
                if tag == 2 { Op::AddCell(cell) } else { Op::RemoveCell(cell) }
            }
            tag @ (4 | 5) => {
                let (net, name) = (NetId(self.u32()?), self.text()?);
                let kind = match self.byte()? {
                    0 => NetKind::Signal,
                    1 => NetKind::Clock,
                    2 => NetKind::Power,
                    3 => NetKind::Ground,
                    _ => return Err(self.wrong()),
                };
                let net = NewNet { net, name, kind };
                if tag == 4 { Op::AddNet(net) } else { Op::RemoveNet(net) }
            }
            6 => Op::Connect {
                pin: PinId(self.u32()?),
                from: NetId(self.u32()?),
                to: NetId(self.u32()?),
            },
            _ => return Err(self.wrong()),
        })
    }
}

/// Why a delta does not apply.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum DeltaError {
    /// An object does not exist (any more).
    #[error("{id} does not exist in this snapshot")]
    Missing {
        /// Its stable id.
        id: String,
    },
    /// A `from` value is not what the snapshot holds.
    #[error(
        "{id}: the delta says {claimed} before the change, but the snapshot holds {actual}; propose again from the current snapshot"
    )]
    Precondition {
        /// The object.
        id: String,
        /// What the delta says.
        claimed: String,
        /// What the snapshot holds.
        actual: String,
    },
    /// The new master has other signal pins.
    #[error(
        "{id}: master `{to}` does not have the signal pins of `{from}`; choose one of the same function"
    )]
    OtherPins {
        /// The cell.
        id: String,
        /// Master before.
        from: String,
        /// Master asked for.
        to: String,
    },
    /// A slot that cannot take a new object.
    #[error("{id} cannot be added: its slot is taken or out of order")]
    SlotTaken {
        /// The object.
        id: String,
    },
    /// A name is in use.
    #[error("the name `{name}` is in use; choose another")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// Something still hangs on the object to be removed.
    #[error("{id} is still connected; reconnect or remove what hangs on it first")]
    StillConnected {
        /// The object.
        id: String,
    },
    /// A master number outside the library.
    #[error("master {master} is not in the library")]
    NoMaster {
        /// The number or name.
        master: String,
    },
    /// A change that makes no sense on this object.
    #[error("{id}: {why}")]
    Refused {
        /// The object.
        id: String,
        /// Why, and what to do.
        why: String,
    },
}

impl DeltaError {
    /// [`DeltaError::Missing`] for an object.
    pub fn missing(id: impl Into<StableId>) -> Self {
        DeltaError::Missing { id: id.into().to_string() }
    }
    /// [`DeltaError::Refused`] for an object.
    pub fn refused(id: impl Into<StableId>, why: impl Into<String>) -> Self {
        DeltaError::Refused { id: id.into().to_string(), why: why.into() }
    }
}
