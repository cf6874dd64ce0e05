//! Gaps of one site between cells of a row, where no filler of the library is that narrow: cells move
//! by a site until there is none.

use cellwright_db::Point;

use crate::detailed::shelve;
use crate::error::PlaceError;
use crate::legal::rows::{row_sites, width_in};
use crate::legal::{Placement, classes};
use crate::problem::Problem;

/// Closes gaps of one site in rows of sites without a filler of that width. Cells keep their row and
/// order. Returns how many gaps stay because their stretch of row has that one free site.
///
/// # Errors
/// As [`crate::detailed::detailed`]: the placement must be legal.
pub(crate) fn close(problem: &Problem, placement: &mut Placement) -> Result<usize, PlaceError> {
    let sites = row_sites(problem);
    let class = classes(problem, &sites)?;
    let mut left = 0;
    for (number, &site) in sites.iter().enumerate() {
        if !problem.sites.get(site.index()).is_some_and(|facts| facts.wide_fillers) {
            continue;
        }
        let (shelf, _) = shelve(problem, placement, site, number, &class)?;
        for (segment, cells) in shelf.segments.iter().zip(&shelf.cells) {
            let (x, step) = (segment.row.x, segment.row.step);
            let width: Vec<i32> =
                cells.iter().map(|node| width_in(problem, *node as usize, step)).collect();
            let mut first: Vec<i32> =
                cells.iter().map(|node| (placement.at[*node as usize].x - x) / step).collect();
            left += usize::from(!settle(&mut first, &width, segment.lo, segment.hi));
            for (node, first) in cells.iter().zip(first) {
                let at = &mut placement.at[*node as usize];
                *at = Point::new(x + first * step, at.y);
            }
        }
    }
    Ok(left)
}

/// Moves cells of a stretch `lo..hi` so that no gap is one site wide; false where that cannot be.
fn settle(first: &mut [i32], width: &[i32], lo: i32, hi: i32) -> bool {
    // From the left, each narrow gap closes; the one behind it grows.
    let mut end = lo;
    for (first, width) in first.iter_mut().zip(width) {
        if *first - end == 1 {
            *first -= 1;
        }
        end = *first + width;
    }
    if hi - end != 1 {
        return true;
    }
    // The last gap is narrow: what stands against it moves right, as far as the next wide gap.
    let mut start = first.len();
    while start > 0 {
        start -= 1;
        let before = if start == 0 { lo } else { first[start - 1] + width[start - 1] };
        if first[start] > before {
            first[start..].iter_mut().for_each(|first| *first += 1);
            return true;
        }
    }
    // One free site in all, or none of the cells is here to move.
    false
}

#[cfg(test)]
mod tests {
    use super::settle;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_gap_of_one_site_stays_unless_one_site_is_all_there_is(
            cells in prop::collection::vec((0..4_i32, 1..5_i32), 0..9), tail in 0..4_i32,
        ) {
            let (mut first, mut width, mut at) = (Vec::new(), Vec::new(), 5);
            for (gap, w) in cells {
                first.push(at + gap);
                width.push(w);
                at += gap + w;
            }
            let hi = at + tail;
            let free = hi - 5 - width.iter().sum::<i32>();
            let done = settle(&mut first, &width, 5, hi);
            prop_assert_eq!(done, free != 1);
            let mut end = 5;
            for (first, width) in first.iter().zip(&width) {
                prop_assert!(*first >= end && (!done || first - end != 1));
                end = first + width;
            }
            prop_assert!(end <= hi && (!done || hi - end != 1));
        }
    }
}
