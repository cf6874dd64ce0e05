//! The technology: layers, sites and the grid (from LEF).

use crate::ids::{IdVec, LayerId, SiteId};

/// What a layer is for (LEF `LAYER … TYPE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    /// A metal layer.
    Routing,
    /// A via cut layer.
    Cut,
    /// A polysilicon or diffusion layer.
    Masterslice,
    /// An overlap layer (rectilinear block outlines).
    Overlap,
    /// An implant layer.
    Implant,
}

/// The preferred direction of a routing layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Along x.
    Horizontal,
    /// Along y.
    Vertical,
}

/// One technology layer.
#[derive(Clone, Debug)]
pub struct Layer {
    /// LEF name.
    pub name: String,
    /// What it is for.
    pub kind: LayerKind,
    /// Preferred direction of a routing layer.
    pub direction: Option<Direction>,
    /// Track pitch in x and y, DBU; 0 where not given.
    pub pitch: (i32, i32),
    /// Default wire width, DBU; 0 where not given.
    pub width: i32,
    /// Minimum spacing, DBU; 0 where not given.
    pub spacing: i32,
    /// Sheet resistance, kΩ per square (routing), or kΩ per cut (cut layers).
    pub resistance: Option<f64>,
    /// Area capacitance, pF/µm².
    pub capacitance: Option<f64>,
    /// Edge capacitance, pF/µm.
    pub edge_capacitance: Option<f64>,
}

impl Layer {
    /// Resistance of a default-width wire, kΩ/µm (LEF 5.8: `RPERSQ` / width).
    pub fn wire_resistance(&self, dbu_per_micron: i32) -> Option<f64> {
        let width = f64::from(self.width) / f64::from(dbu_per_micron);
        self.resistance.filter(|_| width > 0.0).map(|per_square| per_square / width)
    }
    /// Capacitance of a default-width wire, pF/µm (LEF 5.8: `CPERSQDIST` × width + 2 × `EDGECAPACITANCE`).
    pub fn wire_capacitance(&self, dbu_per_micron: i32) -> Option<f64> {
        let width = f64::from(self.width) / f64::from(dbu_per_micron);
        let area = self.capacitance.map(|per_area| per_area * width);
        match (area, self.edge_capacitance) {
            (None, None) => None,
            (area, edge) => Some(area.unwrap_or(0.0) + 2.0 * edge.unwrap_or(0.0)),
        }
    }
}

/// A placement site (LEF `SITE`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// LEF name.
    pub name: String,
    /// Width, DBU.
    pub width: i32,
    /// Height, DBU.
    pub height: i32,
    /// May be mirrored about x, about y, rotated by 90°.
    pub symmetry: Symmetry,
}

/// LEF `SYMMETRY`: which orientations keep a macro or site usable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Symmetry {
    /// N and FS are equivalent.
    pub x: bool,
    /// N and FN are equivalent.
    pub y: bool,
    /// Rotations by 90° are allowed.
    pub r90: bool,
}

/// The technology of a design.
#[derive(Clone, Debug)]
pub struct Technology {
    /// Name, e.g. `nangate45`.
    pub name: String,
    /// DBU per µm.
    pub dbu_per_micron: i32,
    /// Manufacturing grid, DBU; 0 where not given.
    pub manufacturing_grid: i32,
    /// Layers from the substrate up.
    pub layers: IdVec<LayerId, Layer>,
    /// Placement sites.
    pub sites: IdVec<SiteId, Site>,
    /// Edge-to-edge spacing by edge types, DBU (LEF58_CELLEDGESPACINGTABLE): (type, type, spacing).
    pub edge_spacing: Vec<(String, String, i32)>,
    /// BLAKE3 over the sources.
    pub digest: [u8; 32],
}

impl Technology {
    /// The layer of a name.
    pub fn layer(&self, name: &str) -> Option<LayerId> {
        self.layers.iter().find(|(_, layer)| layer.name == name).map(|(id, _)| id)
    }
    /// The site of a name.
    pub fn site(&self, name: &str) -> Option<SiteId> {
        self.sites.iter().find(|(_, site)| site.name == name).map(|(id, _)| id)
    }
    /// DBU as µm.
    pub fn microns(&self, dbu: i64) -> f64 {
        dbu as f64 / f64::from(self.dbu_per_micron)
    }
    /// DBU² as µm².
    pub fn square_microns(&self, dbu2: i64) -> f64 {
        let scale = f64::from(self.dbu_per_micron);
        dbu2 as f64 / (scale * scale)
    }
}
