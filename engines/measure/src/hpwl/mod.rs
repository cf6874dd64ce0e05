//! Half-perimeter wirelength.
//!
//! Per net the width plus the height of the box around its pins, in DBU: pins of placed cells at
//! the middle of their shapes, ports at their location. Nets that carry supplies or constants and
//! nets with fewer than two located pins count 0; pins of cells without place are not located.
//! This is the definition of placers such as OpenROAD and DREAMPlace.

use std::sync::Arc;

use cellwright_db::{CellId, Design, DirtySet, NetId, Place, Stamp};

use crate::boxes::{NetBox, NetBoxes};
use crate::metric::{Metric, Stale};

/// Settings of [`Hpwl`].
#[derive(Clone, Debug, Default)]
pub struct HpwlConfig {
    /// Weight of each net by its slot; nets beyond the end weigh 1. `None`: all weigh 1.
    pub weights: Option<Arc<[u32]>>,
}

impl HpwlConfig {
    #[inline]
    fn weight(&self, net: NetId) -> i128 {
        let weights = self.weights.as_deref().unwrap_or(&[]);
        weights.get(net.index()).map_or(1, |weight| i128::from(*weight))
    }
}

/// A wirelength or the change of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wire {
    /// Sum over nets, DBU.
    pub length: i64,
    /// Sum over nets, each times its weight, DBU.
    pub weighted: i128,
}

/// Half-perimeter wirelength of every net and of all.
#[derive(Clone, Debug)]
pub struct Hpwl {
    config: HpwlConfig,
    boxes: NetBoxes,
    total: Wire,
    stamp: Stamp,
    undo: Vec<(Wire, Stamp)>,
}

impl PartialEq for Hpwl {
    fn eq(&self, other: &Self) -> bool {
        self.boxes == other.boxes && self.total == other.total && self.stamp == other.stamp
    }
}

impl Hpwl {
    /// The wirelength of the design.
    #[inline]
    pub fn total(&self) -> Wire {
        self.total
    }
    /// The half-perimeter of one net, DBU, without its weight.
    pub fn net(&self, net: NetId) -> i64 {
        self.boxes.get(net).half_perimeter()
    }
    /// The box around the pins of one net.
    pub fn net_box(&self, net: NetId) -> &NetBox {
        self.boxes.get(net)
    }

    /// By how much the wirelength would change if `cell` stood at `to`. Changes nothing.
    ///
    /// # Errors
    /// [`Stale`] when this state is not of the design's state.
    pub fn delta_of_move(&self, design: &Design, cell: CellId, to: Place) -> Result<Wire, Stale> {
        self.delta_of_moves(design, &[(cell, to)])
    }

    /// By how much the wirelength would change if these cells stood elsewhere together. Meant for
    /// a handful of cells (swaps, small windows). Cells that do not exist change nothing. Changes
    /// nothing.
    ///
    /// # Errors
    /// [`Stale`] when this state is not of the design's state.
    pub fn delta_of_moves(
        &self,
        design: &Design,
        moves: &[(CellId, Place)],
    ) -> Result<Wire, Stale> {
        let at = design.stamp();
        if at != self.stamp {
            return Err(Stale { metric: NAME, held: self.stamp, from: at, to: at, design: at });
        }
        let mut delta = Wire::default();
        self.boxes.what_if(design, moves, |net, before, after| {
            add(&mut delta, &self.config, net, before, after);
        });
        Ok(delta)
    }
}

const NAME: &str = "hpwl";

#[inline]
fn add(wire: &mut Wire, config: &HpwlConfig, net: NetId, before: &NetBox, after: &NetBox) {
    let change = after.half_perimeter() - before.half_perimeter();
    wire.length = wire.length.wrapping_add(change);
    wire.weighted = wire.weighted.wrapping_add(i128::from(change) * config.weight(net));
}

impl Metric for Hpwl {
    type Config = HpwlConfig;

    fn full(design: &Design, config: HpwlConfig) -> Self {
        let boxes = NetBoxes::full(design);
        let mut total = Wire::default();
        for (net, net_box) in boxes.all().iter().enumerate() {
            let length = net_box.half_perimeter();
            total.length = total.length.wrapping_add(length);
            total.weighted += i128::from(length) * config.weight(NetId::new(net));
        }
        Hpwl { config, boxes, total, stamp: design.stamp(), undo: Vec::new() }
    }

    fn update(&mut self, design: &Design, dirty: &DirtySet) -> Result<(), Stale> {
        Stale::check(NAME, self.stamp, design, dirty)?;
        self.undo.push((self.total, self.stamp));
        let (total, config) = (&mut self.total, &self.config);
        self.boxes.update(design, dirty, |net, before, after| {
            add(total, config, net, before, after);
        });
        self.stamp = dirty.to;
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let Some((total, stamp)) = self.undo.pop() else { return false };
        self.boxes.undo();
        self.total = total;
        self.stamp = stamp;
        true
    }

    fn keep(&mut self) {
        self.undo.clear();
        self.boxes.keep();
    }

    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn work(&self) -> u64 {
        self.boxes.work
    }
}
