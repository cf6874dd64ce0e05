//! Where keys lie: the issuer's own, made at first use and readable by nobody else, and the list of
//! those that are trusted.

use std::path::{Path, PathBuf};

use cellwright_judge::keys::{PublicKey, SecretKey, TrustList};

use crate::failure::Failure;

fn folder() -> Result<PathBuf, Failure> {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    let folder = data.or(home).ok_or_else(|| {
        Failure::input("neither XDG_DATA_HOME nor HOME is set; name a key with --key")
    })?;
    Ok(folder.join("cellwright"))
}

/// Where the user's own key lies.
///
/// # Errors
/// When neither `XDG_DATA_HOME` nor `HOME` is set.
pub fn default_path() -> Result<PathBuf, Failure> {
    Ok(folder()?.join("issuer.key"))
}

/// Where the list of trusted keys lies.
///
/// # Errors
/// When neither `XDG_DATA_HOME` nor `HOME` is set.
pub fn trust_path() -> Result<PathBuf, Failure> {
    Ok(folder()?.join("trust.json"))
}

/// Makes the folder that a file goes to.
///
/// # Errors
/// When it cannot be made.
pub fn make_folder(file: &Path) -> Result<(), Failure> {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => std::fs::create_dir_all(folder)
            .map_err(|error| Failure::input(format!("{}: {error}", folder.display()))),
        _ => Ok(()),
    }
}

/// Makes a new key; a file that is there is never overwritten.
///
/// # Errors
/// When there is a file already or none can be written.
pub fn create(path: &Path) -> Result<SecretKey, Failure> {
    make_folder(path)?;
    let key = SecretKey::generate()?;
    key.save(path)?;
    Ok(key)
}

/// The key at `path`, which must be there, or the user's own, made when there is none yet.
///
/// # Errors
/// When there is no key at `path`, or it cannot be used.
pub fn signing(path: Option<&PathBuf>) -> Result<SecretKey, Failure> {
    let Some(path) = path else {
        let own = default_path()?;
        return first_use(&own);
    };
    // A new key in place of a mistyped one would sign for nobody.
    if !path.exists() {
        let shown = path.display();
        let text = format!("{shown}: there is no key; make one with `cellwright key new {shown}`");
        return Err(Failure::input(text));
    }
    if path.is_dir() {
        let text = format!("{}: is a folder; name the key file in it", path.display());
        return Err(Failure::input(text));
    }
    Ok(SecretKey::load(path)?)
}

/// The user's own key, made at first use.
fn first_use(path: &Path) -> Result<SecretKey, Failure> {
    if path.exists() {
        return Ok(SecretKey::load(path)?);
    }
    let mut made = create(path);
    // Another process may have been first, a moment ago: its key is the user's, whole or soon.
    for _ in 0..100 {
        if made.is_ok() {
            break;
        }
        if path.exists() {
            made = SecretKey::load(path).map_err(Failure::from);
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    made
}

/// The keys that the user trusts for good: `cellwright key trust`.
///
/// # Errors
/// When the list cannot be read.
pub fn trust_list() -> Result<TrustList, Failure> {
    let path = trust_path()?;
    if path.exists() { Ok(TrustList::load(&path)?) } else { Ok(TrustList::new()) }
}

/// The user's own key, those trusted for good, and the public keys named by `--trust`.
///
/// # Errors
/// When one of them cannot be read.
pub fn trusted(files: &[PathBuf]) -> Result<TrustList, Failure> {
    // Without a home there is nothing of the user's own to trust.
    let mut trust = if trust_path().is_ok() { trust_list()? } else { TrustList::new() };
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
