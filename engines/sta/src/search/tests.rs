//! What paths begin with, end with and stop at, on small designs.

use cellwright_db::timing::Edge;
use cellwright_db::{CellId, Design, PinId};

use crate::constraints::{Clock, ClockGatingCheck, Constraints, MinMax, Values};
use crate::testing;
use crate::{Calculator, Config, PulseKind, Timer};

fn timer(design: &Design, constraints: &Constraints) -> Timer {
    let plain = Config { calculator: Calculator::Lumped, ..Config::default() };
    Timer::new(design, constraints.clone(), plain).unwrap()
}

fn registers(design: &Design) -> Vec<CellId> {
    design.cells().filter(|cell| design.master(*cell).name.starts_with("DFF")).collect()
}

#[test]
fn a_path_delay_that_ignores_latency_counts_from_the_clock_edge() {
    for propagated in [false, true] {
        let design = testing::design(8, 60, 5);
        let plain = testing::constraints(&design, propagated);
        let mut bound = plain.clone();
        bound.exceptions.push(testing::ignoring_latency(&design, 0.0));
        let (before, after) = (timer(&design, &plain), timer(&design, &bound));
        let outputs: Vec<PinId> = plain.output_delays.iter().map(|delay| delay.pin).collect();
        let mut bounded = 0;
        for path in after.worst_paths(&design, MinMax::Max, usize::MAX) {
            let end = path.endpoint().unwrap();
            let first = path.steps[0];
            let name = design.pin_name(first.pin);
            // Through an ideal network the way to the clock's port takes no time either.
            if outputs.contains(&end) && (name.ends_with("/CK") || name == "clk") {
                // Nothing less the output delay of 0.1 ns, and nothing of the clock network.
                assert!((path.slack - (-0.1 - path.arrival())).abs() < 1e-5);
                assert_eq!(first.arrival, 0.0);
                bounded += 1;
            } else if !outputs.contains(&end) {
                assert_eq!(before.end_slack(end, MinMax::Max), Some(path.slack));
            }
        }
        assert!(bounded > 0);
        assert_eq!(before.endpoints(MinMax::Min), after.endpoints(MinMax::Min));
    }
}

#[test]
fn data_ends_where_a_clock_is_defined() {
    let design = testing::design(8, 60, 5);
    let mut constraints = testing::constraints(&design, true);
    let output = design.cell_pins(registers(&design)[0]).nth(2).unwrap();
    let late = |timer: &Timer| timer.arrival(output, MinMax::Max, Edge::Rise);
    assert!(late(&timer(&design, &constraints)).unwrap() > 0.0);
    constraints.clocks.push(Clock {
        name: "inner".to_owned(),
        period: 2.0,
        waveform: vec![0.0, 1.0],
        sources: vec![output],
        propagated: true,
        ..Clock::default()
    });
    assert_eq!(late(&timer(&design, &constraints)), Some(0.0));
}

/// A gate of the clock and a datum drives the clock pin of a register; its pins.
fn gate(design: &mut Design, master: &str) -> Vec<PinId> {
    let gate = design.cells().find(|cell| design.master(*cell).name == master).unwrap();
    let pins: Vec<PinId> = design.cell_pins(gate).collect();
    let clock = design.pin_net(design.find_pin("clk").unwrap()).unwrap();
    let data = design.pin_net(design.find_pin("in0").unwrap()).unwrap();
    let output = design.pin_net(pins[2]).unwrap();
    let register = design.cell_pins(registers(design)[0]).next().unwrap();
    for (pin, net) in [(pins[0], clock), (pins[1], data), (register, output)] {
        design.connect(pin, net).unwrap();
    }
    pins
}

#[test]
fn a_nand_in_a_clock_network_gates_it() {
    let mut design = testing::design(8, 60, 5);
    let mut constraints = testing::constraints(&design, true);
    assert!(timer(&design, &constraints).gating_checks(&design, MinMax::Max).is_empty());
    let pins = gate(&mut design, "NAND_1");
    let check = |timer: &Timer, side| {
        let table = timer.gating_checks(&design, side);
        table.into_iter().find(|end| end.pin == pins[1]).unwrap()
    };
    // A nand listens while the clock is high: from its rise at 1 ns to its fall at 0.5 ns. The input
    // comes 0.1 ns after the rise at 0.
    let plain = timer(&design, &constraints);
    assert!(plain.not_supported().is_empty(), "{:?}", plain.not_supported());
    let (setup, hold) = (check(&plain, MinMax::Max), check(&plain, MinMax::Min));
    assert!((setup.slack - 0.9).abs() < 1e-6, "{setup:?}");
    assert!((hold.slack - -0.4).abs() < 1e-6, "{hold:?}");
    // The checks bind pins, and are neither ends nor part of totals.
    assert_eq!(plain.end_slack(pins[1], MinMax::Min), None);
    let mut settled = plain;
    settled.settle(&design).unwrap();
    let slacks = settled.settled().unwrap();
    let at = |side, edge| slacks.slack_of(pins[1], side, edge).unwrap();
    assert!(at(MinMax::Max, Edge::Rise) < 0.9 + 1e-6);
    assert!((at(MinMax::Min, Edge::Fall) - -0.4).abs() < 1e-6);

    let given = ClockGatingCheck { margin: Values::all(0.25), high: None };
    constraints.clock_gating.design = Some(given);
    assert!((check(&timer(&design, &constraints), MinMax::Max).slack - 0.65).abs() < 1e-6);
    assert!((check(&timer(&design, &constraints), MinMax::Min).slack - -0.65).abs() < 1e-6);
    // The narrower object wins, and may turn the level round: from the fall at 0.5 to the rise at 0.
    let low = ClockGatingCheck { margin: Values::all(0.0), high: Some(false) };
    constraints.clock_gating.pins.insert(pins[1], low);
    assert!((check(&timer(&design, &constraints), MinMax::Max).slack - 0.4).abs() < 1e-6);
    assert!((check(&timer(&design, &constraints), MinMax::Min).slack - 0.1).abs() < 1e-6);
    constraints.disables.gating_pins.insert(pins[1]);
    let off = timer(&design, &constraints);
    assert!(off.gating_checks(&design, MinMax::Max).iter().all(|end| end.pin != pins[1]));
    assert!(off.not_supported().is_empty());
}

#[test]
fn an_exclusive_or_gates_nothing() {
    let mut design = testing::design(8, 60, 5);
    let constraints = testing::constraints(&design, true);
    let pins = gate(&mut design, "XOR_1");
    let timer = timer(&design, &constraints);
    assert!(timer.gating_checks(&design, MinMax::Max).iter().all(|end| end.pin != pins[1]));
    assert!(timer.not_supported().is_empty());
}

#[test]
fn pulses_are_as_wide_as_the_clock_makes_them() {
    let design = testing::design(8, 60, 5);
    for propagated in [false, true] {
        let mut constraints = testing::constraints(&design, propagated);
        let (id, _) = constraints.clocks.iter().next().unwrap();
        constraints.clocks[id].waveform = vec![0.0, 0.3];
        assert!(timer(&design, &constraints).pulse_checks(&design).is_empty());
        constraints.min_pulse_width.design = [Some(0.4), None];
        constraints.min_pulse_width.clocks.insert(id, [None, Some(0.1)]);
        let checks = timer(&design, &constraints).pulse_checks(&design);
        let registers = registers(&design);
        assert_eq!(checks.len(), 2 * registers.len());
        for check in checks {
            // No wires and no buffers: the pulse is that of the clock's waveform.
            let (required, width) = match check.kind {
                PulseKind::High => (0.4, 0.3),
                PulseKind::Low => (0.1, 0.7),
                PulseKind::Period => panic!("{check:?}"),
            };
            assert!((check.required - required).abs() < 1e-6, "{check:?}");
            assert!((check.actual - width).abs() < 0.05, "{check:?}");
            assert!((check.slack - (check.actual - check.required)).abs() < 1e-9, "{check:?}");
        }
        let pin = design.cell_pins(registers[0]).next().unwrap();
        constraints.min_pulse_width.pins.insert(pin, [Some(0.2), None]);
        let checks = timer(&design, &constraints).pulse_checks(&design);
        let own = checks.iter().find(|c| c.pin == pin && c.kind == PulseKind::High).unwrap();
        assert!((own.required - 0.2).abs() < 1e-6);
        assert!(checks[0].slack <= checks.last().unwrap().slack);
    }
}
