//! The tree of a DEF file: header, components, and the lists of everything else.

use super::floorplan::{
    Blockage, Fill, GcellGrid, Group, NonDefaultRule, PinProperty, Region, Row, ScanChain, Slot,
    Style, Track, Via,
};
use super::net::{Connection, Net, PackedConnection};
use super::pin::Pin;
use crate::lef::{Extension, Orient, Property, PropertyDefinition, Statement};
use crate::text::Offset;

/// A DEF file. Every list keeps the order of the file; coordinates are database units.
#[derive(Debug, Clone, Default)]
pub struct DefFile<'a> {
    /// The whole text that the names are borrowed from.
    pub(super) text: &'a str,
    /// `VERSION`, `DESIGN`, `UNITS` and so on.
    pub header: Header<'a>,
    /// `PROPERTYDEFINITIONS`.
    pub property_definitions: Vec<PropertyDefinition<'a>>,
    /// `DIEAREA`: two points are opposite corners, more are a polygon.
    pub die_area: Vec<Point>,
    /// `ROW`s.
    pub rows: Vec<Row<'a>>,
    /// `TRACKS`.
    pub tracks: Vec<Track<'a>>,
    /// `GCELLGRID`.
    pub gcell_grids: Vec<GcellGrid>,
    /// `VIAS`.
    pub vias: Vec<Via<'a>>,
    /// `STYLES`.
    pub styles: Vec<Style>,
    /// `NONDEFAULTRULES`.
    pub non_default_rules: Vec<NonDefaultRule<'a>>,
    /// `REGIONS`.
    pub regions: Vec<Region<'a>>,
    /// `COMPONENTMASKSHIFT`: layers.
    pub component_mask_shift: Vec<&'a str>,
    /// `COMPONENTS`.
    pub components: Vec<Component<'a>>,
    /// `PINS`.
    pub pins: Vec<Pin<'a>>,
    /// `PINPROPERTIES`.
    pub pin_properties: Vec<PinProperty<'a>>,
    /// `BLOCKAGES`.
    pub blockages: Vec<Blockage<'a>>,
    /// `SLOTS`.
    pub slots: Vec<Slot<'a>>,
    /// `FILLS`.
    pub fills: Vec<Fill<'a>>,
    /// `SPECIALNETS`.
    pub special_nets: Vec<Net<'a>>,
    /// `NETS`.
    pub nets: Vec<Net<'a>>,
    /// `SCANCHAINS`.
    pub scan_chains: Vec<ScanChain<'a>>,
    /// `GROUPS`.
    pub groups: Vec<Group<'a>>,
    /// `BEGINEXT` … `ENDEXT`.
    pub extensions: Vec<Extension<'a>>,
    /// Statements and sections of old versions, kept as text.
    pub statements: Vec<Statement<'a>>,
    /// Where the sections of the file stand, in order.
    pub sections: Vec<Section>,
    /// Offset of `END DESIGN`, or of the end of the file if that is missing.
    pub end_design: Offset,
    /// Connections of all nets, special ones included, packed to offsets and lengths.
    pub(super) connections: Vec<PackedConnection>,
}

/// The statements at the head of a DEF file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Header<'a> {
    /// `VERSION`, as written.
    pub version: Option<&'a str>,
    /// `DIVIDERCHAR`; `/` if not given.
    pub divider_char: Option<&'a str>,
    /// `BUSBITCHARS`; `[]` if not given.
    pub bus_bit_chars: Option<&'a str>,
    /// `NAMESCASESENSITIVE` of old versions.
    pub names_case_sensitive: Option<bool>,
    /// `DESIGN`.
    pub design: Option<&'a str>,
    /// `TECHNOLOGY`.
    pub technology: Option<&'a str>,
    /// `UNITS DISTANCE MICRONS`: database units per µm; 100 if not given (the standard's default).
    pub dbu_per_micron: Option<u32>,
    /// `HISTORY` lines.
    pub history: Vec<&'a str>,
}

/// A point in database units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// x in database units.
    pub x: i32,
    /// y in database units.
    pub y: i32,
}

/// A rectangle in database units, low corner first whatever the order in the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Rect {
    /// Low corner.
    pub lo: Point,
    /// High corner.
    pub hi: Point,
}

/// A polygon in database units. DEF polygons are rectilinear or at 45°; this is not checked here.
pub type Polygon = Vec<Point>;

/// How firmly something is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Status {
    /// Not said.
    #[default]
    None,
    /// `UNPLACED`.
    Unplaced,
    /// `PLACED`: tools may move it.
    Placed,
    /// `FIXED`: only by hand.
    Fixed,
    /// `COVER`: never.
    Cover,
}

impl Status {
    /// Whether a position belongs to it.
    #[must_use]
    pub fn has_position(self) -> bool {
        matches!(self, Self::Placed | Self::Fixed | Self::Cover)
    }

    /// The keyword; empty for [`Status::None`].
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Unplaced => "UNPLACED",
            Self::Placed => "PLACED",
            Self::Fixed => "FIXED",
            Self::Cover => "COVER",
        }
    }
}

/// Where something is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Placement {
    /// Lower-left corner of the placed and turned outline.
    pub point: Point,
    /// How firmly.
    pub status: Status,
    /// Orientation.
    pub orient: Orient,
}

/// One of `COMPONENTS`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Component<'a> {
    /// Its name, escapes as written.
    pub name: &'a str,
    /// Its macro.
    pub master: &'a str,
    /// Where it is placed.
    pub placement: Placement,
    /// Byte offset of its `-`.
    pub at: Offset,
    /// What few components have.
    pub extra: Option<Box<ComponentExtra<'a>>>,
}

/// `ROUTEHALO distance minLayer maxLayer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouteHalo<'a> {
    /// Distance from the outline.
    pub distance: i32,
    /// Lowest layer.
    pub min_layer: &'a str,
    /// Highest layer.
    pub max_layer: &'a str,
}

/// What few components have.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ComponentExtra<'a> {
    /// Net names behind the macro, in the oldest versions.
    pub nets: Vec<&'a str>,
    /// `SOURCE`: `NETLIST`, `DIST`, `USER` or `TIMING`, as written.
    pub source: Option<&'a str>,
    /// `WEIGHT`.
    pub weight: Option<u32>,
    /// `EEQMASTER`.
    pub eeq_master: Option<&'a str>,
    /// `GENERATE`: generator and parameters.
    pub generate: Option<&'a str>,
    /// `REGION`: name of a region.
    pub region: Option<&'a str>,
    /// `REGION ( x y ) ( x y )` of old versions.
    pub region_area: Option<Rect>,
    /// `HALO left bottom right top`.
    pub halo: Option<[i32; 4]>,
    /// `HALO SOFT`.
    pub halo_soft: bool,
    /// `ROUTEHALO`.
    pub route_halo: Option<RouteHalo<'a>>,
    /// `MASKSHIFT` digits, as written.
    pub mask_shift: Option<&'a str>,
    /// `FOREIGN`: cell, offset and orientation, as text.
    pub foreign: Option<&'a str>,
    /// Properties.
    pub properties: Vec<Property<'a>>,
}

/// Which section it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// `VIAS`.
    Vias,
    /// `STYLES`.
    Styles,
    /// `NONDEFAULTRULES`.
    NonDefaultRules,
    /// `REGIONS`.
    Regions,
    /// `COMPONENTS`.
    Components,
    /// `PINS`.
    Pins,
    /// `PINPROPERTIES`.
    PinProperties,
    /// `BLOCKAGES`.
    Blockages,
    /// `SLOTS`.
    Slots,
    /// `FILLS`.
    Fills,
    /// `SPECIALNETS`.
    SpecialNets,
    /// `NETS`.
    Nets,
    /// `SCANCHAINS`.
    ScanChains,
    /// `GROUPS`.
    Groups,
}

impl SectionKind {
    /// The keyword.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Vias => "VIAS",
            Self::Styles => "STYLES",
            Self::NonDefaultRules => "NONDEFAULTRULES",
            Self::Regions => "REGIONS",
            Self::Components => "COMPONENTS",
            Self::Pins => "PINS",
            Self::PinProperties => "PINPROPERTIES",
            Self::Blockages => "BLOCKAGES",
            Self::Slots => "SLOTS",
            Self::Fills => "FILLS",
            Self::SpecialNets => "SPECIALNETS",
            Self::Nets => "NETS",
            Self::ScanChains => "SCANCHAINS",
            Self::Groups => "GROUPS",
        }
    }
}

/// Where a section stands in the file; offsets are bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// Which section.
    pub kind: SectionKind,
    /// The count that its head declares.
    pub declared: u32,
    /// First byte of its keyword.
    pub start: Offset,
    /// First byte behind the `;` of its head.
    pub body: Offset,
    /// First byte of its `END`.
    pub end: Offset,
    /// First byte behind the keyword that follows `END`.
    pub after: Offset,
}

impl<'a> DefFile<'a> {
    /// The text that the names are borrowed from.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Database units per µm; the standard's default is 100.
    #[must_use]
    pub fn dbu_per_micron(&self) -> u32 {
        self.header.dbu_per_micron.unwrap_or(100)
    }

    /// The connections of one of this file's nets.
    pub fn connections(&self, net: &Net<'a>) -> impl ExactSizeIterator<Item = Connection<'a>> {
        let range = net.first as usize..(net.first + net.count) as usize;
        let text = self.text;
        self.connections.get(range).unwrap_or(&[]).iter().map(move |c| c.unpack(text))
    }

    /// Connections of all nets together, special ones included.
    #[must_use]
    pub fn connection_count(&self) -> usize {
        self.connections.len()
    }

    /// Makes room for as many items as a head declares, as far as the text can hold them.
    pub(super) fn reserve(&mut self, kind: SectionKind, declared: u32) {
        // The shortest component is `-a b;` and the shortest net `-a;`, with a blank before.
        let most = self.text.len() / 5;
        let room = (declared as usize).min(most);
        match kind {
            SectionKind::Components => self.components.reserve(room),
            SectionKind::Nets => self.nets.reserve(room),
            _ => {}
        }
    }

    /// Whether two files say the same, wherever and with whatever blanks it is written.
    #[must_use]
    pub fn same_content(&self, other: &DefFile<'_>) -> bool {
        let nets = |a: &[Net<'_>], b: &[Net<'_>]| {
            a.len() == b.len()
                && a.iter().zip(b).all(|(x, y)| {
                    x.same_but_connections(y) && self.connections(x).eq(other.connections(y))
                })
        };
        self.header == other.header
            && self.property_definitions == other.property_definitions
            && self.die_area == other.die_area
            && self.rows == other.rows
            && self.tracks == other.tracks
            && self.gcell_grids == other.gcell_grids
            && self.vias == other.vias
            && self.styles == other.styles
            && self.non_default_rules == other.non_default_rules
            && self.regions == other.regions
            && self.component_mask_shift == other.component_mask_shift
            && self.components == other.components
            && self.pins == other.pins
            && self.pin_properties == other.pin_properties
            && self.blockages == other.blockages
            && self.slots == other.slots
            && self.fills == other.fills
            && nets(&self.special_nets, &other.special_nets)
            && nets(&self.nets, &other.nets)
            && self.scan_chains == other.scan_chains
            && self.groups == other.groups
            && self.extensions == other.extensions
            && self.statements == other.statements
    }
}
