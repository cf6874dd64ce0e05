//! Rules on one cell.

use cellwright_db::floorplan::{BlockageKind, RegionKind};
use cellwright_db::{PlaceStatus, Point};

use super::rows::Standing;
use super::{Ground, Rule, Violation};
use crate::area2d::{Area, union_size};
use crate::state::Cell;
use crate::sweep;

/// Checks every cell.
pub(super) fn check(ground: &Ground<'_>, found: &mut Vec<Violation>) {
    let mut broken = vec![Vec::new(); ground.state.cells.len()];
    for (number, cell) in ground.state.cells.iter().enumerate() {
        broken[number] = rules(ground, cell);
    }
    blockages(ground, &mut broken);
    fences(ground, &mut broken);
    for (cell, mut rules) in ground.state.cells.iter().zip(broken) {
        rules.sort_unstable();
        rules.dedup();
        for rule in rules {
            found.push(Violation {
                rule,
                cells: vec![cell.id],
                // A cell without place can be given one, whatever else is said of it.
                fixed_only: cell.place.is_fixed(),
                region: cell.outline,
            });
        }
    }
}

/// What a cell breaks by its place on die and rows.
fn rules(ground: &Ground<'_>, cell: &Cell) -> Vec<Rule> {
    let facts = &ground.facts[cell.master.index()];
    if facts.cover || cell.place.status == PlaceStatus::Cover {
        return Vec::new();
    }
    if !cell.place.is_placed() {
        return vec![Rule::Unplaced];
    }
    if cell.outline.is_empty() {
        return vec![Rule::NoOutline];
    }
    let mut broken = Vec::new();
    let plan = ground.state.design.floorplan();
    if !Area::of(&plan.die).holds(&cell.outline) || !inside(&plan.die_outline, &cell.outline) {
        broken.push(Rule::OutsideDie);
    }
    let orient = cell.place.orient;
    if facts.in_rows {
        if orient.swaps_axes() {
            broken.push(Rule::Orientation);
        } else {
            let size = (cell.outline.x1 - cell.outline.x0, facts.height);
            let at = (cell.outline.x0, cell.outline.y0);
            match ground.rows.standing(&facts.sites, at, size) {
                Standing::OffRow => broken.push(Rule::OffRow),
                Standing::OffSite => broken.push(Rule::OffSite),
                Standing::On(row, rails) => {
                    if !facts.allowed_in_row(orient, row) {
                        broken.push(Rule::Orientation);
                    }
                    if facts.rails_clash(orient, rails) {
                        broken.push(Rule::Rail);
                    }
                }
            }
        }
    } else if facts.block && !facts.allowed(orient) {
        broken.push(Rule::Orientation);
    }
    broken
}

/// Whether an area lies inside a rectilinear outline; fewer than four points bound nothing.
///
/// Between two neighbouring corner heights the outline is a set of intervals between its 1st and
/// 2nd, 3rd and 4th … vertical edge from the left. The area must lie inside one such run in each.
fn inside(outline: &[Point], area: &Area) -> bool {
    if outline.len() < 4 {
        return true;
    }
    let mut cuts: Vec<i64> = outline.iter().map(|point| i64::from(point.y)).collect();
    cuts.extend([area.y0, area.y1]);
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).filter(|cut| cut[0] >= area.y0 && cut[1] <= area.y1).all(|cut| {
        let mut walls = Vec::new();
        for (at, from) in outline.iter().enumerate() {
            let to = outline[(at + 1) % outline.len()];
            let (low, high) = (i64::from(from.y.min(to.y)), i64::from(from.y.max(to.y)));
            if from.x == to.x && low <= cut[0] && cut[1] <= high {
                walls.push(i64::from(from.x));
            }
        }
        walls.sort_unstable();
        let mut runs: Vec<(i64, i64)> = Vec::new();
        for pair in walls.chunks_exact(2) {
            match runs.last_mut() {
                Some(last) if last.1 == pair[0] => last.1 = pair[1],
                _ => runs.push((pair[0], pair[1])),
            }
        }
        runs.iter().any(|(from, to)| *from <= area.x0 && area.x1 <= *to)
    })
}

/// Calls `each` with a cell's number and that of an area which it shares area with.
fn meet(ground: &Ground<'_>, areas: &[Area], mut each: impl FnMut(usize, usize)) {
    if areas.is_empty() {
        return;
    }
    // Cells and areas in one sweep would tell pairs of cells too: a few areas are scanned, many
    // are swept band by band with the cells.
    let present = ground.present();
    if areas.len() <= 64 {
        for (number, outline) in &present {
            for (at, area) in areas.iter().enumerate().filter(|(_, area)| area.meets(outline)) {
                let _ = area;
                each(*number, at);
            }
        }
        return;
    }
    let mut all: Vec<Area> = present.iter().map(|(_, outline)| *outline).collect();
    all.extend_from_slice(areas);
    let band = ground.rows.lowest().unwrap_or(1);
    sweep::pairs(&all, band, usize::MAX, |a, b| {
        if a < present.len() && b >= present.len() {
            each(present[a].0, b - present.len());
        }
    });
}

/// Row cells and movable macros heed hard blockages, except the ones that belong to them.
fn blockages(ground: &Ground<'_>, broken: &mut [Vec<Rule>]) {
    let plan = ground.state.design.floorplan();
    let hard = plan.blockages.iter().filter(|blockage| blockage.kind == BlockageKind::Hard);
    let (areas, owners): (Vec<_>, Vec<_>) =
        hard.map(|blockage| (Area::of(&blockage.rect), blockage.cell)).unzip();
    meet(ground, &areas, |number, blockage| {
        let cell = &ground.state.cells[number];
        let facts = &ground.facts[cell.master.index()];
        let heeds = facts.in_rows || (facts.block && !cell.place.is_fixed());
        if heeds && owners[blockage] != cell.id {
            broken[number].push(Rule::Blockage);
        }
    });
}

/// Members of a fence lie inside it, strangers outside.
fn fences(ground: &Ground<'_>, broken: &mut [Vec<Rule>]) {
    let design = &ground.state.design;
    let regions = &design.floorplan().regions;
    let mut areas = Vec::new();
    let mut region_of = Vec::new();
    for (region, fence) in regions.iter().enumerate() {
        if fence.kind == RegionKind::Fence {
            areas.extend(fence.rects.iter().map(Area::of));
            region_of.resize(areas.len(), region);
        }
    }
    let own = |number: usize| design.cell(ground.state.cells[number].id).region.index();
    let mut home: Vec<Vec<Area>> = vec![Vec::new(); broken.len()];
    meet(ground, &areas, |number, at| {
        if region_of[at] == own(number) {
            home[number].push(areas[at].common(&ground.state.cells[number].outline));
        } else {
            broken[number].push(Rule::FenceStranger);
        }
    });
    for (number, outline) in ground.present() {
        let member = regions.get(own(number)).is_some_and(|own| own.kind == RegionKind::Fence);
        if member && union_size(&home[number]) != outline.size() {
            broken[number].push(Rule::FenceMember);
        }
    }
}
