//! Timing of a snapshot, in full.

use cellwright_contract::delta::TimingMode;
use cellwright_judge::timing::Timing;
use cellwright_sta::Side;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::frozen;
use crate::design::calculator as by_name;
use crate::fault::{Fault, Outcome};
use crate::json;
use crate::process;
use crate::snapshot::Snapshot;

/// Times a snapshot from scratch.
///
/// Gives for each of `setup` and `hold`: `wns` and `tns` (ns; 0 when nothing violates),
/// `worst_slack`, `endpoints` (names), `slack` (float32 of the endpoints, in their order) and
/// `paths`, the worst path of each of the `paths` worst endpoints. `not_supported` lists what the
/// timer does not do for this design. `calculator` is lumped, elmore or dmp; the design's own when
/// not given.
#[pyfunction]
#[pyo3(signature = (snapshot, *, calculator = None, paths = 1))]
pub(crate) fn sta<'py>(
    py: Python<'py>,
    snapshot: &Snapshot,
    calculator: Option<&str>,
    paths: usize,
) -> Outcome<Bound<'py, PyDict>> {
    process::check()?;
    let mut setup = snapshot.ready.timing.clone().ok_or_else(|| {
        Fault::timing("untimed", "the design has no timing: name a corner and an SDC file")
    })?;
    if let Some(name) = calculator {
        setup.config.calculator = by_name(name)?;
    }
    let (design, timing) = py.detach(|| {
        let design = cellwright_db::Design::new(&snapshot.state);
        let timing = Timing::full(&design, &setup)?;
        Ok::<_, Fault>((design, timing))
    })?;
    let dict = PyDict::new(py);
    let timer = timing.timer();
    for (name, mode, side) in
        [("setup", TimingMode::Setup, Side::Max), ("hold", TimingMode::Hold, Side::Min)]
    {
        let ends = timer.endpoints(side);
        let one = PyDict::new(py);
        one.set_item("wns", timer.wns(side))?;
        one.set_item("tns", timer.tns(side))?;
        one.set_item("worst_slack", timer.worst_slack(side))?;
        let names: Vec<String> = ends.iter().map(|(pin, _)| design.pin_name(*pin)).collect();
        one.set_item("endpoints", names)?;
        one.set_item("slack", frozen(py, ends.iter().map(|(_, slack)| *slack).collect()))?;
        one.set_item("paths", json::to_python(py, &timing.worst_paths(&design, mode, paths))?)?;
        dict.set_item(name, one)?;
    }
    dict.set_item("not_supported", timing.not_supported())?;
    Ok(dict)
}
