//! `manifest.json`: what a run was made from, and whether it can be replayed here.

use cellwright_contract::refs::Digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What a run was made from. New optional fields may appear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this file's form.
    pub schema_version: String,
    /// See [`Reproduction::id`](crate::digest::Reproduction::id).
    pub repro_id: Digest,
    /// Version of the engine.
    pub engine_version: String,
    /// SHA-256 of the scenario's canonical JSON.
    pub scenario_sha: Digest,
    /// First seed.
    pub seed: u64,
    /// Fingerprint by pack.
    pub packs: BTreeMap<String, String>,
    /// The snapshot that the run starts from.
    pub base_snapshot: Option<String>,
    /// How determinism is kept: `strict`.
    pub determinism: String,
}

/// Version of [`Manifest`]'s form.
pub const MANIFEST_SCHEMA_VERSION: &str = "1.0";

/// What replaying a run showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReplayOutcome {
    /// The same journal and the same world came out.
    Verified,
    /// The scenario is not the recorded one.
    ScenarioChanged,
    /// The engine is not the recorded one.
    EngineMismatch,
    /// A library, technology or other input is not the recorded one.
    PackChanged {
        /// The packs that differ.
        packs: Vec<String>,
    },
    /// The run went another way.
    TrajectoryDiverged {
        /// Which run.
        run: String,
        /// First entry that differs.
        seq: u64,
    },
}

impl ReplayOutcome {
    /// Exit code of a replay: 0 when it is verified, else a code of its own.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            ReplayOutcome::Verified => 0,
            ReplayOutcome::ScenarioChanged => 10,
            ReplayOutcome::EngineMismatch => 11,
            ReplayOutcome::PackChanged { .. } => 12,
            ReplayOutcome::TrajectoryDiverged { .. } => 13,
        }
    }
}

impl fmt::Display for ReplayOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayOutcome::Verified => f.write_str("VERIFIED"),
            ReplayOutcome::ScenarioChanged => f.write_str("SCENARIO_CHANGED"),
            ReplayOutcome::EngineMismatch => f.write_str("ENGINE_MISMATCH"),
            ReplayOutcome::PackChanged { packs } => {
                write!(f, "PACK_CHANGED {}", packs.join(", "))
            }
            ReplayOutcome::TrajectoryDiverged { run, seq } => {
                write!(f, "TRAJECTORY_DIVERGED run {run} seq {seq}")
            }
        }
    }
}

impl Manifest {
    /// Why a run cannot be replayed here, if it cannot. Scenario, engine and packs are looked at in
    /// this order, before anything runs.
    #[must_use]
    pub fn mismatch(&self, here: &Manifest) -> Option<ReplayOutcome> {
        if self.scenario_sha != here.scenario_sha {
            return Some(ReplayOutcome::ScenarioChanged);
        }
        if self.engine_version != here.engine_version {
            return Some(ReplayOutcome::EngineMismatch);
        }
        let names = self.packs.keys().chain(here.packs.keys());
        let mut packs: Vec<_> =
            names.filter(|name| self.packs.get(*name) != here.packs.get(*name)).cloned().collect();
        packs.sort();
        packs.dedup();
        if self.base_snapshot != here.base_snapshot {
            packs.push("base_snapshot".into());
        }
        if packs.is_empty() { None } else { Some(ReplayOutcome::PackChanged { packs }) }
    }
}
