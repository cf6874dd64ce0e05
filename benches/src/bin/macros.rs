//! Rates of exact what-if costs of macro placement: by move kind, number of threads and design, with
//! the work of one evaluation.
//!
//! `cargo run --release -p cellwright-benches --bin macros [NETLIST PLC]...` measures generated
//! cases and the ones that are named. On one thread the time is CPU time, which a loaded machine
//! stretches less; on more threads it is wall time.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cellwright_benches::process::{load, thread_seconds};
use cellwright_formats::ct::{read_netlist, read_placement};
use cellwright_formats::text::{Problems, open};
use cellwright_macros::sample::{Size, generate};
use cellwright_macros::{
    Engine, Kind, MacroError, Model, Move, Netlist, Options, Orient, Placement,
};

/// How long one rate is measured.
const SPAN: Duration = Duration::from_millis(1500);

/// A small generator of numbers; the same moves on every machine.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
    fn unit(&mut self) -> f64 {
        self.below(1 << 30) as f64 / f64::from(1u32 << 30)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let mut cases: Vec<(String, Netlist, Placement)> = Vec::new();
    for (name, size) in [
        ("small", Size::SMALL),
        ("core", Size::CORE),
        ("core-fine", Size { grid: (64, 64), ..Size::CORE }),
        ("large", Size { hard: 300, soft: 3000, ports: 1500, nets: 90_000, grid: (48, 48) }),
    ] {
        let (netlist, placement) = generate(size, 1);
        cases.push((name.to_owned(), netlist, placement));
    }
    for pair in names.chunks(2) {
        let [netlist, plc] = pair else { return Err("name a netlist and a .plc file".into()) };
        let mut problems = Problems::new();
        let read = read_netlist(&open(netlist)?, &mut problems)?;
        let placement = read_placement(&open(plc)?, &read, &mut problems)?;
        let name = Path::new(plc).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        cases.push((name, read, placement));
    }
    println!("load {}", load());
    println!(
        "{:<10} {:>6} {:>6} {:>7} {:<10} {:>7} {:>12} {:>10} {:>10}",
        "case", "bodies", "nets", "cells", "move", "threads", "per second", "µs each", "work each"
    );
    for (name, netlist, placement) in &cases {
        measure(name, netlist, placement)?;
    }
    Ok(())
}

fn measure(name: &str, netlist: &Netlist, placement: &Placement) -> Result<(), Box<dyn Error>> {
    let model = Arc::new(Model::new(netlist, &placement.settings)?);
    let engine = Engine::new(Arc::clone(&model), placement, Options::default())?;
    let of = |kind| -> Vec<usize> { netlist.of(kind).filter_map(|i| model.body(i)).collect() };
    let (hard, soft) = (of(Kind::Hard), of(Kind::Soft));
    let settings = &placement.settings;
    let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
    let to = |body: usize, x, y, orient| Move { body: body as u32, x, y, orient };
    let mut kinds: Vec<(&str, Vec<Vec<Move>>)> = Vec::new();
    for (kind, bodies) in [("soft", &soft), ("hard", &hard)] {
        if bodies.is_empty() {
            continue;
        }
        let pick = |draw: &mut Draw| bodies[draw.below(bodies.len())];
        let far = (0..4096)
            .map(|_| {
                let b = pick(&mut draw);
                let (x, y) = (draw.unit() * settings.width, draw.unit() * settings.height);
                vec![to(b, x, y, engine.at(b).2)]
            })
            .collect();
        let near = (0..4096)
            .map(|_| {
                let b = pick(&mut draw);
                let (x, y, orient) = engine.at(b);
                let step = |draw: &mut Draw, extent: f64| (draw.unit() - 0.5) * 0.1 * extent;
                let dx = step(&mut draw, settings.width);
                vec![to(b, x + dx, y + step(&mut draw, settings.height), orient)]
            })
            .collect();
        let swap = (0..4096)
            .map(|_| {
                let (a, b) = (pick(&mut draw), pick(&mut draw));
                let ((ax, ay, ao), (bx, by, bo)) = (engine.at(a), engine.at(b));
                if a == b { Vec::new() } else { vec![to(a, bx, by, ao), to(b, ax, ay, bo)] }
            })
            .collect();
        kinds.push(if kind == "soft" { ("soft far", far) } else { ("hard far", far) });
        kinds.push(if kind == "soft" { ("soft near", near) } else { ("hard near", near) });
        kinds.push(if kind == "soft" { ("soft swap", swap) } else { ("hard swap", swap) });
        if kind == "hard" {
            let flip = (0..4096)
                .map(|_| {
                    let b = pick(&mut draw);
                    let (x, y, orient) = engine.at(b);
                    let turned = if orient == Orient::N { Orient::FN } else { Orient::N };
                    vec![to(b, x, y, turned)]
                })
                .collect();
            kinds.push(("hard flip", flip));
        }
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for (kind, moves) in kinds {
        for threads in [1, cores] {
            let (rate, work) = if threads == 1 {
                let mut engine = engine.clone();
                let (before, cpu) = (engine.work(), thread_seconds());
                let (start, mut count) = (Instant::now(), 0u64);
                while start.elapsed() < SPAN {
                    for group in &moves {
                        engine.what_if(group)?;
                    }
                    count += moves.len() as u64;
                }
                let seconds = thread_seconds() - cpu;
                (count as f64 / seconds, (engine.work() - before) as f64 / count as f64)
            } else {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
                pool.install(|| -> Result<(f64, f64), MacroError> {
                    let (start, mut count) = (Instant::now(), 0u64);
                    while start.elapsed() < SPAN {
                        engine.evaluate(&moves)?;
                        count += moves.len() as u64;
                    }
                    Ok((count as f64 / start.elapsed().as_secs_f64(), f64::NAN))
                })?
            };
            println!(
                "{name:<10} {:>6} {:>6} {:>7} {kind:<10} {threads:>7} {rate:>12.0} {:>10.2} {:>10}",
                model.bodies(),
                model.nets(),
                settings.columns * settings.rows,
                1e6 / rate,
                if work.is_nan() { "-".to_owned() } else { format!("{work:.0}") },
            );
        }
    }
    Ok(())
}
