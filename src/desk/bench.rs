//! Engines beside a run, on copies of its snapshots.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use cellwright_contract::delta::{CellMove, DesignDelta, NetChange, TimingMode};
use cellwright_contract::metric::MetricValue;
use cellwright_contract::platform::PlatformError;
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::SnapshotRef;
use cellwright_contract::request::PlaceParams;
use cellwright_contract::result::TimingPath;
use cellwright_db::{CellId, Design, Snapshot};
use cellwright_judge::engines::{EngineConfig, Engines};
use cellwright_judge::run::{RunFolder, Summary, proposal_of_delta};
use cellwright_judge::timing::Timing;
use cellwright_judge::translate::{self, cell_ref, position};
use cellwright_mcp::desk::{Bench, Candidate, Closing, Scene, State};
use cellwright_mcp::{Judged, Ticket};
use cellwright_place::{Limits, PlaceConfig, PlaceError, Stages, place};

use super::history::History;
use super::{cancelled, internal, overall};

type Thread = JoinHandle<Result<Summary, String>>;

/// See the module.
pub(super) struct Beside {
    history: Mutex<History>,
    config: EngineConfig,
    folder: PathBuf,
    files: BTreeMap<String, [u8; 32]>,
    thread: Mutex<Option<Thread>>,
    /// The scene drawn last, with its state.
    scene: Mutex<Option<(usize, Scene)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Beside {
    pub(super) fn new(
        history: History,
        config: EngineConfig,
        folder: PathBuf,
        files: BTreeMap<String, [u8; 32]>,
    ) -> Beside {
        Beside {
            history: Mutex::new(history),
            config,
            folder,
            files,
            thread: Mutex::default(),
            scene: Mutex::default(),
        }
    }

    /// Takes the loop's thread, to be waited for at the end.
    pub(super) fn attach(&self, thread: Thread) {
        *lock(&self.thread) = Some(thread);
    }

    /// Holds the beginning against the loop's own.
    pub(super) fn settle(
        &self,
        head: &SnapshotRef,
        metrics: &[MetricValue],
    ) -> Result<(), PlatformError> {
        let mut history = lock(&self.history);
        history.settle(head, metrics);
        history.lost().map_or(Ok(()), |why| Err(internal(why)))
    }

    fn snapshot(&self, number: usize) -> Result<Snapshot, PlatformError> {
        let history = lock(&self.history);
        if let Some(why) = history.lost() {
            return Err(internal(format!("the history no longer follows the run: {why}")));
        }
        history
            .snapshot(number)
            .cloned()
            .ok_or_else(|| PlatformError::NotFound(format!("there is no snapshot s{number}")))
    }

    fn timing(&self, design: &Design) -> Result<Timing, PlatformError> {
        let setup = self
            .config
            .timing
            .as_ref()
            .ok_or_else(|| PlatformError::Unsupported("the design has no timing".to_owned()))?;
        Timing::full(design, setup).map_err(internal)
    }

    /// Runs the placer; gives its moves in words.
    fn placed(
        &self,
        design: &Design,
        config: &PlaceConfig,
        ticket: &Ticket,
    ) -> Result<cellwright_db::Delta, PlatformError> {
        let mut heard = |event: &cellwright_place::Event| {
            ticket.tell(0.9 * overall(event), format!("{:?}", event.stage));
            if ticket.cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        match place(design, config, &mut heard) {
            Ok(result) => Ok(result.delta),
            Err(PlaceError::Cancelled) => Err(cancelled()),
            Err(error) => Err(PlatformError::Invalid(error.to_string())),
        }
    }
}

impl Bench for Beside {
    fn states(&self) -> Vec<State> {
        lock(&self.history).states()
    }

    fn follow(&self, proposal: &Proposal, judged: &Judged) {
        if judged.feedback.accepted {
            lock(&self.history).follow(proposal, &judged.head, &judged.feedback.metrics);
        }
    }

    fn measure(&self, state: usize) -> Result<Vec<MetricValue>, PlatformError> {
        let design = Design::new(&self.snapshot(state)?);
        let engines = Engines::full(&design, &self.config).map_err(internal)?;
        Ok(engines.metrics(&design, engines.timing().is_some()))
    }

    fn paths(
        &self,
        state: usize,
        mode: TimingMode,
        count: u32,
    ) -> Result<Vec<TimingPath>, PlatformError> {
        let design = Design::new(&self.snapshot(state)?);
        Ok(self.timing(&design)?.worst_paths(&design, mode, count as usize))
    }

    fn place(
        &self,
        state: usize,
        params: &PlaceParams,
        ticket: &Ticket,
    ) -> Result<DesignDelta, PlatformError> {
        let design = Design::new(&self.snapshot(state)?);
        let config = PlaceConfig {
            density: params.density_target,
            seed: params.seed.unwrap_or(1),
            limits: Limits { iterations: params.max_iterations, ..Limits::default() },
            ..PlaceConfig::default()
        };
        let delta = self.placed(&design, &config, ticket)?;
        proposal_of_delta(&design, &delta)
            .ok_or_else(|| internal("the placer changed the netlist, which it must not"))
    }

    fn legalize(
        &self,
        state: usize,
        change: &DesignDelta,
        ticket: &Ticket,
    ) -> Result<DesignDelta, PlatformError> {
        let start = Design::new(&self.snapshot(state)?);
        let mut design = start.clone();
        translate::apply(&mut design, change)
            .map_err(|error| PlatformError::Invalid(error.to_string()))?;
        let config = PlaceConfig {
            stages: Stages { global: false, legalize: true, detailed: false },
            ..PlaceConfig::default()
        };
        let moves = self.placed(&design, &config, ticket)?;
        design.apply(&moves).map_err(internal)?;
        // Where each old cell ends, and each new one, in the order in which they were made.
        let mut whole = change.clone();
        whole.summary = None;
        whole.timing_changes.clear();
        whole.drc_changes.clear();
        let moved = |cell: CellId| {
            let (from, to) = (start.place(cell), design.place(cell));
            let differs = design.has_cell(cell) && from != to;
            differs.then(|| CellMove {
                cell_id: cell_ref(cell),
                from: position(from),
                to: position(to),
            })
        };
        whole.moved_cells = start.cells().filter_map(moved).collect();
        let mut made = design.cells().filter(|cell| !start.has_cell(*cell));
        for change in &mut whole.new_nets {
            if let (NetChange::InsertBuffer(buffer), Some(cell)) = (change, made.next()) {
                buffer.at = position(design.place(cell));
            }
        }
        Ok(whole)
    }

    fn scene(&self, state: usize, slack: bool) -> Result<Scene, PlatformError> {
        if let Some((number, scene)) = &*lock(&self.scene)
            && *number == state
        {
            return Ok(scene.clone());
        }
        let design = Design::new(&self.snapshot(state)?);
        let mut timing = match (&self.config.timing, slack) {
            (Some(_), true) => Some(self.timing(&design)?),
            _ => None,
        };
        if let Some(timing) = &mut timing {
            timing.settle(&design).map_err(internal)?;
        }
        let scene = super::scene(&design, &mut |cell| {
            let timing = timing.as_ref()?;
            let pins = design.cell_pins(cell);
            pins.filter_map(|pin| timing.slack(pin, TimingMode::Setup)).reduce(f64::min)
        });
        *lock(&self.scene) = Some((state, scene.clone()));
        Ok(scene)
    }

    fn candidates(&self) -> Result<Vec<Candidate>, PlatformError> {
        let history = lock(&self.history);
        let archive = history.archive();
        let mut all = Vec::new();
        for id in archive.fronts().into_iter().flatten() {
            all.push(Candidate {
                id: id.to_owned(),
                rank: archive.rank(id).map_err(internal)?,
                regret: archive.regret(id).map_err(internal)?.0,
                values: archive.values(id).unwrap_or(&[]).to_vec(),
            });
        }
        all.sort_by(|a, b| a.regret.total_cmp(&b.regret).then_with(|| a.id.cmp(&b.id)));
        Ok(all)
    }

    fn certificate(&self, id: &str) -> Result<String, PlatformError> {
        let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let path = RunFolder::open(&self.folder).certificate(id);
        match plain.then(|| std::fs::read_to_string(&path)) {
            Some(Ok(text)) => Ok(text),
            _ => Err(PlatformError::NotFound(format!("there is no certificate `{id}`"))),
        }
    }

    fn journal(&self) -> Result<String, PlatformError> {
        std::fs::read_to_string(RunFolder::open(&self.folder).journal()).map_err(internal)
    }

    fn folder(&self) -> String {
        self.folder.display().to_string()
    }

    fn files(&self) -> BTreeMap<String, [u8; 32]> {
        self.files.clone()
    }

    fn close(&self) -> Result<Closing, PlatformError> {
        let Some(thread) = lock(&self.thread).take() else {
            return Err(PlatformError::Unsupported("the run is closed already".to_owned()));
        };
        let summary = match thread.join() {
            Ok(Ok(summary)) => summary,
            Ok(Err(error)) => return Err(PlatformError::Invalid(error)),
            Err(_) => return Err(internal("the loop ended unexpectedly")),
        };
        let status = summary.verdict.runs.first().map(|run| run.status);
        let word = serde_json::to_value(status).map_err(internal)?;
        let mutants = summary
            .kill_rates
            .iter()
            .fold((0, 0), |sum, rate| (sum.0 + rate.mutants, sum.1 + rate.killed));
        Ok(Closing {
            folder: self.folder.display().to_string(),
            proposals: summary.proposals,
            accepted: summary.accepted,
            status: word.as_str().unwrap_or("unknown").to_owned(),
            mutants,
        })
    }
}
