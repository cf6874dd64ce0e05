//! A macro placement case as Bookshelf files.

use std::fmt::Write;

use cellwright_macros::netlist::{Item, Kind, Netlist, Placement};

/// The texts of the files, by extension; the `.aux` text names them with a given stem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// `.aux`.
    pub aux: String,
    /// `.nodes`.
    pub nodes: String,
    /// `.nets`.
    pub nets: String,
    /// `.wts`: weights of nets.
    pub wts: String,
    /// `.pl`.
    pub pl: String,
    /// `.scl`.
    pub scl: String,
}

/// Writes a case. Ports become terminals without area; fixed macros become terminals. Sites are
/// `site_width` wide and `row_height` high, so every soft macro that is higher reads back as a macro. Blanks in names
/// become `_`.
#[must_use]
pub fn write_bookshelf(
    netlist: &Netlist,
    placement: &Placement,
    stem: &str,
    (site_width, row_height): (f64, f64),
) -> Written {
    let name = |item: &Item| item.name.replace(char::is_whitespace, "_");
    let spot = |i: usize| placement.spots.get(i).copied().flatten();
    let is_terminal =
        |i: usize| netlist.items[i].kind == Kind::Port || spot(i).is_some_and(|spot| spot.fixed);
    let bodies: Vec<usize> =
        (0..netlist.items.len()).filter(|i| !netlist.items[*i].kind.is_pin()).collect();
    let terminals = bodies.iter().filter(|i| is_terminal(**i)).count();
    let mut nodes =
        format!("UCLA nodes 1.0\n\nNumNodes : {}\nNumTerminals : {terminals}\n", bodies.len());
    let mut pl = String::from("UCLA pl 1.0\n\n");
    for &i in &bodies {
        let item = &netlist.items[i];
        let end = if is_terminal(i) { " terminal" } else { "" };
        let _ = writeln!(nodes, "{} {} {}{end}", name(item), item.width, item.height);
        if let Some(spot) = spot(i) {
            let (x, y) = (spot.x - item.width / 2.0, spot.y - item.height / 2.0);
            let orient = spot.orient.map_or("N", |o| o.name());
            let end = if is_terminal(i) { " /FIXED" } else { "" };
            let _ = writeln!(pl, "{} {x} {y} : {orient}{end}", name(item));
        }
    }
    let drivers: Vec<&Item> = netlist.items.iter().filter(|i| !i.sinks.is_empty()).collect();
    let pins: usize = drivers.iter().map(|item| item.sinks.len() + 1).sum();
    let mut nets = format!("UCLA nets 1.0\n\nNumNets : {}\nNumPins : {pins}\n", drivers.len());
    let mut wts = String::from("UCLA wts 1.0\n\n");
    for (n, driver) in drivers.iter().enumerate() {
        let _ = writeln!(nets, "NetDegree : {} net_{n}", driver.sinks.len() + 1);
        let _ = writeln!(wts, "net_{n} {}", driver.net_weight());
        let sinks = driver.sinks.iter().map(|s| (&netlist.items[*s as usize], 'I'));
        for (item, direction) in std::iter::once((*driver, 'O')).chain(sinks) {
            let owner = &netlist.items[item.owner as usize];
            let (dx, dy) = item.offset;
            let _ = writeln!(nets, "  {} {direction} : {dx} {dy}", name(owner));
        }
    }
    let s = &placement.settings;
    let rows = (s.height / row_height).floor().max(1.0) as u64;
    let sites = (s.width / site_width).floor() as u64;
    let mut scl = format!("UCLA scl 1.0\n\nNumRows : {rows}\n");
    for row in 0..rows {
        let _ = writeln!(
            scl,
            "CoreRow Horizontal\n  Coordinate : {}\n  Height : {row_height}\n  Sitewidth : {site_width}\n  Sitespacing : {site_width}\n  Siteorient : N\n  Sitesymmetry : Y\n  SubrowOrigin : 0 NumSites : {sites}\nEnd",
            row as f64 * row_height
        );
    }
    let aux =
        format!("RowBasedPlacement : {stem}.nodes {stem}.nets {stem}.wts {stem}.pl {stem}.scl\n");
    Written { aux, nodes, nets, wts, pl, scl }
}
