//! The engine against a naive reading of the evaluator's rules: lists of floats, one grid cell after
//! the other, no increments. Cases are generated; positions lie on grid lines, at and beyond the
//! boundary, on top of each other.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::sync::Arc;

use cellwright_macros::sample::{Size, generate};
use cellwright_macros::{
    Boundary, Engine, Kind, Model, Move, Netlist, Options, Orient, Placement, Precision,
};
use proptest::prelude::*;

struct Oracle<'a> {
    netlist: &'a Netlist,
    placement: &'a Placement,
    boundary: Boundary,
    columns: i64,
    rows: i64,
    cell: (f64, f64),
}

/// Adds to a list as Python does: negative indices count from the end.
fn add(list: &mut [f64], index: i64, value: f64) -> Option<()> {
    let len = list.len() as i64;
    let at = if index < 0 { index + len } else { index };
    *list.get_mut(usize::try_from(at).ok()?)? += value;
    Some(())
}

fn top(mut values: Vec<f64>, count: usize) -> f64 {
    values.sort_by(|a, b| b.total_cmp(a));
    values.iter().take(count).sum::<f64>() / count as f64
}

impl Oracle<'_> {
    fn position(&self, item: u32) -> (f64, f64) {
        let this = &self.netlist.items[item as usize];
        let spot = self.placement.spots[this.owner as usize].unwrap();
        if this.kind == Kind::HardPin {
            let (dx, dy) = spot.orient.unwrap_or_default().turn(this.offset.0, this.offset.1);
            (spot.x + dx, spot.y + dy)
        } else {
            (spot.x, spot.y)
        }
    }

    /// Row and column.
    fn locate(&self, (x, y): (f64, f64)) -> (i64, i64) {
        let at = ((y / self.cell.1).floor() as i64, (x / self.cell.0).floor() as i64);
        match self.boundary {
            Boundary::Clamped => (at.0.clamp(0, self.rows - 1), at.1.clamp(0, self.columns - 1)),
            Boundary::Published => at,
        }
    }

    fn nets(&self) -> impl Iterator<Item = (u32, f64, &[u32])> {
        self.netlist
            .items
            .iter()
            .enumerate()
            .filter(|(_, item)| !item.sinks.is_empty())
            .map(|(i, item)| (i as u32, item.net_weight(), &item.sinks[..]))
    }

    fn wirelength(&self) -> f64 {
        let mut total = 0.0;
        for (driver, weight, sinks) in self.nets() {
            let mut at = vec![self.position(driver)];
            at.extend(sinks.iter().map(|s| self.position(*s)));
            let span = |f: fn(&(f64, f64)) -> f64| {
                let values = at.iter().map(f);
                values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
            };
            total += weight * (span(|p| p.0) + span(|p| p.1));
        }
        total
    }

    fn window(&self, rect: [f64; 4]) -> Vec<(i64, i64)> {
        let (top, right) = self.locate((rect[2], rect[3]));
        let (bottom, left) = self.locate((rect[0], rect[1]));
        if top < 0 || right < 0 {
            return Vec::new();
        }
        let (top, right) = (top.min(self.rows - 1), right.min(self.columns - 1));
        (bottom.max(0)..=top).flat_map(|r| (left.max(0)..=right).map(move |c| (r, c))).collect()
    }

    fn meet(&self, rect: [f64; 4], row: i64, column: i64) -> (f64, f64) {
        let x = rect[2].min((column + 1) as f64 * self.cell.0)
            - rect[0].max(column as f64 * self.cell.0);
        let y = rect[3].min((row + 1) as f64 * self.cell.1) - rect[1].max(row as f64 * self.cell.1);
        (x, y)
    }

    fn bodies(&self, hard_only: bool) -> Vec<[f64; 4]> {
        let wanted = |kind| kind == Kind::Hard || (!hard_only && kind == Kind::Soft);
        let items = self.netlist.items.iter().zip(&self.placement.spots);
        items
            .filter(|(item, _)| wanted(item.kind))
            .map(|(item, spot)| {
                let (x, y) = (spot.unwrap().x, spot.unwrap().y);
                let (w, h) = (item.width / 2.0, item.height / 2.0);
                [x - w, y - h, x + w, y + h]
            })
            .collect()
    }

    fn density(&self) -> f64 {
        let cells = (self.rows * self.columns) as usize;
        let mut list = vec![0.0; cells];
        for rect in self.bodies(false) {
            for (r, c) in self.window(rect) {
                let (x, y) = self.meet(rect, r, c);
                if x >= 0.0 && y >= 0.0 {
                    add(&mut list, r * self.columns + c, x * y).unwrap();
                }
            }
        }
        let list: Vec<f64> = list.iter().map(|a| a / (self.cell.0 * self.cell.1)).collect();
        if cells < 10 {
            let some: Vec<f64> = list.into_iter().filter(|v| *v != 0.0).collect();
            return if some.is_empty() { 0.0 } else { 0.5 * top(some.clone(), some.len()) };
        }
        0.5 * top(list, (cells as f64 * 0.1).floor() as usize)
    }

    fn two(
        &self,
        v: &mut [f64],
        h: &mut [f64],
        source: (i64, i64),
        sink: (i64, i64),
        w: f64,
    ) -> Option<()> {
        for c in source.1.min(sink.1)..source.1.max(sink.1) {
            add(h, source.0 * self.columns + c, w)?;
        }
        for r in source.0.min(sink.0)..source.0.max(sink.0) {
            add(v, r * self.columns + sink.1, w)?;
        }
        Some(())
    }

    fn three(
        &self,
        v: &mut [f64],
        h: &mut [f64],
        mut cells: Vec<(i64, i64)>,
        w: f64,
    ) -> Option<()> {
        cells.sort_by_key(|c| (c.1, c.0));
        let [(y1, x1), (y2, x2), (y3, x3)] = [cells[0], cells[1], cells[2]];
        let mut hs = Vec::new();
        let mut vs = Vec::new();
        if x1 < x2 && x2 < x3 && y1.min(y3) < y2 && y1.max(y3) > y2 {
            hs.extend([(y1, x1..x2), (y2, x2..x3)]);
            vs.extend([(x2, y1.min(y2)..y1.max(y2)), (x3, y2.min(y3)..y2.max(y3))]);
        } else if x2 == x3 && x1 < x2 && y1 < y2.min(y3) {
            hs.push((y1, x1..x2));
            vs.push((x2, y1..y2.max(y3)));
        } else if y2 == y3 {
            hs.extend([(y1, x1..x2), (y2, x2..x3)]);
            vs.push((x2, y2.min(y1)..y2.max(y1)));
        } else {
            cells.sort();
            let [(y1, x1), (y2, x2), (y3, x3)] = [cells[0], cells[1], cells[2]];
            hs.push((y2, x1.min(x2).min(x3)..x1.max(x2).max(x3)));
            vs.extend([(x1, y1.min(y2)..y1.max(y2)), (x3, y2.min(y3)..y2.max(y3))]);
        }
        for (row, range) in hs {
            for c in range {
                add(h, row * self.columns + c, w)?;
            }
        }
        for (column, range) in vs {
            for r in range {
                add(v, r * self.columns + column, w)?;
            }
        }
        Some(())
    }

    /// `None` where the published evaluator fails with an index error.
    fn congestion(&self) -> Option<f64> {
        let cells = (self.rows * self.columns) as usize;
        let settings = &self.placement.settings;
        let (mut v, mut h) = (vec![0.0; cells], vec![0.0; cells]);
        for (driver, weight, sinks) in self.nets() {
            let source = self.locate(self.position(driver));
            let mut set = BTreeSet::from([source]);
            set.extend(sinks.iter().map(|s| self.locate(self.position(*s))));
            let w = if weight > 1.0 { weight } else { 1.0 };
            if set.len() == 3 {
                self.three(&mut v, &mut h, set.into_iter().collect(), w)?;
            } else {
                for sink in set {
                    self.two(&mut v, &mut h, source, sink, w)?;
                }
            }
        }
        let (mut mv, mut mh) = (vec![0.0; cells], vec![0.0; cells]);
        for rect in self.bodies(true) {
            let window = self.window(rect);
            let Some((&(bottom, left), &(top, right))) = window.first().zip(window.last()) else {
                continue;
            };
            let dist = |r, c| match self.meet(rect, r, c) {
                (x, y) if x > 0.0 && y > 0.0 => (x, y),
                _ => (0.0, 0.0),
            };
            let (mut part_v, mut part_h) = (false, false);
            for &(r, c) in &window {
                let (x, y) = dist(r, c);
                if top != bottom && (r == bottom || r == top) {
                    part_v |= (y - self.cell.1).abs() > 1e-5;
                }
                if right != left && (c == left || c == right) {
                    part_h |= (x - self.cell.0).abs() > 1e-5;
                }
                add(&mut mv, r * self.columns + c, x * settings.macro_routes_v).unwrap();
                add(&mut mh, r * self.columns + c, y * settings.macro_routes_h).unwrap();
            }
            for &(r, c) in &window {
                let (x, y) = dist(r, c);
                if part_v && r == top {
                    add(&mut mv, r * self.columns + c, -x * settings.macro_routes_v).unwrap();
                }
                if part_h && c == right {
                    add(&mut mh, r * self.columns + c, -y * settings.macro_routes_h).unwrap();
                }
            }
        }
        let (tracks_v, tracks_h) =
            (self.cell.0 * settings.routes_v, self.cell.1 * settings.routes_h);
        let range = i64::from(settings.smooth_range);
        let mut out = Vec::new();
        for (list, taken, tracks, vertical) in [(v, mv, tracks_v, true), (h, mh, tracks_h, false)] {
            let mut smooth = vec![0.0; cells];
            for r in 0..self.rows {
                for c in 0..self.columns {
                    let (at, len) = if vertical { (c, self.columns) } else { (r, self.rows) };
                    let (low, high) = ((at - range).max(0), (at + range).min(len - 1));
                    let value = list[(r * self.columns + c) as usize] / tracks;
                    for to in low..=high {
                        let index =
                            if vertical { r * self.columns + to } else { to * self.columns + c };
                        add(&mut smooth, index, value / (high - low + 1) as f64).unwrap();
                    }
                }
            }
            out.extend(smooth.iter().zip(&taken).map(|(s, t)| s + t / tracks));
        }
        let count = (out.len() as f64 * 0.05).floor() as usize;
        Some(top(out, count.max(1)))
    }
}

fn oracle(netlist: &Netlist, placement: &Placement, boundary: Boundary) -> (f64, f64, Option<f64>) {
    let s = &placement.settings;
    let oracle = Oracle {
        netlist,
        placement,
        boundary,
        columns: i64::from(s.columns),
        rows: i64::from(s.rows),
        cell: (s.width / f64::from(s.columns), s.height / f64::from(s.rows)),
    };
    let wirelength = oracle.wirelength() / ((s.width + s.height) * netlist.net_count());
    (wirelength, oracle.density(), oracle.congestion())
}

/// A coordinate along an axis of `cells` cells of `pitch`: anywhere, on a grid line, at or beyond
/// the boundary.
fn coordinate(pitch: f64, cells: u32) -> impl Strategy<Value = f64> {
    let extent = pitch * f64::from(cells);
    prop_oneof![
        4 => 0.0..extent,
        3 => (0..=cells).prop_map(move |n| f64::from(n) * pitch),
        1 => Just(0.0),
        1 => Just(extent),
        2 => -0.6 * extent..1.6 * extent,
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Place(usize, f64, f64),
    Onto(usize, usize),
    Swap(usize, usize),
    Turn(usize, Orient),
}

fn step(settings: &cellwright_macros::Settings) -> impl Strategy<Value = Step> + use<> {
    let pitch = settings.width / f64::from(settings.columns);
    let x = coordinate(pitch, settings.columns);
    let y = coordinate(settings.height / f64::from(settings.rows), settings.rows);
    let any = 0usize..1000;
    prop_oneof![
        3 => (any.clone(), x, y).prop_map(|(b, x, y)| Step::Place(b, x, y)),
        1 => (any.clone(), any.clone()).prop_map(|(a, b)| Step::Onto(a, b)),
        2 => (any.clone(), any.clone()).prop_map(|(a, b)| Step::Swap(a, b)),
        2 => (any, proptest::sample::select(Orient::ALL.to_vec()))
            .prop_map(|(b, o)| Step::Turn(b, o)),
    ]
}

fn moves(engine: &Engine, netlist: &Netlist, step: &Step) -> Vec<Move> {
    let macros: Vec<u32> = (0..netlist.items.len() as u32)
        .filter(|i| matches!(netlist.items[*i as usize].kind, Kind::Hard | Kind::Soft))
        .collect();
    let body = |n: usize| engine.model().body(macros[n % macros.len()]).unwrap();
    let to = |body: usize, x, y, orient| Move { body: body as u32, x, y, orient };
    match *step {
        Step::Place(b, x, y) => vec![to(body(b), x, y, engine.at(body(b)).2)],
        Step::Onto(a, b) => {
            let (x, y, _) = engine.at(body(b));
            vec![to(body(a), x, y, engine.at(body(a)).2)]
        }
        Step::Swap(a, b) => {
            let (a, b) = (body(a), body(b));
            let ((ax, ay, ao), (bx, by, bo)) = (engine.at(a), engine.at(b));
            if a == b { Vec::new() } else { vec![to(a, bx, by, ao), to(b, ax, ay, bo)] }
        }
        Step::Turn(b, orient) => {
            let (x, y, _) = engine.at(body(b));
            vec![to(body(b), x, y, orient)]
        }
    }
}

fn sequence() -> impl Strategy<Value = (u64, u32, Vec<(Step, u8)>)> {
    (0u64..1000, 0u32..4).prop_flat_map(|(seed, range)| {
        let (_, placement) = generate(Size::SMALL, seed);
        let steps = proptest::collection::vec((step(&placement.settings), 0u8..3), 1..25);
        (Just(seed), Just(range), steps)
    })
}

fn check(
    boundary: Boundary,
    precision: Precision,
    (seed, range, steps): (u64, u32, Vec<(Step, u8)>),
) -> Result<(), TestCaseError> {
    let (netlist, mut placement) = generate(Size::SMALL, seed);
    placement.settings.smooth_range = range;
    let model = Arc::new(Model::new(&netlist, &placement.settings).unwrap());
    let options = Options { boundary, precision, ..Options::default() };
    let mut engine = Engine::new(Arc::clone(&model), &placement, options).unwrap();
    for (step, what) in &steps {
        let moves = moves(&engine, &netlist, step);
        let (state, cost) = (engine.state(), engine.cost());
        // What-if, apply and undo, or apply and keep.
        let same = |a: cellwright_macros::Cost, b: cellwright_macros::Cost| {
            a.proxy.to_bits() == b.proxy.to_bits() || (a.proxy.is_nan() && b.proxy.is_nan())
        };
        let guess = engine.what_if(&moves).unwrap();
        prop_assert!(engine.state() == state && same(engine.cost(), cost));
        engine.apply(&moves).unwrap();
        prop_assert!(same(engine.cost(), guess));
        if *what == 0 {
            engine.undo();
            prop_assert!(engine.state() == state && same(engine.cost(), cost));
        } else {
            engine.keep();
        }
        // Full recomputation leaves the same bits.
        let now = engine.placement(&placement);
        let mut full = Engine::new(Arc::clone(&model), &now, options).unwrap();
        prop_assert!(full.state() == engine.state());
        prop_assert!(same(full.cost(), engine.cost()));
        // And the naive reading the same numbers.
        let (wirelength, density, congestion) = oracle(&netlist, &now, boundary);
        let ours = engine.cost();
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1e-3);
        prop_assert!(near(ours.wirelength, wirelength), "{ours:?} {wirelength}");
        prop_assert!(near(ours.density, density), "{ours:?} {density}");
        match congestion {
            Some(value) => prop_assert!(near(ours.congestion, value), "{ours:?} {value}"),
            None => prop_assert!(!ours.is_defined(), "{ours:?} where the evaluator fails"),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn clamped_agrees_and_incremental_is_full(case in sequence()) {
        check(Boundary::Clamped, Precision::Double, case)?;
    }

    #[test]
    fn published_agrees_and_incremental_is_full(case in sequence()) {
        check(Boundary::Published, Precision::Double, case)?;
    }

    #[test]
    fn single_precision_agrees_and_incremental_is_full(case in sequence()) {
        check(Boundary::Clamped, Precision::Single, case)?;
    }
}

#[test]
fn hostile_moves_are_refused() {
    let (netlist, placement) = generate(Size::SMALL, 1);
    let model = Arc::new(Model::new(&netlist, &placement.settings).unwrap());
    let mut engine = Engine::new(model, &placement, Options::default()).unwrap();
    let to = |body, x| Move { body, x, y: 1.0, orient: Orient::N };
    assert!(engine.what_if(&[to(0, 1.0)]).is_err(), "a port");
    assert!(engine.what_if(&[to(7, f64::NAN)]).is_err());
    assert!(engine.what_if(&[to(7, 1e7)]).is_err());
    assert!(engine.what_if(&[to(7, 1.0), to(7, 2.0)]).is_err());
    assert!(engine.what_if(&[to(100_000, 1.0)]).is_err());
    assert!(engine.what_if(&[to(7, 1.0)]).is_ok());
}
