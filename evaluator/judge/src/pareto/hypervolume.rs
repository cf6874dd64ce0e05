//! Exact hypervolume in the unit box: how much of it some points dominate, less being better.
//!
//! Two dimensions: one sweep. Three: a sweep along the last axis over a staircase of the first two.
//! More: the recursion of While, Bradstreet and Barone, *A fast way of calculating exact
//! hypervolumes*, 2012 (WFG): the volume that a point dominates alone is its own box less what the
//! others, limited to that box, dominate. Its cost can grow exponentially, so it counts its work and
//! gives up at [`WORK_LIMIT`], the same everywhere.

use super::{Relation, relation};

/// Most comparisons that an exact computation may take in four and more dimensions.
pub const WORK_LIMIT: u64 = 20_000_000;

/// The share of the unit box that the points dominate. Points outside the box count nothing, values
/// below 0 count as 0. None when the work exceeds [`WORK_LIMIT`].
#[must_use]
pub fn hypervolume(points: &[Vec<f64>]) -> Option<f64> {
    let mut work = 0;
    volume(clipped(points), &mut work)
}

/// The volume that `point` dominates and none of the `others` does. None when the work exceeds
/// [`WORK_LIMIT`].
#[must_use]
pub fn exclusive(point: &[f64], others: &[Vec<f64>]) -> Option<f64> {
    let Some(point) = clip(point) else {
        return Some(0.0);
    };
    let mut work = 0;
    alone(&point, &clipped(others), &mut work)
}

/// A point inside the box, or none when it dominates nothing of it.
fn clip(point: &[f64]) -> Option<Vec<f64>> {
    // A NaN is not inside.
    point.iter().all(|v| *v < 1.0).then(|| point.iter().map(|v| v.max(0.0)).collect())
}

fn clipped(points: &[Vec<f64>]) -> Vec<Vec<f64>> {
    points.iter().filter_map(|p| clip(p)).collect()
}

fn own_box(point: &[f64]) -> f64 {
    point.iter().map(|v| 1.0 - v).product()
}

fn alone(point: &[f64], others: &[Vec<f64>], work: &mut u64) -> Option<f64> {
    let limited = others.iter().map(|o| o.iter().zip(point).map(|(a, b)| a.max(*b)).collect());
    let covered = volume(limited.collect(), work)?;
    Some((own_box(point) - covered).max(0.0))
}

fn volume(points: Vec<Vec<f64>>, work: &mut u64) -> Option<f64> {
    match points.first().map(Vec::len) {
        None | Some(0) => Some(0.0),
        Some(1) => points.iter().map(|p| own_box(p)).reduce(f64::max),
        Some(2) => Some(sweep2(points)),
        Some(3) => Some(sweep3(points)),
        Some(_) => wfg(points, work),
    }
}

fn by_axis(points: &mut [Vec<f64>], axis: usize) {
    points.sort_by(|a, b| a[axis].total_cmp(&b[axis]));
}

fn sweep2(mut points: Vec<Vec<f64>>) -> f64 {
    by_axis(&mut points, 0);
    let (mut area, mut low) = (0.0, 1.0);
    for p in &points {
        if p[1] < low {
            area += (1.0 - p[0]) * (low - p[1]);
            low = p[1];
        }
    }
    area
}

fn sweep3(mut points: Vec<Vec<f64>>) -> f64 {
    by_axis(&mut points, 2);
    // Corners of the staircase so far, x rising and y falling.
    let mut stairs: Vec<(f64, f64)> = Vec::new();
    let (mut volume, mut area, mut z) = (0.0, 0.0, 0.0);
    for p in &points {
        volume += area * (p[2] - z);
        z = p[2];
        area += step(&mut stairs, p[0], p[1]);
    }
    volume + area * (1.0 - z)
}

/// Adds a corner to a staircase and gives the area gained.
fn step(stairs: &mut Vec<(f64, f64)>, x: f64, y: f64) -> f64 {
    // Corners from `from` on are right of x, or at it and not lower.
    let from = stairs.partition_point(|c| c.0 < x || (c.0 == x && c.1 <= y));
    let mut top = from.checked_sub(1).map_or(1.0, |i| stairs[i].1);
    if top <= y {
        return 0.0;
    }
    let gone = stairs[from..].partition_point(|c| c.1 >= y);
    let (mut gained, mut left) = (0.0, x);
    for c in &stairs[from..from + gone] {
        gained += (c.0 - left) * (top - y);
        left = c.0;
        top = c.1;
    }
    let right = stairs.get(from + gone).map_or(1.0, |c| c.0);
    gained += (right - left) * (top - y);
    stairs.splice(from..from + gone, [(x, y)]);
    gained
}

fn wfg(points: Vec<Vec<f64>>, work: &mut u64) -> Option<f64> {
    let mut points = nondominated(points, work)?;
    // Worst last axis first: the boxes to subtract from shrink quickly.
    let axis = points.first().map_or(0, |p| p.len() - 1);
    by_axis(&mut points, axis);
    points.reverse();
    let mut total = 0.0;
    for (i, p) in points.iter().enumerate() {
        total += alone(p, &points[i + 1..], work)?;
    }
    Some(total)
}

/// The points that none other dominates, each once.
fn nondominated(points: Vec<Vec<f64>>, work: &mut u64) -> Option<Vec<Vec<f64>>> {
    let mut kept: Vec<Vec<f64>> = Vec::new();
    for p in points {
        *work += kept.len() as u64 + 1;
        if *work > WORK_LIMIT {
            return None;
        }
        let mut covered = false;
        kept.retain(|k| match relation(k, &p) {
            Relation::Dominates | Relation::Tie => {
                covered = true;
                true
            }
            Relation::Dominated => false,
            Relation::Incomparable => true,
        });
        if !covered {
            kept.push(p);
        }
    }
    Some(kept)
}
