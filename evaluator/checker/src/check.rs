//! Claims against what is recomputed.

use cellwright_contract::metric::{MetricValue, known};
use cellwright_db::snapshot::Root;
use cellwright_db::{Delta, Design, Snapshot};
use cellwright_formats::load::{Loaded, constraints};

use crate::chain::{ChainError, apply_chain};
use crate::density::Density;
use crate::legality::{Legality, Rule};
use crate::state::State;
use crate::timing::{self, Setting, Timing};
use crate::{area, congestion, defaults, density, legality, netlist, wirelength};

/// What the recomputation says of all claims together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was recomputed and agrees.
    Agrees,
    /// Something is not as claimed, or a change broke what it must keep.
    Disagrees,
    /// Nothing disagrees, but something could not be recomputed. This is no pass.
    Incomplete,
}

/// What the recomputation says of one claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// As claimed, within the tolerance.
    Agrees,
    /// Not as claimed.
    Differs,
    /// Not recomputed; [`CheckReport::not_checked`] says why.
    NotChecked,
}

/// One claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Metric name.
    pub metric: String,
    /// Corner, where the claim names one.
    pub corner: Option<String>,
    /// As claimed, in the metric's unit.
    pub claimed: f64,
    /// As recomputed, in the same unit.
    pub recomputed: Option<f64>,
    /// Recomputed minus claimed.
    pub difference: Option<f64>,
    /// Largest difference that still agrees; 0 where the metric is made of whole numbers.
    pub tolerance: f64,
    /// What it comes to.
    pub status: Status,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckReport {
    /// All in all.
    pub outcome: Outcome,
    /// The claims in their order.
    pub items: Vec<Item>,
    /// Roots along the chain, the base's first.
    pub roots: Vec<Root>,
    /// What the chain broke that it must keep: drivers, connections, logic, what is fixed.
    pub problems: Vec<String>,
    /// Violations of the result in which a movable cell has a part, claimed or not.
    pub legality: Legality,
    /// What was not recomputed or not shown, in words.
    pub not_checked: Vec<String>,
}

/// Timing that differs by less agrees, ns: a tenth of a picosecond, far below what any table or
/// wire estimate is good for. Engines keep arrivals in 32-bit floats, whose step at 1 ns is 6e-8;
/// a path of a thousand arcs collects less than 1e-4 ns of it.
pub const TIME_TOLERANCE: f64 = 1e-4;
/// Or by this part of the value: totals over many endpoints collect rounding with their size.
pub const TIME_RELATIVE: f64 = 1e-5;
/// Part by which quotients and sums of library figures may differ: a few roundings of 64-bit floats.
pub const RATIO_RELATIVE: f64 = 1e-9;

/// What is recomputed from.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The design before the chain.
    pub base: &'a Snapshot,
    /// How timing is to be computed; `None` when there are no constraints to time with.
    pub timing: Option<Setting<'a>>,
    /// What the reading of the files left open.
    pub not_checked: Vec<String>,
}

/// Recomputes claims about the state after a chain of deltas from a loaded base, timed as
/// [`defaults::setting`] says.
///
/// # Errors
/// A delta of the chain that does not apply.
pub fn check(
    loaded: &Loaded,
    deltas: &[Delta],
    claims: &[MetricValue],
) -> Result<CheckReport, ChainError> {
    let mut subject = Subject::of(loaded);
    if loaded.bundle.corner.is_empty() || loaded.bundle.sdc.is_empty() {
        return subject.check(deltas, claims);
    }
    match constraints(loaded, &Design::new(&loaded.snapshot)) {
        Ok(constraints) => {
            let (setting, left_open) = defaults::setting(loaded, &constraints);
            let subject =
                Subject { base: &loaded.snapshot, timing: Some(setting), not_checked: left_open };
            subject.check(deltas, claims)
        }
        Err(error) => {
            subject.not_checked = vec![format!("timing: {error}")];
            subject.check(deltas, claims)
        }
    }
}

/// A value as recomputed.
enum Found {
    /// Made of a whole number times a unit: must agree exactly.
    Whole { units: i64, per_value: f64 },
    /// Must agree within the tolerance.
    Real { value: f64, tolerance: f64 },
    /// Not recomputed, and why.
    Not(String),
}

impl<'a> Subject<'a> {
    /// The subject of a loaded bundle, without timing: fill [`Subject::timing`] in and clear
    /// [`Subject::not_checked`] to have it.
    pub fn of(loaded: &'a Loaded) -> Subject<'a> {
        Subject {
            base: &loaded.snapshot,
            timing: None,
            not_checked: vec!["timing: there are no constraints or no corners".to_owned()],
        }
    }

    /// Recomputes claims about the state after a chain of deltas.
    ///
    /// # Errors
    /// A delta of the chain that does not apply.
    pub fn check(
        &self,
        deltas: &[Delta],
        claims: &[MetricValue],
    ) -> Result<CheckReport, ChainError> {
        let (last, roots) = apply_chain(self.base, deltas)?;
        let (base, result) = (State::new(self.base), State::new(&last));
        let kept = netlist::check(&base, &result);
        let legality = legality::check(&result);
        let mut not_checked = kept.not_checked;
        if legality.truncated {
            not_checked.push("legality: too many cells on one spot to look at every pair".into());
        }
        let mut bench = Bench {
            subject: self,
            state: &result,
            legality: &legality,
            timing: None,
            density: None,
        };
        let mut items = Vec::new();
        for claim in claims {
            items.push(bench.item(claim, &mut not_checked));
        }
        let claims_time = claims.iter().any(|claim| is_timing(&claim.metric));
        if claims_time {
            not_checked.extend(self.not_checked.iter().cloned());
        }
        if let Some(timing) = &bench.timing {
            not_checked.extend(timing.not_checked.iter().cloned());
        }
        let mut seen = std::collections::BTreeSet::new();
        not_checked.retain(|text| seen.insert(text.clone()));
        let differs = items.iter().any(|item| item.status == Status::Differs);
        let left_out = items.iter().any(|item| item.status == Status::NotChecked);
        let outcome = if differs || !kept.problems.is_empty() {
            Outcome::Disagrees
        } else if left_out || !not_checked.is_empty() {
            Outcome::Incomplete
        } else {
            Outcome::Agrees
        };
        Ok(CheckReport { outcome, items, roots, problems: kept.problems, legality, not_checked })
    }
}

fn is_timing(metric: &str) -> bool {
    ["wns", "tns", "violating_endpoints"].iter().any(|start| metric.starts_with(start))
}

/// The result at hand, with its timing once it has been asked for.
struct Bench<'a> {
    subject: &'a Subject<'a>,
    state: &'a State,
    legality: &'a Legality,
    timing: Option<Timing>,
    density: Option<Density>,
}

impl Bench<'_> {
    fn item(&mut self, claim: &MetricValue, not_checked: &mut Vec<String>) -> Item {
        let name = claim.metric.as_str();
        let mut item = Item {
            metric: claim.metric.clone(),
            corner: claim.corner.clone(),
            claimed: claim.value,
            recomputed: None,
            difference: None,
            tolerance: 0.0,
            status: Status::NotChecked,
        };
        let (found, unit) = self.find(name, claim.corner.as_deref());
        let value = match found {
            Found::Whole { units, per_value } => {
                let value = units as f64 / per_value;
                // Whole numbers must be met exactly; what is left is the rounding of the quotient.
                let claimed = claim.value * per_value;
                let rounding = 1e-3_f64.max(4.0 * f64::EPSILON * claimed.abs());
                let met = (claimed - units as f64).abs() <= rounding;
                item.status = if met { Status::Agrees } else { Status::Differs };
                value
            }
            Found::Real { value, tolerance } => {
                item.tolerance = tolerance;
                let met = (value - claim.value).abs() <= tolerance;
                item.status = if met { Status::Agrees } else { Status::Differs };
                value
            }
            Found::Not(why) => {
                not_checked.push(why);
                return item;
            }
        };
        item.recomputed = Some(value);
        item.difference = Some(value - claim.value);
        if claim.unit != unit {
            not_checked.push(format!("{name}: claimed in `{}`, not in `{unit}`", claim.unit));
            item.status = Status::Differs;
        }
        item
    }

    /// The value of a metric and its unit.
    fn find(&mut self, name: &str, corner: Option<&str>) -> (Found, &'static str) {
        let state = self.state;
        let count = |units: i64| (Found::Whole { units, per_value: 1.0 }, "1");
        let scale = f64::from(state.design.tech().dbu_per_micron);
        let ratio = |value: f64| {
            let tolerance = RATIO_RELATIVE * value.abs();
            (Found::Real { value, tolerance }, "1")
        };
        if let Some(rule) = name.strip_prefix("legality_")
            && let Some(rule) = Rule::ALL.into_iter().find(|known| known.name() == rule)
        {
            return count(self.legality.of_rule(rule));
        }
        match name {
            "hpwl" => {
                let units = wirelength::total(state);
                (Found::Whole { units, per_value: scale }, "um")
            }
            "area" => match i64::try_from(area::total(state)) {
                Ok(units) => (Found::Whole { units, per_value: scale * scale }, "um2"),
                Err(_) => (Found::Not("area: more than 2^63 DBU²".to_owned()), "um2"),
            },
            "legality_violations" => count(self.legality.movable()),
            "legality_fixed_violations" => count(self.legality.fixed()),
            "density_overflow" => ratio(self.density().overflow),
            "max_density" | "density_max" => ratio(self.density().max),
            "density_mean" => ratio(self.density().mean),
            "utilisation" => ratio(self.density().utilisation),
            "leakage" if corner.is_none() => {
                (Found::Whole { units: area::leakage(state), per_value: 1e6 }, "nW")
            }
            "congestion" => ratio(congestion::check(state)),
            _ if is_timing(name) => self.time(name, corner),
            _ => {
                let unit = known(name).map_or("1", |metric| metric.unit);
                (Found::Not(format!("{name}: this checker does not recompute it")), unit)
            }
        }
    }

    fn density(&mut self) -> Density {
        *self.density.get_or_insert_with(|| density::check(self.state))
    }

    fn time(&mut self, name: &str, corner: Option<&str>) -> (Found, &'static str) {
        let unit = if name.starts_with("violating") { "1" } else { "ns" };
        let Some(setting) = &self.subject.timing else {
            return (Found::Not(format!("{name}: no constraints to time with")), unit);
        };
        let state = self.state;
        let timing = self.timing.get_or_insert_with(|| timing::analyse(state, setting));
        let side = if name.ends_with("_hold") { 0 } else { 1 };
        let Some(totals) = timing.totals(corner, side) else {
            let corner = corner.unwrap_or("(all)");
            return (Found::Not(format!("{name}: corner `{corner}` was not timed")), unit);
        };
        let real = |value: f64| {
            let tolerance = TIME_TOLERANCE.max(TIME_RELATIVE * value.abs());
            (Found::Real { value, tolerance }, "ns")
        };
        match name {
            "wns" | "wns_setup" | "wns_hold" => real(totals.wns),
            "tns" | "tns_setup" | "tns_hold" => real(totals.tns),
            "violating_endpoints_setup" | "violating_endpoints_hold" => {
                // Endpoints within the tolerance of 0 may fall on either side.
                let value = totals.violating as f64;
                let unsure = totals.near_zero as f64;
                (Found::Real { value, tolerance: unsure }, "1")
            }
            _ => (Found::Not(format!("{name}: this checker does not recompute it")), unit),
        }
    }
}
