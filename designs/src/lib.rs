//! Designs of our own: the technology and cell library `cw45`, and a seeded generator of netlists.
//!
//! - [`tech`], [`cells`], [`logic`], [`model`] say what the library is; [`lef`] and [`liberty`] print it.
//! - [`netlist`] holds a design; [`blocks`] and [`compose`](generate) build one from a [`Spec`];
//!   [`check`] proves it well formed and [`sim`] runs it.
//! - [`verilog`], [`def`], [`sdc`], [`spef`] print a design; [`bundle`] puts the files on disk.
//!
//! ```
//! use cellwright_designs::{Spec, generate};
//!
//! let design = generate(&Spec::preset("tiny")?)?;
//! let cells = design.netlist.cell_count();
//! assert!((294..=306).contains(&cells));
//! # Ok::<(), cellwright_designs::Error>(())
//! ```
//!
//! Units: ns, pF, kΩ, µm; database units (2000 per µm) where a type says so.

pub mod blocks;
pub mod bundle;
pub mod cells;
pub mod check;
mod compose;
pub mod def;
mod design;
mod error;
pub mod finish;
pub mod floorplan;
pub mod goldens;
pub mod lef;
pub mod liberty;
pub mod logic;
pub mod model;
mod names;
pub mod netlist;
pub mod sdc;
pub mod sim;
pub mod sizing;
pub mod spec;
pub mod spef;
pub mod tech;
pub mod verilog;

/// The library as files; see [`bundle::write_library`].
pub mod library {
    pub use crate::bundle::write_library as write_all;
}

pub use bundle::{write_bundle, write_design};
pub use design::{GeneratedDesign, digest, generate};
pub use error::Error;
pub use names::Names;
pub use spec::{PRESETS, Spec};
