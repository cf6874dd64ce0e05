//! Legality: which rules of a legal placement are broken, how often, and by whom.
//!
//! Rules on one cell are kept as bits per cell. Rules between two cells (overlap, halo, edge
//! spacing) are found through buckets about a row high. A partial blockage keeps the area that
//! cells take of it. Every count is an integer that a delta changes by what its cells break before
//! and after.
//!
//! # What is legal here
//! - Core cells, fillers, well taps and endcaps stand on rows: on the rows of their own site *by
//!   name*, on the row's own origin and step, one row for each of their heights; fragments of a
//!   row that abut count as one. Macros and pads need no row. Cover cells may overlap anything.
//! - Fixed cells are held to the same rules, but counted apart ([`Party`]): a placer cannot mend
//!   them.
//! - Soft blockages and soft halos bind global placement only.
//! - Edge spacing holds between edges that face each other within the largest spacing of the table.
//!
//! [`NOT_CHECKED`] says what this checker does not look at.

mod ground;
mod list;
mod masters;
mod pairs;
mod rows;
mod rule;
mod shapes;
mod unary;

use cellwright_db::{CellId, Design, DirtySet, Stamp};
use rayon::prelude::*;

use crate::metric::{Metric, Stale};
use ground::Ground;
use masters::Masters;
use pairs::{CROWD, Pairs};
use rows::Rows;
pub use rule::{Counts, Party, Rule, Violation};
use shapes::{Buckets, Shape, Step};
use unary::Unary;

/// Rules of placement that this checker does not look at.
pub const NOT_CHECKED: &[&str] = &[
    "pin access",
    "gaps of one site where no filler is that narrow",
    "cell padding",
    "pins under power straps",
    "implant and well spacing",
];

/// Settings of [`Legality`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegalityConfig {
    /// Whether the technology's edge spacing table binds.
    pub edge_spacing: bool,
}

impl Default for LegalityConfig {
    fn default() -> Self {
        LegalityConfig { edge_spacing: true }
    }
}

/// What a cell breaks by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Own {
    bits: u16,
    fixed: bool,
}

/// Area that cells take of a partial blockage, DBU²: movable, fixed.
type Taken = [i64; 2];

#[derive(Clone, Copy, Debug)]
struct Frame {
    stamp: Stamp,
    counts: Counts,
    cells_at: usize,
    taken_at: usize,
    cells_len: usize,
}

/// What no delta changes.
#[derive(Clone, Debug)]
struct Rules {
    masters: Masters,
    rows: Rows,
    ground: Ground,
}

/// The broken rules of a placement.
#[derive(Clone, Debug)]
pub struct Legality {
    config: LegalityConfig,
    rules: Rules,
    shapes: Vec<Shape>,
    own: Vec<Own>,
    buckets: Buckets,
    taken: Vec<Taken>,
    counts: Counts,
    stamp: Stamp,
    cell_log: Vec<(CellId, Shape, Own)>,
    taken_log: Vec<(u32, Taken)>,
    frames: Vec<Frame>,
    scratch: Scratch,
    work: u64,
}

/// Lists that updates use again.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// Cells of the update at hand; all false in between.
    marks: Vec<bool>,
    steps: Vec<Step>,
    /// Bucket, and whether it is a crowd before or after.
    touched: Vec<(u32, bool)>,
    changed: Vec<(CellId, Shape)>,
}

impl PartialEq for Legality {
    fn eq(&self, other: &Self) -> bool {
        self.config == other.config
            && self.shapes == other.shapes
            && self.own == other.own
            && self.buckets == other.buckets
            && self.taken == other.taken
            && self.counts == other.counts
            && self.stamp == other.stamp
    }
}

impl Rules {
    fn own(&self, design: &Design, cell: CellId) -> Own {
        let unary = Unary { masters: &self.masters, rows: &self.rows, ground: &self.ground };
        let (bits, fixed) = unary.broken(design, cell);
        Own { bits, fixed }
    }
    /// Whose violation it is that a partial blockage is too full, if it is.
    fn overfull(&self, number: usize, taken: Taken) -> Option<Party> {
        let limit = self.ground.partials[number].limit;
        let [movable, fixed] = taken;
        (movable.saturating_add(fixed) > limit).then(|| Party::of(movable == 0))
    }
}

impl Legality {
    /// How many violations there are, by rule and party.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
    /// Whether no movable cell has a part in a violation.
    pub fn is_legal(&self) -> bool {
        self.counts.movable() == 0
    }
    /// The bits of the rules (`1 << rule`) that a cell breaks by itself.
    pub fn broken_by(&self, cell: CellId) -> impl Iterator<Item = Rule> {
        let bits = self.own.get(cell.index()).map_or(0, |own| own.bits);
        Rule::ALL.into_iter().filter(move |rule| bits & rule.bit() != 0)
    }

    fn pairs(&self) -> Pairs<'_> {
        Pairs { masters: &self.rules.masters, shapes: &self.shapes, buckets: &self.buckets }
    }

    /// Counts what the touched buckets hold, with the lists and shapes as they are.
    fn count_touched(&mut self, sign: i64) {
        let mut counts = Counts::default();
        let mut tested = 0;
        let pairs = self.pairs();
        for &(bucket, crowd) in &self.scratch.touched {
            tested += if crowd {
                pairs.count_all(bucket as usize, &mut counts)
            } else {
                pairs.count_marked(bucket as usize, &self.scratch.marks, &mut counts)
            };
        }
        self.counts.add_all(&counts, sign);
        self.work += tested;
    }

    /// Adds a cell's part of partial blockages, or takes it away.
    fn take(&mut self, shape: &Shape, sign: i64) {
        if !shape.present {
            return;
        }
        let Legality { rules, taken, taken_log, counts, .. } = self;
        rules.ground.each_partial(&shape.outline, |number, area| {
            let old = taken[number];
            let part = &mut taken[number][usize::from(shape.fixed)];
            *part = part.wrapping_add(sign * area);
            taken_log.push((number as u32, old));
            for (taken, sign) in [(old, -1), (taken[number], 1)] {
                if let Some(party) = rules.overfull(number, taken) {
                    counts.add(Rule::PartialBlockage, party, sign);
                }
            }
        });
    }
}

const NAME: &str = "legality";

impl Metric for Legality {
    type Config = LegalityConfig;

    fn full(design: &Design, config: LegalityConfig) -> Self {
        let rows = Rows::new(design);
        let masters = Masters::new(design, &rows, config.edge_spacing);
        let rules = Rules { rows, masters, ground: Ground::new(design) };
        let cells: Vec<(Shape, Own)> = (0..design.cell_slots())
            .into_par_iter()
            .with_min_len(2048)
            .map(|cell| {
                let cell = CellId::new(cell);
                (Shape::of(design, &rules.masters, cell), rules.own(design, cell))
            })
            .collect();
        let (shapes, own): (Vec<Shape>, Vec<Own>) = cells.into_iter().unzip();
        let mut buckets = Buckets::new(design, rules.masters.reach);
        for (cell, shape) in shapes.iter().enumerate().filter(|(_, shape)| shape.present) {
            let domain = buckets.domain(shape);
            buckets.append(&domain, CellId::new(cell));
        }
        let mut legality = Legality {
            config,
            taken: vec![[0; 2]; rules.ground.partials.len()],
            rules,
            scratch: Scratch::default(),
            shapes,
            own,
            buckets,
            counts: Counts::default(),
            stamp: design.stamp(),
            cell_log: Vec::new(),
            taken_log: Vec::new(),
            frames: Vec::new(),
            work: design.cell_slots() as u64,
        };
        let pairs = legality.pairs();
        let numbers: Vec<usize> = (0..pairs.buckets.len()).collect();
        let parts: Vec<(Counts, u64)> = numbers
            .par_chunks(4096)
            .map(|chunk| {
                let mut counts = Counts::default();
                let tested = chunk.iter().map(|bucket| pairs.count_all(*bucket, &mut counts));
                let tested = tested.sum();
                (counts, tested)
            })
            .collect();
        for (counts, tested) in &parts {
            legality.counts.add_all(counts, 1);
            legality.work += tested;
        }
        for own in &legality.own {
            legality.counts.add_bits(own.bits, Party::of(own.fixed), 1);
        }
        if !legality.taken.is_empty() {
            for shape in legality.shapes.clone() {
                legality.take(&shape, 1);
            }
            legality.taken_log.clear();
        }
        legality
    }

    fn update(&mut self, design: &Design, dirty: &DirtySet) -> Result<(), Stale> {
        Stale::check(NAME, self.stamp, design, dirty)?;
        self.frames.push(Frame {
            stamp: self.stamp,
            counts: self.counts,
            cells_at: self.cell_log.len(),
            taken_at: self.taken_log.len(),
            cells_len: self.shapes.len(),
        });
        self.shapes.resize(design.cell_slots(), Shape::default());
        self.own.resize(design.cell_slots(), Own::default());
        self.scratch.marks.resize(design.cell_slots(), false);
        self.scratch.steps.clear();
        self.scratch.touched.clear();
        self.scratch.changed.clear();
        for &cell in &dirty.cells {
            let new = Shape::of(design, &self.rules.masters, cell);
            let new_own = self.rules.own(design, cell);
            let (old, old_own) = (self.shapes[cell.index()], self.own[cell.index()]);
            self.work += 1;
            if new == old && new_own == old_own {
                continue;
            }
            self.cell_log.push((cell, old, old_own));
            self.own[cell.index()] = new_own;
            for (own, sign) in [(old_own, -1), (new_own, 1)] {
                self.counts.add_bits(own.bits, Party::of(own.fixed), sign);
            }
            if new != old {
                self.scratch.changed.push((cell, new));
                self.scratch.marks[cell.index()] = true;
                self.take(&old, -1);
                self.take(&new, 1);
                self.buckets.steps(cell, &old, &new, &mut self.scratch.steps);
            }
        }
        let mut steps = std::mem::take(&mut self.scratch.steps);
        steps.sort_unstable();
        for of_bucket in steps.chunk_by(|a, b| a.bucket == b.bucket) {
            let bucket = of_bucket[0].bucket;
            let before = self.buckets.list(bucket as usize).len();
            let come = of_bucket.iter().filter(|step| step.comes).count();
            let after = before + come - (of_bucket.len() - come).min(before);
            self.scratch.touched.push((bucket, before.max(after) > CROWD));
        }
        self.count_touched(-1);
        for of_bucket in steps.chunk_by(|a, b| a.bucket == b.bucket) {
            self.buckets.apply(of_bucket);
        }
        for &(cell, shape) in &self.scratch.changed {
            self.shapes[cell.index()] = shape;
        }
        self.count_touched(1);
        for &(cell, _) in &self.scratch.changed {
            self.scratch.marks[cell.index()] = false;
        }
        self.scratch.steps = steps;
        self.stamp = dirty.to;
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let Some(frame) = self.frames.pop() else { return false };
        let mut steps = std::mem::take(&mut self.scratch.steps);
        steps.clear();
        for (cell, shape, own) in self.cell_log.drain(frame.cells_at..) {
            self.own[cell.index()] = own;
            let new = std::mem::replace(&mut self.shapes[cell.index()], shape);
            if new != shape {
                self.buckets.steps(cell, &new, &shape, &mut steps);
            }
        }
        steps.sort_unstable();
        for of_bucket in steps.chunk_by(|a, b| a.bucket == b.bucket) {
            self.buckets.apply(of_bucket);
        }
        self.scratch.steps = steps;
        for (number, taken) in self.taken_log.drain(frame.taken_at..).rev() {
            self.taken[number as usize] = taken;
        }
        self.shapes.truncate(frame.cells_len);
        self.own.truncate(frame.cells_len);
        self.scratch.marks.truncate(frame.cells_len);
        self.counts = frame.counts;
        self.stamp = frame.stamp;
        true
    }

    fn keep(&mut self) {
        self.cell_log.clear();
        self.taken_log.clear();
        self.frames.clear();
    }

    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn work(&self) -> u64 {
        self.work
    }
}
