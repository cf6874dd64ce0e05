//! Words of SPEF: runs of non-blanks, strings, comments of both kinds of C++.

/// A word with its byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    ahead: Option<Word<'a>>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lexer { text, at: 0, ahead: None }
    }

    #[inline]
    pub(super) fn peek(&mut self) -> Option<Word<'a>> {
        if self.ahead.is_none() {
            self.ahead = self.read();
        }
        self.ahead
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<Word<'a>> {
        match self.ahead.take() {
            Some(word) => Some(word),
            None => self.read(),
        }
    }

    fn read(&mut self) -> Option<Word<'a>> {
        let bytes = self.text.as_bytes();
        loop {
            let byte = *bytes.get(self.at)?;
            if byte <= b' ' {
                self.at += 1;
            } else if byte == b'/' && bytes.get(self.at + 1) == Some(&b'/') {
                let rest = &bytes[self.at..];
                self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            } else if byte == b'/' && bytes.get(self.at + 1) == Some(&b'*') {
                let rest = self.text.get(self.at + 2..).unwrap_or("");
                self.at = match rest.find("*/") {
                    Some(end) => self.at + 4 + end,
                    None => bytes.len(),
                };
            } else {
                break;
            }
        }
        let start = self.at;
        if bytes[start] == b'"' {
            let rest = &bytes[start + 1..];
            let end = rest.iter().position(|b| *b == b'"').unwrap_or(rest.len());
            self.at = (start + end + 2).min(bytes.len());
            return Some(Word { text: &self.text[start..self.at], at: start });
        }
        // A `//` in the middle of a word is part of it: names may hold the divider twice.
        let rest = &bytes[start..];
        self.at += rest.iter().position(|b| *b <= b' ').unwrap_or(rest.len());
        Some(Word { text: &self.text[start..self.at], at: start })
    }
}
