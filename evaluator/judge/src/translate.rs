//! Between the words of the contract and the database: object references, deltas, dirty sets.

use cellwright_contract::delta::{DeltaSummary, DesignDelta, NetChange};
use cellwright_contract::geometry as words;
use cellwright_contract::platform as view;
use cellwright_contract::refs::{DirtySetRef, ObjectKind, ObjectRef};
use cellwright_db::{
    CellId, DeltaError, Design, DirtySet, Mark, MasterId, NetId, Op, Orient, Owner, PinId, Place,
    PlaceStatus, Rect,
};
use thiserror::Error;

/// Why a delta of the contract does not become one of the database.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TranslateError {
    /// A reference names nothing, or the wrong kind of thing.
    #[error("{reference} names no {wanted} of this snapshot")]
    NoObject {
        /// As written.
        reference: String,
        /// What was expected.
        wanted: &'static str,
    },
    /// A master that the library does not have.
    #[error("`{0}` is no master of the library")]
    NoMaster(String),
    /// A coordinate beyond the database's range.
    #[error("coordinate {0} is out of range; coordinates are 32-bit DBU")]
    Range(i64),
    /// One cell stands twice, or is moved and removed in one delta.
    #[error(
        "{0} stands more than once; one delta moves or resizes a cell once and does not also remove it"
    )]
    Twice(String),
    /// The database refuses the change.
    #[error(transparent)]
    Delta(#[from] DeltaError),
}

impl TranslateError {
    /// Whether a `from` value did not match.
    pub fn is_precondition(&self) -> bool {
        matches!(self, TranslateError::Delta(DeltaError::Precondition { .. }))
    }
}

/// The database's orientation.
pub fn orient(orient: words::Orient) -> Orient {
    Orient::ALL[orient as usize]
}

/// The contract's orientation.
pub fn orient_out(orient: Orient) -> words::Orient {
    words::Orient::ALL[orient as usize]
}

/// Where a cell stands, in the contract's words.
pub fn position(place: Place) -> words::Position {
    words::Position {
        x: i64::from(place.x),
        y: i64::from(place.y),
        orient: orient_out(place.orient),
    }
}

/// A rectangle in the contract's words.
pub fn rect_out(rect: Rect) -> words::Rect {
    words::Rect {
        x0: i64::from(rect.lo.x),
        y0: i64::from(rect.lo.y),
        x1: i64::from(rect.hi.x),
        y1: i64::from(rect.hi.y),
    }
}

fn coordinate(value: i64) -> Result<i32, TranslateError> {
    i32::try_from(value).map_err(|_| TranslateError::Range(value))
}

fn place_at(at: &words::Position, status: PlaceStatus) -> Result<Place, TranslateError> {
    Ok(Place { x: coordinate(at.x)?, y: coordinate(at.y)?, orient: orient(at.orient), status })
}

/// The living cell that a reference names.
///
/// # Errors
/// [`TranslateError::NoObject`].
pub fn cell(design: &Design, reference: &ObjectRef) -> Result<CellId, TranslateError> {
    let found = match reference {
        ObjectRef::Id(ObjectKind::Instance, number) => u32::try_from(*number).ok().map(CellId),
        ObjectRef::Name(name) => design.find_cell(name),
        ObjectRef::Id(..) => None,
    };
    let found = found.filter(|cell| design.has_cell(*cell));
    found.ok_or_else(|| no_object(reference, "instance"))
}

/// The living net that a reference names.
///
/// # Errors
/// [`TranslateError::NoObject`].
pub fn net(design: &Design, reference: &ObjectRef) -> Result<NetId, TranslateError> {
    let found = match reference {
        ObjectRef::Id(ObjectKind::Net, number) => u32::try_from(*number).ok().map(NetId),
        ObjectRef::Name(name) => design.find_net(name),
        ObjectRef::Id(..) => None,
    };
    found.filter(|net| design.has_net(*net)).ok_or_else(|| no_object(reference, "net"))
}

/// The pin that a reference names; a port's name or id means the port's pin.
///
/// # Errors
/// [`TranslateError::NoObject`].
pub fn pin(design: &Design, reference: &ObjectRef) -> Result<PinId, TranslateError> {
    let found = match reference {
        ObjectRef::Id(ObjectKind::Pin, number) => u32::try_from(*number).ok().map(PinId),
        ObjectRef::Id(ObjectKind::Port, number) => {
            let port = u32::try_from(*number).ok().map(cellwright_db::PortId);
            port.and_then(|port| design.ports().get(port)).map(|port| port.pin)
        }
        ObjectRef::Name(name) => design.find_pin(name),
        ObjectRef::Id(..) => None,
    };
    found.filter(|pin| design.has_pin(*pin)).ok_or_else(|| no_object(reference, "pin or port"))
}

fn no_object(reference: &ObjectRef, wanted: &'static str) -> TranslateError {
    TranslateError::NoObject { reference: reference.to_string(), wanted }
}

/// The master of a name.
///
/// # Errors
/// [`TranslateError::NoMaster`].
pub fn master(design: &Design, name: &str) -> Result<MasterId, TranslateError> {
    design.library().master(name).ok_or_else(|| TranslateError::NoMaster(name.to_owned()))
}

/// Reference to a cell.
pub fn cell_ref(cell: CellId) -> ObjectRef {
    ObjectRef::instance(u64::from(cell.0))
}

/// Reference to a net.
pub fn net_ref(net: NetId) -> ObjectRef {
    ObjectRef::net(u64::from(net.0))
}

/// Reference to a pin; a port's pin is named by its port.
pub fn pin_ref(design: &Design, pin: PinId) -> ObjectRef {
    match design.owner(pin) {
        Owner::Port(port) => ObjectRef::port(u64::from(port.0)),
        Owner::Cell(..) => ObjectRef::pin(u64::from(pin.0)),
    }
}

/// Carries a delta out on the working state: moves, then resizes, then netlist changes in order.
/// On an error the state is as before.
///
/// # Errors
/// The first part that does not apply.
pub fn apply(design: &mut Design, delta: &DesignDelta) -> Result<(), TranslateError> {
    let mark = design.mark();
    let done = try_apply(design, delta);
    if done.is_err() {
        design.undo_to(mark);
    }
    done
}

fn try_apply(design: &mut Design, delta: &DesignDelta) -> Result<(), TranslateError> {
    let mut moved = Vec::with_capacity(delta.moved_cells.len());
    for change in &delta.moved_cells {
        let cell = cell(design, &change.cell_id)?;
        moved.push(cell);
        let now = design.place(cell);
        // An agent sees positions, not DEF states: the state stays, and an unplaced cell that gets
        // a position is placed.
        let from = place_at(&change.from, now.status)?;
        let status = if now.is_placed() { now.status } else { PlaceStatus::Placed };
        let to = place_at(&change.to, status)?;
        design.run(Op::Move { cell, from, to })?;
    }
    let mut resized = Vec::with_capacity(delta.resized_cells.len());
    for change in &delta.resized_cells {
        let cell = cell(design, &change.cell_id)?;
        resized.push(cell);
        let from = master(design, &change.from_master)?;
        let to = master(design, &change.to_master)?;
        design.run(Op::Resize { cell, from, to })?;
    }
    for list in [&mut moved, &mut resized] {
        list.sort_unstable();
        if let Some(pair) = list.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(TranslateError::Twice(cell_ref(pair[0]).to_string()));
        }
    }
    for change in &delta.new_nets {
        match change {
            NetChange::InsertBuffer(insert) => {
                let net = net(design, &insert.net)?;
                let sinks: Result<Vec<_>, _> =
                    insert.sinks.iter().map(|sink| pin(design, sink)).collect();
                let master = master(design, &insert.master)?;
                let place = place_at(&insert.at, PlaceStatus::Placed)?;
                design.insert_buffer(net, &sinks?, master, insert.name.as_deref(), place)?;
            }
            NetChange::RemoveBuffer(remove) => {
                let cell = cell(design, &remove.cell_id)?;
                if moved.binary_search(&cell).is_ok() || resized.binary_search(&cell).is_ok() {
                    return Err(TranslateError::Twice(cell_ref(cell).to_string()));
                }
                design.remove_buffer(cell)?;
            }
            NetChange::SwapPins(swap) => {
                let (a, b) = (pin(design, &swap.a)?, pin(design, &swap.b)?);
                design.swap_pins(a, b)?;
            }
            NetChange::Reconnect(change) => {
                let pin = pin(design, &change.pin)?;
                let net = net(design, &change.net)?;
                design.connect(pin, net)?;
            }
            NetChange::NewNet(new) => {
                design.add_net(&new.name, cellwright_db::records::NetKind::Signal)?;
            }
            NetChange::RemoveNet(remove) => {
                let net = net(design, &remove.net)?;
                design.remove_net(net)?;
            }
        }
    }
    Ok(())
}

/// Totals of what was done since `mark`, as a proposal has to declare them.
pub fn summary(design: &Design, mark: Mark, dirty: &DirtySet) -> DeltaSummary {
    let library = design.library();
    let area = |master: MasterId| library.masters[master].area();
    let change: i64 = design
        .ops_since(mark)
        .map(|op| match op {
            Op::Resize { from, to, .. } => area(*to) - area(*from),
            Op::AddCell(new) => area(new.master),
            Op::RemoveCell(old) => -area(old.master),
            _ => 0,
        })
        .sum();
    DeltaSummary {
        cells_affected: dirty.cells.len() as u64,
        nets_affected: dirty.nets.len() as u64,
        area_delta: design.tech().square_microns(change),
    }
}

/// A dirty set in the contract's words.
pub fn dirty_out(design: &Design, dirty: &DirtySet) -> view::DirtySet {
    view::DirtySet {
        dirty_ref: DirtySetRef(dirty.digest()),
        cells: dirty.cells.iter().map(|cell| cell_ref(*cell)).collect(),
        nets: dirty.nets.iter().map(|net| net_ref(*net)).collect(),
        pins: dirty.pins.iter().map(|pin| pin_ref(design, *pin)).collect(),
        timing_seeds: dirty.seeds.iter().map(|pin| pin_ref(design, *pin)).collect(),
        regions: dirty.regions.iter().map(|rect| rect_out(*rect)).collect(),
    }
}
