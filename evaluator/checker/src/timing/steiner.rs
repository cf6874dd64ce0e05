//! The wire tree that timing from placement is defined on, rule by rule.
//!
//! The tree decides lengths and so timing; a claim can only be checked on the same tree. The
//! definition, for points numbered from 0 (the driver), with rectilinear distance:
//!
//! 1. Up to two points: an edge from 0 to each other.
//! 2. Three points: each to the point of the median x and the median y, which is one of them when
//!    it coincides with one.
//! 3. Up to [`EXACT`] points: the minimum spanning tree that grows from 0, always by the nearest
//!    point (of equals the lowest number), joined to the nearest tree point (of equals the lowest).
//! 4. More: the spanning tree that takes candidate edges in ascending (length, lower number, higher
//!    number) when they join two parts. Candidates are pairs of points at most six apart in each of
//!    four orders (by x then y, y then x, x + y then x, x − y then x), and pairs in one or in
//!    touching squares of a grid, see [`near_in_grid`].
//! 5. From four points on, *median points* are then taken in. At a point with two neighbours a < b,
//!    the three can meet in their median instead; that saves the distance from the point to the
//!    median. When the median lies on a, b hangs on a from then on and no longer on the point (and
//!    else the other way round, when it lies on b); otherwise it becomes a new point that all three
//!    hang on. Points are visited by number, new ones too; at each the best saving is taken (of
//!    equals the lowest (a, b)) until none saves. Only the first ten neighbours are looked at,
//!    which a point has in the order in which they came to be its neighbours. All points are
//!    visited three times at most, and no more when a visit changed nothing.

/// A point, DBU.
pub(super) type Point = (i64, i64);
/// The points with those that were added, and the edges by number.
pub(super) type Edges = (Vec<Point>, Vec<(usize, usize)>);

/// Most points of a minimum spanning tree that looks at all pairs.
const EXACT: usize = 48;
/// How far apart in an order candidates may be.
const APART: usize = 6;
/// Most partners of a point within a square of the grid.
const PARTNERS: usize = 12;
/// Most neighbours that are looked at for medians.
const LOOKED_AT: usize = 10;
/// Most visits of all points.
const VISITS: usize = 3;

/// Rectilinear distance, DBU.
pub(super) fn distance(a: Point, b: Point) -> i64 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

/// An edge from the first point to each other.
fn star(points: &[Point]) -> Edges {
    (points.to_vec(), (1..points.len()).map(|other| (0, other)).collect())
}

fn median(mut values: [i64; 3]) -> i64 {
    values.sort_unstable();
    values[1]
}

fn meeting(a: Point, b: Point, c: Point) -> Point {
    (median([a.0, b.0, c.0]), median([a.1, b.1, c.1]))
}

/// The tree through `points`.
pub(super) fn tree(points: &[Point]) -> Edges {
    match points {
        [] | [_] | [_, _] => star(points),
        [a, b, c] => {
            let hub = meeting(*a, *b, *c);
            let mut all = points.to_vec();
            let at = points.iter().position(|point| *point == hub).unwrap_or_else(|| {
                all.push(hub);
                3
            });
            (all, (0..3).filter(|end| *end != at).map(|end| (at, end)).collect())
        }
        _ => {
            let spanning = if points.len() <= EXACT { grown(points) } else { joined(points) };
            with_medians(points, &spanning)
        }
    }
}

/// Rule 3.
fn grown(points: &[Point]) -> Vec<(usize, usize)> {
    let mut nearest: Vec<(i64, usize)> =
        points.iter().map(|point| (distance(points[0], *point), 0)).collect();
    let mut outside: Vec<usize> = (1..points.len()).collect();
    let mut edges = Vec::new();
    while let Some(&next) = outside.iter().min_by_key(|point| (nearest[**point].0, **point)) {
        outside.retain(|point| *point != next);
        edges.push((nearest[next].1, next));
        for &point in &outside {
            nearest[point] = nearest[point].min((distance(points[next], points[point]), next));
        }
    }
    edges
}

/// Rule 4.
fn joined(points: &[Point]) -> Vec<(usize, usize)> {
    let mut candidates = Vec::new();
    let mut add = |a: usize, b: usize| {
        candidates.push((distance(points[a], points[b]), a.min(b), a.max(b)));
    };
    let orders: [fn(Point) -> (i64, i64); 4] =
        [|p| (p.0, p.1), |p| (p.1, p.0), |p| (p.0 + p.1, p.0), |p| (p.0 - p.1, p.0)];
    for key in orders {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_unstable_by_key(|point| (key(points[*point]), *point));
        for (at, a) in order.iter().enumerate() {
            order[at + 1..].iter().take(APART).for_each(|b| add(*a, *b));
        }
    }
    near_in_grid(points, add);
    candidates.sort_unstable();
    candidates.dedup();
    // Which part each point belongs to; parts are renamed when they join, the smaller one.
    let mut part: Vec<usize> = (0..points.len()).collect();
    let mut members: Vec<Vec<usize>> = part.iter().map(|point| vec![*point]).collect();
    let mut edges = Vec::new();
    for (_, a, b) in candidates {
        let (mut to, mut from) = (part[a], part[b]);
        if to == from {
            continue;
        }
        edges.push((a, b));
        if members[to].len() < members[from].len() {
            (to, from) = (from, to);
        }
        for point in std::mem::take(&mut members[from]) {
            part[point] = to;
            members[to].push(point);
        }
    }
    edges
}

/// The grid of rule 4: squares of the bounding box, `ceil(sqrt(n / 2))` along each side. A point is
/// paired with up to [`PARTNERS`] higher-numbered points of its square, and with the first
/// [`PARTNERS`] points of the squares to the right, upper left, above and upper right.
fn near_in_grid(points: &[Point], mut add: impl FnMut(usize, usize)) {
    let low = |of: fn(&Point) -> i64| points.iter().map(of).min().unwrap_or(0);
    let high = |of: fn(&Point) -> i64| points.iter().map(of).max().unwrap_or(0);
    let (x0, y0) = (low(|p| p.0), low(|p| p.1));
    let (width, height) = (high(|p| p.0) - x0 + 1, high(|p| p.1) - y0 + 1);
    let side = ((points.len() as f64 / 2.0).sqrt().ceil() as i64).max(1);
    let mut squares: std::collections::BTreeMap<(i64, i64), Vec<usize>> = Default::default();
    for (number, point) in points.iter().enumerate() {
        let square = ((point.0 - x0) * side / width, (point.1 - y0) * side / height);
        squares.entry(square).or_default().push(number);
    }
    for ((x, y), inside) in &squares {
        for (at, a) in inside.iter().enumerate() {
            inside[at + 1..].iter().take(PARTNERS).for_each(|b| add(*a, *b));
            for beside in [(x + 1, *y), (x - 1, y + 1), (*x, y + 1), (x + 1, y + 1)] {
                let there = squares.get(&beside).map_or(&[][..], Vec::as_slice);
                there.iter().take(PARTNERS).for_each(|b| add(*a, *b));
            }
        }
    }
}

/// Rule 5.
fn with_medians(points: &[Point], spanning: &[(usize, usize)]) -> Edges {
    let mut points = points.to_vec();
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
    for &(a, b) in spanning {
        beside[a].push(b);
        beside[b].push(a);
    }
    let replace = |list: &mut Vec<usize>, gone: &[usize], new: usize| {
        list.retain(|other| !gone.contains(other));
        list.push(new);
    };
    for _ in 0..VISITS {
        let mut changed = false;
        let mut at = 0;
        while at < points.len() {
            while let Some((a, b, median)) = best_median(&points, &beside, at) {
                changed = true;
                let lies_on = [(a, b), (b, a)].into_iter().find(|(on, _)| points[*on] == median);
                if let Some((on, other)) = lies_on {
                    beside[at].retain(|end| *end != other);
                    beside[on].push(other);
                    replace(&mut beside[other], &[at], on);
                    continue;
                }
                let new = points.len();
                points.push(median);
                beside.push(vec![at, a, b]);
                replace(&mut beside[at], &[a, b], new);
                replace(&mut beside[a], &[at], new);
                replace(&mut beside[b], &[at], new);
            }
            at += 1;
        }
        if !changed {
            break;
        }
    }
    let mut edges = Vec::new();
    for (a, list) in beside.iter().enumerate() {
        let mut list: Vec<usize> = list.iter().copied().filter(|b| a < *b).collect();
        list.sort_unstable();
        edges.extend(list.into_iter().map(|b| (a, b)));
    }
    (points, edges)
}

fn best_median(
    points: &[Point],
    beside: &[Vec<usize>],
    at: usize,
) -> Option<(usize, usize, Point)> {
    let looked_at = &beside[at][..beside[at].len().min(LOOKED_AT)];
    type Best = ((i64, (usize, usize)), Point);
    let mut best: Option<Best> = None;
    for (place, first) in looked_at.iter().enumerate() {
        for second in &looked_at[place + 1..] {
            let (a, b) = (*first.min(second), *first.max(second));
            let median = meeting(points[at], points[a], points[b]);
            let saving = distance(points[at], median);
            if saving == 0 {
                continue;
            }
            let rank = (-saving, (a, b));
            if best.is_none_or(|(known, _)| rank < known) {
                best = Some((rank, median));
            }
        }
    }
    best.map(|((_, (a, b)), median)| (a, b, median))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length((points, edges): &Edges) -> i64 {
        edges.iter().map(|(a, b)| distance(points[*a], points[*b])).sum()
    }

    #[test]
    fn small_nets_have_their_known_lengths() {
        assert_eq!(length(&tree(&[(0, 0), (3, 4)])), 7);
        assert_eq!(length(&tree(&[(0, 0), (10, 0), (5, 7)])), 17);
        assert_eq!(length(&tree(&[(0, 0), (5, 0), (10, 0)])), 10);
        // A cross of two wires through one median point.
        assert_eq!(length(&tree(&[(5, 0), (5, 10), (0, 5), (10, 5)])), 20);
    }

    #[test]
    fn a_tree_spans_its_points() {
        for count in [4, 9, 48, 49, 200] {
            let points: Vec<Point> =
                (0..count).map(|i: i64| (i * i * 37 % 101, i * 53 % 97)).collect();
            let (all, edges) = tree(&points);
            assert_eq!(edges.len() + 1, all.len());
            let mut met = vec![false; all.len()];
            let mut open = vec![0];
            while let Some(at) = open.pop() {
                if !std::mem::replace(&mut met[at], true) {
                    let ends = edges.iter().filter(|(a, b)| *a == at || *b == at);
                    open.extend(ends.map(|(a, b)| a + b - at));
                }
            }
            assert!(met.iter().all(|met| *met), "{count}");
        }
    }
}
