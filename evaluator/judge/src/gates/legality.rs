//! The child is legal: no violation that involves a movable cell, and none more among fixed ones.

use cellwright_contract::gate::{GateId, GateResult};
use cellwright_measure::Rule;

use super::{Case, fail, measured, pass};

/// Which part of the gate a rule belongs to.
fn part(rule: Rule) -> GateId {
    match rule {
        Rule::Unplaced | Rule::NoOutline | Rule::OutsideDie => GateId::LegalityArea,
        Rule::OffRow | Rule::OffSite => GateId::LegalityRowSite,
        Rule::Orientation | Rule::Rail => GateId::LegalityOrientation,
        Rule::Overlap => GateId::LegalityOverlap,
        Rule::Blockage | Rule::PartialBlockage => GateId::LegalityBlockage,
        Rule::Halo => GateId::LegalityHalo,
        Rule::FenceMember | Rule::FenceStranger => GateId::LegalityRegion,
        Rule::EdgeSpacing => GateId::LegalityEdgeSpacing,
    }
}

pub(super) fn check(case: &Case<'_>, gates: &mut Vec<GateResult>) {
    let legality = case.engines.measures().legality();
    let counts = legality.counts();
    if counts.movable() == 0 && counts.fixed() <= case.fixed_violations {
        gates.push(measured(pass(GateId::Legality), 0.0, Some(0.0)));
        return;
    }
    // Name the first few that touch what the proposal changed; the counts say how many there are.
    for rule in Rule::ALL {
        let count = counts.of_rule(rule);
        if count == 0 {
            continue;
        }
        let culprits: Vec<String> = case
            .dirty
            .cells
            .iter()
            .filter(|cell| legality.broken_by(**cell).any(|broken| broken == rule))
            .take(4)
            .map(|cell| format!("{cell:?} ({})", case.design.cell_name(*cell)))
            .collect();
        let who = if culprits.is_empty() {
            "none of them by a cell of this proposal alone".to_owned()
        } else {
            format!("first at {}", culprits.join(", "))
        };
        let text = format!("{count} × {}; {who}", rule.name());
        gates.push(measured(fail(part(rule), text), count as f64, Some(0.0)));
    }
}
