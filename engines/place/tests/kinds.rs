//! Kinds of input that users of other placers reported, and the table that says which test covers
//! which report.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use cellwright_db::floorplan::BlockageKind;
use cellwright_db::library::MasterClass;
use cellwright_db::{CellId, Op, Place, Point, Rect, RegionId};
use cellwright_place::{Note, PlaceConfig, PlaceError, Stages, Way, place, place_incremental};
use common::{Case, HEIGHT, Rng, STEP, blockage, broken, fixed, master, wire};

fn block(sites: i32, rows: i32) -> cellwright_db::Master {
    let mut block = master("block", sites, rows, 2);
    block.class = MasterClass::Block;
    block.site = None;
    block
}

fn cells(case: &mut Case, count: usize) {
    (0..count).for_each(|_| {
        case.unplaced(0);
    });
}

#[test]
fn overlapping_fixed_blocks_count_once_and_are_noted() {
    let mut case = Case::new(10, 60, vec![master("a", 2, 1, 3), block(20, 4)]);
    // Three blocks nearly upon each other: their sum exceeds the core, their union does not.
    for dx in [0, 7, 13] {
        case.cells.push((1, fixed(203 + dx, 200), RegionId::NONE));
    }
    cells(&mut case, 150);
    wire(&mut case, &mut Rng(1));
    let mut design = case.design();
    let result = place(&design, &PlaceConfig::default(), &mut ()).unwrap();
    assert!(result.report.notes.iter().any(|note| matches!(note, Note::FixedOverlap(_))));
    design.apply(&result.delta).unwrap();
    assert_eq!(broken(&design), Vec::<String>::new());
}

#[test]
fn fixed_cells_outside_the_core_pull_and_do_not_block() {
    let mut case = Case::new(8, 40, vec![master("a", 2, 1, 3)]);
    case.cells.push((0, fixed(-500, -500), RegionId::NONE));
    case.cells.push((0, fixed(10_000, 5), RegionId::NONE));
    cells(&mut case, 60);
    wire(&mut case, &mut Rng(4));
    let mut design = case.design();
    let result = place(&design, &PlaceConfig::default(), &mut ()).unwrap();
    design.apply(&result.delta).unwrap();
    assert_eq!(broken(&design), Vec::<String>::new());
}

#[test]
fn a_density_below_the_uniform_one_is_raised_and_noted() {
    let mut case = Case::new(8, 40, vec![master("a", 2, 1, 3)]);
    cells(&mut case, 110);
    wire(&mut case, &mut Rng(4));
    let config = PlaceConfig { density: Some(0.2), ..PlaceConfig::default() };
    let result = place(&case.design(), &config, &mut ()).unwrap();
    assert!(result.report.density > 0.6);
    assert!(
        result
            .report
            .notes
            .iter()
            .any(|note| matches!(note, Note::DensityRaised { from: 200, .. }))
    );
}

#[test]
fn no_gap_is_narrower_than_the_narrowest_filler() {
    let mut filler = master("fill2", 2, 1, 0);
    filler.class = MasterClass::Spacer;
    let mut case = Case::new(10, 61, vec![master("a", 2, 1, 3), master("b", 3, 1, 3), filler]);
    for i in 0..180 {
        case.unplaced(i % 2);
    }
    wire(&mut case, &mut Rng(12));
    let narrow = |design: &cellwright_db::Design| {
        let mut gaps = 0;
        for row in &design.floorplan().rows {
            let end = row.origin.x + row.count * row.step;
            let mut cells: Vec<Rect> = design
                .cells()
                .map(|cell| design.outline(cell))
                .filter(|rect| rect.lo.y == row.origin.y)
                .collect();
            cells.sort_by_key(|rect| rect.lo.x);
            cells.push(Rect::new(end, 0, end, 0));
            let mut at = row.origin.x;
            for cell in cells {
                gaps += usize::from(cell.lo.x - at == row.step);
                at = cell.hi.x;
            }
        }
        gaps
    };
    for stages in [Stages::default(), Stages { detailed: false, ..Stages::default() }] {
        let mut design = case.design();
        let config = PlaceConfig { stages, ..PlaceConfig::default() };
        let result = place(&design, &config, &mut ()).unwrap();
        design.apply(&result.delta).unwrap();
        assert_eq!(broken(&design), Vec::<String>::new());
        assert_eq!(narrow(&design), 0, "{:?}", result.report.notes);
    }
    // With a filler of one site such gaps are as good as any, and there are some.
    case.masters[2] = master("fill1", 1, 1, 0);
    case.masters[2].class = MasterClass::Spacer;
    let mut design = case.design();
    let result = place(&design, &PlaceConfig::default(), &mut ()).unwrap();
    design.apply(&result.delta).unwrap();
    assert!(narrow(&design) > 0);
}

#[test]
fn cells_on_a_macro_find_a_way_off_it_however_far() {
    let mut case = Case::new(30, 200, vec![master("a", 2, 1, 3), block(190, 28)]);
    case.cells.push((1, fixed(103, 100), RegionId::NONE));
    for _ in 0..100 {
        case.cells.push((0, Place::placed(1000, 1500, cellwright_db::Orient::N), RegionId::NONE));
    }
    wire(&mut case, &mut Rng(9));
    let mut design = case.design();
    let stages = Stages { global: false, legalize: true, detailed: false };
    let config = PlaceConfig { stages, ..PlaceConfig::default() };
    design.apply(&place(&design, &config, &mut ()).unwrap().delta).unwrap();
    assert_eq!(broken(&design), Vec::<String>::new());
}

#[test]
fn a_macro_that_fits_nowhere_is_refused_with_its_size() {
    let mut case = Case::new(10, 60, vec![master("a", 2, 1, 3), block(20, 4)]);
    // A wall through the middle leaves area, but no place that large.
    for y in [0, 3, 6, 9] {
        for x in [0, 15, 30, 45] {
            case.cells.push((0, fixed(103 + x * STEP, 100 + y * HEIGHT), RegionId::NONE));
        }
    }
    case.unplaced(1);
    wire(&mut case, &mut Rng(9));
    let error = place(&case.design(), &PlaceConfig::default(), &mut ()).unwrap_err();
    let PlaceError::MacroDoesNotFit { cell, width, height, .. } = error else { panic!("{error}") };
    assert_eq!((cell.as_str(), width, height), ("c16", 20 * STEP, 4 * HEIGHT));
}

#[test]
fn soft_blockages_keep_cells_away_while_there_is_room_and_bind_no_legaliser() {
    let mut case = Case::new(20, 100, vec![master("a", 2, 1, 3)]);
    cells(&mut case, 300);
    wire(&mut case, &mut Rng(9));
    let rect = Rect::new(103, 100, 603, 2100);
    case.plan.blockages.push(blockage(BlockageKind::Soft, rect));
    let mut design = case.design();
    let global = Stages { global: true, legalize: false, detailed: false };
    let config = PlaceConfig { stages: global, ..PlaceConfig::default() };
    design.apply(&place(&design, &config, &mut ()).unwrap().delta).unwrap();
    let inside = design.cells().filter(|cell| rect.contains(&design.outline(*cell))).count();
    assert!(inside < 30, "{inside} of 300 cells in the soft blockage");
    // Standing there is legal all the same.
    for (i, cell) in design.cells().collect::<Vec<_>>().into_iter().enumerate() {
        let (x, y) = (103 + (i as i32 % 20) * 2 * STEP, 100 + (i as i32 / 20) * HEIGHT);
        let orient = if (y - 100) / HEIGHT % 2 == 0 { "N" } else { "FS" };
        let orient = match orient {
            "N" => cellwright_db::Orient::N,
            _ => cellwright_db::Orient::FS,
        };
        design.move_cell(cell, Place::placed(x, y, orient)).unwrap();
    }
    let stages = Stages { global: false, legalize: true, detailed: false };
    let config = PlaceConfig { stages, ..PlaceConfig::default() };
    assert!(place(&design, &config, &mut ()).unwrap().delta.ops.is_empty());
}

/// A legal placement of 160 cells.
fn legal() -> cellwright_db::Design {
    let mut case = Case::new(12, 60, vec![master("a", 2, 1, 3), master("b", 3, 1, 4)]);
    for i in 0..160 {
        case.unplaced(i % 2);
    }
    wire(&mut case, &mut Rng(5));
    let mut design = case.design();
    design.apply(&place(&design, &PlaceConfig::default(), &mut ()).unwrap().delta).unwrap();
    design
}

fn length(design: &cellwright_db::Design) -> i64 {
    let stay = Stages { global: false, legalize: false, detailed: true };
    let config = PlaceConfig { stages: stay, ..PlaceConfig::default() };
    let problem = cellwright_place::Problem::new(design, &config);
    problem.hpwl(&problem.nodes.start, &problem.nodes.orient)
}

#[test]
fn incremental_placement_moves_its_cells_only_and_is_never_worse() {
    let design = legal();
    let all: Vec<CellId> = design.cells().collect();
    for count in [1, 5, 20, 80] {
        let some: Vec<CellId> = all.iter().copied().step_by(all.len() / count).collect();
        let mut after = design.clone();
        let found = place_incremental(&design, &some, &PlaceConfig::default(), &mut ()).unwrap();
        for op in &found.result.delta.ops {
            let Op::Move { cell, .. } = op else { panic!("{op:?}") };
            assert!(some.contains(cell));
        }
        after.apply(&found.result.delta).unwrap();
        assert_eq!(broken(&after), Vec::<String>::new());
        assert!(length(&after) <= length(&design));
    }
}

#[test]
fn incremental_placement_of_nothing_changes_nothing() {
    let design = legal();
    let found = place_incremental(&design, &[], &PlaceConfig::default(), &mut ()).unwrap();
    assert!(found.way == Way::Nothing && found.result.delta.ops.is_empty());
}

#[test]
fn new_cells_are_placed_beside_what_they_connect_to_and_apart() {
    let mut design = legal();
    let before = length(&design);
    let lost: Vec<CellId> = design.cells().step_by(4).collect();
    for cell in &lost {
        design.move_cell(*cell, Place::default()).unwrap();
    }
    let found = place_incremental(&design, &lost, &PlaceConfig::default(), &mut ()).unwrap();
    design.apply(&found.result.delta).unwrap();
    assert_eq!(broken(&design), Vec::<String>::new());
    // A quarter of the cells put back among the others: near what placing all of them gave.
    let after = length(&design);
    assert!(after < before * 2, "{before} became {after}");
    let origin = Point::new(0, 0);
    assert!(lost.iter().all(|cell| design.place(*cell).x != origin.x));
}

#[test]
fn every_complaint_of_the_table_names_a_test_that_exists_or_says_open() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = std::fs::read_to_string(root.join("COMPLAINTS.md")).unwrap();
    let mut numbers = Vec::new();
    for line in table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| #")) {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        numbers.push(columns[1].parse::<u32>().unwrap());
        if columns[3].starts_with("open:") {
            continue;
        }
        for test in columns[3].split(", ") {
            let (file, name) = test.trim_matches('`').split_once("::").unwrap();
            let text = std::fs::read_to_string(root.join(file)).unwrap();
            assert!(text.contains(&format!("fn {name}(")), "{line}");
        }
    }
    assert_eq!(numbers, (1..=37).collect::<Vec<_>>());
}
