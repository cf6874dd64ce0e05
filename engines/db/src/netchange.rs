//! Netlist changes that people name (insert a buffer, remove one, swap pins, …), carried out as
//! primitive [`Op`]s. After an error the caller undoes to its own mark.

use std::sync::Arc;

use crate::delta::{DeltaError, NewCell, NewNet, Op};
use crate::design::Design;
use crate::ids::{CellId, MasterId, NetId, PinId, RegionId};
use crate::records::{NetKind, Place};

/// The objects that a buffer insertion made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The buffer.
    pub cell: CellId,
    /// The net that the buffer drives.
    pub net: NetId,
}

impl Design {
    /// Puts a buffer of `master` between `net` and the given sinks of `net`; standing at `place`.
    /// Without a name the buffer is called `cw_buf_<slot>` and its net `cw_net_<slot>`.
    ///
    /// # Errors
    /// [`DeltaError::Refused`] when `master` is no buffer, the list is empty, or a pin is not a
    /// sink of the net; otherwise as for each op.
    pub fn insert_buffer(
        &mut self,
        net: NetId,
        sinks: &[PinId],
        master: MasterId,
        name: Option<&str>,
        place: Place,
    ) -> Result<Inserted, DeltaError> {
        if !self.has_net(net) {
            return Err(DeltaError::missing(net));
        }
        if self.net(net).dont_touch {
            return Err(DeltaError::refused(net, "it is marked dont_touch"));
        }
        let Some((input, output)) = self.library().buffer_pins(master) else {
            let name = self.library().masters.get(master).map_or("?", |master| &master.name);
            return Err(DeltaError::refused(
                net,
                format!("`{name}` is not a buffer of the library"),
            ));
        };
        if sinks.is_empty() {
            return Err(DeltaError::refused(net, "a buffer needs at least one sink to drive"));
        }
        for &sink in sinks {
            if !self.has_pin(sink) {
                return Err(DeltaError::missing(sink));
            }
            let is_sink = self.pin_net(sink) == Some(net) && self.pin_direction(sink).loads();
            if !is_sink || self.driver(net) == Some(sink) {
                return Err(DeltaError::refused(
                    sink,
                    "it is not a sink of the net to be buffered",
                ));
            }
        }
        let cell = self.next_cell();
        let new_net = self.next_net();
        let cell_name = match name {
            Some(name) => name.to_owned(),
            None => format!("cw_buf_{}", cell.0),
        };
        let net_name = match name {
            Some(name) => format!("{name}_net"),
            None => format!("cw_net_{}", new_net.0),
        };
        let kind = self.net(net).kind;
        self.add_net(&net_name, kind)?;
        self.add_cell(&cell_name, master, place)?;
        for &sink in sinks {
            self.connect(sink, new_net)?;
        }
        let first = self.cell(cell).first_pin.0;
        self.connect(PinId(first + input.0), net)?;
        self.connect(PinId(first + output.0), new_net)?;
        Ok(Inserted { cell, net: new_net })
    }

    /// Takes a buffer out: what it drove hangs on its input net afterwards.
    ///
    /// # Errors
    /// [`DeltaError::Refused`] when the cell is no buffer or is not connected on both sides;
    /// otherwise as for each op.
    pub fn remove_buffer(&mut self, cell: CellId) -> Result<(), DeltaError> {
        if !self.has_cell(cell) {
            return Err(DeltaError::missing(cell));
        }
        let Some((input, output)) = self.library().buffer_pins(self.master_id(cell)) else {
            return Err(DeltaError::refused(cell, "it is not a buffer"));
        };
        let first = self.cell(cell).first_pin.0;
        let (input, output) = (PinId(first + input.0), PinId(first + output.0));
        let (Some(source), Some(driven)) = (self.pin_net(input), self.pin_net(output)) else {
            return Err(DeltaError::refused(cell, "it is not connected on both sides"));
        };
        if source == driven {
            return Err(DeltaError::refused(cell, "it drives its own input"));
        }
        if self.net(source).dont_touch || self.net(driven).dont_touch {
            return Err(DeltaError::refused(cell, "one of its nets is marked dont_touch"));
        }
        self.connect(input, NetId::NONE)?;
        self.connect(output, NetId::NONE)?;
        for pin in self.net_pins(driven).to_vec() {
            self.connect(pin, source)?;
        }
        self.remove_cell(cell)?;
        self.remove_net(driven)
    }

    /// Exchanges the nets of two pins.
    ///
    /// # Errors
    /// [`DeltaError::Missing`] for a pin that does not exist.
    pub fn swap_pins(&mut self, a: PinId, b: PinId) -> Result<(), DeltaError> {
        for pin in [a, b] {
            if !self.has_pin(pin) {
                return Err(DeltaError::missing(pin));
            }
        }
        let net = |pin| self.pin_net(pin).unwrap_or(NetId::NONE);
        let (net_a, net_b) = (net(a), net(b));
        self.connect(a, net_b)?;
        self.connect(b, net_a)
    }

    /// Gives a pin another net; [`NetId::NONE`] leaves it unconnected.
    ///
    /// # Errors
    /// [`DeltaError::Missing`].
    pub fn connect(&mut self, pin: PinId, to: NetId) -> Result<(), DeltaError> {
        if !self.has_pin(pin) {
            return Err(DeltaError::missing(pin));
        }
        let from = self.pin_net(pin).unwrap_or(NetId::NONE);
        self.run(Op::Connect { pin, from, to })
    }

    /// Adds an unconnected cell in the next slot.
    ///
    /// # Errors
    /// [`DeltaError::NameTaken`], [`DeltaError::NoMaster`].
    pub fn add_cell(
        &mut self,
        name: &str,
        master: MasterId,
        place: Place,
    ) -> Result<CellId, DeltaError> {
        let cell = self.next_cell();
        let name = Arc::from(name);
        self.run(Op::AddCell(NewCell { cell, name, master, place, region: RegionId::NONE }))?;
        Ok(cell)
    }

    /// Removes an unconnected cell.
    ///
    /// # Errors
    /// [`DeltaError::Missing`], [`DeltaError::StillConnected`], [`DeltaError::Refused`].
    pub fn remove_cell(&mut self, cell: CellId) -> Result<(), DeltaError> {
        if !self.has_cell(cell) {
            return Err(DeltaError::missing(cell));
        }
        let record = *self.cell(cell);
        let old = NewCell {
            cell,
            name: self.cell_name(cell).into(),
            master: record.master,
            place: self.place(cell),
            region: record.region,
        };
        self.run(Op::RemoveCell(old))
    }

    /// Adds a net without pins in the next slot.
    ///
    /// # Errors
    /// [`DeltaError::NameTaken`].
    pub fn add_net(&mut self, name: &str, kind: NetKind) -> Result<NetId, DeltaError> {
        let net = self.next_net();
        self.run(Op::AddNet(NewNet { net, name: Arc::from(name), kind }))?;
        Ok(net)
    }

    /// Removes a net without pins.
    ///
    /// # Errors
    /// [`DeltaError::Missing`], [`DeltaError::StillConnected`], [`DeltaError::Refused`].
    pub fn remove_net(&mut self, net: NetId) -> Result<(), DeltaError> {
        if !self.has_net(net) {
            return Err(DeltaError::missing(net));
        }
        let kind = self.net(net).kind;
        let name = self.net_name(net).into();
        self.run(Op::RemoveNet(NewNet { net, name, kind }))
    }
}
