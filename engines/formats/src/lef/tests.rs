//! Tests of the LEF reader.

use super::*;
use crate::text::{MAX_BYTES, Severity};

fn read(text: &str) -> (Source, Problems) {
    (Source::new("t.lef", text).unwrap(), Problems::new())
}

#[test]
fn sweep() {
    let root = std::env::var("CELLWRIGHT_CORPUS").unwrap_or("../../../shared/corpus".into());
    fn walk(p: &std::path::Path, out: &mut Vec<std::path::PathBuf>) {
        for e in std::fs::read_dir(p).unwrap() {
            let e = e.unwrap().path();
            if e.is_dir() {
                walk(&e, out)
            } else if e.to_string_lossy().contains(".lef") {
                out.push(e)
            }
        }
    }
    let mut files = vec![];
    walk(std::path::Path::new(&root), &mut files);
    files.sort();
    for f in files {
        let s = crate::text::open(&f).unwrap();
        let mut p = Problems::new();
        match parse(&s, &mut p) {
            Ok(l) => println!(
                "OK {} layers {} macros {} sites {} vias {}",
                f.display(),
                l.layers.len(),
                l.macros.len(),
                l.sites.len(),
                l.vias.len()
            ),
            Err(e) => println!("REFUSED {e}"),
        }
        for x in p.iter() {
            println!("   {x}");
        }
    }
    let _ = (MAX_BYTES, Severity::Info, read(""));
}
