//! The proxy cost agrees with the open evaluator, and with its own reading of the files, on every
//! placement whose values are known.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cellwright_formats::ct::{read_netlist, read_placement};
use cellwright_formats::text::{Problems, open};
use cellwright_macros::{Engine, Model, Netlist, Options, Placement, Precision};

fn folder() -> Option<PathBuf> {
    let near = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("CELLWRIGHT_CORPUS").map_or(near, PathBuf::from);
    let folder = root.join("macro/ariane133_ng45");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: corpus not found");
    None
}

fn case(folder: &Path, plc: &str) -> (Netlist, Placement) {
    let mut problems = Problems::new();
    let netlist =
        read_netlist(&open(folder.join("netlist.pb.txt.gz")).unwrap(), &mut problems).unwrap();
    let placement =
        read_placement(&open(folder.join(plc)).unwrap(), &netlist, &mut problems).unwrap();
    assert!(problems.is_empty());
    (netlist, placement)
}

/// `(name, value)` pairs of one flat JSON object; the file holds only such.
fn objects(text: &str) -> Vec<Vec<(String, String)>> {
    text.split('{')
        .skip(1)
        .map(|object| {
            let object = object.split('}').next().unwrap();
            object
                .split(',')
                .map(|pair| {
                    let (key, value) = pair.split_once(':').unwrap();
                    let clean = |s: &str| s.trim().trim_matches('"').to_owned();
                    (clean(key), clean(value))
                })
                .collect()
        })
        .collect()
}

#[test]
fn agrees_with_the_open_evaluator_to_1e_9() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("golden.json")).unwrap();
    let mut seen = 0;
    for object in objects(&text) {
        let get = |key: &str| object.iter().find(|(k, _)| k == key).unwrap().1.clone();
        let number = |key: &str| get(key).parse::<f64>().unwrap();
        let (netlist, mut placement) = case(&folder, &get("plc"));
        placement.settings.smooth_range = number("smooth_range") as u32;
        let model = Arc::new(Model::new(&netlist, &placement.settings).unwrap());
        let cost = Engine::new(model, &placement, Options::default()).unwrap().cost();
        for (name, ours) in [
            ("wirelength", cost.wirelength),
            ("wirelength_um", cost.wirelength_um),
            ("density", cost.density),
            ("congestion", cost.congestion),
            ("proxy", cost.proxy),
        ] {
            let off = (ours - number(name)).abs() / number(name);
            println!(
                "{:16} {} {name:14} {ours:.16} off by {off:.1e}",
                get("plc"),
                get("smooth_range")
            );
            assert!(off <= 1e-9, "{}: {name} is {ours}, not {}", get("plc"), get(name));
        }
        seen += 1;
    }
    assert_eq!(seen, 8);
}

/// The challenge of 2026 holds positions in single precision and publishes 0.71092665 for
/// `initial.plc`. Rounding positions alone (and sizes, pin offsets, settings: every combination was
/// tried) moves our value by at most 4e-8; what else its harness rounds is not known, so only its
/// first six digits are asked for.
#[test]
fn single_precision_positions_move_the_cost_a_little() {
    let Some(folder) = folder() else { return };
    let (netlist, placement) = case(&folder, "initial.plc");
    let model = Arc::new(Model::new(&netlist, &placement.settings).unwrap());
    let cost = |options| Engine::new(Arc::clone(&model), &placement, options).unwrap().cost().proxy;
    let double = cost(Options::default());
    let single = cost(Options { precision: Precision::Single, ..Options::default() });
    println!("double {double:.10} single {single:.10}");
    assert!(single != double && (single - double).abs() < 4e-8);
    assert!((single - 0.710_926_65).abs() < 5e-7);
}
