//! Writing exceptions, the environment, checks and limits.

use std::collections::BTreeMap;

use cellwright_db::PinId;
use cellwright_db::timing::Edge;
use cellwright_sta::constraints::{
    AnalysisType, CaseValue, ClockGatingCheck, DerateSet, DrivingCell, Exception, ExceptionKind,
    LimitSet, LogicValue, MinMax, PathPoint, WireLoadChoice, WireLoadMode,
};

use super::write::{EDGES, SIDES, Writer, number, word};

impl Writer<'_> {
    pub(super) fn write_exceptions(&mut self) {
        for exception in &self.c.exceptions {
            self.exception(exception);
        }
    }

    fn exception(&mut self, e: &Exception) {
        let checks = match e.checks {
            [true, false] => " -hold",
            [false, true] => " -setup",
            _ => "",
        };
        let (command, last) = match &e.kind {
            ExceptionKind::FalsePath => (format!("set_false_path{checks}"), String::new()),
            ExceptionKind::Multicycle { cycles, end_clock } => {
                // Without an option the number would be that of setup alone.
                let checks = if e.checks == [true, true] { " -setup -hold" } else { checks };
                let clock = if *end_clock { " -end" } else { " -start" };
                (format!("set_multicycle_path{checks}{clock}"), format!(" {cycles}"))
            }
            ExceptionKind::PathDelay { side, delay, ignore_clock_latency, probe } => {
                let name = if *side == MinMax::Max { "set_max_delay" } else { "set_min_delay" };
                let ignore = if *ignore_clock_latency { " -ignore_clock_latency" } else { "" };
                let probe = if *probe { " -probe" } else { "" };
                (format!("{name}{ignore}{probe}"), format!(" {}", self.time(*delay)))
            }
            ExceptionKind::Group { name, weight, critical_range } => {
                let mut text = match name {
                    Some(name) => format!("group_path -name {}", word(name)),
                    None => "group_path -default".into(),
                };
                if *weight != 1.0 {
                    text.push_str(&format!(" -weight {}", number(*weight)));
                }
                if let Some(range) = critical_range {
                    text.push_str(&format!(" -critical_range {}", self.time(*range)));
                }
                (text, String::new())
            }
        };
        let mut text = command;
        text.push_str(match e.end_edges {
            [true, false] => " -rise",
            [false, true] => " -fall",
            _ => "",
        });
        if let Some(from) = &e.from {
            text.push_str(&self.point("from", from));
        }
        for through in &e.through {
            text.push_str(&self.point("through", through));
        }
        if let Some(to) = &e.to {
            text.push_str(&self.point("to", to));
        }
        text.push_str(&last);
        self.line(text);
    }

    fn point(&self, what: &str, point: &PathPoint) -> String {
        let edge = match point.edges {
            [true, false] => "rise_",
            [false, true] => "fall_",
            _ => "",
        };
        let mut items: Vec<String> = point.clocks.iter().map(|c| self.clock(*c)).collect();
        items.extend(point.cells.iter().map(|cell| self.cell(*cell)));
        items.extend(point.pins.iter().map(|pin| self.pin(*pin)));
        items.extend(point.nets.iter().map(|net| self.net(*net)));
        format!(" \\\n  -{edge}{what} {}", super::write::join(items.into_iter()))
    }

    pub(super) fn write_environment(&mut self) {
        let c = self.c;
        let operating = &c.operating;
        let mut text = String::from("set_operating_conditions");
        if let Some(analysis) = operating.analysis {
            text.push_str(match analysis {
                AnalysisType::Single => " -analysis_type single",
                AnalysisType::BestCaseWorstCase => " -analysis_type bc_wc",
                AnalysisType::OnChipVariation => " -analysis_type on_chip_variation",
            });
        }
        for (index, side) in SIDES.iter().enumerate() {
            if let Some(name) = &operating.names[index] {
                text.push_str(&format!("{side} {}", word(name)));
            }
            if let Some(library) = &operating.libraries[index] {
                text.push_str(&format!("{side}_library {}", word(library)));
            }
        }
        if text.contains(' ') {
            self.line(text);
        }
        self.wire_loads();
        for (port, env) in &c.ports {
            let target = self.port(*port);
            self.values(&env.pin_load, |w, flags, value| {
                format!("set_load -pin_load{flags} {} {target}", w.cap(value))
            });
            self.values(&env.wire_load, |w, flags, value| {
                format!("set_load -wire_load{flags} {} {target}", w.cap(value))
            });
            self.pair(env.fanout, [" -min", " -max"], |_, flag, value| {
                format!("set_port_fanout_number{flag} {} {target}", number(value))
            });
            if let Some(load) = env.fanout_load {
                let text = format!("set_fanout_load {} {target}", number(load));
                self.line(text);
            }
            self.values(&env.drive_resistance, |w, flags, value| {
                format!("set_drive{flags} {} {target}", w.res(value))
            });
            self.driving_cells(&env.driving_cell, &target);
            self.values(&env.input_transition, |w, flags, value| {
                format!("set_input_transition{flags} {} {target}", w.time(value))
            });
        }
        for (net, env) in &c.nets {
            let target = self.net(*net);
            let subtract = if env.subtract_pin_load { " -subtract_pin_load" } else { "" };
            self.pair(env.wire_load, [" -min", " -max"], |w, flag, value| {
                format!("set_load{flag}{subtract} {} {target}", w.cap(value))
            });
            self.pair(env.resistance, [" -min", " -max"], |w, flag, value| {
                format!("set_resistance{flag} {} {target}", w.res(value))
            });
        }
        for (name, min, max) in &c.voltages {
            let Some(max) = max else { continue };
            let min = min.map_or(String::new(), |v| format!(" -min {}", self.volt(v)));
            let list =
                name.as_ref().map_or(String::new(), |n| format!(" -object_list {}", word(n)));
            let text = format!("set_voltage{min}{list} {}", self.volt(*max));
            self.line(text);
        }
        if let Some(area) = c.max_area {
            let text = format!("set_max_area {}", number(area));
            self.line(text);
        }
        for cell in &c.dont_touch {
            let text = format!("set_dont_touch {}", self.cell(*cell));
            self.line(text);
        }
    }

    fn volt(&self, value: f64) -> String {
        self.scaled(value, self.units.voltage)
    }

    fn wire_loads(&mut self) {
        let loads = &self.c.wire_loads;
        if let Some(mode) = loads.mode {
            self.line(match mode {
                WireLoadMode::Top => "set_wire_load_mode top",
                WireLoadMode::Enclosed => "set_wire_load_mode enclosed",
                WireLoadMode::Segmented => "set_wire_load_mode segmented",
            });
        }
        for (command, choices) in [
            ("set_wire_load_model -name", &loads.model),
            ("set_wire_load_selection_group -name", &loads.selection),
        ] {
            let same = choices[0] == choices[1];
            for (side, choice) in SIDES.iter().zip(choices).skip(usize::from(same)) {
                if let Some(WireLoadChoice { library, name }) = choice {
                    let side = if same { "" } else { side };
                    let library = library
                        .as_ref()
                        .map_or(String::new(), |l| format!(" -library {}", word(l)));
                    let text = format!("{command} {}{library}{side}", word(name));
                    self.line(text);
                }
            }
        }
        if let Some(size) = loads.min_block_size {
            let text = format!("set_wire_load_min_block_size {}", number(size));
            self.line(text);
        }
    }

    fn driving_cells(&mut self, cells: &[[Option<DrivingCell>; 2]; 2], target: &str) {
        let first = &cells[0][0];
        if first.is_some() && cells.iter().flatten().all(|cell| cell == first) {
            if let Some(cell) = first {
                self.driving_cell(cell, "", target);
            }
            return;
        }
        for (edge, edge_flag) in EDGES.iter().enumerate() {
            if cells[0][edge] == cells[1][edge] {
                if let Some(cell) = &cells[0][edge] {
                    self.driving_cell(cell, edge_flag, target);
                }
                continue;
            }
            for (side, side_flag) in SIDES.iter().enumerate() {
                if let Some(cell) = &cells[side][edge] {
                    self.driving_cell(cell, &format!("{edge_flag}{side_flag}"), target);
                }
            }
        }
    }

    fn driving_cell(&mut self, cell: &DrivingCell, flags: &str, target: &str) {
        let name = self.design.library().masters.get(cell.master).map_or("", |m| &m.name);
        let mut text = format!("set_driving_cell{flags} -lib_cell {}", word(name));
        if let Some(library) = &cell.library {
            text.push_str(&format!(" -library {}", word(library)));
        }
        for (key, pin) in [("-from_pin", cell.from_pin), ("-pin", cell.to_pin)] {
            if let Some(pin) = pin {
                text.push_str(&format!(" {key} {}", word(self.master_pin(cell.master, pin))));
            }
        }
        for (key, slew) in [
            ("-input_transition_rise", cell.from_slews[0]),
            ("-input_transition_fall", cell.from_slews[1]),
        ] {
            text.push_str(&format!(" {key} {}", self.time(slew)));
        }
        if cell.multiply_by != 1.0 {
            text.push_str(&format!(" -multiply_by {}", number(cell.multiply_by)));
        }
        for (flag, on) in
            [(" -dont_scale", cell.dont_scale), (" -no_design_rule", cell.no_design_rule)]
        {
            text.push_str(if on { flag } else { "" });
        }
        text.push_str(&format!(" {target}"));
        self.line(text);
    }

    pub(super) fn write_checks(&mut self) {
        self.disables();
        for (pin, value) in &self.c.case {
            let value = match value {
                CaseValue::Zero => "0",
                CaseValue::One => "1",
                CaseValue::Rising => "rising",
                CaseValue::Falling => "falling",
            };
            let text = format!("set_case_analysis {value} {}", self.pin(*pin));
            self.line(text);
        }
        for (pin, value) in &self.c.logic {
            let command = match value {
                LogicValue::Zero => "set_logic_zero",
                LogicValue::One => "set_logic_one",
                LogicValue::DontCare => "set_logic_dc",
            };
            let text = format!("{command} {}", self.pin(*pin));
            self.line(text);
        }
        for net in &self.c.ideal_nets {
            let text = format!("set_ideal_net {}", self.net(*net));
            self.line(text);
        }
        for pin in &self.c.ideal_networks {
            let text = format!("set_ideal_network {}", self.pin(*pin));
            self.line(text);
        }
        let c = self.c;
        for (command, map) in
            [("set_ideal_latency", &c.ideal_latency), ("set_ideal_transition", &c.ideal_transition)]
        {
            for (pin, values) in map {
                let target = self.pin(*pin);
                self.values(values, |w, flags, value| {
                    format!("{command}{flags} {} {target}", w.time(value))
                });
            }
        }
        self.gating();
        self.data_checks();
        self.derates();
        self.limits();
        self.pulses();
    }

    fn disables(&mut self) {
        let disables = &self.c.disables;
        for pin in &disables.pins {
            let text = format!("set_disable_timing {}", self.pin(*pin));
            self.line(text);
        }
        for arc in &disables.cells {
            let ends = self.arc_ends(self.design.master_id(arc.of), arc.from, arc.to);
            let text = format!("set_disable_timing{ends} {}", self.cell(arc.of));
            self.line(text);
        }
        for arc in &disables.masters {
            let ends = self.arc_ends(arc.of, arc.from, arc.to);
            let text = format!("set_disable_timing{ends} {}", self.master(arc.of));
            self.line(text);
        }
        for (master, pin) in &disables.master_pins {
            let text = format!("set_disable_timing {}", self.lib_pin(*master, *pin));
            self.line(text);
        }
        for pin in &disables.gating_pins {
            let text = format!("set_disable_clock_gating_check {}", self.pin(*pin));
            self.line(text);
        }
        for cell in &disables.gating_cells {
            let text = format!("set_disable_clock_gating_check {}", self.cell(*cell));
            self.line(text);
        }
    }

    fn lib_pin(&self, master: cellwright_db::MasterId, pin: cellwright_db::MasterPinId) -> String {
        let name = self.design.library().masters.get(master).map_or("", |m| &m.name);
        format!(
            "[get_lib_pins {}]",
            super::write::braced(&format!("{name}/{}", self.master_pin(master, pin)))
        )
    }

    fn arc_ends(
        &self,
        master: cellwright_db::MasterId,
        from: Option<cellwright_db::MasterPinId>,
        to: Option<cellwright_db::MasterPinId>,
    ) -> String {
        let mut text = String::new();
        for (key, pin) in [("-from", from), ("-to", to)] {
            if let Some(pin) = pin {
                text.push_str(&format!(" {key} {}", word(self.master_pin(master, pin))));
            }
        }
        text
    }

    fn gating(&mut self) {
        let gating = &self.c.clock_gating;
        let mut all: Vec<(ClockGatingCheck, String)> = Vec::new();
        all.extend(gating.design.map(|check| (check, String::new())));
        all.extend(gating.clocks.iter().map(|(id, check)| (*check, self.clock(*id))));
        all.extend(gating.cells.iter().map(|(id, check)| (*check, self.cell(*id))));
        all.extend(gating.pins.iter().map(|(id, check)| (*check, self.pin(*id))));
        for (check, target) in all {
            let level = match check.high {
                Some(true) => " -high",
                Some(false) => " -low",
                None => "",
            };
            for (edge, edge_flag) in EDGES.iter().enumerate() {
                let mut text = format!("set_clock_gating_check{edge_flag}");
                for (key, value) in
                    [("-hold", check.margin.by[0][edge]), ("-setup", check.margin.by[1][edge])]
                {
                    if let Some(value) = value {
                        text.push_str(&format!(" {key} {}", self.time(value)));
                    }
                }
                self.line(format!("{text}{level} {target}"));
            }
        }
    }

    fn data_checks(&mut self) {
        for check in &self.c.data_checks {
            let edge = |edge: Option<Edge>| match edge {
                Some(Edge::Rise) => "rise_",
                Some(Edge::Fall) => "fall_",
                None => "",
            };
            let side = if check.side == MinMax::Max { "-setup" } else { "-hold" };
            let clock = check.clock.map_or(String::new(), |c| format!(" -clock {}", self.clock(c)));
            let text = format!(
                "set_data_check -{}from {} -{}to {} {side}{clock} {}",
                edge(check.from_edge),
                self.pin(check.from),
                edge(check.to_edge),
                self.pin(check.to),
                self.time(check.margin)
            );
            self.line(text);
        }
    }

    fn derates(&mut self) {
        let derates = &self.c.derates;
        let mut all: Vec<(DerateSet, String)> = vec![(derates.design, String::new())];
        all.extend(derates.masters.iter().map(|(id, set)| (*set, self.master(*id))));
        all.extend(derates.cells.iter().map(|(id, set)| (*set, self.cell(*id))));
        all.extend(derates.nets.iter().map(|(id, set)| (*set, self.net(*id))));
        for (set, target) in all {
            let kinds = ["-cell_delay", "-cell_check", "-net_delay"];
            for (kind, by_path) in kinds.iter().zip(&set.factor) {
                for (side, side_flag) in [" -early", " -late"].iter().enumerate() {
                    let cases: Vec<Option<f64>> =
                        by_path.iter().flat_map(|by_side| by_side[side]).collect();
                    // One command where clock and data paths and both edges agree.
                    if let Some(Some(first)) = cases.first()
                        && cases.iter().all(|case| *case == Some(*first))
                    {
                        self.line(format!(
                            "set_timing_derate {kind}{side_flag} {} {target}",
                            number(*first)
                        ));
                        continue;
                    }
                    for (path, by_side) in [" -clock", " -data"].iter().zip(by_path) {
                        for (edge, factor) in EDGES.iter().zip(by_side[side]) {
                            if let Some(factor) = factor {
                                self.line(format!(
                                    "set_timing_derate {kind}{path}{edge}{side_flag} {} {target}",
                                    number(factor)
                                ));
                            }
                        }
                    }
                }
            }
        }
    }

    fn limits(&mut self) {
        let limits = &self.c.limits;
        let (time, cap) = (self.units.time, self.units.capacitance);
        for (command, set, unit) in [
            ("set_max_transition", &limits.max_transition, time),
            ("set_min_transition", &limits.min_transition, time),
            ("set_max_capacitance", &limits.max_capacitance, cap),
            ("set_min_capacitance", &limits.min_capacitance, cap),
            ("set_max_fanout", &limits.max_fanout, 1.0),
            ("set_min_fanout", &limits.min_fanout, 1.0),
        ] {
            self.limit_set(command, set, unit);
        }
        for (clock, limit) in &limits.max_transition_clocks {
            let target = self.clock(*clock);
            for (path, row) in [" -clock_path", " -data_path"].iter().zip(limit.by) {
                self.pair(row, EDGES, |w, edge, value| {
                    format!("set_max_transition{path}{edge} {} {target}", w.time(value))
                });
            }
        }
    }

    fn limit_set(&mut self, command: &str, set: &LimitSet, unit: f64) {
        let mut all: Vec<(f64, String)> = Vec::new();
        all.extend(set.design.map(|value| (value, "[current_design]".to_owned())));
        all.extend(set.pins.iter().map(|(id, value)| (*value, self.pin(*id))));
        all.extend(set.cells.iter().map(|(id, value)| (*value, self.cell(*id))));
        all.extend(set.master_pins.iter().map(|((m, p), v)| (*v, self.lib_pin(*m, *p))));
        for (value, target) in all {
            let text = format!("{command} {} {target}", self.scaled(value, unit));
            self.line(text);
        }
    }

    fn pulses(&mut self) {
        let widths = &self.c.min_pulse_width;
        let mut all: Vec<([Option<f64>; 2], String)> = vec![(widths.design, String::new())];
        all.extend(widths.clocks.iter().map(|(id, pair)| (*pair, self.clock(*id))));
        all.extend(widths.cells.iter().map(|(id, pair)| (*pair, self.cell(*id))));
        all.extend(widths.pins.iter().map(|(id, pair)| (*pair, self.pin(*id))));
        for (pair, target) in all {
            self.pair(pair, [" -high", " -low"], |w, flag, value| {
                format!("set_min_pulse_width{flag} {} {target}", w.time(value))
            });
        }
        let borrow = &self.c.max_time_borrow;
        let mut all: Vec<(f64, String)> = Vec::new();
        all.extend(borrow.clocks.iter().map(|(id, value)| (*value, self.clock(*id))));
        all.extend(borrow.cells.iter().map(|(id, value)| (*value, self.cell(*id))));
        all.extend(pins_of(&borrow.pins).map(|(id, value)| (value, self.pin(id))));
        for (value, target) in all {
            let text = format!("set_max_time_borrow {} {target}", self.time(value));
            self.line(text);
        }
    }
}

fn pins_of(map: &BTreeMap<PinId, f64>) -> impl Iterator<Item = (PinId, f64)> + '_ {
    map.iter().map(|(pin, value)| (*pin, *value))
}
