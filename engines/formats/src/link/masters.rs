//! Masters: the LEF macro and the Liberty cell of one name, with all signal pins of both.

use cellwright_db::library::{MasterClass, PinDirection, SupplyPin};
use cellwright_db::tech::Symmetry;
use cellwright_db::{IdVec, Master, MasterId, MasterPin};
use hashbrown::HashMap;

use super::tech::{MacroGeometry, pin_box};
use crate::liberty;

/// The masters of LEF macros and Liberty libraries: macros in their order, then the cells that
/// only Liberty knows, in order of appearance.
pub fn link(
    macros: Vec<MacroGeometry>,
    libraries: &[&liberty::Library],
) -> IdVec<MasterId, Master> {
    let mut cells: HashMap<&str, Vec<&liberty::Cell>> = HashMap::new();
    let mut order: Vec<&str> = Vec::new();
    for cell in libraries.iter().flat_map(|library| &library.cells) {
        let views = cells.entry(&cell.name).or_default();
        if views.is_empty() {
            order.push(&cell.name);
        }
        views.push(cell);
    }
    let mut masters: IdVec<MasterId, Master> = IdVec::new();
    let mut with_geometry: HashMap<String, ()> = HashMap::new();
    for geometry in macros {
        let views = cells.get(geometry.name.as_str()).map_or(&[][..], |views| views);
        with_geometry.insert(geometry.name.clone(), ());
        masters.push(link_master(geometry, true, views));
    }
    for name in order {
        if with_geometry.contains_key(name) {
            continue;
        }
        let views = cells.get(name).map_or(&[][..], |views| views);
        let is_macro = views.iter().any(|cell| cell.is_macro || cell.is_memory);
        let geometry = MacroGeometry {
            name: name.to_owned(),
            class: if is_macro { MasterClass::Block } else { MasterClass::Core },
            size: (0, 0),
            site: None,
            symmetry: Symmetry::default(),
            pins: Vec::new(),
            obstructions: Vec::new(),
            edge_types: None,
        };
        masters.push(link_master(geometry, false, views));
    }
    masters
}

fn link_master(geometry: MacroGeometry, has_geometry: bool, views: &[&liberty::Cell]) -> Master {
    let mut supplies = Vec::new();
    let mut pins: Vec<MasterPin> = Vec::new();
    for pin in geometry.pins {
        // A pin that Liberty calls a signal is one, whatever LEF's USE says.
        let is_signal = views.iter().any(|cell| cell.pins.iter().any(|p| p.name == pin.name));
        match pin.rail {
            Some(rail) if !is_signal => {
                supplies.push(SupplyPin { name: pin.name, rail, shapes: pin.shapes });
            }
            _ => {
                let is_supply =
                    views.iter().any(|cell| cell.pg_pins.iter().any(|p| p.name == pin.name));
                if is_supply {
                    continue;
                }
                let (bbox, offset) = pin_box(&pin.shapes, geometry.size);
                pins.push(MasterPin {
                    name: pin.name,
                    direction: pin.direction,
                    is_clock: pin.is_clock,
                    shapes: pin.shapes,
                    bbox,
                    offset,
                });
            }
        }
    }
    // Names first seen in Liberty are appended; an index by name keeps wide macros linear.
    let mut known: HashMap<String, usize> =
        pins.iter().enumerate().map(|(index, pin)| (pin.name.clone(), index)).collect();
    for pin in views.iter().flat_map(|cell| &cell.pins) {
        let direction = match pin.direction {
            liberty::Direction::Input => PinDirection::Input,
            liberty::Direction::Output => PinDirection::Output,
            liberty::Direction::Inout => PinDirection::Inout,
            liberty::Direction::Internal => continue,
        };
        let index = *known.entry(pin.name.clone()).or_insert_with(|| {
            let (bbox, offset) = pin_box(&[], geometry.size);
            pins.push(MasterPin {
                name: pin.name.clone(),
                direction,
                is_clock: false,
                shapes: Vec::new(),
                bbox,
                offset,
            });
            pins.len() - 1
        });
        pins[index].direction = direction;
        pins[index].is_clock |= pin.is_clock;
    }
    pins.sort_by(|a, b| a.name.cmp(&b.name));
    pins.dedup_by(|a, b| a.name == b.name);
    Master {
        name: geometry.name,
        class: geometry.class,
        width: geometry.size.0,
        height: geometry.size.1,
        site: geometry.site,
        symmetry: geometry.symmetry,
        pins,
        supplies,
        obstructions: geometry.obstructions,
        edge_types: geometry.edge_types,
        has_geometry,
        function_class: 0,
    }
}
