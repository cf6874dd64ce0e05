//! Glob patterns: Tcl's, and those of SDC in which brackets are part of a name.

/// How a pattern reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// `[a-z]` is a set of characters (Tcl); otherwise brackets are literal (SDC).
    pub(crate) sets: bool,
    /// `*` and `?` do not match this byte.
    pub(crate) divider: Option<u8>,
    /// Case does not count.
    pub(crate) nocase: bool,
}

impl Rules {
    /// `string match`.
    pub(crate) const TCL: Rules = Rules { sets: true, divider: None, nocase: false };
    /// Names without hierarchy.
    pub(crate) const NAME: Rules = Rules { sets: false, divider: None, nocase: false };
}

/// Whether a pattern has something else than itself to match.
pub(crate) fn is_glob(pattern: &str) -> bool {
    let mut bytes = pattern.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'*' | b'?' => return true,
            _ => {}
        }
    }
    false
}

/// Whether `text` matches `pattern`, in time proportional to the product of their lengths.
pub(crate) fn matches(pattern: &str, text: &str, rules: Rules) -> bool {
    let (p, t) = (pattern.as_bytes(), text.as_bytes());
    let (mut pi, mut ti) = (0, 0);
    // Where to go back to: the pattern after the last star, and the text that it starts from.
    let mut star: Option<(usize, usize)> = None;
    loop {
        if p.get(pi) == Some(&b'*') {
            star = Some((pi + 1, ti));
            pi += 1;
            continue;
        }
        if ti == t.len() {
            if pi == p.len() {
                return true;
            }
        } else if let Some(next) = one(p, pi, t[ti], rules) {
            pi = next;
            ti += 1;
            continue;
        }
        // The star takes one byte more, unless that is a divider.
        match star {
            Some((after, from)) if from < t.len() && rules.divider != Some(t[from]) => {
                star = Some((after, from + 1));
                pi = after;
                ti = from + 1;
            }
            _ => return false,
        }
    }
}

/// Matches one byte against the pattern element at `at`; the index behind the element if it does.
fn one(pattern: &[u8], at: usize, byte: u8, rules: Rules) -> Option<usize> {
    let fold = |b: u8| if rules.nocase { b.to_ascii_lowercase() } else { b };
    match *pattern.get(at)? {
        b'?' => (rules.divider != Some(byte)).then_some(at + 1),
        b'[' if rules.sets => {
            let mut i = at + 1;
            let mut hit = false;
            while let Some(&low) = pattern.get(i).filter(|b| **b != b']') {
                let (high, next) = match (pattern.get(i + 1), pattern.get(i + 2)) {
                    (Some(b'-'), Some(&high)) if high != b']' => (high, i + 3),
                    _ => (low, i + 1),
                };
                hit |= (fold(low)..=fold(high)).contains(&fold(byte));
                i = next;
            }
            hit.then_some(i + 1)
        }
        b'\\' if at + 1 < pattern.len() => (fold(pattern[at + 1]) == fold(byte)).then_some(at + 2),
        literal => (fold(literal) == fold(byte)).then_some(at + 1),
    }
}

/// A pattern without its backslashes, for looking a plain name up.
pub(crate) fn plain(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => out.extend(chars.next()),
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (pattern, text, tcl, name) in [
            ("*", "", true, true),
            ("a*c", "abc", true, true),
            ("a*c", "abd", false, false),
            ("a[0-9]", "a7", true, false),
            ("a[7]", "a[7]", false, true),
            ("a[*]", "a[12]", false, true),
            ("a\\[7\\]", "a[7]", true, true),
            ("?b?", "abc", true, true),
            ("*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaa", false, false),
            ("", "a", false, false),
        ] {
            assert_eq!(matches(pattern, text, Rules::TCL), tcl, "{pattern} {text}");
            assert_eq!(matches(pattern, text, Rules::NAME), name, "{pattern} {text}");
        }
        let path = Rules { sets: false, divider: Some(b'/'), nocase: false };
        assert!(matches("a/*/q", "a/b/q", path));
        assert!(!matches("a/*", "a/b/q", path));
        assert!(matches("A*", "abc", Rules { nocase: true, ..Rules::NAME }));
    }
}
