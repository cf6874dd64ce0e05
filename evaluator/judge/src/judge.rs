//! Judges proposals against one design: apply, follow with the engines, gate, rank; then take back
//! (what-if) or keep (commit). Both are one code path.

use cellwright_contract::budget::{CostBudget, Effort};
use cellwright_contract::delta::DesignDelta;
use cellwright_contract::gate::{GateId, GateJudgment, GateResult, GateStatus};
use cellwright_contract::goal::Goals;
use cellwright_contract::metric::MetricValue;
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::SnapshotRef;
use cellwright_contract::scenario::Scenario;
use cellwright_contract::validate::Validate;
use cellwright_db::{Delta, DeltaError, Design, DirtySet, Mark, Root, Snapshot};
use thiserror::Error;

use crate::engines::{EngineConfig, EngineError, Engines, value_of};
use crate::gates::{self, Case, fail, pass};
use crate::pareto::{Archive, ArchiveError, Candidate, Objective};
use crate::translate::{self, TranslateError};

/// Why a judge cannot work.
#[derive(Debug, Error)]
pub enum JudgeError {
    /// An engine refuses the design or lost its state.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The scenario's objectives cannot be ranked.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// An objective that no engine measures on this design.
    #[error("the objective `{0}` is not measured on this design; measured are: {1}")]
    Objective(String, String),
}

/// What became of a proposal.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Gate by gate.
    pub judgment: GateJudgment,
    /// Figures of the child; empty when it was not measured.
    pub metrics: Vec<MetricValue>,
    /// What was done, with the objects that it made.
    pub delta: Delta,
    /// What it touched.
    pub dirty: Option<DirtySet>,
    /// What the judgment cost: one evaluation, the cells touched, deterministic work units.
    pub consumed: CostBudget,
    /// Root of the child, when all gates held.
    pub child: Option<Root>,
}

/// Keeps the design, its engine states and the archive of one run.
#[derive(Debug)]
pub struct Judge {
    design: Design,
    engines: Engines,
    config: EngineConfig,
    scenario: Scenario,
    head: Root,
    head_metrics: Vec<MetricValue>,
    baseline: Vec<MetricValue>,
    archive: Archive,
    best: Vec<MetricValue>,
    fixed_violations: i64,
    sample: f64,
    timing_doubt: Option<String>,
    /// Before [`Judge::rebase`] there is no baseline to guard: a first placement is judged for
    /// what it is, not against cells that stand nowhere.
    settled: bool,
    /// What the run has cost before the proposal at hand; see [`Judge::set_spent`].
    spent: CostBudget,
    dirty: DirtySet,
}

impl Judge {
    /// A judge at a snapshot. The figures there are the baseline until [`Judge::rebase`].
    ///
    /// # Errors
    /// [`JudgeError`].
    pub fn new(
        snapshot: &Snapshot,
        scenario: Scenario,
        config: EngineConfig,
    ) -> Result<Judge, JudgeError> {
        let design = Design::new(snapshot);
        let engines = Engines::full(&design, &config)?;
        let archive = Archive::new(Objective::of_scenario(&scenario)?)?;
        let metrics = engines.metrics(&design, true);
        if let Some(open) =
            scenario.objectives.iter().find(|o| value_of(&metrics, &o.metric).is_none())
        {
            let names: Vec<&str> = metrics.iter().map(|m| m.metric.as_str()).collect();
            return Err(JudgeError::Objective(open.metric.clone(), names.join(", ")));
        }
        let doubts = engines.timing().map_or(Vec::new(), |timing| timing.not_supported());
        let sample =
            scenario.rule(GateId::Exactness).map_or(0.05, |rule| rule.sample.unwrap_or(1.0));
        Ok(Judge {
            head: snapshot.root(),
            fixed_violations: engines.measures().legality().counts().fixed(),
            head_metrics: metrics.clone(),
            baseline: metrics,
            archive,
            best: Vec::new(),
            sample,
            timing_doubt: (!doubts.is_empty()).then(|| doubts.join("; ")),
            settled: false,
            spent: CostBudget::default(),
            dirty: DirtySet::empty(design.stamp()),
            design,
            engines,
            config,
            scenario,
        })
    }

    /// The working design, at the head between calls.
    pub fn design(&self) -> &Design {
        &self.design
    }
    /// The engine states of the head.
    pub fn engines(&self) -> &Engines {
        &self.engines
    }
    /// Brings what engines only work out when asked for up to date: slacks of pins.
    ///
    /// # Errors
    /// [`JudgeError::Engine`] when the engines do not stand where the design does.
    pub fn settle(&mut self) -> Result<(), JudgeError> {
        Ok(self.engines.settle(&self.design)?)
    }
    /// What the engines were told.
    pub fn config(&self) -> &EngineConfig {
        &self.config
    }
    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }
    /// Root of the head.
    pub fn head(&self) -> Root {
        self.head
    }
    /// Figures of the head.
    pub fn head_metrics(&self) -> &[MetricValue] {
        &self.head_metrics
    }
    /// Figures that the run started from.
    pub fn baseline(&self) -> &[MetricValue] {
        &self.baseline
    }
    /// The archive of gated candidates.
    pub fn archive(&self) -> &Archive {
        &self.archive
    }
    /// What the timer does not do for this design; then nothing that rests on timing passes.
    pub fn timing_doubt(&self) -> Option<&str> {
        self.timing_doubt.as_deref()
    }

    /// Makes the head's figures the baseline, for instance after a first placement. From then on
    /// guards compare with it.
    pub fn rebase(&mut self) {
        self.baseline = self.head_metrics.clone();
        self.settled = true;
    }

    /// Says what the run has cost so far, wall and CPU time left out: the budget gate adds the
    /// proposal's own cost and compares with the scenario's budget.
    pub fn set_spent(&mut self, spent: CostBudget) {
        self.spent = spent;
    }

    /// The budget gate. Only deterministic parts count, so that a replay judges the same.
    fn budget_gate(&self, consumed: &CostBudget) -> GateResult {
        let budget = CostBudget { wall_ms: None, cpu_ms: None, ..self.scenario.budget };
        match budget.exceeded_by(&self.spent.plus(consumed)) {
            Some(kind) => fail(GateId::Budget, format!("with this proposal {kind:?} is exceeded")),
            None => pass(GateId::Budget),
        }
    }

    /// Whether a reference names the head.
    fn is_head(&self, reference: &SnapshotRef) -> bool {
        match reference {
            SnapshotRef::Root(root) => *root == self.head.0,
            SnapshotRef::Branch(name) => name == "main",
        }
    }

    /// Judges a proposal and takes it back.
    ///
    /// # Errors
    /// [`JudgeError::Engine`] when an engine lost its state; a rejected proposal is no error.
    pub fn judge(&mut self, proposal: &Proposal, effort: Effort) -> Result<Judged, JudgeError> {
        let mark = self.design.mark();
        let (judged, followed) = self.weigh(proposal, effort)?;
        self.take_back(mark, followed);
        Ok(judged)
    }

    /// Judges a proposal and makes the child the head when all gates hold.
    ///
    /// # Errors
    /// As [`Judge::judge`].
    pub fn commit(&mut self, proposal: &Proposal) -> Result<Judged, JudgeError> {
        let mark = self.design.mark();
        let effort = self.scenario.effort;
        let (judged, followed) = self.weigh(proposal, effort.max(Effort::Standard))?;
        let values = self.objective_values(&judged.metrics);
        match values {
            Some(values) if judged.judgment.passed() => {
                let candidate = Candidate { id: proposal.id.clone(), values };
                self.archive.insert(candidate)?;
                self.head = self.design.commit().root();
                self.engines.keep();
                self.head_metrics.clone_from(&judged.metrics);
                self.remember_best();
            }
            _ => self.take_back(mark, followed),
        }
        Ok(judged)
    }

    /// The objectives' values, in the scenario's order; `None` when one was not measured.
    pub fn objective_values(&self, metrics: &[MetricValue]) -> Option<Vec<f64>> {
        self.scenario.objectives.iter().map(|o| value_of(metrics, &o.metric)).collect()
    }

    fn remember_best(&mut self) {
        use cellwright_contract::metric::Direction;
        for objective in &self.scenario.objectives {
            let Some(now) = self.head_metrics.iter().find(|m| m.metric == objective.metric) else {
                continue;
            };
            match self.best.iter_mut().find(|m| m.metric == objective.metric) {
                None => self.best.push(now.clone()),
                Some(best) => {
                    let better = match objective.direction() {
                        Some(Direction::Maximize) => now.value > best.value,
                        _ => now.value < best.value,
                    };
                    if better {
                        best.value = now.value;
                    }
                }
            }
        }
    }

    /// Tries a delta on the head and takes it back: the inner loop of an agent. Looks at structure
    /// and guards; promises and samples are for proposals.
    ///
    /// # Errors
    /// `Ok(Err(_))` when the delta does not apply; else as [`Judge::judge`].
    #[allow(clippy::type_complexity)]
    pub fn try_delta(
        &mut self,
        delta: &DesignDelta,
        effort: Effort,
    ) -> Result<Result<Judged, TranslateError>, JudgeError> {
        let mark = self.design.mark();
        if let Err(error) = translate::apply(&mut self.design, delta) {
            return Ok(Err(error));
        }
        let proposal = Proposal {
            id: "what-if".to_owned(),
            intent_ref: self.scenario.intent.clone(),
            expected_delta: DesignDelta::default(),
            expected_metrics: Goals::default(),
            rationale: None,
            parent_snap: SnapshotRef::Root(self.head.0),
            confidence: None,
        };
        let timing = effort >= Effort::Standard && self.engines.timing().is_some();
        let work = self.engines.work();
        self.follow(mark, timing)?;
        let metrics = self.engines.metrics(&self.design, timing);
        let mut results = Vec::new();
        let case = self.case(&proposal, mark, &metrics);
        gates::structural(&case, &mut results);
        gates::promised(&case, timing, &mut results);
        let judged = Judged {
            judgment: GateJudgment::of(results),
            metrics,
            delta: Delta::default(),
            dirty: None,
            consumed: self.consumed(work),
            child: None,
        };
        self.take_back(mark, true);
        Ok(Ok(judged))
    }

    /// What a delta would touch.
    ///
    /// # Errors
    /// When it does not apply.
    pub fn preview(&self, delta: &DesignDelta) -> Result<(DirtySet, Design), TranslateError> {
        let mut design = self.design.clone();
        let mark = design.mark();
        translate::apply(&mut design, delta)?;
        Ok((design.dirty_since(mark), design))
    }

    fn consumed(&self, work_before: u64) -> CostBudget {
        CostBudget {
            evaluations: Some(1),
            moves: Some(self.dirty.cells.len() as u64),
            work_units: Some(self.engines.work() - work_before),
            ..Default::default()
        }
    }

    fn follow(&mut self, mark: Mark, timing: bool) -> Result<(), JudgeError> {
        let mut dirty = std::mem::replace(&mut self.dirty, DirtySet::empty(self.design.stamp()));
        self.design.dirty_into(mark, &mut dirty);
        let followed = self.engines.update(&self.design, mark, &dirty, timing);
        self.dirty = dirty;
        if let Err(error) = followed {
            self.design.undo_to(mark);
            return Err(error.into());
        }
        Ok(())
    }

    fn take_back(&mut self, mark: Mark, followed: bool) {
        if followed {
            self.engines.undo();
        }
        self.design.undo_to(mark);
    }

    fn case<'a>(
        &'a self,
        proposal: &'a Proposal,
        mark: Mark,
        after: &'a [MetricValue],
    ) -> Case<'a> {
        Case {
            proposal,
            scenario: &self.scenario,
            parent: self.design.base(),
            design: &self.design,
            mark,
            dirty: &self.dirty,
            engines: &self.engines,
            before: &self.head_metrics,
            after,
            baseline: &self.baseline,
            best: &self.best,
            fixed_violations: self.fixed_violations,
            timing_doubt: self.timing_doubt.as_deref(),
            settled: self.settled,
        }
    }

    /// Applies a proposal and puts it before the gates. Leaves it applied; the flag says whether
    /// the engines followed.
    fn weigh(&mut self, proposal: &Proposal, effort: Effort) -> Result<(Judged, bool), JudgeError> {
        let mut results: Vec<GateResult> = Vec::new();
        let stop = |results: Vec<GateResult>| Judged {
            judgment: GateJudgment::of(results),
            metrics: Vec::new(),
            delta: Delta::default(),
            dirty: None,
            consumed: CostBudget { evaluations: Some(1), ..Default::default() },
            child: None,
        };
        results.push(match proposal.validate() {
            Ok(()) if self.archive.values(&proposal.id).is_some() => {
                fail(GateId::Schema, format!("the id `{}` was used before", proposal.id))
            }
            Ok(()) => pass(GateId::Schema),
            Err(error) => fail(GateId::Schema, error.to_string()),
        });
        if self.is_head(&proposal.parent_snap) {
            results.push(pass(GateId::ParentFresh));
        } else {
            let text = format!("the parent is {}, the head is {}", proposal.parent_snap, self.head);
            results.push(fail(GateId::ParentFresh, text));
        }
        if results.iter().any(|result| result.status != GateStatus::Pass) {
            return Ok((stop(results), false));
        }
        let mark = self.design.mark();
        if let Err(error) = translate::apply(&mut self.design, &proposal.expected_delta) {
            results.push(fail(gate_of(&error), error.to_string()));
            return Ok((stop(results), false));
        }
        results.push(pass(GateId::Preconditions));
        let timing = effort >= Effort::Standard && self.engines.timing().is_some();
        let work = self.engines.work();
        self.follow(mark, timing)?;
        let metrics = self.engines.metrics(&self.design, timing);
        if timing && !proposal.expected_delta.timing_changes.is_empty() {
            // Claims may be about slacks of pins.
            self.settle()?;
        }
        {
            let case = self.case(proposal, mark, &metrics);
            gates::structural(&case, &mut results);
            gates::promised(&case, timing, &mut results);
            gates::collateral(&case, &mut results);
        }
        // Effort quick leaves the timer behind: there is nothing to compare.
        if effort == Effort::Exhaustive
            || (effort >= Effort::Standard && self.sampled(&proposal.id))
        {
            results.push(self.exactness()?);
        }
        let consumed = self.consumed(work);
        results.push(self.budget_gate(&consumed));
        let judgment = GateJudgment::of(results);
        let child = judgment.passed().then(|| self.design.snapshot().root());
        let judged = Judged {
            judgment,
            metrics,
            delta: self.design.delta_since(mark),
            dirty: Some(self.dirty.clone()),
            consumed,
            child,
        };
        Ok((judged, true))
    }

    /// Whether the exactness of a proposal is looked at: a draw that depends on its id and the head
    /// alone, so that a replay draws the same and an agent cannot choose.
    fn sampled(&self, id: &str) -> bool {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"cellwright exactness sample v1");
        hasher.update(&self.head.0);
        hasher.update(id.as_bytes());
        let mut draw = [0; 8];
        draw.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        // 53 bits, as a fraction of one.
        ((u64::from_le_bytes(draw) >> 11) as f64) < self.sample * (1_u64 << 53) as f64
    }

    /// Evaluates the child from scratch and compares every bit with the followed state.
    fn exactness(&mut self) -> Result<GateResult, JudgeError> {
        let mut full = Engines::full(&self.design, &self.config)?;
        full.settle(&self.design)?;
        self.engines.settle(&self.design)?;
        Ok(if full == self.engines {
            pass(GateId::Exactness)
        } else {
            let followed = self.engines.metrics(&self.design, true);
            let anew = full.metrics(&self.design, true);
            let differs =
                followed.iter().zip(&anew).find(|(a, b)| a.value.to_bits() != b.value.to_bits());
            let text = match differs {
                Some((a, b)) => {
                    format!("{}: {} followed, {} from scratch", a.metric, a.value, b.value)
                }
                None => "a state differs that no figure shows".to_owned(),
            };
            fail(GateId::Exactness, text)
        })
    }
}

/// The gate that a delta fails which does not even apply.
fn gate_of(error: &TranslateError) -> GateId {
    match error {
        TranslateError::NoObject { .. } => GateId::Preconditions,
        TranslateError::NoMaster(_) => GateId::NetlistFunction,
        TranslateError::Range(_) | TranslateError::Twice(_) => GateId::Schema,
        TranslateError::Delta(error) => match error {
            DeltaError::Missing { .. } | DeltaError::Precondition { .. } => GateId::Preconditions,
            DeltaError::OtherPins { .. } | DeltaError::NoMaster { .. } => GateId::NetlistFunction,
            DeltaError::NameTaken { .. } | DeltaError::SlotTaken { .. } => GateId::Preconditions,
            DeltaError::StillConnected { .. } => GateId::NetlistDangling,
            DeltaError::Refused { .. } => GateId::Netlist,
        },
    }
}
