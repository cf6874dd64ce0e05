//! What the floorplan forbids: outside the die, blockages, fences. Found through an R-tree.

use cellwright_db::floorplan::{BlockageKind, RegionKind};
use cellwright_db::{CellId, Design, Rect, RegionId};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use crate::area::{PPM, disjoint, outside, ppm};

/// A rectangle of the floorplan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patch {
    /// A notch of the die outline.
    Notch,
    /// A hard blockage by its number in the floorplan.
    Hard(u32),
    /// A partial blockage by its number in [`Ground::partials`].
    Partial(u32),
    /// A part of a fence; parts of one fence do not overlap.
    Fence(RegionId),
}

/// A partial blockage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partial {
    pub(crate) rect: Rect,
    /// The most area that cells may take, DBU².
    pub(crate) limit: i64,
}

// f64 holds every i32 exactly, and the tree's areas cannot overflow in it.
type Entry = GeomWithData<Rectangle<[f64; 2]>, (Rect, Patch)>;

/// The floorplan's rectangles.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    pub(crate) die: Rect,
    tree: RTree<Entry>,
    pub(crate) partials: Vec<Partial>,
    fences: Vec<bool>,
    owners: Vec<CellId>,
}

fn corners(rect: &Rect) -> ([f64; 2], [f64; 2]) {
    let point = |x: i32, y: i32| [f64::from(x), f64::from(y)];
    (point(rect.lo.x, rect.lo.y), point(rect.hi.x, rect.hi.y))
}

impl Ground {
    pub(crate) fn new(design: &Design) -> Ground {
        let plan = design.floorplan();
        let mut patches: Vec<(Rect, Patch)> = Vec::new();
        let mut partials = Vec::new();
        let notches = outside(&plan.die_outline, plan.die);
        patches.extend(notches.into_iter().map(|rect| (rect, Patch::Notch)));
        for (number, blockage) in plan.blockages.iter().enumerate() {
            let rect = blockage.rect;
            match blockage.kind {
                BlockageKind::Hard => patches.push((rect, Patch::Hard(number as u32))),
                BlockageKind::Soft => {}
                BlockageKind::Partial(share) => {
                    let limit = i128::from(rect.area()) * i128::from(ppm(share)) / i128::from(PPM);
                    patches.push((rect, Patch::Partial(partials.len() as u32)));
                    partials.push(Partial { rect, limit: limit as i64 });
                }
            }
        }
        for (number, region) in plan.regions.iter().enumerate() {
            if region.kind == RegionKind::Fence {
                let fence = Patch::Fence(RegionId::new(number));
                patches.extend(disjoint(&region.rects).into_iter().map(|rect| (rect, fence)));
            }
        }
        let entries = patches.into_iter().filter(|(rect, _)| !rect.is_empty()).map(|patch| {
            let (lo, hi) = corners(&patch.0);
            GeomWithData::new(Rectangle::from_corners(lo, hi), patch)
        });
        Ground {
            die: plan.die,
            tree: RTree::bulk_load(entries.collect()),
            partials,
            fences: plan.regions.iter().map(|region| region.kind == RegionKind::Fence).collect(),
            owners: plan.blockages.iter().map(|blockage| blockage.cell).collect(),
        }
    }

    /// Calls `each` with every patch that shares area with `rect`.
    pub(crate) fn each(&self, rect: &Rect, mut each: impl FnMut(&Rect, Patch)) {
        if self.tree.size() == 0 {
            return;
        }
        let (lo, hi) = corners(rect);
        for entry in self.tree.locate_in_envelope_intersecting(AABB::from_corners(lo, hi)) {
            let (patch, kind) = &entry.data;
            if patch.overlaps(rect) {
                each(patch, *kind);
            }
        }
    }
    /// Calls `each` with every partial blockage that shares area with `rect`, and that area.
    pub(crate) fn each_partial(&self, rect: &Rect, mut each: impl FnMut(usize, i64)) {
        if self.partials.is_empty() {
            return;
        }
        self.each(rect, |patch, kind| {
            if let Patch::Partial(number) = kind {
                each(number as usize, patch.intersection(rect).area());
            }
        });
    }
    /// Whether the region binds its members.
    pub(crate) fn is_fence(&self, region: RegionId) -> bool {
        self.fences.get(region.index()).copied().unwrap_or(false)
    }
    /// Whether a hard blockage belongs to the cell.
    pub(crate) fn belongs(&self, blockage: u32, cell: CellId) -> bool {
        self.owners.get(blockage as usize) == Some(&cell)
    }
}
