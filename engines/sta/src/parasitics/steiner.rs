//! Rectilinear Steiner trees.
//!
//! Two and three pins are joined exactly (three meet in their median point). More start from a
//! rectilinear minimum spanning tree (Prim up to [`EXACT_MST`] pins; above that Kruskal over the
//! near neighbours in x, y and diagonal order, O(n log n)) and take median points in: at a node
//! with two neighbours, the three may meet where the tree gets shorter, best gain first. All
//! choices are by length, then by index, so the tree depends on nothing else.

use cellwright_db::Point;

/// Largest number of pins with an exact minimum spanning tree.
const EXACT_MST: usize = 48;

/// A tree; the first points are those given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// The given points in their order, then Steiner points.
    pub points: Vec<Point>,
    /// Edges by point number.
    pub edges: Vec<(u32, u32)>,
}

impl Tree {
    /// Total rectilinear length, DBU.
    pub fn length(&self) -> i64 {
        let at = |i: u32| self.points[i as usize];
        self.edges.iter().map(|(a, b)| distance(at(*a), at(*b))).sum()
    }
}

/// Rectilinear distance, DBU.
pub(super) fn distance(a: Point, b: Point) -> i64 {
    (i64::from(a.x) - i64::from(b.x)).abs() + (i64::from(a.y) - i64::from(b.y)).abs()
}

fn median(a: Point, b: Point, c: Point) -> Point {
    let middle = |a: i32, b: i32, c: i32| a.max(b).min(a.min(b).max(c));
    Point::new(middle(a.x, b.x, c.x), middle(a.y, b.y, c.y))
}

/// Every point by its own edge from the first.
pub(super) fn star(points: &[Point]) -> Tree {
    Tree { points: points.to_vec(), edges: (1..points.len() as u32).map(|i| (0, i)).collect() }
}

/// A short rectilinear tree through `points`.
pub fn steiner(points: &[Point]) -> Tree {
    match points.len() {
        0..=2 => star(points),
        3 => {
            let middle = median(points[0], points[1], points[2]);
            let mut tree = Tree { points: points.to_vec(), edges: Vec::new() };
            let hub = match points.iter().position(|point| *point == middle) {
                Some(at) => at as u32,
                None => {
                    tree.points.push(middle);
                    3
                }
            };
            tree.edges.extend((0..3).filter(|i| *i != hub).map(|i| (hub, i)));
            tree
        }
        n => {
            let edges = if n <= EXACT_MST { prim(points) } else { kruskal(points) };
            refine(points, &edges)
        }
    }
}

fn prim(points: &[Point]) -> Vec<(u32, u32)> {
    let n = points.len();
    let mut best: Vec<(i64, u32)> = points.iter().map(|p| (distance(points[0], *p), 0)).collect();
    let mut open: Vec<u32> = (1..n as u32).collect();
    let mut edges = Vec::with_capacity(n - 1);
    while !open.is_empty() {
        let mut near = 0;
        for at in 1..open.len() {
            let (a, b) = (open[at], open[near]);
            if (best[a as usize].0, a) < (best[b as usize].0, b) {
                near = at;
            }
        }
        let node = open.swap_remove(near);
        edges.push((best[node as usize].1, node));
        for &other in &open {
            let length = distance(points[node as usize], points[other as usize]);
            let slot = &mut best[other as usize];
            if (length, node) < *slot {
                *slot = (length, node);
            }
        }
    }
    edges
}

fn kruskal(points: &[Point]) -> Vec<(u32, u32)> {
    const NEIGHBOURS: usize = 6;
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let mut candidates: Vec<(i64, u32, u32)> = Vec::new();
    let keys: [fn(Point) -> (i64, i64); 4] = [
        |p| (i64::from(p.x), i64::from(p.y)),
        |p| (i64::from(p.y), i64::from(p.x)),
        |p| (i64::from(p.x) + i64::from(p.y), i64::from(p.x)),
        |p| (i64::from(p.x) - i64::from(p.y), i64::from(p.x)),
    ];
    for key in keys {
        order.sort_unstable_by_key(|i| (key(points[*i as usize]), *i));
        for (at, &a) in order.iter().enumerate() {
            for &b in order[at + 1..].iter().take(NEIGHBOURS) {
                let length = distance(points[a as usize], points[b as usize]);
                candidates.push((length, a.min(b), a.max(b)));
            }
        }
    }
    grid_candidates(points, &mut candidates);
    candidates.sort_unstable();
    candidates.dedup();
    let mut parent: Vec<u32> = (0..points.len() as u32).collect();
    fn find(parent: &mut [u32], mut node: u32) -> u32 {
        while parent[node as usize] != node {
            parent[node as usize] = parent[parent[node as usize] as usize];
            node = parent[node as usize];
        }
        node
    }
    let mut edges = Vec::with_capacity(points.len() - 1);
    for (_, a, b) in candidates {
        let (ra, rb) = (find(&mut parent, a), find(&mut parent, b));
        if ra != rb {
            parent[ra.max(rb) as usize] = ra.min(rb);
            edges.push((a, b));
        }
    }
    edges
}

/// Pairs in the same or in touching buckets of a grid with about two points per bucket.
fn grid_candidates(points: &[Point], candidates: &mut Vec<(i64, u32, u32)>) {
    let xs = || points.iter().map(|p| i64::from(p.x));
    let ys = || points.iter().map(|p| i64::from(p.y));
    let (x0, y0) = (xs().min().unwrap_or(0), ys().min().unwrap_or(0));
    let (w, h) = (xs().max().unwrap_or(0) - x0 + 1, ys().max().unwrap_or(0) - y0 + 1);
    let side = ((points.len() as f64 / 2.0).sqrt().ceil() as i64).max(1);
    let bucket = |p: Point| ((i64::from(p.x) - x0) * side / w, (i64::from(p.y) - y0) * side / h);
    let mut order: Vec<(i64, i64, u32)> = (0..points.len() as u32)
        .map(|i| {
            let (x, y) = bucket(points[i as usize]);
            (y, x, i)
        })
        .collect();
    order.sort_unstable();
    let cell = |y: i64, x: i64| {
        let from = order.partition_point(|entry| (entry.0, entry.1) < (y, x));
        let to = order.partition_point(|entry| (entry.0, entry.1) <= (y, x));
        &order[from..to]
    };
    const MOST: usize = 12;
    for (at, &(y, x, a)) in order.iter().enumerate() {
        let same = order[at + 1..].iter().take_while(|other| (other.0, other.1) == (y, x));
        let around = [(y, x + 1), (y + 1, x - 1), (y + 1, x), (y + 1, x + 1)];
        let near = around.iter().flat_map(|(y, x)| cell(*y, *x).iter().take(MOST));
        for &(_, _, b) in same.take(MOST).chain(near) {
            let length = distance(points[a as usize], points[b as usize]);
            candidates.push((length, a.min(b), a.max(b)));
        }
    }
}

/// Takes median points in where they shorten the tree.
fn refine(points: &[Point], edges: &[(u32, u32)]) -> Tree {
    let mut points = points.to_vec();
    let given = points.len();
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); given];
    for &(a, b) in edges {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    // A few sweeps: each takes the best pair at every node until none gains.
    for _ in 0..3 {
        let mut changed = false;
        let mut node = 0;
        while node < points.len() {
            while let Some((a, b, middle)) = best_pair(&points, &neighbours, node as u32) {
                changed = true;
                // A median on a neighbour: the other one hangs on it instead.
                let on =
                    [(a, b), (b, a)].into_iter().find(|(on, _)| points[*on as usize] == middle);
                if let Some((on, other)) = on {
                    neighbours[node].retain(|end| *end != other);
                    neighbours[on as usize].push(other);
                    let list = &mut neighbours[other as usize];
                    list.retain(|end| *end != node as u32);
                    list.push(on);
                    continue;
                }
                let hub = points.len() as u32;
                points.push(middle);
                neighbours.push(vec![node as u32, a, b]);
                neighbours[node].retain(|other| *other != a && *other != b);
                neighbours[node].push(hub);
                for end in [a, b] {
                    let list = &mut neighbours[end as usize];
                    list.retain(|other| *other != node as u32);
                    list.push(hub);
                }
            }
            node += 1;
        }
        if !changed {
            break;
        }
    }
    let mut edges = Vec::with_capacity(points.len());
    for (a, list) in neighbours.iter().enumerate() {
        let mut list = list.clone();
        list.sort_unstable();
        edges.extend(list.into_iter().filter(|b| a < *b as usize).map(|b| (a as u32, b)));
    }
    Tree { points, edges }
}

fn best_pair(points: &[Point], neighbours: &[Vec<u32>], node: u32) -> Option<(u32, u32, Point)> {
    let at = points[node as usize];
    let list = &neighbours[node as usize];
    // High degrees only arise from coinciding pins; the first few pairs serve.
    let list = &list[..list.len().min(10)];
    let mut best: Option<(i64, u32, u32, Point)> = None;
    for (i, &a) in list.iter().enumerate() {
        for &b in &list[i + 1..] {
            let (pa, pb) = (points[a as usize], points[b as usize]);
            let middle = median(at, pa, pb);
            let gain = distance(at, middle);
            if gain == 0 {
                continue;
            }
            let (a, b) = (a.min(b), a.max(b));
            if best.is_none_or(|(g, x, y, _)| gain > g || (gain == g && (a, b) < (x, y))) {
                best = Some((gain, a, b, middle));
            }
        }
    }
    best.map(|(_, a, b, middle)| (a, b, middle))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(tree: &Tree) -> bool {
        let mut seen = vec![false; tree.points.len()];
        let mut stack = vec![0_u32];
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            for &(a, b) in &tree.edges {
                if a == node {
                    stack.push(b);
                } else if b == node {
                    stack.push(a);
                }
            }
        }
        seen.iter().all(|seen| *seen) && tree.edges.len() + 1 == tree.points.len()
    }

    fn points(count: usize, seed: u64) -> Vec<Point> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as i32 % 1000
        };
        (0..count).map(|_| Point::new(next(), next())).collect()
    }

    #[test]
    fn small_nets_are_exact() {
        let three = [Point::new(0, 0), Point::new(10, 0), Point::new(5, 7)];
        assert_eq!(steiner(&three).length(), 17);
        let cross = [Point::new(5, 0), Point::new(5, 10), Point::new(0, 5), Point::new(10, 5)];
        let tree = steiner(&cross);
        assert!(tree.length() <= 20 && spans(&tree), "{tree:?}");
    }

    #[test]
    fn trees_span_and_are_no_longer_than_spanning_trees() {
        for (count, seed) in (4..60).map(|n| (n, n as u64)).chain([(49, 7), (300, 1), (3000, 2)]) {
            let points = points(count, seed);
            let tree = steiner(&points);
            assert!(spans(&tree), "{count}");
            let spanning = Tree { points: points.clone(), edges: prim(&points) };
            let limit = if count <= EXACT_MST { 1.0 } else { 1.02 };
            let (ours, theirs) = (tree.length() as f64, spanning.length() as f64);
            assert!(ours <= theirs * limit, "{count}: {ours} {theirs}");
        }
    }

    #[test]
    fn coinciding_points_are_harmless() {
        let tree = steiner(&[Point::new(3, 3); 200]);
        assert!(spans(&tree));
        assert_eq!(tree.length(), 0);
    }
}
