//! Runs, their replay, and the verification of their certificates.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use cellwright_checker::{CheckReport, Outcome as Found, Status};
use cellwright_contract::agent::Agent;
use cellwright_contract::metric::MetricValue;
use cellwright_contract::scenario::{AgentSpec, Scenario};
use cellwright_formats::bundle::Bundle;
use cellwright_judge::keys::SecretKey;
use cellwright_judge::run::{Note, Observer, ReplayError, RunFolder, Summary, copy_bundle as copy};
use cellwright_service::failure::Failure;
use cellwright_service::keys;
use cellwright_service::setup;
use cellwright_service::start::{Given, Stage, Start, start};
use cellwright_service::verify::{Request, Step, code, verify as check};
use cellwright_sta::Calculator;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::agent::{Ask, Bridge, Say, View};
use crate::design::Design;
use crate::fault::{Fault, Outcome};
use crate::json as words;
use crate::process;

/// Stops a run when Python wants to.
struct Watch<'a>(&'a AtomicBool);

impl Observer for Watch<'_> {
    fn note(&mut self, _: &Note<'_>) -> bool {
        !self.0.load(Ordering::Relaxed)
    }
}

fn figures(metrics: &[MetricValue]) -> Value {
    let one = |metric: &MetricValue| (metric.metric.clone(), json!(metric.value));
    Value::Object(metrics.iter().map(one).collect::<Map<String, Value>>())
}

fn summary_out(folder: &RunFolder, summary: &Summary, notes: &[String]) -> Value {
    let run = summary.verdict.runs.first();
    json!({
        "folder": folder.root(),
        "stop": format!("{:?}", summary.stop),
        "agent_error": summary.agent_error.as_ref().map(ToString::to_string),
        "proposals": summary.proposals,
        "accepted": summary.accepted,
        "baseline": figures(&summary.baseline),
        "head": figures(&summary.head),
        "front": summary.front,
        "best": summary.best,
        "certificates": summary.certificates,
        "spent": summary.spent,
        "start": summary.start.root().to_string(),
        "end": summary.end.root().to_string(),
        "repro_id": summary.verdict.repro_id,
        "journal_digest": run.map(|run| run.journal_digest),
        "world_digest": run.map(|run| run.world_digest),
        "exit_code": summary.verdict.exit_code(1.0),
        "seconds": summary.elapsed.as_secs_f64(),
        "notes": notes,
    })
}

/// What the agent's side of a run is: a name that the project knows, or an object of Python's.
enum Who {
    Ours(AgentSpec),
    Python { spec: AgentSpec, object: Py<PyAny> },
}

fn who(agent: &Bound<'_, PyAny>, params: Option<&Bound<'_, PyAny>>) -> Outcome<Who> {
    let params = match params {
        None => Default::default(),
        Some(params) => serde_json::from_str(&words::text(params)?)
            .map_err(|error| Fault::argument(format!("`params`: {error}")))?,
    };
    if let Ok(name) = agent.extract::<String>() {
        let spec = AgentSpec { name, params };
        cellwright_agents::by_name(&spec).map_err(|error| Fault::argument(error.to_string()))?;
        return Ok(Who::Ours(spec));
    }
    if !agent.hasattr("propose")? {
        let text = "`agent` is a name, or an object with `propose(view, feedback)`";
        return Err(Fault::argument(text));
    }
    let name = match agent.getattr("name") {
        Ok(name) => name.extract()?,
        Err(_) => agent.get_type().name()?.to_string(),
    };
    Ok(Who::Python { spec: AgentSpec { name, params }, object: agent.clone().unbind() })
}

/// Runs an agent on a design and leaves a run directory that `replay` and `verify` can check.
///
/// `design` is a `design.toml` or its folder, `out` a new or empty folder. `agent` is `anneal`,
/// `random`, or an object with `propose(view, feedback)` and, if it likes, `begin(view, scenario,
/// seed)`: a proposal is a dict of the contract (`Session.proposal` writes one), `None` ends the
/// run. `seconds` bounds wall time; `proposals` and `work_units` are the same on every machine.
/// Certificates are signed with the key in the file `key`, or the user's own.
///
/// `warm` is a `Design` loaded earlier from the same files (with the calculator `elmore`), so that
/// they are not parsed again; its file digests must be those of this run's copy.
///
/// Gives a summary as a dict. An exception of the agent ends the run and is raised when the run
/// directory is whole.
#[pyfunction]
#[pyo3(signature = (design, out, *, agent = None, params = None, scenario = None, seconds = None, proposals = None, work_units = None, seed = 1, place = true, density = None, key = None, warm = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn run<'py>(
    py: Python<'py>,
    design: PathBuf,
    out: PathBuf,
    agent: Option<&Bound<'py, PyAny>>,
    params: Option<&Bound<'py, PyAny>>,
    scenario: Option<PathBuf>,
    seconds: Option<f64>,
    proposals: Option<u64>,
    work_units: Option<u64>,
    seed: u64,
    place: bool,
    density: Option<f64>,
    key: Option<PathBuf>,
    warm: Option<&Design>,
) -> Outcome<Bound<'py, PyAny>> {
    process::check()?;
    let who = match agent {
        Some(agent) => who(agent, params)?,
        None => self::who(pyo3::types::PyString::new(py, "anneal").as_any(), params)?,
    };
    let wall = seconds.map(Duration::try_from_secs_f64).transpose();
    let wall = wall.map_err(|error| Fault::argument(format!("`seconds`: {error}")))?;
    let (spec, object) = match who {
        Who::Ours(spec) => (spec, None),
        Who::Python { spec, object } => (spec, Some(object)),
    };
    let name = spec.name.clone();
    let plan = Start {
        design,
        out,
        agent: spec,
        scenario,
        wall,
        proposals,
        work_units,
        seed,
        place,
        density,
    };
    let key = keys::signing(key.as_ref())?;
    let stop = AtomicBool::new(false);
    let (ask, asked) = mpsc::channel();
    let (say, said) = mpsc::channel();
    let (answer, answers) = mpsc::channel();
    let ours = object.is_none();
    let mut bridge = (!ours).then(|| Bridge {
        name,
        ask: ask.clone(),
        said,
        answer,
        folder: plan.out.clone(),
        mirror: None,
        last: None,
        intent: None,
        turn: 0,
    });
    // The run's thread holds the only sender left, so that its end is heard here.
    let ask = Some(ask);
    let view = match &object {
        Some(_) => Some(Py::new(py, View::new(say.clone(), answers))?),
        None => None,
    };
    let mut error: Option<PyErr> = None;
    let warm = warm.map(|design| design.ready.clone());
    let (raised, plan, key, stop) = (&mut error, &plan, &key, &stop);
    let (object, view) = (object.as_ref(), view.as_ref());
    let done = py.detach(move || {
        std::thread::scope(|scope| {
            let worker = scope.spawn(move || {
                let ask = ask;
                let mut notes = Vec::new();
                let mut make = |scenario: &Scenario| -> Result<Box<dyn Agent>, Failure> {
                    if ours {
                        return Ok(cellwright_agents::by_name(&scenario.agent)?);
                    }
                    match bridge.take() {
                        Some(bridge) => Ok(Box::new(bridge)),
                        None => Err(Failure::input("the agent was asked for twice")),
                    }
                };
                let given = warm.as_deref().map(|ready| Given {
                    loaded: &ready.loaded,
                    timing: ready.timing.as_ref(),
                    notes: &ready.notes,
                });
                let done = start(plan, given, key, &mut make, &mut Watch(stop), &mut |stage| {
                    if let Stage::Note(text) = stage {
                        notes.push(text.to_owned());
                    }
                });
                drop(ask);
                done.map(|(folder, _, summary)| (folder, summary, notes))
            });
            loop {
                match asked.recv_timeout(Duration::from_millis(100)) {
                    Ok(ask) => {
                        let said = Python::attach(|py| converse(py, object, view, &ask));
                        let said = said.map_err(|error| {
                            let text = error.to_string();
                            raised.get_or_insert(error);
                            text
                        });
                        if say.send(Say::Done(said)).is_err() {
                            break;
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        if worker.is_finished() {
                            break;
                        }
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            stop.store(true, Ordering::Relaxed);
                            raised.get_or_insert(error);
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            worker.join()
        })
    });
    let done = done.map_err(|_| Fault::internal("the run's thread ended unexpectedly"))?;
    if let Some(error) = error {
        return Err(error.into());
    }
    let (folder, summary, notes) = done?;
    words::to_python(py, &summary_out(&folder, &summary, &notes))
}

/// Asks the Python agent.
fn converse(
    py: Python<'_>,
    object: Option<&Py<PyAny>>,
    view: Option<&Py<View>>,
    ask: &Ask,
) -> PyResult<Option<String>> {
    let (Some(object), Some(view)) = (object, view) else { return Ok(None) };
    let (object, view) = (object.bind(py), view.bind(py));
    py.check_signals()?;
    match ask {
        Ask::Begin { scenario, seed } => {
            if object.hasattr("begin")? {
                let scenario = words::text_to_python(py, scenario)?;
                object.call_method1("begin", (view, scenario, *seed))?;
            }
            Ok(None)
        }
        Ask::Propose { feedback } => {
            let feedback = match feedback {
                Some(text) => words::text_to_python(py, text)?,
                None => py.None().into_bound(py),
            };
            let proposal = object.call_method1("propose", (view, feedback))?;
            if proposal.is_none() {
                return Ok(None);
            }
            Ok(Some(words::text(&proposal)?))
        }
    }
}

/// Verifies a certificate offline: signature, schema, inputs, deltas, physics, chain.
///
/// `trust` lists files with public keys to trust besides the user's own. Gives `figures` (certified
/// against recomputed) and `told`, what was checked and what is not proven. Raises `VerifyError`
/// with `code` and `exit_code` as the command `cellwright verify`; that nothing disagrees but not
/// everything was recomputed is no pass either, unless `allow_incomplete` says so.
#[pyfunction]
#[pyo3(signature = (certificate, *, trust = None, run = None, design = None, allow_incomplete = false))]
pub(crate) fn verify<'py>(
    py: Python<'py>,
    certificate: PathBuf,
    trust: Option<Vec<PathBuf>>,
    run: Option<PathBuf>,
    design: Option<PathBuf>,
    allow_incomplete: bool,
) -> Outcome<Bound<'py, PyAny>> {
    process::check()?;
    let mut told = Vec::new();
    let report = py.detach(|| -> Result<CheckReport, Failure> {
        let trust = keys::trusted(&trust.unwrap_or_default())?;
        let request = Request { certificate: &certificate, trust, run, design };
        check(&request, &mut |step| {
            if let Step::Told(text) = step {
                told.push(text);
            }
        })
    });
    let report = report.map_err(Fault::verify)?;
    if report.outcome == Found::Incomplete && !allow_incomplete {
        let open = report.not_checked.join("; ");
        let text =
            format!("INCOMPLETE nothing disagrees, but not everything was recomputed: {open}");
        return Err(Fault::verify(Failure::with(code::INCOMPLETE, text)));
    }
    let figures: Vec<Value> = report
        .items
        .iter()
        .map(|item| {
            json!({
                "metric": item.metric,
                "corner": item.corner,
                "certified": item.claimed,
                "recomputed": item.recomputed,
                "tolerance": item.tolerance,
                "agrees": item.status == Status::Agrees,
            })
        })
        .collect();
    let outcome = match report.outcome {
        Found::Agrees => "verified",
        Found::Incomplete => "incomplete",
        Found::Disagrees => "disagrees",
    };
    words::to_python(py, &json!({ "outcome": outcome, "figures": figures, "told": told }))
}

/// Judges the journal of a run directory again: `{"outcome": "VERIFIED"}`, or what differs.
///
/// Raises `RunError` when the journal cannot be read or the run was interrupted.
#[pyfunction]
#[pyo3(signature = (folder, *, design = None))]
pub(crate) fn replay<'py>(
    py: Python<'py>,
    folder: PathBuf,
    design: Option<PathBuf>,
) -> Outcome<Bound<'py, PyAny>> {
    process::check()?;
    let outcome = py.detach(|| -> Outcome<_> {
        let design = design.unwrap_or_else(|| RunFolder::open(&folder).design());
        let ready = setup::ready(&design, Calculator::LumpedElmore)?;
        let loaded = &ready.loaded;
        let outcome =
            cellwright_judge::run::replay(&folder, &loaded.snapshot, &loaded.files, ready.config);
        outcome.map_err(|error| {
            let code = match &error {
                ReplayError::Interrupted => "interrupted",
                ReplayError::Journal(_) | ReplayError::Entry { .. } => "journal",
                _ => "unreadable",
            };
            Fault::run(code, error.to_string())
        })
    })?;
    words::to_python(py, &outcome)
}

/// Copies a bundle and every file that it names into a folder; gives the copied `design.toml`.
#[pyfunction]
pub(crate) fn copy_bundle(py: Python<'_>, design: PathBuf, folder: PathBuf) -> Outcome<PathBuf> {
    py.detach(|| {
        let bundle = Bundle::read(&design)?;
        Ok(copy(&bundle, &folder).map_err(Failure::from)?)
    })
}

/// Makes an issuer's key in a file that only its owner can read.
#[pyfunction]
pub(crate) fn new_key(path: PathBuf) -> Outcome<()> {
    Ok(SecretKey::generate().and_then(|key| key.save(&path)).map_err(Failure::from)?)
}
