//! Which candidates are better: Pareto fronts, hypervolume, regret.
//!
//! An [`Archive`] holds the candidates of one design and scenario that passed every gate. What it
//! answers depends only on what it holds, never on the order in which it came.
//!
//! **Resolution.** A value is rounded to the nearest multiple of its objective's resolution before
//! it is compared; equal after rounding is a tie. Comparing raw values with a tolerance instead
//! would not be an order: with resolution 1 and costs a = (0, 0.55, 1.1), b = (1.1, 0, 0.55),
//! c = (0.55, 1.1, 0), a would dominate b, b c, and c a, and no front would be left. (The grid is
//! the ε-box of Laumanns et al., *Combining convergence and diversity in evolutionary
//! multi-objective optimization*, 2002.)

mod archive;
mod crowding;
mod frame;
mod hypervolume;
mod objective;

pub use archive::Archive;
pub use frame::{RHO, Standing};
pub use hypervolume::{WORK_LIMIT, exclusive, hypervolume};
pub use objective::{ArchiveError, Candidate, Objective};

/// How one cost vector relates to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// No worse anywhere, better somewhere.
    Dominates,
    /// No better anywhere, worse somewhere.
    Dominated,
    /// Equal everywhere.
    Tie,
    /// Better somewhere, worse elsewhere.
    Incomparable,
}

/// Compares two cost vectors of one length, less being better.
#[must_use]
pub fn relation(a: &[f64], b: &[f64]) -> Relation {
    let better = a.iter().zip(b).any(|(x, y)| x < y);
    let worse = a.iter().zip(b).any(|(x, y)| x > y);
    match (better, worse) {
        (true, false) => Relation::Dominates,
        (false, true) => Relation::Dominated,
        (false, false) => Relation::Tie,
        (true, true) => Relation::Incomparable,
    }
}
