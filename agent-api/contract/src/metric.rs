//! What is measured: names, units, which way is better, and a metric's resolution.
//!
//! The list is open: an engine may report others, but only a known metric has a direction that
//! everyone agrees on.

use crate::limits::MAX_NAME_BYTES;
use crate::number::Finite;
use crate::validate::{At, Report, Validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which way a metric is better.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Less is better.
    Minimize,
    /// More is better.
    Maximize,
}

/// A metric that this contract names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metric {
    /// Name as it stands in goals, objectives and results.
    pub name: &'static str,
    /// Unit of its values.
    pub unit: &'static str,
    /// Which way is better.
    pub direction: Direction,
    /// Values closer than this are not told apart, unless a scenario says otherwise.
    pub resolution: f64,
}

const fn metric(
    name: &'static str,
    unit: &'static str,
    direction: Direction,
    resolution: f64,
) -> Metric {
    Metric { name, unit, direction, resolution }
}

/// The metrics that this contract names.
///
/// Slack is signed (negative violates), so WNS and TNS are maximised.
pub const METRICS: &[Metric] = &[
    metric("hpwl", "um", Direction::Minimize, 1e-3),
    metric("steiner_wl", "um", Direction::Minimize, 1e-3),
    metric("wns_setup", "ns", Direction::Maximize, 1e-6),
    metric("tns_setup", "ns", Direction::Maximize, 1e-6),
    metric("wns_hold", "ns", Direction::Maximize, 1e-6),
    metric("tns_hold", "ns", Direction::Maximize, 1e-6),
    metric("violating_endpoints_setup", "1", Direction::Minimize, 1.0),
    metric("violating_endpoints_hold", "1", Direction::Minimize, 1.0),
    metric("max_slew_violations", "1", Direction::Minimize, 1.0),
    metric("max_cap_violations", "1", Direction::Minimize, 1.0),
    metric("max_fanout_violations", "1", Direction::Minimize, 1.0),
    metric("area", "um2", Direction::Minimize, 1e-6),
    metric("leakage", "nW", Direction::Minimize, 1e-6),
    metric("density_overflow", "1", Direction::Minimize, 1e-6),
    metric("max_density", "1", Direction::Minimize, 1e-6),
    metric("congestion", "1", Direction::Minimize, 1e-6),
    metric("proxy_cost", "1", Direction::Minimize, 1e-9),
    metric("displacement", "um", Direction::Minimize, 1e-3),
    metric("legality_violations", "1", Direction::Minimize, 1.0),
];

/// Looks up a metric of [`METRICS`]; `wns` and `tns` mean their setup forms.
#[must_use]
pub fn known(name: &str) -> Option<&'static Metric> {
    let name = match name {
        "wns" => "wns_setup",
        "tns" => "tns_setup",
        other => other,
    };
    METRICS.iter().find(|m| m.name == name)
}

/// One measured value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricValue {
    /// Metric name, such as `hpwl`.
    #[schemars(length(min = 1, max = 4096))]
    pub metric: String,
    /// Value in `unit`.
    #[serde(with = "Finite")]
    pub value: f64,
    /// Unit, such as `um` or `ns`; `1` for a count or ratio.
    #[schemars(length(min = 1, max = 64))]
    pub unit: String,
    /// Corner, for a metric that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corner: Option<String>,
}

impl Validate for MetricValue {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        r.name(&at.field("metric"), &self.metric, MAX_NAME_BYTES);
        r.name(&at.field("unit"), &self.unit, 64);
        r.finite(&at.field("value"), self.value);
        if let Some(corner) = &self.corner {
            r.name(&at.field("corner"), corner, MAX_NAME_BYTES);
        }
    }
}
