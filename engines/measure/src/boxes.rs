//! Where pins lie and the boxes around nets, kept up to date: the base of wirelength and RUDY.
//!
//! Pins of cells that have a place lie at the middle of their shapes, ports at their location.
//! Other pins are nowhere and no part of a box. Nets that carry supplies or constants have no box.
//!
//! A net of up to [`SCANNED_PINS`] pins is scanned anew when one of its pins is touched. A larger
//! one knows how many of its pins lie on each edge of its box, so that a pin that comes or goes
//! costs no scan unless it was the last one on an edge (as VPR does: Betz and Rose, FPL 1997).

use cellwright_db::{
    CellId, Design, DirtySet, MasterPinId, NetId, Owner, PinId, Place, Point, Rect,
};
use rayon::prelude::*;
use smallvec::SmallVec;

/// Nets of more pins count the pins on the edges of their box.
pub(crate) const SCANNED_PINS: usize = 12;
/// How many nets or cells a task of a full evaluation takes.
const CHUNK: usize = 4096;
/// The x of a pin that has no location. Real coordinates stay above it.
const NOWHERE: Point = Point::new(i32::MIN, i32::MIN);

/// A pin: where it lies and what net it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    at: Point,
    net: NetId,
}

impl Spot {
    const NONE: Spot = Spot { at: NOWHERE, net: NetId::NONE };
}

/// How a net is handled: a function of the design's state alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Removed, or carries a supply or a constant.
    Ignored,
    /// Few pins: no edge counts.
    Scanned,
    /// Many pins: edge counts.
    Counted,
}

/// The box around the located pins of a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetBox {
    lo: Point,
    hi: Point,
    located: u32,
    kind: Kind,
}

/// A box with the number of pins at its left, right, lower and upper edge; zeros unless counted.
/// Kept apart from the boxes, so that the boxes of the many small nets lie close together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edged {
    net_box: NetBox,
    edges: [u32; 4],
}

impl NetBox {
    const fn empty(kind: Kind) -> Self {
        NetBox {
            lo: Point::new(i32::MAX, i32::MAX),
            hi: Point::new(i32::MIN, i32::MIN),
            located: 0,
            kind,
        }
    }
    /// The box, where at least two pins span one; its sides may have no length.
    #[inline]
    pub fn rect(&self) -> Option<Rect> {
        (self.located >= 2).then_some(Rect { lo: self.lo, hi: self.hi })
    }
    /// Width plus height, DBU; 0 when fewer than two pins are located.
    #[inline]
    pub fn half_perimeter(&self) -> i64 {
        self.rect().map_or(0, |rect| rect.width() + rect.height())
    }
    #[inline]
    fn stretch(&mut self, at: Point) {
        if at.x == NOWHERE.x {
            return;
        }
        self.located += 1;
        self.lo = Point::new(self.lo.x.min(at.x), self.lo.y.min(at.y));
        self.hi = Point::new(self.hi.x.max(at.x), self.hi.y.max(at.y));
    }
}

impl Edged {
    /// Adds a pin of a counted net.
    fn give(&mut self, at: Point) {
        if at.x == NOWHERE.x {
            return;
        }
        let NetBox { lo, hi, located, .. } = &mut self.net_box;
        *located += 1;
        let [left, right, low, high] = &mut self.edges;
        outer(at.x, &mut lo.x, left, |value, bound| value < bound);
        outer(at.x, &mut hi.x, right, |value, bound| value > bound);
        outer(at.y, &mut lo.y, low, |value, bound| value < bound);
        outer(at.y, &mut hi.y, high, |value, bound| value > bound);
    }
    /// Takes a pin of a counted net away. False when an edge lost its last pin.
    fn take(&mut self, at: Point) -> bool {
        if at.x == NOWHERE.x {
            return true;
        }
        let NetBox { lo, hi, located, .. } = &mut self.net_box;
        *located = located.saturating_sub(1);
        let bounds = [(at.x, lo.x), (at.x, hi.x), (at.y, lo.y), (at.y, hi.y)];
        let mut sound = true;
        for ((value, bound), count) in bounds.into_iter().zip(&mut self.edges) {
            if value == bound {
                *count = count.saturating_sub(1);
                sound &= *count > 0;
            }
        }
        sound
    }
}

/// Moves a bound to a value beyond it, or counts a value on it.
fn outer(value: i32, bound: &mut i32, count: &mut u32, beyond: impl Fn(i32, i32) -> bool) {
    if beyond(value, *bound) {
        *bound = value;
        *count = 1;
    } else if value == *bound {
        *count += 1;
    }
}

/// A cell that a what-if puts elsewhere.
struct Moved {
    first: u32,
    pins: u32,
    cell: CellId,
    place: Place,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    pins_at: usize,
    nets_at: usize,
    pins_len: usize,
    nets_len: usize,
}

/// A pin event of a counted net.
#[derive(Clone, Copy, Debug)]
struct Event {
    net: NetId,
    comes: bool,
    at: Point,
}

/// All pins and all boxes.
#[derive(Clone, Debug)]
pub(crate) struct NetBoxes {
    pins: Vec<Spot>,
    nets: Vec<NetBox>,
    edges: Vec<[u32; 4]>,
    pin_log: Vec<(PinId, Spot)>,
    net_log: Vec<(NetId, Edged)>,
    frames: Vec<Frame>,
    events: Vec<Event>,
    /// Pins touched so far.
    pub(crate) work: u64,
}

impl PartialEq for NetBoxes {
    fn eq(&self, other: &Self) -> bool {
        self.pins == other.pins && self.nets == other.nets && self.edges == other.edges
    }
}

fn placed_at(design: &Design, cell: CellId, pin: PinId, place: Place) -> Point {
    if !place.is_placed() {
        return NOWHERE;
    }
    let master_pin = pin.0.wrapping_sub(design.cell(cell).first_pin.0);
    let offset = design.master(cell).pin_offset(MasterPinId(master_pin), place.orient);
    Point::new(place.x.wrapping_add(offset.x), place.y.wrapping_add(offset.y))
}

fn spot(design: &Design, pin: PinId) -> Spot {
    let at = match design.owner(pin) {
        Owner::Cell(cell, _) if design.has_cell(cell) => {
            placed_at(design, cell, pin, design.place(cell))
        }
        Owner::Cell(..) => NOWHERE,
        Owner::Port(port) => design.ports()[port].location.unwrap_or(NOWHERE),
    };
    Spot { at, net: design.pin_net(pin).unwrap_or(NetId::NONE) }
}

fn kind(design: &Design, net: NetId) -> Kind {
    let record = design.net(net);
    if !record.alive || !record.kind.is_routed() {
        Kind::Ignored
    } else if design.net_pins(net).len() <= SCANNED_PINS {
        Kind::Scanned
    } else {
        Kind::Counted
    }
}

impl NetBoxes {
    pub(crate) fn full(design: &Design) -> Self {
        let pins: Vec<Spot> = (0..design.pin_slots())
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|pin| spot(design, PinId::new(pin)))
            .collect();
        let mut boxes = NetBoxes {
            pins,
            nets: Vec::new(),
            edges: Vec::new(),
            pin_log: Vec::new(),
            net_log: Vec::new(),
            frames: Vec::new(),
            events: Vec::new(),
            work: design.pin_slots() as u64,
        };
        let nets = (0..design.net_slots()).into_par_iter().with_min_len(CHUNK);
        let scanned = nets.map(|net| {
            let net = NetId::new(net);
            let Edged { net_box, edges } = boxes.scan(design, net, kind(design, net), &[]);
            (net_box, edges)
        });
        (boxes.nets, boxes.edges) = scanned.unzip();
        boxes
    }

    /// The box of a net. Slots beyond the last hold nothing.
    pub(crate) fn get(&self, net: NetId) -> &NetBox {
        const NONE: NetBox = NetBox::empty(Kind::Ignored);
        self.nets.get(net.index()).unwrap_or(&NONE)
    }
    /// All boxes by net slot.
    pub(crate) fn all(&self) -> &[NetBox] {
        &self.nets
    }

    /// Follows the design; tells each net whose box changed, with the box before and after.
    pub(crate) fn update(
        &mut self,
        design: &Design,
        dirty: &DirtySet,
        mut changed: impl FnMut(NetId, &NetBox, &NetBox),
    ) {
        self.frames.push(Frame {
            pins_at: self.pin_log.len(),
            nets_at: self.net_log.len(),
            pins_len: self.pins.len(),
            nets_len: self.nets.len(),
        });
        self.pins.resize(design.pin_slots(), Spot::NONE);
        self.nets.resize(design.net_slots(), NetBox::empty(Kind::Ignored));
        self.edges.resize(design.net_slots(), [0; 4]);
        self.events.clear();
        for &cell in &dirty.cells {
            self.touch_cell(design, cell);
        }
        for &pin in &dirty.pins {
            self.touch(pin, spot(design, pin));
        }
        let mut events = std::mem::take(&mut self.events);
        events.sort_by_key(|event| event.net);
        let mut rest = events.as_slice();
        for &net in &dirty.nets {
            let before = self.nets[net.index()];
            let kind = kind(design, net);
            let skip = rest.partition_point(|event| event.net < net);
            let end = rest.partition_point(|event| event.net <= net);
            let mine = &rest[skip..end];
            rest = &rest[end..];
            let stepped = if kind == Kind::Counted && before.kind == Kind::Counted {
                step(Edged { net_box: before, edges: self.edges[net.index()] }, mine)
            } else {
                None
            };
            let after = match stepped {
                Some(after) => after,
                None => {
                    self.work += design.net_pins(net).len() as u64;
                    self.scan(design, net, kind, &[])
                }
            };
            // A net of few pins has no edge counts, before or after.
            let counts = kind == Kind::Counted || before.kind == Kind::Counted;
            if after.net_box != before || (counts && after.edges != self.edges[net.index()]) {
                let edges = if counts { self.edges[net.index()] } else { [0; 4] };
                self.net_log.push((net, Edged { net_box: before, edges }));
                self.nets[net.index()] = after.net_box;
                if counts {
                    self.edges[net.index()] = after.edges;
                }
                changed(net, &before, &after.net_box);
            }
        }
        self.events = events;
    }

    /// Brings the pins of a cell up to date.
    #[inline]
    fn touch_cell(&mut self, design: &Design, cell: CellId) {
        let place = design.place(cell);
        let there = place.is_placed() && design.has_cell(cell);
        let master = design.master(cell);
        for (number, pin) in design.cell_pins(cell).enumerate() {
            let net = design.pin_net(pin).unwrap_or(NetId::NONE);
            let at = if there {
                let offset = master.pin_offset(MasterPinId::new(number), place.orient);
                Point::new(place.x.wrapping_add(offset.x), place.y.wrapping_add(offset.y))
            } else {
                NOWHERE
            };
            self.touch(pin, Spot { at, net });
        }
    }

    #[inline]
    fn touch(&mut self, pin: PinId, new: Spot) {
        self.work += 1;
        let old = self.pins[pin.index()];
        if new == old {
            return;
        }
        self.pin_log.push((pin, old));
        self.pins[pin.index()] = new;
        for (spot, comes) in [(old, false), (new, true)] {
            let counts = |net: NetId| self.nets[net.index()].kind == Kind::Counted;
            if spot.net.some().is_some_and(counts) {
                self.events.push(Event { net: spot.net, comes, at: spot.at });
            }
        }
    }

    /// The box of a net by a scan of its pins, with some cells elsewhere.
    #[inline]
    fn scan(&self, design: &Design, net: NetId, kind: Kind, moved: &[Moved]) -> Edged {
        let mut net_box = NetBox::empty(kind);
        let mut edges = [0; 4];
        if kind == Kind::Ignored {
            return Edged { net_box, edges };
        }
        let at = |pin: PinId| {
            let mover = moved.iter().find(|m| pin.0.wrapping_sub(m.first) < m.pins);
            match mover {
                None => self.pins[pin.index()].at,
                Some(mover) => placed_at(design, mover.cell, pin, mover.place),
            }
        };
        let pins = design.net_pins(net);
        pins.iter().for_each(|&pin| net_box.stretch(at(pin)));
        if kind == Kind::Counted && net_box.located > 0 {
            let [left, right, low, high] = &mut edges;
            for at in pins.iter().map(|&pin| at(pin)).filter(|at| at.x != NOWHERE.x) {
                *left += u32::from(at.x == net_box.lo.x);
                *right += u32::from(at.x == net_box.hi.x);
                *low += u32::from(at.y == net_box.lo.y);
                *high += u32::from(at.y == net_box.hi.y);
            }
        }
        Edged { net_box, edges }
    }

    /// What the boxes would be with some cells elsewhere: calls `each` with every net of theirs,
    /// its box as it is and as it would be.
    pub(crate) fn what_if(
        &self,
        design: &Design,
        moves: &[(CellId, Place)],
        mut each: impl FnMut(NetId, &NetBox, &NetBox),
    ) {
        let mut moved: SmallVec<[Moved; 4]> = SmallVec::new();
        for &(cell, place) in moves {
            if !design.has_cell(cell) {
                continue;
            }
            let first = design.cell(cell).first_pin.0;
            let pins = design.master(cell).pins.len() as u32;
            // The last word on a cell holds, as for a sequence of moves.
            moved.retain(|other| other.cell != cell);
            moved.push(Moved { first, pins, cell, place });
        }
        let mut nets: SmallVec<[NetId; 32]> = SmallVec::new();
        for mover in &moved {
            let pins = (mover.first..mover.first + mover.pins).map(PinId);
            nets.extend(pins.filter_map(|pin| self.pins[pin.index()].net.some()));
        }
        nets.sort_unstable();
        nets.dedup();
        for net in nets {
            let before = &self.nets[net.index()];
            let after = match before.kind {
                Kind::Ignored => continue,
                Kind::Scanned => self.scan(design, net, Kind::Scanned, &moved).net_box,
                Kind::Counted => {
                    let mut events: SmallVec<[Event; 8]> = SmallVec::new();
                    for mover in &moved {
                        let pins = (mover.first..mover.first + mover.pins).map(PinId);
                        for pin in pins.filter(|pin| self.pins[pin.index()].net == net) {
                            let to = placed_at(design, mover.cell, pin, mover.place);
                            let from = self.pins[pin.index()].at;
                            events.push(Event { net, comes: false, at: from });
                            events.push(Event { net, comes: true, at: to });
                        }
                    }
                    let edges = self.edges[net.index()];
                    step(Edged { net_box: *before, edges }, &events)
                        .unwrap_or_else(|| self.scan(design, net, Kind::Counted, &moved))
                        .net_box
                }
            };
            each(net, before, &after);
        }
    }

    pub(crate) fn undo(&mut self) -> bool {
        let Some(frame) = self.frames.pop() else { return false };
        for (pin, spot) in self.pin_log.drain(frame.pins_at..).rev() {
            self.pins[pin.index()] = spot;
        }
        for (net, Edged { net_box, edges }) in self.net_log.drain(frame.nets_at..).rev() {
            if net_box.kind == Kind::Counted || self.nets[net.index()].kind == Kind::Counted {
                self.edges[net.index()] = edges;
            }
            self.nets[net.index()] = net_box;
        }
        self.pins.truncate(frame.pins_len);
        self.nets.truncate(frame.nets_len);
        self.edges.truncate(frame.nets_len);
        true
    }

    pub(crate) fn keep(&mut self) {
        self.pin_log.clear();
        self.net_log.clear();
        self.frames.clear();
    }
}

/// A counted box after its events: first what comes, so that an edge seldom empties. `None` when
/// one did and only a scan tells the new edge.
fn step(mut edged: Edged, events: &[Event]) -> Option<Edged> {
    for event in events.iter().filter(|event| event.comes) {
        edged.give(event.at);
    }
    for event in events.iter().filter(|event| !event.comes) {
        if !edged.take(event.at) {
            return None;
        }
    }
    Some(edged)
}
