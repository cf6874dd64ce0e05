//! What constraints ask for and this analysis does not do. Each entry makes a report incomplete.

use cellwright_db::PinId;
use cellwright_formats::constraints::{CaseValue, ClockSenseKind, Constraints, ExceptionKind};

use super::exceptions::MOST;

/// The list, in words. Clock gating and pulse width checks are not among it: neither WNS nor TNS counts
/// them, as in the reference timer (OpenSTA 3.1).
pub(super) fn not_served(constraints: &Constraints) -> Vec<String> {
    let clocks = || constraints.clocks.iter().map(|(_, clock)| clock);
    let exceptions = &constraints.exceptions;
    let delays = || constraints.input_delays.iter().chain(&constraints.output_delays);
    let is_source = |pin: &PinId| clocks().any(|clock| clock.sources.contains(pin));
    let paths = exceptions.iter().filter(|e| !matches!(e.kind, ExceptionKind::Group { .. }));
    let asks = [
        (clocks().any(|clock| clock.generated.is_some()), "generated clocks"),
        (clocks().any(|clock| clock.waveform.len() > 2), "clocks of more than two edges"),
        (
            !constraints.propagated_pins.iter().all(is_source),
            "set_propagated_clock on pins that are no clock source",
        ),
        (
            constraints
                .clock_senses
                .iter()
                .any(|sense| sense.kind != ClockSenseKind::Stop || !sense.clocks.is_empty()),
            "set_clock_sense other than to stop all clocks",
        ),
        (
            exceptions.iter().any(|e| matches!(e.kind, ExceptionKind::PathDelay { .. })),
            "set_max_delay and set_min_delay",
        ),
        (paths.clone().any(|e| !e.through.is_empty()), "exceptions with -through"),
        (paths.count() > MOST, "more than 128 exceptions"),
        (!constraints.disables.wires.is_empty(), "set_disable_timing of single wires"),
        (
            constraints.case.values().any(|v| matches!(v, CaseValue::Rising | CaseValue::Falling)),
            "set_case_analysis rising and falling",
        ),
        (!constraints.data_checks.is_empty(), "set_data_check"),
        (
            !constraints.ideal_nets.is_empty() || !constraints.ideal_networks.is_empty(),
            "ideal nets and networks",
        ),
        (!constraints.nets.is_empty(), "loads and resistances of single nets"),
        (constraints.wire_loads.model.iter().any(Option::is_some), "wire-load models"),
        (delays().any(|delay| delay.reference_pin.is_some()), "port delays with -reference_pin"),
        (constraints.ports.values().any(|port| !port.drive_resistance.is_empty()), "set_drive"),
    ];
    let mut list: Vec<String> = asks
        .into_iter()
        .filter(|(asked, _)| *asked)
        .map(|(_, what)| format!("timing: {what}"))
        .collect();
    list.extend(constraints.not_supported.iter().map(|entry| {
        format!("timing: {}:{}: {}: {}", entry.file, entry.line, entry.command, entry.why)
    }));
    list
}
