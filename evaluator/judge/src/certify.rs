//! Certificates: what the judge signs of a child that passed every gate.

use cellwright_contract::certificate::{
    Certificate, DigestSet, EngineVersion, InputDigest, JournalPoint, KillRate, MetricChange,
    PREDICATE_TYPE, STATEMENT_TYPE, Statement, Subject,
};
use cellwright_contract::gate::Maturity;
use cellwright_contract::metric::MetricValue;
use cellwright_contract::refs::{DesignRef, Hex32, ScenarioRef};
use cellwright_contract::time::Timestamp;
use cellwright_db::{Delta, Root};

use crate::digest::digest_set;
use crate::judge::{Judge, Judged};
use crate::pareto::ArchiveError;

/// Version of the evaluation, as certificates name it.
pub const ISSUER: &str = concat!("Evaluation/v", env!("CARGO_PKG_VERSION"));

/// What does not change between the certificates of a run.
#[derive(Debug, Clone)]
pub struct Issuer {
    /// The design.
    pub design: DesignRef,
    /// The scenario.
    pub scenario: ScenarioRef,
    /// Files that were read.
    pub inputs: Vec<InputDigest>,
    /// Negative controls of this run's gates.
    pub kill_rates: Vec<KillRate>,
    /// What no certificate of this run shows.
    pub not_proven: Vec<String>,
}

/// The engines by name, with how far each has been proven.
pub fn engines(timing: bool) -> Vec<EngineVersion> {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let mut names = vec!["cw.db", "cw.measure", "cw.evaluate"];
    if timing {
        names.push("cw.sta");
    }
    let engine = |name: &str| EngineVersion {
        name: name.to_owned(),
        version: version.clone(),
        maturity: Maturity::WorkflowValidated,
    };
    names.into_iter().map(engine).collect()
}

/// A subject's digests. A snapshot is identified by its root, which is a BLAKE3 hash already; the
/// SHA-256 beside it is of the root's text.
fn snapshot_subject(name: &str, root: Root) -> Subject {
    let sha256 = digest_set(root.to_string().as_bytes()).sha256;
    Subject { name: name.to_owned(), digest: DigestSet { sha256, blake3: Hex32(root.0) } }
}

/// Id of the certificate of a proposal: a function of what it certifies, so that a replay names it
/// the same.
pub fn certificate_id(
    proposal_id: &str,
    parent: Root,
    child: Root,
    previous: Option<&str>,
) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"cellwright certificate v1");
    hasher.update(&parent.0);
    hasher.update(&child.0);
    hasher.update(proposal_id.as_bytes());
    hasher.update(previous.unwrap_or("").as_bytes());
    format!("cert-{}", &hasher.finalize().to_hex()[..32])
}

impl Issuer {
    /// The statement about a child that is the judge's head now.
    ///
    /// # Errors
    /// [`ArchiveError`] when the proposal is not in the archive.
    #[allow(clippy::too_many_arguments)]
    pub fn statement(
        &self,
        judge: &Judge,
        id: &str,
        proposal_id: &str,
        parent: Root,
        before: &[MetricValue],
        judged: &Judged,
        journal: JournalPoint,
        previous: Option<&str>,
    ) -> Result<Statement, ArchiveError> {
        let (regret, regret_detail) = judge.archive().regret(proposal_id)?;
        let pareto_position = judge.archive().rank(proposal_id)?;
        let archive_root = judge.archive().root();
        let of = |metrics: &[MetricValue], wanted: &MetricValue| {
            let same = |m: &&MetricValue| m.metric == wanted.metric && m.corner == wanted.corner;
            metrics.iter().find(same).map(|m| m.value)
        };
        let metrics = judged
            .metrics
            .iter()
            .map(|metric| MetricChange {
                metric: metric.metric.clone(),
                unit: metric.unit.clone(),
                corner: metric.corner.clone(),
                before: of(before, metric),
                after: Some(metric.value),
            })
            .collect();
        Ok(Statement {
            kind: STATEMENT_TYPE.to_owned(),
            subject: vec![
                snapshot_subject("parent", parent),
                snapshot_subject("child", judge.head()),
                Subject { name: "delta".to_owned(), digest: delta_digest(&judged.delta) },
            ],
            predicate_type: PREDICATE_TYPE.to_owned(),
            predicate: Certificate {
                id: id.to_owned(),
                proposal_id: proposal_id.to_owned(),
                design_ref: self.design.clone(),
                scenario_ref: self.scenario.clone(),
                gate_result: judged.judgment.clone(),
                pareto_position,
                regret,
                regret_detail,
                signed_by: ISSUER.to_owned(),
                signed_at: Timestamp::from_system(std::time::SystemTime::now()),
                metrics,
                engines: engines(judge.engines().timing().is_some()),
                inputs: self.inputs.clone(),
                journal,
                archive_root,
                kill_rates: self.kill_rates.clone(),
                not_proven: self.not_proven.clone(),
                parent_certificate: previous.map(str::to_owned),
            },
        })
    }
}

/// Digests of a delta's canonical bytes.
pub fn delta_digest(delta: &Delta) -> DigestSet {
    digest_set(&delta.canonical_bytes())
}
