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

/// The rows of a site with abutting fragments of one lattice and orientation joined.
pub(crate) fn joined(problem: &Problem, site: SiteId) -> Vec<RowInfo> {
    let mut rows: Vec<RowInfo> =
        problem.rows.iter().copied().filter(|row| row.site == site).collect();
    rows.sort_by_key(|row| (row.y, row.x));
    let mut out: Vec<RowInfo> = Vec::with_capacity(rows.len());
    for row in rows {
        match out.last_mut() {
            Some(last)
                if last.y == row.y
                    && last.x_end == row.x
                    && last.step == row.step
                    && last.orient == row.orient =>
            {
                last.x_end = row.x_end;
            }
            _ => out.push(row),
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
