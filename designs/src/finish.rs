//! What a netlist needs before it can be used: tie cells for constants, buffers on nets with many
//! sinks, and, on request, a clock tree.
//!
//! Buffers stand over runs of sinks in cell order, which is block order, so a subtree is local.

use crate::cells::Gate;
use crate::netlist::{CellId, Direction, NetId, Netlist, Sinks};
use crate::spec::{ClockStyle, Constants, Spec};

/// Most sinks that a driver or buffer of a signal net keeps.
pub const MAX_FANOUT: usize = 16;
/// Sinks of a leaf buffer of the clock tree.
pub const CLOCK_FANOUT: usize = 20;
/// Sinks of one tie cell.
pub const TIE_FANOUT: usize = 8;

/// Ties, buffers and clock tree, in this order; drops a reset port that nothing uses.
pub(crate) fn finish(n: &mut Netlist, spec: &Spec) {
    if spec.constants != Constants::Literal {
        ties(n);
    }
    let sinks = n.sinks();
    if let Some(reset) = n.reset
        && sinks.of(reset).is_empty()
    {
        n.ports.retain(|p| p.bits != [reset]);
        n.reset = None;
    }
    let is_clock = clock_nets(n, &sinks);
    for net in 2..n.net_count() as u32 {
        if !is_clock[net as usize] {
            spread(n, NetId(net), sinks.of(NetId(net)), Gate::Buf, MAX_FANOUT);
        }
    }
    if let (ClockStyle::Tree, Some(clock)) = (spec.clock, n.clock) {
        n.begin_group("cts");
        let list = sinks.of(clock).to_vec();
        spread(n, clock, &list, Gate::ClkBuf, CLOCK_FANOUT);
    }
    n.enter_group(0);
}

/// Cells that [`finish`] would add.
pub(crate) fn overhead(n: &Netlist, spec: &Spec) -> usize {
    let sinks = n.sinks();
    let mut cells = 0;
    if spec.constants != Constants::Literal {
        for constant in [NetId::ZERO, NetId::ONE] {
            cells += sinks.of(constant).len().div_ceil(TIE_FANOUT);
        }
    }
    let is_clock = clock_nets(n, &sinks);
    for net in 2..n.net_count() as u32 {
        if !is_clock[net as usize] {
            cells += buffers(sinks.of(NetId(net)).len(), MAX_FANOUT);
        }
    }
    if let (ClockStyle::Tree, Some(clock)) = (spec.clock, n.clock) {
        cells += buffers(sinks.of(clock).len(), CLOCK_FANOUT);
    }
    cells
}

/// Nets that reach a clock pin without passing through logic.
pub fn clock_nets(n: &Netlist, sinks: &Sinks) -> Vec<bool> {
    (0..n.net_count() as u32)
        .map(|net| {
            sinks.of(NetId(net)).iter().any(|(cell, pin)| {
                let family = n.family(*cell);
                family.clock_pin() == Some(usize::from(*pin)) || family.gate == Gate::ClkBuf
            })
        })
        .collect()
}

/// Buffers of a tree over `sinks` sinks.
fn buffers(mut sinks: usize, fanout: usize) -> usize {
    let mut cells = 0;
    while sinks > fanout {
        sinks = sinks.div_ceil(fanout);
        cells += sinks;
    }
    cells
}

/// Puts a buffer tree between a net and its sinks if they are too many.
fn spread(n: &mut Netlist, net: NetId, sinks: &[(CellId, u8)], gate: Gate, fanout: usize) {
    if sinks.len() <= fanout {
        return;
    }
    if gate == Gate::Buf {
        let group = n.net_group[net.index()];
        n.enter_group(group);
    }
    let mut pins: Vec<(CellId, u8)> = sinks.to_vec();
    while pins.len() > fanout {
        let parts = pins.len().div_ceil(fanout);
        let mut roots = Vec::with_capacity(parts);
        for part in 0..parts {
            // Even parts rather than full ones and a rest.
            let range = part * pins.len() / parts..(part + 1) * pins.len() / parts;
            let out = n.net();
            let buffer = n.place_gate(gate, &[net], &[out]);
            for (cell, pin) in &pins[range] {
                let at = n.first_pin[cell.index()] as usize + usize::from(*pin);
                n.pins[at] = out;
            }
            roots.push((buffer, 0));
        }
        pins = roots;
    }
}

/// Replaces the constants by tie cells.
fn ties(n: &mut Netlist) {
    let sinks = n.sinks();
    n.enter_group(0);
    for (constant, gate) in [(NetId::ZERO, Gate::Tie0), (NetId::ONE, Gate::Tie1)] {
        for chunk in sinks.of(constant).chunks(TIE_FANOUT) {
            let out = n.gate(gate, &[]);
            for (cell, pin) in chunk {
                let at = n.first_pin[cell.index()] as usize + usize::from(*pin);
                n.pins[at] = out;
            }
        }
    }
}

/// Loads outside the netlist: true for nets on an output port.
pub fn output_nets(n: &Netlist) -> Vec<bool> {
    let mut out = vec![false; n.net_count()];
    for port in n.ports.iter().filter(|p| p.direction == Direction::Output) {
        for net in &port.bits {
            out[net.index()] = true;
        }
    }
    out
}
