//! Design rules: limits of transition, capacitance, fan-out, pulse width and time borrowing.

use std::collections::BTreeMap;

use cellwright_db::{CellId, MasterId, MasterPinId, PinId};

use super::ClockId;

/// A limit by object; the tightest of all that concern a pin holds, the library's included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimitSet {
    /// `current_design`.
    pub design: Option<f64>,
    /// Ports and pins.
    pub pins: BTreeMap<PinId, f64>,
    /// Pins of cells (`set_max_capacitance` and the like on a cell: its outputs).
    pub cells: BTreeMap<CellId, f64>,
    /// Pins of library cells.
    pub master_pins: BTreeMap<(MasterId, MasterPinId), f64>,
}

impl LimitSet {
    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// `set_max_transition` on a clock, ns: `[clock path, data path][rise, fall]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClockLimit {
    /// `None` where nothing was given.
    pub by: [[Option<f64>; 2]; 2],
}

/// Limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// `set_max_transition`, ns.
    pub max_transition: LimitSet,
    /// `set_max_transition` on clocks.
    pub max_transition_clocks: BTreeMap<ClockId, ClockLimit>,
    /// `set_min_transition`, ns.
    pub min_transition: LimitSet,
    /// `set_max_capacitance`, pF.
    pub max_capacitance: LimitSet,
    /// `set_min_capacitance`, pF.
    pub min_capacitance: LimitSet,
    /// `set_max_fanout`, fan-out loads.
    pub max_fanout: LimitSet,
    /// `set_min_fanout`, fan-out loads.
    pub min_fanout: LimitSet,
}

/// `set_min_pulse_width`, ns, `[high, low]`; the narrowest object wins: pin, cell, clock, design.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PulseWidths {
    /// For everything.
    pub design: [Option<f64>; 2],
    /// By clock.
    pub clocks: BTreeMap<ClockId, [Option<f64>; 2]>,
    /// By cell.
    pub cells: BTreeMap<CellId, [Option<f64>; 2]>,
    /// By pin.
    pub pins: BTreeMap<PinId, [Option<f64>; 2]>,
}

/// `set_max_time_borrow`, ns; the narrowest object wins: pin, cell, clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaxTimeBorrow {
    /// By clock.
    pub clocks: BTreeMap<ClockId, f64>,
    /// By latch cell.
    pub cells: BTreeMap<CellId, f64>,
    /// By latch data or enable pin.
    pub pins: BTreeMap<PinId, f64>,
}
