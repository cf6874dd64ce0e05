//! Commands of the language itself: variables, control flow, procedures, files.

use std::rc::Rc;

use super::eval::{Interp, Proc};
use super::glob::{self, Rules};
use super::meter::{Flow, Res, shorten};
use super::value::Value;
use super::vars::Var;

impl Interp<'_> {
    pub(super) fn control_command(&mut self, name: &str, args: &[Value]) -> Option<Res> {
        Some(match name {
            "set" => self.cmd_set(args),
            "unset" => self.cmd_unset(args),
            "append" => self.cmd_append(args),
            "incr" => self.cmd_incr(args),
            "expr" => self.cmd_expr(args),
            "if" => self.cmd_if(args),
            "while" => self.cmd_while(args),
            "for" => self.cmd_for(args),
            "foreach" | "foreach_in_collection" => self.cmd_foreach(args),
            "switch" => self.cmd_switch(args),
            "proc" => self.cmd_proc(args),
            "return" => Err(Flow::Return(args.last().cloned().unwrap_or_default())),
            "break" => Err(Flow::Break),
            "continue" => Err(Flow::Continue),
            "catch" => self.cmd_catch(args),
            "error" => {
                Err(self.err(args.first().map(|m| m.as_str().into_owned()).unwrap_or_default()))
            }
            "eval" => self.cmd_eval(args),
            "subst" => self.cmd_subst(args),
            "source" => self.cmd_source(args),
            "info" => self.cmd_info(args),
            "global" => self.cmd_global(args),
            "variable" => self.cmd_variable(args),
            "array" => self.cmd_array(args),
            // Messages to a terminal change no constraint.
            "puts" | "echo" | "print" | "flush" => Ok(Value::default()),
            _ => return None,
        })
    }

    pub(super) fn usage(&self, usage: &str) -> Flow {
        self.err(format!("wrong arguments; write: {usage}"))
    }

    fn cmd_set(&mut self, args: &[Value]) -> Res {
        match args {
            [name] => self.get(&name.as_str()),
            [name, value] => {
                self.set(&name.as_str(), value.clone())?;
                Ok(value.clone())
            }
            _ => Err(self.usage("set name ?value?")),
        }
    }

    fn cmd_unset(&mut self, args: &[Value]) -> Res {
        let mut quiet = false;
        for arg in args {
            let name = arg.as_str();
            match &*name {
                "-nocomplain" => quiet = true,
                "--" => {}
                name => {
                    if !self.unset(name) && !quiet {
                        return Err(self.err(format!("variable `{}` has no value", shorten(name))));
                    }
                }
            }
        }
        Ok(Value::default())
    }

    fn cmd_append(&mut self, args: &[Value]) -> Res {
        let Some((name, values)) = args.split_first() else {
            return Err(self.usage("append name ?value ...?"));
        };
        let name = name.as_str();
        let mut text = match self.lookup(&name) {
            Some(value) => value.as_str().into_owned(),
            None => String::new(),
        };
        for value in values {
            text.push_str(&value.as_str());
        }
        self.meter.bytes(text.len() as u64)?;
        let value = Value::string(text);
        self.set(&name, value.clone())?;
        Ok(value)
    }

    fn cmd_incr(&mut self, args: &[Value]) -> Res {
        let (name, by) = match args {
            [name] => (name, 1),
            [name, by] => (name, self.int(by)?),
            _ => return Err(self.usage("incr name ?by?")),
        };
        let name = name.as_str();
        let old = match self.lookup(&name).cloned() {
            Some(value) => self.int(&value)?,
            None => 0,
        };
        let value = Value::int(old.wrapping_add(by));
        self.set(&name, value.clone())?;
        Ok(value)
    }

    fn cmd_expr(&mut self, args: &[Value]) -> Res {
        match args {
            [one] => self.expr(one),
            _ => {
                let text: Vec<_> = args.iter().map(|a| a.as_str().into_owned()).collect();
                self.expr(&Value::string(text.join(" ")))
            }
        }
    }

    fn cmd_if(&mut self, args: &[Value]) -> Res {
        const USAGE: &str = "if condition body ?elseif condition body ...? ?else body?";
        let mut rest = args;
        loop {
            let Some((condition, others)) = rest.split_first() else {
                return Err(self.usage(USAGE));
            };
            let others = match others.first() {
                Some(word) if word.as_str() == "then" => &others[1..],
                _ => others,
            };
            let Some((body, others)) = others.split_first() else {
                return Err(self.usage(USAGE));
            };
            if self.condition(condition)? {
                return self.eval_value(body);
            }
            let Some((word, others)) = others.split_first() else { return Ok(Value::default()) };
            match &*word.as_str() {
                "elseif" => rest = others,
                "else" => {
                    let [body] = others else { return Err(self.usage(USAGE)) };
                    return self.eval_value(body);
                }
                _ if others.is_empty() => return self.eval_value(word),
                _ => return Err(self.usage(USAGE)),
            }
        }
    }

    /// Runs a loop's body; false when the loop ends.
    fn body(&mut self, body: &Value) -> Res<bool> {
        match self.eval_value(body) {
            Ok(_) | Err(Flow::Continue) => Ok(true),
            Err(Flow::Break) => Ok(false),
            Err(flow) => Err(flow),
        }
    }

    fn cmd_while(&mut self, args: &[Value]) -> Res {
        let [condition, body] = args else { return Err(self.usage("while condition body")) };
        while self.condition(condition)? {
            if !self.body(body)? {
                break;
            }
        }
        Ok(Value::default())
    }

    fn cmd_for(&mut self, args: &[Value]) -> Res {
        let [start, condition, next, body] = args else {
            return Err(self.usage("for start condition next body"));
        };
        self.eval_value(start)?;
        while self.condition(condition)? {
            if !self.body(body)? {
                break;
            }
            self.eval_value(next)?;
        }
        Ok(Value::default())
    }

    fn cmd_foreach(&mut self, args: &[Value]) -> Res {
        let Some((body, pairs)) =
            args.split_last().filter(|(_, p)| !p.is_empty() && p.len() % 2 == 0)
        else {
            return Err(self.usage("foreach names list ?names list ...? body"));
        };
        let mut columns = Vec::new();
        let mut turns = 0;
        for pair in pairs.chunks_exact(2) {
            let names = self.list(&pair[0])?;
            let items = self.list(&pair[1])?;
            if names.is_empty() {
                return Err(self.err("foreach needs at least one variable"));
            }
            turns = turns.max(items.len().div_ceil(names.len()));
            columns.push((names, items));
        }
        for turn in 0..turns {
            self.meter.work(100)?;
            for (names, items) in &columns {
                for (offset, name) in names.iter().enumerate() {
                    let item = items.get(turn * names.len() + offset).cloned().unwrap_or_default();
                    self.set(&name.as_str(), item)?;
                }
            }
            if !self.body(body)? {
                break;
            }
        }
        Ok(Value::default())
    }

    fn cmd_switch(&mut self, args: &[Value]) -> Res {
        let mut glob = false;
        let mut rest = args;
        while let Some((word, others)) = rest.split_first() {
            match &*word.as_str() {
                "-exact" => glob = false,
                "-glob" => glob = true,
                "--" => {
                    rest = others;
                    break;
                }
                word if word.starts_with('-') && rest.len() > 2 => {
                    return Err(self.err(format!("switch {} is not supported", shorten(word))));
                }
                _ => break,
            }
            rest = others;
        }
        let (text, arms) = match rest {
            [text, arms] => (text, self.list(arms)?),
            [text, arms @ ..] => (text, Rc::new(arms.to_vec())),
            [] => return Err(self.usage("switch ?-exact|-glob? text {pattern body ...}")),
        };
        let text = text.as_str();
        let mut hit = false;
        for (index, arm) in arms.chunks(2).enumerate() {
            let [pattern, body] = arm else { return Err(self.err("switch pattern without body")) };
            let pattern = pattern.as_str();
            self.meter.work((pattern.len() + text.len()) as u64)?;
            let last = (index + 1) * 2 == arms.len();
            hit = hit
                || (last && pattern == "default")
                || if glob { glob::matches(&pattern, &text, Rules::TCL) } else { pattern == text };
            if hit && body.as_str() != "-" {
                return self.eval_value(body);
            }
        }
        Ok(Value::default())
    }

    fn cmd_proc(&mut self, args: &[Value]) -> Res {
        let [name, params, body] = args else { return Err(self.usage("proc name params body")) };
        let mut list = Vec::new();
        for param in self.list(params)?.iter() {
            match self.list(param)?.as_slice() {
                [name] => list.push((name.as_str().into_owned(), None)),
                [name, default] => {
                    list.push((name.as_str().into_owned(), Some(default.clone())));
                }
                _ => return Err(self.err("a parameter is a name, or a name and a default")),
            }
        }
        let name = name.as_str();
        let name = name.strip_prefix("::").unwrap_or(&name).to_owned();
        self.procs.insert(name, Rc::new(Proc { params: list, body: body.clone() }));
        Ok(Value::default())
    }

    fn cmd_catch(&mut self, args: &[Value]) -> Res {
        let (script, name) = match args {
            [script] => (script, None),
            [script, name] | [script, name, _] => (script, Some(name)),
            _ => return Err(self.usage("catch script ?name?")),
        };
        self.catching += 1;
        let result = self.eval_value(script);
        self.catching -= 1;
        let (code, value) = match result {
            Ok(value) => (0, value),
            Err(Flow::Error(fault)) => (1, Value::string(fault.message)),
            Err(Flow::Return(value)) => (2, value),
            Err(Flow::Break) => (3, Value::default()),
            Err(Flow::Continue) => (4, Value::default()),
            Err(halt @ Flow::Halt(_)) => return Err(halt),
        };
        if let Some(name) = name {
            self.set(&name.as_str(), value)?;
        }
        Ok(Value::int(code))
    }

    fn cmd_eval(&mut self, args: &[Value]) -> Res {
        match args {
            [one] => self.eval_value(one),
            _ => {
                let text: Vec<_> = args.iter().map(|a| a.as_str().into_owned()).collect();
                let text = text.join(" ");
                self.meter.bytes(text.len() as u64)?;
                self.eval_value(&Value::string(text))
            }
        }
    }

    fn cmd_subst(&mut self, args: &[Value]) -> Res {
        let [text] = args else { return Err(self.usage("subst text")) };
        self.meter.enter()?;
        let text = text.as_str();
        self.meter.bytes(text.len() as u64)?;
        let value = self.subst_text(&text);
        self.meter.leave();
        value
    }

    fn cmd_source(&mut self, args: &[Value]) -> Res {
        let names: Vec<_> =
            args.iter().map(Value::as_str).filter(|a| !a.starts_with('-')).collect();
        let [path] = names.as_slice() else { return Err(self.usage("source ?-echo? file")) };
        let (file, text) = match self.host.load(self.at.file, path) {
            Ok(loaded) => loaded,
            Err(message) => {
                return Err(self.err(format!("cannot source `{}`: {message}", shorten(path))));
            }
        };
        self.meter.bytes(text.len() as u64)?;
        self.meter.enter()?;
        self.run_file(file, &text);
        self.meter.leave();
        Ok(Value::default())
    }

    fn cmd_info(&mut self, args: &[Value]) -> Res {
        let words: Vec<_> = args.iter().map(|a| a.as_str().into_owned()).collect();
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["exists", name] => {
                let known = self.lookup(name).is_some() || self.array(name).is_some();
                Ok(Value::bool(known))
            }
            ["procs" | "commands", name] => {
                let known = self.procs.contains_key(*name);
                Ok(Value::text(if known { name } else { "" }))
            }
            ["script"] => Ok(Value::string(self.host.file_name(self.at.file))),
            ["level"] => Ok(Value::int(self.frames.len() as i64 - 1)),
            _ => {
                Err(self.err("of `info` only exists, procs, commands, script and level are known"))
            }
        }
    }

    fn cmd_global(&mut self, args: &[Value]) -> Res {
        if self.frames.len() > 1
            && let Some(frame) = self.frames.last_mut()
        {
            for arg in args {
                frame.vars.insert(arg.as_str().into_owned(), Var::Global);
            }
        }
        Ok(Value::default())
    }

    fn cmd_variable(&mut self, args: &[Value]) -> Res {
        for pair in args.chunks(2) {
            self.cmd_global(&pair[..1])?;
            if let [name, value] = pair {
                self.set(&name.as_str(), value.clone())?;
            }
        }
        Ok(Value::default())
    }

    fn cmd_array(&mut self, args: &[Value]) -> Res {
        const USAGE: &str = "array set|get|names|exists|size|unset name ?argument?";
        let (what, name, more) = match args {
            [what, name] => (what.as_str(), name.as_str(), None),
            [what, name, more] => (what.as_str(), name.as_str(), Some(more)),
            _ => return Err(self.usage(USAGE)),
        };
        let fits = |key: &str| {
            more.is_none_or(|pattern| glob::matches(&pattern.as_str(), key, Rules::TCL))
        };
        match &*what {
            "set" => {
                let items = self.list(more.ok_or_else(|| self.usage(USAGE))?)?;
                for pair in items.chunks(2) {
                    let [key, value] = pair else {
                        return Err(self.err("array set needs an even number of elements"));
                    };
                    self.set(&format!("{name}({})", key.as_str()), value.clone())?;
                }
                Ok(Value::default())
            }
            "exists" => Ok(Value::bool(self.array(&name).is_some())),
            "size" => Ok(Value::int(self.array(&name).map_or(0, |a| a.len() as i64))),
            "names" | "get" => {
                let values = what == "get";
                let mut out = Vec::new();
                for (key, value) in self.array(&name).into_iter().flatten() {
                    if fits(key) {
                        out.push(Value::text(key));
                        if values {
                            out.push(value.clone());
                        }
                    }
                }
                self.make_list(out)
            }
            "unset" => {
                self.unset(&name);
                Ok(Value::default())
            }
            _ => Err(self.usage(USAGE)),
        }
    }

    // ---- conversions ----

    pub(super) fn list(&mut self, value: &Value) -> Res<Rc<Vec<Value>>> {
        if let Value::Text(text, _) = value {
            self.meter.bytes(text.len() as u64)?;
        }
        value.to_list().map_err(|message| self.err(message))
    }

    pub(super) fn int(&self, value: &Value) -> Res<i64> {
        let text = value.as_str();
        match super::parse_number(&text) {
            Some(super::Number::Int(value)) => Ok(value),
            _ => Err(self.err(format!("`{}` is not an integer", shorten(&text)))),
        }
    }
}
