//! Density: how full the bins of a grid over the core are.
//!
//! Exact areas per bin. A cell that may move fills the bins under its outline; a fixed one takes
//! their free area away, as hard and soft blockages and ground without rows do; a partial blockage
//! leaves its share. Where these overlap, the ground counts once.
//!
//! Overflow is what ePlace calls density overflow (Lu et al., TODAES 2015; OpenROAD `gpl` reports
//! the same): the sum over bins of max(0, movable area − target × free area) over the movable area.
//! Movable area outside the grid lies in no bin and overflows whole.

mod free;

use cellwright_db::library::MasterClass;
use cellwright_db::{CellId, Design, DirtySet, PlaceStatus, Rect, Stamp};
use rayon::prelude::*;

use crate::area::PPM;
use crate::grid::{Bins, Grid};
use crate::metric::{Metric, Stale};
use free::Ground;

/// Settings of [`Density`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DensityConfig {
    /// The grid; [`Bins::Auto`] makes bins of at least two row heights, at most 512 × 512.
    pub bins: Bins,
    /// Target density, ppm of the free area.
    pub target_ppm: u32,
    /// Whether soft blockages take free area away, as global placement wants it.
    pub soft_blocks: bool,
}

impl Default for DensityConfig {
    fn default() -> Self {
        DensityConfig { bins: Bins::Auto, target_ppm: 1_000_000, soft_blocks: true }
    }
}

/// What a cell does to the bins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Role {
    /// Unplaced, removed, a cover cell or one without outline.
    #[default]
    None,
    /// Fills bins.
    Movable,
    /// Takes free area away.
    Fixed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Footprint {
    rect: Rect,
    role: Role,
}

fn footprint(design: &Design, cell: CellId) -> Footprint {
    if !design.has_cell(cell) {
        return Footprint::default();
    }
    let rect = design.outline(cell);
    let cover = design.master(cell).class == MasterClass::Cover;
    let role = match design.place(cell).status {
        PlaceStatus::Unplaced | PlaceStatus::Cover => Role::None,
        _ if cover || rect.is_empty() => Role::None,
        PlaceStatus::Fixed => Role::Fixed,
        PlaceStatus::Placed => Role::Movable,
    };
    if role == Role::None { Footprint::default() } else { Footprint { rect, role } }
}

/// One bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bin {
    /// Movable area, DBU².
    movable: i64,
    /// Free area, DBU² × ppm.
    free: i128,
}

impl Bin {
    /// Area over the target, DBU² × ppm.
    fn excess(&self, target_ppm: u32) -> i128 {
        let allowed = self.free * i128::from(target_ppm) / i128::from(PPM);
        (i128::from(self.movable) * i128::from(PPM) - allowed).max(0)
    }
}

/// Sums over the bins and cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    /// Movable area of all placed cells, DBU².
    movable: i128,
    /// Of it in bins.
    inside: i128,
    /// Sum of the bins' excess, DBU² × ppm.
    excess: i128,
    /// Sum of the bins' free area, DBU² × ppm.
    free: i128,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    stamp: Stamp,
    totals: Totals,
    bins_at: usize,
    cells_at: usize,
    cells_len: usize,
}

/// The fill of every bin.
#[derive(Clone, Debug)]
pub struct Density {
    config: DensityConfig,
    grid: Grid,
    ground: Ground,
    cells: Vec<Footprint>,
    bins: Vec<Bin>,
    totals: Totals,
    stamp: Stamp,
    bin_log: Vec<(u32, Bin)>,
    cell_log: Vec<(CellId, Footprint)>,
    frames: Vec<Frame>,
    stale_bins: Vec<u32>,
    work: u64,
}

impl PartialEq for Density {
    fn eq(&self, other: &Self) -> bool {
        self.config == other.config
            && self.grid == other.grid
            && self.ground == other.ground
            && self.cells == other.cells
            && self.bins == other.bins
            && self.totals == other.totals
            && self.stamp == other.stamp
    }
}

impl Density {
    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }
    /// Movable area in a bin, DBU².
    pub fn movable_area(&self, bin: usize) -> i64 {
        self.bins[bin].movable
    }
    /// Free area of a bin, DBU², rounded down where partial blockages leave a fraction.
    pub fn free_area(&self, bin: usize) -> i64 {
        (self.bins[bin].free / i128::from(PPM)) as i64
    }
    /// Area over the target, DBU² × ppm, and the movable area, DBU²: [`Density::overflow`] exactly.
    pub fn overflow_exact(&self) -> (i128, i128) {
        let outside = (self.totals.movable - self.totals.inside) * i128::from(PPM);
        (self.totals.excess + outside, self.totals.movable)
    }
    /// Area over the target as a part of the movable area; 0 without movable cells.
    pub fn overflow(&self) -> f64 {
        let (excess, movable) = self.overflow_exact();
        ratio(excess, movable * i128::from(PPM))
    }
    /// Movable area over free area of the whole grid (utilisation of the core); 0 without either.
    pub fn utilisation(&self) -> f64 {
        ratio(self.totals.movable * i128::from(PPM), self.totals.free)
    }
    /// The fill of a bin: movable and blocked area over the bin's area.
    pub fn fill(&self, bin: usize) -> f64 {
        let (filled, area) = self.filled(bin);
        ratio(filled, area)
    }
    /// The highest fill of a bin. Costs all bins.
    pub fn max_fill(&self) -> f64 {
        let bins = (0..self.bins.len()).map(|bin| self.filled(bin));
        // Exact comparison of fractions: a/b < c/d when a·d < c·b.
        let fuller = |a: (i128, i128), b: (i128, i128)| if a.0 * b.1 < b.0 * a.1 { b } else { a };
        let (filled, area) = bins.fold((0, 1), fuller);
        ratio(filled, area)
    }
    /// The mean fill over the grid's area.
    pub fn mean_fill(&self) -> f64 {
        let area = i128::from(self.grid.area().area()) * i128::from(PPM);
        ratio(self.totals.inside * i128::from(PPM) + area - self.totals.free, area)
    }
    /// Filled area and area of a bin, both DBU² × ppm.
    fn filled(&self, bin: usize) -> (i128, i128) {
        let area = i128::from(self.grid.bin(bin).area()) * i128::from(PPM);
        let Bin { movable, free } = self.bins[bin];
        (i128::from(movable) * i128::from(PPM) + area - free, area)
    }

    /// Changes a bin and what hangs on it, with a log entry.
    fn set_bin(&mut self, index: usize, bin: Bin) {
        let old = std::mem::replace(&mut self.bins[index], bin);
        self.bin_log.push((index as u32, old));
        let target = self.config.target_ppm;
        self.totals.excess += bin.excess(target) - old.excess(target);
        self.totals.free += bin.free - old.free;
        self.totals.inside += i128::from(bin.movable - old.movable);
        self.work += 1;
    }

    fn fill_under(&mut self, rect: &Rect, sign: i64) {
        let Some(span) = self.grid.span(rect) else { return };
        for y in span.y.0..=span.y.1 {
            let height = crate::grid::overlap(self.grid.row(y), (rect.lo.y, rect.hi.y));
            for x in span.x.0..=span.x.1 {
                let width = crate::grid::overlap(self.grid.column(x), (rect.lo.x, rect.hi.x));
                let index = self.grid.index(x, y);
                let mut bin = self.bins[index];
                bin.movable = bin.movable.wrapping_add(sign * width.saturating_mul(height));
                self.set_bin(index, bin);
            }
        }
    }

    /// Takes a cell's part out (`sign` −1) or puts it in (+1).
    fn account(&mut self, cell: CellId, print: Footprint, sign: i64) {
        match print.role {
            Role::None => {}
            Role::Movable => {
                self.totals.movable += i128::from(sign * print.rect.area());
                self.fill_under(&print.rect, sign);
            }
            Role::Fixed => {
                let stale = &mut self.stale_bins;
                self.grid.each_overlap(&print.rect, |bin, _| stale.push(bin as u32));
                self.ground.set_fixed(&self.grid, cell, print.rect, sign > 0);
            }
        }
    }
}

/// The quotient of two exact numbers; 0 when nothing is divided by nothing.
pub(crate) fn ratio(part: i128, whole: i128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

const NAME: &str = "density";

impl Metric for Density {
    type Config = DensityConfig;

    fn full(design: &Design, config: DensityConfig) -> Self {
        let grid = Grid::new(design, design.core(), config.bins, 2, 512);
        let cells: Vec<Footprint> = (0..design.cell_slots())
            .into_par_iter()
            .with_min_len(4096)
            .map(|cell| footprint(design, CellId::new(cell)))
            .collect();
        let mut ground = Ground::new(design, &grid, config.soft_blocks);
        let mut bins = vec![Bin::default(); grid.len()];
        let mut totals = Totals::default();
        let mut work = grid.len() as u64;
        for (cell, print) in cells.iter().enumerate() {
            match print.role {
                Role::None => {}
                Role::Fixed => ground.set_fixed(&grid, CellId::new(cell), print.rect, true),
                Role::Movable => {
                    totals.movable += i128::from(print.rect.area());
                    grid.each_overlap(&print.rect, |bin, area| {
                        bins[bin].movable = bins[bin].movable.wrapping_add(area);
                        work += 1;
                    });
                }
            }
        }
        let free = |(index, bin): (usize, &mut Bin)| bin.free = ground.free(&grid, index);
        bins.par_iter_mut().enumerate().for_each(free);
        for bin in &bins {
            totals.inside += i128::from(bin.movable);
            totals.excess += bin.excess(config.target_ppm);
            totals.free += bin.free;
        }
        Density {
            config,
            grid,
            ground,
            cells,
            bins,
            totals,
            stamp: design.stamp(),
            bin_log: Vec::new(),
            cell_log: Vec::new(),
            frames: Vec::new(),
            stale_bins: Vec::new(),
            work,
        }
    }

    fn update(&mut self, design: &Design, dirty: &DirtySet) -> Result<(), Stale> {
        Stale::check(NAME, self.stamp, design, dirty)?;
        self.frames.push(Frame {
            stamp: self.stamp,
            totals: self.totals,
            bins_at: self.bin_log.len(),
            cells_at: self.cell_log.len(),
            cells_len: self.cells.len(),
        });
        self.cells.resize(design.cell_slots(), Footprint::default());
        self.stale_bins.clear();
        for &cell in &dirty.cells {
            let new = footprint(design, cell);
            let old = std::mem::replace(&mut self.cells[cell.index()], new);
            if new != old {
                self.cell_log.push((cell, old));
                self.account(cell, old, -1);
                self.account(cell, new, 1);
            }
        }
        let mut stale = std::mem::take(&mut self.stale_bins);
        stale.sort_unstable();
        stale.dedup();
        for &index in &stale {
            let index = index as usize;
            let free = self.ground.free(&self.grid, index);
            self.set_bin(index, Bin { free, ..self.bins[index] });
        }
        self.stale_bins = stale;
        self.stamp = dirty.to;
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let Some(frame) = self.frames.pop() else { return false };
        for (bin, old) in self.bin_log.drain(frame.bins_at..).rev() {
            self.bins[bin as usize] = old;
        }
        for (cell, old) in self.cell_log.drain(frame.cells_at..).rev() {
            let new = std::mem::replace(&mut self.cells[cell.index()], old);
            for (print, put) in [(new, false), (old, true)] {
                if print.role == Role::Fixed {
                    self.ground.set_fixed(&self.grid, cell, print.rect, put);
                }
            }
        }
        self.cells.truncate(frame.cells_len);
        self.totals = frame.totals;
        self.stamp = frame.stamp;
        true
    }

    fn keep(&mut self) {
        self.bin_log.clear();
        self.cell_log.clear();
        self.frames.clear();
    }

    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn work(&self) -> u64 {
        self.work
    }
}
