//! Legality against a brute-force oracle, and one mutant of a legal placement for each rule.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;

use cellwright_checker::legality::{Legality, Rule, check};
use cellwright_checker::state::State;
use cellwright_db::floorplan::{Blockage, BlockageKind, Floorplan, Halo, Region, RegionKind};
use cellwright_db::{
    CellId, Design, DesignBuilder, Orient, Place, PlaceStatus, Rect, RegionId, Snapshot,
};
use common::small::*;
use proptest::prelude::*;

/// A cell to be built: master, place, region.
type Put = (&'static str, Place, Option<u32>);

fn build(cells: &[Put], plan: Floorplan, spacing: Vec<(String, String, i32)>) -> Snapshot {
    let mut list = masters();
    list.iter_mut().filter(|m| m.name == "INV").for_each(|m| {
        m.edge_types = Some(("a".into(), "b".into()));
    });
    let tech = Arc::new(technology(spacing));
    let mut b = DesignBuilder::new("small", tech, Arc::new(library(list)));
    for (number, (name, place, region)) in cells.iter().enumerate() {
        let master = b.library().master(name).unwrap();
        let cell = b.add_cell(&format!("c{number}"), master, *place);
        if let Some(region) = region {
            b.set_region(cell, RegionId(*region));
        }
    }
    b.finish(plan)
}

fn found(snapshot: &Snapshot) -> Legality {
    check(&State::new(snapshot))
}

fn rules(snapshot: &Snapshot) -> Vec<Rule> {
    found(snapshot).violations.iter().map(|violation| violation.rule).collect()
}

fn at(x: i32, y: i32, orient: Orient) -> Place {
    Place::placed(x, y, orient)
}

fn fence(name: &str, rect: Rect) -> Region {
    Region { name: name.into(), kind: RegionKind::Fence, rects: vec![rect] }
}

#[test]
fn each_rule_is_broken_by_its_mutant_alone() {
    use Orient::{FS, N, W};
    let plan = || floorplan(4, 40);
    let spacing = || vec![("b".to_owned(), "a".to_owned(), 300)];
    let legal: Vec<Put> = vec![
        ("INV", at(0, 0, N), None),
        ("BUF", at(500, 0, N), None),
        ("TALL", at(1000, 0, N), None),
        ("DFF", at(2000, 1000, FS), None),
        ("RAM", at(3000, 0, N), None),
    ];
    assert_eq!(rules(&build(&legal, plan(), spacing())), []);
    let with = |at_cell: usize, place: Place| {
        let mut cells = legal.clone();
        cells[at_cell].1 = place;
        cells
    };
    let unplaced = Place { status: PlaceStatus::Unplaced, ..at(0, 0, N) };
    let moved: [(Vec<Put>, &[Rule]); 8] = [
        (with(0, unplaced), &[Rule::Unplaced]),
        (with(0, at(50, 0, N)), &[Rule::OffSite]),
        (with(0, at(0, 1, N)), &[Rule::OffRow]),
        (with(0, at(0, 0, FS)), &[Rule::Orientation]),
        (with(0, at(2000, 0, W)), &[Rule::Orientation]),
        (with(4, at(3001, 0, N)), &[Rule::OutsideDie]),
        // Ground rails above and below, but the row starts with power.
        (with(2, at(1000, 1000, FS)), &[Rule::Rail]),
        (with(1, at(100, 0, N)), &[Rule::Overlap]),
    ];
    for (cells, want) in moved {
        assert_eq!(rules(&build(&cells, plan(), spacing())), want, "{cells:?}");
    }
    // Edges b (right of the first) and a (left of the second) keep three sites.
    let mut near = legal.clone();
    near[1] = ("INV", at(400, 0, N), None);
    assert_eq!(rules(&build(&near, plan(), spacing())), [Rule::EdgeSpacing]);
    near[1].1.x = 500;
    assert_eq!(rules(&build(&near, plan(), spacing())), []);
    let planned = |change: &dyn Fn(&mut Floorplan)| {
        let mut plan = plan();
        change(&mut plan);
        rules(&build(&legal, plan, spacing()))
    };
    let block = |kind, rect| Blockage { kind, rect, cell: CellId::NONE };
    let edge = Rect::new(199, 0, 300, 1000);
    let hard = planned(&|plan| plan.blockages.push(block(BlockageKind::Hard, edge)));
    assert_eq!(hard, [Rule::Blockage]);
    let soft = planned(&|plan| plan.blockages.push(block(BlockageKind::Soft, edge)));
    assert_eq!(soft, []);
    // The first cell takes 200 × 1000 of 1000 × 1000, the second 200 more.
    let area = Rect::new(0, 0, 1000, 1000);
    for (share, want) in [(0.4, vec![]), (0.399_999, vec![Rule::PartialBlockage])] {
        let kind = BlockageKind::Partial(share);
        assert_eq!(planned(&|plan| plan.blockages.push(block(kind, area))), want);
    }
    let halo = |left, soft| Halo { cell: CellId(1), margins: [left, 0, 0, 0], soft };
    assert_eq!(planned(&|plan| plan.halos.push(halo(300, false))), []);
    assert_eq!(planned(&|plan| plan.halos.push(halo(301, false))), [Rule::Halo]);
    assert_eq!(planned(&|plan| plan.halos.push(halo(301, true))), []);
    let strangers = planned(&|plan| plan.regions.push(fence("f", Rect::new(0, 0, 1, 1))));
    assert_eq!(strangers, [Rule::FenceStranger]);
    let mut member = legal.clone();
    member[0].2 = Some(0);
    let mut fenced = plan();
    fenced.regions.push(fence("f", Rect::new(0, 0, 199, 1000)));
    assert_eq!(rules(&build(&member, fenced, spacing())), [Rule::FenceMember]);
    // Fixed cells are counted apart.
    let fixed = |place: Place| Place { status: PlaceStatus::Fixed, ..place };
    let mut both = with(1, fixed(at(100, 0, N)));
    let mixed = found(&build(&both, plan(), spacing()));
    assert_eq!((mixed.movable(), mixed.fixed()), (1, 0));
    both[0].1 = fixed(both[0].1);
    let mixed = found(&build(&both, plan(), spacing()));
    assert_eq!((mixed.movable(), mixed.fixed()), (0, 1));
}

#[test]
fn a_notch_of_the_die_is_outside() {
    let mut plan = floorplan(4, 40);
    let p = cellwright_db::Point::new;
    plan.die_outline =
        vec![p(0, 0), p(4000, 0), p(4000, 2000), p(2000, 2000), p(2000, 4000), p(0, 4000)];
    let cell = |x, y, orient| vec![("INV", at(x, y, orient), None)];
    let run = |cells: Vec<Put>| rules(&build(&cells, plan.clone(), Vec::new()));
    assert_eq!(run(cell(1800, 2000, Orient::N)), []);
    assert_eq!(run(cell(1900, 2000, Orient::N)), [Rule::OutsideDie]);
    assert_eq!(run(cell(1900, 1000, Orient::FS)), []);
}

/// The rules between cells and against areas, by looking at everything with everything.
fn oracle(snapshot: &Snapshot, spacing: i32) -> BTreeSet<(Rule, Vec<CellId>)> {
    let design = Design::new(snapshot);
    let plan = design.floorplan();
    let mut found = BTreeSet::new();
    let cells: Vec<CellId> = design.cells().collect();
    let grown = |cell: CellId| {
        let mut rect = design.outline(cell);
        for halo in plan.halos.iter().filter(|halo| halo.cell == cell && !halo.soft) {
            let [l, b, r, t] = halo.margins;
            rect = Rect::new(rect.lo.x - l, rect.lo.y - b, rect.hi.x + r, rect.hi.y + t);
        }
        rect
    };
    let inverter = |cell: CellId| design.master(cell).name == "INV";
    for (i, &a) in cells.iter().enumerate() {
        for &b in &cells[i + 1..] {
            let (ra, rb) = (design.outline(a), design.outline(b));
            let mirrored =
                |cell: CellId| matches!(design.place(cell).orient, Orient::FN | Orient::S);
            let too_near = || {
                let (l, r) = if ra.lo.x <= rb.lo.x { (a, b) } else { (b, a) };
                let (rl, rr) = (design.outline(l), design.outline(r));
                // Only a right edge `b` of an inverter and a left edge `a` of another.
                inverter(l)
                    && inverter(r)
                    && mirrored(l) == mirrored(r)
                    && rl.lo.y < rr.hi.y
                    && rr.lo.y < rl.hi.y
                    && rr.lo.x - rl.hi.x < spacing
            };
            let rule = if ra.overlaps(&rb) {
                Some(Rule::Overlap)
            } else if grown(a).overlaps(&rb) || grown(b).overlaps(&ra) {
                Some(Rule::Halo)
            } else {
                too_near().then_some(Rule::EdgeSpacing)
            };
            found.extend(rule.map(|rule| (rule, vec![a, b])));
        }
    }
    for &cell in &cells {
        let rect = design.outline(cell);
        let hit = |blockage: &&Blockage| {
            blockage.kind == BlockageKind::Hard && blockage.rect.overlaps(&rect)
        };
        if plan.blockages.iter().any(|blockage| hit(&blockage)) {
            found.insert((Rule::Blockage, vec![cell]));
        }
        for (number, region) in plan.regions.iter().enumerate() {
            let own = design.cell(cell).region == RegionId::new(number);
            let covered = |x: i32, y: i32| {
                let unit = Rect::new(x, y, x + 50, y + 500);
                region.rects.iter().any(|part| part.contains(&unit))
            };
            let mut units = (rect.lo.x..rect.hi.x)
                .step_by(50)
                .flat_map(|x| (rect.lo.y..rect.hi.y).step_by(500).map(move |y| (x, y)));
            if own && !units.all(|(x, y)| covered(x, y)) {
                found.insert((Rule::FenceMember, vec![cell]));
            }
            if !own && region.rects.iter().any(|part| part.overlaps(&rect)) {
                found.insert((Rule::FenceStranger, vec![cell]));
            }
        }
    }
    found
}

fn place() -> impl Strategy<Value = Place> {
    (0..60_i32, 0..10_i32, 0..4_usize, any::<bool>()).prop_map(|(x, y, orient, fixed)| {
        let orient = [Orient::N, Orient::FN, Orient::FS, Orient::S][orient];
        let status = if fixed { PlaceStatus::Fixed } else { PlaceStatus::Placed };
        Place { x: x * 50, y: y * 500, orient, status }
    })
}

fn rect() -> impl Strategy<Value = Rect> {
    (0..60_i32, 0..10_i32, 1..20_i32, 1..4_i32)
        .prop_map(|(x, y, w, h)| Rect::new(x * 50, y * 500, (x + w) * 50, (y + h) * 500))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn everything_between_is_what_brute_force_finds(
        cells in prop::collection::vec(
            (prop::sample::select(vec!["INV", "BUF", "DFF", "TALL"]), place(), prop::option::of(0..2_u32)),
            0..25,
        ),
        blockages in prop::collection::vec(rect(), 0..4),
        fences in prop::collection::vec(prop::collection::vec(rect(), 1..3), 2),
        halos in prop::collection::vec((0..25_u32, 0..6_i32, 0..2_i32, any::<bool>()), 0..3),
        spacing in 0..8_i32,
    ) {
        let mut plan = floorplan(5, 30);
        plan.blockages = blockages
            .into_iter()
            .map(|rect| Blockage { kind: BlockageKind::Hard, rect, cell: CellId::NONE })
            .collect();
        plan.regions = fences
            .into_iter()
            .map(|rects| Region { name: "f".into(), kind: RegionKind::Fence, rects })
            .collect();
        let mut seen = BTreeSet::new();
        plan.halos = halos
            .into_iter()
            .filter(|(cell, ..)| seen.insert(*cell))
            .map(|(cell, x, y, soft)| Halo {
                cell: CellId(cell),
                margins: [x * 50, y * 500, x * 100, 0],
                soft,
            })
            .collect();
        let table = vec![("a".to_owned(), "b".to_owned(), spacing * 50)];
        let snapshot = build(&cells, plan, table);
        let between = [
            Rule::Overlap, Rule::Halo, Rule::EdgeSpacing, Rule::Blockage, Rule::FenceMember,
            Rule::FenceStranger,
        ];
        let ours: BTreeSet<_> = found(&snapshot)
            .violations
            .into_iter()
            .filter(|violation| between.contains(&violation.rule))
            .map(|violation| (violation.rule, violation.cells))
            .collect();
        prop_assert_eq!(ours, oracle(&snapshot, spacing * 50));
    }
}
