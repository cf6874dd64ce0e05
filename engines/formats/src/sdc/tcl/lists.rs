//! List and collection commands. A collection is a list of objects.

use std::cmp::Ordering;
use std::rc::Rc;

use super::eval::Interp;
use super::glob::{self, Rules};
use super::meter::{Res, shorten};
use super::value::{Extent, Value};
use super::{Number, parse_number};

/// The largest text that a list may have, bytes.
const LARGEST: u64 = 64 << 20;

impl Interp<'_> {
    pub(super) fn list_command(&mut self, name: &str, args: &[Value]) -> Option<Res> {
        Some(match name {
            "list" => self.make_list(args.to_vec()),
            "llength" | "sizeof_collection" => self.cmd_llength(args),
            "lindex" | "index_collection" => self.cmd_lindex(args),
            "lrange" => self.cmd_lrange(args),
            "lappend" | "append_to_collection" => self.cmd_lappend(name, args),
            "concat" | "add_to_collection" => self.cmd_concat(args),
            "remove_from_collection" => self.cmd_remove(args),
            "linsert" => self.cmd_linsert(args),
            "lreplace" => self.cmd_lreplace(args),
            "lreverse" => self.cmd_lreverse(args),
            "lassign" => self.cmd_lassign(args),
            "lrepeat" => self.cmd_lrepeat(args),
            "lsearch" => self.cmd_lsearch(args),
            "lsort" => self.cmd_lsort(args),
            "join" => self.cmd_join(args),
            "split" => self.cmd_split(args),
            _ => return None,
        })
    }

    pub(super) fn make_list(&mut self, items: Vec<Value>) -> Res {
        self.meter.bytes(32 * items.len() as u64)?;
        let list = Value::list(items);
        self.check_size(&list)?;
        Ok(list)
    }

    /// Sharing lets a list of lists grow beyond any memory once it is written out.
    pub(super) fn check_size(&mut self, value: &Value) -> Res<()> {
        if value.weight() > LARGEST { self.meter.bytes(u64::MAX) } else { Ok(()) }
    }

    fn cmd_llength(&mut self, args: &[Value]) -> Res {
        let [list] = args else { return Err(self.usage("llength list")) };
        Ok(Value::int(self.list(list)?.len() as i64))
    }

    /// An index: a number, `end`, `end-n`, `n+m`.
    pub(super) fn index(&self, text: &Value, length: usize) -> Res<i64> {
        let text = text.as_str();
        let bad = || self.err(format!("`{}` is not an index", shorten(&text)));
        let end = length as i64 - 1;
        let value = |part: &str| match part {
            "end" => Some(end),
            part => part.parse::<i64>().ok(),
        };
        if let Some(value) = value(&text) {
            return Ok(value);
        }
        let at = text.rfind(['+', '-']).filter(|at| *at > 0).ok_or_else(bad)?;
        let (left, right) = (value(&text[..at]), text[at + 1..].parse::<i64>().ok());
        let (Some(left), Some(right)) = (left, right) else { return Err(bad()) };
        Ok(if text.as_bytes()[at] == b'-' {
            left.saturating_sub(right)
        } else {
            left.saturating_add(right)
        })
    }

    fn cmd_lindex(&mut self, args: &[Value]) -> Res {
        let Some((list, indices)) = args.split_first() else {
            return Err(self.usage("lindex list ?index ...?"));
        };
        let mut value = list.clone();
        for index in indices {
            let items = self.list(&value)?;
            let index = self.index(index, items.len())?;
            let found = usize::try_from(index).ok().and_then(|index| items.get(index));
            value = found.cloned().unwrap_or_default();
        }
        Ok(value)
    }

    fn span(&self, first: &Value, last: &Value, length: usize) -> Res<(usize, usize)> {
        let first = self.index(first, length)?.max(0) as usize;
        let last = self.index(last, length)?.saturating_add(1).max(0) as usize;
        let last = last.min(length);
        Ok((first.min(length), last.max(first.min(length))))
    }

    fn cmd_lrange(&mut self, args: &[Value]) -> Res {
        let [list, first, last] = args else { return Err(self.usage("lrange list first last")) };
        let items = self.list(list)?;
        let (first, last) = self.span(first, last, items.len())?;
        self.make_list(items[first..last].to_vec())
    }

    fn cmd_lappend(&mut self, command: &str, args: &[Value]) -> Res {
        let Some((name, values)) = args.split_first() else {
            return Err(self.usage("lappend name ?value ...?"));
        };
        let name = name.as_str();
        let old = self.lookup(&name).cloned().unwrap_or_default();
        let mut items = self.list(&old)?;
        let mut extent = match &old {
            Value::List(_, extent) => *extent,
            _ => items.iter().fold(Extent::default(), |sum, item| sum.with(item)),
        };
        // Growing in place keeps a loop of lappends linear; only a shared list is copied.
        drop(old);
        self.unset(&name);
        if Rc::strong_count(&items) > 1 {
            self.meter.bytes(32 * items.len() as u64)?;
        }
        let own = Rc::make_mut(&mut items);
        for value in values {
            let more = match command {
                "append_to_collection" => self.list(value)?,
                _ => Rc::new(vec![value.clone()]),
            };
            self.meter.bytes(32 * more.len() as u64)?;
            extent = more.iter().fold(extent, |sum, item| sum.with(item));
            own.extend(more.iter().cloned());
        }
        let value = Value::list_of(items, extent);
        self.check_size(&value)?;
        self.set(&name, value)?;
        Ok(Value::default())
    }

    fn cmd_concat(&mut self, args: &[Value]) -> Res {
        let mut out = Vec::new();
        for arg in args.iter().filter(|a| !a.as_str().starts_with("-unique")) {
            out.extend(self.list(arg)?.iter().cloned());
        }
        self.make_list(out)
    }

    fn cmd_remove(&mut self, args: &[Value]) -> Res {
        let [from, what] = args else { return Err(self.usage("remove_from_collection a b")) };
        let gone: std::collections::HashSet<String> =
            self.list(what)?.iter().map(|v| v.as_str().into_owned()).collect();
        let items = self.list(from)?;
        let kept = items.iter().filter(|v| !gone.contains(&*v.as_str())).cloned().collect();
        self.make_list(kept)
    }

    fn cmd_linsert(&mut self, args: &[Value]) -> Res {
        let [list, index, values @ ..] = args else {
            return Err(self.usage("linsert list index value ..."));
        };
        let mut items = self.list(list)?.to_vec();
        let at = self.index(index, items.len() + 1)?.clamp(0, items.len() as i64) as usize;
        items.splice(at..at, values.iter().cloned());
        self.make_list(items)
    }

    fn cmd_lreplace(&mut self, args: &[Value]) -> Res {
        let [list, first, last, values @ ..] = args else {
            return Err(self.usage("lreplace list first last ?value ...?"));
        };
        let mut items = self.list(list)?.to_vec();
        let (first, last) = self.span(first, last, items.len())?;
        items.splice(first..last, values.iter().cloned());
        self.make_list(items)
    }

    fn cmd_lreverse(&mut self, args: &[Value]) -> Res {
        let [list] = args else { return Err(self.usage("lreverse list")) };
        let items = self.list(list)?.iter().rev().cloned().collect();
        self.make_list(items)
    }

    fn cmd_lassign(&mut self, args: &[Value]) -> Res {
        let Some((list, names)) = args.split_first() else {
            return Err(self.usage("lassign list name ..."));
        };
        let items = self.list(list)?;
        for (index, name) in names.iter().enumerate() {
            self.set(&name.as_str(), items.get(index).cloned().unwrap_or_default())?;
        }
        self.make_list(items.iter().skip(names.len()).cloned().collect())
    }

    fn cmd_lrepeat(&mut self, args: &[Value]) -> Res {
        let Some((count, values)) = args.split_first() else {
            return Err(self.usage("lrepeat count value ..."));
        };
        let count = usize::try_from(self.int(count)?).unwrap_or(0);
        self.meter.bytes((count as u64).saturating_mul(32 * values.len() as u64))?;
        let items = (0..count).flat_map(|_| values.iter().cloned()).collect();
        self.make_list(items)
    }

    fn cmd_lsearch(&mut self, args: &[Value]) -> Res {
        let [options @ .., list, pattern] = args else {
            return Err(self.usage("lsearch ?options? list pattern"));
        };
        let (mut all, mut inline, mut not, mut mode, mut nocase) =
            (false, false, false, "-glob", false);
        for option in options {
            match &*option.as_str() {
                "-all" => all = true,
                "-inline" => inline = true,
                "-not" => not = true,
                "-exact" => mode = "-exact",
                "-glob" => mode = "-glob",
                "-regexp" => mode = "-regexp",
                "-nocase" => nocase = true,
                "-sorted" | "-ascii" | "-dictionary" => {}
                other => {
                    return Err(self.err(format!("lsearch does not know {}", shorten(other))));
                }
            }
        }
        let items = self.list(list)?;
        let wanted = pattern.as_str();
        let regex = match mode {
            "-regexp" => {
                Some(super::compile_regex(&wanted, nocase).map_err(|message| self.err(message))?)
            }
            _ => None,
        };
        let rules = Rules { nocase, ..Rules::TCL };
        let mut found = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let text = item.as_str();
            self.meter.work(20 + text.len() as u64)?;
            let hit = match (&regex, mode) {
                (Some(regex), _) => regex.is_match(&text),
                (None, "-exact") if nocase => text.eq_ignore_ascii_case(&wanted),
                (None, "-exact") => text == wanted,
                (None, _) => {
                    self.meter.work((text.len() * wanted.len()) as u64 / 8)?;
                    glob::matches(&wanted, &text, rules)
                }
            };
            if hit != not {
                found.push(if inline { item.clone() } else { Value::int(index as i64) });
                if !all {
                    break;
                }
            }
        }
        match found.pop() {
            Some(value) if !all => Ok(value),
            Some(value) => {
                found.push(value);
                self.make_list(found)
            }
            None if all || inline => Ok(Value::default()),
            None => Ok(Value::int(-1)),
        }
    }

    fn cmd_lsort(&mut self, args: &[Value]) -> Res {
        let Some((list, options)) = args.split_last() else {
            return Err(self.usage("lsort ?options? list"));
        };
        let (mut kind, mut down, mut unique) = ("-ascii", false, false);
        for option in options {
            match &*option.as_str() {
                "-ascii" => kind = "-ascii",
                "-dictionary" => kind = "-dictionary",
                "-integer" | "-real" => kind = "-real",
                "-increasing" => down = false,
                "-decreasing" => down = true,
                "-unique" => unique = true,
                other => return Err(self.err(format!("lsort does not know {}", shorten(other)))),
            }
        }
        let items = self.list(list)?;
        let mut keyed = Vec::with_capacity(items.len());
        for item in items.iter() {
            let text = item.as_str().into_owned();
            let number = parse_number(&text).map(Number::as_f64);
            if kind == "-real" && number.is_none() {
                return Err(self.err(format!("`{}` is not a number", shorten(&text))));
            }
            self.meter.bytes(40 + 4 * text.len() as u64)?;
            keyed.push((number.unwrap_or(0.0), text, item.clone()));
        }
        let compare = |a: &(f64, String, Value), b: &(f64, String, Value)| {
            let order = match kind {
                "-real" => a.0.total_cmp(&b.0),
                "-dictionary" => dictionary(&a.1, &b.1),
                _ => a.1.cmp(&b.1),
            };
            if down { order.reverse() } else { order }
        };
        keyed.sort_by(compare);
        if unique {
            keyed.dedup_by(|a, b| compare(a, b) == Ordering::Equal);
        }
        self.make_list(keyed.into_iter().map(|(_, _, item)| item).collect())
    }

    fn cmd_join(&mut self, args: &[Value]) -> Res {
        let (list, by) = match args {
            [list] => (list, " ".to_owned()),
            [list, by] => (list, by.as_str().into_owned()),
            _ => return Err(self.usage("join list ?separator?")),
        };
        let items = self.list(list)?;
        let texts: Vec<_> = items.iter().map(Value::as_str).collect();
        let size: usize = texts.iter().map(|t| t.len() + by.len()).sum();
        self.meter.bytes(size as u64)?;
        Ok(Value::string(texts.join(&by)))
    }

    fn cmd_split(&mut self, args: &[Value]) -> Res {
        let (text, by) = match args {
            [text] => (text.as_str(), " \t\r\n".to_owned()),
            [text, by] => (text.as_str(), by.as_str().into_owned()),
            _ => return Err(self.usage("split text ?characters?")),
        };
        self.meter.bytes(40 * text.len() as u64)?;
        let items = if text.is_empty() {
            Vec::new()
        } else if by.is_empty() {
            text.chars().map(|c| Value::string(c.to_string())).collect()
        } else {
            text.split(|c| by.contains(c)).map(Value::text).collect()
        };
        self.make_list(items)
    }
}

/// Order in which embedded numbers count as numbers and case decides last.
fn dictionary(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    while let (Some(&p), Some(&q)) = (x.first(), y.first()) {
        if p.is_ascii_digit() && q.is_ascii_digit() {
            let digits = |s: &[u8]| s.iter().take_while(|b| b.is_ascii_digit()).count();
            let (m, n) = (digits(x), digits(y));
            let strip = |s: &[u8], n: usize| {
                let zeros = s[..n].iter().take_while(|b| **b == b'0').count().min(n - 1);
                s[zeros..n].to_vec()
            };
            let (left, right) = (strip(x, m), strip(y, n));
            let order = left.len().cmp(&right.len()).then(left.cmp(&right));
            if order != Ordering::Equal {
                return order;
            }
            (x, y) = (&x[m..], &y[n..]);
        } else {
            let order = p.to_ascii_lowercase().cmp(&q.to_ascii_lowercase());
            if order != Ordering::Equal {
                return order;
            }
            (x, y) = (&x[1..], &y[1..]);
        }
    }
    x.len().cmp(&y.len()).then_with(|| a.cmp(b))
}
