//! `cellwright run --design PATH`: place, let an agent work, leave a run directory.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use cellwright_contract::scenario::{AgentSpec, Scenario};
use cellwright_db::Design;
use cellwright_judge::engines::value_of;
use cellwright_judge::run::{RunFolder, Summary};
use cellwright_service::start::{self, Stage, Start};
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
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    // What can be refused without reading anything is refused first.
    let wall = arguments.seconds.map(Duration::from_secs);
    let mut foreign = arguments.foreign.agent(wall)?;
    let agent = match (&arguments.foreign.agent_command, &foreign) {
        (Some(command), Some(agent)) => {
            for gap in agent.gaps() {
                eprintln!("note: {gap}");
            }
            let mut params = serde_json::Map::new();
            params.insert("command".to_owned(), command.clone().into());
            AgentSpec { name: "command".to_owned(), params }
        }
        _ => {
            let agent = AgentSpec { name: arguments.agent.clone(), params: Default::default() };
            cellwright_agents::by_name(&agent)?;
            agent
        }
    };
    let key = keys::signing(arguments.key.as_ref())?;
    let mut progress = RunProgress::new(wall);
    let start = Start {
        design: arguments.design.clone(),
        out: arguments.out.clone(),
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
        &key,
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
    report(&folder, &scenario, &summary);
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
