//! What grid cells come to: the area and tracks that bodies take, density, congestion, and the cost
//! of all.

use std::sync::Arc;

use super::Engine;
use super::log::Layer;
use crate::cost::Cost;
use crate::fixed::{LENGTH_BITS, VALUE_BITS, WEIGHT_BITS, fix, scale, unfix};
use crate::netlist::Kind;
use crate::occupy;

impl Engine {
    /// Adds what a body takes of the grid (`sign` 1) or takes it away (−1).
    pub(super) fn occupy(&mut self, body: usize, sign: i64) {
        let model = Arc::clone(&self.model);
        let kind = model.kind[body];
        if kind == Kind::Port {
            return;
        }
        let grid = &model.grid;
        let rect =
            occupy::outline(self.x[body], self.y[body], model.width[body], model.height[body]);
        occupy::area(grid, rect, self.options.boundary, |cell, area| {
            self.log.cells.push((Layer::Area, cell as u32, self.area[cell]));
            self.area[cell] += sign * area;
            self.work += 1;
            if !self.is_dirty_density[cell] {
                self.is_dirty_density[cell] = true;
                self.dirty_density.push(cell as u32);
            }
        });
        if kind != Kind::Hard {
            return;
        }
        let taken = (model.settings.macro_routes_v, model.settings.macro_routes_h);
        occupy::tracks(grid, rect, self.options.boundary, taken, |cell, v, h| {
            self.log.cells.push((Layer::TrackV, cell as u32, self.track_v[cell]));
            self.log.cells.push((Layer::TrackH, cell as u32, self.track_h[cell]));
            self.track_v[cell] += sign * v;
            self.track_h[cell] += sign * h;
            self.work += 1;
            self.soil_congestion(cell);
            self.soil_congestion(grid.cells() + cell);
        });
    }

    #[inline]
    pub(super) fn density_of(&self, cell: usize) -> i64 {
        let grid = &self.model.grid;
        let area = unfix(self.area[cell], LENGTH_BITS);
        fix(area / (grid.cell_width * grid.cell_height), VALUE_BITS)
    }

    /// Vertical congestion of a cell, or horizontal for indices beyond the grid's cells.
    #[inline]
    pub(super) fn congestion_of(&self, at: usize) -> i64 {
        let grid = &self.model.grid;
        let reach = self.model.settings.smooth_range as usize;
        let cells = grid.cells();
        let (vertical, cell) = (at < cells, if at < cells { at } else { at - cells });
        let (tracks, route, taken) = if vertical {
            (grid.tracks_v, &self.route_v, self.track_v[cell])
        } else {
            (grid.tracks_h, &self.route_h, self.track_h[cell])
        };
        let used = |cell: usize| unfix(route[cell], WEIGHT_BITS) / tracks;
        let smooth = if reach == 0 {
            used(cell)
        } else {
            // Vertical routes are smoothed along the row, horizontal ones along the column.
            let (row, column) = (cell / grid.columns, cell % grid.columns);
            let (at, len, start, step) = if vertical {
                (column, grid.columns, row * grid.columns, 1)
            } else {
                (row, grid.rows, column, grid.columns)
            };
            let mut sum = 0.0;
            for from in at.saturating_sub(reach)..(at + reach + 1).min(len) {
                let shared = (from + reach).min(len - 1) - from.saturating_sub(reach) + 1;
                sum += used(start + from * step) / shared as f64;
            }
            sum
        };
        fix(smooth + unfix(taken, LENGTH_BITS) / tracks, VALUE_BITS)
    }

    /// Recomputes the values of the cells whose sums changed.
    pub(super) fn settle_values(&mut self) {
        let mut dirty = std::mem::take(&mut self.dirty_density);
        for &cell in &dirty {
            let at = cell as usize;
            self.is_dirty_density[at] = false;
            let new = self.density_of(at);
            if new != self.density[at] {
                self.log.cells.push((Layer::Density, cell, self.density[at]));
                self.density[at] = new;
            }
        }
        self.work += dirty.len() as u64;
        dirty.clear();
        self.dirty_density = dirty;
        let mut dirty = std::mem::take(&mut self.dirty_congestion);
        for &cell in &dirty {
            let at = cell as usize;
            self.is_dirty_congestion[at] = false;
            let new = self.congestion_of(at);
            if new != self.congestion[at] {
                self.log.cells.push((Layer::Congestion, cell, self.congestion[at]));
                self.congestion[at] = new;
            }
        }
        self.work += dirty.len() as u64;
        dirty.clear();
        self.dirty_congestion = dirty;
    }

    /// The cost of the placement as it is.
    pub fn cost(&mut self) -> Cost {
        let settings = &self.model.settings;
        let wirelength_um = self.length as f64 / scale(LENGTH_BITS);
        let nets = if self.model.net_count == 0.0 { 1.0 } else { self.model.net_count };
        let wirelength = wirelength_um / ((settings.width + settings.height) * nets);
        let cells = self.density.len();
        self.work += 3 * cells as u64;
        let mut divisor = self.top_density.count();
        if cells < 10 {
            divisor = self.area.iter().filter(|a| **a != 0).count();
        }
        let sum = self.top_density.sum(&self.density);
        let density =
            if divisor == 0 { 0.0 } else { 0.5 * (unfix(sum, VALUE_BITS) / divisor as f64) };
        let sum = self.top_congestion.sum(&self.congestion);
        let congestion = if self.stray == 0 {
            unfix(sum, VALUE_BITS) / self.top_congestion.count() as f64
        } else {
            f64::NAN
        };
        let w = self.options.weights;
        let proxy = w.wirelength * wirelength + w.density * density + w.congestion * congestion;
        Cost { wirelength, wirelength_um, density, congestion, proxy }
    }
}
