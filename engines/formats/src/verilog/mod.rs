//! Gate-level Verilog: reading, flattening, writing.
//!
//! [`Design::read`] parses the structural subset of IEEE 1364-2005: modules, nets, instances,
//! `assign` between nets, constants. It borrows all names from the [`Source`](crate::text::Source).
//! [`elaborate`] flattens a design under a top module into a [`FlatNetlist`]: plain arrays of
//! names and numbers. [`write_verilog`] writes such a netlist, or anything that has the same view.
//!
//! Behaviour (`always`, `initial`, operators) and primitive gates are refused with the line and a
//! hint; `specify` blocks are passed over, since they describe delays and no structure.
//!
//! Names: a hierarchical name joins its parts by `/`, bit 3 of bus `a` is `a[3]`, and an escaped
//! identifier stands without its backslash, so `\a.b[3] ` is `a.b[3]`.

mod ast;
mod compile;
mod elaborate;
mod flat;
mod lexer;
mod link;
mod masters;
mod names;
mod number;
mod parse;
mod parse_expr;
mod writer;

pub use ast::{Conn, Design, Expr, Instance, Module, NameId, Port, Signal, Tie};
pub use elaborate::elaborate;
pub use flat::{Connection, FlatNetlist, FlatPort, Master, MasterPort, NameList, NetRef, PortBus};
pub use masters::{LeafMasters, LeafPort, LibraryMasters, NoMasters, PortDirection};
pub use writer::{FlatNetlistView, PortView, VectorPort, write_verilog};

#[cfg(test)]
mod tests;
