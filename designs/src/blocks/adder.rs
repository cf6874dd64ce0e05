//! Adders: ripple carry, and the three classic parallel-prefix networks.
//!
//! The prefix cells alternate polarity, as mapped adders do: an AOI21 and a NAND2 turn positive
//! (generate, propagate) pairs into negative ones, an OAI21 and a NOR2 turn them back. A pair that skips
//! a level is inverted where its polarity does not fit.
//!
//! Sources: P. Kogge and H. Stone, IEEE Trans. Computers C-22, 1973; R. Brent and H. Kung, C-31, 1982;
//! J. Sklansky, IRE Trans. EC-9, 1960.

use crate::cells::Gate;
use crate::netlist::{NetId, Netlist};

/// Kind of carry network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carry {
    /// A chain of full adders: small and slow.
    Ripple,
    /// Minimum depth, fan-out two, most cells.
    KoggeStone,
    /// Fewest cells, twice the depth.
    BrentKung,
    /// Minimum depth, fan-out that grows with the width.
    Sklansky,
}

impl Carry {
    /// All networks.
    pub const ALL: [Carry; 4] =
        [Carry::Ripple, Carry::KoggeStone, Carry::BrentKung, Carry::Sklansky];
}

/// Adds `a + b + carry_in`; returns as many sum bits as the words have, and the carry out if `keep`.
///
/// `carry_in` and single bits may be constants: a zero saves its cells. Words must be of equal length;
/// the shorter length rules otherwise. The carry is absent when it cannot be one.
pub fn add(
    n: &mut Netlist,
    carry: Carry,
    a: &[NetId],
    b: &[NetId],
    carry_in: NetId,
    keep: bool,
) -> (Vec<NetId>, Option<NetId>) {
    match carry {
        Carry::Ripple => ripple(n, a, b, carry_in, keep),
        _ => prefix(n, carry, a, b, carry_in, keep),
    }
}

fn ripple(
    n: &mut Netlist,
    a: &[NetId],
    b: &[NetId],
    carry_in: NetId,
    keep: bool,
) -> (Vec<NetId>, Option<NetId>) {
    let width = a.len().min(b.len());
    let mut carry = carry_in;
    let mut sum = Vec::with_capacity(width);
    for i in 0..width {
        let ones: Vec<NetId> =
            [a[i], b[i], carry].into_iter().filter(|net| *net != NetId::ZERO).collect();
        let carries = keep || i + 1 < width;
        let out = if carries { n.net() } else { NetId::OPEN };
        carry = out;
        let s = match ones.as_slice() {
            [x, y] if carries => {
                let s = n.net();
                n.place_gate(Gate::Ha, &[*x, *y], &[s, out]);
                s
            }
            [x, y] => n.gate(Gate::Xor2, &[*x, *y]),
            [x, y, z] => {
                let s = n.net();
                n.place_gate(Gate::Fa, &[*x, *y, *z], &[s, out]);
                s
            }
            rest => {
                carry = NetId::ZERO;
                rest.first().copied().unwrap_or(NetId::ZERO)
            }
        };
        sum.push(s);
    }
    (sum, (keep && carry != NetId::ZERO).then_some(carry))
}

/// A generate and propagate pair over a range of bits, in one polarity.
#[derive(Clone, Copy)]
struct Pair {
    /// Absent for ranges that cannot generate.
    g: Option<NetId>,
    /// Absent for ranges that start at the bottom, whose propagate nobody needs.
    p: Option<NetId>,
    inverted: bool,
    /// The same pair in the other polarity, once made.
    other: (Option<NetId>, Option<NetId>),
}

impl Pair {
    fn positive(g: Option<NetId>, p: Option<NetId>) -> Self {
        Pair { g, p, inverted: false, other: (None, None) }
    }
}

fn prefix(
    n: &mut Netlist,
    carry: Carry,
    a: &[NetId],
    b: &[NetId],
    carry_in: NetId,
    keep: bool,
) -> (Vec<NetId>, Option<NetId>) {
    let width = a.len().min(b.len());
    let with_carry = carry_in != NetId::ZERO;
    let mut half = Vec::with_capacity(width);
    let mut pairs = Vec::with_capacity(width + 1);
    // A carry in is one more position below bit 0 that generates it.
    if with_carry {
        pairs.push(Pair::positive(Some(carry_in), None));
    }
    for (i, (&x, &y)) in a.iter().zip(b).enumerate() {
        let single = y == NetId::ZERO;
        let h = if single { x } else { n.gate(Gate::Xor2, &[x, y]) };
        half.push(h);
        if i + 1 == width && !keep {
            break;
        }
        let g = if single { None } else { Some(n.gate(Gate::And2, &[x, y])) };
        pairs.push(Pair::positive(g, if pairs.is_empty() { None } else { Some(h) }));
    }
    for level in network(carry, pairs.len()) {
        let made: Vec<(usize, Pair)> =
            level.into_iter().map(|(to, from)| (to, combine(n, &mut pairs, to, from))).collect();
        for (to, pair) in made {
            pairs[to] = pair;
        }
    }
    // Each pair now reaches down to the bottom: its generate is the carry out of its position.
    let carries: Vec<Option<NetId>> =
        pairs.iter_mut().map(|pair| generate(n, pair, false)).collect();
    let below = usize::from(with_carry);
    let mut sum = Vec::with_capacity(width);
    for (i, h) in half.iter().enumerate() {
        let into = (i + below).checked_sub(1).and_then(|position| carries[position]);
        sum.push(match into {
            Some(c) => n.gate(Gate::Xor2, &[*h, c]),
            None => *h,
        });
    }
    let out = if keep { carries.last().copied().flatten() } else { None };
    (sum, out)
}

/// The (to, from) combinations of each level; `from` is the lower range.
fn network(carry: Carry, width: usize) -> Vec<Vec<(usize, usize)>> {
    let mut levels = Vec::new();
    let mut span = 1;
    while span < width {
        let level: Vec<(usize, usize)> = match carry {
            Carry::KoggeStone | Carry::Ripple => (span..width).map(|i| (i, i - span)).collect(),
            Carry::Sklansky => {
                (0..width).filter(|i| i / span % 2 == 1).map(|i| (i, i / span * span - 1)).collect()
            }
            Carry::BrentKung => {
                (0..width).filter(|i| (i + 1) % (2 * span) == 0).map(|i| (i, i - span)).collect()
            }
        };
        levels.push(level);
        span *= 2;
    }
    if carry == Carry::BrentKung {
        while span >= 2 {
            let half = span / 2;
            let level: Vec<(usize, usize)> = (0..width)
                .filter(|i| *i >= span && (i + 1) % span == half)
                .map(|i| (i, i - half))
                .collect();
            levels.push(level);
            span = half;
        }
    }
    levels
}

/// The pair over both ranges, in the polarity opposite to that of the upper one.
///
/// Positive: `!(g | p·g0)` and `!(p·p0)`. Negative: `!(ḡ·(p̄ | ḡ0))` and `!(p̄ | p̄0)`.
fn combine(n: &mut Netlist, pairs: &mut [Pair], to: usize, from: usize) -> Pair {
    let upper = pairs[to];
    let Some(p) = upper.p else {
        return upper;
    };
    let inverted = upper.inverted;
    let g_low = generate(n, &mut pairs[from], inverted);
    let p_low = propagate(n, &mut pairs[from], inverted);
    let (both, through) =
        if inverted { (Gate::Oai21, Gate::Nor2) } else { (Gate::Aoi21, Gate::Nand2) };
    let g = match (upper.g, g_low) {
        (Some(g), Some(low)) => Some(n.gate(both, &[p, low, g])),
        (None, Some(low)) => Some(n.gate(through, &[p, low])),
        (Some(_), None) => generate(n, &mut pairs[to], !inverted),
        (None, None) => None,
    };
    let p = p_low.map(|low| n.gate(through, &[p, low]));
    Pair { g, p, inverted: !inverted, other: (None, None) }
}

fn generate(n: &mut Netlist, pair: &mut Pair, inverted: bool) -> Option<NetId> {
    let g = pair.g?;
    if pair.inverted == inverted {
        return Some(g);
    }
    Some(*pair.other.0.get_or_insert_with(|| n.gate(Gate::Inv, &[g])))
}

fn propagate(n: &mut Netlist, pair: &mut Pair, inverted: bool) -> Option<NetId> {
    let p = pair.p?;
    if pair.inverted == inverted {
        return Some(p);
    }
    Some(*pair.other.1.get_or_insert_with(|| n.gate(Gate::Inv, &[p])))
}
