//! What a proposal declares of itself equals what is recomputed.

use cellwright_contract::delta::{TimingDelta, TimingMode, TimingScope};
use cellwright_contract::gate::{GateId, GateResult};
use cellwright_contract::metric::MetricValue;

use super::{Case, fail, pass, unknown};
use crate::translate;

/// Declared slacks may differ by this much, ns: they come from printed figures.
const SLACK_TOLERANCE: f64 = 1e-6;
/// Declared areas may differ by this much, µm²: they are sums of decimals.
const AREA_TOLERANCE: f64 = 1e-6;

pub(super) fn check(case: &Case<'_>, timing: bool, gates: &mut Vec<GateResult>) {
    let id = GateId::Claims;
    let delta = &case.proposal.expected_delta;
    if let Some(declared) = &delta.summary {
        let actual = translate::summary(case.design, case.mark, case.dirty);
        let wrong = declared.cells_affected != actual.cells_affected
            || declared.nets_affected != actual.nets_affected
            || (declared.area_delta - actual.area_delta).abs() > AREA_TOLERANCE;
        if wrong {
            gates.push(fail(id, format!("the summary says {declared:?}; recomputed {actual:?}")));
            return;
        }
    }
    for claim in &delta.timing_changes {
        if !timing {
            gates.push(unknown(id, "timing claims are not looked at with effort quick"));
            return;
        }
        if let Err(result) = timing_claim(case, claim) {
            gates.push(result);
            return;
        }
    }
    for claim in &delta.drc_changes {
        let known = claim.rule == "legality" && claim.layer.is_none();
        if !known {
            let text = format!("rule `{}` is not checked here", claim.rule);
            gates.push(unknown(id, text));
            return;
        }
        let now = crate::engines::value_of(case.after, "legality_violations").unwrap_or(0.0);
        let was = crate::engines::value_of(case.before, "legality_violations").unwrap_or(0.0);
        if claim.added as f64 - claim.removed as f64 != now - was {
            let text = format!(
                "declared {} added, {} removed; {was} before, {now} after",
                claim.added, claim.removed
            );
            gates.push(fail(id, text));
            return;
        }
    }
    gates.push(pass(id));
}

fn timing_claim(case: &Case<'_>, claim: &TimingDelta) -> Result<(), GateResult> {
    let id = GateId::Claims;
    let metric = match (claim.scope, claim.mode) {
        (TimingScope::Wns, TimingMode::Setup) => "wns_setup",
        (TimingScope::Wns, TimingMode::Hold) => "wns_hold",
        (TimingScope::Tns, TimingMode::Setup) => "tns_setup",
        (TimingScope::Tns, TimingMode::Hold) => "tns_hold",
        (TimingScope::Endpoint | TimingScope::Pin, _) => return pin_claim(case, claim),
    };
    let value = |metrics: &[MetricValue]| {
        let of_corner = |m: &&MetricValue| {
            m.metric == metric && m.corner.as_ref().is_none_or(|c| *c == claim.corner)
        };
        metrics.iter().find(of_corner).map(|m| m.value)
    };
    let (Some(was), Some(is)) = (value(case.before), value(case.after)) else {
        return Err(unknown(id, format!("there is no {metric} in corner `{}`", claim.corner)));
    };
    let near = |a: f64, b: f64| (a - b).abs() <= SLACK_TOLERANCE;
    if near(was, claim.before) && near(is, claim.after) {
        return Ok(());
    }
    let text =
        format!("{metric}: declared {} → {}; recomputed {was} → {is}", claim.before, claim.after);
    Err(fail(id, text))
}

/// Only the child's slack can be looked up here; a claim about a pin is held to its `after`.
fn pin_claim(case: &Case<'_>, claim: &TimingDelta) -> Result<(), GateResult> {
    let id = GateId::Claims;
    let Some(reference) = &claim.id else {
        return Err(fail(id, "a claim about a pin or an endpoint names it"));
    };
    let pin =
        translate::pin(case.design, reference).map_err(|error| fail(id, error.to_string()))?;
    let Some(timing) = case.engines.timing() else {
        return Err(unknown(id, "the design has no timing"));
    };
    match timing.slack(pin, claim.mode) {
        Some(slack) if (slack - claim.after).abs() <= SLACK_TOLERANCE => Ok(()),
        Some(slack) => Err(fail(
            id,
            format!("{reference}: declared {} after; recomputed {slack}", claim.after),
        )),
        None => Err(fail(id, format!("{reference} is not constrained"))),
    }
}
