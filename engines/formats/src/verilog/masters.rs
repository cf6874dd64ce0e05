//! What flattening must know of the cells at the leaves.

use crate::liberty::{Direction, Library};
use std::collections::HashMap;

/// Which way a port of a module or a cell faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PortDirection {
    /// Into the module.
    Input,
    /// Out of the module.
    Output,
    /// Both ways.
    Inout,
}

/// A port of a library cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafPort {
    /// Its name as a connection gives it.
    pub name: String,
    /// Which way it faces; `None` for power, ground and wells.
    pub direction: Option<PortDirection>,
    /// Its pins from the most significant bit to the least; a port that is no bus has one pin of
    /// its own name.
    pub pins: Vec<String>,
}

/// A source of library cells.
pub trait LeafMasters {
    /// The ports of a cell in the order that connections by position follow; `None` if there is no
    /// such cell. Asked once per cell name of a design.
    fn ports(&self, master: &str) -> Option<Vec<LeafPort>>;
}

/// No cells at all: every instance that is no module becomes a black box.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoMasters;

impl LeafMasters for NoMasters {
    fn ports(&self, _: &str) -> Option<Vec<LeafPort>> {
        None
    }
}

/// The cells of Liberty libraries; of cells with one name the first library's counts.
#[derive(Debug)]
pub struct LibraryMasters<'l> {
    libraries: Vec<&'l Library>,
    cells: HashMap<&'l str, (usize, usize)>,
}

impl<'l> LibraryMasters<'l> {
    /// The cells of some libraries.
    #[must_use]
    pub fn new(libraries: impl IntoIterator<Item = &'l Library>) -> Self {
        let libraries: Vec<&Library> = libraries.into_iter().collect();
        let mut cells = HashMap::new();
        for (l, library) in libraries.iter().enumerate() {
            for (c, cell) in library.cells.iter().enumerate() {
                cells.entry(cell.name.as_str()).or_insert((l, c));
            }
        }
        Self { libraries, cells }
    }
}

impl LeafMasters for LibraryMasters<'_> {
    fn ports(&self, master: &str) -> Option<Vec<LeafPort>> {
        let &(l, c) = self.cells.get(master)?;
        let cell = self.libraries.get(l)?.cells.get(c)?;
        let mut ports = Vec::new();
        let mut done = vec![false; cell.buses.len()];
        for pin in &cell.pins {
            let direction = match pin.direction {
                Direction::Input => PortDirection::Input,
                Direction::Output => PortDirection::Output,
                Direction::Inout => PortDirection::Inout,
                // A node inside the cell has no connection.
                Direction::Internal => continue,
            };
            let bus = pin.bus.and_then(|b| cell.buses.get(b as usize).map(|bus| (b as usize, bus)));
            if let Some((index, bus)) = bus {
                if !std::mem::replace(&mut done[index], true) {
                    let pins = bus.pins.iter().filter_map(|&p| cell.pins.get(p as usize));
                    ports.push(LeafPort {
                        name: bus.name.clone(),
                        direction: Some(direction),
                        pins: pins.map(|p| p.name.clone()).collect(),
                    });
                }
                // The members of a bundle also have names of their own.
                if bus.range.is_some() {
                    continue;
                }
            }
            ports.push(LeafPort {
                name: pin.name.clone(),
                direction: Some(direction),
                pins: vec![pin.name.clone()],
            });
        }
        for pin in &cell.pg_pins {
            ports.push(LeafPort {
                name: pin.name.clone(),
                direction: None,
                pins: vec![pin.name.clone()],
            });
        }
        Some(ports)
    }
}
