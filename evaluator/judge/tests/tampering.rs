//! Each field of each layer of a certificate, changed: refused, with the answer of that layer.
//!
//! The layers: the DSSE envelope's members, the signed payload (the statement and the certificate in
//! it), and a payload that is signed anew, by a stranger or by the issuer. Layers below (deltas,
//! inputs, chain, physics) are in the root's `tests/demo.rs`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod common;

use cellwright_contract::certificate::PAYLOAD_TYPE;
use cellwright_judge::keys::TrustList;
use cellwright_judge::seal::{Policy, SealError, open, seal, seal_bytes};
use common::{key, statement};
use serde_json::{Value, json};

fn trust() -> TrustList {
    let mut list = TrustList::new();
    list.add(key(1).public()).unwrap();
    list
}

fn refusal(bytes: &[u8]) -> Option<SealError> {
    open(bytes, &trust(), Policy::default()).err()
}

/// The place of every value below `value`, inner ones included.
fn places(at: &str, value: &Value, list: &mut Vec<String>) {
    let mut below = |key: &str, inner: &Value| {
        let key = key.replace('~', "~0").replace('/', "~1");
        let place = format!("{at}/{key}");
        list.push(place.clone());
        places(&place, inner, list);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, inner)| below(key, inner)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, inner)| below(&i.to_string(), inner));
        }
        _ => {}
    }
}

/// Another value of the same kind.
fn other(value: &Value) -> Value {
    match value {
        Value::Null => json!(1),
        Value::Bool(b) => json!(!b),
        Value::Number(n) => json!(n.as_f64().unwrap() + 1.0),
        Value::String(text) => json!(format!("{text}0")),
        Value::Array(items) => json!([items.clone(), vec![Value::Null]].concat()),
        Value::Object(map) => {
            let mut map = map.clone();
            map.insert("more".to_owned(), json!(1));
            Value::Object(map)
        }
    }
}

/// The payload as JSON, and every place in it.
fn payload() -> (Value, Vec<String>) {
    let value = serde_json::to_value(statement()).unwrap();
    let mut list = Vec::new();
    places("", &value, &mut list);
    assert!(list.len() > 60, "only {} places", list.len());
    (value, list)
}

/// The issuer's envelope with another payload under the same signature.
fn repacked(value: &Value) -> Vec<u8> {
    let whole: Value = serde_json::from_slice(&seal(&statement(), &[&key(1)]).unwrap()).unwrap();
    // Whoever changes a payload has it encoded by the same means; only the signature is the old one.
    let fresh = seal_bytes(PAYLOAD_TYPE, &serde_json::to_vec(value).unwrap(), &[&key(1)]).unwrap();
    let fresh: Value = serde_json::from_slice(&fresh).unwrap();
    format!(
        r#"{{"payload":{},"payloadType":{},"signatures":[{{"keyid":{},"sig":{}}}]}}"#,
        fresh["payload"],
        whole["payloadType"],
        whole["signatures"][0]["keyid"],
        whole["signatures"][0]["sig"],
    )
    .into_bytes()
}

#[test]
fn each_field_of_the_payload_changed_breaks_the_signature() {
    let (value, list) = payload();
    let mut tried = 0;
    for place in &list {
        let mut edits = Vec::new();
        let mut changed = value.clone();
        let found = changed.pointer_mut(place).unwrap();
        *found = other(found);
        edits.push(changed);
        let (parent, name) = place.rsplit_once('/').unwrap();
        let mut without = value.clone();
        match without.pointer_mut(parent).unwrap() {
            Value::Object(map) => {
                map.remove(&name.replace("~1", "/").replace("~0", "~"));
            }
            Value::Array(items) => {
                items.remove(name.parse().unwrap());
            }
            _ => unreachable!(),
        }
        edits.push(without);
        for edit in edits {
            let found = refusal(&repacked(&edit));
            assert!(matches!(found, Some(SealError::BadSignature(_))), "{place}: {found:?}");
            tried += 1;
        }
    }
    println!("{} places, {tried} changes under the old signature, each refused", list.len());
}

#[test]
fn each_field_changed_and_signed_by_a_stranger_is_untrusted() {
    let (value, list) = payload();
    for place in &list {
        let mut changed = value.clone();
        let found = changed.pointer_mut(place).unwrap();
        *found = other(found);
        let bytes = serde_json::to_vec(&changed).unwrap();
        let found = refusal(&seal_bytes(PAYLOAD_TYPE, &bytes, &[&key(9)]).unwrap());
        assert!(matches!(found, Some(SealError::Untrusted(_))), "{place}: {found:?}");
    }
}

#[test]
fn each_field_of_another_type_signed_by_the_issuer_is_no_certificate() {
    let (value, list) = payload();
    for place in &list {
        let mut changed = value.clone();
        // No field takes this: an object with a name that no type has.
        *changed.pointer_mut(place).unwrap() = json!({"no such name": []});
        let bytes = serde_json::to_vec(&changed).unwrap();
        let found = refusal(&seal_bytes(PAYLOAD_TYPE, &bytes, &[&key(1)]).unwrap());
        assert!(matches!(found, Some(SealError::Payload(_))), "{place}: {found:?}");
    }
}

#[test]
fn each_member_of_the_envelope_changed_is_refused() {
    let bytes = seal(&statement(), &[&key(1)]).unwrap();
    let whole: Value = serde_json::from_slice(&bytes).unwrap();
    let text = |payload: &Value, kind: &Value, keyid: &Value, sig: &Value| {
        format!(
            r#"{{"payload":{payload},"payloadType":{kind},"signatures":[{{"keyid":{keyid},"sig":{sig}}}]}}"#
        )
        .into_bytes()
    };
    let (payload, kind) = (&whole["payload"], &whole["payloadType"]);
    let (keyid, sig) = (&whole["signatures"][0]["keyid"], &whole["signatures"][0]["sig"]);
    assert_eq!(text(payload, kind, keyid, sig), bytes, "the control");
    assert!(refusal(&bytes).is_none());
    let stranger = json!(key(9).public().keyid);
    let not_base64 = json!("*");
    let cut = json!(sig.as_str().unwrap()[4..].to_owned());
    type Is = fn(&SealError) -> bool;
    let cases: [(&str, Vec<u8>, Is); 8] = [
        ("payloadType", text(payload, &json!("text/plain"), keyid, sig), |e| {
            matches!(e, SealError::PayloadType { .. })
        }),
        ("keyid of a stranger", text(payload, kind, &stranger, sig), |e| {
            matches!(e, SealError::Untrusted(_))
        }),
        ("no keyid", text(payload, kind, &json!(""), sig), |e| matches!(e, SealError::NoKeyId(0))),
        ("sig cut", text(payload, kind, keyid, &cut), |e| matches!(e, SealError::BadSignature(_))),
        ("sig no base64", text(payload, kind, keyid, &not_base64), |e| {
            matches!(e, SealError::Malformed(_) | SealError::NotCanonical)
        }),
        ("payload no base64", text(&not_base64, kind, keyid, sig), |e| {
            matches!(e, SealError::Malformed(_) | SealError::NotCanonical)
        }),
        (
            "a member more",
            format!("{},\"x\":1}}", String::from_utf8(bytes[..bytes.len() - 1].to_vec()).unwrap())
                .into_bytes(),
            |e| matches!(e, SealError::Malformed(_)),
        ),
        (
            "no signature",
            format!(r#"{{"payload":{payload},"payloadType":{kind},"signatures":[]}}"#).into_bytes(),
            |e| matches!(e, SealError::Threshold { accepted: 0, .. }),
        ),
    ];
    for (what, bent, is) in cases {
        let found = refusal(&bent);
        assert!(found.as_ref().is_some_and(is), "{what}: {found:?}");
    }
}
