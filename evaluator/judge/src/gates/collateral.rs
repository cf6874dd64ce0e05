//! Nothing outside the dirty set changed: the difference of the two snapshots, found without the
//! dirty set, lies inside it.

use cellwright_contract::gate::{GateId, GateResult};
use cellwright_db::{Op, Owner};

use super::{Case, fail, pass, unknown};

pub(super) fn check(case: &Case<'_>, gates: &mut Vec<GateResult>) {
    let id = GateId::Collateral;
    let child = case.design.snapshot();
    let difference = match case.parent.diff(&child) {
        Ok(difference) => difference,
        Err(error) => {
            gates.push(unknown(id, error.to_string()));
            return;
        }
    };
    let dirty = case.dirty;
    let outside = difference.ops.iter().find(|op| {
        let inside = match op {
            Op::Move { cell, .. } | Op::Resize { cell, .. } => {
                dirty.cells.binary_search(cell).is_ok()
            }
            Op::AddCell(new) | Op::RemoveCell(new) => dirty.cells.binary_search(&new.cell).is_ok(),
            Op::AddNet(new) | Op::RemoveNet(new) => dirty.nets.binary_search(&new.net).is_ok(),
            Op::Connect { pin, .. } => {
                let cell_known = match case.design.owner(*pin) {
                    Owner::Cell(cell, _) => dirty.cells.binary_search(&cell).is_ok(),
                    Owner::Port(_) => false,
                };
                dirty.pins.binary_search(pin).is_ok() || cell_known
            }
        };
        !inside
    });
    gates.push(match outside {
        Some(op) => fail(id, format!("outside the dirty set: {op:?}")),
        None => pass(id),
    });
}
