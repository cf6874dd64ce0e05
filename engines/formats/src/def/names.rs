//! Names with backslash escapes.

use std::borrow::Cow;

/// A name without its escapes: `a\[3\]` is the name `a[3]` in which the brackets are no bus bits.
///
/// Readers keep names as written, because an escaped and a plain bracket differ in meaning.
#[must_use]
pub fn unescape(name: &str) -> Cow<'_, str> {
    if !name.contains('\\') {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len());
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A name in which each of `special` and each backslash is escaped; the inverse of [`unescape`].
#[must_use]
pub fn escape<'a>(name: &'a str, special: &str) -> Cow<'a, str> {
    let needs = |c: char| c == '\\' || special.contains(c);
    if !name.contains(needs) {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if needs(c) {
            out.push('\\');
        }
        out.push(c);
    }
    Cow::Owned(out)
}
