//! Digests of what happened: the journal's chain, the world's, a run's, and `repro_id`.
//!
//! The rules are those of `digest_version` 1 (the public package `eval-mock` 0.1.0 implements the
//! same): a chain starts at `SHA256("eval-mock:{domain}:digest_version=1")`, a step is
//! `h = SHA256(h ‖ JCS(entry))`, and keys that start with `wall_` are left out at any depth, because
//! wall time is not behaviour. JCS is RFC 8785.
//!
//! An integer outside ±(2^53−1) is refused: RFC 8785 holds numbers as binary64, and a canonical
//! form that drops digits would give two values one digest. Such ids travel as text.

pub mod merkle;
pub mod world;

use cellwright_contract::number::is_safe;
use cellwright_contract::refs::{Digest, Hex32};
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// Version of the digest rules.
pub const DIGEST_VERSION: &str = "1";

/// Prefix of keys that are left out.
const WALL: &str = "wall_";

/// A value that has no canonical form: it holds an integer outside ±(2^53−1).
#[derive(Debug, thiserror::Error)]
#[error("no canonical form: {0}; write large integers as text")]
pub struct DigestError(#[from] serde_json::Error);

/// What a chain is about. Chains of different domains never meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Entries of a journal.
    Journal,
    /// Entities of a world.
    World,
    /// A whole run.
    Run,
}

impl Domain {
    fn init(self) -> [u8; 32] {
        let name = match self {
            Domain::Journal => "journal",
            Domain::World => "world",
            Domain::Run => "run",
        };
        sha256(&[format!("eval-mock:{name}:digest_version={DIGEST_VERSION}").as_bytes()])
    }
}

fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

/// A JSON value without its `wall_` keys, and refusing integers that JCS cannot keep.
#[derive(Clone, Copy)]
pub(crate) struct Stripped<'a>(pub(crate) &'a Value);

impl Serialize for Stripped<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(map) => {
                let mut out = s.serialize_map(None)?;
                for (key, value) in map.iter().filter(|(key, _)| !key.starts_with(WALL)) {
                    out.serialize_entry(key, &Stripped(value))?;
                }
                out.end()
            }
            Value::Array(list) => {
                let mut out = s.serialize_seq(Some(list.len()))?;
                for value in list {
                    out.serialize_element(&Stripped(value))?;
                }
                out.end()
            }
            Value::Number(n) => {
                let fits = match (n.as_i64(), n.as_u64()) {
                    (Some(v), _) => is_safe(v),
                    (None, Some(_)) => false,
                    (None, None) => true,
                };
                if !fits {
                    return Err(S::Error::custom(format_args!("integer {n} is outside ±(2^53−1)")));
                }
                n.serialize(s)
            }
            other => other.serialize(s),
        }
    }
}

/// Canonical JSON of a value, its `wall_` keys left out.
///
/// # Errors
/// [`DigestError`] for an integer outside ±(2^53−1).
pub fn canonical(value: &Value) -> Result<Vec<u8>, DigestError> {
    Ok(serde_json_canonicalizer::to_vec(&Stripped(value))?)
}

/// Canonical JSON of a value, nothing left out.
///
/// It takes a [`Value`] and not any type: a `Value` holds no NaN, while a type may, and serializers
/// write a NaN inside an array as `null` without a word.
///
/// # Errors
/// [`DigestError`] for an integer outside ±(2^53−1).
pub fn canonical_whole(value: &Value) -> Result<Vec<u8>, DigestError> {
    Ok(serde_json_canonicalizer::to_vec(&Unstripped(value))?)
}

/// A JSON value that refuses integers that JCS cannot keep.
struct Unstripped<'a>(&'a Value);

impl Serialize for Unstripped<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(map) => {
                s.collect_map(map.iter().map(|(key, value)| (key, Unstripped(value))))
            }
            Value::Array(list) => s.collect_seq(list.iter().map(Unstripped)),
            scalar => Stripped(scalar).serialize(s),
        }
    }
}

/// A digest chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    head: [u8; 32],
}

impl Chain {
    /// An empty chain.
    #[must_use]
    pub fn new(domain: Domain) -> Self {
        Chain { head: domain.init() }
    }

    /// Adds a value.
    ///
    /// # Errors
    /// [`DigestError`]; the chain is then as before.
    pub fn push(&mut self, value: &Value) -> Result<(), DigestError> {
        let bytes = canonical(value)?;
        self.push_canonical(&bytes);
        Ok(())
    }

    /// Adds a value that is canonical already.
    pub fn push_canonical(&mut self, bytes: &[u8]) {
        self.head = sha256(&[&self.head, bytes]);
    }

    /// The digest of everything added so far.
    #[must_use]
    pub fn head(&self) -> Hex32 {
        Hex32(self.head)
    }
}

/// Digest of a journal's entries, in their order.
///
/// # Errors
/// [`DigestError`] for an entry that has no canonical form.
pub fn journal_digest<'a>(
    entries: impl IntoIterator<Item = &'a Value>,
) -> Result<Hex32, DigestError> {
    let mut chain = Chain::new(Domain::Journal);
    for entry in entries {
        chain.push(entry)?;
    }
    Ok(chain.head())
}

/// Digest of a run: its journal's and its world's.
#[must_use]
pub fn run_digest(journal: Hex32, world: Hex32) -> Hex32 {
    Hex32(sha256(&[&Domain::Run.init(), &journal.0, &world.0]))
}

/// What makes a run reproducible.
#[derive(Debug, Clone, PartialEq)]
pub struct Reproduction<'a> {
    /// The scenario's content.
    pub scenario: &'a Value,
    /// The seed.
    pub seed: u64,
    /// Version of the engine.
    pub engine_version: &'a str,
    /// Fingerprint by pack: libraries, technology and other inputs.
    pub packs: &'a BTreeMap<String, String>,
    /// Digest of the snapshot that the run starts from.
    pub base_snapshot: Option<&'a str>,
}

impl Reproduction<'_> {
    /// `"sha256:" + SHA256(JCS({scenario, seed, engine_version, packs, base_snapshot}))`.
    ///
    /// # Errors
    /// [`DigestError`] when the scenario or seed has no canonical form.
    pub fn id(&self) -> Result<Digest, DigestError> {
        let value = serde_json::json!({
            "scenario": self.scenario,
            "seed": self.seed,
            "engine_version": self.engine_version,
            "packs": self.packs,
            "base_snapshot": self.base_snapshot,
        });
        Ok(Digest::Sha256(sha256(&[&canonical_whole(&value)?])))
    }
}

/// What an invocation asks, as its digest sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct InvocationRequest<'a> {
    /// Tool name.
    pub capability_id: &'a str,
    /// Digest of the contract that the caller wrote for.
    pub contract_digest: &'a str,
    /// When the caller made it.
    pub issued_at: &'a str,
    /// When it stops being of use.
    pub deadline: &'a str,
    /// The tool's input.
    pub input: &'a Value,
}

impl InvocationRequest<'_> {
    /// `SHA256(JCS({capability/id, contract/digest, issued-at, deadline, input}))`.
    ///
    /// # Errors
    /// [`DigestError`] when the input has no canonical form.
    pub fn digest(&self) -> Result<Digest, DigestError> {
        let value = serde_json::json!({
            "capability/id": self.capability_id,
            "contract/digest": self.contract_digest,
            "issued-at": self.issued_at,
            "deadline": self.deadline,
            "input": self.input,
        });
        Ok(Digest::Sha256(sha256(&[&canonical_whole(&value)?])))
    }
}

/// SHA-256 and BLAKE3 of some bytes, as certificates name them.
#[must_use]
pub fn digest_set(bytes: &[u8]) -> cellwright_contract::certificate::DigestSet {
    cellwright_contract::certificate::DigestSet {
        sha256: Hex32(sha256(&[bytes])),
        blake3: Hex32(*blake3::hash(bytes).as_bytes()),
    }
}
