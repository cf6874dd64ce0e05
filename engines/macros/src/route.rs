//! The routes that the evaluator takes: two, three and many grid cells of one net.
//!
//! A route is told as straight runs: `horizontal(row, first column, last column)` covers the cells
//! from the first column up to, but without, the last; `vertical(column, first row, last row)`
//! likewise. Source of every rule: `plc_client_os.py` of TILOS MacroPlacement, by function name.

use crate::cell::Cell;

/// Takes the runs of a route.
pub(crate) trait Runs {
    fn horizontal(&mut self, row: i32, from: i32, to: i32);
    fn vertical(&mut self, column: i32, from: i32, to: i32);
}

/// `__two_pin_net_routing`: along the source's row, then along the sink's column.
#[inline]
pub(crate) fn two(source: Cell, sink: Cell, runs: &mut impl Runs) {
    let (r0, c0, r1, c1) = (source.row(), source.column(), sink.row(), sink.column());
    if c0 != c1 {
        runs.horizontal(r0, c0.min(c1), c0.max(c1));
    }
    if r0 != r1 {
        runs.vertical(c1, r0.min(r1), r0.max(r1));
    }
}

/// `__three_pin_net_routing` with `__l_routing` and `__t_routing`; the three cells differ.
#[inline]
pub(crate) fn three(cells: [Cell; 3], runs: &mut impl Runs) {
    let mut by_column = cells.map(|c| (c.column(), c.row()));
    sort3(&mut by_column);
    let [(x1, y1), (x2, y2), (x3, y3)] = by_column;
    if x1 < x2 && x2 < x3 && y1.min(y3) < y2 && y2 < y1.max(y3) {
        runs.horizontal(y1, x1, x2);
        runs.horizontal(y2, x2, x3);
        runs.vertical(x2, y1.min(y2), y1.max(y2));
        runs.vertical(x3, y2.min(y3), y2.max(y3));
    } else if x2 == x3 && x1 < x2 && y1 < y2.min(y3) {
        runs.horizontal(y1, x1, x2);
        runs.vertical(x2, y1, y2.max(y3));
    } else if y2 == y3 {
        runs.horizontal(y1, x1, x2);
        runs.horizontal(y2, x2, x3);
        runs.vertical(x2, y1.min(y2), y1.max(y2));
    } else {
        let mut by_row = cells.map(|c| (c.row(), c.column()));
        sort3(&mut by_row);
        let [(y1, x1), (y2, x2), (y3, x3)] = by_row;
        runs.horizontal(y2, x1.min(x2).min(x3), x1.max(x2).max(x3));
        runs.vertical(x1, y1, y2);
        runs.vertical(x3, y2, y3);
    }
}

#[inline]
fn sort3<T: Ord + Copy>(v: &mut [T; 3]) {
    if v[0] > v[1] {
        v.swap(0, 1);
    }
    if v[1] > v[2] {
        v.swap(1, 2);
    }
    if v[0] > v[1] {
        v.swap(0, 1);
    }
}
