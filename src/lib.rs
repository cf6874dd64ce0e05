//! What the command line and the Python package do alike: load a design for the engines, find the
//! issuer's key, start a run, verify a certificate.

pub mod conformance;
pub mod desk;
pub mod failure;
pub mod keys;
pub mod setup;
pub mod start;
pub mod verify;
