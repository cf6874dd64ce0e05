//! A chain of deltas from a base snapshot.

use cellwright_db::snapshot::Root;
use cellwright_db::{Delta, DeltaError, Snapshot};
use thiserror::Error;

/// A chain of which one link does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("delta {number} of the chain does not apply: {source}")]
pub struct ChainError {
    /// Which delta, counted from 1.
    pub number: usize,
    /// Why.
    pub source: DeltaError,
}

/// Applies deltas one after the other. Gives the last snapshot and every root on the way, the
/// base's first: one more than there are deltas.
///
/// # Errors
/// The first delta that does not apply.
pub fn apply_chain(base: &Snapshot, deltas: &[Delta]) -> Result<(Snapshot, Vec<Root>), ChainError> {
    let mut at = base.clone();
    let mut roots = vec![base.root()];
    for (number, delta) in deltas.iter().enumerate() {
        at = at.apply(delta).map_err(|source| ChainError { number: number + 1, source })?;
        roots.push(at.root());
    }
    Ok((at, roots))
}
