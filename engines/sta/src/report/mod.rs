//! What people and agents read: paths, limits, unconstrained endpoints, the wires that were used.

mod limits;
mod path;
mod text;

pub use limits::{LimitKind, Violation};
pub use path::{Step, TimingPath};
