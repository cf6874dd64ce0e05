//! Liberty: timing and power of library cells.
