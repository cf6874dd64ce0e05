//! Timing-driven placement: during global placement the timer says which nets are critical and
//! those grow heavier, with momentum (DREAMPlace 4.0, Liao et al., DATE 2022); legalisation and
//! detailed placement keep the weights. The result is compared with the placement for wire length
//! alone, and the one of better timing is given back.

use std::sync::Arc;

use cellwright_db::{Design, Place, PlaceStatus};
use cellwright_sta::constraints::Constraints;
use cellwright_sta::{Side, Timer, TimerError};

use crate::config::{PlaceConfig, Stages};
use crate::error::PlaceError;
use crate::legal::Placement;
use crate::place::{place, run};
use crate::problem::Problem;
use crate::report::{PlaceResult, Progress};

/// What the timer is told, and how far weights go.
#[derive(Clone, Debug)]
pub struct Timed {
    /// Constraints.
    pub constraints: Arc<Constraints>,
    /// Corners with wires from placement, and the delay calculator.
    pub config: cellwright_sta::Config,
    /// Overflows at which the timer is asked, descending.
    pub ask_at: Vec<f64>,
    /// Largest weight of a net.
    pub most: f32,
}

impl Timed {
    /// The usual schedule: from overflow 0.6 down, ten times.
    pub fn new(constraints: Arc<Constraints>, config: cellwright_sta::Config) -> Timed {
        let ask_at = vec![0.60, 0.50, 0.42, 0.35, 0.30, 0.25, 0.21, 0.18, 0.15, 0.125];
        Timed { constraints, config, ask_at, most: 5.0 }
    }
}

/// Setup timing of a placement, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SetupSlack {
    /// Worst negative slack, 0 when none is negative.
    pub wns: f64,
    /// Total negative slack.
    pub tns: f64,
}

impl SetupSlack {
    fn of(timer: &Timer) -> SetupSlack {
        SetupSlack { wns: f64::from(timer.wns(Side::Max)), tns: timer.tns(Side::Max) }
    }
    /// Less negative in total, then in the worst path.
    fn better(&self, other: &SetupSlack) -> bool {
        (self.tns, self.wns) > (other.tns, other.wns)
    }
}

/// A timing-driven placement.
#[derive(Clone, Debug)]
pub struct TimedResult {
    /// The placement that is given back.
    pub result: PlaceResult,
    /// Its timing.
    pub slack: SetupSlack,
    /// Timing of the placement for wire length alone.
    pub plain: SetupSlack,
    /// Whether `result` is the timing-driven one.
    pub driven: bool,
    /// How often the timer was asked during global placement.
    pub asked: u32,
    /// Nets that weigh more than 1 at the end.
    pub weighed: usize,
}

/// Nets with more pins are left out: no placement makes them short.
const LONG: usize = 100;

/// Weights of nets by net slot, and their momentum.
struct Weights {
    weight: Vec<f32>,
    criticality: Vec<f32>,
    most: f32,
}

impl Weights {
    /// Grows the weights of nets whose driver has negative slack, in proportion to the worst.
    fn learn(&mut self, design: &Design, timer: &mut Timer) -> Result<bool, TimerError> {
        let worst = timer.wns(Side::Max);
        if worst >= 0.0 {
            return Ok(false);
        }
        let slacks = timer.slacks(design)?;
        for net in design.nets() {
            let pins = design.net_pins(net);
            if pins.len() > LONG || !design.net(net).kind.is_routed() {
                continue;
            }
            let slack = pins.iter().filter_map(|pin| slacks.slack(*pin, Side::Max));
            let slack = slack.filter(|slack| slack.is_finite()).reduce(f32::min).unwrap_or(0.0);
            let share = (slack / worst).clamp(0.0, 1.0);
            let old = self.criticality[net.index()];
            let new = ((1.0 + old) * (1.0 + share)).sqrt() - 1.0;
            self.criticality[net.index()] = new;
            let weight = &mut self.weight[net.index()];
            *weight = (*weight * (1.0 + new)).min(self.most);
        }
        Ok(true)
    }
}

fn failed(error: TimerError) -> PlaceError {
    PlaceError::Setting { what: format!("timing-driven placement: {error}") }
}

/// Moves the nodes of a problem on a design.
fn put(design: &mut Design, problem: &Problem, placement: &Placement) -> Result<(), PlaceError> {
    for (node, &cell) in problem.nodes.cell.iter().enumerate() {
        let (at, orient) = (placement.at[node], placement.orient[node]);
        let to = Place { x: at.x, y: at.y, orient, status: PlaceStatus::Placed };
        if design.place(cell) != to {
            design.move_cell(cell, to).map_err(refused)?;
        }
    }
    Ok(())
}

fn refused(error: impl std::fmt::Display) -> PlaceError {
    PlaceError::Setting { what: format!("the design refuses the moves: {error}") }
}

/// Places a design for timing. All stages run, whatever `config.stages` says.
///
/// # Errors
/// See [`PlaceError`]; [`PlaceError::Setting`] also when the timer cannot be set up.
pub fn place_timed(
    design: &Design,
    config: &PlaceConfig,
    timed: &Timed,
    progress: &mut dyn Progress,
) -> Result<TimedResult, PlaceError> {
    let config = PlaceConfig { stages: Stages::default(), ..config.clone() };
    let plain = place(design, &config, progress)?;
    let mut with_plain = design.clone();
    with_plain.apply(&plain.delta).map_err(refused)?;
    let setup = || Timer::new(&with_plain, timed.constraints.clone(), timed.config.clone());
    let mut timer = setup().map_err(failed)?;
    let before = SetupSlack::of(&timer);
    let mut found = TimedResult {
        result: plain,
        slack: before,
        plain: before,
        driven: false,
        asked: 0,
        weighed: 0,
    };
    if before.wns >= 0.0 {
        return Ok(found);
    }
    let mut weight = config.net_weights.clone();
    weight.resize(design.net_slots(), 1.0);
    let criticality = vec![0.0; design.net_slots()];
    let mut weights = Weights { weight, criticality, most: timed.most };
    // Global placement with the timer looking on.
    let mut seen = design.clone();
    let mut next = 0;
    let mut broken = None;
    let stages = Stages { global: true, legalize: false, detailed: false };
    let spread = {
        let global = PlaceConfig { stages, ..config.clone() };
        run(design, &global, progress, &mut |problem, over, places| {
            if broken.is_some() || timed.ask_at.get(next).is_none_or(|at| over > *at) {
                return None;
            }
            while timed.ask_at.get(next).is_some_and(|at| over <= *at) {
                next += 1;
            }
            let learned = put(&mut seen, problem, &places()).and_then(|()| {
                timer.full(&seen);
                weights.learn(&seen, &mut timer).map_err(failed)
            });
            match learned {
                Err(error) => {
                    broken = Some(error);
                    None
                }
                Ok(false) => None,
                Ok(true) => {
                    found.asked += 1;
                    let nets = problem.nets.id.iter();
                    Some(nets.map(|net| weights.weight[net.index()]).collect())
                }
            }
        })?
    };
    if let Some(error) = broken {
        return Err(error);
    }
    let mut driven = design.clone();
    driven.apply(&spread.delta).map_err(refused)?;
    // Legal and refined, with the weights that came out.
    let stages = Stages { global: false, legalize: true, detailed: true };
    let rest = PlaceConfig { stages, net_weights: weights.weight.clone(), ..config };
    let refined = place(&driven, &rest, progress)?;
    driven.apply(&refined.delta).map_err(refused)?;
    timer.full(&driven);
    let after = SetupSlack::of(&timer);
    found.weighed = weights.weight.iter().filter(|weight| **weight > 1.0).count();
    if after.better(&before) {
        let problem = Problem::new(design, &rest);
        let place = |cell: &cellwright_db::CellId| driven.place(*cell);
        let at = problem.nodes.cell.iter().map(|cell| {
            let place = place(cell);
            cellwright_db::Point::new(place.x, place.y)
        });
        let orient = problem.nodes.cell.iter().map(|cell| place(cell).orient);
        let delta = problem.delta(design, &at.collect::<Vec<_>>(), &orient.collect::<Vec<_>>());
        let mut report = spread.report;
        report.stages.extend(refined.report.stages);
        report.notes.extend(refined.report.notes);
        found.result = PlaceResult { delta, report };
        found.slack = after;
        found.driven = true;
    }
    Ok(found)
}
