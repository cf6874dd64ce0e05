//! A Bookshelf case as a design: rows, cells and macros with their pins where the format has them, so
//! that the placer works on it and its `.pl` can be written back.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use cellwright_db::floorplan::{Floorplan, Row};
use cellwright_db::library::{Library, Master, MasterClass, MasterPin, PinDirection};
use cellwright_db::records::NetKind;
use cellwright_db::tech::{Site, Symmetry, Technology};
use cellwright_db::{
    CellId, Design, DesignBuilder, IdVec, MasterId, MasterPinId, Orient, Place, PlaceStatus, Point,
    Rect, SiteId, Snapshot,
};
use hashbrown::HashMap;

use super::case::{Case, Terminal, read_case};
use crate::text::{FormatError, Problems, Severity, Source};

/// Scales that are tried, DBU per unit of the format: the first that makes every length whole.
const SCALES: [i32; 9] = [1, 2, 10, 20, 100, 200, 1000, 2000, 10_000];

/// Largest coordinate, DBU: half the range, so that sums of two stay in it.
const REACH: f64 = 1e9;

/// Movable nodes of up to this many rows stand in rows; higher ones are macros.
const ROWS: i32 = 4;

/// A design read from Bookshelf.
#[derive(Debug)]
pub struct BookshelfDesign {
    /// The design; one unit of the format is one µm.
    pub snapshot: Snapshot,
    /// Weights of the nets by [`cellwright_db::NetId`], as the `.wts` file says, else 1.
    pub net_weights: Vec<f32>,
    /// The files read, `.aux` first.
    pub sources: Vec<Source>,
    case: Case,
}

/// Reads the case that an `.aux` file names as a design.
///
/// Nodes are taken in orientation N, rows likewise: the contests place and measure so. A movable node
/// as high as a row or lower, or of two to four whole rows, is a cell; any other movable node is a
/// macro. A terminal with an area is a fixed macro; one without, or `terminal_NI`, blocks nothing.
///
/// # Errors
/// When a file is missing, a line does not follow the format, or lengths do not fit 32-bit DBU.
pub fn read_design(aux: &Path, problems: &mut Problems) -> Result<BookshelfDesign, FormatError> {
    let (case, sources) = read_case(aux)?;
    let name = aux.file_stem().map_or("bookshelf".into(), |stem| stem.to_string_lossy());
    design_of(case, sources, &name, problems)
}

/// The design of a case.
pub(super) fn design_of(
    case: Case,
    sources: Vec<Source>,
    name: &str,
    problems: &mut Problems,
) -> Result<BookshelfDesign, FormatError> {
    let first = sources.first();
    let report = |problems: &mut Problems, code, text: String| {
        if let Some(source) = first {
            problems.report(Severity::Warning, code, source, 0, || text);
        }
    };
    let (scale, exact) = scale(&case).ok_or_else(|| {
        FormatError::whole_file(
            first.map_or(name, Source::name).to_owned(),
            "coordinates are too large for 32-bit DBU",
            "give lengths below 1e9 units",
        )
    })?;
    if !exact {
        let text = format!("lengths are no multiples of 1/{scale} unit and are rounded to it");
        report(problems, "bookshelf-rounded", text);
    }
    let dbu = |value: f64| (value * f64::from(scale)).round() as i32;
    let (tech, rows) = technology(&case, scale, dbu);
    let base = rows.iter().map(|row| tech.sites[row.site].height).min().unwrap_or(0);
    let (library, masters, pins) = library(&case, &tech, base, dbu);
    let mut builder = DesignBuilder::new(name, Arc::new(tech), Arc::new(library));
    let mut unplaced = 0;
    for (node, master) in case.nodes.iter().zip(&masters) {
        let status = match node.at {
            None => {
                unplaced += 1;
                PlaceStatus::Unplaced
            }
            Some(_) if node.is_fixed() => PlaceStatus::Fixed,
            Some(_) => PlaceStatus::Placed,
        };
        let (x, y) = node.at.map_or((0, 0), |(x, y)| (dbu(x), dbu(y)));
        builder.add_cell(&node.name, *master, Place { x, y, orient: Orient::N, status });
    }
    for net in &case.nets {
        builder.add_net(&net.name, NetKind::Signal);
    }
    for (net, list) in pins.iter().enumerate() {
        for &(cell, pin) in list {
            builder.connect(cell, pin, cellwright_db::NetId::new(net));
        }
    }
    if unplaced > 0 {
        report(problems, "bookshelf-unplaced", format!("{unplaced} nodes have no line in the .pl"));
    }
    let hull = rows
        .iter()
        .map(|row| row.rect(builder.tech().sites[row.site].height))
        .reduce(|a, b| a.union(&b))
        .unwrap_or_default();
    let floorplan =
        Floorplan { die_outline: vec![hull.lo, hull.hi], die: hull, rows, ..Floorplan::default() };
    let net_weights = case.nets.iter().map(|net| net.weight).collect();
    Ok(BookshelfDesign { snapshot: builder.finish(floorplan), net_weights, sources, case })
}

/// The first scale that makes every length whole, or the finest that fits; and whether it is exact.
fn scale(case: &Case) -> Option<(i32, bool)> {
    let most = case.lengths().fold(0.0_f64, |most, value| most.max(value.abs()));
    let fits = |scale: &&i32| most * f64::from(**scale) <= REACH;
    let whole = |scale: &&i32| {
        case.lengths().all(|value| {
            let scaled = value * f64::from(**scale);
            (scaled - scaled.round()).abs() < 1e-4
        })
    };
    match SCALES.iter().filter(fits).find(whole) {
        Some(scale) => Some((*scale, true)),
        None => SCALES[..7].iter().rfind(fits).map(|scale| (*scale, false)),
    }
}

fn technology(case: &Case, scale: i32, dbu: impl Fn(f64) -> i32) -> (Technology, Vec<Row>) {
    let mut sites: IdVec<SiteId, Site> = IdVec::new();
    let mut rows = Vec::new();
    for (number, row) in case.rows.iter().enumerate() {
        let (width, height) = (dbu(row.site_width).max(1), dbu(row.height).max(1));
        let known = sites.iter().find(|(_, site)| (site.width, site.height) == (width, height));
        let site = known.map(|(id, _)| id).unwrap_or_else(|| {
            let name = format!("site_{width}_{height}");
            sites.push(Site { name, width, height, symmetry: Symmetry::default() })
        });
        rows.push(Row {
            name: format!("row_{number}"),
            site,
            origin: Point::new(dbu(row.x), dbu(row.y)),
            orient: Orient::N,
            count: row.sites,
            step: dbu(row.spacing).max(1),
        });
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("bookshelf {scale} {sites:?}").as_bytes());
    let tech = Technology {
        name: "bookshelf".to_owned(),
        dbu_per_micron: scale,
        manufacturing_grid: 1,
        layers: IdVec::new(),
        sites,
        edge_spacing: Vec::new(),
        digest: *hasher.finalize().as_bytes(),
    };
    (tech, rows)
}

/// Pins of each net.
type Ends = Vec<Vec<(CellId, MasterPinId)>>;

/// What makes two nodes of one master: width, height, class, pins with direction.
type Kind = (i32, i32, u8, Vec<(i32, i32, PinDirection)>);

/// Masters, the master of each node, and the pins of each net.
fn library(
    case: &Case,
    tech: &Technology,
    base: i32,
    dbu: impl Fn(f64) -> i32,
) -> (Library, Vec<MasterId>, Ends) {
    // Pins by node, in the order of the nets.
    let mut of_node: Vec<Vec<(i32, i32, PinDirection)>> = vec![Vec::new(); case.nodes.len()];
    let mut ends: Ends = Vec::with_capacity(case.nets.len());
    for net in &case.nets {
        let mut list = Vec::with_capacity(net.pins.len());
        for pin in &net.pins {
            let node = &case.nodes[pin.node];
            let at = (
                dbu(node.width / 2.0 + pin.offset.0),
                dbu(node.height / 2.0 + pin.offset.1),
                pin.direction,
            );
            list.push((CellId::new(pin.node), MasterPinId::new(of_node[pin.node].len())));
            of_node[pin.node].push(at);
        }
        ends.push(list);
    }
    let mut masters: IdVec<MasterId, Master> = IdVec::new();
    let mut known: HashMap<Kind, MasterId> = HashMap::new();
    let mut of = Vec::with_capacity(case.nodes.len());
    for (node, pins) in case.nodes.iter().zip(of_node) {
        let (width, height) = (dbu(node.width), dbu(node.height));
        let whole = base > 0 && height % base == 0 && height / base <= ROWS;
        let class = match node.terminal {
            Some(Terminal::Open) => MasterClass::Cover,
            _ if width == 0 || height == 0 => MasterClass::Cover,
            Some(Terminal::Blocks) => MasterClass::Block,
            None if height <= base || whole => MasterClass::Core,
            None => MasterClass::Block,
        };
        // A lower cell takes its row whole; what covers nothing still has a place.
        let height = if class == MasterClass::Core { height.max(base) } else { height.max(1) };
        let key = (width.max(1), height, class as u8, pins);
        let master = match known.get(&key) {
            Some(master) => *master,
            None => {
                let master = master(&key, class, masters.len(), tech);
                let id = masters.push(master);
                known.insert(key, id);
                id
            }
        };
        of.push(master);
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&tech.digest);
    for (_, master) in masters.iter() {
        hasher.update(format!("{master:?}").as_bytes());
    }
    (Library::new(masters, Vec::new(), Vec::new(), *hasher.finalize().as_bytes()), of, ends)
}

fn master(kind: &Kind, class: MasterClass, number: usize, tech: &Technology) -> Master {
    let (width, height, _, pins) = kind;
    let site = tech.sites.iter().find(|(_, site)| site.height == *height).map(|(id, _)| id);
    let pins = pins.iter().enumerate().map(|(i, &(x, y, direction))| {
        let offset = Point::new(x, y);
        MasterPin {
            // As many digits for all, so that byte order is number order.
            name: format!("p{i:07}"),
            direction,
            is_clock: false,
            shapes: Vec::new(),
            bbox: Rect::new(x, y, x, y),
            offset,
        }
    });
    Master {
        name: format!("m{number}"),
        class,
        width: *width,
        height: *height,
        site: site.filter(|_| class == MasterClass::Core),
        symmetry: Symmetry::default(),
        pins: pins.collect(),
        supplies: Vec::new(),
        obstructions: Vec::new(),
        edge_types: None,
        has_geometry: true,
        function_class: 0,
    }
}

impl BookshelfDesign {
    /// The places of `design`, a state of this case's own design, as the text of a `.pl` file. Nodes
    /// that stand where they stood keep their coordinates as they were read.
    #[must_use]
    pub fn write_pl(&self, design: &Design) -> String {
        let mut text = String::from("UCLA pl 1.0\n\n");
        let scale = f64::from(design.tech().dbu_per_micron);
        for (number, node) in self.case.nodes.iter().enumerate() {
            let place = design.place(CellId::new(number));
            let own = |dbu: i32, given: Option<f64>| match given {
                Some(given) if (given * scale).round() as i32 == dbu && node.is_fixed() => given,
                _ => f64::from(dbu) / scale,
            };
            let x = own(place.x, node.at.map(|at| at.0));
            let y = own(place.y, node.at.map(|at| at.1));
            let end = match (node.is_fixed(), node.terminal) {
                (true, Some(Terminal::Open)) => " /FIXED_NI",
                (true, _) => " /FIXED",
                _ => "",
            };
            let orient = if node.is_fixed() { node.orient.as_str() } else { "N" };
            let _ = writeln!(text, "{} {x} {y} : {orient}{end}", node.name);
        }
        text
    }
}
