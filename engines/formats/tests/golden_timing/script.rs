//! A case's script as a bundle: which libraries, netlists, constraints and wires it names.

use std::path::Path;

use cellwright_formats::bundle::{Bundle, CornerFiles};
use cellwright_formats::text::open;

/// What the `golden.tcl` of a case reads.
pub(crate) fn bundle(folder: &Path, name: &str) -> Bundle {
    let text = open(folder.join("golden.tcl")).unwrap();
    let mut files = CornerFiles { name: "typ".into(), ..CornerFiles::default() };
    let (mut verilog, mut sdc, mut top) = (vec![], vec![], None);
    // Scenes name a library by the name that it gives itself.
    let mut scenes: Vec<(String, String)> = Vec::new();
    for line in text.text().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["read_liberty", "-max", file] => files.liberty_late.push(file.into()),
            ["read_liberty", "-min", file] => files.liberty_early.push(file.into()),
            ["read_liberty", file] => files.liberty.push(file.into()),
            ["read_verilog", file] => verilog.push(file.into()),
            ["link_design", name] => top = Some((*name).to_owned()),
            ["read_sdc", file] => sdc.push(file.into()),
            ["read_spef", file] => files.spef = Some(file.into()),
            ["define_scene", scene, "-liberty", library] => {
                scenes.push(((*scene).to_owned(), (*library).to_owned()));
            }
            ["if", ..] if folder.join("syn.spef.gz").exists() => {
                files.spef = Some("syn.spef.gz".into());
            }
            ["for", ..] if line.contains("read_spef -path ces_") => {
                for instance in 0..16 {
                    let (row, column) = (instance / 4, instance % 4);
                    files.spef_of.insert(format!("ces_{row}_{column}"), "Element.spef.gz".into());
                }
            }
            [first, ..] => assert!(
                ["#", "source", "golden_dump", "file", "foreach", "if"].contains(first),
                "{name}: the script does what this test does not know: {line}"
            ),
            [] => {}
        }
    }
    let corner = if scenes.is_empty() {
        vec![files]
    } else {
        scenes.into_iter().map(|(scene, library)| corner(folder, &files, scene, &library)).collect()
    };
    Bundle {
        name: name.into(),
        tech: "any".into(),
        top,
        lef: vec![],
        verilog,
        def: None,
        sdc,
        corner,
        wire: None,
        folder: folder.to_owned(),
        file: folder.join("golden.tcl"),
    }
}

/// The corner of a scene: the one library that calls itself so.
fn corner(folder: &Path, files: &CornerFiles, scene: String, library: &str) -> CornerFiles {
    let is = |path: &&std::path::PathBuf| {
        let source = open(folder.join(path)).unwrap();
        let head = source.text().lines().find(|line| line.trim_start().starts_with("library"));
        head.is_some_and(|line| {
            line.split(['(', ')']).nth(1).map(|name| name.trim().trim_matches('"')) == Some(library)
        })
    };
    let liberty = files.liberty.iter().filter(is).cloned().collect::<Vec<_>>();
    assert_eq!(liberty.len(), 1, "{library}");
    CornerFiles { name: scene, liberty, ..CornerFiles::default() }
}
