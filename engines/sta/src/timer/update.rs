//! Incremental updates.

use cellwright_db::library::PinDirection;
use cellwright_db::logic::Expr;
use cellwright_db::{CellId, Design, DirtySet, MasterId, NetId, PinId};

use super::lane::{self, Target};
use super::log::Entry;
use super::stale;
use super::{Mark, State, Timer, TimerError, Updated};
use crate::graph::{Graph, Vertex, View, build, flag, levels};
use crate::search::Context;

impl Timer {
    /// Brings delays, slews, arrivals and endpoint slacks to the design's new state; cost follows what
    /// the change reaches. Required times, and with them slacks of other pins, wait for
    /// [`Timer::settle`].
    ///
    /// Changes of constants, of the clock network, of broken loops, of bidirectional pins and of
    /// pins that exceptions pass through rebuild everything. The result is the same bit for bit.
    ///
    /// # Errors
    /// [`TimerError::Stale`], [`TimerError::Elsewhere`]; nothing has changed then.
    pub fn update(&mut self, design: &Design, dirty: &DirtySet) -> Result<Updated, TimerError> {
        if dirty.from != self.stamp {
            return Err(TimerError::Stale { from: dirty.from, at: self.stamp });
        }
        if dirty.to != design.stamp() {
            return Err(TimerError::Elsewhere { to: dirty.to, at: design.stamp() });
        }
        self.marks.push(Mark {
            length: self.log.len(),
            stamp: self.stamp,
            flushes: self.flushes,
            stale: self.state.lanes.iter().map(|lane| lane.stale.len()).collect(),
        });
        self.stamp = dirty.to;
        let before = self.work.arcs;
        let full = needs_rebuild(self, design, dirty) || !self.patch(design, dirty);
        if full {
            let old = std::mem::take(&mut self.state);
            self.rebuild(design);
            self.log.push(Entry::Rebuilt(Box::new(old)));
        }
        Ok(Updated { arcs: self.work.arcs - before, full })
    }

    /// The incremental path. `false` when levels could not be kept: the caller rebuilds (the log
    /// then holds entries before the whole old state, which restore in the right order).
    fn patch(&mut self, design: &Design, dirty: &DirtySet) -> bool {
        if self.state.graph.fans.is_worn() && self.log.is_empty() {
            // Not of the changed design: the patch works out what differs.
            self.state.graph.fans.compact();
        }
        let changed = self.patch_cells(design, dirty);
        if !self.patch_graph(design, dirty, &changed) {
            return false;
        }
        let Some(setup) = self.state.setup.clone() else { return false };
        self.state.worst.grow(self.state.graph.len());
        for number in 0..self.state.lanes.len() {
            let State { graph, lanes, .. } = &mut self.state;
            let lane = &mut lanes[number];
            let models = &self.models[number];
            let view = View { design, models, graph };
            let context = Context { view, setup: &setup, calculator: self.config.calculator };
            let slots = lane.values.arc.len();
            self.log.push(Entry::Slots(number as u8, slots));
            lane.grow(graph, &view);
            let work = &mut self.work;
            let mut target = Target { lane, number: number as u8, log: Some(&mut self.log) };
            for changed in &changed {
                touch_cell(&context, &mut target, work, changed);
            }
            let level = |vertex: Vertex| graph.level[vertex as usize];
            let parasitics = &self.config.corners[number].1;
            for &net in &dirty.nets {
                let reloaded = lane::load(&context, parasitics, &mut target, work, net);
                let drivers = view.drivers(net);
                let structural = !dirty.pins.is_empty();
                for vertex in view.loads(net) {
                    if structural {
                        work.arrival.push(vertex, level(vertex));
                    }
                    if drivers.is_empty() {
                        lane::silence(&context, &mut target, work, vertex, false);
                    }
                }
                for (at, driver) in drivers.into_iter().enumerate() {
                    if at == 0 && (reloaded || structural) {
                        work.push_net(driver, level(driver));
                    }
                    if structural {
                        target.lane.stale.push(driver, stale::OWN);
                    }
                }
            }
            for &pin in &dirty.pins {
                for vertex in both(graph, pin) {
                    work.arrival.push(vertex, level(vertex));
                    target.lane.stale.push(vertex, stale::OWN);
                    if view.flags(vertex) & flag::END != 0 {
                        work.ends.push(vertex);
                    }
                    if view.is_driver(vertex) {
                        let leader = view.leader(vertex);
                        work.push_net(leader, level(leader));
                        // A driver that lost its net evaluates alone.
                        work.push_net(vertex, level(vertex));
                    } else if design.pin_net(pin).is_none() {
                        lane::silence(&context, &mut target, work, vertex, true);
                    }
                }
            }
            lane::delay_pass(&context, &mut target, work);
            lane::arrival_pass(&context, &mut target, work);
            lane::end_pass(&context, &mut target, work);
            let mut moved = std::mem::take(&mut self.work.moved);
            for (vertex, old) in moved.drain(..) {
                self.state.end_moved(number, vertex, old);
            }
            self.work.moved = moved;
        }
        true
    }

    /// Grows the graph's lists and notes which cells have another master (or none before).
    fn patch_cells(&mut self, design: &Design, dirty: &DirtySet) -> Vec<Changed> {
        let graph = &mut self.state.graph;
        let (vertices, cells, nets) = (graph.len(), graph.master.len(), graph.several.len());
        let extras = graph.extras.len();
        if design.pin_slots() + extras > vertices
            || design.cell_slots() > cells
            || design.net_slots() > nets
        {
            self.log.push(Entry::Grown(Box::new([vertices, cells, nets])));
            for pin in (vertices - extras..design.pin_slots()).map(PinId::new) {
                graph.flags.push(Graph::direction_flags(design.pin_direction(pin)));
                graph.level.push(0);
                graph.clocks.push(0);
            }
            for cell in (cells..design.cell_slots()).map(CellId::new) {
                graph.master.push(design.master_id(cell));
                graph.is_special.push(false);
                build::mark_ends(design, &self.models[0], graph, cell);
            }
            graph.several.resize(design.net_slots(), false);
            graph.fans.grow(graph.flags.len());
            self.work.grow(graph.len());
        }
        let mut changed = Vec::new();
        for &cell in &dirty.cells {
            let (old, new) = (graph.master[cell.index()], design.master_id(cell));
            let is_new = cell.index() >= cells;
            if old != new && self.models.iter().all(|models| models.same_shape(old, new)) {
                self.log.push(Entry::Master(cell, old));
                graph.master[cell.index()] = new;
            } else if old != new {
                self.log.push(Entry::Master(cell, old));
                graph.master[cell.index()] = new;
                for pin in design.cell_pins(cell) {
                    let vertex = graph.vertex(pin);
                    self.log.push(Entry::Flags(vertex, graph.flags[vertex as usize]));
                }
                build::mark_ends(design, &self.models[0], graph, cell);
                if graph.is_special[cell.index()] {
                    let old = graph.special.remove(&cell);
                    graph.is_special[cell.index()] = false;
                    self.log.push(Entry::Special(cell, old.map(Box::new)));
                    let model = self.models[0].get(new);
                    if let Some(model) = model {
                        build::respecial(design, graph, &self.constraints, cell, model);
                    }
                }
            }
            // An emptied slot may also have come back, or a cell may have gone.
            let structural = !dirty.pins.is_empty();
            if old != new || is_new || structural {
                let same_shape = self.models.iter().all(|models| models.same_shape(old, new));
                let alike = !is_new && !structural && same_shape;
                changed.push(Changed { cell, old, alike });
            }
        }
        changed
    }

    /// Levels and multiple drivers after netlist changes. `false` when a loop was closed.
    fn patch_graph(&mut self, design: &Design, dirty: &DirtySet, changed: &[Changed]) -> bool {
        if dirty.pins.is_empty() && changed.iter().all(|changed| changed.alike) {
            return true;
        }
        let graph = &mut self.state.graph;
        for &net in &dirty.nets {
            let several = design.has_net(net) && build::has_several(design, net);
            let slot = &mut graph.several[net.index()];
            if *slot != several {
                self.log.push(Entry::Several(net, *slot));
                *slot = several;
            }
        }
        self.patch_fans(design, dirty, changed);
        let graph = &self.state.graph;
        let mut seeds: Vec<Vertex> = Vec::new();
        for &pin in &dirty.pins {
            seeds.extend(both(graph, pin));
        }
        for &Changed { cell, .. } in changed {
            seeds.extend(design.cell_pins(cell).map(|pin| graph.driver_vertex(pin)));
        }
        for &net in dirty.nets.iter().filter(|net| design.has_net(**net)) {
            seeds.extend(design.net_pins(net).iter().map(|pin| graph.vertex(*pin)));
        }
        let mut level = std::mem::take(&mut self.state.graph.level);
        let graph = &self.state.graph;
        let view = View { design, models: &self.models[0], graph };
        let log = &mut self.log;
        let kept = levels::raise(&view, &mut level, seeds, &mut |vertex, old| {
            log.push(Entry::Level(vertex, old));
        });
        self.state.graph.level = level;
        kept
    }

    /// Compiles anew what hangs on drivers whose nets, or the cells behind them, changed.
    fn patch_fans(&mut self, design: &Design, dirty: &DirtySet, changed: &[Changed]) {
        let mut fans = std::mem::take(&mut self.state.graph.fans);
        let graph = &self.state.graph;
        let view = View { design, models: &self.models[0], graph };
        let mut drivers: Vec<Vertex> = Vec::new();
        for &net in dirty.nets.iter().filter(|net| design.has_net(**net)) {
            drivers.extend(view.drivers(net));
        }
        let cells = changed.iter().flat_map(|changed| design.cell_pins(changed.cell));
        drivers.extend(dirty.pins.iter().copied().chain(cells).flat_map(|pin| both(graph, pin)));
        drivers.sort_unstable();
        drivers.dedup();
        for vertex in drivers {
            let old = fans.compile(&view, vertex);
            self.log.push(Entry::Fan(vertex, old));
        }
        self.state.graph.fans = fans;
    }
}

/// A cell that has another master, or is new, or whose pins were rewired.
struct Changed {
    cell: CellId,
    /// The master before.
    old: MasterId,
    /// The masters differ in numbers alone, and so does everything else of the cell.
    alike: bool,
}

fn both(graph: &Graph, pin: PinId) -> impl Iterator<Item = Vertex> + use<> {
    let (a, b) = (graph.vertex(pin), graph.driver_vertex(pin));
    std::iter::once(a).chain((a != b).then_some(b))
}

/// Marks all of a cell whose master changed, appeared or went.
fn touch_cell(
    context: &Context<'_>,
    target: &mut Target<'_>,
    work: &mut lane::Work,
    &Changed { cell, old, alike }: &Changed,
) {
    let view = &context.view;
    let (models, design) = (view.models, view.design);
    let slots = |master| models.get(master).map_or(0, |model| model.slots);
    let master = design.master_id(cell);
    if master != old && !alike {
        let values = &mut target.lane.values;
        if let Some(log) = &mut target.log {
            log.push(Entry::Base(target.number, cell, values.base[cell.index()]));
        }
        values.base[cell.index()] = values.arc.len() as u32;
        values.add_slots(slots(master));
    }
    let measures = |master| models.get(master).map(|m| (m.lib, m.drive, m.input));
    if measures(master) != measures(old) {
        // What drives an input hands slews over in the thresholds of the input's library.
        for net in design.cell_pins(cell).filter_map(|pin| design.pin_net(pin)) {
            for leader in view.drivers(net).into_iter().take(1) {
                work.push_net(leader, view.graph.level[leader as usize]);
            }
        }
    }
    let latches = models.get(master).is_some_and(|model| !model.latch_data.is_empty());
    for pin in design.cell_pins(cell) {
        for vertex in both(view.graph, pin) {
            let level = view.graph.level[vertex as usize];
            let is_end = view.flags(vertex) & flag::END != 0;
            if is_end {
                work.ends.push(vertex);
            }
            // Of a master that is alike only numbers change: delays, which tell on by themselves,
            // check margins, and what latches make of them.
            if !alike || is_end {
                target.lane.stale.push(vertex, stale::OWN);
            }
            if !alike || latches {
                work.arrival.push(vertex, level);
            }
            if view.is_driver(vertex) {
                let leader = view.leader(vertex);
                work.push_net(leader, view.graph.level[leader as usize]);
            }
        }
    }
}

/// Whether a change reaches what is only worked out in a rebuild.
fn needs_rebuild(timer: &Timer, design: &Design, dirty: &DirtySet) -> bool {
    let graph = &timer.state.graph;
    let structural = !dirty.pins.is_empty();
    if structural && !graph.loops.is_empty() {
        return true;
    }
    const FIXED: u16 = flag::CONSTANT | flag::CUT | flag::THROUGH | flag::STOP;
    let fixed = |pin: PinId| {
        if pin.index() + graph.extras.len() >= graph.len() {
            return false;
        }
        both(graph, pin).any(|vertex| {
            graph.flags[vertex as usize] & FIXED != 0 || graph.clocks[vertex as usize] != 0
        }) || graph.driver_vertex(pin) != graph.vertex(pin)
    };
    if structural {
        if dirty.pins.iter().any(|pin| fixed(*pin)) {
            return true;
        }
        let tied = |net: NetId| {
            design.has_net(net)
                && (!design.net(net).kind.is_routed() || design.driver(net).is_some_and(fixed))
        };
        if dirty.nets.iter().any(|net| tied(*net)) {
            return true;
        }
    }
    let library = design.library();
    let constant = |master: MasterId| {
        library.logic(master).is_some_and(|cell| {
            cell.pins.iter().any(|pin| matches!(pin.function, Some(Expr::Const(_))))
        })
    };
    for &cell in &dirty.cells {
        let master = design.master_id(cell);
        let old = graph.master.get(cell.index()).copied();
        if old.is_none() || structural {
            let pins = &library.masters[master].pins;
            let inout = pins.iter().any(|pin| pin.direction == PinDirection::Inout);
            if inout || constant(master) {
                return true;
            }
        }
        let Some(old) = old.filter(|old| *old != master) else { continue };
        if graph.loops.iter().any(|found| found.cell == cell)
            || !timer.constraints.disables.masters.is_empty()
            || !timer.constraints.disables.master_pins.is_empty()
        {
            return true;
        }
        if !library.same_function(old, master) {
            // Without the same functions constants and clocks may run on elsewhere. Clocks follow
            // arcs, so they do not where those are the same.
            let alike = timer.models.iter().all(|models| models.same_shape(old, master));
            let special = graph.is_special[cell.index()]
                || graph.gates.contains_key(&cell)
                || constant(old)
                || constant(master)
                || (!alike && design.cell_pins(cell).any(fixed));
            if special {
                return true;
            }
        }
    }
    false
}
