//! What nets add: lengths and routes.

use super::Engine;
use super::log::Layer;
use super::spread::Spread;
use crate::cell::Cell;
use crate::fixed::{LENGTH_BITS, fix};
use crate::route;

impl Engine {
    /// Weighted half-perimeter of a net in fixed point.
    #[inline]
    pub(super) fn length_of(&mut self, net: usize) -> i64 {
        let sites = self.model.sites_of(net);
        self.work += sites.len() as u64;
        let (mut x0, mut x1, mut y0, mut y1) =
            (f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY);
        for &site in sites {
            let (x, y) = (self.sx[site as usize], self.sy[site as usize]);
            x0 = if x < x0 { x } else { x0 };
            x1 = if x > x1 { x } else { x1 };
            y0 = if y < y0 { y } else { y0 };
            y1 = if y > y1 { y } else { y1 };
        }
        fix(self.model.net_weight[net] * ((x1 - x0) + (y1 - y0)), LENGTH_BITS)
    }

    /// Adds a net's route (`sign` 1) or takes it away (−1), as differences.
    pub(super) fn route(&mut self, net: usize, sign: i64) {
        let model = &*self.model;
        let sites = model.sites_of(net);
        self.work += sites.len() as u64;
        let mut runs = Spread {
            rows: model.grid.rows as i32,
            columns: model.grid.columns as i32,
            demand: sign * model.net_demand[net],
            h: &mut self.diff_h,
            v: &mut self.diff_v,
            rows_hit: &mut self.rows_hit,
            columns_hit: &mut self.columns_hit,
            stray: &mut self.stray,
        };
        let source = self.cell[sites[0] as usize];
        let mut few = [source; 3];
        let mut n = 1;
        let mut rest = sites[1..].iter();
        let fourth = loop {
            let Some(&site) = rest.next() else { break None };
            let cell = self.cell[site as usize];
            if few[..n].contains(&cell) {
                continue;
            }
            if n == 3 {
                break Some(cell);
            }
            few[n] = cell;
            n += 1;
        };
        let Some(fourth) = fourth else {
            match n {
                2 => route::two(source, few[1], &mut runs),
                3 => route::three(few, &mut runs),
                _ => {}
            }
            return;
        };
        // More than three cells: from the source to each other cell once.
        let inside = |c: Cell| {
            c.row() >= 0
                && c.row() < model.grid.rows as i32
                && c.column() >= 0
                && c.column() < model.grid.columns as i32
        };
        self.many.clear();
        self.many.extend([few[1], few[2], fourth]);
        self.many.extend(rest.map(|&site| self.cell[site as usize]));
        if self.many.iter().all(|c| inside(*c)) {
            self.cell_stamp = self.cell_stamp.wrapping_add(1);
            if self.cell_stamp == 0 {
                self.cell_seen.fill(0);
                self.cell_stamp = 1;
            }
            if inside(source) {
                let at = source.row() as usize * model.grid.columns + source.column() as usize;
                self.cell_seen[at] = self.cell_stamp;
            }
            for &cell in &self.many {
                let at = cell.row() as usize * model.grid.columns + cell.column() as usize;
                if self.cell_seen[at] != self.cell_stamp {
                    self.cell_seen[at] = self.cell_stamp;
                    route::two(source, cell, &mut runs);
                }
            }
        } else {
            self.many.sort_unstable();
            self.many.dedup();
            for &cell in &self.many {
                if cell != source {
                    route::two(source, cell, &mut runs);
                }
            }
        }
    }

    /// Sums the differences of routes up into the grids.
    pub(super) fn settle_routes(&mut self) {
        let (rows, columns) = (self.model.grid.rows, self.model.grid.columns);
        let reach = self.model.settings.smooth_range as usize;
        for row in 0..rows {
            if !std::mem::take(&mut self.rows_hit[row]) {
                continue;
            }
            let at = row * (columns + 1);
            let mut run = 0;
            for column in 0..columns {
                run += std::mem::take(&mut self.diff_h[at + column]);
                if run == 0 {
                    continue;
                }
                let cell = row * columns + column;
                self.log.cells.push((Layer::RouteH, cell as u32, self.route_h[cell]));
                self.route_h[cell] += run;
                if reach == 0 {
                    self.soil_congestion(rows * columns + cell);
                } else {
                    for r in row.saturating_sub(reach)..(row + reach + 1).min(rows) {
                        self.soil_congestion(rows * columns + r * columns + column);
                    }
                }
            }
            self.diff_h[at + columns] = 0;
            self.work += columns as u64;
        }
        for column in 0..columns {
            if !std::mem::take(&mut self.columns_hit[column]) {
                continue;
            }
            let at = column * (rows + 1);
            let mut run = 0;
            for row in 0..rows {
                run += std::mem::take(&mut self.diff_v[at + row]);
                if run == 0 {
                    continue;
                }
                let cell = row * columns + column;
                self.log.cells.push((Layer::RouteV, cell as u32, self.route_v[cell]));
                self.route_v[cell] += run;
                if reach == 0 {
                    self.soil_congestion(cell);
                } else {
                    for c in column.saturating_sub(reach)..(column + reach + 1).min(columns) {
                        self.soil_congestion(row * columns + c);
                    }
                }
            }
            self.diff_v[at + rows] = 0;
            self.work += rows as u64;
        }
    }

    #[inline]
    pub(super) fn soil_congestion(&mut self, at: usize) {
        if !self.is_dirty_congestion[at] {
            self.is_dirty_congestion[at] = true;
            self.dirty_congestion.push(at as u32);
        }
    }
}
