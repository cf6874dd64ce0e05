//! Invocations: admitted in order, run once, answered alike.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod common;
#[path = "common/toy.rs"]
mod toy;

use cellwright_contract::budget::CostBudget;
use cellwright_contract::invocation::{Cause, InvokeResult, Outcome, RefusalCode, ResultStatus};
use cellwright_contract::invoke::{
    EVIDENCE_SCHEMA, EVIDENCE_TYPE, Evidence, GRANT_SCHEMA, Grant, InvokeRequest,
    WITHDRAWAL_SCHEMA, Withdrawal,
};
use cellwright_contract::refs::Digest;
use cellwright_contract::validate::Validate;
use cellwright_judge::digest::InvocationRequest;
use cellwright_judge::invoke::ledger::{Ledger, LedgerError};
use cellwright_judge::invoke::{Desk, DeskError, GrantBook, Policy};
use cellwright_judge::keys::{SecretKey, TrustList};
use cellwright_judge::seal::seal_bytes;
use common::{Folder, key};
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, Barrier};
use toy::{Toy, at, commitment, design, desk, desk_with, request};

fn issuers() -> TrustList {
    let mut list = TrustList::new();
    list.add(key(7).public()).unwrap();
    list
}

/// A host that asks everything: alice signs, and needs a grant.
fn strict(folder: &Path) -> Policy {
    let mut policy = Policy::local("alice");
    policy.callers.insert("alice".to_owned(), Some(key(1).public().clone()));
    policy.callers.insert("bob".to_owned(), Some(key(2).public().clone()));
    policy.grants = Some(GrantBook::new(issuers(), &folder.join("withdrawn")));
    policy
}

fn grant() -> Grant {
    Grant {
        schema: GRANT_SCHEMA.to_owned(),
        id: "g-1".to_owned(),
        holder: "alice".to_owned(),
        tools: vec!["cw.evaluate".to_owned(), "cw.commit".to_owned()],
        designs: vec![design()],
        budget: CostBudget { work_units: Some(10), ..Default::default() },
        not_before: at(-1000),
        expires: at(1000),
        binding: Some(commitment()),
    }
}

fn digest(request: &InvokeRequest) -> Digest {
    InvocationRequest {
        capability_id: &request.capability_id,
        contract_digest: &request.contract_digest.to_string(),
        issued_at: &request.issued_at.to_string(),
        deadline: &request.deadline.to_string(),
        input: &request.input,
    }
    .digest()
    .unwrap()
}

fn sign(request: &mut InvokeRequest, key: &SecretKey) {
    let evidence = Evidence {
        schema: EVIDENCE_SCHEMA.to_owned(),
        caller: request.caller.clone(),
        invocation_id: request.invocation_id.clone(),
        request_digest: digest(request),
    };
    let bytes = seal_bytes(EVIDENCE_TYPE, &serde_json::to_vec(&evidence).unwrap(), &[key]).unwrap();
    request.caller_evidence = Some(String::from_utf8(bytes).unwrap());
}

/// A request that a strict host admits.
fn whole(id: &str) -> InvokeRequest {
    let mut request = request("cw.evaluate", id);
    request.input = json!({"budget": {"work_units": 3}});
    request.grant = Some(GrantBook::issue(&grant(), &key(7)).unwrap());
    sign(&mut request, &key(1));
    request
}

fn code(result: &InvokeResult) -> Option<RefusalCode> {
    result.refusal_code
}

type Spoil = Box<dyn Fn(&mut InvokeRequest)>;

/// Each way to be refused, in the order of admission. A request spoilt in several ways is refused
/// for the first.
fn spoils() -> Vec<(RefusalCode, Spoil)> {
    use RefusalCode as Code;
    fn with_grant(edit: impl Fn(&mut Grant) + 'static) -> Spoil {
        Box::new(move |r| {
            let mut changed = grant();
            edit(&mut changed);
            r.grant = Some(GrantBook::issue(&changed, &key(7)).unwrap());
        })
    }
    vec![
        (Code::StaleRequest, Box::new(|r| r.issued_at = at(-300_001))),
        (Code::StaleRequest, Box::new(|r| r.issued_at = at(30_001))),
        (Code::OutOfScope, Box::new(|r| r.scope = "other@own".parse().unwrap())),
        (Code::UnknownCapability, Box::new(|r| r.capability_id = "cw.nothing".to_owned())),
        (
            Code::ScopeCommitmentMismatch,
            Box::new(|r| r.scope_commitment = Some(Digest::blake3_of(b"older"))),
        ),
        (
            Code::ContractMismatch,
            Box::new(|r| r.contract_digest = Digest::blake3_of(b"older contract")),
        ),
        (Code::CallerEvidenceInvalid, Box::new(|r| r.caller_evidence = None)),
        (Code::CallerEvidenceInvalid, Box::new(|r| r.caller = "mallory".to_owned())),
        (Code::CallerEvidenceInvalid, Box::new(|r| sign(r, &key(2)))),
        (Code::GrantMissing, Box::new(|r| r.grant = None)),
        (Code::GrantInvalid, Box::new(|r| r.grant = Some("{}".to_owned()))),
        (
            Code::GrantInvalid,
            Box::new(|r| r.grant = Some(GrantBook::issue(&grant(), &key(9)).unwrap())),
        ),
        (Code::GrantRevokedOrExpired, with_grant(|g| g.expires = at(0))),
        (Code::GrantRevokedOrExpired, with_grant(|g| g.not_before = at(1))),
        (Code::GrantRevokedOrExpired, with_grant(|g| g.id = "withdrawn".to_owned())),
        (Code::GrantHolderMismatch, with_grant(|g| g.holder = "bob".to_owned())),
        (Code::GrantBindingStale, with_grant(|g| g.binding = Some(Digest::blake3_of(b"older")))),
        (Code::GrantVoidedByTombstone, with_grant(|g| g.id = "buried".to_owned())),
        (Code::GrantMissing, with_grant(|g| g.tools = vec!["cw.commit".to_owned()])),
        (Code::GrantMissing, with_grant(|g| g.designs = vec!["a@b".parse().unwrap()])),
        (Code::InvocationIdConflict, Box::new(|r| r.invocation_id = "used".to_owned())),
        (Code::InvalidInput, Box::new(|r| r.input["bad"] = json!(true))),
        (Code::InvalidInput, Box::new(|r| r.input["budget"] = json!({"work_units": -1}))),
        (Code::ProviderUnavailable, Box::new(|r| r.input["provider"] = json!("gone"))),
        (Code::CapacityExhausted, Box::new(|r| r.input["budget"] = json!({"work_units": 11}))),
        (Code::ActivationStale, Box::new(|r| r.activation = Some("zeroth".to_owned()))),
        (Code::DeadlineExceeded, Box::new(|r| r.deadline = at(0))),
    ]
}

/// What was changed is signed again, unless the signature is what was spoilt.
fn spoilt(which: &[usize]) -> InvokeRequest {
    let list = spoils();
    let mut request = whole("fresh");
    for at in which {
        list[*at].1(&mut request);
    }
    let evidence = |at: &usize| list[*at].0 == RefusalCode::CallerEvidenceInvalid;
    if !which.iter().any(evidence) && request.caller == "alice" {
        sign(&mut request, &key(1));
    }
    request
}

fn strict_desk(folder: &Folder) -> Desk<Toy> {
    let root = folder.path("host");
    let desk = desk_with(&root, strict(&root));
    let book = GrantBook::new(issuers(), &root.join("withdrawn"));
    for (id, tombstone) in [("withdrawn", false), ("buried", true)] {
        let withdrawal =
            Withdrawal { schema: WITHDRAWAL_SCHEMA.to_owned(), grant: id.to_owned(), tombstone };
        book.withdraw(&GrantBook::sign(&withdrawal, &key(7)).unwrap()).unwrap();
    }
    desk
}

fn ready(desk: &mut Desk<Toy>, request: &InvokeRequest) {
    let gone = request.input["provider"] == json!("gone");
    desk.service_mut().not_ready = gone.then(|| "it is gone".to_owned());
}

#[test]
fn every_refusal_code_is_reached() {
    let folder = Folder::new("codes");
    let mut desk = strict_desk(&folder);
    let used = desk.invoke(&whole("used")).unwrap();
    assert_eq!(used.outcome, Outcome::Completed, "{used:?}");
    let mut seen = Vec::new();
    for (at, (wanted, _)) in spoils().iter().enumerate() {
        let mut request = spoilt(&[at]);
        if *wanted == RefusalCode::InvocationIdConflict {
            request.input["other"] = json!(1);
            sign(&mut request, &key(1));
        }
        ready(&mut desk, &request);
        let answer = desk.invoke(&request).unwrap();
        answer.validate().unwrap();
        assert_eq!(code(&answer), Some(*wanted), "{at}: {answer:?}");
        assert_eq!(answer.retryable, Some(wanted.retryable()));
        seen.push(*wanted);
    }
    let missing: Vec<_> = RefusalCode::ALL.iter().filter(|code| !seen.contains(code)).collect();
    assert!(missing.is_empty(), "never reached: {missing:?}");
}

#[test]
fn the_first_check_that_fails_answers() {
    let folder = Folder::new("order");
    let mut desk = strict_desk(&folder);
    assert_eq!(desk.invoke(&whole("used")).unwrap().outcome, Outcome::Completed);
    let list = spoils();
    // Pairs that change different parts of the request; the earlier one must answer.
    let part = |at: usize| match list[at].0 {
        RefusalCode::CallerEvidenceInvalid => "evidence",
        code if code.code().contains("grant") => "grant",
        RefusalCode::CapacityExhausted => "budget",
        RefusalCode::InvalidInput if at == 22 => "budget",
        code => code.code(),
    };
    let mut pairs = 0;
    for first in 0..list.len() {
        for second in first + 1..list.len() {
            // An unknown caller holds no grant of its own; the conflict needs its own input.
            if part(first) == part(second) {
                continue;
            }
            let mut request = spoilt(&[first, second]);
            let conflict = RefusalCode::InvocationIdConflict;
            if list[first].0 == conflict || list[second].0 == conflict {
                request.input["other"] = json!(1);
                let evidence = |at: usize| list[at].0 == RefusalCode::CallerEvidenceInvalid;
                if !evidence(first) && !evidence(second) {
                    sign(&mut request, &key(1));
                }
            }
            // The deadline may not lie before the making of the request.
            if list[first].0 == RefusalCode::StaleRequest && first == 1 {
                continue;
            }
            ready(&mut desk, &request);
            let answer = desk.invoke(&request).unwrap();
            assert_eq!(code(&answer), Some(list[first].0), "{first}, {second}: {answer:?}");
            pairs += 1;
        }
    }
    println!("{pairs} pairs of faults, the earlier one answered each");
}

#[test]
fn nothing_is_recorded_before_admission() {
    let folder = Folder::new("nothing");
    let mut desk = strict_desk(&folder);
    let path = folder.path("host").join("ledger/ledger.jsonl");
    for (at, (wanted, _)) in spoils().iter().enumerate() {
        if *wanted == RefusalCode::InvocationIdConflict {
            continue;
        }
        let request = spoilt(&[at]);
        ready(&mut desk, &request);
        assert_eq!(desk.invoke(&request).unwrap().outcome, Outcome::Refused);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 0, "{wanted:?} left a record");
        assert_eq!(desk.status("alice", "fresh").unwrap(), None);
    }
    // A refusal does not use up the id.
    desk.service_mut().not_ready = None;
    assert_eq!(desk.invoke(&whole("fresh")).unwrap().outcome, Outcome::Completed);
}

#[test]
fn a_replay_is_answered_from_the_record() {
    let folder = Folder::new("replay");
    let root = folder.path("host");
    let mut desk = desk(&root);
    let first = desk.invoke(&request("cw.commit", "a")).unwrap();
    assert_eq!(first.outcome, Outcome::Completed);
    assert_eq!(first.result_status, Some(ResultStatus::Retained));
    assert_eq!(desk.invoke(&request("cw.commit", "a")).unwrap(), first);
    assert_eq!(desk.status("alice", "a").unwrap(), Some(first.clone()));
    assert_eq!(desk.service().count("run", "a"), 1);
    // Another caller's ids are its own.
    desk.policy_mut().callers.insert("bob".to_owned(), None);
    let mut other = request("cw.commit", "a");
    other.caller = "bob".to_owned();
    assert_eq!(desk.invoke(&other).unwrap().outcome, Outcome::Completed);
    assert_eq!(desk.service().count("run", "a"), 2);

    // Aborted stays aborted under its id; a new id runs.
    let mut failing = request("cw.evaluate", "b");
    failing.input = json!({"does": "fail"});
    let aborted = desk.invoke(&failing).unwrap();
    assert_eq!((aborted.outcome, aborted.cause), (Outcome::Aborted, Some(Cause::NoOutcome)));
    assert_eq!(desk.invoke(&failing).unwrap(), aborted);
    assert_eq!(desk.service().count("run", "b"), 1);
    failing.invocation_id = "c".to_owned();
    desk.invoke(&failing).unwrap();
    assert_eq!(desk.service().count("run", "c"), 1);

    // An output that is gone or changed is unavailable, not something else.
    let outputs: Vec<_> = std::fs::read_dir(root.join("ledger/outputs")).unwrap().collect();
    for output in outputs {
        std::fs::write(output.unwrap().path(), b"{}").unwrap();
    }
    let again = desk.invoke(&request("cw.commit", "a")).unwrap();
    assert_eq!(again.result_status, Some(ResultStatus::Unavailable));
    assert_eq!((again.output, again.output_digest), (None, None));
    assert_eq!(desk.service().count("run", "a"), 2);
}

#[test]
fn started_is_a_read_and_never_runs_again() {
    let folder = Folder::new("started");
    let root = folder.path("host");
    let mut slow = desk(&root);
    // While the first desk works, a second one on the same ledger is asked the same.
    let inner = root.clone();
    slow.service_mut().inside = Some(Box::new(move || {
        let mut second = desk(&inner);
        let answer = second.invoke(&request("cw.commit", "a")).unwrap();
        assert_eq!(answer.outcome, Outcome::Started, "{answer:?}");
        assert_eq!(answer.output, None);
        let answer = second.status("alice", "a").unwrap().unwrap();
        assert_eq!(answer.outcome, Outcome::Started);
        assert_eq!(second.recover().unwrap(), 0, "its owner lives");
    }));
    assert_eq!(slow.invoke(&request("cw.commit", "a")).unwrap().outcome, Outcome::Completed);
    assert_eq!(slow.service().count("run", "a"), 1);
}

#[test]
fn output_is_kept_only_when_it_fits_its_contract() {
    let folder = Folder::new("lies");
    let mut desk = desk(&folder.path("host"));
    for (tool, outcome) in [("cw.evaluate", Outcome::Aborted), ("cw.commit", Outcome::Unknown)] {
        let mut lying = request(tool, tool);
        lying.input = json!({"does": "lie"});
        let answer = desk.invoke(&lying).unwrap();
        assert_eq!(answer.outcome, outcome);
        assert_eq!(answer.cause, Some(Cause::OutputContractViolation));
        assert_eq!((&answer.output, &answer.output_digest), (&None, &None));
        assert_eq!(desk.invoke(&lying).unwrap(), answer);
        assert_eq!(desk.service().count("run", tool), 1);
    }
}

#[test]
fn an_engine_that_fails_is_answered_and_then_unavailable() {
    let folder = Folder::new("panics");
    let mut desk = desk(&folder.path("host"));
    let mut bad = request("cw.commit", "a");
    bad.input = json!({"does": "panic"});
    let answer = desk.invoke(&bad).unwrap();
    assert_eq!((answer.outcome, answer.cause), (Outcome::Aborted, Some(Cause::NoOutcome)));
    let answer = desk.invoke(&request("cw.commit", "b")).unwrap();
    assert_eq!(code(&answer), Some(RefusalCode::ProviderUnavailable));
}

#[test]
fn compensated_and_unknown_stay_so() {
    let folder = Folder::new("undone");
    let root = folder.path("host");
    let mut desk = desk(&root);
    desk.invoke(&request("cw.commit", "a")).unwrap();
    desk.compensated("alice", "a").unwrap();
    let answer = desk.invoke(&request("cw.commit", "a")).unwrap();
    assert_eq!(answer.outcome, Outcome::Compensated);
    assert_eq!(desk.service().count("run", "a"), 1);
    let order = desk.compensated("alice", "a");
    assert!(matches!(order, Err(DeskError::Ledger(LedgerError::Order { .. }))), "{order:?}");
    let order = desk.compensated("alice", "never");
    assert!(matches!(order, Err(DeskError::Ledger(LedgerError::Order { .. }))), "{order:?}");
}

#[test]
fn a_grant_limits_budget_and_is_taken_back() {
    let folder = Folder::new("grants");
    let mut desk = strict_desk(&folder);
    // Ten units; each call asks for three and costs three.
    for id in ["a", "b", "c"] {
        let answer = desk.invoke(&whole(id)).unwrap();
        assert_eq!(answer.outcome, Outcome::Completed, "{answer:?}");
    }
    let answer = desk.invoke(&whole("d")).unwrap();
    assert_eq!(code(&answer), Some(RefusalCode::CapacityExhausted), "{answer:?}");
    // A replay costs nothing.
    assert_eq!(desk.invoke(&whole("a")).unwrap().outcome, Outcome::Completed);

    // Another grant of the same caller has its own account, until it is withdrawn.
    let second = |id: &str| {
        let mut request = whole(id);
        let changed = Grant { id: "g-2".to_owned(), ..grant() };
        request.grant = Some(GrantBook::issue(&changed, &key(7)).unwrap());
        request
    };
    assert_eq!(desk.invoke(&second("e")).unwrap().outcome, Outcome::Completed);
    let book = GrantBook::new(issuers(), &folder.path("host").join("withdrawn"));
    let withdrawal = |tombstone| Withdrawal {
        schema: WITHDRAWAL_SCHEMA.to_owned(),
        grant: "g-2".to_owned(),
        tombstone,
    };
    let stranger = GrantBook::sign(&withdrawal(true), &key(9)).unwrap();
    assert!(book.withdraw(&stranger).is_err(), "anybody may withdraw");
    book.withdraw(&GrantBook::sign(&withdrawal(false), &key(7)).unwrap()).unwrap();
    let answer = desk.invoke(&second("f")).unwrap();
    assert_eq!(code(&answer), Some(RefusalCode::GrantRevokedOrExpired));
    book.withdraw(&GrantBook::sign(&withdrawal(true), &key(7)).unwrap()).unwrap();
    // A plain withdrawal does not lift a tombstone.
    book.withdraw(&GrantBook::sign(&withdrawal(false), &key(7)).unwrap()).unwrap();
    let answer = desk.invoke(&second("f")).unwrap();
    assert_eq!(code(&answer), Some(RefusalCode::GrantVoidedByTombstone));
    // A withdrawal that cannot be read still counts.
    for file in std::fs::read_dir(folder.path("host").join("withdrawn")).unwrap() {
        std::fs::write(file.unwrap().path(), b"").unwrap();
    }
    let answer = desk.invoke(&second("f")).unwrap();
    assert_eq!(code(&answer), Some(RefusalCode::GrantRevokedOrExpired));
}

#[test]
fn every_changed_byte_of_a_grant_is_refused() {
    let folder = Folder::new("bent");
    let book = GrantBook::new(issuers(), &folder.path("withdrawn"));
    let text = GrantBook::issue(&grant(), &key(7)).unwrap();
    assert_eq!(book.open(&text).unwrap(), grant());
    for at in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        let bent = String::from_utf8(bytes).unwrap();
        assert!(book.open(&bent).is_err(), "byte {at}");
    }
    // A withdrawal is not a grant, nor the other way round.
    assert!(book.withdraw(&text).is_err());
}

#[test]
fn of_many_at_once_exactly_one_starts() {
    for conflicting in [false, true] {
        for round in 0..8 {
            let folder = Folder::new(&format!("race-{conflicting}-{round}"));
            let root = folder.path("host");
            let barrier = Arc::new(Barrier::new(6));
            let threads: Vec<_> = (0..6)
                .map(|n| {
                    let (root, barrier) = (root.clone(), barrier.clone());
                    std::thread::spawn(move || {
                        // Each has its own handles, as processes have.
                        let mut desk = desk(&root);
                        let mut request = request("cw.commit", "same");
                        if conflicting {
                            request.input = json!({ "n": n });
                        }
                        barrier.wait();
                        desk.invoke(&request).unwrap()
                    })
                })
                .collect();
            let answers: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
            assert_eq!(Toy::new(&root).count("run", "same"), 1, "{answers:?}");
            let refused = answers.iter().filter(|a| a.outcome == Outcome::Refused).count();
            assert_eq!(refused, if conflicting { 5 } else { 0 }, "{answers:?}");
            let conflict = Some(RefusalCode::InvocationIdConflict);
            assert!(answers.iter().all(|a| a.outcome != Outcome::Refused || code(a) == conflict));
        }
    }
}

#[test]
fn a_ledger_that_was_changed_is_refused() {
    let folder = Folder::new("changed");
    let root = folder.path("host");
    let mut desk = desk(&root);
    for id in ["a", "b"] {
        desk.invoke(&request("cw.evaluate", id)).unwrap();
    }
    drop(desk);
    let path = root.join("ledger/ledger.jsonl");
    let whole = std::fs::read(&path).unwrap();
    let open = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Ledger::open(&root.join("ledger"))
    };
    for at in 0..whole.len() {
        let mut bent = whole.clone();
        bent[at] ^= 1;
        // The last line end makes a torn line of the last line, which a kill could have left.
        if at + 1 != whole.len() {
            let found = open(&bent);
            assert!(matches!(found, Err(LedgerError::Line { .. })), "byte {at}: {found:?}");
        }
    }
    let lines: Vec<&[u8]> = whole.split_inclusive(|b| *b == b'\n').collect();
    for gone in 0..lines.len() - 1 {
        let mut rest = lines.clone();
        rest.remove(gone);
        assert!(open(&rest.concat()).is_err(), "line {gone} removed");
    }
    let mut twice = lines.clone();
    twice.push(lines[0]);
    assert!(open(&twice.concat()).is_err(), "a line twice");
}

#[test]
fn a_ledger_cut_at_any_byte_goes_on() {
    let folder = Folder::new("cuts");
    let root = folder.path("host");
    let mut first = desk(&root);
    for id in ["a", "b"] {
        first.invoke(&request("cw.commit", id)).unwrap();
    }
    drop(first);
    let path = root.join("ledger/ledger.jsonl");
    let whole = std::fs::read(&path).unwrap();
    // Every byte around the ends of lines, and some within.
    let near = |cut: usize| {
        let ends = whole.iter().enumerate().filter(|(_, b)| **b == b'\n');
        ends.map(|(at, _)| at).any(|at| cut.abs_diff(at) < 3)
    };
    for cut in (0..=whole.len()).filter(|cut| cut % 101 == 0 || near(*cut)) {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let mut again = desk(&root);
        let fresh = again.invoke(&request("cw.evaluate", &format!("after-{cut}"))).unwrap();
        assert_eq!(fresh.outcome, Outcome::Completed, "cut at {cut}");
        // What had begun is decided from the world: it was committed.
        for id in ["a", "b"] {
            let found = again.status("alice", id).unwrap();
            assert!(found.is_none_or(|f| f.outcome == Outcome::Completed), "{id} cut at {cut}");
        }
        drop(again);
        Ledger::open(&root.join("ledger")).unwrap();
    }
}

/// With `CELLWRIGHT_BLESS=1` the examples of the invocation page are written.
#[test]
fn examples_of_the_page_are_what_the_desk_answers() {
    let folder = Folder::new("examples");
    let mut desk = strict_desk(&folder);
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../agent-api/contract/docs/examples");
    let request = whole("example");
    let completed = desk.invoke(&request).unwrap();
    let mut late = whole("late");
    late.deadline = at(0);
    sign(&mut late, &key(1));
    let refused = desk.invoke(&late).unwrap();
    for (name, value) in [
        ("invoke-request", serde_json::to_value(&request).unwrap()),
        ("invoke-completed", serde_json::to_value(&completed).unwrap()),
        ("invoke-refused", serde_json::to_value(&refused).unwrap()),
        ("grant", serde_json::to_value(grant()).unwrap()),
    ] {
        let path = docs.join(format!("{name}.json"));
        let text = serde_json::to_string_pretty(&value).unwrap() + "\n";
        if std::env::var_os("CELLWRIGHT_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{name} is stale");
    }
    // Those of the run directory are what its types take, whole.
    let read = |name: &str| std::fs::read(docs.join(name)).unwrap();
    let entry: serde_json::Value = serde_json::from_slice(&read("journal-entry.json")).unwrap();
    let typed = cellwright_judge::journal::JournalEntry::from_value(&entry).unwrap();
    assert_eq!(serde_json::to_value(typed).unwrap(), entry);
    let verdict: serde_json::Value = serde_json::from_slice(&read("verdict.json")).unwrap();
    let typed: cellwright_judge::verdict::Verdict =
        serde_json::from_value(verdict.clone()).unwrap();
    assert_eq!(serde_json::to_value(typed).unwrap(), verdict);
}
