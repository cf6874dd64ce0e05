//! Timing-driven placement on a real design: never worse than without.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cellwright_db::Design;
use cellwright_formats::bundle::Bundle;
use cellwright_formats::load::{Loaded, constraints, load};
use cellwright_measure::{Congestion, CongestionConfig, Legality, LegalityConfig, Metric};
use cellwright_place::{PlaceConfig, Routed, Timed, place_routed, place_timed};
use cellwright_sta::parasitics::{Parasitics, Topology, WireRc};
use cellwright_sta::{Calculator, Config};

/// gcd with a clock that it cannot meet; its DEF text as `edit` leaves it.
fn gcd(tag: &str, edit: impl Fn(&str) -> String) -> Option<Loaded> {
    let near = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("CELLWRIGHT_CORPUS").map_or(near, PathBuf::from);
    if !corpus.is_dir() {
        println!("skipped: corpus not found");
        return None;
    }
    let corpus = corpus.canonicalize().unwrap();
    let folder =
        std::env::temp_dir().join(format!("cellwright-driven-{}-{tag}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |path: &str| format!("{:?}", corpus.join(path).to_str().unwrap());
    let sdc = std::fs::read_to_string(corpus.join("designs/nangate45/gcd/gcd.sdc")).unwrap();
    std::fs::write(folder.join("t.sdc"), sdc).unwrap();
    let def = cellwright_formats::text::open(corpus.join("designs/nangate45/gcd/gcd_u70.def.gz"));
    std::fs::write(folder.join("t.def"), edit(def.unwrap().text())).unwrap();
    let text = format!(
        "name = \"gcd\"\ntech = \"t\"\ntop = \"gcd\"\nlef = [{}, {}]\nverilog = [{}]\ndef = \"t.def\"\nsdc = [\"t.sdc\"]\n[[corner]]\nname = \"typ\"\nliberty = [{}]\n",
        path("designs/tech/nangate45/NangateOpenCellLibrary.tech.lef"),
        path("designs/tech/nangate45/NangateOpenCellLibrary.macro.mod.lef"),
        path("designs/nangate45/gcd/gcd.v.gz"),
        path("designs/tech/nangate45/nangate45_typ.lib.gz"),
    );
    let file = folder.join("design.toml");
    std::fs::write(&file, text).unwrap();
    Some(load(Bundle::read(&file).unwrap()).unwrap())
}

#[test]
fn timing_is_never_worse_than_without() {
    let Some(loaded) = gcd("timing", str::to_owned) else { return };
    let mut design = Design::new(&loaded.snapshot);
    let constraints = Arc::new(constraints(&loaded, &design).unwrap());
    // Wires ten times as slow as they are, so that places count.
    let rc = (0.036, 0.0005);
    let wire = WireRc { signal: rc, clock: rc };
    let parasitics = Parasitics::Placement { wire, topology: Topology::Steiner };
    let config = Config { corners: vec![(0, parasitics)], calculator: Calculator::LumpedElmore };
    let timed = Timed::new(constraints, config);
    let run = |threads| {
        let config = PlaceConfig { threads, ..PlaceConfig::default() };
        place_timed(&design, &config, &timed, &mut ()).unwrap()
    };
    let found = run(0);
    println!(
        "without {:?}, with {:?}, driven {}, asked {}, weighed {}",
        found.plain, found.slack, found.driven, found.asked, found.weighed
    );
    assert!(found.plain.wns < 0.0 && found.asked > 0 && found.weighed > 0);
    assert!(found.slack.tns >= found.plain.tns);
    assert_eq!(found.result.delta, run(1).result.delta);
    // What is said of the result is what the result has.
    design.apply(&found.result.delta).unwrap();
    let timer =
        cellwright_sta::Timer::new(&design, timed.constraints.clone(), timed.config.clone());
    assert_eq!(timer.unwrap().tns(cellwright_sta::Side::Max), found.slack.tns);
    assert_eq!(Legality::full(&design, LegalityConfig::default()).counts().movable(), 0);
}

#[test]
fn routability_is_never_worse_than_without() {
    // Two layers, and most of their tracks taken in the middle, so that wire exceeds what is left.
    let blocked = |def: &str| {
        let strips: String = (0..24)
            .map(|strip| {
                let y = 32_000 + 1_000 * strip;
                let rect = format!("RECT ( 30000 {y} ) ( 60000 {} ) ;\n", y + 920);
                format!("- LAYER metal2 {rect}- LAYER metal3 {rect}")
            })
            .collect();
        let blockages = format!("BLOCKAGES 48 ;\n{strips}END BLOCKAGES\nEND DESIGN");
        assert!(!def.contains("BLOCKAGES"));
        def.replace("END DESIGN", &blockages)
    };
    let Some(loaded) = gcd("routability", blocked) else { return };
    let mut design = Design::new(&loaded.snapshot);
    let layer = |name: &str| design.tech().layer(name);
    let (lowest, highest) = (layer("metal2"), layer("metal3"));
    assert!(lowest.is_some() && highest.is_some());
    let map = CongestionConfig { lowest, highest, ..CongestionConfig::default() };
    let routed = Routed { map, ..Routed::default() };
    let run = |threads| {
        let config = PlaceConfig { threads, ..PlaceConfig::default() };
        place_routed(&design, &config, &routed, &mut ()).unwrap()
    };
    let found = run(0);
    println!("{:?}, was {:?}, rounds {}", found.crowding, found.plain, found.rounds);
    assert!(found.has_tracks && found.plain.excess > 0 && found.rounds > 0 && found.inflated > 0);
    assert!(found.crowding.excess <= found.plain.excess);
    assert_eq!(found.driven, found.crowding.excess < found.plain.excess);
    assert_eq!(found.result.delta, run(1).result.delta);
    // What is said of the result is what the result has.
    design.apply(&found.result.delta).unwrap();
    assert_eq!(Congestion::full(&design, map).overflow_exact().0, found.crowding.excess);
    assert_eq!(Legality::full(&design, LegalityConfig::default()).counts().movable(), 0);
}
