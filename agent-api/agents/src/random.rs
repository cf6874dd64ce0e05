//! The baseline that others have to beat: random changes of the same kinds, one per proposal, with
//! hard goals that no objective gets worse. It never looks at a metric or tries anything first.

use cellwright_contract::agent::{Agent, AgentError, Feedback};
use cellwright_contract::delta::DesignDelta;
use cellwright_contract::goal::{GoalOp, GoalRef, GoalUnit, Goals, MetricGoal};
use cellwright_contract::platform::View;
use cellwright_contract::proposal::Proposal;
use cellwright_contract::scenario::Scenario;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value};

use crate::floor::Floor;
use crate::moves::{self, Variants};

/// See the module.
#[derive(Debug)]
pub struct RandomAgent {
    random: ChaCha8Rng,
    floor: Floor,
    variants: Variants,
    scenario: Option<Scenario>,
    pending: Option<DesignDelta>,
    count: u64,
}

impl RandomAgent {
    /// A random agent; it takes no settings.
    ///
    /// # Errors
    /// [`AgentError::Settings`] when there are any.
    pub fn new(params: &Map<String, Value>) -> Result<Self, AgentError> {
        if let Some(name) = params.keys().next() {
            return Err(AgentError::Settings(format!("the random agent has no setting `{name}`")));
        }
        Ok(RandomAgent {
            random: ChaCha8Rng::seed_from_u64(0),
            floor: Floor::default(),
            variants: Variants::default(),
            scenario: None,
            pending: None,
            count: 0,
        })
    }
}

impl Agent for RandomAgent {
    fn name(&self) -> &str {
        "random"
    }

    fn begin(
        &mut self,
        view: &mut dyn View,
        scenario: &Scenario,
        seed: u64,
    ) -> Result<(), AgentError> {
        self.random = ChaCha8Rng::seed_from_u64(seed);
        self.floor = Floor::read(view)?;
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
        let (movable, segments) = (self.floor.movable.len(), self.floor.segments.len());
        if movable == 0 || segments == 0 {
            return Ok(None);
        }
        // A draw may be impossible (no gap, no variant); then draw again, within reason.
        for _ in 0..10_000 {
            let cell = self.floor.movable[self.random.random_range(0..movable)];
            let segment = &self.floor.segments[self.random.random_range(0..segments)];
            let (x, y) = (self.random.random_range(segment.x0..=segment.x1), segment.y);
            let candidate = match self.random.random_range(0..5) {
                0 => moves::relocate(&self.floor, cell, x, y),
                1 => moves::swap(&self.floor, cell, x, y, &mut self.random),
                2 => moves::reorder(&self.floor, cell),
                3 => moves::flip(&self.floor, cell),
                _ => {
                    let master = self.floor.cells[cell].master.clone();
                    let up = self.random.random_bool(0.5);
                    let variants = self.variants.of(view, &master)?;
                    moves::resize(&self.floor, variants, cell, up)
                }
            };
            let Some(candidate) = candidate else { continue };
            let goals = scenario.objectives.iter().map(|objective| {
                let goal = MetricGoal {
                    metric: objective.metric.clone(),
                    op: GoalOp::NoWorse,
                    value: None,
                    unit: GoalUnit::Abs,
                    reference: GoalRef::Parent,
                    hard: true,
                };
                (objective.metric.clone(), goal)
            });
            self.count += 1;
            self.pending = Some(candidate.delta.clone());
            return Ok(Some(Proposal {
                id: format!("random-{:06}", self.count),
                intent_ref: scenario.intent.clone(),
                expected_delta: candidate.delta,
                expected_metrics: Goals(goals.collect()),
                rationale: None,
                parent_snap: view.head(),
                confidence: None,
            }));
        }
        Ok(None)
    }
}
