//! SPEF writer with a star for each net, for timing tests that need parasitics before a placement.
//!
//! The trunk from the driver to the star point is a quarter of the net's expected length
//! ([`crate::sizing::expected_length`]); the rest is spread over the branches, branch `k` of `f` being
//! longer than the mean by `(k mod 3 − 1) · 20 %`. Each segment puts half of its capacitance on either
//! end. The clock gets a star too, of clock wire; where the constraints leave it ideal it has no effect.

use std::io::{self, Write};

use crate::names::{Names, port_bit};
use crate::netlist::{Driver, NetId, Port};
use crate::sizing::expected_length;
use crate::tech;

/// Writes the parasitics: ns, pF, kΩ, numbers in a name map.
pub fn write<W: Write>(out: &mut W, names: &Names<'_>) -> io::Result<()> {
    let n = names.netlist();
    writeln!(out, "*SPEF \"IEEE 1481-1998\"")?;
    writeln!(out, "*DESIGN \"{}\"", n.name)?;
    writeln!(out, "*DATE \"none\"")?;
    writeln!(out, "*VENDOR \"cellwright\"")?;
    writeln!(out, "*PROGRAM \"cellwright-designs\"")?;
    writeln!(out, "*VERSION \"1\"")?;
    writeln!(out, "*DESIGN_FLOW \"NETLIST_TYPE_VERILOG\"")?;
    writeln!(out, "*DIVIDER /")?;
    writeln!(out, "*DELIMITER :")?;
    writeln!(out, "*BUS_DELIMITER [ ]")?;
    writeln!(out, "*T_UNIT 1 NS")?;
    writeln!(out, "*C_UNIT 1 PF")?;
    writeln!(out, "*R_UNIT 1 KOHM")?;
    writeln!(out, "*L_UNIT 1 HENRY\n")?;
    let drivers = n.drivers();
    let sinks = n.sinks();
    let mut port_of: Vec<Option<(&Port, usize)>> = vec![None; n.net_count()];
    for port in &n.ports {
        for (bit, net) in port.bits.iter().enumerate() {
            port_of[net.index()] = Some((port, bit));
        }
    }
    writeln!(out, "*NAME_MAP")?;
    for net in 2..n.net_count() as u32 {
        if drivers[net as usize] != Driver::None {
            write!(out, "*{net} ")?;
            names.net(out, NetId(net))?;
            writeln!(out)?;
        }
    }
    // Cells are numbered after the nets.
    let base = n.net_count() as u32;
    for cell in n.cells() {
        write!(out, "*{} ", base + cell.0)?;
        names.cell(out, cell)?;
        writeln!(out)?;
    }
    writeln!(out)?;
    for net in (2..n.net_count() as u32).map(NetId) {
        let list = sinks.of(net);
        let port = port_of[net.index()];
        let is_output = port.is_some() && drivers[net.index()] != Driver::Port;
        let fanout = list.len() + usize::from(is_output);
        if drivers[net.index()] == Driver::None || fanout == 0 {
            continue;
        }
        let wire = if Some(net) == n.clock { tech::clock_wire() } else { tech::signal_wire() };
        let length = expected_length(fanout, n.cell_count());
        let trunk = 0.25 * length;
        let branch =
            |k: usize| 0.75 * length / fanout as f64 * (1.0 + 0.2 * ((k % 3) as f64 - 1.0));
        let lengths: Vec<f64> = (0..fanout).map(branch).collect();
        let total: f64 = trunk + lengths.iter().sum::<f64>();
        writeln!(out, "*D_NET *{} {:.7}", net.0, total * wire.c)?;
        writeln!(out, "*CONN")?;
        let mut nodes = Vec::with_capacity(fanout + 1);
        match drivers[net.index()] {
            Driver::Pin(cell, pin) => {
                let name = n.family(cell).pin_name((pin - n.first_pin(cell)) as usize);
                writeln!(out, "*I *{}:{name} O", base + cell.0)?;
                nodes.push(format!("*{}:{name}", base + cell.0));
            }
            _ => {
                if let Some((port, bit)) = port {
                    let name = port_text(port, bit);
                    writeln!(out, "*P {name} I")?;
                    nodes.push(name);
                }
            }
        }
        if let (true, Some((port, bit))) = (is_output, port) {
            let name = port_text(port, bit);
            writeln!(out, "*P {name} O")?;
            nodes.push(name);
        }
        for (cell, pin) in list {
            let name = n.family(*cell).pin_name(usize::from(*pin));
            writeln!(out, "*I *{}:{name} I", base + cell.0)?;
            nodes.push(format!("*{}:{name}", base + cell.0));
        }
        let star = format!("*{}:1", net.0);
        writeln!(out, "*CAP")?;
        writeln!(out, "1 {star} {:.7}", 0.5 * total * wire.c)?;
        for (k, node) in nodes.iter().enumerate() {
            let own = if k == 0 { trunk } else { lengths[k - 1] };
            writeln!(out, "{} {node} {:.7}", k + 2, 0.5 * own * wire.c)?;
        }
        writeln!(out, "*RES")?;
        for (k, node) in nodes.iter().enumerate() {
            let own = if k == 0 { trunk } else { lengths[k - 1] };
            let (a, b) = if k == 0 { (node, &star) } else { (&star, node) };
            writeln!(out, "{} {a} {b} {:.7}", k + 1, own * wire.r)?;
        }
        writeln!(out, "*END\n")?;
    }
    Ok(())
}

fn port_text(port: &Port, bit: usize) -> String {
    let mut name = Vec::new();
    // Writing to memory cannot fail.
    let _ = port_bit(&mut name, port, bit);
    String::from_utf8_lossy(&name).into_owned()
}
