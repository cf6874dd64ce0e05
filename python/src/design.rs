//! Designs: read from a bundle, with constraints and wires, or generated.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cellwright_contract::refs::DesignRef;
use cellwright_designs::{PRESETS, Spec, write_bundle};
use cellwright_formats::bundle::Bundle;
use cellwright_formats::load::{Loaded, load};
use cellwright_formats::save::write_def;
use cellwright_formats::text::Severity;
use cellwright_judge::engines::EngineConfig;
use cellwright_judge::timing::TimingSetup;
use cellwright_service::setup;
use cellwright_sta::Calculator;
use pyo3::prelude::*;

use crate::fault::{Fault, Outcome};
use crate::snapshot::Snapshot;

/// Everything that was read for a design; shared by its snapshots and sessions.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) loaded: Loaded,
    pub(crate) timing: Option<TimingSetup>,
    pub(crate) notes: Vec<String>,
    pub(crate) reference: DesignRef,
    pub(crate) calculator: Calculator,
}

impl Ready {
    /// What the engines are told; `timing` and `congestion` leave these out when false.
    pub(crate) fn config(&self, timing: bool, congestion: bool) -> EngineConfig {
        let mut config = EngineConfig::standard(self.timing.clone().filter(|_| timing));
        if !congestion {
            config.measures.congestion = None;
        }
        config
    }
}

impl Ready {
    /// The `design.toml`, as an absolute path where that can be had.
    pub(crate) fn path(&self) -> PathBuf {
        let file = &self.loaded.bundle.file;
        std::path::absolute(file).unwrap_or_else(|_| file.clone())
    }
}

/// The name of a delay calculator.
pub(crate) fn name_of(calculator: Calculator) -> &'static str {
    match calculator {
        Calculator::Lumped => "lumped",
        Calculator::LumpedElmore => "elmore",
        Calculator::DmpCeffElmore => "dmp",
    }
}

/// A delay calculator by name.
pub(crate) fn calculator(name: &str) -> Outcome<Calculator> {
    match name {
        "lumped" => Ok(Calculator::Lumped),
        "elmore" => Ok(Calculator::LumpedElmore),
        "dmp" => Ok(Calculator::DmpCeffElmore),
        other => Err(Fault::argument(format!(
            "there is no delay calculator `{other}`; choose lumped, elmore or dmp"
        ))),
    }
}

pub(crate) fn read(path: &Path, calculator: Calculator) -> Outcome<Ready> {
    let loaded = load(Bundle::read(path)?)?;
    let errors: Vec<_> =
        loaded.problems.iter().filter(|problem| problem.severity == Severity::Error).collect();
    if let Some(first) = errors.first() {
        let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let text = format!("the design has errors:\n{}", all.join("\n"));
        return Err(Fault::input(first.code, &first.file, first.line, text));
    }
    let mut notes = Vec::new();
    let timing = setup::timing(&loaded, calculator, &mut notes)?;
    let reference = DesignRef::new(&loaded.bundle.name, &loaded.bundle.tech)
        .map_err(|error| Fault::argument(error.to_string()))?;
    Ok(Ready { loaded, timing, notes, reference, calculator })
}

/// A design as read from its files, with the constraints and wires to time it.
#[pyclass(frozen, module = "cellwright")]
#[derive(Debug)]
pub(crate) struct Design {
    pub(crate) ready: Arc<Ready>,
}

#[pymethods]
impl Design {
    /// Reads a `design.toml`, or the one in a folder.
    ///
    /// `calculator` is how sessions and the judge compute delays: `lumped`, `elmore` (the one that
    /// certificates use) or `dmp`. Raises `InputError` with file and line.
    #[staticmethod]
    #[pyo3(signature = (path, *, calculator = "elmore"))]
    fn load(py: Python<'_>, path: PathBuf, calculator: &str) -> Outcome<Design> {
        let calculator = self::calculator(calculator)?;
        let ready = py.detach(|| read(&path, calculator))?;
        Ok(Design { ready: Arc::new(ready) })
    }
    /// Design name.
    #[getter]
    fn name(&self) -> &str {
        &self.ready.loaded.bundle.name
    }
    /// `design@tech`, as proposals and scenarios name it.
    #[getter]
    fn reference(&self) -> String {
        self.ready.reference.to_string()
    }
    /// Database units per µm.
    #[getter]
    fn dbu_per_micron(&self) -> i32 {
        self.ready.loaded.snapshot.context().tech.dbu_per_micron
    }
    /// Whether it can be timed.
    #[getter]
    fn timed(&self) -> bool {
        self.ready.timing.is_some()
    }
    /// What is only estimated or missing, in words.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.ready.notes.clone()
    }
    /// What the readers noticed, each with file and line.
    #[getter]
    fn problems(&self) -> Vec<String> {
        self.ready.loaded.problems.iter().map(ToString::to_string).collect()
    }
    /// The files that were read: name and BLAKE3 of the unpacked content, in the order read.
    #[getter]
    fn files(&self) -> Vec<(String, String)> {
        let hex = |digest: &[u8; 32]| cellwright_contract::refs::Hex32(*digest).to_string();
        let one = |file: &cellwright_formats::load::FileRead| {
            (file.path.to_string_lossy().into_owned(), hex(&file.digest))
        };
        self.ready.loaded.files.iter().map(one).collect()
    }
    /// The `design.toml` that it was read from.
    #[getter]
    fn path(&self) -> PathBuf {
        self.ready.path()
    }
    /// How sessions and the judge compute delays: `lumped`, `elmore` or `dmp`.
    #[getter]
    fn calculator(&self) -> &'static str {
        name_of(self.ready.calculator)
    }
    /// The design as read.
    #[getter]
    fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.ready.clone(), self.ready.loaded.snapshot.clone())
    }
    /// Writes a snapshot of this design as DEF.
    fn write_def(&self, py: Python<'_>, snapshot: &Snapshot, path: PathBuf) -> Outcome<()> {
        let flat = cellwright_db::Design::new(&snapshot.state);
        py.detach(|| write_def(&self.ready.loaded, &flat, &path))?;
        Ok(())
    }
    fn __repr__(&self) -> String {
        format!("Design({})", self.ready.reference)
    }
}

/// Names of the generator's presets, with what they are.
#[pyfunction]
pub(crate) fn presets() -> Vec<(&'static str, &'static str)> {
    PRESETS.to_vec()
}

/// Generates a design of our own and writes its bundle; gives the path of the `design.toml`.
///
/// `preset` is one of `presets()`; `cells`, `seed`, `utilisation` and `name` change it.
#[pyfunction]
#[pyo3(signature = (folder, preset = "tiny", *, cells = None, seed = None, utilisation = None, name = None))]
pub(crate) fn generate(
    py: Python<'_>,
    folder: PathBuf,
    preset: &str,
    cells: Option<usize>,
    seed: Option<u64>,
    utilisation: Option<f64>,
    name: Option<String>,
) -> Outcome<PathBuf> {
    let refuse = |error: cellwright_designs::Error| Fault::argument(error.to_string());
    let mut spec = Spec::preset(preset).map_err(refuse)?;
    spec.cells = cells.unwrap_or(spec.cells);
    spec.seed = seed.unwrap_or(spec.seed);
    spec.utilisation = utilisation.unwrap_or(spec.utilisation);
    spec.name = name.unwrap_or(spec.name);
    py.detach(|| {
        std::fs::create_dir_all(&folder).map_err(|error| {
            Fault::input("unwritable", &folder.display().to_string(), 0, error.to_string())
        })?;
        write_bundle(&folder, &spec).map_err(refuse)
    })
}
