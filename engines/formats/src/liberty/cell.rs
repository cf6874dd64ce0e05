//! What a Liberty file says about one cell: pins, sequential elements, timing groups, arcs.

use super::{Expr, Table};

/// A library cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    /// Its name.
    pub name: String,
    /// Line of its group in the file, from 1.
    pub line: u32,
    /// `area`, taken as µm².
    pub area: Option<f32>,
    /// `cell_footprint`: cells of one footprint may replace each other.
    pub footprint: Option<String>,
    /// `dont_use`: optimisation shall not insert it.
    pub dont_use: bool,
    /// `dont_touch`: optimisation shall not change it.
    pub dont_touch: bool,
    /// `is_macro_cell`.
    pub is_macro: bool,
    /// Whether it has a `memory` group.
    pub is_memory: bool,
    /// `pad_cell`, or any pin with `is_pad`.
    pub is_pad: bool,
    /// `is_level_shifter`, `is_isolation_cell`, `retention_cell`, `always_on`, `switch_cell_type`
    /// and their kin that are set, by name, in file order.
    pub power_roles: Vec<String>,
    /// `interface_timing`: an extracted model.
    pub interface_timing: bool,
    /// `clock_gating_integrated_cell`, such as `latch_posedge_precontrol`.
    pub clock_gating: Option<String>,
    /// `threshold_voltage_group`.
    pub threshold_voltage_group: Option<String>,
    /// `scaling_factors`: a name in the library's list.
    pub scaling_factors: Option<String>,
    /// `cell_leakage_power`, mW.
    pub leakage_power: Option<f32>,
    /// `leakage_power` groups.
    pub leakage: Vec<Leakage>,
    /// Power and ground pins.
    pub pg_pins: Vec<PgPin>,
    /// Signal pins in file order; a bus or bundle stands as its bits.
    pub pins: Vec<Pin>,
    /// Buses and bundles.
    pub buses: Vec<Bus>,
    /// Flip-flops and latches.
    pub sequentials: Vec<Sequential>,
    /// `statetable`, if there is one.
    pub statetable: Option<StateTable>,
    /// `mode_definition` groups.
    pub modes: Vec<ModeDefinition>,
    /// Whether it has a `test_cell` group; its content is not kept.
    pub has_test_cell: bool,
    /// Timing groups as the file has them, each once.
    pub timings: Vec<Timing>,
    /// Timing arcs from pin to pin: the groups with buses and pin lists expanded.
    pub arcs: Vec<TimingArc>,
}

impl Cell {
    /// The index of a pin, or of a bus bit such as `A[3]`.
    #[must_use]
    pub fn pin(&self, name: &str) -> Option<usize> {
        self.pins.iter().position(|p| p.name == name)
    }
}

/// A `leakage_power` group.
#[derive(Debug, Clone, PartialEq)]
pub struct Leakage {
    /// In which state; `None` for any.
    pub when: Option<Expr>,
    /// mW.
    pub value: f32,
    /// `related_pg_pin`.
    pub related_pg_pin: Option<String>,
}

/// A `pg_pin` group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PgPin {
    /// Its name.
    pub name: String,
    /// `pg_type`, such as `primary_power`.
    pub pg_type: String,
    /// `voltage_name`, a name in the library's `voltage_map`.
    pub voltage_name: Option<String>,
}

/// Which way a pin faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// `input`.
    #[default]
    Input,
    /// `output`.
    Output,
    /// `inout`.
    Inout,
    /// `internal`: a node inside, for state tables and clock gates.
    Internal,
}

/// A pin; of a bus, one bit. Values that the file does not give are `None`; the library's
/// defaults are not filled in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pin {
    /// Its name; a bus bit is `NAME[BIT]`.
    pub name: String,
    /// Line of its group, from 1.
    pub line: u32,
    /// The bus or bundle that it belongs to, as an index into [`Cell::buses`].
    pub bus: Option<u32>,
    /// Which way it faces.
    pub direction: Direction,
    /// `capacitance`, pF.
    pub capacitance: Option<f32>,
    /// `rise_capacitance`, pF.
    pub rise_capacitance: Option<f32>,
    /// `fall_capacitance`, pF.
    pub fall_capacitance: Option<f32>,
    /// `rise_capacitance_range`: least and greatest, pF.
    pub rise_capacitance_range: Option<[f32; 2]>,
    /// `fall_capacitance_range`: least and greatest, pF.
    pub fall_capacitance_range: Option<[f32; 2]>,
    /// `max_capacitance`, pF.
    pub max_capacitance: Option<f32>,
    /// `min_capacitance`, pF.
    pub min_capacitance: Option<f32>,
    /// `max_transition`, ns.
    pub max_transition: Option<f32>,
    /// `min_transition`, ns.
    pub min_transition: Option<f32>,
    /// `max_fanout`, in fan-out loads.
    pub max_fanout: Option<f32>,
    /// `min_fanout`, in fan-out loads.
    pub min_fanout: Option<f32>,
    /// `fanout_load`, in fan-out loads.
    pub fanout_load: Option<f32>,
    /// `clock`.
    pub is_clock: bool,
    /// `is_pad`.
    pub is_pad: bool,
    /// `function`. A bus name in it is already replaced by the bit that belongs to this pin.
    pub function: Option<Expr>,
    /// `three_state`: when the output floats.
    pub three_state: Option<Expr>,
    /// `state_function`, on a pin of a cell with a state table.
    pub state_function: Option<Expr>,
    /// `internal_node`: the state-table node that this pin shows.
    pub internal_node: Option<String>,
    /// `signal_type`, such as `test_scan_in`.
    pub signal_type: Option<String>,
    /// `nextstate_type`, such as `data`.
    pub nextstate_type: Option<String>,
    /// `driver_type`, such as `pull_up`.
    pub driver_type: Option<String>,
    /// `related_power_pin`.
    pub related_power_pin: Option<String>,
    /// `related_ground_pin`.
    pub related_ground_pin: Option<String>,
    /// `min_pulse_width_high`, ns.
    pub min_pulse_width_high: Option<f32>,
    /// `min_pulse_width_low`, ns.
    pub min_pulse_width_low: Option<f32>,
    /// `min_period`, ns.
    pub min_period: Option<f32>,
    /// `min_pulse_width` and `minimum_period` groups, which hold in a state only.
    pub conditional_checks: Vec<PulseCheck>,
    /// `clock_gate_clock_pin` and its kin, if set.
    pub clock_gate_role: Option<ClockGateRole>,
}

/// A `min_pulse_width` or `minimum_period` group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PulseCheck {
    /// In which state; `None` for any.
    pub when: Option<Expr>,
    /// `constraint_high` of `min_pulse_width`, ns.
    pub width_high: Option<f32>,
    /// `constraint_low` of `min_pulse_width`, ns.
    pub width_low: Option<f32>,
    /// `constraint` of `minimum_period`, ns.
    pub period: Option<f32>,
}

/// What a pin of an integrated clock gate is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClockGateRole {
    /// `clock_gate_clock_pin`.
    Clock,
    /// `clock_gate_enable_pin`.
    Enable,
    /// `clock_gate_test_pin`.
    Test,
    /// `clock_gate_obs_pin`.
    Observation,
    /// `clock_gate_out_pin`.
    Output,
}

/// A bus or a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bus {
    /// Its name.
    pub name: String,
    /// First and last bit of a bus; `None` for a bundle.
    pub range: Option<(i32, i32)>,
    /// Its pins as indices into [`Cell::pins`], from the first bit to the last.
    pub pins: Vec<u32>,
}

/// Which kind of storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SequentialKind {
    /// `ff` or `ff_bank`.
    FlipFlop,
    /// `latch` or `latch_bank`.
    Latch,
}

/// An `ff`, `latch`, `ff_bank` or `latch_bank` group.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequential {
    /// Which kind of storage.
    pub kind: SequentialKind,
    /// Line of its group, from 1.
    pub line: u32,
    /// How many bits a bank has; `None` for a single `ff` or `latch`.
    pub bits: Option<u32>,
    /// The state variable, such as `IQ`.
    pub state: String,
    /// The inverted state variable, such as `IQN`; may be empty.
    pub state_inverted: String,
    /// `clocked_on`: a flip-flop takes its value as this rises.
    pub clocked_on: Option<Expr>,
    /// `clocked_on_also`: the slave's clock.
    pub clocked_on_also: Option<Expr>,
    /// `next_state` of a flip-flop.
    pub next_state: Option<Expr>,
    /// `enable` of a latch.
    pub enable: Option<Expr>,
    /// `enable_also` of a latch.
    pub enable_also: Option<Expr>,
    /// `data_in` of a latch.
    pub data_in: Option<Expr>,
    /// `clear`: sets the state to 0.
    pub clear: Option<Expr>,
    /// `preset`: sets the state to 1.
    pub preset: Option<Expr>,
    /// `clear_preset_var1`: the state while both are active (`L`, `H`, `N`, `T` or `X`).
    pub clear_preset_var1: Option<char>,
    /// `clear_preset_var2`: as above, for the inverted state.
    pub clear_preset_var2: Option<char>,
}

/// A `statetable` group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateTable {
    /// Input pins.
    pub inputs: Vec<String>,
    /// Internal nodes.
    pub nodes: Vec<String>,
    /// Rows: values of the inputs, of the nodes now, of the nodes next. Values are `L`, `H`, `R`,
    /// `F`, `-`, `N`, `X`, `L/H`, `H/L`, `~R`, `~F` as written.
    pub rows: Vec<[Vec<String>; 3]>,
}

/// A `mode_definition` group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModeDefinition {
    /// Its name.
    pub name: String,
    /// `mode_value` groups: name and `when`.
    pub values: Vec<(String, Option<Expr>)>,
}

/// `timing_type`. The names are Liberty's own in camel case.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum TimingType {
    /// The default.
    #[default]
    Combinational,
    CombinationalRise,
    CombinationalFall,
    ThreeStateEnable,
    ThreeStateEnableRise,
    ThreeStateEnableFall,
    ThreeStateDisable,
    ThreeStateDisableRise,
    ThreeStateDisableFall,
    RisingEdge,
    FallingEdge,
    Preset,
    Clear,
    SetupRising,
    SetupFalling,
    HoldRising,
    HoldFalling,
    RecoveryRising,
    RecoveryFalling,
    RemovalRising,
    RemovalFalling,
    SkewRising,
    SkewFalling,
    NonSeqSetupRising,
    NonSeqSetupFalling,
    NonSeqHoldRising,
    NonSeqHoldFalling,
    NochangeHighHigh,
    NochangeHighLow,
    NochangeLowHigh,
    NochangeLowLow,
    MinPulseWidth,
    MinimumPeriod,
    MaxClockTreePath,
    MinClockTreePath,
}

impl TimingType {
    /// Every type with Liberty's own name.
    pub const ALL: [(TimingType, &'static str); 35] = [
        (Self::Combinational, "combinational"),
        (Self::CombinationalRise, "combinational_rise"),
        (Self::CombinationalFall, "combinational_fall"),
        (Self::ThreeStateEnable, "three_state_enable"),
        (Self::ThreeStateEnableRise, "three_state_enable_rise"),
        (Self::ThreeStateEnableFall, "three_state_enable_fall"),
        (Self::ThreeStateDisable, "three_state_disable"),
        (Self::ThreeStateDisableRise, "three_state_disable_rise"),
        (Self::ThreeStateDisableFall, "three_state_disable_fall"),
        (Self::RisingEdge, "rising_edge"),
        (Self::FallingEdge, "falling_edge"),
        (Self::Preset, "preset"),
        (Self::Clear, "clear"),
        (Self::SetupRising, "setup_rising"),
        (Self::SetupFalling, "setup_falling"),
        (Self::HoldRising, "hold_rising"),
        (Self::HoldFalling, "hold_falling"),
        (Self::RecoveryRising, "recovery_rising"),
        (Self::RecoveryFalling, "recovery_falling"),
        (Self::RemovalRising, "removal_rising"),
        (Self::RemovalFalling, "removal_falling"),
        (Self::SkewRising, "skew_rising"),
        (Self::SkewFalling, "skew_falling"),
        (Self::NonSeqSetupRising, "non_seq_setup_rising"),
        (Self::NonSeqSetupFalling, "non_seq_setup_falling"),
        (Self::NonSeqHoldRising, "non_seq_hold_rising"),
        (Self::NonSeqHoldFalling, "non_seq_hold_falling"),
        (Self::NochangeHighHigh, "nochange_high_high"),
        (Self::NochangeHighLow, "nochange_high_low"),
        (Self::NochangeLowHigh, "nochange_low_high"),
        (Self::NochangeLowLow, "nochange_low_low"),
        (Self::MinPulseWidth, "min_pulse_width"),
        (Self::MinimumPeriod, "minimum_period"),
        (Self::MaxClockTreePath, "max_clock_tree_path"),
        (Self::MinClockTreePath, "min_clock_tree_path"),
    ];

    /// The type of Liberty's name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|t| t.1 == name).map(|t| t.0)
    }

    /// Whether a group of this type with no related pin speaks of its own pin.
    #[must_use]
    pub fn is_own_pin(self) -> bool {
        matches!(
            self,
            Self::MinPulseWidth
                | Self::MinimumPeriod
                | Self::MaxClockTreePath
                | Self::MinClockTreePath
        )
    }
}

/// `timing_sense`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimingSense {
    /// Output edges are as the input's.
    Positive,
    /// Output edges are opposite to the input's.
    Negative,
    /// Either edge may follow either.
    NonUnate,
}

/// A `timing` group. Delays, slews and constraints are ns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timing {
    /// Line of its group, from 1.
    pub line: u32,
    /// What the arc is.
    pub kind: TimingType,
    /// `timing_sense`; `None` where the file leaves it to the pin's function.
    pub sense: Option<TimingSense>,
    /// `when`: in which state it holds.
    pub when: Option<Expr>,
    /// `sdf_cond` as written.
    pub sdf_cond: Option<String>,
    /// `mode (NAME, VALUE)`.
    pub mode: Option<(String, String)>,
    /// `cell_rise`.
    pub cell_rise: Option<Table>,
    /// `cell_fall`.
    pub cell_fall: Option<Table>,
    /// `rise_transition`.
    pub rise_transition: Option<Table>,
    /// `fall_transition`.
    pub fall_transition: Option<Table>,
    /// `rise_constraint`.
    pub rise_constraint: Option<Table>,
    /// `fall_constraint`.
    pub fall_constraint: Option<Table>,
    /// `rise_propagation`, of the model that splits transition from propagation.
    pub rise_propagation: Option<Table>,
    /// `fall_propagation`, as above.
    pub fall_propagation: Option<Table>,
    /// `intrinsic_rise`, `intrinsic_fall` of the linear model, ns.
    pub intrinsic: [Option<f32>; 2],
    /// `rise_resistance`, `fall_resistance` of the linear model, kΩ.
    pub resistance: [Option<f32>; 2],
}

/// A timing group between two pins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimingArc {
    /// The related pin, an index into [`Cell::pins`].
    pub from: u32,
    /// The pin that has the group, an index into [`Cell::pins`].
    pub to: u32,
    /// The group, an index into [`Cell::timings`].
    pub timing: u32,
}
