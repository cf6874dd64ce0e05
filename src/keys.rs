//! Where the issuer's key lies: one per user, made at first use, readable by nobody else.

use std::path::PathBuf;

use cellwright_judge::keys::{PublicKey, SecretKey, TrustList};

use crate::failure::Failure;

fn default_path() -> Result<PathBuf, Failure> {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    let folder = data.or(home).ok_or_else(|| {
        Failure::input("neither XDG_DATA_HOME nor HOME is set; name a key with --key")
    })?;
    Ok(folder.join("cellwright/issuer.key"))
}

/// The key at `path`, or the user's own, made when there is none yet.
pub fn signing(path: Option<&PathBuf>) -> Result<SecretKey, Failure> {
    let path = match path {
        Some(path) => path.clone(),
        None => default_path()?,
    };
    if path.exists() {
        return Ok(SecretKey::load(&path)?);
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let key = SecretKey::generate()?;
    match key.save(&path) {
        Ok(()) => Ok(key),
        // Another process was first, a moment ago: its key is the user's. It may still be writing.
        Err(_) if path.exists() => {
            let mut loaded = SecretKey::load(&path);
            for _ in 0..100 {
                if loaded.is_ok() {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(10));
                loaded = SecretKey::load(&path);
            }
            Ok(loaded?)
        }
        Err(error) => Err(error.into()),
    }
}

/// The user's own key and the public keys named by `--trust`.
pub fn trusted(files: &[PathBuf]) -> Result<TrustList, Failure> {
    let mut trust = TrustList::new();
    let mut add = |key: &PublicKey| trust.add(key).map_err(Failure::input);
    if let Ok(path) = default_path()
        && path.exists()
    {
        add(SecretKey::load(&path)?.public())?;
    }
    for file in files {
        add(&PublicKey::load(file)?)?;
    }
    Ok(trust)
}
