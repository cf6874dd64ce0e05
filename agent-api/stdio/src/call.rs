//! What an agent can ask of the view, as data.

use cellwright_contract::budget::Effort;
use cellwright_contract::delta::{DesignDelta, TimingMode};
use cellwright_contract::platform::{PlatformError, View};
use cellwright_contract::refs::ObjectRef;
use cellwright_contract::sensitivity::slack_gradient;
use cellwright_contract::validate::{At, Report, Validate};
use schemars::JsonSchema;
use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

/// Most cells or slacks of one call.
const MAX_LIST: u64 = 100_000;
/// Most paths of one call.
const MAX_PATHS: u32 = 10_000;

/// One question, with the shape of its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "method", content = "args", rename_all = "snake_case", deny_unknown_fields)]
#[serde(remote = "Self")]
pub enum Call {
    /// The design at a glance: `DesignInfo`.
    Design,
    /// The rows, from bottom to top: a list of `RowInfo`.
    Rows,
    /// Instances in the order of their ids: a list of `CellInfo`.
    Cells {
        /// How many to skip.
        #[serde(default)]
        first: u64,
        /// How many at most, up to 100,000.
        count: u64,
    },
    /// One instance: `CellInfo`.
    Cell {
        /// By id or name.
        cell: ObjectRef,
    },
    /// One net: `NetInfo`.
    Net {
        /// By id or name.
        net: ObjectRef,
    },
    /// Masters that one may be exchanged for, weakest drive first: a list of `MasterInfo`.
    Variants {
        /// Name of a master.
        master: String,
    },
    /// The metrics of the head: a list of `MetricValue`.
    Metrics,
    /// The worst paths: a list of `TimingPath`.
    WorstPaths {
        /// Setup or hold.
        mode: TimingMode,
        /// How many, up to 10,000.
        count: u32,
    },
    /// Worst slack over the pins of each instance, ns, null for an unconstrained one.
    Slacks {
        /// Setup or hold.
        mode: TimingMode,
        /// Up to 100,000 instances.
        cells: Vec<ObjectRef>,
    },
    /// Worst slack of each pin or port, ns, null for an unconstrained one.
    PinSlacks {
        /// Setup or hold.
        mode: TimingMode,
        /// Up to 100,000 pins.
        pins: Vec<ObjectRef>,
    },
    /// The worst paths through a pin or port: a list of `TimingPath`.
    PathsThrough {
        /// Setup or hold.
        mode: TimingMode,
        /// The pin or port.
        pin: ObjectRef,
        /// How many, up to 10,000.
        count: u32,
    },
    /// What moving or resizing an instance does to slack: `SlackGradient`.
    SlackGradient {
        /// Setup or hold.
        mode: TimingMode,
        /// The instance.
        cell: ObjectRef,
        /// Step of the moves, DBU.
        #[serde(with = "cellwright_contract::number::Int53")]
        step: i64,
    },
    /// What a delta would touch: `DirtySet`.
    Preview {
        /// The change.
        delta: DesignDelta,
    },
    /// Tries a delta on the head and takes it back: `Evaluation`.
    Evaluate {
        /// The change.
        delta: DesignDelta,
        /// How hard; `standard` when absent.
        #[serde(default)]
        effort: Effort,
    },
    /// What is left of the run's budget: `CostBudget`.
    Remaining,
}

impl Serialize for Call {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Call::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Call {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut call = Map::<String, Value>::deserialize(deserializer)?;
        // A method without arguments may be given none, as `{}` or as null.
        if call.get("args").is_some_and(|args| args.as_object().is_some_and(Map::is_empty)) {
            call.remove("args");
        }
        Call::deserialize(Value::Object(call)).map_err(de::Error::custom)
    }
}

impl Validate for Call {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        let at = at.field("args");
        match self {
            Call::Cells { count, .. } if *count > MAX_LIST => {
                r.push(&at.field("count"), format!("at most {MAX_LIST} a call; ask in pages"));
            }
            Call::WorstPaths { count, .. } if *count > MAX_PATHS => {
                r.push(&at.field("count"), format!("at most {MAX_PATHS}"));
            }
            Call::PathsThrough { count, .. } if *count > MAX_PATHS => {
                r.push(&at.field("count"), format!("at most {MAX_PATHS}"));
            }
            Call::PinSlacks { pins, .. } => {
                r.at_most(&at.field("pins"), "pins", pins.len(), MAX_LIST as usize);
            }
            Call::Slacks { cells, .. } => {
                r.at_most(&at.field("cells"), "cells", cells.len(), MAX_LIST as usize);
            }
            Call::Preview { delta } | Call::Evaluate { delta, .. } => {
                delta.check(&at.field("delta"), r);
            }
            _ => {}
        }
    }
}

/// Asks the view.
///
/// # Errors
/// [`PlatformError`]; a call that breaks a rule is [`PlatformError::Invalid`] with every problem.
pub fn answer(view: &mut dyn View, call: &Call) -> Result<Value, PlatformError> {
    call.validate().map_err(|error| PlatformError::Invalid(error.to_string()))?;
    match call {
        Call::Design => json(view.design()),
        Call::Rows => json(view.rows()?),
        Call::Cells { first, count } => json(view.cells(*first, *count)?),
        Call::Cell { cell } => json(view.cell(cell)?),
        Call::Net { net } => json(view.net(net)?),
        Call::Variants { master } => json(view.variants(master)?),
        Call::Metrics => json(view.metrics()?),
        Call::WorstPaths { mode, count } => json(view.worst_paths(*mode, *count)?),
        Call::Slacks { mode, cells } => json(view.slacks(*mode, cells)?),
        Call::PinSlacks { mode, pins } => json(view.pin_slacks(*mode, pins)?),
        Call::PathsThrough { mode, pin, count } => json(view.paths_through(*mode, pin, *count)?),
        Call::SlackGradient { mode, cell, step } => json(slack_gradient(view, *mode, cell, *step)?),
        Call::Preview { delta } => json(view.preview(delta)?),
        Call::Evaluate { delta, effort } => json(view.evaluate(delta, *effort)?),
        Call::Remaining => json(view.remaining()),
    }
}

fn json<T: Serialize>(value: T) -> Result<Value, PlatformError> {
    serde_json::to_value(value).map_err(|error| PlatformError::Internal(error.to_string()))
}
