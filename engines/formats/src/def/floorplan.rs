//! The tree of everything in a DEF file that is neither component, pin nor net.
//!
//! Coordinates and lengths are database units.

use super::ast::{Point, Polygon, Rect};
use crate::lef::{Orient, Property};
use crate::text::Offset;

/// `ROW`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Its name.
    pub name: &'a str,
    /// Its site.
    pub site: &'a str,
    /// Lower-left corner.
    pub point: Point,
    /// Orientation of its sites.
    pub orient: Orient,
    /// `DO nx BY ny`; 1 and 1 if not given.
    pub count: (u32, u32),
    /// `STEP dx dy`. `None`: sites abut.
    pub step: Option<(i32, i32)>,
    /// Properties.
    pub properties: Vec<Property<'a>>,
}

/// Direction in which tracks or grid lines are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Axis {
    /// `X`: vertical lines at x coordinates.
    #[default]
    X,
    /// `Y`: horizontal lines at y coordinates.
    Y,
}

/// `TRACKS`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Track<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Direction.
    pub axis: Axis,
    /// First line.
    pub start: i32,
    /// Number of lines.
    pub count: u32,
    /// Distance of the lines.
    pub step: i32,
    /// `MASK` of the first line.
    pub mask: Option<u32>,
    /// `SAMEMASK`: all lines have it.
    pub same_mask: bool,
    /// `LAYER`s; none means all.
    pub layers: Vec<&'a str>,
}

/// `GCELLGRID`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GcellGrid {
    /// Byte offset.
    pub at: Offset,
    /// Direction.
    pub axis: Axis,
    /// First line.
    pub start: i32,
    /// Number of lines.
    pub count: u32,
    /// Distance of the lines.
    pub step: i32,
}

/// A rectangle or polygon.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// `RECT`.
    Rect(Rect),
    /// `POLYGON`.
    Polygon(Polygon),
}

/// A shape on a layer, perhaps coloured.
#[derive(Debug, Clone, PartialEq)]
pub struct MaskedShape<'a> {
    /// Layer name.
    pub layer: &'a str,
    /// `MASK`.
    pub mask: Option<u32>,
    /// Shape.
    pub shape: Shape,
}

/// One of `VIAS`: fixed shapes, or parameters of a via rule.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Via<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Its name.
    pub name: &'a str,
    /// `PATTERNNAME` of old versions.
    pub pattern_name: Option<&'a str>,
    /// Shapes.
    pub shapes: Vec<MaskedShape<'a>>,
    /// `VIARULE` and its parameters.
    pub rule: Option<ViaFromRule<'a>>,
}

/// Parameters of a via that a rule makes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ViaFromRule<'a> {
    /// The rule's name.
    pub rule: &'a str,
    /// `CUTSIZE` along x and y.
    pub cut_size: (i32, i32),
    /// `LAYERS`: bottom, cut, top.
    pub layers: [&'a str; 3],
    /// `CUTSPACING` along x and y.
    pub cut_spacing: (i32, i32),
    /// `ENCLOSURE`: bottom x and y, top x and y.
    pub enclosure: [i32; 4],
    /// `ROWCOL`: rows and columns.
    pub rowcol: Option<(u32, u32)>,
    /// `ORIGIN`.
    pub origin: Option<(i32, i32)>,
    /// `OFFSET`: bottom x and y, top x and y.
    pub offset: Option<[i32; 4]>,
    /// `PATTERN`: which cuts are missing.
    pub pattern: Option<&'a str>,
}

/// One of `STYLES`: the outline of a wire's end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Style {
    /// Byte offset.
    pub at: Offset,
    /// Its number.
    pub number: u32,
    /// Outline.
    pub points: Polygon,
}

/// One of `NONDEFAULTRULES`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NonDefaultRule<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Its name.
    pub name: &'a str,
    /// `HARDSPACING`.
    pub hard_spacing: bool,
    /// Layers.
    pub layers: Vec<RuleLayer<'a>>,
    /// `VIA`s.
    pub vias: Vec<&'a str>,
    /// `VIARULE`s.
    pub via_rules: Vec<&'a str>,
    /// `MINCUTS`: cut layer and number.
    pub min_cuts: Vec<(&'a str, u32)>,
    /// Properties.
    pub properties: Vec<Property<'a>>,
}

/// A layer of a non-default rule. Files exist that give fractions, so these stay real.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RuleLayer<'a> {
    /// Layer name.
    pub layer: &'a str,
    /// `WIDTH`.
    pub width: f64,
    /// `DIAGWIDTH`.
    pub diag_width: Option<f64>,
    /// `SPACING`.
    pub spacing: Option<f64>,
    /// `WIREEXT`.
    pub wire_extension: Option<f64>,
}

/// One of `REGIONS`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Region<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Its name.
    pub name: &'a str,
    /// Rectangles.
    pub rects: Vec<Rect>,
    /// `TYPE`: `FENCE` or `GUIDE`, as written.
    pub kind: Option<&'a str>,
    /// Properties.
    pub properties: Vec<Property<'a>>,
}

/// What a blockage blocks.
#[derive(Debug, Clone, PartialEq)]
pub enum BlockageKind<'a> {
    /// `LAYER`: routing, cuts, or fill on a layer.
    Layer {
        /// Layer name.
        layer: &'a str,
        /// `SLOTS`: only slots.
        slots: bool,
        /// `FILLS`: only fill.
        fills: bool,
        /// `EXCEPTPGNET`.
        except_pg_net: bool,
        /// `SPACING`.
        spacing: Option<i32>,
        /// `DESIGNRULEWIDTH`.
        design_rule_width: Option<i32>,
        /// `MASK`.
        mask: Option<u32>,
    },
    /// `PLACEMENT`: cells.
    Placement {
        /// `SOFT`: later steps may use it.
        soft: bool,
        /// `PARTIAL`: highest density in percent.
        partial: Option<f64>,
    },
}

/// One of `BLOCKAGES`.
#[derive(Debug, Clone, PartialEq)]
pub struct Blockage<'a> {
    /// Byte offset.
    pub at: Offset,
    /// What it blocks.
    pub kind: BlockageKind<'a>,
    /// `PUSHDOWN`: comes from the level above.
    pub pushdown: bool,
    /// `COMPONENT` that it belongs to and moves with.
    pub component: Option<&'a str>,
    /// Shapes.
    pub shapes: Vec<Shape>,
}

/// One of `SLOTS`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slot<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Layer name.
    pub layer: &'a str,
    /// Shapes.
    pub shapes: Vec<Shape>,
}

/// What a fill is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum FillKind<'a> {
    /// `LAYER` with shapes.
    Layer(&'a str, Vec<Shape>),
    /// `VIA` at points.
    Via(&'a str, Vec<Point>),
}

/// One of `FILLS`.
#[derive(Debug, Clone, PartialEq)]
pub struct Fill<'a> {
    /// Byte offset.
    pub at: Offset,
    /// What it is made of.
    pub kind: FillKind<'a>,
    /// `MASK`.
    pub mask: Option<u32>,
    /// `OPC`.
    pub opc: bool,
}

/// One of `SCANCHAINS`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScanChain<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Its name.
    pub name: &'a str,
    /// `PARTITION`, `START`, `FLOATING`, `ORDERED`, `STOP`, `COMMONSCANPINS`, in order.
    pub clauses: Vec<ScanClause<'a>>,
}

/// A clause of a scan chain.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScanClause<'a> {
    /// Its keyword, as written.
    pub keyword: &'a str,
    /// Words behind the keyword, parentheses included.
    pub words: Vec<&'a str>,
}

/// One of `GROUPS`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Group<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Its name.
    pub name: &'a str,
    /// Component names and patterns (`*` matches anything).
    pub members: Vec<&'a str>,
    /// `REGION`: name of a region.
    pub region: Option<&'a str>,
    /// `REGION ( x y ) ( x y )` of old versions.
    pub region_area: Option<Rect>,
    /// `SOFT` limits, as text.
    pub soft: Option<&'a str>,
    /// Properties.
    pub properties: Vec<Property<'a>>,
}

/// One of `PINPROPERTIES`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PinProperty<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Component name; `PIN` for a pin of the design.
    pub component: &'a str,
    /// Pin name.
    pub pin: &'a str,
    /// Properties.
    pub properties: Vec<Property<'a>>,
}
