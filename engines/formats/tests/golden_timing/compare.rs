//! One case: the timer's numbers beside the golden ones.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use cellwright_db::library::PinDirection;
use cellwright_db::timing::Edge;
use cellwright_db::{Design, PinId};
use cellwright_formats::load;
use cellwright_formats::text::Severity;
use cellwright_sta::parasitics::{Annotated, Parasitics};
use cellwright_sta::{Calculator, Config, PulseCheck, PulseKind, Side, Timer};

use crate::golden::{End, Golden, PinRow, plain};
use crate::script;

/// The head of the table.
pub(crate) const HEAD: &str = "case                   calc   setup ends  hold ends |    slack   arrival      slew     slack | \
     worst setup ours/golden      setup TNS ours/golden        worst hold ours/golden       hold TNS ours/golden         | s";

/// Numbers of one kind: the largest error and how many are beyond the bound.
#[derive(Clone, Default)]
struct Errors {
    largest: f64,
    beyond: usize,
    /// Those beyond: how far, when, what.
    shown: Vec<(f64, f64, String)>,
}

impl Errors {
    fn note(
        &mut self,
        (own, golden): (f64, f64),
        bound: f64,
        when: f64,
        what: impl Fn() -> String,
    ) {
        let error = (own - golden).abs();
        let error = if error.is_nan() { f64::INFINITY } else { error };
        self.largest = self.largest.max(error);
        if error > bound {
            self.beyond += 1;
            let text = format!("{}: ours {own:.6} golden {golden:.6}", what());
            self.shown.push((error, when, text));
        }
    }
    /// Prints the largest, and of pins the first in time, where a cause is nearest.
    fn show(&mut self, kind: &str) {
        self.shown.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (error, _, text) in self.shown.iter().take(6) {
            println!("    {kind} {error:.6} {text}");
        }
        self.shown.sort_by(|a, b| a.1.total_cmp(&b.1));
        for (error, when, text) in self.shown.iter().filter(|(_, when, _)| when.is_finite()).take(6)
        {
            println!("    {kind} at {when:.4}: {error:.6} {text}");
        }
    }
}

/// What one side comes to.
#[derive(Clone, Default)]
struct SideRow {
    ends: (usize, usize),
    missing: usize,
    extra: usize,
    slack: Errors,
    worst: (f64, f64),
    tns: (f64, f64),
    wns_good: bool,
    tns_good: bool,
    path_good: bool,
}

/// A row of the table; times in the library's unit, errors in ps.
pub(crate) struct Row {
    name: String,
    calculator: Calculator,
    ps: f64,
    sides: [SideRow; 2],
    arrival: Errors,
    slew: Errors,
    pin_slack: Errors,
    /// Pulses that do not hold: ours and golden, and how many are of one list alone.
    pulses: (usize, usize, usize),
    pulse: Errors,
    /// Sampled pins that are not compared: of black boxes, behind ideal clocks.
    left: (usize, usize),
    unsupported: usize,
    seconds: f64,
}

impl Row {
    /// What is beyond the bounds.
    pub(crate) fn differs(&self) -> Vec<&'static str> {
        let mut found = Vec::new();
        let [hold, setup] = &self.sides;
        let mut note = |bad: bool, what| {
            if bad {
                found.push(what);
            }
        };
        let off = |side: &SideRow| side.missing + side.extra > 0;
        note(off(setup) || off(hold), "ends");
        note(setup.slack.beyond > 0, "setup");
        note(hold.slack.beyond > 0, "hold");
        note(!setup.wns_good || !hold.wns_good, "wns");
        note(!setup.tns_good || !hold.tns_good, "tns");
        note(!setup.path_good || !hold.path_good, "path");
        note(self.arrival.beyond > 0, "arrival");
        note(self.slew.beyond > 0, "slew");
        note(self.pin_slack.beyond > 0, "pin slack");
        note(self.pulses.2 > 0, "pulses");
        note(self.pulse.beyond > 0, "pulse widths");
        note(self.unsupported > 0, "not supported");
        found
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [hold, setup] = &self.sides;
        let calculator = if self.calculator == Calculator::Lumped { "lumped" } else { "dmp" };
        write!(f, "{:22} {calculator:6}", self.name)?;
        for side in [setup, hold] {
            write!(f, " {:>5}/{:<5}", side.ends.0, side.ends.1)?;
        }
        let slack = setup.slack.largest.max(hold.slack.largest);
        write!(f, "|")?;
        for error in [slack, self.arrival.largest, self.slew.largest, self.pin_slack.largest] {
            write!(f, " {:9.4}", error * self.ps)?;
        }
        write!(f, " |")?;
        for pair in [setup.worst, setup.tns, hold.worst, hold.tns] {
            write!(f, " {:28}", format!("{:.6}/{:.6}", pair.0, pair.1))?;
        }
        write!(f, "| {:.2}", self.seconds)?;
        for (count, what) in [(self.left.0, "of black boxes"), (self.left.1, "of ideal clocks")] {
            if count > 0 {
                write!(f, " ({count} pins {what} aside)")?;
            }
        }
        let (ours, golden, _) = self.pulses;
        if ours + golden > 0 {
            write!(f, " pulses {ours}/{golden} by {:.4}", self.pulse.largest * self.ps)?;
        }
        let differs = self.differs();
        if !differs.is_empty() {
            write!(f, " differs in {}", differs.join(", "))?;
            let counts = [
                (setup.slack.beyond, "setup"),
                (hold.slack.beyond, "hold"),
                (self.arrival.beyond, "arrivals"),
                (self.slew.beyond, "slews"),
                (self.pin_slack.beyond, "pin slacks"),
            ];
            for (count, what) in counts.iter().filter(|(count, _)| *count > 0) {
                write!(f, "; {count} {what}")?;
            }
        }
        Ok(())
    }
}

/// The folder of the golden reports with a calculator.
pub(crate) fn reports(calculator: Calculator) -> &'static str {
    if calculator == Calculator::Lumped { "golden_lumped" } else { "golden" }
}

/// Runs a case.
pub(crate) fn run(folder: &Path, name: &str, calculator: Calculator, detail: bool) -> Row {
    let golden = Golden::new(folder.join(reports(calculator)));
    let loaded = load::load(script::bundle(folder, name)).unwrap();
    let design = Design::new(&loaded.snapshot);
    let constraints = load::constraints(&loaded, &design).unwrap();
    if detail {
        let noted = load::constraint_problems(&loaded, &design);
        let told = |p: &&cellwright_formats::text::Problem| p.severity != Severity::Info;
        for problem in loaded.problems.iter().chain(noted.iter()).filter(told).take(20) {
            println!("    {problem}");
        }
    }
    let mut corners = Vec::new();
    for (number, files) in loaded.bundle.corner.iter().enumerate() {
        let mut parasitics = Parasitics::None;
        if files.spefs().next().is_some() {
            let (nets, report, _) = load::parasitics(&loaded, &design, files).unwrap();
            if detail {
                println!(
                    "    spef: {} drivers bare, {} partly annotated, unknown nets {:?}, pins {:?}, \
                     strayed {:?}",
                    report.unannotated_drivers.len(),
                    report.partial_drivers.len(),
                    report.unknown_nets,
                    report.unknown_pins,
                    report.strayed_pins
                );
            }
            parasitics = Parasitics::Annotated(Arc::new(Annotated::new(nets)));
        }
        corners.push((number, parasitics));
    }
    let start = Instant::now();
    let mut timer = Timer::new(&design, constraints, Config { corners, calculator }).unwrap();
    timer.settle(&design).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let not_supported = timer.not_supported();
    for line in &not_supported {
        println!("    not supported: {line}");
    }
    let mut row = Row {
        name: name.to_owned(),
        calculator,
        ps: golden.time * 1e3,
        sides: [SideRow::default(), SideRow::default()],
        arrival: Errors::default(),
        slew: Errors::default(),
        pin_slack: Errors::default(),
        pulses: (0, 0, 0),
        pulse: Errors::default(),
        left: (0, 0),
        unsupported: not_supported.len(),
        seconds,
    };
    for side in [Side::Max, Side::Min] {
        row.sides[side.index()] = ends(&golden, &design, &timer, side, detail);
    }
    pins(&golden, &design, &timer, &mut row);
    pulses(&golden, &design, &timer, &mut row, detail);
    if detail {
        row.pulse.show("pulse");
        row.arrival.show("arrival");
        row.slew.show("slew");
        row.pin_slack.show("pin slack");
    }
    row
}

/// What counts as equal: 0.5 ps or 0.1 % of the arrival; beyond that, four units in the last place
/// of the single precision numbers that the golden ones were subtracted from.
fn bound(time: f64, arrival: f64, largest: f64) -> f64 {
    let precision = 4.0 * f64::from(f32::EPSILON) * largest.abs();
    (0.0005 / time).max(1e-3 * arrival.abs()).max(precision)
}

fn ends(golden: &Golden, design: &Design, timer: &Timer, side: Side, detail: bool) -> SideRow {
    let time = golden.time;
    let theirs = golden.ends(side);
    let ours: BTreeMap<String, (PinId, f64)> = timer
        .endpoints(side)
        .into_iter()
        .map(|(pin, slack)| (plain(design.pin_name(pin).as_ref()), (pin, f64::from(slack) / time)))
        .collect();
    let mut row = SideRow { ends: (ours.len(), theirs.len()), ..SideRow::default() };
    for (name, End { required, arrival, slack }) in &theirs {
        let Some((_, own)) = ours.get(name) else {
            row.missing += 1;
            if detail && row.missing < 5 {
                println!("    missing {side:?} {name}");
            }
            continue;
        };
        let near = bound(time, *arrival, *required);
        row.slack.note((*own, *slack), near, f64::NAN, || name.clone());
    }
    for name in ours.keys().filter(|name| !theirs.contains_key(*name)) {
        row.extra += 1;
        if detail && row.extra < 5 {
            println!("    extra {side:?} {name}");
        }
    }
    if detail {
        row.slack.show(&format!("{side:?}"));
    }
    let worst_end = theirs.values().min_by(|a, b| a.slack.total_cmp(&b.slack));
    let near = worst_end.map_or(0.0, |end| bound(time, end.arrival, end.required));
    let own = timer.worst_slack(side).map_or(f64::NAN, |slack| f64::from(slack) / time);
    row.worst = (own, golden.summary("worst slack", side));
    row.wns_good = (own - row.worst.1).abs() <= near
        && (f64::from(timer.wns(side)) / time - golden.summary("wns", side)).abs() <= near;
    row.tns = (timer.tns(side) / time, golden.summary("tns", side));
    // Each endpoint of the sum within its own bound.
    let allowed: f64 = theirs
        .values()
        .filter(|end| end.slack < near)
        .map(|end| bound(time, end.arrival, end.required))
        .sum();
    row.tns_good = (row.tns.0 - row.tns.1).abs() <= allowed.min(1e-3 * row.tns.1.abs()).max(near);
    row.path_good = path(golden, design, timer, side, near, detail);
    row
}

/// Whether the worst path is the golden one, pin by pin; or, where several are equally bad within
/// the bound, whether the golden one's endpoint has its slack here too.
fn path(
    golden: &Golden,
    design: &Design,
    timer: &Timer,
    side: Side,
    near: f64,
    detail: bool,
) -> bool {
    let own = timer.worst_paths(design, side, 1);
    let (Some(theirs), Some(own)) = (golden.worst_path(side), own.first()) else {
        return golden.worst_path(side).is_none() == own.is_empty();
    };
    let ours: Vec<(char, String)> = own
        .steps
        .iter()
        .map(|step| {
            let edge = if step.edge == Edge::Rise { '^' } else { 'v' };
            (edge, plain(design.pin_name(step.pin).as_ref()))
        })
        .collect();
    if ours.ends_with(&theirs.steps) {
        return true;
    }
    let end = &theirs.steps.last().unwrap().1;
    let same_end =
        timer.endpoints(side).into_iter().find(|(pin, _)| plain(&design.pin_name(*pin)) == *end);
    let tie = same_end.is_some_and(|(_, slack)| {
        (f64::from(slack) / golden.time - theirs.slack).abs() <= near
            && (f64::from(own.slack) / golden.time - theirs.slack).abs() <= near
    });
    if detail {
        println!(
            "    {side:?} path: another, tie {tie}\n      ours   {ours:?}\n      golden {:?}",
            theirs.steps
        );
    }
    tie
}

/// Compares the pulse widths and periods that do not hold.
fn pulses(golden: &Golden, design: &Design, timer: &Timer, row: &mut Row, detail: bool) {
    let time = golden.time;
    let theirs = golden.pulses();
    let ours: BTreeMap<(String, PulseKind), PulseCheck> = timer
        .pulse_checks(design)
        .into_iter()
        .map(|check| ((plain(design.pin_name(check.pin).as_ref()), check.kind), check))
        .collect();
    let fail = ours.values().filter(|check| check.slack < 0.0).count();
    row.pulses = (fail, theirs.len(), 0);
    for (place, (required, actual)) in &theirs {
        let Some(own) = ours.get(place) else {
            row.pulses.2 += 1;
            continue;
        };
        let what = || format!("{place:?}");
        // A width is the difference of two arrivals, and as exact as they are.
        let reach = 1e-3 * (required.abs() + actual.abs());
        let near = (0.0005 / time).max(reach);
        row.pulse.note((own.required / time, *required), near, f64::NAN, what);
        row.pulse.note((own.actual / time, *actual), near, f64::NAN, what);
    }
    for (place, own) in &ours {
        let near = (0.0005 / time).max(1e-3 * own.required / time);
        if own.slack / time < -near && !theirs.contains_key(place) {
            row.pulses.2 += 1;
            if detail && row.pulses.2 < 5 {
                println!("    pulse of ours alone: {own:?}");
            }
        }
    }
}

/// Compares the sampled pins.
fn pins(golden: &Golden, design: &Design, timer: &Timer, row: &mut Row) {
    const CORNERS: [(Side, Edge); 4] = [
        (Side::Max, Edge::Rise),
        (Side::Max, Edge::Fall),
        (Side::Min, Edge::Rise),
        (Side::Min, Edge::Fall),
    ];
    let by_name: BTreeMap<String, PinId> = (0..design.pin_slots())
        .map(PinId::new)
        .filter(|pin| design.has_pin(*pin))
        .map(|pin| (plain(design.pin_name(pin).as_ref()), pin))
        .collect();
    let slacks = timer.settled().unwrap();
    let clocks = timer.clock_arrivals(design);
    let time = golden.time;
    for PinRow { name, arrival, slew, slack } in golden.pins() {
        let Some(&pin) = by_name.get(&name) else { continue };
        // A black box's pins carry nothing. Slacks of pins in an ideal clock network are not compared:
        // the golden arrival there is that of the network, the golden required time is not.
        let dark = design.pin_direction(pin) == PinDirection::Unknown;
        let ideal = timer.is_ideal_clock(pin);
        row.left.0 += usize::from(dark);
        row.left.1 += usize::from(ideal);
        if dark {
            continue;
        }
        for (at, (side, edge)) in CORNERS.into_iter().enumerate() {
            let what = || format!("{name} {side:?} {edge:?}");
            let reach = if arrival[at].is_finite() { arrival[at] } else { 0.0 };
            let near = bound(time, reach, reach);
            if arrival[at].is_finite() {
                let clock = clocks.get(&pin).map(|all| all[side.index() * 2 + edge.index()]);
                let own = clock.filter(|_| ideal).or(timer.arrival(pin, side, edge));
                let own = own.map_or(f64::NAN, f64::from) / time;
                row.arrival.note((own, arrival[at]), near, reach, what);
            }
            // What never switches has no slew.
            if slew[at].is_finite() && arrival[at].is_finite() {
                let own = f64::from(timer.slew(pin, side, edge)) / time;
                let near = near.max(bound(time, slew[at], 0.0));
                row.slew.note((own, slew[at]), near, reach, what);
            }
            if slack[at].is_finite() && !ideal {
                let own = slacks.slack_of(pin, side, edge).map_or(f64::NAN, f64::from) / time;
                // Required times are single precision and lose some at every level.
                let near = bound(time, reach, 4.0 * slack[at].abs().max(reach.abs()));
                row.pin_slack.note((own, slack[at]), near, reach, what);
            }
        }
    }
}
