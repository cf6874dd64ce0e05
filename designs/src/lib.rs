//! Designs of our own: a cell library and a netlist generator.
