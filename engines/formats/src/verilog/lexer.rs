//! Words of Verilog. Comments, `(* attributes *)` and compiler directives are passed over here.
//!
//! Of the directives, `` `ifdef `` and its kin choose text by the names that `` `define `` has
//! set; `` `default_nettype `` is remembered; the ones that cannot matter to a netlist
//! (`` `timescale ``, `` `celldefine ``, …) are skipped. A use of a macro and `` `include `` are
//! refused: the file must be preprocessed first.

use crate::text::{FormatError, Source};
use std::collections::HashSet;

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or keyword.
    Word,
    /// An escaped identifier; the text has neither its backslash nor the blank that ends it.
    Escaped,
    /// A number, with size and base if it has them.
    Number,
    /// A string; the text is without quotes.
    Text,
    /// One character of punctuation.
    Symbol(u8),
    /// The end of the file.
    End,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) at: u32,
}

impl Token<'_> {
    pub(super) fn is(&self, symbol: u8) -> bool {
        self.kind == Kind::Symbol(symbol)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }

    /// The word for a message.
    pub(super) fn shown(&self) -> String {
        match self.kind {
            Kind::End => "the end of the file".into(),
            Kind::Escaped => format!("`\\{} `", self.text),
            Kind::Text => format!("\"{}\"", self.text),
            _ => format!("`{}`", self.text),
        }
    }
}

/// One `` `ifdef `` that is open.
#[derive(Debug, Clone, Copy)]
struct Branch {
    at: u32,
    /// Whether one of its branches was taken already.
    taken: bool,
}

pub(super) struct Lexer<'a> {
    source: &'a Source,
    text: &'a str,
    pos: usize,
    defines: HashSet<&'a str>,
    branches: Vec<Branch>,
    /// Whether `` `default_nettype none `` is in force.
    pub(super) strict_nets: bool,
}

const IDENTIFIER: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0usize;
    while i < 256 {
        #[allow(clippy::cast_possible_truncation)]
        let b = i as u8;
        table[i] = b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
        i += 1;
    }
    table
};

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self {
            source,
            text: source.text(),
            pos: 0,
            defines: HashSet::new(),
            branches: Vec::new(),
            strict_nets: false,
        }
    }

    fn offset(at: usize) -> u32 {
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or("")
    }

    fn rest(&self, from: usize) -> &'a [u8] {
        self.text.as_bytes().get(from..).unwrap_or(&[])
    }

    fn error<T>(&self, at: usize, message: &str, hint: &str) -> Result<T, FormatError> {
        Err(self.source.error(at, message, hint))
    }

    #[inline]
    pub(super) fn next(&mut self) -> Result<Token<'a>, FormatError> {
        self.skip_blanks()?;
        let start = self.pos;
        let Some(&first) = self.text.as_bytes().get(start) else {
            if let Some(open) = self.branches.last() {
                return self.error(open.at as usize, "`ifdef has no `endif", "close it");
            }
            return Ok(Token { kind: Kind::End, text: "", at: Self::offset(start) });
        };
        let kind = match first {
            b'0'..=b'9' | b'\'' => {
                self.number();
                Kind::Number
            }
            b'\\' => {
                let body = self.rest(start + 1);
                let len = body.iter().position(|&b| b <= b' ').unwrap_or(body.len());
                if len == 0 {
                    return self.error(start, "a backslash stands alone", "name the net");
                }
                self.pos = start + 1 + len;
                let text = self.slice(start + 1, self.pos);
                return Ok(Token { kind: Kind::Escaped, text, at: Self::offset(start) });
            }
            b'"' => {
                let text = self.string()?;
                return Ok(Token { kind: Kind::Text, text, at: Self::offset(start) });
            }
            _ if IDENTIFIER[first as usize] => {
                let body = self.rest(start);
                let len = body.iter().position(|&b| !IDENTIFIER[b as usize]);
                self.pos += len.unwrap_or(body.len());
                Kind::Word
            }
            _ => {
                self.pos += 1;
                Kind::Symbol(first)
            }
        };
        Ok(Token { kind, text: self.slice(start, self.pos), at: Self::offset(start) })
    }

    #[inline]
    fn skip_blanks(&mut self) -> Result<(), FormatError> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.pos) {
                Some(b) if *b <= b' ' => self.pos += 1,
                Some(b'/') => match bytes.get(self.pos + 1) {
                    Some(b'/') => self.skip_line(),
                    Some(b'*') => self.skip_to("*/", "the comment has no end")?,
                    _ => return Ok(()),
                },
                Some(b'(')
                    if bytes.get(self.pos + 1) == Some(&b'*')
                        && bytes.get(self.pos + 2) != Some(&b')') =>
                {
                    self.attribute()?;
                }
                Some(b'`') => self.directive()?,
                _ => return Ok(()),
            }
        }
    }

    fn skip_line(&mut self) {
        let rest = self.rest(self.pos);
        self.pos += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    }

    fn skip_to(&mut self, end: &str, message: &str) -> Result<(), FormatError> {
        match self.text.get(self.pos + 2..).and_then(|rest| rest.find(end)) {
            Some(len) => {
                self.pos += 2 + len + end.len();
                Ok(())
            }
            None => self.error(self.pos, message, "the file may be cut short"),
        }
    }

    /// An attribute instance, in which strings may hold its end.
    fn attribute(&mut self) -> Result<(), FormatError> {
        let start = self.pos;
        self.pos += 2;
        loop {
            match self.rest(self.pos) {
                [b'*', b')', ..] => {
                    self.pos += 2;
                    return Ok(());
                }
                [b'"', ..] => {
                    self.string()?;
                }
                [_, ..] => self.pos += 1,
                [] => {
                    return self.error(
                        start,
                        "the attribute has no `*)`",
                        "the file may be cut short",
                    );
                }
            }
        }
    }

    fn string(&mut self) -> Result<&'a str, FormatError> {
        let start = self.pos;
        let mut end = start + 1;
        loop {
            match self.text.as_bytes().get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
                None => {
                    return self.error(start, "the string has no end", "the file may be cut short");
                }
            }
        }
        self.pos = end + 1;
        Ok(self.slice(start + 1, end))
    }

    /// Digits, then perhaps `'`, a base and digits, between which blanks may stand; or a real.
    fn number(&mut self) {
        let digits = |bytes: &[u8]| {
            let is_digit = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'?';
            bytes.iter().position(|&b| !is_digit(b)).unwrap_or(bytes.len())
        };
        let decimal = |bytes: &[u8]| {
            bytes.iter().position(|&b| !b.is_ascii_digit() && b != b'_').unwrap_or(bytes.len())
        };
        let blanks = |bytes: &[u8]| bytes.iter().take_while(|&&b| b <= b' ').count();
        self.pos += decimal(self.rest(self.pos));
        let gap = blanks(self.rest(self.pos));
        if self.rest(self.pos + gap).first() == Some(&b'\'') {
            self.pos += gap + 1;
            let signed = usize::from(matches!(self.rest(self.pos).first(), Some(b's' | b'S')));
            if self.rest(self.pos + signed).first().is_some_and(u8::is_ascii_alphabetic) {
                self.pos += signed + 1;
                let gap = blanks(self.rest(self.pos));
                let len = digits(self.rest(self.pos + gap));
                if len > 0 {
                    self.pos += gap + len;
                }
            }
            return;
        }
        if let [b'.', b'0'..=b'9', ..] = self.rest(self.pos) {
            self.pos += 1;
            self.pos += digits(self.rest(self.pos));
        }
    }

    fn directive_name(&self, at: usize) -> &'a str {
        let body = self.rest(at + 1);
        let len = body.iter().position(|&b| !IDENTIFIER[b as usize]).unwrap_or(body.len());
        self.slice(at + 1, at + 1 + len)
    }

    /// The word behind a directive on the same line.
    fn argument(&mut self) -> &'a str {
        let rest = self.rest(self.pos);
        let gap = rest.iter().take_while(|&&b| b == b' ' || b == b'\t').count();
        let start = self.pos + gap;
        let body = self.rest(start);
        let len = body.iter().position(|&b| !IDENTIFIER[b as usize]).unwrap_or(body.len());
        self.pos = start + len;
        self.slice(start, self.pos)
    }

    fn directive(&mut self) -> Result<(), FormatError> {
        let start = self.pos;
        let name = self.directive_name(start);
        self.pos += 1 + name.len();
        match name {
            "define" => {
                let name = self.argument();
                self.defines.insert(name);
                self.skip_definition();
            }
            "undef" => {
                let name = self.argument();
                self.defines.remove(name);
            }
            "ifdef" | "ifndef" => {
                let defined = self.argument();
                let taken = self.defines.contains(defined) == (name == "ifdef");
                self.branches.push(Branch { at: Self::offset(start), taken });
                if !taken {
                    self.skip_branch(start)?;
                }
            }
            "else" | "elsif" => {
                if self.branches.is_empty() {
                    return self.error(start, "`else without `ifdef", "remove it");
                }
                // The branch before was taken, so this one is not.
                self.skip_branch(start)?;
            }
            "endif" => {
                if self.branches.pop().is_none() {
                    return self.error(start, "`endif without `ifdef", "remove it");
                }
            }
            "default_nettype" => self.strict_nets = self.argument() == "none",
            "resetall" => self.strict_nets = false,
            "timescale"
            | "line"
            | "pragma"
            | "unconnected_drive"
            | "default_decay_time"
            | "default_trireg_strength"
            | "begin_keywords" => self.skip_line(),
            "celldefine"
            | "endcelldefine"
            | "nounconnected_drive"
            | "end_keywords"
            | "delay_mode_path"
            | "delay_mode_unit"
            | "delay_mode_zero"
            | "delay_mode_distributed"
            | "enable_portfaults"
            | "disable_portfaults"
            | "suppress_faults"
            | "nosuppress_faults"
            | "protect"
            | "endprotect" => {}
            "include" => {
                return self.error(start, "`include is not followed", "give all files by name");
            }
            _ => {
                let message = format!("the macro `{name} is not expanded");
                return self.error(start, &message, "run a Verilog preprocessor first");
            }
        }
        Ok(())
    }

    /// The text of a macro: to the end of the line that no backslash continues.
    fn skip_definition(&mut self) {
        loop {
            let start = self.pos;
            self.skip_line();
            let line = self.slice(start, self.pos).trim_end_matches('\r');
            if !line.ends_with('\\') || self.pos >= self.text.len() {
                return;
            }
            self.pos += 1;
        }
    }

    /// Skips text that no condition selects, up to the branch that is taken or the `` `endif ``.
    fn skip_branch(&mut self, start: usize) -> Result<(), FormatError> {
        let mut depth = 0u64;
        loop {
            match self.rest(self.pos) {
                [b'/', b'/', ..] => self.skip_line(),
                [b'/', b'*', ..] => self.skip_to("*/", "the comment has no end")?,
                [b'"', ..] => {
                    self.string()?;
                }
                [b'`', ..] => {
                    let name = self.directive_name(self.pos);
                    self.pos += 1 + name.len();
                    match name {
                        "ifdef" | "ifndef" => depth += 1,
                        "endif" if depth > 0 => depth -= 1,
                        "endif" => {
                            self.branches.pop();
                            return Ok(());
                        }
                        "else" | "elsif" if depth == 0 => {
                            let defined = name == "else" || {
                                let argument = self.argument();
                                self.defines.contains(argument)
                            };
                            if let Some(branch) = self.branches.last_mut()
                                && defined
                                && !branch.taken
                            {
                                branch.taken = true;
                                return Ok(());
                            }
                        }
                        _ => {}
                    }
                }
                [_, ..] => self.pos += 1,
                [] => return self.error(start, "`ifdef has no `endif", "close it"),
            }
        }
    }
}
