//! A small evaluator of Tcl: enough for constraint files, with bounds on everything.
//!
//! It knows variables and arrays, substitution, `expr`, lists, strings, control flow, `proc`,
//! `catch` and `source`; it knows no files besides `source`, no processes, no clock, no random
//! numbers. What it does not know it asks its [`Host`]. A script can only use up its budget of work
//! and depth ([`Limits`]); then it ends with an error.
//!
//! An error of a host's command ends the statement that it stands in, so that one run tells all of
//! them; an error of the language itself ends the outermost command. Source of the language's
//! rules: the Tcl manual (`Tcl(n)` and the commands' pages).

mod control;
mod eval;
mod expr;
pub(crate) mod glob;
mod lists;
mod meter;
mod number;
mod regex;
mod scan;
mod strings;
pub(crate) mod value;
mod vars;

pub(crate) use eval::{Host, Interp};
pub use meter::Limits;
pub(crate) use meter::{Fault, Flow, Meter, Res, shorten, soft_error};
pub(crate) use number::{Number, format_double, parse_number};
pub(crate) use regex::compile as compile_regex;
pub(crate) use value::{Origin, Value};

#[cfg(test)]
mod tests;
