//! Which required times wait to be worked out.
//!
//! Required times are only worked out when slacks of pins are asked for; endpoint slacks, WNS and
//! TNS need arrivals alone. Until then an update notes where requirements may have changed.

use crate::graph::Vertex;

/// The required times of the vertex itself.
pub(crate) const OWN: u8 = 1;
/// The required times of all its sources: an arc or a wire into it, or its paths, changed.
pub(crate) const SOURCES: u8 = 2;

/// Vertices whose required times may no longer hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stale {
    marks: Vec<u8>,
    list: Vec<(Vertex, u8)>,
    /// Nothing has been worked out yet.
    all: bool,
}

/// What a flush took.
pub(crate) type Taken = Vec<(Vertex, u8)>;

impl Stale {
    /// Everything is stale.
    pub(crate) fn all() -> Stale {
        Stale { all: true, ..Stale::default() }
    }
    /// Makes room for vertices up to `count`.
    pub(crate) fn grow(&mut self, count: usize) {
        if self.marks.len() < count {
            self.marks.resize(count, 0);
        }
    }
    /// Forgets vertices from `count` on.
    pub(crate) fn shrink(&mut self, count: usize) {
        self.list.retain(|(vertex, _)| (*vertex as usize) < count);
        self.marks.truncate(count);
    }
    /// Notes a vertex; `what` is [`OWN`] or [`SOURCES`].
    #[inline]
    pub(crate) fn push(&mut self, vertex: Vertex, what: u8) {
        let mark = &mut self.marks[vertex as usize];
        if *mark & what == 0 {
            *mark |= what;
            self.list.push((vertex, what));
        }
    }
    /// Whether every required time holds.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty() && !self.all
    }
    /// How much is noted, for [`Stale::truncate`].
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
    /// Forgets what was noted after the first `length`.
    pub(crate) fn truncate(&mut self, length: usize) {
        for (vertex, what) in self.list.drain(length.min(self.list.len())..) {
            self.marks[vertex as usize] &= !what;
        }
    }
    /// Takes everything that is noted, and whether that is everything there is.
    pub(crate) fn take(&mut self) -> (Taken, bool) {
        let list = std::mem::take(&mut self.list);
        for (vertex, _) in &list {
            self.marks[*vertex as usize] = 0;
        }
        (list, std::mem::take(&mut self.all))
    }
    /// Notes again what a flush took.
    pub(crate) fn give_back(&mut self, taken: &Taken) {
        for &(vertex, what) in taken {
            self.push(vertex, what);
        }
    }
}
