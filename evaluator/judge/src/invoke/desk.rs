//! Takes requests, runs what is admitted, and answers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cellwright_contract::budget::CostBudget;
use cellwright_contract::invocation::{Cause, InvokeResult};
use cellwright_contract::invoke::InvokeRequest;
use cellwright_contract::time::Timestamp;
use cellwright_contract::validate::{Invalid, Validate};
use serde_json::Value;
use thiserror::Error;

use super::admission::{self, Halt, Policy};
use super::ledger::{End, Key, Ledger, LedgerError, Record};
use super::{Call, Decision, Done, Effect, Service};

/// A request cannot be answered. What was recorded stays.
#[derive(Debug, Error)]
pub enum DeskError {
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// An answer broke a rule of its schema: a fault of this program.
    #[error("answer: {0}")]
    Answer(#[from] Invalid),
}

/// How far an invocation has come, each step told once the one before is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// `started` is durable; nothing ran yet.
    Started,
    /// The work is done; its outcome is not recorded yet.
    Dispatched,
    /// The outcome is durable; nobody was answered yet.
    Recorded,
}

type Clock = Box<dyn Fn() -> Timestamp + Send>;
type Watch = Box<dyn FnMut(Step) + Send>;

/// Where invocations are handed in.
pub struct Desk<S> {
    service: S,
    ledger: Ledger,
    policy: Policy,
    clock: Clock,
    watch: Watch,
    broken: bool,
}

impl<S: Service> Desk<S> {
    /// A desk before a service, with the system's clock. Settles what earlier processes left open.
    ///
    /// # Errors
    /// [`DeskError`].
    pub fn open(service: S, ledger: Ledger, policy: Policy) -> Result<Self, DeskError> {
        let mut desk = Desk {
            service,
            ledger,
            policy,
            clock: Box::new(|| Timestamp::from_system(std::time::SystemTime::now())),
            watch: Box::new(|_| ()),
            broken: false,
        };
        desk.recover()?;
        Ok(desk)
    }

    /// The same desk with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> Timestamp + Send + 'static) -> Self {
        self.clock = Box::new(clock);
        self
    }

    /// The same desk, telling each step.
    #[must_use]
    pub fn with_watch(mut self, watch: impl FnMut(Step) + Send + 'static) -> Self {
        self.watch = Box::new(watch);
        self
    }

    /// What the desk asks of requests.
    pub fn policy_mut(&mut self) -> &mut Policy {
        &mut self.policy
    }
    /// The service.
    pub fn service(&self) -> &S {
        &self.service
    }
    /// The service, to be used.
    pub fn service_mut(&mut self) -> &mut S {
        &mut self.service
    }

    /// Admits a request and runs it, or answers from the record when it was admitted before.
    ///
    /// # Errors
    /// [`DeskError`]; ask [`Desk::status`] what was recorded.
    pub fn invoke(&mut self, request: &InvokeRequest) -> Result<InvokeResult, DeskError> {
        let refused = |refusal: admission::Refusal| {
            InvokeResult::refused(&request.invocation_id, refusal.code, Some(&refusal.message))
        };
        let checked = match admission::check(request, &self.policy, &self.service, (self.clock)()) {
            Ok(checked) => checked,
            Err(refusal) => return Ok(refused(refusal)),
        };
        let (service, policy, clock, broken) =
            (&self.service, &self.policy, &self.clock, self.broken);
        let admitted = self.ledger.admit(|book| {
            admission::admit(book, &checked, request, policy, service, broken, clock())
        })?;
        let started = match admitted {
            Ok(started) => started,
            Err(Halt::Refused(refusal)) => return Ok(refused(refusal)),
            Err(Halt::Replayed(record)) => return self.answer(&record),
        };
        (self.watch)(Step::Started);
        let call = Call {
            caller: &request.caller,
            invocation: &request.invocation_id,
            tool: checked.tool,
            input: &request.input,
            budget: started.reserved,
        };
        let service = &mut self.service;
        let done = catch_unwind(AssertUnwindSafe(|| service.dispatch(&call)));
        (self.watch)(Step::Dispatched);
        let (end, consumed) = match done {
            Ok(Done { output: Ok(output), consumed }) => {
                (self.validated(&call, &output)?, consumed)
            }
            Ok(Done { output: Err(_), consumed }) => (End::Aborted(Cause::NoOutcome), consumed),
            // The engine is in an unknown state from here on; its records are asked all the same.
            Err(_) => {
                self.broken = true;
                (self.settle(&call)?, started.reserved)
            }
        };
        let key: Key = (started.caller.clone(), started.invocation.clone());
        self.ledger.end(&key, end.clone(), consumed)?;
        (self.watch)(Step::Recorded);
        self.answer(&Record { started, ended: Some((end, consumed)) })
    }

    /// What the record says of an invocation; `None` when it was never admitted. Changes nothing.
    ///
    /// # Errors
    /// [`DeskError`].
    pub fn status(
        &mut self,
        caller: &str,
        invocation: &str,
    ) -> Result<Option<InvokeResult>, DeskError> {
        let record = self.ledger.look()?.get(caller, invocation).cloned();
        record.map(|record| self.answer(&record)).transpose()
    }

    /// Settles every invocation that was started by a process that is gone. Gives how many.
    ///
    /// The reserved budget counts as spent: nobody knows how much of it was.
    ///
    /// # Errors
    /// [`DeskError`].
    pub fn recover(&mut self) -> Result<usize, DeskError> {
        let open: Vec<Record> = self.ledger.look()?.open().cloned().collect();
        let mut settled = 0;
        for Record { started, .. } in open {
            if self.ledger.lives(&started.owner)? {
                continue;
            }
            let call = Call {
                caller: &started.caller,
                invocation: &started.invocation,
                tool: &started.tool,
                input: &Value::Null,
                budget: started.reserved,
            };
            let end = self.settle(&call)?;
            let key = (started.caller.clone(), started.invocation.clone());
            match self.ledger.end(&key, end, started.reserved) {
                Ok(()) => settled += 1,
                // Another process settled it first.
                Err(LedgerError::Order { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(settled)
    }

    /// Records that the effect of a completed invocation was undone by its inverse.
    ///
    /// # Errors
    /// [`LedgerError::Order`] when it was not completed.
    pub fn compensated(&mut self, caller: &str, invocation: &str) -> Result<(), DeskError> {
        let key = (caller.to_owned(), invocation.to_owned());
        Ok(self.ledger.end(&key, End::Compensated, CostBudget::default())?)
    }

    /// The end of a call with an output: completed, unless the output breaks the tool's contract.
    fn validated(&self, call: &Call<'_>, output: &Value) -> Result<End, LedgerError> {
        if self.service.check_output(call.tool, output).is_ok() {
            return Ok(End::Completed(self.ledger.keep(output)?));
        }
        Ok(match self.service.tool(call.tool).map(|tool| tool.effect) {
            Some(Effect::Reads) => End::Aborted(Cause::OutputContractViolation),
            // It may have taken effect, so that it is not known to be without.
            _ => End::Unknown(Cause::OutputContractViolation),
        })
    }

    /// The end of a call whose outcome was lost.
    fn settle(&mut self, call: &Call<'_>) -> Result<End, LedgerError> {
        let decision = match self.service.tool(call.tool).map(|tool| tool.effect) {
            Some(Effect::Reads) => Decision::NotCommitted,
            Some(Effect::Commits) => self.service.decide(call),
            None => Decision::Unknown,
        };
        Ok(match decision {
            Decision::Committed(output) => self.validated(call, &output)?,
            Decision::NotCommitted => End::Aborted(Cause::NoOutcome),
            Decision::Compensated => End::Compensated,
            Decision::Pending => End::Unknown(Cause::PendingDisposal),
            Decision::Unknown => End::Unknown(Cause::NoOutcome),
        })
    }

    fn answer(&self, record: &Record) -> Result<InvokeResult, DeskError> {
        let (id, request) = (&record.started.invocation, record.started.request);
        let answer = match &record.ended {
            None => InvokeResult::started(id, request),
            Some((End::Completed(digest), _)) => match self.ledger.output(digest) {
                Some(output) => InvokeResult::completed(id, request, output, *digest),
                None => InvokeResult::completed_unavailable(id, request),
            },
            Some((End::Aborted(cause), _)) => InvokeResult::aborted(id, request, *cause),
            Some((End::Compensated, _)) => InvokeResult::compensated(id, request),
            Some((End::Unknown(cause), _)) => InvokeResult::unknown(id, request, *cause),
        };
        answer.validate()?;
        Ok(answer)
    }
}
