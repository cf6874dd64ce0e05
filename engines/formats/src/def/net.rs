//! The tree of `NETS` and `SPECIALNETS`.

use super::ast::{Placement, Point, Polygon, Rect};
use super::wiring::Wiring;
use crate::lef::{Orient, Property, Use};
use crate::text::Offset;

/// A net. Its connections come from [`crate::def::DefFile::connections`].
#[derive(Debug, Clone, Default)]
pub struct Net<'a> {
    /// Its name, escapes as written; empty for a `MUSTJOIN` net, which has none.
    pub name: &'a str,
    /// Byte offset of its `-`.
    pub at: Offset,
    pub(super) first: u32,
    pub(super) count: u32,
    /// `USE`.
    pub usage: Option<Use>,
    /// What few unrouted nets have: wiring and rare clauses.
    pub extra: Option<Box<NetExtra<'a>>>,
}

impl<'a> Net<'a> {
    /// A net without connections of its own, for [`crate::def::Writer::net`].
    #[must_use]
    pub fn new(name: &'a str) -> Self {
        Self { name, ..Self::default() }
    }

    pub(super) fn same_but_connections(&self, other: &Net<'_>) -> bool {
        self.name == other.name
            && self.usage == other.usage
            && self.count == other.count
            && self.extra == other.extra
    }

    /// Number of connections.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether it connects nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// One connection of a net.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Connection<'a> {
    /// Component name; `PIN` for a pin of the design; `*` for every component (special nets).
    pub component: &'a str,
    /// Pin name.
    pub pin: &'a str,
    /// `SYNTHESIZED`.
    pub synthesized: bool,
}

impl Connection<'_> {
    /// Whether it is a pin of the design rather than of a component.
    #[must_use]
    pub fn is_design_pin(&self) -> bool {
        self.component == "PIN"
    }
}

/// A connection as offsets and lengths: 16 bytes where two `&str` take 32.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackedConnection {
    component_at: u32,
    component_len: u32,
    pin_at: u32,
    // Top bit: SYNTHESIZED.
    pin_len: u32,
}

const SYNTHESIZED: u32 = 1 << 31;

impl PackedConnection {
    /// Packs two names by their offsets; `None` for a name of 2 GiB or more.
    pub(super) fn new(
        component: (usize, &str),
        pin: (usize, &str),
        synthesized: bool,
    ) -> Option<Self> {
        let pin_len = u32::try_from(pin.1.len()).ok().filter(|l| l & SYNTHESIZED == 0)?;
        Some(Self {
            component_at: u32::try_from(component.0).ok()?,
            component_len: u32::try_from(component.1.len()).ok()?,
            pin_at: u32::try_from(pin.0).ok()?,
            pin_len: pin_len | if synthesized { SYNTHESIZED } else { 0 },
        })
    }

    pub(super) fn unpack<'a>(&self, text: &'a str) -> Connection<'a> {
        let slice = |at: u32, len: u32| text.get(at as usize..(at + len) as usize).unwrap_or("");
        Connection {
            component: slice(self.component_at, self.component_len),
            pin: slice(self.pin_at, self.pin_len & !SYNTHESIZED),
            synthesized: self.pin_len & SYNTHESIZED != 0,
        }
    }
}

/// What few unrouted nets have.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NetExtra<'a> {
    /// `MUSTJOIN` stands in place of the name.
    pub must_join: bool,
    /// `SOURCE`, as written.
    pub source: Option<&'a str>,
    /// `WEIGHT`.
    pub weight: Option<u32>,
    /// `ORIGINAL`.
    pub original: Option<&'a str>,
    /// `PATTERN`, as written.
    pub pattern: Option<&'a str>,
    /// `ESTCAP` in pF.
    pub est_cap: Option<f64>,
    /// `FREQUENCY` in Hz.
    pub frequency: Option<f64>,
    /// `VOLTAGE` in mV (special nets).
    pub voltage: Option<f64>,
    /// `XTALK` class.
    pub xtalk: Option<u32>,
    /// `FIXEDBUMP`.
    pub fixed_bump: bool,
    /// `NONDEFAULTRULE`.
    pub non_default_rule: Option<&'a str>,
    /// `STYLE` of old versions.
    pub style: Option<u32>,
    /// `SHIELDNET`s.
    pub shield_nets: Vec<&'a str>,
    /// `VPIN`s.
    pub vpins: Vec<Vpin<'a>>,
    /// `SUBNET`s.
    pub subnets: Vec<Subnet<'a>>,
    /// Wiring in paths.
    pub wiring: Vec<Wiring<'a>>,
    /// Wiring as shapes and vias (special nets).
    pub shapes: Vec<SpecialShape<'a>>,
    /// `WIDTH` and `SPACING` per layer of old versions.
    pub shield_rules: Vec<ShieldRule<'a>>,
    /// Properties.
    pub properties: Vec<Property<'a>>,
}

/// `VPIN`: a pin in the middle of a net.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vpin<'a> {
    /// Its name.
    pub name: &'a str,
    /// `LAYER`.
    pub layer: Option<&'a str>,
    /// Its area around the origin.
    pub rect: Rect,
    /// Where the origin goes.
    pub placement: Placement,
}

/// `SUBNET`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subnet<'a> {
    /// Its name.
    pub name: &'a str,
    /// Component (or `PIN`, `VPIN`) and pin.
    pub connections: Vec<(&'a str, &'a str)>,
    /// `NONDEFAULTRULE`.
    pub non_default_rule: Option<&'a str>,
    /// Its wiring.
    pub wiring: Vec<Wiring<'a>>,
}

/// What a special net's shape looks like.
#[derive(Debug, Clone, PartialEq)]
pub enum SpecialShapeKind {
    /// `RECT layer pt pt`.
    Rect(Rect),
    /// `POLYGON layer pt pt pt …`.
    Polygon(Polygon),
    /// `VIA name [orient] pt …`.
    Via(Orient, Vec<Point>),
}

/// `RECT`, `POLYGON` or `VIA` of a special net, with the `ROUTED`, `SHAPE` and `MASK` before it.
#[derive(Debug, Clone, PartialEq)]
pub struct SpecialShape<'a> {
    /// `ROUTED`, `FIXED`, `COVER` or `SHIELD` before it, as written; empty if none.
    pub status: &'a str,
    /// Net behind `SHIELD`.
    pub shield: Option<&'a str>,
    /// `SHAPE`, as written.
    pub shape: Option<&'a str>,
    /// `MASK`.
    pub mask: Option<u32>,
    /// Layer or via name.
    pub name: &'a str,
    /// Shape.
    pub kind: SpecialShapeKind,
}

/// `WIDTH layer w` or `SPACING layer s [RANGE min max]` of a special net.
#[derive(Debug, Clone, PartialEq)]
pub struct ShieldRule<'a> {
    /// `SPACING` rather than `WIDTH`.
    pub spacing: bool,
    /// Layer name.
    pub layer: &'a str,
    /// Width or spacing.
    pub value: i32,
    /// `RANGE`.
    pub range: Option<(i32, i32)>,
}
