//! Units, operating conditions, wire-load models, and what belongs to other tools.

use cellwright_sta::constraints::{AnalysisType, WireLoadChoice, WireLoadMode};

use super::args::Spec;
use super::names::Kind;
use super::object::Object;
use super::state::Reader;
use super::tcl::{Meter, Res, Value, shorten};

impl Reader<'_> {
    pub(super) fn set_units(&mut self, args: &[Value]) -> Res {
        let spec = Spec {
            keys: &[
                "-time",
                "-capacitance",
                "-resistance",
                "-voltage",
                "-current",
                "-power",
                "-distance",
            ],
            flags: &[],
            rest: (0, 0),
        };
        let args = self.parse(&spec, args)?;
        for (key, value) in args.keys() {
            let text = value.as_str();
            // Base units in which one SI unit is this many of ours: ns, pF, kΩ, V, mA, mW, µm.
            let (symbol, base) = match key {
                "-time" => ("s", 1e9),
                "-capacitance" => ("f", 1e12),
                "-resistance" => ("ohm", 1e-3),
                "-voltage" => ("v", 1.0),
                "-current" => ("a", 1e3),
                "-power" => ("w", 1e3),
                _ => ("m", 1e6),
            };
            let Some(scale) = unit(&text, symbol) else {
                return Err(self.fault_hint(
                    format!("`{}` is no unit for {key}", shorten(&text)),
                    "write a number, a prefix and the unit, such as 1ns, pF or 1kOhm",
                ));
            };
            let slot = match key {
                "-time" => &mut self.units.time,
                "-capacitance" => &mut self.units.capacitance,
                "-resistance" => &mut self.units.resistance,
                "-voltage" => &mut self.units.voltage,
                "-current" => &mut self.units.current,
                "-power" => &mut self.units.power,
                _ => &mut self.units.distance,
            };
            *slot = clean(scale * base);
        }
        self.out.units = self.units;
        Ok(Value::default())
    }

    pub(super) fn set_operating_conditions(&mut self, args: &[Value]) -> Res {
        let spec = Spec {
            keys: &[
                "-analysis_type",
                "-library",
                "-max",
                "-min",
                "-max_library",
                "-min_library",
                "-object_list",
            ],
            flags: &[],
            rest: (0, 1),
        };
        let args = self.parse(&spec, args)?;
        if args.key("-object_list").is_some() {
            self.not_kept("conditions of single objects; the design's hold");
            return Ok(Value::default());
        }
        let operating = &mut self.out.operating;
        if let Some(kind) = args.text("-analysis_type") {
            operating.analysis = match kind.as_str() {
                "single" => Some(AnalysisType::Single),
                "bc_wc" => Some(AnalysisType::BestCaseWorstCase),
                "on_chip_variation" => Some(AnalysisType::OnChipVariation),
                other => {
                    return Err(self.fault_hint(
                        format!("`{}` is no analysis type", shorten(other)),
                        "write single, bc_wc or on_chip_variation",
                    ));
                }
            };
        }
        if let Some(name) = args.rest.first() {
            let name = name.as_str().trim().to_owned();
            operating.names = [Some(name.clone()), Some(name)];
        }
        for (index, (name, library)) in
            [("-min", "-min_library"), ("-max", "-max_library")].into_iter().enumerate()
        {
            if let Some(name) = args.text(name) {
                operating.names[index] = Some(name);
            }
            if let Some(name) = args.text(library).or_else(|| args.text("-library")) {
                operating.libraries[index] = Some(name);
            }
        }
        Ok(Value::default())
    }

    pub(super) fn set_wire_load_model(&mut self, args: &[Value], selection: bool) -> Res {
        let spec = Spec {
            keys: &["-name", "-model_name", "-library"],
            flags: &["-min", "-max"],
            rest: (0, 2),
        };
        let args = self.parse(&spec, args)?;
        let named = args.text("-name").or_else(|| args.text("-model_name"));
        let (name, objects) = match (named, args.rest.as_slice()) {
            (Some(name), rest) => (name, rest),
            (None, [name, rest @ ..]) => (name.as_str().trim().to_owned(), rest),
            (None, []) => return Err(self.fault(format!("{} needs a name", self.command))),
        };
        if objects.iter().any(|object| !matches!(object, Value::Object(Object::Design))) {
            self.not_kept("the model of single objects; the design's holds");
            return Ok(Value::default());
        }
        let choice = WireLoadChoice { library: args.text("-library"), name };
        let loads = &mut self.out.wire_loads;
        let slots = if selection { &mut loads.selection } else { &mut loads.model };
        for (slot, _) in slots.iter_mut().zip(args.sides()).filter(|(_, on)| *on) {
            *slot = Some(choice.clone());
        }
        Ok(Value::default())
    }

    pub(super) fn set_wire_load_mode(&mut self, args: &[Value]) -> Res {
        let args = self.parse(&Spec { keys: &[], flags: &[], rest: (1, 1) }, args)?;
        self.out.wire_loads.mode = match &*args.rest[0].as_str() {
            "top" => Some(WireLoadMode::Top),
            "enclosed" => Some(WireLoadMode::Enclosed),
            "segmented" => Some(WireLoadMode::Segmented),
            other => {
                return Err(self.fault_hint(
                    format!("`{}` is no wire load mode", shorten(other)),
                    "write top, enclosed or segmented",
                ));
            }
        };
        Ok(Value::default())
    }

    pub(super) fn set_voltage(&mut self, args: &[Value]) -> Res {
        let spec = Spec { keys: &["-min", "-object_list", "-dynamic"], flags: &[], rest: (1, 1) };
        let args = self.parse(&spec, args)?;
        let scale = self.units.voltage;
        let max = Some(self.number(args.rest[0])? * scale);
        let min = match args.key("-min") {
            Some(value) => Some(self.number(value)? * scale),
            None => None,
        };
        if args.key("-dynamic").is_some() {
            self.not_kept("-dynamic");
        }
        let names = match args.key("-object_list") {
            // Supply nets are no part of a timing view, so they stay names.
            Some(value) => {
                let items = value.to_list().map_err(|message| self.fault(message))?;
                let name = |item: &Value| match item {
                    Value::Object(object) if self.exists(*object) => self.name(*object),
                    item => item.as_str().into_owned(),
                };
                items.iter().map(|item| Some(name(item))).collect()
            }
            None => vec![None],
        };
        for name in names {
            self.out.voltages.retain(|old| old.0 != name);
            self.out.voltages.push((name, min, max));
        }
        Ok(Value::default())
    }

    pub(super) fn set_max_area(&mut self, args: &[Value]) -> Res {
        let args = self.parse(&Spec { keys: &[], flags: &[], rest: (1, 1) }, args)?;
        self.out.max_area = Some(self.number(args.rest[0])?);
        Ok(Value::default())
    }

    pub(super) fn set_wire_load_min_block_size(&mut self, args: &[Value]) -> Res {
        let args = self.parse(&Spec { keys: &[], flags: &[], rest: (1, 1) }, args)?;
        self.out.wire_loads.min_block_size = Some(self.number(args.rest[0])?);
        Ok(Value::default())
    }

    pub(super) fn set_dont_touch(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let args = self.parse(&Spec { keys: &[], flags: &[], rest: (1, 2) }, args)?;
        let on = match args.rest.get(1).map(|value| value.as_str().to_lowercase()) {
            None => true,
            Some(text) => matches!(text.as_str(), "true" | "1"),
        };
        let kinds = [Kind::Cell, Kind::Net, Kind::LibCell, Kind::Design, Kind::Port];
        let objects = self.objects(args.rest[0], &kinds, meter)?;
        self.nothing(&objects);
        for object in objects {
            if !matches!(object, Object::Cell(_) | Object::Level(_)) {
                self.not_kept(format!("{} of a {}", self.command, object.kind()));
                continue;
            }
            for cell in self.leaf_cells(object, meter)? {
                if on {
                    self.out.dont_touch.insert(cell);
                } else {
                    self.out.dont_touch.remove(&cell);
                }
            }
        }
        Ok(Value::default())
    }
}

/// SI units per unit: an optional number, a prefix, and the symbol, in any case but for the
/// prefix.
fn unit(text: &str, symbol: &str) -> Option<f64> {
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number = match &text[..split] {
        "" => 1.0,
        digits => digits.parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0)?,
    };
    let rest = text[split..].trim_start();
    let prefix = rest.len().checked_sub(symbol.len()).and_then(|at| {
        let (prefix, tail) = (rest.get(..at)?, rest.get(at..)?);
        tail.eq_ignore_ascii_case(symbol).then_some(prefix)
    })?;
    let scale = match prefix {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" | "meg" | "Meg" | "MEG" => 1e6,
        "m" => 1e-3,
        "u" | "U" | "µ" => 1e-6,
        "n" | "N" => 1e-9,
        "p" | "P" => 1e-12,
        "f" | "F" => 1e-15,
        "a" | "A" => 1e-18,
        _ => return None,
    };
    Some(number * scale)
}

/// Takes the noise of the last bits off a power of ten.
fn clean(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_as_files_write_them() {
        let close = |text, symbol, want: f64| {
            let got = unit(text, symbol).unwrap();
            assert!((got / want - 1.0).abs() < 1e-12, "{text}: {got}");
        };
        close("ns", "s", 1e-9);
        close("1ns", "s", 1e-9);
        close("10 ps", "s", 1e-11);
        close("1.0fF", "f", 1e-15);
        close("100ff", "f", 1e-13);
        close("kOhm", "ohm", 1e3);
        close("1kohm", "ohm", 1e3);
        close("V", "v", 1.0);
        close("1mA", "a", 1e-3);
        for bad in ["", "1", "xs", "1ns2", "-1ns"] {
            assert_eq!(unit(bad, "s"), None, "{bad}");
        }
        assert_eq!(clean(1e-12 * 1e12), 1.0);
    }
}
