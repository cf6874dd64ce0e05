//! Wiring in paths: checked once when the file is read, taken apart when it is asked for.
//!
//! One walker does both, so what was accepted is what is given. Grammar: LEF/DEF 5.8 Language
//! Reference, "Regular wiring" and "Special wiring".

use super::ast::Point;
use crate::lef::Orient;
use crate::text::{
    LONGEST_KEYWORD, Lexer, Offset, Token, keyword, parse_f64, parse_i32, parse_u32,
};

/// How firmly wiring lies, or what it shields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WiringKind<'a> {
    /// `ROUTED`.
    Routed,
    /// `FIXED`.
    Fixed,
    /// `COVER`.
    Cover,
    /// `NOSHIELD`.
    NoShield,
    /// `SHIELD net`.
    Shield(&'a str),
}

/// The paths behind one `ROUTED`, `FIXED`, `COVER`, `NOSHIELD` or `SHIELD`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wiring<'a> {
    /// Byte offset of the first layer.
    pub at: Offset,
    /// Kind; `None` reads as `ROUTED`.
    pub kind: Option<WiringKind<'a>>,
    /// Special wiring, in which each path gives its width.
    pub special: bool,
    /// The paths as written, from the first layer on.
    pub text: &'a str,
}

impl PartialEq for Wiring<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.special == other.special && self.items().eq(other.items())
    }
}

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WireItem<'a> {
    /// A path begins on a layer; special wiring gives the width.
    Path {
        /// Layer name.
        layer: &'a str,
        /// Width in database units.
        width: Option<i32>,
    },
    /// `TAPER`.
    Taper,
    /// `TAPERRULE name`.
    TaperRule(&'a str),
    /// `SHAPE name`.
    Shape(&'a str),
    /// `STYLE n`.
    Style(u32),
    /// `MASK n` for what follows.
    Mask(u32),
    /// The wire goes to this point; `*` is already filled in.
    Point {
        /// Where to.
        point: Point,
        /// Extension beyond the point.
        extension: Option<i32>,
    },
    /// `VIRTUAL`: goes to this point without a wire.
    Virtual(Point),
    /// `RECT`: low and high corner relative to the last point.
    Rect([i32; 4]),
    /// A via at the last point.
    Via {
        /// Via name.
        name: &'a str,
        /// Orientation.
        orient: Option<Orient>,
        /// `DO nx BY ny STEP dx dy`.
        array: Option<(u32, u32, i32, i32)>,
    },
}

/// What the walker met in place of what belongs there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WireError {
    pub(super) at: usize,
    pub(super) wanted: &'static str,
}

enum State {
    Layer,
    FirstPoint,
    Points,
}

/// Walks over paths up to a `+` of the net, `;` or the end of the text.
pub(super) struct Walker<'a> {
    lexer: Lexer<'a>,
    special: bool,
    state: State,
    last: Option<Point>,
}

type Step<T> = Result<T, WireError>;

impl<'a> Walker<'a> {
    pub(super) fn new(text: &'a str, start: usize, special: bool) -> Self {
        let lexer = Lexer::over(text, start, text.len());
        Self { lexer, special, state: State::Layer, last: None }
    }

    /// Offset behind the last word that belongs to the paths.
    pub(super) fn end(&self) -> usize {
        self.lexer.end_of_last()
    }

    fn need(&mut self, wanted: &'static str) -> Step<Token<'a>> {
        let at = self.lexer.offset();
        self.lexer.next().ok_or(WireError { at, wanted })
    }

    fn name(&mut self, wanted: &'static str) -> Step<&'a str> {
        let token = self.need(wanted)?;
        if token.quoted() || matches!(token.text, "(" | ")" | ";" | "+" | "NEW") {
            return Err(WireError { at: token.at, wanted });
        }
        Ok(token.text)
    }

    fn expect(&mut self, word: &'static str) -> Step<()> {
        let token = self.need(word)?;
        if token.is_keyword(word) { Ok(()) } else { Err(WireError { at: token.at, wanted: word }) }
    }

    fn int(&mut self, wanted: &'static str) -> Step<i32> {
        let token = self.need(wanted)?;
        int_of(token).ok_or(WireError { at: token.at, wanted })
    }

    fn count(&mut self, wanted: &'static str) -> Step<u32> {
        let token = self.need(wanted)?;
        parse_u32(token.text).ok_or(WireError { at: token.at, wanted })
    }

    fn coordinate(&mut self, last: Option<i32>) -> Step<i32> {
        let wanted = "a coordinate";
        let token = self.need(wanted)?;
        match (token.text, last) {
            ("*", Some(last)) => Ok(last),
            ("*", None) => {
                let wanted = "a coordinate (`*` needs a point before it)";
                Err(WireError { at: token.at, wanted })
            }
            _ => int_of(token).ok_or(WireError { at: token.at, wanted }),
        }
    }

    /// `x y` behind `(`.
    fn point(&mut self) -> Step<Point> {
        let x = self.coordinate(self.last.map(|p| p.x))?;
        let y = self.coordinate(self.last.map(|p| p.y))?;
        let point = Point { x, y };
        self.last = Some(point);
        Ok(point)
    }

    fn point_and_extension(&mut self) -> Step<WireItem<'a>> {
        let point = self.point()?;
        let token = self.need(")")?;
        let mut extension = None;
        if !token.is(")") {
            let wanted = "an extension or `)`";
            extension = Some(int_of(token).ok_or(WireError { at: token.at, wanted })?);
            self.expect(")")?;
        }
        Ok(WireItem::Point { point, extension })
    }

    fn via(&mut self, token: Token<'a>) -> Step<WireItem<'a>> {
        if token.quoted() || token.text == ")" {
            return Err(WireError { at: token.at, wanted: "a point, a via, NEW, `+` or `;`" });
        }
        let mut orient = None;
        let mut next = self.lexer.peek();
        if let Some(found) = next.filter(|t| !t.quoted()).and_then(|t| Orient::parse(t.text)) {
            orient = Some(found);
            self.lexer.next();
            next = self.lexer.peek();
        }
        let mut array = None;
        if next.is_some_and(|t| t.is_keyword("DO")) {
            self.lexer.next();
            let nx = self.count("a count along x")?;
            self.expect("BY")?;
            let ny = self.count("a count along y")?;
            self.expect("STEP")?;
            array = Some((nx, ny, self.int("a step along x")?, self.int("a step along y")?));
        }
        Ok(WireItem::Via { name: token.text, orient, array })
    }

    /// Between the layer and the first point.
    fn before_points(&mut self) -> Step<WireItem<'a>> {
        let wanted = "the first point of the path";
        let mut token = self.need(wanted)?;
        let plus = token.is("+");
        if plus {
            token = self.need("SHAPE or STYLE")?;
        }
        let mut buffer = [0; LONGEST_KEYWORD];
        match keyword(token.text, &mut buffer) {
            "(" if !plus => {
                self.state = State::Points;
                self.point_and_extension()
            }
            "MASK" => Ok(WireItem::Mask(self.count("a mask number")?)),
            "STYLE" => Ok(WireItem::Style(self.count("a style number")?)),
            "SHAPE" if self.special => Ok(WireItem::Shape(self.name("a shape")?)),
            "TAPER" if !self.special && !plus => Ok(WireItem::Taper),
            "TAPERRULE" if !self.special && !plus => Ok(WireItem::TaperRule(self.name("a rule")?)),
            _ => Err(WireError { at: token.at, wanted }),
        }
    }

    /// The next step; `None` at the end of the paths, which is not taken.
    pub(super) fn step(&mut self) -> Step<Option<WireItem<'a>>> {
        match self.state {
            State::Layer => {
                let layer = self.name("a layer")?;
                let width = if self.special { Some(self.int("a width")?) } else { None };
                self.state = State::FirstPoint;
                self.last = None;
                Ok(Some(WireItem::Path { layer, width }))
            }
            State::FirstPoint => self.before_points().map(Some),
            State::Points => {
                let Some(token) = self.lexer.peek() else { return Ok(None) };
                if token.is_semicolon() || token.is("+") {
                    return Ok(None);
                }
                self.lexer.next();
                let mut buffer = [0; LONGEST_KEYWORD];
                match keyword(token.text, &mut buffer) {
                    "(" => self.point_and_extension().map(Some),
                    "NEW" => {
                        self.state = State::Layer;
                        self.step()
                    }
                    "MASK" => Ok(Some(WireItem::Mask(self.count("a mask number")?))),
                    "VIRTUAL" => {
                        self.expect("(")?;
                        let point = self.point()?;
                        self.expect(")")?;
                        Ok(Some(WireItem::Virtual(point)))
                    }
                    "RECT" => {
                        self.expect("(")?;
                        let wanted = "an offset";
                        let rect = [
                            self.int(wanted)?,
                            self.int(wanted)?,
                            self.int(wanted)?,
                            self.int(wanted)?,
                        ];
                        self.expect(")")?;
                        Ok(Some(WireItem::Rect(rect)))
                    }
                    _ => self.via(token).map(Some),
                }
            }
        }
    }
}

/// A whole number that fits; files give `100.0` too.
fn int_of(token: Token<'_>) -> Option<i32> {
    if token.quoted() {
        return None;
    }
    parse_i32(token.text).or_else(|| {
        let value = parse_f64(token.text)?;
        let fits = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value);
        (fits && value.fract() == 0.0).then_some(value as i32)
    })
}

impl<'a> Wiring<'a> {
    /// The steps of the paths in order. Text that a caller made and that is no wiring ends early.
    pub fn items(&self) -> impl Iterator<Item = WireItem<'a>> + use<'a> {
        let mut walker = Walker::new(self.text, 0, self.special);
        std::iter::from_fn(move || walker.step().ok().flatten())
    }
}
