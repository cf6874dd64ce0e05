//! `cellwright place`: global placement, legalisation, detailed placement, of a bundle, of LEF and DEF
//! files named one by one, or of a Bookshelf case.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use cellwright_db::Design;
use cellwright_formats::bookshelf::read_design;
use cellwright_formats::bundle::{Bundle, CornerFiles};
use cellwright_formats::save::write_def;
use cellwright_formats::text::Problems;
use cellwright_measure::{Hpwl, HpwlConfig, Legality, LegalityConfig, Metric};
use cellwright_place::{
    Crowding, Effort, PlaceConfig, PlaceResult, Routed, SetupSlack, Stages, Timed, place,
    place_routed, place_timed,
};
use cellwright_sta::Calculator;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::answer::{Answer, answered};
use crate::events;
use crate::failure::Failure;
use crate::picture;
use crate::setup::ready_of;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Only {
    /// Spread the cells, not legal.
    Global,
    /// Put every cell on the legal place nearest to where it stands.
    Legalize,
    /// Improve a legal placement.
    Detailed,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Work {
    /// Fewer passes.
    Quick,
    /// The default.
    Standard,
    /// More passes.
    High,
}

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A design.toml, or the folder that holds one; or name the files below.
    #[arg(conflicts_with_all = ["lef", "def", "liberty", "sdc"])]
    design: Option<PathBuf>,
    /// LEF files, technology first.
    #[arg(long, num_args = 1.., value_name = "FILE", requires = "def")]
    lef: Vec<PathBuf>,
    /// The DEF with floorplan and netlist.
    #[arg(long, value_name = "FILE", requires = "lef")]
    def: Option<PathBuf>,
    /// Liberty files, for --timing-driven.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    liberty: Vec<PathBuf>,
    /// Constraints, for --timing-driven.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    sdc: Vec<PathBuf>,
    /// The .aux file of a Bookshelf case; the outcome is a .pl file.
    #[arg(long, value_name = "AUX", conflicts_with_all = ["design", "lef", "timing_driven"])]
    bookshelf: Option<PathBuf>,
    /// Where the placed DEF or, of Bookshelf, the .pl goes.
    #[arg(long)]
    out: PathBuf,
    /// A picture of the placement.
    #[arg(long)]
    svg: Option<PathBuf>,
    /// The same as pixels.
    #[arg(long)]
    png: Option<PathBuf>,
    /// Target density, 0 to 1.
    #[arg(long)]
    density: Option<f64>,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How much work to spend.
    #[arg(long, value_enum, default_value = "standard")]
    effort: Work,
    /// Run one stage only.
    #[arg(long, value_enum)]
    only: Option<Only>,
    /// Make nets of late paths short; never gives later ones than without.
    #[arg(long, conflicts_with = "only")]
    timing_driven: bool,
    /// Leave room where wire is expected to exceed the tracks; never gives more such wire than without.
    #[arg(long, conflicts_with_all = ["only", "timing_driven"])]
    routability: bool,
    /// Threads; 0 takes all. The result does not depend on it.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Write the result as JSON to this file, `-` for standard output.
    #[arg(long, value_name = "OUT", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
}

impl Arguments {
    fn config(&self) -> PlaceConfig {
        let stage = |global, legalize, detailed| Stages { global, legalize, detailed };
        PlaceConfig {
            density: self.density,
            seed: self.seed,
            effort: match self.effort {
                Work::Quick => Effort::Quick,
                Work::Standard => Effort::Standard,
                Work::High => Effort::High,
            },
            stages: match self.only {
                None => Stages::default(),
                Some(Only::Global) => stage(true, false, false),
                Some(Only::Legalize) => stage(false, true, false),
                Some(Only::Detailed) => stage(false, false, true),
            },
            threads: self.threads,
            ..PlaceConfig::default()
        }
    }

    /// The bundle that is named, or that the files named one by one make.
    fn bundle(&self) -> Result<Bundle, Failure> {
        if let Some(path) = &self.design {
            return Ok(Bundle::read(path)?);
        }
        let Some(def) = &self.def else {
            return Err(Failure::input(
                "name a bundle, LEF and DEF files with --lef and --def, or --bookshelf",
            ));
        };
        let corner = CornerFiles {
            name: "default".to_owned(),
            liberty: self.liberty.clone(),
            ..CornerFiles::default()
        };
        Ok(Bundle {
            name: def.file_stem().map_or("design".into(), |name| name.to_string_lossy().into()),
            tech: "files".to_owned(),
            lef: self.lef.clone(),
            def: Some(def.clone()),
            sdc: self.sdc.clone(),
            corner: if self.liberty.is_empty() { vec![] } else { vec![corner] },
            ..Bundle::default()
        })
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let answer = Answer::new("cw.place").claims("placement-legal", "legal", json!(true));
    answered(answer, arguments.json.as_deref(), |answer| of_files(arguments, answer))
}

fn of_files(arguments: &Arguments, answer: &mut Answer) -> Result<(ExitCode, Value), Failure> {
    if let Some(aux) = &arguments.bookshelf {
        return of_bookshelf(arguments, aux, answer);
    }
    let ready = ready_of(arguments.bundle()?, Calculator::DmpCeffElmore)?;
    answer.read(&ready.loaded.files);
    let mut design = Design::new(&ready.loaded.snapshot);
    let clock = Clock::start();
    let (placed, driven) = match &ready.config.timing {
        _ if !arguments.timing_driven => placed(arguments, &design, arguments.config(), answer)?,
        None => {
            return Err(Failure::input(
                "--timing-driven needs libraries and constraints: --liberty and --sdc, or a bundle that names them",
            ));
        }
        Some(setup) => {
            let timed = Timed::new(setup.constraints.clone(), setup.config.clone());
            timing_driven(&design, &arguments.config(), &timed)?
        }
    };
    let spent = clock.stop();
    design.apply(&placed.delta)?;
    let value = report(arguments, &design, &placed, driven, spent, answer)?;
    write_def(&ready.loaded, &design, &arguments.out)?;
    answer.wrote("def", &arguments.out);
    finish(arguments, &design, value, answer)
}

fn of_bookshelf(
    arguments: &Arguments,
    aux: &Path,
    answer: &mut Answer,
) -> Result<(ExitCode, Value), Failure> {
    let mut problems = Problems::new();
    let case = read_design(aux, &mut problems)?;
    for source in &case.sources {
        answer.read_text(Path::new(source.name()), source.bytes());
    }
    for problem in problems.iter() {
        answer.warn(problem);
        if speaks(arguments) {
            say!("{problem}");
        }
    }
    let mut design = Design::new(&case.snapshot);
    let config = PlaceConfig { net_weights: case.net_weights.clone(), ..arguments.config() };
    let clock = Clock::start();
    let (placed, driven) = placed(arguments, &design, config, answer)?;
    let spent = clock.stop();
    design.apply(&placed.delta)?;
    let value = report(arguments, &design, &placed, driven, spent, answer)?;
    std::fs::write(&arguments.out, case.write_pl(&design))?;
    answer.wrote("pl", &arguments.out);
    finish(arguments, &design, value, answer)
}

/// Tells each sign of life as an event.
fn heard(design: &Design) -> impl FnMut(&cellwright_place::Event) -> ControlFlow<()> + use<> {
    let per_um = 1.0 / f64::from(design.tech().dbu_per_micron);
    move |event| {
        let text = format!(
            "HPWL {:.1} µm, overflow {:.4}, {:.0} % done",
            event.hpwl * per_um,
            event.overflow,
            100.0 * event.fraction
        );
        events::progress("cw.place", event.stage.name(), u64::from(event.iteration), text);
        ControlFlow::Continue(())
    }
}

/// What a mode has to say of itself: its name and figures.
type Driven = Option<(&'static str, Value)>;

/// The placement for wire length or, where that is asked for, for routability.
fn placed(
    arguments: &Arguments,
    design: &Design,
    config: PlaceConfig,
    answer: &mut Answer,
) -> Result<(PlaceResult, Driven), Failure> {
    if !arguments.routability {
        return Ok((place(design, &config, &mut heard(design))?, None));
    }
    let found = place_routed(design, &config, &Routed::default(), &mut heard(design))?;
    if !found.has_tracks {
        answer.warn("the design has no routing tracks, so there was nothing to leave room for");
    }
    let crowding =
        |crowding: Crowding| json!({"overflow": crowding.overflow, "peak_usage": crowding.peak});
    let told = json!({
        "without": crowding(found.plain),
        "with": crowding(found.crowding),
        "driven": found.driven,
        "rounds": found.rounds,
        "inflated_cells": found.inflated,
    });
    Ok((found.result, Some(("routability", told))))
}

fn timing_driven(
    design: &Design,
    config: &PlaceConfig,
    timed: &Timed,
) -> Result<(PlaceResult, Driven), Failure> {
    let found = place_timed(design, config, timed, &mut heard(design))?;
    let slack = |slack: SetupSlack| json!({"wns_ns": slack.wns, "tns_ns": slack.tns});
    let told = json!({
        "without": slack(found.plain),
        "with": slack(found.slack),
        "driven": found.driven,
        "timer_runs": found.asked,
        "weighed_nets": found.weighed,
    });
    Ok((found.result, Some(("timing", told))))
}

/// Whether lines for people go to standard output.
fn speaks(arguments: &Arguments) -> bool {
    arguments.json.as_deref().is_none_or(|out| out.as_os_str() != "-")
}

/// The lines for people and the value for `--json`.
fn report(
    arguments: &Arguments,
    design: &Design,
    placed: &PlaceResult,
    driven: Driven,
    (wall, cpu): (f64, Option<f64>),
    answer: &mut Answer,
) -> Result<Value, Failure> {
    let report = &placed.report;
    let um = |dbu: i64| design.tech().microns(dbu);
    let stages: Vec<Value> = report
        .stages
        .iter()
        .map(|stage| {
            json!({
                "stage": stage.stage.name(),
                "hpwl_um": um(stage.hpwl),
                "overflow": stage.overflow,
                "iterations": stage.iterations,
                "mean_displacement_um": um(stage.displacement) / report.cells.max(1) as f64,
                "max_displacement_um": um(stage.max_displacement),
                "wall_s": stage.wall.as_secs_f64(),
                "work_units": stage.work_units,
                "stop": format!("{:?}", stage.stop),
            })
        })
        .collect();
    let wire = Hpwl::full(design, HpwlConfig::default()).total().length;
    let legality = Legality::full(design, LegalityConfig::default());
    let (movable, fixed) = (legality.counts().movable(), legality.counts().fixed());
    let shown = if movable + fixed > 0 { legality.violations(design, 20)? } else { Vec::new() };
    let named = |violation: &cellwright_measure::Violation| {
        let cells: Vec<&str> =
            violation.cells.iter().take(4).map(|cell| design.cell_name(*cell)).collect();
        format!("{} ({}): {}", violation.rule.name(), cells.join(", "), violation.text)
    };
    for note in &report.notes {
        answer.warn(format!("{note:?}"));
    }
    if speaks(arguments) {
        let cpu = cpu.map_or(String::new(), |cpu| format!(", {cpu:.2} s of processor time"));
        say!("placed {} cells in {wall:.2} s{cpu}", placed.delta.ops.len());
        for stage in &report.stages {
            say!(
                "  {}: HPWL {:.1} µm, overflow {:.4}, {} iterations, mean displacement {:.3} µm, {:.2} s, {:?}",
                stage.stage.name(),
                um(stage.hpwl),
                stage.overflow,
                stage.iterations,
                um(stage.displacement) / report.cells.max(1) as f64,
                stage.wall.as_secs_f64(),
                stage.stop,
            );
        }
        if let Some((mode, told)) = &driven {
            say!("  {mode}: {told}");
        }
        say!("HPWL {:.1} µm", um(wire));
        say!("{movable} violations of movable cells, {fixed} among fixed ones");
        for violation in &shown {
            say!("  {}", named(violation));
        }
    }
    let mut value = json!({
        "cells": report.cells,
        "utilisation": report.utilisation,
        "target_density": report.density,
        "stages": stages,
        "hpwl_um": um(wire),
        "legal": movable == 0,
        "violations": movable,
        "violations_of_fixed": fixed,
        "first_violations": shown.iter().map(named).collect::<Vec<_>>(),
        "timing": null,
        "routability": null,
        "wall_s": wall,
        "cpu_s": cpu,
    });
    if let Some((mode, told)) = driven {
        value[mode] = told;
    }
    Ok(value)
}

fn finish(
    arguments: &Arguments,
    design: &Design,
    value: Value,
    answer: &mut Answer,
) -> Result<(ExitCode, Value), Failure> {
    if speaks(arguments) {
        say!("wrote {}", arguments.out.display());
    }
    if let Some(path) = &arguments.svg {
        std::fs::write(path, picture::svg(design, 900, &|_| None))?;
        answer.wrote("picture", path);
        if speaks(arguments) {
            say!("wrote {}", path.display());
        }
    }
    if let Some(path) = &arguments.png {
        std::fs::write(path, picture::png(design, 900)?)?;
        answer.wrote("picture", path);
        if speaks(arguments) {
            say!("wrote {}", path.display());
        }
    }
    // A global placement is not meant to be legal.
    let meant = !matches!(arguments.only, Some(Only::Global));
    let illegal = value["legal"] == json!(false) && meant;
    Ok((ExitCode::from(u8::from(illegal)), value))
}

/// Wall and processor time of the work.
struct Clock {
    wall: Instant,
    cpu: Option<f64>,
}

impl Clock {
    fn start() -> Clock {
        Clock { wall: Instant::now(), cpu: cpu_seconds() }
    }
    fn stop(&self) -> (f64, Option<f64>) {
        let cpu = self.cpu.zip(cpu_seconds()).map(|(from, to)| to - from);
        (self.wall.elapsed().as_secs_f64(), cpu)
    }
}

/// Processor time of this process, user and system; `None` where the system does not tell in
/// `/proc`. Linux counts there in hundredths of a second (`USER_HZ`, proc(5)).
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the command in parentheses and may hold blanks.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}
