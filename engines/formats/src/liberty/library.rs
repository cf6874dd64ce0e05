//! What a Liberty file says about a whole library.
//!
//! Units of every number here, whatever the file's own: ns, pF, kΩ, V, mA, mW, °C, µm². Areas are
//! taken as they stand, since Liberty declares no unit for them.

use super::{Cell, TableTemplate};
use std::collections::BTreeMap;

/// A Liberty library as plain data.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Library {
    /// The name in `library (NAME)`.
    pub name: String,
    /// The file that it was read from.
    pub file: String,
    /// What one unit of the file is in ours; the data is already converted.
    pub units: Units,
    /// `delay_model`, such as `table_lookup`.
    pub delay_model: Option<String>,
    /// Process, voltage and temperature that the library was characterised at.
    pub nominal: Pvt,
    /// All `operating_conditions` groups in file order.
    pub operating_conditions: Vec<OperatingConditions>,
    /// `default_operating_conditions`.
    pub default_operating_conditions: Option<String>,
    /// `voltage_map`: supply name and volts, in file order.
    pub voltage_map: Vec<(String, f32)>,
    /// Where on a waveform delays and slews are measured.
    pub thresholds: Thresholds,
    /// Values for pins and cells that do not say.
    pub defaults: Defaults,
    /// `k_*` attributes of the library: how values scale with process, voltage and temperature.
    /// `k_volt_*` is per volt, `k_temp_*` per °C.
    pub k_factors: BTreeMap<String, f32>,
    /// `scaling_factors` groups: name and `k_*` attributes.
    pub scaling_factors: Vec<(String, BTreeMap<String, f32>)>,
    /// `wire_load` groups in file order.
    pub wire_loads: Vec<WireLoad>,
    /// `wire_load_selection` groups in file order.
    pub wire_load_selections: Vec<WireLoadSelection>,
    /// `lu_table_template` groups in file order.
    pub templates: Vec<TableTemplate>,
    /// `type` groups of the library: the bus types.
    pub bus_types: Vec<BusType>,
    /// `bus_naming_style`; bit names in this model are `NAME[BIT]` whatever it is.
    pub bus_naming_style: Option<String>,
    /// `define (attribute, group, type)` statements in file order.
    pub defines: Vec<[String; 3]>,
    /// Cells in file order; of cells with one name the last stays.
    pub cells: Vec<Cell>,
    /// How many groups of each kind that has no place in this model were read and dropped.
    pub dropped: BTreeMap<String, u64>,
}

impl Library {
    /// The cell of a name.
    #[must_use]
    pub fn cell(&self, name: &str) -> Option<&Cell> {
        self.cells.iter().find(|c| c.name == name)
    }

    /// The wire load of a name.
    #[must_use]
    pub fn wire_load(&self, name: &str) -> Option<&WireLoad> {
        self.wire_loads.iter().find(|w| w.name == name)
    }
}

/// What one unit of the file is in ours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Units {
    /// `time_unit` in ns.
    pub time: f64,
    /// `capacitive_load_unit` in pF.
    pub capacitance: f64,
    /// `pulling_resistance_unit` in kΩ.
    pub resistance: f64,
    /// `voltage_unit` in V.
    pub voltage: f64,
    /// `current_unit` in mA.
    pub current: f64,
    /// `leakage_power_unit` in mW.
    pub leakage_power: f64,
}

impl Default for Units {
    /// The values that a file without unit statements is read with: ns, pF, kΩ, V, mA, and nW for
    /// leakage.
    fn default() -> Self {
        Self {
            time: 1.0,
            capacitance: 1.0,
            resistance: 1.0,
            voltage: 1.0,
            current: 1.0,
            leakage_power: 1e-6,
        }
    }
}

/// A process, voltage, temperature point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pvt {
    /// Process factor; 1 is nominal.
    pub process: f32,
    /// Supply voltage, V.
    pub voltage: f32,
    /// Junction temperature, °C.
    pub temperature: f32,
}

impl Default for Pvt {
    fn default() -> Self {
        Self { process: 1.0, voltage: 0.0, temperature: 25.0 }
    }
}

/// An `operating_conditions` group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OperatingConditions {
    /// Its name.
    pub name: String,
    /// Its point.
    pub pvt: Pvt,
    /// Where the wire's capacitance sits for wire-load delays.
    pub tree_type: Option<TreeType>,
}

/// `tree_type` of operating conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeType {
    /// `best_case_tree`: the loads sit at the driver, no wire resistance.
    BestCase,
    /// `balanced_tree`: each load has an equal share of the wire.
    Balanced,
    /// `worst_case_tree`: the loads sit at the far end of the wire.
    WorstCase,
}

/// Where delays and slews are measured, as fractions of the swing (0 to 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// `input_threshold_pct_rise` / 100.
    pub input_rise: f32,
    /// `input_threshold_pct_fall` / 100.
    pub input_fall: f32,
    /// `output_threshold_pct_rise` / 100.
    pub output_rise: f32,
    /// `output_threshold_pct_fall` / 100.
    pub output_fall: f32,
    /// `slew_lower_threshold_pct_rise` / 100.
    pub slew_lower_rise: f32,
    /// `slew_lower_threshold_pct_fall` / 100.
    pub slew_lower_fall: f32,
    /// `slew_upper_threshold_pct_rise` / 100.
    pub slew_upper_rise: f32,
    /// `slew_upper_threshold_pct_fall` / 100.
    pub slew_upper_fall: f32,
    /// `slew_derate_from_library`: table slews times this are the slews between the thresholds.
    pub slew_derate: f32,
}

impl Default for Thresholds {
    /// The defaults of the Liberty Reference Manual: 50 %, 20 %, 80 %, derate 1.
    fn default() -> Self {
        Self {
            input_rise: 0.5,
            input_fall: 0.5,
            output_rise: 0.5,
            output_fall: 0.5,
            slew_lower_rise: 0.2,
            slew_lower_fall: 0.2,
            slew_upper_rise: 0.8,
            slew_upper_fall: 0.8,
            slew_derate: 1.0,
        }
    }
}

/// `default_*` attributes of the library.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Defaults {
    /// `default_max_transition`, ns.
    pub max_transition: Option<f32>,
    /// `default_max_fanout`, in fan-out loads.
    pub max_fanout: Option<f32>,
    /// `default_max_capacitance`, pF.
    pub max_capacitance: Option<f32>,
    /// `default_fanout_load`, in fan-out loads.
    pub fanout_load: Option<f32>,
    /// `default_input_pin_cap`, pF.
    pub input_pin_cap: Option<f32>,
    /// `default_output_pin_cap`, pF.
    pub output_pin_cap: Option<f32>,
    /// `default_inout_pin_cap`, pF.
    pub inout_pin_cap: Option<f32>,
    /// `default_cell_leakage_power`, mW.
    pub cell_leakage_power: Option<f32>,
    /// `default_leakage_power_density`, mW per µm².
    pub leakage_power_density: Option<f32>,
    /// `default_wire_load`, a name.
    pub wire_load: Option<String>,
    /// `default_wire_load_mode`: `top`, `segmented` or `enclosed`.
    pub wire_load_mode: Option<String>,
    /// `default_wire_load_selection`, a name.
    pub wire_load_selection: Option<String>,
    /// `default_threshold_voltage_group`.
    pub threshold_voltage_group: Option<String>,
}

/// A `wire_load` group: wire parasitics guessed from fan-out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WireLoad {
    /// Its name.
    pub name: String,
    /// kΩ per unit of length.
    pub resistance: f32,
    /// pF per unit of length.
    pub capacitance: f32,
    /// Area per unit of length.
    pub area: f32,
    /// Length per fan-out beyond the last entry of `fanout_length`.
    pub slope: f32,
    /// Fan-out and length, by rising fan-out.
    pub fanout_length: Vec<(f32, f32)>,
}

/// A `wire_load_selection` group: which wire load belongs to which cell area.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WireLoadSelection {
    /// Its name; may be empty.
    pub name: String,
    /// `wire_load_from_area`: least area, greatest area, wire load, in file order.
    pub from_area: Vec<(f32, f32, String)>,
}

/// A `type` group: a range of bus bits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BusType {
    /// Its name.
    pub name: String,
    /// First bit.
    pub from: i32,
    /// Last bit; below `from` for a descending bus.
    pub to: i32,
}
