//! An agent's own picture of the placement: which cell stands where in which row, where gaps are,
//! and which cells a net joins.

use std::collections::HashMap;

use cellwright_contract::agent::AgentError;
use cellwright_contract::delta::DesignDelta;
use cellwright_contract::geometry::{Orient, Position};
use cellwright_contract::platform::{CellInfo, PlatformError, View};
use cellwright_contract::refs::ObjectRef;

/// A stretch of sites without interruption by fixed cells; all lengths in DBU.
#[derive(Debug, Clone)]
pub struct Segment {
    /// Left end, on the row's grid.
    pub x0: i64,
    /// Right end.
    pub x1: i64,
    /// Bottom.
    pub y: i64,
    /// Orientation of a cell that stands in it.
    pub orient: Orient,
    /// Distance of sites.
    pub step: i64,
    /// Movable cells by ascending x.
    pub cells: Vec<usize>,
}

/// One instance.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Stable id.
    pub id: ObjectRef,
    /// Master.
    pub master: String,
    /// Where it stands.
    pub at: Position,
    /// Width as placed, DBU.
    pub width: i64,
    /// Height as placed, DBU.
    pub height: i64,
    /// Segment, for a cell that the agent may move within rows.
    pub segment: Option<usize>,
    /// May get another master.
    pub resizable: bool,
    /// Nets by number in [`Floor::nets`].
    pub nets: Vec<usize>,
}

/// What hangs on a net.
#[derive(Debug, Clone, Default)]
pub struct Net {
    /// Cells, each once.
    pub cells: Vec<usize>,
    /// Places of ports, DBU.
    pub ports: Vec<(i64, i64)>,
}

/// The picture.
#[derive(Debug, Clone, Default)]
pub struct Floor {
    /// All placed instances in id order.
    pub cells: Vec<Cell>,
    /// Row segments by ascending (y, x).
    pub segments: Vec<Segment>,
    /// Nets.
    pub nets: Vec<Net>,
    /// Cells that may be moved, by number.
    pub movable: Vec<usize>,
    by_id: HashMap<ObjectRef, usize>,
}

const PAGE: u64 = 10_000;
/// Nets with more pins than this say little about where one cell should stand.
const MAX_PINS: usize = 64;

impl Floor {
    /// Looks at a design.
    ///
    /// # Errors
    /// What the platform answers.
    pub fn read(view: &dyn View) -> Result<Floor, AgentError> {
        let mut floor = Floor::default();
        let mut infos: Vec<CellInfo> = Vec::new();
        loop {
            let page = view.cells(infos.len() as u64, PAGE)?;
            let last = (page.len() as u64) < PAGE;
            infos.extend(page);
            if last {
                break;
            }
        }
        infos.retain(|info| info.position.is_some());
        floor.read_segments(view, &infos)?;
        let mut net_numbers: HashMap<ObjectRef, usize> = HashMap::new();
        for info in infos {
            let Some(at) = info.position else { continue };
            let number = floor.cells.len();
            let segment = info.movable.then(|| floor.segment_at(at.x, at.y, info.width)).flatten();
            let nets = info.nets.into_iter().map(|net| {
                let next = net_numbers.len();
                *net_numbers.entry(net).or_insert(next)
            });
            let cell = Cell {
                id: info.id.clone(),
                master: info.master,
                at,
                width: info.width,
                height: info.height,
                segment,
                resizable: info.resizable,
                nets: nets.collect(),
            };
            if let Some(segment) = segment {
                floor.segments[segment].cells.push(number);
                floor.movable.push(number);
            }
            floor.by_id.insert(info.id, number);
            floor.cells.push(cell);
        }
        for segment in 0..floor.segments.len() {
            floor.sort(segment);
        }
        let mut refs: Vec<(usize, ObjectRef)> = Vec::with_capacity(net_numbers.len());
        refs.extend(net_numbers.into_iter().map(|(net, number)| (number, net)));
        refs.sort_unstable_by_key(|(number, _)| *number);
        for (_, net) in refs {
            floor.nets.push(floor.read_net(view, &net)?);
        }
        Ok(floor)
    }

    fn read_net(&self, view: &dyn View, net: &ObjectRef) -> Result<Net, PlatformError> {
        let info = view.net(net)?;
        let mut net = Net::default();
        if info.pins.len() > MAX_PINS || info.clock {
            return Ok(net);
        }
        for pin in info.pins {
            match pin.cell.and_then(|cell| self.by_id.get(&cell)) {
                Some(cell) => net.cells.push(*cell),
                None => net.ports.extend(pin.at),
            }
        }
        net.cells.sort_unstable();
        net.cells.dedup();
        Ok(net)
    }

    /// Rows, cut where cells stand that the agent cannot move within one row.
    fn read_segments(&mut self, view: &dyn View, cells: &[CellInfo]) -> Result<(), PlatformError> {
        let mut rows = view.rows()?;
        rows.sort_by_key(|row| (row.origin.y, row.origin.x));
        let height = rows.iter().map(|row| row.height).min().unwrap_or(0);
        let obstacles: Vec<&CellInfo> =
            cells.iter().filter(|cell| !cell.movable || cell.height != height).collect();
        for row in rows {
            if row.height != height || row.step <= 0 {
                continue;
            }
            let (x0, y) = (row.origin.x, row.origin.y);
            let x1 = x0 + i64::from(row.sites) * row.step;
            let mut cuts: Vec<(i64, i64)> = obstacles
                .iter()
                .filter_map(|cell| cell.position.map(|at| (at, cell)))
                .filter(|(at, cell)| at.y < y + row.height && at.y + cell.height > y)
                .map(|(at, cell)| (at.x, at.x + cell.width))
                .filter(|(a, b)| *a < x1 && *b > x0)
                .collect();
            cuts.sort_unstable();
            let on_grid_up = |x: i64| x0 + (x - x0 + row.step - 1).div_euclid(row.step) * row.step;
            let mut left = x0;
            for (a, b) in cuts.into_iter().chain([(x1, x1)]) {
                let right = a.min(x1);
                if right - left >= row.step {
                    self.segments.push(Segment {
                        x0: left,
                        x1: right,
                        y,
                        orient: row.origin.orient,
                        step: row.step,
                        cells: Vec::new(),
                    });
                }
                left = left.max(on_grid_up(b));
            }
        }
        Ok(())
    }

    fn segment_at(&self, x: i64, y: i64, width: i64) -> Option<usize> {
        let after = self.segments.partition_point(|s| (s.y, s.x0) <= (y, x));
        let segment = after.checked_sub(1)?;
        let s = &self.segments[segment];
        (s.y == y && x + width <= s.x1 && (x - s.x0) % s.step == 0).then_some(segment)
    }

    fn sort(&mut self, segment: usize) {
        let mut cells = std::mem::take(&mut self.segments[segment].cells);
        cells.sort_by_key(|cell| self.cells[*cell].at.x);
        self.segments[segment].cells = cells;
    }

    /// Place of a cell in its segment's list.
    fn rank(&self, segment: usize, x: i64) -> usize {
        self.segments[segment].cells.partition_point(|cell| self.cells[*cell].at.x < x)
    }

    /// Free space at both sides of a cell within its segment: where its left neighbour ends and
    /// where its right neighbour begins, DBU.
    pub fn room(&self, cell: usize) -> Option<(i64, i64)> {
        let segment = self.cells[cell].segment?;
        let s = &self.segments[segment];
        let rank = self.rank(segment, self.cells[cell].at.x);
        let left = rank.checked_sub(1).map(|rank| &self.cells[s.cells[rank]]);
        let right = s.cells.get(rank + 1).map(|cell| &self.cells[*cell]);
        Some((
            left.map_or(s.x0, |cell| cell.at.x + cell.width),
            right.map_or(s.x1, |cell| cell.at.x),
        ))
    }

    /// The free stretch of segment `segment` nearest to `x` that takes `width`, as the place of its
    /// left end on the grid. `skip` counts as absent.
    pub fn gap(&self, segment: usize, x: i64, width: i64, skip: usize) -> Option<i64> {
        let s = &self.segments[segment];
        let mut best: Option<(i64, i64)> = None;
        let mut left = s.x0;
        // Only gaps around the wanted place: a window of cells to both sides.
        let rank = self.rank(segment, x);
        let (first, last) = (rank.saturating_sub(12), (rank + 12).min(s.cells.len()));
        if let Some(before) = first.checked_sub(1) {
            let cell = &self.cells[s.cells[before]];
            left = cell.at.x + cell.width;
        }
        let end = s.cells.get(last).map_or(s.x1, |cell| self.cells[*cell].at.x);
        let inner = s.cells[first..last].iter().filter(|cell| **cell != skip).map(|cell| {
            let cell = &self.cells[*cell];
            (cell.at.x, cell.at.x + cell.width)
        });
        for (a, b) in inner.chain([(end, end)]) {
            let lo = s.x0 + (left - s.x0 + s.step - 1).div_euclid(s.step) * s.step;
            if a - lo >= width {
                let hi = s.x0 + (a - width - s.x0).div_euclid(s.step) * s.step;
                let wanted = s.x0 + (x - s.x0).div_euclid(s.step) * s.step;
                let at = wanted.clamp(lo, hi.max(lo));
                let distance = (at - x).abs();
                if best.is_none_or(|(d, _)| distance < d) {
                    best = Some((distance, at));
                }
            }
            left = left.max(b);
        }
        best.map(|(_, at)| at)
    }

    /// The segment whose row is nearest to (x, y), and that reaches nearest to x.
    pub fn nearest_segment(&self, x: i64, y: i64) -> Option<usize> {
        let after = self.segments.partition_point(|s| s.y <= y);
        let rows = [
            after.checked_sub(1).map(|s| self.segments[s].y),
            self.segments.get(after).map(|s| s.y),
        ];
        let row = rows.into_iter().flatten().min_by_key(|row| (row - y).abs())?;
        let first = self.segments.partition_point(|s| s.y < row);
        let last = self.segments.partition_point(|s| s.y <= row);
        (first..last).min_by_key(|s| {
            let s = &self.segments[*s];
            (s.x0 - x).max(x - s.x1).max(0)
        })
    }

    /// Where the nets of a cell pull it: the median of the other ends of its nets, DBU.
    pub fn pull(&self, cell: usize) -> Option<(i64, i64)> {
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        for net in &self.cells[cell].nets {
            let net = &self.nets[*net];
            // A net pulls towards its box: both ends of it count, as for the optimal region.
            let others = net.cells.iter().filter(|other| **other != cell).map(|other| {
                let other = &self.cells[*other];
                (other.at.x + other.width / 2, other.at.y + other.height / 2)
            });
            let ends: Vec<(i64, i64)> = others.chain(net.ports.iter().copied()).collect();
            let lo = ends.iter().copied().reduce(|a, b| (a.0.min(b.0), a.1.min(b.1)));
            let hi = ends.iter().copied().reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)));
            for (x, y) in lo.into_iter().chain(hi) {
                xs.push(x);
                ys.push(y);
            }
        }
        let middle = |values: &mut Vec<i64>| {
            values.sort_unstable();
            values.get(values.len() / 2).copied()
        };
        Some((middle(&mut xs)?, middle(&mut ys)?))
    }

    /// The cells of one segment within `reach` positions of `x`.
    pub fn around(&self, segment: usize, x: i64, reach: usize) -> &[usize] {
        let rank = self.rank(segment, x);
        let cells = &self.segments[segment].cells;
        &cells[rank.saturating_sub(reach)..(rank + reach).min(cells.len())]
    }

    /// Follows a delta that became the head.
    pub fn follow(&mut self, delta: &DesignDelta, width_of: &dyn Fn(&str) -> Option<i64>) {
        let mut touched = Vec::new();
        for change in &delta.moved_cells {
            let Some(&cell) = self.by_id.get(&change.cell_id) else { continue };
            if let Some(old) = self.cells[cell].segment {
                self.segments[old].cells.retain(|other| *other != cell);
            }
            self.cells[cell].at = change.to;
            let new = self.segment_at(change.to.x, change.to.y, self.cells[cell].width);
            self.cells[cell].segment = new;
            if let Some(new) = new {
                self.segments[new].cells.push(cell);
                touched.push(new);
            }
        }
        for change in &delta.resized_cells {
            let Some(&cell) = self.by_id.get(&change.cell_id) else { continue };
            self.cells[cell].master.clone_from(&change.to_master);
            if let Some(width) = width_of(&change.to_master) {
                self.cells[cell].width = width;
            }
        }
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().for_each(|segment| self.sort(segment));
    }
}
