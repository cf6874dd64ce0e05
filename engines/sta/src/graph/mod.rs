//! The timing graph: vertices, what is constant or cut, loops, levels.
//!
//! A vertex is a pin; a bidirectional pin has a second vertex for its driving side, so that a
//! signal does not pass from the wire through the pin back onto the wire. Vertices of driving
//! sides come first (`0 .. extras`), then one vertex per pin in pin order: new cells append.

pub(crate) mod build;
pub(crate) mod fans;
pub(crate) mod gating;
pub(crate) mod levels;
pub(crate) mod model;

use std::collections::BTreeMap;

use cellwright_db::library::PinDirection;
use cellwright_db::{CellId, Design, MasterId, NetId, Owner, PinId};
use smallvec::SmallVec;

use model::{Model, Models};

/// A vertex of the timing graph.
pub(crate) type Vertex = u32;

/// Vertex facts, one bit each.
pub(crate) mod flag {
    /// Drives a net.
    pub(crate) const DRIVER: u16 = 1;
    /// Hangs on a net.
    pub(crate) const LOAD: u16 = 2;
    /// Constant 0.
    pub(crate) const ZERO: u16 = 4;
    /// Constant 1.
    pub(crate) const ONE: u16 = 8;
    /// Either constant.
    pub(crate) const CONSTANT: u16 = ZERO | ONE;
    /// Cut by `set_disable_timing`.
    pub(crate) const CUT: u16 = 16;
    /// Clock source or input delay.
    pub(crate) const SEED: u16 = 32;
    /// May be an endpoint: checks, output delays.
    pub(crate) const END: u16 = 64;
    /// Named by an exception's `-through`.
    pub(crate) const THROUGH: u16 = 128;
    /// A top-level port.
    pub(crate) const PORT: u16 = 256;
    /// Named by any constraint.
    pub(crate) const NAMED: u16 = 512;
    /// A clock that propagates stops here.
    pub(crate) const STOP: u16 = 1024;
    /// Enable of a gate in a clock network.
    pub(crate) const GATED: u16 = 2048;
    /// Clock pin of a gate in a clock network.
    pub(crate) const GATES: u16 = 4096;
    /// Lies in a clock network on the way to where the clock is data: a check or an output.
    pub(crate) const AS_DATA: u16 = 8192;
}

/// What is special about the arcs of one cell: constants, disables, broken loops, gating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Special {
    /// Edge pairs left of each arc.
    pub(crate) pairs: Box<[u8]>,
    /// Checks that hold.
    pub(crate) checks: Box<[bool]>,
}

/// A combinational loop and where it was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenLoop {
    /// The cell whose arc was cut.
    pub cell: CellId,
    /// From this pin of it.
    pub from: PinId,
    /// To this pin of it.
    pub to: PinId,
    /// Pins of the loop's strongly connected component.
    pub size: usize,
}

/// The graph's own facts; arcs come from the models and the netlist.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// Bidirectional pins, ascending; vertex `k` is the driving side of `extras[k]`.
    pub(crate) extras: Vec<PinId>,
    pub(crate) flags: Vec<u16>,
    pub(crate) level: Vec<u32>,
    /// The master that each cell slot was analysed with.
    pub(crate) master: Vec<MasterId>,
    pub(crate) special: BTreeMap<CellId, Special>,
    pub(crate) is_special: Vec<bool>,
    /// Nets with several drivers.
    pub(crate) several: Vec<bool>,
    /// Which clocks pass: index into `clock_sets`, 0 for none.
    pub(crate) clocks: Vec<u16>,
    pub(crate) clock_sets: Vec<Vec<u16>>,
    pub(crate) loops: Vec<BrokenLoop>,
    /// Gates in clock networks that no library declares.
    pub(crate) gates: gating::Gates,
    /// What hangs on each driver.
    pub(crate) fans: fans::Fans,
}

/// Everything that evaluation reads and does not write.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) design: &'a Design,
    pub(crate) models: &'a Models,
    pub(crate) graph: &'a Graph,
}

impl<'a> View<'a> {
    /// The vertex of a pin as a load, or its only one.
    #[inline]
    pub(crate) fn vertex(&self, pin: PinId) -> Vertex {
        self.graph.vertex(pin)
    }
    /// The vertex of a pin as a driver, or its only one.
    #[inline]
    pub(crate) fn driver_vertex(&self, pin: PinId) -> Vertex {
        self.graph.driver_vertex(pin)
    }
    #[inline]
    pub(crate) fn pin(&self, vertex: Vertex) -> PinId {
        self.graph.pin(vertex)
    }
    #[inline]
    pub(crate) fn flags(&self, vertex: Vertex) -> u16 {
        self.graph.flags[vertex as usize]
    }
    #[inline]
    pub(crate) fn is_driver(&self, vertex: Vertex) -> bool {
        self.flags(vertex) & flag::DRIVER != 0
    }
    /// The model of a living cell.
    #[inline]
    pub(crate) fn model(&self, cell: CellId) -> Option<&'a Model> {
        let record = self.design.cell(cell);
        if record.alive { self.models.get(record.master) } else { None }
    }
    /// Edge pairs of an arc of a cell that are in use.
    #[inline]
    pub(crate) fn pairs(&self, cell: CellId, model: &Model, arc: u16) -> u8 {
        if self.graph.is_special[cell.index()]
            && let Some(special) = self.graph.special.get(&cell)
        {
            return special.pairs.get(arc as usize).copied().unwrap_or(0);
        }
        model.arcs[arc as usize].pairs
    }
    /// Whether a check of a cell holds.
    #[inline]
    pub(crate) fn checks(&self, cell: CellId, check: u16) -> bool {
        !self.graph.is_special[cell.index()]
            || self
                .graph
                .special
                .get(&cell)
                .is_none_or(|special| special.checks.get(check as usize).copied().unwrap_or(true))
    }
    /// The vertex of pin number `pin` of the cell whose pins start at `first`, as arc source.
    #[inline]
    pub(crate) fn arc_from(&self, first: PinId, pin: u16) -> Vertex {
        self.graph.vertex(PinId(first.0 + u32::from(pin)))
    }
    /// Likewise as arc sink.
    #[inline]
    pub(crate) fn arc_to(&self, first: PinId, pin: u16) -> Vertex {
        self.graph.driver_vertex(PinId(first.0 + u32::from(pin)))
    }
    /// All driving vertices of a net, leader first.
    pub(crate) fn drivers(&self, net: NetId) -> SmallVec<[Vertex; 2]> {
        let mut drivers = SmallVec::new();
        let Some(leader) = self.design.driver(net) else { return drivers };
        drivers.push(self.driver_vertex(leader));
        if self.graph.several.get(net.index()).copied().unwrap_or(false) {
            for &pin in self.design.net_pins(net) {
                if pin != leader && self.design.pin_direction(pin).drives() {
                    drivers.push(self.driver_vertex(pin));
                }
            }
        }
        drivers
    }
    /// All load vertices of a net. What a bidirectional pin drives does not come back in by the same
    /// pin: a wire leads from a driver to the loads on other pins.
    #[inline]
    pub(crate) fn loads(&self, net: NetId) -> impl Iterator<Item = Vertex> + 'a {
        let graph = self.graph;
        let pins = self.design.net_pins(net);
        pins.iter()
            .map(move |pin| graph.vertex(*pin))
            .filter(move |vertex| graph.flags[*vertex as usize] & flag::LOAD != 0)
    }
    /// The vertex at which a driver's net is evaluated: the net's first driver, or itself.
    pub(crate) fn leader(&self, driver: Vertex) -> Vertex {
        match self.design.pin_net(self.pin(driver)) {
            Some(net) => {
                self.design.driver(net).map_or(driver, |leader| self.driver_vertex(leader))
            }
            None => driver,
        }
    }
    /// Calls `f` for each vertex that arcs or wires lead from `vertex` to. Outputs may be arc
    /// sources too.
    pub(crate) fn each_fanout(&self, vertex: Vertex, mut f: impl FnMut(Vertex)) {
        let pin = self.pin(vertex);
        if self.is_driver(vertex)
            && let Some(net) = self.design.pin_net(pin)
        {
            self.loads(net).filter(|load| self.pin(*load) != pin).for_each(&mut f);
        }
        self.each_arc_sink(vertex, f);
    }
    /// Likewise along arcs alone.
    #[inline]
    pub(crate) fn each_arc_sink(&self, vertex: Vertex, mut f: impl FnMut(Vertex)) {
        let pin = self.pin(vertex);
        if self.vertex(pin) == vertex
            && let Owner::Cell(cell, number) = self.design.owner(pin)
            && let Some(model) = self.model(cell)
        {
            let first = self.design.cell(cell).first_pin;
            for &arc in &model.pins[number.index()].fanout {
                let to = self.arc_to(first, model.arcs[arc as usize].to);
                if self.is_driver(to) && self.pairs(cell, model, arc) != 0 {
                    f(to);
                }
            }
        }
    }
    /// Calls `f` for each vertex that arcs or wires lead to `vertex` from. A pin without direction
    /// has none.
    pub(crate) fn each_fanin(&self, vertex: Vertex, mut f: impl FnMut(Vertex)) {
        let pin = self.pin(vertex);
        if !self.is_driver(vertex) {
            if self.flags(vertex) & flag::LOAD != 0
                && let Some(net) = self.design.pin_net(pin)
            {
                let others = self.drivers(net).into_iter();
                others.filter(|driver| self.pin(*driver) != pin).for_each(f);
            }
        } else if let Owner::Cell(cell, number) = self.design.owner(pin)
            && let Some(model) = self.model(cell)
        {
            let first = self.design.cell(cell).first_pin;
            for &arc in &model.pins[number.index()].fanin {
                if self.pairs(cell, model, arc) != 0 {
                    f(self.arc_from(first, model.arcs[arc as usize].from));
                }
            }
        }
    }
}

impl Graph {
    #[inline]
    pub(crate) fn vertex(&self, pin: PinId) -> Vertex {
        self.extras.len() as u32 + pin.0
    }
    #[inline]
    pub(crate) fn driver_vertex(&self, pin: PinId) -> Vertex {
        if !self.extras.is_empty()
            && let Ok(at) = self.extras.binary_search(&pin)
        {
            return at as u32;
        }
        self.vertex(pin)
    }
    #[inline]
    pub(crate) fn pin(&self, vertex: Vertex) -> PinId {
        let extras = self.extras.len() as u32;
        if vertex < extras { self.extras[vertex as usize] } else { PinId(vertex - extras) }
    }
    /// How many vertices there are.
    pub(crate) fn len(&self) -> usize {
        self.flags.len()
    }
    /// Direction flags of a pin's own vertex.
    pub(crate) fn direction_flags(direction: PinDirection) -> u16 {
        match direction {
            PinDirection::Output => flag::DRIVER,
            PinDirection::Input | PinDirection::Inout => flag::LOAD,
            PinDirection::Unknown => 0,
        }
    }
    /// Constant value of a vertex.
    #[inline]
    pub(crate) fn value(&self, vertex: Vertex) -> Option<bool> {
        match self.flags[vertex as usize] & flag::CONSTANT {
            flag::ZERO => Some(false),
            flag::ONE => Some(true),
            _ => None,
        }
    }
}
