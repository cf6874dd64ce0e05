//! Weighted-average wire length and its exact gradient.
//!
//! For a net with pin coordinates x, W = Σx·e^(x/γ)/Σe^(x/γ) − Σx·e^(−x/γ)/Σe^(−x/γ), per axis
//! (Hsu, Chang, Balabanov, "TSV-aware analytical placement for 3D IC designs", DAC 2011). Maximum
//! and minimum are taken out of the exponents, so nothing overflows. Gradients are written per pin
//! and gathered per node, so that no sum depends on threads.

use std::ops::Range;

use rayon::prelude::*;

use crate::global::exp::exp;
use crate::par;
use crate::problem::{NONE, Nets};

/// Nets per piece of parallel work.
const NETS: usize = 1024;

/// Nets in the units of global placement, with scratch space.
#[derive(Debug)]
pub struct Wirelength<'a> {
    nets: &'a Nets,
    /// Pin offset from the centre of its node, or the location of a pin that stands still.
    offset: [Vec<f32>; 2],
    /// Weight per net, 0 for nets that are left out of the gradient.
    weight: Vec<f32>,
    degree: usize,
    node_of: Vec<u32>,
    net_bounds: Vec<usize>,
    pin_bounds: Vec<usize>,
    gradient: [Vec<f32>; 2],
}

/// One axis of a piece of nets.
struct Piece<'a> {
    nets: Range<usize>,
    gradient: &'a mut [f32],
}

impl<'a> Wirelength<'a> {
    /// Prepares nets for coordinates in units of `1 / scale` DBU from `origin`.
    ///
    /// `slot` maps a node to its place in the coordinate arrays; `offset` gives per pin the offset
    /// from the node's centre (or the location) in those units. Nets with more than `degree` pins
    /// pull nothing, but count in the returned length.
    pub fn new(nets: &'a Nets, offset: [Vec<f32>; 2], slot: &[u32], degree: usize) -> Self {
        let node_of = nets.node.iter();
        let node_of = node_of.map(|node| if *node == NONE { NONE } else { slot[*node as usize] });
        let pieces = nets.len().div_ceil(NETS);
        let net_bounds: Vec<usize> = (0..=pieces).map(|p| (p * NETS).min(nets.len())).collect();
        let pin_bounds = net_bounds.iter().map(|net| nets.start[*net] as usize).collect();
        let weight = (0..nets.len())
            .map(|net| if nets.pins(net).len() > degree { 0.0 } else { nets.weight[net] });
        Wirelength {
            offset,
            weight: weight.collect(),
            degree,
            node_of: node_of.collect(),
            net_bounds,
            pin_bounds,
            gradient: [vec![0.0; nets.node.len()], vec![0.0; nets.node.len()]],
            nets,
        }
    }

    /// How many pins are touched by one evaluation.
    pub fn pins(&self) -> usize {
        self.node_of.len()
    }

    /// Takes new weights; nets that pull nothing stay so.
    pub fn reweigh(&mut self, weights: &[f32]) {
        for (net, (weight, new)) in self.weight.iter_mut().zip(weights).enumerate() {
            if self.nets.pins(net).len() <= self.degree {
                *weight = *new;
            }
        }
    }

    /// Sum of the weights of the nets on each node.
    pub fn pull(&self, node: usize) -> f32 {
        let pins = self.nets.of_node(node).iter();
        pins.map(|pin| self.weight[self.nets.net_of[*pin as usize] as usize]).sum()
    }

    /// Fills the pin gradients of one axis (0 is x) at positions `x` of node centres and returns
    /// the half-perimeter length along it, unweighted. `inv_gamma` is 1/γ.
    pub fn evaluate(&mut self, axis: usize, x: &[f32], inv_gamma: f32) -> f64 {
        let (nets, offset) = (self.nets, &self.offset[axis]);
        let (weight, node_of) = (&self.weight, &self.node_of);
        let parts = par::split(&mut self.gradient[axis], &self.pin_bounds);
        let pieces: Vec<Piece<'_>> = parts
            .into_iter()
            .zip(self.net_bounds.windows(2))
            .map(|(gradient, bounds)| Piece { nets: bounds[0]..bounds[1], gradient })
            .collect();
        let lengths: Vec<f64> = pieces
            .into_par_iter()
            .map(|piece| {
                let first = nets.start[piece.nets.start] as usize;
                let pins = first..first + piece.gradient.len();
                let place = |pin: usize| match node_of[pin] {
                    NONE => offset[pin],
                    node => x[node as usize] + offset[pin],
                };
                // `up` and `down` hold positions below the maximum and above the minimum, both ≤ 0.
                let mut up: Vec<f32> = pins.clone().map(place).collect();
                let mut down = vec![0.0_f32; up.len()];
                let mut length = 0.0_f64;
                for net in piece.nets.clone() {
                    let range =
                        nets.start[net] as usize - first..nets.start[net + 1] as usize - first;
                    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
                    for &value in &up[range.clone()] {
                        low = low.min(value);
                        high = high.max(value);
                    }
                    length += f64::from(high - low);
                    for (up, down) in up[range.clone()].iter_mut().zip(&mut down[range]) {
                        *down = low - *up;
                        *up -= high;
                    }
                }
                let exp_up: Vec<f32> = up.iter().map(|t| exp(t * inv_gamma)).collect();
                let exp_down: Vec<f32> = down.iter().map(|t| exp(t * inv_gamma)).collect();
                for net in piece.nets.clone() {
                    let range =
                        nets.start[net] as usize - first..nets.start[net + 1] as usize - first;
                    let w = weight[net];
                    let gradient = &mut piece.gradient[range.clone()];
                    if w == 0.0 {
                        gradient.fill(0.0);
                        continue;
                    }
                    let (mut sum_up, mut sum_down) = (0.0_f32, 0.0_f32);
                    let (mut mean_up, mut mean_down) = (0.0_f32, 0.0_f32);
                    for i in range.clone() {
                        sum_up += exp_up[i];
                        mean_up += up[i] * exp_up[i];
                        sum_down += exp_down[i];
                        mean_down += down[i] * exp_down[i];
                    }
                    let (inv_up, inv_down) = (1.0 / sum_up, 1.0 / sum_down);
                    let (mean_up, mean_down) = (mean_up * inv_up, mean_down * inv_down);
                    for (gradient, i) in gradient.iter_mut().zip(range) {
                        let rise = exp_up[i] * inv_up * (1.0 + inv_gamma * (up[i] - mean_up));
                        let fall =
                            exp_down[i] * inv_down * (1.0 + inv_gamma * (down[i] - mean_down));
                        *gradient = w * (rise - fall);
                    }
                }
                length
            })
            .collect();
        lengths.iter().sum()
    }

    /// Sums the pin gradients of one axis into the node array `out`; `node_at` names the node of
    /// each slot.
    pub fn gather(&self, axis: usize, node_at: &[u32], out: &mut [f32]) {
        let gradient = &self.gradient[axis];
        out.par_chunks_mut(par::CHUNK).zip(node_at.par_chunks(par::CHUNK)).for_each(
            |(out, nodes)| {
                for (out, node) in out.iter_mut().zip(nodes) {
                    let pins = self.nets.of_node(*node as usize);
                    *out = pins.iter().map(|pin| gradient[*pin as usize]).sum();
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cellwright_db::Point;

    /// The formula as it stands, in double precision.
    fn plain(points: &[f64], gamma: f64) -> f64 {
        let average = |sign: f64| {
            let top = points.iter().map(|x| sign * x).fold(f64::NEG_INFINITY, f64::max);
            let e = |x: &f64| ((sign * x - top) / gamma).exp();
            points.iter().map(|x| x * e(x)).sum::<f64>() / points.iter().map(e).sum::<f64>()
        };
        average(1.0) - average(-1.0)
    }

    fn nets(groups: &[Vec<u32>], nodes: usize) -> Nets {
        let mut nets = Nets { start: vec![0], ..Nets::default() };
        let mut of_node = vec![Vec::new(); nodes];
        for (n, group) in groups.iter().enumerate() {
            for node in group {
                of_node[*node as usize].push(nets.node.len() as u32);
                nets.node.push(*node);
                nets.at.push(Point::default());
                nets.net_of.push(n as u32);
            }
            nets.start.push(nets.node.len() as u32);
            nets.id.push(cellwright_db::NetId::new(n));
            nets.weight.push(1.0 + n as f32);
        }
        nets.node_start.push(0);
        for pins in of_node {
            nets.node_pins.extend(pins);
            nets.node_start.push(nets.node_pins.len() as u32);
        }
        nets
    }

    #[test]
    fn the_gradient_is_the_difference_quotient() {
        let groups = vec![vec![0, 1], vec![1, 2, 3], vec![0, 3, 4, 5, 2], vec![5, 5, 1]];
        let nets = nets(&groups, 6);
        let offset: Vec<f32> = (0..nets.node.len()).map(|pin| 0.1 * pin as f32).collect();
        let at: Vec<f32> = vec![0.0, 5.5, 2.25, 8.0, -3.0, 1.0];
        let slots: Vec<u32> = (0..6).collect();
        let total = |at: &[f64], gamma: f64| -> f64 {
            let mut pin = 0;
            let mut total = 0.0;
            for (n, group) in groups.iter().enumerate() {
                let points: Vec<f64> = group
                    .iter()
                    .map(|node| {
                        pin += 1;
                        at[*node as usize] + 0.1 * (pin - 1) as f64
                    })
                    .collect();
                total += (1.0 + n as f64) * plain(&points, gamma);
            }
            total
        };
        for gamma in [0.3_f64, 1.0, 10.0] {
            let mut kernel = Wirelength::new(&nets, [offset.clone(), offset.clone()], &slots, 100);
            let length = kernel.evaluate(0, &at, (1.0 / gamma) as f32);
            assert!(length > 0.0);
            let mut out = vec![0.0; 6];
            kernel.gather(0, &slots, &mut out);
            let at: Vec<f64> = at.iter().map(|x| f64::from(*x)).collect();
            for node in 0..6 {
                let step = 1e-5;
                let (mut a, mut b) = (at.clone(), at.clone());
                a[node] -= step;
                b[node] += step;
                let want = (total(&b, gamma) - total(&a, gamma)) / (2.0 * step);
                let got = f64::from(out[node]);
                assert!(
                    (got - want).abs() < 1e-3 * (1.0 + want.abs()),
                    "γ {gamma}, node {node}: {got} {want}"
                );
            }
        }
    }
}
