//! The house behind the MCP door: opens runs, and keeps engines beside them.

mod bench;
mod history;
mod scene;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cellwright_contract::agent::Agent;
use cellwright_contract::platform::PlatformError;
use cellwright_contract::refs::DesignRef;
use cellwright_contract::scenario::{AgentSpec, Scenario};
use cellwright_contract::validate::Validate as _;
use cellwright_db::Design;
use cellwright_formats::bundle::Bundle;
use cellwright_judge::engines::EngineConfig;
use cellwright_judge::keys::SecretKey;
use cellwright_judge::run::{Limits, Plan, RunFolder, Summary, copy_bundle, run};
use cellwright_mcp::desk::{Desk, Opened, Opening};
use cellwright_mcp::{Ticket, seat};
use cellwright_sta::Calculator;

use self::bench::Beside;
use self::history::History;
pub use self::scene::scene;
use crate::failure::Failure;
use crate::setup::{Ready, ready};
use crate::start::{Start, placement, standard_scenario};

/// What can be opened, where runs go, and who signs.
#[derive(Debug)]
pub struct House {
    designs: BTreeMap<String, PathBuf>,
    runs: PathBuf,
    key: Arc<SecretKey>,
}

impl House {
    /// A house of designs: each a `design.toml`, or the folder that holds one. Two of the same name
    /// are told apart by a number.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn new(designs: &[PathBuf], runs: PathBuf, key: SecretKey) -> Result<House, Failure> {
        let mut named = BTreeMap::new();
        for path in designs {
            let bundle = Bundle::read(path)?;
            let mut name = bundle.name.clone();
            let mut number = 2;
            while named.contains_key(&name) {
                name = format!("{}-{number}", bundle.name);
                number += 1;
            }
            named.insert(name, path.clone());
        }
        Ok(House { designs: named, runs, key: Arc::new(key) })
    }
}

/// A folder for a run that no run has.
fn fresh(runs: &Path, design: &str) -> Result<RunFolder, Failure> {
    for number in 1..100_000 {
        let root = runs.join(format!("{design}-{number:03}"));
        if !root.exists() {
            return Ok(RunFolder::create(&root)?);
        }
    }
    Err(Failure::input(format!("{}: no free name for a run", runs.display())))
}

fn internal(error: impl std::fmt::Display) -> PlatformError {
    PlatformError::Internal(error.to_string())
}

fn cancelled() -> PlatformError {
    PlatformError::Budget("cancelled".to_owned())
}

impl House {
    fn scenario(
        opening: &Opening,
        start: &Start,
        design: &DesignRef,
        timed: bool,
    ) -> Result<Scenario, PlatformError> {
        let mut scenario =
            standard_scenario(&start.agent, start.seed, start.work_units, design, timed)
                .map_err(internal)?;
        if !opening.objectives.is_empty() {
            scenario.name = "asked".to_owned();
            scenario.description = "What the client asked for".to_owned();
            scenario.objectives.clone_from(&opening.objectives);
        }
        scenario.budget = opening.budget;
        scenario.validate().map_err(|error| PlatformError::Invalid(error.to_string()))?;
        Ok(scenario)
    }

    fn open_in(
        &self,
        path: &Path,
        folder: &RunFolder,
        opening: &Opening,
        ticket: &Ticket,
    ) -> Result<Opened, PlatformError> {
        let refused = |failure: Failure| PlatformError::Invalid(failure.to_string());
        ticket.tell(0.02, "reading the design");
        let bundle = Bundle::read(path).map_err(internal)?;
        // The run works on its own copy, so that it can be replayed and verified anywhere.
        let copied = copy_bundle(&bundle, &folder.design()).map_err(internal)?;
        let Ready { loaded, config, mut notes } =
            ready(&copied, Calculator::LumpedElmore).map_err(refused)?;
        let design_ref = DesignRef::new(&loaded.bundle.name, &loaded.bundle.tech)
            .map_err(|error| PlatformError::Invalid(error.to_string()))?;
        let design = Design::new(&loaded.snapshot);
        let open = design.cells().any(|cell| !design.place(cell).is_placed());
        let start = Start {
            design: path.to_owned(),
            out: folder.root().to_owned(),
            agent: AgentSpec { name: "mcp".to_owned(), params: Default::default() },
            scenario: None,
            wall: None,
            proposals: None,
            work_units: None,
            seed: opening.seed,
            place: opening.place.unwrap_or(open),
            density: opening.density,
        };
        let scenario = House::scenario(opening, &start, &design_ref, config.timing.is_some())?;
        if ticket.cancelled() {
            return Err(cancelled());
        }
        let mut heard = |event: &cellwright_place::Event| {
            ticket.tell(0.1 + 0.7 * overall(event), format!("placing: {:?}", event.stage));
            if ticket.cancelled() {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        };
        let first = placement(&start, &loaded.snapshot, &scenario, &mut heard, &mut |_| {});
        if ticket.cancelled() {
            return Err(cancelled());
        }
        let first = first.map_err(refused)?;
        if first.is_some() {
            // What was said of wires before there were places is no longer so.
            notes.retain(|note| !note.contains("are not placed"));
        }
        ticket.tell(0.85, "judging the start");
        let history =
            History::new(&loaded.snapshot, first.as_ref(), &scenario).map_err(internal)?;
        let bench = Arc::new(Beside::new(
            history,
            config.clone(),
            folder.root().to_owned(),
            loaded
                .files
                .iter()
                .map(|file| (file.path.display().to_string(), file.digest))
                .collect(),
        ));
        let follower = bench.clone();
        let (seat, chair) = seat(Box::new(move |proposal, judged| {
            cellwright_mcp::desk::Bench::follow(&*follower, proposal, judged);
        }));
        let (at, key, told) = (folder.root().to_owned(), self.key.clone(), scenario.clone());
        let (seed, said) = (opening.seed, notes.clone());
        let work = move || -> Result<Summary, String> {
            let mut seat = seat;
            let plan = plan(&loaded, config, told, first, seed, said);
            run(plan, &RunFolder::open(&at), &key, &mut seat, &mut ())
                .map_err(|error| error.to_string())
        };
        let name = format!("loop of {}", folder.root().display());
        let thread = std::thread::Builder::new().name(name).spawn(work).map_err(internal)?;
        bench.attach(thread);
        match chair.look_here(|view| Ok((view.head(), view.metrics()?))) {
            Ok((head, metrics)) => bench.settle(&head, &metrics)?,
            // The loop ended before the seat was asked: it says why.
            Err(_) => {
                return Err(match cellwright_mcp::desk::Bench::close(&*bench) {
                    Err(error) => error,
                    Ok(_) => internal("the run ended before it began"),
                });
            }
        }
        Ok(Opened { chair, bench, scenario, notes })
    }
}

/// The part of a placement that is done, over its stages.
fn overall(event: &cellwright_place::Event) -> f64 {
    use cellwright_place::Stage;
    let (from, share) = match event.stage {
        Stage::Global => (0.0, 0.7),
        Stage::Legalize => (0.7, 0.1),
        Stage::Detailed => (0.8, 0.2),
    };
    from + share * event.fraction.clamp(0.0, 1.0)
}

fn plan(
    loaded: &cellwright_formats::load::Loaded,
    config: EngineConfig,
    scenario: Scenario,
    first: Option<cellwright_contract::proposal::Proposal>,
    seed: u64,
    notes: Vec<String>,
) -> Plan<'_> {
    Plan {
        snapshot: &loaded.snapshot,
        files: &loaded.files,
        scenario,
        config,
        first: first.into_iter().collect(),
        limits: Limits::default(),
        seed,
        not_proven: notes,
    }
}

impl Desk for House {
    fn designs(&self) -> Vec<String> {
        self.designs.keys().cloned().collect()
    }

    fn open(&self, opening: &Opening, ticket: &Ticket) -> Result<Opened, PlatformError> {
        let path = self
            .designs
            .get(&opening.design)
            .ok_or_else(|| PlatformError::NotFound(format!("no design `{}`", opening.design)))?;
        let folder = fresh(&self.runs, &opening.design).map_err(internal)?;
        let opened = self.open_in(path, &folder, opening, ticket);
        if opened.is_err() && !folder.journal().exists() {
            // Nothing was judged: nothing is left.
            let _ = std::fs::remove_dir_all(folder.root());
        }
        opened
    }

    fn agent(&self, name: &str) -> Result<Box<dyn Agent + Send>, PlatformError> {
        let spec = AgentSpec { name: name.to_ascii_lowercase(), params: Default::default() };
        cellwright_agents::by_name(&spec)
            .map_err(|error| PlatformError::NotFound(error.to_string()))
    }
}
