//! The timing side of masters from Liberty.

use cellwright_db::logic::Expr;
use cellwright_db::timing::{
    ArcKind, Axis, Edge, GateRole, LibUnits, Sense, Sequential, Table, TableVariable, Thresholds,
    TimingArc, TimingCell, TimingLib, TimingPin, WireLoad,
};
use cellwright_db::{IdVec, Master, MasterId, MasterPinId};
use hashbrown::HashMap;

use crate::liberty::{self, AxisVariable, TimingSense, TimingType};

/// More nodes than this are no cell function; the expression is dropped so that nothing recurses
/// beyond the stack.
const MAX_NODES: usize = 2000;

/// One Liberty library, linked to the masters that have its cells' names.
pub fn link(
    library: &liberty::Library,
    digest: [u8; 32],
    masters: &IdVec<MasterId, Master>,
    by_name: &HashMap<&str, MasterId>,
) -> TimingLib {
    let mut cells: Vec<TimingCell> = library
        .cells
        .iter()
        .filter_map(|cell| {
            let master = *by_name.get(cell.name.as_str())?;
            Some(link_cell(cell, library, master, &masters[master]))
        })
        .collect();
    cells.sort_by_key(|cell| cell.master);
    let t = &library.thresholds;
    let default_wire_load = library.defaults.wire_load.as_ref();
    TimingLib {
        name: library.name.clone(),
        digest,
        units: LibUnits {
            time: library.units.time,
            capacitance: library.units.capacitance,
            resistance: library.units.resistance,
        },
        voltage: f64::from(library.nominal.voltage),
        thresholds: Thresholds {
            input: [t.input_rise, t.input_fall],
            output: [t.output_rise, t.output_fall],
            slew_lower: [t.slew_lower_rise, t.slew_lower_fall],
            slew_upper: [t.slew_upper_rise, t.slew_upper_fall],
        },
        slew_derate: t.slew_derate,
        default_max_slew: library.defaults.max_transition,
        default_max_cap: library.defaults.max_capacitance,
        default_max_fanout: library.defaults.max_fanout,
        default_fanout_load: library.defaults.fanout_load,
        wire_loads: library
            .wire_loads
            .iter()
            .map(|load| WireLoad {
                name: load.name.clone(),
                resistance: f64::from(load.resistance),
                capacitance: f64::from(load.capacitance),
                slope: f64::from(load.slope),
                fanout_length: load
                    .fanout_length
                    .iter()
                    .map(|(fanout, length)| (f64::from(*fanout), f64::from(*length)))
                    .collect(),
            })
            .collect(),
        default_wire_load: default_wire_load
            .and_then(|name| library.wire_loads.iter().position(|load| load.name == *name)),
        cells,
    }
}

/// What a pin asks of pulses in any state: the most of its attribute and of the groups that hold in
/// a state of other pins, which is not known.
fn largest(
    plain: Option<f32>,
    pin: &liberty::Pin,
    of: impl Fn(&liberty::PulseCheck) -> Option<f32>,
) -> Option<f32> {
    pin.conditional_checks.iter().filter_map(of).chain(plain).reduce(f32::max)
}

fn link_cell(
    cell: &liberty::Cell,
    library: &liberty::Library,
    id: MasterId,
    master: &Master,
) -> TimingCell {
    // Pin number of each Liberty pin; internal pins have none.
    let number: Vec<Option<MasterPinId>> =
        cell.pins.iter().map(|pin| master.pin(&pin.name)).collect();
    let states: Vec<(&str, u32)> = cell
        .sequentials
        .iter()
        .enumerate()
        .flat_map(|(index, seq)| {
            let first = Expr::STATE + 2 * index as u32;
            [(seq.state.as_str(), first), (seq.state_inverted.as_str(), first + 1)]
        })
        .filter(|(name, _)| !name.is_empty())
        .collect();
    let expr = |expr: &Option<liberty::Expr>| {
        expr.as_ref().and_then(|expr| link_expr(expr, master, &states))
    };
    let mut pins = vec![TimingPin::default(); master.pins.len()];
    for (pin, number) in cell.pins.iter().zip(&number) {
        let Some(number) = number else { continue };
        let default_cap = match pin.direction {
            liberty::Direction::Input => library.defaults.input_pin_cap,
            liberty::Direction::Output => library.defaults.output_pin_cap,
            liberty::Direction::Inout => library.defaults.inout_pin_cap,
            liberty::Direction::Internal => None,
        };
        let plain = pin.capacitance.or(default_cap).unwrap_or(0.0);
        let rise = pin.rise_capacitance.unwrap_or(plain);
        let fall = pin.fall_capacitance.unwrap_or(plain);
        let range = |range: Option<[f32; 2]>, cap: f32| range.unwrap_or([cap, cap]);
        let (rise, fall) =
            (range(pin.rise_capacitance_range, rise), range(pin.fall_capacitance_range, fall));
        pins[number.index()] = TimingPin {
            present: true,
            cap_min: [rise[0], fall[0]],
            cap_max: [rise[1], fall[1]],
            max_cap: pin.max_capacitance,
            min_cap: pin.min_capacitance,
            max_slew: pin.max_transition,
            max_fanout: pin.max_fanout,
            fanout_load: pin.fanout_load,
            is_clock: pin.is_clock,
            function: expr(&pin.function),
            three_state: expr(&pin.three_state),
            min_pulse_width: [
                largest(pin.min_pulse_width_high, pin, |check| check.width_high),
                largest(pin.min_pulse_width_low, pin, |check| check.width_low),
            ],
            min_period: largest(pin.min_period, pin, |check| check.period),
            gate_role: pin.clock_gate_role.map(|role| match role {
                liberty::ClockGateRole::Clock => GateRole::Clock,
                liberty::ClockGateRole::Enable => GateRole::Enable,
                liberty::ClockGateRole::Test => GateRole::Test,
                liberty::ClockGateRole::Observation => GateRole::Observe,
                liberty::ClockGateRole::Output => GateRole::Out,
            }),
        };
    }
    let sequentials = cell
        .sequentials
        .iter()
        .enumerate()
        .map(|(index, seq)| {
            let is_latch = seq.kind == liberty::SequentialKind::Latch;
            Sequential {
                is_latch,
                clock: expr(if is_latch { &seq.enable } else { &seq.clocked_on }),
                data: expr(if is_latch { &seq.data_in } else { &seq.next_state }),
                clear: expr(&seq.clear),
                preset: expr(&seq.preset),
                state: Expr::STATE + 2 * index as u32,
            }
        })
        .collect();
    let mut arcs = Vec::with_capacity(cell.arcs.len());
    for arc in &cell.arcs {
        let (Some(from), Some(to)) = (number[arc.from as usize], number[arc.to as usize]) else {
            continue;
        };
        let timing = &cell.timings[arc.timing as usize];
        arcs.push(link_arc(timing, from, to, &pins, expr(&timing.when)));
    }
    TimingCell {
        master: id,
        area: f64::from(cell.area.unwrap_or(0.0)),
        leakage: cell.leakage_power.or(library.defaults.cell_leakage_power).map(f64::from),
        dont_use: cell.dont_use,
        dont_touch: cell.dont_touch,
        is_macro: cell.is_macro || cell.is_memory,
        clock_gate: cell.clock_gating.clone(),
        footprint: cell.footprint.clone(),
        pins,
        arcs,
        sequentials,
    }
}

fn link_arc(
    timing: &liberty::Timing,
    from: MasterPinId,
    to: MasterPinId,
    pins: &[TimingPin],
    when: Option<Expr>,
) -> TimingArc {
    let kind = arc_kind(timing.kind);
    let [value, slew] = if kind.is_check() {
        [[&timing.rise_constraint, &timing.fall_constraint], [&None, &None]]
    } else {
        [[&timing.cell_rise, &timing.cell_fall], [&timing.rise_transition, &timing.fall_transition]]
    };
    let tables =
        |pair: [&Option<liberty::Table>; 2]| pair.map(|table| table.as_ref().map(link_table));
    let (mut value, mut slew) = (tables(value), tables(slew));
    if !kind.is_check() {
        for edge in Edge::BOTH {
            linear_model(timing, edge, &mut value, &mut slew);
        }
    }
    let stated = timing.sense.map(|sense| match sense {
        TimingSense::Positive => Sense::Positive,
        TimingSense::Negative => Sense::Negative,
        TimingSense::NonUnate => Sense::NonUnate,
    });
    TimingArc {
        from,
        to,
        kind,
        sense: stated.unwrap_or_else(|| unateness(pins[to.index()].function.as_ref(), from)),
        when,
        sdf_cond: timing.sdf_cond.clone(),
        mode: timing.mode.clone(),
        value,
        slew,
    }
}

/// The linear delay model as a table: intrinsic + resistance × load, exact by linear extrapolation.
fn linear_model(
    timing: &liberty::Timing,
    edge: Edge,
    value: &mut [Option<Table>; 2],
    slew: &mut [Option<Table>; 2],
) {
    let at = edge.index();
    if value[at].is_some() {
        return;
    }
    let (intrinsic, resistance) = (timing.intrinsic[at], timing.resistance[at]);
    if intrinsic.is_none() && resistance.is_none() {
        return;
    }
    let (intrinsic, resistance) = (intrinsic.unwrap_or(0.0), resistance.unwrap_or(0.0));
    let axis = Axis { variable: TableVariable::OutputLoad, values: Box::new([0.0, 1.0]) };
    let values = Box::new([intrinsic, intrinsic + resistance]);
    value[at] = Some(Table { axes: vec![axis], values });
    slew[at].get_or_insert(Table { axes: Vec::new(), values: Box::new([0.0]) });
}

/// `timing_sense` where the file leaves it to the function (Liberty reference, `timing_sense`).
fn unateness(function: Option<&Expr>, from: MasterPinId) -> Sense {
    let Some(function) = function else { return Sense::NonUnate };
    let variables = function.variables();
    let others: Vec<u32> = variables.into_iter().filter(|v| *v != from.0).collect();
    if others.len() > 12 {
        return Sense::NonUnate;
    }
    let (mut rises, mut falls) = (false, false);
    for row in 0..1_u32 << others.len() {
        let at = |input: bool| {
            function.eval(&mut |variable| match others.binary_search(&variable) {
                Ok(bit) => Some(row >> bit & 1 == 1),
                Err(_) => Some(input),
            })
        };
        match (at(false), at(true)) {
            (Some(false), Some(true)) => rises = true,
            (Some(true), Some(false)) => falls = true,
            _ => {}
        }
    }
    match (rises, falls) {
        (true, false) => Sense::Positive,
        (false, true) => Sense::Negative,
        _ => Sense::NonUnate,
    }
}

fn link_expr(expr: &liberty::Expr, master: &Master, states: &[(&str, u32)]) -> Option<Expr> {
    use liberty::ExprNode as Node;
    if expr.nodes().len() > MAX_NODES {
        return None;
    }
    let variable = |name: &str| {
        let state = states.iter().find(|(state, _)| *state == name).map(|(_, number)| *number);
        state.or_else(|| master.pin(name).map(|pin| pin.0))
    };
    let mut built: Vec<Expr> = Vec::with_capacity(expr.nodes().len());
    for node in expr.nodes() {
        let operand = |index: u32| built.get(index as usize).cloned().map(Box::new);
        built.push(match *node {
            Node::Const(value) => Expr::Const(value),
            Node::Name(index) => Expr::Var(variable(expr.names().get(index as usize)?)?),
            Node::Not(a) => Expr::Not(operand(a)?),
            Node::And(a, b) => Expr::And(operand(a)?, operand(b)?),
            Node::Or(a, b) => Expr::Or(operand(a)?, operand(b)?),
            Node::Xor(a, b) => Expr::Xor(operand(a)?, operand(b)?),
        });
    }
    built.pop()
}

fn link_table(table: &liberty::Table) -> Table {
    Table {
        axes: table
            .axes
            .iter()
            .map(|axis| Axis {
                variable: match axis.variable {
                    AxisVariable::InputTransition => TableVariable::InputSlew,
                    AxisVariable::OutputCapacitance => TableVariable::OutputLoad,
                    AxisVariable::ConstrainedTransition => TableVariable::ConstrainedSlew,
                    AxisVariable::RelatedTransition => TableVariable::RelatedSlew,
                    AxisVariable::RelatedOutputCapacitance => TableVariable::RelatedOutputLoad,
                    _ => TableVariable::Other,
                },
                values: axis.points.clone().into(),
            })
            .collect(),
        values: table.values.clone().into(),
    }
}

fn arc_kind(kind: TimingType) -> ArcKind {
    use Edge::{Fall, Rise};
    match kind {
        TimingType::Combinational => ArcKind::Combinational(None),
        TimingType::CombinationalRise => ArcKind::Combinational(Some(Rise)),
        TimingType::CombinationalFall => ArcKind::Combinational(Some(Fall)),
        TimingType::ThreeStateEnable => ArcKind::ThreeStateEnable(None),
        TimingType::ThreeStateEnableRise => ArcKind::ThreeStateEnable(Some(Rise)),
        TimingType::ThreeStateEnableFall => ArcKind::ThreeStateEnable(Some(Fall)),
        TimingType::ThreeStateDisable => ArcKind::ThreeStateDisable(None),
        TimingType::ThreeStateDisableRise => ArcKind::ThreeStateDisable(Some(Rise)),
        TimingType::ThreeStateDisableFall => ArcKind::ThreeStateDisable(Some(Fall)),
        TimingType::RisingEdge => ArcKind::ClockToOutput(Rise),
        TimingType::FallingEdge => ArcKind::ClockToOutput(Fall),
        TimingType::Preset => ArcKind::Preset,
        TimingType::Clear => ArcKind::Clear,
        TimingType::SetupRising => ArcKind::Setup(Rise),
        TimingType::SetupFalling => ArcKind::Setup(Fall),
        TimingType::HoldRising => ArcKind::Hold(Rise),
        TimingType::HoldFalling => ArcKind::Hold(Fall),
        TimingType::RecoveryRising => ArcKind::Recovery(Rise),
        TimingType::RecoveryFalling => ArcKind::Recovery(Fall),
        TimingType::RemovalRising => ArcKind::Removal(Rise),
        TimingType::RemovalFalling => ArcKind::Removal(Fall),
        TimingType::SkewRising => ArcKind::Skew(Rise),
        TimingType::SkewFalling => ArcKind::Skew(Fall),
        TimingType::NonSeqSetupRising => ArcKind::NonSeqSetup(Rise),
        TimingType::NonSeqSetupFalling => ArcKind::NonSeqSetup(Fall),
        TimingType::NonSeqHoldRising => ArcKind::NonSeqHold(Rise),
        TimingType::NonSeqHoldFalling => ArcKind::NonSeqHold(Fall),
        TimingType::MinPulseWidth => ArcKind::MinPulseWidth,
        TimingType::MinimumPeriod => ArcKind::MinPeriod,
        TimingType::MaxClockTreePath => ArcKind::ClockTreePath { late: true },
        TimingType::MinClockTreePath => ArcKind::ClockTreePath { late: false },
        TimingType::NochangeHighHigh
        | TimingType::NochangeHighLow
        | TimingType::NochangeLowHigh
        | TimingType::NochangeLowLow => ArcKind::Untimed,
    }
}
