//! The state of a read: the design, what was read so far, and what went wrong.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use cellwright_db::{CellId, Design, PinId};
use cellwright_sta::constraints::{ClockId, Constraints, NotSupported, Units};

use super::names::{Finder, How, Kind};
use super::object::Object;
use super::tcl::{Fault, Flow, Host, Meter, Origin, Res, Value, shorten, value};
use crate::text::{Problem, Problems, Severity, Source, open_with_limit};

/// The largest file that `source` reads, bytes.
const MAX_SOURCED: u64 = 256 << 20;

/// Serves the commands of SDC.
pub(super) struct Reader<'d> {
    pub(super) design: &'d Design,
    pub(super) finder: Finder<'d>,
    pub(super) out: Constraints,
    /// Clocks that a later `create_clock` replaced; taken out at the end.
    pub(super) dead: Vec<bool>,
    pub(super) units: Units,
    /// Where the output (0) and input (1) delays of a pin stand in their list.
    pub(super) delays: [HashMap<PinId, Vec<usize>>; 2],
    pub(super) problems: Problems,
    pub(super) files: Vec<String>,
    /// The running command and its place.
    pub(super) command: String,
    pub(super) at: Origin,
}

impl<'d> Reader<'d> {
    pub(super) fn new(design: &'d Design, units: Units) -> Self {
        Reader {
            design,
            finder: Finder::new(design),
            out: Constraints { units, ..Constraints::default() },
            dead: Vec::new(),
            units,
            delays: Default::default(),
            problems: Problems::new(),
            files: Vec::new(),
            command: String::new(),
            at: Origin::default(),
        }
    }

    pub(super) fn problem(&mut self, severity: Severity, code: &'static str, message: String) {
        self.problem_at(self.at, severity, code, message);
    }

    fn problem_at(&mut self, at: Origin, severity: Severity, code: &'static str, message: String) {
        let file = self.file_name(at.file);
        self.problems.push(Problem { severity, file, line: at.line, code, message });
    }

    pub(super) fn warn(&mut self, code: &'static str, message: impl Into<String>) {
        self.problem(Severity::Warning, code, message.into());
    }

    /// Notes that a command, or a part of it, has no place in the constraints.
    pub(super) fn not_kept(&mut self, why: impl Into<String>) {
        let why = why.into();
        self.out.not_supported.push(NotSupported {
            file: self.file_name(self.at.file),
            line: self.at.line,
            command: self.command.clone(),
            why: why.clone(),
        });
        self.warn("sdc-not-kept", format!("{}: {why}", self.command));
    }

    pub(super) fn fault_hint(&self, message: impl Into<String>, hint: impl Into<String>) -> Flow {
        Flow::Error(Fault { at: self.at, message: message.into(), hint: hint.into(), soft: true })
    }

    pub(super) fn name(&self, object: Object) -> String {
        match object {
            Object::Clock(clock) => self.clock_name(clock).to_owned(),
            object => self.finder.name(object),
        }
    }

    pub(super) fn clock_name(&self, clock: ClockId) -> &str {
        self.out.clocks.get(clock).map_or("", |clock| &clock.name)
    }

    /// The living clocks.
    pub(super) fn clocks(&self) -> impl Iterator<Item = ClockId> + '_ {
        self.out.clocks.ids().filter(|clock| !self.dead[clock.0 as usize])
    }

    pub(super) fn find_clock(&self, name: &str) -> Option<ClockId> {
        self.clocks().find(|clock| self.clock_name(*clock) == name)
    }

    /// Whether the object exists; a handle may be forged, and a clock may be gone.
    pub(super) fn exists(&self, object: Object) -> bool {
        match object {
            Object::Clock(clock) => self.dead.get(clock.0 as usize) == Some(&false),
            object => self.finder.exists(object),
        }
    }

    // ---- arguments that name objects ----

    /// The objects of an argument. Texts are names or patterns of the first of `kinds` in which
    /// they are found; what is not found is a warning.
    pub(super) fn objects(
        &mut self,
        value: &Value,
        kinds: &[Kind],
        meter: &mut Meter,
    ) -> Res<Vec<Object>> {
        let mut out = Vec::new();
        self.push_objects(value, kinds, meter, &mut out, 0)?;
        Ok(out)
    }

    fn push_objects(
        &mut self,
        value: &Value,
        kinds: &[Kind],
        meter: &mut Meter,
        out: &mut Vec<Object>,
        depth: u32,
    ) -> Res<()> {
        if depth > 20 {
            return Err(self.fault("lists of objects nest too deeply"));
        }
        match value {
            Value::Object(object) => {
                if !self.exists(*object) {
                    return Err(self.fault("an object that does not exist any more is used"));
                }
                if !fits(*object, kinds) {
                    return Err(self.fault(format!(
                        "{} `{}` has no meaning here; {} takes {}",
                        object.kind(),
                        shorten(&self.name(*object)),
                        self.command,
                        kind_list(kinds)
                    )));
                }
                out.push(*object);
                Ok(())
            }
            Value::List(items, _) => {
                for item in items.iter() {
                    self.push_objects(item, kinds, meter, out, depth + 1)?;
                }
                Ok(())
            }
            Value::Text(text, _) => {
                // A plain name is no list even when its characters would be special in one.
                if !text.contains(char::is_whitespace) && !text.starts_with(['{', '"']) {
                    return self.push_named(text, kinds, meter, out);
                }
                // Inside a list a text with blanks may be one odd name.
                if depth > 0 {
                    for kind in kinds {
                        let found = self.find(*kind, text, &How::default(), meter)?;
                        if !found.is_empty() {
                            out.extend(found);
                            return Ok(());
                        }
                    }
                }
                let items = value::split_list(text).map_err(|message| self.fault(message))?;
                for item in &items {
                    self.push_objects(item, kinds, meter, out, depth + 1)?;
                }
                Ok(())
            }
        }
    }

    fn push_named(
        &mut self,
        name: &str,
        kinds: &[Kind],
        meter: &mut Meter,
        out: &mut Vec<Object>,
    ) -> Res<()> {
        if name.is_empty() {
            return Ok(());
        }
        if let Some(object) = Object::from_handle(name) {
            return self.push_objects(&Value::Object(object), kinds, meter, out, 0);
        }
        for kind in kinds {
            let found = self.find(*kind, name, &How::default(), meter)?;
            if !found.is_empty() {
                out.extend(found);
                return Ok(());
            }
        }
        let message =
            format!("{}: no {} is called `{}`", self.command, kind_list(kinds), shorten(name));
        self.warn("sdc-not-found", message);
        Ok(())
    }

    /// [`Finder::find`], clocks included.
    pub(super) fn find(
        &self,
        kind: Kind,
        pattern: &str,
        how: &How,
        meter: &mut Meter,
    ) -> Res<Vec<Object>> {
        use super::tcl::{compile_regex, glob};
        if kind != Kind::Clock {
            return self.finder.find(kind, pattern, how, meter).map_err(|flow| self.place(flow));
        }
        meter.work(20 * self.out.clocks.len() as u64)?;
        let regex = match how.regexp {
            true => Some(
                compile_regex(&format!("^(?:{pattern})$"), how.nocase)
                    .map_err(|m| self.fault(m))?,
            ),
            false => None,
        };
        let rules = glob::Rules { nocase: how.nocase, ..glob::Rules::NAME };
        let hits = |name: &str| match &regex {
            Some(regex) => regex.is_match(name),
            None => name == pattern || glob::matches(pattern, name, rules),
        };
        Ok(self.clocks().filter(|c| hits(self.clock_name(*c))).map(Object::Clock).collect())
    }

    /// Gives an error without place that of the command.
    fn place(&self, flow: Flow) -> Flow {
        match flow {
            Flow::Error(fault) => Flow::Error(Fault { at: self.at, ..fault }),
            flow => flow,
        }
    }

    /// Pins of an argument: pins, and the pins of ports.
    pub(super) fn pins(&mut self, value: &Value, meter: &mut Meter) -> Res<Vec<PinId>> {
        let found = self.objects(value, &[Kind::Port, Kind::Pin], meter)?;
        Ok(found.into_iter().filter_map(|object| self.pin_of(object)).collect())
    }

    pub(super) fn pin_of(&self, object: Object) -> Option<PinId> {
        match object {
            Object::Port(port) => Some(self.design.ports()[port].pin),
            Object::Pin(pin) => Some(pin),
            _ => None,
        }
    }

    /// One pin of an argument.
    pub(super) fn one_pin(&mut self, value: &Value, what: &str, meter: &mut Meter) -> Res<PinId> {
        match self.pins(value, meter)?.as_slice() {
            [pin] => Ok(*pin),
            found => {
                Err(self.fault(format!("{what} must be one pin or port, not {}", found.len())))
            }
        }
    }

    pub(super) fn clocks_of(&mut self, value: &Value, meter: &mut Meter) -> Res<Vec<ClockId>> {
        let found = self.objects(value, &[Kind::Clock], meter)?;
        let clock = |object| match object {
            Object::Clock(clock) => Some(clock),
            _ => None,
        };
        Ok(found.into_iter().filter_map(clock).collect())
    }

    pub(super) fn one_clock(&mut self, value: &Value, meter: &mut Meter) -> Res<ClockId> {
        match self.clocks_of(value, meter)?.as_slice() {
            [clock] => Ok(*clock),
            found => {
                let text = shorten(&value.as_str());
                Err(self.fault_hint(
                    format!("{} needs one clock, and `{text}` gives {}", self.command, found.len()),
                    "define the clock first, or correct its name",
                ))
            }
        }
    }

    /// Leaf cells, with those below levels of hierarchy.
    pub(super) fn leaf_cells(&self, object: Object, meter: &mut Meter) -> Res<Vec<CellId>> {
        match object {
            Object::Cell(cell) => Ok(vec![cell]),
            Object::Level(level) => {
                meter.work(10 * self.design.cell_slots() as u64)?;
                Ok(self.finder.levels().cells(self.design, level).collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Warns when a command names nothing; true then.
    pub(super) fn nothing<T>(&mut self, found: &[T]) -> bool {
        if found.is_empty() {
            let message = format!("{} names no object and has no effect", self.command);
            self.warn("sdc-no-object", message);
        }
        found.is_empty()
    }
}

pub(super) fn fits(object: Object, kinds: &[Kind]) -> bool {
    let kind = match object {
        Object::Design => Kind::Design,
        Object::Port(_) => Kind::Port,
        Object::Pin(_) => Kind::Pin,
        Object::Cell(_) | Object::Level(_) => Kind::Cell,
        Object::Net(_) => Kind::Net,
        Object::Clock(_) => Kind::Clock,
        Object::Lib(_) => Kind::Lib,
        Object::LibCell(_) => Kind::LibCell,
        Object::LibPin(..) => Kind::LibPin,
    };
    kinds.contains(&kind)
}

fn kind_list(kinds: &[Kind]) -> String {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

impl Host for Reader<'_> {
    fn command(
        &mut self,
        at: Origin,
        name: &str,
        args: &[Value],
        meter: &mut Meter,
    ) -> Option<Res> {
        self.at = at;
        name.clone_into(&mut self.command);
        self.dispatch(name, args, meter)
    }

    fn report(&mut self, fault: Fault) {
        let message = match fault.hint.is_empty() {
            true => fault.message,
            false => format!("{}; {}", fault.message, fault.hint),
        };
        self.problem_at(fault.at, Severity::Error, "sdc-error", message);
    }

    fn load(&mut self, from: u32, path: &str) -> Result<(u32, Rc<str>), String> {
        let base = self.file_name(from);
        let base = Path::new(&base).parent().unwrap_or(Path::new(""));
        let source: Source =
            open_with_limit(base.join(path), MAX_SOURCED).map_err(|error| error.message)?;
        let file = self.files.len() as u32;
        self.files.push(source.name().to_owned());
        Ok((file, source.text().into()))
    }

    fn file_name(&self, file: u32) -> String {
        self.files.get(file as usize).cloned().unwrap_or_default()
    }
}
