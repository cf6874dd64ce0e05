//! Cells of several rows, and others that need an exact search: one by one to the nearest place
//! where all their rows are free, rails agree and sites align.

use cellwright_db::{Orient, Point, Rect, SiteId};

use crate::free::FreeArea;
use crate::legal::rows::{joined, orient_in, width_in};
use crate::problem::{Problem, RowInfo, grown};
use crate::spans::Spans;

/// Rows of one site grouped by height above the origin.
pub(crate) struct Levels {
    levels: Vec<(i32, Vec<RowInfo>)>,
    height: i32,
}

impl Levels {
    pub(crate) fn new(problem: &Problem, site: SiteId) -> Levels {
        let mut levels: Vec<(i32, Vec<RowInfo>)> = Vec::new();
        for row in joined(problem, site) {
            match levels.last_mut() {
                Some((y, rows)) if *y == row.y => rows.push(row),
                _ => levels.push((row.y, vec![row])),
            }
        }
        let height = levels.first().map_or(1, |(_, rows)| rows[0].height);
        Levels { levels, height }
    }

    fn level(&self, y: i32) -> Option<&[RowInfo]> {
        let at = self.levels.binary_search_by_key(&y, |level| level.0).ok()?;
        Some(&self.levels[at].1)
    }

    /// x-ranges, per base row, where the rows of a node stand one above the other on one lattice.
    fn stacks(&self, problem: &Problem, node: usize, level: usize) -> Vec<(RowInfo, Spans)> {
        let rows = problem.nodes.h[node] / self.height;
        let (y, base) = &self.levels[level];
        let mut stacks = Vec::new();
        for low in base {
            let mut spans = Spans::one(low.x, low.x_end);
            for k in 1..rows {
                let upper = self.level(y.saturating_add(k * self.height)).unwrap_or(&[]);
                let fits = |row: &&RowInfo| {
                    row.step == low.step
                        && (i64::from(row.x) - i64::from(low.x)) % i64::from(low.step) == 0
                        && (k + 1 < rows || problem.rails_agree(low, row, node))
                };
                let covered = upper.iter().filter(fits).map(|row| (row.x, row.x_end)).collect();
                spans = spans.intersect(&Spans::union_of(covered));
            }
            if rows == 1 && !problem.rails_agree(low, low, node) {
                continue;
            }
            if !spans.is_empty() {
                stacks.push((*low, spans));
            }
        }
        stacks
    }

    /// The legal place of `node` nearest to a wished corner, DBU; searches all rows if need be.
    pub(crate) fn nearest(
        &self,
        problem: &Problem,
        area: &FreeArea,
        node: usize,
        (wish_x, wish_y): (f64, f64),
        work: &mut u64,
    ) -> Option<(Point, Orient)> {
        let n = &problem.nodes;
        let [left, bottom, right, top] = n.halo[node];
        let mut best: Option<(f64, Point, Orient)> = None;
        let mut upper = self.levels.partition_point(|level| f64::from(level.0) < wish_y);
        let mut lower = upper;
        loop {
            // The next level in order of distance.
            let distance = |level: usize| (f64::from(self.levels[level].0) - wish_y).abs();
            let up = (upper < self.levels.len()).then(|| distance(upper));
            let down = lower.checked_sub(1).map(distance);
            let (level, dy) = match (up, down) {
                (None, None) => break,
                (Some(up), Some(down)) if down < up => (lower - 1, down),
                (Some(up), _) => (upper, up),
                (None, Some(down)) => (lower - 1, down),
            };
            if best.is_some_and(|best| dy >= best.0) {
                break;
            }
            if level == upper {
                upper += 1
            } else {
                lower -= 1
            }
            let y = self.levels[level].0;
            let (y0, y1) =
                (y.saturating_sub(bottom), y.saturating_add(n.h[node]).saturating_add(top));
            let core = problem.core;
            let free = area
                .band(y0.max(core.lo.y).min(y), y1.min(core.hi.y).max(y.saturating_add(n.h[node])));
            for (row, stack) in self.stacks(problem, node, level) {
                let sites = width_in(problem, node, row.step);
                *work += 1;
                for &(lo, hi) in free.items() {
                    // Margins stay free inside the core; beyond it nothing stands.
                    let lo = if lo <= core.lo.x { lo } else { lo.saturating_add(left) };
                    let hi = if hi >= core.hi.x { hi } else { hi.saturating_sub(right) };
                    for &(a, b) in stack.items() {
                        let (a, b) = (a.max(lo), b.min(hi));
                        let step = i64::from(row.step);
                        let first = (i64::from(a) - i64::from(row.x) + step - 1).div_euclid(step);
                        let last =
                            (i64::from(b) - i64::from(row.x)).div_euclid(step) - i64::from(sites);
                        if first > last {
                            continue;
                        }
                        let wish =
                            ((wish_x - f64::from(row.x)) / f64::from(row.step)).round() as i64;
                        let x = row.x + (wish.clamp(first, last) * step) as i32;
                        let cost = (f64::from(x) - wish_x).abs() + dy;
                        if best.is_none_or(|best| cost < best.0) {
                            best = Some((cost, Point::new(x, y), orient_in(problem, node, &row)));
                        }
                    }
                }
            }
        }
        best.map(|(_, at, orient)| (at, orient))
    }
}

/// The rectangle that a placed cell keeps from others: outline, padding and halo.
pub(crate) fn claim(problem: &Problem, node: usize, at: Point) -> Rect {
    let n = &problem.nodes;
    let rect = Rect::new(at.x, at.y, at.x + n.w[node] + n.pad[node], at.y + n.h[node]);
    grown(rect, n.halo[node])
}
