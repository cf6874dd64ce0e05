//! Each metric computed the plain way, by definitions alone.

use cellwright_db::floorplan::{BlockageKind, RegionKind};
use cellwright_db::library::MasterClass;
use cellwright_db::tech::Direction;
use cellwright_db::{CellId, Design, NetId, Orient, Owner, PlaceStatus, Point, Rect, SiteId};
use cellwright_measure::congestion::UNIT;
use cellwright_measure::{Grid, Party, Rule};

use super::routing_layers;

fn net_points(design: &Design, net: NetId) -> Vec<Point> {
    let placed = |pin: &&cellwright_db::PinId| match design.owner(**pin) {
        Owner::Cell(cell, _) => design.place(cell).is_placed(),
        Owner::Port(_) => true,
    };
    design.net_pins(net).iter().filter(placed).filter_map(|pin| design.pin_location(*pin)).collect()
}

/// The box of each living routed net with at least two located pins.
pub fn net_boxes(design: &Design) -> Vec<(NetId, Rect)> {
    let mut out = Vec::new();
    for net in design.nets().filter(|net| design.net(*net).kind.is_routed()) {
        let points = net_points(design, net);
        if points.len() >= 2 {
            let lo = |f: fn(&Point) -> i32| points.iter().map(f).min().unwrap();
            let hi = |f: fn(&Point) -> i32| points.iter().map(f).max().unwrap();
            out.push((net, Rect::new(lo(|p| p.x), lo(|p| p.y), hi(|p| p.x), hi(|p| p.y))));
        }
    }
    out
}

pub fn hpwl(design: &Design) -> i64 {
    net_boxes(design).iter().map(|(_, rect)| rect.width() + rect.height()).sum()
}

fn overlap(a: &Rect, b: &Rect) -> i128 {
    let rect = a.intersection(b);
    if rect.is_empty() { 0 } else { i128::from(rect.width()) * i128::from(rect.height()) }
}

fn is_cover(design: &Design, cell: CellId) -> bool {
    design.place(cell).status == PlaceStatus::Cover
        || design.master(cell).class == MasterClass::Cover
}

/// Placed cells that are no cover, with outline.
fn standing(design: &Design) -> Vec<(CellId, Rect, bool)> {
    design
        .cells()
        .filter(|cell| design.place(*cell).is_placed() && !is_cover(design, *cell))
        .map(|cell| (cell, design.outline(cell), design.place(cell).is_fixed()))
        .filter(|(_, rect, _)| !rect.is_empty())
        .collect()
}

/// Whether a die's outline covers the point just above and to the right of `p`.
fn in_die(design: &Design, p: Point) -> bool {
    let plan = design.floorplan();
    if plan.die_outline.len() < 4 {
        return plan.die.contains(&Rect::new(p.x, p.y, p.x + 1, p.y + 1));
    }
    // A ray to the right crosses vertical edges an odd number of times.
    let outline = &plan.die_outline;
    let crossings = (0..outline.len()).filter(|i| {
        let (a, b) = (outline[*i], outline[(i + 1) % outline.len()]);
        a.x == b.x && a.x > p.x && a.y.min(b.y) <= p.y && p.y < a.y.max(b.y)
    });
    crossings.count() % 2 == 1
}

/// Per bin: movable area, free area × 10⁶. By cutting the plane at every coordinate in sight.
pub fn density(design: &Design, grid: &Grid, soft_blocks: bool) -> Vec<(i64, i128)> {
    let plan = design.floorplan();
    let cells = standing(design);
    let height = |site: SiteId| design.tech().sites[site].height;
    let rows: Vec<Rect> = plan.rows.iter().map(|row| row.rect(height(row.site))).collect();
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    let mut cut = |rect: &Rect| {
        xs.extend([rect.lo.x, rect.hi.x]);
        ys.extend([rect.lo.y, rect.hi.y]);
    };
    (0..grid.len()).for_each(|bin| cut(&grid.bin(bin)));
    rows.iter().for_each(&mut cut);
    cells.iter().for_each(|(_, rect, _)| cut(rect));
    plan.blockages.iter().for_each(|blockage| cut(&blockage.rect));
    plan.die_outline.iter().for_each(|p| cut(&Rect { lo: *p, hi: *p }));
    cut(&plan.die);
    for list in [&mut xs, &mut ys] {
        list.sort_unstable();
        list.dedup();
    }
    let mut free = vec![0_i128; grid.len()];
    for y in ys.windows(2) {
        for x in xs.windows(2) {
            let tile = Rect::new(x[0], y[0], x[1], y[1]);
            let Some(bin) = (0..grid.len()).find(|bin| grid.bin(*bin).contains(&tile)) else {
                continue;
            };
            let grounded = rows.is_empty() || rows.iter().any(|row| row.contains(&tile));
            let fixed = cells.iter().any(|(_, rect, fixed)| *fixed && rect.contains(&tile));
            let inside_box = plan.die.contains(&tile);
            if !grounded || fixed || (inside_box && !in_die(design, tile.lo)) {
                continue;
            }
            let mut share = 1_000_000_i128;
            for blockage in plan.blockages.iter().filter(|b| b.rect.contains(&tile)) {
                share = share.min(match blockage.kind {
                    BlockageKind::Hard => 0,
                    BlockageKind::Soft if soft_blocks => 0,
                    BlockageKind::Soft => share,
                    BlockageKind::Partial(part) => (part * 1e6) as i128,
                });
            }
            free[bin] += share * i128::from(tile.area());
        }
    }
    let movable = |bin: usize| {
        let window = grid.bin(bin);
        let movable = cells.iter().filter(|(_, _, fixed)| !fixed);
        movable.map(|(_, rect, _)| overlap(rect, &window)).sum::<i128>() as i64
    };
    (0..grid.len()).map(|bin| (movable(bin), free[bin])).collect()
}

/// Per bin: demand and supply, horizontal and vertical, DBU / UNIT.
pub fn congestion(design: &Design, grid: &Grid) -> Vec<([i64; 2], [i64; 2])> {
    let mut out = vec![([0; 2], [0; 2]); grid.len()];
    let common = |a: (i32, i32), b: (i32, i32)| i64::from((a.1.min(b.1) - a.0.max(b.0)).max(0));
    // The floored running share of an axis up to `at`.
    let share = |lo: i32, hi: i32, at: i32| {
        let upto = i64::from(at.clamp(lo, hi) - lo);
        upto * UNIT / i64::from(hi - lo)
    };
    for (_, rect) in net_boxes(design) {
        if rect.width() + rect.height() == 0 {
            continue;
        }
        let (x, y) = ((rect.lo.x, rect.hi.x), (rect.lo.y, rect.hi.y));
        let (wx, wy) = ((x.0, x.1.max(x.0 + 1)), (y.0, y.1.max(y.0 + 1)));
        for (bin, (demand, _)) in out.iter_mut().enumerate() {
            let bin = grid.bin(bin);
            let (bx, by) = ((bin.lo.x, bin.hi.x), (bin.lo.y, bin.hi.y));
            let dy = share(wy.0, wy.1, by.1) - share(wy.0, wy.1, by.0);
            let dx = share(wx.0, wx.1, bx.1) - share(wx.0, wx.1, bx.0);
            if x.0 < x.1 {
                demand[0] += common(bx, wx) * dy;
            }
            if y.0 < y.1 {
                demand[1] += common(by, wy) * dx;
            }
        }
    }
    let plan = design.floorplan();
    for id in routing_layers(design).into_iter().skip(1) {
        let layer = &design.tech().layers[id];
        let vertical = layer.direction == Some(Direction::Vertical);
        let tracks: Vec<_> =
            plan.tracks.iter().filter(|t| t.layer == id && t.along_x == vertical).collect();
        let pitch = tracks.iter().map(|t| t.step).min().unwrap_or(layer.pitch.0);
        let blocked: Vec<Rect> =
            plan.layer_blockages.iter().filter(|(l, _)| *l == id).map(|(_, rect)| *rect).collect();
        for (number, (_, supply)) in out.iter_mut().enumerate() {
            let bin = grid.bin(number);
            let (length, across) = if vertical {
                (bin.height(), (bin.lo.x, bin.hi.x))
            } else {
                (bin.width(), (bin.lo.y, bin.hi.y))
            };
            let lane = &mut supply[usize::from(vertical)];
            if tracks.is_empty() {
                *lane += length * i64::from(across.1 - across.0) * UNIT / i64::from(pitch);
            }
            for track in &tracks {
                for number in 0..track.count {
                    let at = track.start + number * track.step;
                    if across.0 <= at && at < across.1 {
                        *lane += length * UNIT;
                    }
                }
            }
            let covered = (bin.lo.y..bin.hi.y)
                .map(|y| {
                    let hit = |x: &i32| {
                        let square = Rect::new(*x, y, x + 1, y + 1);
                        blocked.iter().any(|rect| rect.contains(&square))
                    };
                    if blocked.is_empty() { 0 } else { (bin.lo.x..bin.hi.x).filter(hit).count() }
                })
                .sum::<usize>();
            *lane -= covered as i64 * UNIT / i64::from(pitch);
        }
    }
    out
}

/// Length of tracks that macros cover, per bin and lane.
pub fn covered(design: &Design, grid: &Grid) -> Vec<[i64; 2]> {
    let mut out = vec![[0; 2]; grid.len()];
    for cell in design.cells() {
        let master = design.master(cell);
        if master.class != MasterClass::Block || !design.place(cell).is_placed() {
            continue;
        }
        let place = design.place(cell);
        for (id, rect) in &master.obstructions {
            let layer = &design.tech().layers[*id];
            let vertical = layer.direction == Some(Direction::Vertical);
            let own =
                |t: &&cellwright_db::floorplan::Tracks| t.layer == *id && t.along_x == vertical;
            let tracks = design.floorplan().tracks.iter().filter(own);
            let pitch = tracks.map(|t| t.step).min().unwrap_or(layer.pitch.0);
            let rect = place.orient.apply_rect(*rect, master.width, master.height);
            let rect = rect.shifted(place.x, place.y);
            for (bin, lanes) in out.iter_mut().enumerate() {
                let area = overlap(&rect, &grid.bin(bin)) as i64;
                lanes[usize::from(vertical)] += area * UNIT / i64::from(pitch);
            }
        }
    }
    out
}

/// Every violation as (rule, party, cells).
pub fn legality(design: &Design) -> Vec<(Rule, Party, Vec<CellId>)> {
    let mut out = Vec::new();
    let plan = design.floorplan();
    for cell in design.cells().filter(|cell| !is_cover(design, *cell)) {
        let place = design.place(cell);
        let party = if place.is_fixed() { Party::Fixed } else { Party::Movable };
        let mut put = |rule| out.push((rule, party, vec![cell]));
        if !place.is_placed() {
            put(Rule::Unplaced);
            continue;
        }
        let rect = design.outline(cell);
        if rect.is_empty() {
            put(Rule::NoOutline);
            continue;
        }
        let corners_in = (rect.lo.y..rect.hi.y).step_by(1).all(|y| {
            // In an outline without holes a horizontal line is inside when both ends and every
            // vertical edge's neighbour are.
            let mut xs: Vec<i32> = plan.die_outline.iter().map(|p| p.x).collect();
            xs.extend([rect.lo.x, rect.hi.x - 1]);
            xs.iter().flat_map(|x| [*x - 1, *x]).filter(|x| rect.lo.x <= *x && *x < rect.hi.x).all(
                |x| {
                    plan.die.contains(&Rect::new(x, y, x + 1, y + 1))
                        && in_die(design, Point::new(x, y))
                },
            )
        });
        if !corners_in {
            put(Rule::OutsideDie);
        }
        let master = design.master(cell);
        let needs_row =
            matches!(master.class, MasterClass::Core | MasterClass::Spacer | MasterClass::WellTap);
        if needs_row {
            rows(design, cell, &mut put);
        } else if master.class == MasterClass::Block {
            // Block masters of these tests state X, Y and R90: all orientations are allowed.
        }
        let fixed_block = master.class == MasterClass::Block && place.is_fixed();
        let blocked = plan
            .blockages
            .iter()
            .any(|b| b.kind == BlockageKind::Hard && b.cell != cell && b.rect.overlaps(&rect));
        if blocked && !fixed_block && (needs_row || master.class == MasterClass::Block) {
            put(Rule::Blockage);
        }
        let own = design.cell(cell).region;
        for (number, region) in plan.regions.iter().enumerate() {
            if region.kind != RegionKind::Fence {
                continue;
            }
            let covers = |x: i32, y: i32| {
                region.rects.iter().any(|r| r.contains(&Rect::new(x, y, x + 1, y + 1)))
            };
            if number == own.index() {
                let all =
                    (rect.lo.x..rect.hi.x).all(|x| (rect.lo.y..rect.hi.y).all(|y| covers(x, y)));
                if !all {
                    put(Rule::FenceMember);
                }
            }
        }
        let strange = plan.regions.iter().enumerate().any(|(number, region)| {
            region.kind == RegionKind::Fence
                && number != own.index()
                && region.rects.iter().any(|r| !r.is_empty() && r.overlaps(&rect))
        });
        if strange {
            put(Rule::FenceStranger);
        }
    }
    let cells = standing(design);
    for (i, (a, ra, fa)) in cells.iter().enumerate() {
        for (b, rb, fb) in &cells[i + 1..] {
            let party = match (fa, fb) {
                (false, false) => Party::Movable,
                (true, true) => Party::Fixed,
                _ => Party::Mixed,
            };
            let grown = |cell: CellId, rect: &Rect| {
                let halo = plan.halos.iter().find(|halo| halo.cell == cell && !halo.soft);
                let [l, d, r, u] = halo.map_or([0; 4], |halo| halo.margins);
                Rect::new(rect.lo.x - l, rect.lo.y - d, rect.hi.x + r, rect.hi.y + u)
            };
            let rule = if ra.overlaps(rb) {
                Rule::Overlap
            } else if grown(*a, ra).overlaps(rb) || grown(*b, rb).overlaps(ra) {
                Rule::Halo
            } else if too_near(design, (*a, ra), (*b, rb)) {
                Rule::EdgeSpacing
            } else {
                continue;
            };
            out.push((rule, party, vec![*a, *b]));
        }
    }
    for blockage in &plan.blockages {
        let BlockageKind::Partial(share) = blockage.kind else { continue };
        let limit = i128::from(blockage.rect.area()) * (share * 1e6) as i128 / 1_000_000;
        let taken: i128 = cells.iter().map(|(_, r, _)| overlap(r, &blockage.rect)).sum();
        if taken > limit {
            let movable = cells.iter().any(|(_, r, fixed)| !fixed && r.overlaps(&blockage.rect));
            let over = cells.iter().filter(|(_, r, _)| r.overlaps(&blockage.rect));
            let party = if movable { Party::Movable } else { Party::Fixed };
            out.push((Rule::PartialBlockage, party, over.map(|(cell, ..)| *cell).collect()));
        }
    }
    out.sort();
    out
}

fn too_near(design: &Design, a: (CellId, &Rect), b: (CellId, &Rect)) -> bool {
    let row_cell = |cell| {
        matches!(
            design.master(cell).class,
            MasterClass::Core | MasterClass::Spacer | MasterClass::WellTap
        )
    };
    let (left, right) = if a.1.lo.x <= b.1.lo.x { (a, b) } else { (b, a) };
    let level = left.1.lo.y < right.1.hi.y && right.1.lo.y < left.1.hi.y;
    if !level || !row_cell(a.0) || !row_cell(b.0) {
        return false;
    }
    let types = |cell: CellId| {
        let (l, r) = design
            .master(cell)
            .edge_types
            .clone()
            .unwrap_or(("DEFAULT".to_owned(), "DEFAULT".to_owned()));
        match design.place(cell).orient {
            Orient::FN | Orient::S => (r, l),
            _ => (l, r),
        }
    };
    let (near, far) = (types(left.0).1, types(right.0).0);
    let table = &design.tech().edge_spacing;
    let rule =
        table.iter().find(|(x, y, _)| (*x == near && *y == far) || (*x == far && *y == near));
    rule.is_some_and(|(.., spacing)| right.1.lo.x - left.1.hi.x < *spacing)
}

fn rows(design: &Design, cell: CellId, put: &mut impl FnMut(Rule)) {
    let plan = design.floorplan();
    let tech = design.tech();
    let place = design.place(cell);
    let master = design.master(cell);
    if place.orient.swaps_axes() {
        put(Rule::Orientation);
        return;
    }
    let has_rows = |site: SiteId| plan.rows.iter().any(|row| row.site == site);
    let base = plan.rows.iter().map(|row| tech.sites[row.site].height).min().unwrap_or(0).max(1);
    let own = master.site.unwrap();
    let sites: Vec<SiteId> = if has_rows(own) {
        vec![own]
    } else {
        let taller = |site: &SiteId| {
            let height = tech.sites[*site].height;
            master.height % height == 0 && master.height > height
        };
        tech.sites.ids().filter(|site| has_rows(*site)).filter(taller).collect()
    };
    let mut missed = Rule::OffRow;
    for site in sites {
        let height = tech.sites[site].height;
        if master.height % height != 0 {
            continue;
        }
        let mut found = Vec::new();
        for level in 0..master.height / height {
            let y = place.y + level * height;
            // Every site position of every row piece that could hold the whole outline.
            let mut at = place.x;
            let mut first = None;
            while at < place.x + master.width {
                let piece = plan.rows.iter().find(|row| {
                    row.site == site
                        && row.origin.y == y
                        && row.origin.x <= at
                        && at < row.origin.x + row.count * row.step
                });
                let Some(piece) = piece else { break };
                let first = first.get_or_insert(piece);
                if piece.orient != first.orient {
                    break;
                }
                at = piece.origin.x + piece.count * piece.step;
            }
            if at < place.x + master.width {
                break;
            }
            found.extend(first);
        }
        if found.len() != (master.height / height) as usize {
            continue;
        }
        if found.iter().any(|row| (place.x - row.origin.x) % row.step != 0) {
            missed = Rule::OffSite;
            continue;
        }
        let row = found[0].orient;
        let even = (master.height / base) % 2 == 0;
        let mirrored = |o: Orient| matches!(o, Orient::FN | Orient::S);
        let turned = |o: Orient| matches!(o, Orient::FS | Orient::S);
        let bad_mirror = mirrored(place.orient) != mirrored(row) && !master.symmetry.y;
        let bad_turn = turned(place.orient) != turned(row) && !(even && master.symmetry.x);
        if bad_mirror || bad_turn {
            put(Rule::Orientation);
        }
        // N rows of the base site have ground below; the toy's double rows show no rail because
        // no cell of theirs is one row high with different rails known.
        if even {
            let ground_below = if site == SiteId(0) { Some(!turned(row)) } else { None };
            let cell_ground = master.name == "double";
            let known = match site.0 {
                0 => ground_below.is_some_and(|ground| ground != cell_ground),
                // Double rows take their rails from the first double cell: ground at both edges.
                1 => !cell_ground,
                _ => ground_below.is_some(),
            };
            if known {
                put(Rule::Rail);
            }
        }
        return;
    }
    put(missed);
}
