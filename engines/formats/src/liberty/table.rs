//! Lookup tables and their templates.

/// What an axis of a table means, with our unit of its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AxisVariable {
    /// `input_net_transition` or `input_transition_time`, ns.
    InputTransition,
    /// `total_output_net_capacitance`, pF.
    OutputCapacitance,
    /// `constrained_pin_transition`, ns.
    ConstrainedTransition,
    /// `related_pin_transition`, ns.
    RelatedTransition,
    /// `related_out_total_output_net_capacitance`, pF.
    RelatedOutputCapacitance,
    /// `equal_or_opposite_output_net_capacitance`, pF.
    EqualOrOppositeCapacitance,
    /// `output_net_length` or `related_out_output_net_length`, in the library's length unit.
    NetLength,
    /// `output_net_wire_cap` or `related_out_output_net_wire_cap`, pF.
    WireCapacitance,
    /// `output_net_pin_cap` or `related_out_output_net_pin_cap`, pF.
    PinCapacitance,
    /// `output_transition` or `connect_delay`, ns.
    Time,
    /// A variable of a table that this model does not use; points are as in the file.
    Other,
}

impl AxisVariable {
    /// The variable of Liberty's name.
    #[must_use]
    pub fn parse(name: &str) -> Self {
        match name {
            "input_net_transition" | "input_transition_time" => Self::InputTransition,
            "total_output_net_capacitance" => Self::OutputCapacitance,
            "constrained_pin_transition" => Self::ConstrainedTransition,
            "related_pin_transition" => Self::RelatedTransition,
            "related_out_total_output_net_capacitance" => Self::RelatedOutputCapacitance,
            "equal_or_opposite_output_net_capacitance" => Self::EqualOrOppositeCapacitance,
            "output_net_length" | "related_out_output_net_length" => Self::NetLength,
            "output_net_wire_cap" | "related_out_output_net_wire_cap" => Self::WireCapacitance,
            "output_net_pin_cap" | "related_out_output_net_pin_cap" => Self::PinCapacitance,
            "output_transition" | "connect_delay" | "time" => Self::Time,
            _ => Self::Other,
        }
    }
}

/// A `lu_table_template` group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableTemplate {
    /// Its name.
    pub name: String,
    /// Its axes, from the slowest (`variable_1`) to the fastest; points are those of `index_N`, and
    /// may be empty where each table gives its own.
    pub axes: Vec<Axis>,
}

/// One axis of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it means.
    pub variable: AxisVariable,
    /// Its points, in our unit of the variable.
    pub points: Vec<f32>,
}

/// A table of 0 to 3 dimensions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The axes, from the slowest to the fastest. None at all for a single value.
    pub axes: Vec<Axis>,
    /// The values, row by row: the last axis runs fastest. Their count is the product of the axes'
    /// lengths.
    pub values: Vec<f32>,
}

impl Table {
    /// The value at one point per axis; `None` outside the table.
    #[must_use]
    pub fn at(&self, index: &[usize]) -> Option<f32> {
        if index.len() != self.axes.len() {
            return None;
        }
        let mut flat = 0usize;
        for (axis, &i) in self.axes.iter().zip(index) {
            if i >= axis.points.len() {
                return None;
            }
            flat = flat * axis.points.len() + i;
        }
        self.values.get(flat).copied()
    }
}
