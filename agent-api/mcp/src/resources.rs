//! What is too large for a reply, under addresses.

use std::sync::Arc;

use base64::Engine as _;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::desk::Scene;
use crate::picture::{self, Colour, Frame};
use crate::reply::{Fail, shorten};
use crate::rooms::{Rooms, Run};

/// Most bytes of one resource.
const MAX_BYTES: usize = 64 << 20;

/// The schema that a change is written by, for who wants it whole.
const CHANGE_SCHEMA: &str = "cellwright://schema/design-delta";

fn named(uri: String, name: &str, about: &str, mime: &str) -> Resource {
    let mut resource = Resource::new(uri, name);
    resource.description = Some(about.to_owned());
    resource.mime_type = Some(mime.to_owned());
    resource
}

/// What can be read now.
pub(crate) fn list(rooms: &Rooms) -> Vec<Resource> {
    let mut all = vec![named(
        CHANGE_SCHEMA.to_owned(),
        "schema of a change",
        "JSON Schema of DesignDelta",
        "application/schema+json",
    )];
    for run in rooms.runs() {
        let uri = |kind: &str| format!("cellwright://{}/{kind}", run.name);
        let name = |kind: &str| format!("{kind} of {}", run.name);
        all.push(named(
            uri("scenario"),
            &name("scenario"),
            "What is optimised, inside which bounds",
            "application/json",
        ));
        all.push(named(
            uri("journal"),
            &name("journal"),
            "One line a proposal",
            "application/jsonl",
        ));
        all.push(named(uri("layout.png"), &name("layout"), "The head as a picture", "image/png"));
    }
    all
}

/// Kinds of addresses.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, mime: &str| {
        let mut template = ResourceTemplate::new(uri, name);
        template.mime_type = Some(mime.to_owned());
        template
    };
    vec![
        template("cellwright://{run}/scenario", "scenario of a run", "application/json"),
        template("cellwright://{run}/journal", "journal of a run", "application/jsonl"),
        template("cellwright://{run}/layout.png", "layout of the head", "image/png"),
        template("cellwright://{run}/certificate/{id}", "signed certificate", "application/json"),
        template("cellwright://{run}/delta/{handle}", "a change", "application/json"),
        template("cellwright://reply/{number}", "a reply that was cut, whole", "application/json"),
    ]
}

fn text(uri: &str, mime: &str, text: String) -> Result<ReadResourceResult, Fail> {
    if text.len() > MAX_BYTES {
        return Err(Fail {
            code: "too_large",
            message: format!("{} bytes, at most {MAX_BYTES} are read over this door", text.len()),
        });
    }
    Ok(ReadResourceResult::new(vec![ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(mime.to_owned()),
        text,
        meta: None,
    }]))
}

/// Reads one.
pub(crate) async fn read(rooms: &Arc<Rooms>, uri: &str) -> Result<ReadResourceResult, Fail> {
    let unknown = || {
        Fail::not_found(format!("there is no resource {}; see resources/list", shorten(uri, 200)))
    };
    if uri == CHANGE_SCHEMA {
        let published = cellwright_contract::schema::published();
        let schema = published.iter().find(|one| one.name == "design-delta").ok_or_else(unknown)?;
        return text(
            uri,
            "application/schema+json",
            cellwright_contract::schema::text(&schema.schema),
        );
    }
    let path = uri.strip_prefix("cellwright://").ok_or_else(unknown)?;
    let (place, rest) = path.split_once('/').ok_or_else(unknown)?;
    if place == "reply" {
        let kept = rest.parse().ok().and_then(|number| rooms.shelved(number));
        return text(uri, "application/json", kept.ok_or_else(unknown)?);
    }
    let run = rooms.run(Some(place))?;
    match rest.split_once('/') {
        None if rest == "scenario" => {
            let scenario = serde_json::to_string_pretty(&run.scenario).unwrap_or_default();
            text(uri, "application/json", scenario)
        }
        None if rest == "journal" => {
            let bench = run.bench.clone();
            let journal = crate::calls::aside(move || bench.journal()).await?;
            text(uri, "application/jsonl", journal)
        }
        None if rest == "layout.png" => {
            let png = layout(&run).await?;
            let blob = base64::engine::general_purpose::STANDARD.encode(png);
            Ok(ReadResourceResult::new(vec![ResourceContents::BlobResourceContents {
                uri: uri.to_owned(),
                mime_type: Some("image/png".to_owned()),
                blob,
                meta: None,
            }]))
        }
        Some(("certificate", id)) => {
            let (bench, id) = (run.bench.clone(), id.to_owned());
            text(
                uri,
                "application/json",
                crate::calls::aside(move || bench.certificate(&id)).await?,
            )
        }
        Some(("delta", handle)) => {
            let delta = run.delta(handle)?;
            text(uri, "application/json", serde_json::to_string(&delta).unwrap_or_default())
        }
        _ => Err(unknown()),
    }
}

async fn layout(run: &Arc<Run>) -> Result<Vec<u8>, Fail> {
    let number = run.state(None)?.0;
    let bench = run.bench.clone();
    crate::calls::aside(move || {
        let scene: Scene = bench.scene(number, true)?;
        let frame = Frame { region: scene.die, width: 1200, colour: Colour::Kind };
        let drawn = picture::draw(&scene, &frame, &[]).map_err(|error| {
            cellwright_contract::platform::PlatformError::Internal(error.to_string())
        })?;
        Ok(drawn.png)
    })
    .await
}
