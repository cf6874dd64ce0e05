//! Proposals that move soft macros and cells.

use rand::Rng;

use super::{Plan, Proposer};
use crate::engine::{Engine, Move};
use crate::fixed::{VALUE_BITS, unfix};

impl Proposer {
    pub(super) fn soft_shift(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let body = Self::pick(&mut self.rng, &self.soft)?;
        let (x, y, _) = engine.at(body as usize);
        let (dx, dy) = self.step();
        plan.moves.push(Self::soft_to(engine, body, x + dx, y + dy));
        Some(())
    }

    pub(super) fn soft_optimal(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let body = Self::pick(&mut self.rng, &self.soft)?;
        let best = self.optimal(engine, body as usize)?;
        let (mut x, mut y) = self.in_box(best);
        // Half of the time only part of the way: the best place for wire is often a crowded one.
        if self.rng.random_range(0..2) == 0 {
            let (cx, cy, _) = engine.at(body as usize);
            let part: f64 = self.rng.random_range(0.0..1.0);
            (x, y) = (cx + part * (x - cx), cy + part * (y - cy));
        }
        plan.moves.push(Self::soft_to(engine, body, x, y));
        Some(())
    }

    fn cell_of(engine: &Engine, x: f64, y: f64) -> usize {
        let grid = &engine.model().grid;
        let (row, column) = grid.locate(x, y, crate::Boundary::Clamped);
        row as usize * grid.columns + column as usize
    }

    /// How crowded a grid cell is, all three ways.
    fn crowd(engine: &Engine, cell: usize) -> f64 {
        let (density, congestion) = (engine.density_map(), engine.congestion_map());
        let most = congestion[cell].max(congestion[density.len() + cell]);
        unfix(density[cell] + most, VALUE_BITS)
    }

    pub(super) fn soft_relief(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let mut from: Option<(f64, u32)> = None;
        for _ in 0..8 {
            let body = Self::pick(&mut self.rng, &self.soft)?;
            let (x, y, _) = engine.at(body as usize);
            let crowd = Self::crowd(engine, Self::cell_of(engine, x, y));
            if from.is_none_or(|f| crowd > f.0) {
                from = Some((crowd, body));
            }
        }
        let body = from?.1;
        let (x, y, _) = engine.at(body as usize);
        let mut to: Option<(f64, Move)> = None;
        for _ in 0..6 {
            let (dx, dy) = self.step();
            let step = Self::soft_to(engine, body, x + dx, y + dy);
            let crowd = Self::crowd(engine, Self::cell_of(engine, step.x, step.y));
            if to.is_none_or(|t| crowd < t.0) {
                to = Some((crowd, step));
            }
        }
        plan.moves.push(to?.1);
        Some(())
    }

    pub(super) fn soft_swap(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let a = Self::pick(&mut self.rng, &self.soft)?;
        let b = Self::pick(&mut self.rng, &self.soft)?;
        if a == b {
            return None;
        }
        let ((ax, ay, _), (bx, by, _)) = (engine.at(a as usize), engine.at(b as usize));
        plan.moves.push(Self::soft_to(engine, a, bx, by));
        plan.moves.push(Self::soft_to(engine, b, ax, ay));
        Some(())
    }

    pub(super) fn route_shift(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let grid = engine.model().grid;
        let cells = grid.cells();
        let map = engine.congestion_map();
        let mut worst: Option<(i64, u32, bool)> = None;
        for _ in 0..8 {
            let body = Self::pick(&mut self.rng, &self.soft)?;
            let (x, y, _) = engine.at(body as usize);
            let cell = Self::cell_of(engine, x, y);
            for (value, vertical) in [(map[cell], true), (map[cells + cell], false)] {
                if worst.is_none_or(|w| value > w.0) {
                    worst = Some((value, body, vertical));
                }
            }
        }
        let (_, body, vertical) = worst?;
        let (x, y, _) = engine.at(body as usize);
        let side = if self.rng.random_range(0..2) == 0 { 1.0 } else { -1.0 };
        // Vertical routes of two cells run in the sink's column, horizontal ones in the source's row.
        let (x, y) = if vertical {
            (x + side * grid.cell_width, y)
        } else {
            (x, y + side * grid.cell_height)
        };
        plan.moves.push(Self::soft_to(engine, body, x, y));
        Some(())
    }

    pub(super) fn cluster(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let model = engine.model();
        let seed = Self::pick(&mut self.rng, &self.soft)?;
        let mut group = vec![seed];
        let wanted = self.rng.random_range(2..7);
        for _ in 0..4 * wanted {
            let from = Self::pick(&mut self.rng, &group)?;
            let net = Self::pick(&mut self.rng, model.nets_of(from as usize))?;
            let site = Self::pick(&mut self.rng, model.sites_of(net as usize))?;
            let body = model.site_body[site as usize];
            if self.soft.binary_search(&body).is_ok() && !group.contains(&body) {
                group.push(body);
                if group.len() == wanted {
                    break;
                }
            }
        }
        let (dx, dy) = self.step();
        for body in group {
            let (x, y, _) = engine.at(body as usize);
            plan.moves.push(Self::soft_to(engine, body, x + dx, y + dy));
        }
        Some(())
    }
}
