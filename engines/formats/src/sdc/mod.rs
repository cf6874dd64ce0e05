//! SDC: clocks, delays and exceptions.
//!
//! [`read_sdc`] runs constraint files through a small Tcl evaluator and gives
//! [`Constraints`] that name a design's objects by id, in ns, pF and kΩ. The files' numbers are in
//! the units that [`library_units`] gives (those of the design's first library) until a file says
//! otherwise with `set_units`.
//!
//! Nothing is dropped in silence. A command or an option that is not known, a wrong argument, or
//! an error of the script is an error with file and line; reading goes on behind it, so that one
//! run tells all. A name that the design does not have is a warning. What is understood but has no
//! place in [`Constraints`] is a warning too and stands in [`Constraints::not_supported`].
//!
//! A script can use up only its [`Limits`]: a hostile one ends with an error.
//!
//! Source: Synopsys Design Constraints format, application note, version 2.1; for what that leaves
//! open, the documented behaviour of open timers.

mod args;
mod checks;
mod clock_facts;
mod clocks;
mod compact;
mod dispatch;
mod filter;
mod io;
mod names;
mod object;
mod paths;
mod query;
mod setup;
mod state;
mod tcl;
mod write;
mod write_clocks;
mod write_rest;

#[cfg(test)]
pub(crate) mod cases;
#[cfg(test)]
pub(crate) mod tests;

pub use tcl::Limits;
pub use write::write_sdc;

use cellwright_db::Design;
use cellwright_sta::constraints::{Constraints, Units};

use crate::text::{Problems, Source};

/// The units of the first library of the first corner, in which an SDC file's numbers are written
/// unless it says otherwise; ns, pF and kΩ when there is no library.
#[must_use]
pub fn library_units(design: &Design) -> Units {
    let library = design.library();
    let first = library.corners.first().and_then(|corner| corner.late_libs.first());
    let lib = match first {
        Some(index) => library.timing_libs.get(*index as usize),
        None => library.timing_libs.first(),
    };
    match lib {
        Some(lib) => Units {
            time: lib.units.time,
            capacitance: lib.units.capacitance,
            resistance: lib.units.resistance,
            ..Units::default()
        },
        None => Units::default(),
    }
}

/// Reads SDC files, in order, as one script.
///
/// Gives the constraints and whatever is worth a warning.
///
/// # Errors
/// All problems, when at least one of them is an error.
pub fn read_sdc(
    design: &Design,
    units: Units,
    sources: &[Source],
) -> Result<(Constraints, Problems), Problems> {
    read_sdc_with(design, units, sources, Limits::default())
}

/// As [`read_sdc`], with bounds of one's own.
///
/// # Errors
/// As [`read_sdc`].
pub fn read_sdc_with(
    design: &Design,
    units: Units,
    sources: &[Source],
    limits: Limits,
) -> Result<(Constraints, Problems), Problems> {
    let mut reader = state::Reader::new(design, units);
    reader.files = sources.iter().map(|source| source.name().to_owned()).collect();
    let mut interp = tcl::Interp::new(&mut reader, limits);
    for (index, source) in sources.iter().enumerate() {
        interp.run_file(index as u32, source.text());
    }
    let state::Reader { mut out, dead, problems, .. } = reader;
    if problems.has_errors() {
        return Err(problems);
    }
    compact::compact(&mut out, &dead);
    Ok((out, problems))
}
