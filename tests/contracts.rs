//! The contracts on the command line: keys, budgets, differences, and answers of failed commands.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cellwright::repeat;
use cellwright_judge::run::RunFolder;
use cellwright_judge::verdict::Divergence;
use serde_json::Value;

struct Home {
    root: PathBuf,
}

impl Home {
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
        let text = text(&output);
        assert!(output.status.success(), "cellwright {arguments:?}: {}\n{text}", output.status);
        text
    }
    fn refused(&self, arguments: &[&str], code: i32, word: &str) {
        let output = self.run(arguments);
        let text = text(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{text}");
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
    /// A short run that is the same on every machine.
    fn demo(&self, out: &str, seed: &str) {
        self.ok(&[
            "demo",
            "--preset",
            "tiny",
            "--seconds",
            "3600",
            "--work-units",
            "200000",
            "--seed",
            seed,
            "--out",
            out,
        ]);
    }
    fn json(&self, path: &str) -> Value {
        serde_json::from_str(&fs::read_to_string(self.root.join(path)).unwrap()).unwrap()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn certificates(run: &Path) -> Vec<PathBuf> {
    files(&run.join("certificates"))
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut list = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { list.extend(files(&path)) } else { list.push(path) }
    }
    list
}

#[test]
fn keys_are_made_shown_and_trusted_and_never_told() {
    let home = Home::new("keys");
    let made = home.ok(&["key", "new", "k/own.key"]);
    let secret = home.json("k/own.key")["keyval"]["private"].as_str().unwrap().to_owned();
    let shown = home.ok(&["key", "show", "k/own.key"]);
    let public = home.ok(&["key", "show", "k/own.pub"]);
    assert_eq!(shown, public);
    assert!(!made.contains(&secret) && !shown.contains(&secret), "the secret was told");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode =
            |path: &str| fs::metadata(home.root.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode("k/own.key"), 0o600);
        fs::set_permissions(home.root.join("k/own.key"), fs::Permissions::from_mode(0o640))
            .unwrap();
        home.refused(&["key", "show", "k/own.key"], 2, "own.key");
        fs::set_permissions(home.root.join("k/own.key"), fs::Permissions::from_mode(0o600))
            .unwrap();
    }
    home.refused(&["key", "new", "k/own.key"], 2, "never overwritten");

    // A run signed with it holds no trace of the secret.
    let design = home.root.join("none");
    let demo = ["run", "--design", design.to_str().unwrap(), "--key"];
    home.refused(&[&demo[..], &["k/onw.key"]].concat(), 2, "cellwright key new k/onw.key");
    assert!(!home.root.join("k/onw.key").exists(), "a mistyped name made a key");
    home.refused(&[&demo[..], &["."]].concat(), 2, "is a folder");
    home.refused(&["run", "--design", ".", "--seed", "9007199254740992"], 2, "9007199254740991");

    let keyid = shown.lines().next().unwrap().strip_prefix("key id: ").unwrap().to_owned();
    home.ok(&["key", "trust", "k/own.pub"]);
    assert!(home.ok(&["key", "trust"]).contains(&keyid));
    home.ok(&["key", "trust", "--remove", &keyid]);
    assert!(!home.ok(&["key", "trust"]).contains(&keyid));
    home.refused(&["key", "trust", "--remove", &keyid], 2, "is not in");
}

#[test]
fn a_run_tells_no_secret_is_checked_by_its_issuer_and_differs_from_another() {
    let home = Home::new("runs");
    home.demo("a", "1");
    home.demo("b", "1");
    home.demo("c", "2");
    let key = home.json("data/cellwright/issuer.key");
    let secret = key["keyval"]["private"].as_str().unwrap().as_bytes();
    for path in files(&home.root.join("a")) {
        let bytes = fs::read(&path).unwrap();
        let found = bytes.windows(secret.len()).any(|window| window == secret);
        assert!(!found, "{} holds the secret key", path.display());
    }

    // One run's change, no difference between equal runs, and a difference between others.
    assert!(home.ok(&["diff", "a"]).contains("cellwright.branch: 0 added, 0 removed, 1 changed"));
    let same = home.ok(&["diff", "a", "b"]);
    assert!(same.contains("no difference") && same.contains("the journals are the same"), "{same}");
    home.refused(&["diff", "a", "c"], 1, "the journals part at entry");
    let json = home.ok(&["diff", "a", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json, home.json("a/verdict.json")["runs"][0]["world_diff"]);

    // Who follows a certificate needs the issuer's key; another one in its place is noticed.
    let issuer = home.root.join("a/issuer.pub");
    let whole = fs::read(&issuer).unwrap();
    fs::remove_file(&issuer).unwrap();
    home.refused(&["replay", "a"], 14, "issuer.pub");
    home.ok(&["key", "new", "other.key"]);
    fs::copy(home.root.join("other.pub"), &issuer).unwrap();
    home.refused(&["replay", "a"], 14, "certificate");
    fs::write(&issuer, whole).unwrap();
    assert!(home.ok(&["replay", "a"]).contains("VERIFIED"));
}

#[test]
fn a_budget_of_nothing_spends_nothing() {
    let home = Home::new("nothing");
    let run = ["demo", "--preset", "tiny", "--out", "run", "--work-units"];
    home.refused(&[&run[..], &["0"]].concat(), 2, "0 is not in 1..");
    // Too little for the first placement is told, and nothing is signed.
    home.refused(&[&run[..], &["1"]].concat(), 2, "WorkUnits is exceeded");
    assert!(certificates(&home.root.join("run")).is_empty());
}

#[test]
fn work_units_are_the_same_at_any_thread_count() {
    let home = Home::new("threads");
    let mut runs = Vec::new();
    for threads in ["1", "3"] {
        let output = Command::new(env!("CARGO_BIN_EXE_cellwright"))
            .args(["demo", "--preset", "tiny", "--seconds", "3600", "--work-units", "200000"])
            .args(["--out", threads])
            .current_dir(&home.root)
            .env("XDG_DATA_HOME", home.root.join("data"))
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let said = text(&output);
        let units = said.lines().find(|line| line.contains("work units in")).unwrap();
        let units = units.split(" in ").next().unwrap().to_owned();
        runs.push((units, home.json(&format!("{threads}/verdict.json"))["runs"].clone()));
    }
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn a_failed_command_answers_in_the_envelope() {
    let home = Home::new("envelope");
    let output = home.run(&["sta", "nowhere", "--json", "out.json"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let answer = home.json("out.json");
    assert_eq!(answer["schema"], "loom-result/1.1");
    assert_eq!(answer["status"], "error");
    assert_eq!(answer["engineering"]["status"], "unknown");
    assert_eq!(answer["engineering"]["assertion"], Value::Null);
    assert_eq!(answer["error"]["exit_code"], 2);
    assert!(answer["error"]["message"].as_str().unwrap().contains("nowhere"));
    assert_eq!(answer["result"], Value::Null);
}

#[test]
fn repeats_come_to_one_verdict_with_the_first_divergence() {
    let home = Home::new("repeats");
    home.demo("a", "1");
    let run = ["run", "--design", "a/design", "--seconds", "3600", "--work-units", "200000"];
    home.refused(&[&run[..], &["--repeats", "0"]].concat(), 2, "0 is not in 1..=1000");
    let said = home.ok(&[&run[..], &["--repeats", "2", "--out", "set"]].concat());
    assert!(said.contains("the journals are the same"), "{said}");
    let set = home.json("set/verdict.json");
    assert_eq!(set["aggregate"]["n"], 2);
    assert_eq!(set["aggregate"]["pass_rate"], 1.0);
    assert_eq!(set["aggregate"].get("first_divergence"), None);
    for (index, id) in ["run-1", "run-2"].into_iter().enumerate() {
        // Each run is that of its own directory but for the name, and is replayed from there.
        let mut own = home.json(&format!("set/{id}/verdict.json"))["runs"][0].clone();
        own["run_id"] = id.into();
        assert_eq!(set["runs"][index], own);
        assert_eq!(set["repro_id"], home.json(&format!("set/{id}/manifest.json"))["repro_id"]);
        assert!(home.ok(&["replay", &format!("set/{id}")]).contains("VERIFIED"));
    }
    home.refused(&[&run[..], &["--repeats", "2", "--out", "set"]].concat(), 2, "is not empty");

    // A run that stopped earlier parts from the first where it ends.
    home.run(&[&run[..], &["--proposals", "1", "--out", "short"]].concat());
    let open = |path: &str| RunFolder::open(&home.root.join(path));
    let verdict = repeat::verdict(&[open("set/run-1"), open("short"), open("set/run-2")]).unwrap();
    let seq = verdict.runs[1].steps + 1;
    assert!(seq <= verdict.runs[0].steps, "the short run is not shorter");
    let at = Divergence { run: "run-2".to_owned(), seq };
    assert_eq!(verdict.aggregate.first_divergence, Some(at));

    // What is no repetition, or not what was judged, is refused.
    home.demo("c", "2");
    let error = repeat::verdict(&[open("a"), open("c")]).unwrap_err();
    assert!(error.message.contains("another scenario, seed"), "{error}");
    let journal = home.root.join("short/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let kept = text.trim_end().rfind('\n').unwrap() + 1;
    fs::write(&journal, &text[..kept]).unwrap();
    let error = repeat::verdict(&[open("short")]).unwrap_err();
    assert!(error.message.contains("is not the journal"), "{error}");
    assert!(repeat::verdict(&[]).is_err());
}
