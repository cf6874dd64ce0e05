//! A macro placement case as its files say it: items, nets, placement, settings.
//!
//! Lengths are micrometres as `f64`, exactly as the files write them; positions of macros, cells and
//! ports are centres. An item's index is its index in the `.plc` file: nodes of the netlist are
//! counted from 0 in file order, the metadata node left out.

use crate::orient::Orient;

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A port of the block; it is its own pin.
    Port,
    /// A hard macro.
    Hard,
    /// A soft macro: a cluster of standard cells. Its pins lie at its centre.
    Soft,
    /// A pin of a hard macro.
    HardPin,
    /// A pin of a soft macro.
    SoftPin,
    /// A standard cell; it is its own pin, at its centre.
    Cell,
}

impl Kind {
    /// Whether it is a pin of a macro.
    #[must_use]
    pub fn is_pin(self) -> bool {
        matches!(self, Kind::HardPin | Kind::SoftPin)
    }
}

/// A value of an attribute that has no field of its own; kept so that it can be written back.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `placeholder: "…"`.
    Text(String),
    /// Any bare value with the name of its field, such as `f` or `i`.
    Bare(String, String),
}

/// One node of the netlist.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Width in µm; 0 for ports and pins.
    pub width: f64,
    /// Height in µm.
    pub height: f64,
    /// Centre as the netlist says it, if it does.
    pub at: Option<(f64, f64)>,
    /// Offset of a pin from the centre of its macro in orientation `N`.
    pub offset: (f64, f64),
    /// Of a pin: the index of its macro. Of anything else: its own index.
    pub owner: u32,
    /// Weight of the net that this item drives, if the netlist says it.
    pub weight: Option<f64>,
    /// Orientation as the netlist says it.
    pub orient: Option<Orient>,
    /// Side of a port, as written.
    pub side: Option<String>,
    /// Name of the master, if the netlist says it.
    pub master: Option<String>,
    /// Attributes without a field of their own.
    pub extra: Vec<(String, Value)>,
    /// Indices of the items that the net driven by this item reaches, in file order.
    pub sinks: Vec<u32>,
}

impl Item {
    /// An item without place, size or net.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: Kind, owner: u32) -> Self {
        Item {
            name: name.into(),
            kind,
            width: 0.0,
            height: 0.0,
            at: None,
            offset: (0.0, 0.0),
            owner,
            weight: None,
            orient: None,
            side: None,
            master: None,
            extra: Vec::new(),
            sinks: Vec::new(),
        }
    }

    /// Weight of the net it drives; 1 where the netlist says nothing. Ports have none to say.
    #[must_use]
    pub fn net_weight(&self) -> f64 {
        if self.kind == Kind::Port { 1.0 } else { self.weight.unwrap_or(1.0) }
    }

    /// Area in µm².
    #[must_use]
    pub fn area(&self) -> f64 {
        self.width * self.height
    }
}

/// A netlist of ports, macros, pins and cells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Netlist {
    /// The items; the index is that of the `.plc` file.
    pub items: Vec<Item>,
    /// Attributes of the metadata node.
    pub metadata: Vec<(String, Value)>,
    /// The outline of the block in µm, where a comment of the netlist says it: width and height.
    pub outline: Option<(f64, f64)>,
}

impl Netlist {
    /// Indices of all items of a kind.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = u32> + '_ {
        self.items.iter().enumerate().filter(move |(_, i)| i.kind == kind).map(|(i, _)| i as u32)
    }

    /// How many items of a kind there are.
    #[must_use]
    pub fn count(&self, kind: Kind) -> usize {
        self.of(kind).count()
    }

    /// How many nets there are: items that drive something.
    #[must_use]
    pub fn nets(&self) -> usize {
        self.items.iter().filter(|item| !item.sinks.is_empty()).count()
    }

    /// The weighted number of nets by which the evaluator divides wirelength.
    #[must_use]
    pub fn net_count(&self) -> f64 {
        self.items.iter().filter(|item| !item.sinks.is_empty()).map(Item::net_weight).sum()
    }

    /// Summed area of macros and cells in µm².
    #[must_use]
    pub fn area(&self) -> f64 {
        self.items.iter().map(Item::area).sum()
    }
}

/// Where one item is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    /// Centre.
    pub x: f64,
    /// Centre.
    pub y: f64,
    /// Orientation; `None` where the file has `-`.
    pub orient: Option<Orient>,
    /// Whether it must stay.
    pub fixed: bool,
}

/// A rectangle that is blocked to some degree; the proxy cost does not know it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blockage {
    /// Left, bottom, right, top in µm.
    pub rect: [f64; 4],
    /// Share of the rectangle that is blocked.
    pub rate: f64,
}

/// What the comments of a `.plc` file set.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Columns of the grid.
    pub columns: u32,
    /// Rows of the grid.
    pub rows: u32,
    /// Width of the canvas in µm.
    pub width: f64,
    /// Height of the canvas in µm.
    pub height: f64,
    /// Horizontal routing tracks per µm; 0 where the file says nothing.
    pub routes_h: f64,
    /// Vertical routing tracks per µm.
    pub routes_v: f64,
    /// Horizontal tracks per µm that a macro takes.
    pub macro_routes_h: f64,
    /// Vertical tracks per µm that a macro takes.
    pub macro_routes_v: f64,
    /// Range of the congestion smoothing in cells.
    pub smooth_range: u32,
    /// Overlap that Circuit Training tolerates; carried only.
    pub overlap_threshold: Option<f64>,
    /// Project name.
    pub project: Option<String>,
    /// Block name.
    pub block: Option<String>,
    /// Blockages; carried only.
    pub blockages: Vec<Blockage>,
}

impl Default for Settings {
    /// The grid of the evaluator's own defaults: ten by ten; no canvas, no routes.
    fn default() -> Self {
        Settings {
            columns: 10,
            rows: 10,
            width: 0.0,
            height: 0.0,
            routes_h: 0.0,
            routes_v: 0.0,
            macro_routes_h: 0.0,
            macro_routes_v: 0.0,
            smooth_range: 0,
            overlap_threshold: None,
            project: None,
            block: None,
            blockages: Vec::new(),
        }
    }
}

/// A placement: the settings and where each item that is no pin is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Placement {
    /// Settings from the file's comments.
    pub settings: Settings,
    /// By item index; `None` for pins and for what the file does not place.
    pub spots: Vec<Option<Spot>>,
}

impl Placement {
    /// The placement that the netlist itself carries: the centres of its nodes, ports fixed, on the
    /// given settings. A canvas of size 0 becomes the netlist's outline, or without one the square
    /// that the items fill to 60 %, as the evaluator has it.
    #[must_use]
    pub fn of_netlist(netlist: &Netlist, mut settings: Settings) -> Self {
        if settings.width <= 0.0 || settings.height <= 0.0 {
            let side = (netlist.area() / 0.6).sqrt();
            (settings.width, settings.height) = netlist.outline.unwrap_or((side, side));
        }
        let spots = netlist
            .items
            .iter()
            .map(|item| match (item.kind.is_pin(), item.at) {
                (false, Some((x, y))) => {
                    Some(Spot { x, y, orient: item.orient, fixed: item.kind == Kind::Port })
                }
                _ => None,
            })
            .collect();
        Placement { settings, spots }
    }
}
