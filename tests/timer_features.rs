//! Each thing that constraints can ask for, alone, on a small netlist with every kind of cell: our
//! endpoints and slacks beside those of Debian's `sta`, and what that one has not told by hand.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's helpers may panic, and say what they skip"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cellwright_designs::{Spec, write_bundle};
use cellwright_formats::bundle::Bundle;
use serde_json::Value;

/// Registers, a register with reset, a latch, a clock gate of the library, a divider, a selector,
/// constants and two clocks.
const NETLIST: &str = "
module features (clk, slow, en, rst, sel, d0, d1, q0, q1, q2, q3, q4);
  input clk, slow, en, rst, sel, d0, d1;
  output q0, q1, q2, q3, q4;
  wire ck0, ck1, ck2, gck, a, b, c, n0, n1, n2, n3, n4, div, divn, one, rn;
  CLKBUF_X4 tree0 (.A(clk), .Z(ck0));
  CLKBUF_X2 tree1 (.A(ck0), .Z(ck1));
  CLKBUF_X2 tree2 (.A(ck0), .Z(ck2));
  TIE1_X1 tie (.Z(one));
  BUF_X1 reset (.A(rst), .Z(rn));
  DFF_X1 r0 (.D(d0), .CK(ck1), .Q(a));
  NAND2_X1 g0 (.A1(a), .A2(d1), .ZN(n0));
  XOR2_X1 g1 (.A(n0), .B(b), .Z(n1));
  DFFR_X1 r1 (.D(n1), .CK(ck2), .RN(rn), .Q(b));
  LATCH_X1 l0 (.D(b), .G(ck1), .Q(c));
  MUX2_X1 g2 (.A(c), .B(d1), .S(sel), .Z(n2));
  ICG_X2 icg (.CK(ck2), .E(en), .GCK(gck));
  DFF_X1 r2 (.D(n2), .CK(gck), .Q(q2));
  AND2_X1 g3 (.A1(b), .A2(one), .Z(n3));
  INV_X1 g4 (.A(div), .ZN(divn));
  DFF_X1 divider (.D(divn), .CK(ck1), .Q(div));
  DFF_X1 r3 (.D(n3), .CK(div), .Q(q3));
  DFF_X1 r4 (.D(n1), .CK(slow), .Q(q4));
  OR2_X1 g5 (.A1(n0), .A2(c), .Z(n4));
  BUF_X1 g6 (.A(n4), .Z(q0));
  BUF_X1 g7 (.A(b), .Z(q1));
endmodule
";

const BASE: &str = "
create_clock -name clk -period 0.6 [get_ports clk]
create_clock -name slow -period 0.9 -waveform {0.1 0.5} [get_ports slow]
set_input_delay 0.1 -clock clk [get_ports {en rst sel d0 d1}]
set_output_delay 0.15 -clock clk [get_ports {q0 q1 q2}]
set_output_delay 0.15 -clock slow [get_ports q4]
";

/// What a constraint asks for, by name.
const FEATURES: &[(&str, &str)] = &[
    ("ideal clocks", ""),
    ("propagated clocks", "set_propagated_clock [all_clocks]"),
    ("one propagated clock", "set_propagated_clock [get_clocks clk]"),
    (
        "generated clock",
        "set_propagated_clock [all_clocks]
         create_generated_clock -name half -source [get_ports clk] -divide_by 2 [get_pins divider/Q]
         set_propagated_clock [get_clocks half]
         set_output_delay 0.15 -clock half [get_ports q3]",
    ),
    (
        "ideal generated clock",
        "create_generated_clock -name half -source [get_ports clk] -divide_by 2 [get_pins divider/Q]
         set_output_delay 0.15 -clock half [get_ports q3]",
    ),
    ("clock latency", "set_clock_latency 0.12 [get_clocks clk]"),
    (
        "early and late source latency",
        "set_clock_latency -source -early 0.05 [get_clocks clk]
         set_clock_latency -source -late 0.09 [get_clocks clk]
         set_clock_latency -source 0.02 [get_clocks slow]",
    ),
    (
        "uncertainty",
        "set_clock_uncertainty -setup 0.04 [get_clocks clk]
         set_clock_uncertainty -hold 0.02 [get_clocks clk]
         set_clock_uncertainty 0.03 [get_clocks slow]",
    ),
    (
        "uncertainty between clocks",
        "set_clock_uncertainty -from [get_clocks clk] -to [get_clocks slow] 0.07",
    ),
    ("clock transition", "set_clock_transition 0.08 [get_clocks clk]"),
    (
        "clock groups",
        "set_clock_groups -asynchronous -group [get_clocks clk] -group [get_clocks slow]",
    ),
    ("false path", "set_false_path -from [get_ports d1] -to [get_pins r1/D]"),
    ("false path through", "set_false_path -through [get_pins g0/ZN] -to [get_clocks slow]"),
    ("false path of hold", "set_false_path -hold -to [get_pins r2/D]"),
    (
        "multicycle",
        "set_multicycle_path -setup 2 -from [get_clocks clk] -to [get_pins r1/D]
         set_multicycle_path -hold 1 -from [get_clocks clk] -to [get_pins r1/D]",
    ),
    (
        "multicycle of the launching clock",
        "set_multicycle_path -setup -start 3 -from [get_clocks clk] -to [get_clocks slow]",
    ),
    ("max delay", "set_max_delay 0.2 -from [get_ports d1] -to [get_ports q0]"),
    ("min delay", "set_min_delay 0.3 -to [get_pins r1/D]"),
    ("max delay to a clocked end", "set_max_delay 0.25 -from [get_pins r0/CK] -to [get_pins r1/D]"),
    ("case analysis", "set_case_analysis 0 [get_ports sel]"),
    ("case analysis, other value", "set_case_analysis 1 [get_ports sel]"),
    ("disabled arcs", "set_disable_timing -from A -to Z [get_cells g2]"),
    ("disabled pin", "set_disable_timing [get_pins g1/B]"),
    (
        "early and late derates",
        "set_propagated_clock [all_clocks]
         set_timing_derate -early 0.9
         set_timing_derate -late 1.1",
    ),
    (
        "derates of cells and clocks",
        "set_propagated_clock [all_clocks]
         set_timing_derate -late -cell_delay -clock 1.2
         set_timing_derate -early -cell_delay -data 0.8",
    ),
    (
        "input transition and load",
        "set_input_transition 0.12 [get_ports {d0 d1}]
         set_load 0.03 [get_ports {q0 q1}]",
    ),
    ("driving cell", "set_driving_cell -lib_cell BUF_X1 -pin Z [get_ports {d0 d1 rst}]"),
    (
        "input delay by edge and side",
        "set_input_delay 0.2 -max -rise -clock clk [get_ports d1]
         set_input_delay 0.01 -min -fall -clock clk [get_ports d1]",
    ),
    (
        "input delay against the falling edge",
        "set_input_delay 0.05 -clock clk -clock_fall -add_delay [get_ports d1]",
    ),
    (
        "inverted half period",
        "create_clock -name clk -period 0.7 -waveform {0.2 0.5} [get_ports clk]",
    ),
    (
        "latency, then propagated",
        "set_clock_latency 0.12 [get_clocks clk]
         set_propagated_clock [get_clocks clk]",
    ),
    (
        "propagated, then latency",
        "set_propagated_clock [get_clocks clk]
         set_clock_latency 0.12 [get_clocks clk]",
    ),
    (
        "propagated with source latency",
        "set_propagated_clock [get_clocks clk]
         set_clock_latency -source 0.12 [get_clocks clk]",
    ),
    (
        "propagated generated clock of an ideal one",
        "create_generated_clock -name half -source [get_ports clk] -divide_by 2 [get_pins divider/Q]
         set_output_delay 0.15 -clock half [get_ports q3]
         set_propagated_clock [get_clocks half]",
    ),
    (
        "ideal generated clock of a propagated one",
        "create_generated_clock -name half -source [get_ports clk] -divide_by 2 [get_pins divider/Q]
         set_output_delay 0.15 -clock half [get_ports q3]
         set_propagated_clock [get_clocks clk]",
    ),
    (
        "ideal generated clock with latency of a propagated one",
        "create_generated_clock -name half -source [get_ports clk] -divide_by 2 [get_pins divider/Q]
         set_output_delay 0.15 -clock half [get_ports q3]
         set_propagated_clock [get_clocks clk]
         set_clock_latency 0.05 [get_clocks half]",
    ),
    (
        "generated clock with source latency",
        "create_generated_clock -name half -source [get_ports clk] -divide_by 2 [get_pins divider/Q]
         set_output_delay 0.15 -clock half [get_ports q3]
         set_propagated_clock [all_clocks]
         set_clock_latency -source 0.05 [get_clocks half]",
    ),
    (
        "pessimism across a generated clock's source",
        "create_generated_clock -name half -source [get_ports clk] -divide_by 2 [get_pins divider/Q]
         set_output_delay 0.15 -clock half [get_ports q3]
         set_propagated_clock [all_clocks]
         set_timing_derate -early 0.9
         set_timing_derate -late 1.1",
    ),
    (
        "source latency across a generated clock's source",
        "create_generated_clock -name half -source [get_ports clk] -divide_by 2 [get_pins divider/Q]
         set_output_delay 0.15 -clock half [get_ports q3]
         set_propagated_clock [all_clocks]
         set_clock_latency -source -early 0.05 [get_clocks clk]
         set_clock_latency -source -late 0.09 [get_clocks clk]",
    ),
    (
        "false path from an edge",
        "set_false_path -rise_from [get_clocks clk] -fall_to [get_pins r1/D]",
    ),
    (
        "two throughs",
        "set_false_path -through [get_pins {g0/A2 g1/B}] -through [get_pins g1/Z]",
    ),
    (
        "multicycle through",
        "set_multicycle_path -setup 2 -through [get_pins g1/Z]",
    ),
    (
        "false path of a cell",
        "set_false_path -from [get_cells r0] -to [get_cells r1]",
    ),
    (
        "derate of cells",
        "set_propagated_clock [all_clocks]
         set_timing_derate -late 1.3 [get_cells {g1 tree2}]",
    ),
    (
        "derate of checks",
        "set_timing_derate -late -cell_check 1.2
         set_timing_derate -early -cell_check 0.7",
    ),
    (
        "uncertainty of a pin",
        "set_clock_uncertainty 0.06 [get_pins r1/CK]",
    ),
    (
        "latency of a pin",
        "set_clock_latency 0.05 [get_pins r1/CK]",
    ),
    (
        "virtual clock",
        "create_clock -name virt -period 0.6
         set_input_delay 0.12 -clock virt [get_ports d0]
         set_output_delay 0.12 -clock virt [get_ports q1]",
    ),
    (
        "second clock on a port",
        "create_clock -name fast -period 0.3 -add [get_ports clk]",
    ),
    (
        "path group",
        "group_path -name mine -to [get_pins r1/D]",
    ),
    (
        "path delays that ignore latency",
        "set_clock_latency 0.1 [get_clocks clk]
         set_max_delay 0.2 -ignore_clock_latency -from [get_cells r0] -to [get_pins r1/D]",
    ),
    (
        "driving cell with transition",
        "set_driving_cell -lib_cell INV_X1 -pin ZN -input_transition_rise 0.1 -input_transition_fall 0.05 [get_ports {d0 d1}]",
    ),
    (
        "constant clock gate",
        "set_case_analysis 0 [get_ports en]",
    ),
    (
        "reset held",
        "set_case_analysis 1 [get_ports rst]",
    ),
    (
        "multiplied clock",
        "create_generated_clock -name twice -source [get_ports clk] -multiply_by 2 [get_pins divider/Q]",
    ),
    (
        "inverted generated clock",
        "set_propagated_clock [all_clocks]
         create_generated_clock -name inv -source [get_ports clk] -divide_by 2 -invert [get_pins divider/Q]",
    ),
    (
        "generated clock by edges",
        "create_generated_clock -name third -source [get_ports clk] -edges {1 3 5} [get_pins divider/Q]",
    ),
    (
        "physically exclusive clocks",
        "create_clock -name fast -period 0.5 -add [get_ports clk]
         set_clock_groups -physically_exclusive -group {clk} -group {fast}",
    ),
    ("borrowing limit", "set_max_time_borrow 0.05 [get_cells l0]"),
];

/// Ends that Debian's version (2.0.17) sees otherwise, with the reason.
const ASIDE: &[(&str, &str, &str)] = &[(
    "physically exclusive clocks",
    "r2/D",
    "there a path of one clock borrows time at a latch that the other opens, though the two never meet",
)];

struct Case {
    folder: PathBuf,
    library: PathBuf,
}

impl Case {
    fn new(test: &str) -> Case {
        let name = format!("cellwright-features-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let bundle = write_bundle(&folder, &Spec::preset("tiny").unwrap()).unwrap();
        let bundle = Bundle::read(&bundle).unwrap();
        // Debian's `sta` cannot be asked for timing without wires where a wire load is the default.
        let text = fs::read_to_string(bundle.path(&bundle.corner[0].liberty[0])).unwrap();
        let kept = text.lines().filter(|line| !line.contains("default_wire_load"));
        let library = folder.join("features.lib");
        fs::write(&library, kept.collect::<Vec<_>>().join("\n")).unwrap();
        fs::write(folder.join("features.v"), NETLIST).unwrap();
        Case { folder, library }
    }

    fn ours(&self, sdc: &Path, more: &[&str]) -> Value {
        let output = Command::new(env!("CARGO_BIN_EXE_cellwright"))
            .arg("sta")
            .arg("--liberty")
            .arg(&self.library)
            .arg("--verilog")
            .arg(self.folder.join("features.v"))
            .args(["--top", "features", "--json", "-", "--sdc"])
            .arg(sdc)
            .args(more)
            .output()
            .unwrap();
        let envelope: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        envelope["result"]["value"].clone()
    }

    fn sdc(&self, name: &str, text: &str) -> PathBuf {
        let file = self.folder.join(format!("{}.sdc", name.replace(' ', "-")));
        fs::write(&file, text).unwrap();
        file
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

type Ends = BTreeMap<String, (f64, f64)>;

/// Worst slack and its arrival by endpoint of a side of our value.
fn own_ends(value: &Value, side: &str) -> Ends {
    let mut found = Ends::new();
    for end in value[side]["endpoints"].as_array().unwrap() {
        let number = |name: &str| end[name].as_f64().unwrap();
        let new = (number("slack"), number("arrival"));
        let kept = found.entry(end["pin"].as_str().unwrap().to_owned()).or_insert(new);
        if new.0 < kept.0 {
            *kept = new;
        }
    }
    found
}

/// Likewise of an `-format end` report.
fn their_ends(report: &str) -> Ends {
    let mut found = Ends::new();
    for line in report.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, .., arrival, slack, "(MET)" | "(VIOLATED)"] = words.as_slice() else {
            continue;
        };
        let new: (f64, f64) = (slack.parse().unwrap(), arrival.parse().unwrap());
        let kept = found.entry((*name).to_owned()).or_insert(new);
        if new.0 < kept.0 {
            *kept = new;
        }
    }
    found
}

#[test]
fn every_feature_agrees_with_sta() {
    if !Path::new("/usr/bin/sta").exists() {
        println!("skipped: /usr/bin/sta not found");
        return;
    }
    let case = Case::new("all");
    let mut wrong = Vec::new();
    println!("feature                              ends  largest difference, ns");
    for (name, sdc) in FEATURES {
        let sdc = case.sdc(name, &format!("{BASE}{sdc}\n"));
        let value = case.ours(&sdc, &[]);
        if value["not_supported"] != serde_json::json!([]) {
            wrong.push(format!("{name}: not supported: {}", value["not_supported"]));
            continue;
        }
        let mut script = format!(
            "read_liberty {}\nread_verilog {}\nlink_design features\nread_sdc {}\n",
            case.library.display(),
            case.folder.join("features.v").display(),
            sdc.display()
        );
        for side in ["max", "min"] {
            script += &format!(
                "puts \"side {side}\"\nreport_checks -path_delay {side} -group_count 100000 \
                 -endpoint_count 1 -format end -digits 6 -no_line_splits\n"
            );
        }
        let file = case.folder.join("feature.tcl");
        fs::write(&file, script).unwrap();
        let output = Command::new("/usr/bin/sta")
            .args(["-no_init", "-no_splash", "-exit"])
            .arg(&file)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let (_, reports) = text.split_once("side max").unwrap();
        let (max, min) = reports.split_once("side min").unwrap();
        let (mut count, mut largest) = (0, 0.0_f64);
        for (side, report) in [("setup", max), ("hold", min)] {
            let (ours, theirs) = (own_ends(&value, side), their_ends(report));
            let names = |ends: &Ends| ends.keys().cloned().collect::<Vec<_>>();
            if names(&ours) != names(&theirs) {
                let (ours, theirs) = (names(&ours), names(&theirs));
                wrong.push(format!("{name} {side}: ends {ours:?}, sta {theirs:?}"));
                continue;
            }
            for (end, (slack, arrival)) in ours {
                let (wanted, _) = theirs[&end];
                let difference = (slack - wanted).abs();
                (count, largest) = (count + 1, largest.max(difference));
                let aside = ASIDE.iter().any(|(feature, at, _)| feature == name && *at == end);
                if !aside && difference > (0.0005_f64).max(0.001 * arrival.abs()) {
                    wrong.push(format!("{name} {side} {end}: {slack:.6}, sta {wanted:.6}"));
                }
            }
        }
        println!("{name:36} {count:4}  {largest:.6}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Pulses, periods and gates, which no endpoint tells of: what the library asks for in some state
/// counts in every state.
#[test]
fn violators_beside_the_endpoints_are_told() {
    let case = Case::new("violators");
    let library = fs::read_to_string(&case.library).unwrap();
    let at = library.find("cell (DFF_X1)").unwrap();
    let pin = at + library[at..].find("pin (CK) {").unwrap() + "pin (CK) {".len();
    let asks = "\n min_period : 0.7;\n min_pulse_width () { when : \"D\"; constraint_high : 0.31; \
                constraint_low : 0.05; }\n";
    fs::write(&case.library, format!("{}{asks}{}", &library[..pin], &library[pin..])).unwrap();
    let gated = NETLIST.replace(".CK(slow), .Q(q4)", ".CK(gated), .Q(q4)").replace(
        "endmodule",
        "wire gated;\n AND2_X1 gate (.A1(slow), .A2(en), .Z(gated));\nendmodule",
    );
    fs::write(case.folder.join("features.v"), gated).unwrap();
    let sdc =
        case.sdc("violators", &format!("{BASE}set_clock_gating_check -setup 0.3 -hold 0.6\n"));
    let value = case.ours(&sdc, &["--violators"]);
    assert_eq!(value["not_supported"], serde_json::json!([]));
    let violators = &value["violators"];
    let close = |value: &Value, wanted: f64| (value.as_f64().unwrap() - wanted).abs() < 1e-6;
    let pulses = violators["pulses"].as_array().unwrap();
    let of = |pin: &str, check: &str| {
        let mut all = pulses.iter().filter(|p| p["pin"] == pin && p["check"] == check);
        all.next()
    };
    // A clock of 0.6 ns, high for 0.3; the low pulse is wide enough. `slow` has a period of 0.9.
    let period = of("r0/CK", "period").unwrap();
    assert!(close(&period["required"], 0.7) && close(&period["actual"], 0.6), "{period}");
    let high = of("r0/CK", "pulse width high").unwrap();
    assert!(close(&high["required"], 0.31), "{high}");
    assert!((high["actual"].as_f64().unwrap() - 0.3).abs() < 0.01, "{high}");
    assert!(of("r0/CK", "pulse width low").is_none());
    assert!(of("r4/CK", "period").is_none());
    // From clk to slow the next rise comes 0.1 ns after the launch, the fall of the pulse before
    // at 0.5 - 0.9 ns; the enable comes at 0.1 ns.
    let gates = violators["clock_gating"].as_array().unwrap();
    let slack = |check: &str| {
        let mut found = gates.iter().filter(|gate| gate["check"] == check);
        found.next().map(|gate| gate["slack"].as_f64().unwrap())
    };
    let own = [slack("setup").unwrap(), slack("hold").unwrap()];
    assert_eq!(gates.len(), 2, "{gates:?}");
    assert!(gates.iter().all(|gate| gate["pin"] == "gate/A2"));
    if !Path::new("/usr/bin/sta").exists() {
        println!("skipped: /usr/bin/sta not found");
        return;
    }
    let script = case.folder.join("gate.tcl");
    let text = format!(
        "read_liberty {}\nread_verilog {}\nlink_design features\nread_sdc {}\n\
         report_checks -path_delay max -to gate/A2 -format end -digits 6 -no_line_splits\n\
         report_checks -path_delay min -to gate/A2 -format end -digits 6 -no_line_splits\n",
        case.library.display(),
        case.folder.join("features.v").display(),
        sdc.display()
    );
    fs::write(&script, text).unwrap();
    let output = Command::new("/usr/bin/sta")
        .args(["-no_init", "-no_splash", "-exit"])
        .arg(&script)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let theirs: Vec<f64> = text
        .lines()
        .filter(|line| line.starts_with("gate/A2"))
        .map(|line| line.split_whitespace().rev().nth(1).unwrap().parse().unwrap())
        .collect();
    assert_eq!(theirs.len(), 2, "{text}");
    for (own, wanted) in own.into_iter().zip(theirs) {
        assert!((own - wanted).abs() < 1e-4, "{own}, sta {wanted}");
    }
}
