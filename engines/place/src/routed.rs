//! Routability-driven placement: cells that lie where the expected wire exceeds the tracks are made
//! larger for global placement, as in RePlAce and DREAMPlace, so that the next placement leaves room
//! there. Each round is placed to the end and measured; the one with the least wire without a track
//! is given back, and that is the plain placement where no round is better.

use cellwright_db::{Design, Point};
use cellwright_measure::{Congestion, CongestionConfig, Metric};

use crate::config::{PlaceConfig, Stages};
use crate::error::PlaceError;
use crate::place::place;
use crate::report::{PlaceResult, Progress};

/// Fullest that inflated cells may make the free area.
const FULL: f64 = 0.92;

/// How congestion is measured, and how far cells grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Routed {
    /// Bins and layers of the congestion map.
    pub map: CongestionConfig,
    /// Most rounds of inflation.
    pub rounds: u32,
    /// A cell in a bin whose wire is `u` times its tracks, `u` > 1, grows by `u` to this power.
    pub exponent: f64,
    /// Most growth in one round.
    pub step: f64,
    /// Most growth of a cell over all rounds.
    pub most: f64,
}

impl Default for Routed {
    /// Three rounds, squared use, at most twice the area per round and three times in all (the
    /// settings that OpenROAD documents).
    fn default() -> Self {
        let map = CongestionConfig::default();
        Routed { map, rounds: 3, exponent: 2.0, step: 2.0, most: 3.0 }
    }
}

/// Congestion of a placement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Crowding {
    /// Wire without a track over all wire.
    pub overflow: f64,
    /// Largest use of a bin's tracks, 1 where they just suffice.
    pub peak: f64,
    /// Wire without a track, DBU / [`cellwright_measure::congestion::UNIT`].
    pub excess: i128,
}

impl Crowding {
    fn of(map: &Congestion) -> Crowding {
        Crowding { overflow: map.overflow(), peak: map.peak(), excess: map.overflow_exact().0 }
    }
}

/// A routability-driven placement.
#[derive(Clone, Debug)]
pub struct RoutedResult {
    /// The placement that is given back.
    pub result: PlaceResult,
    /// Its congestion.
    pub crowding: Crowding,
    /// Congestion of the placement for wire length alone.
    pub plain: Crowding,
    /// Whether `result` comes from a round of inflation.
    pub driven: bool,
    /// Rounds placed.
    pub rounds: u32,
    /// Cells that were larger than they are in the last round.
    pub inflated: usize,
    /// Whether the design has tracks at all; without, there is nothing to steer by.
    pub has_tracks: bool,
}

/// Places a design for routability. All stages run, whatever `config.stages` says.
///
/// # Errors
/// See [`PlaceError`].
pub fn place_routed(
    design: &Design,
    config: &PlaceConfig,
    routed: &Routed,
    progress: &mut dyn Progress,
) -> Result<RoutedResult, PlaceError> {
    let mut config = PlaceConfig { stages: Stages::default(), ..config.clone() };
    let plain = place(design, &config, progress)?;
    let mut now = design.clone();
    now.apply(&plain.delta).map_err(refused)?;
    let mut map = Congestion::full(&now, routed.map);
    let before = Crowding::of(&map);
    let utilisation = plain.report.utilisation;
    let mut found = RoutedResult {
        result: plain,
        crowding: before,
        plain: before,
        driven: false,
        rounds: 0,
        inflated: 0,
        has_tracks: (0..map.grid().len()).any(|bin| map.supply(bin) != [0, 0]),
    };
    if before.excess == 0 || !found.has_tracks {
        return Ok(found);
    }
    config.inflation.resize(design.cell_slots(), 1.0);
    let given = config.inflation.clone();
    for _ in 0..routed.rounds {
        found.inflated = inflate(&now, &map, routed, &given, utilisation, &mut config.inflation);
        if found.inflated == 0 {
            break;
        }
        found.rounds += 1;
        let next = place(design, &config, progress)?;
        now = design.clone();
        now.apply(&next.delta).map_err(refused)?;
        map = Congestion::full(&now, routed.map);
        let crowding = Crowding::of(&map);
        if crowding.excess >= found.crowding.excess {
            break;
        }
        (found.result, found.crowding, found.driven) = (next, crowding, true);
        if crowding.excess == 0 {
            break;
        }
    }
    Ok(found)
}

fn refused(error: impl std::fmt::Display) -> PlaceError {
    PlaceError::Setting { what: format!("the design refuses the moves: {error}") }
}

/// Grows the factors of cells in crowded bins, as far as the free area allows. Returns how many cells
/// are larger than given.
fn inflate(
    design: &Design,
    map: &Congestion,
    routed: &Routed,
    given: &[f32],
    utilisation: f64,
    factors: &mut [f32],
) -> usize {
    let (mut area, mut grown) = (0.0, 0.0);
    let mut inflated = 0;
    let grid = map.grid();
    if grid.is_empty() {
        return 0;
    }
    let (columns, lines) = (grid.columns(), grid.rows());
    // Edges of bins need not be evenly spaced in whole DBU.
    let right: Vec<i32> = (0..columns).map(|column| grid.bin(column).hi.x).collect();
    let top: Vec<i32> = (0..lines).map(|line| grid.bin(line * columns).hi.y).collect();
    let bin_at = |at: Point| {
        let column = right.partition_point(|edge| *edge <= at.x).min(columns - 1);
        top.partition_point(|edge| *edge <= at.y).min(lines - 1) * columns + column
    };
    for cell in design.cells() {
        let place = design.place(cell);
        let master = design.master(cell);
        let movable = place.is_placed() && !place.is_fixed() && master.site.is_some();
        if !movable {
            continue;
        }
        let usage = map.usage(bin_at(design.outline(cell).center()));
        let usage = usage.into_iter().fold(0.0, f64::max);
        let slot = cell.index();
        let (old, given) = (f64::from(factors[slot]), f64::from(given[slot]));
        let growth = usage.max(1.0).powf(routed.exponent).min(routed.step);
        let new = (old * growth).min(given * routed.most).max(old);
        factors[slot] = new as f32;
        area += master.area() as f64;
        grown += master.area() as f64 * new;
        inflated += usize::from(new > given);
    }
    // The free area bounds the whole: all growth shrinks alike when it does not fit.
    let room = area * (FULL / utilisation.max(1e-9)).max(1.0);
    if grown > room && grown > area {
        let part = (room - area) / (grown - area);
        for (factor, given) in factors.iter_mut().zip(given) {
            *factor = given + (*factor - given) * part as f32;
        }
    }
    inflated
}
