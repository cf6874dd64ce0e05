//! What is said of clocks: latency, uncertainty, transition, propagation, groups, sense.

use cellwright_sta::constraints::{
    ClockGroups, ClockRelation, ClockSense, ClockSenseKind, Latency, PinLatency, Values,
};

use super::args::{Args, Spec};
use super::names::Kind;
use super::object::Object;
use super::state::Reader;
use super::tcl::{Meter, Res, Value, shorten};

const CLOCK_OR_PIN: [Kind; 3] = [Kind::Clock, Kind::Port, Kind::Pin];

impl Reader<'_> {
    pub(super) fn set_clock_latency(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec {
            keys: &["-clock", "-dynamic"],
            flags: &["-source", "-rise", "-fall", "-min", "-max", "-early", "-late"],
            rest: (2, 2),
        };
        let args = self.parse(&spec, args)?;
        let value = self.time(args.rest[0])?;
        let dynamic = match args.key("-dynamic") {
            Some(dynamic) => Some(self.time(dynamic)?),
            None => None,
        };
        let source = args.flag("-source");
        if !source && (args.flag("-early") || args.flag("-late")) {
            return Err(self.fault("-early and -late need -source"));
        }
        let (sides, edges) = (args.sides(), args.edges());
        let early_late = args.either("-early", "-late");
        let apply = |latency: &mut Latency| {
            if !source {
                latency.network.set(sides, edges, value);
                return;
            }
            for index in [0, 1].into_iter().filter(|index| early_late[*index]) {
                latency.source[index].set(sides, edges, value);
                if let Some(dynamic) = dynamic {
                    latency.dynamic[index].set(sides, edges, dynamic);
                }
            }
        };
        let clock = match args.key("-clock") {
            Some(clock) => Some(self.one_clock(clock, meter)?),
            None => None,
        };
        let objects = self.objects(args.rest[1], &CLOCK_OR_PIN, meter)?;
        if self.nothing(&objects) {
            return Ok(Value::default());
        }
        for object in objects {
            if let Object::Clock(id) = object {
                let clock = &mut self.out.clocks[id];
                apply(&mut clock.latency);
                // The later command rules: a latency of the network makes a clock ideal.
                clock.propagated &= source;
            } else if let Some(pin) = self.pin_of(object) {
                let list = &mut self.out.pin_latencies;
                let found = list.iter().position(|entry| entry.pin == pin && entry.clock == clock);
                let index = found.unwrap_or_else(|| {
                    list.push(PinLatency { pin, clock, latency: Latency::default() });
                    list.len() - 1
                });
                apply(&mut list[index].latency);
            }
        }
        Ok(Value::default())
    }

    pub(super) fn set_propagated_clock(
        &mut self,
        args: &[Value],
        on: bool,
        meter: &mut Meter,
    ) -> Res {
        let args = self.parse(&Spec { keys: &[], flags: &[], rest: (1, 1) }, args)?;
        let objects = self.objects(args.rest[0], &CLOCK_OR_PIN, meter)?;
        self.nothing(&objects);
        for object in objects {
            if let Object::Clock(clock) = object {
                let clock = &mut self.out.clocks[clock];
                clock.propagated = on;
                if on {
                    clock.latency.network = Values::default();
                }
            } else if let Some(pin) = self.pin_of(object) {
                if on {
                    self.out.propagated_pins.insert(pin);
                } else {
                    self.out.propagated_pins.remove(&pin);
                }
            }
        }
        Ok(Value::default())
    }

    pub(super) fn set_clock_uncertainty(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec {
            keys: &["-from", "-rise_from", "-fall_from", "-to", "-rise_to", "-fall_to"],
            flags: &["-setup", "-hold", "-rise", "-fall"],
            rest: (1, 2),
        };
        let args = self.parse(&spec, args)?;
        let value = self.time(args.rest[0])?;
        let checks = args.checks();
        let from = edge_key(&args, "-from", "-rise_from", "-fall_from");
        let to = edge_key(&args, "-to", "-rise_to", "-fall_to");
        match (from, to, args.rest.get(1)) {
            (Some((from, from_edges)), Some((to, to_edges)), None) => {
                let to_edges = match (to_edges, args.edges()) {
                    ([true, true], edges) => edges,
                    (edges, _) => edges,
                };
                let (from, to) = (self.clocks_of(from, meter)?, self.clocks_of(to, meter)?);
                self.nothing(&from);
                self.nothing(&to);
                for a in &from {
                    for b in &to {
                        let pair = self.out.inter_clock_uncertainty.entry((*a, *b)).or_default();
                        for (side, _) in checks.iter().enumerate().filter(|(_, on)| **on) {
                            for (i, _) in from_edges.iter().enumerate().filter(|(_, on)| **on) {
                                for (j, _) in to_edges.iter().enumerate().filter(|(_, on)| **on) {
                                    pair.by[side][i][j] = Some(value);
                                }
                            }
                        }
                    }
                }
                Ok(Value::default())
            }
            (None, None, Some(objects)) => {
                if args.flag("-rise") != args.flag("-fall") {
                    self.not_kept("-rise and -fall of an object's uncertainty; it holds for both");
                }
                let objects = self.objects(objects, &CLOCK_OR_PIN, meter)?;
                self.nothing(&objects);
                for object in objects {
                    let slot = if let Object::Clock(clock) = object {
                        &mut self.out.clocks[clock].uncertainty
                    } else if let Some(pin) = self.pin_of(object) {
                        self.out.pin_uncertainty.entry(pin).or_default()
                    } else {
                        continue;
                    };
                    for (slot, _) in slot.iter_mut().zip(checks).filter(|(_, on)| *on) {
                        *slot = Some(value);
                    }
                }
                Ok(Value::default())
            }
            _ => Err(self.fault_hint(
                "set_clock_uncertainty takes either objects or both -from and -to",
                "write set_clock_uncertainty 0.1 [get_clocks clk]",
            )),
        }
    }

    pub(super) fn set_clock_transition(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec { keys: &[], flags: &["-rise", "-fall", "-min", "-max"], rest: (2, 2) };
        let args = self.parse(&spec, args)?;
        let value = self.not_negative(args.rest[0])? * self.units.time;
        let clocks = self.clocks_of(args.rest[1], meter)?;
        self.nothing(&clocks);
        for clock in clocks {
            self.out.clocks[clock].transition.set(args.sides(), args.edges(), value);
        }
        Ok(Value::default())
    }

    pub(super) fn set_clock_groups(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec {
            keys: &["-name", "-group", "-comment"],
            flags: &[
                "-logically_exclusive",
                "-physically_exclusive",
                "-asynchronous",
                "-allow_paths",
            ],
            rest: (0, 0),
        };
        let args = self.parse(&spec, args)?;
        let relation = match (
            args.flag("-logically_exclusive"),
            args.flag("-physically_exclusive"),
            args.flag("-asynchronous"),
        ) {
            (true, false, false) => ClockRelation::LogicallyExclusive,
            (false, true, false) => ClockRelation::PhysicallyExclusive,
            (false, false, true) => ClockRelation::Asynchronous,
            _ => {
                return Err(self.fault(
                    "write one of -logically_exclusive, -physically_exclusive, -asynchronous",
                ));
            }
        };
        let allow_paths = args.flag("-allow_paths");
        if allow_paths && relation != ClockRelation::Asynchronous {
            return Err(self.fault("-allow_paths needs -asynchronous"));
        }
        let mut groups = Vec::new();
        for (key, value) in args.keys() {
            if key == "-group" {
                let mut group = self.clocks_of(value, meter)?;
                group.sort_unstable();
                group.dedup();
                if !self.nothing(&group) {
                    groups.push(group);
                }
            }
        }
        if groups.is_empty() {
            return Err(self.fault("set_clock_groups needs at least one -group with a clock"));
        }
        let count = self.out.clock_groups.len() + 1;
        let name = args.text("-name").unwrap_or_else(|| format!("group{count}"));
        self.out.clock_groups.retain(|groups| groups.name != name);
        self.out.clock_groups.push(ClockGroups { name, relation, allow_paths, groups });
        Ok(Value::default())
    }

    pub(super) fn set_sense(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec {
            keys: &["-type", "-clocks", "-pulse"],
            flags: &["-positive", "-negative", "-stop_propagation"],
            rest: (1, 1),
        };
        let args = self.parse(&spec, args)?;
        if let Some(kind) = args.text("-type")
            && kind != "clock"
        {
            let kind = shorten(&kind);
            self.not_kept(format!("sense of type {kind}; only -type clock is known"));
            return Ok(Value::default());
        }
        let kind = match (
            args.flag("-positive"),
            args.flag("-negative"),
            args.flag("-stop_propagation"),
            args.text("-pulse").as_deref(),
        ) {
            (true, false, false, None) => ClockSenseKind::Positive,
            (false, true, false, None) => ClockSenseKind::Negative,
            (false, false, true, None) => ClockSenseKind::Stop,
            (false, false, false, Some("rise_triggered_high_pulse")) => {
                ClockSenseKind::RiseTriggeredHighPulse
            }
            (false, false, false, Some("rise_triggered_low_pulse")) => {
                ClockSenseKind::RiseTriggeredLowPulse
            }
            (false, false, false, Some("fall_triggered_high_pulse")) => {
                ClockSenseKind::FallTriggeredHighPulse
            }
            (false, false, false, Some("fall_triggered_low_pulse")) => {
                ClockSenseKind::FallTriggeredLowPulse
            }
            _ => {
                return Err(self.fault(
                    "write one of -positive, -negative, -stop_propagation and -pulse type",
                ));
            }
        };
        let mut clocks = match args.key("-clocks") {
            Some(value) => {
                let clocks = self.clocks_of(value, meter)?;
                // None of them found: the command must not hit every clock instead.
                if self.nothing(&clocks) {
                    return Ok(Value::default());
                }
                clocks
            }
            None => Vec::new(),
        };
        let mut pins = self.pins(args.rest[0], meter)?;
        if self.nothing(&pins) {
            return Ok(Value::default());
        }
        pins.sort_unstable();
        pins.dedup();
        clocks.sort_unstable();
        clocks.dedup();
        self.out.clock_senses.push(ClockSense { pins, clocks, kind });
        Ok(Value::default())
    }
}

/// The value of one of three options that differ in the edges they name.
pub(super) fn edge_key<'a>(
    args: &Args<'a>,
    both: &str,
    rise: &str,
    fall: &str,
) -> Option<(&'a Value, [bool; 2])> {
    let found = |name, edges| args.key(name).map(|value| (value, edges));
    found(both, [true, true])
        .or_else(|| found(rise, [true, false]))
        .or_else(|| found(fall, [false, true]))
}
