//! What a command answers with `--json`: the envelope `loom-result/1.1` around its value.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cellwright_contract::capability::Assertion;
use cellwright_contract::envelope::{
    Artifact, ENVELOPE_SCHEMA, Envelope, EnvelopeError, EnvelopeProvenance, Logs, RunState,
    content_hash, input_hash, verdict, workspace_path,
};
use cellwright_contract::event::{Event, Severity};
use cellwright_contract::gate::Maturity;
use cellwright_contract::refs::Digest;
use cellwright_contract::result::ToolResult;
use cellwright_formats::load::FileRead;
use serde_json::Value;

use crate::events::{self, now_ms};
use crate::failure::Failure;

/// An answer in the making: what was read, what was left, what went not quite well.
pub(crate) struct Answer {
    tool: &'static str,
    assertion: Option<Assertion>,
    start: Instant,
    files: BTreeMap<String, [u8; 32]>,
    artifacts: Vec<(String, PathBuf)>,
    warnings: Vec<String>,
    limitations: Vec<String>,
}

impl Answer {
    /// Starts the answer of a tool, such as `cw.sta`.
    pub(crate) fn new(tool: &'static str) -> Self {
        Answer {
            tool,
            assertion: None,
            start: Instant::now(),
            files: BTreeMap::new(),
            artifacts: Vec::new(),
            warnings: Vec::new(),
            limitations: Vec::new(),
        }
    }

    /// Declares the claim: it holds when `field` of the value is `pass_when`. A null field makes
    /// the verdict unknown.
    pub(crate) fn claims(mut self, id: &str, field: &str, pass_when: Value) -> Self {
        let field = format!("value.{field}");
        self.assertion = Some(Assertion { id: id.to_owned(), field, pass_when });
        self
    }

    /// Files that a loader read.
    pub(crate) fn read(&mut self, files: &[FileRead]) {
        for file in files {
            self.files.insert(file.path.display().to_string(), file.digest);
        }
    }

    /// A file that was read, by its unpacked text.
    pub(crate) fn read_text(&mut self, path: &Path, text: &[u8]) {
        self.files.insert(path.display().to_string(), *blake3::hash(text).as_bytes());
    }

    /// A file that was written.
    pub(crate) fn wrote(&mut self, role: &str, path: &Path) {
        self.artifacts.push((role.to_owned(), path.to_owned()));
    }

    /// Something that a reader of the value should know.
    pub(crate) fn warn(&mut self, text: impl ToString) {
        let text = text.to_string();
        let event = Event::new(self.tool, Severity::Warn, now_ms(), text.clone());
        events::tell(event.with_code("CW-WARNING"));
        self.warnings.push(text);
    }

    /// Something that the value does not show.
    pub(crate) fn limit(&mut self, text: impl ToString) {
        self.limitations.push(text.to_string());
    }

    /// The envelope around a value.
    fn done(self, value: Value) -> Result<Envelope, Failure> {
        let elapsed_ms = self.start.elapsed().as_millis() as u64;
        let result = ToolResult {
            value,
            uncertainty: Some(0.0),
            coverage: None,
            provenance: None,
            warnings: self.warnings.clone(),
            elapsed_ms,
        };
        let result = serde_json::to_value(result)?;
        let engineering =
            verdict(RunState::Ok, self.assertion.as_ref(), Maturity::WorkflowValidated, &result);
        let mut artifacts = Vec::new();
        let workspace = std::env::current_dir().unwrap_or_default();
        for (role, path) in &self.artifacts {
            let hash = Digest::Blake3(*blake3::hash(&fs::read(path)?).as_bytes());
            artifacts.push(Artifact {
                role: role.clone(),
                path: workspace_path(&workspace, path),
                hash,
            });
        }
        let mut envelope = self.envelope(RunState::Ok);
        envelope.engineering = engineering;
        envelope.result = result;
        envelope.artifacts = artifacts;
        Ok(envelope.finish(now_ms()))
    }

    /// The envelope of a command that could not do its work.
    fn failed(self, failure: &Failure) -> Envelope {
        let event = Event::new(self.tool, Severity::Error, now_ms(), failure.message.clone());
        events::tell(event.with_code("CW-FAILED"));
        let mut envelope = self.envelope(RunState::Error);
        envelope.error = Some(EnvelopeError {
            code: "command_failed".to_owned(),
            message: failure.message.clone(),
            exit_code: Some(i32::from(failure.code)),
            stderr_tail: None,
        });
        envelope.finish(now_ms())
    }

    fn envelope(self, status: RunState) -> Envelope {
        let version = env!("CARGO_PKG_VERSION");
        let cmd: Vec<String> =
            std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let binary = std::env::current_exe().map(|path| path.display().to_string());
        let env = cellwright::environment::declared();
        let arguments = cmd.get(1..).unwrap_or_default();
        Envelope {
            schema: ENVELOPE_SCHEMA.to_owned(),
            tool: self.tool.to_owned(),
            tool_version: version.to_owned(),
            status,
            engineering: verdict(status, None, Maturity::WorkflowValidated, &Value::Null),
            input_hash: input_hash(&binary.unwrap_or_default(), version, &env, arguments),
            result: Value::Null,
            artifacts: Vec::new(),
            error: None,
            logs: Logs::of(events::kept()),
            provenance: EnvelopeProvenance {
                cmd,
                duration_ms: self.start.elapsed().as_millis() as u64,
                env,
                maturity: Maturity::WorkflowValidated,
                limitations: self.limitations,
                content_hash: content_hash(&self.files),
            },
        }
    }
}

/// Runs a command's work and answers where `--json` says, also when the work fails.
pub(crate) fn answered<T>(
    mut answer: Answer,
    json: Option<&Path>,
    work: impl FnOnce(&mut Answer) -> Result<(T, Value), Failure>,
) -> Result<T, Failure> {
    let result = work(&mut answer);
    let Some(out) = json else { return result.map(|(code, _)| code) };
    match result {
        Ok((code, value)) => {
            write(&answer.done(value)?, out)?;
            Ok(code)
        }
        Err(failure) => {
            write(&answer.failed(&failure), out)?;
            Err(failure)
        }
    }
}

/// Writes an envelope where `--json` says: a file, or `-` for standard output.
fn write(envelope: &Envelope, to: &Path) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(envelope)? + "\n";
    if to.as_os_str() == "-" {
        put!("{text}");
        return Ok(());
    }
    let mut file = fs::File::create(to)
        .map_err(|error| Failure::input(format!("{}: {error}", to.display())))?;
    file.write_all(text.as_bytes())?;
    Ok(())
}
