//! Detailed placement: a legal placement in, a legal one out whose (weighted) wire length is never
//! longer, exactly. Each move is evaluated in integers and kept only when it gains.

pub(crate) mod gaps;
mod matching;
mod reorder;
mod shelf;
mod shift;
mod state;
mod swap;

use cellwright_db::{Rect, SiteId};

use crate::config::{Effort, PlaceConfig};
use crate::error::PlaceError;
use crate::free::{FreeArea, free_area, parts};
use crate::legal::rows::{row_sites, segments, width_in};
use crate::legal::tall::{Levels, claim};
use crate::legal::{Placement, classes, is_simple};
use crate::problem::{NONE, Problem};
use crate::report::{Event, Meter, Progress, Stage, StopReason, tell};

use shelf::Shelf;
use state::{State, Step};
use swap::Reach;

/// What detailed placement found.
#[derive(Clone, Debug)]
pub struct Detailed {
    /// The placement.
    pub placement: Placement,
    /// Passes.
    pub passes: u32,
    /// Why it ended.
    pub stop: StopReason,
}

/// Improves a legal placement.
///
/// # Errors
/// [`PlaceError::NotLegal`] when it is not (the name is filled in by [`crate::place`]),
/// [`PlaceError::Cancelled`].
pub fn detailed(
    problem: &Problem,
    config: &PlaceConfig,
    placement: &Placement,
    progress: &mut dyn Progress,
) -> Result<Detailed, PlaceError> {
    run(problem, config, placement, progress, &mut Meter::new(config.limits))
}

pub(crate) fn run(
    problem: &Problem,
    config: &PlaceConfig,
    placement: &Placement,
    progress: &mut dyn Progress,
    meter: &mut Meter,
) -> Result<Detailed, PlaceError> {
    let sites = row_sites(problem);
    let class = classes(problem, &sites)?;
    let mut placement = placement.clone();
    check_others(problem, &placement, &sites, &class)?;
    let (mut passes, mut stop) = (0, StopReason::Nothing);
    // One site after the other: where rows of several overlap, each sees the others standing still.
    for (number, &site) in sites.iter().enumerate() {
        let (shelf, nodes) = shelve(problem, &placement, site, number, &class)?;
        if nodes.is_empty() {
            continue;
        }
        let mut state = State::new(problem, placement.clone());
        (passes, stop) = improve(&mut state, shelf, &nodes, config, progress, meter)?;
        placement = state.place;
    }
    Ok(Detailed { placement, passes, stop })
}

/// Nodes that moves of single rows may touch.
fn moves(problem: &Problem, placement: &Placement, node: usize, height: i32) -> bool {
    let n = &problem.nodes;
    let p = placement.at[node];
    let outline = Rect::new(p.x, p.y, p.x + n.w[node] + n.pad[node], p.y + n.h[node]);
    is_simple(problem, node, height)
        && !problem.partial.iter().any(|(rect, _)| rect.overlaps(&outline))
}

fn not_legal(problem: &Problem, node: usize, why: &str) -> PlaceError {
    PlaceError::NotLegal {
        count: 1,
        first: problem.nodes.cell[node].0.to_string(),
        why: why.to_owned(),
    }
}

/// The segments of a site with the nodes that stand in them; all else blocks.
pub(crate) fn shelve(
    problem: &Problem,
    placement: &Placement,
    site: SiteId,
    number: usize,
    class: &[usize],
) -> Result<(Shelf, Vec<u32>), PlaceError> {
    let n = &problem.nodes;
    let height = problem.rows.iter().find(|row| row.site == site).map_or(1, |row| row.height);
    let mine = |i: usize| class[i] == number && moves(problem, placement, i, height);
    let mut blocks = problem.blocks.clone();
    blocks.extend(problem.partial.iter().map(|(rect, _)| *rect));
    blocks.extend((0..n.len()).filter(|i| !mine(*i)).map(|i| claim(problem, i, placement.at[i])));
    let mut pieces = Vec::new();
    for fence in parts(problem) {
        let area = free_area(problem, fence, &blocks);
        pieces.extend(segments(problem, site, &area).into_iter().map(|segment| (fence, segment)));
    }
    let mut shelf = Shelf::new(pieces, n.len());
    let mut nodes = Vec::new();
    for i in (0..n.len()).filter(|i| mine(*i)) {
        let at = placement.at[i];
        let Some(segment) = shelf.find(at) else {
            return Err(not_legal(problem, i, "it stands on no free row"));
        };
        let place = &shelf.segments[segment];
        if shelf.fence[segment] != n.fence[i] {
            return Err(not_legal(problem, i, "it stands on the wrong side of a fence"));
        }
        if (at.x - place.row.x) % place.row.step != 0 {
            return Err(not_legal(problem, i, "it stands between sites"));
        }
        let orient = placement.orient[i];
        if orient != place.row.orient && !(n.mirror[i] && orient == place.row.orient.mirrored_y()) {
            return Err(not_legal(problem, i, "its orientation is not that of its row"));
        }
        shelf.of[i] = segment as u32;
        shelf.cells[segment].push(i as u32);
        nodes.push(i as u32);
    }
    for (segment, cells) in shelf.segments.iter().zip(&mut shelf.cells) {
        cells.sort_by_key(|node| placement.at[*node as usize].x);
        let mut end = segment.lo;
        for &node in cells.iter() {
            let first = (placement.at[node as usize].x - segment.row.x) / segment.row.step;
            if first < end {
                return Err(not_legal(problem, node as usize, "it overlaps its neighbour"));
            }
            end = first + width_in(problem, node as usize, segment.row.step);
        }
        if end > segment.hi
            && let Some(last) = cells.last()
        {
            return Err(not_legal(problem, *last as usize, "it reaches beyond its free row"));
        }
    }
    Ok((shelf, nodes))
}

/// Checks macros and cells that stay where they are.
fn check_others(
    problem: &Problem,
    placement: &Placement,
    sites: &[SiteId],
    class: &[usize],
) -> Result<(), PlaceError> {
    let n = &problem.nodes;
    let hull = problem.core.intersection(&problem.die);
    for fence in parts(problem) {
        let mut area: Option<FreeArea> = None;
        for i in (0..n.len()).filter(|i| n.fence[*i] == fence) {
            let at = placement.at[i];
            if n.is_macro[i] {
                let outline = Rect::new(at.x, at.y, at.x + n.w[i], at.y + n.h[i]);
                if !hull.contains(&outline)
                    || problem.blocks.iter().any(|block| block.overlaps(&outline))
                {
                    return Err(not_legal(problem, i, "the macro stands on a blocker or outside"));
                }
                continue;
            }
            let site = sites[class[i]];
            let height =
                problem.rows.iter().find(|row| row.site == site).map_or(1, |row| row.height);
            if moves(problem, placement, i, height) {
                continue;
            }
            let area = area.get_or_insert_with(|| {
                let mut blocks = problem.blocks.clone();
                let macros = (0..n.len()).filter(|i| n.is_macro[*i]);
                blocks.extend(macros.map(|i| claim(problem, i, placement.at[i])));
                free_area(problem, fence, &blocks)
            });
            let wish = (f64::from(at.x), f64::from(at.y));
            let levels = Levels::new(problem, site);
            if levels.nearest(problem, area, i, wish, &mut 0).is_none_or(|(found, _)| found != at) {
                return Err(not_legal(problem, i, "it stands on no free rows of its kind"));
            }
            area.remove(claim(problem, i, at));
        }
    }
    Ok(())
}

fn improve(
    state: &mut State<'_>,
    mut shelf: Shelf,
    nodes: &[u32],
    config: &PlaceConfig,
    progress: &mut dyn Progress,
    meter: &mut Meter,
) -> Result<(u32, StopReason), PlaceError> {
    let (most, reach, enough) = match config.effort {
        Effort::Quick => (1, Reach { rows: 1, cells: 3 }, 0.005),
        Effort::Standard => (6, Reach { rows: 2, cells: 5 }, 0.0005),
        Effort::High => (12, Reach { rows: 4, cells: 8 }, 0.0003),
    };
    let mut seen = vec![0_u32; state.problem.nets.len()];
    let mut mark = 0;
    let mut cost = state.cost();
    let still = state.problem.nets.still as f64;
    for pass in 0..most {
        let before = cost;
        for operator in 0..5 {
            let gain = match operator {
                0 | 3 => {
                    let mut gain = 0;
                    for index in 0..shelf.segments.len() {
                        mark += 1;
                        gain += shift::segment(state, &shelf, index, &mut seen, mark);
                    }
                    gain
                }
                1 => swap::pass(state, &mut shelf, nodes, reach),
                2 => {
                    let all = 0..shelf.segments.len();
                    all.map(|index| reorder::segment(state, &mut shelf, index)).sum()
                }
                _ => matching::pass(state, &mut shelf, nodes) + flip(state, &shelf, nodes),
            };
            cost -= gain;
            meter.add(std::mem::take(&mut state.work));
            let fraction = (f64::from(pass) + (f64::from(operator) + 1.0) / 5.0) / f64::from(most);
            let hpwl = cost as f64 / 256.0 + still;
            let event = Event {
                stage: Stage::Detailed,
                iteration: pass + 1,
                hpwl,
                overflow: 0.0,
                fraction,
            };
            tell(progress, event)?;
            if let Some(limit) = meter.over() {
                return Ok((pass + 1, limit));
            }
        }
        debug_assert_eq!(cost, state.cost());
        if (before - cost) as f64 <= enough * before as f64 {
            return Ok((pass + 1, StopReason::Done));
        }
    }
    Ok((most, StopReason::Iterations))
}

/// Mirrors cells about y where that shortens their nets. Returns the gain.
fn flip(state: &mut State<'_>, shelf: &Shelf, nodes: &[u32]) -> i64 {
    let mut gain = 0;
    for &node in nodes {
        let i = node as usize;
        if !state.problem.nodes.mirror[i] || shelf.of[i] == NONE {
            continue;
        }
        let orient = state.place.orient[i].mirrored_y();
        gain += shift::settle(state, &[Step { node, at: state.place.at[i], orient }]);
    }
    gain
}
