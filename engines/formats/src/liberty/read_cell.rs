//! Reading a cell: its attributes, its storage, and the order in which the rest is read.

use super::cell::{Cell, Leakage, ModeDefinition, PgPin, Sequential, SequentialKind, StateTable};
use super::context::Context;
use super::pins::PinGroups;
use super::read::read_bus_type;
use super::syntax::{Kind, Node};
use super::timing::read_timings;
use crate::text::{Severity, parse_u32};

/// Attributes that say what a cell is for in power management.
const POWER_ROLES: [&str; 7] = [
    "is_level_shifter",
    "is_isolation_cell",
    "always_on",
    "retention_cell",
    "switch_cell_type",
    "is_clock_isolation_cell",
    "power_gating_cell",
];

pub(super) fn read_cell<'a>(context: &mut Context<'_, 'a>, node: &Node<'a>) -> Cell {
    let tree = context.tree;
    let mut cell = Cell { name: context.string(node), line: context.line(node), ..Cell::default() };
    // Bus types of the cell stand before those of the library.
    let library_types = context.bus_types.len();
    for child in tree.children(node).filter(|c| c.kind == Kind::Group && c.name == "type") {
        if let Some(bus_type) = read_bus_type(context, child) {
            context.bus_types.push(bus_type);
        }
    }
    let mut groups = PinGroups::default();
    for child in tree.children(node) {
        if child.kind == Kind::Group {
            match child.name {
                "pin" | "bus" | "bundle" => groups.read(context, &mut cell, child),
                _ => read_group(context, &mut cell, child),
            }
        } else {
            read_attribute(context, &mut cell, child);
        }
    }
    context.bus_types.truncate(library_types);
    groups.finish(context, &mut cell);
    read_timings(context, &mut cell, &groups);
    cell.is_pad |= cell.pins.iter().any(|p| p.is_pad);
    cell
}

fn read_attribute<'a>(context: &mut Context<'_, 'a>, cell: &mut Cell, node: &Node<'a>) {
    match node.name {
        "area" => cell.area = context.number(node, 1.0),
        "cell_footprint" => cell.footprint = context.text(node),
        "dont_use" => cell.dont_use = context.boolean(node),
        "dont_touch" => cell.dont_touch = context.boolean(node),
        "is_macro_cell" => cell.is_macro = context.boolean(node),
        "pad_cell" => cell.is_pad = context.boolean(node),
        "interface_timing" => cell.interface_timing = context.boolean(node),
        "clock_gating_integrated_cell" => cell.clock_gating = context.text(node),
        "threshold_voltage_group" => cell.threshold_voltage_group = context.text(node),
        "scaling_factors" => cell.scaling_factors = context.text(node),
        "cell_leakage_power" => {
            let scale = context.units.leakage_power;
            cell.leakage_power = context.number(node, scale);
        }
        name if POWER_ROLES.contains(&name)
            && !context.tree.word(node).trim().eq_ignore_ascii_case("false") =>
        {
            cell.power_roles.push(name.to_owned());
        }
        _ => {}
    }
}

fn read_group<'a>(context: &mut Context<'_, 'a>, cell: &mut Cell, node: &Node<'a>) {
    let tree = context.tree;
    match node.name {
        "ff" | "ff_bank" => {
            let sequential = read_sequential(context, SequentialKind::FlipFlop, node);
            cell.sequentials.push(sequential);
        }
        "latch" | "latch_bank" => {
            let sequential = read_sequential(context, SequentialKind::Latch, node);
            cell.sequentials.push(sequential);
        }
        "statetable" => cell.statetable = Some(read_statetable(context, node)),
        "memory" => cell.is_memory = true,
        "test_cell" => cell.has_test_cell = true,
        "type" => {}
        "pg_pin" => {
            let mut pin = PgPin { name: context.string(node), ..PgPin::default() };
            for child in tree.children(node) {
                match child.name {
                    "pg_type" => pin.pg_type = context.string(child),
                    "voltage_name" => pin.voltage_name = context.text(child),
                    _ => {}
                }
            }
            cell.pg_pins.push(pin);
        }
        "leakage_power" => {
            let scale = context.units.leakage_power;
            let (mut when, mut value, mut related_pg_pin) = (None, None, None);
            for child in tree.children(node) {
                match child.name {
                    "when" => when = context.expr(child),
                    "value" => value = context.number(child, scale),
                    "related_pg_pin" => related_pg_pin = context.text(child),
                    _ => {}
                }
            }
            // A group without a value (of a pg pin that leaks nothing, say) says nothing.
            if let Some(value) = value {
                cell.leakage.push(Leakage { when, value, related_pg_pin });
            }
        }
        "mode_definition" => {
            let mut mode = ModeDefinition { name: context.string(node), ..Default::default() };
            for child in tree.children(node).filter(|c| c.name == "mode_value") {
                let when = tree.children(child).find(|c| c.name == "when");
                let when = when.and_then(|w| context.expr(w));
                mode.values.push((context.string(child), when));
            }
            cell.modes.push(mode);
        }
        _ => context.drop_group(node),
    }
}

fn read_sequential<'a>(
    context: &mut Context<'_, 'a>,
    kind: SequentialKind,
    node: &Node<'a>,
) -> Sequential {
    let tree = context.tree;
    let mut names = context.strings(node).into_iter();
    let mut sequential = Sequential {
        kind,
        line: context.line(node),
        state: names.next().unwrap_or_default(),
        state_inverted: names.next().unwrap_or_default(),
        bits: None,
        clocked_on: None,
        clocked_on_also: None,
        next_state: None,
        enable: None,
        enable_also: None,
        data_in: None,
        clear: None,
        preset: None,
        clear_preset_var1: None,
        clear_preset_var2: None,
    };
    if node.name.ends_with("_bank") {
        sequential.bits = names.next().and_then(|n| parse_u32(n.trim()));
        if sequential.bits.is_none() {
            context.problem(Severity::Error, "liberty-bank", node, || {
                format!("`{}` needs two names and a count of bits", node.name)
            });
        }
    }
    for child in tree.children(node) {
        let slot = match child.name {
            "clocked_on" => &mut sequential.clocked_on,
            "clocked_on_also" => &mut sequential.clocked_on_also,
            "next_state" => &mut sequential.next_state,
            "enable" => &mut sequential.enable,
            "enable_also" | "enable_on_also" => &mut sequential.enable_also,
            "data_in" => &mut sequential.data_in,
            "clear" => &mut sequential.clear,
            "preset" => &mut sequential.preset,
            "clear_preset_var1" => {
                sequential.clear_preset_var1 = tree.word(child).trim().chars().next();
                continue;
            }
            "clear_preset_var2" => {
                sequential.clear_preset_var2 = tree.word(child).trim().chars().next();
                continue;
            }
            _ => continue,
        };
        *slot = context.expr(child);
    }
    sequential
}

fn read_statetable<'a>(context: &mut Context<'_, 'a>, node: &Node<'a>) -> StateTable {
    let tree = context.tree;
    let split = |text: &str| -> Vec<String> {
        text.split(|c: char| c <= ' ' || c == ',' || c == '\\')
            .filter(|t| !t.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let names = context.strings(node);
    let mut statetable = StateTable {
        inputs: names.first().map(|n| split(n)).unwrap_or_default(),
        nodes: names.get(1).map(|n| split(n)).unwrap_or_default(),
        rows: Vec::new(),
    };
    for child in tree.children(node).filter(|c| c.name == "table") {
        let text = context.string(child);
        for row in
            text.split(',').filter(|r| !r.trim_matches(['\\', ' ', '\n', '\r', '\t']).is_empty())
        {
            let parts: Vec<Vec<String>> = row.split(':').map(split).collect();
            match <[Vec<String>; 3]>::try_from(parts) {
                Ok(parts) => statetable.rows.push(parts),
                Err(_) => context.problem(Severity::Error, "liberty-statetable", child, || {
                    format!(
                        "the row `{}` has no three parts parted by `:`; it is left out",
                        row.trim()
                    )
                }),
            }
        }
    }
    statetable
}
