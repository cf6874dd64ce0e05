//! Ed25519 keys: the secret one in a file that only its owner reads, the public one in a file that
//! other verifiers read too, and the list of those that are trusted.
//!
//! A public key file is what Python's `securesystemslib` takes for a key of type and scheme
//! `ed25519`, and the key id is computed as it does: SHA-256 of the canonical JSON of
//! `{keytype, keyval: {public}, scheme}`. So an envelope of ours verifies there as it is.

use ed25519_dalek::{SigningKey, VerifyingKey};
use rand::TryRngCore;
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// `schema` of a secret key file.
const SECRET_SCHEMA: &str = "cellwright-key/1";
/// `schema` of a trust list.
const TRUST_SCHEMA: &str = "cellwright-trust/1";
/// Most bytes of a key file or trust list.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Key type and scheme.
const ED25519: &str = "ed25519";

/// What is wrong with a key or trust list.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is there already; a key is never overwritten.
    #[error("{path}: exists already; a key is never overwritten")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Others than the owner may read or write the secret key.
    #[error("{path}: mode {mode:o} lets others at the secret key; chmod 600 it")]
    Permissions {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The file is not what it should be.
    #[error("{path}: {why}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The system gave no random bytes.
    #[error("no random bytes from the system: {0}")]
    Random(String),
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> KeyError + '_ {
    move |source| KeyError::Io { path: path.to_owned(), source }
}

fn malformed(path: &Path, why: impl Into<String>) -> KeyError {
    KeyError::Malformed { path: path.to_owned(), why: why.into() }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    text.parse::<cellwright_contract::refs::Hex32>().ok().map(|h| h.0)
}

/// A secret key. Its bytes are wiped when it is dropped and never shown.
pub struct SecretKey {
    key: SigningKey,
    public: PublicKey,
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretKey({})", self.public.keyid)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretFile {
    schema: String,
    keytype: String,
    scheme: String,
    keyval: SecretKeyVal,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretKeyVal {
    public: String,
    private: String,
}

impl SecretKey {
    /// Makes a key from the system's random bytes.
    ///
    /// # Errors
    /// [`KeyError::Random`].
    pub fn generate() -> Result<Self, KeyError> {
        let mut seed = [0; 32];
        OsRng.try_fill_bytes(&mut seed).map_err(|e| KeyError::Random(e.to_string()))?;
        Ok(SecretKey::from_seed(&seed))
    }

    /// The key of a 32-byte seed (RFC 8032, section 5.1.5).
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let key = SigningKey::from_bytes(seed);
        let public = PublicKey::from_bytes(key.verifying_key().to_bytes());
        SecretKey { key, public }
    }

    /// Its public key.
    #[must_use]
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    pub(crate) fn signing(&self) -> &SigningKey {
        &self.key
    }

    /// Writes the key to a new file of mode 0600. The file appears whole or not at all.
    ///
    /// # Errors
    /// [`KeyError::Exists`] when there is one already, [`KeyError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), KeyError> {
        let file = SecretFile {
            schema: SECRET_SCHEMA.into(),
            keytype: ED25519.into(),
            scheme: ED25519.into(),
            keyval: SecretKeyVal {
                public: self.public.keyval.public.clone(),
                private: hex(self.key.as_bytes()),
            },
        };
        write_new(path, &to_json(path, &file)?, 0o600)
    }

    /// Reads a key.
    ///
    /// # Errors
    /// [`KeyError::Permissions`] when others may read it, [`KeyError::Malformed`], [`KeyError::Io`].
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        let file = File::open(path).map_err(io_error(path))?;
        check_mode(path, &file)?;
        let found: SecretFile = from_json(path, &file)?;
        if found.schema != SECRET_SCHEMA || found.keytype != ED25519 || found.scheme != ED25519 {
            return Err(malformed(path, "not an ed25519 secret key of this program"));
        }
        let seed = unhex(&found.keyval.private)
            .ok_or_else(|| malformed(path, "keyval.private must be 64 lower-case hex digits"))?;
        let key = SecretKey::from_seed(&seed);
        if key.public.keyval.public != found.keyval.public {
            return Err(malformed(path, "the public key is not that of the secret key"));
        }
        Ok(key)
    }
}

/// A public key, as its file holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicKey {
    /// SHA-256 of the canonical JSON of the rest; follows from the key.
    pub keyid: String,
    /// `ed25519`.
    pub keytype: String,
    /// `ed25519`.
    pub scheme: String,
    /// The key itself.
    pub keyval: KeyVal,
}

/// The key of a [`PublicKey`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyVal {
    /// 32 bytes as lower-case hexadecimal digits.
    pub public: String,
}

impl PublicKey {
    fn from_bytes(bytes: [u8; 32]) -> Self {
        let public = hex(&bytes);
        // Canonical JSON: sorted keys, no spaces; hexadecimal digits need no escape.
        let canonical = format!(
            r#"{{"keytype":"{ED25519}","keyval":{{"public":"{public}"}},"scheme":"{ED25519}"}}"#
        );
        PublicKey {
            keyid: hex(&Sha256::digest(canonical.as_bytes())),
            keytype: ED25519.into(),
            scheme: ED25519.into(),
            keyval: KeyVal { public },
        }
    }

    /// The key's bytes, when everything about it is in order.
    fn checked(&self) -> Result<VerifyingKey, String> {
        let bytes =
            unhex(&self.keyval.public).ok_or("keyval.public must be 64 lower-case hex digits")?;
        if *self != PublicKey::from_bytes(bytes) {
            return Err("keytype, scheme or keyid is not that of the key".into());
        }
        let key = VerifyingKey::from_bytes(&bytes).map_err(|e| e.to_string())?;
        // Every message has a signature that fits a key of small order.
        if key.is_weak() {
            return Err("the key is of small order".into());
        }
        Ok(key)
    }

    /// Writes the key to a new file.
    ///
    /// # Errors
    /// [`KeyError::Exists`] when there is one already, [`KeyError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), KeyError> {
        write_new(path, &to_json(path, self)?, 0o644)
    }

    /// Reads a key.
    ///
    /// # Errors
    /// [`KeyError::Malformed`], [`KeyError::Io`].
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        let file = File::open(path).map_err(io_error(path))?;
        let key: PublicKey = from_json(path, &file)?;
        key.checked().map_err(|why| malformed(path, why))?;
        Ok(key)
    }
}

/// A key that is trusted, ready to verify.
#[derive(Debug, Clone)]
pub(crate) struct Trusted {
    pub(crate) keyid: String,
    pub(crate) key: VerifyingKey,
}

/// The keys that are trusted, each once.
#[derive(Debug, Clone, Default)]
pub struct TrustList {
    keys: Vec<(PublicKey, Trusted)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustFile {
    schema: String,
    keys: Vec<PublicKey>,
}

impl TrustList {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        TrustList::default()
    }

    /// Adds a key; false when it is there already.
    ///
    /// # Errors
    /// What is wrong with the key.
    pub fn add(&mut self, key: &PublicKey) -> Result<bool, String> {
        let verifying = key.checked()?;
        if self.contains(&key.keyid) {
            return Ok(false);
        }
        let trusted = Trusted { keyid: key.keyid.clone(), key: verifying };
        self.keys.push((key.clone(), trusted));
        Ok(true)
    }

    /// Takes a key out; false when it is not there.
    pub fn remove(&mut self, keyid: &str) -> bool {
        let before = self.keys.len();
        self.keys.retain(|(k, _)| k.keyid != keyid);
        self.keys.len() != before
    }

    /// True when a key is trusted.
    #[must_use]
    pub fn contains(&self, keyid: &str) -> bool {
        self.find(keyid).is_some()
    }

    /// The keys, in the order in which they were added.
    pub fn keys(&self) -> impl Iterator<Item = &PublicKey> {
        self.keys.iter().map(|(k, _)| k)
    }

    pub(crate) fn find(&self, keyid: &str) -> Option<&Trusted> {
        self.keys.iter().find(|(k, _)| k.keyid == keyid).map(|(_, t)| t)
    }

    /// Writes the list, in place of an older one. The file changes whole or not at all.
    ///
    /// # Errors
    /// [`KeyError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), KeyError> {
        let keys = self.keys().cloned().collect();
        let text = to_json(path, &TrustFile { schema: TRUST_SCHEMA.into(), keys })?;
        let temp = write_temp(path, &text, 0o644)?;
        std::fs::rename(&temp, path).map_err(io_error(path))
    }

    /// Reads a list.
    ///
    /// # Errors
    /// [`KeyError::Malformed`] when a key is not in order or stands twice, [`KeyError::Io`].
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        let file = File::open(path).map_err(io_error(path))?;
        let found: TrustFile = from_json(path, &file)?;
        if found.schema != TRUST_SCHEMA {
            return Err(malformed(path, format!("schema must be {TRUST_SCHEMA}")));
        }
        let mut list = TrustList::new();
        for (i, key) in found.keys.iter().enumerate() {
            match list.add(key) {
                Ok(true) => {}
                Ok(false) => return Err(malformed(path, format!("key {i} stands twice"))),
                Err(why) => return Err(malformed(path, format!("key {i}: {why}"))),
            }
        }
        Ok(list)
    }
}

fn to_json<T: Serialize>(path: &Path, value: &T) -> Result<Vec<u8>, KeyError> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|e| malformed(path, e.to_string()))?;
    text.push(b'\n');
    Ok(text)
}

fn from_json<T: serde::de::DeserializeOwned>(path: &Path, file: &File) -> Result<T, KeyError> {
    let mut text = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut text).map_err(io_error(path))?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(malformed(path, format!("longer than {MAX_FILE_BYTES} bytes")));
    }
    serde_json::from_slice(&text).map_err(|e| malformed(path, e.to_string()))
}

#[cfg(unix)]
fn check_mode(path: &Path, file: &File) -> Result<(), KeyError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata().map_err(io_error(path))?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(KeyError::Permissions { path: path.to_owned(), mode });
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_mode(_: &Path, _: &File) -> Result<(), KeyError> {
    Ok(())
}

/// Writes a file beside `path` and makes it durable.
fn write_temp(path: &Path, text: &[u8], mode: u32) -> Result<PathBuf, KeyError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temp = path.with_file_name(name);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(mode);
    }
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = options.open(&temp).map_err(io_error(&temp))?;
    let done = file.write_all(text).and_then(|()| file.sync_all());
    if let Err(e) = done {
        let _ = std::fs::remove_file(&temp);
        return Err(io_error(&temp)(e));
    }
    Ok(temp)
}

/// Makes a new file that appears whole. A link, unlike a rename, fails when the name is taken.
fn write_new(path: &Path, text: &[u8], mode: u32) -> Result<(), KeyError> {
    let temp = write_temp(path, text, mode)?;
    let linked = std::fs::hard_link(&temp, path);
    let _ = std::fs::remove_file(&temp);
    linked.map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => KeyError::Exists { path: path.to_owned() },
        _ => io_error(path)(e),
    })
}
