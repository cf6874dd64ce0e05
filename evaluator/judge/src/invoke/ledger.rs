//! The record of every admitted invocation: an append-only file that several processes may share.
//!
//! A folder with `ledger.jsonl`, `ledger.lock`, `outputs/` and `owners/`. A line is
//! `{"link":"<64 hex>","entry":{…}}`; the link is `BLAKE3(link before ‖ entry bytes)`, so that a line
//! that was changed, dropped or moved is noticed. Every append is durable before it is acknowledged.
//!
//! - The lock file is held from reading the newest lines to the append, so that of any number of
//!   processes one starts an invocation.
//! - A process holds a lock on a file of its own in `owners/` while it lives. A started invocation
//!   whose owner's lock is free was lost with its owner, whatever its process id is used for now.
//! - Outputs lie under their digest in `outputs/` and are durable before the outcome that names
//!   them. One that is gone or changed is answered as unavailable, never as something else.
//!
//! A kill leaves at most one line without an end, which the next writer cuts off; it was never
//! acknowledged.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use cellwright_contract::budget::CostBudget;
use cellwright_contract::invocation::Cause;
use cellwright_contract::refs::{Digest, Hex32};
use rand::TryRngCore;
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::digest::{DigestError, canonical_whole, digest_set};

/// The ledger cannot be used. Nothing was acknowledged.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// A file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A line is not one that this program wrote there.
    #[error("{}:{line}: {why}; the ledger was changed, restore it from a copy", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        why: String,
    },
    /// An outcome does not follow from the record.
    #[error("invocation `{invocation}` of `{caller}`: {why}")]
    Order {
        /// Who asked.
        caller: String,
        /// The caller's id.
        invocation: String,
        /// What does not follow.
        why: String,
    },
    /// An output has no canonical form.
    #[error(transparent)]
    Digest(#[from] DigestError),
    /// An entry cannot be written.
    #[error("entry: {0}")]
    Write(#[from] serde_json::Error),
    /// No random name for this process.
    #[error("no random bytes from the system: {0}")]
    Random(String),
    /// An earlier write failed; what is on disk is not known.
    #[error("{}: an earlier write failed; open the ledger anew", .0.display())]
    Poisoned(PathBuf),
}

fn io(path: &Path) -> impl Fn(std::io::Error) -> LedgerError + '_ {
    |error| LedgerError::Io { path: path.to_owned(), error }
}

/// Caller and the caller's id.
pub type Key = (String, String);

/// An admitted invocation, before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Started {
    /// Who asked.
    pub caller: String,
    /// The caller's id.
    pub invocation: String,
    /// Digest of the request.
    pub request: Digest,
    /// Tool.
    pub tool: String,
    /// Id of the grant that it runs under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<String>,
    /// The most that it may cost.
    pub reserved: CostBudget,
    /// The process that runs it.
    pub owner: String,
}

/// How an invocation ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum End {
    /// With an output of this digest.
    Completed(Digest),
    /// Without effect.
    Aborted(Cause),
    /// With an effect that was undone.
    Compensated,
    /// Nobody can say.
    Unknown(Cause),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ended {
    caller: String,
    invocation: String,
    end: End,
    consumed: CostBudget,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Entry {
    Started(Started),
    Ended(Ended),
}

/// What the ledger says of one invocation.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// How it began.
    pub started: Started,
    /// How it ended and what it cost; `None` while it runs, or when its process was lost.
    pub ended: Option<(End, CostBudget)>,
}

/// Everything that was admitted.
#[derive(Debug, Default)]
pub struct Book {
    records: BTreeMap<Key, Record>,
    spent: BTreeMap<Option<String>, CostBudget>,
}

impl Book {
    /// The record of an invocation.
    #[must_use]
    pub fn get(&self, caller: &str, invocation: &str) -> Option<&Record> {
        self.records.get(&(caller.to_owned(), invocation.to_owned()))
    }
    /// Every record, by caller and id.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.values()
    }
    /// Invocations without an outcome.
    pub fn open(&self) -> impl Iterator<Item = &Record> {
        self.records.values().filter(|record| record.ended.is_none())
    }
    /// What was spent or is reserved under a grant, or in all with `None`.
    #[must_use]
    pub fn spent(&self, grant: Option<&str>) -> CostBudget {
        let ended = self.spent.get(&grant.map(str::to_owned)).copied().unwrap_or_default();
        let counts = |record: &&Record| grant.is_none() || record.started.grant.as_deref() == grant;
        self.open().filter(counts).fold(ended, |sum, record| sum.plus(&record.started.reserved))
    }

    fn take(&mut self, entry: Entry) -> Result<(), String> {
        match entry {
            Entry::Started(started) => {
                let key = (started.caller.clone(), started.invocation.clone());
                if self.records.contains_key(&key) {
                    return Err("it was started before".to_owned());
                }
                self.records.insert(key, Record { started, ended: None });
            }
            Entry::Ended(ended) => {
                let key = (ended.caller, ended.invocation);
                let Some(record) = self.records.get_mut(&key) else {
                    return Err("it ended without a start".to_owned());
                };
                match (&record.ended, &ended.end) {
                    (None, _) => {
                        let mut accounts = vec![None];
                        accounts.extend(record.started.grant.clone().map(Some));
                        for account in accounts {
                            let sum = self.spent.entry(account).or_default();
                            *sum = sum.plus(&ended.consumed);
                        }
                    }
                    (Some((End::Completed(_), _)), End::Compensated) => {}
                    _ => return Err("it ended before".to_owned()),
                }
                record.ended = Some((ended.end, ended.consumed));
            }
        }
        Ok(())
    }
}

const HEAD: &[u8] = br#"{"link":""#;
const MIDDLE: &[u8] = br#"","entry":"#;

fn link(before: &[u8; 32], entry: &[u8]) -> [u8; 32] {
    let mut hash = blake3::Hasher::new();
    hash.update(before);
    hash.update(entry);
    *hash.finalize().as_bytes()
}

/// The entry's bytes of a line, when the line is whole and its link follows from the one before.
fn unlink<'a>(before: &[u8; 32], line: &'a [u8]) -> Result<(&'a [u8], [u8; 32]), &'static str> {
    let rest = line.strip_prefix(HEAD).ok_or("not a line of a ledger")?;
    let (hex, rest) = rest.split_at_checked(64).ok_or("not a line of a ledger")?;
    let entry = rest.strip_prefix(MIDDLE).and_then(|rest| rest.strip_suffix(b"}"));
    let entry = entry.ok_or("not a line of a ledger")?;
    let now = link(before, entry);
    if Hex32(now).to_string().as_bytes() != hex {
        return Err("its link does not follow from the lines before");
    }
    Ok((entry, now))
}

/// A ledger in a folder. Every method that changes it holds the folder's lock.
#[derive(Debug)]
pub struct Ledger {
    folder: PathBuf,
    path: PathBuf,
    file: File,
    lock: File,
    /// Bytes, lines and link of what was read.
    read: (u64, u64, [u8; 32]),
    book: Book,
    owner: String,
    /// Held, never read: it tells others that this process lives.
    _alive: File,
    poisoned: bool,
}

/// Held while the newest lines are read and one is appended.
struct Locked<'a>(&'a File);

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // Closing the file frees the lock as well.
        let _ = self.0.unlock();
    }
}

impl Ledger {
    /// Opens the ledger of a folder, made when there is none.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn open(folder: &Path) -> Result<Ledger, LedgerError> {
        let (outputs, owners) = (folder.join("outputs"), folder.join("owners"));
        for part in [&outputs, &owners] {
            fs::create_dir_all(part).map_err(io(part))?;
        }
        let at = |name: &str| -> Result<(PathBuf, File), LedgerError> {
            let path = folder.join(name);
            let file = OpenOptions::new().read(true).append(true).create(true).open(&path);
            let file = file.map_err(io(&path))?;
            Ok((path, file))
        };
        let (_, lock) = at("ledger.lock")?;
        let (path, file) = at("ledger.jsonl")?;
        sync_folder(folder)?;
        let mut name = [0; 16];
        OsRng.try_fill_bytes(&mut name).map_err(|e| LedgerError::Random(e.to_string()))?;
        let owner: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
        let own = owners.join(&owner);
        let alive = OpenOptions::new().write(true).create_new(true).open(&own);
        let alive = alive.map_err(io(&own))?;
        alive.lock().map_err(io(&own))?;
        let mut ledger = Ledger {
            folder: folder.to_owned(),
            path,
            file,
            lock,
            read: (0, 0, [0; 32]),
            book: Book::default(),
            owner,
            _alive: alive,
            poisoned: false,
        };
        ledger.look()?;
        Ok(ledger)
    }

    /// The name under which this process runs invocations.
    #[must_use]
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Whether the process of a started invocation still lives.
    ///
    /// # Errors
    /// [`LedgerError::Io`].
    pub fn lives(&self, owner: &str) -> Result<bool, LedgerError> {
        if owner == self.owner {
            return Ok(true);
        }
        let path = self.folder.join("owners").join(owner);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(io(&path)(error)),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(io(&path)(error)),
        }
    }

    /// What was admitted so far, by any process.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn look(&mut self) -> Result<&Book, LedgerError> {
        let lock = self.lock.try_clone().map_err(io(&self.path))?;
        lock.lock_shared().map_err(io(&self.path))?;
        let _held = Locked(&lock);
        self.catch_up()?;
        Ok(&self.book)
    }

    /// Lets `decide` look at everything that was admitted and admit one more, or not. No other
    /// process or thread decides meanwhile.
    ///
    /// # Errors
    /// [`LedgerError`]; the inner result is `decide`'s own.
    pub fn admit<R>(
        &mut self,
        decide: impl FnOnce(&Book) -> Result<Started, R>,
    ) -> Result<Result<Started, R>, LedgerError> {
        let lock = self.lock.try_clone().map_err(io(&self.path))?;
        lock.lock().map_err(io(&self.path))?;
        let _held = Locked(&lock);
        self.catch_up()?;
        let mut started = match decide(&self.book) {
            Ok(started) => started,
            Err(refusal) => return Ok(Err(refusal)),
        };
        started.owner.clone_from(&self.owner);
        self.append(Entry::Started(started.clone()))?;
        Ok(Ok(started))
    }

    /// Records how an invocation ended. Only the first end counts, but for an undone completion.
    ///
    /// # Errors
    /// [`LedgerError::Order`] when it ended before or never began; else [`LedgerError`].
    pub fn end(&mut self, key: &Key, end: End, consumed: CostBudget) -> Result<(), LedgerError> {
        let lock = self.lock.try_clone().map_err(io(&self.path))?;
        lock.lock().map_err(io(&self.path))?;
        let _held = Locked(&lock);
        self.catch_up()?;
        let (caller, invocation) = key.clone();
        self.append(Entry::Ended(Ended { caller, invocation, end, consumed }))
    }

    /// Keeps an output under its digest, durably.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn keep(&self, output: &Value) -> Result<Digest, LedgerError> {
        let bytes = canonical_whole(output)?;
        let digest = digest_set(&bytes).sha256;
        let path = self.output_path(&digest);
        if fs::read(&path).is_ok_and(|there| there == bytes) {
            return Ok(Digest::Sha256(digest.0));
        }
        let part = self.folder.join("outputs").join(format!("{digest}.{}", self.owner));
        let mut file = File::create(&part).map_err(io(&part))?;
        file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(io(&part))?;
        fs::rename(&part, &path).map_err(io(&path))?;
        sync_folder(&self.folder.join("outputs"))?;
        Ok(Digest::Sha256(digest.0))
    }

    /// An output by its digest; `None` when it is gone or no longer what it was.
    #[must_use]
    pub fn output(&self, digest: &Digest) -> Option<Value> {
        let (Digest::Sha256(bytes) | Digest::Blake3(bytes)) = digest;
        let text = fs::read(self.output_path(&Hex32(*bytes))).ok()?;
        (digest_set(&text).sha256.0 == *bytes).then(|| serde_json::from_slice(&text).ok())?
    }

    fn output_path(&self, digest: &Hex32) -> PathBuf {
        self.folder.join("outputs").join(format!("{digest}.json"))
    }

    /// Reads the lines that were appended since. The lock is held.
    fn catch_up(&mut self) -> Result<(), LedgerError> {
        if self.poisoned {
            return Err(LedgerError::Poisoned(self.path.clone()));
        }
        let len = self.file.metadata().map_err(io(&self.path))?.len();
        let (from, ..) = self.read;
        if len < from {
            let why = "lines are gone that were there before".to_owned();
            return Err(LedgerError::Line { path: self.path.clone(), line: self.read.1, why });
        }
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(from)).map_err(io(&self.path))?;
        (&self.file).take(len - from).read_to_end(&mut bytes).map_err(io(&self.path))?;
        // What has no line end was being written when its writer was killed.
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let Some(whole) = line.strip_suffix(b"\n") else { break };
            let (start, number, before) = self.read;
            let fault =
                |why: String| LedgerError::Line { path: self.path.clone(), line: number + 1, why };
            let (entry, now) = unlink(&before, whole).map_err(|why| fault(why.to_owned()))?;
            let entry = serde_json::from_slice(entry).map_err(|e| fault(e.to_string()))?;
            self.book.take(entry).map_err(fault)?;
            self.read = (start + line.len() as u64, number + 1, now);
        }
        Ok(())
    }

    /// Appends one line durably. The lock is held and everything was read.
    fn append(&mut self, entry: Entry) -> Result<(), LedgerError> {
        let text = serde_json::to_vec(&entry)?;
        let (start, number, before) = self.read;
        let (caller, invocation) = match &entry {
            Entry::Started(started) => (started.caller.clone(), started.invocation.clone()),
            Entry::Ended(ended) => (ended.caller.clone(), ended.invocation.clone()),
        };
        let order = |why| LedgerError::Order { caller, invocation, why };
        self.book.take(entry).map_err(order)?;
        let now = link(&before, &text);
        let hex = Hex32(now).to_string();
        let line = [HEAD, hex.as_bytes(), MIDDLE, &text, b"}\n"].concat();
        // Whatever fails from here on leaves the disk in doubt, so this handle ends with it.
        self.poisoned = true;
        let len = self.file.metadata().map_err(io(&self.path))?.len();
        if len > start {
            self.file.set_len(start).map_err(io(&self.path))?;
        }
        self.file.write_all(&line).map_err(io(&self.path))?;
        self.file.sync_data().map_err(io(&self.path))?;
        self.poisoned = false;
        self.read = (start + line.len() as u64, number + 1, now);
        Ok(())
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // What this process left open has no owner from now on.
        let _ = fs::remove_file(self.folder.join("owners").join(&self.owner));
    }
}

fn sync_folder(path: &Path) -> Result<(), LedgerError> {
    if cfg!(unix) {
        File::open(path).and_then(|folder| folder.sync_all()).map_err(io(path))?;
    }
    Ok(())
}
