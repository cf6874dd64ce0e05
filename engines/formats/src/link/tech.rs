//! Technology and master geometry from LEF files.

use cellwright_db::library::{MasterClass, PinDirection, Rail};
use cellwright_db::tech::{Direction, Layer, LayerKind, Site, Symmetry};
use cellwright_db::{IdVec, LayerId, Point, Rect, SiteId, Technology};
use hashbrown::HashMap;

use super::shapes::Grid;
use crate::lef::{self, Geometry, LefFile, Macro};
use crate::text::{Problems, Severity, Source};

/// The geometry that a LEF macro gives to a master; positions from the lower-left corner.
#[derive(Debug, Clone)]
pub struct MacroGeometry {
    /// Name.
    pub name: String,
    /// Class.
    pub class: MasterClass,
    /// Width and height, DBU.
    pub size: (i32, i32),
    /// Site by name.
    pub site: Option<SiteId>,
    /// Allowed mirrorings.
    pub symmetry: Symmetry,
    /// Pins in file order.
    pub pins: Vec<MacroPin>,
    /// Obstructions.
    pub obstructions: Vec<(LayerId, Rect)>,
    /// Edge types (left, right).
    pub edge_types: Option<(String, String)>,
}

/// A pin of a LEF macro.
#[derive(Debug, Clone)]
pub struct MacroPin {
    /// Name.
    pub name: String,
    /// Direction.
    pub direction: PinDirection,
    /// Set for supply pins.
    pub rail: Option<Rail>,
    /// `USE CLOCK`.
    pub is_clock: bool,
    /// Shapes.
    pub shapes: Vec<(LayerId, Rect)>,
}

/// What several LEF files say together.
#[derive(Debug, Clone)]
pub struct LefTech {
    /// The technology.
    pub tech: Technology,
    /// The macros; of one name the first stays.
    pub macros: Vec<MacroGeometry>,
}

/// Joins LEF files in the order given. `dbu_per_micron` is the DEF's where there is one; else the
/// first `DATABASE MICRONS` of the LEFs counts, else 1000.
pub fn link(
    name: &str,
    files: &[(&Source, LefFile<'_>)],
    dbu_per_micron: Option<i32>,
    problems: &mut Problems,
) -> LefTech {
    let database = files.iter().find_map(|(_, file)| file.units.database);
    let dbu = dbu_per_micron.or(database.map(|d| d as i32)).filter(|d| *d > 0).unwrap_or(1000);
    let mut grid = Grid::new(dbu);
    let mut digest = blake3::Hasher::new();
    digest.update(&dbu.to_le_bytes());
    let mut tech = Technology {
        name: name.to_owned(),
        dbu_per_micron: dbu,
        manufacturing_grid: 0,
        layers: IdVec::new(),
        sites: IdVec::new(),
        edge_spacing: Vec::new(),
        digest: [0; 32],
    };
    let mut layer_ids: HashMap<String, LayerId> = HashMap::new();
    let mut site_ids: HashMap<String, SiteId> = HashMap::new();
    for (source, file) in files {
        digest.update(blake3::hash(source.bytes()).as_bytes());
        if let Some(microns) = file.manufacturing_grid {
            tech.manufacturing_grid = grid.dbu(microns);
        }
        for layer in &file.layers {
            if layer_ids.contains_key(layer.name) {
                continue;
            }
            let id = tech.layers.push(link_layer(layer, &mut grid));
            layer_ids.insert(layer.name.to_owned(), id);
        }
        for site in &file.sites {
            if site_ids.contains_key(site.name) {
                continue;
            }
            let size = match (site.size, row_pattern_size(site, file)) {
                (Some(size), _) | (None, Some(size)) => size,
                (None, None) => {
                    problems.report(
                        Severity::Error,
                        "link-site-size",
                        source,
                        site.at.get(),
                        || format!("site `{}` has no SIZE; rows of it cannot be used", site.name),
                    );
                    continue;
                }
            };
            let id = tech.sites.push(Site {
                name: site.name.to_owned(),
                width: grid.dbu(size.0),
                height: grid.dbu(size.1),
                symmetry: symmetry(site.symmetry),
            });
            site_ids.insert(site.name.to_owned(), id);
        }
        for rule in lef::cell_edge_spacings(file).unwrap_or_default() {
            // Optional rules do not bind, and where touching is allowed only a gap matters; the
            // legality rule knows one number, so the table keeps what must hold in every case.
            if !rule.optional && !rule.except_abutted {
                let spacing = grid.dbu(rule.spacing);
                tech.edge_spacing.push((rule.first.to_owned(), rule.second.to_owned(), spacing));
            }
        }
    }
    let mut macros = Vec::new();
    let mut seen: HashMap<&str, ()> = HashMap::new();
    for (source, file) in files {
        for cell in &file.macros {
            if seen.insert(cell.name, ()).is_some() {
                problems.report(
                    Severity::Warning,
                    "link-macro-twice",
                    source,
                    cell.at.get(),
                    || {
                        format!(
                            "macro `{}` is defined twice; the first definition stays",
                            cell.name
                        )
                    },
                );
                continue;
            }
            macros
                .push(link_macro(source, cell, &layer_ids, &site_ids, &tech, &mut grid, problems));
        }
    }
    if grid.rounded > 0
        && let Some((source, _)) = files.first()
    {
        problems.report(Severity::Info, "link-off-grid", source, 0, || {
            format!(
                "{} LEF lengths are no multiple of 1/{dbu} µm and were rounded to the nearest",
                grid.rounded
            )
        });
    }
    tech.digest = *digest.finalize().as_bytes();
    LefTech { tech, macros }
}

fn symmetry(symmetry: lef::Symmetry) -> Symmetry {
    Symmetry { x: symmetry.x, y: symmetry.y, r90: symmetry.r90 }
}

/// A site with a row pattern and no size is as wide as its parts together and as high as the first.
fn row_pattern_size(site: &lef::Site<'_>, file: &LefFile<'_>) -> Option<(f64, f64)> {
    let part = |name: &str| file.sites.iter().find(|other| other.name == name)?.size;
    let parts: Option<Vec<_>> = site.row_pattern.iter().map(|(name, _)| part(name)).collect();
    let parts = parts.filter(|parts| !parts.is_empty())?;
    Some((parts.iter().map(|part| part.0).sum(), parts[0].1))
}

fn link_layer(layer: &lef::Layer<'_>, grid: &mut Grid) -> Layer {
    let pair = |pair: Option<(f64, f64)>, grid: &mut Grid| match pair {
        Some((x, y)) => (grid.dbu(x), grid.dbu(y)),
        None => (0, 0),
    };
    let plain_spacing = layer.spacings.iter().find(|spacing| spacing.is_plain());
    Layer {
        name: layer.name.to_owned(),
        kind: match layer.kind {
            lef::LayerKind::Routing => LayerKind::Routing,
            lef::LayerKind::Cut => LayerKind::Cut,
            lef::LayerKind::Overlap => LayerKind::Overlap,
            lef::LayerKind::Implant => LayerKind::Implant,
            lef::LayerKind::Masterslice | lef::LayerKind::None => LayerKind::Masterslice,
        },
        direction: match layer.direction {
            Some(lef::Direction::Horizontal) => Some(Direction::Horizontal),
            Some(lef::Direction::Vertical) => Some(Direction::Vertical),
            _ => None,
        },
        pitch: pair(layer.pitch, grid),
        width: layer.width.map_or(0, |width| grid.dbu(width)),
        spacing: plain_spacing.map_or(0, |spacing| grid.dbu(spacing.value)),
        // LEF: ohm per square (or per cut), pF per µm², pF per µm.
        resistance: layer.resistance.map(|ohm| ohm / 1000.0),
        capacitance: layer.capacitance,
        edge_capacitance: layer.edge_capacitance,
    }
}

fn link_macro(
    source: &Source,
    cell: &Macro<'_>,
    layers: &HashMap<String, LayerId>,
    sites: &HashMap<String, SiteId>,
    tech: &Technology,
    grid: &mut Grid,
    problems: &mut Problems,
) -> MacroGeometry {
    let size = cell.size.unwrap_or_else(|| {
        problems.report(Severity::Error, "link-macro-size", source, cell.at.get(), || {
            format!("macro `{}` has no SIZE; taken as 0 by 0", cell.name)
        });
        (0.0, 0.0)
    });
    // ORIGIN shifts the drawing so that the lower-left corner of the outline is at (0, 0).
    let origin = grid.point(cell.origin);
    let mut geometry = |geometry: &Geometry<'_>, out: &mut Vec<(LayerId, Rect)>| {
        for layer in &geometry.layers {
            let Some(&id) = layers.get(layer.layer) else {
                problems.report(
                    Severity::Warning,
                    "link-unknown-layer",
                    source,
                    layer.at.get(),
                    || format!("layer `{}` is not in the technology; its shapes are left out; give the technology LEF first", layer.layer),
                );
                continue;
            };
            let width = f64::from(tech.layers[id].width) / f64::from(tech.dbu_per_micron);
            let mut rects = Vec::new();
            layer.shapes.iter().for_each(|shape| grid.rects(shape, width, &mut rects));
            out.extend(rects.into_iter().map(|rect| (id, rect.shifted(origin.x, origin.y))));
        }
    };
    let mut pins = Vec::new();
    for pin in &cell.pins {
        let mut shapes = Vec::new();
        pin.ports.iter().for_each(|port| geometry(&port.geometry, &mut shapes));
        pins.push(MacroPin {
            name: pin.name.to_owned(),
            direction: match pin.direction {
                Some(lef::PinDirection::Input) => PinDirection::Input,
                Some(lef::PinDirection::Output | lef::PinDirection::OutputTristate) => {
                    PinDirection::Output
                }
                Some(lef::PinDirection::Inout) => PinDirection::Inout,
                Some(lef::PinDirection::Feedthru) | None => PinDirection::Unknown,
            },
            rail: match pin.usage {
                Some(lef::Use::Power) => Some(Rail::Power),
                Some(lef::Use::Ground) => Some(Rail::Ground),
                _ => None,
            },
            is_clock: pin.usage == Some(lef::Use::Clock),
            shapes,
        });
    }
    let mut obstructions = Vec::new();
    geometry(&cell.obs, &mut obstructions);
    MacroGeometry {
        name: cell.name.to_owned(),
        class: class(cell),
        size: (grid.dbu(size.0), grid.dbu(size.1)),
        site: cell.sites.first().and_then(|site| sites.get(site.site).copied()),
        symmetry: symmetry(cell.symmetry),
        pins,
        obstructions,
        edge_types: edge_types(cell),
    }
}

fn edge_types(cell: &Macro<'_>) -> Option<(String, String)> {
    let types = lef::edge_types(cell)?;
    let of = |edge: &str| {
        let found = types.iter().find(|edge_type| edge_type.edge.eq_ignore_ascii_case(edge));
        found.map_or("DEFAULT", |edge_type| edge_type.name).to_owned()
    };
    (!types.is_empty()).then(|| (of("LEFT"), of("RIGHT")))
}

fn class(cell: &Macro<'_>) -> MasterClass {
    let is = |word: Option<&str>, wanted: &str| {
        word.is_some_and(|word| word.eq_ignore_ascii_case(wanted))
    };
    match cell.class {
        class if is(class, "CORE") => match cell.subclass {
            subclass if is(subclass, "SPACER") => MasterClass::Spacer,
            subclass if is(subclass, "WELLTAP") => MasterClass::WellTap,
            _ => MasterClass::Core,
        },
        class if is(class, "ENDCAP") => MasterClass::Endcap,
        class if is(class, "BLOCK") => MasterClass::Block,
        class if is(class, "PAD") => MasterClass::Pad,
        class if is(class, "COVER") || is(class, "RING") => MasterClass::Cover,
        // LEF 5.8: a macro without CLASS is a core cell in practice.
        _ => MasterClass::Core,
    }
}

/// Where wires meet a pin: bounding box of its shapes and its centre; the middle of the cell when
/// it has none.
pub(super) fn pin_box(shapes: &[(LayerId, Rect)], size: (i32, i32)) -> (Rect, Point) {
    let bounds = shapes.iter().map(|(_, rect)| *rect).reduce(|a, b| a.union(&b));
    let middle = Point::new(size.0 / 2, size.1 / 2);
    let bounds = bounds.unwrap_or(Rect { lo: middle, hi: middle });
    (bounds, bounds.center())
}
