//! What hangs on each driver: the loads of its net with the drivers that they lead to.
//!
//! Netlist and models hold the same, spread over half a dozen lists; an update visits hundreds of
//! drivers, and reading one line of memory instead of many is what its speed rests on. Nets with
//! several drivers are left to the general search.

use super::{Vertex, View, flag};

/// Leads to no driver.
pub(crate) const NO_SINK: Vertex = Vertex::MAX;
/// Not compiled.
const NONE: u32 = u32::MAX;
/// Loads that only the general search evaluates.
const SPECIAL: u16 = flag::CONSTANT | flag::CUT | flag::SEED | flag::THROUGH | flag::DRIVER;

/// One way on: a load and a driver behind it. A load with several has several entries in a row; the
/// driver itself stands as the load of the arcs that start at it.
pub(crate) type Hop = (Vertex, Vertex);

/// Hops by driver.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fans {
    /// Where a driver's hops start and end.
    range: Vec<[u32; 2]>,
    hops: Vec<Hop>,
    /// Hops of drivers that were compiled again.
    dead: usize,
}

impl Fans {
    /// Of all drivers.
    pub(crate) fn new(view: &View<'_>) -> Fans {
        let mut fans = Fans::default();
        fans.grow(view.graph.len());
        for vertex in 0..view.graph.len() as Vertex {
            fans.compile(view, vertex);
        }
        fans
    }
    /// Makes room for vertices up to `count`.
    pub(crate) fn grow(&mut self, count: usize) {
        self.range.resize(count.max(self.range.len()), [NONE; 2]);
    }
    /// Forgets vertices from `count` on.
    pub(crate) fn shrink(&mut self, count: usize) {
        self.range.truncate(count);
    }
    /// The hops of a driver; `None` where the general search has to be asked.
    #[inline]
    pub(crate) fn of(&self, driver: Vertex) -> Option<&[Hop]> {
        let [from, to] = self.range[driver as usize];
        (from != NONE).then(|| &self.hops[from as usize..to as usize])
    }
    /// Some of what is kept for a driver, to have it near.
    #[inline]
    pub(crate) fn touch(&self, driver: Vertex) -> u32 {
        self.range[driver as usize][0]
    }
    /// Works out the hops of a vertex anew; gives back where the old ones stand.
    pub(crate) fn compile(&mut self, view: &View<'_>, vertex: Vertex) -> [u32; 2] {
        let from = self.hops.len() as u32;
        let good = self.collect(view, vertex);
        if !good {
            self.hops.truncate(from as usize);
        }
        let range = if good { [from, self.hops.len() as u32] } else { [NONE; 2] };
        let old = std::mem::replace(&mut self.range[vertex as usize], range);
        if old[0] != NONE {
            self.dead += (old[1] - old[0]) as usize;
        }
        old
    }
    /// Takes the hops that stand at `old` for those of a vertex again.
    pub(crate) fn restore(&mut self, vertex: Vertex, old: [u32; 2]) {
        let new = std::mem::replace(&mut self.range[vertex as usize], old);
        if new[0] != NONE {
            self.dead += (new[1] - new[0]) as usize;
        }
        if old[0] != NONE {
            self.dead = self.dead.saturating_sub((old[1] - old[0]) as usize);
        }
    }
    /// Whether most of what is kept belongs to no driver any more.
    pub(crate) fn is_worn(&self) -> bool {
        self.dead > 1024 && self.dead * 2 > self.hops.len()
    }

    /// Drops what belongs to no driver any more. Nothing may want it back.
    pub(crate) fn compact(&mut self) {
        let mut hops = Vec::with_capacity(self.hops.len() - self.dead);
        for range in self.range.iter_mut().filter(|range| range[0] != NONE) {
            let from = hops.len() as u32;
            hops.extend_from_slice(&self.hops[range[0] as usize..range[1] as usize]);
            *range = [from, hops.len() as u32];
        }
        (self.hops, self.dead) = (hops, 0);
    }

    /// Appends the hops of a vertex; `false` where it has to be left to the general search.
    fn collect(&mut self, view: &View<'_>, vertex: Vertex) -> bool {
        if !view.is_driver(vertex) {
            return false;
        }
        if let Some(net) = view.design.pin_net(view.pin(vertex)) {
            if view.graph.several.get(net.index()).copied().unwrap_or(false) {
                return false;
            }
            let pin = view.pin(vertex);
            for load in view.loads(net).filter(|load| view.pin(*load) != pin) {
                if view.flags(load) & SPECIAL != 0 {
                    return false;
                }
                let first = self.hops.len();
                self.sinks(view, load);
                if self.hops.len() == first {
                    self.hops.push((load, NO_SINK));
                }
            }
        }
        self.sinks(view, vertex);
        true
    }

    fn sinks(&mut self, view: &View<'_>, vertex: Vertex) {
        let first = self.hops.len();
        view.each_arc_sink(vertex, |to| {
            if !self.hops[first..].contains(&(vertex, to)) {
                self.hops.push((vertex, to));
            }
        });
    }
}
