//! Legalisation: macros, cells of several rows, then cells of one row, each as near to its wish as
//! the others allow. It fails only when the area does not suffice or is too fragmented.

mod abacus;
mod macros;
mod repair;
pub(crate) mod rows;
pub(crate) mod tall;

use cellwright_db::{Orient, Point, Rect, SiteId};

use crate::error::PlaceError;
use crate::free::{FreeArea, free_area, parts};
use crate::global::Spread;
use crate::problem::{Problem, RowInfo};
use crate::report::{Event, Meter, Progress, Stage, tell};

use abacus::Shelves;
use rows::{orient_in, row_sites, segments, width_in};
use tall::{Levels, claim};

/// A placement of all nodes on whole DBU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Lower-left corners.
    pub at: Vec<Point>,
    /// Orientations.
    pub orient: Vec<Orient>,
}

impl Placement {
    /// Where the nodes stand at the start.
    pub fn start(problem: &Problem) -> Placement {
        Placement { at: problem.nodes.start.clone(), orient: problem.nodes.orient.clone() }
    }
    /// Node centres.
    pub fn spread(&self, problem: &Problem) -> Spread {
        let n = &problem.nodes;
        let middle = |at: i32, size: i32| f64::from(at) + f64::from(size) / 2.0;
        Spread {
            x: self.at.iter().zip(&n.w).map(|(p, w)| middle(p.x, *w)).collect(),
            y: self.at.iter().zip(&n.h).map(|(p, h)| middle(p.y, *h)).collect(),
        }
    }
}

/// Finds a legal placement near `spread`.
///
/// # Errors
/// [`PlaceError::NoRowFor`], [`PlaceError::Fragmented`], [`PlaceError::MacroDoesNotFit`] (names are
/// filled in by [`crate::place`]), [`PlaceError::Cancelled`].
pub fn legalize(
    problem: &Problem,
    spread: &Spread,
    progress: &mut dyn Progress,
) -> Result<Placement, PlaceError> {
    run(problem, spread, progress, &mut Meter::new(Default::default()))
}

pub(crate) fn run(
    problem: &Problem,
    spread: &Spread,
    progress: &mut dyn Progress,
    meter: &mut Meter,
) -> Result<Placement, PlaceError> {
    let n = &problem.nodes;
    let corner = |at: f64, size: i32| at - f64::from(size) / 2.0;
    let wish: Vec<(f64, f64)> = (0..n.len())
        .map(|i| (corner(spread.x[i], n.w[i]), corner(spread.y[i], n.h[i])))
        .map(|(x, y)| (if x.is_finite() { x } else { 0.0 }, if y.is_finite() { y } else { 0.0 }))
        .collect();
    let mut reserve = Vec::new();
    loop {
        let placement = attempt(problem, &wish, &reserve, progress, meter)?;
        // Partial blockages bind by area: where one is over its limit, keep part of its sites free.
        let over = overfull(problem, &placement);
        let new = over.into_iter().filter(|number| !reserve.contains(number)).collect::<Vec<_>>();
        if new.is_empty() {
            return Ok(placement);
        }
        reserve.extend(new);
    }
}

/// Rectangles that keep a partial blockage within its limit: in every row the share that may not be
/// used, from alternating ends.
fn reserved(problem: &Problem, number: usize) -> Vec<Rect> {
    let (rect, part) = problem.partial[number];
    let fixed: i64 = problem.blocks.iter().map(|block| overlap(block, &rect)).sum();
    let limit = (rect.area() as f64 * part).floor() - fixed as f64;
    let share = 1.0 - (limit / rect.area().max(1) as f64).clamp(0.0, 1.0);
    let mut rects = Vec::new();
    for (index, row) in problem.rows.iter().enumerate() {
        let band = Rect::new(row.x, row.y, row.x_end, row.y.saturating_add(row.height));
        let inside = band.intersection(&rect);
        if inside.is_empty() {
            continue;
        }
        let cut = (inside.width() as f64 * share).ceil() as i32;
        let (lo, hi) = (inside.lo.x, inside.hi.x);
        let (lo, hi) = if index % 2 == 0 { (lo, lo + cut) } else { (hi - cut, hi) };
        rects.push(Rect::new(lo, inside.lo.y, hi, inside.hi.y));
    }
    rects
}

fn overlap(a: &Rect, b: &Rect) -> i64 {
    let common = a.intersection(b);
    if common.is_empty() { 0 } else { common.area() }
}

/// The partial blockages that a placement overfills.
fn overfull(problem: &Problem, placement: &Placement) -> Vec<usize> {
    let n = &problem.nodes;
    let over = |number: &usize| {
        let (rect, part) = problem.partial[*number];
        let fixed: i64 = problem.blocks.iter().map(|block| overlap(block, &rect)).sum();
        let outline = |i: usize| {
            let p = placement.at[i];
            Rect::new(p.x, p.y, p.x + n.w[i], p.y + n.h[i])
        };
        let taken: i64 = (0..n.len()).map(|i| overlap(&outline(i), &rect)).sum();
        (fixed + taken) as f64 > (rect.area() as f64 * part).floor()
    };
    (0..problem.partial.len()).filter(over).collect()
}

fn attempt(
    problem: &Problem,
    wish: &[(f64, f64)],
    reserve: &[usize],
    progress: &mut dyn Progress,
    meter: &mut Meter,
) -> Result<Placement, PlaceError> {
    let n = &problem.nodes;
    let mut placement = Placement::start(problem);
    let mut blocks = problem.blocks.clone();
    match macros::place(problem, wish, &mut placement.at) {
        Ok(taken) => blocks.extend(taken),
        Err(stuck) => {
            let [left, bottom, right, top] = n.halo[stuck.node];
            return Err(PlaceError::MacroDoesNotFit {
                cell: n.cell[stuck.node].0.to_string(),
                width: n.w[stuck.node] + left + right,
                height: n.h[stuck.node] + bottom + top,
                placed: stuck.placed,
                free: problem.square_microns(problem.core.area()),
            });
        }
    }
    blocks.extend(reserve.iter().flat_map(|number| reserved(problem, *number)));
    let sites = row_sites(problem);
    let class = classes(problem, &sites)?;
    for fence in parts(problem) {
        let mut area = free_area(problem, fence, &blocks);
        for (number, &site) in sites.iter().enumerate() {
            let mine: Vec<u32> = (0..n.len() as u32)
                .filter(|i| class[*i as usize] == number && n.fence[*i as usize] == fence)
                .collect();
            if mine.is_empty() {
                continue;
            }
            let height =
                problem.rows.iter().find(|row| row.site == site).map_or(1, |row| row.height);
            let simple = |i: &u32| is_simple(problem, *i as usize, height);
            let (single, tall): (Vec<u32>, Vec<u32>) = mine.into_iter().partition(simple);
            place_tall(problem, site, &mut area, tall, wish, &mut placement, meter)?;
            let event = Event {
                stage: Stage::Legalize,
                iteration: number as u32,
                hpwl: 0.0,
                overflow: 0.0,
                fraction: 0.5,
            };
            tell(progress, event)?;
            place_single(problem, site, &area, single.clone(), wish, &mut placement, meter)?;
            if number + 1 < sites.len() {
                for node in single {
                    area.remove(claim(problem, node as usize, placement.at[node as usize]));
                }
            }
        }
        blocks.extend(claims_with_halo(problem, fence, &placement));
    }
    Ok(placement)
}

/// The number in `sites` on whose rows each node goes: its own site, else the lowest rows that take
/// it; `usize::MAX` for macros.
///
/// # Errors
/// [`PlaceError::NoRowFor`].
pub(crate) fn classes(problem: &Problem, sites: &[SiteId]) -> Result<Vec<usize>, PlaceError> {
    let n = &problem.nodes;
    let rows: Vec<Option<&RowInfo>> =
        sites.iter().map(|site| problem.rows.iter().find(|row| row.site == *site)).collect();
    let class = |node: usize| {
        if n.is_macro[node] {
            return Ok(usize::MAX);
        }
        let takes = |row: &Option<&RowInfo>| row.is_some_and(|row| problem.site_takes(row, node));
        rows.iter().rposition(takes).ok_or_else(|| PlaceError::NoRowFor {
            cell: n.cell[node].0.to_string(),
            master: String::new(),
            site: n.site[node].some().map_or(String::new(), |site| site.0.to_string()),
            height: n.h[node],
        })
    };
    (0..n.len()).map(class).collect()
}

/// Whether a node stands in one row of its height, whichever: no rail can forbid it one and it has
/// no halo.
pub(crate) fn is_simple(problem: &Problem, node: usize, height: i32) -> bool {
    let n = &problem.nodes;
    let even = (n.h[node] / problem.base_height.max(1)) % 2 == 0;
    n.h[node] == height && n.halo[node] == [0; 4] && !even
}

/// Halos of this part's cells may reach into the next part.
fn claims_with_halo(problem: &Problem, fence: u32, placement: &Placement) -> Vec<Rect> {
    let n = &problem.nodes;
    let mine = |i: &usize| n.fence[*i] == fence && n.halo[*i] != [0; 4] && !n.is_macro[*i];
    (0..n.len()).filter(mine).map(|i| claim(problem, i, placement.at[i])).collect()
}

fn place_tall(
    problem: &Problem,
    site: SiteId,
    area: &mut FreeArea,
    mut tall: Vec<u32>,
    wish: &[(f64, f64)],
    placement: &mut Placement,
    meter: &mut Meter,
) -> Result<(), PlaceError> {
    if tall.is_empty() {
        return Ok(());
    }
    let n = &problem.nodes;
    let levels = Levels::new(problem, site);
    let whole = area.clone();
    tall.sort_by_key(|i| (std::cmp::Reverse(n.area(*i as usize)), *i));
    // First each to its nearest place; when that strands one, packed from the lower left.
    for packed in [false, true] {
        *area = whole.clone();
        let mut stuck = Vec::new();
        let mut work = 0;
        for &node in &tall {
            let i = node as usize;
            let corner = (f64::from(problem.core.lo.x), f64::from(problem.core.lo.y));
            let goal = if packed { corner } else { wish[i] };
            match levels.nearest(problem, area, i, goal, &mut work) {
                None => stuck.push(node),
                Some((at, orient)) => {
                    placement.at[i] = at;
                    placement.orient[i] = orient;
                    area.remove(claim(problem, i, at));
                }
            }
        }
        meter.add(work);
        if stuck.is_empty() {
            return Ok(());
        }
        if packed {
            return Err(fragmented(problem, &whole, &stuck, tall.len(), &tall));
        }
    }
    Ok(())
}

fn place_single(
    problem: &Problem,
    site: SiteId,
    area: &FreeArea,
    mut nodes: Vec<u32>,
    wish: &[(f64, f64)],
    placement: &mut Placement,
    meter: &mut Meter,
) -> Result<(), PlaceError> {
    let order =
        |a: &u32, b: &u32| wish[*a as usize].0.total_cmp(&wish[*b as usize].0).then(a.cmp(b));
    nodes.sort_by(order);
    let empty = Shelves::new(segments(problem, site, area));
    let mut shelves = empty.clone();
    let mut work = 0;
    let mut left = shelves.fill(problem, &nodes, wish, &mut work);
    if !left.is_empty() {
        left = repair::repair(problem, &mut shelves, left, wish, &mut work);
    }
    if !left.is_empty() {
        // Once more from scratch, widest first: wide cells are the hard ones.
        let mut wide = nodes.clone();
        wide.sort_by(|a, b| {
            let width = |i: &u32| width_in(problem, *i as usize, 1);
            width(b).cmp(&width(a)).then_with(|| order(a, b))
        });
        shelves = empty;
        left = repair::repair(problem, &mut shelves, wide, wish, &mut work);
    }
    meter.add(work);
    if !left.is_empty() {
        return Err(fragmented(problem, area, &left, nodes.len(), &nodes));
    }
    for filled in &shelves.filled {
        let segment = &filled.segment;
        filled.each(problem, |node, x| {
            placement.at[node] = Point::new(segment.x(x), segment.row.y);
            placement.orient[node] = orient_in(problem, node, &segment.row);
        });
    }
    Ok(())
}

fn fragmented(
    problem: &Problem,
    area: &FreeArea,
    left: &[u32],
    cells: usize,
    all: &[u32],
) -> PlaceError {
    let n = &problem.nodes;
    let first = left.first().map_or(0, |node| *node as usize);
    let movable: i64 = all.iter().map(|i| n.area(*i as usize)).sum();
    let free = area.area();
    PlaceError::Fragmented {
        left: left.len(),
        cells,
        first: n.cell[first].0.to_string(),
        width: n.w[first],
        height: n.h[first],
        movable: problem.square_microns(movable),
        free: problem.square_microns(free),
        percent: 100.0 * movable as f64 / free.max(1) as f64,
    }
}
