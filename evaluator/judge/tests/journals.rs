//! The journal keeps what it acknowledged and refuses what it did not write.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod common;

use cellwright_judge::digest::merkle;
use cellwright_judge::journal::deltas::{DeltaLogReader, DeltaLogWriter};
use cellwright_judge::journal::{FIELDS, Fsync, JournalError, JournalWriter, read_all};
use common::{Folder, entry};
use proptest::prelude::*;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

fn write(path: &Path, count: u64) {
    let mut w = JournalWriter::create(path, Fsync::Manual).unwrap();
    for seq in 1..=count {
        w.append(&entry(seq)).unwrap();
    }
    w.sync().unwrap();
}

#[test]
fn exactly_fourteen_fields_and_the_next_seq() {
    let folder = Folder::new("journal-fields");
    let mut w = JournalWriter::create(&folder.path("j"), Fsync::Each).unwrap();
    let whole = serde_json::to_value(entry(1)).unwrap();
    assert_eq!(whole.as_object().unwrap().len(), 14);
    for field in FIELDS {
        let mut less = whole.clone();
        less.as_object_mut().unwrap().remove(field);
        assert!(matches!(w.append_value(&less), Err(JournalError::Fields { .. })), "{field}");
    }
    let mut more = whole.clone();
    more["extra"] = json!(1);
    assert!(matches!(w.append_value(&more), Err(JournalError::Fields { .. })));
    for (field, bad) in [
        ("seq", json!(2)),
        ("seq", json!(0)),
        ("commit_seq", json!(2)),
        ("seq", json!("1")),
        ("tool", json!("")),
        ("error", json!({"code": "X"})),
        ("arrival_seq", json!(1_u64 << 53)),
        ("vt", json!(null)),
        ("args", json!({"id": u64::MAX})),
        ("fault_injected", json!(0)),
    ] {
        let mut v = whole.clone();
        v[field] = bad.clone();
        assert!(w.append_value(&v).is_err(), "{field} = {bad}");
    }
    // Nesting that no reader of ours would take is not written either.
    let mut deep = json!(0);
    for _ in 0..80 {
        deep = json!([deep]);
    }
    let mut v = whole.clone();
    v["args"] = deep;
    assert!(w.append_value(&v).is_err());
    // None of it left a trace.
    assert_eq!((w.next_seq(), w.point().seq), (1, 0));
    assert!(w.append_value(&whole).unwrap().durable);
    drop(w);
    assert_eq!(read_all(&folder.path("j")).unwrap().0, [entry(1)]);
}

#[test]
fn group_commit_acknowledges_only_what_is_durable() {
    let folder = Folder::new("journal-group");
    let path = folder.path("j");
    let group = Fsync::Group { entries: 4, delay: Duration::from_secs(3600) };
    let mut w = JournalWriter::create(&path, group).unwrap();
    let durable: Vec<bool> = (1..=9).map(|s| w.append(&entry(s)).unwrap().durable).collect();
    assert_eq!(durable, [false, false, false, true, false, false, false, true, false]);
    assert_eq!(w.durable_seq(), 8);
    assert_eq!(read_all(&path).unwrap().0.len(), 8);
    assert_eq!(w.sync().unwrap(), 9);
    // A second writer is kept out while the first lives.
    assert!(matches!(JournalWriter::resume(&path, group), Err(JournalError::Locked { .. })));
    assert!(matches!(JournalWriter::create(&path, group), Err(JournalError::Io { .. })));
}

#[test]
fn a_kill_at_any_byte_is_survived() {
    let folder = Folder::new("journal-kill");
    let path = folder.path("j");
    write(&path, 2);
    let bytes = std::fs::read(&path).unwrap();
    let ends: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1).collect();
    for cut in 0..=bytes.len() {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let whole = ends.iter().filter(|e| **e <= cut).count() as u64;
        let torn = cut - ends.iter().copied().filter(|e| *e <= cut).max().unwrap_or(0);
        if torn > 0 {
            assert!(
                matches!(read_all(&path), Err(JournalError::Torn { line, .. }) if line == whole + 1)
            );
        }
        let (mut w, found) = JournalWriter::resume(&path, Fsync::Manual).unwrap();
        assert_eq!((found.entries, found.cut_bytes), (whole, torn as u64), "cut at {cut}");
        for seq in whole + 1..=2 {
            w.append(&entry(seq)).unwrap();
        }
        drop(w);
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "cut at {cut}");
    }
}

#[test]
fn anything_but_a_torn_end_is_refused_with_its_line() {
    let folder = Folder::new("journal-bad");
    let path = folder.path("j");
    write(&path, 4);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let join = |l: &[&str]| format!("{}\n", l.join("\n"));
    let renamed = lines[1].replace("\"turn_id\"", "\"turn_ix\"");
    let twice = lines[1].replacen("{\"seq\":2", "{\"seq\":2,\"seq\":2", 1);
    let inner = lines[1].replacen("\"args\":{", "\"args\":{\"x\":0,", 1);
    for (bad, at) in [
        (join(&[lines[0], lines[2], lines[3]]), 2),
        (join(&[lines[0], lines[1], lines[1], lines[3]]), 3),
        (join(&[lines[1], lines[0]]), 1),
        (join(&[lines[0], "", lines[1]]), 2),
        (join(&[lines[0], "{", lines[2]]), 2),
        (join(&[lines[0], &renamed, lines[2]]), 2),
        (join(&[lines[0], &twice, lines[2]]), 2),
        (join(&[lines[0], &inner, lines[2]]), 2),
        (join(&[lines[0], lines[1], "\0\0\0"]), 3),
    ] {
        std::fs::write(&path, &bad).unwrap();
        for result in
            [read_all(&path).map(drop), JournalWriter::resume(&path, Fsync::Manual).map(drop)]
        {
            match result {
                Err(JournalError::Line { line, .. }) => assert_eq!(line, at, "{bad}"),
                other => panic!("{other:?}: {bad}"),
            }
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), bad, "a refusal changes nothing");
    }
}

#[test]
fn the_chain_goes_on_where_it_stopped() {
    let folder = Folder::new("journal-chain");
    write(&folder.path("a"), 6);
    write(&folder.path("b"), 3);
    let (mut w, _) = JournalWriter::resume(&folder.path("b"), Fsync::Manual).unwrap();
    for s in 4..=6 {
        w.append(&entry(s)).unwrap();
    }
    let point = w.point();
    drop(w);
    assert_eq!(read_all(&folder.path("a")).unwrap().1, point);
    assert_eq!(read_all(&folder.path("b")).unwrap().1, point);
}

#[test]
fn a_delta_log_holds_its_batches_and_nothing_else() {
    let folder = Folder::new("deltas");
    let path = folder.path("deltas.bin");
    let mut w = DeltaLogWriter::create(&path).unwrap();
    let payloads: Vec<Vec<u8>> = (0..10u8).map(|i| vec![i; usize::from(i) * 3]).collect();
    payloads[..4].iter().for_each(|p| w.push(p).unwrap());
    let first = w.seal_batch().unwrap();
    payloads[4..].iter().for_each(|p| w.push(p).unwrap());
    let second = w.seal_batch().unwrap();
    drop(w);
    assert_eq!(first.root, merkle::root(&payloads[..4]));
    assert_eq!((first.first, first.count, second.first, second.count), (0, 4, 4, 6));
    let read = |path: &Path| -> Result<Vec<Vec<u8>>, JournalError> {
        let mut r = DeltaLogReader::open(path)?;
        let mut all = r.next_batch(&first)?;
        all.extend(r.next_batch(&second)?);
        Ok(all)
    };
    assert_eq!(read(&path).unwrap(), payloads);
    let bytes = std::fs::read(&path).unwrap();
    // Any changed byte is seen, and so is a batch that is named wrongly.
    for i in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[i] ^= 1;
        std::fs::write(&path, &changed).unwrap();
        assert!(read(&path).is_err(), "byte {i}");
    }
    std::fs::write(&path, &bytes).unwrap();
    assert!(DeltaLogReader::open(&path).unwrap().next_batch(&second).is_err());
    // A kill at any byte behind the first batch, when the journal names only that one.
    let end = (first.offset + first.bytes) as usize;
    for cut in end..=bytes.len() {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let mut w = DeltaLogWriter::resume(&path, Some(&first)).unwrap();
        payloads[4..].iter().for_each(|p| w.push(p).unwrap());
        assert_eq!(w.seal_batch().unwrap(), second, "cut at {cut}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    // Less than the journal names is a loss, and is said.
    std::fs::write(&path, &bytes[..end - 1]).unwrap();
    assert!(matches!(
        DeltaLogWriter::resume(&path, Some(&first)),
        Err(JournalError::Deltas { .. })
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in any::<bool>()) {
        let folder = Folder::new("journal-any");
        let path = folder.path("j");
        std::fs::write(&path, &bytes).unwrap();
        let _ = read_all(&path);
        let mut log = b"CWDELTAS\x01\0\0\0\0\0\0\0".to_vec();
        log.extend(&bytes);
        std::fs::write(&path, if tail { &log } else { &bytes }).unwrap();
        if let Ok(mut r) = DeltaLogReader::open(&path) {
            while let Ok(Some(_)) = r.next_record() {}
        }
    }
}
