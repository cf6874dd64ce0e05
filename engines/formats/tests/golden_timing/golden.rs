//! The golden reports of a case.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cellwright_formats::text::open;
use cellwright_sta::{PulseKind, Side};

/// What a report says of one endpoint, in the library's unit.
#[derive(Clone, Copy)]
pub(crate) struct End {
    pub(crate) required: f64,
    pub(crate) arrival: f64,
    pub(crate) slack: f64,
}

/// A path of a report.
pub(crate) struct GoldenPath {
    /// Pins with their edge (`^` or `v`), from the first that the report shows.
    pub(crate) steps: Vec<(char, String)>,
    pub(crate) slack: f64,
}

/// A row of `pins.tsv`: arrivals, slews and slacks by `[max rise, max fall, min rise, min fall]`.
pub(crate) struct PinRow {
    pub(crate) name: String,
    pub(crate) arrival: [f64; 4],
    pub(crate) slew: [f64; 4],
    pub(crate) slack: [f64; 4],
}

/// The reports of one case with one calculator.
pub(crate) struct Golden {
    folder: PathBuf,
    /// ns per unit.
    pub(crate) time: f64,
}

/// Names without escapes, so that writers' habits do not matter.
pub(crate) fn plain(name: &str) -> String {
    name.replace('\\', "")
}

impl Golden {
    pub(crate) fn new(folder: PathBuf) -> Golden {
        let mut golden = Golden { folder, time: 1.0 };
        let units = golden.text("units.rpt").expect("units.rpt");
        let line = units.lines().find(|line| line.trim_start().starts_with("time")).unwrap();
        golden.time = if line.contains("ps") { 1e-3 } else { 1.0 };
        golden
    }

    fn text(&self, file: &str) -> Option<String> {
        let plain = self.folder.join(file);
        let zipped = self.folder.join(format!("{file}.gz"));
        let path: &Path = if plain.exists() { &plain } else { &zipped };
        Some(open(path).ok()?.text().to_owned())
    }

    /// Endpoints by name with their worst line.
    pub(crate) fn ends(&self, side: Side) -> BTreeMap<String, End> {
        let file = if side == Side::Max { "endpoints_setup.rpt" } else { "endpoints_hold.rpt" };
        let mut found: BTreeMap<String, End> = BTreeMap::new();
        for line in self.text(file).expect(file).lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let Some(at) = words.iter().position(|w| *w == "(MET)" || *w == "(VIOLATED)") else {
                continue;
            };
            if at < 4 {
                continue;
            }
            let number = |back: usize| words[at - back].parse::<f64>().unwrap();
            let new = End { required: number(3), arrival: number(2), slack: number(1) };
            let entry = found.entry(plain(words[0])).or_insert(new);
            if new.slack < entry.slack {
                *entry = new;
            }
        }
        found
    }

    /// A number of the summary, such as `tns max`.
    pub(crate) fn summary(&self, key: &str, side: Side) -> f64 {
        let key = format!("{key} {}", if side == Side::Max { "max" } else { "min" });
        let text = self.text("summary.txt").expect("summary.txt");
        let line = text.lines().find(|line| line.starts_with(&key)).unwrap();
        line.split_whitespace().last().unwrap().parse().unwrap_or(f64::NAN)
    }

    /// The worst path of a side.
    pub(crate) fn worst_path(&self, side: Side) -> Option<GoldenPath> {
        let file = if side == Side::Max { "worst5_setup.rpt" } else { "worst5_hold.rpt" };
        let text = self.text(file).expect(file);
        let (mut worst, mut steps, mut open): (Option<GoldenPath>, _, _) = (None, vec![], false);
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.first() == Some(&"Startpoint:") {
                (steps, open) = (vec![], true);
            }
            if line.contains("data arrival time") {
                open = false;
            }
            if open && let Some(at) = words.iter().position(|word| *word == "^" || *word == "v") {
                let name = words.get(at + 1);
                // "v input external delay" is of the pin that follows.
                let is_pin = words.get(at + 2).is_some_and(|word| word.starts_with('('));
                if let Some(name) = name.filter(|_| is_pin) {
                    steps.push((words[at].chars().next().unwrap(), plain(name)));
                }
            }
            let Some(at) = words.iter().position(|word| *word == "slack") else { continue };
            if words.get(at + 1).is_none_or(|word| !word.starts_with('(')) {
                continue;
            }
            let slack: f64 = words[at - 1].parse().unwrap();
            if worst.as_ref().is_none_or(|worst| slack < worst.slack) {
                worst = Some(GoldenPath { steps: std::mem::take(&mut steps), slack });
            }
        }
        worst
    }

    /// Pulse widths and periods that do not hold, by pin and kind: (required, actual).
    pub(crate) fn pulses(&self) -> BTreeMap<(String, PulseKind), (f64, f64)> {
        let text = self.text("other_checks.rpt").expect("other_checks.rpt");
        let mut found = BTreeMap::new();
        for line in text.lines().filter(|line| line.ends_with("(VIOLATED)")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (name, kind, numbers) = match words.as_slice() {
                [name, "(high)", numbers @ ..] => (name, PulseKind::High, numbers),
                [name, "(low)", numbers @ ..] => (name, PulseKind::Low, numbers),
                [name, numbers @ ..] => (name, PulseKind::Period, numbers),
                [] => continue,
            };
            let number = |at: usize| numbers.get(at).and_then(|word| word.parse::<f64>().ok());
            if let (Some(required), Some(actual), Some(_)) = (number(0), number(1), number(2)) {
                found.insert((plain(name), kind), (required, actual));
            }
        }
        found
    }

    /// The sampled pins. `None` stands for no value.
    pub(crate) fn pins(&self) -> Vec<PinRow> {
        let text = self.text("pins.tsv").expect("pins.tsv");
        let mut rows = Vec::new();
        for line in text.lines().skip(1) {
            let words: Vec<&str> = line.split('\t').collect();
            let four = |first: usize| {
                [0, 1, 2, 3].map(|at| {
                    let word = words.get(first + at).copied().unwrap_or("NA");
                    let value = word.parse().unwrap_or(f64::NAN);
                    // INF stands where nothing arrives.
                    if f64::abs(value) > 1e29 { f64::NAN } else { value }
                })
            };
            rows.push(PinRow {
                name: plain(words[0]),
                arrival: four(1),
                slew: four(5),
                slack: four(9),
            });
        }
        rows
    }
}
