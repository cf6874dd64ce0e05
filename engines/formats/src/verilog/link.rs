//! Compiling modules: instances to leaves and children, connections to pairs of bits.

use super::ast::{Conn, Design, Expr, Instance, Module, NameId, Tie};
use super::compile::{Bit, ONE, OPEN, Placed, Scope, ZERO};
use super::elaborate::{bus_bit, error_in, has_content};
use super::flat::{FlatNetlist, Master, MasterPort};
use super::masters::{LeafMasters, PortDirection};
use crate::text::{FormatError, Problems, Severity};
use std::collections::HashMap;

/// The most names of pins.
const MAX_PIN_NAMES: usize = 1 << 20;

/// A module as bits.
pub(super) struct Compiled {
    pub(super) placed: Vec<Placed>,
    pub(super) bits: u32,
    /// Where the bits of inputs, inouts and outputs end.
    class_ends: [u32; 3],
    pub(super) ports: Vec<CompiledPort>,
    port_of: HashMap<NameId, usize>,
    pub(super) leaves: Vec<Leaf>,
    /// Pin name and bit.
    pub(super) conns: Vec<(u32, Bit)>,
    pub(super) children: Vec<Child>,
    /// Bit of the child and bit of this module.
    pub(super) binds: Vec<(Bit, Bit)>,
    pub(super) joins: Vec<(Bit, Bit)>,
    pub(super) ties: Vec<(Bit, Tie)>,
    /// Sums over this module and all that it contains.
    pub(super) all_bits: u64,
    pub(super) all_instances: u64,
    pub(super) all_conns: u64,
    pub(super) depth: u32,
    /// Whether two names of it may be one flat name.
    pub(super) suspect: bool,
    /// Whether a name of it holds the divider.
    pub(super) has_slash: bool,
}

impl Compiled {
    /// The direction of the port that a bit belongs to.
    pub(super) fn direction(&self, bit: Bit) -> Option<PortDirection> {
        let [inputs, inouts, outputs] = self.class_ends;
        if bit < inputs {
            Some(PortDirection::Input)
        } else if bit < inouts {
            Some(PortDirection::Inout)
        } else if bit < outputs {
            Some(PortDirection::Output)
        } else {
            None
        }
    }
}

pub(super) struct CompiledPort {
    pub(super) name: Option<NameId>,
    /// The range, if the port is a whole bus.
    pub(super) range: Option<(i32, i32)>,
    /// Most significant first.
    pub(super) bits: Vec<Bit>,
}

pub(super) struct Leaf {
    pub(super) name: NameId,
    pub(super) master: u32,
    pub(super) conns: (u32, u32),
}

pub(super) struct Child {
    pub(super) name: NameId,
    pub(super) module: usize,
    pub(super) binds: (u32, u32),
}

/// What compiling needs and fills: the table of masters and pin names grows over all modules.
pub(super) struct Linker<'d, 'a> {
    design: &'d Design<'a>,
    leaf_masters: &'d dyn LeafMasters,
    problems: &'d mut Problems,
    compiled: Vec<Option<Compiled>>,
    flat: FlatNetlist,
    master_of: HashMap<NameId, u32>,
    // Port of a master by name.
    port_of: HashMap<(u32, NameId), u32>,
    // Whether a black box takes any port that a connection names.
    open_ended: Vec<bool>,
    pin_of: HashMap<String, u32>,
    // Scratch space that all modules share.
    scope_index: Vec<u32>,
    pin_seen: Vec<u64>,
    name_seen: Vec<u32>,
    instance_count: u64,
    work: u64,
}

fn index(len: usize) -> u32 {
    // Lists are below the size limits that `elaborate` checks, and a source is below 4 GiB.
    u32::try_from(len).unwrap_or(u32::MAX)
}

impl<'d, 'a> Linker<'d, 'a> {
    pub(super) fn new(
        design: &'d Design<'a>,
        leaf_masters: &'d dyn LeafMasters,
        problems: &'d mut Problems,
    ) -> Self {
        Self {
            design,
            leaf_masters,
            problems,
            compiled: design.modules.iter().map(|_| None).collect(),
            flat: FlatNetlist::default(),
            master_of: HashMap::new(),
            port_of: HashMap::new(),
            open_ended: Vec::new(),
            pin_of: HashMap::new(),
            scope_index: Vec::new(),
            pin_seen: Vec::new(),
            name_seen: Vec::new(),
            instance_count: 0,
            work: 0,
        }
    }

    pub(super) fn finish(self) -> (Vec<Option<Compiled>>, FlatNetlist) {
        (self.compiled, self.flat)
    }

    pub(super) fn compile(&mut self, module_index: usize, top: bool) -> Result<(), FormatError> {
        let design = self.design;
        let Some(module) = design.modules.get(module_index) else { return Ok(()) };
        if top {
            design.name(module.name).clone_into(&mut self.flat.name);
        }
        let mut scope =
            Scope::new(design, module, std::mem::take(&mut self.scope_index), self.work)?;
        let mut out = Compiled {
            placed: Vec::new(),
            bits: 0,
            class_ends: class_ends(&scope),
            ports: Vec::new(),
            port_of: HashMap::new(),
            leaves: Vec::new(),
            conns: Vec::new(),
            children: Vec::new(),
            binds: Vec::new(),
            joins: Vec::new(),
            ties: scope.supplies(),
            all_bits: 0,
            all_instances: 0,
            all_conns: 0,
            depth: 1,
            suspect: false,
            has_slash: false,
        };
        self.ports(&mut scope, &mut out)?;
        out.conns.reserve(module.conns.len());
        self.name_seen.resize(design.names.len(), 0);
        let stamp = index(module_index).saturating_add(1);
        let mut bits = Vec::new();
        for instance in &module.instances {
            let slot = instance.name.0 as usize;
            if self.name_seen.get(slot) == Some(&stamp) {
                out.suspect = true;
                let name = design.name(instance.name);
                scope.report(
                    self.problems,
                    Severity::Error,
                    "verilog-duplicate-instance",
                    instance.at,
                    || format!("instance `{name}` is there twice in its module"),
                );
            }
            if let Some(slot) = self.name_seen.get_mut(slot) {
                *slot = stamp;
            }
            let child = design.module_index(instance.master).filter(|&c| {
                self.compiled.get(c).is_some_and(Option::is_some) && has_content(design, c)
            });
            match child {
                Some(child) => self.child(&mut scope, &mut out, instance, child, &mut bits)?,
                None => self.leaf(&mut scope, &mut out, instance, &mut bits)?,
            }
        }
        self.assigns(&mut scope, &mut out)?;
        out.bits = scope.bits;
        out.suspect |= scope.suspect;
        self.work = scope.work;
        let (placed, scratch) = scope.finish();
        self.scope_index = scratch;
        out.placed = placed;
        let has_slash = |n: NameId| design.name(n).contains('/');
        out.has_slash = out.placed.iter().any(|p| has_slash(p.name))
            || out.leaves.iter().any(|l| has_slash(l.name))
            || out.children.iter().any(|c| has_slash(c.name));
        self.sums(&mut out);
        if let Some(slot) = self.compiled.get_mut(module_index) {
            *slot = Some(out);
        }
        Ok(())
    }

    fn sums(&self, out: &mut Compiled) {
        out.all_bits = u64::from(out.bits);
        out.all_instances = out.leaves.len() as u64;
        out.all_conns = out.conns.len() as u64;
        for child in &out.children {
            let Some(inner) = self.compiled.get(child.module).and_then(Option::as_ref) else {
                continue;
            };
            out.all_bits = out.all_bits.saturating_add(inner.all_bits);
            // A child counts as an instance too, since it takes space while flattening.
            out.all_instances =
                out.all_instances.saturating_add(inner.all_instances).saturating_add(1);
            out.all_conns = out.all_conns.saturating_add(inner.all_conns);
            out.depth = out.depth.max(inner.depth.saturating_add(1));
        }
    }

    fn ports(&mut self, scope: &mut Scope<'d, 'a>, out: &mut Compiled) -> Result<(), FormatError> {
        for port in &scope.module.ports {
            let mut bits = Vec::new();
            scope.bits_of(port.expr, 0, port.at, self.problems, &mut bits)?;
            let range = match port.expr {
                Expr::Net(net) => scope.find(net).and_then(|p| p.range),
                _ => None,
            };
            if let Some(name) = port.name
                && out.port_of.insert(name, out.ports.len()).is_some()
            {
                let text = self.design.name(name);
                scope.report(
                    self.problems,
                    Severity::Error,
                    "verilog-duplicate-port",
                    port.at,
                    || format!("port `{text}` is there twice; connections by name go to the last"),
                );
            }
            out.ports.push(CompiledPort { name: port.name, range, bits });
        }
        Ok(())
    }

    fn child(
        &mut self,
        scope: &mut Scope<'d, 'a>,
        out: &mut Compiled,
        instance: &Instance,
        child: usize,
        bits: &mut Vec<Bit>,
    ) -> Result<(), FormatError> {
        let design = self.design;
        let first = index(out.binds.len());
        let master = design.name(instance.master);
        if instance.has_parameters && design.modules.get(child).is_some_and(|m| m.parametric) {
            scope.report(self.problems, Severity::Error, "verilog-parameters", instance.at, || {
                format!(
                    "the widths of module `{master}` depend on parameters, which this instance \
                         overrides; the defaults are used"
                )
            });
        }
        for (position, conn) in conns(scope.module, instance).iter().enumerate() {
            let Some(inner) = self.compiled.get(child).and_then(Option::as_ref) else { continue };
            let port = if conn.port == NameId::POSITIONAL {
                Some(position).filter(|&p| p < inner.ports.len())
            } else {
                inner.port_of.get(&conn.port).copied()
            };
            let Some(port) = port.and_then(|p| inner.ports.get(p)) else {
                self.no_port(scope, conn, master);
                continue;
            };
            bits.clear();
            scope.bits_of(conn.expr, port.bits.len(), conn.at, self.problems, bits)?;
            if conn.expr == Expr::None {
                continue;
            }
            width_problem(self.problems, scope, conn, bits.len(), port.bits.len());
            // The least significant bits meet.
            for (&inner, &outer) in port.bits.iter().rev().zip(bits.iter().rev()) {
                if inner < ZERO && outer != OPEN {
                    out.binds.push((inner, outer));
                }
            }
        }
        let binds = (first, index(out.binds.len()));
        out.children.push(Child { name: instance.name, module: child, binds });
        Ok(())
    }

    fn leaf(
        &mut self,
        scope: &mut Scope<'d, 'a>,
        out: &mut Compiled,
        instance: &Instance,
        bits: &mut Vec<Bit>,
    ) -> Result<(), FormatError> {
        let master = self.master(scope, instance)?;
        self.instance_count += 1;
        let first = index(out.conns.len());
        for (position, conn) in conns(scope.module, instance).iter().enumerate() {
            if conn.expr == Expr::None {
                continue;
            }
            let known = if conn.port == NameId::POSITIONAL {
                let ports = self.flat.masters.get(master as usize).map_or(0, |m| m.ports.len());
                (position < ports).then(|| index(position))
            } else {
                self.port_of.get(&(master, conn.port)).copied()
            };
            let width = known.map_or(0, |p| self.port_width(master, p));
            bits.clear();
            scope.bits_of(conn.expr, width.max(1), conn.at, self.problems, bits)?;
            let open_ended = self.open_ended.get(master as usize).copied().unwrap_or(false);
            let port = match known {
                Some(port) => port,
                None if open_ended && conn.port != NameId::POSITIONAL => {
                    self.check_pins(scope, conn.at, bits.len())?;
                    self.add_port(master, conn.port, bits.len())
                }
                None => {
                    self.no_port(scope, conn, self.design.name(instance.master));
                    continue;
                }
            };
            width_problem(self.problems, scope, conn, bits.len(), self.port_width(master, port));
            let ports = self.flat.masters.get(master as usize).map(|m| &m.ports);
            let pins = ports.and_then(|p| p.get(port as usize)).map_or(&[][..], |p| &p.pins);
            let skip = pins.len().saturating_sub(bits.len());
            let spare = bits.len().saturating_sub(pins.len());
            for (&pin, &bit) in pins.iter().skip(skip).zip(bits.iter().skip(spare)) {
                if self.pin_seen.len() <= pin as usize {
                    self.pin_seen.resize(pin as usize + 1, 0);
                }
                let seen = &mut self.pin_seen[pin as usize];
                if *seen == self.instance_count {
                    let name = self.flat.pin_names.get(pin as usize).cloned().unwrap_or_default();
                    scope.report(
                        self.problems,
                        Severity::Error,
                        "verilog-double-connection",
                        conn.at,
                        || format!("pin `{name}` is connected twice; the first connection stays"),
                    );
                    continue;
                }
                *seen = self.instance_count;
                if bit != OPEN {
                    out.conns.push((pin, bit));
                }
            }
        }
        let conns = (first, index(out.conns.len()));
        out.leaves.push(Leaf { name: instance.name, master, conns });
        Ok(())
    }

    fn port_width(&self, master: u32, port: u32) -> usize {
        let master = self.flat.masters.get(master as usize);
        master.and_then(|m| m.ports.get(port as usize)).map_or(0, |p| p.pins.len())
    }

    fn no_port(&mut self, scope: &Scope<'d, 'a>, conn: &Conn, master: &str) {
        let design = self.design;
        scope.report(self.problems, Severity::Error, "verilog-no-such-port", conn.at, || {
            if conn.port == NameId::POSITIONAL {
                format!("`{master}` has no port at this position; the connection is left out")
            } else {
                let port = design.name(conn.port);
                format!("`{master}` has no port `{port}`; the connection is left out")
            }
        });
    }

    /// The master of a leaf instance; met for the first time, it is looked up.
    fn master(&mut self, scope: &Scope<'d, 'a>, instance: &Instance) -> Result<u32, FormatError> {
        if let Some(&master) = self.master_of.get(&instance.master) {
            return Ok(master);
        }
        let design = self.design;
        let name = design.name(instance.master);
        let master = index(self.flat.masters.len());
        self.master_of.insert(instance.master, master);
        let shell = design.module_index(instance.master).and_then(|m| design.modules.get(m));
        let known = self.leaf_masters.ports(name);
        let black_box = known.is_none();
        self.open_ended.push(black_box && shell.is_none());
        let mut ports = Vec::new();
        for port in known.unwrap_or_default() {
            if let Some(id) = design.names.find(&port.name) {
                // Ports of one name: the first counts, as a bus stands before its bits.
                self.port_of.entry((master, id)).or_insert(index(ports.len()));
            }
            let pins = port.pins.into_iter().map(|p| self.pin(p)).collect();
            ports.push(MasterPort { name: port.name, direction: port.direction, pins });
        }
        if black_box {
            scope.report(
                self.problems,
                Severity::Warning,
                "verilog-black-box",
                instance.at,
                || match shell {
                    Some(_) => {
                        format!("module `{name}` is empty and no cell; it is kept as a black box")
                    }
                    None => format!(
                        "there is no module and no cell `{name}`; it is kept as a black box"
                    ),
                },
            );
            if let Some(shell) = shell {
                self.shell_ports(scope, master, shell, &mut ports)?;
            }
        }
        self.flat.masters.push(Master { name: name.to_owned(), black_box, ports });
        Ok(master)
    }

    /// The ports that an empty module declares.
    fn shell_ports(
        &mut self,
        scope: &Scope<'d, 'a>,
        master: u32,
        shell: &Module,
        ports: &mut Vec<MasterPort>,
    ) -> Result<(), FormatError> {
        let signals: HashMap<NameId, _> = shell.signals.iter().map(|s| (s.name, s)).collect();
        for port in &shell.ports {
            let Some(name) = port.name else { continue };
            let signal = match port.expr {
                Expr::Net(net) => signals.get(&net),
                _ => None,
            };
            let text = self.design.name(name);
            let range = signal.and_then(|s| s.range);
            let width = range.map_or(1, |(from, to)| from.abs_diff(to) as usize + 1);
            self.check_pins(scope, shell.at, width)?;
            let pins = match range {
                Some((from, to)) => (0..=from.abs_diff(to))
                    .map(|o| self.pin(format!("{text}[{}]", bus_bit(from, to, o))))
                    .collect(),
                None => vec![self.pin(text.to_owned())],
            };
            self.port_of.insert((master, name), index(ports.len()));
            let direction = signal.and_then(|s| s.direction);
            ports.push(MasterPort { name: text.to_owned(), direction, pins });
        }
        Ok(())
    }

    /// Refuses black boxes that would need an absurd number of pins.
    fn check_pins(&self, scope: &Scope<'d, 'a>, at: u32, more: usize) -> Result<(), FormatError> {
        if self.flat.pin_names.len().saturating_add(more) <= MAX_PIN_NAMES {
            return Ok(());
        }
        let message = "the black boxes of the design have too many pins";
        Err(error_in(scope.source(), at, message, "give the libraries of these cells"))
    }

    /// A port of a black box as its first connection has it.
    fn add_port(&mut self, master: u32, name: NameId, width: usize) -> u32 {
        let text = self.design.name(name);
        let pins = if width == 1 {
            vec![self.pin(text.to_owned())]
        } else {
            (0..width).rev().map(|bit| self.pin(format!("{text}[{bit}]"))).collect()
        };
        let Some(entry) = self.flat.masters.get_mut(master as usize) else { return 0 };
        let port = index(entry.ports.len());
        entry.ports.push(MasterPort { name: text.to_owned(), direction: None, pins });
        self.port_of.insert((master, name), port);
        port
    }

    fn pin(&mut self, name: String) -> u32 {
        if let Some(&pin) = self.pin_of.get(&name) {
            return pin;
        }
        let pin = index(self.flat.pin_names.len());
        self.flat.pin_names.push(name.clone());
        self.pin_of.insert(name, pin);
        pin
    }

    fn assigns(
        &mut self,
        scope: &mut Scope<'d, 'a>,
        out: &mut Compiled,
    ) -> Result<(), FormatError> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for &(to, from, at) in &scope.module.assigns {
            left.clear();
            right.clear();
            scope.bits_of(to, 0, at, self.problems, &mut left)?;
            scope.bits_of(from, left.len(), at, self.problems, &mut right)?;
            if left.len() != right.len() {
                let (l, r) = (left.len(), right.len());
                scope.report(self.problems, Severity::Warning, "verilog-width", at, || {
                    format!(
                        "the sides of the assign have {l} and {r} bits; the low ones meet, and \
                             what is missing on the right is 0"
                    )
                });
            }
            let zeros = std::iter::repeat(&ZERO);
            for (&l, &r) in left.iter().rev().zip(right.iter().rev().chain(zeros)) {
                match (l, r) {
                    (ZERO | ONE, _) => {
                        scope.report(self.problems, Severity::Error, "verilog-assign", at, || {
                            "a constant cannot be assigned to; the bit is left out".into()
                        });
                    }
                    (OPEN, _) | (_, OPEN) => {}
                    (_, ZERO) => out.ties.push((l, Tie::Zero)),
                    (_, ONE) => out.ties.push((l, Tie::One)),
                    _ => out.joins.push((l, r)),
                }
            }
        }
        Ok(())
    }
}

fn conns<'m>(module: &'m Module, instance: &Instance) -> &'m [Conn] {
    let first = instance.first_conn as usize;
    module.conns.get(first..first + instance.conn_count as usize).unwrap_or(&[])
}

fn class_ends(scope: &Scope<'_, '_>) -> [u32; 3] {
    let end = |class: PortDirection| {
        let signals = scope.module.signals.iter().filter(|s| s.direction == Some(class));
        signals.filter_map(|s| scope.find(s.name)).map(|p| p.first + p.width()).max()
    };
    let inputs = end(PortDirection::Input).unwrap_or(0);
    let inouts = end(PortDirection::Inout).unwrap_or(inputs);
    [inputs, inouts, end(PortDirection::Output).unwrap_or(inouts)]
}

fn width_problem(
    problems: &mut Problems,
    scope: &Scope<'_, '_>,
    conn: &Conn,
    have: usize,
    want: usize,
) {
    // A constant that is wider than its pin is common and harmless.
    if have != want && !(matches!(conn.expr, Expr::Const(_)) && have > want) {
        scope.report(problems, Severity::Warning, "verilog-width", conn.at, || {
            format!("{have} bits are connected to a port of {want}; the low ones meet")
        });
    }
}
