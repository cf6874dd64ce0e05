//! Timing of our own designs against the reference timer's, endpoint by endpoint.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod common;

use std::path::Path;

use cellwright_checker::state::State;
use cellwright_checker::timing::{Calculator, CornerSetting, Setting, Wires, analyse};
use cellwright_designs::goldens::goldens;
use serde_json::Value;

#[test]
fn slacks_are_those_of_the_reference_timer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs/goldens");
    // Those without parasitics: with them the reference solves waveforms.
    for golden in goldens().into_iter().filter(|golden| !golden.spef) {
        let text = std::fs::read_to_string(folder.join(format!("{}.json", golden.name))).unwrap();
        let want: Value = serde_json::from_str(&text).unwrap();
        let (loaded, constraints) = common::generated(&golden.spec);
        let state = State::new(&loaded.snapshot);
        let corners = vec![CornerSetting { corner: 0, wires: Wires::None }];
        let setting =
            Setting { constraints: &constraints, corners, calculator: Calculator::Lumped };
        let timing = analyse(&state, &setting);
        assert_eq!(timing.not_checked, Vec::<String>::new(), "{}", golden.name);
        for (side, name) in ["hold", "setup"].into_iter().enumerate() {
            let want = &want[name];
            let slacks = &timing.corners[0].slacks[side];
            assert_eq!(slacks.len() as u64, want["endpoint_count"].as_u64().unwrap());
            let mut largest = 0.0_f64;
            for end in want["endpoints"].as_array().unwrap() {
                let pin = state.design.find_pin(end["pin"].as_str().unwrap()).unwrap();
                let slack = end["slack"].as_f64().unwrap();
                largest = largest.max((slacks[&pin] - slack).abs());
            }
            let totals = timing.totals(None, side).unwrap();
            let tns = want["tns_sum"].as_f64().unwrap();
            let wns = want["worst_slack"].as_f64().unwrap().min(0.0);
            println!(
                "{} {name}: {} ends, largest difference {largest:.2e} ns, wns {wns} {}, tns {tns} {}",
                golden.name,
                slacks.len(),
                totals.wns,
                totals.tns,
            );
            assert!(largest < 1e-6, "{} {name}: {largest}", golden.name);
            assert!((totals.wns - wns).abs() < 1e-6);
            assert!((totals.tns - tns).abs() < 1e-6 * slacks.len() as f64);
            assert_eq!(totals.violating as u64, want["violating"].as_u64().unwrap());
        }
    }
}
