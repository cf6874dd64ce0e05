//! Rows of one site as levels, and the segments into which blockers and fences cut them.

use cellwright_db::{Orient, SiteId};

use crate::free::FreeArea;
use crate::problem::{Problem, RowInfo};
use crate::spans::Spans;

/// A stretch of free sites of one row. Positions are site numbers of the row.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// The row.
    pub(crate) row: RowInfo,
    /// First site.
    pub(crate) lo: i32,
    /// One past the last.
    pub(crate) hi: i32,
}

impl Segment {
    pub(crate) fn x(&self, site: i32) -> i32 {
        self.row.x + site * self.row.step
    }
    pub(crate) fn sites(&self) -> i32 {
        self.hi - self.lo
    }
}

/// Sites that a node takes in a row, padding included.
pub(crate) fn width_in(problem: &Problem, node: usize, step: i32) -> i32 {
    let width = i64::from(problem.nodes.w[node]) + i64::from(problem.nodes.pad[node]);
    (width + i64::from(step) - 1).div_euclid(i64::from(step)) as i32
}

/// The sites that have rows, highest rows first.
pub(crate) fn row_sites(problem: &Problem) -> Vec<SiteId> {
    let mut sites: Vec<(i32, SiteId)> =
        problem.rows.iter().map(|row| (-row.height, row.site)).collect();
    sites.sort_unstable();
    sites.dedup();
    sites.into_iter().map(|(_, site)| site).collect()
}

/// The free segments of the rows of a site, ascending by (y, x). Abutting rows on one lattice join.
pub(crate) fn segments(problem: &Problem, site: SiteId, area: &FreeArea) -> Vec<Segment> {
    let mut segments = Vec::new();
    let rows = joined(problem, site);
    for row in rows {
        let free = area.band(row.y, row.y.saturating_add(row.height));
        let free = free.intersect(&Spans::one(row.x, row.x_end));
        for &(a, b) in free.items() {
            let from = i64::from(a) - i64::from(row.x);
            let step = i64::from(row.step);
            let lo = (from + step - 1).div_euclid(step) as i32;
            let hi = (i64::from(b) - i64::from(row.x)).div_euclid(step) as i32;
            if lo < hi {
                segments.push(Segment { row, lo, hi });
            }
        }
    }
    segments
}

/// The rows of a site, ascending by (y, x), such that no place belongs to two of them: where rows
/// overlap the lower one keeps it, at one height the one that starts farther left, then the one that
/// the floorplan names first. Abutting fragments of one lattice and orientation are joined.
pub(crate) fn joined(problem: &Problem, site: SiteId) -> Vec<RowInfo> {
    let mut rows: Vec<RowInfo> =
        problem.rows.iter().copied().filter(|row| row.site == site).collect();
    rows.sort_by_key(|row| (row.y, row.x));
    let mut out: Vec<RowInfo> = Vec::with_capacity(rows.len());
    // Rows of `out` below this one end below the present row.
    let mut below = 0;
    let mut at = 0;
    while at < rows.len() {
        let y = rows[at].y;
        let level = at..at + rows[at..].partition_point(|row| row.y == y);
        at = level.end;
        while out.get(below).is_some_and(|row| row.y.saturating_add(row.height) <= y) {
            below += 1;
        }
        let reach = |row: &&RowInfo| row.y.saturating_add(row.height) > y;
        let lower = out[below..].iter().filter(reach).map(|row| (row.x, row.x_end)).collect();
        let lower = Spans::union_of(lower);
        let first = out.len();
        for row in &rows[level] {
            // Ascending by x, so what the level holds so far reaches to the end of its last row.
            let from = out[first..].last().map_or(row.x, |last| last.x_end.max(row.x));
            let free = Spans::one(from, row.x_end.max(from)).subtract(&lower);
            for &(lo, hi) in free.items() {
                let step = i64::from(row.step);
                let start = (i64::from(lo) - i64::from(row.x) + step - 1).div_euclid(step);
                let end = (i64::from(hi) - i64::from(row.x)).div_euclid(step);
                if start >= end {
                    continue;
                }
                let x = (i64::from(row.x) + start * step) as i32;
                let x_end =
                    if hi == row.x_end { hi } else { (i64::from(row.x) + end * step) as i32 };
                let abuts = |last: &&mut RowInfo| {
                    last.y == y
                        && last.x_end == x
                        && last.step == row.step
                        && last.orient == row.orient
                        && (i64::from(x) - i64::from(last.x)) % step == 0
                };
                if let Some(last) = out.last_mut().filter(abuts) {
                    last.x_end = x_end;
                    continue;
                }
                out.push(RowInfo { x, x_end, ..*row });
            }
        }
    }
    out
}

/// The orientation of a node in a row: the row's, mirrored when the node came so and may.
pub(crate) fn orient_in(problem: &Problem, node: usize, row: &RowInfo) -> Orient {
    let mirrored = |orient: Orient| matches!(orient, Orient::FN | Orient::S);
    let n = &problem.nodes;
    if n.placed[node] && n.mirror[node] && mirrored(n.orient[node]) != mirrored(row.orient) {
        row.orient.mirrored_y()
    } else {
        row.orient
    }
}
