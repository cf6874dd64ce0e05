//! Holds the whole-program tests beside it; has no code of its own.
