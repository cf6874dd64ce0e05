//! Files named one by one instead of a bundle, as users of timers do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cellwright_formats::bundle::{Bundle, CornerFiles};
use clap::Args;

use crate::failure::Failure;

/// The files of a design.
#[derive(Debug, Args)]
pub(crate) struct Files {
    /// Liberty files for early and late analysis.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    liberty: Vec<PathBuf>,
    /// Liberty files for early (hold) analysis only.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    liberty_min: Vec<PathBuf>,
    /// Liberty files for late (setup) analysis only.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    liberty_max: Vec<PathBuf>,
    /// A corner with its own Liberty files; can be given several times.
    #[arg(long, num_args = 1.., value_name = "NAME:FILE")]
    corner: Vec<String>,
    /// Verilog netlists.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    verilog: Vec<PathBuf>,
    /// Top module.
    #[arg(long, value_name = "NAME")]
    top: Option<String>,
    /// Constraints, read in order.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    sdc: Vec<PathBuf>,
    /// Parasitics of the whole design.
    #[arg(long, value_name = "FILE")]
    spef: Option<PathBuf>,
    /// Parasitics of the module at an instance; can be given several times.
    #[arg(long, num_args = 1.., value_name = "INSTANCE=FILE")]
    spef_path: Vec<String>,
}

impl Files {
    /// Whether any file is named.
    pub(crate) fn any(&self) -> bool {
        let paths = [&self.liberty, &self.liberty_min, &self.liberty_max, &self.verilog, &self.sdc];
        paths.iter().any(|list| !list.is_empty())
            || !self.corner.is_empty()
            || !self.spef_path.is_empty()
            || self.top.is_some()
            || self.spef.is_some()
    }

    /// The same as a bundle that stands nowhere.
    pub(crate) fn bundle(&self) -> Result<Bundle, Failure> {
        let need = |missing: bool, what: &str| {
            if missing { Err(Failure::input(format!("{what}; or name a bundle"))) } else { Ok(()) }
        };
        need(self.verilog.is_empty(), "name the netlist with --verilog")?;
        need(self.sdc.is_empty(), "name the constraints with --sdc")?;
        let Some(top) = &self.top else {
            return Err(Failure::input("name the top module with --top; or name a bundle"));
        };
        Ok(Bundle {
            name: top.clone(),
            tech: "files".to_owned(),
            top: Some(top.clone()),
            verilog: self.verilog.clone(),
            sdc: self.sdc.clone(),
            corner: self.corners()?,
            ..Bundle::default()
        })
    }

    /// The corners: each with its own libraries and the common ones.
    fn corners(&self) -> Result<Vec<CornerFiles>, Failure> {
        let spef_of = self.spef_of()?;
        let corner = |name: &str, own: Vec<PathBuf>| CornerFiles {
            name: name.to_owned(),
            liberty: own.into_iter().chain(self.liberty.iter().cloned()).collect(),
            liberty_early: self.liberty_min.clone(),
            liberty_late: self.liberty_max.clone(),
            spef: self.spef.clone(),
            spef_of: spef_of.clone(),
        };
        let mut named: Vec<(&str, Vec<PathBuf>)> = Vec::new();
        let mut last: Option<usize> = None;
        for text in &self.corner {
            // `--corner ss:a.lib b.lib`: a file without a name belongs to the corner before it.
            let at = match (text.split_once(':'), last) {
                (Some((name, file)), _) if !name.is_empty() && !file.is_empty() => {
                    let at = named.iter().position(|(known, _)| *known == name);
                    let at = at.unwrap_or_else(|| {
                        named.push((name, Vec::new()));
                        named.len() - 1
                    });
                    named[at].1.push(file.into());
                    at
                }
                (None, Some(at)) => {
                    named[at].1.push(text.into());
                    at
                }
                _ => {
                    return Err(Failure::input(format!(
                        "--corner {text}: give NAME:FILE, such as ss:slow.lib"
                    )));
                }
            };
            last = Some(at);
        }
        if named.is_empty() {
            if self.liberty.is_empty()
                && (self.liberty_min.is_empty() || self.liberty_max.is_empty())
            {
                return Err(Failure::input(
                    "name the libraries with --liberty, with --liberty-min and --liberty-max, or \
                     with --corner",
                ));
            }
            return Ok(vec![corner("default", Vec::new())]);
        }
        Ok(named.into_iter().map(|(name, own)| corner(name, own)).collect())
    }

    fn spef_of(&self) -> Result<BTreeMap<String, PathBuf>, Failure> {
        let mut found = BTreeMap::new();
        for text in &self.spef_path {
            match text.split_once('=') {
                Some((instance, file)) if !instance.is_empty() && !file.is_empty() => {
                    if found.insert(instance.to_owned(), Path::new(file).to_owned()).is_some() {
                        return Err(Failure::input(format!(
                            "--spef-path {text}: `{instance}` stands twice"
                        )));
                    }
                }
                _ => {
                    return Err(Failure::input(format!(
                        "--spef-path {text}: give INSTANCE=FILE, such as u_core=core.spef"
                    )));
                }
            }
        }
        Ok(found)
    }
}
