//! Size limits on everything that comes from outside.
//!
//! A limit is a refusal with a number in it, never a slow death. The limits are generous for real
//! work (a delta may move every cell of a million-cell design) and small against memory.

/// Most bytes of one JSON document.
pub const MAX_JSON_BYTES: usize = 256 << 20;
/// Deepest nesting of arrays and objects.
pub const MAX_JSON_DEPTH: usize = 64;
/// Most bytes of an object, net, master, metric, tool or branch name.
pub const MAX_NAME_BYTES: usize = 4096;
/// Most bytes of a proposal, certificate or invocation id.
pub const MAX_ID_BYTES: usize = 256;
/// Most bytes of free text: rationale, evidence, messages.
pub const MAX_TEXT_BYTES: usize = 64 << 10;
/// Most entries of any list inside a delta.
pub const MAX_DELTA_ITEMS: usize = 2_000_000;
/// Most sinks of one inserted buffer.
pub const MAX_SINKS: usize = 1_000_000;
/// Most goals of a proposal, objectives or gate rules of a scenario.
pub const MAX_GOALS: usize = 256;
/// Most gates of one judgment.
pub const MAX_GATES: usize = 256;
/// Most ids that a Pareto rank lists as dominating.
pub const MAX_DOMINATED_BY: usize = 64;
/// Largest integer that every JSON reader keeps exactly: 2^53 - 1 (RFC 8785, appendix D).
pub const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;
