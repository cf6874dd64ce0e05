//! All nodes and fillers of a run in flat arrays, and the preconditioned gradient of
//! wire length + λ · density energy.

use std::ops::Range;

use rayon::prelude::*;

use crate::free::{free_area, parts};
use crate::global::grid::Charges;
use crate::global::quadratic::Axis;
use crate::global::system::{Frame, Plan, System};
use crate::global::wirelength::Wirelength;
use crate::par;
use crate::problem::{NONE, Problem};
use crate::rng::Rng;

/// Nets with more pins pull nothing in global placement.
const DEGREE: usize = 100;

/// Slots 0..`movable` are nodes grouped by system, the rest fillers grouped likewise.
#[derive(Debug)]
pub(crate) struct Engine<'a> {
    pub(crate) frame: Frame,
    pub(crate) wire: Wirelength<'a>,
    pub(crate) systems: Vec<System>,
    node_slots: Vec<Range<usize>>,
    filler_slots: Vec<Range<usize>>,
    pub(crate) movable: usize,
    /// Node of each movable slot.
    pub(crate) node_at: Vec<u32>,
    slot: Vec<u32>,
    offset: [Vec<f32>; 2],
    /// True sizes.
    w: Vec<f32>,
    h: Vec<f32>,
    /// Sizes smoothed to at least √2 bins, with the density that keeps the charge.
    smooth_w: Vec<f32>,
    smooth_h: Vec<f32>,
    smooth_scale: Vec<f32>,
    true_scale: Vec<f32>,
    /// Net weight on each slot, for the preconditioner.
    pull: Vec<f32>,
    /// Charge of each slot.
    charge: Vec<f32>,
    /// Raw gradients.
    wire_gradient: [Vec<f32>; 2],
    density_gradient: [Vec<f32>; 2],
}

/// What an evaluation found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluation {
    /// Half-perimeter length in the frame, unweighted.
    pub(crate) length: f64,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(problem: &'a Problem, wish: f64) -> (Self, Vec<Plan>) {
        let plans: Vec<Plan> = parts(problem)
            .into_iter()
            .map(|fence| Plan::new(problem, free_area(problem, fence, &problem.blocks), wish))
            .collect();
        // The unit is the bin edge of the largest system.
        let largest = plans.iter().max_by_key(|plan| plan.nodes.len());
        let unit = largest.map_or(1.0, |plan| {
            let (nx, ny) = plan.bins;
            let area =
                plan.rect.width() as f64 / nx as f64 * (plan.rect.height() as f64 / ny as f64);
            area.sqrt().max(1e-3)
        });
        let origin = [f64::from(problem.core.lo.x), f64::from(problem.core.lo.y)];
        let frame = Frame { origin, unit };
        let n = &problem.nodes;
        let (mut node_at, mut slot) = (Vec::new(), vec![NONE; n.len()]);
        let (mut node_slots, mut filler_slots) = (Vec::new(), Vec::new());
        let mut systems = Vec::new();
        for plan in &plans {
            let first = node_at.len();
            for &node in &plan.nodes {
                slot[node as usize] = node_at.len() as u32;
                node_at.push(node);
            }
            node_slots.push(first..node_at.len());
            systems.push(System::new(problem, plan, frame));
        }
        let movable = node_at.len();
        let mut total = movable;
        for plan in &plans {
            filler_slots.push(total..total + plan.fillers.count);
            total += plan.fillers.count;
        }
        let offset = pin_offsets(problem, frame);
        let wire = Wirelength::new(&problem.nets, offset.clone(), &slot, DEGREE);
        let zeros = || vec![0.0_f32; total];
        let mut engine = Engine {
            frame,
            wire,
            systems,
            node_slots,
            filler_slots,
            movable,
            node_at,
            slot,
            offset,
            w: zeros(),
            h: zeros(),
            smooth_w: zeros(),
            smooth_h: zeros(),
            smooth_scale: zeros(),
            true_scale: zeros(),
            pull: zeros(),
            charge: zeros(),
            wire_gradient: [vec![0.0; movable], vec![0.0; movable]],
            density_gradient: [zeros(), zeros()],
        };
        for (index, plan) in plans.iter().enumerate() {
            for i in engine.node_slots[index].clone() {
                let node = engine.node_at[i] as usize;
                let [left, bottom, right, top] = n.halo[node];
                let w = f64::from(n.w[node]) + f64::from(n.pad[node]) + f64::from(left + right);
                let h = f64::from(n.h[node]) + f64::from(bottom + top);
                let dense = if n.is_macro[node] { plan.target } else { 1.0 };
                let scale = dense * f64::from(n.inflation[node]);
                engine.size(index, i, w / unit, h / unit, scale);
                engine.pull[i] = engine.wire.pull(node);
                engine.systems[index].movable += f64::from(engine.charge[i]);
            }
            for i in engine.filler_slots[index].clone() {
                engine.size(index, i, plan.fillers.w / unit, plan.fillers.h / unit, 1.0);
            }
        }
        (engine, plans)
    }

    fn size(&mut self, system: usize, i: usize, w: f64, h: f64, scale: f64) {
        let bin = self.systems[system].grid.bin;
        let least = |bin: f32| f64::from(bin) * std::f64::consts::SQRT_2;
        let (sw, sh) = (w.max(least(bin[0])), h.max(least(bin[1])));
        self.w[i] = w as f32;
        self.h[i] = h as f32;
        self.smooth_w[i] = sw as f32;
        self.smooth_h[i] = sh as f32;
        self.smooth_scale[i] = (scale * w * h / (sw * sh)) as f32;
        self.true_scale[i] = scale as f32;
        self.charge[i] = (scale * w * h) as f32;
    }

    /// Takes new net weights, by number of the problem's nets.
    pub(crate) fn reweigh(&mut self, weights: &[f32]) {
        self.wire.reweigh(weights);
        for i in 0..self.movable {
            self.pull[i] = self.wire.pull(self.node_at[i] as usize);
        }
    }

    /// Bins along a side of the largest system.
    pub(crate) fn bins_per_side(&self) -> f64 {
        let most = self.systems.iter().map(|system| system.grid.len()).max().unwrap_or(0);
        (most as f64).sqrt()
    }

    /// How many slots there are.
    pub(crate) fn len(&self) -> usize {
        self.w.len()
    }

    /// Work units of one evaluation: pins, bins and slots touched.
    pub(crate) fn work(&self) -> u64 {
        let bins: usize = self.systems.iter().map(|system| system.grid.len()).sum();
        (self.wire.pins() + bins + self.len()) as u64
    }

    /// Start positions: quadratic placement of the nodes, fillers at random.
    pub(crate) fn start(&self, problem: &Problem, seed: u64) -> (Vec<f32>, Vec<f32>) {
        let mut rng = Rng::new(seed ^ 0x5eed);
        let core = problem.core;
        let middle = [core.width() as f64 / 2.0, core.height() as f64 / 2.0];
        let mut at = [Vec::new(), Vec::new()];
        for (axis, at) in at.iter_mut().enumerate() {
            let mut x = vec![middle[axis] / self.frame.unit; self.movable];
            let solver = Axis {
                nets: &problem.nets,
                slot: &self.slot,
                offset: &self.offset[axis],
                slots: self.movable,
                middle: middle[axis] / self.frame.unit,
                least: 1.0,
            };
            solver.solve(&mut x, 8);
            // Cells that nothing tells apart must not sit on one spot: the field there is zero.
            *at = x.iter().map(|x| (x + 0.5 * (rng.unit() - 0.5)) as f32).collect::<Vec<f32>>();
        }
        let [mut x, mut y] = at;
        for (system, slots) in self.systems.iter().zip(&self.filler_slots) {
            for _ in slots.clone() {
                let (fx, fy) = system.scatter_filler(&mut rng);
                x.push(fx);
                y.push(fy);
            }
        }
        self.project(&mut x, &mut y);
        (x, y)
    }

    /// Moves every slot to the nearest place inside its system.
    pub(crate) fn project(&self, x: &mut [f32], y: &mut [f32]) {
        let each = |system: &System, slots: &Range<usize>, x: &mut [f32], y: &mut [f32]| {
            let sizes = self.w[slots.clone()].par_chunks(par::CHUNK);
            let sizes = sizes.zip(self.h[slots.clone()].par_chunks(par::CHUNK));
            x[slots.clone()]
                .par_chunks_mut(par::CHUNK)
                .zip(y[slots.clone()].par_chunks_mut(par::CHUNK))
                .zip(sizes)
                .for_each(|((x, y), (w, h))| {
                    for i in 0..x.len() {
                        (x[i], y[i]) = system.project(x[i], y[i], w[i], h[i]);
                    }
                });
        };
        for (index, system) in self.systems.iter().enumerate() {
            each(system, &self.node_slots[index], x, y);
            each(system, &self.filler_slots[index], x, y);
        }
    }

    fn smooth<'b>(&'b self, slots: &Range<usize>, x: &'b [f32], y: &'b [f32]) -> Charges<'b> {
        Charges {
            x: &x[slots.clone()],
            y: &y[slots.clone()],
            w: &self.smooth_w[slots.clone()],
            h: &self.smooth_h[slots.clone()],
            scale: &self.smooth_scale[slots.clone()],
        }
    }

    /// Overflow over all systems at these positions.
    pub(crate) fn overflow(&mut self, x: &[f32], y: &[f32]) -> f64 {
        let mut systems = std::mem::take(&mut self.systems);
        let (mut over, mut area) = (0.0, 0.0);
        for (index, system) in systems.iter_mut().enumerate() {
            let slots = self.node_slots[index].clone();
            let charges = Charges {
                x: &x[slots.clone()],
                y: &y[slots.clone()],
                w: &self.w[slots.clone()],
                h: &self.h[slots.clone()],
                scale: &self.true_scale[slots],
            };
            over += system.overflow(charges) * system.movable;
            area += system.movable;
        }
        self.systems = systems;
        if area > 0.0 { over / area } else { 0.0 }
    }

    /// Wire and density gradients at these positions, not yet joined.
    pub(crate) fn evaluate(&mut self, x: &[f32], y: &[f32], gamma: f64) -> Evaluation {
        let mut length = 0.0;
        for (axis, at) in [x, y].into_iter().enumerate() {
            length += self.wire.evaluate(axis, &at[..self.movable], (1.0 / gamma) as f32);
            self.wire.gather(axis, &self.node_at, &mut self.wire_gradient[axis]);
        }
        let mut systems = std::mem::take(&mut self.systems);
        let [mut gx, mut gy] = std::mem::take(&mut self.density_gradient);
        for (index, system) in systems.iter_mut().enumerate() {
            let (nodes, fillers) = (&self.node_slots[index], &self.filler_slots[index]);
            system.solve(self.smooth(nodes, x, y), self.smooth(fillers, x, y));
            for slots in [nodes, fillers] {
                let charges = self.smooth(slots, x, y);
                system.gradient(charges, &mut gx[slots.clone()], &mut gy[slots.clone()]);
            }
        }
        self.density_gradient = [gx, gy];
        self.systems = systems;
        Evaluation { length }
    }

    /// Sets each system's λ so that density pulls `part` as hard as wire does, after
    /// [`Engine::evaluate`].
    pub(crate) fn weigh(&mut self, part: f64) {
        for index in 0..self.systems.len() {
            let slots = self.node_slots[index].clone();
            let total = |gradient: &[Vec<f32>; 2]| {
                par::sum(slots.len(), |range| {
                    let range = slots.start + range.start..slots.start + range.end;
                    let both = gradient[0][range.clone()].iter().zip(&gradient[1][range]);
                    both.map(|(x, y)| f64::from(x.abs() + y.abs())).sum()
                })
            };
            let (wire, density) = (total(&self.wire_gradient), total(&self.density_gradient));
            let ratio = if wire > 0.0 && density > 0.0 { wire / density } else { 1.0 };
            self.systems[index].lambda = part * ratio;
        }
    }

    /// The preconditioned gradient into `gx`, `gy`, after [`Engine::evaluate`].
    pub(crate) fn join(&self, gx: &mut [f32], gy: &mut [f32]) {
        for (index, system) in self.systems.iter().enumerate() {
            let lambda = system.lambda as f32;
            for slots in [&self.node_slots[index], &self.filler_slots[index]] {
                let wired = slots.end <= self.movable;
                let first = slots.start;
                gx[slots.clone()]
                    .par_chunks_mut(par::CHUNK)
                    .zip(gy[slots.clone()].par_chunks_mut(par::CHUNK))
                    .enumerate()
                    .for_each(|(chunk, (gx, gy))| {
                        let base = first + chunk * par::CHUNK;
                        for k in 0..gx.len() {
                            let i = base + k;
                            let scale = 1.0 / (self.pull[i] + lambda * self.charge[i]).max(1.0);
                            let (wx, wy) = if wired {
                                (self.wire_gradient[0][i], self.wire_gradient[1][i])
                            } else {
                                (0.0, 0.0)
                            };
                            gx[k] = scale * (wx + lambda * self.density_gradient[0][i]);
                            gy[k] = scale * (wy + lambda * self.density_gradient[1][i]);
                        }
                    });
            }
        }
    }
}

/// Pin offsets from node centres, or locations, in the frame. Cells that the rows will flip are
/// taken as they stand now.
fn pin_offsets(problem: &Problem, frame: Frame) -> [Vec<f32>; 2] {
    let mut offset = [Vec::new(), Vec::new()];
    for pin in 0..problem.nets.node.len() {
        let (x, y) = match problem.nets.node[pin] {
            NONE => {
                let at = problem.nets.at[pin];
                (frame.to(0, f64::from(at.x)), frame.to(1, f64::from(at.y)))
            }
            node => {
                let node = node as usize;
                let n = &problem.nodes;
                let at = problem.pin_at(pin, Default::default(), n.orient[node]);
                let [left, bottom, right, top] = n.halo[node];
                let w = f64::from(n.w[node]) + f64::from(n.pad[node]) + f64::from(right - left);
                let h = f64::from(n.h[node]) + f64::from(top - bottom);
                ((f64::from(at.x) - w / 2.0) / frame.unit, (f64::from(at.y) - h / 2.0) / frame.unit)
            }
        };
        offset[0].push(x as f32);
        offset[1].push(y as f32);
    }
    offset
}
