//! Replays a run: the same proposals before a fresh judge must leave the same journal and world.

use std::path::Path;

use cellwright_contract::budget::CostBudget;
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::Digest;
use cellwright_contract::scenario::Scenario;
use cellwright_db::{Delta, Snapshot};
use cellwright_formats::load::FileRead;
use serde_json::Value;
use thiserror::Error;

use super::folder::{FolderError, RunFolder};
use super::record;
use super::session::{End, RunError, manifest, note_evidence, run_record, world};
use crate::digest::DigestError;
use crate::engines::EngineConfig;
use crate::journal::manifest::{Manifest, ReplayOutcome};
use crate::journal::{DeltaBatch, DeltaLogReader, JournalError, read_all};
use crate::judge::{Judge, JudgeError};
use crate::keys::{PublicKey, TrustList};
use crate::seal::{Policy, open};
use crate::verdict::{RingEvidence, Verdict};

/// A replay cannot begin or go on; this is no answer about the run.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// Files of the run directory.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The journal itself is broken: a line is missing, torn or out of form.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The judge.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// A value without canonical form.
    #[error(transparent)]
    Digest(#[from] DigestError),
    /// The manifest cannot be made.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The run has no verdict.
    #[error("the run has no verdict.json: it was interrupted; its certificates can be verified")]
    Interrupted,
    /// The issuer's key is missing or not in order, so that no certificate of the run can be checked.
    #[error("issuer.pub: {0}")]
    Issuer(String),
    /// An entry is not of a kind that a run writes.
    #[error("journal entry {seq}: {why}")]
    Entry {
        /// The entry.
        seq: u64,
        /// What is wrong.
        why: String,
    },
}

/// Replays the run in `folder` from a freshly loaded design.
///
/// # Errors
/// [`ReplayError`] when the run directory cannot be read; a run that comes out differently is an
/// answer, not an error.
pub fn replay(
    folder: &Path,
    snapshot: &Snapshot,
    files: &[FileRead],
    config: EngineConfig,
) -> Result<ReplayOutcome, ReplayError> {
    let folder = RunFolder::open(folder);
    let recorded: Manifest = folder.read_json(&folder.manifest())?;
    let scenario: Scenario = folder.read_json(&folder.scenario())?;
    let here = manifest(&scenario, recorded.seed, files, snapshot)?;
    if let Some(outcome) = recorded.mismatch(&here) {
        return Ok(outcome);
    }
    // What is left of the manifest follows from the scenario and the seed.
    if recorded != here {
        return Ok(ReplayOutcome::ScenarioChanged);
    }
    if !folder.verdict().exists() {
        return Err(ReplayError::Interrupted);
    }
    let verdict: Verdict = folder.read_json(&folder.verdict())?;
    let (entries, point) = read_all(&folder.journal())?;
    let diverged = |seq: u64| ReplayOutcome::TrajectoryDiverged { run: "run-1".to_owned(), seq };
    let run = verdict.runs.first();
    if let Some(run) = run
        && Digest::Sha256(run.journal_digest.0) != point.digest
    {
        // The journal is well formed and not the one that the verdict speaks of: entries are
        // missing at its end or were changed in place. The first entry that a fresh judge does not
        // confirm is found below; a missing end shows as the entry after the last.
        if entries.len() as u64 != run.steps {
            return Ok(diverged(entries.len() as u64 + 1));
        }
    }
    let mut trust = TrustList::new();
    let issuer =
        PublicKey::load(&folder.issuer()).map_err(|e| ReplayError::Issuer(e.to_string()))?;
    trust.add(&issuer).map_err(ReplayError::Issuer)?;
    let mut log = DeltaLogReader::open(&folder.deltas())?;
    let mut judge = Judge::new(snapshot, scenario, config)?;
    let world_before = world(&judge);
    let mut evidence = RingEvidence::default();
    let mut previous: Option<String> = None;
    let mut rebased = false;
    for entry in &entries {
        if entry.tool != "cw.commit" {
            let why = format!("`{}` is not replayed", entry.tool);
            return Err(ReplayError::Entry { seq: entry.seq, why });
        }
        let bad = |why: String| ReplayError::Entry { seq: entry.seq, why };
        let mut proposal: Proposal = serde_json::from_value(entry.args["proposal"].clone())
            .map_err(|error| bad(error.to_string()))?;
        let spent: CostBudget = serde_json::from_value(entry.args["spent"].clone())
            .map_err(|error| bad(error.to_string()))?;
        // The agent's account begins with its first proposal, and so does the baseline.
        let first = entry.args["first"].as_bool() == Some(true);
        if !rebased && !first {
            judge.rebase();
            rebased = true;
        }
        let mut batch: Option<DeltaBatch> = None;
        let mut logged = None;
        if let Some(value) = entry.result.get("deltas") {
            let named: DeltaBatch =
                serde_json::from_value(value.clone()).map_err(|error| bad(error.to_string()))?;
            // A delta that does not fit its batch is a divergence of this very entry.
            let Ok(records) = log.next_batch(&named) else { return Ok(diverged(entry.seq)) };
            logged = records.into_iter().next();
            batch = Some(named);
        }
        if entry.args["delta_record"].is_u64() {
            let decoded =
                logged.as_deref().and_then(|bytes| Delta::from_canonical_bytes(bytes).ok());
            let words = decoded.and_then(|delta| record::proposal_of_delta(judge.design(), &delta));
            let Some(words) = words else { return Ok(diverged(entry.seq)) };
            let summary = proposal.expected_delta.summary;
            proposal.expected_delta = words;
            proposal.expected_delta.summary = summary;
        }
        let reply = record::commit(&mut judge, &proposal, previous.as_deref(), &spent)?;
        let mut result = reply.result;
        if let (Some(batch), Some(bytes)) = (&batch, &logged) {
            if *bytes != reply.outcome.judged.delta.canonical_bytes() {
                return Ok(diverged(entry.seq));
            }
            result["deltas"] = serde_json::to_value(batch).map_err(DigestError::from)?;
        }
        note_evidence(&mut evidence, entry.seq, &reply.outcome.judged.judgment);
        if let Some(id) = reply.outcome.certificate {
            if !folder.certificate(&id).exists() {
                return Err(bad(format!("its certificate `{id}` is missing")));
            }
            certified(&folder, &id, &trust, &judge).map_err(bad)?;
            previous = Some(id);
        }
        let mut again = entry.clone();
        again.result = result;
        again.args = record::args(&proposal, entry.args["delta_record"].as_u64(), first, &spent)?;
        again.error = Value::Null;
        if again.canonical()? != entry.canonical()? {
            return Ok(diverged(entry.seq));
        }
    }
    if !rebased {
        judge.rebase();
    }
    // The whole verdict must come out again, not its digests alone; what only the run itself could
    // know (how the agent ended) is taken from the record.
    let last = entries.len() as u64 + 1;
    let Some(run) = run else { return Ok(diverged(last)) };
    let end = End {
        seed: recorded.seed,
        finished: run.final_response.as_deref() != Some("AgentFailed"),
        final_response: run.final_response.clone(),
        point,
    };
    let record = run_record(&judge, &world_before, &evidence, end)?;
    if Verdict::of(recorded.repro_id, vec![record], None) != verdict {
        return Ok(diverged(last));
    }
    Ok(ReplayOutcome::Verified)
}

/// Whether the run's certificate of this name is the issuer's, and of the snapshot that the replay
/// has come to.
fn certified(folder: &RunFolder, id: &str, trust: &TrustList, judge: &Judge) -> Result<(), String> {
    let bytes = std::fs::read(folder.certificate(id)).map_err(|error| error.to_string())?;
    let opened = open(&bytes, trust, Policy::default());
    let (statement, _) = opened.map_err(|error| format!("its certificate `{id}`: {error}"))?;
    let child = statement.subject.iter().find(|subject| subject.name == "child");
    let fits = statement.predicate.id == id
        && child.is_some_and(|child| child.digest.blake3.0 == judge.head().0);
    if fits { Ok(()) } else { Err(format!("its certificate `{id}` is of another snapshot")) }
}
