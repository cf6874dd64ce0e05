//! `loom-result/1.1`: the one shape of every tool invocation's answer.
//!
//! Two axes that do not imply each other: `status` says whether the process ran,
//! `engineering.status` what the evidence says about the design. Readers ignore fields that they do
//! not know, so this type does not refuse them.

use crate::capability::Assertion;
use crate::event::{Event, Severity};
use crate::gate::Maturity;
use crate::number::Uint53;
use crate::refs::Digest;
use crate::validate::{At, Invalid, Report, Validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// `schema` of an [`Envelope`].
pub const ENVELOPE_SCHEMA: &str = "loom-result/1.1";
/// Code of the event that says that an envelope is not what it should be.
pub const ENVELOPE_INVALID: &str = "MCP-ENVELOPE-INVALID";

/// Whether the process ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// It ran and answered.
    Ok,
    /// It did not; `error` says why.
    Error,
}

/// What the evidence says about the design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The claim holds.
    Pass,
    /// The claim does not hold.
    Fail,
    /// No trustworthy conclusion was reached. Not a failure, and not a pass.
    Unknown,
    /// The operation establishes no claim.
    NotApplicable,
}

/// The verdict and the claim that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Engineering {
    /// The verdict.
    pub status: Verdict,
    /// The claim; null when none was declared.
    pub assertion: Option<String>,
    /// Why, in a sentence.
    pub summary: String,
}

/// A file that the invocation left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Artifact {
    /// What it is.
    pub role: String,
    /// Path, relative to the workspace when it lies inside it.
    pub path: String,
    /// BLAKE3 of its bytes.
    pub hash: Digest,
}

/// Why a process did not run or answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EnvelopeError {
    /// Stable code, such as `engine_nonzero`.
    pub code: String,
    /// What happened.
    pub message: String,
    /// Exit code, when there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// End of what it wrote to stderr.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr_tail: Option<String>,
}

/// Counts over the events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LogSummary {
    /// Events of severity trace.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub trace_count: u64,
    /// Events of severity debug.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub debug_count: u64,
    /// Events of severity info.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub info_count: u64,
    /// Events of severity warn.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub warn_count: u64,
    /// Events of severity error.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub error_count: u64,
    /// The distinct codes, sorted.
    pub codes: Vec<String>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The events of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Logs {
    /// How many.
    #[serde(with = "Uint53")]
    pub count: u64,
    /// The events, in order.
    pub events: Vec<Event>,
    /// Counts over them.
    pub summary: LogSummary,
}

impl Logs {
    /// The logs of a run; null when it produced no events.
    #[must_use]
    pub fn of(events: Vec<Event>) -> Option<Self> {
        if events.is_empty() {
            return None;
        }
        let mut summary = LogSummary::default();
        let mut codes = BTreeSet::new();
        for e in &events {
            let n = match e.severity {
                Severity::Trace => &mut summary.trace_count,
                Severity::Debug => &mut summary.debug_count,
                Severity::Info => &mut summary.info_count,
                Severity::Warn => &mut summary.warn_count,
                Severity::Error => &mut summary.error_count,
            };
            *n += 1;
            codes.extend(e.code.clone());
        }
        summary.codes = codes.into_iter().collect();
        Some(Logs { count: events.len() as u64, events, summary })
    }
}

/// How the invocation was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EnvelopeProvenance {
    /// Program and arguments.
    pub cmd: Vec<String>,
    /// How long it took, ms.
    #[serde(with = "Uint53")]
    pub duration_ms: u64,
    /// Declared environment.
    pub env: BTreeMap<String, String>,
    /// How far the engine has been proven.
    pub maturity: Maturity,
    /// What the hashes do not cover, in the engine's own words.
    pub limitations: Vec<String>,
    /// BLAKE3 over the contents of every file read; absent when none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<Digest>,
}

/// The answer to one invocation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Envelope {
    /// Always [`ENVELOPE_SCHEMA`].
    #[schemars(extend("const" = ENVELOPE_SCHEMA))]
    pub schema: String,
    /// The tool.
    pub tool: String,
    /// Its version.
    pub tool_version: String,
    /// Whether the process ran.
    pub status: RunState,
    /// What the evidence says about the design.
    pub engineering: Engineering,
    /// Fingerprint of the invocation, see [`input_hash`].
    pub input_hash: Digest,
    /// What the tool answered; null when it did not.
    pub result: Value,
    /// Files that it left.
    pub artifacts: Vec<Artifact>,
    /// Why it did not run; null when it did.
    pub error: Option<EnvelopeError>,
    /// Its events; null when there were none.
    pub logs: Option<Logs>,
    /// How it was made.
    pub provenance: EnvelopeProvenance,
}

/// Fingerprint of an invocation: BLAKE3 over the canonical JSON of
/// `{binary, version, env, args}`.
///
/// It covers the invocation, not what the named files hold; see
/// [`EnvelopeProvenance::content_hash`] for those.
#[must_use]
pub fn input_hash(
    binary: &str,
    version: &str,
    env: &BTreeMap<String, String>,
    args: &[String],
) -> Digest {
    let value = serde_json::json!({"binary": binary, "version": version, "env": env, "args": args});
    Digest::blake3_of(&crate::schema::canonical(&value))
}

/// The content hash of files: BLAKE3 over name and content digest of each, in the order of names.
#[must_use]
pub fn content_hash(files: &BTreeMap<String, [u8; 32]>) -> Option<Digest> {
    if files.is_empty() {
        return None;
    }
    let mut hash = blake3::Hasher::new();
    for (name, digest) in files {
        hash.update(&(name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
        hash.update(digest);
    }
    Some(Digest::Blake3(*hash.finalize().as_bytes()))
}

/// The verdict that a result supports.
///
/// Unknown when no assertion is declared, the run did not succeed, the field is missing, null or of
/// another type than `pass_when`, the assertion is malformed, or the engine's maturity is
/// `discovered`.
#[must_use]
pub fn verdict(
    status: RunState,
    assertion: Option<&Assertion>,
    maturity: Maturity,
    result: &Value,
) -> Engineering {
    let id = assertion.map(|a| a.id.clone());
    let unknown =
        |why: String| Engineering { status: Verdict::Unknown, assertion: id.clone(), summary: why };
    if status == RunState::Error {
        // A crashed tool proves nothing about the design, not even that the claim was looked at.
        return Engineering {
            status: Verdict::Unknown,
            assertion: None,
            summary: "execution did not complete; no engineering conclusion reached".into(),
        };
    }
    let Some(a) = assertion else {
        return unknown("the engine declares no assertion".into());
    };
    if a.id.is_empty() || a.field.is_empty() || a.pass_when.is_null() {
        return unknown("the engine's assertion is malformed".into());
    }
    if maturity == Maturity::Discovered {
        return unknown(format!("'{}' comes from an engine that nothing has validated", a.id));
    }
    let found = a.field.split('.').try_fold(result, |v, key| v.get(key)).unwrap_or(&Value::Null);
    if std::mem::discriminant(found) != std::mem::discriminant(&a.pass_when) {
        return unknown(format!("'{}' is missing or of another type than expected", a.field));
    }
    let (status, word) = if same(found, &a.pass_when) {
        (Verdict::Pass, "held")
    } else {
        (Verdict::Fail, "did not hold")
    };
    Engineering {
        status,
        assertion: id,
        summary: format!("assertion '{}' {word} on '{}'", a.id, a.field),
    }
}

/// Equality in which `0` and `0.0` are the same number.
fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// A path as an envelope shows it: relative when it lies inside the workspace, else as given.
#[must_use]
pub fn workspace_path(workspace: &std::path::Path, path: &std::path::Path) -> String {
    let shown = path.strip_prefix(workspace).unwrap_or(path);
    shown
        .components()
        .map(|c| c.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
        .replacen("//", "/", 1)
}

impl Envelope {
    /// Checks the envelope on its way out. A violation is noted as an [`ENVELOPE_INVALID`] event
    /// and the envelope is returned all the same: a caller is better off with a slightly wrong
    /// envelope than with none.
    #[must_use]
    pub fn finish(mut self, now_ms: u64) -> Self {
        if let Err(Invalid { problems, .. }) = self.validate() {
            let mut events = self.logs.take().map_or_else(Vec::new, |l| l.events);
            for p in problems {
                let event = Event::new(&*self.tool, Severity::Error, now_ms, p.to_string());
                events.push(event.with_code(ENVELOPE_INVALID));
            }
            self.logs = Logs::of(events);
        }
        self
    }
}

impl Validate for Envelope {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        if self.schema != ENVELOPE_SCHEMA {
            r.push(&at.field("schema"), format!("must be {ENVELOPE_SCHEMA}"));
        }
        for (name, v) in [("tool", &self.tool), ("tool_version", &self.tool_version)] {
            if v.is_empty() {
                r.push(&at.field(name), "must not be empty");
            }
        }
        let eng = at.field("engineering");
        match (self.status, &self.error) {
            (RunState::Ok, Some(_)) => {
                r.push(&at.field("error"), "must be null when the status is ok");
            }
            (RunState::Error, None) => {
                r.push(&at.field("error"), "must say why when the status is error");
            }
            _ => {}
        }
        let proven = matches!(self.engineering.status, Verdict::Pass | Verdict::Fail);
        if self.status == RunState::Error && self.engineering.status != Verdict::Unknown {
            r.push(&eng.field("status"), "must be unknown when the status is error");
        }
        if proven && self.provenance.maturity == Maturity::Discovered {
            r.push(&eng.field("status"), "must be unknown at maturity discovered");
        }
        if proven && self.engineering.assertion.is_none() {
            r.push(&eng.field("assertion"), "a verdict names its claim");
        }
        if !matches!(self.input_hash, Digest::Blake3(_)) {
            r.push(&at.field("input_hash"), "must be a BLAKE3 digest");
        }
        let list = at.field("artifacts");
        for (i, a) in self.artifacts.iter().enumerate() {
            if !matches!(a.hash, Digest::Blake3(_)) {
                r.push(&list.index(i).field("hash"), "must be a BLAKE3 digest");
            }
            if a.path.is_empty() {
                r.push(&list.index(i).field("path"), "must not be empty");
            }
        }
        if let Some(logs) = &self.logs {
            let at = at.field("logs");
            let again = Logs::of(logs.events.clone());
            if again.as_ref() != Some(logs) {
                r.push(&at, "count and summary must agree with the events, and logs without events are null");
            }
            let list = at.field("events");
            for (i, e) in logs.events.iter().enumerate() {
                e.check(&list.index(i), r);
            }
        }
    }
}
