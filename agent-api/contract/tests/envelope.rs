//! `loom-result/1.1`, sentence by sentence: each test is a table of what a sentence says.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use cellwright_contract::capability::Assertion;
use cellwright_contract::envelope::{
    Artifact, ENVELOPE_INVALID, ENVELOPE_SCHEMA, Engineering, Envelope, EnvelopeError,
    EnvelopeProvenance, Logs, RunState, Verdict, content_hash, input_hash, verdict, workspace_path,
};
use cellwright_contract::event::{Event, Severity};
use cellwright_contract::gate::Maturity;
use cellwright_contract::refs::Digest;
use cellwright_contract::validate::Validate;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

fn assertion() -> Assertion {
    Assertion { id: "drc-clean".into(), field: "value.clean".into(), pass_when: json!(true) }
}

fn envelope() -> Envelope {
    Envelope {
        schema: ENVELOPE_SCHEMA.into(),
        tool: "cw.sta".into(),
        tool_version: "0.1.0".into(),
        status: RunState::Ok,
        engineering: Engineering {
            status: Verdict::Pass,
            assertion: Some("drc-clean".into()),
            summary: "assertion 'drc-clean' held on 'value.clean'".into(),
        },
        input_hash: input_hash("cellwright", "0.1.0", &BTreeMap::new(), &[]),
        result: json!({"value": {"clean": true}}),
        artifacts: vec![Artifact {
            role: "report".into(),
            path: "report.rpt".into(),
            hash: Digest::blake3_of(b"report"),
        }],
        error: None,
        logs: Logs::of(vec![Event::new("cw.sta", Severity::Info, 1, "done").with_code("CW-DONE")]),
        provenance: EnvelopeProvenance {
            cmd: vec!["cellwright".into(), "sta".into()],
            duration_ms: 3,
            env: BTreeMap::new(),
            maturity: Maturity::WorkflowValidated,
            limitations: vec!["crosstalk is not computed".into()],
            content_hash: content_hash(&BTreeMap::from([("a.v".to_owned(), [1; 32])])),
        },
    }
}

fn problems(e: &Envelope) -> Vec<String> {
    e.validate().map_or_else(|e| e.problems.iter().map(|p| p.path.clone()).collect(), |()| vec![])
}

#[test]
fn every_answer_has_the_same_members() {
    let names = |e: &Envelope| -> Vec<String> {
        let Value::Object(map) = serde_json::to_value(e).unwrap() else { panic!() };
        let mut names: Vec<_> = map.keys().cloned().collect();
        names.sort();
        names
    };
    let mut failed = envelope();
    failed.status = RunState::Error;
    failed.error = Some(EnvelopeError {
        code: "engine_nonzero".into(),
        message: "exited with code 2".into(),
        exit_code: Some(2),
        stderr_tail: Some("…".into()),
    });
    failed.result = Value::Null;
    failed.logs = None;
    failed.artifacts.clear();
    failed.engineering = verdict(RunState::Error, None, Maturity::Structured, &Value::Null);
    failed.validate().unwrap();
    assert_eq!(names(&envelope()), names(&failed));
    assert_eq!(
        names(&failed),
        [
            "artifacts",
            "engineering",
            "error",
            "input_hash",
            "logs",
            "provenance",
            "result",
            "schema",
            "status",
            "tool",
            "tool_version"
        ]
    );
}

#[test]
fn unknown_fields_are_ignored() {
    let mut value = serde_json::to_value(envelope()).unwrap();
    value["later"] = json!({"x": 1});
    value["provenance"]["later"] = json!(1);
    value["engineering"]["later"] = json!(1);
    assert_eq!(serde_json::from_value::<Envelope>(value).unwrap(), envelope());
}

#[test]
fn the_two_axes_do_not_imply_each_other() {
    let a = assertion();
    for (clean, wanted) in [
        (json!(true), Verdict::Pass),
        (json!(false), Verdict::Fail),
        (json!(null), Verdict::Unknown),
    ] {
        let mut e = envelope();
        e.result = json!({"value": {"clean": clean}});
        e.engineering = verdict(RunState::Ok, Some(&a), Maturity::Structured, &e.result);
        assert_eq!((e.status, e.engineering.status), (RunState::Ok, wanted));
        e.validate().unwrap();
    }
    let mut viewer = envelope();
    viewer.engineering =
        Engineering { status: Verdict::NotApplicable, assertion: None, summary: "a viewer".into() };
    viewer.validate().unwrap();
    assert_eq!(serde_json::to_value(Verdict::NotApplicable).unwrap(), json!("not_applicable"));
}

#[test]
fn each_listed_case_is_unknown() {
    let (ok, s, yes) = (RunState::Ok, Maturity::Structured, json!({"value": {"clean": true}}));
    let a = assertion();
    let with = |f: &dyn Fn(&mut Assertion)| {
        let mut a = assertion();
        f(&mut a);
        a
    };
    let no_id = with(&|a| a.id.clear());
    let no_field = with(&|a| a.field.clear());
    let no_value = with(&|a| a.pass_when = Value::Null);
    let cases: [(&str, RunState, Option<&Assertion>, Maturity, Value); 13] = [
        ("no assertion", ok, None, s, yes.clone()),
        ("the execution did not succeed", RunState::Error, Some(&a), s, yes.clone()),
        ("the field is missing", ok, Some(&a), s, json!({"value": {}})),
        ("its parent is missing", ok, Some(&a), s, json!({})),
        ("there is no result", ok, Some(&a), s, Value::Null),
        ("the field is null", ok, Some(&a), s, json!({"value": {"clean": null}})),
        ("it is a text", ok, Some(&a), s, json!({"value": {"clean": "true"}})),
        ("it is a number", ok, Some(&a), s, json!({"value": {"clean": 1}})),
        ("it is a list", ok, Some(&a), s, json!({"value": {"clean": [true]}})),
        ("no id", ok, Some(&no_id), s, yes.clone()),
        ("no field", ok, Some(&no_field), s, yes.clone()),
        ("no value to compare with", ok, Some(&no_value), s, yes.clone()),
        ("maturity discovered", ok, Some(&a), Maturity::Discovered, yes.clone()),
    ];
    for (what, status, assertion, maturity, result) in cases {
        assert_eq!(
            verdict(status, assertion, maturity, &result).status,
            Verdict::Unknown,
            "{what}"
        );
    }
    // The control: the same with nothing wrong is a pass.
    assert_eq!(verdict(ok, Some(&a), s, &yes).status, Verdict::Pass);
}

#[test]
fn the_claim_is_named_and_null_when_there_is_none() {
    let yes = json!({"value": {"clean": true}});
    let a = assertion();
    let named = verdict(RunState::Ok, Some(&a), Maturity::Structured, &yes);
    assert_eq!(named.assertion.as_deref(), Some("drc-clean"));
    assert_eq!(named.summary, "assertion 'drc-clean' held on 'value.clean'");
    let none = verdict(RunState::Ok, None, Maturity::Structured, &yes);
    assert_eq!(serde_json::to_value(none).unwrap()["assertion"], Value::Null);
    let mut e = envelope();
    e.engineering.assertion = None;
    assert_eq!(problems(&e), ["engineering.assertion"]);
}

#[test]
fn an_error_is_unknown_and_never_fail() {
    let a = assertion();
    let no = json!({"value": {"clean": false}});
    let found = verdict(RunState::Error, Some(&a), Maturity::WorkflowValidated, &no);
    assert_eq!(found.status, Verdict::Unknown);
    assert_eq!(found.summary, "execution did not complete; no engineering conclusion reached");
    let mut e = envelope();
    e.status = RunState::Error;
    assert_eq!(problems(&e), ["error", "engineering.status"]);
    let mut e = envelope();
    e.error = Some(EnvelopeError {
        code: "x".into(),
        message: "y".into(),
        exit_code: None,
        stderr_tail: None,
    });
    assert_eq!(problems(&e), ["error"]);
}

#[test]
fn input_hash_covers_binary_version_environment_and_arguments() {
    let env = |v: &str| BTreeMap::from([("PDK_ROOT".to_owned(), v.to_owned())]);
    let args = |v: &[&str]| v.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>();
    let base = input_hash("/bin/cw", "1", &env("/pdk"), &args(&["sta", "a"]));
    assert_eq!(base, input_hash("/bin/cw", "1", &env("/pdk"), &args(&["sta", "a"])));
    assert!(matches!(base, Digest::Blake3(_)));
    for (what, other) in [
        ("binary", input_hash("image@sha", "1", &env("/pdk"), &args(&["sta", "a"]))),
        ("version", input_hash("/bin/cw", "2", &env("/pdk"), &args(&["sta", "a"]))),
        ("environment", input_hash("/bin/cw", "1", &env("/other"), &args(&["sta", "a"]))),
        ("an argument", input_hash("/bin/cw", "1", &env("/pdk"), &args(&["sta", "b"]))),
        ("order", input_hash("/bin/cw", "1", &env("/pdk"), &args(&["a", "sta"]))),
        ("boundary", input_hash("/bin/cw", "1", &env("/pdk"), &args(&["st", "aa"]))),
    ] {
        assert_ne!(base, other, "{what} must change the hash");
    }
}

#[test]
fn content_hash_covers_what_was_read() {
    let files = |list: &[(&str, u8)]| {
        content_hash(&list.iter().map(|(n, d)| ((*n).to_owned(), [*d; 32])).collect())
    };
    let base = files(&[("a", 1), ("b", 2)]);
    assert_ne!(base, files(&[("a", 1), ("b", 3)]), "a content");
    assert_ne!(base, files(&[("a", 1), ("c", 2)]), "a name");
    assert_ne!(base, files(&[("a", 1)]), "a file less");
    assert_eq!(files(&[]), None);
}

#[test]
fn artifact_paths_are_workspace_relative() {
    for (path, shown) in [
        ("/w/run/a/b.rpt", "a/b.rpt"),
        ("/w/run/b.rpt", "b.rpt"),
        ("/other/x", "/other/x"),
        ("/w/runner/x", "/w/runner/x"),
        ("c", "c"),
    ] {
        assert_eq!(workspace_path(Path::new("/w/run"), Path::new(path)), shown);
    }
    let mut e = envelope();
    e.artifacts[0].path.clear();
    assert_eq!(problems(&e), ["artifacts[0].path"]);
    let mut e = envelope();
    e.artifacts[0].hash = Digest::Sha256([0; 32]);
    assert_eq!(problems(&e), ["artifacts[0].hash"]);
}

#[test]
fn a_violation_is_told_in_an_event_and_the_envelope_is_returned() {
    type Edit<'a> = &'a dyn Fn(&mut Envelope);
    let edits: [Edit<'_>; 7] = [
        &|e| e.schema = "loom-result/1.0".into(),
        &|e| e.tool.clear(),
        &|e| e.tool_version.clear(),
        &|e| e.status = RunState::Error,
        &|e| e.engineering.assertion = None,
        &|e| e.input_hash = Digest::Sha256([0; 32]),
        &|e| e.provenance.maturity = Maturity::Discovered,
    ];
    for (n, edit) in edits.iter().enumerate() {
        let mut e = envelope();
        edit(&mut e);
        let (before, out) = (e.result.clone(), e.finish(7));
        assert_eq!(out.result, before);
        let logs = out.logs.unwrap();
        assert!(logs.summary.codes.contains(&ENVELOPE_INVALID.to_owned()), "{n}: {logs:?}");
        assert!(logs.events.iter().any(|e| e.raw_msg == "done"), "{n}: an event was lost");
        assert!(logs.summary.error_count > 0);
    }
    assert_eq!(envelope().finish(7), envelope());
}

#[test]
fn logs_hold_events_counts_and_codes_and_are_null_without_events() {
    assert_eq!(Logs::of(Vec::new()), None);
    let mut e = envelope();
    e.logs = None;
    assert_eq!(serde_json::to_value(&e).unwrap()["logs"], Value::Null);
    let list = [Severity::Trace, Severity::Debug, Severity::Info, Severity::Warn, Severity::Error];
    let events = list.iter().flat_map(|s| {
        let event = Event::new("cw.sta", *s, 0, "m");
        [event.clone().with_code("B"), event.with_code("A")]
    });
    let logs = Logs::of(events.collect()).unwrap();
    assert_eq!(logs.count, 10);
    assert_eq!(logs.summary.codes, ["A", "B"]);
    let s = &logs.summary;
    let counts = [s.trace_count, s.debug_count, s.info_count, s.warn_count, s.error_count];
    assert_eq!(counts, [2; 5]);
    let mut lying = envelope();
    lying.logs.as_mut().unwrap().count = 2;
    assert_eq!(problems(&lying), ["logs"]);
}

#[test]
fn an_event_has_these_fields_and_no_others() {
    let event = Event::new("cw.sta", Severity::Warn, 5, "text");
    let value = serde_json::to_value(&event).unwrap();
    assert_eq!(
        value,
        json!({"schema": "vyges-events/1.0", "ts_ms": 5, "tool": "cw.sta", "severity": "warn", "raw_msg": "text"})
    );
    for field in ["schema", "ts_ms", "tool", "severity", "raw_msg"] {
        let mut less = value.clone();
        less.as_object_mut().unwrap().remove(field);
        assert!(serde_json::from_value::<Event>(less).is_err(), "{field} is required");
    }
    let mut more = value;
    for (field, v) in [
        ("run_id", json!("r")),
        ("stage", json!("s")),
        ("step_index", json!(1)),
        ("code", json!("C")),
        ("msg_template", json!("m")),
        ("objects", json!(["o"])),
        ("file", json!("f")),
    ] {
        more[field] = v;
    }
    serde_json::from_value::<Event>(more.clone()).unwrap();
    more["other"] = json!(1);
    assert!(serde_json::from_value::<Event>(more).is_err());
}

#[test]
fn provenance_carries_maturity_and_limitations() {
    let value = serde_json::to_value(envelope()).unwrap();
    assert_eq!(value["provenance"]["maturity"], json!("workflow-validated"));
    assert_eq!(value["provenance"]["limitations"][0], json!("crosstalk is not computed"));
    let words = [Maturity::Discovered, Maturity::Structured, Maturity::WorkflowValidated];
    let words: Vec<_> = words.iter().map(|m| serde_json::to_value(m).unwrap()).collect();
    assert_eq!(words, ["discovered", "structured", "workflow-validated"]);
    assert!(serde_json::from_value::<Maturity>(json!("trusted")).is_err(), "the set is closed");
}
