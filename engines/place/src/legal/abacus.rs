//! Cells of one row into row segments: each to the segment where it moves least, all cells of a
//! segment at once at the least sum of squared moves (Spindler, Schlichtmann, Johannes, "Abacus:
//! fast legalization of standard cell circuits with minimal movement", ISPD 2008). Positions are
//! whole sites, so sums are exact and nothing is rounded twice.

use crate::legal::rows::{Segment, width_in};
use crate::problem::Problem;

/// Cells that stand wall to wall.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    /// Number of the first cell in the segment's list.
    first: usize,
    /// Cells.
    count: i64,
    /// Sum over cells of (wish − offset in the cluster), in 1/256 sites.
    pull: i64,
    /// Sites.
    width: i32,
    /// First site.
    x: i32,
}

/// One site in fixed point.
const SITE: i64 = 256;

impl Cluster {
    /// The best start of the cluster inside the segment.
    fn settle(&mut self, segment: &Segment) {
        let unit = SITE * self.count;
        // The nearest whole number minimises a parabola over whole numbers.
        let best = (2 * self.pull + unit).div_euclid(2 * unit);
        let last = segment.hi - self.width;
        self.x = best.clamp(i64::from(segment.lo), i64::from(last.max(segment.lo))) as i32;
    }
    fn join(&mut self, right: &Cluster) {
        self.pull += right.pull - right.count * i64::from(self.width) * SITE;
        self.count += right.count;
        self.width += right.width;
    }
}

/// A segment with its cells from left to right.
#[derive(Clone, Debug)]
pub(crate) struct Filled {
    pub(crate) segment: Segment,
    pub(crate) cells: Vec<u32>,
    /// Sites taken.
    pub(crate) used: i32,
    clusters: Vec<Cluster>,
}

impl Filled {
    pub(crate) fn new(segment: Segment) -> Filled {
        Filled { segment, cells: Vec::new(), used: 0, clusters: Vec::new() }
    }
    pub(crate) fn free(&self) -> i32 {
        self.segment.sites() - self.used
    }
    fn wish(&self, x: f64) -> i64 {
        let sites = (x - f64::from(self.segment.row.x)) / f64::from(self.segment.row.step);
        (sites.clamp(-1e6, 1e7) * SITE as f64).round() as i64
    }
    /// Where a cell of `width` sites appended at the right would stand.
    fn trial(&self, wish: i64, width: i32, work: &mut u64) -> i32 {
        let mut new = Cluster { first: 0, count: 1, pull: wish, width, x: 0 };
        new.settle(&self.segment);
        for cluster in self.clusters.iter().rev() {
            *work += 1;
            if cluster.x + cluster.width <= new.x {
                break;
            }
            let mut joined = *cluster;
            joined.join(&new);
            joined.settle(&self.segment);
            new = joined;
        }
        new.x + new.width - width
    }
    /// Appends a cell at the right.
    fn push(&mut self, node: u32, wish: i64, width: i32) {
        let mut new = Cluster { first: self.cells.len(), count: 1, pull: wish, width, x: 0 };
        new.settle(&self.segment);
        while let Some(cluster) = self.clusters.last().copied() {
            if cluster.x + cluster.width <= new.x {
                break;
            }
            self.clusters.pop();
            let mut joined = cluster;
            joined.join(&new);
            joined.settle(&self.segment);
            new = joined;
        }
        self.clusters.push(new);
        self.cells.push(node);
        self.used += width;
    }
    /// Lays the cells out anew, ordered by their wishes.
    pub(crate) fn lay_out(&mut self, problem: &Problem, wish: &[(f64, f64)]) {
        let mut cells = std::mem::take(&mut self.cells);
        cells.sort_by(|a, b| wish[*a as usize].0.total_cmp(&wish[*b as usize].0).then(a.cmp(b)));
        self.clusters.clear();
        self.used = 0;
        for node in cells {
            let width = width_in(problem, node as usize, self.segment.row.step);
            let goal = self.wish(wish[node as usize].0);
            self.push(node, goal, width);
        }
    }
    /// Calls `each` with every cell and its first site.
    pub(crate) fn each(&self, problem: &Problem, mut each: impl FnMut(usize, i32)) {
        for (number, cluster) in self.clusters.iter().enumerate() {
            let end = self.clusters.get(number + 1).map_or(self.cells.len(), |next| next.first);
            let mut x = cluster.x;
            for &node in &self.cells[cluster.first..end] {
                each(node as usize, x);
                x += width_in(problem, node as usize, self.segment.row.step);
            }
        }
    }
}

/// Segments of one site in one part of the core, and the search among them.
#[derive(Clone, Debug)]
pub(crate) struct Shelves {
    pub(crate) filled: Vec<Filled>,
    /// y and range of segments of each level, ascending.
    levels: Vec<(i32, std::ops::Range<usize>)>,
}

impl Shelves {
    pub(crate) fn new(segments: Vec<Segment>) -> Shelves {
        let filled: Vec<Filled> = segments.into_iter().map(Filled::new).collect();
        let mut levels: Vec<(i32, std::ops::Range<usize>)> = Vec::new();
        for (i, filled) in filled.iter().enumerate() {
            match levels.last_mut() {
                Some((y, range)) if *y == filled.segment.row.y => range.end = i + 1,
                _ => levels.push((filled.segment.row.y, i..i + 1)),
            }
        }
        Shelves { filled, levels }
    }

    /// Calls `visit` with segments in order of row distance from `y` until it says that rows
    /// farther than the returned bound are of no interest.
    pub(crate) fn by_distance(&self, y: f64, mut visit: impl FnMut(usize, f64) -> f64) {
        let mut upper = self.levels.partition_point(|level| f64::from(level.0) < y);
        let mut lower = upper;
        let mut bound = f64::INFINITY;
        loop {
            let distance = |level: usize| (f64::from(self.levels[level].0) - y).abs();
            let up = (upper < self.levels.len()).then(|| distance(upper));
            let down = lower.checked_sub(1).map(distance);
            let (level, dy) = match (up, down) {
                (None, None) => return,
                (Some(up), Some(down)) if down < up => (lower - 1, down),
                (Some(up), _) => (upper, up),
                (None, Some(down)) => (lower - 1, down),
            };
            if dy >= bound {
                return;
            }
            if level == upper {
                upper += 1
            } else {
                lower -= 1
            }
            for segment in self.levels[level].1.clone() {
                bound = visit(segment, dy);
            }
        }
    }

    /// Puts the nodes (ascending by wished x) into segments; returns those that found none with
    /// room.
    pub(crate) fn fill(
        &mut self,
        problem: &Problem,
        nodes: &[u32],
        wish: &[(f64, f64)],
        work: &mut u64,
    ) -> Vec<u32> {
        let mut left = Vec::new();
        for &node in nodes {
            let (x, y) = wish[node as usize];
            let mut best: Option<(f64, usize)> = None;
            let mut tried = 0;
            self.by_distance(y, |index, dy| {
                let filled = &self.filled[index];
                let limit = best.map_or(f64::INFINITY, |best| best.0);
                let segment = &filled.segment;
                let width = width_in(problem, node as usize, segment.row.step);
                let (from, to) = (segment.x(segment.lo), segment.x(segment.hi - width));
                let apart = (f64::from(from) - x).max(x - f64::from(to)).max(0.0);
                if filled.free() < width || apart + dy >= limit {
                    return limit;
                }
                let at = filled.trial(filled.wish(x), width, &mut tried);
                let cost = (f64::from(segment.x(at)) - x).abs() + dy;
                if cost < limit {
                    best = Some((cost, index));
                }
                best.map_or(f64::INFINITY, |best| best.0)
            });
            *work += tried + 1;
            match best {
                None => left.push(node),
                Some((_, index)) => {
                    let filled = &mut self.filled[index];
                    let width = width_in(problem, node as usize, filled.segment.row.step);
                    let goal = filled.wish(x);
                    filled.push(node, goal, width);
                }
            }
        }
        left
    }
}
