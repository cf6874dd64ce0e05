//! Cells, nets and ports from a flat Verilog netlist.

use cellwright_db::library::{MasterClass, PinDirection};
use cellwright_db::records::NetKind;
use cellwright_db::tech::Symmetry;
use cellwright_db::{DesignBuilder, IdVec, Master, MasterId, MasterPin, NetId, Place, Point, Rect};
use hashbrown::HashMap;

use crate::text::{Problem, Problems, Severity};
use crate::verilog::{
    Connection, FlatNetlist, LeafMasters, LeafPort, LibraryMasters, NetRef, PortDirection, Tie,
};

/// Names of the nets that stand for constants.
pub const CONSTANTS: [&str; 2] = ["1'b0", "1'b1"];

/// Masters as Verilog sees them: Liberty first, for its buses, then LEF.
#[derive(Debug)]
pub struct Leaves<'a> {
    /// Liberty cells.
    pub libraries: LibraryMasters<'a>,
    /// All masters.
    pub masters: &'a IdVec<MasterId, Master>,
    /// Masters by name.
    pub by_name: &'a HashMap<&'a str, MasterId>,
}

impl LeafMasters for Leaves<'_> {
    fn ports(&self, master: &str) -> Option<Vec<LeafPort>> {
        if let Some(ports) = self.libraries.ports(master) {
            return Some(ports);
        }
        let master = &self.masters[*self.by_name.get(master)?];
        let mut ports: Vec<LeafPort> = Vec::new();
        let mut buses: HashMap<&str, Vec<(i32, &str)>> = HashMap::new();
        let mut order: Vec<(&str, Option<PortDirection>)> = Vec::new();
        for pin in &master.pins {
            let direction = match pin.direction {
                PinDirection::Input => Some(PortDirection::Input),
                PinDirection::Output => Some(PortDirection::Output),
                PinDirection::Inout => Some(PortDirection::Inout),
                PinDirection::Unknown => None,
            };
            match bus_bit(&pin.name) {
                Some((bus, bit)) => {
                    let bits = buses.entry(bus).or_default();
                    if bits.is_empty() {
                        order.push((bus, direction));
                    }
                    bits.push((bit, &pin.name));
                }
                None => ports.push(leaf(&pin.name, direction, vec![pin.name.clone()])),
            }
        }
        for (bus, direction) in order {
            let mut bits = buses.remove(bus).unwrap_or_default();
            bits.sort_unstable_by_key(|(bit, _)| std::cmp::Reverse(*bit));
            let pins = bits.into_iter().map(|(_, name)| name.to_owned()).collect();
            ports.push(leaf(bus, direction, pins));
        }
        for supply in &master.supplies {
            ports.push(leaf(&supply.name, None, vec![supply.name.clone()]));
        }
        Some(ports)
    }
}

fn leaf(name: &str, direction: Option<PortDirection>, pins: Vec<String>) -> LeafPort {
    LeafPort { name: name.to_owned(), direction, pins }
}

/// `A[3]` as (`A`, 3).
fn bus_bit(name: &str) -> Option<(&str, i32)> {
    let (bus, rest) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((bus, rest.parse().ok()?))
}

/// Masters for the instances whose cell nobody defines, so that their wires stay visible.
pub fn black_boxes(netlist: &FlatNetlist, masters: &mut IdVec<MasterId, Master>) {
    for cell in netlist.masters.iter().filter(|cell| cell.black_box) {
        let pins = cell.ports.iter().flat_map(|port| {
            port.pins.iter().filter_map(|pin| netlist.pin_names.get(*pin as usize))
        });
        let mut pins: Vec<MasterPin> = pins
            .map(|name| MasterPin {
                name: name.clone(),
                direction: PinDirection::Unknown,
                is_clock: false,
                shapes: Vec::new(),
                bbox: Rect::default(),
                offset: Point::default(),
            })
            .collect();
        pins.sort_by(|a, b| a.name.cmp(&b.name));
        pins.dedup_by(|a, b| a.name == b.name);
        masters.push(Master {
            name: cell.name.clone(),
            class: MasterClass::Block,
            width: 0,
            height: 0,
            site: None,
            symmetry: Symmetry::default(),
            pins,
            supplies: Vec::new(),
            obstructions: Vec::new(),
            edge_types: None,
            has_geometry: false,
            function_class: 0,
        });
    }
}

/// Puts a flat netlist into a builder.
pub fn link(
    file: &str,
    netlist: &FlatNetlist,
    builder: &mut DesignBuilder,
    problems: &mut Problems,
) {
    for net in 0..netlist.nets.len() {
        let kind = match netlist.tie(net as u32) {
            Some(Tie::Zero) => NetKind::Ground,
            Some(Tie::One) => NetKind::Power,
            None => NetKind::Signal,
        };
        builder.add_net(netlist.nets.get(net), kind);
    }
    let mut constants = [None; 2];
    let mut net_of = |net: NetRef, builder: &mut DesignBuilder| {
        let (which, kind) = match net.connection() {
            Connection::Net(net) => return NetId(net),
            Connection::Const0 => (0, NetKind::Ground),
            Connection::Const1 => (1, NetKind::Power),
        };
        *constants[which].get_or_insert_with(|| builder.add_net(CONSTANTS[which], kind))
    };
    for (index, port) in netlist.ports.iter().enumerate() {
        let direction = match port.direction {
            PortDirection::Input => PinDirection::Input,
            PortDirection::Output => PinDirection::Output,
            PortDirection::Inout => PinDirection::Inout,
        };
        let net = port.net.map_or(NetId::NONE, |net| net_of(net, builder));
        let bus = port.bus.and_then(|bus| netlist.port_buses.get(bus as usize)).map(|bus| {
            let offset = index as i32 - bus.first_port as i32;
            let bit = if bus.from >= bus.to { bus.from - offset } else { bus.from + offset };
            (bus.name.clone(), bit)
        });
        builder.add_port(&port.name, direction, net, None, Vec::new(), bus);
    }
    // Pin numbers are looked up once per kind of cell, not once per instance.
    let masters: Vec<Option<MasterId>> =
        netlist.masters.iter().map(|cell| builder.library().master(&cell.name)).collect();
    let mut pin_of: Vec<HashMap<u32, Option<cellwright_db::MasterPinId>>> =
        vec![HashMap::new(); masters.len()];
    for instance in 0..netlist.instances.len() {
        let cell = netlist.instance_masters[instance] as usize;
        let Some(master) = masters[cell] else { continue };
        let name = netlist.instances.get(instance);
        let id = builder.add_cell(name, master, Place::default());
        for (pin, net) in netlist.connections(instance) {
            let found = *pin_of[cell].entry(pin).or_insert_with(|| {
                let pin = netlist.pin_names.get(pin as usize)?;
                let known = builder.library().masters[master].pin(pin);
                let supply = builder.library().masters[master].supplies.iter().any(|s| s.name == *pin);
                if known.is_none() && !supply {
                    problems.push(Problem {
                        severity: Severity::Error,
                        file: file.to_owned(),
                        line: 0,
                        code: "link-unknown-pin",
                        message: format!(
                            "cell `{}` has no pin `{pin}` (first at instance `{name}`); the connection is left out",
                            netlist.masters[cell].name
                        ),
                    });
                }
                known
            });
            if let Some(pin) = found {
                let net = net_of(net, builder);
                builder.connect(id, pin, net);
            }
        }
    }
}
