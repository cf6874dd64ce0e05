//! Vertices that wait for evaluation, taken level by level.

use crate::graph::Vertex;

/// A set of vertices in buckets by level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    buckets: Vec<Vec<Vertex>>,
    queued: Vec<bool>,
    count: usize,
    low: usize,
    high: usize,
}

impl Queue {
    /// Makes room for vertices up to `count`.
    pub(crate) fn grow(&mut self, count: usize) {
        if self.queued.len() < count {
            self.queued.resize(count, false);
        }
    }
    /// Adds a vertex once.
    #[inline]
    pub(crate) fn push(&mut self, vertex: Vertex, level: u32) {
        let queued = &mut self.queued[vertex as usize];
        if *queued {
            return;
        }
        *queued = true;
        let level = level as usize;
        if level >= self.buckets.len() {
            self.buckets.resize_with(level + 1, Vec::new);
        }
        if self.count == 0 {
            (self.low, self.high) = (level, level);
        } else {
            self.low = self.low.min(level);
            self.high = self.high.max(level);
        }
        self.buckets[level].push(vertex);
        self.count += 1;
    }
    /// All of the lowest level that has any, into `out`.
    pub(crate) fn take_low(&mut self, out: &mut Vec<Vertex>) -> bool {
        self.take(out, true)
    }
    /// All of the highest level that has any, into `out`.
    pub(crate) fn take_high(&mut self, out: &mut Vec<Vertex>) -> bool {
        self.take(out, false)
    }
    fn take(&mut self, out: &mut Vec<Vertex>, lowest: bool) -> bool {
        out.clear();
        if self.count == 0 {
            return false;
        }
        let level = if lowest {
            while self.buckets[self.low].is_empty() {
                self.low += 1;
            }
            self.low
        } else {
            while self.buckets[self.high].is_empty() {
                self.high -= 1;
            }
            self.high
        };
        std::mem::swap(out, &mut self.buckets[level]);
        self.count -= out.len();
        for vertex in out.iter() {
            self.queued[*vertex as usize] = false;
        }
        true
    }
}
