//! Crowding distance (Deb et al., *A fast and elitist multiobjective genetic algorithm: NSGA-II*,
//! 2002, section III-B).
//!
//! Over the distinct vectors of a front, so that ties share one distance and the result does not
//! depend on an order among them.

/// Distance of `cost` within a front: the sum over the objectives of the gap between its neighbours,
/// as a share of the front's range. Infinite at an end of any objective.
pub(super) fn crowding(front: &[&[f64]], cost: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (k, &own) in cost.iter().enumerate() {
        let values = || front.iter().filter_map(|c| c.get(k).copied());
        let (lo, hi) = values().fold((own, own), |(lo, hi), v| (lo.min(v), hi.max(v)));
        if lo == hi {
            // All are equal here: this objective tells nothing apart.
            continue;
        }
        if own == lo || own == hi {
            return f64::INFINITY;
        }
        // Neighbours among the other vectors; one that shares this value is at distance 0.
        let others = || front.iter().filter(|c| **c != cost).filter_map(|c| c.get(k).copied());
        let shared = others().filter(|v| *v == own).count() as u32;
        let below = others().filter(|v| *v < own).fold(lo, f64::max);
        let above = others().filter(|v| *v > own).fold(hi, f64::min);
        let gap = match shared {
            0 => above - below,
            // With one vector at the same value, one neighbour is at distance 0, the other is the
            // mean of both sides; with more, both are at distance 0.
            1 => (above - below) / 2.0,
            _ => 0.0,
        };
        sum += gap / (hi - lo);
    }
    if sum == 0.0 && front.iter().all(|c| *c == cost) { f64::INFINITY } else { sum }
}
