//! Generated cases: our own netlists for tests, benches and first steps.

use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::netlist::{Item, Kind, Netlist, Placement, Settings, Spot};
use crate::orient::Orient;

/// How large a generated case is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Hard macros.
    pub hard: usize,
    /// Soft macros.
    pub soft: usize,
    /// Ports, spread along the sides.
    pub ports: usize,
    /// Nets.
    pub nets: usize,
    /// Columns and rows of the grid.
    pub grid: (u32, u32),
}

impl Size {
    /// A case that a test looks at thousands of times.
    pub const SMALL: Size = Size { hard: 5, soft: 9, ports: 6, nets: 60, grid: (6, 5) };
    /// Of the kind of a clustered RISC-V core: 130 hard and 800 soft macros, 20,000 nets.
    pub const CORE: Size = Size { hard: 130, soft: 800, ports: 500, nets: 20_000, grid: (24, 21) };
}

/// A case and a random placement of it inside the canvas. The same seed gives the same case on every
/// machine. Nets prefer macros that are near in number, so there is something to gain by placing.
#[must_use]
pub fn generate(size: Size, seed: u64) -> (Netlist, Placement) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut netlist = Netlist::default();
    let mut boxes = Vec::new();
    let mut area = 0.0;
    // Sizes in thousandths, as LEF writes them, so that sums are not all exact in binary.
    let milli =
        |rng: &mut ChaCha8Rng, low: u32, high: u32| f64::from(rng.random_range(low..high)) / 1000.0;
    for n in 0..size.hard + size.soft {
        let hard = n < size.hard;
        let (width, height) = if hard {
            (milli(&mut rng, 20_000, 60_000), milli(&mut rng, 20_000, 90_000))
        } else {
            (milli(&mut rng, 5_000, 30_000), milli(&mut rng, 5_000, 30_000))
        };
        area += width * height;
        boxes.push((hard, width, height));
    }
    let side = (area / 0.65).sqrt().ceil().max(10.0);
    let (canvas_width, canvas_height) = (side + 0.406, side - 0.17);
    for p in 0..size.ports {
        let along = (p as f64 + 0.5) / size.ports.max(1) as f64 * 4.0;
        let (x, y, name) = match along as u32 {
            0 => (along * canvas_width, 0.0, "BOTTOM"),
            1 => (canvas_width, (along - 1.0) * canvas_height, "RIGHT"),
            2 => ((3.0 - along) * canvas_width, canvas_height, "TOP"),
            _ => (0.0, (4.0 - along) * canvas_height, "LEFT"),
        };
        let index = netlist.items.len() as u32;
        let mut port = Item::new(format!("port_{p}"), Kind::Port, index);
        port.at = Some((x, y));
        port.side = Some(name.to_owned());
        netlist.items.push(port);
    }
    // Macros, each followed by its pins.
    let mut pins: Vec<Vec<u32>> = Vec::new();
    for (n, &(hard, width, height)) in boxes.iter().enumerate() {
        let index = netlist.items.len() as u32;
        let kind = if hard { Kind::Hard } else { Kind::Soft };
        let mut item = Item::new(format!("{}_{n}", if hard { "ram" } else { "Grp" }), kind, index);
        (item.width, item.height) = (width, height);
        item.at = Some((
            rng.random_range(0.0..1.0) * (canvas_width - width).max(0.0) + width / 2.0,
            rng.random_range(0.0..1.0) * (canvas_height - height).max(0.0) + height / 2.0,
        ));
        item.orient = hard.then_some(Orient::N);
        let name = item.name.clone();
        netlist.items.push(item);
        let mut own = Vec::new();
        for p in 0..if hard { 12 } else { 4 } {
            let kind = if hard { Kind::HardPin } else { Kind::SoftPin };
            let mut pin = Item::new(format!("{name}/p{p}"), kind, index);
            if hard {
                let along = f64::from(rng.random_range(0..100u32)) / 100.0 - 0.5;
                pin.offset = (along * width, if p % 2 == 0 { height / 2.0 } else { -height / 2.0 });
            }
            own.push(netlist.items.len() as u32);
            netlist.items.push(pin);
        }
        pins.push(own);
    }
    let macros = pins.len();
    for _ in 0..size.nets {
        if macros == 0 {
            break;
        }
        let home = rng.random_range(0..macros);
        let near = |rng: &mut ChaCha8Rng| {
            let far = rng.random_range(0..10) == 0;
            let spread = if far { macros } else { 1 + macros / 20 };
            (home + rng.random_range(0..spread)) % macros
        };
        let own = &pins[home];
        let driver = own[rng.random_range(0..own.len())] as usize;
        let sinks = match rng.random_range(0..20) {
            0 => rng.random_range(3..12),
            1..4 => 2,
            _ => 1,
        };
        for _ in 0..sinks {
            if rng.random_range(0..25) == 0 && size.ports > 0 {
                let port = rng.random_range(0..size.ports as u32);
                netlist.items[driver].sinks.push(port);
            } else {
                let other = &pins[near(&mut rng)];
                let sink = other[rng.random_range(0..other.len())];
                netlist.items[driver].sinks.push(sink);
            }
        }
        if rng.random_range(0..4) == 0 {
            netlist.items[driver].weight = Some(f64::from(rng.random_range(1..6u32)));
        }
    }
    for port in 0..size.ports {
        if macros > 0 && rng.random_range(0..2) == 0 {
            let other = &pins[rng.random_range(0..macros)];
            netlist.items[port].sinks.push(other[0]);
        }
    }
    let settings = Settings {
        columns: size.grid.0,
        rows: size.grid.1,
        width: canvas_width,
        height: canvas_height,
        routes_h: 57.031,
        routes_v: 56.818,
        macro_routes_h: 39.583,
        macro_routes_v: 30.303,
        ..Settings::default()
    };
    let mut placement = Placement::of_netlist(&netlist, settings);
    for (item, spot) in netlist.items.iter().zip(&mut placement.spots) {
        if let (Kind::Port, Some(Spot { orient, .. })) = (item.kind, spot) {
            *orient = None;
        }
    }
    (netlist, placement)
}
