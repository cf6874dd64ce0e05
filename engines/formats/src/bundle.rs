//! A design as a bundle: one `design.toml` that names every file.
//!
//! ```toml
//! name = "gcd"
//! tech = "nangate45"
//! top = "gcd"                       # default: the name
//! lef = ["tech.lef", "cells.lef"]   # in order, technology first
//! verilog = ["gcd.v.gz"]            # default: the netlist of the DEF
//! def = "gcd.def.gz"                # optional: floorplan and places
//! sdc = ["gcd.sdc"]                 # optional: constraints
//!
//! [[corner]]                        # at least one for timing
//! name = "typ"
//! liberty = ["typ.lib.gz"]          # both; or liberty_early / liberty_late
//! spef = "gcd.spef"                 # optional: parasitics instead of the wire model
//!
//! [corner.spef_of]                  # optional: parasitics of modules, by instance
//! "u_core/u_mul" = "mul.spef"
//!
//! [wire]                            # optional: wires from placement, kΩ/µm and pF/µm
//! signal = { r = 0.0036, c = 0.000075 }
//! clock = { r = 0.0036, c = 0.000075 }
//! ```
//!
//! Paths are relative to the file. Every file may be plain, gzip or xz.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::text::{FormatError, open};

/// What a `design.toml` says; made by hand, it also stands for files that no `design.toml` names.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// Design name.
    pub name: String,
    /// Technology name.
    pub tech: String,
    /// Top module; the name when not given.
    pub top: Option<String>,
    /// LEF files, technology first.
    #[serde(default)]
    pub lef: Vec<PathBuf>,
    /// Verilog files.
    #[serde(default)]
    pub verilog: Vec<PathBuf>,
    /// DEF file.
    pub def: Option<PathBuf>,
    /// SDC files, read in order.
    #[serde(default)]
    pub sdc: Vec<PathBuf>,
    /// Analysis corners.
    #[serde(default)]
    pub corner: Vec<CornerFiles>,
    /// Wire model for parasitics from placement.
    pub wire: Option<WireModel>,
    /// Where the file stood; paths are relative to it.
    #[serde(skip)]
    pub folder: PathBuf,
    /// The file's own name; empty when there is none.
    #[serde(skip)]
    pub file: PathBuf,
}

/// Libraries and parasitics of one corner.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CornerFiles {
    /// Corner name.
    pub name: String,
    /// Liberty files for early and late analysis.
    #[serde(default)]
    pub liberty: Vec<PathBuf>,
    /// Liberty files for early analysis only, after `liberty`.
    #[serde(default)]
    pub liberty_early: Vec<PathBuf>,
    /// Liberty files for late analysis only, after `liberty`.
    #[serde(default)]
    pub liberty_late: Vec<PathBuf>,
    /// SPEF file of the whole design.
    pub spef: Option<PathBuf>,
    /// SPEF files of modules, by the instance that they describe.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spef_of: BTreeMap<String, PathBuf>,
}

impl CornerFiles {
    /// All SPEF files with the instance that each describes, empty for the whole design; the whole
    /// design's first.
    pub fn spefs(&self) -> impl Iterator<Item = (&Path, &str)> {
        let whole = self.spef.iter().map(|path| (path.as_path(), ""));
        whole.chain(self.spef_of.iter().map(|(instance, path)| (path.as_path(), instance.as_str())))
    }
}

/// Unit resistance and capacitance of wires.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WireModel {
    /// Signal nets.
    pub signal: WireUnit,
    /// Clock nets; as signal nets when not given.
    pub clock: Option<WireUnit>,
}

/// Resistance and capacitance per µm.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WireUnit {
    /// kΩ/µm.
    pub r: f64,
    /// pF/µm.
    pub c: f64,
}

impl Bundle {
    /// Reads a `design.toml`; a folder stands for the `design.toml` in it.
    ///
    /// # Errors
    /// The file cannot be read, is no TOML, or has a field that is unknown or of the wrong kind.
    pub fn read(path: &Path) -> Result<Bundle, FormatError> {
        let file = if path.is_dir() { path.join("design.toml") } else { path.to_owned() };
        let source = open(&file)?;
        let mut bundle: Bundle = toml::from_str(source.text()).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            source.error(
                at,
                error.message().to_owned(),
                "see the README for the fields of a bundle",
            )
        })?;
        let whole =
            |message: &str, hint: &str| Err(FormatError::whole_file(source.name(), message, hint));
        if bundle.name.is_empty() || bundle.tech.is_empty() {
            return whole(
                "name and tech must not be empty",
                "give the design and its technology a name",
            );
        }
        if bundle.verilog.is_empty() && bundle.def.is_none() {
            return whole("no netlist", "name at least one verilog file or a def file");
        }
        // Far above anything that conducts, and far below what would leave the range of numbers.
        let range = 0.0..=1e3;
        let bad = |unit: &WireUnit| !(range.contains(&unit.r) && range.contains(&unit.c));
        if let Some(wire) = &bundle.wire
            && (bad(&wire.signal) || wire.clock.as_ref().is_some_and(bad))
        {
            return whole(
                "resistance or capacitance of wires is out of range",
                "give kΩ/µm and pF/µm, from 0 to 1000",
            );
        }
        for (index, corner) in bundle.corner.iter().enumerate() {
            if bundle.corner[..index].iter().any(|other| other.name == corner.name) {
                return whole(
                    &format!("corner `{}` stands twice", corner.name),
                    "name each corner once",
                );
            }
        }
        bundle.folder = file.parent().map(Path::to_owned).unwrap_or_default();
        bundle.file = file;
        Ok(bundle)
    }

    /// The bundle as the text of a `design.toml`.
    pub fn to_toml(&self) -> String {
        // Plain strings, lists and numbers always have a TOML form.
        toml::to_string(self).unwrap_or_default()
    }

    /// Top module.
    pub fn top(&self) -> &str {
        self.top.as_deref().unwrap_or(&self.name)
    }

    /// A file of the bundle as a path that can be opened.
    pub fn path(&self, file: &Path) -> PathBuf {
        self.folder.join(file)
    }
}
