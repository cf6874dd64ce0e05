//! A start without one: the analytical stage, legalised in the way that costs less.

use crate::engine::{Engine, Move};
use crate::error::MacroError;
use crate::global::{Global, global};

/// Places all macros that may move by [`global`] and legalises the hard ones, once as by
/// [`Engine::legalize`] and once as by [`Engine::legalize_in_rows`]; the lower proxy cost stays.
///
/// # Errors
/// As [`Engine::legalize`].
pub fn analytical_start(engine: &mut Engine, seed: u64, gap: f64) -> Result<Global, MacroError> {
    let report = global(engine, seed)?;
    let bodies = 0..engine.model().bodies();
    let spread: Vec<Move> = bodies
        .filter(|body| engine.model().kind[*body] != crate::Kind::Port && !engine.is_fixed(*body))
        .map(|body| {
            let (x, y, orient) = engine.at(body);
            Move { body: body as u32, x, y, orient }
        })
        .collect();
    engine.legalize_in_rows(gap)?;
    let in_rows = engine.cost().proxy;
    let rows: Vec<Move> = spread
        .iter()
        .map(|step| {
            let (x, y, orient) = engine.at(step.body as usize);
            Move { body: step.body, x, y, orient }
        })
        .collect();
    engine.apply(&spread)?;
    engine.keep();
    engine.legalize(gap)?;
    // Where the published evaluator fails on one of them, the other stays.
    let plain = engine.cost().proxy;
    if in_rows < plain || (plain.is_nan() && in_rows.is_finite()) {
        engine.apply(&rows)?;
        engine.keep();
    }
    Ok(report)
}
