//! Values of the evaluator: texts, lists and objects. Everything has a text, as in Tcl.

use std::borrow::Cow;
use std::rc::Rc;

use crate::sdc::object::Object;

/// A place in a script: file number and line. Line 0 is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) file: u32,
    pub(crate) line: u32,
}

/// How large a list is, all that is in it included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// About the bytes of its text.
    pub(crate) size: u64,
    /// Lists in lists.
    pub(crate) depth: u32,
}

/// Lists that nest deeper are kept as texts, so that walking one never recurses far.
const DEEPEST: u32 = 16;

/// A value. Copies share their contents.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A text with the place of its first character, where it came from a braced word.
    Text(Rc<str>, Origin),
    /// A list with the size of its text and its depth of nesting.
    List(Rc<Vec<Value>>, Extent),
    /// An object.
    Object(Object),
}

impl Default for Value {
    fn default() -> Self {
        Value::text("")
    }
}

impl Value {
    pub(crate) fn text(text: &str) -> Self {
        Value::Text(text.into(), Origin::default())
    }
    pub(crate) fn string(text: String) -> Self {
        Value::Text(text.into(), Origin::default())
    }
    pub(crate) fn int(value: i64) -> Self {
        Value::string(value.to_string())
    }
    pub(crate) fn bool(value: bool) -> Self {
        Value::text(if value { "1" } else { "0" })
    }
    /// A list; of a single object the object itself, so that a query for one is that one.
    pub(crate) fn list(mut items: Vec<Value>) -> Self {
        if items.len() == 1 && matches!(items[0], Value::Object(_)) {
            return items.remove(0);
        }
        let extent = items.iter().fold(Extent::default(), |sum, item| sum.with(item));
        Self::list_of(Rc::new(items), extent)
    }
    /// A list that stays one even of a single object (`args` of a procedure).
    pub(crate) fn list_of_args(items: &[Value]) -> Self {
        let extent = items.iter().fold(Extent::default(), |sum, item| sum.with(item));
        Self::list_of(Rc::new(items.to_vec()), extent)
    }
    /// A list whose extent is known.
    pub(crate) fn list_of(items: Rc<Vec<Value>>, extent: Extent) -> Self {
        let list = Value::List(items, extent);
        if extent.depth >= DEEPEST { Value::string(list.as_str().into_owned()) } else { list }
    }
    /// An element of a list that was text: a handle becomes its object again.
    fn element(text: &str) -> Self {
        Object::from_handle(text).map_or_else(|| Value::text(text), Value::Object)
    }

    /// The text of the value.
    pub(crate) fn as_str(&self) -> Cow<'_, str> {
        match self {
            Value::Text(text, _) => Cow::Borrowed(text),
            Value::List(items, _) => Cow::Owned(join_list(items)),
            Value::Object(object) => Cow::Owned(object.handle()),
        }
    }

    /// Where a text came from.
    pub(crate) fn origin(&self) -> Origin {
        match self {
            Value::Text(_, origin) => *origin,
            _ => Origin::default(),
        }
    }

    /// The value as a list.
    ///
    /// # Errors
    /// A text that is no well-formed list, in Tcl's words.
    pub(crate) fn to_list(&self) -> Result<Rc<Vec<Value>>, String> {
        match self {
            Value::List(items, _) => Ok(items.clone()),
            Value::Object(_) => Ok(Rc::new(vec![self.clone()])),
            Value::Text(text, _) => split_list(text).map(Rc::new),
        }
    }

    /// About how many bytes the value's text has.
    pub(crate) fn weight(&self) -> u64 {
        match self {
            Value::Text(text, _) => text.len() as u64,
            Value::List(_, extent) => extent.size,
            Value::Object(_) => 12,
        }
    }
}

impl Extent {
    /// With one element more.
    pub(crate) fn with(self, item: &Value) -> Self {
        let depth = match item {
            Value::List(_, extent) => extent.depth + 1,
            _ => 0,
        };
        Extent { size: self.size.saturating_add(item.weight() + 3), depth: self.depth.max(depth) }
    }
}

/// Splits a text into list elements by Tcl's rules.
pub(crate) fn split_list(text: &str) -> Result<Vec<Value>, String> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        while blank(bytes, at) {
            at += 1;
        }
        let Some(&first) = bytes.get(at) else { return Ok(out) };
        let (element, end) = match first {
            b'{' => {
                let end = close_brace(bytes, at).ok_or("unmatched open brace in list")?;
                (Value::element(&text[at + 1..end]), end + 1)
            }
            b'"' => {
                let end = close_quote(bytes, at).ok_or("unmatched open quote in list")?;
                (Value::string(unescape(&text[at + 1..end])), end + 1)
            }
            _ => {
                let mut end = at;
                while end < bytes.len() && !blank(bytes, end) {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                let mut end = end.min(bytes.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                let word = &text[at..end];
                let element = if word.contains('\\') {
                    Value::string(unescape(word))
                } else {
                    Value::element(word)
                };
                (element, end)
            }
        };
        if end < bytes.len() && !blank(bytes, end) {
            return Err("list element in braces or quotes followed by more text".into());
        }
        out.push(element);
        at = end;
    }
}

/// Whether a blank stands at `at`; the two characters of a continued line count.
fn blank(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        Some(b'\\') => bytes.get(at + 1) == Some(&b'\n'),
        Some(byte) => byte.is_ascii_whitespace(),
        None => false,
    }
}

/// Index of the brace that closes the one at `open`; backslashes protect the next character.
pub(crate) fn close_brace(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = open;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn close_quote(bytes: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'"' => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Replaces backslash sequences.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let used = push_escape(&rest[at..], &mut out);
        rest = &rest[at + used..];
    }
    out.push_str(rest);
    out
}

/// Pushes what the backslash sequence at the start of `text` stands for; returns its length.
pub(crate) fn push_escape(text: &str, out: &mut String) -> usize {
    let mut chars = text.chars();
    chars.next();
    let Some(next) = chars.next() else {
        out.push('\\');
        return 1;
    };
    let code =
        |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    match next {
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        'a' => out.push('\u{7}'),
        'b' => out.push('\u{8}'),
        'f' => out.push('\u{c}'),
        'v' => out.push('\u{b}'),
        '\n' => {
            // A continued line is one blank, the next line's indentation included.
            let rest = &text[2..];
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            out.push(' ');
            return 2 + blanks;
        }
        'x' | 'u' => {
            let most = if next == 'x' { 2 } else { 4 };
            let digits: String =
                chars.as_str().chars().take(most).take_while(char::is_ascii_hexdigit).collect();
            match code(&digits, 16) {
                Some(char) => {
                    out.push(char);
                    return 2 + digits.len();
                }
                None => out.push(next),
            }
        }
        '0'..='7' => {
            let digits: String =
                text[1..].chars().take(3).take_while(|c| ('0'..='7').contains(c)).collect();
            out.extend(code(&digits, 8));
            return 1 + digits.len();
        }
        other => out.push(other),
    }
    1 + next.len_utf8()
}

/// The text of a list.
pub(crate) fn join_list(items: &[Value]) -> String {
    let mut out = String::new();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        push_element(&item.as_str(), &mut out);
    }
    out
}

/// Appends a list element, quoted as needed.
pub(crate) fn push_element(text: &str, out: &mut String) {
    let special = |c: char| {
        c.is_ascii_whitespace() || matches!(c, '{' | '}' | '[' | ']' | '$' | '"' | ';' | '\\')
    };
    if text.is_empty() {
        out.push_str("{}");
    } else if !text.contains(special) && !text.starts_with('#') {
        out.push_str(text);
    } else if braces_balance(text) {
        out.push('{');
        out.push_str(text);
        out.push('}');
    } else {
        for char in text.chars() {
            match char {
                '\n' => out.push_str("\\n"),
                c if special(c) => {
                    out.push('\\');
                    out.push(c);
                }
                c => out.push(c),
            }
        }
    }
}

fn braces_balance(text: &str) -> bool {
    let mut depth = 0_i64;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            // A backslash at the end would protect the closing brace.
            b'\\' => match bytes.next() {
                None | Some(b'\n') => return false,
                _ => {}
            },
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}
