//! What tried changes cost, one array a figure.

use cellwright_db::Design;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arrays::owned;

/// Slack totals after a change, ns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slacks {
    pub(crate) wns_setup: f64,
    pub(crate) tns_setup: f64,
    pub(crate) wns_hold: f64,
    pub(crate) tns_hold: f64,
}

/// One tried change against the state before it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// DBU.
    pub(crate) hpwl: i64,
    /// Part of the movable area.
    pub(crate) overflow: f64,
    pub(crate) violations: i64,
    /// DBU².
    pub(crate) area: i64,
    /// nW.
    pub(crate) leakage: f64,
    pub(crate) slacks: Option<Slacks>,
}

/// What a batch of tried changes costs, each against the state before it. All arrays have one
/// entry a change.
#[pyclass(frozen, module = "cellwright")]
#[derive(Debug)]
pub(crate) struct Costs {
    /// Change of the wire length, DBU (int64).
    #[pyo3(get)]
    hpwl: Py<PyArray1<i64>>,
    /// Change of the density overflow, a part of the movable area (float64).
    #[pyo3(get)]
    overflow: Py<PyArray1<f64>>,
    /// Change of the number of broken placement rules of movable cells (int64).
    #[pyo3(get)]
    violations: Py<PyArray1<i64>>,
    /// Change of the cell area, µm² (float64).
    #[pyo3(get)]
    area: Py<PyArray1<f64>>,
    /// Change of the leakage, nW (float64).
    #[pyo3(get)]
    leakage: Py<PyArray1<f64>>,
    /// Worst negative setup slack after the change, ns (float64); `None` without timing.
    #[pyo3(get)]
    wns_setup: Option<Py<PyArray1<f64>>>,
    /// Total negative setup slack after the change, ns (float64); `None` without timing.
    #[pyo3(get)]
    tns_setup: Option<Py<PyArray1<f64>>>,
    /// Worst negative hold slack after the change, ns (float64); `None` without timing.
    #[pyo3(get)]
    wns_hold: Option<Py<PyArray1<f64>>>,
    /// Total negative hold slack after the change, ns (float64); `None` without timing.
    #[pyo3(get)]
    tns_hold: Option<Py<PyArray1<f64>>>,
    count: usize,
}

impl Costs {
    pub(crate) fn new(py: Python<'_>, design: &Scale, rows: &[Cost]) -> Costs {
        let slack = |of: fn(&Slacks) -> f64| {
            let all: Option<Vec<f64>> =
                rows.iter().map(|row| row.slacks.as_ref().map(of)).collect();
            all.filter(|_| design.timed).map(|list| owned(py, list))
        };
        Costs {
            hpwl: owned(py, rows.iter().map(|row| row.hpwl).collect()),
            overflow: owned(py, rows.iter().map(|row| row.overflow).collect()),
            violations: owned(py, rows.iter().map(|row| row.violations).collect()),
            area: owned(py, rows.iter().map(|row| row.area as f64 * design.square).collect()),
            leakage: owned(py, rows.iter().map(|row| row.leakage).collect()),
            wns_setup: slack(|slacks| slacks.wns_setup),
            tns_setup: slack(|slacks| slacks.tns_setup),
            wns_hold: slack(|slacks| slacks.wns_hold),
            tns_hold: slack(|slacks| slacks.tns_hold),
            count: rows.len(),
        }
    }
}

/// What turns whole numbers into units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// µm² of one DBU².
    square: f64,
    timed: bool,
}

impl Scale {
    pub(crate) fn of(design: &Design, timed: bool) -> Scale {
        let dbu = f64::from(design.tech().dbu_per_micron);
        Scale { square: 1.0 / (dbu * dbu), timed }
    }
}

#[pymethods]
impl Costs {
    fn __len__(&self) -> usize {
        self.count
    }
    fn __repr__(&self) -> String {
        format!("Costs({} changes)", self.count)
    }
}
