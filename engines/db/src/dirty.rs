//! What a delta touched, so that an evaluation costs what the delta touches.

use crate::delta::Op;
use crate::design::{Design, Mark, Stamp};
use crate::geom::Rect;
use crate::ids::{CellId, NetId, PinId};
use crate::records::Owner;

/// What a delta touched, each list ascending and without repeats.
///
/// Derived from the parent state and the delta alone, so two hosts derive the same one. Objects
/// that the delta removed are listed too: engines take their share out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirtySet {
    /// State before the delta.
    pub from: Stamp,
    /// State after the delta.
    pub to: Stamp,
    /// Cells that moved, changed their master, appeared or went.
    pub cells: Vec<CellId>,
    /// Nets whose wire or load may have changed: those on any pin of a dirty cell, and those that
    /// lost or won a pin, appeared or went.
    pub nets: Vec<NetId>,
    /// Pins whose net changed.
    pub pins: Vec<PinId>,
    /// Where timing must be evaluated anew: drivers of dirty nets, and all pins of cells that
    /// changed their master or appeared.
    pub seeds: Vec<PinId>,
    /// Outlines of dirty cells before and after, DBU.
    pub regions: Vec<Rect>,
}

impl DirtySet {
    /// An empty set at a state.
    pub fn empty(at: Stamp) -> Self {
        DirtySet {
            from: at,
            to: at,
            cells: Vec::new(),
            nets: Vec::new(),
            pins: Vec::new(),
            seeds: Vec::new(),
            regions: Vec::new(),
        }
    }
    /// Whether nothing was touched.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.nets.is_empty() && self.pins.is_empty()
    }
    /// BLAKE3 over the lists (not over the stamps), for `dirty:<64 hex>`.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"cellwright dirty v1");
        let mut list = |numbers: &mut dyn Iterator<Item = u32>| {
            let bytes: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(&bytes);
        };
        list(&mut self.cells.iter().map(|id| id.0));
        list(&mut self.nets.iter().map(|id| id.0));
        list(&mut self.pins.iter().map(|id| id.0));
        list(&mut self.seeds.iter().map(|id| id.0));
        let corners = |r: &Rect| [r.lo.x as u32, r.lo.y as u32, r.hi.x as u32, r.hi.y as u32];
        list(&mut self.regions.iter().flat_map(corners));
        *hasher.finalize().as_bytes()
    }
}

impl Design {
    /// What was touched since `mark`.
    pub fn dirty_since(&self, mark: Mark) -> DirtySet {
        let mut dirty = DirtySet::empty(self.stamp());
        self.dirty_into(mark, &mut dirty);
        dirty
    }

    /// [`Design::dirty_since`] into lists that are used again.
    pub fn dirty_into(&self, mark: Mark, dirty: &mut DirtySet) {
        dirty.from = self.stamp_at(mark);
        dirty.to = self.stamp();
        dirty.cells.clear();
        dirty.nets.clear();
        dirty.pins.clear();
        dirty.seeds.clear();
        dirty.regions.clear();
        for op in self.ops_since(mark) {
            match op {
                Op::Move { cell, from, to } => {
                    dirty.cells.push(*cell);
                    // An op of a cell that went later: its pins are unconnected now and its nets
                    // are named by the ops that disconnected them.
                    let places = [from, to].into_iter().filter(|place| place.is_placed());
                    dirty.regions.extend(places.map(|place| self.outline_at(*cell, *place)));
                }
                Op::Resize { cell, from, to } => {
                    dirty.cells.push(*cell);
                    let place = self.place(*cell);
                    for master in [from, to] {
                        let master = &self.library().masters[*master];
                        let (w, h) = place.orient.size(master.width, master.height);
                        let (x, y) = (place.x, place.y);
                        dirty.regions.push(Rect::new(
                            x,
                            y,
                            x.saturating_add(w),
                            y.saturating_add(h),
                        ));
                    }
                    dirty.seeds.extend(self.cell_pins(*cell));
                }
                Op::AddCell(new) | Op::RemoveCell(new) => {
                    dirty.cells.push(new.cell);
                    let master = &self.library().masters[new.master];
                    let (w, h) = new.place.orient.size(master.width, master.height);
                    let (x, y) = (new.place.x, new.place.y);
                    dirty.regions.push(Rect::new(x, y, x.saturating_add(w), y.saturating_add(h)));
                    dirty.seeds.extend(self.cell_pins(new.cell));
                }
                Op::AddNet(net) | Op::RemoveNet(net) => dirty.nets.push(net.net),
                Op::Connect { pin, from, to } => {
                    dirty.pins.push(*pin);
                    dirty.seeds.push(*pin);
                    dirty.nets.extend([from, to].into_iter().filter_map(|net| net.some()));
                    if let Owner::Cell(cell, _) = self.owner(*pin)
                        && !self.has_cell(cell)
                    {
                        dirty.cells.push(cell);
                    }
                }
            }
        }
        sort(&mut dirty.cells);
        for &cell in &dirty.cells {
            dirty.nets.extend(self.cell_pins(cell).filter_map(|pin| self.pin_net(pin)));
        }
        sort(&mut dirty.nets);
        dirty.seeds.extend(dirty.nets.iter().filter_map(|net| self.driver(*net)));
        sort(&mut dirty.pins);
        sort(&mut dirty.seeds);
        sort(&mut dirty.regions);
    }
}

fn sort<T: Ord>(list: &mut Vec<T>) {
    list.sort_unstable();
    list.dedup();
}
