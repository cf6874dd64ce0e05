//! Where a candidate stands among those known: Pareto rank and regret.

use crate::limits::{MAX_DOMINATED_BY, MAX_GOALS, MAX_ID_BYTES, MAX_NAME_BYTES};
use crate::metric::Direction;
use crate::number::{Finite, FiniteOpt, Uint53};
use crate::refs::Hex32;
use crate::validate::{At, Report, Validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A metric and which way it is better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RankedObjective {
    /// Metric name.
    #[schemars(length(min = 1, max = 4096))]
    pub metric: String,
    /// Which way is better.
    pub direction: Direction,
}

/// Where a candidate stands in the archive of gated candidates of one design and scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParetoRank {
    /// The objectives, in the scenario's order.
    pub objectives: Vec<RankedObjective>,
    /// Number of the front; 0 is not dominated.
    #[serde(with = "Uint53")]
    pub front: u64,
    /// Ids of candidates that dominate this one: those of the best fronts first, then by id, at
    /// most 64 of them. Empty exactly when `front` is 0.
    #[schemars(length(max = 64))]
    pub dominated_by: Vec<String>,
    /// Crowding distance within the front; null stands for infinite (an end of the front).
    #[serde(with = "FiniteOpt")]
    pub crowding: Option<f64>,
    /// Volume that only this candidate dominates, in the archive's normalised objective space;
    /// null when the front is too large to compute it exactly.
    #[serde(with = "FiniteOpt")]
    pub hypervolume_contribution: Option<f64>,
    /// BLAKE3 Merkle root of the archive that this was read from.
    pub archive_root: Hex32,
}

impl Validate for ParetoRank {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        r.at_most(&at.field("objectives"), "objectives", self.objectives.len(), MAX_GOALS);
        if self.objectives.is_empty() {
            r.push(&at.field("objectives"), "a rank needs at least one objective");
        }
        let list = at.field("objectives");
        for (i, o) in self.objectives.iter().enumerate() {
            r.name(&list.index(i).field("metric"), &o.metric, MAX_NAME_BYTES);
        }
        let at_dom = at.field("dominated_by");
        r.at_most(&at_dom, "ids", self.dominated_by.len(), MAX_DOMINATED_BY);
        for (i, id) in self.dominated_by.iter().enumerate() {
            r.name(&at_dom.index(i), id, MAX_ID_BYTES);
        }
        if (self.front == 0) != self.dominated_by.is_empty() {
            r.push(&at_dom, "must be empty exactly when the front is 0");
        }
        let parts = [
            ("crowding", self.crowding),
            ("hypervolume_contribution", self.hypervolume_contribution),
        ];
        for (name, v) in parts {
            if let Some(v) = v {
                r.within(&at.field(name), v, 0.0, f64::MAX);
            }
        }
    }
}

/// What stands behind a regret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegretDetail {
    /// Scalarised value of this candidate minus that of the best; 0 for the best.
    #[serde(with = "Finite")]
    pub scalar: f64,
    /// Hypervolume of the archive's best front, normalised; null when it is too large to compute.
    #[serde(with = "FiniteOpt")]
    pub hypervolume: Option<f64>,
    /// The best candidate known at signing.
    #[schemars(length(min = 1, max = 256))]
    pub best_id: String,
    /// BLAKE3 Merkle root of the archive that this was read from.
    pub archive_root: Hex32,
}

impl Validate for RegretDetail {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        r.within(&at.field("scalar"), self.scalar, 0.0, f64::MAX);
        r.name(&at.field("best_id"), &self.best_id, MAX_ID_BYTES);
        if let Some(v) = self.hypervolume {
            r.within(&at.field("hypervolume"), v, 0.0, f64::MAX);
        }
    }
}
