//! Files on disk: whole or absent, the same bytes every time, and goldens that are not stale.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers may panic")]

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use cellwright_designs::goldens::goldens;
use cellwright_designs::spec::Compression;
use cellwright_designs::{Spec, digest, generate, liberty, library, write_bundle};

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cellwright-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_bundle_in_the_repository_is_what_the_generator_writes() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("bundles/tiny");
    let folder = Folder::new("tiny");
    write_bundle(&folder.0, &Spec::preset("tiny").unwrap()).unwrap();
    assert_eq!(names(&folder.0), names(&kept));
    for name in names(&kept) {
        let same = fs::read(kept.join(&name)).unwrap() == fs::read(folder.0.join(&name)).unwrap();
        assert!(
            same,
            "{name} differs; write it again with: cargo run -p cellwright-designs --example bundle -- designs/bundles/tiny tiny"
        );
    }
}

#[test]
fn the_toml_names_every_file_and_they_exist() {
    let folder = Folder::new("toml");
    let spec = Spec {
        compression: Compression::Gzip,
        corners: cellwright_designs::model::Corner::ALL.to_vec(),
        ..Spec::new("zipped", 400, 9)
    };
    let path = write_bundle(&folder.0, &spec).unwrap();
    assert_eq!(path, folder.0.join("design.toml"));
    let toml: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
    assert_eq!(toml["name"].as_str(), Some("zipped"));
    assert_eq!(toml["top"].as_str(), Some("zipped"));
    assert_eq!(toml["tech"].as_str(), Some("cw45"));
    let mut listed = vec![String::from("design.toml"), toml["def"].as_str().unwrap().to_string()];
    for key in ["lef", "verilog", "sdc"] {
        listed
            .extend(toml[key].as_array().unwrap().iter().map(|f| f.as_str().unwrap().to_string()));
    }
    for corner in toml["corner"].as_array().unwrap() {
        let files = corner["liberty"].as_array().unwrap();
        listed.extend(files.iter().map(|f| f.as_str().unwrap().to_string()));
    }
    listed.sort();
    assert_eq!(listed, names(&folder.0));
    for wire in ["signal", "clock"] {
        assert!(toml["wire"][wire]["r"].as_float().unwrap() > 0.0);
        assert!(toml["wire"][wire]["c"].as_float().unwrap() > 0.0);
    }
    let mut plain = String::new();
    let file = fs::File::open(folder.0.join("zipped.v.gz")).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut plain).unwrap();
    let mut expected = Vec::new();
    generate(&spec).unwrap().write_verilog(&mut expected).unwrap();
    assert_eq!(plain.as_bytes(), expected);
}

#[test]
fn a_failed_write_leaves_no_part_and_no_toml() {
    let folder = Folder::new("fails");
    // A folder where the DEF should go: its rename cannot succeed.
    fs::create_dir_all(folder.0.join("broken.def").join("x")).unwrap();
    let error = write_bundle(&folder.0, &Spec::new("broken", 300, 1)).unwrap_err();
    assert!(error.to_string().contains("broken.def"), "{error}");
    let left = names(&folder.0);
    assert!(!left.iter().any(|n| n.ends_with(".tmp") || n == "design.toml"), "{left:?}");
    // And a bundle may be written over an older one.
    fs::remove_dir_all(folder.0.join("broken.def")).unwrap();
    for seed in [1, 2] {
        write_bundle(&folder.0, &Spec::new("broken", 300, seed)).unwrap();
    }
}

#[test]
fn the_library_comes_alone() {
    let folder = Folder::new("library");
    let files = library::write_all(&folder.0).unwrap();
    assert_eq!(files.len(), 5);
    assert!(files.iter().all(|f| f.exists()));
}

#[test]
fn goldens_belong_to_what_the_generator_makes_now() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("goldens");
    let all = goldens();
    let mut stored: Vec<String> =
        names(&dir).into_iter().filter_map(|n| n.strip_suffix(".json").map(String::from)).collect();
    stored.sort();
    let mut expected: Vec<String> = all.iter().map(|g| g.name.to_string()).collect();
    expected.sort();
    assert_eq!(stored, expected);
    for golden in all {
        let text = fs::read_to_string(dir.join(format!("{}.json", golden.name))).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let design = generate(&golden.spec).unwrap();
        let stale = "run designs/goldens/regenerate.sh";
        let of = |kind: &str| json["digests"][kind].as_str().map(String::from);
        let corner = golden.spec.corners[0];
        assert_eq!(of("verilog"), digest(|h| design.write_verilog(h)).ok(), "{stale}");
        assert_eq!(of("sdc"), digest(|h| design.write_sdc(h)).ok(), "{stale}");
        assert_eq!(of("liberty"), digest(|h| liberty::write(h, corner)).ok(), "{stale}");
        let spef = golden.spef.then(|| digest(|h| design.write_spef(h)).unwrap());
        assert_eq!(of("spef"), spef, "{stale}");
        assert_eq!(json["cells"].as_u64(), Some(design.netlist.cell_count() as u64));
        for mode in ["setup", "hold"] {
            let endpoints = json[mode]["endpoints"].as_array().unwrap();
            assert!(!endpoints.is_empty());
            let worst = endpoints.iter().map(|e| e["slack"].as_f64().unwrap()).fold(1e9, f64::min);
            assert_eq!(json[mode]["worst_slack"].as_f64(), Some(worst));
        }
    }
}
