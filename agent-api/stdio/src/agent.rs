//! The program as an agent of the loop.

use std::ffi::OsString;
use std::time::Instant;

use cellwright_contract::agent::{Agent, AgentError, Feedback};
use cellwright_contract::platform::{PlatformError, View};
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::IntentRef;
use cellwright_contract::scenario::Scenario;
use cellwright_contract::wire::{self, WireError};
use serde_json::Value;

use crate::call::answer;
use crate::confine::{confinement, find};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::link::Link;
use crate::message::{Draft, FromAgent, Outcome, PROTOCOL, ToAgent};

/// An agent in another process. See the crate's page.
#[derive(Debug)]
pub struct ProcessAgent {
    command: String,
    words: Vec<OsString>,
    limits: Limits,
    link: Option<Link>,
    fault: Option<Fault>,
    intent: Option<IntentRef>,
    deadline: Option<Instant>,
    turn: u64,
    strikes: u32,
    done: Option<String>,
}

impl ProcessAgent {
    /// An agent from a command line, split as a shell does (quotes and backslashes; no variables,
    /// no pipes: name a shell for those). Nothing is started before the run begins.
    ///
    /// # Errors
    /// [`AgentError::Settings`] when the command is empty, has an open quote, or names no program.
    pub fn new(command: &str, limits: Limits) -> Result<Self, AgentError> {
        let words = shlex::split(command).ok_or_else(|| {
            AgentError::Settings(format!("`{command}` has a quote that does not end"))
        })?;
        let Some(program) = words.first() else {
            return Err(AgentError::Settings("the agent's command is empty".to_owned()));
        };
        if find(program).is_none() {
            return Err(AgentError::Settings(format!(
                "there is no program `{program}` (looked for as a shell does, in PATH)"
            )));
        }
        Ok(ProcessAgent {
            command: command.to_owned(),
            words: words.into_iter().map(OsString::from).collect(),
            limits,
            link: None,
            fault: None,
            intent: None,
            deadline: None,
            turn: 0,
            strikes: 0,
            done: None,
        })
    }

    /// What the program is not kept from on this machine, in words; empty when all limits hold.
    #[must_use]
    pub fn gaps(&self) -> Vec<String> {
        confinement().gaps(&self.limits)
    }

    /// How it misbehaved, once it did.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// What it said when it was done.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.done.as_deref()
    }

    /// Ends the program for a fault.
    fn fail(&mut self, fault: Fault) -> AgentError {
        if let Some(mut link) = self.link.take() {
            link.kill();
        }
        let error = AgentError::Failed(format!("`{}` {fault}", self.command));
        self.fault = Some(fault);
        error
    }

    fn tell(&mut self, message: &ToAgent) -> Result<(), AgentError> {
        let line = serde_json::to_vec(message);
        let mut line = line.map_err(|error| AgentError::Failed(error.to_string()))?;
        line.push(b'\n');
        let Some(link) = &mut self.link else {
            return Err(AgentError::Failed(format!("`{}` is not running", self.command)));
        };
        link.write(&line, &self.limits).map_err(|fault| self.fail(fault))
    }

    /// Answers a message that cannot be used; too many of them end the program.
    fn strike(&mut self, why: String) -> Result<(), AgentError> {
        self.strikes += 1;
        if self.strikes > self.limits.strikes {
            return Err(self.fail(Fault::Garbage { strikes: self.strikes, last: why }));
        }
        self.tell(&ToAgent::Error { id: Value::Null, error: PlatformError::Invalid(why) })
    }

    /// The next message; `None` when the time of the run is over.
    fn hear(&mut self) -> Result<Option<Result<FromAgent, WireError>>, AgentError> {
        let Some(link) = &mut self.link else {
            return Err(AgentError::Failed(format!("`{}` is not running", self.command)));
        };
        let bounds = wire::Limits { bytes: self.limits.line_bytes, ..wire::Limits::default() };
        loop {
            match link.read(&self.limits, self.deadline) {
                Ok(Some(line)) if line.iter().all(u8::is_ascii_whitespace) => {}
                Ok(Some(line)) => return Ok(Some(wire::parse_within(line, bounds))),
                Ok(None) => return Ok(None),
                Err(Fault::Left) => {
                    return Ok(Some(Ok(FromAgent::Done { reason: Some("it ended".to_owned()) })));
                }
                Err(fault) => return Err(self.fail(fault)),
            }
        }
    }

    fn complete(&self, draft: Draft, view: &dyn View) -> Option<Proposal> {
        let turn = self.turn;
        let intent = self.intent.as_ref()?;
        Some(draft.complete(|| format!("agent-{turn:06}"), intent, view.head()))
    }
}

impl Agent for ProcessAgent {
    fn name(&self) -> &str {
        &self.command
    }

    fn begin(
        &mut self,
        view: &mut dyn View,
        scenario: &Scenario,
        seed: u64,
    ) -> Result<(), AgentError> {
        let words = confinement().wrap(&self.limits, &self.words);
        self.link = Some(Link::start(&words).map_err(|fault| self.fail(fault))?);
        self.intent = Some(scenario.intent.clone());
        self.deadline = self.limits.wall.and_then(|wall| Instant::now().checked_add(wall));
        self.tell(&ToAgent::Begin {
            protocol: PROTOCOL.to_owned(),
            seed,
            scenario: Box::new(scenario.clone()),
            design: view.design(),
        })
    }

    fn propose(
        &mut self,
        view: &mut dyn View,
        feedback: Option<&Feedback>,
    ) -> Result<Option<Proposal>, AgentError> {
        self.turn += 1;
        if let Some(link) = &mut self.link {
            link.turn();
        }
        self.tell(&ToAgent::Propose {
            turn: self.turn,
            head: view.head(),
            remaining: view.remaining(),
            feedback: feedback.cloned().map(Box::new),
        })?;
        for _ in 0..self.limits.turn_messages {
            let message = match self.hear()? {
                None => {
                    // The time is over, which the loop knows too.
                    let _ = self.tell(&ToAgent::End {});
                    self.link = None;
                    return Ok(None);
                }
                Some(Err(error)) => {
                    self.strike(error.to_string())?;
                    continue;
                }
                Some(Ok(message)) => message,
            };
            match message {
                FromAgent::Call { id, call } => {
                    let reply = match answer(view, &call) {
                        Ok(value) => ToAgent::Result { id, value },
                        Err(error) => ToAgent::Error { id, error },
                    };
                    self.tell(&reply)?;
                }
                FromAgent::Calls { id, calls } => {
                    let results = calls.iter().map(|call| Outcome::from(answer(view, call)));
                    let results = results.collect();
                    self.tell(&ToAgent::Results { id, results })?;
                }
                FromAgent::Proposal { proposal } => return Ok(self.complete(proposal, view)),
                FromAgent::Done { reason } => {
                    self.done = reason;
                    let _ = self.tell(&ToAgent::End {});
                    self.link = None;
                    return Ok(None);
                }
                FromAgent::Log { .. } => {}
            }
        }
        let text = format!("more than {} messages in one turn", self.limits.turn_messages);
        Err(self.fail(Fault::Flood(text)))
    }
}

impl Drop for ProcessAgent {
    fn drop(&mut self) {
        if self.link.is_some() {
            // Told that the run is over; whether it hears is its own matter.
            self.limits.reply = self.limits.reply.min(std::time::Duration::from_secs(1));
            let _ = self.tell(&ToAgent::End {});
        }
    }
}
