//! Text forms, rules between fields, verdicts and negotiation.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use cellwright_contract::budget::{CostBudget, CostKind};
use cellwright_contract::capability::Assertion;
use cellwright_contract::delta::{DesignDelta, NetChange};
use cellwright_contract::envelope::{
    ENVELOPE_INVALID, Envelope, RunState, Verdict, input_hash, verdict, workspace_path,
};
use cellwright_contract::gate::{GateId, GateJudgment, GateResult, GateStatus, Maturity};
use cellwright_contract::geometry::microns_to_dbu;
use cellwright_contract::goal::{GoalOp, GoalUnit, Goals, MetricGoal};
use cellwright_contract::invocation::{Cause, InvokeResult, RefusalCode};
use cellwright_contract::metric::Direction;
use cellwright_contract::negotiate::{Provided, canonical_tool, negotiate, parse_dependency};
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::{
    DesignRef, Digest, DirtySetRef, IntentRef, ObjectRef, ScenarioRef, SnapshotRef,
};
use cellwright_contract::request::{PlaceParams, ToolCall};
use cellwright_contract::scenario::Scenario;
use cellwright_contract::validate::Validate;
use cellwright_contract::wire::parse;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn references_have_one_text_each() {
    let hex = "0123456789abcdef".repeat(4);
    macro_rules! check {
        ($type:ty, $good:expr, $bad:expr) => {
            for text in $good {
                let text = text.replace("HEX", &hex);
                assert_eq!(text.parse::<$type>().unwrap().to_string(), text);
                let back: $type = serde_json::from_value(json!(text)).unwrap();
                assert_eq!(serde_json::to_value(back).unwrap(), json!(text));
            }
            for text in $bad {
                let text = text.replace("HEX", &hex);
                assert!(text.parse::<$type>().is_err(), "{text:?}");
                assert!(serde_json::from_value::<$type>(json!(text)).is_err(), "{text:?}");
            }
        };
    }
    check!(
        ObjectRef,
        ["i:42", "n:0", "p:18446744073709551615", "t:7", "name:u_core/u1", "name:a:b \\[3] é"],
        [
            "i:",
            "i:-1",
            "i:+1",
            "i:01",
            "i:18446744073709551616",
            "x:1",
            "42",
            "name:",
            "name:a\nb",
            "i: 1",
            "i:1 ",
            "I:1",
            ""
        ]
    );
    check!(
        SnapshotRef,
        ["snap:HEX", "main", "try/agent-1"],
        ["snap:HEX0", "snap:", "snap:ABCDEF", "", "a b", "-x", "a:b"]
    );
    check!(DirtySetRef, ["dirty:HEX"], ["dirty:", "HEX", "snap:HEX"]);
    check!(DesignRef, ["gcd@nangate45"], ["gcd", "@x", "gcd@", "a@b@c", "a b@c"]);
    check!(IntentRef, ["intent:close-setup"], ["close-setup", "intent:", "intent:a b"]);
    check!(ScenarioRef, ["scenario:s@HEX"], ["scenario:s", "scenario:@HEX", "scenario:s@"]);
    check!(Digest, ["blake3:HEX", "sha256:HEX"], ["md5:HEX", "HEX", "blake3:00"]);
}

fn proposal() -> Value {
    let at = |x: i64| json!({"x": x, "y": 0, "orient": "N"});
    json!({
        "id": "p-1",
        "intent_ref": "intent:less-wire",
        "parent_snap": format!("snap:{}", "ab".repeat(32)),
        "confidence": 0.5,
        "rationale": "closer to its net",
        "expected_metrics": {
            "hpwl": "-5%",
            "wns_setup": {"op": "no_worse", "hard": true},
        },
        "expected_delta": {
            "moved_cells": [{"cell_id": "i:7", "from": at(0), "to": at(380)}],
            "resized_cells": [
                {"cell_id": "name:u1", "from_master": "INV_X1", "to_master": "INV_X2"}
            ],
            "new_nets": [
                {"insert_buffer": {"net": "n:3", "sinks": ["t:9", "p:1"], "master": "BUF_X1", "at": at(5)}},
                {"remove_buffer": {"cell_id": "i:8"}},
                {"swap_pins": {"a": "t:1", "b": "t:2"}},
                {"reconnect": {"pin": "t:1", "net": "n:2"}},
                {"new_net": {"name": "n_new"}},
                {"remove_net": {"net": "n:4"}},
            ],
            "timing_changes": [{"scope": "endpoint", "id": "t:5", "corner": "tt", "mode": "setup",
                                "before": -0.1, "after": 0.0}],
            "drc_changes": [{"rule": "overlap", "region": {"x0": 0, "y0": 0, "x1": 9, "y1": 9},
                             "added": 0, "removed": 1}],
            "summary": {"cells_affected": 4, "nets_affected": 5, "area_delta": 0.532},
        },
    })
}

fn read(v: &Value) -> Result<Proposal, String> {
    parse(v.to_string().as_bytes()).map_err(|e| e.to_string())
}

#[test]
fn a_whole_proposal_round_trips() {
    let p = read(&proposal()).unwrap();
    assert_eq!(p.expected_delta.new_nets.len(), 6);
    assert!(matches!(p.expected_delta.new_nets[0], NetChange::InsertBuffer(_)));
    let goal = &p.expected_metrics.0["hpwl"];
    assert_eq!(
        (goal.op, goal.value, goal.unit, goal.hard),
        (GoalOp::Improve, Some(5.0), GoalUnit::Pct, false)
    );
    assert_eq!(p.expected_metrics.0["wns_setup"].metric, "wns_setup");
    assert_eq!(read(&serde_json::to_value(&p).unwrap()).unwrap(), p);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let bad: [(&str, Value, &str); 18] = [
        ("/confidence", json!(1.5), "confidence"),
        ("/id", json!(""), "id"),
        ("/extra", json!(1), "unknown field"),
        ("/expected_delta/moved_cells/0/to/x", json!(1.5), "invalid type"),
        ("/expected_delta/moved_cells/0/to/x", json!(1_u64 << 53), "2^53"),
        ("/expected_delta/moved_cells/0/to/z", json!(1), "unknown field"),
        ("/expected_delta/moved_cells/0/to/orient", json!("R0"), "unknown variant"),
        (
            "/expected_delta/moved_cells/0/cell_id",
            json!("n:7"),
            "moved_cells[0].cell_id: n:7 is not an instance",
        ),
        ("/expected_delta/resized_cells/0/to_master", json!(""), "resized_cells[0].to_master"),
        ("/expected_delta/new_nets/0/insert_buffer/sinks", json!([]), "insert_buffer.sinks"),
        ("/expected_delta/new_nets/2/swap_pins/b", json!("t:1"), "same pin"),
        ("/expected_delta/new_nets/3", json!({"reconnect": {"pin": "t:1"}}), "missing field"),
        (
            "/expected_delta/new_nets/3",
            json!({"new_net": {"name": "a"}, "remove_net": {"net": "n:1"}}),
            "expected",
        ),
        ("/expected_delta/timing_changes/0/scope", json!("wns"), "take no id"),
        ("/expected_delta/drc_changes/0/region/x1", json!(-1), "x0 ≤ x1"),
        ("/expected_delta/summary/cells_affected", json!(-1), "invalid value"),
        ("/expected_metrics/hpwl", json!("5 percent"), "percentage"),
        (
            "/expected_metrics/hpwl",
            json!({"metric": "area", "op": "improve"}),
            "must equal its key",
        ),
    ];
    for (at, value, want) in bad {
        let mut v = proposal();
        let (parent, key) = at.rsplit_once('/').unwrap();
        let slot = v.pointer_mut(parent).unwrap();
        match slot {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value.clone(),
            other => other[key] = value.clone(),
        }
        let error = read(&v).unwrap_err();
        assert!(error.contains(want), "{at} = {value}: {error}");
    }
    let twice = proposal().to_string().replacen("\"id\":", "\"id\":\"q\",\"id\":", 1);
    assert!(parse::<Proposal>(twice.as_bytes()).unwrap_err().to_string().contains("stands twice"));
}

#[test]
fn goals() {
    let short = |m, t| MetricGoal::from_short(m, t);
    assert_eq!(short("hpwl", "0%").unwrap().op, GoalOp::NoWorse);
    assert_eq!(short("wns_setup", "+2.5%").unwrap().value, Some(2.5));
    for (m, t) in [
        ("hpwl", "+5%"),
        ("mine", "+5%"),
        ("hpwl", "5%"),
        ("hpwl", "-%"),
        ("hpwl", "-5"),
        ("hpwl", "-nan%"),
        ("hpwl", "-inf%"),
        ("hpwl", "--5%"),
        ("hpwl", "-1e5%"),
        ("hpwl", ""),
    ] {
        assert!(short(m, t).is_err(), "{m} {t}");
    }
    let g = short("hpwl", "-5%").unwrap();
    let met = |v| g.met(Direction::Minimize, v, 1000.0);
    assert_eq!([met(950.0), met(951.0), met(f64::NAN)], [true, false, false]);
    // Negative slack: 5 percent of its magnitude, upwards.
    assert!(g.met(Direction::Maximize, -0.95, -1.0) && !g.met(Direction::Maximize, -0.96, -1.0));
    let full = |v: Value| serde_json::from_value::<Goals>(json!({"hpwl": v}));
    let le = full(json!({"op": "le", "value": 10.0})).unwrap();
    assert!(le.validate().is_ok() && le.0["hpwl"].met(Direction::Minimize, 10.0, 0.0));
    assert!(full(json!({"op": "le"})).unwrap().validate().is_err());
    assert!(full(json!({"op": "le", "value": 1, "why": 2})).is_err());
}

#[test]
fn microns_are_refused_off_the_grid() {
    assert_eq!(microns_to_dbu(0.19, 2000), Ok(380));
    assert_eq!(microns_to_dbu(-1234.567, 1000), Ok(-1_234_567));
    for (um, dbu) in [(0.1905, 1000), (f64::NAN, 1000), (f64::INFINITY, 1000), (1e300, 1000)] {
        assert!(microns_to_dbu(um, dbu).is_err(), "{um}");
    }
}

#[test]
fn budgets() {
    let limit = CostBudget { work_units: Some(10), wall_ms: Some(5), ..Default::default() };
    let spent =
        CostBudget { work_units: Some(11), wall_ms: Some(9), moves: Some(3), ..Default::default() };
    assert_eq!(limit.exceeded_by(&spent), Some(CostKind::WorkUnits));
    assert_eq!(limit.exceeded_by(&CostBudget::default()), None);
    assert_eq!(limit.minus(&spent).work_units, Some(0));
    assert_eq!(spent.plus(&spent).moves, Some(6));
}

#[test]
fn a_budget_is_used_up_and_reserved_by_its_parts() {
    let units = |n: u64| CostBudget { work_units: Some(n), ..Default::default() };
    let limit = units(10);
    assert_eq!(limit.used_up_by(&units(9)), None);
    assert_eq!(limit.used_up_by(&units(10)), Some(CostKind::WorkUnits));
    assert_eq!(units(0).used_up_by(&CostBudget::default()), Some(CostKind::WorkUnits));
    assert_eq!(CostBudget::default().used_up_by(&units(10)), None);
    // What is asked for, or all that is left when nothing is.
    assert_eq!(limit.reserve(&units(4), &units(6)), Ok(units(6)));
    assert_eq!(limit.reserve(&units(4), &units(7)), Err(CostKind::WorkUnits));
    assert_eq!(limit.reserve(&units(4), &CostBudget::default()), Ok(units(6)));
    assert_eq!(limit.reserve(&units(10), &CostBudget::default()), Err(CostKind::WorkUnits));
    // Bytes are a peak: having reached it takes nothing away.
    let bytes = CostBudget { bytes: Some(5), ..Default::default() };
    assert_eq!((bytes.used_up_by(&bytes), bytes.reserve(&bytes, &bytes)), (None, Ok(bytes)));
}

#[test]
fn one_gate_decides() {
    let g = |status, maturity| GateResult {
        id: GateId::LegalityOverlap,
        status,
        value: None,
        limit: None,
        maturity,
        evidence: "u1 and u2 overlap".into(),
    };
    use GateStatus::{Fail, Pass, Unknown};
    let s = Maturity::Structured;
    for (list, want) in [
        (vec![], Unknown),
        (vec![g(Pass, s)], Pass),
        (vec![g(Pass, s), g(Unknown, s)], Unknown),
        (vec![g(Unknown, s), g(Fail, s), g(Pass, s)], Fail),
        (vec![g(Pass, Maturity::Discovered)], Unknown),
        (vec![g(Fail, Maturity::Discovered)], Fail),
    ] {
        let j = GateJudgment::of(list);
        assert_eq!((j.status, j.passed()), (want, want == Pass));
        j.validate().unwrap();
    }
    let lie = GateJudgment { status: Pass, gates: vec![g(Fail, s)] };
    assert!(lie.validate().is_err());
    assert_eq!(GateId::LegalityHalo.whole(), GateId::Legality);
    assert_eq!(GateId::ParentFresh.whole(), GateId::ParentFresh);
    for id in GateId::ALL {
        assert_eq!(serde_json::to_value(id).unwrap(), json!(id.id()));
        assert!(GateId::ALL.contains(&id.whole()));
    }
}

#[test]
fn invocation_results_keep_the_conditional_rules() {
    let d = Digest::Sha256([7; 32]);
    let all = [
        InvokeResult::refused("i-1", RefusalCode::CapacityExhausted, Some("later")),
        InvokeResult::started("i-1", d),
        InvokeResult::completed("i-1", d, Value::Null, d),
        InvokeResult::completed_unavailable("i-1", d),
        InvokeResult::aborted("i-1", d, Cause::NoOutcome),
        InvokeResult::compensated("i-1", d),
        InvokeResult::unknown("i-1", d, Cause::PendingDisposal),
    ];
    for r in &all {
        r.validate().unwrap();
        let text = serde_json::to_vec(r).unwrap();
        // A retained null result stays one.
        assert_eq!(&parse::<InvokeResult>(&text).unwrap(), r);
    }
    let break_it = |r: &InvokeResult, f: &dyn Fn(&mut Value)| {
        let mut v = serde_json::to_value(r).unwrap();
        f(&mut v);
        parse::<InvokeResult>(v.to_string().as_bytes()).is_err()
    };
    let digest = json!(d.to_string());
    for field in ["result/status", "output", "output/digest", "cause", "request/digest"] {
        let value = match field {
            "result/status" => json!("unavailable"),
            "output" => json!(1),
            "cause" => json!("no-outcome"),
            _ => digest.clone(),
        };
        assert!(break_it(&all[0], &|v| v[field] = value.clone()), "{field}");
    }
    let drop =
        |field: &'static str| move |v: &mut Value| drop(v.as_object_mut().unwrap().remove(field));
    for field in ["refusal/code", "retryable"] {
        assert!(break_it(&all[0], &drop(field)), "{field}");
    }
    assert!(break_it(&all[0], &|v| v["retryable"] = json!(false)));
    assert!(break_it(&all[1], &|v| v["diagnostic"] = json!({})));
    for field in ["result/status", "output", "output/digest"] {
        assert!(break_it(&all[2], &drop(field)), "{field}");
    }
    assert!(break_it(&all[2], &|v| v["cause"] = json!("no-outcome")));
    assert!(break_it(&all[6], &drop("cause")));
    assert!(break_it(&all[1], &|v| v["schema/v"] = json!(2)));
    assert_eq!(RefusalCode::ALL.len(), 18);
    assert_eq!(RefusalCode::ALL.iter().filter(|c| c.retryable()).count(), 3);
}

#[test]
fn a_verdict_is_never_inferred() {
    let a =
        Assertion { id: "timing-met".into(), field: "report.met".into(), pass_when: json!(true) };
    let v = |status, a: Option<&Assertion>, m, r: Value| verdict(status, a, m, &r).status;
    let (ok, s) = (RunState::Ok, Maturity::Structured);
    let yes = json!({"report": {"met": true}});
    assert_eq!(v(ok, Some(&a), s, yes.clone()), Verdict::Pass);
    assert_eq!(v(ok, Some(&a), s, json!({"report": {"met": false}})), Verdict::Fail);
    assert_eq!(v(ok, None, s, yes.clone()), Verdict::Unknown);
    assert_eq!(v(RunState::Error, Some(&a), s, yes.clone()), Verdict::Unknown);
    assert_eq!(v(ok, Some(&a), Maturity::Discovered, yes.clone()), Verdict::Unknown);
    for r in
        [json!({}), json!({"report": {"met": null}}), json!({"report": {"met": 1}}), json!(null)]
    {
        assert_eq!(v(ok, Some(&a), s, r), Verdict::Unknown);
    }
    let malformed = Assertion { field: String::new(), ..a };
    assert_eq!(v(ok, Some(&malformed), s, yes), Verdict::Unknown);
    let zero = Assertion { id: "clean".into(), field: "n".into(), pass_when: json!(0) };
    assert_eq!(v(ok, Some(&zero), s, json!({"n": 0.0})), Verdict::Pass);
}

#[test]
fn a_wrong_envelope_is_returned_and_says_so() {
    let good = json!({
        "schema": "loom-result/1.1", "tool": "cw.sta", "tool_version": "0.1.0", "status": "ok",
        "engineering": {"status": "pass", "assertion": "timing-met", "summary": "held"},
        "input_hash": input_hash("cellwright", "0.1.0", &BTreeMap::new(), &["sta".into()]),
        "result": {}, "artifacts": [], "error": null, "logs": null, "later": 1,
        "provenance": {"cmd": [], "duration_ms": 1, "env": {}, "maturity": "structured", "limitations": []},
    });
    let e: Envelope = parse(good.to_string().as_bytes()).unwrap();
    assert_eq!(e.clone().finish(0), e);
    let mut bad = e.clone();
    bad.status = RunState::Error;
    let out = bad.finish(5);
    let logs = out.logs.unwrap();
    assert_eq!(logs.count, 2);
    assert_eq!(logs.summary.codes, [ENVELOPE_INVALID]);
    let path = |p: &str| workspace_path(Path::new("/w/run"), Path::new(p));
    assert_eq!([path("/w/run/a/b.rpt"), path("/other/x"), path("c")], ["a/b.rpt", "/other/x", "c"]);
    let other = input_hash("cellwright", "0.1.1", &BTreeMap::new(), &["sta".into()]);
    assert_ne!(other, e.input_hash);
}

#[test]
fn negotiation_names_each_requirement_that_cannot_be_met() {
    let p = |tool: &str, v: &str| Provided {
        tool: tool.into(),
        version: v.parse().unwrap(),
        contract_digest: Digest::Blake3([0; 32]),
    };
    let have =
        [p("cw.place", "1.3.1"), p("cw.db", "0.8.2"), p("cw.sta", "0.9.0"), p("cw.sta", "1.4.0")];
    let need = |list: &[(&str, &str)]| -> BTreeMap<String, String> {
        list.iter().map(|(t, r)| ((*t).into(), (*r).into())).collect()
    };
    let ok = negotiate(
        &need(&[("iDB", ">=0.8.0"), ("iPL", ">=1.2.0, <2.0.0"), ("cw.sta", ">=0.9")]),
        &have,
    )
    .unwrap();
    assert_eq!(ok.tools["iPL"], have[0]);
    assert_eq!(ok.tools["cw.sta"], have[3]);
    let no = negotiate(
        &need(&[("iDB", ">=0.9.0"), ("iPL", "newest"), ("cw.x", "*"), ("cw.sta", "^1")]),
        &have,
    )
    .unwrap_err();
    let tools: Vec<_> = no.0.iter().map(|u| &*u.tool).collect();
    assert_eq!(tools, ["cw.x", "iDB", "iPL"]);
    assert!(no.to_string().contains("the platform provides 0.8.2"));
    assert_eq!(canonical_tool("iPL.place"), "cw.place");
    let (tool, req) = parse_dependency("iPL.place >= 1.2.0, < 2.0.0").unwrap();
    assert!(tool == "iPL.place" && req.matches(&have[0].version));
    assert!(parse_dependency(">= 1").is_err() && parse_dependency("").is_err());
}

#[test]
fn a_tool_call_is_flat_and_closed() {
    let call: ToolCall<PlaceParams> = serde_json::from_value(json!({
        "design_ref": "gcd@nangate45", "effort": "quick", "timing_weight": 0.5, "seed": 3,
    }))
    .unwrap();
    call.validate().unwrap();
    let text = serde_json::to_value(&call).unwrap();
    assert_eq!(serde_json::from_value::<ToolCall<PlaceParams>>(text).unwrap(), call);
    for bad in [
        json!({"design_ref": "gcd@nangate45", "sed": 3}),
        json!({"seed": 3}),
        json!({"design_ref": "gcd@nangate45", "budget": {"gold": 1}}),
    ] {
        assert!(serde_json::from_value::<ToolCall<PlaceParams>>(bad).is_err());
    }
}

const SCENARIO: &str = r#"
schema = "cellwright-scenario/1"
name = "gcd-timing"            # a comment
design = "gcd@nangate45"
intent = "intent:close-setup"
seeds = [1, 2, 3]
[[objectives]]
metric = "hpwl"
[[objectives]]
metric = "wns_setup"
weight = 2.0
[[gates]]
gate = "guards.tns-hold"
tolerance = 0.0
ref = "baseline"
[[gates]]
gate = "exactness"
sample = 0.05
[budget]
work_units = 1000000
[agent]
name = "annealer"
params = { moves = 200 }
"#;

#[test]
fn a_scenario_is_its_content() {
    let s = Scenario::from_toml(SCENARIO).unwrap();
    assert_eq!(s.objectives[1].direction(), Some(Direction::Maximize));
    assert_eq!(s.rule(GateId::Exactness).unwrap().sample, Some(0.05));
    let json = serde_json::to_vec(&s).unwrap();
    let back = Scenario::from_json(&json).unwrap();
    assert_eq!((back.digest(), back.reference().unwrap()), (s.digest(), s.reference().unwrap()));
    let changed = Scenario::from_toml(&SCENARIO.replace("1000000", "1000001")).unwrap();
    assert_ne!(changed.digest(), s.digest());
    for (from, to) in [
        ("weight = 2.0", "weight = nan"),
        ("weight = 2.0", "weight = -1.0"),
        ("sample = 0.05", "sample = 2.0"),
        ("seeds = [1, 2, 3]", "seeds = []"),
        ("seeds = [1, 2, 3]", "seeds = [9007199254740992]"),
        ("\"wns_setup\"", "\"hpwl\""),
        ("\"wns_setup\"", "\"mine\""),
        ("name = \"annealer\"", "nam = 1"),
        ("gate = \"exactness\"", "gate = \"vibes\""),
        ("gate = \"exactness\"", "gate = \"guards.metric\""),
        ("tolerance = 0.0", "tolerance = inf"),
        ("cellwright-scenario/1", "cellwright-scenario/2"),
    ] {
        let text = SCENARIO.replace(from, to);
        assert!(text != SCENARIO && Scenario::from_toml(&text).is_err(), "{to}");
    }
}

#[test]
fn an_empty_delta_is_one() {
    let d: DesignDelta = serde_json::from_str("{}").unwrap();
    assert!(d.is_empty() && d == DesignDelta::default());
}
