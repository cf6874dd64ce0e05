//! What all text formats share: opening files, source positions, errors, problems, lexing, numbers.
//!
//! A byte offset into a [`Source`] is the one kind of position that readers carry. Line and column
//! are computed only when an error or a problem is told.

mod cursor;
mod error;
mod lexer;
mod number;
mod problems;
mod source;

pub(crate) use cursor::Cursor;
pub use error::FormatError;
pub use lexer::{LONGEST_KEYWORD, Lexer, Token, keyword, same_word};
pub use number::{parse_f64, parse_i32, parse_i64, parse_u32};
pub use problems::{Problem, Problems, Severity};
pub use source::{MAX_BYTES, Offset, Position, Source, open, open_with_limit};

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) mod testing;
