//! The grammar of Liberty: groups, simple attributes (`name : value ;`) and complex ones
//! (`name (v, v) ;`), read into a flat list of nodes.
//!
//! Files in the wild leave out `;`, put `\` at line ends or not, quote numbers and attribute names,
//! and break lines anywhere. All that is taken. The parser keeps its own stack of open groups, so
//! that no nesting depth can overflow the thread's.
//!
//! Groups of data that this project does not use (power, current source models, noise) are stepped
//! over at lexing speed and counted.

use crate::text::{Problems, Severity, Source};
use std::collections::BTreeMap;

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// A place in one of the sources: the file itself or one that it includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct At {
    pub(super) source: u16,
    pub(super) offset: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Group,
    Simple,
    Complex,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'a> {
    pub(super) name: &'a str,
    pub(super) at: At,
    pub(super) kind: Kind,
    words: (u32, u32),
    first_child: u32,
    next: u32,
}

/// The whole file as nodes; node 0 is a group without a name that holds the top level.
pub(super) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    words: Vec<&'a str>,
    /// How many groups of each unused kind were stepped over.
    pub(super) skipped: BTreeMap<String, u64>,
}

impl<'a> Tree<'a> {
    /// The node's words: arguments in brackets, or the one value of a simple attribute. A quoted
    /// word is raw: its escapes are still in it.
    pub(super) fn words(&self, node: &Node<'a>) -> &[&'a str] {
        let (start, len) = node.words;
        self.words.get(start as usize..(start + len) as usize).unwrap_or(&[])
    }

    /// The text of the node's first word, or nothing.
    pub(super) fn word(&self, node: &Node<'a>) -> &'a str {
        self.words(node).first().copied().unwrap_or("")
    }

    /// The nodes in a group, in file order.
    pub(super) fn children<'t>(&'t self, node: &Node<'a>) -> Children<'t, 'a> {
        Children { tree: self, next: node.first_child }
    }

    pub(super) fn root(&self) -> Node<'a> {
        self.nodes.first().copied().unwrap_or(Node {
            name: "",
            at: At { source: 0, offset: 0 },
            kind: Kind::Group,
            words: (0, 0),
            first_child: NONE,
            next: NONE,
        })
    }
}

pub(super) struct Children<'t, 'a> {
    tree: &'t Tree<'a>,
    next: u32,
}

impl<'t, 'a> Iterator for Children<'t, 'a> {
    type Item = &'t Node<'a>;

    fn next(&mut self) -> Option<&'t Node<'a>> {
        let node = self.tree.nodes.get(self.next as usize)?;
        self.next = node.next;
        Some(node)
    }
}

/// Group kinds that hold power, current-source, noise or statistical data, by exact name.
const UNUSED: [&str; 26] = [
    "internal_power",
    "power_lut_template",
    "normalized_driver_waveform",
    "output_current_template",
    "compact_lut_template",
    "base_curves",
    "vector",
    "dc_current",
    "output_voltage_rise",
    "output_voltage_fall",
    "intrinsic_parasitic",
    "leakage_current",
    "dynamic_current",
    "electromigration",
    "em_lut_template",
    "pg_current_template",
    "gate_leakage",
    "hyperbolic_noise_low",
    "hyperbolic_noise_high",
    "noise_lut_template",
    "iv_lut_template",
    "propagation_lut_template",
    "switching_group",
    "retention_condition",
    "sensitization",
    "maxcap_lut_template",
];

/// Beginnings of the names of such groups.
const UNUSED_PREFIXES: [&str; 17] = [
    "ccsn_",
    "ccs_",
    "compact_ccs_",
    "ecsm_",
    "output_current_",
    "receiver_capacitance",
    "ocv_",
    "pg_current",
    "noise_immunity_",
    "propagated_noise_",
    "steady_state_current_",
    "dynamic_current",
    "intrinsic_",
    "input_ccb",
    "output_ccb",
    "va_",
    "char_config",
];

fn is_unused(group: &str) -> bool {
    UNUSED.contains(&group) || UNUSED_PREFIXES.iter().any(|p| group.starts_with(p))
}

/// The files of one library: the one that was asked for, then those that it includes.
pub(super) struct Files<'a> {
    pub(super) sources: Vec<&'a Source>,
    /// For (source, offset of an `include_file` word): which source it names.
    pub(super) includes: BTreeMap<(u16, u32), u16>,
}

impl<'a> Files<'a> {
    pub(super) fn source(&self, at: At) -> Option<&'a Source> {
        self.sources.get(at.source as usize).copied()
    }

    pub(super) fn report(
        &self,
        problems: &mut Problems,
        severity: Severity,
        code: &'static str,
        at: At,
        message: impl FnOnce() -> String,
    ) {
        if let Some(source) = self.source(at) {
            problems.report(severity, code, source, at.offset as usize, message);
        }
    }
}

/// Reads all of `files` into a tree. Never fails: what makes no sense is a problem and is stepped
/// over.
pub(super) fn parse<'a>(files: &Files<'a>, problems: &mut Problems) -> Tree<'a> {
    let tree = Tree { nodes: Vec::new(), words: Vec::new(), skipped: BTreeMap::new() };
    let mut parser = Parser { files, problems, tree, text: "", source: 0, pos: 0 };
    parser.run();
    parser.tree
}

struct Parser<'f, 'a> {
    files: &'f Files<'a>,
    problems: &'f mut Problems,
    tree: Tree<'a>,
    text: &'a str,
    source: u16,
    pos: usize,
}

/// A group that is still open: its node and its last child so far.
struct Open {
    node: u32,
    last: u32,
}

impl<'a> Parser<'_, 'a> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        // All cuts lie next to ASCII bytes, so they are character boundaries.
        self.text.get(start..end).unwrap_or("")
    }

    fn at(&self, pos: usize) -> At {
        At { source: self.source, offset: u32::try_from(pos).unwrap_or(u32::MAX) }
    }

    fn problem(
        &mut self,
        severity: Severity,
        code: &'static str,
        pos: usize,
        message: impl FnOnce() -> String,
    ) {
        self.files.report(self.problems, severity, code, self.at(pos), message);
    }

    fn run(&mut self) {
        self.tree.nodes.push(Node {
            name: "",
            at: At { source: 0, offset: 0 },
            kind: Kind::Group,
            words: (0, 0),
            first_child: NONE,
            next: NONE,
        });
        let mut stack = vec![Open { node: 0, last: NONE }];
        let mut returns: Vec<(u16, usize)> = Vec::new();
        self.enter(0, 0);
        loop {
            self.skip(true);
            let start = self.pos;
            match self.byte() {
                None => {
                    let Some((source, pos)) = returns.pop() else { break };
                    self.enter(source, pos);
                }
                Some(b';' | b',') => self.pos += 1,
                Some(b'}') => {
                    self.pos += 1;
                    if stack.len() > 1 {
                        stack.pop();
                    } else {
                        self.problem(Severity::Error, "liberty-syntax", start, || {
                            "`}` closes no group; it is passed over".into()
                        });
                    }
                }
                Some(_) => self.statement(start, &mut stack, &mut returns),
            }
        }
        for open in stack.iter().skip(1).rev() {
            let Some(node) = self.tree.nodes.get(open.node as usize) else { continue };
            let (name, at) = (node.name, node.at);
            self.files.report(self.problems, Severity::Error, "liberty-unclosed", at, || {
                format!("group `{name}` has no closing brace; the file may be cut short")
            });
        }
    }

    fn enter(&mut self, source: u16, pos: usize) {
        self.source = source;
        self.text = self.files.sources.get(source as usize).map_or("", |s| s.text());
        self.pos = pos;
    }

    fn statement(&mut self, start: usize, stack: &mut Vec<Open>, returns: &mut Vec<(u16, usize)>) {
        let name = if self.byte() == Some(b'"') { self.string() } else { self.name() };
        if self.pos == start {
            let c = self.slice(start, self.text.len()).chars().next().unwrap_or('?');
            self.pos = start + c.len_utf8();
            self.problem(Severity::Error, "liberty-syntax", start, || {
                format!("`{c}` starts no attribute and no group; it is passed over")
            });
            return;
        }
        self.skip(true);
        let first_word = self.tree.words.len();
        let kind = match self.byte() {
            Some(b':') => {
                self.pos += 1;
                self.value();
                Kind::Simple
            }
            Some(b'(') => {
                self.pos += 1;
                self.arguments(start, name);
                self.skip(true);
                if self.byte() == Some(b'{') { Kind::Group } else { Kind::Complex }
            }
            Some(b'{') => Kind::Group,
            _ => {
                self.problem(Severity::Error, "liberty-syntax", start, || {
                    format!("`{name}` has no `:` and no `(` behind it; it is passed over")
                });
                return;
            }
        };
        if kind == Kind::Complex && name == "include_file" {
            self.include(start, returns);
            self.tree.words.truncate(first_word);
            return;
        }
        if kind == Kind::Group {
            self.pos += 1;
            if is_unused(name) {
                self.step_over(start, name);
                self.tree.words.truncate(first_word);
                return;
            }
        }
        let count = self.tree.words.len() - first_word;
        let (Ok(node), Ok(word), Ok(count)) =
            (u32::try_from(self.tree.nodes.len()), u32::try_from(first_word), u32::try_from(count))
        else {
            return;
        };
        let at = self.at(start);
        let words = (word, count);
        self.tree.nodes.push(Node { name, at, kind, words, first_child: NONE, next: NONE });
        if let Some(open) = stack.last_mut() {
            let (parent, last) = (open.node, open.last);
            open.last = node;
            if last == NONE {
                if let Some(parent) = self.tree.nodes.get_mut(parent as usize) {
                    parent.first_child = node;
                }
            } else if let Some(last) = self.tree.nodes.get_mut(last as usize) {
                last.next = node;
            }
        }
        if kind == Kind::Group {
            stack.push(Open { node, last: NONE });
        }
    }

    fn include(&mut self, start: usize, returns: &mut Vec<(u16, usize)>) {
        let at = self.at(start);
        match self.files.includes.get(&(at.source, at.offset)) {
            Some(&source) => {
                let here = self.pos;
                returns.push((self.source, here));
                self.enter(source, 0);
            }
            None => self.problem(Severity::Error, "liberty-include", start, || {
                "the included file was not read; its content is missing".into()
            }),
        }
    }

    /// Blanks, comments and line-joining backslashes; newlines too if `lines`.
    fn skip(&mut self, lines: bool) {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.pos) {
                Some(b'\n') if !lines => return,
                Some(b) if *b <= b' ' => self.pos += 1,
                Some(b'\\') => {
                    // A backslash at the end of a line takes the newline with it.
                    let rest = bytes.get(self.pos + 1..).unwrap_or(&[]);
                    let blanks =
                        rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
                    self.pos += 1;
                    if rest.get(blanks) == Some(&b'\n') {
                        self.pos += blanks + 1;
                    }
                }
                Some(b'/') => match bytes.get(self.pos + 1) {
                    Some(b'*') => self.block_comment(),
                    Some(b'/') => {
                        let rest = bytes.get(self.pos..).unwrap_or(&[]);
                        self.pos += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                    }
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn block_comment(&mut self) {
        let start = self.pos;
        match self.text.get(start + 2..).and_then(|rest| rest.find("*/")) {
            Some(len) => self.pos = start + 2 + len + 2,
            None => {
                self.pos = self.text.len();
                self.problem(Severity::Error, "liberty-syntax", start, || {
                    "the comment has no end; the rest of the file is lost".into()
                });
            }
        }
    }

    /// A run of characters that no punctuation ends.
    fn name(&mut self) -> &'a str {
        let start = self.pos;
        let rest = self.text.as_bytes().get(start..).unwrap_or(&[]);
        let end = |b: &u8| {
            *b <= b' ' || matches!(b, b'(' | b')' | b'{' | b'}' | b':' | b';' | b',' | b'"' | b'\\')
        };
        self.pos += rest.iter().position(end).unwrap_or(rest.len());
        self.slice(start, self.pos)
    }

    /// A string; its raw text. The read position stands on the opening quote.
    fn string(&mut self) -> &'a str {
        let start = self.pos;
        let bytes = self.text.as_bytes();
        let mut pos = start + 1;
        loop {
            match bytes.get(pos) {
                Some(b'"') => break,
                Some(b'\\') => pos += 2,
                Some(_) => pos += 1,
                None => {
                    self.pos = bytes.len();
                    self.problem(Severity::Error, "liberty-syntax", start, || {
                        "the string has no closing quote; the rest of the file is lost".into()
                    });
                    return self.slice(start + 1, bytes.len());
                }
            }
        }
        self.pos = pos + 1;
        self.slice(start + 1, pos)
    }

    /// The value of a simple attribute, up to `;`, the end of the line, or `}`.
    fn value(&mut self) {
        self.skip(true);
        if self.byte() == Some(b'"') {
            let text = self.string();
            self.tree.words.push(text);
            return;
        }
        let start = self.pos;
        let mut end = start;
        loop {
            self.skip(false);
            match self.byte() {
                None | Some(b';' | b'\n' | b'}' | b'"' | b'{') => break,
                Some(_) => {
                    let rest = self.text.as_bytes().get(self.pos..).unwrap_or(&[]);
                    let stop =
                        |b: &u8| *b <= b' ' || matches!(b, b';' | b'}' | b'"' | b'\\' | b'{');
                    // At least one byte, which skip() has refused to take.
                    let more = rest.iter().skip(1).position(stop);
                    self.pos += 1 + more.unwrap_or(rest.len().saturating_sub(1));
                    end = self.pos;
                }
            }
        }
        let text = self.slice(start, end);
        self.tree.words.push(text);
    }

    /// The words up to the closing bracket.
    fn arguments(&mut self, start: usize, name: &str) {
        loop {
            self.skip(true);
            match self.byte() {
                Some(b')') => {
                    self.pos += 1;
                    return;
                }
                Some(b',' | b'(') => self.pos += 1,
                Some(b'"') => {
                    let text = self.string();
                    self.tree.words.push(text);
                }
                None | Some(b'{' | b'}' | b';') => {
                    self.problem(Severity::Error, "liberty-syntax", start, || {
                        format!("`{name}` has no closing `)`; it is taken to end here")
                    });
                    return;
                }
                Some(_) => {
                    let from = self.pos;
                    let rest = self.text.as_bytes().get(from..).unwrap_or(&[]);
                    let stop = |b: &u8| {
                        *b <= b' '
                            || matches!(b, b',' | b')' | b'(' | b'"' | b';' | b'{' | b'}' | b'\\')
                    };
                    let more = rest.iter().skip(1).position(stop);
                    self.pos += 1 + more.unwrap_or(rest.len().saturating_sub(1));
                    let text = self.slice(from, self.pos);
                    self.tree.words.push(text);
                }
            }
        }
    }

    /// Steps over the inside of a group whose opening brace is already taken.
    fn step_over(&mut self, start: usize, name: &str) {
        match self.tree.skipped.get_mut(name) {
            Some(count) => *count += 1,
            None => {
                self.tree.skipped.insert(name.to_owned(), 1);
            }
        }
        let bytes = self.text.as_bytes();
        let mut depth = 1u64;
        while let Some(&b) = bytes.get(self.pos) {
            match b {
                b'{' => depth += 1,
                b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        self.pos += 1;
                        return;
                    }
                }
                b'"' => {
                    self.string();
                    continue;
                }
                b'/' if bytes.get(self.pos + 1) == Some(&b'*') => {
                    self.block_comment();
                    continue;
                }
                _ => {}
            }
            self.pos += 1;
        }
        self.problem(Severity::Error, "liberty-unclosed", start, || {
            format!("group `{name}` has no closing brace; the file may be cut short")
        });
    }
}
