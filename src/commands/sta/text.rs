//! The report for people, in the units of the first library.

use cellwright_db::{Design, PinId};
use cellwright_formats::sdc::library_units;
use cellwright_judge::timing::Timing;
use cellwright_sta::{Scale, Side, Timer};

use super::value::{limit_name, name, pulse_name, unit};
use crate::table::table;

/// What is shown.
pub(crate) struct Show {
    pub(crate) paths: usize,
    pub(crate) endpoints: usize,
    pub(crate) histogram: usize,
    pub(crate) violators: bool,
    pub(crate) digits: usize,
    /// Only paths through this pin.
    pub(crate) through: Option<PinId>,
}

pub(crate) fn print(design: &Design, timing: &Timing, sides: &[Side], show: &Show) {
    let timer = timing.timer();
    let units = library_units(design);
    let scale = Scale::of(&units, show.digits);
    say!(
        "units: time {}, capacitance {}",
        unit(units.time * 1e-9, "s"),
        unit(units.capacitance * 1e-12, "F")
    );
    let time = |ns: f64| format!("{:.*}", show.digits, ns / scale.time);
    for side in sides {
        let ends = timer.endpoint_table(design, *side);
        say!(
            "\n{}: WNS {}, TNS {}, worst slack {}, {} endpoints",
            name(*side),
            time(f64::from(timer.wns(*side))),
            time(timer.tns(*side)),
            timer.worst_slack(*side).map_or("-".to_owned(), |slack| time(f64::from(slack))),
            ends.len()
        );
        let rows: Vec<Vec<String>> = ends
            .iter()
            .take(show.endpoints)
            .map(|end| {
                let numbers = [end.required, f64::from(end.arrival), f64::from(end.slack)];
                let [required, arrival, slack] = numbers.map(time);
                vec![design.pin_name(end.pin), end.group.clone(), required, arrival, slack]
            })
            .collect();
        if !rows.is_empty() {
            let header = ["endpoint", "group", "required", "arrival", "slack"];
            put!("{}", table(&header, &[false, false, true, true, true], &rows));
        }
        histogram(timer, *side, show.histogram, &time);
        let paths = match show.through {
            Some(pin) => timer.paths_through(design, *side, pin, show.paths).unwrap_or_default(),
            None => timer.worst_paths(design, *side, show.paths),
        };
        for path in paths {
            put!("\n{}", path.text(design, scale));
        }
    }
    let open = timer.unconstrained(design);
    if !open.is_empty() {
        let names: Vec<String> = open.iter().take(10).map(|pin| design.pin_name(*pin)).collect();
        let more = if open.len() > names.len() { ", …" } else { "" };
        say!("\n{} unconstrained endpoints: {}{more}", open.len(), names.join(", "));
    }
    for found in timer.loops() {
        say!("combinational loop broken: {found:?}");
    }
    if show.violators {
        violators(design, timer, sides, scale);
    }
}

fn histogram(timer: &Timer, side: Side, bins: usize, time: &impl Fn(f64) -> String) {
    let bars = timer.histogram(side, bins);
    let most = bars.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let rows: Vec<Vec<String>> = bars
        .iter()
        .map(|(from, count)| {
            let bar = "#".repeat((count * 40).div_ceil(most));
            vec![time(f64::from(*from)), count.to_string(), bar]
        })
        .collect();
    if !rows.is_empty() {
        put!("\n{}", table(&["slack from", "endpoints", ""], &[true, true, false], &rows));
    }
}

fn violators(design: &Design, timer: &Timer, sides: &[Side], scale: Scale) {
    let rows: Vec<Vec<String>> = timer
        .violations(design)
        .into_iter()
        .map(|found| {
            let (kind, per) = limit_name(found.kind, scale.time, scale.capacitance);
            let shown = |value: f64| format!("{:.*}", scale.digits, value / per);
            let slack = shown(found.limit - found.value);
            let name = design.pin_name(found.pin);
            vec![name, kind.to_owned(), shown(found.limit), shown(found.value), slack]
        })
        .collect();
    say!("\n{} limits do not hold", rows.len());
    if !rows.is_empty() {
        let header = ["pin", "limit", "allowed", "is", "slack"];
        put!("{}", table(&header, &[false, false, true, true, true], &rows));
    }
    let time = |ns: f64| format!("{:.*}", scale.digits, ns / scale.time);
    let rows: Vec<Vec<String>> = timer
        .pulse_checks(design)
        .into_iter()
        .filter(|check| check.slack < 0.0)
        .map(|check| {
            let numbers = [check.required, check.actual, check.slack];
            let [required, actual, slack] = numbers.map(time);
            let (name, kind) = (design.pin_name(check.pin), pulse_name(check.kind).to_owned());
            vec![name, kind, check.clock, required, actual, slack]
        })
        .collect();
    say!("\n{} pulse widths and periods do not hold", rows.len());
    if !rows.is_empty() {
        let header = ["pin", "check", "clock", "required", "actual", "slack"];
        put!("{}", table(&header, &[false, false, false, true, true, true], &rows));
    }
    for side in sides {
        let all = timer.gating_checks(design, *side);
        let count = all.len();
        let rows: Vec<Vec<String>> = all
            .into_iter()
            .filter(|end| end.slack < 0.0)
            .map(|end| {
                let numbers = [end.required, f64::from(end.arrival), f64::from(end.slack)];
                let [required, arrival, slack] = numbers.map(time);
                vec![design.pin_name(end.pin), required, arrival, slack]
            })
            .collect();
        let name = name(*side);
        say!("\n{} of {count} inferred clock gating checks ({name}) do not hold", rows.len());
        if !rows.is_empty() {
            let header = ["enable", "required", "arrival", "slack"];
            put!("{}", table(&header, &[false, true, true, true], &rows));
        }
    }
}
