//! Rules between two cells: overlap, halo, edge spacing.

use cellwright_db::MasterId;

use super::masters::Masters;
use super::rule::{Counts, Party, Rule};
use super::shapes::{Buckets, Shape};

/// A bucket with more cells than this counts as one overlap per cell instead of one per pair: no
/// legal placement comes near, and a heap of cells on one spot must not cost their square.
pub(crate) const CROWD: usize = 256;

/// What decides pairs besides the shapes.
#[derive(Clone, Copy)]
pub(crate) struct Pairs<'a> {
    pub(crate) masters: &'a Masters,
    pub(crate) shapes: &'a [Shape],
    pub(crate) buckets: &'a Buckets,
}

impl Pairs<'_> {
    /// The rule that two cells break together, if any: sharing area comes before a halo, a halo
    /// before a distance.
    pub(crate) fn broken(&self, a: &Shape, b: &Shape) -> Option<Rule> {
        if a.outline.overlaps(&b.outline) {
            return Some(Rule::Overlap);
        }
        let enters = |halo: &Shape, other: &Shape| {
            halo.has_halo() && self.buckets.claim(halo).overlaps(&other.outline)
        };
        if enters(a, b) || enters(b, a) {
            return Some(Rule::Halo);
        }
        (self.masters.reach > 0 && self.too_near(a, b)).then_some(Rule::EdgeSpacing)
    }

    fn too_near(&self, a: &Shape, b: &Shape) -> bool {
        let (left, right) = if a.outline.lo.x <= b.outline.lo.x { (a, b) } else { (b, a) };
        let level =
            left.outline.lo.y < right.outline.hi.y && right.outline.lo.y < left.outline.hi.y;
        let in_rows = |shape: &Shape| self.masters.get(MasterId(shape.master)).in_rows;
        let gap = i64::from(right.outline.lo.x) - i64::from(left.outline.hi.x);
        level
            && gap < i64::from(self.masters.reach)
            && in_rows(left)
            && in_rows(right)
            && gap < i64::from(self.masters.spacing(left.edge(), right.edge()))
    }

    /// Calls `each` with the pairs of a bucket that break a rule and belong to it: a pair belongs
    /// to the bucket of the lower left corner of where the two domains meet.
    fn each_pair(
        &self,
        bucket: usize,
        chosen: impl Fn(u32) -> bool,
        mut each: impl FnMut(u32, u32, Rule),
    ) -> u64 {
        let list = self.buckets.list(bucket);
        let mut tested = 0;
        for &a in list.iter().filter(|a| chosen(**a)) {
            let shape = &self.shapes[a as usize];
            let domain = self.buckets.domain(shape);
            for &b in list {
                // Both chosen: once, from the lower number.
                if b == a || (b < a && chosen(b)) {
                    continue;
                }
                tested += 1;
                let other = &self.shapes[b as usize];
                let meeting = domain.intersection(&self.buckets.domain(other));
                if meeting.is_empty() || self.buckets.at(meeting.lo) != bucket {
                    continue;
                }
                if let Some(rule) = self.broken(shape, other) {
                    each(a.min(b), a.max(b), rule);
                }
            }
        }
        tested
    }

    fn add(&self, counts: &mut Counts, a: u32, b: u32, rule: Rule) {
        let fixed = |cell: u32| self.shapes[cell as usize].fixed;
        counts.add(rule, Party::of_pair(fixed(a), fixed(b)), 1);
    }

    /// Counts the pairs of a bucket with at least one marked cell. Returns the pairs tested.
    pub(crate) fn count_marked(&self, bucket: usize, marks: &[bool], counts: &mut Counts) -> u64 {
        let marked = |cell: u32| marks[cell as usize];
        self.each_pair(bucket, marked, |a, b, rule| self.add(counts, a, b, rule))
    }
    /// Counts all pairs of a bucket, or its crowd.
    pub(crate) fn count_all(&self, bucket: usize, counts: &mut Counts) -> u64 {
        let list = self.buckets.list(bucket);
        if list.len() > CROWD {
            counts.add(Rule::Overlap, self.crowd_party(bucket), list.len() as i64);
            return list.len() as u64;
        }
        self.each_pair(bucket, |_| true, |a, b, rule| self.add(counts, a, b, rule))
    }
    /// Calls `each` with all pairs of a bucket that is no crowd.
    pub(crate) fn list(&self, bucket: usize, each: impl FnMut(u32, u32, Rule)) {
        self.each_pair(bucket, |_| true, each);
    }
    /// Whose a crowd is.
    pub(crate) fn crowd_party(&self, bucket: usize) -> Party {
        let mut cells = self.buckets.list(bucket).iter();
        Party::of(cells.all(|cell| self.shapes[*cell as usize].fixed))
    }
}
