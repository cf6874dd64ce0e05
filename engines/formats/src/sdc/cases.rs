//! The corpus for tests: its folder, and designs of its timing cases.

use std::path::{Path, PathBuf};

use cellwright_db::Design;

use crate::bundle::{Bundle, CornerFiles};
use crate::load::load;

/// The corpus, when it is there.
pub(crate) fn corpus() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("CELLWRIGHT_CORPUS").map_or(here, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: corpus not found at {}", folder.display());
    None
}

/// Whether a test run takes a case: those that are quick, all with `CELLWRIGHT_ALL=1`, or those
/// that `CELLWRIGHT_CASES=a,b` names.
pub(crate) fn chosen(name: &str) -> bool {
    const SLOW: &[&str] =
        &["jpeg_gf180", "ibex", "mockarray", "tinyRocket", "aes", "tau_ac97", "dynamic"];
    match std::env::var("CELLWRIGHT_CASES") {
        Ok(list) => list.split(',').any(|case| case == name),
        Err(_) => {
            std::env::var_os("CELLWRIGHT_ALL").is_some()
                || !SLOW.iter().any(|slow| name.contains(slow))
        }
    }
}

/// Files below a folder whose name has one of the endings, sorted.
pub(crate) fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A timing case: its design, and the SPEF files with the instances that they describe.
pub(crate) struct Case {
    pub(crate) design: Design,
    pub(crate) spef: Vec<(PathBuf, String)>,
}

/// Loads what a case's script reads.
pub(crate) fn case(folder: &Path) -> Case {
    let text = std::fs::read_to_string(folder.join("golden.tcl")).unwrap();
    let mut corner = CornerFiles { name: "typ".into(), ..CornerFiles::default() };
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let (mut verilog, mut top, mut spef) = (vec![], None, vec![]);
    for line in text.lines() {
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["read_liberty", "-max", file] => corner.liberty_late.push(file.into()),
            ["read_liberty", "-min", file] => corner.liberty_early.push(file.into()),
            ["read_liberty", .., file] => corner.liberty.push(file.into()),
            ["read_verilog", file] => verilog.push(file.into()),
            ["link_design", name] => top = Some((*name).to_owned()),
            ["read_spef", file] => spef.push((folder.join(file), String::new())),
            ["if", ..] if folder.join("syn.spef.gz").exists() => {
                spef.push((folder.join("syn.spef.gz"), String::new()));
            }
            _ => {}
        }
    }
    if text.contains("read_spef -path ces_") {
        for cell in 0..16 {
            let path = format!("ces_{}_{}", cell / 4, cell % 4);
            spef.push((folder.join("Element.spef.gz"), path));
        }
    }
    let bundle = Bundle {
        name,
        tech: "any".into(),
        top,
        lef: vec![],
        verilog,
        def: None,
        sdc: vec![],
        corner: vec![corner],
        wire: None,
        folder: folder.to_owned(),
        file: folder.join("golden.tcl"),
    };
    let loaded = load(bundle).unwrap();
    Case { design: Design::new(&loaded.snapshot), spef }
}
