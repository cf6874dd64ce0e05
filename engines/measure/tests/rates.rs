//! Measured rates on a synthetic random placement. Run by hand, in release:
//! `cargo test --release -p cellwright-measure --test rates -- --ignored --nocapture`

// Helpers of tests may fail as tests do.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cellwright_db::records::NetKind;
use cellwright_db::{CellId, Design, DesignBuilder, DirtySet, MasterPinId, Orient, Place};
use cellwright_measure::{
    Congestion, CongestionConfig, Density, DensityConfig, Hpwl, HpwlConfig, Legality,
    LegalityConfig, Measures, MeasuresConfig, Metric,
};
use common::*;

/// A legal placement of `count` inverters at 70 % fill; nets of 2 to 8 pins among neighbours,
/// every 100th net of 40 pins.
fn chip(count: usize) -> Design {
    let mut rng = Rng(1);
    // Square: a cell takes 20 x 100 DBU.
    let side = ((count * 2000) as f64 / 0.7).sqrt() as i32;
    let (rows, sites) = (side / ROW + 1, side / SITE + 1);
    let mut plan = plain_plan(rows);
    plan.die = cellwright_db::Rect::new(0, 0, 70 + sites * SITE, 80 + rows * ROW);
    plan.die_outline = vec![plan.die.lo, plan.die.hi];
    plan.rows.iter_mut().for_each(|row| row.count = sites);
    let mut builder = DesignBuilder::new("chip", Arc::new(tech()), Arc::new(library()));
    let per_row = count.div_ceil(rows as usize);
    for cell in 0..count {
        let (row, slot) = ((cell / per_row) as i32, (cell % per_row) as i32);
        let orient = if row % 2 == 0 { Orient::N } else { Orient::FS };
        let x = 35 + (i64::from(slot) * i64::from(sites) / per_row as i64) as i32 * SITE;
        builder.add_cell(&format!("c{cell}"), INV, Place::placed(x, 40 + row * ROW, orient));
    }
    let mut free: Vec<bool> = vec![true; count * 2];
    for net in 0..count {
        let id = builder.add_net(&format!("n{net}"), NetKind::Signal);
        builder.connect(CellId::new(net), MasterPinId(1), id);
        let sinks = if net % 100 == 0 { 40 } else { 1 + rng.below(3) };
        for _ in 0..sinks {
            let near = rng.range(-30, 30) as i64 + rng.range(-20, 20) as i64 * per_row as i64;
            let cell = (net as i64 + near).clamp(0, count as i64 - 1) as usize;
            if std::mem::take(&mut free[cell]) {
                builder.connect(CellId::new(cell), MasterPinId(0), id);
            }
        }
    }
    Design::new(&builder.finish(plan))
}

/// Time that this thread spent on a CPU, so that a busy machine does not show; wall time where the
/// system does not tell.
struct Clock(Option<u64>, Instant);

impl Clock {
    fn cpu() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok()
    }
    fn start() -> Clock {
        Clock(Clock::cpu(), Instant::now())
    }
    fn elapsed(&self) -> Duration {
        match (self.0, Clock::cpu()) {
            (Some(from), Some(to)) => Duration::from_nanos(to - from),
            _ => self.1.elapsed(),
        }
    }
}

const RUNS: usize = 7;

/// The best time of some runs per move, ns: what other load there is only adds.
fn best(moves: usize, mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Clock::start();
        run();
        start.elapsed().as_nanos() as f64 / moves as f64
    };
    (0..RUNS).map(time).fold(f64::INFINITY, f64::min)
}

fn near(design: &Design, rng: &mut Rng) -> (CellId, Place) {
    let cell = CellId::new(rng.below(design.cell_slots()));
    let place = design.place(cell);
    let (dx, dy) = (rng.range(-20, 20) * SITE, rng.range(-4, 4) * 2 * ROW);
    (cell, Place { x: place.x + dx, y: place.y + dy, ..place })
}

fn rate<M: Metric>(name: &str, design: &mut Design, config: M::Config, moves: usize) {
    let start = Clock::start();
    let mut metric = M::full(design, config);
    let full = start.elapsed();
    let mut rng = Rng(2);
    let list: Vec<(CellId, Place)> = (0..moves).map(|_| near(design, &mut rng)).collect();
    let mut dirty = DirtySet::empty(design.stamp());
    let work = metric.work();
    let each = best(moves, || {
        for (cell, place) in &list {
            let mark = design.mark();
            design.move_cell(*cell, *place).unwrap();
            design.dirty_into(mark, &mut dirty);
            metric.update(design, &dirty).unwrap();
            metric.undo();
            design.undo_to(mark);
        }
    });
    println!(
        "{name:>12}: full {:8.1} ms, what-if {each:8.0} ns = {:6.2} M/s, {:.1} work units",
        full.as_secs_f64() * 1e3,
        1e3 / each,
        (metric.work() - work) as f64 / (moves * RUNS) as f64
    );
}

#[test]
#[ignore = "a measurement, not a check"]
fn rates() {
    // All work on this thread, so that its clock sees it.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().unwrap();
    for count in [10_000, 100_000, 1_000_000] {
        let mut design = chip(count);
        println!("{count} cells, {} nets", design.net_slots());
        let moves = 100_000;
        let mut rng = Rng(3);
        let list: Vec<(CellId, Place)> = (0..moves).map(|_| near(&design, &mut rng)).collect();
        let mut dirty = DirtySet::empty(design.stamp());
        let each = best(moves, || {
            for (cell, place) in &list {
                let mark = design.mark();
                design.move_cell(*cell, *place).unwrap();
                design.dirty_into(mark, &mut dirty);
                design.undo_to(mark);
            }
        });
        println!("  design alone: {each:.0} ns");
        let hpwl = Hpwl::full(&design, HpwlConfig::default());
        let mut sum = 0;
        let each = best(moves, || {
            for (cell, place) in &list {
                sum += hpwl.delta_of_move(&design, *cell, *place).unwrap().length;
            }
        });
        println!("  hpwl.delta_of_move: {each:.0} ns = {:.2} M/s (sum {sum})", 1e3 / each);
        rate::<Hpwl>("hpwl", &mut design, HpwlConfig::default(), moves);
        rate::<Density>("density", &mut design, DensityConfig::default(), moves);
        rate::<Congestion>("congestion", &mut design, CongestionConfig::default(), moves);
        rate::<Legality>("legality", &mut design, LegalityConfig::default(), moves);
        let config = MeasuresConfig::default();
        rate::<Measures>("all but cong.", &mut design, config, moves);
    }
}
