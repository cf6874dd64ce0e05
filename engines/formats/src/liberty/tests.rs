//! Tests of the Liberty reader as a whole.
