//! Random mapped logic with the locality of real netlists.
//!
//! Gates stand in levels. A gate at place `x` of its level takes its inputs from places near `x` of the
//! levels before, at a distance that follows a heavy-tailed law (probability of a distance beyond `d`
//! about `1/d`), so that the number of nets that leave a window grows as a power of its size, as Rent's
//! rule has it. Inputs that nobody uses yet are preferred; what stays unused is merged at the end, so no
//! gate is idle.
//!
//! Source of the rule: B. Landman and R. Russo, IEEE Trans. Computers C-20, 1971.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::cells::Gate;
use crate::netlist::{NetId, Netlist};

/// Relative frequency of each family, as mapped random logic has it.
const MIX: [(Gate, u32); 17] = [
    (Gate::Nand2, 24),
    (Gate::Inv, 14),
    (Gate::Nor2, 11),
    (Gate::Aoi21, 9),
    (Gate::Oai21, 9),
    (Gate::Nand3, 6),
    (Gate::Xor2, 4),
    (Gate::Mux2, 4),
    (Gate::And2, 3),
    (Gate::Or2, 3),
    (Gate::Nor3, 3),
    (Gate::Aoi22, 3),
    (Gate::Oai22, 2),
    (Gate::Xnor2, 2),
    (Gate::Nand4, 1),
    (Gate::And3, 1),
    (Gate::Or3, 1),
];

/// Shape of a cloud.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Cells in all, merges included.
    pub cells: usize,
    /// Levels of random gates, at least 1.
    pub depth: usize,
    /// Outputs wanted.
    pub outputs: usize,
}

/// A signal of the cloud and how many pins use it.
struct Signal {
    net: NetId,
    used: bool,
}

/// Builds a cloud on `inputs` (not empty) and returns `shape.outputs` nets, every one driven.
///
/// Every cell and every input is used. Exactly `shape.cells` cells are made unless the inputs alone
/// need more to be merged. Outputs beyond what the cloud has repeat none: they are taken from nets
/// inside it, and from the inputs when even those run out.
pub fn cloud(n: &mut Netlist, rng: &mut ChaCha8Rng, inputs: &[NetId], shape: Shape) -> Vec<NetId> {
    let depth = shape.depth.max(1);
    let outputs = shape.outputs.max(1);
    let first = inputs.iter().map(|net| Signal { net: *net, used: false }).collect();
    let mut levels: Vec<Vec<Signal>> = vec![first];
    let width = (shape.cells * 9 / 10 / depth).max(1);
    let mut unused = inputs.len();
    let mut made = 0usize;
    let merges = |unused: usize| unused.saturating_sub(outputs);
    'levels: loop {
        let mut level = Vec::with_capacity(width);
        for place in 0..width {
            if made + merges(unused) >= shape.cells {
                levels.push(level);
                break 'levels;
            }
            let gate = pick_gate(rng);
            let wanted = gate.family().inputs.len();
            let mut pins = Vec::with_capacity(wanted);
            for k in 0..wanted {
                let back = if k == 0 { 1 } else { 1 + usize::from(rng.random_range(0..5u8) == 0) };
                let from = levels.len().saturating_sub(back);
                let x = (place * 2 + 1) * levels[from].len() / (width * 2);
                if let Some(at) = pick_signal(rng, &levels[from], x, &pins) {
                    let signal = &mut levels[from][at];
                    unused -= usize::from(!signal.used);
                    signal.used = true;
                    pins.push(signal.net);
                }
            }
            // A narrow level may not offer enough distinct inputs: then the gate is a smaller one.
            let gate = match (pins.len(), wanted) {
                (have, want) if have == want => gate,
                (1, _) => Gate::Inv,
                (2, _) => Gate::Nand2,
                (3, _) => Gate::Nand3,
                _ => continue,
            };
            level.push(Signal { net: n.gate(gate, &pins), used: false });
            unused += 1;
            made += 1;
        }
        if level.is_empty() {
            break;
        }
        levels.push(level);
    }
    finish(n, rng, levels, outputs)
}

/// Merges what is unused into `outputs` nets.
fn finish(
    n: &mut Netlist,
    rng: &mut ChaCha8Rng,
    levels: Vec<Vec<Signal>>,
    outputs: usize,
) -> Vec<NetId> {
    let mut loose = Vec::new();
    let mut spare = Vec::new();
    for (l, level) in levels.iter().enumerate() {
        for (i, signal) in level.iter().enumerate() {
            // Sorted by place, so that neighbours merge.
            let place = i as u64 * 1_000_000 / level.len() as u64;
            if signal.used {
                spare.push((usize::MAX - l, signal.net));
            } else {
                loose.push((place, l, signal.net));
            }
        }
    }
    loose.sort_by_key(|(place, l, _)| (*place, *l));
    let mut nets: Vec<NetId> = loose.into_iter().map(|(_, _, net)| net).collect();
    while nets.len() > outputs {
        let excess = nets.len() - outputs;
        let mut next = Vec::with_capacity(nets.len());
        let mut merged = 0;
        let mut rest = nets.as_slice();
        while let [a, b, tail @ ..] = rest {
            if merged == excess {
                break;
            }
            let gate = match rng.random_range(0..4u8) {
                0 => Gate::Xor2,
                1 => Gate::Nor2,
                _ => Gate::Nand2,
            };
            next.push(n.gate(gate, &[*a, *b]));
            merged += 1;
            rest = tail;
        }
        next.extend_from_slice(rest);
        nets = next;
    }
    // Deepest first, so that borrowed outputs end long paths.
    spare.sort_by_key(|(key, _)| *key);
    nets.extend(spare.iter().map(|(_, net)| *net).take(outputs - nets.len()));
    nets
}

fn pick_gate(rng: &mut ChaCha8Rng) -> Gate {
    let total: u32 = MIX.iter().map(|(_, w)| w).sum();
    let mut draw = rng.random_range(0..total);
    for (gate, weight) in MIX {
        if draw < weight {
            return gate;
        }
        draw -= weight;
    }
    Gate::Nand2
}

/// An index near `x`, not yet among `taken`; an unused signal if three tries find one.
fn pick_signal(rng: &mut ChaCha8Rng, level: &[Signal], x: usize, taken: &[NetId]) -> Option<usize> {
    let mut found = None;
    for attempt in 0..6 {
        let at = near(rng, x, level.len())?;
        if taken.contains(&level[at].net) {
            continue;
        }
        if !level[at].used {
            return Some(at);
        }
        found = found.or(Some(at));
        if attempt >= 2 && found.is_some() {
            break;
        }
    }
    found.or_else(|| level.iter().position(|s| !taken.contains(&s.net)))
}

/// A place in `0..len` at a heavy-tailed distance from `x`, reflected at the ends.
pub(crate) fn near(rng: &mut ChaCha8Rng, x: usize, len: usize) -> Option<usize> {
    if len == 0 {
        return None;
    }
    // 1/u − 1 exceeds d with probability 1/(d + 1).
    let u = rng.random_range(1..=4096u32);
    let distance = (4096 / u - 1) as usize % (2 * len);
    let shifted = if rng.random::<bool>() { x + distance } else { x + 2 * len - distance };
    let folded = shifted % (2 * len);
    Some(if folded < len { folded } else { 2 * len - 1 - folded })
}

/// A pipeline: `stages` clouds with a row of registers after each; returns the last row.
///
/// `cells` counts registers too, and `width` is the number of registers in a row. One register in eight
/// has a reset.
pub fn pipeline(
    n: &mut Netlist,
    rng: &mut ChaCha8Rng,
    inputs: &[NetId],
    cells: usize,
    width: usize,
    stages: usize,
    depth: usize,
) -> Vec<NetId> {
    let mut word = inputs.to_vec();
    let mut left = cells;
    for stage in 0..stages {
        let share = left / (stages - stage);
        let gates = share.saturating_sub(width);
        let before = n.cell_count();
        let shape = Shape { cells: gates, depth, outputs: width };
        let outputs = cloud(n, rng, &word, shape);
        word = outputs
            .iter()
            .map(|d| if rng.random_range(0..8u8) == 0 { n.reset_flop(*d) } else { n.flop(*d) })
            .collect();
        left = left.saturating_sub(n.cell_count() - before);
    }
    word
}
