//! Path exceptions as states that travel with paths.
//!
//! A state is the set of exceptions whose `-from` (and perhaps some `-through`s) a path has
//! passed. All states that can arise are numbered beforehand, so state numbers do not depend on
//! the order in which paths are found.

use std::collections::BTreeMap;

use cellwright_db::library::PinDirection;
use cellwright_db::{Design, Owner, PinId};

use crate::constraints::{ClockId, Constraints, Exception, ExceptionKind, MinMax, PathPoint};
use crate::graph::{Graph, Vertex};

/// Most states that are kept apart.
const MOST_STATES: usize = 60_000;

/// Stands among the exceptions of a state whose path starts afresh at its launching clock edge.
const FRESH: u16 = u16::MAX;

/// (exception, throughs passed).
type Progress = Vec<(u16, u8)>;

/// The exceptions of a design, ready for the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exceptions {
    list: Vec<Exception>,
    states: Vec<Progress>,
    number: BTreeMap<Progress, u16>,
    /// Exceptions whose `-from` names a pin, by vertex.
    starts: BTreeMap<Vertex, Vec<u16>>,
    /// `-through` points by vertex: (exception, which, edges).
    through: BTreeMap<Vertex, Vec<(u16, u8, [bool; 2])>>,
    /// Exceptions without `-from` and `-through`.
    everywhere: Vec<u16>,
    /// Set when there were too many states.
    pub(crate) overflow: bool,
}

impl Exceptions {
    pub(crate) fn new(design: &Design, graph: &Graph, constraints: &Constraints) -> Self {
        let mut this = Exceptions {
            list: constraints.exceptions.clone(),
            states: vec![Vec::new()],
            ..Exceptions::default()
        };
        this.number.insert(Vec::new(), 0);
        let vertices = |pin: PinId| [graph.vertex(pin), graph.driver_vertex(pin)];
        for (number, exception) in constraints.exceptions.iter().enumerate() {
            let number = number as u16;
            if let Some(from) = &exception.from {
                for pin in expand(design, from) {
                    for vertex in vertices(pin) {
                        let list = this.starts.entry(vertex).or_default();
                        if list.last() != Some(&number) {
                            list.push(number);
                        }
                    }
                }
            } else if exception.through.is_empty() {
                this.everywhere.push(number);
            }
            for (which, point) in exception.through.iter().enumerate() {
                let mut add = |vertex: Vertex| {
                    let list = this.through.entry(vertex).or_default();
                    list.push((number, which as u8, point.edges));
                };
                for pin in expand(design, point) {
                    add(graph.vertex(pin));
                    if graph.driver_vertex(pin) != graph.vertex(pin) {
                        add(graph.driver_vertex(pin));
                    }
                }
                for &net in &point.nets {
                    if design.has_net(net) {
                        let drives = |pin: &&PinId| design.pin_direction(**pin).drives();
                        let drivers = design.net_pins(net).iter().filter(drives);
                        drivers.for_each(|pin| add(graph.driver_vertex(*pin)));
                    }
                }
            }
        }
        this.close(constraints);
        this
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Numbers every state that can arise.
    fn close(&mut self, constraints: &Constraints) {
        if self.list.is_empty() {
            return;
        }
        let mut launches: Vec<Option<(ClockId, usize)>> = vec![None];
        for (clock, _) in constraints.clocks.iter() {
            launches.extend([Some((clock, 0)), Some((clock, 1))]);
        }
        let mut starts: Vec<Vec<u16>> = self.starts.values().cloned().collect();
        starts.push(Vec::new());
        starts.sort();
        starts.dedup();
        let mut hits: Vec<Vec<(u16, u8)>> = Vec::new();
        for list in self.through.values() {
            for edge in 0..2 {
                hits.push(passed(list, edge));
            }
        }
        hits.sort();
        hits.dedup();
        // From the empty state on: a `-through` without `-from` starts anywhere.
        let mut work = vec![0];
        for launch in &launches {
            for start in &starts {
                for edge in 0..2 {
                    let progress = self.started(start, edge, *launch);
                    for fresh in [0, 1].map(|side| self.freshened(&progress, side)) {
                        work.extend(fresh.and_then(|fresh| self.intern(fresh)));
                    }
                    work.extend(self.intern(progress));
                }
            }
        }
        while let Some(state) = work.pop() {
            for hit in &hits {
                let progress = self.advanced(&self.states[state as usize], hit);
                work.extend(self.intern(progress));
            }
        }
    }

    /// The number of a new state; `None` when it is known or there are too many.
    fn intern(&mut self, progress: Progress) -> Option<u16> {
        if self.number.contains_key(&progress) {
            return None;
        }
        if self.states.len() >= MOST_STATES {
            self.overflow = true;
            return None;
        }
        let number = self.states.len() as u16;
        self.number.insert(progress.clone(), number);
        self.states.push(progress);
        Some(number)
    }

    fn started(&self, pins: &[u16], edge: usize, launch: Option<(ClockId, usize)>) -> Progress {
        let mut progress = Progress::new();
        for (number, exception) in self.list.iter().enumerate() {
            let Some(from) = &exception.from else { continue };
            let by_pin = pins.contains(&(number as u16)) && from.edges[edge];
            let by_clock = launch.is_some_and(|(clock, edge)| {
                from.clocks.binary_search(&clock).is_ok() && from.edges[edge]
            });
            if by_pin || by_clock {
                progress.push((number as u16, 0));
            }
        }
        progress
    }

    /// The state of the same path without the latency of its launching clock, which is what a path
    /// delay with `-ignore_clock_latency` bounds.
    fn freshened(&self, progress: &Progress, side: usize) -> Option<Progress> {
        let ignores = |entry: &(u16, u8)| {
            let exception = &self.list[usize::from(entry.0)];
            exception.checks[side] && ignores_latency(exception)
        };
        progress.iter().any(ignores).then(|| {
            let mut fresh = progress.clone();
            fresh.push((FRESH, 0));
            fresh
        })
    }

    /// The state in which a path of `side` that starts in `state` also starts afresh at its clock
    /// edge; only path delays with `-ignore_clock_latency` end it.
    pub(crate) fn fresh(&self, state: u16, side: usize) -> Option<u16> {
        let fresh = self.freshened(self.states.get(usize::from(state))?, side)?;
        self.number.get(&fresh).copied()
    }

    /// Whether a path in `state` started afresh.
    pub(crate) fn is_fresh(&self, state: u16) -> bool {
        let progress = self.states.get(usize::from(state));
        progress.and_then(|progress| progress.last()).is_some_and(|entry| entry.0 == FRESH)
    }

    fn advanced(&self, state: &Progress, hits: &[(u16, u8)]) -> Progress {
        let mut progress = state.clone();
        for &(number, which) in hits {
            match progress.iter_mut().find(|entry| entry.0 == number) {
                Some(entry) if entry.1 == which => entry.1 += 1,
                Some(_) => {}
                None if which == 0 && self.list[number as usize].from.is_none() => {
                    progress.push((number, 1));
                }
                None => {}
            }
        }
        progress.sort_unstable();
        progress
    }

    /// State of a path that starts at `vertex` with `edge`, launched by clock × 2 + edge.
    pub(crate) fn start(&self, vertex: Vertex, edge: usize, launch: Option<u16>) -> u16 {
        if self.list.is_empty() {
            return 0;
        }
        let pins = self.starts.get(&vertex).map_or(&[][..], |list| list);
        let launch = launch.map(|launch| (ClockId(u32::from(launch / 2)), usize::from(launch % 2)));
        let progress = self.started(pins, edge, launch);
        self.number.get(&progress).copied().unwrap_or(0)
    }

    /// State after passing `vertex` with `edge`.
    pub(crate) fn pass(&self, state: u16, vertex: Vertex, edge: usize) -> u16 {
        let Some(list) = self.through.get(&vertex) else { return state };
        let Some(progress) = self.states.get(state as usize) else { return state };
        let next = self.advanced(progress, &passed(list, edge));
        self.number.get(&next).copied().unwrap_or(state)
    }

    /// Exceptions that a path in `state` fulfils at the end `pin` with `edge` against the
    /// capturing clock edge `capture`, for checks of `side`.
    fn matching<'a>(
        &'a self,
        design: &'a Design,
        state: u16,
        end: End,
    ) -> impl Iterator<Item = &'a Exception> + 'a {
        let progress = self.states.get(state as usize).map_or(&[][..], |progress| progress);
        let complete = progress.iter().filter(|(number, passed)| {
            *number != FRESH && usize::from(*passed) == self.list[*number as usize].through.len()
        });
        complete
            .map(|(number, _)| *number)
            .chain(self.everywhere.iter().copied())
            .map(|number| &self.list[number as usize])
            .filter(move |exception| {
                exception.checks[end.side]
                    && exception.end_edges[end.edge]
                    && exception.to.as_ref().is_none_or(|to| ends_at(design, to, &end))
            })
    }

    /// The exception that rules a path's end, groups aside.
    pub(crate) fn at_end<'a>(
        &'a self,
        design: &'a Design,
        state: u16,
        end: End,
    ) -> Option<&'a Exception> {
        if self.list.is_empty() {
            return None;
        }
        let mut best: Option<&'a Exception> = None;
        for exception in self.matching(design, state, end) {
            if matches!(exception.kind, ExceptionKind::Group { .. }) {
                continue;
            }
            let better = best.is_none_or(|best| {
                let (new, old) = (exception.priority(), best.priority());
                new > old || (new == old && !looser(exception, best))
            });
            if better {
                best = Some(exception);
            }
        }
        best
    }

    /// Name of the path group that `group_path` puts a path into.
    pub(crate) fn group<'a>(&'a self, design: &'a Design, state: u16, end: End) -> Option<&'a str> {
        let groups =
            self.matching(design, state, end).filter_map(|exception| match &exception.kind {
                ExceptionKind::Group { name, .. } => {
                    Some((exception.priority(), name.as_deref().unwrap_or("default")))
                }
                _ => None,
            });
        groups.max_by_key(|(priority, _)| *priority).map(|(_, name)| name)
    }
}

/// Whether `new` is a path delay that binds less than `old`.
fn looser(new: &Exception, old: &Exception) -> bool {
    match (&new.kind, &old.kind) {
        (
            ExceptionKind::PathDelay { side, delay: new, .. },
            ExceptionKind::PathDelay { delay: old, .. },
        ) => match side {
            MinMax::Max => new > old,
            MinMax::Min => new < old,
        },
        _ => false,
    }
}

/// Whether an exception bounds paths from their clock edge on, for which they start afresh.
pub(crate) fn ignores_latency(exception: &Exception) -> bool {
    exception.from.is_some()
        && matches!(exception.kind, ExceptionKind::PathDelay { ignore_clock_latency: true, .. })
}

/// The end of a path as exceptions see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) pin: PinId,
    pub(crate) edge: usize,
    pub(crate) side: usize,
    /// Clock × 2 + edge.
    pub(crate) capture: Option<u16>,
}

fn ends_at(design: &Design, to: &PathPoint, end: &End) -> bool {
    let by_clock = end.capture.is_some_and(|capture| {
        to.clocks.binary_search(&ClockId(u32::from(capture / 2))).is_ok()
            && to.edges[usize::from(capture % 2)]
    });
    if by_clock {
        return true;
    }
    let by_pin = to.pins.binary_search(&end.pin).is_ok()
        || matches!(design.owner(end.pin), Owner::Cell(cell, _)
            if to.cells.binary_search(&cell).is_ok());
    by_pin && to.edges[end.edge]
}

fn passed(list: &[(u16, u8, [bool; 2])], edge: usize) -> Vec<(u16, u8)> {
    let mut hits: Vec<(u16, u8)> = list
        .iter()
        .filter(|(.., edges)| edges[edge])
        .map(|(number, which, _)| (*number, *which))
        .collect();
    hits.sort_unstable();
    hits.dedup();
    hits
}

/// Pins of a point, and all pins of its cells.
fn expand(design: &Design, point: &PathPoint) -> Vec<PinId> {
    let mut pins: Vec<PinId> =
        point.pins.iter().copied().filter(|pin| design.has_pin(*pin)).collect();
    for &cell in point.cells.iter().filter(|cell| design.has_cell(**cell)) {
        pins.extend(design.cell_pins(cell));
    }
    // An output pin of a register named as a start stands for its clock pins.
    let outputs: Vec<PinId> = pins
        .iter()
        .copied()
        .filter(|pin| design.pin_direction(*pin) == PinDirection::Output)
        .collect();
    for pin in outputs {
        if let Owner::Cell(cell, _) = design.owner(pin)
            && let Some(logic) = design.library().logic(design.master_id(cell))
            && !logic.sequentials.is_empty()
        {
            pins.extend(
                design
                    .cell_pins(cell)
                    .zip(&logic.pins)
                    .filter_map(|(pin, side)| side.is_clock.then_some(pin)),
            );
        }
    }
    pins
}
