//! `verdict.json`: what a set of runs of one scenario came to.
//!
//! Set-shaped from the start: one run is a set of one. New optional fields may appear.

use crate::digest::DIGEST_VERSION;
use crate::digest::world::WorldDiff;
use cellwright_contract::refs::{Digest, Hex32};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Version of [`Verdict`]'s form.
pub const VERDICT_SCHEMA_VERSION: &str = "1.0";

/// How a run ended. Ordered from best to worst: the worst that applies is the run's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// It finished and every critical assertion held.
    Pass,
    /// A critical assertion did not hold.
    Fail,
    /// It never said that it was finished (`eval.finish`).
    Invalid,
    /// It used up its budget.
    BudgetExceeded,
}

impl RunStatus {
    /// Exit code: pass 0, fail 1, invalid 2, budget exceeded 3.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            RunStatus::Pass => 0,
            RunStatus::Fail => 1,
            RunStatus::Invalid => 2,
            RunStatus::BudgetExceeded => 3,
        }
    }

    /// The status of a run, worst first. Fails closed: a run that never finished is invalid
    /// whatever its assertions say.
    #[must_use]
    pub fn of(budget_exceeded: bool, finished: bool, assertions: &[AssertionResult]) -> Self {
        if budget_exceeded {
            return RunStatus::BudgetExceeded;
        }
        if !finished {
            return RunStatus::Invalid;
        }
        let failed = |a: &AssertionResult| !a.pass && a.severity == Severity::Critical;
        if assertions.iter().any(failed) { RunStatus::Fail } else { RunStatus::Pass }
    }
}

/// How far a run got before an assertion failed, earliest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Ring {
    /// The agent did nothing or gave up.
    #[serde(rename = "no-op/abandoned")]
    NoOp,
    /// It called a tool that it may not call.
    #[serde(rename = "tool-enabled")]
    ToolEnabled,
    /// It called a tool with wrong arguments.
    #[serde(rename = "args-valid")]
    ArgsValid,
    /// It called tools in the wrong order.
    #[serde(rename = "order-valid")]
    OrderValid,
    /// The world ended up wrong.
    #[serde(rename = "final-state")]
    FinalState,
    /// Something changed that must not.
    #[serde(rename = "collateral")]
    Collateral,
}

/// Whether a failed assertion fails the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It does.
    Critical,
    /// It is only recorded.
    Minor,
}

/// What one assertion came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssertionResult {
    /// Its id.
    pub id: String,
    /// What kind of check it is.
    pub kind: String,
    /// True when it held.
    pub pass: bool,
    /// The earliest ring that failed; null when it held.
    pub ring: Option<Ring>,
    /// Values on the way, for reading.
    pub intermediate: Value,
    /// Journal entries that show it.
    pub journal_refs: Vec<u64>,
    /// Weight.
    pub weight: f64,
    /// Whether it fails the run.
    pub severity: Severity,
    /// What went wrong with the check itself; null when nothing did.
    pub error: Option<Value>,
}

/// What the journal shows of a run, for finding the earliest ring.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RingEvidence {
    /// True when the agent called any tool but `eval.finish`.
    pub acted: bool,
    /// Entries that were refused because the tool was not enabled.
    pub not_enabled: Vec<u64>,
    /// Entries that were refused because of their arguments.
    pub args_invalid: Vec<u64>,
}

/// Most journal entries that a ring refers to.
const MAX_REFS: usize = 10;

impl RingEvidence {
    /// The earliest ring that the evidence supports for a failure of `own`, and the entries that
    /// show it. `own_refs` are those of the assertion itself.
    #[must_use]
    pub fn earliest(&self, own: Ring, own_refs: &[u64]) -> (Ring, Vec<u64>) {
        let (ring, refs) = if !self.acted {
            (Ring::NoOp, &[][..])
        } else if !self.not_enabled.is_empty() {
            (Ring::ToolEnabled, &self.not_enabled[..])
        } else if !self.args_invalid.is_empty() {
            (Ring::ArgsValid, &self.args_invalid[..])
        } else {
            (own, own_refs)
        };
        (ring, refs.iter().take(MAX_REFS).copied().collect())
    }
}

/// What one run came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Its id, such as `r-001`.
    pub run_id: String,
    /// Its seed.
    pub seed: u64,
    /// How it ended.
    pub status: RunStatus,
    /// Tool calls.
    pub steps: u64,
    /// What the agent said at the end.
    pub final_response: Option<String>,
    /// Digest of its journal.
    pub journal_digest: Hex32,
    /// Digest of its world.
    pub world_digest: Hex32,
    /// What it changed.
    pub world_diff: WorldDiff,
    /// What its assertions came to.
    pub assertions: Vec<AssertionResult>,
}

/// The first entry at which a run differs from the first run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Divergence {
    /// The run.
    pub run: String,
    /// The entry.
    pub seq: u64,
}

/// Rates over all runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Aggregate {
    /// Runs.
    pub n: u64,
    /// Share of runs that passed; 0 when there is none.
    pub pass_rate: f64,
    /// Share of runs in which each assertion held; a run without it counts as not held.
    pub per_assertion: BTreeMap<String, f64>,
    /// First difference between runs, wall time left out; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_divergence: Option<Divergence>,
}

/// What a set of runs came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Version of this file's form.
    pub schema_version: String,
    /// Version of the digest rules.
    pub digest_version: String,
    /// See [`Reproduction::id`](crate::digest::Reproduction::id).
    pub repro_id: Digest,
    /// Run by run.
    pub runs: Vec<RunRecord>,
    /// Rates over all runs.
    pub aggregate: Aggregate,
}

impl Verdict {
    /// The verdict over some runs.
    #[must_use]
    pub fn of(repro_id: Digest, runs: Vec<RunRecord>, divergence: Option<Divergence>) -> Self {
        let n = runs.len();
        let share = |hits: usize| if n == 0 { 0.0 } else { hits as f64 / n as f64 };
        let held = |id: &str| {
            let hit = |r: &&RunRecord| r.assertions.iter().any(|a| a.id == id && a.pass);
            runs.iter().filter(hit).count()
        };
        let ids = runs.first().into_iter().flat_map(|r| &r.assertions).map(|a| &a.id);
        let aggregate = Aggregate {
            n: n as u64,
            pass_rate: share(runs.iter().filter(|r| r.status == RunStatus::Pass).count()),
            per_assertion: ids.map(|id| (id.clone(), share(held(id)))).collect(),
            first_divergence: divergence,
        };
        Verdict {
            schema_version: VERDICT_SCHEMA_VERSION.into(),
            digest_version: DIGEST_VERSION.into(),
            repro_id,
            runs,
            aggregate,
        }
    }

    /// Exit code of the set: invalid when any run is, budget exceeded when all are, else pass when
    /// the pass rate reaches the threshold. No run at all is invalid.
    #[must_use]
    pub fn exit_code(&self, pass_threshold: f64) -> u8 {
        let any = |s| self.runs.iter().any(|r| r.status == s);
        let all = |s| self.runs.iter().all(|r| r.status == s);
        let status = if self.runs.is_empty() || any(RunStatus::Invalid) {
            RunStatus::Invalid
        } else if all(RunStatus::BudgetExceeded) {
            RunStatus::BudgetExceeded
        } else if self.aggregate.pass_rate >= pass_threshold {
            RunStatus::Pass
        } else {
            RunStatus::Fail
        };
        status.exit_code()
    }
}

/// First entry at which one of several journals differs from the first. Each journal is its id and
/// the canonical bytes of its entries, see
/// [`JournalEntry::canonical`](crate::journal::JournalEntry::canonical).
#[must_use]
pub fn first_divergence(journals: &[(String, Vec<Vec<u8>>)]) -> Option<Divergence> {
    let (first, rest) = journals.split_first()?;
    rest.iter().find_map(|(run, entries)| {
        let differs = first.1.iter().zip(entries).position(|(a, b)| a != b);
        let shorter = first.1.len().min(entries.len());
        let at = differs.or((first.1.len() != entries.len()).then_some(shorter))?;
        Some(Divergence { run: run.clone(), seq: at as u64 + 1 })
    })
}
