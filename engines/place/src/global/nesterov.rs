//! Nesterov's method with predicted step lengths (Lu et al., ePlace): the inverse of the local
//! Lipschitz constant |Δgradient| / |Δposition|, taken back while it proves too long.

use rayon::prelude::*;

use crate::global::engine::{Engine, Evaluation};
use crate::par;

/// Positions or gradients along both axes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pair {
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
}

impl Pair {
    fn zeros(n: usize) -> Pair {
        Pair { x: vec![0.0; n], y: vec![0.0; n] }
    }
}

/// The state of the method.
#[derive(Debug)]
pub(crate) struct Nesterov {
    /// Look-ahead point, where gradients are taken.
    pub(crate) v: Pair,
    u: Pair,
    g: Pair,
    next_u: Pair,
    next_v: Pair,
    next_g: Pair,
    momentum: f64,
    step: f64,
    /// Evaluation at `v`.
    pub(crate) at: Evaluation,
}

/// The method met a value that is no number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotFinite;

fn distance(a: &Pair, b: &Pair) -> f64 {
    let square = par::sum(a.x.len(), |range| {
        let mut sum = 0.0;
        for i in range {
            let (dx, dy) = (a.x[i] - b.x[i], a.y[i] - b.y[i]);
            sum += f64::from(dx * dx + dy * dy);
        }
        sum
    });
    square.sqrt()
}

/// out = a + t · b, element by element.
fn along(a: &Pair, t: f32, b: &Pair, out: &mut Pair) {
    let one = |a: &[f32], b: &[f32], out: &mut [f32]| {
        out.par_chunks_mut(par::CHUNK)
            .zip(a.par_chunks(par::CHUNK))
            .zip(b.par_chunks(par::CHUNK))
            .for_each(|((out, a), b)| {
                for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
                    *out = a + t * b;
                }
            });
    };
    one(&a.x, &b.x, &mut out.x);
    one(&a.y, &b.y, &mut out.y);
}

impl Nesterov {
    /// Starts at `v`; λ must be set.
    pub(crate) fn new(engine: &mut Engine<'_>, v: Pair, gamma: f64) -> Nesterov {
        let n = v.x.len();
        let mut state = Nesterov {
            u: v.clone(),
            g: Pair::zeros(n),
            next_u: v.clone(),
            next_v: v.clone(),
            next_g: Pair::zeros(n),
            momentum: 1.0,
            step: 0.0,
            at: engine.evaluate(&v.x, &v.y, gamma),
            v,
        };
        engine.join(&mut state.g.x, &mut state.g.y);
        // A short step back along the gradient gives the first estimate of the Lipschitz constant.
        let largest = state.g.x.iter().chain(&state.g.y).fold(0.0_f32, |most, g| most.max(g.abs()));
        if largest > 0.0 {
            along(&state.v, -0.1 / largest, &state.g, &mut state.next_v);
            engine.project(&mut state.next_v.x, &mut state.next_v.y);
            engine.evaluate(&state.next_v.x, &state.next_v.y, gamma);
            engine.join(&mut state.next_g.x, &mut state.next_g.y);
            let (moved, turned) =
                (distance(&state.next_v, &state.v), distance(&state.next_g, &state.g));
            state.step = if turned > 0.0 { moved / turned } else { 0.0 };
        }
        state
    }

    /// One iteration; returns how many evaluations it took.
    pub(crate) fn iterate(
        &mut self,
        engine: &mut Engine<'_>,
        gamma: f64,
    ) -> Result<u32, NotFinite> {
        let momentum = (1.0 + (4.0 * self.momentum * self.momentum + 1.0).sqrt()) / 2.0;
        let carry = ((self.momentum - 1.0) / momentum) as f32;
        let mut tries = 0;
        loop {
            tries += 1;
            along(&self.v, -self.step as f32, &self.g, &mut self.next_u);
            engine.project(&mut self.next_u.x, &mut self.next_u.y);
            // v' = u' + c (u' − u)
            let look = |new: &[f32], old: &[f32], out: &mut [f32]| {
                for ((out, new), old) in out.iter_mut().zip(new).zip(old) {
                    *out = new + carry * (new - old);
                }
            };
            look(&self.next_u.x, &self.u.x, &mut self.next_v.x);
            look(&self.next_u.y, &self.u.y, &mut self.next_v.y);
            engine.project(&mut self.next_v.x, &mut self.next_v.y);
            let at = engine.evaluate(&self.next_v.x, &self.next_v.y, gamma);
            engine.join(&mut self.next_g.x, &mut self.next_g.y);
            let (moved, turned) =
                (distance(&self.next_v, &self.v), distance(&self.next_g, &self.g));
            if !moved.is_finite() || !turned.is_finite() || !at.length.is_finite() {
                return Err(NotFinite);
            }
            let step = if turned > 0.0 { moved / turned } else { self.step };
            let accepted = step >= 0.95 * self.step || tries >= 10;
            self.step = step;
            if accepted {
                self.at = at;
                break;
            }
        }
        std::mem::swap(&mut self.v, &mut self.next_v);
        std::mem::swap(&mut self.u, &mut self.next_u);
        std::mem::swap(&mut self.g, &mut self.next_g);
        self.momentum = momentum;
        Ok(tries)
    }
}
