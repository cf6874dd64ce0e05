//! One file per subcommand.

pub(crate) mod check;
pub(crate) mod conformance;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod key;
pub(crate) mod mcp;
pub(crate) mod place;
pub(crate) mod place_macros;
pub(crate) mod proxy;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod sta;
pub(crate) mod verify;
pub(crate) mod write_spef;
