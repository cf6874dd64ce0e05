//! Placing a few cells among many that stand still: new cells, or cells that something has
//! disturbed, as one move of an agent.

use cellwright_db::{CellId, Design};

use crate::config::{PlaceConfig, Stages};
use crate::error::PlaceError;
use crate::place::place;
use crate::problem::Problem;
use crate::report::{PlaceResult, Progress, Report};

/// Which way of placing the cells gave the shortest wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Nothing was to be done.
    Nothing,
    /// From where they stood, as they were legal already.
    FromLegal,
    /// Each at the legal place nearest to where it stood, or to what it connects to.
    Nearest,
    /// Spread anew among the others.
    Spread,
}

/// An incremental placement.
#[derive(Clone, Debug)]
pub struct IncrementalResult {
    /// Moves of the given cells only, and the report of the way that was taken.
    pub result: PlaceResult,
    /// The way.
    pub way: Way,
}

/// Cells from on which spreading them anew is tried too.
const MANY: usize = 8;

/// Places `cells` and no others: every other placed cell stays where it is, bit for bit. Where all
/// of them stood legally already, the weighted wire length is never longer than before; without
/// cells the delta is empty. `config.only` and `config.stages` are not looked at.
///
/// # Errors
/// See [`PlaceError`]: [`PlaceError::TooFull`] and [`PlaceError::Fragmented`] with the area numbers
/// when the gaps between the others do not take the cells.
pub fn place_incremental(
    design: &Design,
    cells: &[CellId],
    config: &PlaceConfig,
    progress: &mut dyn Progress,
) -> Result<IncrementalResult, PlaceError> {
    let base = PlaceConfig { only: Some(cells.to_vec()), ..config.clone() };
    let stages = |global: bool, legalize: bool| Stages { global, legalize, detailed: true };
    let with = |stages: Stages| PlaceConfig { stages, ..base.clone() };
    if cells.is_empty() {
        let report = Report {
            cells: 0,
            utilisation: 0.0,
            density: 0.0,
            stages: Vec::new(),
            notes: Vec::new(),
        };
        let result = PlaceResult { delta: cellwright_db::Delta::default(), report };
        return Ok(IncrementalResult { result, way: Way::Nothing });
    }
    let mut best: Option<(f64, IncrementalResult)> = None;
    let mut failed = None;
    let mut ways = vec![(Way::Nearest, stages(false, true))];
    if cells.iter().all(|cell| design.has_cell(*cell) && design.place(*cell).is_placed()) {
        ways.insert(0, (Way::FromLegal, stages(false, false)));
    }
    if cells.len() >= MANY {
        ways.push((Way::Spread, stages(true, true)));
    }
    for (way, stages) in ways {
        match place(design, &with(stages), progress) {
            Ok(result) => {
                let length = weighted(design, &base, &result)?;
                if best.as_ref().is_none_or(|best| length < best.0) {
                    best = Some((length, IncrementalResult { result, way }));
                }
            }
            Err(PlaceError::Cancelled) => return Err(PlaceError::Cancelled),
            // Not legal as it stands: the other ways say what is.
            Err(PlaceError::NotLegal { .. }) if way == Way::FromLegal => {}
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    match (best, failed) {
        (Some((_, found)), _) => Ok(found),
        (None, Some(error)) => Err(error),
        (None, None) => Err(PlaceError::Cancelled),
    }
}

/// Weighted wire length after the moves, DBU.
fn weighted(
    design: &Design,
    config: &PlaceConfig,
    result: &PlaceResult,
) -> Result<f64, PlaceError> {
    let mut moved = design.clone();
    let refused = |error: &dyn std::fmt::Display| PlaceError::Setting {
        what: format!("the design refuses the moves: {error}"),
    };
    moved.apply(&result.delta).map_err(|error| refused(&error))?;
    let problem = Problem::new(&moved, config);
    let n = &problem.nodes;
    let mut total = problem.nets.still as f64;
    for net in 0..problem.nets.len() {
        let (mut lo, mut hi) = ([i32::MAX; 2], [i32::MIN; 2]);
        for pin in problem.nets.pins(net) {
            let at = match problem.nets.node[pin] {
                crate::problem::NONE => problem.nets.at[pin],
                node => problem.pin_at(pin, n.start[node as usize], n.orient[node as usize]),
            };
            lo = [lo[0].min(at.x), lo[1].min(at.y)];
            hi = [hi[0].max(at.x), hi[1].max(at.y)];
        }
        let length = f64::from(hi[0] - lo[0]) + f64::from(hi[1] - lo[1]);
        total += f64::from(problem.nets.weight[net]) * length;
    }
    Ok(total)
}
