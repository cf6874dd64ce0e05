//! A small synthetic library and random designs for tests.

use std::sync::Arc;

use cellwright_db::floorplan::Floorplan;
use cellwright_db::library::{MasterClass, MasterPin, PinDirection};
use cellwright_db::logic::Expr;
use cellwright_db::records::NetKind;
use cellwright_db::tech::Symmetry;
use cellwright_db::timing::*;
use cellwright_db::{
    CellId, Design, DesignBuilder, IdVec, Library, Master, MasterId, MasterPinId, NetId, Orient,
    PinId, Place, Point, Rect, Technology,
};

use crate::constraints::{
    Clock, Constraints, Exception, ExceptionKind, MinMax, PathPoint, PortDelay, Values,
};

fn table(base: f32, per_slew: f32, per_load: f32) -> Table {
    let (s, c) = ([0.0_f32, 0.05, 0.2, 1.0], [0.0_f32, 0.005, 0.02, 0.1]);
    let axis = |variable, values: &[f32]| Axis { variable, values: values.into() };
    let at = |s: f32, c: f32| base + per_slew * s + per_load * c + 0.3 * s * c * per_load;
    Table {
        axes: vec![axis(TableVariable::InputSlew, &s), axis(TableVariable::OutputLoad, &c)],
        values: s.iter().flat_map(|s| c.iter().map(move |c| at(*s, *c))).collect(),
    }
}

fn check(base: f32) -> Table {
    let axis = |variable| Axis { variable, values: vec![0.0, 0.1, 1.0].into() };
    let x = [0.0_f32, 0.1, 1.0];
    Table {
        axes: vec![axis(TableVariable::RelatedSlew), axis(TableVariable::ConstrainedSlew)],
        values: x.iter().flat_map(|a| x.iter().map(move |b| base - 0.1 * a + 0.2 * b)).collect(),
    }
}

struct Kind {
    name: &'static str,
    pins: Vec<(&'static str, PinDirection)>,
    function: Option<Expr>,
    arcs: Vec<(u32, u32, ArcKind, Sense)>,
    sequential: bool,
}

fn kinds() -> Vec<Kind> {
    use PinDirection::{Input, Output};
    let var = |v| Box::new(Expr::Var(v));
    let comb = ArcKind::Combinational(None);
    vec![
        Kind {
            name: "INV",
            pins: vec![("A", Input), ("Z", Output)],
            function: Some(Expr::Not(var(0))),
            arcs: vec![(0, 1, comb, Sense::Negative)],
            sequential: false,
        },
        Kind {
            name: "BUF",
            pins: vec![("A", Input), ("Z", Output)],
            function: Some(Expr::Var(0)),
            arcs: vec![(0, 1, comb, Sense::Positive)],
            sequential: false,
        },
        Kind {
            name: "NAND",
            pins: vec![("A", Input), ("B", Input), ("Z", Output)],
            function: Some(Expr::Not(Box::new(Expr::And(var(0), var(1))))),
            arcs: vec![(0, 2, comb, Sense::Negative), (1, 2, comb, Sense::Negative)],
            sequential: false,
        },
        Kind {
            name: "XOR",
            pins: vec![("A", Input), ("B", Input), ("Z", Output)],
            function: Some(Expr::Xor(var(0), var(1))),
            arcs: vec![(0, 2, comb, Sense::NonUnate), (1, 2, comb, Sense::NonUnate)],
            sequential: false,
        },
        Kind {
            name: "TIE",
            pins: vec![("Z", Output)],
            function: Some(Expr::Const(true)),
            arcs: vec![],
            sequential: false,
        },
        Kind {
            name: "DFF",
            pins: vec![("CK", Input), ("D", Input), ("Q", Output)],
            function: Some(Expr::Var(Expr::STATE)),
            arcs: vec![
                (0, 2, ArcKind::ClockToOutput(Edge::Rise), Sense::NonUnate),
                (0, 1, ArcKind::Setup(Edge::Rise), Sense::NonUnate),
                (0, 1, ArcKind::Hold(Edge::Rise), Sense::NonUnate),
            ],
            sequential: true,
        },
    ]
}

/// A library of INV, BUF, NAND, XOR, TIE and DFF, each in two sizes (`_1`, `_2`).
pub(crate) fn library() -> Library {
    let mut masters: IdVec<MasterId, Master> = IdVec::new();
    let mut cells = Vec::new();
    for kind in kinds() {
        for size in [1.0_f32, 2.0] {
            let pin = |(at, (name, direction)): (usize, &(&str, PinDirection))| MasterPin {
                name: (*name).to_owned(),
                direction: *direction,
                is_clock: *name == "CK",
                shapes: vec![],
                bbox: Rect::default(),
                offset: Point::new(100 * at as i32, 50),
            };
            let master = masters.push(Master {
                name: format!("{}_{size}", kind.name),
                class: MasterClass::Core,
                width: 400,
                height: 400,
                site: None,
                symmetry: Symmetry::default(),
                pins: kind.pins.iter().enumerate().map(pin).collect(),
                supplies: vec![],
                obstructions: vec![],
                edge_types: None,
                has_geometry: true,
                function_class: 0,
            });
            let arcs = kind
                .arcs
                .iter()
                .map(|&(from, to, arc, sense)| {
                    let delay = |base| Some(table(base, 0.2, 3.0 / size));
                    let slew = |base| Some(table(base, 0.1, 5.0 / size));
                    let margin = if matches!(arc, ArcKind::Setup(_)) { 0.03 } else { 0.01 };
                    TimingArc {
                        from: MasterPinId(from),
                        to: MasterPinId(to),
                        kind: arc,
                        sense,
                        when: None,
                        sdf_cond: None,
                        mode: None,
                        value: if arc.is_check() {
                            [Some(check(margin)), Some(check(margin * 1.1))]
                        } else {
                            [delay(0.02), delay(0.017)]
                        },
                        slew: if arc.is_check() { [None, None] } else { [slew(0.01), slew(0.008)] },
                    }
                })
                .collect();
            let pins = kind
                .pins
                .iter()
                .map(|(name, direction)| TimingPin {
                    present: true,
                    cap_min: [0.0009 * size, 0.0010 * size],
                    cap_max: [0.0010 * size, 0.0011 * size],
                    is_clock: *name == "CK",
                    function: kind.function.clone().filter(|_| *direction == PinDirection::Output),
                    ..TimingPin::default()
                })
                .collect();
            let sequentials = if kind.sequential {
                vec![Sequential {
                    is_latch: false,
                    clock: Some(Expr::Var(0)),
                    data: Some(Expr::Var(1)),
                    clear: None,
                    preset: None,
                    state: Expr::STATE,
                }]
            } else {
                vec![]
            };
            cells.push(TimingCell {
                master,
                area: f64::from(size),
                leakage: None,
                dont_use: false,
                dont_touch: false,
                is_macro: false,
                clock_gate: None,
                footprint: None,
                pins,
                arcs,
                sequentials,
            });
        }
    }
    let view: Vec<TimingRef> = (0..cells.len()).map(|cell| Some((0, cell as u32))).collect();
    let lib = TimingLib {
        name: "test".to_owned(),
        digest: [0; 32],
        units: LibUnits { time: 1.0, capacitance: 1.0, resistance: 1.0 },
        voltage: 1.0,
        thresholds: Thresholds::default(),
        slew_derate: 1.0,
        default_max_slew: None,
        default_max_cap: None,
        default_max_fanout: None,
        default_fanout_load: None,
        wire_loads: vec![],
        default_wire_load: None,
        cells,
    };
    let corner = Corner {
        name: "typ".to_owned(),
        early: view.clone(),
        late: view,
        early_libs: vec![0],
        late_libs: vec![0],
    };
    Library::new(masters, vec![lib], vec![corner], [0; 32])
}

/// A small generator, so that tests need no random crate.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

/// A random design: ports, gates in levels, registers, a clock tree of `tree` buffers, a tie cell.
pub(crate) fn design(seed: u64, gates: usize, tree: usize) -> Design {
    let library = Arc::new(library());
    let tech = Arc::new(Technology {
        name: "test".to_owned(),
        dbu_per_micron: 1000,
        manufacturing_grid: 0,
        layers: IdVec::new(),
        sites: IdVec::new(),
        edge_spacing: vec![],
        digest: [0; 32],
    });
    let mut random = Random(seed ^ 0x9e37_79b9);
    let mut builder = DesignBuilder::new("random", tech, library.clone());
    let master = |name: &str| library.master(name).unwrap();
    let place = |random: &mut Random| {
        Place::placed(random.below(80_000) as i32, random.below(80_000) as i32, Orient::N)
    };
    let port = |builder: &mut DesignBuilder, name: &str, direction, net| {
        builder.add_port(name, direction, net, Some(Point::new(0, 0)), vec![], None);
    };
    let clock = builder.add_net("clk", NetKind::Signal);
    port(&mut builder, "clk", PinDirection::Input, clock);
    let mut clocks = vec![clock];
    for at in 0..tree {
        let from = clocks[random.below(clocks.len())];
        let net = builder.add_net(&format!("ck{at}"), NetKind::Signal);
        let cell = builder.add_cell(&format!("cb{at}"), master("BUF_1"), place(&mut random));
        builder.connect(cell, MasterPinId(0), from);
        builder.connect(cell, MasterPinId(1), net);
        clocks.push(net);
    }
    let mut signals: Vec<NetId> = Vec::new();
    for at in 0..4 {
        let net = builder.add_net(&format!("in{at}"), NetKind::Signal);
        port(&mut builder, &format!("in{at}"), PinDirection::Input, net);
        signals.push(net);
    }
    let tie = builder.add_net("tie", NetKind::Signal);
    let cell = builder.add_cell("tie", master("TIE_1"), place(&mut random));
    builder.connect(cell, MasterPinId(0), tie);
    let mut registers = Vec::new();
    for at in 0..gates / 5 + 1 {
        let net = builder.add_net(&format!("q{at}"), NetKind::Signal);
        let cell = builder.add_cell(&format!("ff{at}"), master("DFF_1"), place(&mut random));
        builder.connect(cell, MasterPinId(0), clocks[random.below(clocks.len())]);
        builder.connect(cell, MasterPinId(2), net);
        registers.push(cell);
        signals.push(net);
    }
    for at in 0..gates {
        let (name, inputs) =
            [("INV_1", 1), ("BUF_1", 1), ("NAND_1", 2), ("NAND_2", 2), ("XOR_1", 2)]
                [random.below(5)];
        let cell = builder.add_cell(&format!("g{at}"), master(name), place(&mut random));
        for input in 0..inputs {
            let from = if random.below(40) == 0 {
                tie
            } else {
                let near = signals.len().min(12);
                signals[signals.len() - 1 - random.below(near)]
            };
            builder.connect(cell, MasterPinId(input), from);
        }
        let net = builder.add_net(&format!("n{at}"), NetKind::Signal);
        builder.connect(cell, MasterPinId(inputs), net);
        signals.push(net);
    }
    for cell in registers {
        let from = signals[random.below(signals.len())];
        builder.connect(cell, MasterPinId(1), from);
    }
    for at in 0..3 {
        let net = signals[signals.len() - 1 - at];
        port(&mut builder, &format!("out{at}"), PinDirection::Output, net);
    }
    Design::new(&builder.finish(Floorplan::default()))
}

/// One clock of 1 ns on `clk`, port delays on all other ports.
pub(crate) fn constraints(design: &Design, propagated: bool) -> Constraints {
    let mut constraints = Constraints::default();
    let clock = constraints.clocks.push(Clock {
        name: "clk".to_owned(),
        period: 1.0,
        waveform: vec![0.0, 0.5],
        sources: vec![design.find_pin("clk").unwrap()],
        propagated,
        ..Clock::default()
    });
    for (id, port) in design.ports().iter() {
        let delay = PortDelay {
            pin: port.pin,
            clock: Some(clock),
            clock_edge: Edge::Rise,
            reference_pin: None,
            delay: Values::all(0.1),
            source_latency_included: false,
            network_latency_included: false,
            level_sensitive: false,
        };
        match port.direction {
            PinDirection::Output => constraints.output_delays.push(delay),
            _ if design.port_name(id) != "clk" => constraints.input_delays.push(delay),
            _ => {}
        }
    }
    constraints
}

/// A path delay with `-ignore_clock_latency` from all registers to all output ports.
pub(crate) fn ignoring_latency(design: &Design, delay: f64) -> Exception {
    let point = PathPoint { edges: [true; 2], ..PathPoint::default() };
    let register = |cell: &CellId| design.master(*cell).name.starts_with("DFF");
    let outputs = design.ports().iter().map(|(_, port)| port);
    let outputs = outputs.filter(|port| port.direction == PinDirection::Output);
    let mut pins: Vec<PinId> = outputs.map(|port| port.pin).collect();
    pins.sort_unstable();
    Exception {
        kind: ExceptionKind::PathDelay {
            side: MinMax::Max,
            delay,
            ignore_clock_latency: true,
            probe: false,
        },
        checks: [false, true],
        from: Some(PathPoint { cells: design.cells().filter(register).collect(), ..point.clone() }),
        through: vec![],
        to: Some(PathPoint { pins, ..point }),
        end_edges: [true; 2],
        comment: String::new(),
    }
}
