//! What one proposal leaves in the journal, made the same way by a run and by its replay.

use cellwright_contract::delta::{CellMove, CellResize, DesignDelta};
use cellwright_contract::proposal::Proposal;
use cellwright_db::{Delta, Design, Op};
use serde_json::{Value, json};

use crate::certify::certificate_id;
use crate::digest::DigestError;
use crate::judge::{Judge, JudgeError, Judged};
use crate::translate::{cell_ref, position};

/// Proposals with more parts than this keep their delta in `deltas.bin` and name its record.
pub(super) const INLINE_PARTS: usize = 2000;

/// What judging a proposal for good gave.
#[derive(Debug)]
pub struct Outcome {
    /// What the judge found.
    pub judged: Judged,
    /// Root before.
    pub parent: cellwright_db::Root,
    /// Figures before.
    pub before: Vec<cellwright_contract::metric::MetricValue>,
    /// Id of the certificate, when all gates held.
    pub certificate: Option<String>,
}

/// An [`Outcome`] with what the journal says of it.
#[derive(Debug)]
pub struct Reply {
    /// The outcome.
    pub outcome: Outcome,
    /// `result` of the journal entry.
    pub result: Value,
}

/// Judges a proposal for good and words the journal's result.
pub(super) fn commit(
    judge: &mut Judge,
    proposal: &Proposal,
    previous: Option<&str>,
    spent: &cellwright_contract::budget::CostBudget,
) -> Result<Reply, JudgeError> {
    judge.set_spent(*spent);
    let parent = judge.head();
    let before = judge.head_metrics().to_vec();
    let judged = judge.commit(proposal)?;
    let passed =
        judged.judgment.passed() && judge.head() != parent || judged.child == Some(judge.head());
    let certificate = passed.then(|| certificate_id(&proposal.id, parent, judge.head(), previous));
    let text = |root: cellwright_db::Root| root.to_string();
    let result = json!({
        "accepted": passed,
        "judgment": judged.judgment,
        "metrics": judged.metrics,
        "delta": cellwright_contract::refs::Hex32(judged.delta.digest()).to_string(),
        "dirty": judged.dirty.as_ref().map(|d| format!("dirty:{}", cellwright_contract::refs::Hex32(d.digest()))),
        "child": judged.child.map(text),
        "certificate": certificate,
        "archive_root": judge.archive().root().to_string(),
        "consumed": judged.consumed,
    });
    Ok(Reply { outcome: Outcome { judged, parent, before, certificate }, result })
}

/// `args` of a journal entry. A large delta stands in `deltas.bin` under the number `record`;
/// `first` proposals come before the agent's and make the baseline.
pub(super) fn args(
    proposal: &Proposal,
    record: Option<u64>,
    first: bool,
    spent: &cellwright_contract::budget::CostBudget,
) -> Result<Value, DigestError> {
    let mut lean = proposal.clone();
    if record.is_some() {
        lean.expected_delta =
            DesignDelta { summary: proposal.expected_delta.summary, ..Default::default() };
    }
    let proposal = serde_json::to_value(&lean)?;
    Ok(json!({ "proposal": proposal, "delta_record": record, "first": first, "spent": spent }))
}

/// How many parts a delta has.
pub(super) fn parts(delta: &DesignDelta) -> usize {
    delta.moved_cells.len() + delta.resized_cells.len() + delta.new_nets.len()
}

/// Moves and resizes of a database delta in the contract's words; `None` when it changes the
/// netlist, which the contract words differently.
pub fn proposal_of_delta(design: &Design, delta: &Delta) -> Option<DesignDelta> {
    let mut words = DesignDelta::default();
    for op in &delta.ops {
        match op {
            Op::Move { cell, from, to } => words.moved_cells.push(CellMove {
                cell_id: cell_ref(*cell),
                from: position(*from),
                to: position(*to),
            }),
            Op::Resize { cell, from, to } => {
                let name = |id| design.library().masters.get(id).map(|master| master.name.clone());
                words.resized_cells.push(CellResize {
                    cell_id: cell_ref(*cell),
                    from_master: name(*from)?,
                    to_master: name(*to)?,
                });
            }
            _ => return None,
        }
    }
    Some(words)
}
