//! The cells of a segment moved in their order to the positions of least wire, all at once.
//!
//! With the order fixed, a net's extent depends on its first and its last cell in the segment only,
//! so wire length is a sum of convex functions of single positions, each a broken line. In
//! coordinates from which the widths to the left are taken off, the constraint is that positions do
//! not fall, and the minimum follows by dynamic programming on slopes: a heap of the places where
//! the slope changes. Exact on whole sites.

use std::collections::BinaryHeap;

use cellwright_db::Point;

use crate::detailed::shelf::Shelf;
use crate::detailed::state::{State, Step};

/// A cost per cell: slopes change at whole sites.
#[derive(Clone, Debug, Default)]
pub(crate) struct Broken {
    /// Slope far to the right (all changes passed).
    pub(crate) right: i64,
    /// (site, change of slope).
    pub(crate) turns: Vec<(i64, i64)>,
}

/// Positions z₀ ≤ z₁ ≤ … in `lo..=hi` of least total cost; among equals those nearest `now`.
pub(crate) fn least(costs: &[Broken], lo: i64, hi: i64, now: &[i64]) -> Vec<i64> {
    let mut heap: BinaryHeap<(i64, i64)> = BinaryHeap::new();
    let mut slope = 0_i64;
    let mut best = Vec::with_capacity(costs.len());
    for (cost, now) in costs.iter().zip(now) {
        for &(at, change) in &cost.turns {
            if change > 0 {
                heap.push((at, change));
            }
        }
        slope += cost.right;
        // The minimum lies where the slope, coming from the right, reaches zero.
        let mut right = hi;
        while slope > 0 {
            let Some((at, change)) = heap.pop() else {
                right = lo;
                break;
            };
            right = at;
            if change > slope {
                heap.push((at, change - slope));
                slope = 0;
            } else {
                slope -= change;
            }
        }
        let left = if slope < 0 {
            // Falling to the end.
            hi
        } else {
            heap.peek().map_or(lo, |top| top.0)
        };
        let (left, right) = (left.clamp(lo, hi), right.clamp(lo, hi));
        best.push((*now).clamp(left.min(right), right));
        // From here on a position to the right of the minimum costs no more than the minimum.
        if slope > 0 {
            slope = 0;
        }
    }
    for i in (0..best.len().saturating_sub(1)).rev() {
        best[i] = best[i].min(best[i + 1]);
    }
    best
}

/// An end of a net: x of the pin, position of its cell in the segment, offset in the cell.
type End = (i64, usize, i64);

/// Nets with more pins enter with their box as it is.
const LARGE: usize = 64;

/// Shifts the cells of one segment. Returns the gain.
pub(crate) fn segment(
    state: &mut State<'_>,
    shelf: &Shelf,
    index: usize,
    seen: &mut [u32],
    mark: u32,
) -> i64 {
    let cells = &shelf.cells[index];
    if cells.is_empty() {
        return 0;
    }
    let segment = &shelf.segments[index];
    let (row_x, step) = (i64::from(segment.row.x), i64::from(segment.row.step));
    let mut before = Vec::with_capacity(cells.len());
    let mut total = 0_i64;
    let mut number = std::collections::BTreeMap::new();
    for (i, &node) in cells.iter().enumerate() {
        before.push(total);
        total += i64::from(shelf.width(state, index, node));
        number.insert(node, i);
    }
    let nets = &state.problem.nets;
    let mut costs = vec![Broken::default(); cells.len()];
    // Adds w·max(0, x − edge) (`rising`) or w·max(0, edge − x) for the node's corner x.
    let mut add = |i: usize, edge: i64, weight: i64, rising: bool| {
        let at = edge - row_x;
        let (k, r) = (at.div_euclid(step) - before[i], at.rem_euclid(step));
        costs[i].turns.push((k, weight * (step - r)));
        costs[i].turns.push((k + 1, weight * r));
        if rising {
            costs[i].right += weight * step;
        }
    };
    let mut linear = vec![0_i64; cells.len()];
    let mut work = 0;
    for &node in cells {
        for &pin in nets.of_node(node as usize) {
            let net = nets.net_of[pin as usize] as usize;
            if seen[net] == mark || state.weight[net] == 0 {
                continue;
            }
            seen[net] = mark;
            let weight = state.weight[net];
            let range = nets.pins(net);
            if range.len() > LARGE {
                let net_box = state.boxes[net];
                for &pin in nets
                    .of_node(node as usize)
                    .iter()
                    .filter(|pin| nets.net_of[**pin as usize] as usize == net)
                {
                    let x = state.pin[pin as usize].x;
                    if net_box.lo.x < x && x < net_box.hi.x {
                        let i = number[&node];
                        let offset = i64::from(x) - i64::from(state.place.at[node as usize].x);
                        add(i, i64::from(net_box.hi.x) - offset, weight, true);
                        add(i, i64::from(net_box.lo.x) - offset, weight, false);
                    }
                }
                continue;
            }
            work += range.len() as u64;
            let (mut low, mut high) = (i64::MAX, i64::MIN);
            // First and last cell of the net in the segment: (x of pin, cell, offset).
            let (mut first, mut last): (Option<End>, Option<End>) = (None, None);
            for pin in range {
                let x = i64::from(state.pin[pin].x);
                let owner = nets.node[pin];
                match number.get(&owner) {
                    None => {
                        low = low.min(x);
                        high = high.max(x);
                    }
                    Some(&i) => {
                        let entry = (x, i, x - i64::from(state.place.at[owner as usize].x));
                        if first.is_none_or(|first| entry < first) {
                            first = Some(entry);
                        }
                        if last.is_none_or(|last| entry > last) {
                            last = Some(entry);
                        }
                    }
                }
            }
            let (Some(first), Some(last)) = (first, last) else { continue };
            if low > high {
                linear[last.1] += weight * step;
                linear[first.1] -= weight * step;
            } else {
                add(last.1, high - last.2, weight, true);
                add(first.1, low - first.2, weight, false);
            }
        }
    }
    state.work += work;
    for (cost, linear) in costs.iter_mut().zip(&linear) {
        cost.right += linear;
    }
    let now: Vec<i64> = cells
        .iter()
        .zip(&before)
        .map(|(node, before)| i64::from(shelf.site(state, index, *node)) - before)
        .collect();
    let (lo, hi) = (i64::from(segment.lo), i64::from(segment.hi) - total);
    let best = least(&costs, lo, hi, &now);
    let steps: Vec<Step> = cells
        .iter()
        .enumerate()
        .filter(|(i, _)| best[*i] != now[*i])
        .map(|(i, node)| {
            let x = (row_x + step * (best[i] + before[i])) as i32;
            let at = Point::new(x, segment.row.y);
            Step { node: *node, at, orient: state.place.orient[*node as usize] }
        })
        .collect();
    settle(state, &steps)
}

/// Carries steps out when they gain; returns the gain.
pub(crate) fn settle(state: &mut State<'_>, steps: &[Step]) -> i64 {
    if steps.is_empty() {
        return 0;
    }
    let delta = state.attempt(steps);
    if delta < 0 {
        state.keep();
        -delta
    } else {
        state.take_back();
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(cost: &Broken, z: i64) -> i64 {
        // Integrate the slope from a far right reference down to z.
        let far = 100;
        let mut total = 0;
        for x in z..far {
            let beyond: i64 = cost.turns.iter().filter(|turn| turn.0 > x).map(|turn| turn.1).sum();
            total -= cost.right - beyond;
        }
        total
    }

    fn brute(costs: &[Broken], lo: i64, hi: i64) -> i64 {
        let mut best: Vec<i64> = (lo..=hi).map(|_| 0).collect();
        for cost in costs {
            let mut least = i64::MAX;
            for (k, slot) in best.iter_mut().enumerate() {
                least = least.min(*slot);
                *slot = least + value(cost, lo + k as i64);
            }
        }
        best.into_iter().min().unwrap()
    }

    proptest! {
        #[test]
        fn it_is_the_least(
            costs in prop::collection::vec(
                (-3..6_i64, prop::collection::vec((-5..15_i64, 1..5_i64), 0..5)), 1..7),
            lo in 0..3_i64, size in 0..8_i64,
        ) {
            let costs: Vec<Broken> =
                costs.into_iter().map(|(right, turns)| Broken { right, turns }).collect();
            let hi = lo + size;
            let now = vec![lo; costs.len()];
            let got = least(&costs, lo, hi, &now);
            prop_assert!(got.windows(2).all(|pair| pair[0] <= pair[1]));
            prop_assert!(got.iter().all(|z| lo <= *z && *z <= hi));
            let total: i64 = costs.iter().zip(&got).map(|(cost, z)| value(cost, *z)).sum();
            prop_assert_eq!(total, brute(&costs, lo, hi));
        }
    }
}
