//! What a design is: technology, library, netlist, placement, snapshots, deltas, dirty sets.
