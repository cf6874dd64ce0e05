//! The archive: incremental fronts and what is read from them.

use super::crowding::crowding;
use super::frame::{Frame, Standing};
use super::hypervolume::{exclusive, hypervolume};
use super::objective::{ArchiveError, Candidate, Objective};
use super::{Relation, relation};
use crate::digest::merkle::Merkle;
use cellwright_contract::limits::MAX_DOMINATED_BY;
use cellwright_contract::metric::Direction;
use cellwright_contract::rank::{ParetoRank, RankedObjective, RegretDetail};
use cellwright_contract::refs::Hex32;
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
struct Stored {
    id: String,
    values: Vec<f64>,
    cost: Vec<f64>,
    front: usize,
}

/// The candidates of one design and scenario that passed every gate.
#[derive(Debug, Clone)]
pub struct Archive {
    objectives: Vec<Objective>,
    stored: Vec<Stored>,
    by_id: BTreeMap<String, usize>,
    /// Indices into `stored`, front by front.
    fronts: Vec<Vec<usize>>,
}

impl Archive {
    /// An empty archive.
    ///
    /// # Errors
    /// [`ArchiveError::Objective`] without objectives, or when one is not usable or stands twice.
    pub fn new(objectives: Vec<Objective>) -> Result<Self, ArchiveError> {
        let refuse = |metric: &str, why: &str| {
            Err(ArchiveError::Objective { metric: metric.into(), why: why.into() })
        };
        for (i, o) in objectives.iter().enumerate() {
            o.check()?;
            if objectives.iter().take(i).any(|p| p.metric == o.metric) {
                return refuse(&o.metric, "it stands twice");
            }
        }
        let total: f64 = objectives.iter().map(|o| o.weight).sum();
        if !(total > 0.0 && total.is_finite()) {
            return refuse("*", "the weights must add up to a positive number");
        }
        Ok(Archive { objectives, stored: Vec::new(), by_id: BTreeMap::new(), fronts: Vec::new() })
    }

    /// The objectives.
    #[must_use]
    pub fn objectives(&self) -> &[Objective] {
        &self.objectives
    }

    /// Candidates held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stored.len()
    }

    /// True when it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stored.is_empty()
    }

    /// The values of a candidate.
    #[must_use]
    pub fn values(&self, id: &str) -> Option<&[f64]> {
        Some(&self.find(id).ok()?.values)
    }

    fn find(&self, id: &str) -> Result<&Stored, ArchiveError> {
        let at = self.by_id.get(id).and_then(|i| self.stored.get(*i));
        at.ok_or_else(|| ArchiveError::Unknown(id.to_owned()))
    }

    /// Adds a candidate. Only the fronts that it changes are touched.
    ///
    /// # Errors
    /// [`ArchiveError`]; the archive is then as before.
    pub fn insert(&mut self, candidate: Candidate) -> Result<(), ArchiveError> {
        let Candidate { id, values } = candidate;
        if values.len() != self.objectives.len() {
            let (found, wanted) = (values.len(), self.objectives.len());
            return Err(ArchiveError::Dimension { id, found, wanted });
        }
        if self.by_id.contains_key(&id) {
            return Err(ArchiveError::Duplicate(id));
        }
        let mut cost = Vec::with_capacity(values.len());
        for (o, &value) in self.objectives.iter().zip(&values) {
            let Some(c) = o.cost(value) else {
                return Err(ArchiveError::Value { id, metric: o.metric.clone(), value });
            };
            cost.push(c);
        }
        // A candidate stands right behind the last front that holds one better than it. What is
        // dominated in a front is dominated in every front before, so the search may halve.
        let beaten = |front: &Vec<usize>| {
            front.iter().any(|&i| relation(&self.stored[i].cost, &cost) == Relation::Dominates)
        };
        let at = self.fronts.partition_point(beaten);
        let new = self.stored.len();
        self.by_id.insert(id.clone(), new);
        self.stored.push(Stored { id, values, cost, front: at });
        // The newcomer pushes what it dominates one front back; that pushes what *it* dominates.
        let mut pushed = vec![new];
        let mut k = at;
        while !pushed.is_empty() {
            if k == self.fronts.len() {
                self.fronts.push(Vec::new());
            }
            let (stored, front) = (&self.stored, &mut self.fronts[k]);
            let loses = |&i: &usize| {
                pushed
                    .iter()
                    .any(|&p| relation(&stored[p].cost, &stored[i].cost) == Relation::Dominates)
            };
            let (out, stay): (Vec<usize>, Vec<usize>) = front.iter().partition(|i| loses(i));
            *front = stay;
            front.extend(&pushed);
            for &p in &pushed {
                self.stored[p].front = k;
            }
            pushed = out;
            k += 1;
        }
        Ok(())
    }

    /// The fronts, best first; ids sorted within each.
    #[must_use]
    pub fn fronts(&self) -> Vec<Vec<&str>> {
        let sorted = |front: &Vec<usize>| {
            let mut ids: Vec<_> = front.iter().map(|&i| &*self.stored[i].id).collect();
            ids.sort_unstable();
            ids
        };
        self.fronts.iter().map(sorted).collect()
    }

    /// Number of a candidate's front; 0 is not dominated.
    ///
    /// # Errors
    /// [`ArchiveError::Unknown`].
    pub fn front(&self, id: &str) -> Result<usize, ArchiveError> {
        Ok(self.find(id)?.front)
    }

    /// Every candidate that dominates this one: best fronts first, then by id.
    ///
    /// # Errors
    /// [`ArchiveError::Unknown`].
    pub fn dominated_by(&self, id: &str) -> Result<Vec<&str>, ArchiveError> {
        let cost = &self.find(id)?.cost;
        let mut found: Vec<_> = self
            .stored
            .iter()
            .filter(|s| relation(&s.cost, cost) == Relation::Dominates)
            .map(|s| (s.front, &*s.id))
            .collect();
        found.sort_unstable();
        Ok(found.into_iter().map(|(_, id)| id).collect())
    }

    /// Crowding distance of a candidate in its front; infinite at the front's ends.
    ///
    /// # Errors
    /// [`ArchiveError::Unknown`].
    pub fn crowding(&self, id: &str) -> Result<f64, ArchiveError> {
        let s = self.find(id)?;
        Ok(crowding(&self.costs(s.front), &s.cost))
    }

    fn costs(&self, front: usize) -> Vec<&[f64]> {
        let front = self.fronts.get(front).into_iter().flatten();
        front.map(|&i| &*self.stored[i].cost).collect()
    }

    fn frame(&self) -> Option<Frame> {
        let all: Vec<&[f64]> = self.stored.iter().map(|s| &*s.cost).collect();
        Frame::of(&self.objectives, &self.costs(0), &all)
    }

    /// The best front in the unit box between ideal and reference, each vector once.
    fn boxed(&self, frame: &Frame) -> Vec<Vec<f64>> {
        let mut points: Vec<_> = self.costs(0).iter().map(|c| frame.boxed(c)).collect();
        points.sort_by(|a, b| {
            a.iter()
                .zip(b)
                .map(|(x, y)| x.total_cmp(y))
                .fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        points.dedup();
        points
    }

    /// Hypervolume of the best front, as a share of the box between ideal and reference; none when
    /// the archive is empty or the front too large to compute it exactly.
    #[must_use]
    pub fn hypervolume(&self) -> Option<f64> {
        let frame = self.frame()?;
        hypervolume(&self.boxed(&frame))
    }

    /// The volume that only this candidate dominates; 0 for a dominated one and for one of several
    /// that tie. None when the front is too large to compute it exactly.
    ///
    /// # Errors
    /// [`ArchiveError::Unknown`].
    pub fn contribution(&self, id: &str) -> Result<Option<f64>, ArchiveError> {
        let s = self.find(id)?;
        let ties = self.costs(s.front).iter().filter(|c| **c == s.cost).count();
        if s.front > 0 || ties > 1 {
            return Ok(Some(0.0));
        }
        let Some(frame) = self.frame() else {
            return Ok(None);
        };
        let point = frame.boxed(&s.cost);
        let others: Vec<_> = self.boxed(&frame).into_iter().filter(|p| *p != point).collect();
        Ok(exclusive(&point, &others))
    }

    /// Distance of a candidate to the best one known, and which that is.
    ///
    /// # Errors
    /// [`ArchiveError::Unknown`].
    pub fn standing(&self, id: &str) -> Result<Standing, ArchiveError> {
        let s = self.find(id)?;
        let Some(frame) = self.frame() else {
            return Err(ArchiveError::Unknown(id.to_owned()));
        };
        let mut best: Option<(f64, usize, &str)> = None;
        for other in &self.stored {
            let key = (frame.scalar(&other.cost), other.front, &*other.id);
            let better = best.is_none_or(|b| {
                key.0.total_cmp(&b.0).then(key.1.cmp(&b.1)).then(key.2.cmp(b.2)).is_lt()
            });
            if better {
                best = Some(key);
            }
        }
        let scalar = frame.scalar(&s.cost);
        let (best_scalar, _, best_id) = best.unwrap_or((scalar, s.front, &s.id));
        Ok(Standing { scalar, best_scalar, best_id: best_id.to_owned() })
    }

    /// Everything that a certificate says of a candidate's rank.
    ///
    /// # Errors
    /// [`ArchiveError::Unknown`].
    pub fn rank(&self, id: &str) -> Result<ParetoRank, ArchiveError> {
        let objective =
            |o: &Objective| RankedObjective { metric: o.metric.clone(), direction: o.direction };
        let crowding = self.crowding(id)?;
        let dominated_by = self.dominated_by(id)?.into_iter().take(MAX_DOMINATED_BY);
        Ok(ParetoRank {
            objectives: self.objectives.iter().map(objective).collect(),
            front: self.front(id)? as u64,
            dominated_by: dominated_by.map(str::to_owned).collect(),
            crowding: crowding.is_finite().then_some(crowding),
            hypervolume_contribution: self.contribution(id)?,
            archive_root: self.root(),
        })
    }

    /// Regret of a candidate and what stands behind it.
    ///
    /// # Errors
    /// [`ArchiveError::Unknown`].
    pub fn regret(&self, id: &str) -> Result<(f64, RegretDetail), ArchiveError> {
        let standing = self.standing(id)?;
        let scalar = standing.regret();
        let detail = RegretDetail {
            scalar,
            hypervolume: self.hypervolume(),
            best_id: standing.best_id,
            archive_root: self.root(),
        };
        Ok((scalar, detail))
    }

    /// BLAKE3 Merkle root over the objectives and then the candidates in the order of their ids.
    ///
    /// A leaf is text lengths and texts, then numbers as the little-endian bits of binary64:
    /// objective = metric, direction, resolution, weight, reference (or nothing); candidate = id,
    /// values.
    #[must_use]
    pub fn root(&self) -> Hex32 {
        let mut tree = Merkle::new();
        let mut leaf = Vec::new();
        let text = |leaf: &mut Vec<u8>, t: &str| {
            leaf.extend((t.len() as u64).to_le_bytes());
            leaf.extend(t.as_bytes());
        };
        for o in &self.objectives {
            leaf.clear();
            text(&mut leaf, "objective");
            text(&mut leaf, &o.metric);
            leaf.push(u8::from(o.direction == Direction::Maximize));
            for v in [Some(o.resolution), Some(o.weight), o.reference].into_iter().flatten() {
                leaf.extend(v.to_bits().to_le_bytes());
            }
            tree.push(&leaf);
        }
        for (id, &i) in &self.by_id {
            leaf.clear();
            text(&mut leaf, "candidate");
            text(&mut leaf, id);
            for v in &self.stored[i].values {
                leaf.extend((v + 0.0).to_bits().to_le_bytes());
            }
            tree.push(&leaf);
        }
        tree.root()
    }
}
