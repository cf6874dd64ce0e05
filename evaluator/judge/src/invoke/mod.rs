//! One invocation of a tool, from request to answer: admitted in a fixed order, run at most once,
//! and answered the same way however often it is asked.
//!
//! [`Desk::invoke`] does three things, each durable before the next begins: it appends `started` to
//! the [`ledger`], has the [`Service`] do the work, and appends the outcome. A kill between any two
//! of them leaves a record that [`Desk::recover`] settles: what only reads is aborted, what commits
//! is decided by the service's own journal.
//!
//! Before `started` nothing is written, whatever is refused.

mod admission;
mod desk;
mod grants;
pub mod ledger;

pub use admission::{Policy, Refusal};
pub use desk::{Desk, DeskError, Step};
pub use grants::{GrantBook, GrantError};

use cellwright_contract::budget::CostBudget;
use cellwright_contract::refs::{DesignRef, Digest};
use serde_json::Value;

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: losing its answer loses nothing else.
    Reads,
    /// It changes the world, so that after a crash somebody must look whether it did.
    Commits,
}

/// What is known of a tool before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// Digest of its contract, as negotiated.
    pub contract: Digest,
    /// What it does to the world.
    pub effect: Effect,
}

/// One admitted call.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// Who asked.
    pub caller: &'a str,
    /// The caller's id.
    pub invocation: &'a str,
    /// Tool, in its own name and no alias.
    pub tool: &'a str,
    /// Input that passed [`Service::check_input`]; null while recovering, where only the record is
    /// left.
    pub input: &'a Value,
    /// The most that it may cost.
    pub budget: CostBudget,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The tool's output; an error text when it could not do its work and left no effect.
    pub output: Result<Value, String>,
    /// What it cost.
    pub consumed: CostBudget,
}

/// What a service's own records say of a call whose outcome was lost.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It took effect, and this was its output.
    Committed(Value),
    /// It left no effect.
    NotCommitted,
    /// It took effect, and that was undone.
    Compensated,
    /// It left something that is neither whole nor gone yet.
    Pending,
    /// The records do not say.
    Unknown,
}

/// Who does the work behind a [`Desk`].
pub trait Service {
    /// The commitment to a scope's present state; `None` when the design is not served.
    fn scope(&self, design: &DesignRef) -> Option<Digest>;
    /// Facts of a tool by its own name; `None` when there is no such tool.
    fn tool(&self, name: &str) -> Option<Tool>;
    /// Names this start of the platform; requests that name another are stale.
    fn activation(&self) -> &str;
    /// Whether an input fits the tool, its parent snapshot included.
    ///
    /// # Errors
    /// What is wrong with it.
    fn check_input(&self, tool: &str, input: &Value) -> Result<(), String>;
    /// Whether the engine behind a tool can work now.
    ///
    /// # Errors
    /// Why it cannot.
    fn ready(&self, tool: &str) -> Result<(), String>;
    /// Does the work.
    fn dispatch(&mut self, call: &Call<'_>) -> Done;
    /// Whether an output keeps the tool's contract.
    ///
    /// # Errors
    /// How it does not.
    fn check_output(&self, tool: &str, output: &Value) -> Result<(), String>;
    /// What became of a committing call whose outcome was lost.
    fn decide(&mut self, call: &Call<'_>) -> Decision;
}
