//! The flow: tiny and odd designs, determinism, limits, cancellation.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::ops::ControlFlow;

use cellwright_db::library::MasterClass;
use cellwright_db::{Orient, Place, Point};
use cellwright_place::report::Event;
use cellwright_place::{Limits, Note, PlaceConfig, PlaceError, Stages, StopReason, place};
use common::{Case, Rng, STEP, broken, fixed, master, wire};

fn case(cells: usize) -> Case {
    let mut case = Case::new(10, 60, vec![master("a", 2, 1, 3), master("b", 3, 1, 4)]);
    for i in 0..cells {
        case.unplaced(i % 2);
    }
    if cells > 1 {
        wire(&mut case, &mut Rng(1));
        case.ports.push((0, Some(Point::new(0, 0))));
        case.ports.push((case.nets.len() - 1, Some(Point::new(700, 1100))));
    }
    case
}

#[test]
fn no_one_or_two_cells() {
    for cells in 0..9 {
        let mut design = case(cells).design();
        let result = place(&design, &PlaceConfig::default(), &mut ()).unwrap();
        assert_eq!(result.report.cells, cells);
        design.apply(&result.delta).unwrap();
        assert_eq!(broken(&design), Vec::<String>::new());
    }
}

#[test]
fn nothing_movable_is_no_error() {
    let mut case = case(3);
    for (i, cell) in case.cells.iter_mut().enumerate() {
        cell.1 = fixed(103 + 10 * STEP * i as i32, 100);
    }
    let result = place(&case.design(), &PlaceConfig::default(), &mut ()).unwrap();
    assert!(result.delta.ops.is_empty() && result.report.stages.is_empty());
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let design = case(150).design();
    let run = |threads: usize, seed: u64| {
        place(&design, &PlaceConfig { threads, seed, ..PlaceConfig::default() }, &mut ()).unwrap()
    };
    let one = run(1, 4);
    assert!(one.delta.ops.len() > 140);
    for threads in [1, 2, 3] {
        assert_eq!(one.delta, run(threads, 4).delta, "{threads} threads");
    }
}

#[test]
fn nor_does_that_of_a_design_of_many_pieces() {
    // More cells than one piece of parallel work holds, for a few iterations.
    let mut case = Case::new(60, 700, vec![master("a", 2, 1, 3), master("b", 3, 1, 4)]);
    for i in 0..9000 {
        case.unplaced(i % 2);
    }
    wire(&mut case, &mut Rng(1));
    let design = case.design();
    let limits = Limits { iterations: Some(25), ..Limits::default() };
    let stages = Stages { detailed: false, ..Stages::default() };
    let run = |threads| {
        let config = PlaceConfig { threads, limits, stages, ..PlaceConfig::default() };
        place(&design, &config, &mut ()).unwrap().delta
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn too_many_cells_are_refused_with_numbers() {
    let error = place(&case(400).design(), &PlaceConfig::default(), &mut ()).unwrap_err();
    let PlaceError::TooFull { movable, free, percent, .. } = error else { panic!("{error}") };
    assert!(movable > free && (percent - 100.0 * movable / free).abs() < 1e-9);
}

#[test]
fn no_rows_and_wrong_sites_are_refused() {
    let mut no_rows = case(4);
    no_rows.plan.rows.clear();
    let error = place(&no_rows.design(), &PlaceConfig::default(), &mut ()).unwrap_err();
    assert_eq!(error, PlaceError::NoRows { cells: 4 });
    let mut odd = case(4);
    odd.masters[1].height = 130;
    let error = place(&odd.design(), &PlaceConfig::default(), &mut ()).unwrap_err();
    assert!(matches!(&error, PlaceError::NoRowFor { cell, .. } if cell == "c1"), "{error}");
}

#[test]
fn limits_end_early_and_still_give_a_legal_result() {
    for limits in [
        Limits { iterations: Some(3), ..Limits::default() },
        Limits { work_units: Some(1), ..Limits::default() },
        Limits { wall: Some(std::time::Duration::ZERO), ..Limits::default() },
    ] {
        let mut design = case(150).design();
        let result =
            place(&design, &PlaceConfig { limits, ..PlaceConfig::default() }, &mut ()).unwrap();
        assert_ne!(result.report.stages[0].stop, StopReason::Done);
        design.apply(&result.delta).unwrap();
        assert_eq!(broken(&design), Vec::<String>::new());
    }
}

#[test]
fn progress_can_cancel_on_any_thread_count() {
    for threads in [0, 1, 2] {
        let mut count = 0;
        let mut stop = |_: &Event| {
            count += 1;
            if count == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let config = PlaceConfig { threads, ..PlaceConfig::default() };
        let result = place(&case(150).design(), &config, &mut stop);
        assert_eq!(result.unwrap_err(), PlaceError::Cancelled);
        assert_eq!(count, 3);
    }
}

#[test]
fn locked_cells_stand_still_and_new_ones_find_room() {
    let mut design = case(150).design();
    let all = place(&design, &PlaceConfig::default(), &mut ()).unwrap();
    design.apply(&all.delta).unwrap();
    let lost: Vec<_> = design.cells().take(6).collect();
    for cell in &lost {
        design.move_cell(*cell, Place::default()).unwrap();
    }
    for global in [true, false] {
        let stages = Stages { global, ..Stages::default() };
        let config = PlaceConfig { only: Some(lost.clone()), stages, ..PlaceConfig::default() };
        let result = place(&design, &config, &mut ()).unwrap();
        let moved = result.delta.ops.iter().map(|op| match op {
            cellwright_db::Op::Move { cell, .. } => *cell,
            other => panic!("{other:?}"),
        });
        assert_eq!(moved.collect::<Vec<_>>(), lost);
        let mark = design.mark();
        design.apply(&result.delta).unwrap();
        assert_eq!(broken(&design), Vec::<String>::new());
        design.undo_to(mark);
    }
}

#[test]
fn detailed_placement_alone_wants_a_legal_start() {
    let mut case = case(20);
    for cell in &mut case.cells {
        cell.1 = Place::placed(103, 100, Orient::N);
    }
    let stages = Stages { global: false, legalize: false, detailed: true };
    let config = PlaceConfig { stages, ..PlaceConfig::default() };
    let error = place(&case.design(), &config, &mut ()).unwrap_err();
    assert!(matches!(error, PlaceError::NotLegal { .. }), "{error}");
}

#[test]
fn unplaced_ports_are_noted_and_skipped() {
    let mut case = case(30);
    case.ports.push((1, None));
    let result = place(&case.design(), &PlaceConfig::default(), &mut ()).unwrap();
    assert!(result.report.notes.contains(&Note::UnplacedPorts(1)));
}

#[test]
fn movable_macros_and_cells_larger_than_bins() {
    let mut big = master("big", 15, 4, 4);
    big.class = MasterClass::Block;
    (big.width, big.height) = (147, 333);
    let mut case = Case::new(10, 60, vec![master("a", 2, 1, 3), big, master("wide", 30, 1, 3)]);
    for which in [0, 0, 1, 0, 1, 0, 2, 0, 0, 0, 0, 1, 0, 0] {
        case.unplaced(which);
    }
    wire(&mut case, &mut Rng(2));
    let mut design = case.design();
    let result = place(&design, &PlaceConfig::default(), &mut ()).unwrap();
    design.apply(&result.delta).unwrap();
    assert_eq!(broken(&design), Vec::<String>::new());
}
