//! Windows of neighbours in a row, in every order.

use cellwright_db::Point;

use crate::detailed::shelf::Shelf;
use crate::detailed::state::{State, Step};

/// All orders of three but the present one.
const THREE: [[usize; 3]; 5] = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// One pass over all windows of a segment. Returns the gain.
pub(crate) fn segment(state: &mut State<'_>, shelf: &mut Shelf, index: usize) -> i64 {
    let mut gain = 0;
    let count = shelf.cells[index].len();
    for start in 0..count.saturating_sub(1) {
        let size = 3.min(count - start);
        gain += window(state, shelf, index, start, size);
    }
    gain
}

fn window(
    state: &mut State<'_>,
    shelf: &mut Shelf,
    index: usize,
    start: usize,
    size: usize,
) -> i64 {
    let cells: Vec<u32> = shelf.cells[index][start..start + size].to_vec();
    let sites: Vec<i32> = cells.iter().map(|node| shelf.site(state, index, *node)).collect();
    let widths: Vec<i32> = cells.iter().map(|node| shelf.width(state, index, *node)).collect();
    // Free sites between neighbours stay where they are, counted from the left.
    let gaps: Vec<i32> = (1..size).map(|i| sites[i] - sites[i - 1] - widths[i - 1]).collect();
    let orders: &[[usize; 3]] = if size == 3 { &THREE } else { &THREE[1..2] };
    let mut best: Option<(i64, [usize; 3])> = None;
    let steps = |state: &State<'_>, order: &[usize; 3]| -> Vec<Step> {
        let mut site = sites[0];
        let segment = &shelf.segments[index];
        (0..size)
            .map(|i| {
                let which = order[i];
                let at = Point::new(segment.x(site), segment.row.y);
                site += widths[which] + gaps.get(i).copied().unwrap_or(0);
                let node = cells[which];
                Step { node, at, orient: state.place.orient[node as usize] }
            })
            .collect()
    };
    for order in orders {
        let trial = steps(state, order);
        let delta = state.attempt(&trial);
        state.take_back();
        if delta < best.map_or(0, |best| best.0) {
            best = Some((delta, *order));
        }
    }
    let Some((delta, order)) = best else { return 0 };
    let steps = steps(state, &order);
    state.attempt(&steps);
    state.keep();
    for (slot, step) in shelf.cells[index][start..start + size].iter_mut().zip(&steps) {
        *slot = step.node;
    }
    -delta
}
