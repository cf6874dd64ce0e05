//! `cellwright run --design PATH`: place, let an agent work, leave a run directory.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use cellwright_contract::scenario::{AgentSpec, Scenario};
use cellwright_db::Design;
use cellwright_judge::engines::value_of;
use cellwright_judge::keys::SecretKey;
use cellwright_judge::run::{RunFolder, Summary};
use cellwright_service::repeat;
use cellwright_service::start::{self, Stage, Start};
use cellwright_stdio::ProcessAgent;
use clap::Args;

use crate::failure::Failure;
use crate::foreign::Foreign;
use crate::progress::RunProgress;
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
    #[command(flatten)]
    pub(crate) foreign: Foreign,
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
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) work_units: Option<u64>,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=(1 << 53) - 1))]
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
    /// Run the same so many times, into run-1, run-2, … of the folder, with one verdict over all
    /// that says where a run first differs from the first.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) repeats: u64,
}

/// Who proposes: a program, when it is one, and what the scenario says of it.
type Proposer = (Option<ProcessAgent>, AgentSpec);

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    // What can be refused without reading anything is refused first.
    let proposer = proposer(arguments)?;
    for gap in proposer.0.iter().flat_map(ProcessAgent::gaps) {
        eprintln!("note: {gap}");
    }
    if arguments.repeats > 1 {
        return repeated(arguments, proposer);
    }
    let key = keys::signing(arguments.key.as_ref())?;
    let (folder, scenario, summary) = one(arguments, &arguments.out, proposer, &key)?;
    report(&folder, &scenario, &summary);
    let code = summary.verdict.exit_code(1.0);
    Ok(ExitCode::from(code))
}

fn proposer(arguments: &Arguments) -> Result<Proposer, Failure> {
    let foreign = arguments.foreign.agent(arguments.seconds.map(Duration::from_secs))?;
    if let (Some(command), Some(_)) = (&arguments.foreign.agent_command, &foreign) {
        let mut params = serde_json::Map::new();
        params.insert("command".to_owned(), command.clone().into());
        return Ok((foreign, AgentSpec { name: "command".to_owned(), params }));
    }
    let agent = AgentSpec { name: arguments.agent.clone(), params: Default::default() };
    cellwright_agents::by_name(&agent)?;
    Ok((None, agent))
}

/// Runs once into `out`.
fn one(
    arguments: &Arguments,
    out: &Path,
    (mut foreign, agent): Proposer,
    key: &SecretKey,
) -> Result<(RunFolder, Scenario, Summary), Failure> {
    let wall = arguments.seconds.map(Duration::from_secs);
    let mut progress = RunProgress::new(wall);
    let start = Start {
        design: arguments.design.clone(),
        out: out.to_owned(),
        agent,
        scenario: arguments.scenario.clone(),
        wall,
        proposals: arguments.proposals,
        work_units: arguments.work_units,
        seed: arguments.seed,
        place: !arguments.no_place,
        density: arguments.density,
    };
    let (folder, scenario, summary) = start::start(
        &start,
        None,
        key,
        &mut |scenario| match foreign.take() {
            Some(agent) => Ok(Box::new(agent)),
            None => Ok(cellwright_agents::by_name(&scenario.agent)?),
        },
        &mut progress,
        &mut |stage| match stage {
            Stage::Note(text) => eprintln!("note: {text}"),
            Stage::Read(design, time) => eprintln!("read {design} in {:.1} s", time.as_secs_f64()),
            Stage::Placed(time) => eprintln!("placed in {:.1} s", time.as_secs_f64()),
        },
    )?;
    progress.finish();
    pictures(&folder, &summary)?;
    Ok((folder, scenario, summary))
}

/// Runs several times; each run leaves a run directory of its own, and all of them one verdict.
fn repeated(arguments: &Arguments, first: Proposer) -> Result<ExitCode, Failure> {
    let named =
        |error: std::io::Error| Failure::input(format!("{}: {error}", arguments.out.display()));
    if arguments.out.exists() && std::fs::read_dir(&arguments.out).map_err(named)?.next().is_some()
    {
        let text = "is not empty; name a new folder with --out";
        return Err(Failure::input(format!("{}: {text}", arguments.out.display())));
    }
    let key = keys::signing(arguments.key.as_ref())?;
    let mut first = Some(first);
    let mut folders = Vec::new();
    for number in 1..=arguments.repeats {
        let agent = match first.take() {
            Some(agent) => agent,
            None => proposer(arguments)?,
        };
        let out = arguments.out.join(format!("run-{number}"));
        let (folder, _, summary) = one(arguments, &out, agent, &key)?;
        say!(
            "run-{number}: {} proposals, {} accepted, {} work units; stopped: {:?}",
            summary.proposals,
            summary.accepted,
            summary.spent.work_units.unwrap_or(0),
            summary.stop,
        );
        folders.push(folder);
    }
    let verdict = repeat::verdict(&folders)?;
    let all = RunFolder::open(&arguments.out);
    all.write_json(&all.verdict(), &verdict)?;
    match &verdict.aggregate.first_divergence {
        Some(at) => say!("{} differs from run-1 from entry {} on", at.run, at.seq),
        None => say!("the journals are the same, wall time left out"),
    }
    say!("pass rate {} of {} runs", number(verdict.aggregate.pass_rate), verdict.aggregate.n);
    say!("verdict: {}", all.verdict().display());
    Ok(ExitCode::from(verdict.exit_code(1.0)))
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
