//! The scenario's tolerances on figures that nobody optimises.

use cellwright_contract::gate::{GateId, GateResult};
use cellwright_contract::goal::{GoalRef, GoalUnit};
use cellwright_contract::metric::{Direction, known};
use cellwright_contract::scenario::GateRule;

use super::{Case, fail, measured, pass, unknown};
use crate::engines::value_of;

/// The figure that a guard looks at.
fn metric_of(rule: &GateRule) -> Option<&str> {
    match rule.gate {
        GateId::GuardsWnsSetup => Some("wns_setup"),
        GateId::GuardsTnsSetup => Some("tns_setup"),
        GateId::GuardsWnsHold => Some("wns_hold"),
        GateId::GuardsTnsHold => Some("tns_hold"),
        GateId::GuardsMaxSlew => Some("max_slew_violations"),
        GateId::GuardsMaxCap => Some("max_cap_violations"),
        GateId::GuardsMaxFanout => Some("max_fanout_violations"),
        GateId::GuardsDensity => Some("max_density"),
        GateId::GuardsCongestion => Some("congestion"),
        GateId::GuardsMetric => rule.metric.as_deref(),
        _ => None,
    }
}

pub(super) fn check(case: &Case<'_>, gates: &mut Vec<GateResult>) {
    for rule in &case.scenario.gates {
        if let Some(metric) = metric_of(rule) {
            gates.push(guard(case, rule, metric));
        }
    }
}

fn guard(case: &Case<'_>, rule: &GateRule, metric: &str) -> GateResult {
    let id = rule.gate;
    if let Some(doubt) = case.doubt(metric) {
        return unknown(id, doubt);
    }
    let Some(value) = value_of(case.after, metric) else {
        return unknown(id, format!("{metric} is not measured on this design with this effort"));
    };
    let objective = case.scenario.objectives.iter().find(|objective| objective.metric == metric);
    let direction = objective
        .and_then(|objective| objective.direction())
        .or_else(|| known(metric).map(|metric| metric.direction))
        .unwrap_or(Direction::Minimize);
    let worse = |a: f64, b: f64| match direction {
        Direction::Minimize => a - b,
        Direction::Maximize => b - a,
    };
    if let Some(limit) = rule.limit
        && worse(value, limit) > 0.0
    {
        let text = format!("{metric} is {value}, the scenario allows {limit}");
        return measured(fail(id, text), value, Some(limit));
    }
    if let Some(tolerance) = rule.tolerance.filter(|_| case.settled) {
        let reference = match rule.reference {
            GoalRef::Parent => value_of(case.before, metric),
            GoalRef::Baseline => value_of(case.baseline, metric),
            GoalRef::Best => {
                value_of(case.best, metric).or_else(|| value_of(case.baseline, metric))
            }
        };
        let Some(reference) = reference else {
            return unknown(id, format!("{metric} has no reference value"));
        };
        let slack = match rule.unit {
            GoalUnit::Abs => tolerance,
            GoalUnit::Pct => tolerance / 100.0 * reference.abs(),
        };
        let lost = worse(value, reference);
        if lost > slack {
            let text = format!("{metric} went from {reference} to {value}; tolerated is {slack}");
            return measured(fail(id, text), value, Some(reference));
        }
    }
    measured(pass(id), value, rule.limit)
}
