//! Proposals of the annealer: blind ones, and ones computed from where nets, congestion and room are.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::engine::{Engine, Move};
use crate::fixed::{VALUE_BITS, unfix};
use crate::netlist::Kind;
use crate::orient::Orient;
use crate::room::{Room, UNITS};

/// Kinds of proposals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Proposal {
    /// A soft macro or a cell by a random step.
    SoftShift,
    /// A soft macro into the interval that is best for its nets.
    SoftOptimal,
    /// A soft macro out of a crowded grid cell into the least crowded of some near ones.
    SoftRelief,
    /// Two soft macros change places.
    SoftSwap,
    /// A macro by one grid row out of a crowded row of horizontal tracks, or by one column.
    RouteShift,
    /// Several soft macros that share nets, by one step.
    Cluster,
    /// A hard macro by a random step, to the nearest room.
    HardShift,
    /// A hard macro into the interval that is best for its nets, to the nearest room.
    HardOptimal,
    /// Two hard macros change places.
    HardSwap,
    /// A hard macro along one axis until it abuts something or a grid line.
    HardSlide,
    /// A hard macro centred on a grid line or in a grid cell, along one axis or both.
    HardCentre,
    /// A hard macro to where others are, which make way.
    HardPush,
    /// A hard macro mirrored.
    Flip,
}

impl Proposal {
    /// All kinds.
    pub const ALL: [Proposal; 13] = [
        Proposal::SoftShift,
        Proposal::SoftOptimal,
        Proposal::SoftRelief,
        Proposal::SoftSwap,
        Proposal::RouteShift,
        Proposal::Cluster,
        Proposal::HardShift,
        Proposal::HardOptimal,
        Proposal::HardSwap,
        Proposal::HardSlide,
        Proposal::HardCentre,
        Proposal::HardPush,
        Proposal::Flip,
    ];

    /// How often a kind is proposed, beside the others.
    pub(crate) fn share(self) -> f64 {
        match self {
            Proposal::SoftShift => 3.0,
            Proposal::SoftOptimal => 2.0,
            Proposal::SoftRelief => 1.5,
            Proposal::SoftSwap => 1.5,
            Proposal::RouteShift => 0.5,
            Proposal::Cluster => 0.3,
            Proposal::HardShift => 1.5,
            Proposal::HardOptimal => 0.3,
            Proposal::HardSwap => 2.0,
            Proposal::HardSlide => 0.7,
            Proposal::HardCentre => 1.0,
            Proposal::HardPush => 1.0,
            Proposal::Flip => 0.5,
        }
    }

    /// Those that look at nothing: what a plain annealer has.
    pub const BLIND: [Proposal; 5] = [
        Proposal::SoftShift,
        Proposal::SoftSwap,
        Proposal::HardShift,
        Proposal::HardSwap,
        Proposal::Flip,
    ];
}

/// Most macros that make way for one.
const MOST_PUSHED: usize = 3;

/// What proposals are made from.
#[derive(Debug, Clone)]
pub(crate) struct Proposer {
    /// Soft bodies that may move.
    pub(crate) soft: Vec<u32>,
    /// Entries of the room that may move.
    pub(crate) hard: Vec<usize>,
    pub(crate) room: Room,
    pub(crate) rng: ChaCha8Rng,
    /// Longest step of a shift in µm, by axis.
    pub(crate) reach: (f64, f64),
    /// Whether a blind agent asks: then no room is looked for.
    pub(crate) blind: bool,
    spans: [Vec<(f64, f64)>; 2],
}

/// A proposal: moves for the engine, and the new places of hard macros.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    pub(crate) moves: Vec<Move>,
    pub(crate) hard: Vec<(usize, [i32; 2])>,
}

impl Proposer {
    pub(crate) fn new(engine: &Engine, room: Room, rng: ChaCha8Rng, blind: bool) -> Self {
        let model = engine.model();
        let soft = (0..model.bodies())
            .filter(|b| matches!(model.kind[*b], Kind::Soft | Kind::Cell) && !engine.is_fixed(*b))
            .map(|b| b as u32)
            .collect();
        let hard = (0..room.len()).filter(|n| room.free[*n]).collect();
        let s = &model.settings;
        let reach = (s.width / 4.0, s.height / 4.0);
        Proposer { soft, hard, room, rng, reach, blind, spans: [Vec::new(), Vec::new()] }
    }

    /// Fills `plan`; `false` if nothing comes of it.
    pub(crate) fn propose(&mut self, kind: Proposal, engine: &Engine, plan: &mut Plan) -> bool {
        plan.moves.clear();
        plan.hard.clear();
        match kind {
            Proposal::SoftShift => self.soft_shift(engine, plan),
            Proposal::SoftOptimal => self.soft_optimal(engine, plan),
            Proposal::SoftRelief => self.soft_relief(engine, plan),
            Proposal::SoftSwap => self.soft_swap(engine, plan),
            Proposal::RouteShift => self.route_shift(engine, plan),
            Proposal::Cluster => self.cluster(engine, plan),
            Proposal::HardShift => self.hard_shift(engine, plan),
            Proposal::HardOptimal => self.hard_optimal(engine, plan),
            Proposal::HardSwap => self.hard_swap(engine, plan),
            Proposal::HardSlide => self.hard_slide(engine, plan),
            Proposal::HardCentre => self.hard_centre(engine, plan),
            Proposal::HardPush => self.hard_push(engine, plan),
            Proposal::Flip => self.flip(engine, plan),
        }
        .is_some()
    }

    fn pick<T: Copy>(rng: &mut ChaCha8Rng, list: &[T]) -> Option<T> {
        if list.is_empty() { None } else { Some(list[rng.random_range(0..list.len())]) }
    }

    /// A step of up to `reach`, short ones more often.
    fn step(&mut self) -> (f64, f64) {
        let mut one = |reach: f64| {
            let u: f64 = self.rng.random_range(-1.0..1.0);
            u * u.abs() * reach
        };
        (one(self.reach.0), one(self.reach.1))
    }

    /// A soft body to a centre, on the grid of units and inside the canvas where it fits.
    fn soft_to(engine: &Engine, body: u32, x: f64, y: f64) -> Move {
        let model = engine.model();
        let b = body as usize;
        let inside = |c: f64, size: f64, extent: f64| {
            let (low, high) =
                ((size / 2.0 * UNITS).ceil(), ((extent - size / 2.0) * UNITS).floor());
            let c = (c * UNITS).round();
            (if low <= high { c.clamp(low, high) } else { (extent / 2.0 * UNITS).round() }) / UNITS
        };
        let s = &model.settings;
        Move {
            body,
            x: inside(x, model.width[b], s.width),
            y: inside(y, model.height[b], s.height),
            orient: engine.at(b).2,
        }
    }

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

    fn soft_shift(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let body = Self::pick(&mut self.rng, &self.soft)?;
        let (x, y, _) = engine.at(body as usize);
        let (dx, dy) = self.step();
        plan.moves.push(Self::soft_to(engine, body, x + dx, y + dy));
        Some(())
    }

    /// The box in which a body's nets are shortest: between the medians of the ends of what its nets
    /// span without it (Goto 1981). Given as low and high of x, then of y; pins are taken at the
    /// body's centre.
    fn optimal(&mut self, engine: &Engine, body: usize) -> Option<[f64; 4]> {
        let model = engine.model();
        for list in &mut self.spans {
            list.clear();
        }
        for &net in model.nets_of(body) {
            let (mut low, mut high) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
            let sites = model.sites_of(net as usize);
            for &site in sites {
                if model.site_body[site as usize] as usize != body {
                    let (x, y) = engine.site(site as usize);
                    low = (low.0.min(x), low.1.min(y));
                    high = (high.0.max(x), high.1.max(y));
                }
            }
            if low.0 <= high.0 {
                let weight = model.net_weight[net as usize];
                self.spans[0].extend([(low.0, weight), (high.0, weight)]);
                self.spans[1].extend([(low.1, weight), (high.1, weight)]);
            }
        }
        let mut ends = [[0.0; 2]; 2];
        for (list, ends) in self.spans.iter_mut().zip(&mut ends) {
            if list.is_empty() {
                return None;
            }
            list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            let half: f64 = list.iter().map(|e| e.1).sum::<f64>() / 2.0;
            let mut sum = 0.0;
            let mut low = None;
            ends[1] = list[list.len() - 1].0;
            for &(at, weight) in list.iter() {
                sum += weight;
                if sum >= half && low.is_none() {
                    low = Some(at);
                }
                if sum > half {
                    ends[1] = at;
                    break;
                }
            }
            ends[0] = low.unwrap_or(list[0].0);
        }
        let [[x0, x1], [y0, y1]] = ends;
        Some([x0, x1.max(x0), y0, y1.max(y0)])
    }

    fn in_box(&mut self, [x0, x1, y0, y1]: [f64; 4]) -> (f64, f64) {
        let (dx, dy) = self.step();
        let u: f64 = self.rng.random_range(0.0..1.0);
        let v: f64 = self.rng.random_range(0.0..1.0);
        (x0 + u * (x1 - x0) + dx * 0.5, y0 + v * (y1 - y0) + dy * 0.5)
    }

    fn soft_optimal(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
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

    fn soft_relief(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
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

    fn soft_swap(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
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

    fn route_shift(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
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

    fn cluster(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
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

    fn hard_shift(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let n = Self::pick(&mut self.rng, &self.hard)?;
        let (x, y) = self.room.centre(n);
        let (dx, dy) = self.step();
        self.hard_near(engine, n, x + dx, y + dy, plan)
    }

    fn hard_optimal(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let n = Self::pick(&mut self.rng, &self.hard)?;
        let best = self.optimal(engine, self.room.bodies[n] as usize)?;
        let (x, y) = self.in_box(best);
        let (cx, cy) = self.room.centre(n);
        let part: f64 = self.rng.random_range(0.0..1.0);
        self.hard_near(engine, n, cx + part * (x - cx), cy + part * (y - cy), plan)
    }

    fn hard_swap(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
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

    fn hard_slide(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
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

    fn hard_centre(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
        let n = Self::pick(&mut self.rng, &self.hard)?;
        let mut at = self.room.centre(n);
        if self.rng.random_range(0..2) == 0 {
            let (dx, dy) = self.step();
            at = (at.0 + dx, at.1 + dy);
        }
        let (x, y) = self.centred(engine, at);
        self.hard_near(engine, n, x, y, plan)
    }

    fn hard_push(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
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

    fn flip(&mut self, engine: &Engine, plan: &mut Plan) -> Option<()> {
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
