//! What one body takes of the grid: area of every body, tracks of hard macros.
//!
//! Each function is pure in the body's place, so taking a contribution away gives back exactly what
//! adding it took.

use crate::cell::Boundary;
use crate::fixed::{LENGTH_BITS, fix};
use crate::model::Grid;

/// The outline of a body as the evaluator computes it: left, bottom, right, top.
#[inline]
pub(crate) fn outline(x: f64, y: f64, width: f64, height: f64) -> [f64; 4] {
    [x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0]
}

#[inline]
fn overlap(grid: &Grid, rect: [f64; 4], row: i32, column: i32) -> (f64, f64) {
    let x = rect[2].min(f64::from(column + 1) * grid.cell_width)
        - rect[0].max(f64::from(column) * grid.cell_width);
    let y = rect[3].min(f64::from(row + 1) * grid.cell_height)
        - rect[1].max(f64::from(row) * grid.cell_height);
    (x, y)
}

/// Calls `add(cell, area)` for each cell that the body covers (`__add_module_to_grid_cells`).
#[inline]
pub(crate) fn area(
    grid: &Grid,
    rect: [f64; 4],
    boundary: Boundary,
    mut add: impl FnMut(usize, i64),
) {
    let Some([bottom, left, top, right]) = grid.window(rect, boundary) else { return };
    for row in bottom..=top {
        for column in left..=right {
            let (x, y) = overlap(grid, rect, row, column);
            if x >= 0.0 && y >= 0.0 {
                let cell = row as usize * grid.columns + column as usize;
                add(cell, fix(x * y, LENGTH_BITS));
            }
        }
    }
}

/// Calls `add(cell, vertical, horizontal)` for each cell whose tracks the hard macro takes
/// (`__macro_route_over_grid_cell`). Where the macro covers the first or the last row only in part,
/// the last row gives its vertical tracks back, and likewise the last column.
#[inline]
pub(crate) fn tracks(
    grid: &Grid,
    rect: [f64; 4],
    boundary: Boundary,
    per_micron: (f64, f64),
    mut add: impl FnMut(usize, i64, i64),
) {
    let Some([bottom, left, top, right]) = grid.window(rect, boundary) else { return };
    let (vertical, horizontal) = per_micron;
    let meets = |row: i32, column: i32| match overlap(grid, rect, row, column) {
        (x, y) if x > 0.0 && y > 0.0 => (x, y),
        _ => (0.0, 0.0),
    };
    let (mut partial_v, mut partial_h) = (false, false);
    // The published text asks for the corners before clipping to the grid, then compares the
    // clipped ones; so do we, as only the clipped are left.
    for row in bottom..=top {
        for column in left..=right {
            let (x, y) = meets(row, column);
            let edge_row = row == bottom || row == top;
            let edge_column = column == left || column == right;
            partial_v |= top != bottom && edge_row && (y - grid.cell_height).abs() > 1e-5;
            partial_h |= right != left && edge_column && (x - grid.cell_width).abs() > 1e-5;
            let cell = row as usize * grid.columns + column as usize;
            add(cell, fix(x * vertical, LENGTH_BITS), fix(y * horizontal, LENGTH_BITS));
        }
    }
    if partial_v {
        for column in left..=right {
            let (x, _) = meets(top, column);
            let cell = top as usize * grid.columns + column as usize;
            add(cell, -fix(x * vertical, LENGTH_BITS), 0);
        }
    }
    if partial_h {
        for row in bottom..=top {
            let (_, y) = meets(row, right);
            let cell = row as usize * grid.columns + right as usize;
            add(cell, 0, -fix(y * horizontal, LENGTH_BITS));
        }
    }
}
