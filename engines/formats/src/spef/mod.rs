//! SPEF: parasitics of nets.
