//! A cycle simulator, 64 patterns at a time, for checking what the generators build.
//!
//! Flip-flops take their data when [`Simulator::clock`] is called and, where a clock gate stands before
//! them, only in the patterns whose enable was high. Resets act at once. Latches are not simulated.

use crate::cells::Kind;
use crate::check::{Flaw, topological_order};
use crate::netlist::{CellId, Driver, NetId, Netlist};

/// State of a simulation. Bit `i` of each word belongs to pattern `i`.
#[derive(Debug)]
pub struct Simulator<'a> {
    netlist: &'a Netlist,
    order: Vec<CellId>,
    drivers: Vec<Driver>,
    value: Vec<u64>,
    state: Vec<u64>,
}

impl<'a> Simulator<'a> {
    /// All inputs, and all registers, start at zero.
    ///
    /// # Errors
    /// A combinational loop.
    pub fn new(netlist: &'a Netlist) -> Result<Self, Flaw> {
        let order = topological_order(netlist)?;
        let mut value = vec![0; netlist.net_count()];
        value[NetId::ONE.index()] = u64::MAX;
        let state = vec![0; netlist.cell_count()];
        let drivers = netlist.drivers();
        let mut simulator = Self { netlist, order, drivers, value, state };
        simulator.settle();
        Ok(simulator)
    }

    /// Value of a net.
    pub fn get(&self, net: NetId) -> u64 {
        self.value[net.index()]
    }

    /// Sets an input net; call [`Simulator::settle`] afterwards.
    pub fn set(&mut self, net: NetId, value: u64) {
        self.value[net.index()] = value;
    }

    /// Sets a word, bit 0 first, in pattern `pattern`.
    pub fn set_word(&mut self, nets: &[NetId], pattern: u32, word: u128) {
        for (i, net) in nets.iter().enumerate() {
            let bit = u64::from(word >> i & 1 == 1) << pattern;
            let slot = &mut self.value[net.index()];
            *slot = *slot & !(1 << pattern) | bit;
        }
    }

    /// Reads a word, bit 0 first, in pattern `pattern`.
    pub fn word(&self, nets: &[NetId], pattern: u32) -> u128 {
        nets.iter()
            .enumerate()
            .map(|(i, net)| u128::from(self.value[net.index()] >> pattern & 1) << i)
            .sum()
    }

    /// Propagates the inputs and the register outputs through the logic.
    pub fn settle(&mut self) {
        self.pass();
        // A reset may come through buffers that stand after its register in the order.
        if self.netlist.reset().is_some() {
            self.pass();
        }
    }

    fn pass(&mut self) {
        for i in 0..self.order.len() {
            let cell = self.order[i];
            let family = self.netlist.family(cell);
            let mut pins = [0u64; 8];
            for (slot, net) in pins.iter_mut().zip(self.netlist.input_nets(cell)) {
                *slot = self.value[net.index()];
            }
            if family.kind == (Kind::Flop { reset: true }) {
                self.state[cell.index()] &= pins[2];
            }
            let state = self.state[cell.index()];
            for (net, (_, function)) in
                self.netlist.output_nets(cell).iter().zip(family.outputs.iter())
            {
                if *net != NetId::OPEN {
                    self.value[net.index()] = function.eval(&pins[..family.inputs.len()], state);
                }
            }
        }
    }

    /// One rising clock edge at every flip-flop, then [`Simulator::settle`].
    pub fn clock(&mut self) {
        let mut next = Vec::new();
        for cell in self.netlist.cells() {
            if let Kind::Flop { .. } = self.netlist.family(cell).kind {
                let pins = self.netlist.input_nets(cell);
                let enable = self.enable(pins[1]);
                let old = self.state[cell.index()];
                next.push((cell, self.value[pins[0].index()] & enable | old & !enable));
            }
        }
        for (cell, state) in next {
            self.state[cell.index()] = state;
        }
        self.settle();
    }

    /// The patterns in which a clock net ticks: the AND of the enables on the way to the port.
    fn enable(&self, clock: NetId) -> u64 {
        let mut enable = u64::MAX;
        let mut net = clock;
        while let Driver::Pin(cell, _) = self.drivers[net.index()] {
            let pins = self.netlist.input_nets(cell);
            match self.netlist.family(cell).kind {
                Kind::ClockGate => {
                    enable &= self.value[pins[0].index()];
                    net = pins[1];
                }
                _ => match pins.first() {
                    Some(first) => net = *first,
                    None => break,
                },
            }
        }
        enable
    }
}
