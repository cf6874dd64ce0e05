//! Register files: decoded write port, multiplexed read ports.

use crate::cells::Gate;
use crate::netlist::{NetId, Netlist};

/// The write port of a register file.
#[derive(Clone, Debug)]
pub struct WritePort<'a> {
    /// Word to write; its length is the width of the file.
    pub data: &'a [NetId],
    /// Address; `2^len` words.
    pub address: &'a [NetId],
    /// Write enable, active high.
    pub enable: NetId,
}

/// Builds a register file and returns the read words, not registered.
///
/// A word keeps its value through a feedback multiplexer, or, with `gated`, by a clock gate of its own.
pub fn register_file(
    n: &mut Netlist,
    write: &WritePort<'_>,
    reads: &[&[NetId]],
    gated: bool,
) -> Vec<Vec<NetId>> {
    let selects = decode(n, write.address, write.enable);
    let clock = n.clock_or_add();
    let mut words = Vec::with_capacity(selects.len());
    for select in selects {
        let word: Vec<NetId> = if gated {
            let gck = n.gate(Gate::Icg, &[select, clock]);
            let mut word = Vec::with_capacity(write.data.len());
            for d in write.data {
                let q = n.net();
                n.place_gate(Gate::Dff, &[*d, gck], &[q]);
                word.push(q);
            }
            word
        } else {
            let mut word = Vec::with_capacity(write.data.len());
            for d in write.data {
                let q = n.net();
                let next = n.gate(Gate::Mux2, &[q, *d, select]);
                n.flop_into(next, q);
                word.push(q);
            }
            word
        };
        words.push(word);
    }
    reads.iter().map(|address| select_word(n, &words, address)).collect()
}

/// One-hot decoder with enable: `2^address.len()` outputs.
pub fn decode(n: &mut Netlist, address: &[NetId], enable: NetId) -> Vec<NetId> {
    let inverted: Vec<NetId> = address.iter().map(|a| n.gate(Gate::Inv, &[*a])).collect();
    let mut hot = vec![enable];
    for (bit, not) in address.iter().zip(&inverted).rev() {
        let mut next = Vec::with_capacity(hot.len() * 2);
        for h in hot {
            next.push(n.gate(Gate::And2, &[h, *not]));
            next.push(n.gate(Gate::And2, &[h, *bit]));
        }
        hot = next;
    }
    hot
}

/// Selects one of `words` by `address`, bit by bit through a tree of multiplexers.
pub fn select_word(n: &mut Netlist, words: &[Vec<NetId>], address: &[NetId]) -> Vec<NetId> {
    let width = words.first().map_or(0, Vec::len);
    let mut out = Vec::with_capacity(width);
    for bit in 0..width {
        let mut layer: Vec<NetId> = words.iter().map(|w| w[bit]).collect();
        for select in address {
            if layer.len() < 2 {
                break;
            }
            let mut next = Vec::with_capacity(layer.len() / 2 + 1);
            for pair in layer.chunks(2) {
                next.push(match pair {
                    [low, high] => n.gate(Gate::Mux2, &[*low, *high, *select]),
                    rest => rest[0],
                });
            }
            layer = next;
        }
        out.extend(layer.first());
    }
    out
}
