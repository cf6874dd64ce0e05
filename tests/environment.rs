//! What commands read of their environment is declared, recorded and part of the fingerprint.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cellwright::environment::VARIABLES;
use cellwright_contract::envelope::{Envelope, input_hash};

/// The envelope of a command, which need not succeed: both ways carry the same provenance.
fn envelope(folder: &Path, variables: &[(&str, &str)]) -> Envelope {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cellwright"));
    command.args(["sta", "nowhere", "--json", "out.json"]).current_dir(folder);
    for variable in VARIABLES.iter().filter(|variable| variable.recorded) {
        command.env_remove(variable.name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    serde_json::from_slice(&fs::read(folder.join("out.json")).unwrap()).unwrap()
}

#[test]
fn the_declared_environment_is_recorded_and_hashed() {
    let folder = std::env::temp_dir().join(format!("cellwright-env-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let none = envelope(&folder, &[]);
    let one = envelope(&folder, &[("RAYON_NUM_THREADS", "1")]);
    let two = envelope(&folder, &[("RAYON_NUM_THREADS", "2")]);
    let other = envelope(
        &folder,
        &[("RAYON_NUM_THREADS", "2"), ("CELLWRIGHT_MCP_TOKEN", "secret"), ("OTHER", "x")],
    );
    fs::remove_dir_all(&folder).unwrap();
    let binary = fs::canonicalize(env!("CARGO_BIN_EXE_cellwright")).unwrap();
    assert!(none.provenance.env.is_empty());
    for (answer, threads) in [(&one, "1"), (&two, "2"), (&other, "2")] {
        let env = BTreeMap::from([("RAYON_NUM_THREADS".to_owned(), threads.to_owned())]);
        assert_eq!(answer.provenance.env, env);
        let args = answer.provenance.cmd.get(1..).unwrap();
        let again = input_hash(
            binary.to_str().unwrap(),
            &answer.tool_version,
            &answer.provenance.env,
            args,
        );
        assert_eq!(answer.input_hash, again);
    }
    assert!(none.input_hash != one.input_hash && one.input_hash != two.input_hash);
    assert_eq!(two.input_hash, other.input_hash, "what is not declared is no part of it");
}

fn sources(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            sources(&path, list);
        } else if name.ends_with(".rs")
            && !["tests.rs", "testing.rs", "cases.rs"].contains(&name.as_str())
        {
            list.push(path);
        }
    }
}

/// Names of the variables that a source reads; a constant's name is looked up in the same file.
fn read_by(text: &str) -> Vec<String> {
    let calls = ["env::var(", "env::var_os("].iter().flat_map(|call| text.split(call).skip(1));
    let named = calls.filter_map(|rest| {
        let argument = rest.split(')').next().unwrap().trim();
        if let Some(name) = argument.strip_prefix('"') {
            return Some(name.trim_end_matches('"').to_owned());
        }
        let constant = format!("const {argument}: &str = \"");
        let value = text.split(&constant).nth(1)?;
        Some(value.split('"').next().unwrap().to_owned())
    });
    named.collect()
}

#[test]
fn every_variable_that_a_source_reads_is_declared() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut list = Vec::new();
    sources(&root.join("src"), &mut list);
    for room in ["engines", "agent-api", "evaluator"] {
        for entry in fs::read_dir(root.join(room)).unwrap() {
            let folder = entry.unwrap().path().join("src");
            if folder.is_dir() {
                sources(&folder, &mut list);
            }
        }
    }
    let declared: BTreeSet<&str> = VARIABLES.iter().map(|variable| variable.name).collect();
    let mut seen = BTreeSet::new();
    for path in &list {
        for name in read_by(&fs::read_to_string(path).unwrap()) {
            assert!(declared.contains(name.as_str()), "{}: {name}", path.display());
            seen.insert(name);
        }
    }
    // The engines' thread pool reads its own; all others are found in our sources.
    let library = BTreeSet::from(["RAYON_NUM_THREADS".to_owned()]);
    let all: BTreeSet<String> = seen.union(&library).cloned().collect();
    assert_eq!(all, declared.iter().map(|name| (*name).to_owned()).collect());
}
