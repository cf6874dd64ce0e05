//! Static timing, the plain way: every arc of every cell, every path kind, in one pass per corner.
//!
//! Definitions are those of graph-based analysis as timers have it: the worst slew goes on per pin
//! and edge; late data is checked against an early capturing clock and early data against a late
//! one; setup captures at the nearest edge after the launch, hold at the nearest not after it. All
//! arithmetic is in 64-bit floats. What is not served is in [`Timing::not_checked`].

// Sides and edges are counted as in the definitions; an auditor reads plain loops fastest.
#![allow(clippy::needless_range_loop)]

mod arrivals;
mod clocks;
mod delays;
mod ends;
mod exceptions;
mod graph;
mod steiner;
mod support;
mod table;
mod wires;

use std::collections::BTreeMap;

use cellwright_db::PinId;
use cellwright_formats::constraints::{Constraints, PortDelay};

use crate::state::State;
pub use wires::{PerMicron, Wires};

/// Values `[early, late][rise, fall]`.
type Quad = [[f64; 2]; 2];

/// How delays are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calculator {
    /// All capacitance at the driver; wires take no time and keep the slew.
    #[default]
    Lumped,
    /// All capacitance at the driver; wires take their Elmore delay and keep the slew.
    LumpedElmore,
}

/// One corner with its wires.
#[derive(Clone, Debug)]
pub struct CornerSetting {
    /// Number of the corner in the library.
    pub corner: usize,
    /// Its wires.
    pub wires: Wires,
}

/// What timing is computed with.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// The constraints.
    pub constraints: &'a Constraints,
    /// Corners to be analysed.
    pub corners: Vec<CornerSetting>,
    /// How delays are computed.
    pub calculator: Calculator,
}

/// The timing of one corner.
#[derive(Clone, Debug)]
pub struct CornerTiming {
    /// Corner name.
    pub name: String,
    /// Worst slack of each endpoint, ns, `[hold, setup]`.
    pub slacks: [BTreeMap<PinId, f64>; 2],
}

/// Totals over endpoints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Worst negative slack, ns; 0 when none is negative.
    pub wns: f64,
    /// Sum of negative slacks, ns, each endpoint once with its worst.
    pub tns: f64,
    /// Endpoints with negative slack.
    pub violating: usize,
    /// Endpoints so near to 0 that rounding may decide their sign.
    pub near_zero: usize,
}

/// The timing of all corners.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    /// By corner.
    pub corners: Vec<CornerTiming>,
    /// What was not served, in words.
    pub not_checked: Vec<String>,
}

impl Timing {
    /// Totals of setup (`side` 1) or hold (0) in a corner, or over all corners, where an endpoint
    /// counts with its worst slack. `None` for a corner that was not analysed.
    pub fn totals(&self, corner: Option<&str>, side: usize) -> Option<Totals> {
        let chosen = |timing: &&CornerTiming| corner.is_none_or(|name| timing.name == name);
        let mut corners = self.corners.iter().filter(chosen).peekable();
        corners.peek()?;
        let mut worst: BTreeMap<PinId, f64> = BTreeMap::new();
        for (pin, slack) in corners.flat_map(|timing| &timing.slacks[side]) {
            let slot = worst.entry(*pin).or_insert(*slack);
            *slot = slot.min(*slack);
        }
        let mut totals = Totals::default();
        for slack in worst.into_values() {
            if slack < 0.0 {
                totals.wns = totals.wns.min(slack);
                totals.tns += slack;
                totals.violating += 1;
            }
            totals.near_zero += usize::from(slack.abs() <= NEAR_ZERO);
        }
        Some(totals)
    }
}

/// ns; engines keep times in 32-bit floats.
const NEAR_ZERO: f64 = 1e-5;

/// Analyses all corners.
pub fn analyse(state: &State, setting: &Setting<'_>) -> Timing {
    let mut timing = Timing::default();
    timing.not_checked.extend(support::not_served(setting.constraints));
    for corner in &setting.corners {
        match state.design.library().corners.get(corner.corner) {
            Some(known) => {
                let slacks = analyse_corner(state, setting, corner, &mut timing.not_checked);
                timing.corners.push(CornerTiming { name: known.name.clone(), slacks });
            }
            None => {
                let text = format!("timing: the library has no corner {}", corner.corner);
                timing.not_checked.push(text);
            }
        }
    }
    timing.not_checked.sort();
    timing.not_checked.dedup();
    timing
}

fn analyse_corner(
    state: &State,
    setting: &Setting<'_>,
    corner: &CornerSetting,
    notes: &mut Vec<String>,
) -> ends::Slacks {
    let constraints = setting.constraints;
    let graph = graph::Graph::new(state, corner.corner, constraints);
    let clocks = clocks::Clocks::new(&graph, constraints);
    let delays = delays::compute(&graph, constraints, &clocks, &corner.wires, setting.calculator);
    let exceptions = exceptions::Exceptions::new(&graph, constraints);
    let mut inputs: BTreeMap<PinId, Vec<&PortDelay>> = BTreeMap::new();
    for delay in &constraints.input_delays {
        inputs.entry(delay.pin).or_default().push(delay);
    }
    notes.extend(graph.notes.iter().cloned());
    let search = arrivals::Search {
        graph: &graph,
        constraints,
        clocks: &clocks,
        delays: &delays,
        exceptions: &exceptions,
        inputs,
    };
    let arrivals = search.run();
    ends::slacks(&search, &arrivals)
}
