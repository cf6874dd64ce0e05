//! The analytical stage: macros and clusters as charges, nets as springs.
//!
//! Minimises smoothed wirelength (weighted-average model, Hsu et al., TCAD 2013) plus the energy of
//! an electrostatic system in which each macro, hard or soft, is a charge as large as its area. The
//! weight of the energy grows until little overlap is left. There are no fillers: an even spread over
//! the canvas is what the density part of the proxy cost asks for.

use std::sync::Arc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::{Engine, Move};
use crate::error::MacroError;
use crate::model::Model;
use crate::netlist::Kind;
use crate::spectral::Field;

/// What the analytical stage came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Global {
    /// Steps made.
    pub iterations: u32,
    /// Area above density 1 in bins, over all area that may move.
    pub overflow: f64,
}

/// Bins along each side: more for more bodies, so that a bin holds a few.
fn side(bodies: usize) -> usize {
    match bodies {
        0..5_000 => 64,
        5_000..40_000 => 128,
        _ => 256,
    }
}

const STEPS: u32 = 600;
const ENOUGH: f64 = 0.06;

struct System {
    model: Arc<Model>,
    /// Bins along each side.
    side: usize,
    /// Bodies that may move.
    free: Vec<usize>,
    /// Centres of all bodies, in bins.
    at: Vec<[f64; 2]>,
    /// Offsets of sites, in bins.
    offset: Vec<[f64; 2]>,
    /// Half sizes of charges, in bins, and what a bin's worth of them carries.
    charge: Vec<([f64; 2], f64)>,
    /// Density of what stays.
    still: Vec<f64>,
    field: Field,
}

/// Places all macros that may move, from the middle of the canvas. What it leaves overlaps a little:
/// [`Engine::legalize`] comes next.
///
/// # Errors
/// Never on what an engine holds; the moves are checked all the same.
pub fn global(engine: &mut Engine, seed: u64) -> Result<Global, MacroError> {
    let mut system = System::new(engine, seed);
    let count = system.free.len();
    let area: f64 = system.free.iter().map(|b| system.area(*b)).sum();
    let (mut first, mut second) = (vec![[0.0; 2]; count], vec![[0.0; 2]; count]);
    let mut weight = 0.0;
    let mut out = Global { iterations: 0, overflow: 0.0 };
    for step in 0..if count == 0 { 0 } else { STEPS } {
        let density = system.density();
        let over: f64 = density.iter().map(|d| (d - 1.0).max(0.0)).sum();
        out = Global { iterations: step, overflow: over / area.max(1e-9) };
        if step > 50 && out.overflow < ENOUGH {
            break;
        }
        system.field.solve(&density);
        // Smoothing falls with the overflow, as ePlace has it.
        let gamma = 0.5 * 10f64.powf((20.0 / 9.0 * (out.overflow - 0.1)).clamp(-1.0, 1.0));
        let wire = system.wire(gamma);
        let push = system.push();
        let size = |g: &[[f64; 2]]| g.iter().map(|v| v[0].abs() + v[1].abs()).sum::<f64>();
        weight = if step == 0 { 0.1 * size(&wire) / size(&push).max(1e-12) } else { weight * 1.02 };
        // Adam (Kingma and Ba 2015) on the sum; steps shrink to a tenth of a bin.
        let rate = 0.5 * (1.0 - 0.8 * f64::from(step) / f64::from(STEPS));
        let bias = (1.0 - 0.9f64.powi(step as i32 + 1), 1.0 - 0.99f64.powi(step as i32 + 1));
        for n in 0..count {
            let body = system.free[n];
            for axis in 0..2 {
                let g = wire[n][axis] - weight * push[n][axis];
                first[n][axis] += 0.1 * (g - first[n][axis]);
                second[n][axis] += 0.01 * (g * g - second[n][axis]);
                let by = first[n][axis] / bias.0 / ((second[n][axis] / bias.1).sqrt() + 1e-12);
                let extent = system.side as f64;
                let half = system.charge[body].0[axis].min(extent / 2.0);
                let to = system.at[body][axis] - rate * by;
                system.at[body][axis] = to.clamp(half, extent - half);
            }
        }
    }
    let (bw, bh) = system.bin();
    let moves: Vec<Move> = system
        .free
        .iter()
        .map(|&body| Move {
            body: body as u32,
            x: system.at[body][0] * bw,
            y: system.at[body][1] * bh,
            orient: engine.at(body).2,
        })
        .collect();
    engine.apply(&moves)?;
    engine.keep();
    Ok(out)
}

impl System {
    fn new(engine: &Engine, seed: u64) -> Self {
        let model = Arc::clone(engine.model());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let bins = side((0..model.bodies()).filter(|b| !engine.is_fixed(*b)).count());
        let side = bins as f64;
        let (bw, bh) = (model.settings.width / side, model.settings.height / side);
        let free: Vec<usize> = (0..model.bodies())
            .filter(|b| model.kind[*b] != Kind::Port && !engine.is_fixed(*b))
            .collect();
        let mut at: Vec<[f64; 2]> = (0..model.bodies())
            .map(|body| {
                let (x, y, _) = engine.at(body);
                [x / bw, y / bh]
            })
            .collect();
        for &body in &free {
            let mut near = || side / 2.0 + rng.random_range(-1.0..1.0);
            at[body] = [near(), near()];
        }
        let offset = (0..model.sites())
            .map(|site| {
                let orient = engine.at(model.site_body[site] as usize).2;
                let (dx, dy) = orient.turn(model.dx[site], model.dy[site]);
                [dx / bw, dy / bh]
            })
            .collect();
        // Small charges are widened to √2 bins with the same total, so that the field is smooth.
        let charge = (0..model.bodies())
            .map(|body| {
                let (w, h) = (model.width[body] / bw, model.height[body] / bh);
                let (wide, high) = (w.max(2f64.sqrt()), h.max(2f64.sqrt()));
                ([wide / 2.0, high / 2.0], w * h / (wide * high))
            })
            .collect();
        let mut system = System {
            model,
            side: bins,
            free,
            at,
            offset,
            charge,
            still: vec![0.0; bins * bins],
            field: Field::new(bins),
        };
        let mut still = vec![0.0; bins * bins];
        for body in 0..system.at.len() {
            if system.model.kind[body] != Kind::Port && engine.is_fixed(body) {
                system.cover(body, |bin, share| still[bin] += share);
            }
        }
        system.still = still;
        system
    }

    fn bin(&self) -> (f64, f64) {
        let s = &self.model.settings;
        (s.width / self.side as f64, s.height / self.side as f64)
    }

    /// Area in bins.
    fn area(&self, body: usize) -> f64 {
        let (bw, bh) = self.bin();
        self.model.width[body] * self.model.height[body] / (bw * bh)
    }

    /// Calls `add(bin, charge in it)` for each bin that a body covers.
    fn cover(&self, body: usize, mut add: impl FnMut(usize, f64)) {
        let ([hx, hy], share) = self.charge[body];
        let [x, y] = self.at[body];
        let range = |c: f64, h: f64| {
            let low = (c - h).floor().max(0.0) as usize;
            (low, ((c + h).ceil().max(0.0) as usize).min(self.side))
        };
        let ((x0, x1), (y0, y1)) = (range(x, hx), range(y, hy));
        let meet = |i: usize, c: f64, h: f64| (c + h).min(i as f64 + 1.0) - (c - h).max(i as f64);
        for j in y0..y1 {
            let high = meet(j, y, hy).max(0.0) * share;
            for i in x0..x1 {
                add(j * self.side + i, meet(i, x, hx).max(0.0) * high);
            }
        }
    }

    fn density(&self) -> Vec<f64> {
        let mut out = self.still.clone();
        for &body in &self.free {
            self.cover(body, |bin, share| out[bin] += share);
        }
        out
    }

    /// What the field does to each free body.
    fn push(&self) -> Vec<[f64; 2]> {
        self.free
            .iter()
            .map(|&body| {
                let mut sum = [0.0; 2];
                self.cover(body, |bin, share| {
                    sum[0] += share * self.field.x[bin];
                    sum[1] += share * self.field.y[bin];
                });
                sum
            })
            .collect()
    }

    /// Gradient of the smoothed wirelength by each free body.
    fn wire(&self, gamma: f64) -> Vec<[f64; 2]> {
        let mut by_body = vec![[0.0; 2]; self.at.len()];
        let mut ends: Vec<(usize, f64)> = Vec::new();
        for net in 0..self.model.nets() {
            let weight = self.model.net_weight[net];
            for axis in [0, 1] {
                ends.clear();
                for &site in self.model.sites_of(net) {
                    let body = self.model.site_body[site as usize] as usize;
                    ends.push((body, self.at[body][axis] + self.offset[site as usize][axis]));
                }
                let low = ends.iter().map(|e| e.1).fold(f64::INFINITY, f64::min);
                let high = ends.iter().map(|e| e.1).fold(f64::NEG_INFINITY, f64::max);
                let (mut sp, mut xp, mut sn, mut xn) = (0.0, 0.0, 0.0, 0.0);
                for &(_, x) in &ends {
                    let (p, n) = (((x - high) / gamma).exp(), ((low - x) / gamma).exp());
                    (sp, xp, sn, xn) = (sp + p, xp + x * p, sn + n, xn + x * n);
                }
                for &(body, x) in &ends {
                    let (p, n) = (((x - high) / gamma).exp(), ((low - x) / gamma).exp());
                    let up = p * (1.0 + (x - xp / sp) / gamma) / sp;
                    let down = n * (1.0 - (x - xn / sn) / gamma) / sn;
                    by_body[body][axis] += weight * (up - down);
                }
            }
        }
        self.free.iter().map(|&body| by_body[body]).collect()
    }
}
