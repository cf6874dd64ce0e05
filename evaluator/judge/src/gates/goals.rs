//! Hard goals are met; soft ones are reported.

use cellwright_contract::gate::{GateId, GateResult};
use cellwright_contract::goal::GoalRef;
use cellwright_contract::metric::known;

use super::{Case, fail, pass, unknown};
use crate::engines::value_of;

pub(super) fn check(case: &Case<'_>, gates: &mut Vec<GateResult>) {
    let id = GateId::Goals;
    let mut missed = Vec::new();
    let mut soft = Vec::new();
    let mut open = Vec::new();
    for (name, goal) in &case.proposal.expected_metrics.0 {
        let objective = case.scenario.objectives.iter().find(|objective| objective.metric == *name);
        let direction = objective
            .and_then(|objective| objective.direction())
            .or_else(|| known(name).map(|metric| metric.direction));
        let reference = match goal.reference {
            GoalRef::Parent => value_of(case.before, name),
            GoalRef::Baseline => value_of(case.baseline, name),
            GoalRef::Best => value_of(case.best, name).or_else(|| value_of(case.baseline, name)),
        };
        let (Some(direction), Some(value), Some(reference)) =
            (direction, value_of(case.after, name), reference)
        else {
            open.push(format!("{name} is not measured"));
            continue;
        };
        if let Some(doubt) = case.doubt(name) {
            open.push(doubt);
            continue;
        }
        if goal.met(direction, value, reference) {
            continue;
        }
        let text = format!("{name}: {reference} before, {value} after, asked {:?}", goal.op);
        if goal.hard { missed.push(text) } else { soft.push(text) }
    }
    gates.push(if !missed.is_empty() {
        fail(id, missed.join("; "))
    } else if !open.is_empty() {
        unknown(id, open.join("; "))
    } else {
        let mut result = pass(id);
        result.evidence = soft
            .iter()
            .map(|text| format!("soft goal missed: {text}"))
            .collect::<Vec<_>>()
            .join("; ");
        result
    });
}
