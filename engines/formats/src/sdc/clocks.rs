//! Defining clocks.

use cellwright_db::PinId;
use cellwright_sta::constraints::{Clock, ClockId, GeneratedClock, GeneratedShape};

use super::args::{Args, Spec};
use super::names::Kind;
use super::object::Object;
use super::state::Reader;
use super::tcl::{Meter, Res, Value};

impl Reader<'_> {
    pub(super) fn create_clock(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec {
            keys: &["-name", "-period", "-waveform", "-comment"],
            flags: &["-add"],
            rest: (0, 1),
        };
        let args = self.parse(&spec, args)?;
        let period = args.key("-period").ok_or_else(|| self.fault("create_clock needs -period"))?;
        let period = self.time(period)?;
        if period <= 0.0 {
            return Err(self.fault(format!("the period must be positive, not {period} ns")));
        }
        let waveform = match args.key("-waveform") {
            None => vec![0.0, period / 2.0],
            Some(value) => {
                let scale = self.units.time;
                self.numbers(value)?.into_iter().map(|edge| edge * scale).collect()
            }
        };
        self.check_waveform(&waveform, period)?;
        let sources = self.clock_sources(&args, meter)?;
        let name = self.clock_name_for(&args, &sources)?;
        let clock = Clock {
            name,
            period,
            waveform,
            sources,
            add: args.flag("-add"),
            comment: args.text("-comment").unwrap_or_default(),
            ..Clock::default()
        };
        Ok(Value::Object(Object::Clock(self.define(clock))))
    }

    fn check_waveform(&self, edges: &[f64], period: f64) -> Res<()> {
        let ascending = edges.windows(2).all(|pair| pair[0] < pair[1]);
        let within = match edges {
            [first, .., last] => last - first <= period * (1.0 + 1e-9),
            _ => false,
        };
        if edges.len().is_multiple_of(2) && ascending && within {
            return Ok(());
        }
        Err(self.fault_hint(
            "the waveform must be an even number of ascending times within one period",
            "write rise and fall times such as {0 5}",
        ))
    }

    fn clock_sources(&mut self, args: &Args<'_>, meter: &mut Meter) -> Res<Vec<PinId>> {
        let Some(value) = args.rest.first() else { return Ok(Vec::new()) };
        let found = self.objects(value, &[Kind::Port, Kind::Pin, Kind::Net], meter)?;
        let mut pins: Vec<PinId> = found
            .into_iter()
            .filter_map(|object| match object {
                Object::Net(net) => self.design.driver(net),
                object => self.pin_of(object),
            })
            .collect();
        pins.sort_unstable();
        pins.dedup();
        if pins.is_empty() {
            return Err(self.fault_hint(
                format!("{} names sources of which none exists", self.command),
                "correct the names; for a virtual clock leave the argument out",
            ));
        }
        Ok(pins)
    }

    fn clock_name_for(&self, args: &Args<'_>, sources: &[PinId]) -> Res<String> {
        match (args.text("-name"), sources.first()) {
            (Some(name), _) if !name.is_empty() => Ok(name),
            (Some(_), _) => Err(self.fault("a clock's name must not be empty")),
            (None, Some(pin)) => Ok(self.design.pin_name(*pin)),
            (None, None) => Err(self.fault("a virtual clock needs -name")),
        }
    }

    pub(super) fn create_generated_clock(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        let spec = Spec {
            keys: &[
                "-name",
                "-source",
                "-master_clock",
                "-divide_by",
                "-multiply_by",
                "-duty_cycle",
                "-edges",
                "-edge_shift",
                "-pll_output",
                "-pll_feedback",
                "-comment",
            ],
            flags: &["-invert", "-combinational", "-add"],
            rest: (1, 1),
        };
        let args = self.parse(&spec, args)?;
        let sources = self.clock_sources(&args, meter)?;
        let name = self.clock_name_for(&args, &sources)?;
        let source = match args.key("-source") {
            Some(value) => Some(self.one_pin(value, "-source", meter)?),
            None => return Err(self.fault("create_generated_clock needs -source")),
        };
        let master = match args.key("-master_clock") {
            Some(value) => Some(self.one_clock(value, meter)?),
            None => None,
        };
        let pll = match (args.key("-pll_output"), args.key("-pll_feedback")) {
            (Some(output), feedback) => {
                let output = self.one_pin(output, "-pll_output", meter)?;
                let feedback = match feedback {
                    Some(value) => Some(self.one_pin(value, "-pll_feedback", meter)?),
                    None => None,
                };
                Some((output, feedback))
            }
            _ => None,
        };
        let generated = GeneratedClock {
            source,
            master,
            shape: self.generated_shape(&args)?,
            invert: args.flag("-invert"),
            combinational: args.flag("-combinational"),
            pll,
        };
        let clock = Clock {
            name,
            sources,
            add: args.flag("-add"),
            generated: Some(generated),
            comment: args.text("-comment").unwrap_or_default(),
            ..Clock::default()
        };
        Ok(Value::Object(Object::Clock(self.define(clock))))
    }

    fn generated_shape(&self, args: &Args<'_>) -> Res<GeneratedShape> {
        let duty = match args.key("-duty_cycle") {
            Some(value) => Some(self.number(value)?),
            None => None,
        };
        if duty.is_some_and(|duty| !(0.0 < duty && duty < 100.0)) {
            return Err(self.fault("-duty_cycle must lie between 0 and 100 percent"));
        }
        let keys = (args.key("-divide_by"), args.key("-multiply_by"), args.key("-edges"));
        if duty.is_some() && keys.1.is_none() {
            return Err(self.fault("-duty_cycle needs -multiply_by"));
        }
        match keys {
            (Some(by), None, None) => {
                Ok(GeneratedShape::Divide(self.positive_integer(by, "-divide_by")?))
            }
            (None, Some(by), None) => Ok(GeneratedShape::Multiply {
                by: self.positive_integer(by, "-multiply_by")?,
                duty_cycle: duty,
            }),
            (None, None, Some(edges)) => {
                let numbers = self.numbers(edges)?;
                let good = numbers.len() >= 3
                    && numbers.len() % 2 == 1
                    && numbers.iter().all(|n| n.fract() == 0.0 && (1.0..=1e6).contains(n))
                    && numbers.windows(2).all(|pair| pair[0] < pair[1]);
                if !good {
                    return Err(self.fault_hint(
                        "-edges must be three (or a larger odd number of) ascending edge numbers",
                        "write -edges {1 3 5} for a division by two",
                    ));
                }
                let shifts = match args.key("-edge_shift") {
                    Some(value) => self.numbers(value)?,
                    None => Vec::new(),
                };
                if !shifts.is_empty() && shifts.len() != numbers.len() {
                    return Err(self.fault("-edge_shift needs one value for each of -edges"));
                }
                Ok(GeneratedShape::Edges {
                    edges: numbers.into_iter().map(|n| n as u32).collect(),
                    shifts: shifts.into_iter().map(|shift| shift * self.units.time).collect(),
                })
            }
            (None, None, None) => Ok(GeneratedShape::Divide(1)),
            _ => Err(self.fault("-divide_by, -multiply_by and -edges exclude each other")),
        }
    }

    /// Puts a clock into the table. One of the same name is replaced; without `-add` it takes its
    /// sources from other clocks, and a clock that loses its last source is gone.
    fn define(&mut self, clock: Clock) -> ClockId {
        let same = self.find_clock(&clock.name);
        if !clock.add {
            for other in self.clocks().filter(|other| Some(*other) != same).collect::<Vec<_>>() {
                let sources = &mut self.out.clocks[other].sources;
                let before = sources.len();
                sources.retain(|pin| !clock.sources.contains(pin));
                if before > 0 && sources.is_empty() {
                    self.dead[other.0 as usize] = true;
                    let message = format!(
                        "clock `{}` replaces clock `{}` at its source; write -add to keep both",
                        clock.name,
                        self.clock_name(other)
                    );
                    self.warn("sdc-clock-replaced", message);
                }
            }
        }
        match same {
            Some(id) => {
                let old = std::mem::take(&mut self.out.clocks[id]);
                self.out.clocks[id] = Clock {
                    propagated: old.propagated,
                    latency: old.latency,
                    uncertainty: old.uncertainty,
                    transition: old.transition,
                    ..clock
                };
                id
            }
            None => {
                self.dead.push(false);
                self.out.clocks.push(clock)
            }
        }
    }
}
