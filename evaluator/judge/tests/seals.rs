//! Certificates and keys: every change is refused, each kind for its own reason.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod common;

use cellwright_judge::keys::{KeyError, PublicKey, SecretKey, TrustList};
use cellwright_judge::seal::{Policy, SealError, open, open_bytes, seal, seal_bytes};
use common::{Folder, key, statement};
use proptest::prelude::*;
use serde_json::{Value, json};

fn trust(keys: &[&SecretKey]) -> TrustList {
    let mut list = TrustList::new();
    keys.iter().for_each(|k| assert!(list.add(k.public()).unwrap()));
    list
}

const STRICT: Policy = Policy { threshold: 1, allow_untrusted: false };

#[test]
fn what_is_sealed_opens() {
    let (a, b) = (key(1), key(2));
    let bytes = seal(&statement(), &[&a, &b]).unwrap();
    let policy = Policy { threshold: 2, ..STRICT };
    let (back, opened) = open(&bytes, &trust(&[&a, &b]), policy).unwrap();
    assert_eq!(back, statement());
    assert_eq!(opened.signers, [a.public().keyid.clone(), b.public().keyid.clone()]);
    assert_eq!(opened.payload, serde_json::to_vec(&statement()).unwrap());
    // Signing is deterministic (RFC 8032): the same statement, the same envelope.
    assert_eq!(seal(&statement(), &[&a, &b]).unwrap(), bytes);
}

#[test]
fn every_changed_byte_is_refused() {
    let (a, b) = (key(1), key(2));
    let list = trust(&[&a, &b]);
    let bytes = seal(&statement(), &[&a, &b]).unwrap();
    for i in 0..bytes.len() {
        for flip in [1u8, 0x20, 0x80] {
            let mut changed = bytes.clone();
            changed[i] ^= flip;
            assert!(open(&changed, &list, STRICT).is_err(), "byte {i} ^ {flip}");
        }
        let mut shorter = bytes.clone();
        shorter.remove(i);
        assert!(open(&shorter, &list, STRICT).is_err(), "byte {i} removed");
        let mut longer = bytes.clone();
        longer.insert(i, b' ');
        assert!(open(&longer, &list, STRICT).is_err(), "space before byte {i}");
    }
    assert!(open(&[&bytes[..], b"\n"].concat(), &list, STRICT).is_err());
}

#[test]
fn each_kind_of_change_has_its_own_answer() {
    let (a, b, stranger) = (key(1), key(2), key(3));
    let list = trust(&[&a, &b]);
    let bytes = seal(&statement(), &[&a, &b]).unwrap();
    let edit = |f: &dyn Fn(&mut Value)| {
        let mut v: Value = serde_json::from_slice(&bytes).unwrap();
        f(&mut v);
        // Members in the order of the envelope, whatever the map does.
        let sigs: Vec<String> = v["signatures"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| match s.get("keyid") {
                Some(id) => format!(r#"{{"keyid":{id},"sig":{}}}"#, s["sig"]),
                None => format!(r#"{{"sig":{}}}"#, s["sig"]),
            })
            .collect();
        format!(
            r#"{{"payload":{},"payloadType":{},"signatures":[{}]}}"#,
            v["payload"],
            v["payloadType"],
            sigs.join(",")
        )
        .into_bytes()
    };
    let answer = |bytes: &[u8], policy| open(bytes, &list, policy).unwrap_err();
    assert_eq!(edit(&|_| {}), bytes);

    // A different type, also when it was signed as such.
    let other = seal_bytes("text/plain", b"{}", &[&a]).unwrap();
    assert!(matches!(answer(&other, STRICT), SealError::PayloadType { .. }));
    // One signature copied does not make two.
    let copied = edit(&|v| v["signatures"][1] = v["signatures"][0].clone());
    assert!(matches!(answer(&copied, STRICT), SealError::Duplicate(0, 1)));
    // Nor does one signature under the other key's name.
    let renamed = edit(&|v| v["signatures"][1]["sig"] = v["signatures"][0]["sig"].clone());
    assert!(matches!(answer(&renamed, STRICT), SealError::Duplicate(0, 1)));
    let swapped = edit(&|v| {
        let first = v["signatures"][0]["sig"].take();
        v["signatures"][0]["sig"] = v["signatures"][1]["sig"].take();
        v["signatures"][1]["sig"] = first;
    });
    assert!(matches!(answer(&swapped, STRICT), SealError::BadSignature(_)));
    // Base64: bits that a lenient reader drops, the other alphabet, no padding.
    let sig = serde_json::from_slice::<Value>(&bytes).unwrap()["signatures"][0]["sig"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(sig.ends_with("=="));
    let last = sig.as_bytes()[sig.len() - 3] as char;
    let loose = char::from_u32(last as u32 + 1).unwrap();
    for bad in [
        format!("{}{loose}==", &sig[..sig.len() - 3]),
        sig.trim_end_matches('=').to_owned(),
        sig.replace(['+', '/'], "_"),
        format!("{sig}\u{a}"),
    ] {
        let changed = edit(&|v| v["signatures"][0]["sig"] = json!(bad));
        assert!(matches!(answer(&changed, STRICT), SealError::NotCanonical), "{bad}");
    }
    // No key named, an unknown key, too few keys, none.
    let unnamed = edit(&|v| {
        v["signatures"][0].as_object_mut().unwrap().remove("keyid");
    });
    assert!(matches!(answer(&unnamed, STRICT), SealError::NoKeyId(0)));
    let foreign = seal(&statement(), &[&a, &stranger]).unwrap();
    assert!(matches!(answer(&foreign, STRICT), SealError::Untrusted(_)));
    let lenient = Policy { threshold: 1, allow_untrusted: true };
    assert!(open(&foreign, &list, lenient).is_ok());
    let two = Policy { threshold: 2, allow_untrusted: true };
    assert!(matches!(answer(&foreign, two), SealError::Threshold { accepted: 1, threshold: 2 }));
    let none = edit(&|v| v["signatures"] = json!([]));
    assert!(matches!(answer(&none, STRICT), SealError::Threshold { accepted: 0, threshold: 1 }));
    // Signed, but not a statement; signed, but against a rule.
    let junk = seal_bytes("application/vnd.in-toto+json", b"{}", &[&a]).unwrap();
    assert!(matches!(answer(&junk, STRICT), SealError::Payload(_)));
    let mut empty = serde_json::to_value(statement()).unwrap();
    empty["predicate"]["not_proven"] = json!([]);
    let text = serde_json::to_vec(&empty).unwrap();
    let broken = seal_bytes("application/vnd.in-toto+json", &text, &[&a]).unwrap();
    assert!(matches!(answer(&broken, STRICT), SealError::Payload(_)));
    let typed = serde_json::from_value(empty).unwrap();
    assert!(matches!(seal(&typed, &[&a]), Err(SealError::Statement(_))));
    // Signing without a key, or twice with one.
    assert!(matches!(seal(&statement(), &[]), Err(SealError::Signers)));
    assert!(matches!(seal(&statement(), &[&a, &a]), Err(SealError::Signers)));
}

#[test]
fn keys_in_files() {
    let folder = Folder::new("keys");
    let (secret, public) = (folder.path("judge.key"), folder.path("judge.pub"));
    let key = SecretKey::generate().unwrap();
    key.save(&secret).unwrap();
    key.public().save(&public).unwrap();
    assert_eq!(SecretKey::load(&secret).unwrap().public(), key.public());
    assert_eq!(&PublicKey::load(&public).unwrap(), key.public());
    assert_ne!(SecretKey::generate().unwrap().public(), key.public());
    // The secret is in its file and nowhere else.
    let private = std::fs::read_to_string(&secret).unwrap();
    let private: Value = serde_json::from_str(&private).unwrap();
    let private = private["keyval"]["private"].as_str().unwrap();
    assert!(!format!("{key:?}").contains(private));
    assert!(!std::fs::read_to_string(&public).unwrap().contains(private));
    // Never overwritten, and nothing is left beside it.
    assert!(matches!(key.save(&secret), Err(KeyError::Exists { .. })));
    let files = std::fs::read_dir(folder.path("")).unwrap().count();
    assert_eq!(files, 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |m| std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(m));
        assert_eq!(std::fs::metadata(&secret).unwrap().permissions().mode() & 0o777, 0o600);
        mode(0o640).unwrap();
        assert!(matches!(SecretKey::load(&secret), Err(KeyError::Permissions { mode: 0o640, .. })));
        mode(0o600).unwrap();
    }
    // A file whose parts do not belong together.
    let text = std::fs::read_to_string(&secret).unwrap();
    let other = common::key(9).public().keyval.public.clone();
    std::fs::write(&secret, text.replace(&key.public().keyval.public, &other)).unwrap();
    assert!(matches!(SecretKey::load(&secret), Err(KeyError::Malformed { .. })));
}

#[test]
fn trust_lists_in_files() {
    let folder = Folder::new("trust");
    let path = folder.path("trust.json");
    let mut list = trust(&[&key(1), &key(2)]);
    assert!(!list.add(key(1).public()).unwrap());
    list.save(&path).unwrap();
    list.add(key(3).public()).unwrap();
    list.save(&path).unwrap();
    let back = TrustList::load(&path).unwrap();
    assert!(back.keys().eq(list.keys()));
    assert!(list.remove(&key(3).public().keyid) && !list.remove(&key(3).public().keyid));
    // A key whose id is not its own, a key of small order, a key twice.
    let mut lie = key(1).public().clone();
    lie.keyid = key(2).public().keyid.clone();
    assert!(list.add(&lie).is_err());
    let mut weak = key(1).public().clone();
    weak.keyval.public = "0100000000000000000000000000000000000000000000000000000000000000".into();
    assert!(list.add(&weak).is_err());
    let k = serde_json::to_value(key(1).public()).unwrap();
    let twice = json!({"schema": "cellwright-trust/1", "keys": [k, k]});
    std::fs::write(&path, twice.to_string()).unwrap();
    assert!(matches!(TrustList::load(&path), Err(KeyError::Malformed { .. })));
}

proptest! {
    #[test]
    fn any_bytes_are_refused_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(open(&bytes, &trust(&[&key(1)]), STRICT).is_err());
    }

    #[test]
    fn any_payload_round_trips(payload in proptest::collection::vec(any::<u8>(), 0..300)) {
        let bytes = seal_bytes("application/octet-stream", &payload, &[&key(1)]).unwrap();
        let opened = open_bytes(&bytes, "application/octet-stream", &trust(&[&key(1)]), STRICT);
        prop_assert_eq!(opened.unwrap().payload, payload);
    }
}
