//! Drives, an estimate of the longest path, and the wire guess that both use.
//!
//! A cell gets the smallest drive whose output sees an electrical effort of at most [`EFFORT`]; cells are
//! taken from outputs to inputs, so that the loads they see are final. Then one cell in eight is made a
//! step stronger and one in eight a step weaker, which leaves work for a sizing agent in both directions.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cells::{Family, Kind, MasterId, catalog};
use crate::check::{Flaw, topological_order};
use crate::finish::{clock_nets, output_nets};
use crate::logic::Sense;
use crate::model::{self, C0, Corner, Edge};
use crate::netlist::{CellId, NetId, Netlist, Sinks};
use crate::tech;

/// Load over drive, in input capacitances of an inverter, that sizing allows.
pub const EFFORT: f64 = 5.0;
/// Load on an output port, pF, also in the constraints.
pub const PORT_LOAD: f64 = 0.004;
/// Transition of an ideal clock at the registers, ns, also in the constraints.
pub const CLOCK_SLEW: f64 = 0.02;
/// Transition of the estimate at input ports, ns.
const PORT_SLEW: f64 = 0.02;

/// Length in µm that a net with `fanout` sinks is expected to get in a design of `cells` cells.
///
/// A two-pin net spans a few cell pitches (1.7 µm), a sink more adds about as much as the first, and
/// nets grow slowly with the design.
pub fn expected_length(fanout: usize, cells: usize) -> f64 {
    let growth = 1.0 + 0.08 * f64::from((cells.max(256) / 256).ilog2());
    1.7 * (1.5 + 1.7 * fanout as f64) * growth
}

/// Picks a drive for every cell.
pub(crate) fn size(n: &mut Netlist, seed: u64) -> Result<(), Flaw> {
    let order = topological_order(n)?;
    let sinks = n.sinks();
    let outside = output_nets(n);
    for &cell in order.iter().rev() {
        if is_sized_by_load(n.family(cell)) {
            n.master[cell.index()] = pick(n, &sinks, &outside, cell);
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x0051_23e5);
    for cell in n.cells() {
        let step = match rng.random_range(0..8u8) {
            0 => 1,
            1 => -1,
            _ => 0,
        };
        let family = n.family(cell);
        if step == 0 || !is_sized_by_load(family) || family.kind == Kind::ClockGate {
            continue;
        }
        let moved = i32::from(n.master[cell.index()].0) + step;
        if catalog().drives(family.gate).any(|m| i32::from(m.0) == moved) {
            n.master[cell.index()] = MasterId(moved as u16);
        }
    }
    Ok(())
}

fn is_sized_by_load(family: &Family) -> bool {
    !matches!(family.kind, Kind::Tie | Kind::Filler | Kind::Tap)
}

fn pick(n: &Netlist, sinks: &Sinks, outside: &[bool], cell: CellId) -> MasterId {
    let family = n.family(cell);
    let load = n
        .output_nets(cell)
        .iter()
        .filter(|net| **net != NetId::OPEN)
        .map(|net| load(n, sinks, outside, *net, n.cell_count()))
        .fold(0.0, f64::max);
    let factor = family.electrical.rise.max(family.electrical.fall);
    let mut choice = catalog().weakest(family.gate);
    for id in catalog().drives(family.gate) {
        choice = id;
        if load * factor <= EFFORT * C0 * f64::from(catalog().master(id).drive) {
            break;
        }
    }
    choice
}

/// Pins, wire and port load of a net, pF, at the typical corner.
fn load(n: &Netlist, sinks: &Sinks, outside: &[bool], net: NetId, cells: usize) -> f64 {
    let list = sinks.of(net);
    let pins: f64 = list
        .iter()
        .map(|(cell, pin)| model::input_cap(n.master(*cell), Corner::Typ, usize::from(*pin)))
        .sum();
    let port = outside[net.index()];
    let fanout = list.len() + usize::from(port);
    let wire = expected_length(fanout, cells) * tech::signal_wire().c;
    pins + wire + if port { PORT_LOAD } else { 0.0 }
}

/// Arrival and transition of a net's two edges, ns; index 0 rise, 1 fall.
#[derive(Clone, Copy)]
struct Wave {
    at: [f64; 2],
    slew: [f64; 2],
}

/// For each endpoint, the clock period that its longest path needs at the typical corner, ns, longest
/// first; shares of the period as [`crate::sdc::Timing::from_period`] takes them.
///
/// A plain forward pass with the model itself (no tables) and a lumped wire of the expected length;
/// clock edges are ideal. It is an estimate to choose a period with, not a timer.
pub(crate) fn periods(n: &Netlist) -> Result<Vec<f64>, Flaw> {
    let corner = Corner::Typ;
    let order = topological_order(n)?;
    let sinks = n.sinks();
    let outside = output_nets(n);
    let clocks = clock_nets(n, &sinks);
    let wire = tech::signal_wire();
    let cells = n.cell_count();
    let quiet = Wave { at: [f64::NEG_INFINITY; 2], slew: [0.0; 2] };
    // One wave from registers, one from ports: their required times differ.
    let mut waves = vec![[quiet; 2]; n.net_count()];
    for port in &n.ports {
        for net in &port.bits {
            if port.direction == crate::netlist::Direction::Input && !clocks[net.index()] {
                waves[net.index()][1] = Wave { at: [0.0; 2], slew: [PORT_SLEW; 2] };
            }
        }
    }
    let senses = SenseTable::new();
    for &cell in &order {
        let master = n.master(cell);
        let family = master.family;
        let inputs = n.input_nets(cell);
        for (o, net) in n.output_nets(cell).iter().enumerate() {
            if *net == NetId::OPEN || clocks[net.index()] {
                continue;
            }
            let load = load(n, &sinks, &outside, *net, cells);
            let fanout = sinks.of(*net).len() + usize::from(outside[net.index()]);
            let length = expected_length(fanout, cells);
            let flight =
                wire.r * length * (load - 0.5 * wire.c * length).max(0.0) / fanout.max(1) as f64;
            let mut out = [quiet; 2];
            let mut relax = |origin: usize, edge: usize, at: f64, slew: f64| {
                let wave: &mut Wave = &mut out[origin];
                wave.at[edge] = wave.at[edge].max(at + flight);
                wave.slew[edge] = wave.slew[edge].max(slew);
            };
            for (e, edge) in [Edge::Rise, Edge::Fall].into_iter().enumerate() {
                if family.is_register() {
                    let stage = model::stage(master, corner, 1, o, Sense::Positive, edge);
                    let delay = stage.delay(CLOCK_SLEW, load);
                    relax(0, e, delay, stage.transition(CLOCK_SLEW, load));
                    continue;
                }
                for (i, input) in inputs.iter().enumerate() {
                    for sense in senses.of(family, i, o) {
                        let from = if sense == Sense::Positive { e } else { 1 - e };
                        let stage = model::stage(master, corner, i, o, sense, edge);
                        for (origin, wave) in waves[input.index()].iter().enumerate() {
                            if wave.at[from].is_finite() {
                                let slew = wave.slew[from];
                                let at = wave.at[from] + stage.delay(slew, load);
                                relax(origin, e, at, stage.transition(slew, load));
                            }
                        }
                    }
                }
            }
            waves[net.index()] = out;
        }
    }
    // What uncertainty and the outside's delays leave of a period: 3 % and 20 % each.
    let left = [[0.97, 0.77], [0.77, 0.57]];
    let mut needs = Vec::new();
    let mut endpoint = |net: NetId, port: bool, setup: &dyn Fn(f64) -> f64| {
        let mut need: f64 = 0.0;
        for (wave, left) in waves[net.index()].iter().zip(left[usize::from(port)]) {
            for e in 0..2 {
                need = need.max((wave.at[e] + setup(wave.slew[e])) / left);
            }
        }
        needs.push(need);
    };
    for cell in n.cells() {
        let family = n.family(cell);
        if family.clock_pin() == Some(1) {
            let setup = |slew| model::setup(family, corner, slew, CLOCK_SLEW);
            endpoint(n.input_nets(cell)[0], false, &setup);
        }
    }
    for port in n.ports.iter().filter(|p| p.direction == crate::netlist::Direction::Output) {
        for net in &port.bits {
            endpoint(*net, true, &|_| 0.0);
        }
    }
    needs.sort_by(|a, b| b.total_cmp(a));
    Ok(needs)
}

/// Senses of each arc, found once for each family.
struct SenseTable {
    positive: Vec<[[bool; 2]; 4]>,
    negative: Vec<[[bool; 2]; 4]>,
}

impl SenseTable {
    fn new() -> Self {
        let mut table = Self { positive: Vec::new(), negative: Vec::new() };
        for family in &crate::cells::FAMILIES {
            let mut has = [[[false; 2]; 4]; 2];
            if family.kind == Kind::Logic {
                for (o, (_, function)) in family.outputs.iter().enumerate() {
                    for i in 0..family.inputs.len() {
                        let senses = function.senses(i, family.inputs.len());
                        for (has, products) in has.iter_mut().zip(&senses) {
                            has[i][o] = !products.is_empty();
                        }
                    }
                }
            }
            table.positive.push(has[0]);
            table.negative.push(has[1]);
        }
        table
    }

    fn of(&self, family: &Family, i: usize, o: usize) -> impl Iterator<Item = Sense> + use<> {
        let f = family.gate as usize;
        let positive = self.positive[f][i][o].then_some(Sense::Positive);
        positive.into_iter().chain(self.negative[f][i][o].then_some(Sense::Negative))
    }
}
