//! Row segments with their cells in order, in whole sites.

use cellwright_db::Point;

use crate::detailed::state::State;
use crate::legal::rows::{Segment, width_in};
use crate::problem::NONE;

/// Segments, and which node stands in which.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) segments: Vec<Segment>,
    /// Nodes of each segment from left to right.
    pub(crate) cells: Vec<Vec<u32>>,
    /// Segment of each node, or [`NONE`] for one that this pass leaves alone.
    pub(crate) of: Vec<u32>,
    /// Fence of each segment.
    pub(crate) fence: Vec<u32>,
    /// y and segments of each level, ascending.
    pub(crate) levels: Vec<(i32, std::ops::Range<usize>)>,
}

impl Shelf {
    pub(crate) fn new(segments: Vec<(u32, Segment)>, nodes: usize) -> Shelf {
        let mut segments = segments;
        segments.sort_by_key(|(_, segment)| (segment.row.y, segment.x(segment.lo)));
        let mut levels: Vec<(i32, std::ops::Range<usize>)> = Vec::new();
        for (i, (_, segment)) in segments.iter().enumerate() {
            match levels.last_mut() {
                Some((y, range)) if *y == segment.row.y => range.end = i + 1,
                _ => levels.push((segment.row.y, i..i + 1)),
            }
        }
        Shelf {
            cells: vec![Vec::new(); segments.len()],
            of: vec![NONE; nodes],
            fence: segments.iter().map(|(fence, _)| *fence).collect(),
            segments: segments.into_iter().map(|(_, segment)| segment).collect(),
            levels,
        }
    }

    /// The segment at a point of a row.
    pub(crate) fn find(&self, at: Point) -> Option<usize> {
        let level = self.levels.binary_search_by_key(&at.y, |level| level.0).ok()?;
        self.find_in(level, at.x)
    }

    /// The segment of a level that holds `x`.
    pub(crate) fn find_in(&self, level: usize, x: i32) -> Option<usize> {
        let range = self.levels[level].1.clone();
        let first = range.start;
        let at = self.segments[range].partition_point(|segment| segment.x(segment.lo) <= x);
        let index = first + at.checked_sub(1)?;
        let segment = &self.segments[index];
        (x < segment.x(segment.hi)).then_some(index)
    }

    /// First site of a node in its segment's row.
    pub(crate) fn site(&self, state: &State<'_>, segment: usize, node: u32) -> i32 {
        let row = &self.segments[segment].row;
        (state.place.at[node as usize].x - row.x) / row.step
    }

    /// Sites that a node takes in a segment.
    pub(crate) fn width(&self, state: &State<'_>, segment: usize, node: u32) -> i32 {
        width_in(state.problem, node as usize, self.segments[segment].row.step)
    }

    /// Position of a node in its segment's list.
    pub(crate) fn rank(&self, state: &State<'_>, segment: usize, node: u32) -> usize {
        let x = state.place.at[node as usize].x;
        self.cells[segment].partition_point(|other| state.place.at[*other as usize].x < x)
    }

    /// The sites between the neighbours of the cell at `rank`.
    pub(crate) fn room(&self, state: &State<'_>, segment: usize, rank: usize) -> (i32, i32) {
        let cells = &self.cells[segment];
        let left = match rank.checked_sub(1).map(|left| cells[left]) {
            None => self.segments[segment].lo,
            Some(left) => self.site(state, segment, left) + self.width(state, segment, left),
        };
        let right = match cells.get(rank + 1) {
            None => self.segments[segment].hi,
            Some(right) => self.site(state, segment, *right),
        };
        (left, right)
    }

    /// Takes a node out of its segment's list.
    pub(crate) fn remove(&mut self, segment: usize, node: u32) {
        self.cells[segment].retain(|other| *other != node);
    }

    /// Puts a node into a segment's list at the place its x says.
    pub(crate) fn insert(&mut self, state: &State<'_>, segment: usize, node: u32) {
        let rank = self.rank(state, segment, node);
        self.cells[segment].insert(rank, node);
        self.of[node as usize] = segment as u32;
    }
}
