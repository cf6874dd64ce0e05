//! Benches and ratios against peers.
