//! Object queries: `get_*`, `all_*`, and what collections tell.

use cellwright_db::library::PinDirection;
use cellwright_db::{Owner, PinId};

use super::args::{Args, Spec};
use super::names::{How, Kind};
use super::object::Object;
use super::state::{Reader, fits};
use super::tcl::value::split_list;
use super::tcl::{Meter, Res, Value, shorten};
use crate::text::Severity;

const GET: Spec = Spec {
    keys: &["-of_objects", "-filter"],
    flags: &["-hierarchical", "-hsc", "-nocase", "-regexp", "-exact", "-quiet", "-leaf"],
    rest: (0, 1),
};

impl Reader<'_> {
    pub(super) fn query_command(
        &mut self,
        name: &str,
        args: &[Value],
        meter: &mut Meter,
    ) -> Option<Res> {
        let kind = match name {
            "get_ports" => Kind::Port,
            "get_pins" => Kind::Pin,
            "get_cells" => Kind::Cell,
            "get_nets" => Kind::Net,
            "get_clocks" | "get_generated_clocks" => Kind::Clock,
            "get_libs" => Kind::Lib,
            "get_lib_cells" => Kind::LibCell,
            "get_lib_pins" => Kind::LibPin,
            _ => {
                return Some(match name {
                    "current_design" | "get_designs" => self.current_design(name, args),
                    "current_instance" => self.current_instance(args),
                    "all_inputs" | "all_outputs" => self.all_ports(name, args, meter),
                    "all_clocks" => self.all_clocks(args),
                    "all_registers" => self.all_registers(args),
                    "filter_collection" => self.filter_collection(args, meter),
                    "get_object_name" | "get_full_name" | "get_name" => {
                        self.object_name(name, args)
                    }
                    "get_property" | "get_attribute" => self.get_property(args, meter),
                    _ => return None,
                });
            }
        };
        Some(self.get(kind, args, meter))
    }

    fn get(&mut self, kind: Kind, args: &[Value], meter: &mut Meter) -> Res {
        let args = self.parse(&GET, args)?;
        let how = How {
            hierarchical: args.flag("-hierarchical"),
            nocase: args.flag("-nocase"),
            regexp: args.flag("-regexp"),
        };
        let mut found = match (args.key("-of_objects"), args.rest.first()) {
            (Some(_), Some(_)) => {
                return Err(self.fault(format!("{} takes patterns or -of_objects", self.command)));
            }
            (Some(of), None) => self.of_objects(kind, of, meter)?,
            (None, Some(patterns)) => {
                self.by_patterns(kind, patterns, &how, args.flag("-quiet"), meter)?
            }
            (None, None) => {
                let all = if how.regexp { ".*" } else { "*" };
                let how = How { hierarchical: true, ..how };
                self.find(kind, all, &how, meter)?
            }
        };
        if self.command == "get_generated_clocks" {
            found.retain(|object| match object {
                Object::Clock(clock) => self.out.clocks[*clock].generated.is_some(),
                _ => false,
            });
        }
        if let Some(filter) = args.key("-filter") {
            found = self.filter(found, &filter.as_str(), meter)?;
        }
        self.collection(found, meter)
    }

    fn collection(&self, found: Vec<Object>, meter: &mut Meter) -> Res {
        meter.bytes(32 * found.len() as u64)?;
        Ok(Value::list(found.into_iter().map(Value::Object).collect()))
    }

    fn by_patterns(
        &mut self,
        kind: Kind,
        patterns: &Value,
        how: &How,
        quiet: bool,
        meter: &mut Meter,
    ) -> Res<Vec<Object>> {
        // One pattern may hold characters that are special in a list, such as a lone bracket.
        let text = patterns.as_str();
        let single = matches!(patterns, Value::Text(..))
            && !text.trim().contains(char::is_whitespace)
            && !text.trim().starts_with(['{', '"']);
        let items = match single {
            true if text.trim().is_empty() => Default::default(),
            true if !Object::looks_like_handle(&text) => {
                std::rc::Rc::new(vec![Value::text(text.trim())])
            }
            _ => patterns.to_list().map_err(|message| self.fault(message))?,
        };
        let mut out = Vec::new();
        for item in items.iter() {
            match item {
                Value::Object(object) if fits(*object, &[kind]) && self.exists(*object) => {
                    out.push(*object);
                }
                Value::Object(object) if !self.exists(*object) => {}
                Value::List(..) => out.extend(self.by_patterns(kind, item, how, quiet, meter)?),
                _ => {
                    let pattern = match item {
                        Value::Object(object) => self.name(*object),
                        item => item.as_str().trim().to_owned(),
                    };
                    let mut found = self.find(kind, &pattern, how, meter)?;
                    // A lone word was not read as a list, and may yet be one of odd names.
                    if found.is_empty() && single && pattern.contains('\\') {
                        for item in split_list(&pattern).unwrap_or_default() {
                            found.extend(self.find(kind, &item.as_str(), how, meter)?);
                        }
                    }
                    if found.is_empty() && !quiet && !pattern.is_empty() {
                        let kind = kind.name();
                        let message = format!("no {kind} is called `{}`", shorten(&pattern));
                        self.warn("sdc-not-found", message);
                    }
                    out.extend(found);
                }
            }
        }
        Ok(unique(out))
    }

    fn of_objects(&mut self, kind: Kind, of: &Value, meter: &mut Meter) -> Res<Vec<Object>> {
        let kinds = match kind {
            Kind::Cell => &[Kind::Pin, Kind::Net, Kind::LibCell][..],
            Kind::Pin => &[Kind::Cell, Kind::Net],
            Kind::Net => &[Kind::Cell, Kind::Pin, Kind::Port],
            Kind::Port => &[Kind::Net],
            Kind::Clock => &[Kind::Port, Kind::Pin],
            Kind::LibCell => &[Kind::Cell, Kind::Lib, Kind::LibPin],
            Kind::LibPin => &[Kind::LibCell, Kind::Pin],
            Kind::Lib => &[Kind::LibCell],
            Kind::Design => &[],
        };
        let objects = self.objects(of, kinds, meter)?;
        let design = self.design;
        let mut out = Vec::new();
        for object in objects {
            match (kind, object) {
                (Kind::Cell, Object::Pin(pin)) => {
                    out.extend(self.finder.cell_of(pin).map(|(cell, _)| Object::Cell(cell)));
                }
                (Kind::Cell, Object::Net(net)) => {
                    for pin in design.net_pins(net) {
                        out.extend(self.finder.cell_of(*pin).map(|(cell, _)| Object::Cell(cell)));
                    }
                }
                (Kind::Cell, Object::LibCell(master)) => {
                    meter.work(design.cell_slots() as u64)?;
                    let cells = design.cells().filter(|cell| design.master_id(*cell) == master);
                    out.extend(cells.map(Object::Cell));
                }
                (Kind::Pin | Kind::Net, Object::Cell(_) | Object::Level(_)) => {
                    for cell in self.leaf_cells(object, meter)? {
                        for pin in design.cell_pins(cell) {
                            match kind {
                                Kind::Pin => out.push(Object::Pin(pin)),
                                _ => out.extend(design.pin_net(pin).map(Object::Net)),
                            }
                        }
                    }
                }
                (Kind::Pin | Kind::Port, Object::Net(net)) => {
                    for pin in design.net_pins(net) {
                        match design.owner(*pin) {
                            Owner::Cell(..) if kind == Kind::Pin => out.push(Object::Pin(*pin)),
                            Owner::Port(port) if kind == Kind::Port => out.push(Object::Port(port)),
                            _ => {}
                        }
                    }
                }
                (Kind::Net, object) => {
                    let net = self.pin_of(object).and_then(|pin| design.pin_net(pin));
                    out.extend(net.map(Object::Net));
                }
                (Kind::Clock, object) => {
                    if let Some(pin) = self.pin_of(object) {
                        let sources = |clock| &self.out.clocks[clock].sources;
                        let clocks = self.clocks().filter(|clock| sources(*clock).contains(&pin));
                        out.extend(clocks.map(Object::Clock).collect::<Vec<_>>());
                    }
                }
                (Kind::LibCell, Object::Cell(cell)) => {
                    out.push(Object::LibCell(design.master_id(cell)));
                }
                (Kind::LibCell, Object::Lib(lib)) => {
                    let lib = &design.library().timing_libs[lib as usize];
                    out.extend(lib.cells.iter().map(|cell| Object::LibCell(cell.master)));
                }
                (Kind::LibCell, Object::LibPin(master, _)) => out.push(Object::LibCell(master)),
                (Kind::LibPin, Object::LibCell(master)) => {
                    let pins = 0..design.library().masters[master].pins.len() as u32;
                    out.extend(
                        pins.map(|pin| Object::LibPin(master, cellwright_db::MasterPinId(pin))),
                    );
                }
                (Kind::LibPin, Object::Pin(pin)) => {
                    if let Some((cell, pin)) = self.finder.cell_of(pin) {
                        out.push(Object::LibPin(design.master_id(cell), pin));
                    }
                }
                (Kind::Lib, Object::LibCell(master)) => {
                    out.extend(self.finder.libs_of(master).map(|lib| Object::Lib(lib as u32)));
                }
                _ => {}
            }
            meter.work(100)?;
        }
        Ok(unique(out))
    }

    fn current_design(&mut self, command: &str, args: &[Value]) -> Res {
        if let (Some(name), "current_design") = (args.first(), command)
            && matches!(name, Value::Text(..))
        {
            let name = name.as_str().trim().to_owned();
            if name != self.design.name() {
                let message = format!(
                    "current_design is `{}`, but the design at hand is `{}`",
                    shorten(&name),
                    self.design.name()
                );
                self.problem(Severity::Info, "sdc-other-design", message);
            }
            self.out.design = Some(name);
        }
        Ok(Value::Object(Object::Design))
    }

    fn current_instance(&mut self, args: &[Value]) -> Res {
        match args.first().map(|name| name.as_str().into_owned()) {
            None => Ok(Value::default()),
            Some(top) if top.trim().is_empty() || top.trim() == "/" => Ok(Value::default()),
            Some(_) => Err(self.fault_hint(
                "current_instance of a level below the top is not supported",
                "write full names",
            )),
        }
    }

    fn all_ports(&mut self, command: &str, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec {
            keys: &["-clock"],
            flags: &["-no_clocks", "-level_sensitive", "-edge_triggered"],
            rest: (0, 0),
        };
        let inputs = command == "all_inputs";
        let args = self.parse(&spec, args)?;
        if args.flag("-level_sensitive") || args.flag("-edge_triggered") {
            return Err(self.fault("ports by the kind of register outside are not supported"));
        }
        let of_clock = match args.key("-clock") {
            Some(clock) => Some(self.clocks_of(clock, meter)?),
            None => None,
        };
        let delays = if inputs { &self.out.input_delays } else { &self.out.output_delays };
        let mut out = Vec::new();
        for (port, record) in self.design.ports().iter() {
            let direction = match record.direction {
                PinDirection::Inout => true,
                PinDirection::Input => inputs,
                PinDirection::Output => !inputs,
                PinDirection::Unknown => false,
            };
            let is_clock =
                || self.clocks().any(|clock| self.out.clocks[clock].sources.contains(&record.pin));
            let clocked = of_clock.as_ref().is_none_or(|clocks| {
                delays.iter().any(|delay| {
                    delay.pin == record.pin && delay.clock.is_some_and(|c| clocks.contains(&c))
                })
            });
            if direction && clocked && !(args.flag("-no_clocks") && is_clock()) {
                out.push(Object::Port(port));
            }
            meter.work(20)?;
        }
        self.collection(out, meter)
    }

    fn all_clocks(&mut self, args: &[Value]) -> Res {
        self.parse(&Spec { keys: &[], flags: &[], rest: (0, 0) }, args)?;
        Ok(Value::list(self.clocks().map(|clock| Value::Object(Object::Clock(clock))).collect()))
    }

    fn all_registers(&mut self, args: &[Value]) -> Res {
        let spec = Spec {
            keys: &["-clock", "-rise_clock", "-fall_clock"],
            flags: &[
                "-cells",
                "-data_pins",
                "-clock_pins",
                "-async_pins",
                "-output_pins",
                "-level_sensitive",
                "-edge_triggered",
            ],
            rest: (0, 0),
        };
        let args = self.parse(&spec, args)?;
        if args.keys().next().is_some() {
            return Err(self.fault_hint(
                "all_registers by clock needs a timing analysis, which constraints come before",
                "leave the option out, or name the registers",
            ));
        }
        Ok(Value::list(self.registers(&args).into_iter().map(Value::Object).collect()))
    }

    fn registers(&self, args: &Args<'_>) -> Vec<Object> {
        let design = self.design;
        let kinds = args.either("-edge_triggered", "-level_sensitive");
        let mut out = Vec::new();
        for cell in design.cells() {
            let Some(logic) = design.library().logic(design.master_id(cell)) else { continue };
            let wanted = logic.sequentials.iter().any(|s| kinds[usize::from(s.is_latch)]);
            if !wanted {
                continue;
            }
            let pins = [
                ("-data_pins", roles(logic, |s| s.data.as_ref())),
                ("-clock_pins", roles(logic, |s| s.clock.as_ref())),
                ("-async_pins", {
                    let mut pins = roles(logic, |s| s.clear.as_ref());
                    pins.extend(roles(logic, |s| s.preset.as_ref()));
                    pins
                }),
                ("-output_pins", {
                    let outputs = design.master(cell).pins.iter().enumerate();
                    outputs.filter(|(_, p)| p.direction.drives()).map(|(i, _)| i as u32).collect()
                }),
            ];
            let any = pins.iter().any(|(flag, _)| args.flag(flag));
            if !any || args.flag("-cells") {
                out.push(Object::Cell(cell));
            }
            let first = design.cell(cell).first_pin.0;
            for (flag, pins) in pins {
                if args.flag(flag) {
                    out.extend(pins.into_iter().map(|pin| Object::Pin(PinId(first + pin))));
                }
            }
        }
        out
    }

    fn filter_collection(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec { keys: &[], flags: &["-nocase"], rest: (2, 2) };
        let args = self.parse(&spec, args)?;
        let items = args.rest[0].to_list().map_err(|message| self.fault(message))?;
        let objects = items
            .iter()
            .filter_map(|item| match item {
                Value::Object(object) => Some(*object).filter(|object| self.exists(*object)),
                _ => None,
            })
            .collect();
        let found = self.filter(objects, &args.rest[1].as_str(), meter)?;
        self.collection(found, meter)
    }

    fn object_name(&mut self, command: &str, args: &[Value]) -> Res {
        let [value] = args else { return Err(self.fault(format!("{command} takes one object"))) };
        let items = value.to_list().map_err(|message| self.fault(message))?;
        let short = command == "get_name";
        let name = |item: &Value| match item {
            Value::Object(object) if self.exists(*object) => {
                let name = self.name(*object);
                match object {
                    Object::Pin(_) | Object::LibPin(..) if short => {
                        super::names::leaf(&name).to_owned()
                    }
                    _ => name,
                }
            }
            item => item.as_str().into_owned(),
        };
        let names: Vec<Value> = items.iter().map(|item| Value::string(name(item))).collect();
        Ok(match names.as_slice() {
            [one] => one.clone(),
            _ => Value::list(names),
        })
    }

    fn get_property(&mut self, args: &[Value], _: &mut Meter) -> Res {
        let spec = Spec { keys: &["-object_type"], flags: &["-quiet"], rest: (2, 2) };
        let args = self.parse(&spec, args)?;
        let (Value::Object(object), property) = (args.rest[0], args.rest[1].as_str()) else {
            return Err(self.fault(format!("{} takes one object and a property", self.command)));
        };
        if !self.exists(*object) {
            return Err(self.fault("an object that does not exist any more is used"));
        }
        match self.property(*object, &property) {
            Some(value) => Ok(Value::string(value)),
            None => Err(self.fault(format!(
                "{} has no property `{}`",
                object.kind(),
                shorten(&property)
            ))),
        }
    }
}

fn roles<'a>(
    cell: &'a cellwright_db::timing::TimingCell,
    role: impl Fn(&'a cellwright_db::timing::Sequential) -> Option<&'a cellwright_db::logic::Expr>,
) -> Vec<u32> {
    let mut pins: Vec<u32> = cell
        .sequentials
        .iter()
        .filter_map(role)
        .flat_map(|expr| expr.variables())
        .filter(|variable| *variable < cellwright_db::logic::Expr::STATE)
        .collect();
    pins.sort_unstable();
    pins.dedup();
    pins
}

/// Each object once, in the order of its first appearance.
fn unique(mut objects: Vec<Object>) -> Vec<Object> {
    if objects.len() > 1 {
        let mut seen = std::collections::HashSet::with_capacity(objects.len());
        objects.retain(|object| seen.insert(*object));
    }
    objects
}
