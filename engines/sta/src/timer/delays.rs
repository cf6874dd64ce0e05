//! Delays and slews of one net: its drivers' arcs, its wires, its loads.

use cellwright_db::timing::Edge;
use cellwright_db::{NetId, Owner, PinId, PortId};
use smallvec::SmallVec;

use crate::constraints::{DrivingCell, MinMax};
use crate::delay::{Drive, adjust, port_load};
use crate::graph::Vertex;
use crate::graph::model::{Model, NO_SLOT, Role, Swing};
use crate::parasitics::{Parasitics, Pi, Walk};
use crate::search::arrival::clock_slew;
use crate::search::{Context, Quad, Values};

/// What the evaluation of a net gives.
#[derive(Clone, Debug, Default)]
pub(crate) struct NetResult {
    /// Slot, delays `[min, max]`.
    pub(crate) arcs: Vec<(u32, [f32; 2])>,
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

/// A load of the net under evaluation.
struct Load {
    vertex: Vertex,
    elmore: Quad,
    /// Thresholds of the load's library where it is another one, by `[min, max][edge]`, with the
    /// input threshold.
    other: Option<[[(Swing, f64); 2]; 2]>,
    wire: Quad,
    slew: Quad,
}

impl Load {
    /// Merges what one arc of the driver does here.
    #[inline]
    fn take(&mut self, drive: &Drive, swing: &Swing, extra: f64, side: usize, edge: usize) {
        let corner = side * 2 + edge;
        let mut result = drive.load(f64::from(self.elmore[corner]));
        if let Some(other) = &self.other {
            let (load, vth) = &other[side][edge];
            result = adjust(result, swing, load, *vth);
        }
        take(&mut self.wire[corner], result.0 + extra, side);
        take(&mut self.slew[corner], result.1, side);
    }
}

/// The loads that a driver's wires lead to: those on other pins than its own.
fn others<'l>(
    loads: &'l mut SmallVec<[Load; 8]>,
    context: &Context<'_>,
    driver: Vertex,
) -> impl Iterator<Item = &'l mut Load> {
    let view = context.view;
    loads.iter_mut().filter(move |load| view.pin(load.vertex) != view.pin(driver))
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

/// Evaluates the net that `leader` drives (or `leader` alone when it drives none).
pub(crate) fn evaluate(
    context: &Context<'_>,
    values: &Values,
    leader: Vertex,
    result: &mut NetResult,
) {
    let view = &context.view;
    let net = view.design.pin_net(view.pin(leader));
    let drivers = match net {
        Some(net) => view.drivers(net),
        None => SmallVec::from_slice(&[leader]),
    };
    let pi = net.map_or([Pi::default(); 4], |net| values.load[net.index()]);
    let driver_lib = match view.design.owner(view.pin(leader)) {
        Owner::Cell(cell, _) => view.model(cell).map(|model| model.lib),
        Owner::Port(_) => Some(view.models.port_lib),
    };
    let mut loads: SmallVec<[Load; 8]> = SmallVec::new();
    if let Some(net) = net {
        for vertex in view.loads(net) {
            loads.push(Load {
                vertex,
                elmore: values.elmore[vertex as usize],
                other: other_thresholds(context, vertex, driver_lib),
                wire: [f32::NAN; 4],
                slew: [f32::NAN; 4],
            });
        }
    }
    for (number, &driver) in drivers.iter().enumerate() {
        let first_wires: SmallVec<[Quad; 8]> = match number {
            0 => SmallVec::new(),
            _ => loads
                .iter_mut()
                .map(|load| std::mem::replace(&mut load.wire, [f32::NAN; 4]))
                .collect(),
        };
        let mut slew = [f32::NAN; 4];
        match view.design.owner(view.pin(driver)) {
            Owner::Port(port) => {
                from_port(context, driver, port, &pi, &mut slew, &mut loads);
                result.work += 1;
            }
            Owner::Cell(cell, number) => {
                let model = view.model(cell);
                let first = view.design.cell(cell).first_pin;
                let fanin = model.map_or(&[][..], |model| &model.pins[number.index()].fanin);
                for &arc in fanin {
                    let Some(model) = model else { continue };
                    let pairs = view.pairs(cell, model, arc);
                    if pairs == 0 {
                        continue;
                    }
                    result.work += 1;
                    let entry = &model.arcs[arc as usize];
                    let from = view.arc_from(first, entry.from);
                    let source = source_slew(context, values, entry.role, from);
                    for pair in 0..4 {
                        if pairs >> pair & 1 == 0 || entry.slot[pair] == NO_SLOT {
                            continue;
                        }
                        let (from_edge, to_edge) = (pair / 2, pair % 2);
                        let mut delay = [f32::NAN; 2];
                        for side in 0..2 {
                            let Some(gate) = &entry.gate[side][to_edge] else { continue };
                            let corner = side * 2 + to_edge;
                            let swing = &model.drive[side][to_edge];
                            let input = f64::from(source[side * 2 + from_edge]);
                            let drive = context.calculator.drive(gate, input, &pi[corner], swing);
                            delay[side] = drive.delay as f32;
                            // Latch data arcs do not shape the slew behind the latch.
                            if entry.role != Role::LatchData {
                                take(&mut slew[corner], drive.slew, side);
                                for load in others(&mut loads, context, driver) {
                                    load.take(&drive, swing, 0.0, side, to_edge);
                                }
                            }
                        }
                        let slot = values.base[cell.index()] + u32::from(entry.slot[pair]);
                        result.arcs.push((slot, delay));
                    }
                }
            }
        }
        result.drivers.push((driver, slew.map(zero), result.arcs.len()));
        for (load, first) in loads.iter_mut().zip(first_wires) {
            let own = std::mem::replace(&mut load.wire, first);
            if view.pin(load.vertex) != view.pin(driver) {
                result.other_wires.push(((load.vertex, driver), own.map(zero)));
            }
        }
    }
    for load in loads {
        result.loads.push((load.vertex, load.wire.map(zero), load.slew.map(zero)));
    }
}

fn other_thresholds(
    context: &Context<'_>,
    load: Vertex,
    driver: Option<[u32; 2]>,
) -> Option<[[(Swing, f64); 2]; 2]> {
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
    driver: Vertex,
    port: PortId,
    pi: &[Pi; 4],
    slew: &mut Quad,
    loads: &mut SmallVec<[Load; 8]>,
) {
    let environment = context.setup.constraints.ports.get(&port);
    for corner in 0..4 {
        let (side, edge) = (corner / 2, corner % 2);
        let cell = environment.and_then(|port| port.driving_cell[side][edge].as_ref());
        if let Some(cell) = cell
            && let Some(model) = context.view.models.get(cell.master)
            && driven(context, driver, cell, model, pi, slew, loads, side, edge)
        {
            continue;
        }
        let given = environment
            .and_then(|port| port.input_transition.get(MinMax::BOTH[side], Edge::BOTH[edge]))
            .unwrap_or(0.0);
        take(&mut slew[corner], given, side);
        let drive = Drive::port(context.calculator, given);
        for load in others(loads, context, driver) {
            let swing = match &load.other {
                Some(other) => other[side][edge].0,
                None => load_swing(context, load.vertex, side, edge),
            };
            let elmore = f64::from(load.elmore[corner]);
            let flat = drive.load(elmore);
            let (delay, at_load) = if context.calculator != crate::delay::Calculator::DmpCeffElmore
            {
                flat
            } else {
                port_load(elmore, given, &swing)
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
    driver: Vertex,
    cell: &DrivingCell,
    model: &Model,
    pi: &[Pi; 4],
    slew: &mut Quad,
    loads: &mut SmallVec<[Load; 8]>,
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
            for load in others(loads, context, driver) {
                load.take(&drive, swing, extra, side, edge);
            }
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
