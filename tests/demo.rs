//! The main job, as a user runs it: demo, replay, verify, and what happens to a run that somebody
//! has tampered with.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Home {
    root: PathBuf,
}

impl Home {
    /// A home of its own, so that the test's issuer key is nobody's.
    fn new(name: &str) -> Home {
        let root = std::env::temp_dir().join(format!("cellwright-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        Home { root }
    }
    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_cellwright"))
            .args(arguments)
            .current_dir(&self.root)
            .env("XDG_DATA_HOME", self.root.join("data"))
            .output()
            .unwrap()
    }
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(output.status.success(), "cellwright {arguments:?}: {}\n{text}", output.status);
        text
    }
    fn refused(&self, arguments: &[&str], code: i32, word: &str) {
        let output = self.run(arguments);
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{text}");
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn certificates(run: &Path) -> Vec<PathBuf> {
    let folder = run.join("certificates");
    let mut list: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    list.sort();
    list
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_run_is_replayed_verified_and_every_tampering_refused() {
    let home = Home::new("demo");
    let text = home.ok(&["demo", "--preset", "tiny", "--seconds", "3", "--out", "run"]);
    assert!(text.contains("Pareto front"), "{text}");
    assert!(!text.contains("NOT rejected"), "a mutant passed:\n{text}");
    let run = home.root.join("run");
    let list = certificates(&run);
    assert!(list.len() > 1, "only {} certificates", list.len());
    assert!(home.ok(&["replay", "run"]).contains("VERIFIED"));
    for certificate in [list.first().unwrap(), list.last().unwrap()] {
        home.ok(&["verify", certificate.to_str().unwrap()]);
    }

    // One byte of a certificate.
    let name = list.last().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    copy(&run, &home.root.join("bent"));
    let path = home.root.join("bent/certificates").join(&name);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    home.refused(&["verify", path.to_str().unwrap()], 20, "SIGNATURE_INVALID");

    // One DBU of a delta: the log's own chain notices, and so do both readers.
    copy(&run, &home.root.join("shifted"));
    let path = home.root.join("shifted/deltas.bin");
    let mut bytes = fs::read(&path).unwrap();
    let needle = b"cellwright delta v1";
    let at = bytes.windows(needle.len()).position(|window| window == needle).unwrap();
    bytes[at + needle.len() + 1 + 4] ^= 1;
    fs::write(&path, bytes).unwrap();
    let certificate = home.root.join("shifted/certificates").join(&name);
    home.refused(&["verify", certificate.to_str().unwrap()], 24, "DELTA_MISMATCH");
    home.refused(&["replay", "shifted"], 13, "TRAJECTORY_DIVERGED");

    // A line of the journal, from the middle and from the end.
    for (folder, from_end, code, word) in
        [("gap", 1, 14, "JOURNAL_BROKEN"), ("short", 0, 13, "TRAJECTORY_DIVERGED")]
    {
        copy(&run, &home.root.join(folder));
        let path = home.root.join(folder).join("journal.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        let gone = lines.len() - 1 - from_end;
        lines.remove(gone);
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        home.refused(&["replay", folder], code, word);
    }

    // The verdict, the manifest, a certificate, and a run that never ended.
    let edit = |folder: &str, file: &str, from: &str, to: &str| {
        copy(&run, &home.root.join(folder));
        let path = home.root.join(folder).join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "no `{from}` in {file}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    };
    edit("status", "verdict.json", "\"status\": \"pass\"", "\"status\": \"fail\"");
    home.refused(&["replay", "status"], 13, "TRAJECTORY_DIVERGED");
    edit("seed", "manifest.json", "\"seed\": 1,", "\"seed\": 7,");
    home.refused(&["replay", "seed"], 10, "SCENARIO_CHANGED");
    copy(&run, &home.root.join("lost"));
    fs::remove_file(home.root.join("lost/certificates").join(&name)).unwrap();
    home.refused(&["replay", "lost"], 14, "certificate");
    copy(&run, &home.root.join("cut"));
    fs::remove_file(home.root.join("cut/verdict.json")).unwrap();
    home.refused(&["replay", "cut"], 14, "interrupted");

    // Another library.
    copy(&run, &home.root.join("pack"));
    let library = fs::read_dir(home.root.join("pack/design"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .find(|p| p.extension().is_some_and(|e| e == "lib"))
        .unwrap();
    let mut text = fs::read_to_string(&library).unwrap();
    text.push_str("\n/* touched */\n");
    fs::write(&library, text).unwrap();
    home.refused(&["replay", "pack"], 12, "PACK_CHANGED");
    let certificate = home.root.join("pack/certificates").join(&name);
    home.refused(&["verify", certificate.to_str().unwrap()], 23, "INPUT_CHANGED");

    // A stranger does not trust the issuer until told to.
    let stranger = Home::new("stranger");
    let certificate = run.join("certificates").join(&name);
    let certificate = certificate.to_str().unwrap();
    stranger.refused(&["verify", certificate], 21, "UNTRUSTED_KEY");
    let issuer = run.join("issuer.pub");
    stranger.ok(&["verify", certificate, "--trust", issuer.to_str().unwrap()]);
}

#[test]
fn the_same_seed_and_budget_give_the_same_run() {
    let home = Home::new("seeds");
    let mut journals = Vec::new();
    for out in ["a", "b"] {
        home.ok(&[
            "demo",
            "--preset",
            "tiny",
            "--seconds",
            "3600",
            "--work-units",
            "300000",
            "--out",
            out,
        ]);
        let text = fs::read_to_string(home.root.join(out).join("verdict.json")).unwrap();
        let verdict: serde_json::Value = serde_json::from_str(&text).unwrap();
        journals.push(verdict["runs"][0]["journal_digest"].clone());
    }
    assert_eq!(journals[0], journals[1]);
}

#[test]
fn bad_input_is_told_with_file_and_line() {
    let home = Home::new("bad");
    fs::write(home.root.join("design.toml"), "name = \"x\"\ntech = 7\n").unwrap();
    home.refused(&["check", "design.toml"], 2, "design.toml:2");
    home.refused(&["check", "nowhere"], 2, "nowhere");
    home.refused(&["replay", "nowhere"], 2, "nowhere");
    home.refused(&["verify", "nowhere.json"], 2, "nowhere.json");
}
