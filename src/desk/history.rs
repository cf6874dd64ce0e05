//! The snapshots of a run, followed beside the loop.

use cellwright_contract::metric::MetricValue;
use cellwright_contract::proposal::Proposal;
use cellwright_contract::refs::SnapshotRef;
use cellwright_contract::scenario::Scenario;
use cellwright_db::{Design, Root, Snapshot};
use cellwright_judge::certify::certificate_id;
use cellwright_judge::engines::value_of;
use cellwright_judge::pareto::{Archive, Candidate, Objective};
use cellwright_judge::translate;
use cellwright_mcp::desk::State;

use crate::failure::Failure;

/// Snapshots, from the one that the run began with to the head.
#[derive(Debug)]
pub(super) struct History {
    design: Design,
    states: Vec<(Snapshot, State)>,
    archive: Archive,
    objectives: Vec<String>,
    previous: Option<String>,
    /// Why it no longer follows, once it does not.
    lost: Option<String>,
}

fn reference(root: Root) -> SnapshotRef {
    SnapshotRef::Root(root.0)
}

impl History {
    /// The beginning: a snapshot, and what was proposed before the first turn.
    pub(super) fn new(
        snapshot: &Snapshot,
        first: Option<&Proposal>,
        scenario: &Scenario,
    ) -> Result<History, Failure> {
        let mut design = Design::new(snapshot);
        let mut state =
            State { root: reference(snapshot.root()), proposal: None, certificate: None };
        let mut start = snapshot.clone();
        if let Some(proposal) = first {
            translate::apply(&mut design, &proposal.expected_delta)?;
            start = design.commit();
            let id = certificate_id(&proposal.id, snapshot.root(), start.root(), None);
            state = State {
                root: reference(start.root()),
                proposal: Some(proposal.id.clone()),
                certificate: Some(id),
            };
        }
        Ok(History {
            design,
            previous: state.certificate.clone(),
            states: vec![(start, state)],
            archive: Archive::new(Objective::of_scenario(scenario)?)?,
            objectives: scenario.objectives.iter().map(|o| o.metric.clone()).collect(),
            lost: None,
        })
    }

    /// Why it no longer follows.
    pub(super) fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    /// The states.
    pub(super) fn states(&self) -> Vec<State> {
        self.states.iter().map(|(_, state)| state.clone()).collect()
    }

    /// One snapshot.
    pub(super) fn snapshot(&self, number: usize) -> Option<&Snapshot> {
        self.states.get(number).map(|(snapshot, _)| snapshot)
    }

    /// The archive.
    pub(super) fn archive(&self) -> &Archive {
        &self.archive
    }

    /// Holds the beginning against the loop's own head, and notes its figures.
    pub(super) fn settle(&mut self, head: &SnapshotRef, metrics: &[MetricValue]) {
        let Some((_, state)) = self.states.first() else { return };
        if state.root != *head {
            self.lost = Some(format!("the loop begins at {head}, its history at {}", state.root));
        } else if let Some(id) = state.proposal.clone() {
            self.note(&id, metrics);
        }
    }

    fn note(&mut self, id: &str, metrics: &[MetricValue]) {
        let values: Option<Vec<f64>> =
            self.objectives.iter().map(|name| value_of(metrics, name)).collect();
        let Some(values) = values else { return };
        if let Err(error) = self.archive.insert(Candidate { id: id.to_owned(), values }) {
            self.lost = Some(error.to_string());
        }
    }

    /// Follows a proposal that became the head.
    pub(super) fn follow(
        &mut self,
        proposal: &Proposal,
        head: &SnapshotRef,
        metrics: &[MetricValue],
    ) {
        if self.lost.is_some() {
            return;
        }
        let parent = self.states.last().map(|(snapshot, _)| snapshot.root());
        if let Err(error) = translate::apply(&mut self.design, &proposal.expected_delta) {
            self.lost = Some(error.to_string());
            return;
        }
        let child = self.design.commit();
        if reference(child.root()) != *head {
            self.lost = Some(format!("the head is {head}, its history comes to {}", child.root()));
            return;
        }
        let id = parent.map(|parent| {
            certificate_id(&proposal.id, parent, child.root(), self.previous.as_deref())
        });
        self.previous.clone_from(&id);
        let state = State {
            root: reference(child.root()),
            proposal: Some(proposal.id.clone()),
            certificate: id,
        };
        self.states.push((child, state));
        self.note(&proposal.id, metrics);
    }
}
