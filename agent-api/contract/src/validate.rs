//! Checks that a type alone cannot make: ranges, counts, kinds, rules between fields.
//!
//! [`Validate::validate`] reports every problem with its place (`expected_delta.moved_cells[3].to.x`)
//! up to a small number, so that an agent can mend a proposal in one go.

use std::fmt;

/// Most problems that one check collects; the rest is only counted.
pub const MAX_PROBLEMS: usize = 32;

/// One thing wrong with a value: where it stands and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Path from the checked value, such as `expected_delta.moved_cells[3].to.x`; empty for itself.
    pub path: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// What a check found; at least one problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// The first problems, in the order of the fields.
    pub problems: Vec<Problem>,
    /// How many more there were.
    pub more: usize,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, p) in self.problems.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{p}")?;
        }
        if self.more > 0 {
            write!(f, "; and {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for Invalid {}

/// A step of a path. Kept as a list on the stack, so that a valid value costs no text.
#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Field(&'a str),
    Index(usize),
}

/// Where a check stands inside the value.
#[derive(Clone, Copy)]
pub struct At<'a> {
    parent: Option<&'a At<'a>>,
    step: Step<'a>,
}

impl<'a> At<'a> {
    /// The value itself.
    #[must_use]
    pub fn root() -> At<'static> {
        At { parent: None, step: Step::Root }
    }

    /// A field or map key below this place.
    #[must_use]
    pub fn field<'b>(&'b self, name: &'b str) -> At<'b>
    where
        'a: 'b,
    {
        At { parent: Some(self), step: Step::Field(name) }
    }

    /// A list element below this place.
    #[must_use]
    pub fn index<'b>(&'b self, i: usize) -> At<'b>
    where
        'a: 'b,
    {
        At { parent: Some(self), step: Step::Index(i) }
    }

    fn write(&self, out: &mut String) {
        if let Some(parent) = self.parent {
            parent.write(out);
        }
        match self.step {
            Step::Root => {}
            Step::Field(name) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(name);
            }
            Step::Index(i) => {
                out.push('[');
                out.push_str(&i.to_string());
                out.push(']');
            }
        }
    }
}

/// Collects problems.
#[derive(Debug, Default)]
pub struct Report {
    problems: Vec<Problem>,
    more: usize,
}

impl Report {
    /// Notes a problem at a place.
    pub fn push(&mut self, at: &At<'_>, message: impl Into<String>) {
        if self.problems.len() == MAX_PROBLEMS {
            self.more += 1;
            return;
        }
        let mut path = String::new();
        at.write(&mut path);
        self.problems.push(Problem { path, message: message.into() });
    }

    /// Refuses a list or text longer than `max`.
    pub fn at_most(&mut self, at: &At<'_>, what: &str, len: usize, max: usize) {
        if len > max {
            self.push(at, format!("{len} {what}, at most {max} are taken"));
        }
    }

    /// Refuses a number that is NaN or infinite.
    pub fn finite(&mut self, at: &At<'_>, v: f64) {
        if !v.is_finite() {
            self.push(at, format!("{v} is not a finite number"));
        }
    }

    /// Refuses a number outside `lo..=hi`, NaN included.
    pub fn within(&mut self, at: &At<'_>, v: f64, lo: f64, hi: f64) {
        if !(lo..=hi).contains(&v) {
            self.push(at, format!("{v} is outside {lo} to {hi}"));
        }
    }

    /// Refuses an integer outside ±(2^53−1).
    pub fn safe_int(&mut self, at: &At<'_>, v: i64) {
        if !crate::number::is_safe(v) {
            self.push(at, format!("integer {v} is outside ±(2^53−1)"));
        }
    }

    /// Refuses a name that is empty, too long or holds control characters.
    pub fn name(&mut self, at: &At<'_>, name: &str, max: usize) {
        if let Some(why) = name_fault(name, max) {
            self.push(at, why);
        }
    }

    /// The result: nothing, or everything found.
    ///
    /// # Errors
    /// [`Invalid`] when any problem was noted.
    pub fn finish(self) -> Result<(), Invalid> {
        if self.problems.is_empty() {
            return Ok(());
        }
        Err(Invalid { problems: self.problems, more: self.more })
    }
}

/// Why a text is not a name, if it is not one.
#[must_use]
pub(crate) fn name_fault(name: &str, max: usize) -> Option<String> {
    if name.is_empty() {
        return Some("a name must not be empty".into());
    }
    if name.len() > max {
        return Some(format!("{} bytes long, at most {max} are taken", name.len()));
    }
    if name.chars().any(char::is_control) {
        return Some("a name must not hold control characters".into());
    }
    None
}

/// A value that can be checked beyond its type.
pub trait Validate {
    /// Notes every problem of this value below `at`.
    fn check(&self, at: &At<'_>, report: &mut Report);

    /// Checks the whole value.
    ///
    /// # Errors
    /// [`Invalid`] with every problem found, up to [`MAX_PROBLEMS`].
    fn validate(&self) -> Result<(), Invalid> {
        let mut report = Report::default();
        self.check(&At::root(), &mut report);
        report.finish()
    }
}

impl Validate for serde_json::Value {
    fn check(&self, _: &At<'_>, _: &mut Report) {}
}
