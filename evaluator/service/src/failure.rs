//! How a command fails: a message for people and an exit code for programs.

use std::fmt;

/// A command that could not do its work.
#[derive(Debug)]
pub struct Failure {
    /// Exit code.
    pub code: u8,
    /// What went wrong and what to do.
    pub message: String,
}

impl Failure {
    /// Input that cannot be used.
    pub fn input(message: impl fmt::Display) -> Self {
        Failure { code: 2, message: message.to_string() }
    }
    /// A failure with its own exit code.
    pub fn with(code: u8, message: impl fmt::Display) -> Self {
        Failure { code, message: message.to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure { code: 2, message: error.to_string() }
    }
}
