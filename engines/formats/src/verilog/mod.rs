//! Gate-level Verilog netlists.
