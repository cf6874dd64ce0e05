//! The netlist that generators build: masters, pins and nets in flat arrays.
//!
//! A cell belongs to a **group** (a block such as `mul3`); group 0 is the top. Groups become modules
//! in hierarchical Verilog and name prefixes in flat files.

use crate::cells::{Family, Gate, Master, MasterId, catalog};

/// Dense cell number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

/// Dense net number. The first two are the constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NetId(pub u32);

impl CellId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl NetId {
    /// Logic zero.
    pub const ZERO: NetId = NetId(0);
    /// Logic one.
    pub const ONE: NetId = NetId(1);
    /// No net: an output that is left open.
    pub const OPEN: NetId = NetId(u32::MAX);

    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// True for the two constants.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

/// Direction of a top-level port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the design.
    Input,
    /// Out of the design.
    Output,
}

/// A top-level port: one scalar, or a bus `[n-1:0]`.
#[derive(Clone, Debug)]
pub struct Port {
    /// Name without an index.
    pub name: String,
    /// Direction.
    pub direction: Direction,
    /// True when written with a range, even for one bit.
    pub is_bus: bool,
    /// Nets, bit 0 first.
    pub bits: Vec<NetId>,
}

/// What drives a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Nothing, or a constant.
    None,
    /// An input port.
    Port,
    /// A cell's pin, counted over all pins of the netlist.
    Pin(CellId, u32),
}

/// A gate-level netlist on the masters of [`catalog`].
#[derive(Clone, Debug)]
pub struct Netlist {
    /// Design and top module name.
    pub name: String,
    /// Ports in declaration order.
    pub ports: Vec<Port>,
    pub(crate) groups: Vec<String>,
    pub(crate) master: Vec<MasterId>,
    pub(crate) group: Vec<u32>,
    pub(crate) first_pin: Vec<u32>,
    pub(crate) pins: Vec<NetId>,
    pub(crate) net_group: Vec<u32>,
    current: u32,
    /// The clock net, once [`Netlist::add_clock`] made it.
    pub(crate) clock: Option<NetId>,
    /// The active-low reset net, once [`Netlist::add_reset`] made it.
    pub(crate) reset: Option<NetId>,
}

impl Netlist {
    /// An empty netlist; new cells go to the top group.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ports: Vec::new(),
            groups: vec![String::new()],
            master: Vec::new(),
            group: Vec::new(),
            first_pin: vec![0],
            pins: Vec::new(),
            net_group: vec![0, 0],
            current: 0,
            clock: None,
            reset: None,
        }
    }

    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        self.master.len()
    }

    /// Number of nets, the two constants included.
    pub fn net_count(&self) -> usize {
        self.net_group.len()
    }

    /// Number of connected and open cell pins.
    pub fn pin_count(&self) -> usize {
        self.pins.len()
    }

    /// Groups; 0 is the top and has no name.
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// Every cell.
    pub fn cells(&self) -> impl DoubleEndedIterator<Item = CellId> + use<> {
        (0..self.master.len() as u32).map(CellId)
    }

    /// Master number of a cell.
    pub fn master_id(&self, cell: CellId) -> MasterId {
        self.master[cell.index()]
    }

    /// Master of a cell.
    pub fn master(&self, cell: CellId) -> &'static Master {
        catalog().master(self.master[cell.index()])
    }

    /// Family of a cell.
    pub fn family(&self, cell: CellId) -> &'static Family {
        self.master(cell).family
    }

    /// Nets on a cell's signal pins, inputs first.
    pub fn pins(&self, cell: CellId) -> &[NetId] {
        &self.pins[self.first_pin[cell.index()] as usize..self.first_pin[cell.index() + 1] as usize]
    }

    /// Number of the first pin of a cell among all pins.
    pub fn first_pin(&self, cell: CellId) -> u32 {
        self.first_pin[cell.index()]
    }

    /// Nets on a cell's input pins.
    pub fn input_nets(&self, cell: CellId) -> &[NetId] {
        &self.pins(cell)[..self.family(cell).inputs.len()]
    }

    /// Nets on a cell's output pins; [`NetId::OPEN`] where nothing is connected.
    pub fn output_nets(&self, cell: CellId) -> &[NetId] {
        &self.pins(cell)[self.family(cell).inputs.len()..]
    }

    /// The clock port's net.
    pub fn clock(&self) -> Option<NetId> {
        self.clock
    }

    /// The reset port's net.
    pub fn reset(&self) -> Option<NetId> {
        self.reset
    }

    /// Total cell area, µm².
    pub fn area(&self) -> f64 {
        let sites: u64 = self.cells().map(|c| u64::from(self.master(c).sites)).sum();
        let dbu = sites as f64 * crate::tech::SITE_WIDTH as f64;
        dbu / crate::tech::DBU_PER_MICRON as f64 * crate::tech::to_micron(crate::tech::ROW_HEIGHT)
    }

    /// Driver of every net.
    pub fn drivers(&self) -> Vec<Driver> {
        let mut drivers = vec![Driver::None; self.net_count()];
        for port in self.ports.iter().filter(|p| p.direction == Direction::Input) {
            for net in &port.bits {
                drivers[net.index()] = Driver::Port;
            }
        }
        for cell in self.cells() {
            let inputs = self.family(cell).inputs.len();
            for (i, net) in self.output_nets(cell).iter().enumerate() {
                if *net != NetId::OPEN {
                    let pin = self.first_pin(cell) + (inputs + i) as u32;
                    drivers[net.index()] = Driver::Pin(cell, pin);
                }
            }
        }
        drivers
    }

    /// Sink pins of every net.
    pub fn sinks(&self) -> Sinks {
        let mut start = vec![0u32; self.net_count() + 1];
        for cell in self.cells() {
            for net in self.input_nets(cell) {
                start[net.index() + 1] += 1;
            }
        }
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let mut fill = start.clone();
        let mut list = vec![(CellId(0), 0u8); start[self.net_count()] as usize];
        for cell in self.cells() {
            for (i, net) in self.input_nets(cell).iter().enumerate() {
                let slot = &mut fill[net.index()];
                list[*slot as usize] = (cell, i as u8);
                *slot += 1;
            }
        }
        Sinks { start, list }
    }

    // Building.

    /// Starts a new group; cells and nets made from here on belong to it.
    pub fn begin_group(&mut self, name: impl Into<String>) -> u32 {
        self.groups.push(name.into());
        self.current = self.groups.len() as u32 - 1;
        self.current
    }

    /// Goes back to a group made before; 0 is the top.
    pub fn enter_group(&mut self, group: u32) {
        self.current = group.min(self.groups.len() as u32 - 1);
    }

    /// Name of a group.
    pub fn group_name(&self, group: u32) -> &str {
        self.groups.get(group as usize).map_or("", String::as_str)
    }

    /// A new net without a driver yet.
    pub fn net(&mut self) -> NetId {
        self.net_group.push(self.current);
        NetId(self.net_group.len() as u32 - 1)
    }

    /// An input bus port of `width` bits.
    pub fn add_input(&mut self, name: impl Into<String>, width: usize) -> Vec<NetId> {
        let bits: Vec<NetId> = (0..width).map(|_| self.top_net()).collect();
        let direction = Direction::Input;
        self.ports.push(Port { name: name.into(), direction, is_bus: true, bits: bits.clone() });
        bits
    }

    /// An output bus port on existing nets, each driven by a cell and on no other port.
    pub fn add_output(&mut self, name: impl Into<String>, bits: Vec<NetId>) {
        let direction = Direction::Output;
        self.ports.push(Port { name: name.into(), direction, is_bus: true, bits });
    }

    /// The clock port `clk`.
    pub fn add_clock(&mut self) -> NetId {
        let net = self.scalar_input("clk");
        self.clock = Some(net);
        net
    }

    /// The reset port `rst_n`, active low.
    pub fn add_reset(&mut self) -> NetId {
        let net = self.scalar_input("rst_n");
        self.reset = Some(net);
        net
    }

    fn scalar_input(&mut self, name: &str) -> NetId {
        let net = self.top_net();
        let direction = Direction::Input;
        self.ports.push(Port { name: name.into(), direction, is_bus: false, bits: vec![net] });
        net
    }

    fn top_net(&mut self) -> NetId {
        self.net_group.push(0);
        NetId(self.net_group.len() as u32 - 1)
    }

    /// Adds a cell of the weakest drive on given nets, outputs after inputs.
    pub fn place_gate(&mut self, gate: Gate, inputs: &[NetId], outputs: &[NetId]) -> CellId {
        debug_assert_eq!(inputs.len(), gate.family().inputs.len());
        debug_assert_eq!(outputs.len(), gate.family().outputs.len());
        self.master.push(catalog().weakest(gate));
        self.group.push(self.current);
        self.pins.extend_from_slice(inputs);
        self.pins.extend_from_slice(outputs);
        self.first_pin.push(self.pins.len() as u32);
        CellId(self.master.len() as u32 - 1)
    }

    /// Adds a one-output cell and returns its new output net.
    pub fn gate(&mut self, gate: Gate, inputs: &[NetId]) -> NetId {
        let out = self.net();
        self.place_gate(gate, inputs, &[out]);
        out
    }

    /// Adds a half adder; returns (sum, carry).
    pub fn half_adder(&mut self, a: NetId, b: NetId) -> (NetId, NetId) {
        let (s, c) = (self.net(), self.net());
        self.place_gate(Gate::Ha, &[a, b], &[s, c]);
        (s, c)
    }

    /// Adds a full adder; returns (sum, carry).
    pub fn full_adder(&mut self, a: NetId, b: NetId, c: NetId) -> (NetId, NetId) {
        let (s, co) = (self.net(), self.net());
        self.place_gate(Gate::Fa, &[a, b, c], &[s, co]);
        (s, co)
    }

    /// Adds a flip-flop on the clock port; returns `Q`.
    pub fn flop(&mut self, d: NetId) -> NetId {
        let q = self.net();
        self.flop_into(d, q);
        q
    }

    /// Adds a flip-flop on the clock port that drives `q`.
    pub fn flop_into(&mut self, d: NetId, q: NetId) {
        let clock = self.clock_or_add();
        self.place_gate(Gate::Dff, &[d, clock], &[q]);
    }

    /// Adds a flip-flop with the reset port, `QN` open; returns `Q`.
    pub fn reset_flop(&mut self, d: NetId) -> NetId {
        let clock = self.clock_or_add();
        let reset = match self.reset {
            Some(net) => net,
            None => self.add_reset(),
        };
        let q = self.net();
        self.place_gate(Gate::Dffr, &[d, clock, reset], &[q, NetId::OPEN]);
        q
    }

    /// The clock net, made if there is none.
    pub fn clock_or_add(&mut self) -> NetId {
        match self.clock {
            Some(net) => net,
            None => self.add_clock(),
        }
    }

    /// Registers a word.
    pub fn register(&mut self, word: &[NetId]) -> Vec<NetId> {
        word.iter().map(|d| self.flop(*d)).collect()
    }
}

/// Sinks per net: compressed rows of (cell, input pin place).
#[derive(Clone, Debug)]
pub struct Sinks {
    start: Vec<u32>,
    list: Vec<(CellId, u8)>,
}

impl Sinks {
    /// Sinks of a net in cell order.
    pub fn of(&self, net: NetId) -> &[(CellId, u8)] {
        &self.list[self.start[net.index()] as usize..self.start[net.index() + 1] as usize]
    }
}
