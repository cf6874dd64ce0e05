//! The incremental engine: a placement with its cost, changed by moves and undone exactly.
//!
//! Every sum is of integers (see `fixed`), and every derived value is a pure function of such sums,
//! so after any moves and undos the bits are those that [`Engine::new`] gives for the same places.
//! A what-if and a commit are one code path: both apply; a what-if then undoes.

use std::sync::Arc;

use crate::cell::{Boundary, Cell};
use crate::cost::{Cost, Weights};
use crate::error::MacroError;
use crate::fixed::{LENGTH_BITS, VALUE_BITS, WEIGHT_BITS, fix, scale, unfix};
use crate::model::{FARTHEST, Model};
use crate::netlist::{Kind, Placement, Spot};
use crate::occupy;
use crate::orient::Orient;
use crate::route::{self, Runs};
use crate::top::Top;

/// How positions are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Precision {
    /// As the file writes them, in double precision: the open evaluator.
    #[default]
    Double,
    /// Rounded to single precision when set, as harnesses do that hold positions in `float32`
    /// tensors; all arithmetic after that is in double precision.
    Single,
}

impl Precision {
    fn hold(self, v: f64) -> f64 {
        match self {
            Precision::Double => v,
            Precision::Single => f64::from(v as f32),
        }
    }
}

/// Variants of the evaluator.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Options {
    /// What happens outside the grid.
    pub boundary: Boundary,
    /// How positions are held.
    pub precision: Precision,
    /// Weights of the parts.
    pub weights: Weights,
}

/// One body's new place. Bodies are numbered as in [`Model`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Move {
    /// The body.
    pub body: u32,
    /// New centre.
    pub x: f64,
    /// New centre.
    pub y: f64,
    /// New orientation.
    pub orient: Orient,
}

/// Adds `sign × demand` along runs, as differences that are summed up later.
struct Spread<'a> {
    rows: i32,
    columns: i32,
    demand: i64,
    h: &'a mut [i64],
    v: &'a mut [i64],
    rows_hit: &'a mut [bool],
    columns_hit: &'a mut [bool],
    stray: &'a mut i64,
}

impl Spread<'_> {
    fn h_run(&mut self, row: i32, from: i32, to: i32) {
        let at = row as usize * (self.columns as usize + 1);
        self.h[at + from as usize] += self.demand;
        self.h[at + to as usize] -= self.demand;
        self.rows_hit[row as usize] = true;
    }

    fn v_run(&mut self, column: i32, from: i32, to: i32) {
        let at = column as usize * (self.rows as usize + 1);
        self.v[at + from as usize] += self.demand;
        self.v[at + to as usize] -= self.demand;
        self.columns_hit[column as usize] = true;
    }

    /// Where a Python list of all cells has the index, or a stray.
    #[cold]
    fn wrapped(&mut self, row: i32, column: i32) -> Option<(i32, i32)> {
        let cells = i64::from(self.rows) * i64::from(self.columns);
        let index = i64::from(row) * i64::from(self.columns) + i64::from(column);
        if !(-cells..cells).contains(&index) {
            *self.stray += self.demand.signum();
            return None;
        }
        let index = index.rem_euclid(cells);
        let columns = i64::from(self.columns);
        Some(((index / columns) as i32, (index % columns) as i32))
    }
}

impl Runs for Spread<'_> {
    #[inline]
    fn horizontal(&mut self, row: i32, from: i32, to: i32) {
        if row >= 0 && row < self.rows && from >= 0 && to <= self.columns {
            self.h_run(row, from, to);
        } else {
            for column in from..to {
                if let Some((r, c)) = self.wrapped(row, column) {
                    self.h_run(r, c, c + 1);
                }
            }
        }
    }

    #[inline]
    fn vertical(&mut self, column: i32, from: i32, to: i32) {
        if column >= 0 && column < self.columns && from >= 0 && to <= self.rows {
            self.v_run(column, from, to);
        } else {
            for row in from..to {
                if let Some((r, c)) = self.wrapped(row, column) {
                    self.v_run(c, r, r + 1);
                }
            }
        }
    }
}

/// Which grid an undo record belongs to.
#[derive(Debug, Clone, Copy)]
enum Layer {
    Area,
    RouteV,
    RouteH,
    TrackV,
    TrackH,
    Density,
    Congestion,
}

/// What the last application changed, with what was there.
#[derive(Debug, Clone, Default)]
struct Log {
    bodies: Vec<(u32, f64, f64, Orient)>,
    sites: Vec<(u32, f64, f64, Cell)>,
    nets: Vec<(u32, i64)>,
    cells: Vec<(Layer, u32, i64)>,
    wirelength: i128,
    stray: i64,
    open: bool,
}

/// A placement and its cost.
#[derive(Debug, Clone)]
pub struct Engine {
    model: Arc<Model>,
    options: Options,
    // Bodies.
    x: Vec<f64>,
    y: Vec<f64>,
    orient: Vec<Orient>,
    fixed: Vec<bool>,
    // Sites.
    sx: Vec<f64>,
    sy: Vec<f64>,
    cell: Vec<Cell>,
    // Sums.
    net_length: Vec<i64>,
    length: i128,
    area: Vec<i64>,
    route_v: Vec<i64>,
    route_h: Vec<i64>,
    track_v: Vec<i64>,
    track_h: Vec<i64>,
    stray: i64,
    // Functions of the sums.
    density: Vec<i64>,
    congestion: Vec<i64>,
    top_density: Top,
    top_congestion: Top,
    // Scratch.
    log: Log,
    diff_v: Vec<i64>,
    diff_h: Vec<i64>,
    columns_hit: Vec<bool>,
    rows_hit: Vec<bool>,
    dirty_density: Vec<u32>,
    dirty_congestion: Vec<u32>,
    is_dirty_density: Vec<bool>,
    is_dirty_congestion: Vec<bool>,
    net_seen: Vec<u32>,
    seen: u32,
    touched: Vec<u32>,
    rerouted: Vec<u32>,
    cell_seen: Vec<u32>,
    cell_stamp: u32,
    many: Vec<Cell>,
    work: u64,
}

impl Engine {
    /// The engine at a placement. Orientations of hard macros are the placement's; where it has
    /// none, `N`.
    ///
    /// # Errors
    /// When a body has no place or one that is too far away.
    pub fn new(
        model: Arc<Model>,
        placement: &Placement,
        options: Options,
    ) -> Result<Self, MacroError> {
        let (bodies, sites, nets, cells) =
            (model.bodies(), model.sites(), model.nets(), model.grid.cells());
        let (rows, columns) = (model.grid.rows, model.grid.columns);
        let share = |n: usize, part: f64| (n as f64 * part).floor() as usize;
        let dense = if cells < 10 { cells } else { share(cells, 0.1) };
        let mut engine = Engine {
            options,
            x: vec![0.0; bodies],
            y: vec![0.0; bodies],
            orient: vec![Orient::N; bodies],
            fixed: vec![false; bodies],
            sx: vec![0.0; sites],
            sy: vec![0.0; sites],
            cell: vec![Cell::default(); sites],
            net_length: vec![0; nets],
            length: 0,
            area: vec![0; cells],
            route_v: vec![0; cells],
            route_h: vec![0; cells],
            track_v: vec![0; cells],
            track_h: vec![0; cells],
            stray: 0,
            density: vec![0; cells],
            congestion: vec![0; 2 * cells],
            top_density: Top::new(dense, cells),
            top_congestion: Top::new(share(2 * cells, 0.05).max(1), 2 * cells),
            log: Log::default(),
            diff_v: vec![0; columns * (rows + 1)],
            diff_h: vec![0; rows * (columns + 1)],
            columns_hit: vec![false; columns],
            rows_hit: vec![false; rows],
            dirty_density: Vec::new(),
            dirty_congestion: Vec::new(),
            is_dirty_density: vec![false; cells],
            is_dirty_congestion: vec![false; 2 * cells],
            net_seen: vec![0; nets],
            seen: 0,
            touched: Vec::new(),
            rerouted: Vec::new(),
            cell_seen: vec![0; cells],
            cell_stamp: 0,
            many: Vec::new(),
            work: 0,
            model,
        };
        engine.place_all(placement)?;
        engine.full();
        Ok(engine)
    }

    fn place_all(&mut self, placement: &Placement) -> Result<(), MacroError> {
        for body in 0..self.x.len() {
            let item = self.model.item[body];
            let name = || self.model.names[body].clone();
            let Some(spot) = placement.spots.get(item as usize).copied().flatten() else {
                return Err(MacroError::Unplaced { name: name(), item });
            };
            let (x, y) = (spot.x, spot.y);
            if !(x.abs() <= FARTHEST && y.abs() <= FARTHEST) {
                return Err(MacroError::FarAway { name: name(), item, x, y });
            }
            self.x[body] = self.options.precision.hold(x);
            self.y[body] = self.options.precision.hold(y);
            self.orient[body] = spot.orient.unwrap_or_default();
            self.fixed[body] = spot.fixed;
            self.set_sites(body);
        }
        Ok(())
    }

    fn set_sites(&mut self, body: usize) {
        for site in self.model.sites_of_body(body) {
            let (x, y, cell) = self.site_at(site, self.x[body], self.y[body], self.orient[body]);
            self.sx[site] = x;
            self.sy[site] = y;
            self.cell[site] = cell;
        }
    }

    #[inline]
    fn site_at(&self, site: usize, x: f64, y: f64, orient: Orient) -> (f64, f64, Cell) {
        let (dx, dy) = orient.turn(self.model.dx[site], self.model.dy[site]);
        let (x, y) = (x + dx, y + dy);
        let (row, column) = self.model.grid.locate(x, y, self.options.boundary);
        (x, y, Cell::new(row, column))
    }

    /// Computes everything from the places alone.
    fn full(&mut self) {
        let model = Arc::clone(&self.model);
        self.length = 0;
        for net in 0..model.nets() {
            let length = self.length_of(net);
            self.net_length[net] = length;
            self.length += i128::from(length);
            self.route(net, 1);
        }
        self.settle_routes();
        for body in 0..model.bodies() {
            self.occupy(body, 1);
        }
        self.dirty_density.clear();
        self.dirty_congestion.clear();
        for cell in 0..self.density.len() {
            self.is_dirty_density[cell] = false;
            self.density[cell] = self.density_of(cell);
        }
        for cell in 0..self.congestion.len() {
            self.is_dirty_congestion[cell] = false;
            self.congestion[cell] = self.congestion_of(cell);
        }
        self.log = Log::default();
    }

    /// Weighted half-perimeter of a net in fixed point.
    #[inline]
    fn length_of(&mut self, net: usize) -> i64 {
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
    fn route(&mut self, net: usize, sign: i64) {
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
    fn settle_routes(&mut self) {
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
    fn soil_congestion(&mut self, at: usize) {
        if !self.is_dirty_congestion[at] {
            self.is_dirty_congestion[at] = true;
            self.dirty_congestion.push(at as u32);
        }
    }

    /// Adds what a body takes of the grid (`sign` 1) or takes it away (−1).
    fn occupy(&mut self, body: usize, sign: i64) {
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
    fn density_of(&self, cell: usize) -> i64 {
        let grid = &self.model.grid;
        let area = unfix(self.area[cell], LENGTH_BITS);
        fix(area / (grid.cell_width * grid.cell_height), VALUE_BITS)
    }

    /// Vertical congestion of a cell, or horizontal for indices beyond the grid's cells.
    #[inline]
    fn congestion_of(&self, at: usize) -> i64 {
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
    fn settle_values(&mut self) {
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

    /// Applies moves of different bodies; [`Engine::undo`] takes them back until the next
    /// application or [`Engine::keep`].
    fn apply_trusted(&mut self, moves: &[Move]) {
        let model = Arc::clone(&self.model);
        self.log.bodies.clear();
        self.log.sites.clear();
        self.log.nets.clear();
        self.log.cells.clear();
        self.log.wirelength = self.length;
        self.log.stray = self.stray;
        self.log.open = true;
        self.seen = self.seen.wrapping_add(1);
        if self.seen == 0 {
            self.net_seen.fill(0);
            self.seen = 1;
        }
        self.touched.clear();
        self.rerouted.clear();
        // New sites are computed first, to know whose routes change at all.
        let start_of_nets = |engine: &mut Self, body: usize, moved_cells: bool| {
            for &net in model.nets_of(body) {
                let seen = &mut engine.net_seen[net as usize];
                if *seen != engine.seen {
                    *seen = engine.seen;
                    engine.touched.push(net);
                }
            }
            moved_cells
        };
        let mut any = false;
        for step in moves {
            let body = step.body as usize;
            let mut moved_cells = false;
            for site in model.sites_of_body(body) {
                let (x, y, cell) = self.site_at(site, step.x, step.y, step.orient);
                moved_cells |= cell != self.cell[site];
                self.log.sites.push((site as u32, x, y, cell));
            }
            any |= start_of_nets(self, body, moved_cells);
        }
        let touched = std::mem::take(&mut self.touched);
        if any {
            for &net in &touched {
                self.route(net as usize, -1);
            }
        }
        for step in moves {
            let body = step.body as usize;
            self.occupy(body, -1);
            self.log.bodies.push((step.body, self.x[body], self.y[body], self.orient[body]));
            (self.x[body], self.y[body], self.orient[body]) = (step.x, step.y, step.orient);
            self.occupy(body, 1);
        }
        for i in 0..self.log.sites.len() {
            let (site, x, y, cell) = self.log.sites[i];
            let at = site as usize;
            self.log.sites[i] = (site, self.sx[at], self.sy[at], self.cell[at]);
            (self.sx[at], self.sy[at], self.cell[at]) = (x, y, cell);
        }
        for &net in &touched {
            let at = net as usize;
            let old = self.net_length[at];
            let new = self.length_of(at);
            if new != old {
                self.log.nets.push((net, old));
                self.net_length[at] = new;
                self.length += i128::from(new) - i128::from(old);
            }
            if any {
                self.route(at, 1);
            }
        }
        self.touched = touched;
        self.settle_routes();
        self.settle_values();
    }

    /// Checks moves and applies them. See [`Engine::undo`] and [`Engine::keep`].
    ///
    /// # Errors
    /// When a body does not exist or is a port, stands twice in the list, or would lie too far away.
    pub fn apply(&mut self, moves: &[Move]) -> Result<(), MacroError> {
        self.check(moves)?;
        let precision = self.options.precision;
        if precision == Precision::Single {
            let held: Vec<Move> = moves
                .iter()
                .map(|m| Move { x: precision.hold(m.x), y: precision.hold(m.y), ..*m })
                .collect();
            self.apply_trusted(&held);
        } else {
            self.apply_trusted(moves);
        }
        Ok(())
    }

    fn check(&self, moves: &[Move]) -> Result<(), MacroError> {
        for (i, step) in moves.iter().enumerate() {
            let body = step.body as usize;
            let bad = |item, why| Err(MacroError::NotMovable { item, why });
            let Some(&item) = self.model.item.get(body) else {
                return bad(step.body, "is no body");
            };
            if self.model.kind[body] == Kind::Port {
                return bad(item, "is a port, and ports stay");
            }
            // Long lists are looked at sorted, below.
            if moves.len() <= 16 && moves[..i].iter().any(|other| other.body == step.body) {
                return bad(item, "stands twice in one move");
            }
            if !(step.x.abs() <= FARTHEST && step.y.abs() <= FARTHEST) {
                let (name, x, y) = (self.model.names[body].clone(), step.x, step.y);
                return Err(MacroError::FarAway { name, item, x, y });
            }
        }
        if moves.len() > 16 {
            let mut bodies: Vec<u32> = moves.iter().map(|step| step.body).collect();
            bodies.sort_unstable();
            if let Some(pair) = bodies.windows(2).find(|pair| pair[0] == pair[1]) {
                let item = self.model.item[pair[0] as usize];
                return Err(MacroError::NotMovable { item, why: "stands twice in one move" });
            }
        }
        Ok(())
    }

    /// Takes the last application back, bit for bit; nothing if it was kept or undone.
    pub fn undo(&mut self) {
        if !std::mem::take(&mut self.log.open) {
            return;
        }
        // In reverse: a cell may stand several times, and the first record holds what was there.
        while let Some((layer, cell, old)) = self.log.cells.pop() {
            let grid = match layer {
                Layer::Area => &mut self.area,
                Layer::RouteV => &mut self.route_v,
                Layer::RouteH => &mut self.route_h,
                Layer::TrackV => &mut self.track_v,
                Layer::TrackH => &mut self.track_h,
                Layer::Density => &mut self.density,
                Layer::Congestion => &mut self.congestion,
            };
            grid[cell as usize] = old;
        }
        for &(net, old) in &self.log.nets {
            self.net_length[net as usize] = old;
        }
        for &(site, x, y, cell) in &self.log.sites {
            let at = site as usize;
            (self.sx[at], self.sy[at], self.cell[at]) = (x, y, cell);
        }
        for &(body, x, y, orient) in &self.log.bodies {
            let at = body as usize;
            (self.x[at], self.y[at], self.orient[at]) = (x, y, orient);
        }
        self.length = self.log.wirelength;
        self.stray = self.log.stray;
    }

    /// Keeps the last application; it can no longer be undone.
    pub fn keep(&mut self) {
        self.log.open = false;
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

    /// What the cost would be after moves; the placement stays as it is.
    ///
    /// # Errors
    /// As [`Engine::apply`].
    pub fn what_if(&mut self, moves: &[Move]) -> Result<Cost, MacroError> {
        self.apply(moves)?;
        let cost = self.cost();
        self.undo();
        Ok(cost)
    }

    /// The model that it was made of.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The variant that it computes.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Centre and orientation of a body.
    #[must_use]
    pub fn at(&self, body: usize) -> (f64, f64, Orient) {
        (self.x[body], self.y[body], self.orient[body])
    }

    /// Whether the placement says that a body must stay.
    #[must_use]
    pub fn is_fixed(&self, body: usize) -> bool {
        self.fixed[body]
    }

    /// Place of a site, for placers.
    #[inline]
    pub(crate) fn site(&self, site: usize) -> (f64, f64) {
        (self.sx[site], self.sy[site])
    }

    /// Congestion of cells, vertical first, in fixed point; for placers that look for room.
    pub(crate) fn congestion_map(&self) -> &[i64] {
        &self.congestion
    }

    /// Density of cells in fixed point.
    pub(crate) fn density_map(&self) -> &[i64] {
        &self.density
    }

    /// Density of each grid cell, row by row from the bottom.
    pub fn densities(&self) -> impl Iterator<Item = f64> + '_ {
        self.density.iter().map(|v| unfix(*v, VALUE_BITS))
    }

    /// Congestion of each grid cell, row by row from the bottom: vertical for all cells, then
    /// horizontal for all cells.
    pub fn congestions(&self) -> impl Iterator<Item = f64> + '_ {
        self.congestion.iter().map(|v| unfix(*v, VALUE_BITS))
    }

    /// Work done so far, in units: sites visited for lengths and routes, grid cells written and
    /// cells looked at. The same questions give the same number on every machine.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The placement as it is.
    #[must_use]
    pub fn placement(&self, of: &Placement) -> Placement {
        let mut out = of.clone();
        for body in 0..self.x.len() {
            let item = self.model.item[body] as usize;
            if let Some(Some(spot)) = out.spots.get_mut(item) {
                let orient = match spot.orient {
                    None if self.orient[body] == Orient::N => None,
                    _ => Some(self.orient[body]),
                };
                *spot = Spot { x: self.x[body], y: self.y[body], orient, fixed: spot.fixed };
            }
        }
        out
    }

    /// Everything that a cost can depend on, for comparisons bit by bit.
    #[must_use]
    pub fn state(&self) -> State {
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
        State {
            length: self.length,
            stray: self.stray,
            sites: [bits(&self.sx), bits(&self.sy)],
            grids: [
                self.area.clone(),
                self.route_v.clone(),
                self.route_h.clone(),
                self.track_v.clone(),
                self.track_h.clone(),
                self.density.clone(),
                self.congestion.clone(),
                self.net_length.clone(),
            ],
        }
    }
}

/// All sums of an engine and all values derived from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    length: i128,
    stray: i64,
    sites: [Vec<u64>; 2],
    grids: [Vec<i64>; 8],
}
