//! The timing graph of one corner: every arc of every cell by itself, constants, what is cut, and
//! an order in which each pin comes after what it depends on.

use cellwright_db::library::PinDirection;
use cellwright_db::logic::Expr;
use cellwright_db::records::NetKind;
use cellwright_db::timing::{ArcKind, Edge, Sense, Table, TimingArc, TimingCell, TimingLib};
use cellwright_db::{CellId, NetId, Owner, PinId};
use cellwright_formats::constraints::{CaseValue, Constraints, LogicValue};

use crate::logic;
use crate::state::State;

/// The part of a delay arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Through logic.
    Logic,
    /// From the clock pin of a register to its output.
    Launch,
    /// From the data pin of a latch to its output.
    LatchData,
}

/// A delay arc of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc<'a> {
    pub(super) cell: CellId,
    pub(super) from: PinId,
    pub(super) to: PinId,
    pub(super) role: Role,
    /// `pairs[edge at from][edge at to]`: whether that pair of edges exists.
    pub(super) pairs: [[bool; 2]; 2],
    /// The arc in the early and in the late library.
    view: [Option<&'a TimingArc>; 2],
}

impl<'a> Arc<'a> {
    /// Delay and slew tables of a side and an edge at the output.
    pub(super) fn tables(
        &self,
        side: usize,
        edge: usize,
    ) -> Option<(&'a Table, Option<&'a Table>)> {
        let arc = self.view[side]?;
        Some((arc.value[edge].as_ref()?, arc.slew[edge].as_ref()))
    }
}

/// A setup or hold check, or one like it, of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check<'a> {
    pub(super) cell: CellId,
    pub(super) clock: PinId,
    pub(super) clock_edge: usize,
    pub(super) data: PinId,
    /// 1 for setup and recovery, 0 for hold and removal.
    pub(super) side: usize,
    /// Tables by edge of the data.
    pub(super) table: [Option<&'a Table>; 2],
}

/// The graph.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    pub(super) state: &'a State,
    pub(super) corner: usize,
    pub(super) arcs: Vec<Arc<'a>>,
    pub(super) checks: Vec<Check<'a>>,
    /// Numbers of the arcs that end and start at each pin.
    pub(super) arcs_to: Vec<Vec<usize>>,
    pub(super) arcs_from: Vec<Vec<usize>>,
    /// Numbers of the checks on each data pin.
    pub(super) checks_on: Vec<Vec<usize>>,
    /// The driver of each net.
    pub(super) driver: Vec<Option<PinId>>,
    /// Pins with a constant value.
    pub(super) constant: Vec<Option<bool>>,
    /// Pins that `set_disable_timing` cuts.
    pub(super) cut: Vec<bool>,
    /// Pins in order; pins on combinational loops are missing.
    pub(super) order: Vec<PinId>,
    /// Position in `order`.
    pub(super) position: Vec<usize>,
    /// What this analysis does not do.
    pub(super) notes: Vec<String>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(state: &'a State, corner: usize, constraints: &Constraints) -> Graph<'a> {
        let pins = state.design.pin_slots();
        let mut graph = Graph {
            state,
            corner,
            arcs: Vec::new(),
            checks: Vec::new(),
            arcs_to: vec![Vec::new(); pins],
            arcs_from: vec![Vec::new(); pins],
            checks_on: vec![Vec::new(); pins],
            driver: vec![None; state.net_pins.len()],
            constant: vec![None; pins],
            cut: vec![false; pins],
            order: Vec::new(),
            position: vec![usize::MAX; pins],
            notes: Vec::new(),
        };
        for pin in constraints.disables.pins.iter().filter(|pin| pin.index() < pins) {
            graph.cut[pin.index()] = true;
        }
        graph.find_drivers();
        graph.find_constants(constraints);
        for cell in &state.cells {
            graph.add_cell(cell.id, constraints);
        }
        graph.sort();
        graph
    }

    /// The library cell of a master for early (0) or late (1) analysis, or the other where one is
    /// missing.
    pub(super) fn view(
        &self,
        cell: CellId,
        side: usize,
    ) -> Option<(&'a TimingLib, &'a TimingCell)> {
        let library = self.state.design.library();
        let master = self.state.design.master_id(cell);
        let of = |late| library.timing(self.corner, late, master);
        if side == 1 { of(true).or(of(false)) } else { of(false).or(of(true)) }
    }
    /// Whether a pin drives its net.
    pub(super) fn drives(&self, pin: PinId) -> bool {
        self.state.direction(pin) == PinDirection::Output
    }
    /// Pins of a net that load it.
    pub(super) fn loads(&self, net: NetId) -> impl Iterator<Item = PinId> + use<'_> {
        let pins = self.state.pins(net).iter().copied();
        pins.filter(|pin| self.state.direction(*pin).loads())
    }

    fn find_drivers(&mut self) {
        for net in self.state.design.nets() {
            let drives = |pin: &&PinId| self.drives(**pin);
            let drivers: Vec<PinId> = self.state.pins(net).iter().filter(drives).copied().collect();
            self.driver[net.index()] = drivers.first().copied();
            let several = drivers.len() > 1;
            let both = |pin: &PinId| self.state.direction(*pin) == PinDirection::Inout;
            let name = self.state.design.net_name(net);
            if several {
                self.notes.push(format!("timing: net `{name}` has several drivers"));
            }
            if self.state.pins(net).iter().any(both) {
                self.notes.push(format!("timing: net `{name}` has a bidirectional pin"));
            }
        }
    }

    /// Constants from constraints, supplies and functions, forward through the netlist.
    fn find_constants(&mut self, constraints: &Constraints) {
        let design = &self.state.design;
        let mut given: Vec<(PinId, bool)> = Vec::new();
        for (pin, value) in &constraints.case {
            match value {
                CaseValue::Zero => given.push((*pin, false)),
                CaseValue::One => given.push((*pin, true)),
                CaseValue::Rising | CaseValue::Falling => {}
            }
        }
        for (pin, value) in &constraints.logic {
            match value {
                LogicValue::Zero => given.push((*pin, false)),
                LogicValue::One => given.push((*pin, true)),
                LogicValue::DontCare => {}
            }
        }
        for net in design.nets() {
            let value = match design.net(net).kind {
                NetKind::Power => true,
                NetKind::Ground => false,
                NetKind::Signal | NetKind::Clock => continue,
            };
            given.extend(self.state.pins(net).iter().map(|pin| (*pin, value)));
        }
        given.retain(|(pin, _)| design.has_pin(*pin));
        for cell in &self.state.cells {
            let logic = design.library().logic(cell.master);
            let tied = logic.is_some_and(|logic| {
                logic.pins.iter().any(|pin| matches!(pin.function, Some(Expr::Const(_))))
            });
            if tied {
                self.outputs(cell.id, &mut given);
            }
        }
        let mut open = given;
        while let Some((pin, value)) = open.pop() {
            if self.constant[pin.index()].is_some() {
                continue;
            }
            self.constant[pin.index()] = Some(value);
            if self.drives(pin) {
                if let Some(net) = design.pin_net(pin) {
                    open.extend(self.loads(net).map(|load| (load, value)));
                }
            } else if let Owner::Cell(cell, _) = design.owner(pin) {
                self.outputs(cell, &mut open);
            }
        }
    }

    /// Outputs of a cell that its constant inputs decide.
    fn outputs(&self, cell: CellId, found: &mut Vec<(PinId, bool)>) {
        let Some(logic) = self.state.design.library().logic(self.state.design.master_id(cell))
        else {
            return;
        };
        let values = |variable| self.pin_constant(cell, variable);
        for (pin, of) in self.state.design.cell_pins(cell).zip(&logic.pins) {
            let value = of.function.as_ref().and_then(|f| logic::known_value(f, &values));
            found.extend(value.map(|value| (pin, value)));
        }
    }

    /// Constant of pin number `variable` of a cell; state variables have none.
    fn pin_constant(&self, cell: CellId, variable: u32) -> Option<bool> {
        let pin = self.state.design.cell_pins(cell).nth(variable as usize)?;
        self.constant[pin.index()]
    }

    fn add_cell(&mut self, cell: CellId, constraints: &Constraints) {
        let (Some((_, early)), Some((_, late))) = (self.view(cell, 0), self.view(cell, 1)) else {
            if self.state.design.cell_pins(cell).any(|pin| self.state.design.pin_net(pin).is_some())
            {
                let name = &self.state.design.master(cell).name;
                self.notes.push(format!("timing: master `{name}` has no Liberty cell"));
            }
            return;
        };
        let pins: Vec<PinId> = self.state.design.cell_pins(cell).collect();
        let master = self.state.design.master_id(cell);
        let disables = &constraints.disables;
        let latch_data: Vec<u32> = late
            .sequentials
            .iter()
            .filter(|state| state.is_latch && late.clock_gate.is_none())
            .filter_map(|latch| latch.data.as_ref())
            .flat_map(logic::variables)
            .collect();
        for (number, arc) in late.arcs.iter().enumerate() {
            let (Some(&from), Some(&to)) = (pins.get(arc.from.index()), pins.get(arc.to.index()))
            else {
                continue;
            };
            let same = |other: &&TimingArc| {
                (other.from, other.to, other.kind, other.sense)
                    == (arc.from, arc.to, arc.kind, arc.sense)
                    && other.when == arc.when
            };
            let partner = early.arcs.get(number).filter(same);
            let partner = partner.or_else(|| early.arcs.iter().find(same));
            let dead = |pin: PinId| self.constant[pin.index()].is_some() || self.cut[pin.index()];
            let known = |variable: u32| self.pin_constant(cell, variable);
            let never = arc
                .when
                .as_ref()
                .is_some_and(|when| logic::known_value(when, &known) == Some(false));
            let hit = |a: Option<_>, b: Option<_>| {
                a.is_none_or(|pin| pin == arc.from) && b.is_none_or(|pin| pin == arc.to)
            };
            let named = disables.cells.iter().any(|d| d.of == cell && hit(d.from, d.to))
                || disables.masters.iter().any(|d| d.of == master && hit(d.from, d.to))
                || disables
                    .master_pins
                    .iter()
                    .any(|(of, pin)| *of == master && (*pin == arc.from || *pin == arc.to));
            if dead(from) || dead(to) || never || named {
                continue;
            }
            if let Some((clock_edge, side)) = check_of(arc.kind) {
                let view = if side == 1 { Some(arc) } else { partner };
                let Some(view) = view else { continue };
                let table = [view.value[0].as_ref(), view.value[1].as_ref()];
                self.checks_on[to.index()].push(self.checks.len());
                self.checks.push(Check { cell, clock: from, clock_edge, data: to, side, table });
                continue;
            }
            let Some((role, mut pairs)) = delay_of(arc, &latch_data) else { continue };
            let view = [partner, Some(arc)];
            for edge in 0..2 {
                if view.iter().flatten().all(|arc| arc.value[edge].is_none()) {
                    pairs[0][edge] = false;
                    pairs[1][edge] = false;
                }
            }
            let special = pins.iter().any(|pin| dead(*pin));
            let function = late.pins.get(arc.to.index()).and_then(|pin| pin.function.as_ref());
            if special
                && role == Role::Logic
                && let Some(function) = function
            {
                let left = senses(function, arc.from.0, &known);
                for (from, row) in pairs.iter_mut().enumerate() {
                    for (to, pair) in row.iter_mut().enumerate() {
                        *pair &= left[usize::from(from != to)];
                    }
                }
            }
            if pairs != [[false; 2]; 2] && self.drives(to) {
                self.arcs_to[to.index()].push(self.arcs.len());
                self.arcs_from[from.index()].push(self.arcs.len());
                self.arcs.push(Arc { cell, from, to, role, pairs, view });
            }
        }
        if late
            .arcs
            .iter()
            .any(|arc| delay_of(arc, &latch_data).is_some_and(|d| d.0 == Role::LatchData))
        {
            let name = &self.state.design.master(cell).name;
            self.notes.push(format!("timing: latches of master `{name}` are not timed through"));
        }
    }

    /// Kahn's algorithm over wires and arcs.
    fn sort(&mut self) {
        let design = &self.state.design;
        let pins: Vec<PinId> =
            (0..design.pin_slots()).map(PinId::new).filter(|pin| design.has_pin(*pin)).collect();
        let mut waits = vec![0_usize; design.pin_slots()];
        for &pin in &pins {
            waits[pin.index()] = if self.drives(pin) {
                self.arcs_to[pin.index()].len()
            } else {
                let net = design.pin_net(pin).filter(|_| self.state.direction(pin).loads());
                usize::from(net.is_some_and(|net| self.driver[net.index()].is_some()))
            };
        }
        let mut ready: Vec<PinId> =
            pins.iter().rev().copied().filter(|pin| waits[pin.index()] == 0).collect();
        let mut order = Vec::with_capacity(pins.len());
        while let Some(pin) = ready.pop() {
            order.push(pin);
            // An output may be the source of arcs to other outputs, beside its wire.
            let mut next: Vec<PinId> =
                self.arcs_from[pin.index()].iter().map(|arc| self.arcs[*arc].to).collect();
            if let Some(net) = design.pin_net(pin)
                && self.driver[net.index()] == Some(pin)
            {
                next.extend(self.loads(net));
            }
            for pin in next {
                waits[pin.index()] -= 1;
                if waits[pin.index()] == 0 {
                    ready.push(pin);
                }
            }
        }
        if order.len() < pins.len() {
            let count = pins.len() - order.len();
            self.notes.push(format!("timing: {count} pins lie on or behind a loop of logic"));
        }
        for (at, pin) in order.iter().enumerate() {
            self.position[pin.index()] = at;
        }
        self.order = order;
    }
}

/// Clock edge and side of a check.
fn check_of(kind: ArcKind) -> Option<(usize, usize)> {
    match kind {
        ArcKind::Setup(edge) | ArcKind::Recovery(edge) | ArcKind::NonSeqSetup(edge) => {
            Some((edge.index(), 1))
        }
        ArcKind::Hold(edge) | ArcKind::Removal(edge) | ArcKind::NonSeqHold(edge) => {
            Some((edge.index(), 0))
        }
        _ => None,
    }
}

/// Role and edge pairs of a delay arc. Preset and clear arcs are off, as timers have it.
fn delay_of(arc: &TimingArc, latch_data: &[u32]) -> Option<(Role, [[bool; 2]; 2])> {
    let by_sense = match arc.sense {
        Sense::Positive => [[true, false], [false, true]],
        Sense::Negative => [[false, true], [true, false]],
        Sense::NonUnate => [[true; 2]; 2],
    };
    match arc.kind {
        ArcKind::Combinational(only)
        | ArcKind::ThreeStateEnable(only)
        | ArcKind::ThreeStateDisable(only) => {
            let to = |edge: Edge| only.is_none_or(|only| only == edge);
            let pairs = by_sense.map(|row| [row[0] && to(Edge::Rise), row[1] && to(Edge::Fall)]);
            let plain = arc.kind == ArcKind::Combinational(None);
            let latch = plain && latch_data.contains(&arc.from.0);
            Some((if latch { Role::LatchData } else { Role::Logic }, pairs))
        }
        ArcKind::ClockToOutput(edge) => {
            let mut pairs = [[false; 2]; 2];
            pairs[edge.index()] = [true; 2];
            Some((Role::Launch, pairs))
        }
        _ => None,
    }
}

/// Edge pairs of a delay arc, `[edge at from][edge at to]`; `None` for checks and the like.
pub(super) fn pairs_of(arc: &TimingArc) -> Option<[[bool; 2]; 2]> {
    delay_of(arc, &[]).map(|(_, pairs)| pairs)
}

/// Which senses from one input a function still has when some inputs are constant: [same edge,
/// other edge].
fn senses(function: &Expr, input: u32, known: &impl Fn(u32) -> Option<bool>) -> [bool; 2] {
    let variables = logic::variables(function);
    if !variables.contains(&input) || variables.iter().any(|v| *v >= Expr::STATE) {
        return [true; 2];
    }
    let free: Vec<u32> =
        variables.into_iter().filter(|v| *v != input && known(*v).is_none()).collect();
    if free.len() > 12 {
        return [true; 2];
    }
    let mut found = [false; 2];
    for row in 0..1_u32 << free.len() {
        let at = |level: bool| {
            logic::value(function, &|variable| {
                if variable == input {
                    return level;
                }
                match free.iter().position(|other| *other == variable) {
                    Some(bit) => row >> bit & 1 == 1,
                    None => known(variable).unwrap_or(false),
                }
            })
        };
        match (at(false), at(true)) {
            (false, true) => found[0] = true,
            (true, false) => found[1] = true,
            _ => {}
        }
    }
    found
}
