//! `expr`: arithmetic, comparisons, logic and functions over numbers and texts.

use super::eval::Interp;
use super::meter::{Flow, Res, shorten};
use super::scan::{command_end, skip_to_command};
use super::value::{Value, close_brace};
use super::{Number, format_double, parse_number};

/// The truth of a text, by Tcl's words for it.
pub(super) fn truth(text: &str) -> Option<bool> {
    if let Some(number) = parse_number(text) {
        return Some(number.as_f64() != 0.0);
    }
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// An operand: a number, or a text that may still be one.
#[derive(Clone, Debug)]
enum Operand {
    Number(Number),
    Text(Value),
}

impl Operand {
    fn number(&self) -> Option<Number> {
        match self {
            Operand::Number(number) => Some(*number),
            Operand::Text(Value::Text(text, _)) => parse_number(text),
            Operand::Text(_) => None,
        }
    }
    fn value(self) -> Value {
        match self {
            Operand::Number(Number::Int(value)) => Value::int(value),
            Operand::Number(Number::Double(value)) => Value::string(format_double(value)),
            Operand::Text(value) => value,
        }
    }
    fn text(&self) -> String {
        self.clone().value().as_str().into_owned()
    }
    fn bool(value: bool) -> Self {
        Operand::Number(Number::Int(i64::from(value)))
    }
}

/// Binary operators by precedence, loosest first.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!=", "eq", "ne", "in", "ni"],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct Parser<'t> {
    text: &'t str,
    at: usize,
    /// In an arm that is not taken nothing is substituted or computed.
    skip: u32,
}

impl Interp<'_> {
    /// Evaluates an expression.
    pub(super) fn expr(&mut self, text: &Value) -> Res {
        let text = text.as_str();
        self.meter.work(50 + 2 * text.len() as u64)?;
        let mut parser = Parser { text: &text, at: 0, skip: 0 };
        let value = self.ternary(&mut parser)?;
        self.blanks(&mut parser);
        if parser.at < text.len() {
            return Err(self.expr_error(&parser, "an operator"));
        }
        Ok(value.value())
    }

    /// Evaluates a condition.
    pub(super) fn condition(&mut self, text: &Value) -> Res<bool> {
        let value = self.expr(text)?;
        let text = value.as_str();
        truth(&text)
            .ok_or_else(|| self.err(format!("`{}` is neither true nor false", shorten(&text))))
    }

    fn expr_error(&self, parser: &Parser<'_>, what: &str) -> Flow {
        let rest = parser.text.get(parser.at..).unwrap_or("");
        let shown =
            if rest.is_empty() { "the end".to_owned() } else { format!("`{}`", shorten(rest)) };
        self.err(format!(
            "expression `{}`: {shown} stands where {what} should",
            shorten(parser.text)
        ))
    }

    fn blanks(&self, p: &mut Parser<'_>) {
        let bytes = p.text.as_bytes();
        loop {
            match bytes.get(p.at) {
                Some(b'\\') if bytes.get(p.at + 1) == Some(&b'\n') => p.at += 2,
                Some(byte) if byte.is_ascii_whitespace() => p.at += 1,
                _ => break,
            }
        }
    }

    fn eat(&self, p: &mut Parser<'_>, token: &str) -> bool {
        self.blanks(p);
        let hit = p.text.get(p.at..).is_some_and(|rest| rest.starts_with(token));
        if hit {
            p.at += token.len();
        }
        hit
    }

    fn ternary(&mut self, p: &mut Parser<'_>) -> Res<Operand> {
        self.meter.enter()?;
        let result = self.ternary_inner(p);
        self.meter.leave();
        result
    }

    fn ternary_inner(&mut self, p: &mut Parser<'_>) -> Res<Operand> {
        let condition = self.binary(p, 0)?;
        if !self.eat(p, "?") {
            return Ok(condition);
        }
        let yes = p.skip > 0 || self.truth_of(&condition)?;
        let first = self.arm(p, yes)?;
        if !self.eat(p, ":") {
            return Err(self.expr_error(p, "`:`"));
        }
        let second = self.arm(p, !yes)?;
        Ok(if yes { first } else { second })
    }

    fn arm(&mut self, p: &mut Parser<'_>, taken: bool) -> Res<Operand> {
        p.skip += u32::from(!taken);
        let value = self.ternary(p);
        p.skip -= u32::from(!taken);
        value
    }

    fn truth_of(&self, value: &Operand) -> Res<bool> {
        if let Some(number) = value.number() {
            return Ok(number.as_f64() != 0.0);
        }
        let text = value.text();
        truth(&text)
            .ok_or_else(|| self.err(format!("`{}` is neither true nor false", shorten(&text))))
    }

    fn operator(&self, p: &mut Parser<'_>, level: usize) -> Option<&'static str> {
        self.blanks(p);
        let rest = p.text.get(p.at..)?;
        let found = *LEVELS[level].iter().find(|op| rest.starts_with(**op))?;
        let next = rest.as_bytes().get(found.len()).copied().unwrap_or(b' ');
        let clash = match found {
            "|" => next == b'|',
            "&" => next == b'&',
            "<" => next == b'<',
            ">" => next == b'>',
            "*" => next == b'*',
            "eq" | "ne" | "in" | "ni" => next.is_ascii_alphanumeric() || next == b'_',
            _ => false,
        };
        (!clash).then(|| {
            p.at += found.len();
            found
        })
    }

    fn binary(&mut self, p: &mut Parser<'_>, level: usize) -> Res<Operand> {
        if level == LEVELS.len() {
            return self.power(p);
        }
        let mut left = self.binary(p, level + 1)?;
        while let Some(operator) = self.operator(p, level) {
            let lazy = match operator {
                "&&" | "||" if p.skip == 0 => {
                    let left = self.truth_of(&left)?;
                    (left == (operator == "||")).then_some(left)
                }
                _ => None,
            };
            p.skip += u32::from(lazy.is_some());
            let right = self.binary(p, level + 1);
            p.skip -= u32::from(lazy.is_some());
            let right = right?;
            left = match lazy {
                Some(value) => Operand::bool(value),
                None if p.skip > 0 => left,
                None => self.apply(operator, &left, &right)?,
            };
        }
        Ok(left)
    }

    fn power(&mut self, p: &mut Parser<'_>) -> Res<Operand> {
        let base = self.unary(p)?;
        if !self.eat(p, "**") {
            return Ok(base);
        }
        self.meter.enter()?;
        let exponent = self.power(p);
        self.meter.leave();
        let exponent = exponent?;
        if p.skip > 0 {
            return Ok(base);
        }
        self.apply("**", &base, &exponent)
    }

    fn unary(&mut self, p: &mut Parser<'_>) -> Res<Operand> {
        self.blanks(p);
        let Some(&byte) = p.text.as_bytes().get(p.at) else {
            return Err(self.expr_error(p, "an operand"));
        };
        if !matches!(byte, b'-' | b'+' | b'!' | b'~') {
            return self.primary(p);
        }
        p.at += 1;
        self.meter.enter()?;
        let value = self.unary(p);
        self.meter.leave();
        let value = value?;
        if p.skip > 0 {
            return Ok(value);
        }
        if byte == b'!' {
            return Ok(Operand::bool(!self.truth_of(&value)?));
        }
        Ok(Operand::Number(match (byte, self.need_number(&value)?) {
            (b'-', Number::Int(value)) => Number::Int(value.wrapping_neg()),
            (b'-', Number::Double(value)) => Number::Double(-value),
            (b'~', Number::Int(value)) => Number::Int(!value),
            (b'~', Number::Double(_)) => return Err(self.err("`~` needs an integer")),
            (_, value) => value,
        }))
    }

    fn primary(&mut self, p: &mut Parser<'_>) -> Res<Operand> {
        let bytes = p.text.as_bytes();
        let start = p.at;
        match bytes[start] {
            b'(' => {
                p.at += 1;
                let value = self.ternary(p)?;
                if !self.eat(p, ")") {
                    return Err(self.expr_error(p, "`)`"));
                }
                Ok(value)
            }
            b'{' => {
                let Some(end) = close_brace(bytes, start) else {
                    return Err(self.expr_error(p, "a closed brace"));
                };
                p.at = end + 1;
                Ok(Operand::Text(Value::text(&p.text[start + 1..end])))
            }
            b'"' => {
                let mut end = start + 1;
                while bytes.get(end).is_some_and(|b| *b != b'"') {
                    end += match bytes[end] {
                        b'\\' => 2,
                        b'[' => bracket_length(bytes, end).unwrap_or(1),
                        _ => 1,
                    };
                }
                let Some(inner) = p.text.get(start + 1..end).filter(|_| end < bytes.len()) else {
                    return Err(self.expr_error(p, "a closed quote"));
                };
                p.at = end + 1;
                self.operand_text(p.skip, inner)
            }
            b'[' => {
                let Some(length) = bracket_length(bytes, start) else {
                    return Err(self.expr_error(p, "a closed bracket"));
                };
                p.at += length;
                let inner = &p.text[start..p.at];
                self.operand_text(p.skip, inner)
            }
            b'$' => {
                p.at += variable_length(&bytes[start..]);
                let inner = &p.text[start..p.at];
                if inner.len() < 2 {
                    return Err(self.expr_error(p, "a variable"));
                }
                self.operand_text(p.skip, inner)
            }
            byte if byte.is_ascii_digit() || byte == b'.' => {
                let mut end = start;
                while let Some(&byte) = bytes.get(end) {
                    let sign = matches!(byte, b'+' | b'-')
                        && matches!(bytes[end.max(1) - 1], b'e' | b'E')
                        && end > start
                        && !p.text[start..end].starts_with("0x");
                    if !(byte.is_ascii_alphanumeric() || byte == b'.' || sign) {
                        break;
                    }
                    end += 1;
                }
                let Some(number) = parse_number(&p.text[start..end]) else {
                    return Err(self.expr_error(p, "a number"));
                };
                p.at = end;
                Ok(Operand::Number(number))
            }
            _ => self.word(p),
        }
    }

    fn operand_text(&mut self, skip: u32, text: &str) -> Res<Operand> {
        if skip > 0 {
            return Ok(Operand::bool(false));
        }
        self.meter.enter()?;
        let value = self.subst_text(text);
        self.meter.leave();
        value.map(Operand::Text)
    }

    /// A function call, or `true`, `false` and the like.
    fn word(&mut self, p: &mut Parser<'_>) -> Res<Operand> {
        let start = p.at;
        let rest = &p.text.as_bytes()[start..];
        let length = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let name = &p.text[start..start + length];
        if length == 0 {
            return Err(self.expr_error(p, "an operand"));
        }
        p.at += length;
        if !self.eat(p, "(") {
            return match truth(name) {
                Some(_) => Ok(Operand::Text(Value::text(name))),
                None => {
                    p.at = start;
                    Err(self.expr_error(p, "an operand"))
                }
            };
        }
        let mut args = Vec::new();
        if !self.eat(p, ")") {
            loop {
                args.push(self.ternary(p)?);
                if self.eat(p, ")") {
                    break;
                }
                if !self.eat(p, ",") {
                    return Err(self.expr_error(p, "`,` or `)`"));
                }
            }
        }
        if p.skip > 0 {
            return Ok(Operand::bool(false));
        }
        self.function(name, &args)
    }

    fn need_number(&self, value: &Operand) -> Res<Number> {
        value
            .number()
            .ok_or_else(|| self.err(format!("`{}` is not a number", shorten(&value.text()))))
    }

    fn function(&self, name: &str, args: &[Operand]) -> Res<Operand> {
        let numbers: Vec<Number> =
            args.iter().map(|arg| self.need_number(arg)).collect::<Res<_>>()?;
        let floats: Vec<f64> = numbers.iter().map(|n| n.as_f64()).collect();
        let int = |value: f64| Number::Int(value as i64);
        let result = match (name, numbers.as_slice(), floats.as_slice()) {
            ("abs", [Number::Int(value)], _) => Number::Int(value.wrapping_abs()),
            ("abs", _, [x]) => Number::Double(x.abs()),
            ("int" | "wide" | "entier", [Number::Int(value)], _) => Number::Int(*value),
            ("int" | "wide" | "entier", _, [x]) => int(x.trunc()),
            ("round", [Number::Int(value)], _) => Number::Int(*value),
            ("round", _, [x]) => int(x.round()),
            ("double", _, [x]) => Number::Double(*x),
            ("bool", _, [x]) => Number::Int(i64::from(*x != 0.0)),
            ("ceil", _, [x]) => Number::Double(x.ceil()),
            ("floor", _, [x]) => Number::Double(x.floor()),
            ("sqrt", _, [x]) => Number::Double(x.sqrt()),
            ("exp", _, [x]) => Number::Double(x.exp()),
            ("log", _, [x]) => Number::Double(x.ln()),
            ("log10", _, [x]) => Number::Double(x.log10()),
            ("sin", _, [x]) => Number::Double(x.sin()),
            ("cos", _, [x]) => Number::Double(x.cos()),
            ("tan", _, [x]) => Number::Double(x.tan()),
            ("atan", _, [x]) => Number::Double(x.atan()),
            ("pow", _, [x, y]) => Number::Double(x.powf(*y)),
            ("fmod", _, [x, y]) => Number::Double(x % y),
            ("hypot", _, [x, y]) => Number::Double(x.hypot(*y)),
            ("min" | "max", [first, ..], _) => {
                let mut best = *first;
                for number in &numbers {
                    let better = number.as_f64() < best.as_f64();
                    if better == (name == "min") && number.as_f64() != best.as_f64() {
                        best = *number;
                    }
                }
                best
            }
            _ => {
                return Err(self.err(format!(
                    "expr does not know the function {} of {} arguments",
                    shorten(name),
                    args.len()
                )));
            }
        };
        self.finite(result)
    }

    fn finite(&self, number: Number) -> Res<Operand> {
        match number {
            Number::Double(value) if !value.is_finite() => {
                Err(self.err("the result is not a finite number"))
            }
            number => Ok(Operand::Number(number)),
        }
    }

    fn apply(&mut self, operator: &str, left: &Operand, right: &Operand) -> Res<Operand> {
        match operator {
            "eq" => return Ok(Operand::bool(left.text() == right.text())),
            "ne" => return Ok(Operand::bool(left.text() != right.text())),
            "in" | "ni" => {
                let items = self.list(&right.clone().value())?;
                let text = left.text();
                self.meter.work(20 * items.len() as u64)?;
                let found = items.iter().any(|item| item.as_str() == text);
                return Ok(Operand::bool(found == (operator == "in")));
            }
            "&&" | "||" => return Ok(Operand::bool(self.truth_of(right)?)),
            _ => {}
        }
        let (a, b) = match (left.number(), right.number()) {
            (Some(a), Some(b)) => (a, b),
            _ => {
                let (a, b) = (left.text(), right.text());
                return Ok(Operand::bool(match operator {
                    "==" => a == b,
                    "!=" => a != b,
                    "<" => a < b,
                    ">" => a > b,
                    "<=" => a <= b,
                    ">=" => a >= b,
                    _ => {
                        let bad = if left.number().is_none() { a } else { b };
                        return Err(self.err(format!("`{}` is not a number", shorten(&bad))));
                    }
                }));
            }
        };
        if let (Number::Int(a), Number::Int(b)) = (a, b) {
            return self.integers(operator, a, b);
        }
        let (x, y) = (a.as_f64(), b.as_f64());
        let number = match operator {
            "+" => x + y,
            "-" => x - y,
            "*" => x * y,
            "/" if y == 0.0 => return Err(self.err("division by zero")),
            "/" => x / y,
            "**" => x.powf(y),
            "==" => return Ok(Operand::bool(x == y)),
            "!=" => return Ok(Operand::bool(x != y)),
            "<" => return Ok(Operand::bool(x < y)),
            ">" => return Ok(Operand::bool(x > y)),
            "<=" => return Ok(Operand::bool(x <= y)),
            ">=" => return Ok(Operand::bool(x >= y)),
            _ => return Err(self.err(format!("`{operator}` needs integers"))),
        };
        self.finite(Number::Double(number))
    }

    fn integers(&self, operator: &str, a: i64, b: i64) -> Res<Operand> {
        let bounded = |value: Option<i64>| {
            value.ok_or_else(|| self.err("the result does not fit 64 bits; use decimals"))
        };
        let value = match operator {
            "+" => bounded(a.checked_add(b))?,
            "-" => bounded(a.checked_sub(b))?,
            "*" => bounded(a.checked_mul(b))?,
            "/" | "%" if b == 0 => return Err(self.err("division by zero")),
            // Tcl rounds down, and the remainder has the divisor's sign.
            "/" => {
                let quotient = bounded(a.checked_div(b))?;
                quotient - i64::from(a % b != 0 && (a < 0) != (b < 0))
            }
            "%" => {
                let rest = a.checked_rem(b).unwrap_or(0);
                if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
            }
            "**" => match u32::try_from(b) {
                Ok(power) => bounded(a.checked_pow(power))?,
                Err(_) => return self.finite(Number::Double((a as f64).powf(b as f64))),
            },
            "<<" => bounded(u32::try_from(b).ok().and_then(|b| a.checked_shl(b)))?,
            ">>" => bounded(u32::try_from(b).ok().map(|b| a >> b.min(63)))?,
            "&" => a & b,
            "|" => a | b,
            "^" => a ^ b,
            "==" => i64::from(a == b),
            "!=" => i64::from(a != b),
            "<" => i64::from(a < b),
            ">" => i64::from(a > b),
            "<=" => i64::from(a <= b),
            ">=" => i64::from(a >= b),
            other => return Err(self.err(format!("expr does not know the operator {other}"))),
        };
        Ok(Operand::Number(Number::Int(value)))
    }
}

/// Length of `[...]` at `open`, brackets included.
fn bracket_length(bytes: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        at = skip_to_command(bytes, at);
        match command_end(bytes, at, true) {
            Ok(end) if bytes.get(end) == Some(&b']') => return Some(end + 1 - open),
            Ok(end) if end < bytes.len() => at = end,
            _ => return None,
        }
    }
}

/// Length of a variable reference at the start of `bytes`, its `$` included.
fn variable_length(bytes: &[u8]) -> usize {
    if bytes.get(1) == Some(&b'{') {
        return bytes.iter().position(|b| *b == b'}').map_or(1, |end| end + 1);
    }
    let mut end = 1;
    while bytes.get(end).is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':')) {
        // A single colon belongs to a ternary.
        if bytes[end] == b':' {
            if bytes.get(end + 1) != Some(&b':') {
                break;
            }
            end += 1;
        }
        end += 1;
    }
    if end > 1 && bytes.get(end) == Some(&b'(') {
        let mut depth = 0_usize;
        for (offset, byte) in bytes[end..].iter().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        return end + offset + 1;
                    }
                }
                _ => {}
            }
        }
    }
    end
}
