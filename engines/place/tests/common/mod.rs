//! Random floorplans and a legality oracle that shares nothing with the placer.
#![allow(dead_code)]

use std::sync::Arc;

use cellwright_db::floorplan::{Blockage, BlockageKind, Region, RegionKind, Row};
use cellwright_db::library::{MasterClass, MasterPin, PinDirection, Rail, SupplyPin};
use cellwright_db::records::NetKind;
use cellwright_db::tech::{Site, Symmetry};
use cellwright_db::{
    CellId, Design, DesignBuilder, Floorplan, IdVec, Library, Master, MasterPinId, Orient, Place,
    PlaceStatus, Point, Rect, RegionId, SiteId, Technology,
};

pub(crate) const STEP: i32 = 10;
pub(crate) const HEIGHT: i32 = 100;

pub(crate) struct Rng(pub u64);
impl Rng {
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as u32) % n.max(1)
    }
}

pub(crate) fn master(name: &str, sites: i32, rows: i32, pins: usize) -> Master {
    let (width, height) = (sites * STEP, rows * HEIGHT);
    let pins = (0..pins)
        .map(|i| {
            let x = width * (2 * i as i32 + 1) / (2 * pins as i32);
            MasterPin {
                name: format!("P{i}"),
                direction: if i == 0 { PinDirection::Output } else { PinDirection::Input },
                is_clock: false,
                shapes: vec![],
                bbox: Rect::new(x, 30, x, 30),
                offset: Point::new(x, 30),
            }
        })
        .collect();
    // Rails alternate from ground at the bottom.
    let supplies = (0..=rows)
        .map(|i| SupplyPin {
            name: format!("R{i}"),
            rail: if i % 2 == 0 { Rail::Ground } else { Rail::Power },
            shapes: vec![(
                cellwright_db::LayerId(0),
                Rect::new(0, i * HEIGHT - 5, width, i * HEIGHT + 5),
            )],
        })
        .collect();
    Master {
        name: name.into(),
        class: MasterClass::Core,
        width,
        height,
        site: Some(SiteId(0)),
        symmetry: Symmetry { x: true, y: true, r90: false },
        pins,
        supplies,
        obstructions: vec![],
        edge_types: None,
        has_geometry: true,
        function_class: 0,
    }
}

pub(crate) struct Case {
    pub(crate) rows: i32,
    pub(crate) sites: i32,
    pub(crate) masters: Vec<Master>,
    pub(crate) plan: Floorplan,
    pub(crate) edge_spacing: Vec<(String, String, i32)>,
    /// (master, place, region)
    pub(crate) cells: Vec<(usize, Place, RegionId)>,
    /// Pins per net as (cell, pin).
    pub(crate) nets: Vec<Vec<(usize, usize)>>,
    pub(crate) ports: Vec<(usize, Option<Point>)>,
}

impl Case {
    pub(crate) fn new(rows: i32, sites: i32, masters: Vec<Master>) -> Case {
        let mut plan = Floorplan {
            die: Rect::new(0, 0, sites * STEP + 200, rows * HEIGHT + 200),
            ..Floorplan::default()
        };
        plan.die_outline = vec![plan.die.lo, plan.die.hi];
        for r in 0..rows {
            plan.rows.push(Row {
                name: format!("r{r}"),
                site: SiteId(0),
                origin: Point::new(103, 100 + r * HEIGHT),
                orient: if r % 2 == 0 { Orient::N } else { Orient::FS },
                count: sites,
                step: STEP,
            });
        }
        Case {
            rows,
            sites,
            masters,
            plan,
            edge_spacing: vec![],
            cells: vec![],
            nets: vec![],
            ports: vec![],
        }
    }
    pub(crate) fn unplaced(&mut self, master: usize) -> usize {
        self.cells.push((master, Place::default(), RegionId::NONE));
        self.cells.len() - 1
    }
    pub(crate) fn design(&self) -> Design {
        let mut sites = IdVec::new();
        let symmetry = Symmetry { x: false, y: true, r90: false };
        sites.push(Site { name: "core".into(), width: STEP, height: HEIGHT, symmetry });
        let tech = Technology {
            name: "t".into(),
            dbu_per_micron: 100,
            manufacturing_grid: 1,
            layers: IdVec::new(),
            sites,
            edge_spacing: self.edge_spacing.clone(),
            digest: [0; 32],
        };
        let library = Library::new(self.masters.clone().into(), vec![], vec![], [0; 32]);
        let mut b = DesignBuilder::new("case", Arc::new(tech), Arc::new(library));
        for (i, (master, place, region)) in self.cells.iter().enumerate() {
            let cell = b.add_cell(&format!("c{i}"), cellwright_db::MasterId::new(*master), *place);
            b.set_region(cell, *region);
        }
        let mut ids = vec![];
        for (n, pins) in self.nets.iter().enumerate() {
            let net = b.add_net(&format!("n{n}"), NetKind::Signal);
            ids.push(net);
            for (cell, pin) in pins {
                b.connect(CellId::new(*cell), MasterPinId::new(*pin), net);
            }
        }
        for (p, (net, at)) in self.ports.iter().enumerate() {
            let name = format!("p{p}");
            b.add_port(&name, PinDirection::Input, ids[*net], *at, vec![], None);
        }
        Design::new(&b.finish(self.plan.clone()))
    }
}

/// Random nets among the cells: a spanning chain of two-pin nets and some larger ones.
pub(crate) fn wire(case: &mut Case, rng: &mut Rng) {
    let free = |case: &Case, cell: usize, used: &[usize]| {
        (used[cell] < case.masters[case.cells[cell].0].pins.len()).then_some(used[cell])
    };
    let count = case.cells.len();
    let mut used = vec![0; count];
    for _ in 0..2 * count {
        let size = 2 + rng.below(3) as usize;
        let mut pins: Vec<(usize, usize)> = vec![];
        let base = rng.below(count as u32) as usize;
        for _ in 0..size {
            let cell = (base + rng.below(12) as usize) % count;
            if pins.iter().all(|pin| pin.0 != cell)
                && let Some(pin) = free(case, cell, &used)
            {
                used[cell] += 1;
                pins.push((cell, pin));
            }
        }
        if pins.len() > 1 {
            case.nets.push(pins);
        }
    }
}

pub(crate) fn fixed(x: i32, y: i32) -> Place {
    Place { x, y, orient: Orient::N, status: PlaceStatus::Fixed }
}

pub(crate) fn blockage(kind: BlockageKind, rect: Rect) -> Blockage {
    Blockage { kind, rect, cell: CellId::NONE }
}

pub(crate) fn fence(name: &str, rects: Vec<Rect>) -> Region {
    Region { name: name.into(), kind: RegionKind::Fence, rects }
}

/// Every rule by its plain definition, all pairs compared. Returns what is broken.
pub(crate) fn broken(design: &Design) -> Vec<String> {
    let plan = design.floorplan();
    let mut out = vec![];
    let cells: Vec<CellId> = design.cells().collect();
    let boxes: Vec<Rect> = cells.iter().map(|cell| design.outline(*cell)).collect();
    for (k, &cell) in cells.iter().enumerate() {
        let (place, master, rect) = (design.place(cell), design.master(cell), boxes[k]);
        let name = design.cell_name(cell);
        for (other, other_rect) in cells.iter().zip(&boxes).skip(k + 1) {
            let both_fixed = place.is_fixed() && design.place(*other).is_fixed();
            if rect.overlaps(other_rect) && !both_fixed {
                out.push(format!("{name} overlaps {}", design.cell_name(*other)));
            }
            let facing = rect.lo.y < other_rect.hi.y && other_rect.lo.y < rect.hi.y;
            if let (true, Some((a, _)), Some((b, _))) =
                (facing, &master.edge_types, &design.master(*other).edge_types)
            {
                let gap = (other_rect.lo.x - rect.hi.x).max(rect.lo.x - other_rect.hi.x);
                for (x, y, need) in &design.tech().edge_spacing {
                    if ((x == a && y == b) || (x == b && y == a)) && gap < *need {
                        out.push(format!("{name} stands {gap} from {}", design.cell_name(*other)));
                    }
                }
            }
        }
        if place.is_fixed() {
            continue;
        }
        if !place.is_placed() {
            out.push(format!("{name} is not placed"));
            continue;
        }
        if !plan.die.contains(&rect) {
            out.push(format!("{name} leaves the die"));
        }
        if master.class == MasterClass::Core {
            for k in 0..master.height / HEIGHT {
                let y = place.y + k * HEIGHT;
                // Every site under the cell must be a site of some row there.
                let mut orient = None;
                for x in (place.x..place.x + master.width).step_by(STEP as usize) {
                    let row = plan.rows.iter().find(|row| {
                        let from = x - row.origin.x;
                        row.origin.y == y
                            && from >= 0
                            && from % STEP == 0
                            && from / STEP < row.count
                    });
                    match row {
                        None => out.push(format!("{name} is off its rows at {x}, {y}")),
                        Some(row) => orient = Some(row.orient),
                    }
                }
                if k == 0
                    && orient != Some(place.orient)
                    && orient != Some(place.orient.mirrored_y())
                {
                    out.push(format!("{name} has orientation {:?}", place.orient));
                }
            }
            if (master.height / HEIGHT) % 2 == 0 && (place.y - 100) / HEIGHT % 2 != 0 {
                out.push(format!("{name} has its rails swapped"));
            }
        }
        for blockage in &plan.blockages {
            if blockage.kind == BlockageKind::Hard && blockage.rect.overlaps(&rect) {
                out.push(format!("{name} stands in a blockage"));
            }
        }
        let region = design.cell(cell).region;
        for (index, fence) in plan.regions.iter().enumerate() {
            let common = |r: &Rect| {
                let c = r.intersection(&rect);
                if c.is_empty() { 0 } else { c.area() }
            };
            let area: i64 = fence.rects.iter().map(common).sum();
            if region == RegionId::new(index) && area != rect.area() {
                out.push(format!("{name} leaves its fence"));
            }
            if region != RegionId::new(index) && area != 0 {
                out.push(format!("{name} stands in a foreign fence"));
            }
        }
    }
    for blockage in &plan.blockages {
        if let BlockageKind::Partial(part) = blockage.kind {
            let common = |r: &Rect| {
                let c = r.intersection(&blockage.rect);
                if c.is_empty() { 0 } else { c.area() }
            };
            let taken: i64 = boxes.iter().map(common).sum();
            // What fixed cells take alone is not the placer's doing.
            let movable =
                cells.iter().zip(&boxes).filter(|(cell, _)| !design.place(**cell).is_fixed());
            let movable: i64 = movable.map(|(_, rect)| common(rect)).sum();
            if movable > 0 && taken as f64 > blockage.rect.area() as f64 * part {
                out.push(format!("partial blockage holds {taken}"));
            }
        }
    }
    out
}
