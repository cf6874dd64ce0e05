//! Signs and opens certificates: an in-toto Statement v1 in a DSSE envelope, Ed25519.
//!
//! DSSE v1 signs `PAE(payloadType, payload)`, so the type is bound and the payload's raw bytes are
//! what counts; they are decoded once, verified, and parsed only then. The envelope and its
//! encoding are the crate `dsse`; what is stricter than DSSE asks stands here:
//!
//! - The envelope's bytes must be exactly what this program writes: members in order, no spaces,
//!   no unknown member, canonical base64 of the standard alphabet. So there is one envelope per
//!   statement and set of signatures, and a changed byte is a refusal wherever it stands.
//! - Every signature names its key, and must verify under that key. DSSE leaves `keyid` unsigned;
//!   here it follows from the key, so that it cannot be changed unseen.
//! - No key signs twice. A threshold counts distinct trusted keys.
//! - A signature of a key that is not trusted is a refusal, unless [`Policy::allow_untrusted`].

use crate::keys::{SecretKey, TrustList, Trusted};
use cellwright_contract::certificate::{PAYLOAD_TYPE, Statement};
use cellwright_contract::validate::{Invalid, Validate};
use cellwright_contract::wire::{self, WireError};
use dsse::{Envelope, Verifier};
use ed25519_dalek::{Signature, Signer as _};
use serde::Deserialize;

/// Longest envelope, bytes.
pub const MAX_ENVELOPE_BYTES: usize = 64 << 20;
/// Most signatures of one envelope.
pub const MAX_SIGNATURES: usize = 16;

/// Why something was not signed or not opened. Each case is a refusal of its own.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// No key was given to sign with, or the same one twice.
    #[error("sign with at least one and at most {MAX_SIGNATURES} keys, each once")]
    Signers,
    /// What is to be signed breaks a rule.
    #[error("the statement is not valid: {0}")]
    Statement(#[from] Invalid),
    /// What is to be signed cannot be written.
    #[error("the statement cannot be written: {0}")]
    Write(#[source] serde_json::Error),
    /// The envelope is too long.
    #[error("envelope of {0} bytes, at most {MAX_ENVELOPE_BYTES} are taken")]
    TooLarge(usize),
    /// Not a DSSE envelope.
    #[error("not a DSSE envelope: {0}")]
    Malformed(String),
    /// A DSSE envelope, but not in the one form that is accepted.
    #[error("the envelope is not in canonical form; it was changed after signing")]
    NotCanonical,
    /// The payload is of another type.
    #[error("payloadType is {found:?}, must be {wanted:?}")]
    PayloadType {
        /// What stands there.
        found: String,
        /// What must.
        wanted: String,
    },
    /// A signature does not name its key.
    #[error("signature {0} names no key")]
    NoKeyId(usize),
    /// Two signatures name the same key, or are the same.
    #[error("signatures {0} and {1} are of one key")]
    Duplicate(usize, usize),
    /// A signature is of a key that is not trusted.
    #[error("key {0} is not trusted")]
    Untrusted(String),
    /// A signature does not fit.
    #[error("the signature of key {0} does not fit; the payload or the signature was changed")]
    BadSignature(String),
    /// Fewer trusted keys signed than are needed.
    #[error("{accepted} trusted keys signed, {threshold} are needed")]
    Threshold {
        /// Trusted keys that signed.
        accepted: usize,
        /// Keys needed.
        threshold: usize,
    },
    /// The signatures fit, but what they cover is not a valid statement.
    #[error("signed, but not a valid statement: {0}")]
    Payload(#[from] WireError),
}

/// What must hold for an envelope to be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// How many distinct trusted keys must have signed; 0 counts as 1.
    pub threshold: usize,
    /// Whether signatures of other keys are let be. They cannot be verified, so a change in them
    /// is not seen.
    pub allow_untrusted: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Policy { threshold: 1, allow_untrusted: false }
    }
}

/// What was opened.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The bytes that the signatures cover.
    pub payload: Vec<u8>,
    /// Ids of the trusted keys that signed, in the order of the signatures.
    pub signers: Vec<String>,
}

/// The envelope with nothing but its members.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    payload: String,
    #[serde(rename = "payloadType")]
    payload_type: String,
    signatures: Vec<StrictSignature>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StrictSignature {
    keyid: Option<String>,
    sig: String,
}

struct Signing<'a>(&'a SecretKey);

impl dsse::Signer for Signing<'_> {
    fn sign(&self, message: &[u8]) -> dsse::Result<Vec<u8>> {
        Ok(self.0.signing().sign(message).to_bytes().to_vec())
    }

    fn key_id(&self) -> Option<String> {
        Some(self.0.public().keyid.clone())
    }
}

impl Verifier for Trusted {
    fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        // Strict: no second signature fits the same message and key (RFC 8032, section 8.4).
        Signature::from_slice(signature).is_ok_and(|s| self.key.verify_strict(message, &s).is_ok())
    }

    fn key_id(&self) -> Option<String> {
        Some(self.keyid.clone())
    }

    fn key_identity(&self) -> Option<Vec<u8>> {
        Some(self.key.to_bytes().to_vec())
    }
}

/// Signs bytes of a type with some keys.
///
/// # Errors
/// [`SealError::Signers`] without a key or with the same one twice.
pub fn seal_bytes(
    payload_type: &str,
    payload: &[u8],
    keys: &[&SecretKey],
) -> Result<Vec<u8>, SealError> {
    let ids: Vec<_> = keys.iter().map(|k| &k.public().keyid).collect();
    let twice = ids.iter().enumerate().any(|(i, id)| ids.iter().take(i).any(|p| p == id));
    if keys.is_empty() || keys.len() > MAX_SIGNATURES || twice {
        return Err(SealError::Signers);
    }
    let signing: Vec<_> = keys.iter().map(|k| Signing(k)).collect();
    let signers: Vec<&dyn dsse::Signer> = signing.iter().map(|s| s as &dyn dsse::Signer).collect();
    let envelope = dsse::sign_with(payload_type, payload, &signers)
        .map_err(|e| SealError::Malformed(e.to_string()))?;
    let bytes = envelope.to_json().map_err(|e| SealError::Malformed(e.to_string()))?;
    if bytes.len() > MAX_ENVELOPE_BYTES {
        return Err(SealError::TooLarge(bytes.len()));
    }
    Ok(bytes)
}

/// Opens an envelope of a type: checks its form and every signature, then hands out the payload.
///
/// # Errors
/// [`SealError`], the first check that fails.
pub fn open_bytes(
    bytes: &[u8],
    payload_type: &str,
    trust: &TrustList,
    policy: Policy,
) -> Result<Opened, SealError> {
    if bytes.len() > MAX_ENVELOPE_BYTES {
        return Err(SealError::TooLarge(bytes.len()));
    }
    let strict: Strict =
        serde_json::from_slice(bytes).map_err(|e| SealError::Malformed(e.to_string()))?;
    if strict.payload_type != payload_type {
        return Err(SealError::PayloadType {
            found: strict.payload_type.chars().take(100).collect(),
            wanted: payload_type.to_owned(),
        });
    }
    let count = strict.signatures.len();
    if count > MAX_SIGNATURES {
        return Err(SealError::Malformed(format!(
            "{count} signatures, at most {MAX_SIGNATURES} are taken"
        )));
    }
    // DSSE lets a verifier take the URL-safe alphabet too; then one signature has two envelopes.
    let texts = std::iter::once(&strict.payload).chain(strict.signatures.iter().map(|s| &s.sig));
    if texts.into_iter().any(|t| t.contains(['-', '_'])) {
        return Err(SealError::NotCanonical);
    }
    let mut named: Vec<(String, String)> = Vec::with_capacity(count);
    for (i, s) in strict.signatures.into_iter().enumerate() {
        let id = s.keyid.filter(|id| !id.is_empty()).ok_or(SealError::NoKeyId(i))?;
        if let Some(first) = named.iter().position(|(k, sig)| *k == id || *sig == s.sig) {
            return Err(SealError::Duplicate(first, i));
        }
        named.push((id, s.sig));
    }
    let whole = Envelope {
        payload: strict.payload,
        payload_type: strict.payload_type,
        signatures: named
            .iter()
            .map(|(id, sig)| dsse::Signature { keyid: Some(id.clone()), sig: sig.clone() })
            .collect(),
    };
    if whole.to_json().map_err(|e| SealError::Malformed(e.to_string()))? != bytes {
        return Err(SealError::NotCanonical);
    }
    let mut opened: Option<Vec<u8>> = None;
    let mut signers = Vec::new();
    for signature in &whole.signatures {
        let id = signature.keyid.clone().unwrap_or_default();
        let Some(key) = trust.find(&id) else {
            if policy.allow_untrusted {
                continue;
            }
            return Err(SealError::Untrusted(id));
        };
        // One signature and its own key at a time: a signature that fits another key than the one
        // it names is a changed one.
        let single = Envelope { signatures: vec![signature.clone()], ..whole.clone() };
        match dsse::verify(&single, &[key as &dyn Verifier], 1) {
            Ok(verified) => opened = Some(verified.payload),
            Err(dsse::Error::NonCanonicalBase64 { .. }) => return Err(SealError::NotCanonical),
            Err(dsse::Error::NoValidSignature { .. }) => return Err(SealError::BadSignature(id)),
            Err(e) => return Err(SealError::Malformed(e.to_string())),
        }
        signers.push(id);
    }
    let threshold = policy.threshold.max(1);
    match opened {
        Some(payload) if signers.len() >= threshold => Ok(Opened { payload, signers }),
        _ => Err(SealError::Threshold { accepted: signers.len(), threshold }),
    }
}

/// Signs a statement. Its JSON is written once; those bytes are what the signatures cover.
///
/// # Errors
/// [`SealError::Statement`] when the statement breaks a rule, else as [`seal_bytes`].
pub fn seal(statement: &Statement, keys: &[&SecretKey]) -> Result<Vec<u8>, SealError> {
    statement.validate()?;
    let payload = serde_json::to_vec(statement).map_err(SealError::Write)?;
    seal_bytes(PAYLOAD_TYPE, &payload, keys)
}

/// Opens a certificate: form, signatures, then the statement and every rule of it.
///
/// # Errors
/// [`SealError`], the first check that fails.
pub fn open(
    bytes: &[u8],
    trust: &TrustList,
    policy: Policy,
) -> Result<(Statement, Opened), SealError> {
    let opened = open_bytes(bytes, PAYLOAD_TYPE, trust, policy)?;
    let statement = wire::parse(&opened.payload)?;
    Ok((statement, opened))
}
