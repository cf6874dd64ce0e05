//! The cell catalogue: families, drives, pins, functions and sizes.
//!
//! A **family** is one logic function ([`Gate`]); a **master** is a family at one drive, called
//! `<FAMILY>_X<drive>`. Everything that the LEF and the Liberty writer print about a cell is derived
//! from the table [`FAMILIES`] and the electrical model of [`crate::model`].

use std::sync::LazyLock;

use crate::logic::Expr::{self, And, Const, Not, Or, Pin, State, Xor};
use crate::tech;

/// A cell family. The order is the order of [`FAMILIES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the cell names")]
pub enum Gate {
    Inv,
    Buf,
    ClkBuf,
    Nand2,
    Nand3,
    Nand4,
    Nor2,
    Nor3,
    Nor4,
    And2,
    And3,
    Or2,
    Or3,
    Aoi21,
    Aoi22,
    Oai21,
    Oai22,
    Xor2,
    Xnor2,
    Mux2,
    Ha,
    Fa,
    Dff,
    Dffr,
    Latch,
    Icg,
    Tie0,
    Tie1,
    Fill,
    Tap,
}

/// What a family is, beyond its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Combinational logic.
    Logic,
    /// Flip-flop on the rising edge of `CK`; with `reset`, cleared while `RN` is low.
    Flop {
        /// Has an asynchronous clear.
        reset: bool,
    },
    /// Latch, transparent while `G` is high.
    Latch,
    /// Clock gate: a latch transparent while `CK` is low, and an AND.
    ClockGate,
    /// Constant driver.
    Tie,
    /// Fills a row; no signal pins.
    Filler,
    /// Well tap; no signal pins.
    Tap,
}

/// The electrical character of a family at drive X1, in multiples of the inverter's.
///
/// See [`crate::model`] for the formulas.
#[derive(Clone, Copy, Debug)]
pub struct Electrical {
    /// Pull-up resistance over the inverter's.
    pub rise: f64,
    /// Pull-down resistance over the inverter's.
    pub fall: f64,
    /// Output parasitic capacitance over the inverter's input capacitance.
    pub parasitic: f64,
    /// Delay of the stages before the output stage, ns at the typical corner; 0 for one stage.
    pub inner_ns: f64,
}

/// One row of the catalogue.
#[derive(Debug)]
pub struct Family {
    /// The family's own tag.
    pub gate: Gate,
    /// Name, also the Liberty footprint.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Input pins in order; for sequential cells data first, clock second, reset third.
    pub inputs: &'static [&'static str],
    /// Output pins and their functions.
    pub outputs: &'static [(&'static str, Expr)],
    /// Drives, ascending.
    pub drives: &'static [u8],
    /// Poly columns at X1: what the width grows from.
    pub columns: f64,
    /// Input capacitance per input at X1, over the inverter's.
    pub effort: &'static [f64],
    /// Output stage.
    pub electrical: Electrical,
}

const fn el(rise: f64, fall: f64, parasitic: f64, inner_ns: f64) -> Electrical {
    Electrical { rise, fall, parasitic, inner_ns }
}

macro_rules! family {
    ($gate:ident, $name:literal, $kind:expr, $inputs:expr, $outputs:expr, $drives:expr,
     $columns:literal, $effort:expr, $electrical:expr) => {
        Family {
            gate: Gate::$gate,
            name: $name,
            kind: $kind,
            inputs: $inputs,
            outputs: $outputs,
            drives: $drives,
            columns: $columns,
            effort: $effort,
            electrical: $electrical,
        }
    };
}

use Kind::{ClockGate, Filler, Flop, Logic, Tie};

const AND01: Expr = And(&[Pin(0), Pin(1)]);
const AND23: Expr = And(&[Pin(2), Pin(3)]);
const OR01: Expr = Or(&[Pin(0), Pin(1)]);
const OR23: Expr = Or(&[Pin(2), Pin(3)]);
const AND3: Expr = And(&[Pin(0), Pin(1), Pin(2)]);
const OR3: Expr = Or(&[Pin(0), Pin(1), Pin(2)]);
const CARRY: Expr = Or(&[AND01, And(&[Pin(2), OR01])]);
const SELECT: Expr = Or(&[And(&[Pin(0), Not(&Pin(2))]), And(&[Pin(1), Pin(2)])]);

/// Every family, in the order of [`Gate`].
#[rustfmt::skip]
pub static FAMILIES: [Family; 30] = [
    family!(Inv, "INV", Logic, &["A"], &[("ZN", Not(&Pin(0)))], &[1, 2, 4, 8, 16], 1.0, &[1.0], el(1.0, 1.0, 0.8, 0.0)),
    family!(Buf, "BUF", Logic, &["A"], &[("Z", Pin(0))], &[1, 2, 4, 8, 16], 1.7, &[0.7], el(1.0, 1.0, 0.8, 0.011)),
    family!(ClkBuf, "CLKBUF", Logic, &["A"], &[("Z", Pin(0))], &[2, 4, 8, 16], 1.9, &[0.6], el(0.95, 0.95, 0.9, 0.012)),
    family!(Nand2, "NAND2", Logic, &["A1", "A2"], &[("ZN", Not(&AND01))], &[1, 2, 4, 8], 2.0, &[1.15, 1.12], el(1.0, 1.12, 1.3, 0.0)),
    family!(Nand3, "NAND3", Logic, &["A1", "A2", "A3"], &[("ZN", Not(&AND3))], &[1, 2, 4], 3.0, &[1.32, 1.3, 1.28], el(1.02, 1.25, 1.9, 0.0)),
    family!(Nand4, "NAND4", Logic, &["A1", "A2", "A3", "A4"], &[("ZN", Not(&And(&[Pin(0), Pin(1), Pin(2), Pin(3)])))], &[1, 2, 4], 4.0, &[1.5, 1.48, 1.46, 1.44], el(1.05, 1.4, 2.6, 0.0)),
    family!(Nor2, "NOR2", Logic, &["A1", "A2"], &[("ZN", Not(&OR01))], &[1, 2, 4, 8], 2.0, &[1.32, 1.28], el(1.22, 1.0, 1.4, 0.0)),
    family!(Nor3, "NOR3", Logic, &["A1", "A2", "A3"], &[("ZN", Not(&OR3))], &[1, 2, 4], 3.0, &[1.6, 1.56, 1.52], el(1.5, 1.02, 2.1, 0.0)),
    family!(Nor4, "NOR4", Logic, &["A1", "A2", "A3", "A4"], &[("ZN", Not(&Or(&[Pin(0), Pin(1), Pin(2), Pin(3)])))], &[1, 2, 4], 4.0, &[1.86, 1.82, 1.78, 1.74], el(1.8, 1.05, 2.9, 0.0)),
    family!(And2, "AND2", Logic, &["A1", "A2"], &[("Z", AND01)], &[1, 2, 4], 2.8, &[0.85, 0.83], el(1.0, 1.0, 0.85, 0.017)),
    family!(And3, "AND3", Logic, &["A1", "A2", "A3"], &[("Z", AND3)], &[1, 2, 4], 3.8, &[0.95, 0.93, 0.91], el(1.0, 1.0, 0.85, 0.023)),
    family!(Or2, "OR2", Logic, &["A1", "A2"], &[("Z", OR01)], &[1, 2, 4], 2.8, &[0.9, 0.87], el(1.0, 1.0, 0.85, 0.021)),
    family!(Or3, "OR3", Logic, &["A1", "A2", "A3"], &[("Z", OR3)], &[1, 2, 4], 3.8, &[1.05, 1.02, 0.99], el(1.0, 1.0, 0.85, 0.032)),
    family!(Aoi21, "AOI21", Logic, &["A1", "A2", "B"], &[("ZN", Not(&Or(&[AND01, Pin(2)])))], &[1, 2, 4], 3.0, &[1.4, 1.38, 1.25], el(1.3, 1.12, 1.8, 0.0)),
    family!(Aoi22, "AOI22", Logic, &["A1", "A2", "B1", "B2"], &[("ZN", Not(&Or(&[AND01, AND23])))], &[1, 2, 4], 4.0, &[1.45, 1.43, 1.42, 1.4], el(1.35, 1.18, 2.3, 0.0)),
    family!(Oai21, "OAI21", Logic, &["A1", "A2", "B"], &[("ZN", Not(&And(&[OR01, Pin(2)])))], &[1, 2, 4], 3.0, &[1.42, 1.4, 1.18], el(1.25, 1.15, 1.8, 0.0)),
    family!(Oai22, "OAI22", Logic, &["A1", "A2", "B1", "B2"], &[("ZN", Not(&And(&[OR01, OR23])))], &[1, 2, 4], 4.0, &[1.48, 1.46, 1.44, 1.42], el(1.38, 1.18, 2.4, 0.0)),
    family!(Xor2, "XOR2", Logic, &["A", "B"], &[("Z", Xor(&[Pin(0), Pin(1)]))], &[1, 2, 4], 5.2, &[1.7, 1.75], el(1.1, 1.05, 1.2, 0.023)),
    family!(Xnor2, "XNOR2", Logic, &["A", "B"], &[("ZN", Not(&Xor(&[Pin(0), Pin(1)])))], &[1, 2, 4], 5.2, &[1.7, 1.72], el(1.1, 1.05, 1.2, 0.022)),
    family!(Mux2, "MUX2", Logic, &["A", "B", "S"], &[("Z", SELECT)], &[1, 2, 4], 5.6, &[0.9, 0.9, 1.3], el(1.0, 1.02, 0.9, 0.031)),
    family!(Ha, "HA", Logic, &["A", "B"], &[("S", Xor(&[Pin(0), Pin(1)])), ("CO", AND01)], &[1, 2], 7.5, &[2.1, 2.0], el(1.02, 1.0, 0.9, 0.026)),
    family!(Fa, "FA", Logic, &["A", "B", "CI"], &[("S", Xor(&[Pin(0), Pin(1), Pin(2)])), ("CO", CARRY)], &[1, 2], 12.5, &[2.3, 2.25, 1.7], el(1.02, 1.0, 0.9, 0.038)),
    family!(Dff, "DFF", Flop { reset: false }, &["D", "CK"], &[("Q", State)], &[1, 2, 4], 14.0, &[0.75, 0.65], el(1.0, 0.98, 0.9, 0.046)),
    family!(Dffr, "DFFR", Flop { reset: true }, &["D", "CK", "RN"], &[("Q", State), ("QN", Not(&State))], &[1, 2, 4], 16.5, &[0.78, 0.66, 1.1], el(1.0, 0.98, 0.95, 0.052)),
    family!(Latch, "LATCH", Kind::Latch, &["D", "G"], &[("Q", State)], &[1, 2], 9.0, &[0.75, 0.7], el(1.0, 0.98, 0.9, 0.036)),
    family!(Icg, "ICG", ClockGate, &["E", "CK"], &[("GCK", And(&[State, Pin(1)]))], &[2, 4, 8], 12.0, &[0.8, 1.3], el(0.95, 0.95, 0.9, 0.019)),
    family!(Tie0, "TIE0", Tie, &[], &[("Z", Const(false))], &[1], 1.0, &[], el(2.0, 2.0, 0.8, 0.0)),
    family!(Tie1, "TIE1", Tie, &[], &[("Z", Const(true))], &[1], 1.0, &[], el(2.0, 2.0, 0.8, 0.0)),
    family!(Fill, "FILL", Filler, &[], &[], &[1, 2, 4, 8, 16], 0.0, &[], el(1.0, 1.0, 0.0, 0.0)),
    family!(Tap, "TAP", Kind::Tap, &[], &[], &[1], 1.0, &[], el(1.0, 1.0, 0.0, 0.0)),
];

impl Gate {
    /// The family's row.
    pub fn family(self) -> &'static Family {
        &FAMILIES[self as usize]
    }
}

impl Family {
    /// Input pin that the clock (or a latch's gate) drives.
    pub fn clock_pin(&self) -> Option<usize> {
        match self.kind {
            Kind::Flop { .. } | Kind::Latch | Kind::ClockGate => Some(1),
            _ => None,
        }
    }

    /// True for flip-flops and latches.
    pub fn is_register(&self) -> bool {
        matches!(self.kind, Kind::Flop { .. } | Kind::Latch)
    }

    /// Signal pins: inputs, then outputs.
    pub fn pin_count(&self) -> usize {
        self.inputs.len() + self.outputs.len()
    }

    /// Name of signal pin `i`.
    pub fn pin_name(&self, i: usize) -> &'static str {
        match self.inputs.get(i) {
            Some(name) => name,
            None => self.outputs.get(i - self.inputs.len()).map_or("?", |o| o.0),
        }
    }

    /// True when a change of input `i` reaches an output without waiting for a clock edge, so that
    /// the pin is part of a combinational path. Asynchronous resets count as ending a path.
    pub fn is_through(&self, i: usize) -> bool {
        match self.kind {
            Kind::Logic => i < self.inputs.len(),
            Kind::ClockGate => i == 1,
            _ => false,
        }
    }
}

/// Dense number of a master: an index into [`Catalog::masters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MasterId(pub u16);

/// One cell of the library.
#[derive(Debug)]
pub struct Master {
    /// `<FAMILY>_X<drive>`; fillers carry their width in sites instead of a drive.
    pub name: String,
    /// The family.
    pub family: &'static Family,
    /// Drive, in multiples of X1.
    pub drive: u8,
    /// Width in sites.
    pub sites: u16,
}

impl Master {
    /// Width in DBU.
    pub fn width(&self) -> i64 {
        i64::from(self.sites) * tech::SITE_WIDTH
    }

    /// Area in µm².
    pub fn area(&self) -> f64 {
        tech::to_micron(self.width()) * tech::to_micron(tech::ROW_HEIGHT)
    }
}

/// All masters, and where each family starts.
#[derive(Debug)]
pub struct Catalog {
    masters: Vec<Master>,
    first: Vec<u16>,
}

static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::new);

/// The catalogue of `cw45`.
pub fn catalog() -> &'static Catalog {
    &CATALOG
}

impl Catalog {
    fn new() -> Self {
        let mut masters = Vec::new();
        let mut first = Vec::new();
        for family in &FAMILIES {
            first.push(masters.len() as u16);
            for &drive in family.drives {
                masters.push(Master {
                    name: format!("{}_X{drive}", family.name),
                    family,
                    drive,
                    sites: sites(family, drive),
                });
            }
        }
        first.push(masters.len() as u16);
        Self { masters, first }
    }

    /// Every master, by [`MasterId`].
    pub fn masters(&self) -> &[Master] {
        &self.masters
    }

    /// One master.
    pub fn master(&self, id: MasterId) -> &Master {
        &self.masters[usize::from(id.0)]
    }

    /// The weakest master of a family.
    pub fn weakest(&self, gate: Gate) -> MasterId {
        MasterId(self.first[gate as usize])
    }

    /// The masters of a family, weakest first.
    pub fn drives(&self, gate: Gate) -> impl DoubleEndedIterator<Item = MasterId> + use<> {
        (self.first[gate as usize]..self.first[gate as usize + 1]).map(MasterId)
    }
}

/// Width in sites: one site of margin, and columns that share diffusion as they are folded.
/// A cell has at least one site per signal pin, so that every pin has a track of its own.
fn sites(family: &Family, drive: u8) -> u16 {
    match family.kind {
        Kind::Filler => return u16::from(drive),
        Kind::Tap => return 2,
        _ => {}
    }
    let x = f64::from(drive);
    // Only the output stage of a multi-stage cell is folded.
    let grown = if family.electrical.inner_ns > 0.0 {
        let outputs = family.outputs.len() as f64;
        family.columns + (x - 1.0) * (0.7 * outputs + 0.05 * family.columns)
    } else {
        family.columns * (0.3 + 0.7 * x)
    };
    let width = 1 + grown.ceil() as u16;
    width.max(family.pin_count() as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_tags() {
        for (i, family) in FAMILIES.iter().enumerate() {
            assert_eq!(family.gate as usize, i, "{}", family.name);
            assert_eq!(family.effort.len(), family.inputs.len(), "{}", family.name);
            assert!(family.drives.windows(2).all(|d| d[0] < d[1]), "{}", family.name);
        }
    }

    #[test]
    fn wider_drives_are_wider_cells() {
        let catalog = catalog();
        for family in &FAMILIES {
            let sites: Vec<u16> =
                catalog.drives(family.gate).map(|m| catalog.master(m).sites).collect();
            assert!(sites.windows(2).all(|s| s[0] < s[1]), "{} {sites:?}", family.name);
        }
    }
}
