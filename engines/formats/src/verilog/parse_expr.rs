//! Expressions: what stands in connections, and constant arithmetic in ranges.

use super::ast::{Expr, NameId};
use super::lexer::Kind;
use super::number;
use super::parse::Parser;
use crate::text::FormatError;

/// How deep concatenations and brackets may nest.
const MAX_DEPTH: u32 = 64;

impl<'a> Parser<'_, 'a> {
    /// A net, a selection, a constant or a concatenation.
    pub(super) fn expr(&mut self, depth: u32) -> Result<Expr, FormatError> {
        if depth > MAX_DEPTH {
            return self.error_here("the expression nests too deep", "flatten it");
        }
        match self.token.kind {
            Kind::Word | Kind::Escaped => {
                let name = self.take_name()?;
                if self.token.is(b'[') { self.selection(name) } else { Ok(Expr::Net(name)) }
            }
            Kind::Number => {
                let text = self.token.text;
                if text.contains('\'') {
                    if number::bits(text).is_none() {
                        return self.error_here("is no constant", "write it as 4'b0101");
                    }
                    let name = self.design.names.intern(text);
                    self.advance()?;
                    return Ok(Expr::Const(name));
                }
                let Ok(value) = text.replace('_', "").parse::<u32>() else {
                    return self.error_here("is no constant", "write it as 4'b0101");
                };
                self.advance()?;
                Ok(Expr::Unsized(value))
            }
            Kind::Symbol(b'{') => self.concat(depth),
            Kind::Symbol(b'(') => {
                self.advance()?;
                let inner = self.expr(depth + 1)?;
                self.expect(b')', "an operator is no structure: map it to cells")?;
                Ok(inner)
            }
            _ => self.error_here(
                "stands where a net or a constant should",
                "only nets, selections, constants and concatenations can be connected",
            ),
        }
    }

    fn selection(&mut self, name: NameId) -> Result<Expr, FormatError> {
        self.advance()?;
        let from = self.constant()?;
        let expr = if self.token.is(b':') {
            self.advance()?;
            Expr::Part(name, from, self.constant()?)
        } else if self.token.is(b'+') || self.token.is(b'-') {
            let up = self.token.is(b'+');
            self.advance()?;
            self.expect(b':', "write the bits as [7:0]")?;
            let width = self.constant()?;
            let other = if up {
                from.checked_add(width).and_then(|e| e.checked_sub(1))
            } else {
                from.checked_sub(width).and_then(|e| e.checked_add(1))
            };
            let Some(other) = other.filter(|_| width > 0) else {
                return self.error_here("ends a selection without bits", "write the bits as [7:0]");
            };
            // Which end comes first depends on the bus; the reader of the tree sorts it out.
            Expr::Part(name, from.max(other), from.min(other))
        } else {
            Expr::Bit(name, from)
        };
        self.expect(b']', "write the bits as [7:0]")?;
        if self.token.is(b'[') {
            return self.error_here("selects twice", "arrays of nets are not read");
        }
        Ok(expr)
    }

    fn concat(&mut self, depth: u32) -> Result<Expr, FormatError> {
        self.advance()?;
        let mut parts = Vec::new();
        loop {
            let at = self.token.at;
            let part = self.expr(depth + 1)?;
            if parts.is_empty() && self.token.is(b'{') {
                let times = match part {
                    Expr::Unsized(times) => Some(times),
                    Expr::Net(name) => self.parameter(name).and_then(|v| u32::try_from(v).ok()),
                    _ => None,
                };
                let Some(times) = times else {
                    return self.error_at(at, "the count of a replication must be a number", "");
                };
                let Expr::Concat(first, count) = self.concat(depth + 1)? else {
                    return self.error_at(
                        at,
                        "a replication nests in a replication",
                        "write it out",
                    );
                };
                self.expect(b'}', "close the replication")?;
                return Ok(Expr::Repeat(times, first, count));
            }
            if matches!(part, Expr::Unsized(_)) {
                return self.error_at(
                    at,
                    "a constant in a concatenation needs a size",
                    "write it as 1'b0",
                );
            }
            parts.push(part);
            if !self.token.is(b',') {
                break;
            }
            self.advance()?;
        }
        self.expect(b'}', "close the concatenation")?;
        let first = u32::try_from(self.design.parts.len()).unwrap_or(u32::MAX);
        let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        self.design.parts.append(&mut parts);
        Ok(Expr::Concat(first, count))
    }

    /// A constant expression that must have a value of 32 bits.
    pub(super) fn constant(&mut self) -> Result<i32, FormatError> {
        let at = self.token.at;
        let value = self.sum(0)?.and_then(|v| i32::try_from(v).ok());
        match value {
            Some(value) => Ok(value),
            None => self.error_at(
                at,
                "a bit number must be a constant",
                "only numbers and parameters with + - * / % can stand here",
            ),
        }
    }

    /// Sums of products; `None` if something in it has no value.
    pub(super) fn sum(&mut self, depth: u32) -> Result<Option<i64>, FormatError> {
        let mut value = self.product(depth)?;
        loop {
            let minus = match self.token.kind {
                Kind::Symbol(b'+') => false,
                Kind::Symbol(b'-') => true,
                _ => return Ok(value),
            };
            // `[7 +: 4]` and `[7 -: 4]` are selections; the sign belongs to them.
            if self.peek_is_colon()? {
                return Ok(value);
            }
            self.advance()?;
            let right = self.product(depth)?;
            value = value
                .zip(right)
                .and_then(|(a, b)| if minus { a.checked_sub(b) } else { a.checked_add(b) });
        }
    }

    fn product(&mut self, depth: u32) -> Result<Option<i64>, FormatError> {
        let mut value = self.factor(depth)?;
        loop {
            let symbol = match self.token.kind {
                Kind::Symbol(s @ (b'*' | b'/' | b'%')) => s,
                _ => return Ok(value),
            };
            self.advance()?;
            let right = self.factor(depth)?;
            value = value.zip(right).and_then(|(a, b)| match symbol {
                b'*' => a.checked_mul(b),
                b'/' => a.checked_div(b),
                _ => a.checked_rem(b),
            });
        }
    }

    fn factor(&mut self, depth: u32) -> Result<Option<i64>, FormatError> {
        if depth > MAX_DEPTH {
            return self.error_here("the expression nests too deep", "flatten it");
        }
        match self.token.kind {
            Kind::Number => {
                let text = self.token.text;
                let value = if text.contains('\'') {
                    number::bits(text).filter(|bits| bits.len() <= 62).map(|bits| {
                        bits.iter().fold(0i64, |v, b| v << 1 | i64::from(*b == number::Bit::One))
                    })
                } else {
                    text.replace('_', "").parse::<i64>().ok()
                };
                self.advance()?;
                Ok(value)
            }
            Kind::Word | Kind::Escaped => {
                let name = self.take_name()?;
                self.module_is_parametric();
                Ok(self.parameter(name))
            }
            Kind::Text => {
                self.advance()?;
                Ok(None)
            }
            Kind::Symbol(b'-') => {
                self.advance()?;
                Ok(self.factor(depth + 1)?.and_then(i64::checked_neg))
            }
            Kind::Symbol(b'+') => {
                self.advance()?;
                self.factor(depth + 1)
            }
            Kind::Symbol(b'(') => {
                self.advance()?;
                let value = self.sum(depth + 1)?;
                self.expect(b')', "close the bracket")?;
                Ok(value)
            }
            _ => self.error_here("stands where a number should", ""),
        }
    }
}
