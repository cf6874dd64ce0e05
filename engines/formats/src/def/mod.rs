//! DEF 5.3 to 5.8: floorplan, placement and nets, read into a borrowed tree and written back.
