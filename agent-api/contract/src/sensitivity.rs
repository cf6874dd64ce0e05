//! What moving or resizing one instance does to timing, by trying it.

use crate::budget::Effort;
use crate::delta::{CellMove, CellResize, DesignDelta, TimingMode};
use crate::geometry::Position;
use crate::number::{Finite, Int53};
use crate::platform::{PlatformError, View};
use crate::refs::ObjectRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Worst and total negative slack, ns; or changes of both.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlackPair {
    /// Worst negative slack; 0 where nothing is late.
    #[serde(with = "Finite")]
    pub wns: f64,
    /// Total negative slack.
    #[serde(with = "Finite")]
    pub tns: f64,
}

impl SlackPair {
    fn less(self, other: SlackPair) -> SlackPair {
        SlackPair { wns: self.wns - other.wns, tns: self.tns - other.tns }
    }
    fn over(self, by: f64) -> SlackPair {
        SlackPair { wns: self.wns / by, tns: self.tns / by }
    }
}

/// What another master would change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MasterChange {
    /// The master.
    pub master: String,
    /// Slack with it less slack without, ns.
    pub change: SlackPair,
}

/// The slack gradient of an instance. Differences of exact evaluations, not estimates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlackGradient {
    /// Setup or hold.
    pub mode: TimingMode,
    /// Slack of the head, ns.
    pub head: SlackPair,
    /// Step of the differences, DBU.
    #[serde(with = "Int53")]
    pub step: i64,
    /// Change for each µm to the right, ns/µm; absent when the instance cannot move there.
    pub right: Option<SlackPair>,
    /// Change for each µm upwards, ns/µm; likewise.
    pub up: Option<SlackPair>,
    /// What each other master of the same function changes, weakest drive first.
    pub masters: Vec<MasterChange>,
}

fn slack_after(
    view: &mut (impl View + ?Sized),
    mode: TimingMode,
    delta: &DesignDelta,
) -> Result<SlackPair, PlatformError> {
    let (wns, tns) = match mode {
        TimingMode::Setup => ("wns_setup", "tns_setup"),
        TimingMode::Hold => ("wns_hold", "tns_hold"),
    };
    let tried = view.evaluate(delta, Effort::Standard)?;
    let metric = |name: &str| {
        let none = || PlatformError::Unsupported("the design has no timing".to_owned());
        tried.metric(name).ok_or_else(none)
    };
    Ok(SlackPair { wns: metric(wns)?, tns: metric(tns)? })
}

/// The slack gradient of `cell`: moved by `step` DBU both ways along both axes, and with each other
/// master that it may have. Nothing is kept; each try costs what an evaluation costs.
///
/// # Errors
/// [`PlatformError::Invalid`] when `step` is not positive; [`PlatformError::NotFound`];
/// [`PlatformError::Unsupported`] when the design has no timing; [`PlatformError::Budget`].
pub fn slack_gradient(
    view: &mut (impl View + ?Sized),
    mode: TimingMode,
    cell: &ObjectRef,
    step: i64,
) -> Result<SlackGradient, PlatformError> {
    if step <= 0 {
        return Err(PlatformError::Invalid("step must be positive".to_owned()));
    }
    let info = view.cell(cell)?;
    let dbu = f64::from(view.design().dbu_per_um);
    let head = slack_after(view, mode, &DesignDelta::default())?;
    let mut along = |x: i64, y: i64| -> Result<Option<SlackPair>, PlatformError> {
        let Some(from) = info.position.filter(|_| info.movable) else { return Ok(None) };
        let mut tried = |sign: i64| {
            let add = |at: i64, by: i64| at.checked_add(sign * by);
            let (Some(x), Some(y)) = (add(from.x, x), add(from.y, y)) else { return Ok(None) };
            let to = Position { x, y, ..from };
            let moved_cells = vec![CellMove { cell_id: info.id.clone(), from, to }];
            let delta = DesignDelta { moved_cells, ..DesignDelta::default() };
            match slack_after(view, mode, &delta) {
                Ok(slack) => Ok(Some(slack)),
                // Beyond where coordinates go.
                Err(PlatformError::Invalid(_)) => Ok(None),
                Err(error) => Err(error),
            }
        };
        let um = (x + y) as f64 / dbu;
        Ok(match (tried(-1)?, tried(1)?) {
            (Some(back), Some(on)) => Some(on.less(back).over(2.0 * um)),
            (None, Some(on)) => Some(on.less(head).over(um)),
            (Some(back), None) => Some(head.less(back).over(um)),
            (None, None) => None,
        })
    };
    let (right, up) = (along(step, 0)?, along(0, step)?);
    let mut masters = Vec::new();
    let variants = if info.resizable { view.variants(&info.master)? } else { Vec::new() };
    for variant in variants.into_iter().filter(|variant| variant.name != info.master) {
        let resize = CellResize {
            cell_id: info.id.clone(),
            from_master: info.master.clone(),
            to_master: variant.name.clone(),
        };
        let delta = DesignDelta { resized_cells: vec![resize], ..DesignDelta::default() };
        let change = slack_after(view, mode, &delta)?.less(head);
        masters.push(MasterChange { master: variant.name, change });
    }
    Ok(SlackGradient { mode, head, step, right, up, masters })
}
