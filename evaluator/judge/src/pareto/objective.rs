//! Objectives, and values as costs on the grid of their resolution.

use cellwright_contract::metric::Direction;
use cellwright_contract::scenario::Scenario;

/// One objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Objective {
    /// Metric name.
    pub metric: String,
    /// Which way is better.
    pub direction: Direction,
    /// Values are rounded to a multiple of this before they are compared; 0 for no rounding.
    pub resolution: f64,
    /// Weight in the regret, at least 0; only the ratio between objectives counts.
    pub weight: f64,
    /// Worst value of interest, for the hypervolume; taken from the archive when absent.
    pub reference: Option<f64>,
}

/// A candidate that passed every gate.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Unique within the archive.
    pub id: String,
    /// One value per objective, in the metric's unit.
    pub values: Vec<f64>,
}

/// Why an archive refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ArchiveError {
    /// The objectives cannot rank anything.
    #[error("objective {metric}: {why}")]
    Objective {
        /// Its metric.
        metric: String,
        /// What is wrong.
        why: String,
    },
    /// A candidate has another number of values than there are objectives.
    #[error("candidate {id}: {found} values for {wanted} objectives")]
    Dimension {
        /// The candidate.
        id: String,
        /// Values given.
        found: usize,
        /// Objectives.
        wanted: usize,
    },
    /// A value is NaN, infinite, or too large for its resolution.
    #[error("candidate {id}: {metric} is {value}, which cannot be ranked")]
    Value {
        /// The candidate.
        id: String,
        /// The metric.
        metric: String,
        /// The value.
        value: f64,
    },
    /// A candidate of this id is there already.
    #[error("candidate {0} is in the archive already")]
    Duplicate(String),
    /// No candidate of this id.
    #[error("candidate {0} is not in the archive")]
    Unknown(String),
}

impl Objective {
    /// The objectives of a scenario.
    ///
    /// # Errors
    /// [`ArchiveError::Objective`] when a direction is neither written nor well known.
    pub fn of_scenario(scenario: &Scenario) -> Result<Vec<Objective>, ArchiveError> {
        let each = scenario.objectives.iter().map(|o| {
            let direction = o.direction().ok_or_else(|| ArchiveError::Objective {
                metric: o.metric.clone(),
                why: "its direction is not known; write it into the scenario".into(),
            })?;
            Ok(Objective {
                metric: o.metric.clone(),
                direction,
                resolution: o.resolution(),
                weight: o.weight,
                reference: o.reference,
            })
        });
        each.collect()
    }

    /// A value as a cost, less being better, in units of the resolution when there is one; not
    /// rounded.
    fn raw_cost(&self, value: f64) -> f64 {
        let scaled = if self.resolution > 0.0 { value / self.resolution } else { value };
        // Adding zero turns -0 into 0, so that equal costs have equal bits.
        match self.direction {
            Direction::Minimize => scaled + 0.0,
            Direction::Maximize => 0.0 - scaled,
        }
    }

    /// A value as a cost on the grid of the resolution; none when it is not finite.
    pub(super) fn cost(&self, value: f64) -> Option<f64> {
        // Rounded before the sign is turned, so that both directions share one grid.
        let value = if self.resolution > 0.0 {
            (value / self.resolution).round() * self.resolution
        } else {
            value
        };
        let cost = self.raw_cost(value);
        let cost = if self.resolution > 0.0 { cost.round() + 0.0 } else { cost };
        cost.is_finite().then_some(cost)
    }

    /// The reference as a cost, not rounded.
    pub(super) fn reference_cost(&self) -> Option<f64> {
        self.reference.map(|v| self.raw_cost(v))
    }

    pub(super) fn check(&self) -> Result<(), ArchiveError> {
        let refuse = |why: &str| {
            Err(ArchiveError::Objective { metric: self.metric.clone(), why: why.into() })
        };
        if self.metric.is_empty() {
            return refuse("it has no name");
        }
        if !(self.resolution >= 0.0 && self.resolution.is_finite()) {
            return refuse("its resolution must be a number from 0 up");
        }
        if !(self.weight >= 0.0 && self.weight.is_finite()) {
            return refuse("its weight must be a number from 0 up");
        }
        if self.reference_cost().is_some_and(|r| !r.is_finite()) {
            return refuse("its reference must be a finite number");
        }
        Ok(())
    }
}
