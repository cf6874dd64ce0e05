//! Wires: how much capacitance a net's wire has, and the Elmore delay to each of its pins.

use std::collections::BTreeMap;

use cellwright_db::records::NetKind;
use cellwright_db::{NetId, PinId};
use cellwright_formats::parasitics::{RcNet, RcNode};

use super::steiner;
use crate::state::State;

/// Where wires come from.
#[derive(Clone, Debug, Default)]
pub enum Wires {
    /// Wires have neither resistance nor capacitance.
    #[default]
    None,
    /// Estimated from where the pins stand: a rectilinear Steiner tree, as `steiner` defines it.
    Placement {
        /// Signal nets.
        signal: PerMicron,
        /// Nets declared as clocks.
        clock: PerMicron,
    },
    /// Networks read from a file, by net; a net without one has a wire without either.
    Networks(BTreeMap<NetId, RcNet>),
}

/// Resistance and capacitance of a µm of wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerMicron {
    /// kΩ.
    pub resistance: f64,
    /// pF.
    pub capacitance: f64,
}

/// A wire as a tree of nodes seen from the driver.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// Node of each pin of the net that the wire meets.
    pub(super) pins: BTreeMap<PinId, usize>,
    /// Capacitance of each node, pF.
    cap: Vec<f64>,
    /// Nodes from the driver outwards: (node, node before it, kΩ between). The first is the driver.
    order: Vec<(usize, usize, f64)>,
}

impl Tree {
    /// The wire of a net; `None` for a wire without resistance and capacitance.
    pub(super) fn new(state: &State, wires: &Wires, net: NetId, driver: PinId) -> Option<Tree> {
        match wires {
            Wires::None => None,
            Wires::Placement { signal, clock } => {
                let is_clock = state.design.net(net).kind == NetKind::Clock;
                Some(Tree::placed(state, if is_clock { clock } else { signal }, net, driver))
            }
            Wires::Networks(nets) => Tree::of_network(nets.get(&net)?, driver),
        }
    }

    /// Half of each segment's capacitance lies at either end.
    fn placed(state: &State, unit: &PerMicron, net: NetId, driver: PinId) -> Tree {
        let mut pins = vec![driver];
        pins.extend(state.pins(net).iter().copied().filter(|pin| *pin != driver));
        let points: Vec<_> = pins.iter().map(|pin| state.pin_point(*pin)).collect();
        // A port without location adds no wire: it counts as where the first located pin is.
        let anchor = points.iter().flatten().next().copied().unwrap_or((0, 0));
        let points: Vec<_> = points.into_iter().map(|at| at.unwrap_or(anchor)).collect();
        let (points, edges) = steiner::tree(&points);
        let PerMicron { resistance: r, capacitance: c } = *unit;
        let scale = f64::from(state.design.tech().dbu_per_micron);
        let mut cap = vec![0.0; points.len()];
        let mut resistors = Vec::new();
        for (a, b) in edges {
            let microns = steiner::distance(points[a], points[b]) as f64 / scale;
            cap[a] += 0.5 * c * microns;
            cap[b] += 0.5 * c * microns;
            resistors.push((a, b, r * microns));
        }
        let pins = pins.into_iter().enumerate().map(|(node, pin)| (pin, node)).collect();
        Tree { pins, order: outwards(cap.len(), &resistors, 0), cap }
    }

    /// Coupling capacitances count to ground; a resistor that leads back to a node already met is
    /// left out. `None` when the driver is no node.
    fn of_network(network: &RcNet, driver: PinId) -> Option<Tree> {
        let mut cap: Vec<f64> = network.nodes.iter().map(|_| 0.0).collect();
        for (node, own) in network.cap.iter().enumerate().take(cap.len()) {
            cap[node] += f64::from(*own);
        }
        for (node, coupling) in &network.coupling {
            if let Some(cap) = cap.get_mut(*node as usize) {
                *cap += f64::from(*coupling);
            }
        }
        let resistors: Vec<_> = network
            .res
            .iter()
            .map(|(a, b, r)| (*a as usize, *b as usize, f64::from(*r)))
            .filter(|(a, b, _)| a != b && *a < cap.len() && *b < cap.len())
            .collect();
        let pins: BTreeMap<PinId, usize> = network
            .nodes
            .iter()
            .enumerate()
            .filter_map(|(at, node)| match node {
                RcNode::Pin(pin) => Some((*pin, at)),
                RcNode::Internal(_) => None,
            })
            .collect();
        let root = *pins.get(&driver)?;
        let order = outwards(cap.len(), &resistors, root);
        let mut met = vec![false; cap.len()];
        order.iter().for_each(|(node, ..)| met[*node] = true);
        let pins = pins.into_iter().filter(|(_, node)| met[*node]).collect();
        Some(Tree { pins, cap, order })
    }

    /// Capacitance of the wire itself, pF.
    pub(super) fn capacitance(&self) -> f64 {
        self.order.iter().map(|(node, ..)| self.cap[*node]).sum()
    }

    /// Elmore delay of each pin, ns: over the way from the driver, resistance times the capacitance
    /// behind it, pins (`pin_cap`, pF) included.
    pub(super) fn elmore(&self, pin_cap: impl Fn(PinId) -> f64) -> BTreeMap<PinId, f64> {
        let mut behind = self.cap.clone();
        for (pin, node) in &self.pins {
            behind[*node] += pin_cap(*pin);
        }
        for &(node, before, _) in self.order.iter().skip(1).rev() {
            behind[before] += behind[node];
        }
        let mut delay = vec![0.0; self.cap.len()];
        for &(node, before, r) in self.order.iter().skip(1) {
            delay[node] = delay[before] + r * behind[node];
        }
        self.pins.iter().map(|(pin, node)| (*pin, delay[*node])).collect()
    }
}

/// Depth-first order from `root`, each node's resistors in the order of the list.
fn outwards(
    nodes: usize,
    resistors: &[(usize, usize, f64)],
    root: usize,
) -> Vec<(usize, usize, f64)> {
    let mut beside: Vec<Vec<(usize, f64)>> = vec![Vec::new(); nodes];
    for &(a, b, r) in resistors {
        beside[a].push((b, r));
        beside[b].push((a, r));
    }
    let mut met = vec![false; nodes];
    let mut order = Vec::with_capacity(nodes);
    let mut open = vec![(root, root, 0.0)];
    while let Some((node, before, r)) = open.pop() {
        if std::mem::replace(&mut met[node], true) {
            continue;
        }
        order.push((node, before, r));
        open.extend(beside[node].iter().rev().map(|(next, r)| (*next, node, *r)));
    }
    order
}
