//! Options of an agent that is a program of its own.

use std::time::Duration;

use cellwright_stdio::{Limits, ProcessAgent};
use clap::Args;

use crate::failure::Failure;

/// Where `--help` lists these.
const HEADING: &str = "An agent of your own";

/// See `agent-api/docs/stdio.md`.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct Foreign {
    /// Who proposes: a program that speaks JSON lines, such as "python3 agent.py".
    #[arg(long, help_heading = HEADING, value_name = "COMMAND", conflicts_with = "agent")]
    pub(crate) agent_command: Option<String>,
    /// Most memory of that program and all that it starts, MB [default: 4096].
    #[arg(long, help_heading = HEADING, value_name = "MB", requires = "agent_command")]
    agent_memory: Option<u64>,
    /// Longest silence of that program while it is waited for, seconds [default: 60].
    #[arg(long, help_heading = HEADING, value_name = "SECONDS", requires = "agent_command")]
    agent_reply: Option<u64>,
    /// Most processor time of that program, seconds.
    #[arg(long, help_heading = HEADING, value_name = "SECONDS", requires = "agent_command")]
    agent_cpu: Option<u64>,
    /// Let that program use the network.
    #[arg(long, help_heading = HEADING, requires = "agent_command")]
    agent_network: bool,
}

impl Foreign {
    /// The agent, when there is one; nothing is started yet.
    pub(crate) fn agent(&self, wall: Option<Duration>) -> Result<Option<ProcessAgent>, Failure> {
        let Some(command) = &self.agent_command else { return Ok(None) };
        let usual = Limits::default();
        let limits = Limits {
            wall,
            memory: self.agent_memory.map_or(usual.memory, |mb| mb.saturating_mul(1 << 20)),
            reply: self.agent_reply.map_or(usual.reply, Duration::from_secs),
            cpu_seconds: self.agent_cpu,
            network: self.agent_network,
            ..usual
        };
        Ok(Some(ProcessAgent::new(command, limits)?))
    }
}
