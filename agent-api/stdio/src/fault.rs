//! How an agent's process misbehaved.

use std::time::Duration;

use thiserror::Error;

/// Why an agent's process was ended, or ended by itself.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// It could not be started.
    #[error("cannot be started: {0}")]
    NotStarted(String),
    /// It said nothing.
    #[error("silent for {} s while the loop waited; ended", .0.as_secs_f64())]
    Silent(Duration),
    /// It did not read what it was told.
    #[error("does not read its standard input; ended after {} s", .0.as_secs_f64())]
    Deaf(Duration),
    /// It wrote more than it may.
    #[error("flood: {0}; ended")]
    Flood(String),
    /// It wrote what is no message, too often.
    #[error("{strikes} malformed messages, the last: {last}; ended")]
    Garbage {
        /// How many.
        strikes: u32,
        /// What was wrong with the last.
        last: String,
    },
    /// It ended.
    #[error("died: {how}{}", shown(.stderr))]
    Died {
        /// Exit code or signal.
        how: String,
        /// End of what it wrote to standard error.
        stderr: String,
    },
    /// It ended with exit code 0: a way to say `done`.
    #[error("ended")]
    Left,
    /// It closed its standard output and went on.
    #[error("closed its standard output without ending; ended")]
    Closed,
    /// It holds more memory than it may.
    #[error("holds {held} bytes of memory, at most {limit} are allowed; ended")]
    Memory {
        /// Bytes held.
        held: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// It has more processes than it may.
    #[error("has {0} processes, at most {1} are allowed; ended")]
    Processes(usize, usize),
    /// The pipe to it broke in another way.
    #[error("pipe: {0}; ended")]
    Pipe(String),
}

fn shown(stderr: &str) -> String {
    if stderr.is_empty() {
        return String::new();
    }
    format!("; its standard error ends with: {}", stderr.trim_end())
}
