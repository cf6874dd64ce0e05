//! Words of protobuf text.

use std::borrow::Cow;

use crate::text::{FormatError, Source};

/// One word.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Word<'a> {
    /// `{` or `<`.
    Open,
    /// `}` or `>`.
    Close,
    /// `:`.
    Colon,
    /// A string without its quotes, escapes resolved.
    Text(Cow<'a, str>),
    /// Anything else: a name or a number.
    Bare(&'a str),
}

/// A reader of words; `,` and `;` are blanks, `#` starts a comment.
pub(super) struct Lexer<'a> {
    source: &'a Source,
    bytes: &'a [u8],
    pos: usize,
    ahead: Option<(Word<'a>, usize)>,
    start: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Lexer { source, bytes: source.bytes(), pos: 0, ahead: None, start: 0 }
    }

    /// Offset of the last word that was taken.
    pub(super) fn at(&self) -> usize {
        self.start
    }

    pub(super) fn next(&mut self) -> Result<Option<Word<'a>>, FormatError> {
        if let Some((word, at)) = self.ahead.take() {
            self.start = at;
            return Ok(Some(word));
        }
        self.skip_blanks();
        self.start = self.pos;
        let Some(&byte) = self.bytes.get(self.pos) else { return Ok(None) };
        let one = |word, lexer: &mut Self| {
            lexer.pos += 1;
            Ok(Some(word))
        };
        match byte {
            b'{' | b'<' => one(Word::Open, self),
            b'}' | b'>' => one(Word::Close, self),
            b':' => one(Word::Colon, self),
            b'"' | b'\'' => self.string(byte).map(Some),
            _ => {
                let ends = |b: &u8| *b <= b' ' || b"{}<>:\"',;#".contains(b);
                let rest = &self.bytes[self.pos..];
                let len = rest.iter().position(ends).unwrap_or(rest.len());
                self.pos += len;
                // Words end at ASCII bytes only, so the slice is on character borders.
                Ok(Some(Word::Bare(self.source.text().get(self.start..self.pos).unwrap_or(""))))
            }
        }
    }

    pub(super) fn peek(&mut self) -> Result<Option<&Word<'a>>, FormatError> {
        if self.ahead.is_none() {
            let before = self.start;
            self.ahead = self.next()?.map(|word| (word, self.start));
            self.start = before;
        }
        Ok(self.ahead.as_ref().map(|(word, _)| word))
    }

    /// The next word if it is `word`.
    pub(super) fn eat(&mut self, word: &Word<'_>) -> Result<bool, FormatError> {
        let hit = self.peek()?.is_some_and(|next| next == word);
        if hit {
            self.next()?;
        }
        Ok(hit)
    }

    pub(super) fn expect(&mut self, word: &Word<'_>, what: &str) -> Result<(), FormatError> {
        if self.eat(word)? { Ok(()) } else { Err(self.unexpected(what)) }
    }

    /// An error at the next word.
    pub(super) fn unexpected(&mut self, what: &str) -> FormatError {
        let at = match self.peek() {
            Ok(Some(_)) => self.ahead.as_ref().map_or(self.pos, |(_, at)| *at),
            Ok(None) => self.bytes.len(),
            Err(error) => return error,
        };
        self.source.error(at, format!("{what} is missing here"), "compare with a file that works")
    }

    fn skip_blanks(&mut self) {
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b'#' => {
                    let rest = &self.bytes[self.pos..];
                    self.pos += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                }
                b',' | b';' => self.pos += 1,
                _ if byte <= b' ' => self.pos += 1,
                _ => return,
            }
        }
    }

    fn string(&mut self, quote: u8) -> Result<Word<'a>, FormatError> {
        let from = self.pos + 1;
        let mut end = from;
        let mut escaped = false;
        loop {
            match self.bytes.get(end) {
                None | Some(b'\n') => {
                    return Err(self.source.error(
                        self.start,
                        "the string has no closing quote",
                        "close it on the same line",
                    ));
                }
                Some(b'\\') => {
                    escaped = true;
                    // A backslash at the very end is caught by the next look.
                    end += 2;
                }
                Some(b) if *b == quote => break,
                Some(_) => end += 1,
            }
        }
        self.pos = end + 1;
        let text = self.source.text().get(from..end).unwrap_or("");
        if !escaped {
            return Ok(Word::Text(Cow::Borrowed(text)));
        }
        let mut out = String::with_capacity(text.len());
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match (c, if c == '\\' { chars.next() } else { None }) {
                ('\\', Some('n')) => out.push('\n'),
                ('\\', Some('t')) => out.push('\t'),
                ('\\', Some(other)) => out.push(other),
                (c, _) => out.push(c),
            }
        }
        Ok(Word::Text(Cow::Owned(out)))
    }
}
