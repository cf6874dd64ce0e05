//! LEF 5.3 to 5.8: technology and cell masters, read into a borrowed tree.
//!
//! [`parse`] gives a [`LefFile`] that borrows its names from the [`Source`]. What the grammar of
//! LEF 5.8 (LEF/DEF Language Reference) knows is taken, typed where the house needs it and kept as
//! text elsewhere. What it does not know is told in [`Problems`] with its line and skipped to its
//! `;`. A known statement that is malformed refuses the file. Keywords are taken in any case.

mod ast;
mod cell;
mod layer;
mod lef58;
mod parse;
mod parse_cell;
mod parse_geometry;
mod parse_layer;
mod parse_via;
mod units;

pub use ast::{
    Block, Extension, Geometry, Iterate, LayerGeometry, LefFile, MaxViaStack, Orient, Point,
    Property, PropertyDefinition, PropertyKind, PropertyValue, Rect, SameNetSpacing, Shape,
    ShapeKind, Site, Statement, Symmetry, Units, ViaPlacement,
};
pub use cell::{Density, Foreign, Macro, MacroSite, Pin, PinAntenna, PinDirection, Port, Use};
pub use layer::{
    AntennaKind, AntennaRule, CurrentDensity, Direction, Enclosure, Layer, LayerKind, MinimumCut,
    NonDefaultRule, RuleLayer, Side, Spacing, SpacingTable, Via, ViaFromRule, ViaLayer, ViaRule,
    ViaRuleLayer,
};
pub use lef58::{CellEdgeSpacing, EdgeType, cell_edge_spacings, edge_types};
pub(crate) use parse::{extension, properties, property_definitions};
pub use units::{OffGrid, to_dbu};

use crate::text::{Cursor, FormatError, Problems, Source};

/// Reads a LEF file.
///
/// # Errors
/// A known statement that is malformed, a string without end, a file that is cut short inside a
/// statement.
pub fn parse<'a>(source: &'a Source, problems: &mut Problems) -> Result<LefFile<'a>, FormatError> {
    parse::library(&mut Cursor::new(source, problems))
}

#[cfg(test)]
mod tests;
