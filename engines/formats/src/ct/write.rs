//! Netlists and placements as text. Numbers are the shortest that read back as the same bits.

use std::fmt::Write;

use cellwright_macros::netlist::{Item, Kind, Netlist, Placement, Value};

/// The netlist as protobuf text, nodes in index order, attributes in alphabetical order as Circuit
/// Training writes them.
#[must_use]
pub fn write_netlist(netlist: &Netlist) -> String {
    let mut out = String::new();
    if let Some((width, height)) = netlist.outline {
        let _ = writeln!(out, "# FP bbox: {{0.0 0.0 {width:?} {height:?}}}");
    }
    if !netlist.metadata.is_empty() {
        out.push_str("node {\n  name: \"__metadata__\"\n");
        for (key, value) in &netlist.metadata {
            attribute(&mut out, key, value);
        }
        out.push_str("}\n");
    }
    for item in &netlist.items {
        let _ = writeln!(out, "node {{\n  name: \"{}\"", escaped(&item.name));
        for &sink in &item.sinks {
            let _ = writeln!(out, "  input: \"{}\"", escaped(&netlist.items[sink as usize].name));
        }
        for (key, value) in attributes(netlist, item) {
            attribute(&mut out, &key, &value);
        }
        out.push_str("}\n");
    }
    out
}

fn attributes(netlist: &Netlist, item: &Item) -> Vec<(String, Value)> {
    let mut out: Vec<(String, Value)> = Vec::new();
    let mut number = |key: &str, v: f64| {
        out.push((key.to_owned(), Value::Bare("f".to_owned(), format!("{v:?}"))));
    };
    if !item.kind.is_pin() && item.kind != Kind::Port {
        number("width", item.width);
        number("height", item.height);
    }
    if let Some((x, y)) = item.at {
        number("x", x);
        number("y", y);
    }
    if item.kind.is_pin() {
        number("x_offset", item.offset.0);
        number("y_offset", item.offset.1);
    }
    if let Some(weight) = item.weight {
        number("weight", weight);
    }
    let mut text = |key: &str, v: &str| out.push((key.to_owned(), Value::Text(v.to_owned())));
    text(
        "type",
        match item.kind {
            Kind::Port => "PORT",
            Kind::Hard => "MACRO",
            Kind::Soft => "macro",
            Kind::HardPin => "MACRO_PIN",
            Kind::SoftPin => "macro_pin",
            Kind::Cell => "STDCELL",
        },
    );
    if item.kind.is_pin() {
        text("macro_name", &netlist.items[item.owner as usize].name);
    }
    // With an orientation or a master a lower-case `macro` is read as hard.
    let soft = item.kind == Kind::Soft;
    if let (Some(orient), false) = (item.orient, soft) {
        text("orientation", orient.name());
    }
    if let Some(side) = &item.side {
        text("side", side);
    }
    if let (Some(master), false) = (&item.master, soft) {
        text("ref_name", master);
    }
    out.extend(item.extra.iter().cloned());
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}

fn attribute(out: &mut String, key: &str, value: &Value) {
    let _ = writeln!(out, "  attr {{\n    key: \"{}\"\n    value {{", escaped(key));
    let _ = match value {
        Value::Text(text) => writeln!(out, "      placeholder: \"{}\"", escaped(text)),
        Value::Bare(field, word) => writeln!(out, "      {field}: {word}"),
    };
    out.push_str("    }\n  }\n");
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t")
}

/// The placement as a `.plc` file. `notes` are put in front as comments, one a line.
#[must_use]
pub fn write_placement(netlist: &Netlist, placement: &Placement, notes: &[String]) -> String {
    let s = &placement.settings;
    let mut out = String::from("# Placement file for Circuit Training\n");
    for note in notes {
        let _ = writeln!(out, "# {}", note.replace('\n', " "));
    }
    let _ = writeln!(out, "# Columns : {}  Rows : {}", s.columns, s.rows);
    let _ = writeln!(out, "# Width : {:?}  Height : {:?}", s.width, s.height);
    let _ = writeln!(out, "# Area (stdcell+macros) : {:?}", netlist.area());
    if let Some(project) = &s.project {
        let _ = writeln!(out, "# Project : {project}");
    }
    if let Some(block) = &s.block {
        let _ = writeln!(out, "# Block : {block}");
    }
    let _ = writeln!(out, "# Routes per micron, hor : {:?}  ver : {:?}", s.routes_h, s.routes_v);
    let _ = writeln!(
        out,
        "# Routes used by macros, hor : {:?}  ver : {:?}",
        s.macro_routes_h, s.macro_routes_v
    );
    let _ = writeln!(out, "# Smoothing factor : {}", s.smooth_range);
    if let Some(share) = s.overlap_threshold {
        let _ = writeln!(out, "# Overlap threshold : {share:?}");
    }
    for b in &s.blockages {
        let [x0, y0, x1, y1] = b.rect;
        let _ = writeln!(out, "# Blockage : {x0:?} {y0:?} {x1:?} {y1:?} {:?}", b.rate);
    }
    out.push_str("#\n# Counts of node types:\n");
    let (hard, soft) = (netlist.count(Kind::Hard), netlist.count(Kind::Soft));
    let (hard_pins, soft_pins) = (netlist.count(Kind::HardPin), netlist.count(Kind::SoftPin));
    for (name, count) in [
        ("HARD_MACROs     ", hard),
        ("HARD_MACRO_PINs ", hard_pins),
        ("MACROs          ", hard + soft),
        ("MACRO_PINs      ", hard_pins + soft_pins),
        ("PORTs           ", netlist.count(Kind::Port)),
        ("SOFT_MACROs     ", soft),
        ("SOFT_MACRO_PINs ", soft_pins),
        ("STDCELLs        ", netlist.count(Kind::Cell)),
    ] {
        let _ = writeln!(out, "# {name}: {count:>9}");
    }
    out.push_str("#\n# node_index x y orientation fixed\n");
    for (index, spot) in placement.spots.iter().enumerate() {
        if let Some(spot) = spot {
            let orient = spot.orient.map_or("-", |o| o.name());
            let fixed = u8::from(spot.fixed);
            let _ = writeln!(out, "{index} {} {} {orient} {fixed}", spot.x, spot.y);
        }
    }
    out
}
