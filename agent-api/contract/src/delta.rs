//! A design change: what an agent asks for, and what a certificate states.
//!
//! A delta is atomic. Its `from` values are preconditions: when the parent snapshot says
//! otherwise, the whole delta is refused. `timing_changes` and `drc_changes` are claims in a
//! proposal and facts in a certificate.

use crate::geometry::{Position, Rect};
use crate::limits::{MAX_DELTA_ITEMS, MAX_NAME_BYTES, MAX_SINKS};
use crate::number::{Finite, Uint53};
use crate::refs::{ObjectKind, ObjectRef};
use crate::validate::{At, Report, Validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A change of a design. An absent list is an empty one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DesignDelta {
    /// Cells that move or turn.
    #[schemars(length(max = 2_000_000))]
    pub moved_cells: Vec<CellMove>,
    /// Cells that get another master of the same function.
    #[schemars(length(max = 2_000_000))]
    pub resized_cells: Vec<CellResize>,
    /// Changes of the netlist, applied in order after the moves and resizes.
    #[schemars(length(max = 2_000_000))]
    pub new_nets: Vec<NetChange>,
    /// Timing before and after.
    #[schemars(length(max = 2_000_000))]
    pub timing_changes: Vec<TimingDelta>,
    /// Rule violations added and removed.
    #[schemars(length(max = 2_000_000))]
    pub drc_changes: Vec<DrcDelta>,
    /// Totals. Recomputed by the judge; a wrong total fails the gate `claims`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<DeltaSummary>,
}

impl DesignDelta {
    /// True when it changes nothing (claims aside).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moved_cells.is_empty() && self.resized_cells.is_empty() && self.new_nets.is_empty()
    }
}

/// One cell that moves or turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellMove {
    /// The instance.
    pub cell_id: ObjectRef,
    /// Where it must stand in the parent snapshot.
    pub from: Position,
    /// Where it goes.
    pub to: Position,
}

/// One cell that gets another master. Position and orientation stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellResize {
    /// The instance.
    pub cell_id: ObjectRef,
    /// The master it must have in the parent snapshot.
    #[schemars(length(min = 1, max = 4096))]
    pub from_master: String,
    /// The master it gets: same function, same pins.
    #[schemars(length(min = 1, max = 4096))]
    pub to_master: String,
}

/// One change of the netlist, tagged by its key. New objects get their stable ids from the
/// platform and are named in the result; a `name:` reference may name an object that an earlier
/// change of the same delta makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum NetChange {
    /// Puts a buffer into a net: the buffer's input joins `net`, its output drives a new net with
    /// the `sinks`.
    InsertBuffer(InsertBuffer),
    /// Takes a buffer out: its sinks join its input net.
    RemoveBuffer(RemoveBuffer),
    /// Swaps the nets of two input pins of one instance that are logically equivalent.
    SwapPins(SwapPins),
    /// Moves a pin to another net.
    Reconnect(Reconnect),
    /// Makes an empty net.
    NewNet(NewNet),
    /// Removes a net that has no pins left.
    RemoveNet(RemoveNet),
}

/// See [`NetChange::InsertBuffer`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InsertBuffer {
    /// The net that is split.
    pub net: ObjectRef,
    /// The sink pins (or output ports) that the buffer drives; at least one.
    #[schemars(length(min = 1, max = 1_000_000))]
    pub sinks: Vec<ObjectRef>,
    /// The buffer's master.
    #[schemars(length(min = 1, max = 4096))]
    pub master: String,
    /// Instance name; the platform makes one when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 4096))]
    pub name: Option<String>,
    /// Where the buffer stands.
    pub at: Position,
}

/// See [`NetChange::RemoveBuffer`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveBuffer {
    /// The buffer instance.
    pub cell_id: ObjectRef,
}

/// See [`NetChange::SwapPins`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwapPins {
    /// One input pin.
    pub a: ObjectRef,
    /// The other input pin of the same instance.
    pub b: ObjectRef,
}

/// See [`NetChange::Reconnect`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reconnect {
    /// The pin that moves.
    pub pin: ObjectRef,
    /// The net that it joins.
    pub net: ObjectRef,
}

/// See [`NetChange::NewNet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewNet {
    /// Name, new in the design.
    #[schemars(length(min = 1, max = 4096))]
    pub name: String,
}

/// See [`NetChange::RemoveNet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveNet {
    /// The net.
    pub net: ObjectRef,
}

/// What a [`TimingDelta`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TimingScope {
    /// Worst negative slack of the design.
    Wns,
    /// Total negative slack of the design.
    Tns,
    /// Slack of one endpoint.
    Endpoint,
    /// Slack of one pin.
    Pin,
}

/// Setup or hold.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum TimingMode {
    /// Latest arrival against the next capturing edge.
    Setup,
    /// Earliest arrival against the same capturing edge.
    Hold,
}

/// Timing before and after, in ns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimingDelta {
    /// What it is about.
    pub scope: TimingScope,
    /// The pin or port, for the scopes `endpoint` and `pin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ObjectRef>,
    /// Corner name.
    #[schemars(length(min = 1, max = 4096))]
    pub corner: String,
    /// Setup or hold.
    pub mode: TimingMode,
    /// Before, ns.
    #[serde(with = "Finite")]
    pub before: f64,
    /// After, ns.
    #[serde(with = "Finite")]
    pub after: f64,
}

/// Violations of one rule added and removed inside a region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrcDelta {
    /// Rule name.
    #[schemars(length(min = 1, max = 4096))]
    pub rule: String,
    /// Layer, for a rule that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// Where, in DBU.
    pub region: Rect,
    /// Violations that are new.
    #[serde(with = "Uint53")]
    pub added: u64,
    /// Violations that are gone.
    #[serde(with = "Uint53")]
    pub removed: u64,
}

/// Totals of a delta.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeltaSummary {
    /// Instances moved, resized, made or removed, each counted once.
    #[serde(with = "Uint53")]
    pub cells_affected: u64,
    /// Nets with a pin on such an instance, or changed themselves, each counted once.
    #[serde(with = "Uint53")]
    pub nets_affected: u64,
    /// Change of the total cell area, µm².
    #[serde(with = "Finite")]
    pub area_delta: f64,
}

fn kind(r: &mut Report, at: &At<'_>, object: &ObjectRef, kinds: &[ObjectKind]) {
    if !kinds.iter().any(|k| object.may_be(*k)) {
        let nouns: Vec<_> = kinds.iter().map(|k| k.noun()).collect();
        r.push(at, format!("{object} is not {}", nouns.join(" or ")));
    }
}

impl Validate for DesignDelta {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        let counts = [
            ("moved_cells", self.moved_cells.len()),
            ("resized_cells", self.resized_cells.len()),
            ("new_nets", self.new_nets.len()),
            ("timing_changes", self.timing_changes.len()),
            ("drc_changes", self.drc_changes.len()),
        ];
        for (name, len) in counts {
            r.at_most(&at.field(name), "entries", len, MAX_DELTA_ITEMS);
        }
        let list = at.field("moved_cells");
        for (i, m) in self.moved_cells.iter().enumerate() {
            let at = list.index(i);
            kind(r, &at.field("cell_id"), &m.cell_id, &[ObjectKind::Instance]);
            m.from.check(&at.field("from"), r);
            m.to.check(&at.field("to"), r);
        }
        let list = at.field("resized_cells");
        for (i, c) in self.resized_cells.iter().enumerate() {
            let at = list.index(i);
            kind(r, &at.field("cell_id"), &c.cell_id, &[ObjectKind::Instance]);
            r.name(&at.field("from_master"), &c.from_master, MAX_NAME_BYTES);
            r.name(&at.field("to_master"), &c.to_master, MAX_NAME_BYTES);
        }
        let list = at.field("new_nets");
        for (i, c) in self.new_nets.iter().enumerate() {
            c.check(&list.index(i), r);
        }
        let list = at.field("timing_changes");
        for (i, t) in self.timing_changes.iter().enumerate() {
            t.check(&list.index(i), r);
        }
        let list = at.field("drc_changes");
        for (i, d) in self.drc_changes.iter().enumerate() {
            let at = list.index(i);
            r.name(&at.field("rule"), &d.rule, MAX_NAME_BYTES);
            d.region.check(&at.field("region"), r);
        }
        if let Some(s) = &self.summary {
            let at = at.field("summary");
            for (name, v) in
                [("cells_affected", s.cells_affected), ("nets_affected", s.nets_affected)]
            {
                if v > crate::limits::MAX_SAFE_INTEGER as u64 {
                    r.push(&at.field(name), format!("{v} is above 2^53−1"));
                }
            }
            r.finite(&at.field("area_delta"), s.area_delta);
        }
    }
}

impl Validate for NetChange {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        use ObjectKind::{Instance, Net, Pin, Port};
        match self {
            NetChange::InsertBuffer(b) => {
                let at = at.field("insert_buffer");
                kind(r, &at.field("net"), &b.net, &[Net]);
                if b.sinks.is_empty() {
                    r.push(&at.field("sinks"), "a buffer needs at least one sink");
                }
                r.at_most(&at.field("sinks"), "sinks", b.sinks.len(), MAX_SINKS);
                let sinks = at.field("sinks");
                for (i, s) in b.sinks.iter().enumerate() {
                    kind(r, &sinks.index(i), s, &[Pin, Port]);
                }
                r.name(&at.field("master"), &b.master, MAX_NAME_BYTES);
                if let Some(name) = &b.name {
                    r.name(&at.field("name"), name, MAX_NAME_BYTES);
                }
                b.at.check(&at.field("at"), r);
            }
            NetChange::RemoveBuffer(b) => {
                let at = at.field("remove_buffer");
                kind(r, &at.field("cell_id"), &b.cell_id, &[Instance]);
            }
            NetChange::SwapPins(s) => {
                let at = at.field("swap_pins");
                kind(r, &at.field("a"), &s.a, &[Pin]);
                kind(r, &at.field("b"), &s.b, &[Pin]);
                if s.a == s.b {
                    r.push(&at, "a and b are the same pin");
                }
            }
            NetChange::Reconnect(c) => {
                let at = at.field("reconnect");
                kind(r, &at.field("pin"), &c.pin, &[Pin, Port]);
                kind(r, &at.field("net"), &c.net, &[Net]);
            }
            NetChange::NewNet(n) => {
                r.name(&at.field("new_net").field("name"), &n.name, MAX_NAME_BYTES);
            }
            NetChange::RemoveNet(n) => {
                kind(r, &at.field("remove_net").field("net"), &n.net, &[Net]);
            }
        }
    }
}

impl Validate for TimingDelta {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        r.name(&at.field("corner"), &self.corner, MAX_NAME_BYTES);
        r.finite(&at.field("before"), self.before);
        r.finite(&at.field("after"), self.after);
        let needs_id = matches!(self.scope, TimingScope::Endpoint | TimingScope::Pin);
        match &self.id {
            Some(id) if needs_id => {
                kind(r, &at.field("id"), id, &[ObjectKind::Pin, ObjectKind::Port]);
            }
            Some(_) => r.push(&at.field("id"), "wns and tns take no id"),
            None if needs_id => r.push(at, "this scope needs the id of a pin or port"),
            None => {}
        }
    }
}
