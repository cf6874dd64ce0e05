//! Delays and slews of one net: its drivers' arcs, its wires, its loads.

use cellwright_db::timing::Edge;
use cellwright_db::{CellId, NetId, Owner, PinId, PortId};
use smallvec::SmallVec;

use crate::constraints::{DrivingCell, MinMax};
use crate::delay::{Calculator, Drive, adjust, port_load};
use crate::graph::Vertex;
use crate::graph::model::{Model, NO_SLOT, Role, Swing};
use crate::parasitics::{Parasitics, Pi, Walk};
use crate::search::arrival::clock_slew;
use crate::search::{Context, Quad, Values};

/// What the evaluation of a net gives.
#[derive(Clone, Debug, Default)]
pub(crate) struct NetResult {
    /// Slot, delays and driver slews `[min, max]`.
    pub(crate) arcs: Vec<(u32, [f32; 2], [f32; 2])>,
    /// Driver, slew, end of its entries in `arcs`.
    pub(crate) drivers: Vec<(Vertex, Quad, usize)>,
    /// Load, wire delay from the first driver, slew.
    pub(crate) loads: Vec<(Vertex, Quad, Quad)>,
    /// Wire delays from further drivers: (load, driver).
    pub(crate) other_wires: Vec<((Vertex, Vertex), Quad)>,
    /// Arcs looked at.
    pub(crate) work: u64,
}

impl NetResult {
    pub(crate) fn clear(&mut self) {
        self.arcs.clear();
        self.drivers.clear();
        self.loads.clear();
        self.other_wires.clear();
        self.work = 0;
    }
}

/// What of a net is to be evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scope<'a> {
    /// All of it.
    Whole,
    /// What follows from the slews that changed at sources: corners by vertex, one bit each. All
    /// else of the net stands as it was evaluated before.
    Fresh(&'a [u8]),
}

/// Takes `new` into `slot` when it is worse for the side; NaN is empty.
#[inline]
fn take(slot: &mut f32, new: f64, side: usize) {
    let new = new as f32;
    if slot.is_nan() || (side == 1 && new > *slot) || (side == 0 && new < *slot) {
        *slot = new;
    }
}

/// Edges that no arc makes have no slew.
fn zero(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value }
}

/// Driver and input thresholds by `[min, max][edge]`.
type Thresholds = [[(Swing, f64); 2]; 2];

/// A load of the net under evaluation.
struct Load {
    vertex: Vertex,
    elmore: Quad,
    /// Which of the net's other thresholds, where the load's library is another one.
    other: Option<u16>,
    wire: Quad,
    slew: Quad,
}

/// The loads of the net under evaluation.
struct Loads {
    list: SmallVec<[Load; 8]>,
    other: Vec<Thresholds>,
    /// The load on the pin of the driver under evaluation, to which no wire of it leads.
    own: Option<Vertex>,
}

impl Loads {
    /// Merges what one arc of the driver does at each load.
    #[inline]
    fn take(&mut self, drive: &Drive, swing: &Swing, extra: f64, side: usize, edge: usize) {
        let corner = side * 2 + edge;
        for load in self.list.iter_mut().filter(|load| Some(load.vertex) != self.own) {
            let mut result = drive.load(f64::from(load.elmore[corner]));
            if let Some(other) = load.other {
                let (own, vth) = &self.other[usize::from(other)][side][edge];
                result = adjust(result, swing, own, *vth);
            }
            take(&mut load.wire[corner], result.0 + extra, side);
            take(&mut load.slew[corner], result.1, side);
        }
    }
}

/// Slew at which an arc of a cell is entered.
#[inline]
fn source_slew(context: &Context<'_>, values: &Values, role: Role, from: Vertex) -> Quad {
    if role == Role::ClockToOutput {
        clock_slew(context, values, from)
    } else {
        values.slew[from as usize]
    }
}

/// Output corners that an arc leads to from the corners `from`, one bit each.
#[inline]
fn reach(pairs: u8, from: u8) -> u8 {
    let mut to = 0;
    for pair in 0..4 {
        if pairs >> pair & 1 == 1 {
            let (from_edge, to_edge) = (pair / 2, pair % 2);
            to |=
                (from >> from_edge & 1) << to_edge | (from >> (2 + from_edge) & 1) << (2 + to_edge);
        }
    }
    to
}

/// Corners of the net's drivers that follow from changed slews.
fn corners(context: &Context<'_>, drivers: &[Vertex], fresh: &[u8]) -> u8 {
    let view = &context.view;
    let mut corners = 0;
    for &driver in drivers {
        // What a port drives does not depend on slews, but it merges with what does.
        let Owner::Cell(cell, number) = view.design.owner(view.pin(driver)) else { return 15 };
        let Some(model) = view.model(cell) else { continue };
        let first = view.design.cell(cell).first_pin;
        for &arc in &model.pins[number.index()].fanin {
            let from = fresh[view.arc_from(first, model.arcs[arc as usize].from) as usize];
            if from != 0 {
                corners |= reach(view.pairs(cell, model, arc), from);
            }
        }
    }
    corners
}

/// Evaluates the net that `leader` drives (or `leader` alone when it drives none).
pub(crate) fn evaluate(
    context: &Context<'_>,
    values: &Values,
    leader: Vertex,
    scope: Scope<'_>,
    result: &mut NetResult,
) {
    let view = &context.view;
    let net = view.design.pin_net(view.pin(leader));
    let drivers = match net {
        Some(net) => view.drivers(net),
        None => SmallVec::from_slice(&[leader]),
    };
    // Several drivers have wires of their own, which are not kept by corner.
    let scope = if drivers.len() > 1 { Scope::Whole } else { scope };
    let corners = match scope {
        Scope::Whole => 15,
        Scope::Fresh(fresh) => corners(context, &drivers, fresh),
    };
    if corners == 0 {
        return;
    }
    // A driver without a net still charges its own pin.
    let pi = match net {
        Some(net) => values.load[net.index()],
        None => pin_cap(context, view.pin(leader)).map(|near| Pi { near, ..Pi::default() }),
    };
    let mut loads = Loads { list: SmallVec::new(), other: Vec::new(), own: None };
    if let Some(net) = net {
        let driver_lib = match view.design.owner(view.pin(leader)) {
            Owner::Cell(cell, _) => view.model(cell).map(|model| model.lib),
            Owner::Port(_) => Some(view.models.port_lib),
        };
        for vertex in view.loads(net) {
            let other = if view.models.one_lib {
                None
            } else {
                other_thresholds(context, vertex, driver_lib)
            };
            let other = other.map(|other| {
                loads.other.push(other);
                (loads.other.len() - 1) as u16
            });
            let elmore = values.elmore[vertex as usize];
            let none = [f32::NAN; 4];
            loads.list.push(Load { vertex, elmore, other, wire: none, slew: none });
        }
    }
    // With lumped loads an arc's slew at the driver is all that loads need of it, so arcs whose
    // source stayed are taken as they were.
    let kept = !matches!(context.calculator, Calculator::DmpCeffElmore);
    for (number, &driver) in drivers.iter().enumerate() {
        let first_wires: SmallVec<[Quad; 8]> = match number {
            0 => SmallVec::new(),
            _ => loads
                .list
                .iter_mut()
                .map(|load| std::mem::replace(&mut load.wire, [f32::NAN; 4]))
                .collect(),
        };
        let pin = view.pin(driver);
        loads.own = (view.vertex(pin) != driver).then(|| view.vertex(pin));
        let mut slew = [f32::NAN; 4];
        match view.design.owner(view.pin(driver)) {
            Owner::Port(port) => {
                from_port(context, port, &pi, &mut slew, &mut loads);
                result.work += 1;
            }
            Owner::Cell(cell, number) => {
                if let Some(model) = view.model(cell) {
                    let gate = GateAt { cell, model, number: number.index() };
                    let kept = if kept { scope } else { Scope::Whole };
                    let pi = &pi;
                    from_gate(
                        context, values, gate, kept, corners, pi, &mut slew, &mut loads, result,
                    );
                }
            }
        }
        let mut slew = slew.map(zero);
        let old = &values.slew[driver as usize];
        for (corner, slew) in slew.iter_mut().enumerate().filter(|(c, _)| corners >> c & 1 == 0) {
            *slew = old[corner];
        }
        result.drivers.push((driver, slew, result.arcs.len()));
        for (load, first) in loads.list.iter_mut().zip(first_wires) {
            let own = std::mem::replace(&mut load.wire, first);
            if Some(load.vertex) != loads.own {
                result.other_wires.push(((load.vertex, driver), own.map(zero)));
            }
        }
    }
    for load in loads.list {
        let (mut wire, mut slew) = (load.wire.map(zero), load.slew.map(zero));
        for corner in (0..4).filter(|corner| corners >> corner & 1 == 0) {
            wire[corner] = values.wire[load.vertex as usize][corner];
            slew[corner] = values.slew[load.vertex as usize][corner];
        }
        result.loads.push((load.vertex, wire, slew));
    }
}

/// An output of a cell.
#[derive(Clone, Copy)]
struct GateAt<'a> {
    cell: CellId,
    model: &'a Model,
    number: usize,
}

/// A cell drives.
#[expect(clippy::too_many_arguments, reason = "one place calls it")]
fn from_gate(
    context: &Context<'_>,
    values: &Values,
    GateAt { cell, model, number }: GateAt<'_>,
    scope: Scope<'_>,
    corners: u8,
    pi: &[Pi; 4],
    slew: &mut Quad,
    loads: &mut Loads,
    result: &mut NetResult,
) {
    let view = &context.view;
    let first = view.design.cell(cell).first_pin;
    let base = values.base[cell.index()];
    for &arc in &model.pins[number].fanin {
        let pairs = view.pairs(cell, model, arc);
        let entry = &model.arcs[arc as usize];
        let from = view.arc_from(first, entry.from);
        let fresh = match scope {
            Scope::Whole => 15,
            Scope::Fresh(fresh) => fresh[from as usize],
        };
        result.work += u64::from(reach(pairs, fresh) & corners != 0);
        let source = source_slew(context, values, entry.role, from);
        for pair in 0..4 {
            if pairs >> pair & 1 == 0 || entry.slot[pair] == NO_SLOT {
                continue;
            }
            let (from_edge, to_edge) = (pair / 2, pair % 2);
            let slot = base + u32::from(entry.slot[pair]);
            let mut delays = values.arc[slot as usize];
            let mut slews = values.arc_slew[slot as usize];
            let mut any = false;
            for side in 0..2 {
                let corner = side * 2 + to_edge;
                if corners >> corner & 1 == 0 {
                    continue;
                }
                let swing = &model.drive[side][to_edge];
                let Some(gate) = &entry.gate[side][to_edge] else {
                    (delays[side], slews[side], any) = (f32::NAN, f32::NAN, true);
                    continue;
                };
                let drive = if fresh >> (side * 2 + from_edge) & 1 == 1 {
                    let input = f64::from(source[side * 2 + from_edge]);
                    let drive = context.calculator.drive(gate, input, &pi[corner], swing);
                    (delays[side], slews[side], any) =
                        (drive.delay as f32, drive.slew as f32, true);
                    drive
                } else {
                    Drive::again(context.calculator, f64::from(slews[side]))
                };
                // Latch data arcs do not shape the slew behind the latch.
                if entry.role != Role::LatchData {
                    take(&mut slew[corner], drive.slew, side);
                    loads.take(&drive, swing, 0.0, side, to_edge);
                }
            }
            if any {
                result.arcs.push((slot, delays, slews));
            }
        }
    }
}

fn other_thresholds(
    context: &Context<'_>,
    load: Vertex,
    driver: Option<[u32; 2]>,
) -> Option<Thresholds> {
    let (models, view) = (context.view.models, &context.view);
    let (lib, swings, input) = match view.design.owner(view.pin(load)) {
        Owner::Cell(cell, _) => {
            let model = view.model(cell)?;
            (model.lib, model.drive, model.input)
        }
        Owner::Port(_) => (models.port_lib, models.port, models.port_input),
    };
    if driver.is_none_or(|driver| driver == lib) {
        return None;
    }
    Some([0, 1].map(|side| [0, 1].map(|edge| (swings[side][edge], input[side][edge]))))
}

/// An input port drives: a driving cell, or a given slew.
fn from_port(
    context: &Context<'_>,
    port: PortId,
    pi: &[Pi; 4],
    slew: &mut Quad,
    loads: &mut Loads,
) {
    let environment = context.setup.constraints.ports.get(&port);
    for corner in 0..4 {
        let (side, edge) = (corner / 2, corner % 2);
        let cell = environment.and_then(|port| port.driving_cell[side][edge].as_ref());
        if let Some(cell) = cell
            && let Some(model) = context.view.models.get(cell.master)
            && driven(context, cell, model, pi, slew, loads, side, edge)
        {
            continue;
        }
        let given = environment
            .and_then(|port| port.input_transition.get(MinMax::BOTH[side], Edge::BOTH[edge]))
            .unwrap_or(0.0);
        take(&mut slew[corner], given, side);
        let drive = Drive::port(context.calculator, given);
        let Loads { list, other, own } = loads;
        for load in list.iter_mut().filter(|load| Some(load.vertex) != *own) {
            let swing = match load.other {
                Some(at) => other[usize::from(at)][side][edge].0,
                None => load_swing(context, load.vertex, side, edge),
            };
            let elmore = f64::from(load.elmore[corner]);
            let (delay, at_load) = if context.calculator == Calculator::DmpCeffElmore {
                port_load(elmore, given, &swing)
            } else {
                drive.load(elmore)
            };
            take(&mut load.wire[corner], delay, side);
            take(&mut load.slew[corner], at_load, side);
        }
    }
}

fn load_swing(context: &Context<'_>, load: Vertex, side: usize, edge: usize) -> Swing {
    let view = &context.view;
    match view.design.owner(view.pin(load)) {
        Owner::Cell(cell, _) => view.model(cell).map(|model| model.drive[side][edge]),
        Owner::Port(_) => None,
    }
    .unwrap_or(view.models.port[side][edge])
}

/// A driving cell: its slew, and the delay that the load adds to it. `false` without such arc.
#[expect(clippy::too_many_arguments, reason = "one place calls it")]
fn driven(
    context: &Context<'_>,
    cell: &DrivingCell,
    model: &Model,
    pi: &[Pi; 4],
    slew: &mut Quad,
    loads: &mut Loads,
    side: usize,
    edge: usize,
) -> bool {
    let corner = side * 2 + edge;
    let swing = &model.drive[side][edge];
    let mut any = false;
    let to = cell.to_pin.map(|pin| pin.0 as u16).or_else(|| model.arcs.first().map(|arc| arc.to));
    let from = cell.from_pin.map(|pin| pin.0 as u16).or_else(|| {
        let first = model.arcs.iter().find(|arc| Some(arc.to) == to);
        first.map(|arc| arc.from)
    });
    for arc in &model.arcs {
        if Some(arc.to) != to || Some(arc.from) != from {
            continue;
        }
        for from_edge in 0..2 {
            if arc.pairs >> (from_edge * 2 + edge) & 1 == 0 {
                continue;
            }
            let Some(gate) = &arc.gate[side][edge] else { continue };
            let input = cell.from_slews[from_edge];
            let unloaded = gate.delay_slew(input, 0.0).0;
            let drive = context.calculator.drive(gate, input, &pi[corner], swing);
            let extra = (drive.delay - unloaded) * cell.multiply_by;
            take(&mut slew[corner], drive.slew, side);
            loads.take(&drive, swing, extra, side, edge);
            any = true;
        }
        if any {
            break;
        }
    }
    any
}

/// Capacitance of a pin by corner, pF.
pub(crate) fn pin_cap(context: &Context<'_>, pin: PinId) -> Quad {
    let view = &context.view;
    match view.design.owner(pin) {
        Owner::Cell(cell, number) => view
            .model(cell)
            .and_then(|model| model.pins.get(number.index()))
            .map_or([0.0; 4], |side| side.cap),
        Owner::Port(port) => {
            let Some(environment) = context.setup.constraints.ports.get(&port) else {
                return [0.0; 4];
            };
            [0, 1, 2, 3].map(|corner| {
                let (side, edge) = (MinMax::BOTH[corner / 2], Edge::BOTH[corner % 2]);
                let pin = environment.pin_load.get(side, edge).unwrap_or(0.0);
                (pin + environment.wire_load.get(side, edge).unwrap_or(0.0)) as f32
            })
        }
    }
}

/// The load of a net's driver by corner, and the Elmore delays of its load vertices.
pub(crate) fn net_load(
    context: &Context<'_>,
    parasitics: &Parasitics,
    net: NetId,
    walk: &mut Walk,
    elmores: &mut Vec<(Vertex, Quad)>,
) -> [Pi; 4] {
    elmores.clear();
    let view = &context.view;
    let design = view.design;
    let mut caps: SmallVec<[(PinId, Quad); 16]> = SmallVec::new();
    for &pin in design.net_pins(net) {
        caps.push((pin, pin_cap(context, pin)));
    }
    elmores.extend(view.loads(net).map(|vertex| (vertex, [0.0; 4])));
    let Some(driver) = design.driver(net) else { return [Pi::default(); 4] };
    let environment = context.setup.constraints.nets.get(&net);
    let network =
        parasitics.network(design, net, driver).filter(|network| walk.start(network, driver));
    let extras = view.graph.extras.len() as u32;
    let mut out = [Pi::default(); 4];
    for corner in 0..4 {
        // The same capacitances as an earlier corner give the same load.
        let twin = (0..corner).find(|other| {
            caps.iter().all(|(_, cap)| cap[*other].to_bits() == cap[corner].to_bits())
                && (environment.is_none() || other / 2 == corner / 2)
        });
        if let Some(twin) = twin {
            out[corner] = out[twin];
            for (_, elmore) in elmores.iter_mut() {
                elmore[corner] = elmore[twin];
            }
            continue;
        }
        let cap = |pin: PinId| {
            let found = caps.binary_search_by_key(&pin, |(pin, _)| *pin);
            found.map_or(0.0, |at| f64::from(caps[at].1[corner]))
        };
        let sum: f64 = caps.iter().map(|(_, cap)| f64::from(cap[corner])).sum();
        let given = environment.and_then(|net| net.wire_load[corner / 2].map(|c| (net, c)));
        if let Some((environment, wire)) = given {
            let total = if environment.subtract_pin_load { wire.max(sum) } else { wire + sum };
            out[corner] = Pi { near: total as f32, r: 0.0, far: 0.0 };
            continue;
        }
        let Some(network) = &network else {
            out[corner] = Pi { near: sum as f32, r: 0.0, far: 0.0 };
            continue;
        };
        // A pin that is no node of the network was connected after it was extracted, and loads the
        // driver. A node that no resistor leads to carries nothing, as in OpenSTA 3.1.0.
        let listed: f64 = network.pins().map(cap).sum();
        out[corner] = walk.reduce(network, 1.0, (sum - listed).max(0.0), cap);
        for (pin, elmore) in walk.elmore(network) {
            let vertex = extras + pin.0;
            if let Ok(at) = elmores.binary_search_by_key(&vertex, |(vertex, _)| *vertex) {
                elmores[at].1[corner] = elmore as f32;
            }
        }
    }
    out
}
