//! The timing side of a library: one [`TimingLib`] per Liberty file, linked to masters and pins.
//!
//! Field names and meanings follow the Liberty reference; values are in ns, pF, kΩ, V, mW.

use crate::ids::{MasterId, MasterPinId};
use crate::logic::Expr;

/// A rising or a falling edge, used as an index: `[rise, fall]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Edge {
    /// Index 0.
    Rise = 0,
    /// Index 1.
    Fall = 1,
}

impl Edge {
    /// Both, in index order.
    pub const BOTH: [Edge; 2] = [Edge::Rise, Edge::Fall];
    /// 0 for rise, 1 for fall.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
    /// The other edge.
    #[inline]
    pub const fn opposite(self) -> Edge {
        match self {
            Edge::Rise => Edge::Fall,
            Edge::Fall => Edge::Rise,
        }
    }
}

/// The variable of a table axis (Liberty `variable_1` …).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableVariable {
    /// `input_net_transition` or `input_transition_time`, ns.
    InputSlew,
    /// `total_output_net_capacitance`, pF.
    OutputLoad,
    /// `related_pin_transition`, ns.
    RelatedSlew,
    /// `constrained_pin_transition`, ns.
    ConstrainedSlew,
    /// `related_out_total_output_net_capacitance`, pF.
    RelatedOutputLoad,
    /// `input_voltage`, `fanout_number`, …: kept so that the table's shape stays right.
    Other,
}

/// One axis of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it measures.
    pub variable: TableVariable,
    /// Strictly ascending breakpoints.
    pub values: Box<[f32]>,
}

/// A lookup table of 0 to 3 axes; the last axis varies fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The axes; none makes a constant.
    pub axes: Vec<Axis>,
    /// Product of the axis lengths values, ns (or pF for capacitances).
    pub values: Box<[f32]>,
}

/// Liberty `timing_sense`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// A rise at the source makes a rise at the sink.
    Positive,
    /// A rise at the source makes a fall at the sink.
    Negative,
    /// Either edge may make either edge.
    NonUnate,
}

/// Liberty `timing_type`, with the edge of the source where it names one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcKind {
    /// `combinational`, and `combinational_rise` / `_fall` (only one output edge).
    Combinational(Option<Edge>),
    /// `rising_edge` / `falling_edge`: clock to output of a register or latch enable.
    ClockToOutput(Edge),
    /// `preset`: the output rises.
    Preset,
    /// `clear`: the output falls.
    Clear,
    /// `three_state_enable` and its `_rise` / `_fall` forms.
    ThreeStateEnable(Option<Edge>),
    /// `three_state_disable` and its `_rise` / `_fall` forms.
    ThreeStateDisable(Option<Edge>),
    /// `setup_rising` / `setup_falling`.
    Setup(Edge),
    /// `hold_rising` / `hold_falling`.
    Hold(Edge),
    /// `recovery_rising` / `recovery_falling`.
    Recovery(Edge),
    /// `removal_rising` / `removal_falling`.
    Removal(Edge),
    /// `non_seq_setup_rising` / `_falling`.
    NonSeqSetup(Edge),
    /// `non_seq_hold_rising` / `_falling`.
    NonSeqHold(Edge),
    /// `skew_rising` / `skew_falling`.
    Skew(Edge),
    /// `min_pulse_width`.
    MinPulseWidth,
    /// `minimum_period`.
    MinPeriod,
    /// `max_clock_tree_path` / `min_clock_tree_path` (insertion delay of macros).
    ClockTreePath {
        /// True for `max_clock_tree_path`.
        late: bool,
    },
    /// `nochange_*`, `retaining` and the like: known, not timed, and reported as such.
    Untimed,
}

impl ArcKind {
    /// Whether the arc is a check (constraint tables) and not a delay.
    pub const fn is_check(self) -> bool {
        matches!(
            self,
            ArcKind::Setup(_)
                | ArcKind::Hold(_)
                | ArcKind::Recovery(_)
                | ArcKind::Removal(_)
                | ArcKind::NonSeqSetup(_)
                | ArcKind::NonSeqHold(_)
                | ArcKind::Skew(_)
                | ArcKind::MinPulseWidth
                | ArcKind::MinPeriod
        )
    }
}

/// One `timing()` group between one pair of pins.
#[derive(Clone, Debug, PartialEq)]
pub struct TimingArc {
    /// Source (`related_pin`): an input pin, or the clock pin of a check.
    pub from: MasterPinId,
    /// Sink (the pin that holds the group): an output pin, or the data pin of a check.
    pub to: MasterPinId,
    /// What it is.
    pub kind: ArcKind,
    /// Unateness; for checks without meaning.
    pub sense: Sense,
    /// State-dependent condition.
    pub when: Option<Expr>,
    /// `sdf_cond` as written.
    pub sdf_cond: Option<String>,
    /// Mode name and value (`mode(name, value)`).
    pub mode: Option<(String, String)>,
    /// `cell_rise` / `cell_fall`, or `rise_constraint` / `fall_constraint`, by sink edge.
    pub value: [Option<Table>; 2],
    /// `rise_transition` / `fall_transition`, by sink edge.
    pub slew: [Option<Table>; 2],
}

/// The timing side of one signal pin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimingPin {
    /// Whether the Liberty cell has the pin at all.
    pub present: bool,
    /// Input capacitance by edge for the early corner of ranges, pF.
    pub cap_min: [f32; 2],
    /// Input capacitance by edge for the late corner of ranges, pF.
    pub cap_max: [f32; 2],
    /// `max_capacitance`, pF.
    pub max_cap: Option<f32>,
    /// `min_capacitance`, pF.
    pub min_cap: Option<f32>,
    /// `max_transition`, ns.
    pub max_slew: Option<f32>,
    /// `max_fanout`, in fan-out loads.
    pub max_fanout: Option<f32>,
    /// `fanout_load`.
    pub fanout_load: Option<f32>,
    /// `clock : true`.
    pub is_clock: bool,
    /// Output function.
    pub function: Option<Expr>,
    /// Output disable condition.
    pub three_state: Option<Expr>,
    /// `min_pulse_width_low` (index 1) and `_high` (index 0), ns.
    pub min_pulse_width: [Option<f32>; 2],
    /// `min_period`, ns.
    pub min_period: Option<f32>,
    /// Role in an integrated clock gate.
    pub gate_role: Option<GateRole>,
}

/// `clock_gate_*_pin` roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateRole {
    /// `clock_gate_clock_pin`.
    Clock,
    /// `clock_gate_enable_pin`.
    Enable,
    /// `clock_gate_test_pin`.
    Test,
    /// `clock_gate_out_pin`.
    Out,
    /// `clock_gate_obs_pin`.
    Observe,
}

/// A flip-flop or latch inside a cell (Liberty `ff`, `latch`, and each bit of their banks).
#[derive(Clone, Debug, PartialEq)]
pub struct Sequential {
    /// True for a latch.
    pub is_latch: bool,
    /// `clocked_on` of a flip-flop, `enable` of a latch.
    pub clock: Option<Expr>,
    /// `next_state` of a flip-flop, `data_in` of a latch.
    pub data: Option<Expr>,
    /// `clear`.
    pub clear: Option<Expr>,
    /// `preset`.
    pub preset: Option<Expr>,
    /// Number of the state variable (`IQ`) in expressions, from [`Expr::STATE`] up; the inverted
    /// one (`IQN`) is the next number.
    pub state: u32,
}

/// The timing side of one master in one library.
#[derive(Clone, Debug, PartialEq)]
pub struct TimingCell {
    /// The master.
    pub master: MasterId,
    /// Liberty `area` in the library's own unit (µm² nearly everywhere).
    pub area: f64,
    /// Leakage power, mW.
    pub leakage: Option<f64>,
    /// `dont_use`.
    pub dont_use: bool,
    /// `dont_touch`.
    pub dont_touch: bool,
    /// Memories and other macros.
    pub is_macro: bool,
    /// `clock_gating_integrated_cell` as written.
    pub clock_gate: Option<String>,
    /// `cell_footprint`.
    pub footprint: Option<String>,
    /// One per signal pin of the master.
    pub pins: Vec<TimingPin>,
    /// All arcs, in file order.
    pub arcs: Vec<TimingArc>,
    /// Flip-flops and latches.
    pub sequentials: Vec<Sequential>,
}

/// Measurement thresholds as fractions of the supply, by edge `[rise, fall]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// `input_threshold_pct_*`.
    pub input: [f32; 2],
    /// `output_threshold_pct_*`.
    pub output: [f32; 2],
    /// `slew_lower_threshold_pct_*`.
    pub slew_lower: [f32; 2],
    /// `slew_upper_threshold_pct_*`.
    pub slew_upper: [f32; 2],
}

impl Default for Thresholds {
    /// Liberty's defaults: 50 % delays, 20 % and 80 % slews.
    fn default() -> Self {
        Thresholds { input: [0.5; 2], output: [0.5; 2], slew_lower: [0.2; 2], slew_upper: [0.8; 2] }
    }
}

/// A wire-load model.
#[derive(Clone, Debug, PartialEq)]
pub struct WireLoad {
    /// Name.
    pub name: String,
    /// kΩ per length unit.
    pub resistance: f64,
    /// pF per length unit.
    pub capacitance: f64,
    /// Length units per fan-out beyond the table.
    pub slope: f64,
    /// (fan-out, length), ascending.
    pub fanout_length: Vec<(f64, f64)>,
}

/// The units that the file was written in, for reports that speak the library's units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LibUnits {
    /// ns per library time unit.
    pub time: f64,
    /// pF per library capacitance unit.
    pub capacitance: f64,
    /// kΩ per library resistance unit.
    pub resistance: f64,
}

/// One Liberty file.
#[derive(Clone, Debug)]
pub struct TimingLib {
    /// Library name.
    pub name: String,
    /// BLAKE3 of the unpacked source.
    pub digest: [u8; 32],
    /// Units of the file.
    pub units: LibUnits,
    /// Nominal voltage, V.
    pub voltage: f64,
    /// Thresholds.
    pub thresholds: Thresholds,
    /// `slew_derate_from_library`.
    pub slew_derate: f32,
    /// `default_max_transition`, ns.
    pub default_max_slew: Option<f32>,
    /// `default_max_capacitance`, pF.
    pub default_max_cap: Option<f32>,
    /// `default_max_fanout`.
    pub default_max_fanout: Option<f32>,
    /// `default_fanout_load`.
    pub default_fanout_load: Option<f32>,
    /// Wire-load models.
    pub wire_loads: Vec<WireLoad>,
    /// Index of `default_wire_load`.
    pub default_wire_load: Option<usize>,
    /// Cells, ascending by master.
    pub cells: Vec<TimingCell>,
}

/// Which [`TimingLib`] and cell serve a master in one view of a corner.
pub type TimingRef = Option<(u32, u32)>;

/// An analysis corner: for each master its early and its late timing.
#[derive(Clone, Debug)]
pub struct Corner {
    /// Name, e.g. `typ`.
    pub name: String,
    /// (library, cell) for early analysis (hold data, setup capture), by master.
    pub early: Vec<TimingRef>,
    /// (library, cell) for late analysis, by master.
    pub late: Vec<TimingRef>,
    /// Libraries of the corner in the order read, early; the first serves ports.
    pub early_libs: Vec<u32>,
    /// Libraries of the corner in the order read, late.
    pub late_libs: Vec<u32>,
}
