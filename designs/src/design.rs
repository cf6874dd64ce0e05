//! From a [`Spec`] to a finished design, and from there to text.

use std::io::{self, Write};

use crate::check;
use crate::compose;
use crate::error::Error;
use crate::finish;
use crate::floorplan::Floorplan;
use crate::names::Names;
use crate::netlist::Netlist;
use crate::sdc::{self, Timing};
use crate::sizing;
use crate::spec::Spec;
use crate::{def, spef, verilog};

/// A generated design.
#[derive(Clone, Debug)]
pub struct GeneratedDesign {
    /// The request.
    pub spec: Spec,
    /// Buffered, sized netlist.
    pub netlist: Netlist,
    /// Die, rows, pin places.
    pub floorplan: Floorplan,
    /// Constraint values.
    pub timing: Timing,
}

/// Generates a design. The same spec gives the same design on every machine.
///
/// # Errors
/// [`Error::Spec`] for a field out of range.
pub fn generate(spec: &Spec) -> Result<GeneratedDesign, Error> {
    spec.validate()?;
    let mut netlist = compose::compose(spec);
    finish::finish(&mut netlist, spec);
    sizing::size(&mut netlist, spec.seed)?;
    check::check(&netlist)?;
    let floorplan = Floorplan::new(&netlist, spec.utilisation);
    let period = match spec.period {
        Some(period) => period,
        None => {
            // One endpoint in a hundred shall be late, but none by more than a sixth.
            let needs = sizing::periods(&netlist)?;
            let worst = needs.first().copied().unwrap_or(1.0);
            let late = needs.get(needs.len() / 100).copied().unwrap_or(worst);
            (late.max(worst / 1.2) * spec.tightness).max(0.05)
        }
    };
    let timing = Timing::from_period(period);
    Ok(GeneratedDesign { spec: spec.clone(), netlist, floorplan, timing })
}

impl GeneratedDesign {
    /// Names of cells and nets in the style of the spec.
    pub fn names(&self) -> Names<'_> {
        Names::new(&self.netlist, self.spec.hierarchy)
    }

    /// Writes gate-level Verilog.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_verilog<W: Write>(&self, out: &mut W) -> io::Result<()> {
        verilog::write(out, &self.names())
    }

    /// Writes DEF 5.8.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_def<W: Write>(&self, out: &mut W) -> io::Result<()> {
        def::write(out, &self.names(), &self.floorplan)
    }

    /// Writes SDC.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_sdc<W: Write>(&self, out: &mut W) -> io::Result<()> {
        sdc::write(out, &self.netlist, &self.timing, self.spec.clock)
    }

    /// Writes SPEF of a deterministic star for each net; not part of a bundle.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_spef<W: Write>(&self, out: &mut W) -> io::Result<()> {
        spef::write(out, &self.names())
    }
}

/// BLAKE3 of what `write` writes, as 64 hexadecimal digits.
///
/// # Errors
/// Those of the writer; hashing itself cannot fail.
pub fn digest(write: impl FnOnce(&mut blake3::Hasher) -> io::Result<()>) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    write(&mut hasher)?;
    Ok(hasher.finalize().to_hex().to_string())
}
