//! Which command is what.

use cellwright_sta::constraints::{LogicValue, MinMax};

use super::state::Reader;
use super::tcl::{Meter, Res, Value};

impl Reader<'_> {
    /// Runs a command; `None` when it is not known.
    pub(super) fn dispatch(
        &mut self,
        name: &str,
        args: &[Value],
        meter: &mut Meter,
    ) -> Option<Res> {
        Some(match name {
            "create_clock" => self.create_clock(args, meter),
            "create_generated_clock" => self.create_generated_clock(args, meter),
            "set_clock_latency" => self.set_clock_latency(args, meter),
            "set_propagated_clock" => self.set_propagated_clock(args, true, meter),
            "unset_propagated_clock" => self.set_propagated_clock(args, false, meter),
            "set_clock_uncertainty" => self.set_clock_uncertainty(args, meter),
            "set_clock_transition" => self.set_clock_transition(args, meter),
            "set_clock_groups" => self.set_clock_groups(args, meter),
            "set_sense" | "set_clock_sense" => self.set_sense(args, meter),
            "set_input_delay" => self.set_port_delay(true, args, meter),
            "set_output_delay" => self.set_port_delay(false, args, meter),
            "set_input_transition" => self.set_input_transition(args, meter),
            "set_drive" => self.set_drive(args, meter),
            "set_driving_cell" => self.set_driving_cell(args, meter),
            "set_load" => self.set_load(args, meter),
            "set_resistance" => self.set_resistance(args, meter),
            "set_port_fanout_number" => self.set_port_fanout_number(args, meter),
            "set_fanout_load" => self.set_fanout_load(args, meter),
            "set_data_check" => self.set_data_check(args, meter),
            "set_false_path" => self.set_false_path(args, meter),
            "set_multicycle_path" => self.set_multicycle_path(args, meter),
            "set_max_delay" => self.set_path_delay(MinMax::Max, args, meter),
            "set_min_delay" => self.set_path_delay(MinMax::Min, args, meter),
            "group_path" => self.group_path(args, meter),
            "reset_path" => self.reset_path(args, meter),
            "set_disable_timing" => self.set_disable_timing(args, meter),
            "set_case_analysis" => self.set_case_analysis(args, meter),
            "set_logic_zero" => self.set_logic(LogicValue::Zero, args, meter),
            "set_logic_one" => self.set_logic(LogicValue::One, args, meter),
            "set_logic_dc" => self.set_logic(LogicValue::DontCare, args, meter),
            "set_clock_gating_check" => self.set_clock_gating_check(args, meter),
            "set_disable_clock_gating_check" => self.set_disable_clock_gating_check(args, meter),
            "set_timing_derate" => self.set_timing_derate(args, meter),
            "set_min_pulse_width" => self.set_min_pulse_width(args, meter),
            "set_max_time_borrow" => self.set_max_time_borrow(args, meter),
            "set_max_transition"
            | "set_min_transition"
            | "set_max_capacitance"
            | "set_min_capacitance"
            | "set_max_fanout"
            | "set_min_fanout" => self.set_limit(name, args, meter),
            "set_ideal_network" => self.set_ideal_network(args, meter),
            "set_ideal_net" => self.set_ideal_net(args, meter),
            "set_ideal_latency" => self.set_ideal_value(true, args, meter),
            "set_ideal_transition" => self.set_ideal_value(false, args, meter),
            "set_units" => self.set_units(args),
            "set_operating_conditions" => self.set_operating_conditions(args),
            "set_wire_load_model" => self.set_wire_load_model(args, false),
            "set_wire_load_selection_group" => self.set_wire_load_model(args, true),
            "set_wire_load_mode" => self.set_wire_load_mode(args),
            "set_wire_load_min_block_size" => self.set_wire_load_min_block_size(args),
            "set_voltage" => self.set_voltage(args),
            "set_max_area" => self.set_max_area(args),
            "set_dont_touch" | "set_size_only" => self.set_dont_touch(args, meter),
            // Known commands of SDC 2.1 and of synthesis that say nothing about timing here.
            "set_dont_use"
            | "set_max_dynamic_power"
            | "set_max_leakage_power"
            | "set_level_shifter_strategy"
            | "set_level_shifter_threshold"
            | "create_voltage_area"
            | "set_hierarchy_separator"
            | "set_annotated_delay"
            | "set_dont_touch_network" => {
                self.not_kept("understood, but nothing here makes use of it");
                Ok(Value::default())
            }
            "set_sdc_version" | "sdc_version" => Ok(Value::default()),
            _ => return self.query_command(name, args, meter),
        })
    }
}
