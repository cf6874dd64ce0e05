//! Path exceptions.

use cellwright_db::{CellId, NetId, PinId};

use super::{ClockId, MinMax};

/// What an exception does to the paths that it matches.
#[derive(Clone, Debug, PartialEq)]
pub enum ExceptionKind {
    /// `set_false_path`: not timed.
    FalsePath,
    /// `set_multicycle_path`.
    Multicycle {
        /// Number of cycles; 1 for setup and 0 for hold is the single-cycle default.
        cycles: i32,
        /// Counted in periods of the capturing clock (`-end`, the default of setup) or of the
        /// launching one (`-start`, the default of hold).
        end_clock: bool,
    },
    /// `set_max_delay` (max) and `set_min_delay` (min).
    PathDelay {
        /// Which bound.
        side: MinMax,
        /// ns.
        delay: f64,
        /// `-ignore_clock_latency`.
        ignore_clock_latency: bool,
        /// `-probe`: do not break paths at the start and end points.
        probe: bool,
    },
    /// `group_path`.
    Group {
        /// Name; `None` for `-default`.
        name: Option<String>,
        /// `-weight`.
        weight: f64,
        /// `-critical_range`, ns.
        critical_range: Option<f64>,
    },
}

/// A set of points on paths: the argument of one `-from`, `-through` or `-to`.
///
/// Each list is ascending and without repetition. A cell stands for its pins: clock pins as a
/// start, data pins as an end, outputs (and inputs) as a through point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathPoint {
    /// Clocks: launching or capturing edges; not in a `-through`.
    pub clocks: Vec<ClockId>,
    /// Cells.
    pub cells: Vec<CellId>,
    /// Pins and ports.
    pub pins: Vec<PinId>,
    /// Nets; only in a `-through`.
    pub nets: Vec<NetId>,
    /// Which edges, `[rise, fall]`, at the point or of the clock (`-rise_from` …).
    pub edges: [bool; 2],
}

impl PathPoint {
    /// Whether it names nothing, so that no path matches.
    pub fn is_empty(&self) -> bool {
        self.clocks.is_empty()
            && self.cells.is_empty()
            && self.pins.is_empty()
            && self.nets.is_empty()
    }
}

/// A path exception.
#[derive(Clone, Debug, PartialEq)]
pub struct Exception {
    /// What it does.
    pub kind: ExceptionKind,
    /// Which checks it concerns, `[hold, setup]` (or `[min, max]` for path delays).
    pub checks: [bool; 2],
    /// `-from`; `None` for every start.
    pub from: Option<PathPoint>,
    /// `-through`s in order; a path passes them in this order.
    pub through: Vec<PathPoint>,
    /// `-to`; `None` for every end.
    pub to: Option<PathPoint>,
    /// Edges at the end point, `[rise, fall]` (`-rise`, `-fall` without `_to`).
    pub end_edges: [bool; 2],
    /// `-comment`.
    pub comment: String,
}

impl Exception {
    /// Precedence where several exceptions match one path: the highest wins, and of equals the
    /// later one (of equal path delays the tighter one).
    ///
    /// By kind: false path, path delay, multicycle; groups do not compete with the others. Then
    /// by what is named, in this order: pins or cells at the start, pins or cells at the end,
    /// through points, clocks at the start, clocks at the end. Source: the precedence rules of
    /// SDC exceptions as timers document them (most specific wins).
    pub fn priority(&self) -> u32 {
        let kind = match self.kind {
            ExceptionKind::FalsePath => 3,
            ExceptionKind::PathDelay { .. } => 2,
            ExceptionKind::Multicycle { .. } => 1,
            ExceptionKind::Group { .. } => 0,
        };
        let points = |point: &Option<PathPoint>| {
            point.as_ref().is_some_and(|p| !p.pins.is_empty() || !p.cells.is_empty())
        };
        let clocks = |point: &Option<PathPoint>| {
            point.as_ref().is_some_and(|point| !point.clocks.is_empty())
        };
        let facts = [
            points(&self.from),
            points(&self.to),
            !self.through.is_empty(),
            clocks(&self.from),
            clocks(&self.to),
        ];
        facts.iter().fold(kind, |sum, fact| sum << 1 | u32::from(*fact))
    }
}
