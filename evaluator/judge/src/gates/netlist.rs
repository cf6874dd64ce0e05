//! The netlist stays sound and its logic the same.

use cellwright_contract::gate::{GateId, GateResult};
use cellwright_db::logic::Expr;
use cellwright_db::{CellId, Design, NetId, Op, Owner, PinId, Snapshot};

use super::{Case, fail, pass};

pub(super) fn check(case: &Case<'_>, gates: &mut Vec<GateResult>) {
    let mut part = |id: GateId, found: Option<String>| {
        gates.push(match found {
            Some(evidence) => fail(id, evidence),
            None => pass(id),
        });
    };
    part(GateId::NetlistDriver, drivers(case));
    part(GateId::NetlistDangling, dangling(case));
    part(GateId::NetlistFunction, functions(case));
    part(GateId::NetlistLogic, logic(case));
}

fn count_drivers(design: &Design, pins: &[PinId]) -> usize {
    use cellwright_db::library::PinDirection::Output;
    pins.iter().filter(|pin| design.pin_direction(**pin) == Output).count()
}

fn net_text(case: &Case<'_>, net: NetId) -> String {
    format!("{net:?} ({})", case.design.net_name(net))
}

/// Every touched net has one driver, or as many as it had before.
fn drivers(case: &Case<'_>) -> Option<String> {
    let design = case.design;
    case.dirty.nets.iter().find_map(|&net| {
        if !design.has_net(net) || !design.net(net).kind.is_routed() {
            return None;
        }
        let now = count_drivers(design, design.net_pins(net));
        let before = case.parent.net(net).map(|_| count_drivers(design, case.parent.net_pins(net)));
        // A net that only an inout drives has a driver too.
        let driven = now == 1 || (now == 0 && design.driver(net).is_some());
        (!driven && before != Some(now))
            .then(|| format!("{} has {now} drivers", net_text(case, net)))
    })
}

/// No pin loses its net, no new cell has an open input, no net ends nowhere.
fn dangling(case: &Case<'_>) -> Option<String> {
    let design = case.design;
    let open_pin = case.dirty.pins.iter().find_map(|&pin| {
        let had_net = case.parent.pin(pin).is_some_and(|pin| pin.net.some().is_some());
        let lost = had_net && design.has_pin(pin) && design.pin_net(pin).is_none();
        lost.then(|| format!("{pin:?} ({}) lost its net", design.pin_name(pin)))
    });
    let open_input = || {
        let new = case.dirty.cells.iter().filter(|cell| case.parent.cell(**cell).is_none());
        new.filter(|cell| design.has_cell(**cell))
            .flat_map(|cell| design.cell_pins(*cell))
            .find_map(|pin| {
                let open = design.pin_direction(pin).loads() && design.pin_net(pin).is_none();
                open.then(|| format!("input {} of a new cell is open", design.pin_name(pin)))
            })
    };
    let short_net = || {
        case.dirty.nets.iter().find_map(|&net| {
            if !design.has_net(net) {
                return None;
            }
            let (now, new) = (design.net_pins(net).len(), case.parent.net(net).is_none());
            let before = if new { 2 } else { case.parent.net_pins(net).len() };
            (now < 2 && now < before)
                .then(|| format!("{} is left with {now} pins", net_text(case, net)))
        })
    };
    open_pin.or_else(open_input).or_else(short_net)
}

/// A resize stays within one function.
fn functions(case: &Case<'_>) -> Option<String> {
    let library = case.design.library();
    case.design.ops_since(case.mark).find_map(|op| match op {
        Op::Resize { cell, from, to } if !library.same_function(*from, *to) => Some(format!(
            "{cell:?} ({}): nothing shows that {} does the same as {}",
            case.design.cell_name(*cell),
            library.masters[*to].name,
            library.masters[*from].name
        )),
        _ => None,
    })
}

/// What a net carries, looked up through buffers: the pin of the first driver that is no buffer,
/// or the net itself when nothing drives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Driver(PinId),
    Undriven(NetId),
}

/// A state in which nets can be traced: the parent or the child.
trait Wires {
    fn pin_net(&self, pin: PinId) -> Option<NetId>;
    fn driver(&self, net: NetId) -> Option<PinId>;
    fn master(&self, cell: CellId) -> Option<cellwright_db::MasterId>;
    fn first_pin(&self, cell: CellId) -> Option<PinId>;
}

struct Parent<'a>(&'a Snapshot, &'a Design);

impl Wires for Parent<'_> {
    fn pin_net(&self, pin: PinId) -> Option<NetId> {
        self.0.pin(pin).and_then(|record| record.net.some())
    }
    fn driver(&self, net: NetId) -> Option<PinId> {
        // Directions do not change with a delta, so the child's answer holds for the parent too;
        // pins of cells that the delta removed still have their records.
        use cellwright_db::library::PinDirection::{Inout, Output};
        let pins = self.0.net_pins(net);
        let of = |wanted| pins.iter().copied().find(|pin| self.1.pin_direction(*pin) == wanted);
        of(Output).or_else(|| of(Inout))
    }
    fn master(&self, cell: CellId) -> Option<cellwright_db::MasterId> {
        self.0.cell(cell).map(|record| record.master)
    }
    fn first_pin(&self, cell: CellId) -> Option<PinId> {
        self.0.cell(cell).map(|record| record.first_pin)
    }
}

impl Wires for Design {
    fn pin_net(&self, pin: PinId) -> Option<NetId> {
        Design::pin_net(self, pin)
    }
    fn driver(&self, net: NetId) -> Option<PinId> {
        Design::driver(self, net)
    }
    fn master(&self, cell: CellId) -> Option<cellwright_db::MasterId> {
        self.has_cell(cell).then(|| self.master_id(cell))
    }
    fn first_pin(&self, cell: CellId) -> Option<PinId> {
        self.has_cell(cell).then(|| self.cell(cell).first_pin)
    }
}

fn origin(design: &Design, wires: &impl Wires, mut net: NetId) -> Origin {
    // A chain of buffers is shorter than the number of cells, unless it is a loop.
    for _ in 0..=design.cell_slots() {
        let Some(driver) = wires.driver(net) else { return Origin::Undriven(net) };
        let Owner::Cell(cell, _) = design.owner(driver) else { return Origin::Driver(driver) };
        let pins = wires.master(cell).and_then(|master| design.library().buffer_pins(master));
        let (Some((input, _)), Some(first)) = (pins, wires.first_pin(cell)) else {
            return Origin::Driver(driver);
        };
        match wires.pin_net(PinId(first.0 + input.0)) {
            Some(source) => net = source,
            None => return Origin::Driver(driver),
        }
    }
    Origin::Undriven(net)
}

/// Each rewired pin still carries the same signal. An input whose signal changed is allowed only
/// when the whole cell computes the same function of the same signals (swapped equivalent pins).
fn logic(case: &Case<'_>) -> Option<String> {
    let design = case.design;
    let parent = Parent(case.parent, design);
    let of = |wires: &dyn Fn(PinId) -> Option<Origin>, pin| wires(pin);
    let before = |pin: PinId| parent.pin_net(pin).map(|net| origin(design, &parent, net));
    let after = |pin: PinId| Design::pin_net(design, pin).map(|net| origin(design, design, net));
    // Nets that kept their name must keep their signal: their other sinks rely on it.
    for &net in &case.dirty.nets {
        if case.parent.net(net).is_none() || !design.has_net(net) {
            continue;
        }
        let (was, is) = (origin(design, &parent, net), origin(design, design, net));
        if was != is {
            return Some(format!("{} carries another signal", net_text(case, net)));
        }
    }
    for &pin in &case.dirty.pins {
        let existed = match design.owner(pin) {
            Owner::Cell(cell, _) => case.parent.cell(cell).is_some() && design.has_cell(cell),
            Owner::Port(_) => true,
        };
        if !existed || of(&before, pin) == of(&after, pin) {
            continue;
        }
        let Owner::Cell(cell, _) = design.owner(pin) else {
            return Some(format!("port {} carries another signal", design.pin_name(pin)));
        };
        if !same_outputs(case, cell, &before, &after) {
            return Some(format!("{} gets another signal", design.pin_name(pin)));
        }
    }
    None
}

fn same_outputs(
    case: &Case<'_>,
    cell: CellId,
    before: &dyn Fn(PinId) -> Option<Origin>,
    after: &dyn Fn(PinId) -> Option<Origin>,
) -> bool {
    let design = case.design;
    let Some(logic) = design.library().logic(design.master_id(cell)) else { return false };
    if !logic.sequentials.is_empty() || logic.clock_gate.is_some() {
        return false;
    }
    // Signals by number, so that a function of pins becomes one of signals.
    let mut signals: Vec<Option<Origin>> = Vec::new();
    let mut number = |signal: Option<Origin>| {
        let found = signals.iter().position(|known| *known == signal);
        found.unwrap_or_else(|| {
            signals.push(signal);
            signals.len() - 1
        }) as u32
    };
    let pins: Vec<PinId> = design.cell_pins(cell).collect();
    let was: Vec<u32> = pins.iter().map(|pin| number(before(*pin))).collect();
    let is: Vec<u32> = pins.iter().map(|pin| number(after(*pin))).collect();
    let mut stated = false;
    for pin in &logic.pins {
        for expr in [&pin.function, &pin.three_state].into_iter().flatten() {
            stated = true;
            if !renamed(expr, &was).same_function(&renamed(expr, &is)) {
                return false;
            }
        }
    }
    stated
}

fn renamed(expr: &Expr, to: &[u32]) -> Expr {
    let pair = |a: &Expr, b: &Expr| (Box::new(renamed(a, to)), Box::new(renamed(b, to)));
    match expr {
        Expr::Const(value) => Expr::Const(*value),
        Expr::Var(pin) => Expr::Var(to.get(*pin as usize).copied().unwrap_or(u32::MAX)),
        Expr::Not(a) => Expr::Not(Box::new(renamed(a, to))),
        Expr::And(a, b) => {
            let (a, b) = pair(a, b);
            Expr::And(a, b)
        }
        Expr::Or(a, b) => {
            let (a, b) = pair(a, b);
            Expr::Or(a, b)
        }
        Expr::Xor(a, b) => {
            let (a, b) = pair(a, b);
            Expr::Xor(a, b)
        }
    }
}
