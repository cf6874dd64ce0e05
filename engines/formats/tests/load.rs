//! Whole designs, from their files to a snapshot, on the real corpus.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::time::Instant;

use cellwright_db::Design;
use cellwright_formats::bundle::{Bundle, CornerFiles};
use cellwright_formats::load::load;
use cellwright_formats::text::Severity;

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

fn bundle(name: &str, tech: &str, lef: &[&str], lib: &[&str], verilog: &str, def: &str) -> Bundle {
    let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
    Bundle {
        name: name.into(),
        tech: tech.into(),
        top: None,
        lef: paths(lef),
        verilog: if verilog.is_empty() { Vec::new() } else { vec![verilog.into()] },
        def: (!def.is_empty()).then(|| def.into()),
        sdc: Vec::new(),
        corner: vec![CornerFiles {
            name: "typ".into(),
            liberty: paths(lib),
            ..CornerFiles::default()
        }],
        wire: None,
        folder: corpus().unwrap().join("designs"),
        file: corpus().unwrap().join("designs/README.md"),
    }
}

/// (design, folder, top, cells as `designs/README.md` counts them).
const CASES: &[(&str, &str, &str, &str, usize)] = &[
    ("nangate45", "gcd", "gcd", "gcd_u60.def.gz", 501),
    ("nangate45", "aes", "aes_cipher_top", "aes_u60.def.gz", 16758),
    ("nangate45", "ibex", "ibex_core", "ibex_u60.def.gz", 29301),
    ("nangate45", "own_systolic2", "own_systolic", "own_systolic2_u70.def.gz", 3241),
    ("sky130hd", "gcd", "gcd", "gcd_u60.def.gz", 1292),
    ("sky130hd", "ibex", "ibex_core", "ibex_u60.def.gz", 15695),
    ("asap7", "aes_or", "aes_cipher_top", "aes_or_u60.def.gz", 15621),
    ("osu018", "map9v3", "map9v3", "map9v3_u70.def.gz", 199),
];

fn tech_files(tech: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    match tech {
        "nangate45" => (
            vec![
                "tech/nangate45/NangateOpenCellLibrary.tech.lef",
                "tech/nangate45/NangateOpenCellLibrary.macro.mod.lef",
            ],
            vec!["tech/nangate45/nangate45_typ.lib.gz"],
        ),
        "sky130hd" => (
            vec![
                "tech/sky130hd/sky130_fd_sc_hd.tlef",
                "tech/sky130hd/sky130_fd_sc_hd_merged.lef.gz",
            ],
            vec!["tech/sky130hd/sky130hd_tt.lib.gz"],
        ),
        "asap7" => (
            vec![
                "tech/asap7/asap7_tech_1x_201209.lef",
                "tech/asap7/asap7sc7p5t_28_R_1x_220121a.lef",
            ],
            vec![
                "tech/asap7/asap7_rvt_tt_SIMPLE.lib.gz",
                "tech/asap7/asap7_rvt_tt_INVBUF.lib.gz",
                "tech/asap7/asap7_rvt_tt_SEQ.lib.gz",
                "tech/asap7/asap7_rvt_tt_AO.lib.xz",
                "tech/asap7/asap7_rvt_tt_OA.lib.xz",
            ],
        ),
        _ => (vec!["tech/osu018/osu018_stdcells.lef"], vec!["tech/osu018/osu018_stdcells.lib"]),
    }
}

#[test]
fn designs_of_four_technologies_load_whole() {
    if corpus().is_none() {
        return;
    }
    for (tech, folder, top, def, cells) in CASES {
        let (lef, lib) = tech_files(tech);
        let verilog = format!("{tech}/{folder}/{folder}.v.gz");
        let def = format!("{tech}/{folder}/{def}");
        let mut bundle = bundle(folder, tech, &lef, &lib, &verilog, &def);
        bundle.top = Some((*top).into());
        let start = Instant::now();
        let loaded = load(bundle).unwrap_or_else(|error| panic!("{tech}/{folder}: {error}"));
        let read = start.elapsed();
        let design = Design::new(&loaded.snapshot);
        println!(
            "{tech}/{folder}: {} cells, {} nets, {} pins, {} rows, read in {read:?}, root {}",
            design.cells().count(),
            design.nets().count(),
            design.pin_slots(),
            design.floorplan().rows.len(),
            loaded.snapshot.root(),
        );
        for problem in loaded.problems.iter() {
            println!("    {problem}");
        }
        assert_eq!(design.cells().count(), *cells, "{tech}/{folder}");
        assert_eq!(loaded.problems.total(Severity::Error), 0, "{tech}/{folder}");
        assert!(design.cells().all(|cell| design.master(cell).has_geometry));
        assert!(!design.floorplan().rows.is_empty());
        assert!(design.ports().iter().all(|(_, port)| port.location.is_some()));
    }
}
