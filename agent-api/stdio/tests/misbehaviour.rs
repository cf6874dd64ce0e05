//! Whatever the program does, the loop gets an answer, in time, and nothing of it stays.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use std::time::{Duration, Instant};

use cellwright_contract::agent::{Agent, AgentError};
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::SnapshotRef;
use cellwright_stdio::{Fault, Limits, ProcessAgent};
use common::{Tiny, scenario};

fn limits() -> Limits {
    Limits { reply: Duration::from_secs(2), ..Limits::default() }
}

/// Starts a program and takes one turn.
fn turn(command: &str, limits: Limits) -> (ProcessAgent, Result<Option<Proposal>, AgentError>) {
    let mut agent = ProcessAgent::new(command, limits).unwrap();
    let mut view = Tiny::default();
    let result =
        agent.begin(&mut view, &scenario(), 1).and_then(|()| agent.propose(&mut view, None));
    (agent, result)
}

fn shell(script: &str) -> String {
    shlex::try_join(["sh", "-c", script]).unwrap()
}

fn fault(script: &str, limits: Limits) -> Fault {
    let start = Instant::now();
    let (agent, result) = turn(&shell(script), limits);
    let error = result.expect_err("a misbehaving agent is an error").to_string();
    assert!(start.elapsed() < Duration::from_secs(15), "{error} took {:?}", start.elapsed());
    let fault = agent.fault().expect("and has a verdict").clone();
    assert!(error.contains(&fault.to_string()), "{error}");
    fault
}

#[test]
fn silence_is_ended() {
    assert_eq!(fault("sleep 1000", limits()), Fault::Silent(Duration::from_secs(2)));
}

#[test]
fn garbage_is_answered_and_then_ended() {
    let found = fault("yes 'this is no message'", Limits { strikes: 3, ..limits() });
    let Fault::Garbage { strikes: 4, last } = found else { panic!("{found:?}") };
    assert!(last.contains("JSON"), "{last}");
}

#[test]
fn bytes_that_are_no_text_are_garbage_too() {
    let script = r#"while :; do printf '\377\000\n{"type":\n[[[[[\n'; done"#;
    assert!(matches!(fault(script, limits()), Fault::Garbage { .. }));
}

#[test]
fn one_wrong_line_is_forgiven() {
    let script = r#"echo 'debug print'; read begin; read propose; read error
        case "$error" in *'"invalid"'*) echo '{"type":"done","reason":"told"}';; esac; read end"#;
    let (agent, result) = turn(&shell(script), limits());
    assert_eq!(result, Ok(None));
    assert_eq!(agent.reason(), Some("told"));
}

#[test]
fn a_line_without_end_is_a_flood() {
    let found = fault("cat /dev/zero", Limits { line_bytes: 1 << 20, ..limits() });
    assert!(matches!(&found, Fault::Flood(text) if text.contains("line")), "{found:?}");
}

#[test]
fn endless_messages_are_a_flood() {
    let log = r#"{"type":"log","text":"hello"}"#;
    let found = fault(&format!("yes '{log}'"), Limits { turn_bytes: 1 << 20, ..limits() });
    assert!(matches!(&found, Fault::Flood(text) if text.contains("turn")), "{found:?}");
    let found = fault(&format!("yes '{log}'"), Limits { turn_messages: 1000, ..limits() });
    assert!(matches!(&found, Fault::Flood(text) if text.contains("messages")), "{found:?}");
}

#[test]
fn a_flood_of_standard_error_is_one() {
    let found = fault("yes >&2", Limits { stderr_bytes: 1 << 20, ..limits() });
    assert!(matches!(&found, Fault::Flood(text) if text.contains("standard error")), "{found:?}");
}

#[test]
fn death_is_told_with_its_last_words() {
    let found = fault("echo 'no model loaded' >&2; exit 3", limits());
    let Fault::Died { how, stderr } = &found else { panic!("{found:?}") };
    assert!(how.contains('3'), "{how}");
    assert_eq!(stderr.trim(), "no model loaded");
    assert!(matches!(fault("sh -c 'kill -SEGV $$'; exit $?", limits()), Fault::Died { .. }));
}

#[test]
fn leaving_with_exit_code_0_is_being_done() {
    let (agent, result) = turn(&shell("exit 0"), limits());
    assert_eq!(result, Ok(None));
    assert_eq!(agent.fault(), None);
}

#[test]
fn a_closed_output_is_no_death() {
    // In a namespace the wrapper holds the pipe as well, and a closed end is silence.
    let found = fault("exec >&-; sleep 1000", limits());
    assert!(matches!(found, Fault::Closed | Fault::Silent(_)), "{found:?}");
}

#[test]
fn an_agent_that_writes_without_reading_does_not_lock_the_loop() {
    let call = r#"{"type":"call","call":{"method":"cells","args":{"count":4}}}"#;
    let found = fault(&format!("yes '{call}'"), limits());
    assert!(matches!(found, Fault::Deaf(_) | Fault::Flood(_)), "{found:?}");
}

#[test]
fn pipelined_calls_are_answered_in_order() {
    let script = r#"i=0; while [ $i -lt 2000 ]; do
            echo "{\"type\":\"call\",\"id\":$i,\"call\":{\"method\":\"cell\",\"args\":{\"cell\":\"i:1\"}}}"
            i=$((i+1)); done &
        read begin; read propose; i=0
        while [ $i -lt 2000 ]; do read -r line
            case "$line" in *'"id":'$i,*) ;; *) echo "out of order: $line" >&2; exit 9;; esac
            i=$((i+1)); done
        wait; echo '{"type":"done"}'; read end"#;
    let (agent, result) =
        turn(&shell(script), Limits { reply: Duration::from_secs(20), ..limits() });
    assert_eq!(result, Ok(None), "{:?}", agent.fault());
}

/// Processes whose command line holds a text.
fn running(text: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let line = |entry: std::fs::DirEntry| std::fs::read(entry.path().join("cmdline")).ok();
    entries.filter_map(line).filter(|line| String::from_utf8_lossy(line).contains(text)).count()
}

#[test]
fn a_fork_that_stays_does_not_stay() {
    if !std::path::Path::new("/proc/self/stat").exists() {
        println!("skipped: no /proc");
        return;
    }
    // A child, a grandchild in a session of its own, and one that also let go of all pipes.
    for (seconds, network) in [("86311", false), ("86312", true)] {
        let script = format!(
            "sleep {seconds} & (setsid sleep {seconds} &) ; \
             (setsid sh -c 'sleep {seconds} & sleep {seconds}' </dev/null >/dev/null 2>&1 &) ; \
             read begin; read propose; sleep 0.3; exit 1"
        );
        let found = fault(&script, Limits { network, ..limits() });
        // The children hold the output open, so the death of the first is seen when it is silent.
        assert!(matches!(found, Fault::Silent(_) | Fault::Died { .. }), "{found:?}");
        assert_eq!(running(seconds), 0, "network {network}");
    }
}

#[test]
fn too_much_memory_is_ended() {
    let python = std::process::Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|out| out.status.success()) || !std::path::Path::new("/proc").exists() {
        println!("skipped: needs python3 and /proc");
        return;
    }
    let small = Limits { memory: 64 << 20, reply: Duration::from_secs(10), ..limits() };
    // Alone it meets the limit of the process; shared among children, that of the family.
    let alone = "python3 -c 'x = bytearray(512 << 20)'";
    let found = fault(alone, small.clone());
    assert!(matches!(found, Fault::Died { .. } | Fault::Memory { .. }), "{found:?}");
    let many = "for i in 1 2 3 4; do python3 -c 'import time; x = b\"1\" * (40 << 20); \
                time.sleep(60)' & done; wait";
    let found = fault(many, small);
    assert!(matches!(found, Fault::Memory { .. }), "{found:?}");
}

#[test]
fn a_fork_bomb_is_ended() {
    if !std::path::Path::new("/proc").exists() {
        println!("skipped: no /proc");
        return;
    }
    let script = "for i in $(seq 60); do sleep 86313 & done; wait";
    let found = fault(script, Limits { processes: 20, ..limits() });
    assert!(matches!(found, Fault::Processes(..)), "{found:?}");
    assert_eq!(running("86313"), 0);
}

#[test]
fn there_is_no_network_where_the_machine_allows_it() {
    let agent = ProcessAgent::new("sh", limits()).unwrap();
    if !agent.gaps().is_empty() {
        println!("skipped: {:?}", agent.gaps());
        return;
    }
    let interfaces = r#"read begin; read propose
        echo "{\"type\":\"done\",\"reason\":\"$(grep -c : /proc/self/net/dev)\"}"; read end"#;
    let (agent, result) = turn(&shell(interfaces), limits());
    assert_eq!(result, Ok(None));
    // Only the loopback interface is there.
    assert_eq!(agent.reason(), Some("1"));
}

#[test]
fn the_wall_ends_a_turn_without_blame() {
    let wall = Some(Duration::from_millis(500));
    let (agent, result) = turn(&shell("sleep 1000"), Limits { wall, ..limits() });
    assert_eq!(result, Ok(None));
    assert_eq!(agent.fault(), None);
}

#[test]
fn processor_time_is_limited() {
    let agent = ProcessAgent::new("sh", Limits { cpu_seconds: Some(1), ..limits() }).unwrap();
    if !agent.gaps().is_empty() {
        println!("skipped: {:?}", agent.gaps());
        return;
    }
    let reply = Duration::from_secs(12);
    let found = fault("while :; do :; done", Limits { cpu_seconds: Some(1), reply, ..limits() });
    assert!(matches!(found, Fault::Died { .. }), "{found:?}");
}

#[test]
fn commands_that_cannot_be_are_refused_before_anything_starts() {
    for command in ["", "no-such-program-anywhere --x", "sh -c 'open quote"] {
        let result = ProcessAgent::new(command, limits());
        assert!(matches!(result, Err(AgentError::Settings(_))), "{command}");
    }
}

#[test]
fn a_proposal_may_leave_out_what_the_loop_knows() {
    let script = r#"read begin; read propose
        echo '{"type":"proposal","proposal":{"expected_delta":{"moved_cells":[{"cell_id":"name:u1",
          "from":{"x":100,"y":0,"orient":"N"},"to":{"x":500,"y":0,"orient":"FN"}}]}}}' | tr -d '\n'
        echo; read feedback; echo '{"type":"done"}'; read end"#;
    let mut agent = ProcessAgent::new(&shell(script), limits()).unwrap();
    let mut view = Tiny::default();
    agent.begin(&mut view, &scenario(), 1).unwrap();
    let proposal = agent.propose(&mut view, None).unwrap().unwrap();
    assert_eq!(proposal.id, "agent-000001");
    assert_eq!(proposal.parent_snap, SnapshotRef::Root([7; 32]));
    assert_eq!(proposal.expected_delta.moved_cells.len(), 1);
    assert_eq!(agent.propose(&mut view, None), Ok(None));
    // What came after the end is nobody's: the agent is no longer running, and says so.
    assert!(agent.propose(&mut view, None).is_err());
}

#[test]
fn a_method_without_arguments_takes_none_in_any_spelling() {
    for args in ["", r#","args":{}"#, r#","args":null"#] {
        let text = format!(r#"{{"method":"metrics"{args}}}"#);
        let call: cellwright_stdio::Call = serde_json::from_str(&text).unwrap();
        assert_eq!(call, cellwright_stdio::Call::Metrics);
    }
    for wrong in [r#"{"method":"nothing"}"#, r#"{"method":"metrics","args":{"x":1}}"#, "7"] {
        assert!(serde_json::from_str::<cellwright_stdio::Call>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_schema_is_fresh() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schema.json");
    let text = serde_json::to_string_pretty(&cellwright_stdio::schema()).unwrap() + "\n";
    if std::env::var_os("CELLWRIGHT_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text, "{}", path.display());
}
