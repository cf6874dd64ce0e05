//! Parallel helpers whose results do not depend on the number of threads.

use std::ops::Range;

use rayon::prelude::*;

/// Items per piece of work: fixed, so that sums have one order.
pub(crate) const CHUNK: usize = 4096;

/// Sum of `part` over `0..len`, added up in chunk order whatever the number of threads.
pub(crate) fn sum(len: usize, part: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
    let range = |chunk: usize| chunk * CHUNK..len.min((chunk + 1) * CHUNK);
    let chunks = len.div_ceil(CHUNK);
    if chunks <= 2 {
        return (0..chunks).map(|chunk| part(range(chunk))).sum();
    }
    let parts: Vec<f64> = (0..chunks).into_par_iter().map(|chunk| part(range(chunk))).collect();
    parts.iter().sum()
}

/// Cuts a slice at ascending `bounds` (from 0 to its length).
pub(crate) fn split<'a, T>(mut data: &'a mut [T], bounds: &[usize]) -> Vec<&'a mut [T]> {
    let mut parts = Vec::with_capacity(bounds.len());
    for pair in bounds.windows(2) {
        let (part, rest) = data.split_at_mut(pair[1] - pair[0]);
        parts.push(part);
        data = rest;
    }
    parts
}
