//! Real designs: placed legally, and with little wire. Figures are printed.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::{Path, PathBuf};

use cellwright_db::Design;
use cellwright_formats::bundle::Bundle;
use cellwright_formats::load::load;
use cellwright_measure::{Hpwl, HpwlConfig, Legality, LegalityConfig, Metric};
use cellwright_place::{PlaceConfig, place};

fn corpus() -> Option<PathBuf> {
    let path = match std::env::var_os("CELLWRIGHT_CORPUS") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    };
    if !path.is_dir() {
        println!("skipped: corpus not found");
        return None;
    }
    path.canonicalize().ok()
}

fn read(corpus: &Path, name: &str, lefs: &[&str], def: &str) -> Design {
    let folder =
        std::env::temp_dir().join(format!("cellwright-place-{}-{name}", std::process::id()));
    let file = folder.join("design.toml");
    let quoted = |path: &str| format!("{:?}", corpus.join(path).to_str().unwrap());
    let lefs: Vec<String> = lefs.iter().map(|lef| quoted(lef)).collect();
    let lefs = lefs.join(", ");
    let def = quoted(def);
    let text = format!("name = \"{name}\"\ntech = \"t\"\nlef = [{lefs}]\ndef = {def}\n");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&file, text).unwrap();
    let loaded = load(Bundle::read(&file).unwrap()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    Design::new(&loaded.snapshot)
}

/// Places a design; the result is legal, its length is what the measure says, and at most `most` µm.
fn check(name: &str, lefs: &[&str], def: &str, most: f64) {
    let Some(corpus) = corpus() else { return };
    let mut design = read(&corpus, name, lefs, def);
    let result = place(&design, &PlaceConfig::default(), &mut ()).unwrap();
    design.apply(&result.delta).unwrap();
    let um = |dbu: i64| design.tech().microns(dbu);
    for stage in &result.report.stages {
        println!(
            "{name} {}: {:.1} um, overflow {:.3}, {} iterations, {:.2} s, {:?}",
            stage.stage.name(),
            um(stage.hpwl),
            stage.overflow,
            stage.iterations,
            stage.wall.as_secs_f64(),
            stage.stop
        );
    }
    let judge = Legality::full(&design, LegalityConfig::default());
    let seen = judge.violations(&design, 5).unwrap();
    assert_eq!(judge.counts().movable(), 0, "{seen:?}");
    let length = Hpwl::full(&design, HpwlConfig::default()).total().length;
    assert_eq!(length, result.report.stages.last().unwrap().hpwl);
    assert!(um(length) <= most, "{name}: {} um", um(length));
}

const NANGATE: [&str; 2] = [
    "designs/tech/nangate45/NangateOpenCellLibrary.tech.lef",
    "designs/tech/nangate45/NangateOpenCellLibrary.macro.mod.lef",
];

#[test]
fn gcd() {
    check("gcd", &NANGATE, "designs/nangate45/gcd/gcd_u70.def.gz", 3350.0);
}

#[test]
fn medium01() {
    let lef = ["placement/nangate45/nangate45.lef"];
    // 0.98 of the best known for this design.
    check("medium01", &lef, "placement/nangate45/medium01.def.gz", 361_511.0);
}

#[test]
#[ignore = "a quarter of a minute; run it for figures"]
fn ispd26_aes() {
    let lef = [
        "asap7_tech_1x_201209",
        "asap7sc7p5t_28_L_1x_220121a",
        "asap7sc7p5t_28_R_1x_220121a",
        "asap7sc7p5t_28_SL_1x_220121a",
    ];
    let lef = lef.map(|name| format!("placement/ispd26_aes_asap7/lef/{name}.lef"));
    let lef: Vec<&str> = lef.iter().map(String::as_str).collect();
    // 0.98 of the best known for this design.
    check("ispd26_aes", &lef, "placement/ispd26_aes_asap7/aes_cipher_top.def.gz", 36_356.0);
}

#[test]
#[ignore = "half a minute; run it for figures"]
fn ibex() {
    check("ibex", &NANGATE, "designs/nangate45/ibex/ibex_u70.def.gz", 480_000.0);
}

#[test]
#[ignore = "half a minute; run it for figures"]
fn aes_nangate45() {
    let lef = ["placement/nangate45/nangate45.lef"];
    // 0.98 of the best known for this design.
    check("aes", &lef, "placement/nangate45/aes_cipher_top.def.gz", 370_554.0);
}
