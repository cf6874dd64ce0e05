//! Timing constraints (SDC), resolved to the ids of one design.
//!
//! Plain data: what the designer asked for, in ns, pF and kΩ, without anything that an analysis
//! works out. `Constraints::default()` is empty. Meanings follow the Synopsys Design Constraints
//! format 2.1 and its usual reading by timers.
//!
//! # Conventions
//! - Values that a command may give per corner and edge are [`Values`], indexed
//!   `[min|max][rise|fall]`; min is also early and hold, max is also late and setup ([`MinMax`]).
//! - Every top-level port has a pin, so points of the netlist are [`PinId`]s throughout; only what
//!   belongs to a port's outside (loads, drives) is keyed by [`PortId`].
//! - Later commands have already overridden earlier ones where SDC says that they do. Exceptions
//!   stay in the order of their commands; [`Exception::priority`] orders them.
//! - Maps are ordered, so that walking one is deterministic.

mod clock;
mod derate;
mod environment;
mod exception;
mod generated;
mod limits;
mod logic;
mod port_delay;
mod values;

pub use clock::{
    Clock, ClockGroups, ClockId, ClockRelation, ClockSense, ClockSenseKind, EdgePairValues,
    Latency, PinLatency,
};
pub use derate::{DerateKind, DeratePath, DerateSet, Derates};
pub use environment::{
    AnalysisType, DrivingCell, NetEnvironment, OperatingConditions, PortEnvironment, Units,
    WireLoadChoice, WireLoadMode, WireLoads,
};
pub use exception::{Exception, ExceptionKind, PathPoint};
pub use generated::{GeneratedClock, GeneratedShape, Waveform};
pub use limits::{ClockLimit, LimitSet, Limits, MaxTimeBorrow, PulseWidths};
pub use logic::{
    ArcDisable, CaseValue, ClockGatingCheck, ClockGatingChecks, DataCheck, Disables, LogicValue,
};
pub use port_delay::PortDelay;
pub use values::{MinMax, Values};

use std::collections::{BTreeMap, BTreeSet};

use cellwright_db::{CellId, IdVec, NetId, PinId, PortId};

/// All constraints of a design.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constraints {
    /// Name that `current_design` gave, if it did.
    pub design: Option<String>,
    /// The units of the file's numbers; everything here is already in ns, pF and kΩ.
    pub units: Units,
    /// Clocks in the order of their definition, generated ones among them.
    pub clocks: IdVec<ClockId, Clock>,
    /// Pins from which clocks are propagated (`set_propagated_clock` on pins and ports).
    pub propagated_pins: BTreeSet<PinId>,
    /// `set_clock_latency` on pins and ports, perhaps of one clock only.
    pub pin_latencies: Vec<PinLatency>,
    /// `set_clock_uncertainty` on pins and ports, ns, `[hold, setup]`.
    pub pin_uncertainty: BTreeMap<PinId, [Option<f64>; 2]>,
    /// `set_clock_uncertainty -from -to`, by (launching, capturing) clock.
    pub inter_clock_uncertainty: BTreeMap<(ClockId, ClockId), EdgePairValues>,
    /// `set_clock_groups`.
    pub clock_groups: Vec<ClockGroups>,
    /// `set_clock_sense` and `set_sense`.
    pub clock_senses: Vec<ClockSense>,
    /// `set_input_delay`, one entry per pin, clock edge and reference pin.
    pub input_delays: Vec<PortDelay>,
    /// `set_output_delay`, likewise.
    pub output_delays: Vec<PortDelay>,
    /// What stands outside each port.
    pub ports: BTreeMap<PortId, PortEnvironment>,
    /// Loads and resistances given to nets.
    pub nets: BTreeMap<NetId, NetEnvironment>,
    /// Path exceptions in the order of their commands.
    pub exceptions: Vec<Exception>,
    /// `set_disable_timing`.
    pub disables: Disables,
    /// `set_case_analysis`.
    pub case: BTreeMap<PinId, CaseValue>,
    /// `set_logic_zero`, `set_logic_one`, `set_logic_dc`.
    pub logic: BTreeMap<PinId, LogicValue>,
    /// `set_clock_gating_check`.
    pub clock_gating: ClockGatingChecks,
    /// `set_data_check`.
    pub data_checks: Vec<DataCheck>,
    /// `set_timing_derate`.
    pub derates: Derates,
    /// Limits of transition, capacitance and fan-out.
    pub limits: Limits,
    /// `set_min_pulse_width`.
    pub min_pulse_width: PulseWidths,
    /// `set_max_time_borrow`.
    pub max_time_borrow: MaxTimeBorrow,
    /// `set_ideal_net` and `set_ideal_network -no_propagate` nets.
    pub ideal_nets: BTreeSet<NetId>,
    /// `set_ideal_network` sources: everything behind them that is reached by logic is ideal.
    pub ideal_networks: BTreeSet<PinId>,
    /// `set_ideal_latency` on pins of ideal networks, ns.
    pub ideal_latency: BTreeMap<PinId, Values>,
    /// `set_ideal_transition` on pins of ideal networks, ns.
    pub ideal_transition: BTreeMap<PinId, Values>,
    /// Wire-load models.
    pub wire_loads: WireLoads,
    /// Operating conditions and analysis type.
    pub operating: OperatingConditions,
    /// `set_voltage`, V: (min, max) of the design and of named power nets.
    pub voltages: Vec<(Option<String>, Option<f64>, Option<f64>)>,
    /// `set_max_area`, in the library's area unit.
    pub max_area: Option<f64>,
    /// Cells that `set_dont_touch` or `set_size_only` names.
    pub dont_touch: BTreeSet<CellId>,
    /// What was understood but could not be kept.
    pub not_supported: Vec<NotSupported>,
}

/// A command that was read and understood but has no place in [`Constraints`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotSupported {
    /// The file's name as it was opened.
    pub file: String,
    /// Line, counted from 1.
    pub line: u32,
    /// The command's name.
    pub command: String,
    /// What was not kept, and what that means.
    pub why: String,
}

impl Constraints {
    /// The clock of a name.
    pub fn find_clock(&self, name: &str) -> Option<ClockId> {
        self.clocks.iter().find(|(_, clock)| clock.name == name).map(|(id, _)| id)
    }
}
