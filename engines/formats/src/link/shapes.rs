//! LEF shapes in µm as rectangles in DBU.

use cellwright_db::{Point, Rect};

use crate::lef::{Iterate, Shape, ShapeKind, to_dbu};

/// Turns LEF µm into DBU and counts what was off the grid.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    /// DBU per µm.
    pub dbu_per_micron: i32,
    /// How many lengths were rounded.
    pub rounded: u64,
}

impl Grid {
    /// A grid of `dbu_per_micron`.
    pub fn new(dbu_per_micron: i32) -> Self {
        Grid { dbu_per_micron, rounded: 0 }
    }

    /// A length in DBU, rounded to the nearest when off the grid.
    pub fn dbu(&mut self, microns: f64) -> i32 {
        to_dbu(microns, f64::from(self.dbu_per_micron)).unwrap_or_else(|off| {
            self.rounded += 1;
            off.nearest
        })
    }

    /// A point in DBU.
    pub fn point(&mut self, point: crate::lef::Point) -> Point {
        Point::new(self.dbu(point.x), self.dbu(point.y))
    }

    /// The rectangles that a shape covers, in DBU. A polygon with slanted edges counts as its
    /// bounding box; a path is its segments, widened by half its width.
    ///
    /// `default_width` (µm) serves paths that give none.
    pub fn rects(&mut self, shape: &Shape, default_width: f64, out: &mut Vec<Rect>) {
        let start = out.len();
        match &shape.kind {
            ShapeKind::Rect(r) => {
                out.push(Rect::new(self.dbu(r.x1), self.dbu(r.y1), self.dbu(r.x2), self.dbu(r.y2)));
            }
            ShapeKind::Polygon(points) => {
                let points: Vec<_> = points.iter().map(|p| self.point(*p)).collect();
                polygon_rects(&points, out);
            }
            ShapeKind::Path { width, points } => {
                let half = self.dbu(width.unwrap_or(default_width) / 2.0);
                let points: Vec<_> = points.iter().map(|p| self.point(*p)).collect();
                for pair in points.windows(2) {
                    let r = Rect::new(pair[0].x, pair[0].y, pair[1].x, pair[1].y);
                    out.push(Rect {
                        lo: Point::new(r.lo.x.saturating_sub(half), r.lo.y.saturating_sub(half)),
                        hi: Point::new(r.hi.x.saturating_add(half), r.hi.y.saturating_add(half)),
                    });
                }
            }
        }
        if let Some(iterate) = shape.iterate {
            self.repeat(iterate, start, out);
        }
    }

    fn repeat(&mut self, iterate: Iterate, start: usize, out: &mut Vec<Rect>) {
        let first: Vec<Rect> = out.drain(start..).collect();
        // A grid beyond any real cell is cut rather than filling the memory.
        let (nx, ny) = (iterate.nx.min(1000), iterate.ny.min(1000));
        for row in 0..ny {
            for column in 0..nx {
                let dx = self.dbu(f64::from(column) * iterate.dx);
                let dy = self.dbu(f64::from(row) * iterate.dy);
                out.extend(first.iter().map(|rect| rect.shifted(dx, dy)));
            }
        }
    }
}

/// Cuts a polygon into rectangles: at each y of a corner into slabs, and each slab into the spans
/// between its crossing edges. Slanted edges make the whole polygon its bounding box.
pub fn polygon_rects(points: &[Point], out: &mut Vec<Rect>) {
    let edges = || points.iter().zip(points.iter().cycle().skip(1));
    let Some(bounds) = points.iter().map(|p| Rect { lo: *p, hi: *p }).reduce(|a, b| a.union(&b))
    else {
        return;
    };
    if edges().any(|(a, b)| a.x != b.x && a.y != b.y) {
        out.push(bounds);
        return;
    }
    let mut ys: Vec<i32> = points.iter().map(|p| p.y).collect();
    ys.sort_unstable();
    ys.dedup();
    for slab in ys.windows(2) {
        let crosses = |(a, b): &(&Point, &Point)| {
            a.x == b.x && a.y.min(b.y) <= slab[0] && a.y.max(b.y) >= slab[1]
        };
        let mut xs: Vec<i32> = edges().filter(crosses).map(|(a, _)| a.x).collect();
        xs.sort_unstable();
        for span in xs.chunks_exact(2) {
            if span[0] < span[1] {
                out.push(Rect::new(span[0], slab[0], span[1], slab[1]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_l_is_two_rectangles() {
        let l = [(0, 0), (10, 0), (10, 4), (4, 4), (4, 10), (0, 10)].map(|(x, y)| Point::new(x, y));
        let mut rects = Vec::new();
        polygon_rects(&l, &mut rects);
        assert_eq!(rects, [Rect::new(0, 0, 10, 4), Rect::new(0, 4, 4, 10)]);
        rects.clear();
        polygon_rects(&[Point::new(0, 0), Point::new(5, 5), Point::new(0, 5)], &mut rects);
        assert_eq!(rects, [Rect::new(0, 0, 5, 5)]);
        rects.clear();
        polygon_rects(&[], &mut rects);
        assert!(rects.is_empty());
    }
}
