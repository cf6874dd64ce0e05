//! Real placements: what correct tools put down is legal here, and wirelengths are theirs.

// Helpers of tests may fail as tests do.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::{Path, PathBuf};

use cellwright_db::{CellId, Design, Orient, Place, PlaceStatus};
use cellwright_formats::bundle::Bundle;
use cellwright_formats::load::load;
use cellwright_measure::{
    Hpwl, HpwlConfig, Legality, LegalityConfig, Measures, MeasuresConfig, Metric, Rule,
};

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

/// The design of a DEF with its LEFs, paths relative to the corpus.
fn read(corpus: &Path, name: &str, lefs: &[&str], def: &str) -> Design {
    // Tests run side by side, each in its own folder.
    let thread = format!("{:?}", std::thread::current().id());
    let number: String = thread.chars().filter(char::is_ascii_digit).collect();
    let folder = format!("cellwright-measure-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    let file = folder.join("design.toml");
    let quoted = |path: &str| format!("{:?}", corpus.join(path).to_str().unwrap());
    let lefs: Vec<String> = lefs.iter().map(|lef| quoted(lef)).collect();
    let text = format!(
        "name = \"{name}\"\ntech = \"t\"\nlef = [{}]\ndef = {}\n",
        lefs.join(", "),
        quoted(def)
    );
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&file, text).unwrap();
    let loaded = load(Bundle::read(&file).unwrap()).unwrap();
    std::fs::remove_file(&file).unwrap();
    std::fs::remove_dir(&folder).unwrap();
    Design::new(&loaded.snapshot)
}

const ASAP7: [&str; 4] = [
    "placement/ispd26_aes_asap7/lef/asap7_tech_1x_201209.lef",
    "placement/ispd26_aes_asap7/lef/asap7sc7p5t_28_L_1x_220121a.lef",
    "placement/ispd26_aes_asap7/lef/asap7sc7p5t_28_R_1x_220121a.lef",
    "placement/ispd26_aes_asap7/lef/asap7sc7p5t_28_SL_1x_220121a.lef",
];

const NANGATE: [&str; 1] = ["placement/nangate45/nangate45.lef"];

/// Nangate45 with what the legaliser's own tests add to it.
const NANGATE_EXTRA: [&str; 5] = [
    "designs/tech/nangate45/NangateOpenCellLibrary.tech.lef",
    "designs/tech/nangate45/NangateOpenCellLibrary.macro.mod.lef",
    "odd/lef/or_dpl_extra.lef",
    "odd/lef/or_dpl_mirror_edge_spacing.lef",
    "odd/def/or_dpl_multi_height_power_align.lef",
];

fn microns(design: &Design) -> f64 {
    design.tech().microns(Hpwl::full(design, HpwlConfig::default()).total().length)
}

/// Rules broken, each with its count.
fn broken(design: &Design) -> Vec<(Rule, i64)> {
    let legality = Legality::full(design, LegalityConfig::default());
    let count = |rule: Rule| (rule, legality.counts().of_rule(rule));
    Rule::ALL.into_iter().map(count).filter(|(_, count)| *count > 0).collect()
}

#[test]
fn wirelengths_are_those_of_others() {
    let Some(corpus) = corpus() else { return };
    // Two commercial placements and, for the third, the figure in OpenROAD's log of the placement
    // that its DEF holds (it averages a pin's shapes where we take the middle of their box).
    let cases: [(&str, &[&str], &str, f64, f64); 3] = [
        ("aes", &ASAP7, "placement/ispd26_aes_asap7/aes_cipher_top.def.gz", 42_307.0, 1.0),
        ("aes_v2", &ASAP7, "placement/ispd26_aes_asap7/aes_cipher_top_v2.def.gz", 45_346.0, 1.0),
        ("aes_gp", &NANGATE, "placement/nangate45/aes_cipher_top_replace.def.gz", 363_775.0, 20.0),
    ];
    for (name, lefs, def, figure, tolerance) in cases {
        let ours = microns(&read(&corpus, name, lefs, def));
        assert!((ours - figure).abs() < tolerance, "{name}: {ours} um, theirs {figure} um");
    }
}

#[test]
fn what_correct_tools_put_down_is_legal() {
    let Some(corpus) = corpus() else { return };
    for (name, lefs, def, least) in [
        ("aes", ASAP7.as_slice(), "placement/ispd26_aes_asap7/aes_cipher_top.def.gz", 14_000),
        ("aes_v2", &ASAP7, "placement/ispd26_aes_asap7/aes_cipher_top_v2.def.gz", 14_000),
        // OpenROAD's legaliser: three sites, cells of one to three rows, edge spacing.
        ("edge", &NANGATE_EXTRA, "odd/def/or_dpl_edge_spacing-opt.ok.def", 20),
    ] {
        let design = read(&corpus, name, lefs, def);
        assert!(design.cells().count() >= least, "{name}");
        assert_eq!(broken(&design), [], "{name}");
    }
}

#[test]
fn what_legalisers_have_to_mend_is_not() {
    let Some(corpus) = corpus() else { return };
    // A cell of two rows with its rails on the wrong row; one row up they meet.
    let power = "odd/def/or_dpl_multi_height_power_align.def";
    let mut design = read(&corpus, "power", &NANGATE_EXTRA, power);
    assert_eq!(broken(&design), [(Rule::Rail, 1)]);
    let cell = design.find_cell("dbl").unwrap();
    let place = design.place(cell);
    design.move_cell(cell, Place { y: place.y + 2800, ..place }).unwrap();
    assert_eq!(broken(&design), []);
    // A placement right out of global placement.
    let global = "placement/nangate45/aes_cipher_top_replace.def.gz";
    let rules = broken(&read(&corpus, "aes_gp", &NANGATE, global));
    assert_eq!(
        rules.iter().map(|(rule, _)| *rule).collect::<Vec<_>>(),
        [Rule::OffRow, Rule::OffSite, Rule::Overlap]
    );
    assert!(rules[0].1 + rules[1].1 >= 18_883, "{rules:?}");
    // Cells outside their fence and inside another's.
    let fences = broken(&read(&corpus, "fence", &NANGATE_EXTRA, "odd/def/or_dpl_fence01.def"));
    assert!(fences.contains(&(Rule::FenceMember, 4)), "{fences:?}");
    assert!(fences.contains(&(Rule::FenceStranger, 4)), "{fences:?}");
}

/// Every small fault in a real legal placement is seen, and undone without a trace.
#[test]
fn no_mutant_of_a_real_placement_survives() {
    let Some(corpus) = corpus() else { return };
    let def = "placement/ispd26_aes_asap7/aes_cipher_top.def.gz";
    let mut design = read(&corpus, "aes", &ASAP7, def);
    let mut measures = Measures::full(&design, MeasuresConfig::default());
    let before = measures.clone();
    let die = design.floorplan().die;
    let movable = |cell: &CellId| !design.place(*cell).is_fixed();
    let cells: Vec<CellId> = design.cells().filter(movable).step_by(29).collect();
    assert!(cells.len() > 400);
    for &cell in &cells {
        let place = design.place(cell);
        let turned = match place.orient {
            Orient::N => Orient::FS,
            Orient::FN => Orient::S,
            Orient::FS => Orient::N,
            _ => Orient::FN,
        };
        let other = cells[0].max(CellId(cell.0 ^ 1));
        let over = design.place(if other == cell { cells[1] } else { other });
        let mutants = [
            Place { x: place.x + 1, ..place },
            Place { x: place.x - 1, ..place },
            Place { x: place.x + 27, ..place },
            Place { y: place.y + 1, ..place },
            Place { orient: turned, ..place },
            Place { orient: Orient::E, ..place },
            Place { x: die.hi.x, ..place },
            Place { y: die.lo.y - 270, ..place },
            Place { x: over.x, y: over.y, ..place },
            Place { status: PlaceStatus::Unplaced, ..place },
        ];
        for (number, mutant) in mutants.into_iter().enumerate() {
            let mark = design.mark();
            design.move_cell(cell, mutant).unwrap();
            measures.update(&design, &design.dirty_since(mark)).unwrap();
            assert!(!measures.legality().is_legal(), "{}: {number}", design.cell_name(cell));
            measures.undo();
            design.undo_to(mark);
        }
    }
    assert!(measures == before);
}
