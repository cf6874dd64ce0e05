//! The search: which clock edges reach which pins when, and when they must.

pub(crate) mod arrival;
pub(crate) mod crpr;
pub(crate) mod ends;
pub(crate) mod exceptions;
pub(crate) mod gating;
pub(crate) mod key;
pub(crate) mod latch;
pub(crate) mod network;
pub(crate) mod paths;
mod plain;
pub(crate) mod required;
pub(crate) mod setup;
#[cfg(test)]
mod tests;
pub(crate) mod untimed;

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::delay::Calculator;
use crate::graph::{Vertex, View};
use crate::parasitics::Pi;
pub(crate) use paths::{AllPaths, Found, Path, Paths};
use setup::Setup;

/// Values by side and edge: `side * 2 + edge`, side 1 = max, edge 1 = fall.
pub(crate) type Quad = [f32; 4];

/// Required times of the paths of a vertex in their order, ns; infinite where nothing requires the
/// path.
pub(crate) type Requireds = SmallVec<[f32; 4]>;

/// All computed values of one corner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    /// Slew by vertex, ns.
    pub(crate) slew: Vec<Quad>,
    /// Wire delay into a load vertex from its net's first driver, ns.
    pub(crate) wire: Vec<Quad>,
    /// Wire delay into a load vertex from a further driver of its net, ns: (load, driver).
    pub(crate) other_wire: BTreeMap<(Vertex, Vertex), Quad>,
    /// Elmore delay of a load vertex, ns.
    pub(crate) elmore: Vec<Quad>,
    /// Load of a net's driver.
    pub(crate) load: Vec<[Pi; 4]>,
    /// First delay slot by cell.
    pub(crate) base: Vec<u32>,
    /// Delays `[min, max]` by slot, ns; NaN where the side does not exist.
    pub(crate) arc: Vec<[f32; 2]>,
    /// Slews that arcs make at their drivers `[min, max]` by slot, ns; likewise.
    pub(crate) arc_slew: Vec<[f32; 2]>,
    /// Paths by vertex.
    pub(crate) paths: AllPaths,
    /// Required times by vertex. They hold where [`crate::timer`] does not note them as stale.
    pub(crate) required: Vec<Requireds>,
    /// Slack of an endpoint's own checks `[hold, setup]` by vertex, ns; infinite without check.
    pub(crate) end: Vec<[f32; 2]>,
}

impl Values {
    /// Wire delay from a driver to a load of its net, ns.
    #[inline]
    pub(crate) fn wire_delay(&self, driver: Vertex, load: Vertex) -> Quad {
        let first = self.wire[load as usize];
        if self.other_wire.is_empty() {
            return first;
        }
        self.other_wire.get(&(load, driver)).copied().unwrap_or(first)
    }
    /// Makes room for the arcs of one more cell.
    pub(crate) fn add_slots(&mut self, slots: u32) {
        let count = self.arc.len() + slots as usize;
        self.arc.resize(count, [f32::NAN; 2]);
        self.arc_slew.resize(count, [f32::NAN; 2]);
    }
}

/// What evaluation reads.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) view: View<'a>,
    pub(crate) setup: &'a Setup,
    pub(crate) calculator: Calculator,
}

/// Whether `new` is worse than `old`: later for max, earlier for min.
#[inline]
pub(crate) fn worse(side: usize, new: f32, old: f32) -> bool {
    if side == 1 { new > old } else { new < old }
}
