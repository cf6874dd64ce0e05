//! LEF 5.8 writers: the technology, and the cell abstracts.
//!
//! A cell is `sites` wide and one row high. Horizontal `M1` rails straddle its lower (`VSS`) and upper
//! (`VDD`) edge. Each signal pin is one vertical `M1` bar on a track of its own, so that pins stand on
//! the routing grid in every orientation; free columns carry an obstruction, as a cell's inner wiring
//! would.

use std::io::{self, Write};

use crate::cells::{Kind, Master, catalog};
use crate::tech::{self, CUTS, Direction, ROUTING};

/// Writes the technology LEF: units, layers, vias and the site.
pub fn write_tech<W: Write>(out: &mut W) -> io::Result<()> {
    header(out)?;
    writeln!(out, "UNITS")?;
    writeln!(out, "  CAPACITANCE PICOFARADS 1 ;")?;
    writeln!(out, "  RESISTANCE OHMS 1 ;")?;
    writeln!(out, "  DATABASE MICRONS {} ;", tech::DBU_PER_MICRON)?;
    writeln!(out, "END UNITS")?;
    writeln!(out, "MANUFACTURINGGRID {} ;", tech::MANUFACTURING_GRID)?;
    writeln!(out, "CLEARANCEMEASURE EUCLIDEAN ;")?;
    writeln!(out, "USEMINSPACING OBS ON ;\n")?;
    for (i, layer) in ROUTING.iter().enumerate() {
        let direction = match layer.direction {
            Direction::Horizontal => "HORIZONTAL",
            Direction::Vertical => "VERTICAL",
        };
        writeln!(out, "LAYER {}", layer.name)?;
        writeln!(out, "  TYPE ROUTING ;")?;
        writeln!(out, "  DIRECTION {direction} ;")?;
        writeln!(out, "  PITCH {} ;", layer.pitch)?;
        writeln!(out, "  OFFSET {} ;", offset(layer.direction))?;
        writeln!(out, "  WIDTH {} ;", layer.width)?;
        writeln!(out, "  MINWIDTH {} ;", layer.width)?;
        writeln!(out, "  SPACING {} ;", layer.spacing)?;
        writeln!(out, "  AREA {:.4} ;", 4.0 * layer.width * layer.width)?;
        writeln!(out, "  RESISTANCE RPERSQ {} ;", layer.ohm_per_square)?;
        writeln!(out, "  CAPACITANCE CPERSQDIST {} ;", decimal(layer.pf_per_square_micron))?;
        writeln!(out, "  EDGECAPACITANCE {} ;", decimal(layer.pf_per_edge_micron))?;
        writeln!(out, "END {}\n", layer.name)?;
        if let Some(cut) = CUTS.get(i) {
            writeln!(out, "LAYER {}", cut.name)?;
            writeln!(out, "  TYPE CUT ;")?;
            writeln!(out, "  SPACING {} ;", fixed(cut.spacing))?;
            writeln!(out, "  WIDTH {} ;", cut.size)?;
            writeln!(out, "  RESISTANCE {} ;", cut.ohm)?;
            writeln!(out, "END {}\n", cut.name)?;
        }
    }
    writeln!(out, "LAYER OVERLAP\n  TYPE OVERLAP ;\nEND OVERLAP\n")?;
    for (i, cut) in CUTS.iter().enumerate() {
        writeln!(out, "VIA {}_S DEFAULT", cut.name)?;
        writeln!(out, "  RESISTANCE {} ;", cut.ohm)?;
        for layer in [&ROUTING[i], &ROUTING[i + 1]] {
            let along = cut.size / 2.0 + cut.overhang;
            let across = layer.width.min(ROUTING[i].width.max(cut.size)) / 2.0;
            let (x, y) = match layer.direction {
                Direction::Horizontal => (along.max(across), across),
                Direction::Vertical => (across, along.max(across)),
            };
            writeln!(out, "  LAYER {} ;", layer.name)?;
            rect(out, "    ", [-x, -y, x, y])?;
        }
        let half = cut.size / 2.0;
        writeln!(out, "  LAYER {} ;", cut.name)?;
        rect(out, "    ", [-half, -half, half, half])?;
        writeln!(out, "END {}_S\n", cut.name)?;
    }
    writeln!(out, "SITE {}", tech::SITE)?;
    writeln!(out, "  CLASS CORE ;")?;
    writeln!(out, "  SYMMETRY Y ;")?;
    writeln!(
        out,
        "  SIZE {} BY {} ;",
        tech::to_micron(tech::SITE_WIDTH),
        tech::to_micron(tech::ROW_HEIGHT)
    )?;
    writeln!(out, "END {}\n", tech::SITE)?;
    writeln!(out, "END LIBRARY")
}

/// Writes the macro LEF of every master.
pub fn write_cells<W: Write>(out: &mut W) -> io::Result<()> {
    header(out)?;
    writeln!(out)?;
    for master in catalog().masters() {
        write_macro(out, master)?;
    }
    writeln!(out, "END LIBRARY")
}

/// Offset of the first track: the centre of a site for vertical wires, the row's edge for horizontal.
pub(crate) fn offset(direction: Direction) -> f64 {
    match direction {
        Direction::Vertical => tech::to_micron(tech::SITE_WIDTH) / 2.0,
        Direction::Horizontal => 0.0,
    }
}

fn header<W: Write>(out: &mut W) -> io::Result<()> {
    writeln!(out, "# {}: written by cellwright-designs.", tech::NAME)?;
    writeln!(out, "VERSION 5.8 ;")?;
    writeln!(out, "BUSBITCHARS \"[]\" ;")?;
    writeln!(out, "DIVIDERCHAR \"/\" ;")
}

fn write_macro<W: Write>(out: &mut W, master: &Master) -> io::Result<()> {
    let family = master.family;
    let height = tech::to_micron(tech::ROW_HEIGHT);
    let width = tech::to_micron(master.width());
    let class = match family.kind {
        Kind::Filler => "CORE SPACER",
        Kind::Tap => "CORE WELLTAP",
        Kind::Tie if family.gate == crate::cells::Gate::Tie0 => "CORE TIELOW",
        Kind::Tie => "CORE TIEHIGH",
        _ => "CORE",
    };
    writeln!(out, "MACRO {}", master.name)?;
    writeln!(out, "  CLASS {class} ;")?;
    writeln!(out, "  ORIGIN 0 0 ;")?;
    writeln!(out, "  FOREIGN {} 0 0 ;", master.name)?;
    writeln!(out, "  SIZE {width} BY {height} ;")?;
    writeln!(out, "  SYMMETRY X Y ;")?;
    writeln!(out, "  SITE {} ;", tech::SITE)?;

    let columns = usize::from(master.sites);
    let pins = family.pin_count();
    let mut used = vec![false; columns];
    for i in 0..pins {
        // Pins spread over the whole width, in pin order.
        let column = if pins == 1 { columns / 2 } else { i * (columns - 1) / (pins - 1) };
        if let Some(slot) = used.get_mut(column) {
            *slot = true;
        }
        let is_input = i < family.inputs.len();
        let name = family.pin_name(i);
        writeln!(out, "  PIN {name}")?;
        writeln!(out, "    DIRECTION {} ;", if is_input { "INPUT" } else { "OUTPUT" })?;
        let clock = family.clock_pin() == Some(i);
        writeln!(out, "    USE {} ;", if clock { "CLOCK" } else { "SIGNAL" })?;
        writeln!(out, "    PORT")?;
        writeln!(out, "      LAYER M1 ;")?;
        // Inputs cover two tracks, at alternating heights; outputs four.
        let (low, high) = match (is_input, i % 2) {
            (true, 0) => (0.55, 0.85),
            (true, _) => (0.75, 1.05),
            (false, _) => (0.35, 1.25),
        };
        bar(out, "        ", column, low, high)?;
        writeln!(out, "    END")?;
        writeln!(out, "  END {name}")?;
    }
    for (name, usage, y) in [("VDD", "POWER", height), ("VSS", "GROUND", 0.0)] {
        writeln!(out, "  PIN {name}")?;
        writeln!(out, "    DIRECTION INOUT ;")?;
        writeln!(out, "    USE {usage} ;")?;
        writeln!(out, "    SHAPE ABUTMENT ;")?;
        writeln!(out, "    PORT")?;
        writeln!(out, "      LAYER M1 ;")?;
        rect(out, "        ", [0.0, y - 0.1, width, y + 0.1])?;
        writeln!(out, "    END")?;
        writeln!(out, "  END {name}")?;
    }
    let logic = !matches!(family.kind, Kind::Filler | Kind::Tap);
    if logic && used.iter().any(|u| !u) {
        writeln!(out, "  OBS")?;
        writeln!(out, "    LAYER M1 ;")?;
        for (column, _) in used.iter().enumerate().filter(|(_, u)| !**u) {
            bar(out, "      ", column, 0.35, 1.25)?;
        }
        writeln!(out, "  END")?;
    }
    writeln!(out, "END {}\n", master.name)
}

/// A vertical bar of `M1` width on the track of `column`.
fn bar<W: Write>(out: &mut W, indent: &str, column: usize, low: f64, high: f64) -> io::Result<()> {
    let site = tech::to_micron(tech::SITE_WIDTH);
    let centre = (column as f64 + 0.5) * site;
    let half = ROUTING[0].width / 2.0;
    rect(out, indent, [centre - half, low, centre + half, high])
}

fn rect<W: Write>(out: &mut W, indent: &str, [x0, y0, x1, y1]: [f64; 4]) -> io::Result<()> {
    writeln!(out, "{indent}RECT {} {} {} {} ;", fixed(x0), fixed(y0), fixed(x1), fixed(y1))
}

/// A length rounded to 0.1 nm without trailing zeros, so that no binary noise is printed.
fn fixed(value: f64) -> f64 {
    let rounded = (value * 1e4).round() / 1e4;
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// A small capacitance as a plain decimal, since not every reader takes an exponent.
fn decimal(value: f64) -> String {
    let text = format!("{value:.9}");
    text.trim_end_matches('0').to_string()
}
