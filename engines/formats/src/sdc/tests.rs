//! Golden values, and the corpus: what a script says equals its flattened form.

use std::path::Path;
use std::sync::Arc;

use cellwright_db::library::{Library, Master, MasterClass, MasterPin, PinDirection};
use cellwright_db::records::NetKind;
use cellwright_db::timing::Edge;
use cellwright_db::{
    Design, DesignBuilder, Floorplan, IdVec, MasterPinId, Place, Point, Rect, Technology,
};
use cellwright_sta::constraints::{Constraints, ExceptionKind, MinMax, Units};
use proptest::prelude::*;

use super::cases::{case, chosen, corpus, files};
use super::{Limits, library_units, read_sdc, read_sdc_with, write_sdc};
use crate::text::{Problems, Source, open};

fn pin(name: &str, direction: PinDirection, is_clock: bool) -> MasterPin {
    let at = Point::new(0, 0);
    MasterPin {
        name: name.into(),
        direction,
        is_clock,
        shapes: vec![],
        bbox: Rect { lo: at, hi: at },
        offset: at,
    }
}

fn master(name: &str, inputs: &[&str], outputs: &[&str]) -> Master {
    let mut pins: Vec<MasterPin> = inputs
        .iter()
        .map(|name| pin(name, PinDirection::Input, *name == "CK"))
        .chain(outputs.iter().map(|name| pin(name, PinDirection::Output, false)))
        .collect();
    pins.sort_by(|a, b| a.name.cmp(&b.name));
    Master {
        name: name.into(),
        class: MasterClass::Core,
        width: 0,
        height: 0,
        site: None,
        symmetry: Default::default(),
        pins,
        supplies: vec![],
        obstructions: vec![],
        edge_types: None,
        has_geometry: false,
        function_class: 0,
    }
}

/// The design that the `.sdcok` files of the corpus speak of, with two levels of hierarchy and
/// some odd names added.
pub(crate) fn design() -> Design {
    let masters: IdVec<_, _> = vec![
        master("BUF_X1", &["A"], &["Z"]),
        master("BUF_X2", &["A"], &["Z"]),
        master("BUF_X4", &["A"], &["Z"]),
        master("INV_X1", &["A"], &["ZN"]),
        master("AND2_X1", &["A1", "A2"], &["ZN"]),
        master("OR2_X1", &["A1", "A2"], &["ZN"]),
        master("NAND2_X1", &["A1", "A2"], &["ZN"]),
        master("NOR2_X1", &["A1", "A2"], &["ZN"]),
        master("DFF_X1", &["D", "CK"], &["Q", "QN"]),
    ]
    .into();
    let names: Vec<String> = masters.iter().map(|(_, m)| m.name.clone()).collect();
    let library = Library::new(masters, vec![], vec![], [0; 32]);
    let tech = Technology {
        name: "any".into(),
        dbu_per_micron: 1000,
        manufacturing_grid: 0,
        layers: IdVec::new(),
        sites: IdVec::new(),
        edge_spacing: vec![],
        digest: [0; 32],
    };
    let mut builder = DesignBuilder::new("sdc_test2", Arc::new(tech), Arc::new(library));
    let master_of =
        |name: &str| cellwright_db::MasterId(names.iter().position(|n| n == name).unwrap() as u32);
    let net = |b: &mut DesignBuilder, name: &str| match b.find_net(name) {
        Some(net) => net,
        None => b.add_net(name, NetKind::Signal),
    };
    let ports = ["in1", "in2", "in3", "clk1", "clk2", "d[0]", "d[1]", "out1", "out2"];
    for name in ports {
        let wire = net(&mut builder, name);
        let direction =
            if name.starts_with("out") { PinDirection::Output } else { PinDirection::Input };
        let bus = name.starts_with("d[").then(|| ("d".to_owned(), 0));
        builder.add_port(name, direction, wire, None, vec![], bus);
    }
    for (name, of, nets) in [
        ("buf1", "BUF_X1", &[("A", "in1"), ("Z", "n1")][..]),
        ("inv1", "INV_X1", &[("A", "in2"), ("ZN", "n2")]),
        ("and1", "AND2_X1", &[("A1", "n1"), ("A2", "n2"), ("ZN", "n3")]),
        ("or1", "OR2_X1", &[("A1", "n3"), ("A2", "in3"), ("ZN", "n4")]),
        ("nand1", "NAND2_X1", &[("A1", "n1"), ("A2", "n3"), ("ZN", "n5")]),
        ("nor1", "NOR2_X1", &[("A1", "n4"), ("A2", "n5"), ("ZN", "n6")]),
        ("reg1", "DFF_X1", &[("D", "n4"), ("CK", "clk1"), ("Q", "n7")]),
        ("reg2", "DFF_X1", &[("D", "n6"), ("CK", "clk1"), ("Q", "out1")]),
        ("reg3", "DFF_X1", &[("D", "n7"), ("CK", "clk2"), ("Q", "out2")]),
        ("u/a/reg[0]", "DFF_X1", &[("D", "d[0]"), ("CK", "clk1"), ("Q", "u/q")]),
        ("u/a/reg[1]", "DFF_X1", &[("D", "d[1]"), ("CK", "clk1")]),
        ("u/b", "BUF_X1", &[("A", "u/q")]),
        ("odd{\\ name;$x", "BUF_X1", &[("A", "u/q")]),
    ] {
        let of = master_of(of);
        let cell = builder.add_cell(name, of, Place::default());
        for (pin, wire) in nets {
            let pin = builder.library().masters[of].pin(pin).unwrap();
            let wire = net(&mut builder, wire);
            builder.connect(cell, pin, wire);
        }
    }
    Design::new(&builder.finish(Floorplan::default()))
}

fn source(text: &str) -> Source {
    Source::new("test.sdc", text).unwrap()
}

fn read(text: &str) -> Result<(Constraints, Problems), Problems> {
    read_sdc(&design(), Units::default(), &[source(text)])
}

#[track_caller]
fn good(text: &str) -> Constraints {
    match read(text) {
        Ok((constraints, problems)) => {
            assert!(problems.is_empty(), "{text}: {:?}", problems.iter().next());
            constraints
        }
        Err(problems) => panic!("{text}: {:?}", problems.iter().collect::<Vec<_>>()),
    }
}

#[track_caller]
fn errors(text: &str) -> Vec<(u32, String)> {
    let problems = read(text).unwrap_err();
    problems.iter().map(|problem| (problem.line, problem.message.clone())).collect()
}

#[test]
fn clocks_and_their_facts() {
    let c = good(
        "set p 10\ncreate_clock -name a -period $p [get_ports clk1]\n\
         create_clock -period [expr {$p / 4.0}] -waveform {0.5 1.0} clk2\n\
         create_generated_clock -name g -source clk1 -divide_by 2 [get_pins reg1/Q]\n\
         set_clock_latency -source -early -rise 0.2 [get_clocks a]\n\
         set_clock_latency 0.3 [get_clocks {a g}]\n\
         set_clock_uncertainty -setup 0.1 a\nset_propagated_clock [all_clocks]\n\
         set_clock_uncertainty -rise_from a -to g 0.7\n\
         set_clock_groups -asynchronous -group {a g} -group clk2",
    );
    let clocks: Vec<_> = c.clocks.as_slice().iter().collect();
    assert_eq!(clocks.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["a", "clk2", "g"]);
    assert_eq!((clocks[1].period, &clocks[1].waveform), (2.5, &vec![0.5, 1.0]));
    assert_eq!(clocks[0].uncertainty, [None, Some(0.1)]);
    assert!(clocks.iter().all(|clock| clock.propagated));
    assert_eq!(clocks[0].latency.source(MinMax::Min, MinMax::Max, Edge::Rise), Some(0.2));
    assert_eq!(clocks[0].latency.source(MinMax::Max, MinMax::Max, Edge::Rise), None);
    // The later command rules: a propagated clock has no latency of its network, and one that is given
    // a latency is not propagated.
    assert!(clocks[2].latency.network.is_empty());
    let again = "create_clock -name a -period 1 clk1\nset_propagated_clock a\n";
    let source = good(&format!("{again}set_clock_latency -source 0.1 a"));
    assert!(source.clocks.as_slice().iter().all(|clock| clock.propagated));
    let ideal = good(&format!("{again}set_clock_latency 0.1 a"));
    let ideal = &ideal.clocks.as_slice()[0];
    assert!(!ideal.propagated && ideal.latency.network.uniform() == Some(0.1));
    let (a, g) = (c.find_clock("a").unwrap(), c.find_clock("g").unwrap());
    let pair = &c.inter_clock_uncertainty[&(a, g)];
    assert_eq!(pair.get(MinMax::Max, Edge::Rise, Edge::Fall), Some(0.7));
    assert_eq!(pair.get(MinMax::Max, Edge::Fall, Edge::Fall), None);
    assert!(c.clock_groups[0].cuts(a, c.find_clock("clk2").unwrap()));
    assert!(!c.clock_groups[0].cuts(a, g));
}

#[test]
fn a_clock_that_is_replaced_leaves_nothing_behind() {
    let (c, problems) = read(
        "create_clock -name a -period 1 clk1\ncreate_clock -name b -period 2 clk2\n\
         set_input_delay 1 -clock a in1\nset_false_path -from a\nset_false_path -from b\n\
         set_min_pulse_width 1 b\ncreate_clock -name n -period 3 clk1\nset_input_delay 2 -clock b in1",
    )
    .unwrap();
    assert_eq!(problems.count("sdc-clock-replaced"), 1);
    assert_eq!((c.clocks.len(), c.input_delays.len(), c.exceptions.len()), (2, 1, 1));
    let b = c.find_clock("b").unwrap();
    assert_eq!(c.input_delays[0].clock, Some(b));
    assert_eq!(c.exceptions[0].from.as_ref().unwrap().clocks, [b]);
    assert_eq!(c.min_pulse_width.clocks.keys().copied().collect::<Vec<_>>(), [b]);
}

#[test]
fn names_and_patterns() {
    let design = design();
    let count = |query: &str| {
        let text = format!("set_max_area [llength [{query}]]");
        let result = read_sdc(&design, Units::default(), &[source(&text)]);
        result.unwrap_or_else(|p| panic!("{query}: {:?}", p.iter().next())).0.max_area.unwrap()
    };
    for (query, want) in [
        ("get_ports *", 9.0),
        ("get_ports in?", 3.0),
        ("get_ports d", 2.0),
        ("get_ports d[*]", 2.0),
        ("get_ports {d[1]}", 1.0),
        ("get_ports d\\[1\\]", 1.0),
        ("get_ports {in1 out*}", 3.0),
        ("get_ports -regexp {in[12]}", 2.0),
        ("get_ports IN* -nocase", 3.0),
        ("get_ports nothing -quiet", 0.0),
        ("get_cells reg*", 3.0),
        ("get_cells u/*", 2.0),
        ("get_cells u/a/*", 2.0),
        ("get_cells {u/a/reg[0]}", 1.0),
        ("get_cells -hierarchical reg*", 5.0),
        ("get_cells u/a", 1.0),
        ("get_pins u/a/*/D", 2.0),
        ("get_pins reg1/*", 4.0),
        ("get_pins -of_objects [get_cells buf1]", 2.0),
        ("get_pins */A1", 4.0),
        ("get_nets n*", 7.0),
        ("get_nets -of_objects [get_pins buf1/Z]", 1.0),
        ("get_cells -of_objects [get_nets n1]", 3.0),
        ("get_cells * -filter {ref_name =~ DFF*}", 3.0),
        ("get_cells -hierarchical * -filter {ref_name == DFF_X1 || name == buf1}", 6.0),
        ("get_lib_cells BUF*", 3.0),
        ("get_lib_pins BUF_X1/*", 2.0),
        ("all_inputs", 7.0),
        ("all_outputs", 2.0),
        ("filter_collection [get_ports *] {direction == output}", 2.0),
        ("lsearch -inline -all -not -exact [all_inputs] [get_ports clk1]", 6.0),
    ] {
        assert_eq!(count(query), want, "{query}");
    }
}

#[test]
fn delays_override_and_add() {
    let c = good(
        "create_clock -name a -period 1 clk1\ncreate_clock -name b -period 1 clk2\n\
         set_input_delay 1 -clock a in1\nset_input_delay -max 2 -clock a in1\n\
         set_input_delay 3 -clock b -clock_fall -add_delay in1\n\
         set_input_delay 4 -clock a in2\nset_input_delay 5 -clock b -max in2\n\
         set_output_delay -rise 6 -clock a [all_outputs]",
    );
    let name = |pin| design().pin_name(pin);
    let of = |port: &str| -> Vec<_> {
        c.input_delays.iter().filter(|d| name(d.pin) == port).cloned().collect()
    };
    let first = &of("in1")[0];
    assert_eq!(first.delay.by, [[Some(1.0); 2], [Some(2.0); 2]]);
    assert_eq!((of("in1").len(), of("in1")[1].clock_edge), (2, Edge::Fall));
    assert_eq!(of("in2")[0].delay.by, [[Some(4.0); 2], [None; 2]]);
    assert_eq!(of("in2")[1].delay.by, [[None; 2], [Some(5.0); 2]]);
    assert_eq!(c.output_delays.len(), 2);
    assert_eq!(c.output_delays[0].delay.by, [[Some(6.0), None]; 2]);
}

#[test]
fn exceptions_and_their_order() {
    let c = good(
        "create_clock -name a -period 1 clk1\n\
         set_false_path -from a -rise_through [get_pins and1/ZN] -through n3 -fall_to reg1/D\n\
         set_multicycle_path 2 -from reg1\nset_multicycle_path 1 -hold -through u\n\
         set_max_delay 3 -from in1 -ignore_clock_latency\n\
         group_path -name g -to out1 -weight 2\nset_false_path -hold -to out2\n\
         set_multicycle_path 3 -to out2 -reset_path",
    );
    let kinds: Vec<u32> = c.exceptions.iter().map(|e| e.priority() >> 5).collect();
    assert_eq!(kinds, [3, 1, 1, 2, 0, 3, 1]);
    let first = &c.exceptions[0];
    assert_eq!((first.through.len(), first.through[0].edges), (2, [true, false]));
    assert_eq!(first.through[1].nets.len(), 1);
    assert_eq!(first.to.as_ref().unwrap().edges, [false, true]);
    // A level of hierarchy that paths pass stands for its cells; it starts and ends none.
    assert_eq!(c.exceptions[2].through[0].cells.len(), 3);
    let (left, told) = read("set_false_path -to u\nset_false_path -to {u reg1}").unwrap();
    assert_eq!(left.exceptions.len(), 1);
    assert_eq!(told.iter().filter(|problem| problem.code == "sdc-level").count(), 2);
    let cycles = |at: usize| match c.exceptions[at].kind {
        ExceptionKind::Multicycle { cycles, end_clock } => (cycles, end_clock),
        _ => panic!("no multicycle"),
    };
    assert_eq!((cycles(1), cycles(2)), ((2, true), (1, false)));
    assert_eq!(c.exceptions[1].checks, [false, true]);
}

#[test]
fn units_scale() {
    let text = "set_units -time ps -capacitance fF -resistance ohm\n\
                create_clock -name a -period 500 clk1\nset_load 10 out1\nset_drive 20 in1";
    let c = good(text);
    assert_eq!(c.clocks.as_slice()[0].period, 0.5);
    let env: Vec<_> = c.ports.values().collect();
    assert!((env.iter().find_map(|e| e.pin_load.uniform()).unwrap() - 0.01).abs() < 1e-15);
    assert!((env.iter().find_map(|e| e.drive_resistance.uniform()).unwrap() - 0.02).abs() < 1e-15);
}

#[test]
fn one_run_tells_every_error_with_its_line() {
    let text = "create_clock -name a -period 0 clk1\nset_frobnicate 1\n\
                create_clock -name a -period 1 -nope 3 clk1\ncreate_clock -name a -period 1 nowhere\n\
                foreach p {in1 in2} {\n  set_input_delay 1 -clock nope $p\n}\n\
                set_false_path\nset_output_delay 1 in1\nset_input_delay x in1";
    let lines: Vec<u32> = errors(text).iter().map(|error| error.0).collect();
    for line in [1, 2, 3, 4, 6, 8, 9, 10] {
        assert!(lines.contains(&line), "{line}: {:?}", errors(text));
    }
    let message = &errors("set_load -foo 1 out1")[0].1;
    assert!(message.contains("`-foo` is not an option of set_load; its options are"), "{message}");
}

#[test]
fn impossible_quantities_are_refused() {
    let clock = "create_clock -name a -period 1 clk1\n";
    for line in [
        "set_load -0.1 out1",
        "set_drive -1 in1",
        "set_input_transition -1 in1",
        "set_clock_transition -1 a",
        "set_max_transition -1 [current_design]",
        "set_max_time_borrow -1 a",
        "set_fanout_load -1 out1",
        "set_load 1e300 out1",
        "set_input_delay 1e300 -clock a in1",
        "create_clock -name b -period 1e300 clk2",
    ] {
        let found = errors(&format!("{clock}{line}"));
        assert_eq!(found.len(), 1, "{line}: {found:?}");
        let said = ["must not be negative", "out of range"].iter().any(|w| found[0].1.contains(w));
        assert!(said && found[0].0 == 2, "{line}: {found:?}");
    }
}

#[test]
fn what_names_nothing_is_told_and_hits_nothing() {
    let (c, problems) = read(
        "set_false_path -from [get_pins nope/Q]\nset_case_analysis 0 [get_ports nope]\n\
         set_sense -type clock -stop_propagation -clocks [get_clocks nope] [get_pins buf1/Z]",
    )
    .unwrap();
    assert_eq!(c.exceptions.len() + c.case.len() + c.clock_senses.len(), 0);
    assert!(problems.count("sdc-not-found") >= 3 && problems.count("sdc-no-object") >= 3);
}

#[test]
fn sourced_files_are_found_beside_their_file() {
    let folder = std::env::temp_dir().join(format!("cellwright-sdc-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("sub")).unwrap();
    std::fs::write(folder.join("top.sdc"), "set x 2\nsource sub/inner.sdc\nset_max_area $y")
        .unwrap();
    std::fs::write(folder.join("sub/inner.sdc"), "set y [expr {$x * 2}]\nnope").unwrap();
    let top = open(folder.join("top.sdc")).unwrap();
    let problems = read_sdc(&design(), Units::default(), &[top]).unwrap_err();
    let found: Vec<_> = problems.iter().collect();
    assert_eq!(found.len(), 1);
    assert!(found[0].file.ends_with("inner.sdc") && found[0].line == 2, "{found:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

// ---- comparison ----

/// Commands of a flat file in canonical order: text with `#` for each number, and the numbers.
fn canonical(text: &str) -> Vec<(String, Vec<f64>)> {
    let joined = text.replace("\\\n", " ");
    let mut out: Vec<(String, Vec<f64>)> = joined
        .lines()
        .filter(|l| !l.trim().is_empty() && !l.starts_with('#') && !l.starts_with("current_design"))
        .map(|line| {
            let mut numbers = Vec::new();
            let words: Vec<&str> = line
                .split_whitespace()
                .map(|word| match word.parse::<f64>() {
                    Ok(number) => {
                        numbers.push(number);
                        "#"
                    }
                    Err(_) => word,
                })
                .collect();
            (words.join(" "), numbers)
        })
        .collect();
    out.sort_by(|a, b| a.partial_cmp(b).unwrap());
    out
}

#[track_caller]
fn same(name: &str, a: &str, b: &str) {
    let (a, b) = (canonical(a), canonical(b));
    let texts = |list: &[(String, Vec<f64>)]| list.iter().map(|l| l.0.clone()).collect::<Vec<_>>();
    let (left, right) = (texts(&a), texts(&b));
    let lacks = |a: &[String], b: &[String]| -> Vec<String> {
        a.iter().filter(|line| !b.contains(line)).take(4).cloned().collect()
    };
    assert!(
        left == right,
        "{name}: {:#?} against {:#?}",
        lacks(&left, &right),
        lacks(&right, &left)
    );
    for ((line, x), (_, y)) in a.iter().zip(&b) {
        for (x, y) in x.iter().zip(y) {
            let near = (x - y).abs() <= 1e-6 * x.abs().max(y.abs()).max(1e-3);
            assert!(near, "{name}: {line}: {x} is not {y}");
        }
    }
}

fn read_file(design: &Design, path: &Path) -> (Constraints, Problems) {
    let source = open(path).unwrap();
    read_sdc(design, library_units(design), &[source]).unwrap_or_else(|problems| {
        let first: Vec<String> = problems.iter().take(5).map(ToString::to_string).collect();
        panic!("{}", first.join("\n"))
    })
}

/// Writes, reads back, and expects the very same constraints.
fn round_trip(name: &str, design: &Design, c: &Constraints) {
    let units = library_units(design);
    let text = write_sdc(c, design, units);
    let (back, _) = read_sdc(design, units, &[Source::new(name, text.clone()).unwrap()])
        .unwrap_or_else(|p| panic!("{name}: {:?}", p.iter().next()));
    same(name, &text, &write_sdc(&back, design, units));
    if units == Units::default() {
        let strip = |c: &Constraints| Constraints { not_supported: vec![], ..c.clone() };
        assert_eq!(strip(c), strip(&back), "{name}");
    }
}

/// A script means what the reference timer's flattening of it means.
#[test]
fn timing_cases_equal_their_flattened_form() {
    let Some(corpus) = corpus() else { return };
    let mut seen = 0;
    for flat in files(&corpus.join("timing"), &[".flat.sdc"]) {
        let folder = flat.parent().unwrap();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        if !chosen(&name) {
            continue;
        }
        let design = case(folder).design;
        let (script, problems) = read_file(&design, &folder.join(format!("{name}.sdc")));
        let (flat, _) = read_file(&design, &flat);
        for problem in problems.iter().take(3) {
            println!("{name}: {problem}");
        }
        let units = library_units(&design);
        let mut script = script;
        if name == "feat_gated_clk" {
            // The reference timer leaves a gating check of the whole design out of its file.
            assert!(flat.clock_gating.design.is_none());
            script.clock_gating = flat.clock_gating.clone();
        }
        // Nor does it write a port's transition when corners and edges all differ.
        for (port, env) in &mut script.ports {
            let slews = &env.input_transition.by;
            let written = flat.ports.get(port).is_some_and(|e| !e.input_transition.is_empty());
            let mixed = slews[0] != slews[1] && slews.iter().any(|row| row[0] != row[1]);
            if mixed && !written {
                env.input_transition = Default::default();
            }
        }
        same(&name, &write_sdc(&script, &design, units), &write_sdc(&flat, &design, units));
        round_trip(&name, &design, &flat);
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn every_constraint_file_of_the_corpus_reads_and_round_trips() {
    let Some(corpus) = corpus() else { return };
    let design = design();
    for path in files(&corpus.join("odd"), &[".sdcok"]) {
        let (c, problems) = read_file(&design, &path);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for problem in problems.iter() {
            println!("{name}: {problem}");
        }
        round_trip(&name, &design, &c);
    }
    // Of other designs only the syntax can be checked here: names are not found, nothing else.
    for path in files(&corpus, &[".sdc", ".sdc.gz"]) {
        let source = open(&path).unwrap();
        if let Err(problems) = read_sdc(&design, Units::default(), &[source]) {
            for problem in problems.iter().filter(|p| p.code == "sdc-error") {
                let known = [
                    "names sources of which none exists",
                    "needs one clock",
                    "is not one cell of the library",
                    "has the other direction",
                    "variable `",
                    "-source must be one",
                ];
                let expected = known.iter().any(|text| problem.message.contains(text));
                assert!(expected, "{problem}");
            }
        }
    }
}

#[test]
fn everything_that_is_written_reads_back() {
    let text = "create_clock -name {a b} -period 10 -waveform {1 4} clk1\n\
        create_clock -name v -period 3.3333333\n\
        create_generated_clock -name g1 -source clk1 -edges {1 3 5} -edge_shift {0 0.5 0} reg1/Q\n\
        create_generated_clock -name g2 -source clk1 -multiply_by 3 -duty_cycle 40 -invert \
          -master_clock {{a b}} -add -combinational reg2/Q\n\
        set_clock_latency -source -early -dynamic 0.1 0.3 [get_clocks v]\n\
        set_clock_latency -clock v 0.7 [get_pins reg1/CK]\n\
        set_clock_uncertainty 0.2 [get_pins reg1/CK]\nset_clock_transition -rise 0.2 [all_clocks]\n\
        set_clock_groups -logically_exclusive -group v -name lg\n\
        set_sense -type clock -pulse rise_triggered_high_pulse buf1/Z\n\
        set_input_delay 1 -clock v -reference_pin reg1/CK -source_latency_included in1\n\
        set_driving_cell -lib_cell DFF_X1 -pin Q -from_pin CK -rise -min in2\n\
        set_load -wire_load -max 0.3 out1\nset_fanout_load 3 out1\nset_load -min 1 [get_nets n1]\n\
        set_resistance 2 [get_nets n1]\nset_drive -fall 3 in3\n\
        set_max_delay -rise 4 -from {in1 reg1} -through {n1 buf1} -fall_to [get_clocks v]\n\
        set_multicycle_path 2 -setup -hold -start -to reg2\ngroup_path -default -critical_range 1 -to out1\n\
        set_disable_timing -from A1 -to ZN and1\nset_disable_timing [get_lib_cells NOR2_X1]\n\
        set_disable_timing [get_lib_pins BUF_X1/A]\nset_disable_timing [get_ports in1]\n\
        set_disable_clock_gating_check and1\nset_case_analysis rising in3\nset_logic_dc in2\n\
        set_clock_gating_check -setup 1 -rise -high and1\nset_clock_gating_check -hold 2\n\
        set_data_check -rise_from reg1/Q -to reg2/D -setup 0.5 -clock v\n\
        set_timing_derate -late -data -rise 1.1\nset_timing_derate -early 0.9 [get_nets n1] -net_delay\n\
        set_timing_derate -cell_check -late 1.2 [get_lib_cells DFF_X1]\n\
        set_max_transition 0.4 -clock_path -rise v\nset_max_capacitance 1 [current_design]\n\
        set_max_fanout 3 [get_ports in1]\nset_min_pulse_width -high 1 reg1\nset_max_time_borrow 2 reg1/D\n\
        set_ideal_network in1\nset_ideal_net n2\nset_ideal_latency 1 -rise in1\n\
        set_wire_load_model -name w -library l -max\nset_wire_load_mode segmented\n\
        set_operating_conditions -analysis_type bc_wc -min fast -max slow -max_library l\n\
        set_voltage 1.1 -min 0.9\nset_max_area 5\nset_dont_touch {u/a}\n\
        set_false_path -from [get_cells {odd*}]";
    let design = design();
    let c = good(text);
    round_trip("all", &design, &c);
    // In other units the numbers differ and the meaning does not.
    let units = Units { time: 1e-3, capacitance: 1e-3, resistance: 1e-3, ..Units::default() };
    let other = write_sdc(&c, &design, units);
    let back = read_sdc(&design, units, &[source(&other)]).unwrap().0;
    let plain = Units::default();
    same("units", &write_sdc(&c, &design, plain), &write_sdc(&back, &design, plain));
}

fn limits() -> Limits {
    Limits { work: 3_000_000, bytes: 20_000_000, ..Limits::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_bytes_panic_or_hang(text in ".{0,200}") {
        let _ = read_sdc_with(&design(), Units::default(), &[source(&text)], limits());
    }

    #[test]
    fn no_shuffled_script_panics_or_hangs(words in prop::collection::vec(prop::sample::select(WORDS), 0..60)) {
        let _ = read_sdc_with(&design(), Units::default(), &[source(&words.concat())], limits());
    }
}

const WORDS: &[&str] = &[
    " ",
    " ",
    " ",
    "\n",
    ";",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "$",
    "\\",
    "\\\n",
    "set ",
    "a ",
    "$a ",
    "${a}",
    "expr ",
    "1 ",
    "0.5 ",
    "-1 ",
    "+ ",
    "? ",
    ": ",
    "( ",
    ") ",
    "foreach ",
    "while ",
    "if ",
    "else ",
    "proc ",
    "return ",
    "catch ",
    "list ",
    "lindex ",
    "lappend a ",
    "string range ",
    "format %d ",
    "regexp ",
    "create_clock ",
    "-name c ",
    "-period ",
    "get_ports ",
    "* ",
    "in1 ",
    "clk1 ",
    "set_false_path ",
    "-from ",
    "-to ",
    "-through ",
    "get_cells ",
    "-hierarchical ",
    "-filter ",
    "name =~ u* ",
    "set_load ",
    "get_pins ",
    "*/D ",
    "set_clock_groups ",
    "-group ",
    "all_inputs ",
    "get_property ",
    "is_clock ",
    "source ",
    "switch ",
    "eval ",
    "end ",
    "set_units ",
    "-time ps ",
];

#[test]
fn forged_handles_do_no_harm() {
    for kind in "dptihnclmq".chars() {
        for query in [
            "get_property $h name",
            "get_name $h",
            "set_load 1 $h",
            "get_ports $h -filter {direction == input}",
            "get_cells -of_objects $h",
            "set_false_path -from $h",
            "set_disable_timing $h",
            "filter_collection $h {name == a}",
        ] {
            let text = format!(
                "set h [lindex {{\\uE0C5{kind}77777.9 \u{E0C5}{kind}4294967295.9}} 1]\ncatch {{{query}}}\n{query}"
            );
            let _ = read(&text);
        }
    }
    let _ = MasterPinId(0);
}
