//! Delay calculation: one driving arc, one edge, one side, and the loads that hang on it.

mod dmp;
mod root;

use crate::graph::model::Swing;
use crate::parasitics::Pi;
use crate::table::Gate;

/// How delays are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calculator {
    /// All capacitance lumped at the driver; wires take no time and keep the slew.
    Lumped,
    /// All capacitance lumped at the driver; wires take their Elmore delay and keep the slew. Plain
    /// enough that a checker can recompute it to the last digit of its figures.
    LumpedElmore,
    /// Effective capacitance on the π model, Elmore poles at the loads.
    #[default]
    DmpCeffElmore,
}

/// What a driver does on one arc and edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drive {
    /// Delay of the arc, ns.
    pub(crate) delay: f64,
    /// Slew at the driver, ns.
    pub(crate) slew: f64,
    wave: Wave,
}

#[derive(Clone, Copy, Debug)]
enum Wave {
    /// Wires without delay.
    Flat,
    /// Elmore delay, the driver's slew.
    Elmore,
    /// A solved waveform.
    Solved(dmp::Solved),
}

impl Calculator {
    /// The drive of a table pair at input slew `slew` (ns) into `load`.
    #[inline]
    pub(crate) fn drive(self, gate: &Gate, slew: f64, load: &Pi, swing: &Swing) -> Drive {
        match self {
            Calculator::Lumped | Calculator::LumpedElmore => {
                let (delay, slew) = gate.delay_slew(slew, load.total());
                // The slew is kept with the arc, so that it can be taken again.
                Drive { delay, ..Drive::again(self, f64::from(slew as f32)) }
            }
            Calculator::DmpCeffElmore => dmp::drive(gate, slew, load, swing),
        }
    }
}

impl Drive {
    /// The drive of an arc that was evaluated before, with lumped loads: its slew as it was kept, ns.
    /// The delay is not given again.
    #[inline]
    pub(crate) fn again(calculator: Calculator, slew: f64) -> Drive {
        Drive { delay: f64::NAN, ..Drive::port(calculator, slew) }
    }
    /// A driver without arc: an input port whose slew is given.
    pub(crate) fn port(calculator: Calculator, slew: f64) -> Drive {
        let wave = match calculator {
            Calculator::Lumped => Wave::Flat,
            Calculator::LumpedElmore | Calculator::DmpCeffElmore => Wave::Elmore,
        };
        Drive { delay: 0.0, slew, wave }
    }

    /// Wire delay and slew at a load with Elmore delay `elmore`, both ns.
    #[inline]
    pub(crate) fn load(&self, elmore: f64) -> (f64, f64) {
        match &self.wave {
            Wave::Flat => (0.0, self.slew),
            Wave::Elmore => (elmore, self.slew),
            Wave::Solved(solved) => solved.load(elmore, self.slew),
        }
    }
}

/// Wire delay and slew at a load of an input port that nothing drives: a single pole with the
/// load library's thresholds.
pub(crate) fn port_load(elmore: f64, slew: f64, swing: &Swing) -> (f64, f64) {
    if elmore == 0.0 {
        return (0.0, slew);
    }
    let delay = -elmore * (1.0 - swing.vth).ln();
    let own = elmore * ((1.0 - swing.vl) / (1.0 - swing.vh)).ln();
    (delay, slew + own / swing.derate)
}

/// Delay and slew at a load whose library measures at other thresholds than the driver's.
pub(crate) fn adjust(
    (delay, slew): (f64, f64),
    driver: &Swing,
    load: &Swing,
    load_input_vth: f64,
) -> (f64, f64) {
    let (driver_delta, load_delta) = (driver.vh - driver.vl, load.vh - load.vl);
    // Slews as reported are of the part between the thresholds, divided by the derate.
    let delay = delay + slew * (load_input_vth - driver.vth) / driver_delta;
    let slew = slew * (load_delta / load.derate) / (driver_delta / driver.derate);
    (delay, slew)
}
