//! Timing against golden reports: every endpoint's slack, pins, totals, case by case.
//!
//! `CELLWRIGHT_CASES=a,b` chooses cases, `CELLWRIGHT_DETAIL=1` prints the worst differences.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cellwright_db::library::PinDirection;
use cellwright_db::timing::Edge;
use cellwright_db::{Design, PinId};
use cellwright_formats::bundle::{Bundle, CornerFiles};
use cellwright_formats::load::load;
use cellwright_formats::text::open;
use cellwright_sta::constraints::{
    Clock, Constraints, DrivingCell, Exception, ExceptionKind, GeneratedClock, GeneratedShape,
    MinMax, PathPoint, PortDelay, Values,
};
use cellwright_sta::parasitics::{Annotated, Parasitics, RcNet, RcNode};
use cellwright_sta::{Calculator, Config, Timer};

/// Cases that must agree, with what decides.
const CASES: &[&str] = &[
    "tau_simple",
    "tau_c17",
    "gcd_nangate45",
    "tau_s27_spef",
    "example1_n45_spef",
    "example1_n45_minmax",
    "reg1_asap7",
    "feat_crpr",
    "feat_genclk",
    "feat_gated_clk",
    "feat_latch",
    "map9v3_osu018",
    "tau_c432",
    "gcd_sky130hd",
];

fn corpus() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("CELLWRIGHT_CORPUS").map_or(here, PathBuf::from);
    if folder.join("timing").is_dir() {
        return Some(folder.join("timing"));
    }
    println!("skipped: corpus not found at {}", folder.display());
    None
}

fn read(path: &Path) -> Option<String> {
    let zipped = PathBuf::from(format!("{}.gz", path.display()));
    let path = if path.exists() { path.to_owned() } else { zipped };
    Some(open(path).ok()?.text().to_owned())
}

// ---- the scripts ----

struct Script {
    bundle: Bundle,
    spef: Vec<(String, PathBuf)>,
}

fn script(folder: &Path, name: &str) -> Script {
    let text = read(&folder.join("golden.tcl")).unwrap();
    let mut corner = CornerFiles { name: "typ".into(), ..CornerFiles::default() };
    let (mut verilog, mut top, mut spef) = (vec![], None, vec![]);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["read_liberty", "-max", file] => corner.liberty_late.push(file.into()),
            ["read_liberty", "-min", file] => corner.liberty_early.push(file.into()),
            ["read_liberty", file] => corner.liberty.push(file.into()),
            ["read_verilog", file] => verilog.push(file.into()),
            ["link_design", name] => top = Some((*name).to_owned()),
            ["read_spef", file] => spef.push((String::new(), folder.join(file))),
            ["if", ..] if folder.join("syn.spef.gz").exists() => {
                spef.push((String::new(), folder.join("syn.spef.gz")));
            }
            _ => {}
        }
    }
    if text.contains("read_spef -path ces_") {
        for r in 0..4 {
            for c in 0..4 {
                spef.push((format!("ces_{r}_{c}/"), folder.join("Element.spef.gz")));
            }
        }
    }
    let bundle = Bundle {
        name: name.into(),
        tech: "any".into(),
        top,
        lef: vec![],
        verilog,
        def: None,
        sdc: vec![],
        corner: vec![corner],
        wire: None,
        folder: folder.to_owned(),
        file: folder.join("golden.tcl"),
    };
    Script { bundle, spef }
}

// ---- flat SDC as the golden tool writes it ----

fn sdc_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut depth) = (String::new(), 0);
    for c in line.chars() {
        match c {
            '[' | '{' if depth > 0 || word.is_empty() => {
                depth += 1;
                word.push(c);
            }
            ']' | '}' if depth > 0 => {
                depth -= 1;
                word.push(c);
            }
            c if c.is_whitespace() && depth == 0 => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            c => word.push(c),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Names inside `[get_x {a}]`, `[list [get_x {a}] …]`.
fn names(word: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (at, _) in word.match_indices("[get_") {
        let rest = &word[at + 5..];
        let (kind, rest) = rest.split_once(char::is_whitespace).unwrap();
        let rest = rest.trim_start();
        let name = match rest.strip_prefix('{') {
            Some(rest) => rest.split_once('}').unwrap().0,
            None => rest.split(']').next().unwrap(),
        };
        found.push((kind.to_owned(), name.replace('\\', "")));
    }
    found
}

fn sdc(text: &str, design: &Design, time: f64, cap: f64) -> Constraints {
    let mut c = Constraints::default();
    let joined = text.replace("\\\n", " ");
    for line in joined.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let words = sdc_words(line);
        let (mut flags, mut free) = (BTreeMap::new(), Vec::new());
        let mut at = 1;
        while at < words.len() {
            let word = words[at].as_str();
            let value = |n: usize| words.get(at + n).cloned().unwrap_or_default();
            match word {
                "-name"
                | "-period"
                | "-waveform"
                | "-clock"
                | "-source"
                | "-divide_by"
                | "-lib_cell"
                | "-pin"
                | "-input_transition_rise"
                | "-input_transition_fall"
                | "-from"
                | "-to"
                | "-through" => {
                    flags.insert(word.to_owned(), value(1));
                    at += 1;
                }
                _ if word.starts_with('-') && word.parse::<f64>().is_err() => {
                    flags.insert(word.to_owned(), String::new());
                }
                _ => free.push(words[at].clone()),
            }
            at += 1;
        }
        let has = |flag: &str| flags.contains_key(flag);
        let either = |a: &str, b: &str| if has(a) == has(b) { [true; 2] } else { [has(a), has(b)] };
        let (sides, edges) = (either("-min", "-max"), either("-rise", "-fall"));
        let number = |at: usize| free[at].parse::<f64>().unwrap();
        let pins = |word: &str| -> Vec<PinId> {
            let mut pins: Vec<PinId> = names(word)
                .into_iter()
                .map(|(_, name)| design.find_pin(&name).unwrap_or_else(|| panic!("pin {name}")))
                .collect();
            pins.sort_unstable();
            pins
        };
        let ports = |word: &str| -> Vec<cellwright_db::PortId> {
            names(word).into_iter().filter_map(|(_, name)| design.find_port(&name)).collect()
        };
        let clock_of = |c: &Constraints, word: &str| {
            let name = names(word).pop().map_or(word.to_owned(), |(_, name)| name);
            c.find_clock(&name)
        };
        match words[0].as_str() {
            "current_design"
            | "group_path"
            | "set_max_transition"
            | "set_max_fanout"
            | "set_max_capacitance" => {}
            "create_clock" => {
                let period = flags["-period"].parse::<f64>().unwrap() * time;
                let waveform = match flags.get("-waveform") {
                    Some(wave) => wave
                        .trim_matches(['{', '}'])
                        .split_whitespace()
                        .map(|edge| edge.parse::<f64>().unwrap() * time)
                        .collect(),
                    None => vec![0.0, period / 2.0],
                };
                let sources = free.first().map_or(vec![], |word| pins(word));
                let name = flags["-name"].clone();
                c.clocks.push(Clock { name, period, waveform, sources, ..Clock::default() });
            }
            "create_generated_clock" => {
                let source = pins(&flags["-source"]).pop();
                let by = flags["-divide_by"].parse().unwrap();
                let generated = GeneratedClock {
                    source,
                    shape: GeneratedShape::Divide(by),
                    ..GeneratedClock::default()
                };
                c.clocks.push(Clock {
                    name: flags["-name"].clone(),
                    sources: pins(&free[0]),
                    generated: Some(generated),
                    ..Clock::default()
                });
            }
            "set_propagated_clock" => {
                if let Some(clock) = clock_of(&c, &free[0]) {
                    c.clocks[clock].propagated = true;
                } else {
                    c.propagated_pins.extend(pins(&free[0]));
                }
            }
            "set_clock_uncertainty" => {
                let sides = either("-hold", "-setup");
                let clock = clock_of(&c, &free[1]).unwrap();
                for side in (0..2).filter(|side| sides[*side]) {
                    c.clocks[clock].uncertainty[side] = Some(number(0) * time);
                }
            }
            "set_clock_transition" => {
                let clock = clock_of(&c, &free[1]).unwrap();
                c.clocks[clock].transition.set(sides, edges, number(0) * time);
            }
            "set_input_delay" | "set_output_delay" => {
                let clock = flags.get("-clock").and_then(|word| clock_of(&c, word));
                let list = if words[0] == "set_input_delay" {
                    &mut c.input_delays
                } else {
                    &mut c.output_delays
                };
                let edge = if has("-clock_fall") { Edge::Fall } else { Edge::Rise };
                for pin in pins(&free[1]) {
                    let found = list
                        .iter_mut()
                        .position(|d| d.pin == pin && d.clock == clock && d.clock_edge == edge);
                    let at = found.unwrap_or_else(|| {
                        list.push(PortDelay {
                            pin,
                            clock,
                            clock_edge: edge,
                            reference_pin: None,
                            delay: Values::default(),
                            source_latency_included: false,
                            network_latency_included: false,
                            level_sensitive: false,
                        });
                        list.len() - 1
                    });
                    list[at].delay.set(sides, edges, number(0) * time);
                }
            }
            "set_input_transition" => {
                for port in ports(&free[1]) {
                    let port = c.ports.entry(port).or_default();
                    port.input_transition.set(sides, edges, number(0) * time);
                }
            }
            "set_load" => {
                for port in ports(&free[1]) {
                    c.ports.entry(port).or_default().pin_load.set(sides, edges, number(0) * cap);
                }
            }
            "set_driving_cell" => {
                let master = design.library().master(&flags["-lib_cell"]).unwrap();
                let pin = flags["-pin"].trim_matches(['{', '}']);
                let to_pin = design.library().masters[master].pin(pin);
                let slew =
                    |flag: &str| flags.get(flag).map_or(0.0, |v| v.parse::<f64>().unwrap() * time);
                let cell = DrivingCell {
                    master,
                    library: None,
                    from_pin: None,
                    to_pin,
                    from_slews: [slew("-input_transition_rise"), slew("-input_transition_fall")],
                    multiply_by: 1.0,
                    dont_scale: false,
                    no_design_rule: false,
                };
                for port in ports(&free[0]) {
                    c.ports.entry(port).or_default().driving_cell =
                        [0, 1].map(|_| [0, 1].map(|_| Some(cell.clone())));
                }
            }
            "set_timing_derate" => {
                let side = usize::from(has("-late"));
                for kind in [0, 2] {
                    for path in 0..2 {
                        c.derates.design.factor[kind][path][side] = [Some(number(0)); 2];
                    }
                }
            }
            "set_max_delay" => {
                let point = |word: Option<&String>| {
                    let mut point = PathPoint { edges: [true; 2], ..PathPoint::default() };
                    for (kind, name) in word.map_or(vec![], |word| names(word)) {
                        match kind.as_str() {
                            "clocks" => point.clocks.push(c.find_clock(&name).unwrap()),
                            "cells" => point.cells.push(design.find_cell(&name).unwrap()),
                            _ => point.pins.push(design.find_pin(&name).unwrap()),
                        }
                    }
                    point.clocks.sort_unstable();
                    point.cells.sort_unstable();
                    point.pins.sort_unstable();
                    point
                };
                let (from, to) = (flags.get("-from"), flags.get("-to"));
                let exception = Exception {
                    kind: ExceptionKind::PathDelay {
                        side: MinMax::Max,
                        delay: number(0) * time,
                        ignore_clock_latency: has("-ignore_clock_latency"),
                        probe: false,
                    },
                    checks: [false, true],
                    from: from.map(|_| point(from)),
                    through: vec![],
                    to: to.map(|_| point(to)),
                    end_edges: [true; 2],
                    comment: String::new(),
                };
                c.exceptions.push(exception);
            }
            other => panic!("the test's SDC reader does not know {other}"),
        }
    }
    c
}

// ---- SPEF ----

fn spef(text: &str, path: &str, design: &Design, into: &mut Annotated) -> (usize, usize) {
    let (mut time, mut cap, mut res) = (1.0, 1.0, 1.0);
    let mut map: BTreeMap<&str, &str> = BTreeMap::new();
    let delimiter = text
        .lines()
        .find_map(|line| line.strip_prefix("*DELIMITER "))
        .and_then(|rest| rest.trim().chars().next())
        .unwrap_or(':');
    let mut section = "";
    let mut net: Option<(RcNet, BTreeMap<String, u32>)> = None;
    let (mut good, mut bad) = (0, 0);
    let mut own = "";
    let unescape = |name: &str| name.replace('\\', "");
    let long = |map: &BTreeMap<&str, &str>, name: &str| {
        let (head, tail) = match name.rsplit_once(delimiter) {
            Some((head, tail)) if name.starts_with('*') => (head, Some(tail)),
            _ => (name, None),
        };
        let head = map.get(head).copied().unwrap_or(head);
        match tail {
            Some(tail) => format!("{head}{delimiter}{tail}"),
            None => head.to_owned(),
        }
    };
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(&first) = words.first() else { continue };
        let unit = |scale: &str| {
            words[1].parse::<f64>().unwrap()
                * match scale {
                    "PS" | "FF" | "OHM" => 1e-3,
                    _ => 1.0,
                }
        };
        match first {
            "*T_UNIT" => time = unit(words[2]),
            "*C_UNIT" => cap = unit(words[2]),
            "*R_UNIT" => res = unit(words[2]),

            "*NAME_MAP" => section = "map",
            "*PORTS" => section = "ports",
            "*CONN" => section = "conn",
            "*CAP" => section = "cap",
            "*RES" => section = "res",
            "*D_NET" => {
                own = words[1];
                let name = format!("{path}{}", unescape(&long(&map, words[1])));
                section = "";
                net = design.find_net(&name).map(|net| {
                    let rc =
                        RcNet { net, nodes: vec![], cap: vec![], res: vec![], coupling: vec![] };
                    (rc, BTreeMap::new())
                });
                if net.is_some() { good += 1 } else { bad += 1 }
            }
            "*END" => {
                if let Some((net, _)) = net.take() {
                    into.insert(net);
                }
                section = "";
            }
            _ if section == "map" && first.starts_with('*') => {
                map.insert(first, words[1]);
            }
            _ => {
                let Some((rc, known)) = &mut net else { continue };
                let mut node = |name: &str, known: &mut BTreeMap<String, u32>| {
                    let name = long(&map, name);
                    if let Some(at) = known.get(&name) {
                        return *at;
                    }
                    let pin = match name.rsplit_once(delimiter) {
                        Some((cell, pin)) => {
                            let pin = format!("{path}{}/{}", unescape(cell), unescape(pin));
                            design.find_pin(&pin).filter(|p| design.pin_net(*p) == Some(rc.net))
                        }
                        None => design
                            .find_pin(&format!("{path}{}", unescape(&name)))
                            .filter(|p| design.pin_net(*p) == Some(rc.net)),
                    };
                    let at = rc.nodes.len() as u32;
                    rc.nodes.push(pin.map_or(RcNode::Internal(at), RcNode::Pin));
                    rc.cap.push(0.0);
                    known.insert(name, at);
                    at
                };
                match (section, words.as_slice()) {
                    ("conn", [_, name, ..]) => {
                        node(name, known);
                    }
                    ("cap", [_, a, value]) => {
                        let at = node(a, known);
                        rc.cap[at as usize] += (value.parse::<f64>().unwrap() * cap) as f32;
                    }
                    ("cap", [_, a, b, value, ..]) => {
                        // The node of this net, which may stand second.
                        let own_name = unescape(&long(&map, own));
                        let is_own = |n: &str| {
                            let name = long(&map, n);
                            known.contains_key(&name)
                                || unescape(&name)
                                    .rsplit_once(delimiter)
                                    .is_some_and(|(head, _)| head == own_name)
                        };
                        let chosen = if is_own(a) || !is_own(b) { a } else { b };
                        let at = node(chosen, known);
                        rc.coupling.push((at, (value.parse::<f64>().unwrap() * cap) as f32));
                    }
                    ("res", [_, a, b, value, ..]) => {
                        let (a, b) = (node(a, known), node(b, known));
                        rc.res.push((a, b, (value.parse::<f64>().unwrap() * res) as f32));
                    }
                    _ => {}
                }
            }
        }
    }
    let _ = time;
    (good, bad)
}

// ---- comparison ----

fn ends(text: &str) -> BTreeMap<String, [f64; 3]> {
    let mut found: BTreeMap<String, [f64; 3]> = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = words.iter().position(|w| *w == "(MET)" || *w == "(VIOLATED)") else {
            continue;
        };
        if at < 4 {
            continue;
        }
        let number = |back: usize| words[at - back].parse::<f64>().unwrap_or(f64::NAN);
        let new = [number(3), number(2), number(1)];
        let entry = found.entry(words[0].replace('\\', "")).or_insert(new);
        if new[2] < entry[2] {
            *entry = new;
        }
    }
    found
}

fn summary(text: &str, key: &str) -> f64 {
    let line = text.lines().find(|line| line.starts_with(key)).unwrap_or("0");
    line.split_whitespace().last().and_then(|w| w.parse().ok()).unwrap_or(f64::NAN)
}

fn check(folder: &Path, name: &str, calculator: Calculator) -> bool {
    let detail = std::env::var_os("CELLWRIGHT_DETAIL").is_some();
    let golden =
        folder.join(if calculator == Calculator::Lumped { "golden_lumped" } else { "golden" });
    let script = script(folder, name);
    let loaded = load(script.bundle).unwrap();
    let design = Design::new(&loaded.snapshot);
    let units = read(&golden.join("units.rpt")).unwrap();
    let scale = |key: &str| {
        let line = units.lines().find(|l| l.trim_start().starts_with(key)).unwrap();
        let unit = line.split_whitespace().last().unwrap();
        if unit.contains("ps") || unit.contains("fF") { 1e-3 } else { 1.0 }
    };
    let (time, cap) = (scale("time"), scale("capacitance"));
    let text = read(&folder.join(format!("{name}.flat.sdc"))).unwrap();
    let constraints = sdc(&text, &design, time, cap);
    let mut annotated = Annotated::default();
    for (path, file) in &script.spef {
        let (_, bad) = spef(&read(file).unwrap(), path, &design, &mut annotated);
        if bad > 0 {
            println!("{name}: {bad} nets of {} not found", file.display());
        }
    }
    let parasitics = if annotated.is_empty() {
        Parasitics::None
    } else {
        Parasitics::Annotated(annotated.into())
    };
    let config = Config { corners: vec![(0, parasitics)], calculator };
    let start = Instant::now();
    let timer = Timer::new(&design, constraints, config).unwrap();
    let elapsed = start.elapsed();
    for line in timer.not_supported() {
        println!("{name}: not supported: {line}");
    }
    let mut good = true;
    for (side, file, key) in
        [(MinMax::Max, "endpoints_setup.rpt", "max"), (MinMax::Min, "endpoints_hold.rpt", "min")]
    {
        let golden_ends = ends(&read(&golden.join(file)).unwrap());
        let ours: BTreeMap<String, (PinId, f64)> = timer
            .endpoints(side)
            .into_iter()
            .map(|(pin, slack)| {
                (design.pin_name(pin).replace('\\', ""), (pin, f64::from(slack) / time))
            })
            .collect();
        let mut errors: Vec<(f64, bool, &str, f64, f64)> = Vec::new();
        let mut missing = 0;
        for (end, [required, arrival, slack]) in &golden_ends {
            let Some((_, own)) = ours.get(end) else {
                missing += 1;
                if detail && missing < 5 {
                    println!("  missing {end}");
                }
                continue;
            };
            let error = (own - slack).abs();
            // The golden numbers are single precision: four units in the last place of what is
            // subtracted count as equal.
            let precision = 4.0 * f64::from(f32::EPSILON) * required.abs();
            let bound = (0.0005 / time).max(1e-3 * arrival.abs()).max(precision);
            errors.push((error, error <= bound, end, *own, *slack));
        }
        let extra = ours.keys().filter(|end| !golden_ends.contains_key(*end)).count();
        errors.sort_by(|a, b| b.0.total_cmp(&a.0));
        let outside = errors.iter().filter(|error| !error.1).count();
        let text = read(&golden.join("summary.txt")).unwrap();
        let worst = errors.first().map_or(0.0, |error| error.0);
        println!(
            "{name:22} {calculator:?} {key}: ends {}/{} missing {missing} extra {extra} outside {outside} \
             max err {worst:.6} ws {:.6} golden {:.6} tns {:.6} golden {:.6} ({elapsed:?})",
            ours.len(),
            golden_ends.len(),
            timer.worst_slack(side).map_or(f64::NAN, |s| f64::from(s) / time),
            summary(&text, &format!("worst slack {key}")),
            timer.tns(side) / time,
            summary(&text, &format!("tns {key}")),
        );
        if detail {
            for (error, _, end, own, slack) in errors.iter().take(4) {
                println!("  {end}: ours {own:.6} golden {slack:.6} error {error:.6}");
            }
            for end in ours.keys().filter(|end| !golden_ends.contains_key(*end)).take(4) {
                println!("  extra {end}");
            }
        }
        good &= missing == 0 && extra == 0 && outside == 0;
    }
    if let Some(text) = read(&golden.join("pins.tsv")).filter(|_| detail) {
        pins(&text, &design, &timer, time);
    }
    good
}

/// Prints the largest differences of arrivals and slews at pins.
fn pins(text: &str, design: &Design, timer: &Timer, time: f64) {
    let by_name: BTreeMap<String, PinId> = (0..design.pin_slots())
        .map(PinId::new)
        .map(|pin| (design.pin_name(pin).replace('\\', ""), pin))
        .collect();
    let corners = [
        (MinMax::Max, Edge::Rise),
        (MinMax::Max, Edge::Fall),
        (MinMax::Min, Edge::Rise),
        (MinMax::Min, Edge::Fall),
    ];
    let mut errors = Vec::new();
    for line in text.lines().skip(1) {
        let words: Vec<&str> = line.split('\t').collect();
        let Some(&pin) = by_name.get(&words[0].replace('\\', "")) else { continue };
        if design.pin_direction(pin) == PinDirection::Inout {
            continue;
        }
        for (at, (side, edge)) in corners.into_iter().enumerate() {
            let value = |column: usize| words.get(column).and_then(|w| w.parse::<f64>().ok());
            if let Some(golden) = value(1 + at).filter(|v| v.is_finite()) {
                let own = timer.arrival(pin, side, edge).map_or(f64::NAN, f64::from) / time;
                errors.push(((own - golden).abs(), "arrival", words[0], side, edge, own, golden));
            }
            if let Some(golden) = value(5 + at).filter(|v| v.is_finite()) {
                let own = f64::from(timer.slew(pin, side, edge)) / time;
                errors.push(((own - golden).abs(), "slew", words[0], side, edge, own, golden));
            }
        }
    }
    errors.sort_by(|a, b| b.0.total_cmp(&a.0));
    for kind in ["slew", "arrival"] {
        for error in errors.iter().filter(|error| error.1 == kind).take(4) {
            println!("  {error:?}");
        }
    }
}

fn run(calculator: Calculator) {
    let Some(folder) = corpus() else { return };
    let chosen = std::env::var("CELLWRIGHT_CASES").ok();
    let cases: Vec<String> = match &chosen {
        Some(list) => list.split(',').map(str::to_owned).collect(),
        None => CASES.iter().map(|case| (*case).to_owned()).collect(),
    };
    for case in &cases {
        let agrees = check(&folder.join(case), case, calculator);
        let known = OPEN.iter().any(|(open, of)| open == case && of.contains(&calculator));
        // A case that begins to agree must leave the list; one that stops agreeing must not join it.
        assert!(
            chosen.is_some() || agrees != known,
            "{case}: agrees {agrees}, listed as open {known}"
        );
    }
}

/// Cases that do not agree yet, with what is known of each.
///
/// - `tau_simple`: one endpoint, 6.5 ps, with effective capacitance only. The flat SDC read here lacks
///   the `set_input_transition` of `inp1` that the golden's script gives (its four values differ), so
///   the input is probably at fault and not the delay; not yet run with `tau_simple.sdc`.
/// - `gcd_sky130hd`: three hold endpoints by up to 17 ps under both calculators; setup agrees.
const OPEN: &[(&str, &[Calculator])] = &[
    ("tau_simple", &[Calculator::DmpCeffElmore]),
    ("gcd_sky130hd", &[Calculator::Lumped, Calculator::DmpCeffElmore]),
];

#[test]
fn lumped() {
    run(Calculator::Lumped);
}

#[test]
fn effective_capacitance() {
    run(Calculator::DmpCeffElmore);
}
