//! Regular expressions, matched in linear time.

use regex::{Regex, RegexBuilder};

/// A regular expression; Tcl's syntax and that of the crate agree in what constraint files use.
///
/// # Errors
/// Why the text is no expression, in one line.
pub(crate) fn compile(pattern: &str, nocase: bool) -> Result<Regex, String> {
    RegexBuilder::new(pattern)
        .case_insensitive(nocase)
        .size_limit(1 << 20)
        .dfa_size_limit(1 << 20)
        .nest_limit(64)
        .build()
        .map_err(|error| {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default().trim().to_owned();
            format!("not a regular expression: {last}")
        })
}
