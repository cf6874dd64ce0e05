//! Boolean functions by their truth tables.

use cellwright_db::Library;
use cellwright_db::MasterId;
use cellwright_db::logic::Expr;
use cellwright_db::timing::{Sequential, TimingCell};

/// Most variables of a truth table.
pub const MOST_VARIABLES: usize = 16;

/// The value of an expression.
pub fn value(expr: &Expr, of: &impl Fn(u32) -> bool) -> bool {
    match expr {
        Expr::Const(constant) => *constant,
        Expr::Var(variable) => of(*variable),
        Expr::Not(a) => !value(a, of),
        Expr::And(a, b) => value(a, of) && value(b, of),
        Expr::Or(a, b) => value(a, of) || value(b, of),
        Expr::Xor(a, b) => value(a, of) != value(b, of),
    }
}

/// The value of an expression where some variables are unknown: known only when every way to fill
/// the unknown ones in gives the same. `None` also beyond [`MOST_VARIABLES`] unknown ones.
pub fn known_value(expr: &Expr, of: &impl Fn(u32) -> Option<bool>) -> Option<bool> {
    let mut free = variables(expr);
    free.retain(|variable| of(*variable).is_none());
    if free.len() > MOST_VARIABLES {
        return None;
    }
    let mut rows = (0..1_u32 << free.len()).map(|row| {
        value(expr, &|variable| of(variable).unwrap_or_else(|| bit(&free, variable, row)))
    });
    let first = rows.next()?;
    rows.all(|other| other == first).then_some(first)
}

/// The variables of an expression, ascending.
pub fn variables(expr: &Expr) -> Vec<u32> {
    let mut found = Vec::new();
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match expr {
            Expr::Const(_) => {}
            Expr::Var(variable) => found.push(*variable),
            Expr::Not(a) => open.push(a),
            Expr::And(a, b) | Expr::Or(a, b) | Expr::Xor(a, b) => open.extend([&**a, &**b]),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Bit of `variable` in a row of the truth table over `order`.
fn bit(order: &[u32], variable: u32, row: u32) -> bool {
    order.iter().position(|other| *other == variable).is_some_and(|at| row >> at & 1 == 1)
}

/// Whether two expressions are one function when each variable stands for the signal that `a_is`
/// and `b_is` give. `None` when there are too many signals for a truth table.
pub fn same_under(
    (a, a_is): (&Expr, &impl Fn(u32) -> u32),
    (b, b_is): (&Expr, &impl Fn(u32) -> u32),
) -> Option<bool> {
    let mut signals: Vec<u32> = variables(a).into_iter().map(a_is).collect();
    signals.extend(variables(b).into_iter().map(b_is));
    signals.sort_unstable();
    signals.dedup();
    if signals.len() > MOST_VARIABLES {
        return None;
    }
    Some((0..1_u32 << signals.len()).all(|row| {
        value(a, &|variable| bit(&signals, a_is(variable), row))
            == value(b, &|variable| bit(&signals, b_is(variable), row))
    }))
}

/// Whether one cell may stand for the other: the same pins, and each output, three-state condition
/// and state element the same function of them. `None` when nothing states it or a table would be
/// too large.
pub fn same_cells(library: &Library, a: MasterId, b: MasterId) -> Option<bool> {
    if a == b {
        return Some(true);
    }
    let pins = |master: MasterId| {
        library.masters[master].pins.iter().map(|pin| (&pin.name, pin.direction))
    };
    if !pins(a).eq(pins(b)) {
        return Some(false);
    }
    let (a, b) = (library.logic(a)?, library.logic(b)?);
    let stated = |cell: &TimingCell| cell.pins.iter().any(|pin| pin.function.is_some());
    if !stated(a) || !stated(b) {
        return None;
    }
    if a.clock_gate != b.clock_gate || a.sequentials.len() != b.sequentials.len() {
        return Some(false);
    }
    let of_pins = a
        .pins
        .iter()
        .zip(&b.pins)
        .flat_map(|(a, b)| [(&a.function, &b.function), (&a.three_state, &b.three_state)]);
    let of_states = a
        .sequentials
        .iter()
        .zip(&b.sequentials)
        .flat_map(|(a, b)| exprs(a).into_iter().zip(exprs(b)).collect::<Vec<_>>());
    let elements = a.sequentials.iter().zip(&b.sequentials);
    if elements.clone().any(|(a, b)| a.is_latch != b.is_latch || a.state != b.state) {
        return Some(false);
    }
    let mut all = Some(true);
    for pair in of_pins.chain(of_states) {
        match pair {
            (None, None) => {}
            (Some(a), Some(b)) => match same_under((a, &|v| v), (b, &|v| v)) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => all = None,
            },
            _ => return Some(false),
        }
    }
    all
}

/// The expressions of a state element, always in one order.
pub fn exprs(state: &Sequential) -> [&Option<Expr>; 4] {
    [&state.clock, &state.data, &state.clear, &state.preset]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(v: u32) -> Box<Expr> {
        Box::new(Expr::Var(v))
    }

    #[test]
    fn functions_compare_by_value_and_by_what_their_inputs_carry() {
        let and = Expr::And(var(0), var(1));
        let nor_of_nots =
            Expr::Not(Box::new(Expr::Or(Box::new(Expr::Not(var(0))), Box::new(Expr::Not(var(1))))));
        let same = |v: u32| v;
        assert_eq!(same_under((&and, &same), (&nor_of_nots, &same)), Some(true));
        let one_and_not = Expr::And(var(0), Box::new(Expr::Not(var(1))));
        assert_eq!(same_under((&one_and_not, &same), (&one_and_not, &|v| 1 - v)), Some(false));
        assert_eq!(same_under((&and, &same), (&and, &|v| 1 - v)), Some(true));
    }

    #[test]
    fn a_value_is_known_when_the_unknown_ones_do_not_matter() {
        let or_not = Expr::Or(var(0), Box::new(Expr::Not(var(0))));
        assert_eq!(known_value(&or_not, &|_| None), Some(true));
        let and = Expr::And(var(0), var(1));
        assert_eq!(known_value(&and, &|v| (v == 0).then_some(false)), Some(false));
        assert_eq!(known_value(&and, &|v| (v == 0).then_some(true)), None);
    }
}
