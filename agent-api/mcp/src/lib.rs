//! A run spoken over the Model Context Protocol.
//!
//! [`Server`] serves at most fourteen tools over stdio or streamable HTTP, in the revisions 2026-07-28
//! (stateless, `server/discover`) and 2025-11-25 and before (the handshake). What a client proposes
//! goes to the judge's own loop through a [`Seat`], so it is gated, journaled and signed like every
//! agent's; what needs an engine beside the loop is a [`desk::Bench`]'s.
//!
//! A model is a hostile, forgetful user: arguments are mended where what was meant is beyond doubt,
//! and refused with what would do where not; replies are short, with handles and resource links to
//! what they leave out; every one is the envelope `loom-result/1.1`, failures included.

mod args;
mod calls;
pub mod desk;
mod http;
mod picture;
mod reply;
mod resources;
mod rooms;
mod seat;
mod server;
mod tasks;
mod ticket;
mod tools;

pub use http::{HttpSettings, Listening, listen};
pub use picture::png;
pub use seat::{Chair, Follow, Judged, Seat, Worked, seat};
pub use server::{Server, serve_stdio};
pub use ticket::Ticket;
