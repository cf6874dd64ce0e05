//! Boolean expressions of Liberty: `function`, `three_state`, `when`, `next_state` and their kin.
//!
//! Operators, from the tightest to the loosest: `!` before and `'` behind (inversion), `^` (xor),
//! `*`, `&` or nothing at all between two operands (and), `+` or `|` (or). This is the order that
//! the Liberty User Guide gives for `function`. `0` and `1` are constants, a name may carry a bus
//! bit (`A[0]`, also written `A<0>`), and a name that is no plain word stands in quotes.
//!
//! An [`Expr`] is a list of nodes in which operands come before their operator, so nothing here
//! recurses: neither parsing, nor evaluation, nor dropping. A million brackets cost memory only.

use std::fmt;

/// The most different signals in one expression; real cells have a few dozen at most.
pub const MAX_NAMES: usize = 1024;

/// One node of an [`Expr`]; operands are indices of earlier nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExprNode {
    /// A constant.
    Const(bool),
    /// The signal [`Expr::names`]`[i]`.
    Name(u32),
    /// Inversion.
    Not(u32),
    /// Both.
    And(u32, u32),
    /// At least one.
    Or(u32, u32),
    /// Exactly one.
    Xor(u32, u32),
}

/// A Boolean expression over signal names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Expr {
    names: Vec<String>,
    // Never empty; the last node is the root and each operand index is below its operator's.
    nodes: Vec<ExprNode>,
}

/// Why a text is no Boolean expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} at character {}", .offset + 1)]
pub struct ExprError {
    /// Byte offset in the text.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

impl Expr {
    /// Parses the text between the quotes of an attribute.
    ///
    /// # Errors
    /// When the text is empty or is no expression; the offset says where.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        Parser { text, pos: 0, expr: Self { names: Vec::new(), nodes: Vec::new() } }.run()
    }

    /// A single signal.
    #[must_use]
    pub fn name(name: impl Into<String>) -> Self {
        Self { names: vec![name.into()], nodes: vec![ExprNode::Name(0)] }
    }

    /// A constant.
    #[must_use]
    pub fn constant(value: bool) -> Self {
        Self { names: Vec::new(), nodes: vec![ExprNode::Const(value)] }
    }

    /// The signals, each once, in order of first appearance.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// All nodes, operands before operators; the last is the root.
    #[must_use]
    pub fn nodes(&self) -> &[ExprNode] {
        &self.nodes
    }

    /// The value for given signal values; `value(i)` is that of [`Expr::names`]`[i]`.
    #[must_use]
    pub fn eval(&self, mut value: impl FnMut(usize) -> bool) -> bool {
        let mut done: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for &node in &self.nodes {
            let at = |i: u32| done.get(i as usize).copied().unwrap_or(false);
            let v = match node {
                ExprNode::Const(v) => v,
                ExprNode::Name(i) => value(i as usize),
                ExprNode::Not(a) => !at(a),
                ExprNode::And(a, b) => at(a) & at(b),
                ExprNode::Or(a, b) => at(a) | at(b),
                ExprNode::Xor(a, b) => at(a) ^ at(b),
            };
            done.push(v);
        }
        done.last().copied().unwrap_or(false)
    }

    /// The same expression with each name replaced; `None` keeps a name.
    #[must_use]
    pub fn renamed(&self, mut new: impl FnMut(&str) -> Option<String>) -> Self {
        let names = self.names.iter().map(|n| new(n).unwrap_or_else(|| n.clone())).collect();
        Self { names, nodes: self.nodes.clone() }
    }

    fn push(&mut self, node: ExprNode) -> u32 {
        self.nodes.push(node);
        // A text is at most 4 GiB long and makes at most one node per byte.
        u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX)
    }
}

impl fmt::Display for Expr {
    /// Writes the expression fully bracketed, with `!`, `*`, `+` and `^`; [`Expr::parse`] takes it
    /// back to an equal expression, except that names that are no plain words come quoted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Item {
            Node(u32),
            Text(&'static str),
        }
        let root = u32::try_from(self.nodes.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let mut todo = vec![Item::Node(root)];
        while let Some(item) = todo.pop() {
            let node = match item {
                Item::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Item::Node(i) => self.nodes.get(i as usize).copied(),
            };
            let mut two = |a, op, b| {
                f.write_str("(")?;
                todo.extend([Item::Text(")"), Item::Node(b), Item::Text(op), Item::Node(a)]);
                Ok(())
            };
            match node.unwrap_or(ExprNode::Const(false)) {
                ExprNode::And(a, b) => two(a, "*", b)?,
                ExprNode::Or(a, b) => two(a, "+", b)?,
                ExprNode::Xor(a, b) => two(a, "^", b)?,
                ExprNode::Const(v) => f.write_str(if v { "1" } else { "0" })?,
                ExprNode::Name(i) => {
                    let name = self.names.get(i as usize).map_or("", String::as_str);
                    let plain = name.bytes().all(is_name_byte)
                        && !name.is_empty()
                        && name != "0"
                        && name != "1";
                    if plain { f.write_str(name)? } else { write!(f, "\"{name}\"")? }
                }
                ExprNode::Not(a) => {
                    f.write_str("!")?;
                    todo.push(Item::Node(a));
                }
            }
        }
        Ok(())
    }
}

/// Bytes of an unquoted name; brackets carry bus bits, the rest occurs in flattened names.
fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.' | b'[' | b']' | b':') || b >= 0x80
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Open,
    Or,
    And,
    Xor,
    Not,
}

struct Parser<'a> {
    text: &'a str,
    pos: usize,
    expr: Expr,
}

impl Parser<'_> {
    fn error<T>(&self, message: impl Into<String>) -> Result<T, ExprError> {
        Err(ExprError { offset: self.pos, message: message.into() })
    }

    /// Operator precedence with two explicit stacks.
    fn run(mut self) -> Result<Expr, ExprError> {
        let mut ops: Vec<(Op, usize)> = Vec::new();
        let mut operands: Vec<u32> = Vec::new();
        let mut have_operand = false;
        while let Some(&b) = self.text.as_bytes().get(self.pos) {
            match b {
                b' ' | b'\t' | b'\r' | b'\n' => self.pos += 1,
                // A backslash joins lines; before a quote it keeps the quote in the string.
                b'\\' => self.pos += 1,
                b'\'' => {
                    let (true, Some(a)) = (have_operand, operands.pop()) else {
                        return self.error("`'` stands behind nothing");
                    };
                    self.reduce_tighter(&mut ops, &mut operands, Op::Not)?;
                    operands.push(self.expr.push(ExprNode::Not(a)));
                    self.pos += 1;
                }
                b')' => {
                    if !have_operand {
                        return self.error("an operand is missing before `)`");
                    }
                    self.reduce_to_open(&mut ops, &mut operands)?;
                    self.pos += 1;
                }
                b'+' | b'|' | b'*' | b'&' | b'^' => {
                    if !have_operand {
                        return self.error(format!("an operand is missing before `{}`", b as char));
                    }
                    let op = match b {
                        b'+' | b'|' => Op::Or,
                        b'^' => Op::Xor,
                        _ => Op::And,
                    };
                    // `&&` and `||` occur in the wild and mean the same.
                    let twice = matches!(b, b'&' | b'|')
                        && self.text.as_bytes().get(self.pos + 1) == Some(&b);
                    self.reduce_tighter(&mut ops, &mut operands, op)?;
                    ops.push((op, self.pos));
                    self.pos += if twice { 2 } else { 1 };
                    have_operand = false;
                }
                _ => {
                    if have_operand {
                        self.reduce_tighter(&mut ops, &mut operands, Op::And)?;
                        ops.push((Op::And, self.pos));
                    }
                    have_operand = match b {
                        b'!' | b'~' => {
                            ops.push((Op::Not, self.pos));
                            self.pos += 1;
                            false
                        }
                        b'(' => {
                            ops.push((Op::Open, self.pos));
                            self.pos += 1;
                            false
                        }
                        _ => {
                            let node = self.operand()?;
                            operands.push(self.expr.push(node));
                            true
                        }
                    };
                }
            }
        }
        if !have_operand {
            return self.error(if self.expr.nodes.is_empty() {
                "the expression is empty"
            } else {
                "an operand is missing at the end"
            });
        }
        self.reduce_tighter(&mut ops, &mut operands, Op::Open)?;
        if let Some(&(_, at)) = ops.last() {
            self.pos = at;
            return self.error("`(` is not closed");
        }
        Ok(self.expr)
    }

    /// Applies the waiting operators that bind at least as tightly as `op`, up to a bracket. For
    /// `Not` (postfix `'`) nothing is tighter, so a prefix `!` stays: `!A'` is `!(A')`.
    fn reduce_tighter(
        &mut self,
        ops: &mut Vec<(Op, usize)>,
        operands: &mut Vec<u32>,
        op: Op,
    ) -> Result<(), ExprError> {
        if op == Op::Not {
            return Ok(());
        }
        while let Some(&(top, _)) = ops.last() {
            if top == Op::Open || (top as u8) < (op as u8) {
                break;
            }
            ops.pop();
            let Some(b) = operands.pop() else { return self.error("an operand is missing") };
            let node = if top == Op::Not {
                ExprNode::Not(b)
            } else {
                let Some(a) = operands.pop() else { return self.error("an operand is missing") };
                match top {
                    Op::Or => ExprNode::Or(a, b),
                    Op::Xor => ExprNode::Xor(a, b),
                    _ => ExprNode::And(a, b),
                }
            };
            operands.push(self.expr.push(node));
        }
        Ok(())
    }

    fn reduce_to_open(
        &mut self,
        ops: &mut Vec<(Op, usize)>,
        operands: &mut Vec<u32>,
    ) -> Result<(), ExprError> {
        self.reduce_tighter(ops, operands, Op::Open)?;
        match ops.pop() {
            Some((Op::Open, _)) => Ok(()),
            _ => self.error("`)` closes nothing"),
        }
    }

    /// A constant or a name, plain or quoted.
    fn operand(&mut self) -> Result<ExprNode, ExprError> {
        let bytes = self.text.as_bytes();
        let start = self.pos;
        let name = if bytes.get(start) == Some(&b'"') {
            let inner = start + 1;
            let rest = self.text.get(inner..).unwrap_or("");
            let Some(len) = rest.find('"') else { return self.error("a quoted name has no end") };
            self.pos = inner + len + 1;
            rest.get(..len).unwrap_or("").trim_end_matches('\\')
        } else {
            let len = name_len(bytes.get(start..).unwrap_or(&[]));
            if len == 0 {
                let c = self.text.get(start..).and_then(|t| t.chars().next()).unwrap_or('?');
                return self.error(format!("`{c}` has no meaning here"));
            }
            self.pos += len;
            self.text.get(start..start + len).unwrap_or("")
        };
        let quoted = bytes.get(start) == Some(&b'"');
        match name {
            "0" if !quoted => return Ok(ExprNode::Const(false)),
            "1" if !quoted => return Ok(ExprNode::Const(true)),
            "" => return self.error("a quoted name is empty"),
            _ => {}
        }
        let name = if name.contains('<') {
            name.replace('<', "[").replace('>', "]")
        } else {
            name.to_owned()
        };
        // Expressions have a handful of names, so a linear search is the quickest.
        let found = self.expr.names.iter().position(|n| *n == name);
        if found.is_none() && self.expr.names.len() >= MAX_NAMES {
            return self.error(format!("more than {MAX_NAMES} signals in one expression"));
        }
        let index = found.unwrap_or_else(|| {
            self.expr.names.push(name);
            self.expr.names.len() - 1
        });
        Ok(ExprNode::Name(u32::try_from(index).unwrap_or(u32::MAX)))
    }
}

/// Length of the name at the start of `bytes`, a bus bit in angle brackets included.
fn name_len(bytes: &[u8]) -> usize {
    let mut len = bytes.iter().position(|&b| !is_name_byte(b)).unwrap_or(bytes.len());
    if len > 0 && bytes.get(len) == Some(&b'<') {
        let rest = bytes.get(len + 1..).unwrap_or(&[]);
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 && rest.get(digits) == Some(&b'>') {
            len += digits + 2;
        }
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> String {
        Expr::parse(text).map_or_else(|e| format!("error: {e}"), |e| e.to_string())
    }

    #[test]
    fn precedence_is_not_xor_and_or() {
        for (text, want) in [
            ("A", "A"),
            ("!A", "!A"),
            ("A'", "!A"),
            ("A''", "!!A"),
            ("!A'", "!!A"),
            ("A B", "(A*B)"),
            ("A !B", "(A*!B)"),
            ("A' B'", "(!A*!B)"),
            ("A*B+C*D", "((A*B)+(C*D))"),
            ("A+B C", "(A+(B*C))"),
            ("A&B|C&D", "((A*B)+(C*D))"),
            ("A^B*C", "((A^B)*C)"),
            ("A*B^C", "(A*(B^C))"),
            ("!A^B", "(!A^B)"),
            ("!(A+B)", "!(A+B)"),
            ("(A+B)'", "!(A+B)"),
            ("!(A B)' C", "(!!(A*B)*C)"),
            ("(A)(B)", "(A*B)"),
            ("A+B+C", "((A+B)+C)"),
            ("1", "1"),
            ("0+A", "(0+A)"),
            ("A[0] B<1>", "(A[0]*B[1])"),
            ("\"1A\" + \"2 B\"", "(\"1A\"+\"2 B\")"),
            ("\\\"1A\\\"", "\"1A\""),
            ("A && !B || C", "((A*!B)+C)"),
            ("A \\\n & B", "(A*B)"),
            ("((A))", "A"),
        ] {
            let shown = shown(text);
            assert_eq!(shown.replace("\"1A\"", "1A"), want.replace("\"1A\"", "1A"), "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused_with_its_place() {
        for (text, offset) in [
            ("", 0),
            ("A +", 3),
            ("+ A", 0),
            ("(A", 0),
            ("A)", 1),
            ("'", 0),
            ("A # B", 2),
            ("()", 1),
            ("\"A", 0),
            ("A * * B", 4),
        ] {
            assert_eq!(Expr::parse(text).map_err(|e| e.offset), Err(offset), "{text}");
        }
    }

    #[test]
    fn a_million_brackets_do_not_overflow_the_stack() {
        let n = 1_000_000;
        let text = format!("{}A{}", "!(".repeat(n), ")".repeat(n));
        let expr = Expr::parse(&text).unwrap();
        assert!(expr.eval(|_| true));
        assert_eq!(expr.to_string().len(), n + 1);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "[ A-C01!'&*|+^()\\[\\]\"<>\\\\]{0,40}") {
            if let Ok(expr) = Expr::parse(&text) {
                let again = Expr::parse(&expr.to_string()).unwrap();
                // Equal as functions, whatever the way in which they were written.
                for bits in 0..8u32 {
                    let value = |e: &Expr| {
                        let names = e.names().to_vec();
                        e.eval(|i| bits >> (names[i].bytes().map(u32::from).sum::<u32>() % 3) & 1 == 1)
                    };
                    prop_assert_eq!(value(&expr), value(&again));
                }
            }
        }
    }
}
