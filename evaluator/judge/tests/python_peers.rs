//! Other people's programs read what we write. Each test says when its peer is not installed.
//!
//! `pip install eval-mock==0.1.0 'securesystemslib[crypto]'`; the interpreter is `python3`, or what
//! `CELLWRIGHT_PYTHON` names.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod common;

use cellwright_judge::digest::run_digest;
use cellwright_judge::digest::world::{Entity, world_digest};
use cellwright_judge::journal::{Fsync, JournalWriter, read_all};
use cellwright_judge::seal::seal;
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// Runs a script; none, with the reason printed, when the module is not there.
fn python(module: &str, script: &str, args: &[&Path]) -> Option<String> {
    let named = std::env::var("CELLWRIGHT_PYTHON");
    let interpreter = named.clone().unwrap_or_else(|_| "python3".into());
    let there = Command::new(&interpreter).args(["-c", &format!("import {module}")]).output();
    if !there.is_ok_and(|o| o.status.success()) {
        // Whoever names an interpreter wants the comparison, not a silent pass.
        assert!(named.is_err(), "CELLWRIGHT_PYTHON={interpreter} has no module {module}");
        println!("skipped: {interpreter} has no module {module}");
        return None;
    }
    let out = Command::new(&interpreter).arg("-c").arg(script).args(args).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).trim().to_owned();
    assert!(out.status.success(), "{text}\n{}", String::from_utf8_lossy(&out.stderr));
    Some(text)
}

#[test]
fn eval_mock_recomputes_our_digests_from_our_file() {
    let folder = common::Folder::new("peer-journal");
    let path = folder.path("journal.jsonl");
    let mut writer = JournalWriter::create(&path, Fsync::Manual).unwrap();
    for seq in 1..=50 {
        writer.append(&common::entry(seq)).unwrap();
    }
    writer.sync().unwrap();
    drop(writer);
    let (_, point) = read_all(&path).unwrap();
    let world: Vec<Entity> = (0..20)
        .map(|i| Entity {
            entity_type: format!("place.c{}", i % 3),
            id: json!(format!("i:{i}")),
            data: json!({"x": i * 190, "slack": f64::from(i) / 7.0, "wall_n": i}),
        })
        .collect();
    let rows: Vec<_> = world.iter().map(|e| json!([e.entity_type, e.id, e.data])).collect();
    std::fs::write(folder.path("world.json"), json!(rows).to_string()).unwrap();
    let script = r#"
import json, sys
from eval_mock.determinism.digest import journal_digest, world_digest, run_digest
from eval_mock.journal.journal import Journal
journal = Journal()
for line in open(sys.argv[1], encoding="utf-8"):
    journal.append(json.loads(line))
world = world_digest(map(tuple, json.load(open(sys.argv[2], encoding="utf-8"))))
print(journal.digest(), world, run_digest(journal.digest(), world))
"#;
    let Some(theirs) = python("eval_mock", script, &[&path, &folder.path("world.json")]) else {
        return;
    };
    let ours = world_digest(&world).unwrap();
    let cellwright_contract::refs::Digest::Sha256(j) = point.digest else {
        panic!("the journal's chain is SHA-256");
    };
    let journal = cellwright_contract::refs::Hex32(j);
    assert_eq!(theirs, format!("{journal} {ours} {}", run_digest(journal, ours)));
}

#[test]
fn securesystemslib_verifies_our_envelope() {
    let folder = common::Folder::new("peer-seal");
    let keys = [common::key(1), common::key(2)];
    let bytes = seal(&common::statement(), &[&keys[0], &keys[1]]).unwrap();
    std::fs::write(folder.path("cert.json"), &bytes).unwrap();
    for (i, key) in keys.iter().enumerate() {
        key.public().save(&folder.path(&format!("{i}.pub"))).unwrap();
    }
    let script = r#"
import json, sys
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import Key, SSlibKey
from securesystemslib.signer._utils import compute_default_keyid
keys = []
for path in sys.argv[2:]:
    d = json.load(open(path))
    keyid = d.pop("keyid")
    assert keyid == compute_default_keyid(d["keytype"], d["scheme"], d["keyval"])
    keys.append(Key.from_dict(keyid, d))
envelope = Envelope.from_dict(json.load(open(sys.argv[1])))
accepted = envelope.verify(keys, 2)
assert sorted(accepted) == sorted(k.keyid for k in keys)
assert json.loads(envelope.payload)["_type"] == "https://in-toto.io/Statement/v1"
envelope.payload = envelope.payload.replace(b'"hpwl"', b'"hpwm"')
try:
    envelope.verify(keys, 1)
except VerificationError:
    print("verified", envelope.payload_type)
"#;
    let args = [folder.path("cert.json"), folder.path("0.pub"), folder.path("1.pub")];
    let args: Vec<_> = args.iter().map(|p| p.as_path()).collect();
    if let Some(text) = python("securesystemslib", script, &args) {
        assert_eq!(text, "verified application/vnd.in-toto+json");
    }
}
