//! Half-perimeter wirelength, exact.
//!
//! Per net the width plus the height of the box around its located pins, DBU. Pins of placed cells
//! lie at the centre of their shapes, ports at their location; others have no location. Nets that
//! carry supplies or constants and nets with fewer than two located pins count 0.

use cellwright_db::NetId;

use crate::state::State;

/// The half-perimeter of one net, DBU.
pub fn of_net(state: &State, net: NetId) -> i64 {
    let pins = state.pins(net).iter().filter(|pin| state.is_placed(**pin));
    let points: Vec<(i64, i64)> = pins.filter_map(|pin| state.pin_point(*pin)).collect();
    let span = |of: fn(&(i64, i64)) -> i64| {
        let (low, high) = (points.iter().map(of).min(), points.iter().map(of).max());
        high.unwrap_or(0) - low.unwrap_or(0)
    };
    span(|point| point.0) + span(|point| point.1)
}

/// The half-perimeter wirelength of a design, DBU.
pub fn total(state: &State) -> i64 {
    let routed = |net: &NetId| state.design.net(*net).kind.is_routed();
    state.design.nets().filter(routed).map(|net| of_net(state, net)).sum()
}
