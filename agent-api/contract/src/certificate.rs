//! What the judge signs: an in-toto Statement v1 with our predicate.
//!
//! The Statement is carried in a DSSE envelope; the signature covers its raw bytes. Sources: in-toto
//! attestation framework v1 (`spec/v1/statement.md`), DSSE v1.0 (`protocol.md`).

use crate::gate::{GateId, GateJudgment, GateStatus, Maturity};
use crate::limits::{MAX_DELTA_ITEMS, MAX_ID_BYTES, MAX_NAME_BYTES, MAX_TEXT_BYTES};
use crate::number::{Finite, FiniteOpt, Uint53};
use crate::rank::{ParetoRank, RegretDetail};
use crate::refs::{DesignRef, Digest, Hex32, ScenarioRef};
use crate::time::Timestamp;
use crate::validate::{At, Report, Validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `_type` of an in-toto Statement v1.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// `predicateType` of a certificate.
pub const PREDICATE_TYPE: &str = "urn:cellwright:certificate:v1";
/// `payloadType` of the DSSE envelope around a Statement.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// The two digests of a subject or input, 64 hex digits each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DigestSet {
    /// SHA-256.
    pub sha256: Hex32,
    /// BLAKE3.
    pub blake3: Hex32,
}

/// What a Statement is about: a name and its digests (in-toto ResourceDescriptor).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// `parent`, `child` or `delta`, or the name of a file.
    #[schemars(length(min = 1, max = 4096))]
    pub name: String,
    /// Digests of its bytes.
    pub digest: DigestSet,
}

/// An in-toto Statement v1 around a certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Always [`STATEMENT_TYPE`].
    #[serde(rename = "_type")]
    pub kind: String,
    /// The parent snapshot, the child snapshot and the delta.
    pub subject: Vec<Subject>,
    /// Always [`PREDICATE_TYPE`].
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// What is stated.
    pub predicate: Certificate,
}

/// Names of the subjects that every certificate has.
pub const SUBJECTS: [&str; 3] = ["parent", "child", "delta"];

/// What the judge found of one proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// Unique.
    #[schemars(length(min = 1, max = 256))]
    pub id: String,
    /// The proposal that was judged.
    #[schemars(length(min = 1, max = 256))]
    pub proposal_id: String,
    /// The design.
    pub design_ref: DesignRef,
    /// The scenario.
    pub scenario_ref: ScenarioRef,
    /// What the gates said.
    pub gate_result: GateJudgment,
    /// Where the candidate stands.
    pub pareto_position: ParetoRank,
    /// Scalarised distance to the best candidate known at signing, normalised; 0 for the best.
    #[serde(with = "Finite")]
    pub regret: f64,
    /// What stands behind `regret`.
    pub regret_detail: RegretDetail,
    /// Who signs: `Evaluation/v<semver>`.
    pub signed_by: String,
    /// When.
    pub signed_at: Timestamp,
    /// Metrics before and after.
    pub metrics: Vec<MetricChange>,
    /// Engines behind the judgment.
    pub engines: Vec<EngineVersion>,
    /// Digests of constraints, libraries, technology and whatever else was read.
    pub inputs: Vec<InputDigest>,
    /// Where the run's journal stood.
    pub journal: JournalPoint,
    /// BLAKE3 Merkle root of the archive after this candidate.
    pub archive_root: Hex32,
    /// How many mutants each gate rejected.
    pub kill_rates: Vec<KillRate>,
    /// What this certificate does not show. Never empty.
    #[schemars(length(min = 1))]
    pub not_proven: Vec<String>,
    /// Id of the certificate that produced the parent snapshot; null when the parent is the base.
    pub parent_certificate: Option<String>,
}

/// A metric before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricChange {
    /// Metric name.
    #[schemars(length(min = 1, max = 4096))]
    pub metric: String,
    /// Unit of both values.
    #[schemars(length(min = 1, max = 64))]
    pub unit: String,
    /// Corner, for a metric that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corner: Option<String>,
    /// On the parent snapshot; null when it is not defined there.
    #[serde(with = "FiniteOpt")]
    pub before: Option<f64>,
    /// On the child snapshot; null when it is not defined there.
    #[serde(with = "FiniteOpt")]
    pub after: Option<f64>,
}

/// An engine, its version and how far it has been proven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineVersion {
    /// Engine name, such as `cw.sta`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// How far it has been proven.
    pub maturity: Maturity,
}

/// What an input file was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InputRole {
    /// Timing constraints.
    Constraints,
    /// Timing or cell library.
    Library,
    /// Technology and cell abstracts.
    Technology,
    /// Netlist or placement.
    Design,
    /// Wire parasitics.
    Parasitics,
    /// Scenario.
    Scenario,
}

/// One file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputDigest {
    /// What it was for.
    pub role: InputRole,
    /// Path relative to the bundle or run directory.
    pub name: String,
    /// Digests of its bytes.
    pub digest: DigestSet,
}

/// A place in a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalPoint {
    /// Head of the journal's digest chain after entry `seq` (SHA-256).
    pub digest: Digest,
    /// Last entry that the digest covers; 0 for an empty journal.
    #[serde(with = "Uint53")]
    pub seq: u64,
}

/// Negative controls of one gate: mutants made, mutants rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KillRate {
    /// The gate.
    pub gate: GateId,
    /// Mutants tried.
    #[serde(with = "Uint53")]
    pub mutants: u64,
    /// Mutants that the gate rejected.
    #[serde(with = "Uint53")]
    pub killed: u64,
}

/// The version in `Evaluation/v<semver>`, when the text has that form.
#[must_use]
pub fn issuer_version(signed_by: &str) -> Option<semver::Version> {
    semver::Version::parse(signed_by.strip_prefix("Evaluation/v")?).ok()
}

impl Validate for Statement {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        for (name, is, want) in [
            ("_type", &self.kind, STATEMENT_TYPE),
            ("predicateType", &self.predicate_type, PREDICATE_TYPE),
        ] {
            if is != want {
                r.push(&at.field(name), format!("must be {want}"));
            }
        }
        for want in SUBJECTS {
            if self.subject.iter().filter(|s| s.name == want).count() != 1 {
                r.push(&at.field("subject"), format!("must name {want} exactly once"));
            }
        }
        let list = at.field("subject");
        for (i, s) in self.subject.iter().enumerate() {
            r.name(&list.index(i).field("name"), &s.name, MAX_NAME_BYTES);
        }
        self.predicate.check(&at.field("predicate"), r);
    }
}

impl Validate for Certificate {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        r.name(&at.field("id"), &self.id, MAX_ID_BYTES);
        r.name(&at.field("proposal_id"), &self.proposal_id, MAX_ID_BYTES);
        self.gate_result.check(&at.field("gate_result"), r);
        self.pareto_position.check(&at.field("pareto_position"), r);
        self.regret_detail.check(&at.field("regret_detail"), r);
        r.within(&at.field("regret"), self.regret, 0.0, f64::MAX);
        if issuer_version(&self.signed_by).is_none() {
            r.push(&at.field("signed_by"), "must be Evaluation/v<semver>");
        }
        if self.gate_result.status != GateStatus::Pass {
            r.push(&at.field("gate_result"), "only a passed judgment is certified");
        }
        let list = at.field("metrics");
        r.at_most(&list, "metrics", self.metrics.len(), MAX_DELTA_ITEMS);
        for (i, m) in self.metrics.iter().enumerate() {
            let at = list.index(i);
            r.name(&at.field("metric"), &m.metric, MAX_NAME_BYTES);
            r.name(&at.field("unit"), &m.unit, 64);
            for (name, v) in [("before", m.before), ("after", m.after)] {
                if let Some(v) = v {
                    r.finite(&at.field(name), v);
                }
            }
        }
        let list = at.field("engines");
        for (i, e) in self.engines.iter().enumerate() {
            r.name(&list.index(i).field("name"), &e.name, MAX_NAME_BYTES);
            r.name(&list.index(i).field("version"), &e.version, MAX_NAME_BYTES);
        }
        if !matches!(self.journal.digest, Digest::Sha256(_)) {
            r.push(&at.field("journal").field("digest"), "the journal's chain is SHA-256");
        }
        let root = self.archive_root;
        if self.pareto_position.archive_root != root || self.regret_detail.archive_root != root {
            r.push(
                &at.field("archive_root"),
                "rank, regret and certificate name different archives",
            );
        }
        let list = at.field("kill_rates");
        for (i, k) in self.kill_rates.iter().enumerate() {
            if k.killed > k.mutants {
                r.push(&list.index(i), "more mutants killed than made");
            }
        }
        let list = at.field("not_proven");
        if self.not_proven.is_empty() {
            r.push(&list, "a certificate always says what it does not show");
        }
        for (i, text) in self.not_proven.iter().enumerate() {
            r.at_most(&list.index(i), "bytes", text.len(), MAX_TEXT_BYTES);
        }
        if let Some(id) = &self.parent_certificate {
            r.name(&at.field("parent_certificate"), id, MAX_ID_BYTES);
        }
    }
}
