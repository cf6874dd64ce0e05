//! DEF 5.3 to 5.8: floorplan, placement and nets, read into a borrowed tree and written back.
//!
//! [`parse`] gives a [`DefFile`] that borrows its names from the [`Source`]. Coordinates are integer
//! database units. Wiring is checked word by word and kept as text; [`Wiring::items`] takes it apart
//! when it is needed. [`Writer`] writes DEF 5.8 piece by piece from the same types, and [`Edit`]
//! gives a file back with placements, components and nets changed and everything else as it was.
//! Duplicate names are not looked for here: who links the names finds them for free.

mod ast;
mod edit;
mod floorplan;
mod names;
mod net;
mod parse;
mod parse_cells;
mod parse_floorplan;
mod parse_nets;
mod parse_pins;
mod pin;
mod wiring;
mod write;
mod write_floorplan;
mod write_nets;

pub use ast::{
    Component, ComponentExtra, DefFile, Header, Placement, Point, Polygon, Rect, RouteHalo,
    Section, SectionKind, Status,
};
pub use edit::{ComponentEdit, Edit, EditError, NetEdit, NewComponent, NewNet};
pub use floorplan::{
    Axis, Blockage, BlockageKind, Fill, FillKind, GcellGrid, Group, MaskedShape, NonDefaultRule,
    PinProperty, Region, Row, RuleLayer, ScanChain, ScanClause, Shape, Slot, Style, Track, Via,
    ViaFromRule,
};
pub use names::{escape, unescape};
pub use net::{
    Connection, Net, NetExtra, ShieldRule, SpecialShape, SpecialShapeKind, Subnet, Vpin,
};
pub use pin::{Pin, PinAntenna, PinDirection, PinPort, PinShape, PinShapeKind};
pub use wiring::{WireItem, Wiring, WiringKind};
pub use write::{Writer, write};

use crate::text::{Cursor, FormatError, Problems, Source};

/// Reads a DEF file.
///
/// # Errors
/// A known statement that is malformed, a number that does not fit 32 bits, a string without end, a
/// file that is cut short inside a statement.
pub fn parse<'a>(source: &'a Source, problems: &mut Problems) -> Result<DefFile<'a>, FormatError> {
    parse::design(&mut Cursor::new(source, problems))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_edit;
