//! A legal placement is found legal, and every mutant of it is caught under the right rule.

// Helpers of tests may fail as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use cellwright_db::floorplan::{Blockage, BlockageKind, Halo, Region, RegionKind};
use cellwright_db::{
    CellId, Design, DesignBuilder, Floorplan, MasterId, Orient, Place, PlaceStatus, Point, Rect,
    RegionId,
};
use cellwright_measure::legality::Counts;
use cellwright_measure::{Legality, LegalityConfig, Metric, Party, Rule};
use common::*;

const X: i32 = 35;
const Y: i32 = 40;

fn at(site: i32, row: i32) -> Place {
    let orient = if row % 2 == 0 { Orient::N } else { Orient::FS };
    Place::placed(X + site * SITE, Y + row * ROW, orient)
}

/// A legal placement with a cell of every kind.
fn legal(plan: Floorplan) -> (Design, Vec<CellId>) {
    let mut builder = DesignBuilder::new("legal", Arc::new(tech()), Arc::new(library()));
    let places: Vec<(MasterId, Place)> = vec![
        (INV, at(0, 0)),
        (INV, at(2, 0)),
        (WIDE, at(4, 0)),
        (INV, Place { orient: Orient::FN, ..at(9, 0) }),
        (INV, at(0, 1)),
        (INV, Place { orient: Orient::S, ..at(2, 1) }),
        (DOUBLE, Place { orient: Orient::N, ..at(0, 2) }),
        (DOUBLE, Place { orient: Orient::FS, ..at(3, 2) }),
        (DOUBLE_POWER, Place { orient: Orient::N, ..at(6, 3) }),
        (TRIPLE, at(20, 2)),
        (FILL, at(30, 0)),
        (TAP, Place { status: PlaceStatus::Fixed, ..at(31, 0) }),
        // A macro needs no row and may stand on its side.
        (BLOCK, Place { orient: Orient::W, status: PlaceStatus::Fixed, x: 301, y: 333 }),
        (COVER, Place { status: PlaceStatus::Cover, ..at(0, 0) }),
        // Types e2 and e1 face each other at 20 DBU, e1 and e1 at 40.
        (EDGED, at(40, 0)),
        (EDGED, at(45, 0)),
        (EDGED2, at(52, 0)),
        (RIGID, at(58, 0)),
    ];
    let cells = places
        .into_iter()
        .enumerate()
        .map(|(i, (master, place))| builder.add_cell(&format!("c{i}"), master, place))
        .collect();
    (Design::new(&builder.finish(plan)), cells)
}

fn count(design: &Design) -> (Legality, Counts) {
    let legality = Legality::full(design, LegalityConfig::default());
    let counts = *legality.counts();
    (legality, counts)
}

/// Changes a legal design and tells which rules are broken then, updated and in full alike.
fn mutate(plan: Floorplan, change: impl FnOnce(&mut Design, &[CellId])) -> Vec<Rule> {
    let (mut design, cells) = legal(plan);
    let (mut legality, before) = count(&design);
    assert_eq!((before.movable(), before.fixed()), (0, 0), "{:?}", legality.violations(&design, 9));
    let mark = design.mark();
    change(&mut design, &cells);
    legality.update(&design, &design.dirty_since(mark)).unwrap();
    assert!(legality == Legality::full(&design, LegalityConfig::default()));
    Rule::ALL.into_iter().filter(|rule| legality.counts().of_rule(*rule) > 0).collect()
}

fn moved(cell: usize, to: impl Fn(Place) -> Place) -> Vec<Rule> {
    mutate(plain_plan(8), |design, cells| {
        let place = design.place(cells[cell]);
        design.move_cell(cells[cell], to(place)).unwrap();
    })
}

#[test]
fn a_legal_placement_is_legal() {
    let (design, _) = legal(plain_plan(8));
    let (legality, counts) = count(&design);
    assert_eq!(counts, Counts::default(), "{:?}", legality.violations(&design, 9));
    assert!(legality.is_legal());
}

#[test]
fn one_dbu_too_far() {
    // One DBU to the left: between sites, and over the neighbour that abuts.
    assert_eq!(moved(1, |p| Place { x: p.x - 1, ..p }), [Rule::OffSite, Rule::Overlap]);
    assert_eq!(moved(10, |p| Place { x: p.x + 1, ..p }), [Rule::OffSite, Rule::Overlap]);
    assert_eq!(moved(10, |p| Place { y: p.y + 1, ..p }), [Rule::OffRow]);
    assert_eq!(moved(10, |p| Place { x: p.x - SITE / 2, ..p }), [Rule::OffSite]);
    // A macro one DBU beyond the die, and one DBU within.
    let die = plain_plan(8).die;
    let edge = die.hi.x - 237;
    assert_eq!(moved(12, |p| Place { x: edge, ..p }), []);
    assert_eq!(moved(12, |p| Place { x: edge + 1, ..p }), [Rule::OutsideDie]);
    assert_eq!(moved(12, |p| Place { y: die.hi.y - 162, ..p }), [Rule::OutsideDie]);
}

#[test]
fn beyond_the_row() {
    assert_eq!(moved(0, |_| at(58, 1)), []);
    assert_eq!(moved(0, |_| at(59, 1)), [Rule::OffRow]);
    assert_eq!(moved(0, |_| at(-1, 4)), [Rule::OffRow]);
    assert_eq!(moved(0, |_| at(-4, 4)), [Rule::OutsideDie, Rule::OffRow]);
    assert_eq!(moved(0, |_| at(0, 8)), [Rule::OutsideDie, Rule::OffRow]);
    // Two heights need two rows.
    assert_eq!(moved(6, |p| Place { y: Y + 7 * ROW, ..p }), [Rule::OutsideDie, Rule::OffRow]);
}

#[test]
fn wrong_orientations() {
    for (cell, row_turned) in [(0, false), (4, true)] {
        for orient in Orient::ALL {
            let right = match orient {
                Orient::N | Orient::FN => !row_turned,
                Orient::FS | Orient::S => row_turned,
                _ => false,
            };
            let broken = moved(cell, |p| Place { x: p.x + 130, orient, ..p });
            let on_its_side = orient.swaps_axes();
            match (right, on_its_side) {
                (true, _) => assert_eq!(broken, [], "{orient:?}"),
                (false, false) => assert_eq!(broken, [Rule::Orientation], "{orient:?}"),
                // On its side it is wide and reaches others.
                (false, true) => assert!(broken.contains(&Rule::Orientation), "{orient:?}"),
            }
        }
    }
    // No symmetry Y: not mirrored along the row.
    assert_eq!(moved(17, |p| Place { orient: Orient::FN, ..p }), [Rule::Orientation]);
    // Three rows follow the lowest row.
    assert_eq!(moved(9, |p| Place { orient: Orient::FS, ..p }), [Rule::Orientation]);
    assert_eq!(moved(9, |_| at(54, 3)), []);
}

#[test]
fn wrong_rails() {
    // Ground at both edges: on even rows only, either way up.
    for orient in [Orient::N, Orient::FN, Orient::FS, Orient::S] {
        assert_eq!(moved(6, |_| Place { orient, ..at(54, 4) }), []);
        assert_eq!(moved(6, |_| Place { orient, ..at(54, 3) }), [Rule::Rail]);
        assert_eq!(moved(8, |_| Place { orient, ..at(54, 3) }), []);
        assert_eq!(moved(8, |_| Place { orient, ..at(54, 2) }), [Rule::Rail]);
    }
}

#[test]
fn overlaps_by_party() {
    let overlap = |a: usize, b: usize, party: Party| {
        let (mut design, cells) = legal(plain_plan(8));
        let to = design.place(cells[b]);
        let (from, status) = (design.place(cells[a]), design.place(cells[a]).status);
        let place = Place { x: to.x, y: to.y, status, ..from };
        design.move_cell(cells[a], place).unwrap();
        let (_, counts) = count(&design);
        assert_eq!(counts.get(Rule::Overlap, party), 1, "{a} on {b}");
        assert_eq!(counts.of_rule(Rule::Overlap), 1, "{a} on {b}");
    };
    overlap(10, 0, Party::Movable);
    overlap(10, 11, Party::Mixed);
    overlap(10, 12, Party::Mixed);
    overlap(11, 12, Party::Fixed);
}

#[test]
fn unplaced_and_without_outline() {
    assert_eq!(moved(3, |p| Place { status: PlaceStatus::Unplaced, ..p }), [Rule::Unplaced]);
    let broken = mutate(plain_plan(8), |design, _| {
        design.add_cell("x", BARE, at(50, 5)).unwrap();
    });
    assert_eq!(broken, [Rule::NoOutline]);
}

#[test]
fn sites_go_by_name() {
    // `other` is as high as `base` but another site: no row is its.
    let broken = mutate(plain_plan(8), |design, _| {
        design.add_cell("x", OTHER, at(50, 5)).unwrap();
    });
    assert_eq!(broken, [Rule::OffRow]);
}

#[test]
fn rows_in_fragments() {
    let mut plan = plain_plan(8);
    // Row 5 in two pieces that abut after site 10, row 6 with a hole of one site after site 10.
    for (row, hole) in [(5, 0), (6, 1)] {
        let mut right = plan.rows[row].clone();
        plan.rows[row].count = 10;
        right.origin.x += (10 + hole) * SITE;
        right.count -= 10 + hole;
        plan.rows.push(right);
    }
    let put = |site: i32, row: i32| {
        mutate(plan.clone(), |design, cells| {
            design.move_cell(cells[0], at(site, row)).unwrap();
        })
    };
    assert_eq!(put(9, 5), []);
    assert_eq!(put(8, 6), []);
    assert_eq!(put(11, 6), []);
    assert_eq!(put(9, 6), [Rule::OffRow]);
    assert_eq!(put(10, 6), [Rule::OffRow]);
}

#[test]
fn blockages_halos_and_fences() {
    let rect = Rect::new(X + 40 * SITE, Y + 5 * ROW, X + 50 * SITE, Y + 6 * ROW);
    let with = |kind: BlockageKind, site: i32| {
        let mut plan = plain_plan(8);
        plan.blockages.push(Blockage { kind, rect, cell: CellId::NONE });
        mutate(plan, |design, cells| design.move_cell(cells[0], at(site, 5)).unwrap())
    };
    assert_eq!(with(BlockageKind::Hard, 38), []);
    assert_eq!(with(BlockageKind::Hard, 39), [Rule::Blockage]);
    assert_eq!(with(BlockageKind::Soft, 39), []);
    // A tenth may be used: one site of ten.
    assert_eq!(with(BlockageKind::Partial(0.1), 39), []);
    assert_eq!(with(BlockageKind::Partial(0.1), 40), [Rule::PartialBlockage]);

    // Halo of the macro at (301, 333), which is 237 wide: 12 DBU to the right.
    let with = |soft: bool, x: i32| {
        let mut plan = plain_plan(8);
        plan.halos.push(Halo { cell: CellId(12), margins: [0, 0, 12, 0], soft });
        let x = X + x * SITE;
        mutate(plan, |design, cells| {
            design.move_cell(cells[0], Place { x, ..at(0, 4) }).unwrap();
        })
    };
    // It ends at 538, its halo at 550; the sites there begin at 545 and 555.
    assert_eq!(with(false, 52), []);
    assert_eq!(with(false, 51), [Rule::Halo]);
    assert_eq!(with(true, 51), []);
    assert_eq!(with(true, 50), [Rule::Overlap]);

    // A fence of two rectangles that abut inside a row.
    let fence = |kind: RegionKind, member: bool, site: i32| {
        let mut plan = plain_plan(8);
        let (a, b) = (Point::new(rect.lo.x + 50, rect.lo.y), Point::new(rect.lo.x + 50, rect.hi.y));
        let rects = vec![Rect { lo: rect.lo, hi: b }, Rect { lo: a, hi: rect.hi }];
        plan.regions.push(Region { name: "f".into(), kind, rects });
        let mut builder = DesignBuilder::new("fence", Arc::new(tech()), Arc::new(library()));
        let cell = builder.add_cell("c", INV, at(site, 5));
        if member {
            builder.set_region(cell, RegionId(0));
        }
        let design = Design::new(&builder.finish(plan));
        let (_, counts) = count(&design);
        Rule::ALL.into_iter().filter(|rule| counts.of_rule(*rule) > 0).collect::<Vec<_>>()
    };
    assert_eq!(fence(RegionKind::Fence, true, 44), []);
    assert_eq!(fence(RegionKind::Fence, true, 39), [Rule::FenceMember]);
    assert_eq!(fence(RegionKind::Fence, true, 10), [Rule::FenceMember]);
    assert_eq!(fence(RegionKind::Fence, false, 10), []);
    assert_eq!(fence(RegionKind::Fence, false, 38), []);
    assert_eq!(fence(RegionKind::Fence, false, 39), [Rule::FenceStranger]);
    assert_eq!(fence(RegionKind::Guide, true, 10), []);
    assert_eq!(fence(RegionKind::Guide, false, 44), []);
}

#[test]
fn edges_keep_their_distance() {
    // EDGED has e1 left and e2 right; EDGED2 e2 left, e1 right. e2 before e1 wants 20 DBU.
    assert_eq!(moved(15, |_| at(44, 0)), [Rule::EdgeSpacing]);
    // Mirrored, e2 faces e2: nothing is asked, but e1 then faces EDGED2's e2 at 40 DBU: fine.
    assert_eq!(moved(15, |_| Place { orient: Orient::FN, ..at(43, 0) }), []);
    // EDGED2's e1 on the right faces a default edge: nothing; its e2 on the left wants 10.
    assert_eq!(moved(17, |_| at(54, 0)), []);
    assert_eq!(moved(17, |_| at(50, 0)), [Rule::EdgeSpacing]);
    assert_eq!(moved(17, |_| at(49, 0)), []);
    // The rule can be left out.
    let (mut design, cells) = legal(plain_plan(8));
    design.move_cell(cells[15], at(44, 0)).unwrap();
    let without = Legality::full(&design, LegalityConfig { edge_spacing: false });
    assert!(without.is_legal());
}

#[test]
fn a_notched_die_ends_where_it_ends() {
    let mut plan = plain_plan(8);
    let (p, hi) = (Point::new, plan.die.hi);
    plan.die_outline =
        vec![p(0, 0), p(hi.x, 0), p(hi.x, 640), p(600, 640), p(600, hi.y), p(0, hi.y)];
    let put = |x: i32, y: i32| {
        mutate(plan.clone(), |design, cells| {
            let place = design.place(cells[12]);
            design.move_cell(cells[12], Place { x, y, ..place }).unwrap();
        })
    };
    assert_eq!(put(hi.x - 237, 640 - 163), []);
    assert_eq!(put(600 - 237, hi.y - 163), []);
    assert_eq!(put(600 - 236, hi.y - 163), [Rule::OutsideDie]);
    assert_eq!(put(hi.x - 237, 640 - 162), [Rule::OutsideDie]);
}

#[test]
fn a_heap_of_cells_is_illegal_and_costs_no_square() {
    let mut builder = DesignBuilder::new("heap", Arc::new(tech()), Arc::new(library()));
    for cell in 0..200_000 {
        builder.add_cell(&format!("c{cell}"), INV, at(10, 3));
    }
    let mut design = Design::new(&builder.finish(plain_plan(8)));
    let (mut legality, counts) = count(&design);
    assert!(counts.of_rule(Rule::Overlap) >= 200_000);
    let mark = design.mark();
    for cell in 0..199_800 {
        let place = Place { status: PlaceStatus::Unplaced, ..Place::default() };
        design.move_cell(CellId(cell), place).unwrap();
    }
    let before = legality.clone();
    legality.update(&design, &design.dirty_since(mark)).unwrap();
    assert!(legality == Legality::full(&design, LegalityConfig::default()));
    // 200 cells are left: every pair counts.
    assert_eq!(legality.counts().of_rule(Rule::Overlap), 200 * 199 / 2);
    assert!(legality.undo());
    assert!(legality == before);
}

#[test]
fn violations_are_told_in_words() {
    let (mut design, cells) = legal(plain_plan(8));
    design.move_cell(cells[1], Place { x: X + 19, ..at(0, 0) }).unwrap();
    let (legality, _) = count(&design);
    let told = legality.violations(&design, 10).unwrap();
    assert_eq!(told.len(), 2);
    assert_eq!(told[0].text, "c1 at x 54 stands between sites of `base`");
    assert_eq!(told[1].text, "c0 and c1 overlap by 1 x 100 DBU");
    assert_eq!(told[1].region, Rect::new(54, 40, 55, 140));
    assert_eq!(legality.violations(&design, 1).unwrap().len(), 1);
}
