//! Random designs and random changes, from a seed.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

pub mod oracle;

use std::sync::Arc;

use cellwright_db::floorplan::{Blockage, BlockageKind, Halo, Region, RegionKind, Row, Tracks};
use cellwright_db::library::{MasterClass, PinDirection, Rail, SupplyPin};
use cellwright_db::records::NetKind;
use cellwright_db::tech::{Direction, Layer, LayerKind, Site, Symmetry};
use cellwright_db::{
    CellId, Design, DesignBuilder, Floorplan, IdVec, LayerId, Library, Master, MasterId, MasterPin,
    MasterPinId, NetId, Orient, PinId, Place, PlaceStatus, Point, Rect, RegionId, SiteId,
    Technology,
};

pub const SITE: i32 = 10;
pub const ROW: i32 = 100;

/// SplitMix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
    pub fn range(&mut self, lo: i32, hi: i32) -> i32 {
        lo + self.below((hi - lo).max(1) as usize) as i32
    }
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

pub fn layer(name: &str, kind: LayerKind, direction: Option<Direction>, pitch: i32) -> Layer {
    Layer {
        name: name.into(),
        kind,
        direction,
        pitch: (pitch, pitch),
        width: 2,
        spacing: 3,
        resistance: None,
        capacitance: None,
        edge_capacitance: None,
    }
}

pub fn tech() -> Technology {
    let both = Symmetry { x: true, y: true, r90: false };
    let site = |name: &str, height| Site { name: name.into(), width: SITE, height, symmetry: both };
    let (h, v) = (Some(Direction::Horizontal), Some(Direction::Vertical));
    Technology {
        name: "toy".into(),
        dbu_per_micron: 1000,
        manufacturing_grid: 1,
        layers: [
            layer("m1", LayerKind::Routing, h, 5),
            layer("v1", LayerKind::Cut, None, 0),
            layer("m2", LayerKind::Routing, v, 7),
            layer("m3", LayerKind::Routing, h, 5),
            layer("m4", LayerKind::Routing, v, 9),
        ]
        .into_iter()
        .collect(),
        sites: [site("base", ROW), site("double", 2 * ROW), site("other", ROW)]
            .into_iter()
            .collect(),
        edge_spacing: vec![
            ("e1".into(), "e1".into(), 40),
            ("e1".into(), "e2".into(), 20),
            ("e2".into(), "DEFAULT".into(), 10),
        ],
        digest: [0; 32],
    }
}

pub fn master(name: &str, class: MasterClass, size: (i32, i32), site: Option<u32>) -> Master {
    let (width, height) = size;
    let pin = |name: &str, direction, x, y| MasterPin {
        name: name.into(),
        direction,
        is_clock: false,
        shapes: Vec::new(),
        bbox: Rect::new(x, y, x, y),
        offset: Point::new(x, y),
    };
    let supply = |name: &str, rail, y: i32| SupplyPin {
        name: name.into(),
        rail,
        shapes: vec![(LayerId(0), Rect::new(0, y - 2, width, y + 2))],
    };
    Master {
        name: name.into(),
        class,
        width,
        height,
        site: site.map(SiteId),
        symmetry: Symmetry { x: true, y: true, r90: class == MasterClass::Block },
        pins: vec![
            pin("A", PinDirection::Input, width / 4, height / 3),
            pin("Y", PinDirection::Output, width * 3 / 4 + 1, height / 2),
        ],
        supplies: vec![supply("VDD", Rail::Power, height), supply("VSS", Rail::Ground, 0)],
        obstructions: Vec::new(),
        edge_types: None,
        has_geometry: true,
        function_class: 0,
    }
}

pub const INV: MasterId = MasterId(0);
pub const WIDE: MasterId = MasterId(1);
pub const EDGED: MasterId = MasterId(2);
pub const DOUBLE: MasterId = MasterId(3);
pub const DOUBLE_POWER: MasterId = MasterId(4);
pub const TRIPLE: MasterId = MasterId(5);
pub const BLOCK: MasterId = MasterId(6);
pub const COVER: MasterId = MasterId(7);
pub const FILL: MasterId = MasterId(8);
pub const TAP: MasterId = MasterId(9);
pub const BARE: MasterId = MasterId(10);
pub const OTHER: MasterId = MasterId(11);
pub const EDGED2: MasterId = MasterId(12);
pub const RIGID: MasterId = MasterId(13);

pub fn library() -> Library {
    let mut masters: Vec<Master> = vec![
        master("inv", MasterClass::Core, (20, ROW), Some(0)),
        master("wide", MasterClass::Core, (50, ROW), Some(0)),
        master("edged", MasterClass::Core, (30, ROW), Some(0)),
        master("double", MasterClass::Core, (30, 2 * ROW), Some(1)),
        master("double_power", MasterClass::Core, (30, 2 * ROW), Some(1)),
        master("triple", MasterClass::Core, (40, 3 * ROW), Some(0)),
        master("block", MasterClass::Block, (163, 237), None),
        master("cover", MasterClass::Cover, (100, 100), None),
        master("fill", MasterClass::Spacer, (10, ROW), Some(0)),
        master("tap", MasterClass::WellTap, (20, ROW), Some(0)),
        master("bare", MasterClass::Core, (0, 0), None),
        master("other", MasterClass::Core, (20, ROW), Some(2)),
        master("edged2", MasterClass::Core, (20, ROW), Some(0)),
        master("rigid", MasterClass::Core, (20, ROW), Some(0)),
    ];
    // Rails of the even cells: the same at both edges, the other one in the middle.
    let both = |master: &mut Master, rail: Rail| {
        for supply in &mut master.supplies {
            let y = [0, 2 * ROW];
            let shape = |y: i32| (LayerId(0), Rect::new(0, y - 2, 30, y + 2));
            supply.shapes =
                if supply.rail == rail { y.map(shape).to_vec() } else { vec![shape(ROW)] };
        }
    };
    both(&mut masters[3], Rail::Ground);
    both(&mut masters[4], Rail::Power);
    masters[2].edge_types = Some(("e1".into(), "e2".into()));
    masters[12].edge_types = Some(("e2".into(), "e1".into()));
    masters[6].obstructions =
        vec![(LayerId(2), Rect::new(10, 10, 150, 200)), (LayerId(3), Rect::new(0, 0, 163, 50))];
    masters[10].has_geometry = false;
    masters[13].symmetry = Symmetry::default();
    Library::new(masters.into_iter().collect(), Vec::new(), Vec::new(), [0; 32])
}

pub fn row(name: &str, site: u32, x: i32, y: i32, count: i32, orient: Orient) -> Row {
    let origin = Point::new(x, y);
    Row { name: name.into(), site: SiteId(site), origin, orient, count, step: SITE }
}

/// A floorplan of `rows` full rows of 60 sites from (35, 40), alternating N and FS.
pub fn plain_plan(rows: i32) -> Floorplan {
    let mut plan = Floorplan { die: Rect::new(0, 0, 670, 80 + rows * ROW), ..Floorplan::default() };
    plan.die_outline = vec![plan.die.lo, plan.die.hi];
    for r in 0..rows {
        let orient = if r % 2 == 0 { Orient::N } else { Orient::FS };
        plan.rows.push(row(&format!("r{r}"), 0, 35, 40 + r * ROW, 60, orient));
    }
    plan
}

pub fn random_plan(rng: &mut Rng, cells: usize) -> Floorplan {
    let rows = rng.range(3, 9);
    let mut plan = plain_plan(rows);
    let die = plan.die;
    if rng.chance(30) {
        // A notch in the upper right corner.
        let (x, y) = (rng.range(300, 600), rng.range(200, die.hi.y - 50));
        let p = Point::new;
        plan.die_outline =
            vec![p(0, 0), p(die.hi.x, 0), p(die.hi.x, y), p(x, y), p(x, die.hi.y), p(0, die.hi.y)];
    }
    if rng.chance(50) {
        // Some rows in fragments, a few of which abut.
        let old = std::mem::take(&mut plan.rows);
        for row in old {
            let cut = rng.range(5, 50);
            let gap = rng.pick(&[0, 0, 3, 7]);
            let mut left = row.clone();
            left.count = cut;
            let mut right = row;
            right.origin.x += (cut + gap) * SITE;
            right.count -= cut + gap;
            right.name.push('b');
            plan.rows.extend([left, right]);
        }
    }
    if rng.chance(30) {
        plan.rows.push(row("d0", 1, 35, 40, 30, Orient::N));
    }
    if rng.chance(20) {
        plan.rows.push(row("o0", 2, 39, 40, 50, Orient::N));
    }
    let rect = |rng: &mut Rng| {
        let (x, y) = (rng.range(0, 600), rng.range(0, die.hi.y - 50));
        Rect::new(x, y, x + rng.range(10, 200), y + rng.range(10, 250))
    };
    for _ in 0..rng.below(4) {
        let kind = rng.pick(&[
            BlockageKind::Hard,
            BlockageKind::Soft,
            BlockageKind::Partial(0.25),
            BlockageKind::Partial(0.6),
        ]);
        let cell = if rng.chance(20) { CellId::new(rng.below(cells)) } else { CellId::NONE };
        plan.blockages.push(Blockage { kind, rect: rect(rng), cell });
    }
    for number in 0..rng.below(3) {
        let kind = if rng.chance(80) { RegionKind::Fence } else { RegionKind::Guide };
        let count = rng.below(3);
        let rects = (0..count).map(|_| rect(rng)).collect();
        plan.regions.push(Region { name: format!("f{number}"), kind, rects });
    }
    for cell in 0..cells {
        if rng.chance(10) {
            let margins = [0; 4].map(|_| rng.range(0, 30));
            plan.halos.push(Halo { cell: CellId::new(cell), margins, soft: rng.chance(20) });
        }
    }
    if rng.chance(50) {
        plan.tracks.push(Tracks {
            layer: LayerId(2),
            along_x: true,
            start: 3,
            count: 60,
            step: 11,
        });
        plan.tracks.push(Tracks {
            layer: LayerId(2),
            along_x: false,
            start: 1,
            count: 30,
            step: 20,
        });
    }
    for _ in 0..rng.below(3) {
        plan.layer_blockages.push((LayerId(rng.pick(&[2, 3])), rect(rng)));
    }
    plan
}

pub fn random_place(rng: &mut Rng) -> Place {
    let status = match rng.below(20) {
        0 => PlaceStatus::Unplaced,
        1 | 2 => PlaceStatus::Fixed,
        3 => PlaceStatus::Cover,
        _ => PlaceStatus::Placed,
    };
    let orient = if rng.chance(70) {
        rng.pick(&[Orient::N, Orient::FS, Orient::FN, Orient::S])
    } else {
        rng.pick(&Orient::ALL)
    };
    let (x, y) = match rng.below(10) {
        // Anywhere, also outside the die.
        0 | 1 => (rng.range(-60, 720), rng.range(-60, 900)),
        // On a row, off site.
        2 => (rng.range(0, 640), 40 + rng.range(0, 8) * ROW),
        _ => (35 + rng.range(0, 60) * SITE, 40 + rng.range(0, 8) * ROW),
    };
    Place { x, y, orient, status }
}

pub fn random_design(seed: u64, cells: usize) -> Design {
    let mut rng = Rng(seed);
    let plan = random_plan(&mut rng, cells);
    let mut builder = DesignBuilder::new("toy", Arc::new(tech()), Arc::new(library()));
    let masters = builder.library().masters.len();
    let net_count = (cells / 2).max(2);
    let mut nets: Vec<NetId> = Vec::new();
    for net in 0..net_count {
        let kind = match rng.below(12) {
            0 => NetKind::Power,
            1 => NetKind::Ground,
            2 => NetKind::Clock,
            _ => NetKind::Signal,
        };
        nets.push(builder.add_net(&format!("n{net}"), kind));
    }
    for port in 0..rng.below(5) {
        let net = rng.pick(&nets);
        let location = rng.chance(80).then(|| Point::new(rng.range(0, 670), rng.range(0, 500)));
        let name = format!("p{port}");
        builder.add_port(&name, PinDirection::Input, net, location, Vec::new(), None);
    }
    for cell in 0..cells {
        let master = MasterId::new(rng.below(masters));
        let place = random_place(&mut rng);
        let id = builder.add_cell(&format!("c{cell}"), master, place);
        for pin in 0..2 {
            // A third of the pins on one big net.
            match rng.below(6) {
                0 => {}
                1 | 2 => builder.connect(id, MasterPinId(pin), nets[0]),
                _ => builder.connect(id, MasterPinId(pin), rng.pick(&nets)),
            }
        }
        if !plan.regions.is_empty() && rng.chance(30) {
            builder.set_region(id, RegionId::new(rng.below(plan.regions.len())));
        }
    }
    Design::new(&builder.finish(plan))
}

/// A random change that applies; some try again what does not.
pub fn random_change(design: &mut Design, rng: &mut Rng) {
    let cells: Vec<CellId> = design.cells().collect();
    let nets: Vec<NetId> = design.nets().collect();
    let some_cell = |rng: &mut Rng| cells.get(rng.below(cells.len())).copied();
    match rng.below(12) {
        0..=5 => {
            if let Some(cell) = some_cell(rng) {
                design.move_cell(cell, random_place(rng)).unwrap();
            }
        }
        6 => {
            if let Some(cell) = some_cell(rng) {
                let to = MasterId::new(rng.below(design.library().masters.len()));
                design.resize_cell(cell, to).unwrap();
            }
        }
        7 => {
            let master = MasterId::new(rng.below(design.library().masters.len()));
            let name = format!("new{}", design.next_cell().0);
            let cell = design.add_cell(&name, master, random_place(rng)).unwrap();
            if let Some(&net) = nets.get(rng.below(nets.len())) {
                let pin = design.cell_pins(cell).next().unwrap();
                design.connect(pin, net).unwrap();
            }
        }
        8 => {
            if let Some(cell) = some_cell(rng) {
                for pin in design.cell_pins(cell) {
                    design.connect(pin, NetId::NONE).unwrap();
                }
                design.remove_cell(cell).unwrap();
            }
        }
        9 | 10 => {
            let pin = PinId::new(rng.below(design.pin_slots()));
            if design.pin_slots() > 0 && design.has_pin(pin) {
                let to = match rng.below(4) {
                    0 => NetId::NONE,
                    1 => nets.first().copied().unwrap_or(NetId::NONE),
                    _ => nets.get(rng.below(nets.len())).copied().unwrap_or(NetId::NONE),
                };
                design.connect(pin, to).unwrap();
            }
        }
        _ => {
            if rng.chance(50) {
                let name = format!("net{}", design.next_net().0);
                let kind = rng.pick(&[NetKind::Signal, NetKind::Power]);
                design.add_net(&name, kind).unwrap();
            } else if let Some(&net) = nets.get(rng.below(nets.len())) {
                for pin in design.net_pins(net).to_vec() {
                    design.connect(pin, NetId::NONE).unwrap();
                }
                design.remove_net(net).unwrap();
            }
        }
    }
}

/// Sites and layers by number, for oracles.
pub fn routing_layers(design: &Design) -> Vec<LayerId> {
    let layers: &IdVec<LayerId, Layer> = &design.tech().layers;
    layers.iter().filter(|(_, l)| l.kind == LayerKind::Routing).map(|(id, _)| id).collect()
}
