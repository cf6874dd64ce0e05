//! `vyges-events/1.0`: one JSON object per line, nothing but these fields.

use crate::limits::MAX_TEXT_BYTES;
use crate::number::{Uint53, Uint53Opt};
use crate::validate::{At, Report, Validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `schema` of an [`Event`].
pub const EVENT_SCHEMA: &str = "vyges-events/1.0";

/// How grave an event is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Every step.
    Trace,
    /// For finding faults.
    Debug,
    /// Progress and results.
    Info,
    /// Something to look at.
    Warn,
    /// Something that failed.
    Error,
}

/// One event of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Always [`EVENT_SCHEMA`].
    #[schemars(extend("const" = EVENT_SCHEMA))]
    pub schema: String,
    /// When, ms since 1970 UTC.
    #[serde(with = "Uint53")]
    pub ts_ms: u64,
    /// Which tool.
    pub tool: String,
    /// How grave.
    pub severity: Severity,
    /// The message as a person reads it.
    pub raw_msg: String,
    /// Which run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Which stage of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// Which step of the stage.
    #[serde(default, with = "Uint53Opt", skip_serializing_if = "Option::is_none")]
    pub step_index: Option<u64>,
    /// Stable code, such as `MCP-ENVELOPE-INVALID`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The message with its variable parts as placeholders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub msg_template: Option<String>,
    /// Objects that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<String>,
    /// File that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Event {
    /// An event with the required fields.
    #[must_use]
    pub fn new(
        tool: impl Into<String>,
        severity: Severity,
        ts_ms: u64,
        message: impl Into<String>,
    ) -> Self {
        Event {
            schema: EVENT_SCHEMA.into(),
            ts_ms,
            tool: tool.into(),
            severity,
            raw_msg: message.into(),
            run_id: None,
            stage: None,
            step_index: None,
            code: None,
            msg_template: None,
            objects: Vec::new(),
            file: None,
        }
    }

    /// The same event with a code.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }
}

impl Validate for Event {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        if self.schema != EVENT_SCHEMA {
            r.push(&at.field("schema"), format!("must be {EVENT_SCHEMA}"));
        }
        if self.tool.is_empty() {
            r.push(&at.field("tool"), "must not be empty");
        }
        r.at_most(&at.field("raw_msg"), "bytes", self.raw_msg.len(), MAX_TEXT_BYTES);
    }
}
