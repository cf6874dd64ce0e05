//! Bins: an even division of a rectangle with exact integer edges.

use cellwright_db::{Design, Point, Rect};

/// How many bins a grid has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bins {
    /// Powers of two chosen from rows and core alone, so that no delta changes them.
    #[default]
    Auto,
    /// So many along x and along y; at least 1 each is taken.
    Count(u32, u32),
}

/// The most bins along one side that a grid takes.
pub const MAX_BINS: u32 = 4096;

/// A grid of bins over a rectangle. Bin edges are whole DBU; bins differ by at most 1 DBU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    area: Rect,
    xs: Vec<i32>,
    ys: Vec<i32>,
}

/// A range of bins along each axis, ends inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) x: (usize, usize),
    pub(crate) y: (usize, usize),
}

impl Grid {
    /// A grid over `area`, of which bins `bins` says how many. With [`Bins::Auto`] a bin is at
    /// least `rows` row heights wide and high, and there are at most `most` along a side.
    pub fn new(design: &Design, area: Rect, bins: Bins, rows: i32, most: u32) -> Grid {
        let area = if area.is_empty() {
            let lo = area.lo;
            Rect::new(lo.x, lo.y, lo.x.saturating_add(1), lo.y.saturating_add(1))
        } else {
            area
        };
        let (nx, ny) = match bins {
            Bins::Count(nx, ny) => (nx, ny),
            Bins::Auto => {
                let edge = i64::from(row_height(design)) * i64::from(rows);
                let count = |length: i64| {
                    let fit = u32::try_from(length / edge.max(1)).unwrap_or(u32::MAX).max(1);
                    (1 << fit.ilog2()).clamp(1, most)
                };
                (count(area.width()), count(area.height()))
            }
        };
        let edges = |lo: i32, length: i64, count: u32| {
            let count = i64::from(count.clamp(1, MAX_BINS)).min(length);
            (0..=count).map(|i| (i64::from(lo) + length * i / count) as i32).collect()
        };
        let xs = edges(area.lo.x, area.width(), nx);
        let ys = edges(area.lo.y, area.height(), ny);
        Grid { area, xs, ys }
    }
    /// The rectangle that the bins divide.
    pub fn area(&self) -> Rect {
        self.area
    }
    /// Bins along x.
    pub fn columns(&self) -> usize {
        self.xs.len() - 1
    }
    /// Bins along y.
    pub fn rows(&self) -> usize {
        self.ys.len() - 1
    }
    /// All bins.
    pub fn len(&self) -> usize {
        self.columns() * self.rows()
    }
    /// Never true: a grid has at least one bin.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The outline of bin `index` (row-major from the lower left).
    pub fn bin(&self, index: usize) -> Rect {
        let (x, y) = (index % self.columns(), index / self.columns());
        self.bin_at(x, y)
    }
    /// The outline of the bin in column `x` and row `y`.
    #[inline]
    pub(crate) fn bin_at(&self, x: usize, y: usize) -> Rect {
        Rect {
            lo: Point::new(self.xs[x], self.ys[y]),
            hi: Point::new(self.xs[x + 1], self.ys[y + 1]),
        }
    }
    #[inline]
    pub(crate) fn index(&self, x: usize, y: usize) -> usize {
        y * self.columns() + x
    }
    /// The edges of column `x`.
    #[inline]
    pub(crate) fn column(&self, x: usize) -> (i32, i32) {
        (self.xs[x], self.xs[x + 1])
    }
    /// The edges of row `y`.
    #[inline]
    pub(crate) fn row(&self, y: usize) -> (i32, i32) {
        (self.ys[y], self.ys[y + 1])
    }
    /// The bins that share area with `rect`; `None` when none does.
    #[inline]
    pub(crate) fn span(&self, rect: &Rect) -> Option<Span> {
        let inside = rect.intersection(&self.area);
        if inside.is_empty() {
            return None;
        }
        Some(Span {
            x: (find(&self.xs, inside.lo.x), find(&self.xs, inside.hi.x - 1)),
            y: (find(&self.ys, inside.lo.y), find(&self.ys, inside.hi.y - 1)),
        })
    }
    /// Calls `each` with every bin that shares area with `rect` and the common area, DBU².
    #[inline]
    pub(crate) fn each_overlap(&self, rect: &Rect, mut each: impl FnMut(usize, i64)) {
        let Some(span) = self.span(rect) else { return };
        for y in span.y.0..=span.y.1 {
            let height = overlap(self.row(y), (rect.lo.y, rect.hi.y));
            for x in span.x.0..=span.x.1 {
                let width = overlap(self.column(x), (rect.lo.x, rect.hi.x));
                each(self.index(x, y), width.saturating_mul(height));
            }
        }
    }
}

/// The height of the lowest site that has a row; a 64th of the die's shorter side without rows.
pub(crate) fn row_height(design: &Design) -> i32 {
    let plan = design.floorplan();
    let height = |site| design.tech().sites.get(site).map_or(0, |site| site.height);
    let heights = plan.rows.iter().map(|row| height(row.site)).filter(|height| *height > 0);
    let die = plan.die.width().min(plan.die.height());
    heights.min().unwrap_or((die / 64).clamp(1, i64::from(i32::MAX)) as i32)
}

/// The common length of two intervals.
#[inline]
pub(crate) fn overlap(a: (i32, i32), b: (i32, i32)) -> i64 {
    (i64::from(a.1.min(b.1)) - i64::from(a.0.max(b.0))).max(0)
}

/// The interval of `edges` that holds `value`, which lies inside.
#[inline]
fn find(edges: &[i32], value: i32) -> usize {
    let count = edges.len() - 1;
    let (lo, hi) = (i64::from(edges[0]), i64::from(edges[count]));
    let guess = ((i64::from(value) - lo) * count as i64 / (hi - lo)) as usize;
    let mut at = guess.min(count - 1);
    while edges[at] > value && at > 0 {
        at -= 1;
    }
    while at + 1 < count && edges[at + 1] <= value {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn find_agrees_with_a_plain_search() {
        for (lo, length, count) in [(0, 10, 3), (-7, 100, 7), (5, 64, 64), (i32::MIN, 1000, 9)] {
            let edges: Vec<i32> =
                (0..=count).map(|i| (i64::from(lo) + length * i / count) as i32).collect();
            for value in lo..lo + length as i32 {
                let plain = edges.partition_point(|edge| *edge <= value) - 1;
                assert_eq!(find(&edges, value), plain, "{edges:?} {value}");
            }
        }
    }
}
