//! Where cells may stand: horizontal slabs of free area, rows cut into segments, and the check that
//! the area suffices.

use cellwright_db::Rect;

use crate::error::PlaceError;
use crate::legal::rows::{row_sites, segments};
use crate::problem::{NONE, Problem};
use crate::report::Note;
use crate::spans::Spans;

/// A horizontal strip in which rows, blockers and fences do not change along y.
#[derive(Clone, Debug)]
pub struct Slab {
    /// Lower edge, DBU.
    pub y0: i32,
    /// Upper edge, DBU.
    pub y1: i32,
    /// x-ranges covered by rows of the part of the core, blocked or not.
    pub rows: Spans,
    /// x-ranges where cells of the part may stand.
    pub free: Spans,
}

/// The free area of one part of the core: of a fence, or of what lies outside all fences ([`NONE`]).
#[derive(Clone, Debug)]
pub struct FreeArea {
    /// Which fence.
    pub fence: u32,
    /// Slabs, ascending and without gaps or overlaps in y.
    pub slabs: Vec<Slab>,
}

impl FreeArea {
    /// Free area, DBU².
    pub fn area(&self) -> i64 {
        self.slabs.iter().map(|slab| slab.free.length() * i64::from(slab.y1 - slab.y0)).sum()
    }
    /// Area of the rows of the part, DBU².
    pub fn total(&self) -> i64 {
        self.slabs.iter().map(|slab| slab.rows.length() * i64::from(slab.y1 - slab.y0)).sum()
    }
    /// What is free throughout `y0..y1`.
    pub fn band(&self, y0: i32, y1: i32) -> Spans {
        let first = self.slabs.partition_point(|slab| slab.y1 <= y0);
        let mut free: Option<Spans> = None;
        let mut reached = y0;
        for slab in self.slabs[first..].iter().take_while(|slab| slab.y0 < y1) {
            free = Some(match free {
                None => slab.free.clone(),
                Some(free) => free.intersect(&slab.free),
            });
            if slab.y0 > reached {
                return Spans::default();
            }
            reached = slab.y1;
        }
        if reached < y1 { Spans::default() } else { free.unwrap_or_default() }
    }
    /// Takes a rectangle out (a cell that now stands there).
    pub fn remove(&mut self, rect: Rect) {
        self.cut_at(rect.lo.y);
        self.cut_at(rect.hi.y);
        let first = self.slabs.partition_point(|slab| slab.y1 <= rect.lo.y);
        for slab in self.slabs[first..].iter_mut().take_while(|slab| slab.y0 < rect.hi.y) {
            slab.free.remove(rect.lo.x, rect.hi.x);
        }
    }
    fn cut_at(&mut self, y: i32) {
        let at = self.slabs.partition_point(|slab| slab.y1 <= y);
        if let Some(slab) = self.slabs.get_mut(at).filter(|slab| slab.y0 < y) {
            let upper = Slab { y0: y, ..slab.clone() };
            slab.y1 = y;
            self.slabs.insert(at + 1, upper);
        }
    }
}

/// The parts of the core that have nodes, outside first, then fences in order.
pub fn parts(problem: &Problem) -> Vec<u32> {
    let mut used = vec![false; problem.fences.len() + 1];
    for &fence in &problem.nodes.fence {
        used[if fence == NONE { 0 } else { fence as usize + 1 }] = true;
    }
    let all = std::iter::once(NONE).chain(0..problem.fences.len() as u32);
    all.zip(used).filter(|(_, used)| *used).map(|(fence, _)| fence).collect()
}

/// Free area of a part, from its rows, the blockers and the fences.
pub fn free_area(problem: &Problem, fence: u32, blocks: &[Rect]) -> FreeArea {
    let rows: Vec<Rect> = problem
        .rows
        .iter()
        .map(|row| Rect::new(row.x, row.y, row.x_end, row.y.saturating_add(row.height)))
        .map(|rect| rect.intersection(&problem.die))
        .filter(|rect| !rect.is_empty())
        .collect();
    let inside: &[Rect] = problem.fences.get(fence as usize).map_or(&[], |fence| &fence.rects);
    let mut outside: Vec<Rect> = blocks.to_vec();
    for (index, other) in problem.fences.iter().enumerate() {
        if index as u32 != fence {
            outside.extend(&other.rects);
        }
    }
    let mut ys: Vec<i32> = Vec::new();
    for rect in rows.iter().chain(inside).chain(&outside) {
        ys.extend([rect.lo.y, rect.hi.y]);
    }
    ys.sort_unstable();
    ys.dedup();
    let (mut rows, mut inside, mut outside) =
        (Sweep::new(rows), Sweep::new(inside.to_vec()), Sweep::new(outside));
    let mut slabs = Vec::new();
    for pair in ys.windows(2) {
        let (y0, y1) = (pair[0], pair[1]);
        let mut covered = rows.at(y0);
        if fence != NONE {
            covered = covered.intersect(&inside.at(y0));
        }
        let blocked = outside.at(y0);
        if !covered.is_empty() {
            let free = covered.subtract(&blocked);
            slabs.push(Slab { y0, y1, rows: covered, free });
        }
    }
    FreeArea { fence, slabs }
}

/// Rectangles swept from below; the answer at `y` is the union of those that span it.
struct Sweep {
    waiting: Vec<Rect>,
    next: usize,
    active: Vec<Rect>,
}

impl Sweep {
    fn new(mut rects: Vec<Rect>) -> Self {
        rects.retain(|rect| !rect.is_empty());
        rects.sort_unstable_by_key(|rect| (rect.lo.y, rect.lo.x));
        Sweep { waiting: rects, next: 0, active: Vec::new() }
    }
    fn at(&mut self, y: i32) -> Spans {
        self.active.retain(|rect| rect.hi.y > y);
        while let Some(rect) = self.waiting.get(self.next).filter(|rect| rect.lo.y <= y) {
            if rect.hi.y > y {
                self.active.push(*rect);
            }
            self.next += 1;
        }
        Spans::union_of(self.active.iter().map(|rect| (rect.lo.x, rect.hi.x)).collect())
    }
}

/// The part of a free area that whole sites of whole rows cover, less what partial blockages keep.
/// With rows of several sites, which may overlap, all of it.
pub fn usable(problem: &Problem, area: &FreeArea) -> i64 {
    let [site] = row_sites(problem)[..] else { return area.area() };
    let mut usable = 0;
    let mut kept = 0.0;
    for segment in segments(problem, site, area) {
        let (lo, hi) = (segment.x(segment.lo), segment.x(segment.hi));
        let rect = Rect::new(lo, segment.row.y, hi, segment.row.y + segment.row.height);
        usable += rect.area();
        for (blockage, part) in &problem.partial {
            let common = rect.intersection(blockage);
            if !common.is_empty() {
                kept += (1.0 - part) * common.area() as f64;
            }
        }
    }
    usable - kept as i64
}

/// The area numbers of a run.
#[derive(Clone, Debug)]
pub struct AreaCheck {
    /// Area of movable nodes, DBU².
    pub movable: i64,
    /// Free area for them, DBU².
    pub free: i64,
    /// Per part: fence, movable and free area.
    pub parts: Vec<(u32, i64, i64)>,
}

impl AreaCheck {
    /// Movable over free area.
    pub fn utilisation(&self) -> f64 {
        if self.free <= 0 { 0.0 } else { self.movable as f64 / self.free as f64 }
    }
}

/// Refuses at once what cannot be placed: cells without rows, or more cells than free area.
///
/// # Errors
/// [`PlaceError::NoRows`], [`PlaceError::NoRowFor`] (without names, see the caller),
/// [`PlaceError::TooFull`].
pub fn check_area(problem: &Problem) -> Result<AreaCheck, PlaceError> {
    let nodes = &problem.nodes;
    let standing = (0..nodes.len()).filter(|node| !nodes.is_macro[*node]).count();
    if problem.rows.is_empty() && standing > 0 {
        return Err(PlaceError::NoRows { cells: standing });
    }
    let mut check = AreaCheck { movable: 0, free: 0, parts: Vec::new() };
    for fence in parts(problem) {
        let mine = (0..nodes.len()).filter(|node| nodes.fence[*node] == fence);
        let (free, total) = if problem.rows.is_empty() {
            (problem.die.area(), problem.die.area())
        } else {
            let area = free_area(problem, fence, &problem.blocks);
            let macros = mine.clone().any(|node| nodes.is_macro[node]);
            let free = if macros { area.area() } else { usable(problem, &area) };
            (free, area.total())
        };
        let movable: i64 = mine.map(|node| nodes.area(node)).sum();
        if movable > free {
            let name = problem.fences.get(fence as usize);
            return Err(PlaceError::TooFull {
                place: name.map_or("core".to_owned(), |fence| format!("fence `{}`", fence.name)),
                movable: problem.square_microns(movable),
                free: problem.square_microns(free),
                total: problem.square_microns(total),
                percent: 100.0 * movable as f64 / free.max(1) as f64,
            });
        }
        check.movable += movable;
        check.free += free;
        check.parts.push((fence, movable, free));
    }
    Ok(check)
}

/// Counts blockers that overlap an earlier one (sorted by x), for a note.
pub fn overlap_note(problem: &Problem) -> Option<Note> {
    let mut rects = problem.blocks.clone();
    rects.sort_unstable_by_key(|rect| (rect.lo.x, rect.lo.y));
    let mut active: Vec<Rect> = Vec::new();
    let mut count = 0;
    for rect in rects {
        active.retain(|other| other.hi.x > rect.lo.x);
        count += usize::from(active.iter().any(|other| other.overlaps(&rect)));
        active.push(rect);
    }
    (count > 0).then_some(Note::FixedOverlap(count))
}
