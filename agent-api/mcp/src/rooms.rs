//! The runs that are open, and what was put aside for later reading.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cellwright_contract::delta::DesignDelta;
use cellwright_contract::metric::MetricValue;
use cellwright_contract::platform::DesignInfo;
use cellwright_contract::scenario::Scenario;
use serde_json::Value;

use crate::desk::{Bench, Desk, State};
use crate::reply::{Fail, Link, Shelf};
use crate::seat::Chair;
use crate::tasks::Tasks;

/// Most runs at once.
const MAX_RUNS: usize = 16;
/// Most change handles of a run, and most values put aside; the oldest go first.
const MAX_KEPT: usize = 256;

/// An open run.
pub(crate) struct Run {
    pub(crate) name: String,
    pub(crate) design: DesignInfo,
    pub(crate) chair: Chair,
    pub(crate) bench: Arc<dyn Bench>,
    pub(crate) scenario: Scenario,
    pub(crate) start: Vec<MetricValue>,
    pub(crate) notes: Vec<String>,
    deltas: Mutex<(u64, BTreeMap<u64, DesignDelta>)>,
    proposals: Mutex<u64>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Run {
    /// Keeps a change and gives its handle.
    pub(crate) fn keep(&self, delta: DesignDelta) -> String {
        let mut deltas = lock(&self.deltas);
        deltas.0 += 1;
        let number = deltas.0;
        deltas.1.insert(number, delta);
        while deltas.1.len() > MAX_KEPT {
            deltas.1.pop_first();
        }
        format!("d-{number}")
    }

    /// The change that a handle names.
    pub(crate) fn delta(&self, handle: &str) -> Result<DesignDelta, Fail> {
        let deltas = lock(&self.deltas);
        let digits = handle.trim().trim_start_matches(['d', 'D']).trim_start_matches(['-', ' ']);
        let found = digits.parse().ok().and_then(|number: u64| deltas.1.get(&number));
        found.cloned().ok_or_else(|| {
            let known: Vec<String> =
                deltas.1.keys().rev().take(5).map(|number| format!("d-{number}")).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Fail::not_found(format!(
                "there is no change `{}` in {}; the newest handles: {known}. A change itself is an object such as {{\"moved_cells\": [...]}}",
                crate::reply::shorten(handle, 60),
                self.name
            ))
        })
    }

    /// A name for the next proposal.
    pub(crate) fn proposal_id(&self) -> String {
        let mut count = lock(&self.proposals);
        *count += 1;
        format!("mcp-{:06}", *count)
    }

    /// The snapshot that a text names: `head`, `main`, `s3`, a root or the beginning of one.
    pub(crate) fn state(&self, text: Option<&str>) -> Result<(usize, State), Fail> {
        let states = self.bench.states();
        let last = states.len().saturating_sub(1);
        let text = text.map_or("head", str::trim);
        let number = if text.is_empty() || ["head", "main", "current"].contains(&text) {
            Some(last)
        } else if text == "start" {
            Some(0)
        } else if let Some(digits) = text
            .strip_prefix('s')
            .filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        {
            digits.parse().ok().filter(|number| *number <= last)
        } else {
            let hex = text.strip_prefix("snap:").unwrap_or(text).to_ascii_lowercase();
            let matches: Vec<usize> = (0..states.len())
                .filter(|number| {
                    let root = states[*number].root.to_string();
                    hex.len() >= 8 && root.trim_start_matches("snap:").starts_with(&hex)
                })
                .collect();
            // The same state reached twice is the same snapshot: the later one.
            matches.last().copied()
        };
        match number.and_then(|number| Some((number, states.get(number)?.clone()))) {
            Some(found) => Ok(found),
            None => Err(Fail::not_found(format!(
                "there is no snapshot `{}` in {}; there are s0 to s{last}, the last is the head",
                crate::reply::shorten(text, 80),
                self.name
            ))),
        }
    }
}

/// Everything that the server holds.
pub(crate) struct Rooms {
    pub(crate) desk: Arc<dyn Desk>,
    pub(crate) tasks: Tasks,
    runs: Mutex<(u64, BTreeMap<String, Arc<Run>>)>,
    shelf: Mutex<(u64, BTreeMap<u64, String>)>,
}

impl Rooms {
    pub(crate) fn new(desk: Arc<dyn Desk>) -> Rooms {
        Rooms { desk, tasks: Tasks::default(), runs: Mutex::default(), shelf: Mutex::default() }
    }

    /// Takes a run in and gives it a name.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn admit(
        &self,
        design: DesignInfo,
        chair: Chair,
        bench: Arc<dyn Bench>,
        scenario: Scenario,
        start: Vec<MetricValue>,
        notes: Vec<String>,
    ) -> Arc<Run> {
        let mut runs = lock(&self.runs);
        runs.0 += 1;
        let run = Arc::new(Run {
            name: format!("run-{}", runs.0),
            design,
            chair,
            bench,
            scenario,
            start,
            notes,
            deltas: Mutex::default(),
            proposals: Mutex::default(),
        });
        runs.1.insert(run.name.clone(), run.clone());
        run
    }

    /// Refuses more runs than can be held.
    pub(crate) fn room(&self) -> Result<(), Fail> {
        let open = lock(&self.runs).1.len();
        if open >= MAX_RUNS {
            return Err(Fail {
                code: "busy",
                message: format!("{open} runs are open; close one with cw.close"),
            });
        }
        Ok(())
    }

    /// The run that a handle names; the only one when none is named.
    pub(crate) fn run(&self, handle: Option<&str>) -> Result<Arc<Run>, Fail> {
        let runs = lock(&self.runs);
        let names = || runs.1.keys().cloned().collect::<Vec<_>>().join(", ");
        match handle.map(str::trim).filter(|handle| !handle.is_empty()) {
            None => match runs.1.len() {
                0 => Err(Fail::not_found(
                    "no run is open; open one with cw.open (its answer names the run)",
                )),
                1 => {
                    runs.1.values().next().cloned().ok_or_else(|| Fail::not_found("no run is open"))
                }
                _ => Err(Fail::invalid(format!("several runs are open, name one: {}", names()))),
            },
            Some(handle) => {
                let digits = handle.trim_start_matches("run").trim_start_matches(['-', '_', ' ']);
                let found = runs.1.get(handle).or_else(|| runs.1.get(&format!("run-{digits}")));
                found.cloned().ok_or_else(|| {
                    let names = names();
                    let open = if names.is_empty() {
                        "none is; open one with cw.open".to_owned()
                    } else {
                        names
                    };
                    Fail::not_found(format!(
                        "no run `{}` is open; open are: {open}",
                        crate::reply::shorten(handle, 60)
                    ))
                })
            }
        }
    }

    /// All open runs.
    pub(crate) fn runs(&self) -> Vec<Arc<Run>> {
        lock(&self.runs).1.values().cloned().collect()
    }

    /// Takes a run out.
    pub(crate) fn dismiss(&self, name: &str) -> Option<Arc<Run>> {
        lock(&self.runs).1.remove(name)
    }

    /// What was put aside under a number.
    pub(crate) fn shelved(&self, number: u64) -> Option<String> {
        lock(&self.shelf).1.get(&number).cloned()
    }

    /// Stops all work and closes all runs, so that each leaves a whole run directory.
    pub(crate) fn close(&self) {
        self.tasks.cancel_all();
        for run in self.runs() {
            run.chair.leave();
            let _ = run.bench.close();
            self.dismiss(&run.name);
        }
    }
}

impl Shelf for Rooms {
    fn keep(&self, value: &Value) -> Link {
        let text = value.to_string();
        let size = Some(text.len() as u64);
        let mut shelf = lock(&self.shelf);
        shelf.0 += 1;
        let number = shelf.0;
        shelf.1.insert(number, text);
        while shelf.1.len() > MAX_KEPT {
            shelf.1.pop_first();
        }
        Link {
            uri: format!("cellwright://reply/{number}"),
            name: format!("reply {number}, whole"),
            mime: "application/json",
            size,
        }
    }
}
