//! Negative controls: proposals that must not pass, made from the head of a run, and the gates that
//! have to reject each. The rate of rejections stands in every certificate of the run.

use cellwright_contract::budget::Effort;
use cellwright_contract::certificate::KillRate;
use cellwright_contract::delta::{
    CellMove, CellResize, DeltaSummary, DesignDelta, NetChange, NewNet, Reconnect,
};
use cellwright_contract::gate::{GateId, GateStatus};
use cellwright_contract::geometry::Position;
use cellwright_contract::goal::{GoalOp, GoalRef, GoalUnit, Goals, MetricGoal};
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::SnapshotRef;
use cellwright_db::{CellId, Design, Owner};

use crate::judge::{Judge, JudgeError};
use crate::translate::{cell_ref, net_ref, pin_ref, position};

/// A proposal that must not pass.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// What is wrong with it.
    pub what: &'static str,
    /// The gate that has to say so.
    pub gate: GateId,
    /// The proposal.
    pub proposal: Proposal,
}

/// All mutants that the head of a judge allows to be made.
pub fn mutants(judge: &Judge) -> Vec<Mutant> {
    let design = judge.design();
    let mut list = Vec::new();
    let proposal = |delta: DesignDelta| Proposal {
        id: "mutant".to_owned(),
        intent_ref: judge.scenario().intent.clone(),
        expected_delta: delta,
        expected_metrics: Goals::default(),
        rationale: None,
        parent_snap: SnapshotRef::Root(judge.head().0),
        confidence: None,
    };
    let mut add = |what, gate, delta| list.push(Mutant { what, gate, proposal: proposal(delta) });
    let movable = |cell: &CellId| {
        let place = design.place(*cell);
        place.is_placed() && !place.is_fixed() && !design.cell(*cell).dont_touch
    };
    let Some(cell) = design.cells().find(movable) else { return list };
    let at = position(design.place(cell));
    let moved = |cell: CellId, from: Position, to: Position| DesignDelta {
        moved_cells: vec![CellMove { cell_id: cell_ref(cell), from, to }],
        ..Default::default()
    };
    let x = |by: i64| Position { x: at.x + by, ..at };
    let y = |by: i64| Position { y: at.y + by, ..at };

    if let Some((left, right)) = neighbours(design, movable) {
        let (place, width) = (position(design.place(right)), design.outline(left).width());
        let into = position(design.place(left)).x + width - 1;
        add(
            "one DBU of overlap",
            GateId::Legality,
            moved(right, place, Position { x: into, ..place }),
        );
    }
    if let Some(row) = design.floorplan().rows.first() {
        let half = i64::from((row.step / 2).max(1));
        add("half a site beside the grid", GateId::Legality, moved(cell, at, x(half)));
        add("one DBU above its row", GateId::Legality, moved(cell, at, y(1)));
    }
    let die = design.floorplan().die;
    let outside = Position { x: i64::from(die.hi.x) + 10, ..at };
    add("outside the die", GateId::Legality, moved(cell, at, outside));
    add("a `from` that lies", GateId::Preconditions, moved(cell, x(1), at));
    add("a coordinate beyond 32 bits", GateId::Schema, moved(cell, at, x(1 << 40)));
    let ghost = CellMove { cell_id: cell_ref(CellId(u32::MAX - 1)), from: at, to: at };
    add(
        "a cell that does not exist",
        GateId::Preconditions,
        DesignDelta { moved_cells: vec![ghost], ..Default::default() },
    );
    let twice = CellMove { cell_id: cell_ref(cell), from: at, to: at };
    add(
        "one cell twice",
        GateId::Schema,
        DesignDelta { moved_cells: vec![twice.clone(), twice], ..Default::default() },
    );
    if let Some(fixed) = design.cells().find(|cell| design.place(*cell).is_fixed()) {
        let place = position(design.place(fixed));
        add(
            "a fixed cell",
            GateId::Untouchable,
            moved(fixed, place, Position { x: place.x + 1, ..place }),
        );
    }
    let library = design.library();
    let other = library.masters.ids().find(|id| {
        let from = design.master_id(cell);
        let (a, b) = (&library.masters[from].pins, &library.masters[*id].pins);
        let same_pins = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name == b.name);
        same_pins && !library.same_function(from, *id)
    });
    if let Some(other) = other {
        let resized = CellResize {
            cell_id: cell_ref(cell),
            from_master: design.master(cell).name.clone(),
            to_master: library.masters[other].name.clone(),
        };
        add(
            "a resize to another function",
            GateId::Netlist,
            DesignDelta { resized_cells: vec![resized], ..Default::default() },
        );
    }
    if let Some((pin, net)) = rewire(design) {
        let change = NetChange::Reconnect(Reconnect { pin, net });
        add(
            "a pin on another signal",
            GateId::Netlist,
            DesignDelta { new_nets: vec![change], ..Default::default() },
        );
    }
    let dangling = NetChange::NewNet(NewNet { name: "cw_mutant_dangling".to_owned() });
    add(
        "a net that ends nowhere",
        GateId::Netlist,
        DesignDelta { new_nets: vec![dangling], ..Default::default() },
    );
    let mut lie = moved(cell, at, at);
    lie.summary = Some(DeltaSummary { cells_affected: 0, nets_affected: 0, area_delta: -1.0 });
    add("a summary that claims too much", GateId::Claims, lie);

    let mut stale = proposal(moved(cell, at, at));
    stale.parent_snap = SnapshotRef::Root([0x5a; 32]);
    list.push(Mutant { what: "a stale parent", gate: GateId::ParentFresh, proposal: stale });
    let mut hopeless = proposal(moved(cell, at, at));
    let goal = MetricGoal {
        metric: "hpwl".to_owned(),
        op: GoalOp::Improve,
        value: Some(99.0),
        unit: GoalUnit::Pct,
        reference: GoalRef::Parent,
        hard: true,
    };
    hopeless.expected_metrics.0.insert("hpwl".to_owned(), goal);
    list.push(Mutant {
        what: "a hard goal that is not met",
        gate: GateId::Goals,
        proposal: hopeless,
    });
    let mut unsure = proposal(moved(cell, at, at));
    unsure.confidence = Some(f64::NAN);
    list.push(Mutant {
        what: "a confidence that is no number",
        gate: GateId::Schema,
        proposal: unsure,
    });
    list
}

/// Two cells of one row, one right of the other.
fn neighbours(design: &Design, movable: impl Fn(&CellId) -> bool) -> Option<(CellId, CellId)> {
    let first = design.cells().find(&movable)?;
    let height = design.outline(first).height();
    let mut list: Vec<_> = design
        .cells()
        .filter(&movable)
        .filter(|cell| design.outline(*cell).height() == height)
        .map(|cell| (design.place(cell).y, design.place(cell).x, cell))
        .collect();
    list.sort_unstable();
    let pair = list.windows(2).find(|pair| pair[0].0 == pair[1].0)?;
    Some((pair[0].2, pair[1].2))
}

/// An input pin of a cell and a net with another signal.
fn rewire(
    design: &Design,
) -> Option<(cellwright_contract::refs::ObjectRef, cellwright_contract::refs::ObjectRef)> {
    let signal = |net: &cellwright_db::NetId| {
        design.net(*net).kind.is_routed()
            && design.net_pins(*net).len() > 2
            && design.driver(*net).is_some_and(|pin| match design.owner(pin) {
                Owner::Cell(cell, _) => {
                    design.library().buffer_pins(design.master_id(cell)).is_none()
                }
                Owner::Port(_) => true,
            })
    };
    let mut nets = design.nets().filter(signal);
    let (a, b) = (nets.next()?, nets.next()?);
    let sink = design.net_pins(a).iter().copied().find(|pin| {
        Some(*pin) != design.driver(a) && matches!(design.owner(*pin), Owner::Cell(..))
    })?;
    Some((pin_ref(design, sink), net_ref(b)))
}

/// Puts every mutant before the judge. A mutant counts as killed when its gate (or a part of it)
/// did not pass.
///
/// # Errors
/// [`JudgeError`].
pub fn kill_rates(judge: &mut Judge) -> Result<(Vec<KillRate>, Vec<&'static str>), JudgeError> {
    let mut rates: Vec<KillRate> = Vec::new();
    let mut survivors = Vec::new();
    for mutant in mutants(judge) {
        let judged = judge.judge(&mutant.proposal, Effort::Standard)?;
        let killed = judged.judgment.gates.iter().any(|result| {
            result.id.whole() == mutant.gate.whole() && result.effective() != GateStatus::Pass
        });
        if !killed {
            survivors.push(mutant.what);
        }
        let rate = match rates.iter_mut().find(|rate| rate.gate == mutant.gate) {
            Some(rate) => rate,
            None => {
                rates.push(KillRate { gate: mutant.gate, mutants: 0, killed: 0 });
                let last = rates.len() - 1;
                &mut rates[last]
            }
        };
        rate.mutants += 1;
        rate.killed += u64::from(killed);
    }
    Ok((rates, survivors))
}
