//! Refuses to compute in a process that was forked after the engines had started.
//!
//! A fork copies memory but no threads: the pool that the engines share would wait forever for
//! threads that are not there. Python's `multiprocessing` forks by default on some systems.

use std::sync::OnceLock;

use crate::fault::{Fault, Outcome};

static HOME: OnceLock<u32> = OnceLock::new();

/// Lets the process that used the engines first go on, and no fork of it.
pub(crate) fn check() -> Outcome<()> {
    let here = std::process::id();
    if *HOME.get_or_init(|| here) == here {
        return Ok(());
    }
    Err(Fault::forked())
}
