//! The timer behind the judge: its figures in the contract's names, and equality for the exactness
//! gate.

use std::sync::Arc;

use cellwright_contract::delta::TimingMode;
use cellwright_contract::metric::MetricValue;
use cellwright_contract::result::{PathPin, TimingPath};
use cellwright_db::timing::Edge;
use cellwright_db::{Design, DirtySet, PinId};
use cellwright_sta::constraints::Constraints;
use cellwright_sta::{Config, Side, Slacks, Timer};

use crate::engines::EngineError;

/// Constraints, corners and delay calculation of a run.
#[derive(Clone, Debug)]
pub struct TimingSetup {
    /// Constraints.
    pub constraints: Arc<Constraints>,
    /// Corners with their wires, and the delay calculator.
    pub config: Config,
}

/// A timer with the name of its corner.
#[derive(Debug)]
pub struct Timing {
    timer: Timer,
    corner: Option<String>,
    /// Pin slots of the design, after each update that can be undone.
    pins: Vec<usize>,
}

fn side(mode: TimingMode) -> Side {
    match mode {
        TimingMode::Setup => Side::Max,
        TimingMode::Hold => Side::Min,
    }
}

const MODES: [(TimingMode, &str); 2] = [(TimingMode::Setup, "setup"), (TimingMode::Hold, "hold")];

impl Timing {
    /// Full analysis.
    ///
    /// # Errors
    /// [`EngineError::Timing`].
    pub fn full(design: &Design, setup: &TimingSetup) -> Result<Timing, EngineError> {
        let timer = Timer::new(design, setup.constraints.clone(), setup.config.clone());
        let timer = timer.map_err(|error| EngineError::Timing(error.to_string()))?;
        let corner = match setup.config.corners.as_slice() {
            [(corner, _)] => design.library().corners.get(*corner).map(|c| c.name.clone()),
            _ => None,
        };
        Ok(Timing { timer, corner, pins: vec![design.pin_slots()] })
    }

    /// Follows the design.
    ///
    /// # Errors
    /// [`EngineError::Timing`] when the state does not match.
    pub fn update(&mut self, design: &Design, dirty: &DirtySet) -> Result<(), EngineError> {
        let updated = self.timer.update(design, dirty);
        updated.map_err(|error| EngineError::Timing(error.to_string()))?;
        self.pins.push(design.pin_slots());
        Ok(())
    }

    /// Takes the last update back.
    pub fn undo(&mut self) {
        if self.timer.undo() {
            self.pins.pop();
        }
    }

    /// Makes the updates so far permanent.
    pub fn keep(&mut self) {
        self.timer.keep();
        let last = self.pins.len().saturating_sub(1);
        self.pins.drain(..last);
    }

    /// Arcs evaluated so far.
    pub fn work(&self) -> u64 {
        self.timer.work()
    }

    /// The timer itself.
    pub fn timer(&self) -> &Timer {
        &self.timer
    }

    /// Corner name, when there is one corner.
    pub fn corner(&self) -> Option<&str> {
        self.corner.as_deref()
    }

    /// Brings the slacks of all pins up to date, for [`Timing::slack`] and [`Timing::same_state`].
    ///
    /// # Errors
    /// [`EngineError::Timing`] when the design is in another state.
    pub fn settle(&mut self, design: &Design) -> Result<(), EngineError> {
        self.timer.settle(design).map_err(|error| EngineError::Timing(error.to_string()))
    }

    /// Worst slack of a pin, ns; `None` for an unconstrained one, and where slacks are not settled.
    pub fn slack(&self, pin: PinId, mode: TimingMode) -> Option<f64> {
        let slack = self.timer.settled()?.slack(pin, side(mode));
        slack.filter(|slack| slack.is_finite()).map(f64::from)
    }

    /// Appends WNS and TNS of setup and hold, ns.
    pub fn metrics(&self, metrics: &mut Vec<MetricValue>) {
        for (mode, name) in MODES {
            for (metric, value) in [
                (format!("wns_{name}"), f64::from(self.timer.wns(side(mode)))),
                (format!("tns_{name}"), self.timer.tns(side(mode))),
            ] {
                let corner = self.corner.clone();
                metrics.push(MetricValue { metric, value, unit: "ns".to_owned(), corner });
            }
        }
    }

    /// Whether every pin has the same arrivals, slews and slacks, bit for bit, and the totals are
    /// the same. Slacks that are not settled are the same as nothing.
    pub fn same_state(&self, other: &Timing) -> bool {
        let (Some(own), Some(others)) = (self.timer.settled(), other.timer.settled()) else {
            return false;
        };
        let sides = [Side::Max, Side::Min];
        let bits = |value: Option<f32>| value.map(f32::to_bits);
        let same_totals = sides.iter().all(|side| {
            bits(self.timer.worst_slack(*side)) == bits(other.timer.worst_slack(*side))
                && self.timer.tns(*side).to_bits() == other.timer.tns(*side).to_bits()
        });
        let pin_values = |timing: &Timing, slacks: &Slacks<'_>, pin: PinId, side: Side| {
            let edges = Edge::BOTH.map(|edge| {
                (
                    bits(timing.timer.arrival(pin, side, edge)),
                    timing.timer.slew(pin, side, edge).to_bits(),
                    bits(slacks.slack_of(pin, side, edge)),
                )
            });
            (edges, bits(timing.timer.end_slack(pin, side)))
        };
        same_totals
            && self.pins.last() == other.pins.last()
            && (0..self.pins.last().copied().unwrap_or(0)).map(PinId::new).all(|pin| {
                sides.iter().all(|side| {
                    pin_values(self, &own, pin, *side) == pin_values(other, &others, pin, *side)
                })
            })
    }

    /// The worst path of each of the `count` worst endpoints, worst first, in ns.
    pub fn worst_paths(&self, design: &Design, mode: TimingMode, count: usize) -> Vec<TimingPath> {
        let paths = self.timer.worst_paths(design, side(mode), count);
        paths.iter().map(|path| words(design, path)).collect()
    }

    /// The `count` worst paths through a pin, worst first, in ns; none before [`Timing::settle`].
    pub fn paths_through(
        &self,
        design: &Design,
        mode: TimingMode,
        pin: PinId,
        count: usize,
    ) -> Vec<TimingPath> {
        let paths = self.timer.paths_through(design, side(mode), pin, count).unwrap_or_default();
        paths.iter().map(|path| words(design, path)).collect()
    }

    /// What the timer does not do for this design, in words.
    pub fn not_supported(&self) -> Vec<String> {
        self.timer.not_supported()
    }
}

/// A path in the contract's words. It starts at the launching register's clock pin, or at the port
/// where there is none.
fn words(design: &Design, path: &cellwright_sta::TimingPath) -> TimingPath {
    let launch = path.steps.iter().rfind(|step| step.is_clock).or(path.steps.first());
    let name = |pin: Option<PinId>| pin.map_or_else(String::new, |pin| design.pin_name(pin));
    TimingPath {
        startpoint: name(launch.map(|step| step.pin)),
        endpoint: name(path.endpoint()),
        group: path.group.clone(),
        slack: f64::from(path.slack),
        arrival: f64::from(path.arrival()),
        required: path.required,
        pins: path
            .steps
            .iter()
            .map(|step| PathPin {
                pin: design.pin_name(step.pin),
                arrival: f64::from(step.arrival),
                slew: f64::from(step.slew),
                rising: step.edge == Edge::Rise,
            })
            .collect(),
    }
}
