//! The grammar of a netlist: nodes with names, inputs and attributes, as written.

use cellwright_macros::netlist::Value;

use super::lexer::{Lexer, Word};
use crate::text::{FormatError, Source};

/// One `node { … }` as written.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) at: usize,
    pub(super) name: String,
    pub(super) inputs: Vec<(String, usize)>,
    pub(super) attributes: Vec<(String, Value, usize)>,
}

impl Node {
    pub(super) fn attribute(&self, key: &str) -> Option<&(String, Value, usize)> {
        self.attributes.iter().find(|(k, _, _)| k == key)
    }

    /// The value of an attribute as text, whatever its field.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.attribute(key).map(|(_, value, _)| match value {
            Value::Text(text) | Value::Bare(_, text) => text.as_str(),
        })
    }
}

/// Calls `each` for every node.
pub(super) fn read(
    source: &Source,
    mut each: impl FnMut(Node) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let mut lexer = Lexer::new(source);
    while let Some(word) = lexer.next()? {
        let at = lexer.at();
        if word != Word::Bare("node") {
            return Err(source.error(
                at,
                "`node` is missing here",
                "a netlist is a sequence of `node { … }`",
            ));
        }
        lexer.expect(&Word::Open, "`{`")?;
        each(node(&mut lexer, at)?)?;
    }
    Ok(())
}

fn node(lexer: &mut Lexer<'_>, at: usize) -> Result<Node, FormatError> {
    let mut out = Node { at, ..Node::default() };
    loop {
        match lexer.next()? {
            Some(Word::Close) => return Ok(out),
            Some(Word::Bare("name")) => out.name = text(lexer, "the node's name")?,
            Some(Word::Bare("input")) => {
                let name = text(lexer, "the name of a node")?;
                out.inputs.push((name, lexer.at()));
            }
            Some(Word::Bare("attr")) => {
                let at = lexer.at();
                let (key, value) = attribute(lexer)?;
                out.attributes.push((key, value, at));
            }
            Some(Word::Bare(_)) => skip(lexer)?,
            Some(_) => return Err(lexer.unexpected("`name`, `input`, `attr` or `}` before this")),
            None => return Err(lexer.unexpected("the `}` of a node")),
        }
    }
}

fn attribute(lexer: &mut Lexer<'_>) -> Result<(String, Value), FormatError> {
    lexer.eat(&Word::Colon)?;
    lexer.expect(&Word::Open, "`{`")?;
    let (mut key, mut value) = (String::new(), Value::Text(String::new()));
    loop {
        match lexer.next()? {
            Some(Word::Close) => return Ok((key, value)),
            Some(Word::Bare("key")) => key = text(lexer, "the attribute's key")?,
            Some(Word::Bare("value")) => {
                lexer.eat(&Word::Colon)?;
                lexer.expect(&Word::Open, "`{`")?;
                while !lexer.eat(&Word::Close)? {
                    let Some(Word::Bare(field)) = lexer.next()? else {
                        return Err(lexer.unexpected("the field of a value before this"));
                    };
                    let Some(Word::Colon) = lexer.peek()? else {
                        skip(lexer)?;
                        continue;
                    };
                    lexer.next()?;
                    value = match lexer.next()? {
                        Some(Word::Text(text)) => Value::Text(text.into_owned()),
                        Some(Word::Bare(word)) => Value::Bare(field.to_owned(), word.to_owned()),
                        _ => return Err(lexer.unexpected("a value before this")),
                    };
                }
            }
            Some(Word::Bare(_)) => skip(lexer)?,
            _ => return Err(lexer.unexpected("`key`, `value` or `}` before this")),
        }
    }
}

/// A string behind a colon.
fn text(lexer: &mut Lexer<'_>, what: &str) -> Result<String, FormatError> {
    lexer.expect(&Word::Colon, "`:`")?;
    match lexer.next()? {
        Some(Word::Text(text)) => Ok(text.into_owned()),
        _ => Err(lexer.unexpected(&format!("{what} in quotes before this"))),
    }
}

/// Skips the value of a field that is not known: one word, or a block with all that is in it.
fn skip(lexer: &mut Lexer<'_>) -> Result<(), FormatError> {
    lexer.eat(&Word::Colon)?;
    let mut depth = 0u32;
    loop {
        match lexer.next()? {
            Some(Word::Open) => depth = depth.saturating_add(1),
            Some(Word::Close) => depth = depth.saturating_sub(1),
            None => return Err(lexer.unexpected("the end of a field")),
            Some(_) => {}
        }
        if depth == 0 {
            return Ok(());
        }
    }
}
