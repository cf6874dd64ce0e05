//! Events of the running command (`vyges-events/1.0`): told one JSON object a line where `--events`
//! says, as they happen, and kept for the envelope.
//!
//! A command is one process with one answer, so there is one list; nothing outside `src` knows it.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use cellwright_contract::event::{Event, Severity};

use crate::failure::Failure;

/// Most events of progress that the envelope keeps; the stream has all. Warnings and errors are kept
/// whatever their number.
const MOST_KEPT: usize = 1000;

struct Sink {
    stream: Option<Box<dyn Write + Send>>,
    kept: Vec<Event>,
}

static SINK: Mutex<Sink> = Mutex::new(Sink { stream: None, kept: Vec::new() });

fn sink() -> MutexGuard<'static, Sink> {
    SINK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Streams events to a file, or to standard error for `-`.
///
/// # Errors
/// When the file cannot be made.
pub(crate) fn stream_to(path: &Path) -> Result<(), Failure> {
    let stream: Box<dyn Write + Send> = if path.as_os_str() == "-" {
        Box::new(std::io::stderr())
    } else {
        let file = File::create(path);
        Box::new(file.map_err(|e| Failure::input(format!("--events {}: {e}", path.display())))?)
    };
    sink().stream = Some(stream);
    Ok(())
}

/// Milliseconds since 1970 UTC.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// Tells an event. A stream that nobody takes any more is given up; the work goes on.
pub(crate) fn tell(event: Event) {
    let mut sink = sink();
    if let Some(stream) = &mut sink.stream {
        // In one write, so that a reader never sees half a line.
        let line = serde_json::to_string(&event).map(|text| text + "\n");
        let told = line.is_ok_and(|line| {
            stream.write_all(line.as_bytes()).and_then(|()| stream.flush()).is_ok()
        });
        if !told {
            sink.stream = None;
        }
    }
    if event.severity >= Severity::Warn || sink.kept.len() < MOST_KEPT {
        sink.kept.push(event);
    }
}

/// Tells how far a stage of a tool is.
pub(crate) fn progress(tool: &str, stage: &str, step: u64, message: String) {
    let mut event = Event::new(tool, Severity::Info, now_ms(), message).with_code("CW-PROGRESS");
    event.stage = Some(stage.to_owned());
    event.step_index = Some(step);
    tell(event);
}

/// What was told so far.
pub(crate) fn kept() -> Vec<Event> {
    sink().kept.clone()
}
