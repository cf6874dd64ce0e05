//! The error of every reader: file, line, column, what is wrong, what to do.

use thiserror::Error;

/// A file that cannot be read, or not any further.
///
/// Shown as `file:line:column: message; hint`. A `line` of 0 means that the error belongs to the
/// file as a whole (it cannot be opened, say); then line and column are left out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", self.describe())]
pub struct FormatError {
    /// The file's name as it was opened.
    pub file: String,
    /// Line, counted from 1; 0 for the whole file.
    pub line: u32,
    /// Column in bytes, counted from 1; 0 for the whole line.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

impl FormatError {
    /// An error of the file as a whole.
    #[must_use]
    pub fn whole_file(
        file: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self { file: file.into(), line: 0, column: 0, message: message.into(), hint: hint.into() }
    }

    fn describe(&self) -> String {
        let mut out = self.file.clone();
        if self.line > 0 {
            out.push_str(&format!(":{}", self.line));
            if self.column > 0 {
                out.push_str(&format!(":{}", self.column));
            }
        }
        out.push_str(": ");
        out.push_str(&self.message);
        if !self.hint.is_empty() {
            out.push_str("; ");
            out.push_str(&self.hint);
        }
        out
    }
}
