//! Matching a file's nets with a design's, and telling how well that went.

use std::collections::HashMap;

use cellwright_db::records::NetKind;
use cellwright_db::{Design, NetId, PinId};
use cellwright_sta::parasitics::{RcNet, RcNode};

use super::names::{Names, Style};
use super::parse::{Cap, Header, NetSection, Value, Visitor, parse};
use super::stitch::Grown;
use crate::text::{FormatError, Problems, Severity, Source};

/// Which of `min:typ:max` to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(usize)]
pub enum Triplet {
    /// The first.
    Min = 0,
    /// The second.
    #[default]
    Typ = 1,
    /// The third.
    Max = 2,
}

/// How well files and design agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnnotationReport {
    /// Nets in the files.
    pub nets_read: usize,
    /// Nets of the design that have a network.
    pub nets_annotated: usize,
    /// Nets of the files that the design does not have, the first few by name.
    pub unknown_nets: (usize, Vec<String>),
    /// Connections of the files whose pin the design does not have, the first few by name.
    pub unknown_pins: (usize, Vec<String>),
    /// Connections whose pin is on another net in the design, the first few by name.
    pub strayed_pins: (usize, Vec<String>),
    /// Drivers (output pins of cells, input ports) whose net has no network, unconnected ones
    /// included.
    pub unannotated_drivers: Vec<PinId>,
    /// Drivers whose net has a network that does not reach all their loads, with the number of
    /// loads left out.
    pub partial_drivers: Vec<(PinId, usize)>,
}

/// How many names of a kind the report keeps.
const EXAMPLES: usize = 20;

fn note(list: &mut (usize, Vec<String>), name: &str) {
    list.0 += 1;
    if list.1.len() < EXAMPLES {
        list.1.push(name.to_owned());
    }
}

/// Collects the networks of one or several files for one design.
///
/// Files of modules are read with the path of their instance. Networks of one net from different
/// levels are joined where they name the same pin or border. A file that is read a second time
/// replaces what it said the first time.
pub struct SpefLinker<'d> {
    design: &'d Design,
    names: Names<'d>,
    triplet: Triplet,
    grown: Vec<Grown>,
    by_net: HashMap<NetId, usize>,
    prefixes: Vec<String>,
    reads: u32,
    report: AnnotationReport,
}

impl<'d> SpefLinker<'d> {
    /// A linker without any network yet.
    #[must_use]
    pub fn new(design: &'d Design, triplet: Triplet) -> Self {
        SpefLinker {
            design,
            names: Names::new(design),
            triplet,
            grown: Vec::new(),
            by_net: HashMap::new(),
            prefixes: Vec::new(),
            reads: 0,
            report: AnnotationReport::default(),
        }
    }

    /// Reads a file; `path` is the instance that it describes, empty for the whole design.
    ///
    /// # Errors
    /// As [`parse`]; what was read before the error is lost.
    pub fn read(
        &mut self,
        source: &Source,
        path: &str,
        problems: &mut Problems,
    ) -> Result<(), FormatError> {
        let path = path.trim_end_matches('/');
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        let index = match self.prefixes.iter().position(|known| *known == prefix) {
            Some(index) => index,
            None => {
                self.prefixes.push(prefix.clone());
                self.prefixes.len() - 1
            }
        };
        self.reads += 1;
        let mut reading = Reading {
            read: (self.reads, index as u32),
            style: Style { divider: '/', delimiter: ':', bus: ('[', Some(']')), prefix },
            scale: (1.0, 1.0),
            nodes: HashMap::new(),
            pins: HashMap::new(),
            borders: Vec::new(),
            inner: 0,
            linker: self,
            source,
            problems: Problems::new(),
        };
        // Problems of linking are merged below; those of the grammar go straight in.
        let result = parse(source, problems, &mut reading);
        let found = reading.problems;
        problems.merge(found);
        result
    }

    /// The networks, in ascending order of their nets, and how well the files fit.
    #[must_use]
    pub fn finish(self) -> (Vec<RcNet>, AnnotationReport) {
        let mut nets: Vec<RcNet> = self.grown.into_iter().map(|grown| grown.net).collect();
        nets.sort_by_key(|net| net.net);
        let mut report = self.report;
        report.nets_annotated = nets.len();
        cover(self.design, &nets, &mut report);
        for net in &mut nets {
            list_pins(self.design, net);
        }
        (nets, report)
    }

    fn add(&mut self, net: RcNet, borders: &[(String, u32)], read: (u32, u32)) {
        let Some(&index) = self.by_net.get(&net.net) else {
            self.by_net.insert(net.net, self.grown.len());
            self.grown.push(Grown { net, borders: borders.to_vec(), reads: vec![read] });
            return;
        };
        let grown = &mut self.grown[index];
        // The same place of the hierarchy, read again: the new file replaces the old one.
        let again = grown.reads.iter().any(|old| old.1 == read.1 && old.0 != read.0);
        if again {
            *grown = Grown { net, borders: borders.to_vec(), reads: vec![read] };
            return;
        }
        grown.merge(&net, borders);
        if !grown.reads.contains(&read) {
            grown.reads.push(read);
        }
    }
}

/// Lists every pin of the net as a node, without capacitance and resistors where the file has none:
/// so a pin that the extractor left out can be told from one that is connected later.
fn list_pins(design: &Design, net: &mut RcNet) {
    let mut known: Vec<PinId> = net.pins().collect();
    known.sort_unstable();
    for &pin in design.net_pins(net.net) {
        if known.binary_search(&pin).is_err() {
            net.nodes.push(RcNode::Pin(pin));
            net.cap.push(0.0);
        }
    }
}

/// Fills in which drivers are annotated, fully or partly.
fn cover(design: &Design, nets: &[RcNet], report: &mut AnnotationReport) {
    let at: HashMap<NetId, usize> =
        nets.iter().enumerate().map(|(index, net)| (net.net, index)).collect();
    let mut reached = vec![false; design.pin_slots()];
    for net in nets {
        for node in &net.nodes {
            if let RcNode::Pin(pin) = node {
                reached[pin.index()] = true;
            }
        }
    }
    for pin in (0..design.pin_slots()).map(PinId::new) {
        if !design.has_pin(pin) || !design.pin_direction(pin).drives() {
            continue;
        }
        let net = design.pin_net(pin);
        if net.is_some_and(|net| matches!(design.net(net).kind, NetKind::Power | NetKind::Ground)) {
            continue;
        }
        let Some(net) = net.filter(|net| at.contains_key(net)) else {
            report.unannotated_drivers.push(pin);
            continue;
        };
        let loads = design.net_pins(net).iter().filter(|load| {
            **load != pin && design.pin_direction(**load).loads() && !reached[load.index()]
        });
        let missing = loads.count();
        if missing > 0 || !reached[pin.index()] {
            report.partial_drivers.push((pin, missing));
        }
    }
}

/// Reads files and links them: each with the path of the instance that it describes.
///
/// # Errors
/// The first file that cannot be read.
pub fn read_spef(
    design: &Design,
    files: &[(&Source, &str)],
    triplet: Triplet,
    problems: &mut Problems,
) -> Result<(Vec<RcNet>, AnnotationReport), FormatError> {
    let mut linker = SpefLinker::new(design, triplet);
    for (source, path) in files {
        linker.read(source, path, problems)?;
    }
    Ok(linker.finish())
}

/// One file being read.
struct Reading<'a, 'l, 'd> {
    linker: &'l mut SpefLinker<'d>,
    source: &'a Source,
    problems: Problems,
    style: Style,
    /// pF and kΩ per unit of the file.
    scale: (f64, f64),
    read: (u32, u32),
    /// Nodes of the present net by the word that names them.
    nodes: HashMap<&'a str, u32>,
    pins: HashMap<PinId, u32>,
    borders: Vec<(String, u32)>,
    inner: u32,
}

/// What a word names, seen from one net.
enum Found {
    /// A pin of the net.
    Pin(PinId),
    /// A node inside the net, with the name of a border of a module if it may be one.
    Inside(u32, Option<String>),
}

impl<'a> Reading<'a, '_, '_> {
    /// The pin that a word names.
    fn pin(&self, header: &Header<'a>, word: &'a str) -> Option<PinId> {
        let (base, rest) = header.expand(word);
        let names = &self.linker.names;
        match rest.strip_prefix(self.style.delimiter) {
            Some(pin) => names.pin(&self.style, base, pin),
            None if rest.is_empty() => names.port(&self.style, base).or_else(|| {
                let (cell, pin) = self.style.split(base)?;
                names.pin(&self.style, cell, pin)
            }),
            // A bit of a mapped bus, perhaps with a pin behind it.
            None => {
                let whole = format!("{base}{rest}");
                names.port(&self.style, &whole).or_else(|| {
                    let (cell, pin) = self.style.split(&whole)?;
                    names.pin(&self.style, cell, pin)
                })
            }
        }
    }

    /// Instance and pin of a word, or an empty instance for a port.
    fn parts(&self, header: &Header<'a>, word: &'a str) -> (String, String) {
        let (base, rest) = header.expand(word);
        let whole = format!("{base}{rest}");
        match self.style.split(&whole) {
            Some((cell, pin)) => (cell.to_owned(), pin.to_owned()),
            None => (String::new(), whole),
        }
    }

    fn net_of(&mut self, header: &Header<'a>, section: &NetSection<'a>) -> Option<NetId> {
        let design = self.linker.design;
        let (base, rest) = header.expand(section.name);
        let by_name = if rest.is_empty() {
            self.linker.names.net(&self.style, base)
        } else {
            self.linker.names.net(&self.style, &format!("{base}{rest}"))
        };
        // A net may have another name in the design: of the level above, or of an assignment.
        by_name.or_else(|| {
            let words = section.conns.iter().map(|conn| conn.name);
            let words = words.chain(section.pis.iter().map(|(driver, ..)| *driver));
            words.filter_map(|word| self.pin(header, word)).find_map(|pin| design.pin_net(pin))
        })
    }

    fn find(&self, header: &Header<'a>, net: NetId, word: &'a str, conn: char) -> (Found, bool) {
        let pin = self.pin(header, word);
        let on_net = pin.filter(|pin| self.linker.design.pin_net(*pin) == Some(net));
        if let Some(pin) = on_net {
            return (Found::Pin(pin), false);
        }
        let (cell, name) = self.parts(header, word);
        let number = name.parse().unwrap_or(self.inner);
        // A connection that is no pin of the design may be a border between modules.
        let border = match conn {
            'I' => pin.is_none().then(|| Names::path(&self.style, &cell, &name)),
            'P' if !self.style.prefix.is_empty() => Some(Names::path(&self.style, &cell, &name)),
            _ => None,
        };
        (Found::Inside(number, border), pin.is_some())
    }

    fn node(&mut self, header: &Header<'a>, rc: &mut RcNet, word: &'a str, conn: char) -> u32 {
        if let Some(&node) = self.nodes.get(word) {
            return node;
        }
        let (found, strayed) = self.find(header, rc.net, word, conn);
        let next = rc.nodes.len() as u32;
        let node = match &found {
            Found::Pin(pin) => self.pins.get(pin).copied().unwrap_or(next),
            Found::Inside(..) => next,
        };
        if node == next {
            match found {
                Found::Pin(pin) => {
                    self.pins.insert(pin, next);
                    rc.nodes.push(RcNode::Pin(pin));
                }
                Found::Inside(number, border) => {
                    self.inner = self.inner.wrapping_add(1);
                    rc.nodes.push(RcNode::Internal(number));
                    let missing = conn == 'I' && border.is_some() && {
                        let (cell, _) = self.parts(header, word);
                        !self.linker.names.is_level(&self.style, &cell)
                    };
                    self.borders.extend(border.map(|name| (name, next)));
                    let report = &mut self.linker.report;
                    if strayed && conn != ' ' {
                        note(&mut report.strayed_pins, word);
                    } else if missing {
                        note(&mut report.unknown_pins, word);
                    }
                }
            }
            rc.cap.push(0.0);
        }
        self.nodes.insert(word, node);
        node
    }

    fn pick(&self, value: Value) -> f64 {
        value.by[self.linker.triplet as usize]
    }

    /// Whether a node of a coupling capacitance belongs to this net.
    fn is_own(
        &self,
        header: &Header<'a>,
        section: &NetSection<'a>,
        net: NetId,
        word: &'a str,
    ) -> bool {
        if self.nodes.contains_key(word) || word == section.name {
            return true;
        }
        if let Some((base, _)) = self.style.split(word)
            && base == section.name
        {
            return true;
        }
        self.pin(header, word).is_some_and(|pin| self.linker.design.pin_net(pin) == Some(net))
    }

    fn couple(
        &mut self,
        header: &Header<'a>,
        section: &NetSection<'a>,
        rc: &mut RcNet,
        cap: &Cap<'a>,
    ) {
        let Some(other) = cap.other else { return };
        let value = (self.pick(cap.value) * self.scale.0) as f32;
        let own = [
            self.is_own(header, section, rc.net, cap.node),
            self.is_own(header, section, rc.net, other),
        ];
        match own {
            // Both ends on this net: no load to ground, since they move together.
            [true, true] => self.problems.report(
                Severity::Info,
                "spef-self-coupling",
                self.source,
                section.at,
                || "capacitances between nodes of one net are not used".into(),
            ),
            [_, false] => {
                let node = self.node(header, rc, cap.node, ' ');
                rc.coupling.push((node, value));
            }
            [false, true] => {
                let node = self.node(header, rc, other, ' ');
                rc.coupling.push((node, value));
            }
        }
    }
}

impl<'a> Visitor<'a> for Reading<'a, '_, '_> {
    fn header(&mut self, header: &Header<'a>) -> Result<(), FormatError> {
        self.style.divider = header.divider;
        self.style.delimiter = header.delimiter;
        self.style.bus = header.bus;
        self.scale = (header.capacitance, header.resistance);
        Ok(())
    }

    fn net(&mut self, header: &Header<'a>, section: &NetSection<'a>) -> Result<(), FormatError> {
        self.linker.report.nets_read += 1;
        let Some(net) = self.net_of(header, section) else {
            let (base, rest) = header.expand(section.name);
            let name = format!("{}{base}{rest}", self.style.prefix);
            self.problems.report(
                Severity::Warning,
                "spef-unknown-net",
                self.source,
                section.at,
                || format!("the design has no net `{name}`; its parasitics are not used"),
            );
            note(&mut self.linker.report.unknown_nets, &name);
            return Ok(());
        };
        self.nodes.clear();
        self.pins.clear();
        self.borders.clear();
        self.inner = 0;
        let mut rc = RcNet {
            net,
            nodes: Vec::with_capacity(section.conns.len()),
            cap: Vec::with_capacity(section.conns.len()),
            res: Vec::with_capacity(section.ress.len()),
            coupling: Vec::new(),
        };
        for conn in &section.conns {
            self.node(header, &mut rc, conn.name, conn.kind);
        }
        // Resistors before capacitances, so that a coupling's own end is known by then.
        for res in &section.ress {
            let (a, b) =
                (self.node(header, &mut rc, res.a, ' '), self.node(header, &mut rc, res.b, ' '));
            rc.res.push((a, b, (self.pick(res.value) * self.scale.1) as f32));
        }
        for cap in section.caps.iter().filter(|cap| cap.other.is_none()) {
            let node = self.node(header, &mut rc, cap.node, ' ');
            rc.cap[node as usize] += (self.pick(cap.value) * self.scale.0) as f32;
        }
        for cap in section.caps.iter().filter(|cap| cap.other.is_some()) {
            self.couple(header, section, &mut rc, cap);
        }
        for (driver, [c2, r1, c1], loads) in &section.pis {
            let near = self.node(header, &mut rc, driver, 'I');
            let far = rc.nodes.len() as u32;
            rc.nodes.push(RcNode::Internal(far));
            rc.cap.push((self.pick(*c1) * self.scale.0) as f32);
            rc.cap[near as usize] += (self.pick(*c2) * self.scale.0) as f32;
            rc.res.push((near, far, (self.pick(*r1) * self.scale.1) as f32));
            for load in loads {
                let node = self.node(header, &mut rc, load, 'I');
                rc.res.push((far, node, 0.0));
            }
            self.problems.report(
                Severity::Warning,
                "spef-reduced-net",
                self.source,
                section.at,
                || "of a reduced net the pi is used, and not the delays of its loads".into(),
            );
        }
        let borders = std::mem::take(&mut self.borders);
        self.linker.add(rc, &borders, self.read);
        self.borders = borders;
        Ok(())
    }
}
