//! Words of the formats whose token is "a run of non-blanks": LEF, DEF and their kin.
//!
//! Rules, as the readers of both formats apply them: a `#` that starts a word starts a comment to
//! the end of the line; `"…"` is a string, over several lines if need be, in which `\` keeps the
//! next character from ending it; `;`, `(` and `)` are words of their own. The standards ask for
//! blanks around these three. Files without them exist, so a `;` that ends a word is split off, so
//! is a `(` that starts one, and a `)` that ends one which holds no `(` (`a(3)` stays a name).
//! A backslash keeps the character behind it in the word.

/// A word with the byte offset of its first character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The word; for a string, what stands between the quotes.
    pub text: &'a str,
    /// Byte offset of the word, or of the opening quote.
    pub at: usize,
    kind: Kind,
}

/// A bare word or a string.
///
/// As wide as a pointer, so that a [`Token`] has no padding: with a `bool` the copies of the three
/// padded parts stall on store forwarding, which costs a third of the reading time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
enum Kind {
    Word,
    Text,
}

impl Token<'_> {
    /// Whether it is a string.
    #[must_use]
    pub fn quoted(&self) -> bool {
        self.kind == Kind::Text
    }

    /// Whether this is the bare word `text`, exactly so written.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        !self.quoted() && self.text == text
    }

    /// Whether this is the bare word `keyword`, whatever its case. `keyword` is upper case.
    #[must_use]
    pub fn is_keyword(&self, keyword: &str) -> bool {
        !self.quoted() && (self.text == keyword || self.text.eq_ignore_ascii_case(keyword))
    }

    /// Whether this ends a statement.
    #[must_use]
    pub fn is_semicolon(&self) -> bool {
        !self.quoted() && self.text == ";"
    }
}

/// Whether two words are equal, whatever their case.
#[must_use]
pub fn same_word(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

/// The longest keyword that [`keyword`] folds to upper case.
pub const LONGEST_KEYWORD: usize = 40;

/// The word in upper case, for a `match` over keywords: borrowed as it is where it has no lower-case
/// letter, else folded into `buffer`. A word longer than any keyword is given back unchanged.
#[must_use]
pub fn keyword<'b>(word: &'b str, buffer: &'b mut [u8; LONGEST_KEYWORD]) -> &'b str {
    if !word.bytes().any(|b| b.is_ascii_lowercase()) {
        return word;
    }
    let Some(slot) = buffer.get_mut(..word.len()) else { return word };
    slot.copy_from_slice(word.as_bytes());
    slot.make_ascii_uppercase();
    // Folding ASCII letters leaves UTF-8 valid.
    std::str::from_utf8(slot).unwrap_or(word)
}

/// A reader of words over borrowed text.
#[derive(Debug, Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    pos: usize,
    end_of_last: usize,
    unterminated: Option<usize>,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self { text, pos: 0, end_of_last: 0, unterminated: None }
    }

    /// A lexer over `text[start..end]` whose tokens carry offsets into the whole `text`.
    #[must_use]
    pub fn over(text: &'a str, start: usize, end: usize) -> Self {
        let text = text.get(..end).unwrap_or(text);
        Self { text, pos: start.min(text.len()), end_of_last: start, unterminated: None }
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Offset of the first byte that is not yet read.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.pos
    }

    /// Offset just behind the last word that was read.
    #[must_use]
    pub fn end_of_last(&self) -> usize {
        self.end_of_last
    }

    /// Where a string begins that has no closing quote, if one was met.
    #[must_use]
    pub fn unterminated(&self) -> Option<usize> {
        self.unterminated
    }

    /// Sets the read position, for instance back to a word's offset.
    pub fn seek(&mut self, offset: usize) {
        self.pos = offset.min(self.text.len());
    }

    /// The next word without taking it.
    #[must_use]
    pub fn peek(&self) -> Option<Token<'a>> {
        self.clone().next()
    }

    #[inline]
    fn slice(&self, start: usize, end: usize) -> &'a str {
        // All cuts lie next to ASCII bytes, so they are character boundaries.
        self.text.get(start..end).unwrap_or("")
    }

    #[inline]
    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&b) = bytes.get(self.pos) {
            if b <= b' ' {
                self.pos += 1;
            } else if b == b'#' {
                let rest = bytes.get(self.pos..).unwrap_or(&[]);
                self.pos += rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len());
            } else {
                break;
            }
        }
    }

    fn string(&mut self, start: usize) -> Token<'a> {
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        loop {
            match bytes.get(end) {
                Some(b'"') => {
                    self.pos = end + 1;
                    break;
                }
                // The backslash may stand before a multi-byte character; its tail is then read one
                // byte at a time, which never meets an ASCII quote.
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
                None => {
                    end = bytes.len();
                    self.pos = end;
                    self.unterminated.get_or_insert(start);
                    break;
                }
            }
        }
        self.end_of_last = self.pos;
        Token { text: self.slice(start + 1, end), at: start, kind: Kind::Text }
    }

    #[inline]
    fn word(&mut self, start: usize, first: u8) -> Token<'a> {
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        if !matches!(first, b'(' | b')' | b';') {
            while bytes.get(end).is_some_and(|&b| b > b' ') {
                end += 1;
            }
            if end > start + 1 && matches!(bytes.get(end - 1), Some(b';' | b')')) {
                end = start + trim(bytes.get(start..end).unwrap_or(&[]));
            }
        }
        self.pos = end;
        self.end_of_last = end;
        Token { text: self.slice(start, end), at: start, kind: Kind::Word }
    }
}

/// Length of a word without the `;` and `)` that are glued to its end.
fn trim(word: &[u8]) -> usize {
    let mut len = word.len();
    let closes_nothing = !word.contains(&b'(');
    while len > 1 {
        let last = word[len - 1];
        if last != b';' && !(last == b')' && closes_nothing) {
            break;
        }
        // An escaped character belongs to the name; an escaped backslash escapes nothing.
        let backslashes = word[..len - 1].iter().rev().take_while(|&&b| b == b'\\').count();
        if backslashes % 2 == 1 {
            break;
        }
        len -= 1;
    }
    len
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    #[inline]
    fn next(&mut self) -> Option<Token<'a>> {
        self.skip_blanks();
        match *self.text.as_bytes().get(self.pos)? {
            b'"' => Some(self.string(self.pos)),
            first => Some(self.word(self.pos, first)),
        }
    }
}
