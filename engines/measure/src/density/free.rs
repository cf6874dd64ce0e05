//! The free area of a bin: ground in rows, less blockages and fixed cells, each point once.

use cellwright_db::floorplan::BlockageKind;
use cellwright_db::{CellId, Design, Rect};

use crate::area::{Cap, PPM, outside, ppm, usable};
use crate::grid::Grid;

/// What decides the free area, by bin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ground {
    /// Rows over each bin; `None` where the design has no rows and all ground counts.
    rows: Option<Vec<Vec<Rect>>>,
    /// Blockages and die notches over each bin.
    caps: Vec<Vec<Cap>>,
    /// Fixed cells over each bin in ascending cell order.
    fixed: Vec<Vec<(CellId, Rect)>>,
}

impl Ground {
    pub(crate) fn new(design: &Design, grid: &Grid, soft_blocks: bool) -> Ground {
        let plan = design.floorplan();
        let height = |site| design.tech().sites.get(site).map_or(0, |site| site.height);
        let rows = (!plan.rows.is_empty()).then(|| {
            let mut rows = vec![Vec::new(); grid.len()];
            for row in &plan.rows {
                let rect = row.rect(height(row.site));
                grid.each_overlap(&rect, |bin, _| rows[bin].push(rect));
            }
            rows
        });
        let mut caps = vec![Vec::new(); grid.len()];
        let mut cap = |rect: Rect, share: u32| {
            grid.each_overlap(&rect, |bin, _| caps[bin].push(Cap { rect, share }));
        };
        outside(&plan.die_outline, plan.die).into_iter().for_each(|rect| cap(rect, 0));
        for blockage in &plan.blockages {
            match blockage.kind {
                BlockageKind::Hard => cap(blockage.rect, 0),
                BlockageKind::Soft if soft_blocks => cap(blockage.rect, 0),
                BlockageKind::Soft => {}
                BlockageKind::Partial(share) => cap(blockage.rect, ppm(share)),
            }
        }
        Ground { rows, caps, fixed: vec![Vec::new(); grid.len()] }
    }

    /// Adds a fixed cell to the bins under it, or takes it away.
    pub(crate) fn set_fixed(&mut self, grid: &Grid, cell: CellId, rect: Rect, put: bool) {
        let fixed = &mut self.fixed;
        grid.each_overlap(&rect, |bin, _| {
            let list = &mut fixed[bin];
            match (list.binary_search_by_key(&cell, |(cell, _)| *cell), put) {
                (Err(at), true) => list.insert(at, (cell, rect)),
                (Ok(at), false) => {
                    list.remove(at);
                }
                _ => {}
            }
        });
    }

    /// Free area of a bin, DBU² × ppm.
    pub(crate) fn free(&self, grid: &Grid, bin: usize) -> i128 {
        let window = grid.bin(bin);
        let (caps, fixed) = (&self.caps[bin], &self.fixed[bin]);
        let everything = [window];
        let rows = self.rows.as_ref().map_or(everything.as_slice(), |rows| &rows[bin]);
        if caps.is_empty() && fixed.is_empty() && self.rows.is_none() {
            return i128::from(window.area()) * i128::from(PPM);
        }
        let fixed = fixed.iter().map(|(_, rect)| Cap { rect: *rect, share: 0 });
        let caps: Vec<Cap> = caps.iter().copied().chain(fixed).collect();
        usable(window, rows, &caps)
    }
}
