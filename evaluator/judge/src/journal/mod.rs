//! What happened, entry by entry, so that nothing acknowledged is lost and nothing can be slipped in.
//!
//! `journal.jsonl` is append-only, one object of exactly 14 fields per line. High-rate work goes to
//! `deltas.bin` ([`deltas`]), and one entry per batch names its root. `manifest.json`
//! ([`manifest`]) says what the run was made from.

pub mod deltas;
mod entry;
mod error;
pub mod manifest;
mod reader;
mod writer;

pub use deltas::{DeltaBatch, DeltaLogReader, DeltaLogWriter};
pub use entry::{FIELDS, JournalEntry};
pub use error::JournalError;
pub use reader::{JournalReader, read_all};
pub use writer::{Fsync, JournalWriter, Receipt, Resumed};

/// Longest line that is written or read, bytes.
pub const MAX_LINE_BYTES: usize = 64 << 20;
