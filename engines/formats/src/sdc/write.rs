//! Writing constraints as flat SDC: one command for each fact, without variables or patterns.

use std::fmt::Write;

use super::tcl::value::push_element;
use cellwright_db::{CellId, Design, MasterId, MasterPinId, NetId, Owner, PinId, PortId};
use cellwright_sta::constraints::{ClockId, Constraints, Units, Values};

/// Writes constraints as flat SDC that [`super::read_sdc`] and other timers read.
///
/// Numbers are written in `units`, which the file states itself with `set_units` only in a
/// comment: timers differ in whether they scale by that command, and all read the first library's
/// units without it. So give [`super::library_units`] for a file that others are to read.
/// What SDC has no command for is written as a comment.
#[must_use]
pub fn write_sdc(constraints: &Constraints, design: &Design, units: Units) -> String {
    let mut writer = Writer { c: constraints, design, units, out: String::new() };
    writer.all();
    writer.out
}

pub(super) struct Writer<'a> {
    pub(super) c: &'a Constraints,
    pub(super) design: &'a Design,
    pub(super) units: Units,
    pub(super) out: String,
}

/// Shortest text that reads back as the same number.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 { "0".into() } else { format!("{value}") }
}

/// A name as one word of Tcl.
pub(super) fn word(name: &str) -> String {
    if name.contains(['{', '}', '\\', '\n']) {
        let mut out = String::new();
        push_element(name, &mut out);
        return out;
    }
    format!("{{{name}}}")
}

/// A name as the argument of a query: a list of one pattern that matches only itself.
pub(super) fn braced(name: &str) -> String {
    if !name.contains(|c: char| c.is_whitespace() || "{}\\*?\"".contains(c)) {
        return format!("{{{name}}}");
    }
    let mut pattern = String::new();
    for char in name.chars() {
        if matches!(char, '\\' | '*' | '?') {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    let mut list = String::new();
    push_element(&pattern, &mut list);
    word(&list)
}

pub(super) const SIDES: [&str; 2] = [" -min", " -max"];
pub(super) const EDGES: [&str; 2] = [" -rise", " -fall"];

impl Writer<'_> {
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    /// A value in the file's unit. Multiplying by what a file's own scaling undoes keeps most
    /// numbers as they were.
    pub(super) fn scaled(&self, value: f64, unit: f64) -> String {
        if unit == 1.0 {
            return number(value);
        }
        let exact = value / unit;
        // The nearest short decimal that comes back as the same value, if there is one.
        for digits in 1..17 {
            let short: f64 = format!("{exact:.digits$e}").parse().unwrap_or(exact);
            if short * unit == value {
                return number(short);
            }
        }
        number(exact)
    }
    pub(super) fn time(&self, value: f64) -> String {
        self.scaled(value, self.units.time)
    }
    pub(super) fn cap(&self, value: f64) -> String {
        self.scaled(value, self.units.capacitance)
    }
    pub(super) fn res(&self, value: f64) -> String {
        self.scaled(value, self.units.resistance)
    }

    pub(super) fn clock(&self, clock: ClockId) -> String {
        let name = self.c.clocks.get(clock).map_or("", |clock| &clock.name);
        format!("[get_clocks {}]", braced(name))
    }
    pub(super) fn clocks(&self, clocks: &[ClockId]) -> String {
        join(clocks.iter().map(|clock| self.clock(*clock)))
    }
    pub(super) fn port(&self, port: PortId) -> String {
        format!("[get_ports {}]", braced(self.design.port_name(port)))
    }
    pub(super) fn pin(&self, pin: PinId) -> String {
        match self.design.owner(pin) {
            Owner::Port(port) => self.port(port),
            Owner::Cell(..) => format!("[get_pins {}]", braced(&self.design.pin_name(pin))),
        }
    }
    pub(super) fn pins(&self, pins: &[PinId]) -> String {
        join(pins.iter().map(|pin| self.pin(*pin)))
    }
    pub(super) fn cell(&self, cell: CellId) -> String {
        format!("[get_cells {}]", braced(self.design.cell_name(cell)))
    }
    pub(super) fn net(&self, net: NetId) -> String {
        format!("[get_nets {}]", braced(self.design.net_name(net)))
    }
    pub(super) fn master(&self, master: MasterId) -> String {
        let library = self.design.library();
        let lib = library
            .timing_libs
            .iter()
            .find(|lib| lib.cells.iter().any(|cell| cell.master == master))
            .map_or(String::new(), |lib| format!("{}/", lib.name));
        let name = library.masters.get(master).map_or("", |master| &master.name);
        format!("[get_lib_cells {}]", braced(&format!("{lib}{name}")))
    }
    pub(super) fn master_pin(&self, master: MasterId, pin: MasterPinId) -> &str {
        let master = self.design.library().masters.get(master);
        master.and_then(|m| m.pins.get(pin.index())).map_or("", |pin| &pin.name)
    }

    /// One command for each set of corners and edges that share a value.
    pub(super) fn values(&mut self, values: &Values, line: impl Fn(&Self, &str, f64) -> String) {
        if let Some(value) = values.uniform() {
            let text = line(self, "", value);
            self.line(text);
            return;
        }
        for (edge, edge_flag) in EDGES.iter().enumerate() {
            let column = [values.by[0][edge], values.by[1][edge]];
            match column {
                [Some(min), Some(max)] if min == max => {
                    let text = line(self, edge_flag, min);
                    self.line(text);
                }
                _ => {
                    for (side_flag, value) in SIDES.iter().zip(column) {
                        if let Some(value) = value {
                            let text = line(self, &format!("{edge_flag}{side_flag}"), value);
                            self.line(text);
                        }
                    }
                }
            }
        }
    }

    /// One command for each of `[first, second]` that has a value, one for both if they agree.
    pub(super) fn pair(
        &mut self,
        values: [Option<f64>; 2],
        flags: [&str; 2],
        line: impl Fn(&Self, &str, f64) -> String,
    ) {
        match values {
            [Some(a), Some(b)] if a == b => {
                let text = line(self, "", a);
                self.line(text);
            }
            _ => {
                for (flag, value) in flags.iter().zip(values) {
                    if let Some(value) = value {
                        let text = line(self, flag, value);
                        self.line(text);
                    }
                }
            }
        }
    }

    fn all(&mut self) {
        if let Some(name) = &self.c.design {
            let text = format!("current_design {}", word(name));
            self.line(text);
        }
        let units = self.units;
        let mut text = String::new();
        let _ = write!(
            text,
            "# Numbers are in {} ns, {} pF, {} kOhm.",
            units.time, units.capacitance, units.resistance
        );
        self.line(text);
        self.write_clocks();
        self.write_delays();
        self.write_exceptions();
        self.write_environment();
        self.write_checks();
        for entry in &self.c.not_supported {
            // A line end inside a message must not end the comment.
            let text = format!("# not kept: {}: {}", entry.command, entry.why);
            self.line(text.replace(['\n', '\r', '\\'], " "));
        }
    }
}

pub(super) fn join(items: impl ExactSizeIterator<Item = String>) -> String {
    let count = items.len();
    let items: Vec<String> = items.collect();
    if count == 1 { items.concat() } else { format!("[list {}]", items.join(" \\\n  ")) }
}
