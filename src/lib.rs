//! The platform behind doors that serve: [`desk`], over what every door does alike.

pub mod conformance;
pub mod desk;

pub use cellwright_service::{failure, keys, setup, start, verify};
