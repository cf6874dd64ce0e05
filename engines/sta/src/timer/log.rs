//! The undo log: old values, in the order in which they were replaced.

use cellwright_db::{CellId, MasterId, NetId};

use super::State;
use super::stale::Taken;
use crate::graph::{Special, Vertex};
use crate::parasitics::Pi;
use crate::search::paths::Plain;
use crate::search::{Found, Paths, Quad};

/// An old value; the first number of per-corner entries is the lane.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    Slew(u8, Vertex, Quad),
    Wire(u8, Vertex, Quad),
    /// Wire of a further driver: load, driver.
    OtherWire(u8, (Vertex, Vertex), Option<Quad>),
    Elmore(u8, Vertex, Quad),
    Load(u8, NetId, Box<[Pi; 4]>),
    Arc(u8, u32, [f32; 2], [f32; 2]),
    Base(u8, CellId, u32),
    Plain(u8, Vertex, Plain),
    Many(u8, Vertex, Box<Paths>),
    End(u8, Vertex, [f32; 2]),
    Slots(u8, usize),
    Level(Vertex, u32),
    Flags(Vertex, u16),
    Master(CellId, MasterId),
    /// Where the hops of a driver stood.
    Fan(Vertex, [u32; 2]),
    Special(CellId, Option<Box<Special>>),
    Several(NetId, bool),
    /// Lengths before growth: vertices, cells, nets.
    Grown(Box<[usize; 3]>),
    /// What a flush of required times took.
    Flushed(u8, Box<Taken>),
    /// The whole state before a rebuild.
    Rebuilt(Box<State>),
}

/// The log.
pub(crate) type Log = Vec<Entry>;

/// Puts an old value back.
pub(crate) fn restore(state: &mut State, entry: Entry) {
    let lane = |number: u8| usize::from(number);
    match entry {
        Entry::Slew(n, vertex, old) => state.lanes[lane(n)].values.slew[vertex as usize] = old,
        Entry::Wire(n, vertex, old) => state.lanes[lane(n)].values.wire[vertex as usize] = old,
        Entry::OtherWire(n, ends, old) => {
            let wires = &mut state.lanes[lane(n)].values.other_wire;
            match old {
                Some(old) => wires.insert(ends, old),
                None => wires.remove(&ends),
            };
        }
        Entry::Elmore(n, vertex, old) => state.lanes[lane(n)].values.elmore[vertex as usize] = old,
        Entry::Load(n, net, old) => state.lanes[lane(n)].values.load[net.index()] = *old,
        Entry::Arc(n, slot, delay, slew) => {
            let values = &mut state.lanes[lane(n)].values;
            values.arc[slot as usize] = delay;
            values.arc_slew[slot as usize] = slew;
        }
        Entry::Base(n, cell, old) => state.lanes[lane(n)].values.base[cell.index()] = old,
        Entry::Plain(n, vertex, old) => {
            state.lanes[lane(n)].values.paths.set(vertex, Found::Plain(old));
        }
        Entry::Many(n, vertex, old) => {
            state.lanes[lane(n)].values.paths.set(vertex, Found::Many(*old));
        }
        Entry::End(n, vertex, old) => {
            let before =
                std::mem::replace(&mut state.lanes[lane(n)].values.end[vertex as usize], old);
            state.end_moved(lane(n), vertex, before);
        }
        Entry::Flushed(n, taken) => state.lanes[lane(n)].stale.give_back(&taken),
        Entry::Slots(n, old) => {
            state.lanes[lane(n)].values.arc.truncate(old);
            state.lanes[lane(n)].values.arc_slew.truncate(old);
        }
        Entry::Level(vertex, old) => state.graph.level[vertex as usize] = old,
        Entry::Flags(vertex, old) => state.graph.flags[vertex as usize] = old,
        Entry::Master(cell, old) => state.graph.master[cell.index()] = old,
        Entry::Fan(vertex, old) => state.graph.fans.restore(vertex, old),
        Entry::Special(cell, old) => {
            state.graph.is_special[cell.index()] = old.is_some();
            match old {
                Some(old) => state.graph.special.insert(cell, *old),
                None => state.graph.special.remove(&cell),
            };
        }
        Entry::Several(net, old) => state.graph.several[net.index()] = old,
        Entry::Grown(lengths) => {
            let [vertices, cells, nets] = *lengths;
            let graph = &mut state.graph;
            graph.flags.truncate(vertices);
            graph.level.truncate(vertices);
            graph.clocks.truncate(vertices);
            graph.fans.shrink(vertices);
            graph.master.truncate(cells);
            graph.is_special.truncate(cells);
            graph.several.truncate(nets);
            for lane in &mut state.lanes {
                let values = &mut lane.values;
                values.slew.truncate(vertices);
                values.wire.truncate(vertices);
                values.elmore.truncate(vertices);
                values.paths.shrink(vertices);
                values.required.truncate(vertices);
                values.end.truncate(vertices);
                values.base.truncate(cells);
                values.load.truncate(nets);
                lane.stale.shrink(vertices);
            }
        }
        Entry::Rebuilt(old) => *state = *old,
    }
}
