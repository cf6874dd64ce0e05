//! Tracks per bin, and what macros cover of them.

use cellwright_db::library::MasterClass;
use cellwright_db::tech::{Direction, LayerKind};
use cellwright_db::{CellId, Design, LayerId, MasterId, Place, Rect};

use super::UNIT;
use crate::area::disjoint;
use crate::grid::Grid;

/// A routing layer in use.
#[derive(Clone, Copy, Debug)]
struct Layer {
    id: LayerId,
    /// 0: horizontal wire, 1: vertical.
    lane: usize,
    /// Distance of tracks, DBU, at least 1.
    pitch: i64,
}

/// The routing layers in use.
#[derive(Clone, Debug)]
pub(crate) struct Layers {
    layers: Vec<Layer>,
}

/// A placed macro whose obstructions cover tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocker {
    master: MasterId,
    place: Place,
}

impl Blocker {
    /// The cell as a blocker, if it is a placed macro.
    pub(crate) fn of(design: &Design, cell: CellId) -> Option<Blocker> {
        if !design.has_cell(cell) || design.master(cell).class != MasterClass::Block {
            return None;
        }
        let place = design.place(cell);
        place.is_placed().then_some(Blocker { master: design.master_id(cell), place })
    }
}

impl Layers {
    pub(crate) fn new(
        design: &Design,
        lowest: Option<LayerId>,
        highest: Option<LayerId>,
    ) -> Layers {
        let layers = design.tech().layers.iter();
        let routing: Vec<_> =
            layers.filter(|(_, layer)| layer.kind == LayerKind::Routing).collect();
        let lowest = lowest.or_else(|| routing.get(1).map(|(id, _)| *id));
        let layers = routing
            .into_iter()
            .filter(|(id, _)| lowest.is_none_or(|lowest| *id >= lowest))
            .filter(|(id, _)| highest.is_none_or(|highest| *id <= highest))
            .filter_map(|(id, layer)| {
                let lane = match layer.direction? {
                    Direction::Horizontal => 0,
                    Direction::Vertical => 1,
                };
                let tracks = design.floorplan().tracks.iter();
                let given = tracks.filter(|t| t.layer == id && t.along_x == (lane == 1));
                let given = given.map(|tracks| tracks.step).filter(|step| *step > 0).min();
                let wire = layer.width.saturating_add(layer.spacing);
                let own = if lane == 0 { layer.pitch.1 } else { layer.pitch.0 };
                let pitch = given.unwrap_or(if own > 0 { own } else { wire });
                (pitch > 0).then_some(Layer { id, lane, pitch: i64::from(pitch) })
            })
            .collect();
        Layers { layers }
    }

    /// Calls `add` with bin, lane and track length (DBU / [`UNIT`]) left by layer blockages: their
    /// union covers tracks in proportion to its area. A layer without `TRACKS` has tracks of its
    /// pitch everywhere.
    pub(crate) fn tracks(
        &self,
        design: &Design,
        grid: &Grid,
        mut add: impl FnMut(usize, usize, i64),
    ) {
        let plan = design.floorplan();
        for layer in &self.layers {
            let of_layer = plan.tracks.iter().filter(|tracks| tracks.layer == layer.id);
            let tracks: Vec<_> =
                of_layer.filter(|tracks| tracks.along_x == (layer.lane == 1)).collect();
            for index in 0..grid.len() {
                let bin = grid.bin(index);
                let (length, across) = match layer.lane {
                    0 => (bin.width(), (bin.lo.y, bin.hi.y)),
                    _ => (bin.height(), (bin.lo.x, bin.hi.x)),
                };
                let supply = if tracks.is_empty() {
                    let breadth = i64::from(across.1) - i64::from(across.0);
                    length.saturating_mul(breadth).saturating_mul(UNIT) / layer.pitch
                } else {
                    let count =
                        |t: &&_| tracks_below(t, across.0).abs_diff(tracks_below(t, across.1));
                    let count: u64 = tracks.iter().map(count).sum();
                    length.saturating_mul(UNIT).saturating_mul(count as i64)
                };
                add(index, layer.lane, supply);
            }
            let on_layer = plan.layer_blockages.iter().filter(|(id, _)| *id == layer.id);
            let rects: Vec<Rect> = on_layer.map(|(_, rect)| *rect).collect();
            let mut blocked: Vec<(usize, i64)> = Vec::new();
            for rect in disjoint(&rects) {
                grid.each_overlap(&rect, |bin, area| blocked.push((bin, area)));
            }
            blocked.sort_unstable();
            // The union is rounded once per bin.
            for of_bin in blocked.chunk_by(|a, b| a.0 == b.0) {
                let area = of_bin.iter().fold(0_i64, |sum, (_, area)| sum.saturating_add(*area));
                add(of_bin[0].0, layer.lane, -(area.saturating_mul(UNIT) / layer.pitch));
            }
        }
    }

    /// Calls `each` with bin, lane and covered track length (DBU / [`UNIT`]) of every obstruction
    /// of a macro on a layer in use.
    pub(crate) fn each_covered(
        &self,
        design: &Design,
        grid: &Grid,
        blocker: &Blocker,
        mut each: impl FnMut(usize, usize, i64),
    ) {
        let master = &design.library().masters[blocker.master];
        let Blocker { place, .. } = blocker;
        for layer in &self.layers {
            let on_layer = master.obstructions.iter().filter(|(id, _)| *id == layer.id);
            for (_, rect) in on_layer {
                let rect = place.orient.apply_rect(*rect, master.width, master.height);
                let rect = rect.shifted(place.x, place.y);
                grid.each_overlap(&rect, |bin, area| {
                    each(bin, layer.lane, area.saturating_mul(UNIT) / layer.pitch);
                });
            }
        }
    }
}

/// How many tracks lie below `at`.
fn tracks_below(tracks: &cellwright_db::floorplan::Tracks, at: i32) -> i64 {
    let step = i64::from(tracks.step.max(1));
    let beyond = i64::from(at) - i64::from(tracks.start);
    (beyond + step - 1).div_euclid(step).clamp(0, i64::from(tracks.count.max(0)))
}
