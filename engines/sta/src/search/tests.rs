//! What paths begin with, end with and stop at, on small designs.

use cellwright_db::timing::Edge;
use cellwright_db::{CellId, Design, PinId};

use crate::constraints::{Clock, Constraints, MinMax};
use crate::testing;
use crate::{Calculator, Config, Timer};

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

#[test]
fn a_gate_of_data_in_a_clock_network_is_told() {
    let mut design = testing::design(8, 60, 5);
    let constraints = testing::constraints(&design, true);
    let told = |timer: &Timer| {
        timer.not_supported().iter().any(|text| text.starts_with("clock gating checks"))
    };
    assert!(!told(&timer(&design, &constraints)));
    // A nand of the clock and a datum drives the clock pin of a register.
    let nand = design.cells().find(|cell| design.master(*cell).name == "NAND_1").unwrap();
    let pins: Vec<PinId> = design.cell_pins(nand).collect();
    let clock = design.pin_net(design.find_pin("clk").unwrap()).unwrap();
    let data = design.pin_net(design.find_pin("in0").unwrap()).unwrap();
    let output = design.pin_net(pins[2]).unwrap();
    let register = design.cell_pins(registers(&design)[0]).next().unwrap();
    for (pin, net) in [(pins[0], clock), (pins[1], data), (register, output)] {
        design.connect(pin, net).unwrap();
    }
    assert!(told(&timer(&design, &constraints)));
}
