//! The house is guarded: no crate imports what the table in ARCHITECTURE.md does not allow it, and
//! the lints that keep results the same everywhere stay on.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn manifest(path: &Path) -> toml::Table {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Rows `| room | crate | may import |` between the two markers in ARCHITECTURE.md.
fn allowed() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let table = text.split("<!-- imports -->").nth(1).expect("the import table");
    let mut rows = BTreeMap::new();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`').to_owned();
        let list = cells[2].split(',').map(|word| word.trim().trim_matches('`').to_owned());
        let list: Vec<String> = list.filter(|word| word != "nothing of ours").collect();
        assert!(rows.insert(name, list).is_none(), "a crate stands twice in the table");
    }
    rows
}

#[test]
fn every_import_is_allowed_by_the_table() {
    let workspace = manifest(&root().join("Cargo.toml"));
    let members = workspace["workspace"]["members"].as_array().unwrap();
    let mut manifests = vec![workspace.clone()];
    for member in members {
        manifests.push(manifest(&root().join(member.as_str().unwrap()).join("Cargo.toml")));
    }
    let allowed = allowed();
    let mut seen = Vec::new();
    for manifest in &manifests {
        let name = manifest["package"]["name"].as_str().unwrap().to_owned();
        let list = allowed
            .get(&name)
            .unwrap_or_else(|| panic!("{name} is not in ARCHITECTURE.md's import table"));
        for section in ["dependencies", "build-dependencies"] {
            let Some(dependencies) = manifest.get(section).and_then(|s| s.as_table()) else {
                continue;
            };
            for dependency in dependencies.keys().filter(|name| name.starts_with("cellwright")) {
                assert!(
                    list.contains(dependency) || list.contains(&"all".to_owned()),
                    "{name} imports {dependency}; ARCHITECTURE.md's table does not allow that arrow"
                );
            }
        }
        seen.push(name);
    }
    for name in allowed.keys() {
        assert!(seen.contains(name), "ARCHITECTURE.md's import table lists {name}, which is gone");
    }
}

#[test]
fn every_crate_keeps_the_workspace_lints() {
    let workspace = manifest(&root().join("Cargo.toml"));
    let lints = &workspace["workspace"]["lints"];
    assert_eq!(lints["rust"]["unsafe_code"].as_str(), Some("forbid"));
    for lint in [
        "iter_over_hash_type",
        "print_stdout",
        "print_stderr",
        "unwrap_used",
        "expect_used",
        "panic",
    ] {
        assert_eq!(lints["clippy"][lint].as_str(), Some("warn"), "{lint} must stay on");
    }
    let members = workspace["workspace"]["members"].as_array().unwrap();
    for member in members {
        let manifest = manifest(&root().join(member.as_str().unwrap()).join("Cargo.toml"));
        assert_eq!(manifest["lints"]["workspace"].as_bool(), Some(true), "{member}");
    }
    let clippy = fs::read_to_string(root().join("clippy.toml")).unwrap();
    for method in ["sum", "product", "reduce"] {
        let path = format!("rayon::iter::ParallelIterator::{method}");
        assert!(clippy.contains(&path), "{path} must stay disallowed");
    }
}

/// The few places that print are the command line's own; everything else returns values.
#[test]
fn only_the_command_line_prints() {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, files);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    for room in ["engines", "agent-api", "evaluator", "designs/src"] {
        walk(&root().join(room), &mut files);
    }
    files.retain(|path| path.components().any(|c| c.as_os_str() == "src"));
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        for allow in ["allow(clippy::print_stdout", "allow(clippy::print_stderr"] {
            assert!(!text.contains(allow), "{}: printing is the command line's", path.display());
        }
    }
}
