//! Clocks and what is said of them.

use std::fmt;

use cellwright_db::PinId;
use cellwright_db::ids::Id;
use cellwright_db::timing::Edge;

use super::{GeneratedClock, MinMax, Values};

/// A clock: its position in [`super::Constraints::clocks`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClockId(pub u32);

impl Id for ClockId {
    #[inline]
    fn new(index: usize) -> Self {
        Self(index as u32)
    }
    #[inline]
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for ClockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "clock:{}", self.0)
    }
}

/// A clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clock {
    /// Name.
    pub name: String,
    /// Period, ns; 0 for a generated clock, whose period follows from its master
    /// ([`GeneratedClock::waveform`]).
    pub period: f64,
    /// Edge times within the period, ns, ascending, rise first, an even number of them; empty for
    /// a generated clock.
    pub waveform: Vec<f64>,
    /// Where it enters the design, ascending; empty for a virtual clock.
    pub sources: Vec<PinId>,
    /// Whether it was defined beside other clocks of the same source (`-add`).
    pub add: bool,
    /// For a clock made by `create_generated_clock`.
    pub generated: Option<GeneratedClock>,
    /// `set_propagated_clock`: its network's delays are computed and not taken as ideal.
    pub propagated: bool,
    /// `set_clock_latency`.
    pub latency: Latency,
    /// `set_clock_uncertainty`, ns, `[hold, setup]`.
    pub uncertainty: [Option<f64>; 2],
    /// `set_clock_transition`, ns: the slew at register clock pins while the clock is ideal.
    pub transition: Values,
    /// `-comment`.
    pub comment: String,
}

impl Clock {
    /// Whether it has no source in the design.
    pub fn is_virtual(&self) -> bool {
        self.sources.is_empty()
    }
    /// Time of the first edge of a kind within the period, ns. `None` for a generated clock.
    pub fn edge_time(&self, edge: Edge) -> Option<f64> {
        self.waveform.get(edge.index()).copied()
    }
}

/// Delay of a clock before and inside its network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latency {
    /// From the clock's source to the registers while the clock is ideal, ns.
    pub network: Values,
    /// `-source`: from the origin to the clock's source, ns, `[early, late]`.
    pub source: [Values; 2],
    /// `-dynamic`: the part of the source latency that varies from cycle to cycle, ns,
    /// `[early, late]`; noted.
    pub dynamic: [Values; 2],
}

impl Latency {
    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.network.is_empty() && self.source.iter().chain(&self.dynamic).all(Values::is_empty)
    }
    /// The source latency of an early or late path in the corner of `side`, ns.
    pub fn source(&self, early_late: MinMax, side: MinMax, edge: Edge) -> Option<f64> {
        self.source[early_late.index()].get(side, edge)
    }
}

/// `set_clock_latency` on a pin.
#[derive(Clone, Debug, PartialEq)]
pub struct PinLatency {
    /// Where.
    pub pin: PinId,
    /// Of this clock only; of every clock when `None`.
    pub clock: Option<ClockId>,
    /// The values.
    pub latency: Latency,
}

/// Uncertainty between two clocks by edges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EdgePairValues {
    /// `[hold, setup][launching rise, fall][capturing rise, fall]`, ns.
    pub by: [[[Option<f64>; 2]; 2]; 2],
}

impl EdgePairValues {
    /// The value of a check between two edges.
    #[inline]
    pub const fn get(&self, side: MinMax, from: Edge, to: Edge) -> Option<f64> {
        self.by[side as usize][from as usize][to as usize]
    }
}

/// How the clocks of different groups stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClockRelation {
    /// `-logically_exclusive`: never selected together.
    LogicallyExclusive,
    /// `-physically_exclusive`: never present together.
    PhysicallyExclusive,
    /// `-asynchronous`: without phase relation.
    Asynchronous,
}

/// `set_clock_groups`: no path between clocks of different groups is timed.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockGroups {
    /// Name, given or made.
    pub name: String,
    /// Relation.
    pub relation: ClockRelation,
    /// `-allow_paths`: asynchronous for crosstalk only, paths stay timed.
    pub allow_paths: bool,
    /// The groups, each ascending; a single one stands against all other clocks.
    pub groups: Vec<Vec<ClockId>>,
}

impl ClockGroups {
    /// Whether paths from `a` to `b` (or back) are cut by this command.
    pub fn cuts(&self, a: ClockId, b: ClockId) -> bool {
        if a == b || (self.allow_paths && self.relation == ClockRelation::Asynchronous) {
            return false;
        }
        let holds = |group: &Vec<ClockId>, clock| group.binary_search(&clock).is_ok();
        if let [only] = self.groups.as_slice() {
            return holds(only, a) != holds(only, b);
        }
        let apart = |a, b| {
            self.groups.iter().enumerate().any(|(i, first)| {
                holds(first, a)
                    && self.groups.iter().enumerate().any(|(j, other)| i != j && holds(other, b))
            })
        };
        apart(a, b)
    }
}

/// What happens to a clock's sense at a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClockSenseKind {
    /// The clock goes on as it left its source.
    Positive,
    /// The clock goes on inverted.
    Negative,
    /// The clock ends here (`-stop_propagation`).
    Stop,
    /// A pulse that rises and falls with the source's rise.
    RiseTriggeredHighPulse,
    /// A pulse that falls and rises with the source's rise.
    RiseTriggeredLowPulse,
    /// A pulse that rises and falls with the source's fall.
    FallTriggeredHighPulse,
    /// A pulse that falls and rises with the source's fall.
    FallTriggeredLowPulse,
}

/// `set_clock_sense` / `set_sense -type clock`.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockSense {
    /// Where, ascending.
    pub pins: Vec<PinId>,
    /// Which clocks, ascending; every clock when empty.
    pub clocks: Vec<ClockId>,
    /// What.
    pub kind: ClockSenseKind,
}
