//! What people and agents read: endpoints, paths, limits, and text.

mod endpoints;
mod finite;
mod limits;
mod path;
mod text;

pub use endpoints::Endpoint;
pub use limits::{LimitKind, Violation};
pub use path::{Step, TimingPath};
pub use text::Scale;
