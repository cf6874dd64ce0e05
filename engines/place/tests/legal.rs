//! Legal on random floorplans: fragmented rows, mixed heights, fences, blockages, up to 95 % full.

#![allow(clippy::unwrap_used)]

mod common;

use cellwright_db::floorplan::BlockageKind;
use cellwright_db::{Orient, Place, PlaceStatus, Point, Rect, RegionId};
use cellwright_measure::{Legality, LegalityConfig, Metric};
use cellwright_place::{PlaceConfig, PlaceError, Stages, place};
use common::{Case, HEIGHT, Rng, STEP, blockage, broken, fence, fixed, master, wire};
use proptest::prelude::*;

/// A random case filled to about `fill` per cent.
fn random(seed: u64, fill: i64) -> Case {
    let mut rng = Rng(seed);
    let masters = vec![
        master("a", 2, 1, 3),
        master("b", 3, 1, 3),
        master("c", 5, 1, 4),
        master("d", 4, 2, 4),
        master("e", 3, 3, 4),
        master("block", 9, 2, 2),
    ];
    let (rows, sites) = (6 + rng.below(6) as i32, 30 + rng.below(40) as i32);
    let mut case = Case::new(rows, sites, masters);
    // Fragmented rows: cut pieces out.
    for _ in 0..rng.below(4) {
        let at = rng.below(case.plan.rows.len() as u32) as usize;
        let row = case.plan.rows[at].clone();
        if row.count > 16 {
            let cut = 6 + rng.below(8) as i32;
            case.plan.rows[at].count = cut;
            let mut right = row.clone();
            right.origin.x += (cut + 1) * STEP;
            right.count -= cut + 1;
            case.plan.rows.push(right);
        }
    }
    let corner = |rng: &mut Rng| {
        let x = 103 + rng.below(sites as u32) as i32 * STEP - 7;
        let y = 100 + rng.below(rows as u32) as i32 * HEIGHT + rng.below(60) as i32;
        Point::new(x, y)
    };
    for _ in 0..rng.below(3) {
        let p = corner(&mut rng);
        case.cells.push((5, fixed(p.x, p.y), RegionId::NONE));
    }
    if rng.below(2) == 0 {
        let p = corner(&mut rng);
        let rect = Rect::new(p.x, p.y, p.x + 77, p.y + 130);
        case.plan.blockages.push(blockage(BlockageKind::Hard, rect));
    }
    let fenced = rng.below(3) == 0;
    if fenced {
        let width = (sites / 3) * STEP;
        let rect = Rect::new(100, 100, 103 + width, 100 + 3 * HEIGHT + 20);
        case.plan.regions.push(fence("f", vec![rect]));
    }
    if rng.below(3) == 0 {
        let rect = Rect::new(150, 300, 300, 520);
        case.plan.blockages.push(blockage(BlockageKind::Partial(0.6), rect));
    }
    // Fill by area as the floorplan leaves it.
    let free = {
        let design = case.design();
        let problem = cellwright_place::Problem::new(&design, &PlaceConfig::default());
        let area = cellwright_place::free::free_area(&problem, u32::MAX, &problem.blocks);
        cellwright_place::free::usable(&problem, &area)
    };
    let mut area = 0;
    loop {
        let which = match rng.below(20) {
            0 => 3,
            1 => 4,
            k => (k % 3) as usize,
        };
        let size = case.masters[which].area();
        if (area + size) * 100 > free * fill {
            break;
        }
        area += size;
        case.unplaced(which);
    }
    if fenced {
        for _ in 0..3 {
            let cell = case.unplaced(0);
            case.cells[cell].2 = RegionId::new(0);
        }
    }
    if case.cells.len() > 2 {
        wire(&mut case, &mut rng);
    }
    case
}

fn run(case: &Case, config: &PlaceConfig) -> Result<i64, PlaceError> {
    let mut design = case.design();
    let result = place(&design, config, &mut ())?;
    design.apply(&result.delta).unwrap();
    assert_eq!(broken(&design), Vec::<String>::new());
    let judge = Legality::full(&design, LegalityConfig::default());
    let seen = judge.violations(&design, 5).unwrap();
    assert_eq!(judge.counts().movable(), 0, "{seen:?}");
    let hpwl: Vec<i64> = result.report.stages.iter().map(|stage| stage.hpwl).collect();
    if let [.., before, after] = hpwl[..] {
        assert!(after <= before, "detailed placement made {before} into {after}");
    }
    Ok(hpwl.last().copied().unwrap_or(0))
}

/// Random floorplans per property: a thousand where `CELLWRIGHT_ALL` is set.
fn cases() -> u32 {
    if std::env::var_os("CELLWRIGHT_ALL").is_some() { 1000 } else { 48 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn every_result_is_legal(seed in any::<u64>(), fill in 30_i64..80) {
        match run(&random(seed, fill), &PlaceConfig::default()) {
            Ok(_) => {}
            // A fence or a cut may leave less than its cells need; then the numbers say so.
            Err(PlaceError::TooFull { .. }) => {}
            Err(error) => prop_assert!(false, "{error}"),
        }
    }

    #[test]
    fn nearly_full_is_legal_or_said_to_be_fragmented(seed in any::<u64>()) {
        match run(&random(seed, 95), &PlaceConfig::default()) {
            Ok(_) | Err(PlaceError::TooFull { .. } | PlaceError::Fragmented { .. }) => {}
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}

#[test]
fn single_rows_fill_up_to_the_last_site() {
    // Rows of 20 sites, cells of 2, 3 and 5 that fit exactly: no waste is allowed.
    let mut case =
        Case::new(8, 20, vec![master("a", 2, 1, 2), master("b", 3, 1, 2), master("c", 5, 1, 2)]);
    for _ in 0..8 {
        for which in [0, 1, 2, 0, 1, 2] {
            case.unplaced(which);
        }
    }
    wire(&mut case, &mut Rng(5));
    run(&case, &PlaceConfig::default()).unwrap();
}

#[test]
fn a_legal_placement_stays_when_legalised() {
    let case = random(11, 60);
    let mut design = case.design();
    let delta = place(&design, &PlaceConfig::default(), &mut ()).unwrap().delta;
    design.apply(&delta).unwrap();
    let only = Stages { global: false, legalize: true, detailed: false };
    let again =
        place(&design, &PlaceConfig { stages: only, ..PlaceConfig::default() }, &mut ()).unwrap();
    assert_eq!(again.delta.ops, vec![]);
}

#[test]
fn rows_that_lie_upon_each_other_take_a_cell_once() {
    // Twice the same row, one that starts inside another, and one half a row higher.
    let mut case = Case::new(6, 30, vec![master("a", 2, 1, 3), master("b", 5, 1, 3)]);
    let rows = case.plan.rows.clone();
    case.plan.rows.push(rows[0].clone());
    case.plan.rows[1].count = 20;
    case.plan.rows.push(cellwright_db::floorplan::Row {
        origin: Point::new(rows[1].origin.x + 10 * STEP, rows[1].origin.y),
        count: 20,
        ..rows[1].clone()
    });
    case.plan.rows.push(cellwright_db::floorplan::Row {
        origin: Point::new(rows[3].origin.x + 4, rows[3].origin.y + HEIGHT / 2),
        orient: Orient::N,
        ..rows[3].clone()
    });
    // As many as fit without the doubles: 6 rows of 15 pairs of sites, a few left.
    for _ in 0..80 {
        case.unplaced(0);
    }
    wire(&mut case, &mut Rng(7));
    run(&case, &PlaceConfig::default()).unwrap();
    (0..20).for_each(|_| {
        case.unplaced(0);
    });
    let error = run(&case, &PlaceConfig::default()).unwrap_err();
    assert!(matches!(error, PlaceError::TooFull { .. }), "{error}");
}

#[test]
fn a_nearly_empty_die_costs_what_its_cells_cost() {
    // 30 cells on 1,500 rows of 30,000 sites: work follows the cells, not the die.
    let mut case = Case::new(1500, 30_000, vec![master("a", 2, 1, 3)]);
    (0..30).for_each(|_| {
        case.unplaced(0);
    });
    wire(&mut case, &mut Rng(7));
    let design = case.design();
    let result = place(&design, &PlaceConfig::default(), &mut ()).unwrap();
    let work: u64 = result.report.stages.iter().map(|stage| stage.work_units).sum();
    assert!(work < 20_000_000, "{work}");
    run(&case, &PlaceConfig::default()).unwrap();
}

#[test]
fn edge_spacing_is_kept() {
    let mut near = master("a", 2, 1, 3);
    near.edge_types = Some(("W".into(), "W".into()));
    let mut case = Case::new(6, 40, vec![near]);
    case.edge_spacing.push(("W".into(), "W".into(), 15));
    (0..50).for_each(|_| {
        case.unplaced(0);
    });
    wire(&mut case, &mut Rng(3));
    run(&case, &PlaceConfig::default()).unwrap();
}

#[test]
fn the_oracle_sees_what_is_broken() {
    let case = random(11, 60);
    let mut design = case.design();
    let delta = place(&design, &PlaceConfig::default(), &mut ()).unwrap().delta;
    design.apply(&delta).unwrap();
    assert_eq!(broken(&design), Vec::<String>::new());
    let cells: Vec<_> = design.cells().filter(|cell| !design.place(*cell).is_fixed()).collect();
    let (a, b) = (cells[0], cells[1]);
    let at = design.place(a);
    let mutants = [
        (a, Place { x: at.x + 1, ..at }),
        (a, Place { y: at.y + 1, ..at }),
        (a, Place { x: -50, ..at }),
        (a, Place { orient: Orient::W, ..at }),
        (a, Place { status: PlaceStatus::Unplaced, ..at }),
        (b, Place { status: PlaceStatus::Placed, ..at }),
    ];
    for (cell, to) in mutants {
        let mark = design.mark();
        design.move_cell(cell, to).unwrap();
        assert!(!broken(&design).is_empty(), "{to:?}");
        design.undo_to(mark);
    }
}

#[test]
fn fragmentation_is_rare_at_95_per_cent() {
    let outcome = |seed| run(&random(seed, 95), &PlaceConfig::default());
    let (mut placed, mut fragmented) = (0, 0);
    for seed in 1000..1040 {
        match outcome(seed) {
            Ok(_) => placed += 1,
            Err(PlaceError::Fragmented { .. }) => fragmented += 1,
            Err(PlaceError::TooFull { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    println!("{placed} placed, {fragmented} fragmented");
    assert!(placed > 0 && fragmented <= placed / 2, "{placed} placed, {fragmented} fragmented");
}
