//! One entry: exactly these 14 fields.

use super::JournalError;
use crate::digest::Stripped;
use cellwright_contract::wire::{Limits, check_json};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The 14 fields, in their order.
pub const FIELDS: [&str; 14] = [
    "seq",
    "arrival_seq",
    "commit_seq",
    "turn_id",
    "vt",
    "tool",
    "args",
    "result",
    "error",
    "fault_injected",
    "world_version_before",
    "world_version_after",
    "wall_start_ns",
    "wall_end_ns",
];

/// One tool call, or one world event (`tool: "world.event"`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalEntry {
    /// Position in the journal, from 1.
    pub seq: u64,
    /// Order in which the request arrived.
    pub arrival_seq: u64,
    /// Order in which it was committed; equals `seq`.
    pub commit_seq: u64,
    /// Turn that the call belongs to.
    pub turn_id: u64,
    /// Virtual time at the start of the call, ISO-8601.
    pub vt: String,
    /// Dotted tool name, such as `cw.evaluate`.
    pub tool: String,
    /// Validated arguments.
    pub args: Value,
    /// What the call gave; null on error.
    pub result: Value,
    /// What went wrong; null on success.
    pub error: Value,
    /// True when a declared fault fired.
    pub fault_injected: bool,
    /// Version of the world before the call.
    pub world_version_before: u64,
    /// Version of the world after the call.
    pub world_version_after: u64,
    /// Wall clock at the start, ns since 1970. Not part of any digest.
    pub wall_start_ns: u64,
    /// Wall clock at the end, ns since 1970. Not part of any digest.
    pub wall_end_ns: u64,
}

/// An entry as its digest sees it.
#[derive(Serialize)]
struct Hashed<'a> {
    seq: u64,
    arrival_seq: u64,
    commit_seq: u64,
    turn_id: u64,
    vt: &'a str,
    tool: &'a str,
    args: Stripped<'a>,
    result: Stripped<'a>,
    error: Stripped<'a>,
    fault_injected: bool,
    world_version_before: u64,
    world_version_after: u64,
}

impl JournalEntry {
    /// Takes an entry from a JSON object.
    ///
    /// # Errors
    /// [`JournalError::Fields`] unless its keys are exactly [`FIELDS`], [`JournalError::Entry`] when
    /// a value is of another type or against a rule.
    pub fn from_value(value: &Value) -> Result<Self, JournalError> {
        let Value::Object(map) = value else {
            return Err(JournalError::Entry("not an object".into()));
        };
        let missing: Vec<_> =
            FIELDS.iter().filter(|f| !map.contains_key(**f)).map(|f| (*f).to_owned()).collect();
        let extra: Vec<_> = map.keys().filter(|k| !FIELDS.contains(&k.as_str())).cloned().collect();
        if !(missing.is_empty() && extra.is_empty()) {
            return Err(JournalError::Fields { missing, extra });
        }
        let entry: JournalEntry = serde_json::from_value(value.clone())
            .map_err(|e| JournalError::Entry(e.to_string()))?;
        entry.check()?;
        Ok(entry)
    }

    /// Reads an entry from a line without its end.
    pub(crate) fn from_line(line: &[u8]) -> Result<Self, String> {
        check_json(line, Limits::default()).map_err(|e| e.to_string())?;
        let entry: JournalEntry = serde_json::from_slice(line).map_err(|e| e.to_string())?;
        entry.check().map_err(|e| e.to_string())?;
        Ok(entry)
    }

    /// Checks the rules between fields.
    ///
    /// # Errors
    /// [`JournalError::Entry`].
    pub fn check(&self) -> Result<(), JournalError> {
        let refuse = |why: String| Err(JournalError::Entry(why));
        if self.commit_seq != self.seq {
            return refuse(format!("commit_seq {} is not seq {}", self.commit_seq, self.seq));
        }
        if self.tool.is_empty() || self.tool.chars().any(char::is_control) {
            return refuse("tool must be a name".into());
        }
        if !self.result.is_null() && !self.error.is_null() {
            return refuse("result and error exclude each other".into());
        }
        let numbers = [
            self.seq,
            self.arrival_seq,
            self.turn_id,
            self.world_version_before,
            self.world_version_after,
        ];
        if numbers.iter().any(|n| *n > (1 << 53) - 1) {
            return refuse("a number is above 2^53−1".into());
        }
        Ok(())
    }

    /// Canonical JSON of the entry, wall times and every `wall_` key left out.
    ///
    /// # Errors
    /// [`JournalError::Canonical`] when args, result or error hold an integer outside ±(2^53−1).
    pub fn canonical(&self) -> Result<Vec<u8>, JournalError> {
        let hashed = Hashed {
            seq: self.seq,
            arrival_seq: self.arrival_seq,
            commit_seq: self.commit_seq,
            turn_id: self.turn_id,
            vt: &self.vt,
            tool: &self.tool,
            args: Stripped(&self.args),
            result: Stripped(&self.result),
            error: Stripped(&self.error),
            fault_injected: self.fault_injected,
            world_version_before: self.world_version_before,
            world_version_after: self.world_version_after,
        };
        let bytes =
            serde_json_canonicalizer::to_vec(&hashed).map_err(crate::digest::DigestError::from)?;
        Ok(bytes)
    }
}
