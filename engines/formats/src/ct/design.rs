//! A LEF/DEF design as a macro placement case.

use cellwright_db::library::{MasterClass, PinDirection};
use cellwright_db::records::NetKind;
use cellwright_db::{self as db, DeltaError, Design, Place};
use cellwright_macros::Orient;
use cellwright_macros::netlist::{Item, Kind, Netlist, Placement, Settings, Spot};

/// The case that a design is: ports, blocks as hard macros, other cells as cells, or, where a cell
/// drives several nets, as soft macros with pins. Supplies are left out. The canvas is the die (the
/// core where there is none), shifted to the origin. Fixed cells are fixed, ports always are.
///
/// A quarter turn is taken into size and offsets, as the proxy cost does not turn outlines. The grid
/// and the routes are at their defaults.
#[must_use]
pub fn of_design(design: &Design) -> (Netlist, Placement) {
    let tech = design.tech();
    let die = match design.floorplan().die {
        die if die.is_empty() => design.core(),
        die => die,
    };
    let at = |x: i64, y: i64| {
        (tech.microns(x - i64::from(die.lo.x)), tech.microns(y - i64::from(die.lo.y)))
    };
    let (width, height) = (tech.microns(die.width()), tech.microns(die.height()));
    let mut netlist = Netlist { outline: Some((width, height)), ..Netlist::default() };
    let mut spots: Vec<Option<Spot>> = Vec::new();
    let mut item_of_pin = vec![u32::MAX; design.pin_slots()];
    for (_, port) in design.ports().iter() {
        let index = netlist.items.len() as u32;
        let mut item = Item::new(design.pin_name(port.pin), Kind::Port, index);
        item.at = port.location.map(|p| at(i64::from(p.x), i64::from(p.y)));
        spots.push(item.at.map(|(x, y)| Spot { x, y, orient: None, fixed: true }));
        item_of_pin[port.pin.index()] = index;
        netlist.items.push(item);
    }
    for cell in design.cells() {
        let (master, place) = (design.master(cell), design.place(cell));
        let pins = || {
            design
                .cell_pins(cell)
                .filter(|pin| design.pin_net(*pin).is_some_and(|net| is_signal(design, net)))
        };
        let drives = pins().filter(|p| design.pin_direction(*p) == PinDirection::Output).count();
        let kind = match master.class {
            MasterClass::Block => Kind::Hard,
            _ if drives > 1 => Kind::Soft,
            _ => Kind::Cell,
        };
        let index = netlist.items.len() as u32;
        let outline = design.outline(cell);
        let mut item = Item::new(design.cell_name(cell), kind, index);
        (item.width, item.height) = (tech.microns(outline.width()), tech.microns(outline.height()));
        // Twice the centre, so that it stays whole.
        let twice = |low: i32, high: i32| i64::from(low) + i64::from(high);
        let (cx, cy) = (twice(outline.lo.x, outline.hi.x), twice(outline.lo.y, outline.hi.y));
        if place.is_placed() {
            let origin = (2 * i64::from(die.lo.x), 2 * i64::from(die.lo.y));
            item.at = Some((tech.microns(cx - origin.0) / 2.0, tech.microns(cy - origin.1) / 2.0));
        }
        let orient: Orient = format!("{:?}", place.orient).parse().unwrap_or_default();
        let upright = orient.is_upright();
        if kind == Kind::Hard {
            item.orient = Some(if upright { orient } else { Orient::N });
        }
        // A soft macro with a master would read back as a hard one.
        item.master = (kind != Kind::Soft).then(|| master.name.clone());
        let spot =
            item.at.map(|(x, y)| Spot { x, y, orient: item.orient, fixed: place.is_fixed() });
        let turned = item.orient;
        netlist.items.push(item);
        spots.push(spot);
        for pin in pins() {
            item_of_pin[pin.index()] = index;
            if kind == Kind::Cell {
                continue;
            }
            let pin_kind = if kind == Kind::Hard { Kind::HardPin } else { Kind::SoftPin };
            let mut item = Item::new(design.pin_name(pin), pin_kind, index);
            if let Some(p) = design.pin_location(pin) {
                let (dx, dy) = (2 * i64::from(p.x) - cx, 2 * i64::from(p.y) - cy);
                // The four upright orientations are their own inverses.
                item.offset =
                    turned.unwrap_or_default().turn(tech.microns(dx) / 2.0, tech.microns(dy) / 2.0);
            }
            item_of_pin[pin.index()] = netlist.items.len() as u32;
            netlist.items.push(item);
            spots.push(None);
        }
    }
    for net in design.nets().filter(|net| is_signal(design, *net)) {
        let pins = design.net_pins(net);
        let Some(driver) = design.driver(net).or_else(|| pins.first().copied()) else { continue };
        let sinks = pins.iter().filter(|p| **p != driver).map(|p| item_of_pin[p.index()]);
        let sinks: Vec<u32> = sinks.filter(|i| *i != u32::MAX).collect();
        if let Some(item) = netlist.items.get_mut(item_of_pin[driver.index()] as usize) {
            item.sinks.extend(sinks);
        }
    }
    let settings = Settings { width, height, ..Settings::default() };
    (netlist, Placement { settings, spots })
}

/// Takes the places of a macro placement case over into the design that [`of_design`] made it of:
/// every cell that may move and whose place differs by more than half a database unit. Upright
/// orientations of hard macros are taken as well; a quarter turn of the design stays. Returns how many
/// cells moved.
///
/// # Errors
/// When a place is beyond what the design can hold.
pub fn place_design(
    design: &mut Design,
    netlist: &Netlist,
    placement: &Placement,
) -> Result<usize, DeltaError> {
    let die = match design.floorplan().die {
        die if die.is_empty() => design.core(),
        die => die,
    };
    let dbu = 1.0 / design.tech().microns(1);
    let mut moved = 0;
    for (item, spot) in netlist.items.iter().zip(&placement.spots) {
        if item.kind.is_pin() || item.kind == Kind::Port {
            continue;
        }
        let (Some(spot), Some(cell)) = (spot, design.find_cell(&item.name)) else { continue };
        let was = design.place(cell);
        if was.is_fixed() {
            continue;
        }
        // What does not fit is refused by the design itself: casts saturate.
        let at =
            |c: f64, size: f64, low: i32| ((c - size / 2.0) * dbu + f64::from(low)).round() as i32;
        let upright: Orient = format!("{:?}", was.orient).parse().unwrap_or_default();
        let orient = match spot.orient {
            Some(new) if item.kind == Kind::Hard && upright.is_upright() => match new {
                Orient::FN => db::Orient::FN,
                Orient::S => db::Orient::S,
                Orient::FS => db::Orient::FS,
                _ => db::Orient::N,
            },
            _ => was.orient,
        };
        let (x, y) = (at(spot.x, item.width, die.lo.x), at(spot.y, item.height, die.lo.y));
        if !was.is_placed() || (was.x, was.y, was.orient) != (x, y, orient) {
            design.move_cell(cell, Place::placed(x, y, orient))?;
            moved += 1;
        }
    }
    Ok(moved)
}

fn is_signal(design: &Design, net: cellwright_db::NetId) -> bool {
    matches!(design.net(net).kind, NetKind::Signal | NetKind::Clock)
}
