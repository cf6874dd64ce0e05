//! Placement and measures of snapshots.

use std::ops::ControlFlow;

use cellwright_db::CellId;
use cellwright_measure::{Measures, Metric};
use cellwright_place::{Effort, Event, Limits, PlaceConfig, PlaceError, Progress, Stages};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::integers;
use crate::fault::{Fault, Outcome};
use crate::process;
use crate::snapshot::Snapshot;

/// Tells Python and hears Ctrl-C.
struct Teller {
    callback: Option<Py<PyAny>>,
    error: Option<PyErr>,
}

impl Progress for Teller {
    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        let told = Python::attach(|py| -> PyResult<()> {
            py.check_signals()?;
            let Some(callback) = &self.callback else { return Ok(()) };
            callback.call1(
                py,
                (event.stage.name(), event.iteration, event.hpwl, event.overflow, event.fraction),
            )?;
            Ok(())
        });
        match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

/// Places the movable cells: global placement, legalisation, detailed placement.
///
/// Gives the placed snapshot and a report: per stage wire length (DBU), overflow, iterations,
/// displacement (DBU), seconds, work units and why it ended. The same snapshot, settings and seed
/// give the same placement at any number of threads.
///
/// `density` is the target, 0 to 1. `effort` is quick, standard or high. `stages` names those to
/// run, of global, legalize and detailed. `only` limits it to these cells. `net_weights` holds one
/// number a net slot. `progress` is called with stage, iteration, wire length, overflow and the
/// part that is done; an exception of it, or Ctrl-C, ends the placement. Raises `PlaceError`.
#[pyfunction]
#[pyo3(signature = (snapshot, *, density = None, seed = 1, effort = "standard", stages = None, iterations = None, work_units = None, threads = 0, only = None, net_weights = None, progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn place<'py>(
    py: Python<'py>,
    snapshot: &Snapshot,
    density: Option<f64>,
    seed: u64,
    effort: &str,
    stages: Option<Vec<String>>,
    iterations: Option<u32>,
    work_units: Option<u64>,
    threads: usize,
    only: Option<&Bound<'py, PyAny>>,
    net_weights: Option<Vec<f32>>,
    progress: Option<Py<PyAny>>,
) -> Outcome<(Snapshot, Bound<'py, PyDict>)> {
    process::check()?;
    let effort = match effort {
        "quick" => Effort::Quick,
        "standard" => Effort::Standard,
        "high" => Effort::High,
        other => {
            let text = format!("there is no effort `{other}`; choose quick, standard or high");
            return Err(Fault::argument(text));
        }
    };
    let chosen = match &stages {
        None => Stages::default(),
        Some(names) => {
            let known = ["global", "legalize", "detailed"];
            if let Some(other) = names.iter().find(|name| !known.contains(&name.as_str())) {
                let text = format!("there is no stage `{other}`; choose of {}", known.join(", "));
                return Err(Fault::argument(text));
            }
            let has = |name: &str| names.iter().any(|other| other == name);
            Stages { global: has("global"), legalize: has("legalize"), detailed: has("detailed") }
        }
    };
    let only = match only {
        None => None,
        Some(cells) => {
            let one = |cell: i32| {
                u32::try_from(cell)
                    .map(CellId)
                    .map_err(|_| Fault::delta("missing", format!("i:{cell} does not exist")))
            };
            Some(integers("only", cells)?.into_iter().map(one).collect::<Outcome<Vec<_>>>()?)
        }
    };
    let config = PlaceConfig {
        density,
        seed,
        effort,
        stages: chosen,
        threads,
        limits: Limits { iterations, work_units, wall: None },
        only,
        net_weights: net_weights.unwrap_or_default(),
        ..PlaceConfig::default()
    };
    let mut teller = Teller { callback: progress, error: None };
    let placed = py.detach(|| {
        let design = cellwright_db::Design::new(&snapshot.state);
        let placed = cellwright_place::place(&design, &config, &mut teller)?;
        let child = snapshot.state.apply(&placed.delta);
        Ok((placed.report, child))
    });
    let (report, child) = match placed {
        Ok(placed) => placed,
        Err(PlaceError::Cancelled) if teller.error.is_some() => {
            return Err(teller.error.map_or_else(|| PlaceError::Cancelled.into(), Fault::from));
        }
        Err(error) => return Err(error.into()),
    };
    let dict = PyDict::new(py);
    dict.set_item("cells", report.cells)?;
    dict.set_item("utilisation", report.utilisation)?;
    dict.set_item("density", report.density)?;
    let list = PyList::empty(py);
    for stage in &report.stages {
        let one = PyDict::new(py);
        one.set_item("stage", stage.stage.name())?;
        one.set_item("hpwl", stage.hpwl)?;
        one.set_item("overflow", stage.overflow)?;
        one.set_item("iterations", stage.iterations)?;
        one.set_item("displacement", stage.displacement)?;
        one.set_item("max_displacement", stage.max_displacement)?;
        one.set_item("seconds", stage.wall.as_secs_f64())?;
        one.set_item("work_units", stage.work_units)?;
        one.set_item("stop", format!("{:?}", stage.stop))?;
        list.append(one)?;
    }
    dict.set_item("stages", list)?;
    let notes: Vec<String> = report.notes.iter().map(|note| format!("{note:?}")).collect();
    dict.set_item("notes", notes)?;
    Ok((Snapshot::new(snapshot.ready.clone(), child?), dict))
}

/// Measures a snapshot from scratch: wire length, density, congestion, every legality rule.
///
/// Gives `{name: {"value", "unit", "exact"}}`; `exact` is the whole number (DBU or a count) behind
/// the value, where there is one.
#[pyfunction]
pub(crate) fn measure<'py>(py: Python<'py>, snapshot: &Snapshot) -> Outcome<Bound<'py, PyDict>> {
    process::check()?;
    let config = snapshot.ready.config(false, true).measures;
    let report = py.detach(|| {
        let design = cellwright_db::Design::new(&snapshot.state);
        Measures::full(&design, config).report(&design)
    });
    let dict = PyDict::new(py);
    for reading in &report.readings {
        let one = PyDict::new(py);
        one.set_item("value", reading.value)?;
        one.set_item("unit", reading.unit)?;
        one.set_item("exact", reading.exact)?;
        dict.set_item(reading.name, one)?;
    }
    Ok(dict)
}
