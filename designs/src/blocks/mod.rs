//! Building blocks: functions that add cells to a [`Netlist`](crate::netlist::Netlist).
//!
//! Words are slices of nets, bit 0 first. Arithmetic blocks are pure logic, so that they can be tested
//! alone; [`crate::generate`] puts registers around them.

pub mod adder;
pub mod cloud;
pub mod mesh;
pub mod multiplier;
pub mod regfile;
