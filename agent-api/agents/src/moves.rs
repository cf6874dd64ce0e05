//! Kinds of change, each computed from the [`Floor`] so that it is legal by construction where the
//! floor knows enough: on a site, inside a gap, no overlap.

use cellwright_contract::agent::AgentError;
use cellwright_contract::delta::{CellMove, CellResize, DesignDelta};
use cellwright_contract::geometry::{Orient, Position};
use cellwright_contract::platform::{MasterInfo, View};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

use crate::floor::Floor;

/// One change with the cells that it touches.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The change.
    pub delta: DesignDelta,
    /// Cells by number in the floor, the changed ones first.
    pub cells: Vec<usize>,
}

/// Masters by name with the ones that may replace them.
#[derive(Debug, Clone, Default)]
pub struct Variants {
    known: HashMap<String, Vec<MasterInfo>>,
}

impl Variants {
    /// The variants of a master, weakest drive first.
    ///
    /// # Errors
    /// What the platform answers.
    pub fn of(&mut self, view: &dyn View, master: &str) -> Result<&[MasterInfo], AgentError> {
        if !self.known.contains_key(master) {
            let list = view.variants(master)?;
            self.known.insert(master.to_owned(), list);
        }
        Ok(self.known.get(master).map_or(&[], |list| list))
    }
    /// Width of a master that was asked about before, DBU.
    pub fn width(&self, master: &str) -> Option<i64> {
        let list = self.known.get(master)?;
        list.iter().find(|info| info.name == master).map(|info| info.width)
    }
}

fn moved(floor: &Floor, cell: usize, to: Position) -> CellMove {
    CellMove { cell_id: floor.cells[cell].id.clone(), from: floor.cells[cell].at, to }
}

/// Keeps a cell's left-right mirroring when it enters a row of another orientation.
fn orient_in_row(row: Orient, now: Orient) -> Orient {
    let mirrored = matches!(now, Orient::FN | Orient::S);
    match (row, mirrored) {
        (Orient::N | Orient::FN, false) => Orient::N,
        (Orient::N | Orient::FN, true) => Orient::FN,
        (Orient::S | Orient::FS, false) => Orient::FS,
        (Orient::S | Orient::FS, true) => Orient::S,
        (other, _) => other,
    }
}

/// Moves a cell into the free stretch nearest to (x, y).
pub fn relocate(floor: &Floor, cell: usize, x: i64, y: i64) -> Option<Candidate> {
    let segment = floor.nearest_segment(x, y)?;
    let width = floor.cells[cell].width;
    let left = floor.gap(segment, x - width / 2, width, cell)?;
    let s = &floor.segments[segment];
    let now = floor.cells[cell].at;
    let to = Position { x: left, y: s.y, orient: orient_in_row(s.orient, now.orient) };
    (to != now).then(|| Candidate {
        delta: DesignDelta { moved_cells: vec![moved(floor, cell, to)], ..Default::default() },
        cells: vec![cell],
    })
}

/// Swaps a cell with one of its width near (x, y).
pub fn swap(
    floor: &Floor,
    cell: usize,
    x: i64,
    y: i64,
    random: &mut ChaCha8Rng,
) -> Option<Candidate> {
    let segment = floor.nearest_segment(x, y)?;
    let width = floor.cells[cell].width;
    let fits = |other: &&usize| **other != cell && floor.cells[**other].width == width;
    let near: Vec<usize> = floor.around(segment, x, 16).iter().filter(fits).copied().collect();
    let other = *near.get(random.random_range(0..near.len().max(1)))?;
    let (a, b) = (floor.cells[cell].at, floor.cells[other].at);
    let rows = (floor.cells[cell].segment?, floor.cells[other].segment?);
    let (row_a, row_b) = (floor.segments[rows.0].orient, floor.segments[rows.1].orient);
    let to_b = Position { orient: orient_in_row(row_b, a.orient), ..b };
    let to_a = Position { orient: orient_in_row(row_a, b.orient), ..a };
    let moved_cells = vec![moved(floor, cell, to_b), moved(floor, other, to_a)];
    Some(Candidate {
        delta: DesignDelta { moved_cells, ..Default::default() },
        cells: vec![cell, other],
    })
}

/// Exchanges a cell with its right neighbour, whatever their widths: together they keep the stretch
/// that they had.
pub fn reorder(floor: &Floor, cell: usize) -> Option<Candidate> {
    let segment = floor.cells[cell].segment?;
    let at = floor.cells[cell].at;
    let right = *floor.around(segment, at.x + 1, 1).iter().find(|other| **other != cell)?;
    let (a, b) = (&floor.cells[cell], &floor.cells[right]);
    if b.at.x < a.at.x + a.width || b.at.y != a.at.y {
        return None;
    }
    let to_left = Position { x: a.at.x, ..b.at };
    let to_right = Position { x: b.at.x + b.width - a.width, ..a.at };
    let moved_cells = vec![moved(floor, cell, to_right), moved(floor, right, to_left)];
    Some(Candidate {
        delta: DesignDelta { moved_cells, ..Default::default() },
        cells: vec![cell, right],
    })
}

/// Mirrors a cell about the y axis where it stands.
pub fn flip(floor: &Floor, cell: usize) -> Option<Candidate> {
    let at = floor.cells[cell].at;
    let orient = match at.orient {
        Orient::N => Orient::FN,
        Orient::FN => Orient::N,
        Orient::S => Orient::FS,
        Orient::FS => Orient::S,
        _ => return None,
    };
    let to = Position { orient, ..at };
    Some(Candidate {
        delta: DesignDelta { moved_cells: vec![moved(floor, cell, to)], ..Default::default() },
        cells: vec![cell],
    })
}

/// Gives a cell the next stronger (`up`) or weaker variant, moving it within the free space around
/// it when the new one is wider.
pub fn resize(floor: &Floor, variants: &[MasterInfo], cell: usize, up: bool) -> Option<Candidate> {
    let now = &floor.cells[cell];
    if !now.resizable {
        return None;
    }
    let rank = variants.iter().position(|info| info.name == now.master)?;
    let rank = if up { rank + 1 } else { rank.checked_sub(1)? };
    let new = variants.get(rank)?;
    let (left, right) = floor.room(cell)?;
    let segment = &floor.segments[now.segment?];
    let mut moved_cells = Vec::new();
    if now.at.x + new.width > right {
        // Not enough room to the right: begin further left, on a site.
        let x =
            segment.x0 + (right - new.width - segment.x0).div_euclid(segment.step) * segment.step;
        if x < left {
            return None;
        }
        moved_cells.push(moved(floor, cell, Position { x, ..now.at }));
    }
    let resized = CellResize {
        cell_id: now.id.clone(),
        from_master: now.master.clone(),
        to_master: new.name.clone(),
    };
    Some(Candidate {
        delta: DesignDelta { moved_cells, resized_cells: vec![resized], ..Default::default() },
        cells: vec![cell],
    })
}

/// Puts several changes of different cells together.
pub fn join<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> DesignDelta {
    let mut delta = DesignDelta::default();
    for candidate in candidates {
        delta.moved_cells.extend(candidate.delta.moved_cells.iter().cloned());
        delta.resized_cells.extend(candidate.delta.resized_cells.iter().cloned());
    }
    delta
}
