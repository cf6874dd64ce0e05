//! Reading `pin`, `bus` and `bundle` groups: which pins there are, and what each is like.

use super::cell::{Bus, Cell, ClockGateRole, Direction, Pin, PulseCheck};
use super::context::Context;
use super::expr::Expr;
use super::syntax::{Kind, Node};
use crate::text::{Severity, parse_i32};
use std::collections::{HashMap, HashSet};

/// The most bits of one bus.
const MAX_BITS: i64 = 1 << 16;

/// The pin groups of a cell with the pins that each stands for.
#[derive(Default)]
pub(super) struct PinGroups<'a> {
    /// Each group with its pins, in file order. A bus has all its bits in one vector, so that a
    /// related bus meets it bit by bit; a list of pins in one group is a group per pin.
    pub(super) groups: Vec<(Node<'a>, Vec<u32>)>,
    by_name: HashMap<String, u32>,
    buses: HashMap<String, u32>,
    // Pins whose direction is known.
    directed: HashSet<u32>,
}

impl<'a> PinGroups<'a> {
    pub(super) fn read(&mut self, context: &mut Context<'_, 'a>, cell: &mut Cell, node: &Node<'a>) {
        match node.name {
            "bus" => self.read_bus(context, cell, node),
            "bundle" => self.read_bundle(context, cell, node),
            _ => {
                for name in context.strings(node) {
                    self.read_pin(context, cell, node, &name, None);
                }
            }
        }
    }

    /// The pins that a name stands for: a pin, the bits of a bus or bundle, or a range of bits.
    pub(super) fn resolve(&self, cell: &Cell, name: &str) -> Option<Vec<u32>> {
        if let Some(&pin) = self.by_name.get(name) {
            return Some(vec![pin]);
        }
        if let Some(&bus) = self.buses.get(name) {
            return cell.buses.get(bus as usize).map(|b| b.pins.clone());
        }
        let (base, from, to) = split_range(name)?;
        bits(from, to)?.map(|bit| self.by_name.get(&bit_name(base, bit)).copied()).collect()
    }

    fn pin(
        &mut self,
        context: &mut Context<'_, 'a>,
        cell: &mut Cell,
        node: &Node<'a>,
        name: &str,
    ) -> Option<u32> {
        if let Some(&pin) = self.by_name.get(name) {
            return Some(pin);
        }
        if context.budget.pins == 0 {
            context.problem(Severity::Error, "liberty-too-many-pins", node, || {
                "the library has too many pins; the rest is left out".into()
            });
            return None;
        }
        context.budget.pins -= 1;
        let pin = u32::try_from(cell.pins.len()).ok()?;
        let line = context.line(node);
        cell.pins.push(Pin { name: name.to_owned(), line, ..Pin::default() });
        self.by_name.insert(name.to_owned(), pin);
        Some(pin)
    }

    /// A `pin` group of the cell or inside a bus or bundle.
    fn read_pin(
        &mut self,
        context: &mut Context<'_, 'a>,
        cell: &mut Cell,
        node: &Node<'a>,
        name: &str,
        bus: Option<&str>,
    ) {
        let known_as_is = self.by_name.contains_key(name);
        let name = if known_as_is { name.to_owned() } else { normal_name(name, bus) };
        let known = self.resolve(cell, &name);
        if bus.is_none() && known.is_some() {
            context.problem(Severity::Warning, "liberty-duplicate-pin", node, || {
                format!("pin `{name}` of cell `{}` is there twice; both are merged", cell.name)
            });
        }
        let pins = match known {
            Some(pins) => pins,
            None => {
                if let Some(bus) = bus {
                    context.problem(Severity::Warning, "liberty-bus-member", node, || {
                        format!(
                            "pin `{name}` is no bit of `{bus}`; it is taken as a pin of its own"
                        )
                    });
                }
                self.pin(context, cell, node, &name).into_iter().collect()
            }
        };
        for &pin in &pins {
            self.attributes(context, cell, node, pin);
        }
        self.groups.push((*node, pins));
    }

    fn read_bus(&mut self, context: &mut Context<'_, 'a>, cell: &mut Cell, node: &Node<'a>) {
        let tree = context.tree;
        let wanted = tree.children(node).find(|c| c.name == "bus_type").map(|c| context.string(c));
        let wanted = wanted.unwrap_or_default();
        let found = context.bus_types.iter().rev().find(|t| t.name == wanted);
        let range = found.map(|t| (t.from, t.to));
        for name in context.strings(node) {
            let Some((from, to)) = range else {
                context.problem(Severity::Error, "liberty-bus-type", node, || {
                    format!(
                        "bus `{name}` has no known bus_type; only pins named inside it are read"
                    )
                });
                self.members(context, cell, node, &name);
                continue;
            };
            let Some(bits) = bits(from, to) else {
                context.problem(Severity::Error, "liberty-bus-type", node, || {
                    format!("bus `{name}` has more than {MAX_BITS} bits; it is left out")
                });
                continue;
            };
            let pins: Vec<u32> = bits
                .filter_map(|bit| self.pin(context, cell, node, &bit_name(&name, bit)))
                .collect();
            self.vector(context, cell, node, &name, Some((from, to)), pins);
        }
    }

    fn read_bundle(&mut self, context: &mut Context<'_, 'a>, cell: &mut Cell, node: &Node<'a>) {
        let tree = context.tree;
        let members: Vec<String> = tree
            .children(node)
            .filter(|c| c.name == "members")
            .flat_map(|c| context.strings(c))
            .flat_map(|text| {
                text.split([' ', ',', '\t', '\n']).map(str::to_owned).collect::<Vec<_>>()
            })
            .filter(|name| !name.is_empty())
            .collect();
        let pins: Vec<u32> =
            members.iter().filter_map(|m| self.pin(context, cell, node, m)).collect();
        for name in context.strings(node) {
            self.vector(context, cell, node, &name, None, pins.clone());
        }
    }

    /// What buses and bundles have in common once their bits are there.
    fn vector(
        &mut self,
        context: &mut Context<'_, 'a>,
        cell: &mut Cell,
        node: &Node<'a>,
        name: &str,
        range: Option<(i32, i32)>,
        pins: Vec<u32>,
    ) {
        let Ok(bus) = u32::try_from(cell.buses.len()) else { return };
        if self.buses.insert(name.to_owned(), bus).is_some() {
            context.problem(Severity::Warning, "liberty-duplicate-pin", node, || {
                format!("bus `{name}` of cell `{}` is there twice", cell.name)
            });
        }
        cell.buses.push(Bus { name: name.to_owned(), range, pins: pins.clone() });
        for &pin in &pins {
            if let Some(pin) = cell.pins.get_mut(pin as usize) {
                pin.bus = Some(bus);
            }
            self.attributes(context, cell, node, pin);
        }
        self.groups.push((*node, pins));
        self.members(context, cell, node, name);
    }

    fn members(
        &mut self,
        context: &mut Context<'_, 'a>,
        cell: &mut Cell,
        node: &Node<'a>,
        bus: &str,
    ) {
        let tree = context.tree;
        for child in tree.children(node).filter(|c| c.kind == Kind::Group && c.name == "pin") {
            for name in context.strings(child) {
                self.read_pin(context, cell, child, &name, Some(bus));
            }
        }
    }

    /// Sets a pin's attributes from a group; what the group does not say stays as it was.
    fn attributes(
        &mut self,
        context: &mut Context<'_, 'a>,
        cell: &mut Cell,
        node: &Node<'a>,
        index: u32,
    ) {
        let tree = context.tree;
        let Some(pin) = cell.pins.get_mut(index as usize) else { return };
        let Some(left) = context.budget.applied.checked_sub(1) else {
            context.problem(Severity::Error, "liberty-too-many-pins", node, || {
                "too many groups for too many bits; the rest is left out".into()
            });
            return;
        };
        context.budget.applied = left;
        for child in tree.children(node) {
            if child.kind == Kind::Group {
                if matches!(child.name, "min_pulse_width" | "minimum_period") {
                    let check = read_check(context, child);
                    pin.conditional_checks.push(check);
                }
                continue;
            }
            if child.name == "direction" {
                let text = tree.word(child).trim();
                let direction = match text {
                    "input" => Direction::Input,
                    "output" => Direction::Output,
                    "inout" => Direction::Inout,
                    "internal" => Direction::Internal,
                    _ => {
                        context.problem(Severity::Error, "liberty-direction", child, || {
                            format!("`{text}` is no direction; taken as input")
                        });
                        Direction::Input
                    }
                };
                pin.direction = direction;
                self.directed.insert(index);
            } else if !number_attribute(context, pin, child) {
                other_attribute(context, pin, child);
            }
        }
    }

    /// Functions, which need all pin names; and pins that say no direction.
    pub(super) fn finish(&mut self, context: &mut Context<'_, 'a>, cell: &mut Cell) {
        let tree = context.tree;
        for (node, pins) in &self.groups {
            for child in tree.children(node) {
                if !matches!(child.name, "function" | "three_state" | "state_function") {
                    continue;
                }
                let Some(expr) = context.expr(child) else { continue };
                self.check_names(context, cell, child, &expr);
                for (position, &pin) in pins.iter().enumerate() {
                    let bit = self.bit_of(cell, &expr, position, pins.len());
                    let Some(pin) = cell.pins.get_mut(pin as usize) else { continue };
                    *match child.name {
                        "function" => &mut pin.function,
                        "three_state" => &mut pin.three_state,
                        _ => &mut pin.state_function,
                    } = Some(bit);
                }
            }
            if node.name == "pin" && pins.iter().any(|p| !self.directed.contains(p)) {
                context.problem(Severity::Warning, "liberty-direction", node, || {
                    format!(
                        "pin `{}` of cell `{}` has no direction; taken as input",
                        tree.word(node),
                        cell.name
                    )
                });
            }
        }
    }

    /// The expression for one bit: each bus of the same width gives its bit in the same place.
    fn bit_of(&self, cell: &Cell, expr: &Expr, position: usize, width: usize) -> Expr {
        let plain = expr.names().iter().all(|n| self.by_name.contains_key(n));
        if plain || width < 2 {
            return expr.clone();
        }
        expr.renamed(|name| {
            let pins = self.resolve(cell, name).filter(|p| p.len() == width)?;
            let pin = pins.get(position).and_then(|&p| cell.pins.get(p as usize))?;
            Some(pin.name.clone())
        })
    }

    fn check_names(
        &self,
        context: &mut Context<'_, 'a>,
        cell: &Cell,
        node: &Node<'a>,
        expr: &Expr,
    ) {
        for name in expr.names() {
            let state = cell.sequentials.iter().any(|s| {
                let base = name.split('[').next().unwrap_or(name);
                [name.as_str(), base].iter().any(|n| s.state == *n || s.state_inverted == *n)
            });
            let known = state
                || self.by_name.contains_key(name)
                || self.buses.contains_key(name)
                || cell.pg_pins.iter().any(|p| p.name == *name)
                || cell.statetable.as_ref().is_some_and(|t| t.nodes.contains(name))
                || self.resolve(cell, name).is_some();
            if !known {
                context.problem(Severity::Warning, "liberty-unknown-name", node, || {
                    format!(
                        "`{}` of cell `{}` speaks of `{name}`, which is no pin and no state",
                        node.name, cell.name
                    )
                });
            }
        }
    }
}

fn number_attribute<'a>(context: &mut Context<'_, 'a>, pin: &mut Pin, node: &Node<'a>) -> bool {
    let (time, cap) = (context.units.time, context.units.capacitance);
    let (slot, scale) = match node.name {
        "capacitance" => (&mut pin.capacitance, cap),
        "rise_capacitance" => (&mut pin.rise_capacitance, cap),
        "fall_capacitance" => (&mut pin.fall_capacitance, cap),
        "max_capacitance" => (&mut pin.max_capacitance, cap),
        "min_capacitance" => (&mut pin.min_capacitance, cap),
        "max_transition" => (&mut pin.max_transition, time),
        "min_transition" => (&mut pin.min_transition, time),
        "max_fanout" => (&mut pin.max_fanout, 1.0),
        "min_fanout" => (&mut pin.min_fanout, 1.0),
        "fanout_load" => (&mut pin.fanout_load, 1.0),
        "min_pulse_width_high" => (&mut pin.min_pulse_width_high, time),
        "min_pulse_width_low" => (&mut pin.min_pulse_width_low, time),
        "min_period" => (&mut pin.min_period, time),
        "rise_capacitance_range" | "fall_capacitance_range" => {
            let range = match context.numbers(node, cap).as_slice() {
                [least, most] => Some([*least, *most]),
                _ => {
                    context.problem(Severity::Error, "liberty-number", node, || {
                        format!("`{}` needs two numbers; it is left out", node.name)
                    });
                    None
                }
            };
            if node.name.starts_with('r') {
                pin.rise_capacitance_range = range;
            } else {
                pin.fall_capacitance_range = range;
            }
            return true;
        }
        _ => return false,
    };
    *slot = context.number(node, scale);
    true
}

fn other_attribute<'a>(context: &mut Context<'_, 'a>, pin: &mut Pin, node: &Node<'a>) {
    let role = match node.name {
        "clock_gate_clock_pin" => Some(ClockGateRole::Clock),
        "clock_gate_enable_pin" => Some(ClockGateRole::Enable),
        "clock_gate_test_pin" => Some(ClockGateRole::Test),
        "clock_gate_obs_pin" => Some(ClockGateRole::Observation),
        "clock_gate_out_pin" => Some(ClockGateRole::Output),
        _ => None,
    };
    if let Some(role) = role {
        if context.boolean(node) {
            pin.clock_gate_role = Some(role);
        }
        return;
    }
    match node.name {
        "clock" => pin.is_clock = context.boolean(node),
        "is_pad" => pin.is_pad = context.boolean(node),
        "internal_node" => pin.internal_node = context.text(node),
        "signal_type" => pin.signal_type = context.text(node),
        "nextstate_type" => pin.nextstate_type = context.text(node),
        "driver_type" => pin.driver_type = context.text(node),
        "related_power_pin" => pin.related_power_pin = context.text(node),
        "related_ground_pin" => pin.related_ground_pin = context.text(node),
        _ => {}
    }
}

fn read_check<'a>(context: &mut Context<'_, 'a>, node: &Node<'a>) -> PulseCheck {
    let tree = context.tree;
    let time = context.units.time;
    let mut check = PulseCheck::default();
    for child in tree.children(node) {
        match child.name {
            "when" => check.when = context.expr(child),
            "constraint_high" => check.width_high = context.number(child, time),
            "constraint_low" => check.width_low = context.number(child, time),
            "constraint" => check.period = context.number(child, time),
            _ => {}
        }
    }
    check
}

/// The bits from the first to the last, or nothing if they are too many.
fn bits(from: i32, to: i32) -> Option<Box<dyn Iterator<Item = i32>>> {
    if (i64::from(from) - i64::from(to)).abs() >= MAX_BITS {
        None
    } else if from >= to {
        Some(Box::new((to..=from).rev()))
    } else {
        Some(Box::new(from..=to))
    }
}

fn bit_name(bus: &str, bit: i32) -> String {
    format!("{bus}[{bit}]")
}

/// `NAME[3:0]` or `NAME[3]`, also in angle brackets, as name and bits.
fn split_range(name: &str) -> Option<(&str, i32, i32)> {
    let body = name.strip_suffix(']').or_else(|| name.strip_suffix('>'))?;
    let (base, range) = body.rsplit_once(['[', '<'])?;
    let (from, to) = range.split_once(':').unwrap_or((range, range));
    Some((base, parse_i32(from.trim())?, parse_i32(to.trim())?))
}

/// A pin name with its bit in square brackets. Inside a bus, `A_3`, `A<3>` and `A(3)` are `A[3]`.
fn normal_name(name: &str, bus: Option<&str>) -> String {
    if let Some((base, from, to)) = split_range(name) {
        return if from == to { bit_name(base, from) } else { format!("{base}[{from}:{to}]") };
    }
    let rest = bus.and_then(|b| name.strip_prefix(b)).unwrap_or("");
    let marked = rest.starts_with(['_', '(']);
    match (bus, parse_i32(rest.trim_matches(['_', '(', ')']))) {
        (Some(bus), Some(bit)) if marked => bit_name(bus, bit),
        _ => name.to_owned(),
    }
}
