//! Where a run keeps its files, and copying a bundle into it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use cellwright_formats::bundle::Bundle;
use thiserror::Error;

/// A run directory cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// It has files in it already.
    #[error("{} is not empty; choose another folder for the run", .0.display())]
    NotEmpty(PathBuf),
    /// A file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file is no JSON of the expected form.
    #[error("{}: {error}", .path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Where and why.
        error: serde_json::Error,
    },
}

/// Paths of a run directory.
#[derive(Debug, Clone)]
pub struct RunFolder {
    root: PathBuf,
}

impl RunFolder {
    /// A new, empty run directory.
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn create(root: &Path) -> Result<RunFolder, FolderError> {
        let folder = RunFolder { root: root.to_owned() };
        let io = |error| FolderError::Io { path: root.to_owned(), error };
        if root.exists() && fs::read_dir(root).map_err(io)?.next().is_some() {
            return Err(FolderError::NotEmpty(root.to_owned()));
        }
        fs::create_dir_all(folder.certificates()).map_err(io)?;
        fs::create_dir_all(folder.design()).map_err(io)?;
        Ok(folder)
    }
    /// A run directory that exists.
    pub fn open(root: &Path) -> RunFolder {
        RunFolder { root: root.to_owned() }
    }
    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }
    /// `manifest.json`.
    pub fn manifest(&self) -> PathBuf {
        self.root.join("manifest.json")
    }
    /// `scenario.json`.
    pub fn scenario(&self) -> PathBuf {
        self.root.join("scenario.json")
    }
    /// `design/`.
    pub fn design(&self) -> PathBuf {
        self.root.join("design")
    }
    /// `journal.jsonl`.
    pub fn journal(&self) -> PathBuf {
        self.root.join("journal.jsonl")
    }
    /// `deltas.bin`.
    pub fn deltas(&self) -> PathBuf {
        self.root.join("deltas.bin")
    }
    /// `certificates/`.
    pub fn certificates(&self) -> PathBuf {
        self.root.join("certificates")
    }
    /// A certificate.
    pub fn certificate(&self, id: &str) -> PathBuf {
        self.certificates().join(format!("{id}.json"))
    }
    /// `issuer.pub`.
    pub fn issuer(&self) -> PathBuf {
        self.root.join("issuer.pub")
    }
    /// `subject.json`.
    pub fn subject(&self) -> PathBuf {
        self.root.join("subject.json")
    }
    /// `verdict.json`.
    pub fn verdict(&self) -> PathBuf {
        self.root.join("verdict.json")
    }
    /// `setup.json`: delay calculator and the like, as the run was started with.
    pub fn setup(&self) -> PathBuf {
        self.root.join("setup.json")
    }

    /// Writes a file whole or not at all.
    ///
    /// # Errors
    /// [`FolderError::Io`].
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
        let io = |error| FolderError::Io { path: path.to_owned(), error };
        let part = path.with_extension("part");
        let mut file = fs::File::create(&part).map_err(io)?;
        file.write_all(bytes).map_err(io)?;
        file.sync_data().map_err(io)?;
        fs::rename(&part, path).map_err(io)
    }
    /// Writes a value as indented JSON.
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn write_json<T: serde::Serialize>(
        &self,
        path: &Path,
        value: &T,
    ) -> Result<(), FolderError> {
        let json = |error| FolderError::Json { path: path.to_owned(), error };
        let mut bytes = serde_json::to_vec_pretty(value).map_err(json)?;
        bytes.push(b'\n');
        self.write(path, &bytes)
    }
    /// Reads a JSON file.
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn read_json<T: serde::de::DeserializeOwned>(&self, path: &Path) -> Result<T, FolderError> {
        let bytes =
            fs::read(path).map_err(|error| FolderError::Io { path: path.to_owned(), error })?;
        serde_json::from_slice(&bytes)
            .map_err(|error| FolderError::Json { path: path.to_owned(), error })
    }
}

/// Copies a bundle and every file that it names into `folder`, packed or not as they are, and gives
/// the path of the copied `design.toml`. Files get a number in front, since two may share a name.
///
/// # Errors
/// [`FolderError::Io`].
pub fn copy_bundle(bundle: &Bundle, folder: &Path) -> Result<PathBuf, FolderError> {
    let mut moved = bundle.clone();
    let mut count = 0;
    let mut done: Vec<(PathBuf, PathBuf)> = Vec::new();
    let mut copy = |path: &mut PathBuf| -> Result<(), FolderError> {
        if let Some((_, name)) = done.iter().find(|(from, _)| from == path) {
            path.clone_from(name);
            return Ok(());
        }
        let from = bundle.path(path);
        let name = path.file_name().map(PathBuf::from).unwrap_or_default();
        let name = PathBuf::from(format!("{count:02}_{}", name.display()));
        count += 1;
        fs::copy(&from, folder.join(&name))
            .map_err(|error| FolderError::Io { path: from, error })?;
        done.push((path.clone(), name.clone()));
        *path = name;
        Ok(())
    };
    for path in
        moved.lef.iter_mut().chain(&mut moved.verilog).chain(&mut moved.def).chain(&mut moved.sdc)
    {
        copy(path)?;
    }
    for corner in &mut moved.corner {
        let lists = [&mut corner.liberty, &mut corner.liberty_early, &mut corner.liberty_late];
        let spefs = corner.spef.iter_mut().chain(corner.spef_of.values_mut());
        for path in lists.into_iter().flatten().chain(spefs) {
            copy(path)?;
        }
    }
    let path = folder.join("design.toml");
    let io = |error| FolderError::Io { path: path.clone(), error };
    fs::write(&path, moved.to_toml()).map_err(io)?;
    Ok(path)
}
