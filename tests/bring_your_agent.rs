//! Every command on the pages "bring your agent" is run, in the order of the page.
//!
//! Blocks with a file name after the language are files; ```` ```sh ```` blocks are run, each by
//! `sh -eu` in a fresh folder that the page keeps; `needs X` behind it names programs without which
//! the block is left out, and said to be.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

struct Block {
    info: String,
    text: String,
    line: usize,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in page.lines().enumerate() {
        if let Some(info) = line.strip_prefix("```") {
            open = !open;
            if open {
                let info = info.trim().to_owned();
                blocks.push(Block { info, text: String::new(), line: number + 1 });
            }
        } else if open {
            let block = blocks.last_mut().unwrap();
            block.text.push_str(line);
            block.text.push('\n');
        }
    }
    assert!(!open, "a block does not end");
    blocks
}

fn has(program: &str) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("command -v '{program}' || python3 -c 'import {program}'")]);
    command.env("PATH", path()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The command itself first, then the Python that `CELLWRIGHT_PYTHON` names.
fn path() -> std::ffi::OsString {
    let binary = Path::new(env!("CARGO_BIN_EXE_cellwright")).parent().unwrap().to_owned();
    let python = std::env::var_os("CELLWRIGHT_PYTHON").map(PathBuf::from);
    let python = python.and_then(|python| Some(python.parent()?.to_owned()));
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let all = [binary].into_iter().chain(python).chain(std::env::split_paths(&usual));
    std::env::join_paths(all).unwrap()
}

fn run_page(name: &str) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("agent-api/docs").join(name);
    let page = fs::read_to_string(&page).unwrap();
    let folder = std::env::temp_dir().join(format!("cellwright-doc-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let blocks = blocks(&page);
    for block in &blocks {
        if let [_, file] = block.info.split_whitespace().collect::<Vec<_>>().as_slice() {
            fs::write(folder.join(file), &block.text).unwrap();
        }
    }
    let mut ran = 0;
    for block in &blocks {
        let words: Vec<&str> = block.info.split_whitespace().collect();
        match words.as_slice() {
            ["sh"] => {}
            ["sh", "needs", programs @ ..] => {
                if let Some(missing) = programs.iter().find(|program| !has(program)) {
                    println!("skipped: {name}:{} needs {missing}", block.line);
                    continue;
                }
            }
            _ => continue,
        }
        // Into a file: what a block leaves running must not keep a pipe open.
        let log = folder.with_extension("log");
        let out = fs::File::create(&log).unwrap();
        let mut child = Command::new("sh")
            .args(["-euc", &block.text])
            .current_dir(&folder)
            .env("PATH", path())
            .env("XDG_DATA_HOME", folder.join("data"))
            .stdin(Stdio::null())
            .stdout(out.try_clone().unwrap())
            .stderr(out)
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(300);
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > until {
                child.kill().unwrap();
                panic!("{name}:{} does not end", block.line);
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let said = fs::read_to_string(&log).unwrap();
        assert!(status.success(), "{name}:{}: {status}\n{said}", block.line);
        fs::remove_file(&log).unwrap();
        ran += 1;
    }
    assert!(ran > 0, "{name} has no command");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_program_of_its_own() {
    if !has("python3") {
        println!("skipped: no python3");
        return;
    }
    run_page("stdio.md");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("agent-api/docs/stdio.md");
    let page = fs::read_to_string(page).unwrap();
    let example = blocks(&page).into_iter().find(|block| block.info.ends_with("agent.py")).unwrap();
    assert!(example.text.lines().count() <= 30, "the example grew");
}

#[test]
fn a_model_with_tools() {
    run_page("mcp.md");
}
