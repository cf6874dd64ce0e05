//! Rules that LEF 5.8 carries in string properties and that placement needs.
//!
//! Source: LEF/DEF 5.8 Language Reference, "LEF 5.8 properties": `LEF58_EDGETYPE` of a macro and
//! `LEF58_CELLEDGESPACINGTABLE` of the library.

use crate::lef::{LefFile, Macro, PropertyValue};
use crate::text::{Lexer, keyword, parse_f64};

/// `EDGETYPE edge name` of a macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeType<'a> {
    /// `LEFT`, `RIGHT`, `TOP` or `BOTTOM`, as written.
    pub edge: &'a str,
    /// The type's name.
    pub name: &'a str,
}

/// One `EDGETYPE a b … spacing` of the spacing table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellEdgeSpacing<'a> {
    /// One edge type; `DEFAULT` for edges without type.
    pub first: &'a str,
    /// The other edge type.
    pub second: &'a str,
    /// `EXCEPTABUTTED`: touching cells are free.
    pub except_abutted: bool,
    /// `OPTIONAL`: wanted but not required.
    pub optional: bool,
    /// Spacing in µm.
    pub spacing: f64,
}

/// The edge types of a macro from its `LEF58_EDGETYPE` properties. `None` if one is malformed.
#[must_use]
pub fn edge_types<'a>(cell: &Macro<'a>) -> Option<Vec<EdgeType<'a>>> {
    let mut out = Vec::new();
    for property in &cell.properties {
        let PropertyValue::Text(text) = property.value else { continue };
        if property.name != "LEF58_EDGETYPE" {
            continue;
        }
        let mut words = Lexer::new(text).map(|t| t.text).filter(|w| *w != ";").peekable();
        while let Some(word) = words.next() {
            if !word.eq_ignore_ascii_case("EDGETYPE") {
                return None;
            }
            let (edge, name) = (words.next()?, words.next()?);
            let known = ["LEFT", "RIGHT", "TOP", "BOTTOM"];
            if !known.iter().any(|k| k.eq_ignore_ascii_case(edge)) {
                return None;
            }
            out.push(EdgeType { edge, name });
            // CELLROW n and HALFROW n narrow the edge of a tall cell; they are not used here.
            while words.peek().is_some_and(|w| !w.eq_ignore_ascii_case("EDGETYPE")) {
                words.next();
            }
        }
    }
    Some(out)
}

/// The library's `LEF58_CELLEDGESPACINGTABLE`. `None` if it is malformed; empty if there is none.
#[must_use]
pub fn cell_edge_spacings<'a>(file: &LefFile<'a>) -> Option<Vec<CellEdgeSpacing<'a>>> {
    let mut out = Vec::new();
    for definition in &file.property_definitions {
        let Some(PropertyValue::Text(text)) = definition.value else { continue };
        if definition.name != "LEF58_CELLEDGESPACINGTABLE" {
            continue;
        }
        let mut words = Lexer::new(text).map(|t| t.text).filter(|w| *w != ";").peekable();
        if !words.next()?.eq_ignore_ascii_case("CELLEDGESPACINGTABLE") {
            return None;
        }
        while words.peek().is_some_and(|w| w.eq_ignore_ascii_case("NODEFAULT")) {
            words.next();
        }
        while let Some(word) = words.next() {
            if !word.eq_ignore_ascii_case("EDGETYPE") {
                return None;
            }
            let (first, second) = (words.next()?, words.next()?);
            let (mut except_abutted, mut optional) = (false, false);
            let spacing = loop {
                let word = words.next()?;
                let mut buffer = [0; crate::text::LONGEST_KEYWORD];
                match keyword(word, &mut buffer) {
                    "EXCEPTABUTTED" => except_abutted = true,
                    "OPTIONAL" => optional = true,
                    "SOFT" | "EXACT" | "EXCEPTNONFILLERINBETWEEN" => {}
                    _ => break parse_f64(word)?,
                }
            };
            out.push(CellEdgeSpacing { first, second, except_abutted, optional, spacing });
        }
    }
    Some(out)
}
