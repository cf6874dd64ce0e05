//! What surrounds the design: loads, drives, wire-load models, operating conditions, units.

use cellwright_db::{MasterId, MasterPinId};

use super::Values;

/// What stands outside a port.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortEnvironment {
    /// `set_driving_cell`, `[min, max][rise, fall]`.
    pub driving_cell: [[Option<DrivingCell>; 2]; 2],
    /// `set_drive` / `set_resistance` on an input port, kΩ.
    pub drive_resistance: Values,
    /// `set_input_transition`, ns.
    pub input_transition: Values,
    /// `set_load -pin_load` (also without an option), pF.
    pub pin_load: Values,
    /// `set_load -wire_load`, pF.
    pub wire_load: Values,
    /// `set_port_fanout_number`, `[min, max]`.
    pub fanout: [Option<f64>; 2],
    /// `set_fanout_load`: fan-out that an output port counts as.
    pub fanout_load: Option<f64>,
}

/// `set_driving_cell`: the library cell that drives an input port.
#[derive(Clone, Debug, PartialEq)]
pub struct DrivingCell {
    /// The cell.
    pub master: MasterId,
    /// `-library`.
    pub library: Option<String>,
    /// `-from_pin`; `None` takes the first input with an arc to the output.
    pub from_pin: Option<MasterPinId>,
    /// `-pin`; `None` where the cell has one output only.
    pub to_pin: Option<MasterPinId>,
    /// Slews at `from_pin`, ns, `[rise, fall]` (`-input_transition_rise`, `_fall`); 0 by default.
    pub from_slews: [f64; 2],
    /// `-multiply_by`: how many such cells' delay; 1 by default.
    pub multiply_by: f64,
    /// `-dont_scale`.
    pub dont_scale: bool,
    /// `-no_design_rule`: the cell's limits do not bind the port.
    pub no_design_rule: bool,
}

/// What was given to a net.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetEnvironment {
    /// `set_load`: capacitance of the wire, pF, `[min, max]`; pins add to it.
    pub wire_load: [Option<f64>; 2],
    /// `-subtract_pin_load`: pins are already in `wire_load`.
    pub subtract_pin_load: bool,
    /// `set_resistance`, kΩ, `[min, max]`.
    pub resistance: [Option<f64>; 2],
}

/// `set_wire_load_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WireLoadMode {
    /// One model for all nets.
    Top,
    /// The model of the block that holds the whole net.
    Enclosed,
    /// The model of each block that the net crosses.
    Segmented,
}

/// A wire-load model by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireLoadChoice {
    /// `-library`.
    pub library: Option<String>,
    /// `-name` / `-model_name`.
    pub name: String,
}

/// Wire-load models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WireLoads {
    /// `set_wire_load_model`, `[min, max]`.
    pub model: [Option<WireLoadChoice>; 2],
    /// `set_wire_load_mode`.
    pub mode: Option<WireLoadMode>,
    /// `set_wire_load_selection_group`, `[min, max]`.
    pub selection: [Option<WireLoadChoice>; 2],
    /// `set_wire_load_min_block_size`, in the library's area unit.
    pub min_block_size: Option<f64>,
}

/// `set_operating_conditions -analysis_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnalysisType {
    /// `single`.
    Single,
    /// `bc_wc`: best case and worst case, each on its own.
    BestCaseWorstCase,
    /// `on_chip_variation`.
    OnChipVariation,
}

/// `set_operating_conditions`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperatingConditions {
    /// Analysis type.
    pub analysis: Option<AnalysisType>,
    /// Names of the conditions, `[min, max]`.
    pub names: [Option<String>; 2],
    /// Libraries that define them, `[min, max]`.
    pub libraries: [Option<String>; 2],
}

/// The units in which a file's numbers are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// ns per time unit.
    pub time: f64,
    /// pF per capacitance unit.
    pub capacitance: f64,
    /// kΩ per resistance unit.
    pub resistance: f64,
    /// V per voltage unit.
    pub voltage: f64,
    /// mA per current unit.
    pub current: f64,
    /// mW per power unit.
    pub power: f64,
    /// µm per distance unit.
    pub distance: f64,
}

impl Default for Units {
    /// ns, pF, kΩ, V, mA, mW, µm.
    fn default() -> Self {
        Units {
            time: 1.0,
            capacitance: 1.0,
            resistance: 1.0,
            voltage: 1.0,
            current: 1.0,
            power: 1.0,
            distance: 1.0,
        }
    }
}
