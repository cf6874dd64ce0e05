//! Unsigned multipliers: a carry-save array, and a Wallace tree with a prefix adder.
//!
//! Source: C. S. Wallace, "A suggestion for a fast multiplier", IEEE Trans. EC-13, 1964.

use crate::blocks::adder::{self, Carry};
use crate::cells::Gate;
use crate::netlist::{NetId, Netlist};

/// How partial products are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Row after row, as a regular array.
    Array,
    /// In parallel, three to two.
    Wallace,
}

/// Multiplies `a` by `b`; returns `a.len() + b.len()` product bits.
///
/// With `register_tree`, a row of registers stands between the reduction and the last adder, and the
/// product comes one clock later.
pub fn multiply(
    n: &mut Netlist,
    reduction: Reduction,
    last: Carry,
    a: &[NetId],
    b: &[NetId],
    register_tree: bool,
) -> Vec<NetId> {
    let width = a.len() + b.len();
    let mut columns: Vec<Vec<NetId>> = vec![Vec::new(); width];
    for (j, &y) in b.iter().enumerate() {
        for (i, &x) in a.iter().enumerate() {
            let product = n.gate(Gate::And2, &[x, y]);
            columns[i + j].push(product);
        }
        if reduction == Reduction::Array && j > 0 {
            columns = reduce(n, &columns);
        }
    }
    while columns.iter().any(|c| c.len() > 2) {
        columns = reduce(n, &columns);
    }
    if register_tree {
        for column in &mut columns {
            *column = n.register(column);
        }
    }
    // Low columns that hold one bit are product bits already.
    let done = columns.iter().take_while(|c| c.len() == 1).count();
    let mut product: Vec<NetId> = columns[..done].iter().map(|c| c[0]).collect();
    // An empty column stands only at the top: the carry into it is the product bit.
    let rest = &columns[done..];
    let filled = rest.iter().take_while(|c| !c.is_empty()).count();
    let pick = |k: usize| -> Vec<NetId> {
        rest[..filled].iter().map(|c| c.get(k).copied().unwrap_or(NetId::ZERO)).collect()
    };
    let (x, y) = (pick(0), pick(1));
    let keep = done + filled < width;
    let (sum, carry) = adder::add(n, last, &x, &y, NetId::ZERO, keep);
    product.extend(sum);
    product.extend(carry);
    product
}

/// One step of three-to-two (and, where it helps, two-to-two) compression.
fn reduce(n: &mut Netlist, columns: &[Vec<NetId>]) -> Vec<Vec<NetId>> {
    let mut next: Vec<Vec<NetId>> = vec![Vec::new(); columns.len()];
    for (i, column) in columns.iter().enumerate() {
        let mut rest = column.as_slice();
        while let [a, b, c, tail @ ..] = rest {
            // The product fits, so nothing is carried out of the last column.
            let carry = if i + 1 < columns.len() { n.net() } else { NetId::OPEN };
            let sum = n.net();
            n.place_gate(Gate::Fa, &[*a, *b, *c], &[sum, carry]);
            next[i].push(sum);
            if let Some(up) = next.get_mut(i + 1) {
                up.push(carry);
            }
            rest = tail;
        }
        next[i].extend_from_slice(rest);
    }
    next
}
