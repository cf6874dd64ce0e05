//! Modules and what stands in them, by recursive descent over the lexer's words.

use super::ast::{Conn, Design, Expr, Instance, Module, NO_MODULE, NameId, Port, Signal, Tie};
use super::lexer::{Kind, Lexer, Token};
use super::masters::PortDirection;
use crate::text::{FormatError, Problems, Severity, Source};
use std::collections::HashMap;

/// The most bits of one bus.
const MAX_BUS: i64 = 1 << 20;

/// Words that start what no netlist holds, with what to do about it.
const BEHAVIOUR: &[&str] = &[
    "always",
    "always_comb",
    "always_ff",
    "always_latch",
    "initial",
    "final",
    "reg",
    "integer",
    "real",
    "realtime",
    "time",
    "event",
    "genvar",
    "generate",
    "for",
    "if",
    "case",
    "function",
    "task",
    "primitive",
    "interface",
    "package",
    "import",
    "class",
    "program",
    "config",
    "bind",
    "typedef",
    "struct",
    "enum",
    "assert",
    "alias",
    "force",
    "begin",
];

/// Gate and switch primitives of the language.
const PRIMITIVES: &[&str] = &[
    "and", "nand", "or", "nor", "xor", "xnor", "buf", "not", "bufif0", "bufif1", "notif0",
    "notif1", "nmos", "pmos", "rnmos", "rpmos", "cmos", "rcmos", "tran", "rtran", "tranif0",
    "tranif1", "rtranif0", "rtranif1", "pullup", "pulldown",
];

/// The level of a supply net, and the range.
type NetType = (Option<Tie>, Option<(i32, i32)>);

const NET_TYPES: &[&str] = &[
    "wire", "tri", "tri0", "tri1", "wand", "wor", "triand", "trior", "trireg", "uwire", "logic",
    "supply0", "supply1",
];

pub(super) fn read<'a>(
    design: &mut Design<'a>,
    source: &'a Source,
    problems: &mut Problems,
) -> Result<(), FormatError> {
    let index = u32::try_from(design.sources.len()).unwrap_or(u32::MAX);
    design.sources.push(source);
    let token = Token { kind: Kind::End, text: "", at: 0 };
    let mut parser = Parser {
        design,
        problems,
        source,
        lexer: Lexer::new(source),
        token,
        ahead: None,
        signal_of: Vec::new(),
        parameters: HashMap::new(),
        module: empty_module(index, NameId(0), 0),
    };
    parser.advance()?;
    parser.file(index)
}

fn empty_module(source: u32, name: NameId, at: u32) -> Module {
    Module {
        name,
        source,
        at,
        ports: Vec::new(),
        signals: Vec::new(),
        instances: Vec::new(),
        conns: Vec::new(),
        assigns: Vec::new(),
        parametric: false,
        strict_nets: false,
    }
}

pub(super) struct Parser<'d, 'a> {
    pub(super) design: &'d mut Design<'a>,
    problems: &'d mut Problems,
    source: &'a Source,
    lexer: Lexer<'a>,
    /// The word that is to be read next.
    pub(super) token: Token<'a>,
    ahead: Option<Token<'a>>,
    // By name: (signal index + 1) of the module being read; 0 for none.
    signal_of: Vec<u32>,
    parameters: HashMap<NameId, Option<i64>>,
    module: Module,
}

impl<'a> Parser<'_, 'a> {
    #[inline]
    pub(super) fn advance(&mut self) -> Result<(), FormatError> {
        self.token = match self.ahead.take() {
            Some(token) => token,
            None => self.lexer.next()?,
        };
        Ok(())
    }

    /// Whether the word after the next is `:`.
    pub(super) fn peek_is_colon(&mut self) -> Result<bool, FormatError> {
        if self.ahead.is_none() {
            self.ahead = Some(self.lexer.next()?);
        }
        Ok(self.ahead.is_some_and(|t| t.is(b':')))
    }

    pub(super) fn error_at<T>(
        &self,
        at: u32,
        message: impl Into<String>,
        hint: &str,
    ) -> Result<T, FormatError> {
        Err(self.source.error(at as usize, message, hint))
    }

    /// An error that says of the next word what is wrong with it.
    pub(super) fn error_here<T>(&self, what: &str, hint: &str) -> Result<T, FormatError> {
        self.error_at(self.token.at, format!("{} {what}", self.token.shown()), hint)
    }

    pub(super) fn expect(&mut self, symbol: u8, hint: &str) -> Result<(), FormatError> {
        if !self.token.is(symbol) {
            return self.error_here(&format!("stands where `{}` should", symbol as char), hint);
        }
        self.advance()
    }

    fn eat(&mut self, symbol: u8) -> Result<bool, FormatError> {
        let found = self.token.is(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn take_name(&mut self) -> Result<NameId, FormatError> {
        if !matches!(self.token.kind, Kind::Word | Kind::Escaped) {
            return self.error_here("stands where a name should", "");
        }
        let name = self.design.names.intern(self.token.text);
        self.advance()?;
        Ok(name)
    }

    pub(super) fn parameter(&self, name: NameId) -> Option<i64> {
        self.parameters.get(&name).copied().flatten()
    }

    pub(super) fn module_is_parametric(&mut self) {
        self.module.parametric = true;
    }

    fn file(&mut self, source: u32) -> Result<(), FormatError> {
        loop {
            if self.token.kind == Kind::End {
                return Ok(());
            }
            if self.token.is(b';') {
                self.advance()?;
            } else if self.token.is_word("module") || self.token.is_word("macromodule") {
                self.advance()?;
                self.read_module(source)?;
            } else if self.token.is_word("timeunit") || self.token.is_word("timeprecision") {
                self.skip_statement()?;
            } else {
                return self.error_here(
                    "stands where `module` should",
                    "only modules of gate-level Verilog are read",
                );
            }
        }
    }

    fn read_module(&mut self, source: u32) -> Result<(), FormatError> {
        let at = self.token.at;
        let name = self.take_name()?;
        self.module = empty_module(source, name, at);
        self.module.strict_nets = self.lexer.strict_nets;
        self.parameters.clear();
        if self.eat(b'#')? {
            self.expect(b'(', "write the parameters as #(parameter N = 1)")?;
            self.parameter_list(b')')?;
            self.expect(b')', "close the parameter list")?;
        }
        if self.eat(b'(')? {
            self.port_list()?;
            self.expect(b')', "close the port list")?;
        }
        self.expect(b';', "end the module's header")?;
        while !self.token.is_word("endmodule") {
            self.item()?;
        }
        self.advance()?;
        if self.eat(b':')? {
            self.take_name()?;
        }
        self.finish_module(name, at)
    }

    fn finish_module(&mut self, name: NameId, at: u32) -> Result<(), FormatError> {
        for signal in &self.module.signals {
            if let Some(slot) = self.signal_of.get_mut(signal.name.0 as usize) {
                *slot = 0;
            }
        }
        let module = std::mem::replace(&mut self.module, empty_module(0, name, at));
        let design = &mut *self.design;
        if design.module_of.len() <= name.0 as usize {
            design.module_of.resize(name.0 as usize + 1, NO_MODULE);
        }
        let slot = &mut design.module_of[name.0 as usize];
        if *slot == NO_MODULE {
            *slot = u32::try_from(design.modules.len()).unwrap_or(NO_MODULE);
            design.modules.push(module);
        } else {
            let text = design.names.get(name);
            self.problems.report(
                Severity::Warning,
                "verilog-duplicate-module",
                self.source,
                at as usize,
                || format!("module `{text}` is there twice; the last one stays"),
            );
            design.modules[*slot as usize] = module;
        }
        Ok(())
    }

    fn port_list(&mut self) -> Result<(), FormatError> {
        let mut ansi: Option<(PortDirection, Option<(i32, i32)>)> = None;
        while !self.token.is(b')') {
            let at = self.token.at;
            if let Some(direction) = self.direction() {
                self.advance()?;
                ansi = Some((direction, self.net_type_and_range()?.1));
            }
            if let Some((direction, range)) = ansi {
                let name = self.take_name()?;
                self.declare(name, at, range, Some(direction), None)?;
                self.module.ports.push(Port { name: Some(name), expr: Expr::Net(name), at });
            } else if self.eat(b'.')? {
                let name = self.take_name()?;
                self.expect(b'(', "write the port as .name(net)")?;
                let expr = if self.token.is(b')') { Expr::None } else { self.expr(0)? };
                self.expect(b')', "write the port as .name(net)")?;
                self.module.ports.push(Port { name: Some(name), expr, at });
            } else if self.token.is(b',') {
                self.module.ports.push(Port { name: None, expr: Expr::None, at });
            } else {
                let expr = self.expr(0)?;
                let name = match expr {
                    Expr::Net(name) => Some(name),
                    _ => None,
                };
                self.module.ports.push(Port { name, expr, at });
            }
            if !self.eat(b',')? {
                break;
            }
        }
        Ok(())
    }

    fn direction(&self) -> Option<PortDirection> {
        if self.token.kind != Kind::Word {
            return None;
        }
        match self.token.text {
            "input" => Some(PortDirection::Input),
            "output" => Some(PortDirection::Output),
            "inout" => Some(PortDirection::Inout),
            _ => None,
        }
    }

    /// `wire signed [7:0]` and the like; the level of a supply, and the range.
    fn net_type_and_range(&mut self) -> Result<NetType, FormatError> {
        let mut tie = None;
        loop {
            if self.token.kind != Kind::Word {
                break;
            }
            match self.token.text {
                "supply0" => tie = Some(Tie::Zero),
                "supply1" => tie = Some(Tie::One),
                "signed" | "unsigned" | "scalared" | "vectored" => {}
                "reg" => return self.behaviour(),
                word if NET_TYPES.contains(&word) => {}
                _ => break,
            }
            self.advance()?;
        }
        self.strength_and_delay()?;
        let range = self.range()?;
        if self.token.is(b'[') {
            return self.error_here("starts a second range", "arrays of nets are not read");
        }
        Ok((tie, range))
    }

    fn range(&mut self) -> Result<Option<(i32, i32)>, FormatError> {
        if !self.token.is(b'[') {
            return Ok(None);
        }
        let at = self.token.at;
        self.advance()?;
        let from = self.constant()?;
        self.expect(b':', "write the range as [7:0]")?;
        let to = self.constant()?;
        self.expect(b']', "write the range as [7:0]")?;
        if (i64::from(from) - i64::from(to)).abs() >= MAX_BUS {
            return self.error_at(
                at,
                format!("a bus of more than {MAX_BUS} bits"),
                "check the range",
            );
        }
        Ok(Some((from, to)))
    }

    /// Drive strengths and delays, which say nothing about structure.
    fn strength_and_delay(&mut self) -> Result<(), FormatError> {
        if self.token.is(b'(') {
            self.skip_brackets()?;
        }
        if self.eat(b'#')? {
            if self.token.is(b'(') {
                self.skip_brackets()?;
            } else {
                self.advance()?;
            }
        }
        Ok(())
    }

    /// Adds a declaration; a port and a net declaration of one name become one signal.
    fn declare(
        &mut self,
        name: NameId,
        at: u32,
        range: Option<(i32, i32)>,
        direction: Option<PortDirection>,
        tie: Option<Tie>,
    ) -> Result<(), FormatError> {
        let slot = name.0 as usize;
        if self.signal_of.len() <= slot {
            self.signal_of.resize((slot + 1).max(self.design.names.len()), 0);
        }
        let known = self.signal_of.get(slot).copied().unwrap_or(0);
        let Some(signal) =
            (known as usize).checked_sub(1).and_then(|i| self.module.signals.get_mut(i))
        else {
            self.module.signals.push(Signal { name, at, range, direction, tie });
            self.signal_of[slot] = u32::try_from(self.module.signals.len()).unwrap_or(0);
            return Ok(());
        };
        // `output [3:0] a; wire a;` takes the range of the other declaration.
        if signal.range.is_some() && range.is_some() && signal.range != range {
            let text = self.design.names.get(name);
            return self.error_at(
                at,
                format!("`{text}` is declared with two ranges"),
                "make the declarations agree",
            );
        }
        signal.range = signal.range.or(range);
        signal.direction = signal.direction.or(direction);
        signal.tie = signal.tie.or(tie);
        Ok(())
    }

    fn behaviour<T>(&self) -> Result<T, FormatError> {
        self.error_here(
            "is behaviour, and only gate-level netlists are read",
            "synthesise the design first",
        )
    }

    fn item(&mut self) -> Result<(), FormatError> {
        match self.token.kind {
            Kind::Symbol(b';') => return self.advance(),
            Kind::Escaped => return self.instances(),
            Kind::End => {
                let name = self.design.names.get(self.module.name);
                return self.error_at(
                    self.module.at,
                    format!("module `{name}` has no `endmodule`"),
                    "the file may be cut short",
                );
            }
            Kind::Word => {}
            _ => return self.error_here("starts no item of a module", ""),
        }
        if let Some(direction) = self.direction() {
            self.advance()?;
            return self.declaration(Some(direction));
        }
        match self.token.text {
            "assign" => self.assign(),
            "parameter" | "localparam" => {
                self.parameter_list(b';')?;
                self.expect(b';', "end the parameters")
            }
            "defparam" | "specparam" | "timeunit" | "timeprecision" => self.skip_statement(),
            "specify" => self.skip_specify(),
            word if NET_TYPES.contains(&word) => self.declaration(None),
            word if BEHAVIOUR.contains(&word) => self.behaviour(),
            word if PRIMITIVES.contains(&word) => self.error_here(
                "is a primitive gate of the language",
                "map the design to library cells",
            ),
            "endspecify" | "endcase" | "endfunction" | "endtask" | "endgenerate" | "end" => {
                self.error_here("closes nothing", "the file may be damaged")
            }
            _ => self.instances(),
        }
    }

    fn declaration(&mut self, direction: Option<PortDirection>) -> Result<(), FormatError> {
        let (tie, range) = self.net_type_and_range()?;
        loop {
            let at = self.token.at;
            let name = self.take_name()?;
            self.declare(name, at, range, direction, tie)?;
            if self.token.is(b'[') {
                return self.error_here("starts an array", "arrays of nets are not read");
            }
            if self.eat(b'=')? {
                let right = self.expr(0)?;
                self.module.assigns.push((Expr::Net(name), right, at));
            }
            if !self.eat(b',')? {
                return self.expect(b';', "end the declaration");
            }
        }
    }

    fn assign(&mut self) -> Result<(), FormatError> {
        self.advance()?;
        self.strength_and_delay()?;
        loop {
            let at = self.token.at;
            let left = self.expr(0)?;
            self.expect(b'=', "write it as assign a = b;")?;
            let right = self.expr(0)?;
            self.module.assigns.push((left, right, at));
            if !self.eat(b',')? {
                return self
                    .expect(b';', "an operator is no structure: map the design to library cells");
            }
        }
    }

    /// `parameter [7:0] A = 1, B = 2`, up to but without `end`.
    fn parameter_list(&mut self, end: u8) -> Result<(), FormatError> {
        loop {
            let mut name = None;
            // Types and ranges before the name are of no account: the last word is the name.
            while !self.token.is(b'=') {
                match self.token.kind {
                    Kind::Word | Kind::Escaped => {
                        name = Some(self.take_name()?);
                    }
                    Kind::Symbol(b'[') => self.skip_brackets()?,
                    Kind::Symbol(s) if s == end => return Ok(()),
                    _ => return self.error_here("stands where a parameter should", ""),
                }
            }
            self.advance()?;
            let value = self.parameter_value(end)?;
            if let Some(name) = name {
                self.parameters.insert(name, value);
            }
            if !self.eat(b',')? {
                return Ok(());
            }
        }
    }

    /// The value of a parameter, if it is one number; anything else is stepped over.
    fn parameter_value(&mut self, end: u8) -> Result<Option<i64>, FormatError> {
        let parametric = self.module.parametric;
        let mut value = match self.token.kind {
            Kind::Number | Kind::Word | Kind::Symbol(b'-' | b'(') => self.sum(0)?,
            _ => None,
        };
        self.module.parametric = parametric;
        while !self.token.is(b',') && !self.token.is(end) {
            value = None;
            match self.token.kind {
                Kind::End => {
                    return self.error_here("ends a parameter", "the file may be cut short");
                }
                Kind::Symbol(b'(' | b'[' | b'{') => self.skip_brackets()?,
                _ => self.advance()?,
            }
        }
        Ok(value)
    }

    /// Steps over a bracket and what it holds.
    fn skip_brackets(&mut self) -> Result<(), FormatError> {
        let at = self.token.at;
        let mut depth = 0u64;
        loop {
            match self.token.kind {
                Kind::Symbol(b'(' | b'[' | b'{') => depth += 1,
                Kind::Symbol(b')' | b']' | b'}') => depth -= 1,
                Kind::End => {
                    return self.error_at(
                        at,
                        "the bracket is not closed",
                        "the file may be cut short",
                    );
                }
                _ => {}
            }
            self.advance()?;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn skip_statement(&mut self) -> Result<(), FormatError> {
        while !self.token.is(b';') {
            if self.token.kind == Kind::End {
                return self.error_here("stands where `;` should", "the file may be cut short");
            }
            self.advance()?;
        }
        self.advance()
    }

    fn skip_specify(&mut self) -> Result<(), FormatError> {
        let at = self.token.at;
        while !self.token.is_word("endspecify") {
            if self.token.kind == Kind::End {
                return self.error_at(
                    at,
                    "`specify` has no `endspecify`",
                    "the file may be cut short",
                );
            }
            self.advance()?;
        }
        self.problems.report(Severity::Info, "verilog-specify", self.source, at as usize, || {
            "the specify block is passed over: it holds delays, no structure".into()
        });
        self.advance()
    }

    /// `MASTER #(…) name ( … ), name ( … );`
    fn instances(&mut self) -> Result<(), FormatError> {
        let master = self.take_name()?;
        let has_parameters = self.eat(b'#')?;
        if has_parameters {
            if self.token.is(b'(') {
                self.skip_brackets()?;
            } else {
                self.advance()?;
            }
        }
        loop {
            let at = self.token.at;
            if self.token.is(b'(') {
                return self.error_here("starts connections without an instance name", "name it");
            }
            let name = self.take_name()?;
            if self.token.is(b'[') {
                return self.error_here("starts an array of instances", "write the instances out");
            }
            let first = self.module.conns.len();
            self.expect(b'(', "write an instance as CELL name (.pin(net));")?;
            self.connections()?;
            self.expect(b')', "an operator is no structure: map the design to library cells")?;
            let count = self.module.conns.len() - first;
            self.module.instances.push(Instance {
                name,
                master,
                at,
                first_conn: u32::try_from(first).unwrap_or(u32::MAX),
                conn_count: u32::try_from(count).unwrap_or(u32::MAX),
                has_parameters,
            });
            if !self.eat(b',')? {
                return self.expect(b';', "end the instance");
            }
        }
    }

    fn connections(&mut self) -> Result<(), FormatError> {
        if self.token.is(b')') {
            return Ok(());
        }
        loop {
            let at = self.token.at;
            let conn = if self.eat(b'.')? {
                if self.token.is(b'*') {
                    return self.error_here("connects by equal names", "write the connections out");
                }
                let port = self.take_name()?;
                let expr = if self.eat(b'(')? {
                    let expr = if self.token.is(b')') { Expr::None } else { self.expr(0)? };
                    self.expect(
                        b')',
                        "an operator is no structure: map the design to library cells",
                    )?;
                    expr
                } else {
                    Expr::Net(port)
                };
                Conn { port, at, expr }
            } else {
                let empty = self.token.is(b',') || self.token.is(b')');
                let expr = if empty { Expr::None } else { self.expr(0)? };
                Conn { port: NameId::POSITIONAL, at, expr }
            };
            self.module.conns.push(conn);
            if !self.eat(b',')? {
                return Ok(());
            }
        }
    }
}
