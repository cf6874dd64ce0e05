//! `cellwright diff RUN [RUN]`: what a run changed, or what differs between the worlds of two runs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cellwright_judge::digest::world::{Entity, WorldDiff, apply_diff, world_diff};
use cellwright_judge::journal::read_all;
use cellwright_judge::run::RunFolder;
use cellwright_judge::verdict::{Verdict, first_divergence};
use clap::Args;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A run directory.
    run: PathBuf,
    /// Another run directory: compares the worlds that the two left.
    other: Option<PathBuf>,
    /// The difference as JSON, by pack and collection.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let left = changes(&arguments.run)?;
    let Some(other) = &arguments.other else {
        show(&left, arguments.json)?;
        return Ok(ExitCode::SUCCESS);
    };
    let right = changes(other)?;
    // Both worlds began from what either run says was there before it changed it.
    let base = began(&[&left, &right]);
    let (before, after) = (apply_diff(&base, &left), apply_diff(&base, &right));
    let diff = world_diff(&before, &after)?;
    show(&diff, arguments.json)?;
    let divergence = divergence(&arguments.run, other)?;
    if !arguments.json {
        match &divergence {
            Some(seq) => say!("the journals part at entry {seq}"),
            None => say!("the journals are the same, wall time left out"),
        }
    }
    Ok(ExitCode::from(u8::from(divergence.is_some() || !diff.is_empty())))
}

fn changes(folder: &Path) -> Result<WorldDiff, Failure> {
    let folder = RunFolder::open(folder);
    let verdict: Verdict = folder.read_json(&folder.verdict())?;
    let run = verdict.runs.into_iter().next();
    let run =
        run.ok_or_else(|| Failure::input(format!("{}: holds no run", folder.verdict().display())))?;
    Ok(run.world_diff)
}

/// Entities that some run found and changed or removed, as they were before.
fn began(diffs: &[&WorldDiff]) -> Vec<Entity> {
    let mut world: Vec<Entity> = Vec::new();
    for (pack, collections) in diffs.iter().flat_map(|diff| diff.iter()) {
        for (collection, changes) in collections {
            let changed = changes.changed.iter().map(|entity| (&entity["id"], &entity["before"]));
            let removed = changes.removed.iter().map(|entity| (&entity["id"], &entity["data"]));
            for (id, data) in changed.chain(removed) {
                let entity_type = format!("{pack}.{collection}");
                if !world.iter().any(|e| e.entity_type == entity_type && e.id == *id) {
                    world.push(Entity { entity_type, id: id.clone(), data: data.clone() });
                }
            }
        }
    }
    world
}

fn divergence(left: &Path, right: &Path) -> Result<Option<u64>, Failure> {
    let mut journals = Vec::new();
    for path in [left, right] {
        let (entries, _) = read_all(&RunFolder::open(path).journal())?;
        let canonical: Result<Vec<_>, _> = entries.iter().map(|e| e.canonical()).collect();
        journals.push((path.display().to_string(), canonical?));
    }
    Ok(first_divergence(&journals).map(|divergence| divergence.seq))
}

fn show(diff: &WorldDiff, json: bool) -> Result<(), Failure> {
    if json {
        say!("{}", serde_json::to_string_pretty(diff)?);
        return Ok(());
    }
    if diff.values().all(|pack| pack.is_empty()) {
        say!("no difference");
    }
    for (pack, collections) in diff {
        for (collection, changes) in collections {
            say!(
                "{pack}.{collection}: {} added, {} removed, {} changed",
                changes.added.len(),
                changes.removed.len(),
                changes.changed.len()
            );
            let marked = changes.added.iter().map(|entity| ('+', entity));
            for (mark, entity) in marked.chain(changes.removed.iter().map(|e| ('-', e))) {
                say!("  {mark} {} {}", entity["id"], entity["data"]);
            }
            for entity in &changes.changed {
                say!("  ~ {} {} -> {}", entity["id"], entity["before"], entity["after"]);
            }
        }
    }
    Ok(())
}
