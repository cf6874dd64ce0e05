//! Claims that hold agree, claims that are off by the last place that matters do not, and a chain
//! that breaks what it must keep is refused.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod common;

use cellwright_checker::state::State;
use cellwright_checker::timing::{Calculator, CornerSetting, PerMicron, Setting, Wires, analyse};
use cellwright_checker::{
    Outcome, Status, Subject, apply_chain, area, check, congestion, density, legality, wirelength,
};
use cellwright_contract::metric::MetricValue;
use cellwright_db::{Delta, Design, NetId, Op, Orient, Place, Snapshot};
use cellwright_designs::Spec;
use cellwright_designs::model::Corner;
use cellwright_designs::spec::Mix;
use cellwright_formats::constraints::Constraints;
use cellwright_formats::load::Loaded;

const UNIT: PerMicron = PerMicron { resistance: 0.002, capacitance: 0.00015 };

fn design() -> (Loaded, Constraints) {
    let spec = Spec::new("claims", 400, 7);
    common::generated(&Spec {
        mix: Mix::DATAPATH,
        corners: vec![Corner::Typ, Corner::Slow],
        ..spec
    })
}

/// Places every movable cell on a row, one after the other, in two deltas.
fn placing(snapshot: &Snapshot) -> Vec<Delta> {
    let design = Design::new(snapshot);
    let rows = &design.floorplan().rows;
    let (mut row, mut x) = (0, rows[0].origin.x);
    let mut ops = Vec::new();
    for cell in design.cells() {
        let width = design.master(cell).width;
        if x + width > rows[row].origin.x + rows[row].count * rows[row].step {
            row += 1;
            x = rows[row].origin.x;
        }
        let orient = rows[row].orient;
        let to = Place::placed(x, rows[row].origin.y, orient);
        ops.push(Op::Move { cell, from: design.place(cell), to });
        x += width;
    }
    let rest = ops.split_off(ops.len() / 2);
    vec![Delta { ops }, Delta { ops: rest }]
}

fn setting(constraints: &Constraints) -> Setting<'_> {
    let corners = [0, 1].map(|corner| CornerSetting {
        corner,
        wires: Wires::Placement { signal: UNIT, clock: UNIT },
    });
    Setting { constraints, corners: corners.into(), calculator: Calculator::LumpedElmore }
}

fn claim(metric: &str, value: f64, unit: &str, corner: Option<&str>) -> MetricValue {
    MetricValue {
        metric: metric.into(),
        value,
        unit: unit.into(),
        corner: corner.map(str::to_owned),
    }
}

/// Every claim with a step that must be told: one in the last place that matters.
fn claims(snapshot: &Snapshot, constraints: &Constraints) -> Vec<(MetricValue, f64)> {
    let state = State::new(snapshot);
    let scale = f64::from(state.design.tech().dbu_per_micron);
    let density = density::check(&state);
    let mut list = vec![
        (claim("hpwl", wirelength::total(&state) as f64 / scale, "um", None), 1.0 / scale),
        (
            claim("area", area::total(&state) as f64 / (scale * scale), "um2", None),
            1.0 / (scale * scale),
        ),
        (claim("leakage", area::leakage(&state) as f64 / 1e6, "nW", None), 1e-6),
        (claim("density_overflow", density.overflow, "1", None), 1e-8),
        (claim("max_density", density.max, "1", None), 1e-8),
        (claim("congestion", congestion::check(&state), "1", None), 1e-8),
        (claim("legality_violations", legality::check(&state).movable() as f64, "1", None), 1.0),
    ];
    let timing = analyse(&state, &setting(constraints));
    assert_eq!(timing.not_checked, Vec::<String>::new());
    for corner in [Some("typ"), Some("slow"), None] {
        for (side, name) in ["hold", "setup"].into_iter().enumerate() {
            let totals = timing.totals(corner, side).unwrap();
            let step = |value: f64| 2.0 * 1e-4_f64.max(1e-5 * value.abs());
            list.push((claim(&format!("wns_{name}"), totals.wns, "ns", corner), step(totals.wns)));
            list.push((claim(&format!("tns_{name}"), totals.tns, "ns", corner), step(totals.tns)));
        }
    }
    list
}

#[test]
fn true_claims_agree_and_each_false_one_is_refused() {
    let (loaded, constraints) = design();
    let deltas = placing(&loaded.snapshot);
    let (last, roots) = apply_chain(&loaded.snapshot, &deltas).unwrap();
    assert_eq!((roots.len(), roots[0], roots[2]), (3, loaded.snapshot.root(), last.root()));
    let mut subject = Subject::of(&loaded);
    subject.timing = Some(setting(&constraints));
    subject.not_checked.clear();
    let all = claims(&last, &constraints);
    let values: Vec<MetricValue> = all.iter().map(|(claim, _)| claim.clone()).collect();
    let report = subject.check(&deltas, &values).unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
    assert_eq!(report.not_checked, Vec::<String>::new());
    assert_eq!(report.outcome, Outcome::Agrees, "{report:#?}");
    assert_eq!(report.legality.movable(), 0, "{:?}", report.legality.violations.first());
    // Something is late, so that the timing claims say something.
    let of = |name: &str| values.iter().find(|claim| claim.metric == name).unwrap().value;
    assert!(of("wns_setup") < 0.0 && of("tns_setup") < 0.0 && of("hpwl") > 0.0);
    // All mutants at once: the report judges each claim by itself.
    for sign in [1.0, -1.0] {
        let mutants: Vec<MetricValue> = all
            .iter()
            .map(|(claim, step)| MetricValue { value: claim.value + sign * step, ..claim.clone() })
            .collect();
        let report = subject.check(&deltas, &mutants).unwrap();
        assert_eq!(report.outcome, Outcome::Disagrees);
        for item in &report.items {
            assert_eq!(item.status, Status::Differs, "{item:?}");
        }
    }
    let nan = claim("hpwl", f64::NAN, "um", None);
    let wrong_unit = claim("hpwl", of("hpwl"), "mm", None);
    for bad in [nan, wrong_unit, claim("wns_setup", f64::NAN, "ns", Some("typ"))] {
        let report = subject.check(&deltas, &[bad]).unwrap();
        assert_eq!(report.outcome, Outcome::Disagrees);
    }
    for unknown in [claim("beauty", 1.0, "1", None), claim("wns_setup", 0.0, "ns", Some("none"))] {
        let report = subject.check(&deltas, &[unknown]).unwrap();
        assert_eq!(report.outcome, Outcome::Incomplete);
    }
    // Without constraints timing is not recomputed, and that is no pass.
    let untimed = Subject::of(&loaded);
    let report = untimed.check(&deltas, &[claim("wns_setup", 0.0, "ns", None)]).unwrap();
    assert_eq!(report.outcome, Outcome::Incomplete);
    // A chain that lies about what was.
    let twice = [deltas[0].clone(), deltas[0].clone()];
    assert_eq!(subject.check(&twice, &[]).unwrap_err().number, 2);
}

#[test]
fn a_chain_must_keep_drivers_connections_and_logic() {
    let (loaded, _) = design();
    let subject = Subject::of(&loaded);
    let base = Design::new(&loaded.snapshot);
    let two_input = base.cells().find(|cell| base.master(*cell).name.starts_with("NAND2")).unwrap();
    let pins: Vec<_> = base.cell_pins(two_input).collect();
    let run = |edit: &dyn Fn(&mut Design)| {
        let mut design = base.clone();
        let mark = design.mark();
        edit(&mut design);
        subject.check(&[design.delta_since(mark)], &[]).unwrap()
    };
    // Swapped inputs of a NAND compute the same.
    let report = run(&|design| design.swap_pins(pins[0], pins[1]).unwrap());
    assert_eq!((report.outcome, report.problems.len()), (Outcome::Agrees, 0), "{report:?}");
    // A buffer in front of it, too.
    let buffer = base.library().buffers()[0];
    let net = base.pin_net(pins[0]).unwrap();
    let report = run(&|design| {
        let place = Place::placed(0, 0, Orient::N);
        design.insert_buffer(net, &[pins[0]], buffer, None, place).unwrap();
    });
    assert_eq!((report.outcome, report.problems.len()), (Outcome::Agrees, 0), "{report:?}");
    // Another net on an input is not shown to be the same.
    let other = base.nets().find(|other| {
        base.driver(*other).is_some() && Some(*other) != base.pin_net(pins[1]) && *other != net
    });
    let report = run(&|design| design.connect(pins[0], other.unwrap()).unwrap());
    assert_eq!(report.outcome, Outcome::Incomplete);
    // Nothing on an input, two drivers on a net, no driver on a net: problems.
    let output = pins[2];
    let report = run(&|design| design.connect(pins[0], NetId::NONE).unwrap());
    assert_eq!(report.outcome, Outcome::Disagrees);
    let report = run(&|design| design.connect(output, other.unwrap()).unwrap());
    assert_eq!(report.outcome, Outcome::Disagrees);
    assert!(report.problems.iter().any(|text| text.contains("2 drivers")), "{report:?}");
    assert!(report.problems.iter().any(|text| text.contains("lost its driver")), "{report:?}");
    // Another function under the same pins.
    let library = base.library();
    let (nand, nor) = (
        base.master_id(two_input),
        library.masters.iter().find(|(_, master)| master.name.starts_with("NOR2")),
    );
    let same_pins = library.masters[nand].pins.len() == nor.unwrap().1.pins.len();
    assert!(same_pins);
    let mut design = base.clone();
    let mark = design.mark();
    if design.resize_cell(two_input, nor.unwrap().0).is_ok() {
        let report = subject.check(&[design.delta_since(mark)], &[]).unwrap();
        assert_eq!(report.outcome, Outcome::Disagrees);
        assert!(report.problems[0].contains("does not compute"), "{report:?}");
    }
}

#[test]
fn a_bundle_is_timed_by_its_own_constraints_and_wires() {
    let folder = common::Folder::new("bundle");
    let spec = Spec { mix: Mix::SMALL, ..Spec::new("bundle", 300, 3) };
    let generated = cellwright_designs::generate(&spec).unwrap();
    let path = cellwright_designs::write_design(&folder.0, &generated).unwrap();
    let bundle = cellwright_formats::bundle::Bundle::read(&path).unwrap();
    let loaded = cellwright_formats::load::load(bundle).unwrap();
    let deltas = placing(&loaded.snapshot);
    let (last, _) = apply_chain(&loaded.snapshot, &deltas).unwrap();
    // The constraints that the generator meant, not those that were read.
    let constraints = common::constraints(&loaded, &generated);
    let (setting, _) = cellwright_checker::defaults::setting(&loaded, &constraints);
    let totals = analyse(&State::new(&last), &setting).totals(None, 1).unwrap();
    let claims = [
        claim("wns_setup", totals.wns, "ns", Some("typ")),
        claim("tns_setup", totals.tns, "ns", None),
    ];
    assert!(totals.wns < 0.0);
    let report = check(&loaded, &deltas, &claims).unwrap();
    assert_eq!(report.outcome, Outcome::Agrees, "{report:#?}");
}
