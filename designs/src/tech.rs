//! The technology `cw45`: grid, site, layers and vias.
//!
//! It is invented. Its proportions are those of a planar process with a 45 nm gate, so that wires and
//! cells compare as they do in real designs: nine routing layers in four pitches, a row of eight
//! tracks, copper-like sheet resistance and about 0.15 fF of capacitance per µm. No dimension is taken
//! from a foundry or from an open kit.
//!
//! Lengths are in µm as `f64` where LEF writes them, and in database units (DBU, 2000 per µm) as
//! `i64` where DEF does. Every length is a multiple of the manufacturing grid.

/// Name of the technology, as `design.toml` gives it.
pub const NAME: &str = "cw45";
/// Database units per µm.
pub const DBU_PER_MICRON: i64 = 2000;
/// Manufacturing grid, µm.
pub const MANUFACTURING_GRID: f64 = 0.005;
/// Name of the placement site.
pub const SITE: &str = "cwsite";
/// Site width, DBU (0.2 µm).
pub const SITE_WIDTH: i64 = 400;
/// Row and cell height, DBU (1.6 µm, eight tracks of `M1`).
pub const ROW_HEIGHT: i64 = 3200;

/// Preferred routing direction of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Along x.
    Horizontal,
    /// Along y.
    Vertical,
}

/// One routing layer. Lengths in µm.
#[derive(Clone, Copy, Debug)]
pub struct RoutingLayer {
    /// Layer name.
    pub name: &'static str,
    /// Preferred direction.
    pub direction: Direction,
    /// Track pitch, µm.
    pub pitch: f64,
    /// Wire width, µm.
    pub width: f64,
    /// Spacing between wires, µm.
    pub spacing: f64,
    /// Sheet resistance, Ω per square (LEF `RESISTANCE RPERSQ`).
    pub ohm_per_square: f64,
    /// Capacitance of the face, pF per µm² (LEF `CAPACITANCE CPERSQDIST`).
    pub pf_per_square_micron: f64,
    /// Capacitance of one edge, pF per µm (LEF `EDGECAPACITANCE`).
    pub pf_per_edge_micron: f64,
}

impl RoutingLayer {
    /// Resistance of a wire of default width, kΩ/µm: sheet resistance over width.
    pub fn kohm_per_micron(&self) -> f64 {
        self.ohm_per_square / self.width * 1e-3
    }

    /// Capacitance of a wire of default width, pF/µm: face times width and two edges.
    pub fn pf_per_micron(&self) -> f64 {
        self.pf_per_square_micron * self.width + 2.0 * self.pf_per_edge_micron
    }

    /// Track pitch in DBU.
    pub fn pitch_dbu(&self) -> i64 {
        to_dbu(self.pitch)
    }
}

/// One cut layer and the square via on it.
#[derive(Clone, Copy, Debug)]
pub struct CutLayer {
    /// Layer name; the via is called `<name>_S`.
    pub name: &'static str,
    /// Side of the square cut, µm.
    pub size: f64,
    /// Spacing between cuts, µm.
    pub spacing: f64,
    /// Enclosure along the wire, µm; across it the wire's own width encloses the cut.
    pub overhang: f64,
    /// Resistance of one cut, Ω.
    pub ohm: f64,
}

const fn metal(
    name: &'static str,
    direction: Direction,
    pitch: f64,
    ohm_per_square: f64,
    pf_per_square_micron: f64,
    pf_per_edge_micron: f64,
) -> RoutingLayer {
    RoutingLayer {
        name,
        direction,
        pitch,
        width: pitch / 2.0,
        spacing: pitch / 2.0,
        ohm_per_square,
        pf_per_square_micron,
        pf_per_edge_micron,
    }
}

const fn cut(name: &'static str, size: f64, overhang: f64, ohm: f64) -> CutLayer {
    CutLayer { name, size, spacing: size + 0.02, overhang, ohm }
}

/// The routing layers, lowest first. Width and spacing are half of the pitch.
pub const ROUTING: [RoutingLayer; 9] = [
    metal("M1", Direction::Horizontal, 0.2, 0.40, 1.2e-4, 6.4e-5),
    metal("M2", Direction::Vertical, 0.2, 0.32, 1.0e-4, 6.6e-5),
    metal("M3", Direction::Horizontal, 0.2, 0.32, 1.0e-4, 6.6e-5),
    metal("M4", Direction::Vertical, 0.4, 0.18, 6.0e-5, 7.0e-5),
    metal("M5", Direction::Horizontal, 0.4, 0.18, 6.0e-5, 7.0e-5),
    metal("M6", Direction::Vertical, 0.4, 0.18, 6.0e-5, 7.0e-5),
    metal("M7", Direction::Horizontal, 0.8, 0.07, 3.0e-5, 8.0e-5),
    metal("M8", Direction::Vertical, 0.8, 0.07, 3.0e-5, 8.0e-5),
    metal("M9", Direction::Horizontal, 1.6, 0.03, 2.0e-5, 9.0e-5),
];

/// The cut layers; entry `i` joins `ROUTING[i]` and `ROUTING[i + 1]`.
pub const CUTS: [CutLayer; 8] = [
    cut("V1", 0.08, 0.03, 5.0),
    cut("V2", 0.08, 0.03, 4.0),
    cut("V3", 0.08, 0.03, 4.0),
    cut("V4", 0.16, 0.04, 2.0),
    cut("V5", 0.16, 0.04, 2.0),
    cut("V6", 0.16, 0.04, 2.0),
    cut("V7", 0.32, 0.04, 1.0),
    cut("V8", 0.32, 0.24, 0.5),
];

/// Resistance (kΩ/µm) and capacitance (pF/µm) of a wire, before routing is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WireRc {
    /// Resistance, kΩ/µm.
    pub r: f64,
    /// Capacitance, pF/µm.
    pub c: f64,
}

/// The mean over the layers that carry signals, `M2` to `M5`.
pub fn signal_wire() -> WireRc {
    mean(&ROUTING[1..5])
}

/// The mean over the layers that carry clocks, `M5` and `M6`.
pub fn clock_wire() -> WireRc {
    mean(&ROUTING[4..6])
}

fn mean(layers: &[RoutingLayer]) -> WireRc {
    let n = layers.len() as f64;
    let r = layers.iter().map(RoutingLayer::kohm_per_micron).sum::<f64>() / n;
    let c = layers.iter().map(RoutingLayer::pf_per_micron).sum::<f64>() / n;
    // Seven decimals, so that a file holds the very number that we compute with.
    WireRc { r: (r * 1e7).round() / 1e7, c: (c * 1e7).round() / 1e7 }
}

/// Micron to DBU, for lengths that lie on the grid.
pub fn to_dbu(micron: f64) -> i64 {
    (micron * DBU_PER_MICRON as f64).round() as i64
}

/// DBU to µm.
pub fn to_micron(dbu: i64) -> f64 {
    dbu as f64 / DBU_PER_MICRON as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_grid(micron: f64) -> bool {
        let steps = micron / MANUFACTURING_GRID;
        (steps - steps.round()).abs() < 1e-6
    }

    #[test]
    fn every_length_is_on_the_manufacturing_grid() {
        for layer in &ROUTING {
            assert!(on_grid(layer.pitch) && on_grid(layer.width / 2.0), "{}", layer.name);
            assert!(on_grid(layer.spacing), "{}", layer.name);
        }
        for cut in &CUTS {
            assert!(on_grid(cut.size / 2.0) && on_grid(cut.overhang), "{}", cut.name);
        }
        assert_eq!(ROW_HEIGHT % ROUTING[0].pitch_dbu(), 0);
        assert_eq!(SITE_WIDTH, ROUTING[1].pitch_dbu());
    }

    #[test]
    fn directions_alternate_and_wires_get_better_upwards() {
        for pair in ROUTING.windows(2) {
            assert_ne!(pair[0].direction, pair[1].direction);
            assert!(pair[0].kohm_per_micron() >= pair[1].kohm_per_micron());
        }
    }

    #[test]
    fn a_cut_fits_in_both_wires() {
        for (i, cut) in CUTS.iter().enumerate() {
            assert!(cut.size <= ROUTING[i].width && cut.size <= ROUTING[i + 1].width);
        }
    }
}
