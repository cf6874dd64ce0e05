//! String commands: `string`, `format`, `regexp`, `regsub`.

use super::eval::Interp;
use super::glob::{self, Rules};
use super::meter::{Res, shorten};
use super::value::Value;
use super::{Number, compile_regex, format_double, parse_number};

/// The widest field that `format` pads to.
const WIDEST: usize = 10_000;

impl Interp<'_> {
    pub(super) fn string_command(&mut self, name: &str, args: &[Value]) -> Option<Res> {
        Some(match name {
            "string" => self.cmd_string(args),
            "format" => self.cmd_format(args),
            "regexp" => self.cmd_regexp(args),
            "regsub" => self.cmd_regsub(args),
            _ => return None,
        })
    }

    fn cmd_string(&mut self, args: &[Value]) -> Res {
        const USAGE: &str = "string compare|equal|first|index|is|last|length|map|match|range|repeat|replace|\
             reverse|tolower|toupper|trim|trimleft|trimright ...";
        let Some((what, args)) = args.split_first() else { return Err(self.usage(USAGE)) };
        let mut nocase = false;
        let mut rest = args;
        while let Some((first, others)) = rest.split_first() {
            if others.is_empty() {
                break;
            }
            match &*first.as_str() {
                "-nocase" => nocase = true,
                "-strict" => {}
                _ => break,
            }
            rest = others;
        }
        let texts: Vec<_> = rest.iter().map(Value::as_str).collect();
        let size: usize = texts.iter().map(|t| t.len()).sum();
        self.meter.bytes(size as u64)?;
        let words: Vec<&str> = texts.iter().map(|t| &**t).collect();
        let fold = |t: &str| if nocase { t.to_lowercase() } else { t.to_owned() };
        let position = |at: Option<usize>, text: &str| {
            Value::int(at.map_or(-1, |at| text[..at].chars().count() as i64))
        };
        Ok(match (&*what.as_str(), words.as_slice()) {
            ("length", [text]) => Value::int(text.chars().count() as i64),
            ("bytelength", [text]) => Value::int(text.len() as i64),
            ("tolower", [text]) => Value::string(text.to_lowercase()),
            ("toupper", [text]) => Value::string(text.to_uppercase()),
            ("reverse", [text]) => Value::string(text.chars().rev().collect()),
            ("equal", [a, b]) => Value::bool(fold(a) == fold(b)),
            ("compare", [a, b]) => Value::int(fold(a).cmp(&fold(b)) as i64),
            ("match", [pattern, text]) => {
                self.meter.work((pattern.len() * text.len()) as u64 / 8)?;
                Value::bool(glob::matches(pattern, text, Rules { nocase, ..Rules::TCL }))
            }
            ("first", [needle, text]) => position(text.find(needle), text),
            ("last", [needle, text]) => position(text.rfind(needle), text),
            ("trim" | "trimleft" | "trimright", [text, more @ ..]) => {
                let set = more.first().copied().unwrap_or(" \t\r\n\u{b}\u{c}");
                let member = |c: char| set.contains(c);
                Value::text(match &*what.as_str() {
                    "trim" => text.trim_matches(member),
                    "trimleft" => text.trim_start_matches(member),
                    _ => text.trim_end_matches(member),
                })
            }
            ("index", [text, _]) => {
                let chars: Vec<char> = text.chars().collect();
                let at = self.index(&rest[1], chars.len())?;
                let found = usize::try_from(at).ok().and_then(|at| chars.get(at));
                Value::string(found.map(char::to_string).unwrap_or_default())
            }
            ("range" | "replace", [text, _, _, more @ ..]) if more.len() < 2 => {
                let chars: Vec<char> = text.chars().collect();
                let first = self.index(&rest[1], chars.len())?.max(0) as usize;
                let last = self.index(&rest[2], chars.len())?.saturating_add(1).max(0) as usize;
                let last = last.min(chars.len());
                let first = first.min(last);
                if &*what.as_str() == "range" {
                    Value::string(chars[first..last].iter().collect())
                } else if first == last {
                    Value::text(text)
                } else {
                    let mut out: String = chars[..first].iter().collect();
                    out.push_str(more.first().copied().unwrap_or(""));
                    out.extend(&chars[last..]);
                    Value::string(out)
                }
            }
            ("repeat", [text, _]) => {
                let count = usize::try_from(self.int(&rest[1])?).unwrap_or(0);
                self.meter.bytes((count as u64).saturating_mul(text.len().max(1) as u64))?;
                Value::string(text.repeat(count))
            }
            ("map", [_, text]) => {
                let pairs = self.list(&rest[0])?;
                let pairs: Vec<_> = pairs.iter().map(|v| v.as_str().into_owned()).collect();
                self.meter.work((pairs.len() * text.len()) as u64)?;
                let text = map_string(text, &pairs, nocase);
                self.meter.bytes(text.len() as u64)?;
                Value::string(text)
            }
            ("is", [class, text]) => {
                let every = |test: fn(char) -> bool| text.chars().all(test);
                Value::bool(match *class {
                    "integer" | "wideinteger" | "entier" => {
                        matches!(parse_number(text), Some(Number::Int(_)))
                    }
                    "double" => parse_number(text).is_some(),
                    "digit" => every(|c| c.is_ascii_digit()),
                    "alpha" => every(char::is_alphabetic),
                    "alnum" => every(char::is_alphanumeric),
                    "space" => every(char::is_whitespace),
                    "upper" => every(char::is_uppercase),
                    "lower" => every(char::is_lowercase),
                    "boolean" | "true" | "false" => super::expr::truth(text)
                        .is_some_and(|value| *class == "boolean" || value == (*class == "true")),
                    other => {
                        return Err(self.err(format!("string is {} is not known", shorten(other))));
                    }
                })
            }
            _ => return Err(self.usage(USAGE)),
        })
    }

    fn cmd_format(&mut self, args: &[Value]) -> Res {
        let Some((pattern, mut args)) = args.split_first() else {
            return Err(self.usage("format pattern ?value ...?"));
        };
        let pattern = pattern.as_str();
        let mut out = String::new();
        let mut chars = pattern.chars().peekable();
        while let Some(char) = chars.next() {
            if char != '%' {
                out.push(char);
                continue;
            }
            if chars.next_if_eq(&'%').is_some() {
                out.push('%');
                continue;
            }
            let mut flags = String::new();
            while let Some(flag) = chars.next_if(|c| matches!(c, '-' | '+' | ' ' | '0' | '#')) {
                flags.push(flag);
            }
            let mut take = |me: &Self| match args.split_first() {
                Some((first, rest)) => {
                    args = rest;
                    Ok(first.clone())
                }
                None => Err(me.err("format has fewer values than fields")),
            };
            let mut number = |me: &Self, chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
                if chars.next_if_eq(&'*').is_some() {
                    let value = take(me)?;
                    return Ok(Some(me.int(&value)?.unsigned_abs() as usize));
                }
                let mut digits = String::new();
                while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                    digits.push(digit);
                }
                Ok(digits.parse::<usize>().ok())
            };
            let width = number(self, &mut chars)?.unwrap_or(0).min(WIDEST);
            let precision = match chars.next_if_eq(&'.') {
                Some(_) => Some(number(self, &mut chars)?.unwrap_or(0).min(WIDEST)),
                None => None,
            };
            while chars.next_if(|c| matches!(c, 'l' | 'h' | 'q' | 'j' | 'z' | 't')).is_some() {}
            let Some(kind) = chars.next() else {
                return Err(self.err("format pattern ends inside a field"));
            };
            let value = take(self)?;
            let body = self.format_field(kind, &value, precision, &flags)?;
            self.meter.bytes((body.len() + width) as u64)?;
            pad(&body, width, &flags, kind, &mut out);
        }
        Ok(Value::string(out))
    }

    fn format_field(
        &self,
        kind: char,
        value: &Value,
        precision: Option<usize>,
        flags: &str,
    ) -> Res<String> {
        let text = value.as_str();
        let real = || {
            let number = parse_number(&text).map(Number::as_f64);
            number.ok_or_else(|| self.err(format!("`{}` is not a number", shorten(&text))))
        };
        let signed = |body: String, negative: bool| match (negative, flags) {
            (true, _) => body,
            (false, flags) if flags.contains('+') => format!("+{body}"),
            (false, flags) if flags.contains(' ') => format!(" {body}"),
            _ => body,
        };
        Ok(match kind {
            's' => match precision {
                Some(most) => text.chars().take(most).collect(),
                None => text.into_owned(),
            },
            'd' | 'i' | 'u' => {
                let value = match parse_number(&text) {
                    Some(Number::Int(value)) => value,
                    _ => real()?.trunc() as i64,
                };
                signed(value.to_string(), value < 0)
            }
            'x' => format!("{:x}", self.int(value)?),
            'X' => format!("{:X}", self.int(value)?),
            'o' => format!("{:o}", self.int(value)?),
            'c' => u32::try_from(self.int(value)?)
                .ok()
                .and_then(char::from_u32)
                .map(String::from)
                .unwrap_or_default(),
            'f' => signed(format!("{:.*}", precision.unwrap_or(6), real()?), real()? < 0.0),
            'e' | 'E' => {
                let body = exponent(real()?, precision.unwrap_or(6));
                let body = if kind == 'E' { body.to_uppercase() } else { body };
                signed(body, real()? < 0.0)
            }
            'g' | 'G' => signed(general(real()?, precision.unwrap_or(6)), real()? < 0.0),
            other => return Err(self.err(format!("format does not know %{other}"))),
        })
    }

    fn cmd_regexp(&mut self, args: &[Value]) -> Res {
        let (mut nocase, mut all, mut inline) = (false, false, false);
        let mut rest = args;
        while let Some((word, others)) = rest.split_first() {
            match &*word.as_str() {
                "-nocase" => nocase = true,
                "-all" => all = true,
                "-inline" => inline = true,
                "--" => {
                    rest = others;
                    break;
                }
                word if word.starts_with('-') && others.len() > 1 => {
                    return Err(self.err(format!("regexp does not know {}", shorten(word))));
                }
                _ => break,
            }
            rest = others;
        }
        let [pattern, text, names @ ..] = rest else {
            return Err(self.usage("regexp ?options? pattern text ?name ...?"));
        };
        let regex = compile_regex(&pattern.as_str(), nocase).map_err(|m| self.err(m))?;
        let text = text.as_str();
        self.meter.work(1000 + 20 * text.len() as u64)?;
        let mut out = Vec::new();
        let mut count = 0;
        for found in regex.captures_iter(&text).take(if all { usize::MAX } else { 1 }) {
            count += 1;
            self.meter.bytes(100)?;
            let group = |index| found.get(index).map_or("", |m| m.as_str());
            if inline {
                out.extend((0..found.len()).map(|index| Value::text(group(index))));
            }
            for (index, name) in names.iter().enumerate() {
                self.set(&name.as_str(), Value::text(group(index)))?;
            }
        }
        Ok(if inline { Value::list(out) } else { Value::int(count) })
    }

    fn cmd_regsub(&mut self, args: &[Value]) -> Res {
        let (mut nocase, mut all) = (false, false);
        let mut rest = args;
        while let Some((word, others)) = rest.split_first() {
            match &*word.as_str() {
                "-nocase" => nocase = true,
                "-all" => all = true,
                "--" => {
                    rest = others;
                    break;
                }
                _ => break,
            }
            rest = others;
        }
        let (pattern, text, with, name) = match rest {
            [pattern, text, with] => (pattern, text, with, None),
            [pattern, text, with, name] => (pattern, text, with, Some(name)),
            _ => return Err(self.usage("regsub ?options? pattern text replacement ?name?")),
        };
        let regex = compile_regex(&pattern.as_str(), nocase).map_err(|m| self.err(m))?;
        let (text, with) = (text.as_str(), with.as_str());
        self.meter.work(1000 + 20 * text.len() as u64)?;
        let mut out = String::new();
        let (mut last, mut count) = (0, 0);
        for found in regex.captures_iter(&text).take(if all { usize::MAX } else { 1 }) {
            let Some(whole) = found.get(0) else { continue };
            out.push_str(&text[last..whole.start()]);
            let mut chars = with.chars().peekable();
            while let Some(char) = chars.next() {
                let group = match (char, chars.peek()) {
                    ('&', _) => Some(0),
                    ('\\', Some(digit)) if digit.is_ascii_digit() => {
                        chars.next().and_then(|d| d.to_digit(10)).map(|d| d as usize)
                    }
                    ('\\', Some(_)) => {
                        out.extend(chars.next());
                        continue;
                    }
                    _ => None,
                };
                match group {
                    Some(group) => out.push_str(found.get(group).map_or("", |m| m.as_str())),
                    None => out.push(char),
                }
            }
            last = whole.end();
            count += 1;
            self.meter.bytes((with.len() + whole.len()) as u64)?;
            // `&` may multiply the text.
            self.meter.work(out.len() as u64 / 64)?;
        }
        out.push_str(&text[last..]);
        self.meter.bytes(out.len() as u64)?;
        match name {
            Some(name) => {
                self.set(&name.as_str(), Value::string(out))?;
                Ok(Value::int(count))
            }
            None => Ok(Value::string(out)),
        }
    }
}

fn map_string(text: &str, pairs: &[String], nocase: bool) -> String {
    let starts = |rest: &str, key: &str| {
        rest.get(..key.len())
            .is_some_and(|head| if nocase { head.eq_ignore_ascii_case(key) } else { head == key })
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let hit = pairs.chunks_exact(2).find(|p| !p[0].is_empty() && starts(rest, &p[0]));
        match hit {
            Some(pair) => {
                out.push_str(&pair[1]);
                rest = &rest[pair[0].len()..];
            }
            None => {
                out.push(char);
                rest = &rest[char.len_utf8()..];
            }
        }
    }
    out
}

fn pad(body: &str, width: usize, flags: &str, kind: char, out: &mut String) {
    let fill = width.saturating_sub(body.chars().count());
    if flags.contains('-') {
        out.push_str(body);
        out.extend(std::iter::repeat_n(' ', fill));
    } else if flags.contains('0') && kind != 's' && kind != 'c' {
        let (sign, digits) = match body.strip_prefix(['-', '+', ' ']) {
            Some(digits) => (&body[..1], digits),
            None => ("", body),
        };
        out.push_str(sign);
        out.extend(std::iter::repeat_n('0', fill));
        out.push_str(digits);
    } else {
        out.extend(std::iter::repeat_n(' ', fill));
        out.push_str(body);
    }
}

/// C's `%e`: at least two digits of exponent.
fn exponent(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, exp)) => {
            let (sign, digits) = match exp.strip_prefix('-') {
                Some(digits) => ('-', digits),
                None => ('+', exp),
            };
            format!("{mantissa}e{sign}{digits:0>2}")
        }
        None => text,
    }
}

/// C's `%g`.
fn general(value: f64, precision: usize) -> String {
    let precision = precision.max(1);
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { format_double(value) };
    }
    let text = exponent(value, precision - 1);
    let power: i64 = text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let strip = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if power < -4 || power >= precision as i64 {
        match text.split_once('e') {
            Some((mantissa, exp)) => format!("{}e{exp}", strip(mantissa)),
            None => text,
        }
    } else {
        let digits = (precision as i64 - 1 - power).max(0) as usize;
        strip(&format!("{value:.digits$}"))
    }
}
