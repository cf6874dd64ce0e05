//! Agents written in Python.
//!
//! A run keeps the contract's `View` on a thread of its own. While the agent thinks, that thread
//! answers its questions: each method of [`View`] sends one and waits with the interpreter
//! released. So nothing borrows across the door, and an agent that keeps its view for too long is
//! told that the run is over.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};

use cellwright_contract::agent::{Agent, AgentError, Feedback};
use cellwright_contract::budget::Effort;
use cellwright_contract::delta::{DesignDelta, TimingMode};
use cellwright_contract::platform::View as Seen;
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::{IntentRef, ObjectRef, SnapshotRef};
use cellwright_contract::scenario::Scenario;
use cellwright_contract::wire;
use cellwright_db::{Op, Place, PlaceStatus};
use cellwright_judge::translate;
use cellwright_sta::Calculator;
use cellwright_stdio::message::Draft;
use pyo3::prelude::*;
use serde::Serialize;

use crate::design::{Ready, read};
use crate::fault::{Fault, Outcome};
use crate::json;
use crate::judge::effort;
use crate::session::mode;
use crate::snapshot::Snapshot;

/// What the run asks of the agent.
#[derive(Debug)]
pub(crate) enum Ask {
    Begin { scenario: String, seed: u64 },
    Propose { feedback: Option<String> },
}

/// What the agent says.
#[derive(Debug)]
pub(crate) enum Say {
    Call(Call),
    Done(Result<Option<String>, String>),
}

/// A question to the view.
#[derive(Debug)]
pub(crate) enum Call {
    Head,
    Design,
    Rows,
    Cells(u64, u64),
    Cell(ObjectRef),
    Net(ObjectRef),
    Variants(String),
    Metrics,
    Paths(TimingMode, u32),
    Slacks(TimingMode, Vec<ObjectRef>),
    Evaluate(Box<DesignDelta>, Effort),
    Remaining,
    Snapshot,
}

/// An answer of the view.
#[derive(Debug)]
pub(crate) enum Answer {
    Json(String),
    Snapshot(Arc<Ready>, Box<cellwright_db::Snapshot>),
}

/// The contract's agent that asks Python.
pub(crate) struct Bridge {
    pub(crate) name: String,
    pub(crate) ask: Sender<Ask>,
    pub(crate) said: Receiver<Say>,
    pub(crate) answer: Sender<Outcome<Answer>>,
    /// Where the run keeps its copy of the design.
    pub(crate) folder: PathBuf,
    /// The head as a design, once it was asked for.
    pub(crate) mirror: Option<(Arc<Ready>, cellwright_db::Design)>,
    pub(crate) last: Option<Proposal>,
    /// The scenario's intent, for proposals that name none.
    pub(crate) intent: Option<IntentRef>,
    /// Proposals so far.
    pub(crate) turn: u64,
}

impl Bridge {
    fn gone() -> AgentError {
        AgentError::Failed("Python does not answer any more".to_owned())
    }

    /// Asks, and answers what is asked back, until the agent is done.
    fn converse(&mut self, view: &mut dyn Seen, ask: Ask) -> Result<Option<String>, AgentError> {
        self.ask.send(ask).map_err(|_| Bridge::gone())?;
        loop {
            match self.said.recv().map_err(|_| Bridge::gone())? {
                Say::Call(call) => {
                    let answer = self.answer(view, call);
                    self.answer.send(answer).map_err(|_| Bridge::gone())?;
                }
                Say::Done(done) => return done.map_err(AgentError::Failed),
            }
        }
    }

    fn answer(&mut self, view: &mut dyn Seen, call: Call) -> Outcome<Answer> {
        fn json<T: Serialize>(value: &T) -> Outcome<Answer> {
            let text = serde_json::to_string(value);
            text.map(Answer::Json).map_err(|error| Fault::internal(error.to_string()))
        }
        match call {
            Call::Head => json(&view.head()),
            Call::Design => json(&view.design()),
            Call::Rows => json(&view.rows()?),
            Call::Cells(first, count) => json(&view.cells(first, count)?),
            Call::Cell(cell) => json(&view.cell(&cell)?),
            Call::Net(net) => json(&view.net(&net)?),
            Call::Variants(master) => json(&view.variants(&master)?),
            Call::Metrics => json(&view.metrics()?),
            Call::Paths(mode, count) => json(&view.worst_paths(mode, count)?),
            Call::Slacks(mode, cells) => json(&view.slacks(mode, &cells)?),
            Call::Evaluate(delta, effort) => json(&view.evaluate(&delta, effort)?),
            Call::Remaining => json(&view.remaining()),
            Call::Snapshot => self.snapshot(view),
        }
    }

    /// The head as a snapshot: the copied design, with every cell as the view shows it.
    fn snapshot(&mut self, view: &mut dyn Seen) -> Outcome<Answer> {
        let is_head =
            |state: &cellwright_db::Snapshot| SnapshotRef::Root(state.root().0) == view.head();
        if let Some((ready, design)) = &self.mirror
            && is_head(design.base())
        {
            return Ok(Answer::Snapshot(ready.clone(), Box::new(design.base().clone())));
        }
        let ready = match self.mirror.take() {
            Some((ready, _)) => ready,
            None => Arc::new(read(&self.folder.join("design"), Calculator::LumpedElmore)?),
        };
        let mut design = cellwright_db::Design::new(&ready.loaded.snapshot);
        let count = view.design().cells;
        for info in view.cells(0, count)? {
            let cell = translate::cell(&design, &info.id)?;
            let master = translate::master(&design, &info.master)?;
            if master != design.master_id(cell) {
                design.resize_cell(cell, master)?;
            }
            let Some(at) = info.position else { continue };
            let from = design.place(cell);
            let coordinate = |value: i64| {
                i32::try_from(value).map_err(|_| Fault::internal(format!("{value} DBU")))
            };
            let status = if from.is_placed() { from.status } else { PlaceStatus::Placed };
            let orient = translate::orient(at.orient);
            let to = Place { x: coordinate(at.x)?, y: coordinate(at.y)?, orient, status };
            if from != to {
                design.run(Op::Move { cell, from, to })?;
            }
        }
        let state = design.commit();
        if !is_head(&state) {
            let text = "the head differs from the design in more than places and masters";
            return Err(Fault::run("no-snapshot", text));
        }
        self.mirror = Some((ready.clone(), design));
        Ok(Answer::Snapshot(ready, Box::new(state)))
    }
}

impl Agent for Bridge {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(
        &mut self,
        view: &mut dyn Seen,
        scenario: &Scenario,
        seed: u64,
    ) -> Result<(), AgentError> {
        self.intent = Some(scenario.intent.clone());
        let scenario = serde_json::to_string(scenario);
        let scenario = scenario.map_err(|error| AgentError::Failed(error.to_string()))?;
        self.converse(view, Ask::Begin { scenario, seed }).map(|_| ())
    }

    fn propose(
        &mut self,
        view: &mut dyn Seen,
        feedback: Option<&Feedback>,
    ) -> Result<Option<Proposal>, AgentError> {
        // An accepted proposal is carried out on the mirror too, so that the head need not be read
        // anew; `snapshot` compares roots and reads it when that went wrong.
        if let (Some((_, design)), Some(last), Some(true)) =
            (&mut self.mirror, &self.last, feedback.map(|feedback| feedback.accepted))
            && translate::apply(design, &last.expected_delta).is_ok()
        {
            design.commit();
        }
        let feedback = feedback.map(serde_json::to_string).transpose();
        let feedback = feedback.map_err(|error| AgentError::Failed(error.to_string()))?;
        let Some(text) = self.converse(view, Ask::Propose { feedback })? else { return Ok(None) };
        self.turn += 1;
        let failed = |why: &dyn std::fmt::Display| AgentError::Failed(format!("proposal: {why}"));
        wire::check_json(text.as_bytes(), wire::Limits::default())
            .map_err(|error| failed(&error))?;
        let draft: Draft = serde_json::from_str(&text).map_err(|error| failed(&error))?;
        let intent = self.intent.as_ref().ok_or_else(|| failed(&"it came before the run began"))?;
        let turn = self.turn;
        let proposal = draft.complete(|| format!("agent-{turn:06}"), intent, view.head());
        self.last = Some(proposal.clone());
        Ok(Some(proposal))
    }
}

/// What an agent of a run sees of the head, and may try on it.
#[pyclass(frozen, module = "cellwright")]
#[derive(Debug)]
pub(crate) struct View {
    door: Mutex<(Sender<Say>, Receiver<Outcome<Answer>>)>,
}

impl View {
    pub(crate) fn new(say: Sender<Say>, answers: Receiver<Outcome<Answer>>) -> View {
        View { door: Mutex::new((say, answers)) }
    }

    fn call(&self, py: Python<'_>, call: Call) -> Outcome<Answer> {
        let over = || Fault::run("over", "the run is over; its view answers no more");
        py.detach(|| {
            let door = self.door.lock().map_err(|_| over())?;
            door.0.send(Say::Call(call)).map_err(|_| over())?;
            door.1.recv().map_err(|_| over())?
        })
    }

    fn json<'py>(&self, py: Python<'py>, call: Call) -> Outcome<Bound<'py, PyAny>> {
        match self.call(py, call)? {
            Answer::Json(text) => json::text_to_python(py, &text),
            Answer::Snapshot(..) => Err(Fault::internal("a snapshot where figures were asked for")),
        }
    }
}

fn reference(text: &str) -> Outcome<ObjectRef> {
    text.parse().map_err(|error: cellwright_contract::refs::RefError| {
        Fault::argument(format!("`{text}`: {error}"))
    })
}

#[pymethods]
impl View {
    /// Root of the head: the parent that a proposal must name.
    #[getter]
    fn head<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        self.json(py, Call::Head)
    }
    /// The head as a snapshot, for sessions of the agent's own.
    #[getter]
    fn snapshot(&self, py: Python<'_>) -> Outcome<Snapshot> {
        match self.call(py, Call::Snapshot)? {
            Answer::Snapshot(ready, state) => Ok(Snapshot::new(ready, *state)),
            Answer::Json(_) => Err(Fault::internal("figures where a snapshot was asked for")),
        }
    }
    /// The design at a glance.
    #[getter]
    fn design<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        self.json(py, Call::Design)
    }
    /// The rows, from bottom to top.
    fn rows<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        self.json(py, Call::Rows)
    }
    /// Up to `count` cells in the order of their ids, from the `first`-th on.
    fn cells<'py>(&self, py: Python<'py>, first: u64, count: u64) -> Outcome<Bound<'py, PyAny>> {
        self.json(py, Call::Cells(first, count))
    }
    /// One cell by reference (`i:42` or `name:...`).
    fn cell<'py>(&self, py: Python<'py>, cell: &str) -> Outcome<Bound<'py, PyAny>> {
        self.json(py, Call::Cell(reference(cell)?))
    }
    /// One net by reference (`n:42` or `name:...`).
    fn net<'py>(&self, py: Python<'py>, net: &str) -> Outcome<Bound<'py, PyAny>> {
        self.json(py, Call::Net(reference(net)?))
    }
    /// The masters that `master` may be exchanged for, weakest drive first.
    fn variants<'py>(&self, py: Python<'py>, master: String) -> Outcome<Bound<'py, PyAny>> {
        self.json(py, Call::Variants(master))
    }
    /// Figures of the head.
    fn metrics<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        self.json(py, Call::Metrics)
    }
    /// The worst path of each of the `count` worst endpoints.
    #[pyo3(signature = (side = "setup", count = 1))]
    fn worst_paths<'py>(
        &self,
        py: Python<'py>,
        side: &str,
        count: u32,
    ) -> Outcome<Bound<'py, PyAny>> {
        self.json(py, Call::Paths(mode(side)?, count))
    }
    /// Worst slack over the pins of each cell, ns; `None` where nothing is required.
    #[pyo3(signature = (cells, side = "setup"))]
    fn slacks<'py>(
        &self,
        py: Python<'py>,
        cells: Vec<String>,
        side: &str,
    ) -> Outcome<Bound<'py, PyAny>> {
        let cells = cells.iter().map(|cell| reference(cell)).collect::<Outcome<Vec<_>>>()?;
        self.json(py, Call::Slacks(mode(side)?, cells))
    }
    /// Tries a delta (a dict or JSON text) on the head and takes it back.
    #[pyo3(signature = (delta, *, effort = "standard"))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        delta: &Bound<'_, PyAny>,
        effort: &str,
    ) -> Outcome<Bound<'py, PyAny>> {
        let delta = json::from_python(delta)?;
        self.json(py, Call::Evaluate(Box::new(delta), self::effort(effort)?))
    }
    /// What is left of the run's budget.
    fn remaining<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        self.json(py, Call::Remaining)
    }
}
