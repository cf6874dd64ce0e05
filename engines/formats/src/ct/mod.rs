//! Circuit Training: the netlist in protobuf text (`netlist.pb.txt`) and the placement (`.plc`).
//!
//! Format: `docs/NETLIST_FORMAT.md` of google-research/circuit_training. What the format leaves open
//! is read as the open evaluator of TILOS MacroPlacement reads it. Lengths are micrometres.

mod design;
mod lefdef;
mod lexer;
mod netlist;
mod nodes;
mod placement;
#[cfg(test)]
mod tests;
mod write;

pub use design::{of_design, place_design};
pub use lefdef::{DBU, LefDef, lefdef_name, write_lefdef};
pub use netlist::read_netlist;
pub use placement::read_placement;
pub use write::{write_netlist, write_placement};
