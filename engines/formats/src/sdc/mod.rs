//! SDC: clocks, delays and exceptions.
