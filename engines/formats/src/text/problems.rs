//! What a reader noticed without having to stop.

use crate::text::Source;
use serde::Serialize;

/// How grave a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is lost.
    Info,
    /// Something was skipped, repaired or doubtful.
    Warning,
    /// The result is incomplete or contradicts itself.
    Error,
}

/// One thing that a reader noticed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// How grave it is.
    pub severity: Severity,
    /// The file's name as it was opened.
    pub file: String,
    /// Line, counted from 1; 0 for the whole file.
    pub line: u32,
    /// A short stable name of the kind of problem, such as `lef-unknown-statement`.
    pub code: &'static str,
    /// What was noticed and what was done about it.
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let severity = match self.severity {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        if self.line > 0 {
            write!(f, "{}:{}: {severity}[{}]: {}", self.file, self.line, self.code, self.message)
        } else {
            write!(f, "{}: {severity}[{}]: {}", self.file, self.code, self.message)
        }
    }
}

/// A collector of [`Problem`]s that keeps the first few of each code and counts the rest.
///
/// A file of a million cells may repeat one problem a million times, so only [`Problems::cap`]
/// problems of one code are kept, while [`Problems::count`] stays exact.
#[derive(Debug, Clone)]
pub struct Problems {
    cap: usize,
    kept: Vec<Problem>,
    // Few codes exist, so a list in order of first appearance is enough and keeps the order fixed.
    counts: Vec<(&'static str, Severity, u64)>,
}

impl Default for Problems {
    fn default() -> Self {
        Self::with_cap(20)
    }
}

impl Problems {
    /// An empty collector that keeps 20 problems per code.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty collector that keeps `cap` problems per code.
    #[must_use]
    pub fn with_cap(cap: usize) -> Self {
        Self { cap, kept: Vec::new(), counts: Vec::new() }
    }

    /// How many problems of one code are kept.
    #[must_use]
    pub fn cap(&self) -> usize {
        self.cap
    }

    /// Notes a problem at byte offset `at` of `source`. The message is built only if it is kept.
    pub fn report(
        &mut self,
        severity: Severity,
        code: &'static str,
        source: &Source,
        at: usize,
        message: impl FnOnce() -> String,
    ) {
        if self.tally(code, severity, 1) <= self.cap as u64 {
            let (file, line) = (source.name().to_owned(), source.position(at).line);
            self.kept.push(Problem { severity, file, line, code, message: message() });
        }
    }

    /// Notes a problem that is already put in words, for instance one of a file as a whole.
    pub fn push(&mut self, problem: Problem) {
        if self.tally(problem.code, problem.severity, 1) <= self.cap as u64 {
            self.kept.push(problem);
        }
    }

    /// Takes over what another collector has, its counts included.
    pub fn merge(&mut self, other: Problems) {
        for problem in other.kept {
            let have = self.kept.iter().filter(|p| p.code == problem.code).count();
            if have < self.cap {
                self.kept.push(problem);
            }
        }
        for (code, severity, count) in other.counts {
            self.tally(code, severity, count);
        }
    }

    /// The kept problems in the order in which they were noticed.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.kept.iter()
    }

    /// How often a code was noticed, kept or not.
    #[must_use]
    pub fn count(&self, code: &str) -> u64 {
        self.counts.iter().filter(|c| c.0 == code).map(|c| c.2).sum()
    }

    /// Each code with its severity and exact count, in order of first appearance.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, Severity, u64)> + '_ {
        self.counts.iter().copied()
    }

    /// How many problems of a severity were noticed, kept or not.
    #[must_use]
    pub fn total(&self, severity: Severity) -> u64 {
        self.counts.iter().filter(|c| c.1 == severity).map(|c| c.2).sum()
    }

    /// Whether any problem of severity [`Severity::Error`] was noticed.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.total(Severity::Error) > 0
    }

    /// Whether nothing was noticed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Adds to the count of (code, severity) and gives the new count of the code as a whole.
    fn tally(&mut self, code: &'static str, severity: Severity, more: u64) -> u64 {
        match self.counts.iter_mut().find(|c| c.0 == code && c.1 == severity) {
            Some(entry) => entry.2 = entry.2.saturating_add(more),
            None => self.counts.push((code, severity, more)),
        }
        self.count(code)
    }
}
