//! Gate-level Verilog writer: one flat module, or a module for each block.
//!
//! The modular form has bus ports, a concatenation on each block's inputs, bus bits on its outputs,
//! `assign` from a block's output to a port, and, if asked for, literal constants.

use std::io::{self, Write};

use crate::names::{Label, Names, port_bit};
use crate::netlist::{CellId, Direction, NetId};
use crate::spec::Hierarchy;

/// Writes the netlist in the style of `names`.
pub fn write<W: Write>(out: &mut W, names: &Names<'_>) -> io::Result<()> {
    writeln!(out, "// {}: written by cellwright-designs.", names.netlist().name)?;
    match names.hierarchy() {
        Hierarchy::Flat => flat(out, names),
        Hierarchy::Modules => modules(out, names),
    }
}

fn flat<W: Write>(out: &mut W, names: &Names<'_>) -> io::Result<()> {
    let n = names.netlist();
    top_header(out, names)?;
    for (i, label) in names.labels.iter().enumerate() {
        if matches!(label, Label::Local(..)) {
            write!(out, "  wire ")?;
            names.net(out, NetId(i as u32))?;
            writeln!(out, ";")?;
        }
    }
    writeln!(out)?;
    for cell in n.cells() {
        write!(out, "  {} ", n.master(cell).name)?;
        names.cell(out, cell)?;
        pins(out, names, cell, |out, net| names.net(out, net))?;
    }
    writeln!(out, "endmodule")
}

/// `module` line and port declarations of the top.
fn top_header<W: Write>(out: &mut W, names: &Names<'_>) -> io::Result<()> {
    let n = names.netlist();
    write!(out, "module {} (", n.name)?;
    for (i, port) in n.ports.iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        write!(out, "{comma}{}", port.name)?;
    }
    writeln!(out, ");")?;
    for port in &n.ports {
        let word = match port.direction {
            Direction::Input => "input",
            Direction::Output => "output",
        };
        if port.is_bus {
            writeln!(out, "  {word} [{}:0] {};", port.bits.len() - 1, port.name)?;
        } else {
            writeln!(out, "  {word} {};", port.name)?;
        }
    }
    Ok(())
}

/// The connection list of a cell and the end of its line.
fn pins<W: Write>(
    out: &mut W,
    names: &Names<'_>,
    cell: CellId,
    net_name: impl Fn(&mut W, NetId) -> io::Result<()>,
) -> io::Result<()> {
    let n = names.netlist();
    let family = n.family(cell);
    write!(out, " (")?;
    let mut first = true;
    for (i, net) in n.pins(cell).iter().enumerate() {
        if *net == NetId::OPEN {
            continue;
        }
        let comma = if first { "" } else { ", " };
        first = false;
        write!(out, "{comma}.{}(", family.pin_name(i))?;
        match *net {
            NetId::ZERO => write!(out, "1'b0")?,
            NetId::ONE => write!(out, "1'b1")?,
            net => net_name(out, net)?,
        }
        write!(out, ")")?;
    }
    writeln!(out, ");")
}

/// Cells and incoming nets of one group.
#[derive(Default)]
struct Module {
    cells: Vec<CellId>,
    entering: Vec<NetId>,
}

fn modules<W: Write>(out: &mut W, names: &Names<'_>) -> io::Result<()> {
    let n = names.netlist();
    let mut modules: Vec<Module> = Vec::new();
    modules.resize_with(n.groups().len(), Module::default);
    for cell in n.cells() {
        modules[n.group[cell.index()] as usize].cells.push(cell);
    }
    // Where a net is found in the module being written: its bit among the entering or leaving nets.
    let mut entering = vec![u32::MAX; n.net_count()];
    let mut leaving = vec![u32::MAX; n.net_count()];
    for (g, module) in modules.iter_mut().enumerate().skip(1) {
        for (bit, net) in names.leaving[g].iter().enumerate() {
            leaving[net.index()] = bit as u32;
        }
        let driven_here = |net: NetId| {
            leaving[net.index()] != u32::MAX
                || matches!(names.labels[net.index()], Label::Local(group, _) if group as usize == g)
        };
        for cell in &module.cells {
            for net in n.input_nets(*cell) {
                let known = entering[net.index()] != u32::MAX;
                if !known && !net.is_constant() && Some(*net) != n.clock && !driven_here(*net) {
                    entering[net.index()] = module.entering.len() as u32;
                    module.entering.push(*net);
                }
            }
        }
        if !module.cells.is_empty() {
            write_module(out, names, g, module, &entering, &leaving)?;
        }
        for net in &module.entering {
            entering[net.index()] = u32::MAX;
        }
        for net in &names.leaving[g] {
            leaving[net.index()] = u32::MAX;
        }
    }
    top_header(out, names)?;
    for (g, bits) in names.leaving.iter().enumerate().filter(|(_, bits)| !bits.is_empty()) {
        writeln!(out, "  wire [{}:0] {}_o;", bits.len() - 1, n.groups()[g])?;
    }
    for (i, label) in names.labels.iter().enumerate() {
        if matches!(label, Label::Local(0, _)) {
            write!(out, "  wire ")?;
            names.net(out, NetId(i as u32))?;
            writeln!(out, ";")?;
        }
    }
    // A port that a block drives is an alias of a bit of the block's output bus.
    let mut alias = vec![None; n.net_count()];
    for (g, bits) in names.leaving.iter().enumerate() {
        for (bit, net) in bits.iter().enumerate() {
            if let Label::Port(port, port_index) = names.labels[net.index()] {
                alias[net.index()] = Some((g, bit));
                write!(out, "  assign ")?;
                port_bit(out, &n.ports[port as usize], port_index as usize)?;
                writeln!(out, " = {}_o[{bit}];", n.groups()[g])?;
            }
        }
    }
    let top_name = |out: &mut W, net: NetId| match alias[net.index()] {
        Some((g, bit)) => write!(out, "{}_o[{bit}]", n.groups()[g]),
        None => names.net(out, net),
    };
    for (g, module) in modules.iter().enumerate().skip(1).filter(|(_, m)| !m.cells.is_empty()) {
        let name = &n.groups()[g];
        write!(out, "  {name} u_{name} (")?;
        let mut comma = "";
        if uses_clock(names, module) {
            write!(out, ".ck(clk)")?;
            comma = ", ";
        }
        if !module.entering.is_empty() {
            write!(out, "{comma}.i({{")?;
            for (k, net) in module.entering.iter().rev().enumerate() {
                if k > 0 {
                    write!(out, ", ")?;
                }
                top_name(out, *net)?;
            }
            write!(out, "}})")?;
            comma = ", ";
        }
        if !names.leaving[g].is_empty() {
            write!(out, "{comma}.o({name}_o)")?;
        }
        writeln!(out, ");")?;
    }
    for cell in &modules[0].cells {
        write!(out, "  {} ", n.master(*cell).name)?;
        names.cell_in_group(out, *cell)?;
        pins(out, names, *cell, top_name)?;
    }
    writeln!(out, "endmodule")
}

fn uses_clock(names: &Names<'_>, module: &Module) -> bool {
    let n = names.netlist();
    n.clock.is_some_and(|clock| module.cells.iter().any(|c| n.input_nets(*c).contains(&clock)))
}

fn write_module<W: Write>(
    out: &mut W,
    names: &Names<'_>,
    g: usize,
    module: &Module,
    entering: &[u32],
    leaving: &[u32],
) -> io::Result<()> {
    let n = names.netlist();
    let clock = uses_clock(names, module);
    let mut ports = Vec::new();
    ports.extend(clock.then_some("ck"));
    ports.extend((!module.entering.is_empty()).then_some("i"));
    ports.extend((!names.leaving[g].is_empty()).then_some("o"));
    writeln!(out, "module {} ({});", n.groups()[g], ports.join(", "))?;
    if clock {
        writeln!(out, "  input ck;")?;
    }
    if !module.entering.is_empty() {
        writeln!(out, "  input [{}:0] i;", module.entering.len() - 1)?;
    }
    if !names.leaving[g].is_empty() {
        writeln!(out, "  output [{}:0] o;", names.leaving[g].len() - 1)?;
    }
    let local = |out: &mut W, net: NetId| {
        if Some(net) == n.clock {
            return write!(out, "ck");
        }
        match (entering[net.index()], leaving[net.index()], names.labels[net.index()]) {
            (u32::MAX, u32::MAX, Label::Local(_, number)) => write!(out, "n{number}"),
            (u32::MAX, bit, _) => write!(out, "o[{bit}]"),
            (bit, ..) => write!(out, "i[{bit}]"),
        }
    };
    for cell in &module.cells {
        for net in n.output_nets(*cell).iter().filter(|net| **net != NetId::OPEN) {
            if matches!(names.labels[net.index()], Label::Local(..)) {
                write!(out, "  wire ")?;
                local(out, *net)?;
                writeln!(out, ";")?;
            }
        }
    }
    for cell in &module.cells {
        write!(out, "  {} ", n.master(*cell).name)?;
        names.cell_in_group(out, *cell)?;
        pins(out, names, *cell, local)?;
    }
    writeln!(out, "endmodule\n")
}
