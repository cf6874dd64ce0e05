//! Congestion as RUDY: expected wire per bin against the tracks that are there.
//!
//! A net spreads its half-perimeter evenly over its box (Spindler and Johannes, "Fast and accurate
//! routing demand estimation for efficient routability-driven placement", DATE 2007), here per
//! direction: horizontal wire of the box's width, vertical wire of its height. A box without
//! extent along an axis is 1 DBU wide there. A bin's demand is an exact integer in
//! DBU / [`UNIT`]: shares are differences of floored running sums, so that the bins' demands sum to
//! the net's wire and adding and removing a box are exact.
//!
//! Supply per bin is the length of the tracks that cross it on the routing layers in use, in
//! their preferred direction, less what layer blockages and macro obstructions cover.

mod supply;

use cellwright_db::{CellId, Design, DirtySet, LayerId, Rect, Stamp};
use smallvec::SmallVec;

use crate::boxes::NetBoxes;
use crate::density::ratio;
use crate::grid::{Bins, Grid, overlap};
use crate::metric::{Metric, Stale};
use supply::{Blocker, Layers};

/// Wire lengths per bin are in this part of a DBU.
pub const UNIT: i64 = 1 << 16;
/// Use over supply is taken as at most this, also where there is wire but no track.
pub const WORST_USE: f64 = 10.0;

/// Settings of [`Congestion`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CongestionConfig {
    /// The grid; [`Bins::Auto`] makes bins of at least four row heights, at most 256 × 256.
    pub bins: Bins,
    /// The lowest routing layer that takes wire; `None`: the second routing layer, because cells
    /// use the first themselves.
    pub lowest: Option<LayerId>,
    /// The highest; `None`: the last routing layer.
    pub highest: Option<LayerId>,
}

/// Wire and tracks of one bin in one direction, DBU / [`UNIT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lane {
    demand: i64,
    /// Tracks less layer blockages: no delta changes it.
    tracks: i64,
    /// Covered by macro obstructions.
    covered: i64,
}

impl Lane {
    fn supply(&self) -> i64 {
        self.tracks.saturating_sub(self.covered).max(0)
    }
    fn excess(&self) -> i64 {
        self.demand.saturating_sub(self.supply()).max(0)
    }
    fn usage(&self) -> f64 {
        match (self.demand, self.supply()) {
            (..=0, _) => 0.0,
            (_, 0) => WORST_USE,
            (demand, supply) => (demand as f64 / supply as f64).min(WORST_USE),
        }
    }
}

/// One bin: horizontal and vertical.
type Bin = [Lane; 2];

/// Sums over the bins, DBU / [`UNIT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    demand: i128,
    excess: i128,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    stamp: Stamp,
    totals: Totals,
    bins_at: usize,
    cells_at: usize,
    cells_len: usize,
}

/// Wire demand and track supply of every bin.
#[derive(Clone, Debug)]
pub struct Congestion {
    config: CongestionConfig,
    grid: Grid,
    layers: Layers,
    boxes: NetBoxes,
    /// Macros whose obstructions cover tracks, by cell slot.
    blockers: Vec<Option<Blocker>>,
    field: Field,
    stamp: Stamp,
    cell_log: Vec<(CellId, Option<Blocker>)>,
    frames: Vec<Frame>,
}

/// The bins with their log.
#[derive(Clone, Debug)]
struct Field {
    bins: Vec<Bin>,
    totals: Totals,
    log: Vec<(u32, Bin)>,
    work: u64,
}

impl PartialEq for Congestion {
    fn eq(&self, other: &Self) -> bool {
        self.config == other.config
            && self.grid == other.grid
            && self.boxes == other.boxes
            && self.blockers == other.blockers
            && self.field.bins == other.field.bins
            && self.field.totals == other.field.totals
            && self.stamp == other.stamp
    }
}

impl Field {
    fn change(&mut self, index: usize, change: impl FnOnce(&mut Bin)) {
        let old = self.bins[index];
        let bin = &mut self.bins[index];
        change(bin);
        for (new, old) in bin.iter().zip(&old) {
            self.totals.demand += i128::from(new.demand.wrapping_sub(old.demand));
            self.totals.excess += i128::from(new.excess()) - i128::from(old.excess());
        }
        self.log.push((index as u32, old));
        self.work += 1;
    }

    /// Adds the wire of a net's box (`sign` 1) or takes it away (−1).
    fn wire(&mut self, grid: &Grid, rect: &Rect, sign: i64) {
        let (width, height) = (rect.width(), rect.height());
        if width + height == 0 {
            return;
        }
        let wide = Rect::new(
            rect.lo.x,
            rect.lo.y,
            rect.hi.x.max(rect.lo.x.saturating_add(1)),
            rect.hi.y.max(rect.lo.y.saturating_add(1)),
        );
        let Some(span) = grid.span(&wide) else { return };
        let along = |edges: (i32, i32), lo: i32, hi: i32| {
            let length = i64::from(hi) - i64::from(lo);
            let from = overlap((lo, edges.0), (lo, hi));
            let to = overlap((lo, edges.1), (lo, hi));
            // The share of the axis as a difference of floored running sums.
            (to - from, (to * UNIT).div_euclid(length) - (from * UNIT).div_euclid(length))
        };
        let columns: SmallVec<[(i64, i64); 16]> =
            (span.x.0..=span.x.1).map(|x| along(grid.column(x), wide.lo.x, wide.hi.x)).collect();
        for y in span.y.0..=span.y.1 {
            let (tall, share_y) = along(grid.row(y), wide.lo.y, wide.hi.y);
            for (x, &(broad, share_x)) in (span.x.0..).zip(&columns) {
                let across = if width > 0 { broad * share_y } else { 0 };
                let upwards = if height > 0 { tall * share_x } else { 0 };
                self.change(grid.index(x, y), |bin| {
                    bin[0].demand = bin[0].demand.wrapping_add(sign * across);
                    bin[1].demand = bin[1].demand.wrapping_add(sign * upwards);
                });
            }
        }
    }
}

impl Congestion {
    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }
    /// Horizontal and vertical wire expected in a bin, DBU / [`UNIT`].
    pub fn demand(&self, bin: usize) -> [i64; 2] {
        self.field.bins[bin].map(|lane| lane.demand)
    }
    /// Horizontal and vertical track length left in a bin, DBU / [`UNIT`].
    pub fn supply(&self, bin: usize) -> [i64; 2] {
        self.field.bins[bin].map(|lane| lane.supply())
    }
    /// Wire over wire length of tracks in a bin, horizontal and vertical, at most [`WORST_USE`].
    pub fn usage(&self, bin: usize) -> [f64; 2] {
        self.field.bins[bin].map(|lane| lane.usage())
    }
    /// Wire without a track and all wire in the grid, both DBU / [`UNIT`].
    pub fn overflow_exact(&self) -> (i128, i128) {
        (self.field.totals.excess, self.field.totals.demand)
    }
    /// Wire without a track as a part of all wire; 0 without wire.
    pub fn overflow(&self) -> f64 {
        let (excess, demand) = self.overflow_exact();
        ratio(excess, demand)
    }
    /// The highest use of a bin in a direction. Costs all bins.
    pub fn peak(&self) -> f64 {
        let lanes = self.field.bins.iter().flatten();
        lanes.map(Lane::usage).fold(0.0, f64::max)
    }
    /// The mean use of the most used `part` of all bins and directions, at least one of them: the
    /// ACE metric of routability contests (Wei et al., "GLARE", DAC 2012). Costs all bins.
    pub fn mean_of_top(&self, part: f64) -> f64 {
        let mut usages: Vec<f64> = self.field.bins.iter().flatten().map(Lane::usage).collect();
        let count = ((usages.len() as f64 * part.clamp(0.0, 1.0)) as usize).clamp(1, usages.len());
        usages.select_nth_unstable_by(count - 1, |a, b| b.total_cmp(a));
        usages.truncate(count);
        // In descending order, so that the sum does not depend on how the selection went.
        usages.sort_unstable_by(|a, b| b.total_cmp(a));
        usages.iter().sum::<f64>() / count as f64
    }

    fn cover(&mut self, design: &Design, blocker: &Blocker, sign: i64) {
        let (grid, field) = (&self.grid, &mut self.field);
        self.layers.each_covered(design, grid, blocker, |bin, lane, length| {
            field.change(bin, |bin| {
                bin[lane].covered = bin[lane].covered.wrapping_add(sign * length);
            });
        });
    }
}

const NAME: &str = "congestion";

impl Metric for Congestion {
    type Config = CongestionConfig;

    fn full(design: &Design, config: CongestionConfig) -> Self {
        let grid = Grid::new(design, design.core(), config.bins, 4, 256);
        let layers = Layers::new(design, config.lowest, config.highest);
        let mut bins = vec![Bin::default(); grid.len()];
        layers.tracks(design, &grid, |bin, lane, length| {
            let tracks = &mut bins[bin][lane].tracks;
            *tracks = tracks.saturating_add(length);
        });
        let boxes = NetBoxes::full(design);
        let field = Field { bins, totals: Totals::default(), log: Vec::new(), work: 0 };
        let mut congestion = Congestion {
            config,
            grid,
            layers,
            boxes,
            blockers: Vec::new(),
            field,
            stamp: design.stamp(),
            cell_log: Vec::new(),
            frames: Vec::new(),
        };
        congestion.blockers =
            (0..design.cell_slots()).map(|cell| Blocker::of(design, CellId::new(cell))).collect();
        for blocker in congestion.blockers.clone().iter().flatten() {
            congestion.cover(design, blocker, 1);
        }
        let (grid, field) = (&congestion.grid, &mut congestion.field);
        for rect in congestion.boxes.all().iter().filter_map(|net| net.rect()) {
            field.wire(grid, &rect, 1);
            field.log.clear();
        }
        field.log.clear();
        congestion
    }

    fn update(&mut self, design: &Design, dirty: &DirtySet) -> Result<(), Stale> {
        Stale::check(NAME, self.stamp, design, dirty)?;
        self.frames.push(Frame {
            stamp: self.stamp,
            totals: self.field.totals,
            bins_at: self.field.log.len(),
            cells_at: self.cell_log.len(),
            cells_len: self.blockers.len(),
        });
        self.blockers.resize(design.cell_slots(), None);
        for &cell in &dirty.cells {
            let new = Blocker::of(design, cell);
            let old = std::mem::replace(&mut self.blockers[cell.index()], new);
            if new != old {
                self.cell_log.push((cell, old));
                for (blocker, sign) in [(old, -1), (new, 1)] {
                    if let Some(blocker) = blocker {
                        self.cover(design, &blocker, sign);
                    }
                }
            }
        }
        let (grid, field) = (&self.grid, &mut self.field);
        self.boxes.update(design, dirty, |_, before, after| {
            let (before, after) = (before.rect(), after.rect());
            if before != after {
                before.iter().for_each(|rect| field.wire(grid, rect, -1));
                after.iter().for_each(|rect| field.wire(grid, rect, 1));
            }
        });
        self.stamp = dirty.to;
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let Some(frame) = self.frames.pop() else { return false };
        self.boxes.undo();
        for (bin, old) in self.field.log.drain(frame.bins_at..).rev() {
            self.field.bins[bin as usize] = old;
        }
        for (cell, old) in self.cell_log.drain(frame.cells_at..).rev() {
            self.blockers[cell.index()] = old;
        }
        self.blockers.truncate(frame.cells_len);
        self.field.totals = frame.totals;
        self.stamp = frame.stamp;
        true
    }

    fn keep(&mut self) {
        self.boxes.keep();
        self.field.log.clear();
        self.cell_log.clear();
        self.frames.clear();
    }

    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn work(&self) -> u64 {
        self.boxes.work + self.field.work
    }
}
