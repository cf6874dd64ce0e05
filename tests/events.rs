//! Events of commands stream as they happen, and the envelope collects them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers may panic")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cellwright_contract::event::{Event, Severity};
use cellwright_contract::validate::Validate;
use cellwright_designs::{Spec, write_bundle};
use serde_json::Value;

struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("cellwright-events-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn cellwright() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cellwright"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The whole lines of a file that is being written.
fn lines(path: &PathBuf) -> Vec<Event> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn events_of_a_long_run_stream_as_they_happen() {
    let folder = Folder::new("run");
    let design = write_bundle(&folder.0.join("design"), &Spec::preset("tiny").unwrap()).unwrap();
    let events = folder.0.join("events.jsonl");
    let key = folder.0.join("key");
    assert!(cellwright().args(["key", "new"]).arg(&key).status().unwrap().success());
    let mut child = cellwright()
        .arg("run")
        .arg("--design")
        .arg(&design)
        .arg("--out")
        .arg(folder.0.join("run"))
        .args(["--seconds", "600", "--key"])
        .arg(&key)
        .arg("--events")
        .arg(&events)
        .spawn()
        .unwrap();
    let start = Instant::now();
    // Long before the run's end there are events to read.
    while lines(&events).len() < 3 && start.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    let told = lines(&events);
    assert!(running, "the run was over before its events were seen");
    assert!(told.len() >= 3, "{told:?}");
    for event in &told {
        event.validate().unwrap();
        assert_eq!((event.tool.as_str(), event.severity), ("cw.run", Severity::Info));
        assert_eq!(event.stage.as_deref(), Some("optimise"));
    }
    assert!(told.is_sorted_by(|a, b| a.step_index < b.step_index && a.ts_ms <= b.ts_ms));
}

#[test]
fn the_envelope_collects_what_was_streamed() {
    let folder = Folder::new("envelope");
    let design = write_bundle(&folder.0.join("design"), &Spec::preset("tiny").unwrap()).unwrap();
    let (events, answer) = (folder.0.join("events.jsonl"), folder.0.join("answer.json"));
    let run = |arguments: &[&str]| {
        let status = cellwright()
            .args(arguments)
            .arg("--events")
            .arg(&events)
            .arg("--json")
            .arg(&answer)
            .status()
            .unwrap();
        let envelope: Value = serde_json::from_slice(&fs::read(&answer).unwrap()).unwrap();
        (status.code(), envelope, lines(&events))
    };
    let design = design.display().to_string();
    for arguments in [vec!["sta", &design], vec!["sta", "nowhere.toml"]] {
        let (code, envelope, told) = run(&arguments);
        let kept: Vec<Event> = match &envelope["logs"] {
            Value::Null => Vec::new(),
            logs => serde_json::from_value(logs["events"].clone()).unwrap(),
        };
        assert_eq!(kept, told, "{arguments:?}");
        if code == Some(0) {
            assert!(told.iter().all(|event| event.severity < Severity::Error));
        } else {
            assert_eq!(told.last().unwrap().severity, Severity::Error);
            assert_eq!(told.last().unwrap().raw_msg, envelope["error"]["message"]);
        }
    }
}

#[test]
fn a_stream_that_cannot_be_made_stops_the_command_before_its_work() {
    let folder = Folder::new("refused");
    let out = folder.0.join("out");
    let status = cellwright()
        .args(["demo", "--out"])
        .arg(&out)
        .arg("--events")
        .arg(folder.0.join("no/such/folder/events.jsonl"))
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(2));
    assert!(!out.exists());
}
