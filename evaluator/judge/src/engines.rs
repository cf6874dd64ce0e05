//! All engines as one state that follows a design: measures, area and leakage, timing.

use cellwright_contract::metric::MetricValue;
use cellwright_db::{Design, DirtySet, Mark, MasterId, Op, Stamp};
use cellwright_measure::{CongestionConfig, Measures, MeasuresConfig, Metric, Stale};
use thiserror::Error;

use crate::timing::{Timing, TimingSetup};

/// What the engines are told once per run.
#[derive(Clone, Debug, Default)]
pub struct EngineConfig {
    /// Measures.
    pub measures: MeasuresConfig,
    /// Timing; `None` for a design without libraries or constraints.
    pub timing: Option<TimingSetup>,
}

impl EngineConfig {
    /// Everything that a design has the files for.
    pub fn standard(timing: Option<TimingSetup>) -> Self {
        let measures =
            MeasuresConfig { congestion: Some(CongestionConfig::default()), ..Default::default() };
        EngineConfig { measures, timing }
    }
}

/// An engine cannot follow.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The dirty set leads from another state.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// The timer refuses.
    #[error("timing: {0}")]
    Timing(String),
}

/// Totals of cell area and leakage, as integers so that they can be added and taken back exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    /// DBU².
    area: i64,
    /// Femtowatt.
    leakage: i64,
}

/// Engine states of one design state.
#[derive(Debug)]
pub struct Engines {
    measures: Measures,
    timing: Option<Timing>,
    totals: Totals,
    undo: Vec<Totals>,
    /// Leakage by master, femtowatt.
    leakage: Vec<i64>,
    /// Whether each pending update included timing.
    timed: Vec<bool>,
}

/// Equal states: what the exactness gate compares, after [`Engines::settle`] on both sides.
impl PartialEq for Engines {
    fn eq(&self, other: &Self) -> bool {
        self.measures == other.measures
            && self.totals == other.totals
            && match (&self.timing, &other.timing) {
                (Some(a), Some(b)) => a.same_state(b),
                (None, None) => true,
                _ => false,
            }
    }
}

impl Engines {
    /// Evaluates a design from scratch.
    ///
    /// # Errors
    /// [`EngineError::Timing`] when constraints or libraries do not fit the design.
    pub fn full(design: &Design, config: &EngineConfig) -> Result<Engines, EngineError> {
        let library = design.library();
        // mW to fW: leakage of a cell is far below 2^53 fW, so the rounding is the only loss.
        let femto = |id: MasterId| {
            let leakage = library.logic(id).and_then(|cell| cell.leakage).unwrap_or(0.0);
            (leakage * 1e12).round() as i64
        };
        let leakage: Vec<i64> = library.masters.ids().map(femto).collect();
        let mut totals = Totals::default();
        for cell in design.cells() {
            totals.area += design.master(cell).area();
            totals.leakage += leakage[design.master_id(cell).index()];
        }
        let timing = match &config.timing {
            Some(setup) => Some(Timing::full(design, setup)?),
            None => None,
        };
        Ok(Engines {
            measures: Measures::full(design, config.measures.clone()),
            timing,
            totals,
            undo: Vec::new(),
            leakage,
            timed: Vec::new(),
        })
    }

    /// Follows a design from `mark` to its present state. Without `with_timing` the timer stays
    /// behind; such an update must be undone before the next.
    ///
    /// # Errors
    /// When a state does not match; nothing has changed then.
    pub fn update(
        &mut self,
        design: &Design,
        mark: Mark,
        dirty: &DirtySet,
        with_timing: bool,
    ) -> Result<(), EngineError> {
        self.measures.update(design, dirty)?;
        if with_timing
            && let Some(timing) = &mut self.timing
            && let Err(error) = timing.update(design, dirty)
        {
            self.measures.undo();
            return Err(error);
        }
        self.undo.push(self.totals);
        self.timed.push(with_timing);
        let area = |master: MasterId| design.library().masters[master].area();
        let leak = |master: MasterId| self.leakage[master.index()];
        for op in design.ops_since(mark) {
            let (gone, come) = match op {
                Op::Resize { from, to, .. } => (Some(*from), Some(*to)),
                Op::AddCell(new) => (None, Some(new.master)),
                Op::RemoveCell(old) => (Some(old.master), None),
                _ => continue,
            };
            self.totals.area += come.map_or(0, area) - gone.map_or(0, area);
            self.totals.leakage += come.map_or(0, leak) - gone.map_or(0, leak);
        }
        Ok(())
    }

    /// Takes the last update back.
    pub fn undo(&mut self) {
        self.measures.undo();
        if let Some(totals) = self.undo.pop() {
            self.totals = totals;
        }
        if self.timed.pop() == Some(true)
            && let Some(timing) = &mut self.timing
        {
            timing.undo();
        }
    }

    /// Makes the updates so far permanent.
    pub fn keep(&mut self) {
        self.measures.keep();
        self.undo.clear();
        self.timed.clear();
        if let Some(timing) = &mut self.timing {
            timing.keep();
        }
    }

    /// Brings what is only worked out when asked for up to date: slacks of pins.
    ///
    /// # Errors
    /// [`EngineError::Timing`] when the design is in another state.
    pub fn settle(&mut self, design: &Design) -> Result<(), EngineError> {
        self.timing.as_mut().map_or(Ok(()), |timing| timing.settle(design))
    }

    /// The measures.
    pub fn measures(&self) -> &Measures {
        &self.measures
    }
    /// The timer, where the design has timing.
    pub fn timing(&self) -> Option<&Timing> {
        self.timing.as_ref()
    }
    /// State of the design that the measures belong to.
    pub fn stamp(&self) -> Stamp {
        self.measures.stamp()
    }
    /// Deterministic work units since the full evaluation.
    pub fn work(&self) -> u64 {
        self.measures.work() + self.timing.as_ref().map_or(0, Timing::work)
    }

    /// All figures in the contract's names and units. With `timing` false the timing figures are
    /// left out.
    pub fn metrics(&self, design: &Design, timing: bool) -> Vec<MetricValue> {
        let value = |metric: &str, value: f64, unit: &str| MetricValue {
            metric: metric.to_owned(),
            value,
            unit: unit.to_owned(),
            corner: None,
        };
        let tech = design.tech();
        let mut metrics = vec![
            value("hpwl", tech.microns(self.measures.hpwl().total().length), "um"),
            value("area", tech.square_microns(self.totals.area), "um2"),
            // fW to nW.
            value("leakage", self.totals.leakage as f64 / 1e6, "nW"),
            value("density_overflow", self.measures.density().overflow(), "1"),
            value("max_density", self.measures.density().max_fill(), "1"),
        ];
        if let Some(congestion) = self.measures.congestion() {
            metrics.push(value("congestion", congestion.overflow(), "1"));
        }
        let violations = self.measures.legality().counts().movable();
        metrics.push(value("legality_violations", violations as f64, "1"));
        if timing && let Some(timing) = &self.timing {
            timing.metrics(&mut metrics);
        }
        metrics
    }
}

/// The value of a metric, in the first corner listed.
pub fn value_of(metrics: &[MetricValue], name: &str) -> Option<f64> {
    let name = cellwright_contract::metric::known(name).map_or(name, |metric| metric.name);
    metrics.iter().find(|metric| metric.metric == name).map(|metric| metric.value)
}
