//! Reading statements of LEF and DEF: a lexer with one word of look-ahead and errors that know
//! where they are.

use crate::text::{
    FormatError, LONGEST_KEYWORD, Lexer, Problems, Severity, Source, Token, parse_f64, parse_i32,
    parse_u32,
};

/// A reader of statements over one source.
pub(crate) struct Cursor<'a, 'p> {
    source: &'a Source,
    lexer: Lexer<'a>,
    ahead: Option<Token<'a>>,
    // End of the last word that was taken, not of the one looked ahead at.
    end: usize,
    start: usize,
    pub(crate) problems: &'p mut Problems,
}

impl<'a, 'p> Cursor<'a, 'p> {
    pub(crate) fn new(source: &'a Source, problems: &'p mut Problems) -> Self {
        Self { source, lexer: Lexer::new(source.text()), ahead: None, end: 0, start: 0, problems }
    }

    /// Offset of the last word that was taken.
    pub(crate) fn at(&self) -> usize {
        self.start
    }

    /// Offset just behind the last word that was taken.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// The whole text.
    pub(crate) fn source_text(&self) -> &'a str {
        self.source.text()
    }

    pub(crate) fn text(&self, start: usize, end: usize) -> &'a str {
        self.source.text().get(start..end).unwrap_or("")
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        let token = match self.ahead.take() {
            Some(token) => token,
            None => self.lexer.next()?,
        };
        self.start = token.at;
        // A string token excludes its two quotes.
        self.end = token.at + token.text.len() + if token.quoted() { 2 } else { 0 };
        Some(token)
    }

    #[inline]
    pub(crate) fn peek(&mut self) -> Option<Token<'a>> {
        if self.ahead.is_none() {
            self.ahead = self.lexer.next();
        }
        self.ahead
    }

    /// Offset from which the next word is looked for.
    pub(crate) fn position(&self) -> usize {
        self.ahead.map_or(self.lexer.offset(), |t| t.at)
    }

    /// Goes to an offset at which a word begins or blanks stand; `end` is the end of the word before.
    pub(crate) fn seek(&mut self, offset: usize, end: usize) {
        self.lexer.seek(offset);
        self.ahead = None;
        self.end = end;
    }

    pub(crate) fn error(
        &self,
        at: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> FormatError {
        self.source.error(at, message, hint)
    }

    /// The next word; the end of the file is an error that says what was expected.
    #[inline]
    pub(crate) fn need(&mut self, what: &str) -> Result<Token<'a>, FormatError> {
        match self.next() {
            Some(token) if !token.quoted() => Ok(token),
            other => self.need_slow(other, what),
        }
    }

    #[cold]
    fn need_slow(
        &mut self,
        token: Option<Token<'a>>,
        what: &str,
    ) -> Result<Token<'a>, FormatError> {
        match token {
            Some(token) => match self.lexer.unterminated() {
                Some(at) if at == token.at => Err(self.error(
                    at,
                    "the string that starts here has no closing quote",
                    "add the closing \"",
                )),
                _ => Ok(token),
            },
            None => Err(self.error(
                self.source.text().len(),
                format!("the file ends where {what} should follow"),
                "the file may be cut short",
            )),
        }
    }

    #[cold]
    fn expected(&self, token: Token<'_>, what: &str) -> FormatError {
        let mut shown: String = token.text.chars().take(40).collect();
        if shown.len() < token.text.len() {
            shown.push('…');
        }
        self.error(token.at, format!("`{shown}` stands where {what} should"), "correct the file")
    }

    /// A word that is neither `;` nor a parenthesis. Strings are words too.
    #[inline]
    pub(crate) fn word(&mut self, what: &str) -> Result<&'a str, FormatError> {
        let token = self.need(what)?;
        if !token.quoted() && matches!(token.text, ";" | "(" | ")") {
            return Err(self.expected(token, what));
        }
        Ok(token.text)
    }

    /// A word that must be the keyword `word` (upper case), whatever its case.
    #[inline]
    pub(crate) fn expect(&mut self, word: &str) -> Result<(), FormatError> {
        let token = self.need(word)?;
        if token.is_keyword(word) { Ok(()) } else { Err(self.expected(token, word)) }
    }

    #[inline]
    pub(crate) fn semicolon(&mut self) -> Result<(), FormatError> {
        self.expect(";")
    }

    /// Takes the next word if it is the keyword `word`.
    #[inline]
    pub(crate) fn eat(&mut self, word: &str) -> bool {
        let hit = self.peek().is_some_and(|t| t.is_keyword(word));
        if hit {
            self.next();
        }
        hit
    }

    /// Whether the next word is a number.
    pub(crate) fn at_number(&mut self) -> bool {
        self.peek().is_some_and(|t| !t.quoted() && parse_f64(t.text).is_some())
    }

    pub(crate) fn f64(&mut self, what: &str) -> Result<f64, FormatError> {
        let token = self.need(what)?;
        parse_f64(token.text).filter(|_| !token.quoted()).ok_or_else(|| self.expected(token, what))
    }

    pub(crate) fn u32(&mut self, what: &str) -> Result<u32, FormatError> {
        let token = self.need(what)?;
        if let Some(v) = parse_u32(token.text) {
            return Ok(v);
        }
        match parse_f64(token.text) {
            // Some writers give counts as "2.0".
            Some(v) if v.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&v) => Ok(v as u32),
            _ => Err(self.expected(token, what)),
        }
    }

    /// An integer in database units. A fraction is rounded and told; what does not fit 32 bits is an
    /// error.
    #[inline]
    pub(crate) fn dbu(&mut self, what: &str) -> Result<i32, FormatError> {
        let token = self.need(what)?;
        self.dbu_of(token, what)
    }

    #[inline]
    pub(crate) fn dbu_of(&mut self, token: Token<'a>, what: &str) -> Result<i32, FormatError> {
        match parse_i32(token.text) {
            Some(v) if !token.quoted() => Ok(v),
            _ => self.dbu_slow(token, what),
        }
    }

    #[cold]
    fn dbu_slow(&mut self, token: Token<'a>, what: &str) -> Result<i32, FormatError> {
        let value = parse_f64(token.text)
            .filter(|_| !token.quoted())
            .ok_or_else(|| self.expected(token, what))?;
        let rounded = value.round();
        if !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&rounded) {
            return Err(self.error(
                token.at,
                format!("`{}` does not fit 32 bits of database units", token.text),
                "check the units of the file",
            ));
        }
        if rounded != value {
            self.note(Severity::Warning, "off-dbu-grid", token.at, || {
                format!("{} is not a whole number of database units, {rounded} taken", token.text)
            });
        }
        Ok(rounded as i32)
    }

    pub(crate) fn note(
        &mut self,
        severity: Severity,
        code: &'static str,
        at: usize,
        message: impl FnOnce() -> String,
    ) {
        self.problems.report(severity, code, self.source, at, message);
    }

    /// Skips to behind the next `;` and gives the text before it, from `start` on. The end of the
    /// file is an error.
    pub(crate) fn rest(&mut self, start: usize) -> Result<&'a str, FormatError> {
        let mut end = self.end;
        loop {
            let token = self.need("`;`")?;
            if token.is_semicolon() {
                return Ok(self.text(start, end));
            }
            end = self.end;
        }
    }

    /// Free text up to the next `;` that a blank follows, which is taken. Quotes mean nothing here.
    pub(crate) fn free_text(&mut self) -> Result<&'a str, FormatError> {
        let bytes = self.source_text().as_bytes();
        let start = self.end;
        let ends =
            |i: &usize| bytes.get(*i) == Some(&b';') && bytes.get(i + 1).is_none_or(|b| *b <= b' ');
        match (start..bytes.len()).find(ends) {
            Some(end) => {
                self.seek(end + 1, end + 1);
                Ok(self.text(start, end).trim())
            }
            None => Err(self.error(start, "the text has no `;` at its end", "add it")),
        }
    }

    /// Numbers up to the next `;`, which is taken.
    pub(crate) fn numbers(&mut self, what: &str) -> Result<Vec<f64>, FormatError> {
        let mut out = Vec::new();
        while !self.eat(";") {
            out.push(self.f64(what)?);
        }
        Ok(out)
    }

    /// The next word folded to upper case in `buffer`, for a `match` over keywords, with the token.
    pub(crate) fn keyword<'b>(
        &mut self,
        what: &str,
        buffer: &'b mut [u8; LONGEST_KEYWORD],
    ) -> Result<(&'b str, Token<'a>), FormatError>
    where
        'a: 'b,
    {
        let token = self.need(what)?;
        if token.quoted() {
            return Err(self.expected(token, what));
        }
        Ok((crate::text::keyword(token.text, buffer), token))
    }
}
