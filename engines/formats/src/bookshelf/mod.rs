//! Bookshelf, the mixed-size placement format of the ISPD and ICCAD contests: `.nodes`, `.nets`,
//! `.pl`, `.scl`, named by an `.aux` file.
//!
//! Lengths are the format's own units, taken as micrometres; `.pl` has lower left corners, a macro
//! placement has centres, and the canvas starts at the origin: readers and writers convert.
//! [`read_bookshelf`] makes a macro case of the files, [`read_design`] a design for the placer.

mod case;
mod design;
mod lines;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use design::{BookshelfDesign, read_design};
pub use read::{Files, read_bookshelf, read_files};
pub use write::{Written, write_bookshelf};
