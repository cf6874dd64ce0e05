//! The tree of `PINS`.

use super::ast::{Placement, Point, Polygon, Rect};
use crate::lef::Use;
use crate::text::Offset;

/// `DIRECTION` of a pin of the design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PinDirection {
    /// `INPUT`.
    Input,
    /// `OUTPUT`.
    Output,
    /// `INOUT`.
    Inout,
    /// `FEEDTHRU`.
    Feedthru,
}

impl PinDirection {
    /// The keyword.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "INPUT",
            Self::Output => "OUTPUT",
            Self::Inout => "INOUT",
            Self::Feedthru => "FEEDTHRU",
        }
    }
}

/// One of `PINS`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pin<'a> {
    /// Byte offset of its `-`.
    pub at: Offset,
    /// Its name, escapes as written.
    pub name: &'a str,
    /// `NET`.
    pub net: Option<&'a str>,
    /// `SPECIAL`.
    pub special: bool,
    /// `DIRECTION`.
    pub direction: Option<PinDirection>,
    /// `USE`.
    pub usage: Option<Use>,
    /// `NETEXPR`, without quotes.
    pub net_expr: Option<&'a str>,
    /// `SUPPLYSENSITIVITY`.
    pub supply_sensitivity: Option<&'a str>,
    /// `GROUNDSENSITIVITY`.
    pub ground_sensitivity: Option<&'a str>,
    /// Antenna figures in order.
    pub antenna: Vec<PinAntenna<'a>>,
    /// Whether the ports below were written with `PORT`; otherwise there is at most one.
    pub explicit_ports: bool,
    /// Shapes and placements.
    pub ports: Vec<PinPort<'a>>,
}

/// A port: shapes around an origin, and where that goes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PinPort<'a> {
    /// Shapes.
    pub shapes: Vec<PinShape<'a>>,
    /// Where the origin goes.
    pub placement: Placement,
}

/// What a pin's shape looks like.
#[derive(Debug, Clone, PartialEq)]
pub enum PinShapeKind {
    /// `LAYER name pt pt`.
    Rect(Rect),
    /// `POLYGON name pt pt pt …`.
    Polygon(Polygon),
    /// `VIA name pt`.
    Via(Point),
}

/// A shape of a pin.
#[derive(Debug, Clone, PartialEq)]
pub struct PinShape<'a> {
    /// Layer or via name.
    pub name: &'a str,
    /// `MASK`.
    pub mask: Option<u32>,
    /// `SPACING`.
    pub spacing: Option<i32>,
    /// `DESIGNRULEWIDTH`.
    pub design_rule_width: Option<i32>,
    /// Shape.
    pub kind: PinShapeKind,
}

/// An antenna figure of a pin; values in square database units or ratios as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PinAntenna<'a> {
    /// Keyword, such as `ANTENNAPINGATEAREA`, as written.
    pub keyword: &'a str,
    /// Value; the oxide model's number for `ANTENNAMODEL`.
    pub value: f64,
    /// `LAYER`.
    pub layer: Option<&'a str>,
}
