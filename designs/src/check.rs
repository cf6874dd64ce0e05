//! Rules that every generated netlist keeps, and the topological order that proves the last of them.

use crate::netlist::{CellId, Direction, Driver, NetId, Netlist};

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// An input pin or output port without a driver.
    #[error("net {net} has a load but no driver")]
    Undriven {
        /// Net number.
        net: u32,
    },
    /// Two outputs on one net.
    #[error("net {net} has more than one driver")]
    SeveralDrivers {
        /// Net number.
        net: u32,
    },
    /// A driven net that goes nowhere.
    #[error("net {net} has no load")]
    Unloaded {
        /// Net number.
        net: u32,
    },
    /// A cell with a wrong number of pins, or an open input.
    #[error("cell {cell} ({master}) has an open or missing pin")]
    Pins {
        /// Cell number.
        cell: u32,
        /// Its master.
        master: String,
    },
    /// Two output ports on one net, or an input port that is also an output.
    #[error("port {port} shares a net with another port")]
    SharedPort {
        /// Port name.
        port: String,
    },
    /// Combinational logic that feeds itself.
    #[error("combinational loop through cell {cell}")]
    Loop {
        /// One cell of the loop.
        cell: u32,
    },
}

/// Checks: cell pins complete and inputs connected, one driver for each net, no net without a load,
/// no shared ports, no combinational loop.
pub fn check(netlist: &Netlist) -> Result<(), Flaw> {
    let mut driven = vec![0u32; netlist.net_count()];
    let mut loaded = vec![false; netlist.net_count()];
    driven[NetId::ZERO.index()] = 1;
    driven[NetId::ONE.index()] = 1;
    let mut on_port = vec![false; netlist.net_count()];
    for port in &netlist.ports {
        for net in &port.bits {
            if std::mem::replace(&mut on_port[net.index()], true) || net.is_constant() {
                return Err(Flaw::SharedPort { port: port.name.clone() });
            }
            match port.direction {
                Direction::Input => driven[net.index()] += 1,
                Direction::Output => loaded[net.index()] = true,
            }
        }
    }
    for cell in netlist.cells() {
        let family = netlist.family(cell);
        let flaw = || Flaw::Pins { cell: cell.0, master: netlist.master(cell).name.clone() };
        if netlist.pins(cell).len() != family.pin_count() {
            return Err(flaw());
        }
        for net in netlist.input_nets(cell) {
            if net.index() >= loaded.len() {
                return Err(flaw());
            }
            loaded[net.index()] = true;
        }
        for net in netlist.output_nets(cell).iter().filter(|n| **n != NetId::OPEN) {
            if net.index() >= driven.len() {
                return Err(flaw());
            }
            driven[net.index()] += 1;
        }
    }
    for net in 0..netlist.net_count() {
        let id = net as u32;
        match (driven[net], loaded[net]) {
            (0, true) => return Err(Flaw::Undriven { net: id }),
            (2.., _) => return Err(Flaw::SeveralDrivers { net: id }),
            (1, false) if net > 1 => return Err(Flaw::Unloaded { net: id }),
            _ => {}
        }
    }
    topological_order(netlist).map(|_| ())
}

/// Cells in an order in which every combinational cell comes after the cells that feed it through a
/// combinational pin. Registers and constants come first, all in cell order within a wave.
pub fn topological_order(netlist: &Netlist) -> Result<Vec<CellId>, Flaw> {
    let drivers = netlist.drivers();
    let sinks = netlist.sinks();
    let mut waiting = vec![0u32; netlist.cell_count()];
    for cell in netlist.cells() {
        let family = netlist.family(cell);
        for (i, net) in netlist.input_nets(cell).iter().enumerate() {
            if family.is_through(i) && matches!(drivers[net.index()], Driver::Pin(..)) {
                waiting[cell.index()] += 1;
            }
        }
    }
    let mut order: Vec<CellId> = netlist.cells().filter(|c| waiting[c.index()] == 0).collect();
    let mut next = 0;
    while let Some(&cell) = order.get(next) {
        next += 1;
        for net in netlist.output_nets(cell).iter().filter(|n| **n != NetId::OPEN) {
            for &(sink, pin) in sinks.of(*net) {
                if netlist.family(sink).is_through(usize::from(pin)) {
                    let left = &mut waiting[sink.index()];
                    *left -= 1;
                    if *left == 0 {
                        order.push(sink);
                    }
                }
            }
        }
    }
    match netlist.cells().find(|c| waiting[c.index()] > 0) {
        Some(cell) => Err(Flaw::Loop { cell: cell.0 }),
        None => Ok(order),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::Gate;

    #[test]
    fn each_flaw_is_found() {
        let mut n = Netlist::new("t");
        let a = n.add_input("a", 1)[0];
        assert_eq!(check(&n), Err(Flaw::Unloaded { net: a.0 }));
        let open = n.net();
        let y = n.gate(Gate::Nand2, &[a, open]);
        n.add_output("y", vec![y]);
        assert_eq!(check(&n), Err(Flaw::Undriven { net: open.0 }));
        n.place_gate(Gate::Inv, &[y], &[open]);
        assert!(matches!(check(&n), Err(Flaw::Loop { .. })));
        n.place_gate(Gate::Inv, &[a], &[open]);
        assert_eq!(check(&n), Err(Flaw::SeveralDrivers { net: open.0 }));
    }

    #[test]
    fn a_loop_through_a_register_is_allowed() {
        let mut n = Netlist::new("t");
        let q = n.net();
        let d = n.gate(Gate::Inv, &[q]);
        n.flop_into(d, q);
        assert_eq!(check(&n), Ok(()));
    }
}
