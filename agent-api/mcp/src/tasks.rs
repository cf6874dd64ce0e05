//! Long work: each piece on a thread of its own, under a handle, with progress and cancellation.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::watch;

use crate::reply::{Answer, Fail};
use crate::ticket::Ticket;

/// Most tasks that are remembered after their end.
const REMEMBERED: usize = 64;
/// Most tasks at once.
const AT_ONCE: usize = 8;

/// A piece of long work.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) number: u64,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) ticket: Arc<Ticket>,
    pub(crate) began: Instant,
    /// When it began and when it last changed, ISO 8601.
    pub(crate) created_at: String,
    ended_at: Mutex<Option<String>>,
    outcome: watch::Receiver<Option<Result<Answer, Fail>>>,
}

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Working,
    Completed,
    Failed,
    Cancelled,
}

impl Status {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Status::Working => "working",
            Status::Completed => "completed",
            Status::Failed => "failed",
            Status::Cancelled => "cancelled",
        }
    }
}

impl Task {
    /// The outcome, when it has one.
    pub(crate) fn outcome(&self) -> Option<Result<Answer, Fail>> {
        self.outcome.borrow().clone()
    }

    pub(crate) fn status(&self) -> Status {
        match &*self.outcome.borrow() {
            None => Status::Working,
            Some(Ok(_)) => Status::Completed,
            Some(Err(fail)) if fail.code == "cancelled" => Status::Cancelled,
            Some(Err(_)) => Status::Failed,
        }
    }

    /// When it ended, ISO 8601.
    pub(crate) fn updated_at(&self) -> String {
        let ended = self.ended_at.lock().unwrap_or_else(PoisonError::into_inner);
        ended.clone().unwrap_or_else(now)
    }

    /// Waits for the end, at most so long.
    pub(crate) async fn wait(&self, most: Duration) {
        let mut outcome = self.outcome.clone();
        let ended = outcome.wait_for(Option::is_some);
        let _ = tokio::time::timeout(most, ended).await;
    }
}

fn now() -> String {
    cellwright_contract::time::Timestamp::from_system(std::time::SystemTime::now()).to_string()
}

/// All tasks of the server.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    all: Mutex<(u64, BTreeMap<u64, Arc<Task>>)>,
}

impl Tasks {
    /// Begins a piece of work.
    ///
    /// # Errors
    /// When too many are at work.
    pub(crate) fn begin(
        &self,
        tool: &str,
        arguments: Value,
        work: impl FnOnce(&Arc<Ticket>) -> Result<Answer, Fail> + Send + 'static,
    ) -> Result<Arc<Task>, Fail> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let busy = all.1.values().filter(|task| task.status() == Status::Working).count();
        if busy >= AT_ONCE {
            return Err(Fail {
                code: "busy",
                message: format!("{busy} tasks are at work; wait for one or cancel it (cw.task)"),
            });
        }
        all.0 += 1;
        let number = all.0;
        let (sender, outcome) = watch::channel(None);
        let task = Arc::new(Task {
            id: format!("task-{number}"),
            number,
            tool: tool.to_owned(),
            arguments,
            ticket: Arc::new(Ticket::default()),
            began: Instant::now(),
            created_at: now(),
            ended_at: Mutex::new(None),
            outcome,
        });
        all.1.insert(number, task.clone());
        while all.1.len() > REMEMBERED {
            let Some(oldest) = all
                .1
                .values()
                .find(|task| task.status() != Status::Working)
                .map(|task| task.number)
            else {
                break;
            };
            all.1.remove(&oldest);
        }
        drop(all);
        let (ticket, ended) = (task.ticket.clone(), task.clone());
        let run = move || {
            // A panic of an engine must not leave a task that is at work for ever.
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&ticket)))
                .unwrap_or_else(|_| {
                    Err(Fail {
                        code: "internal",
                        message: "the work ended unexpectedly; this is a fault of cellwright"
                            .to_owned(),
                    })
                });
            *ended.ended_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(now());
            let _ = sender.send(Some(outcome));
        };
        std::thread::Builder::new()
            .name(task.id.clone())
            .spawn(run)
            .map_err(|error| Fail { code: "internal", message: error.to_string() })?;
        Ok(task)
    }

    /// A task by handle, forgivingly: `task-3`, `3`.
    pub(crate) fn get(&self, handle: &str) -> Option<Arc<Task>> {
        let digits = handle.trim().trim_start_matches("task").trim_start_matches(['-', ' ']);
        let number: u64 = digits.parse().ok()?;
        self.all.lock().unwrap_or_else(PoisonError::into_inner).1.get(&number).cloned()
    }

    /// All tasks, oldest first.
    pub(crate) fn list(&self) -> Vec<Arc<Task>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).1.values().cloned().collect()
    }

    /// Asks all to stop.
    pub(crate) fn cancel_all(&self) {
        for task in self.list() {
            task.ticket.cancel();
        }
    }
}
