//! The syntax tree of a design. Names are numbers ([`NameId`]) into the design's name table, whose
//! texts are borrowed from the sources; lists that belong to a module are flat.

use super::masters::PortDirection;
use super::names::Names;
use super::parse;
use crate::text::{FormatError, Problems, Source};

/// A name of a [`Design`]; [`Design::name`] gives its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(pub u32);

impl NameId {
    /// The port name of a connection by position.
    pub const POSITIONAL: NameId = NameId(u32::MAX);
}

/// All modules of one or more files.
#[derive(Debug, Default)]
pub struct Design<'a> {
    pub(super) sources: Vec<&'a Source>,
    pub(super) names: Names<'a>,
    pub(super) modules: Vec<Module>,
    // By name: the module's index, or none. Grows with the names.
    pub(super) module_of: Vec<u32>,
    // Parts of concatenations, each list in one piece.
    pub(super) parts: Vec<Expr>,
}

/// No module.
pub(super) const NO_MODULE: u32 = u32::MAX;

impl<'a> Design<'a> {
    /// A design without modules.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the modules of a file. A module that is already there is replaced and reported.
    ///
    /// # Errors
    /// At the first thing that is no structural Verilog; the design then has the modules before it.
    pub fn read(&mut self, source: &'a Source, problems: &mut Problems) -> Result<(), FormatError> {
        parse::read(self, source, problems)
    }

    /// The text of a name.
    #[must_use]
    pub fn name(&self, id: NameId) -> &'a str {
        self.names.get(id)
    }

    /// All modules in the order in which they were read.
    #[must_use]
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// The module of a name.
    #[must_use]
    pub fn module(&self, name: &str) -> Option<&Module> {
        self.module_index(self.names.find(name)?).and_then(|i| self.modules.get(i))
    }

    /// Names of the modules that no other module has an instance of, in the order read.
    #[must_use]
    pub fn tops(&self) -> Vec<&'a str> {
        let mut used = vec![false; self.names.len()];
        for instance in self.modules.iter().flat_map(|m| &m.instances) {
            if let Some(used) = used.get_mut(instance.master.0 as usize) {
                *used = true;
            }
        }
        let unused = |m: &&Module| !used.get(m.name.0 as usize).copied().unwrap_or(false);
        self.modules.iter().filter(unused).map(|m| self.name(m.name)).collect()
    }

    /// The parts of a concatenation.
    #[must_use]
    pub fn parts(&self, first: u32, count: u32) -> &[Expr] {
        self.parts.get(first as usize..first as usize + count as usize).unwrap_or(&[])
    }

    pub(super) fn module_index(&self, name: NameId) -> Option<usize> {
        let index = self.module_of.get(name.0 as usize).copied().unwrap_or(NO_MODULE);
        (index != NO_MODULE).then_some(index as usize)
    }
}

/// A module as written.
#[derive(Debug, Clone)]
pub struct Module {
    /// Its name.
    pub name: NameId,
    /// Index of its file among those read.
    pub source: u32,
    /// Byte offset of its name in the file.
    pub at: u32,
    /// Ports in the order of the header.
    pub ports: Vec<Port>,
    /// Declared nets and ports, in order of declaration.
    pub signals: Vec<Signal>,
    /// Instances in file order.
    pub instances: Vec<Instance>,
    /// Connections of all instances, in one piece per instance.
    pub conns: Vec<Conn>,
    /// `assign`s: left side, right side, byte offset.
    pub assigns: Vec<(Expr, Expr, u32)>,
    /// Whether a range or selection depends on a parameter, so that an instance that overrides
    /// parameters cannot share this text.
    pub parametric: bool,
    /// Whether `default_nettype none` forbids implicit nets.
    pub strict_nets: bool,
}

/// A port of a module's header.
#[derive(Debug, Clone, Copy)]
pub struct Port {
    /// The name outside; none for a concatenation without a name.
    pub name: Option<NameId>,
    /// What it is connected to inside; in most cases the net of its name.
    pub expr: Expr,
    /// Byte offset.
    pub at: u32,
}

/// A constant level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tie {
    /// Logic 0.
    Zero,
    /// Logic 1.
    One,
}

/// A declared net or bus.
#[derive(Debug, Clone, Copy)]
pub struct Signal {
    /// Its name.
    pub name: NameId,
    /// Byte offset.
    pub at: u32,
    /// First and last bit of a bus.
    pub range: Option<(i32, i32)>,
    /// Its direction, if it is a port.
    pub direction: Option<PortDirection>,
    /// The level of a `supply0` or `supply1`.
    pub tie: Option<Tie>,
}

/// An instance of a module or a cell.
#[derive(Debug, Clone, Copy)]
pub struct Instance {
    /// Its name.
    pub name: NameId,
    /// The module or cell.
    pub master: NameId,
    /// Byte offset of its name.
    pub at: u32,
    /// Its first connection in [`Module::conns`].
    pub first_conn: u32,
    /// How many connections it has.
    pub conn_count: u32,
    /// Whether it overrides parameters.
    pub has_parameters: bool,
}

/// One connection of an instance.
#[derive(Debug, Clone, Copy)]
pub struct Conn {
    /// The port's name, or [`NameId::POSITIONAL`].
    pub port: NameId,
    /// Byte offset.
    pub at: u32,
    /// What is connected.
    pub expr: Expr,
}

/// What stands in a connection or on a side of an `assign`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expr {
    /// Nothing: `.p()`.
    None,
    /// A whole net or bus.
    Net(NameId),
    /// One bit of a bus.
    Bit(NameId, i32),
    /// Bits of a bus from the first to the last.
    Part(NameId, i32, i32),
    /// A constant with a size, as written (`4'b01xz`).
    Const(NameId),
    /// A constant without a size; it is as wide as its place.
    Unsized(u32),
    /// A concatenation: first part and count, for [`Design::parts`].
    Concat(u32, u32),
    /// A repeated concatenation: times, first part, count.
    Repeat(u32, u32, u32),
}
