//! Path exceptions.

use cellwright_sta::constraints::{Exception, ExceptionKind, MinMax, PathPoint};

use super::args::{Args, Spec};
use super::names::Kind;
use super::object::Object;
use super::state::Reader;
use super::tcl::{Meter, Res, Value};

const POINTS: [&str; 9] = [
    "-from",
    "-rise_from",
    "-fall_from",
    "-through",
    "-rise_through",
    "-fall_through",
    "-to",
    "-rise_to",
    "-fall_to",
];

const ENDS: [Kind; 4] = [Kind::Clock, Kind::Cell, Kind::Port, Kind::Pin];
const MIDDLES: [Kind; 4] = [Kind::Cell, Kind::Port, Kind::Pin, Kind::Net];

/// `-from`, `-through`s and `-to` of a command.
#[derive(Default)]
struct Points {
    from: Option<PathPoint>,
    through: Vec<PathPoint>,
    to: Option<PathPoint>,
}

impl Reader<'_> {
    pub(super) fn set_false_path(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        const KEYS: [&str; 10] = with_points(["-comment"]);
        let spec = Spec {
            keys: &KEYS,
            flags: &["-setup", "-hold", "-rise", "-fall", "-reset_path"],
            rest: (0, 0),
        };
        let args = self.parse(&spec, args)?;
        self.exception(&args, ExceptionKind::FalsePath, args.checks(), true, meter)
    }

    pub(super) fn set_multicycle_path(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        const KEYS: [&str; 10] = with_points(["-comment"]);
        let spec = Spec {
            keys: &KEYS,
            flags: &["-setup", "-hold", "-rise", "-fall", "-start", "-end", "-reset_path"],
            rest: (1, 1),
        };
        let args = self.parse(&spec, args)?;
        let cycles = self.number(args.rest[0])?;
        if cycles.fract() != 0.0 || cycles.abs() > 1e6 {
            return Err(self.fault("the number of cycles must be a whole number"));
        }
        // Without either option the number is that of setup, and hold keeps its default of 0.
        let checks = match (args.flag("-hold"), args.flag("-setup")) {
            (false, false) => [false, true],
            chosen => chosen.into(),
        };
        let cycles = cycles as i32;
        let end_clock = match (args.flag("-start"), args.flag("-end")) {
            (true, true) => return Err(self.fault("-start and -end exclude each other")),
            (false, false) => None,
            (_, end) => Some(end),
        };
        if checks == [true, true] && end_clock.is_none() {
            // The defaults of setup and hold differ.
            for (checks, end_clock) in [([false, true], true), ([true, false], false)] {
                let kind = ExceptionKind::Multicycle { cycles, end_clock };
                self.exception(&args, kind, checks, true, meter)?;
            }
            return Ok(Value::default());
        }
        let end_clock = end_clock.unwrap_or(checks[1]);
        self.exception(&args, ExceptionKind::Multicycle { cycles, end_clock }, checks, true, meter)
    }

    pub(super) fn set_path_delay(
        &mut self,
        side: MinMax,
        args: &[Value],
        meter: &mut Meter,
    ) -> Res {
        const KEYS: [&str; 10] = with_points(["-comment"]);
        let spec = Spec {
            keys: &KEYS,
            flags: &["-rise", "-fall", "-ignore_clock_latency", "-probe", "-reset_path"],
            rest: (1, 1),
        };
        let args = self.parse(&spec, args)?;
        let kind = ExceptionKind::PathDelay {
            side,
            delay: self.time(args.rest[0])?,
            ignore_clock_latency: args.flag("-ignore_clock_latency"),
            probe: args.flag("-probe"),
        };
        let checks = [side == MinMax::Min, side == MinMax::Max];
        self.exception(&args, kind, checks, true, meter)
    }

    pub(super) fn group_path(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        const KEYS: [&str; 13] = with_points(["-comment", "-name", "-weight", "-critical_range"]);
        let spec = Spec { keys: &KEYS, flags: &["-default", "-rise", "-fall"], rest: (0, 0) };
        let args = self.parse(&spec, args)?;
        let name = match (args.text("-name"), args.flag("-default")) {
            (Some(name), false) => Some(name),
            (None, true) => None,
            _ => return Err(self.fault("group_path needs -name or -default")),
        };
        let kind = ExceptionKind::Group {
            name,
            weight: match args.key("-weight") {
                Some(weight) => self.number(weight)?,
                None => 1.0,
            },
            critical_range: match args.key("-critical_range") {
                Some(range) => Some(self.time(range)?),
                None => None,
            },
        };
        self.exception(&args, kind, [true, true], false, meter)
    }

    pub(super) fn reset_path(&mut self, args: &[Value], meter: &mut Meter) -> Res {
        const KEYS: [&str; 10] = with_points(["-comment"]);
        let spec = Spec {
            keys: &KEYS,
            flags: &["-setup", "-hold", "-rise", "-fall", "-all"],
            rest: (0, 0),
        };
        let args = self.parse(&spec, args)?;
        if args.flag("-all") {
            self.out.exceptions.retain(|e| matches!(e.kind, ExceptionKind::Group { .. }));
            return Ok(Value::default());
        }
        if let Some(points) = self.points(&args, true, meter)? {
            self.reset(&points, args.checks(), args.edges());
        }
        Ok(Value::default())
    }

    /// Takes checks from the exceptions of exactly these points.
    fn reset(&mut self, points: &Points, checks: [bool; 2], edges: [bool; 2]) {
        for old in &mut self.out.exceptions {
            let same = !matches!(old.kind, ExceptionKind::Group { .. })
                && old.from == points.from
                && old.through == points.through
                && old.to == points.to
                && old.end_edges == edges;
            if same {
                for (slot, _) in old.checks.iter_mut().zip(checks).filter(|(_, gone)| *gone) {
                    *slot = false;
                }
            }
        }
        self.out.exceptions.retain(|exception| exception.checks != [false, false]);
    }

    fn exception(
        &mut self,
        args: &Args<'_>,
        kind: ExceptionKind,
        checks: [bool; 2],
        must_name: bool,
        meter: &mut Meter,
    ) -> Res {
        let Some(points) = self.points(args, must_name, meter)? else {
            return Ok(Value::default());
        };
        if args.flag("-reset_path") {
            self.reset(&points, checks, args.edges());
        }
        self.out.exceptions.push(Exception {
            kind,
            checks,
            from: points.from,
            through: points.through,
            to: points.to,
            end_edges: args.edges(),
            comment: args.text("-comment").unwrap_or_default(),
        });
        Ok(Value::default())
    }

    /// The points of a command; `None`, with a warning, when one of them names nothing, for then
    /// no path matches.
    fn points(
        &mut self,
        args: &Args<'_>,
        must_name: bool,
        meter: &mut Meter,
    ) -> Res<Option<Points>> {
        let mut points = Points::default();
        let mut any = false;
        for (key, value) in args.keys() {
            let edges = match key {
                key if key.starts_with("-rise_") => [true, false],
                key if key.starts_with("-fall_") => [false, true],
                _ => [true, true],
            };
            let what = key.trim_start_matches("-rise_").trim_start_matches("-fall_");
            let what = what.trim_start_matches('-');
            if !matches!(what, "from" | "through" | "to") {
                continue;
            }
            any = true;
            let kinds = if what == "through" { &MIDDLES } else { &ENDS };
            let point = self.point(value, kinds, edges, meter)?;
            if point.is_empty() {
                let message = format!("{}: {key} names nothing, so no path matches", self.command);
                self.warn("sdc-no-object", message);
                return Ok(None);
            }
            match what {
                "from" if points.from.is_none() => points.from = Some(point),
                "to" if points.to.is_none() => points.to = Some(point),
                "through" => points.through.push(point),
                _ => return Err(self.fault(format!("{key} may be given once"))),
            }
        }
        if must_name && !any {
            return Err(self.fault_hint(
                format!("{} needs -from, -through or -to", self.command),
                "without them it would concern every path",
            ));
        }
        Ok(Some(points))
    }

    fn point(
        &mut self,
        value: &Value,
        kinds: &[Kind],
        edges: [bool; 2],
        meter: &mut Meter,
    ) -> Res<PathPoint> {
        let mut point = PathPoint { edges, ..PathPoint::default() };
        for object in self.objects(value, kinds, meter)? {
            match object {
                Object::Clock(clock) => point.clocks.push(clock),
                Object::Net(net) => point.nets.push(net),
                // Paths start and end at cells; a level of hierarchy they only pass.
                Object::Level(_) if kinds == ENDS => {
                    let command = &self.command;
                    let message = format!(
                        "{command}: a level of hierarchy starts and ends no path; name registers"
                    );
                    self.warn("sdc-level", message);
                }
                Object::Cell(_) | Object::Level(_) => {
                    point.cells.extend(self.leaf_cells(object, meter)?);
                }
                object => point.pins.extend(self.pin_of(object)),
            }
        }
        point.clocks.sort_unstable();
        point.clocks.dedup();
        point.cells.sort_unstable();
        point.cells.dedup();
        point.pins.sort_unstable();
        point.pins.dedup();
        point.nets.sort_unstable();
        point.nets.dedup();
        Ok(point)
    }
}

const fn with_points<const N: usize, const M: usize>(more: [&'static str; N]) -> [&'static str; M] {
    let mut out = [""; M];
    let mut index = 0;
    while index < M {
        out[index] = if index < POINTS.len() { POINTS[index] } else { more[index - POINTS.len()] };
        index += 1;
    }
    out
}
