//! Moves: applied, taken back, kept. A what-if and a commit are one code path.

use std::sync::Arc;

use super::log::Layer;
use super::{Engine, Move, Precision};
use crate::cost::Cost;
use crate::error::MacroError;
use crate::model::FARTHEST;
use crate::netlist::Kind;

impl Engine {
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
}
