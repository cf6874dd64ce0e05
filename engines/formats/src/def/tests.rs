//! Tests of the DEF reader and writers.

use super::*;

#[test]
fn sweep() {
    let root = std::env::var("CELLWRIGHT_CORPUS").unwrap_or("../../../shared/corpus".into());
    fn walk(p: &std::path::Path, out: &mut Vec<std::path::PathBuf>) {
        for e in std::fs::read_dir(p).unwrap() {
            let e = e.unwrap().path();
            if e.is_dir() {
                walk(&e, out)
            } else if e.to_string_lossy().contains(".def") {
                out.push(e)
            }
        }
    }
    let mut files = vec![];
    walk(std::path::Path::new(&root), &mut files);
    files.sort();
    for f in files {
        let t0 = std::time::Instant::now();
        let s = crate::text::open(&f).unwrap();
        let t1 = std::time::Instant::now();
        let mut p = Problems::new();
        match parse(&s, &mut p) {
            Ok(d) => {
                let t = t1.elapsed().as_secs_f64();
                println!(
                    "OK {} comps {} nets {} pins {} rows {}  conns {} {:.1} MB open {:.2}s parse {:.3}s {:.0} MB/s",
                    f.display(),
                    d.components.len(),
                    d.nets.len(),
                    d.pins.len(),
                    d.rows.len(),
                    d.connection_count(),
                    s.bytes().len() as f64 / 1e6,
                    (t1 - t0).as_secs_f64(),
                    t,
                    s.bytes().len() as f64 / 1e6 / t
                );
                let out = write(&d, Vec::new()).unwrap();
                let s2 = Source::new("w", String::from_utf8(out).unwrap()).unwrap();
                let mut p2 = Problems::new();
                let d2 = parse(&s2, &mut p2).unwrap();
                let mut d = d.clone();
                d.header.version = Some("5.8");
                assert!(d.same_content(&d2));
            }
            Err(e) => println!("REFUSED {e}"),
        }
        for x in p.iter() {
            println!("   {x}");
        }
    }
}
