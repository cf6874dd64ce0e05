//! `cellwright run --design PATH`: place, let an agent work, leave a run directory.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cellwright_contract::budget::{CostBudget, Effort};
use cellwright_contract::gate::GateId;
use cellwright_contract::goal::{GoalRef, GoalUnit, Goals};
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::{DesignRef, IntentRef, SnapshotRef};
use cellwright_contract::scenario::{AgentSpec, GateRule, Objective, SCENARIO_SCHEMA, Scenario};
use cellwright_db::{Design, Snapshot};
use cellwright_judge::engines::value_of;
use cellwright_judge::run::{
    Limits, Plan, RunFolder, Summary, copy_bundle, proposal_of_delta, run as run_loop,
};
use cellwright_place::{PlaceConfig, place};
use cellwright_sta::Calculator;
use clap::Args;

use crate::failure::Failure;
use crate::progress::RunProgress;
use crate::setup::{Ready, ready};
use crate::table::{number, table};
use crate::{keys, picture};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A design.toml, or the folder that holds one.
    #[arg(long)]
    pub(crate) design: PathBuf,
    /// Where the run directory goes; must be new or empty.
    #[arg(long, default_value = "runs/run")]
    pub(crate) out: PathBuf,
    /// Who proposes: anneal or random.
    #[arg(long, default_value = "anneal")]
    pub(crate) agent: String,
    /// A scenario file (TOML or JSON) instead of the standard one.
    #[arg(long)]
    pub(crate) scenario: Option<PathBuf>,
    /// Most wall time for the agent, seconds.
    #[arg(long)]
    pub(crate) seconds: Option<u64>,
    /// Most proposals.
    #[arg(long)]
    pub(crate) proposals: Option<u64>,
    /// Most work units: the same on every machine.
    #[arg(long)]
    pub(crate) work_units: Option<u64>,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Start from the places that the DEF has.
    #[arg(long)]
    pub(crate) no_place: bool,
    /// Target density of the placer, 0 to 1.
    #[arg(long)]
    pub(crate) density: Option<f64>,
    /// Issuer's key; the user's own when not given.
    #[arg(long)]
    pub(crate) key: Option<PathBuf>,
}

/// What counts unless a scenario says otherwise: wire length, setup slack and area.
fn standard_scenario(
    arguments: &Arguments,
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
        budget: CostBudget { work_units: arguments.work_units, ..Default::default() },
        effort: Effort::Standard,
        seeds: vec![arguments.seed],
        agent: AgentSpec { name: arguments.agent.clone(), params: Default::default() },
    })
}

fn scenario(arguments: &Arguments, design: &DesignRef, timed: bool) -> Result<Scenario, Failure> {
    let Some(path) = &arguments.scenario else {
        return standard_scenario(arguments, design, timed);
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
fn placement(
    arguments: &Arguments,
    snapshot: &Snapshot,
    scenario: &Scenario,
) -> Result<Option<Proposal>, Failure> {
    if arguments.no_place {
        return Ok(None);
    }
    let design = Design::new(snapshot);
    let config =
        PlaceConfig { density: arguments.density, seed: arguments.seed, ..PlaceConfig::default() };
    let start = Instant::now();
    let placed = place(&design, &config, &mut ())?;
    eprintln!("placed in {:.1} s", start.elapsed().as_secs_f64());
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

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    // What can be refused without reading anything is refused first.
    cellwright_agents::by_name(&AgentSpec {
        name: arguments.agent.clone(),
        params: Default::default(),
    })?;
    let key = keys::signing(arguments.key.as_ref())?;
    let folder = RunFolder::create(&arguments.out)?;
    let result = run_in(arguments, &folder, &key);
    if result.is_err() && !folder.journal().exists() {
        // Nothing was judged yet: the folder is as empty as before, so that a corrected command
        // can use it.
        let _ = std::fs::remove_dir_all(folder.certificates());
        let _ = std::fs::remove_dir_all(folder.design());
    }
    result
}

fn run_in(
    arguments: &Arguments,
    folder: &RunFolder,
    key: &cellwright_judge::keys::SecretKey,
) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    // The run works on its own copy, so that it can be replayed and verified anywhere.
    let bundle = cellwright_formats::bundle::Bundle::read(&arguments.design)?;
    let copied = copy_bundle(&bundle, &folder.design())?;
    let Ready { loaded, config, notes } = ready(&copied, Calculator::LumpedElmore)?;
    for note in &notes {
        eprintln!("note: {note}");
    }
    let design_ref = DesignRef::new(&loaded.bundle.name, &loaded.bundle.tech)?;
    let scenario = scenario(arguments, &design_ref, config.timing.is_some())?;
    eprintln!("read {design_ref} in {:.1} s", start.elapsed().as_secs_f64());
    // A scenario file brings its own seeds; a run takes the first.
    let seed = scenario.seeds.first().copied().unwrap_or(arguments.seed);
    let first = placement(arguments, &loaded.snapshot, &scenario)?;
    let mut agent = cellwright_agents::by_name(&scenario.agent)?;
    let wall = arguments.seconds.map(Duration::from_secs);
    let mut progress = RunProgress::new(wall);
    let plan = Plan {
        snapshot: &loaded.snapshot,
        files: &loaded.files,
        scenario: scenario.clone(),
        config,
        first: first.into_iter().collect(),
        limits: Limits { proposals: arguments.proposals, wall },
        seed,
        not_proven: notes,
    };
    let summary = run_loop(plan, folder, key, agent.as_mut(), &mut progress)?;
    progress.finish();
    pictures(folder, &summary)?;
    report(folder, &scenario, &summary);
    let code = summary.verdict.exit_code(1.0);
    Ok(ExitCode::from(code))
}

fn pictures(folder: &RunFolder, summary: &Summary) -> Result<(), Failure> {
    for (name, snapshot) in [("layout_start.svg", &summary.start), ("layout.svg", &summary.end)] {
        let picture = picture::svg(&Design::new(snapshot), 900, &|_| None);
        folder.write(&folder.root().join(name), picture.as_bytes())?;
    }
    Ok(())
}

fn report(folder: &RunFolder, scenario: &Scenario, summary: &Summary) {
    say!(
        "{} proposals, {} accepted, {} evaluations, {} work units in {:.1} s; stopped: {:?}",
        summary.proposals,
        summary.accepted,
        summary.spent.evaluations.unwrap_or(0),
        summary.spent.work_units.unwrap_or(0),
        summary.elapsed.as_secs_f64(),
        summary.stop,
    );
    if let Some(error) = &summary.agent_error {
        say!("the agent failed: {error}");
    }
    let rows: Vec<Vec<String>> = summary
        .head
        .iter()
        .map(|metric| {
            let before = value_of(&summary.baseline, &metric.metric).unwrap_or(f64::NAN);
            let change = if before.abs() > 1e-12 {
                format!("{:+.2} %", (metric.value - before) / before.abs() * 100.0)
            } else {
                format!("{:+}", number(metric.value - before))
            };
            vec![
                metric.metric.clone(),
                metric.unit.clone(),
                number(before),
                number(metric.value),
                change,
            ]
        })
        .collect();
    put!(
        "\n{}",
        table(
            &["metric", "unit", "start", "end", "change"],
            &[false, false, true, true, true],
            &rows
        )
    );
    let mut header = vec!["Pareto front"];
    header.extend(scenario.objectives.iter().map(|objective| objective.metric.as_str()));
    let mut right = vec![false];
    right.resize(header.len(), true);
    let shown = summary.front.iter().take(12);
    let rows: Vec<Vec<String>> = shown
        .map(|(id, values)| {
            let best = summary.best.as_ref() == Some(id);
            let id = if best { format!("{id} (best)") } else { id.clone() };
            std::iter::once(id).chain(values.iter().map(|value| number(*value))).collect()
        })
        .collect();
    put!("\n{}", table(&header, &right, &rows));
    if summary.front.len() > 12 {
        say!("… and {} more", summary.front.len() - 12);
    }
    let (mutants, killed) = summary
        .kill_rates
        .iter()
        .fold((0, 0), |(mutants, killed), rate| (mutants + rate.mutants, killed + rate.killed));
    say!("\nnegative controls: {killed} of {mutants} mutants rejected");
    for survivor in &summary.survivors {
        say!("  NOT rejected: {survivor}");
    }
    say!("{} certificates in {}", summary.certificates.len(), folder.certificates().display());
    say!("layout: {}", folder.root().join("layout.svg").display());
    say!("run: {}", folder.root().display());
}
