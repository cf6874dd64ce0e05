//! One number from many metrics: the scenario's objectives, each relative to where the run began.

use cellwright_contract::metric::{Direction, MetricValue};
use cellwright_contract::scenario::Scenario;

/// A weighted sum of relative changes: 0 at the start of the run, below 0 is better.
#[derive(Debug, Clone, Default)]
pub struct Cost {
    terms: Vec<Term>,
}

#[derive(Debug, Clone)]
struct Term {
    metric: String,
    start: f64,
    /// Weight over scale, negative for a metric that is maximised.
    factor: f64,
}

impl Cost {
    /// The cost of a scenario around the metrics at the start. A term is scaled by the magnitude of
    /// its starting value; one that starts at 0 (no violation) by `scale_at_zero` of the metric's
    /// own unit.
    pub fn new(scenario: &Scenario, start: &[MetricValue]) -> Cost {
        let total: f64 = scenario.objectives.iter().map(|objective| objective.weight).sum();
        let mut terms = Vec::new();
        for objective in &scenario.objectives {
            let Some(value) = worst(start, &objective.metric) else { continue };
            let sign = match objective.direction() {
                Some(Direction::Maximize) => -1.0,
                _ => 1.0,
            };
            let scale = if value.abs() > 1e-9 { value.abs() } else { 1.0 };
            terms.push(Term {
                metric: objective.metric.clone(),
                start: value,
                factor: sign * objective.weight / (total * scale),
            });
        }
        Cost { terms }
    }

    /// The cost of some metrics; a metric that is missing counts as unchanged.
    pub fn of(&self, metrics: &[MetricValue]) -> f64 {
        let term = |term: &Term| {
            let value = worst(metrics, &term.metric).unwrap_or(term.start);
            term.factor * (value - term.start)
        };
        self.terms.iter().map(term).sum()
    }
}

/// The first value of a metric: platforms list the worst corner first.
fn worst(metrics: &[MetricValue], name: &str) -> Option<f64> {
    metrics.iter().find(|metric| metric.metric == name).map(|metric| metric.value)
}
