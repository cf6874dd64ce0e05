//! What trying and branching cost on 100,000 cells: `cargo bench -p cellwright-benches`.
//!
//! Bound: memory. The records of a random cell, its pins and their nets are a handful of cache
//! misses; arithmetic is nothing beside them.

use cellwright_benches::rows;
use cellwright_db::{CellId, Delta, Design, DirtySet, Op, Place};
use cellwright_measure::{Hpwl, HpwlConfig, Metric};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

/// A fixed walk over cells that jumps about: no two calls near each other in memory.
fn walk(design: &Design) -> impl FnMut() -> (CellId, Place) + use<> {
    let cells: Vec<CellId> =
        design.cells().filter(|cell| !design.place(*cell).is_fixed()).collect();
    let places: Vec<Place> = cells.iter().map(|cell| design.place(*cell)).collect();
    let mut at = 0_usize;
    move || {
        at = (at + 7919) % cells.len();
        (cells[at], places[(at * 31) % places.len()])
    }
}

fn benches(criterion: &mut Criterion) {
    let Ok(snapshot) = rows("mix100k") else { return };
    let mut design = Design::new(&snapshot);

    let mut next = walk(&design);
    criterion.bench_function("db/100k/what-if move and undo", |bench| {
        bench.iter(|| {
            let (cell, place) = next();
            let mark = design.mark();
            let moved = design.move_cell(cell, place).is_ok();
            design.undo_to(mark);
            moved
        });
    });

    let mut dirty = DirtySet::empty(design.stamp());
    let mut next = walk(&design);
    criterion.bench_function("db/100k/what-if move, dirty set and undo", |bench| {
        bench.iter(|| {
            let (cell, place) = next();
            let mark = design.mark();
            let moved = design.move_cell(cell, place).is_ok();
            design.dirty_into(mark, &mut dirty);
            design.undo_to(mark);
            moved
        });
    });

    let mut hpwl = Hpwl::full(&design, HpwlConfig::default());
    let mut next = walk(&design);
    criterion.bench_function("measure/100k/what-if move with wire length and undo", |bench| {
        bench.iter(|| {
            let (cell, place) = next();
            let mark = design.mark();
            let moved = design.move_cell(cell, place).is_ok();
            design.dirty_into(mark, &mut dirty);
            let updated = hpwl.update(&design, &dirty).is_ok();
            let length = hpwl.total().length;
            hpwl.undo();
            design.undo_to(mark);
            (moved, updated, length)
        });
    });

    let mut next = walk(&design);
    criterion.bench_function("db/100k/branch and one move", |bench| {
        bench.iter_batched(
            || {
                let (cell, to) = next();
                let from = snapshot.place(cell).unwrap_or_default();
                Delta { ops: vec![Op::Move { cell, from, to }] }
            },
            |delta| snapshot.apply(&delta),
            BatchSize::SmallInput,
        );
    });

    snapshot.root();
    let mut next = walk(&design);
    criterion.bench_function("db/100k/branch, one move and its root", |bench| {
        bench.iter_batched(
            || {
                let (cell, to) = next();
                let from = snapshot.place(cell).unwrap_or_default();
                Delta { ops: vec![Op::Move { cell, from, to }] }
            },
            |delta| snapshot.apply(&delta).map(|child| child.root()),
            BatchSize::SmallInput,
        );
    });
}

criterion_group!(all, benches);
criterion_main!(all);
