//! Worst and total endpoint slack, kept up to date endpoint by endpoint.

/// Vertices of a block, and blocks of a block above.
const FAN: usize = 64;

/// Unit of the totals, ns.
const TOTAL_UNIT: f64 = 1.0 / (1_u64 << 40) as f64;

/// Slacks `[hold, setup]` of a vertex over all corners, as [`order`] numbers.
pub(crate) type Leaf = [i32; 2];

/// A number that orders as the slack does, so that minima do not depend on the order in which they
/// are taken. Its own inverse on the bits.
#[inline]
pub(crate) fn order(slack: f32) -> i32 {
    let bits = slack.to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

#[inline]
fn slack(order: i32) -> f32 {
    f32::from_bits((order ^ ((order >> 31) as u32 >> 1) as i32) as u32)
}

/// No endpoint.
pub(crate) const NO_END: f32 = f32::INFINITY;

/// Minima over blocks of endpoint slacks, and sums of the negative ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Worst {
    /// The lowest level first, over vertices; the last has one block.
    levels: Vec<Vec<Leaf>>,
    /// Sums of negative slacks `[hold, setup]` in units of 2⁻⁴⁰ ns. Integer sums are exact, so they
    /// do not depend on order and undo exactly.
    totals: [i128; 2],
}

fn units(order: i32) -> i128 {
    let slack = slack(order);
    if slack < 0.0 && slack.is_finite() {
        (f64::from(slack) / TOTAL_UNIT).round() as i128
    } else {
        0
    }
}

fn least(leaves: impl Iterator<Item = Leaf>) -> Leaf {
    let none = [order(NO_END); 2];
    leaves.fold(none, |a, b| [a[0].min(b[0]), a[1].min(b[1])])
}

impl Worst {
    /// Of `count` vertices.
    pub(crate) fn new(count: usize, leaf: impl Fn(usize) -> Leaf) -> Worst {
        let mut totals = [0; 2];
        for vertex in 0..count {
            for (total, order) in totals.iter_mut().zip(leaf(vertex)) {
                *total += units(order);
            }
        }
        let mut below: Vec<Leaf> = (0..count).map(leaf).collect();
        let mut levels = Vec::new();
        while below.len() > 1 || levels.is_empty() {
            let blocks: Vec<Leaf> =
                below.chunks(FAN).map(|chunk| least(chunk.iter().copied())).collect();
            levels.push(blocks.clone());
            below = blocks;
        }
        Worst { levels, totals }
    }

    /// Makes room for vertices up to `count`; new ones are no endpoints.
    pub(crate) fn grow(&mut self, count: usize) {
        let mut count = count;
        let mut at = 0;
        loop {
            count = count.div_ceil(FAN);
            if at == self.levels.len() {
                let below = least(self.levels[at - 1].iter().copied());
                self.levels.push(vec![below]);
            }
            if self.levels[at].len() < count {
                self.levels[at].resize(count, [order(NO_END); 2]);
            }
            at += 1;
            if count <= 1 && at >= self.levels.len() {
                return;
            }
        }
    }

    /// The slacks of a vertex changed from `old` to `new`; `leaf` gives those of all of `count`
    /// vertices, the new ones of this one.
    pub(crate) fn change(
        &mut self,
        vertex: usize,
        old: Leaf,
        new: Leaf,
        count: usize,
        leaf: impl Fn(usize) -> Leaf,
    ) {
        for side in 0..2 {
            if old[side] != new[side] {
                self.totals[side] += units(new[side]) - units(old[side]);
            }
        }
        let (mut at, mut old, mut new) = (vertex, old, new);
        for level in 0..self.levels.len() {
            let block = at / FAN;
            let before = self.levels[level][block];
            // Nothing changes above when neither the old nor the new value is the least.
            if (0..2).all(|side| old[side] > before[side] && new[side] >= before[side]) {
                return;
            }
            let first = block * FAN;
            let after = if level == 0 {
                least((first..(first + FAN).min(count)).map(&leaf))
            } else {
                let below = &self.levels[level - 1];
                least(below[first..(first + FAN).min(below.len())].iter().copied())
            };
            if after == before {
                return;
            }
            self.levels[level][block] = after;
            (at, old, new) = (block, before, after);
        }
    }

    /// The worst slack of a side, ns; `None` without endpoints.
    pub(crate) fn slack(&self, side: usize) -> Option<f32> {
        let top = self.levels.last().and_then(|top| top.first());
        let worst = top.map_or(NO_END, |leaf| slack(leaf[side]));
        worst.is_finite().then_some(worst)
    }

    /// The sum of negative slacks of a side, ns.
    pub(crate) fn total(&self, side: usize) -> f64 {
        self.totals[side] as f64 * TOTAL_UNIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_order_is_that_of_slacks() {
        let list = [f32::NEG_INFINITY, -2.5, -1e-30, -0.0, 0.0, 1e-30, 7.0, f32::INFINITY];
        for pair in list.windows(2) {
            assert!(order(pair[0]) < order(pair[1]), "{pair:?}");
        }
        for value in list {
            assert_eq!(slack(order(value)).to_bits(), value.to_bits());
        }
    }

    proptest! {
        #[test]
        fn changes_give_what_a_new_one_gives(
            count in 1_usize..9000,
            changes in proptest::collection::vec((any::<u32>(), -3_i8..3, -3_i8..3), 0..80),
        ) {
            let value = |v: i8| if v == 2 { f32::INFINITY } else { f32::from(v) * 0.25 };
            let mut slacks = vec![[order(NO_END); 2]; count / 2 + 1];
            let mut worst = Worst::new(slacks.len(), |v| slacks[v]);
            slacks.resize(count, [order(NO_END); 2]);
            worst.grow(count);
            for (vertex, hold, setup) in changes {
                let vertex = vertex as usize % count;
                let (old, new) = (slacks[vertex], [order(value(hold)), order(value(setup))]);
                slacks[vertex] = new;
                worst.change(vertex, old, new, count, |v| slacks[v]);
                for side in 0..2 {
                    let least = slacks.iter().map(|s| slack(s[side])).fold(NO_END, f32::min);
                    prop_assert_eq!(worst.slack(side).unwrap_or(NO_END), least);
                    let sum: f64 =
                        slacks.iter().map(|s| f64::from(slack(s[side]).min(0.0))).sum();
                    prop_assert_eq!(worst.total(side), sum);
                }
            }
        }
    }
}
