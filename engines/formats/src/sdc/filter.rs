//! `-filter` expressions and the properties that they ask for.
//!
//! `name =~ u_* && (is_clock || direction == input)`; `@` before a property is allowed, a property
//! alone asks whether it is true, `=~` and `!~` compare with a pattern.

use cellwright_db::library::{MasterClass, PinDirection};

use super::names::leaf;
use super::object::Object;
use super::state::Reader;
use super::tcl::glob::{self, Rules};
use super::tcl::{Meter, Number, Res, format_double, parse_number, shorten};

enum Test {
    And(Box<Test>, Box<Test>),
    Or(Box<Test>, Box<Test>),
    Not(Box<Test>),
    Compare { property: String, operator: &'static str, value: String },
}

impl Reader<'_> {
    pub(super) fn filter(
        &self,
        objects: Vec<Object>,
        text: &str,
        meter: &mut Meter,
    ) -> Res<Vec<Object>> {
        let tokens = tokens(text);
        let mut at = 0;
        let test = self.or(&tokens, &mut at, 0, text)?;
        if at < tokens.len() {
            return Err(self.bad_filter(text));
        }
        let mut out = Vec::new();
        for object in objects {
            meter.work(200 + text.len() as u64)?;
            if self.passes(&test, object)? {
                out.push(object);
            }
        }
        Ok(out)
    }

    fn bad_filter(&self, text: &str) -> super::tcl::Flow {
        self.fault_hint(
            format!("filter `{}` cannot be read", shorten(text)),
            "write comparisons such as name =~ u_* joined by && and ||",
        )
    }

    fn or(&self, tokens: &[String], at: &mut usize, depth: u32, text: &str) -> Res<Test> {
        let mut left = self.and(tokens, at, depth, text)?;
        while matches!(tokens.get(*at).map(String::as_str), Some("||" | "OR" | "or")) {
            *at += 1;
            let right = self.and(tokens, at, depth, text)?;
            left = Test::Or(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn and(&self, tokens: &[String], at: &mut usize, depth: u32, text: &str) -> Res<Test> {
        let mut left = self.term(tokens, at, depth, text)?;
        while matches!(tokens.get(*at).map(String::as_str), Some("&&" | "AND" | "and")) {
            *at += 1;
            let right = self.term(tokens, at, depth, text)?;
            left = Test::And(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn term(&self, tokens: &[String], at: &mut usize, depth: u32, text: &str) -> Res<Test> {
        // Long chains nest as well, so their length is bounded with the depth.
        if depth > 40 || tokens.len() > 400 {
            return Err(self.bad_filter(text));
        }
        let token = tokens.get(*at).ok_or_else(|| self.bad_filter(text))?;
        *at += 1;
        match token.as_str() {
            "(" => {
                let test = self.or(tokens, at, depth + 1, text)?;
                if tokens.get(*at).map(String::as_str) != Some(")") {
                    return Err(self.bad_filter(text));
                }
                *at += 1;
                Ok(test)
            }
            "!" => Ok(Test::Not(Box::new(self.term(tokens, at, depth + 1, text)?))),
            word if OPERATORS.contains(&word) || matches!(word, ")" | "&&" | "||") => {
                Err(self.bad_filter(text))
            }
            word => {
                let property = word.trim_start_matches('@').to_owned();
                let operator = tokens
                    .get(*at)
                    .and_then(|next| OPERATORS.iter().find(|operator| *operator == next));
                let (operator, value) = match operator {
                    Some(operator) => {
                        let value = tokens.get(*at + 1).ok_or_else(|| self.bad_filter(text))?;
                        *at += 2;
                        (*operator, value.clone())
                    }
                    None => ("==", "true".to_owned()),
                };
                Ok(Test::Compare { property, operator, value })
            }
        }
    }

    fn passes(&self, test: &Test, object: Object) -> Res<bool> {
        match test {
            Test::And(a, b) => Ok(self.passes(a, object)? && self.passes(b, object)?),
            Test::Or(a, b) => Ok(self.passes(a, object)? || self.passes(b, object)?),
            Test::Not(a) => Ok(!self.passes(a, object)?),
            Test::Compare { property, operator, value } => {
                let Some(actual) = self.property(object, property) else {
                    return Err(self.fault(format!(
                        "{} has no property `{}`",
                        object.kind(),
                        shorten(property)
                    )));
                };
                Ok(compare(&actual, operator, value))
            }
        }
    }

    /// A property as text; `None` when objects of this kind have no such property.
    pub(super) fn property(&self, object: Object, property: &str) -> Option<String> {
        let design = self.design;
        let library = design.library();
        let bool = |value: bool| Some(if value { "true" } else { "false" }.to_owned());
        match property {
            "full_name" => return Some(self.name(object)),
            "name" => {
                let name = self.name(object);
                return Some(match object {
                    Object::LibPin(..) => leaf(&name).to_owned(),
                    _ => name,
                });
            }
            "lib_pin_name" | "base_name" => return Some(leaf(&self.name(object)).to_owned()),
            "object_class" | "object_type" => return Some(object.kind().to_owned()),
            _ => {}
        }
        let direction = |direction: PinDirection| {
            let name = match direction {
                PinDirection::Input => "input",
                PinDirection::Output => "output",
                PinDirection::Inout => "inout",
                PinDirection::Unknown => "unknown",
            };
            Some(name.to_owned())
        };
        match object {
            Object::Port(port) => match property {
                "direction" | "port_direction" => direction(design.ports()[port].direction),
                _ => None,
            },
            Object::Pin(pin) => {
                let (cell, number) = self.finder.cell_of(pin)?;
                let master = design.master(cell);
                match property {
                    "direction" | "pin_direction" => {
                        direction(master.pins[number.index()].direction)
                    }
                    "is_clock" | "is_register_clock" => bool(master.pins[number.index()].is_clock),
                    "is_hierarchical" => bool(false),
                    _ => None,
                }
            }
            Object::Cell(cell) => {
                let master = design.master_id(cell);
                let logic = library.logic(master);
                match property {
                    "ref_name" | "lib_cell" | "liberty_cell" | "cell" => {
                        Some(library.masters[master].name.clone())
                    }
                    "is_hierarchical" => bool(false),
                    "is_sequential" => bool(logic.is_some_and(|l| !l.sequentials.is_empty())),
                    "is_buffer" => bool(library.buffer_pins(master).is_some()),
                    "is_clock_gate" => bool(logic.is_some_and(|l| l.clock_gate.is_some())),
                    "is_macro" | "is_memory" => bool(
                        library.masters[master].class == MasterClass::Block
                            || logic.is_some_and(|l| l.is_macro),
                    ),
                    _ => None,
                }
            }
            Object::Level(_) => match property {
                "is_hierarchical" => bool(true),
                "ref_name" => Some(String::new()),
                "is_sequential" | "is_buffer" | "is_clock_gate" | "is_macro" | "is_memory" => {
                    bool(false)
                }
                _ => None,
            },
            Object::Clock(clock) => {
                let clock = &self.out.clocks[clock];
                match property {
                    "period" => Some(format_double(clock.period / self.units.time)),
                    "is_virtual" => bool(clock.is_virtual()),
                    "is_generated" => bool(clock.generated.is_some()),
                    "is_propagated" | "propagated_clock" => bool(clock.propagated),
                    _ => None,
                }
            }
            Object::LibCell(master) => match property {
                "dont_use" => bool(library.logic(master).is_some_and(|logic| logic.dont_use)),
                "is_buffer" => bool(library.buffer_pins(master).is_some()),
                "is_sequential" => {
                    bool(library.logic(master).is_some_and(|l| !l.sequentials.is_empty()))
                }
                _ => None,
            },
            Object::LibPin(master, pin) => match property {
                "direction" => direction(library.masters[master].pins[pin.index()].direction),
                _ => None,
            },
            Object::Net(_) | Object::Lib(_) | Object::Design => None,
        }
    }
}

const OPERATORS: [&str; 8] = ["==", "!=", "=~", "!~", "<=", ">=", "<", ">"];

fn compare(actual: &str, operator: &str, value: &str) -> bool {
    let number = |text: &str| match text {
        "true" => Some(1.0),
        "false" => Some(0.0),
        text => parse_number(text).map(Number::as_f64),
    };
    let order = match (number(actual), number(value)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => actual.cmp(value),
    };
    match operator {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "=~" => glob::matches(value, actual, Rules::NAME),
        "!~" => !glob::matches(value, actual, Rules::NAME),
        "<" => order.is_lt(),
        ">" => order.is_gt(),
        "<=" => order.is_le(),
        _ => order.is_ge(),
    }
}

fn tokens(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let two = rest.get(..2).unwrap_or("");
        let operator = match first {
            _ if matches!(two, "==" | "!=" | "=~" | "!~" | "<=" | ">=" | "&&" | "||") => 2,
            '(' | ')' | '!' | '<' | '>' => 1,
            _ => 0,
        };
        let (token, used) = if operator > 0 {
            (&rest[..operator], operator)
        } else if first == '"' || first == '\'' {
            match rest[1..].find(first) {
                Some(end) => (&rest[1..=end], end + 2),
                None => (&rest[1..], rest.len()),
            }
        } else {
            let ends = |c: char| {
                c.is_whitespace() || matches!(c, '(' | ')' | '=' | '!' | '<' | '>' | '&' | '|')
            };
            let end = rest.find(ends).unwrap_or(rest.len()).max(first.len_utf8());
            (&rest[..end], end)
        };
        out.push(token.to_owned());
        rest = rest[used..].trim_start();
    }
    out
}
