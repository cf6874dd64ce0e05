//! Density of the core in bins.
//!
//! The core is cut into bins of at least two row heights, at most 512 along a side ([`Grid`]). In
//! each bin:
//!
//! - *movable* is the area of placed movable cells;
//! - *free* is the ground in rows, less hard and soft blockages, notches of the die and fixed
//!   cells; ground under partial blockages counts by the smallest share over it, in whole
//!   millionths. Without rows all ground counts.
//!
//! Overflow is the sum over bins of what movable exceeds free, plus movable area outside the core,
//! over the movable area. A bin's fill is (movable + bin − free) / bin.

use cellwright_db::PlaceStatus;
use cellwright_db::floorplan::BlockageKind;
use cellwright_db::library::MasterClass;

use crate::area2d::Area;
use crate::grid::Grid;
use crate::state::State;

/// Shares are in millionths.
const WHOLE: i128 = 1_000_000;

/// Figures of the density, all exact quotients rounded once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Density {
    /// Movable area over the free area as a part of the movable area.
    pub overflow: f64,
    /// Highest fill of a bin.
    pub max: f64,
    /// Fill of the whole core.
    pub mean: f64,
    /// Movable over free area of the whole core.
    pub utilisation: f64,
}

/// An area of which only a share may be used, in millionths.
type Cap = (Area, i128);

/// Computes the density.
pub fn check(state: &State) -> Density {
    let grid = Grid::over_core(state, 2, 512);
    let (core, bins) = (grid.core, &grid.bins);
    let touched = |area: &Area| grid.touched(area);
    let mut caps: Vec<Vec<Cap>> = vec![Vec::new(); bins.len()];
    let mut movable = vec![0_i128; bins.len()];
    let (mut all_movable, mut inside) = (0, 0);
    for (area, share) in ground_caps(state) {
        touched(&area).into_iter().for_each(|bin| caps[bin].push((area, share)));
    }
    for cell in &state.cells {
        let cover = state.master(cell.master).class == MasterClass::Cover;
        if cover || cell.outline.is_empty() {
            continue;
        }
        match cell.place.status {
            PlaceStatus::Unplaced | PlaceStatus::Cover => {}
            PlaceStatus::Fixed => {
                let outline = cell.outline;
                touched(&outline).into_iter().for_each(|bin| caps[bin].push((outline, 0)));
            }
            PlaceStatus::Placed => {
                all_movable += cell.outline.size();
                for bin in touched(&cell.outline) {
                    let part = bins[bin].common(&cell.outline).size();
                    movable[bin] += part;
                    inside += part;
                }
            }
        }
    }
    let rows = row_areas(state);
    let mut grounds: Vec<Vec<Area>> = vec![Vec::new(); bins.len()];
    for row in rows.iter().flatten() {
        touched(row).into_iter().for_each(|bin| grounds[bin].push(*row));
    }

    let (mut excess, mut all_free) = (0_i128, 0_i128);
    let mut fullest = (0_i128, 1_i128);
    for (bin, area) in bins.iter().enumerate() {
        let ground = if rows.is_some() { grounds[bin].as_slice() } else { &bins[bin..=bin] };
        let free = usable(area, ground, &caps[bin]);
        let taken = movable[bin] * WHOLE;
        excess += (taken - free).max(0);
        all_free += free;
        let whole = area.size() * WHOLE;
        let filled = taken + whole - free;
        // a / b < c / d in whole numbers.
        if fullest.0 * whole < filled * fullest.1 {
            fullest = (filled, whole);
        }
    }
    let quotient = |part: i128, of: i128| if of == 0 { 0.0 } else { part as f64 / of as f64 };
    let whole = core.size() * WHOLE;
    Density {
        overflow: quotient(excess + (all_movable - inside) * WHOLE, all_movable * WHOLE),
        max: quotient(fullest.0, fullest.1),
        mean: quotient(inside * WHOLE + whole - all_free, whole),
        utilisation: quotient(all_movable * WHOLE, all_free),
    }
}

/// Areas of the rows; `None` without rows.
fn row_areas(state: &State) -> Option<Vec<Area>> {
    let plan = state.design.floorplan();
    let height = |site| state.design.tech().sites.get(site).map_or(0, |site| site.height);
    let area = |row: &cellwright_db::floorplan::Row| {
        let width = i64::from(row.step) * i64::from(row.count);
        Area::at(row.origin.x.into(), row.origin.y.into(), width, height(row.site).into())
    };
    (!plan.rows.is_empty()).then(|| plan.rows.iter().map(area).collect())
}

/// What the floorplan takes away.
fn ground_caps(state: &State) -> Vec<Cap> {
    let plan = state.design.floorplan();
    let mut caps: Vec<Cap> = notches(state).into_iter().map(|area| (area, 0)).collect();
    for blockage in &plan.blockages {
        let share = match blockage.kind {
            BlockageKind::Hard | BlockageKind::Soft => 0,
            BlockageKind::Partial(share) => (share.clamp(0.0, 1.0) * 1e6) as i128,
        };
        caps.push((Area::of(&blockage.rect), share));
    }
    caps
}

/// The part of the die's bounding box outside its outline: between neighbouring corner heights, the
/// gaps before the first vertical edge, between the second and the third, and so on.
fn notches(state: &State) -> Vec<Area> {
    let plan = state.design.floorplan();
    let (outline, die) = (&plan.die_outline, Area::of(&plan.die));
    if outline.len() < 4 {
        return Vec::new();
    }
    let mut cuts: Vec<i64> = outline.iter().map(|point| i64::from(point.y)).collect();
    cuts.extend([die.y0, die.y1]);
    cuts.sort_unstable();
    cuts.dedup();
    let mut found = Vec::new();
    for cut in cuts.windows(2) {
        let mut walls = vec![die.x0, die.x1];
        for (at, from) in outline.iter().enumerate() {
            let to = outline[(at + 1) % outline.len()];
            let (low, high) = (i64::from(from.y.min(to.y)), i64::from(from.y.max(to.y)));
            if from.x == to.x && low <= cut[0] && cut[1] <= high {
                walls.push(i64::from(from.x));
            }
        }
        walls.sort_unstable();
        let gaps = walls.chunks_exact(2).filter(|gap| gap[0] < gap[1]);
        found.extend(gaps.map(|gap| Area { x0: gap[0], y0: cut[0], x1: gap[1], y1: cut[1] }));
    }
    found
}

/// Usable area of a bin in DBU² × millionths: cut the bin at every edge, take each piece that some
/// ground holds times the smallest share over it.
fn usable(bin: &Area, grounds: &[Area], caps: &[Cap]) -> i128 {
    let within = |area: &Area| Some(area.common(bin)).filter(|area| !area.is_empty());
    let grounds: Vec<Area> = grounds.iter().filter_map(within).collect();
    let caps: Vec<Cap> =
        caps.iter().filter_map(|(area, share)| Some((within(area)?, *share))).collect();
    let cuts = |of: fn(&Area) -> [i64; 2]| {
        let areas = grounds.iter().chain(caps.iter().map(|(area, _)| area));
        let mut cuts: Vec<i64> = areas.flat_map(of).collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    };
    let (xs, ys) = (cuts(|a| [a.x0, a.x1]), cuts(|a| [a.y0, a.y1]));
    let mut total = 0;
    for y in ys.windows(2) {
        let flat = |area: &&Area| area.y0 <= y[0] && y[1] <= area.y1;
        let grounds: Vec<&Area> = grounds.iter().filter(flat).collect();
        let caps: Vec<&Cap> = caps.iter().filter(|(area, _)| flat(&area)).collect();
        for x in xs.windows(2) {
            let piece = Area { x0: x[0], y0: y[0], x1: x[1], y1: y[1] };
            if grounds.iter().any(|ground| ground.holds(&piece)) {
                let over = caps.iter().filter(|(area, _)| area.holds(&piece));
                let share = over.map(|(_, share)| *share).min().unwrap_or(WHOLE);
                total += piece.size() * share;
            }
        }
    }
    total
}
