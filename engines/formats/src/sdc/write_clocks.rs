//! Writing clocks and delays against them.

use cellwright_db::timing::Edge;
use cellwright_sta::constraints::{
    Clock, ClockId, ClockRelation, ClockSenseKind, GeneratedClock, GeneratedShape, Latency,
    PortDelay,
};

use super::write::{SIDES, Writer, number, word};

impl Writer<'_> {
    pub(super) fn write_clocks(&mut self) {
        for (id, clock) in self.c.clocks.iter() {
            match &clock.generated {
                Some(generated) => self.generated(clock, generated),
                None => self.plain_clock(clock),
            }
            self.clock_facts(id, clock);
        }
        for pin in &self.c.propagated_pins {
            let text = format!("set_propagated_clock {}", self.pin(*pin));
            self.line(text);
        }
        for entry in &self.c.pin_latencies {
            let clock = match entry.clock {
                Some(clock) => format!(" -clock {}", self.clock(clock)),
                None => String::new(),
            };
            let target = format!("{}{clock}", self.pin(entry.pin));
            self.latency(&entry.latency, &target);
        }
        for (pin, values) in &self.c.pin_uncertainty {
            let target = self.pin(*pin);
            self.uncertainty(*values, &target);
        }
        for ((from, to), values) in &self.c.inter_clock_uncertainty {
            for (side, by_from) in values.by.iter().enumerate() {
                for (i, by_to) in by_from.iter().enumerate() {
                    for (j, value) in by_to.iter().enumerate() {
                        let Some(value) = value else { continue };
                        let edge = ["rise", "fall"];
                        let text = format!(
                            "set_clock_uncertainty -{}_from {} -{}_to {} {} {}",
                            edge[i],
                            self.clock(*from),
                            edge[j],
                            self.clock(*to),
                            ["-hold", "-setup"][side],
                            self.time(*value)
                        );
                        self.line(text);
                    }
                }
            }
        }
        self.groups_and_senses();
    }

    fn sources(&self, clock: &Clock) -> String {
        if clock.sources.is_empty() {
            String::new()
        } else {
            format!(" {}", self.pins(&clock.sources))
        }
    }

    fn comment(comment: &str) -> String {
        // A comment that braces cannot hold is left out: it means nothing to a timer.
        let fits = !comment.is_empty() && !comment.contains(['{', '}', '\\']);
        if fits { format!(" -comment {{{comment}}}") } else { String::new() }
    }

    fn plain_clock(&mut self, clock: &Clock) {
        let half = clock.waveform == [0.0, clock.period / 2.0];
        let edges: Vec<String> = clock.waveform.iter().map(|edge| self.time(*edge)).collect();
        let waveform =
            if half { String::new() } else { format!(" -waveform {{{}}}", edges.join(" ")) };
        let text = format!(
            "create_clock -name {}{} -period {}{waveform}{}{}",
            word(&clock.name),
            if clock.add { " -add" } else { "" },
            self.time(clock.period),
            Self::comment(&clock.comment),
            self.sources(clock)
        );
        self.line(text);
    }

    fn generated(&mut self, clock: &Clock, generated: &GeneratedClock) {
        let mut text = format!("create_generated_clock -name {}", word(&clock.name));
        if let Some(source) = generated.source {
            text.push_str(&format!(" -source {}", self.pin(source)));
        }
        if let Some(master) = generated.master {
            text.push_str(&format!(" -master_clock {}", self.clock(master)));
        }
        match &generated.shape {
            GeneratedShape::Divide(by) => text.push_str(&format!(" -divide_by {by}")),
            GeneratedShape::Multiply { by, duty_cycle } => {
                text.push_str(&format!(" -multiply_by {by}"));
                if let Some(duty) = duty_cycle {
                    text.push_str(&format!(" -duty_cycle {}", number(*duty)));
                }
            }
            GeneratedShape::Edges { edges, shifts } => {
                let edges: Vec<String> = edges.iter().map(u32::to_string).collect();
                text.push_str(&format!(" -edges {{{}}}", edges.join(" ")));
                if !shifts.is_empty() {
                    let shifts: Vec<String> = shifts.iter().map(|s| self.time(*s)).collect();
                    text.push_str(&format!(" -edge_shift {{{}}}", shifts.join(" ")));
                }
            }
        }
        for (flag, on) in [
            (" -invert", generated.invert),
            (" -combinational", generated.combinational),
            (" -add", clock.add),
        ] {
            text.push_str(if on { flag } else { "" });
        }
        if let Some((output, feedback)) = generated.pll {
            text.push_str(&format!(" -pll_output {}", self.pin(output)));
            if let Some(feedback) = feedback {
                text.push_str(&format!(" -pll_feedback {}", self.pin(feedback)));
            }
        }
        text.push_str(&Self::comment(&clock.comment));
        text.push_str(&self.sources(clock));
        self.line(text);
    }

    fn clock_facts(&mut self, id: ClockId, clock: &Clock) {
        let target = self.clock(id);
        self.values(&clock.transition, |w, flags, value| {
            format!("set_clock_transition{flags} {} {target}", w.time(value))
        });
        self.uncertainty(clock.uncertainty, &target);
        if clock.propagated {
            let text = format!("set_propagated_clock {target}");
            self.line(text);
        }
        self.latency(&clock.latency, &target);
    }

    fn uncertainty(&mut self, values: [Option<f64>; 2], target: &str) {
        self.pair(values, [" -hold", " -setup"], |w, flag, value| {
            format!("set_clock_uncertainty{flag} {} {target}", w.time(value))
        });
    }

    fn latency(&mut self, latency: &Latency, target: &str) {
        self.values(&latency.network, |w, flags, value| {
            format!("set_clock_latency{flags} {} {target}", w.time(value))
        });
        for (index, name) in ["-early", "-late"].iter().enumerate() {
            let dynamic = latency.dynamic[index];
            if dynamic.is_empty() {
                self.values(&latency.source[index], |w, flags, value| {
                    format!("set_clock_latency -source {name}{flags} {} {target}", w.time(value))
                });
                continue;
            }
            // The dynamic part goes with the value of its own corner and edge.
            for (side, row) in latency.source[index].by.iter().enumerate() {
                for (edge, value) in row.iter().enumerate() {
                    let Some(value) = value else { continue };
                    let part = dynamic.by[side][edge]
                        .map_or(String::new(), |d| format!(" -dynamic {}", self.time(d)));
                    let text = format!(
                        "set_clock_latency -source {name}{}{}{part} {} {target}",
                        super::write::EDGES[edge],
                        SIDES[side],
                        self.time(*value)
                    );
                    self.line(text);
                }
            }
        }
    }

    fn groups_and_senses(&mut self) {
        for groups in &self.c.clock_groups {
            let relation = match groups.relation {
                ClockRelation::LogicallyExclusive => "-logically_exclusive",
                ClockRelation::PhysicallyExclusive => "-physically_exclusive",
                ClockRelation::Asynchronous => "-asynchronous",
            };
            let allow = if groups.allow_paths { " -allow_paths" } else { "" };
            let mut text =
                format!("set_clock_groups -name {} {relation}{allow}", word(&groups.name));
            for group in &groups.groups {
                text.push_str(&format!(" \\\n -group {}", self.clocks(group)));
            }
            self.line(text);
        }
        for sense in &self.c.clock_senses {
            let kind = match sense.kind {
                ClockSenseKind::Positive => "-positive",
                ClockSenseKind::Negative => "-negative",
                ClockSenseKind::Stop => "-stop_propagation",
                ClockSenseKind::RiseTriggeredHighPulse => "-pulse rise_triggered_high_pulse",
                ClockSenseKind::RiseTriggeredLowPulse => "-pulse rise_triggered_low_pulse",
                ClockSenseKind::FallTriggeredHighPulse => "-pulse fall_triggered_high_pulse",
                ClockSenseKind::FallTriggeredLowPulse => "-pulse fall_triggered_low_pulse",
            };
            let clocks = match sense.clocks.is_empty() {
                true => String::new(),
                false => format!(" -clocks {}", self.clocks(&sense.clocks)),
            };
            let text = format!("set_sense -type clock {kind}{clocks} {}", self.pins(&sense.pins));
            self.line(text);
        }
    }

    pub(super) fn write_delays(&mut self) {
        let c = self.c;
        for (command, delays) in
            [("set_input_delay", &c.input_delays), ("set_output_delay", &c.output_delays)]
        {
            for delay in delays {
                self.port_delay(command, delay);
            }
        }
    }

    fn port_delay(&mut self, command: &str, delay: &PortDelay) {
        let mut options = String::new();
        if let Some(clock) = delay.clock {
            options.push_str(&format!(" -clock {}", self.clock(clock)));
        }
        if delay.clock_edge == Edge::Fall {
            options.push_str(" -clock_fall");
        }
        if let Some(pin) = delay.reference_pin {
            options.push_str(&format!(" -reference_pin {}", self.pin(pin)));
        }
        for (flag, on) in [
            (" -source_latency_included", delay.source_latency_included),
            (" -network_latency_included", delay.network_latency_included),
            (" -level_sensitive", delay.level_sensitive),
        ] {
            options.push_str(if on { flag } else { "" });
        }
        let target = self.pin(delay.pin);
        self.values(&delay.delay, |w, flags, value| {
            format!("{command} {}{options}{flags} -add_delay {target}", w.time(value))
        });
    }
}
