//! What can be wrong with a journal.

use crate::digest::DigestError;
use std::io;
use std::path::{Path, PathBuf};

/// What is wrong with a journal or a delta log.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process writes this file.
    #[error(
        "{path}: another process writes this journal; wait for it or use another run directory"
    )]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A line is not the entry that must stand there.
    #[error("{path}:{line}: {why}")]
    Line {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The last line has no end: a writer was killed while it wrote. Resuming cuts it off.
    #[error(
        "{path}:{line}: the last line is torn ({bytes} bytes without an end); resume the run to cut it off"
    )]
    Torn {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// Its bytes.
        bytes: u64,
    },
    /// An entry does not have exactly the 14 fields.
    #[error("journal entry: missing {missing:?}, extra {extra:?}")]
    Fields {
        /// Fields that are not there.
        missing: Vec<String>,
        /// Fields that must not be there.
        extra: Vec<String>,
    },
    /// An entry breaks a rule between its fields.
    #[error("journal entry: {0}")]
    Entry(String),
    /// An entry has no canonical form.
    #[error("journal entry: {0}")]
    Canonical(#[from] DigestError),
    /// A write failed before; what the file holds now is only known after resuming.
    #[error("{path}: an earlier write failed; resume the run")]
    Poisoned {
        /// The file.
        path: PathBuf,
    },
    /// The delta log does not hold what the journal says.
    #[error("{path}: {why}")]
    Deltas {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

impl JournalError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> JournalError + '_ {
        move |source| JournalError::Io { path: path.to_owned(), source }
    }

    pub(crate) fn line(path: &Path, line: u64, why: impl Into<String>) -> Self {
        JournalError::Line { path: path.to_owned(), line, why: why.into() }
    }
}
