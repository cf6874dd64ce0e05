//! The grammar of SPEF, streamed net by net.

use std::collections::HashMap;

use super::lexer::{Lexer, Word};
use crate::text::{FormatError, Problems, Severity, Source, parse_f64};

/// The statements before the nets.
#[derive(Clone, Debug, PartialEq)]
pub struct Header<'a> {
    /// `*SPEF`: the standard's name, without quotes.
    pub standard: &'a str,
    /// `*DESIGN`.
    pub design: &'a str,
    /// `*PROGRAM`.
    pub program: &'a str,
    /// Words of `*DESIGN_FLOW`.
    pub design_flow: Vec<&'a str>,
    /// `*DIVIDER` between levels of hierarchy.
    pub divider: char,
    /// `*DELIMITER` between instance and pin.
    pub delimiter: char,
    /// `*BUS_DELIMITER`: prefix and, if there is one, suffix.
    pub bus: (char, Option<char>),
    /// ns per time unit.
    pub time: f64,
    /// pF per capacitance unit.
    pub capacitance: f64,
    /// kΩ per resistance unit.
    pub resistance: f64,
    /// H per inductance unit.
    pub inductance: f64,
    /// `*PORTS`: name as written and direction (`I`, `O`, `B`).
    pub ports: Vec<(&'a str, char)>,
    /// `*POWER_NETS` and `*GROUND_NETS`.
    pub supplies: Vec<&'a str>,
    map: HashMap<u64, &'a str>,
}

impl<'a> Header<'a> {
    /// The name that an index of the name map stands for (`*12` → `u1/n3`), and what follows the
    /// index in the word (`:A`, `[3]`). A word without index is its own name.
    pub fn expand(&self, word: &'a str) -> (&'a str, &'a str) {
        let Some(digits) = word.strip_prefix('*') else { return (word, "") };
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let found = digits[..length].parse().ok().and_then(|index: u64| self.map.get(&index));
        match found {
            Some(name) => (name, &digits[length..]),
            None => (word, ""),
        }
    }
    /// How many names the name map has.
    pub fn mapped(&self) -> usize {
        self.map.len()
    }
}

impl Default for Header<'_> {
    fn default() -> Self {
        Header {
            standard: "",
            design: "",
            program: "",
            design_flow: Vec::new(),
            divider: '/',
            delimiter: ':',
            bus: ('[', Some(']')),
            time: 1.0,
            capacitance: 1.0,
            resistance: 1e-3,
            inductance: 1.0,
            ports: Vec::new(),
            supplies: Vec::new(),
            map: HashMap::new(),
        }
    }
}

/// A value as written: one number, or `min:typ:max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// `[min, typ, max]`, all equal for one number; in the file's unit.
    pub by: [f64; 3],
}

/// An entry of `*CONN`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conn<'a> {
    /// `P` for a port, `I` for an instance's pin, `N` for an internal node.
    pub kind: char,
    /// Name as written.
    pub name: &'a str,
    /// `I`, `O` or `B`; a blank for internal nodes.
    pub direction: char,
    /// `*L`: pin load.
    pub load: Option<Value>,
    /// `*D`: driving cell.
    pub cell: Option<&'a str>,
}

/// An entry of `*CAP`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cap<'a> {
    /// Node.
    pub node: &'a str,
    /// Node of another net, for a coupling capacitance.
    pub other: Option<&'a str>,
    /// Value.
    pub value: Value,
}

/// An entry of `*RES`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Res<'a> {
    /// Node.
    pub a: &'a str,
    /// Node.
    pub b: &'a str,
    /// Value.
    pub value: Value,
}

/// One net; its lists are used again for the next net.
#[derive(Clone, Debug, Default)]
pub struct NetSection<'a> {
    /// Name as written.
    pub name: &'a str,
    /// Byte offset of the statement.
    pub at: usize,
    /// Total capacitance.
    pub total: Option<Value>,
    /// Whether it is an `*R_NET`: a pi and delays of loads instead of nodes.
    pub reduced: bool,
    /// `*CONN`.
    pub conns: Vec<Conn<'a>>,
    /// `*CAP`.
    pub caps: Vec<Cap<'a>>,
    /// `*RES`.
    pub ress: Vec<Res<'a>>,
    /// How many entries of `*INDUC` were read over.
    pub inductances: usize,
    /// `*R_NET`: driver pin, `C2`, `R1`, `C1` and the load pins, per driver.
    pub pis: Vec<(&'a str, [Value; 3], Vec<&'a str>)>,
}

/// What takes a file's contents as they are read.
pub trait Visitor<'a> {
    /// The header, once, before the first net.
    ///
    /// # Errors
    /// Ends the read.
    fn header(&mut self, header: &Header<'a>) -> Result<(), FormatError>;
    /// One net.
    ///
    /// # Errors
    /// Ends the read.
    fn net(&mut self, header: &Header<'a>, net: &NetSection<'a>) -> Result<(), FormatError>;
}

struct Parser<'a, 'p> {
    source: &'a Source,
    words: Lexer<'a>,
    problems: &'p mut Problems,
}

/// Reads a file and hands its contents to `visitor`.
///
/// # Errors
/// A statement that is malformed, a unit that is not known, a file that ends inside a net, and
/// what the visitor refuses.
pub fn parse<'a>(
    source: &'a Source,
    problems: &mut Problems,
    visitor: &mut dyn Visitor<'a>,
) -> Result<(), FormatError> {
    let words = Lexer::new(source.text());
    let mut parser = Parser { source, words, problems };
    let header = parser.header()?;
    visitor.header(&header)?;
    let mut net = NetSection::default();
    while let Some(word) = parser.words.next() {
        match word.text {
            "*D_NET" | "*R_NET" => {
                parser.net(word, &mut net)?;
                visitor.net(&header, &net)?;
            }
            "*D_PNET" | "*R_PNET" => {
                parser.problems.report(
                    Severity::Info,
                    "spef-physical-net",
                    parser.source,
                    word.at,
                    || "a net between physical ports is read over".into(),
                );
                while parser.words.next().is_some_and(|word| word.text != "*END") {}
            }
            "*DEFINE" | "*PDEFINE" => {
                parser.problems.report(
                    Severity::Warning,
                    "spef-define",
                    parser.source,
                    word.at,
                    || {
                        "parasitics of a module in a file of its own; read that file with its path"
                            .into()
                    },
                );
                while parser.words.peek().is_some_and(|word| !word.text.starts_with('*')) {
                    parser.words.next();
                }
            }
            _ => {
                return Err(
                    parser.error(word, format!("`{}` stands where *D_NET should", clip(word.text)))
                );
            }
        }
    }
    Ok(())
}

fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}

fn unquoted(text: &str) -> &str {
    text.trim_matches('"')
}

impl<'a> Parser<'a, '_> {
    fn error(&self, word: Word<'_>, message: String) -> FormatError {
        self.source.error(word.at, message, "correct the file, or extract it again")
    }

    fn need(&mut self, what: &str) -> Result<Word<'a>, FormatError> {
        self.words.next().ok_or_else(|| {
            self.source.error(
                self.source.text().len(),
                format!("the file ends where {what} should follow"),
                "the file may be cut short",
            )
        })
    }

    fn header(&mut self) -> Result<Header<'a>, FormatError> {
        let mut header = Header::default();
        while let Some(word) = self.words.peek() {
            if matches!(
                word.text,
                "*D_NET" | "*R_NET" | "*D_PNET" | "*R_PNET" | "*DEFINE" | "*PDEFINE"
            ) {
                break;
            }
            self.words.next();
            match word.text {
                "*SPEF" => header.standard = unquoted(self.need("the standard")?.text),
                "*DESIGN" => header.design = unquoted(self.need("the design")?.text),
                "*PROGRAM" => header.program = unquoted(self.need("the program")?.text),
                "*DATE" | "*VENDOR" | "*VERSION" => {
                    self.need("a string")?;
                }
                "*DESIGN_FLOW" => {
                    while let Some(word) = self.words.peek().filter(|w| w.text.starts_with('"')) {
                        header.design_flow.push(unquoted(word.text));
                        self.words.next();
                    }
                }
                "*DIVIDER" => header.divider = self.character()?,
                "*DELIMITER" => header.delimiter = self.character()?,
                "*BUS_DELIMITER" => {
                    let word = self.need("a bus delimiter")?;
                    let mut chars = word.text.chars();
                    let first = chars.next().unwrap_or('[');
                    let mut second = chars.next();
                    if second.is_none()
                        && let Some(next) = self.words.peek().filter(|w| !w.text.starts_with('*'))
                    {
                        second = next.text.chars().next();
                        self.words.next();
                    }
                    header.bus = (first, second);
                }
                "*T_UNIT" => {
                    header.time = self.unit(&[("NS", 1.0), ("PS", 1e-3), ("US", 1e3)])?;
                }
                "*C_UNIT" => {
                    header.capacitance = self.unit(&[("PF", 1.0), ("FF", 1e-3), ("NF", 1e3)])?;
                }
                "*R_UNIT" => {
                    header.resistance =
                        self.unit(&[("OHM", 1e-3), ("KOHM", 1.0), ("MOHM", 1e3)])?;
                }
                "*L_UNIT" => {
                    header.inductance = self.unit(&[
                        ("HENRY", 1.0),
                        ("H", 1.0),
                        ("MH", 1e-3),
                        ("UH", 1e-6),
                        ("NH", 1e-9),
                        ("PH", 1e-12),
                    ])?;
                }
                "*NAME_MAP" => self.name_map(&mut header)?,
                "*POWER_NETS" | "*GROUND_NETS" => {
                    while let Some(word) = self.words.peek().filter(|w| !is_keyword(w.text)) {
                        header.supplies.push(word.text);
                        self.words.next();
                    }
                }
                "*PORTS" | "*PHYSICAL_PORTS" => self.ports(&mut header)?,
                other if is_keyword(other) => {
                    let name = clip(other);
                    self.problems.report(
                        Severity::Warning,
                        "spef-unknown-section",
                        self.source,
                        word.at,
                        || format!("section `{name}` is not known and is skipped"),
                    );
                    while self.words.peek().is_some_and(|word| !is_keyword(word.text)) {
                        self.words.next();
                    }
                }
                _ => {
                    let message = format!("`{}` stands where a keyword should", clip(word.text));
                    return Err(self.error(word, message));
                }
            }
        }
        Ok(header)
    }

    fn character(&mut self) -> Result<char, FormatError> {
        let word = self.need("a character")?;
        let mut chars = word.text.chars();
        match (chars.next(), chars.next()) {
            (Some(char), None) => Ok(char),
            _ => Err(self.error(word, format!("`{}` should be one character", clip(word.text)))),
        }
    }

    fn unit(&mut self, known: &[(&str, f64)]) -> Result<f64, FormatError> {
        let number = self.need("a number")?;
        let scale = parse_f64(number.text).filter(|scale| *scale > 0.0);
        let unit = self.need("a unit")?;
        let found = known.iter().find(|(name, _)| unit.text.eq_ignore_ascii_case(name));
        match (scale, found) {
            (Some(scale), Some((_, unit))) => Ok(scale * unit),
            _ => {
                let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                let message = format!(
                    "`{} {}` is no unit; write a number and one of {}",
                    clip(number.text),
                    clip(unit.text),
                    names.join(", ")
                );
                Err(self.error(unit, message))
            }
        }
    }

    fn name_map(&mut self, header: &mut Header<'a>) -> Result<(), FormatError> {
        while let Some(word) = self.words.peek() {
            let Some(index) = word.text.strip_prefix('*').and_then(|d| d.parse::<u64>().ok())
            else {
                if is_keyword(word.text) {
                    return Ok(());
                }
                let message = format!("`{}` stands where an index should", clip(word.text));
                return Err(self.error(word, message));
            };
            self.words.next();
            let name = self.need("a name")?;
            header.map.insert(index, name.text);
        }
        Ok(())
    }

    fn ports(&mut self, header: &mut Header<'a>) -> Result<(), FormatError> {
        while let Some(word) = self.words.peek().filter(|word| !is_keyword(word.text)) {
            self.words.next();
            let direction = self.need("a direction")?;
            let direction = direction.text.chars().next().unwrap_or(' ');
            header.ports.push((word.text, direction));
            self.attributes()?;
        }
        Ok(())
    }

    /// Attributes of a connection: load and driving cell are kept.
    fn attributes(&mut self) -> Result<(Option<Value>, Option<&'a str>), FormatError> {
        let (mut load, mut cell) = (None, None);
        while let Some(word) = self.words.peek() {
            match word.text {
                "*C" => {
                    self.words.next();
                    self.value("a coordinate")?;
                    self.value("a coordinate")?;
                }
                "*L" => {
                    self.words.next();
                    load = Some(self.value("a load")?);
                }
                "*S" => {
                    self.words.next();
                    self.value("a slew")?;
                    // Thresholds may follow.
                    while self.words.peek().is_some_and(|word| value(word.text).is_some()) {
                        self.words.next();
                    }
                }
                "*D" => {
                    self.words.next();
                    cell = Some(self.need("a cell")?.text);
                }
                _ => break,
            }
        }
        Ok((load, cell))
    }

    fn value(&mut self, what: &str) -> Result<Value, FormatError> {
        let word = self.need(what)?;
        value(word.text).ok_or_else(|| {
            self.error(word, format!("`{}` stands where {what} should", clip(word.text)))
        })
    }

    fn net(&mut self, start: Word<'a>, net: &mut NetSection<'a>) -> Result<(), FormatError> {
        net.conns.clear();
        net.caps.clear();
        net.ress.clear();
        net.pis.clear();
        net.inductances = 0;
        net.at = start.at;
        net.reduced = start.text == "*R_NET";
        net.name = self.need("a net name")?.text;
        net.total = Some(self.value("the total capacitance")?);
        loop {
            let word = self.need("*END")?;
            match word.text {
                "*END" => return Ok(()),
                "*V" => {
                    self.need("a confidence")?;
                }
                "*CONN" => self.conns(net)?,
                "*CAP" => self.caps(net)?,
                "*RES" => self.resistors(net)?,
                "*INDUC" => {
                    while self.words.peek().is_some_and(|w| !is_keyword(w.text)) {
                        for what in ["a number", "a node", "a node"] {
                            self.need(what)?;
                        }
                        self.value("an inductance")?;
                        net.inductances += 1;
                    }
                    let count = net.inductances;
                    self.problems.report(
                        Severity::Info,
                        "spef-inductance",
                        self.source,
                        word.at,
                        || format!("{count} inductances are not used"),
                    );
                }
                "*DRIVER" if net.reduced => self.driver(net)?,
                _ => {
                    let message =
                        format!("`{}` stands where a section of a net should", clip(word.text));
                    return Err(self.error(word, message));
                }
            }
        }
    }

    fn conns(&mut self, net: &mut NetSection<'a>) -> Result<(), FormatError> {
        while let Some(word) = self.words.peek() {
            let kind = match word.text {
                "*P" => 'P',
                "*I" => 'I',
                "*N" => 'N',
                _ => break,
            };
            self.words.next();
            let name = self.need("a name")?.text;
            let mut direction = ' ';
            if kind != 'N' {
                // Some extractors leave the direction out.
                if let Some(word) = self
                    .words
                    .peek()
                    .filter(|w| matches!(w.text, "I" | "O" | "B" | "i" | "o" | "b"))
                {
                    direction = word.text.chars().next().unwrap_or(' ').to_ascii_uppercase();
                    self.words.next();
                }
            }
            let (load, cell) = self.attributes()?;
            net.conns.push(Conn { kind, name, direction, load, cell });
        }
        Ok(())
    }

    /// Whether an entry's number follows; anything else ends the list.
    fn entry(&mut self) -> bool {
        let number = |word: &Word<'_>| word.text.bytes().all(|b| b.is_ascii_digit());
        let found = self.words.peek().is_some_and(|word| number(&word));
        if found {
            self.words.next();
        }
        found
    }

    fn sensitivities(&mut self) {
        if self.words.peek().is_some_and(|word| word.text == "*SC") {
            self.words.next();
            while self
                .words
                .peek()
                .is_some_and(|word| word.text.contains(':') && !word.text.starts_with('*'))
            {
                self.words.next();
            }
        }
    }

    fn caps(&mut self, net: &mut NetSection<'a>) -> Result<(), FormatError> {
        while self.entry() {
            let node = self.need("a node")?.text;
            let word = self.need("a node or a capacitance")?;
            let cap = match value(word.text) {
                Some(value) => Cap { node, other: None, value },
                None => Cap { node, other: Some(word.text), value: self.value("a capacitance")? },
            };
            self.sensitivities();
            net.caps.push(cap);
        }
        Ok(())
    }

    fn resistors(&mut self, net: &mut NetSection<'a>) -> Result<(), FormatError> {
        while self.entry() {
            let a = self.need("a node")?.text;
            let b = self.need("a node")?.text;
            let value = self.value("a resistance")?;
            self.sensitivities();
            net.ress.push(Res { a, b, value });
        }
        Ok(())
    }

    fn driver(&mut self, net: &mut NetSection<'a>) -> Result<(), FormatError> {
        let driver = self.need("a driver pin")?.text;
        let mut pi = [Value { by: [0.0; 3] }; 3];
        let mut loads = Vec::new();
        while let Some(word) = self.words.peek() {
            match word.text {
                "*CELL" => {
                    self.words.next();
                    self.need("a cell")?;
                }
                "*C2_R1_C1" => {
                    self.words.next();
                    for slot in &mut pi {
                        *slot = self.value("a value of the pi")?;
                    }
                }
                "*LOADS" => {
                    self.words.next();
                }
                "*RC" => {
                    self.words.next();
                    loads.push(self.need("a load pin")?.text);
                    self.value("a delay")?;
                }
                // Poles and residues: a count, then complex numbers.
                "*Q" | "*K" => {
                    self.words.next();
                    while self.words.peek().is_some_and(|word| !word.text.starts_with('*')) {
                        self.words.next();
                    }
                }
                _ => break,
            }
        }
        net.pis.push((driver, pi, loads));
        Ok(())
    }
}

/// `*` and a letter; indices of the name map have a digit.
fn is_keyword(text: &str) -> bool {
    text.starts_with('*') && text.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic)
}

/// A number or `min:typ:max`.
fn value(text: &str) -> Option<Value> {
    if let Some(number) = parse_f64(text) {
        return Some(Value { by: [number; 3] });
    }
    let mut parts = text.split(':');
    let by = [parse_f64(parts.next()?)?, parse_f64(parts.next()?)?, parse_f64(parts.next()?)?];
    parts.next().is_none().then_some(Value { by })
}
