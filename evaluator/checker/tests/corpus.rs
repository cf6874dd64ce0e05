//! Real designs: timing against the reference timer's lumped-capacitance goldens, and placed
//! layouts through every check.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test's helpers may panic")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cellwright_checker::legality::{self, Rule};
use cellwright_checker::state::State;
use cellwright_checker::timing::{Calculator, CornerSetting, Setting, Wires, analyse};
use cellwright_checker::{congestion, density, wirelength};
use cellwright_db::floorplan::{Blockage, BlockageKind};
use cellwright_formats::bundle::{Bundle, CornerFiles};
use cellwright_formats::load::{constraints, load};

/// The corpus folder, or `None` with a printed reason.
fn corpus() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("CELLWRIGHT_CORPUS").map_or(here, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: corpus not found at {}", folder.display());
    None
}

fn bundle(folder: &Path, name: &str, corners: &[(&str, &str)]) -> Bundle {
    let corner = |(name, lib): &(&str, &str)| CornerFiles {
        name: (*name).into(),
        liberty: vec![lib.into()],
        ..CornerFiles::default()
    };
    Bundle {
        name: name.into(),
        tech: "corpus".into(),
        top: None,
        lef: Vec::new(),
        verilog: Vec::new(),
        def: None,
        sdc: Vec::new(),
        corner: corners.iter().map(corner).collect(),
        wire: None,
        folder: folder.to_owned(),
        file: folder.join("PROVENANCE.md"),
    }
}

/// Worst slack of each endpoint of a report, in the report's unit.
fn report(path: &Path) -> BTreeMap<String, f64> {
    let mut found: BTreeMap<String, f64> = BTreeMap::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [pin, _, _, _, slack, "(MET)" | "(VIOLATED)"] = words[..] else { continue };
        let slack: f64 = slack.parse().unwrap();
        let worst = found.entry(pin.to_owned()).or_insert(slack);
        *worst = worst.min(slack);
    }
    found
}

/// Case, top, netlist, corners, whether everything is served.
type Case =
    (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)], bool);

/// Cases without parasitics, so that the reference has no wires either.
const CASES: &[Case] = &[
    ("gcd_nangate45", "gcd", "gcd.v", &[("tt", "../_libs/nangate45_typ.lib.gz")], true),
    ("feat_crpr", "search_crpr", "search_crpr.v", &[("tt", "../_libs/nangate45_typ.lib.gz")], true),
    ("map9v3_osu018", "map9v3", "map9v3.v", &[("tt", "../_libs/osu018_stdcells.lib.gz")], true),
    (
        "example1_n45_corners",
        "top",
        "example1.v",
        &[
            ("ss", "../_libs/nangate45_slow.lib.gz"),
            ("tt", "../_libs/nangate45_typ.lib.gz"),
            ("ff", "../_libs/nangate45_fast.lib.gz"),
        ],
        true,
    ),
    (
        "feat_gated_clk",
        "search_gated_clk",
        "search_gated_clk.v",
        &[("tt", "../_libs/nangate45_typ.lib.gz")],
        true,
    ),
];

#[test]
fn slacks_are_those_of_the_reference_timer() {
    let Some(corpus) = corpus() else { return };
    for (case, top, netlist, corners, served) in CASES {
        let folder = corpus.join("timing").join(case);
        let mut bundle = bundle(&folder, top, corners);
        bundle.verilog = vec![netlist.into()];
        bundle.sdc = vec![format!("{case}.sdc").into()];
        let loaded = load(bundle).unwrap();
        let state = State::new(&loaded.snapshot);
        let constraints = constraints(&loaded, &state.design).unwrap();
        let all = (0..corners.len()).map(|corner| CornerSetting { corner, wires: Wires::None });
        let setting = Setting {
            constraints: &constraints,
            corners: all.collect(),
            calculator: Calculator::Lumped,
        };
        let timing = analyse(&state, &setting);
        assert_eq!(timing.not_checked.is_empty(), *served, "{case}: {:?}", timing.not_checked);
        for (side, name) in ["hold", "setup"].into_iter().enumerate() {
            let want = report(&folder.join(format!("golden_lumped/endpoints_{name}.rpt")));
            let (mut largest, mut compared) = (0.0_f64, 0);
            for (pin, slack) in &want {
                let pin = state.design.find_pin(pin).unwrap();
                let ours = timing.corners.iter().filter_map(|corner| corner.slacks[side].get(&pin));
                let ours = ours.copied().fold(f64::INFINITY, f64::min);
                // Single-precision reports of large numbers.
                let difference = (ours - slack).abs() / slack.abs().max(1.0);
                largest = largest.max(difference);
                compared += 1;
            }
            println!("{case} {name}: {compared} ends, largest difference {largest:.2e}");
            assert!(compared > 0 && largest < 2e-6, "{case} {name}: {largest}");
        }
    }
}

/// A design from LEF and DEF alone.
fn placed(corpus: &Path, lefs: &[&str], def: &str) -> State {
    let mut bundle = bundle(corpus, "placed", &[]);
    bundle.file = corpus.join("README.md");
    bundle.lef = lefs.iter().map(PathBuf::from).collect();
    bundle.def = Some(def.into());
    State::new(&load(bundle).unwrap().snapshot)
}

const ASAP7: [&str; 4] = [
    "placement/ispd26_aes_asap7/lef/asap7_tech_1x_201209.lef",
    "placement/ispd26_aes_asap7/lef/asap7sc7p5t_28_L_1x_220121a.lef",
    "placement/ispd26_aes_asap7/lef/asap7sc7p5t_28_R_1x_220121a.lef",
    "placement/ispd26_aes_asap7/lef/asap7sc7p5t_28_SL_1x_220121a.lef",
];

#[test]
fn commercial_placements_are_legal_and_as_long_as_they_say() {
    let Some(corpus) = corpus() else { return };
    for (def, figure) in [("aes_cipher_top", 42_307.0), ("aes_cipher_top_v2", 45_346.0)] {
        let state = placed(&corpus, &ASAP7, &format!("placement/ispd26_aes_asap7/{def}.def.gz"));
        let microns = state.design.tech().microns(wirelength::total(&state));
        assert!((microns - figure).abs() < 1.0, "{def}: {microns}");
        let legality = legality::check(&state);
        assert_eq!(legality.violations.first(), None, "{def}");
        // Cells may stand on soft blockages, of which only the second design has some.
        let density = density::check(&state);
        let soft = |blockage: &Blockage| blockage.kind == BlockageKind::Soft;
        let may_exceed = state.design.floorplan().blockages.iter().any(soft);
        assert_eq!(may_exceed, def.ends_with("v2"));
        assert!(density.utilisation > 0.3 && (may_exceed || density.max <= 1.0), "{density:?}");
        let congestion = congestion::check(&state);
        assert!((0.0..0.5).contains(&congestion), "{def}: {congestion}");
    }
}

#[test]
fn global_placements_and_unplaced_designs_break_what_they_must() {
    let Some(corpus) = corpus() else { return };
    let nangate = ["placement/nangate45/nangate45.lef"];
    let global = placed(&corpus, &nangate, "placement/nangate45/aes_cipher_top_replace.def.gz");
    let legality = legality::check(&global);
    let broken = |rule: &Rule| legality.of_rule(*rule) > 0;
    let rules: Vec<Rule> = Rule::ALL.into_iter().filter(broken).collect();
    assert_eq!(rules, [Rule::OffRow, Rule::OffSite, Rule::Overlap]);
    let lefs = ["tech", "macro.mod"]
        .map(|end| format!("designs/tech/nangate45/NangateOpenCellLibrary.{end}.lef"));
    let lefs = [lefs[0].as_str(), &lefs[1]];
    let state = placed(&corpus, &lefs, "designs/nangate45/gcd/gcd_u60.def.gz");
    let legality = legality::check(&state);
    assert!(legality.movable() > 0);
    assert_eq!(legality.of_rule(Rule::Unplaced), legality.movable());
    assert_eq!(density::check(&state).overflow, 0.0);
}
