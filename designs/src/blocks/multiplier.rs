//! Unsigned multipliers: a carry-save array, and a column compression tree.
//!
//! Source of the tree: L. Dadda, "Some schemes for parallel multipliers", Alta Frequenza 34, 1965: each
//! stage brings every column down to the next of the heights 2, 3, 4, 6, 9, 13, … with as few adders as
//! that takes, counting the carries that arrive in the same stage.

use crate::blocks::adder::{self, Carry};
use crate::cells::Gate;
use crate::netlist::{NetId, Netlist};

/// How partial products are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Row after row, as a regular array.
    Array,
    /// In parallel, column by column.
    Dadda,
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
            columns = save_row(n, &columns);
        }
    }
    let highest = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut heights = vec![2];
    while let Some(next) = heights.last().map(|h| h * 3 / 2).filter(|h| *h < highest) {
        heights.push(next);
    }
    for height in heights.into_iter().rev() {
        columns = compress(n, &columns, height);
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

/// One carry-save row: three bits of a column, or two, become a sum and a carry into the next.
fn save_row(n: &mut Netlist, columns: &[Vec<NetId>]) -> Vec<Vec<NetId>> {
    let mut next: Vec<Vec<NetId>> = vec![Vec::new(); columns.len()];
    for (i, column) in columns.iter().enumerate() {
        match column.as_slice() {
            [bits @ .., last] if !bits.is_empty() => {
                let (sum, carry) = add_bits(n, bits, *last, i + 1 < columns.len());
                next[i].push(sum);
                next.get_mut(i + 1).into_iter().for_each(|up| up.extend(carry));
            }
            rest => next[i].extend_from_slice(rest),
        }
    }
    next
}

/// One stage of column compression: no column is higher than `height` afterwards.
fn compress(n: &mut Netlist, columns: &[Vec<NetId>], height: usize) -> Vec<Vec<NetId>> {
    let mut next: Vec<Vec<NetId>> = vec![Vec::new(); columns.len()];
    for (i, column) in columns.iter().enumerate() {
        let mut rest = column.as_slice();
        // Carries from the column below are in `next[i]` already.
        while rest.len() + next[i].len() > height {
            let excess = rest.len() + next[i].len() - height;
            let take = if excess == 1 { 2 } else { 3 };
            let Some((bits, tail)) = rest.split_at_checked(take) else {
                break;
            };
            let (sum, carry) = add_bits(n, &bits[1..], bits[0], i + 1 < columns.len());
            next[i].push(sum);
            next.get_mut(i + 1).into_iter().for_each(|up| up.extend(carry));
            rest = tail;
        }
        next[i].extend_from_slice(rest);
    }
    next
}

/// Adds one or two `bits` to `last`. The product fits, so the last column carries nothing out.
fn add_bits(n: &mut Netlist, bits: &[NetId], last: NetId, carries: bool) -> (NetId, Option<NetId>) {
    match (bits, carries) {
        ([a], true) => {
            let (sum, carry) = n.half_adder(*a, last);
            (sum, Some(carry))
        }
        ([a], false) => (n.gate(Gate::Xor2, &[*a, last]), None),
        ([a, b, ..], true) => {
            let (sum, carry) = n.full_adder(*a, *b, last);
            (sum, Some(carry))
        }
        ([a, b, ..], false) => {
            let sum = n.net();
            n.place_gate(Gate::Fa, &[*a, *b, last], &[sum, NetId::OPEN]);
            (sum, None)
        }
        ([], _) => (last, None),
    }
}
