//! What the timer keeps of each master in one corner: arcs by pin, tables, checks, capacitances.
//!
//! The timing graph is not stored edge by edge. An instance's arcs are those of its master's model,
//! its wires those of the netlist; so a resize swaps a model and a new buffer needs no graph edit.
//! The late library view gives the arcs; the early view must offer the same arc (same pins, kind,
//! sense and condition) or the early side of that arc does not exist.

use cellwright_db::logic::Expr;
use cellwright_db::timing::{
    ArcKind, Edge, Sense, Table, Thresholds, TimingArc, TimingCell, TimingLib,
};
use cellwright_db::{IdVec, Library, MasterId};

use crate::table::Gate;

/// Marks an edge pair that an arc does not have.
pub(crate) const NO_SLOT: u16 = u16::MAX;

/// The part that a delay arc plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Combinational, three-state included.
    Combinational,
    /// Clock to output of a flip-flop, or enable to output of a latch.
    ClockToOutput,
    /// Data to output of a latch.
    LatchData,
    /// Preset or clear to output; off by default.
    AsyncSet,
}

/// A delay arc.
#[derive(Clone, Debug)]
pub(crate) struct Arc {
    pub(crate) from: u16,
    pub(crate) to: u16,
    pub(crate) role: Role,
    /// Which edge pairs exist: bit `from_edge * 2 + to_edge`.
    pub(crate) pairs: u8,
    /// Delay slot of each edge pair within the cell's block, or [`NO_SLOT`].
    pub(crate) slot: [u16; 4],
    /// Condition, for cells with constant pins.
    pub(crate) when: Option<Expr>,
    /// Tables by `[min, max][output edge]`.
    pub(crate) gate: [[Option<Gate>; 2]; 2],
}

/// A check against a clock pin.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    /// The clock pin.
    pub(crate) clock: u16,
    /// The constrained pin.
    pub(crate) data: u16,
    /// The clock edge.
    pub(crate) edge: Edge,
    pub(crate) kind: CheckKind,
    pub(crate) when: Option<Expr>,
    /// Constraint tables by data edge, from the view of the side that the check serves.
    pub(crate) table: [Option<Table>; 2],
}

/// What a check checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckKind {
    /// Setup at a register.
    Setup,
    /// Hold at a register.
    Hold,
    /// Recovery of an asynchronous pin.
    Recovery,
    /// Removal of an asynchronous pin.
    Removal,
    /// Setup of a clock gate.
    GatingSetup,
    /// Hold of a clock gate.
    GatingHold,
    /// Output delay, late.
    OutputSetup,
    /// Output delay, early.
    OutputHold,
    /// Data check, late.
    DataSetup,
    /// Data check, early.
    DataHold,
    /// Latch data that borrows.
    LatchSetup,
    /// `set_max_delay`.
    MaxDelay,
    /// `set_min_delay`.
    MinDelay,
}

impl CheckKind {
    /// 1 for checks of late data (setup and the like), 0 for early.
    pub const fn side(self) -> usize {
        match self {
            CheckKind::Setup
            | CheckKind::Recovery
            | CheckKind::GatingSetup
            | CheckKind::OutputSetup
            | CheckKind::DataSetup
            | CheckKind::LatchSetup
            | CheckKind::MaxDelay => 1,
            _ => 0,
        }
    }
}

/// Thresholds of a driver edge, turned so that both edges look like a rise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Swing {
    /// Delay threshold.
    pub(crate) vth: f64,
    /// Lower slew threshold.
    pub(crate) vl: f64,
    /// Upper slew threshold.
    pub(crate) vh: f64,
    /// `slew_derate_from_library`.
    pub(crate) derate: f64,
}

/// A pin's electrical side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pin {
    /// Capacitance by `[min, max][rise, fall]`, flattened, pF.
    pub(crate) cap: [f32; 4],
    /// Arcs that end here.
    pub(crate) fanin: Vec<u16>,
    /// Arcs that start here.
    pub(crate) fanout: Vec<u16>,
    /// Checks that constrain this pin.
    pub(crate) checks: Vec<u16>,
    /// Checks that take this pin as clock.
    pub(crate) clocks: Vec<u16>,
    /// Whether register arcs or checks take this pin as their clock.
    pub(crate) is_register_clock: bool,
}

/// A master's timing in one corner.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) pins: Vec<Pin>,
    pub(crate) arcs: Vec<Arc>,
    pub(crate) checks: Vec<Check>,
    /// Delay slots of a cell.
    pub(crate) slots: u32,
    /// Library number by `[min, max]`.
    pub(crate) lib: [u32; 2],
    /// Driver thresholds by `[min, max][edge]`.
    pub(crate) drive: [[Swing; 2]; 2],
    /// Input thresholds by `[min, max][edge]`, turned like the drivers'.
    pub(crate) input: [[f64; 2]; 2],
    /// Pins that latches take their data from.
    pub(crate) latch_data: Vec<u32>,
    /// Arcs that were left out because no table gives them a delay.
    pub(crate) left_out: u32,
}

/// The driver thresholds of a library.
pub(crate) fn swings(lib: &TimingLib) -> [Swing; 2] {
    let Thresholds { output, slew_lower, slew_upper, .. } = lib.thresholds;
    let derate = f64::from(lib.slew_derate);
    let (f, derate) = (f64::from, if derate > 0.0 { derate } else { 1.0 });
    [
        Swing { vth: f(output[0]), vl: f(slew_lower[0]), vh: f(slew_upper[0]), derate },
        Swing {
            vth: 1.0 - f(output[1]),
            vl: 1.0 - f(slew_upper[1]),
            vh: 1.0 - f(slew_lower[1]),
            derate,
        },
    ]
}

/// Delay thresholds at inputs, turned so that both edges look like a rise.
fn inputs(lib: &TimingLib) -> [f64; 2] {
    let [rise, fall] = lib.thresholds.input;
    [f64::from(rise), 1.0 - f64::from(fall)]
}

fn pairs(arc: &TimingArc) -> u8 {
    let by_sense = match arc.sense {
        Sense::Positive => 0b1001,
        Sense::Negative => 0b0110,
        Sense::NonUnate => 0b1111,
    };
    let to = |edge: Edge| match edge {
        Edge::Rise => 0b0101,
        Edge::Fall => 0b1010,
    };
    match arc.kind {
        ArcKind::Combinational(only)
        | ArcKind::ThreeStateEnable(only)
        | ArcKind::ThreeStateDisable(only) => by_sense & only.map_or(0b1111, to),
        ArcKind::ClockToOutput(Edge::Rise) => 0b0011,
        ArcKind::ClockToOutput(Edge::Fall) => 0b1100,
        ArcKind::Preset => by_sense & to(Edge::Rise),
        ArcKind::Clear => by_sense & to(Edge::Fall),
        _ => 0,
    }
}

/// Data pins of the latches of a cell; a clock gate's latch is not timed through.
fn latch_data(cell: &TimingCell) -> Vec<u32> {
    if cell.clock_gate.is_some() {
        return Vec::new();
    }
    let latches = cell.sequentials.iter().filter(|state| state.is_latch);
    let mut pins: Vec<u32> =
        latches.filter_map(|latch| latch.data.as_ref()).flat_map(Expr::variables).collect();
    pins.retain(|pin| *pin < Expr::STATE);
    pins
}

fn same_arc(a: &TimingArc, b: &TimingArc) -> bool {
    a.from == b.from && a.to == b.to && a.kind == b.kind && a.sense == b.sense && a.when == b.when
}

/// The arc of `cell` that answers to arc number `index` of the other view.
fn partner<'a>(cell: &'a TimingCell, index: usize, arc: &TimingArc) -> Option<&'a TimingArc> {
    cell.arcs
        .get(index)
        .filter(|other| same_arc(arc, other))
        .or_else(|| cell.arcs.iter().find(|other| same_arc(arc, other)))
}

impl Model {
    fn new(early: (&TimingLib, &TimingCell), late: (&TimingLib, &TimingCell)) -> Model {
        let cell = late.1;
        let mut pins: Vec<Pin> = cell
            .pins
            .iter()
            .enumerate()
            .map(|(index, pin)| {
                let early = early.1.pins.get(index).unwrap_or(pin);
                let (low, high) = (early.cap_min, pin.cap_max);
                let cap = [low[0], low[1], high[0], high[1]];
                Pin { cap, ..Pin::default() }
            })
            .collect();
        let mut model = Model {
            pins: Vec::new(),
            arcs: Vec::new(),
            checks: Vec::new(),
            slots: 0,
            lib: [0, 0],
            drive: [swings(early.0), swings(late.0)],
            input: [inputs(early.0), inputs(late.0)],
            latch_data: latch_data(cell),
            left_out: 0,
        };
        for (index, arc) in cell.arcs.iter().enumerate() {
            let other = partner(early.1, index, arc);
            match arc.kind {
                ArcKind::Setup(edge)
                | ArcKind::Hold(edge)
                | ArcKind::Recovery(edge)
                | ArcKind::Removal(edge)
                | ArcKind::NonSeqSetup(edge)
                | ArcKind::NonSeqHold(edge) => {
                    let kind = match arc.kind {
                        ArcKind::Setup(_) => CheckKind::Setup,
                        ArcKind::NonSeqSetup(_) => CheckKind::DataSetup,
                        ArcKind::Hold(_) => CheckKind::Hold,
                        ArcKind::NonSeqHold(_) => CheckKind::DataHold,
                        ArcKind::Recovery(_) => CheckKind::Recovery,
                        _ => CheckKind::Removal,
                    };
                    let kind = if cell.clock_gate.is_some() {
                        match kind {
                            CheckKind::Setup => CheckKind::GatingSetup,
                            CheckKind::Hold => CheckKind::GatingHold,
                            other => other,
                        }
                    } else {
                        kind
                    };
                    let view = if kind.side() == 1 { Some(arc) } else { other };
                    let Some(view) = view else {
                        model.left_out += 1;
                        continue;
                    };
                    let number = model.checks.len() as u16;
                    model.checks.push(Check {
                        clock: arc.from.0 as u16,
                        data: arc.to.0 as u16,
                        edge,
                        kind,
                        when: arc.when.clone(),
                        table: view.value.clone(),
                    });
                    if let Some(pin) = pins.get_mut(arc.to.index()) {
                        pin.checks.push(number);
                    }
                    if let Some(pin) = pins.get_mut(arc.from.index()) {
                        pin.clocks.push(number);
                        pin.is_register_clock |=
                            !matches!(kind, CheckKind::DataSetup | CheckKind::DataHold);
                    }
                }
                _ => model.add_arc(arc, other, &mut pins),
            }
        }
        model.pins = pins;
        model
    }

    fn add_arc(&mut self, arc: &TimingArc, early: Option<&TimingArc>, pins: &mut [Pin]) {
        let mut pairs = pairs(arc);
        if pairs == 0 || arc.from.index() >= pins.len() || arc.to.index() >= pins.len() {
            return;
        }
        let gate = |arc: Option<&TimingArc>, edge: usize| {
            let arc = arc?;
            arc.value[edge].as_ref().map(|delay| Gate::new(delay, arc.slew[edge].as_ref()))
        };
        let gate = [[gate(early, 0), gate(early, 1)], [gate(Some(arc), 0), gate(Some(arc), 1)]];
        let [early, late] = &gate;
        for (edge, (early, late)) in early.iter().zip(late).enumerate() {
            if early.is_none() && late.is_none() {
                pairs &= if edge == 0 { 0b1010 } else { 0b0101 };
            }
        }
        if pairs == 0 {
            self.left_out += 1;
            return;
        }
        let mut slot = [NO_SLOT; 4];
        for (pair, slot) in slot.iter_mut().enumerate() {
            if pairs >> pair & 1 == 1 {
                *slot = self.slots as u16;
                self.slots += 1;
            }
        }
        let role = match arc.kind {
            ArcKind::ClockToOutput(_) => Role::ClockToOutput,
            ArcKind::Preset | ArcKind::Clear => Role::AsyncSet,
            ArcKind::Combinational(None) if self.latch_data.contains(&arc.from.0) => {
                Role::LatchData
            }
            _ => Role::Combinational,
        };
        let number = self.arcs.len() as u16;
        let (from, to) = (arc.from.0 as u16, arc.to.0 as u16);
        self.arcs.push(Arc { from, to, role, pairs, slot, when: arc.when.clone(), gate });
        if role != Role::AsyncSet {
            pins[from as usize].fanout.push(number);
            pins[to as usize].fanin.push(number);
        }
        if role == Role::ClockToOutput {
            pins[from as usize].is_register_clock = true;
        }
    }
}

/// The models of all masters in one corner; `None` for masters without Liberty view.
#[derive(Debug)]
pub(crate) struct Models {
    pub(crate) of: IdVec<MasterId, Option<Model>>,
    /// Masters with the same number have the same arcs, checks and slots, and differ in numbers
    /// alone: tables, capacitances, thresholds.
    shape: IdVec<MasterId, u32>,
    /// Thresholds of the library that serves ports, `[min, max][edge]`.
    pub(crate) port: [[Swing; 2]; 2],
    /// Its input thresholds, `[min, max][edge]`.
    pub(crate) port_input: [[f64; 2]; 2],
    /// Its number, `[min, max]`.
    pub(crate) port_lib: [u32; 2],
    /// All masters and ports measure with the same libraries.
    pub(crate) one_lib: bool,
}

fn same_shape(a: &Model, b: &Model) -> bool {
    let gates = |arc: &Arc| {
        let has = |side: usize| [arc.gate[side][0].is_some(), arc.gate[side][1].is_some()];
        [has(0), has(1)]
    };
    let arc = |a: &Arc, b: &Arc| {
        (a.from, a.to, a.role, a.pairs, a.slot) == (b.from, b.to, b.role, b.pairs, b.slot)
            && a.when == b.when
            && gates(a) == gates(b)
    };
    let tables = |check: &Check| [check.table[0].is_some(), check.table[1].is_some()];
    let check = |a: &Check, b: &Check| {
        (a.clock, a.data, a.edge, a.kind) == (b.clock, b.data, b.edge, b.kind)
            && a.when == b.when
            && tables(a) == tables(b)
    };
    let pin = |a: &Pin, b: &Pin| {
        (&a.fanin, &a.fanout, &a.checks, &a.clocks, a.is_register_clock)
            == (&b.fanin, &b.fanout, &b.checks, &b.clocks, b.is_register_clock)
    };
    a.pins.len() == b.pins.len()
        && a.arcs.len() == b.arcs.len()
        && a.checks.len() == b.checks.len()
        && a.slots == b.slots
        && a.latch_data == b.latch_data
        && a.pins.iter().zip(&b.pins).all(|(a, b)| pin(a, b))
        && a.arcs.iter().zip(&b.arcs).all(|(a, b)| arc(a, b))
        && a.checks.iter().zip(&b.checks).all(|(a, b)| check(a, b))
}

fn shapes(of: &IdVec<MasterId, Option<Model>>) -> IdVec<MasterId, u32> {
    let mut known: Vec<&Model> = Vec::new();
    let mut bare = 0;
    of.iter()
        .map(|(_, model)| match model {
            Some(model) => {
                let at = known.iter().position(|other| same_shape(model, other));
                at.unwrap_or_else(|| {
                    known.push(model);
                    known.len() - 1
                }) as u32
            }
            // Masters without timing are like none.
            None => {
                bare += 1;
                u32::MAX - bare
            }
        })
        .collect()
}

impl Models {
    /// Prepares the models of a corner.
    pub(crate) fn new(library: &Library, corner: usize) -> Models {
        let of = library
            .masters
            .ids()
            .map(|master| {
                let late = library.timing(corner, true, master);
                let early = library.timing(corner, false, master);
                let (late, early) = (late.or(early)?, early.or(late)?);
                let mut model = Model::new(early, late);
                let number = |late: bool| {
                    let corner = library.corners.get(corner)?;
                    let view = if late { &corner.late } else { &corner.early };
                    view.get(master.index()).copied().flatten().map(|(lib, _)| lib)
                };
                let (e, l) = (number(false), number(true));
                model.lib = [e.or(l).unwrap_or(0), l.or(e).unwrap_or(0)];
                Some(model)
            })
            .collect();
        let first = |late: bool| {
            let corner = library.corners.get(corner)?;
            let libs = if late { &corner.late_libs } else { &corner.early_libs };
            libs.first().copied()
        };
        let (early, late) = (first(false), first(true));
        let port_lib = [early.or(late).unwrap_or(0), late.or(early).unwrap_or(0)];
        let plain = Swing { vth: 0.5, vl: 0.2, vh: 0.8, derate: 1.0 };
        let port =
            port_lib.map(|lib| library.timing_libs.get(lib as usize).map_or([plain; 2], swings));
        let port_input =
            port_lib.map(|lib| library.timing_libs.get(lib as usize).map_or([0.5; 2], inputs));
        let shape = shapes(&of);
        let of: IdVec<MasterId, Option<Model>> = of;
        let one_lib = of.iter().all(|(_, model)| model.as_ref().is_none_or(|m| m.lib == port_lib));
        Models { of, shape, port, port_input, port_lib, one_lib }
    }
    /// Whether two masters differ in numbers alone.
    #[inline]
    pub(crate) fn same_shape(&self, a: MasterId, b: MasterId) -> bool {
        match (self.shape.get(a), self.shape.get(b)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        }
    }
    /// Whether a master has the same arcs and checks here as there, delays aside.
    pub(crate) fn same_arcs(&self, other: &Models, master: MasterId) -> bool {
        let (Some(a), Some(b)) = (self.get(master), other.get(master)) else {
            return self.get(master).is_none() == other.get(master).is_none();
        };
        let arc = |arc: &Arc| (arc.from, arc.to, arc.role, arc.pairs, arc.when.clone());
        let check = |check: &Check| (check.clock, check.data, check.edge, check.kind);
        a.arcs.iter().map(arc).eq(b.arcs.iter().map(arc))
            && a.checks.iter().map(check).eq(b.checks.iter().map(check))
    }
    /// The model of a master.
    #[inline]
    pub(crate) fn get(&self, master: MasterId) -> Option<&Model> {
        self.of.get(master).and_then(Option::as_ref)
    }
}
