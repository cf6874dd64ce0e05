//! A timing-aware annealer. It looks for changes where wires pull a cell and where slack is short,
//! tries each on the platform's engines, keeps what Metropolis' rule keeps (S. Kirkpatrick et al.,
//! Optimization by Simulated Annealing, Science 220, 1983), and proposes the kept ones together.

use cellwright_contract::agent::{Agent, AgentError, Feedback};
use cellwright_contract::budget::{CostBudget, Effort};
use cellwright_contract::delta::TimingMode;
use cellwright_contract::goal::Goals;
use cellwright_contract::platform::{PlatformError, View};
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::ObjectRef;
use cellwright_contract::scenario::Scenario;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value};

use crate::cost::Cost;
use crate::floor::Floor;
use crate::moves::{self, Candidate, Variants};

/// See the module.
#[derive(Debug)]
pub struct Annealer {
    /// Changes per proposal at most.
    batch: usize,
    /// Candidates tried per proposal at most.
    tries: usize,
    /// Temperature at the start, as a relative change of cost.
    heat: f64,
    random: ChaCha8Rng,
    floor: Floor,
    variants: Variants,
    cost: Cost,
    scenario: Option<Scenario>,
    budget: CostBudget,
    pending: Option<cellwright_contract::delta::DesignDelta>,
    count: u64,
    idle: u32,
    /// Slack by cell, ns, refreshed with every proposal.
    slack: Vec<Option<f64>>,
    /// Cells of negative slack, worst first.
    critical: Vec<usize>,
}

/// Names that [`Annealer::new`] knows.
const SETTINGS: [&str; 3] = ["batch", "tries", "heat"];

fn number(params: &Map<String, Value>, name: &str, default: f64) -> Result<f64, AgentError> {
    match params.get(name) {
        None => Ok(default),
        Some(value) => value
            .as_f64()
            .filter(|v| v.is_finite() && *v >= 0.0)
            .ok_or_else(|| AgentError::Settings(format!("`{name}` must be a number of 0 or more"))),
    }
}

fn count(
    params: &Map<String, Value>,
    name: &str,
    default: usize,
    most: u64,
) -> Result<usize, AgentError> {
    match params.get(name) {
        None => Ok(default),
        Some(value) => value
            .as_u64()
            .filter(|v| (1..=most).contains(v))
            .and_then(|v| usize::try_from(v).ok())
            .ok_or_else(|| {
                AgentError::Settings(format!("`{name}` must be a whole number from 1 to {most}"))
            }),
    }
}

impl Annealer {
    /// An annealer with the settings `batch` (changes per proposal, 48), `tries` (candidates per
    /// proposal, 600) and `heat` (temperature at the start as a relative change of cost, 2e-5).
    ///
    /// # Errors
    /// [`AgentError::Settings`].
    pub fn new(params: &Map<String, Value>) -> Result<Self, AgentError> {
        if let Some(name) = params.keys().find(|name| !SETTINGS.contains(&name.as_str())) {
            return Err(AgentError::Settings(format!(
                "the annealer has no setting `{name}`; it has {}",
                SETTINGS.join(", ")
            )));
        }
        Ok(Annealer {
            batch: count(params, "batch", 48, 10_000)?,
            tries: count(params, "tries", 600, 1_000_000)?,
            heat: number(params, "heat", 2e-5)?,
            random: ChaCha8Rng::seed_from_u64(0),
            floor: Floor::default(),
            variants: Variants::default(),
            cost: Cost::default(),
            scenario: None,
            budget: CostBudget::default(),
            pending: None,
            count: 0,
            idle: 0,
            slack: Vec::new(),
            critical: Vec::new(),
        })
    }

    /// How much of the budget is left, 1 at the start, 0 at the end: the smallest share counts.
    fn left(&self, view: &dyn View) -> f64 {
        let remaining = view.remaining();
        let share = |all: Option<u64>, left: Option<u64>| match (all, left) {
            (Some(all), Some(left)) if all > 0 => left as f64 / all as f64,
            _ => 1.0,
        };
        // Wall time is left out: temperature must not depend on the machine's speed.
        let shares = [
            share(self.budget.work_units, remaining.work_units),
            share(self.budget.evaluations, remaining.evaluations),
            share(self.budget.moves, remaining.moves),
        ];
        shares.into_iter().fold(1.0, f64::min)
    }

    fn look_at_timing(&mut self, view: &mut dyn View) -> Result<(), AgentError> {
        let ids: Vec<ObjectRef> = self.floor.cells.iter().map(|cell| cell.id.clone()).collect();
        self.slack = match view.slacks(TimingMode::Setup, &ids) {
            Ok(slacks) => slacks,
            Err(PlatformError::Unsupported(_)) => vec![None; ids.len()],
            Err(error) => return Err(error.into()),
        };
        let mut critical: Vec<(f64, usize)> = self
            .slack
            .iter()
            .enumerate()
            .filter_map(|(cell, slack)| slack.filter(|slack| *slack < 0.0).map(|s| (s, cell)))
            .collect();
        critical.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.critical = critical.into_iter().map(|(_, cell)| cell).collect();
        Ok(())
    }

    fn pick(&mut self) -> Option<usize> {
        let movable = &self.floor.movable;
        if movable.is_empty() {
            return None;
        }
        // Half of the picks go to cells that miss their slack, the worst more often.
        if !self.critical.is_empty() && self.random.random_bool(0.5) {
            let draw = self.random.random::<f64>();
            let rank = (draw * draw * self.critical.len() as f64) as usize;
            let cell = self.critical[rank.min(self.critical.len() - 1)];
            if self.floor.cells[cell].segment.is_some() {
                return Some(cell);
            }
        }
        Some(movable[self.random.random_range(0..movable.len())])
    }

    fn candidate(&mut self, view: &dyn View) -> Result<Option<Candidate>, AgentError> {
        let Some(cell) = self.pick() else { return Ok(None) };
        let late = self.slack.get(cell).copied().flatten().is_some_and(|slack| slack < 0.0);
        let kind = self.random.random_range(0..100);
        let resize_share = if late { 45 } else { 12 };
        if kind < resize_share {
            let master = self.floor.cells[cell].master.clone();
            let variants = self.variants.of(view, &master)?;
            let up = late || self.random.random_bool(0.25);
            return Ok(moves::resize(&self.floor, variants, cell, up));
        }
        if kind < resize_share + 8 {
            return Ok(moves::flip(&self.floor, cell));
        }
        if kind < resize_share + 22 {
            return Ok(moves::reorder(&self.floor, cell));
        }
        let Some((x, y)) = self.floor.pull(cell) else { return Ok(None) };
        // Spread the aim around the optimum by a few rows.
        let spread = 6 * self.floor.cells[cell].height.max(1);
        let x = x + self.random.random_range(-spread..=spread);
        let y = y + self.random.random_range(-spread / 2..=spread / 2);
        if self.random.random_bool(0.6) {
            Ok(moves::relocate(&self.floor, cell, x, y))
        } else {
            Ok(moves::swap(&self.floor, cell, x, y, &mut self.random))
        }
    }

    /// Tries candidates on the head until enough are kept.
    fn gather(&mut self, view: &mut dyn View) -> Result<Vec<Candidate>, AgentError> {
        let now = self.cost.of(&view.metrics()?);
        let left = self.left(view);
        let heat = self.heat * left * left;
        let mut taken_cells = vec![false; self.floor.cells.len()];
        let mut taken_nets = vec![false; self.floor.nets.len()];
        let mut taken_rows = vec![false; self.floor.segments.len()];
        let mut kept: Vec<Candidate> = Vec::new();
        let batch = self.batch;
        for _ in 0..self.tries {
            if kept.len() >= batch {
                break;
            }
            let Some(candidate) = self.candidate(view)? else { continue };
            // Kept changes share no cell, no net and no row stretch, so that each did what it did
            // alone and none takes the room that another counted on.
            let cells = &self.floor.cells;
            let rows = || {
                let from = candidate.cells.iter().filter_map(|cell| cells[*cell].segment);
                let to = candidate
                    .delta
                    .moved_cells
                    .iter()
                    .filter_map(|change| self.floor.nearest_segment(change.to.x, change.to.y));
                from.chain(to)
            };
            let clash = candidate.cells.iter().any(|cell| {
                taken_cells[*cell] || cells[*cell].nets.iter().any(|net| taken_nets[*net])
            });
            let crowded = taken_rows.len() > 2 * batch && rows().any(|row| taken_rows[row]);
            if clash || (crowded && !candidate.delta.moved_cells.is_empty()) {
                continue;
            }
            let tried = match view.evaluate(&candidate.delta, Effort::Standard) {
                Ok(tried) => tried,
                Err(PlatformError::Invalid(_)) => continue,
                Err(PlatformError::Budget(_)) => break,
                Err(error) => return Err(error.into()),
            };
            if !tried.judgment.passed() {
                continue;
            }
            let worse = self.cost.of(&tried.metrics) - now;
            let keep =
                worse < 0.0 || (heat > 0.0 && self.random.random::<f64>() < (-worse / heat).exp());
            if !keep {
                continue;
            }
            rows().for_each(|row| taken_rows[row] = true);
            for cell in &candidate.cells {
                taken_cells[*cell] = true;
                self.floor.cells[*cell].nets.iter().for_each(|net| taken_nets[*net] = true);
            }
            kept.push(candidate);
        }
        Ok(kept)
    }
}

impl Agent for Annealer {
    fn name(&self) -> &str {
        "anneal"
    }

    fn begin(
        &mut self,
        view: &mut dyn View,
        scenario: &Scenario,
        seed: u64,
    ) -> Result<(), AgentError> {
        self.random = ChaCha8Rng::seed_from_u64(seed);
        self.floor = Floor::read(view)?;
        self.cost = Cost::new(scenario, &view.metrics()?);
        self.budget = view.remaining();
        self.scenario = Some(scenario.clone());
        Ok(())
    }

    fn propose(
        &mut self,
        view: &mut dyn View,
        feedback: Option<&Feedback>,
    ) -> Result<Option<Proposal>, AgentError> {
        let Some(scenario) = self.scenario.clone() else {
            return Err(AgentError::Failed("propose was called before begin".to_owned()));
        };
        if let (Some(feedback), Some(delta)) = (feedback, self.pending.take())
            && feedback.accepted
        {
            let variants = &self.variants;
            self.floor.follow(&delta, &|master| variants.width(master));
        }
        // Three rounds without any change that is worth keeping end the run.
        while self.idle < 3 {
            self.look_at_timing(view)?;
            let kept = self.gather(view)?;
            if kept.is_empty() {
                self.idle += 1;
                continue;
            }
            self.idle = 0;
            let delta = moves::join(kept.iter());
            self.pending = Some(delta.clone());
            self.count += 1;
            return Ok(Some(Proposal {
                id: format!("anneal-{:06}", self.count),
                intent_ref: scenario.intent.clone(),
                expected_delta: delta,
                expected_metrics: Goals::default(),
                rationale: Some(format!("{} changes, each tried alone on the head", kept.len())),
                parent_snap: view.head(),
                confidence: None,
            }));
        }
        Ok(None)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn settings_that_do_not_fit_are_refused_by_name() {
        let make = |text: &str| {
            let params: Map<String, Value> = serde_json::from_str(text).unwrap();
            Annealer::new(&params).map(|_| ()).map_err(|error| error.to_string())
        };
        for good in ["{}", r#"{"batch": 1, "tries": 1000000, "heat": 0.0}"#] {
            assert_eq!(make(good), Ok(()), "{good}");
        }
        for (bad, name) in [
            (r#"{"bacth": 3}"#, "`bacth`"),
            (r#"{"batch": -1}"#, "`batch`"),
            (r#"{"batch": 0}"#, "`batch`"),
            (r#"{"batch": 1.5}"#, "`batch`"),
            (r#"{"tries": 1000001}"#, "`tries`"),
            (r#"{"tries": "many"}"#, "`tries`"),
            (r#"{"heat": -0.1}"#, "`heat`"),
        ] {
            let error = make(bad).unwrap_err();
            assert!(error.contains(name), "{bad}: {error}");
        }
    }
}
