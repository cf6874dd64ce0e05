//! What can go wrong: a request that cannot be met, or a file that cannot be written.

use std::path::PathBuf;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A field of a [`crate::Spec`] is outside its range.
    #[error("spec field `{field}`: {problem}")]
    Spec {
        /// The field.
        field: &'static str,
        /// What is wrong and what is allowed.
        problem: String,
    },
    /// No preset has this name.
    #[error("no preset called `{name}`; there are: {known}")]
    UnknownPreset {
        /// The name asked for.
        name: String,
        /// The names that exist, separated by commas.
        known: String,
    },
    /// A generated netlist broke a rule; a bug of the generator, never of the caller.
    #[error("the generated netlist is not well formed: {0}")]
    Malformed(#[from] crate::check::Flaw),
    /// A file or folder could not be written.
    #[error("cannot write {path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl Error {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }

    pub(crate) fn spec(field: &'static str, problem: impl Into<String>) -> Self {
        Self::Spec { field, problem: problem.into() }
    }
}
