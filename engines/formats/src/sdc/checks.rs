//! What cuts, fixes, derates and limits.

use cellwright_db::{MasterPinId, PinId};
use cellwright_sta::constraints::{
    ArcDisable, CaseValue, ClockGatingCheck, DerateKind, DerateSet, LogicValue,
};

use super::args::Spec;
use super::names::Kind;
use super::object::Object;
use super::state::Reader;
use super::tcl::{Meter, Res, Value, shorten};

const NONE: Spec = Spec { keys: &[], flags: &[], rest: (2, 2) };

impl Reader<'_> {
    pub(super) fn set_disable_timing(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let args = self.parse(&Spec { keys: &["-from", "-to"], flags: &[], rest: (1, 1) }, args)?;
        let kinds = [Kind::Cell, Kind::Port, Kind::Pin, Kind::LibCell, Kind::LibPin];
        let objects = self.objects(args.rest[0], &kinds, meter)?;
        self.nothing(&objects);
        let (from, to) = (args.text("-from"), args.text("-to"));
        for object in objects {
            match object {
                Object::Pin(_) | Object::Port(_) | Object::LibPin(..)
                    if from.is_some() || to.is_some() =>
                {
                    return Err(self.fault("-from and -to go with cells, not with pins"));
                }
                Object::LibPin(master, pin) => {
                    self.out.disables.master_pins.insert((master, pin));
                }
                Object::LibCell(master) => {
                    let (from, to) = self.arc_ends(master, &from, &to)?;
                    self.out.disables.masters.insert(ArcDisable { of: master, from, to });
                }
                Object::Cell(_) | Object::Level(_) => {
                    for cell in self.leaf_cells(object, meter)? {
                        let master = self.design.master_id(cell);
                        let (from, to) = self.arc_ends(master, &from, &to)?;
                        self.out.disables.cells.insert(ArcDisable { of: cell, from, to });
                    }
                }
                object => {
                    if let Some(pin) = self.pin_of(object) {
                        self.out.disables.pins.insert(pin);
                    }
                }
            }
        }
        Ok(Value::default())
    }

    fn arc_ends(
        &self,
        master: cellwright_db::MasterId,
        from: &Option<String>,
        to: &Option<String>,
    ) -> Res<(Option<MasterPinId>, Option<MasterPinId>)> {
        let master = &self.design.library().masters[master];
        let pin = |name: &Option<String>| match name {
            None => Ok(None),
            Some(name) => {
                let name = name.trim_matches(['{', '}']);
                match master.pin(name) {
                    Some(pin) => Ok(Some(pin)),
                    None => {
                        Err(self.fault(format!("{} has no pin `{}`", master.name, shorten(name))))
                    }
                }
            }
        };
        Ok((pin(from)?, pin(to)?))
    }

    pub(super) fn set_case_analysis(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let args = self.parse(&NONE, args)?;
        let value = match &*args.rest[0].as_str() {
            "0" | "zero" => CaseValue::Zero,
            "1" | "one" => CaseValue::One,
            "rise" | "rising" => CaseValue::Rising,
            "fall" | "falling" => CaseValue::Falling,
            other => {
                return Err(self.fault_hint(
                    format!("`{}` is no case value", shorten(other)),
                    "write 0, 1, rising or falling",
                ));
            }
        };
        let pins = self.pins(args.rest[1], meter)?;
        self.nothing(&pins);
        self.out.case.extend(pins.into_iter().map(|pin| (pin, value)));
        Ok(Value::default())
    }

    pub(super) fn set_logic(
        &mut self,
        value: LogicValue,
        args: &[Value],
        meter: &mut Meter,
    ) -> Res {
        let args = self.parse(&Spec { keys: &[], flags: &[], rest: (1, 1) }, args)?;
        let pins = self.pins(args.rest[0], meter)?;
        self.nothing(&pins);
        self.out.logic.extend(pins.into_iter().map(|pin| (pin, value)));
        Ok(Value::default())
    }

    pub(super) fn set_clock_gating_check(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec {
            keys: &["-setup", "-hold"],
            flags: &["-rise", "-fall", "-high", "-low"],
            rest: (0, 1),
        };
        let args = self.parse(&spec, args)?;
        let mut margins = [None, None];
        for (slot, key) in margins.iter_mut().zip(["-hold", "-setup"]) {
            if let Some(value) = args.key(key) {
                *slot = Some(self.time(value)?);
            }
        }
        let high = match (args.flag("-high"), args.flag("-low")) {
            (true, true) => return Err(self.fault("-high and -low exclude each other")),
            (false, false) => None,
            (high, _) => Some(high),
        };
        let edges = args.edges();
        let apply = |check: &mut ClockGatingCheck| {
            for (side, margin) in margins.iter().enumerate() {
                if let Some(margin) = margin {
                    check.margin.set([side == 0, side == 1], edges, *margin);
                }
            }
            check.high = high.or(check.high);
        };
        let objects = match args.rest.first() {
            None => vec![Object::Design],
            Some(value) => {
                let kinds = [Kind::Clock, Kind::Cell, Kind::Port, Kind::Pin, Kind::Design];
                self.objects(value, &kinds, meter)?
            }
        };
        self.nothing(&objects);
        for object in objects {
            let gating = &mut self.out.clock_gating;
            match object {
                Object::Design => apply(gating.design.get_or_insert_default()),
                Object::Clock(clock) => apply(gating.clocks.entry(clock).or_default()),
                Object::Cell(_) | Object::Level(_) => {
                    for cell in self.leaf_cells(object, meter)? {
                        apply(self.out.clock_gating.cells.entry(cell).or_default());
                    }
                }
                object => {
                    if let Some(pin) = self.pin_of(object) {
                        apply(self.out.clock_gating.pins.entry(pin).or_default());
                    }
                }
            }
        }
        Ok(Value::default())
    }

    pub(super) fn set_disable_clock_gating_check(
        &mut self,
        args: &[Value],
        meter: &mut Meter,
    ) -> Res {
        let args = self.parse(&Spec { keys: &[], flags: &[], rest: (1, 1) }, args)?;
        let objects = self.objects(args.rest[0], &[Kind::Cell, Kind::Pin], meter)?;
        self.nothing(&objects);
        for object in objects {
            self.out.disables.gating_cells.extend(self.leaf_cells(object, meter)?);
            self.out.disables.gating_pins.extend(self.pin_of(object));
        }
        Ok(Value::default())
    }

    pub(super) fn set_timing_derate(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec {
            keys: &[],
            flags: &[
                "-early",
                "-late",
                "-rise",
                "-fall",
                "-clock",
                "-data",
                "-net_delay",
                "-cell_delay",
                "-cell_check",
            ],
            rest: (1, 2),
        };
        let args = self.parse(&spec, args)?;
        let factor = self.number(args.rest[0])?;
        if factor < 0.0 {
            return Err(self.fault("a derate must not be negative"));
        }
        if !args.flag("-early") && !args.flag("-late") {
            return Err(self.fault("set_timing_derate needs -early or -late"));
        }
        let sides = [args.flag("-early"), args.flag("-late")];
        let (paths, edges) = (args.either("-clock", "-data"), args.edges());
        // Checks are derated only where that is asked for.
        let kinds =
            match [args.flag("-cell_delay"), args.flag("-cell_check"), args.flag("-net_delay")] {
                [false, false, false] => [true, false, true],
                chosen => chosen,
            };
        let apply = |set: &mut DerateSet, kinds: [bool; 3]| {
            for kind in DerateKind::ALL.into_iter().filter(|kind| kinds[*kind as usize]) {
                for path in [0, 1].into_iter().filter(|path| paths[*path]) {
                    for side in [0, 1].into_iter().filter(|side| sides[*side]) {
                        for edge in [0, 1].into_iter().filter(|edge| edges[*edge]) {
                            set.factor[kind as usize][path][side][edge] = Some(factor);
                        }
                    }
                }
            }
        };
        let Some(value) = args.rest.get(1) else {
            apply(&mut self.out.derates.design, kinds);
            return Ok(Value::default());
        };
        let types = [Kind::Cell, Kind::LibCell, Kind::Net, Kind::Design];
        let objects = self.objects(value, &types, meter)?;
        self.nothing(&objects);
        let cell_kinds = [kinds[0], kinds[1], false];
        for object in objects {
            match object {
                Object::Design => apply(&mut self.out.derates.design, kinds),
                Object::Net(net) if kinds[2] => {
                    apply(self.out.derates.nets.entry(net).or_default(), [false, false, true]);
                }
                Object::LibCell(master) if cell_kinds != [false; 3] => {
                    apply(self.out.derates.masters.entry(master).or_default(), cell_kinds);
                }
                Object::Cell(_) | Object::Level(_) if cell_kinds != [false; 3] => {
                    for cell in self.leaf_cells(object, meter)? {
                        apply(self.out.derates.cells.entry(cell).or_default(), cell_kinds);
                    }
                }
                object => {
                    return Err(self.fault(format!(
                        "a {} has no such delay to derate; cells have cell delays and checks, \
                         nets have net delays",
                        object.kind()
                    )));
                }
            }
        }
        Ok(Value::default())
    }

    pub(super) fn set_min_pulse_width(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec { keys: &[], flags: &["-high", "-low"], rest: (1, 2) };
        let args = self.parse(&spec, args)?;
        let value = self.time(args.rest[0])?;
        let levels = args.either("-high", "-low");
        let objects = match args.rest.get(1) {
            None => vec![Object::Design],
            Some(value) => {
                let kinds = [Kind::Clock, Kind::Cell, Kind::Port, Kind::Pin, Kind::Design];
                self.objects(value, &kinds, meter)?
            }
        };
        self.nothing(&objects);
        let apply = |slots: &mut [Option<f64>; 2]| {
            for (slot, _) in slots.iter_mut().zip(levels).filter(|(_, on)| *on) {
                *slot = Some(value);
            }
        };
        for object in objects {
            let widths = &mut self.out.min_pulse_width;
            match object {
                Object::Design => apply(&mut widths.design),
                Object::Clock(clock) => apply(widths.clocks.entry(clock).or_default()),
                Object::Cell(_) | Object::Level(_) => {
                    for cell in self.leaf_cells(object, meter)? {
                        apply(self.out.min_pulse_width.cells.entry(cell).or_default());
                    }
                }
                object => {
                    if let Some(pin) = self.pin_of(object) {
                        apply(self.out.min_pulse_width.pins.entry(pin).or_default());
                    }
                }
            }
        }
        Ok(Value::default())
    }

    pub(super) fn set_max_time_borrow(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let args = self.parse(&NONE, args)?;
        let value = self.not_negative(args.rest[0])? * self.units.time;
        let kinds = [Kind::Clock, Kind::Cell, Kind::Pin, Kind::Port];
        let objects = self.objects(args.rest[1], &kinds, meter)?;
        self.nothing(&objects);
        for object in objects {
            match object {
                Object::Clock(clock) => {
                    self.out.max_time_borrow.clocks.insert(clock, value);
                }
                Object::Cell(_) | Object::Level(_) => {
                    for cell in self.leaf_cells(object, meter)? {
                        self.out.max_time_borrow.cells.insert(cell, value);
                    }
                }
                object => {
                    if let Some(pin) = self.pin_of(object) {
                        self.out.max_time_borrow.pins.insert(pin, value);
                    }
                }
            }
        }
        Ok(Value::default())
    }

    /// `set_max_transition` and its kin.
    pub(super) fn set_limit(&mut self, command: &str, args: &[Value], meter: &mut Meter) -> Res {
        let slews = command.ends_with("_transition");
        let clocks = command == "set_max_transition";
        let flags: &[&str] =
            if clocks { &["-clock_path", "-data_path", "-rise", "-fall"] } else { &[] };
        let args = self.parse(&Spec { keys: &[], flags, rest: (2, 2) }, args)?;
        let scale = match command {
            _ if slews => self.units.time,
            _ if command.ends_with("_capacitance") => self.units.capacitance,
            _ => 1.0,
        };
        let value = self.not_negative(args.rest[0])? * scale;
        let kinds: &[Kind] = match clocks {
            true => &[Kind::Clock, Kind::Port, Kind::Pin, Kind::Cell, Kind::LibPin, Kind::Design],
            false => &[Kind::Port, Kind::Pin, Kind::Cell, Kind::LibPin, Kind::Design],
        };
        let objects = self.objects(args.rest[1], kinds, meter)?;
        self.nothing(&objects);
        let narrowed = ["-clock_path", "-data_path", "-rise", "-fall"].iter().any(|f| args.flag(f));
        for object in objects {
            if let Object::Clock(clock) = object {
                let paths = args.either("-clock_path", "-data_path");
                let edges = args.edges();
                let limit = self.out.limits.max_transition_clocks.entry(clock).or_default();
                for (row, _) in limit.by.iter_mut().zip(paths).filter(|(_, on)| *on) {
                    for (slot, _) in row.iter_mut().zip(edges).filter(|(_, on)| *on) {
                        *slot = Some(value);
                    }
                }
                continue;
            }
            if narrowed {
                return Err(self.fault("-clock_path, -data_path, -rise and -fall go with clocks"));
            }
            let cells = self.leaf_cells(object, meter)?;
            let pin = self.pin_of(object);
            let limits = &mut self.out.limits;
            let set = match command {
                "set_max_transition" => &mut limits.max_transition,
                "set_min_transition" => &mut limits.min_transition,
                "set_max_capacitance" => &mut limits.max_capacitance,
                "set_min_capacitance" => &mut limits.min_capacitance,
                "set_max_fanout" => &mut limits.max_fanout,
                _ => &mut limits.min_fanout,
            };
            match object {
                Object::Design => set.design = Some(value),
                Object::LibPin(master, pin) => {
                    set.master_pins.insert((master, pin), value);
                }
                _ => {
                    set.cells.extend(cells.into_iter().map(|cell| (cell, value)));
                    set.pins.extend(pin.map(|pin| (pin, value)));
                }
            }
        }
        Ok(Value::default())
    }

    pub(super) fn set_ideal_network(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec { keys: &[], flags: &["-no_propagate"], rest: (1, 1) };
        let args = self.parse(&spec, args)?;
        let objects = self.objects(args.rest[0], &[Kind::Port, Kind::Pin, Kind::Net], meter)?;
        self.nothing(&objects);
        for object in objects {
            let net = match object {
                Object::Net(net) => Some(net),
                object => self.pin_of(object).and_then(|pin| self.design.pin_net(pin)),
            };
            let Some(net) = net else { continue };
            if args.flag("-no_propagate") {
                self.out.ideal_nets.insert(net);
            } else {
                let pin = self.pin_of(object).or_else(|| self.design.driver(net));
                self.out.ideal_networks.extend(pin);
            }
        }
        Ok(Value::default())
    }

    pub(super) fn set_ideal_net(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let args = self.parse(&Spec { keys: &[], flags: &[], rest: (1, 1) }, args)?;
        let objects = self.objects(args.rest[0], &[Kind::Net], meter)?;
        self.nothing(&objects);
        for object in objects {
            if let Object::Net(net) = object {
                self.out.ideal_nets.insert(net);
            }
        }
        Ok(Value::default())
    }

    pub(super) fn set_ideal_value(
        &mut self,
        latency: bool,
        args: &[Value],
        meter: &mut Meter,
    ) -> Res {
        let spec = Spec { keys: &[], flags: &["-rise", "-fall", "-min", "-max"], rest: (2, 2) };
        let args = self.parse(&spec, args)?;
        let value = self.time(args.rest[0])?;
        let pins: Vec<PinId> = self.pins(args.rest[1], meter)?;
        self.nothing(&pins);
        for pin in pins {
            let map = match latency {
                true => &mut self.out.ideal_latency,
                false => &mut self.out.ideal_transition,
            };
            map.entry(pin).or_default().set(args.sides(), args.edges(), value);
        }
        Ok(Value::default())
    }
}
