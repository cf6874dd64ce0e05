//! Flattening a design under its top module.
//!
//! Modules are compiled to bits once, children before parents, which also finds circles and how
//! large the result will be. Then instances are laid out breadth first, each with a block of net
//! numbers of its own, and everything that ports and `assign`s join is joined by union-find. The
//! lowest number of a set names it: a port of the top module before anything else (inputs before
//! outputs), then the net that is highest in the hierarchy, then the one declared first.

use super::ast::{Design, Tie};
use super::compile::{ONE, OPEN, ZERO};
use super::flat::{FlatNetlist, FlatPort, NameList, NetRef, PortBus};
use super::link::{Compiled, Linker};
use super::masters::{LeafMasters, PortDirection};
use crate::text::{FormatError, Problems, Severity, Source};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

/// The most nets, instances and connections of a flat netlist.
pub(super) const MAX_NETS: u32 = 1 << 26;
const MAX_CONNECTIONS: u64 = 1 << 29;
/// The deepest hierarchy.
const MAX_DEPTH: u32 = 1000;

pub(super) fn error_in(
    source: Option<&Source>,
    at: u32,
    message: impl Into<String>,
    hint: &str,
) -> FormatError {
    match source {
        Some(source) => source.error(at as usize, message, hint),
        None => FormatError::whole_file("", message, hint),
    }
}

/// Flattens the design under the module `top`.
///
/// An instance whose master is a module with content is replaced by that content. All others are
/// leaves: cells that `masters` knows, or black boxes, which are reported with the line of their
/// first instance. A module without any content counts as its name among the masters, or as a black
/// box with the ports that it declares.
///
/// Two ports of the top module that an `assign` joins stand on one net and are reported. Constants
/// at pins are [`NetRef::CONST0`] and [`NetRef::CONST1`]; a net that an `assign`, a supply or a
/// port ties is in [`FlatNetlist::net_ties`]. Unknown and floating constants leave a pin open.
///
/// # Errors
/// When there is no such module, a module contains itself, or the result would be too large.
pub fn elaborate(
    top: &str,
    design: &Design<'_>,
    masters: &dyn LeafMasters,
    problems: &mut Problems,
) -> Result<FlatNetlist, FormatError> {
    let file = design.sources.first().map_or("", |s| s.name());
    let Some(top_index) = design.names.find(top).and_then(|n| design.module_index(n)) else {
        let known: Vec<&str> = design.tops().into_iter().take(5).collect();
        let hint = match known.as_slice() {
            [] => "the files hold no module at all".to_owned(),
            known => format!("top modules here: {}", known.join(", ")),
        };
        return Err(FormatError::whole_file(file, format!("there is no module `{top}`"), hint));
    };
    let mut linker = Linker::new(design, masters, problems);
    for module in children_first(design, top_index)? {
        linker.compile(module, module == top_index)?;
    }
    let (compiled, flat) = linker.finish();
    let (Some(root), Some(module)) =
        (compiled.get(top_index).and_then(Option::as_ref), design.modules.get(top_index))
    else {
        return Ok(flat);
    };
    let source = design.sources.get(module.source as usize).copied();
    if root.depth > MAX_DEPTH {
        let message = format!("the hierarchy is deeper than {MAX_DEPTH}");
        return Err(error_in(source, module.at, message, "check it for a mistake"));
    }
    let nets = u64::from(MAX_NETS);
    if root.all_bits >= nets || root.all_instances >= nets || root.all_conns >= MAX_CONNECTIONS {
        let message = format!(
            "the flat netlist would have {} instances and {} nets",
            root.all_instances, root.all_bits
        );
        return Err(error_in(source, module.at, message, "check the hierarchy for a mistake"));
    }
    let flattener = Flattener { design, compiled: &compiled, flat, source, at: module.at };
    flattener.run(top_index, root, problems)
}

/// Modules under `top` in an order in which each comes after all that it contains.
fn children_first(design: &Design<'_>, top: usize) -> Result<Vec<usize>, FormatError> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; design.modules.len()];
    let mut order = Vec::new();
    let mut stack = vec![(top, 0usize)];
    if let Some(s) = state.get_mut(top) {
        *s = State::Open;
    }
    while let Some((index, next)) = stack.last_mut() {
        let Some(module) = design.modules.get(*index) else { break };
        let Some(instance) = module.instances.get(*next) else {
            state[*index] = State::Done;
            order.push(*index);
            stack.pop();
            continue;
        };
        *next += 1;
        let child = design.module_index(instance.master).filter(|&c| has_content(design, c));
        let Some(child) = child else { continue };
        match state[child] {
            State::Done => {}
            State::New => {
                state[child] = State::Open;
                stack.push((child, 0));
            }
            State::Open => {
                let from = stack.iter().position(|s| s.0 == child).unwrap_or(0);
                let mut names: Vec<&str> = stack[from..]
                    .iter()
                    .take(20)
                    .filter_map(|s| design.modules.get(s.0))
                    .map(|m| design.name(m.name))
                    .collect();
                names.push(design.name(instance.master));
                let source = design.sources.get(module.source as usize).copied();
                let message = format!("a module contains itself: {}", names.join(" in "));
                return Err(error_in(source, instance.at, message, "break the circle"));
            }
        }
    }
    Ok(order)
}

/// Whether a module has anything inside, so that it is more than the shell of a cell.
pub(super) fn has_content(design: &Design<'_>, module: usize) -> bool {
    design.modules.get(module).is_some_and(|m| !m.instances.is_empty() || !m.assigns.is_empty())
}

/// A module instance that is laid out.
struct Block {
    module: usize,
    first_bit: u32,
    /// Of its prefix in the list of prefixes.
    prefix: usize,
}

struct Flattener<'f, 'a> {
    design: &'f Design<'a>,
    compiled: &'f [Option<Compiled>],
    flat: FlatNetlist,
    source: Option<&'a Source>,
    at: u32,
}

impl Flattener<'_, '_> {
    fn run(
        mut self,
        top: usize,
        root: &Compiled,
        problems: &mut Problems,
    ) -> Result<FlatNetlist, FormatError> {
        let mut prefixes = NameList::default();
        let mut blocks = vec![Block { module: top, first_bit: 0, prefix: 0 }];
        let mut fits = prefixes.push(&[]);
        let all_bits = u32::try_from(root.all_bits).unwrap_or(MAX_NETS);
        let mut parent: Vec<u32> = (0..all_bits).collect();
        let mut ties: Vec<(u32, Tie)> = Vec::new();
        let mut next_bit = root.bits;
        let mut at = 0;
        while let Some(&Block { module, first_bit, prefix }) = blocks.get(at) {
            at += 1;
            let Some(compiled) = self.compiled.get(module).and_then(Option::as_ref) else {
                continue;
            };
            for &(a, b) in &compiled.joins {
                union(&mut parent, first_bit + a, first_bit + b);
            }
            ties.extend(compiled.ties.iter().map(|&(bit, tie)| (first_bit + bit, tie)));
            for child in &compiled.children {
                let first = next_bit;
                let bits = self.compiled.get(child.module).and_then(Option::as_ref);
                next_bit += bits.map_or(0, |c| c.bits);
                let binds = child.binds.0 as usize..child.binds.1 as usize;
                for &(inner, outer) in compiled.binds.get(binds).unwrap_or(&[]) {
                    match outer {
                        ZERO => ties.push((first + inner, Tie::Zero)),
                        ONE => ties.push((first + inner, Tie::One)),
                        OPEN => {}
                        _ => union(&mut parent, first + inner, first_bit + outer),
                    }
                }
                let outer = prefixes.get(prefix).to_owned();
                fits &= prefixes.push(&[&outer, self.design.name(child.name), "/"]);
                let prefix = prefixes.len() - 1;
                blocks.push(Block { module: child.module, first_bit: first, prefix });
            }
        }
        fits &= self.nets(&blocks, &prefixes, &mut parent);
        fits &= self.instances(root, &blocks, &prefixes, &parent);
        if !fits {
            let message = "the flat names are longer than 4 GiB together";
            return Err(error_in(self.source, self.at, message, "flatten less at once"));
        }
        let net_of = |bit: u32| parent.get(bit as usize).copied().unwrap_or(0);
        self.ties(ties, &net_of, problems);
        self.ports(root, &net_of, problems);
        if self.names_may_clash(blocks.len() > 1) {
            self.make_unique(problems);
        }
        Ok(self.flat)
    }

    /// Gives each set of joined bits a net with the name of its lowest bit, and turns `parent`
    /// into the net of each bit. Bits come in rising order, so a parent is done before its child.
    fn nets(&mut self, blocks: &[Block], prefixes: &NameList, parent: &mut [u32]) -> bool {
        let mut fits = true;
        self.flat.nets.reserve(parent.len(), parent.len() * 8);
        let mut digits = String::new();
        for block in blocks {
            let prefix = prefixes.get(block.prefix);
            let compiled = self.compiled.get(block.module).and_then(Option::as_ref);
            for placed in compiled.map_or(&[][..], |c| &c.placed) {
                let name = self.design.name(placed.name);
                for offset in 0..placed.width() {
                    let bit = (block.first_bit + placed.first + offset) as usize;
                    let Some(&up) = parent.get(bit) else { continue };
                    if up as usize != bit {
                        parent[bit] = parent[up as usize];
                        continue;
                    }
                    parent[bit] = u32::try_from(self.flat.nets.len()).unwrap_or(u32::MAX);
                    if let Some((from, to)) = placed.range {
                        digits.clear();
                        push_bit(&mut digits, bus_bit(from, to, offset));
                        fits &= self.flat.nets.push(&[prefix, name, &digits]);
                    } else {
                        fits &= self.flat.nets.push(&[prefix, name]);
                    }
                }
            }
        }
        fits
    }

    fn instances(
        &mut self,
        root: &Compiled,
        blocks: &[Block],
        prefixes: &NameList,
        net_of: &[u32],
    ) -> bool {
        let mut fits = true;
        let flat = &mut self.flat;
        let count = usize::try_from(root.all_instances).unwrap_or(0);
        let conns = usize::try_from(root.all_conns).unwrap_or(0);
        flat.instances.reserve(count, count * 8);
        flat.instance_masters.reserve_exact(count);
        flat.first_connections.reserve_exact(count + 1);
        flat.connection_pins.reserve_exact(conns);
        flat.connection_nets.reserve_exact(conns);
        flat.first_connections.push(0);
        for block in blocks {
            let prefix = prefixes.get(block.prefix);
            let Some(compiled) = self.compiled.get(block.module).and_then(Option::as_ref) else {
                continue;
            };
            for leaf in &compiled.leaves {
                fits &= flat.instances.push(&[prefix, self.design.name(leaf.name)]);
                flat.instance_masters.push(leaf.master);
                let conns = leaf.conns.0 as usize..leaf.conns.1 as usize;
                for &(pin, bit) in compiled.conns.get(conns).unwrap_or(&[]) {
                    let net = match bit {
                        ZERO => NetRef::CONST0,
                        ONE => NetRef::CONST1,
                        OPEN => continue,
                        _ => {
                            let bit = (block.first_bit + bit) as usize;
                            NetRef::net(net_of.get(bit).copied().unwrap_or(0))
                        }
                    };
                    flat.connection_pins.push(pin);
                    flat.connection_nets.push(net);
                }
                let end = u32::try_from(flat.connection_nets.len()).unwrap_or(u32::MAX);
                flat.first_connections.push(end);
            }
        }
        fits
    }

    fn ties(
        &mut self,
        ties: Vec<(u32, Tie)>,
        net_of: &dyn Fn(u32) -> u32,
        problems: &mut Problems,
    ) {
        let mut ties: Vec<(u32, Tie)> = ties.into_iter().map(|(b, t)| (net_of(b), t)).collect();
        ties.sort_unstable();
        ties.dedup();
        for pair in ties.windows(2) {
            if let [(a, _), (b, _)] = pair
                && a == b
            {
                let name = self.flat.nets.get(*a as usize).to_owned();
                self.report(problems, Severity::Error, "verilog-tie-conflict", || {
                    format!("net `{name}` is tied to 0 and to 1; 0 is taken")
                });
            }
        }
        ties.dedup_by_key(|t| t.0);
        self.flat.net_ties = ties;
    }

    fn report(
        &self,
        problems: &mut Problems,
        severity: Severity,
        code: &'static str,
        message: impl FnOnce() -> String,
    ) {
        if let Some(source) = self.source {
            problems.report(severity, code, source, self.at as usize, message);
        }
    }

    fn ports(&mut self, root: &Compiled, net_of: &dyn Fn(u32) -> u32, problems: &mut Problems) {
        let mut first_on: HashMap<NetRef, usize> = HashMap::new();
        for (number, port) in root.ports.iter().enumerate() {
            let name = match port.name {
                Some(name) => self.design.name(name).to_owned(),
                None => format!("port_{number}"),
            };
            let range = match (port.range, port.bits.len()) {
                (Some(range), _) => Some(range),
                (None, 0 | 1) => None,
                (None, n) => Some((i32::try_from(n - 1).unwrap_or(i32::MAX), 0)),
            };
            let direction = port.bits.iter().find_map(|&b| root.direction(b));
            if direction.is_none() {
                self.report(problems, Severity::Error, "verilog-port-direction", || {
                    format!("port `{name}` has no direction; taken as inout")
                });
            }
            let direction = direction.unwrap_or(PortDirection::Inout);
            let bus = range.map(|(from, to)| {
                let first_port = u32::try_from(self.flat.ports.len()).unwrap_or(u32::MAX);
                self.flat.port_buses.push(PortBus { name: name.clone(), from, to, first_port });
                u32::try_from(self.flat.port_buses.len() - 1).unwrap_or(u32::MAX)
            });
            let bits = if port.bits.is_empty() { &[OPEN][..] } else { &port.bits };
            for (&bit, offset) in bits.iter().zip(0u32..) {
                let net = match bit {
                    ZERO => Some(NetRef::CONST0),
                    ONE => Some(NetRef::CONST1),
                    OPEN => None,
                    _ => Some(NetRef::net(net_of(bit))),
                };
                let mut port_name = name.clone();
                if let Some((from, to)) = range {
                    push_bit(&mut port_name, bus_bit(from, to, offset));
                }
                if let Some(net) = net {
                    let first = *first_on.entry(net).or_insert(self.flat.ports.len());
                    if let Some(other) = self.flat.ports.get(first).map(|p| p.name.clone()) {
                        self.report(problems, Severity::Warning, "verilog-tied-ports", || {
                            format!("ports `{other}` and `{port_name}` are one net")
                        });
                    }
                }
                self.flat.ports.push(FlatPort { name: port_name, direction, net, bus });
            }
        }
    }

    fn names_may_clash(&self, hierarchical: bool) -> bool {
        let compiled = || self.compiled.iter().flatten();
        compiled().any(|c| c.suspect) || (hierarchical && compiled().any(|c| c.has_slash))
    }

    fn make_unique(&mut self, problems: &mut Problems) {
        for nets in [true, false] {
            let list = if nets { &mut self.flat.nets } else { &mut self.flat.instances };
            for (old, new) in unique(list) {
                let what = if nets { "net" } else { "instance" };
                self.report(problems, Severity::Warning, "verilog-name-clash", || {
                    format!("the flat name `{old}` is there twice; the second {what} is `{new}`")
                });
            }
        }
    }
}

/// Makes equal names differ by a number behind them; gives old and new ones.
fn unique(list: &mut NameList) -> Vec<(String, String)> {
    let hasher = DefaultHashBuilder::default();
    let mut table: HashTable<u32> = HashTable::with_capacity(list.len());
    let mut doubles = Vec::new();
    for (name, index) in list.iter().zip(0u32..) {
        let hash = hasher.hash_one(name);
        if table.find(hash, |&i| list.get(i as usize) == name).is_some() {
            doubles.push(index);
        } else {
            table.insert_unique(hash, index, |&i| hasher.hash_one(list.get(i as usize)));
        }
    }
    if doubles.is_empty() {
        return Vec::new();
    }
    let mut given: HashMap<String, u32> = HashMap::new();
    let mut renamed = Vec::new();
    let mut used: HashSet<String> = HashSet::new();
    let mut new_names: HashMap<u32, String> = HashMap::new();
    for index in doubles {
        let old = list.get(index as usize);
        let number = given.entry(old.to_owned()).or_insert(0);
        let new = loop {
            *number += 1;
            let new = format!("{old}_{number}");
            let taken = table.find(hasher.hash_one(&new), |&i| list.get(i as usize) == new);
            if taken.is_none() && used.insert(new.clone()) {
                break new;
            }
        };
        renamed.push((old.to_owned(), new.clone()));
        new_names.insert(index, new);
    }
    let mut out = NameList::default();
    for (name, index) in list.iter().zip(0u32..) {
        // A longer list than before by a few digits; what does not fit 4 GiB was refused before.
        let _ = out.push(&[new_names.get(&index).map_or(name, String::as_str)]);
    }
    *list = out;
    renamed
}

fn push_bit(out: &mut String, bit: i32) {
    use std::fmt::Write as _;
    // Writing to a String cannot fail.
    let _ = write!(out, "[{bit}]");
}

/// The number of the bit at a place in a bus.
pub(super) fn bus_bit(from: i32, to: i32, offset: u32) -> i32 {
    let offset = i32::try_from(offset).unwrap_or(0);
    if from >= to { from.saturating_sub(offset) } else { from.saturating_add(offset) }
}

/// The lowest bit of a set; halves the paths that it walks.
fn find(parent: &mut [u32], mut bit: u32) -> u32 {
    loop {
        let Some(&up) = parent.get(bit as usize) else { return bit };
        if up == bit {
            return bit;
        }
        let upper = parent.get(up as usize).copied().unwrap_or(up);
        parent[bit as usize] = upper;
        bit = upper;
    }
}

fn union(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parent, a), find(parent, b));
    let (low, high) = (a.min(b), a.max(b));
    if let Some(slot) = parent.get_mut(high as usize) {
        *slot = low;
    }
}
