//! Gates that let a clock through or not, other than the library's own clock gates.
//!
//! An and- or or-like gate passes its clock while its other input, the enable, is at the level that
//! lets it. The enable must not change while the clock is at the level at which the gate listens to
//! it: high for an and, low for an or. A selector or an exclusive or listens at both and is no gate.

use std::collections::BTreeMap;

use cellwright_db::logic::Expr;
use cellwright_db::{CellId, Design, PinId};

use super::{Graph, build, flag};
use crate::constraints::Constraints;

/// A clock pin and an enable pin of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gating {
    /// Number of the pin that the clock comes in by.
    pub(crate) clock: u16,
    /// Number of the enable pin.
    pub(crate) enable: u16,
    /// Clock level during which the enable must be stable: `true` for high.
    pub(crate) high: bool,
}

/// The gates of a design by cell.
pub(crate) type Gates = BTreeMap<CellId, Vec<Gating>>;

/// Whether `function` depends on `input` with `fixed` at a level.
fn listens(
    function: &Expr,
    input: u32,
    (fixed, level): (u32, bool),
    value: &impl Fn(u32) -> Option<bool>,
) -> bool {
    let with = |number: u32| if number == fixed { Some(level) } else { value(number) };
    build::sense(function, input, &with) != 0
}

/// Finds the gates of one cell that a clock passes through.
fn of_cell(design: &Design, graph: &Graph, cell: CellId) -> Vec<Gating> {
    let first = design.cell(cell).first_pin;
    let pin = |number: u32| PinId(first.0 + number);
    let has_clock = |vertex: u32| graph.clocks.get(vertex as usize).is_some_and(|set| *set != 0);
    let Some(logic) = design.library().logic(design.master_id(cell)) else { return Vec::new() };
    if logic.clock_gate.is_some() || !logic.sequentials.is_empty() {
        return Vec::new();
    }
    let value = |number: u32| graph.value(graph.vertex(pin(number)));
    let mut found: Vec<Gating> = Vec::new();
    for (number, side) in logic.pins.iter().enumerate() {
        let Some(function) = &side.function else { continue };
        if !has_clock(graph.driver_vertex(pin(number as u32))) {
            continue;
        }
        let inputs = function.variables();
        if inputs.iter().any(|input| *input >= Expr::STATE) {
            continue;
        }
        let is_clock = |input: u32| has_clock(graph.vertex(pin(input)));
        let is_enable = |input: u32| {
            let connected = design.pin_net(pin(input)).is_some();
            !is_clock(input) && connected && value(input).is_none()
        };
        for &clock in inputs.iter().filter(|input| is_clock(**input)) {
            for &enable in inputs.iter().filter(|input| is_enable(**input)) {
                let at = |level: bool| listens(function, enable, (clock, level), &value);
                let gating = match (at(false), at(true)) {
                    (false, true) => true,
                    (true, false) => false,
                    _ => continue,
                };
                let new = Gating { clock: clock as u16, enable: enable as u16, high: gating };
                if !found.contains(&new) {
                    found.push(new);
                }
            }
        }
    }
    found
}

/// Finds all gates and flags their pins.
pub(crate) fn find(design: &Design, constraints: &Constraints, graph: &mut Graph) {
    let mut gates = Gates::new();
    let disables = &constraints.disables;
    for cell in design.cells() {
        let reached = |pin: PinId| graph.clocks[graph.vertex(pin) as usize] != 0;
        if disables.gating_cells.contains(&cell) || !design.cell_pins(cell).any(reached) {
            continue;
        }
        let first = design.cell(cell).first_pin;
        let pin = |number: u16| PinId(first.0 + u32::from(number));
        let off = |number: u16| disables.gating_pins.contains(&pin(number));
        let mut list = of_cell(design, graph, cell);
        list.retain(|gate| !off(gate.clock) && !off(gate.enable));
        for gate in &list {
            for (number, bit) in [(gate.enable, flag::GATED), (gate.clock, flag::GATES)] {
                let vertex = graph.vertex(pin(number));
                graph.flags[vertex as usize] |= bit;
            }
        }
        if !list.is_empty() {
            gates.insert(cell, list);
        }
    }
    graph.gates = gates;
}
