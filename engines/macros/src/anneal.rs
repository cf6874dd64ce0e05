//! Annealing on the exact cost: replicas at different temperatures that exchange them.
//!
//! Every proposal is judged by the exact cost of the whole placement. Replicas work in parallel, each
//! with its own stream of random numbers, and meet after a fixed number of proposals; so with a budget
//! in work units the outcome depends on the seed and the number of replicas, not on the machine or its
//! threads.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::engine::{Engine, Move};
use crate::error::MacroError;
use crate::orient::Orient;
use crate::propose::{Plan, Proposal, Proposer};

/// When to stop: at whichever bound comes first. At least one must be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    /// Wall time.
    pub wall: Option<Duration>,
    /// Work units of [`Engine::work`], all replicas together.
    pub work: Option<u64>,
}

/// How to anneal.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnealConfig {
    /// Seed of all random numbers.
    pub seed: u64,
    /// When to stop.
    pub budget: Budget,
    /// How many placements are worked on at once.
    pub replicas: usize,
    /// Least distance between hard macros in µm.
    pub gap: f64,
    /// Whether hard macros may be mirrored. The open evaluator does not read orientations from
    /// `.plc` files, so its value of a placement with new ones differs.
    pub flips: bool,
    /// Only proposals that look at nothing, as a plain annealer has.
    pub blind: bool,
    /// Temperature at the start; `None` takes a share of the mean change of the first proposals.
    pub temperature: Option<f64>,
}

impl Default for AnnealConfig {
    fn default() -> Self {
        AnnealConfig {
            seed: 1,
            budget: Budget { wall: Some(Duration::from_secs(60)), work: None },
            replicas: 1,
            gap: 0.0,
            flips: false,
            blind: false,
            temperature: None,
        }
    }
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Share of the budget that is used.
    pub share: f64,
    /// Wall time so far.
    pub elapsed: Duration,
    /// Best proxy cost so far.
    pub best: f64,
    /// Proxy cost of the coldest replica.
    pub current: f64,
    /// Temperature of the coldest replica.
    pub temperature: f64,
    /// Exact evaluations so far, all replicas.
    pub evaluations: u64,
    /// Work units so far, all replicas.
    pub work: u64,
}

/// How a kind of proposal fared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// The kind.
    pub kind: Proposal,
    /// How often it was evaluated.
    pub tried: u64,
    /// How often it was accepted.
    pub accepted: u64,
    /// Summed decrease of the cost by accepted ones that decreased it.
    pub gain: f64,
}

/// What came of it. The engine is left at the best placement.
#[derive(Debug, Clone, PartialEq)]
pub struct Annealed {
    /// Proxy cost at the start, after legalisation.
    pub start: f64,
    /// Best proxy cost.
    pub best: f64,
    /// Exact evaluations.
    pub evaluations: u64,
    /// Work units.
    pub work: u64,
    /// Wall time.
    pub elapsed: Duration,
    /// By kind of proposal.
    pub tallies: Vec<Tally>,
}

/// Proposals of a replica between two meetings.
const ROUND: usize = 4000;
/// Proposals between two looks at how shifts fare.
const LOOK: u32 = 500;
/// Temperatures fall by this factor over the budget.
const FALL: f64 = 2e-3;
/// Share of the mean change of first proposals at which annealing starts.
const START: f64 = 0.05;
/// Ratio of the temperatures of neighbouring replicas.
const LADDER: f64 = 1.4;

struct Walker {
    engine: Engine,
    proposer: Proposer,
    kinds: Vec<Proposal>,
    weights: Vec<f64>,
    cost: f64,
    best: f64,
    best_places: Vec<(f64, f64, Orient)>,
    tallies: Vec<Tally>,
    temperature: f64,
    steps: u32,
    shifts: (u32, u32),
    evaluations: u64,
}

impl Walker {
    fn run(&mut self, proposals: usize) -> Result<(), MacroError> {
        let mut plan = Plan::default();
        for _ in 0..proposals {
            let n = self.choose();
            let kind = self.kinds[n];
            self.steps += 1;
            if self.steps.is_multiple_of(LOOK) {
                self.learn();
            }
            if !self.proposer.propose(kind, &self.engine, &mut plan) {
                continue;
            }
            self.engine.apply(&plan.moves)?;
            let cost = self.engine.cost().proxy;
            self.evaluations += 1;
            let tally = &mut self.tallies[n];
            tally.tried += 1;
            let change = cost - self.cost;
            let u: f64 = self.proposer.rng.random_range(f64::MIN_POSITIVE..1.0);
            // Not a number (the published evaluator fails) is never accepted.
            let accepted = change <= -self.temperature * u.ln();
            if matches!(kind, Proposal::SoftShift | Proposal::HardShift) {
                self.shifts.0 += 1;
                self.shifts.1 += u32::from(accepted);
            }
            if !accepted {
                self.engine.undo();
                continue;
            }
            tally.accepted += 1;
            if change < 0.0 {
                tally.gain -= change;
            }
            self.engine.keep();
            self.cost = cost;
            for &(n, at) in &plan.hard {
                self.proposer.room.put(n, at);
            }
            if cost < self.best {
                self.best = cost;
                self.remember();
            }
        }
        Ok(())
    }

    fn remember(&mut self) {
        for (body, place) in self.best_places.iter_mut().enumerate() {
            *place = self.engine.at(body);
        }
    }

    fn choose(&mut self) -> usize {
        let total: f64 = self.weights.iter().sum();
        let mut at: f64 = self.proposer.rng.random_range(0.0..1.0) * total;
        for (n, weight) in self.weights.iter().enumerate() {
            if at < *weight {
                return n;
            }
            at -= weight;
        }
        self.weights.len() - 1
    }

    /// The reach of shifts follows their acceptance.
    fn learn(&mut self) {
        let rate = f64::from(self.shifts.1) / f64::from(self.shifts.0.max(1));
        let factor = if rate > 0.3 { 1.06 } else { 0.94 };
        self.shifts = (0, 0);
        let grid = &self.engine.model().grid;
        let s = &self.engine.model().settings;
        let reach = &mut self.proposer.reach;
        reach.0 = (reach.0 * factor).clamp(grid.cell_width * 0.5, s.width);
        reach.1 = (reach.1 * factor).clamp(grid.cell_height * 0.5, s.height);
    }
}

/// Legalises the hard macros and anneals. The engine is left at the best placement that was found.
///
/// `watch` is told the progress now and then; it ends the work by returning `false`.
///
/// # Errors
/// When no budget is set, when a macro finds no room, or when the evaluator has no answer for the
/// start.
pub fn anneal(
    engine: &mut Engine,
    config: &AnnealConfig,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Annealed, MacroError> {
    if config.budget.wall.is_none() && config.budget.work.is_none() {
        return Err(MacroError::Setting {
            what: "no budget".to_owned(),
            hint: "give wall time or work units",
        });
    }
    let begin = Instant::now();
    engine.legalize(config.gap)?;
    let start = engine.cost().proxy;
    if !start.is_finite() {
        return Err(MacroError::Setting {
            what: "the published evaluator fails on the start".to_owned(),
            hint: "move what lies outside the grid, or take the clamped boundary",
        });
    }
    let mut walkers = Vec::new();
    for replica in 0..config.replicas.max(1) {
        walkers.push(walker(engine, config, replica as u64, start)?);
    }
    let hot = match config.temperature {
        Some(t) => t,
        None => START * mean_change(&mut walkers[0])?,
    };
    let spent = |walkers: &[Walker]| walkers.iter().map(|w| w.engine.work()).sum::<u64>();
    let base = spent(&walkers);
    let mut deal = ChaCha8Rng::seed_from_u64(config.seed ^ 0x7e39_6a1d);
    loop {
        let elapsed = begin.elapsed();
        let work = spent(&walkers) - base;
        let by_wall = config
            .budget
            .wall
            .map_or(0.0, |wall| elapsed.as_secs_f64() / wall.as_secs_f64().max(1e-9));
        let by_work = config.budget.work.map_or(0.0, |bound| work as f64 / bound.max(1) as f64);
        let share = by_wall.max(by_work);
        let cold = hot * FALL.powf(share.min(1.0));
        for (n, walker) in walkers.iter_mut().enumerate() {
            walker.temperature = cold * LADDER.powi(n as i32);
        }
        let progress = Progress {
            share: share.min(1.0),
            elapsed,
            best: walkers.iter().map(|w| w.best).fold(f64::INFINITY, f64::min),
            current: walkers[0].cost,
            temperature: cold,
            evaluations: walkers.iter().map(|w| w.evaluations).sum(),
            work,
        };
        if !watch(&progress) || share >= 1.0 {
            break;
        }
        let done: Result<Vec<()>, MacroError> =
            walkers.par_iter_mut().map(|walker| walker.run(ROUND)).collect();
        done?;
        // Neighbours change temperatures as Metropolis would have it; the walker at the cold end
        // stays first in the list.
        for n in (1..walkers.len()).rev() {
            let (a, b) = (&walkers[n - 1], &walkers[n]);
            let gain = (a.cost - b.cost) * (1.0 / a.temperature - 1.0 / b.temperature);
            if gain >= 0.0 || deal.random_range(0.0..1.0) < gain.exp() {
                walkers.swap(n - 1, n);
            }
        }
    }
    finish(engine, walkers, start, begin, base)
}

fn walker(
    engine: &Engine,
    config: &AnnealConfig,
    replica: u64,
    cost: f64,
) -> Result<Walker, MacroError> {
    let mut rng = ChaCha8Rng::seed_from_u64(config.seed);
    rng.set_stream(replica);
    let engine = engine.clone();
    let room = engine.legal_room(config.gap)?;
    let proposer = Proposer::new(&engine, room, rng, config.blind);
    let all: &[Proposal] = if config.blind { &Proposal::BLIND } else { &Proposal::ALL };
    let kinds: Vec<Proposal> =
        all.iter().copied().filter(|k| *k != Proposal::Flip || config.flips).collect();
    let tally = |&kind: &Proposal| Tally { kind, tried: 0, accepted: 0, gain: 0.0 };
    let bodies = engine.model().bodies();
    let mut walker = Walker {
        weights: kinds.iter().map(|k| k.share()).collect(),
        tallies: kinds.iter().map(tally).collect(),
        kinds,
        engine,
        proposer,
        cost,
        best: cost,
        best_places: vec![(0.0, 0.0, Orient::N); bodies],
        temperature: 0.0,
        steps: 0,
        shifts: (0, 0),
        evaluations: 0,
    };
    walker.remember();
    Ok(walker)
}

/// Mean size of the changes that blind proposals would make.
fn mean_change(walker: &mut Walker) -> Result<f64, MacroError> {
    let mut plan = Plan::default();
    let (mut sum, mut count) = (0.0, 0u32);
    for n in 0..400 {
        let kind = [Proposal::SoftShift, Proposal::HardShift][n % 2];
        if walker.proposer.propose(kind, &walker.engine, &mut plan) {
            let cost = walker.engine.what_if(&plan.moves)?.proxy;
            if cost.is_finite() {
                sum += (cost - walker.cost).abs();
                count += 1;
            }
        }
    }
    Ok(sum / f64::from(count.max(1)))
}

fn finish(
    engine: &mut Engine,
    walkers: Vec<Walker>,
    start: f64,
    begin: Instant,
    base: u64,
) -> Result<Annealed, MacroError> {
    let mut tallies: Vec<Tally> = Vec::new();
    for tally in walkers.iter().flat_map(|w| &w.tallies) {
        match tallies.iter_mut().find(|t| t.kind == tally.kind) {
            Some(sum) => {
                sum.tried += tally.tried;
                sum.accepted += tally.accepted;
                sum.gain += tally.gain;
            }
            None => tallies.push(*tally),
        }
    }
    let evaluations = walkers.iter().map(|w| w.evaluations).sum();
    let work = walkers.iter().map(|w| w.engine.work()).sum::<u64>() - base;
    // The first of the best, in the order of the list, so that ties do not depend on chance.
    let mut best = &walkers[0];
    for walker in &walkers[1..] {
        if walker.best < best.best {
            best = walker;
        }
    }
    let model = Arc::clone(engine.model());
    let mut moves = Vec::new();
    for (body, &(x, y, orient)) in best.best_places.iter().enumerate() {
        if engine.at(body) != (x, y, orient) && model.kind[body] != crate::Kind::Port {
            moves.push(Move { body: body as u32, x, y, orient });
        }
    }
    engine.apply(&moves)?;
    engine.keep();
    let best = engine.cost().proxy;
    Ok(Annealed { start, best, evaluations, work, elapsed: begin.elapsed(), tallies })
}
