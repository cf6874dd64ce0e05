//! What a proposal promises of a metric.
//!
//! Two written forms: the object, and a short text. `"-5%"` means *improve by 5 pct against
//! parent*, whichever way the metric improves. `"+5%"` means the same for a known metric that is
//! maximised and is refused otherwise, because it would read as getting worse. `"0%"` means
//! *no worse*.

use crate::limits::MAX_NAME_BYTES;
use crate::metric::{Direction, known};
use crate::number::FiniteOpt;
use crate::text::shown;
use crate::validate::{At, Report, Validate};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// How the metric relates to the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GoalOp {
    /// At most `value`.
    Le,
    /// At least `value`.
    Ge,
    /// Better than the reference by at least `value` (any improvement when absent).
    Improve,
    /// Not worse than the reference by more than `value` (nothing when absent).
    NoWorse,
}

/// How `value` is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GoalUnit {
    /// In the metric's own unit.
    #[default]
    Abs,
    /// In percent of the magnitude of the reference.
    Pct,
}

/// What the metric is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GoalRef {
    /// The parent snapshot.
    #[default]
    Parent,
    /// The snapshot that the run started from.
    Baseline,
    /// The best value in the archive.
    Best,
}

/// What is promised of one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricGoal {
    /// The metric. Inside `expected_metrics` it may be left out and is then the key; when given
    /// it must equal the key.
    #[serde(default)]
    #[schemars(length(max = 4096))]
    pub metric: String,
    /// Relation.
    pub op: GoalOp,
    /// The number; needed for `le` and `ge`.
    #[serde(default, with = "FiniteOpt", skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// How `value` is meant.
    #[serde(default)]
    pub unit: GoalUnit,
    /// What is compared with; `le` and `ge` with `abs` compare with nothing.
    #[serde(default, rename = "ref")]
    pub reference: GoalRef,
    /// A hard goal that is not met fails the gate `goals`; a soft one is only reported.
    #[serde(default)]
    pub hard: bool,
}

/// A short form that is not a goal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text} is not a goal for {metric}: {why}")]
pub struct GoalError {
    metric: String,
    text: String,
    why: &'static str,
}

impl MetricGoal {
    /// Reads the short form for a metric, such as `-5%`.
    ///
    /// # Errors
    /// [`GoalError`] when the text is no percentage, or is a `+` for a metric that is minimised
    /// or unknown.
    pub fn from_short(metric: &str, text: &str) -> Result<Self, GoalError> {
        let refuse = |why| GoalError { metric: shown(metric), text: shown(text), why };
        let pct = text
            .strip_suffix('%')
            .ok_or_else(|| refuse("write a percentage such as \"-5%\", or an object"))?;
        let digits = pct.strip_prefix(['-', '+']).unwrap_or(pct);
        let plain = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit() || c == b'.');
        let value: f64 = match digits.parse() {
            Ok(v) if plain && f64::is_finite(v) => v,
            _ => return Err(refuse("write a percentage such as \"-5%\", or an object")),
        };
        let goal = |op, value| MetricGoal {
            metric: metric.to_owned(),
            op,
            value,
            unit: GoalUnit::Pct,
            reference: GoalRef::Parent,
            hard: false,
        };
        if value == 0.0 {
            return Ok(goal(GoalOp::NoWorse, None));
        }
        let maximized = known(metric).is_some_and(|m| m.direction == Direction::Maximize);
        if pct.starts_with('-') || maximized {
            return Ok(goal(GoalOp::Improve, Some(value)));
        }
        Err(refuse("\"-5%\" means improve by 5 pct; more is not better for this metric"))
    }

    /// Whether the goal is met by a value, given the value that it is compared with.
    ///
    /// `direction` is the metric's; `reference` is the reference value in the same unit. Percent
    /// means of the reference's magnitude. A NaN never meets a goal.
    #[must_use]
    pub fn met(&self, direction: Direction, value: f64, reference: f64) -> bool {
        let amount = self.value.unwrap_or(0.0);
        let scaled = match self.unit {
            GoalUnit::Abs => amount,
            GoalUnit::Pct => amount / 100.0 * reference.abs(),
        };
        let gain = match direction {
            Direction::Minimize => reference - value,
            Direction::Maximize => value - reference,
        };
        let bound = match self.unit {
            GoalUnit::Abs => amount,
            // `le 95 pct` is 95 percent of the reference.
            GoalUnit::Pct => amount / 100.0 * reference,
        };
        match self.op {
            GoalOp::Le => value <= bound,
            GoalOp::Ge => value >= bound,
            GoalOp::Improve => gain > 0.0 && gain >= scaled,
            GoalOp::NoWorse => gain >= -scaled,
        }
    }
}

impl Validate for MetricGoal {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        r.name(&at.field("metric"), &self.metric, MAX_NAME_BYTES);
        match self.value {
            Some(v) => {
                r.finite(&at.field("value"), v);
                if v < 0.0 && matches!(self.op, GoalOp::Improve | GoalOp::NoWorse) {
                    r.push(&at.field("value"), "an amount of change must not be negative");
                }
            }
            None if matches!(self.op, GoalOp::Le | GoalOp::Ge) => {
                r.push(at, "le and ge need a value");
            }
            None => {}
        }
    }
}

/// Goals by metric. Each value is a [`MetricGoal`] or its short form.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(transparent)]
pub struct Goals(pub BTreeMap<String, MetricGoal>);

impl JsonSchema for Goals {
    fn schema_name() -> Cow<'static, str> {
        "Goals".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let goal = generator.subschema_for::<MetricGoal>();
        json_schema!({
            "type": "object",
            "description": "Goals by metric: an object, or a short form such as \"-5%\" \
                (improve by 5 pct against parent).",
            "maxProperties": crate::limits::MAX_GOALS,
            "additionalProperties": {
                "anyOf": [goal, {"type": "string", "pattern": r"^[-+]?[0-9]*\.?[0-9]+%$"}],
            },
        })
    }
}

/// One value of the map before its key is known.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Short(String),
    Full(MetricGoal),
}

impl<'de> Deserialize<'de> for Goals {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Map;

        impl<'de> Visitor<'de> for Map {
            type Value = Goals;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from metric to goal")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Goals, A::Error> {
                let mut out = BTreeMap::new();
                while let Some(key) = map.next_key::<String>()? {
                    let goal = match map.next_value::<Written>().map_err(|_| {
                        de::Error::custom(format_args!(
                            "the goal for {} is neither a MetricGoal nor a text such as \"-5%\"",
                            shown(&key)
                        ))
                    })? {
                        Written::Short(text) => {
                            MetricGoal::from_short(&key, &text).map_err(de::Error::custom)?
                        }
                        Written::Full(mut goal) => {
                            if goal.metric.is_empty() {
                                goal.metric.clone_from(&key);
                            }
                            goal
                        }
                    };
                    if out.insert(key, goal).is_some() {
                        return Err(de::Error::custom("a metric stands twice"));
                    }
                }
                Ok(Goals(out))
            }
        }

        d.deserialize_map(Map)
    }
}

impl Validate for Goals {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        r.at_most(at, "goals", self.0.len(), crate::limits::MAX_GOALS);
        for (key, goal) in &self.0 {
            let at = at.field(key);
            goal.check(&at, r);
            if goal.metric != *key {
                r.push(&at.field("metric"), format!("must equal its key {}", shown(key)));
            }
        }
    }
}
