//! Delays at ports, and what stands outside of them.

use cellwright_db::library::PinDirection;
use cellwright_db::timing::Edge;
use cellwright_db::{MasterId, MasterPinId, PortId};
use cellwright_sta::constraints::{DrivingCell, PortDelay};

use super::args::{Args, Spec};
use super::names::{Kind, only_edge};
use super::object::Object;
use super::state::Reader;
use super::tcl::{Meter, Res, Value, shorten};
use crate::text::Severity;

const RF_MM: [&str; 4] = ["-rise", "-fall", "-min", "-max"];

impl Reader<'_> {
    pub(super) fn set_port_delay(&mut self, input: bool, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec {
            keys: &["-clock", "-reference_pin"],
            flags: &[
                "-clock_fall",
                "-level_sensitive",
                "-rise",
                "-fall",
                "-min",
                "-max",
                "-add_delay",
                "-network_latency_included",
                "-source_latency_included",
            ],
            rest: (2, 2),
        };
        let args = self.parse(&spec, args)?;
        let value = self.time(args.rest[0])?;
        let clock = match args.key("-clock") {
            Some(clock) => Some(self.one_clock(clock, meter)?),
            None => None,
        };
        let reference_pin = match args.key("-reference_pin") {
            Some(pin) => Some(self.one_pin(pin, "-reference_pin", meter)?),
            None => None,
        };
        let clock_edge = if args.flag("-clock_fall") { Edge::Fall } else { Edge::Rise };
        if clock.is_none() && (args.flag("-clock_fall") || reference_pin.is_some()) {
            return Err(self.fault("-clock_fall and -reference_pin need -clock"));
        }
        let objects = self.objects(args.rest[1], &[Kind::Port, Kind::Pin], meter)?;
        self.nothing(&objects);
        for object in objects {
            if !self.delay_fits(input, object) {
                continue;
            }
            let Some(pin) = self.pin_of(object) else { continue };
            // A delay on a clock's own source says nothing about data.
            if input && self.is_source_of(pin, clock) {
                let name = shorten(&self.design.pin_name(pin));
                self.not_kept(format!("input delay of `{name}`, the source of its own clock"));
                continue;
            }
            let out = &mut self.out;
            let list = if input { &mut out.input_delays } else { &mut out.output_delays };
            let of_pin = self.delays[usize::from(input)].entry(pin).or_default();
            if !args.flag("-add_delay") {
                // Without -add_delay the delays of other clock edges go, in these corners.
                for other in of_pin.iter() {
                    let other = &mut list[*other];
                    if (other.clock, other.clock_edge, other.reference_pin)
                        != (clock, clock_edge, reference_pin)
                    {
                        other.delay.clear(args.sides(), args.edges());
                    }
                }
            }
            let same = of_pin.iter().copied().find(|at| {
                let other = &list[*at];
                (other.clock, other.clock_edge, other.reference_pin)
                    == (clock, clock_edge, reference_pin)
            });
            let at = same.unwrap_or_else(|| {
                list.push(PortDelay {
                    pin,
                    clock,
                    clock_edge,
                    reference_pin,
                    delay: Default::default(),
                    source_latency_included: false,
                    network_latency_included: false,
                    level_sensitive: false,
                });
                of_pin.push(list.len() - 1);
                list.len() - 1
            });
            let entry = &mut list[at];
            entry.delay.set(args.sides(), args.edges(), value);
            entry.source_latency_included = args.flag("-source_latency_included");
            entry.network_latency_included = args.flag("-network_latency_included");
            entry.level_sensitive = args.flag("-level_sensitive");
        }
        Ok(Value::default())
    }

    fn is_source_of(
        &self,
        pin: cellwright_db::PinId,
        clock: Option<cellwright_sta::constraints::ClockId>,
    ) -> bool {
        clock.is_some_and(|clock| self.out.clocks[clock].sources.contains(&pin))
    }

    fn delay_fits(&mut self, input: bool, object: Object) -> bool {
        let Object::Port(port) = object else { return true };
        let wrong = match self.design.ports()[port].direction {
            PinDirection::Input => !input,
            PinDirection::Output => input,
            _ => false,
        };
        if wrong {
            let name = shorten(self.design.port_name(port));
            let message = format!("{}: port `{name}` has the other direction", self.command);
            self.problem(Severity::Error, "sdc-error", message);
        }
        !wrong
    }

    fn ports(&mut self, value: &Value, meter: &mut Meter) -> Res<Vec<PortId>> {
        let found = self.objects(value, &[Kind::Port], meter)?;
        self.nothing(&found);
        let port = |object| match object {
            Object::Port(port) => Some(port),
            _ => None,
        };
        Ok(found.into_iter().filter_map(port).collect())
    }

    pub(super) fn set_input_transition(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec { keys: &["-clock"], flags: &RF_MM, rest: (2, 2) };
        let args = self.parse(&spec, args)?;
        if args.key("-clock").is_some() {
            self.not_kept("-clock; the transition holds for every clock");
        }
        let value = self.not_negative(args.rest[0])? * self.units.time;
        for port in self.ports(args.rest[1], meter)? {
            let entry = self.out.ports.entry(port).or_default();
            entry.input_transition.set(args.sides(), args.edges(), value);
        }
        Ok(Value::default())
    }

    pub(super) fn set_drive(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let args = self.parse(&Spec { keys: &[], flags: &RF_MM, rest: (2, 2) }, args)?;
        let value = self.not_negative(args.rest[0])? * self.units.resistance;
        for port in self.ports(args.rest[1], meter)? {
            let entry = self.out.ports.entry(port).or_default();
            entry.drive_resistance.set(args.sides(), args.edges(), value);
        }
        Ok(Value::default())
    }

    pub(super) fn set_driving_cell(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec {
            keys: &[
                "-lib_cell",
                "-library",
                "-pin",
                "-from_pin",
                "-input_transition_rise",
                "-input_transition_fall",
                "-multiply_by",
                "-clock",
            ],
            flags: &[
                "-rise",
                "-fall",
                "-min",
                "-max",
                "-dont_scale",
                "-no_design_rule",
                "-clock_fall",
            ],
            rest: (1, 1),
        };
        let args = self.parse(&spec, args)?;
        let Some(cell) = args.key("-lib_cell") else {
            return Err(self.fault("set_driving_cell needs -lib_cell"));
        };
        let found = self.objects(cell, &[Kind::LibCell], meter)?;
        let [Object::LibCell(master)] = found.as_slice() else {
            return Err(self.fault_hint(
                format!("-lib_cell `{}` is not one cell of the library", shorten(&cell.as_str())),
                "name a cell that a Liberty file of the design defines",
            ));
        };
        if args.key("-clock").is_some() || args.flag("-clock_fall") {
            self.not_kept("-clock; the cell drives whatever clock launches");
        }
        let slew = |key: &str| match args.key(key) {
            Some(value) => self.time(value),
            None => Ok(0.0),
        };
        let driving = DrivingCell {
            master: *master,
            library: args.text("-library"),
            from_pin: self.driving_pin(&args, "-from_pin", *master)?,
            to_pin: self.driving_pin(&args, "-pin", *master)?,
            from_slews: [slew("-input_transition_rise")?, slew("-input_transition_fall")?],
            multiply_by: match args.key("-multiply_by") {
                Some(value) => self.number(value)?,
                None => 1.0,
            },
            dont_scale: args.flag("-dont_scale"),
            no_design_rule: args.flag("-no_design_rule"),
        };
        if driving.to_pin.is_none() {
            let pins = &self.design.library().masters[*master].pins;
            let outputs = pins.iter().filter(|pin| pin.direction.drives()).count();
            if outputs != 1 {
                return Err(self.fault_hint(
                    format!("the driving cell has {outputs} outputs"),
                    "name one with -pin",
                ));
            }
        }
        for port in self.ports(args.rest[0], meter)? {
            let entry = self.out.ports.entry(port).or_default();
            for (row, _) in entry.driving_cell.iter_mut().zip(args.sides()).filter(|r| r.1) {
                for (slot, _) in row.iter_mut().zip(args.edges()).filter(|s| s.1) {
                    *slot = Some(driving.clone());
                }
            }
        }
        Ok(Value::default())
    }

    fn driving_pin(
        &self,
        args: &Args<'_>,
        key: &str,
        master: MasterId,
    ) -> Res<Option<MasterPinId>> {
        let Some(name) = args.text(key) else { return Ok(None) };
        let name = name.trim_matches(['{', '}']);
        let short = super::names::leaf(name);
        let master = &self.design.library().masters[master];
        match master.pin(name).or_else(|| master.pin(short)) {
            Some(pin) => Ok(Some(pin)),
            None => {
                Err(self.fault(format!("{key}: {} has no pin `{}`", master.name, shorten(name))))
            }
        }
    }

    pub(super) fn set_load(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec {
            keys: &[],
            flags: &[
                "-rise",
                "-fall",
                "-min",
                "-max",
                "-pin_load",
                "-wire_load",
                "-subtract_pin_load",
            ],
            rest: (2, 2),
        };
        let args = self.parse(&spec, args)?;
        let value = self.not_negative(args.rest[0])? * self.units.capacitance;
        let objects = self.objects(args.rest[1], &[Kind::Port, Kind::Net], meter)?;
        self.nothing(&objects);
        for object in objects {
            match object {
                Object::Port(port) => {
                    let entry = self.out.ports.entry(port).or_default();
                    let wire = args.flag("-wire_load");
                    if args.flag("-pin_load") || !wire {
                        entry.pin_load.set(args.sides(), args.edges(), value);
                    }
                    if wire {
                        entry.wire_load.set(args.sides(), args.edges(), value);
                    }
                }
                Object::Net(net) => {
                    let entry = self.out.nets.entry(net).or_default();
                    for (slot, _) in entry.wire_load.iter_mut().zip(args.sides()).filter(|s| s.1) {
                        *slot = Some(value);
                    }
                    entry.subtract_pin_load = args.flag("-subtract_pin_load");
                }
                _ => {}
            }
        }
        Ok(Value::default())
    }

    pub(super) fn set_resistance(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec { keys: &[], flags: &["-min", "-max"], rest: (2, 2) };
        let args = self.parse(&spec, args)?;
        let value = self.not_negative(args.rest[0])? * self.units.resistance;
        let objects = self.objects(args.rest[1], &[Kind::Net, Kind::Port], meter)?;
        self.nothing(&objects);
        for object in objects {
            match object {
                Object::Net(net) => {
                    let entry = self.out.nets.entry(net).or_default();
                    for (slot, _) in entry.resistance.iter_mut().zip(args.sides()).filter(|s| s.1) {
                        *slot = Some(value);
                    }
                }
                Object::Port(port) => {
                    let entry = self.out.ports.entry(port).or_default();
                    entry.drive_resistance.set(args.sides(), [true; 2], value);
                }
                _ => {}
            }
        }
        Ok(Value::default())
    }

    pub(super) fn set_port_fanout_number(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec { keys: &[], flags: &["-min", "-max"], rest: (2, 2) };
        let args = self.parse(&spec, args)?;
        let value = self.not_negative(args.rest[0])?;
        for port in self.ports(args.rest[1], meter)? {
            let entry = self.out.ports.entry(port).or_default();
            for (slot, _) in entry.fanout.iter_mut().zip(args.sides()).filter(|s| s.1) {
                *slot = Some(value);
            }
        }
        Ok(Value::default())
    }

    pub(super) fn set_fanout_load(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let args = self.parse(&Spec { keys: &[], flags: &[], rest: (2, 2) }, args)?;
        let value = self.not_negative(args.rest[0])?;
        for port in self.ports(args.rest[1], meter)? {
            self.out.ports.entry(port).or_default().fanout_load = Some(value);
        }
        Ok(Value::default())
    }

    pub(super) fn set_data_check(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        use super::clock_facts::edge_key;
        use cellwright_sta::constraints::{DataCheck, MinMax};
        let spec = Spec {
            keys: &["-from", "-rise_from", "-fall_from", "-to", "-rise_to", "-fall_to", "-clock"],
            flags: &["-setup", "-hold"],
            rest: (1, 1),
        };
        let args = self.parse(&spec, args)?;
        let margin = self.time(args.rest[0])?;
        let from = edge_key(&args, "-from", "-rise_from", "-fall_from");
        let to = edge_key(&args, "-to", "-rise_to", "-fall_to");
        let (Some((from, from_edges)), Some((to, to_edges))) = (from, to) else {
            return Err(self.fault("set_data_check needs -from and -to"));
        };
        let clock = match args.key("-clock") {
            Some(clock) => Some(self.one_clock(clock, meter)?),
            None => None,
        };
        let (from, to) = (self.pins(from, meter)?, self.pins(to, meter)?);
        self.nothing(&from);
        self.nothing(&to);
        for from in &from {
            for to in &to {
                for side in MinMax::BOTH.into_iter().filter(|s| args.checks()[s.index()]) {
                    let check = DataCheck {
                        from: *from,
                        from_edge: only_edge(from_edges),
                        to: *to,
                        to_edge: only_edge(to_edges),
                        side,
                        margin,
                        clock,
                    };
                    self.out.data_checks.retain(|old| DataCheck { margin, ..old.clone() } != check);
                    self.out.data_checks.push(check);
                    meter.work(50 * self.out.data_checks.len() as u64)?;
                }
            }
        }
        Ok(Value::default())
    }
}
