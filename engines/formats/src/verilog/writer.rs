//! Writing a flat netlist as structural Verilog.
//!
//! Ports that form a bus are written as that bus, every other name as a scalar, escaped where it is
//! no plain identifier. So the text reads back to the same flat names. A bus pin of a cell is
//! written as a concatenation; bits of it that have no connection get a wire of their own
//! (`_open_N`), since Verilog has no other way to leave them open.

use super::ast::Tie;
use super::flat::{Connection, NetRef};
use super::masters::PortDirection;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

/// A port as a view gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortView<'v> {
    /// Its name; a bus bit is `NAME[BIT]`.
    pub name: &'v str,
    /// Which way it faces.
    pub direction: PortDirection,
    /// What it is connected to; `None` if it is open.
    pub net: Option<NetRef>,
    /// Name and bit of its bus. The bits of a bus are ports in a row, each one up or down from the
    /// one before.
    pub bus: Option<(&'v str, i32)>,
}

/// A port of a cell that has other pins than one of its own name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorPort {
    /// Its name.
    pub name: String,
    /// Its pins from the most significant bit.
    pub pins: Vec<String>,
}

/// What can be written as flat Verilog.
pub trait FlatNetlistView {
    /// Name of the module.
    fn module_name(&self) -> &str;
    /// How many ports there are, each bit counted.
    fn port_count(&self) -> usize;
    /// A port.
    fn port(&self, index: usize) -> Option<PortView<'_>>;
    /// How many nets there are.
    fn net_count(&self) -> usize;
    /// Name of a net.
    fn net_name(&self, net: usize) -> &str;
    /// The level that a net is tied to.
    fn net_tie(&self, net: usize) -> Option<Tie>;
    /// How many cells there are.
    fn master_count(&self) -> usize;
    /// Name of a cell.
    fn master_name(&self, master: usize) -> &str;
    /// The bus ports of a cell.
    fn master_vectors(&self, master: usize) -> Vec<VectorPort>;
    /// How many instances there are.
    fn instance_count(&self) -> usize;
    /// Name of an instance.
    fn instance_name(&self, instance: usize) -> &str;
    /// The cell of an instance.
    fn instance_master(&self, instance: usize) -> usize;
    /// Calls `each` with pin name and net of each connected pin.
    fn for_each_connection(&self, instance: usize, each: &mut dyn FnMut(&str, NetRef));
}

/// Writes a netlist.
///
/// # Errors
/// When `out` cannot be written to, or a name holds a blank or nothing, which Verilog cannot say.
pub fn write_verilog(view: &dyn FlatNetlistView, out: &mut impl Write) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    let names = PortNames::new(view);
    header(view, &mut out)?;
    let masters: Vec<Pins> = (0..view.master_count()).map(|m| Pins::new(view, m)).collect();
    let taken: HashSet<&str> = if masters.iter().any(|m| !m.vectors.is_empty()) {
        (0..view.net_count())
            .map(|n| view.net_name(n))
            .filter(|n| n.starts_with("_open_"))
            .collect()
    } else {
        HashSet::new()
    };
    for net in (0..view.net_count()).filter(|n| !names.of_net.contains_key(n)) {
        write!(out, "  wire ")?;
        identifier(&mut out, view.net_name(net))?;
        writeln!(out, ";")?;
    }
    assigns(view, &names, &mut out)?;
    let mut writer = Instances { view, names: &names, masters: &masters, taken, open: 0 };
    for instance in 0..view.instance_count() {
        writer.instance(instance, &mut out)?;
    }
    writeln!(out, "endmodule")?;
    out.flush()
}

/// Nets that carry the name of a port, so that they are written as the port.
struct PortNames {
    /// Net to port.
    of_net: HashMap<usize, usize>,
}

impl PortNames {
    fn new(view: &dyn FlatNetlistView) -> Self {
        let mut of_net = HashMap::new();
        for (index, port) in (0..view.port_count()).filter_map(|p| Some((p, view.port(p)?))) {
            if let Some(Connection::Net(net)) = port.net.map(NetRef::connection) {
                let net = net as usize;
                if view.net_name(net) == port.name {
                    of_net.entry(net).or_insert(index);
                }
            }
        }
        Self { of_net }
    }
}

fn header(view: &dyn FlatNetlistView, out: &mut impl Write) -> io::Result<()> {
    write!(out, "module ")?;
    identifier(out, view.module_name())?;
    write!(out, " (")?;
    let mut declarations: Vec<u8> = Vec::new();
    let mut first = true;
    let mut index = 0;
    while let Some(port) = view.port(index) {
        let (name, last) = bus_end(view, index, &port);
        write!(out, "{}", if first { "" } else { ", " })?;
        first = false;
        identifier(out, name)?;
        let word = match port.direction {
            PortDirection::Input => "input",
            PortDirection::Output => "output",
            PortDirection::Inout => "inout",
        };
        write!(declarations, "  {word} ")?;
        if let (Some((_, from)), Some((_, to))) = (port.bus, view.port(last).and_then(|p| p.bus)) {
            write!(declarations, "[{from}:{to}] ")?;
        }
        identifier(&mut declarations, name)?;
        writeln!(declarations, ";")?;
        index = last + 1;
    }
    writeln!(out, ");")?;
    out.write_all(&declarations)
}

/// The name to declare for the port at `index`, and the last port of its bus.
fn bus_end<'v>(
    view: &'v dyn FlatNetlistView,
    index: usize,
    port: &PortView<'v>,
) -> (&'v str, usize) {
    let Some((bus, mut bit)) = port.bus else { return (port.name, index) };
    let mut last = index;
    let mut step = 0;
    while let Some((name, next)) = view.port(last + 1).and_then(|p| p.bus) {
        let delta = next.saturating_sub(bit);
        if name != bus || delta.abs() != 1 || (step != 0 && delta != step) {
            break;
        }
        (step, bit) = (delta, next);
        last += 1;
    }
    (bus, last)
}

/// Ports whose net has another name, and nets that are tied.
fn assigns(view: &dyn FlatNetlistView, names: &PortNames, out: &mut impl Write) -> io::Result<()> {
    for index in 0..view.port_count() {
        let Some(port) = view.port(index) else { continue };
        let Some(net) = port.net else { continue };
        if let Connection::Net(n) = net.connection()
            && names.of_net.get(&(n as usize)) == Some(&index)
        {
            continue;
        }
        write!(out, "  assign ")?;
        port_name(out, &port)?;
        write!(out, " = ")?;
        net_name(out, view, names, net)?;
        writeln!(out, ";")?;
    }
    for net in 0..view.net_count() {
        let Some(tie) = view.net_tie(net) else { continue };
        let Ok(index) = u32::try_from(net) else { continue };
        write!(out, "  assign ")?;
        net_name(out, view, names, NetRef::net(index))?;
        writeln!(out, " = {};", if tie == Tie::One { "1'b1" } else { "1'b0" })?;
    }
    Ok(())
}

/// Where the pins of a cell's bus ports belong.
struct Pins {
    vectors: Vec<VectorPort>,
    place: HashMap<String, (usize, usize)>,
}

impl Pins {
    fn new(view: &dyn FlatNetlistView, master: usize) -> Self {
        let vectors = view.master_vectors(master);
        let mut place = HashMap::new();
        for (v, vector) in vectors.iter().enumerate() {
            for (p, pin) in vector.pins.iter().enumerate() {
                place.insert(pin.clone(), (v, p));
            }
        }
        Self { vectors, place }
    }
}

struct Instances<'w> {
    view: &'w dyn FlatNetlistView,
    names: &'w PortNames,
    masters: &'w [Pins],
    taken: HashSet<&'w str>,
    open: u64,
}

impl Instances<'_> {
    fn instance(&mut self, instance: usize, out: &mut impl Write) -> io::Result<()> {
        let master = self.view.instance_master(instance);
        let mut text: Vec<u8> = Vec::new();
        let mut bits: Vec<(usize, usize, NetRef)> = Vec::new();
        let mut result = Ok(());
        let pins = self.masters.get(master);
        let (view, names) = (self.view, self.names);
        let mut first = true;
        view.for_each_connection(instance, &mut |pin, net| {
            if let Some(&(vector, position)) = pins.and_then(|p| p.place.get(pin)) {
                bits.push((vector, position, net));
            } else if result.is_ok() {
                result = scalar(&mut text, view, names, &mut first, pin, net);
            }
        });
        result?;
        bits.sort_by_key(|b| (b.0, b.1));
        for group in bits.chunk_by(|a, b| a.0 == b.0) {
            let vector = group.first().and_then(|g| pins?.vectors.get(g.0));
            let Some(vector) = vector else { continue };
            write!(text, "{}.", if first { "" } else { ", " })?;
            first = false;
            identifier(&mut text, &vector.name)?;
            write!(text, "({{")?;
            for position in 0..vector.pins.len() {
                write!(text, "{}", if position == 0 { "" } else { ", " })?;
                match group.binary_search_by_key(&position, |g| g.1).ok().and_then(|g| group.get(g))
                {
                    Some(&(_, _, net)) => net_name(&mut text, view, names, net)?,
                    None => {
                        let name = self.open_wire();
                        writeln!(out, "  wire {name};")?;
                        write!(text, "{name}")?;
                    }
                }
            }
            write!(text, "}})")?;
        }
        write!(out, "  ")?;
        identifier(out, self.view.master_name(master))?;
        write!(out, " ")?;
        identifier(out, self.view.instance_name(instance))?;
        write!(out, " (")?;
        out.write_all(&text)?;
        writeln!(out, ");")
    }

    fn open_wire(&mut self) -> String {
        loop {
            let name = format!("_open_{}", self.open);
            self.open += 1;
            if !self.taken.contains(name.as_str()) {
                return name;
            }
        }
    }
}

fn scalar(
    text: &mut Vec<u8>,
    view: &dyn FlatNetlistView,
    names: &PortNames,
    first: &mut bool,
    pin: &str,
    net: NetRef,
) -> io::Result<()> {
    write!(text, "{}.", if *first { "" } else { ", " })?;
    *first = false;
    identifier(text, pin)?;
    write!(text, "(")?;
    net_name(text, view, names, net)?;
    write!(text, ")")
}

fn net_name(
    out: &mut impl Write,
    view: &dyn FlatNetlistView,
    names: &PortNames,
    net: NetRef,
) -> io::Result<()> {
    let index = match net.connection() {
        Connection::Const0 => return write!(out, "1'b0"),
        Connection::Const1 => return write!(out, "1'b1"),
        Connection::Net(index) => index as usize,
    };
    match names.of_net.get(&index).and_then(|&p| view.port(p)) {
        Some(port) => port_name(out, &port),
        None => identifier(out, view.net_name(index)),
    }
}

fn port_name(out: &mut impl Write, port: &PortView<'_>) -> io::Result<()> {
    match port.bus {
        Some((bus, bit)) => {
            identifier(out, bus)?;
            write!(out, "[{bit}]")
        }
        None => identifier(out, port.name),
    }
}

/// A name, escaped if it is no plain identifier.
fn identifier(out: &mut impl Write, name: &str) -> io::Result<()> {
    let bytes = name.as_bytes();
    let Some(first) = bytes.first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a name is empty"));
    };
    let plain = (first.is_ascii_alphabetic() || *first == b'_')
        && bytes.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$')
        && !is_keyword(name);
    if plain {
        return out.write_all(bytes);
    }
    if bytes.iter().any(|&b| b <= b' ') {
        let message = format!("the name `{name}` holds a blank, which Verilog cannot write");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    write!(out, "\\{name} ")
}

/// Reserved words of IEEE 1364-2005 and the ones of IEEE 1800 that readers also reserve.
fn is_keyword(name: &str) -> bool {
    KEYWORDS.binary_search(&name).is_ok()
}

/// Sorted.
const KEYWORDS: [&str; 144] = [
    "alias",
    "always",
    "always_comb",
    "always_ff",
    "always_latch",
    "and",
    "assert",
    "assign",
    "automatic",
    "begin",
    "bind",
    "bit",
    "buf",
    "bufif0",
    "bufif1",
    "byte",
    "case",
    "casex",
    "casez",
    "cell",
    "class",
    "cmos",
    "config",
    "const",
    "deassign",
    "default",
    "defparam",
    "design",
    "disable",
    "edge",
    "else",
    "end",
    "endcase",
    "endconfig",
    "endfunction",
    "endgenerate",
    "endmodule",
    "endprimitive",
    "endspecify",
    "endtable",
    "endtask",
    "enum",
    "event",
    "final",
    "for",
    "force",
    "forever",
    "fork",
    "function",
    "generate",
    "genvar",
    "highz0",
    "highz1",
    "if",
    "ifnone",
    "import",
    "incdir",
    "include",
    "initial",
    "inout",
    "input",
    "instance",
    "int",
    "integer",
    "interface",
    "join",
    "large",
    "liblist",
    "library",
    "localparam",
    "logic",
    "macromodule",
    "medium",
    "module",
    "nand",
    "negedge",
    "nmos",
    "nor",
    "noshowcancelled",
    "not",
    "notif0",
    "notif1",
    "or",
    "output",
    "package",
    "parameter",
    "pmos",
    "posedge",
    "primitive",
    "program",
    "pull0",
    "pull1",
    "pulldown",
    "pullup",
    "pulsestyle_ondetect",
    "pulsestyle_onevent",
    "rcmos",
    "real",
    "realtime",
    "reg",
    "release",
    "repeat",
    "rnmos",
    "rpmos",
    "rtran",
    "rtranif0",
    "rtranif1",
    "scalared",
    "showcancelled",
    "signed",
    "small",
    "specify",
    "specparam",
    "strong0",
    "strong1",
    "struct",
    "supply0",
    "supply1",
    "table",
    "task",
    "time",
    "tran",
    "tranif0",
    "tranif1",
    "tri",
    "tri0",
    "tri1",
    "triand",
    "trior",
    "trireg",
    "typedef",
    "unsigned",
    "use",
    "uwire",
    "vectored",
    "wait",
    "wand",
    "weak0",
    "weak1",
    "while",
    "wire",
    "wor",
    "xnor",
    "xor",
];
