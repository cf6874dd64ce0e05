//! What every metric offers: a full evaluation, an exact update, an exact undo.

use cellwright_db::{Design, DirtySet, Stamp};
use thiserror::Error;

/// A metric: a state that belongs to one state of a [`Design`] and follows it by dirty sets.
///
/// After an [`Metric::update`] the state equals [`Metric::full`] of the child bit for bit (`==`
/// compares all that a figure is derived from). [`Metric::undo`] brings the state before the last
/// update back. Updates nest: each undo takes the last one back; [`Metric::keep`] forgets them all.
pub trait Metric: Sized + PartialEq {
    /// What the metric may be told.
    type Config;

    /// Evaluates `design` from scratch, on all threads of the current rayon pool. The result does
    /// not depend on how many they are.
    fn full(design: &Design, config: Self::Config) -> Self;

    /// Follows `design` to its present state, from the one that this state belongs to.
    ///
    /// # Errors
    /// [`Stale`] when `dirty` does not lead from this state to the design's; nothing has changed
    /// then.
    fn update(&mut self, design: &Design, dirty: &DirtySet) -> Result<(), Stale>;

    /// Takes the last update back. False when there is none.
    fn undo(&mut self) -> bool;

    /// Forgets how to undo. Costs nothing that grows with the design.
    fn keep(&mut self);

    /// The state of the design that this state belongs to.
    fn stamp(&self) -> Stamp;

    /// Deterministic work units since the full evaluation, its own included: pins touched by
    /// wirelength, bins touched by density and congestion, cells tested by legality. It only
    /// grows; an undo does not bring work back.
    fn work(&self) -> u64;
}

/// A dirty set that does not lead from the state held to the design at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "{metric}: the state held is of stamp {held:?}, but the dirty set leads from {from:?} to {to:?} and the design is at {design:?}; undo to a common state or evaluate in full"
)]
pub struct Stale {
    /// The metric.
    pub metric: &'static str,
    /// Stamp of the state held.
    pub held: Stamp,
    /// Where the dirty set starts.
    pub from: Stamp,
    /// Where the dirty set ends.
    pub to: Stamp,
    /// Where the design is.
    pub design: Stamp,
}

impl Stale {
    /// Refuses a dirty set that does not lead from `held` to the state of `design`.
    pub(crate) fn check(
        metric: &'static str,
        held: Stamp,
        design: &Design,
        dirty: &DirtySet,
    ) -> Result<(), Stale> {
        if dirty.from == held && dirty.to == design.stamp() {
            return Ok(());
        }
        Err(Stale { metric, held, from: dirty.from, to: dirty.to, design: design.stamp() })
    }
}
