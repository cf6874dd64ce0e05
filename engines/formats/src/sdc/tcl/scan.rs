//! Finding where commands and words end without evaluating them.

use super::value::close_brace;

/// What a scan stumbled over, with its byte offset.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unclosed {
    pub(crate) at: usize,
    pub(crate) what: &'static str,
}

/// Skips blanks, line ends, `;` and comments before a command.
pub(crate) fn skip_to_command(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => at += 2,
            b'#' => {
                // A backslash carries the comment over the line end.
                while let Some(&byte) = bytes.get(at) {
                    if byte == b'\n' {
                        break;
                    }
                    at += if byte == b'\\' { 2 } else { 1 };
                }
            }
            b';' => at += 1,
            byte if byte <= b' ' => at += 1,
            _ => break,
        }
    }
    at.min(bytes.len())
}

/// The end of the command that starts at `at`: index of its `\n`, `;`, of the `]` that closes it
/// when `nested`, or of the end of the text.
pub(crate) fn command_end(bytes: &[u8], mut at: usize, nested: bool) -> Result<usize, Unclosed> {
    // Open brackets and quotes, innermost last; a stack instead of recursion.
    #[derive(PartialEq)]
    enum Open {
        Bracket(usize),
        Quote(usize),
    }
    let mut open: Vec<Open> = Vec::new();
    let mut word_start = true;
    // After `[` a command may start with a comment.
    let mut command_start = false;
    while let Some(&byte) = bytes.get(at) {
        let in_quote = matches!(open.last(), Some(Open::Quote(_)));
        let start = word_start && !in_quote;
        word_start = false;
        let fresh = std::mem::take(&mut command_start);
        match byte {
            b'\\' => {
                word_start = start && bytes.get(at + 1) == Some(&b'\n');
                at += 2;
                continue;
            }
            b'"' if in_quote => {
                open.pop();
            }
            b'"' if start => open.push(Open::Quote(at)),
            b'{' if start => {
                let end = close_brace(bytes, at).ok_or(Unclosed { at, what: "brace" })?;
                at = end + 1;
                // `{*}` is followed by the word itself.
                word_start = &bytes[at - 3.min(at)..at] == b"{*}";
                continue;
            }
            b'$' if bytes.get(at + 1) == Some(&b'{') => {
                let end = bytes[at..].iter().position(|b| *b == b'}');
                at += end.ok_or(Unclosed { at, what: "brace" })? + 1;
                continue;
            }
            b'[' => {
                open.push(Open::Bracket(at));
                word_start = true;
                command_start = true;
            }
            b']' if !in_quote => match open.pop() {
                None if nested => return Ok(at),
                None | Some(_) => {}
            },
            b'\n' | b';' if open.is_empty() => return Ok(at),
            b'\n' | b';' if !in_quote => {
                word_start = true;
                command_start = true;
            }
            b'#' if fresh => {
                at = skip_to_command(bytes, at);
                word_start = true;
                command_start = true;
                continue;
            }
            byte if byte <= b' ' => {
                word_start = true;
                command_start = fresh;
            }
            _ => {}
        }
        at += 1;
    }
    match open.last() {
        Some(Open::Bracket(at)) => Err(Unclosed { at: *at, what: "bracket" }),
        Some(Open::Quote(at)) => Err(Unclosed { at: *at, what: "quote" }),
        None => Ok(bytes.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str) -> Result<&str, Unclosed> {
        command_end(text.as_bytes(), 0, false).map(|end| &text[..end])
    }

    #[test]
    fn commands_end_where_tcl_ends_them() {
        assert_eq!(end("a b; c"), Ok("a b"));
        assert_eq!(end("a {b;\n} c\nd"), Ok("a {b;\n} c"));
        assert_eq!(end("a \"b;\n[c {]}]\" c\nd"), Ok("a \"b;\n[c {]}]\" c"));
        assert_eq!(end("a [b ; c\n]\nd"), Ok("a [b ; c\n]"));
        assert_eq!(end("a \\\n b\nc"), Ok("a \\\n b"));
        assert_eq!(end("a b{ c\nd"), Ok("a b{ c"));
        assert_eq!(end("a {*}{b\nc}\nd"), Ok("a {*}{b\nc}"));
        assert_eq!(end("a {b"), Err(Unclosed { at: 2, what: "brace" }));
        assert_eq!(end("a [b"), Err(Unclosed { at: 2, what: "bracket" }));
        assert_eq!(end("a \"b"), Err(Unclosed { at: 2, what: "quote" }));
        assert_eq!(skip_to_command(b"# x\\\ny\n ;\n z", 0), 11);
    }
}
