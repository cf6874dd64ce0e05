//! Paths as text, in the columns that users of timers know.

use std::fmt::Write;

use cellwright_db::timing::Edge;
use cellwright_db::{Design, Owner};

use super::path::{Step, TimingPath};
use crate::constraints::{MinMax, Units};
use crate::graph::model::CheckKind;

/// How numbers are shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// ns per shown unit of time.
    pub time: f64,
    /// pF per shown unit of capacitance.
    pub capacitance: f64,
    /// Digits after the point.
    pub digits: usize,
}

impl Default for Scale {
    /// ns and pF with six digits.
    fn default() -> Self {
        Scale { time: 1.0, capacitance: 1.0, digits: 6 }
    }
}

impl Scale {
    /// A library's units with a number of digits.
    pub fn of(units: &Units, digits: usize) -> Self {
        Scale { time: units.time, capacitance: units.capacitance, digits }
    }
}

fn word(edge: Edge) -> &'static str {
    if edge == Edge::Rise { "rise" } else { "fall" }
}

fn check_name(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Setup => "library setup time",
        CheckKind::Hold => "library hold time",
        CheckKind::Recovery => "library recovery time",
        CheckKind::Removal => "library removal time",
        CheckKind::GatingSetup => "clock gating setup time",
        CheckKind::GatingHold => "clock gating hold time",
        CheckKind::OutputSetup | CheckKind::OutputHold => "output external delay",
        CheckKind::DataSetup => "data check setup time",
        CheckKind::DataHold => "data check hold time",
        CheckKind::LatchSetup => "latch setup time",
        CheckKind::MaxDelay => "max delay margin",
        CheckKind::MinDelay => "min delay margin",
    }
}

/// A report under way: the text so far and how wide its columns are.
struct Report<'d> {
    design: &'d Design,
    scale: Scale,
    width: usize,
    out: String,
}

impl Report<'_> {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.out, "{text}");
    }

    fn number(&self, value: Option<f64>) -> String {
        // Adding zero makes a negative zero positive.
        value.map_or_else(String::new, |value| format!("{:.*}", self.scale.digits, value + 0.0))
    }

    fn time(&self, ns: f64) -> Option<f64> {
        Some(ns / self.scale.time)
    }

    fn row(&mut self, fanout: &str, numbers: [Option<f64>; 4], edge: &str, text: &str) {
        let [cap, slew, delay, time] = numbers.map(|value| self.number(value));
        let w = self.width;
        self.line(format_args!(
            "{fanout:>6} {cap:>w$} {slew:>w$} {delay:>w$} {time:>w$} {edge:1} {text}"
        ));
    }

    fn step(&mut self, step: &Step) {
        let design = self.design;
        let (what, drives) = match design.owner(step.pin) {
            Owner::Cell(cell, _) => {
                let drives = design.pin_direction(step.pin).drives();
                (design.master(cell).name.as_str(), drives)
            }
            Owner::Port(port) => {
                let drives = design.ports()[port].direction.loads();
                (if drives { "in" } else { "out" }, drives)
            }
        };
        let fanout = match design.pin_net(step.pin) {
            Some(net) if drives => design.net_pins(net).len().saturating_sub(1).to_string(),
            _ => String::new(),
        };
        let cap = drives.then(|| f64::from(step.load) / self.scale.capacitance);
        let numbers = [
            cap,
            self.time(f64::from(step.slew)),
            self.time(f64::from(step.delay)),
            self.time(f64::from(step.arrival)),
        ];
        let edge = if step.edge == Edge::Rise { "^" } else { "v" };
        let name = design.pin_name(step.pin);
        self.row(&fanout, numbers, edge, &format!("{name} ({what})"));
    }

    /// A row that adds `delay` to what was, and says what it is.
    fn part(&mut self, delay: f64, sum: &mut f64, text: &str) {
        *sum += delay;
        let numbers = [None, None, self.time(delay), self.time(*sum)];
        self.row("", numbers, "", text);
    }

    fn total(&mut self, ns: f64, text: &str) {
        let numbers = [None, None, None, self.time(ns)];
        self.row("", numbers, "", text);
    }
}

impl TimingPath {
    /// A table of the path: fan-out, load, slew, delay and time of each pin, then what it must
    /// meet.
    ///
    /// The first row's delay is all that came before it: the clock's edge, its latency and the
    /// input delay.
    pub fn text(&self, design: &Design, scale: Scale) -> String {
        let width = scale.digits + 6;
        let mut report = Report { design, scale, width, out: String::new() };
        let name = |step: Option<&Step>| step.map_or(String::new(), |s| design.pin_name(s.pin));
        let by = |clock: &Option<(String, Edge)>| match clock {
            Some((clock, edge)) => format!(" (clock {clock}, {} edge)", word(*edge)),
            None => " (no clock)".to_owned(),
        };
        // A path starts where it stops being a clock: at the register's clock pin, or at a port.
        let launch = self.steps.iter().rfind(|step| step.is_clock).or(self.steps.first());
        report.line(format_args!("Startpoint: {}{}", name(launch), by(&self.launch)));
        report.line(format_args!("Endpoint: {}{}", name(self.steps.last()), by(&self.capture)));
        report.line(format_args!("Path Group: {}", self.group));
        let kind = if self.side == MinMax::Max { "max" } else { "min" };
        report.line(format_args!("Path Type: {kind}"));
        if let Some(corner) = design.library().corners.get(self.corner) {
            report.line(format_args!("Corner: {}", corner.name));
        }
        let w = width;
        report.line(format_args!(
            "\n{:>6} {:>w$} {:>w$} {:>w$} {:>w$}   Description",
            "Fanout", "Cap", "Slew", "Delay", "Time"
        ));
        let rule = "-".repeat(6 + 4 * (w + 1) + 30);
        report.line(format_args!("{rule}"));
        for step in &self.steps {
            report.step(step);
        }
        let arrival = f64::from(self.arrival());
        report.total(arrival, "data arrival time");
        report.line(format_args!(""));
        let sign = if self.side == MinMax::Max { 1.0 } else { -1.0 };
        let mut sum = 0.0;
        if let Some((clock, edge)) = &self.capture {
            let text = format!("clock {clock} ({} edge)", word(*edge));
            report.part(self.capture_time, &mut sum, &text);
            report.part(self.latency, &mut sum, "clock network delay");
            report.part(-sign * self.uncertainty, &mut sum, "clock uncertainty");
            report.part(sign * self.crpr, &mut sum, "clock reconvergence pessimism");
        }
        if self.borrow > 0.0 {
            report.part(self.borrow, &mut sum, "time borrowed from the endpoint");
        }
        // What is left is the check's own time: exceptions shift some edges, so it is not summed.
        report.part(self.required - sum, &mut sum, check_name(self.kind));
        report.total(self.required, "data required time");
        report.line(format_args!("{rule}"));
        report.total(self.required, "data required time");
        report.total(-arrival, "data arrival time");
        report.line(format_args!("{rule}"));
        let met = if self.slack < 0.0 { "VIOLATED" } else { "MET" };
        report.total(f64::from(self.slack), &format!("slack ({met})"));
        report.out
    }
}
