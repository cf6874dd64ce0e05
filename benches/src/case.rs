//! Timing cases: folders with a `golden.tcl` that names the files, as the corpus has them.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cellwright_db::{CellId, Design, MasterId};
use cellwright_formats::bundle::{Bundle, CornerFiles};
use cellwright_formats::load::{constraints, load, parasitics};
use cellwright_sta::constraints::Constraints;
use cellwright_sta::parasitics::{Annotated, Parasitics};

/// A timing case, read.
#[derive(Debug)]
pub struct Case {
    /// The folder's name.
    pub name: String,
    /// The netlist.
    pub design: Design,
    /// The constraints.
    pub constraints: Arc<Constraints>,
    /// The wires.
    pub parasitics: Parasitics,
    /// The resizes of `swaps.txt`, in order.
    pub swaps: Vec<(CellId, MasterId)>,
}

/// The cases of a corpus that have resizes to time: `$CELLWRIGHT_CORPUS/timing`, or the corpus
/// beside the repository.
pub fn cases() -> Vec<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let corpus = std::env::var_os("CELLWRIGHT_CORPUS").map_or(beside, PathBuf::from);
    let Ok(entries) = std::fs::read_dir(corpus.join("timing")) else { return Vec::new() };
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| p.join("swaps.txt").is_file()).collect();
    folders.sort();
    folders
}

/// The commands of a case's script that read files, without what it dumps.
///
/// # Errors
/// The script cannot be read.
pub fn reading(folder: &Path) -> Result<String, Box<dyn Error>> {
    let text = std::fs::read_to_string(folder.join("golden.tcl"))?;
    let dumps = |line: &str| line.starts_with("source ") || line.starts_with("golden_dump");
    Ok(text.lines().filter(|line| !dumps(line)).map(|line| format!("{line}\n")).collect())
}

impl Case {
    /// Reads what the script of `folder` names.
    ///
    /// # Errors
    /// A file cannot be read, or the script names a cell or master that is not there.
    pub fn read(folder: &Path) -> Result<Case, Box<dyn Error>> {
        let folder = folder.canonicalize()?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut corner = CornerFiles {
            name: "typ".into(),
            liberty: vec![],
            liberty_early: vec![],
            liberty_late: vec![],
            spef: None,
            spef_of: Default::default(),
        };
        let (mut verilog, mut top, mut sdc): (Vec<PathBuf>, _, Vec<PathBuf>) =
            (vec![], None, vec![]);
        for line in reading(&folder)?.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["read_liberty", "-max", file] => corner.liberty_late.push(file.into()),
                ["read_liberty", "-min", file] => corner.liberty_early.push(file.into()),
                ["read_liberty", file] => corner.liberty.push(file.into()),
                ["read_verilog", file] => verilog.push(file.into()),
                ["read_sdc", file] => sdc.push(file.into()),
                ["link_design", name] => top = Some((*name).to_owned()),
                ["read_spef", file] => corner.spef = Some(file.into()),
                ["if", ..] if folder.join("syn.spef.gz").exists() => {
                    corner.spef = Some("syn.spef.gz".into());
                }
                _ => {}
            }
        }
        let files = corner.clone();
        let loaded = load(Bundle {
            name: name.clone(),
            tech: "any".into(),
            top,
            lef: vec![],
            verilog,
            def: None,
            sdc,
            corner: vec![corner],
            wire: None,
            file: folder.join("golden.tcl"),
            folder: folder.clone(),
        })?;
        let design = Design::new(&loaded.snapshot);
        let constraints = Arc::new(constraints(&loaded, &design)?);
        let parasitics = if files.spef.is_some() {
            let (nets, ..) = parasitics(&loaded, &design, &files)?;
            Parasitics::Annotated(Annotated::new(nets).into())
        } else {
            Parasitics::None
        };
        let mut swaps = Vec::new();
        for line in std::fs::read_to_string(folder.join("swaps.txt")).unwrap_or_default().lines() {
            let mut words = line.split_whitespace();
            let (Some(cell), Some(_), Some(to)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            let found = design.find_cell(cell).zip(design.library().master(to));
            swaps.push(found.ok_or_else(|| format!("{name}: no cell {cell} or no master {to}"))?);
        }
        Ok(Case { name, design, constraints, parasitics, swaps })
    }
}
