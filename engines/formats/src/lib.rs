//! How a design comes in and goes out: LEF, DEF, Liberty, Verilog, SDC, SPEF,
//! Circuit Training, Bookshelf.
//!
//! Every reader takes a [`text::Source`] (plain, gzip or xz), gives plain data, and says what it
//! did not understand in [`text::Problems`]. A file that cannot be read at all is a
//! [`text::FormatError`] that names the file, the line and what to do. No reader panics or hangs on
//! any bytes.
//!
//! Units at this door: LEF lengths are micrometres, DEF lengths are integer database units (DBU),
//! Circuit Training lengths are micrometres.

pub mod bookshelf;
pub mod bundle;
pub mod ct;
pub mod def;
pub mod lef;
pub mod liberty;
pub mod link;
pub mod load;
pub mod save;
pub mod sdc;
pub mod spef;
pub mod text;
pub mod verilog;

/// What readers of SDC give.
pub use cellwright_sta::constraints;

/// What readers of SPEF give.
pub mod parasitics {
    pub use cellwright_sta::parasitics::{RcNet, RcNode};
}
