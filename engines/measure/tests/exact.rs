//! Updated ≡ full ≡ the plain definition, and undo ≡ before, over random designs and changes.

// Helpers of tests may fail as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use cellwright_db::{CellId, Design, DirtySet, Place};
use cellwright_measure::{
    Bins, Congestion, CongestionConfig, Density, DensityConfig, Hpwl, HpwlConfig, Legality,
    LegalityConfig, Measures, MeasuresConfig, Metric, Stale, Wire,
};
use common::{Rng, oracle, random_change, random_design, random_place};
use proptest::prelude::*;

/// Follows random changes by updates; each must equal a full evaluation, each undo what was.
fn follow<M: Metric + Clone + std::fmt::Debug>(
    seed: u64,
    cells: usize,
    steps: &[u64],
    config: M::Config,
    check: impl Fn(&Design, &M),
) where
    M::Config: Clone,
{
    let mut design = random_design(seed, cells);
    let mut metric = M::full(&design, config.clone());
    check(&design, &metric);
    let mut before = Vec::new();
    for step in steps {
        let mut rng = Rng(*step);
        let mark = design.mark();
        for _ in 0..1 + rng.below(5) {
            random_change(&mut design, &mut rng);
        }
        before.push((mark, metric.clone()));
        metric.update(&design, &design.dirty_since(mark)).unwrap();
        assert!(metric == M::full(&design, config.clone()), "update is not full");
        check(&design, &metric);
        if rng.chance(30) {
            let (mark, was) = before.pop().unwrap();
            assert!(metric.undo());
            design.undo_to(mark);
            assert!(metric == was, "undo is not before");
        }
    }
    while let Some((mark, was)) = before.pop() {
        assert!(metric.undo());
        design.undo_to(mark);
        assert!(metric == was, "undo is not before");
    }
    assert!(!metric.undo());
}

fn cases() -> impl Strategy<Value = (u64, usize, Vec<u64>)> {
    (any::<u64>(), 1_usize..45, prop::collection::vec(any::<u64>(), 1..12))
}

proptest! {
    #[test]
    fn hpwl_is_exact((seed, cells, steps) in cases()) {
        let weights: Arc<[u32]> = (0..10).collect();
        let config = HpwlConfig { weights: Some(weights.clone()) };
        follow::<Hpwl>(seed, cells, &steps, config, |design, hpwl| {
            assert_eq!(hpwl.total().length, oracle::hpwl(design));
            let boxes = oracle::net_boxes(design);
            let weight = |net: usize| weights.get(net).map_or(1, |w| i128::from(*w));
            let weighted = boxes.iter().map(|(net, rect)| {
                i128::from(rect.width() + rect.height()) * weight(net.index())
            });
            assert_eq!(hpwl.total().weighted, weighted.sum::<i128>());
        });
    }

    #[test]
    fn what_if_is_what_an_update_says((seed, cells, steps) in cases()) {
        let mut design = random_design(seed, cells);
        let hpwl = Hpwl::full(&design, HpwlConfig::default());
        let living: Vec<CellId> = design.cells().collect();
        for step in steps {
            let mut rng = Rng(step);
            let moves: Vec<(CellId, Place)> = (0..1 + rng.below(4))
                .map(|_| (rng.pick(&living), random_place(&mut rng)))
                .collect();
            let said = hpwl.delta_of_moves(&design, &moves).unwrap();
            let mark = design.mark();
            moves.iter().for_each(|(cell, to)| design.move_cell(*cell, *to).unwrap());
            let change = oracle::hpwl(&design) - hpwl.total().length;
            prop_assert_eq!(said, Wire { length: change, weighted: i128::from(change) });
            design.undo_to(mark);
        }
    }

    #[test]
    fn density_is_exact((seed, cells, steps) in cases(), soft_blocks in any::<bool>()) {
        let config = DensityConfig { bins: Bins::Count(7, 5), target_ppm: 700_000, soft_blocks };
        follow::<Density>(seed, cells, &steps, config, |design, density| {
            let plain = oracle::density(design, density.grid(), soft_blocks);
            let mut excess = 0;
            for (bin, (movable, free)) in plain.iter().enumerate() {
                assert_eq!(density.movable_area(bin), *movable, "bin {bin}");
                assert_eq!(i128::from(density.free_area(bin)), free / 1_000_000, "bin {bin}");
                let allowed = free * 700_000 / 1_000_000;
                excess += (i128::from(*movable) * 1_000_000 - allowed).max(0);
            }
            let inside: i64 = plain.iter().map(|(movable, _)| movable).sum();
            let (over, all) = density.overflow_exact();
            assert_eq!(over, excess + (all - i128::from(inside)) * 1_000_000);
        });
    }

    #[test]
    fn congestion_is_exact((seed, cells, steps) in cases()) {
        let config = CongestionConfig { bins: Bins::Count(6, 5), ..CongestionConfig::default() };
        follow::<Congestion>(seed, cells, &steps, config, |design, congestion| {
            let plain = oracle::congestion(design, congestion.grid());
            let covered = oracle::covered(design, congestion.grid());
            let mut excess = 0;
            for (bin, (demand, supply)) in plain.iter().enumerate() {
                assert_eq!(congestion.demand(bin), *demand, "bin {bin}");
                let left = congestion.supply(bin);
                let expected = [0, 1].map(|l: usize| (supply[l] - covered[bin][l]).max(0));
                assert_eq!(left, expected, "bin {bin}");
                excess += (0..2).map(|l| i128::from((demand[l] - left[l]).max(0))).sum::<i128>();
            }
            assert_eq!(congestion.overflow_exact().0, excess);
        });
    }

    #[test]
    fn legality_is_exact((seed, cells, steps) in cases()) {
        follow::<Legality>(seed, cells, &steps, LegalityConfig::default(), |design, legality| {
            let listed = legality.violations(design, usize::MAX).unwrap();
            let mut listed: Vec<_> =
                listed.into_iter().map(|v| (v.rule, v.party, v.cells)).collect();
            listed.sort();
            let plain = oracle::legality(design);
            assert_eq!(listed, plain);
            let movable = plain.iter().filter(|v| v.1 != cellwright_measure::Party::Fixed).count();
            assert_eq!(legality.counts().movable(), movable as i64);
            assert_eq!(legality.counts().fixed(), (plain.len() - movable) as i64);
        });
    }

    #[test]
    fn all_at_once_is_exact((seed, cells, steps) in cases()) {
        let congestion = Some(CongestionConfig::default());
        let config = MeasuresConfig { congestion, ..MeasuresConfig::default() };
        follow::<Measures>(seed, cells, &steps, config, |design, measures| {
            let report = measures.report(design);
            let hpwl = report.get("hpwl").unwrap();
            assert_eq!(hpwl.exact, Some(oracle::hpwl(design)));
            assert!(report.readings.iter().all(|reading| reading.value.is_finite()));
        });
    }

    #[test]
    fn a_stale_dirty_set_is_refused((seed, cells, steps) in cases()) {
        let mut design = random_design(seed, cells);
        let mut measures = Measures::full(&design, MeasuresConfig::default());
        let before = measures.clone();
        let mut rng = Rng(steps[0]);
        let start = design.mark();
        random_change(&mut design, &mut rng);
        let middle = design.mark();
        random_change(&mut design, &mut rng);
        let skips = design.dirty_since(middle);
        if design.stamp_at(middle) != before.stamp() {
            let refused: Result<(), Stale> = measures.update(&design, &skips);
            prop_assert!(refused.is_err());
        }
        let whole = design.dirty_since(start);
        let wrong_end = DirtySet { to: cellwright_db::Stamp(whole.to.0 ^ 1), ..whole.clone() };
        prop_assert!(measures.update(&design, &wrong_end).is_err());
        prop_assert!(measures == before);
        prop_assert!(measures.update(&design, &whole).is_ok());
    }
}

#[test]
fn threads_do_not_show() {
    for seed in 0..20 {
        let design = random_design(seed, 200);
        let config = || MeasuresConfig {
            congestion: Some(CongestionConfig::default()),
            ..MeasuresConfig::default()
        };
        let at = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Measures::full(&design, config()))
        };
        let one = at(1);
        for threads in [2, 3, 8] {
            let many = at(threads);
            assert!(one == many);
            assert_eq!(one.work(), many.work());
        }
    }
}

#[test]
fn kept_updates_cannot_be_undone() {
    let mut design = random_design(7, 20);
    let mut measures = Measures::full(&design, MeasuresConfig::default());
    let cell = design.cells().next().unwrap();
    let mark = design.mark();
    design.move_cell(cell, Place::placed(35, 40, cellwright_db::Orient::N)).unwrap();
    measures.update(&design, &design.dirty_since(mark)).unwrap();
    measures.keep();
    assert!(!measures.undo());
    assert!(measures == Measures::full(&design, MeasuresConfig::default()));
}
