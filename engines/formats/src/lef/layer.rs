//! The tree of LEF layers, vias, via rules and non-default rules.

use crate::lef::{Point, Property, Rect, SameNetSpacing, Shape, Statement};
use crate::text::Offset;

/// `TYPE` of a layer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LayerKind {
    /// Not given.
    #[default]
    None,
    /// `ROUTING`.
    Routing,
    /// `CUT`.
    Cut,
    /// `MASTERSLICE`.
    Masterslice,
    /// `OVERLAP`.
    Overlap,
    /// `IMPLANT`.
    Implant,
}

/// Preferred direction of a routing layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// `HORIZONTAL`.
    Horizontal,
    /// `VERTICAL`.
    Vertical,
    /// `DIAG45`.
    Diag45,
    /// `DIAG135`.
    Diag135,
}

/// A layer. Fields that do not belong to its kind stay empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layer<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Its name.
    pub name: &'a str,
    /// `TYPE`.
    pub kind: LayerKind,
    /// `MASK`: number of masks (colours).
    pub masks: Option<u32>,
    /// `DIRECTION`.
    pub direction: Option<Direction>,
    /// `PITCH` along x and y, µm; one number stands for both.
    pub pitch: Option<(f64, f64)>,
    /// `DIAGPITCH`, µm.
    pub diag_pitch: Option<(f64, f64)>,
    /// `OFFSET` along x and y, µm; one number stands for both.
    pub offset: Option<(f64, f64)>,
    /// `WIDTH`: default wire width or cut width, µm.
    pub width: Option<f64>,
    /// `MINWIDTH`, µm.
    pub min_width: Option<f64>,
    /// `MAXWIDTH`, µm.
    pub max_width: Option<f64>,
    /// `AREA`: least area, µm².
    pub area: Option<f64>,
    /// `SPACING` rules.
    pub spacings: Vec<Spacing<'a>>,
    /// `SPACINGTABLE` rules.
    pub spacing_tables: Vec<SpacingTable>,
    /// `RESISTANCE RPERSQ` in Ω per square (routing) or `RESISTANCE` in Ω per cut.
    pub resistance: Option<f64>,
    /// `RESISTANCE RPERSQ PWL`: (width µm, Ω per square).
    pub resistance_pwl: Vec<(f64, f64)>,
    /// `CAPACITANCE CPERSQDIST` in pF/µm².
    pub capacitance: Option<f64>,
    /// `CAPACITANCE CPERSQDIST PWL`: (width µm, pF/µm²).
    pub capacitance_pwl: Vec<(f64, f64)>,
    /// `EDGECAPACITANCE` in pF/µm.
    pub edge_capacitance: Option<f64>,
    /// `THICKNESS`, µm.
    pub thickness: Option<f64>,
    /// `HEIGHT` above the substrate, µm.
    pub height: Option<f64>,
    /// `WIREEXTENSION`, µm.
    pub wire_extension: Option<f64>,
    /// `ENCLOSURE` and `PREFERENCLOSURE` of cut layers.
    pub enclosures: Vec<Enclosure>,
    /// `MINIMUMCUT` rules.
    pub minimum_cuts: Vec<MinimumCut>,
    /// Antenna rules in order; an oxide model holds until the next one.
    pub antenna: Vec<AntennaRule>,
    /// `ACCURRENTDENSITY` and `DCCURRENTDENSITY`.
    pub current_densities: Vec<CurrentDensity<'a>>,
    /// Properties, such as `LEF58_TYPE`.
    pub properties: Vec<Property<'a>>,
    /// Other statements of the grammar, kept as text (`MINSTEP`, `ARRAYSPACING`, densities, …).
    pub statements: Vec<Statement<'a>>,
}

/// A `SPACING` rule. Without any of the conditions it is the plain spacing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spacing<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Spacing in µm.
    pub value: f64,
    /// `CENTERTOCENTER` (cut).
    pub center_to_center: bool,
    /// `SAMENET`.
    pub same_net: bool,
    /// `SAMENET PGONLY`.
    pub pg_only: bool,
    /// `LAYER name`: to this other cut layer.
    pub layer: Option<&'a str>,
    /// `STACK`.
    pub stack: bool,
    /// `ADJACENTCUTS n WITHIN d`.
    pub adjacent_cuts: Option<(u32, f64)>,
    /// `EXCEPTSAMEPGNET`.
    pub except_same_pg_net: bool,
    /// `PARALLELOVERLAP`.
    pub parallel_overlap: bool,
    /// `AREA`, µm²: for cuts at least so large.
    pub area: Option<f64>,
    /// `RANGE min max` of wire widths, µm.
    pub range: Option<(f64, f64)>,
    /// `RANGE … USELENGTHTHRESHOLD`.
    pub use_length_threshold: bool,
    /// `RANGE … INFLUENCE d`, µm.
    pub influence: Option<f64>,
    /// The second `RANGE`, behind `RANGE`, `INFLUENCE` or `LENGTHTHRESHOLD`.
    pub second_range: Option<(f64, f64)>,
    /// `LENGTHTHRESHOLD`, µm.
    pub length_threshold: Option<f64>,
    /// `ENDOFLINE width WITHIN d`.
    pub end_of_line: Option<(f64, f64)>,
    /// `PARALLELEDGE space WITHIN d` of an `ENDOFLINE` rule.
    pub parallel_edge: Option<(f64, f64)>,
    /// `TWOEDGES`.
    pub two_edges: bool,
    /// `NOTCHLENGTH`, µm.
    pub notch_length: Option<f64>,
    /// `ENDOFNOTCHWIDTH w NOTCHSPACING s NOTCHLENGTH l`, µm.
    pub end_of_notch: Option<[f64; 3]>,
}

impl Spacing<'_> {
    /// Whether the rule holds without any condition.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Self { at: self.at, value: self.value, ..Self::default() }
    }
}

/// A `SPACINGTABLE`; all values µm.
#[derive(Debug, Clone, PartialEq)]
pub enum SpacingTable {
    /// `PARALLELRUNLENGTH`: spacing by width (row) and common length (column).
    ParallelRunLength {
        /// Lengths of the columns.
        lengths: Vec<f64>,
        /// Width of the row and its spacings, one per length.
        rows: Vec<(f64, Vec<f64>)>,
    },
    /// `TWOWIDTHS`: spacing by the widths of both wires.
    TwoWidths {
        /// Width, common run length if given, and spacings, one per row.
        rows: Vec<(f64, Option<f64>, Vec<f64>)>,
    },
    /// `INFLUENCE`: (width, within, spacing).
    Influence(Vec<[f64; 3]>),
    /// `ORTHOGONAL` of cut layers: (within, spacing).
    Orthogonal(Vec<[f64; 2]>),
}

/// Which side of a cut an enclosure is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Both.
    Both,
    /// `ABOVE`.
    Above,
    /// `BELOW`.
    Below,
}

/// `ENCLOSURE` or `PREFERENCLOSURE`; all values µm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Enclosure {
    /// Byte offset.
    pub at: Offset,
    /// `PREFERENCLOSURE`.
    pub preferred: bool,
    /// Side.
    pub side: Side,
    /// Overhang on two opposite sides.
    pub overhang1: f64,
    /// Overhang on the other two sides.
    pub overhang2: f64,
    /// `WIDTH`: for wires at least so wide.
    pub width: Option<f64>,
    /// `EXCEPTEXTRACUT`.
    pub except_extra_cut: Option<f64>,
    /// `LENGTH`: for wires at least so long.
    pub length: Option<f64>,
}

/// `MINIMUMCUT`; all values µm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MinimumCut {
    /// Byte offset.
    pub at: Offset,
    /// Least number of cuts.
    pub cuts: u32,
    /// `WIDTH`: for wires wider than this.
    pub width: f64,
    /// `WITHIN`: cuts must be so close together.
    pub within: Option<f64>,
    /// `FROMABOVE` or `FROMBELOW`.
    pub side: Option<Side>,
    /// `LENGTH l WITHIN d`.
    pub length: Option<(f64, f64)>,
}

/// Which antenna figure a rule gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AntennaKind {
    /// `ANTENNAAREARATIO`.
    AreaRatio,
    /// `ANTENNADIFFAREARATIO`.
    DiffAreaRatio,
    /// `ANTENNACUMAREARATIO`.
    CumAreaRatio,
    /// `ANTENNACUMDIFFAREARATIO`.
    CumDiffAreaRatio,
    /// `ANTENNAAREAFACTOR`.
    AreaFactor,
    /// `ANTENNASIDEAREARATIO`.
    SideAreaRatio,
    /// `ANTENNADIFFSIDEAREARATIO`.
    DiffSideAreaRatio,
    /// `ANTENNACUMSIDEAREARATIO`.
    CumSideAreaRatio,
    /// `ANTENNACUMDIFFSIDEAREARATIO`.
    CumDiffSideAreaRatio,
    /// `ANTENNASIDEAREAFACTOR`.
    SideAreaFactor,
    /// `ANTENNACUMROUTINGPLUSCUT`.
    CumRoutingPlusCut,
    /// `ANTENNAGATEPLUSDIFF`.
    GatePlusDiff,
    /// `ANTENNAAREAMINUSDIFF`.
    AreaMinusDiff,
    /// `ANTENNAAREADIFFREDUCEPWL`.
    AreaDiffReduce,
    /// `ANTENNALENGTHFACTOR` of LEF 5.3.
    LengthFactor,
}

/// One antenna figure of a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct AntennaRule {
    /// Byte offset.
    pub at: Offset,
    /// Oxide model that it holds for: 1 to 32; 1 without any `ANTENNAMODEL`.
    pub oxide: u32,
    /// Which figure.
    pub kind: AntennaKind,
    /// Its value; `None` where it is a table or a mere switch.
    pub value: Option<f64>,
    /// `PWL` points.
    pub pwl: Vec<(f64, f64)>,
    /// `DIFFUSEONLY`.
    pub diffuse_only: bool,
}

/// `ACCURRENTDENSITY` or `DCCURRENTDENSITY`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurrentDensity<'a> {
    /// Byte offset.
    pub at: Offset,
    /// `ACCURRENTDENSITY` rather than `DCCURRENTDENSITY`.
    pub ac: bool,
    /// `PEAK`, `AVERAGE` or `RMS`, as written.
    pub kind: &'a str,
    /// The one value, mA/µm or mA per cut, where there is no table.
    pub value: Option<f64>,
    /// `FREQUENCY`, MHz.
    pub frequencies: Vec<f64>,
    /// `WIDTH` in µm or `CUTAREA` in µm².
    pub sizes: Vec<f64>,
    /// `TABLEENTRIES`, frequency by size.
    pub entries: Vec<f64>,
}

/// A via: fixed shapes, or parameters of a via rule.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Via<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Its name.
    pub name: &'a str,
    /// `DEFAULT`.
    pub default: bool,
    /// `GENERATED`.
    pub generated: bool,
    /// `TOPOFSTACKONLY`.
    pub top_of_stack_only: bool,
    /// `RESISTANCE` in Ω.
    pub resistance: Option<f64>,
    /// Layers with their shapes.
    pub layers: Vec<ViaLayer<'a>>,
    /// `VIARULE` and its parameters.
    pub rule: Option<ViaFromRule<'a>>,
    /// Properties.
    pub properties: Vec<Property<'a>>,
    /// Other statements, kept as text (`FOREIGN`).
    pub statements: Vec<Statement<'a>>,
}

/// A layer of a via.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ViaLayer<'a> {
    /// Layer name.
    pub layer: &'a str,
    /// Shapes: rectangles and polygons.
    pub shapes: Vec<Shape>,
}

/// Parameters of a via that a rule makes; lengths µm.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ViaFromRule<'a> {
    /// The rule's name.
    pub rule: &'a str,
    /// `CUTSIZE` along x and y.
    pub cut_size: (f64, f64),
    /// `LAYERS`: bottom, cut, top.
    pub layers: [&'a str; 3],
    /// `CUTSPACING` along x and y.
    pub cut_spacing: (f64, f64),
    /// `ENCLOSURE`: bottom x and y, top x and y.
    pub enclosure: [f64; 4],
    /// `ROWCOL`: rows and columns.
    pub rowcol: Option<(u32, u32)>,
    /// `ORIGIN`.
    pub origin: Option<Point>,
    /// `OFFSET`: bottom x and y, top x and y.
    pub offset: Option<[f64; 4]>,
    /// `PATTERN`: which cuts are missing.
    pub pattern: Option<&'a str>,
}

/// A via rule.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ViaRule<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Its name.
    pub name: &'a str,
    /// `GENERATE`.
    pub generate: bool,
    /// `DEFAULT`.
    pub default: bool,
    /// Its layers.
    pub layers: Vec<ViaRuleLayer<'a>>,
    /// `VIA` names of a rule by list.
    pub vias: Vec<&'a str>,
    /// Properties.
    pub properties: Vec<Property<'a>>,
}

/// A layer of a via rule; lengths µm.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ViaRuleLayer<'a> {
    /// Layer name.
    pub layer: &'a str,
    /// `DIRECTION`.
    pub direction: Option<Direction>,
    /// `ENCLOSURE`: overhang on two sides and on the other two.
    pub enclosure: Option<(f64, f64)>,
    /// `WIDTH min TO max`.
    pub width: Option<(f64, f64)>,
    /// `OVERHANG` of old versions.
    pub overhang: Option<f64>,
    /// `METALOVERHANG` of old versions.
    pub metal_overhang: Option<f64>,
    /// `RECT`: the cut.
    pub rect: Option<Rect>,
    /// `SPACING x BY y`, centre to centre.
    pub spacing: Option<(f64, f64)>,
    /// `RESISTANCE` in Ω per cut.
    pub resistance: Option<f64>,
}

/// A non-default rule.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NonDefaultRule<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Its name.
    pub name: &'a str,
    /// `HARDSPACING`.
    pub hard_spacing: bool,
    /// Layers with their widths and spacings.
    pub layers: Vec<RuleLayer<'a>>,
    /// Vias defined inside the rule.
    pub vias: Vec<Via<'a>>,
    /// `SPACING SAMENET` inside the rule.
    pub same_net_spacings: Vec<SameNetSpacing<'a>>,
    /// `USEVIA`.
    pub use_vias: Vec<&'a str>,
    /// `USEVIARULE`.
    pub use_via_rules: Vec<&'a str>,
    /// `MINCUTS`: cut layer and number.
    pub min_cuts: Vec<(&'a str, u32)>,
    /// Properties.
    pub properties: Vec<Property<'a>>,
}

/// A layer of a non-default rule; lengths µm.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RuleLayer<'a> {
    /// Layer name.
    pub layer: &'a str,
    /// `WIDTH`.
    pub width: Option<f64>,
    /// `DIAGWIDTH`.
    pub diag_width: Option<f64>,
    /// `SPACING`.
    pub spacing: Option<f64>,
    /// `WIREEXTENSION`.
    pub wire_extension: Option<f64>,
    /// Other statements, kept as text (`RESISTANCE`, `CAPACITANCE`, `EDGECAPACITANCE`).
    pub statements: Vec<Statement<'a>>,
}
