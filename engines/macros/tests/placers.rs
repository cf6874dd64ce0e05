//! Legaliser, annealer and analytical stage on generated cases: strictly legal, never worse than the
//! start, the same on any number of threads.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use cellwright_macros::sample::{Size, generate};
use cellwright_macros::{
    AnnealConfig, Budget, Engine, Kind, MacroError, Model, Netlist, Options, Placement,
    analytical_start, anneal, gates, global,
};
use proptest::prelude::*;

fn engine(netlist: &Netlist, placement: &Placement) -> Engine {
    let model = Arc::new(Model::new(netlist, &placement.settings).unwrap());
    Engine::new(model, placement, Options::default()).unwrap()
}

fn config(seed: u64, blind: bool) -> AnnealConfig {
    let budget = Budget { wall: None, work: Some(3_000_000) };
    AnnealConfig { seed, budget, replicas: 2, gap: 0.3, flips: true, blind, temperature: None }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_the_legaliser_leaves_passes_the_gates(seed in 0u64..1000, gap in 0.0..1.0f64, fixed in 0usize..3) {
        let size = Size { hard: 12, soft: 4, ..Size::SMALL };
        let (mut netlist, mut placement) = generate(size, seed);
        // Some room, as twelve large macros at 65 % need not fit.
        placement.settings.width *= 1.2;
        placement.settings.height *= 1.2;
        let hard: Vec<u32> = netlist.of(Kind::Hard).collect();
        // A few stay where they are; far apart, so that they are legal among themselves.
        for (n, &i) in hard.iter().take(fixed).enumerate() {
            let item = &mut netlist.items[i as usize];
            let x = item.width / 2.0 + n as f64 * placement.settings.width * 0.4;
            let spot = placement.spots[i as usize].as_mut().unwrap();
            (spot.x, spot.y, spot.fixed) = (x, item.height / 2.0, true);
        }
        let mut engine = engine(&netlist, &placement);
        match engine.legalize(gap) {
            Ok(()) => {
                let after = engine.placement(&placement);
                let broken = gates(&netlist, &after, Some(&placement), gap);
                prop_assert!(broken.is_legal(), "{broken:?}");
                // A second time nothing moves.
                let before = engine.state();
                engine.legalize(gap).unwrap();
                prop_assert!(engine.state() == before);
            }
            Err(error) => prop_assert!(matches!(error, MacroError::NoRoom { .. }), "{error}"),
        }
    }
}

#[test]
fn the_annealer_is_legal_better_and_the_same_on_any_number_of_threads() {
    let (netlist, placement) = generate(Size::SMALL, 3);
    for blind in [false, true] {
        let outcome = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut engine = engine(&netlist, &placement);
            let done =
                pool.install(|| anneal(&mut engine, &config(5, blind), &mut |_| true)).unwrap();
            let cost = engine.cost();
            assert_eq!(cost.proxy.to_bits(), done.best.to_bits());
            assert!(done.best < done.start, "{done:?}");
            let after = engine.placement(&placement);
            assert!(gates(&netlist, &after, Some(&placement), 0.3).is_legal());
            // A full recomputation of what came out gives the same bits.
            let mut again =
                Engine::new(Arc::clone(engine.model()), &after, Options::default()).unwrap();
            assert_eq!(again.cost().proxy.to_bits(), done.best.to_bits());
            (done.best.to_bits(), done.work, done.evaluations)
        };
        assert_eq!(outcome(1), outcome(3));
    }
}

#[test]
fn no_budget_is_refused_and_watching_can_end_it() {
    let (netlist, placement) = generate(Size::SMALL, 3);
    let mut engine = engine(&netlist, &placement);
    let none = AnnealConfig { budget: Budget::default(), ..config(1, false) };
    assert!(anneal(&mut engine, &none, &mut |_| true).is_err());
    let mut looks = 0;
    let done = anneal(&mut engine, &config(1, false), &mut |_| {
        looks += 1;
        looks < 2
    });
    assert!(done.unwrap().evaluations <= 8000);
}

#[test]
fn the_analytical_stage_shortens_wire_and_spreads() {
    let size = Size { hard: 20, soft: 60, ports: 40, nets: 400, grid: (12, 12) };
    let (netlist, placement) = generate(size, 9);
    let mut engine = engine(&netlist, &placement);
    let before = engine.cost();
    let report = global(&mut engine, 1).unwrap();
    let after = engine.cost();
    assert!(report.overflow < 0.25, "{report:?}");
    assert!(after.wirelength < 0.8 * before.wirelength, "{before:?} {after:?}");
    let bits = engine.state();
    let mut again = self::engine(&netlist, &placement);
    global(&mut again, 1).unwrap();
    assert!(again.state() == bits);
}

#[test]
fn the_analytical_start_is_legal_keeps_what_is_fixed_and_costs_no_more_than_either_way() {
    let size = Size { hard: 12, soft: 40, ports: 20, nets: 300, grid: (12, 12) };
    let (netlist, mut placement) = generate(size, 5);
    placement.settings.width *= 1.2;
    placement.settings.height *= 1.2;
    let stays = netlist.of(Kind::Hard).next().unwrap() as usize;
    let item = &netlist.items[stays];
    let spot = placement.spots[stays].as_mut().unwrap();
    (spot.x, spot.y, spot.fixed) = (item.width / 2.0 + 1.0, item.height / 2.0 + 2.0, true);
    let mut chosen = engine(&netlist, &placement);
    analytical_start(&mut chosen, 3, 0.2).unwrap();
    let after = chosen.placement(&placement);
    let broken = gates(&netlist, &after, Some(&placement), 0.2);
    assert!(broken.is_legal(), "{broken:?}");
    let mut costs = Vec::new();
    for in_rows in [false, true] {
        let mut one = engine(&netlist, &placement);
        global(&mut one, 3).unwrap();
        if in_rows {
            one.legalize_in_rows(0.2).unwrap();
            // Those that found a row share their height evenly among as few rows as hold them.
            let height = placement.settings.height / f64::from(placement.settings.rows);
            let even = netlist.of(Kind::Hard).filter(|i| {
                let body = one.model().body(*i).unwrap();
                let covers = (netlist.items[*i as usize].height / height).ceil();
                let middle = one.at(body).1 / height - covers / 2.0;
                (middle - middle.round()).abs() * height < 2e-3
            });
            assert!(even.count() >= 9);
        } else {
            one.legalize(0.2).unwrap();
        }
        costs.push(one.cost().proxy);
    }
    assert_eq!(chosen.cost().proxy, costs[0].min(costs[1]));
}

#[test]
fn a_batch_gives_what_single_questions_give() {
    let (netlist, placement) = generate(Size::SMALL, 4);
    let mut engine = engine(&netlist, &placement);
    let macros: Vec<u32> = netlist.of(Kind::Hard).chain(netlist.of(Kind::Soft)).collect();
    let ids: Vec<u32> = (0..300).map(|n| macros[n % macros.len()]).collect();
    let xs: Vec<f64> = (0..300).map(|n| f64::from(n) * 0.7).collect();
    let ys: Vec<f64> = (0..300).map(|n| 150.0 - f64::from(n) * 0.4).collect();
    let on = |threads: usize| -> Vec<u64> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let costs = pool.install(|| engine.evaluate_moves(&ids, &xs, &ys)).unwrap();
        costs.iter().map(|cost| cost.to_bits()).collect()
    };
    let costs = on(1);
    assert_eq!(costs, on(2));
    for (n, cost) in costs.iter().enumerate() {
        let body = engine.model().body(ids[n]).unwrap();
        let orient = engine.at(body).2;
        let step = cellwright_macros::Move { body: body as u32, x: xs[n], y: ys[n], orient };
        assert_eq!(engine.what_if(&[step]).unwrap().proxy.to_bits(), *cost);
    }
    assert!(engine.evaluate_moves(&ids, &xs[1..], &ys).is_err());
}
