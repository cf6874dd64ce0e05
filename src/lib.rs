//! The platform behind doors that serve: [`desk`], over what every door does alike.

pub mod conformance;
pub mod desk;
pub mod environment;

pub use cellwright_service::{failure, keys, repeat, setup, start, verify};
