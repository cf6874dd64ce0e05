//! Runs the package's own tests: `pytest` in the Python that `CELLWRIGHT_PYTHON` names (default
//! `python3`), on the module that this build made. Says that it skipped where that Python is older
//! than 3.10 or lacks `pytest` or `numpy`; tests of optional packages say so themselves.

// Helpers of tests may fail as tests do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn python() -> String {
    env::var("CELLWRIGHT_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// Whether Python runs this script without an error.
fn runs(script: &str) -> bool {
    let done = Command::new(python()).args(["-c", script]).output();
    done.is_ok_and(|done| done.status.success())
}

/// The module as cargo built it: beside this test's binary or one folder up.
fn module() -> PathBuf {
    let name = format!("{}cellwright_native{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let binary = env::current_exe().unwrap();
    let mut folders = binary.ancestors().skip(1).take(2);
    let found = folders.find_map(|folder| Some(folder.join(&name)).filter(|file| file.exists()));
    found.unwrap_or_else(|| panic!("{name} is not beside {}", binary.display()))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn the_package_keeps_its_promises() {
    if !runs("import sys; assert sys.version_info >= (3, 10); import pytest, numpy") {
        println!("skipped: `{}` is no Python 3.10 or newer with pytest and numpy", python());
        return;
    }
    let room = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = env::temp_dir().join(format!("cellwright-python-{}", std::process::id()));
    let package = folder.join("cellwright");
    copy(&room.join("cellwright"), &package);
    // Windows loads extension modules by their own suffix; elsewhere the stable ABI has this one.
    let suffix = if cfg!(windows) { "pyd" } else { "abi3.so" };
    fs::copy(module(), package.join(format!("_native.{suffix}"))).unwrap();
    let done = Command::new(python())
        .args(["-m", "pytest", "-p", "no:cacheprovider", "-rs"])
        .arg(room.join("tests"))
        .current_dir(&folder)
        .env("PYTHONPATH", &folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    println!("{said}");
    assert!(
        done.status.success(),
        "pytest failed:\n{said}\n{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

/// `pip install` from the sources, as the README says; slow, since it builds a release.
#[test]
fn the_package_installs_from_its_sources() {
    if env::var_os("CELLWRIGHT_ALL").is_none() {
        println!("skipped: set CELLWRIGHT_ALL=1 to build and install the package with pip");
        return;
    }
    let room = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = env::temp_dir().join(format!("cellwright-venv-{}", std::process::id()));
    let ok = |program: &Path, arguments: &[&str]| {
        let done = Command::new(program).args(arguments).current_dir("/").status().unwrap();
        assert!(done.success(), "{} {arguments:?}", program.display());
    };
    ok(Path::new(&python()), &["-m", "venv", folder.to_str().unwrap()]);
    let inside = folder.join("bin/python");
    ok(&inside, &["-m", "pip", "install", "--quiet", room.to_str().unwrap()]);
    ok(&inside, &["-c", "import cellwright; print(cellwright.__version__)"]);
    fs::remove_dir_all(&folder).unwrap();
}
