//! What people and agents read: endpoints, paths, limits, and text.

mod endpoints;
mod finite;
mod gating;
mod limits;
mod path;
mod pulse;
mod text;
mod through;

pub use endpoints::Endpoint;
pub use limits::{LimitKind, Violation};
pub use path::{Step, TimingPath};
pub use pulse::{PulseCheck, PulseKind};
pub use text::Scale;
