//! What one move costs an agent in this process on 100,000 cells: wire length, density and legality
//! followed and taken back, with the same kind of moves as `python/benches/doors.py`.
//!
//! Bound: memory. A move touches a few bins, two row buckets and the pins of a few nets.

use cellwright_benches::rows;
use cellwright_db::{CellId, Design, DirtySet, Place};
use cellwright_measure::{Measures, MeasuresConfig, Metric};
use criterion::{Criterion, criterion_group, criterion_main};

/// Moves of up to 20 sites and 4 rows, from a fixed stream.
fn moves(design: &Design, count: usize) -> Vec<(CellId, Place)> {
    let cells: Vec<CellId> =
        design.cells().filter(|cell| !design.place(*cell).is_fixed()).collect();
    let floor = design.floorplan();
    let (first, last) = (&floor.rows[0], floor.rows.len() as i64 - 1);
    let height = i64::from(design.master(cells[0]).height);
    let mut state = 1_u64;
    let mut draw = |below: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((state >> 33) as i64) % below
    };
    let one = |_| {
        let cell = cells[draw(cells.len() as i64) as usize];
        let place = design.place(cell);
        let sites = draw(41) - 20;
        let row = (i64::from(place.y - first.origin.y) / height + draw(9) - 4).clamp(0, last);
        let row = &floor.rows[row as usize];
        let end = row.origin.x + (row.count - 40) * row.step;
        let x = (i64::from(place.x) + sites * i64::from(row.step)) as i32;
        (
            cell,
            Place { x: x.clamp(row.origin.x, end), y: row.origin.y, orient: row.orient, ..place },
        )
    };
    (0..count).map(one).collect()
}

fn benches(criterion: &mut Criterion) {
    let Ok(snapshot) = rows("mix100k") else { return };
    let mut design = Design::new(&snapshot);
    let mut measures = Measures::full(&design, MeasuresConfig::default());
    let mut dirty = DirtySet::empty(design.stamp());
    let moves = moves(&design, 100_000);
    let mut at = 0;
    criterion.bench_function("moves/100k/wire length, density, legality, undone", |bench| {
        bench.iter(|| {
            let (cell, to) = moves[at % moves.len()];
            at += 1;
            let mark = design.mark();
            let moved = design.move_cell(cell, to).is_ok();
            design.dirty_into(mark, &mut dirty);
            let followed = measures.update(&design, &dirty).is_ok();
            let figures = (
                measures.hpwl().total().length,
                measures.density().overflow_exact(),
                measures.legality().counts().movable(),
            );
            measures.undo();
            design.undo_to(mark);
            (moved, followed, figures)
        });
    });
}

criterion_group!(all, benches);
criterion_main!(all);
