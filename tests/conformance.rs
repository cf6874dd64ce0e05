//! The list of rules is whole and honest: every rule names a test that is there and that runs.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use cellwright::conformance::{OPEN, RULES, TEXTS};
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn every_rule_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for rule in RULES {
        let (file, name) = rule.test.split_once("::").unwrap_or_else(|| {
            panic!("{}: `{}` is not file::test", rule.id, rule.test);
        });
        let text = std::fs::read_to_string(root.join(file))
            .unwrap_or_else(|error| panic!("{}: {file}: {error}", rule.id));
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let head = format!("fn {name}(");
        let at = lines.iter().position(|line| line.starts_with(&head));
        let at = at.unwrap_or_else(|| panic!("{}: no test `{name}` in {file}", rule.id));
        // Attributes stand on the lines right above.
        let above = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
        let above: Vec<&&str> = above.collect();
        assert!(above.iter().any(|line| **line == "#[test]"), "{}: {name} is no test", rule.id);
        let ignored = above.iter().any(|line| line.starts_with("#[ignore"));
        assert!(!ignored, "{}: {name} is ignored", rule.id);
    }
    println!("{} rules, each with its test", RULES.len());
}

#[test]
fn ids_are_unique_and_every_text_has_rules() {
    let all = || RULES.iter().map(|rule| rule.id).chain(OPEN.iter().map(|rule| rule.id));
    let ids: BTreeSet<&str> = all().collect();
    assert_eq!(ids.len(), all().count(), "an id stands twice");
    for (prefix, text) in TEXTS {
        assert!(RULES.iter().any(|rule| rule.id.starts_with(prefix)), "no rule of {text}");
    }
    for rule in RULES {
        assert!(TEXTS.iter().any(|(prefix, _)| rule.id.starts_with(prefix)), "{}", rule.id);
        assert!(rule.says.len() > 10, "{} says nothing", rule.id);
    }
}
