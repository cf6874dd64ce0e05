//! A process is killed between each pair of steps of an invocation, and at any moment; what was
//! acknowledged stays, and nothing runs twice.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod common;
#[path = "common/toy.rs"]
mod toy;

use cellwright_contract::invocation::{Cause, Outcome};
use cellwright_judge::invoke::Step;
use common::Folder;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use toy::{Toy, desk, request};

/// Says where it is and waits to be killed.
fn wait_here(place: &str) {
    println!("at {place}");
    std::io::stdout().flush().unwrap();
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Not a test of its own: the process that is killed.
#[test]
#[ignore = "run by the other tests of this file, in a process of its own"]
fn victim() {
    let Some(root) = std::env::var_os("CELLWRIGHT_VICTIM").map(PathBuf::from) else { return };
    let stop = std::env::var("CELLWRIGHT_VICTIM_STOP").unwrap_or_default();
    let tool = std::env::var("CELLWRIGHT_VICTIM_TOOL").unwrap_or_default();
    let mut desk = desk(&root);
    if stop.is_empty() {
        // Goes on for ever and says what was acknowledged.
        for n in 0u64.. {
            let id = format!("{}-{n}", std::process::id());
            let answer = desk.invoke(&request(&tool, &id)).unwrap();
            assert_eq!(answer.outcome, Outcome::Completed);
            println!("done {id}");
            std::io::stdout().flush().unwrap();
        }
    }
    if stop == "inside" {
        desk.service_mut().inside = Some(Box::new(|| wait_here("inside")));
    }
    let mut desk = desk.with_watch(move |step| {
        let name = match step {
            Step::Started => "started",
            Step::Dispatched => "dispatched",
            Step::Recorded => "recorded",
        };
        if name == stop {
            wait_here(name);
        }
    });
    desk.invoke(&request(&tool, "x")).unwrap();
}

fn start(root: &Path, tool: &str, stop: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["victim", "--exact", "--ignored", "--nocapture"])
        .env("CELLWRIGHT_VICTIM", root)
        .env("CELLWRIGHT_VICTIM_TOOL", tool)
        .env("CELLWRIGHT_VICTIM_STOP", stop)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Runs a victim until it is at `stop`, and kills it there.
fn kill_at(root: &Path, tool: &str, stop: &str) {
    let mut child = start(root, tool, stop);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let there = lines.map(Result::unwrap).any(|line| line.contains(&format!("at {stop}")));
    assert!(there, "the victim never came to `{stop}`");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_kill_between_any_two_steps_is_settled() {
    use Outcome::{Aborted, Compensated, Completed, Unknown};
    // Where it is killed, what the world says meanwhile, and what must come out.
    let cases = [
        ("cw.evaluate", "started", "", Aborted, Some(Cause::NoOutcome)),
        ("cw.evaluate", "inside", "", Aborted, Some(Cause::NoOutcome)),
        ("cw.evaluate", "dispatched", "", Aborted, Some(Cause::NoOutcome)),
        ("cw.evaluate", "recorded", "", Completed, None),
        ("cw.commit", "started", "", Aborted, Some(Cause::NoOutcome)),
        ("cw.commit", "inside", "", Aborted, Some(Cause::NoOutcome)),
        ("cw.commit", "dispatched", "", Completed, None),
        ("cw.commit", "recorded", "", Completed, None),
        ("cw.commit", "dispatched", "undone x", Compensated, None),
        ("cw.commit", "dispatched", "half x", Unknown, Some(Cause::PendingDisposal)),
        ("cw.commit", "inside", "lost x", Unknown, Some(Cause::NoOutcome)),
    ];
    for (tool, stop, note, outcome, cause) in cases {
        let folder = Folder::new(&format!("kill-{tool}-{stop}-{}", note.len()));
        let root = folder.path("host");
        kill_at(&root, tool, stop);
        if !note.is_empty() {
            let path = root.join("world.txt");
            let text = std::fs::read_to_string(&path).unwrap() + note + "\n";
            std::fs::write(path, text).unwrap();
        }
        let runs = Toy::new(&root).count("run", "x");
        let mut desk = desk(&root);
        let what = format!("{tool} killed at {stop}, world says `{note}`");
        let found = desk.status("alice", "x").unwrap().unwrap();
        assert_eq!((found.outcome, found.cause), (outcome, cause), "{what}");
        // Asked again, it answers the same and does not run.
        assert_eq!(desk.invoke(&request(tool, "x")).unwrap(), found, "{what}");
        assert_eq!(desk.service().count("run", "x"), runs, "{what}");
        // The desk is open for others.
        assert_eq!(desk.invoke(&request(tool, "y")).unwrap().outcome, Completed, "{what}");
    }
    println!("{} kills between two steps, each settled", cases.len());
}

#[test]
fn a_kill_at_any_moment_loses_nothing_acknowledged() {
    let rounds = if std::env::var_os("CELLWRIGHT_ALL").is_some() { 200 } else { 12 };
    let folder = Folder::new("kill-any");
    let root = folder.path("host");
    let mut acknowledged = Vec::new();
    for round in 0..rounds {
        let mut child = start(&root, "cw.commit", "");
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Killed some microseconds after some acknowledgement, a different moment each round.
        let wanted = 1 + round % 5;
        let mut seen = 0;
        let killed = std::time::Instant::now();
        for line in lines.map_while(Result::ok) {
            if let Some((_, id)) = line.split_once("done ") {
                acknowledged.push(id.to_owned());
                seen += 1;
            }
            if seen == wanted {
                std::thread::sleep(Duration::from_micros(137 * round as u64 % 3000));
                let _ = child.kill();
            }
            assert!(killed.elapsed() < Duration::from_secs(120), "the victim does not die");
        }
        let _ = child.kill();
        child.wait().unwrap();
    }
    let mut desk = desk(&root);
    for id in &acknowledged {
        let found = desk.status("alice", id).unwrap().unwrap();
        assert_eq!(found.outcome, Outcome::Completed, "{id} was acknowledged");
    }
    // Everything that ran at all ran once, and what took effect is completed.
    let world = std::fs::read_to_string(root.join("world.txt")).unwrap();
    let mut runs: Vec<&str> = world.lines().filter_map(|l| l.strip_prefix("run ")).collect();
    let all = runs.len();
    runs.sort_unstable();
    runs.dedup();
    assert_eq!(all, runs.len(), "something ran twice");
    for id in world.lines().filter_map(|l| l.strip_prefix("set ")) {
        let found = desk.status("alice", id).unwrap().unwrap();
        assert_eq!(found.outcome, Outcome::Completed, "{id} took effect");
    }
    println!(
        "{rounds} kills, {} acknowledged, none lost; {all} runs, none twice",
        acknowledged.len()
    );
}
