//! Congestion overflow: expected wire without a track, as a part of all expected wire.
//!
//! Bins of at least four row heights, at most 256 along a side ([`Grid`]). Lengths are in 1 / 65536
//! of a DBU, so that all sums are exact.
//!
//! - *Demand*: a net of two or more located pins spreads the width of its box as horizontal wire
//!   and the height as vertical wire evenly over the box (RUDY: Spindler and Johannes, DATE 2007).
//!   A box without extent along an axis is 1 DBU wide there. The share of a bin's range of an axis
//!   is the difference of the running shares at its two ends, each rounded down.
//! - *Supply*: on each routing layer from the second up, in its direction, the length of the tracks
//!   that cross the bin (without `TRACKS` as many as the pitch allows), less the area of layer
//!   blockages and of macros' obstructions over the pitch, each rounded down.

use std::collections::BTreeMap;

use cellwright_db::floorplan::Tracks;
use cellwright_db::library::MasterClass;
use cellwright_db::tech::{Direction, Layer, LayerKind};
use cellwright_db::{LayerId, Rect};

use crate::area2d::{Area, turned_point, union_size};
use crate::grid::Grid;
use crate::state::State;

/// Parts of a DBU.
const UNIT: i128 = 1 << 16;

/// Overflow of a design; 0 without wire.
pub fn check(state: &State) -> f64 {
    let grid = Grid::over_core(state, 4, 256);
    let demand = demand(state, &grid);
    let supply = supply(state, &grid);
    let lanes = demand.iter().flatten().zip(supply.iter().flatten());
    let excess: i128 = lanes.map(|(wire, tracks)| (wire - (*tracks).max(0)).max(0)).sum();
    let all: i128 = demand.iter().flatten().sum();
    if all == 0 { 0.0 } else { excess as f64 / all as f64 }
}

/// `[horizontal, vertical]` by bin.
type Lanes = Vec<[i128; 2]>;

fn demand(state: &State, grid: &Grid) -> Lanes {
    let mut lanes = vec![[0; 2]; grid.bins.len()];
    for net in state.design.nets().filter(|net| state.design.net(*net).kind.is_routed()) {
        let pins = state.pins(net).iter().filter(|pin| state.is_placed(**pin));
        let points: Vec<(i64, i64)> = pins.filter_map(|pin| state.pin_point(*pin)).collect();
        let xs = || points.iter().map(|point| point.0);
        let ys = || points.iter().map(|point| point.1);
        let (Some(x0), Some(x1), Some(y0), Some(y1)) =
            (xs().min(), xs().max(), ys().min(), ys().max())
        else {
            continue;
        };
        let (width, height) = (x1 - x0, y1 - y0);
        let wide = Area { x0, y0, x1: x1.max(x0 + 1), y1: y1.max(y0 + 1) };
        for bin in grid.touched(&wide) {
            let part = grid.bins[bin].common(&wide);
            let share = |from: i64, to: i64, start: i64, end: i64| {
                let running = |at: i64| i128::from(at - start) * UNIT / i128::from(end - start);
                running(to) - running(from)
            };
            if width > 0 {
                let along = i128::from(part.x1 - part.x0);
                lanes[bin][0] += along * share(part.y0, part.y1, wide.y0, wide.y1);
            }
            if height > 0 {
                let along = i128::from(part.y1 - part.y0);
                lanes[bin][1] += along * share(part.x0, part.x1, wide.x0, wide.x1);
            }
        }
    }
    lanes
}

fn supply(state: &State, grid: &Grid) -> Lanes {
    let mut lanes = vec![[0; 2]; grid.bins.len()];
    let plan = state.design.floorplan();
    let layers = state.design.tech().layers.iter();
    let routing = layers.filter(|(_, layer)| layer.kind == LayerKind::Routing);
    for (id, layer) in routing.skip(1) {
        let Some(direction) = layer.direction else { continue };
        let lane = usize::from(direction == Direction::Vertical);
        let of_layer = |tracks: &&Tracks| tracks.layer == id && tracks.along_x == (lane == 1);
        let tracks: Vec<&Tracks> = plan.tracks.iter().filter(of_layer).collect();
        let pitch = pitch(layer, lane, &tracks);
        if pitch <= 0 {
            continue;
        }
        for (bin, area) in grid.bins.iter().enumerate() {
            let (along, low, high) = match lane {
                0 => (area.x1 - area.x0, area.y0, area.y1),
                _ => (area.y1 - area.y0, area.x0, area.x1),
            };
            let along = i128::from(along) * UNIT;
            lanes[bin][lane] += if tracks.is_empty() {
                along * i128::from(high - low) / pitch
            } else {
                let count = tracks.iter().map(|t| i128::from(below(t, high) - below(t, low)));
                along * count.sum::<i128>()
            };
        }
        let mut blocked: BTreeMap<usize, Vec<Area>> = BTreeMap::new();
        for (_, rect) in plan.layer_blockages.iter().filter(|(on, _)| *on == id) {
            let area = Area::of(rect);
            for bin in grid.touched(&area) {
                blocked.entry(bin).or_default().push(area.common(&grid.bins[bin]));
            }
        }
        for (bin, areas) in blocked {
            lanes[bin][lane] -= union_size(&areas) * UNIT / pitch;
        }
        for area in obstructions(state, id) {
            for bin in grid.touched(&area) {
                lanes[bin][lane] -= area.common(&grid.bins[bin]).size() * UNIT / pitch;
            }
        }
    }
    lanes
}

/// Distance of tracks: of the narrowest `TRACKS`, else the layer's pitch across its direction, else
/// its width and spacing. DBU.
fn pitch(layer: &Layer, lane: usize, tracks: &[&Tracks]) -> i128 {
    let given = tracks.iter().map(|tracks| tracks.step).filter(|step| *step > 0).min();
    let own = if lane == 0 { layer.pitch.1 } else { layer.pitch.0 };
    let wire = i128::from(layer.width) + i128::from(layer.spacing);
    given.map_or(if own > 0 { own.into() } else { wire }, i128::from)
}

/// How many tracks lie below a coordinate.
fn below(tracks: &Tracks, at: i64) -> i64 {
    let step = i64::from(tracks.step.max(1));
    let beyond = at - i64::from(tracks.start);
    (beyond + step - 1).div_euclid(step).clamp(0, i64::from(tracks.count.max(0)))
}

/// Obstructions of placed macros on a layer, where they lie, DBU.
fn obstructions(state: &State, layer: LayerId) -> Vec<Area> {
    let mut found = Vec::new();
    for cell in state.cells.iter().filter(|cell| cell.place.is_placed()) {
        let master = state.master(cell.master);
        if master.class != MasterClass::Block {
            continue;
        }
        let (width, height) = (master.width.into(), master.height.into());
        for (_, Rect { lo, hi }) in master.obstructions.iter().filter(|(on, _)| *on == layer) {
            let a = turned_point(cell.place.orient, *lo, width, height);
            let b = turned_point(cell.place.orient, *hi, width, height);
            let (x, y) = (i64::from(cell.place.x), i64::from(cell.place.y));
            found.push(Area {
                x0: x + a.0.min(b.0),
                y0: y + a.1.min(b.1),
                x1: x + a.0.max(b.0),
                y1: y + a.1.max(b.1),
            });
        }
    }
    found
}
