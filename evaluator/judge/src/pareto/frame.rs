//! The measures of an archive: ideal, nadir, reference, and the scalar that regret is made of.
//!
//! - ideal: the best cost of each objective over the best front;
//! - nadir: the worst cost of each objective over the best front;
//! - scale: nadir − ideal; where that is 0, the worst of all candidates − ideal; where that is 0
//!   too, everything is equal in this objective and the scale is 1;
//! - reference: the scenario's, else nadir + a tenth of the scale.
//!
//! The scalar is the augmented weighted Chebyshev distance to the ideal (Steuer and Choo, *An
//! interactive weighted Tchebycheff procedure*, 1983): with `z = (cost − ideal) / scale` and weights
//! that add up to 1, `s = max(w z) + ρ Σ w z`, [`RHO`] = 1/1000. The maximum finds every point of a
//! front, also where it is not convex; the sum lets no dominated candidate tie with the one that
//! dominates it. Regret is `s − s(best)`.

use super::objective::Objective;

/// Weight ρ of the sum beside the maximum.
pub const RHO: f64 = 1e-3;

/// Where a candidate stands against the best one known.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Its scalar.
    pub scalar: f64,
    /// The best scalar.
    pub best_scalar: f64,
    /// The candidate that has it; of several, the one of the best front, then of the smallest id.
    pub best_id: String,
}

impl Standing {
    /// Scalarised distance to the best; 0 for the best.
    #[must_use]
    pub fn regret(&self) -> f64 {
        // Never negative: the best has the smallest scalar.
        (self.scalar - self.best_scalar).max(0.0)
    }
}

pub(super) struct Frame {
    ideal: Vec<f64>,
    scale: Vec<f64>,
    reference: Vec<f64>,
    weights: Vec<f64>,
}

impl Frame {
    /// The measures of an archive; none when it is empty.
    pub(super) fn of(objectives: &[Objective], front: &[&[f64]], all: &[&[f64]]) -> Option<Frame> {
        if front.is_empty() {
            return None;
        }
        let range = |costs: &[&[f64]], k: usize| {
            let values = costs.iter().filter_map(|c| c.get(k).copied());
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)))
        };
        let total: f64 = objectives.iter().map(|o| o.weight).sum();
        let mut f = Frame { ideal: vec![], scale: vec![], reference: vec![], weights: vec![] };
        for (k, o) in objectives.iter().enumerate() {
            let (ideal, nadir) = range(front, k);
            let worst = range(all, k).1;
            let scale =
                [nadir - ideal, worst - ideal].into_iter().find(|s| *s > 0.0).unwrap_or(1.0);
            f.ideal.push(ideal);
            f.scale.push(scale);
            f.reference.push(o.reference_cost().unwrap_or(nadir + 0.1 * scale));
            f.weights.push(o.weight / total);
        }
        Some(f)
    }

    /// A cost vector in the box between ideal and reference: 0 is ideal, 1 the reference; more
    /// than 1 is outside. A reference that is no worse than the ideal leaves nothing inside.
    pub(super) fn boxed(&self, cost: &[f64]) -> Vec<f64> {
        let each = cost.iter().zip(&self.ideal).zip(&self.reference);
        each.map(|((c, ideal), reference)| {
            let side = reference - ideal;
            if side > 0.0 { (c - ideal) / side } else { 1.0 }
        })
        .collect()
    }

    /// The augmented weighted Chebyshev distance to the ideal.
    pub(super) fn scalar(&self, cost: &[f64]) -> f64 {
        let each = cost.iter().zip(&self.ideal).zip(&self.scale).zip(&self.weights);
        let (mut max, mut sum) = (f64::NEG_INFINITY, 0.0);
        for (((c, ideal), scale), weight) in each {
            let z = weight * ((c - ideal) / scale);
            max = max.max(z);
            sum += z;
        }
        max + RHO * sum
    }
}
