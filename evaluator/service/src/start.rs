//! Starts a run: a copy of the design, the standard scenario or one from a file, a first placement.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cellwright_contract::agent::Agent;
use cellwright_contract::budget::{CostBudget, Effort};
use cellwright_contract::gate::GateId;
use cellwright_contract::goal::{GoalRef, GoalUnit, Goals};
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::{DesignRef, IntentRef, SnapshotRef};
use cellwright_contract::scenario::{AgentSpec, GateRule, Objective, SCENARIO_SCHEMA, Scenario};
use cellwright_db::{Design, Snapshot};
use cellwright_formats::bundle::Bundle;
use cellwright_formats::load::{FileRead, FileRole, Loaded, files_of};
use cellwright_judge::engines::EngineConfig;
use cellwright_judge::keys::SecretKey;
use cellwright_judge::run::{
    Limits, Observer, Plan, RunFolder, Summary, copy_bundle, proposal_of_delta, run,
};
use cellwright_judge::timing::TimingSetup;
use cellwright_place::{PlaceConfig, Progress, place};
use cellwright_sta::Calculator;

use crate::failure::Failure;
use crate::setup::{Ready, ready};

/// What a run is started with.
#[derive(Clone, Debug)]
pub struct Start {
    /// A `design.toml`, or the folder that holds one.
    pub design: PathBuf,
    /// The run directory; must be new or empty.
    pub out: PathBuf,
    /// Name of the agent, as the standard scenario records it.
    pub agent: AgentSpec,
    /// A scenario file (TOML or JSON) instead of the standard one.
    pub scenario: Option<PathBuf>,
    /// Most wall time for the agent.
    pub wall: Option<Duration>,
    /// Most proposals.
    pub proposals: Option<u64>,
    /// Most work units: the same on every machine.
    pub work_units: Option<u64>,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether to place first, or start from the places that the DEF has.
    pub place: bool,
    /// Target density of the placer, 0 to 1.
    pub density: Option<f64>,
}

/// A design that was read before, to spare parsing its files again.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Everything that was read.
    pub loaded: &'a Loaded,
    /// Constraints and wires for [`Calculator::LumpedElmore`].
    pub timing: Option<&'a TimingSetup>,
    /// What is only estimated or missing, in words.
    pub notes: &'a [String],
}

/// What is worth telling while a run is made ready.
#[derive(Clone, Debug)]
pub enum Stage<'a> {
    /// Something is only estimated or missing.
    Note(&'a str),
    /// The design was read.
    Read(&'a DesignRef, Duration),
    /// The first placement was found.
    Placed(Duration),
}

/// What counts unless a scenario says otherwise: wire length, setup slack and area.
///
/// # Errors
/// None that a caller can cause.
pub fn standard_scenario(
    agent: &AgentSpec,
    seed: u64,
    work_units: Option<u64>,
    design: &DesignRef,
    timed: bool,
) -> Result<Scenario, Failure> {
    let objective = |metric: &str, weight: f64| Objective {
        metric: metric.to_owned(),
        direction: None,
        resolution: None,
        weight,
        reference: None,
    };
    let mut objectives = vec![objective("hpwl", 1.0)];
    let mut gates = Vec::new();
    if timed {
        objectives.push(objective("tns_setup", 1.0));
        objectives.push(objective("area", 0.5));
        // Hold must not be paid for setup.
        gates.push(GateRule {
            gate: GateId::GuardsTnsHold,
            metric: None,
            tolerance: Some(0.01),
            unit: GoalUnit::Abs,
            reference: GoalRef::Baseline,
            limit: None,
            sample: None,
        });
    }
    Ok(Scenario {
        schema: SCENARIO_SCHEMA.to_owned(),
        name: "standard".to_owned(),
        description: "Shorter wires, better setup slack and less area, on a legal placement"
            .to_owned(),
        design: design.clone(),
        intent: IntentRef::new("ppa")?,
        objectives,
        gates,
        budget: CostBudget { work_units, ..Default::default() },
        effort: Effort::Standard,
        seeds: vec![seed],
        agent: agent.clone(),
    })
}

fn scenario(start: &Start, design: &DesignRef, timed: bool) -> Result<Scenario, Failure> {
    let Some(path) = &start.scenario else {
        return standard_scenario(&start.agent, start.seed, start.work_units, design, timed);
    };
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    let named =
        |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
    let fits = |scenario: Scenario| {
        if scenario.design == *design {
            return Ok(scenario);
        }
        Err(named(&format!("it is for {}, the design is {design}", scenario.design)))
    };
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    if is_json {
        return Scenario::from_json(&bytes).map_err(|error| named(&error)).and_then(fits);
    }
    let text = String::from_utf8(bytes).map_err(|error| named(&error))?;
    Scenario::from_toml(&text).map_err(|error| named(&error)).and_then(fits)
}

/// The placer's result as the first proposal of a run.
///
/// # Errors
/// When the design cannot be placed.
pub fn placement(
    start: &Start,
    snapshot: &Snapshot,
    scenario: &Scenario,
    progress: &mut dyn Progress,
    told: &mut dyn FnMut(Stage<'_>),
) -> Result<Option<Proposal>, Failure> {
    if !start.place {
        return Ok(None);
    }
    let design = Design::new(snapshot);
    let config = PlaceConfig { density: start.density, seed: start.seed, ..PlaceConfig::default() };
    let began = Instant::now();
    let placed = place(&design, &config, progress)?;
    told(Stage::Placed(began.elapsed()));
    let Some(delta) = proposal_of_delta(&design, &placed.delta) else {
        return Err(Failure::input("the placer changed the netlist, which it must not"));
    };
    Ok(Some(Proposal {
        id: "place-000001".to_owned(),
        intent_ref: scenario.intent.clone(),
        expected_delta: delta,
        expected_metrics: Goals::default(),
        rationale: Some("global placement, legalisation and detailed placement".to_owned()),
        parent_snap: SnapshotRef::Root(snapshot.root().0),
        confidence: None,
    }))
}

/// An agent for a scenario: `cellwright_agents::by_name`, or one of the caller's own.
pub type AgentFor<'a> = dyn FnMut(&Scenario) -> Result<Box<dyn Agent>, Failure> + 'a;

/// Runs an agent on a design and leaves a run directory.
///
/// # Errors
/// When input cannot be used or the run cannot go on. A folder in which nothing was judged is left
/// as empty as before.
pub fn start(
    start: &Start,
    given: Option<Given<'_>>,
    key: &SecretKey,
    agent: &mut AgentFor<'_>,
    observer: &mut dyn Observer,
    told: &mut dyn FnMut(Stage<'_>),
) -> Result<(RunFolder, Scenario, Summary), Failure> {
    let folder = RunFolder::create(&start.out)?;
    let result = start_in(start, given, &folder, key, agent, observer, told);
    if result.is_err() && !folder.journal().exists() {
        let _ = std::fs::remove_dir_all(folder.certificates());
        let _ = std::fs::remove_dir_all(folder.design());
    }
    result.map(|(scenario, summary)| (folder, scenario, summary))
}

/// The files of the run's copy, when the given design was read from the same bundle and contents.
fn same_files(given: &Given<'_>, bundle: &Bundle, copied: &Path) -> Result<Vec<FileRead>, Failure> {
    let known = &given.loaded.bundle;
    let here = Bundle { folder: known.folder.clone(), file: known.file.clone(), ..bundle.clone() };
    let files = files_of(&Bundle::read(copied)?)?;
    // The copied bundle names the copies, so its own text is another one.
    let content = |files: &[FileRead]| -> Vec<(FileRole, [u8; 32])> {
        let read = files.iter().filter(|file| file.role != FileRole::Bundle);
        read.map(|file| (file.role, file.digest)).collect()
    };
    if here != *known || content(&files) != content(&given.loaded.files) {
        let text = "INPUT_CHANGED the given design was read from other files; load it anew";
        return Err(Failure::input(text));
    }
    Ok(files)
}

fn start_in(
    start: &Start,
    given: Option<Given<'_>>,
    folder: &RunFolder,
    key: &SecretKey,
    agent: &mut AgentFor<'_>,
    observer: &mut dyn Observer,
    told: &mut dyn FnMut(Stage<'_>),
) -> Result<(Scenario, Summary), Failure> {
    let began = Instant::now();
    // The run works on its own copy, so that it can be replayed and verified anywhere.
    let bundle = Bundle::read(&start.design)?;
    let copied = copy_bundle(&bundle, &folder.design())?;
    let read;
    let (loaded, files, config, notes) = match given {
        Some(given) => {
            let files = same_files(&given, &bundle, &copied)?;
            let config = EngineConfig::standard(given.timing.cloned());
            (given.loaded, files, config, given.notes)
        }
        None => {
            read = ready(&copied, Calculator::LumpedElmore)?;
            let Ready { loaded, config, notes } = &read;
            (loaded, loaded.files.clone(), config.clone(), notes.as_slice())
        }
    };
    for note in notes {
        told(Stage::Note(note));
    }
    let design_ref = DesignRef::new(&loaded.bundle.name, &loaded.bundle.tech)?;
    let scenario = scenario(start, &design_ref, config.timing.is_some())?;
    told(Stage::Read(&design_ref, began.elapsed()));
    // A scenario file brings its own seeds; a run takes the first.
    let seed = scenario.seeds.first().copied().unwrap_or(start.seed);
    let first = placement(start, &loaded.snapshot, &scenario, &mut (), told)?;
    let mut agent = agent(&scenario)?;
    let plan = Plan {
        snapshot: &loaded.snapshot,
        files: &files,
        scenario: scenario.clone(),
        config,
        first: first.into_iter().collect(),
        limits: Limits { proposals: start.proposals, wall: start.wall },
        seed,
        not_proven: notes.to_vec(),
    };
    let summary = run(plan, folder, key, agent.as_mut(), observer)?;
    Ok((scenario, summary))
}
