//! `cellwright place` as users of placers call it: a bundle or files by name, stages, JSON out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cellwright_designs::{Spec, write_bundle};
use cellwright_formats::bundle::Bundle;
use serde_json::Value;

struct Home {
    folder: PathBuf,
    bundle: Bundle,
}

impl Home {
    fn new(test: &str) -> Home {
        let folder =
            std::env::temp_dir().join(format!("cellwright-place-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let file = write_bundle(&folder, &Spec::preset("tiny").unwrap()).unwrap();
        Home { bundle: Bundle::read(&file).unwrap(), folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn lef(&self) -> Vec<String> {
        let shown = |path: &PathBuf| self.bundle.path(path).display().to_string();
        self.bundle.lef.iter().map(shown).collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn place<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cellwright")).arg("place").args(arguments).output().unwrap()
}

fn value(output: &Output, code: i32) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    let envelope: Value = serde_json::from_slice(&output.stdout).unwrap();
    envelope["result"]["value"].clone()
}

fn stages(value: &Value) -> Vec<&str> {
    value["stages"].as_array().unwrap().iter().map(|s| s["stage"].as_str().unwrap()).collect()
}

#[test]
fn a_bundle_then_its_def_by_name_stage_by_stage() {
    let home = Home::new("stages");
    let folder = home.bundle.folder.display().to_string();
    let first = home.path("first.def");
    let svg = home.path("first.svg");
    let whole = value(&place(&[&folder, "--out", &first, "--svg", &svg, "--json", "-"]), 0);
    assert_eq!(stages(&whole), ["global", "legalize", "detailed"]);
    assert_eq!((&whole["legal"], &whole["violations"]), (&true.into(), &0.into()));
    assert!(fs::read_to_string(&svg).unwrap().contains("<svg"));
    let length = |value: &Value| value["hpwl_um"].as_f64().unwrap();
    assert_eq!(length(&whole), length(&whole["stages"][2]));

    let only = |stage: &str, from: &str, out: &str| {
        let mut list = vec!["--lef".to_owned()];
        list.extend(home.lef());
        for word in ["--def", from, "--only", stage, "--out", out, "--json"] {
            list.push(word.to_owned());
        }
        place(&list)
    };
    let second = home.path("second.def");
    let better = value(&only("detailed", &first, &second), 0);
    assert_eq!(stages(&better), ["detailed"]);
    assert!(length(&better) <= length(&whole) && better["legal"] == true);
    let third = home.path("third.def");
    let still = value(&only("legalize", &second, &third), 0);
    assert_eq!((stages(&still), length(&still)), (vec!["legalize"], length(&better)));
    // A global placement may overlap, and says so without failing.
    let spread = value(&only("global", &first, &home.path("spread.def")), 0);
    assert_eq!(stages(&spread), ["global"]);
}

#[test]
fn timing_driven_is_never_later() {
    let home = Home::new("timing");
    let folder = home.bundle.folder.display().to_string();
    let out = home.path("out.def");
    let found = value(&place(&[&folder, "--timing-driven", "--out", &out, "--json"]), 0);
    let tns = |which: &str| found["timing"][which]["tns_ns"].as_f64().unwrap();
    assert!(tns("with") >= tns("without"));
    assert_eq!(found["legal"], true);
}

#[test]
fn what_cannot_be_placed_is_said() {
    let home = Home::new("errors");
    let out = home.path("out.def");
    let def = home.bundle.path(home.bundle.def.as_deref().unwrap()).display().to_string();
    let lef = home.lef();
    let timing: Vec<&str> =
        ["--def", &def, "--timing-driven", "--out", &out, "--lef"].into_iter().collect();
    let timing: Vec<&str> = timing.into_iter().chain(lef.iter().map(String::as_str)).collect();
    for (arguments, expected) in [
        (vec!["--out", &out], "--lef"),
        (vec!["/nowhere", "--out", &out], "/nowhere"),
        (timing, "--liberty"),
    ] {
        let output = place(&arguments);
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(expected), "{arguments:?}: {text}");
        assert!(!Path::new(&out).exists(), "nothing is left behind");
    }
}

#[test]
fn a_bookshelf_case_and_its_picture() {
    let home = Home::new("bookshelf");
    let file = |name: &str, text: &str| fs::write(home.path(name), text).unwrap();
    let mut nodes = "UCLA nodes 1.0\nNumNodes : 62\nNumTerminals : 2\n".to_owned();
    let mut nets = "UCLA nets 1.0\nNumNets : 61\nNumPins : 122\n".to_owned();
    let mut pl = "UCLA pl 1.0\n".to_owned();
    for i in 0..60 {
        nodes += &format!("c{i} {} 10\n", 2 + i % 3);
        pl += &format!("c{i} 0 0 : N\n");
    }
    nodes += "block 20 20 terminal\npad 0 0 terminal\n";
    pl += "block 20 20 : N /FIXED\npad -5 30 : N /FIXED\n";
    for i in 0..59 {
        nets += &format!("NetDegree : 2 n{i}\n c{i} O : 0.5 0\n c{} I : -0.5 1\n", i + 1);
    }
    nets += "NetDegree : 2 first\n pad O\n c0 I\nNetDegree : 2 last\n c59 O\n block I : 3 3\n";
    let rows: String = (0..6)
        .map(|row| {
            let y = row * 10;
            format!("CoreRow Horizontal\n Coordinate : {y}\n Height : 10\n Sitewidth : 1\n Sitespacing : 1\n SubrowOrigin : 0 NumSites : 60\nEnd\n")
        })
        .collect();
    file("c.nodes", &nodes);
    file("c.nets", &nets);
    file("c.pl", &pl);
    file("c.scl", &format!("UCLA scl 1.0\nNumRows : 6\n{rows}"));
    file("c.aux", "RowBasedPlacement : c.nodes c.nets c.pl c.scl\n");
    let (aux, out, png) = (home.path("c.aux"), home.path("out.pl"), home.path("out.png"));
    let run = |from: &str, more: &[&str]| {
        let list = [&["--bookshelf", from, "--out", &out, "--json"], more].concat();
        value(&place(&list), 0)
    };
    let whole = run(&aux, &["--png", &png]);
    assert_eq!((&whole["legal"], &whole["cells"]), (&true.into(), &60.into()));
    assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    let placed = fs::read_to_string(&out).unwrap();
    assert!(placed.contains("\nblock 20 20 : N /FIXED\npad -5 30 : N /FIXED\n"));
    // The outcome is a case again: nothing to gain but what a second refinement gains, and legal.
    fs::copy(&out, home.path("c.pl")).unwrap();
    let again = run(&aux, &["--only", "detailed"]);
    assert_eq!(again["legal"], true);
    assert!(again["hpwl_um"].as_f64() <= whole["hpwl_um"].as_f64());
    // A broken file is told with its line.
    file("c.pl", "UCLA pl 1.0\nghost 1 2 : N\n");
    let output = place(&["--bookshelf", &aux, "--out", &out]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() != Some(0) && told.contains("`ghost` is no node"), "{told}");
}
