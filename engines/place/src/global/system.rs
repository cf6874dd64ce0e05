//! Density systems: one for the core outside fences and one per fence, each with its own bins,
//! fillers, field and weight.

use cellwright_db::Rect;

use crate::free::FreeArea;
use crate::global::grid::{Charges, Grid, choose_bins};
use crate::global::poisson::Poisson;
use crate::problem::{NONE, Problem};
use crate::rng::Rng;

/// The frame of global placement: lengths are in `unit` DBU from `origin`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) origin: [f64; 2],
    pub(crate) unit: f64,
}

impl Frame {
    pub(crate) fn to(&self, axis: usize, dbu: f64) -> f64 {
        (dbu - self.origin[axis]) / self.unit
    }
    pub(crate) fn from(&self, axis: usize, value: f64) -> f64 {
        value * self.unit + self.origin[axis]
    }
}

/// Size and number of the fillers of a system.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fillers {
    pub(crate) count: usize,
    /// DBU.
    pub(crate) w: f64,
    /// DBU.
    pub(crate) h: f64,
}

/// What is decided about a system before the frame is known.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) fence: u32,
    pub(crate) nodes: Vec<u32>,
    pub(crate) rect: Rect,
    pub(crate) bins: (usize, usize),
    pub(crate) target: f64,
    pub(crate) raised: bool,
    pub(crate) fillers: Fillers,
    pub(crate) area: FreeArea,
}

impl Plan {
    /// Plans the system of a part of the core for a wished density.
    pub(crate) fn new(problem: &Problem, area: FreeArea, wish: f64) -> Plan {
        let nodes: Vec<u32> = (0..problem.nodes.len() as u32)
            .filter(|node| problem.nodes.fence[*node as usize] == area.fence)
            .collect();
        let rect = bounds(&area).unwrap_or(problem.core);
        let n = &problem.nodes;
        let size = |node: u32| {
            let node = node as usize;
            n.area(node) as f64 * f64::from(n.inflation[node])
        };
        let macros: f64 = nodes.iter().filter(|i| n.is_macro[**i as usize]).map(|i| size(*i)).sum();
        let cells: f64 = nodes.iter().filter(|i| !n.is_macro[**i as usize]).map(|i| size(*i)).sum();
        let free = usable(problem, &area).max(1.0);
        // Macros are as dense as their surroundings are meant to be, so they only take area.
        let needed = cells / (free - macros).max(cells).max(1.0);
        let least = (needed * 1.01 + 0.005).min(1.0);
        let target = wish.max(least);
        let standing: Vec<u32> =
            nodes.iter().copied().filter(|node| !n.is_macro[*node as usize]).collect();
        let average = cells / standing.len().max(1) as f64;
        let core = rect.area() as f64;
        // Bins of a quarter of a cell to one cell. Larger ones do not see how neighbours overlap: the
        // overflow stops falling before the cells are apart, and the legaliser pays for it in wire
        // (medium01 0.6 %, aes on ASAP7 0.9 % of the final length).
        let ideal = if average > 0.0 { 4.0 * core * target / average } else { 0.0 };
        // On a nearly empty die bins of a cell's size would be many more than there are cells.
        let ideal = ideal.min(64.0 * standing.len() as f64 + 256.0);
        let bins = choose_bins(rect.width() as f64, rect.height() as f64, ideal);
        let (w, h) = middle_size(problem, &standing);
        let room = target * (free - macros) - cells;
        let fillers = fillers(room, w, h, standing.len(), rect);
        Plan { fence: area.fence, nodes, rect, bins, target, raised: target > wish, fillers, area }
    }
}

/// Free area of a part, DBU², soft blockages taken out.
fn usable(problem: &Problem, area: &FreeArea) -> f64 {
    let mut free = area.area() as f64;
    for (rect, part) in &problem.soft {
        for slab in overlapping(area, rect) {
            let height = f64::from(slab.y1.min(rect.hi.y) - slab.y0.max(rect.lo.y));
            for &(lo, hi) in slab.free.items() {
                let width = f64::from((hi.min(rect.hi.x) - lo.max(rect.lo.x)).max(0));
                free -= (1.0 - part) * width * height;
            }
        }
    }
    free
}

fn overlapping<'a>(
    area: &'a FreeArea,
    rect: &Rect,
) -> impl Iterator<Item = &'a crate::free::Slab> + use<'a> {
    let first = area.slabs.partition_point(|slab| slab.y1 <= rect.lo.y);
    let top = rect.hi.y;
    area.slabs[first..].iter().take_while(move |slab| slab.y0 < top)
}

fn bounds(area: &FreeArea) -> Option<Rect> {
    let boxes = area.slabs.iter().filter_map(|slab| {
        let (first, last) = (slab.rows.items().first()?, slab.rows.items().last()?);
        Some(Rect::new(first.0, slab.y0, last.1, slab.y1))
    });
    boxes.reduce(|a, b| a.union(&b))
}

/// Mean width and height of the middle 90 % of the standard cells, DBU.
fn middle_size(problem: &Problem, nodes: &[u32]) -> (f64, f64) {
    let middle = |sizes: &[i32]| {
        let mut sizes: Vec<i32> = nodes.iter().map(|node| sizes[*node as usize]).collect();
        sizes.sort_unstable();
        let cut = sizes.len() / 20;
        let kept = &sizes[cut..sizes.len() - cut];
        kept.iter().map(|size| f64::from(*size)).sum::<f64>() / kept.len().max(1) as f64
    };
    if nodes.is_empty() {
        return (0.0, 0.0);
    }
    (middle(&problem.nodes.w), middle(&problem.nodes.h))
}

/// Fillers that take `room` DBU². Where room is plenty they are made larger, not more.
fn fillers(room: f64, w: f64, h: f64, cells: usize, rect: Rect) -> Fillers {
    if room <= 0.0 || w <= 0.0 || h <= 0.0 {
        return Fillers::default();
    }
    let most = (3 * cells).max(200) as f64;
    let grow = (room / (w * h) / most).sqrt().max(1.0);
    let w = (w * grow).min(rect.width() as f64 / 4.0);
    let h = (h * grow).min(rect.height() as f64 / 4.0);
    Fillers { count: (room / (w * h)) as usize, w, h }
}

/// A density system in the frame.
#[derive(Debug)]
pub(crate) struct System {
    pub(crate) grid: Grid,
    pub(crate) target: f32,
    /// Density that fixed things bring into each bin: the target where nothing is free.
    fixed: Vec<f32>,
    /// Movable density that each bin takes.
    room: Vec<f32>,
    poisson: Poisson,
    density: Vec<f32>,
    ex: Vec<f32>,
    ey: Vec<f32>,
    maps: Vec<Vec<i64>>,
    /// Area of the movable nodes.
    pub(crate) movable: f64,
    /// Density weight.
    pub(crate) lambda: f64,
    /// Rectangles that nodes must stay in, in the frame: lo x, lo y, hi x, hi y.
    pub(crate) rects: Vec<[f32; 4]>,
}

impl System {
    pub(crate) fn new(problem: &Problem, plan: &Plan, frame: Frame) -> System {
        let (nx, ny) = plan.bins;
        let rect = plan.rect;
        let to = |axis: usize, dbu: i32| frame.to(axis, f64::from(dbu)) as f32;
        let origin = [to(0, rect.lo.x), to(1, rect.lo.y)];
        let size = [rect.width() as f64 / frame.unit, rect.height() as f64 / frame.unit];
        let bin = [(size[0] / nx as f64) as f32, (size[1] / ny as f64) as f32];
        let grid = Grid { nx, ny, origin, bin };
        let free = free_parts(problem, plan);
        let target = plan.target as f32;
        let boxes: Vec<Rect> = match problem.fences.get(plan.fence as usize) {
            Some(fence) if plan.fence != NONE => {
                fence.rects.iter().map(|part| part.intersection(&rect)).collect()
            }
            _ => vec![rect],
        };
        let rects = boxes.iter().filter(|rect| !rect.is_empty());
        let rects = rects.map(|r| [to(0, r.lo.x), to(1, r.lo.y), to(0, r.hi.x), to(1, r.hi.y)]);
        System {
            target,
            fixed: free.iter().map(|free| target * (1.0 - free)).collect(),
            room: free.iter().map(|free| target * free).collect(),
            poisson: Poisson::new(nx, ny, f64::from(bin[0]), f64::from(bin[1])),
            density: vec![0.0; nx * ny],
            ex: vec![0.0; nx * ny],
            ey: vec![0.0; nx * ny],
            maps: Vec::new(),
            movable: 0.0,
            lambda: 0.0,
            rects: rects.collect(),
            grid,
        }
    }

    /// Computes the field of all charges of the system.
    pub(crate) fn solve(&mut self, nodes: Charges<'_>, fillers: Charges<'_>) {
        self.density.copy_from_slice(&self.fixed);
        self.grid.scatter(nodes, &mut self.maps, &mut self.density);
        self.grid.scatter(fillers, &mut self.maps, &mut self.density);
        self.poisson.field(&mut self.density, &mut self.ex, &mut self.ey);
    }

    /// Gradient of the density energy of a run of nodes, after [`System::solve`].
    pub(crate) fn gradient(&self, nodes: Charges<'_>, gx: &mut [f32], gy: &mut [f32]) {
        self.grid.gather(nodes, &self.ex, &self.ey, gx, gy);
    }

    /// Area of movable nodes (true sizes) beyond the room of their bins, over their area.
    pub(crate) fn overflow(&mut self, nodes: Charges<'_>) -> f64 {
        self.density.fill(0.0);
        self.grid.scatter(nodes, &mut self.maps, &mut self.density);
        let over: f64 = crate::par::sum(self.density.len(), |range| {
            let bins = self.density[range.clone()].iter().zip(&self.room[range]);
            bins.map(|(density, room)| f64::from((density - room).max(0.0))).sum()
        });
        over * f64::from(self.grid.bin_area()) / self.movable.max(f64::MIN_POSITIVE)
    }

    /// A random place for a filler, in a bin with room where possible.
    pub(crate) fn scatter_filler(&self, rng: &mut Rng) -> (f32, f32) {
        let mut at = (0.0, 0.0);
        for _ in 0..16 {
            let (u, v) = (rng.unit() as f32, rng.unit() as f32);
            let (i, j) = (u * self.grid.nx as f32, v * self.grid.ny as f32);
            at = (
                self.grid.origin[0] + i * self.grid.bin[0],
                self.grid.origin[1] + j * self.grid.bin[1],
            );
            let bin = (j as usize).min(self.grid.ny - 1) * self.grid.nx
                + (i as usize).min(self.grid.nx - 1);
            if self.room[bin] > 0.5 * self.target {
                break;
            }
        }
        at
    }

    /// The nearest place inside the system for a node centre.
    #[inline]
    pub(crate) fn project(&self, x: f32, y: f32, w: f32, h: f32) -> (f32, f32) {
        let mut best = (f32::INFINITY, x, y);
        for &[x0, y0, x1, y1] in &self.rects {
            let inside = |v: f32, lo: f32, hi: f32, size: f32| {
                if size >= hi - lo {
                    0.5 * (lo + hi)
                } else {
                    v.clamp(lo + 0.5 * size, hi - 0.5 * size)
                }
            };
            let (px, py) = (inside(x, x0, x1, w), inside(y, y0, y1, h));
            let distance = (px - x) * (px - x) + (py - y) * (py - y);
            if distance < best.0 {
                best = (distance, px, py);
            }
        }
        (best.1, best.2)
    }
}

/// The free part of each bin, soft blockages taken out.
fn free_parts(problem: &Problem, plan: &Plan) -> Vec<f32> {
    let (nx, ny) = plan.bins;
    let rect = plan.rect;
    let (bw, bh) = (rect.width() as f64 / nx as f64, rect.height() as f64 / ny as f64);
    let mut free = vec![0.0_f64; nx * ny];
    let mut add = |x0: f64, y0: f64, x1: f64, y1: f64, factor: f64| {
        let (left, right) = ((x0 / bw).clamp(0.0, nx as f64), (x1 / bw).clamp(0.0, nx as f64));
        let (low, high) = ((y0 / bh).clamp(0.0, ny as f64), (y1 / bh).clamp(0.0, ny as f64));
        for j in low as usize..(high as usize + 1).min(ny) {
            let part_y = high.min(j as f64 + 1.0) - low.max(j as f64);
            for i in left as usize..(right as usize + 1).min(nx) {
                let part_x = right.min(i as f64 + 1.0) - left.max(i as f64);
                free[j * nx + i] += factor * part_x * part_y;
            }
        }
    };
    let (x0, y0) = (f64::from(rect.lo.x), f64::from(rect.lo.y));
    for slab in &plan.area.slabs {
        for &(lo, hi) in slab.free.items() {
            let (low, high) = (f64::from(slab.y0) - y0, f64::from(slab.y1) - y0);
            add(f64::from(lo) - x0, low, f64::from(hi) - x0, high, 1.0);
        }
    }
    for (soft, part) in &problem.soft {
        for slab in overlapping(&plan.area, soft) {
            let (low, high) = (slab.y0.max(soft.lo.y), slab.y1.min(soft.hi.y));
            for &(lo, hi) in slab.free.items() {
                let (lo, hi) = (lo.max(soft.lo.x), hi.min(soft.hi.x));
                if lo < hi {
                    let (low, high) = (f64::from(low) - y0, f64::from(high) - y0);
                    add(f64::from(lo) - x0, low, f64::from(hi) - x0, high, part - 1.0);
                }
            }
        }
    }
    free.iter().map(|free| free.clamp(0.0, 1.0) as f32).collect()
}
