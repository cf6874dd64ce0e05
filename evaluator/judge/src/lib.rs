//! Judges proposals: gates, Pareto rank, regret, certificates, journal.
