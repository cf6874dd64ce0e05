//! Incremental ≡ full and undo ≡ before, bit for bit.

use cellwright_db::{CellId, Design, DirtySet, NetId, Orient, PinId, Place};
use proptest::prelude::*;

use super::{Config, Timer};
use crate::constraints::MinMax;
use crate::delay::Calculator;
use crate::graph::Vertex;
use crate::graph::model::NO_SLOT;
use crate::parasitics::{Parasitics, Topology, WireRc};
use crate::report::Scale;
use crate::testing::{self, Random};

fn config(calculator: Calculator) -> Config {
    let wire = WireRc { signal: (3.5e-3, 7.5e-5), clock: (3.5e-3, 7.5e-5) };
    let parasitics = Parasitics::Placement { wire, topology: Topology::Steiner };
    Config { corners: vec![(0, parasitics)], calculator }
}

/// Every number of a timer that means something, as bits; required times only where `settled`.
fn picture(timer: &Timer, design: &Design, settled: bool) -> Vec<(String, Vec<u64>)> {
    assert!(!settled || timer.settled().is_some());
    let mut out = Vec::new();
    let bits = |values: &[f32]| values.iter().map(|v| u64::from(v.to_bits())).collect::<Vec<_>>();
    for lane in &timer.state.lanes {
        let values = &lane.values;
        for vertex in 0..timer.state.graph.len() {
            let name = design.pin_name(timer.state.graph.pin(vertex as Vertex));
            out.push((format!("slew {name}"), bits(&values.slew[vertex])));
            out.push((format!("wire {name}"), bits(&values.wire[vertex])));
            out.push((format!("elmore {name}"), bits(&values.elmore[vertex])));
            let mut paths = Vec::new();
            for path in values.paths.of(vertex as Vertex) {
                paths.push(path.key);
                paths.extend(bits(&[path.arrival]));
            }
            if settled {
                paths.extend(bits(&values.required[vertex]));
            }
            out.push((format!("paths {name}"), paths));
            out.push((format!("end {name}"), bits(&values.end[vertex])));
        }
        for net in design.nets() {
            let load = values.load[net.index()];
            let numbers: Vec<f32> = load.iter().flat_map(|p| [p.near, p.r, p.far]).collect();
            out.push((format!("load {}", design.net_name(net)), bits(&numbers)));
        }
        for cell in design.cells() {
            let Some(model) = timer.models[0].get(design.master_id(cell)) else { continue };
            for (number, arc) in model.arcs.iter().enumerate() {
                for slot in arc.slot.iter().filter(|slot| **slot != NO_SLOT) {
                    let at = values.base[cell.index()] + u32::from(*slot);
                    let delay = values.arc[at as usize];
                    let name = format!("arc {} {number} {slot}", design.cell_name(cell));
                    out.push((name, bits(&delay)));
                }
            }
        }
    }
    for side in MinMax::BOTH {
        let worst = timer.worst_slack(side).map_or(0, |slack| u64::from(slack.to_bits()));
        out.push(("totals".to_owned(), vec![worst, timer.tns(side).to_bits()]));
    }
    out
}

fn assert_same(a: &[(String, Vec<u64>)], b: &[(String, Vec<u64>)], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (a, b) in a.iter().zip(b) {
        assert_eq!(a, b, "{what}");
    }
}

/// A random change; some are refused by the design and then nothing happens.
fn change(design: &mut Design, random: &mut Random) {
    let cells: Vec<CellId> = design.cells().collect();
    let cell = cells[random.below(cells.len())];
    let nets: Vec<NetId> = design.nets().collect();
    let net = nets[random.below(nets.len())];
    let place = Place::placed(random.below(80_000) as i32, random.below(80_000) as i32, Orient::N);
    match random.below(12) {
        0..=3 => {
            let _ = design.move_cell(cell, place);
        }
        4..=7 => {
            let sizes = design.library().alternatives(design.master_id(cell)).to_vec();
            let _ = design.resize_cell(cell, sizes[random.below(sizes.len())]);
        }
        8 | 9 => {
            let buffer = design.library().buffers()[random.below(2)];
            let pins: Vec<PinId> = design
                .net_pins(net)
                .iter()
                .copied()
                .filter(|pin| design.pin_direction(*pin).loads())
                .collect();
            let count = random.below(pins.len() + 1);
            let mark = design.mark();
            if design.insert_buffer(net, &pins[..count], buffer, None, place).is_err() {
                design.undo_to(mark);
            }
        }
        10 => {
            let mark = design.mark();
            if design.remove_buffer(cell).is_err() {
                design.undo_to(mark);
            }
        }
        _ => {
            // Any input onto any net: also onto the clock, a constant, or into a loop.
            let pins: Vec<PinId> =
                design.cell_pins(cell).filter(|pin| design.pin_direction(*pin).loads()).collect();
            if !pins.is_empty() {
                let net = if random.below(8) == 0 { NetId::NONE } else { net };
                let _ = design.connect(pins[random.below(pins.len())], net);
            }
        }
    }
}

fn run(seed: u64, propagated: bool, calculator: Calculator, steps: usize) -> u32 {
    let mut random = Random(seed);
    let mut design = testing::design(seed, 40 + random.below(40), random.below(6));
    let mut constraints = testing::constraints(&design, propagated);
    if random.below(3) == 0 {
        constraints.exceptions.push(testing::ignoring_latency(&design, 0.9));
    }
    let mut timer = Timer::new(&design, constraints.clone(), config(calculator)).unwrap();
    let mut rebuilt = 0;
    for step in 0..steps {
        let slacks_before = random.below(2) == 0;
        if slacks_before {
            timer.settle(&design).unwrap();
        }
        let before = picture(&timer, &design, slacks_before);
        let mark = design.mark();
        for _ in 0..1 + random.below(3) {
            change(&mut design, &mut random);
        }
        let dirty = design.dirty_since(mark);
        let updated = timer.update(&design, &dirty).unwrap();
        rebuilt += u32::from(updated.full);
        let mut fresh = Timer::new(&design, constraints.clone(), config(calculator)).unwrap();
        let what = format!("seed {seed} step {step} {:?}", design.delta_since(mark));
        let slacks = random.below(2) == 0;
        if slacks {
            timer.settle(&design).unwrap();
            fresh.settle(&design).unwrap();
        }
        let (ours, theirs) = (picture(&timer, &design, slacks), picture(&fresh, &design, slacks));
        assert_same(&ours, &theirs, &what);
        if random.below(3) == 0 {
            design.undo_to(mark);
            assert!(timer.undo());
            assert_eq!(timer.stamp(), design.stamp());
            if slacks_before {
                timer.settle(&design).unwrap();
            }
            assert_same(&picture(&timer, &design, slacks_before), &before, &what);
        } else if random.below(4) == 0 {
            timer.keep();
        }
    }
    rebuilt
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn incremental_is_full_and_undo_is_before(
        seed in any::<u64>(),
        propagated in any::<bool>(),
        lumped in any::<bool>(),
    ) {
        let calculator = if lumped { Calculator::Lumped } else { Calculator::DmpCeffElmore };
        let rebuilt = run(seed, propagated, calculator, 12);
        prop_assert!(rebuilt < 12, "every step was a rebuild");
    }
}

#[test]
fn a_dirty_set_of_another_state_is_refused() {
    let mut design = testing::design(1, 20, 2);
    let constraints = testing::constraints(&design, false);
    let mut timer = Timer::new(&design, constraints, config(Calculator::Lumped)).unwrap();
    let cell = design.cells().next().unwrap();
    design.move_cell(cell, Place::placed(5, 5, Orient::N)).unwrap();
    let late = DirtySet::empty(design.stamp());
    assert!(timer.update(&design, &late).is_err());
    let mark = design.mark();
    design.move_cell(cell, Place::placed(7, 7, Orient::N)).unwrap();
    assert!(timer.update(&design, &design.dirty_since(mark)).is_err());
}

#[test]
fn threads_change_nothing() {
    let design = testing::design(11, 6000, 60);
    let constraints = testing::constraints(&design, true);
    let picture_at = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let config = config(Calculator::DmpCeffElmore);
            let mut timer = Timer::new(&design, constraints.clone(), config).unwrap();
            timer.settle(&design).unwrap();
            picture(&timer, &design, true)
        })
    };
    assert_same(&picture_at(1), &picture_at(2), "threads");
}

#[test]
fn slack_of_a_chain_is_what_the_tables_say() {
    // in -> INV -> INV -> out without wires: delays straight from the tables.
    let design = testing::design(3, 30, 0);
    let constraints = testing::constraints(&design, false);
    let plain = Config { calculator: Calculator::Lumped, ..Config::default() };
    let timer = Timer::new(&design, constraints, plain).unwrap();
    let (worst, ends) = (timer.worst_slack(MinMax::Max).unwrap(), timer.endpoints(MinMax::Max));
    let least = ends.iter().map(|(_, slack)| *slack).fold(f32::INFINITY, f32::min);
    assert_eq!(worst, least);
    let sum: f64 = ends.iter().map(|(_, slack)| f64::from(slack.min(0.0))).sum();
    assert!((timer.tns(MinMax::Max) - sum).abs() < 1e-6 * (1.0 + sum.abs()));
}

#[test]
fn a_reported_path_adds_up() {
    for (seed, propagated) in [(5, false), (6, true), (7, true)] {
        let design = testing::design(seed, 60, 4);
        let constraints = testing::constraints(&design, propagated);
        let timer = Timer::new(&design, constraints, config(Calculator::default())).unwrap();
        for side in MinMax::BOTH {
            let paths = timer.worst_paths(&design, side, 10);
            assert!(!paths.is_empty());
            for path in paths {
                let end = path.endpoint().unwrap();
                assert_eq!(Some(path.slack), timer.end_slack(end, side));
                let sum: f32 = path.steps.iter().map(|step| step.delay).sum();
                assert!(
                    (sum - path.arrival()).abs() < 1e-5,
                    "{}",
                    path.text(&design, Scale::default())
                );
                let first = path.steps[0].pin;
                let port = matches!(design.owner(first), cellwright_db::Owner::Port(_));
                // Paths start at ports; those of an ideal clock too, through the clock network.
                assert!(port, "{}", path.text(&design, Scale::default()));
            }
        }
    }
}

/// All paths of a side through a pin by walking every way, with their slacks, worst first.
fn every_path(timer: &Timer, design: &Design, pin: PinId) -> Vec<f32> {
    let ends = timer.endpoints(MinMax::Max);
    let mut found = Vec::new();
    for (end, _) in ends {
        let Some(paths) = timer.paths_through(design, MinMax::Max, end, 1 << 12) else { continue };
        found.extend(
            paths
                .iter()
                .filter(|path| path.endpoint() == Some(end))
                .filter(|path| path.steps.iter().any(|step| step.pin == pin))
                .map(|path| path.slack),
        );
    }
    found.sort_by(f32::total_cmp);
    found
}

#[test]
fn the_worst_paths_through_a_pin() {
    for (seed, propagated) in [(5, false), (6, true), (9, false)] {
        let design = testing::design(seed, 40, 4);
        let constraints = testing::constraints(&design, propagated);
        let mut timer = Timer::new(&design, constraints, config(Calculator::default())).unwrap();
        let some = design.cells().next().unwrap();
        let pin = design.cell_pins(some).next().unwrap();
        assert_eq!(timer.paths_through(&design, MinMax::Max, pin, 3), None);
        timer.settle(&design).unwrap();
        let mut several = 0;
        for cell in design.cells() {
            for pin in design.cell_pins(cell) {
                for side in MinMax::BOTH {
                    let paths = timer.paths_through(&design, side, pin, 8).unwrap();
                    several += usize::from(paths.len() > 1);
                    let slack = timer.settled().unwrap().slack(pin, side);
                    let Some(slack) = slack.filter(|slack| slack.is_finite()) else {
                        assert!(paths.is_empty());
                        continue;
                    };
                    // Of paths that differ in their clock tree driver alone the pin's slack takes the
                    // worst time and the least that is given back, which no one path may have.
                    let least = paths[0].slack;
                    assert!(least > slack - 1e-5, "{least} {slack}");
                    assert!(propagated || least < slack + 1e-5, "{least} {slack}");
                    assert!(paths.is_sorted_by(|a, b| a.slack <= b.slack));
                    let mut seen = std::collections::BTreeSet::new();
                    for path in &paths {
                        assert!(path.steps.iter().any(|step| step.pin == pin));
                        let names: Vec<_> = path.steps.iter().map(|s| (s.pin, s.edge)).collect();
                        assert!(seen.insert(names), "the same path twice");
                    }
                    // No other path is worse than those that were told.
                    if side == MinMax::Max && !propagated {
                        let every = every_path(&timer, &design, pin);
                        let told: Vec<f32> = paths.iter().map(|path| path.slack).collect();
                        for (told, all) in told.iter().zip(&every) {
                            assert!((told - all).abs() < 1e-5, "{told:?} {all:?}");
                        }
                        assert_eq!(told.len(), every.len().min(8));
                    }
                }
            }
        }
        assert!(several > 10);
    }
}
