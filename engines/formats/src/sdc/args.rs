//! Options and arguments of a command.

use super::state::Reader;
use super::tcl::{Flow, Number, Res, Value, parse_number, shorten};

/// Largest magnitude of a number that a command takes: far above any quantity of a design, and far
/// below what arithmetic on it could turn into infinity.
const LARGEST: f64 = 1e12;

/// What a command takes.
pub(super) struct Spec {
    /// Options with a value.
    pub(super) keys: &'static [&'static str],
    /// Options without.
    pub(super) flags: &'static [&'static str],
    /// Fewest and most other arguments.
    pub(super) rest: (usize, usize),
}

/// A command's arguments, sorted out.
pub(super) struct Args<'a> {
    keys: Vec<(&'static str, &'a Value)>,
    flags: Vec<&'static str>,
    /// Arguments that are not options, in order.
    pub(super) rest: Vec<&'a Value>,
}

impl<'a> Args<'a> {
    pub(super) fn flag(&self, name: &str) -> bool {
        self.flags.contains(&name)
    }
    /// The value of an option; of several the last.
    pub(super) fn key(&self, name: &str) -> Option<&'a Value> {
        self.keys.iter().rev().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.key(name).map(|value| value.as_str().trim().to_owned())
    }
    /// All options with values in the order given.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&'static str, &'a Value)> + '_ {
        self.keys.iter().copied()
    }
    /// Two flags as a choice of which none means both.
    pub(super) fn either(&self, first: &str, second: &str) -> [bool; 2] {
        match [self.flag(first), self.flag(second)] {
            [false, false] => [true, true],
            chosen => chosen,
        }
    }
    pub(super) fn edges(&self) -> [bool; 2] {
        self.either("-rise", "-fall")
    }
    pub(super) fn sides(&self) -> [bool; 2] {
        self.either("-min", "-max")
    }
    /// `[hold, setup]`.
    pub(super) fn checks(&self) -> [bool; 2] {
        self.either("-hold", "-setup")
    }
}

impl Reader<'_> {
    /// Sorts out a command's arguments. Options may be shortened as long as they stay clear.
    pub(super) fn parse<'a>(&self, spec: &Spec, args: &'a [Value]) -> Res<Args<'a>> {
        let mut out = Args { keys: Vec::new(), flags: Vec::new(), rest: Vec::new() };
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let text = match word {
                Value::Text(text, _) => text.as_ref(),
                _ => "",
            };
            let option = text.starts_with('-')
                && text.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic);
            if !option {
                out.rest.push(word);
                continue;
            }
            let known = || spec.keys.iter().chain(spec.flags);
            let exact = known().find(|name| **name == text);
            let mut near = known().filter(|name| name.starts_with(text));
            let found = match (exact, near.next(), near.next()) {
                (Some(found), ..) | (None, Some(found), None) => *found,
                (None, None, _) => {
                    let list: Vec<&str> = known().copied().collect();
                    let list = list.join(" ");
                    return Err(self.fault_hint(
                        format!("`{}` is not an option of {}", shorten(text), self.command),
                        format!("its options are: {list}"),
                    ));
                }
                (None, Some(first), Some(second)) => {
                    return Err(self.fault(format!(
                        "`{}` may be {first} or {second}; write it out",
                        shorten(text)
                    )));
                }
            };
            if spec.flags.contains(&found) {
                out.flags.push(found);
            } else {
                let value = words.next().ok_or_else(|| {
                    self.fault(format!("{found} of {} needs a value", self.command))
                })?;
                out.keys.push((found, value));
            }
        }
        let (fewest, most) = spec.rest;
        if out.rest.len() < fewest || out.rest.len() > most {
            let wanted = match (fewest, most) {
                (a, b) if a == b => format!("{a}"),
                (a, b) => format!("{a} to {b}"),
            };
            return Err(self.fault(format!(
                "{} takes {wanted} arguments besides its options, not {}",
                self.command,
                out.rest.len()
            )));
        }
        Ok(out)
    }

    pub(super) fn number(&self, value: &Value) -> Res<f64> {
        let text = value.as_str();
        let number = parse_number(&text).map(Number::as_f64).ok_or_else(|| {
            self.fault(format!("`{}` is not a number (in {})", shorten(&text), self.command))
        })?;
        if number.abs() > LARGEST {
            let text = shorten(&text);
            return Err(self.fault(format!("`{text}` is out of range: at most {LARGEST:e}")));
        }
        Ok(number)
    }

    /// A quantity that nature has no negative of: a load, a resistance, a slew, a count.
    pub(super) fn not_negative(&self, value: &Value) -> Res<f64> {
        let number = self.number(value)?;
        if number < 0.0 {
            return Err(
                self.fault(format!("{} must not be negative, as {number} is", self.command))
            );
        }
        Ok(number)
    }

    /// A time, ns.
    pub(super) fn time(&self, value: &Value) -> Res<f64> {
        Ok(self.number(value)? * self.units.time)
    }

    pub(super) fn numbers(&self, value: &Value) -> Res<Vec<f64>> {
        let items = value.to_list().map_err(|message| self.fault(message))?;
        items.iter().map(|item| self.number(item)).collect()
    }

    pub(super) fn positive_integer(&self, value: &Value, what: &str) -> Res<u32> {
        let number = self.number(value)?;
        if number.fract() == 0.0 && (1.0..=1e9).contains(&number) {
            Ok(number as u32)
        } else {
            Err(self.fault(format!("{what} must be a whole number of at least 1, not {number}")))
        }
    }

    /// An error of the command that is running.
    pub(super) fn fault(&self, message: impl Into<String>) -> Flow {
        self.fault_hint(message, "")
    }
}
