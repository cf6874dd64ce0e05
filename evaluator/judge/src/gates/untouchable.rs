//! Nothing fixed, `dont_touch` or on a supply net is changed.

use cellwright_contract::gate::{GateId, GateResult};
use cellwright_db::{CellId, NetId, Op, Owner};

use super::{Case, fail, pass};

pub(super) fn check(case: &Case<'_>, gates: &mut Vec<GateResult>) {
    let id = GateId::Untouchable;
    gates.push(match case.design.ops_since(case.mark).find_map(|op| touched(case, op)) {
        Some(evidence) => fail(id, evidence),
        None => pass(id),
    });
}

fn touched(case: &Case<'_>, op: &Op) -> Option<String> {
    let design = case.design;
    let kept = |cell: CellId| {
        let record = case.parent.cell(cell)?;
        record.dont_touch.then(|| format!("{cell:?} ({}) is dont_touch", design.cell_name(cell)))
    };
    match op {
        Op::Move { cell, from, .. } if from.is_fixed() => {
            Some(format!("{cell:?} ({}) is fixed", design.cell_name(*cell)))
        }
        Op::Move { cell, .. } | Op::Resize { cell, .. } => kept(*cell),
        Op::RemoveCell(old) if old.place.is_fixed() => {
            Some(format!("{:?} ({}) is fixed", old.cell, old.name))
        }
        Op::RemoveCell(old) => kept(old.cell),
        Op::Connect { pin, from, to } => {
            let cell = match design.owner(*pin) {
                Owner::Cell(cell, _) => kept(cell),
                Owner::Port(_) => None,
            };
            let net = |net: NetId| {
                let record = case.parent.net(net.some()?)?;
                let why = if record.dont_touch {
                    "dont_touch"
                } else if !record.kind.is_routed() {
                    "a supply or constant"
                } else {
                    return None;
                };
                Some(format!("{net:?} ({}) is {why}", case.parent.net_name(net)))
            };
            cell.or_else(|| net(*from)).or_else(|| net(*to))
        }
        Op::AddCell(_) | Op::AddNet(_) | Op::RemoveNet(_) => None,
    }
}
