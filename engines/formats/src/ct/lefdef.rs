//! A macro placement case as LEF and DEF, for placers that read these.

use std::fmt::Write;

use cellwright_macros::Orient;
use cellwright_macros::netlist::{Item, Kind, Netlist, Placement};
use hashbrown::HashMap;

/// Database units per µm of what is written.
pub const DBU: u32 = 10_000;

/// The two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LefDef {
    /// One layer, one site, a master for each size and set of pins.
    pub lef: String,
    /// Floorplan, components, ports and nets.
    pub def: String,
}

/// A pin of a master: name, offset from the lower left corner in database units, whether it drives.
type Pin = (String, [i64; 2], bool);

/// Size in database units, whether a block, and the pins.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Shape {
    size: [i64; 2],
    block: bool,
    pins: Vec<Pin>,
}

/// Writes a case. Rows are as high as the most frequent cell, or `row_height` where there are no
/// cells; sites are as wide as the greatest common divisor of the cells' widths, at least a twentieth
/// of a row. What is not a block is widened to whole sites and rows. Pins of macros are where they
/// are, pins of cells in the middle; a cell drives its pin `Z` and receives by `A0`, `A1` and so on.
/// Hard macros with places are fixed if `fix` is set. Weights are written as whole numbers, as DEF
/// has them. A port or a pin of several nets is written once for each. Blanks in names become `_`.
#[must_use]
pub fn write_lefdef(
    netlist: &Netlist,
    placement: &Placement,
    design: &str,
    row_height: f64,
    fix: bool,
) -> LefDef {
    let (site, row) = grid(netlist, row_height);
    let links = Links::new(netlist);
    let mut masters: HashMap<Shape, String> = HashMap::new();
    let mut order: Vec<(Shape, String)> = Vec::new();
    let mut used: HashMap<String, u32> = HashMap::new();
    let mut components = String::new();
    let mut count = 0;
    let mut sizes = vec![[0i64; 2]; netlist.items.len()];
    for (i, item) in netlist.items.iter().enumerate() {
        if item.kind.is_pin() || item.kind == Kind::Port {
            continue;
        }
        let shape = links.shape(netlist, i, site, row);
        let size = shape.size;
        sizes[i] = size;
        let master = masters.entry(shape).or_insert_with_key(|shape| {
            let stem = match (&item.master, item.kind) {
                (Some(name), _) => lefdef_name(name),
                (None, Kind::Hard) => "HARD".to_owned(),
                (None, Kind::Soft) => "SOFT".to_owned(),
                (None, _) => "CELL".to_owned(),
            };
            let number = used.entry(stem.clone()).or_default();
            *number += 1;
            let name = if *number == 1 { stem } else { format!("{stem}_{number}") };
            order.push((shape.clone(), name.clone()));
            name
        });
        let _ = write!(components, "- {} {master}", lefdef_name(&item.name));
        count += 1;
        match placement.spots.get(i).copied().flatten() {
            Some(spot) => {
                let fixed = spot.fixed || (fix && item.kind == Kind::Hard);
                let orient = spot.orient.filter(|o| o.is_upright()).unwrap_or_default();
                let low = |c: f64, size: f64| dbu(c - size / 2.0);
                let _ = writeln!(
                    components,
                    " + {} ( {} {} ) {} ;",
                    if fixed { "FIXED" } else { "PLACED" },
                    low(spot.x, item.width),
                    low(spot.y, item.height),
                    orient.name()
                );
            }
            None => components.push_str(" ;\n"),
        }
    }
    let s = &placement.settings;
    let mut def = format!(
        "VERSION 5.8 ;\nDIVIDERCHAR \"/\" ;\nBUSBITCHARS \"[]\" ;\nDESIGN {} ;\nUNITS DISTANCE MICRONS {DBU} ;\nDIEAREA ( 0 0 ) ( {} {} ) ;\n",
        lefdef_name(design),
        dbu(s.width),
        dbu(s.height)
    );
    let sites = dbu(s.width) / site;
    for n in 0..dbu(s.height) / row {
        let orient = if n % 2 == 0 { Orient::N } else { Orient::FS };
        let _ = writeln!(
            def,
            "ROW ROW_{n} core 0 {} {} DO {sites} BY 1 STEP {site} 0 ;",
            n * row,
            orient.name()
        );
    }
    let _ = write!(def, "COMPONENTS {count} ;\n{components}END COMPONENTS\n");
    links.write(netlist, placement, &mut def);
    let _ = writeln!(def, "END DESIGN");
    LefDef { lef: lef(&order, site, row), def }
}

fn lef(order: &[(Shape, String)], site: i64, row: i64) -> String {
    let um = |v: i64| v as f64 / f64::from(DBU);
    let mut out = format!(
        "VERSION 5.8 ;\nBUSBITCHARS \"[]\" ;\nDIVIDERCHAR \"/\" ;\nUNITS\n  DATABASE MICRONS {DBU} ;\nEND UNITS\nMANUFACTURINGGRID {} ;\nLAYER M1\n  TYPE ROUTING ;\n  DIRECTION HORIZONTAL ;\n  PITCH {} ;\n  WIDTH {} ;\nEND M1\nSITE core\n  CLASS CORE ;\n  SYMMETRY Y ;\n  SIZE {} BY {} ;\nEND core\n",
        um(1),
        um(site),
        um((site / 2).max(1)),
        um(site),
        um(row)
    );
    for (shape, name) in order {
        let class = if shape.block { "BLOCK" } else { "CORE" };
        let [w, h] = shape.size;
        let _ = writeln!(
            out,
            "MACRO {name}\n  CLASS {class} ;\n  ORIGIN 0 0 ;\n  SIZE {} BY {} ;\n  SYMMETRY X Y ;",
            um(w),
            um(h)
        );
        if !shape.block {
            let _ = writeln!(out, "  SITE core ;");
        }
        for (pin, [x, y], drives) in &shape.pins {
            let direction = if *drives { "OUTPUT" } else { "INPUT" };
            let _ = writeln!(
                out,
                "  PIN {pin}\n    DIRECTION {direction} ;\n    USE SIGNAL ;\n    PORT\n      LAYER M1 ;\n        RECT {} {} {} {} ;\n    END\n  END {pin}",
                um(x - 1),
                um(y - 1),
                um(x + 1),
                um(y + 1)
            );
        }
        let _ = writeln!(out, "END {name}");
    }
    out.push_str("END LIBRARY\n");
    out
}

/// A name as the LEF and DEF of [`write_lefdef`] have it: blanks, backslashes and what ends a word
/// become `_`.
#[must_use]
pub fn lefdef_name(name: &str) -> String {
    name.replace(|c: char| c.is_whitespace() || matches!(c, ';' | '"' | '\\'), "_")
}

fn dbu(um: f64) -> i64 {
    (um * f64::from(DBU)).round() as i64
}

/// Width of a site and height of a row.
fn grid(netlist: &Netlist, row_height: f64) -> (i64, i64) {
    let mut heights: HashMap<i64, usize> = HashMap::new();
    let mut site = 0i64;
    for item in netlist.items.iter().filter(|item| item.kind == Kind::Cell) {
        *heights.entry(dbu(item.height)).or_default() += 1;
        let (mut a, mut b) = (site, dbu(item.width));
        while b > 0 {
            (a, b) = (b, a % b);
        }
        site = a;
    }
    let mut heights: Vec<(i64, usize)> = heights.into_iter().filter(|h| h.0 > 0).collect();
    heights.sort_unstable_by_key(|(height, count)| (std::cmp::Reverse(*count), *height));
    let row = heights.first().map_or(dbu(row_height), |h| h.0).max(1);
    (site.max(row / 20).max(1), row)
}

/// Which pin of a body each end of a net is.
struct Links {
    /// For each driver with sinks: the item, then its pins as (body, name of the pin).
    nets: Vec<(usize, Vec<(usize, String)>)>,
    /// Pins of each body.
    pins: Vec<Vec<(String, usize, bool)>>,
}

impl Links {
    fn new(netlist: &Netlist) -> Self {
        let mut links = Links { nets: Vec::new(), pins: vec![Vec::new(); netlist.items.len()] };
        // Names of macro pins, in item order so that the same master looks the same everywhere.
        let mut names: Vec<String> = vec![String::new(); netlist.items.len()];
        for (i, item) in netlist.items.iter().enumerate().filter(|(_, item)| item.kind.is_pin()) {
            let owner = item.owner as usize;
            let prefix = netlist.items.get(owner).map_or("", |o| o.name.as_str());
            let rest = item.name.strip_prefix(prefix).unwrap_or(&item.name);
            let stem = lefdef_name(rest.trim_start_matches('/'));
            let stem = if stem.is_empty() { "P".to_owned() } else { stem };
            let taken = |name: &str| links.pins[owner].iter().any(|(n, _, _)| n == name);
            let mut name = stem.clone();
            let mut n = 1;
            while taken(&name) {
                n += 1;
                name = format!("{stem}_{n}");
            }
            links.pins[owner].push((name.clone(), i, !item.sinks.is_empty()));
            names[i] = name;
        }
        let mut received = vec![0u32; netlist.items.len()];
        for (i, item) in netlist.items.iter().enumerate().filter(|(_, i)| !i.sinks.is_empty()) {
            let mut ends = Vec::with_capacity(item.sinks.len() + 1);
            for (end, drives) in
                std::iter::once((i, true)).chain(item.sinks.iter().map(|s| (*s as usize, false)))
            {
                let Some(this) = netlist.items.get(end) else { continue };
                if this.kind.is_pin() {
                    let owner = this.owner as usize;
                    let again = !drives && (!this.sinks.is_empty() || received[end] > 0);
                    received[end] += u32::from(!drives);
                    let mut name = names[end].clone();
                    if again {
                        name = format!("{name}__{}", received[end]);
                        links.pins[owner].push((name.clone(), end, false));
                    }
                    ends.push((owner, name));
                    continue;
                }
                let pins = &mut links.pins[end];
                let inputs = pins.iter().filter(|p| !p.2).count();
                let name = match (this.kind, drives, pins.len()) {
                    (Kind::Port, _, 0) => lefdef_name(&this.name),
                    (Kind::Port, _, n) => format!("{}__{n}", lefdef_name(&this.name)),
                    (_, true, _) => "Z".to_owned(),
                    _ => format!("A{inputs}"),
                };
                pins.push((name.clone(), end, drives));
                ends.push((end, name));
            }
            links.nets.push((i, ends));
        }
        links
    }

    fn shape(&self, netlist: &Netlist, body: usize, site: i64, row: i64) -> Shape {
        let item: &Item = &netlist.items[body];
        let block = item.kind == Kind::Hard;
        let (w, h) = (dbu(item.width), dbu(item.height));
        let up = |v: i64, unit: i64| ((v + unit - 1) / unit).max(1) * unit;
        let size = if block { [w, h] } else { [up(w, site), up(h, row)] };
        let mut pins: Vec<Pin> = self.pins[body]
            .iter()
            .map(|(name, pin, drives)| {
                let (dx, dy) = match netlist.items[*pin].kind {
                    Kind::HardPin | Kind::SoftPin => netlist.items[*pin].offset,
                    _ => (0.0, 0.0),
                };
                // From the corner that is placed, whose distance to the centre is the true one.
                let at = [dbu(item.width / 2.0 + dx), dbu(item.height / 2.0 + dy)];
                (name.clone(), at, *drives)
            })
            .collect();
        pins.sort();
        Shape { size, block, pins }
    }

    fn write(&self, netlist: &Netlist, placement: &Placement, def: &mut String) {
        let ports: Vec<(usize, &(String, usize, bool), usize)> = self
            .nets
            .iter()
            .enumerate()
            .flat_map(|(n, (_, ends))| ends.iter().map(move |end| (n, end)))
            .filter(|(_, end)| netlist.items[end.0].kind == Kind::Port)
            .filter_map(|(n, end)| {
                let pin = self.pins[end.0].iter().find(|p| p.0 == end.1)?;
                Some((n, pin, end.0))
            })
            .collect();
        let net_name = |n: usize| {
            let driver = &netlist.items[self.nets[n].0];
            lefdef_name(&driver.name)
        };
        let _ = writeln!(def, "PINS {} ;", ports.len());
        for (net, (name, _, drives), port) in &ports {
            let direction = if *drives { "INPUT" } else { "OUTPUT" };
            let _ = write!(
                def,
                "- {name} + NET {} + DIRECTION {direction} + USE SIGNAL",
                net_name(*net)
            );
            if let Some(spot) = placement.spots.get(*port).copied().flatten() {
                let _ = write!(
                    def,
                    " + LAYER M1 ( -1 -1 ) ( 1 1 ) + FIXED ( {} {} ) N",
                    dbu(spot.x),
                    dbu(spot.y)
                );
            }
            def.push_str(" ;\n");
        }
        let _ = writeln!(def, "END PINS\nNETS {} ;", self.nets.len());
        for (n, (driver, ends)) in self.nets.iter().enumerate() {
            let _ = write!(def, "- {}", net_name(n));
            for (body, pin) in ends {
                if netlist.items[*body].kind == Kind::Port {
                    let _ = write!(def, " ( PIN {pin} )");
                } else {
                    let _ = write!(def, " ( {} {pin} )", lefdef_name(&netlist.items[*body].name));
                }
            }
            let weight = netlist.items[*driver].net_weight().round();
            if weight > 1.0 {
                let _ = write!(def, " + WEIGHT {weight}");
            }
            def.push_str(" + USE SIGNAL ;\n");
        }
        def.push_str("END NETS\n");
    }
}
