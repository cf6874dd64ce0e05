//! The tree of LEF macros and their pins.

use crate::lef::{Geometry, Iterate, LayerGeometry, Orient, Point, Property, Statement, Symmetry};
use crate::text::Offset;

/// A macro: the outline, pins and blockages of a cell or block.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Macro<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Its name.
    pub name: &'a str,
    /// `CLASS` word, such as `CORE` or `BLOCK`, as written.
    pub class: Option<&'a str>,
    /// Second word of the class, such as `TIEHIGH`, as written.
    pub subclass: Option<&'a str>,
    /// `FIXEDMASK`.
    pub fixed_mask: bool,
    /// `FOREIGN` cells.
    pub foreigns: Vec<Foreign<'a>>,
    /// `ORIGIN` in µm: what is added to a drawn point to get the placed one. (0, 0) if not given.
    pub origin: Point,
    /// `EEQ`: electrically equal macro.
    pub eeq: Option<&'a str>,
    /// `LEQ`: logically equal macro (old versions).
    pub leq: Option<&'a str>,
    /// `SIZE w BY h` in µm.
    pub size: Option<(f64, f64)>,
    /// `SYMMETRY`.
    pub symmetry: Symmetry,
    /// `SITE` statements.
    pub sites: Vec<MacroSite<'a>>,
    /// Pins.
    pub pins: Vec<Pin<'a>>,
    /// `OBS`.
    pub obs: Geometry<'a>,
    /// `DENSITY`: layer and its areas.
    pub densities: Vec<Density<'a>>,
    /// Properties, such as `LEF58_EDGETYPE`.
    pub properties: Vec<Property<'a>>,
    /// Other statements of the grammar, kept as text (`SOURCE`, `POWER`, `GENERATE`, …).
    pub statements: Vec<Statement<'a>>,
}

/// `FOREIGN`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foreign<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Name of the foreign cell.
    pub name: &'a str,
    /// Offset in µm.
    pub point: Option<Point>,
    /// Orientation.
    pub orient: Option<Orient>,
}

/// `SITE` of a macro, plain or as a pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MacroSite<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Site name.
    pub site: &'a str,
    /// Where and how it lies in the macro, µm.
    pub pattern: Option<(Point, Orient)>,
    /// `DO … STEP …` of a pattern.
    pub iterate: Option<Iterate>,
}

/// `DENSITY` on one layer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Density<'a> {
    /// Layer name.
    pub layer: &'a str,
    /// Rectangle in µm and its density in percent.
    pub areas: Vec<(crate::lef::Rect, f64)>,
}

/// `DIRECTION` of a pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinDirection {
    /// `INPUT`.
    Input,
    /// `OUTPUT`.
    Output,
    /// `OUTPUT TRISTATE`.
    OutputTristate,
    /// `INOUT`.
    Inout,
    /// `FEEDTHRU`.
    Feedthru,
}

/// `USE` of a pin or a net; LEF and DEF share most words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// `SIGNAL`.
    Signal,
    /// `ANALOG`.
    Analog,
    /// `POWER`.
    Power,
    /// `GROUND`.
    Ground,
    /// `CLOCK`.
    Clock,
    /// `TIEOFF`.
    Tieoff,
    /// `SCAN`.
    Scan,
    /// `RESET`.
    Reset,
    /// `DATA` of old versions.
    Data,
}

impl Use {
    /// From a keyword, whatever its case.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let mut buffer = [0; crate::text::LONGEST_KEYWORD];
        Some(match crate::text::keyword(word, &mut buffer) {
            "SIGNAL" => Self::Signal,
            "ANALOG" => Self::Analog,
            "POWER" => Self::Power,
            "GROUND" => Self::Ground,
            "CLOCK" => Self::Clock,
            "TIEOFF" => Self::Tieoff,
            "SCAN" => Self::Scan,
            "RESET" => Self::Reset,
            "DATA" => Self::Data,
            _ => return None,
        })
    }

    /// The keyword.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Signal => "SIGNAL",
            Self::Analog => "ANALOG",
            Self::Power => "POWER",
            Self::Ground => "GROUND",
            Self::Clock => "CLOCK",
            Self::Tieoff => "TIEOFF",
            Self::Scan => "SCAN",
            Self::Reset => "RESET",
            Self::Data => "DATA",
        }
    }
}

/// A pin of a macro.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pin<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Its name.
    pub name: &'a str,
    /// `DIRECTION`.
    pub direction: Option<PinDirection>,
    /// `USE`; `SIGNAL` if not given.
    pub usage: Option<Use>,
    /// `SHAPE`: `ABUTMENT`, `RING` or `FEEDTHRU`, as written.
    pub shape: Option<&'a str>,
    /// `MUSTJOIN`: pin that it must be joined with.
    pub must_join: Option<&'a str>,
    /// `TAPERRULE`.
    pub taper_rule: Option<&'a str>,
    /// `NETEXPR`, without quotes.
    pub net_expr: Option<&'a str>,
    /// `SUPPLYSENSITIVITY`.
    pub supply_sensitivity: Option<&'a str>,
    /// `GROUNDSENSITIVITY`.
    pub ground_sensitivity: Option<&'a str>,
    /// `FOREIGN`.
    pub foreigns: Vec<Foreign<'a>>,
    /// `PORT`s.
    pub ports: Vec<Port<'a>>,
    /// Antenna figures in order.
    pub antenna: Vec<PinAntenna<'a>>,
    /// Properties.
    pub properties: Vec<Property<'a>>,
    /// Other statements of the grammar, kept as text (electrical figures of old versions).
    pub statements: Vec<Statement<'a>>,
}

/// A port of a pin.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Port<'a> {
    /// Byte offset.
    pub at: Offset,
    /// `CLASS`: `NONE`, `CORE` or `BUMP`, as written.
    pub class: Option<&'a str>,
    /// Shapes and vias.
    pub geometry: Geometry<'a>,
}

/// An antenna figure of a pin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PinAntenna<'a> {
    /// Byte offset.
    pub at: Offset,
    /// Keyword, such as `ANTENNAGATEAREA`, as written.
    pub keyword: &'a str,
    /// Oxide model that it holds for: 1 to 32; 1 without any `ANTENNAMODEL`.
    pub oxide: u32,
    /// Its value: µm² or a ratio.
    pub value: f64,
    /// `LAYER`.
    pub layer: Option<&'a str>,
}

impl<'a> Pin<'a> {
    /// All layers with shapes over all ports.
    pub fn layers(&self) -> impl Iterator<Item = &LayerGeometry<'a>> {
        self.ports.iter().flat_map(|p| &p.geometry.layers)
    }
}
