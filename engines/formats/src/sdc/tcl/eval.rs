//! Evaluation of scripts: words, substitution, variables, calls.

use std::collections::HashMap;
use std::rc::Rc;

use super::meter::{Fault, Flow, Limits, Meter, Res, shorten};
use super::scan::{Unclosed, command_end, skip_to_command};
use super::value::{Origin, Value, close_brace, push_escape};
use super::vars::{Frame, Var};

/// Whoever serves the commands that are not the language's own.
pub(crate) trait Host {
    /// Runs a command; `None` when it is not known.
    fn command(&mut self, at: Origin, name: &str, args: &[Value], meter: &mut Meter)
    -> Option<Res>;
    /// Takes an error that does not stop the script.
    fn report(&mut self, fault: Fault);
    /// Gives number and text of a file to `source`, named relative to file number `from`.
    fn load(&mut self, from: u32, path: &str) -> Result<(u32, Rc<str>), String>;
    /// Names a file by its number, for `info script`.
    fn file_name(&self, file: u32) -> String;
}

pub(crate) struct Proc {
    pub(crate) params: Vec<(String, Option<Value>)>,
    pub(crate) body: Value,
}

/// The evaluator.
pub(crate) struct Interp<'h> {
    pub(crate) host: &'h mut dyn Host,
    pub(crate) meter: Meter,
    pub(crate) frames: Vec<Frame>,
    pub(crate) procs: HashMap<String, Rc<Proc>>,
    /// How many `catch`es are open.
    pub(crate) catching: u32,
    /// The command being run.
    pub(crate) at: Origin,
}

/// A position in a text that counts lines as it moves.
struct Cursor<'t> {
    text: &'t str,
    at: usize,
    counted: usize,
    line: u32,
    file: u32,
}

impl<'t> Cursor<'t> {
    fn new(text: &'t str, origin: Origin) -> Self {
        Cursor { text, at: 0, counted: 0, line: origin.line, file: origin.file }
    }
    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }
    fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }
    fn origin_at(&mut self, at: usize) -> Origin {
        if let Some(part) = self.bytes().get(self.counted..at) {
            let lines = part.iter().filter(|b| **b == b'\n').count();
            self.line = self.line.saturating_add(lines as u32);
            self.counted = at;
        }
        Origin { file: self.file, line: self.line }
    }
    fn origin(&mut self) -> Origin {
        self.origin_at(self.at)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Stop {
    Blank,
    Quote,
    End,
}

impl<'h> Interp<'h> {
    pub(crate) fn new(host: &'h mut dyn Host, limits: Limits) -> Self {
        Interp {
            host,
            meter: Meter::new(limits),
            frames: vec![Frame::default()],
            procs: HashMap::new(),
            catching: 0,
            at: Origin::default(),
        }
    }

    /// Runs a whole file: every error is reported, and the next command goes on.
    pub(crate) fn run_file(&mut self, file: u32, text: &str) {
        let mut cursor = Cursor::new(text, Origin { file, line: 1 });
        loop {
            match self.next_command(&mut cursor) {
                Ok(None) => return,
                Ok(Some(_)) => {}
                Err(Flow::Error(fault)) => self.host.report(fault),
                Err(Flow::Halt(fault)) => {
                    self.host.report(fault);
                    return;
                }
                // `return` ends a file.
                Err(Flow::Return(_)) => return,
                Err(Flow::Break | Flow::Continue) => {
                    let Flow::Error(fault) = self.err("break or continue outside of a loop") else {
                        return;
                    };
                    self.host.report(fault);
                }
            }
        }
    }

    /// Runs one command of a script and moves behind it; `None` at the end.
    fn next_command(&mut self, cursor: &mut Cursor<'_>) -> Res<Option<Value>> {
        cursor.at = skip_to_command(cursor.bytes(), cursor.at);
        if cursor.at >= cursor.text.len() {
            return Ok(None);
        }
        let start = cursor.at;
        let here = cursor.origin();
        self.at = here;
        self.meter.at = here;
        let end = match command_end(cursor.bytes(), start, false) {
            Ok(end) => end,
            Err(unclosed) => {
                let at = cursor.origin_at(unclosed.at);
                cursor.at = cursor.text.len();
                return Err(unclosed_error(&unclosed, at));
            }
        };
        cursor.at = end;
        self.meter.work(100 + (end - start) as u64)?;
        self.command(&cursor.text[start..end], here).map(Some)
    }

    /// Runs a script (a body) and gives the last command's result.
    pub(crate) fn eval(&mut self, text: &str, origin: Origin) -> Res {
        self.meter.enter()?;
        let result = self.eval_commands(text, origin, false);
        self.meter.leave();
        result
    }

    /// Runs a value as a script; lines count from where it was written.
    pub(crate) fn eval_value(&mut self, script: &Value) -> Res {
        let origin = if script.origin().line > 0 { script.origin() } else { self.at };
        let text = script.as_str();
        self.eval(&text, origin)
    }

    fn eval_commands(&mut self, text: &str, origin: Origin, bracket: bool) -> Res {
        let mut cursor = Cursor::new(text, origin);
        let mut last = Value::default();
        loop {
            match self.next_command(&mut cursor) {
                Ok(None) => return Ok(last),
                Ok(Some(value)) => last = value,
                Err(Flow::Error(fault)) if fault.soft && !bracket && self.catching == 0 => {
                    self.host.report(fault);
                    last = Value::default();
                }
                Err(flow) => return Err(flow),
            }
        }
    }

    fn command(&mut self, text: &str, here: Origin) -> Res {
        let mut cursor = Cursor::new(text, here);
        let mut words = Vec::new();
        loop {
            while let Some(byte) = cursor.peek() {
                if byte == b'\\' && matches!(cursor.bytes().get(cursor.at + 1), Some(b'\n')) {
                    cursor.at += 2;
                } else if byte <= b' ' {
                    cursor.at += 1;
                } else {
                    break;
                }
            }
            let Some(byte) = cursor.peek() else { break };
            let rest = &cursor.text[cursor.at..];
            let expand =
                rest.starts_with("{*}") && rest.as_bytes().get(3).is_some_and(|b| *b > b' ');
            if expand {
                cursor.at += 3;
            }
            let word = match cursor.peek().unwrap_or(byte) {
                b'{' => self.braced_word(&mut cursor)?,
                b'"' => self.quoted_word(&mut cursor)?,
                _ => self.subst(&mut cursor, Stop::Blank)?,
            };
            if expand {
                let items = word.to_list().map_err(|message| self.err(message))?;
                self.meter.bytes(32 * items.len() as u64)?;
                words.extend(items.iter().cloned());
            } else {
                words.push(word);
            }
        }
        self.at = here;
        self.meter.at = here;
        if words.is_empty() {
            return Ok(Value::default());
        }
        self.meter.enter()?;
        let result = self.invoke(&words, here);
        self.meter.leave();
        result
    }

    fn braced_word(&mut self, cursor: &mut Cursor<'_>) -> Res {
        let open = cursor.at;
        let origin = cursor.origin();
        let Some(end) = close_brace(cursor.bytes(), open) else {
            return Err(unclosed_error(&Unclosed { at: open, what: "brace" }, origin));
        };
        cursor.at = end + 1;
        self.word_must_end(cursor, "brace")?;
        let text = &cursor.text[open + 1..end];
        self.meter.bytes(text.len() as u64)?;
        // Continued lines stay as written: whatever reads the text next (a script, a list, an
        // expression) takes backslash and line end as one blank, and lines count right.
        Ok(Value::Text(text.into(), origin))
    }

    fn quoted_word(&mut self, cursor: &mut Cursor<'_>) -> Res {
        cursor.at += 1;
        let value = self.subst(cursor, Stop::Quote)?;
        if cursor.peek() != Some(b'"') {
            let at = cursor.origin();
            return Err(unclosed_error(&Unclosed { at: 0, what: "quote" }, at));
        }
        cursor.at += 1;
        self.word_must_end(cursor, "quote")?;
        Ok(value)
    }

    fn word_must_end(&mut self, cursor: &Cursor<'_>, what: &str) -> Res<()> {
        match cursor.peek() {
            Some(b'\\') if cursor.bytes().get(cursor.at + 1) == Some(&b'\n') => Ok(()),
            Some(byte) if byte > b' ' && byte != b';' => {
                Err(self.err(format!("text follows the closing {what} without a blank")))
            }
            _ => Ok(()),
        }
    }

    /// Substitutes variables, commands and backslashes in a whole text (`subst`, `expr`).
    pub(crate) fn subst_text(&mut self, text: &str) -> Res {
        let mut cursor = Cursor::new(text, self.at);
        self.subst(&mut cursor, Stop::End)
    }

    fn subst(&mut self, cursor: &mut Cursor<'_>, stop: Stop) -> Res {
        let mut out = String::new();
        // A word that is one substitution keeps the value as it is.
        let mut single: Option<Value> = None;
        while let Some(byte) = cursor.peek() {
            let value = match byte {
                b'"' if stop == Stop::Quote => break,
                byte if byte <= b' ' && stop == Stop::Blank => break,
                b';' if stop == Stop::Blank => break,
                b'\\' => {
                    if stop == Stop::Blank && cursor.bytes().get(cursor.at + 1) == Some(&b'\n') {
                        break;
                    }
                    flush(&mut single, &mut out);
                    cursor.at += push_escape(&cursor.text[cursor.at..], &mut out);
                    continue;
                }
                b'$' => self.variable_at(cursor)?,
                b'[' => Some(self.bracket_at(cursor)?),
                _ => None,
            };
            match value {
                Some(value) if out.is_empty() && single.is_none() => single = Some(value),
                Some(value) => {
                    flush(&mut single, &mut out);
                    out.push_str(&value.as_str());
                    self.meter.bytes(value.weight())?;
                }
                None => {
                    flush(&mut single, &mut out);
                    let rest = &cursor.text[cursor.at..];
                    let first = rest.chars().next().map_or(1, char::len_utf8);
                    let ends = |b: &u8| {
                        matches!(b, b'\\' | b'$' | b'[')
                            || match stop {
                                Stop::Blank => *b <= b' ' || *b == b';',
                                Stop::Quote => *b == b'"',
                                Stop::End => false,
                            }
                    };
                    let more = rest.as_bytes().get(first..).unwrap_or(&[]);
                    let length = first + more.iter().position(ends).unwrap_or(more.len());
                    out.push_str(&rest[..length]);
                    cursor.at += length;
                }
            }
        }
        if let Some(value) = single {
            return Ok(value);
        }
        self.meter.bytes(out.len() as u64)?;
        Ok(Value::string(out))
    }

    /// A `$` substitution at the cursor; `None` when the `$` is only a character.
    fn variable_at(&mut self, cursor: &mut Cursor<'_>) -> Res<Option<Value>> {
        let bytes = cursor.bytes();
        let start = cursor.at + 1;
        if bytes.get(start) == Some(&b'{') {
            let Some(length) = bytes[start..].iter().position(|b| *b == b'}') else {
                return Err(self.err("`${` without closing brace"));
            };
            let name = &cursor.text[start + 1..start + length];
            cursor.at = start + length + 1;
            return self.get(name).map(Some);
        }
        let mut end = start;
        while let Some(&byte) = bytes.get(end) {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                end += 1;
            } else if byte == b':' && bytes.get(end + 1) == Some(&b':') {
                end += 2;
            } else {
                break;
            }
        }
        if end == start {
            return Ok(None);
        }
        let name = &cursor.text[start..end];
        cursor.at = end;
        if bytes.get(end) != Some(&b'(') {
            return self.get(name).map(Some);
        }
        // The index is substituted up to its closing parenthesis.
        let Some(close) = index_end(bytes, end) else {
            return Err(self.err(format!("`${name}(` without closing parenthesis")));
        };
        let index = self.subst_inner(&cursor.text[end + 1..close])?;
        cursor.at = close + 1;
        self.get(&format!("{name}({})", index.as_str())).map(Some)
    }

    fn subst_inner(&mut self, text: &str) -> Res {
        self.meter.enter()?;
        let value = self.subst_text(text);
        self.meter.leave();
        value
    }

    fn bracket_at(&mut self, cursor: &mut Cursor<'_>) -> Res {
        let open = cursor.at;
        let origin = cursor.origin();
        let bytes = cursor.bytes();
        let mut at = open + 1;
        let close = loop {
            at = skip_to_command(bytes, at);
            match command_end(bytes, at, true) {
                Ok(end) if bytes.get(end) == Some(&b']') => break end,
                Ok(end) if end < bytes.len() => at = end,
                _ => return Err(unclosed_error(&Unclosed { at: open, what: "bracket" }, origin)),
            }
        };
        cursor.at = close + 1;
        self.meter.enter()?;
        let value = self.eval_commands(&cursor.text[open + 1..close], origin, true);
        self.meter.leave();
        value
    }

    pub(crate) fn err(&self, message: impl Into<String>) -> Flow {
        Flow::Error(Fault {
            at: self.at,
            message: message.into(),
            hint: String::new(),
            soft: false,
        })
    }

    // ---- calls ----

    fn invoke(&mut self, words: &[Value], here: Origin) -> Res {
        let Some((name, args)) = words.split_first() else { return Ok(Value::default()) };
        // Any command may write its arguments out.
        let size = words.iter().fold(0_u64, |sum, word| sum.saturating_add(word.weight()));
        self.meter.work(size / 4)?;
        let name = name.as_str();
        let name = name.strip_prefix("::").unwrap_or(&name);
        if let Some(procedure) = self.procs.get(name).cloned() {
            return self.call(name, &procedure, args);
        }
        if let Some(result) = self.control_command(name, args) {
            return result;
        }
        if let Some(result) = self.list_command(name, args) {
            return result;
        }
        if let Some(result) = self.string_command(name, args) {
            return result;
        }
        match self.host.command(here, name, args, &mut self.meter) {
            Some(result) => result,
            // `[3]`, `[*]` and `[7:0]` behind a name are an index that lacks its backslash.
            None if args.is_empty() && is_index(name) => Ok(Value::string(format!("[{name}]"))),
            None => Err(Flow::Error(Fault {
                at: here,
                message: format!("`{}` is not a known command", shorten(name)),
                hint: "remove it, or put its effect into commands of SDC 2.1".into(),
                soft: false,
            })),
        }
    }

    fn call(&mut self, name: &str, procedure: &Proc, args: &[Value]) -> Res {
        let mut frame = Frame::default();
        let mut rest = args;
        let wrong = |me: &Self| me.err(format!("wrong number of arguments for `{name}`"));
        let last = procedure.params.len().wrapping_sub(1);
        for (index, (param, default)) in procedure.params.iter().enumerate() {
            let value = if param == "args" && index == last {
                Value::list_of_args(std::mem::take(&mut rest))
            } else if let Some((first, others)) = rest.split_first() {
                rest = others;
                first.clone()
            } else if let Some(default) = default {
                default.clone()
            } else {
                return Err(wrong(self));
            };
            frame.vars.insert(param.clone(), Var::Scalar(value));
        }
        if !rest.is_empty() {
            return Err(wrong(self));
        }
        self.frames.push(frame);
        let result = self.eval_value(&procedure.body);
        self.frames.pop();
        match result {
            Err(Flow::Return(value)) => Ok(value),
            Err(Flow::Break | Flow::Continue) => {
                Err(self.err("break or continue outside of a loop"))
            }
            other => other,
        }
    }
}

fn is_index(text: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text == "*"
        || number(text)
        || text.split_once(':').is_some_and(|(from, to)| number(from) && number(to))
}

fn flush(single: &mut Option<Value>, out: &mut String) {
    if let Some(value) = single.take() {
        out.push_str(&value.as_str());
    }
}

fn index_end(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in bytes[open..].iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(open + offset);
                }
            }
            b'\n' => return None,
            _ => {}
        }
    }
    None
}

fn unclosed_error(unclosed: &Unclosed, at: Origin) -> Flow {
    Flow::Error(Fault {
        at,
        message: format!("the {} that opens here is not closed", unclosed.what),
        hint: "close it; what follows it was not read".into(),
        soft: false,
    })
}
