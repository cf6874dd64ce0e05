//! The library: masters, each the LEF macro and the Liberty cells of one name.

use hashbrown::HashMap;

use crate::geom::{Orient, Point, Rect};
use crate::ids::{IdVec, LayerId, MasterId, MasterPinId, SiteId};
use crate::logic::Expr;
use crate::tech::Symmetry;
use crate::timing::{Corner, Sequential, TimingCell, TimingLib};

/// Direction of a pin or port, seen from the cell (for a port: from outside the design).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PinDirection {
    /// Input.
    Input,
    /// Output, also three-state.
    Output,
    /// Bidirectional.
    Inout,
    /// A feedthrough or a pin without a direction.
    Unknown,
}

impl PinDirection {
    /// Whether it can drive a net from a cell.
    pub const fn drives(self) -> bool {
        matches!(self, PinDirection::Output | PinDirection::Inout)
    }
    /// Whether it can load a net from a cell.
    pub const fn loads(self) -> bool {
        matches!(self, PinDirection::Input | PinDirection::Inout)
    }
}

/// Coarse LEF class of a master.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MasterClass {
    /// A standard cell (`CORE` and subclasses except the following two).
    Core,
    /// `CORE SPACER`: fillers and decaps.
    Spacer,
    /// `CORE WELLTAP`.
    WellTap,
    /// `ENDCAP …`.
    Endcap,
    /// `BLOCK` and subclasses: macros.
    Block,
    /// `PAD …`.
    Pad,
    /// `COVER` / `RING`: may overlap anything.
    Cover,
}

/// A power rail kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rail {
    /// `USE POWER`.
    Power,
    /// `USE GROUND`.
    Ground,
}

/// A signal pin of a master.
#[derive(Clone, Debug)]
pub struct MasterPin {
    /// Name; bus bits are written `A[3]`.
    pub name: String,
    /// Direction.
    pub direction: PinDirection,
    /// LEF `USE CLOCK` or Liberty `clock : true`.
    pub is_clock: bool,
    /// Shapes by layer in DBU from the lower-left corner in orientation N.
    pub shapes: Vec<(LayerId, Rect)>,
    /// Bounding box of the shapes; empty at the middle of the cell when there is no shape.
    pub bbox: Rect,
    /// Where the wire meets the pin: the centre of `bbox`, DBU from the lower-left corner.
    pub offset: Point,
}

/// A supply pin of a master.
#[derive(Clone, Debug)]
pub struct SupplyPin {
    /// Name.
    pub name: String,
    /// Power or ground.
    pub rail: Rail,
    /// Shapes by layer, DBU.
    pub shapes: Vec<(LayerId, Rect)>,
}

/// A library cell: what LEF and Liberty say under one name.
#[derive(Clone, Debug)]
pub struct Master {
    /// Name.
    pub name: String,
    /// Class.
    pub class: MasterClass,
    /// Width in orientation N, DBU; 0 without LEF.
    pub width: i32,
    /// Height in orientation N, DBU; 0 without LEF.
    pub height: i32,
    /// Site of its rows.
    pub site: Option<SiteId>,
    /// Allowed mirrorings.
    pub symmetry: Symmetry,
    /// Signal pins in ascending byte order of their names, so that masters of one function have
    /// the same pin numbers and a resize keeps every [`crate::PinId`].
    pub pins: Vec<MasterPin>,
    /// Supply pins.
    pub supplies: Vec<SupplyPin>,
    /// Obstructions by layer, DBU.
    pub obstructions: Vec<(LayerId, Rect)>,
    /// Edge types (left, right) for edge spacing.
    pub edge_types: Option<(String, String)>,
    /// Whether a LEF macro defines it.
    pub has_geometry: bool,
    /// Masters of one number have the same pins and the same logic; see [`Library::new`].
    pub function_class: u32,
}

impl Master {
    /// The pin of a name.
    pub fn pin(&self, name: &str) -> Option<MasterPinId> {
        let found = self.pins.binary_search_by(|pin| pin.name.as_str().cmp(name)).ok();
        found.map(MasterPinId::new)
    }
    /// Where pin `pin` lies from the lower-left corner of the cell placed in `orient`, DBU.
    #[inline]
    pub fn pin_offset(&self, pin: MasterPinId, orient: Orient) -> Point {
        orient.apply(self.pins[pin.index()].offset, self.width, self.height)
    }
    /// Area in DBU².
    pub fn area(&self) -> i64 {
        i64::from(self.width) * i64::from(self.height)
    }
    /// The rail along the bottom edge in orientation N, where its supply pins show one.
    pub fn bottom_rail(&self) -> Option<Rail> {
        self.rail_at(0)
    }
    /// The rail along the top edge in orientation N, where its supply pins show one.
    pub fn top_rail(&self) -> Option<Rail> {
        self.rail_at(self.height)
    }
    fn rail_at(&self, y: i32) -> Option<Rail> {
        let covers =
            |pin: &&SupplyPin| pin.shapes.iter().any(|(_, rect)| rect.lo.y <= y && y <= rect.hi.y);
        self.supplies.iter().find(covers).map(|pin| pin.rail)
    }
    /// The first output pin, for buffers and inverters the only one.
    pub fn output(&self) -> Option<MasterPinId> {
        let found = self.pins.iter().position(|pin| pin.direction == PinDirection::Output);
        found.map(MasterPinId::new)
    }
}

/// All masters with their timing.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The masters in the order read.
    pub masters: IdVec<MasterId, Master>,
    /// Liberty files.
    pub timing_libs: Vec<TimingLib>,
    /// Analysis corners.
    pub corners: Vec<Corner>,
    /// BLAKE3 over the sources.
    pub digest: [u8; 32],
    by_name: HashMap<String, MasterId>,
    buffers: Vec<MasterId>,
    members: Vec<Vec<MasterId>>,
}

impl Library {
    /// Puts a library together and works out the function classes.
    ///
    /// Two masters are of one class when their signal pins have the same names and directions and
    /// their Liberty views (of the first corner that has both) the same output functions,
    /// three-state conditions, state elements and clock-gate kind. A master without Liberty view
    /// or with an output that has no function forms its own class: a resize must not change
    /// logic that nobody stated.
    pub fn new(
        mut masters: IdVec<MasterId, Master>,
        timing_libs: Vec<TimingLib>,
        corners: Vec<Corner>,
        digest: [u8; 32],
    ) -> Self {
        let by_name = masters.iter().map(|(id, master)| (master.name.clone(), id)).collect();
        let mut library = Library {
            timing_libs,
            corners,
            digest,
            by_name,
            masters: IdVec::new(),
            buffers: Vec::new(),
            members: Vec::new(),
        };
        // Classes by first pin names (cheap key), then exact comparison inside a bucket.
        type Pins = Vec<(String, PinDirection)>;
        let mut buckets: HashMap<Pins, Vec<(MasterId, u32)>> = HashMap::new();
        let mut classes = 0_u32;
        for id in masters.ids() {
            let key: Pins =
                masters[id].pins.iter().map(|pin| (pin.name.clone(), pin.direction)).collect();
            let bucket = buckets.entry(key).or_default();
            let cell = library.any_view(id);
            let class = cell.and_then(|cell| {
                let same = |(other, _): &&(MasterId, u32)| {
                    library.any_view(*other).is_some_and(|other| same_logic(cell, other))
                };
                bucket.iter().find(same).map(|(_, class)| *class)
            });
            let class = class.unwrap_or_else(|| {
                classes += 1;
                classes - 1
            });
            bucket.push((id, class));
            masters[id].function_class = class;
        }
        library.members = vec![Vec::new(); classes as usize];
        for (id, master) in masters.iter() {
            library.members[master.function_class as usize].push(id);
            if library.any_view(id).is_some_and(|cell| is_buffer(master, cell)) {
                library.buffers.push(id);
            }
        }
        library.masters = masters;
        library
    }

    fn any_view(&self, master: MasterId) -> Option<&TimingCell> {
        let views = self.corners.iter().flat_map(|corner| [&corner.late, &corner.early]);
        views
            .filter_map(|view| view.get(master.index()).copied().flatten())
            .map(|(lib, cell)| &self.timing_libs[lib as usize].cells[cell as usize])
            .next()
    }

    /// The master of a name.
    pub fn master(&self, name: &str) -> Option<MasterId> {
        self.by_name.get(name).copied()
    }
    /// The late (`late`) or early timing of `master` in corner `corner`, with its library.
    pub fn timing(
        &self,
        corner: usize,
        late: bool,
        master: MasterId,
    ) -> Option<(&TimingLib, &TimingCell)> {
        let corner = self.corners.get(corner)?;
        let view = if late { &corner.late } else { &corner.early };
        let (lib, cell) = view.get(master.index()).copied().flatten()?;
        let lib = &self.timing_libs[lib as usize];
        Some((lib, &lib.cells[cell as usize]))
    }
    /// Any Liberty view of `master`: for logic, pin roles and flags, which corners share.
    pub fn logic(&self, master: MasterId) -> Option<&TimingCell> {
        self.any_view(master)
    }
    /// Whether `a` may be replaced by `b` without changing logic or pins.
    pub fn same_function(&self, a: MasterId, b: MasterId) -> bool {
        a == b || self.masters[a].function_class == self.masters[b].function_class
    }
    /// All masters that may replace `master`, itself included, in id order.
    pub fn alternatives(&self, master: MasterId) -> &[MasterId] {
        &self.members[self.masters[master].function_class as usize]
    }
    /// The buffers: one input, one output that repeats it, no state.
    pub fn buffers(&self) -> &[MasterId] {
        &self.buffers
    }
    /// Input and output pin when `master` is a buffer.
    pub fn buffer_pins(&self, master: MasterId) -> Option<(MasterPinId, MasterPinId)> {
        if self.buffers.binary_search(&master).is_err() {
            return None;
        }
        let pins = &self.masters[master].pins;
        let input = pins.iter().position(|pin| pin.direction == PinDirection::Input)?;
        let output = pins.iter().position(|pin| pin.direction == PinDirection::Output)?;
        Some((MasterPinId::new(input), MasterPinId::new(output)))
    }
}

fn is_buffer(master: &Master, cell: &TimingCell) -> bool {
    let position = |direction| master.pins.iter().position(|pin| pin.direction == direction);
    let (Some(input), Some(output)) =
        (position(PinDirection::Input), position(PinDirection::Output))
    else {
        return false;
    };
    master.pins.len() == 2
        && cell.sequentials.is_empty()
        && cell.clock_gate.is_none()
        && cell.pins[output].three_state.is_none()
        && cell.pins[output]
            .function
            .as_ref()
            .is_some_and(|function| function.same_function(&Expr::Var(input as u32)))
}

fn same_logic(a: &TimingCell, b: &TimingCell) -> bool {
    let same_expr = |a: &Option<Expr>, b: &Option<Expr>| match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.same_function(b),
        _ => false,
    };
    let same_state = |a: &Sequential, b: &Sequential| {
        a.is_latch == b.is_latch
            && a.state == b.state
            && same_expr(&a.clock, &b.clock)
            && same_expr(&a.data, &b.data)
            && same_expr(&a.clear, &b.clear)
            && same_expr(&a.preset, &b.preset)
    };
    let stated = |cell: &TimingCell| cell.pins.iter().any(|pin| pin.function.is_some());
    // A macro or a black box states no function: nothing shows that another one does the same.
    stated(a)
        && stated(b)
        && a.clock_gate == b.clock_gate
        && a.pins.len() == b.pins.len()
        && a.pins.iter().zip(&b.pins).all(|(a, b)| {
            same_expr(&a.function, &b.function) && same_expr(&a.three_state, &b.three_state)
        })
        && a.sequentials.len() == b.sequentials.len()
        && a.sequentials.iter().zip(&b.sequentials).all(|(a, b)| same_state(a, b))
}
