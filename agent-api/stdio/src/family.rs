//! All that a program started, found in `/proc`: its descendants, its process group, and whoever
//! carries the mark that it was started with in the environment, which a daemon keeps.

use std::fs;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Name of the mark in the environment.
pub(crate) const MARK: &str = "CELLWRIGHT_AGENT";

/// A process as `/proc` shows it.
struct Seen {
    pid: i32,
    parent: i32,
    group: i32,
    zombie: bool,
}

/// Everything that runs; empty where there is no `/proc`.
fn seen() -> Vec<Seen> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| read(name.parse().ok()?)).collect()
}

fn read(pid: i32) -> Option<Seen> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything; the fields follow its last parenthesis.
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    Some(Seen { pid, parent, group, zombie: state == "Z" || state == "X" })
}

fn marked(pid: i32, mark: &str) -> bool {
    let wanted = format!("{MARK}={mark}");
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
}

/// The living processes of a family whose first member is `root`.
pub(crate) fn members(root: i32, mark: &str) -> Vec<i32> {
    let all = seen();
    let mut family = vec![root];
    let mut next = 0;
    while let Some(parent) = family.get(next).copied() {
        next += 1;
        for process in all.iter().filter(|process| process.parent == parent) {
            if !family.contains(&process.pid) {
                family.push(process.pid);
            }
        }
    }
    let me = i32::try_from(std::process::id()).unwrap_or(0);
    for process in &all {
        if process.pid != me
            && !family.contains(&process.pid)
            && (process.group == root || marked(process.pid, mark))
        {
            family.push(process.pid);
        }
    }
    family.retain(|pid| all.iter().any(|process| process.pid == *pid && !process.zombie));
    family
}

/// Memory that processes hold, bytes: private and shared pages in memory and in swap.
pub(crate) fn memory(pids: &[i32]) -> u64 {
    let held = |pid: &i32| -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let kilobytes = text.lines().filter_map(|line| {
            let rest = line.strip_prefix("RssAnon:").or_else(|| line.strip_prefix("VmSwap:"));
            let rest = rest.or_else(|| line.strip_prefix("RssShmem:"))?;
            rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
        });
        Some(kilobytes.sum::<u64>() * 1024)
    };
    pids.iter().filter_map(held).sum()
}

/// Ends a family, daemons included. What starts new members while it is being ended is met again,
/// a bounded number of times.
pub(crate) fn end(root: i32, mark: &str) {
    for _ in 0..50 {
        if let Some(group) = Pid::from_raw(root) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let family = members(root, mark);
        if family.is_empty() {
            return;
        }
        for pid in family.iter().filter_map(|pid| Pid::from_raw(*pid)) {
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
