//! Proposals that move hard macros: all of them to places that are free.

use rand::Rng;

use super::{Plan, Proposer};
use crate::engine::{Engine, Move};
use crate::orient::Orient;
use crate::room::UNITS;

/// Most macros that make way for one.
const MOST_PUSHED: usize = 3;

impl Proposer {
    fn hard_to(&self, engine: &Engine, n: usize, at: [i32; 2], plan: &mut Plan) {
        let body = self.room.bodies[n];
        let orient = engine.at(body as usize).2;
        let (x, y) = (f64::from(at[0]) / UNITS, f64::from(at[1]) / UNITS);
        plan.moves.push(Move { body, x, y, orient });
        plan.hard.push((n, at));
    }

    /// A hard macro to the nearest room; a blind agent takes only the place itself.
    fn hard_near(&self, engine: &Engine, n: usize, x: f64, y: f64, plan: &mut Plan) -> Option<()> {
        let want = self.room.clip(n, x, y);
        let at = if self.blind {
            self.room.fits(n, want, &[]).then_some(want)?
        } else {
            let [w, h] = self.room.size(n);
            self.room.nearest(n, want, w.max(h))?
        };
        if at == self.room.at(n) {
            return None;
        }
        self.hard_to(engine, n, at, plan);
        Some(())
    }

    pub(super) fn hard_shift(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let n = Self::pick(&mut self.rng, &self.hard)?;
        let (x, y) = self.room.centre(n);
        let (dx, dy) = self.step();
        self.hard_near(engine, n, x + dx, y + dy, plan)
    }

    pub(super) fn hard_optimal(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let n = Self::pick(&mut self.rng, &self.hard)?;
        let best = self.optimal(engine, self.room.bodies[n] as usize)?;
        let (x, y) = self.in_box(best);
        let (cx, cy) = self.room.centre(n);
        let part: f64 = self.rng.random_range(0.0..1.0);
        self.hard_near(engine, n, cx + part * (x - cx), cy + part * (y - cy), plan)
    }

    pub(super) fn hard_swap(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let a = Self::pick(&mut self.rng, &self.hard)?;
        let b = Self::pick(&mut self.rng, &self.hard)?;
        if a == b {
            return None;
        }
        let ((ax, ay), (bx, by)) = (self.room.centre(a), self.room.centre(b));
        let (to_a, to_b) = (self.room.clip(a, bx, by), self.room.clip(b, ax, ay));
        let both = [a, b];
        let apart = (to_a[0] - to_b[0]).abs() >= self.room.size(a)[0] + self.room.size(b)[0]
            || (to_a[1] - to_b[1]).abs() >= self.room.size(a)[1] + self.room.size(b)[1];
        if !apart || !self.room.fits(a, to_a, &both) || !self.room.fits(b, to_b, &both) {
            return None;
        }
        self.hard_to(engine, a, to_a, plan);
        self.hard_to(engine, b, to_b, plan);
        Some(())
    }

    pub(super) fn hard_slide(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let n = Self::pick(&mut self.rng, &self.hard)?;
        let axis = self.rng.random_range(0..2usize);
        let at = self.room.at(n);
        let half = self.room.size(n)[axis];
        let grid = &engine.model().grid;
        let pitch = if axis == 0 { grid.cell_width } else { grid.cell_height };
        let mut stops: Vec<i32> = Vec::new();
        for other in (0..self.room.len()).filter(|o| *o != n) {
            let apart = self.room.size(other)[axis] + half;
            let c = self.room.at(other)[axis];
            stops.extend([c - apart, c + apart, c]);
        }
        // Edges just inside grid lines: a macro takes tracks of every cell that it touches.
        let first = (f64::from(at[axis]) / UNITS / pitch).floor();
        for line in [first - 1.0, first, first + 1.0, first + 2.0] {
            let line = line * pitch * UNITS;
            stops.extend([line.floor() as i32 - half - 1, line.ceil() as i32 + half + 1]);
        }
        let reach = 3 * half;
        stops.retain(|s| *s != at[axis] && (*s - at[axis]).abs() <= reach);
        let stop = Self::pick(&mut self.rng, &stops)?;
        let mut to = at;
        to[axis] = stop;
        if !self.room.fits(n, to, &[]) {
            return None;
        }
        self.hard_to(engine, n, to, plan);
        Some(())
    }

    /// A centre near one, on a grid line or in the middle of a cell, along one axis or both. Tracks
    /// are taken cell by cell, so a macro that halves its height between two rows takes the least of
    /// either.
    fn centred(&mut self, engine: &Engine, (x, y): (f64, f64)) -> (f64, f64) {
        let grid = &engine.model().grid;
        let which = self.rng.random_range(0..4);
        let mut one = |c: f64, pitch: f64| {
            let step = f64::from(self.rng.random_range(-1..=1i32));
            ((2.0 * c / pitch).round() + step) * 0.5 * pitch
        };
        match which {
            0 => (one(x, grid.cell_width), y),
            1 => (one(x, grid.cell_width), one(y, grid.cell_height)),
            _ => (x, one(y, grid.cell_height)),
        }
    }

    pub(super) fn hard_centre(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let n = Self::pick(&mut self.rng, &self.hard)?;
        let mut at = self.room.centre(n);
        if self.rng.random_range(0..2) == 0 {
            let (dx, dy) = self.step();
            at = (at.0 + dx, at.1 + dy);
        }
        let (x, y) = self.centred(engine, at);
        self.hard_near(engine, n, x, y, plan)
    }

    pub(super) fn hard_push(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let n = Self::pick(&mut self.rng, &self.hard)?;
        let (x, y) = self.room.centre(n);
        let (dx, dy) = self.step();
        let (mut x, mut y) = (x + dx, y + dy);
        if self.rng.random_range(0..2) == 0 {
            (x, y) = self.centred(engine, (x, y));
        }
        let want = self.room.clip(n, x, y);
        let home = self.room.at(n);
        if want == home {
            return None;
        }
        let away = self.room.in_way(n, want, MOST_PUSHED)?;
        // Those that make way stay near, or take the place that is left.
        let stay = self.rng.random_range(0..3) > 0;
        let mut places = vec![(n, want)];
        let mut were = vec![(n, home)];
        self.room.put(n, want);
        for &other in &away {
            were.push((other, self.room.at(other)));
            self.room.lift(other);
        }
        for &other in &away {
            let was = self.room.at(other);
            let [w, h] = self.room.size(other);
            let target = if stay { was } else { self.room.clip_to(other, home) };
            let Some(to) = self.room.nearest(other, target, 2 * w.max(h)) else { break };
            places.push((other, to));
            self.room.put(other, to);
        }
        let all = places.len() == away.len() + 1;
        // The room is as it was until the proposal is accepted.
        for (n, at) in were {
            self.room.put(n, at);
        }
        for (n, at) in places.into_iter().filter(|_| all) {
            self.hard_to(engine, n, at, plan);
        }
        all.then_some(())
    }

    pub(super) fn flip(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let n = Self::pick(&mut self.rng, &self.hard)?;
        let body = self.room.bodies[n];
        let (x, y, orient) = engine.at(body as usize);
        let turned = Self::pick(&mut self.rng, &Orient::UPRIGHT)?;
        if turned == orient {
            return None;
        }
        plan.moves.push(Move { body, x, y, orient: turned });
        Some(())
    }
}
