//! Global and vertical swaps: a cell goes towards the region where its nets would be shortest, into
//! a gap or in exchange for a cell there (Pan, Viswanathan, Chu, "An efficient and effective
//! detailed placement algorithm", ICCAD 2005).

use cellwright_db::{Orient, Point};

use crate::detailed::shelf::Shelf;
use crate::detailed::state::{State, Step};
use crate::legal::rows::Segment;
use crate::problem::RowInfo;

/// How wide to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Rows to either side of the best row.
    pub(crate) rows: usize,
    /// Cells to either side of the best x.
    pub(crate) cells: usize,
}

/// The node's orientation in another row: as mirrored there as here.
fn turned(state: &State<'_>, node: u32, from: &RowInfo, to: &RowInfo) -> Orient {
    let now = state.place.orient[node as usize];
    if now == from.orient { to.orient } else { to.orient.mirrored_y() }
}

/// The middle interval of the nets' boxes without the node, per axis: where the node's corner
/// would best be.
fn region(state: &mut State<'_>, node: u32) -> Option<(Point, Point)> {
    let problem = state.problem;
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    let corner = state.place.at[node as usize];
    let mut last = u32::MAX;
    for &pin in problem.nets.of_node(node as usize) {
        let net = problem.nets.net_of[pin as usize];
        if net == last || state.weight[net as usize] == 0 {
            continue;
        }
        last = net;
        if let Some(rest) = state.box_without(net as usize, node) {
            let at = state.pin[pin as usize];
            let (dx, dy) = (at.x - corner.x, at.y - corner.y);
            xs.extend([rest.lo.x - dx, rest.hi.x - dx]);
            ys.extend([rest.lo.y - dy, rest.hi.y - dy]);
        }
    }
    if xs.is_empty() {
        return None;
    }
    xs.sort_unstable();
    ys.sort_unstable();
    let k = xs.len() / 2;
    Some((Point::new(xs[k - 1], ys[k - 1]), Point::new(xs[k], ys[k])))
}

/// One pass over all nodes. Returns the gain.
pub(crate) fn pass(state: &mut State<'_>, shelf: &mut Shelf, nodes: &[u32], reach: Reach) -> i64 {
    nodes.iter().map(|node| improve(state, shelf, *node, reach)).sum()
}

struct Candidate {
    delta: i64,
    steps: [Option<Step>; 2],
    segment: usize,
}

fn improve(state: &mut State<'_>, shelf: &mut Shelf, node: u32, reach: Reach) -> i64 {
    let Some((lo, hi)) = region(state, node) else { return 0 };
    let at = state.place.at[node as usize];
    let goal = Point::new(at.x.clamp(lo.x, hi.x), at.y.clamp(lo.y, hi.y));
    if goal == at {
        return 0;
    }
    let home = shelf.of[node as usize] as usize;
    let mut best: Option<Candidate> = None;
    let middle = shelf.levels.partition_point(|level| level.0 < goal.y);
    let first = middle.saturating_sub(reach.rows + 1);
    let last = (middle + reach.rows).min(shelf.levels.len());
    for level in first..last {
        if let Some(segment) = shelf.find_in(level, goal.x)
            && shelf.fence[segment] == shelf.fence[home]
        {
            look(state, shelf, (node, home), (segment, goal.x), reach.cells, &mut best);
        }
    }
    let Some(found) = best else { return 0 };
    let steps: Vec<Step> = found.steps.into_iter().flatten().collect();
    let delta = state.attempt(&steps);
    if delta >= 0 {
        state.take_back();
        return 0;
    }
    state.keep();
    shelf.remove(home, node);
    if let [_, other] = steps[..] {
        shelf.remove(found.segment, other.node);
        shelf.insert(state, home, other.node);
    }
    shelf.insert(state, found.segment, node);
    -delta
}

fn site_of(segment: &Segment, x: i32) -> i32 {
    (x - segment.row.x).div_euclid(segment.row.step)
}

/// Tries the gaps and cells of `segment` about `x`.
fn look(
    state: &mut State<'_>,
    shelf: &Shelf,
    (node, home): (u32, usize),
    (segment, x): (usize, i32),
    reach: usize,
    best: &mut Option<Candidate>,
) {
    let there = &shelf.segments[segment];
    let here = &shelf.segments[home];
    let cells = &shelf.cells[segment];
    let width = shelf.width(state, segment, node);
    let wish = site_of(there, x);
    let at = cells.partition_point(|other| state.place.at[*other as usize].x < x);
    let first = at.saturating_sub(reach);
    let last = (at + reach).min(cells.len());
    let orient = turned(state, node, &here.row, &there.row);
    let rank_here = shelf.rank(state, home, node);
    let room_here = shelf.room(state, home, rank_here);
    let step = |node: u32, segment: &Segment, site: i32, orient: Orient| Step {
        node,
        at: Point::new(segment.x(site), segment.row.y),
        orient,
    };
    let mut consider = |state: &mut State<'_>, steps: [Option<Step>; 2]| {
        let list: [Step; 2] = match steps {
            [Some(a), Some(b)] => [a, b],
            [Some(a), None] => [a, a],
            _ => return,
        };
        let used = if steps[1].is_some() { &list[..] } else { &list[..1] };
        let delta = state.attempt(used);
        state.take_back();
        if delta < best.as_ref().map_or(0, |best| best.delta) {
            *best = Some(Candidate { delta, steps, segment });
        }
    };
    for rank in first..=last {
        // The gap before the cell at `rank`; gaps beside the node itself are for shifting.
        let left = match rank.checked_sub(1).map(|left| cells[left]) {
            None => there.lo,
            Some(left) if left == node => continue,
            Some(left) => shelf.site(state, segment, left) + shelf.width(state, segment, left),
        };
        let right = match cells.get(rank) {
            None => there.hi,
            Some(right) if *right == node => continue,
            Some(right) => shelf.site(state, segment, *right),
        };
        if right - left >= width {
            let site = wish.clamp(left, right - width);
            consider(state, [Some(step(node, there, site, orient)), None]);
        }
    }
    for (rank, &other) in cells.iter().enumerate().take(last).skip(first) {
        if other == node || (segment == home && rank.abs_diff(rank_here) <= 1) {
            continue;
        }
        if state.problem.nodes.site[other as usize] != state.problem.nodes.site[node as usize] {
            continue;
        }
        let room = shelf.room(state, segment, rank);
        let other_width = shelf.width(state, home, other);
        if room.1 - room.0 < width || room_here.1 - room_here.0 < other_width {
            continue;
        }
        let site = wish.clamp(room.0, room.1 - width);
        let back = site_of(here, state.place.at[node as usize].x)
            .clamp(room_here.0, room_here.1 - other_width);
        let other_orient = turned(state, other, &there.row, &here.row);
        consider(
            state,
            [Some(step(node, there, site, orient)), Some(step(other, here, back, other_orient))],
        );
    }
}
