//! What a program may take.

use std::time::Duration;

/// Limits on an agent's process. Beyond one of them it is ended and the run gets a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Longest silence while the loop waits for the agent.
    pub reply: Duration,
    /// Wall time from the beginning to the end of the agent's work; none for no limit. Reaching it
    /// is no fault: the agent's work is over.
    pub wall: Option<Duration>,
    /// Processor time of each process, seconds; none for no limit.
    pub cpu_seconds: Option<u64>,
    /// Memory that the agent and all that it started hold, bytes.
    pub memory: u64,
    /// Processes and threads' leaders that it may have at once.
    pub processes: usize,
    /// Longest line, bytes.
    pub line_bytes: usize,
    /// Most bytes between two proposals.
    pub turn_bytes: u64,
    /// Most messages between two proposals.
    pub turn_messages: u64,
    /// Most bytes on standard error over the whole run.
    pub stderr_bytes: u64,
    /// Malformed messages that are answered with an error before the agent is ended.
    pub strikes: u32,
    /// Whether it may use the network.
    pub network: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            reply: Duration::from_secs(60),
            wall: None,
            cpu_seconds: None,
            memory: 4 << 30,
            processes: 256,
            line_bytes: 16 << 20,
            turn_bytes: 1 << 30,
            turn_messages: 1_000_000,
            stderr_bytes: 64 << 20,
            strikes: 16,
            network: false,
        }
    }
}
