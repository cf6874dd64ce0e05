//! Checks that netlist and libraries ask for and that are not made, in words with an example each.

use cellwright_db::timing::ArcKind;
use cellwright_db::{CellId, Design, MasterPinId, PinId};

use crate::constraints::Disables;
use crate::graph::{Graph, build};

/// What of a design is not checked.
pub(crate) fn untimed(design: &Design, graph: &Graph, disables: &Disables) -> Vec<String> {
    let mut told = Vec::new();
    if let Some((count, cell, pin)) = counted(design, |cell| skew(design, cell)) {
        told.push(format!(
            "skew checks are not made: {count} cells have them in their library, such as pin `{pin}` \
             of `{cell}`"
        ));
    }
    if let Some((count, cell, pin)) = counted(design, |cell| gated(design, graph, disables, cell)) {
        told.push(format!(
            "clock gating checks are made of the library's own gates and where an input counts at \
             one level of the clock alone: {count} cells mix a clock with data otherwise, such as \
             `{cell}` with pin `{pin}`"
        ));
    }
    told
}

/// How many cells have what `find` looks for, and the first of them with the pin found.
fn counted(
    design: &Design,
    find: impl Fn(CellId) -> Option<MasterPinId>,
) -> Option<(usize, String, String)> {
    let mut found = design.cells().filter_map(|cell| Some((cell, find(cell)?)));
    let (cell, pin) = found.next()?;
    let name = design.master(cell).pins.get(pin.index()).map_or("", |pin| &pin.name);
    Some((1 + found.count(), design.cell_name(cell).to_string(), name.to_owned()))
}

fn skew(design: &Design, cell: CellId) -> Option<MasterPinId> {
    let logic = design.library().logic(design.master_id(cell))?;
    logic.arcs.iter().find(|arc| matches!(arc.kind, ArcKind::Skew(_))).map(|arc| arc.to)
}

/// A data pin that bears on a clock in a gate and that [`crate::graph::gating`] finds no check for. A
/// selector or an exclusive or gates nothing.
fn gated(design: &Design, graph: &Graph, disables: &Disables, cell: CellId) -> Option<MasterPinId> {
    if disables.gating_cells.contains(&cell) {
        return None;
    }
    let first = design.cell(cell).first_pin;
    let pin = |number: u32| PinId(first.0 + number);
    let has_clock = |vertex: u32| graph.clocks.get(vertex as usize).is_some_and(|set| *set != 0);
    if !design.cell_pins(cell).any(|pin| has_clock(graph.vertex(pin))) {
        return None;
    }
    let logic = design.library().logic(design.master_id(cell))?;
    if logic.clock_gate.is_some() || !logic.sequentials.is_empty() {
        return None;
    }
    let value = |number: u32| graph.value(graph.vertex(pin(number)));
    for (number, side) in logic.pins.iter().enumerate() {
        let Some(function) = &side.function else { continue };
        if !has_clock(graph.driver_vertex(pin(number as u32))) {
            continue;
        }
        let unate = |input: u32| matches!(build::sense(function, input, &value), 0b1001 | 0b0110);
        let inputs = function.variables();
        let is_clock = |input: &u32| has_clock(graph.vertex(pin(*input)));
        if !inputs.iter().any(|input| is_clock(input) && unate(*input)) {
            continue;
        }
        let data = |input: &&u32| {
            let connected = design.pin_net(pin(**input)).is_some();
            let checked = graph
                .gates
                .get(&cell)
                .is_some_and(|gates| gates.iter().any(|gate| u32::from(gate.enable) == **input));
            !is_clock(input)
                && connected
                && !checked
                && !disables.gating_pins.contains(&pin(**input))
                && value(**input).is_none()
                && unate(**input)
        };
        if let Some(data) = inputs.iter().find(data) {
            return Some(MasterPinId(*data));
        }
    }
    None
}
