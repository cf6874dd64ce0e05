//! Writing networks as SPEF.

use std::fmt::Write;

use cellwright_db::library::PinDirection;
use cellwright_db::{Design, NetId, Owner, PinId};
use cellwright_sta::parasitics::{RcNet, RcNode};

/// Writes networks as SPEF in ns, pF and kΩ, without a name map.
///
/// Coupling capacitances do not say to which net they go, so they are written to ground; reading
/// the file back gives them in `cap`.
#[must_use]
pub fn write_spef(design: &Design, nets: &[RcNet]) -> String {
    let mut out = String::new();
    let name = design.name().replace('"', "");
    let _ = writeln!(out, "*SPEF \"IEEE 1481-1999\"\n*DESIGN \"{name}\"\n*DATE \"\"");
    let _ = writeln!(out, "*VENDOR \"\"\n*PROGRAM \"cellwright\"\n*VERSION \"\"");
    let _ = writeln!(out, "*DESIGN_FLOW \"PIN_CAP NONE\"\n*DIVIDER /\n*DELIMITER :");
    let _ = writeln!(out, "*BUS_DELIMITER [ ]\n*T_UNIT 1 NS\n*C_UNIT 1 PF\n*R_UNIT 1 KOHM");
    let _ = writeln!(out, "*L_UNIT 1 HENRY\n\n*PORTS");
    for (port, record) in design.ports().iter() {
        let direction = letter(record.direction);
        let name = escaped(design.port_name(port), record.bus.is_some());
        let _ = writeln!(out, "{name} {direction}");
    }
    for net in nets {
        write_net(design, net, &mut out);
    }
    out
}

fn letter(direction: PinDirection) -> char {
    match direction {
        PinDirection::Input => 'I',
        PinDirection::Output => 'O',
        _ => 'B',
    }
}

/// A name with a backslash before everything that is neither a letter, a digit, `_` nor a delimiter
/// that the header declares. Brackets are delimiters in the bit of a bus only: ports and pins have
/// buses, cells and nets inside have flat names, as in the Verilog that is written.
fn escaped(name: &str, bus_bit: bool) -> String {
    let mut out = String::with_capacity(name.len());
    for char in name.chars() {
        let delimiter = char == '/' || (bus_bit && matches!(char, '[' | ']'));
        if !char.is_ascii_alphanumeric() && char != '_' && !delimiter && char.is_ascii() {
            out.push('\\');
        }
        out.push(char);
    }
    out
}

/// Whether a net is a bit of a port's bus: a port on it has its name.
fn is_bus_bit(design: &Design, net: NetId) -> bool {
    let name = design.net_name(net);
    design.net_pins(net).iter().any(|pin| match design.owner(*pin) {
        Owner::Port(port) => design.ports()[port].bus.is_some() && design.port_name(port) == name,
        Owner::Cell(..) => false,
    })
}

fn pin_name(design: &Design, pin: PinId) -> String {
    match design.owner(pin) {
        Owner::Port(port) => escaped(design.port_name(port), design.ports()[port].bus.is_some()),
        Owner::Cell(cell, number) => {
            let pin = design.master(cell).pins.get(number.index()).map_or("", |pin| &pin.name);
            format!("{}:{}", escaped(design.cell_name(cell), false), escaped(pin, true))
        }
    }
}

fn write_net(design: &Design, net: &RcNet, out: &mut String) {
    let name = escaped(design.net_name(net.net), is_bus_bit(design, net.net));
    let total: f64 =
        net.cap.iter().chain(net.coupling.iter().map(|(_, c)| c)).map(|c| f64::from(*c)).sum();
    let nodes: Vec<String> = net
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| match node {
            RcNode::Pin(pin) => pin_name(design, *pin),
            // Positions are unique; the numbers of joined files may not be.
            RcNode::Internal(_) => format!("{name}:{}", index + 1),
        })
        .collect();
    let node = |index: u32| nodes.get(index as usize).map_or("", String::as_str);
    let _ = writeln!(out, "\n*D_NET {name} {total}\n*CONN");
    for (text, entry) in nodes.iter().zip(&net.nodes) {
        if let RcNode::Pin(pin) = entry {
            let (kind, direction) = match design.owner(*pin) {
                Owner::Port(port) => ("*P", letter(design.ports()[port].direction)),
                Owner::Cell(..) => ("*I", letter(design.pin_direction(*pin))),
            };
            let _ = writeln!(out, "{kind} {text} {direction}");
        }
    }
    let mut caps: Vec<f64> = net.cap.iter().map(|cap| f64::from(*cap)).collect();
    for (at, cap) in &net.coupling {
        if let Some(slot) = caps.get_mut(*at as usize) {
            *slot += f64::from(*cap);
        }
    }
    let _ = writeln!(out, "*CAP");
    for (index, cap) in caps.iter().enumerate() {
        let _ = writeln!(out, "{} {} {cap}", index + 1, node(index as u32));
    }
    let _ = writeln!(out, "*RES");
    for (index, (a, b, ohms)) in net.res.iter().enumerate() {
        let _ = writeln!(out, "{} {} {} {ohms}", index + 1, node(*a), node(*b));
    }
    let _ = writeln!(out, "*END");
}
