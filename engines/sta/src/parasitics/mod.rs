//! Wires: from RC networks (SPEF, or a placement) to what delay calculation needs.
//!
//! [`RcNet`] is the exchange form: readers of SPEF make them, and the timer gives back the ones
//! that it used. Units are pF and kΩ.

mod reduce;
mod source;
mod steiner;

pub use reduce::{Pi, Walk};
pub use source::{Annotated, Parasitics, Topology, WireRc};
pub use steiner::{Tree, steiner};

use cellwright_db::{NetId, PinId};

/// A node of an [`RcNet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RcNode {
    /// A pin of the net.
    Pin(PinId),
    /// A node inside the wire; the number is the file's or the estimator's own.
    Internal(u32),
}

/// The distributed RC network of one net.
///
/// Capacitances of pins are not part of it: the timer adds them at pin nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct RcNet {
    /// The net.
    pub net: NetId,
    /// The nodes; the other lists name them by position.
    pub nodes: Vec<RcNode>,
    /// Capacitance to ground of each node, pF; as long as `nodes`.
    pub cap: Vec<f32>,
    /// Resistors: node, node, kΩ.
    pub res: Vec<(u32, u32, f32)>,
    /// Coupling capacitances to other nets: node, pF.
    pub coupling: Vec<(u32, f32)>,
}

impl RcNet {
    /// The pins among the nodes, in their order.
    pub fn pins(&self) -> impl Iterator<Item = PinId> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            RcNode::Pin(pin) => Some(*pin),
            RcNode::Internal(_) => None,
        })
    }
}
