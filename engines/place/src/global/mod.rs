//! Analytical global placement of the ePlace family: weighted-average wire length plus λ times an
//! electrostatic energy that is least when the cells fill the free area evenly, by Nesterov's
//! method, with λ rising until the overflow is small.

mod engine;
mod exp;
pub mod grid;
mod nesterov;
pub mod poisson;
mod quadratic;
mod system;
pub mod wirelength;

use crate::config::{Effort, PlaceConfig};
use crate::error::PlaceError;
use crate::problem::Problem;
use crate::report::{Event, Meter, Note, Progress, Stage, StopReason, tell};

use engine::Engine;
use nesterov::{Nesterov, Pair};

/// Positions of node centres, DBU, by node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spread {
    /// Along x.
    pub x: Vec<f64>,
    /// Along y.
    pub y: Vec<f64>,
}

/// What global placement found.
#[derive(Clone, Debug)]
pub struct Global {
    /// Where the nodes are.
    pub spread: Spread,
    /// Overflow there.
    pub overflow: f64,
    /// Iterations.
    pub iterations: u32,
    /// Why it ended.
    pub stop: StopReason,
    /// Target density used (of the system with most nodes).
    pub density: f64,
    /// Notes.
    pub notes: Vec<Note>,
}

/// Knobs of the schedule. Lengths are relative to the design, none is absolute.
#[derive(Clone, Copy, Debug)]
struct Schedule {
    /// Overflow at which placement ends.
    stop: f64,
    /// First density weight over wire length, by sums of absolute gradients.
    first: f64,
    /// Largest and smallest growth of λ per iteration.
    grow: f64,
    shrink: f64,
    /// Rise of wire length in one iteration, over wire length, at which λ stands still.
    rise: f64,
    /// γ in bins at overflow 0.1, times ten.
    gamma: f64,
    most: u32,
}

impl Schedule {
    fn of(effort: Effort) -> Schedule {
        let standard = Schedule {
            stop: 0.10,
            first: 1e-2,
            grow: 1.05,
            shrink: 0.95,
            rise: 0.03,
            gamma: 8.0,
            most: 2000,
        };
        match effort {
            Effort::Quick => Schedule { stop: 0.12, grow: 1.08, ..standard },
            Effort::Standard => standard,
            Effort::High => Schedule { stop: 0.09, grow: 1.03, ..standard },
        }
    }
    /// γ in bins: a hundredfold range between overflow 1 and 0.1 (ePlace-MS, DREAMPlace).
    fn gamma(&self, overflow: f64) -> f64 {
        self.gamma * 10_f64.powf((overflow.clamp(0.0, 1.0) - 0.1) * 20.0 / 9.0 - 1.0)
    }
}

/// The best state so far: below the stop overflow the shortest, else the least overflowing.
struct Best {
    v: Pair,
    length: f64,
    overflow: f64,
}

impl Best {
    fn better(&self, length: f64, overflow: f64, stop: f64) -> bool {
        match (overflow <= stop, self.overflow <= stop) {
            (true, true) => length < self.length,
            (true, false) => true,
            (false, true) => false,
            (false, false) => overflow < self.overflow,
        }
    }
}

/// Nodes from which on density is worth a system of bins; fewer are only drawn together.
const FEW: usize = 8;

/// Density that is used when none is asked for: dense groups have the shortest wire, and what is left
/// open lets the legaliser snap cells to sites without pushing their neighbours far.
const DENSITY: f64 = 0.98;

/// Overflow counts as falling while it loses this part within [`SETTLED`] iterations.
const FALLS: f64 = 0.02;
const SETTLED: u32 = 30;

/// Spreads the nodes of a problem.
///
/// # Errors
/// [`PlaceError::Cancelled`].
pub fn global(
    problem: &Problem,
    config: &PlaceConfig,
    progress: &mut dyn Progress,
) -> Result<Global, PlaceError> {
    run(problem, config, progress, &mut Meter::new(config.limits), &mut |_, _| None)
}

/// Asked between iterations with the overflow and the places of the nodes; may give new weights of
/// the problem's nets.
pub(crate) type Reweigh<'a> = dyn FnMut(f64, &dyn Fn() -> Spread) -> Option<Vec<f32>> + 'a;

pub(crate) fn run(
    problem: &Problem,
    config: &PlaceConfig,
    progress: &mut dyn Progress,
    meter: &mut Meter,
    reweigh: &mut Reweigh<'_>,
) -> Result<Global, PlaceError> {
    let wish = config.density.unwrap_or(DENSITY).clamp(0.0, 1.0);
    let (mut engine, plans) = Engine::new(problem, wish);
    let density = plans.iter().max_by_key(|plan| plan.nodes.len()).map_or(wish, |plan| plan.target);
    let mut notes = Vec::new();
    let raised = plans.iter().filter(|plan| plan.raised).map(|plan| plan.target);
    if let Some(to) = raised.reduce(f64::max) {
        let per_mille = |value: f64| (value * 1000.0).round() as u32;
        notes.push(Note::DensityRaised { from: per_mille(wish), to: per_mille(to) });
    }
    let mut schedule = Schedule::of(config.effort);
    // With few bins, γ would exceed the nets of a small design.
    schedule.gamma *= (engine.bins_per_side() / 128.0).clamp(0.25, 1.0);
    let (x, y) = engine.start(problem, config.seed);
    meter.add(16 * engine.work());
    let start = Pair { x, y };
    let few = engine.movable < FEW || problem.nets.is_empty() && engine.movable < 2;
    let found = if few || problem.rows.is_empty() {
        Found { v: start, overflow: 0.0, iterations: 0, stop: StopReason::Done }
    } else {
        spread(&mut engine, problem, start, schedule, progress, meter, reweigh)?
    };
    let spread = places(&engine, problem, &found.v);
    Ok(Global {
        spread,
        overflow: found.overflow,
        iterations: found.iterations,
        stop: found.stop,
        density,
        notes,
    })
}

/// Middles of the nodes, DBU, for positions of slots.
fn places(engine: &Engine<'_>, problem: &Problem, v: &Pair) -> Spread {
    let n = &problem.nodes;
    let mut spread = Spread { x: vec![0.0; n.len()], y: vec![0.0; n.len()] };
    for (i, &node) in engine.node_at.iter().enumerate() {
        let node = node as usize;
        let [left, bottom, right, top] = n.halo[node].map(f64::from);
        // Back from the middle of the padded outline to that of the cell.
        let (dx, dy) = ((left - right - f64::from(n.pad[node])) / 2.0, (bottom - top) / 2.0);
        spread.x[node] = engine.frame.from(0, f64::from(v.x[i])) + dx;
        spread.y[node] = engine.frame.from(1, f64::from(v.y[i])) + dy;
    }
    spread
}

struct Found {
    v: Pair,
    overflow: f64,
    iterations: u32,
    stop: StopReason,
}

/// The loop: iterate, adapt γ and λ, watch overflow, keep the best.
fn spread(
    engine: &mut Engine<'_>,
    problem: &Problem,
    start: Pair,
    schedule: Schedule,
    progress: &mut dyn Progress,
    meter: &mut Meter,
    reweigh: &mut Reweigh<'_>,
) -> Result<Found, PlaceError> {
    let overflow = engine.overflow(&start.x, &start.y);
    let mut gamma = schedule.gamma(overflow);
    engine.evaluate(&start.x, &start.y, gamma);
    engine.weigh(schedule.first);
    let mut state = Nesterov::new(engine, start, gamma);
    meter.add(3 * engine.work());
    let mut best =
        Best { v: state.v.clone(), length: state.at.length, overflow: overflow.max(1e-9) };
    let mut grow = schedule.grow;
    let mut retries = 0;
    let mut since_best = 0;
    let mut fell = (overflow, 0);
    let mut last = state.at.length;
    let mut stop = StopReason::Iterations;
    let mut iterations = 0;
    let most = schedule.most.min(meter.iterations());
    while iterations < most {
        if let Some(limit) = meter.over() {
            stop = limit;
            break;
        }
        let tries = state.iterate(engine, gamma);
        iterations += 1;
        let (mut broken, mut over) = (true, f64::INFINITY);
        if let Ok(tries) = tries {
            meter.add(u64::from(tries + 1) * engine.work());
            over = engine.overflow(&state.v.x, &state.v.y);
            broken =
                over < 0.3 && over > best.overflow + 0.03 && state.at.length > 1.25 * best.length;
        }
        if broken {
            // Back to the best state, once or twice more carefully, then for good.
            retries += 1;
            if retries > 2 || best.overflow > 0.5 {
                stop = StopReason::Diverged;
                break;
            }
            grow = 1.0 + (grow - 1.0) / 2.0;
            gamma = schedule.gamma(best.overflow);
            state = Nesterov::new(engine, best.v.clone(), gamma);
            last = state.at.length;
            fell = (best.overflow, iterations);
            continue;
        }
        let length = state.at.length;
        if best.better(length, over, schedule.stop) {
            best.v.x.copy_from_slice(&state.v.x);
            best.v.y.copy_from_slice(&state.v.y);
            best.length = length;
            best.overflow = over;
            since_best = 0;
        } else {
            since_best += 1;
        }
        if iterations % 10 == 0 || over <= schedule.stop {
            let hpwl = length * engine.frame.unit;
            let fraction = (1.0 - over).clamp(0.0, 1.0) / (1.0 - schedule.stop);
            let fraction = fraction.min(1.0);
            let stage = Stage::Global;
            tell(progress, Event { stage, iteration: iterations, hpwl, overflow: over, fraction })?;
        }
        if over <= schedule.stop {
            stop = StopReason::Done;
            break;
        }
        if over < (1.0 - FALLS) * fell.0 {
            fell = (over, iterations);
        }
        // Overflow has settled above the goal: more weight would only cost wire.
        if iterations - fell.1 > SETTLED && over < 0.2 || since_best > 150 && over < 0.5 {
            stop = StopReason::Plateau;
            break;
        }
        let weights = reweigh(over, &|| places(engine, problem, &state.v));
        if let Some(weights) = weights {
            // Another function from here on: its gradient and momentum start anew, and what was
            // best under the old one may be so no more.
            engine.reweigh(&weights);
            gamma = schedule.gamma(over);
            state = Nesterov::new(engine, state.v, gamma);
            meter.add(2 * engine.work());
            last = state.at.length;
            best.length = best.length.max(last);
            since_best = 0;
            fell = (over, iterations);
            continue;
        }
        let rise = (length - last) / last.max(f64::MIN_POSITIVE) / schedule.rise;
        last = length;
        let factor = if rise < 0.0 { grow } else { grow * grow.powf(-rise) };
        let factor = factor.clamp(schedule.shrink, grow);
        for system in &mut engine.systems {
            system.lambda = (system.lambda * factor).min(1e12);
        }
        gamma = schedule.gamma(over);
    }
    Ok(Found { v: best.v, overflow: best.overflow, iterations, stop })
}
