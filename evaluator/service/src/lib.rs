//! What every door does alike, the command line and the Python package: load a design for the
//! engines, find the issuer's key, start a run, sum up repeated ones, verify a certificate.
//!
//! Nothing here prints or exits; what is worth telling goes to a callback of the caller.

pub mod failure;
pub mod keys;
pub mod repeat;
pub mod setup;
pub mod start;
pub mod verify;
