//! The timer on real designs: a long random walk of moves, resizes, buffers and rewirings, with
//! queries and undos in between, must leave the bits that a fresh analysis gives.
//!
//! Sizes and lengths are small by default; `CELLWRIGHT_ALL=1` takes the large ones.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cellwright_db::timing::Edge;
use cellwright_db::{CellId, Design, NetId, Orient, PinId, Place};
use cellwright_formats::bundle::{Bundle, CornerFiles};
use cellwright_formats::load::{constraints, load};
use cellwright_sta::constraints::Constraints;
use cellwright_sta::parasitics::{Parasitics, Topology, WireRc};
use cellwright_sta::{Calculator, Config, Side, Timer};

const SIDES: [Side; 2] = [Side::Max, Side::Min];

fn design(name: &str) -> Option<(Design, Arc<Constraints>)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("CELLWRIGHT_CORPUS").map_or(here, PathBuf::from);
    let folder = corpus.join("designs");
    if !folder.is_dir() {
        println!("skipped: corpus not found at {}", corpus.display());
        return None;
    }
    let tech = "tech/nangate45";
    let path = |end: &str| PathBuf::from(format!("nangate45/{name}/{name}{end}"));
    let verilog = folder.join(path(".v.gz"));
    let text = cellwright_formats::text::open(&verilog).unwrap().text().to_owned();
    let top = text.lines().find_map(|line| line.trim_start().strip_prefix("module "));
    let top = top.unwrap().split(['(', ' ', ';']).next().unwrap().to_owned();
    let loaded = load(Bundle {
        name: name.into(),
        tech: "nangate45".into(),
        top: Some(top),
        lef: ["tech", "macro.mod"]
            .map(|file| PathBuf::from(format!("{tech}/NangateOpenCellLibrary.{file}.lef")))
            .into(),
        verilog: vec![path(".v.gz")],
        def: Some(path("_u70.def.gz")),
        sdc: vec![path(".sdc")],
        corner: vec![CornerFiles {
            name: "typ".into(),
            liberty: vec![format!("{tech}/nangate45_typ.lib.gz").into()],
            ..CornerFiles::default()
        }],
        wire: None,
        file: folder.join("README.md"),
        folder,
    })
    .unwrap();
    let design = Design::new(&loaded.snapshot);
    let constraints = Arc::new(constraints(&loaded, &design).unwrap());
    Some((design, constraints))
}

fn config(calculator: Calculator) -> Config {
    let wire = WireRc { signal: (3.574e-3, 7.52e-5), clock: (3.574e-3, 7.52e-5) };
    let parasitics = Parasitics::Placement { wire, topology: Topology::Steiner };
    Config { corners: vec![(0, parasitics)], calculator }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
    fn of<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        (!list.is_empty()).then(|| list[self.below(list.len())])
    }
}

/// A random change; what the design refuses leaves it as it was.
fn change(design: &mut Design, random: &mut Random) {
    let (cells, nets) = (design.cell_slots(), design.net_slots());
    let Some(cell) =
        (0..64).map(|_| CellId::new(random.below(cells))).find(|c| design.has_cell(*c))
    else {
        return;
    };
    let Some(net) = (0..64).map(|_| NetId::new(random.below(nets))).find(|n| design.has_net(*n))
    else {
        return;
    };
    let die = design.floorplan().rows.first().map_or((0, 0), |row| (row.origin.x, row.origin.y));
    let place = Place::placed(
        die.0 + random.below(200_000) as i32,
        die.1 + random.below(200_000) as i32,
        Orient::N,
    );
    let mark = design.mark();
    let done = match random.below(16) {
        0..=4 => design.move_cell(cell, place).is_ok(),
        5..=11 => {
            let sizes = design.library().alternatives(design.master_id(cell)).to_vec();
            random.of(&sizes).is_some_and(|size| design.resize_cell(cell, size).is_ok())
        }
        12 | 13 => {
            let loads = |pin: &PinId| design.pin_direction(*pin).loads();
            let pins: Vec<PinId> = design.net_pins(net).iter().copied().filter(loads).collect();
            let buffers = design.library().buffers().to_vec();
            let count = random.below(pins.len() + 1);
            random.of(&buffers).is_some_and(|buffer| {
                design.insert_buffer(net, &pins[..count], buffer, None, place).is_ok()
            })
        }
        14 => design.remove_buffer(cell).is_ok(),
        _ => {
            let loads = |pin: &PinId| design.pin_direction(*pin).loads();
            let pins: Vec<PinId> = design.cell_pins(cell).filter(loads).collect();
            random.of(&pins).is_some_and(|pin| design.connect(pin, net).is_ok())
        }
    };
    if !done {
        design.undo_to(mark);
    }
}

/// Every figure of a timer as bits, slacks of pins included.
fn picture(timer: &mut Timer, design: &Design) -> Vec<u64> {
    let bits = |value: Option<f32>| value.map_or(u64::MAX, |value| u64::from(value.to_bits()));
    let mut out = Vec::new();
    for side in SIDES {
        out.extend([bits(timer.worst_slack(side)), timer.tns(side).to_bits()]);
    }
    timer.settle(design).unwrap();
    let slacks = timer.settled().unwrap();
    for pin in (0..design.pin_slots()).map(PinId::new) {
        for side in SIDES {
            out.push(bits(timer.end_slack(pin, side)));
            for edge in Edge::BOTH {
                out.push(bits(timer.arrival(pin, side, edge)));
                out.push(bits(Some(timer.slew(pin, side, edge))));
                out.push(bits(slacks.slack_of(pin, side, edge)));
            }
        }
    }
    out
}

fn walk(name: &str, calculator: Calculator, steps: usize, checks: usize) {
    let Some((mut design, constraints)) = design(name) else { return };
    let mut random = Random(name.len() as u64 * 7919 + calculator as u64);
    for cell in design.cells().collect::<Vec<_>>() {
        let at =
            Place::placed(random.below(200_000) as i32, random.below(200_000) as i32, Orient::N);
        design.move_cell(cell, at).unwrap();
    }
    let mut timer = Timer::new(&design, constraints.clone(), config(calculator)).unwrap();
    let (mut marks, mut rebuilt, mut undone, mut compared) = (Vec::new(), 0, 0, 0);
    for step in 0..steps {
        let mark = design.mark();
        for _ in 0..1 + random.below(3) {
            change(&mut design, &mut random);
        }
        rebuilt += u32::from(timer.update(&design, &design.dirty_since(mark)).unwrap().full);
        marks.push(mark);
        // Queries in between leave slacks settled, half settled and unsettled.
        if random.below(4) == 0 {
            timer.slacks(&design).unwrap();
        }
        match random.below(5) {
            0 | 1 => {
                let count = 1 + random.below(marks.len().min(3));
                for mark in marks.drain(marks.len() - count..).rev() {
                    assert!(timer.undo());
                    design.undo_to(mark);
                    undone += 1;
                }
            }
            2 if random.below(4) == 0 => {
                timer.keep();
                marks.clear();
            }
            _ => {}
        }
        if step % (steps / checks).max(1) == 0 || step + 1 == steps {
            let mut fresh = Timer::new(&design, constraints.clone(), config(calculator)).unwrap();
            let (ours, theirs) = (picture(&mut timer, &design), picture(&mut fresh, &design));
            let differs = ours.iter().zip(&theirs).position(|(a, b)| a != b);
            assert!(ours == theirs, "{name} {calculator:?} step {step}: figure {differs:?}");
            compared += 1;
        }
    }
    println!(
        "{name} {calculator:?}: {steps} steps, {undone} undone, {rebuilt} rebuilt, {compared} compared"
    );
    assert!(rebuilt as usize * 2 < steps, "{rebuilt} of {steps} steps were rebuilds");
}

#[test]
fn a_long_walk_stays_exact() {
    let all = std::env::var_os("CELLWRIGHT_ALL").is_some();
    for calculator in [Calculator::LumpedElmore, Calculator::DmpCeffElmore, Calculator::Lumped] {
        walk("gcd", calculator, if all { 4000 } else { 150 }, if all { 400 } else { 30 });
        if all {
            walk("ibex", calculator, 600, 30);
        }
    }
}
