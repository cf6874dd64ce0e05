//! Builds the graph's facts: directions, constants, cut arcs, clock network, levels.

use std::collections::BTreeMap;

use cellwright_db::library::PinDirection;
use cellwright_db::logic::Expr;
use cellwright_db::records::NetKind;
use cellwright_db::{CellId, Design, Owner, PinId};

use super::model::{Model, Models, Role};
use super::{Graph, Vertex, View, flag, gating, levels};
use crate::constraints::{CaseValue, ClockId, ClockSenseKind, Constraints, LogicValue};

/// Variables beyond which a function's unateness under constants is not worked out.
const MOST_VARIABLES: usize = 12;

/// Builds the graph of a design under constraints.
pub(crate) fn build(design: &Design, models: &Models, constraints: &Constraints) -> Graph {
    let mut graph = Graph::default();
    directions(design, &mut graph);
    marks(constraints, design, &mut graph);
    graph.master =
        (0..design.cell_slots()).map(|cell| design.master_id(CellId::new(cell))).collect();
    graph.is_special = vec![false; design.cell_slots()];
    graph.several = (0..design.net_slots())
        .map(|net| has_several(design, cellwright_db::NetId::new(net)))
        .collect();
    constants(design, models, constraints, &mut graph);
    specials(design, models, constraints, &mut graph);
    endpoints(design, models, constraints, &mut graph);
    let mut graph = levels::levelise(design, models, graph);
    clock_network(design, models, constraints, &mut graph);
    clocks_as_data(design, models, &mut graph);
    gating::find(design, constraints, &mut graph);
    graph
}

/// Whether a net has more than one driver.
pub(crate) fn has_several(design: &Design, net: cellwright_db::NetId) -> bool {
    let drivers = |pin: &&PinId| design.pin_direction(**pin).drives();
    design.net_pins(net).iter().filter(drivers).nth(1).is_some()
}

fn directions(design: &Design, graph: &mut Graph) {
    let pins = (0..design.pin_slots()).map(PinId::new);
    let inout = |pin: &PinId| design.pin_direction(*pin) == PinDirection::Inout;
    graph.extras = pins.clone().filter(inout).collect();
    let port = |pin: PinId| match design.owner(pin) {
        Owner::Port(_) => flag::PORT,
        Owner::Cell(..) => 0,
    };
    graph.flags = graph.extras.iter().map(|pin| flag::DRIVER | port(*pin)).collect();
    graph
        .flags
        .extend(pins.map(|pin| Graph::direction_flags(design.pin_direction(pin)) | port(pin)));
}

fn mark(graph: &mut Graph, pin: PinId, bits: u16) {
    if pin.index() + graph.extras.len() >= graph.flags.len() {
        return;
    }
    for vertex in [graph.vertex(pin), graph.driver_vertex(pin)] {
        graph.flags[vertex as usize] |= bits | flag::NAMED;
    }
}

/// Flags of pins that constraints name.
fn marks(constraints: &Constraints, design: &Design, graph: &mut Graph) {
    for &pin in &constraints.disables.pins {
        mark(graph, pin, flag::CUT);
    }
    for (_, clock) in constraints.clocks.iter() {
        clock.sources.iter().for_each(|pin| mark(graph, *pin, flag::SEED));
        if let Some(source) = clock.generated.as_ref().and_then(|generated| generated.source) {
            mark(graph, source, 0);
        }
    }
    for delay in &constraints.input_delays {
        mark(graph, delay.pin, flag::SEED);
    }
    for delay in &constraints.output_delays {
        mark(graph, delay.pin, flag::END);
        if let Some(pin) = delay.reference_pin {
            mark(graph, pin, 0);
        }
    }
    for (_, port) in design.ports().iter() {
        // Input ports without delay still start paths, which may turn out unconstrained.
        if matches!(port.direction, PinDirection::Input | PinDirection::Inout) {
            mark(graph, port.pin, flag::SEED);
        }
        if matches!(port.direction, PinDirection::Output | PinDirection::Inout) {
            mark(graph, port.pin, flag::END);
        }
    }
    for exception in &constraints.exceptions {
        let ends = exception.from.iter().chain(&exception.to);
        for point in ends.chain(&exception.through) {
            point.pins.iter().for_each(|pin| mark(graph, *pin, 0));
        }
        if let Some(to) = &exception.to {
            to.pins.iter().for_each(|pin| mark(graph, *pin, flag::END));
        }
        for point in &exception.through {
            point.pins.iter().for_each(|pin| mark(graph, *pin, flag::THROUGH));
            for &net in &point.nets {
                if design.has_net(net) {
                    design
                        .net_pins(net)
                        .iter()
                        .filter(|pin| design.pin_direction(**pin).drives())
                        .for_each(|pin| mark(graph, *pin, flag::THROUGH));
                }
            }
            for &cell in &point.cells {
                if design.has_cell(cell) {
                    design.cell_pins(cell).for_each(|pin| mark(graph, pin, flag::THROUGH));
                }
            }
        }
    }
    for sense in &constraints.clock_senses {
        let bits = if sense.kind == ClockSenseKind::Stop { flag::STOP } else { 0 };
        sense.pins.iter().for_each(|pin| mark(graph, *pin, bits));
    }
    for check in &constraints.data_checks {
        mark(graph, check.to, flag::END);
        mark(graph, check.from, 0);
    }
    let named = constraints.case.keys().chain(constraints.logic.keys());
    named.for_each(|pin| mark(graph, *pin, 0));
}

fn set_constant(graph: &mut Graph, work: &mut Vec<Vertex>, vertex: Vertex, value: bool) {
    let flags = &mut graph.flags[vertex as usize];
    if *flags & flag::CONSTANT == 0 {
        *flags |= if value { flag::ONE } else { flag::ZERO };
        work.push(vertex);
    }
}

/// Constants from supplies, tie cells, case analysis and logic values, through functions.
fn constants(design: &Design, models: &Models, constraints: &Constraints, graph: &mut Graph) {
    let mut work = Vec::new();
    let given = constraints.case.iter().filter_map(|(pin, value)| match value {
        CaseValue::Zero => Some((*pin, false)),
        CaseValue::One => Some((*pin, true)),
        CaseValue::Rising | CaseValue::Falling => None,
    });
    let logic = constraints.logic.iter().filter_map(|(pin, value)| match value {
        LogicValue::Zero => Some((*pin, false)),
        LogicValue::One => Some((*pin, true)),
        LogicValue::DontCare => None,
    });
    for (pin, value) in given.chain(logic) {
        if design.has_pin(pin) {
            for vertex in [graph.vertex(pin), graph.driver_vertex(pin)] {
                set_constant(graph, &mut work, vertex, value);
            }
        }
    }
    for net in design.nets() {
        let value = match design.net(net).kind {
            NetKind::Power => true,
            NetKind::Ground => false,
            _ => continue,
        };
        for &pin in design.net_pins(net) {
            let vertex = graph.vertex(pin);
            set_constant(graph, &mut work, vertex, value);
        }
    }
    for cell in design.cells() {
        let tied = design.library().logic(design.master_id(cell)).is_some_and(|cell| {
            cell.pins.iter().any(|pin| matches!(pin.function, Some(Expr::Const(_))))
        });
        if tied {
            outputs(design, graph, &mut work, cell);
        }
    }
    while let Some(vertex) = work.pop() {
        let Some(value) = graph.value(vertex) else { continue };
        let pin = graph.pin(vertex);
        if graph.flags[vertex as usize] & flag::DRIVER != 0 {
            let Some(net) = design.pin_net(pin) else { continue };
            for &load in design.net_pins(net) {
                let load = graph.vertex(load);
                if graph.flags[load as usize] & flag::LOAD != 0 {
                    set_constant(graph, &mut work, load, value);
                }
            }
        } else if let Owner::Cell(cell, _) = design.owner(pin) {
            outputs(design, graph, &mut work, cell);
        }
    }
    let _ = models;
}

/// Sets the outputs of a cell that its constant inputs decide.
fn outputs(design: &Design, graph: &mut Graph, work: &mut Vec<Vertex>, cell: CellId) {
    let Some(logic) = design.library().logic(design.master_id(cell)) else { return };
    let first = design.cell(cell).first_pin;
    for (number, pin) in logic.pins.iter().enumerate() {
        let Some(function) = &pin.function else { continue };
        let mut value = |variable: u32| {
            if variable >= Expr::STATE {
                return None;
            }
            graph.value(graph.vertex(PinId(first.0 + variable)))
        };
        if let Some(value) = function.eval(&mut value) {
            let vertex = graph.driver_vertex(PinId(first.0 + number as u32));
            set_constant(graph, work, vertex, value);
        }
    }
}

/// Arcs that constants and disables cut.
fn specials(design: &Design, models: &Models, constraints: &Constraints, graph: &mut Graph) {
    let disables = &constraints.disables;
    let mut cells: Vec<CellId> = Vec::new();
    for vertex in 0..graph.len() as Vertex {
        if graph.flags[vertex as usize] & (flag::CONSTANT | flag::CUT) != 0
            && let Owner::Cell(cell, _) = design.owner(graph.pin(vertex))
            && design.has_cell(cell)
        {
            cells.push(cell);
        }
    }
    cells.extend(disables.cells.iter().map(|disable| disable.of));
    if !disables.masters.is_empty() || !disables.master_pins.is_empty() {
        cells.extend(design.cells().filter(|cell| {
            let master = design.master_id(*cell);
            disables.masters.iter().any(|disable| disable.of == master)
                || disables.master_pins.iter().any(|(of, _)| *of == master)
        }));
    }
    cells.sort_unstable();
    cells.dedup();
    for cell in cells.into_iter().filter(|cell| design.has_cell(*cell)) {
        let master = design.master_id(cell);
        let Some(model) = models.get(master) else { continue };
        let special = special_of(design, graph, constraints, cell, model);
        graph.is_special[cell.index()] = true;
        graph.special.insert(cell, special);
    }
}

/// Works out anew what constants and disables cut in one cell, after its master changed.
pub(crate) fn respecial(
    design: &Design,
    graph: &mut Graph,
    constraints: &Constraints,
    cell: CellId,
    model: &Model,
) {
    let special = special_of(design, graph, constraints, cell, model);
    graph.is_special[cell.index()] = true;
    graph.special.insert(cell, special);
}

fn special_of(
    design: &Design,
    graph: &Graph,
    constraints: &Constraints,
    cell: CellId,
    model: &Model,
) -> super::Special {
    let master = design.master_id(cell);
    let disables = &constraints.disables;
    let first = design.cell(cell).first_pin;
    let pin = |number: u16| PinId(first.0 + u32::from(number));
    let value_of = |number: u32| {
        if number >= Expr::STATE {
            None
        } else {
            graph.value(graph.vertex(PinId(first.0 + number)))
        }
    };
    let holds = |when: &Option<Expr>| {
        when.as_ref().is_none_or(|when| when.eval(&mut { value_of }) != Some(false))
    };
    let is_cut = |from: u16, to: u16| {
        let hit = |disable_from: Option<cellwright_db::MasterPinId>, disable_to: Option<_>| {
            disable_from.is_none_or(|p: cellwright_db::MasterPinId| p.0 == u32::from(from))
                && disable_to.is_none_or(|p: cellwright_db::MasterPinId| p.0 == u32::from(to))
        };
        disables.cells.iter().any(|d| d.of == cell && hit(d.from, d.to))
            || disables.masters.iter().any(|d| d.of == master && hit(d.from, d.to))
            || disables
                .master_pins
                .iter()
                .any(|(of, p)| *of == master && (p.0 == u32::from(from) || p.0 == u32::from(to)))
    };
    let bits = |number: u16, drives: bool| {
        let vertex =
            if drives { graph.driver_vertex(pin(number)) } else { graph.vertex(pin(number)) };
        graph.flags[vertex as usize]
    };
    let logic = design.library().logic(master);
    let pairs = model
        .arcs
        .iter()
        .map(|arc| {
            let flags = bits(arc.from, false) | bits(arc.to, true);
            if flags & (flag::CONSTANT | flag::CUT) != 0
                || !holds(&arc.when)
                || is_cut(arc.from, arc.to)
            {
                return 0;
            }
            let function = logic
                .and_then(|logic| logic.pins.get(usize::from(arc.to)))
                .and_then(|pin| pin.function.as_ref());
            match (arc.role, function) {
                (Role::Combinational, Some(function)) => {
                    arc.pairs & sense(function, u32::from(arc.from), &value_of)
                }
                _ => arc.pairs,
            }
        })
        .collect();
    let checks = model
        .checks
        .iter()
        .map(|check| {
            let flags = bits(check.clock, false) | bits(check.data, false);
            flags & (flag::CONSTANT | flag::CUT) == 0
                && holds(&check.when)
                && !is_cut(check.clock, check.data)
        })
        .collect();
    super::Special { pairs, checks }
}

/// Edge pairs that a function can make from one input while others are constant.
pub(crate) fn sense(function: &Expr, input: u32, value_of: &impl Fn(u32) -> Option<bool>) -> u8 {
    let variables = function.variables();
    if variables.binary_search(&input).is_err() || variables.iter().any(|v| *v >= Expr::STATE) {
        return 0b1111;
    }
    let free: Vec<u32> = variables
        .into_iter()
        .filter(|variable| *variable != input && value_of(*variable).is_none())
        .collect();
    if free.len() > MOST_VARIABLES {
        return 0b1111;
    }
    let mut found = 0;
    for row in 0..1_u32 << free.len() {
        let at = |level: bool| {
            function.eval(&mut |variable| {
                if variable == input {
                    return Some(level);
                }
                match free.binary_search(&variable) {
                    Ok(bit) => Some(row >> bit & 1 == 1),
                    Err(_) => value_of(variable),
                }
            })
        };
        match (at(false), at(true)) {
            (Some(false), Some(true)) => found |= 0b1001,
            (Some(true), Some(false)) => found |= 0b0110,
            (Some(_), Some(_)) => {}
            _ => return 0b1111,
        }
    }
    found
}

/// Flags what may be an endpoint.
fn endpoints(design: &Design, models: &Models, constraints: &Constraints, graph: &mut Graph) {
    for cell in design.cells() {
        mark_ends(design, models, graph, cell);
    }
    for exception in &constraints.exceptions {
        if let Some(to) = &exception.to {
            for &cell in to.cells.iter().filter(|cell| design.has_cell(**cell)) {
                design.cell_pins(cell).for_each(|pin| mark(graph, pin, flag::END));
            }
        }
    }
}

/// Flags the constrained pins of a cell.
pub(crate) fn mark_ends(design: &Design, models: &Models, graph: &mut Graph, cell: CellId) {
    let Some(model) = models.get(design.master_id(cell)) else { return };
    let first = design.cell(cell).first_pin;
    for (number, pin) in model.pins.iter().enumerate() {
        if !pin.checks.is_empty() {
            let vertex = graph.vertex(PinId(first.0 + number as u32));
            graph.flags[vertex as usize] |= flag::END;
        }
    }
}

/// Which clocks reach which vertices: along wires and combinational arcs, up to register clock
/// pins and to sources of other clocks.
fn clock_network(design: &Design, models: &Models, constraints: &Constraints, graph: &mut Graph) {
    let mut found: BTreeMap<Vertex, Vec<u16>> = BTreeMap::new();
    let sources: BTreeMap<PinId, ()> = constraints
        .clocks
        .iter()
        .flat_map(|(_, clock)| clock.sources.iter().map(|pin| (*pin, ())))
        .collect();
    let view = View { design, models, graph };
    for (id, clock) in constraints.clocks.iter() {
        let ClockId(number) = id;
        let mut work: Vec<(Vertex, bool)> = clock
            .sources
            .iter()
            .filter(|pin| design.has_pin(**pin))
            .map(|pin| (view.driver_vertex(*pin), true))
            .collect();
        while let Some((vertex, is_source)) = work.pop() {
            let set = found.entry(vertex).or_default();
            if set.last() == Some(&(number as u16)) {
                continue;
            }
            set.push(number as u16);
            if view.flags(vertex) & (flag::CUT | flag::CONSTANT | flag::STOP) != 0 {
                continue;
            }
            if !is_source && sources.contains_key(&view.pin(vertex)) {
                continue;
            }
            clock_fanout(&view, vertex, |to| work.push((to, false)));
        }
    }
    let mut sets: Vec<Vec<u16>> = vec![Vec::new()];
    let mut known: BTreeMap<Vec<u16>, u16> = BTreeMap::new();
    let mut clocks = vec![0_u16; graph.len()];
    for (vertex, set) in found {
        let number = *known.entry(set.clone()).or_insert_with(|| {
            sets.push(set);
            (sets.len() - 1) as u16
        });
        clocks[vertex as usize] = number;
    }
    graph.clocks = clocks;
    graph.clock_sets = sets;
}

/// Flags the vertices from which a clock reaches a check or an output along its network.
fn clocks_as_data(design: &Design, models: &Models, graph: &mut Graph) {
    let mut found = vec![false; graph.len()];
    let view = View { design, models, graph };
    let mut order: Vec<Vertex> =
        (0..graph.len() as Vertex).filter(|vertex| graph.clocks[*vertex as usize] != 0).collect();
    // From the leaves on: whatever a vertex leads to is known before it is asked.
    order.sort_by_key(|vertex| (std::cmp::Reverse(graph.level[*vertex as usize]), *vertex));
    for vertex in order {
        let mut as_data = view.flags(vertex) & flag::END != 0;
        if view.flags(vertex) & (flag::CUT | flag::CONSTANT | flag::STOP) == 0 {
            clock_fanout(&view, vertex, |to| {
                as_data |= found[to as usize] && graph.clocks[to as usize] != 0;
            });
        }
        found[vertex as usize] = as_data;
    }
    for (flags, as_data) in graph.flags.iter_mut().zip(found) {
        *flags |= if as_data { flag::AS_DATA } else { 0 };
    }
}

fn clock_fanout(view: &View<'_>, vertex: Vertex, mut f: impl FnMut(Vertex)) {
    let pin = view.pin(vertex);
    if view.is_driver(vertex)
        && let Some(net) = view.design.pin_net(pin)
    {
        view.loads(net).filter(|load| view.pin(*load) != pin).for_each(&mut f);
    }
    if view.vertex(pin) == vertex
        && let Owner::Cell(cell, number) = view.design.owner(pin)
        && let Some(model) = view.model(cell)
    {
        let first = view.design.cell(cell).first_pin;
        for &arc in &model.pins[number.index()].fanout {
            let entry = &model.arcs[arc as usize];
            if entry.role == Role::Combinational && view.pairs(cell, model, arc) != 0 {
                f(view.arc_to(first, entry.to));
            }
        }
    }
}
