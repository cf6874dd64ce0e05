//! The electrical model behind every number in the Liberty files.
//!
//! A cell is an output stage of resistance `R` behind a chain of inner stages of delay `t`:
//!
//! ```text
//! R     = R0 · family factor (rise or fall) · (1 + 0.04 k) / X      kΩ, k = place of the input
//! tau   = R · (C_load + parasitic · C0 · X)                         ns
//! delay = t + sqrt( (ln 2 · tau)² + (b · slew_in)² )                ns, 50 % to 50 %
//! slew  = sqrt( (ln 4 · tau)² + (g · slew_in)² )                    ns, 20 % to 80 %
//! ```
//!
//! `ln 2 · tau` and `ln 4 · tau` are the exact delay and 20–80 % time of an RC stage under a step. The
//! root of squares is the usual law for cascaded rise times; as the norm of a vector that is linear in
//! (load, slew) it is smooth, convex and monotone in both, so a table of it is too.
//! `b` and `g` are 0.22 and 0.25 for one stage, 0.09 and 0.06 where inner stages restore the edge.
//!
//! Input capacitance is `C0 · effort · X` for one stage and `C0 · effort · (0.6 + 0.4 X)` where inner
//! stages stand between. A corner multiplies every time by one factor (resistances by it, capacitances
//! by their own):
//!
//! ```text
//! k(V, T, P) = P · [V / (V − Vt)^1.4] / [Vn / (Vn − Vt)^1.4] · (T / Tn)^0.5     (alpha-power law)
//! ```
//!
//! with Vn = 1.1 V, Vt = 0.4 V, Tn = 298 K, rounded to four decimals.
//! Constraints: `setup = s0 + sqrt(0.01² + (0.35 · slew_data)²) − 0.20 · slew_clock` and
//! `hold = h0 + 0.25 · slew_clock − 0.15 · slew_data`.
//!
//! Units: ns, pF, kΩ (ns = kΩ · pF), V, nW. The alpha-power law is from T. Sakurai and A. R. Newton,
//! IEEE J. Solid-State Circuits 25(2), 1990.

use crate::cells::{Family, Kind, Master};
use crate::logic::Sense;

/// Resistance of the X1 inverter's pull-down, kΩ.
pub const R0_FALL: f64 = 2.3;
/// Resistance of the X1 inverter's pull-up, kΩ.
pub const R0_RISE: f64 = 2.6;
/// Input capacitance of the X1 inverter, pF.
pub const C0: f64 = 0.0015;
/// Largest transition that a pin may see, ns.
pub const MAX_TRANSITION: f64 = 0.6;
/// Input transitions of the NLDM tables, ns.
pub const SLEW_AXIS: [f64; 7] = [0.002, 0.01, 0.03, 0.07, 0.15, 0.3, 0.6];
/// Loads of the NLDM tables as fractions of `max_capacitance`.
pub const LOAD_FRACTIONS: [f64; 7] = [0.005, 0.03, 0.08, 0.18, 0.35, 0.6, 1.0];
/// Transitions of the constraint tables, ns.
pub const CONSTRAINT_AXIS: [f64; 4] = [0.002, 0.05, 0.2, 0.6];
/// `max_capacitance` of an X1 inverter-like output, pF.
const MAX_CAP_X1: f64 = 0.06;

/// A process, voltage and temperature corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// Slow process, 0.99 V, 125 °C.
    Slow,
    /// Typical process, 1.1 V, 25 °C.
    Typ,
    /// Fast process, 1.21 V, −40 °C.
    Fast,
}

/// The two edges of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Low to high.
    Rise,
    /// High to low.
    Fall,
}

impl Corner {
    /// All corners, typical first.
    pub const ALL: [Corner; 3] = [Corner::Typ, Corner::Slow, Corner::Fast];

    /// Name as used in file names and `design.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Corner::Slow => "slow",
            Corner::Typ => "typ",
            Corner::Fast => "fast",
        }
    }

    /// Supply, V.
    pub fn voltage(self) -> f64 {
        match self {
            Corner::Slow => 0.99,
            Corner::Typ => 1.1,
            Corner::Fast => 1.21,
        }
    }

    /// Temperature, °C.
    pub fn celsius(self) -> f64 {
        match self {
            Corner::Slow => 125.0,
            Corner::Typ => 25.0,
            Corner::Fast => -40.0,
        }
    }

    /// Factor on every time and resistance: the module's `k`.
    pub fn time_factor(self) -> f64 {
        let process = match self {
            Corner::Slow => 1.1,
            Corner::Typ => 1.0,
            Corner::Fast => 0.92,
        };
        let law = |v: f64| v / (v - 0.4).powf(1.4);
        let kelvin = self.celsius() + 273.0;
        let k = process * law(self.voltage()) / law(1.1) * (kelvin / 298.0).sqrt();
        // Rounded, so that a last bit of a platform's pow cannot reach a file.
        (k * 1e4).round() / 1e4
    }

    /// Factor on every capacitance.
    pub fn cap_factor(self) -> f64 {
        match self {
            Corner::Slow => 1.03,
            Corner::Typ => 1.0,
            Corner::Fast => 0.97,
        }
    }

    /// Factor on leakage: hot leaks, cold does not.
    pub fn leakage_factor(self) -> f64 {
        match self {
            Corner::Slow => 12.0,
            Corner::Typ => 1.0,
            Corner::Fast => 0.4,
        }
    }
}

/// One output stage as seen from one input, for one edge of the output.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// Inner delay, ns.
    pub inner: f64,
    /// Output resistance, kΩ.
    pub r: f64,
    /// Output parasitic, pF.
    pub parasitic: f64,
    /// Weight of the input slew in the delay.
    pub b: f64,
    /// Weight of the input slew in the output slew.
    pub g: f64,
}

impl Stage {
    /// Delay for an input transition (ns, 20–80 %) and a load (pF), ns.
    pub fn delay(&self, slew: f64, load: f64) -> f64 {
        let step = std::f64::consts::LN_2 * self.tau(load);
        let ramp = self.b * slew;
        self.inner + (step * step + ramp * ramp).sqrt()
    }

    /// Output transition (ns, 20–80 %).
    pub fn transition(&self, slew: f64, load: f64) -> f64 {
        let step = 2.0 * std::f64::consts::LN_2 * self.tau(load);
        let ramp = self.g * slew;
        (step * step + ramp * ramp).sqrt()
    }

    fn tau(&self, load: f64) -> f64 {
        self.r * (load + self.parasitic)
    }
}

/// The stage from input `input` to output `output` of `master`.
pub fn stage(
    master: &Master,
    corner: Corner,
    input: usize,
    output: usize,
    sense: Sense,
    edge: Edge,
) -> Stage {
    let family = master.family;
    let e = &family.electrical;
    let x = f64::from(master.drive);
    let k = corner.time_factor();
    let (r0, factor) = match edge {
        Edge::Rise => (R0_RISE, e.rise),
        Edge::Fall => (R0_FALL, e.fall),
    };
    let place = if family.kind == Kind::Logic { input as f64 } else { 0.0 };
    let multi = e.inner_ns > 0.0;
    let mut inner = e.inner_ns * (1.0 + 0.05 * log2(master.drive));
    if multi {
        // The second output of an adder skips an XOR; QN waits for Q's inverter.
        inner *= match (family.kind, output) {
            (Kind::Logic, 1) => 0.8,
            (Kind::Flop { .. }, 1) => 1.15,
            _ => 1.0,
        };
        // A path that inverts goes through one more stage where the cell as a whole does not.
        if sense == Sense::Negative && family.kind == Kind::Logic {
            inner *= 1.06;
        }
        inner *= 1.0 + 0.03 * place;
        if edge == Edge::Fall {
            inner *= 1.04;
        }
    } else {
        inner += 0.0012 + 0.0006 * place;
    }
    Stage {
        inner: inner * k,
        r: r0 * factor * (1.0 + 0.04 * place) / x * k,
        parasitic: e.parasitic * C0 * x * corner.cap_factor(),
        b: if multi { 0.09 } else { 0.22 },
        g: if multi { 0.06 } else { 0.25 },
    }
}

/// Capacitance of input `input`, pF, mean of both edges.
pub fn input_cap(master: &Master, corner: Corner, input: usize) -> f64 {
    let family = master.family;
    let x = f64::from(master.drive);
    let scale = match family.kind {
        // Registers have input stages of one size.
        Kind::Flop { .. } | Kind::Latch => 1.0,
        _ if family.electrical.inner_ns > 0.0 => 0.6 + 0.4 * x,
        _ => x,
    };
    let effort = family.effort.get(input).copied().unwrap_or(1.0);
    C0 * effort * scale * corner.cap_factor()
}

/// Largest load of an output, pF: what keeps its own slew near `MAX_TRANSITION / 2`.
pub fn max_cap(master: &Master) -> f64 {
    let e = &master.family.electrical;
    MAX_CAP_X1 * f64::from(master.drive) / e.rise.max(e.fall)
}

/// Leakage of a cell, nW.
pub fn leakage(master: &Master, corner: Corner) -> f64 {
    match master.family.kind {
        Kind::Filler | Kind::Tap => 0.0,
        _ => 6.0 * f64::from(master.sites) * corner.leakage_factor(),
    }
}

/// Setup time of a data or enable pin, ns.
pub fn setup(family: &Family, corner: Corner, data_slew: f64, clock_slew: f64) -> f64 {
    let base = match family.kind {
        Kind::ClockGate => 0.030,
        Kind::Latch => 0.022,
        Kind::Flop { reset: true } => 0.028,
        _ => 0.025,
    };
    let ramp = 0.35 * data_slew;
    (base + (1e-4 + ramp * ramp).sqrt() - 0.20 * clock_slew) * corner.time_factor()
}

/// Hold time of a data or enable pin, ns; may be negative.
pub fn hold(family: &Family, corner: Corner, data_slew: f64, clock_slew: f64) -> f64 {
    let base = if family.kind == Kind::Latch { 0.008 } else { 0.005 };
    (base + 0.25 * clock_slew - 0.15 * data_slew) * corner.time_factor()
}

/// Recovery time of an asynchronous reset, ns.
pub fn recovery(corner: Corner, reset_slew: f64, clock_slew: f64) -> f64 {
    (0.035 + 0.30 * reset_slew - 0.15 * clock_slew) * corner.time_factor()
}

/// Removal time of an asynchronous reset, ns.
pub fn removal(corner: Corner, reset_slew: f64, clock_slew: f64) -> f64 {
    (0.015 + 0.20 * clock_slew - 0.10 * reset_slew) * corner.time_factor()
}

/// Shortest pulse of a clock or reset pin, ns.
pub fn min_pulse(corner: Corner) -> f64 {
    0.080 * corner.time_factor()
}

/// log2 of a power of two, exactly.
fn log2(drive: u8) -> f64 {
    f64::from(drive.max(1).ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::{Gate, catalog};

    #[test]
    fn corners_are_ordered_and_typical_is_one() {
        assert_eq!(Corner::Typ.time_factor(), 1.0);
        assert!(Corner::Slow.time_factor() > 1.3 && Corner::Slow.time_factor() < 1.7);
        assert!(Corner::Fast.time_factor() > 0.6 && Corner::Fast.time_factor() < 0.9);
    }

    #[test]
    fn an_inverter_driving_four_of_itself_is_plausible() {
        let catalog = catalog();
        let inv = catalog.master(catalog.weakest(Gate::Inv));
        let load = 4.0 * input_cap(inv, Corner::Typ, 0);
        let s = stage(inv, Corner::Typ, 0, 0, Sense::Negative, Edge::Rise);
        let delay = s.delay(s.transition(0.02, load), load);
        assert!((0.010..0.030).contains(&delay), "{delay}");
    }
}
