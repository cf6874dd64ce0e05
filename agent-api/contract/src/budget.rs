//! What a call may cost, and what it did cost.

use crate::number::Uint53Opt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::validate::{At, Report, Validate};

/// How hard an evaluation tries.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Legality, wirelength and density.
    Quick,
    /// Also incremental timing and congestion.
    #[default]
    Standard,
    /// Also a full recomputation that must equal the incremental result bit for bit.
    Exhaustive,
}

/// Amounts of cost: as a limit (absent means no limit) or as what was consumed.
///
/// Work units count deterministic work (pins touched by wirelength, arcs evaluated by timing, bins
/// touched by density). They are the same on every machine and at any thread count, so a budget in
/// work units makes scores independent of the judge's hardware.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CostBudget {
    /// Wall-clock time, ms.
    #[serde(with = "Uint53Opt", skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
    /// Processor time over all threads, ms.
    #[serde(with = "Uint53Opt", skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<u64>,
    /// Evaluations of a delta, what-if included.
    #[serde(with = "Uint53Opt", skip_serializing_if = "Option::is_none")]
    pub evaluations: Option<u64>,
    /// Cells moved, resized, made or removed.
    #[serde(with = "Uint53Opt", skip_serializing_if = "Option::is_none")]
    pub moves: Option<u64>,
    /// Work units.
    #[serde(with = "Uint53Opt", skip_serializing_if = "Option::is_none")]
    pub work_units: Option<u64>,
    /// Memory or result size, bytes.
    #[serde(with = "Uint53Opt", skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// A cost of [`CostBudget`] by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CostKind {
    /// See [`CostBudget::wall_ms`].
    WallMs,
    /// See [`CostBudget::cpu_ms`].
    CpuMs,
    /// See [`CostBudget::evaluations`].
    Evaluations,
    /// See [`CostBudget::moves`].
    Moves,
    /// See [`CostBudget::work_units`].
    WorkUnits,
    /// See [`CostBudget::bytes`].
    Bytes,
}

impl CostBudget {
    fn parts(&self) -> [(CostKind, Option<u64>); 6] {
        [
            (CostKind::WorkUnits, self.work_units),
            (CostKind::Evaluations, self.evaluations),
            (CostKind::Moves, self.moves),
            (CostKind::Bytes, self.bytes),
            (CostKind::CpuMs, self.cpu_ms),
            (CostKind::WallMs, self.wall_ms),
        ]
    }

    /// The first cost in `spent` that is above this limit. Costs that are the same on every
    /// machine are looked at first, so that the answer is too.
    #[must_use]
    pub fn exceeded_by(&self, spent: &CostBudget) -> Option<CostKind> {
        let pairs = self.parts().into_iter().zip(spent.parts());
        pairs
            .into_iter()
            .find_map(|((kind, limit), (_, used))| (used.unwrap_or(0) > limit?).then_some(kind))
    }

    /// The first cost of which `spent` has nothing left over: no new work may begin. Looked at in
    /// the order of [`CostBudget::exceeded_by`].
    #[must_use]
    pub fn used_up_by(&self, spent: &CostBudget) -> Option<CostKind> {
        // Bytes are a peak: having reached it once takes nothing away.
        let pairs = self.parts().into_iter().zip(spent.parts());
        pairs.into_iter().find_map(|((kind, limit), (_, used))| {
            (kind != CostKind::Bytes && used.unwrap_or(0) >= limit?).then_some(kind)
        })
    }

    /// What is left of this limit after `spent`; a limit that is absent stays absent.
    #[must_use]
    pub fn minus(&self, spent: &CostBudget) -> CostBudget {
        let sub = |l: Option<u64>, u: Option<u64>| l.map(|l| l.saturating_sub(u.unwrap_or(0)));
        CostBudget {
            wall_ms: sub(self.wall_ms, spent.wall_ms),
            cpu_ms: sub(self.cpu_ms, spent.cpu_ms),
            evaluations: sub(self.evaluations, spent.evaluations),
            moves: sub(self.moves, spent.moves),
            work_units: sub(self.work_units, spent.work_units),
            bytes: sub(self.bytes, spent.bytes),
        }
    }

    /// Sets aside what a call asks for out of this limit, of which `spent` is gone already. A part
    /// that the limit names and the call does not is set aside whole, so that it cannot be
    /// overdrawn. `bytes` is a peak and so never used up.
    ///
    /// # Errors
    /// The first cost of which not enough is left; a limit of nothing gives nothing away.
    pub fn reserve(&self, spent: &CostBudget, asked: &CostBudget) -> Result<CostBudget, CostKind> {
        let left = CostBudget { bytes: self.bytes, ..self.minus(spent) };
        for ((kind, left), (_, asked)) in left.parts().into_iter().zip(asked.parts()) {
            if left.is_some_and(|left| left == 0 || asked.is_some_and(|asked| asked > left)) {
                return Err(kind);
            }
        }
        Ok(CostBudget {
            wall_ms: asked.wall_ms.or(left.wall_ms),
            cpu_ms: asked.cpu_ms.or(left.cpu_ms),
            evaluations: asked.evaluations.or(left.evaluations),
            moves: asked.moves.or(left.moves),
            work_units: asked.work_units.or(left.work_units),
            bytes: asked.bytes.or(left.bytes),
        })
    }

    /// Two consumptions together; `bytes` is a peak, the others add up.
    #[must_use]
    pub fn plus(&self, more: &CostBudget) -> CostBudget {
        let add = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        };
        CostBudget {
            wall_ms: add(self.wall_ms, more.wall_ms),
            cpu_ms: add(self.cpu_ms, more.cpu_ms),
            evaluations: add(self.evaluations, more.evaluations),
            moves: add(self.moves, more.moves),
            work_units: add(self.work_units, more.work_units),
            bytes: self.bytes.max(more.bytes),
        }
    }
}

impl Validate for CostBudget {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        if self.parts().iter().any(|(_, v)| v.is_some_and(|v| v > (1 << 53) - 1)) {
            r.push(at, "a cost is above 2^53−1");
        }
    }
}
