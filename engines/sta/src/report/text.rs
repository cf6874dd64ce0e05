//! Paths as text, in the shape that users of timers know.

use std::fmt::Write;

use cellwright_db::timing::Edge;
use cellwright_db::{Design, Owner};

use super::path::TimingPath;
use crate::constraints::MinMax;

impl TimingPath {
    /// A table of the path: slew, load, delay and time of each pin, then what it must meet; times
    /// in ns, capacitances in pF.
    pub fn text(&self, design: &Design) -> String {
        let mut out = String::new();
        let name = |at: usize| self.steps.get(at).map_or(String::new(), |s| design.pin_name(s.pin));
        let edge = |edge: Edge| if edge == Edge::Rise { '^' } else { 'v' };
        let type_name = if self.side == MinMax::Max { "max" } else { "min" };
        let mut line = |text: std::fmt::Arguments<'_>| {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{text}");
        };
        line(format_args!("Startpoint: {}", name(0)));
        line(format_args!("Endpoint: {}", name(self.steps.len().saturating_sub(1))));
        line(format_args!("Path Group: {}", self.group));
        line(format_args!("Path Type: {type_name}"));
        line(format_args!(""));
        line(format_args!(
            "{:>10} {:>10} {:>10} {:>10}   Description",
            "Cap", "Slew", "Delay", "Time"
        ));
        for step in &self.steps {
            let owner = match design.owner(step.pin) {
                Owner::Cell(cell, _) => design.master(cell).name.as_str(),
                Owner::Port(_) => "port",
            };
            let load = if step.load > 0.0 { format!("{:.6}", step.load) } else { String::new() };
            line(format_args!(
                "{load:>10} {:>10.6} {:>10.6} {:>10.6} {} {} ({owner})",
                step.slew,
                step.delay,
                step.arrival,
                edge(step.edge),
                design.pin_name(step.pin),
            ));
        }
        line(format_args!("{:>43.6}   data arrival time", self.arrival()));
        if let Some((clock, capture)) = &self.capture {
            let kind = if *capture == Edge::Rise { "rise" } else { "fall" };
            line(format_args!("{:>43.6}   clock {clock} ({kind} edge)", self.capture_time));
            line(format_args!("{:>43.6}   clock network delay", self.latency));
            line(format_args!("{:>43.6}   clock uncertainty", self.uncertainty));
            line(format_args!("{:>43.6}   clock reconvergence pessimism", self.crpr));
        }
        line(format_args!("{:>43.6}   {:?}", self.margin, self.kind));
        if self.borrow > 0.0 {
            line(format_args!("{:>43.6}   time borrowed", self.borrow));
        }
        line(format_args!("{:>43.6}   data required time", self.required));
        let met = if self.slack < 0.0 { "VIOLATED" } else { "MET" };
        line(format_args!("{:>43.6}   slack ({met})", self.slack));
        out
    }
}
