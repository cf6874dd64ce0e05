//! Repeated runs of one scenario in one verdict.

use cellwright_contract::refs::Digest;
use cellwright_judge::journal::manifest::Manifest;
use cellwright_judge::journal::read_all;
use cellwright_judge::run::RunFolder;
use cellwright_judge::verdict::{Verdict, first_divergence};

use crate::failure::Failure;

/// The verdict over finished runs of the same scenario, seed, engine and input, named `run-1`,
/// `run-2`, … in the order given. The first divergence is the first journal entry at which a run
/// differs from the first one, wall time left out.
///
/// # Errors
/// When there is no run, one did not end, one was made from something else, or a journal is not the
/// one that its verdict speaks of.
pub fn verdict(folders: &[RunFolder]) -> Result<Verdict, Failure> {
    let mut runs = Vec::new();
    let mut journals = Vec::new();
    let mut common: Option<Digest> = None;
    for (number, folder) in (1..).zip(folders) {
        let root = folder.root().display();
        let manifest: Manifest = folder.read_json(&folder.manifest())?;
        if common.as_ref().is_some_and(|id| *id != manifest.repro_id) {
            return Err(Failure::input(format!(
                "{root}: made from another scenario, seed, engine or input than the first run"
            )));
        }
        common.get_or_insert(manifest.repro_id);
        let own: Verdict = folder.read_json(&folder.verdict())?;
        let (entries, point) = read_all(&folder.journal())?;
        let [record] = &own.runs[..] else {
            return Err(Failure::input(format!(
                "{}: must hold one run, holds {}",
                folder.verdict().display(),
                own.runs.len()
            )));
        };
        if Digest::Sha256(record.journal_digest.0) != point.digest {
            return Err(Failure::input(format!(
                "{}: is not the journal that the run's verdict speaks of",
                folder.journal().display()
            )));
        }
        let mut record = record.clone();
        record.run_id = format!("run-{number}");
        let canonical: Result<Vec<_>, _> = entries.iter().map(|entry| entry.canonical()).collect();
        journals.push((record.run_id.clone(), canonical?));
        runs.push(record);
    }
    let common = common.ok_or_else(|| Failure::input("a verdict needs at least one run"))?;
    let divergence = first_divergence(&journals);
    Ok(Verdict::of(common, runs, divergence))
}
