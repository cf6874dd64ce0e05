//! Liberty writer: one file per corner, NLDM tables from [`crate::model`].
//!
//! Combinational arcs are found from the function: an input that an output can both follow and oppose
//! (XOR, multiplexer select, adder sum) gets one `timing` group per sense with its `when` condition.

use std::io::{self, Write};

use crate::cells::{Family, Kind, Master, catalog};
use crate::logic::{Sense, condition_text};
use crate::model::{self, Corner, Edge};
use crate::tech;

/// Writes the library of `corner`.
///
/// Units: ns, V, mA, kΩ, nW, pF. Thresholds: delay 50 %, slew 20–80 %.
pub fn write<W: Write>(out: &mut W, corner: Corner) -> io::Result<()> {
    let name = format!("{}_{}", tech::NAME, corner.name());
    writeln!(out, "/* {name}: written by cellwright-designs. */")?;
    writeln!(out, "library ({name}) {{")?;
    writeln!(out, "  technology (cmos);")?;
    writeln!(out, "  delay_model : table_lookup;")?;
    writeln!(out, "  revision : \"1.0\";")?;
    for line in [
        "time_unit : \"1ns\"",
        "voltage_unit : \"1V\"",
        "current_unit : \"1mA\"",
        "pulling_resistance_unit : \"1kohm\"",
        "leakage_power_unit : \"1nW\"",
        "capacitive_load_unit (1, pf)",
        "slew_derate_from_library : 1.0",
        "default_cell_leakage_power : 0.0",
        "default_fanout_load : 1.0",
        "default_inout_pin_cap : 0.0",
        "default_input_pin_cap : 0.0",
        "default_output_pin_cap : 0.0",
    ] {
        writeln!(out, "  {line};")?;
    }
    writeln!(out, "  default_max_transition : {};", model::MAX_TRANSITION)?;
    for edge in ["rise", "fall"] {
        writeln!(out, "  input_threshold_pct_{edge} : 50.0;")?;
        writeln!(out, "  output_threshold_pct_{edge} : 50.0;")?;
        writeln!(out, "  slew_lower_threshold_pct_{edge} : 20.0;")?;
        writeln!(out, "  slew_upper_threshold_pct_{edge} : 80.0;")?;
    }
    let (volt, celsius) = (corner.voltage(), corner.celsius());
    writeln!(out, "  nom_process : 1.0;")?;
    writeln!(out, "  nom_voltage : {volt};")?;
    writeln!(out, "  nom_temperature : {celsius:.1};")?;
    writeln!(out, "  voltage_map (VDD, {volt});")?;
    writeln!(out, "  voltage_map (VSS, 0.0);")?;
    writeln!(out, "  operating_conditions ({}) {{", corner.name())?;
    writeln!(out, "    process : 1.0;\n    voltage : {volt};\n    temperature : {celsius:.1};")?;
    writeln!(out, "    tree_type : balanced_tree;\n  }}")?;
    writeln!(out, "  default_operating_conditions : {};", corner.name())?;
    writeln!(out, "  lu_table_template (delay_7x7) {{")?;
    writeln!(out, "    variable_1 : input_net_transition;")?;
    writeln!(out, "    variable_2 : total_output_net_capacitance;")?;
    index(out, "    ", 1, &model::SLEW_AXIS)?;
    index(out, "    ", 2, &model::LOAD_FRACTIONS)?;
    writeln!(out, "  }}")?;
    writeln!(out, "  lu_table_template (constraint_4x4) {{")?;
    writeln!(out, "    variable_1 : related_pin_transition;")?;
    writeln!(out, "    variable_2 : constrained_pin_transition;")?;
    index(out, "    ", 1, &model::CONSTRAINT_AXIS)?;
    index(out, "    ", 2, &model::CONSTRAINT_AXIS)?;
    writeln!(out, "  }}")?;
    for master in catalog().masters() {
        cell(out, master, corner)?;
    }
    writeln!(out, "}}")
}

fn cell<W: Write>(out: &mut W, master: &Master, corner: Corner) -> io::Result<()> {
    let family = master.family;
    writeln!(out, "  cell ({}) {{", master.name)?;
    writeln!(out, "    area : {:.3};", master.area())?;
    writeln!(out, "    cell_leakage_power : {:.3};", model::leakage(master, corner))?;
    match family.kind {
        Kind::Filler | Kind::Tap => {
            writeln!(out, "    dont_use : true;\n    dont_touch : true;")?;
        }
        _ => writeln!(out, "    cell_footprint : \"{}\";", family.name.to_lowercase())?,
    }
    if family.kind == Kind::ClockGate {
        writeln!(out, "    clock_gating_integrated_cell : \"latch_posedge\";")?;
        writeln!(out, "    dont_use : true;")?;
    }
    for (pin, kind) in [("VDD", "power"), ("VSS", "ground")] {
        writeln!(out, "    pg_pin ({pin}) {{")?;
        writeln!(out, "      voltage_name : {pin};\n      pg_type : primary_{kind};\n    }}")?;
    }
    storage(out, family)?;
    for i in 0..family.inputs.len() {
        input_pin(out, master, corner, i)?;
    }
    for o in 0..family.outputs.len() {
        output_pin(out, master, corner, o)?;
    }
    writeln!(out, "  }}")
}

/// The `ff`, `latch` or `statetable` group.
fn storage<W: Write>(out: &mut W, family: &Family) -> io::Result<()> {
    match family.kind {
        Kind::Flop { reset } => {
            writeln!(out, "    ff (IQ, IQN) {{")?;
            writeln!(out, "      clocked_on : \"CK\";\n      next_state : \"D\";")?;
            if reset {
                writeln!(out, "      clear : \"!RN\";")?;
            }
            writeln!(out, "    }}")
        }
        Kind::Latch => {
            writeln!(out, "    latch (IQ, IQN) {{")?;
            writeln!(out, "      enable : \"G\";\n      data_in : \"D\";\n    }}")
        }
        Kind::ClockGate => {
            writeln!(out, "    statetable (\"CK E\", \"IQ\") {{")?;
            writeln!(out, "      table : \"L L : - : L , L H : - : H , H - : - : N\";\n    }}")?;
            writeln!(out, "    pin (IQ) {{")?;
            writeln!(out, "      direction : internal;\n      internal_node : \"IQ\";\n    }}")
        }
        _ => Ok(()),
    }
}

fn input_pin<W: Write>(out: &mut W, m: &Master, corner: Corner, i: usize) -> io::Result<()> {
    let family = m.family;
    let cap = model::input_cap(m, corner, i);
    writeln!(out, "    pin ({}) {{", family.pin_name(i))?;
    writeln!(out, "      direction : input;")?;
    writeln!(out, "      related_power_pin : VDD;\n      related_ground_pin : VSS;")?;
    writeln!(out, "      capacitance : {cap:.6};")?;
    // The two edges see Miller effects of different size; the mean is the nominal value.
    writeln!(out, "      rise_capacitance : {:.6};", cap * 1.02)?;
    writeln!(out, "      fall_capacitance : {:.6};", cap * 0.98)?;
    writeln!(out, "      max_transition : {};", model::MAX_TRANSITION)?;
    let is_clock = family.clock_pin() == Some(i);
    if is_clock {
        writeln!(out, "      clock : true;")?;
        writeln!(out, "      min_pulse_width_high : {:.6};", model::min_pulse(corner))?;
        if !matches!(family.kind, Kind::Latch) {
            writeln!(out, "      min_pulse_width_low : {:.6};", model::min_pulse(corner))?;
        }
        if family.kind == Kind::ClockGate {
            writeln!(out, "      clock_gate_clock_pin : true;")?;
        }
    }
    match (family.kind, i) {
        (Kind::Flop { .. } | Kind::ClockGate, 0) => {
            if family.kind == Kind::ClockGate {
                writeln!(out, "      clock_gate_enable_pin : true;")?;
            }
            let setup = |c: f64, d: f64| model::setup(family, corner, d, c);
            let hold = |c: f64, d: f64| model::hold(family, corner, d, c);
            constraint(out, "CK", "setup_rising", &setup, true)?;
            constraint(out, "CK", "hold_rising", &hold, true)?;
        }
        (Kind::Latch, 0) => {
            let setup = |c: f64, d: f64| model::setup(family, corner, d, c);
            let hold = |c: f64, d: f64| model::hold(family, corner, d, c);
            constraint(out, "G", "setup_falling", &setup, true)?;
            constraint(out, "G", "hold_falling", &hold, true)?;
        }
        (Kind::Flop { .. }, 2) => {
            writeln!(out, "      min_pulse_width_low : {:.6};", model::min_pulse(corner))?;
            let recovery = |c: f64, d: f64| model::recovery(corner, d, c);
            let removal = |c: f64, d: f64| model::removal(corner, d, c);
            constraint(out, "CK", "recovery_rising", &recovery, false)?;
            constraint(out, "CK", "removal_rising", &removal, false)?;
        }
        _ => {}
    }
    writeln!(out, "    }}")
}

/// A constraint group; `value(clock slew, data slew)`. The falling edge needs 4 % longer.
fn constraint<W: Write>(
    out: &mut W,
    related: &str,
    timing_type: &str,
    value: &dyn Fn(f64, f64) -> f64,
    both: bool,
) -> io::Result<()> {
    writeln!(out, "      timing () {{")?;
    writeln!(out, "        related_pin : \"{related}\";")?;
    writeln!(out, "        timing_type : {timing_type};")?;
    let axis = &model::CONSTRAINT_AXIS;
    let edges: &[(&str, f64)] =
        if both { &[("rise", 1.0), ("fall", 1.04)] } else { &[("rise", 1.0)] };
    for (edge, factor) in edges {
        writeln!(out, "        {edge}_constraint (constraint_4x4) {{")?;
        index(out, "          ", 1, axis)?;
        index(out, "          ", 2, axis)?;
        values(out, axis, axis, &|c, d| value(c, d) * factor)?;
        writeln!(out, "        }}")?;
    }
    writeln!(out, "      }}")
}

fn output_pin<W: Write>(out: &mut W, m: &Master, corner: Corner, o: usize) -> io::Result<()> {
    let family = m.family;
    let (name, function) = &family.outputs[o];
    writeln!(out, "    pin ({name}) {{")?;
    writeln!(out, "      direction : output;")?;
    writeln!(out, "      related_power_pin : VDD;\n      related_ground_pin : VSS;")?;
    match (family.kind, o) {
        (Kind::Flop { .. }, 1) => writeln!(out, "      function : \"IQN\";")?,
        (Kind::ClockGate, _) => {
            writeln!(out, "      clock_gate_out_pin : true;")?;
            writeln!(out, "      state_function : \"{}\";", function.text(family.inputs))?;
        }
        _ => writeln!(out, "      function : \"{}\";", function.text(family.inputs))?,
    }
    writeln!(out, "      max_capacitance : {:.6};", model::max_cap(m))?;
    writeln!(out, "      max_transition : {};", model::MAX_TRANSITION)?;
    match family.kind {
        Kind::Logic => logic_arcs(out, m, corner, o)?,
        Kind::ClockGate => {
            let head = ["related_pin : \"CK\"", "timing_sense : positive_unate"];
            arc(out, m, corner, (1, o, Sense::Positive), &head, &[Edge::Rise, Edge::Fall])?;
        }
        Kind::Flop { reset } => {
            let head = ["related_pin : \"CK\"", "timing_type : rising_edge"];
            arc(out, m, corner, (1, o, Sense::Positive), &head, &[Edge::Rise, Edge::Fall])?;
            if reset && o == 0 {
                let sense = "timing_sense : positive_unate";
                let head = ["related_pin : \"RN\"", "timing_type : clear", sense];
                arc(out, m, corner, (2, o, Sense::Positive), &head, &[Edge::Fall])?;
            } else if reset {
                let sense = "timing_sense : negative_unate";
                let head = ["related_pin : \"RN\"", "timing_type : preset", sense];
                arc(out, m, corner, (2, o, Sense::Negative), &head, &[Edge::Rise])?;
            }
        }
        Kind::Latch => {
            let head = ["related_pin : \"G\"", "timing_type : rising_edge"];
            arc(out, m, corner, (1, o, Sense::Positive), &head, &[Edge::Rise, Edge::Fall])?;
            let head = ["related_pin : \"D\"", "timing_sense : positive_unate"];
            arc(out, m, corner, (0, o, Sense::Positive), &head, &[Edge::Rise, Edge::Fall])?;
        }
        _ => {}
    }
    writeln!(out, "    }}")
}

fn logic_arcs<W: Write>(out: &mut W, m: &Master, corner: Corner, o: usize) -> io::Result<()> {
    let family = m.family;
    for i in 0..family.inputs.len() {
        let senses = family.outputs[o].1.senses(i, family.inputs.len());
        let binate = senses.iter().all(|s| !s.is_empty());
        for (sense, products) in [Sense::Positive, Sense::Negative].into_iter().zip(&senses) {
            if products.is_empty() {
                continue;
            }
            let related = format!("related_pin : \"{}\"", family.inputs[i]);
            let word = match sense {
                Sense::Positive => "timing_sense : positive_unate",
                Sense::Negative => "timing_sense : negative_unate",
            };
            let when = format!("when : \"{}\"", condition_text(products, family.inputs));
            let mut head = vec![related.as_str(), word];
            if binate {
                head.push(&when);
            }
            arc(out, m, corner, (i, o, sense), &head, &[Edge::Rise, Edge::Fall])?;
        }
    }
    Ok(())
}

/// A `timing` group with delay and transition tables for `edges`.
fn arc<W: Write>(
    out: &mut W,
    m: &Master,
    corner: Corner,
    (input, output, sense): (usize, usize, Sense),
    head: &[&str],
    edges: &[Edge],
) -> io::Result<()> {
    writeln!(out, "      timing () {{")?;
    for line in head {
        writeln!(out, "        {line};")?;
    }
    let loads = load_axis(m);
    for &edge in edges {
        let stage = model::stage(m, corner, input, output, sense, edge);
        let (delay, transition) = match edge {
            Edge::Rise => ("cell_rise", "rise_transition"),
            Edge::Fall => ("cell_fall", "fall_transition"),
        };
        for (group, is_delay) in [(delay, true), (transition, false)] {
            writeln!(out, "        {group} (delay_7x7) {{")?;
            index(out, "          ", 1, &model::SLEW_AXIS)?;
            index(out, "          ", 2, &loads)?;
            values(out, &model::SLEW_AXIS, &loads, &|slew, load| {
                if is_delay { stage.delay(slew, load) } else { stage.transition(slew, load) }
            })?;
            writeln!(out, "        }}")?;
        }
    }
    writeln!(out, "      }}")
}

/// Loads of a master's tables, pF, rounded as they are printed.
pub fn load_axis(m: &Master) -> [f64; 7] {
    model::LOAD_FRACTIONS.map(|f| (f * model::max_cap(m) * 1e6).round() / 1e6)
}

fn index<W: Write>(out: &mut W, indent: &str, n: u8, axis: &[f64]) -> io::Result<()> {
    write!(out, "{indent}index_{n} (\"")?;
    for (i, value) in axis.iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        write!(out, "{comma}{value}")?;
    }
    writeln!(out, "\");")
}

fn values<W: Write>(
    out: &mut W,
    rows: &[f64],
    columns: &[f64],
    value: &dyn Fn(f64, f64) -> f64,
) -> io::Result<()> {
    write!(out, "          values (")?;
    for (r, row) in rows.iter().enumerate() {
        if r > 0 {
            write!(out, ", \\\n           ")?;
        }
        write!(out, "\"")?;
        for (c, column) in columns.iter().enumerate() {
            let comma = if c > 0 { "," } else { "" };
            write!(out, "{comma}{:.6}", value(*row, *column))?;
        }
        write!(out, "\"")?;
    }
    writeln!(out, ");")
}
