//! Outlines of cells and the buckets that find their neighbours.

use cellwright_db::{CellId, Design, MasterId, Orient, PlaceStatus, Point, Rect};
use smallvec::SmallVec;

use super::masters::Masters;
use crate::grid::row_height;

/// A placed cell as its neighbours see it. Cover cells have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) outline: Rect,
    pub(crate) master: u32,
    /// Number of its halo in the floorplan plus one; 0 without.
    halo: u32,
    pub(crate) orient: Orient,
    /// It is there at all.
    pub(crate) present: bool,
    pub(crate) fixed: bool,
}

impl Shape {
    pub(crate) fn of(design: &Design, masters: &Masters, cell: CellId) -> Shape {
        if !design.has_cell(cell) {
            return Shape::default();
        }
        let (place, master) = (design.place(cell), design.master_id(cell));
        let outline = design.outline(cell);
        let cover = place.status == PlaceStatus::Cover || masters.get(master).cover;
        if !place.is_placed() || cover || outline.is_empty() {
            return Shape::default();
        }
        let halos = &design.floorplan().halos;
        let halo = match halos.binary_search_by_key(&cell, |halo| halo.cell) {
            Ok(number) if !halos[number].soft => number as u32 + 1,
            _ => 0,
        };
        let fixed = place.is_fixed();
        Shape { outline, master: master.0, halo, orient: place.orient, present: true, fixed }
    }
    pub(crate) fn has_halo(&self) -> bool {
        self.halo != 0
    }
    pub(crate) fn edge(&self) -> (MasterId, Orient) {
        (MasterId(self.master), self.orient)
    }
}

/// Cells of one bucket in ascending order.
pub(crate) type Bucket = SmallVec<[u32; 6]>;

/// Buckets about one row high that list the cells whose reach touches them. What lies outside the
/// floorplan counts to the nearest bucket.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    origin: Point,
    size: (i64, i64),
    count: (i64, i64),
    /// How far to the right of its claim a cell asks for distance, DBU.
    reach: i32,
    /// Margins of the floorplan's halos.
    halos: Vec<[i32; 4]>,
    lists: Vec<Bucket>,
}

impl PartialEq for Buckets {
    fn eq(&self, other: &Self) -> bool {
        self.lists == other.lists
    }
}

/// Most buckets along a side.
const MOST: i64 = 2048;

impl Buckets {
    pub(crate) fn new(design: &Design, reach: i32) -> Buckets {
        let plan = design.floorplan();
        let area = design.core().union(&plan.die);
        let height = i64::from(row_height(design).max(1));
        let step = plan.rows.iter().map(|row| row.step).filter(|step| *step > 0).min();
        let width = step.map_or(4 * height, |step| i64::from(step) * 32);
        let size = |wanted: i64, length: i64| wanted.max(length / MOST + 1).max(1);
        let size = (size(width, area.width()), size(height, area.height()));
        let count = (area.width() / size.0 + 1, area.height() / size.1 + 1);
        // Rows and buckets share their lower edges where the sizes agree.
        let row = plan.rows.first().map_or(area.lo.y, |row| row.origin.y);
        let shift = (i64::from(row) - i64::from(area.lo.y)).rem_euclid(size.1);
        let origin = Point::new(area.lo.x, area.lo.y.saturating_add(shift as i32));
        let lists = vec![Bucket::new(); (count.0 * count.1) as usize];
        let halos = plan.halos.iter().map(|halo| halo.margins.map(|margin| margin.max(0)));
        Buckets { origin, size, count, reach, halos: halos.collect(), lists }
    }
    pub(crate) fn len(&self) -> usize {
        self.lists.len()
    }
    #[inline]
    pub(crate) fn list(&self, bucket: usize) -> &Bucket {
        &self.lists[bucket]
    }
    #[inline]
    fn column(&self, x: i32) -> i64 {
        let x = i64::from(x) - i64::from(self.origin.x);
        if x <= 0 { 0 } else { (x / self.size.0).min(self.count.0 - 1) }
    }
    #[inline]
    fn row(&self, y: i32) -> i64 {
        let y = i64::from(y) - i64::from(self.origin.y);
        if y <= 0 { 0 } else { (y / self.size.1).min(self.count.1 - 1) }
    }
    /// The bucket that holds a point.
    #[inline]
    pub(crate) fn at(&self, point: Point) -> usize {
        (self.row(point.y) * self.count.0 + self.column(point.x)) as usize
    }
    /// The outline with its hard halo around it.
    #[inline]
    pub(crate) fn claim(&self, shape: &Shape) -> Rect {
        let Some(halo) = shape.halo.checked_sub(1) else { return shape.outline };
        let [left, bottom, right, top] = self.halos[halo as usize];
        let Rect { lo, hi } = shape.outline;
        Rect {
            lo: Point::new(lo.x.saturating_sub(left), lo.y.saturating_sub(bottom)),
            hi: Point::new(hi.x.saturating_add(right), hi.y.saturating_add(top)),
        }
    }
    /// The area in which a shape may meet others: two shapes can only break a rule together when
    /// their domains share area.
    #[inline]
    pub(crate) fn domain(&self, shape: &Shape) -> Rect {
        let mut rect = self.claim(shape);
        rect.hi.x = rect.hi.x.saturating_add(self.reach);
        rect
    }
    /// Adds the steps of a cell whose shape changes.
    pub(crate) fn steps(&self, cell: CellId, old: &Shape, new: &Shape, steps: &mut Vec<Step>) {
        for (shape, comes) in [(old, false), (new, true)] {
            if shape.present {
                let step = |bucket| Step { bucket: bucket as u32, cell, comes };
                self.each(&self.domain(shape), |bucket| steps.push(step(bucket)));
            }
        }
    }
    /// Calls `each` with every bucket under `domain`.
    #[inline]
    pub(crate) fn each(&self, domain: &Rect, mut each: impl FnMut(usize)) {
        let (left, right) = (self.column(domain.lo.x), self.column(domain.hi.x.saturating_sub(1)));
        let (low, high) = (self.row(domain.lo.y), self.row(domain.hi.y.saturating_sub(1)));
        for row in low..=high {
            for column in left..=right {
                each((row * self.count.0 + column) as usize);
            }
        }
    }
    /// Lists a new cell, whose number is above all others, in every bucket under its domain.
    pub(crate) fn append(&mut self, domain: &Rect, cell: CellId) {
        let mut under: SmallVec<[usize; 8]> = SmallVec::new();
        self.each(domain, |bucket| under.push(bucket));
        under.into_iter().for_each(|bucket| self.lists[bucket].push(cell.0));
    }
    /// Carries out the steps of one bucket, sorted by cell, leaving before coming.
    pub(crate) fn apply(&mut self, steps: &[Step]) {
        let Some(bucket) = steps.first().map(|step| step.bucket) else { return };
        let list = &mut self.lists[bucket as usize];
        if steps.len() <= 4 {
            for step in steps {
                match (list.binary_search(&step.cell.0), step.comes) {
                    (Err(at), true) => list.insert(at, step.cell.0),
                    (Ok(at), false) => {
                        list.remove(at);
                    }
                    _ => {}
                }
            }
            return;
        }
        // Many at once: one merge, so that a heap of cells does not cost its square.
        let mut merged = Bucket::with_capacity(list.len() + steps.len());
        let mut rest = list.iter().copied().peekable();
        for of_cell in steps.chunk_by(|a, b| a.cell == b.cell) {
            let cell = of_cell[0].cell.0;
            merged.extend(std::iter::from_fn(|| rest.next_if(|other| *other < cell)));
            rest.next_if_eq(&cell);
            if of_cell.last().is_some_and(|step| step.comes) {
                merged.push(cell);
            }
        }
        merged.extend(rest);
        *list = merged;
    }
}

/// A cell that comes into a bucket or leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Step {
    pub(crate) bucket: u32,
    pub(crate) cell: CellId,
    pub(crate) comes: bool,
}
