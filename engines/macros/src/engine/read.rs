//! What an engine tells of its placement.

use std::sync::Arc;

use super::{Engine, Options};
use crate::fixed::{VALUE_BITS, unfix};
use crate::model::Model;
use crate::netlist::{Placement, Spot};
use crate::orient::Orient;

impl Engine {
    /// The model that it was made of.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The variant that it computes.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Centre and orientation of a body.
    #[must_use]
    pub fn at(&self, body: usize) -> (f64, f64, Orient) {
        (self.x[body], self.y[body], self.orient[body])
    }

    /// Whether the placement says that a body must stay.
    #[must_use]
    pub fn is_fixed(&self, body: usize) -> bool {
        self.fixed[body]
    }

    /// Place of a site, for placers.
    #[inline]
    pub(crate) fn site(&self, site: usize) -> (f64, f64) {
        (self.sx[site], self.sy[site])
    }

    /// Congestion of cells, vertical first, in fixed point; for placers that look for room.
    pub(crate) fn congestion_map(&self) -> &[i64] {
        &self.congestion
    }

    /// Density of cells in fixed point.
    pub(crate) fn density_map(&self) -> &[i64] {
        &self.density
    }

    /// Density of each grid cell, row by row from the bottom.
    pub fn densities(&self) -> impl Iterator<Item = f64> + '_ {
        self.density.iter().map(|v| unfix(*v, VALUE_BITS))
    }

    /// Congestion of each grid cell, row by row from the bottom: vertical for all cells, then
    /// horizontal for all cells.
    pub fn congestions(&self) -> impl Iterator<Item = f64> + '_ {
        self.congestion.iter().map(|v| unfix(*v, VALUE_BITS))
    }

    /// Work done so far, in units: sites visited for lengths and routes, grid cells written and
    /// cells looked at. The same questions give the same number on every machine.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The placement as it is.
    #[must_use]
    pub fn placement(&self, of: &Placement) -> Placement {
        let mut out = of.clone();
        for body in 0..self.x.len() {
            let item = self.model.item[body] as usize;
            if let Some(Some(spot)) = out.spots.get_mut(item) {
                let orient = match spot.orient {
                    None if self.orient[body] == Orient::N => None,
                    _ => Some(self.orient[body]),
                };
                *spot = Spot { x: self.x[body], y: self.y[body], orient, fixed: spot.fixed };
            }
        }
        out
    }
}
