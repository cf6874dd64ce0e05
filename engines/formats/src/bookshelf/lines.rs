//! Lines of words.

use crate::text::{FormatError, Source, parse_f64};

/// One line that is not empty: its words, colons apart, and where it starts.
pub(super) struct Line<'a> {
    pub(super) at: usize,
    pub(super) words: Vec<&'a str>,
}

/// The lines of a file without comments and without the title line `UCLA …`.
pub(super) fn lines(source: &Source) -> impl Iterator<Item = Line<'_>> {
    let mut at = 0;
    source.text().split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let text = line.split('#').next().unwrap_or("");
        let words: Vec<&str> = text
            .split_ascii_whitespace()
            .flat_map(|word| {
                let (head, tail) = match word.split_once(':') {
                    Some((head, tail)) => (head, Some(tail)),
                    None => (word, None),
                };
                [Some(head), tail.map(|_| ":"), tail]
            })
            .flatten()
            .filter(|word| !word.is_empty())
            .collect();
        let title = words.first().is_some_and(|word| *word == "UCLA");
        (!words.is_empty() && !title).then_some(Line { at: start, words })
    })
}

impl Line<'_> {
    pub(super) fn number(&self, source: &Source, n: usize, what: &str) -> Result<f64, FormatError> {
        let word = self.words.get(n).copied().unwrap_or("");
        parse_f64(word).filter(|v| v.abs() <= 1e9).ok_or_else(|| {
            source.error(self.at, format!("`{word}` is no {what}"), "give a number up to 1e9")
        })
    }

    /// The number behind a key and its colon, where the line has it.
    pub(super) fn value(&self, source: &Source, key: &str) -> Result<Option<f64>, FormatError> {
        match self.words.iter().position(|word| word.eq_ignore_ascii_case(key)) {
            Some(n) if self.words.get(n + 1) == Some(&":") => {
                self.number(source, n + 2, key).map(Some)
            }
            _ => Ok(None),
        }
    }
}
