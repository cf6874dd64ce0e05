//! A flat netlist: plain arrays of names and numbers.

use super::ast::Tie;
use super::masters::PortDirection;
use super::writer::{FlatNetlistView, PortView, VectorPort};

/// Many names in one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameList {
    text: String,
    ends: Vec<u32>,
}

impl NameList {
    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A name; nothing past the end.
    #[must_use]
    pub fn get(&self, index: usize) -> &str {
        let start = match index {
            0 => 0,
            _ => self.ends.get(index - 1).copied().unwrap_or(0),
        };
        let end = self.ends.get(index).copied().unwrap_or(start);
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// All names in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }

    pub(super) fn reserve(&mut self, names: usize, bytes: usize) {
        self.ends.reserve(names);
        self.text.reserve(bytes);
    }

    /// Adds a name made of pieces; `false` if all names together would pass 4 GiB.
    #[must_use]
    pub(super) fn push(&mut self, pieces: &[&str]) -> bool {
        pieces.iter().for_each(|p| self.text.push_str(p));
        let end = u32::try_from(self.text.len());
        self.ends.push(end.unwrap_or(u32::MAX));
        end.is_ok()
    }
}

/// What a pin or a port is connected to, in one number: a net, or a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NetRef(u32);

/// What a [`NetRef`] stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Connection {
    /// The net of this index.
    Net(u32),
    /// The constant 0.
    Const0,
    /// The constant 1.
    Const1,
}

impl NetRef {
    /// The constant 0.
    pub const CONST0: NetRef = NetRef(u32::MAX - 1);
    /// The constant 1.
    pub const CONST1: NetRef = NetRef(u32::MAX);

    /// A net by its index, which is far below the two constants.
    #[must_use]
    pub fn net(index: u32) -> Self {
        Self(index)
    }

    /// What it stands for.
    #[must_use]
    pub fn connection(self) -> Connection {
        match self {
            Self::CONST0 => Connection::Const0,
            Self::CONST1 => Connection::Const1,
            Self(index) => Connection::Net(index),
        }
    }
}

/// A port of the top module; of a bus, one bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlatPort {
    /// Its name; a bus bit is `NAME[BIT]`.
    pub name: String,
    /// Which way it faces.
    pub direction: PortDirection,
    /// What it is connected to inside; `None` for a port that the module leaves open.
    pub net: Option<NetRef>,
    /// The bus that it belongs to, an index into [`FlatNetlist::port_buses`].
    pub bus: Option<u32>,
}

/// A bus of ports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortBus {
    /// Its name.
    pub name: String,
    /// First bit.
    pub from: i32,
    /// Last bit.
    pub to: i32,
    /// The port of the first bit; the others follow.
    pub first_port: u32,
}

/// A cell that instances are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Master {
    /// Its name.
    pub name: String,
    /// Whether neither a module nor a library cell of this name was known. Its ports are then
    /// those that its connections name.
    pub black_box: bool,
    /// Its ports.
    pub ports: Vec<MasterPort>,
}

/// A port of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MasterPort {
    /// Its name as a connection gives it.
    pub name: String,
    /// Which way it faces; `None` if that is not known, or for power and ground.
    pub direction: Option<PortDirection>,
    /// Its pins from the most significant bit, as indices into [`FlatNetlist::pin_names`].
    pub pins: Vec<u32>,
}

/// A design without hierarchy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlatNetlist {
    /// The top module.
    pub name: String,
    /// Its ports in the order of the header, a bus bit by bit.
    pub ports: Vec<FlatPort>,
    /// Its buses of ports.
    pub port_buses: Vec<PortBus>,
    /// The nets by name. Nets that an `assign` or a port joins are one.
    pub nets: NameList,
    /// Nets that are tied to a level, by rising net.
    pub net_ties: Vec<(u32, Tie)>,
    /// The cells.
    pub masters: Vec<Master>,
    /// Names of cell pins; a bus bit is `NAME[BIT]`.
    pub pin_names: Vec<String>,
    /// The instances by name.
    pub instances: NameList,
    /// Of each instance, its cell.
    pub instance_masters: Vec<u32>,
    /// Of each instance, its first connection; one more entry than instances.
    pub first_connections: Vec<u32>,
    /// Of each connection, the pin's name.
    pub connection_pins: Vec<u32>,
    /// Of each connection, what it goes to. Pins that are left open have no connection.
    pub connection_nets: Vec<NetRef>,
}

impl FlatNetlist {
    /// The connections of an instance: pin name index and net.
    pub fn connections(&self, instance: usize) -> impl Iterator<Item = (u32, NetRef)> {
        let at = |i: usize| self.first_connections.get(i).map_or(0, |&c| c as usize);
        let range = at(instance)..at(instance + 1);
        let pins = self.connection_pins.get(range.clone()).unwrap_or(&[]);
        let nets = self.connection_nets.get(range).unwrap_or(&[]);
        pins.iter().copied().zip(nets.iter().copied())
    }

    /// The level that a net is tied to.
    #[must_use]
    pub fn tie(&self, net: u32) -> Option<Tie> {
        let found = self.net_ties.binary_search_by_key(&net, |t| t.0).ok()?;
        self.net_ties.get(found).map(|t| t.1)
    }
}

impl FlatNetlistView for FlatNetlist {
    fn module_name(&self) -> &str {
        &self.name
    }

    fn port_count(&self) -> usize {
        self.ports.len()
    }

    fn port(&self, index: usize) -> Option<PortView<'_>> {
        let port = self.ports.get(index)?;
        let bus = port.bus.and_then(|b| self.port_buses.get(b as usize)).and_then(|bus| {
            let offset = i32::try_from(index.checked_sub(bus.first_port as usize)?).ok()?;
            let bit = if bus.from >= bus.to { bus.from - offset } else { bus.from + offset };
            Some((bus.name.as_str(), bit))
        });
        Some(PortView { name: &port.name, direction: port.direction, net: port.net, bus })
    }

    fn net_count(&self) -> usize {
        self.nets.len()
    }

    fn net_name(&self, net: usize) -> &str {
        self.nets.get(net)
    }

    fn net_tie(&self, net: usize) -> Option<Tie> {
        self.tie(u32::try_from(net).ok()?)
    }

    fn master_count(&self) -> usize {
        self.masters.len()
    }

    fn master_name(&self, master: usize) -> &str {
        self.masters.get(master).map_or("", |m| m.name.as_str())
    }

    fn master_vectors(&self, master: usize) -> Vec<VectorPort> {
        let ports = self.masters.get(master).map_or(&[][..], |m| &m.ports);
        let name = |&p: &u32| self.pin_names.get(p as usize).cloned().unwrap_or_default();
        let vector = |p: &&MasterPort| {
            p.pins.len() != 1 || p.pins.iter().map(name).next() != Some(p.name.clone())
        };
        ports
            .iter()
            .filter(vector)
            .map(|p| VectorPort { name: p.name.clone(), pins: p.pins.iter().map(name).collect() })
            .collect()
    }

    fn instance_count(&self) -> usize {
        self.instances.len()
    }

    fn instance_name(&self, instance: usize) -> &str {
        self.instances.get(instance)
    }

    fn instance_master(&self, instance: usize) -> usize {
        self.instance_masters.get(instance).map_or(0, |&m| m as usize)
    }

    fn for_each_connection(&self, instance: usize, each: &mut dyn FnMut(&str, NetRef)) {
        for (pin, net) in self.connections(instance) {
            each(self.pin_names.get(pin as usize).map_or("", String::as_str), net);
        }
    }
}
