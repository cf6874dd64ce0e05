//! Constraints: one clock, delays and loads at the ports.

use std::io::{self, Write};

use crate::names::port_bit;
use crate::netlist::{Direction, Netlist};
use crate::sizing::{CLOCK_SLEW, PORT_LOAD};
use crate::spec::ClockStyle;

/// Numbers of the constraints, ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Clock period.
    pub period: f64,
    /// Setup uncertainty.
    pub setup_uncertainty: f64,
    /// Hold uncertainty.
    pub hold_uncertainty: f64,
    /// Latest arrival at the input ports.
    pub input_max: f64,
    /// Earliest arrival at the input ports.
    pub input_min: f64,
    /// Time that the outside needs after the output ports.
    pub output_max: f64,
    /// The outside's hold, as `set_output_delay -min` has it.
    pub output_min: f64,
}

impl Timing {
    /// The usual shares of a period, rounded to the picosecond.
    pub fn from_period(period: f64) -> Self {
        let ps = |ns: f64| (ns * 1000.0).round() / 1000.0;
        Self {
            period: ps(period),
            setup_uncertainty: ps(0.03 * period),
            hold_uncertainty: 0.01,
            input_max: ps(0.2 * period),
            // Early enough to be a real bound, late enough to meet the holds of an ideal clock.
            input_min: ps((0.05 * period).max(0.035)),
            output_max: ps(0.2 * period),
            output_min: 0.0,
        }
    }
}

/// Cell that drives the input ports.
pub const DRIVING_CELL: &str = "BUF_X4";

/// Writes the constraints.
pub fn write<W: Write>(
    out: &mut W,
    n: &Netlist,
    timing: &Timing,
    clock: ClockStyle,
) -> io::Result<()> {
    writeln!(out, "# {}: written by cellwright-designs.", n.name)?;
    writeln!(out, "current_design {}", n.name)?;
    writeln!(out, "set_units -time ns -capacitance pF -resistance kOhm -voltage V -current mA")?;
    writeln!(out, "create_clock -name clk -period {:.3} [get_ports {{clk}}]", timing.period)?;
    let uncertainty = [("setup", timing.setup_uncertainty), ("hold", timing.hold_uncertainty)];
    for (check, value) in uncertainty {
        writeln!(out, "set_clock_uncertainty -{check} {value:.3} [get_clocks {{clk}}]")?;
    }
    match clock {
        ClockStyle::Ideal => {
            writeln!(out, "set_clock_transition {CLOCK_SLEW:.3} [get_clocks {{clk}}]")?;
        }
        ClockStyle::Tree => writeln!(out, "set_propagated_clock [get_clocks {{clk}}]")?,
    }
    for port in &n.ports {
        if port.direction == Direction::Input && port.bits.first() == n.clock.as_ref() {
            continue;
        }
        for bit in 0..port.bits.len() {
            let ports = PortName(port, bit);
            match port.direction {
                Direction::Input => {
                    for (side, value) in [("max", timing.input_max), ("min", timing.input_min)] {
                        writeln!(
                            out,
                            "set_input_delay -{side} {value:.3} -clock [get_clocks {{clk}}] {ports}"
                        )?;
                    }
                    writeln!(out, "set_driving_cell -lib_cell {DRIVING_CELL} -pin Z {ports}")?;
                }
                Direction::Output => {
                    for (side, value) in [("max", timing.output_max), ("min", timing.output_min)] {
                        writeln!(
                            out,
                            "set_output_delay -{side} {value:.3} -clock [get_clocks {{clk}}] {ports}"
                        )?;
                    }
                    writeln!(out, "set_load -pin_load {PORT_LOAD:.4} {ports}")?;
                }
            }
        }
    }
    Ok(())
}

/// `[get_ports {name[bit]}]`.
struct PortName<'a>(&'a crate::netlist::Port, usize);

impl std::fmt::Display for PortName<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut name = Vec::new();
        port_bit(&mut name, self.0, self.1).map_err(|_| std::fmt::Error)?;
        write!(f, "[get_ports {{{}}}]", String::from_utf8_lossy(&name))
    }
}
