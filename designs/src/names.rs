//! Names of cells and nets, made on the fly from their numbers.
//!
//! A net on an output port is called as the port's bit, a net from an input port likewise. In a flat
//! design every other name is `<group>_<letter><number>`. In a modular design cells and inner nets are
//! called as a reader calls them that flattens with `/`, and a net that leaves its block is the bit of
//! the bus on the block's output port, `<group>_o[<bit>]`.

use std::io::{self, Write};

use crate::cells::Kind;
use crate::netlist::{CellId, Driver, NetId, Netlist, Port};
use crate::spec::Hierarchy;

/// What a net is called after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// A constant, or a net that nothing drives.
    None,
    /// Port and bit.
    Port(u32, u32),
    /// Group and number in the group.
    Local(u32, u32),
    /// Group and bit of its output bus.
    Leaves(u32, u32),
}

/// Names of one netlist in one style.
#[derive(Debug)]
pub struct Names<'a> {
    netlist: &'a Netlist,
    hierarchy: Hierarchy,
    pub(crate) labels: Vec<Label>,
    cell_number: Vec<u32>,
    /// Nets that leave each group, in bit order.
    pub(crate) leaving: Vec<Vec<NetId>>,
}

impl<'a> Names<'a> {
    /// Numbers every cell and net.
    pub fn new(netlist: &'a Netlist, hierarchy: Hierarchy) -> Self {
        let groups = netlist.groups().len();
        let mut count = vec![0u32; groups];
        let mut cell_number = Vec::with_capacity(netlist.cell_count());
        for cell in netlist.cells() {
            let slot = &mut count[netlist.group[cell.index()] as usize];
            cell_number.push(*slot);
            *slot += 1;
        }
        let drivers = netlist.drivers();
        let crosses = match hierarchy {
            Hierarchy::Flat => vec![false; netlist.net_count()],
            Hierarchy::Modules => crossing(netlist, &drivers),
        };
        let mut labels = vec![Label::None; netlist.net_count()];
        for (p, port) in netlist.ports.iter().enumerate() {
            for (bit, net) in port.bits.iter().enumerate() {
                labels[net.index()] = Label::Port(p as u32, bit as u32);
            }
        }
        let mut leaving: Vec<Vec<NetId>> = vec![Vec::new(); groups];
        let mut local = vec![0u32; groups];
        for (i, driver) in drivers.iter().enumerate() {
            let Driver::Pin(cell, _) = driver else {
                continue;
            };
            let group = netlist.group[cell.index()];
            let g = group as usize;
            if group != 0 && crosses[i] {
                let bit = leaving[g].len() as u32;
                leaving[g].push(NetId(i as u32));
                if labels[i] == Label::None {
                    labels[i] = Label::Leaves(group, bit);
                }
            } else if labels[i] == Label::None {
                labels[i] = Label::Local(group, local[g]);
                local[g] += 1;
            }
        }
        Self { netlist, hierarchy, labels, cell_number, leaving }
    }

    /// The netlist named.
    pub fn netlist(&self) -> &'a Netlist {
        self.netlist
    }

    /// The style.
    pub fn hierarchy(&self) -> Hierarchy {
        self.hierarchy
    }

    /// Writes the full name of a cell.
    pub fn cell<W: Write>(&self, out: &mut W, cell: CellId) -> io::Result<()> {
        let group = self.netlist.group[cell.index()];
        if group != 0 {
            let name = self.netlist.group_name(group);
            match self.hierarchy {
                Hierarchy::Flat => write!(out, "{name}_")?,
                Hierarchy::Modules => write!(out, "u_{name}/")?,
            }
        }
        self.cell_in_group(out, cell)
    }

    /// Writes the name of a cell inside its module.
    pub(crate) fn cell_in_group<W: Write>(&self, out: &mut W, cell: CellId) -> io::Result<()> {
        let family = self.netlist.family(cell);
        let letter = match family.kind {
            _ if matches!(family.name, "BUF" | "CLKBUF") => 'b',
            Kind::Flop { .. } | Kind::Latch => 'r',
            _ => 'g',
        };
        write!(out, "{letter}{}", self.cell_number[cell.index()])
    }

    /// Writes the full name of a net.
    pub fn net<W: Write>(&self, out: &mut W, net: NetId) -> io::Result<()> {
        match self.labels[net.index()] {
            Label::None => write!(out, "n_{}", net.0),
            Label::Port(port, bit) => {
                port_bit(out, &self.netlist.ports[port as usize], bit as usize)
            }
            Label::Local(0, number) => write!(out, "n{number}"),
            Label::Local(group, number) => {
                let name = self.netlist.group_name(group);
                match self.hierarchy {
                    Hierarchy::Flat => write!(out, "{name}_n{number}"),
                    Hierarchy::Modules => write!(out, "u_{name}/n{number}"),
                }
            }
            Label::Leaves(group, bit) => {
                write!(out, "{}_o[{bit}]", self.netlist.group_name(group))
            }
        }
    }
}

/// Writes `name` or `name[bit]`.
pub(crate) fn port_bit<W: Write>(out: &mut W, port: &Port, bit: usize) -> io::Result<()> {
    if port.is_bus { write!(out, "{}[{bit}]", port.name) } else { write!(out, "{}", port.name) }
}

/// Nets that a cell of another group, or an output port, uses.
fn crossing(n: &Netlist, drivers: &[Driver]) -> Vec<bool> {
    let mut crosses = crate::finish::output_nets(n);
    for cell in n.cells() {
        let group = n.group[cell.index()];
        for net in n.input_nets(cell) {
            if let Driver::Pin(driver, _) = drivers[net.index()]
                && n.group[driver.index()] != group
            {
                crosses[net.index()] = true;
            }
        }
    }
    crosses
}
