//! The whole flow on a design.

use std::time::Instant;

use cellwright_db::{CellId, Delta, Design};

use crate::config::{PlaceConfig, Stages};
use crate::error::PlaceError;
use crate::free::{check_area, overlap_note};
use crate::global::{Reweigh, Spread};
use crate::legal::Placement;
use crate::problem::Problem;
use crate::report::{
    Meter, Note, PlaceResult, Progress, Report, Stage, StageReport, StopReason, tell,
};
use crate::{detailed, global, legal};

/// Places the movable cells of a design and returns the moves.
///
/// Stages that are switched off pass on what they get: without global placement, legalisation
/// starts from where the cells stand (unplaced ones from the middle of their placed neighbours);
/// without legalisation, detailed placement needs a legal start. With global placement alone the
/// result is rounded to whole DBU and not legal.
///
/// Nothing to place is no error: the delta is empty.
///
/// # Errors
/// See [`PlaceError`]. The design is only read.
pub fn place(
    design: &Design,
    config: &PlaceConfig,
    progress: &mut dyn Progress,
) -> Result<PlaceResult, PlaceError> {
    // A pool of its own pins the number of threads; the caller's progress stays on this thread.
    if config.threads == 0 {
        return run(design, config, progress, &mut |_, _, _| None);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(config.threads).build();
    let pool = pool.map_err(|error| PlaceError::Setting {
        what: format!("{} threads cannot be started: {error}; ask for fewer", config.threads),
    })?;
    let (to_caller, events) = std::sync::mpsc::channel();
    let (answer, answers) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let mut relay = move |event: &crate::report::Event| {
                let sent = to_caller.send(*event).ok();
                sent.and_then(|()| answers.recv().ok()).unwrap_or(std::ops::ControlFlow::Break(()))
            };
            pool.install(|| run(design, config, &mut Sendable(&mut relay), &mut |_, _, _| None))
        });
        for event in events {
            if answer.send(progress.event(&event)).is_err() {
                break;
            }
        }
        worker.join().unwrap_or_else(|_| {
            Err(PlaceError::Setting { what: "a placement thread ended unexpectedly".to_owned() })
        })
    })
}

/// A progress that may cross threads.
struct Sendable<'a>(&'a mut (dyn FnMut(&crate::report::Event) -> std::ops::ControlFlow<()> + Send));

impl Progress for Sendable<'_> {
    fn event(&mut self, event: &crate::report::Event) -> std::ops::ControlFlow<()> {
        (self.0)(event)
    }
}

fn check(design: &Design, config: &PlaceConfig) -> Result<(), PlaceError> {
    if let Some(density) = config.density
        && !(density > 0.0 && density <= 1.0)
    {
        return Err(PlaceError::Setting {
            what: format!("target density {density} is not in 0..=1; give a part of the free area"),
        });
    }
    let unknown = config.only.iter().flatten().find(|cell| !design.has_cell(**cell));
    if let Some(cell) = unknown {
        return Err(PlaceError::Setting {
            what: format!("cell {cell:?} of `only` does not exist; name living cells"),
        });
    }
    Ok(())
}

/// Asked during global placement with the problem, the overflow and the places of the nodes; may
/// give new weights of the problem's nets.
pub(crate) type Watch<'a> =
    dyn FnMut(&Problem, f64, &dyn Fn() -> Placement) -> Option<Vec<f32>> + 'a;

pub(crate) fn run(
    design: &Design,
    config: &PlaceConfig,
    progress: &mut dyn Progress,
    watch: &mut Watch<'_>,
) -> Result<PlaceResult, PlaceError> {
    check(design, config)?;
    let mut problem = Problem::new(design, config);
    let mut notes = std::mem::take(&mut problem.notes);
    if problem.nodes.is_empty() {
        let report = Report { cells: 0, utilisation: 0.0, density: 0.0, stages: Vec::new(), notes };
        return Ok(PlaceResult { delta: Delta::default(), report });
    }
    notes.extend(overlap_note(&problem));
    let area = check_area(&problem).map_err(|error| named(design, error))?;
    let mut meter = Meter::new(config.limits);
    let orient = problem.nodes.orient.clone();
    let reweigh: &mut Reweigh<'_> = &mut |over, places| {
        watch(&problem, over, &|| Placement {
            at: rounded(&problem, &places()),
            orient: orient.clone(),
        })
    };
    let stages = stages(&problem, config, progress, &mut meter, &mut notes, reweigh);
    let (placement, stages, density) = stages.map_err(|error| named(design, error))?;
    let report = Report {
        cells: problem.nodes.len(),
        utilisation: area.utilisation(),
        density,
        stages,
        notes,
    };
    Ok(PlaceResult { delta: problem.delta(design, &placement.at, &placement.orient), report })
}

type Outcome = (Placement, Vec<StageReport>, f64);

fn stages(
    problem: &Problem,
    config: &PlaceConfig,
    progress: &mut dyn Progress,
    meter: &mut Meter,
    notes: &mut Vec<Note>,
    reweigh: &mut Reweigh<'_>,
) -> Result<Outcome, PlaceError> {
    let Stages { global: spread_first, legalize, detailed: refine } = config.stages;
    let mut placement = Placement::start(problem);
    let mut reports = Vec::new();
    let mut density = 0.0;
    let spread;
    if spread_first {
        let (start, work) = (Instant::now(), meter.work);
        let found = global::run(problem, config, progress, meter, reweigh)?;
        spread = found.spread;
        density = found.density;
        notes.extend(found.notes);
        let before = placement.clone();
        placement.at = rounded(problem, &spread);
        let mut report = report(problem, Stage::Global, &before, &placement, start);
        report.overflow = found.overflow;
        report.iterations = found.iterations;
        report.stop = found.stop;
        report.work_units = meter.work - work;
        reports.push(report);
    } else {
        spread = seeded(problem, &placement);
    }
    if legalize {
        let (start, work) = (Instant::now(), meter.work);
        let before = Placement { at: rounded(problem, &spread), orient: placement.orient.clone() };
        placement = legal::run(problem, &spread, progress, meter)?;
        if !refine {
            close_gaps(problem, &mut placement, notes)?;
        }
        let mut report = report(problem, Stage::Legalize, &before, &placement, start);
        report.iterations = 1;
        report.work_units = meter.work - work;
        tell(progress, event(&report))?;
        reports.push(report);
    }
    if refine {
        let (start, work) = (Instant::now(), meter.work);
        let found = detailed::run(problem, config, &placement, progress, meter)?;
        let before = std::mem::replace(&mut placement, found.placement);
        close_gaps(problem, &mut placement, notes)?;
        let mut report = report(problem, Stage::Detailed, &before, &placement, start);
        report.iterations = found.passes;
        report.stop = found.stop;
        report.work_units = meter.work - work;
        reports.push(report);
    }
    Ok((placement, reports, density))
}

/// Leaves no gap that no filler of the library fits, where there is such a gap.
fn close_gaps(
    problem: &Problem,
    placement: &mut Placement,
    notes: &mut Vec<Note>,
) -> Result<(), PlaceError> {
    if problem.sites.iter().any(|facts| facts.used && facts.wide_fillers) {
        let left = detailed::gaps::close(problem, placement)?;
        if left > 0 {
            notes.push(Note::NarrowGaps(left));
        }
    }
    Ok(())
}

fn event(report: &StageReport) -> crate::report::Event {
    crate::report::Event {
        stage: report.stage,
        iteration: report.iterations,
        hpwl: report.hpwl as f64,
        overflow: report.overflow,
        fraction: 1.0,
    }
}

/// Sweeps over unplaced nodes until those that hang on other unplaced ones know where to go.
const SWEEPS: usize = 4;

/// Nets with more pins say nothing about where one of them belongs.
const LONG: usize = 100;

/// Node centres where the nodes stand; unplaced ones in the middle of what they connect to, as far
/// as that has a place by then.
fn seeded(problem: &Problem, placement: &Placement) -> Spread {
    let n = &problem.nodes;
    let mut spread = placement.spread(problem);
    let middle = problem.core.center();
    let nets = &problem.nets;
    let mut known = n.placed.clone();
    let waiting: Vec<usize> = (0..n.len()).filter(|node| !known[*node]).collect();
    for &node in &waiting {
        (spread.x[node], spread.y[node]) = (f64::from(middle.x), f64::from(middle.y));
    }
    for _ in 0..SWEEPS {
        for &node in &waiting {
            let (mut xs, mut ys) = (Vec::new(), Vec::new());
            for &pin in nets.of_node(node) {
                let pins = nets.pins(nets.net_of[pin as usize] as usize);
                if pins.len() > LONG {
                    continue;
                }
                for other in pins {
                    let (x, y) = match nets.node[other] {
                        crate::problem::NONE => {
                            (f64::from(nets.at[other].x), f64::from(nets.at[other].y))
                        }
                        owner if owner as usize != node && known[owner as usize] => {
                            (spread.x[owner as usize], spread.y[owner as usize])
                        }
                        _ => continue,
                    };
                    xs.push(x);
                    ys.push(y);
                }
            }
            if xs.is_empty() {
                continue;
            }
            let mid = xs.len() / 2;
            spread.x[node] = *xs.select_nth_unstable_by(mid, f64::total_cmp).1;
            spread.y[node] = *ys.select_nth_unstable_by(mid, f64::total_cmp).1;
            known[node] = true;
        }
    }
    spread
}

fn rounded(problem: &Problem, spread: &Spread) -> Vec<cellwright_db::Point> {
    let n = &problem.nodes;
    let corner = |at: f64, size: i32| (at - f64::from(size) / 2.0).round() as i32;
    (0..n.len())
        .map(|i| {
            cellwright_db::Point::new(corner(spread.x[i], n.w[i]), corner(spread.y[i], n.h[i]))
        })
        .collect()
}

fn report(
    problem: &Problem,
    stage: Stage,
    before: &Placement,
    after: &Placement,
    start: Instant,
) -> StageReport {
    let moves = before.at.iter().zip(&after.at).map(|(a, b)| {
        (i64::from(a.x) - i64::from(b.x)).abs() + (i64::from(a.y) - i64::from(b.y)).abs()
    });
    StageReport {
        stage,
        hpwl: problem.hpwl(&after.at, &after.orient),
        overflow: 0.0,
        iterations: 0,
        displacement: moves.clone().sum(),
        max_displacement: moves.max().unwrap_or(0),
        wall: start.elapsed(),
        work_units: 0,
        stop: StopReason::Done,
    }
}

/// Puts names where the stages only know numbers.
fn named(design: &Design, error: PlaceError) -> PlaceError {
    let cell_of =
        |number: &str| number.parse::<u32>().map(CellId).ok().filter(|cell| design.has_cell(*cell));
    let name = |number: String| match cell_of(&number) {
        Some(cell) => design.cell_name(cell).to_owned(),
        None => number,
    };
    match error {
        PlaceError::NoRowFor { cell, height, .. } => {
            let (mut master, mut site) = (String::new(), String::new());
            if let Some(id) = cell_of(&cell) {
                let record = design.master(id);
                master.clone_from(&record.name);
                let found = record.site.and_then(|site| design.tech().sites.get(site));
                site = found.map_or("(none)".to_owned(), |site| site.name.clone());
            }
            PlaceError::NoRowFor { cell: name(cell), master, site, height }
        }
        PlaceError::Fragmented { left, cells, first, width, height, movable, free, percent } => {
            let first = name(first);
            PlaceError::Fragmented { left, cells, first, width, height, movable, free, percent }
        }
        PlaceError::MacroDoesNotFit { cell, width, height, placed, free } => {
            PlaceError::MacroDoesNotFit { cell: name(cell), width, height, placed, free }
        }
        PlaceError::NotLegal { count, first, why } => {
            PlaceError::NotLegal { count, first: name(first), why }
        }
        other => other,
    }
}
