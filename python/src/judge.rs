//! The judge: gates, rank and regret for proposals, without a run directory.

use std::sync::{Arc, Mutex, MutexGuard};

use cellwright_contract::budget::Effort;
use cellwright_contract::delta::DesignDelta;
use cellwright_contract::platform::View as _;
use cellwright_contract::proposal::Proposal;
use cellwright_contract::scenario::{AgentSpec, Scenario};
use cellwright_judge::judge::{Judge, Judged};
use cellwright_judge::platform::Host;
use cellwright_service::start::standard_scenario;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyDict;
use serde_json::json;

use crate::design::Ready;
use crate::fault::{Fault, Outcome};
use crate::json;
use crate::process;
use crate::snapshot::Snapshot;

/// Judges proposals against a head that advances with each one that passes.
#[pyclass(frozen, name = "Judge", module = "cellwright")]
#[derive(Debug)]
pub(crate) struct PyJudge {
    ready: Arc<Ready>,
    host: Mutex<Host>,
}

pub(crate) fn effort(name: &str) -> Outcome<Effort> {
    match name {
        "quick" => Ok(Effort::Quick),
        "standard" => Ok(Effort::Standard),
        "exhaustive" => Ok(Effort::Exhaustive),
        other => Err(Fault::argument(format!(
            "there is no effort `{other}`; choose quick, standard or exhaustive"
        ))),
    }
}

/// The scenario that runs use unless they bring one.
fn standard(ready: &Ready) -> Outcome<Scenario> {
    let agent = AgentSpec { name: "python".to_owned(), params: Default::default() };
    Ok(standard_scenario(&agent, 1, None, &ready.reference, ready.timing.is_some())?)
}

fn broken() -> Fault {
    Fault::internal("the judge was left half changed by a fault of ours; start a new one")
}

fn words(judge: &Judge, id: &str, judged: &Judged, accepted: bool) -> Outcome<serde_json::Value> {
    let archived = accepted && judge.archive().values(id).is_some();
    let ranked = |error: cellwright_judge::pareto::ArchiveError| Fault::internal(error.to_string());
    let rank = if archived { Some(judge.archive().rank(id).map_err(ranked)?) } else { None };
    let regret = if archived { Some(judge.archive().regret(id).map_err(ranked)?.0) } else { None };
    Ok(json!({
        "accepted": accepted,
        "passed": judged.judgment.passed(),
        "judgment": judged.judgment,
        "metrics": judged.metrics,
        "child": judged.child.map(|root| root.to_string()),
        "consumed": judged.consumed,
        "rank": rank,
        "regret": regret,
    }))
}

impl PyJudge {
    fn attached<'a>(&'a self, py: Python<'_>) -> Outcome<MutexGuard<'a, Host>> {
        self.host.lock_py_attached(py).map_err(|_| broken())
    }

    fn detached<T: Send>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut Host) -> Outcome<T> + Send,
    ) -> Outcome<T> {
        process::check()?;
        py.detach(|| run(&mut *self.host.lock().map_err(|_| broken())?))
    }
}

#[pymethods]
impl PyJudge {
    /// A judge at a placed snapshot, whose figures are the baseline that guards compare with.
    ///
    /// `scenario` is a dict or JSON text of the contract's `Scenario`; without it the one that
    /// `cellwright run` uses: wire length, setup slack and area, hold guarded.
    #[new]
    #[pyo3(signature = (snapshot, scenario = None))]
    fn new(
        py: Python<'_>,
        snapshot: &Snapshot,
        scenario: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<PyJudge> {
        process::check()?;
        let ready = snapshot.ready.clone();
        let scenario = match scenario {
            Some(value) => json::from_python(value)?,
            None => standard(&ready)?,
        };
        let host = py.detach(|| -> Outcome<Host> {
            let budget = scenario.budget;
            let mut judge = Judge::new(&snapshot.state, scenario, ready.config(true, true))?;
            judge.rebase();
            Ok(Host::new(judge, ready.reference.clone(), budget))
        })?;
        Ok(PyJudge { ready, host: Mutex::new(host) })
    }
    /// Root of the head, which a proposal must name as its parent.
    #[getter]
    fn head(&self, py: Python<'_>) -> Outcome<String> {
        Ok(self.attached(py)?.judge().head().to_string())
    }
    /// The head.
    #[getter]
    fn snapshot(&self, py: Python<'_>) -> Outcome<Snapshot> {
        let state = self.attached(py)?.judge().design().base().clone();
        Ok(Snapshot::new(self.ready.clone(), state))
    }
    /// The scenario.
    #[getter]
    fn scenario<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        let scenario = self.attached(py)?.judge().scenario().clone();
        json::to_python(py, &scenario)
    }
    /// Figures of the head by their contract names.
    fn metrics<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let list = self.attached(py)?.judge().head_metrics().to_vec();
        let dict = PyDict::new(py);
        for metric in list {
            dict.set_item(metric.metric, metric.value)?;
        }
        Ok(dict)
    }
    /// Tries a delta on the head and takes it back: metrics, gates and cost.
    #[pyo3(signature = (delta, *, effort = "standard"))]
    fn what_if<'py>(
        &self,
        py: Python<'py>,
        delta: &Bound<'_, PyAny>,
        effort: &str,
    ) -> Outcome<Bound<'py, PyAny>> {
        let effort = self::effort(effort)?;
        let delta: DesignDelta = json::from_python(delta)?;
        let found = self.detached(py, |host| Ok(host.evaluate(&delta, effort)?))?;
        json::to_python(py, &found)
    }
    /// Puts a proposal before all gates and takes it back.
    #[pyo3(signature = (proposal, *, effort = "standard"))]
    fn judge<'py>(
        &self,
        py: Python<'py>,
        proposal: &Bound<'_, PyAny>,
        effort: &str,
    ) -> Outcome<Bound<'py, PyAny>> {
        let effort = self::effort(effort)?;
        let proposal: Proposal = json::from_python(proposal)?;
        let found = self.detached(py, |host| {
            let judged = host.judge_mut().judge(&proposal, effort)?;
            host.charge(&judged.consumed);
            words(host.judge(), &proposal.id, &judged, false)
        })?;
        json::to_python(py, &found)
    }
    /// Puts a proposal before all gates; when every one holds the child becomes the head.
    ///
    /// A rejected proposal is an answer (`accepted` is false and `judgment` says why), no error.
    fn commit<'py>(
        &self,
        py: Python<'py>,
        proposal: &Bound<'_, PyAny>,
    ) -> Outcome<Bound<'py, PyAny>> {
        let proposal: Proposal = json::from_python(proposal)?;
        let found = self.detached(py, |host| {
            let spent = host.spent();
            let judge = host.judge_mut();
            judge.set_spent(spent);
            let parent = judge.head();
            let judged = judge.commit(&proposal)?;
            host.charge(&judged.consumed);
            host.refresh();
            let head = host.judge().head();
            let accepted = judged.judgment.passed() && judged.child == Some(head) || head != parent;
            words(host.judge(), &proposal.id, &judged, accepted)
        })?;
        json::to_python(py, &found)
    }
    /// The Pareto front of what was accepted: ids with their objective values in the scenario's
    /// order.
    fn front(&self, py: Python<'_>) -> Outcome<Vec<(String, Vec<f64>)>> {
        let host = self.attached(py)?;
        let archive = host.judge().archive();
        let ids = archive.fronts().into_iter().next().unwrap_or_default();
        let one = |id: &str| (id.to_owned(), archive.values(id).unwrap_or(&[]).to_vec());
        Ok(ids.into_iter().map(one).collect())
    }
    fn __repr__(&self, py: Python<'_>) -> Outcome<String> {
        Ok(format!("Judge({}, head {})", self.ready.reference, self.head(py)?))
    }
}
