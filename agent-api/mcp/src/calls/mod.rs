//! What each tool does.

mod change;
mod long;
mod look;
mod open;
mod results;
mod shared;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cellwright_contract::delta::DesignDelta;
use cellwright_contract::metric::MetricValue;
use cellwright_contract::platform::PlatformError;
use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::args;
use crate::reply::{Answer, Fail};
use crate::rooms::{Rooms, Run};
use crate::tasks::Task;

pub(crate) use long::told;

/// A tool's answer, or the long work that will give it.
pub(crate) enum Outcome {
    Now(Box<Answer>),
    Later(Arc<Task>, Duration),
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Outcome {
        Outcome::Now(Box::new(answer))
    }
}

/// How much is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    #[default]
    Concise,
    Detailed,
}

impl Format {
    fn detailed(self) -> bool {
        self == Format::Detailed
    }
}

/// Calls a tool.
pub(crate) async fn call(
    rooms: &Arc<Rooms>,
    tool: &Tool,
    mut arguments: Map<String, Value>,
) -> Result<Outcome, Fail> {
    shared::translate(rooms, tool, &mut arguments)?;
    let schema = &tool.input_schema;
    Ok(match &*tool.name {
        "cw.open" => open::open(rooms, args::read(schema, arguments)?)?,
        "cw.close" => open::close(rooms, args::read(schema, arguments)?).await?.into(),
        "cw.db" => look::db(rooms, args::read(schema, arguments)?).await?.into(),
        "cw.measure" => look::measure(rooms, args::read(schema, arguments)?).await?.into(),
        "cw.sta" => look::sta(rooms, args::read(schema, arguments)?).await?.into(),
        "cw.preview" => look::preview(rooms, args::read(schema, arguments)?).await?.into(),
        "cw.picture" => look::picture(rooms, args::read(schema, arguments)?).await?.into(),
        "cw.evaluate" => change::evaluate(rooms, args::read(schema, arguments)?).await?.into(),
        "cw.commit" => change::commit(rooms, args::read(schema, arguments)?).await?.into(),
        "cw.place" => long::place(rooms, args::read(schema, arguments)?)?,
        "cw.legalize" => long::legalize(rooms, args::read(schema, arguments)?).await?,
        "cw.optimize" => long::optimize(rooms, args::read(schema, arguments)?)?,
        "cw.task" => long::task(rooms, args::read(schema, arguments)?).await?.into(),
        "cw.results" => results::results(rooms, args::read(schema, arguments)?).await?.into(),
        other => return Err(Fail::not_found(format!("no tool `{other}`"))),
    })
}

/// How long to wait for long work.
fn patience(seconds: Option<f64>) -> Result<Duration, Fail> {
    match seconds {
        None => Ok(Duration::from_secs(10)),
        Some(seconds) if (0.0..=50.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        Some(seconds) => Err(Fail::invalid(format!("`wait_seconds` is {seconds}; give 0 to 50"))),
    }
}

/// Metrics as a model reads them: name to value. Without `all`, only what the scenario is about and
/// what is not as it should be.
fn metrics(values: &[MetricValue], run: &Run, all: bool) -> Value {
    let wanted = |m: &&MetricValue| {
        all || run.scenario.objectives.iter().any(|o| o.metric == m.metric)
            || matches!(m.metric.as_str(), "hpwl" | "wns_setup" | "tns_setup" | "tns_hold")
            || (m.metric == "legality_violations" && m.value != 0.0)
    };
    let pairs = values.iter().filter(wanted).map(|m| (m.metric.clone(), json!(m.value)));
    Value::Object(pairs.collect())
}

/// What changed between two lists of metrics; equal ones are left out.
fn change(from: &[MetricValue], to: &[MetricValue]) -> Value {
    let before: BTreeMap<&str, f64> = from.iter().map(|m| (m.metric.as_str(), m.value)).collect();
    let pairs = to.iter().filter_map(|m| {
        let was = before.get(m.metric.as_str())?;
        (m.value != *was).then(|| (m.metric.clone(), json!(m.value - was)))
    });
    Value::Object(pairs.collect())
}

/// A change as an argument: a handle, or the change itself.
async fn delta_of(run: &Arc<Run>, written: Value) -> Result<DesignDelta, Fail> {
    if let Value::String(handle) = &written {
        return run.delta(handle);
    }
    Ok(run.chair.look(move |view| args::delta(view, &written)).await?)
}

/// Runs work that blocks away from the server's own threads.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PlatformError> + Send + 'static,
) -> Result<T, Fail> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => Ok(result?),
        Err(error) => Err(Fail {
            code: "internal",
            message: format!(
                "the work ended unexpectedly ({error}); this is a fault of cellwright"
            ),
        }),
    }
}

/// A page of a list: the items, and where the next begins.
fn page(first: Option<u64>, count: Option<u64>, most: u64) -> Result<(u64, u64), Fail> {
    let count = count.unwrap_or(20);
    if count > most {
        return Err(Fail::invalid(format!(
            "`count` is {count}; at most {most} a call, then go on with `first`"
        )));
    }
    Ok((first.unwrap_or(0), count))
}
