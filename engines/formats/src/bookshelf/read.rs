//! From Bookshelf files to a macro placement case.

use std::path::Path;

use cellwright_macros::Orient;
use cellwright_macros::netlist::{Item, Kind, Netlist, Placement, Settings, Spot};
use hashbrown::HashMap;

use super::lines::lines;
use crate::text::{FormatError, Problems, Severity, Source, open};

/// The texts of one case.
#[derive(Debug)]
pub struct Files {
    /// Sizes of nodes.
    pub nodes: Source,
    /// Nets and pins.
    pub nets: Source,
    /// Weights of nets, if there are any.
    pub wts: Option<Source>,
    /// Positions.
    pub pl: Source,
    /// Rows.
    pub scl: Source,
}

/// Reads the case that an `.aux` file names.
///
/// # Errors
/// When a file is missing or as [`read_files`].
pub fn read_bookshelf(
    aux: &Path,
    problems: &mut Problems,
) -> Result<(Netlist, Placement), FormatError> {
    let source = open(aux)?;
    let names: Vec<&str> = source.text().split_ascii_whitespace().collect();
    let find = |end: &str| {
        let name = names.iter().find(|name| name.ends_with(end)).ok_or_else(|| {
            source.error(0, format!("no {end} file is named"), "name .nodes, .nets, .pl and .scl")
        })?;
        open(aux.with_file_name(name))
    };
    let wts = names.iter().any(|name| name.ends_with(".wts")).then(|| find(".wts")).transpose()?;
    let files = Files {
        nodes: find(".nodes")?,
        nets: find(".nets")?,
        wts,
        pl: find(".pl")?,
        scl: find(".scl")?,
    };
    read_files(&files, problems)
}

struct Node {
    width: f64,
    height: f64,
    terminal: bool,
    at: usize,
}

/// Reads a case. A node that may move and is higher than a row is a hard macro; so is a terminal with
/// an area, which is fixed. A terminal without area is a port. Other nodes are cells, or, where a node
/// drives several nets, soft macros, since a cell drives one. Offsets of pins on cells are not kept.
/// The driver of a net is its first output pin, else its first pin. A net has the weight that the
/// `.wts` file says, else 1; nets that ports drive have no weight in Circuit Training.
///
/// The canvas is what the rows span; everything is shifted so that it starts at the origin. The grid
/// and the routes are not in these files and stay at their defaults.
///
/// # Errors
/// When a line does not follow the format, or names a node that does not exist.
pub fn read_files(
    files: &Files,
    problems: &mut Problems,
) -> Result<(Netlist, Placement), FormatError> {
    let ([left, bottom, right, top], row_height) = rows(&files.scl)?;
    let mut names: Vec<String> = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    for line in lines(&files.nodes) {
        if line.words.first().is_some_and(|word| *word == "NumNodes" || *word == "NumTerminals") {
            continue;
        }
        let node = Node {
            width: line.number(&files.nodes, 1, "width")?,
            height: line.number(&files.nodes, 2, "height")?,
            terminal: line.words.get(3).is_some_and(|word| word.starts_with("terminal")),
            at: line.at,
        };
        if node.width < 0.0 || node.height < 0.0 {
            return Err(files.nodes.error(line.at, "a node has a negative size", "give its size"));
        }
        let name = line.words[0].to_owned();
        if index.insert(name.clone(), nodes.len()).is_some() {
            return Err(files.nodes.error(
                line.at,
                format!("a second node is called `{name}`"),
                "names must differ",
            ));
        }
        names.push(name);
        nodes.push(node);
    }
    let nets = nets(&files.nets, &index)?;
    let weights = match &files.wts {
        Some(source) => weights(source, &nets, problems)?,
        None => HashMap::new(),
    };
    let mut drives = vec![0u32; nodes.len()];
    for net in &nets {
        if let Some(pin) = net.pins.first() {
            drives[pin.node] += 1;
        }
    }
    let mut netlist = Netlist { outline: Some((right - left, top - bottom)), ..Netlist::default() };
    for (n, node) in nodes.iter().enumerate() {
        let kind = match node {
            Node { terminal: true, width, height, .. } if width * height == 0.0 => Kind::Port,
            Node { terminal: true, .. } => Kind::Hard,
            _ if node.height > row_height => Kind::Hard,
            _ if drives[n] > 1 => Kind::Soft,
            _ => Kind::Cell,
        };
        if kind == Kind::Port && drives[n] > 1 {
            problems.report(Severity::Warning, "bookshelf-port", &files.nodes, node.at, || {
                format!("the port `{}` drives several nets; they become one", names[n])
            });
        }
        let mut item = Item::new(names[n].as_str(), kind, n as u32);
        (item.width, item.height) = (node.width, node.height);
        netlist.items.push(item);
    }
    let spots = positions(&files.pl, &index, &nodes, &mut netlist, [left, bottom])?;
    for net in &nets {
        let mut ends = Vec::with_capacity(net.pins.len());
        for pin in &net.pins {
            let kind = netlist.items[pin.node].kind;
            ends.push(match kind {
                Kind::Hard | Kind::Soft => {
                    let pin_kind = if kind == Kind::Hard { Kind::HardPin } else { Kind::SoftPin };
                    let number = netlist.items.len();
                    let name = format!("{}/{}_{number}", names[pin.node], net.name);
                    let mut item = Item::new(name, pin_kind, pin.node as u32);
                    item.offset = pin.offset;
                    netlist.items.push(item);
                    number as u32
                }
                _ => pin.node as u32,
            });
        }
        if let Some((&driver, sinks)) = ends.split_first() {
            let item = &mut netlist.items[driver as usize];
            item.sinks.extend(sinks);
            match weights.get(net.name.as_str()) {
                Some((weight, at)) if item.kind == Kind::Port && *weight != 1.0 => {
                    let source = files.wts.as_ref().unwrap_or(&files.nets);
                    problems.report(Severity::Warning, "bookshelf-weight", source, *at, || {
                        format!("`{}` is driven by a port and stays at weight 1", net.name)
                    });
                }
                Some((weight, _)) if *weight != 1.0 => item.weight = Some(*weight),
                _ => {}
            }
        }
    }
    let settings = Settings { width: right - left, height: top - bottom, ..Settings::default() };
    let mut placement = Placement { settings, spots };
    placement.spots.resize(netlist.items.len(), None);
    Ok((netlist, placement))
}

/// Bounds of all rows and the height of the first.
fn rows(source: &Source) -> Result<([f64; 4], f64), FormatError> {
    let mut bounds = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    let mut first = None;
    let (mut y, mut height, mut pitch) = (0.0, 0.0, 1.0);
    for line in lines(source) {
        if let Some(value) = line.value(source, "Coordinate")? {
            y = value;
        }
        if let Some(value) = line.value(source, "Height")? {
            height = value;
        }
        if let Some(value) = line.value(source, "Sitespacing")? {
            pitch = value;
        }
        if let Some(x) = line.value(source, "SubrowOrigin")? {
            let sites = line.value(source, "NumSites")?.unwrap_or(0.0);
            first.get_or_insert(height);
            bounds = [
                bounds[0].min(x),
                bounds[1].min(y),
                bounds[2].max(x + sites * pitch),
                bounds[3].max(y + height),
            ];
        }
    }
    match first {
        Some(height) if bounds[2] > bounds[0] && bounds[3] > bounds[1] => Ok((bounds, height)),
        _ => Err(source.error(
            0,
            "no row spans an area",
            "a row has Coordinate, Height, SubrowOrigin and NumSites",
        )),
    }
}

struct Net {
    name: String,
    pins: Vec<Pin>,
}

struct Pin {
    node: usize,
    offset: (f64, f64),
}

/// The nets, each with its driver first.
fn nets(source: &Source, index: &HashMap<String, usize>) -> Result<Vec<Net>, FormatError> {
    let mut nets: Vec<Net> = Vec::new();
    let mut driven = false;
    for line in lines(source) {
        match line.words[0] {
            "NumNets" | "NumPins" => {}
            "NetDegree" => {
                let name = line
                    .words
                    .get(3)
                    .map_or_else(|| format!("n{}", nets.len()), |w| (*w).to_owned());
                nets.push(Net { name, pins: Vec::new() });
                driven = false;
            }
            name => {
                let Some(&node) = index.get(name) else {
                    return Err(source.error(
                        line.at,
                        format!("`{name}` is no node"),
                        "every pin names a node of the .nodes file",
                    ));
                };
                let Some(net) = nets.last_mut() else {
                    return Err(source.error(
                        line.at,
                        "a pin stands before any net",
                        "begin with NetDegree",
                    ));
                };
                // `name O : dx dy`, the offset optional.
                let colon = line.words.iter().position(|word| *word == ":");
                let offset = match colon {
                    Some(n) => (
                        line.number(source, n + 1, "offset")?,
                        line.number(source, n + 2, "offset")?,
                    ),
                    None => (0.0, 0.0),
                };
                let pin = Pin { node, offset };
                if line.words.get(1) == Some(&"O") && !driven {
                    driven = true;
                    net.pins.insert(0, pin);
                } else {
                    net.pins.push(pin);
                }
            }
        }
    }
    Ok(nets)
}

/// Weights by the name of the net, with where each stands. Names that are no nets are told and
/// skipped: some files weigh nodes.
fn weights<'a>(
    source: &Source,
    nets: &'a [Net],
    problems: &mut Problems,
) -> Result<HashMap<&'a str, (f64, usize)>, FormatError> {
    let known: HashMap<&str, &'a str> =
        nets.iter().map(|net| (net.name.as_str(), net.name.as_str())).collect();
    let mut out = HashMap::new();
    for line in lines(source) {
        let weight = line.number(source, 1, "weight")?;
        let Some(name) = known.get(line.words[0]) else {
            problems.report(Severity::Warning, "bookshelf-weight", source, line.at, || {
                format!("`{}` is no net; its weight is not used", line.words[0])
            });
            continue;
        };
        if weight < 0.0 {
            return Err(source.error(line.at, "a net has a negative weight", "give 0 or more"));
        }
        out.insert(*name, (weight, line.at));
    }
    Ok(out)
}

fn positions(
    source: &Source,
    index: &HashMap<String, usize>,
    nodes: &[Node],
    netlist: &mut Netlist,
    origin: [f64; 2],
) -> Result<Vec<Option<Spot>>, FormatError> {
    let mut spots = vec![None; nodes.len()];
    for line in lines(source) {
        let Some(&n) = index.get(line.words[0]) else {
            return Err(source.error(
                line.at,
                format!("`{}` is no node", line.words[0]),
                "every line names a node of the .nodes file",
            ));
        };
        let node = &nodes[n];
        let x = line.number(source, 1, "position")? - origin[0] + node.width / 2.0;
        let y = line.number(source, 2, "position")? - origin[1] + node.height / 2.0;
        let orient = match line.words.get(4) {
            Some(word) => Some(
                word.parse::<Orient>()
                    .map_err(|e| source.error(line.at, e.to_string(), "give one of these"))?,
            ),
            None => None,
        };
        let fixed = node.terminal || line.words.iter().any(|word| word.starts_with("/FIXED"));
        let item = &mut netlist.items[n];
        item.at = Some((x, y));
        let orient = if item.kind == Kind::Hard { orient } else { None };
        item.orient = orient;
        spots[n] = Some(Spot { x, y, orient, fixed });
    }
    Ok(spots)
}
