//! `cellwright sta` as users of timers call it: files by name, JSON out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cellwright_designs::{Spec, write_bundle};
use cellwright_formats::bundle::Bundle;
use serde_json::Value;

struct Files {
    folder: PathBuf,
    bundle: Bundle,
}

impl Files {
    fn new(test: &str) -> Files {
        let folder =
            std::env::temp_dir().join(format!("cellwright-timer-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let file = write_bundle(&folder, &Spec::preset("tiny").unwrap()).unwrap();
        let bundle = Bundle::read(&file).unwrap();
        Files { folder, bundle }
    }

    fn path(&self, file: &Path) -> String {
        self.bundle.path(file).display().to_string()
    }

    /// The files one by one, with the first SDC file or another.
    fn arguments(&self, sdc: Option<&Path>) -> Vec<String> {
        let mut list = vec!["--verilog".to_owned(), self.path(&self.bundle.verilog[0])];
        list.extend(["--top".to_owned(), self.bundle.top().to_owned(), "--sdc".to_owned()]);
        list.push(sdc.map_or_else(|| self.path(&self.bundle.sdc[0]), |p| p.display().to_string()));
        list
    }

    fn liberty(&self) -> String {
        self.path(&self.bundle.corner[0].liberty[0])
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn cellwright<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cellwright")).args(arguments).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn sta(files: &Files, sdc: Option<&Path>, more: &[&str]) -> Output {
    let mut list = vec!["sta".to_owned()];
    list.extend(files.arguments(sdc));
    list.extend(more.iter().map(|word| (*word).to_owned()));
    cellwright(&list)
}

#[test]
fn json_says_what_the_table_says() {
    let files = Files::new("json");
    let liberty = files.liberty();
    let output = sta(&files, None, &["--liberty", &liberty, "--json", "-", "--pins"]);
    assert_eq!(output.status.code(), Some(0));
    let envelope = json(&output);
    assert_eq!(envelope["status"], "ok");
    let value = &envelope["result"]["value"];
    assert_eq!(value["units"]["time"], "1ns");
    assert_eq!(value["not_supported"], serde_json::json!([]));
    for side in ["setup", "hold"] {
        let ends = value[side]["endpoints"].as_array().unwrap();
        let slacks: Vec<f64> = ends.iter().map(|end| end["slack"].as_f64().unwrap()).collect();
        assert!(slacks.len() > 50 && slacks.is_sorted());
        assert_eq!(value[side]["worst_slack"].as_f64(), slacks.first().copied());
        let negative: f64 = slacks.iter().filter(|slack| **slack < 0.0).sum();
        assert!((value[side]["tns"].as_f64().unwrap() - negative).abs() < 1e-9);
        assert_eq!(value[side]["wns"].as_f64().unwrap(), slacks[0].min(0.0));
        for end in ends {
            let sign = if side == "setup" { 1.0 } else { -1.0 };
            let number = |name: &str| end[name].as_f64().unwrap();
            let slack = sign * (number("required") - number("arrival"));
            assert!((slack - number("slack")).abs() < 1e-6, "{end}");
        }
        // The worst endpoint's pin has the same slack in the list of pins.
        let pins = value["pins"].as_array().unwrap();
        let pin = pins.iter().find(|pin| pin["pin"] == ends[0]["pin"]).unwrap();
        let short = if side == "setup" { "max" } else { "min" };
        let edges = ["rise", "fall"].map(|edge| pin["slack"][format!("{short}_{edge}")].as_f64());
        let worst = edges.into_iter().flatten().fold(f64::INFINITY, f64::min);
        // A pin's required time is kept in single precision, an endpoint's is not.
        assert!((worst - slacks[0]).abs() < 1e-6);
    }
    let met = value["setup"]["wns"] == 0.0 && value["hold"]["wns"] == 0.0;
    assert_eq!(value["met"], met);
    assert_eq!(envelope["engineering"]["status"], if met { "pass" } else { "fail" });

    // The same design as a bundle with no wires says the same; one side alone says only that side.
    let one = sta(&files, None, &["--liberty", &liberty, "--report", "hold", "--json"]);
    let one = json(&one);
    assert!(one["result"]["value"].get("setup").is_none());
    assert_eq!(one["result"]["value"]["hold"], value["hold"]);
}

#[test]
fn corners_and_early_and_late_libraries() {
    let files = Files::new("corners");
    let liberty = files.liberty();
    let value = |more: &[&str]| {
        let mut all = more.to_vec();
        all.extend(["--json", "-"]);
        json(&sta(&files, None, &all))["result"]["value"].clone()
    };
    let one = value(&["--liberty", &liberty]);
    assert_eq!(one, value(&["--liberty-min", &liberty, "--liberty-max", &liberty]));
    assert_eq!(one, value(&["--corner", &format!("typ:{liberty}")]));

    // A slower copy of the library: every number of its tables doubled.
    let text = fs::read_to_string(&liberty).unwrap();
    let slow = files.folder.join("slow.lib");
    let slower = text.replace("time_unit : \"1ns\"", "time_unit : \"2ns\"");
    assert_ne!(slower, text, "the library states its time unit");
    fs::write(&slow, slower).unwrap();
    let slow = slow.display().to_string();
    let both = value(&["--corner", &format!("typ:{liberty}"), &format!("slow:{slow}")]);
    let alone = value(&["--liberty", &slow]);
    let setup = |value: &Value| value["setup"]["worst_slack"].as_f64().unwrap();
    // The units of the first library hold: 1 ns here, 2 ns where the slow one stands alone.
    assert!(setup(&both) < setup(&one));
    assert_eq!(alone["units"]["time"], "2ns");
    let endpoints = |value: &Value| value["setup"]["endpoints"].as_array().unwrap().len();
    assert_eq!(endpoints(&both), endpoints(&one));
}

#[test]
fn what_is_not_supported_makes_the_verdict_unknown() {
    let files = Files::new("unknown");
    let sdc = files.folder.join("more.sdc");
    let mut text = fs::read_to_string(files.path(&files.bundle.sdc[0])).unwrap();
    text += "\nset_drive 0.5 [all_inputs]\n";
    fs::write(&sdc, text).unwrap();
    let output = sta(&files, Some(&sdc), &["--liberty", &files.liberty(), "--json"]);
    assert_eq!(output.status.code(), Some(3));
    let envelope = json(&output);
    assert_eq!(envelope["status"], "ok");
    assert_eq!(envelope["engineering"]["status"], "unknown");
    assert_eq!(envelope["result"]["value"]["met"], Value::Null);
    let open = envelope["result"]["value"]["not_supported"].as_array().unwrap();
    assert!(open.iter().any(|text| text.as_str().unwrap().contains("set_drive")), "{open:?}");
}

#[test]
fn the_worst_paths_through_a_pin_are_listed() {
    let files = Files::new("through");
    let liberty = files.liberty();
    let all = json(&sta(&files, None, &["--liberty", &liberty, "--json", "-"]));
    let worst = &all["result"]["value"]["setup"]["endpoints"][0];
    let end = worst["pin"].as_str().unwrap();
    let more = ["--liberty", &liberty, "--json", "-", "--through", end, "--paths", "5"];
    let value = &json(&sta(&files, None, &more))["result"]["value"];
    let paths = value["through"]["setup"].as_array().unwrap();
    let slack = |path: &Value| path["slack"].as_f64().unwrap();
    assert_eq!(paths.len(), 5);
    assert!((slack(&paths[0]) - slack(worst)).abs() < 1e-6);
    assert!(paths.is_sorted_by(|a, b| slack(a) <= slack(b)));
    for path in paths {
        assert_eq!(path["endpoint"], end);
        assert_eq!(path["pins"].as_array().unwrap().last().unwrap()["pin"], end);
    }
    let output = sta(&files, None, &["--liberty", &liberty, "--through", "nowhere/A"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nowhere/A"));
}

#[test]
fn what_cannot_be_used_is_said() {
    let files = Files::new("errors");
    let liberty = files.liberty();
    let bad = files.folder.join("bad.sdc");
    fs::write(&bad, "create_clock -period 1 [get_ports clk]\nset_frobnication 1\n").unwrap();
    let cases: [(Option<&Path>, Vec<&str>, &str); 6] = [
        (None, vec![], "--liberty"),
        (None, vec!["--liberty", "/nowhere/x.lib"], "/nowhere/x.lib"),
        (None, vec!["--corner", "x.lib"], "NAME:FILE"),
        (None, vec!["--liberty", &liberty, "--spef-path", "x.spef"], "INSTANCE=FILE"),
        (None, vec!["--liberty", &liberty, "--spef", "/nowhere/x.spef"], "/nowhere/x.spef"),
        (Some(&bad), vec!["--liberty", &liberty], "bad.sdc:2"),
    ];
    for (sdc, mut more, expected) in cases {
        more.extend(["--json", "-"]);
        let output = sta(&files, sdc, &more);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        let envelope = json(&output);
        assert_eq!(envelope["status"], "error");
        assert_eq!(envelope["engineering"]["status"], "unknown");
        let message = envelope["error"]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{more:?}: {message}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(expected));
    }
    let neither = cellwright(&["sta"]);
    assert_eq!(neither.status.code(), Some(2));
    let both = cellwright(&["sta", "design.toml", "--top", "x"]);
    assert!(String::from_utf8_lossy(&both.stderr).contains("not both"));
}

#[test]
fn spef_of_a_bundle_comes_back() {
    let files = Files::new("spef");
    let folder = files.bundle.folder.display().to_string();
    let out = files.folder.join("out.spef");
    let out = out.display().to_string();
    let output = cellwright(&["write-spef", &folder, "--out", &out, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let envelope = json(&output);
    assert!(envelope["result"]["value"]["nets"].as_u64().unwrap() > 100);
    let text = fs::read(&out).unwrap();
    let hash = envelope["artifacts"][0]["hash"].as_str().unwrap();
    assert_eq!(hash, format!("blake3:{}", blake3::hash(&text).to_hex()));
    let ends = |output: &Output| json(output)["result"]["value"]["setup"]["endpoints"].clone();
    let there = cellwright(&["sta", &folder, "--json"]);
    let back = sta(&files, None, &["--liberty", &files.liberty(), "--spef", &out, "--json"]);
    assert_eq!(ends(&there), ends(&back));
}
