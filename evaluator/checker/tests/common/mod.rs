//! Designs for tests, as bundles in a temporary folder.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of several test programs; a test's helpers may panic"
)]

pub(crate) mod small;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use cellwright_db::PinId;
use cellwright_db::library::PinDirection;
use cellwright_db::timing::Edge;
use cellwright_designs::spec::ClockStyle;
use cellwright_designs::{GeneratedDesign, Spec, generate, sdc, sizing, write_design};
use cellwright_formats::bundle::Bundle;
use cellwright_formats::constraints::{
    Clock, ClockId, Constraints, DrivingCell, PortDelay, Values,
};
use cellwright_formats::load::{Loaded, load};

/// A folder that goes away with the test.
pub(crate) struct Folder(pub(crate) PathBuf);

static COUNTER: AtomicU32 = AtomicU32::new(0);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("cellwright-checker-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Generates a design, writes its bundle and reads it back.
pub(crate) fn generated(spec: &Spec) -> (Loaded, Constraints) {
    let folder = Folder::new(&spec.name);
    let design = generate(spec).unwrap();
    let path = write_design(&folder.0, &design).unwrap();
    let loaded = load(Bundle::read(&path).unwrap()).unwrap();
    let constraints = constraints(&loaded, &design);
    (loaded, constraints)
}

/// The constraints that the generator's SDC states.
pub(crate) fn constraints(loaded: &Loaded, design: &GeneratedDesign) -> Constraints {
    let snapshot = &loaded.snapshot;
    let (context, timing) = (snapshot.context(), &design.timing);
    let clk = context.ports[cellwright_db::PortId(context.port_names.find("clk").unwrap())].pin;
    let clock = ClockId(0);
    let mut constraints = Constraints::default();
    constraints.clocks.push(Clock {
        name: "clk".into(),
        period: timing.period,
        waveform: vec![0.0, timing.period / 2.0],
        sources: vec![clk],
        propagated: design.spec.clock == ClockStyle::Tree,
        uncertainty: [Some(timing.hold_uncertainty), Some(timing.setup_uncertainty)],
        transition: match design.spec.clock {
            ClockStyle::Ideal => Values::all(sizing::CLOCK_SLEW),
            ClockStyle::Tree => Values::default(),
        },
        ..Clock::default()
    });
    let delay = |pin: PinId, min: f64, max: f64| PortDelay {
        pin,
        clock: Some(clock),
        clock_edge: Edge::Rise,
        reference_pin: None,
        delay: Values { by: [[Some(min); 2], [Some(max); 2]] },
        source_latency_included: false,
        network_latency_included: false,
        level_sensitive: false,
    };
    let master = context.library.master(sdc::DRIVING_CELL).unwrap();
    let driving = DrivingCell {
        master,
        library: None,
        from_pin: None,
        to_pin: context.library.masters[master].pin("Z"),
        from_slews: [0.0; 2],
        multiply_by: 1.0,
        dont_scale: false,
        no_design_rule: false,
    };
    for (id, port) in context.ports.iter().filter(|(_, port)| port.pin != clk) {
        let environment = constraints.ports.entry(id).or_default();
        match port.direction {
            PinDirection::Input => {
                environment.driving_cell = [0; 2].map(|_| [0; 2].map(|_| Some(driving.clone())));
                let new = delay(port.pin, timing.input_min, timing.input_max);
                constraints.input_delays.push(new);
            }
            PinDirection::Output => {
                environment.pin_load = Values::all(sizing::PORT_LOAD);
                let new = delay(port.pin, timing.output_min, timing.output_max);
                constraints.output_delays.push(new);
            }
            other => panic!("{other:?}"),
        }
    }
    constraints
}
