//! Grants: signed by an issuer, held by one caller, taken back by a signed withdrawal.

use std::fs;
use std::path::{Path, PathBuf};

use cellwright_contract::invoke::{GRANT_TYPE, Grant, WITHDRAWAL_TYPE, Withdrawal};
use cellwright_contract::validate::Validate;
use cellwright_contract::wire;
use thiserror::Error;

use crate::digest::digest_set;
use crate::keys::{SecretKey, TrustList};
use crate::seal::{Policy, SealError, open_bytes, seal_bytes};

/// A grant or withdrawal cannot be made, read or kept.
#[derive(Debug, Error)]
pub enum GrantError {
    /// It breaks a rule.
    #[error(transparent)]
    Invalid(#[from] cellwright_contract::validate::Invalid),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] serde_json::Error),
    /// Its envelope.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// What was signed is not one.
    #[error(transparent)]
    Payload(#[from] wire::WireError),
    /// A file of the folder of withdrawals.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

/// Whether a grant still stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Stands,
    Withdrawn,
    Void,
}

/// Who may issue grants, and the folder that holds what was taken back. Several processes may
/// share the folder: it is looked at on every admission.
#[derive(Debug, Clone)]
pub struct GrantBook {
    issuers: TrustList,
    withdrawals: PathBuf,
}

impl GrantBook {
    /// Grants of these issuers, with withdrawals in a folder that is made when first needed.
    #[must_use]
    pub fn new(issuers: TrustList, withdrawals: &Path) -> Self {
        GrantBook { issuers, withdrawals: withdrawals.to_owned() }
    }

    /// Signs a grant.
    ///
    /// # Errors
    /// [`GrantError::Invalid`] when it breaks a rule.
    pub fn issue(grant: &Grant, key: &SecretKey) -> Result<String, GrantError> {
        grant.validate()?;
        sealed(GRANT_TYPE, &serde_json::to_vec(grant)?, key)
    }

    /// Signs a withdrawal.
    ///
    /// # Errors
    /// [`GrantError::Invalid`] when it breaks a rule.
    pub fn sign(withdrawal: &Withdrawal, key: &SecretKey) -> Result<String, GrantError> {
        withdrawal.validate()?;
        sealed(WITHDRAWAL_TYPE, &serde_json::to_vec(withdrawal)?, key)
    }

    /// Takes a grant back by a signed withdrawal. A tombstone stays whatever follows.
    ///
    /// # Errors
    /// [`GrantError`] when it is not signed by an issuer, or cannot be kept.
    pub fn withdraw(&self, envelope: &str) -> Result<Withdrawal, GrantError> {
        let withdrawal = self.withdrawal(envelope.as_bytes())?;
        if self.standing(&withdrawal.grant) == Standing::Void {
            return Ok(withdrawal);
        }
        let path = self.path(&withdrawal.grant);
        let io = |error| GrantError::Io { path: path.clone(), error };
        fs::create_dir_all(&self.withdrawals).map_err(io)?;
        let part = path.with_extension(format!("{}.part", std::process::id()));
        let mut file = fs::File::create(&part).map_err(io)?;
        std::io::Write::write_all(&mut file, envelope.as_bytes()).map_err(io)?;
        file.sync_all().map_err(io)?;
        fs::rename(&part, &path).map_err(io)?;
        if cfg!(unix) {
            fs::File::open(&self.withdrawals).and_then(|folder| folder.sync_all()).map_err(io)?;
        }
        Ok(withdrawal)
    }

    /// Opens a grant: form, signature of an issuer, every rule of it.
    ///
    /// # Errors
    /// [`GrantError`], the first check that fails.
    pub fn open(&self, envelope: &str) -> Result<Grant, GrantError> {
        let opened = open_bytes(envelope.as_bytes(), GRANT_TYPE, &self.issuers, Policy::default())?;
        Ok(wire::parse(&opened.payload)?)
    }

    fn withdrawal(&self, envelope: &[u8]) -> Result<Withdrawal, GrantError> {
        let opened = open_bytes(envelope, WITHDRAWAL_TYPE, &self.issuers, Policy::default())?;
        Ok(wire::parse(&opened.payload)?)
    }

    /// Whether a grant was taken back. Fails closed: what cannot be read counts as taken back.
    pub(super) fn standing(&self, grant: &str) -> Standing {
        let bytes = match fs::read(self.path(grant)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Standing::Stands,
            Err(_) => return Standing::Withdrawn,
        };
        match self.withdrawal(&bytes) {
            Ok(found) if found.grant == grant && found.tombstone => Standing::Void,
            _ => Standing::Withdrawn,
        }
    }

    /// Ids are free text, so the file is named by the id's digest.
    fn path(&self, grant: &str) -> PathBuf {
        self.withdrawals.join(format!("{}.json", digest_set(grant.as_bytes()).sha256))
    }
}

fn sealed(kind: &str, payload: &[u8], key: &SecretKey) -> Result<String, GrantError> {
    let bytes = seal_bytes(kind, payload, &[key])?;
    // An envelope is JSON, and so UTF-8.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
