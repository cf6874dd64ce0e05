//! The one place where a primitive change happens, for the flat and for the shared state alike.

use std::sync::Arc;

use crate::delta::{DeltaError, NewCell, NewNet, Op};
use crate::ids::{CellId, MasterId, MasterPinId, NetId, PinId, StableId};
use crate::library::Library;
use crate::records::{CellRecord, NetRecord, Owner, PinRecord, Place};

/// Read and write access to the records of a state. Slots exist up to the given lengths.
pub(crate) trait Store {
    fn library(&self) -> &Arc<Library>;
    fn cell(&self, cell: CellId) -> Option<CellRecord>;
    fn place(&self, cell: CellId) -> Place;
    fn net(&self, net: NetId) -> Option<NetRecord>;
    fn net_is_bare(&self, net: NetId) -> bool;
    fn pin(&self, pin: PinId) -> Option<PinRecord>;
    fn cells_len(&self) -> usize;
    fn nets_len(&self) -> usize;
    fn pins_len(&self) -> usize;
    fn find_cell(&self, name: &str) -> Option<CellId>;
    fn find_net(&self, name: &str) -> Option<NetId>;
    fn cell_name_is(&self, cell: CellId, name: &str) -> bool;
    fn net_name_is(&self, net: NetId, name: &str) -> bool;

    fn set_cell(&mut self, cell: CellId, record: CellRecord);
    fn set_place(&mut self, cell: CellId, place: Place);
    fn set_net(&mut self, net: NetId, record: NetRecord);
    fn set_pin_net(&mut self, pin: PinId, from: NetId, to: NetId);
    fn push_cell(&mut self, record: CellRecord, place: Place, name: &Arc<str>);
    fn push_net(&mut self, record: NetRecord, name: &Arc<str>);
    fn push_pin(&mut self, record: PinRecord);
    /// Gives an existing slot its name back, or empties it.
    fn set_cell_name(&mut self, cell: CellId, name: Option<&Arc<str>>);
    fn set_net_name(&mut self, net: NetId, name: Option<&Arc<str>>);
}

/// Whether two masters have the same signal pins, so that one can take the other's place.
pub(crate) fn same_pins(library: &Library, a: MasterId, b: MasterId) -> bool {
    let (a, b) = (&library.masters[a].pins, &library.masters[b].pins);
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a.name == b.name && a.direction == b.direction)
}

/// Checks an op against the state and carries it out. On an error nothing has changed.
pub(crate) fn run<S: Store>(state: &mut S, op: &Op) -> Result<(), DeltaError> {
    match op {
        Op::Move { cell, from, to } => {
            live(state, *cell)?;
            let actual = state.place(*cell);
            expect(*cell, from, &actual)?;
            state.set_place(*cell, *to);
            Ok(())
        }
        Op::Resize { cell, from, to } => resize(state, *cell, *from, *to),
        Op::AddCell(new) => add_cell(state, new),
        Op::RemoveCell(old) => remove_cell(state, old),
        Op::AddNet(new) => add_net(state, new),
        Op::RemoveNet(old) => remove_net(state, old),
        Op::Connect { pin, from, to } => {
            let record = state.pin(*pin).ok_or_else(|| DeltaError::missing(*pin))?;
            if let Owner::Cell(cell, _) = record.owner {
                live(state, cell)?;
            }
            expect(*pin, from, &record.net)?;
            if let Some(to) = to.some() {
                live_net(state, to)?;
            }
            state.set_pin_net(*pin, *from, *to);
            Ok(())
        }
    }
}

fn live<S: Store>(state: &S, cell: CellId) -> Result<CellRecord, DeltaError> {
    state.cell(cell).filter(|record| record.alive).ok_or_else(|| DeltaError::missing(cell))
}

fn live_net<S: Store>(state: &S, net: NetId) -> Result<NetRecord, DeltaError> {
    state.net(net).filter(|record| record.alive).ok_or_else(|| DeltaError::missing(net))
}

fn expect<T: PartialEq + std::fmt::Debug>(
    id: impl Into<StableId>,
    claimed: &T,
    actual: &T,
) -> Result<(), DeltaError> {
    if claimed == actual {
        return Ok(());
    }
    Err(DeltaError::Precondition {
        id: id.into().to_string(),
        claimed: format!("{claimed:?}"),
        actual: format!("{actual:?}"),
    })
}

fn known_master<S: Store>(state: &S, master: MasterId) -> Result<(), DeltaError> {
    match state.library().masters.get(master) {
        Some(_) => Ok(()),
        None => Err(DeltaError::NoMaster { master: format!("{master:?}") }),
    }
}

fn resize<S: Store>(
    state: &mut S,
    cell: CellId,
    from: MasterId,
    to: MasterId,
) -> Result<(), DeltaError> {
    let record = live(state, cell)?;
    known_master(state, to)?;
    let library = state.library();
    let name = |master: MasterId| match library.masters.get(master) {
        Some(master) => master.name.clone(),
        None => format!("{master:?}"),
    };
    expect(cell, &name(from), &name(record.master))?;
    if !same_pins(library, record.master, to) {
        let id = StableId::from(cell).to_string();
        return Err(DeltaError::OtherPins { id, from: name(from), to: name(to) });
    }
    state.set_cell(cell, CellRecord { master: to, ..record });
    Ok(())
}

fn add_cell<S: Store>(state: &mut S, new: &NewCell) -> Result<(), DeltaError> {
    known_master(state, new.master)?;
    if new.name.is_empty() || state.find_cell(&new.name).is_some() {
        return Err(DeltaError::NameTaken { name: new.name.to_string() });
    }
    let pins = state.library().masters[new.master].pins.len();
    let taken = || DeltaError::SlotTaken { id: StableId::from(new.cell).to_string() };
    let fresh = CellRecord {
        master: new.master,
        first_pin: PinId::new(state.pins_len()),
        region: new.region,
        alive: true,
        dont_touch: false,
    };
    match state.cell(new.cell) {
        None if new.cell.index() == state.cells_len() => {
            state.push_cell(fresh, new.place, &new.name);
            for pin in 0..pins {
                let owner = Owner::Cell(new.cell, MasterPinId::new(pin));
                state.push_pin(PinRecord { owner, net: NetId::NONE });
            }
            Ok(())
        }
        // An emptied slot comes back with its own pins.
        Some(old)
            if !old.alive
                && same_pins(state.library(), old.master, new.master)
                && (state.cell_name_is(new.cell, "")
                    || state.cell_name_is(new.cell, &new.name)) =>
        {
            state.set_cell(new.cell, CellRecord { first_pin: old.first_pin, ..fresh });
            state.set_place(new.cell, new.place);
            state.set_cell_name(new.cell, Some(&new.name));
            Ok(())
        }
        _ => Err(taken()),
    }
}

fn remove_cell<S: Store>(state: &mut S, old: &NewCell) -> Result<(), DeltaError> {
    let record = live(state, old.cell)?;
    expect(old.cell, &old.master, &record.master)?;
    expect(old.cell, &old.place, &state.place(old.cell))?;
    expect(old.cell, &old.region, &record.region)?;
    if record.dont_touch {
        return Err(DeltaError::refused(old.cell, "it is marked dont_touch"));
    }
    if !state.cell_name_is(old.cell, &old.name) {
        return Err(DeltaError::refused(old.cell, format!("its name is not `{}`", old.name)));
    }
    let pins = state.library().masters[record.master].pins.len();
    for pin in 0..pins as u32 {
        let connected =
            state.pin(PinId(record.first_pin.0 + pin)).is_some_and(|p| p.net.some().is_some());
        if connected {
            return Err(DeltaError::StillConnected { id: StableId::from(old.cell).to_string() });
        }
    }
    state.set_cell(old.cell, CellRecord { alive: false, ..record });
    state.set_place(old.cell, Place::default());
    state.set_cell_name(old.cell, None);
    Ok(())
}

fn add_net<S: Store>(state: &mut S, new: &NewNet) -> Result<(), DeltaError> {
    if new.name.is_empty() || state.find_net(&new.name).is_some() {
        return Err(DeltaError::NameTaken { name: new.name.to_string() });
    }
    let record = NetRecord { alive: true, kind: new.kind, dont_touch: false };
    match state.net(new.net) {
        None if new.net.index() == state.nets_len() => {
            state.push_net(record, &new.name);
            Ok(())
        }
        Some(old)
            if !old.alive
                && (state.net_name_is(new.net, "") || state.net_name_is(new.net, &new.name)) =>
        {
            state.set_net(new.net, record);
            state.set_net_name(new.net, Some(&new.name));
            Ok(())
        }
        _ => Err(DeltaError::SlotTaken { id: StableId::from(new.net).to_string() }),
    }
}

fn remove_net<S: Store>(state: &mut S, old: &NewNet) -> Result<(), DeltaError> {
    let record = live_net(state, old.net)?;
    expect(old.net, &old.kind, &record.kind)?;
    if record.dont_touch {
        return Err(DeltaError::refused(old.net, "it is marked dont_touch"));
    }
    if !state.net_name_is(old.net, &old.name) {
        return Err(DeltaError::refused(old.net, format!("its name is not `{}`", old.name)));
    }
    if !state.net_is_bare(old.net) {
        return Err(DeltaError::StillConnected { id: StableId::from(old.net).to_string() });
    }
    state.set_net(old.net, NetRecord { alive: false, ..record });
    state.set_net_name(old.net, None);
    Ok(())
}
