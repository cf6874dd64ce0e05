//! The loop: an agent proposes, the judge decides, certificates and journal follow.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cellwright_contract::agent::{Agent, AgentError, Feedback};
use cellwright_contract::budget::{CostBudget, CostKind};
use cellwright_contract::certificate::{InputDigest, InputRole, JournalPoint, KillRate};
use cellwright_contract::gate::{GateId, GateJudgment, GateResult, GateStatus};
use cellwright_contract::metric::MetricValue;
use cellwright_contract::platform::View;
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::{DesignRef, Digest, Hex32};
use cellwright_contract::scenario::Scenario;
use cellwright_db::Snapshot;
use cellwright_formats::load::{FileRead, FileRole};
use serde_json::{Value, json};
use thiserror::Error;

use super::folder::{FolderError, RunFolder};
use super::record::{self, INLINE_PARTS};
use crate::certify::Issuer;
use crate::digest::world::{Entity, world_diff, world_digest};
use crate::digest::{DigestError, Reproduction};
use crate::engines::{EngineConfig, value_of};
use crate::journal::manifest::{MANIFEST_SCHEMA_VERSION, Manifest};
use crate::journal::{DeltaLogWriter, Fsync, JournalEntry, JournalError, JournalWriter};
use crate::judge::{Judge, JudgeError};
use crate::keys::{KeyError, SecretKey};
use crate::mutants;
use crate::pareto::ArchiveError;
use crate::platform::Host;
use crate::seal::{SealError, seal};
use crate::verdict::{
    AssertionResult, Ring, RingEvidence, RunRecord, RunStatus, Severity, Verdict,
};

/// Where a run ends, besides the scenario's budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Most proposals.
    pub proposals: Option<u64>,
    /// Most wall time.
    pub wall: Option<Duration>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The agent has nothing more to propose.
    AgentDone,
    /// [`Limits::proposals`] was reached.
    Proposals,
    /// [`Limits::wall`] was reached.
    WallTime,
    /// A part of the scenario's budget is used up.
    Budget(CostKind),
    /// The observer asked to stop.
    Interrupted,
    /// The agent gave up with an error.
    AgentFailed,
}

/// What a run is made from.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The start.
    pub snapshot: &'a Snapshot,
    /// Files that were read for it, as the copied bundle names them.
    pub files: &'a [FileRead],
    /// Scenario.
    pub scenario: Scenario,
    /// Engines.
    pub config: EngineConfig,
    /// Proposals to judge before the agent begins, such as a first placement. The figures after
    /// them are the baseline.
    pub first: Vec<Proposal>,
    /// Limits.
    pub limits: Limits,
    /// Seed.
    pub seed: u64,
    /// What is not shown by any certificate of this run, beyond what always is.
    pub not_proven: Vec<String>,
}

/// What just happened, for a progress line.
#[derive(Debug)]
pub struct Note<'a> {
    /// Proposals judged so far.
    pub proposals: u64,
    /// Of which passed.
    pub accepted: u64,
    /// The last proposal.
    pub proposal: &'a Proposal,
    /// Whether it passed.
    pub passed: bool,
    /// Figures of the head.
    pub head: &'a [MetricValue],
    /// What the run has cost.
    pub spent: CostBudget,
    /// Wall time since the run began.
    pub elapsed: Duration,
}

/// Watches a run.
pub trait Observer {
    /// Called after each proposal; false ends the run.
    fn note(&mut self, note: &Note<'_>) -> bool;
}

impl Observer for () {
    fn note(&mut self, _: &Note<'_>) -> bool {
        true
    }
}

/// A run cannot go on. What was journaled stays.
#[derive(Debug, Error)]
pub enum RunError {
    /// Files of the run directory.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The judge.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// A value without canonical form.
    #[error(transparent)]
    Digest(#[from] DigestError),
    /// A certificate cannot be made.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The scenario names something without a plain name.
    #[error("scenario: {0}")]
    Scenario(String),
    /// A first proposal was rejected.
    #[error("`{id}` was rejected: {why}")]
    First {
        /// The proposal.
        id: String,
        /// The gates that did not pass.
        why: String,
    },
}

/// How a run ended.
#[derive(Debug)]
pub struct Summary {
    /// Why it ended.
    pub stop: StopReason,
    /// What the agent said when it failed.
    pub agent_error: Option<AgentError>,
    /// Proposals judged, the first ones included.
    pub proposals: u64,
    /// Of which passed.
    pub accepted: u64,
    /// Figures that the agent started from.
    pub baseline: Vec<MetricValue>,
    /// Figures at the end.
    pub head: Vec<MetricValue>,
    /// The Pareto front: id and objective values in the scenario's order.
    pub front: Vec<(String, Vec<f64>)>,
    /// The best candidate by regret.
    pub best: Option<String>,
    /// Certificates in order.
    pub certificates: Vec<PathBuf>,
    /// Negative controls.
    pub kill_rates: Vec<KillRate>,
    /// Mutants that passed although they must not.
    pub survivors: Vec<&'static str>,
    /// What the run cost, wall time left out.
    pub spent: CostBudget,
    /// Wall time.
    pub elapsed: Duration,
    /// The design at the start of the agent's work and at the end.
    pub start: Snapshot,
    /// The design at the end.
    pub end: Snapshot,
    /// The verdict.
    pub verdict: Verdict,
}

fn input_role(role: FileRole) -> InputRole {
    match role {
        FileRole::Lef => InputRole::Technology,
        FileRole::Liberty => InputRole::Library,
        FileRole::Sdc => InputRole::Constraints,
        FileRole::Spef => InputRole::Parasitics,
        FileRole::Bundle | FileRole::Verilog | FileRole::Def => InputRole::Design,
    }
}

/// Packs as the manifest names them: each input file with the BLAKE3 of its unpacked content.
pub(super) fn packs(files: &[FileRead]) -> BTreeMap<String, String> {
    let name = |file: &FileRead| {
        file.path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
    };
    files.iter().map(|file| (name(file), Digest::Blake3(file.digest).to_string())).collect()
}

/// The manifest of a run.
pub(super) fn manifest(
    scenario: &Scenario,
    seed: u64,
    files: &[FileRead],
    snapshot: &Snapshot,
) -> Result<Manifest, RunError> {
    let packs = packs(files);
    let value = serde_json::to_value(scenario).map_err(DigestError::from)?;
    let base = snapshot.root().to_string();
    let version = env!("CARGO_PKG_VERSION");
    let reproduction = Reproduction {
        scenario: &value,
        seed,
        engine_version: version,
        packs: &packs,
        base_snapshot: Some(&base),
    };
    let canonical = crate::digest::canonical(&value)?;
    Ok(Manifest {
        schema_version: MANIFEST_SCHEMA_VERSION.to_owned(),
        repro_id: reproduction.id()?,
        engine_version: version.to_owned(),
        scenario_sha: Digest::Sha256(crate::digest::digest_set(&canonical).sha256.0),
        seed,
        packs,
        base_snapshot: Some(base),
        determinism: "strict".to_owned(),
    })
}

/// Entities of a judge's world: the head, the archive and its candidates.
pub(super) fn world(judge: &Judge) -> Vec<Entity> {
    let entity = |kind: &str, id: &str, data: Value| Entity {
        entity_type: format!("cellwright.{kind}"),
        id: Value::String(id.to_owned()),
        data,
    };
    let archive = judge.archive();
    let mut world = vec![
        entity("branch", "main", json!({ "root": judge.head().to_string() })),
        entity("archive", "pareto", json!({ "root": archive.root().to_string() })),
    ];
    for id in archive.fronts().into_iter().flatten() {
        let values = archive.values(id).unwrap_or(&[]);
        let names = archive.objectives().iter().map(|objective| objective.metric.clone());
        let data: serde_json::Map<String, Value> =
            names.zip(values.iter().map(|value| json!(value))).collect();
        world.push(entity("candidate", id, Value::Object(data)));
    }
    world
}

/// Virtual time of an entry: one second per entry from a fixed moment.
pub(super) fn virtual_time(seq: u64) -> String {
    let ms = i64::try_from(seq).unwrap_or(i64::MAX).saturating_mul(1000);
    cellwright_contract::time::Timestamp::from_unix_ms(ms).to_string()
}

fn wall_ns() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // The journal's numbers stay below 2^53; microsecond steps keep them there for centuries.
    u64::try_from(now.as_micros()).unwrap_or(0).saturating_mul(1000) & ((1 << 53) - 1)
}

struct Recorder<'a> {
    folder: &'a RunFolder,
    journal: JournalWriter,
    deltas: DeltaLogWriter,
    records: u64,
    key: &'a SecretKey,
    issuer: Issuer,
    previous: Option<String>,
    certificates: Vec<PathBuf>,
    version: u64,
    proposals: u64,
    accepted: u64,
    evidence: RingEvidence,
    first: bool,
}

impl Recorder<'_> {
    /// Judges a proposal for good, journals it and signs it when it passed.
    fn commit(
        &mut self,
        host: &mut Host,
        proposal: &Proposal,
    ) -> Result<record::Outcome, RunError> {
        let started = wall_ns();
        let point = self.journal.point();
        let spent = host.spent();
        let reply = record::commit(host.judge_mut(), proposal, self.previous.as_deref(), &spent)?;
        let outcome = reply.outcome;
        host.charge(&outcome.judged.consumed);
        let mut result = reply.result;
        let inline = record::parts(&proposal.expected_delta) <= INLINE_PARTS;
        let logged = outcome.certificate.is_some() || !inline;
        let mut record_number = None;
        if logged {
            self.deltas.push(&outcome.judged.delta.canonical_bytes())?;
            let batch = self.deltas.seal_batch()?;
            result["deltas"] = serde_json::to_value(&batch).map_err(DigestError::from)?;
            record_number = (!inline).then_some(self.records);
            self.records += 1;
        }
        let seq = self.journal.next_seq();
        let (before, after) =
            (self.version, self.version + u64::from(outcome.certificate.is_some()));
        self.version = after;
        let entry = JournalEntry {
            seq,
            arrival_seq: seq,
            commit_seq: seq,
            turn_id: seq,
            vt: virtual_time(seq),
            tool: "cw.commit".to_owned(),
            args: record::args(proposal, record_number, self.first, &spent)?,
            result,
            error: Value::Null,
            fault_injected: false,
            world_version_before: before,
            world_version_after: after,
            wall_start_ns: started,
            wall_end_ns: wall_ns(),
        };
        self.journal.append(&entry)?;
        self.proposals += 1;
        note_evidence(&mut self.evidence, seq, &outcome.judged.judgment);
        if let Some(id) = &outcome.certificate {
            self.accepted += 1;
            let statement = self.issuer.statement(
                host.judge(),
                id,
                &proposal.id,
                outcome.parent,
                &outcome.before,
                &outcome.judged,
                point,
                self.previous.as_deref(),
            )?;
            let path = self.folder.certificate(id);
            self.folder.write(&path, &seal(&statement, &[self.key])?)?;
            self.certificates.push(path);
            self.previous = Some(id.clone());
            host.refresh();
        }
        Ok(outcome)
    }
}

/// Runs a scenario. The folder must be new ([`RunFolder::create`]) and hold the bundle already.
///
/// # Errors
/// [`RunError`]; an agent that fails ends the run without an error.
pub fn run(
    plan: Plan<'_>,
    folder: &RunFolder,
    key: &SecretKey,
    agent: &mut dyn Agent,
    observer: &mut dyn Observer,
) -> Result<Summary, RunError> {
    let scenario = plan.scenario.clone();
    let manifest = manifest(&scenario, plan.seed, plan.files, plan.snapshot)?;
    folder.write_json(&folder.manifest(), &manifest)?;
    folder.write_json(&folder.scenario(), &scenario)?;
    folder.write_json(&folder.subject(), &scenario.agent)?;
    key.public().save(&folder.issuer())?;

    let design_ref = scenario.design.clone();
    let mut judge = Judge::new(plan.snapshot, scenario.clone(), plan.config)?;
    let world_before = world(&judge);
    let mut not_proven = vec![
        "routability: no router has run; congestion is an estimate from net boxes".to_owned(),
        "timing: delays are computed from estimated or annotated parasitics, without crosstalk or on-chip variation beyond the constraints' derates".to_owned(),
        "manufacturability: no design rule check on layout has run".to_owned(),
        "equivalence: logic is shown unchanged through buffers and equivalent pins, not by a formal tool".to_owned(),
    ];
    not_proven.extend(plan.not_proven);
    if let Some(doubt) = judge.timing_doubt() {
        not_proven.push(format!("timing that the engine does not do for this design: {doubt}"));
    }
    let inputs = plan.files.iter().map(|file| InputDigest {
        role: input_role(file.role),
        name: file.path.to_string_lossy().into_owned(),
        digest: cellwright_contract::certificate::DigestSet {
            sha256: Hex32(file.sha256),
            blake3: Hex32(file.digest),
        },
    });
    let mut recorder = Recorder {
        folder,
        journal: JournalWriter::create(
            &folder.journal(),
            Fsync::Group { entries: 16, delay: Duration::from_millis(200) },
        )?,
        deltas: DeltaLogWriter::create(&folder.deltas())?,
        records: 0,
        key,
        issuer: Issuer {
            design: DesignRef::clone(&design_ref),
            scenario: scenario
                .reference()
                .map_err(|error| RunError::Scenario(error.to_string()))?,
            inputs: inputs.collect(),
            kill_rates: Vec::new(),
            not_proven,
        },
        previous: None,
        certificates: Vec::new(),
        version: 0,
        proposals: 0,
        accepted: 0,
        evidence: RingEvidence::default(),
        first: true,
    };

    // Negative controls need a legal placement to start from, so they run after the first
    // proposals; certificates of those say so by an empty list.
    let mut host = Host::new(judge, design_ref.clone(), CostBudget::default());
    for proposal in &plan.first {
        let outcome = recorder.commit(&mut host, proposal)?;
        if outcome.certificate.is_none() {
            let why = outcome
                .judged
                .judgment
                .not_passed()
                .map(|gate| format!("{}: {}", gate.id, gate.evidence));
            let why = why.collect::<Vec<_>>().join("; ");
            recorder.journal.sync()?;
            return Err(RunError::First { id: proposal.id.clone(), why });
        }
    }
    recorder.first = false;
    judge = host.into_judge();
    judge.rebase();
    let (kill_rates, survivors) = mutants::kill_rates(&mut judge)?;
    recorder.issuer.kill_rates.clone_from(&kill_rates);
    let start = judge.design().base().clone();
    let mut host = Host::new(judge, design_ref, scenario.budget);

    let (stop, agent_error) =
        drive(&mut recorder, &mut host, &scenario, plan.seed, plan.limits, agent, observer)?;
    recorder.journal.sync()?;
    drop(recorder.deltas);

    let judge = host.judge();
    let end = End {
        seed: plan.seed,
        finished: agent_error.is_none(),
        final_response: Some(format!("{stop:?}")),
        point: recorder.journal.point(),
    };
    let record = run_record(judge, &world_before, &recorder.evidence, end)?;
    let verdict = Verdict::of(manifest.repro_id, vec![record], None);
    folder.write_json(&folder.verdict(), &verdict)?;

    let archive = judge.archive();
    let front: Vec<(String, Vec<f64>)> = archive
        .fronts()
        .first()
        .into_iter()
        .flatten()
        .map(|id| ((*id).to_owned(), archive.values(id).unwrap_or(&[]).to_vec()))
        .collect();
    let best = match front.first() {
        Some((id, _)) => Some(archive.standing(id)?.best_id),
        None => None,
    };
    Ok(Summary {
        stop,
        agent_error,
        proposals: recorder.proposals,
        accepted: recorder.accepted,
        baseline: judge.baseline().to_vec(),
        head: judge.head_metrics().to_vec(),
        front,
        best,
        certificates: recorder.certificates,
        kill_rates,
        survivors,
        spent: host.spent(),
        elapsed: host.elapsed(),
        start,
        end: judge.design().base().clone(),
        verdict,
    })
}

/// Asks the agent until it is done or a limit is met.
fn drive(
    recorder: &mut Recorder<'_>,
    host: &mut Host,
    scenario: &Scenario,
    seed: u64,
    limits: Limits,
    agent: &mut dyn Agent,
    observer: &mut dyn Observer,
) -> Result<(StopReason, Option<AgentError>), RunError> {
    if let Err(error) = agent.begin(host, scenario, seed) {
        return Ok((StopReason::AgentFailed, Some(error)));
    }
    let before = recorder.proposals;
    let mut feedback: Option<Feedback> = None;
    loop {
        if limits.proposals.is_some_and(|most| recorder.proposals - before >= most) {
            return Ok((StopReason::Proposals, None));
        }
        if limits.wall.is_some_and(|most| host.elapsed() >= most) {
            return Ok((StopReason::WallTime, None));
        }
        if let Some(kind) = host.exhausted() {
            return Ok((StopReason::Budget(kind), None));
        }
        let proposal = match agent.propose(host, feedback.as_ref()) {
            Ok(Some(proposal)) => proposal,
            Ok(None) if limits.wall.is_some_and(|most| host.elapsed() >= most) => {
                return Ok((StopReason::WallTime, None));
            }
            Ok(None) => return Ok((StopReason::AgentDone, None)),
            Err(error) => return Ok((StopReason::AgentFailed, Some(error))),
        };
        let outcome = recorder.commit(host, &proposal)?;
        let passed = outcome.certificate.is_some();
        let archive = host.judge().archive();
        let rank = if passed { Some(archive.rank(&proposal.id)?) } else { None };
        let regret = if passed { Some(archive.regret(&proposal.id)?.0) } else { None };
        let note = Note {
            proposals: recorder.proposals,
            accepted: recorder.accepted,
            proposal: &proposal,
            passed,
            head: host.judge().head_metrics(),
            spent: host.spent(),
            elapsed: host.elapsed(),
        };
        let go_on = observer.note(&note);
        feedback = Some(Feedback {
            proposal_id: proposal.id,
            judgment: outcome.judged.judgment,
            metrics: outcome.judged.metrics,
            accepted: passed,
            rank,
            regret,
            consumed: outcome.judged.consumed,
            remaining: host.remaining(),
        });
        if !go_on {
            return Ok((StopReason::Interrupted, None));
        }
    }
}

/// How a run ended, as far as its judge cannot know.
pub(super) struct End {
    /// Seed.
    pub(super) seed: u64,
    /// Whether the agent did not fail.
    pub(super) finished: bool,
    /// What it said last.
    pub(super) final_response: Option<String>,
    /// The journal's head.
    pub(super) point: JournalPoint,
}

/// The verdict's record of a run, made the same way by the run and by its replay.
pub(super) fn run_record(
    judge: &Judge,
    world_before: &[Entity],
    evidence: &RingEvidence,
    end: End,
) -> Result<RunRecord, DigestError> {
    let world_after = world(judge);
    let (Digest::Sha256(head) | Digest::Blake3(head)) = end.point.digest;
    let assertions = assertions(judge, evidence);
    Ok(RunRecord {
        run_id: "run-1".to_owned(),
        seed: end.seed,
        status: RunStatus::of(false, end.finished, &assertions),
        steps: end.point.seq,
        final_response: end.final_response,
        journal_digest: Hex32(head),
        world_digest: world_digest(&world_after)?,
        world_diff: world_diff(world_before, &world_after)?,
        assertions,
    })
}

/// Notes what entry `seq` shows about where a run went wrong, if it did.
pub(super) fn note_evidence(evidence: &mut RingEvidence, seq: u64, judgment: &GateJudgment) {
    evidence.acted = true;
    let malformed =
        |gate: &GateResult| gate.id == GateId::Schema && gate.status == GateStatus::Fail;
    if judgment.gates.iter().any(malformed) {
        evidence.args_invalid.push(seq);
    }
}

/// What a run must have reached: a legal head that is no worse than the baseline by the scenario's
/// own weights.
fn assertions(judge: &Judge, evidence: &RingEvidence) -> Vec<AssertionResult> {
    let violations = value_of(judge.head_metrics(), "legality_violations").unwrap_or(f64::NAN);
    let objectives = &judge.scenario().objectives;
    let mut relative = 0.0;
    for objective in objectives {
        let (was, is) = (
            value_of(judge.baseline(), &objective.metric),
            value_of(judge.head_metrics(), &objective.metric),
        );
        if let (Some(was), Some(is)) = (was, is) {
            let sign = match objective.direction() {
                Some(cellwright_contract::metric::Direction::Maximize) => -1.0,
                _ => 1.0,
            };
            let scale = if was.abs() > 1e-9 { was.abs() } else { 1.0 };
            relative += sign * objective.weight * (is - was) / scale;
        }
    }
    let assertion = |id: &str, pass: bool, seen: Value| {
        let (ring, journal_refs) = if pass {
            (None, Vec::new())
        } else {
            let (ring, refs) = evidence.earliest(Ring::FinalState, &[]);
            (Some(ring), refs)
        };
        AssertionResult {
            id: id.to_owned(),
            kind: "final_state".to_owned(),
            pass,
            ring,
            intermediate: seen,
            journal_refs,
            weight: 1.0,
            severity: Severity::Critical,
            error: None,
        }
    };
    vec![
        assertion("legal", violations == 0.0, json!({ "violations": violations })),
        assertion(
            "no-worse-than-baseline",
            relative <= 0.0,
            json!({ "relative_change": relative }),
        ),
    ]
}
