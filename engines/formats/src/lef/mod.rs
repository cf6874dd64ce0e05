//! LEF 5.3 to 5.8: technology and cell masters, read into a borrowed tree.
