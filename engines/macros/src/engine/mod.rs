//! The incremental engine: a placement with its cost, changed by moves and undone exactly.
//!
//! Every sum is of integers (see `fixed`), and every derived value is a pure function of such sums,
//! so after any moves and undos the bits are those that [`Engine::new`] gives for the same places.
//! A what-if and a commit are one code path: both apply; a what-if then undoes.

mod apply;
mod log;
mod nets;
mod options;
mod read;
mod spread;
mod state;
mod values;

use std::sync::Arc;

use crate::cell::Cell;
use crate::error::MacroError;
use crate::model::{FARTHEST, Model};
use crate::netlist::Placement;
use crate::orient::Orient;
use crate::top::Top;

use log::Log;
pub use options::{Move, Options, Precision};
pub use state::State;

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
}
