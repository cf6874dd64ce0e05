//! The tree of a LEF file: plain data with borrowed names.
//!
//! Lengths are micrometres as written; see [`crate::lef::to_dbu`] for the exact way to database
//! units. `at` is the byte offset of the object in its source.

use crate::lef::{Layer, Macro, NonDefaultRule, Via, ViaRule};
use crate::text::Offset;

/// A LEF file. Every list keeps the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LefFile<'a> {
    /// `VERSION`, as written.
    pub version: Option<&'a str>,
    /// `BUSBITCHARS`, two characters.
    pub bus_bit_chars: Option<&'a str>,
    /// `DIVIDERCHAR`, one character.
    pub divider_char: Option<&'a str>,
    /// `NAMESCASESENSITIVE`; names always count as case sensitive from LEF 5.6 on.
    pub names_case_sensitive: Option<bool>,
    /// `MANUFACTURINGGRID` in µm.
    pub manufacturing_grid: Option<f64>,
    /// Whether `FIXEDMASK` stands at library level.
    pub fixed_mask: bool,
    /// `UNITS`.
    pub units: Units,
    /// `PROPERTYDEFINITIONS`.
    pub property_definitions: Vec<PropertyDefinition<'a>>,
    /// Layers, from bottom to top.
    pub layers: Vec<Layer<'a>>,
    /// `MAXVIASTACK`.
    pub max_via_stack: Option<MaxViaStack<'a>>,
    /// Fixed vias.
    pub vias: Vec<Via<'a>>,
    /// Via rules, generated or by list.
    pub via_rules: Vec<ViaRule<'a>>,
    /// Non-default rules.
    pub non_default_rules: Vec<NonDefaultRule<'a>>,
    /// `SPACING SAMENET` rules at library level.
    pub same_net_spacings: Vec<SameNetSpacing<'a>>,
    /// Sites.
    pub sites: Vec<Site<'a>>,
    /// Macros.
    pub macros: Vec<Macro<'a>>,
    /// `BEGINEXT` … `ENDEXT` blocks.
    pub extensions: Vec<Extension<'a>>,
    /// Other statements of the grammar, kept as text: `USEMINSPACING`, `CLEARANCEMEASURE`,
    /// `NOWIREEXTENSIONATPIN` and the noise and delay statements of old versions.
    pub statements: Vec<Statement<'a>>,
    /// Blocks of old versions that are kept as text: `ARRAY`, `IRDROP`, `NOISETABLE`,
    /// `CORRECTIONTABLE`.
    pub blocks: Vec<Block<'a>>,
    /// Whether `END LIBRARY` was there.
    pub ended: bool,
}

/// `UNITS`: each value is "so many stored units per named unit".
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Units {
    /// `DATABASE MICRONS`: database units per µm.
    pub database: Option<f64>,
    /// `TIME NANOSECONDS`.
    pub time: Option<f64>,
    /// `CAPACITANCE PICOFARADS`.
    pub capacitance: Option<f64>,
    /// `RESISTANCE OHMS`.
    pub resistance: Option<f64>,
    /// `POWER MILLIWATTS`.
    pub power: Option<f64>,
    /// `CURRENT MILLIAMPS`.
    pub current: Option<f64>,
    /// `VOLTAGE VOLTS`.
    pub voltage: Option<f64>,
    /// `FREQUENCY MEGAHERTZ`.
    pub frequency: Option<f64>,
}

/// A statement that is kept as text, without its `;`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement<'a> {
    /// Byte offset.
    pub at: Offset,
    /// First word, as written.
    pub keyword: &'a str,
    /// The whole statement from its first word on.
    pub text: &'a str,
}

impl<'a> Statement<'a> {
    /// The words behind the keyword.
    pub fn arguments(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        crate::text::Lexer::new(self.text).skip(1).map(|t| t.text)
    }
}

/// A block that is kept as text, from its first word to its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// Byte offset.
    pub at: Offset,
    /// First word, as written.
    pub keyword: &'a str,
    /// The whole block.
    pub text: &'a str,
}

/// `BEGINEXT "tag"` … `ENDEXT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extension<'a> {
    /// Byte offset.
    pub at: Offset,
    /// The tag.
    pub tag: &'a str,
    /// What stands between the tag and `ENDEXT`.
    pub text: &'a str,
}

/// A property's value. LEF and DEF write numbers bare and text in quotes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PropertyValue<'a> {
    /// A number.
    Number(f64),
    /// A text.
    Text(&'a str),
}

/// A property's name and value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Property<'a> {
    /// Byte offset of the name.
    pub at: Offset,
    /// Its name, such as `LEF58_EDGETYPE`.
    pub name: &'a str,
    /// Its value.
    pub value: PropertyValue<'a>,
}

/// The declared type of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyKind {
    /// `INTEGER`.
    Integer,
    /// `REAL`.
    Real,
    /// `STRING`.
    String,
    /// `NAMEMAPSTRING` (DEF only).
    NameMapString,
}

/// One line of `PROPERTYDEFINITIONS`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PropertyDefinition<'a> {
    /// Byte offset.
    pub at: Offset,
    /// What kind of object carries it: `LIBRARY`, `LAYER`, `MACRO`, …, as written.
    pub object: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub kind: PropertyKind,
    /// `RANGE min max`.
    pub range: Option<(f64, f64)>,
    /// Default, or the value itself for `LIBRARY` and `DESIGN`.
    pub value: Option<PropertyValue<'a>>,
}

/// `MAXVIASTACK n [RANGE bottom top]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxViaStack<'a> {
    /// Byte offset.
    pub at: Offset,
    /// The most vias on top of each other.
    pub value: u32,
    /// Bottom and top layer that it holds for; all without it.
    pub range: Option<(&'a str, &'a str)>,
}

/// `SAMENET layer1 layer2 spacing [STACK]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SameNetSpacing<'a> {
    /// Byte offset.
    pub at: Offset,
    /// One layer.
    pub layer1: &'a str,
    /// The other layer.
    pub layer2: &'a str,
    /// Spacing in µm.
    pub spacing: f64,
    /// Whether vias may stack.
    pub stack: bool,
}

/// A point in µm.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Point {
    /// x in µm.
    pub x: f64,
    /// y in µm.
    pub y: f64,
}

/// A rectangle in µm, low corner first whatever the order in the file.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rect {
    /// Low x in µm.
    pub x1: f64,
    /// Low y in µm.
    pub y1: f64,
    /// High x in µm.
    pub x2: f64,
    /// High y in µm.
    pub y2: f64,
}

/// The eight orientations by their DEF names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Orient {
    /// As drawn (R0).
    #[default]
    N,
    /// Turned by 90° counter-clockwise (R90).
    W,
    /// Turned by 180° (R180).
    S,
    /// Turned by 270° counter-clockwise (R270).
    E,
    /// Mirrored about the y axis (MY).
    FN,
    /// Mirrored about the x axis, then turned by 90° counter-clockwise (MX90).
    FW,
    /// Mirrored about the x axis (MX).
    FS,
    /// Mirrored about the y axis, then turned by 90° counter-clockwise (MY90).
    FE,
}

impl Orient {
    /// From a DEF name (`N` … `FE`) or an OpenAccess name (`R0`, `MX90`, …), whatever the case.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let mut buffer = [0; crate::text::LONGEST_KEYWORD];
        Some(match crate::text::keyword(word, &mut buffer) {
            "N" | "R0" => Self::N,
            "W" | "R90" => Self::W,
            "S" | "R180" => Self::S,
            "E" | "R270" => Self::E,
            "FN" | "MY" => Self::FN,
            "FW" | "MX90" => Self::FW,
            "FS" | "MX" => Self::FS,
            "FE" | "MY90" => Self::FE,
            _ => return None,
        })
    }

    /// The DEF name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::N => "N",
            Self::W => "W",
            Self::S => "S",
            Self::E => "E",
            Self::FN => "FN",
            Self::FW => "FW",
            Self::FS => "FS",
            Self::FE => "FE",
        }
    }
}

/// `SYMMETRY`, a set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Symmetry {
    /// May be mirrored about the x axis.
    pub x: bool,
    /// May be mirrored about the y axis.
    pub y: bool,
    /// May be turned by 90°.
    pub r90: bool,
}

/// A placement site.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Site<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Its name.
    pub name: &'a str,
    /// `CLASS PAD` or `CORE`, as written.
    pub class: Option<&'a str>,
    /// `SYMMETRY`.
    pub symmetry: Symmetry,
    /// `SIZE w BY h` in µm.
    pub size: Option<(f64, f64)>,
    /// `ROWPATTERN`: sites with their orientation, from left to right.
    pub row_pattern: Vec<(&'a str, Orient)>,
}

/// `DO nx BY ny STEP dx dy`: a grid of copies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iterate {
    /// Copies along x.
    pub nx: u32,
    /// Copies along y.
    pub ny: u32,
    /// Step along x in µm.
    pub dx: f64,
    /// Step along y in µm.
    pub dy: f64,
}

/// What a shape looks like.
#[derive(Debug, Clone, PartialEq)]
pub enum ShapeKind {
    /// `RECT`.
    Rect(Rect),
    /// `POLYGON`, not closed by a repeated point.
    Polygon(Vec<Point>),
    /// `PATH`; the width is that of the last `WIDTH`, `None` for the layer's own.
    Path {
        /// Width in µm.
        width: Option<f64>,
        /// Centre line.
        points: Vec<Point>,
    },
}

/// One shape on a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Mask (colour) number, 0 for none.
    pub mask: u32,
    /// What it looks like.
    pub kind: ShapeKind,
    /// `ITERATE … DO …`.
    pub iterate: Option<Iterate>,
}

/// A `LAYER` of geometry with the shapes behind it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LayerGeometry<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Layer name.
    pub layer: &'a str,
    /// `EXCEPTPGNET` (obstructions only).
    pub except_pg_net: bool,
    /// `SPACING` in µm.
    pub spacing: Option<f64>,
    /// `DESIGNRULEWIDTH` in µm.
    pub design_rule_width: Option<f64>,
    /// Shapes in the order of the file.
    pub shapes: Vec<Shape>,
}

/// `VIA` inside a geometry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViaPlacement<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Via name.
    pub via: &'a str,
    /// Where its origin goes, µm.
    pub point: Point,
    /// Mask digits as written (top, cut, bottom), 0 for none.
    pub mask: u32,
    /// `ITERATE … DO …`.
    pub iterate: Option<Iterate>,
}

/// Shapes and vias of a port or an obstruction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Geometry<'a> {
    /// Layers with their shapes.
    pub layers: Vec<LayerGeometry<'a>>,
    /// Vias.
    pub vias: Vec<ViaPlacement<'a>>,
}
