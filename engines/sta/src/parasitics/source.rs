//! Where a net's RC network comes from.

use std::borrow::Cow;
use std::sync::Arc;

use cellwright_db::records::NetKind;
use cellwright_db::timing::WireLoad;
use cellwright_db::{Design, NetId, PinId};

use super::{RcNet, RcNode, steiner};

/// Resistance and capacitance of a µm of wire: (kΩ/µm, pF/µm).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WireRc {
    /// Signal nets.
    pub signal: (f64, f64),
    /// Nets declared as clocks.
    pub clock: (f64, f64),
}

/// How the pins of a placed net are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    /// Each load by its own wire from the driver.
    Star,
    /// A rectilinear Steiner tree.
    #[default]
    Steiner,
}

/// Networks read from a file, by net.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotated {
    nets: Vec<Option<Box<RcNet>>>,
}

impl Annotated {
    /// Collects networks; of two for one net the later one stays.
    pub fn new(nets: impl IntoIterator<Item = RcNet>) -> Self {
        let mut annotated = Annotated::default();
        nets.into_iter().for_each(|net| annotated.insert(net));
        annotated
    }
    /// Adds or replaces the network of a net.
    pub fn insert(&mut self, net: RcNet) {
        let at = net.net.index();
        if at >= self.nets.len() {
            self.nets.resize(at + 1, None);
        }
        self.nets[at] = Some(Box::new(net));
    }
    /// The network of a net.
    pub fn get(&self, net: NetId) -> Option<&RcNet> {
        self.nets.get(net.index()).and_then(Option::as_deref)
    }
    /// How many nets are annotated.
    pub fn len(&self) -> usize {
        self.nets.iter().flatten().count()
    }
    /// Whether no net is annotated.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Where wires come from.
#[derive(Clone, Debug, Default)]
pub enum Parasitics {
    /// Wires have neither resistance nor capacitance.
    #[default]
    None,
    /// Networks of a file; a net without one has a wire without resistance and capacitance. They
    /// stay when cells move; a pin that is no node of its net's network loads the driver.
    Annotated(Arc<Annotated>),
    /// Estimated from where the pins stand.
    Placement {
        /// Per-µm values.
        wire: WireRc,
        /// Topology.
        topology: Topology,
    },
    /// A wire-load model: every load of a net behind its share of the wire (balanced tree).
    WireLoad(Arc<WireLoad>),
}

impl Parasitics {
    /// The network of a net with a driver. `None` is a wire without resistance and capacitance.
    pub fn network<'a>(
        &'a self,
        design: &Design,
        net: NetId,
        driver: PinId,
    ) -> Option<Cow<'a, RcNet>> {
        match self {
            Parasitics::None => None,
            Parasitics::Annotated(nets) => nets.get(net).map(Cow::Borrowed),
            Parasitics::Placement { wire, topology } => {
                Some(Cow::Owned(placed(design, net, driver, wire, *topology)))
            }
            Parasitics::WireLoad(model) => Some(Cow::Owned(by_fanout(design, net, driver, model))),
        }
    }
    /// Whether a move changes wires.
    pub fn follows_placement(&self) -> bool {
        matches!(self, Parasitics::Placement { .. })
    }
}

fn pins_driver_first(design: &Design, net: NetId, driver: PinId) -> Vec<PinId> {
    let others = design.net_pins(net).iter().copied().filter(|pin| *pin != driver);
    std::iter::once(driver).chain(others).collect()
}

fn placed(design: &Design, net: NetId, driver: PinId, wire: &WireRc, topology: Topology) -> RcNet {
    let pins = pins_driver_first(design, net, driver);
    let located: Vec<_> = pins.iter().map(|pin| design.pin_location(*pin)).collect();
    // A port without a place adds no wire: it counts as standing where the first placed pin does.
    let anchor = located.iter().flatten().next().copied().unwrap_or_default();
    let points: Vec<_> = located.iter().map(|point| point.unwrap_or(anchor)).collect();
    let tree = match topology {
        Topology::Steiner => steiner(&points),
        Topology::Star => steiner::star(&points),
    };
    let (r, c) = match design.net(net).kind {
        NetKind::Clock => wire.clock,
        _ => wire.signal,
    };
    let mut nodes: Vec<RcNode> = pins.into_iter().map(RcNode::Pin).collect();
    nodes.extend((0..(tree.points.len() - points.len()) as u32).map(RcNode::Internal));
    let mut cap = vec![0.0_f64; nodes.len()];
    let mut res = Vec::with_capacity(tree.edges.len());
    for &(a, b) in &tree.edges {
        let length = steiner::distance(tree.points[a as usize], tree.points[b as usize]);
        let length = design.tech().microns(length);
        cap[a as usize] += 0.5 * c * length;
        cap[b as usize] += 0.5 * c * length;
        res.push((a, b, (r * length) as f32));
    }
    let cap = cap.into_iter().map(|cap| cap as f32).collect();
    RcNet { net, nodes, cap, res, coupling: Vec::new() }
}

fn by_fanout(design: &Design, net: NetId, driver: PinId, model: &WireLoad) -> RcNet {
    let pins = pins_driver_first(design, net, driver);
    let loads = pins.len().saturating_sub(1);
    let length = length(model, loads as f64);
    let share = if loads == 0 { 0.0 } else { 1.0 / loads as f64 };
    let (r, c) = (model.resistance * length * share, model.capacitance * length * share);
    let mut cap = vec![0.0_f32];
    cap.resize(pins.len(), c as f32);
    if loads == 0 {
        cap[0] = (model.capacitance * length) as f32;
    }
    let res = (1..pins.len() as u32).map(|load| (0, load, r as f32)).collect();
    let nodes = pins.into_iter().map(RcNode::Pin).collect();
    RcNet { net, nodes, cap, res, coupling: Vec::new() }
}

/// Liberty: between entries linear, below the first the first slope from the origin's side, above
/// the last by `slope`.
fn length(model: &WireLoad, fanout: f64) -> f64 {
    let table = &model.fanout_length;
    match (table.first(), table.last()) {
        (Some(first), Some(last)) => {
            if fanout <= first.0 {
                return first.1;
            }
            if fanout >= last.0 {
                return last.1 + model.slope * (fanout - last.0);
            }
            let after = table.partition_point(|entry| entry.0 <= fanout);
            let (a, b) = (table[after - 1], table[after]);
            a.1 + (b.1 - a.1) * (fanout - a.0) / (b.0 - a.0)
        }
        _ => model.slope * fanout,
    }
}
