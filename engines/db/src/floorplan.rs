//! The floorplan: die, rows, tracks, blockages, regions, halos (from DEF). Fixed for a lineage.

use crate::geom::{Orient, Point, Rect};
use crate::ids::{CellId, LayerId, SiteId};

/// One row of sites; rows of a DEF `DO n BY m` with m > 1 are stored as m rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// DEF name.
    pub name: String,
    /// The site that it repeats.
    pub site: SiteId,
    /// Lower-left corner, DBU.
    pub origin: Point,
    /// Orientation of a cell that stands in it.
    pub orient: Orient,
    /// How many sites.
    pub count: i32,
    /// Distance of sites along x, DBU.
    pub step: i32,
}

/// Tracks of one layer in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracks {
    /// Layer.
    pub layer: LayerId,
    /// True for vertical tracks (DEF `TRACKS X`).
    pub along_x: bool,
    /// First track, DBU.
    pub start: i32,
    /// How many.
    pub count: i32,
    /// Distance, DBU.
    pub step: i32,
}

/// What a placement blockage forbids (DEF `BLOCKAGES … PLACEMENT`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BlockageKind {
    /// No cell may overlap.
    Hard,
    /// Global placement keeps away; legalisation and sizing may use it.
    Soft,
    /// At most this part (0..=1) of the area may be used.
    Partial(f64),
}

/// A placement blockage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blockage {
    /// What it forbids.
    pub kind: BlockageKind,
    /// Where, DBU.
    pub rect: Rect,
    /// The cell that it belongs to, or [`CellId::NONE`].
    pub cell: CellId,
}

/// Whether a region binds its members (DEF `REGIONS … TYPE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// Members only, and members inside only.
    Fence,
    /// A preference.
    Guide,
}

/// A region of the floorplan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// DEF name.
    pub name: String,
    /// Whether it binds.
    pub kind: RegionKind,
    /// Its area as rectangles, DBU.
    pub rects: Vec<Rect>,
}

/// Keep-out margins around a cell, DBU (DEF `HALO`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halo {
    /// The cell.
    pub cell: CellId,
    /// Left, bottom, right, top margins in the cell's placed orientation, DBU.
    pub margins: [i32; 4],
    /// Soft halos only guide global placement.
    pub soft: bool,
}

/// Die, rows, tracks, blockages, regions and halos.
#[derive(Clone, Debug, Default)]
pub struct Floorplan {
    /// Outline of the die; a rectangle has two points, a polygon more.
    pub die_outline: Vec<Point>,
    /// Bounding box of the die.
    pub die: Rect,
    /// Rows in ascending (y, x).
    pub rows: Vec<Row>,
    /// Routing tracks.
    pub tracks: Vec<Tracks>,
    /// Placement blockages.
    pub blockages: Vec<Blockage>,
    /// Routing blockages.
    pub layer_blockages: Vec<(LayerId, Rect)>,
    /// Regions, indexed by [`crate::RegionId`].
    pub regions: Vec<Region>,
    /// Halos in ascending cell order.
    pub halos: Vec<Halo>,
    /// BLAKE3 over the content, see [`Floorplan::seal`].
    pub digest: [u8; 32],
}

impl Floorplan {
    /// Bounding box of the rows (the core area), or of the die where there is no row.
    ///
    /// `site_height` gives the height of a row's site, DBU.
    pub fn core(&self, site_height: impl Fn(SiteId) -> i32) -> Rect {
        let boxes = self.rows.iter().map(|row| row.rect(site_height(row.site)));
        boxes.reduce(|a, b| a.union(&b)).unwrap_or(self.die)
    }

    /// Computes the digest from the content; call it after the last change.
    pub fn seal(&mut self) {
        self.digest = [0; 32];
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"cellwright floorplan v1");
        // Debug prints every field of every part, in order, and floats so that they read back.
        hasher.update(format!("{self:?}").as_bytes());
        self.digest = *hasher.finalize().as_bytes();
    }
}

impl Row {
    /// Its area, given the height of its site in DBU.
    pub fn rect(&self, height: i32) -> Rect {
        let end = i64::from(self.origin.x) + i64::from(self.count) * i64::from(self.step);
        let end = end.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
        Rect::new(self.origin.x, self.origin.y, end, self.origin.y.saturating_add(height))
    }
}
