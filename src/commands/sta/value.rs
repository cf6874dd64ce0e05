//! The value of `sta --json`, in the units of the first library.

use cellwright_db::timing::Edge;
use cellwright_db::{Design, PinId};
use cellwright_formats::sdc::library_units;
use cellwright_sta::constraints::Units;
use cellwright_sta::{LimitKind, PulseKind, Side, Timer, TimingPath};
use serde_json::{Value, json};

/// What is asked.
pub(crate) struct Ask {
    /// Which sides.
    pub(crate) sides: Vec<Side>,
    /// Whether to list every pin.
    pub(crate) pins: bool,
    /// Whether to list limits and checks beside the endpoints that do not hold.
    pub(crate) violators: bool,
    /// The pin whose worst paths to list, and how many.
    pub(crate) through: Option<(PinId, usize)>,
}

/// `setup` or `hold`.
pub(crate) fn name(side: Side) -> &'static str {
    if side == Side::Max { "setup" } else { "hold" }
}

/// A unit as users of libraries write it: a count, a prefix and the base unit.
pub(crate) fn unit(size: f64, base: &str) -> String {
    let prefixes = [
        ("M", 1e6),
        ("k", 1e3),
        ("", 1.0),
        ("m", 1e-3),
        ("u", 1e-6),
        ("n", 1e-9),
        ("p", 1e-12),
        ("f", 1e-15),
    ];
    let fits = prefixes.iter().find(|(_, scale)| size >= scale * (1.0 - 1e-9));
    let (prefix, scale) = fits.copied().unwrap_or(("f", 1e-15));
    let count = (size / scale * 1e6).round() / 1e6;
    format!("{count}{prefix}{base}")
}

fn finite(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { Value::Null }
}

/// The value: `units`, `setup` and `hold` as asked, `unconstrained`, `not_supported`, `pins` as
/// asked, `through` and `violators` as asked, and `met`: whether every asked side is free of violations; null when that is not known.
pub(crate) fn value(design: &Design, timer: &Timer, ask: &Ask, not_supported: &[String]) -> Value {
    let units = library_units(design);
    let mut value = json!({
        "units": {
            "time": unit(units.time * 1e-9, "s"),
            "capacitance": unit(units.capacitance * 1e-12, "F"),
            "resistance": unit(units.resistance * 1e3, "ohm"),
        },
        "unconstrained": timer
            .unconstrained(design)
            .into_iter()
            .map(|pin| design.pin_name(pin))
            .collect::<Vec<_>>(),
        "not_supported": not_supported,
    });
    let mut met = Some(true);
    for side in &ask.sides {
        value[name(*side)] = side_value(design, timer, *side, &units);
        let worst = timer.worst_slack(*side);
        met = met.and_then(|met| Some(met && worst? >= 0.0));
    }
    value["met"] = json!(met.filter(|_| not_supported.is_empty()));
    if ask.pins {
        value["pins"] = pins(design, timer, &units);
    }
    if let Some((pin, count)) = ask.through {
        for side in &ask.sides {
            let paths = timer.paths_through(design, *side, pin, count).unwrap_or_default();
            let list: Vec<Value> =
                paths.iter().map(|path| path_value(design, path, &units)).collect();
            value["through"][name(*side)] = json!(list);
        }
    }
    if ask.violators {
        value["violators"] = violators(design, timer, &ask.sides, &units);
    }
    value
}

fn side_value(design: &Design, timer: &Timer, side: Side, units: &Units) -> Value {
    let time = |ns: f64| finite(ns / units.time);
    let endpoints: Vec<Value> = timer
        .endpoint_table(design, side)
        .into_iter()
        .map(|end| {
            json!({
                "pin": design.pin_name(end.pin),
                "group": end.group,
                "required": time(end.required),
                "arrival": time(f64::from(end.arrival)),
                "slack": time(f64::from(end.slack)),
            })
        })
        .collect();
    json!({
        "wns": time(f64::from(timer.wns(side))),
        "tns": time(timer.tns(side)),
        "worst_slack": timer.worst_slack(side).map(|slack| time(f64::from(slack))),
        "endpoints": endpoints,
    })
}

/// A path: `endpoint`, `group`, `launch` and `capture` clocks, `required`, `arrival`, `slack`, and its
/// pins `{pin, edge, arrival, slew}` from the first to the endpoint.
fn path_value(design: &Design, path: &TimingPath, units: &Units) -> Value {
    let time = |ns: f64| finite(ns / units.time);
    let clock = |edge: &Option<(String, Edge)>| edge.as_ref().map(|(name, _)| name.clone());
    let steps = path.steps.iter().map(|step| {
        json!({
            "pin": design.pin_name(step.pin),
            "edge": if step.edge == Edge::Rise { "rise" } else { "fall" },
            "arrival": time(f64::from(step.arrival)),
            "slew": time(f64::from(step.slew)),
        })
    });
    json!({
        "endpoint": path.endpoint().map(|pin| design.pin_name(pin)),
        "group": path.group,
        "launch": clock(&path.launch),
        "capture": clock(&path.capture),
        "required": time(path.required),
        "arrival": time(f64::from(path.arrival())),
        "slack": time(f64::from(path.slack)),
        "pins": steps.collect::<Vec<_>>(),
    })
}

/// How a pulse check is called.
pub(crate) fn pulse_name(kind: PulseKind) -> &'static str {
    match kind {
        PulseKind::High => "pulse width high",
        PulseKind::Low => "pulse width low",
        PulseKind::Period => "period",
    }
}

/// How a limit is called, and the size of its unit.
pub(crate) fn limit_name(kind: LimitKind, time: f64, capacitance: f64) -> (&'static str, f64) {
    match kind {
        LimitKind::MaxSlew => ("max slew", time),
        LimitKind::MaxCap => ("max capacitance", capacitance),
        LimitKind::MaxFanout => ("max fan-out", 1.0),
    }
}

/// Limits `{pin, limit, allowed, is}`, pulse widths and periods `{pin, check, clock, required,
/// actual, slack}` and inferred clock gating checks `{pin, check, required, arrival, slack}` that do
/// not hold.
fn violators(design: &Design, timer: &Timer, sides: &[Side], units: &Units) -> Value {
    let time = |ns: f64| finite(ns / units.time);
    let limits: Vec<Value> = timer
        .violations(design)
        .into_iter()
        .map(|found| {
            let (name, per) = limit_name(found.kind, units.time, units.capacitance);
            json!({
                "pin": design.pin_name(found.pin),
                "limit": name,
                "allowed": finite(found.limit / per),
                "is": finite(found.value / per),
            })
        })
        .collect();
    let pulses: Vec<Value> = timer
        .pulse_checks(design)
        .into_iter()
        .filter(|check| check.slack < 0.0)
        .map(|check| {
            json!({
                "pin": design.pin_name(check.pin),
                "check": pulse_name(check.kind),
                "clock": check.clock,
                "required": time(check.required),
                "actual": time(check.actual),
                "slack": time(check.slack),
            })
        })
        .collect();
    let gates = sides.iter().flat_map(|side| {
        let failing = timer.gating_checks(design, *side).into_iter();
        failing.filter(|end| end.slack < 0.0).map(|end| {
            json!({
                "pin": design.pin_name(end.pin),
                "check": name(*side),
                "required": time(end.required),
                "arrival": time(f64::from(end.arrival)),
                "slack": time(f64::from(end.slack)),
            })
        })
    });
    let gating: Vec<Value> = gates.collect();
    json!({ "limits": limits, "pulses": pulses, "clock_gating": gating })
}

/// Arrival, slew and slack of every connected pin by side and edge; null where no path arrives. In
/// the network of an ideal clock the arrival is that with the network's delays, which no end uses.
fn pins(design: &Design, timer: &Timer, units: &Units) -> Value {
    let slacks = timer.settled();
    let clocks = timer.clock_arrivals(design);
    let ids = (0..design.pin_slots()).map(PinId::new);
    let connected = ids.filter(|pin| design.has_pin(*pin) && design.pin_net(*pin).is_some());
    let list = connected.map(|pin| {
        let mut entry = json!({"pin": design.pin_name(pin)});
        for (side, side_name) in [(Side::Max, "max"), (Side::Min, "min")] {
            for (edge, edge_name) in [(Edge::Rise, "rise"), (Edge::Fall, "fall")] {
                let key = format!("{side_name}_{edge_name}");
                let time = |ns: Option<f32>| match ns {
                    Some(ns) => finite(f64::from(ns) / units.time),
                    None => Value::Null,
                };
                let clock = clocks.get(&pin).filter(|_| timer.is_ideal_clock(pin));
                let clock = clock.map(|all| all[side.index() * 2 + edge.index()]);
                let arrival = match clock {
                    Some(arrival) => (!arrival.is_nan()).then_some(arrival),
                    None => timer.arrival(pin, side, edge),
                };
                entry["arrival"][&key] = time(arrival);
                entry["slew"][&key] = time(Some(timer.slew(pin, side, edge)));
                entry["slack"][&key] = time(slacks.and_then(|s| s.slack_of(pin, side, edge)));
            }
        }
        entry
    });
    Value::Array(list.collect())
}
