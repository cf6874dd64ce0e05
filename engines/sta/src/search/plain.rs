//! Arrivals where all paths differ in side and edge alone, which is most of a design.
//!
//! The same arithmetic in the same order as the general search, without keys to make and merge.

use cellwright_db::{CellId, Owner};

use super::paths::Plain;
use super::{Context, Values, key, worse};
use crate::graph::model::{Model, NO_SLOT, Role};
use crate::graph::{Vertex, flag};

/// Vertices that only the general search evaluates.
const SPECIAL: u16 = flag::CONSTANT | flag::CUT | flag::SEED | flag::THROUGH;

/// Takes a path's arrival into those found; NaN is none.
#[inline]
fn take(found: &mut f32, new: f32, side: usize) {
    if found.is_nan() || worse(side, new, *found) {
        *found = new;
    }
}

impl Context<'_> {
    /// The paths of a driving vertex from those of its cell's inputs, and how many arcs were looked
    /// at; `None` where the general search has to be asked.
    #[inline]
    pub(crate) fn plain_driver(&self, values: &Values, vertex: Vertex) -> Option<(Plain, u64)> {
        let flags = self.view.flags(vertex);
        if flags & SPECIAL != 0 || flags & flag::DRIVER == 0 || self.setup.single_derates {
            return None;
        }
        let Owner::Cell(cell, number) = self.view.design.owner(self.view.pin(vertex)) else {
            return None;
        };
        self.plain_gate(values, cell, number.index(), self.view.model(cell)?)
    }

    fn plain_gate(
        &self,
        values: &Values,
        cell: CellId,
        number: usize,
        model: &Model,
    ) -> Option<(Plain, u64)> {
        let first = self.view.design.cell(cell).first_pin;
        let base = values.base[cell.index()] as usize;
        let delays = &values.arc[base..base + model.slots as usize];
        let factors = &self.setup.factors.cell[1];
        let mut found = Plain::NONE;
        let mut work = 0;
        for &arc in &model.pins[number].fanin {
            let pairs = self.view.pairs(cell, model, arc);
            if pairs == 0 {
                continue;
            }
            work += 1;
            let entry = &model.arcs[arc as usize];
            let from = values.paths.plain(self.view.arc_from(first, entry.from))?;
            if entry.role != Role::Combinational || key::is_clock(from.head) {
                return None;
            }
            if from.is_empty() {
                continue;
            }
            if from.head != found.head {
                if !found.is_empty() {
                    return None;
                }
                found.head = from.head;
            }
            for pair in 0..4 {
                if pairs >> pair & 1 == 0 || entry.slot[pair] == NO_SLOT {
                    continue;
                }
                let (from_edge, to_edge) = (pair / 2, pair % 2);
                let delay = delays[usize::from(entry.slot[pair])];
                for side in 0..2 {
                    let arrival = from.at[side * 2 + from_edge];
                    if arrival.is_nan() || delay[side].is_nan() {
                        continue;
                    }
                    let new = arrival + delay[side] * factors[side][to_edge];
                    if new.is_nan() {
                        // Out of the range of numbers, which here would read as no path.
                        return None;
                    }
                    take(&mut found.at[side * 2 + to_edge], new, side);
                }
            }
        }
        if found.is_empty() {
            found.head = 0;
        }
        Some((found, work))
    }

    /// The paths of a load from those of the one driver of its net, whose wire carries them; `None`
    /// where the general search has to be asked.
    #[inline]
    pub(crate) fn plain_load(
        &self,
        values: &Values,
        driver: Vertex,
        load: Vertex,
    ) -> Option<Plain> {
        let flags = self.view.flags(load);
        if flags & (SPECIAL | flag::DRIVER) != 0
            || flags & flag::LOAD == 0
            || self.view.flags(driver) & flag::CUT != 0
            || self.setup.single_derates
        {
            return None;
        }
        let mut found = *values.paths.plain(driver)?;
        let is_clock = key::is_clock(found.head);
        let still = is_clock && !self.is_propagated(found.head);
        if still && (flags | self.view.flags(driver)) & flag::AS_DATA != 0 {
            return None;
        }
        let wire = values.wire_delay(driver, load);
        let factors = &self.setup.factors.net[usize::from(!is_clock)];
        for corner in 0..4 {
            let add = match (still, self.setup.plain) {
                (true, _) => 0.0,
                (_, true) => wire[corner],
                _ => wire[corner] * factors[corner / 2][corner % 2],
            };
            let arrival = found.at[corner];
            found.at[corner] = arrival + add;
            if found.at[corner].is_nan() && !arrival.is_nan() {
                return None;
            }
        }
        if found.is_empty() {
            found.head = 0;
        }
        Some(found)
    }
}
