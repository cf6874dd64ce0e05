//! Tests of the Liberty reader as a whole: small files with known content, the corpus, mutations.

use super::*;
use crate::text::{Problems, Severity, Source, open};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn read_text(text: &str) -> (Library, Problems) {
    let source = Source::new("test.lib", text).unwrap();
    let mut problems = Problems::new();
    let library = read(&source, &mut problems).unwrap();
    (library, problems)
}

fn codes(problems: &Problems) -> Vec<(&'static str, u32)> {
    problems.iter().map(|p| (p.code, p.line)).collect()
}

fn corpus() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let path = std::env::var_os("CELLWRIGHT_CORPUS").map_or(here, PathBuf::from);
    if !path.is_dir() {
        println!("skipped: corpus not found");
        return None;
    }
    Some(path)
}

fn liberty_files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.to_string_lossy();
        if path.is_dir() {
            liberty_files(&path, out);
        } else if [".lib", ".lib.gz", ".lib.xz"].iter().any(|end| name.ends_with(end)) {
            out.push(path);
        }
    }
}

/// A file with all the liberties that files take.
const ODD: &str = r#"
/* comment with " quote and } brace */
library ("odd") {
  time_unit : "10ps"
  capacitive_load_unit (1.0, "ff") ;
  voltage_unit : 1mV; current_unit : "1uA"; pulling_resistance_unit : 1ohm;
  leakage_power_unit : "1nW";
  nom_voltage : "900"; nom_process : 1; nom_temperature : -40.0;
  input_threshold_pct_rise : 40; slew_derate_from_library : 0.5;
  default_max_transition : 50; default_wire_load : "small"; // a line comment
  define(mine, cell, string); k_volt_cell_rise : 2.0;
  voltage_map (VDD, 900);
  "quoted attr" : 1;
  operating_conditions (slow) { process : 1.2; voltage : 810; temperature : 125;
    tree_type : "worst_case_tree" }
  wire_load (small) { resistance : 2; capacitance : 3; area : 0; slope : 5.5;
    fanout_length (2, 20) fanout_length (1, 10); }
  wire_load_selection (pick) { wire_load_from_area (0, 100, "small"); }
  lu_table_template (two) {
    variable_1 : input_net_transition; variable_2 : total_output_net_capacitance;
    index_1 ("1, 2"); index_2 ("10 20 30"); }
  type (two_bits) { base_type : array; data_type : bit; bit_width : 2; bit_from : 1; bit_to : 0;
    downto : true; }
  cell (A) { area : 1; mine : x; dont_use : true;
    pin (I) { direction : input; capacitance : 2; clock : true; min_period : 4; }
    pin (O) { direction : output; function : "!I"; max_capacitance : 100;
      timing () { related_pin : "I"; timing_sense : negative_unate;
        cell_rise (two) { values ("1, 2, 3", \
          "4, 5, 6"); }
        cell_fall (two) { index_1 ("3, 4"); values (" 1,2, 3, 4,5
           6"); }
        rise_transition (scalar) { values ("7"); }
        fall_transition (gone) { values ("1, 2"); }
        ocv_sigma_cell_rise (two) { values ("1,2,3,4,5,6"); }
      }
    }
  }
  cell (B) {
    bus (D) { bus_type : two_bits; direction : input; capacitance : 1;
      pin (D[0]) { capacitance : 5; } }
    bundle (Q) { members (Q1, Q0); direction : output; function : "IQ"; }
    bus (Y) { bus_type : two_bits; direction : output; function : "D'";
      timing () { related_pin : D; timing_type : combinational; }
      timing () { related_bus_pins : "D"; }
    }
    pin (Z) { direction : output;
      timing () { related_pin : "D"; }
      timing () { timing_type : minimum_period; rise_constraint (scalar) { values (9) } } }
    ff_bank (IQ, IQN, 2) { clocked_on : "CK"; next_state : "D"; clear : "!R"; }
    pin (CK, R) { direction : input; }
    statetable ("CK R", "S") { table : "L - : - : N, \
      H L : - : H"; }
  }
}
"#;

#[test]
fn odd_file_is_read_in_our_units() {
    let (library, problems) = read_text(ODD);
    assert_eq!(codes(&problems), [("liberty-table", 33)]);
    assert_eq!(library.name, "odd");
    let units = library.units;
    assert_eq!((units.time, units.capacitance, units.voltage), (0.01, 0.001, 0.001));
    assert_eq!((units.current, units.resistance, units.leakage_power), (0.001, 0.001, 1e-6));
    assert_eq!(library.nominal, Pvt { process: 1.0, voltage: 0.9, temperature: -40.0 });
    assert_eq!((library.thresholds.input_rise, library.thresholds.slew_derate), (0.4, 0.5));
    assert_eq!(library.defaults.max_transition, Some(0.5));
    assert_eq!(library.k_factors["k_volt_cell_rise"], 2000.0);
    assert_eq!(library.voltage_map, [("VDD".to_owned(), 0.9)]);
    let conditions = &library.operating_conditions[0];
    assert_eq!((conditions.pvt.voltage, conditions.tree_type), (0.81, Some(TreeType::WorstCase)));
    let wire_load = library.wire_load("small").unwrap();
    assert_eq!((wire_load.resistance, wire_load.capacitance), (0.002, 0.003));
    assert_eq!(wire_load.fanout_length, [(1.0, 10.0), (2.0, 20.0)]);
    assert_eq!(library.wire_load_selections[0].from_area, [(0.0, 100.0, "small".to_owned())]);
    assert_eq!(library.dropped, BTreeMap::from([("ocv_sigma_cell_rise".to_owned(), 1)]));

    let cell = library.cell("A").unwrap();
    assert!(cell.dont_use);
    let (input, output) = (&cell.pins[0], &cell.pins[1]);
    assert_eq!(
        (input.capacitance, input.is_clock, input.min_period),
        (Some(0.002), true, Some(0.04))
    );
    assert_eq!(output.max_capacitance, Some(0.1));
    assert_eq!(output.function, Expr::parse("!I").ok());
    assert_eq!(cell.arcs, [TimingArc { from: 0, to: 1, timing: 0 }]);
    let timing = &cell.timings[0];
    assert_eq!(
        (timing.kind, timing.sense),
        (TimingType::Combinational, Some(TimingSense::Negative))
    );
    let rise = timing.cell_rise.as_ref().unwrap();
    assert_eq!(rise.axes[0].points, [0.01, 0.02]);
    assert_eq!(rise.axes[1].points, [0.01, 0.02, 0.03]);
    assert_eq!(rise.axes[1].variable, AxisVariable::OutputCapacitance);
    assert_eq!(rise.at(&[1, 0]), Some(0.04));
    assert_eq!(timing.cell_fall.as_ref().unwrap().axes[0].points, [0.03, 0.04]);
    assert_eq!(timing.rise_transition, Some(Table { axes: vec![], values: vec![0.07] }));
    assert_eq!(timing.fall_transition, None);
}

#[test]
fn buses_and_bundles_become_bits() {
    let (library, _) = read_text(ODD);
    let cell = library.cell("B").unwrap();
    let names: Vec<&str> = cell.pins.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["D[1]", "D[0]", "Q1", "Q0", "Y[1]", "Y[0]", "Z", "CK", "R"]);
    assert_eq!(cell.pins[0].capacitance, Some(0.001));
    assert_eq!(cell.pins[1].capacitance, Some(0.005), "the pin inside the bus overrides");
    assert_eq!(cell.buses[0].range, Some((1, 0)));
    assert_eq!((cell.buses[1].range, &cell.buses[1].pins[..]), (None, &[2, 3][..]));
    // A function over a bus belongs to each bit.
    assert_eq!(cell.pins[4].function, Expr::parse("!D[1]").ok());
    assert_eq!(cell.pins[5].function, Expr::parse("!D[0]").ok());
    let arcs: Vec<(u32, u32, u32)> = cell.arcs.iter().map(|a| (a.from, a.to, a.timing)).collect();
    assert_eq!(
        arcs,
        [
            // related_pin: bit by bit.
            (0, 4, 0),
            (1, 5, 0),
            // related_bus_pins: each with each.
            (0, 4, 1),
            (1, 4, 1),
            (0, 5, 1),
            (1, 5, 1),
            // A bus to a single pin.
            (0, 6, 2),
            (1, 6, 2),
            // A check of the pin itself.
            (6, 6, 3),
        ]
    );
    let ff = &cell.sequentials[0];
    assert_eq!((ff.kind, ff.bits, ff.state.as_str()), (SequentialKind::FlipFlop, Some(2), "IQ"));
    assert_eq!(ff.clear, Expr::parse("!R").ok());
    let table = cell.statetable.as_ref().unwrap();
    assert_eq!((table.inputs.len(), table.nodes.len(), table.rows.len()), (2, 1, 2));
    assert_eq!(table.rows[1][0], ["H", "L"]);
}

#[test]
fn every_problem_has_its_line() {
    let (library, problems) = read_text(
        "library (l) {\n time_unit : 1xs;\n cell (A) {\n  pin (I) {\n   direction : sideways;\n   \
         capacitance : many;\n  }\n  pin (O) { direction : output;\n   function : \"I +\";\n   \
         timing () {\n    related_pin : \"J\";\n    timing_type : odd;\n   }\n  }\n }\n \
         cell (A) { area : 2 }\n stray\n",
    );
    assert_eq!(
        codes(&problems),
        [
            ("liberty-syntax", 17),
            ("liberty-unclosed", 1),
            ("liberty-unit", 2),
            ("liberty-direction", 5),
            ("liberty-number", 6),
            ("liberty-expression", 9),
            ("liberty-timing-type", 12),
            ("liberty-related-pin", 11),
            ("liberty-duplicate-cell", 16),
        ]
    );
    // The last of two cells stays.
    assert_eq!((library.cells.len(), library.cells[0].area), (1, Some(2.0)));
}

#[test]
fn a_file_without_library_is_an_error() {
    for text in ["", "cell (a) {}", "module top; endmodule", "\u{0}\u{1}"] {
        let source = Source::new("x.lib", text).unwrap();
        let error = read(&source, &mut Problems::new()).unwrap_err();
        assert!(error.to_string().contains("library"), "{error}");
    }
}

#[test]
fn every_timing_type_is_known() {
    for (kind, name) in TimingType::ALL {
        assert_eq!(TimingType::parse(name), Some(kind));
    }
    assert_eq!(TimingType::parse("other"), None);
}

#[test]
fn includes_are_read_and_circles_end() {
    let text = "library (l) { include_file (a.inc); cell (C) { include_file (\"b.inc\") } }";
    let source = Source::new("x.lib", text).unwrap();
    let mut problems = Problems::new();
    let library = read_with_includes(&source, &mut problems, &mut |name| match name {
        "a.inc" => Source::new(name, "time_unit : 1ps;\n include_file (a.inc);"),
        "b.inc" => Source::new(name, "\narea : much;"),
        _ => unreachable!("{name}"),
    })
    .unwrap();
    assert_eq!(library.units.time, 0.001);
    let numbers: Vec<_> = problems.iter().filter(|p| p.code == "liberty-number").collect();
    assert_eq!((numbers[0].file.as_str(), numbers[0].line), ("b.inc", 2));
    assert!(problems.iter().any(|p| p.code == "liberty-include"));
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let deep = format!("library (l) {{ {}", "group (x) { ".repeat(200_000));
    let (_, problems) = read_text(&deep);
    assert_eq!(problems.count("liberty-unclosed"), 200_001);
}

#[test]
fn small_files_cannot_ask_for_endless_buses() {
    let mut text = "library (l) { type (t) { bit_from : 65535; bit_to : 0; }\n".to_owned();
    for i in 0..20 {
        let arcs = "timing () { related_bus_pins : \"D\"; }";
        text += &format!("cell (c{i}) {{ bus (D) {{ bus_type : t; {arcs} }} }}\n");
    }
    let (library, problems) = read_text(&text);
    let pins: usize = library.cells.iter().map(|c| c.pins.len()).sum();
    assert_eq!(pins, 1 << 20);
    assert!(problems.count("liberty-too-many-pins") > 0);
    assert!(problems.count("liberty-too-many-arcs") > 0);
}

/// Every library of the corpus, with the count of cells that an independent count of `cell (`
/// groups at the start of lines gives.
#[test]
fn corpus_is_read_without_errors() {
    let Some(corpus) = corpus() else { return };
    let mut files = Vec::new();
    liberty_files(&corpus, &mut files);
    assert!(files.len() >= 100, "{}", files.len());
    for path in files {
        let source = open(&path).unwrap();
        let mut problems = Problems::new();
        let library = read(&source, &mut problems).unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        let cells = source.text().lines().filter(|line| {
            let line = line.trim_start();
            line.strip_prefix("cell").is_some_and(|r| r.trim_start().starts_with('('))
        });
        assert_eq!(library.cells.len(), cells.count(), "{name}");
        // These two connect buses of different width on purpose.
        let wrong_width = name.starts_with("sta_test_liberty_arcs_one2one");
        assert_eq!(problems.has_errors(), wrong_width, "{name}: {:?}", problems.iter().next());
        for cell in &library.cells {
            for arc in &cell.arcs {
                assert!(
                    (arc.from as usize) < cell.pins.len() && (arc.to as usize) < cell.pins.len()
                );
                assert!((arc.timing as usize) < cell.timings.len());
            }
            for table in
                cell.timings.iter().flat_map(|t| [&t.cell_rise, &t.rise_constraint]).flatten()
            {
                let product: usize = table.axes.iter().map(|a| a.points.len()).product();
                assert_eq!(product, table.values.len(), "{name} {}", cell.name);
            }
        }
    }
}

/// Values read by eye from the files.
#[test]
fn corpus_values_are_right() {
    let Some(corpus) = corpus() else { return };
    let library =
        |path: &str| read(&open(corpus.join(path)).unwrap(), &mut Problems::new()).unwrap();
    let nangate = library("timing/_libs/nangate45_typ.lib.gz");
    let inverter = nangate.cell("INV_X1").unwrap();
    assert_eq!(inverter.area, Some(0.532));
    let a = &inverter.pins[inverter.pin("A").unwrap()];
    // 1.700230 fF, 1.549360 fF and 1.700230 fF.
    assert_eq!((a.capacitance, a.fall_capacitance), (Some(0.001_700_23), Some(0.001_549_36)));
    let ram = library("timing/_libs/fakeram45_64x32.lib");
    let ram = &ram.cells[0];
    assert!(ram.is_memory && ram.pin("rd_out[31]").is_some());
    let asap = library("timing/_libs/asap7sc7p5t_SEQ_RVT_TT_nldm_220123.lib.gz");
    let gate = asap.cell("ICGx1_ASAP7_75t_R").unwrap();
    assert_eq!(gate.clock_gating.as_deref(), Some("latch_posedge_precontrol"));
    assert_eq!(asap.units.time, 0.001);
}

/// Small files to mutate.
fn seeds() -> Vec<String> {
    let mut seeds = vec![ODD.to_owned()];
    if let Some(corpus) = corpus() {
        let mut files = Vec::new();
        liberty_files(&corpus.join("odd/lib"), &mut files);
        let texts = files.iter().filter_map(|f| std::fs::read_to_string(f).ok());
        seeds.extend(texts.filter(|t| t.len() < 30_000));
    }
    seeds
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let source = Source::from_bytes("x.lib", &bytes, 1 << 20);
        if let Ok(source) = source {
            let _ = read(&source, &mut Problems::new());
        }
    }

    #[test]
    fn no_words_panic(words in prop::collection::vec(
        prop::sample::select(vec!["library", "cell", "pin", "bus", "(", ")", "{", "}", ":", ";", "\"",
            "a", "a[3:0]", "type", "bit_from", "timing", "related_pin", "values", "index_1", "1", "-9e99",
            "\\", "\n", "/*", "*/", "//", ",", "function", "cell_rise", "include_file", "bus_type"]), 0..120)) {
        let source = Source::new("x.lib", format!("library (l) {{ {}", words.join(" "))).unwrap();
        let _ = read_with_includes(&source, &mut Problems::new(), &mut |n| Source::new(n, "cell (x) {"));
    }
}

#[test]
fn mutated_files_neither_panic_nor_hang() {
    let mut rng = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |n: usize| {
        rng ^= rng << 13;
        rng ^= rng >> 7;
        rng ^= rng << 17;
        usize::try_from(rng % n.max(1) as u64).unwrap()
    };
    let seeds = seeds();
    for _ in 0..2000 {
        let mut bytes = seeds[random(seeds.len())].clone().into_bytes();
        for _ in 0..1 + random(4) {
            let at = random(bytes.len());
            match random(5) {
                0 if at < bytes.len() => bytes[at] = u8::try_from(random(256)).unwrap(),
                1 => bytes.truncate(at),
                2 => {
                    let end = (at + random(200)).min(bytes.len());
                    bytes.drain(at..end);
                }
                3 => {
                    let end = (at + random(200)).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
                _ => bytes.insert(at, b"{}();:\"\\,9"[random(10)]),
            }
        }
        let mut problems = Problems::new();
        let source = Source::from_bytes("x.lib", &bytes, 1 << 20).unwrap();
        if let Ok(library) = read(&source, &mut problems) {
            assert!(library.cells.len() <= bytes.len());
        }
    }
    assert!(Problems::new().total(Severity::Error) == 0);
}
