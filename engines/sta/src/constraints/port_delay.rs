//! Input and output delays.

use cellwright_db::PinId;
use cellwright_db::timing::Edge;

use super::{ClockId, Values};

/// `set_input_delay` or `set_output_delay` of one pin against one clock edge.
#[derive(Clone, Debug, PartialEq)]
pub struct PortDelay {
    /// The port's pin, or a pin inside the design.
    pub pin: PinId,
    /// The clock; `None` for a delay against time zero.
    pub clock: Option<ClockId>,
    /// Which clock edge (`-clock_fall`).
    pub clock_edge: Edge,
    /// `-reference_pin`: the clock's arrival at this pin counts as the edge.
    pub reference_pin: Option<PinId>,
    /// The delay outside the design, ns.
    pub delay: Values,
    /// `-source_latency_included`.
    pub source_latency_included: bool,
    /// `-network_latency_included`.
    pub network_latency_included: bool,
    /// `-level_sensitive`: the register outside is a latch; noted.
    pub level_sensitive: bool,
}
