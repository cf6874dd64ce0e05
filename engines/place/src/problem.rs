//! The flat placement problem: movable nodes, nets as compressed rows, rows, blockers and fences,
//! taken out of a [`Design`]; and the way back as a [`Delta`] of moves.

use cellwright_db::floorplan::{BlockageKind, RegionKind};
use cellwright_db::library::{MasterClass, Rail};
use cellwright_db::{
    CellId, Delta, Design, NetId, Op, Orient, Owner, Place, PlaceStatus, Point, Rect, SiteId,
};

use crate::config::PlaceConfig;
use crate::report::Note;
use crate::spans::Spans;

/// Stands for "no node" (a fixed pin) or "no fence" in the flat arrays.
pub const NONE: u32 = u32::MAX;

/// The nodes that a run may move, one entry per array.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    /// The cell of each node, ascending.
    pub cell: Vec<CellId>,
    /// Width as placed, DBU (a macro on its side has it turned).
    pub w: Vec<i32>,
    /// Height as placed, DBU.
    pub h: Vec<i32>,
    /// Room to keep free on the right for edge spacing, DBU.
    pub pad: Vec<i32>,
    /// Where it stands at the start, lower-left corner, DBU; (0, 0) when unplaced.
    pub start: Vec<Point>,
    /// Whether it has a place at the start.
    pub placed: Vec<bool>,
    /// Orientation at the start.
    pub orient: Vec<Orient>,
    /// True for macros, which need no row.
    pub is_macro: Vec<bool>,
    /// Site of its rows; [`SiteId::NONE`] for any.
    pub site: Vec<SiteId>,
    /// Fence that it must stay in, or [`NONE`].
    pub fence: Vec<u32>,
    /// Whether it may stand mirrored about y (FN, S).
    pub mirror: Vec<bool>,
    /// Rails along the bottom and top edge in orientation N, where known.
    pub rails: Vec<[Option<Rail>; 2]>,
    /// Keep-out margins: left, bottom, right, top, DBU.
    pub halo: Vec<[i32; 4]>,
    /// Area factor in global placement.
    pub inflation: Vec<f32>,
}

impl Nodes {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.cell.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cell.is_empty()
    }
    /// Area with padding (macros: with halo), DBU².
    pub fn area(&self, node: usize) -> i64 {
        let [left, bottom, right, top] = self.halo[node];
        let w = i64::from(self.w[node]) + i64::from(self.pad[node]);
        let w = w + i64::from(left) + i64::from(right);
        w * (i64::from(self.h[node]) + i64::from(bottom) + i64::from(top))
    }
}

/// Nets with at least two located pins, of which at least one can move; pins of net `n` are
/// `start[n]..start[n + 1]`.
#[derive(Clone, Debug, Default)]
pub struct Nets {
    /// Ranges of pins.
    pub start: Vec<u32>,
    /// Which net it is.
    pub id: Vec<NetId>,
    /// Weight.
    pub weight: Vec<f32>,
    /// Node of each pin, or [`NONE`] for one that stands still.
    pub node: Vec<u32>,
    /// Pin offset from the lower-left corner of its node in orientation N, DBU; for a pin that
    /// stands still its location.
    pub at: Vec<Point>,
    /// Pins of node `i` are `node_pins[node_start[i]..node_start[i + 1]]`.
    pub node_start: Vec<u32>,
    /// Pin numbers by node.
    pub node_pins: Vec<u32>,
    /// Net of each pin.
    pub net_of: Vec<u32>,
    /// Wire length of routed nets that cannot change, DBU.
    pub still: i64,
}

impl Nets {
    /// How many nets there are.
    pub fn len(&self) -> usize {
        self.id.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }
    /// The pins of a net.
    #[inline]
    pub fn pins(&self, net: usize) -> std::ops::Range<usize> {
        self.start[net] as usize..self.start[net + 1] as usize
    }
    /// The pin numbers of a node.
    #[inline]
    pub fn of_node(&self, node: usize) -> &[u32] {
        &self.node_pins[self.node_start[node] as usize..self.node_start[node + 1] as usize]
    }
}

/// A row of sites.
#[derive(Clone, Copy, Debug)]
pub struct RowInfo {
    /// The site.
    pub site: SiteId,
    /// Lower-left corner, DBU.
    pub x: i32,
    /// Lower edge, DBU.
    pub y: i32,
    /// Right end, DBU.
    pub x_end: i32,
    /// Height, DBU.
    pub height: i32,
    /// Distance of sites, DBU.
    pub step: i32,
    /// Orientation of cells.
    pub orient: Orient,
}

/// A fence: its members stay inside, all others outside.
#[derive(Clone, Debug)]
pub struct Fence {
    /// Name.
    pub name: String,
    /// Its area, DBU.
    pub rects: Vec<Rect>,
}

/// What is known of a site.
#[derive(Clone, Copy, Debug, Default)]
pub struct SiteFacts {
    /// Whether any row repeats it.
    pub used: bool,
    /// Width, DBU.
    pub width: i32,
    /// Rails along the bottom and top of a row of orientation N: those of the first core cell of
    /// the site that is one row high.
    pub rails: [Option<Rail>; 2],
    /// Whether the library has fillers for its rows, but none as narrow as the site: a gap of one
    /// site could then not be filled.
    pub wide_fillers: bool,
}

/// The placement problem in DBU.
#[derive(Clone, Debug)]
pub struct Problem {
    /// DBU per µm.
    pub dbu_per_micron: i32,
    /// Manufacturing grid, at least 1 DBU.
    pub grid: i32,
    /// Bounding box of the rows, or the die, DBU.
    pub core: Rect,
    /// Bounding box of the die, DBU.
    pub die: Rect,
    /// What can move.
    pub nodes: Nodes,
    /// What pulls.
    pub nets: Nets,
    /// Rows in ascending (y, x); those without a site of positive size are left out.
    pub rows: Vec<RowInfo>,
    /// Where nothing may stand: fixed cells with their halos, hard blockages. May overlap.
    pub blocks: Vec<Rect>,
    /// Where global placement keeps to this part of the area (0 for soft blockages and halos).
    pub soft: Vec<(Rect, f64)>,
    /// The part of `soft` that binds legalisation too (partial blockages).
    pub partial: Vec<(Rect, f64)>,
    /// Fences.
    pub fences: Vec<Fence>,
    /// Height of the lowest rows, DBU.
    pub base_height: i32,
    /// What rows of each site need to know, by site.
    pub sites: Vec<SiteFacts>,
    /// What was noticed.
    pub notes: Vec<Note>,
}

impl Problem {
    /// Takes the problem out of a design.
    pub fn new(design: &Design, config: &PlaceConfig) -> Problem {
        let tech = design.tech();
        let floorplan = design.floorplan();
        let rows: Vec<RowInfo> = floorplan
            .rows
            .iter()
            .filter_map(|row| {
                let site = tech.sites.get(row.site)?;
                let (width, height) = row.orient.size(site.width, site.height);
                let step = if row.step > 0 { row.step } else { width };
                let rect = row.rect(height);
                (width > 0 && height > 0 && step > 0 && row.count > 0).then_some(RowInfo {
                    site: row.site,
                    x: row.origin.x,
                    y: row.origin.y,
                    // The last site may be narrower than the step.
                    x_end: rect.hi.x.saturating_add(width.saturating_sub(step).min(0)),
                    height,
                    step,
                    orient: row.orient,
                })
            })
            .collect();
        let core = rows
            .iter()
            .map(|row| Rect::new(row.x, row.y, row.x_end, row.y.saturating_add(row.height)))
            .reduce(|a, b| a.union(&b))
            .unwrap_or(floorplan.die);
        let sites = site_facts(design, &rows);
        let mut problem = Problem {
            dbu_per_micron: tech.dbu_per_micron.max(1),
            grid: tech.manufacturing_grid.max(1),
            core,
            die: if floorplan.die.is_empty() { core } else { floorplan.die },
            nodes: Nodes::default(),
            nets: Nets::default(),
            blocks: Vec::new(),
            soft: Vec::new(),
            partial: Vec::new(),
            fences: Vec::new(),
            base_height: rows.iter().map(|row| row.height).min().unwrap_or(1),
            sites,
            rows,
            notes: Vec::new(),
        };
        let outline = &floorplan.die_outline;
        problem.blocks.extend(notches(outline, problem.die));
        let fence_of = problem.take_fences(design);
        let node_of = problem.take_cells(design, config, &fence_of);
        problem.take_blockages(design);
        problem.take_nets(design, config, &node_of);
        problem
    }

    fn take_fences(&mut self, design: &Design) -> Vec<u32> {
        let mut fence_of = Vec::new();
        for region in &design.floorplan().regions {
            fence_of.push(match region.kind {
                RegionKind::Guide => NONE,
                RegionKind::Fence => {
                    let rects = region.rects.iter().copied().filter(|rect| !rect.is_empty());
                    let fence = Fence { name: region.name.clone(), rects: rects.collect() };
                    self.fences.push(fence);
                    self.fences.len() as u32 - 1
                }
            });
        }
        fence_of
    }

    fn take_cells(&mut self, design: &Design, config: &PlaceConfig, fence_of: &[u32]) -> Vec<u32> {
        let halos = &design.floorplan().halos;
        let halo_of = |cell: CellId| {
            let at = halos.partition_point(|halo| halo.cell < cell);
            halos.get(at).filter(|halo| halo.cell == cell)
        };
        let only = config.only.as_ref().map(|cells| {
            let mut wanted = vec![false; design.cell_slots()];
            for cell in cells {
                if let Some(slot) = wanted.get_mut(cell.index()) {
                    *slot = true;
                }
            }
            wanted
        });
        let mut node_of = vec![NONE; design.cell_slots()];
        let (mut no_outline, mut left_unplaced) = (0, 0);
        for cell in design.cells() {
            let master = design.master(cell);
            let place = design.place(cell);
            let record = design.cell(cell);
            if master.width <= 0 || master.height <= 0 {
                no_outline += 1;
                continue;
            }
            if master.class == MasterClass::Cover || place.status == PlaceStatus::Cover {
                continue;
            }
            let wanted = only.as_ref().is_none_or(|only| only[cell.index()]);
            let stands = place.is_placed() && (place.is_fixed() || record.dont_touch || !wanted);
            let pad = edge_pad(design, record.master);
            if stands || master.class == MasterClass::Pad {
                if !place.is_placed() {
                    left_unplaced += 1;
                    continue;
                }
                let mut rect = design.outline(cell);
                rect.hi.x = rect.hi.x.saturating_add(pad);
                if let Some(halo) = halo_of(cell) {
                    let rect = grown(rect, halo.margins);
                    if halo.soft { self.soft.push((rect, 0.0)) } else { self.blocks.push(rect) }
                }
                self.blocks.push(rect);
                continue;
            }
            if !wanted {
                left_unplaced += 1;
                continue;
            }
            let is_macro = master.class == MasterClass::Block;
            let orient = match place.is_placed() {
                true if is_macro || !place.orient.swaps_axes() => place.orient,
                _ => Orient::N,
            };
            let (w, h) = orient.size(master.width, master.height);
            let fence =
                record.region.some().map_or(NONE, |region| match fence_of.get(region.index()) {
                    Some(fence) => *fence,
                    None => {
                        self.notes.push(Note::UnknownRegion(cell));
                        NONE
                    }
                });
            node_of[cell.index()] = self.nodes.len() as u32;
            let nodes = &mut self.nodes;
            nodes.cell.push(cell);
            nodes.w.push(w);
            nodes.h.push(h);
            nodes.pad.push(if is_macro { 0 } else { pad });
            nodes.start.push(if place.is_placed() {
                Point::new(place.x, place.y)
            } else {
                Point::default()
            });
            nodes.placed.push(place.is_placed());
            nodes.orient.push(orient);
            nodes.is_macro.push(is_macro);
            nodes.site.push(master.site.unwrap_or(SiteId::NONE));
            nodes.fence.push(fence);
            nodes.mirror.push(master.symmetry.y);
            nodes.rails.push([master.bottom_rail(), master.top_rail()]);
            let hard = halo_of(cell).filter(|halo| !halo.soft);
            nodes.halo.push(hard.map_or([0; 4], |halo| halo.margins.map(|m| m.max(0))));
            let inflation = config.inflation.get(cell.index()).copied().unwrap_or(1.0);
            nodes.inflation.push(if inflation.is_finite() { inflation.max(0.01) } else { 1.0 });
        }
        if no_outline > 0 {
            self.notes.push(Note::NoOutline(no_outline));
        }
        if left_unplaced > 0 {
            self.notes.push(Note::LeftUnplaced(left_unplaced));
        }
        node_of
    }

    fn take_blockages(&mut self, design: &Design) {
        for blockage in &design.floorplan().blockages {
            if blockage.rect.is_empty() {
                continue;
            }
            match blockage.kind {
                BlockageKind::Hard => self.blocks.push(blockage.rect),
                BlockageKind::Soft => self.soft.push((blockage.rect, 0.0)),
                BlockageKind::Partial(part) => {
                    let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 1.0 };
                    self.soft.push((blockage.rect, part));
                    self.partial.push((blockage.rect, part));
                }
            }
        }
    }

    fn take_nets(&mut self, design: &Design, config: &PlaceConfig, node_of: &[u32]) {
        let nets = &mut self.nets;
        nets.start.push(0);
        let mut unplaced_ports = vec![false; design.ports().len()];
        for net in design.nets() {
            if !design.net(net).kind.is_routed() {
                continue;
            }
            let first = nets.node.len();
            let mut movable = false;
            for &pin in design.net_pins(net) {
                match design.owner(pin) {
                    Owner::Port(port) => match design.ports()[port].location {
                        None => unplaced_ports[port.index()] = true,
                        Some(at) => {
                            nets.node.push(NONE);
                            nets.at.push(at);
                        }
                    },
                    Owner::Cell(cell, master_pin) => match node_of[cell.index()] {
                        NONE => {
                            if design.place(cell).is_placed()
                                && let Some(at) = design.pin_location(pin)
                            {
                                nets.node.push(NONE);
                                nets.at.push(at);
                            }
                        }
                        node => {
                            movable = true;
                            nets.node.push(node);
                            nets.at.push(design.master(cell).pins[master_pin.index()].offset);
                        }
                    },
                }
            }
            let count = nets.node.len() - first;
            if count < 2 || !movable {
                let still = nets.at.drain(first..).collect::<Vec<_>>();
                nets.node.truncate(first);
                nets.still += half_perimeter(&still);
                continue;
            }
            nets.start.push(nets.node.len() as u32);
            nets.id.push(net);
            let weight = config.net_weights.get(net.index()).copied().unwrap_or(1.0);
            nets.weight.push(if weight.is_finite() { weight.max(0.0) } else { 1.0 });
        }
        let unplaced = unplaced_ports.iter().filter(|missing| **missing).count();
        if unplaced > 0 {
            self.notes.push(Note::UnplacedPorts(unplaced));
        }
        // Pins by node, ascending.
        let nodes = self.nodes.len();
        nets.node_start = vec![0; nodes + 1];
        for &node in nets.node.iter().filter(|node| **node != NONE) {
            nets.node_start[node as usize + 1] += 1;
        }
        for node in 0..nodes {
            nets.node_start[node + 1] += nets.node_start[node];
        }
        let mut next = nets.node_start.clone();
        nets.node_pins = vec![0; nets.node_start[nodes] as usize];
        nets.net_of = vec![0; nets.node.len()];
        for net in 0..nets.len() {
            for pin in nets.pins(net) {
                nets.net_of[pin] = net as u32;
                let node = nets.node[pin];
                if node != NONE {
                    nets.node_pins[next[node as usize] as usize] = pin as u32;
                    next[node as usize] += 1;
                }
            }
        }
    }

    /// Location of a pin when its node's lower-left corner is at `at` in orientation `orient`.
    #[inline]
    pub fn pin_at(&self, pin: usize, at: Point, orient: Orient) -> Point {
        let node = self.nets.node[pin] as usize;
        // Stored sizes are as placed; the offset is from the master in orientation N.
        let (w, h) = (self.nodes.w[node], self.nodes.h[node]);
        let (w, h) = if self.nodes.orient[node].swaps_axes() { (h, w) } else { (w, h) };
        let offset = orient.apply(self.nets.at[pin], w, h);
        Point::new(at.x.wrapping_add(offset.x), at.y.wrapping_add(offset.y))
    }

    /// Half-perimeter wire length of all routed nets for a placement of the nodes, DBU, unweighted.
    pub fn hpwl(&self, at: &[Point], orient: &[Orient]) -> i64 {
        let mut total = self.nets.still;
        let mut points = Vec::new();
        for net in 0..self.nets.len() {
            points.clear();
            for pin in self.nets.pins(net) {
                points.push(match self.nets.node[pin] {
                    NONE => self.nets.at[pin],
                    node => self.pin_at(pin, at[node as usize], orient[node as usize]),
                });
            }
            total += half_perimeter(&points);
        }
        total
    }

    /// Whether a node may stand on rows of a site: on those of its own by name; where that has no
    /// rows, a cell of several rows (or one that names no site) on rows whose height divides its
    /// own.
    pub fn site_takes(&self, row: &RowInfo, node: usize) -> bool {
        let rows = self.nodes.h[node] / row.height;
        if self.nodes.h[node] % row.height != 0 {
            return false;
        }
        let Some(site) = self.nodes.site[node].some() else { return rows >= 1 };
        match self.sites.get(site.index()) {
            Some(facts) if facts.used => site == row.site,
            Some(facts) => {
                let width = self.sites.get(row.site.index()).map_or(0, |facts| facts.width);
                rows >= 2 && facts.width == width
            }
            None => rows >= 1,
        }
    }

    /// Whether the supply rails of a node standing between the rows `low` and `high` (both the same
    /// for a cell of one row) lie on theirs. A cell an odd number of base rows high follows the
    /// row's orientation; an even one fits every other row only.
    pub fn rails_agree(&self, low: &RowInfo, high: &RowInfo, node: usize) -> bool {
        let h = self.nodes.h[node];
        if h % self.base_height != 0 || (h / self.base_height) % 2 == 1 {
            return true;
        }
        let [bottom, top] = self.sites.get(low.site.index()).map_or([None; 2], |site| site.rails);
        let below = if low.orient.flips_y() { top } else { bottom };
        let above = if high.orient.flips_y() { bottom } else { top };
        let [bottom, top] = self.nodes.rails[node];
        let own = if low.orient.flips_y() { [top, bottom] } else { [bottom, top] };
        let clash =
            |own: Option<Rail>, row: Option<Rail>| own.is_some() && row.is_some() && own != row;
        !clash(own[0], below) && !clash(own[1], above)
    }

    /// The moves from the design's present state to a placement of the nodes.
    pub fn delta(&self, design: &Design, at: &[Point], orient: &[Orient]) -> Delta {
        let mut ops = Vec::new();
        for (node, &cell) in self.nodes.cell.iter().enumerate() {
            let from = design.place(cell);
            let status = PlaceStatus::Placed;
            let to = Place { x: at[node].x, y: at[node].y, orient: orient[node], status };
            if from != to {
                ops.push(Op::Move { cell, from, to });
            }
        }
        Delta { ops }
    }

    /// DBU² as µm².
    pub fn square_microns(&self, area: i64) -> f64 {
        let scale = f64::from(self.dbu_per_micron);
        area as f64 / (scale * scale)
    }
}

fn half_perimeter(points: &[Point]) -> i64 {
    let Some((first, rest)) = points.split_first() else { return 0 };
    let mut rect = Rect { lo: *first, hi: *first };
    for p in rest {
        rect.lo.x = rect.lo.x.min(p.x);
        rect.lo.y = rect.lo.y.min(p.y);
        rect.hi.x = rect.hi.x.max(p.x);
        rect.hi.y = rect.hi.y.max(p.y);
    }
    rect.width() + rect.height()
}

pub(crate) fn grown(rect: Rect, [left, bottom, right, top]: [i32; 4]) -> Rect {
    Rect {
        lo: Point::new(
            rect.lo.x.saturating_sub(left.max(0)),
            rect.lo.y.saturating_sub(bottom.max(0)),
        ),
        hi: Point::new(
            rect.hi.x.saturating_add(right.max(0)),
            rect.hi.y.saturating_add(top.max(0)),
        ),
    }
}

/// Room on the right that satisfies the edge-spacing table whatever stands beyond: the largest
/// spacing of either edge type of the master. Kept on one side only, it still separates every pair.
fn edge_pad(design: &Design, master: cellwright_db::MasterId) -> i32 {
    let table = &design.tech().edge_spacing;
    // Edges that name no type are of type DEFAULT (LEF 5.8, LEF58_CELLEDGESPACINGTABLE).
    let types = design.library().masters[master].edge_types.as_ref();
    let [left, right] = types.map_or(["DEFAULT"; 2], |(left, right)| [left, right]);
    let mine = |name: &String| name == left || name == right;
    let spacings = table.iter().filter(|(a, b, _)| mine(a) || mine(b));
    spacings.map(|(_, _, spacing)| *spacing).max().unwrap_or(0).max(0)
}

/// The parts of the die's bounding box that lie outside its outline, by the even-odd rule per strip
/// between corner heights.
fn notches(outline: &[Point], die: Rect) -> Vec<Rect> {
    if outline.len() <= 2 {
        return Vec::new();
    }
    let mut ys: Vec<i32> = outline.iter().map(|p| p.y).collect();
    ys.sort_unstable();
    ys.dedup();
    let mut rects = Vec::new();
    for pair in ys.windows(2) {
        let mut cuts = Vec::new();
        for (i, a) in outline.iter().enumerate() {
            let b = outline[(i + 1) % outline.len()];
            if a.x == b.x && a.y.min(b.y) <= pair[0] && a.y.max(b.y) >= pair[1] {
                cuts.push(a.x);
            }
        }
        cuts.sort_unstable();
        let inside = cuts.chunks_exact(2).map(|cut| (cut[0], cut[1])).collect();
        let outside = Spans::one(die.lo.x, die.hi.x).subtract(&Spans::union_of(inside));
        for (lo, hi) in outside.items() {
            rects.push(Rect::new(*lo, pair[0], *hi, pair[1]));
        }
    }
    rects
}

fn site_facts(design: &Design, rows: &[RowInfo]) -> Vec<SiteFacts> {
    design
        .tech()
        .sites
        .iter()
        .map(|(id, site)| {
            let used = rows.iter().any(|row| row.site == id);
            let fits = |master: &&cellwright_db::Master| {
                master.class == MasterClass::Core
                    && master.site == Some(id)
                    && master.height == site.height
                    && master.bottom_rail().is_some()
                    && master.top_rail().is_some()
            };
            let masters = design.library().masters.iter().map(|(_, master)| master);
            let model = masters.filter(|_| used).find(fits);
            let rails = model.map_or([None; 2], |master| [master.bottom_rail(), master.top_rail()]);
            let fillers = design.library().masters.iter().map(|(_, master)| master);
            let fillers = fillers.filter(|master| {
                master.class == MasterClass::Spacer
                    && master.height == site.height
                    && master.site.is_none_or(|own| own == id)
            });
            let narrowest = fillers.map(|master| master.width).min();
            let wide_fillers = narrowest.is_some_and(|width| width > site.width);
            SiteFacts { used, width: site.width, rails, wide_fillers }
        })
        .collect()
}
