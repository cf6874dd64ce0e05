//! Reads a journal line by line and checks every one.

use super::{JournalEntry, JournalError, MAX_LINE_BYTES};
use crate::digest::{Chain, Domain};
use cellwright_contract::certificate::JournalPoint;
use cellwright_contract::refs::Digest;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// An iterator over the entries of a journal. Each error names its line; after one it ends.
#[derive(Debug)]
pub struct JournalReader<R = BufReader<File>> {
    input: R,
    path: PathBuf,
    chain: Chain,
    seq: u64,
    /// Bytes of the lines that were accepted.
    accepted: u64,
    ended: bool,
}

impl JournalReader {
    /// Opens a journal.
    ///
    /// # Errors
    /// [`JournalError::Io`] when the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let file = File::open(path).map_err(JournalError::io(path))?;
        Ok(JournalReader::from_reader(BufReader::with_capacity(1 << 16, file), path))
    }
}

impl<R: BufRead> JournalReader<R> {
    /// Reads from anything; `path` is only for messages.
    pub fn from_reader(input: R, path: &Path) -> Self {
        JournalReader {
            input,
            path: path.to_owned(),
            chain: Chain::new(Domain::Journal),
            seq: 0,
            accepted: 0,
            ended: false,
        }
    }

    /// Where the journal stands after the entries read so far.
    #[must_use]
    pub fn point(&self) -> JournalPoint {
        JournalPoint { digest: Digest::Sha256(self.chain.head().0), seq: self.seq }
    }

    pub(super) fn digest_chain(&self) -> Chain {
        self.chain
    }

    pub(super) fn accepted_bytes(&self) -> u64 {
        self.accepted
    }

    fn read(&mut self) -> Result<Option<JournalEntry>, JournalError> {
        let line = self.seq + 1;
        let mut bytes = Vec::new();
        // One byte more than allowed tells a line of the largest size from a longer one.
        (&mut self.input)
            .take(MAX_LINE_BYTES as u64 + 1)
            .read_until(b'\n', &mut bytes)
            .map_err(JournalError::io(&self.path))?;
        if bytes.is_empty() {
            return Ok(None);
        }
        if bytes.last() != Some(&b'\n') {
            if bytes.len() > MAX_LINE_BYTES {
                let why = format!("longer than {MAX_LINE_BYTES} bytes");
                return Err(JournalError::line(&self.path, line, why));
            }
            let bytes = bytes.len() as u64;
            return Err(JournalError::Torn { path: self.path.clone(), line, bytes });
        }
        let taken = bytes.len() as u64;
        bytes.pop();
        let entry = JournalEntry::from_line(&bytes)
            .map_err(|why| JournalError::line(&self.path, line, why))?;
        if entry.seq != line {
            let why = format!("seq is {}, must be {line}", entry.seq);
            return Err(JournalError::line(&self.path, line, why));
        }
        let canonical =
            entry.canonical().map_err(|e| JournalError::line(&self.path, line, e.to_string()))?;
        self.chain.push_canonical(&canonical);
        self.seq = line;
        self.accepted += taken;
        Ok(Some(entry))
    }
}

impl<R: BufRead> Iterator for JournalReader<R> {
    type Item = Result<JournalEntry, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.read().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

/// Reads a whole journal.
///
/// # Errors
/// [`JournalError`] of the first line that is not what it must be.
pub fn read_all(path: &Path) -> Result<(Vec<JournalEntry>, JournalPoint), JournalError> {
    let mut reader = JournalReader::open(path)?;
    let entries = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
    Ok((entries, reader.point()))
}
