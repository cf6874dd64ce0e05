//! The judge on a generated design: every mutant is rejected, a what-if leaves no trace, and what
//! follows a delta equals a full evaluation, bit for bit, at one thread and at two.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::sync::Arc;

use cellwright_contract::budget::{CostBudget, Effort};
use cellwright_contract::delta::{
    CellMove, CellResize, DesignDelta, InsertBuffer, NetChange, RemoveBuffer,
};
use cellwright_contract::gate::{GateId, GateStatus};
use cellwright_contract::goal::Goals;
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::{DesignRef, IntentRef, SnapshotRef};
use cellwright_contract::scenario::{AgentSpec, GateRule, Objective, SCENARIO_SCHEMA, Scenario};
use cellwright_db::{CellId, Design, MasterId, Orient, Place, Snapshot};
use cellwright_designs::{Spec, write_bundle};
use cellwright_formats::bundle::Bundle;
use cellwright_formats::load::{Loaded, constraints, load};
use cellwright_judge::engines::{EngineConfig, Engines};
use cellwright_judge::judge::Judge;
use cellwright_judge::mutants;
use cellwright_judge::platform::Host;
use cellwright_judge::timing::TimingSetup;
use cellwright_judge::translate::{cell_ref, net_ref, pin_ref, position};
use cellwright_sta::parasitics::{Parasitics, Topology, WireRc};
use cellwright_sta::{Calculator, Config};
use proptest::prelude::*;

/// The tiny preset, its cells set row by row: legal, though no good placement.
fn design() -> (Loaded, Snapshot) {
    let folder = std::env::temp_dir().join(format!(
        "cellwright-judge-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    let path = write_bundle(&folder, &Spec::preset("tiny").unwrap()).unwrap();
    let loaded = load(Bundle::read(&path).unwrap()).unwrap();
    let mut design = Design::new(&loaded.snapshot);
    let rows = design.floorplan().rows.clone();
    let mut free = rows.iter().map(|row| (row, row.origin.x));
    let mut at = free.next();
    for cell in design.cells().collect::<Vec<_>>() {
        let width = design.master(cell).width;
        while let Some((row, x)) = at {
            if x + width <= row.origin.x + row.count * row.step {
                design.move_cell(cell, Place::placed(x, row.origin.y, row.orient)).unwrap();
                at = Some((row, x + width));
                break;
            }
            at = free.next();
        }
    }
    let snapshot = design.commit();
    (loaded, snapshot)
}

fn config(loaded: &Loaded, calculator: Calculator) -> EngineConfig {
    let design = Design::new(&loaded.snapshot);
    let wire = WireRc { signal: (0.003, 0.0002), clock: (0.003, 0.0002) };
    EngineConfig::standard(Some(TimingSetup {
        constraints: Arc::new(constraints(loaded, &design).unwrap()),
        config: Config {
            corners: vec![(0, Parasitics::Placement { wire, topology: Topology::Steiner })],
            calculator,
        },
    }))
}

fn scenario() -> Scenario {
    let objective = |metric: &str| Objective {
        metric: metric.into(),
        direction: None,
        resolution: None,
        weight: 1.0,
        reference: None,
    };
    Scenario {
        schema: SCENARIO_SCHEMA.into(),
        name: "test".into(),
        description: String::new(),
        design: DesignRef::new("tiny", "cw45").unwrap(),
        intent: IntentRef::new("test").unwrap(),
        objectives: vec![objective("hpwl"), objective("tns_setup")],
        gates: vec![GateRule {
            gate: GateId::Exactness,
            metric: None,
            tolerance: None,
            unit: Default::default(),
            reference: Default::default(),
            limit: None,
            sample: Some(0.0),
        }],
        budget: CostBudget::default(),
        effort: Effort::Standard,
        seeds: vec![1],
        agent: AgentSpec { name: "test".into(), params: Default::default() },
    }
}

fn proposal(judge: &Judge, id: &str, delta: DesignDelta) -> Proposal {
    Proposal {
        id: id.into(),
        intent_ref: judge.scenario().intent.clone(),
        expected_delta: delta,
        expected_metrics: Goals::default(),
        rationale: None,
        parent_snap: SnapshotRef::Root(judge.head().0),
        confidence: None,
    }
}

#[test]
fn every_mutant_is_rejected_by_its_gate() {
    let (loaded, snapshot) = design();
    let mut judge =
        Judge::new(&snapshot, scenario(), config(&loaded, Calculator::LumpedElmore)).unwrap();
    // The unchanged design passes, so that a rejection means something.
    let idle = proposal(&judge, "idle", DesignDelta::default());
    let judged = judge.judge(&idle, Effort::Exhaustive).unwrap();
    assert!(judged.judgment.passed(), "{:#?}", judged.judgment);
    let count = mutants::mutants(&judge).len();
    assert!(count >= 14, "only {count} mutants can be made");
    let (rates, survivors) = mutants::kill_rates(&mut judge).unwrap();
    assert!(survivors.is_empty(), "{survivors:?}");
    assert!(rates.iter().all(|rate| rate.mutants == rate.killed && rate.mutants > 0));
}

#[test]
fn swapping_equivalent_pins_passes_and_others_do_not() {
    use cellwright_contract::delta::SwapPins;
    let (loaded, snapshot) = design();
    let mut judge =
        Judge::new(&snapshot, scenario(), config(&loaded, Calculator::LumpedElmore)).unwrap();
    let swap = |judge: &Judge, family: &str, a: &str, b: &str| {
        let design = judge.design();
        let cell = design.cells().find(|cell| {
            let master = design.master(*cell);
            let pins = [a, b].map(|pin| master.pin(pin));
            master.name.starts_with(family) && pins.iter().all(Option::is_some) && {
                let first = design.cell(*cell).first_pin.0;
                let net = |pin: Option<cellwright_db::MasterPinId>| {
                    design.pin_net(cellwright_db::PinId(first + pin.unwrap().0))
                };
                net(pins[0]) != net(pins[1])
            }
        })?;
        let pin = |name: &str| {
            let number = design.master(cell).pin(name).unwrap();
            pin_ref(design, cellwright_db::PinId(design.cell(cell).first_pin.0 + number.0))
        };
        let change = NetChange::SwapPins(SwapPins { a: pin(a), b: pin(b) });
        Some(DesignDelta { new_nets: vec![change], ..Default::default() })
    };
    let pins: Vec<String> = judge
        .design()
        .library()
        .masters
        .iter()
        .find(|(_, master)| master.name.starts_with("NAND2"))
        .map(|(_, master)| master.pins.iter().map(|pin| pin.name.clone()).collect())
        .unwrap();
    let equal = swap(&judge, "NAND2", &pins[0], &pins[1]).expect("a NAND2 with two nets");
    let equal = proposal(&judge, "equal", equal);
    let judged = judge.judge(&equal, Effort::Exhaustive).unwrap();
    assert!(judged.judgment.passed(), "{:#?}", judged.judgment.not_passed().collect::<Vec<_>>());
    let mux = judge
        .design()
        .library()
        .masters
        .iter()
        .find(|(_, master)| master.name.starts_with("MUX2"))
        .map(|(_, master)| {
            master
                .pins
                .iter()
                .filter(|pin| pin.direction == cellwright_db::library::PinDirection::Input)
                .map(|pin| pin.name.clone())
                .collect::<Vec<_>>()
        })
        .unwrap();
    if let Some(delta) = swap(&judge, "MUX2", &mux[0], &mux[2]) {
        let other = proposal(&judge, "other", delta);
        let judged = judge.judge(&other, Effort::Standard).unwrap();
        assert!(
            judged
                .judgment
                .gates
                .iter()
                .any(|gate| gate.id == GateId::NetlistLogic && gate.status == GateStatus::Fail)
        );
    }
}

/// A random change as numbers, so that proptest can shrink it.
type Edit = (u8, u32, u32, u32);

fn edit(design: &Design, (kind, a, b, c): Edit) -> Option<DesignDelta> {
    let cells: Vec<CellId> = design.cells().collect();
    let cell = cells[a as usize % cells.len()];
    let mut delta = DesignDelta::default();
    match kind % 4 {
        0 => {
            let row = &design.floorplan().rows[b as usize % design.floorplan().rows.len()];
            let site = (c % row.count.max(1) as u32) as i32;
            let to = Place::placed(
                row.origin.x + site * row.step,
                row.origin.y,
                Orient::ALL[c as usize % 8],
            );
            delta.moved_cells.push(CellMove {
                cell_id: cell_ref(cell),
                from: position(design.place(cell)),
                to: position(to),
            });
        }
        1 => {
            let from = design.master_id(cell);
            let list = design.library().alternatives(from);
            let to: MasterId = list[b as usize % list.len()];
            let name = |id: MasterId| design.library().masters[id].name.clone();
            delta.resized_cells.push(CellResize {
                cell_id: cell_ref(cell),
                from_master: name(from),
                to_master: name(to),
            });
        }
        2 => {
            let nets: Vec<_> = design.nets().collect();
            let net = nets[b as usize % nets.len()];
            let driver = design.driver(net);
            let sinks: Vec<_> = design
                .net_pins(net)
                .iter()
                .filter(|pin| Some(**pin) != driver)
                .take(1 + c as usize % 3)
                .map(|pin| pin_ref(design, *pin))
                .collect();
            let buffers = design.library().buffers();
            let master = design.library().masters[buffers[a as usize % buffers.len()]].name.clone();
            let row = &design.floorplan().rows[c as usize % design.floorplan().rows.len()];
            let at = position(Place::placed(row.origin.x, row.origin.y, row.orient));
            delta.new_nets.push(NetChange::InsertBuffer(InsertBuffer {
                net: net_ref(net),
                sinks,
                master,
                name: None,
                at,
            }));
        }
        _ => {
            let buffer =
                cells.iter().cycle().skip(a as usize % cells.len()).take(cells.len()).find(
                    |cell| design.library().buffer_pins(design.master_id(**cell)).is_some(),
                )?;
            delta
                .new_nets
                .push(NetChange::RemoveBuffer(RemoveBuffer { cell_id: cell_ref(*buffer) }));
        }
    }
    Some(delta)
}

/// Follows random edits on the engines alone, legal or not: each step must equal a full evaluation,
/// and taking all back must give the first state.
fn follow(calculator: Calculator, edits: &[Edit], loaded: &Loaded, snapshot: &Snapshot) {
    let config = config(loaded, calculator);
    let mut design = Design::new(snapshot);
    let mut engines = Engines::full(&design, &config).unwrap();
    let mut start = Engines::full(&design, &config).unwrap();
    start.settle(&design).unwrap();
    let mut marks = Vec::new();
    for &numbers in edits {
        let Some(delta) = edit(&design, numbers) else { continue };
        let mark = design.mark();
        if cellwright_judge::translate::apply(&mut design, &delta).is_err() {
            continue;
        }
        let dirty = design.dirty_since(mark);
        engines.update(&design, mark, &dirty, true).unwrap();
        let mut full = Engines::full(&design, &config).unwrap();
        full.settle(&design).unwrap();
        engines.settle(&design).unwrap();
        assert!(
            engines == full,
            "after {delta:?}: followed {:?}, full {:?}",
            engines.metrics(&design, true),
            full.metrics(&design, true)
        );
        marks.push(mark);
    }
    for mark in marks.into_iter().rev() {
        engines.undo();
        design.undo_to(mark);
    }
    engines.settle(&design).unwrap();
    assert!(engines == start, "undo did not give the first state");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn following_equals_full_and_undo_is_exact(edits in proptest::collection::vec(any::<Edit>(), 1..12)) {
        let (loaded, snapshot) = design();
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                for calculator in [Calculator::LumpedElmore, Calculator::DmpCeffElmore] {
                    follow(calculator, &edits, &loaded, &snapshot);
                }
            });
        }
    }
}

#[test]
fn a_what_if_leaves_no_trace() {
    let (loaded, snapshot) = design();
    let config = config(&loaded, Calculator::LumpedElmore);
    let mut judge = Judge::new(&snapshot, scenario(), config.clone()).unwrap();
    let mut before = Engines::full(judge.design(), &config).unwrap();
    before.settle(judge.design()).unwrap();
    for number in 0..60_u32 {
        let numbers = ((number % 4) as u8, number * 7919, number * 104_729, number * 31);
        let Some(delta) = edit(judge.design(), numbers) else { continue };
        let _ = judge.try_delta(&delta, Effort::Standard).unwrap();
        let _ = judge.try_delta(&delta, Effort::Quick).unwrap();
        let what = proposal(&judge, "p", delta);
        judge.judge(&what, Effort::Standard).unwrap();
    }
    assert_eq!(judge.design().snapshot().root(), snapshot.root());
    judge.settle().unwrap();
    assert!(*judge.engines() == before);
}

/// What an agent is told of a cell's slack is what the cell's changes then do.
#[test]
fn the_slack_gradient_is_what_changes_do() {
    use cellwright_contract::delta::{CellResize, TimingMode};
    use cellwright_contract::platform::View;
    use cellwright_contract::refs::ObjectRef;
    use cellwright_contract::sensitivity::slack_gradient;
    let (loaded, snapshot) = design();
    let judge =
        Judge::new(&snapshot, scenario(), config(&loaded, Calculator::LumpedElmore)).unwrap();
    let design_ref = format!("{}@none", loaded.bundle.name).parse().unwrap();
    let mut host = Host::new(judge, design_ref, Default::default());
    let path = host.worst_paths(TimingMode::Setup, 1).unwrap().remove(0);
    let name = path.pins[path.pins.len() / 2].pin.rsplit_once('/').unwrap().0.to_owned();
    let cell = host.cell(&ObjectRef::Name(name)).unwrap();
    let told = slack_gradient(&mut host, TimingMode::Setup, &cell.id, 400).unwrap();
    assert!(told.right.is_some() && told.up.is_some());
    assert!(!told.masters.is_empty());
    let change = &told.masters[0];
    let resize = CellResize {
        cell_id: cell.id.clone(),
        from_master: cell.master.clone(),
        to_master: change.master.clone(),
    };
    let delta = DesignDelta { resized_cells: vec![resize], ..DesignDelta::default() };
    let after = host.evaluate(&delta, Effort::Standard).unwrap();
    assert_eq!(after.metric("tns_setup").unwrap() - told.head.tns, change.change.tns);
    assert!(slack_gradient(&mut host, TimingMode::Setup, &cell.id, 0).is_err());

    // The pin's slack, and the paths through it, tell of the same worst path.
    let middle = ObjectRef::Name(path.pins[path.pins.len() / 2].pin.clone());
    let slack = host.pin_slacks(TimingMode::Setup, std::slice::from_ref(&middle)).unwrap()[0];
    let through = host.paths_through(TimingMode::Setup, &middle, 4).unwrap();
    assert!((through[0].slack - slack.unwrap()).abs() < 1e-5);
    assert!((through[0].slack - path.slack).abs() < 1e-5);
    assert!(through.is_sorted_by(|a, b| a.slack <= b.slack));
}

#[test]
fn worst_paths_lead_from_a_start_to_their_slack() {
    use cellwright_contract::delta::TimingMode;
    let (loaded, snapshot) = design();
    let config = config(&loaded, Calculator::LumpedElmore);
    let judge = Judge::new(&snapshot, scenario(), config).unwrap();
    let timing = judge.engines().timing().unwrap();
    for mode in [TimingMode::Setup, TimingMode::Hold] {
        let paths = timing.worst_paths(judge.design(), mode, 5);
        assert_eq!(paths.len(), 5);
        assert!(paths.is_sorted_by(|a, b| a.slack <= b.slack));
        for path in paths {
            assert!(!path.startpoint.is_empty() && path.startpoint != path.endpoint);
            let last = path.pins.last().unwrap();
            assert_eq!((&last.pin, last.arrival), (&path.endpoint, path.arrival));
            let slack = match mode {
                TimingMode::Setup => path.required - path.arrival,
                TimingMode::Hold => path.arrival - path.required,
            };
            assert!((slack - path.slack).abs() < 1e-5, "{slack} {}", path.slack);
        }
    }
}
