//! Room for the last cells: when no segment is free enough, narrower cells are pushed out, and
//! cells of unequal widths change places, until one is. Only the assignment to segments matters
//! here; positions are laid out afterwards.

use crate::legal::abacus::Shelves;
use crate::legal::rows::width_in;
use crate::problem::Problem;

/// Finds segments for the `waiting` nodes. Returns those for which none can be made.
pub(crate) fn repair(
    problem: &Problem,
    shelves: &mut Shelves,
    waiting: Vec<u32>,
    wish: &[(f64, f64)],
    work: &mut u64,
) -> Vec<u32> {
    let total: usize = shelves.filled.iter().map(|filled| filled.cells.len()).sum();
    // Every push-out makes the waiting cell narrower; the budget only guards the clock.
    let mut budget = 50 * (total + waiting.len()) + 1000;
    let mut waiting = waiting;
    let mut left = Vec::new();
    let mut touched = vec![false; shelves.filled.len()];
    let wide = |node: u32, step: i32| width_in(problem, node as usize, step);
    waiting.sort_by_key(|node| wide(*node, 1));
    while let Some(node) = waiting.pop() {
        *work += shelves.filled.len() as u64;
        if let Some(index) = roomy(problem, shelves, node, wish) {
            add(problem, shelves, index, node, &mut touched);
            continue;
        }
        if budget > 0
            && let Some((index, out)) = push_out(problem, shelves, node, wish)
        {
            budget -= 1;
            let step = shelves.filled[index].segment.row.step;
            for number in out.into_iter().rev() {
                let gone = shelves.filled[index].cells.remove(number);
                shelves.filled[index].used -= wide(gone, step);
                let at = waiting.partition_point(|other| wide(*other, 1) < wide(gone, 1));
                waiting.insert(at, gone);
            }
            add(problem, shelves, index, node, &mut touched);
            continue;
        }
        match gather(problem, shelves, node, &mut touched, work) {
            Some(index) => add(problem, shelves, index, node, &mut touched),
            None => left.push(node),
        }
    }
    for (filled, _) in shelves.filled.iter_mut().zip(&touched).filter(|(_, touched)| **touched) {
        filled.lay_out(problem, wish);
    }
    left
}

fn add(problem: &Problem, shelves: &mut Shelves, index: usize, node: u32, touched: &mut [bool]) {
    let filled = &mut shelves.filled[index];
    filled.cells.push(node);
    filled.used += width_in(problem, node as usize, filled.segment.row.step);
    touched[index] = true;
}

fn distance(shelves: &Shelves, index: usize, (x, y): (f64, f64)) -> f64 {
    let segment = &shelves.filled[index].segment;
    let (from, to) = (f64::from(segment.x(segment.lo)), f64::from(segment.x(segment.hi)));
    (from - x).max(x - to).max(0.0) + (f64::from(segment.row.y) - y).abs()
}

/// The nearest segment with room for the node.
fn roomy(problem: &Problem, shelves: &Shelves, node: u32, wish: &[(f64, f64)]) -> Option<usize> {
    let wish = wish[node as usize];
    let fits = |index: &usize| {
        let filled = &shelves.filled[*index];
        filled.free() >= width_in(problem, node as usize, filled.segment.row.step)
    };
    let all = (0..shelves.filled.len()).filter(fits);
    all.min_by(|a, b| distance(shelves, *a, wish).total_cmp(&distance(shelves, *b, wish)))
}

/// The nearest segment that has room once some narrower cells leave, and those cells' numbers,
/// ascending.
fn push_out(
    problem: &Problem,
    shelves: &Shelves,
    node: u32,
    wish: &[(f64, f64)],
) -> Option<(usize, Vec<usize>)> {
    let wish = wish[node as usize];
    let mut order: Vec<usize> = (0..shelves.filled.len()).collect();
    order.sort_by(|a, b| distance(shelves, *a, wish).total_cmp(&distance(shelves, *b, wish)));
    for index in order {
        let filled = &shelves.filled[index];
        let step = filled.segment.row.step;
        let width = width_in(problem, node as usize, step);
        if filled.segment.sites() < width {
            continue;
        }
        let mut need = width - filled.free();
        let cells = filled.cells.iter().enumerate();
        let mut narrow: Vec<(i32, usize)> = cells
            .map(|(number, cell)| (width_in(problem, *cell as usize, step), number))
            .filter(|(other, _)| *other < width)
            .collect();
        narrow.sort_unstable();
        // One that suffices, else the widest first.
        let mut out = Vec::new();
        if let Some(one) = narrow.iter().find(|(other, _)| *other >= need) {
            out.push(one.1);
            need = 0;
        } else {
            while need > 0
                && let Some((other, number)) = narrow.pop()
            {
                need -= other;
                out.push(number);
            }
        }
        if need <= 0 {
            out.sort_unstable();
            return Some((index, out));
        }
    }
    None
}

/// Gathers scattered free sites in one segment by exchanging a wider cell of it for a narrower one
/// (or none) of another segment with room for the difference.
fn gather(
    problem: &Problem,
    shelves: &mut Shelves,
    node: u32,
    touched: &mut [bool],
    work: &mut u64,
) -> Option<usize> {
    let mut order: Vec<usize> = (0..shelves.filled.len()).collect();
    order.sort_by_key(|index| (-shelves.filled[*index].free(), *index));
    for &index in order.iter().take(64) {
        let step = shelves.filled[index].segment.row.step;
        let width = width_in(problem, node as usize, step);
        if shelves.filled[index].segment.sites() < width {
            continue;
        }
        for &other in &order {
            while other != index && shelves.filled[index].free() < width {
                *work += 1;
                let Some((a, b)) = exchange(problem, shelves, index, other) else { break };
                let wide = |node: u32| width_in(problem, node as usize, step);
                let out = shelves.filled[index].cells.swap_remove(a);
                shelves.filled[index].used -= wide(out);
                if let Some(b) = b {
                    let back = shelves.filled[other].cells.swap_remove(b);
                    shelves.filled[other].used -= wide(back);
                    add(problem, shelves, index, back, touched);
                }
                add(problem, shelves, other, out, touched);
            }
        }
        if shelves.filled[index].free() >= width {
            return Some(index);
        }
    }
    None
}

/// A cell of `index` and one (or none) of `other` whose exchange frees most sites of `index`.
fn exchange(
    problem: &Problem,
    shelves: &Shelves,
    index: usize,
    other: usize,
) -> Option<(usize, Option<usize>)> {
    let (here, there) = (&shelves.filled[index], &shelves.filled[other]);
    let step = here.segment.row.step;
    let free = there.free();
    if free <= 0 || there.segment.row.step != step {
        return None;
    }
    // One cell of each width is enough.
    let kinds = |cells: &[u32]| {
        let mut kinds: Vec<(i32, usize)> = cells
            .iter()
            .enumerate()
            .map(|(i, cell)| (width_in(problem, *cell as usize, step), i))
            .collect();
        kinds.sort_unstable();
        kinds.dedup_by_key(|kind| kind.0);
        kinds
    };
    let mut best: Option<(i32, usize, Option<usize>)> = None;
    let others = kinds(&there.cells);
    for (width, a) in kinds(&here.cells) {
        let none = std::iter::once((0, None));
        for (narrow, b) in none.chain(others.iter().map(|(width, b)| (*width, Some(*b)))) {
            let gain = width - narrow;
            if gain > 0 && gain <= free && best.is_none_or(|best| gain > best.0) {
                best = Some((gain, a, b));
            }
        }
    }
    best.map(|(_, a, b)| (a, b))
}
