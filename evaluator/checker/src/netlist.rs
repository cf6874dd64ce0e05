//! What a chain of changes must leave as it was: one driver per net, nothing newly dangling, the
//! logic, and what nobody may touch.
//!
//! Base and result are compared as states; how the changes got from one to the other does not
//! matter. Logic is compared across buffers: the *origin* of a net is the net in front of all
//! buffers that lead to it. A cell computes what it did when each of its functions, read over the
//! origins of its inputs, has the same truth table as before.

use std::collections::BTreeMap;

use cellwright_db::library::PinDirection;
use cellwright_db::logic::Expr;
use cellwright_db::{CellId, NetId, Owner, PinId};

use crate::logic;
use crate::state::State;

/// What is wrong, and what could not be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Netlist {
    /// Broken rules, for people.
    pub problems: Vec<String>,
    /// What was not shown either way.
    pub not_checked: Vec<String>,
}

/// Compares a result with its base.
pub fn check(base: &State, result: &State) -> Netlist {
    let mut found = Netlist::default();
    nets(base, result, &mut found);
    pins(base, result, &mut found);
    cells(base, result, &mut found);
    functions(base, result, &mut found);
    found
}

/// Pins that drive a net: outputs and input ports; bidirectional pins count where nothing else
/// does.
fn drivers(state: &State, net: NetId) -> Vec<PinId> {
    let of = |wanted: PinDirection| -> Vec<PinId> {
        let pins = state.pins(net).iter().copied();
        pins.filter(|pin| state.direction(*pin) == wanted).collect()
    };
    let outputs = of(PinDirection::Output);
    if outputs.is_empty() { of(PinDirection::Inout) } else { outputs }
}

fn nets(base: &State, result: &State, found: &mut Netlist) {
    for net in result.design.nets() {
        let count = |state: &State| drivers(state, net).len();
        let old = base.design.has_net(net);
        let (before, after) = (if old { count(base) } else { 1 }, count(result));
        let name = result.design.net_name(net);
        if after > 1 && after > before {
            found.problems.push(format!("net `{name}` has {after} drivers, {before} before"));
        }
        let loaded = result.pins(net).iter().any(|pin| result.direction(*pin).loads());
        let routed = result.design.net(net).kind.is_routed();
        if after == 0 && before > 0 && loaded && routed {
            found.problems.push(format!("net `{name}` has loads and lost its driver"));
        }
    }
    for net in base.design.nets().filter(|net| !result.design.has_net(*net)) {
        let ports = base.pins(net).iter().any(|pin| {
            matches!(base.design.owner(*pin), Owner::Port(_))
                && result.design.pin_net(*pin).is_none()
        });
        if ports {
            let name = base.design.net_name(net);
            found.problems.push(format!("net `{name}` is gone and leaves a port unconnected"));
        }
    }
}

fn pins(base: &State, result: &State, found: &mut Netlist) {
    for pin in (0..result.design.pin_slots()).map(PinId::new) {
        if !result.design.has_pin(pin) || result.design.pin_net(pin).is_some() {
            continue;
        }
        let was_dangling = base.design.has_pin(pin) && base.design.pin_net(pin).is_none();
        if result.direction(pin).loads() && !was_dangling {
            let name = result.design.pin_name(pin);
            found.problems.push(format!("input `{name}` is unconnected"));
        }
    }
}

fn cells(base: &State, result: &State, found: &mut Netlist) {
    let library = base.design.library();
    for old in &base.cells {
        let name = base.design.cell_name(old.id);
        let record = base.design.cell(old.id);
        let bound = old.place.is_fixed() || record.dont_touch;
        if !result.design.has_cell(old.id) {
            if bound {
                found.problems.push(format!("cell `{name}` must not be touched and is gone"));
            }
            continue;
        }
        let (master, place) = (result.design.master_id(old.id), result.design.place(old.id));
        if bound && place != old.place {
            found.problems.push(format!("cell `{name}` must not be moved and was"));
        }
        if bound && master != old.master {
            found.problems.push(format!("cell `{name}` must not be resized and was"));
        }
        if record.dont_touch {
            let nets = |state: &State| -> Vec<Option<NetId>> {
                state.design.cell_pins(old.id).map(|pin| state.design.pin_net(pin)).collect()
            };
            if master == old.master && nets(base) != nets(result) {
                found.problems.push(format!("cell `{name}` must not be rewired and was"));
            }
        }
        match logic::same_cells(library, old.master, master) {
            Some(true) => {}
            Some(false) => {
                let [from, to] = [old.master, master].map(|id| &library.masters[id].name);
                found.problems.push(format!("cell `{name}`: `{to}` does not compute `{from}`"));
            }
            None => {
                let [from, to] = [old.master, master].map(|id| &library.masters[id].name);
                let text = format!("cell `{name}`: whether `{to}` computes `{from}`");
                found.not_checked.push(text);
            }
        }
    }
    for net in base.design.nets() {
        let moved = result.design.has_net(net) && base.pins(net) == result.pins(net);
        if base.design.net(net).dont_touch && !moved {
            let name = base.design.net_name(net);
            found.problems.push(format!("net `{name}` must not be rewired and was"));
        }
    }
}

/// Input and output pin of a cell that is a buffer: one input, one output that repeats it.
fn buffer(state: &State, cell: CellId) -> Option<(PinId, PinId)> {
    let master = state.design.master(cell);
    let logic = state.design.library().logic(state.design.master_id(cell))?;
    let [a, b] = master.pins.as_slice() else { return None };
    let (input, output) = match (a.direction, b.direction) {
        (PinDirection::Input, PinDirection::Output) => (0, 1),
        (PinDirection::Output, PinDirection::Input) => (1, 0),
        _ => return None,
    };
    let pin = logic.pins.get(output)?;
    let function = pin.function.as_ref()?;
    let repeats = logic::same_under((function, &|v| v), (&Expr::Var(input as u32), &|v| v));
    let plain = logic.sequentials.is_empty() && pin.three_state.is_none();
    let first = state.design.cell(cell).first_pin.0;
    (repeats == Some(true) && plain)
        .then(|| (PinId(first + input as u32), PinId(first + output as u32)))
}

/// Most buffers in a row that are looked through; a ring of buffers ends here too.
const LONGEST_CHAIN: usize = 4096;

/// The net in front of all buffers, by net slot.
fn origins(state: &State) -> Vec<NetId> {
    let mut up: Vec<Option<NetId>> = vec![None; state.net_pins.len()];
    for cell in &state.cells {
        if let Some((input, output)) = buffer(state, cell.id)
            && let (Some(from), Some(to)) =
                (state.design.pin_net(input), state.design.pin_net(output))
            && drivers(state, to) == [output]
        {
            up[to.index()] = Some(from);
        }
    }
    (0..up.len())
        .map(|net| {
            let mut net = NetId::new(net);
            for _ in 0..LONGEST_CHAIN {
                match up[net.index()] {
                    Some(from) => net = from,
                    None => break,
                }
            }
            net
        })
        .collect()
}

/// A net as a signal number; unconnected pins are all one signal that no net is.
fn signal(state: &State, origins: &[NetId], pin: PinId) -> u32 {
    state.design.pin_net(pin).map_or(u32::MAX, |net| origins[net.index()].0)
}

/// Every cell that is there before and after computes the same, every output port shows the same,
/// and what came or went is a buffer.
fn functions(base: &State, result: &State, found: &mut Netlist) {
    let (old, new) = (origins(base), origins(result));
    for cell in &base.cells {
        if !result.design.has_cell(cell.id) {
            if buffer(base, cell.id).is_none() {
                let name = base.design.cell_name(cell.id);
                found.problems.push(format!("cell `{name}` is gone and was no buffer"));
            }
            continue;
        }
        let first = base.design.cell(cell.id).first_pin.0;
        let before = |v: u32| signal(base, &old, PinId(first + v));
        let after = |v: u32| signal(result, &new, PinId(first + v));
        let master = base.design.master(cell.id);
        let loads = |number: &u32| master.pins[*number as usize].direction.loads();
        let inputs = (0..master.pins.len() as u32).filter(loads);
        if inputs.clone().all(|v| before(v) == after(v)) {
            continue;
        }
        let Some(logic) = base.design.library().logic(cell.master) else {
            found.not_checked.push(changed(base, cell.id));
            continue;
        };
        let of_pins = logic.pins.iter().flat_map(|pin| [&pin.function, &pin.three_state]);
        let of_states = logic.sequentials.iter().flat_map(logic::exprs);
        let mut exprs = of_pins.chain(of_states).flatten().peekable();
        let stated = exprs.peek().is_some() && logic.clock_gate.is_none();
        // State variables mean themselves on both sides.
        let of = |pin: &dyn Fn(u32) -> u32, v: u32| if v < Expr::STATE { pin(v) } else { !v };
        let same = |expr: &Expr| {
            logic::same_under((expr, &|v| of(&before, v)), (expr, &|v| of(&after, v)))
        };
        if !stated || !exprs.all(|expr| same(expr) == Some(true)) {
            found.not_checked.push(changed(base, cell.id));
        }
    }
    for cell in result.cells.iter().filter(|cell| !base.design.has_cell(cell.id)) {
        if buffer(result, cell.id).is_none() {
            let name = result.design.cell_name(cell.id);
            found.problems.push(format!("cell `{name}` is new and no buffer"));
        }
    }
    let mut shown: BTreeMap<PinId, String> = BTreeMap::new();
    for (port, record) in base.design.ports().iter() {
        shown.insert(record.pin, base.design.port_name(port).to_owned());
    }
    for (pin, name) in shown {
        if signal(base, &old, pin) != signal(result, &new, pin) {
            found.not_checked.push(format!("whether port `{name}` still shows the same signal"));
        }
    }
}

fn changed(base: &State, cell: CellId) -> String {
    let name = base.design.cell_name(cell);
    format!("whether cell `{name}`, rewired, computes what it did")
}
