//! What a placement case in Bookshelf says, node by node and pin by pin.

use std::path::Path;

use cellwright_db::library::PinDirection;
use hashbrown::HashMap;

use super::lines::{Line, lines};
use crate::text::{FormatError, Source, open};

/// How a terminal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Terminal {
    /// Nothing may overlap it.
    Blocks,
    /// `terminal_NI`: cells may lie on it.
    Open,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) terminal: Option<Terminal>,
    /// Lower-left corner.
    pub(super) at: Option<(f64, f64)>,
    pub(super) orient: String,
    /// `/FIXED` in the `.pl`.
    pub(super) held: bool,
}

impl Node {
    pub(super) fn is_fixed(&self) -> bool {
        self.terminal.is_some() || self.held
    }
}

#[derive(Debug)]
pub(super) struct Pin {
    pub(super) node: usize,
    /// From the middle of the node.
    pub(super) offset: (f64, f64),
    pub(super) direction: PinDirection,
}

#[derive(Debug)]
pub(super) struct Net {
    pub(super) name: String,
    pub(super) pins: Vec<Pin>,
    pub(super) weight: f32,
}

/// A piece of a row.
#[derive(Debug)]
pub(super) struct RowPiece {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) height: f64,
    pub(super) site_width: f64,
    pub(super) spacing: f64,
    pub(super) sites: i32,
}

/// A case in the format's own units.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) nodes: Vec<Node>,
    pub(super) nets: Vec<Net>,
    pub(super) rows: Vec<RowPiece>,
}

impl Case {
    /// All lengths that DBU have to hold: sizes, rows, corners of fixed nodes, offsets of pins from
    /// corners. Where movable nodes stand may be rounded.
    pub(super) fn lengths(&self) -> impl Iterator<Item = f64> + '_ {
        let nodes = self.nodes.iter().flat_map(|node| {
            let at = node.at.filter(|_| node.is_fixed()).unwrap_or((0.0, 0.0));
            [node.width, node.height, at.0, at.1]
        });
        let rows = self.rows.iter().flat_map(|row| {
            let end = row.x + f64::from(row.sites) * row.spacing;
            [row.x, row.y, row.height, row.site_width, row.spacing, end]
        });
        let pins = self.nets.iter().flat_map(|net| &net.pins).flat_map(|pin| {
            let node = &self.nodes[pin.node];
            [node.width / 2.0 + pin.offset.0, node.height / 2.0 + pin.offset.1]
        });
        nodes.chain(rows).chain(pins)
    }
}

/// Reads the files that an `.aux` file names; gives them too, `.aux` first.
pub(super) fn read_case(aux: &Path) -> Result<(Case, Vec<Source>), FormatError> {
    let source = open(aux)?;
    let names: Vec<String> =
        source.text().split_ascii_whitespace().map(ToOwned::to_owned).collect();
    let named = |end: &str| names.iter().find(|name| name.ends_with(end));
    let find = |end: &str| {
        let name = named(end).ok_or_else(|| {
            source.error(0, format!("no {end} file is named"), "name .nodes, .nets, .pl and .scl")
        })?;
        open(aux.with_file_name(name))
    };
    let (nodes, nets, pl, scl) = (find(".nodes")?, find(".nets")?, find(".pl")?, find(".scl")?);
    let wts = match named(".wts") {
        // The contests name weights that they do not deliver.
        Some(name) if aux.with_file_name(name).is_file() => Some(open(aux.with_file_name(name))?),
        _ => None,
    };
    let case = case_of(&nodes, &nets, &pl, &scl, wts.as_ref())?;
    let mut sources = vec![source, nodes, nets, pl, scl];
    sources.extend(wts);
    Ok((case, sources))
}

/// The case that the texts of the files say.
pub(super) fn case_of(
    nodes: &Source,
    nets: &Source,
    pl: &Source,
    scl: &Source,
    wts: Option<&Source>,
) -> Result<Case, FormatError> {
    let (mut list, index) = read_nodes(nodes)?;
    read_places(pl, &index, &mut list)?;
    let mut connections = read_nets(nets, &index)?;
    if let Some(wts) = wts {
        read_weights(wts, &mut connections)?;
    }
    Ok(Case { nodes: list, nets: connections, rows: read_rows(scl)? })
}

type Index = HashMap<String, usize>;

fn unknown(source: &Source, line: &Line<'_>) -> FormatError {
    let name = line.words.first().copied().unwrap_or("");
    source.error(
        line.at,
        format!("`{name}` is no node"),
        "every line names a node of the .nodes file",
    )
}

fn read_nodes(source: &Source) -> Result<(Vec<Node>, Index), FormatError> {
    let mut nodes = Vec::new();
    let mut index = Index::new();
    for line in lines(source) {
        let name = line.words[0];
        if name == "NumNodes" || name == "NumTerminals" {
            continue;
        }
        let (width, height) = (line.number(source, 1, "width")?, line.number(source, 2, "height")?);
        if width < 0.0 || height < 0.0 {
            return Err(source.error(line.at, "a node has a negative size", "give its size"));
        }
        let terminal = match line.words.get(3) {
            Some(word) if word.eq_ignore_ascii_case("terminal_NI") => Some(Terminal::Open),
            Some(word) if word.starts_with("terminal") => Some(Terminal::Blocks),
            _ => None,
        };
        if index.insert(name.to_owned(), nodes.len()).is_some() {
            let text = format!("a second node is called `{name}`");
            return Err(source.error(line.at, text, "names must differ"));
        }
        let (name, orient) = (name.to_owned(), "N".to_owned());
        nodes.push(Node { name, width, height, terminal, at: None, orient, held: false });
    }
    Ok((nodes, index))
}

fn read_places(source: &Source, index: &Index, nodes: &mut [Node]) -> Result<(), FormatError> {
    for line in lines(source) {
        let Some(&n) = index.get(line.words[0]) else { return Err(unknown(source, &line)) };
        let node = &mut nodes[n];
        node.at = Some((line.number(source, 1, "position")?, line.number(source, 2, "position")?));
        node.held = line.words.iter().any(|word| word.starts_with("/FIXED"));
        if node.held && line.words.contains(&"/FIXED_NI") {
            node.terminal = Some(Terminal::Open);
        }
        if let Some(orient) = line.words.get(4).filter(|word| !word.starts_with('/')) {
            node.orient = (*orient).to_owned();
        }
    }
    Ok(())
}

fn read_nets(source: &Source, index: &Index) -> Result<Vec<Net>, FormatError> {
    let mut nets: Vec<Net> = Vec::new();
    for line in lines(source) {
        match line.words[0] {
            "NumNets" | "NumPins" => {}
            "NetDegree" => {
                let given = line.words.get(3).map(|word| (*word).to_owned());
                let name = given.unwrap_or_else(|| format!("n{}", nets.len()));
                nets.push(Net { name, pins: Vec::new(), weight: 1.0 });
            }
            name => {
                let Some(&node) = index.get(name) else { return Err(unknown(source, &line)) };
                let Some(net) = nets.last_mut() else {
                    let text = "a pin stands before any net";
                    return Err(source.error(line.at, text, "begin with NetDegree"));
                };
                // `name O : dx dy`, the offset optional.
                let offset = match line.words.iter().position(|word| *word == ":") {
                    Some(n) => (
                        line.number(source, n + 1, "offset")?,
                        line.number(source, n + 2, "offset")?,
                    ),
                    None => (0.0, 0.0),
                };
                let direction = match line.words.get(1) {
                    Some(&"O") => PinDirection::Output,
                    Some(&"B") => PinDirection::Inout,
                    _ => PinDirection::Input,
                };
                net.pins.push(Pin { node, offset, direction });
            }
        }
    }
    Ok(nets)
}

/// Weights of nets; files of node weights and names of no net are passed over.
fn read_weights(source: &Source, nets: &mut [Net]) -> Result<(), FormatError> {
    let index: HashMap<String, usize> =
        nets.iter().enumerate().map(|(number, net)| (net.name.clone(), number)).collect();
    for line in lines(source) {
        if let Some(&net) = index.get(line.words[0]) {
            nets[net].weight = line.number(source, 1, "weight")?.max(0.0) as f32;
        }
    }
    Ok(())
}

/// Sites of a row that 32-bit DBU can still tell apart.
const SITES: f64 = 1e9;

fn read_rows(source: &Source) -> Result<Vec<RowPiece>, FormatError> {
    let mut rows = Vec::new();
    let (mut y, mut height, mut spacing, mut width) = (0.0, 0.0, 1.0, None);
    for line in lines(source) {
        if line.words[0] == "CoreRow" {
            (y, height, spacing, width) = (0.0, 0.0, 1.0, None);
        }
        if let Some(value) = line.value(source, "Coordinate")? {
            y = value;
        }
        if let Some(value) = line.value(source, "Height")? {
            height = value;
        }
        if let Some(value) = line.value(source, "Sitewidth")? {
            width = Some(value);
        }
        if let Some(value) = line.value(source, "Sitespacing")? {
            spacing = value;
        }
        if let Some(x) = line.value(source, "SubrowOrigin")? {
            let sites = line.value(source, "NumSites")?.unwrap_or(0.0);
            if height <= 0.0 || spacing <= 0.0 || !(0.0..=SITES).contains(&sites) {
                return Err(source.error(
                    line.at,
                    "a row has no height, no site spacing or no countable sites",
                    "a row has Coordinate, Height, Sitespacing, SubrowOrigin and NumSites",
                ));
            }
            let site_width = width.unwrap_or(spacing);
            rows.push(RowPiece { x, y, height, site_width, spacing, sites: sites as i32 });
        }
    }
    if rows.iter().all(|row| row.sites == 0) {
        return Err(source.error(
            0,
            "no row spans an area",
            "a row has Coordinate, Height, SubrowOrigin and NumSites",
        ));
    }
    Ok(rows)
}
