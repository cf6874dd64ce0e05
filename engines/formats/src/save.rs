//! Writes a design: DEF as an edit of the DEF that it was read from, and flat Verilog.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use cellwright_db::library::PinDirection;
use cellwright_db::records::NetKind;
use cellwright_db::{CellId, Design, NetId, Owner, PinId, PlaceStatus, PortId};
use hashbrown::HashMap;

use crate::def::{
    self, ComponentEdit, Connection, Edit, NetEdit, NewComponent, NewNet, Placement, Status,
};
use crate::lef;
use crate::link::netlist::CONSTANTS;
use crate::load::Loaded;
use crate::text::{FormatError, Problems, open};
use crate::verilog::{
    FlatNetlistView, NetRef, PortDirection, PortView, Tie, VectorPort, write_verilog,
};

fn orient(orient: cellwright_db::Orient) -> lef::Orient {
    use cellwright_db::Orient;
    match orient {
        Orient::N => lef::Orient::N,
        Orient::S => lef::Orient::S,
        Orient::W => lef::Orient::W,
        Orient::E => lef::Orient::E,
        Orient::FN => lef::Orient::FN,
        Orient::FS => lef::Orient::FS,
        Orient::FW => lef::Orient::FW,
        Orient::FE => lef::Orient::FE,
    }
}

fn placement(design: &Design, cell: CellId) -> Placement {
    let place = design.place(cell);
    let status = match place.status {
        PlaceStatus::Unplaced => Status::Unplaced,
        PlaceStatus::Placed => Status::Placed,
        PlaceStatus::Fixed => Status::Fixed,
        PlaceStatus::Cover => Status::Cover,
    };
    Placement { point: def::Point { x: place.x, y: place.y }, status, orient: orient(place.orient) }
}

/// Writes a file whole or not at all.
fn whole(
    path: &Path,
    write: impl FnOnce(&mut io::BufWriter<fs::File>) -> io::Result<()>,
) -> Result<(), FormatError> {
    let name = path.display().to_string();
    let failed = |error: io::Error| {
        FormatError::whole_file(&name, error.to_string(), "choose a place that can be written to")
    };
    let part = path.with_extension("part");
    let done = (|| {
        let mut file = io::BufWriter::new(fs::File::create(&part)?);
        write(&mut file)?;
        file.flush()?;
        fs::rename(&part, path)
    })();
    if done.is_err() {
        // What was begun must not lie around; the first error is the one to tell.
        let _ = fs::remove_file(&part);
    }
    done.map_err(failed)
}

/// Special characters that DEF names need a backslash before: the file's divider and bus brackets
/// stand for structure, and a flat name must not read as structure.
const SPECIAL: &str = "";

/// Writes the design as the DEF that the bundle was read from, with places, masters, cells and nets
/// as they are now and everything else as it was. Instances keep the spelling of the file.
///
/// # Errors
/// [`FormatError`] when the bundle has no DEF, or a file cannot be read or written.
pub fn write_def(loaded: &Loaded, design: &Design, path: &Path) -> Result<(), FormatError> {
    let Some(original) = &loaded.bundle.def else {
        return Err(FormatError::whole_file(
            loaded.bundle.file.display().to_string(),
            "the bundle has no DEF to write the places into",
            "name a floorplanned DEF in the bundle",
        ));
    };
    let source = open(loaded.bundle.path(original))?;
    let file = def::parse(&source, &mut Problems::new())?;
    let mut edit = Edit::default();
    let mut known: HashMap<CellId, &str> = HashMap::new();
    for (index, component) in file.components.iter().enumerate() {
        let Some(cell) = design.find_cell(&def::unescape(component.name)) else {
            edit.components.insert(index, ComponentEdit::Remove);
            continue;
        };
        known.insert(cell, component.name);
        let master = design.master(cell).name.as_str();
        let now = placement(design, cell);
        // Two ways of saying "nowhere" are no difference.
        let somewhere = now.status != Status::Unplaced || component.placement.status.has_position();
        let moved = somewhere && now != component.placement;
        let resized = master != component.master;
        if moved || resized {
            edit.components.insert(
                index,
                ComponentEdit::Change {
                    master: resized.then_some(master),
                    placement: moved.then_some(now),
                },
            );
        }
    }
    let new_names: Vec<(CellId, String)> = design
        .cells()
        .filter(|cell| !known.contains_key(cell))
        .map(|cell| (cell, def::escape(design.cell_name(cell), SPECIAL).into_owned()))
        .collect();
    for (cell, name) in &new_names {
        edit.new_components.push(NewComponent {
            name,
            master: &design.master(*cell).name,
            placement: placement(design, *cell),
        });
    }
    let mut names = known;
    names.extend(new_names.iter().map(|(cell, name)| (*cell, name.as_str())));
    let new_net_names = edit_nets(&file, design, &names, &mut edit);
    for (net, name) in &new_net_names {
        let connections = connections(design, *net, &names);
        edit.new_nets.push(NewNet { name, connections, usage: None });
    }
    whole(path, |out| edit.write(&file, out).map_err(|error| io::Error::other(error.to_string())))
}

/// Nets whose pins are not those of the file, and the names of nets that the file does not have.
fn edit_nets<'e>(
    file: &def::DefFile<'e>,
    design: &'e Design,
    names: &HashMap<CellId, &'e str>,
    edit: &mut Edit<'e>,
) -> Vec<(NetId, String)> {
    let mut seen: HashMap<NetId, ()> = HashMap::new();
    for (index, net) in file.nets.iter().enumerate() {
        let Some(id) = design.find_net(&def::unescape(net.name)) else {
            edit.nets.insert(index, NetEdit::Remove);
            continue;
        };
        seen.insert(id, ());
        let mut was: Vec<(String, String)> = file
            .connections(net)
            .map(|c| (def::unescape(c.component).into_owned(), def::unescape(c.pin).into_owned()))
            .collect();
        let now = connections(design, id, names);
        let mut is: Vec<(String, String)> = now
            .iter()
            .map(|c| (def::unescape(c.component).into_owned(), def::unescape(c.pin).into_owned()))
            .collect();
        was.sort_unstable();
        is.sort_unstable();
        if was != is {
            edit.nets.insert(index, NetEdit::Change { connections: now, drop_wiring: true });
        }
    }
    let special: HashMap<String, ()> =
        file.special_nets.iter().map(|net| (def::unescape(net.name).into_owned(), ())).collect();
    design
        .nets()
        .filter(|net| !seen.contains_key(net))
        .filter(|net| {
            design.net(*net).kind.is_routed() && !special.contains_key(design.net_name(*net))
        })
        .filter(|net| !design.net_pins(*net).is_empty() && file_has_nets(file))
        .map(|net| (net, def::escape(design.net_name(net), SPECIAL).into_owned()))
        .collect()
}

/// A DEF without any net is a floorplan only; it stays one.
fn file_has_nets(file: &def::DefFile<'_>) -> bool {
    !file.nets.is_empty()
}

fn connections<'e>(
    design: &'e Design,
    net: NetId,
    names: &HashMap<CellId, &'e str>,
) -> Vec<Connection<'e>> {
    let mut list = Vec::new();
    for &pin in design.net_pins(net) {
        let (component, pin) = match design.owner(pin) {
            Owner::Cell(cell, number) => {
                let Some(name) = names.get(&cell) else { continue };
                (*name, design.master(cell).pins[number.index()].name.as_str())
            }
            Owner::Port(port) => ("PIN", design.port_name(port)),
        };
        list.push(Connection { component, pin, synthesized: false });
    }
    list
}

/// A design as the Verilog writer sees it: living objects, numbered anew.
struct View<'a> {
    design: &'a Design,
    cells: Vec<CellId>,
    nets: Vec<NetId>,
    number: Vec<Option<NetRef>>,
}

impl<'a> View<'a> {
    fn new(design: &'a Design) -> Self {
        let mut number = vec![None; design.net_slots()];
        let mut nets = Vec::new();
        for net in design.nets() {
            number[net.index()] = Some(match design.net_name(net) {
                name if name == CONSTANTS[0] => NetRef::CONST0,
                name if name == CONSTANTS[1] => NetRef::CONST1,
                _ => {
                    nets.push(net);
                    NetRef::net((nets.len() - 1) as u32)
                }
            });
        }
        View { design, cells: design.cells().collect(), nets, number }
    }
    fn net_of(&self, pin: PinId) -> Option<NetRef> {
        self.design.pin_net(pin).and_then(|net| self.number[net.index()])
    }
}

impl FlatNetlistView for View<'_> {
    fn module_name(&self) -> &str {
        self.design.name()
    }
    fn port_count(&self) -> usize {
        self.design.ports().len()
    }
    fn port(&self, index: usize) -> Option<PortView<'_>> {
        let id = PortId::new(index);
        let port = self.design.ports().get(id)?;
        Some(PortView {
            name: self.design.port_name(id),
            direction: match port.direction {
                PinDirection::Input => PortDirection::Input,
                PinDirection::Output => PortDirection::Output,
                PinDirection::Inout | PinDirection::Unknown => PortDirection::Inout,
            },
            net: self.net_of(port.pin),
            bus: port.bus.as_ref().map(|(name, bit)| (name.as_str(), *bit)),
        })
    }
    fn net_count(&self) -> usize {
        self.nets.len()
    }
    fn net_name(&self, net: usize) -> &str {
        self.nets.get(net).map_or("", |net| self.design.net_name(*net))
    }
    fn net_tie(&self, net: usize) -> Option<Tie> {
        match self.design.net(*self.nets.get(net)?).kind {
            NetKind::Ground => Some(Tie::Zero),
            NetKind::Power => Some(Tie::One),
            NetKind::Signal | NetKind::Clock => None,
        }
    }
    fn master_count(&self) -> usize {
        self.design.library().masters.len()
    }
    fn master_name(&self, master: usize) -> &str {
        let id = cellwright_db::MasterId::new(master);
        self.design.library().masters.get(id).map_or("", |master| &master.name)
    }
    fn master_vectors(&self, master: usize) -> Vec<VectorPort> {
        let Some(master) = self.design.library().masters.get(cellwright_db::MasterId::new(master))
        else {
            return Vec::new();
        };
        let mut buses: Vec<(String, Vec<(i32, String)>)> = Vec::new();
        for pin in &master.pins {
            let Some((bus, bit)) = bus_bit(&pin.name) else { continue };
            match buses.last_mut().filter(|(name, _)| name == bus) {
                Some((_, bits)) => bits.push((bit, pin.name.clone())),
                None => buses.push((bus.to_owned(), vec![(bit, pin.name.clone())])),
            }
        }
        buses
            .into_iter()
            .map(|(name, mut bits)| {
                bits.sort_unstable_by_key(|(bit, _)| std::cmp::Reverse(*bit));
                VectorPort { name, pins: bits.into_iter().map(|(_, pin)| pin).collect() }
            })
            .collect()
    }
    fn instance_count(&self) -> usize {
        self.cells.len()
    }
    fn instance_name(&self, instance: usize) -> &str {
        self.cells.get(instance).map_or("", |cell| self.design.cell_name(*cell))
    }
    fn instance_master(&self, instance: usize) -> usize {
        self.cells.get(instance).map_or(0, |cell| self.design.master_id(*cell).index())
    }
    fn for_each_connection(&self, instance: usize, each: &mut dyn FnMut(&str, NetRef)) {
        let Some(&cell) = self.cells.get(instance) else { return };
        let pins = &self.design.master(cell).pins;
        for (pin, id) in pins.iter().zip(self.design.cell_pins(cell)) {
            if let Some(net) = self.net_of(id) {
                each(&pin.name, net);
            }
        }
    }
}

fn bus_bit(name: &str) -> Option<(&str, i32)> {
    let (bus, rest) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((bus, rest.parse().ok()?))
}

/// Writes the design as flat structural Verilog.
///
/// # Errors
/// [`FormatError`] when the file cannot be written.
pub fn write_netlist(design: &Design, path: &Path) -> Result<(), FormatError> {
    whole(path, |out| write_verilog(&View::new(design), out))
}
