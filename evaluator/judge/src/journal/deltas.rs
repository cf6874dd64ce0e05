//! `deltas.bin`: what a high-rate loop did, in bulk.
//!
//! A journal entry per proposal costs a line of JSON; a loop that tries a hundred thousand deltas a
//! second appends records here and names each batch in one entry by its Merkle root.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `CWDELTAS` |
//! | 4 | version, 1, little-endian |
//! | 4 | zero |
//! | then per record: 4 | length of the payload, little-endian |
//! | length | payload |
//! | 32 | `h = BLAKE3-derive-key(context; previous h ‖ length ‖ payload)` |
//!
//! The chain starts at the derive-key hash of the 16-byte header, with the context
//! `cellwright 2026 deltas.bin v1 chain`. A batch's root is the [`merkle`](crate::digest::merkle)
//! root over its payloads.
//!
//! The journal decides what exists: a batch is made durable here before the entry that names it is
//! written, and on resuming whatever no entry names is cut off.

use super::JournalError;
use super::writer::{lock, sync_folder};
use crate::digest::merkle::Merkle;
use cellwright_contract::refs::Hex32;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 16] = b"CWDELTAS\x01\0\0\0\0\0\0\0";
const CONTEXT: &str = "cellwright 2026 deltas.bin v1 chain";
/// Longest payload, bytes.
pub const MAX_RECORD_BYTES: u32 = 256 << 20;

/// A batch as a journal entry names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeltaBatch {
    /// File name within the run directory.
    pub file: String,
    /// Number of its first record in the file, from 0.
    pub first: u64,
    /// Records.
    pub count: u64,
    /// Where it starts in the file, bytes.
    pub offset: u64,
    /// Its length, bytes.
    pub bytes: u64,
    /// Merkle root over its payloads.
    pub root: Hex32,
    /// Head of the chain after its last record.
    pub chain: Hex32,
}

fn start() -> [u8; 32] {
    *blake3::Hasher::new_derive_key(CONTEXT).update(MAGIC).finalize().as_bytes()
}

fn step(head: &[u8; 32], payload: &[u8], len: u32) -> [u8; 32] {
    let mut hash = blake3::Hasher::new_derive_key(CONTEXT);
    hash.update(head).update(&len.to_le_bytes()).update(payload);
    *hash.finalize().as_bytes()
}

/// Appends records. Holds an exclusive lock on the file.
#[derive(Debug)]
pub struct DeltaLogWriter {
    file: BufWriter<File>,
    path: PathBuf,
    head: [u8; 32],
    records: u64,
    end: u64,
    batch: Merkle,
    batch_offset: u64,
    poisoned: bool,
}

impl DeltaLogWriter {
    /// Makes a new log.
    ///
    /// # Errors
    /// [`JournalError::Io`] when the file exists already or cannot be made.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create_new(true)
            .open(path)
            .map_err(JournalError::io(path))?;
        lock(&file, path)?;
        file.write_all(MAGIC).map_err(JournalError::io(path))?;
        file.sync_all().map_err(JournalError::io(path))?;
        sync_folder(path)?;
        Ok(DeltaLogWriter::on(file, path, start(), 0, MAGIC.len() as u64))
    }

    /// Goes on after the last batch that the journal names, or after the header when it names none.
    ///
    /// # Errors
    /// [`JournalError::Deltas`] when the file does not hold that batch.
    pub fn resume(path: &Path, last: Option<&DeltaBatch>) -> Result<Self, JournalError> {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .open(path)
            .map_err(JournalError::io(path))?;
        lock(&file, path)?;
        let mut reader = DeltaLogReader::open(path)?;
        let end = last.map_or(MAGIC.len() as u64, |b| b.offset.saturating_add(b.bytes));
        while reader.offset < end && reader.next_record()?.is_some() {}
        let records = last.map_or(0, |b| b.first.saturating_add(b.count));
        let chain = last.map_or(start(), |b| b.chain.0);
        if (reader.offset, reader.records, reader.head) != (end, records, chain) {
            return Err(reader.fault("does not hold the last batch that the journal names"));
        }
        file.set_len(end).map_err(JournalError::io(path))?;
        file.sync_all().map_err(JournalError::io(path))?;
        Ok(DeltaLogWriter::on(file, path, reader.head, records, end))
    }

    fn on(file: File, path: &Path, head: [u8; 32], records: u64, end: u64) -> Self {
        DeltaLogWriter {
            file: BufWriter::with_capacity(1 << 16, file),
            path: path.to_owned(),
            head,
            records,
            end,
            batch: Merkle::new(),
            batch_offset: end,
            poisoned: false,
        }
    }

    /// Appends a record to the open batch.
    ///
    /// # Errors
    /// [`JournalError::Deltas`] when the payload is longer than [`MAX_RECORD_BYTES`],
    /// [`JournalError::Io`] when writing failed; the writer then refuses everything.
    pub fn push(&mut self, payload: &[u8]) -> Result<(), JournalError> {
        let len = match u32::try_from(payload.len()) {
            Ok(len) if len <= MAX_RECORD_BYTES => len,
            _ => {
                let why = format!("record of {} bytes is too long", payload.len());
                return Err(JournalError::Deltas { path: self.path.clone(), why });
            }
        };
        let head = step(&self.head, payload, len);
        self.io(|f| {
            f.write_all(&len.to_le_bytes())?;
            f.write_all(payload)?;
            f.write_all(&head)
        })?;
        self.head = head;
        self.batch.push(payload);
        self.records += 1;
        self.end += 4 + u64::from(len) + 32;
        Ok(())
    }

    /// Closes the open batch and makes it durable. The journal entry that names it may be appended
    /// only after this.
    ///
    /// # Errors
    /// [`JournalError::Io`]; the writer then refuses everything.
    pub fn seal_batch(&mut self) -> Result<DeltaBatch, JournalError> {
        self.io(|f| {
            f.flush()?;
            f.get_ref().sync_data()
        })?;
        let count = self.batch.len();
        let name = self.path.file_name().map(|n| n.to_string_lossy().into_owned());
        let batch = DeltaBatch {
            file: name.unwrap_or_default(),
            first: self.records - count,
            count,
            offset: self.batch_offset,
            bytes: self.end - self.batch_offset,
            root: self.batch.root(),
            chain: Hex32(self.head),
        };
        self.batch = Merkle::new();
        self.batch_offset = self.end;
        Ok(batch)
    }

    fn io(
        &mut self,
        work: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
    ) -> Result<(), JournalError> {
        if self.poisoned {
            return Err(JournalError::Poisoned { path: self.path.clone() });
        }
        work(&mut self.file).map_err(|e| {
            self.poisoned = true;
            JournalError::io(&self.path)(e)
        })
    }
}

/// Reads a log from its start, checking every record's chain.
#[derive(Debug)]
pub struct DeltaLogReader {
    input: BufReader<File>,
    path: PathBuf,
    head: [u8; 32],
    records: u64,
    offset: u64,
    len: u64,
}

impl DeltaLogReader {
    /// Opens a log.
    ///
    /// # Errors
    /// [`JournalError::Io`], or [`JournalError::Deltas`] when it is no delta log of version 1.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let mut file = File::open(path).map_err(JournalError::io(path))?;
        let len = file.metadata().map_err(JournalError::io(path))?.len();
        file.seek(SeekFrom::Start(0)).map_err(JournalError::io(path))?;
        let mut reader = DeltaLogReader {
            input: BufReader::with_capacity(1 << 16, file),
            path: path.to_owned(),
            head: start(),
            records: 0,
            offset: 0,
            len,
        };
        let mut magic = [0; MAGIC.len()];
        let whole = reader.input.read_exact(&mut magic).is_ok();
        if !whole || magic != *MAGIC {
            return Err(reader.fault("not a delta log of version 1"));
        }
        reader.offset = MAGIC.len() as u64;
        Ok(reader)
    }

    fn fault(&self, why: impl Into<String>) -> JournalError {
        JournalError::Deltas { path: self.path.clone(), why: why.into() }
    }

    /// The next record's payload; none at the end of the file.
    ///
    /// # Errors
    /// [`JournalError::Deltas`] with the record's number when it is torn or its chain is wrong.
    pub fn next_record(&mut self) -> Result<Option<Vec<u8>>, JournalError> {
        if self.offset == self.len {
            return Ok(None);
        }
        let n = self.records;
        let left = self.len - self.offset;
        let mut word = [0; 4];
        let torn = |r: &Self| r.fault(format!("record {n} is torn"));
        self.input.read_exact(&mut word).map_err(|_| torn(self))?;
        let len = u32::from_le_bytes(word);
        let whole = 4 + u64::from(len) + 32;
        // Before anything is allocated: a length that the file cannot hold is a torn record.
        if whole > left || len > MAX_RECORD_BYTES {
            return Err(torn(self));
        }
        let mut payload = vec![0; len as usize];
        let mut chain = [0; 32];
        self.input
            .read_exact(&mut payload)
            .and_then(|()| self.input.read_exact(&mut chain))
            .map_err(|_| torn(self))?;
        let head = step(&self.head, &payload, len);
        if head != chain {
            return Err(self.fault(format!("record {n} does not follow the one before it")));
        }
        self.head = head;
        self.records += 1;
        self.offset += whole;
        Ok(Some(payload))
    }

    /// Reads the next batch and checks it against what the journal says.
    ///
    /// # Errors
    /// [`JournalError::Deltas`] when the batch is not the next one, or not what its entry says.
    pub fn next_batch(&mut self, batch: &DeltaBatch) -> Result<Vec<Vec<u8>>, JournalError> {
        if (self.records, self.offset) != (batch.first, batch.offset) {
            return Err(self.fault(format!(
                "batch starts at record {} and byte {}, the file is at record {} and byte {}",
                batch.first, batch.offset, self.records, self.offset
            )));
        }
        let mut payloads = Vec::new();
        let mut tree = Merkle::new();
        for _ in 0..batch.count {
            let Some(payload) = self.next_record()? else {
                return Err(self.fault("the file ends inside a batch"));
            };
            tree.push(&payload);
            payloads.push(payload);
        }
        let bytes = self.offset - batch.offset;
        if (tree.root(), self.head, bytes) != (batch.root, batch.chain.0, batch.bytes) {
            return Err(self.fault(format!(
                "the batch at record {} is not the one that the journal names",
                batch.first
            )));
        }
        Ok(payloads)
    }
}
