//! Proposals of the annealer: blind ones, and ones computed from where nets, congestion and room are.

mod hard;
mod soft;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::engine::{Engine, Move};
use crate::netlist::Kind;
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
}
