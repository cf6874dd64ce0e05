//! From what files say to what a design is: parsed LEF, Liberty, Verilog and DEF become one
//! [`cellwright_db::Snapshot`].
//!
//! - [`tech`] makes the technology and the geometry of masters from LEF;
//! - [`masters`] joins LEF macros and Liberty cells of one name into masters, and [`timing`] gives
//!   each its timing by corner;
//! - [`netlist`] takes cells and nets from a flat Verilog netlist or from DEF;
//! - [`floorplan`] takes rows, regions, blockages, ports and places from DEF.
//!
//! Everything that does not fit together is told in [`crate::text::Problems`] with file and line.

pub mod floorplan;
pub mod masters;
pub mod netlist;
pub mod shapes;
pub mod tech;
pub mod timing;
