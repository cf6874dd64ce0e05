//! SPEF: parasitics of nets (IEEE 1481-1999, chapter 9).
//!
//! [`parse`] streams a file to a [`Visitor`]: names and values borrow from the text, and only one
//! net is held at a time. [`SpefLinker`] is the visitor that matches names with a [`Design`] and
//! gives one [`RcNet`] per net, in pF and kΩ, with an [`AnnotationReport`]. [`write_spef`] writes
//! networks back.
//!
//! # What is taken
//! Header with units, divider, delimiter and bus delimiters; name map; ports; `*D_NET` with
//! `*CONN` (`*C`, `*L`, `*S`, `*D`, `*N`), `*CAP` to ground and to other nets, `*RES`; `*R_NET` as a
//! pi; values alone or as `min:typ:max`. `*INDUC` is read over, and told. Whatever a line of a net
//! has that is not this is an error with its line; unknown sections of the header are skipped and
//! told.
//!
//! # Names
//! Extractors differ in how they write names: escaped or not, with their own divider. A name is
//! tried as the standard reads it first, then more freely ([`SpefLinker`]); what is still unknown
//! is counted in the report.
//!
//! [`Design`]: cellwright_db::Design
//! [`RcNet`]: cellwright_sta::parasitics::RcNet

mod lexer;
mod link;
mod names;
mod parse;
mod stitch;
mod write;

pub use link::{AnnotationReport, SpefLinker, Triplet, read_spef};
pub use parse::{Cap, Conn, Header, NetSection, Res, Value, Visitor, parse};
pub use write::write_spef;

#[cfg(test)]
mod tests;
