//! Circuits of a few cells whose slacks have a closed form.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod common;

use cellwright_checker::state::State;
use cellwright_checker::timing::{
    Calculator, CornerSetting, PerMicron, Setting, Timing, Wires, analyse,
};
use cellwright_db::library::PinDirection;
use cellwright_db::records::NetKind;
use cellwright_db::timing::Edge;
use cellwright_db::{CellId, MasterPinId, NetId, PinId, Place, Point, Snapshot};
use cellwright_formats::constraints::{
    Clock, ClockId, Constraints, Exception, ExceptionKind, PathPoint, PortDelay, Values,
};
use common::small::*;

/// in → INV → DFF a → INV → DFF b, one clock through a buffer; cells at x = 0, 10, 20 … µm.
struct Pipe {
    snapshot: Snapshot,
    constraints: Constraints,
}

const PERIOD: f64 = 1.0;
const INPUT: f64 = 0.3;

fn pin(snapshot: &Snapshot, cell: u32, number: u32) -> PinId {
    PinId(snapshot.cell(CellId(cell)).unwrap().first_pin.0 + number)
}

fn pipe() -> Pipe {
    let mut b = builder();
    let master = |b: &cellwright_db::DesignBuilder, name: &str| b.library().master(name).unwrap();
    let nets: Vec<NetId> = ["in", "n1", "q", "n2", "clk", "ck"]
        .iter()
        .map(|name| b.add_net(name, NetKind::Signal))
        .collect();
    b.add_port("in", PinDirection::Input, nets[0], Some(Point::new(0, 0)), vec![], None);
    b.add_port("clk", PinDirection::Input, nets[4], Some(Point::new(0, 0)), vec![], None);
    let cells = [("i0", "INV"), ("a", "DFF"), ("i1", "INV"), ("b", "DFF"), ("cb", "BUF")];
    for (place, (name, of)) in (0..).zip(cells) {
        let master = master(&b, of);
        b.add_cell(name, master, Place::placed(place * 10 * SCALE, 0, Default::default()));
    }
    let connect = [
        (0, 0, 0),
        (0, 1, 1),
        (1, 1, 1),
        (1, 2, 2),
        (2, 0, 2),
        (2, 1, 3),
        (3, 1, 3),
        (4, 0, 4),
        (4, 1, 5),
        (1, 0, 5),
        (3, 0, 5),
    ];
    for (cell, number, net) in connect {
        b.connect(CellId(cell), MasterPinId(number), nets[net]);
    }
    let snapshot = b.finish(floorplan(2, 1000));
    let mut constraints = Constraints::default();
    let ports = &snapshot.context().ports;
    let port = |number: u32| ports[cellwright_db::PortId(number)].pin;
    constraints.clocks.push(Clock {
        name: "clk".into(),
        period: PERIOD,
        waveform: vec![0.0, PERIOD / 2.0],
        sources: vec![port(1)],
        ..Clock::default()
    });
    constraints.input_delays.push(PortDelay {
        pin: port(0),
        clock: Some(ClockId(0)),
        clock_edge: Edge::Rise,
        reference_pin: None,
        delay: Values::all(INPUT),
        source_latency_included: false,
        network_latency_included: false,
        level_sensitive: false,
    });
    Pipe { snapshot, constraints }
}

fn run(pipe: &Pipe, wires: Wires, calculator: Calculator) -> Timing {
    let state = State::new(&pipe.snapshot);
    let corners = vec![CornerSetting { corner: 0, wires }];
    analyse(&state, &Setting { constraints: &pipe.constraints, corners, calculator })
}

/// `[hold, setup]` slacks of `a/D` and `b/D`.
fn slacks(pipe: &Pipe, timing: &Timing) -> [[Option<f64>; 2]; 2] {
    let ends = [pin(&pipe.snapshot, 1, 1), pin(&pipe.snapshot, 3, 1)];
    ends.map(|end| [0, 1].map(|side| timing.corners[0].slacks[side].get(&end).copied()))
}

fn close(found: Option<f64>, want: f64) {
    let found = found.unwrap();
    assert!((found - want).abs() < 1e-6, "{found} {want}");
}

const CAP: f64 = PIN_CAP as f64;
const LOAD: f64 = LOAD_DELAY as f64;
const BY_SLEW: f64 = SLEW_DELAY as f64;

/// Delay of an inverter at an input slew into one pin and `wire` pF.
fn inverter(slew: f64, wire: f64) -> f64 {
    0.1 + BY_SLEW * slew + LOAD * (CAP + wire)
}

/// Slew of a driver of one pin and `wire` pF.
fn slew(wire: f64) -> f64 {
    f64::from(SLEW) + CAP + wire
}

#[test]
fn an_ideal_clock_without_wires() {
    let mut pipe = pipe();
    pipe.constraints.clocks.as_mut_slice()[0].uncertainty = [Some(0.01), Some(0.04)];
    let timing = run(&pipe, Wires::None, Calculator::Lumped);
    assert_eq!(timing.not_checked, Vec::<String>::new());
    let [a, b] = slacks(&pipe, &timing);
    let first = INPUT + inverter(0.0, 0.0);
    close(a[1], PERIOD - 0.04 - f64::from(SETUP) - first);
    close(a[0], first - 0.01 - f64::from(HOLD));
    let second = f64::from(CK_TO_Q) + inverter(slew(0.0), 0.0);
    close(b[1], PERIOD - 0.04 - f64::from(SETUP) - second);
    close(b[0], second - 0.01 - f64::from(HOLD));
}

#[test]
fn wires_load_their_drivers_and_take_their_elmore_delay() {
    let pipe = pipe();
    let unit = PerMicron { resistance: 0.002, capacitance: 0.0005 };
    let wires = || Wires::Placement { signal: unit, clock: unit };
    // Every wire of the data path is 10 µm long: pins lie at the corner of their cells.
    let (r, c) = (10.0 * unit.resistance, 10.0 * unit.capacitance);
    let elmore = r * (c / 2.0 + CAP);
    for (calculator, wire) in [(Calculator::Lumped, 0.0), (Calculator::LumpedElmore, elmore)] {
        let timing = run(&pipe, wires(), calculator);
        let [a, b] = slacks(&pipe, &timing);
        // The first inverter stands on the port: its input wire has no length.
        let first = INPUT + inverter(0.0, c) + wire;
        close(a[1], PERIOD - f64::from(SETUP) - first);
        let second = f64::from(CK_TO_Q) + wire + inverter(slew(c), c) + wire;
        close(b[1], PERIOD - f64::from(SETUP) - second);
        close(b[0], second - f64::from(HOLD));
    }
}

#[test]
fn latency_of_an_ideal_clock_moves_both_ends() {
    let mut pipe = pipe();
    let clock = &mut pipe.constraints.clocks.as_mut_slice()[0];
    clock.latency.network = Values::all(0.07);
    let timing = run(&pipe, Wires::None, Calculator::Lumped);
    let [a, b] = slacks(&pipe, &timing);
    // The input starts at the clock with its latency too.
    close(a[1], PERIOD - f64::from(SETUP) - INPUT - inverter(0.0, 0.0));
    let second = f64::from(CK_TO_Q) + inverter(slew(0.0), 0.0);
    close(b[1], PERIOD - f64::from(SETUP) - second);
    let clock = &mut pipe.constraints.clocks.as_mut_slice()[0];
    clock.latency.network.set([true, false], [true; 2], 0.02);
    let timing = run(&pipe, Wires::None, Calculator::Lumped);
    // Late launch at 0.07 against early capture at 0.02.
    close(slacks(&pipe, &timing)[1][1], PERIOD + 0.02 - f64::from(SETUP) - 0.07 - second);
}

#[test]
fn a_propagated_clock_takes_its_buffer_and_gives_reconvergence_back() {
    let mut pipe = pipe();
    pipe.constraints.clocks.as_mut_slice()[0].propagated = true;
    let timing = run(&pipe, Wires::None, Calculator::Lumped);
    // Both registers hang on one buffer: 0.1 + 2 · two pins.
    let buffer = 0.1 + LOAD * 2.0 * CAP;
    let [a, b] = slacks(&pipe, &timing);
    close(a[1], PERIOD + buffer - f64::from(SETUP) - INPUT - inverter(0.0, 0.0));
    let second = f64::from(CK_TO_Q) + inverter(slew(0.0), 0.0);
    close(b[1], PERIOD - f64::from(SETUP) - second);
    // Early clock cells ten percent faster: the difference is common to launch and capture.
    let mut factor = pipe.constraints.derates.design.factor;
    factor[0][0][0] = [Some(0.9); 2];
    pipe.constraints.derates.design.factor = factor;
    let timing = run(&pipe, Wires::None, Calculator::Lumped);
    let [a, b] = slacks(&pipe, &timing);
    close(b[1], PERIOD - f64::from(SETUP) - second);
    close(b[0], second - f64::from(HOLD));
    // The input shares no tree with its capture.
    close(a[1], PERIOD + 0.9 * buffer - f64::from(SETUP) - INPUT - inverter(0.0, 0.0));
}

fn exception(kind: ExceptionKind, checks: [bool; 2], from: PinId, to: Option<PinId>) -> Exception {
    let point = |pin| PathPoint { pins: vec![pin], edges: [true; 2], ..PathPoint::default() };
    Exception {
        kind,
        checks,
        from: Some(point(from)),
        through: Vec::new(),
        to: to.map(point),
        end_edges: [true; 2],
        comment: String::new(),
    }
}

#[test]
fn false_paths_and_multicycles_rule_their_ends() {
    let mut pipe = pipe();
    let input = pipe.constraints.input_delays[0].pin;
    let second = f64::from(CK_TO_Q) + inverter(slew(0.0), 0.0);
    pipe.constraints.exceptions.push(exception(
        ExceptionKind::FalsePath,
        [false, true],
        input,
        None,
    ));
    let clock_pin = pin(&pipe.snapshot, 1, 0);
    let end = pin(&pipe.snapshot, 3, 1);
    let cycles = |cycles, end_clock| ExceptionKind::Multicycle { cycles, end_clock };
    pipe.constraints.exceptions.push(exception(
        cycles(2, true),
        [false, true],
        clock_pin,
        Some(end),
    ));
    let timing = run(&pipe, Wires::None, Calculator::Lumped);
    let [a, b] = slacks(&pipe, &timing);
    assert_eq!(a[1], None);
    close(a[0], INPUT + inverter(0.0, 0.0) - f64::from(HOLD));
    close(b[1], 2.0 * PERIOD - f64::from(SETUP) - second);
    // Without a hold multicycle the hold check follows by a cycle.
    close(b[0], second - f64::from(HOLD) - PERIOD);
    pipe.constraints.exceptions.push(exception(
        cycles(1, false),
        [true, false],
        clock_pin,
        Some(end),
    ));
    let timing = run(&pipe, Wires::None, Calculator::Lumped);
    close(slacks(&pipe, &timing)[1][0], second - f64::from(HOLD));
}

#[test]
fn a_constant_cuts_what_hangs_on_it() {
    let mut pipe = pipe();
    let input = pipe.constraints.input_delays[0].pin;
    let zero = cellwright_formats::constraints::CaseValue::Zero;
    pipe.constraints.case.insert(input, zero);
    let timing = run(&pipe, Wires::None, Calculator::Lumped);
    let [a, b] = slacks(&pipe, &timing);
    assert_eq!(a, [None, None]);
    assert!(b[1].is_some());
}

#[test]
fn what_is_not_served_is_told() {
    let mut pipe = pipe();
    let end = pin(&pipe.snapshot, 3, 1);
    let delay = ExceptionKind::PathDelay {
        side: cellwright_formats::constraints::MinMax::Max,
        delay: 1.0,
        ignore_clock_latency: false,
        probe: false,
    };
    pipe.constraints.exceptions.push(exception(delay, [false, true], end, None));
    let timing = run(&pipe, Wires::None, Calculator::Lumped);
    assert_eq!(timing.not_checked, ["timing: set_max_delay and set_min_delay"]);
}
