//! How a design comes in and goes out: LEF, DEF, Liberty, Verilog, SDC, SPEF.
