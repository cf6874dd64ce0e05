//! Which grid cell a point is in, in both boundary variants.

use crate::model::Grid;

/// What happens to a point outside the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Boundary {
    /// Row and column are clamped into the grid, as the challenges of 2026 do.
    #[default]
    Clamped,
    /// As the evaluator was published: row and column are what `floor` gives. Routes outside then
    /// land where a Python list of that length has the index (`-1` is the last), and where there is
    /// no such index the evaluator fails, and so does the cost here.
    Published,
}

/// Row and column packed into one word; each fits 16 bits with sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Cell(u32);

impl Cell {
    #[inline]
    pub(crate) fn new(row: i32, column: i32) -> Self {
        // Beyond 16 bits every index is outside the grid anyway.
        let clip = |v: i32| v.clamp(-32_768, 32_767) as u16;
        Cell(u32::from(clip(row)) << 16 | u32::from(clip(column)))
    }

    #[inline]
    pub(crate) fn row(self) -> i32 {
        i32::from((self.0 >> 16) as u16 as i16)
    }

    #[inline]
    pub(crate) fn column(self) -> i32 {
        i32::from(self.0 as u16 as i16)
    }
}

impl Grid {
    /// Row and column of a point.
    #[inline]
    pub(crate) fn locate(&self, x: f64, y: f64, boundary: Boundary) -> (i32, i32) {
        let row = (y / self.cell_height).floor() as i32;
        let column = (x / self.cell_width).floor() as i32;
        match boundary {
            Boundary::Clamped => {
                (row.clamp(0, self.rows as i32 - 1), column.clamp(0, self.columns as i32 - 1))
            }
            Boundary::Published => (row, column),
        }
    }

    /// The cells that a rectangle reaches, as first and last row and column, both included; `None`
    /// where the evaluator skips it. `rect` is left, bottom, right, top.
    #[inline]
    pub(crate) fn window(&self, rect: [f64; 4], boundary: Boundary) -> Option<[i32; 4]> {
        let (top, right) = self.locate(rect[2], rect[3], boundary);
        let (bottom, left) = self.locate(rect[0], rect[1], boundary);
        if top < 0 || right < 0 {
            return None;
        }
        Some([
            bottom.max(0),
            left.max(0),
            top.min(self.rows as i32 - 1),
            right.min(self.columns as i32 - 1),
        ])
    }
}
