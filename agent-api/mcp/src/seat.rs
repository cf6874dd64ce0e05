//! A place at the loop for somebody who calls instead of being called.
//!
//! The loop asks an [`Agent`] for proposals; a client of this door calls tools. [`Seat`] is the
//! agent that waits at the loop for orders, [`Chair`] the end from which they come. What a client
//! proposes so goes the same way as every agent's: judged, journaled and signed by the loop.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::Instant;

use cellwright_contract::agent::{Agent, AgentError, Feedback};
use cellwright_contract::platform::{PlatformError, View};
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::SnapshotRef;
use cellwright_contract::scenario::Scenario;
use tokio::sync::oneshot;

use crate::ticket::Ticket;

type Look = Box<dyn FnOnce(&mut dyn View) + Send>;

/// What became of a proposal.
#[derive(Debug, Clone)]
pub struct Judged {
    /// What the loop says.
    pub feedback: Feedback,
    /// The head after it.
    pub head: SnapshotRef,
}

/// Hears every judgment, before whoever proposed does.
pub type Follow = Box<dyn FnMut(&Proposal, &Judged) + Send>;

/// Another agent that works in the client's name.
struct Work {
    agent: Box<dyn Agent + Send>,
    seed: u64,
    begun: bool,
    proposals: u64,
    until: Instant,
    ticket: Arc<Ticket>,
    begun_at: Instant,
    done: Worked,
    reply: oneshot::Sender<Result<Worked, PlatformError>>,
}

/// What another agent did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Worked {
    /// Proposals made.
    pub proposals: u64,
    /// Of which accepted.
    pub accepted: u64,
    /// Whether it was cancelled.
    pub cancelled: bool,
}

enum Order {
    Look(Look),
    Propose(Box<Proposal>, oneshot::Sender<Judged>),
    Work(Box<Work>),
    Leave,
}

/// The agent at the loop.
pub struct Seat {
    orders: Receiver<Order>,
    follow: Follow,
    scenario: Option<Scenario>,
    last: Option<Proposal>,
    waiting: Option<oneshot::Sender<Judged>>,
    work: Option<Box<Work>>,
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seat").finish_non_exhaustive()
    }
}

/// Where orders come from. When all of them are gone, the seat leaves the loop.
#[derive(Debug, Clone)]
pub struct Chair {
    orders: Sender<Order>,
}

impl std::fmt::Debug for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Order")
    }
}

fn gone() -> PlatformError {
    PlatformError::Unsupported("the run is closed; open another with cw.open".to_owned())
}

/// A seat and its chair.
#[must_use]
pub fn seat(follow: Follow) -> (Seat, Chair) {
    let (sender, receiver) = channel();
    let seat =
        Seat { orders: receiver, follow, scenario: None, last: None, waiting: None, work: None };
    (seat, Chair { orders: sender })
}

impl Chair {
    /// Looks at the view, between proposals.
    ///
    /// # Errors
    /// When the run is closed.
    pub async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&mut dyn View) -> Result<T, PlatformError> + Send + 'static,
    ) -> Result<T, PlatformError> {
        let (sender, receiver) = oneshot::channel();
        let order = Order::Look(Box::new(move |view| {
            let _ = sender.send(look(view));
        }));
        self.orders.send(order).map_err(|_| gone())?;
        receiver.await.map_err(|_| gone())?
    }

    /// [`Chair::look`] for a thread of its own: waits there.
    ///
    /// # Errors
    /// When the run is closed.
    pub fn look_here<T: Send + 'static>(
        &self,
        look: impl FnOnce(&mut dyn View) -> Result<T, PlatformError> + Send + 'static,
    ) -> Result<T, PlatformError> {
        let (sender, receiver) = oneshot::channel();
        let order = Order::Look(Box::new(move |view| {
            let _ = sender.send(look(view));
        }));
        self.orders.send(order).map_err(|_| gone())?;
        receiver.blocking_recv().map_err(|_| gone())?
    }

    /// Proposes.
    ///
    /// # Errors
    /// When the run is closed or another agent is at work.
    pub async fn propose(&self, proposal: Proposal) -> Result<Judged, PlatformError> {
        let (sender, receiver) = oneshot::channel();
        self.orders.send(Order::Propose(Box::new(proposal), sender)).map_err(|_| gone())?;
        receiver.await.map_err(|_| {
            PlatformError::Unsupported(
                "the run is closed, or another agent is at work in it: see cw.task".to_owned(),
            )
        })
    }

    /// Lets another agent work until a number of proposals, a moment, or a cancelled ticket.
    ///
    /// # Errors
    /// When the run is closed, another agent is at work, or the agent fails.
    pub fn work(
        &self,
        agent: Box<dyn Agent + Send>,
        seed: u64,
        proposals: u64,
        until: Instant,
        ticket: Arc<Ticket>,
    ) -> Result<Worked, PlatformError> {
        let (reply, receiver) = oneshot::channel();
        let work = Work {
            agent,
            seed,
            begun: false,
            proposals,
            until,
            ticket,
            begun_at: Instant::now(),
            done: Worked::default(),
            reply,
        };
        self.orders.send(Order::Work(Box::new(work))).map_err(|_| gone())?;
        receiver.blocking_recv().map_err(|_| gone())?
    }

    /// Ends the run.
    pub fn leave(&self) {
        let _ = self.orders.send(Order::Leave);
    }
}

impl Seat {
    /// Lets the other agent take a turn; none when it is done.
    fn turn(&mut self, view: &mut dyn View, feedback: Option<&Feedback>) -> Option<Proposal> {
        let mut work = self.work.take()?;
        let (elapsed, whole) = (
            work.begun_at.elapsed().as_secs_f64(),
            work.until.saturating_duration_since(work.begun_at).as_secs_f64(),
        );
        let by_time = elapsed / whole.max(1e-3);
        let by_count = work.done.proposals as f64 / work.proposals.max(1) as f64;
        work.ticket.tell(
            by_time.max(by_count),
            format!("{} proposals, {} accepted", work.done.proposals, work.done.accepted),
        );
        work.done.cancelled = work.ticket.cancelled();
        let over = work.done.cancelled
            || work.done.proposals >= work.proposals
            || Instant::now() >= work.until;
        if over {
            let _ = work.reply.send(Ok(work.done));
            return None;
        }
        let begun = if work.begun {
            Ok(())
        } else {
            work.begun = true;
            match &self.scenario {
                Some(scenario) => work.agent.begin(view, scenario, work.seed),
                None => Err(AgentError::Failed("the run has not begun".to_owned())),
            }
        };
        match begun.and_then(|()| work.agent.propose(view, feedback)) {
            Ok(Some(proposal)) => {
                self.work = Some(work);
                Some(proposal)
            }
            Ok(None) => {
                let _ = work.reply.send(Ok(work.done));
                None
            }
            Err(error) => {
                let error = match error {
                    AgentError::Platform(error) => error,
                    other => PlatformError::Internal(other.to_string()),
                };
                let _ = work.reply.send(Err(error));
                None
            }
        }
    }
}

impl Agent for Seat {
    fn name(&self) -> &str {
        "mcp"
    }

    fn begin(&mut self, _: &mut dyn View, scenario: &Scenario, _: u64) -> Result<(), AgentError> {
        self.scenario = Some(scenario.clone());
        Ok(())
    }

    fn propose(
        &mut self,
        view: &mut dyn View,
        feedback: Option<&Feedback>,
    ) -> Result<Option<Proposal>, AgentError> {
        let mut of_work = None;
        if let (Some(feedback), Some(last)) = (feedback, self.last.take()) {
            let judged = Judged { feedback: feedback.clone(), head: view.head() };
            (self.follow)(&last, &judged);
            if let Some(work) = &mut self.work {
                work.done.proposals += 1;
                work.done.accepted += u64::from(feedback.accepted);
                of_work = Some(feedback);
            } else if let Some(waiting) = self.waiting.take() {
                let _ = waiting.send(judged);
            }
        }
        loop {
            if self.work.is_some() {
                // Who looks need not wait for the end of the work; who proposes does not get in.
                loop {
                    match self.orders.try_recv() {
                        Ok(Order::Look(look)) => look(view),
                        Ok(Order::Propose(..)) => {}
                        Ok(Order::Work(work)) => {
                            let busy = PlatformError::Unsupported(
                                "another agent is at work in this run: see cw.task".to_owned(),
                            );
                            let _ = work.reply.send(Err(busy));
                        }
                        Ok(Order::Leave) | Err(TryRecvError::Disconnected) => return Ok(None),
                        Err(TryRecvError::Empty) => break,
                    }
                }
                if let Some(proposal) = self.turn(view, of_work.take()) {
                    self.last = Some(proposal.clone());
                    return Ok(Some(proposal));
                }
                continue;
            }
            match self.orders.recv() {
                Ok(Order::Look(look)) => look(view),
                Ok(Order::Propose(proposal, waiting)) => {
                    self.waiting = Some(waiting);
                    self.last = Some((*proposal).clone());
                    return Ok(Some(*proposal));
                }
                Ok(Order::Work(work)) => self.work = Some(work),
                Ok(Order::Leave) | Err(_) => return Ok(None),
            }
        }
    }
}
