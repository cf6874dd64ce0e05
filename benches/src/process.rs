//! What a process used: CPU time and memory, as Linux tells it.

use std::fs::read_to_string;

/// CPU time of the calling thread, s.
pub fn thread_seconds() -> f64 {
    let text = read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    first.unwrap_or(f64::NAN) * 1e-9
}

/// A field of `/proc/self/status` in kB, as MB: `VmHWM` is the peak, `VmRSS` what is resident.
pub fn memory(field: &str) -> f64 {
    let text = read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let kb = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kb.unwrap_or(f64::NAN) / 1024.0
}

/// The machine's load over the last minute.
pub fn load() -> String {
    let text = read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("?").to_owned()
}
