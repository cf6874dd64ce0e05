//! DEF 5.8 writer: a floorplanned design whose components are not placed.

use std::io::{self, Write};

use crate::floorplan::{Floorplan, PIN_DEPTH, Side};
use crate::names::{Names, port_bit};
use crate::netlist::{Direction, NetId};
use crate::tech::{self, ROUTING, ROW_HEIGHT, SITE_WIDTH};

/// Writes the design.
pub fn write<W: Write>(out: &mut W, names: &Names<'_>, plan: &Floorplan) -> io::Result<()> {
    let n = names.netlist();
    writeln!(out, "# {}: written by cellwright-designs.", n.name)?;
    writeln!(out, "VERSION 5.8 ;")?;
    writeln!(out, "DIVIDERCHAR \"/\" ;")?;
    writeln!(out, "BUSBITCHARS \"[]\" ;")?;
    writeln!(out, "DESIGN {} ;", n.name)?;
    writeln!(out, "TECHNOLOGY {} ;", tech::NAME)?;
    writeln!(out, "UNITS DISTANCE MICRONS {} ;", tech::DBU_PER_MICRON)?;
    writeln!(out, "DIEAREA ( 0 0 ) ( {} {} ) ;", plan.die.0, plan.die.1)?;
    for row in 0..plan.rows {
        let orient = if row % 2 == 0 { "N" } else { "FS" };
        writeln!(
            out,
            "ROW ROW_{row} {} {} {} {orient} DO {} BY 1 STEP {SITE_WIDTH} 0 ;",
            tech::SITE,
            plan.core.0,
            plan.core.1 + row * ROW_HEIGHT,
            plan.sites
        )?;
    }
    for layer in &ROUTING {
        let pitch = layer.pitch_dbu();
        for (axis, size, direction) in [
            ("X", plan.die.0, tech::Direction::Vertical),
            ("Y", plan.die.1, tech::Direction::Horizontal),
        ] {
            let offset = tech::to_dbu(crate::lef::offset(direction));
            let count = (size - offset) / pitch + 1;
            writeln!(out, "TRACKS {axis} {offset} DO {count} STEP {pitch} LAYER {} ;", layer.name)?;
        }
    }
    writeln!(out, "COMPONENTS {} ;", n.cell_count())?;
    for cell in n.cells() {
        write!(out, "- ")?;
        names.cell(out, cell)?;
        writeln!(out, " {} + UNPLACED ;", n.master(cell).name)?;
    }
    writeln!(out, "END COMPONENTS")?;
    pins(out, names, plan)?;
    writeln!(out, "SPECIALNETS 2 ;")?;
    writeln!(out, "- VDD ( * VDD ) + USE POWER ;")?;
    writeln!(out, "- VSS ( * VSS ) + USE GROUND ;")?;
    writeln!(out, "END SPECIALNETS")?;
    nets(out, names)?;
    writeln!(out, "END DESIGN")
}

fn pins<W: Write>(out: &mut W, names: &Names<'_>, plan: &Floorplan) -> io::Result<()> {
    let n = names.netlist();
    writeln!(out, "PINS {} ;", plan.pins.len())?;
    let half = tech::to_dbu(ROUTING[1].width) / 2;
    let mut places = plan.pins.iter();
    for port in &n.ports {
        let direction = match port.direction {
            Direction::Input => "INPUT",
            Direction::Output => "OUTPUT",
        };
        for (bit, (net, place)) in port.bits.iter().zip(&mut places).enumerate() {
            write!(out, "- ")?;
            port_bit(out, port, bit)?;
            write!(out, " + NET ")?;
            names.net(out, *net)?;
            let clock = Some(*net) == n.clock;
            let usage = if clock { "CLOCK" } else { "SIGNAL" };
            write!(out, " + DIRECTION {direction} + USE {usage}")?;
            // Vertical wires meet the lower and upper side, horizontal ones the left and right.
            let (layer, low, high) = match place.side {
                Side::South => ("M2", (-half, 0), (half, PIN_DEPTH)),
                Side::North => ("M2", (-half, -PIN_DEPTH), (half, 0)),
                Side::West => ("M3", (0, -half), (PIN_DEPTH, half)),
                Side::East => ("M3", (-PIN_DEPTH, -half), (0, half)),
            };
            writeln!(
                out,
                " + LAYER {layer} ( {} {} ) ( {} {} ) + PLACED ( {} {} ) N ;",
                low.0, low.1, high.0, high.1, place.x, place.y
            )?;
        }
    }
    writeln!(out, "END PINS")
}

fn nets<W: Write>(out: &mut W, names: &Names<'_>) -> io::Result<()> {
    let n = names.netlist();
    let drivers = n.drivers();
    let sinks = n.sinks();
    // Port bits of each net: a net has at most one.
    let mut port_of = vec![None; n.net_count()];
    for port in &n.ports {
        for (bit, net) in port.bits.iter().enumerate() {
            port_of[net.index()] = Some((port, bit));
        }
    }
    let named = (2..n.net_count() as u32)
        .map(NetId)
        .filter(|net| drivers[net.index()] != crate::netlist::Driver::None);
    writeln!(out, "NETS {} ;", named.clone().count())?;
    for net in named {
        write!(out, "- ")?;
        names.net(out, net)?;
        if let Some((port, bit)) = port_of[net.index()] {
            write!(out, " ( PIN ")?;
            port_bit(out, port, bit)?;
            write!(out, " )")?;
        }
        if let crate::netlist::Driver::Pin(cell, pin) = drivers[net.index()] {
            write!(out, " ( ")?;
            names.cell(out, cell)?;
            let place = (pin - n.first_pin(cell)) as usize;
            write!(out, " {} )", n.family(cell).pin_name(place))?;
        }
        for (k, (cell, pin)) in sinks.of(net).iter().enumerate() {
            // Long lines are legal but hard to read.
            if k % 8 == 7 {
                write!(out, "\n ")?;
            }
            write!(out, " ( ")?;
            names.cell(out, *cell)?;
            write!(out, " {} )", n.family(*cell).pin_name(usize::from(*pin)))?;
        }
        let clock = Some(net) == n.clock;
        writeln!(out, " + USE {} ;", if clock { "CLOCK" } else { "SIGNAL" })?;
    }
    writeln!(out, "END NETS")
}
