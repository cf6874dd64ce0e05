//! Errors, flow of control, and the budget that a script may use up.

use super::value::{Origin, Value};

/// Something that went wrong.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) at: Origin,
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: String,
    /// From a host's command: the next statement may go on.
    pub(crate) soft: bool,
}

/// Why a script does not simply go on.
#[derive(Debug)]
pub(crate) enum Flow {
    Error(Fault),
    Return(Value),
    Break,
    Continue,
    /// A budget is used up; nothing catches this.
    Halt(Fault),
}

pub(crate) type Res<T = Value> = Result<T, Flow>;

/// Bounds on what a script may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Work: about one unit for each byte that is scanned, copied or compared, and 100 for each
    /// command.
    pub work: u64,
    /// Bytes of values made, all together.
    pub bytes: u64,
    /// Nesting of commands, loops, procedures and files.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { work: 3_000_000_000, bytes: 2 << 30, depth: 120 }
    }
}

/// What is left of the budget.
#[derive(Debug)]
pub(crate) struct Meter {
    limits: Limits,
    work: u64,
    bytes: u64,
    depth: u32,
    /// The command being run, for errors.
    pub(super) at: Origin,
}

impl Meter {
    pub(super) fn new(limits: Limits) -> Self {
        Meter { limits, work: limits.work, bytes: limits.bytes, depth: 0, at: Origin::default() }
    }
    fn halt(&self, what: &str) -> Flow {
        Flow::Halt(Fault {
            at: self.at,
            message: format!("the script uses more than {what}"),
            hint: "simplify it, or write its result as plain commands".into(),
            soft: false,
        })
    }
    /// Takes work from the budget.
    pub(crate) fn work(&mut self, amount: u64) -> Res<()> {
        match self.work.checked_sub(amount) {
            Some(left) => {
                self.work = left;
                Ok(())
            }
            None => {
                self.work = 0;
                Err(self.halt("its budget of work"))
            }
        }
    }
    /// Takes memory, and the work of filling it, from the budget.
    pub(crate) fn bytes(&mut self, amount: u64) -> Res<()> {
        self.work(amount)?;
        match self.bytes.checked_sub(amount) {
            Some(left) => {
                self.bytes = left;
                Ok(())
            }
            None => {
                self.bytes = 0;
                Err(self.halt("its budget of memory"))
            }
        }
    }
    pub(crate) fn enter(&mut self) -> Res<()> {
        self.depth += 1;
        if self.depth > self.limits.depth {
            self.depth -= 1;
            return Err(self.halt("its depth of nesting"));
        }
        Ok(())
    }
    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

/// An error of a host's command whose place the host adds.
pub(crate) fn soft_error(message: String) -> Flow {
    Flow::Error(Fault { at: Origin::default(), message, hint: String::new(), soft: true })
}

/// The first characters of a text that goes into a message.
pub(crate) fn shorten(text: &str) -> String {
    let mut out: String = text.chars().filter(|c| !c.is_control()).take(60).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}
