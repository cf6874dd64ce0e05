//! What the object queries of SDC give: handles of design and library objects.

use cellwright_db::{CellId, MasterId, MasterPinId, NetId, PinId, PortId};
use cellwright_sta::constraints::ClockId;

/// An object that a query found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Object {
    /// `current_design`.
    Design,
    /// A top-level port.
    Port(PortId),
    /// A pin of a cell.
    Pin(PinId),
    /// A leaf cell.
    Cell(CellId),
    /// A level of hierarchy, by its number in the table of levels.
    Level(u32),
    /// A net.
    Net(NetId),
    /// A clock.
    Clock(ClockId),
    /// A library, by its position in the design's list.
    Lib(u32),
    /// A library cell.
    LibCell(MasterId),
    /// A pin of a library cell.
    LibPin(MasterId, MasterPinId),
}

/// First character of a handle's text. Private use, so that no name starts with it.
const MARK: char = '\u{E0C5}';

impl Object {
    /// The kind's name as messages use it.
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            Object::Design => "design",
            Object::Port(_) => "port",
            Object::Pin(_) => "pin",
            Object::Cell(_) | Object::Level(_) => "cell",
            Object::Net(_) => "net",
            Object::Clock(_) => "clock",
            Object::Lib(_) => "library",
            Object::LibCell(_) => "library cell",
            Object::LibPin(..) => "library pin",
        }
    }

    /// A text that stands for the object inside strings; [`Object::from_handle`] reads it back.
    pub(crate) fn handle(self) -> String {
        let (kind, a, b) = match self {
            Object::Design => ('d', 0, 0),
            Object::Port(id) => ('p', id.0, 0),
            Object::Pin(id) => ('t', id.0, 0),
            Object::Cell(id) => ('i', id.0, 0),
            Object::Level(level) => ('h', level, 0),
            Object::Net(id) => ('n', id.0, 0),
            Object::Clock(id) => ('c', id.0, 0),
            Object::Lib(lib) => ('l', lib, 0),
            Object::LibCell(id) => ('m', id.0, 0),
            Object::LibPin(id, pin) => ('q', id.0, pin.0),
        };
        format!("{MARK}{kind}{a}.{b}")
    }

    /// The object of a handle. The numbers may be out of range when the text was forged: whoever
    /// uses them looks them up with care.
    pub(crate) fn from_handle(text: &str) -> Option<Object> {
        let rest = text.strip_prefix(MARK)?;
        let mut chars = rest.chars();
        let kind = chars.next()?;
        let (a, b) = chars.as_str().split_once('.')?;
        let (a, b): (u32, u32) = (a.parse().ok()?, b.parse().ok()?);
        Some(match kind {
            'd' => Object::Design,
            'p' => Object::Port(PortId(a)),
            't' => Object::Pin(PinId(a)),
            'i' => Object::Cell(CellId(a)),
            'h' => Object::Level(a),
            'n' => Object::Net(NetId(a)),
            'c' => Object::Clock(ClockId(a)),
            'l' => Object::Lib(a),
            'm' => Object::LibCell(MasterId(a)),
            'q' => Object::LibPin(MasterId(a), MasterPinId(b)),
            _ => return None,
        })
    }

    /// Whether the text is a handle, without reading its numbers.
    pub(crate) fn looks_like_handle(text: &str) -> bool {
        text.starts_with(MARK)
    }
}
