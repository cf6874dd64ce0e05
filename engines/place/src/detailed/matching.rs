//! Independent-set matching: cells of one outline that share no net change places among themselves
//! in the best possible way (Chen et al., "NTUplace3", TCAD 2008).

use crate::detailed::shelf::Shelf;
use crate::detailed::state::{State, Step};

/// Cells per matching.
const SET: usize = 24;
/// Neighbours looked at for one set.
const WINDOW: usize = 96;

/// One pass over all outlines. Returns the gain.
pub(crate) fn pass(state: &mut State<'_>, shelf: &mut Shelf, nodes: &[u32]) -> i64 {
    let n = &state.problem.nodes;
    let key = |node: &u32| {
        let i = *node as usize;
        (n.fence[i], n.site[i], n.w[i], n.pad[i])
    };
    let tile = i64::from(state.problem.base_height.max(1)) * 8;
    let mut order: Vec<(_, i64, i64, u32)> = nodes
        .iter()
        .map(|node| {
            // Tiles in serpentine order, so that neighbours in the list are neighbours in the plane.
            let at = state.place.at[*node as usize];
            let (tx, ty) = (i64::from(at.x).div_euclid(tile), i64::from(at.y).div_euclid(tile));
            (key(node), ty, if ty % 2 == 0 { tx } else { -tx }, *node)
        })
        .collect();
    order.sort_unstable();
    let mut gain = 0;
    let mut used = vec![false; n.len()];
    let mut start = 0;
    while start < order.len() {
        let same = order[start..].partition_point(|entry| entry.0 == order[start].0);
        let group: Vec<u32> = order[start..start + same].iter().map(|entry| entry.3).collect();
        for at in (0..group.len()).step_by(WINDOW / 4) {
            let window = &group[at..group.len().min(at + WINDOW)];
            let set = independent(state, window, &mut used);
            if set.len() > 1 {
                gain += assign(state, shelf, &set);
            }
            set.iter().for_each(|node| used[*node as usize] = true);
        }
        start += same;
    }
    gain
}

/// Cells that share no net, from the front, each used once per pass.
fn independent(state: &State<'_>, window: &[u32], used: &mut [bool]) -> Vec<u32> {
    let nets = &state.problem.nets;
    let mut taken = std::collections::BTreeSet::new();
    let mut set = Vec::new();
    for &node in window.iter().filter(|node| !used[**node as usize]) {
        let mine = || nets.of_node(node as usize).iter().map(|pin| nets.net_of[*pin as usize]);
        // Long nets hardly change with one of their pins; the exact check below has the last word.
        let counts = |net: &u32| nets.pins(*net as usize).len() <= 32;
        if mine().filter(counts).any(|net| taken.contains(&net)) {
            continue;
        }
        taken.extend(mine());
        set.push(node);
        if set.len() == SET {
            break;
        }
    }
    set
}

fn assign(state: &mut State<'_>, shelf: &mut Shelf, set: &[u32]) -> i64 {
    let k = set.len();
    let spots: Vec<(usize, Step)> = set
        .iter()
        .map(|node| {
            let i = *node as usize;
            let step = Step { node: *node, at: state.place.at[i], orient: state.place.orient[i] };
            (shelf.of[i] as usize, step)
        })
        .collect();
    let step = |state: &State<'_>, shelf: &Shelf, i: usize, j: usize| {
        let (from, to) = (&shelf.segments[spots[i].0].row, &shelf.segments[spots[j].0].row);
        let now = state.place.orient[set[i] as usize];
        let orient = if now == from.orient { to.orient } else { to.orient.mirrored_y() };
        Step { node: set[i], at: spots[j].1.at, orient }
    };
    let mut cost = vec![0_i64; k * k];
    for i in 0..k {
        for j in (0..k).filter(|j| *j != i) {
            let trial = step(state, shelf, i, j);
            cost[i * k + j] = state.attempt(&[trial]);
            state.take_back();
        }
    }
    let to = hungarian(&cost, k);
    let steps: Vec<Step> =
        (0..k).filter(|i| to[*i] != *i).map(|i| step(state, shelf, i, to[i])).collect();
    if steps.is_empty() {
        return 0;
    }
    let delta = state.attempt(&steps);
    if delta >= 0 {
        state.take_back();
        return 0;
    }
    state.keep();
    for (i, &node) in set.iter().enumerate().filter(|(i, _)| to[*i] != *i) {
        shelf.remove(spots[i].0, node);
    }
    for (i, &node) in set.iter().enumerate().filter(|(i, _)| to[*i] != *i) {
        shelf.insert(state, spots[to[i]].0, node);
    }
    -delta
}

/// The assignment of least cost (Kuhn–Munkres with potentials, O(k³)): the column of each row.
fn hungarian(cost: &[i64], k: usize) -> Vec<usize> {
    let (mut u, mut v) = (vec![0_i64; k + 1], vec![0_i64; k + 1]);
    let mut row_of = vec![k; k + 1];
    for row in 0..k {
        row_of[k] = row;
        let mut column = k;
        let mut least = vec![i64::MAX; k];
        let mut from = vec![k; k];
        let mut done = vec![false; k + 1];
        loop {
            done[column] = true;
            let row = row_of[column];
            let (mut delta, mut next) = (i64::MAX, k);
            for j in (0..k).filter(|j| !done[*j]) {
                let reduced = cost[row * k + j] - u[row] - v[j];
                if reduced < least[j] {
                    least[j] = reduced;
                    from[j] = column;
                }
                if least[j] < delta {
                    delta = least[j];
                    next = j;
                }
            }
            for j in 0..=k {
                if done[j] {
                    u[row_of[j]] += delta;
                    v[j] -= delta;
                } else if j < k {
                    least[j] -= delta;
                }
            }
            column = next;
            if row_of[column] == k {
                break;
            }
        }
        while column != k {
            let previous = from[column];
            row_of[column] = row_of[previous];
            column = previous;
        }
    }
    let mut to = vec![0; k];
    for (column, row) in row_of.iter().enumerate().take(k) {
        to[*row] = column;
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute(cost: &[i64], k: usize, row: usize, used: &mut Vec<bool>) -> i64 {
        if row == k {
            return 0;
        }
        let mut best = i64::MAX;
        for column in 0..k {
            if !used[column] {
                used[column] = true;
                best = best.min(cost[row * k + column] + brute(cost, k, row + 1, used));
                used[column] = false;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn the_assignment_is_the_cheapest(k in 1..6_usize, seed in prop::collection::vec(-50..50_i64, 36)) {
            let cost: Vec<i64> = seed[..k * k].to_vec();
            let to = hungarian(&cost, k);
            let mut columns = to.clone();
            columns.sort_unstable();
            prop_assert_eq!(columns, (0..k).collect::<Vec<_>>());
            let total: i64 = (0..k).map(|row| cost[row * k + to[row]]).sum();
            prop_assert_eq!(total, brute(&cost, k, 0, &mut vec![false; k]));
        }
    }
}
