//! What every generated design promises: size, reproducibility, well-formedness, honest files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers may panic")]

use std::collections::{BTreeMap, BTreeSet};

use cellwright_designs::check::check;
use cellwright_designs::finish::MAX_FANOUT;
use cellwright_designs::floorplan::Side;
use cellwright_designs::netlist::NetId;
use cellwright_designs::sim::Simulator;
use cellwright_designs::spec::{ClockStyle, Constants, Hierarchy, Kind, Mix};
use cellwright_designs::{Error, GeneratedDesign, PRESETS, Spec, generate, tech};
use proptest::prelude::*;

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn within_two_percent(design: &GeneratedDesign) {
    let (got, want) = (design.netlist.cell_count() as f64, design.spec.cells as f64);
    assert!((got - want).abs() <= 0.02 * want, "{got} cells for {want}");
}

#[test]
fn every_preset_but_the_largest_is_well_formed() {
    for (name, _) in PRESETS.iter().filter(|(name, _)| *name != "mix1m") {
        let design = generate(&Spec::preset(name).unwrap()).unwrap();
        check(&design.netlist).unwrap();
        within_two_percent(&design);
        let sinks = design.netlist.sinks();
        for net in (2..design.netlist.net_count() as u32).map(NetId) {
            let clock = Some(net) == design.netlist.clock();
            assert!(clock || sinks.of(net).len() <= MAX_FANOUT, "{name}");
        }
    }
    assert!(matches!(Spec::preset("huge"), Err(Error::UnknownPreset { .. })));
}

#[test]
fn every_kind_alone_fills_every_size() {
    for kind in Kind::ALL {
        for cells in [200, 300, 1000, 5000] {
            let spec = Spec { mix: Mix::only(kind), ..Spec::new("only", cells, 7) };
            let design = generate(&spec).unwrap();
            within_two_percent(&design);
        }
    }
}

#[test]
fn seeds_decide() {
    let spec = Spec::preset("demo").unwrap();
    let verilog = |spec: &Spec| {
        let design = generate(spec).unwrap();
        text(|out| design.write_verilog(out)) + &text(|out| design.write_def(out))
    };
    let one = verilog(&spec);
    assert_eq!(one, verilog(&spec));
    assert_ne!(one, verilog(&Spec { seed: spec.seed + 1, ..spec.clone() }));
}

#[test]
fn registers_start_and_run() {
    // A design whose state never changes under random inputs would be no test for anything.
    let design = generate(&Spec::preset("demo").unwrap()).unwrap();
    let n = &design.netlist;
    let mut sim = Simulator::new(n).unwrap();
    let mut word = 0x9E37_79B9_7F4A_7C15u64;
    let mut seen = vec![(false, false); n.net_count()];
    for _ in 0..200 {
        for port in &n.ports {
            for net in &port.bits {
                if port.direction == cellwright_designs::netlist::Direction::Input {
                    word ^= word << 13;
                    word ^= word >> 7;
                    word ^= word << 17;
                    let value = if Some(*net) == n.reset() { u64::MAX } else { word };
                    sim.set(*net, value);
                }
            }
        }
        sim.settle();
        sim.clock();
        for (i, seen) in seen.iter_mut().enumerate() {
            let value = sim.get(NetId(i as u32));
            *seen = (seen.0 || value != 0, seen.1 || value != u64::MAX);
        }
    }
    let alive = seen.iter().filter(|s| s.0 && s.1).count();
    assert!(alive * 100 > n.net_count() * 85, "{alive} of {}", n.net_count());
}

#[test]
fn nets_are_local_as_rent_has_it() {
    // Mean terminals of windows of cells, in cell order, against the size of the window.
    for (name, low, high) in [("mix100k", 0.45, 0.8), ("mesh20k", 0.3, 0.8)] {
        let design = generate(&Spec::preset(name).unwrap()).unwrap();
        let n = &design.netlist;
        let terminals = |window: u32| {
            let mut windows: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); n.net_count()];
            for cell in n.cells() {
                for net in n.pins(cell).iter().filter(|net| **net != NetId::OPEN) {
                    if Some(*net) != n.clock() {
                        windows[net.index()].insert(cell.0 / window);
                    }
                }
            }
            let cut: usize = windows.iter().map(BTreeSet::len).filter(|len| *len > 1).sum();
            cut as f64 / (n.cell_count() as f64 / f64::from(window))
        };
        let exponent = (terminals(2048) / terminals(32)).ln() / 64f64.ln();
        assert!((low..high).contains(&exponent), "{name}: {exponent}");
    }
}

#[test]
fn bad_specs_are_refused_by_field() {
    let good = Spec::new("good", 300, 1);
    let field = |spec: Spec| match generate(&spec) {
        Err(Error::Spec { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(Spec { name: String::from("1bad"), ..good.clone() }), "name");
    assert_eq!(field(Spec { name: String::from("../up"), ..good.clone() }), "name");
    assert_eq!(field(Spec { name: String::from("module"), ..good.clone() }), "name");
    assert_eq!(field(Spec { cells: 3, ..good.clone() }), "cells");
    assert_eq!(field(Spec { utilisation: f64::NAN, ..good.clone() }), "utilisation");
    assert_eq!(field(Spec { tightness: 0.0, ..good.clone() }), "tightness");
    assert_eq!(field(Spec { period: Some(-1.0), ..good.clone() }), "period");
    assert_eq!(field(Spec { corners: Vec::new(), ..good.clone() }), "corners");
    let mix = Mix { adder: f64::NAN, ..Mix::ALL };
    assert_eq!(field(Spec { mix, ..good }), "mix");
}

/// (cell, pin) of every net of a DEF, ports as ("PIN", name); and the masters of the cells.
type Connections = BTreeMap<String, BTreeSet<(String, String)>>;

fn read_def(def: &str) -> (Connections, BTreeMap<String, String>) {
    let mut nets = Connections::new();
    let mut cells = BTreeMap::new();
    let components = section(def, "COMPONENTS");
    for statement in components.split(';') {
        let words: Vec<&str> = statement.split_whitespace().collect();
        if let ["-", cell, master, ..] = words.as_slice() {
            cells.insert((*cell).to_string(), (*master).to_string());
        }
    }
    for statement in section(def, "\nNETS").split(';') {
        let words: Vec<&str> = statement.split_whitespace().collect();
        if words.first() == Some(&"-") {
            let pins = words.iter().enumerate().filter(|(_, w)| **w == "(");
            let pins = pins.map(|(i, _)| (words[i + 1].to_string(), words[i + 2].to_string()));
            nets.insert(words[1].to_string(), pins.collect());
        }
    }
    (nets, cells)
}

fn section<'a>(def: &'a str, name: &str) -> &'a str {
    let start = def.find(&format!("{name} ")).unwrap();
    let end = def[start..].find(&format!("END {}", name.trim())).unwrap();
    // Past the statement that gives the count.
    let body = &def[start..start + end];
    &body[body.find(';').unwrap() + 1..]
}

/// Reads back the writer's own Verilog, both forms, flattening blocks with `/`.
fn read_verilog(verilog: &str, top: &str) -> (Connections, BTreeMap<String, String>) {
    let mut modules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut current = "";
    for line in verilog.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("module ") {
            current = rest.split(' ').next().unwrap();
        }
        modules.entry(current).or_default().push(line);
    }
    let mut nets = Connections::new();
    let mut cells = BTreeMap::new();
    let mut alias: BTreeMap<String, String> = BTreeMap::new();
    for line in &modules[top] {
        if let Some(rest) = line.strip_prefix("assign ") {
            let (port, net) = rest.trim_end_matches(';').split_once(" = ").unwrap();
            alias.insert(net.to_string(), port.to_string());
        }
    }
    let resolve = |net: &str| alias.get(net).cloned().unwrap_or_else(|| net.to_string());
    for line in &modules[top] {
        if let Some(rest) = line.strip_prefix("input ").or(line.strip_prefix("output ")) {
            let rest = rest.trim_end_matches(';');
            let bits: Vec<String> = match rest.split_once(' ') {
                Some((range, name)) => {
                    let high: usize = range[1..range.find(':').unwrap()].parse().unwrap();
                    (0..=high).map(|i| format!("{name}[{i}]")).collect()
                }
                None => vec![rest.to_string()],
            };
            for bit in bits {
                nets.entry(bit.clone()).or_default().insert((String::from("PIN"), bit));
            }
        }
        let Some((head, pins)) = line.strip_suffix(");").and_then(|l| l.split_once(" (")) else {
            continue;
        };
        if head.starts_with("module") {
            continue;
        }
        let (master, cell) = head.split_once(' ').unwrap();
        let pins = connections(pins);
        if !modules.contains_key(master) {
            cells.insert(cell.to_string(), master.to_string());
            for (pin, net) in pins {
                nets.entry(resolve(&net)).or_default().insert((cell.to_string(), pin));
            }
            continue;
        }
        let mut outer: BTreeMap<String, String> = BTreeMap::new();
        for (pin, net) in pins {
            if let Some(list) = net.strip_prefix('{') {
                let list: Vec<&str> = list.trim_end_matches('}').split(", ").collect();
                for (i, net) in list.iter().rev().enumerate() {
                    outer.insert(format!("{pin}[{i}]"), resolve(net));
                }
            } else if pin == "o" {
                for i in 0..verilog.len().min(4096) {
                    outer.insert(format!("o[{i}]"), resolve(&format!("{net}[{i}]")));
                }
            } else {
                outer.insert(pin, resolve(&net));
            }
        }
        for line in &modules[master] {
            let Some((head, pins)) = line.strip_suffix(");").and_then(|l| l.split_once(" ("))
            else {
                continue;
            };
            if head.starts_with("module") {
                continue;
            }
            let (inner_master, inner) = head.split_once(' ').unwrap();
            let name = format!("{cell}/{inner}");
            cells.insert(name.clone(), inner_master.to_string());
            for (pin, net) in connections(pins) {
                let net = outer.get(&net).cloned().unwrap_or_else(|| format!("{cell}/{net}"));
                nets.entry(net).or_default().insert((name.clone(), pin));
            }
        }
    }
    nets.retain(|net, _| !net.ends_with("1'b0") && !net.ends_with("1'b1"));
    (nets, cells)
}

/// `.A(x), .B(y)` as pairs.
fn connections(pins: &str) -> Vec<(String, String)> {
    pins.split('.')
        .filter(|p| !p.is_empty())
        .map(|p| {
            let (pin, net) = p.split_once('(').unwrap();
            (pin.to_string(), net.trim_end_matches([' ', ',']).trim_end_matches(')').to_string())
        })
        .collect()
}

#[test]
fn verilog_and_def_say_the_same() {
    for hierarchy in [Hierarchy::Flat, Hierarchy::Modules] {
        for constants in [Constants::None, Constants::Tied, Constants::Literal] {
            for clock in [ClockStyle::Ideal, ClockStyle::Tree] {
                let spec = Spec { hierarchy, constants, clock, ..Spec::new("same", 1500, 11) };
                let design = generate(&spec).unwrap();
                let (def_nets, def_cells) = read_def(&text(|out| design.write_def(out)));
                let verilog = text(|out| design.write_verilog(out));
                let (nets, cells) = read_verilog(&verilog, "same");
                assert_eq!(cells.len(), design.netlist.cell_count());
                assert_eq!(cells, def_cells);
                assert_eq!(nets, def_nets);
                let literal = verilog.contains("1'b1");
                assert_eq!(literal, constants == Constants::Literal);
                assert_eq!(verilog.contains("TIE1_X1"), constants == Constants::Tied);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Any request in range gives a well-formed design of its size, with pins on tracks of their own.
    #[test]
    fn any_spec_holds(
        cells in 200usize..4000,
        seed in any::<u64>(),
        weights in [0.0f64..1.0, 0.0..1.0, 0.0..1.0, 0.01..1.0, 0.0..1.0],
        utilisation in 0.05f64..0.95,
        modules in any::<bool>(),
        constants in 0..3u8,
        tree in any::<bool>(),
        gated in any::<bool>(),
    ) {
        let [adder, multiplier, register_file, pipeline, mesh] = weights;
        let spec = Spec {
            mix: Mix { adder, multiplier, register_file, pipeline, mesh },
            utilisation,
            hierarchy: if modules { Hierarchy::Modules } else { Hierarchy::Flat },
            constants: [Constants::None, Constants::Tied, Constants::Literal][usize::from(constants)],
            clock: if tree { ClockStyle::Tree } else { ClockStyle::Ideal },
            gated_clocks: gated,
            ..Spec::new("any", cells, seed)
        };
        let design = generate(&spec).unwrap();
        check(&design.netlist).unwrap();
        within_two_percent(&design);
        let plan = &design.floorplan;
        let used: i64 =
            design.netlist.cells().map(|c| i64::from(design.netlist.master(c).sites)).sum();
        prop_assert!(used as f64 <= 1.001 * utilisation * plan.core_sites() as f64);
        let mut places = BTreeSet::new();
        for pin in &plan.pins {
            prop_assert!(places.insert((pin.x, pin.y)));
            let (x, y) = plan.die;
            match pin.side {
                Side::South => prop_assert!(pin.y == 0 && pin.x > 0 && pin.x < x),
                Side::North => prop_assert!(pin.y == y && pin.x > 0 && pin.x < x),
                Side::West => prop_assert!(pin.x == 0 && pin.y > 0 && pin.y < y),
                Side::East => prop_assert!(pin.x == x && pin.y > 0 && pin.y < y),
            }
            match pin.side {
                Side::South | Side::North => prop_assert_eq!(pin.x % tech::SITE_WIDTH, 200),
                Side::West | Side::East => prop_assert_eq!(pin.y % tech::SITE_WIDTH, 0),
            }
        }
    }
}
