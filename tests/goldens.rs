//! Our timer against OpenSTA on designs of our own: every stored endpoint's setup and hold slack.
//!
//! The goldens are made by `designs/goldens/regenerate.sh`; the `designs` crate checks that they
//! belong to what the generator makes now.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use cellwright_db::Design;
use cellwright_designs::goldens::goldens;
use cellwright_designs::{generate, write_bundle};
use cellwright_formats::bundle::Bundle;
use cellwright_formats::load::{constraints, load, parasitics};
use cellwright_sta::parasitics::{Annotated, Parasitics};
use cellwright_sta::{Calculator, Config, Side, Timer};
use serde_json::Value;

/// Largest slack error allowed at an endpoint with this arrival, ns.
///
/// Without wires both tools look up the same tables: half a picosecond or 0.1 % of the arrival. With
/// wires the golden's version (2.0.17) keeps the table's slew at a driver where later ones take the
/// waveform's; stage slews then differ by up to a fifth and whole paths by about 1 %.
fn tolerance(spef: bool, arrival: f64) -> f64 {
    if spef { (0.02 * arrival.abs()).max(0.002) } else { (0.001 * arrival.abs()).max(0.0005) }
}

#[test]
fn every_endpoint_agrees_with_opensta() {
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("designs/goldens");
    println!("case          endpoints  largest error, ns  worst setup slack: golden, ours");
    let mut wrong = Vec::new();
    for golden in goldens() {
        let folder = std::env::temp_dir().join(format!(
            "cellwright-golden-{}-{}",
            golden.name,
            std::process::id()
        ));
        let mut bundle = Bundle::read(&write_bundle(&folder, &golden.spec).unwrap()).unwrap();
        if golden.spef {
            let mut file = fs::File::create(folder.join("golden.spef")).unwrap();
            generate(&golden.spec).unwrap().write_spef(&mut file).unwrap();
            bundle.corner[0].spef = Some("golden.spef".into());
        }
        let loaded = load(bundle).unwrap();
        let design = Design::new(&loaded.snapshot);
        let wires = if golden.spef {
            let (nets, ..) = parasitics(&loaded, &design, &loaded.bundle.corner[0]).unwrap();
            Parasitics::Annotated(Arc::new(Annotated::new(nets)))
        } else {
            Parasitics::None
        };
        let config = Config { corners: vec![(0, wires)], calculator: Calculator::DmpCeffElmore };
        let timer = Timer::new(&design, constraints(&loaded, &design).unwrap(), config).unwrap();
        assert_eq!(timer.not_supported(), Vec::<String>::new(), "{}", golden.name);

        let text = fs::read_to_string(stored.join(format!("{}.json", golden.name))).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        let (mut count, mut largest) = (0, 0.0_f64);
        for (mode, side) in [("setup", Side::Max), ("hold", Side::Min)] {
            let number = |value: &Value| value.as_f64().unwrap();
            for end in json[mode]["endpoints"].as_array().unwrap() {
                let name = end["pin"].as_str().unwrap();
                let pin = design
                    .find_pin(name)
                    .unwrap_or_else(|| panic!("{}: no pin {name}", golden.name));
                let wanted = number(&end["slack"]);
                let Some(slack) = timer.end_slack(pin, side) else {
                    wrong.push(format!(
                        "{} {mode} {name}: golden {wanted}, ours is no endpoint",
                        golden.name
                    ));
                    continue;
                };
                let error = (f64::from(slack) - wanted).abs();
                count += 1;
                largest = largest.max(error);
                if error > tolerance(golden.spef, number(&end["arrival"])) {
                    wrong.push(format!(
                        "{} {mode} {name}: golden {wanted}, ours {slack}",
                        golden.name
                    ));
                }
            }
            // Nothing that the tool checks is missing from ours, and nothing is invented.
            let ends = timer.endpoints(side).len();
            assert_eq!(
                ends as u64,
                json[mode]["endpoint_count"].as_u64().unwrap(),
                "{} {mode}",
                golden.name
            );
        }
        println!(
            "{:12}  {count:9}  {largest:17.6}  {:.6}, {:.6}",
            golden.name,
            json["setup"]["worst_slack"].as_f64().unwrap(),
            timer.worst_slack(Side::Max).unwrap_or(f32::NAN),
        );
        fs::remove_dir_all(&folder).unwrap();
    }
    assert!(
        wrong.is_empty(),
        "{} endpoints differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}
