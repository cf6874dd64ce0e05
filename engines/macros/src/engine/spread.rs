//! Routes as differences along rows and columns.

use crate::route::Runs;

/// Adds `sign × demand` along runs, as differences that are summed up later.
pub(super) struct Spread<'a> {
    pub(super) rows: i32,
    pub(super) columns: i32,
    pub(super) demand: i64,
    pub(super) h: &'a mut [i64],
    pub(super) v: &'a mut [i64],
    pub(super) rows_hit: &'a mut [bool],
    pub(super) columns_hit: &'a mut [bool],
    pub(super) stray: &'a mut i64,
}

impl Spread<'_> {
    fn h_run(&mut self, row: i32, from: i32, to: i32) {
        let at = row as usize * (self.columns as usize + 1);
        self.h[at + from as usize] += self.demand;
        self.h[at + to as usize] -= self.demand;
        self.rows_hit[row as usize] = true;
    }

    fn v_run(&mut self, column: i32, from: i32, to: i32) {
        let at = column as usize * (self.rows as usize + 1);
        self.v[at + from as usize] += self.demand;
        self.v[at + to as usize] -= self.demand;
        self.columns_hit[column as usize] = true;
    }

    /// Where a Python list of all cells has the index, or a stray.
    #[cold]
    fn wrapped(&mut self, row: i32, column: i32) -> Option<(i32, i32)> {
        let cells = i64::from(self.rows) * i64::from(self.columns);
        let index = i64::from(row) * i64::from(self.columns) + i64::from(column);
        if !(-cells..cells).contains(&index) {
            *self.stray += self.demand.signum();
            return None;
        }
        let index = index.rem_euclid(cells);
        let columns = i64::from(self.columns);
        Some(((index / columns) as i32, (index % columns) as i32))
    }
}

impl Runs for Spread<'_> {
    #[inline]
    fn horizontal(&mut self, row: i32, from: i32, to: i32) {
        if row >= 0 && row < self.rows && from >= 0 && to <= self.columns {
            self.h_run(row, from, to);
        } else {
            for column in from..to {
                if let Some((r, c)) = self.wrapped(row, column) {
                    self.h_run(r, c, c + 1);
                }
            }
        }
    }

    #[inline]
    fn vertical(&mut self, column: i32, from: i32, to: i32) {
        if column >= 0 && column < self.columns && from >= 0 && to <= self.rows {
            self.v_run(column, from, to);
        } else {
            for row in from..to {
                if let Some((r, c)) = self.wrapped(row, column) {
                    self.v_run(c, r, r + 1);
                }
            }
        }
    }
}
