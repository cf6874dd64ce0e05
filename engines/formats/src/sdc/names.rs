//! Finding objects of the design by name or pattern.
//!
//! Brackets are part of names; `*` and `?` stay within one level of hierarchy unless nothing is
//! found so, since a flat name may itself contain the divider. A backslash protects the character
//! behind it and is otherwise not part of a name. A bus without index stands for its bits.

use std::collections::HashMap;

use cellwright_db::timing::Edge;
use cellwright_db::{CellId, Design, MasterId, MasterPinId, Owner, PinId};

use super::object::Object;
use super::tcl::glob::{self, Rules};
use super::tcl::{Meter, Res, compile_regex};

/// Kinds of objects that a name may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Port,
    Pin,
    Cell,
    Net,
    Clock,
    Lib,
    LibCell,
    LibPin,
    Design,
}

impl Kind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Kind::Port => "port",
            Kind::Pin => "pin",
            Kind::Cell => "cell",
            Kind::Net => "net",
            Kind::Clock => "clock",
            Kind::Lib => "library",
            Kind::LibCell => "library cell",
            Kind::LibPin => "library pin",
            Kind::Design => "design",
        }
    }
}

/// How to compare names.
#[derive(Clone, Debug, Default)]
pub(super) struct How {
    pub(super) hierarchical: bool,
    pub(super) nocase: bool,
    pub(super) regexp: bool,
}

/// The levels of hierarchy that cell names show: every part of a name before a `/`.
#[derive(Debug, Default)]
pub(super) struct Levels {
    names: Vec<String>,
    by_name: HashMap<String, u32>,
}

impl Levels {
    pub(super) fn of(design: &Design) -> Levels {
        let mut levels = Levels::default();
        let mut last = String::new();
        for cell in design.cells() {
            let name = design.cell_name(cell);
            let Some((path, _)) = name.rsplit_once('/') else { continue };
            if path == last {
                continue;
            }
            for (at, _) in path.match_indices('/') {
                levels.add(&path[..at]);
            }
            levels.add(path);
            last.clear();
            last.push_str(path);
        }
        levels
    }
    fn add(&mut self, name: &str) {
        if !name.is_empty() && !self.by_name.contains_key(name) {
            self.by_name.insert(name.to_owned(), self.names.len() as u32);
            self.names.push(name.to_owned());
        }
    }
    pub(super) fn name(&self, level: u32) -> &str {
        self.names.get(level as usize).map_or("", String::as_str)
    }
    /// The leaf cells below a level.
    pub(super) fn cells<'d>(
        &self,
        design: &'d Design,
        level: u32,
    ) -> impl Iterator<Item = CellId> + use<'d> {
        let prefix = format!("{}/", self.name(level));
        design.cells().filter(move |cell| design.cell_name(*cell).starts_with(&prefix))
    }
}

/// A compiled pattern.
enum Matcher {
    Glob { pattern: String, head: String, rules: Rules },
    Regex(regex::Regex),
}

impl Matcher {
    fn glob(pattern: &str, how: &How, divider: Option<u8>) -> Matcher {
        let end = pattern.find(['*', '?', '\\']).unwrap_or(pattern.len());
        let head = if how.nocase { String::new() } else { pattern[..end].to_owned() };
        let rules = Rules { sets: false, divider, nocase: how.nocase };
        Matcher::Glob { pattern: pattern.to_owned(), head, rules }
    }
    fn hits(&self, name: &str) -> bool {
        match self {
            Matcher::Glob { pattern, head, rules } => {
                name.starts_with(head.as_str()) && glob::matches(pattern, name, *rules)
            }
            Matcher::Regex(regex) => regex.is_match(name),
        }
    }
}

/// Looks names up in one design.
pub(super) struct Finder<'d> {
    pub(super) design: &'d Design,
    levels: std::cell::OnceCell<Levels>,
}

impl<'d> Finder<'d> {
    pub(super) fn new(design: &'d Design) -> Self {
        Finder { design, levels: std::cell::OnceCell::new() }
    }

    pub(super) fn levels(&self) -> &Levels {
        self.levels.get_or_init(|| Levels::of(self.design))
    }

    /// All objects of a kind that a name or pattern means, in ascending order. Clocks are not
    /// looked up here.
    pub(super) fn find(
        &self,
        kind: Kind,
        pattern: &str,
        how: &How,
        meter: &mut Meter,
    ) -> Res<Vec<Object>> {
        meter.work(100 + pattern.len() as u64)?;
        if !how.regexp && !how.nocase && !how.hierarchical && !glob::is_glob(pattern) {
            let exact = self.exact(kind, pattern);
            if !exact.is_empty() {
                return Ok(exact);
            }
            let plain = glob::plain(pattern);
            return Ok(if plain == pattern { Vec::new() } else { self.exact(kind, &plain) });
        }
        let matcher = |divider: Option<u8>, pattern: &str| match how.regexp {
            true => {
                let text = format!("^(?:{pattern})$");
                compile_regex(&text, how.nocase).map(Matcher::Regex).map_err(super::tcl::soft_error)
            }
            false => Ok(Matcher::glob(pattern, how, divider)),
        };
        if kind == Kind::Port {
            return self.scan_ports(&matcher(None, pattern)?, meter);
        }
        if matches!(kind, Kind::Lib | Kind::LibCell | Kind::LibPin) {
            return self.scan_library(kind, &matcher(Some(b'/'), pattern)?, meter);
        }
        if kind == Kind::Design {
            return Ok(Vec::new());
        }
        // First within one level of hierarchy, then across.
        let dividers: &[Option<u8>] =
            if how.regexp || how.hierarchical { &[None] } else { &[Some(b'/'), None] };
        for divider in dividers {
            let found = match kind {
                Kind::Cell => self.scan_cells(&matcher(*divider, pattern)?, how, meter)?,
                Kind::Net => self.scan_nets(&matcher(*divider, pattern)?, how, meter)?,
                Kind::Pin if how.regexp => self.scan_pins_regex(&matcher(None, pattern)?, meter)?,
                Kind::Pin => {
                    let (cells, pins) = match pattern.rsplit_once('/') {
                        Some((cells, pins)) => (cells, pins),
                        None if how.hierarchical => ("*", pattern),
                        None => return Ok(Vec::new()),
                    };
                    let pins = matcher(None, pins)?;
                    if !glob::is_glob(cells) && !how.nocase && !how.hierarchical {
                        self.pins_of_named_cell(cells, &pins)
                    } else {
                        self.scan_pins(&matcher(*divider, cells)?, &pins, how, meter)?
                    }
                }
                _ => Vec::new(),
            };
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    fn exact(&self, kind: Kind, name: &str) -> Vec<Object> {
        let design = self.design;
        match kind {
            Kind::Port => match design.find_port(name) {
                Some(port) => vec![Object::Port(port)],
                None => {
                    let of_bus = |bus: &Option<(String, i32)>| {
                        bus.as_ref().is_some_and(|(bus, _)| bus == name)
                    };
                    let ports = design.ports().iter().filter(|(_, port)| of_bus(&port.bus));
                    ports.map(|(id, _)| Object::Port(id)).collect()
                }
            },
            Kind::Cell => match design.find_cell(name) {
                Some(cell) => vec![Object::Cell(cell)],
                None => {
                    self.levels().by_name.get(name).map(|l| Object::Level(*l)).into_iter().collect()
                }
            },
            Kind::Net => design.find_net(name).map(Object::Net).into_iter().collect(),
            Kind::Pin => {
                let Some((cell, pin)) = name.rsplit_once('/') else { return Vec::new() };
                let Some(cell) = design.find_cell(cell) else { return Vec::new() };
                self.master_pins(design.master_id(cell), pin)
                    .map(|pin| Object::Pin(PinId(design.cell(cell).first_pin.0 + pin.0)))
                    .collect()
            }
            Kind::Lib => {
                let libs = design.library().timing_libs.iter().enumerate();
                libs.filter(|(_, lib)| lib.name == name)
                    .map(|(index, _)| Object::Lib(index as u32))
                    .collect()
            }
            Kind::LibCell => self.lib_cell(name).map(Object::LibCell).into_iter().collect(),
            Kind::LibPin => {
                let Some((cell, pin)) = name.rsplit_once('/') else { return Vec::new() };
                let Some(master) = self.lib_cell(cell) else { return Vec::new() };
                self.master_pins(master, pin).map(|pin| Object::LibPin(master, pin)).collect()
            }
            Kind::Clock | Kind::Design => Vec::new(),
        }
    }

    /// The pin of a name, or the bits of the bus of that name.
    pub(super) fn master_pins(
        &self,
        master: MasterId,
        name: &str,
    ) -> impl Iterator<Item = MasterPinId> + use<> {
        let Some(master) = self.design.library().masters.get(master) else {
            return Vec::new().into_iter();
        };
        let pins = match master.pin(name) {
            Some(pin) => vec![pin],
            None => {
                let bit = |pin: &str| {
                    pin.strip_prefix(name).is_some_and(|r| r.starts_with('[') && r.ends_with(']'))
                };
                let pins = master.pins.iter().enumerate().filter(|(_, pin)| bit(&pin.name));
                pins.map(|(index, _)| MasterPinId::new(index)).collect()
            }
        };
        pins.into_iter()
    }

    /// `cell` or `library/cell`.
    pub(super) fn lib_cell(&self, name: &str) -> Option<MasterId> {
        let library = self.design.library();
        if let Some(master) = library.master(name) {
            return Some(master);
        }
        let (lib, cell) = name.split_once('/')?;
        let master = library.master(cell)?;
        (lib == "*" || self.libs_of(master).any(|index| library.timing_libs[index].name == lib))
            .then_some(master)
    }

    /// The libraries that define a cell.
    pub(super) fn libs_of(&self, master: MasterId) -> impl Iterator<Item = usize> + '_ {
        let libs = self.design.library().timing_libs.iter().enumerate();
        libs.filter(move |(_, lib)| lib.cells.binary_search_by_key(&master, |c| c.master).is_ok())
            .map(|(index, _)| index)
    }

    fn scan_ports(&self, matcher: &Matcher, meter: &mut Meter) -> Res<Vec<Object>> {
        let ports = self.design.ports();
        meter.work(20 * ports.len() as u64)?;
        let hits = |port| {
            let record: &cellwright_db::records::PortRecord = &ports[port];
            matcher.hits(self.design.port_name(port))
                || record.bus.as_ref().is_some_and(|(bus, _)| matcher.hits(bus))
        };
        Ok(ports.ids().filter(|port| hits(*port)).map(Object::Port).collect())
    }

    fn scan_library(&self, kind: Kind, matcher: &Matcher, meter: &mut Meter) -> Res<Vec<Object>> {
        let library = self.design.library();
        let mut found = Vec::new();
        if kind == Kind::Lib {
            let libs = library.timing_libs.iter().enumerate();
            found.extend(
                libs.filter(|(_, l)| matcher.hits(&l.name)).map(|(i, _)| Object::Lib(i as u32)),
            );
            return Ok(found);
        }
        for (id, master) in library.masters.iter() {
            meter.work(50 + 30 * (library.timing_libs.len() + master.pins.len()) as u64)?;
            let mut paths = vec![master.name.clone()];
            for lib in self.libs_of(id) {
                paths.push(format!("{}/{}", library.timing_libs[lib].name, master.name));
            }
            if kind == Kind::LibCell {
                found.extend(paths.iter().any(|p| matcher.hits(p)).then_some(Object::LibCell(id)));
                continue;
            }
            for (index, pin) in master.pins.iter().enumerate() {
                if paths.iter().any(|path| matcher.hits(&format!("{path}/{}", pin.name))) {
                    found.push(Object::LibPin(id, MasterPinId::new(index)));
                }
            }
        }
        Ok(found)
    }

    fn scan_cells(&self, matcher: &Matcher, how: &How, meter: &mut Meter) -> Res<Vec<Object>> {
        let design = self.design;
        meter.work(20 * design.cell_slots() as u64)?;
        let hits =
            |name: &str| matcher.hits(name) || (how.hierarchical && matcher.hits(leaf(name)));
        let mut found: Vec<Object> =
            design.cells().filter(|cell| hits(design.cell_name(*cell))).map(Object::Cell).collect();
        // With -hierarchical a level counts only where no leaf cell does.
        if !how.hierarchical || found.is_empty() {
            let levels = self.levels();
            meter.work(20 * levels.names.len() as u64)?;
            let hit = levels.names.iter().enumerate().filter(|(_, name)| hits(name));
            found.extend(hit.map(|(index, _)| Object::Level(index as u32)));
        }
        Ok(found)
    }

    fn scan_nets(&self, matcher: &Matcher, how: &How, meter: &mut Meter) -> Res<Vec<Object>> {
        let design = self.design;
        meter.work(20 * design.net_slots() as u64)?;
        let hits =
            |name: &str| matcher.hits(name) || (how.hierarchical && matcher.hits(leaf(name)));
        Ok(design.nets().filter(|net| hits(design.net_name(*net))).map(Object::Net).collect())
    }

    fn pins_of_named_cell(&self, cell: &str, pins: &Matcher) -> Vec<Object> {
        let plain = glob::plain(cell);
        let found = self.design.find_cell(cell).or_else(|| self.design.find_cell(&plain));
        let mut out = Vec::new();
        if let Some(cell) = found {
            self.push_pins(cell, pins, &mut out);
        }
        out
    }

    fn push_pins(&self, cell: CellId, pins: &Matcher, out: &mut Vec<Object>) {
        let master = self.design.master(cell);
        for (pin, id) in master.pins.iter().zip(self.design.cell_pins(cell)) {
            if pins.hits(&pin.name) {
                out.push(Object::Pin(id));
            }
        }
    }

    fn scan_pins(
        &self,
        cells: &Matcher,
        pins: &Matcher,
        how: &How,
        meter: &mut Meter,
    ) -> Res<Vec<Object>> {
        let design = self.design;
        meter.work(20 * design.cell_slots() as u64)?;
        let mut out = Vec::new();
        for cell in design.cells() {
            let name = design.cell_name(cell);
            if cells.hits(name) || (how.hierarchical && cells.hits(leaf(name))) {
                meter.work(10 * design.master(cell).pins.len() as u64)?;
                self.push_pins(cell, pins, &mut out);
            }
        }
        Ok(out)
    }

    fn scan_pins_regex(&self, matcher: &Matcher, meter: &mut Meter) -> Res<Vec<Object>> {
        meter.work(100 * self.design.pin_slots() as u64)?;
        let mut out = Vec::new();
        for cell in self.design.cells() {
            for pin in self.design.cell_pins(cell) {
                if matcher.hits(&self.design.pin_name(pin)) {
                    out.push(Object::Pin(pin));
                }
            }
        }
        Ok(out)
    }

    /// Whether the object exists; a handle may be forged.
    pub(super) fn exists(&self, object: Object) -> bool {
        let design = self.design;
        match object {
            Object::Design => true,
            Object::Port(port) => design.ports().get(port).is_some(),
            Object::Pin(pin) => design.has_pin(pin),
            Object::Cell(cell) => design.has_cell(cell),
            Object::Level(level) => (level as usize) < self.levels().names.len(),
            Object::Net(net) => design.has_net(net),
            Object::Clock(_) => true,
            Object::Lib(lib) => (lib as usize) < design.library().timing_libs.len(),
            Object::LibCell(master) => design.library().masters.get(master).is_some(),
            Object::LibPin(master, pin) => {
                design.library().masters.get(master).is_some_and(|m| pin.index() < m.pins.len())
            }
        }
    }

    /// The object's full name. Clocks are not named here.
    pub(super) fn name(&self, object: Object) -> String {
        let design = self.design;
        match object {
            Object::Design => design.name().to_owned(),
            Object::Port(port) => design.port_name(port).to_owned(),
            Object::Pin(pin) => design.pin_name(pin),
            Object::Cell(cell) => design.cell_name(cell).to_owned(),
            Object::Level(level) => self.levels().name(level).to_owned(),
            Object::Net(net) => design.net_name(net).to_owned(),
            Object::Clock(_) => String::new(),
            Object::Lib(lib) => {
                design.library().timing_libs.get(lib as usize).map_or("", |l| &l.name).to_owned()
            }
            Object::LibCell(master) => {
                design.library().masters.get(master).map_or("", |m| &m.name).to_owned()
            }
            Object::LibPin(master, pin) => {
                let Some(master) = design.library().masters.get(master) else {
                    return String::new();
                };
                let pin = master.pins.get(pin.index()).map_or("", |pin| &pin.name);
                format!("{}/{pin}", master.name)
            }
        }
    }

    /// The cell and master pin of a pin; `None` for a port's.
    pub(super) fn cell_of(&self, pin: PinId) -> Option<(CellId, MasterPinId)> {
        match self.design.owner(pin) {
            Owner::Cell(cell, pin) => Some((cell, pin)),
            Owner::Port(_) => None,
        }
    }
}

/// The part of a name behind its last divider.
pub(super) fn leaf(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, leaf)| leaf)
}

/// Both edges, or the one that a choice names.
pub(super) fn only_edge(edges: [bool; 2]) -> Option<Edge> {
    match edges {
        [true, false] => Some(Edge::Rise),
        [false, true] => Some(Edge::Fall),
        _ => None,
    }
}
