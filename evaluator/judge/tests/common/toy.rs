//! A service that counts, and keeps its world in a file.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "a test's helper may panic"
)]

use cellwright_contract::budget::CostBudget;
use cellwright_contract::invoke::{InvokeRequest, REQUEST_SCHEMA};
use cellwright_contract::refs::{DesignRef, Digest};
use cellwright_contract::time::Timestamp;
use cellwright_judge::invoke::ledger::Ledger;
use cellwright_judge::invoke::{Call, Decision, Desk, Done, Effect, Policy, Service, Tool};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The moment at which all tests happen, ms.
pub const NOW: i64 = 1_780_000_000_000;

pub fn contract() -> Digest {
    Digest::blake3_of(b"contract")
}
pub fn commitment() -> Digest {
    Digest::blake3_of(b"scope")
}
pub fn design() -> DesignRef {
    DesignRef::new("gcd", "own").unwrap()
}
pub fn at(ms: i64) -> Timestamp {
    Timestamp::from_unix_ms(NOW + ms)
}

/// Its journal has one line per step of a call: `run <id>` when it began, `set <id>` when a commit
/// took effect.
pub struct Toy {
    pub journal: PathBuf,
    pub not_ready: Option<String>,
    pub cost: u64,
    pub inside: Option<Box<dyn FnMut() + Send>>,
}

impl Toy {
    pub fn new(folder: &Path) -> Toy {
        Toy { journal: folder.join("world.txt"), not_ready: None, cost: 3, inside: None }
    }
    fn note(&self, line: &str) {
        let mut file = OpenOptions::new().append(true).create(true).open(&self.journal).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
        file.sync_all().unwrap();
    }
    pub fn count(&self, word: &str, id: &str) -> usize {
        let text = std::fs::read_to_string(&self.journal).unwrap_or_default();
        text.lines().filter(|line| *line == format!("{word} {id}")).count()
    }
}

impl Service for Toy {
    fn scope(&self, found: &DesignRef) -> Option<Digest> {
        (*found == design()).then(commitment)
    }
    fn tool(&self, name: &str) -> Option<Tool> {
        let effect = match name {
            "cw.evaluate" => Effect::Reads,
            "cw.commit" => Effect::Commits,
            _ => return None,
        };
        Some(Tool { contract: contract(), effect })
    }
    fn activation(&self) -> &str {
        "first"
    }
    fn check_input(&self, _: &str, input: &Value) -> Result<(), String> {
        if input["bad"] == json!(true) { Err("bad is true".to_owned()) } else { Ok(()) }
    }
    fn ready(&self, _: &str) -> Result<(), String> {
        self.not_ready.clone().map_or(Ok(()), Err)
    }
    fn dispatch(&mut self, call: &Call<'_>) -> Done {
        self.note(&format!("run {}", call.invocation));
        if let Some(inside) = &mut self.inside {
            inside();
        }
        match call.input["does"].as_str() {
            Some("panic") => panic!("as asked"),
            Some("fail") => {
                return Done {
                    output: Err("as asked".to_owned()),
                    consumed: CostBudget::default(),
                };
            }
            _ => {}
        }
        if call.tool == "cw.commit" {
            self.note(&format!("set {}", call.invocation));
        }
        let output = match call.input["does"].as_str() {
            Some("lie") => json!("not an object"),
            _ => json!({"answer": call.invocation}),
        };
        let consumed = CostBudget { work_units: Some(self.cost), ..Default::default() };
        Done { output: Ok(output), consumed }
    }
    fn check_output(&self, _: &str, output: &Value) -> Result<(), String> {
        if output.is_object() { Ok(()) } else { Err("not an object".to_owned()) }
    }
    fn decide(&mut self, call: &Call<'_>) -> Decision {
        match call.invocation {
            id if self.count("undone", id) > 0 => Decision::Compensated,
            id if self.count("half", id) > 0 => Decision::Pending,
            id if self.count("lost", id) > 0 => Decision::Unknown,
            id if self.count("set", id) > 0 => Decision::Committed(json!({"answer": id})),
            _ => Decision::NotCommitted,
        }
    }
}

pub fn request(tool: &str, id: &str) -> InvokeRequest {
    InvokeRequest {
        schema: REQUEST_SCHEMA.to_owned(),
        invocation_id: id.to_owned(),
        caller: "alice".to_owned(),
        capability_id: tool.to_owned(),
        contract_digest: contract(),
        scope: design(),
        scope_commitment: Some(commitment()),
        activation: Some("first".to_owned()),
        issued_at: at(0),
        deadline: at(60_000),
        input: json!({}),
        caller_evidence: None,
        grant: None,
    }
}

pub fn desk(folder: &Path) -> Desk<Toy> {
    desk_with(folder, Policy::local("alice"))
}

pub fn desk_with(folder: &Path, policy: Policy) -> Desk<Toy> {
    std::fs::create_dir_all(folder).unwrap();
    let ledger = Ledger::open(&folder.join("ledger")).unwrap();
    Desk::open(Toy::new(folder), ledger, policy).unwrap().with_clock(|| at(0))
}
