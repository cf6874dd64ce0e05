//! A start without density: quadratic wire length in the bound-to-bound net model (Spindler,
//! Schlichtmann, Johannes, "Kraftwerk2", TCAD 2008), whose minimum is that of half-perimeter length
//! once the weights have settled. Solved by conjugate gradients with the diagonal as preconditioner.

use rayon::prelude::*;

use crate::par;
use crate::problem::{NONE, Nets};

/// Nets with more pins pull nothing here.
const DEGREE: usize = 200;

/// One axis of the problem: movable slots and the pins that pull them.
pub(crate) struct Axis<'a> {
    pub(crate) nets: &'a Nets,
    /// Slot of each node.
    pub(crate) slot: &'a [u32],
    /// Offset from the node's centre, or location, per pin.
    pub(crate) offset: &'a [f32],
    pub(crate) slots: usize,
    /// Middle of the core: a weak pull that makes the matrix regular.
    pub(crate) middle: f64,
    /// Distances below this count as this.
    pub(crate) least: f64,
}

/// Sparse rows of the system A x = b.
struct System {
    start: Vec<u32>,
    column: Vec<u32>,
    weight: Vec<f64>,
    diagonal: Vec<f64>,
    rhs: Vec<f64>,
}

impl Axis<'_> {
    /// Improves `x` (slot centres) over `rounds` of the net model.
    pub(crate) fn solve(&self, x: &mut [f64], rounds: usize) {
        for _ in 0..rounds {
            let system = self.system(x);
            conjugate_gradients(&system, x, 1e-5, 100);
        }
    }

    fn each_edge(&self, x: &[f64], mut visit: impl FnMut(usize, usize, f64)) {
        let place = |pin: usize| match self.nets.node[pin] {
            NONE => f64::from(self.offset[pin]),
            node => x[self.slot[node as usize] as usize] + f64::from(self.offset[pin]),
        };
        for net in 0..self.nets.len() {
            let pins = self.nets.pins(net);
            let degree = pins.len();
            if degree > DEGREE {
                continue;
            }
            let (mut low, mut high) = (pins.start, pins.end - 1);
            for pin in pins.clone() {
                let at = place(pin);
                if at < place(low) {
                    low = pin;
                }
                if at > place(high) {
                    high = pin;
                }
            }
            if low == high {
                high = if low == pins.start { pins.end - 1 } else { pins.start };
            }
            let factor = f64::from(self.nets.weight[net]) / (degree as f64 - 1.0);
            let edge = |a: usize, b: usize| factor / (place(a) - place(b)).abs().max(self.least);
            visit(low, high, edge(low, high));
            for pin in pins.filter(|pin| *pin != low && *pin != high) {
                visit(pin, low, edge(pin, low));
                visit(pin, high, edge(pin, high));
            }
        }
    }

    fn system(&self, x: &[f64]) -> System {
        let slot = |pin: usize| match self.nets.node[pin] {
            NONE => NONE,
            node => self.slot[node as usize],
        };
        let mut start = vec![0_u32; self.slots + 1];
        self.each_edge(x, |a, b, _| {
            let (a, b) = (slot(a), slot(b));
            if a != NONE && b != NONE && a != b {
                start[a as usize + 1] += 1;
                start[b as usize + 1] += 1;
            }
        });
        for i in 0..self.slots {
            start[i + 1] += start[i];
        }
        let edges = start[self.slots] as usize;
        let mut system = System {
            column: vec![0; edges],
            weight: vec![0.0; edges],
            diagonal: vec![1e-6; self.slots],
            rhs: vec![1e-6 * self.middle; self.slots],
            start,
        };
        let mut next = system.start.clone();
        self.each_edge(x, |p, q, w| {
            let (a, b) = (slot(p), slot(q));
            let shift = f64::from(self.offset[q]) - f64::from(self.offset[p]);
            let mut half = |mine: u32, other: u32, shift: f64| {
                if mine == NONE || mine == other {
                    return;
                }
                let i = mine as usize;
                system.diagonal[i] += w;
                system.rhs[i] += w * shift;
                if other != NONE {
                    let at = next[i] as usize;
                    system.column[at] = other;
                    system.weight[at] = w;
                    next[i] += 1;
                }
            };
            half(a, b, shift);
            half(b, a, -shift);
        });
        system
    }
}

impl System {
    fn multiply(&self, x: &[f64], out: &mut [f64]) {
        out.par_chunks_mut(par::CHUNK).enumerate().for_each(|(chunk, out)| {
            for (k, out) in out.iter_mut().enumerate() {
                let i = chunk * par::CHUNK + k;
                let range = self.start[i] as usize..self.start[i + 1] as usize;
                let mut sum = self.diagonal[i] * x[i];
                for (column, weight) in self.column[range.clone()].iter().zip(&self.weight[range]) {
                    sum -= weight * x[*column as usize];
                }
                *out = sum;
            }
        });
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    par::sum(a.len(), |range| a[range.clone()].iter().zip(&b[range]).map(|(a, b)| a * b).sum())
}

fn conjugate_gradients(system: &System, x: &mut [f64], tolerance: f64, most: usize) {
    let n = x.len();
    let mut product = vec![0.0; n];
    system.multiply(x, &mut product);
    let mut r: Vec<f64> = system.rhs.iter().zip(&product).map(|(b, p)| b - p).collect();
    let scaled =
        |r: &[f64]| -> Vec<f64> { r.iter().zip(&system.diagonal).map(|(r, d)| r / d).collect() };
    let mut z = scaled(&r);
    let mut p = z.clone();
    let mut rz = dot(&r, &z);
    let goal = tolerance * tolerance * dot(&system.rhs, &scaled(&system.rhs)).abs();
    for _ in 0..most {
        if !rz.is_finite() || rz <= goal {
            break;
        }
        system.multiply(&p, &mut product);
        let curvature = dot(&p, &product);
        if curvature <= 0.0 || !curvature.is_finite() {
            break;
        }
        let step = rz / curvature;
        for i in 0..n {
            x[i] += step * p[i];
            r[i] -= step * product[i];
        }
        z = scaled(&r);
        let next = dot(&r, &z);
        let beta = next / rz;
        rz = next;
        for (p, z) in p.iter_mut().zip(&z) {
            *p = z + beta * *p;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cellwright_db::{NetId, Point};

    #[test]
    fn a_chain_between_two_anchors_stretches_evenly() {
        // anchor 0 - a - b - c - anchor 8
        let pins =
            [(NONE, 0.0), (0, 0.0), (0, 0.0), (1, 0.0), (1, 0.0), (2, 0.0), (2, 0.0), (NONE, 8.0)];
        let mut nets = Nets { start: vec![0], ..Nets::default() };
        for (i, (node, _)) in pins.iter().enumerate() {
            nets.node.push(*node);
            nets.at.push(Point::default());
            if i % 2 == 1 {
                nets.start.push(i as u32 + 1);
                nets.id.push(NetId::new(i / 2));
                nets.weight.push(1.0);
            }
        }
        let offset: Vec<f32> = pins.iter().map(|pin| pin.1).collect();
        let slot = [0, 1, 2];
        let axis =
            Axis { nets: &nets, slot: &slot, offset: &offset, slots: 3, middle: 4.0, least: 100.0 };
        let mut x = vec![4.0; 3];
        axis.solve(&mut x, 3);
        for (x, want) in x.iter().zip([2.0, 4.0, 6.0]) {
            assert!((x - want).abs() < 1e-3, "{x} {want}");
        }
    }
}
