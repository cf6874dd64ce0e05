//! Appends to a journal.
//!
//! An entry is acknowledged when it is durable, not when it is appended: [`Receipt::durable`] and
//! [`JournalWriter::durable_seq`] say which. Several entries share one `fdatasync` ([`Fsync`]).
//!
//! A kill can leave at most one line without an end, because lines are written in order and a line
//! ends with its last byte. [`JournalWriter::resume`] cuts that line off; anything else that is not
//! a valid journal is refused, because it was not made by a kill.
//!
//! When a write or sync fails, the writer refuses everything from then on: after a failed sync the
//! system may have dropped the data and report the next sync as good.

use super::{JournalEntry, JournalError, JournalReader, MAX_LINE_BYTES};
use crate::digest::{Chain, Domain};
use cellwright_contract::certificate::JournalPoint;
use cellwright_contract::refs::Digest;
use serde_json::Value;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// When appended entries are made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fsync {
    /// After every entry.
    Each,
    /// When this many entries wait, or the oldest has waited this long at the time of an append.
    /// Nothing runs in the background: call [`JournalWriter::sync`] before going idle.
    Group {
        /// Most entries that wait.
        entries: u32,
        /// Longest wait.
        delay: Duration,
    },
    /// Only on [`JournalWriter::sync`].
    Manual,
}

/// What became of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// The entry's position.
    pub seq: u64,
    /// True when it, and everything before it, survives a kill and a power loss from now on.
    pub durable: bool,
}

/// What resuming found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resumed {
    /// Entries kept.
    pub entries: u64,
    /// Bytes of a torn last line that were cut off.
    pub cut_bytes: u64,
}

/// Appends to a journal. Holds an exclusive lock on the file.
#[derive(Debug)]
pub struct JournalWriter {
    file: File,
    path: PathBuf,
    fsync: Fsync,
    chain: Chain,
    seq: u64,
    durable: u64,
    buffer: Vec<u8>,
    oldest: Option<Instant>,
    poisoned: bool,
}

impl JournalWriter {
    /// Makes a new journal.
    ///
    /// # Errors
    /// [`JournalError::Io`] when the file exists already or cannot be made.
    pub fn create(path: &Path, fsync: Fsync) -> Result<Self, JournalError> {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create_new(true)
            .open(path)
            .map_err(JournalError::io(path))?;
        lock(&file, path)?;
        // The file's name must survive a power loss too.
        file.sync_all().map_err(JournalError::io(path))?;
        sync_folder(path)?;
        Ok(JournalWriter::on(file, path, fsync, Chain::new(Domain::Journal), 0))
    }

    /// Goes on with a journal after its last whole entry.
    ///
    /// # Errors
    /// [`JournalError::Line`] when any line is not what it must be, [`JournalError::Locked`] when
    /// another process writes it, [`JournalError::Io`].
    pub fn resume(path: &Path, fsync: Fsync) -> Result<(Self, Resumed), JournalError> {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .open(path)
            .map_err(JournalError::io(path))?;
        lock(&file, path)?;
        let len = file.metadata().map_err(JournalError::io(path))?.len();
        let mut input = file.try_clone().map_err(JournalError::io(path))?;
        input.seek(SeekFrom::Start(0)).map_err(JournalError::io(path))?;
        let mut reader = JournalReader::from_reader(BufReader::new(input), path);
        for entry in reader.by_ref() {
            match entry {
                Ok(_) | Err(JournalError::Torn { .. }) => {}
                Err(e) => return Err(e),
            }
        }
        let keep = reader.accepted_bytes();
        if keep < len {
            file.set_len(keep).map_err(JournalError::io(path))?;
        }
        // Lines that were written but not yet durable when the writer was killed become so now.
        file.sync_all().map_err(JournalError::io(path))?;
        let (chain, entries) = (reader.digest_chain(), reader.point().seq);
        let writer = JournalWriter::on(file, path, fsync, chain, entries);
        Ok((writer, Resumed { entries, cut_bytes: len - keep }))
    }

    fn on(file: File, path: &Path, fsync: Fsync, chain: Chain, seq: u64) -> Self {
        JournalWriter {
            file,
            path: path.to_owned(),
            fsync,
            chain,
            seq,
            durable: seq,
            buffer: Vec::new(),
            oldest: None,
            poisoned: false,
        }
    }

    /// Position that the next entry must have.
    #[must_use]
    pub fn next_seq(&self) -> u64 {
        self.seq + 1
    }

    /// Last entry that is durable.
    #[must_use]
    pub fn durable_seq(&self) -> u64 {
        self.durable
    }

    /// Where the journal stands after the last appended entry.
    #[must_use]
    pub fn point(&self) -> JournalPoint {
        JournalPoint { digest: Digest::Sha256(self.chain.head().0), seq: self.seq }
    }

    /// Appends an entry that is still untyped.
    ///
    /// # Errors
    /// [`JournalError::Fields`] unless its keys are exactly the 14; else as [`JournalWriter::append`].
    pub fn append_value(&mut self, value: &Value) -> Result<Receipt, JournalError> {
        self.append(&JournalEntry::from_value(value)?)
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// [`JournalError::Entry`] when `seq` is not the next or a rule is broken, and
    /// [`JournalError::Canonical`]; the journal is then as before. [`JournalError::Io`] when writing
    /// failed; the writer then refuses everything.
    pub fn append(&mut self, entry: &JournalEntry) -> Result<Receipt, JournalError> {
        self.check_poison()?;
        if entry.seq != self.next_seq() {
            let why = format!("seq is {}, must be {}", entry.seq, self.next_seq());
            return Err(JournalError::Entry(why));
        }
        entry.check()?;
        let canonical = entry.canonical()?;
        let start = self.buffer.len();
        serde_json::to_writer(&mut self.buffer, entry)
            .map_err(|e| JournalError::Entry(e.to_string()))?;
        let line = self.buffer.len() - start;
        // What is written must be readable again: same limits, same depth.
        let fault = (line >= MAX_LINE_BYTES)
            .then(|| format!("{line} bytes, at most {MAX_LINE_BYTES} are taken"))
            .or_else(|| JournalEntry::from_line(self.buffer.get(start..)?).err());
        if let Some(why) = fault {
            self.buffer.truncate(start);
            return Err(JournalError::Entry(why));
        }
        self.buffer.push(b'\n');
        self.chain.push_canonical(&canonical);
        self.seq = entry.seq;
        let oldest = *self.oldest.get_or_insert_with(Instant::now);
        let due = match self.fsync {
            Fsync::Each => true,
            Fsync::Group { entries, delay } => {
                self.seq - self.durable >= u64::from(entries) || oldest.elapsed() >= delay
            }
            Fsync::Manual => false,
        };
        if due {
            self.sync()?;
        } else if self.buffer.len() > 1 << 20 {
            self.flush()?;
        }
        Ok(Receipt { seq: self.seq, durable: self.durable == self.seq })
    }

    /// Makes everything appended durable.
    ///
    /// # Errors
    /// [`JournalError::Io`]; the writer then refuses everything.
    pub fn sync(&mut self) -> Result<u64, JournalError> {
        self.check_poison()?;
        if self.durable < self.seq {
            self.flush()?;
            if let Err(e) = self.file.sync_data() {
                self.poisoned = true;
                return Err(JournalError::io(&self.path)(e));
            }
            self.durable = self.seq;
        }
        self.oldest = None;
        Ok(self.durable)
    }

    fn flush(&mut self) -> Result<(), JournalError> {
        if let Err(e) = self.file.write_all(&self.buffer) {
            self.poisoned = true;
            return Err(JournalError::io(&self.path)(e));
        }
        self.buffer.clear();
        Ok(())
    }

    fn check_poison(&self) -> Result<(), JournalError> {
        if self.poisoned {
            return Err(JournalError::Poisoned { path: self.path.clone() });
        }
        Ok(())
    }
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        // Best effort: who needs the answer calls `sync`.
        if !self.poisoned {
            let _ = self.sync();
        }
    }
}

pub(super) fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked { path: path.to_owned() }),
        Err(TryLockError::Error(e)) => Err(JournalError::io(path)(e)),
    }
}

pub(super) fn sync_folder(path: &Path) -> Result<(), JournalError> {
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    // Only Unix can sync a folder; elsewhere the rename or create is durable with the file.
    if cfg!(unix) {
        File::open(folder).and_then(|f| f.sync_all()).map_err(JournalError::io(folder))?;
    }
    Ok(())
}
