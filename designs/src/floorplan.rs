//! Die, rows and pin places.

use crate::netlist::{Direction, Netlist};
use crate::tech::{ROUTING, ROW_HEIGHT, SITE_WIDTH};

/// Space between die and core on each side: two rows, 16 sites.
const MARGIN: i64 = 2 * ROW_HEIGHT;
/// Depth of a pin's shape, DBU (0.4 µm).
pub(crate) const PIN_DEPTH: i64 = 800;

/// Side of the die that a pin stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Bottom.
    South,
    /// Right.
    East,
    /// Top.
    North,
    /// Left.
    West,
}

/// Place of one port bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinPlace {
    /// Side.
    pub side: Side,
    /// x, DBU.
    pub x: i64,
    /// y, DBU.
    pub y: i64,
}

/// A floorplan. Lengths in DBU; the die's corner is the origin.
#[derive(Clone, Debug)]
pub struct Floorplan {
    /// Die width and height.
    pub die: (i64, i64),
    /// Lower left corner of the core.
    pub core: (i64, i64),
    /// Sites of a row.
    pub sites: i64,
    /// Rows.
    pub rows: i64,
    /// Places of the port bits, in port and bit order.
    pub pins: Vec<PinPlace>,
}

impl Floorplan {
    /// A square core of cell area over `utilisation`, with the ports spread evenly around the die:
    /// inputs counter-clockwise from the lower left corner, then outputs.
    pub fn new(n: &Netlist, utilisation: f64) -> Self {
        let used: i64 = n.cells().map(|c| i64::from(n.master(c).sites)).sum();
        let wanted = (used as f64 / utilisation).ceil() as i64;
        let per_row = ROW_HEIGHT / SITE_WIDTH;
        // rows · per_row = sites of a row when square, so rows² · per_row is the number of sites.
        let mut rows = (wanted / per_row).isqrt().max(1);
        let mut sites = (wanted + rows - 1) / rows;
        // A cell must fit, and each port bit needs two tracks of its own on the border.
        let widest = n.cells().map(|c| i64::from(n.master(c).sites)).max().unwrap_or(1);
        sites = sites.max(widest);
        let bits: i64 = n.ports.iter().map(|p| p.bits.len() as i64).sum();
        while (sites * SITE_WIDTH + rows * ROW_HEIGHT) * 2 < bits * 2 * SITE_WIDTH {
            rows += 1;
            sites += per_row;
        }
        let die = (sites * SITE_WIDTH + 2 * MARGIN, rows * ROW_HEIGHT + 2 * MARGIN);
        let pins = place_pins(n, die);
        Self { die, core: (MARGIN, MARGIN), sites, rows, pins }
    }

    /// Core area in sites.
    pub fn core_sites(&self) -> i64 {
        self.rows * self.sites
    }
}

fn place_pins(n: &Netlist, die: (i64, i64)) -> Vec<PinPlace> {
    let bits: usize = n.ports.iter().map(|p| p.bits.len()).sum();
    let mut pins = vec![PinPlace { side: Side::South, x: 0, y: 0 }; bits];
    // Inputs first, wherever they were declared.
    let mut order = Vec::with_capacity(bits);
    for direction in [Direction::Input, Direction::Output] {
        let mut at = 0;
        for port in &n.ports {
            if port.direction == direction {
                order.extend(at..at + port.bits.len());
            }
            at += port.bits.len();
        }
    }
    // The border, less one pitch at each corner, cut into as many equal parts as there are pins.
    let pitch = ROUTING[1].pitch_dbu();
    let (width, height) = (die.0 - 4 * pitch, die.1 - 4 * pitch);
    let border = 2 * (width + height);
    for (k, pin) in order.into_iter().enumerate() {
        let along = (2 * k as i64 + 1) * border / (2 * bits as i64);
        // Vertical tracks start at half a pitch, horizontal ones at zero; see `lef::offset`.
        let x = |d: i64| 2 * pitch + d / pitch * pitch + pitch / 2;
        let y = |d: i64| 2 * pitch + d / pitch * pitch;
        pins[pin] = if along < width {
            PinPlace { side: Side::South, x: x(along), y: 0 }
        } else if along < width + height {
            PinPlace { side: Side::East, x: die.0, y: y(along - width) }
        } else if along < 2 * width + height {
            PinPlace { side: Side::North, x: x(2 * width + height - along - 1), y: die.1 }
        } else {
            PinPlace { side: Side::West, x: 0, y: y(border - along - 1) }
        };
    }
    pins
}
