//! The native module of the Python package `cellwright`.
//!
//! # How state is held
//! A design and its snapshots are shared and immutable. A `Session` and a
//! `Judge` hold flat working state behind a lock that is only ever taken with the
//! interpreter released, so that a long batch stops no other Python thread and two threads on one
//! session wait for each other without a deadlock.
//!
//! # Arrays
//! Arrays that are handed out are buffers of ours under NumPy's hood: no copy is made at the door,
//! they stay alive as long as Python holds them, and they are read-only. Arrays of a snapshot never
//! change; those of a session follow it.
//!
//! # Units
//! As everywhere: DBU for geometry, ns for time, µm and µm² in metrics.

mod agent;
mod arrays;
mod costs;
mod design;
mod fault;
mod json;
mod judge;
mod place;
mod process;
mod runs;
mod session;
mod snapshot;
mod timing;
mod work;

use pyo3::prelude::*;

/// The native module.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::agent::View;
    #[pymodule_export]
    use super::costs::Costs;
    #[pymodule_export]
    use super::design::{Design, generate, presets};
    #[pymodule_export]
    use super::judge::PyJudge;
    #[pymodule_export]
    use super::place::{measure, place};
    #[pymodule_export]
    use super::runs::{copy_bundle, new_key, replay, run, verify};
    #[pymodule_export]
    use super::session::Session;
    #[pymodule_export]
    use super::snapshot::Snapshot;
    #[pymodule_export]
    use super::timing::sta;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
