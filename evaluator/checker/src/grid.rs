//! Bins over the core.
//!
//! The core is the box around the rows, or the die where there is no row. Along a side there are as
//! many bins as the largest power of two that fits bins of a wanted size, with edges at
//! `start + length · i / count` in whole DBU, rounded down.

use crate::area2d::Area;
use crate::state::State;

/// A grid of bins, row by row from the lower left.
#[derive(Clone, Debug)]
pub struct Grid {
    /// What the bins divide.
    pub core: Area,
    /// The bins.
    pub bins: Vec<Area>,
    xs: Vec<i64>,
    ys: Vec<i64>,
}

impl Grid {
    /// Bins of at least `rows` row heights, at most `most` along a side.
    pub fn over_core(state: &State, rows: i64, most: i64) -> Grid {
        let core = Area::of(&state.design.core());
        let core = if core.is_empty() { Area::at(core.x0, core.y0, 1, 1) } else { core };
        let size = rows * row_height(state);
        let xs = edges(core.x0, core.x1, size, most);
        let ys = edges(core.y0, core.y1, size, most);
        let row = |y: &[i64]| {
            let (y0, y1) = (y[0], y[1]);
            xs.windows(2).map(move |x| Area { x0: x[0], y0, x1: x[1], y1 }).collect::<Vec<_>>()
        };
        Grid { core, bins: ys.windows(2).flat_map(row).collect(), xs, ys }
    }

    /// Numbers of the bins that share area with `area`.
    pub fn touched(&self, area: &Area) -> Vec<usize> {
        let area = area.common(&self.core);
        if area.is_empty() {
            return Vec::new();
        }
        let at = |edges: &[i64], value: i64| edges.partition_point(|edge| *edge <= value) - 1;
        let columns = at(&self.xs, area.x0)..=at(&self.xs, area.x1 - 1);
        let rows = at(&self.ys, area.y0)..=at(&self.ys, area.y1 - 1);
        let width = self.xs.len() - 1;
        rows.flat_map(|y| columns.clone().map(move |x| y * width + x)).collect()
    }
}

/// Height of the lowest rows, DBU; without rows a 64th of the die's shorter side.
fn row_height(state: &State) -> i64 {
    let plan = state.design.floorplan();
    let sites = &state.design.tech().sites;
    let height = |row: &cellwright_db::floorplan::Row| sites.get(row.site).map_or(0, |s| s.height);
    let heights = plan.rows.iter().map(height).filter(|height| *height > 0);
    let shorter = plan.die.width().min(plan.die.height());
    heights.min().map_or((shorter / 64).max(1), i64::from)
}

/// Bin edges along one side.
fn edges(from: i64, to: i64, size: i64, most: i64) -> Vec<i64> {
    let length = to - from;
    let mut count = 1;
    while count * 2 <= length / size && count < most {
        count *= 2;
    }
    let count = count.min(length);
    (0..=count).map(|i| from + length * i / count).collect()
}
