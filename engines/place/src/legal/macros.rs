//! Movable macros to the nearest free places, in exact integers: any size, no row needed.

use cellwright_db::{Point, Rect};

use crate::problem::{NONE, Problem};
use crate::spans::Spans;

/// A macro that found no place, and how many had one before it.
pub(crate) struct Stuck {
    pub(crate) node: usize,
    pub(crate) placed: usize,
}

/// Places all macros at least distance from `wish` (lower-left corners), largest first; where that
/// fails, in other orders. `at` gets their corners.
pub(crate) fn place(
    problem: &Problem,
    wish: &[(f64, f64)],
    at: &mut [Point],
) -> Result<Vec<Rect>, Stuck> {
    let n = &problem.nodes;
    let mut order: Vec<usize> = (0..n.len()).filter(|node| n.is_macro[*node]).collect();
    let size = |node: usize| {
        let [left, bottom, right, top] = n.halo[node];
        (n.w[node].saturating_add(left + right), n.h[node].saturating_add(bottom + top))
    };
    let mut stuck = None;
    for attempt in 0..4 {
        match attempt {
            0 => order.sort_by_key(|node| (std::cmp::Reverse(n.area(*node)), *node)),
            1 => order.sort_by_key(|node| (std::cmp::Reverse(size(*node).1), *node)),
            2 => order.sort_by_key(|node| (std::cmp::Reverse(size(*node).0), *node)),
            // As a last resort packed from the lower left, tallest first.
            _ => order.sort_by_key(|node| {
                (std::cmp::Reverse(size(*node).1), std::cmp::Reverse(size(*node).0), *node)
            }),
        }
        let mut taken: Vec<Rect> = Vec::new();
        let mut failed = None;
        for (placed, &node) in order.iter().enumerate() {
            let corner = (f64::from(problem.core.lo.x), f64::from(problem.core.lo.y));
            let goal = if attempt == 3 { corner } else { wish[node] };
            match nearest(problem, node, goal, size(node), &taken) {
                Some(spot) => {
                    let [left, bottom, ..] = n.halo[node];
                    at[node] = Point::new(spot.lo.x + left, spot.lo.y + bottom);
                    taken.push(spot);
                }
                None => {
                    failed = Some(Stuck { node, placed });
                    break;
                }
            }
        }
        match failed {
            None => return Ok(taken),
            some => stuck = stuck.or(some),
        }
    }
    stuck.map_or(Ok(Vec::new()), Err)
}

/// The free place (with halo) nearest to a wished corner: for every height at which it would touch
/// something, the nearest gap along x.
fn nearest(
    problem: &Problem,
    node: usize,
    (wish_x, wish_y): (f64, f64),
    (w, h): (i32, i32),
    taken: &[Rect],
) -> Option<Rect> {
    let n = &problem.nodes;
    let fence = n.fence[node];
    let [left, bottom, ..] = n.halo[node];
    let hull = problem.core.intersection(&problem.die);
    let grid = problem.grid;
    let up = |v: i64| (v + i64::from(grid) - 1).div_euclid(i64::from(grid)) * i64::from(grid);
    let down = |v: i64| v.div_euclid(i64::from(grid)) * i64::from(grid);
    let mut blocks: Vec<Rect> = problem.blocks.iter().chain(taken).copied().collect();
    for (index, other) in problem.fences.iter().enumerate() {
        if index as u32 != fence {
            blocks.extend(&other.rects);
        }
    }
    let homes: Vec<Rect> = match problem.fences.get(fence as usize) {
        Some(own) if fence != NONE => {
            own.rects.iter().map(|rect| rect.intersection(&hull)).collect()
        }
        _ => vec![hull],
    };
    let goal_x = wish_x.round() as i64 - i64::from(left);
    let goal_y = wish_y.round() as i64 - i64::from(bottom);
    let mut best: Option<(i64, i64, i64)> = None;
    for home in homes {
        let top = i64::from(home.hi.y) - i64::from(h);
        if home.width() < i64::from(w) || top < i64::from(home.lo.y) {
            continue;
        }
        let mut heights = vec![
            down(goal_y.clamp(i64::from(home.lo.y), top)),
            up(i64::from(home.lo.y)),
            down(top),
        ];
        for block in &blocks {
            heights.push(up(i64::from(block.hi.y)));
            heights.push(down(i64::from(block.lo.y) - i64::from(h)));
        }
        heights.retain(|y| i64::from(home.lo.y) <= *y && *y <= top);
        heights.sort_by_key(|y| ((y - goal_y).abs(), *y));
        heights.dedup();
        for y in heights {
            let dy = (y - goal_y).abs();
            if best.is_some_and(|best| dy >= best.0) {
                break;
            }
            let band = |block: &&Rect| {
                i64::from(block.lo.y) < y + i64::from(h) && y < i64::from(block.hi.y)
            };
            let busy = blocks.iter().filter(band).map(|block| (block.lo.x, block.hi.x)).collect();
            let free = Spans::one(home.lo.x, home.hi.x).subtract(&Spans::union_of(busy));
            for &(lo, hi) in free.items() {
                let (first, last) = (up(i64::from(lo)), down(i64::from(hi) - i64::from(w)));
                if first > last {
                    continue;
                }
                let x = down(goal_x.clamp(first, last)).clamp(first, last);
                let cost = (x - goal_x).abs() + dy;
                if best.is_none_or(|best| (cost, x, y) < best) {
                    best = Some((cost, x, y));
                }
            }
        }
    }
    let (_, x, y) = best?;
    let spot = Rect::new(x as i32, y as i32, x as i32 + w, y as i32 + h);
    Some(spot)
}
