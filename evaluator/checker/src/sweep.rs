//! All pairs of rectangles that share area, by a sweep along x in horizontal bands.
//!
//! The plane is cut into bands of one height. Every rectangle is listed in the bands that it
//! touches. Within a band the rectangles are sorted by their left edge; a rectangle can only meet
//! those before it whose right edge lies beyond its left edge. A pair is told in the band that
//! holds the lower edge of the common part, so once.

use crate::area2d::Area;

/// Most bands that the plane is cut into.
const MOST_BANDS: i64 = 4096;

/// Calls `found(i, j)` with `i < j` for each pair that shares area; stops after `limit` pairs.
/// Returns whether all were told. `band` is the wanted height of a band, DBU.
pub fn pairs(areas: &[Area], band: i64, limit: usize, mut found: impl FnMut(usize, usize)) -> bool {
    let real = || areas.iter().filter(|area| !area.is_empty());
    let (Some(low), Some(high)) =
        (real().map(|area| area.y0).min(), real().map(|area| area.y1).max())
    else {
        return true;
    };
    let band = band.max(1).max((high - low) / MOST_BANDS + 1);
    let band_of = |y: i64| (y - low) / band;
    // (band, left edge, number), sorted: the bands one after the other, each from left to right.
    let mut entries: Vec<(i64, i64, usize)> = Vec::with_capacity(areas.len());
    for (number, area) in areas.iter().enumerate().filter(|(_, area)| !area.is_empty()) {
        for at in band_of(area.y0)..=band_of(area.y1 - 1) {
            entries.push((at, area.x0, number));
        }
    }
    entries.sort_unstable();
    let mut told = 0;
    let mut open: Vec<usize> = Vec::new();
    let mut here = -1;
    for (at, left, number) in entries {
        if at != here {
            open.clear();
            here = at;
        }
        open.retain(|other| areas[*other].x1 > left);
        for &other in &open {
            let common = areas[number].common(&areas[other]);
            if common.is_empty() || band_of(common.y0) != at {
                continue;
            }
            if told == limit {
                return false;
            }
            told += 1;
            found(number.min(other), number.max(other));
        }
        open.push(number);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sweep_finds_what_all_pairs_find(
            boxes in prop::collection::vec((-20_i64..20, -20_i64..20, 0_i64..9, 0_i64..30), 0..40),
            band in 1_i64..8,
        ) {
            let areas: Vec<Area> =
                boxes.into_iter().map(|(x, y, w, h)| Area::at(x, y, w, h)).collect();
            let mut swept = Vec::new();
            prop_assert!(pairs(&areas, band, usize::MAX, |a, b| swept.push((a, b))));
            swept.sort_unstable();
            let mut all = Vec::new();
            for a in 0..areas.len() {
                for b in a + 1..areas.len() {
                    if areas[a].meets(&areas[b]) {
                        all.push((a, b));
                    }
                }
            }
            prop_assert_eq!(swept, all);
        }
    }

    #[test]
    fn a_heap_stops_at_the_limit() {
        let heap = [Area::at(0, 0, 5, 5); 30];
        let mut told = 0;
        assert!(!pairs(&heap, 5, 10, |_, _| told += 1));
        assert_eq!(told, 10);
    }
}
