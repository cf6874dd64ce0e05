//! The gates that a proposal must pass, one file each, in the order of the contract.
//!
//! A gate gets a [`Case`] (the child state applied on the working design, with everything that is
//! known of parent and child) and says pass, fail or unknown with its evidence. Unknown never
//! passes.

mod claims;
mod collateral;
mod goals;
mod guards;
mod legality;
mod netlist;
mod untouchable;

use cellwright_contract::gate::{GateId, GateResult, GateStatus, GateValue, Maturity};
use cellwright_contract::metric::MetricValue;
use cellwright_contract::proposal::Proposal;
use cellwright_contract::scenario::Scenario;
use cellwright_db::{Design, DirtySet, Mark, Snapshot};

use crate::engines::Engines;

/// Everything that the gates look at.
#[derive(Debug)]
pub struct Case<'a> {
    /// The proposal.
    pub proposal: &'a Proposal,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The parent.
    pub parent: &'a Snapshot,
    /// The working state, with the delta applied.
    pub design: &'a Design,
    /// Where the delta begins in the design's log.
    pub mark: Mark,
    /// What the delta touched.
    pub dirty: &'a DirtySet,
    /// Engine states of the child.
    pub engines: &'a Engines,
    /// Figures of the parent.
    pub before: &'a [MetricValue],
    /// Figures of the child.
    pub after: &'a [MetricValue],
    /// Figures at the start of the run.
    pub baseline: &'a [MetricValue],
    /// Best figures in the archive, by objective.
    pub best: &'a [MetricValue],
    /// Violations of the parent among fixed objects, which no agent can mend.
    pub fixed_violations: i64,
    /// What the timer does not do for this design: then nothing that rests on timing passes.
    pub timing_doubt: Option<&'a str>,
    /// Whether there is a baseline to guard.
    pub settled: bool,
}

/// A gate that held.
pub fn pass(id: GateId) -> GateResult {
    GateResult {
        id,
        status: GateStatus::Pass,
        value: None,
        limit: None,
        maturity: Maturity::WorkflowValidated,
        evidence: String::new(),
    }
}

/// A gate that did not hold, and why.
pub fn fail(id: GateId, evidence: impl Into<String>) -> GateResult {
    GateResult { status: GateStatus::Fail, evidence: evidence.into(), ..pass(id) }
}

/// A gate that cannot tell, and why.
pub fn unknown(id: GateId, evidence: impl Into<String>) -> GateResult {
    GateResult { status: GateStatus::Unknown, evidence: evidence.into(), ..pass(id) }
}

/// A gate on a number.
pub(crate) fn measured(mut result: GateResult, value: f64, limit: Option<f64>) -> GateResult {
    result.value = Some(GateValue::from(value));
    result.limit = limit.map(GateValue::from);
    result
}

impl Case<'_> {
    /// Why a metric cannot be relied on.
    fn doubt(&self, metric: &str) -> Option<String> {
        let timed = ["wns", "tns"].iter().any(|prefix| metric.starts_with(prefix));
        let doubt = self.timing_doubt.filter(|_| timed)?;
        Some(format!("{metric} is not sure, since the timer does not do everything asked: {doubt}"))
    }
}

/// Gates that look at the netlist and the placement only.
pub fn structural(case: &Case<'_>, gates: &mut Vec<GateResult>) {
    untouchable::check(case, gates);
    legality::check(case, gates);
    netlist::check(case, gates);
}

/// Gates that look at the figures and the promises.
pub fn promised(case: &Case<'_>, timing: bool, gates: &mut Vec<GateResult>) {
    claims::check(case, timing, gates);
    goals::check(case, gates);
    guards::check(case, gates);
}

/// Whether anything outside the dirty set changed.
pub fn collateral(case: &Case<'_>, gates: &mut Vec<GateResult>) {
    collateral::check(case, gates);
}
