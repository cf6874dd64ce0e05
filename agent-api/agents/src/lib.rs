//! Baseline agents.
