//! What cuts or fixes logic: disabled arcs, constants, clock gating and data checks.

use std::collections::{BTreeMap, BTreeSet};

use cellwright_db::timing::Edge;
use cellwright_db::{CellId, MasterId, MasterPinId, PinId};

use super::{ClockId, MinMax, Values};

/// Arcs of a cell that are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArcDisable<T> {
    /// The cell or the library cell.
    pub of: T,
    /// Only arcs from this pin.
    pub from: Option<MasterPinId>,
    /// Only arcs to this pin.
    pub to: Option<MasterPinId>,
}

/// `set_disable_timing`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disables {
    /// Pins and ports: every arc and wire that starts or ends there.
    pub pins: BTreeSet<PinId>,
    /// Arcs of instances.
    pub cells: BTreeSet<ArcDisable<CellId>>,
    /// Arcs of library cells.
    pub masters: BTreeSet<ArcDisable<MasterId>>,
    /// Pins of library cells: every arc that starts or ends there.
    pub master_pins: BTreeSet<(MasterId, MasterPinId)>,
    /// Wires between a driver and a load pin.
    pub wires: BTreeSet<(PinId, PinId)>,
    /// `set_disable_clock_gating_check` on pins.
    pub gating_pins: BTreeSet<PinId>,
    /// `set_disable_clock_gating_check` on cells.
    pub gating_cells: BTreeSet<CellId>,
}

/// `set_case_analysis`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CaseValue {
    /// Constant 0.
    Zero,
    /// Constant 1.
    One,
    /// Only rises.
    Rising,
    /// Only falls.
    Falling,
}

/// `set_logic_zero`, `set_logic_one`, `set_logic_dc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogicValue {
    /// Always 0.
    Zero,
    /// Always 1.
    One,
    /// Anything.
    DontCare,
}

/// `set_clock_gating_check` of one object.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClockGatingCheck {
    /// ns: min is hold, max is setup; by edge of the enable.
    pub margin: Values,
    /// `-high` (true) or `-low`: the clock level during which the enable must be stable.
    pub high: Option<bool>,
}

/// `set_clock_gating_check`; the narrowest object wins: pin, cell, clock, design.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClockGatingChecks {
    /// For everything.
    pub design: Option<ClockGatingCheck>,
    /// By clock.
    pub clocks: BTreeMap<ClockId, ClockGatingCheck>,
    /// By gating cell.
    pub cells: BTreeMap<CellId, ClockGatingCheck>,
    /// By pin.
    pub pins: BTreeMap<PinId, ClockGatingCheck>,
}

/// `set_data_check`: a setup or hold check between two data pins.
#[derive(Clone, Debug, PartialEq)]
pub struct DataCheck {
    /// The related pin, which acts as clock.
    pub from: PinId,
    /// Its edge; both when `None`.
    pub from_edge: Option<Edge>,
    /// The constrained pin.
    pub to: PinId,
    /// Its edge; both when `None`.
    pub to_edge: Option<Edge>,
    /// Setup (max) or hold (min).
    pub side: MinMax,
    /// ns.
    pub margin: f64,
    /// `-clock`: only when the related signal comes from this clock.
    pub clock: Option<ClockId>,
}
