//! The MCP door over real pipes and sockets: both eras of the protocol, hostile input, tasks, the
//! official Python client and, when it is installed, the MCP inspector.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use cellwright_contract::envelope::{Envelope, RunState, Verdict};
use cellwright_contract::validate::Validate as _;
use cellwright_designs::{Spec, write_bundle};
use serde_json::{Value, json};

const TOKEN: &str = "a-token-for-tests-of-32-characters";

/// A folder of this test run with a small design in it.
fn place() -> &'static (PathBuf, PathBuf) {
    static PLACE: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();
    PLACE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp");
        let _ = std::fs::remove_dir_all(folder.join("runs"));
        let _ = std::fs::remove_dir_all(folder.join("design"));
        std::fs::create_dir_all(folder.join("design")).unwrap();
        let spec = Spec::preset("tiny").unwrap();
        let design = write_bundle(&folder.join("design"), &spec).unwrap();
        (folder, design)
    })
}

fn server(more: &[&str]) -> Command {
    let (folder, design) = place();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cellwright"));
    command.arg("mcp").arg("--design").arg(design).arg("--runs").arg(folder.join("runs"));
    command.args(more).env("CELLWRIGHT_MCP_TOKEN", TOKEN).env("XDG_DATA_HOME", folder);
    command
}

/// A client that writes what it likes.
struct Pipe {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    next: u64,
    /// What each request carries.
    meta: Option<Value>,
    notes: Vec<Value>,
}

impl Pipe {
    fn open() -> Pipe {
        let mut command = server(&[]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server");
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Pipe { child, to, from, next: 0, meta: None, notes: Vec::new() }
    }

    /// In the revision 2026-07-28, with or without the tasks extension.
    fn modern(tasks: bool) -> Pipe {
        let mut pipe = Pipe::open();
        let extensions =
            if tasks { json!({"io.modelcontextprotocol/tasks": {}}) } else { json!({}) };
        pipe.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "pipe", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"extensions": extensions},
        }));
        pipe
    }

    fn write(&mut self, line: &str) {
        let to = self.to.as_mut().unwrap();
        to.write_all(line.as_bytes()).unwrap();
        to.write_all(b"\n").unwrap();
        to.flush().unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.from.read_line(&mut line).unwrap() > 0, "the server closed the pipe");
        serde_json::from_str(&line).expect("standard output holds messages only")
    }

    fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        let id = self.next;
        self.write(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        id
    }

    /// The answer to a request; what else comes is kept.
    fn answer(&mut self, id: u64) -> Result<Value, Value> {
        loop {
            let message = self.read();
            if message["id"] == json!(id) {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
            self.notes.push(message);
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool; every answer must be a valid envelope.
    fn call(&mut self, tool: &str, arguments: &Value) -> Envelope {
        let result = self
            .ask("tools/call", json!({"name": tool, "arguments": arguments}))
            .unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"));
        envelope(&result)
    }

    fn value(&mut self, tool: &str, arguments: &Value) -> Value {
        let envelope = self.call(tool, arguments);
        assert_eq!(envelope.status, RunState::Ok, "{tool} {arguments}: {:?}", envelope.error);
        envelope.result["value"].clone()
    }

    /// Closes the pipe; the server ends by itself, in order.
    fn close(mut self) {
        self.to = None;
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn envelope(result: &Value) -> Envelope {
    let structured = &result["structuredContent"];
    let envelope: Envelope = serde_json::from_value(structured.clone())
        .unwrap_or_else(|error| panic!("no envelope: {error}: {result}"));
    envelope.validate().unwrap();
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), *structured);
    assert!(text.len() < 75_000, "{} bytes", text.len());
    assert_eq!(result["isError"].as_bool().unwrap_or(false), envelope.status == RunState::Error);
    envelope
}

#[test]
fn the_revision_without_handshake() {
    let mut pipe = Pipe::modern(false);
    let found = pipe.ask("server/discover", json!({})).unwrap();
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    assert!(found["capabilities"]["tools"].is_object());
    let tools = pipe.ask("tools/list", json!({})).unwrap();
    let names: Vec<&str> =
        tools["tools"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert!(names.len() <= 14);
    for name in
        ["cw.db", "cw.place", "cw.legalize", "cw.sta", "cw.measure", "cw.evaluate", "cw.commit"]
    {
        assert!(names.contains(&name), "{name}");
    }
    assert!(tools["ttlMs"].is_number() && tools["cacheScope"].is_string(), "{tools}");
    let opened = pipe.value("cw.open", &json!({"wait_seconds": 50}));
    assert_eq!(opened["run"], "run-1");
    // A revision that nobody knows is refused with those that are.
    let old = pipe.meta.clone();
    pipe.meta.as_mut().unwrap()["io.modelcontextprotocol/protocolVersion"] = json!("1999-01-01");
    let error = pipe.ask("tools/list", json!({})).unwrap_err();
    assert_eq!(error["code"], -32022, "{error}");
    pipe.meta = old;
    pipe.close();
}

#[test]
fn the_revision_with_handshake() {
    let mut pipe = Pipe::open();
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "pipe", "version": "1"},
    });
    let answer = pipe.ask("initialize", hello).unwrap();
    assert_eq!(answer["protocolVersion"], "2025-11-25");
    assert!(answer["instructions"].as_str().unwrap().contains("cw.open"));
    pipe.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    let result = pipe.ask("tools/call", json!({"name": "cw.open", "arguments": {}})).unwrap();
    assert!(result.get("resultType").is_none(), "an older client does not know it");
    assert_eq!(envelope(&result).result["value"]["run"], "run-1");
    assert!(pipe.ask("ping", json!({})).is_ok());
    pipe.close();
}

#[test]
fn garbage_between_messages_does_not_end_the_server() {
    let mut pipe = Pipe::modern(false);
    pipe.ask("server/discover", json!({})).unwrap();
    let deep = "[".repeat(10_000);
    for line in [
        "",
        "not json",
        "{\"jsonrpc\":\"2.0\"",
        "{}",
        "[]",
        "null",
        &deep,
        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"no/such\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/list\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"tools/call\",\"params\":7}",
        "{\"jsonrpc\":\"1.0\",\"id\":98,\"method\":\"tools/list\"}",
    ] {
        pipe.write(line);
    }
    assert!(pipe.ask("tools/list", json!({})).is_ok());
    assert!(pipe.ask("no/such/method", json!({})).is_err());
    assert!(
        pipe.ask("resources/read", json!({"uri": "cellwright://run-9/../../etc/passwd"})).is_err()
    );
    assert!(pipe.ask("resources/read", json!({"uri": "file:///etc/passwd"})).is_err());
    pipe.close();
}

/// A small generator; the same values on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    /// What a confused model might write.
    fn value(&mut self, depth: u32) -> Value {
        match self.roll(if depth == 0 { 13 } else { 17 }) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(-1),
            3 => json!(0),
            4 => json!(1e300),
            5 => json!(u64::MAX),
            6 => json!(0.5),
            7 => json!("i:0"),
            8 => json!("head"),
            9 => json!("d-1"),
            10 => json!("ü\u{0}\n"),
            11 => json!("{\"moved_cells\": [{\"cell_id\": \"i:1\"}]}"),
            12 => json!("x".repeat(5000)),
            13 => (0..self.roll(4)).map(|_| self.value(depth - 1)).collect(),
            14 => json!({"moved_cells": [{"cell_id": self.value(0), "to": self.value(depth - 1)}]}),
            15 => json!({"new_nets": [{"insert_buffer": self.value(depth - 1)}]}),
            _ => json!({"resized_cells": self.value(depth - 1), "hpwl": self.value(0)}),
        }
    }
}

#[test]
fn whatever_the_arguments_the_answer_is_an_envelope() {
    let mut pipe = Pipe::modern(false);
    let tools = pipe.ask("tools/list", json!({})).unwrap();
    pipe.value("cw.open", &json!({}));
    let mut dice = Dice(0x5eed);
    let mut refused = 0;
    let rounds = if std::env::var_os("CELLWRIGHT_ALL").is_some() { 400 } else { 25 };
    for tool in tools["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        if ["cw.open", "cw.close"].contains(&name) {
            continue;
        }
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        for _ in 0..rounds {
            let mut arguments = serde_json::Map::new();
            for key in properties.keys() {
                // Long work is asked for, but not waited for.
                if key == "wait_seconds" || key == "seconds" {
                    arguments.insert(key.clone(), json!(0.1));
                } else if dice.roll(3) == 0 {
                    arguments.insert(key.clone(), dice.value(2));
                }
            }
            if dice.roll(10) == 0 {
                arguments.insert("no_such".to_owned(), dice.value(1));
            }
            let envelope = pipe.call(name, &Value::Object(arguments));
            if let Some(error) = envelope.error {
                refused += 1;
                assert_ne!(error.code, "internal", "{name}: {}", error.message);
                assert!(error.message.len() > 8, "{name}: {}", error.message);
                assert_eq!(envelope.engineering.status, Verdict::Unknown);
            }
        }
    }
    assert!(refused > rounds, "{refused}");
    // The run is as usable as before.
    pipe.value("cw.measure", &json!({}));
    let closed = pipe.value("cw.close", &json!({}));
    let folder = closed["folder"].as_str().unwrap().to_owned();
    pipe.close();
    let replay =
        Command::new(env!("CARGO_BIN_EXE_cellwright")).args(["replay", &folder]).output().unwrap();
    assert!(replay.status.success(), "{}", String::from_utf8_lossy(&replay.stdout));
}

#[test]
fn long_work_is_a_task_for_clients_that_know_tasks() {
    let mut pipe = Pipe::modern(true);
    let opened = pipe.ask("tools/call", json!({"name": "cw.open", "arguments": {}})).unwrap();
    let opened = if opened["resultType"] == "task" { settled(&mut pipe, &opened) } else { opened };
    assert_eq!(envelope(&opened).result["value"]["run"], "run-1");
    let arguments = json!({"seconds": 3000, "proposals": 1_000_000_000});
    let task =
        pipe.ask("tools/call", json!({"name": "cw.optimize", "arguments": arguments})).unwrap();
    assert_eq!(task["resultType"], "task", "{task}");
    assert_eq!(task["status"], "working");
    let id = task["taskId"].as_str().unwrap().to_owned();
    let stands = pipe.ask("tasks/get", json!({"taskId": id})).unwrap();
    assert_eq!(stands["status"], "working", "{stands}");
    // Others look meanwhile, but do not commit.
    pipe.value("cw.db", &json!({}));
    let delta = json!({"moved_cells": []});
    let commit = pipe.call("cw.commit", &json!({"delta": delta}));
    assert_eq!(commit.error.unwrap().code, "unsupported");
    pipe.ask("tasks/cancel", json!({"taskId": id})).unwrap();
    let ended = settled(&mut pipe, &task);
    assert_eq!(envelope(&ended).result["value"]["cancelled"], true);
    assert!(pipe.ask("tasks/get", json!({"taskId": "task-999"})).is_err());
    // A placement that is cancelled changes nothing and says so.
    let place = json!({"name": "cw.place", "arguments": {"wait_seconds": 0}});
    let task = pipe.ask("tools/call", place).unwrap();
    if task["resultType"] == "task" {
        pipe.ask("tasks/cancel", json!({"taskId": task["taskId"]})).unwrap();
        settled(&mut pipe, &task);
    }
    pipe.close();
}

/// Polls a task to its end and gives its result.
fn settled(pipe: &mut Pipe, task: &Value) -> Value {
    for _ in 0..600 {
        let stands = pipe.ask("tasks/get", json!({"taskId": task["taskId"]})).unwrap();
        if stands["status"] != "working" {
            return stands["result"].clone();
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{task} does not end");
}

#[test]
fn progress_is_told_and_a_cancelled_request_stops_its_work() {
    let mut pipe = Pipe::modern(false);
    pipe.value("cw.open", &json!({}));
    let mut meta = pipe.meta.clone().unwrap();
    meta["progressToken"] = json!("here");
    let old = pipe.meta.replace(meta);
    let arguments = json!({"seconds": 3000, "proposals": 1_000_000_000, "wait_seconds": 50});
    let id = pipe.send("tools/call", json!({"name": "cw.optimize", "arguments": arguments}));
    pipe.meta = old;
    let mut parts = Vec::new();
    while parts.len() < 2 {
        let note = pipe.read();
        assert_eq!(note["method"], "notifications/progress", "{note}");
        assert_eq!(note["params"]["progressToken"], "here");
        parts.push(note["params"]["progress"].as_f64().unwrap());
    }
    assert!(parts[0] < parts[1], "{parts:?}");
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    pipe.write(&cancel.to_string());
    let tasks = pipe.value("cw.task", &json!({}));
    let name = tasks["tasks"].as_array().unwrap().last().unwrap()["task"].clone();
    let ended = pipe.value("cw.task", &json!({"task": name, "wait_seconds": 30}));
    assert_eq!(ended["result"]["cancelled"], true, "{ended}");
    pipe.close();
}

#[test]
fn an_illegal_change_is_made_legal_and_signed() {
    let mut pipe = Pipe::modern(false);
    pipe.value("cw.open", &json!({"objectives": [{"metric": "hpwl"}]}));
    let cells = pipe.value("cw.db", &json!({"what": "cells", "movable": true, "count": 2}));
    let (a, b) = (&cells["items"][0], &cells["items"][1]);
    // Late cells are seen as such, in the picture and in the list.
    let timing = pipe.value("cw.sta", &json!({}));
    assert_eq!(timing["met"], false, "{timing}");
    let picture = pipe.value("cw.picture", &json!({"width": 100}));
    assert!(picture["late"].as_u64().unwrap() > 0, "{picture}");
    let pin = timing["paths"][0]["pins"][1].as_str().unwrap();
    let cell = pin.rsplit_once('/').unwrap().0;
    let slacks = pipe.value("cw.db", &json!({"what": "slacks", "cells": [cell]}));
    assert!(slacks["items"][0]["slack"].as_f64().unwrap() < 0.0, "{slacks} {timing}");
    // One cell on top of another.
    let delta = json!({"moved_cells": [{"cell": a["name"], "x": b["at"][0], "y": b["at"][1], "orient": b["at"][2]}]});
    let tried = pipe.value("cw.evaluate", &json!({"delta": delta}));
    assert_eq!(tried["passed"], false);
    let legal = pipe.value("cw.legalize", &json!({"delta": delta, "wait_seconds": 50}));
    assert_eq!(legal["passed"], true, "{legal}");
    let committed = pipe.value("cw.commit", &json!({"delta": legal["delta"], "parent": "s0"}));
    assert_eq!(committed["accepted"], true, "{committed}");
    // The parent is no longer the head.
    let stale = pipe.value("cw.commit", &json!({"delta": delta, "parent": "s0"}));
    assert_eq!(stale["accepted"], false);
    assert_eq!(stale["not_passed"][0]["gate"], "parent-fresh", "{stale}");
    let history = pipe.value("cw.results", &json!({"what": "history"}));
    assert_eq!(history["total"], 2);
    // Measures of an earlier snapshot are those of the start.
    let start = pipe.value("cw.measure", &json!({"snapshot": "s0"}));
    assert_eq!(start["change"], json!({}), "{start}");
    let certificate = pipe.value("cw.results", &json!({"what": "certificate"}));
    let path = certificate["path"].as_str().unwrap().to_owned();
    pipe.close();
    let (folder, _) = place();
    let verified = Command::new(env!("CARGO_BIN_EXE_cellwright"))
        .arg("verify")
        .arg(&path)
        .env("XDG_DATA_HOME", folder)
        .output()
        .unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn the_contracts_own_words_are_taken() {
    let mut pipe = Pipe::modern(false);
    let opened = pipe.value("cw.open", &json!({"design_ref": "tiny@cw45", "format": "detailed"}));
    let root = opened["root"].clone();
    let cells = pipe.value("cw.db", &json!({"what": "cells", "movable": true, "count": 1}));
    let cell = &cells["items"][0];
    let place = json!({"x": cell["at"][0], "y": cell["at"][1], "orient": cell["at"][2]});
    let proposal = json!({
        "id": "mine-1", "intent_ref": "intent:ppa", "parent_snap": root,
        "expected_metrics": {"hpwl": {"op": "no_worse", "hard": true}},
        "expected_delta": {"moved_cells": [{"cell_id": cell["id"], "from": place, "to": place}]},
        "rationale": "it stays",
    });
    let shared = json!({
        "design_ref": "tiny@cw45", "intent_ref": "intent:ppa", "snap_ref": root,
        "effort": "standard", "proposal": proposal,
    });
    let tried = pipe.value("cw.evaluate", &shared);
    assert_eq!(tried["passed"], true, "{tried}");
    let done = pipe.value("cw.commit", &shared);
    assert_eq!((&done["accepted"], &done["proposal"]), (&json!(true), &json!("mine-1")), "{done}");
    let other = pipe.call("cw.sta", &json!({"design_ref": "gcd@nangate45"}));
    assert!(other.error.unwrap().message.contains("gcd@nangate45"));
    pipe.close();
}

/// A server on a port; ended with the value.
struct Http {
    child: Child,
    url: String,
}

impl Http {
    fn open() -> Http {
        let mut child = server(&["--http", "0"]).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = lines.next().unwrap().unwrap();
        let url = line.strip_prefix("listening: ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Http { child, url }
    }

    fn raw(&self, head: &str, body: &str) -> String {
        let address = self.url.trim_start_matches("http://").trim_end_matches("/mcp");
        let mut stream = TcpStream::connect(address).unwrap();
        let length = body.len();
        write!(stream, "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\nConnection: close\r\n{head}\r\n{body}").unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn http_takes_nobody_without_the_token_and_no_browser() {
    let http = Http::open();
    assert!(http.url.starts_with("http://127.0.0.1:"), "{}", http.url);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }}})
    .to_string();
    let kind = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n";
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    for head in
        ["", "Authorization: Bearer wrong\r\n", &format!("Authorization: Basic {TOKEN}\r\n")]
    {
        let answer = http.raw(&format!("{kind}{head}"), &body);
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    }
    let answer = http.raw(&format!("{kind}{bearer}Origin: http://evil.example\r\n"), &body);
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    let answer = http.raw(&format!("{kind}{bearer}"), &body);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("cw.commit"), "{answer}");
    let answer = http.raw(&format!("{kind}{bearer}"), "{ not json");
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
}

/// A Python with the package `mcp`: the one that `CELLWRIGHT_PYTHON` names, the usual one, or a
/// virtual environment made once beside the build, when there is a network.
fn python() -> Option<PathBuf> {
    let able = |python: &Path| {
        let mut command = Command::new(python);
        command.args(["-c", "import mcp.client.client"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let named = std::env::var_os("CELLWRIGHT_PYTHON").map_or("python3".into(), PathBuf::from);
    if able(&named) {
        return Some(named);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-venv");
    let own = folder.join("bin/python");
    if !able(&own) {
        let quiet = |program: &Path, arguments: &[&str]| {
            let mut command = Command::new(program);
            command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        let _ = quiet(&named, &["-m", "venv", folder.to_str()?]);
        let _ = quiet(
            &own,
            &["-m", "pip", "install", "--quiet", "--timeout", "5", "--retries", "0", "mcp"],
        );
    }
    able(&own).then_some(own)
}

#[test]
fn the_official_python_client_works_in_every_revision() {
    let Some(python) = python() else {
        println!("skipped: no Python with the package `mcp`");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/mcp_client.py");
    let run = |arguments: &[&std::ffi::OsStr]| {
        let mut command = Command::new(&python);
        command.arg(&script).args(arguments).env("XDG_DATA_HOME", &place().0);
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}\n{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    for mode in ["legacy", "auto", "2026-07-28"] {
        let command = server(&[]);
        let mut arguments = vec!["stdio".as_ref(), mode.as_ref(), command.get_program()];
        arguments.extend(command.get_args());
        let folder = run(&arguments);
        let replay = Command::new(env!("CARGO_BIN_EXE_cellwright"))
            .args(["replay", &folder])
            .output()
            .unwrap();
        assert!(replay.status.success(), "{}", String::from_utf8_lossy(&replay.stdout));
    }
    let http = Http::open();
    for mode in ["legacy", "2026-07-28"] {
        run(&["http".as_ref(), mode.as_ref(), http.url.as_ref(), TOKEN.as_ref()]);
    }
}

#[test]
fn the_inspector_reads_the_tools() {
    let found = Command::new("mcp-inspector").arg("--help").output();
    if !found.is_ok_and(|output| output.status.success()) {
        println!("skipped: no mcp-inspector (npm install -g @modelcontextprotocol/inspector)");
        return;
    }
    let command = server(&[]);
    let mut inspector = Command::new("mcp-inspector");
    inspector.arg("--cli").arg(command.get_program()).args(command.get_args());
    inspector.args(["--", "--method", "tools/list"]).env("XDG_DATA_HOME", &place().0);
    let output = inspector.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("cw.commit"), "{text}");
}
